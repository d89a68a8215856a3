/* Configurations: what is read, and where each mistake is said to stand. */
#include "folder.h"

#include "base/alloc.h"
#include "experiment/matrix.h"

const int fsc__test_forks = 1;

static const char *folder;

static void setup(void)
{
    folder = fsc__test_folder();
}

static void teardown(void)
{
    fsc__test_remove(folder);
}

/* A configuration that is fine, with a place for experiments' further keys. */
#define GOOD_HEAD "{\"version\": 1, \"experiments\": [{\"name\": \"a\", \"graph\": \"add+relu\""
#define GOOD_TAIL "}]}"
#define WITH(keys) GOOD_HEAD ", \"shapes\": [\"2x3\"]" keys GOOD_TAIL
#define DEVICES(list)                                                                         \
    "{\"version\": 1, \"devices\": " list ", \"experiments\": [{\"name\": \"a\", \"graph\": " \
    "\"relu\", \"shapes\": [\"2\"]}]}"

/* A mistake, the place of it, and words that the message has. */
static const struct {
    const char *text, *place, *words;
} mistakes[] = {
    {"", ":1:1: ", ""},
    {"{\"version\": 1, \"experiments\": [", ":1:32: ", ""},
    {"{\n \"version\": 1,\n nonsense}", ":3:2: ", ""},
    {"[]", ": ", "object"},
    {"{}", ": /version: ", "missing"},
    {"{\"version\": 2, \"experiments\": []}", ": /version: ", "1"},
    {"{\"version\": 1}", ": /experiments: ", "missing"},
    {"{\"version\": 1, \"experiments\": []}", ": /experiments: ", "empty"},
    {"{\"version\": 1, \"experiments\": {}}", ": /experiments: ", "array"},
    {"{\"version\": 1, \"experiment\": []}", ": /experiment: ", "did you mean \"experiments\"?"},
    {"{\"version\": 1, \"version\": 1, \"experiments\": []}", ": /version: ", "twice"},
    {"{\"version\": 1, \"seed\": -1, \"experiments\": [{\"name\": \"a\", \"graph\": \"relu\", "
     "\"shapes\": [\"2\"]}]}",
     ": /seed: ", "from 0"},
    {"{\"version\": 1, \"timeout_s\": 0, \"experiments\": []}", ": /timeout_s: ", "from 1"},
    {"{\"version\": 1, \"seed\": 1e400, \"experiments\": []}", ": /seed: ", "large"},
    {"{\"version\": 1, \"defaults\": {\"mode\": [\"f32\"]}, \"experiments\": [1]}",
     ": /defaults/mode: ", "did you mean \"modes\"?"},
    {"{\"version\": 1, \"defaults\": {\"modes\": [\"fp16\"]}, \"experiments\": [1]}",
     ": /defaults/modes/0: ", "f32 f16 bf16"},
    {"{\"version\": 1, \"experiments\": [1]}", ": /experiments/0: ", "object"},
    {GOOD_HEAD GOOD_TAIL, ": /experiments/0/shapes: ", "missing"},
    {GOOD_HEAD ", \"shapes\": []" GOOD_TAIL, ": /experiments/0/shapes: ", "empty"},
    {GOOD_HEAD ", \"shapes\": [\"2x\"]" GOOD_TAIL, ": /experiments/0/shapes/0: ", "size"},
    {GOOD_HEAD ", \"shapes\": [\"2\", \"0x3\"]" GOOD_TAIL, ": /experiments/0/shapes/1: ", "1 "},
    {GOOD_HEAD ", \"shapes\": [\"65536x32768\"]" GOOD_TAIL, ": /experiments/0/shapes/0: ", "2^31"},
    {GOOD_HEAD ", \"shapes\": [\"2x3\", {\"rows\": 2, \"cols\": 3}]" GOOD_TAIL,
     ": /experiments/0/shapes/1: ", "twice"},
    {GOOD_HEAD ", \"shapes\": [{\"rows\": 2, \"colls\": 3}]" GOOD_TAIL,
     ": /experiments/0/shapes/0/colls: ", "did you mean \"cols\"?"},
    {GOOD_HEAD ", \"shapes\": [\"mb1ic4ih8oc4kh3\"]" GOOD_TAIL,
     ": /experiments/0/shapes/0: ", "describes a conv2d"},
    {GOOD_HEAD ", \"shape_file\": 3" GOOD_TAIL, ": /experiments/0/shape_file: ", "text"},
    {GOOD_HEAD ", \"shape_file\": \"none.txt\"" GOOD_TAIL,
     ": /experiments/0/shape_file: ", "none.txt"},
    {WITH(", \"shape_file\": \"none.txt\""), ": /experiments/0/shape_file: ", "beside shapes"},
    {WITH(", \"modes\": [\"f32\", \"fp16\"]"), ": /experiments/0/modes/1: ", "f32 f16 bf16"},
    {WITH(", \"modes\": [\"f32,order=lanes:63\"]"), ": /experiments/0/modes/0: ", "power of two"},
    {WITH(", \"modes\": [\"f64\"]"), ": /experiments/0/modes/0: ", "not in this version"},
    {WITH(", \"modes\": \"f32\""), ": /experiments/0/modes: ", "array"},
    {WITH(", \"modes\": [\"f32\", \"f16\", \"f32\"]"), ": /experiments/0/modes/2: ", "twice"},
    {WITH(", \"unfused_mode\": 3"), ": /experiments/0/unfused_mode: ", "text"},
    {WITH(", \"inputs\": [\"normall\"]"), ": /experiments/0/inputs/0: ", "normal"},
    {WITH(", \"seeds\": [1.5]"), ": /experiments/0/seeds/0: ", "whole number"},
    {WITH(", \"off\": [\"no_such_rule\"]"), ": /experiments/0/off/0: ", "not a rule"},
    {WITH(", \"tensors\": {\"y\": \"y.npy\"}"), ": /experiments/0/tensors/y: ", "no input"},
    {WITH(", \"tensors\": {\"x\": \"x.npy\"}"), ": /experiments/0/tensors/x: ", "x.npy"},
    {WITH(", \"tensors\": {\"x\": 1}"), ": /experiments/0/tensors/x: ", "text"},
    {WITH(", \"tolerance\": {\"of\": \"delta\", \"rtoll\": 1}"),
     ": /experiments/0/tolerance/rtoll: ", "did you mean \"rtol\"?"},
    {WITH(", \"tolerance\": {\"of\": \"sum\"}"),
     ": /experiments/0/tolerance/of: ", "delta or error"},
    {WITH(", \"tolerance\": {\"f16\": {\"rtol\": -1}}"),
     ": /experiments/0/tolerance/f16/rtol: ", "from 0"},
    {WITH(", \"repeat\": 3"), ": /experiments/0/repeat: ", "unknown key"},
    {"{\"version\": 1, \"experiments\": [{\"name\": \"a b\", \"graph\": \"relu\", \"shapes\": "
     "[\"2\"]}]}",
     ": /experiments/0/name: ", "letters"},
    {"{\"version\": 1, \"experiments\": [{\"graph\": \"relu\", \"shapes\": [\"2\"]}]}",
     ": /experiments/0/name: ", "missing"},
    {"{\"version\": 1, \"experiments\": [{\"name\": \"a\", \"graph\": \"rleu\", \"shapes\": "
     "[\"2\"]}]}",
     ": /experiments/0/graph: ", "relu"},
    {"{\"version\": 1, \"experiments\": [{\"name\": \"a\", \"graph\": {\"ops\": []}, "
     "\"shapes\": [\"2\"]}]}",
     ": /experiments/0/graph: ", "matmul+bias+gelu"},
    {"{\"version\": 1, \"experiments\": [{\"name\": \"a\", \"graph\": \"matmul\", \"shapes\": "
     "[\"2x3:4x5\"]}]}",
     ": /experiments/0/shapes/0: ", ""},
    {"{\"version\": 1, \"experiments\": [{\"name\": \"a\", \"graph\": \"relu\", \"shapes\": "
     "[\"2\"]}, {\"name\": \"a\", \"graph\": \"relu\", \"shapes\": [\"2\"]}]}",
     ": /experiments/1/name: ", "differ"},
    {DEVICES("\"pocl\""), ": /devices: ", "array"},
    {DEVICES("[]"), ": /devices: ", "empty"},
    {DEVICES("[\"\"]"), ": /devices/0: ", "empty"},
    {DEVICES("[{\"required\": true}]"), ": /devices/0/select: ", "missing"},
    {DEVICES("[{\"select\": \"pocl\", \"require\": 1}]"),
     ": /devices/0/require: ", "did you mean \"required\"?"},
    {DEVICES("[{\"select\": \"pocl\", \"required\": 1}]"),
     ": /devices/0/required: ", "true or false"},
    {DEVICES("[{\"select\": \"pocl\", \"env\": {\"A=B\": \"1\"}}]"),
     ": /devices/0/env/A=B: ", "name"},
    {DEVICES("[{\"select\": \"pocl\", \"max_elements\": 0}]"),
     ": /devices/0/max_elements: ", "from 1"},
};

