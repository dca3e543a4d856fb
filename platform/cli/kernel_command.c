// Options of a program file on the command line: `tensim matmul -M 64 --fidelity hifi4` is `tensim run llk/matmul -p m=64 -p
// fidelity=hifi4`. Names, letters, help and defaults come from the file (platform/run/plan/read_option.c).
#include "platform/cli/run.h"
#include "platform/run/plan/alias.h"

#define OPTIONS 64

struct entry {
    char name[TS_PLAN_NAME]; // "out-format"
    int key;                 // 0: none
    bool flag;
    char argument[24], text[700];
    const char *environment;
};

struct options {
    struct entry rows[OPTIONS];
    unsigned count;
    struct ts_plan *plans[4]; // that they come from,
    struct ts_yaml yaml[4];   // or the texts alone
    unsigned plan_count, yaml_count;
    char doc[300];
};

// --- from the file ---

static void spell(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", name);
    for (char *at = to; (at = strchr(at, '_')) != NULL;)
        *at = '-';
}

static struct entry *option_of(struct options *self, const char *name)
{
    for (unsigned i = 0; i < self->count; i++)
        if (strcmp(self->rows[i].name, name) == 0)
            return &self->rows[i];
    return NULL;
}

// The line of the help: what it is, choices, default.
static void describe(const struct ts_plan_param *param, struct entry *to)
{
    struct ts_yaml_node list = ts_yaml_find(param->node, "choose");
    char value[64];
    ts_plan_option_text(param, value, sizeof value);
    snprintf(to->text, sizeof to->text, "%s", param->text);
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++)
        ts_append(to->text, sizeof to->text, "%s%s", i ? " " : ": ",
                  ts_yaml_text(ts_yaml_at(list, i), ""));
    if (param->type != TS_PARAM_FLAG && param->type != TS_PARAM_EVENTS &&
        !strstr(param->text, "default"))
        ts_append(to->text, sizeof to->text, " (default %s)", value);
}

static void add_option(struct options *self, const char *own, struct ts_yaml_node node,
                       const struct ts_plan_param *param)
{
    char name[TS_PLAN_NAME];
    spell(name, sizeof name, own);
    if (!ts_plan_is_option(node) || !ts_yaml_find(node, "text").node || self->count == OPTIONS ||
        option_of(self, name))
        return;
    struct entry *to = &self->rows[self->count++];
    *to = (struct entry){.flag = strcmp(ts_yaml_text(ts_yaml_find(node, "type"), ""), "flag") == 0,
                         .key = ts_yaml_text(ts_yaml_find(node, "key"), "")[0],
                         .environment = ts_yaml_text(ts_yaml_find(node, "environment"), NULL)};
    snprintf(to->name, sizeof to->name, "%s", name);
    snprintf(to->argument, sizeof to->argument, "%.23s",
             ts_yaml_text(ts_yaml_find(node, "argument"), "VALUE"));
    if (param)
        describe(param, to);
}

static void add_word(struct options *self, const char *name, const char *argument, const char *text)
{
    if (self->count == OPTIONS || option_of(self, name))
        return;
    struct entry *to = &self->rows[self->count++];
    *to = (struct entry){.key = 0};
    snprintf(to->name, sizeof to->name, "%s", name);
    snprintf(to->argument, sizeof to->argument, "%s", argument);
    snprintf(to->text, sizeof to->text, "%s", text);
}

// Names and letters alone; with `help` also texts and defaults.
static bool add_file(struct options *self, const char *path, bool help, struct ts_error *error)
{
    const struct ts_plan_options none = {.alone = true};
    struct ts_plan *plan = help ? ts_plan_read(path, &none, error) : NULL;
    struct ts_yaml *yaml = plan ? &plan->yaml : &self->yaml[self->yaml_count];
    if (plan == NULL && (help || !ts_yaml_load(yaml, path, error)))
        return false;
    if (plan)
        self->plans[self->plan_count++] = plan;
    else
        self->yaml_count++;
    struct ts_yaml_node root = ts_yaml_root(yaml), params = ts_yaml_find(root, "params");
    if (self->doc[0] == '\0')
        snprintf(self->doc, sizeof self->doc, "%s",
                 ts_yaml_text(ts_yaml_find(root, "text"), "A program file."));
    for (size_t i = 0; params.node && i < ts_yaml_count(params); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(params, i), "");
        add_option(self, name, ts_yaml_value(params, i), plan ? ts_plan_param(plan, name) : NULL);
    }
    return error->code == TS_OK;
}

// Options that choose the file.
static void add_choices(struct options *self, const char *kernel)
{
    static const struct {
        const char *kernel, *name, *argument, *text;
    } rows[] = {
#define TS_ALIAS_OPTION(...) {__VA_ARGS__},
#include "config/aliases.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kernel[0] == '\0' || strcmp(rows[i].kernel, kernel) == 0)
            add_word(self, rows[i].name, rows[i].argument, rows[i].text);
}

static void free_options(struct options *self)
{
    while (self->plan_count > 0)
        ts_plan_free(self->plans[--self->plan_count]);
    while (self->yaml_count > 0)
        ts_yaml_free(&self->yaml[--self->yaml_count]);
}

// --- help ---

static bool asks_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0 ||
            strcmp(argv[i], "--usage") == 0)
            return true;
    return false;
}

