// What if a resource were free, and what to do about it (why.h).
#include "platform/account/stats.h"
#include "platform/base/json.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/why_list.h"
#include "platform/lib/inside.h"
#include "platform/out/text.h"
#include "platform/run/plan/plan.h"
#include "platform/run/power.h"
#include "platform/tile/free.h"

#define SLOWER   8 // times: a run that takes longer says nothing about the resource
#define SETTINGS 160

static void parse_lines(void *input, char *arg, struct argp_state *state)
{
    struct ts_why *self = input;
    (void)state;
    self->by_line = true;
    self->lines = arg;
}

static void parse_why(void *input, char *arg, struct argp_state *state)
{
    struct ts_why *self = input;
    const bool remedies = arg && strcmp(arg, "remedies") == 0;
    self->remedies |= remedies;
    self->asked |= !remedies;
    self->no_advice |= arg && !remedies;
    if (arg && !remedies && strcmp(arg, "free") != 0)
        argp_error(state, "--why: '%s' is neither free nor remedies", arg);
}

static const struct ts_take takes[] = {
    TS_CALL("why", parse_why), TS_CALL("lines", parse_lines), {0}};

TS_TAKE_ARGP(ts_why_argp)

// --- the runs ---

static const struct {
    const char *option, *value, *text;
} other_options[] = {
#define TS_ADVICE_OPTION(option, value, text) {option, value, text},
#include "config/advice.def"
};

static const struct {
    const char *name, *text;
} sizes[] = {
#define TS_ADVICE_SIZE(name, text) {name, text},
#include "config/advice.def"
};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void add_free(struct ts_why_list *self, bool networks, bool links)
{
    for (const struct ts_param *row = ts_free_rows; row->key; row++) {
        bool link = starts(row->key, "eth"), network = starts(row->key, "noc") || link ||
                                                       starts(row->key, "dram") ||
                                                       starts(row->key, "latency");
        if ((network && !networks) || (link && !links))
            continue;
        struct ts_why_point *point = &self->points[self->count++];
        *point = (struct ts_why_point){.resource = row->key, .text = row->text};
        snprintf(point->setting, sizeof point->setting, "free.%s=1", row->key);
    }
}

static void add_throttle(struct ts_why_list *self)
{
    struct ts_why_point *point = &self->points[self->count++];
    *point = (struct ts_why_point){.resource = "throttle",
                                   .text = "the throttle: no NOPs between MVMULs",
                                   .option = "throttle",
                                   .value = "0",
                                   .setting = "throttle=0"};
}

// Would the file be accepted with one more setting?
static bool accepted(const struct ts_why *why, const char *setting)
{
    const char *settings[SETTINGS];
    memcpy(settings, why->options, why->option_count * sizeof *settings);
    settings[why->option_count] = setting;
    const struct ts_plan_options more = {.params = settings, .param_count = why->option_count + 1};
    return ts_plan_accepts(why->path, &more);
}

// Is it another value of a low-level kernel's option, and one that it takes with the others?
static bool differs(const struct ts_why *why, const struct ts_plan *plan, const char *option,
                    const char *value)
{
    const struct ts_plan_param *param = ts_plan_param(plan, option);
    char now[64], setting[96];
    if (param == NULL || param->text == NULL)
        return false;
    ts_plan_option_text(param, now, sizeof now);
    snprintf(setting, sizeof setting, "%s=%s", option, value);
    if (strcmp(now, value) == 0 || !accepted(why, setting))
        return false;
    if (strcmp(option, "fidelity") == 0)
        return ts_word_index(TS_PLAN_FIDELITIES, value) < (int)param->value;
    if (strcmp(option, "repeat") == 0)
        return param->value == 1;
    if (strcmp(option, "format") == 0)
        return ts_datum_tile_bytes((unsigned)ts_datum_by_name(value)) <
               ts_datum_tile_bytes((unsigned)param->value);
    return true;
}

static void add_options(struct ts_why_list *self, const struct ts_plan *plan)
{
    for (size_t i = 0; i < sizeof other_options / sizeof *other_options; i++) {
        const char *option = other_options[i].option, *value = other_options[i].value;
        char name[40];
        snprintf(name, sizeof name, "%s", option);
        for (char *at = name; (at = strchr(at, '-')) != NULL;)
            *at = '_';
        if (self->count == TS_WHY_RUNS || !differs(self->why, plan, name, value))
            continue;
        struct ts_why_point *point = &self->points[self->count++];
        *point = (struct ts_why_point){
            .option = option, .value = value, .text = other_options[i].text};
        snprintf(point->setting, sizeof point->setting, "%s=%s", option, value);
    }
}

