/* The precision mode's text: presets, fields, values, what is refused and in which words. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "numeric/mode.h"

const int fsc__test_forks = 1;

static fsc_mode parse(const char *text)
{
    fsc_mode mode;
    fsc_error why;
    const fsc_status status = fsc__mode_parse(text, &mode, &why);
    ck_status_ok(status, &why);
    return mode;
}

START_TEST(presets_have_their_defaults)
{
    static const struct {
        const char *name;
        fsc_dtype storage;
    } rows[] = {{"f32", FSC_F32}, {"f16", FSC_F16}, {"bf16", FSC_BF16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const fsc_mode mode = parse(rows[i].name);
        ck_assert_int_eq(mode.storage, rows[i].storage);
        ck_assert_int_eq(mode.arith, FSC_F32);
        ck_assert_int_eq(mode.accum, FSC_F32);
        ck_assert_int_eq(mode.params, FSC_F32);
        ck_assert_int_eq(mode.boundary, FSC__BOUNDARY_KEEP);
        ck_assert_int_eq(mode.order.kind, FSC__ORDER_DEFAULT);
        ck_assert_int_eq(mode.contract, FSC__CONTRACT_SUMS);
        ck_assert_int_eq(mode.gelu, FSC__GELU_OWN);
        ck_assert_int_eq(mode.variance, FSC__VARIANCE_CORRECTED);
        ck_assert_uint_eq(mode.named, 0);
    }
}
END_TEST

START_TEST(every_field_is_set_and_named)
{
    const fsc_mode mode = parse("f16,boundary=round,order=lanes:64,contract=off,params=storage,"
                                "gelu=tanh,variance=welford");
    ck_assert_int_eq(mode.storage, FSC_F16);
    ck_assert_int_eq(mode.params, FSC_F16);
    ck_assert_int_eq(mode.boundary, FSC__BOUNDARY_ROUND);
    ck_assert_int_eq(mode.order.kind, FSC__ORDER_LANES);
    ck_assert_int_eq(mode.order.n, 64);
    ck_assert_int_eq(mode.contract, FSC__CONTRACT_OFF);
    ck_assert_int_eq(mode.gelu, FSC__GELU_TANH);
    ck_assert_int_eq(mode.variance, FSC__VARIANCE_WELFORD);
    ck_assert_uint_eq(mode.named, FSC__MODE_PARAMS | FSC__MODE_BOUNDARY | FSC__MODE_ORDER |
                                      FSC__MODE_CONTRACT | FSC__MODE_GELU | FSC__MODE_VARIANCE);
    ck_assert_int_eq(parse("f32,params=storage,storage=bf16").params, FSC_BF16);
    ck_assert_int_eq(parse("f32,params=storage").params, FSC_F32);
    ck_assert_int_eq(parse("bf16,gelu=erf").gelu, FSC__GELU_ERF);
    ck_assert_int_eq(parse("f32,variance=one_pass").variance, FSC__VARIANCE_ONE_PASS);
    ck_assert_int_eq(parse("f32,order=sequential").order.kind, FSC__ORDER_SEQUENTIAL);
    ck_assert_int_eq(parse("f32,order=chunk:1048576").order.n, 1048576);
    ck_assert_uint_eq(parse("f32,storage=f16,arith=f32,accum=f32,math=portable,denorms=keep").named,
                      FSC__MODE_STORAGE | FSC__MODE_ARITH | FSC__MODE_ACCUM | FSC__MODE_MATH |
                          FSC__MODE_DENORMS);
}
END_TEST

START_TEST(canonical_text)
{
    static const struct {
        const char *text, *canonical;
    } rows[] = {
        {"f32", "f32"},
        {"f32,storage=f16", "f16"},
        {"bf16,boundary=keep,contract=sums", "bf16"},
        {"f32,params=storage", "f32"},
        {"f16,order=chunk:256,boundary=round", "f16,boundary=round,order=chunk:256"},
        {"f16,variance=two_pass,gelu=erf,contract=off,order=sequential,params=storage",
         "f16,params=storage,order=sequential,contract=off,gelu=erf,variance=two_pass"},
        {"bf16,params=storage,boundary=round,order=chunk:1048576,contract=off,gelu=tanh,"
         "variance=one_pass",
         "bf16,params=storage,boundary=round,order=chunk:1048576,contract=off,gelu=tanh,"
         "variance=one_pass"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        fsc_mode mode = parse(rows[i].text);
        fsc__mode_write(&mode, text, sizeof text);
        ck_assert_str_eq(text, rows[i].canonical);
        fsc_mode again = parse(text);
        again.named = mode.named;
        ck_assert_mem_eq(&again, &mode, sizeof mode);
    }
}
END_TEST

START_TEST(orders_are_written)
{
    char text[24];
    fsc__order_write((fsc__order){FSC__ORDER_DEFAULT, 0}, text, sizeof text);
    ck_assert_str_eq(text, "default");
    fsc__order_write((fsc__order){FSC__ORDER_SEQUENTIAL, 0}, text, sizeof text);
    ck_assert_str_eq(text, "sequential");
    fsc__order_write((fsc__order){FSC__ORDER_LANES, 256}, text, sizeof text);
    ck_assert_str_eq(text, "lanes:256");
    fsc__order_write((fsc__order){FSC__ORDER_CHUNK, 1048576}, text, sizeof text);
    ck_assert_str_eq(text, "chunk:1048576");
}
END_TEST

#define FIELD_NAMES \
    "fields: storage arith accum params boundary order contract math gelu variance denorms"

/* The whole message, so that the place, the guess and the list are all pinned. */
START_TEST(wrong_text_is_answered)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"f16,ordr=lanes:3", "\"ordr\" is not a field; did you mean order; " FIELD_NAMES},
        {"fp16", "\"fp16\" is not a preset; did you mean f16; presets: f32 f16 bf16; a mode is "
                 "PRESET[,FIELD=VALUE]..."},
        {"", "\"\" is not a preset; presets: f32 f16 bf16; a mode is PRESET[,FIELD=VALUE]..."},
        {"order=lanes:4", "\"order=lanes:4\" is not a preset; presets: f32 f16 bf16; a mode is "
                          "PRESET[,FIELD=VALUE]..."},
        {"f16,", "\"\" is not a field; " FIELD_NAMES},
        {"f16,=x", "\"\" is not a field; " FIELD_NAMES},
        {"f16,order", "order has no value; order: sequential lanes:N chunk:N"},
        {"f16,order=", "\"\" is not a value of order; order: sequential lanes:N chunk:N"},
        {"f16,order=lanes", "\"lanes\" is not a value of order; order: sequential lanes:N chunk:N"},
        {"f16,order=lanes:3", "order=lanes:3: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=lanes:", "order=lanes:: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=lanes:0", "order=lanes:0: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=lanes:2048", "order=lanes:2048: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=lanes:-4", "order=lanes:-4: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=lanes:99999999999999999999",
         "order=lanes:99999999999999999999: the N of lanes:N is a power of two, 1 to 1024"},
        {"f16,order=chunk:1048577", "order=chunk:1048577: the N of chunk:N is 1 to 1048576"},
        {"f16,order=chunk:4x", "order=chunk:4x: the N of chunk:N is 1 to 1048576"},
        {"f16,boundary=rond",
         "\"rond\" is not a value of boundary; did you mean round; boundary: keep round"},
        {"f32,storage=f16:2", "\"f16:2\" is not a value of storage; storage: f32 f16 bf16"},
        {"f32,gelu=tanh,gelu=erf", "gelu is given twice"},
        {"f32, gelu=tanh", "\" gelu\" is not a field; did you mean gelu; " FIELD_NAMES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[512];
        fsc_error why;
        fsc_mode mode, before;
        memset(&mode, 0x5a, sizeof mode);
        memcpy(&before, &mode, sizeof mode);
        ck_assert_int_eq(fsc__mode_parse(rows[i].text, &mode, &why), FSC_ERR_INPUT);
        snprintf(message, sizeof message, "mode \"%s\": %s", rows[i].text, rows[i].message);
        ck_assert_str_eq(why.text, message);
        ck_assert_mem_eq(&mode, &before, sizeof mode);
    }
    char endless[600];
    fsc_mode mode;
    memset(endless, 'f', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    ck_assert_int_eq(fsc__mode_parse(endless, &mode, NULL), FSC_ERR_INPUT);
}
END_TEST

