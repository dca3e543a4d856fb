// tensim anchors: the published matmuls over a grid of 13 x 10 tiles, table against simulation.
#include "platform/chip/chip.h"
#include "platform/cli/results.h"
#include "platform/out/progress.h"
#include "platform/run/grid.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 8.0 // of utilisation: the bar

static const char doc[] =
    "Run the matmuls of tt-metal's GEMM_FLOPS report on a p150 (13 columns by 10 rows of tiles, "
    "without arithmetic) and compare device utilisation.\v"
    "Each SHAPE is a number from 1 to 6; without any, all of them. Exit code 1 if a row is more "
    "than 8 points off, or the formats of a shape come in another order.";

struct arguments {
    struct ts_options options;
    bool chosen[16], any;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end;
    unsigned long shape;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case ARGP_KEY_ARG:
        shape = strtoul(arg, &end, 10);
        if (*end || shape < 1 || shape > ts_anchors[ts_anchor_count - 1].shape)
            argp_error(state, "'%s' is not a shape from 1 to %u", arg,
                       ts_anchors[ts_anchor_count - 1].shape);
        self->chosen[shape] = self->any = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Rows of a shape that the table and the simulation put in another order.
static unsigned disorder(const double *simulated, uint32_t row)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < row; i++)
        if (ts_anchors[i].shape == ts_anchors[row].shape &&
            (simulated[i] - simulated[row]) *
                    (ts_anchors[i].utilisation - ts_anchors[row].utilisation) <
                0)
            count++;
    return count;
}

static uint32_t count(const struct arguments *self)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < ts_anchor_count; i++)
        rows += !self->any || self->chosen[ts_anchors[i].shape];
    return rows;
}

static const char heading[] = "shape,mkn,format,fidelity,storage,silicon,simulated,points,cycles\n";

static void write_csv(const void *rows, FILE *file)
{
    size_t i;
    json_t *row;
    fputs(heading, file);
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        const char *before = "", *key;
        json_t *value;
        json_object_foreach(row, key, value)
        {
            fputs(before, file);
            before = ",";
            if (json_is_string(value))
                fputs(json_string_value(value), file);
            else
                fprintf(file, "%.10g", json_number_value(value));
        }
        fputc('\n', file);
    }
}

// Rows done, and of the row that runs its share.
struct shown {
    struct ts_progress *progress;
    double rows;
};

static void show(void *context, double share)
{
    const struct shown *self = context;
    ts_progress_set(self->progress, self->rows + share);
}

static int run(struct arguments *self, const struct ts_params *params, struct ts_results *results)
{
    double *simulated = calloc(ts_anchor_count, sizeof *simulated), worst = 0;
    json_t *rows = json_array();
    bool talk = ts_options_talk(&self->options);
    unsigned wrong = 0, swapped = 0;
    int code = simulated ? TS_OK : ts_complain(TS_SETUP, "out of memory");
    if (talk)
        printf("%-5s %-16s %-4s %-5s %-14s %8s %8s %7s %9s\n", "shape", "MxKxN", "", "", "storage",
               "silicon", "tensim", "points", "cycles");
    struct shown shown = {ts_progress_new("rows", count(self), self->options.quiet), 0};
    ts_progress_watch(shown.progress, NULL, NULL);
    for (uint32_t i = 0; i < ts_anchor_count && code == TS_OK; i++) {
        const struct ts_anchor *a = &ts_anchors[i];
        char shape[32], text[256];
        ts_cycle cycles;
        double share;
        if (self->any && !self->chosen[a->shape])
            continue;
        if (!ts_anchor_run(a, params, self->options.threads, show, &shown, &share, &cycles, text,
                           sizeof text)) {
            ts_progress_hide(shown.progress);
            ts_progress_show(shown.progress);
            code = ts_complain(TS_DIFFERS, "shape %u %s %s: %s", a->shape, a->format, a->fidelity,
                               text);
            break;
        }
        simulated[i] = 100 * share;
        double points = simulated[i] - a->utilisation;
        worst = fabs(points) > worst ? fabs(points) : worst;
        wrong += fabs(points) > POINTS;
        swapped += disorder(simulated, i);
        snprintf(shape, sizeof shape, "%ux%ux%u", a->m, a->k, a->n);
        ts_progress_set(shown.progress, ++shown.rows);
        ts_progress_hide(shown.progress);
        if (talk) {
            printf("%-5u %-16s %-4s %-5s %-14s %7.1f%% %7.1f%% %+7.1f %9" PRIu64 "%s\n", a->shape,
                   shape, a->format, a->fidelity, a->storage, a->utilisation, simulated[i], points,
                   cycles, disorder(simulated, i) ? "  order" : "");
            fflush(stdout);
        }
        ts_progress_show(shown.progress);
        json_array_append_new(
            rows, json_pack("{s:i, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:I}", "shape", (int)a->shape,
                            "mkn", shape, "format", a->format, "fidelity", a->fidelity, "storage",
                            a->storage, "silicon", a->utilisation, "simulated", simulated[i],
                            "points", points, "cycles", (json_int_t)cycles));
    }
    ts_progress_free(shown.progress);
    if (talk && code == TS_OK)
        printf("largest difference %.1f points; %u rows above %.0f; %u pairs of formats in another "
               "order\n",
               worst, wrong, POINTS, swapped);
    if (code == TS_OK) {
        json_t *document = json_pack("{s:o, s:{s:f, s:i, s:i}}", "rows", rows, "summary",
                                     "worst_points", worst, "above_8", (int)wrong, "disorder",
                                     (int)swapped);
        ts_results_json(results, "result.json", document);
        ts_results_write(results, "result.csv", write_csv, rows);
        code = ts_results_end(results, ts_output_json(self->options.json, document));
        json_decref(document);
    } else {
        json_decref(rows);
        ts_results_drop(results, code);
    }
    free(simulated);
    return code != TS_OK ? code : wrong || swapped ? TS_DIFFERS : TS_OK;
}

int ts_cmd_anchors(int argc, char **argv);
int ts_cmd_anchors(int argc, char **argv)
{
    struct arguments self;
    memset(&self, 0, sizeof self);
    ts_options_init(&self.options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &self.options, "config set threads out json quiet"), 0, NULL, 0},
        {0}};
    const struct argp argp = {NULL, parse, "[SHAPE...]", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self.options, &params, argc, argv);
    if (code == TS_OK)
        code = run(&self, &params, &results);
    ts_params_free(&params);
    return code;
}
