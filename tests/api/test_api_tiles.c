// Each operation on complete tiles in tt-metal's kernel API: copies, sums, products, reductions,
// transposition, tilize and untilize, packing. tiles.def has the rows.
#include "tests/api/program.h"
#include "tests/suite.h"

#include <math.h>

static double a[32][32], b[32][32];
#define A(r, c) a[r][c]
#define B(r, c) b[r][c]

static double product(unsigned r, unsigned c, bool transposed)
{
    double sum = 0;
    for (unsigned k = 0; k < 32; k++)
        sum += a[r][k] * (transposed ? b[c][k] : b[k][c]);
    return sum;
}
static double fold(double (*m)[32], unsigned r0, unsigned r1, unsigned c0, unsigned c1, bool max)
{
    double value = max ? -INFINITY : 0;
    for (unsigned r = r0; r < r1; r++)
        for (unsigned c = c0; c < c1; c++)
            value = max ? fmax(value, m[r][c]) : value + m[r][c];
    return value;
}
#define row_sum(r)    fold(a, r, r + 1, 0, 32, false)
#define row_max(r)    fold(a, r, r + 1, 0, 32, true)
#define row_max_b(r)  fold(b, r, r + 1, 0, 32, true)
#define column_sum(c) fold(a, 0, 32, c, c + 1, false)
#define column_max(c) fold(a, 0, 32, c, c + 1, true)
#define all_sum()     fold(a, 0, 32, 0, 32, false)
#define all_max()     fold(a, 0, 32, 0, 32, true)

// Of a column of a, and of `more` rows of b.
static double column_variance(unsigned c, unsigned more)
{
    double mean = (column_sum(c) + fold(b, 0, more, c, c + 1, false)) / (32 + more), sum = 0;
    for (unsigned i = 0; i < 32 + more; i++) {
        double off = (i < 32 ? a[i][c] : b[i - 32][c]) - mean;
        sum += off * off;
    }
    return sum / (32 + more);
}

// The largest but n of column c of a and b.
static double ranked(unsigned c, unsigned n)
{
    double value = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned larger = 0, equal = 0;
        value = i < 32 ? a[i][c] : b[i - 32][c];
        for (unsigned k = 0; k < 64; k++) {
            double other = k < 32 ? a[k][c] : b[k - 32][c];
            larger += other > value;
            equal += other == value;
        }
        if (larger <= n && n < larger + equal)
            break;
    }
    return value;
}

