// What if a resource were free, and what to do about it (why.h).
#include "platform/cli/why.h"

#include "platform/cli/crew_options.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/plan.h"
#include "platform/run/spec.h"
#include "platform/tile/free.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT    UINT64_C(2000000000)
#define RUNS     48
#define LITTLE   0.5 // percent: not worth a line
#define ADVICES  5   // lines of advice
#define SETTINGS 160

enum { OPTION_WHY = 950, OPTION_NO_ADVICE, OPTION_LINES };

static const struct argp_option options[] = {
    {"why", OPTION_WHY, NULL, 0,
     "repeat the run with one resource at a time for free and with other options: what each brings",
     TS_OPTIONS_OUTPUT},
    {"no-advice", OPTION_NO_ADVICE, NULL, 0, "with --why: no runs with other options, no advice",
     TS_OPTIONS_OUTPUT},
    {"lines", OPTION_LINES, "FILE[:LINE]", OPTION_ARG_OPTIONAL,
     "show the cycles of every source line and thread, the hottest first; FILE: of this source; "
     "FILE:LINE: what was inlined into the line, and its instructions. Runs step by step",
     TS_OPTIONS_OUTPUT},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_why *self = state->input;
    switch (key) {
    case OPTION_LINES:
        self->by_line = true;
        self->lines = arg;
        return 0;
    case OPTION_WHY:
        self->asked = true;
        return 0;
    case OPTION_NO_ADVICE:
        self->no_advice = true;
        return 0;
    case ARGP_KEY_END:
        if (self->no_advice && !self->asked)
            argp_error(state, "--no-advice goes with --why");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp ts_why_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

// --- the runs ---

struct point {
    const char *resource; // for free; NULL: another option
    const char *text;
    const char *option,
        *value;       // of the kernel; option NULL: of the model; value NULL: of a program file
    char setting[64]; // "free.unpack=1", or "sub-block=2x4"
    // Results.
    bool good;
    uint64_t cycles;
    double gain; // percent
    const char *next;
};

struct list {
    const struct ts_why *why;
    struct point points[RUNS];
    size_t count;
};

static const struct {
    const char *option, *value, *text;
} other_options[] = {
#define TS_ADVICE_OPTION(option, value, text) {option, value, text},
#define TS_ADVICE_SIZE(name, text)
#define TS_ADVICE_RELIEF(resource, text)
#include "config/advice.def"
#undef TS_ADVICE_OPTION
#undef TS_ADVICE_SIZE
#undef TS_ADVICE_RELIEF
};

static const struct {
    const char *name, *text;
} sizes[] = {
#define TS_ADVICE_OPTION(option, value, text)
#define TS_ADVICE_SIZE(name, text) {name, text},
#define TS_ADVICE_RELIEF(resource, text)
#include "config/advice.def"
#undef TS_ADVICE_OPTION
#undef TS_ADVICE_SIZE
#undef TS_ADVICE_RELIEF
};

static const struct {
    const char *resource, *text;
} reliefs[] = {
#define TS_ADVICE_OPTION(option, value, text)
#define TS_ADVICE_SIZE(name, text)
#define TS_ADVICE_RELIEF(resource, text) {#resource, text},
#include "config/advice.def"
#undef TS_ADVICE_OPTION
#undef TS_ADVICE_SIZE
#undef TS_ADVICE_RELIEF
};

static void add_free(struct list *self, bool networks)
{
    for (const struct ts_param *row = ts_free_rows; row->key; row++) {
        bool network = strcmp(row->key, "noc") == 0 || strcmp(row->key, "dram") == 0;
        if (network && !networks)
            continue;
        struct point *point = &self->points[self->count++];
        *point = (struct point){.resource = row->key, .text = row->text};
        snprintf(point->setting, sizeof point->setting, "free.%s=1", row->key);
    }
}

static void add_throttle(struct list *self)
{
    struct point *point = &self->points[self->count++];
    *point = (struct point){.resource = "throttle",
                            .text = "the throttle: no NOPs between MVMULs",
                            .option = "throttle",
                            .value = "0",
                            .setting = "throttle=0"};
}

// Is it another value, and one that the kernel takes with the others?
static bool differs(const struct ts_job_spec *spec, const char *option, const char *value)
{
    struct ts_job_spec other = *spec;
    char text[512];
    if (!ts_spec_vary(&other, option, value, text, sizeof text) ||
        !ts_spec_check(&other, text, sizeof text))
        return false;
    if (strcmp(option, "fidelity") == 0)
        return other.phases < spec->phases;
    if (strcmp(option, "repeat") == 0)
        return spec->repeat == 1;
    if (strcmp(option, "format") == 0)
        return ts_datum_tile_bytes(other.format) < ts_datum_tile_bytes(spec->format);
    return other.dst32 != spec->dst32 || other.sub_h != spec->sub_h || other.sub_w != spec->sub_w;
}

static void add_options(struct list *self)
{
    for (size_t i = 0; i < sizeof other_options / sizeof *other_options; i++) {
        const char *option = other_options[i].option, *value = other_options[i].value;
        if (self->count == RUNS || !differs(self->why->spec, option, value))
            continue;
        struct point *point = &self->points[self->count++];
        *point = (struct point){.option = option, .value = value, .text = other_options[i].text};
        snprintf(point->setting, sizeof point->setting, "%s=%s", option, value);
    }
}

static void add_parameter(struct list *self, const char *name, const char *value, const char *text)
{
    if (self->count == RUNS)
        return;
    struct point *point = &self->points[self->count++];
    *point = (struct point){.option = name, .text = text};
    snprintf(point->setting, sizeof point->setting, "%s=%s", name, value);
}

// Words of a program file's parameters as the kernels' options have them, in the order from slow to
// fast.
static bool is_less(const char *name, const char *value, const char *now)
{
    static const char *const fidelities[] = {"hifi4", "hifi3", "hifi2", "lofi"};
    if (strcmp(name, "format") == 0)
        return strcmp(now, "bf16") == 0 || strcmp(now, "fp16") == 0 || strcmp(now, "fp32") == 0;
    size_t a = 0, b = 0;
    while (a < 3 && strcmp(fidelities[a], now) != 0)
        a++;
    while (b < 3 && strcmp(fidelities[b], value) != 0)
        b++;
    return strcmp(name, "fidelity") == 0 && b > a;
}

// A program file has parameters of its own: formats and fidelities, sizes of blocks.
static void add_parameters(struct list *self, const struct ts_plan *plan)
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

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct list *self = context;
    snprintf(key, size, "%s", self->points[index].setting);
}

// The cycles of one unit of work are compared: more passes are not slower.
static double cycles_of(const struct ts_work *work)
{
    return (double)work->verdict.cycles / (work->spec.repeat ? work->spec.repeat : 1);
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct list *self = context;
    const struct ts_why *why = self->why;
    const struct point *point = &self->points[index];
    const char *sets[SETTINGS], *settings[SETTINGS];
    struct tensim_config config = why->config;
    size_t count = why->option_count;
    struct tensim_error error = {0};
    (void)seat;
    memcpy(sets, config.settings, config.setting_count * sizeof *sets);
    memcpy(settings, why->options, count * sizeof *settings);
    if (point->option)
        settings[count++] = point->setting;
    else
        sets[config.setting_count++] = point->setting;
    config.settings = sets;
    config.output = NULL; // the same program: what its kernels print goes nowhere
    config.threads = 1;
    config.no_expect = true;
    if (why->program)
        config.timing_only = true; // their cycles do not depend on their data
    struct tensim *sim = why->program
                             ? tensim_new_kernel(why->program, settings, count, &config, &error)
                             : tensim_new_program(why->path, settings, count, &config, &error);
    enum tensim_code code = sim ? tensim_run(sim, LIMIT, &error) : error.code;
    if (code == TENSIM_DIFFERS) // a wrong result has its cycles, too
        code = TENSIM_OK;
    json_object_set_new(row, "code", json_integer(code));
    if (code == TENSIM_OK) {
        json_object_set_new(row, "cycles", json_real(cycles_of(sim->work)));
        if (sim->work->loss && sim->work->loss->count)
            json_object_set_new(row, "next", json_string(sim->work->loss->lines[0].text));
    }
    tensim_free(sim);
}

// --- results ---

static int by_gain(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return strcmp(x->setting, y->setting);
}

static void read_rows(struct list *self, const struct ts_crew *crew, double cycles)
{
    for (size_t i = 0; i < self->count; i++) {
        struct point *point = &self->points[i];
        const json_t *row = crew->rows[i];
        double now = json_number_value(json_object_get(row, "cycles"));
        point->good = now > 0;
        point->cycles = (uint64_t)(now + 0.5);
        point->gain = point->good ? 100 * (cycles - now) / cycles : -1000;
        point->next = json_string_value(json_object_get(row, "next"));
    }
    qsort(self->points, self->count, sizeof *self->points, by_gain);
}

// How the run is repeated.
static void option_text(const struct point *point, char *text, size_t size)
{
    if (point->option && point->value == NULL)
        snprintf(text, size, "-p %s", point->setting);
    else if (point->option)
        snprintf(text, size, "--%s %s", point->option, point->value);
    else
        snprintf(text, size, "-D %s", point->setting);
}

// The largest loss now is named where it is another one.
static void print_free(const struct list *self, const char *largest)
{
    const char *comma = "";
    printf("  what if a resource were free (each line is a run; its option repeats it):\n");
    for (size_t i = 0; i < self->count; i++) {
        const struct point *p = &self->points[i];
        if (!p->resource || !p->good || (p->gain < LITTLE && p->gain > -LITTLE))
            continue;
        char option[80];
        option_text(p, option, sizeof option);
        printf("  %+6.1f %%  %-20s %s%s\n", -p->gain, option, p->text,
               p->gain < 0 ? " (others wait for longer)" : "");
        if (p->gain > 0 && p->next && strcmp(p->next, largest) != 0)
            printf("            %20s then the largest loss is: %s\n", "", p->next);
    }
    printf("  no change for:");
    for (size_t i = 0; i < self->count; i++) {
        const struct point *p = &self->points[i];
        if (!p->resource || (p->good && (p->gain >= LITTLE || p->gain <= -LITTLE)))
            continue;
        printf("%s %s%s", comma, p->resource, p->good ? "" : " (the run failed)");
        comma = ",";
    }
    putchar('\n');
}

// Is this what the verdict names? Transfers take their time in DRAM and on the NoC.
static bool is_bound(const struct ts_job_verdict *verdict, const char *resource)
{
    const char *object = verdict->bound_object;
    if (strcmp(resource, "noc") == 0 || strcmp(resource, "dram") == 0)
        return strstr(object, "NoC") || strstr(object, "DRAM");
    if (strcmp(resource, "riscv") == 0)
        return strstr(object, "risc") || strstr(object, "RISC-V");
    return strstr(object, resource) != NULL;
}

// The account says where cycles go, a run what is gained: where they differ, both are said.
static void print_agreement(const struct list *self, const struct ts_job_verdict *verdict)
{
    const struct point *most = NULL;
    for (size_t i = 0; i < self->count && most == NULL; i++)
        if (self->points[i].resource && self->points[i].good)
            most = &self->points[i]; // they are sorted
    const bool several = strcmp(verdict->bound_by, "several") == 0;
    if (most == NULL || most->gain < LITTLE)
        printf("  no single resource gains %.1f %% or more: %s sets the pace by its work\n", LITTLE,
               several ? "the order of the work" : verdict->bound_object);
    else if (several)
        printf("  the largest gain is that of %s, %.1f %%\n", most->resource, most->gain);
    else if (is_bound(verdict, most->resource))
        printf("  the largest gain, %.1f %%, is that of the bound\n", most->gain);
    else
        printf(
            "  the bound is %s, the largest gain that of %s, %.1f %%: others wait for the bound's "
            "work, but something else would take its place\n",
            verdict->bound_object, most->resource, most->gain);
}

static const char *relief_of(const struct point *point)
{
    for (size_t i = 0; point->resource && i < sizeof reliefs / sizeof *reliefs; i++)
        if (strcmp(reliefs[i].resource, point->resource) == 0)
            return reliefs[i].text;
    return NULL;
}

static const char *advice_of(const struct point *point)
{
    return point->resource ? relief_of(point) : point->text;
}

// Points are sorted: has a better one said the same?
static bool was_said(const struct list *self, size_t index)
{
    const char *text = advice_of(&self->points[index]);
    for (size_t i = 0; i < index; i++) {
        const char *before = self->points[i].good ? advice_of(&self->points[i]) : NULL;
        if (before && strcmp(before, text) == 0)
            return true;
    }
    return false;
}

// Adds the advice to the document, and prints the first lines of it.
static json_t *advise(const struct list *self, bool talk)
{
    json_t *advice = json_array();
    unsigned lines = 0, more = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct point *p = &self->points[i];
        const char *text = advice_of(p);
        char option[80];
        if (!p->good || p->gain < LITTLE || text == NULL)
            continue;
        option_text(p, option, sizeof option);
        json_array_append_new(advice,
                              json_pack("{s:s, s:I, s:f, s:s, s:b}", "option", option, "cycles",
                                        (json_int_t)p->cycles, "gain_percent", p->gain, "text",
                                        text, "at_most", (int)(p->resource != NULL)));
        if (!talk || was_said(self, i))
            continue; // the best of its kind is enough
        if (lines == ADVICES) {
            more++;
            continue;
        }
        if (lines++ == 0)
            printf("  advice, with the gain that a run shows:\n");
        printf("  %6.1f %%  %s%s (%s)\n", -p->gain, p->resource ? "at most: " : "", text, option);
    }
    if (more)
        printf("            and %u more with smaller gains (--json lists all)\n", more);
    if (talk && lines == 0)
        printf("  advice: none of the other options is faster\n");
    return advice;
}