START_TEST(each_mistake_is_named_at_its_place)
{
    const char *path = fsc__test_write(folder, "c.json", mistakes[_i].text);
    char place[320];
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    snprintf(place, sizeof place, "%s%s", path, mistakes[_i].place);
    const fsc_status status = fsc__config_read(path, &config, &why);
    ck_assert_msg(status != FSC_OK, "accepted: %s", mistakes[_i].text);
    ck_assert_msg(strncmp(why.text, place, strlen(place)) == 0, "%s\nsaid %s\nexpected at %s",
                  mistakes[_i].text, why.text, place);
    ck_assert_msg(strstr(why.text, mistakes[_i].words) != NULL, "\"%s\" is not in: %s",
                  mistakes[_i].words, why.text);
    ck_assert_ptr_null(config.root);
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    ck_assert_int_eq(fsc__config_read("/no/such/file.json", &config, &why), FSC_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(why.text, "/no/such/file.json"));
}
END_TEST

/* The texts of an array, joined by blanks. */
static const char *join(const cJSON *array)
{
    static char text[512];
    const cJSON *item = NULL;
    text[0] = '\0';
    cJSON_ArrayForEach(item, array)
    {
        const size_t used = strlen(text);
        if (cJSON_IsNumber(item))
            snprintf(text + used, sizeof text - used, "%s%.0f", used ? " " : "", item->valuedouble);
        else
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", item->valuestring);
    }
    return text;
}

