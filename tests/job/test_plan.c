// Program files: where things are placed, what a kernel is told, contents of tensors.
#include "platform/run/plan/data.h"
#include "platform/run/plan/npy.h"
#include "platform/run/plan/plan.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <math.h>

static struct ts_plan *read_with(const char *text, const struct ts_plan_options *options)
{
    struct ts_error error = {0};
    char path[100];
    folder_make();
    snprintf(path, sizeof path, "%s/k.cpp", folder);
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    struct ts_plan *plan = ts_plan_read(path, options, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    return plan;
}

static struct ts_plan *read_text(const char *text)
{
    return read_with(text, &(struct ts_plan_options){0});
}

static void done(struct ts_plan *plan)
{
    ts_plan_free(plan);
    folder_remove();
}

// Words of a core's configuration from an address on.
static const uint32_t *words_at(const struct ts_plan_core *core, uint32_t address)
{
    return &core->words[(address - TS_PROGRAM_CONFIG) / 4];
}

// Choices, parts that are there only when, sizes of ranges, arguments that are there several times; -p cores.
START_TEST(parameters)
{
    static const char text[] =
        "cores: {grid: 3x2, rest: {at: [0, 1], size: [grid.columns, grid.rows - 1]},\n"
        "        none: {at: [1, 0], size: [grid.rows - 1, 0]}}\n"
        "params: {op: [mul, add], from: [l1, dram], width: 32 * grid.columns}\n"
        "tensors:\n"
        "  a: {shape: [32, width], in: from, fill: 2,"
        " shard: {shape: [32, 32], cores: grid, when: from == 0}}\n"
        "  y: {shape: [32, width], expect: 'op(a, 3)'}\n"
        "buffers:\n"
        "  - {id: 0, on: a, when: from == 0}\n"
        "  - {id: 0, pages: 7, when: from == 1}\n"
        "kernels:\n"
        "  - {source: k.cpp, on: ncrisc, cores: none, defines: {OP: op}}\n"
        "  - {source: k.cpp, on: brisc, cores: rest, when: from == 1}\n"
        "  - {source: k.cpp, on: ncrisc, cores: grid,"
        " args: [{times: grid.columns, of: [i, 10 * i]}, op]}\n";
    struct ts_plan *plan = read_text(text);
    ck_assert_uint_eq(plan->sets[1].count, 3);
    ck_assert_uint_eq(plan->sets[1].at[0].y, 1);
    ck_assert_uint_eq(plan->sets[2].count, 0);
    ck_assert_uint_eq(plan->core_count, 6);
    ck_assert(plan->tensors[0].sharded);
    ck_assert_double_eq(plan->tensors[1].want.at[0], 6);
    ck_assert_uint_eq(plan->cbs[0].pages, 1);
    ck_assert_str_eq(ts_plan_chosen(plan, "op"), "mul");
    const struct ts_plan_core *core = &plan->cores[5];
    const uint32_t *words = words_at(core, core->block.rta[TS_ON_NCRISC]);
    const uint32_t want[] = {0, 0, 1, 10, 2, 20, 0};
    ck_assert_int_eq(memcmp(words, want, sizeof want), 0);
    ts_plan_free(plan);
    char path[100];
    struct ts_error error = {0};
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    const char *const set[] = {"op=add", "from=dram", "cores=2x2"};
    plan = ts_plan_read(path, &(struct ts_plan_options){.params = set, .param_count = 3}, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    ck_assert_uint_eq(plan->kernel_count, 4); // with the one that boots the first row
    ck_assert_uint_eq(plan->tensors[0].columns, 64);
    ck_assert(!plan->tensors[0].sharded && plan->tensors[0].dram);
    ck_assert_double_eq(plan->tensors[1].want.at[0], 5);
    ck_assert_uint_eq(plan->cbs[0].pages, 7);
    done(plan);
}
END_TEST

// Fractions, macros that are there only when, arguments without names behind those with names, no tensor.
START_TEST(spoken_for)
{
    static const char text[] =
        "params: {eps: 1e-3, half: 0.5, rms: 1, gamma: 0}\n"
        "include: [lib]\n"
        "tensors: {a: {shape: [32, 32], fill: eps}}\n"
        "kernels:\n"
        "  - source: k.cpp\n"
        "    on: brisc\n"
        "    compile: [7, tensor: none, tensor: a, 8]\n"
        "    args: {n: 4, bits: float(half)}\n"
        "    common: {m: 5}\n"
        "    tensors: {src: a}\n"
        "    varargs: [core, {times: 2, of: 10 * i}]\n"
        "    common_varargs: [6]\n"
        "    defines: {EPS: eps, HALF: 'half', RMS: {when: rms}, SIZE: {when: rms, value: half},"
        " GAMMA: {when: gamma, value: 3}}\n";
    struct ts_plan *plan = read_text(text);
    const struct ts_plan_kernel *kernel = &plan->kernels[0];
    const uint32_t compiled[] = {7, 0, 0, 2, 2048, 8, 2, 2048};
    ck_assert_uint_eq(kernel->word_count, sizeof compiled / sizeof *compiled);
    ck_assert_mem_eq(kernel->words, compiled, sizeof compiled);
    const struct ts_plan_core *core = &plan->cores[0];
    const uint32_t own[] = {4, 0x3f000000, 0, 0, 10}, common[] = {5, plan->tensors[0].address, 6};
    ck_assert_mem_eq(words_at(core, core->block.rta[TS_ON_BRISC]), own, sizeof own);
    ck_assert_mem_eq(words_at(core, core->block.crta[TS_ON_BRISC]), common, sizeof common);
    ck_assert_uint_eq(core->given[0][TS_ON_BRISC], 5);
    ck_assert_uint_eq(core->given[1][TS_ON_BRISC], 3);
    char *prelude = NULL;
    size_t size;
    FILE *memory = open_memstream(&prelude, &size);
    ts_plan_prelude(plan, kernel, TS_ON_BRISC, false, memory);
    fclose(memory);
    static const char *const lines[] = {"#define EPS 0.00100000005f\n",
                                        "#define HALF half\n",
                                        "#define RMS 1\n",
                                        "#define SIZE 0.5f\n",
                                        "get_arg_val<uint32_t>(int(2 + index))",
                                        "get_common_arg_val<uint32_t>(int(2 + index))"};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(prelude, lines[i]) != NULL, "no %s in:\n%s", lines[i], prelude);
    ck_assert_ptr_null(strstr(prelude, "GAMMA"));
    free(prelude);
    ts_plan_free(plan);
    static const struct {
        const char *set;
        double value;
    } rows[] = {{"eps=0.25", 0.25}, {"eps=2", 2}};
    char path[100];
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_error error = {0};
        plan = ts_plan_read(
            path, &(struct ts_plan_options){.params = &rows[i].set, .param_count = 1}, &error);
        ck_assert_msg(plan != NULL, "%s", error.text);
        ck_assert_double_eq(plan->tensors[0].data.at[0], rows[i].value);
        ts_plan_free(plan);
    }
    static const char *const bad[] = {"eps=x", "eps=", "rms=0.5", "eps=inf"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ts_error error = {0};
        plan = ts_plan_read(path, &(struct ts_plan_options){.params = &bad[i], .param_count = 1},
                            &error);
        ck_assert_msg(plan == NULL && strstr(error.text, "--param"), "%s: %s", bad[i], error.text);
    }
    folder_remove();
}
END_TEST

