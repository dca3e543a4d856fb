// tensim silicon gemm: the published matmuls over a grid of 13 x 10 tiles, table against simulation.
#include "platform/base/json.h"
#include "platform/chip/chip.h"
#include "platform/cli/common.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/results.h"
#include "platform/study/sweep/anchors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 8.0 // of utilisation: the bar

struct arguments {
    struct ts_options options;
    struct ts_crew_options crew;
    bool chosen[16], any;
};

static void parse_chip(void *input, char *arg, struct argp_state *state)
{
    (void)input;
    ts_one_chip(arg,
                "the report's figures are of a p150; `tensim matmul --cores CxR --chip CARD' runs "
                "a matmul on other cards",
                state);
}

static const struct ts_take takes[] = {TS_CALL("chip", parse_chip), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    char *end;
    unsigned long shape = strtoul(arg, &end, 10);
    if (strcmp(arg, "gemm") == 0 && state->arg_num == 0)
        return;
    if (*end || shape < 1 || shape > ts_anchors[ts_anchor_count - 1].shape)
        argp_error(state, "'%s' is not a shape from 1 to %u", arg,
                   ts_anchors[ts_anchor_count - 1].shape);
    self->chosen[shape] = self->any = true;
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

// The rows that were asked for, as a list of runs; and what they come to.
struct study {
    const struct arguments *arguments;
    const struct ts_params *params;
    uint32_t *places; // in ts_anchors
    size_t count;
    double *simulated; // utilisation, by place
    double worst;
    unsigned wrong, swapped;
    json_t *rows;
    struct ts_error failure; // of the first row that failed
};

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct study *self = context;
    const struct ts_anchor *a = &ts_anchors[self->places[index]];
    snprintf(key, size, "shape=%u format=%s fidelity=%s storage=%s blocks=%u row=%u", a->shape,
             a->format, a->fidelity, a->storage, a->blocks, self->places[index]);
}

static double cost_of(const void *context, size_t index)
{
    const struct study *self = context;
    const struct ts_anchor *a = &ts_anchors[self->places[index]];
    return (double)a->m * a->k * a->n;
}

static void show_share(void *seat, double share)
{
    ts_crew_share(seat, share);
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct study *self = context;
    struct ts_error error = {0};
    ts_cycle cycles;
    double share;
    bool good = ts_anchor_run(&ts_anchors[self->places[index]], self->params,
                              self->arguments->options.threads, show_share, seat, &share, &cycles,
                              &error);
    json_object_set_new(row, "code", json_integer(good ? TS_OK : TS_DIFFERS));
    if (good) {
        json_object_set_new(row, "utilisation", json_real(share));
        json_object_set_new(row, "cycles", json_integer((json_int_t)cycles));
    } else {
        json_object_set_new(row, "error", json_string(error.text));
    }
}

static void show_row(const struct study *self, uint32_t place, ts_cycle cycles)
{
    const struct ts_anchor *a = &ts_anchors[place];
    double points = self->simulated[place] - a->utilisation;
    char shape[32];
    snprintf(shape, sizeof shape, "%ux%ux%u", a->m, a->k, a->n);
    ts_json_add(self->rows, "{s:i, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:I}", "shape", (int)a->shape,
                "mkn", shape, "format", a->format, "fidelity", a->fidelity, "storage", a->storage,
                "silicon", a->utilisation, "simulated", self->simulated[place], "points", points,
                "cycles", (json_int_t)cycles);
    if (!ts_options_talk(&self->arguments->options))
        return;
    printf("%-5u %-16s %-4s %-5s %-14s %7.1f%% %7.1f%% %+7.1f %9" PRIu64 "%s\n", a->shape, shape,
           a->format, a->fidelity, a->storage, a->utilisation, self->simulated[place], points,
           cycles, disorder(self->simulated, place) ? "  order" : "");
    fflush(stdout);
}

