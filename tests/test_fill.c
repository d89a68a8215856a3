/* Input families: pinned values, distributions and exact ranges. Check writes a file at each
   assertion, so loops count what is wrong and assert once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "numeric/fill.h"

const int fsc__test_forks = 1;

enum { SAMPLES = 1 << 20 };

static fsc__fill_request data_request(fsc__family family, fsc_dtype type, int64_t elems)
{
    return (fsc__fill_request){.input = {.family = family},
                               .seed = 42,
                               .name = "x",
                               .role = FSC__ROLE_DATA,
                               .type = type,
                               .storage = type,
                               .fan_in = 64,
                               .elems = elems};
}

static double *filled(const fsc__fill_request *request)
{
    double *values = malloc((size_t)request->elems * sizeof *values);
    fsc__fill_request wide = *request;
    wide.type = FSC_F64;
    fsc__fill(&wide, values);
    return values;
}

/* A change of these is a change of every published result. The normal ones were made by another
   program (Philox4x32-10 and a quantile function in Python). */
START_TEST(values_never_change)
{
    static const uint32_t known[FSC__FAMILY_COUNT][6] = {
        [FSC__NORMAL] = {0xbf4cea4d, 0x3f736bd3, 0x3df4bcb1, 0xbf0e2ab1, 0x3f2ebd48, 0xbf6180f1},
        [FSC__UNIFORM] = {0xbf1398c7, 0x3f288817, 0x3dc2cee4, 0xbed7b980, 0x3f014fdf, 0xbf1f2216},
        [FSC__ZEROS] = {0, 0, 0, 0, 0, 0},
        [FSC__ONES] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000},
        [FSC__INTEGERS] = {0xc0a00000, 0x40c00000, 0x3f800000, 0xc0800000, 0x40800000, 0xc0a00000},
        [FSC__RAMP] = {0, 0x3a83126f, 0x3b03126f, 0x3b449ba6, 0x3b83126f, 0x3ba3d70a},
        [FSC__SMALL] = {0x80667527, 0x0079b5e9, 0x000f4bcb, 0x80471558, 0x00575ea4, 0x8070c079},
        [FSC__LARGE] = {0xfe4cea4d, 0x7e736bd2, 0x7cf4bcb0, 0xfe0e2ab0, 0x7e2ebd47, 0xfe6180f0},
        [FSC__POSITIVE] = {0x3f4cea4d, 0x3f736bd3, 0x3df4bcb1, 0x3f0e2ab1, 0x3f2ebd48, 0x3f6180f1},
        [FSC__NEGATIVE] = {0xbf4cea4d, 0xbf736bd3, 0xbdf4bcb1, 0xbf0e2ab1, 0xbf2ebd48, 0xbf6180f1},
        [FSC__SPECIAL] = {0xbf4cea4d, 0x3f736bd3, 0x3df4bcb1, 0xbf0e2ab1, 0x3f2ebd48, 0xbf6180f1},
    };
    for (int f = 0; f < FSC__FAMILY_COUNT; f++) {
        const fsc__fill_request request = data_request((fsc__family)f, FSC_F32, 1000);
        float values[6];
        fsc__fill_range(&request, 0, 6, values);
        for (int i = 0; i < 6; i++)
            ck_assert_msg(fsc__f32_bits(values[i]) == known[f][i], "%s[%d] is %08x",
                          fsc__family_name((fsc__family)f), i, fsc__f32_bits(values[i]));
    }
}
END_TEST

START_TEST(special_codes_never_change)
{
    static const uint16_t known[48] = {
        0x3d32, 0xfbff, 0xb5bd, 0x40da, 0x3e37, 0x3b47, 0xb582, 0xb8cf, 0x3abf, 0x392c,
        0x3a2c, 0x03ff, 0xba39, 0x2dbd, 0x0000, 0xb816, 0xb6cb, 0xa98a, 0xba2f, 0x0000,
        0xb6b3, 0x39ac, 0xb409, 0xb8f8, 0x3dc0, 0x3e0f, 0x3da2, 0x26ac, 0x32cd, 0xb857,
        0xaa31, 0xbe43, 0xb268, 0xb233, 0x31e5, 0x2412, 0x3c7a, 0xb4c8, 0x3e89, 0xba5f,
        0x7c00, 0x83ff, 0x3bd8, 0xb3b4, 0x39b9, 0x3294, 0xb983, 0xbe3c};
    fsc__fill_request request = data_request(FSC__SPECIAL, FSC_F16, 48);
    request.fan_in = 1;
    request.seed = 0x123456789abcdef0;
    uint16_t codes[48];
    fsc__fill(&request, codes);
    for (int i = 0; i < 48; i++)
        ck_assert_msg(codes[i] == known[i], "[%d] is %04x", i, codes[i]);
}
END_TEST

