// The loss account: every cycle of the limiting unit has one owner, with a cause and an object, for
// any kernel, grid and program; what is free makes its runs faster by what --why prints.
#include "platform/base/json.h"
#include "platform/lib/inside.h"
#include "platform/tile/free.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT UINT64_C(50000000)

static struct tensim *run_kernel(const char *name, const char *const *settings, size_t count,
                                 const struct tensim_config *config)
{
    struct tensim_error error = {0};
    struct tensim *sim = tensim_new_kernel(name, settings, count, config, &error);
    ck_assert_msg(sim != NULL, "%s: %s", name, error.text);
    ck_assert_msg(tensim_run(sim, LIMIT, &error) == TENSIM_OK, "%s: %s", name, error.text);
    return sim;
}

// In integer cycles nothing is left over and nothing is counted twice.
static void check_account(const struct tensim *sim, const char *what)
{
    const struct ts_loss_account *loss = sim->work->loss;
    ck_assert_msg(loss != NULL, "%s: no account", what);
    int64_t sum = loss->reached;
    for (uint32_t i = 0; i < loss->count; i++) {
        const struct ts_loss_line *line = &loss->lines[i];
        sum += line->cycles;
        ck_assert_msg(line->cycles > 0, "%s: %s %s has %lld cycles", what,
                      ts_causes[line->cause].name, line->object, (long long)line->cycles);
        ck_assert_msg(line->object[0] && line->text[0], "%s: line %u has no name", what, i);
        ck_assert_msg(i == 0 || line->cycles <= line[-1].cycles, "%s: not the largest first", what);
    }
    ck_assert_msg(sum == loss->all, "%s: %lld of %lld cycles", what, (long long)sum,
                  (long long)loss->all);
    json_t *document = json_object(), *row;
    size_t index;
    ts_work_json(sim->work, document);
    double percent = json_number_value(json_object_get(document, "reached"));
    json_array_foreach(json_object_get(document, "loss"), index, row)
        percent += json_number_value(json_object_get(row, "percent"));
    ck_assert_msg(fabs(percent - 100) < 0.1, "%s: %.3f %%", what, percent);
    json_decref(document);
}

static int64_t cycles_of(const struct ts_loss_account *loss, const char *cause, const char *object)
{
    int64_t cycles = 0;
    for (uint32_t i = 0; i < loss->count; i++)
        if (strcmp(ts_causes[loss->lines[i].cause].name, cause) == 0 &&
            (object == NULL || strcmp(loss->lines[i].object, object) == 0))
            cycles += loss->lines[i].cycles;
    return cycles;
}

static const struct {
    const char *kernel, *settings[6];
} kernels[] = {
    {"matmul", {"m=64", "n=64"}},
    {"matmul", {"m=64", "n=128", "fidelity=hifi4", "dst=32"}},
    {"matmul", {"m=64", "n=64", "throttle=5"}},
    {"matmul", {"m=64", "n=64", "format=bfp8", "repeat=3"}},
    {"matmul", {"m=64", "n=64", "k=256", "blocks=4"}},
    {"matmul_seed", {"m=64", "n=64"}},
    {"matmul_tiles", {"m=64", "n=64"}},
    {"matmul", {"m=64", "n=64", "run-type=unpack_isolate"}},
    {"matmul", {"m=64", "n=64", "run-type=math_isolate"}},
    {"matmul", {"m=64", "n=64", "run-type=pack_isolate"}},
    {"matmul", {"m=64", "n=64", "run-type=l1_congestion"}},
    {"eltwise", {"m=64", "n=64"}},
    {"eltwise", {"m=64", "n=64", "op=mul", "fidelity=hifi4"}},
    {"eltwise", {"m=64", "n=64", "run-type=unpack_isolate"}},
    {"sfpu", {"m=64", "n=64", "op=exp"}},
    {"sfpu", {"m=64", "n=64", "run-type=math_isolate"}},
    {"reduce", {"m=64", "n=64"}},
    {"reduce", {"m=64", "n=64", "op=max"}},
    {"transpose", {"m=64", "n=64"}},
    {"norm", {"m=64", "n=64"}},
    {"norm", {"m=64", "n=64", "op=rmsnorm"}},
    {"tilize", {"m=64", "n=64"}},
    {"tilize", {"m=64", "n=128", "run-type=unpack_isolate"}},
    {"transpose", {"m=64", "n=128", "run-type=l1_congestion"}},
    {"untilize", {"m=64", "n=64"}},
    {"untilize", {"m=64", "n=64", "run-type=pack_isolate"}},
    {"matmul", {"m=64", "n=64", "tiles=3"}},
    {"matmul", {"m=128", "n=128", "grid=2x2"}},
    {"matmul", {"m=128", "n=192", "grid=3x2", "storage=dram/dram/dram", "fidelity=hifi2"}},
    {"matmul", {"m=64", "n=64", "perturb=7"}},
};

