/* .npy files: round trips, real files, and every kind of damage by its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "graph/npy.h"
#include "harness.h"

const int fsc__test_forks = 1;

static char folder[] = "/tmp/fsc_npy_XXXXXX";
static char path[64];

static void setup(void)
{
    strcpy(strrchr(folder, '_'), "_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
}

static void teardown(void)
{
    unlink(path);
    rmdir(folder);
}

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0)
        ck_abort_msg("cannot write %s", path);
}

/* A file of version 1.0 with this dictionary and the first data_bytes of 1, 2, 3 ... as data. */
static size_t compose(char *file, const char *dict, size_t data_bytes)
{
    const size_t length = strlen(dict);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)(length & 0xff);
    file[9] = (char)(length >> 8);
    memcpy(file + 10, dict, length);
    for (size_t i = 0; i < data_bytes; i++)
        file[10 + length + i] = (char)(i + 1);
    return 10 + length + data_bytes;
}

/* Expects FSC_ERR_FILE, this text after the path, and an untouched tensor. */
static void check_refused(const char *message)
{
    fsc_error why = {0};
    fsc_tensor tensor, before;
    memset(&tensor, 0x5a, sizeof tensor);
    memcpy(&before, &tensor, sizeof tensor);
    ck_assert_int_eq(fsc__npy_read(path, &tensor, &why), FSC_ERR_FILE);
    ck_assert_mem_eq(&tensor, &before, sizeof tensor);
    ck_assert_msg(strncmp(why.text, path, strlen(path)) == 0, "%s", why.text);
    ck_assert_str_eq(why.text + strlen(path), message);
}

static void check_dict_refused(const char *dict, size_t data_bytes, const char *message)
{
    char file[1024];
    write_bytes(file, compose(file, dict, data_bytes));
    check_refused(message);
}

static void check_dict_read(const char *dict, size_t data_bytes, fsc_dtype type, const char *shape)
{
    char file[1024], text[128];
    fsc_error why;
    fsc_tensor tensor;
    const size_t bytes = compose(file, dict, data_bytes);
    write_bytes(file, bytes);
    const fsc_status status = fsc__npy_read(path, &tensor, &why);
    ck_status_ok(status, &why);
    fsc__shape_write(&tensor.shape, text, sizeof text);
    ck_assert_int_eq(tensor.type, type);
    ck_assert_str_eq(text, shape);
    ck_assert_mem_eq(tensor.data, file + bytes - data_bytes, data_bytes);
    fsc__tensor_deinit(&tensor);
}

#define DICT(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

START_TEST(types_and_shapes_are_read)
{
    check_dict_read(DICT("<f4", "(2, 3)") "    \n", 24, FSC_F32, "2x3");
    check_dict_read(DICT("<f2", "(5,)"), 10, FSC_F16, "5");
    check_dict_read(DICT("<f8", "()"), 8, FSC_F64, "1");
    check_dict_read(DICT("<u2", "(1, 1, 4)"), 8, FSC_BF16, "1x1x4");
    check_dict_read(DICT("|i1", "(3,)"), 3, FSC_I8, "3");
    check_dict_read(DICT("|u1", "(1, 1, 1, 1, 1, 2)"), 2, FSC_U8, "1x1x1x1x1x2");
    check_dict_read(DICT("<i4", "(2,1)"), 8, FSC_I32, "2x1");
    check_dict_read(DICT("<f4", "(0, 3)"), 0, FSC_F32, "0x3");
    check_dict_read("{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}", 8, FSC_F32, "2");
}
END_TEST

