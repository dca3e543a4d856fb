// Number formats, exponential, matmul and vector operations of the TPUSH/TPOP machine.
#include "cores/pto/tile.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

// The value of an fp16, from its definition.
static double fp16_value(unsigned bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

START_TEST(test_fp16)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        float value = ts_fp16_to_float((uint16_t)bits);
        if ((bits & 0x7c00) == 0x7c00) {
            ck_assert_int_eq(bits & 0x3ff ? isnan(value) != 0 : isinf(value) != 0, 1);
            continue;
        }
        ck_assert((double)value == fp16_value(bits));
        ck_assert_uint_eq(ts_float_to_fp16(value), bits);
        // Halfway to the next one rounds to the even one; a little more rounds up.
        if ((bits & 0x7fff) < 0x7bff) {
            double next = fp16_value(bits + 1), middle = ((double)value + next) / 2;
            ck_assert_uint_eq(ts_float_to_fp16((float)middle), bits & 1 ? bits + 1 : bits);
            float more = nextafterf((float)middle, (float)next),
                  less = nextafterf((float)middle, value);
            ck_assert_uint_eq(ts_float_to_fp16(more), bits + 1);
            ck_assert_uint_eq(ts_float_to_fp16(less), bits);
        }
    }
    ck_assert_uint_eq(ts_float_to_fp16(65519.0f), 0x7bff);
    ck_assert_uint_eq(ts_float_to_fp16(65520.0f), 0x7c00);
    ck_assert_uint_eq(ts_float_to_fp16(-1e30f), 0xfc00);
    ck_assert_uint_eq(ts_float_to_fp16(0x1p-26f), 0);
}
END_TEST

START_TEST(test_bf16)
{
    ck_assert_uint_eq(ts_float_to_bf16(1.0f), 0x3f80);
    ck_assert_uint_eq(ts_float_to_bf16(ts_bits_float(0x3f808000)), 0x3f80); // tie to even
    ck_assert_uint_eq(ts_float_to_bf16(ts_bits_float(0x3f818000)), 0x3f82);
    ck_assert_uint_eq(ts_float_to_bf16(ts_bits_float(0x3f808001)), 0x3f81);
    ck_assert_uint_eq(ts_float_to_bf16(ts_bits_float(0x7f7fffff)), 0x7f80);
    ck_assert(isnan(ts_bf16_to_float(ts_float_to_bf16(ts_bits_float(0x7f800001)))));
}
END_TEST

