// Sequences of programs: the allocator, dispatch against published times, the operation table, and files with one mistake each.
#include "platform/base/json.h"
#include "platform/chip/chip.h"
#include "platform/out/text.h"
#include "platform/run/layer/layer.h"
#include "platform/tile/watchdog.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <math.h>

// --- places ---

START_TEST(allocator)
{
    struct ts_space space;
    uint32_t a, b, c, d;
    char map[200];
    ts_space_init(&space, 1 << 22, TS_PROGRAM_END);
    ts_space_map(&space, true, map, sizeof map);
    ck_assert_str_eq(map, "");
    ck_assert(ts_space_take(&space, false, 4096, "a", &a));
    ck_assert(ts_space_take(&space, false, 64, "b", &b));
    ck_assert_uint_eq(a, TS_SPACE_DRAM); // DRAM upwards
    ck_assert_uint_eq(b, a + 4096);
    ts_space_give(&space, false, a);
    ck_assert(ts_space_take(&space, false, 8192, "c", &c)); // does not fit where a was
    ck_assert_uint_eq(c, b + 64);
    ck_assert(ts_space_take(&space, false, 4096, "d", &d));
    ck_assert_uint_eq(d, a);
    ck_assert(ts_space_take(&space, true, 1024, "a", &a)); // L1 downwards
    ck_assert(ts_space_take(&space, true, 1024, "b", &b));
    ck_assert_uint_eq(a, TS_PROGRAM_END - 1024);
    ck_assert_uint_eq(b, TS_PROGRAM_END - 2048);
    ck_assert_uint_eq(ts_space_lowest(&space), b);
    ts_space_give(&space, true, a);
    ck_assert(ts_space_take(&space, true, 512, "c", &c)); // the highest free piece, at its end
    ck_assert_uint_eq(c, TS_PROGRAM_END - 512);
    ck_assert(!ts_space_take(&space, true, TS_PROGRAM_END - TS_PROGRAM_FREE - 1536, "d", &d));
    ts_space_map(&space, true, map, sizeof map);
    ck_assert_str_eq(map, "; L1: 111616 to 1570816 free, b from 1570816 to 1571840, 1571840 to "
                          "1572352 free, c from 1572352 to 1572864");
    ts_space_give(&space, true, b);
    ck_assert_uint_eq(ts_space_largest(&space, true), TS_PROGRAM_END - TS_PROGRAM_FREE - 512);
}
END_TEST

// --- dispatch: time a program in a stream of them (tt-metal, pgm_dispatch_blackhole_golden.json, p150 at 1350 MHz) ---

static const struct {
    const char *what;
    struct ts_dispatch_load load;
    uint32_t kernel; // cycles
    double us;
} streams[] = {
    {"no arguments, one core", {.cores = 1, .groups = 1}, 0, 1.29},
    {"no arguments, all cores", {.cores = 99, .groups = 1}, 0, 1.2976},
    {"1 argument, one core", {.cores = 1, .groups = 1, .unique = 1, .words = 1}, 0, 1.5071},
    {"128 common arguments, one core", {.cores = 1, .groups = 1, .configured = true}, 0, 1.5454},
    {"32 buffers", {.cores = 99, .groups = 1, .configured = true}, 0, 1.6805},
    {"semaphores", {.cores = 99, .groups = 1, .configured = true}, 0, 1.6567},
    {"1 argument", {.cores = 99, .groups = 1, .unique = 99, .words = 495}, 0, 4.6283},
    {"32 arguments", {.cores = 99, .groups = 1, .unique = 99, .words = 15840}, 0, 4.793},
    {"128 arguments", {.cores = 99, .groups = 1, .unique = 99, .words = 63360}, 0, 5.66},
    {"8 groups of buffers", {.cores = 99, .groups = 8, .configured = true}, 0, 4.6851},
    {"8 groups of kernels", {.cores = 99, .groups = 8}, 0, 4.28},
    {"8 groups, 1 argument", {.cores = 99, .groups = 8, .unique = 99, .words = 495}, 0, 8.65},
    {"8 groups, 128 arguments", {.cores = 99, .groups = 8, .unique = 99, .words = 63360}, 0, 9.83},
    {"1000 cycles", {.cores = 99, .groups = 1}, 1000, 1.50},
    {"2000 cycles", {.cores = 99, .groups = 1}, 2000, 2.25},
    {"5000 cycles", {.cores = 99, .groups = 1}, 5000, 4.47},
    {"10000 cycles", {.cores = 99, .groups = 1}, 10000, 8.18},
};
#define STREAMS (sizeof streams / sizeof *streams)

