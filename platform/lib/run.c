// Runs: scripts, kernels, cycles, until a word has a value; how they stopped; their trace.
#include "platform/explain/hang.h"
#include "platform/lib/inside.h"
#include "platform/load/names.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/watchdog.h"
#include "platform/trace/attach.h"

#include <signal.h>

// --- how it stopped ---

enum tensim_stop tensim_stopped(const struct tensim *sim)
{
    static const enum tensim_stop stops[] = {
        [TS_STOP_DONE] = TENSIM_STOP_DONE,       [TS_STOP_LIMIT] = TENSIM_STOP_LIMIT,
        [TS_STOP_DEADLOCK] = TENSIM_STOP_HANG,   [TS_STOP_FAULT] = TENSIM_STOP_FAULT,
        [TS_STOP_BREAK] = TENSIM_STOP_CONDITION, [TS_STOP_SIGNAL] = TENSIM_STOP_INTERRUPTED,
    };
    return sim->ran ? stops[sim->run.stop] : TENSIM_STOP_NOT_RUN;
}

const char *tensim_stop_name(enum tensim_stop stop)
{
    static const char *const names[] = {
        [TENSIM_STOP_NOT_RUN] = "not run",
        [TENSIM_STOP_DONE] = "done",
        [TENSIM_STOP_LIMIT] = "limit",
        [TENSIM_STOP_HANG] = "hang",
        [TENSIM_STOP_FAULT] = "fault",
        [TENSIM_STOP_CONDITION] = "condition",
        [TENSIM_STOP_INTERRUPTED] = "interrupted",
    };
    return (size_t)stop < sizeof names / sizeof *names ? names[stop] : "unknown";
}

// Since when, and its cause, or who waits for whom. where: the step of a script, or "".
static enum tensim_code give_hang(struct tensim *sim, const char *where, struct tensim_error *error)
{
    char head[80], line[400];
    struct ts_hang hang = ts_hang_new(sim->kernel, sim->run.cycle);
    ts_hang_head(&hang, head, sizeof head);
    ts_hang_line(&hang, line, sizeof line);
    const char *cause = hang.cause.known ? hang.cause.text : line;
    enum tensim_code code = ts_lib_fail(error, TS_HANG, "%s%s%s%s%s", where, where[0] ? ": " : "",
                                        head, cause[0] ? ": " : "", cause);
    ts_hang_free(&hang);
    return code;
}

// The stop of the last run as a failure, or OK.
static enum tensim_code give_stop(struct tensim *sim, struct tensim_error *error)
{
    const struct ts_run *run = &sim->run;
    unsigned long long cycle = run->cycle;
    switch (run->stop) {
    case TS_STOP_DONE:
    case TS_STOP_BREAK:
        break;
    case TS_STOP_LIMIT:
        return ts_lib_fail(error, TS_LIMIT, "cycle limit %llu reached", cycle);
    case TS_STOP_DEADLOCK:
        return give_hang(sim, "", error);
    case TS_STOP_FAULT:
        return ts_lib_give(&run->error, error);
    case TS_STOP_SIGNAL:
        return ts_lib_fail(error, (enum ts_code)(TS_SIGNAL + run->signal),
                           "stopped by signal %d at cycle %llu", run->signal, cycle);
    }
    return TENSIM_OK;
}

// --- time passes ---

struct passing {
    struct tensim *sim;
    bool patient; // the host will act again: cores that only poll are not a hang
};

static bool drive(void *context, ts_cycle limit, struct ts_run *run)
{
    const struct passing *self = context;
    struct tensim *sim = self->sim;
    ts_cycle to = limit < sim->limit ? limit : sim->limit;
    bool watched = !self->patient && !sim->scenario.patient && !sim->no_hang_check;
    sim->run = watched ? ts_watched_run(sim->kernel, to) : ts_kernel_run(sim->kernel, to);
    sim->ran = true;
    sim->asleep = false;
    *run = sim->run;
    if (run->stop == TS_STOP_SIGNAL)
        ts_kernel_stop(sim->kernel, 0); // it is delivered
    return run->stop != TS_STOP_FAULT && run->stop != TS_STOP_SIGNAL &&
           !(run->stop == TS_STOP_LIMIT && run->cycle == sim->limit);
}