START_TEST(an_element_depends_on_seed_name_and_index_alone)
{
    enum { ELEMS = 100000, BEGIN = 33333, END = 33833 };
    fsc__fill_request request = data_request(FSC__SPECIAL, FSC_F32, ELEMS);
    float *whole = malloc(ELEMS * sizeof *whole);
    float part[END - BEGIN];
    fsc__fill(&request, whole);
    fsc__fill_range(&request, BEGIN, END, part);
    ck_assert_mem_eq(part, whole + BEGIN, sizeof part);

    request.name = "x2";
    fsc__fill_range(&request, BEGIN, END, part);
    ck_assert_mem_ne(part, whole + BEGIN, sizeof part);
    request.name = "x";
    request.seed = 43;
    fsc__fill_range(&request, BEGIN, END, part);
    ck_assert_mem_ne(part, whole + BEGIN, sizeof part);
    request.seed = 42 + ((uint64_t)1 << 32);
    fsc__fill_range(&request, BEGIN, END, part);
    ck_assert_mem_ne(part, whole + BEGIN, sizeof part);
    free(whole);
}
END_TEST

/* Indices beyond 2^32 have values of their own. */
START_TEST(far_elements_differ_from_near_ones)
{
    const fsc__fill_request request = data_request(FSC__NORMAL, FSC_F32, (int64_t)1 << 40);
    float near[4], far[4];
    fsc__fill_range(&request, 0, 4, near);
    fsc__fill_range(&request, (int64_t)1 << 32, ((int64_t)1 << 32) + 4, far);
    for (int i = 0; i < 4; i++)
        ck_assert(near[i] != far[i]);
}
END_TEST

START_TEST(normals_are_normal)
{
    const fsc__fill_request request = data_request(FSC__NORMAL, FSC_F32, SAMPLES);
    double *x = filled(&request);
    static const double tails[] = {0.158655253931, 0.022750131948, 0.001349898032, 3.1671242e-5};
    double sum = 0, square = 0, cube = 0, fourth = 0, lag = 0;
    int below[4] = {0}, above[4] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        sum += x[i];
        square += x[i] * x[i];
        cube += x[i] * x[i] * x[i];
        fourth += x[i] * x[i] * x[i] * x[i];
        lag += i > 0 ? x[i] * x[i - 1] : 0.0;
        for (int s = 0; s < 4; s++) {
            below[s] += x[i] < -(s + 1);
            above[s] += x[i] > s + 1;
        }
    }
    /* Five standard deviations of each statistic: 1, 2, 15, 96 and 1 over sqrt(n). */
    const double unit = 5 / sqrt(SAMPLES);
    ck_assert_double_le(fabs(sum / SAMPLES), unit);
    ck_assert_double_le(fabs(square / SAMPLES - 1), unit * sqrt(2.0));
    ck_assert_double_le(fabs(cube / SAMPLES), unit * sqrt(15.0));
    ck_assert_double_le(fabs(fourth / SAMPLES - 3), unit * sqrt(96.0));
    ck_assert_double_le(fabs(lag / SAMPLES), unit);
    for (int s = 0; s < 4; s++) {
        const double expected = tails[s] * SAMPLES, slack = 5 * sqrt(expected);
        ck_assert_double_le(fabs(below[s] - expected), slack);
        ck_assert_double_le(fabs(above[s] - expected), slack);
    }
    free(x);
}
END_TEST

/* Sixteen equal cells, five standard deviations. */
START_TEST(uniforms_are_uniform)
{
    fsc__fill_request request = data_request(FSC__UNIFORM, FSC_F32, SAMPLES);
    request.input = (fsc__input){FSC__UNIFORM, true, true, -2.0, 2.0};
    double *x = filled(&request);
    int cells[16] = {0}, outside = 0;
    for (int i = 0; i < SAMPLES; i++) {
        if (x[i] > -2.0 && x[i] < 2.0)
            cells[(int)((x[i] + 2.0) * 4.0)]++;
        else
            outside++;
    }
    ck_assert_int_eq(outside, 0);
    for (int c = 0; c < 16; c++)
        ck_assert_int_le(abs(cells[c] - SAMPLES / 16), 5 * 256);
    free(x);
}
END_TEST

static void mean_and_deviation(const double *x, int64_t elems, double *mean, double *deviation)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < elems; i++) {
        sum += x[i];
        square += x[i] * x[i];
    }
    *mean = sum / (double)elems;
    *deviation = sqrt(square / (double)elems - *mean * *mean);
}

