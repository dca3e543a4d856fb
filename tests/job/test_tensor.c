// Host tensors: encodings by hand, round trips, rounding, agreement.
#include "cores/guest/include/launch.h"
#include "platform/run/tensor.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *format;
    double value;
    uint32_t bits;
} floats[] = {
    {"bf16", 1, 0x3f80},
    {"bf16", -2.5, 0xc020},
    {"bf16", 1 + 0x1p-8, 0x3f80}, // tie to even
    {"bf16", 1 + 3 * 0x1p-8, 0x3f82},
    {"bf16", 0x1p-130, 0}, // no denormals
    {"fp16", 1, 0x3c00},
    {"fp16", -0.5, 0xb800},
    {"fp16", 65504, 0x7bff},
    {"fp32", 1.5, 0x3fc00000},
    {"tf32", 1.5, 0x3fc00000},
    {"tf32", 1 + 0x1p-11, 0x3f800000},
};

START_TEST(encodings)
{
    struct ts_matrix matrix;
    uint8_t bytes[4096] = {0};
    int format = ts_datum_by_name(floats[_i].format);
    ck_assert(ts_matrix_init(&matrix, 32, 32));
    matrix.at[0] = floats[_i].value;
    ts_tile_encode(&matrix, 0, 0, (unsigned)format, bytes);
    uint32_t bits = 0;
    memcpy(&bits, bytes, ts_datum_tile_bytes((unsigned)format) / 1024);
    ck_assert_uint_eq(bits, floats[_i].bits);
    ts_matrix_free(&matrix);
}
END_TEST

// Exponents first, one for 16 datums; magnitudes relative to the largest, saturated, never a
// negative zero.
START_TEST(block_floats)
{
    struct ts_matrix matrix;
    uint8_t bytes[2048];
    ck_assert(ts_matrix_init(&matrix, 32, 32));
    matrix.at[0] = 1.5;
    matrix.at[1] = -0.25;
    matrix.at[2] = -0x1p-20;
    ts_tile_encode(&matrix, 0, 0, TS_DF_BFP8, bytes);
    ck_assert_uint_eq(bytes[0], 127);
    ck_assert_uint_eq(bytes[64], 96);
    ck_assert_uint_eq(bytes[65], 0x80 | 16);
    ck_assert_uint_eq(bytes[66], 0);
    ck_assert_double_eq(matrix.at[2], 0);
    matrix.at[0] = 1.999;
    ts_tile_encode(&matrix, 0, 0, TS_DF_BFP4, bytes);
    ck_assert_uint_eq(bytes[0], 127);
    ck_assert_uint_eq(bytes[64] & 15, 7); // saturates instead of a larger exponent
    ck_assert_double_eq(matrix.at[0], 1.75);
    ck_assert_uint_eq(bytes[64] >> 4, 0x8 | 1);
    ts_matrix_free(&matrix);
}
END_TEST

// What a format holds comes back as it was, in every format that kernels take.
START_TEST(round_trips)
{
    for (unsigned format = 0; format < 16; format++) {
        if (!ts_datum_usable(format))
            continue;
        struct ts_matrix a, b;
        uint8_t bytes[4096];
        ck_assert(ts_matrix_init(&a, 64, 32) && ts_matrix_init(&b, 64, 32));
        ts_matrix_random(&a, 7);
        for (uint32_t row = 0; row < 2; row++) {
            ts_tile_encode(&a, row, 0, format, bytes);
            ts_tile_decode(&b, row, 0, format, bytes);
        }
        ck_assert_int_eq(memcmp(a.at, b.at, 64 * 32 * sizeof(double)), 0);
        struct ts_agreement same = ts_matrix_compare(&a, &b, format);
        ck_assert_double_eq(same.rel_l2, 0);
        ck_assert_double_eq_tol(same.pcc, 1, 1e-12);
        ts_matrix_free(&a);
        ts_matrix_free(&b);
    }
}
END_TEST

START_TEST(agreement)
{
    struct ts_matrix want, got;
    ck_assert(ts_matrix_init(&want, 32, 32) && ts_matrix_init(&got, 32, 32));
    for (int i = 0; i < 1024; i++)
        got.at[i] = want.at[i] = 1;
    got.at[5] = 1 + 0x1p-7; // one last place of bf16
    struct ts_agreement a = ts_matrix_compare(&got, &want, TS_DF_BF16);
    ck_assert_uint_eq(a.differ, 1);
    ck_assert_double_eq(a.max_ulp, 1);
    ck_assert_double_eq_tol(a.rel_l2, 0x1p-7 / 32, 1e-12);
    ts_matrix_free(&want);
    ts_matrix_free(&got);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, encodings, 0, (int)(sizeof floats / sizeof *floats));
    tcase_add_test(tests, block_floats);
    tcase_add_test(tests, round_trips);
    tcase_add_test(tests, agreement);
}

SUITE("tensor", add_tests)