START_TEST(test_integers)
{
    static const struct {
        double value;
        int8_t int8;
    } rows[] = {{0.5, 0},     {1.5, 2},     {2.5, 2},   {-0.5, 0},   {-1.5, -2},
                {127.4, 127}, {127.6, 127}, {300, 127}, {-300, -128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t byte;
        ts_store_double(&byte, TS_DTYPE_INT8, rows[i].value);
        ck_assert_int_eq((int8_t)byte, rows[i].int8);
    }
    uint8_t word[4];
    ts_store_double(word, TS_DTYPE_INT32, 1e12);
    ck_assert(ts_load_double(word, TS_DTYPE_INT32) == 2147483647.0);
    ts_store_double(word, TS_DTYPE_INT16, NAN);
    ck_assert(ts_load_double(word, TS_DTYPE_INT16) == 0);
}
END_TEST

START_TEST(test_exp)
{
    for (float x = -104; x < 89; x += 0.00731f)
        ck_assert_msg(ts_exp(x) == (float)exp((double)x), "%g: %.9g, not %.9g", (double)x,
                      (double)ts_exp(x), (double)(float)exp((double)x));
    ck_assert(ts_exp(0) == 1 && ts_exp(-200) == 0 && isinf(ts_exp(100)) && isnan(ts_exp(NAN)));
}
END_TEST

// Integer matmul is exact; fp16 products are exact and summed in ascending K.
START_TEST(test_matmul)
{
    enum { M = 5, K = 33, N = 17 };
    static int8_t left[M * K], right[K * N];
    static int32_t acc[M * N];
    static uint8_t scratch[4 * (M * K + K * N)];
    for (int i = 0; i < M * K; i++)
        left[i] = (int8_t)(i * 37 % 251 - 125);
    for (int i = 0; i < K * N; i++)
        right[i] = (int8_t)(i * 91 % 253 - 126);
    struct ts_slab to = {(uint8_t *)acc, TS_DTYPE_INT32, M, N, N, 0},
                   a = {(uint8_t *)left, TS_DTYPE_INT8, M, K, K, 0},
                   b = {(uint8_t *)right, TS_DTYPE_INT8, K, N, N, 0};
    for (int round = 1; round <= 2; round++) {
        ts_tile_matmul(&to, &a, &b, NULL, round > 1, scratch);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int32_t sum = 0;
                for (int k = 0; k < K; k++)
                    sum += left[i * K + k] * right[k * N + j];
                ck_assert_int_eq(acc[i * N + j], round * sum);
            }
    }
    static uint16_t half_left[M * K], half_right[K * N];
    static float out[M * N];
    for (int i = 0; i < M * K; i++)
        half_left[i] = ts_float_to_fp16((float)sin(i));
    for (int i = 0; i < K * N; i++)
        half_right[i] = ts_float_to_fp16((float)cos(i));
    to = (struct ts_slab){(uint8_t *)out, TS_DTYPE_FP32, M, N, N, 0};
    a = (struct ts_slab){(uint8_t *)half_left, TS_DTYPE_FP16, M, K, K, 0};
    b = (struct ts_slab){(uint8_t *)half_right, TS_DTYPE_FP16, K, N, N, 0};
    ts_tile_matmul(&to, &a, &b, NULL, false, scratch);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += ts_fp16_to_float(half_left[i * K + k]) *
                       ts_fp16_to_float(half_right[k * N + j]);
            ck_assert(out[i * N + j] == sum);
        }
}
END_TEST

// fp16 arithmetic through fp32 is rounded once: against the definition, in double, for all pairs of
// a coarse grid.
START_TEST(test_fp16_arithmetic)
{
    static const enum ts_op ops[] = {TS_OP_TADD, TS_OP_TSUB, TS_OP_TMUL, TS_OP_TDIV};
    for (unsigned x = 1; x < 0x7c00; x += 97)
        for (unsigned y = 1; y < 0x7c00; y += 89)
            for (int i = 0; i < 4; i++) {
                uint16_t a = (uint16_t)x, b = (uint16_t)(y | 0x8000), c;
                struct ts_slab to = {(uint8_t *)&c, TS_DTYPE_FP16, 1, 1, 1, 0},
                               sa = {(uint8_t *)&a, TS_DTYPE_FP16, 1, 1, 1, 0},
                               sb = {(uint8_t *)&b, TS_DTYPE_FP16, 1, 1, 1, 0};
                ts_tile_vector(ops[i], &to, &sa, &sb, NULL, 0);
                double p = fp16_value(a), q = fp16_value(b);
                double exact = i == 0 ? p + q : i == 1 ? p - q : i == 2 ? p * q : p / q;
                // The nearest fp16: neither neighbour is nearer.
                if (fabs(exact) > 65504)
                    continue;
                double got = fp16_value(c), error = fabs(got - exact);
                bool low = (c & 0x7fff) > 0 && error > fabs(fp16_value(c - 1u) - exact);
                bool high = (c & 0x7fff) < 0x7bff && error > fabs(fp16_value(c + 1u) - exact);
                if (low || high)
                    ck_abort_msg("%04x %s %04x gives %04x", a, ts_ops[ops[i]].name, b, c);
            }
}
END_TEST

