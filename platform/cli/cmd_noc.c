// tensim noc: runs a workload of the networks alone.
#include "platform/base/yaml.h"
#include "platform/chip/workload.h"
#include "platform/cli/session.h"
#include "platform/report/drawing.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_GAP   23 // tt-metal's write loop: mesham/tt-sim docs/plans/cost-model.md
#define DEFAULT_LIMIT 1000000000

static const char doc[] =
    "Run a tt-npe NoC workload on a chip without cores: networks, DRAM and scripted "
    "requests.\v"
    "WORKLOAD.json is tt-npe's simplified format (phases of transfers) or a tt-metal NoC trace (a "
    "list of events).\n"
    "Phases start at cycle 0, as in tt-npe; each tile issues its transfers in time order, "
    "on each NoC separately.\n"
    "Events that one chip cannot run (FABRIC_*, WRITE_INLINE) are left out and counted; a Wormhole "
    "workload is refused.\n"
    "With --out report.html shows the chip over time, and noc_trace.json has the requests as a "
    "trace "
    "that tt-npe reads.";

enum { OPTION_GAP = 512 };

static const struct argp_option options[] = {
    {"chip", 'd', "CARD", 0, "p150 (default), another chip of config/chips, or a SoC file (.yaml)",
     0},
    {"device", 'd', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {"gap", OPTION_GAP, "N", 0, "cycles of software for each request (default 23)", 0},
    {0},
};

struct arguments {
    struct ts_options options;
    const char *chip, *workload;
    uint32_t gap;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case 'd':
        self->chip = strcmp(arg, "P150") == 0 || strcmp(arg, "blackhole") == 0 ? "p150"
                     : strcmp(arg, "P100") == 0                                ? "p100"
                                                                               : arg;
        return 0;
    case OPTION_GAP: {
        int64_t gap;
        if (!ts_parse_int(arg, &gap) || gap < 0 || gap > 1000000)
            argp_error(state, "--gap: '%s' is not a number of cycles up to 1000000", arg);
        self->gap = (uint32_t)gap;
        return 0;
    }
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one workload at a time");
        self->workload = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a workload");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_verdict(const struct ts_session *session, const struct ts_workload *work,
                          uint64_t bytes, const json_t *chip)
{
    double cycles = session->run.cycle ? (double)session->run.cycle : 1;
    printf("%zu transfers, %llu bytes: %llu cycles, %.1f B per cycle", work->count,
           (unsigned long long)bytes, (unsigned long long)session->run.cycle,
           (double)bytes / cycles);
    if (work->golden > 0)
        printf(" (golden %.0f, %+.1f %%)", work->golden, 100 * (cycles / work->golden - 1));
    putchar('\n');
    for (size_t i = 0; i < work->left_out_count; i++)
        printf("  left out: %zu %s\n", work->left_out[i].count, work->left_out[i].name);
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(chip, "nocs"), index, row)
    {
        json_int_t packets = json_integer_value(json_object_get(row, "packets_sent"));
        if (packets == 0)
            continue;
        printf("  NoC %zu: %lld packets, links %.1f %% busy, most %.1f %% (%s), trains waited %lld "
               "cycles\n",
               index, (long long)packets,
               100 * json_real_value(json_object_get(row, "link_utilisation")),
               100 * json_real_value(json_object_get(row, "busiest_utilisation")),
               json_string_value(json_object_get(row, "busiest_link")),
               (long long)json_integer_value(json_object_get(row, "waited_cycles")));
    }
    json_array_foreach(json_object_get(chip, "dram"), index, row)
    {
        double busy = json_real_value(json_object_get(row, "utilisation"));
        if (busy > 0)
            printf("  DRAM %zu: %.1f %% busy\n", index, 100 * busy);
    }
}

static void write_trace(const void *events, FILE *file)
{
    json_dumpf(events, file, JSON_COMPACT);
    fputc('\n', file);
}

// The chip over time, for the page.
static json_t *drawing_of(const struct arguments *self, const struct ts_session *session)
{
    const struct ts_periods *periods = session->periods;
    ts_cycle span = session->run.cycle;
    return json_pack("{s:s, s:s, s:o*}", "workload", self->workload, "device", self->chip, "chip",
                     periods ? ts_drawing_chip(periods, span, span) : NULL);
}

// Everything between the parameters and the end, with the chip built.
static int run(struct arguments *self, struct ts_session *session, struct ts_chip *chip,
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
        print_verdict(session, work, bytes, results);
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

int ts_cmd_noc(int argc, char **argv);
int ts_cmd_noc(int argc, char **argv)
{
    struct arguments self = {.chip = "p150", .gap = DEFAULT_GAP};
    ts_options_init(&self.options);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "WORKLOAD.json", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    struct ts_workload work = {0};
    if (code == TS_OK && (ts_soc_find(&soc, self.chip, &error) != TS_OK ||
                          ts_workload_load(&work, self.workload, &soc, &error) != TS_OK))
        code = ts_complain_error(&error);
    if (code == TS_OK) {
        struct ts_session session = {
            .options = &self.options,
            .params = &params,
            .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self.options.threads}),
            .clock_mhz = ts_clock_mhz(&params),
            .mapped = ts_drawing_mapped,
            .argc = argc,
            .argv = argv,
        };
        static struct ts_chip chip; // large; the CLI is one thread
        if (ts_chip_init(&chip, session.kernel, &soc, &params, NULL, 0, &error) != TS_OK ||
            ts_workload_drive(&work, &chip, self.gap, &error) != TS_OK)
            code = ts_complain_error(&error);
        else
            code = run(&self, &session, &chip, &work);
        ts_chip_free(&chip);
        ts_session_free(&session);
    }
    ts_workload_free(&work);
    ts_params_free(&params);
    return code;
}