START_TEST(places)
{
    struct ts_plan *plan = read_text(
        "cores: {both: 2x1, one: '1,0'}\n"
        "tensors:\n"
        "  d: {shape: [64, 288]}\n"              // 18 tiles over 8 banks: 3 in the fullest
        "  e: {shape: [32, 32], format: fp32}\n" // behind it
        "  s: {shape: [64, 64], in: l1, shard: {shape: [32, 64], cores: both}}\n"
        "semaphores: {go: 5, stop: {value: 6, cores: one}}\n"
        "buffers:\n"
        "  - {id: 1, pages: 2, cores: one}\n"
        "  - {id: 0, pages: 3, cores: both}\n"
        "  - {id: 2, pages: 4, with: 0, cores: both}\n"
        "  - {id: 3, on: s, cores: both}\n"
        "kernels:\n"
        "  - {source: k.cpp, on: brisc, cores: both, args: [core, d, e, s, stop, first(5), "
        "count(5)],"
        " common: [cores], compile: [7, tensor: d, tensor: s]}\n");
    const struct ts_plan_tensor *d = &plan->tensors[0], *e = &plan->tensors[1],
                                *s = &plan->tensors[2];
    ck_assert_uint_eq(d->address, 1048704);
    ck_assert_uint_eq(d->bank_bytes, 3 * 2048);
    ck_assert_uint_eq(e->address, 1048704 + 3 * 2048);
    ck_assert_uint_eq(s->address, TS_PROGRAM_END - 2 * 2048);
    uint32_t bank;
    ck_assert_uint_eq(ts_plan_page_at(plan, d, 17, &bank), 2 * 2048);
    ck_assert_uint_eq(bank, 1);
    ck_assert_uint_eq(ts_plan_page_at(plan, s, 3, &bank), 2048);
    ck_assert_uint_eq(bank, 1);
    // Buffers: the second lies behind the first on both cores, although only one has the first.
    ck_assert_uint_eq(plan->cbs[0].address, TS_PROGRAM_FREE);
    ck_assert_uint_eq(plan->cbs[1].address, TS_PROGRAM_FREE + 2 * 2048);
    ck_assert_uint_eq(plan->cbs[2].address, plan->cbs[1].address);
    ck_assert_uint_eq(plan->cbs[3].address, s->address);
    ck_assert_uint_eq(plan->cbs[3].pages, 2);
    const struct ts_plan_core *core = &plan->cores[1];
    ck_assert_uint_eq(core->at.x, 1);
    ck_assert_uint_eq(core->block.cb_mask[0], 0xf);
    ck_assert_uint_eq(plan->cores[0].block.cb_mask[0], 0xd);
    // Semaphores have one address on all cores, and their value where they are.
    ck_assert_uint_eq(core->block.semaphores, plan->cores[0].block.semaphores);
    ck_assert_uint_eq(words_at(core, core->block.semaphores)[4], 6);
    ck_assert_uint_eq(words_at(&plan->cores[0], core->block.semaphores)[4], 0);
    const uint32_t *args = words_at(core, core->block.rta[TS_ON_BRISC]);
    const uint32_t want[] = {1, d->address, e->address, s->address, 1, 3, 2};
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
        ck_assert_uint_eq(args[i], want[i]);
    ck_assert_uint_eq(words_at(core, core->block.crta[TS_ON_BRISC])[0], 2);
    // The tensors' words as TensorAccessorArgs reads them.
    const uint32_t words[] = {7, 2, 2048, 1, 2048, 2,
                              2, 2, 2,    1, 2,    2u << 24 | 2 << 16 | 1 << 8 | 2};
    const struct ts_plan_kernel *kernel = &plan->kernels[0];
    ck_assert_uint_eq(kernel->word_count, sizeof words / sizeof *words);
    for (unsigned i = 0; i < kernel->word_count; i++)
        ck_assert_msg(kernel->words[i] == words[i], "word %u is 0x%x", i, kernel->words[i]);
    done(plan);
}
END_TEST