// Where an element of a tile lies, and the element that lies somewhere.
static unsigned place(unsigned r, unsigned c)
{
    return (r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16;
}
static double at_place(double (*m)[32], unsigned n)
{
    return m[n / 512 * 16 + n % 256 / 16][n / 256 % 2 * 16 + n % 16];
}
#define RAW(m, r, c) at_place(*(&M_##m), (r)*32 + (c))
#define M_A          a
// The maximum or the sum of a column of the matrix that lies where tile a does.
static double raw_column(unsigned c, bool max)
{
    double value = max ? -INFINITY : 0;
    for (unsigned r = 0; r < 32; r++)
        value = max ? fmax(value, RAW(A, r, c)) : value + RAW(A, r, c);
    return value;
}
#define ROWS(m, r, c) m(place(r, c) / 32, place(r, c) % 32)

#define TILES(code, value)                                 \
    static double TS_ROW(__LINE__)(unsigned r, unsigned c) \
    {                                                      \
        (void)r, (void)c;                                  \
        return (value);                                    \
    }
#define TS_ROW_(line) expected_##line
#define TS_ROW(line)  TS_ROW_(line)
#include "tests/api/tiles.def"
#define TILES(code, value) {code, TS_ROW(__LINE__)},
static const struct row {
    const char *code;
    double (*expected)(unsigned, unsigned);
} rows[] = {
#include "tests/api/tiles.def"
};
enum { ROWS_ = sizeof rows / sizeof rows[0], GROUP = 17 };

static const char reader[] =
    "template <uint32_t cb, typename T> void one(const T &tensor)\n{\n"
    "    cb_reserve_back(cb, 1);\n    noc_async_read_tile(0, tensor, get_write_ptr(cb));\n"
    "    noc_async_read_barrier();\n    cb_push_back(cb, 1);\n}\n"
    "void kernel_main()\n{\n"
    "    constexpr auto a = TensorAccessorArgs<0>();\n"
    "    constexpr auto b = TensorAccessorArgs<a.next_compile_time_args_offset()>();\n"
    "    constexpr auto s = TensorAccessorArgs<b.next_compile_time_args_offset()>();\n"
    "    one<0>(TensorAccessor(a, get_arg_val<uint32_t>(0), get_tile_size(0)));\n"
    "    one<1>(TensorAccessor(b, get_arg_val<uint32_t>(1), get_tile_size(1)));\n"
    "    one<2>(TensorAccessor(s, get_arg_val<uint32_t>(2), get_tile_size(2)));\n}\n";
static const char writer[] =
    "void kernel_main()\n{\n"
    "    constexpr auto args = TensorAccessorArgs<0>();\n"
    "    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(16));\n"
    "    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {\n"
    "        cb_wait_front(16, 1);\n        noc_async_write_tile(i, y, get_read_ptr(16));\n"
    "        noc_async_write_barrier();\n        cb_pop_front(16, 1);\n    }\n}\n";

static void put_compute(const struct row *row, unsigned count)
{
    char path[100];
    snprintf(path, sizeof path, "%s/compute.cpp", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"compute_kernel_api.h\"\n#include \"compute_kernel_api/reduce.h\"\n"
                  "void kernel_main()\n{\n    compute_kernel_hw_startup(0, 16);\n"
                  "    cb_wait_front(0, 1);\n    cb_wait_front(1, 1);\n    cb_wait_front(2, 1);\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(file,
                "    cb_reserve_back(16, 1);\n    {\n        %s\n    }\n    cb_push_back(16, 1);\n",
                row[i].code);
    fprintf(file, "    cb_pop_front(0, 1);\n    cb_pop_front(1, 1);\n    cb_pop_front(2, 1);\n}\n");
    fclose(file);
}

// `packed`: format of the result; NULL: that of the operands.
static void put_program(unsigned count, bool wide, bool full, const char *packed)
{
    char text[1500];
    const char *format = wide ? "fp32" : "bf16", *out = packed ? packed : format;
    snprintf(text, sizeof text,
             "tensors:\n"
             "    a: {shape: [32, 32], format: %s, file: a.npy}\n"
             "    b: {shape: [32, 32], format: %s, file: b.npy}\n"
             "    s: {shape: [32, 32], format: %s, file: s.npy}\n"
             "    y: {shape: [32, %u], format: %s, save: y.npy}\n"
             "buffers:\n    - {id: 0, format: %s, pages: 1}\n    - {id: 1, format: %s, pages: 1}\n"
             "    - {id: 2, format: %s, pages: 1}\n    - {id: 16, format: %s, pages: 2}\n"
             "    - {id: 17, format: %s, pages: 1}\n"
             "kernels:\n    - {source: reader.cpp, on: reader, compile: [tensor: a, tensor: b, "
             "tensor: s], args: [a, b, s]}\n"
             "    - {source: compute.cpp, on: compute, optimise: %s, fp32: %s, full_sync: %s}\n"
             "    - {source: writer.cpp, on: writer, compile: [tensor: y], args: [y, %u]}\n",
             format, format, format, 32 * count, out, format, format, format, out,
             strcmp(out, "bf16") == 0 ? "fp32" : "bf16", optimise(), wide ? "true" : "false",
             full ? "true" : "false", count);
    put("program.yaml", text);
}

static void put_tensor(const char *name, double (*m)[32])
{
    struct ts_value value;
    ck_assert(ts_value_init(&value, 32, 32));
    memcpy(value.at, m, 32 * 32 * sizeof(double));
    save(name, &value, "<f4");
    free(value.at);
}

static void run_group(unsigned first, unsigned count, bool wide, bool full, const char *packed)
{
    const struct row *row = rows + first;
    double scaler[32][32] = {{0}};
    folder_make();
    for (unsigned r = 0; r < 32; r++)
        for (unsigned c = 0; c < 32; c++) {
            a[r][c] = held(((r * 37 + c * 101) % 256 - 160.0) / 64);
            b[r][c] = held(((r * 53 + c * 29) % 256 - 120.0) / 64);
            scaler[r][c] = r % 16 == 0 ? 0.5 : 0;
        }
    put("reader.cpp", reader);
    put("writer.cpp", writer);
    put_compute(row, count);
    put_program(count, wide, full, packed);
    put_tensor("a.npy", a);
    put_tensor("b.npy", b);
    put_tensor("s.npy", scaler);
    run_program();
    ck_assert_msg(strstr(output, "inside tilize") == NULL, "a lint: %.2000s", output);
    struct ts_value y;
    read_back("y.npy", &y);
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned bad = 0;
        char text[100] = "";
        for (unsigned r = 0; r < 32; r++)
            for (unsigned c = 0; c < 32; c++) {
                double got = y.at[(size_t)r * y.columns + 32 * i + c], want = row[i].expected(r, c);
                double near = (wide ? 0.003 : 0.02) * fmax(4, fabs(want));
                if (fabs(got - want) <= near)
                    continue;
                if (bad++ == 0)
                    snprintf(text, sizeof text, "(%u, %u) is %g, expected %g", r, c, got, want);
            }
        if (bad)
            fprintf(stderr, "%s: %u elements wrong: %s%s\n", row[i].code, bad, text,
                    wide ? " (fp32)" : "");
        wrong += bad != 0;
    }
    free(y.at);
    folder_remove();
    ck_assert_msg(wrong == 0, "%u of %u operations are wrong", wrong, count);
}

