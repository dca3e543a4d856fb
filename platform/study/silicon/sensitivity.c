// Runs the truth table with changed parameters (sensitivity.h).
#include "platform/study/silicon/sensitivity.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/study/silicon/account.h"

#define REACTS 0.001 // a figure that changes by more depends on the parameter

// A little less and a little more: an eighth, at least 1. Sizes that are powers of two stay so.
static int64_t changed(int64_t value, const char *unit, int up)
{
    if (strcmp(unit, "sets") == 0)
        return up ? value * 2 : value / 2;
    int64_t step = value / 8 > 1 ? value / 8 : 1;
    return up ? value + step : value - step;
}

// Groups that a family's rows can depend on; the others are not run again.
static bool concerns(const struct ts_silicon_family *family, const char *group)
{
    return family->groups == NULL || strstr(family->groups, group) != NULL;
}

// One table of rows: all with the parameters as they are (effect NULL), or those that a changed
// parameter concerns.
struct variant {
    struct ts_silicon_effect *effect;
    int up;
    size_t first; // of its runs in the list
};

struct study {
    struct ts_params *params;
    const struct ts_silicon_account *account;
    struct ts_silicon_result *base, *whole;
    bool *reacts;
    size_t count;
    struct variant *variants;
    size_t variant_count;
    struct run {
        size_t variant, row;
    } * runs;
    size_t run_count;
};

// --- the list of runs: every variant's rows

static void add_variant(struct study *self, struct ts_silicon_effect *effect, int up)
{
    self->variants[self->variant_count] = (struct variant){effect, up, self->run_count};
    for (size_t i = 0; i < self->count; i++)
        if (effect == NULL || concerns(self->base[i].family, effect->group->name))
            self->runs[self->run_count++] = (struct run){self->variant_count, i};
    self->variant_count++;
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct study *self = context;
    const struct run *run = &self->runs[index];
    const struct variant *variant = &self->variants[run->variant];
    const struct ts_silicon_effect *effect = variant->effect;
    const struct ts_silicon_result *row = &self->base[run->row];
    if (effect)
        snprintf(key, size, "%s %s %s.%s=%lld", row->family->name, row->row->id,
                 effect->group->name, effect->group->rows[effect->index].key,
                 (long long)effect->tried[variant->up]);
    else
        snprintf(key, size, "%s %s", row->family->name, row->row->id);
}

// The long rows stand at the end of the table.
static double cost_of(const void *context, size_t index)
{
    return (double)((const struct study *)context)->runs[index].row;
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct study *self = context;
    const struct run *run = &self->runs[index];
    const struct variant *variant = &self->variants[run->variant];
    struct ts_silicon_effect *effect = variant->effect;
    (void)seat;
    if (effect)
        effect->group->values[effect->index].value = effect->tried[variant->up];
    struct ts_silicon_context with = ts_silicon_context(self->params);
    ts_silicon_simulate(&self->base[run->row], &with, row);
    if (effect)
        effect->group->values[effect->index].value = effect->value;
}

// --- what the rows show

// The rows with one parameter changed; marks those that react.
static void judge(struct study *study, const struct variant *variant, json_t *const *rows)
{
    struct ts_silicon_effect *effect = variant->effect;
    int up = variant->up;
    size_t n = variant->first;
    // A value the model refuses to be built with says nothing about the rows.
    for (size_t i = 0; i < study->count; i++) {
        study->whole[i] = study->base[i];
        if (!concerns(study->base[i].family, effect->group->name))
            continue;
        ts_silicon_settle(&study->whole[i], rows[n++]);
        if (study->whole[i].failure.code == TS_SETUP)
            effect->possible[up] = false;
    }
    if (!effect->possible[up])
        return;
    for (size_t i = 0; i < study->count; i++) {
        const struct ts_silicon_result *was = &study->base[i], *is = &study->whole[i];
        if (!concerns(was->family, effect->group->name))
            continue;
        // A row that cannot be run any more reacts, too.
        double change = is->failure.code != TS_OK ? 1 : fabs(is->simulated / was->simulated - 1);
        if (change <= REACTS)
            continue;
        study->reacts[i] = true;
        if (change > effect->change) {
            effect->change = change;
            effect->most = was->row;
        }
    }
    struct ts_silicon_summary s = ts_silicon_summarise(study->whole, study->count, NULL);
    effect->median[up] = s.median;
    effect->p90[up] = s.p90;
}

static void count_reactions(const struct study *study, struct ts_silicon_effect *effect)
{
    const char *sources[200];
    for (size_t i = 0; i < study->count; i++) {
        if (!study->reacts[i])
            continue;
        effect->rows++;
        if (strlen(effect->ids) + 7 < sizeof effect->ids)
            ts_append(effect->ids, sizeof effect->ids, "%s%.5s", *effect->ids ? " " : "",
                      study->base[i].row->id);
        const char *family = study->base[i].family->name;
        if (strstr(effect->families, family) == NULL)
            snprintf(effect->families + strlen(effect->families),
                     sizeof effect->families - strlen(effect->families), "%s%s",
                     *effect->families ? " " : "", family);
        const struct ts_silicon_id *id = ts_silicon_find_id(study->account, study->base[i].row->id);
        size_t known = 0;
        while (id && known < effect->sources && strcmp(sources[known], id->source) != 0)
            known++;
        if (id && known == effect->sources && known < 200)
            sources[effect->sources++] = id->source;
    }
}