START_TEST(kernels_have_an_owner_for_every_cycle)
{
    const char *const *settings = kernels[_i].settings;
    struct tensim_config config;
    size_t count = 0;
    char what[200];
    int used = snprintf(what, sizeof what, "%s", kernels[_i].kernel);
    while (count < 6 && settings[count]) {
        used += snprintf(what + used, sizeof what - (size_t)used, " %s", settings[count]);
        count++;
    }
    tensim_config_init(&config);
    config.timing_only = true;
    struct tensim *sim = run_kernel(kernels[_i].kernel, settings, count, &config);
    check_account(sim, what);
    // Who runs ahead and who is parked does not decide where the cycles go, but for single ones.
    config.step_by_step = true;
    struct tensim *stepped = run_kernel(kernels[_i].kernel, settings, count, &config);
    const struct ts_loss_account *loss = sim->work->loss, *steps = stepped->work->loss;
    ck_assert_int_eq(loss->all, steps->all);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct ts_loss_line *line = &steps->lines[i];
        int64_t cycles = cycles_of(loss, ts_causes[line->cause].name, line->object),
                wanted = cycles_of(steps, ts_causes[line->cause].name, line->object);
        ck_assert_msg(llabs(cycles - wanted) * 50 <= loss->all,
                      "%s: %s of %s has %lld of %lld cycles, step by step %lld", what,
                      ts_causes[line->cause].name, line->object, (long long)cycles,
                      (long long)loss->all, (long long)wanted);
    }
    tensim_free(stepped);
    tensim_free(sim);
}
END_TEST

static const char *const programs[] = {"eltwise", "matmul", "multicast", "reader-writer"};

START_TEST(programs_have_an_owner_for_every_cycle)
{
    char path[400];
    struct tensim_error error = {0};
    snprintf(path, sizeof path, "%s/config/programs/%s/program.yaml", TENSIM_SOURCE_DIR,
             programs[_i]);
    struct tensim *sim = tensim_new_program(path, NULL, 0, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, LIMIT, &error) == TENSIM_OK, "%s", error.text);
    check_account(sim, programs[_i]);
    // Their data come from DRAM, and the cores wait for each read.
    ck_assert(cycles_of(sim->work->loss, "dram", NULL) > 0);
    tensim_free(sim);
}
END_TEST

// A core that has found what it polled for and polls something else waits for that; writes of other tiles take their time.
START_TEST(waits_for_other_tiles_have_their_object)
{
    struct tensim_error error = {0};
    struct tensim *sim = tensim_new_program("multicast", NULL, 0, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, LIMIT, &error) == TENSIM_OK, "%s", error.text);
    const struct ts_loss_account *loss = sim->work->loss;
    ck_assert(cycles_of(loss, "poll", "semaphore sent, polled by brisc") > loss->all / 5);
    ck_assert(cycles_of(loss, "buffer", "c_0, polled by ncrisc") < loss->all / 20);
    // 0.33 %: from the cycle in which the write was issued.
    const int64_t signal = cycles_of(loss, "signal", "semaphore sent, polled by brisc");
    ck_assert(signal > loss->all / 400 && signal < loss->all / 250);
    ck_assert_str_eq(sim->work->verdict.bound_object, "NoC latency");
    tensim_free(sim);
}
END_TEST

