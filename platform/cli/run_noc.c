// tensim run of a NoC workload: networks, DRAM and scripted requests, without cores. WORKLOAD.json is tt-npe's simplified format
// (phases of transfers) or a tt-metal NoC trace (a list of events). Phases start at cycle 0, as in tt-npe; each tile issues its
// transfers in time order, on each NoC separately. Events that one chip cannot run (FABRIC_*, WRITE_INLINE) are left out and
// counted; a Wormhole workload is refused.
#include "platform/base/json.h"
#include "platform/chip/workload.h"
#include "platform/cli/run.h"
#include "platform/out/text.h"
#include "platform/report/drawing.h"

#define DEFAULT_LIMIT 1000000000

// gap=N, the parameter of a workload; false: it has been said.
static bool read_gap(const struct ts_ask *self, uint32_t *gap)
{
    for (size_t i = 0; i < self->param_count; i++) {
        int64_t value;
        if (strncmp(self->params[i], "gap=", 4) != 0)
            ts_complain(TS_USAGE, "'%s': a NoC workload has the parameter gap", self->params[i]);
        else if (!ts_parse_int(self->params[i] + 4, &value) || value < 0 || value > 1000000)
            ts_complain(TS_USAGE, "gap: '%s' is not a number of cycles up to 1000000",
                        self->params[i] + 4);
        else {
            *gap = (uint32_t)value;
            continue;
        }
        return false;
    }
    return true;
}

// tt-npe's names of cards.
static const char *card_of(const char *name)
{
    return name == NULL || strcmp(name, "P150") == 0 || strcmp(name, "blackhole") == 0 ? "p150"
           : strcmp(name, "P100") == 0                                                 ? "p100"
                                                                                       : name;
}

static void print_verdict(const struct ts_session *session, uint64_t bytes)
{
    json_t *view = json_copy(session->document);
    ts_json_more(view, "{s:f}", "rate",
                 (double)bytes / (session->run.cycle ? (double)session->run.cycle : 1));
    ts_text_print("noc", view, true, stdout);
    json_decref(view);
}

static void write_trace(const void *events, FILE *file)
{
    json_dumpf(events, file, JSON_COMPACT);
    fputc('\n', file);
}

// The chip over time, for the page.
static json_t *drawing_of(const struct ts_ask *self, const struct ts_session *session)
{
    const struct ts_periods *periods = session->periods;
    ts_cycle span = session->run.cycle;
    return json_pack("{s:s, s:s, s:o*}", "workload", self->file, "device", card_of(self->chip),
                     "chip", periods ? ts_drawing_chip(periods, span, span) : NULL);
}

// Everything between the parameters and the end, with the chip built.
static int run(const struct ts_ask *self, struct ts_session *session, struct ts_chip *chip,
               struct ts_workload *work)
{
    if (self->options.out)
        ts_chip_log(chip);
    int code = ts_session_begin(session);
    if (code != TS_OK)
        return code;
    ts_session_run(session, DEFAULT_LIMIT);
    code = ts_session_end(session);
    struct ts_error error = {TS_OK, ""};
    if (code == TS_OK && ts_chip_check(chip, &session->run, &error) != TS_OK)
        code = ts_complain_error(&error);
    uint64_t bytes = ts_workload_bytes(work, chip);
    json_t *results = ts_chip_json(chip, session->run.cycle);
    json_object_set_new(session->document, "transfers", json_integer((json_int_t)work->count));
    json_object_set_new(session->document, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(session->document, "cycles", json_integer((json_int_t)session->run.cycle));
    if (work->golden > 0) {
        json_object_set_new(session->document, "golden_cycles", json_real(work->golden));
        json_object_set_new(session->document, "error",
                            json_real((double)session->run.cycle / work->golden - 1));
    }
    if (work->left_out_count) {
        json_t *left_out = json_object();
        for (size_t i = 0; i < work->left_out_count; i++)
            json_object_set_new(left_out, work->left_out[i].name,
                                json_integer((json_int_t)work->left_out[i].count));
        json_object_set_new(session->document, "left_out", left_out);
    }
    json_object_update(session->document, results);
    if (ts_options_talk(&self->options))
        print_verdict(session, bytes);
    json_decref(results);
    if (self->options.out) {
        json_t *events = ts_chip_log_json(chip);
        ts_results_write(&session->results, "noc_trace.json", write_trace, events);
        json_decref(events);
        session->schema = "tensim.noc";
        session->drawing = drawing_of(self, session);
    }
    return ts_session_write(session, code);
}

int ts_run_noc(struct ts_ask *self)
{
    uint32_t gap = TS_WORKLOAD_GAP;
    struct ts_params params = {0};
    if (!read_gap(self, &gap))
        return TS_USAGE;
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    struct ts_workload work = {0};
    int code = TS_OK;
    if (ts_soc_find(&soc, card_of(self->chip), &error) != TS_OK ||
        ts_workload_load(&work, self->file, &soc, &error) != TS_OK)
        code = ts_complain_error(&error);
    if (code == TS_OK)
        code = ts_ask_params(self, &params);
    if (code == TS_OK) {
        struct ts_session session = {
            .options = &self->options,
            .params = &params,
            .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self->options.threads,
                                                               .hosting = ts_hosting()}),
            .clock_mhz = ts_clock_mhz(&params),
            .mapped = ts_drawing_mapped,
            .argc = self->argc,
            .argv = self->argv,
        };
        static struct ts_chip chip; // large; the CLI is one thread
        if (ts_chip_init(&chip, session.kernel, &soc, &params, NULL, 0, &error) != TS_OK ||
            ts_workload_drive(&work, &chip, gap, &error) != TS_OK)
            code = ts_complain_error(&error);
        else
            code = run(self, &session, &chip, &work);
        ts_chip_free(&chip);
        ts_session_free(&session);
    }
    ts_workload_free(&work);
    ts_params_free(&params);
    return code;
}
