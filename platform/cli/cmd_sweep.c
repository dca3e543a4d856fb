// tensim sweep: one kernel, or programs, over every combination of parameters, on all host cores.
#include "platform/base/json.h"
#include "platform/cli/crew_options.h"
#include "platform/load/kind.h"
#include "platform/out/text.h"
#include "platform/report/page.h"
#include "platform/run/plan/alias.h"
#include "platform/study/pipe/tune.h"
#include "platform/study/sweep/sweep.h"

// The options of a file, separated by blanks.
static void add_options(const char *path, char *text, size_t size)
{
    const struct ts_plan_options none = {.alone = true};
    struct ts_error error = {0};
    struct ts_plan *plan = ts_plan_read(path, &none, &error);
    for (uint32_t i = 0; plan && i < plan->param_count; i++)
        if (plan->params[i].text) {
            ts_append(text, size, " %s", plan->params[i].name);
        }
    ts_plan_free(plan);
}

// The help, with the parameters of every kernel.
static const char *make_doc(char *text, size_t size)
{
    char names[300], *rest = names, *name;
    char path[PATH_MAX];
    snprintf(text, size, "%s", ts_help("sweep")->text);
    snprintf(names, sizeof names, "%s", ts_alias_names(true));
    while ((name = strsep(&rest, " ")) != NULL) {
        char own[400] = "";
        if (ts_alias_file(name, 0, path))
            add_options(path, own, sizeof own);
        ts_append(text, size, "  %s:%s\n", name, own);
    }
    ts_append(text, size, "%s", ts_help("sweep_more")->text);
    return text;
}

struct arguments {
    struct ts_sweep sweep;
    struct ts_crew_options crew;
    struct ts_error error;
    const char *json, *best, *chip, *sets[TS_SWEEP_AXES];
    unsigned set_count;
    bool own_axes, strict;
};

// What is swept when nothing is named, as far as it means something for the kernel.
static void default_axes(struct arguments *self)
{
    static const struct {
        const char *name, *values[7];
    } axes[] = {{"format", {"bf16", "bfp8", "bfp4"}},
                {"fidelity", {"lofi", "hifi2", "hifi3", "hifi4"}},
                {"dst", {"16", "32"}},
                {"throttle", {"0", "1", "2", "3", "4", "5"}}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        char text[512], axis[128] = "";
        for (size_t k = 0; axes[i].values[k]; k++) {
            snprintf(text, sizeof text, "%s=%s", axes[i].name, axes[i].values[k]);
            if (ts_sweep_accepts(&self->sweep, text))
                ts_append(axis, sizeof axis, "%s%s", axis[0] ? "," : "=", axes[i].values[k]);
        }
        snprintf(text, sizeof text, "%s%s", axes[i].name, axis);
        if (axis[0])
            ts_sweep_axis_add(&self->sweep, text, &self->error);
    }
}

static void no_kernel(struct argp_state *state, const char *name)
{
    char programs[400];
    ts_plan_names(programs, sizeof programs);
    argp_error(state, "no kernel '%s', and no program; kernels: %s; programs: %s", name,
               ts_alias_names(true), programs);
}

// A file, or a name that `tensim run' knows and no kernel has.
static bool is_program(const char *word)
{
    const char *dot = strrchr(word, '.');
    return strchr(word, '=') == NULL && ts_word_index(ts_alias_names(true), word) < 0 &&
           ((dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)) || strchr(word, '/') ||
            ts_plan_known_name(word));
}

static void demand(const struct arguments *self, struct argp_state *state, bool good)
{
    if (good)
        return;
    if (self->error.code == TS_SETUP)
        exit(ts_complain_error(&self->error));
    argp_error(state, "%s", self->error.text);
}

static void add_program(struct arguments *self, struct argp_state *state, const char *name)
{
    char found[TS_SWEEP_PATH];
    const char *path = ts_program_path(name, found, sizeof found);
    if (ts_kind_of(path) == TS_KIND_PIPE) {
        self->sweep.point = ts_tune_row;
        self->sweep.small = "memory";
    } else {
        self->own_axes = true;
    }
    demand(self, state, ts_sweep_program_add(&self->sweep, name, path, &self->error));
}

static void add_axis(struct arguments *self, struct argp_state *state, const char *text)
{
    self->own_axes = true;
    demand(self, state, ts_sweep_axis_add(&self->sweep, text, &self->error));
}

static void parse_best(void *input, char *arg, struct argp_state *state)
{
    ((struct arguments *)input)->best = arg;
    if (ts_word_index(TS_SWEEP_BEST, arg) < 0)
        argp_error(state, "--best: '%s' is none of " TS_SWEEP_BEST, arg);
}

// Programs and kernels come first.
static void parse_set(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (!self->sweep.point && strcspn(arg, ".") > strcspn(arg, "="))
        argp_error(state, "-D %s: not a parameter of the machine; `tensim config' lists them", arg);
    if (self->set_count == TS_SWEEP_AXES)
        argp_error(state, "more than %d parameters", TS_SWEEP_AXES);
    self->sets[self->set_count++] = arg;
}