// The unit reaches what the verdict says; throttle and fidelity have what they cost.
START_TEST(it_agrees_with_the_verdict)
{
    static const char *const plain[] = {"m=128"};
    static const char *const hifi[] = {"fidelity=hifi4"};
    static const char *const slow[] = {"throttle=3"};
    struct tensim_config config;
    tensim_config_init(&config);
    config.timing_only = true;
    struct tensim *sim = run_kernel("matmul", plain, 1, &config);
    const struct ts_loss_account *loss = sim->work->loss;
    ck_assert_int_eq(loss->reached, 1024);
    ck_assert_int_eq((int64_t)sim->work->verdict.cycles, loss->all);
    ck_assert_int_gt(cycles_of(loss, "work", "unpack0"), 0);
    ck_assert_int_gt(cycles_of(loss, "start_up", "trisc1"), 0);
    tensim_free(sim);
    sim = run_kernel("matmul", hifi, 1, &config);
    ck_assert_int_eq(sim->work->loss->reached, 1024);
    ck_assert_int_eq(cycles_of(sim->work->loss, "fidelity", "matrix"), 3 * 1024);
    tensim_free(sim);
    sim = run_kernel("matmul", slow, 1, &config);
    ck_assert_int_eq(cycles_of(sim->work->loss, "throttle", "t1"), (int64_t)sim->work->result.nops);
    tensim_free(sim);
}
END_TEST