static void load(struct ts_params *params, struct ts_error *error)
{
    char path[512];
    ts_chip_params_add(params);
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ck_assert_msg(ts_params_load(params, path, error) == TS_OK, "%s", error->text);
}

static struct ts_dispatch dispatcher(void)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    struct ts_dispatch self = {.on = true, .traced = true};
    load(&params, &error);
    TS_PARAMS_FILL(&params, "dispatch", &self.params);
    self.mhz = ts_clock_mhz(&params);
    ts_params_free(&params);
    return self;
}

// Cycles a program, all cores ending together.
static double stream(struct ts_dispatch *self, const struct ts_dispatch_load *load, uint32_t kernel)
{
    const ts_cycle prepare = ts_dispatch_cycles(self, self->params.prepare);
    ts_cycle end = 0, half = 0;
    for (int i = 0; i < 200; i++) {
        const ts_cycle go = ts_dispatch_go(self, load, end), ready = i ? end + prepare : 0;
        end = (go > ready ? go : ready) + kernel;
        ts_dispatch_ended(self, end);
        half = i == 99 ? end : half;
    }
    return (double)(end - half) / 100;
}

START_TEST(published_streams)
{
    struct ts_dispatch self = dispatcher();
    const double us = stream(&self, &streams[_i].load, streams[_i].kernel) / self.mhz;
    const double most = streams[_i].kernel == 0 ? 0.03 : 0.01;
    ck_assert_msg(fabs(us / streams[_i].us - 1) < most, "%s: %.3f us, published %.3f",
                  streams[_i].what, us, streams[_i].us);
}
END_TEST

// A long program hides what is sent behind it, as far as seven programs; a full ring waits for the end of who uses it.
START_TEST(write_ahead)
{
    struct ts_dispatch self = dispatcher();
    const struct ts_dispatch_load load = {.cores = 99,
                                          .groups = 1,
                                          .unique = 99,
                                          .words = 99,
                                          .kernels = 1,
                                          .id = (const uint64_t[]){1},
                                          .size = (const uint32_t[]){2048}};
    ts_cycle begins[12], end = 100000; // of the long one
    ck_assert_uint_eq(ts_dispatch_go(&self, &load, 0), 0);
    ts_dispatch_ended(&self, end);
    for (int i = 0; i < 12; i++) {
        begins[i] = ts_dispatch_go(&self, &load, end);
        const ts_cycle gap = begins[i] - end;
        if (i < 7) // sent before
            ck_assert_uint_eq(gap, ts_dispatch_cycles(&self, self.params.go));
        else if (i == 7) // its slot was the long program's: sent from its end on
            ck_assert_uint_eq(begins[i], 100000 + ts_dispatch_cost(&self, &load, 0));
        end = begins[i] + 10;
        ts_dispatch_ended(&self, end);
    }
    // Two kernels that do not fit together.
    struct ts_dispatch full = dispatcher();
    struct ts_dispatch_load large = {.cores = 1,
                                     .groups = 1,
                                     .kernels = 1,
                                     .id = (const uint64_t[]){1},
                                     .size = (const uint32_t[]){60000}};
    ts_dispatch_go(&full, &large, 0);
    ts_dispatch_ended(&full, 50000);
    large.id = (const uint64_t[]){2};
    ck_assert_uint_eq(ts_dispatch_go(&full, &large, 50000),
                      50000 + ts_dispatch_cost(&full, &large, 60000));
    // What is there is not sent again, except without a trace.
    ts_dispatch_ended(&full, 60000);
    const ts_cycle sent = full.sent;
    ts_dispatch_go(&full, &large, 60000);
    ck_assert_uint_eq(full.sent, sent + ts_dispatch_cost(&full, &large, 0));
    ts_dispatch_ended(&full, 70000);
    full.traced = false;
    const ts_cycle again = full.sent;
    ts_dispatch_go(&full, &large, 70000);
    ck_assert_uint_eq(full.sent, again + ts_dispatch_cost(&full, &large, 60000));
}
END_TEST