START_TEST(prelude)
{
    struct ts_plan *plan = read_text(
        "cores: 1x1\n"
        "buffers: [{id: 0, format: fp32, pages: 1}, {id: 16, format: bfp8, pages: 1}]\n"
        "kernels:\n"
        "  - {source: k.cpp, on: compute, fidelity: hifi2, fp32: true, compile: [3, 4],"
        " named: {size: 9}, defines: {OP: 'add_tiles(0, 1)'}, throttle: 2}\n");
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    ts_plan_prelude(plan, &plan->kernels[0], TS_ON_TRISC1, true, memory);
    fclose(memory);
    static const char *const lines[] = {"#define COMPILE_FOR_TRISC 1\n",
                                        "#define TRISC_MATH 1\n",
                                        "#define UCK_CHLKC_MATH 1\n",
                                        "#define KERNEL_COMPILE_TIME_ARGS 3,4\n",
                                        "#define KERNEL_COMPILE_TIME_ARG_MAP {\"size\", 9}\n",
                                        "#define OP add_tiles(0, 1)\n",
                                        "#define MM_THROTTLE 2\n",
                                        "#define DEBUG_PRINT_ENABLED 1\n",
                                        "#define TS_MATH_FIDELITY 2\n",
                                        "#define NUM_DRAM_BANKS 8\n",
                                        "#define LOG_BASE_2_OF_NUM_DRAM_BANKS 3\n",
                                        "#define NUM_L1_BANKS 130\n",
                                        "#define IS_NOT_POW2_NUM_L1_BANKS 1\n",
                                        "constexpr bool DST_ACCUM_MODE = true;\n",
                                        "unpack_src_format[64] = {0,255,",
                                        "unpack_dst_format[64] = {4,255,", // Tf32
                                        "unpack_tile_size[64] = {4096,0,"};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(text, lines[i]) != NULL, "no %s in:\n%s", lines[i], text);
    free(text);
    done(plan);
}
END_TEST