#define GROUP_TEST(name, wide, full)                                                       \
    START_TEST(name)                                                                       \
    {                                                                                      \
        unsigned first = (unsigned)_i * GROUP;                                             \
        run_group(first, ROWS_ - first < GROUP ? ROWS_ - first : GROUP, wide, full, NULL); \
    }                                                                                      \
    END_TEST
GROUP_TEST(sixteen_bits, false, false)
GROUP_TEST(thirty_two_bits, true, false)
GROUP_TEST(full_dst, false, true)

// FP16 and TF32 out of a 32-bit Dst.
START_TEST(packed_narrow)
{
    run_group(0, GROUP, true, false, _i ? "tf32" : "fp16");
}
END_TEST

// The last row packs to a buffer whose elements have the other size: out of a 32-bit Dst, both ways.
START_TEST(packed_by_turns)
{
    run_group(ROWS_ - 1, 1, true, false, _i ? "bf16" : NULL);
}
END_TEST

// Reductions of 32-bit integers: what stands in the first row or column, exactly.
START_TEST(whole_numbers)
{
    static const struct {
        const char *code;
        bool row, max, least;
    } kinds[] = {
        {"sfpu_sum_int_init(); sfpu_sum_int_col(0);", false, false, false},
        {"sfpu_sum_int_init(); sfpu_sum_int_row(0);", true, false, false},
        {"sfpu_reduce_init<PoolType::MAX, DataFormat::Int32>(); sfpu_reduce<PoolType::MAX, "
         "DataFormat::Int32>(0);",
         false, true, false},
        {"sfpu_reduce_init<PoolType::MIN, DataFormat::Int32>(); sfpu_reduce<PoolType::MIN, "
         "DataFormat::Int32, ReduceDim::REDUCE_ROW>(0);",
         true, true, true},
        {"copy_tile(0, 0, 1); sfpu_sum_int_init(); sfpu_add_int(0, 1); sfpu_sum_int_col(0); "
         "add_int_tile_init(); ",
         false, false, false},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    struct row row[KINDS];
    struct ts_value y;
    char text[1200];
    folder_make();
    for (unsigned i = 0; i < KINDS; i++) {
        static char code[KINDS][600];
        snprintf(code[i], sizeof code[i],
                 "unary_op_init_common(0, 16); tile_regs_acquire(); copy_tile(0, 0, 0); %s"
                 "tile_regs_commit(); tile_regs_wait(); pack_tile(0, 16); tile_regs_release();",
                 kinds[i].code);
        row[i].code = code[i];
    }
    for (unsigned r = 0; r < 32; r++)
        for (unsigned c = 0; c < 32; c++)
            a[r][c] = ((int)((r * 37 + c * 101) % 256) - 160) * 65539;
    put("reader.cpp", reader);
    put("writer.cpp", writer);
    put_compute(row, KINDS);
    snprintf(text, sizeof text,
             "tensors:\n    a: {shape: [32, 32], format: int32, file: a.npy}\n"
             "    y: {shape: [32, %u], format: int32, save: y.npy}\n"
             "buffers:\n    - {id: 0, format: int32, pages: 1}\n"
             "    - {id: 1, format: int32, pages: 1}\n    - {id: 2, format: int32, pages: 1}\n"
             "    - {id: 16, format: int32, pages: 2}\n"
             "kernels:\n    - {source: reader.cpp, on: reader, compile: [tensor: a, tensor: a, "
             "tensor: a], args: [a, a, a]}\n"
             "    - {source: compute.cpp, on: compute, fp32: true}\n"
             "    - {source: writer.cpp, on: writer, compile: [tensor: y], args: [y, %u]}\n",
             32 * KINDS, KINDS);
    put("program.yaml", text);
    struct ts_value value;
    ck_assert(ts_value_init(&value, 32, 32));
    memcpy(value.at, a, sizeof a);
    save("a.npy", &value, "<i4");
    free(value.at);
    run_program();
    read_back("y.npy", &y);
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned n = 0; n < 32; n++) {
            double want = 0,
                   got = kinds[i].row ? y.at[(size_t)n * y.columns + 32 * i] : y.at[32 * i + n];
            for (unsigned k = 0; k < 32; k++) {
                double x = kinds[i].row ? a[n][k] : a[k][n];
                want = !kinds[i].max || k == 0 ? (kinds[i].max ? x : want + x)
                       : kinds[i].least        ? fmin(want, x)
                                               : fmax(want, x);
            }
            want *= i == KINDS - 1 ? 2 : 1;
            ck_assert_msg(got == want, "%s %u is %g, expected %g", kinds[i].code, n, got, want);
        }
    free(y.at);
    folder_remove();
}
END_TEST