static const cJSON *of(const fsc__config *config, int experiment, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(config->experiments, experiment),
                                            key);
}

START_TEST(defaults_fill_what_an_experiment_leaves_out)
{
    const char *path = fsc__test_write(
        folder, "c.json",
        "{\"version\": 1, \"name\": \"n\", \"seed\": 42, \"timeout_s\": 7,\n"
        " \"devices\": [\"pocl\", {\"select\": \"rusticl\", \"required\": false,\n"
        "   \"env\": {\"RUSTICL_ENABLE\": \"llvmpipe\"}, \"max_elements\": 200000}],\n"
        " \"defaults\": {\"modes\": [\"f32\", \"f16\"], \"inputs\": [\"normal\", \"zeros\"],\n"
        "   \"tolerance\": {\"of\": \"delta\", \"f32\": {\"rtol\": 1e-5}}},\n"
        " \"experiments\": [\n"
        "  {\"name\": \"a\", \"graph\": \"add+relu\", \"shapes\": [\"2x3\", {\"rows\": 4, "
        "\"cols\": 5}]},\n"
        "  {\"name\": \"b\", \"graph\": \"matmul+bias\", \"shapes\": [{\"m\": 2, \"k\": 3, "
        "\"n\": 4}],\n   \"modes\": [\"bf16\"], \"unfused_mode\": \"bf16\", \"seeds\": [1, 2]}]}");
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__config_read(path, &config, &why), &why);
    ck_assert_str_eq(config.name, "n");
    ck_assert_int_eq(config.timeout_s, 7);
    ck_assert_int_eq(config.device_count, 2);
    ck_assert_str_eq(config.devices[0].select, "pocl");
    ck_assert(config.devices[0].required);
    ck_assert(!config.devices[1].required);
    ck_assert_int_eq(config.devices[1].max_elements, 200000);
    ck_assert_int_eq(cJSON_GetArraySize(config.devices[1].env), 1);
    ck_assert_str_eq(join(of(&config, 0, "modes")), "f32 f16");
    ck_assert_str_eq(join(of(&config, 0, "inputs")), "normal zeros");
    ck_assert_str_eq(join(of(&config, 0, "seeds")), "42");
    ck_assert_str_eq(join(of(&config, 0, "shapes")), "2x3 4x5");
    ck_assert_ptr_nonnull(of(&config, 0, "tolerance"));
    ck_assert_str_eq(join(of(&config, 1, "modes")), "bf16");
    ck_assert_str_eq(join(of(&config, 1, "seeds")), "1 2");
    ck_assert_str_eq(join(of(&config, 1, "shapes")), "2x3:3x4");
    fsc__config_deinit(&config);
}
END_TEST

