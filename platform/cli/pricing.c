#include "platform/cli/pricing.h"

#include "platform/cli/crew_options.h"

#include <sys/stat.h>

int ts_pricing_open(struct ts_pricing *self, const struct ts_options *options, const char *allow,
                    unsigned jobs, int argc, char **argv)
{
    struct tensim_config config;
    struct ts_error error = {0};
    struct ts_crew_place place = {0, 1};
    char file[PATH_MAX];
    const char *folder = options->out;
    tensim_config_init(&config);
    config.params = options->config;
    config.settings = options->sets;
    config.setting_count = options->set_count;
    config.allow = allow;
    if (!ts_crew_place(&place, &error))
        return place.rank ? TS_SETUP : ts_complain_error(&error); // one of them says it
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ts_complain(TS_SETUP, "%s: cannot be made: %s", folder, strerror(errno));
    snprintf(file, sizeof file, "%.4000s/costs.sqlite", folder ? folder : "");
    self->crew = (struct ts_crew){
        .workers = ts_crew_cores(jobs), .quiet = options->quiet, .argc = argc, .argv = argv};
    self->costs = ts_costs_open(folder ? file : NULL, &config, place.rank > 0, &error);
    return self->costs ? TS_OK : ts_complain_error(&error);
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct ts_pricing *self = context;
    snprintf(key, size, "%s", self->runs[index]->text);
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct ts_pricing *self = context;
    struct ts_error error = {0};
    json_t *answer = ts_cost_run(self->costs, self->runs[index], self->numbers, &error);
    (void)seat;
    json_object_set_new(row, "code", json_integer(error.code));
    if (answer)
        json_object_set_new(row, "answer", answer);
    else
        json_object_set_new(row, "error", json_string(error.text));
}

static json_t *known(void *context, size_t index)
{
    struct ts_pricing *self = context;
    json_t *answer = self->numbers ? NULL : ts_costs_find(self->costs, self->runs[index]);
    return answer ? json_pack("{s:i, s:o}", "code", 0, "answer", answer) : NULL;
}

static void done(void *context, size_t index, const json_t *row)
{
    struct ts_pricing *self = context;
    const json_t *answer = json_object_get(row, "answer");
    if (answer && !self->numbers && self->kept.code == TS_OK)
        ts_costs_keep(self->costs, self->runs[index], answer, &self->kept);
}

static void show(void *context, size_t index, const json_t *row)
{
    const struct ts_pricing *self = context;
    if (self->show)
        self->show(self->context, index, row);
}

int ts_pricing_run(struct ts_pricing *self, struct ts_error *error)
{
    const struct ts_crew_list list = {.command = "cost",
                                      .unit = "runs",
                                      .count = self->count,
                                      .context = self,
                                      .key = key_of,
                                      .run = run_of,
                                      .known = known,
                                      .done = done,
                                      .show = show};
    const int code = ts_crew_run(&self->crew, &list, error);
    if (error->code == TS_OK && self->kept.code != TS_OK)
        *error = self->kept;
    return error->code != TS_OK ? (int)error->code : code;
}