// 32-bit elements, bit by bit: on their way to Dst, and in Dst; in both halves of Dst.
START_TEST(transposed_exactly)
{
    static const struct {
        const char *format, *fill, *unpack;
    } kinds[] = {{"int32", "(row * 32 + column) * 2097143 - 1073741824", "[]"},
                 {"fp32", "'normal(0, 1)'", "[0]"}};
    static const char transpose[] =
        "#include \"compute_kernel_api.h\"\n"
        "void kernel_main()\n{\n    cb_wait_front(0, 1);\n"
        "    for (uint32_t i = 0; i < 4; i++) {\n        cb_reserve_back(16, 1);\n"
        "        if (i == 0)\n            transpose_wh_init(0, 16);\n"
        "        if (i == 2)\n            copy_tile_to_dst_init_short(0);\n"
        "        tile_regs_acquire();\n        if (i < 2)\n"
        "            transpose_wh_tile(0, 0, i);\n        else\n"
        "            copy_tile(0, 0, i - 1), transpose_dest_init<true>(), transpose_dest<true>(i - "
        "1);\n"
        "        tile_regs_commit();\n        tile_regs_wait();\n"
        "        pack_tile(i < 2 ? i : i - 1, 16);\n        tile_regs_release();\n"
        "        cb_push_back(16, 1);\n    }\n    cb_wait_front(1, 1);\n    cb_wait_front(2, "
        "1);\n}\n";
    char text[1200];
    const char *f = kinds[_i].format;
    folder_make();
    snprintf(text, sizeof text,
             "tensors:\n    a: {shape: [32, 32], format: %s, fill: %s}\n"
             "    y: {shape: [32, 128], format: %s, expect: 'rep(t(a), 4)', tolerance: 0}\n"
             "buffers:\n    - {id: 0, format: %s, pages: 1}\n    - {id: 1, format: %s, pages: 1}\n"
             "    - {id: 2, format: %s, pages: 1}\n    - {id: 16, format: %s, pages: 2}\n"
             "kernels:\n    - {source: reader.cpp, on: reader, compile: [tensor: a, tensor: a, "
             "tensor: a], args: [a, a, a]}\n"
             "    - {source: compute.cpp, on: compute, fp32: true, unpack_to_dst: %s}\n"
             "    - {source: writer.cpp, on: writer, compile: [tensor: y], args: [y, 4]}\n",
             f, kinds[_i].fill, f, f, f, f, f, kinds[_i].unpack);
    put("reader.cpp", reader);
    put("writer.cpp", writer);
    put("compute.cpp", transpose);
    put("program.yaml", text);
    run_program();
    folder_remove();
}
END_TEST