START_TEST(tensors_give_the_shape_and_absolute_paths)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"version\": 1, \"experiments\": [{\"name\": \"real\", \"graph\": "
             "\"matmul+bias+gelu\", \"tensors\": {\"x\": \"%s/bert/ffn1_matmul_bias_gelu/x.npy\","
             " \"w\": \"w.npy\"}}]}",
             FSC_TEST_DATA);
    char link[512];
    const char *path = fsc__test_write(folder, "c.json", text);
    snprintf(link, sizeof link, "%s/w.npy", folder);
    ck_assert_int_eq(symlink(FSC_TEST_DATA "/bert/ffn1_matmul_bias_gelu/w.npy", link), 0);
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__config_read(path, &config, &why), &why);
    ck_assert_str_eq(join(of(&config, 0, "shapes")), "67x384:384x160");
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(of(&config, 0, "tensors"), "w")->valuestring,
                     link);
    fsc__config_deinit(&config);
}
END_TEST

START_TEST(a_batch_file_gives_the_shapes)
{
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    fsc__test_write(folder, "net",
                    "# two layers\nmb1ic4ih8oc4kh3ph1n\"a*3\"\n1x4x8x8:4x4x1x1 # as sizes\n");
    const char *path = fsc__test_write(
        folder, "c.json",
        "{\"version\": 1, \"experiments\": [{\"name\": \"net\", \"graph\": \"conv2d+bias+relu\", "
        "\"shape_file\": \"net\"}]}");
    ck_status_ok(fsc__config_read(path, &config, &why), &why);
    ck_assert_str_eq(join(of(&config, 0, "shapes")), "mb1ic4ih8oc4kh3ph1n\"a*3\" 1x4x8x8:4x4x1x1");
    fsc__config_deinit(&config);
    const char *const mistakes_of_a_file[][2] = {
        {"mb1ic4ih8oc4kh\n", "net:1: shape"},
        {"mb1ic4ih8oc4kh3\n4x4:4x4\n", "conv2d needs four axes"},
        {"mb1ic4ih8oc4kh3\n\nmb1ic4ih8oc4kh3\n", "net:3: mb1ic4ih8oc4kh3 stands in the file twice"},
    };
    for (int i = 0; i < 3; i++) {
        fsc__test_write(folder, "net", mistakes_of_a_file[i][0]);
        ck_assert_int_eq(
            fsc__config_read(fsc__test_write(folder, "d.json",
                                             "{\"version\": 1, \"experiments\": [{\"name\": "
                                             "\"net\", \"graph\": \"conv2d\", \"shape_file\": "
                                             "\"net\"}]}"),
                             &config, &why),
            FSC_ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(why.text, ": /experiments/0/shape_file"));
        ck_assert_ptr_nonnull(strstr(why.text, mistakes_of_a_file[i][1]));
    }
}
END_TEST

