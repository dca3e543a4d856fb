// Host tensors: encodings by hand, round trips, rounding, agreement.
#include "cores/guest/include/launch.h"
#include "platform/account/tensor.h"
#include "tests/random.h"
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

static bool matrix_init(struct ts_matrix *self, uint32_t rows, uint32_t columns)
{
    *self = (struct ts_matrix){
        .rows = rows, .columns = columns, .at = calloc((size_t)rows * columns, sizeof(double))};
    return self->at != NULL;
}

START_TEST(encodings)
{
    struct ts_matrix matrix;
    uint8_t bytes[4096] = {0};
    int format = ts_datum_by_name(floats[_i].format);
    ck_assert(matrix_init(&matrix, 32, 32));
    matrix.at[0] = floats[_i].value;
    ts_tile_encode(&matrix, 0, 0, (unsigned)format, bytes);
    uint32_t bits = 0;
    memcpy(&bits, bytes, ts_datum_tile_bytes((unsigned)format) / 1024);
    ck_assert_uint_eq(bits, floats[_i].bits);
    free(matrix.at);
}
END_TEST

// Exponents first, one for 16 datums; magnitudes relative to the largest, saturated, never a
// negative zero.
START_TEST(block_floats)
{
    struct ts_matrix matrix;
    uint8_t bytes[2048];
    ck_assert(matrix_init(&matrix, 32, 32));
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
    free(matrix.at);
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
        ck_assert(matrix_init(&a, 64, 32) && matrix_init(&b, 64, 32));
        ts_matrix_random(&a, 7);
        for (uint32_t row = 0; row < 2; row++) {
            ts_tile_encode(&a, row, 0, format, bytes);
            ts_tile_decode(&b, row, 0, format, bytes);
        }
        ck_assert_int_eq(memcmp(a.at, b.at, 64 * 32 * sizeof(double)), 0);
        struct ts_agreement same = ts_matrix_compare(&a, &b, format);
        ck_assert_double_eq(same.rel_l2, 0);
        ck_assert_double_eq_tol(same.pcc, 1, 1e-12);
        free(a.at);
        free(b.at);
    }
}
END_TEST

// Formats with mantissa bits, bias, largest exponent; blocks share an exponent.
static const struct wide {
    unsigned format;
    int mantissa, bias, max;
    bool block;
} formats[] = {
    {TS_DF_FP32, 23, 127, 254, false}, {TS_DF_TF32, 10, 127, 254, false},
    {TS_DF_FP16, 10, 15, 31, false},   {TS_DF_BF16, 7, 127, 254, false},
    {TS_DF_FP8, 2, 15, 31, false},     {TS_DF_INT8, 7, 0, 0, false},
    {TS_DF_INT32, 31, 0, 0, false},    {TS_DF_BFP8, 7, 127, 254, true},
    {TS_DF_BFP4, 3, 127, 254, true},   {TS_DF_BFP2, 1, 127, 254, true},
    {TS_DF_BFP8A, 7, 15, 31, true},
};

// Rounding by libm, to compare.
static double by_libm(const struct wide *f, double value)
{
    int e;
    if (value == 0)
        return 0;
    frexp(value, &e);
    e--;
    if (f->block) {
        int last = e - (f->mantissa - 1);
        double most = ldexp(1, f->mantissa) - 1, got = nearbyint(ldexp(fabs(value), -last));
        got = got > most ? most : got;
        return copysign(ldexp(got, last), got == 0 ? 1 : value);
    }
    if (f->bias == 0) {
        double most = ldexp(1, f->mantissa) - 1, got = nearbyint(value);
        return fabs(got) > most ? copysign(most, value) : got;
    }
    if (e < 1 - f->bias)
        return 0;
    double got = ldexp(nearbyint(ldexp(value, f->mantissa - e)), e - f->mantissa);
    double most = ldexp(2 - ldexp(1, -f->mantissa), f->max - f->bias);
    return fabs(got) > most ? copysign(most, value) : got;
}

static void same_as_libm(const struct wide *f, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    double want = by_libm(f, value), got = ts_datum_round(f->format, value);
    ck_assert_msg(memcmp(&want, &got, sizeof want) == 0 || (isnan(want) && isnan(got)),
                  "format %u: %a gives %a, not %a", f->format, value, got, want);
}

// The host's arithmetic on exponents gives the bits of libm: for any double, for doubles near one,
// where powers of two begin and end, for ties.
START_TEST(as_libm)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     UINT64_C(0x000fffffffffffff),
                                     UINT64_C(0x0010000000000000),
                                     UINT64_C(0x0010000000000001),
                                     UINT64_C(0x7fefffffffffffff),
                                     UINT64_C(0x7ff0000000000000),
                                     UINT64_C(0x7ff8000000000000)};
    const struct wide *f = &formats[_i];
    uint64_t state = 1;
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++)
        for (unsigned sign = 0; sign < 2; sign++)
            same_as_libm(f, edges[i] | (uint64_t)sign << 63);
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t any = random64(&state);
        same_as_libm(f, any);
        // Exponents from -40 to 39, then with a short mantissa: ties.
        uint64_t near = (any & UINT64_C(0x800fffffffffffff)) | (983 + any % 80) << 52;
        same_as_libm(f, near);
        same_as_libm(f, near & ~UINT64_C(0) << (40 + any % 12));
    }
    for (uint64_t e = 0; e < 0x7ff; e++)
        for (int64_t off = -1; off <= 1; off++)
            same_as_libm(f, (e << 52) + (uint64_t)off);
}
END_TEST

START_TEST(agreement)
{
    struct ts_matrix want, got;
    ck_assert(matrix_init(&want, 32, 32) && matrix_init(&got, 32, 32));
    for (int i = 0; i < 1024; i++)
        got.at[i] = want.at[i] = 1;
    got.at[5] = 1 + 0x1p-7; // one last place of bf16
    struct ts_agreement a = ts_matrix_compare(&got, &want, TS_DF_BF16);
    ck_assert_uint_eq(a.differ, 1);
    ck_assert_double_eq(a.max_ulp, 1);
    ck_assert_double_eq_tol(a.rel_l2, 0x1p-7 / 32, 1e-12);
    free(want.at);
    free(got.at);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, encodings, 0, (int)(sizeof floats / sizeof *floats));
    tcase_add_test(tests, block_floats);
    tcase_add_test(tests, round_trips);
    tcase_add_loop_test(tests, as_libm, 0, (int)(sizeof formats / sizeof *formats));
    tcase_add_test(tests, agreement);
}

SUITE("tensor", add_tests)