// What the unpacker cannot do is refused where the kernel is compiled, or names the kernel's line.
START_TEST(turned_by_the_unpacker)
{
    static const struct {
        const char *how, *says;
        int code;
    } kinds[] = {{"1, 1", "the unpacker does not transpose what it writes to Dst", 3},
                 {"turned, turned", "in kernel_main (compute.cpp:8)", 4}};
    char text[600];
    folder_make();
    snprintf(text, sizeof text,
             "#include \"compute_kernel_api.h\"\nvoid kernel_main()\n{\n"
             "    volatile uint32_t turned = 1;\n    unary_op_init_common(0, 0);\n"
             "    copy_tile_to_dst_init_short(0, %s);\n    tile_regs_acquire();\n"
             "    copy_tile(0, 0, 0);\n}\n",
             kinds[_i].how);
    put("compute.cpp", text);
    put("program.yaml", "buffers: [{id: 0, format: int32, pages: 1}]\n"
                        "kernels: [{source: compute.cpp, on: compute, fp32: true}]\n");
    ck_assert_int_eq(try_program(), kinds[_i].code);
    ck_assert_msg(strstr(output, kinds[_i].says) != NULL, "%.3000s", output);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    const int groups = (ROWS_ + GROUP - 1) / GROUP;
    const bool all = suite_every_case();
    suite_sample(1, 3,
                 "uses of Dst for each group of operations, and 1 of 2 formats packed narrow");
    for (int group = 0; group < groups; group++) {
        if (all || group % 3 == 0)
            tcase_add_loop_test(tests, sixteen_bits, group, group + 1);
        if (all || group % 3 == 1)
            tcase_add_loop_test(tests, thirty_two_bits, group, group + 1);
        if (all || group % 3 == 2)
            tcase_add_loop_test(tests, full_dst, group, group + 1);
    }
    tcase_add_loop_test(tests, packed_narrow, 0, all ? 2 : 1);
    tcase_add_loop_test(tests, packed_by_turns, 0, 2);
    tcase_add_test(tests, whole_numbers);
    tcase_add_loop_test(tests, transposed_exactly, 0, 2);
    tcase_add_loop_test(tests, turned_by_the_unpacker, 0, 2);
}

SUITE("api tiles", add_tests)