static char *document_of(const struct tensim_config *config, const char *trace)
{
    static const char *const grid[] = {"m=256", "n=128", "k=64", "grid=2x2"};
    struct tensim_error error = {0};
    struct tensim *sim = tensim_new_kernel("matmul", grid, 4, config, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    if (trace)
        ck_assert_int_eq(tensim_trace(sim, trace, 0, TENSIM_FOREVER, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_run(sim, LIMIT, &error), TENSIM_OK);
    json_t *document = json_object();
    ts_loss_json(sim->work->loss, document);
    char *text = json_dumps(document, JSON_SORT_KEYS);
    json_decref(document);
    tensim_free(sim);
    return text;
}

// The bound: a unit that works most of the time, the throttle, or what the slowest stage does, by kind and
// name.
static const struct {
    const char *bound, *object, *kernel, *settings[4];
} bounds[] = {
    {"core", "trisc1", "matmul", {"m=64", "n=64", "format=bfp8"}},
    {"unit", "matrix", "matmul", {"fidelity=hifi4", "k=512"}},
    {"throttle", "the throttle", "matmul", {"throttle=5"}},
    {"throttle", "the throttle", "matmul", {"k=512", "flip=300:5"}},
    {"unit", "vector", "sfpu", {"op=gelu"}},
    {"unit", "vector and trisc1", "sfpu", {"op=relu", "m=64", "n=64"}},
    {"core", "trisc0", "eltwise", {0}}, // as --why says: free.trisc0
    {"core", "trisc0", "reduce", {0}},
    {"unpack", "unpack0", "matmul", {"run-type=unpack_isolate"}},
};

START_TEST(the_bound_has_a_name)
{
    size_t count = 0;
    while (count < 4 && bounds[_i].settings[count])
        count++;
    struct tensim *sim = run_kernel(bounds[_i].kernel, bounds[_i].settings, count, NULL);
    ck_assert_str_eq(sim->work->verdict.bound_by, bounds[_i].bound);
    ck_assert_str_eq(sim->work->verdict.bound_object, bounds[_i].object);
    ck_assert_int_gt((int)strlen(sim->work->verdict.evidence), 20);
    tensim_free(sim);
}
END_TEST

// The accounts of the kernel's window add up to it, without boot; a core that polls is not busy.
START_TEST(every_account_is_of_the_kernel)
{
    static const char *const settings[] = {"m=64", "n=64"};
    struct tensim *sim = run_kernel("matmul", settings, 2, NULL);
    const struct ts_work *work = sim->work;
    const struct ts_tile *tile = work->jobs[0].tile;
    ck_assert_uint_eq(ts_marks_cycles(&work->marks), work->verdict.cycles);
    ck_assert_uint_gt(work->marks.first, 5000);
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        struct ts_account account = ts_marks_account(&work->marks, &tile->cores[i].component);
        uint64_t sum = account.busy;
        for (unsigned r = 0; r < TS_STALL_COUNT; r++)
            sum += account.lost[r];
        ck_assert_uint_eq(sum, work->verdict.cycles);
        ck_assert_uint_eq(account.lost[TS_STALL_RV_LOCAL_CLEAR], 0); // boot
        if (i == TS_RV_BRISC) // the firmware waits for the other cores
            ck_assert_uint_gt(account.lost[TS_STALL_RV_POLL], 9 * sum / 10);
    }
    tensim_free(sim);
}
END_TEST

// Shape, largest loss, throttle changes and errors, as tables and scripts take them.
START_TEST(what_json_says)
{
    static const char *const settings[] = {"grid=2x1", "m=64", "n=128", "k=64"};
    struct tensim *sim = run_kernel("matmul", settings, 4, NULL);
    json_t *document = json_object(), *row = json_object();
    ts_work_json(sim->work, document);
    ck_assert_int_eq(json_integer_value(json_object_get(document, "m")), 64);
    ck_assert_int_eq(json_integer_value(json_object_get(document, "n")), 128);
    ck_assert_int_eq(json_integer_value(json_object_get(document, "tile_n")), 64);
    const json_t *largest = json_array_get(json_object_get(document, "loss"), 0);
    ts_loss_brief(sim->work->loss, row);
    ck_assert_str_eq(json_string_value(json_object_get(row, "loss_cause")),
                     json_string_value(json_object_get(largest, "cause")));
    ck_assert_str_eq(json_string_value(json_object_get(row, "loss_object")),
                     json_string_value(json_object_get(largest, "object")));
    const json_t *errors = json_object_get(document, "errors");
    ck_assert(json_number_value(json_object_get(json_object_get(errors, "quantised"), "rel_l2")) ==
              json_number_value(json_object_get(document, "rel_l2")));
    ck_assert(json_number_value(json_object_get(json_object_get(errors, "original"), "pcc")) ==
              json_number_value(json_object_get(document, "end_to_end_pcc")));
    json_decref(row);
    json_decref(document);
    tensim_free(sim);
}
END_TEST

START_TEST(threads_and_trace_change_nothing)
{
    char path[] = "/tmp/test_loss_XXXXXX";
    struct tensim_config config;
    tensim_config_init(&config);
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
    char *first = document_of(&config, NULL);
    config.threads = 3;
    char *second = document_of(&config, NULL), *third = document_of(&config, path);
    ck_assert_str_eq(first, second);
    ck_assert_str_eq(first, third);
    free(first);
    free(second);
    free(third);
    unlink(path);
}
END_TEST

// A switch of config/free.def changes its run and nothing else breaks.
START_TEST(each_resource_can_be_free)
{
    static const char *const grid[] = {"m=128", "n=128", "k=128", "grid=2x2"};
    struct tensim_config config;
    char setting[64];
    const char *settings[] = {setting};
    tensim_config_init(&config);
    config.timing_only = true;
    struct tensim *sim = run_kernel("matmul", grid, 4, &config);
    ts_cycle cycles = sim->work->verdict.span;
    tensim_free(sim);
    snprintf(setting, sizeof setting, "free.%s=1", ts_free_rows[_i].key);
    config.settings = settings;
    config.setting_count = 1;
    sim = run_kernel("matmul", grid, 4, &config);
    check_account(sim, setting);
    ck_assert_msg(sim->work->verdict.span <= cycles + cycles / 50, "%s: %llu cycles, not %llu",
                  setting, (unsigned long long)sim->work->verdict.span, (unsigned long long)cycles);
    tensim_free(sim);
}
END_TEST

// Words of a unit for free take no cycle, and do what they did.
static const struct {
    const char *kernel, *settings[4], *unit;
    double least; // of the cycles that are gained
} freed[] = {
    {"matmul", {"m=64", "n=64", "k=128", "fidelity=hifi4"}, "free.matrix=1", 0.2},
    {"sfpu", {"op=gelu", "m=32", "n=32", "format=bf16"}, "free.vector=1", 0.5},
    {"norm", {"m=32", "n=64", "format=bf16", "fidelity=hifi4"}, "free.vector=1", 0.4},
};

START_TEST(words_of_a_free_unit_take_no_cycle)
{
    struct tensim_config config;
    ts_cycle cycles[3];
    double error[3];
    for (unsigned i = 0; i < 3; i++) {
        tensim_config_init(&config);
        config.settings = &freed[_i].unit;
        config.setting_count = i > 0;
        config.step_by_step = i == 2;
        struct tensim *sim = run_kernel(freed[_i].kernel, freed[_i].settings, 4, &config);
        cycles[i] = sim->work->verdict.cycles;
        error[i] = sim->work->result.agreement.rel_l2;
        check_account(sim, freed[_i].kernel);
        tensim_free(sim);
    }
    ck_assert_msg((double)cycles[1] < (1 - freed[_i].least) * (double)cycles[0],
                  "%s: %llu of %llu cycles", freed[_i].kernel, (unsigned long long)cycles[1],
                  (unsigned long long)cycles[0]);
    ck_assert_uint_eq(cycles[2], cycles[1]);
    ck_assert(error[1] == error[0] && error[2] == error[0]);
}
END_TEST

static json_t *json_of(const char *options)
{
    char command[600];
    snprintf(command, sizeof command, "%s %s -q --json -", TENSIM_BINARY, options);
    FILE *pipe = popen(command, "r");
    ck_assert(pipe != NULL);
    json_t *document = json_loadf(pipe, 0, NULL);
    ck_assert_msg(pclose(pipe) == 0 && document, "%s", command);
    return document;
}

// Sanitizers look for leaks at the end of every run.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPRODUCED 1
#else
#define REPRODUCED 40
#endif

// A printed gain comes back when the run is repeated with the printed option.
static void reproduce(const char *kernel, const char *list, json_t *document, double cycles)
{
    json_t *row;
    size_t index, most = strcmp(kernel, "matmul") == 0 ? REPRODUCED : 3;
    json_array_foreach(json_object_get(document, list), index, row)
    {
        if (index == most || index == REPRODUCED)
            break;
        char options[300];
        const char *option = json_string_value(json_object_get(row, "option"));
        double passes = strstr(option, "--repeat") ? 4 : 1;
        snprintf(options, sizeof options, "%s %s %s", kernel,
                 strncmp(kernel, "run", 3) == 0 ? "" : "--timing-only", option);
        json_t *again = json_of(options);
        double now = ts_json_number(again, "cycles") / passes;
        ck_assert_msg(fabs(now - ts_json_number(row, "cycles")) < 1, "%s: %.0f cycles", options,
                      now);
        // Advice on a network has the part of its run's gain that is not latency.
        if (!json_is_false(json_object_get(row, "change")))
            ck_assert_double_lt(
                fabs(ts_json_number(row, "gain_percent") - 100 * (cycles - now) / cycles), 0.01);
        json_decref(again);
    }
}

static bool has_resource(json_t *why, const char *name)
{
    json_t *row;
    size_t index;
    json_array_foreach(why, index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "resource")), name) == 0)
            return true;
    }
    return false;
}