START_TEST(a_tensor_of_another_shape_is_named)
{
    const char *path = fsc__test_write(
        folder, "c.json",
        "{\"version\": 1, \"experiments\": [{\"name\": \"real\", \"graph\": \"relu\", \"shapes\": "
        "[\"67x383\"], \"tensors\": {\"x\": \"" FSC_TEST_DATA
        "/bert/ffn1_matmul_bias_gelu/x.npy\"}}]}");
    fsc__config config = {0};
    fsc_error why = {.text = ""};
    ck_assert_int_eq(fsc__config_read(path, &config, &why), FSC_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(why.text, ": /experiments/0/tensors/x: "));
    ck_assert_ptr_nonnull(strstr(why.text, "67x384"));
    ck_assert_ptr_nonnull(strstr(why.text, "67x383"));
}
END_TEST

START_TEST(the_hash_is_of_the_values)
{
    static const char *const texts[] = {
        WITH(""), "\n" GOOD_HEAD ",\t\"shapes\":[\"2x3\"]" GOOD_TAIL " ", WITH(", \"seeds\": [1]")};
    char hex[3][33];
    for (int i = 0; i < 3; i++) {
        fsc__config config = {0};
        fsc_error why = {.text = ""};
        ck_status_ok(fsc__config_read(fsc__test_write(folder, "c.json", texts[i]), &config, &why),
                     &why);
        ck_status_ok(fsc__config_hash(&config, hex[i], &why), &why);
        fsc__config_deinit(&config);
    }
    ck_assert_str_eq(hex[0], hex[1]);
    ck_assert_str_ne(hex[0], hex[2]);
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    const char *path = fsc__test_write(
        folder, "c.json",
        "{\"version\": 1, \"devices\": [{\"select\": \"pocl\", \"env\": {\"A\": \"1\"}}],\n"
        " \"defaults\": {\"tolerance\": {\"rtol\": 1}}, \"experiments\": [{\"name\": \"real\",\n"
        " \"graph\": \"matmul+bias+gelu\", \"modes\": [\"f16\", \"bf16\"], \"tensors\": {\"x\":\n"
        " \"" FSC_TEST_DATA "/bert/ffn1_matmul_bias_gelu/x.npy\", \"w\": \"" FSC_TEST_DATA
        "/bert/ffn1_matmul_bias_gelu/w.npy\"}}]}");
    /* A value that is made and not needed may fail unnoticed: the end is where nothing fails any
       more. */
    fsc_status status = FSC_ERR_MEMORY;
    long successes = 0;
    for (int fine = 0; fine < 50 && successes < 10000; successes++) {
        fsc__config config = {0};
        cJSON *cases = NULL;
        fsc_error why = {.text = ""};
        fsc__alloc_fail_after(successes);
        status = fsc__config_read(path, &config, &why);
        if (status == FSC_OK)
            status = fsc__matrix_create(&config, NULL, &cases, &why);
        fsc__alloc_fail_after(-1);
        ck_assert_msg(status == FSC_OK || status == FSC_ERR_MEMORY, "allocation %ld: status %d: %s",
                      successes, (int)status, why.text);
        ck_assert_int_eq(cJSON_GetArraySize(cases), status == FSC_OK ? 2 : 0);
        fine = status == FSC_OK ? fine + 1 : 0;
        cJSON_Delete(cases);
        fsc__config_deinit(&config);
    }
    ck_assert_int_eq(status, FSC_OK);
    ck_assert_int_gt(successes, 150);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *tcase = tcase_create("config");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, each_mistake_is_named_at_its_place, 0,
                        (int)(sizeof mistakes / sizeof mistakes[0]));
    tcase_add_test(tcase, a_missing_file_is_named);
    tcase_add_test(tcase, defaults_fill_what_an_experiment_leaves_out);
    tcase_add_test(tcase, tensors_give_the_shape_and_absolute_paths);
    tcase_add_test(tcase, a_batch_file_gives_the_shapes);
    tcase_add_test(tcase, a_tensor_of_another_shape_is_named);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    tcase_add_test(tcase, the_hash_is_of_the_values);
    suite_add_tcase(suite, tcase);
    return suite;
}