static json_t *why_json(const struct list *self)
{
    json_t *why = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct point *p = &self->points[i];
        char option[80];
        option_text(p, option, sizeof option);
        if (p->resource && p->good)
            json_array_append_new(why, json_pack("{s:s, s:I, s:f, s:s, s:s, s:s?}", "resource",
                                                 p->resource, "cycles", (json_int_t)p->cycles,
                                                 "gain_percent", p->gain, "option", option, "text",
                                                 p->text, "next", p->next));
    }
    return why;
}

int ts_why_run(const struct ts_why *self, struct ts_session *session)
{
    const struct ts_work *work = session->sim->work;
    const bool talk = ts_options_talk(session->options);
    struct ts_error error = {0};
    struct list *list = calloc(1, sizeof *list);
    if (list == NULL || self->option_count + 1 >= SETTINGS ||
        self->config.setting_count + 1 >= SETTINGS) {
        free(list);
        return ts_complain(TS_NO_MEMORY, "--why: out of memory");
    }
    list->why = self;
    add_free(list, work->program || work->spec.grid_rows);
    if (self->spec && self->spec->throttle)
        add_throttle(list);
    if (self->spec && !self->no_advice)
        add_options(list);
    if (work->program && !self->no_advice)
        add_parameters(list, work->program->plan);
    struct ts_crew_list runs = {.command = "why",
                                .unit = "runs",
                                .count = list->count,
                                .context = list,
                                .key = key_of,
                                .run = run_of};
    struct ts_crew crew = {
        .workers = ts_crew_cores(0), .quiet = true, .argc = session->argc, .argv = session->argv};
    fflush(stdout);
    int code = ts_crew_run(&crew, &runs, &error);
    if (code == TS_OK) {
        read_rows(list, &crew, cycles_of(work));
        if (talk) {
            print_free(list, work->loss && work->loss->count ? work->loss->lines[0].text : "");
            print_agreement(list, &work->verdict);
        }
        json_object_set_new(session->document, "why", why_json(list));
        if (!self->no_advice)
            json_object_set_new(session->document, "advice", advise(list, talk));
    } else if (code < TS_SIGNAL) {
        ts_complain_error(&error);
    }
    ts_crew_free(&crew);
    free(list);
    return code;
}