// Every parameter of the kinds, with the values to try.
static void find_effects(struct ts_silicon_sensitivity *self, const struct ts_params *params,
                         unsigned kinds)
{
    for (size_t g = 0; g < params->count; g++)
        for (size_t i = 0; i < params->groups[g].count; i++) {
            const struct ts_param_group *group = &params->groups[g];
            if (!(kinds >> group->values[i].kind & 1))
                continue;
            struct ts_silicon_effect *effect = &self->effects[self->count++];
            *effect = (struct ts_silicon_effect){.group = group,
                                                 .index = i,
                                                 .kind = group->values[i].kind,
                                                 .value = group->values[i].value};
            for (int up = 0; up < 2; up++) {
                effect->tried[up] = changed(effect->value, group->rows[i].unit, up);
                effect->possible[up] = effect->tried[up] >= group->rows[i].low &&
                                       effect->tried[up] <= group->rows[i].high;
            }
        }
}

static void judge_all(struct ts_silicon_sensitivity *self, struct study *study, json_t *const *rows)
{
    for (size_t i = 0; i < study->count; i++)
        ts_silicon_settle(&study->base[i], rows[i]);
    self->base = ts_silicon_summarise(study->base, study->count, NULL);
    size_t next = 1; // behind the table as it is
    for (size_t i = 0; i < self->count; i++) {
        memset(study->reacts, 0, study->count * sizeof *study->reacts);
        for (; next < study->variant_count && study->variants[next].effect == &self->effects[i];
             next++)
            judge(study, &study->variants[next], rows);
        count_reactions(study, &self->effects[i]);
    }
}

int ts_silicon_sensitivity(struct ts_silicon_sensitivity *self, struct ts_params *params,
                           unsigned kinds, uint64_t configuration, struct ts_crew *crew,
                           struct ts_error *error)
{
    size_t count, room = 0;
    struct ts_silicon_account account;
    ts_silicon_account(&account, "blackhole");
    for (size_t g = 0; g < params->count; g++)
        for (size_t i = 0; i < params->groups[g].count; i++)
            room += kinds >> params->groups[g].values[i].kind & 1;
    *self = (struct ts_silicon_sensitivity){.effects = calloc(room + 1, sizeof *self->effects)};
    struct study study = {.params = params, .account = &account};
    study.base = ts_silicon_select(NULL, false, &count);
    study.count = count;
    study.whole = calloc(count, sizeof *study.whole);
    study.reacts = calloc(count, sizeof *study.reacts);
    study.variants = calloc(1 + 2 * room, sizeof *study.variants);
    study.runs = calloc((1 + 2 * room) * count, sizeof *study.runs);
    if (!study.whole || !study.reacts || !study.variants || !study.runs || !self->effects)
        ts_out_of_memory("the truth table");
    find_effects(self, params, kinds);
    add_variant(&study, NULL, 0);
    for (size_t i = 0; i < self->count; i++)
        for (int up = 0; up < 2; up++)
            if (self->effects[i].possible[up])
                add_variant(&study, &self->effects[i], up);
    struct ts_crew_list list = {.command = "silicon sensitivity",
                                .unit = "rows",
                                .count = study.run_count,
                                .configuration = configuration,
                                .context = &study,
                                .key = key_of,
                                .cost = cost_of,
                                .run = run_of};
    int code = ts_crew_run(crew, &list, error);
    if (code == TS_OK && crew->shards == 0)
        judge_all(self, &study, crew->rows);
    free(study.base);
    free(study.whole);
    free(study.reacts);
    free(study.variants);
    free(study.runs);
    ts_silicon_account_free(&account);
    return code;
}

void ts_silicon_sensitivity_free(struct ts_silicon_sensitivity *self)
{
    free(self->effects);
    self->effects = NULL;
}

// ---- output

json_t *ts_silicon_sensitivity_json(const struct ts_silicon_sensitivity *self)
{
    json_t *all = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_effect *e = &self->effects[i];
        char name[80];
        snprintf(name, sizeof name, "%s.%s", e->group->name, e->group->rows[e->index].key);
        json_t *tried = json_array();
        for (int up = 0; up < 2; up++)
            if (e->possible[up])
                ts_json_add(tried, "{s:I, s:f, s:f}", "value", (json_int_t)e->tried[up],
                            "median_abs_error", e->median[up], "p90_abs_error", e->p90[up]);
        ts_json_add(all, "{s:s, s:s, s:I, s:o, s:I, s:I, s:f, s:s?, s:s, s:s}", "key", name, "kind",
                    ts_param_kind_name(e->kind), "value", (json_int_t)e->value, "tried", tried,
                    "rows", (json_int_t)e->rows, "sources", (json_int_t)e->sources,
                    "largest_change", e->change, "row", e->most ? e->most->id : NULL, "families",
                    e->families, "reacting", e->ids);
    }
    return json_pack("{s:f, s:f, s:o}", "median_abs_error", self->base.median, "p90_abs_error",
                     self->base.p90, "parameters", all);
}

void ts_silicon_sensitivity_text(const json_t *document, FILE *file)
{
    ts_text_print("silicon_sensitivity", document, true, file);
}