// --- runs ---

struct run {
    struct ts_kernel *kernel;
    struct ts_params params;
    struct ts_layer *layer;
    struct ts_error error;
};

static struct ts_run go_on(void *context, ts_cycle limit)
{
    return ts_watched_run(((struct run *)context)->kernel, limit);
}

static bool run_file(struct run *self, const char *path, const char *const *params, size_t count,
                     bool timing_only)
{
    *self = (struct run){.kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1})};
    load(&self->params, &self->error);
    struct ts_tile_config config = ts_tile_config_from(&self->params);
    config.timing_only = timing_only;
    const struct ts_plan_options options = {.params = params,
                                            .param_count = count,
                                            .unchecked = timing_only,
                                            .no_floats = timing_only,
                                            .sequence = true};
    self->layer = ts_layer_new(path, &options, &self->params, &config, self->kernel, &self->error);
    return self->layer && ts_kernel_elaborate(self->kernel, &self->error) == TS_OK &&
           ts_layer_run(self->layer, go_on, self, &self->error);
}

static bool run_text(struct run *self, const char *text, bool timing_only)
{
    char path[100];
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return run_file(self, path, NULL, 0, timing_only);
}

static void run_free(struct run *self)
{
    ts_layer_free(self->layer);
    ts_kernel_free(self->kernel);
    ts_params_free(&self->params);
}

#define TENSORS                                                           \
    "params: {r: 64, c: 128}\ntensors:\n"                                 \
    "  x: {shape: [r, c], format: bf16, fill: 'normal(0, 1)', seed: 1}\n" \
    "  h: {shape: [r, c], format: bf16}\n"                                \
    "  l: {shape: [r, c], format: bf16, in: l1}\n"                        \
    "  m: {shape: [r, c], format: bf16, in: l1}\n"                        \
    "  big: {shape: [98304, 1024], format: bf16, in: l1}\n"               \
    "  q: {shape: [32, c], format: bf16}\n"
#define HEAD "kind: sequence\n" TENSORS "steps:\n"
#define SUM(name, from, a, b, y, more)                                           \
    "  - {name: " name                                                           \
    ", run: binary, set: {rows: r, columns: c, op: add, cores: 2x1, from: " from \
    "}, tensors: {a: " a ", b: " b ", y: " y "}" more "}\n"
#define EIGHT                                                                                 \
    SUM("one", "dram", "x", "x", "h", ", expect: {h: x + x}")                                 \
    SUM("two", "dram", "h", "x", "h", ", expect: {h: h + x}")                                 \
    "  - {name: norm, run: norm, set: {rows: r, columns: c, op: rmsnorm, cores: '0,0'}, "     \
    "tensors: {x: h, y: h}, expect: {h: 'rmsnorm(h, 0.00001)'}}\n"                            \
    "  - {loop: 3, of: [{name: more, run: binary, set: {rows: r, columns: c, op: add, "       \
    "cores: 2x1}, tensors: {a: h, b: x, y: h}, expect: {h: h + x}}]}\n"                       \
    "  - {name: put, run: sfpu, set: {rows: r, columns: c, op: relu, from: l1, cores: 4x2}, " \
    "tensors: {x: l, y: m}, expect: {m: relu(l)}, pcc: 0.999}\n"                              \
    "  - {free: [l]}\n" SUM("last", "dram", "h", "x", "h", "")