static void print_help(const struct options *self, int argc, char **argv)
{
    struct argp_option rows[OPTIONS + 3] = {{.doc = "The program", .group = 1}};
    bool brief = false;
    for (unsigned i = 0; i < self->count; i++)
        rows[i + 1] = (struct argp_option){
            .name = self->rows[i].name,
            .key = self->rows[i].key ? self->rows[i].key : 2000 + (int)i,
            .arg = self->rows[i].flag ? NULL : self->rows[i].argument,
            .doc = self->rows[i].text,
            .group = 1};
    rows[self->count + 1] = (struct argp_option){
        .name = "help", .key = '?', .doc = "give this help list", .group = -1};
    const struct argp_child children[] = {{ts_run_argp(), 0, "Of any run", 2}, {0}};
    const struct argp argp = {rows, NULL, "", self->doc, children, NULL, NULL};
    for (int i = 1; i < argc; i++)
        brief |= strcmp(argv[i], "--usage") == 0;
    argp_help(&argp, stdout, brief ? ARGP_HELP_USAGE : ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK,
              argv[0]);
}

bool ts_program_help(int argc, char **argv, const char *path)
{
    struct options *self = asks_help(argc, argv) ? calloc(1, sizeof *self) : NULL;
    struct ts_error error = {0};
    const bool good = self && add_file(self, path, true, &error) && self->count > 0;
    if (good)
        print_help(self, argc, argv);
    if (self)
        free_options(self);
    free(self);
    return good;
}

// --- the command ---

// The option that a word of the command names: -M, -M64, --m, --m=64. NULL: none; `value` NULL: it is in the next word.
static const struct entry *option_in(const struct options *self, const char *word,
                                     const char **value)
{
    const size_t length = strcspn(word, "=");
    const struct entry *found = NULL;
    *value = NULL;
    if (word[0] != '-' || word[1] == '\0')
        return NULL;
    for (unsigned i = 0; i < self->count; i++) {
        const struct entry *row = &self->rows[i];
        if (word[1] == '-' && length > 2 && strncmp(word + 2, row->name, length - 2) == 0) {
            if (strlen(row->name) == length - 2)
                found = row;
        } else if (word[1] != '-' && word[1] == row->key) {
            *value = word[2] ? word + 2 : NULL;
            return row;
        }
    }
    if (found && word[length] == '=')
        *value = word + length + 1;
    return found;
}

struct command {
    char *settings[TS_ALIAS_PARAMS];
    size_t count;
    char **rest; // words that are of `tensim run`
    int rest_count;
};

static bool add_setting(struct command *self, const char *name, const char *value)
{
    return self->count < TS_ALIAS_PARAMS &&
           asprintf(&self->settings[self->count++], value ? "%s=%s" : "%s", name, value) >= 0;
}

static int split(const struct options *options, struct command *self, int argc, char **argv)
{
    for (unsigned i = 0; i < options->count; i++) {
        const struct entry *row = &options->rows[i];
        const char *level = row->environment ? getenv(row->environment) : NULL;
        if (level && level[0] && (strlen(level) != 1 || level[0] < '0' || level[0] > '5'))
            return ts_complain(TS_USAGE, "%s: '%s' is not a level from 0 to 5", row->environment,
                               level);
        if (level && level[0])
            add_setting(self, row->name, level);
    }
    for (int i = 1; i < argc; i++) {
        const char *value;
        const struct entry *row = option_in(options, argv[i], &value);
        if (row == NULL) {
            self->rest[self->rest_count++] = argv[i];
            continue;
        }
        if (!row->flag && value == NULL && ++i == argc)
            return ts_complain(TS_USAGE, "--%s: a value is missing", row->name);
        if (!add_setting(self, row->name, row->flag ? NULL : value ? value : argv[i]))
            return ts_complain(TS_USAGE, "more than %d options", TS_ALIAS_PARAMS);
    }
    return TS_OK;
}

static int run(const char *kernel, struct command *self, int argc, char **argv)
{
    struct ts_error error = {0};
    struct ts_alias alias;
    if (!ts_alias_find(&alias, kernel, (const char *const *)self->settings, self->count, &error))
        return ts_complain_error(&error);
    char **words = ts_need(calloc((size_t)self->rest_count + 2 * alias.count + 3, sizeof *words),
                           "the command");
    int count = 0;
    words[count++] = argv[0];
    words[count++] = alias.path;
    for (size_t i = 0; i < alias.count; i++) {
        words[count++] = "-p";
        words[count++] = alias.params[i];
    }
    for (int i = 0; i < self->rest_count; i++)
        words[count++] = self->rest[i];
    const int code = ts_run_command(count, words, argc, argv);
    free(words);
    ts_alias_free(&alias);
    return code;
}

// --grid, --grid=2x2
static bool is_asked(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, strlen(name)) == 0)
            return true;
    return false;
}

int ts_kernel_command(int argc, char **argv)
{
    const char *kernel = argv[0] + strcspn(argv[0], " ") + 1;
    struct options *options = ts_need(calloc(1, sizeof *options), "the command");
    struct command self = {
        .rest = ts_need(calloc((size_t)argc + 1, sizeof *self.rest), "the command")};
    struct ts_error error = {0};
    char path[PATH_MAX];
    const char *asked;
    int code = TS_OK;
    const bool help = asks_help(argc, argv);
    for (unsigned i = 0; error.code == TS_OK && (asked = ts_alias_file(kernel, i, path)) != NULL;
         i++)
        if (help || asked[0] == '\0' || is_asked(argc, argv, asked))
            add_file(options, path, help, &error);
    if (error.code != TS_OK) {
        code = ts_complain_error(&error);
    } else {
        add_choices(options, kernel);
        if (help)
            print_help(options, argc, argv);
        else if ((code = split(options, &self, argc, argv)) == TS_OK)
            code = run(kernel, &self, argc, argv);
    }
    while (self.count > 0)
        free(self.settings[--self.count]);
    free(self.rest);
    free_options(options);
    free(options);
    return code;
}
