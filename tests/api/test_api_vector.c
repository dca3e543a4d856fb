// Each function of the vector unit in tt-metal's kernel API: a program file runs it on a tile of a p150 and of an n150, and
// the result is what it should be. vector.def has the rows.
#include "tests/api/program.h"
#include "tests/suite.h"

#include <math.h>

enum { TILE = 1024, GROUP = 24 };

static double inverse_erf(double x)
{
    double y = 0;
    for (int i = 0; i < 60; i++) // Newton's method
        y -= (erf(y) - x) * sqrt(M_PI) / 2 * exp(y * y);
    return y;
}
static double bessel(int order, double x)
{
    double sum = 0, term = order ? x / 2 : 1;
    for (int k = 1; k < 40; k++) {
        sum += term;
        term *= x * x / 4 / (k * (double)(k + order));
    }
    return sum;
}
static double digamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum -= 1 / x;
    double z = 1 / (x * x);
    return sum + log(x) - 0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z / 252));
}

#define VECTOR(code, value, low, high, tolerance)      \
    static double TS_ROW(__LINE__)(double x, double y) \
    {                                                  \
        (void)x, (void)y;                              \
        return (value);                                \
    }
#define ROUGH         VECTOR
#define TS_ROW_(line) expected_##line
#define TS_ROW(line)  TS_ROW_(line)
#include "tests/api/vector.def"

#define INTEGER(code, value)                           \
    static double TS_ROW(__LINE__)(double a, double b) \
    {                                                  \
        int32_t x = (int32_t)a, y = (int32_t)b;        \
        (void)x, (void)y;                              \
        return (double)(value);                        \
    }
#undef TS_ROW_
#define TS_ROW_(line) expected_integer_##line
#include "tests/api/integer.def"
#undef TS_ROW_
#define TS_ROW_(line) expected_##line

struct row {
    const char *code;
    double (*expected)(double, double);
    double low, high, tolerance, wide; // tolerance of a 16-bit and of a 32-bit Dst
};
#define VECTOR(code, value, low, high, tolerance) \
    {code, TS_ROW(__LINE__), low, high, tolerance, 0.01 * (tolerance)},
#define ROUGH(code, value, low, high, tolerance) \
    {code, TS_ROW(__LINE__), low, high, tolerance, tolerance},
