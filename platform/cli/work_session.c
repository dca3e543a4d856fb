// From a work that is ready to run to the exit code (session.h).

#include "platform/cli/recording.h"
#include "platform/cli/why.h"
#include "platform/cluster/cluster.h"
#include "platform/lib/inside.h"
#include "platform/out/text.h"
#include "platform/report/drawing.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/launch.h"
#include "platform/run/released.h"

// For the progress line.
static double work_done(void *context)
{
    const struct ts_session *session = context;
    return session->work * tensim_progress(session->sim);
}

// The answer; of a system first that of all chips, then its first one.
static void print_answer(const struct ts_session *session, const struct ts_work *work)
{
    const bool all = session->options->verbose;
    if (session->sim->works)
        ts_text_print("chips", session->document, all, stdout);
    ts_text_print("run", session->document, all, stdout);
    if (work->program && work->program->plan->captured)
        ts_captured_print(work->program->plan->captured, stdout);
    if (work->made > 1 && !work->shares)
        printf("  (the first of %u tiles, each with operands of its own)\n", work->made);
    if (session->options->out)
        printf("  written to %s\n", session->options->out);
}

// --- what the page keeps of polls ---

static void window_began(void *context, ts_cycle now)
{
    const struct ts_session *session = context;
    ts_trace_drain(session->trace);
    ts_history_begin(session->history, now);
}

static void core_polled(void *context, const struct ts_rv_core *core, ts_cycle to)
{
    const struct ts_session *session = context;
    if (session->released)
        ts_released_polled(session->released, core, to);
    if (session->history == NULL)
        return;
    const struct ts_rv_polled all = ts_rv_core_polled(core, to);
    struct ts_account account = {.busy = all.cycles - core->polled.cycles};
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++) {
        uint64_t lost = all.lost[i] - core->polled.lost[i];
        lost = lost < account.busy ? lost : account.busy;
        account.lost[TS_STALL_RV_FETCH + i] = lost;
        account.busy -= lost;
    }
    const struct ts_rv_view view = ts_rv_core_view(core);
    ts_history_poll(session->history, &core->component.object, view.polled, view.polled_from, to,
                    &account);
}

// A poll that goes on at the end counts up to there.
static void end_polls(struct ts_session *session, const struct ts_work *work)
{
    for (uint32_t i = 0; session->history && i < ts_work_tiles(work); i++)
        for (unsigned c = 0; c < TS_RV_CORES; c++) {
            const struct ts_rv_core *core = &work->jobs[i].tile->cores[c];
            if (ts_rv_core_view(core).repeats)
                core_polled(session, core, session->run.cycle);
        }
}

void ts_work_differs(const struct ts_session *session)
{
    ts_program_differs(session->sim->work, stderr);
}

static bool is_wrong(const struct tensim *sim)
{
    bool wrong = false;
    for (uint32_t i = 0; i < ts_lib_works(sim); i++)
        wrong |= ts_lib_work(sim, i)->program && ts_program_wrong(ts_lib_work(sim, i)->program);
    return wrong;
}