// Runs up to `limit`; finished tiles of a kernel do not stop the others. True: all work is done.
static bool pass(struct tensim *sim, bool patient, ts_cycle limit)
{
    struct passing passing = {sim, patient};
    struct ts_scenario_driver driver = {drive, &passing};
    struct ts_error ignored = {0}; // the run reports it too
    struct ts_run run;
    bool done = false;
    do {
        ts_scenario_pass(&sim->scenario, &driver, limit, &run, &ignored);
        done = run.stop == TS_STOP_DONE;
        atomic_store(&sim->now, sim->scenario.now);
        if (run.stop == TS_STOP_BREAK && sim->work) {
            done = true;
            for (uint32_t i = 0; i < ts_lib_works(sim); i++)
                done &= ts_work_break(ts_lib_work(sim, i), run.cycle);
        }
    } while (run.stop == TS_STOP_BREAK && sim->work && !done);
    return done;
}

static enum tensim_code run_script(struct tensim *sim, struct tensim_error *error)
{
    if (sim->ran)
        return ts_lib_fail(error, TS_USAGE, "the scenario has run: make a new instance");
    struct passing passing = {sim, false};
    sim->ran = true;
    enum ts_code code = ts_scenario_run(
        &sim->scenario, &(struct ts_scenario_driver){drive, &passing}, &sim->script);
    atomic_store(&sim->now, sim->scenario.now);
    sim->passed = sim->scenario.step_count > 0 && code == TS_OK;
    if (sim->script.code == TS_HANG)
        return give_hang(sim, sim->script.text, error);
    if (sim->script.code != TS_OK)
        return ts_lib_give(&sim->script, error);
    return sim->passed ? TENSIM_OK : give_stop(sim, error);
}

// The first chip's work that has no result; NULL: none.
static const struct ts_work *failed(const struct tensim *sim)
{
    for (uint32_t i = 0; i < ts_lib_works(sim); i++)
        if (ts_lib_work(sim, i)->result.code != TS_OK)
            return ts_lib_work(sim, i);
    return NULL;
}

static enum tensim_code finish_work(struct tensim *sim, struct tensim_error *error)
{
    struct ts_error failure = {0};
    for (uint32_t i = 0; i < ts_lib_works(sim); i++)
        if (!ts_work_finish(ts_lib_work(sim, i), &sim->run, &failure))
            return ts_lib_give(&failure, error);
    enum tensim_code code = give_stop(sim, error);
    const struct ts_work *bad = failed(sim);
    if (code == TENSIM_HANG && bad) { // or a kernel's ebreak
        code = (enum tensim_code)bad->result.code;
        if (error)
            error->code = code;
    }
    if (code != TENSIM_OK)
        return code;
    if (bad)
        return ts_lib_fail(error, bad->result.code, "%s", bad->result.text);
    for (uint32_t i = 0; i < ts_lib_works(sim); i++) {
        const struct ts_program_run *program = ts_lib_work(sim, i)->program;
        char text[400], chip[32] = "";
        if (program == NULL || !ts_program_wrong(program))
            continue;
        ts_program_wrong_text(program, text, sizeof text);
        if (sim->works)
            snprintf(chip, sizeof chip, "chip %u: ", i);
        return ts_lib_fail(error, TS_DIFFERS, "%s%s", chip, text);
    }
    return TENSIM_OK;
}

enum tensim_code tensim_run(struct tensim *sim, uint64_t limit, struct tensim_error *error)
{
    sim->limit = limit;
    ts_lib_give(&(struct ts_error){0}, error);
    if (sim->scenario.script.yaml.loaded)
        return run_script(sim, error);
    pass(sim, false, TS_NEVER);
    return sim->work ? finish_work(sim, error) : give_stop(sim, error);
}

enum tensim_code tensim_run_for(struct tensim *sim, uint64_t cycles, struct tensim_error *error)
{
    sim->limit = TS_NEVER;
    ts_lib_give(&(struct ts_error){0}, error);
    ts_cycle to = ts_cycle_add(tensim_cycle(sim), cycles);
    if (sim->asleep) { // time passes for the host alone
        sim->scenario.now = to;
        atomic_store(&sim->now, to);
        return TENSIM_OK;
    }
    ts_lib_follow_begin(sim);
    bool done = pass(sim, true, to);
    ts_lib_follow_end(sim);
    sim->asleep = sim->work == NULL &&
                  (sim->run.stop == TS_STOP_DONE || sim->run.stop == TS_STOP_DEADLOCK);
    if (sim->work && done)
        return finish_work(sim, error);
    bool passed = sim->run.stop != TS_STOP_FAULT && sim->run.stop != TS_STOP_SIGNAL;
    return passed ? TENSIM_OK : give_stop(sim, error);
}