// The first column of a mask is the lowest bit of a byte; what is set takes the first source.
START_TEST(test_select)
{
    enum { COLS = 20 };
    uint16_t a[COLS], b[COLS], out[COLS];
    uint8_t bits[] = {0x35, 0x80, 0x0a};
    for (int i = 0; i < COLS; i++) {
        a[i] = (uint16_t)(100 + i);
        b[i] = (uint16_t)(200 + i);
    }
    const struct ts_slab mask = {bits, TS_DTYPE_INT8, 1, 3, 3, 0};
    const struct ts_slab sa = {(uint8_t *)a, TS_DTYPE_INT16, 1, COLS, COLS, 0};
    const struct ts_slab sb = {(uint8_t *)b, TS_DTYPE_INT16, 1, COLS, COLS, 0};
    const struct ts_slab to = {(uint8_t *)out, TS_DTYPE_INT16, 1, COLS, COLS, 0};
    ts_tile_vector(TS_OP_TSEL, &to, &mask, &sa, &sb, 0);
    for (int i = 0; i < COLS; i++)
        ck_assert_int_eq(
            out[i],
            i == 0 || i == 2 || i == 4 || i == 5 || i == 15 || i == 17 || i == 19 ? a[i] : b[i]);
}
END_TEST

// Roots have one kind of NaN and keep the sign of 0.
START_TEST(test_roots)
{
    static const struct {
        enum ts_op op;
        uint32_t from, to;
    } cases[] = {
        {TS_OP_TSQRT, 0x40800000, 0x40000000},  {TS_OP_TSQRT, 0x40000000, 0x3fb504f3},
        {TS_OP_TSQRT, 0xbf800000, 0x7fc00000},  {TS_OP_TSQRT, 0x80000000, 0x80000000},
        {TS_OP_TRSQRT, 0x40800000, 0x3f000000}, {TS_OP_TRSQRT, 0x00000000, 0x7f800000},
        {TS_OP_TRECIP, 0x40400000, 0x3eaaaaab}, {TS_OP_TRECIP, 0x80000000, 0xff800000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t from = cases[i].from, out = 0;
        const struct ts_slab a = {(uint8_t *)&from, TS_DTYPE_FP32, 1, 1, 1, 0};
        const struct ts_slab to = {(uint8_t *)&out, TS_DTYPE_FP32, 1, 1, 1, 0};
        ts_tile_vector(cases[i].op, &to, &a, NULL, NULL, 0);
        ck_assert_msg(out == cases[i].to, "%s of %08x gives %08x", ts_ops[cases[i].op].name, from,
                      out);
    }
}
END_TEST

// NZ: fractals of 16 rows by 32 bytes, columns of fractals one after the other; DN: by columns.
START_TEST(test_layouts)
{
    enum { ROWS = 32, COLS = 48 };
    static uint16_t rows[ROWS * COLS], fractals[ROWS * COLS], columns[ROWS * COLS],
        back[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        rows[i] = (uint16_t)i;
    const struct ts_slab nd = {(uint8_t *)rows, TS_DTYPE_FP16, ROWS, COLS, COLS, 0};
    const struct ts_slab nz = {
        (uint8_t *)fractals, TS_DTYPE_FP16, ROWS, COLS, ROWS, ts_layout_width(TS_LAYOUT_NZ, 2)};
    const struct ts_slab dn = {
        (uint8_t *)columns, TS_DTYPE_FP16, ROWS, COLS, ROWS, ts_layout_width(TS_LAYOUT_DN, 2)};
    const struct ts_slab end = {(uint8_t *)back, TS_DTYPE_FP16, ROWS, COLS, COLS, 0};
    const struct ts_move plain = {0};
    ts_tile_move(&nz, &nd, &plain);
    ts_tile_move(&dn, &nz, &plain);
    ts_tile_move(&end, &dn, &plain);
    for (int row = 0; row < ROWS; row++)
        for (int col = 0; col < COLS; col++) {
            int want = row * COLS + col;
            ck_assert_int_eq(fractals[col / 16 * (ROWS * 16) + row * 16 + col % 16], want);
            ck_assert_int_eq(columns[col * ROWS + row], want);
            ck_assert_int_eq(back[want], want);
        }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_fp16);
    tcase_add_test(tests, test_bf16);
    tcase_add_test(tests, test_integers);
    tcase_add_test(tests, test_exp);
    tcase_add_test(tests, test_matmul);
    tcase_add_test(tests, test_select);
    tcase_add_test(tests, test_roots);
    tcase_add_test(tests, test_layouts);
    tcase_add_test(tests, test_fp16_arithmetic);
}

SUITE("pipe numbers", add_tests, .one_process = true)