// The vendor's rules for register formats (tt-metal, data_format.cpp).
START_TEST(formats)
{
    static const struct {
        const char *first, *second; // of buffers 0 and 1
        bool fp32, precise;
        const char *unpack, *pack; // of buffer 0
    } rows[] = {
        {"bf16", "bf16", false, false, "bf16", "bf16"},
        {"fp32", "fp32", false, false, "bf16", "bf16"},
        {"fp32", "fp16", false, false, "fp16", "fp16"},
        {"fp32", "bf16", true, false, "tf32", "fp32"},
        {"fp32", "fp16", true, false, "fp16", "fp32"},
        {"bfp8", "bf16", false, false, "bfp8", "bfp8"},
        {"bfp4", "bf16", false, false, "bfp4", "bfp8"},
        {"bfp4", "bf16", false, true, "bfp4", "bf16"},
        {"bfp8", "bf16", true, true, "bfp8", "fp32"},
        {"fp16", "fp16", true, false, "fp16", "bf16"},
        {"int32", "int32", true, false, "int32", "int32"},
        {"uint16", "bf16", false, false, "uint16", "uint16"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t all[TS_PROGRAM_CBS];
        struct ts_plan_formats table;
        memset(all, TS_PLAN_FORMAT_NONE, sizeof all);
        all[0] = (uint8_t)ts_plan_format_by_name(rows[i].first);
        all[1] = (uint8_t)ts_plan_format_by_name(rows[i].second);
        ts_plan_format_infer(&table, all, rows[i].fp32, rows[i].precise, 0);
        ck_assert_msg(table.unpack_dst[0] == ts_plan_format_by_name(rows[i].unpack) &&
                          table.pack_src[0] == ts_plan_format_by_name(rows[i].pack),
                      "row %u: %s %s", i, ts_plan_format_name(table.unpack_dst[0]),
                      ts_plan_format_name(table.pack_src[0]));
        ck_assert_uint_eq(table.unpack_src[0], all[0]);
        ck_assert_uint_eq(table.pack_src[5], TS_PLAN_FORMAT_NONE);
    }
}
END_TEST

// Contents, rounded as they are stored, in every layout.
START_TEST(contents)
{
    struct ts_plan *plan = read_text(
        "params: {n: 64}\n"
        "tensors:\n"
        "  i: {shape: [n, 64], format: int32, fill: row * 64 + column - 100}\n"
        "  u: {shape: [4, 6], format: uint16, layout: rows, page: 4, fill: 65535}\n"
        "  f: {shape: [32, 32], fill: 1.001}\n"
        "  b: {shape: [32, 64], format: bfp4, fill: 'normal(5, 0)'}\n"
        "  y: {shape: [n, 64], format: fp32, expect: i * 2 + n}\n"
        "kernels: [{source: k.cpp, on: brisc}]\n");
    ck_assert_double_eq(plan->tensors[0].data.at[65], -35);
    ck_assert_double_eq(plan->tensors[1].data.at[23], 65535);
    ck_assert_uint_eq(plan->tensors[1].pages, 12);
    ck_assert_double_eq(plan->tensors[2].data.at[1023], 1);
    ck_assert_double_eq(plan->tensors[3].data.at[0], 5);
    ck_assert_double_eq(plan->tensors[4].want.at[65], -6);
    // A tile's second face holds columns 16 to 31.
    uint8_t bytes[4096];
    int32_t value;
    ts_plan_page(&plan->tensors[0], &plan->tensors[0].data, 1, bytes, true);
    memcpy(&value, bytes + 4 * 256, 4);
    ck_assert_int_eq(value, 32 + 16 - 100);
    done(plan);
}
END_TEST

// Without arithmetic random floats are left out; what a kernel may branch on is there.
START_TEST(unseen)
{
    static const struct {
        const char *tensor; // its keys
        bool prepared;
    } cases[] = {
        {"fill: 'normal(0, 1)'", false},
        {"fill: 'n > 3 ? uniform(0, n) : normal(0, 1) * 2 + n'", false},
        {"fill: 'normal(0, 1)', seen: true", true},
        {"fill: 'normal(0, 1)', save: x.npy", true},
        {"fill: 'integers(0, 9)', format: int32", true},
        {"fill: 'uniform(0, 9)', format: uint16", true},
        {"fill: 'integers(0, 9)'", true},
        {"fill: 'normal(0, 1) + row'", true},
        {"fill: 'abs(normal(0, 1))'", true},
        {"fill: '1 / normal(3, 1)'", true},
        {"fill: n", true},
        {"fill: '-first'", true},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "params: {n: 64}\n"
                 "tensors:\n"
                 "  first: {shape: [32, 32], fill: 'normal(0, 1)'}\n"
                 "  x: {shape: [32, 32]%s %s}\n"
                 "kernels: [{source: k.cpp, on: brisc}]\n",
                 cases[i].tensor[0] ? "," : "", cases[i].tensor);
        struct ts_plan *plan = read_with(
            text, &(struct ts_plan_options){.unchecked = true, .no_floats = true});
        ck_assert_msg((plan->tensors[1].data.at != NULL) == cases[i].prepared, "%s",
                      cases[i].tensor);
        // The first tensor is prepared for the one that is made from it, with the same numbers.
        bool needed = strstr(cases[i].tensor, "-first") != NULL;
        ck_assert((plan->tensors[0].data.at != NULL) == needed);
        if (needed)
            ck_assert_double_eq(plan->tensors[1].data.at[7], -plan->tensors[0].data.at[7]);
        done(plan);
    }
}
END_TEST