START_TEST(eight_operations)
{
    struct run alone, run;
    const char *fill = "kind: sequence\n" TENSORS "steps:\n";
    char text[3000];
    snprintf(text, sizeof text, "%s%s", fill, EIGHT);
    char *l = strstr(text, "in: l1}"); // l has contents
    char filled[3100];
    snprintf(filled, sizeof filled, "%.*sin: l1, fill: 'normal(0, 1)'}%s", (int)(l - text), text,
             l + strlen("in: l1}"));
    ck_assert_msg(run_text(&run, filled, false), "%s", run.error.text);
    json_t *document = ts_layer_json(run.layer), *row;
    size_t i;
    json_int_t clock = 0;
    ck_assert_str_eq(run.layer->wrong, "");
    ck_assert_uint_eq(json_array_size(run.layer->rows), 8);
    json_array_foreach(run.layer->rows, i, row)
    {
        ck_assert_int_eq(ts_json_integer(row, "begin"), clock + ts_json_integer(row, "gap"));
        clock = ts_json_integer(row, "begin") + ts_json_integer(row, "cycles");
        ck_assert(i == 7 || json_is_true(json_object_get(row, "right")));
        ck_assert(i == 0 || ts_json_integer(row, "gap") > 0);
    }
    ck_assert_int_eq(clock, ts_json_integer(document, "layer_cycles"));
    ck_assert_int_eq(clock, ts_json_integer(document, "operation_cycles") +
                                ts_json_integer(document, "gap_cycles"));
    json_decref(document);
    // The first operation alone: the same cycles.
    ck_assert(run_text(&alone, HEAD SUM("one", "dram", "x", "x", "h", ""), false));
    ck_assert_int_eq(ts_json_integer(json_array_get(alone.layer->rows, 0), "cycles"),
                     ts_json_integer(json_array_get(run.layer->rows, 0), "cycles"));
    // Without dispatch there are no gaps.
    run_free(&run);
    run_free(&alone);
    ck_assert(run_text(&run,
                       "dispatch: none\n" HEAD SUM("one", "dram", "x", "x", "h", "")
                           SUM("two", "dram", "h", "x", "h", ""),
                       true));
    ck_assert_int_eq(ts_json_integer(json_array_get(run.layer->rows, 1), "gap"), 0);
    run_free(&run);
}
END_TEST

// A low-level kernel between two programs: on a machine of its own, with the same cycles wherever it stands.
START_TEST(own_machine)
{
    struct run run, alone;
    const char *low = "  - {name: low, run: llk/matmul, set: {m: 64, n: 64, k: 64}}\n";
    char text[1000];
    snprintf(text, sizeof text, HEAD "%s", low);
    ck_assert_msg(run_text(&alone, text, true), "%s", alone.error.text);
    snprintf(text, sizeof text,
             HEAD SUM("one", "dram", "x", "x", "h", "") "%s" SUM("two", "dram", "h", "x", "h", ""),
             low);
    ck_assert_msg(run_text(&run, text, true), "%s", run.error.text);
    const json_t *first = json_array_get(run.layer->rows, 0),
                 *row = json_array_get(run.layer->rows, 1),
                 *last = json_array_get(run.layer->rows, 2);
    ck_assert_int_eq(ts_json_integer(row, "cycles"),
                     ts_json_integer(json_array_get(alone.layer->rows, 0), "cycles"));
    ck_assert_int_eq(ts_json_integer(row, "begin"),
                     ts_json_integer(first, "cycles") + ts_json_integer(row, "gap"));
    ck_assert_int_eq(ts_json_integer(last, "begin"), ts_json_integer(row, "begin") +
                                                         ts_json_integer(row, "cycles") +
                                                         ts_json_integer(last, "gap"));
    ck_assert_int_gt(ts_json_integer(row, "gap"), 0);
    run_free(&run);
    run_free(&alone);
}
END_TEST

// What a card takes: errors of operations, gaps only between neighbours that both have such a time.
START_TEST(against_a_card)
{
    struct run run;
    ck_assert(run_text(&run,
                       HEAD SUM("one", "dram", "x", "x", "h", ", measured: [2.0, 9.0]")
                           SUM("two", "dram", "x", "h", "h", ", measured: [1.0, 0.5]")
                               SUM("three", "dram", "x", "h", "h", "")
                                   SUM("four", "dram", "x", "h", "h", ", measured: [1.0, 9.0]"),
                       true));
    json_t *document = ts_layer_json(run.layer), *card = json_object_get(document, "measured");
    const json_t *two = json_array_get(run.layer->rows, 1);
    ck_assert_int_eq(ts_json_integer(card, "operations"), 3);
    ck_assert_int_eq(ts_json_integer(card, "gaps"), 1);
    ck_assert_double_eq_tol(ts_json_number(card, "us"), 4, 1e-9);
    ck_assert_double_eq_tol(ts_json_number(card, "gap_percent"),
                            200 * ts_json_number(two, "gap_us") - 100, 1e-6);
    ck_assert_double_eq_tol(ts_json_number(json_object_get(two, "measured"), "percent"),
                            100 * ts_json_number(two, "us") - 100, 1e-6);
    json_decref(document);
    run_free(&run);
}
END_TEST