enum tensim_code tensim_run_until(struct tensim *sim, const struct tensim_until *until,
                                  uint64_t *at, struct tensim_error *error)
{
    struct ts_scenario_tile *place = ts_lib_place(sim, until->tile, error);
    if (place == NULL)
        return TENSIM_USAGE;
    if (until->address % 4 || !ts_l1_contains(until->address, 4))
        return ts_lib_fail(error, TS_USAGE, "0x%x is not a word of L1", until->address);
    sim->limit = until->cycles ? ts_cycle_add(tensim_cycle(sim), until->cycles) : TS_NEVER;
    ts_lib_give(&(struct ts_error){0}, error);
    struct passing passing = {sim, false};
    struct ts_scenario_until wanted = {.tile = place,
                                       .address = until->address,
                                       .value = until->value,
                                       .mask = until->mask ? until->mask : UINT32_MAX,
                                       .limit = sim->limit,
                                       .written = until->written};
    struct ts_error failure = {0};
    struct ts_run run;
    bool met = false;
    ts_cycle when = 0;
    ts_scenario_until(&sim->scenario, &(struct ts_scenario_driver){drive, &passing}, &wanted, &run,
                      &met, &when, &failure);
    atomic_store(&sim->now, sim->scenario.now);
    if (met && at)
        *at = when;
    if (met)
        return TENSIM_OK;
    if (failure.code != TS_OK && sim->run.stop != TS_STOP_FAULT)
        return ts_lib_give(&failure, error);
    enum tensim_code code = give_stop(sim, error);
    if (code != TENSIM_OK)
        return code;
    return ts_lib_fail(error, TS_DIFFERS, "everything ended at cycle %llu before 0x%x was 0x%x",
                       (unsigned long long)sim->run.cycle, until->address, until->value);
}

void ts_lib_extend(struct tensim *sim)
{
    ts_cycle reached = ts_kernel_reached(sim->kernel);
    if (reached > sim->run.cycle)
        sim->run.cycle = reached;
}

uint64_t tensim_cycle(const struct tensim *sim)
{
    ts_cycle reached = ts_kernel_reached(sim->kernel), now = atomic_load(&sim->now);
    return reached > now ? reached : now;
}

void tensim_interrupt(struct tensim *sim, int signal)
{
    ts_kernel_stop(sim->kernel, signal > 0 && signal < 128 ? signal : SIGINT);
}

void tensim_on_progress(struct tensim *sim, void (*look)(void *context), void *context)
{
    ts_kernel_pause(sim->kernel, look, context);
}

double tensim_progress(struct tensim *sim)
{
    return sim->work ? ts_work_share(sim->work) : 0;
}

// --- trace ---

enum tensim_code tensim_trace(struct tensim *sim, const char *path, uint64_t from, uint64_t to,
                              struct tensim_error *error)
{
    struct ts_error failure = {0};
    if (sim->ran || sim->trace)
        return ts_lib_fail(error, TS_USAGE,
                           sim->trace ? "there is a trace already"
                                      : "a trace begins before the first run");
    sim->names = ts_names_new();
    struct ts_trace_options options = {.path = {[TS_TRACE_JSON] = path},
                                       .clock_mhz = sim->tile_config.clock_mhz,
                                       .from = from,
                                       .to = to,
                                       .names = sim->names};
    sim->trace_path = strdup(path);
    struct ts_trace_writer *writer = sim->trace_path
                                         ? ts_trace_open(sim->kernel, &options, &failure)
                                         : NULL;
    if (writer)
        sim->trace = ts_trace_attach(sim->kernel, &writer, 1, &failure);
    if (sim->trace)
        return TENSIM_OK;
    ts_names_free(sim->names);
    sim->names = NULL;
    free(sim->trace_path);
    sim->trace_path = NULL;
    return failure.code ? ts_lib_give(&failure, error) : ts_lib_no_memory(error);
}

enum tensim_code tensim_trace_end(struct tensim *sim, struct tensim_error *error)
{
    if (sim->trace == NULL)
        return TENSIM_OK;
    ts_kernel_trace_end(sim->kernel);
    int wrong = ts_trace_free(sim->trace);
    enum tensim_code code = TENSIM_OK;
    if (wrong)
        code = ts_lib_fail(error, wrong == ENOMEM ? TS_NO_MEMORY : TS_SETUP,
                           "%.300s: cannot be written: %s", sim->trace_path, strerror(wrong));
    free(sim->trace_path);
    ts_names_free(sim->names);
    sim->names = NULL;
    sim->trace = NULL;
    sim->trace_path = NULL;
    return code;
}