static bool has_option(json_t *advice, const char *option)
{
    json_t *row;
    size_t index;
    json_array_foreach(advice, index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "option")), option) == 0)
            return true;
    }
    return false;
}

START_TEST(why_is_reproduced)
{
    static const char *const commands[] = {"matmul",
                                           "matmul -F hifi4 -T 2 -M 64",
                                           "run " TENSIM_SOURCE_DIR
                                           "/config/programs/reader-writer/program.yaml",
                                           "sfpu -O exp -M 64",
                                           "matmul --grid 2x2 -K 64",
                                           "run all-gather -p tiles=8 -p chunk=1"};
    char options[200];
    snprintf(options, sizeof options, "%s --why", commands[_i]);
    json_t *document = json_of(options), *why = json_object_get(document, "why");
    ck_assert_uint_ge(json_array_size(why), 13);
    for (size_t i = 1; i < json_array_size(why); i++)
        ck_assert_double_ge(ts_json_number(json_array_get(why, i - 1), "gain_percent"),
                            ts_json_number(json_array_get(why, i), "gain_percent"));
    ck_assert(json_object_get(document, "advice") != NULL);
    ck_assert(_i != 1 || has_resource(why, "throttle"));
    ck_assert(_i != 5 || has_option(json_object_get(document, "advice"), "-p chunk=2"));
    reproduce(commands[_i], "why", document, ts_json_number(document, "cycles"));
    reproduce(commands[_i], "advice", document, ts_json_number(document, "cycles"));
    json_decref(document);
}
END_TEST