// A line of ops_perf_results.csv for each operation, with a cell for each column, and times that add up.
START_TEST(table)
{
    struct run run;
    char *text = NULL, *line, *rest;
    size_t length = 0, columns = 0, rows = 0;
    ck_assert(run_text(&run,
                       HEAD SUM("'one, two'", "dram", "x", "x", "h", "")
                           SUM("three", "dram", "h", "x", "h", ""),
                       true));
    json_t *document = ts_layer_json(run.layer);
    FILE *file = open_memstream(&text, &length);
    ts_text_print("ops_csv", document, false, file);
    fclose(file);
    for (rest = text; (line = strsep(&rest, "\n")) != NULL && *line; rows++) {
        size_t cells = 1;
        for (const char *c = line; *c; c++)
            cells += *c == ',';
        columns = rows ? columns : cells;
        ck_assert_uint_eq(cells, columns);
        ck_assert(rows != 1 ||
                  strncmp(line, "one; two,tt_dnn_device,1024,0,blackhole,rows=64; ", 48) == 0);
    }
    ck_assert_uint_eq(rows, 3);
    ck_assert_uint_eq(columns, 97);
    free(text);
    json_decref(document);
    run_free(&run);
}
END_TEST

// The layer that ships: every operation right, from the first to the last.
START_TEST(decoder_layer)
{
    static const char *const params[] = {"phase=prefill", "seq=64",      "cache=64",  "dim=64",
                                         "heads=2",       "kv_heads=1",  "hidden=64", "across=2",
                                         "down=1",        "attention=1", "q_chunk=1", "k_chunk=2"};
    const char *own[12];
    struct run run;
    char path[512];
    size_t i;
    json_t *row;
    memcpy(own, params, sizeof own);
    own[0] = _i ? "phase=decode" : params[0];
    ts_config_path(path, sizeof path, "programs/decoder-layer/program.yaml");
    ck_assert_msg(run_file(&run, path, own, 12, false), "%s", run.error.text);
    ck_assert_str_eq(run.layer->wrong, "");
    ck_assert_uint_eq(json_array_size(run.layer->rows), _i ? 19 : 17);
    json_array_foreach(run.layer->rows, i, row)
        ck_assert(json_is_true(json_object_get(row, "right")));
    row = json_array_get(run.layer->rows, i - 1);
    ck_assert(ts_json_number(row, "end_to_end_rel_l2") < 0.05);
    run_free(&run);
}
END_TEST

// Over two chips: heads and columns of the gate are divided, two sums put the parts together; both chips have the same in the end.
START_TEST(decoder_layer_of_two_chips)
{
    static const char *const params[] = {"system=p150x2", "seq=64",      "cache=64",   "dim=64",
                                         "heads=2",       "kv_heads=2",  "hidden=128", "across=2",
                                         "down=1",        "attention=1", "q_chunk=1",  "k_chunk=2",
                                         "phase=decode"};
    struct run run;
    char path[512];
    size_t i, sums = 0;
    json_t *row = NULL;
    ts_config_path(path, sizeof path, "programs/decoder-layer/program.yaml");
    ck_assert_msg(run_file(&run, path, params, _i ? 13 : 12, false), "%s", run.error.text);
    ck_assert_str_eq(run.layer->wrong, "");
    ck_assert_uint_eq(json_array_size(run.layer->rows), _i ? 21 : 19);
    json_array_foreach(run.layer->rows, i, row)
    {
        ck_assert(json_is_true(json_object_get(row, "right")));
        sums += strncmp(json_string_value(json_object_get(row, "name")), "sum of", 6) == 0;
    }
    ck_assert_uint_eq(sums, 2);
    ck_assert(ts_json_number(row, "end_to_end_rel_l2") < 0.05);
    const struct ts_plan *const *plans = run.layer->plans;
    const int x = ts_plan_tensor_find(plans[0], "wo"), y = ts_plan_tensor_find(plans[0], "y");
    const size_t bytes = plans[0]->tensors[y].rows * plans[0]->tensors[y].columns * sizeof(double);
    ck_assert(memcmp(plans[0]->tensors[y].data.at, plans[1]->tensors[y].data.at, bytes) == 0);
    ck_assert_uint_ne(plans[0]->tensors[x].seed, plans[1]->tensors[x].seed);
    run_free(&run);
}
END_TEST