static void add_parameter(struct ts_why_list *self, const char *name, const char *value,
                          const char *text)
{
    if (self->count == TS_WHY_RUNS)
        return;
    struct ts_why_point *point = &self->points[self->count++];
    *point = (struct ts_why_point){.option = name, .text = text};
    snprintf(point->setting, sizeof point->setting, "%s=%s", name, value);
}

// Is it a word of a program file's parameter that costs less?
static bool is_less(const char *name, const char *value, const char *now)
{
    if (strcmp(name, "format") == 0)
        return strcmp(now, "bf16") == 0 || strcmp(now, "fp16") == 0 || strcmp(now, "fp32") == 0;
    return strcmp(name, "fidelity") == 0 &&
           ts_word_index(TS_PLAN_FIDELITIES, value) < ts_word_index(TS_PLAN_FIDELITIES, now);
}

// A program file has parameters of its own: formats and fidelities, sizes of blocks.
static void add_parameters(struct ts_why_list *self, const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->param_count; i++) {
        const struct ts_plan_param *param = &plan->params[i];
        for (size_t k = 0; param->word[0] && k < sizeof other_options / sizeof *other_options; k++)
            if (strcmp(other_options[k].option, param->name) == 0 &&
                is_less(param->name, other_options[k].value, param->word))
                add_parameter(self, param->name, other_options[k].value, other_options[k].text);
        for (size_t k = 0; !param->word[0] && k < sizeof sizes / sizeof *sizes; k++)
            for (double factor = 0.5; strstr(param->name, sizes[k].name) && factor <= 2;
                 factor *= 4) {
                char value[32];
                snprintf(value, sizeof value, "%.0f", param->value * factor);
                if (param->value * factor >= 1)
                    add_parameter(self, param->name, value, sizes[k].text);
            }
    }
}

// Formats and fidelities under whatever name, and more cores.
static void add_more(struct ts_why_list *self, const struct ts_plan *plan)
{
    const struct ts_plan_options given = {.params = self->why->options,
                                          .param_count = self->why->option_count};
    for (uint32_t i = 0; i < plan->param_count && !plan->llk.on; i++) {
        const struct ts_plan_param *param = &plan->params[i];
        const char *as = ts_word_index(TS_PLAN_FIDELITIES, param->word) >= 0 ? "fidelity"
                                                                             : "format";
        for (size_t k = 0; param->word[0] && k < sizeof other_options / sizeof *other_options; k++)
            if (strcmp(param->name, as) != 0 && strcmp(other_options[k].option, as) == 0 &&
                (strcmp(as, "fidelity") == 0 || ts_plan_format_by_name(param->word) >= 0) &&
                is_less(as, other_options[k].value, param->word))
                add_parameter(self, param->name, other_options[k].value, other_options[k].text);
    }
    const struct ts_yaml_node cores = ts_yaml_find(ts_yaml_root((struct ts_yaml *)&plan->yaml),
                                                   "cores");
    const char *set = ts_plan_setting(&given, "cores");
    unsigned across = 1, down = 1;
    set = set ? set : ts_yaml_is_scalar(cores) ? ts_yaml_text(cores, "") : "";
    if (cores.node == NULL ||
        (sscanf(set, "%ux%u", &across, &down) != 2 && strcmp(set, "0,0") != 0))
        return;
    for (unsigned i = 0; i < 2; i++) {
        char value[32];
        snprintf(value, sizeof value, "%ux%u", i ? across : 2 * across, i ? 2 * down : down);
        add_parameter(self, "cores", value, "more cores: less work for each, more to send");
    }
}

void ts_why_tries(struct ts_why_list *self, const struct ts_plan *plan)
{
    if (plan->llk.on)
        add_options(self, plan);
    else
        add_parameters(self, plan);
    add_more(self, plan);
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) // more work is another operation
        if (!starts(self->points[i].setting, "repeat=") &&
            (plan->llk.on || self->sequence || accepted(self->why, self->points[i].setting)))
            self->points[kept++] = self->points[i];
    self->count = kept;
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct ts_why_list *self = context;
    snprintf(key, size, "%s", self->points[index].setting);
}

// The cycles of one unit of work are compared: more passes are not slower.
static double cycles_of(const struct ts_work *work)
{
    return (double)work->verdict.cycles / work->jobs[0].numbers.repeat;
}