START_TEST(without_advice)
{
    json_t *document = json_of("matmul -M 64 --why=free");
    ck_assert(json_object_get(document, "advice") == NULL);
    ck_assert(json_object_get(document, "why") != NULL);
    json_decref(document);
}
END_TEST

// What a tile's account has no entry for is not booked under another's name.
START_TEST(the_last_entry_is_for_all_others)
{
    static struct ts_loss_root root = {.node = TS_NODE_GATE + 1, .sign = 1};
    for (uint32_t i = 0; i < 2 * TS_LOSS_ENTRIES; i++)
        ts_loss_book(&root, &(struct ts_loss_owner){.cause = TS_LOSS_POLL, .detail = 4 * i}, 10);
    const struct ts_loss_entry *last = &root.sums.entries[TS_LOSS_ENTRIES - 1];
    ck_assert_uint_eq(root.sums.count, TS_LOSS_ENTRIES);
    ck_assert_uint_eq(root.sums.entries[TS_LOSS_ENTRIES - 2].owner.cause, TS_LOSS_POLL);
    ck_assert_uint_eq(last->owner.cause, TS_LOSS_OTHERS);
    ck_assert_int_eq(last->cycles, 10 * (TS_LOSS_ENTRIES + 1));
}
END_TEST

static void add_tests(TCase *tests)
{
    int switches = 0;
    while (ts_free_rows[switches].key)
        switches++;
    tcase_add_loop_test(tests, kernels_have_an_owner_for_every_cycle, 0,
                        sizeof kernels / sizeof *kernels);
    tcase_add_loop_test(tests, programs_have_an_owner_for_every_cycle, 0,
                        sizeof programs / sizeof *programs);
    tcase_add_test(tests, waits_for_other_tiles_have_their_object);
    tcase_add_test(tests, it_agrees_with_the_verdict);
    tcase_add_loop_test(tests, the_bound_has_a_name, 0, sizeof bounds / sizeof *bounds);
    tcase_add_test(tests, every_account_is_of_the_kernel);
    tcase_add_test(tests, what_json_says);
    tcase_add_test(tests, threads_and_trace_change_nothing);
    tcase_add_loop_test(tests, each_resource_can_be_free, 0, switches);
    tcase_add_loop_test(tests, words_of_a_free_unit_take_no_cycle, 0, sizeof freed / sizeof *freed);
    tcase_add_loop_test(tests, why_is_reproduced, 0, 6);
    tcase_add_test(tests, without_advice);
    tcase_add_test(tests, the_last_entry_is_for_all_others);
}
SUITE("loss", add_tests, .one_process = true)