// In the order of the table.
static void show(void *context, size_t index, const json_t *row)
{
    struct study *self = context;
    uint32_t place = self->places[index];
    const struct ts_anchor *a = &ts_anchors[place];
    int code = (int)ts_json_integer(row, "code");
    if (code != TS_OK) {
        ts_fail(&self->failure, TS_DIFFERS, "shape %u %s %s: %s", a->shape, a->format, a->fidelity,
                json_string_value(json_object_get(row, "error")));
        return;
    }
    self->simulated[place] = 100 * json_real_value(json_object_get(row, "utilisation"));
    double points = fabs(self->simulated[place] - a->utilisation);
    self->worst = points > self->worst ? points : self->worst;
    self->wrong += points > POINTS;
    self->swapped += disorder(self->simulated, place);
    show_row(self, place, (ts_cycle)ts_json_integer(row, "cycles"));
}

static int report(const struct study *self, struct ts_results *results)
{
    const struct ts_options *common = &self->arguments->options;
    if (self->failure.code != TS_OK)
        return ts_results_drop(results, ts_complain_error(&self->failure));
    if (ts_options_talk(common))
        printf("largest difference %.1f points; %u rows above %.0f; %u pairs of formats in another "
               "order\n",
               self->worst, self->wrong, POINTS, self->swapped);
    json_t *document = json_pack("{s:s, s:i, s:s, s:O, s:{s:f, s:i, s:i}}", "schema",
                                 "tensim.anchors", "version", 1, "chip", "p150", "rows", self->rows,
                                 "summary", "worst_points", self->worst, "above_8",
                                 (int)self->wrong, "disorder", (int)self->swapped);
    ts_results_page(results, document, NULL);
    ts_results_write(results, "result.csv", write_csv, self->rows);
    int code = ts_results_end(results, ts_output_json(common->json, document));
    json_decref(document);
    return code != TS_OK ? code : self->wrong || self->swapped ? TS_DIFFERS : TS_OK;
}

static int run(const struct arguments *self, const struct ts_params *params,
               struct ts_results *results, struct ts_crew *crew)
{
    struct study study = {.arguments = self,
                          .params = params,
                          .places = calloc(ts_anchor_count, sizeof *study.places),
                          .simulated = calloc(ts_anchor_count, sizeof *study.simulated),
                          .rows = json_array()};
    if (study.places == NULL || study.simulated == NULL)
        ts_out_of_memory("the command");
    for (uint32_t i = 0; i < ts_anchor_count; i++)
        if (!self->any || self->chosen[ts_anchors[i].shape])
            study.places[study.count++] = i;
    if (ts_options_talk(&self->options) && !self->crew.serves && crew->shards == 0)
        printf("%-5s %-16s %-4s %-5s %-14s %8s %8s %7s %9s\n", "shape", "MxKxN", "", "", "storage",
               "silicon", "tensim", "points", "cycles");
    fflush(stdout);
    struct ts_error error = {0};
    struct ts_crew_list list = {.command = "silicon gemm",
                                .unit = "rows",
                                .count = study.count,
                                .configuration = ts_crew_configuration(params),
                                .context = &study,
                                .key = key_of,
                                .cost = cost_of,
                                .run = run_of,
                                .show = show};
    int code = ts_crew_run(crew, &list, &error);
    code = ts_crew_whole(crew, "rows", &code, &error) ? report(&study, results)
                                                      : ts_results_drop(results, code);
    json_decref(study.rows);
    free(study.places);
    free(study.simulated);
    return code;
}

int ts_silicon_gemm(int argc, char **argv)
{
    struct arguments self;
    memset(&self, 0, sizeof self);
    ts_parse(&(struct ts_parser){.help = "gemm",
                                 .takes = takes,
                                 .common = "config set threads out json quiet",
                                 .crew = offsetof(struct arguments, crew),
                                 .word = take_word},
             argc, argv, &self);
    struct ts_params params = {0};
    int code = ts_crew_options_ready(&self.crew, &self.options.out, &self.options.json, false);
    ts_chip_params_add(&params);
    code = code ? code : (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self.options, &params, argc, argv);
    // One row at a time in each rank: it is the row that has threads.
    struct ts_crew crew = ts_crew_from(&self.crew, 1, self.options.quiet, argc, argv);
    ts_crew_keep(&crew, &results, self.options.out);
    if (code == TS_OK)
        code = run(&self, &params, &results, &crew);
    ts_crew_free(&crew);
    free(self.crew.merge);
    ts_params_free(&params);
    return code;
}