START_TEST(version_2_is_read)
{
    char one[512], two[512];
    fsc_error why;
    fsc_tensor tensor;
    const size_t bytes = compose(one, DICT("<f4", "(2,)"), 8);
    memcpy(two, one, 10);
    two[6] = 2;
    two[10] = two[11] = 0;
    memcpy(two + 12, one + 10, bytes - 10);
    write_bytes(two, bytes + 2);
    const fsc_status status = fsc__npy_read(path, &tensor, &why);
    ck_status_ok(status, &why);
    ck_assert_mem_eq(tensor.data, one + bytes - 8, 8);
    fsc__tensor_deinit(&tensor);

    two[11] = 1; /* a length of 16 MiB and more */
    write_bytes(two, bytes + 2);
    char message[128];
    const unsigned length = 0x01000000u + (unsigned)(bytes - 18);
    snprintf(message, sizeof message, ": the header claims %u bytes, the file has %zu more", length,
             bytes - 10);
    check_refused(message);
}
END_TEST

/* Codes come back as they were, NaN payloads included, and the data start at a multiple of 64. */
START_TEST(what_is_written_is_read_back)
{
    static const fsc__shape shapes[] = {{0, {0}}, {1, {6}}, {2, {2, 3}}, {6, {1, 2, 1, 1, 3, 1}}};
    for (int type = 0; type < FSC_DTYPE_COUNT; type++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            unsigned char codes[48];
            for (size_t i = 0; i < sizeof codes; i++)
                codes[i] = (unsigned char)(255 - i);
            const fsc_tensor out = {(fsc_dtype)type, shapes[s], codes};
            const size_t bytes =
                (size_t)fsc__shape_elems(&shapes[s]) * fsc__dtype_bytes((fsc_dtype)type);
            fsc_error why;
            fsc_tensor in;
            fsc_status status = fsc__npy_write(path, &out, &why);
            ck_status_ok(status, &why);
            status = fsc__npy_read(path, &in, &why);
            ck_status_ok(status, &why);
            ck_assert_int_eq(in.type, type);
            ck_assert(fsc__shape_equal(&in.shape, &shapes[s]));
            ck_assert_mem_eq(in.data, codes, bytes);
            fsc__tensor_deinit(&in);
        }
    static float values[6] = {1, 2, 3, 4, 5, 6};
    const fsc_tensor out = {FSC_F32, {2, {2, 3}}, values};
    char file[256];
    fsc_error why;
    ck_assert_int_eq(fsc__npy_write(path, &out, &why), FSC_OK);
    FILE *stream = fopen(path, "rb");
    ck_assert_uint_eq(fread(file, 1, sizeof file, stream), 128 + sizeof values);
    fclose(stream);
    ck_assert_mem_eq(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_mem_eq(file + 10, DICT("<f4", "(2, 3)"), strlen(DICT("<f4", "(2, 3)")));
    ck_assert_int_eq(file[127], '\n');
    ck_assert_mem_eq(file + 128, values, sizeof values);
}
END_TEST

START_TEST(real_files)
{
    static const struct {
        const char *name, *shape;
        fsc_dtype type;
        double first, second;
    } rows[] = {
        {"attn_out_add_layernorm/gamma.npy", "384", FSC_F32, 0.6209497451782227,
         0.6538082957267761},
        {"attn_out_add_layernorm/y_f64.npy", "29x384", FSC_F64, 0.18827461425311154,
         -0.7769124813047427},
        {"ffn1_matmul_bias_gelu/w.npy", "384x160", FSC_F32, -0.07474870979785919,
         -0.02424747496843338},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[512], shape[128];
        fsc_tensor tensor;
        fsc_error why;
        snprintf(name, sizeof name, "%s/bert/%s", FSC_TEST_DATA, rows[i].name);
        const fsc_status status = fsc__npy_read(name, &tensor, &why);
        ck_status_ok(status, &why);
        fsc__shape_write(&tensor.shape, shape, sizeof shape);
        ck_assert_str_eq(shape, rows[i].shape);
        ck_assert_int_eq(tensor.type, rows[i].type);
        ck_assert(fsc__dtype_load(tensor.type, tensor.data, 0) == rows[i].first);
        ck_assert(fsc__dtype_load(tensor.type, tensor.data, 1) == rows[i].second);
        fsc__tensor_deinit(&tensor);
    }
}
END_TEST

#define READABLE "; readable types: <f2 <f4 <f8 <u2 |i1 |u1 <i4"
#define NOT_DICT ": the header is not a .npy dictionary: expected "

START_TEST(wrong_contents_are_named)
{
    check_dict_refused(DICT(">f4", "(2,)"), 8, ": big-endian type >f4" READABLE);
    check_dict_refused(DICT("<i8", "(2,)"), 16, ": type <i8" READABLE);
    check_dict_refused(DICT("|b1", "(2,)"), 2, ": type |b1" READABLE);
    check_dict_refused(DICT("|O", "(2,)"), 16, ": type |O" READABLE);
    check_dict_refused("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24,
                       ": Fortran order; save it in C order (numpy.ascontiguousarray)");
    check_dict_refused(DICT("<f4", "(2, -3)"), 24, ": negative size in the shape");
    check_dict_refused(DICT("<f4", "(1, 1, 1, 1, 1, 1, 1)"), 4, ": more than 6 axes");
    check_dict_refused(DICT("<f4", "(2, 3)"), 23,
                       ": truncated: a shape of 2x3 f32 takes 24 bytes, the file holds 23");
    check_dict_refused(DICT("<f4", "(2, 3)"), 0,
                       ": truncated: a shape of 2x3 f32 takes 24 bytes, the file holds 0");
    check_dict_refused(DICT("<f4", "(2, 3)"), 25,
                       ": bytes after the data: a shape of 2x3 f32 takes 24 bytes, the file "
                       "holds 25");
    check_dict_refused(DICT("<f4", "(0,)"), 4,
                       ": bytes after the data: a shape of 0 f32 takes 0 bytes, the file holds 4");
    check_dict_refused(DICT("<f4", "(4294967296, 4294967296)"), 8,
                       ": the shape 4294967296x4294967296 is larger than any file");
    check_dict_refused(DICT("<f8", "(2305843009213693952,)"), 8,
                       ": the shape 2305843009213693952 is larger than any file");
    check_dict_refused(DICT("<f4", "(99999999999999999999,)"), 8,
                       ": a size in the shape is beyond 2^63");
}
END_TEST

START_TEST(garbage_dictionaries_are_named)
{
    static const struct {
        const char *dict, *expected;
    } rows[] = {
        {"", "{"},
        {"hello", "{"},
        {"{", "a key"},
        {"{}", "the keys descr, fortran_order and shape"},
        {"{,}", "a key"},
        {"{'descr': '<f4', 'shape': (2,)}", "the keys descr, fortran_order and shape"},
        {"{'descr': '<f4' 'shape': (2,)}", "a comma or }"},
        {"{'descr' '<f4'}", "a colon after a key"},
        {"{'descr': '<f4', 'descr': '<f4'}", "each key once"},
        {"{'colour': 'red'}", "no key but descr, fortran_order, shape"},
        {"{'descr': [('a', '<f4')]}", "a plain type after 'descr'"},
        {"{'descr': '<f4", "a plain type after 'descr'"},
        {"{'descr': '<f4<f4<f4<f4<f4<f4'}", "a plain type after 'descr'"},
        {"{'descr': '<f\x01'}", "a plain type after 'descr'"},
        {"{'fortran_order': 0}", "True or False after 'fortran_order'"},
        {"{'shape': 3}", "a tuple after 'shape'"},
        {"{'shape': (3)}", "a tuple after 'shape'"},
        {"{'shape': (3 4)}", "a comma or ) in the shape"},
        {"{'shape': (,)}", "a whole number in the shape"},
        {"{'shape': (2,,3)}", "a whole number in the shape"},
        {"{'shape': (2.5,)}", "a comma or ) in the shape"},
        {"{'shape': (2,", "a whole number in the shape"},
        {"{'shape': (None,)}", "a whole number in the shape"},
        {DICT("<f4", "(2,)") " x", "nothing after }"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[128];
        snprintf(message, sizeof message, NOT_DICT "%s", rows[i].expected);
        check_dict_refused(rows[i].dict, 8, message);
    }
}
END_TEST

START_TEST(what_is_no_npy_file_is_named)
{
    write_bytes("", 0);
    check_refused(": not a .npy file (no \\x93NUMPY at its start)");
    write_bytes("PK\x03\x04 and more", 12);
    check_refused(": not a .npy file (no \\x93NUMPY at its start)");
    write_bytes("\x93NUMPY", 6);
    check_refused(": not a .npy file (no \\x93NUMPY at its start)");
    write_bytes("\x93NUMPY\x03\x00\x10\x00", 10);
    check_refused(": .npy version 3.0; readable versions: 1.0 2.0");
    write_bytes("\x93NUMPY\x01\x00\x10", 9);
    check_refused(": ends inside the header");
    write_bytes("\x93NUMPY\x01\x00\x10\x00{}", 12);
    check_refused(": the header claims 16 bytes, the file has 2 more");

    unlink(path);
    check_refused(": cannot open: No such file or directory");
    strcpy(path, folder);
    check_refused(": is a folder, not a file");
}
END_TEST

/* Whatever a header says: a tensor whose size matches the data, or a named refusal. */
static void check_survives(const char *file, size_t bytes)
{
    fsc_error why = {.text = ""};
    fsc_tensor tensor;
    write_bytes(file, bytes);
    const fsc_status status = fsc__npy_read(path, &tensor, &why);
    if (status == FSC_OK) {
        const size_t held = (size_t)fsc__shape_elems(&tensor.shape) * fsc__dtype_bytes(tensor.type);
        if (held > bytes)
            ck_abort_msg("%zu bytes read from a file of %zu", held, bytes);
        fsc__tensor_deinit(&tensor);
    } else if (status != FSC_ERR_FILE || strncmp(why.text, path, strlen(path)) != 0)
        ck_abort_msg("status %d: %s", (int)status, why.text);
}

START_TEST(mutated_files_do_no_harm)
{
    static const char alphabet[] = "{}()'\",: 0123456789-<>|fui<TF\x00\xff\n";
    char file[512], changed[512];
    const size_t bytes = compose(file, DICT("<f4", "(2, 3)") "       \n", 24);
    uint64_t state = 1;
    for (int round = 0; round < 5000; round++) {
        memcpy(changed, file, bytes);
        for (int change = 0; change <= round % 4; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const size_t at = (size_t)(state >> 33) % (bytes - 24);
            changed[at] =
                round & 1 ? alphabet[(state >> 20) % (sizeof alphabet - 1)] : (char)(state >> 20);
        }
        check_survives(changed, bytes);
    }
    for (size_t cut = 0; cut < bytes; cut++)
        check_survives(file, cut);
}
END_TEST

START_TEST(no_memory_is_said)
{
    char file[512];
    fsc_error why;
    fsc_tensor tensor;
    write_bytes(file, compose(file, DICT("<f4", "(2, 3)"), 24));
    for (long successes = 0; successes < 2; successes++) {
        fsc__alloc_fail_after(successes);
        ck_assert_int_eq(fsc__npy_read(path, &tensor, &why), FSC_ERR_MEMORY);
    }
    float values[6] = {0};
    const fsc_tensor out = {FSC_F32, {2, {2, 3}}, values};
    fsc__alloc_fail_after(0);
    ck_assert_int_eq(fsc__npy_write(path, &out, &why), FSC_ERR_MEMORY);
    fsc__alloc_fail_after(-1);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("npy");
    TCase *tc = tcase_create("npy");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, types_and_shapes_are_read);
    tcase_add_test(tc, version_2_is_read);
    tcase_add_test(tc, what_is_written_is_read_back);
    tcase_add_test(tc, real_files);
    tcase_add_test(tc, wrong_contents_are_named);
    tcase_add_test(tc, garbage_dictionaries_are_named);
    tcase_add_test(tc, what_is_no_npy_file_is_named);
    tcase_add_test(tc, mutated_files_do_no_harm);
    tcase_add_test(tc, no_memory_is_said);
    suite_add_tcase(suite, tc);
    return suite;
}