// Makes the program with one setting more, or none, and runs it. NULL: it cannot be made.
static struct tensim *run_point(const struct ts_why_list *self, const struct ts_why_point *point,
                                enum tensim_code *code)
{
    const struct ts_why *why = self->why;
    const char *sets[SETTINGS], *settings[SETTINGS];
    struct tensim_config config = why->config;
    size_t count = why->option_count;
    struct tensim_error error = {0};
    memcpy(sets, config.settings, config.setting_count * sizeof *sets);
    memcpy(settings, why->options, count * sizeof *settings);
    if (point && point->option)
        settings[count++] = point->setting;
    else if (point)
        sets[config.setting_count++] = point->setting;
    config.settings = sets;
    config.output = NULL; // the same program: what its kernels print goes nowhere
    config.threads = 1;
    config.no_expect = true;
    config.timing_only |= self->times_alone;
    struct tensim *sim = tensim_new_program(why->path, settings, count, &config, &error);
    *code = sim ? tensim_run(sim, self->limit, &error) : error.code;
    if (*code == TENSIM_DIFFERS) // a wrong result has its cycles, too
        *code = TENSIM_OK;
    return sim;
}

static void tell(const struct ts_work *work, json_t *row)
{
    struct ts_power_ratio power;
    json_object_set_new(row, "cycles", json_real(cycles_of(work)));
    if (ts_work_power(work, &power))
        json_object_set_new(row, "power", json_real(power.value));
    if (work->loss && work->loss->count)
        json_object_set_new(row, "next", json_string(work->loss->lines[0].text));
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    enum tensim_code code;
    struct tensim *sim = run_point(context, &((struct ts_why_list *)context)->points[index], &code);
    (void)seat;
    json_object_set_new(row, "code", json_integer(code));
    if (code == TENSIM_OK)
        tell(sim->work, row);
    tensim_free(sim);
}

// A unit that had no word may be free: the run is the one that was made.
static json_t *known(void *context, size_t index)
{
    const struct ts_why_list *self = context;
    const struct ts_why_point *point = &self->points[index];
    if (point->resource == NULL || strcmp(point->resource, "vector") != 0)
        return NULL;
    for (uint32_t i = 0; i < ts_lib_works(self->sim); i++) {
        const struct ts_work *work = ts_lib_work(self->sim, i);
        for (uint32_t tile = 0; tile < ts_work_tiles(work); tile++)
            if (work->jobs[tile].tile->vector.unit.instructions)
                return NULL;
    }
    json_t *row = json_pack("{s:i}", "code", TENSIM_OK);
    tell(self->sim->work, row);
    return row;
}

static void hash_times(const struct ts_kernel *kernel, const struct ts_run *run, char hash[17])
{
    json_t *stats = ts_stats_json(kernel, run);
    ts_stats_timing_hash(stats, hash);
    json_decref(stats);
}

// Do the program's cycles not depend on what it computes? Those of low-level kernels never do. Others run once more, without
// arithmetic: then every component must have the same account and the same counters.
static bool times_alone(struct ts_why_list *self, const struct ts_session *session)
{
    if (self->llk || self->why->config.timing_only)
        return true;
    char with[17], without[17] = "";
    enum tensim_code code;
    hash_times(session->kernel, &session->run, with);
    self->times_alone = true;
    struct tensim *sim = run_point(self, NULL, &code);
    if (code == TENSIM_OK)
        hash_times(sim->kernel, &sim->run, without);
    tensim_free(sim);
    return strcmp(with, without) == 0;
}

// --- results ---

static int by_gain(const void *a, const void *b)
{
    const struct ts_why_point *x = a, *y = b;
    return TS_COMPARE(y->gain, x->gain) ?: strcmp(x->setting, y->setting);
}

// With requests without end under way transfers cost cores no time, but a channel or a link cannot work more than always.
static void hide_latency(struct ts_why_list *self)
{
    struct ts_why_point *point = ts_why_point_of(self, "latency_hidden", "");
    const double busy = self->full ? self->full->share * self->cycles : 0;
    if (point == NULL || busy <= (double)point->cycles)
        return;
    snprintf(point->limit, sizeof point->limit,
             "; %s then works in every cycle (the run: %llu cycles)", self->full->name,
             (unsigned long long)point->cycles);
    point->at_most = true;
    point->cycles = (uint64_t)(busy + 0.5);
    point->gain = 100 * (self->cycles - busy) / self->cycles;
}