static void parse_lint(void *input, char *arg, struct argp_state *state)
{
    ((struct arguments *)input)->strict = true;
    if (strcmp(arg, "strict") != 0)
        argp_error(state, "--lint: '%s' is not strict", arg);
}

static void parse_check(void *input, char *arg, struct argp_state *state)
{
    ts_check_option(&((struct arguments *)input)->sweep.check, arg, state);
}

static void parse_allow(void *input, char *arg, struct argp_state *state)
{
    unsigned allowed;
    ((struct arguments *)input)->sweep.allow = arg;
    if (!ts_plan_allow(arg, &allowed))
        argp_error(state, "--allow: '%s' is not a list of " TS_PLAN_ALLOW, arg);
}

#define A struct arguments
static const struct ts_take takes[] = {TS_TEXT("out", A, sweep.directory),
                                       TS_WHOLE("threads", A, sweep.crew.workers, 1, 256),
                                       TS_CALL("best", parse_best),
                                       TS_TEXT("chip", A, chip),
                                       TS_CALL("set", parse_set),
                                       TS_FILE("json", A, json),
                                       TS_FLAG("quiet", A, sweep.crew.quiet),
                                       TS_CALL("lint", parse_lint),
                                       TS_CALL("check", parse_check),
                                       TS_FLAG("activity", A, sweep.activity),
                                       TS_FLAG("timing-only", A, sweep.timing_only),
                                       TS_CALL("allow", parse_allow),
                                       {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (is_program(arg)) {
        add_program(self, state, arg);
    } else if (strchr(arg, '=') == NULL) {
        if (state->arg_num != 0)
            argp_error(state, "'%s' is not PARAMETER=VALUE,VALUE...", arg);
        if (ts_word_index(ts_alias_names(true), arg) < 0)
            no_kernel(state, arg);
        self->sweep.kernel = arg;
        self->sweep.base[0] = NULL;
    } else {
        add_axis(self, state, arg);
    }
}

static void take_end(void *input, struct argp_state *state)
{
    struct arguments *self = input;
    char text[TS_SWEEP_VALUE];
    if (self->sweep.timing_only && !self->sweep.activity)
        argp_error(state, "--timing-only: only with --activity");
    if (self->chip) {
        snprintf(text, sizeof text, "chip=%s", self->chip);
        add_axis(self, state, text);
    }
    for (unsigned i = 0; i < self->set_count; i++)
        add_axis(self, state, self->sets[i]);
}

static int write_json(const struct arguments *self)
{
    char path[512];
    snprintf(path, sizeof path, "%s/table.json", self->sweep.directory);
    json_t *document = json_load_file(path, 0, NULL);
    if (document == NULL)
        return ts_complain(TS_SETUP, "%s: cannot be read", path);
    int code = ts_output_json(self->json, document);
    json_decref(document);
    return code;
}

static void write_page(const json_t *document, FILE *file)
{
    ts_page_write(document, NULL, NULL, file);
}

// --- TPUSH/TPOP programs ---

static void add_tune(void *context, const char *text)
{
    struct arguments *self = context;
    ts_sweep_axis_add(&self->sweep, text, &self->error);
}

static void check_point(const char *path, const char *const *settings, size_t count, json_t *row)
{
    struct ts_error error = {0};
    if (!ts_tune_check(path, settings, count, &error))
        json_object_set_new(row, "why", json_string(error.text));
}

// Axes, if none are named, and whether the first point can be read: that shows a wrong file or key. An exit code.
static int begin_pipes(struct arguments *self)
{
    json_t *row = json_object();
    if (!self->own_axes)
        ts_tune_axes(self->sweep.paths[0], add_tune, self, &self->error);
    if (self->error.code == TS_OK)
        ts_sweep_with(&self->sweep, 0, check_point, row);
    const char *why = json_string_value(json_object_get(row, "why"));
    int code = self->error.code != TS_OK ? ts_complain_error(&self->error)
               : why                     ? ts_complain(TS_SETUP, "%s", why)
                                         : TS_OK;
    json_decref(row);
    return code;
}

static void prove_point(const char *path, const char *const *settings, size_t count, json_t *row)
{
    json_object_set_new(row, "safe",
                        json_string(ts_tune_proved(path, settings, count) ? "proved" : "unsure"));
}

// The front of cycles against memory, with a proof of each of its points.
static void prove_front(struct arguments *self)
{
    const struct ts_sweep *sweep = &self->sweep;
    size_t *points = ts_need(calloc(sweep->points + 1, sizeof *points), "the command");
    size_t count = ts_sweep_front(sweep, sweep->small, points);
    for (size_t i = 0; i < count; i++) {
        json_t *row = sweep->results[points[i]];
        ts_sweep_with(sweep, points[i], prove_point, row);
        if (self->json == NULL && !sweep->crew.quiet)
            printf("front: %lld cycles, %lld bytes (%lld on chip), %s:%s\n",
                   ts_json_integer(row, "cycles"), ts_json_integer(row, "memory"),
                   ts_json_integer(row, "on_chip"), json_string_value(json_object_get(row, "safe")),
                   strpbrk(json_string_value(json_object_get(row, "key")), " "));
    }
    free(points);
}

static void print_best(const struct arguments *self)
{
    const struct ts_sweep *sweep = &self->sweep;
    size_t *points = ts_need(calloc(sweep->points + 1, sizeof *points), "the command");
    size_t count = ts_sweep_best(sweep, self->best, points);
    for (size_t i = 0; i < count; i++) {
        json_t *row = sweep->results[points[i]];
        char shape[2 * TS_SWEEP_VALUE];
        ts_sweep_shape(sweep, points[i], shape, sizeof shape);
        json_t *view = json_pack("{s:s, s:s}", "best", self->best, "of", shape);
        json_object_update(view, row);
        ts_text_print("best", view, true, stdout);
        json_decref(view);
    }
    if (count == 0)
        printf("best %s: no run has it\n", self->best);
    free(points);
}

// Why the first run failed that did: a typo fails them all alike.
static void print_failed(const struct ts_sweep *sweep)
{
    for (size_t i = 0; i < sweep->points; i++) {
        const char *why = json_string_value(json_object_get(sweep->results[i], "error"));
        if (why) {
            const char *key = ts_json_text(sweep->results[i], "key");
            printf("failed: %s: %s%s\n", key, why,
                   sweep->crew.failed > 1 ? " (others: table.csv)" : "");
            if (strstr(why, "deadlock") && strncmp(key, "run program=", 12) == 0)
                printf("who waits for whom: tensim run %s\n", key + 12);
            return;
        }
    }
}

// The table and the line that says where it is.
static int report(struct arguments *self, int code)
{
    const struct ts_sweep *sweep = &self->sweep;
    if (sweep->point)
        prove_front(self);
    if (!ts_sweep_write(sweep, write_page, &self->error))
        return ts_complain_error(&self->error);
    if (self->json) {
        code = write_json(self) != TS_OK ? TS_SETUP : code;
    } else {
        if (self->best)
            print_best(self);
        if (sweep->crew.failed)
            print_failed(sweep);
        printf("%zu of %zu runs, %zu resumed, %zu failed", sweep->crew.done, sweep->points,
               sweep->resumed, sweep->crew.failed);
        if (sweep->check)
            printf(", %zu findings of --check", sweep->findings);
        printf("; %s/sweep.html\n", sweep->directory);
    }
    if (code == TS_OK && sweep->crew.failed)
        return TS_DIFFERS;
    return code == TS_OK && sweep->findings ? TS_FINDINGS : code;
}

static int run(struct arguments *self)
{
    struct ts_sweep *sweep = &self->sweep;
    char text[512];
    if (!ts_sweep_check(sweep, text, sizeof text))
        return ts_complain(TS_USAGE, "%s", text);
    if (!sweep->crew.quiet && !self->crew.serves) {
        ts_sweep_warning(sweep, text, sizeof text);
        if (text[0])
            ts_complain(TS_OK, "warning: %s", text);
    }
    int code = ts_sweep_run(sweep, &self->error);
    // What a signal leaves is a table, too; the last line says how to continue.
    if (code > TS_SIGNAL && sweep->crew.shards == 0)
        report(self, code);
    return ts_crew_whole(&sweep->crew, "runs", &code, &self->error) ? report(self, code) : code;
}

int ts_cmd_sweep(int argc, char **argv)
{
    struct arguments *self = ts_need(calloc(1, sizeof *self), "the command");
    self->sweep.kernel = "matmul";
    self->sweep.base[0] = "n=256";
    self->sweep.base[1] = "k=256";
    char doc[4096] = "";
    bool help = false;
    for (int i = 1; i < argc; i++)
        help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0;
    ts_parse(&(struct ts_parser){.help = "sweep",
                                 .takes = takes,
                                 .crew = offsetof(struct arguments, crew),
                                 .doc = help ? make_doc(doc, sizeof doc) : doc,
                                 .word = take_word,
                                 .end = take_end},
             argc, argv, self);
    self->sweep.strict = self->strict;
    int code = ts_crew_options_ready(&self->crew, &self->sweep.directory, &self->json, false);
    if (code == TS_OK) {
        if (self->sweep.directory == NULL && !self->crew.serves)
            self->sweep.directory = "out/sweep";
        self->sweep.crew = ts_crew_from(&self->crew, ts_crew_cores(self->sweep.crew.workers),
                                        self->sweep.crew.quiet, argc, argv);
        if (self->sweep.point)
            code = begin_pipes(self);
        else if (!self->own_axes)
            default_axes(self);
        code = code ? code : run(self);
    }
    ts_sweep_free(&self->sweep);
    free(self->crew.merge);
    free(self);
    return code;
}