// A sum that is wrong on one chip is named with it; a program for several chips needs a system.
START_TEST(sums_over_chips)
{
    static const char two[] = "system: p150x2\nkind: sequence\nparams: {r: 64, c: 128}\ntensors:\n"
                              "  x: {shape: [r, c], format: bf16, fill: '1 + chip.id'}\nsteps:\n"
                              "  - {run: chips-all-reduce, set: {kib: 16, columns: c, chunk: 1}, "
                              "tensors: {y: x}, expect: {x: 'x.sum + (chip.id == 1)'}}\n";
    struct run run;
    ck_assert_msg(run_text(&run, two, false), "%s", run.error.text);
    ck_assert_msg(strstr(run.layer->wrong, "s.yaml:7: operation chips-all-reduce: x is not what is "
                                           "expected on chip 1: "),
                  "%s", run.layer->wrong);
    run_free(&run);
    ck_assert(!run_text(&run, strchr(two, '\n') + 1, true));
    ck_assert_msg(strstr(run.error.text, "s.yaml:6:11: operation chips-all-reduce: it is for "
                                         "several chips: the sequence needs `system: p150x2'"),
                  "%s", run.error.text);
    run_free(&run);
}
END_TEST

START_TEST(wrong_result_names_operation)
{
    struct run run;
    ck_assert(run_text(&run,
                       HEAD SUM("one", "dram", "x", "x", "h", ", expect: {h: x + x}")
                           SUM("two", "dram", "h", "x", "h", ", expect: {h: h - x}"),
                       false));
    ck_assert_msg(strstr(run.layer->wrong, "s.yaml:12: operation two: h is not what is expected"),
                  "%s", run.layer->wrong);
    run_free(&run);
}
END_TEST

// --- mistakes ---

#define GOOD SUM("ok", "dram", "x", "x", "h", "")
static const struct {
    const char *text, *place, *message;
} mistakes[] = {
    {HEAD GOOD "  - {free: [h]}\n" SUM("late", "dram", "h", "x", "h", ""),
     "13:", "operation late: h was freed in line 12"},
    {HEAD GOOD "  - {free: [h]}\n  - {free: [h]}\n", "13:", "h was freed in line 12"},
    {HEAD "  - {free: [h]}\n" GOOD, "11:", "h has no place yet (line 5)"},
    {HEAD GOOD "  - {alloc: [h]}\n", "12:", "h has a place already"},
    {HEAD GOOD "  - {free: [nothing]}\n", "12:", "the sequence has no tensor 'nothing'"},
    {HEAD SUM("unfit", "dram", "x", "q", "h", ""), "11:",
     "operation unfit: b of the program is 64x128 bf16 tiles in DRAM, interleaved; q is 32x128"},
    {HEAD SUM("unfit", "dram", "x", "x", "l", ""), "11:", "l is 64x128 bf16 tiles in L1"},
    {HEAD SUM("empty", "dram", "x", "h", "h", ""),
     "11:", "operation empty: reads h, which nothing has written"},
    {HEAD SUM("named", "dram", "x", "x", "z", ""), "11:", "the sequence has no tensor 'z'"},
    {HEAD "  - {name: odd, run: binary, tensors: {w: x}}\n",
     "11:", "operation odd: the program mul(a, b) has no tensor 'w'"},
    {HEAD "  - {name: large, run: sfpu, set: {rows: 98304, columns: 1024, from: l1}, "
          "tensors: {y: big}}\n",
     "11:", "operation large: "},
    {HEAD SUM("lost", "dram", "x", "x", "h", ", expect: {h: nowhere.npy}"),
     "11:", "operation lost: "},
    {HEAD SUM("lost", "dram", "x", "x", "h", ", expect: {h: nowhere.npy}"),
     "11:", "nowhere.npy cannot be read"},
    {HEAD SUM("other", "dram", "x", "x", "h", ", expect: {x: h}"),
     "11:", "operation other: it does not write this tensor"},
    {HEAD "  - {run: nothing}\n", "11:", "operation nothing: nothing: no such file"},
    {HEAD "  - {run: binary, set: {colour: 3}}\n", "11:", "operation binary: "},
    {HEAD "  - {run: llk/matmul, tensors: {in0: x}}\n",
     "11:", "they have no tensors of the sequence"},
    {HEAD "  - {run: llk/matmul, set: {m: 3}}\n", "11:", "operation llk/matmul: "},
    {HEAD "  - {run: binary, measured: 3}\n", "11:", "measured: [time in us, gap before it in us]"},
    {HEAD "  - {jump: 3}\n", "11:", "run"},
    {HEAD "  - {loop: zz, of: []}\n", "11:", "nothing is called zz"},
    {HEAD "  - 3\n", "11:", "a step is"},
    {"dispatch: maybe\n" HEAD GOOD, "1:", "dispatch is traced, eager or none"},
    {"kind: other\n" TENSORS "steps:\n" GOOD, "1:", "kind is sequence"},
    {"kind: sequence\nsteps: []\n", "1:", "no step runs a program"},
};
#define MISTAKES (sizeof mistakes / sizeof *mistakes)