START_TEST(roles_have_their_distributions)
{
    static const struct {
        fsc__role role;
        double mean, deviation;
    } rows[] = {
        {FSC__ROLE_WEIGHT, 0.0, 0.125}, /* normal/sqrt(64) */
        {FSC__ROLE_BIAS, 0.0, 1.0},         {FSC__ROLE_BETA, 0.0, 1.0},
        {FSC__ROLE_SCALE, 1.25, 0.4330127}, {FSC__ROLE_GAMMA, 1.25, 0.4330127},
    };
    static const fsc__family others[] = {FSC__NORMAL, FSC__ZEROS, FSC__SPECIAL, FSC__LARGE};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t f = 0; f < sizeof others / sizeof others[0]; f++) {
            fsc__fill_request request = data_request(others[f], FSC_F32, 100000);
            double mean, deviation;
            request.role = rows[i].role;
            double *x = filled(&request);
            mean_and_deviation(x, request.elems, &mean, &deviation);
            ck_assert_double_eq_tol(mean, rows[i].mean, 0.02);
            ck_assert_double_eq_tol(deviation, rows[i].deviation, 0.01 * rows[i].deviation);
            free(x);
        }
}
END_TEST

START_TEST(numbers_of_families_are_used)
{
    fsc__fill_request request = data_request(FSC__NORMAL, FSC_F32, 100000);
    double mean, deviation;
    request.input = (fsc__input){FSC__NORMAL, true, true, 3.0, 0.5};
    double *x = filled(&request);
    mean_and_deviation(x, request.elems, &mean, &deviation);
    ck_assert_double_eq_tol(mean, 3.0, 0.01);
    ck_assert_double_eq_tol(deviation, 0.5, 0.01);
    free(x);

    request.input = (fsc__input){FSC__RAMP, true, true, 1000.0, 1e-3};
    x = filled(&request);
    ck_assert(x[0] == 1000.0);
    ck_assert_double_eq_tol(x[15], 1000.015, 1e-12);
    free(x);

    request.input = (fsc__input){FSC__INTEGERS, true, true, -1.0, 2.0};
    for (int role = FSC__ROLE_DATA; role < FSC__ROLE_COUNT; role++) {
        int counts[4] = {0}, wrong = 0;
        request.role = (fsc__role)role;
        x = filled(&request);
        for (int64_t i = 0; i < request.elems; i++) {
            if (x[i] == rint(x[i]) && x[i] >= -1.0 && x[i] <= 2.0)
                counts[(int)x[i] + 1]++;
            else
                wrong++;
        }
        ck_assert_int_eq(wrong, 0);
        for (int c = 0; c < 4; c++)
            ck_assert_int_le(abs(counts[c] - 25000), 700);
        free(x);
    }
}
END_TEST

/* K24: the magnitudes of n products, a scale of 2 and a bias of 8 stay within the whole numbers
   that the storage type holds, whatever the signs, and most sums are not trivially 0. */
START_TEST(k24_integers_stay_in_the_exact_range)
{
    static const fsc_dtype types[] = {FSC_F32, FSC_F16, FSC_BF16};
    static const double limits[] = {0x1p24, 0x1p11, 0x1p8};
    static const int64_t fan_ins[] = {1, 2, 7, 63, 64, 65, 512, 4096, 65537};
    for (size_t t = 0; t < 3; t++)
        for (size_t n = 0; n < sizeof fan_ins / sizeof fan_ins[0]; n++) {
            const int64_t fan_in = fan_ins[n], sums = 16;
            fsc__fill_request request = data_request(FSC__INTEGERS, types[t], fan_in * sums);
            request.fan_in = fan_in;
            double *a = filled(&request);
            request.name = "w";
            request.role = FSC__ROLE_WEIGHT;
            double *b = filled(&request);
            int zeros = 0, wrong = 0;
            for (int64_t s = 0; s < sums; s++) {
                double magnitude = 0, sum = 0;
                for (int64_t k = s * fan_in; k < (s + 1) * fan_in; k++) {
                    wrong += a[k] != rint(a[k]) || fabs(a[k]) > 8.0;
                    magnitude += fabs(a[k] * b[k]);
                    sum += a[k] * b[k];
                }
                ck_assert_double_le(2 * magnitude + 8, limits[t]);
                zeros += sum == 0.0;
            }
            ck_assert_int_eq(wrong, 0);
            ck_assert_int_le(zeros, 8);
            free(a);
            free(b);
        }
}
END_TEST

START_TEST(small_values_straddle_the_smallest_normal)
{
    static const fsc_dtype types[] = {FSC_F32, FSC_F16, FSC_BF16};
    for (size_t t = 0; t < 3; t++) {
        const fsc__fill_request request = data_request(FSC__SMALL, types[t], 10000);
        const double smallest = ldexp(1.0, fsc__dtype_lowest_exponent(types[t]));
        double *x = filled(&request);
        int subnormal = 0;
        for (int i = 0; i < 10000; i++)
            subnormal += fabs(x[i]) < smallest;
        ck_assert_int_le(abs(subnormal - 6827), 300);
        free(x);
    }
}
END_TEST

