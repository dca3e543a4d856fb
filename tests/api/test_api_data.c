// Data movement, arguments, buffers, semaphores, prints and zones of tt-metal's kernel API: each row of
// data.def on the model, with the value that it has to give.
#include "tests/api/program.h"
#include "tests/suite.h"

#define A(page, word)     ((page)*16 + (word) + 1000)
#define DATA(code, value) {code, value},
static const struct row {
    const char *code;
    long expected;
} rows[] = {
#include "tests/api/data.def"
};
enum { ROWS = sizeof rows / sizeof rows[0], GROUP = 27 };

static const char start[] =
    "#include \"dataflow_api.h\"\n#include \"debug/dprint.h\"\n#include <algorithm>\n#include "
    "<bit>\n"
    "#include <cmath>\n#include <cstring>\n#include <limits>\n#include <optional>\n#include "
    "<tuple>\n"
    "static uint32_t x1, y1, x2, y2, l1;\n"
    "static volatile uint32_t *back()\n{\n"
    "    noc_async_read(get_noc_addr(x1, y1, l1 + 1024), l1 + 2048, 64);\n"
    "    noc_async_read_barrier();\n    return (volatile uint32_t *)(l1 + 2048);\n}\n"
    "void kernel_main()\n{\n"
    "    const uint32_t a_address = get_arg_val<uint32_t>(0);\n"
    "    if (get_absolute_logical_x() != 0)\n        return;\n"
    "    x1 = get_arg_val<uint32_t>(4); y1 = get_arg_val<uint32_t>(5);\n"
    "    x2 = get_arg_val<uint32_t>(6); y2 = get_arg_val<uint32_t>(7);\n"
    "    constexpr auto a_args = TensorAccessorArgs<1>();\n"
    "    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();\n"
    "    const auto a = TensorAccessor(a_args, a_address, 64);\n"
    "    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), 64);\n"
    "    constexpr auto y_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();\n"
    "    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(3), 64);\n"
    "    const uint32_t sem = get_semaphore(0);\n"
    "    volatile uint32_t *word = (volatile uint32_t *)sem;\n"
    "    l1 = get_write_ptr(0);\n"
    "    const uint64_t there = get_noc_addr(x1, y1, l1 + 1024);\n"
    "    volatile uint32_t *out = (volatile uint32_t *)(l1 + 3072);\n"
    "    (void)a, (void)b, (void)there, (void)word;\n";

// Two groups, so that each fits BRISC's room.
static void put_kernel(unsigned first, unsigned count)
{
    char path[100];
    snprintf(path, sizeof path, "%s/kernel.cpp", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(start, file);
    for (unsigned i = 0; i < count; i++)
        fprintf(file,
                "    {\n        volatile uint32_t *p = (volatile uint32_t *)l1;\n"
                "        uint32_t r = 0xdead;\n        *word = 0;\n        (void)p;\n        %s\n"
                "        out[%u] = r;\n    }\n",
                rows[first + i].code, i);
    fprintf(file, "    for (uint32_t i = 0; i < 4; i++)\n"
                  "        noc_async_write_page(i, y, l1 + 3072 + 64 * i);\n"
                  "    noc_async_write_barrier();\n}\n");
    fclose(file);
}

static void run_rows(unsigned first, unsigned count, bool dynamic)
{
    char program[1500];
    folder_make();
    put_kernel(first, count);
    snprintf(program, sizeof program, "%s      dynamic_noc: %s\n",
             "cores: 3x1\n"
             "tensors:\n"
             "    a: {shape: [32, 16], format: uint32, layout: rows, fill: \"row * 16 + column + "
             "1000\"}\n"
             "    b: {shape: [1, 16], format: uint32, layout: rows}\n"
             "    y: {shape: [4, 16], format: uint32, layout: rows, save: y.npy}\n"
             "buffers:\n    - {id: 0, format: uint32, pages: 1, page: 4096}\n"
             "    - {id: 1, format: uint32, pages: 2, page: 64}\n"
             "semaphores:\n    s: {value: 0}\n"
             "kernels:\n"
             "    - source: kernel.cpp\n      on: brisc\n"
             "      compile: [5, tensor: a, tensor: b, tensor: y]\n      named: {answer: 42}\n"
             "      args: [a, b, 77, y, noc_x(1), noc_y(0), noc_x(2), noc_y(0)]\n"
             "      common: [99]\n",
             dynamic ? "true" : "false");
    put("program.yaml", program);
    run_program();
    struct ts_value y;
    read_back("y.npy", &y);
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++)
        if ((long)y.at[i] != rows[first + i].expected) {
            fprintf(stderr, "%s: %ld, expected %ld\n", rows[first + i].code, (long)y.at[i],
                    rows[first + i].expected);
            wrong++;
        }
    free(y.at);
    folder_remove();
    ck_assert_msg(wrong == 0, "%u of %u rows are wrong", wrong, count);
}

START_TEST(rows_of_the_table)
{
    unsigned first = (unsigned)_i * GROUP, count = ROWS - first < GROUP ? ROWS - first : GROUP;
    run_rows(first, count, false);
    if (first + count == ROWS) { // prints and zones are in the last rows
        ck_assert_msg(strstr(output, "stream 7 ff\n") != NULL, "%s", output);
        ck_assert_msg(strstr(output, "format 8 0xfe\n") != NULL, "%s", output);
        ck_assert_msg(strstr(output, "only 9\n") != NULL, "%s", output);
        ck_assert_ptr_null(strstr(output, "never"));
        ck_assert_msg(strstr(output, "a zone of mine") != NULL, "%s", output);
    }
}
END_TEST

// Both data movement cores may use both NoCs.
START_TEST(dynamic_noc)
{
    unsigned first = (unsigned)_i * GROUP, count = ROWS - first < GROUP ? ROWS - first : GROUP;
    if (first == 0) // its rows say that the mode is the dedicated one
        first = 11, count -= 11;
    run_rows(first, count, true);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, dynamic_noc, 0, (ROWS + GROUP - 1) / GROUP);
    tcase_add_loop_test(tests, rows_of_the_table, 0, (ROWS + GROUP - 1) / GROUP);
}

SUITE("api data", add_tests)