START_TEST(numpy)
{
    struct ts_error error = {0};
    struct ts_value value, back;
    char path[100];
    folder_make();
    snprintf(path, sizeof path, "%s/x.npy", folder);
    ts_value_init(&value, 3, 5);
    for (unsigned i = 0; i < 15; i++)
        value.at[i] = (double)i - 7;
    static const char *const types[] = {"<f4", "<i4"};
    for (unsigned t = 0; t < 2; t++) {
        ck_assert_msg(ts_npy_write(path, &value, types[t], &error), "%s", error.text);
        ck_assert_msg(ts_npy_read(path, &back, &error), "%s", error.text);
        ck_assert_uint_eq(back.rows, 3);
        ck_assert_uint_eq(back.columns, 5);
        ck_assert_mem_eq(back.at, value.at, 15 * sizeof(double));
        free(back.at);
    }
    free(value.at);
    // Half floats, and a shape of three dimensions.
    FILE *file = fopen(path, "wb");
    fwrite("\x93NUMPY\1\0\x4a\0{'descr': '<f2', 'fortran_order': False, 'shape': (2, 1, 2), }    "
           "            \n",
           1, 84, file);
    const uint16_t halves[] = {0x3c00, 0xc100, 0x7c00, 0x0001};
    fwrite(halves, 2, 4, file);
    fclose(file);
    ck_assert_msg(ts_npy_read(path, &back, &error), "%s", error.text);
    ck_assert_uint_eq(back.rows, 2);
    ck_assert_double_eq(back.at[0], 1);
    ck_assert_double_eq(back.at[1], -2.5);
    ck_assert(isinf(back.at[2]));
    ck_assert_double_eq(back.at[3], ldexp(1, -24));
    free(back.at);
    folder_remove();
}
END_TEST

// As libstdc++ shuffles.
START_TEST(banks)
{
    static const struct {
        uint32_t count, first[3], last;
    } rows[] = {{130, {81, 63, 38}, 54},
                {140, {81, 63, 38}, 132},
                {120, {81, 63, 38}, 104},
                {7, {3, 0, 4}, 2}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got[TS_PLAN_CORES];
        ts_plan_shuffle(got, rows[i].count);
        ck_assert_mem_eq(got, rows[i].first, sizeof rows[i].first);
        ck_assert_uint_eq(got[rows[i].count - 1], rows[i].last);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, banks);
    tcase_add_test(tests, places);
    tcase_add_test(tests, parameters);
    tcase_add_test(tests, spoken_for);
    tcase_add_test(tests, prelude);
    tcase_add_test(tests, formats);
    tcase_add_test(tests, contents);
    tcase_add_test(tests, unseen);
    tcase_add_test(tests, numpy);
}
SUITE("plan", add_tests)