static void read_rows(struct ts_why_list *self, const struct ts_crew *crew, double cycles)
{
    self->cycles = cycles;
    for (size_t i = 0; i < self->count; i++) {
        struct ts_why_point *point = &self->points[i];
        const json_t *row = crew->rows[i];
        double now = ts_json_number(row, "cycles");
        point->good = now > 0;
        point->cycles = (uint64_t)(now + 0.5);
        point->gain = point->good ? 100 * (cycles - now) / cycles : -1000;
        point->power = ts_json_number(row, "power");
        point->next = json_string_value(json_object_get(row, "next"));
    }
    hide_latency(self);
    qsort(self->points, self->count, sizeof *self->points, by_gain);
}

// --- counter-measures ---

static void add_remedies(struct ts_why_list *self)
{
#define TS_REMEDY_TRIED(name, value) add_parameter(self, name, value, value);
#include "config/remedies_tried.def"
}

static json_t *remedies_json(const struct ts_why_list *self, bool talk)
{
    json_t *all = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_why_point *p = &self->points[i];
        if (p->good)
            ts_json_add(all, "{s:s, s:I, s:f, s:f}", "setting", p->setting, "cycles",
                        (json_int_t)p->cycles, "slower", -p->gain, "power", p->power);
    }
    json_t *view = json_pack("{s:O}", "all", all);
    if (talk)
        ts_text_print("remedies", view, true, stdout);
    json_decref(view);
    return all;
}

static int run_list(const struct ts_why *self, struct ts_session *session, struct ts_why_list *list)
{
    const struct ts_work *work = session->sim->work;
    const bool talk = ts_options_talk(session->options), why = !list->remedies;
    struct ts_error error = {0};
    struct ts_crew_list runs = {.command = why ? "why" : "remedies",
                                .unit = "runs",
                                .count = list->count,
                                .context = list,
                                .key = key_of,
                                .known = known,
                                .run = run_of};
    struct ts_crew crew = {
        .workers = ts_crew_cores(0), .quiet = true, .argc = session->argc, .argv = session->argv};
    fflush(stdout);
    int code = ts_crew_run(&crew, &runs, &error);
    if (code == TS_OK) {
        read_rows(list, &crew, cycles_of(work));
        if (talk && why)
            ts_why_print(list, work);
        json_object_set_new(session->document, why ? "why" : "remedies_tried",
                            why ? ts_why_json(list) : remedies_json(list, talk));
        if (why && !self->no_advice)
            json_object_set_new(session->document, "advice", ts_why_advise(list, talk));
    } else if (code < TS_SIGNAL) {
        ts_complain_error(&error);
    }
    ts_crew_free(&crew);
    return code;
}

int ts_why_run(const struct ts_why *self, struct ts_session *session)
{
    const struct ts_work *work = session->sim->work;
    struct ts_why_list *list = calloc(1, sizeof *list);
    if (list == NULL || self->option_count + 1 >= SETTINGS ||
        self->config.setting_count + 1 >= SETTINGS) {
        free(list);
        return ts_complain(TS_NO_MEMORY, "--why: out of memory");
    }
    list->why = self;
    list->sim = session->sim;
    list->limit = SLOWER * session->run.cycle;
    for (unsigned i = 0; i < work->verdict.roof_count; i++) { // the nearest first
        const struct ts_roof *roof = &work->verdict.roofs[i];
        const bool network = roof->of == TS_RESOURCE_DRAM || roof->of == TS_RESOURCE_NOC ||
                             roof->of == TS_RESOURCE_ETH;
        list->full = list->full == NULL && network ? roof : list->full;
    }
    list->llk = work->plan->llk.on;
    add_free(list, work->shares, work->plan->system);
    if (list->llk && work->jobs[0].numbers.throttle)
        add_throttle(list);
    if (list->llk && !self->no_advice)
        add_options(list, work->plan);
    if (work->program && !self->no_advice)
        add_parameters(list, work->plan);
    list->times_alone = times_alone(list, session);
    int code = self->asked ? run_list(self, session, list) : TS_OK;
    if (code == TS_OK && self->remedies) {
        *list = (struct ts_why_list){.why = self,
                                     .llk = work->plan->llk.on,
                                     .times_alone = list->times_alone,
                                     .remedies = true,
                                     .limit = SLOWER * list->limit};
        add_remedies(list);
        code = run_list(self, session, list);
    }
    free(list);
    return code;
}