static const struct row rows[] = {
#include "tests/api/vector.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };
#undef TS_ROW_
#define TS_ROW_(line)        expected_integer_##line
#define INTEGER(code, value) {code, TS_ROW(__LINE__), -40000000, 40000000, 0, 0},
static const struct row integers[] = {
#include "tests/api/integer.def"
};
enum { INTEGERS = sizeof integers / sizeof integers[0] };
enum kind { BITS16, BITS32, WHOLE }; // BF16, FP32, 32-bit integers

static const char reader[] =
    "void kernel_main()\n{\n"
    "    constexpr auto a_args = TensorAccessorArgs<0>();\n"
    "    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();\n"
    "    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(0));\n"
    "    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));\n"
    "    for (uint32_t i = 0; i < get_arg_val<uint32_t>(2); i++) {\n"
    "        cb_reserve_back(0, 1);\n        cb_reserve_back(1, 1);\n"
    "        noc_async_read_tile(i, a, get_write_ptr(0));\n"
    "        noc_async_read_tile(i, b, get_write_ptr(1));\n"
    "        noc_async_read_barrier();\n"
    "        cb_push_back(0, 1);\n        cb_push_back(1, 1);\n    }\n}\n";
static const char writer[] =
    "void kernel_main()\n{\n"
    "    constexpr auto args = TensorAccessorArgs<0>();\n"
    "    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(16));\n"
    "    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {\n"
    "        cb_wait_front(16, 1);\n"
    "        noc_async_write_tile(i, y, get_read_ptr(16));\n"
    "        noc_async_write_barrier();\n"
    "        cb_pop_front(16, 1);\n    }\n}\n";

// One compute kernel that runs the functions of a group, each on its own tile.
static void put_compute(const struct row *row, unsigned count)
{
    char path[100];
    snprintf(path, sizeof path, "%s/compute.cpp", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"compute_kernel_api.h\"\nnamespace NAMESPACE {\nvoid MAIN\n{\n"
                  "    init_sfpu(0, 16);\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(file,
                "    cb_wait_front(0, 1);\n    cb_wait_front(1, 1);\n    tile_regs_acquire();\n"
                "    copy_tile_to_dst_init_short(0);\n    copy_tile(0, 0, 0);\n"
                "    copy_tile(1, 0, 1);\n    %s\n    tile_regs_commit();\n"
                "    cb_pop_front(0, 1);\n    cb_pop_front(1, 1);\n    tile_regs_wait();\n"
                "    cb_reserve_back(16, 1);\n    pack_tile(0, 16);\n    cb_push_back(16, 1);\n"
                "    tile_regs_release();\n",
                row[i].code);
    fprintf(file, "}\n}\n");
    fclose(file);
}

static void put_program(const char *card, unsigned count, enum kind kind)
{
    char text[1200];
    const char *format = kind == WHOLE ? "int32" : kind == BITS32 ? "fp32" : "bf16";
    snprintf(text, sizeof text,
             "chip: %s\ntensors:\n"
             "    a: {shape: [32, %u], format: %s, file: a.npy}\n"
             "    b: {shape: [32, %u], format: %s, file: b.npy}\n"
             "    y: {shape: [32, %u], format: %s, save: y.npy}\n"
             "buffers:\n    - {id: 0, format: %s, pages: 2}\n    - {id: 1, format: %s, pages: 2}\n"
             "    - {id: 16, format: %s, pages: 2}\n"
             "kernels:\n    - {source: reader.cpp, on: reader, compile: [tensor: a, tensor: b], "
             "args: [a, b, %u]}\n"
             "    - {source: compute.cpp, on: compute, optimise: %s, fp32: %s}\n"
             "    - {source: writer.cpp, on: writer, compile: [tensor: y], args: [y, %u]}\n",
             card, 32 * count, format, 32 * count, format, 32 * count, format, format, format,
             format, count, optimise(), kind == BITS16 ? "false" : "true", count);
    put("program.yaml", text);
}

// Values from low to high, some of them zero where zero is allowed.
static void fill(struct ts_value *value, const struct row *row, unsigned count, unsigned step,
                 enum kind kind)
{
    ck_assert(ts_value_init(value, 32, 32 * count));
    for (unsigned r = 0; r < 32; r++)
        for (unsigned c = 0; c < 32 * count; c++) {
            const struct row *of = &row[c / 32];
            unsigned n = (r * 32 + c % 32) * step % TILE;
            double x = of->low + (of->high - of->low) * n / (TILE - 1);
            if (n % 64 == 5 && of->low <= 0 && of->high >= 0)
                x = 0;
            value->at[(size_t)r * value->columns + c] = kind == WHOLE ? trunc(x) : held(x);
        }
}

static void run_group(const char *card, const struct row *row, unsigned count, enum kind kind)
{
    const bool wide = kind == BITS32;
    struct ts_value a, b, y;
    folder_make();
    put("reader.cpp", reader);
    put("writer.cpp", writer);
    put_compute(row, count);
    put_program(card, count, kind);
    fill(&a, row, count, 1, kind);
    fill(&b, row, count, 37, kind);
    save("a.npy", &a, kind == WHOLE ? "<i4" : "<f4");
    save("b.npy", &b, kind == WHOLE ? "<i4" : "<f4");
    run_program();
    read_back("y.npy", &y);
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        double worst = 0, at = 0, got = 0;
        for (unsigned r = 0; r < 32; r++)
            for (unsigned c = 32 * i; c < 32 * i + 32; c++) {
                size_t n = (size_t)r * a.columns + c;
                double want = row[i].expected(a.at[n], b.at[n]);
                double off = fabs(y.at[n] - want) / fmax(1, fabs(want));
                if (!(off <= worst))
                    worst = off, at = a.at[n], got = y.at[n];
            }
        if (!(worst <= (wide ? row[i].wide : row[i].tolerance))) {
            fprintf(stderr, "%s: off by %.3g at x = %g: %g, expected %g%s\n", row[i].code, worst,
                    at, got, row[i].expected(at, 0), wide ? " (fp32)" : "");
            wrong++;
        }
    }
    free(a.at);
    free(b.at);
    free(y.at);
    folder_remove();
    ck_assert_msg(wrong == 0, "%u of %u functions are wrong", wrong, count);
}

#define GROUP_TEST(name, card, table, rows_of_it, kind)                                         \
    START_TEST(name)                                                                            \
    {                                                                                           \
        unsigned first = (unsigned)_i * GROUP;                                                  \
        run_group(card, table + first, rows_of_it - first < GROUP ? rows_of_it - first : GROUP, \
                  kind);                                                                        \
    }                                                                                           \
    END_TEST
GROUP_TEST(sixteen_bits, "p150", rows, ROWS, BITS16)
GROUP_TEST(thirty_two_bits, "p150", rows, ROWS, BITS32)
GROUP_TEST(whole_numbers, "p150", integers, INTEGERS, WHOLE)
GROUP_TEST(wormhole_sixteen_bits, "n150", rows, ROWS, BITS16)
GROUP_TEST(wormhole_thirty_two_bits, "n150", rows, ROWS, BITS32)
GROUP_TEST(wormhole_whole_numbers, "n150", integers, INTEGERS, WHOLE)

static void add_tests(TCase *tests)
{
    // A sample has each function with one width of Dst, and on an n150 the first and the last ones.
    const int groups = (ROWS + GROUP - 1) / GROUP;
    const int wide = suite_sample(groups / 3, groups, "groups of functions with a 32-bit Dst");
    tcase_add_loop_test(tests, sixteen_bits, suite_every_case() ? 0 : wide, groups);
    tcase_add_loop_test(tests, thirty_two_bits, 0, wide);
    tcase_add_loop_test(tests, whole_numbers, 0, (INTEGERS + GROUP - 1) / GROUP);
    tcase_add_loop_test(tests, wormhole_sixteen_bits, suite_every_case() ? 0 : groups - 1, groups);
    tcase_add_loop_test(tests, wormhole_thirty_two_bits, 0, suite_every_case() ? wide : 1);
    tcase_add_loop_test(tests, wormhole_whole_numbers, 0, (INTEGERS + GROUP - 1) / GROUP);
}

SUITE("api vector", add_tests)