START_TEST(values_of_later_versions_are_unsupported)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"f16_acc", "preset f16_acc is not in this version; presets: f32 f16 bf16"},
        {"f32_fast", "preset f32_fast is not in this version; presets: f32 f16 bf16"},
        {"f64", "preset f64 is not in this version; presets: f32 f16 bf16"},
        {"f32,storage=f64", "storage=f64 is not in this version; storage: f32 f16 bf16"},
        {"f32,storage=i8", "storage=i8 is not in this version; storage: f32 f16 bf16"},
        {"f16,arith=f16", "arith=f16 is not in this version; arith: f32"},
        {"f16,accum=f16", "accum=f16 is not in this version; accum: f32"},
        {"f16,order=kahan",
         "order=kahan is not in this version; order: sequential lanes:N chunk:N"},
        {"f16,order=blocked:4096",
         "order=blocked:4096 is not in this version; order: sequential lanes:N chunk:N"},
        {"f16,contract=ops", "contract=ops is not in this version; contract: sums off"},
        {"f16,math=native", "math=native is not in this version; math: portable"},
        {"f16,gelu=sigmoid", "gelu=sigmoid is not in this version; gelu: own erf tanh"},
        {"f16,denorms=flush", "denorms=flush is not in this version; denorms: keep"},
        {"f16,fold=f64", "fold is not in this version; " FIELD_NAMES},
        {"f16,flags=-cl-fast-relaxed-math", "flags is not in this version; " FIELD_NAMES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[512];
        fsc_error why;
        fsc_mode mode;
        ck_assert_int_eq(fsc__mode_parse(rows[i].text, &mode, &why), FSC_UNSUPPORTED);
        snprintf(message, sizeof message, "mode \"%s\": %s", rows[i].text, rows[i].message);
        ck_assert_str_eq(why.text, message);
    }
}
END_TEST