/* Blocks near the largest value and blocks near its root; inputs themselves are finite. */
START_TEST(large_values_make_some_sums_overflow)
{
    enum { FAN_IN = 256, BLOCKS = 64, ROWS = BLOCKS * 4096 / FAN_IN };
    fsc__fill_request request = data_request(FSC__LARGE, FSC_F16, ROWS * FAN_IN);
    request.fan_in = FAN_IN;
    uint16_t *codes = malloc((size_t)request.elems * sizeof *codes);
    fsc__fill(&request, codes);
    int near_largest = 0, square_overflows = 0, non_finite = 0;
    double most = 0;
    for (int r = 0; r < ROWS; r++) {
        double square = 0, largest = 0;
        for (int k = 0; k < FAN_IN; k++) {
            const double x = (double)fsc__f32_from_f16(codes[r * FAN_IN + k]);
            non_finite += !isfinite(x);
            largest = fabs(x) > largest ? fabs(x) : largest;
            square += x * x;
        }
        near_largest += largest > 10000.0;
        square_overflows += square > 65504.0;
        most = largest > most ? largest : most;
    }
    ck_assert_int_eq(non_finite, 0);
    ck_assert_int_ge(near_largest, ROWS / 4);
    ck_assert_int_le(near_largest, 3 * ROWS / 4);
    ck_assert_int_ge(square_overflows - near_largest, (ROWS - near_largest) / 4);
    ck_assert_int_le(square_overflows - near_largest, 3 * (ROWS - near_largest) / 4);
    ck_assert(most == 65504.0);
    free(codes);
}
END_TEST

START_TEST(special_holds_every_kind)
{
    static const fsc_dtype types[] = {FSC_F32, FSC_F16, FSC_BF16};
    for (size_t t = 0; t < 3; t++) {
        enum { ELEMS = 1 << 16 };
        const fsc_dtype type = types[t];
        const int top = 8 * (int)fsc__dtype_bytes(type) - 1;
        const uint32_t normal = 1u << fsc__dtype_fraction_bits(type);
        const uint32_t infinity = (1u << top) - normal;
        fsc__fill_request request = data_request(FSC__SPECIAL, type, ELEMS);
        request.fan_in = 64;
        void *data = malloc(ELEMS * sizeof(float));
        fsc__fill(&request, data);
        /* zero, smallest, subnormal, largest subnormal, smallest normal, largest, inf, NaN */
        int kinds[8][2] = {{0}};
        for (int i = 0; i < ELEMS; i++) {
            const uint32_t code = type == FSC_F32 ? fsc__f32_bits(((float *)data)[i])
                                                  : (uint32_t)((uint16_t *)data)[i];
            const uint32_t magnitude = code & ((1u << top) - 1);
            const int sign = code >> top & 1;
            kinds[0][sign] += magnitude == 0;
            kinds[1][sign] += magnitude == 1;
            kinds[2][sign] += magnitude > 1 && magnitude < normal - 1;
            kinds[3][sign] += magnitude == normal - 1;
            kinds[4][sign] += magnitude == normal;
            kinds[5][sign] += magnitude == infinity - 1;
            kinds[6][sign] += magnitude == infinity;
            kinds[7][sign] += magnitude > infinity;
        }
        for (int k = 0; k < 8; k++)
            for (int sign = 0; sign < 2; sign++) {
                /* rare ones: 65536/128/6 = 85; tiny ones: 65536/8/10 = 819 */
                ck_assert_int_ge(kinds[k][sign], k < 5 ? 600 : 50);
                ck_assert_int_le(kinds[k][sign], k < 5 ? 1100 : 130);
            }
        free(data);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("fill");
    TCase *tc = tcase_create("fill");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, values_never_change);
    tcase_add_test(tc, special_codes_never_change);
    tcase_add_test(tc, an_element_depends_on_seed_name_and_index_alone);
    tcase_add_test(tc, far_elements_differ_from_near_ones);
    tcase_add_test(tc, normals_are_normal);
    tcase_add_test(tc, uniforms_are_uniform);
    tcase_add_test(tc, roles_have_their_distributions);
    tcase_add_test(tc, numbers_of_families_are_used);
    tcase_add_test(tc, k24_integers_stay_in_the_exact_range);
    tcase_add_test(tc, small_values_straddle_the_smallest_normal);
    tcase_add_test(tc, large_values_make_some_sums_overflow);
    tcase_add_test(tc, special_holds_every_kind);
    suite_add_tcase(suite, tc);
    return suite;
}