START_TEST(mistake)
{
    struct run run;
    char place[120];
    ck_assert(!run_text(&run, mistakes[_i].text, true));
    snprintf(place, sizeof place, "%s/s.yaml:%s", folder, mistakes[_i].place);
    ck_assert_int_eq(run.error.code, TS_SETUP);
    ck_assert_msg(strncmp(run.error.text, place, strlen(place)) == 0 &&
                      strstr(run.error.text, mistakes[_i].message),
                  "%s: %s expected at %s", run.error.text, mistakes[_i].message, place);
    run_free(&run);
}
END_TEST

// An L1 that is full: the message shows what lies where.
START_TEST(full)
{
    struct run run;
    ck_assert(!run_text(&run,
                        "kind: sequence\ntensors:\n"
                        "  x: {shape: [32768, 1024], format: bf16, in: l1, fill: '1'}\n"
                        "  y: {shape: [98304, 1024], format: bf16, in: l1}\nsteps:\n"
                        "  - {name: small, run: sfpu, set: {rows: 32768, columns: 1024, from: l1}, "
                        "tensors: {x: x}}\n"
                        "  - {name: large, run: sfpu, set: {rows: 98304, columns: 1024, from: l1}, "
                        "tensors: {x: y}}\n",
                        true));
    ck_assert_int_eq(run.error.code, TS_SETUP);
    ck_assert_msg(strstr(run.error.text, "s.yaml:7:") &&
                      strstr(run.error.text, "operation large") &&
                      strstr(run.error.text, "needs 1550336 bytes of L1 on each of 130 cores") &&
                      strstr(run.error.text, "x from "),
                  "%s", run.error.text);
    run_free(&run);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, allocator);
    tcase_add_loop_test(tests, published_streams, 0, STREAMS);
    tcase_add_test(tests, write_ahead);
    tcase_add_test(tests, eight_operations);
    tcase_add_test(tests, own_machine);
    tcase_add_test(tests, against_a_card);
    tcase_add_test(tests, table);
    tcase_add_loop_test(tests, decoder_layer, suite_every_case() ? 0 : 1, 2);
    tcase_add_loop_test(tests, decoder_layer_of_two_chips, suite_every_case() ? 0 : 1, 2);
    tcase_add_test(tests, sums_over_chips);
    tcase_add_test(tests, wrong_result_names_operation);
    tcase_add_loop_test(tests, mistake, 0, MISTAKES);
    tcase_add_test(tests, full);
}
SUITE("layer", add_tests)