/* Each "field: a b c" line of the help parses, value by value. */
START_TEST(help_lists_what_parses)
{
    char help[1024];
    int lines = 0, values = 0;
    ck_assert(strlen(fsc__mode_help()) < sizeof help);
    strcpy(help, fsc__mode_help());
    char *line = help, *end;
    while ((end = strchr(line, '\n')) != NULL) {
        *end = '\0';
        char *value = strstr(line, ": ");
        ck_assert_ptr_nonnull(value);
        *value = '\0';
        value += 2;
        for (char *next; value; value = next, values++) {
            next = strchr(value, ' ');
            if (next)
                *next++ = '\0';
            char *number = strstr(value, ":N");
            if (number)
                number[1] = '8';
            char text[2 * sizeof help];
            snprintf(text, sizeof text, "f16,%s=%s", line, value);
            ck_assert_uint_eq(parse(text).named, 1u << lines);
        }
        line = end + 1;
        lines++;
    }
    ck_assert_str_eq(line, "");
    ck_assert_int_eq(lines, 11);
    ck_assert_int_eq(values, 23);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("mode");
    TCase *tc = tcase_create("mode");
    tcase_add_test(tc, presets_have_their_defaults);
    tcase_add_test(tc, every_field_is_set_and_named);
    tcase_add_test(tc, canonical_text);
    tcase_add_test(tc, orders_are_written);
    tcase_add_test(tc, wrong_text_is_answered);
    tcase_add_test(tc, values_of_later_versions_are_unsupported);
    tcase_add_test(tc, help_lists_what_parses);
    suite_add_tcase(suite, tc);
    return suite;
}