int ts_work_session(struct ts_session *session)
{
    struct ts_work *work = session->sim->work;
    session->recorded_count = ts_work_tiles(work);
    session->recorded = calloc(session->recorded_count, sizeof *session->recorded);
    for (uint32_t i = 0; session->recorded && i < session->recorded_count; i++)
        session->recorded[i] = work->jobs[i].domain;
    session->mapped = session->sim->works ? ts_drawing_mapped_system
                      : work->made > 1    ? ts_drawing_mapped
                                          : NULL;
    session->unit = strcmp(work->jobs[0].numbers.unit, "product") == 0 ? "products" : "tiles";
    session->work = work->each * work->made;
    session->done = work->program ? NULL : work_done;
    session->done_context = session;
    // Requests for tt-npe: only a chip has a NoC.
    bool noc = session->options->trace_noc && session->options->out && work->shares;
    if (noc)
        ts_chip_log(&work->chip);
    int code = ts_session_begin(session);
    free(session->recorded);
    session->recorded = NULL;
    if (code != TS_OK)
        return code;
    ts_cluster_model(true);
    work->began = session->history ? window_began : NULL;
    work->began_context = session;
    if (session->activity && (session->released = ts_released_new(session->kernel)) == NULL)
        return ts_complain(TS_NO_MEMORY, "out of memory");
    if (session->options->toggles && session->sim->works)
        return ts_complain(TS_USAGE, "--activity=toggles: for a program on one chip");
    if (session->options->toggles && !ts_toggles_begin(work, session->kernel))
        return ts_complain(TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; (session->history || session->activity) && i < session->recorded_count;
         i++)
        if (work->jobs[i].loss) {
            work->jobs[i].loss->polled = core_polled;
            work->jobs[i].loss->polled_context = session;
            if (session->released)
                ts_released_tile(session->released, work->jobs[i].tile);
            if (session->history &&
                (!ts_loss_times_new(&work->jobs[i].loss->compute, session->history->bins) ||
                 !ts_loss_times_new(&work->jobs[i].loss->move, session->history->bins)))
                return ts_complain(TS_NO_MEMORY, "out of memory");
        }
    ts_cluster_model(false);
    uint64_t at;
    struct ts_following following = {NULL, NULL};
    for (uint32_t i = 0; i < work->made; i++)
        ts_following_begin(&following, session, work->jobs[i].tile, i);
    if (session->options->card == NULL)
        ts_session_run_sim(session, NULL, &at);
    else if ((code = ts_card_loop(session)) != TS_OK)
        return code;
    end_polls(session, work);
    code = ts_session_end(session);
    if (noc) {
        json_t *requests = ts_chip_log_json(&work->chip);
        ts_results_json(&session->results, "noc_trace.json", requests);
        json_decref(requests);
    }
    code = ts_following_end(&following, session, work->plan->name, code);
    if (work->program)
        ts_program_print_texts(work->program, session->printed ? session->printed : stderr);
    if (work->results == NULL)
        return ts_session_write(session, ts_complain(TS_NO_MEMORY, "out of memory"));
    if (work->result.code != TS_OK) {
        if (code == TS_OK)
            code = ts_complain(work->result.code, "%s", work->result.text);
        else if (code == TS_HANG) // a kernel's ebreak is not one
            code = (int)work->result.code;
        return ts_session_write(session, code);
    }
    if (session->options->toggles)
        json_object_set_new(json_object_get(session->document, "activity"), "toggles",
                            ts_toggles_json(work, session->run.cycle));
    ts_work_json(work, session->document);
    const struct tensim *sim = session->sim;
    if (sim->works && ts_chips_json(sim->works, sim->system->chips, session->document))
        json_object_set_new(session->document, "system_columns",
                            json_integer((json_int_t)sim->system->columns));
    if (ts_options_talk(session->options))
        print_answer(session, work);
    if (session->by_line &&
        !ts_lines_print(json_object_get(session->document, "lines"), session->lines,
                        ts_options_talk(session->options) ? stdout : NULL))
        code = ts_complain(TS_USAGE, "--lines=%s: no line of it was executed", session->lines);
    if (session->why && code == TS_OK)
        code = ts_why_run(session->why, session);
    session->schema = "tensim.run";
    if (session->options->out)
        session->drawing = ts_drawing_run(work, session->document, session->history,
                                          session->periods, session->params);
    if (work->program && (code == TS_OK || code == TS_FINDINGS) && is_wrong(session->sim)) {
        char text[300] = "the result is not what the program file expects";
        if (work->program->plan->captured)
            ts_captured_wrong_text(work->program->plan->captured, text, sizeof text);
        code = ts_complain(TS_DIFFERS, "%s", text);
        if (session->options->check)
            ts_work_differs(session);
        json_t *found = session->recheck ? session->recheck(session->recheck_context) : NULL;
        if (found)
            json_object_set_new(session->document, "checks", found);
    }
    return ts_session_write(session, code);
}
