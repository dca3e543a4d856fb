// From a short name to a program file and its parameters (alias.h).
#include "platform/run/plan/alias.h"

static const struct {
    const char *kernel, *setting, *value, *program;
} aliases[] = {
#define TS_ALIAS(...) {__VA_ARGS__},
#include "config/aliases.def"
};

static const struct {
    const char *kernel;
    unsigned columns, rows;
    const char *program, *params;
} programs[] = {
#define TS_ALIAS_API(...) {__VA_ARGS__},
#include "config/aliases.def"
};

static const struct {
    const char *kernel, *option, *word, *other;
} words[] = {
#define TS_ALIAS_WORD(...) {__VA_ARGS__},
#include "config/aliases.def"
};

static const struct {
    const char *option, *other;
} names[] = {
#define TS_ALIAS_NAME(...) {__VA_ARGS__},
#include "config/aliases.def"
};

#define COUNT(table) (sizeof table / sizeof *table)

const char *ts_alias_names(bool all)
{
    return all ? "matmul eltwise sfpu reduce transpose norm tilize untilize matmul_seed "
                 "matmul_tiles"
               : "matmul eltwise sfpu reduce transpose norm tilize untilize";
}

const char *ts_alias_file(const char *kernel, unsigned index, char *path)
{
    char inside[100];
    for (size_t i = COUNT(aliases); i-- > 0;)
        if (strcmp(aliases[i].kernel, kernel) == 0 && index-- == 0) {
            snprintf(inside, sizeof inside, "programs/llk/%s/program.yaml", aliases[i].program);
            ts_config_path(path, PATH_MAX, inside);
            return aliases[i].setting;
        }
    return NULL;
}

void ts_alias_free(struct ts_alias *self)
{
    while (self->count > 0)
        free(self->params[--self->count]);
}

// Sets a parameter; the last setting counts.
static bool add(struct ts_alias *self, const char *name, const char *value, struct ts_error *error)
{
    if (self->count == TS_ALIAS_PARAMS)
        return ts_refuse(error, TS_USAGE, "more than %d settings", TS_ALIAS_PARAMS);
    if (asprintf(&self->params[self->count], value ? "%s=%s" : "%s", name, value) < 0)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    self->count++;
    return true;
}

// --- a low-level kernel ---

static bool find_llk(struct ts_alias *self, const char *kernel, const struct ts_plan_options *given,
                     struct ts_error *error)
{
    const char *program = NULL, *which = ts_plan_setting(given, "kernel");
    char inside[100];
    for (size_t i = 0; i < COUNT(aliases) && program == NULL; i++) {
        const char *value = ts_plan_setting(given, aliases[i].setting);
        if (strcmp(aliases[i].kernel, kernel) != 0 || (aliases[i].setting[0] && value == NULL) ||
            (aliases[i].value[0] && strcmp(aliases[i].value, value) != 0))
            continue;
        program = aliases[i].program;
    }
    if (program == NULL)
        return ts_refuse(error, TS_USAGE, "no kernel '%.60s'; there are %s", kernel,
                         ts_alias_names(true));
    if (which && strcmp(kernel, "matmul") == 0 && ts_word_index("blocked tiles seed", which) < 0)
        return ts_refuse(error, TS_USAGE,
                         "--kernel: %s has no '%.60s'; choose from blocked tiles seed", kernel,
                         which);
    snprintf(inside, sizeof inside, "programs/llk/%s/program.yaml", program);
    ts_config_path(self->path, sizeof self->path, inside);
    for (size_t i = 0; i < given->param_count; i++)
        if (!(which && ts_plan_sets(given->params[i], "kernel")) &&
            !ts_plan_sets(given->params[i], "place") && !add(self, given->params[i], NULL, error))
            return false;
    return true;
}

// --- the kernel-API program of its operation ---

// One setting, as the file has it.
static bool set(struct ts_alias *self, const char *kernel, const char *known, const char *name,
                const char *value, struct ts_error *error)
{
    char own[TS_PLAN_NAME];
    snprintf(own, sizeof own, "%.31s", name);
    for (char *at = own; (at = strchr(at, '-')) != NULL;)
        *at = '_';
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].kernel, kernel) == 0 && strcmp(words[i].option, own) == 0 &&
            strcmp(words[i].word, value) == 0)
            value = words[i].other;
    char rows[16], columns[16];
    if (strcmp(own, "sub_block") == 0 && sscanf(value, "%15[0-9]x%15[0-9]", rows, columns) == 2 &&
        ts_word_index(known, "sub_rows") >= 0)
        return add(self, "sub_rows", rows, error) && add(self, "sub_columns", columns, error);
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i].option, own) == 0 && ts_word_index(known, own) < 0)
            snprintf(own, sizeof own, "%s", names[i].other);
    if (ts_word_index(known, own) >= 0)
        return add(self, own, value, error);
    return ts_refuse(error, TS_USAGE,
                     "--%s does not go with --cores, --place or --chip: %.300s has no parameter %s",
                     name, self->path, own);
}

// "op=add m=128", or one setting.
static bool set_all(struct ts_alias *self, const char *kernel, const char *known, const char *text,
                    struct ts_error *error)
{
    while (*text && error->code == TS_OK) {
        char setting[TS_PLAN_NAME + 300];
        const size_t length = strcspn(text, " ");
        snprintf(setting, sizeof setting, "%.*s", (int)length, text);
        char *value = strchr(setting, '=');
        if (value)
            *value++ = '\0';
        set(self, kernel, known, setting, value ? value : "1", error);
        text += length + strspn(text + length, " ");
    }
    return error->code == TS_OK;
}

static bool find_api(struct ts_alias *self, const char *kernel, const struct ts_plan_options *given,
                     struct ts_error *error)
{
    const char *cores = ts_plan_setting(given, "cores");
    unsigned columns = 1, rows = 1;
    char inside[100], known[2000];
    size_t row = 0;
    if (cores && sscanf(cores, "%ux%u", &columns, &rows) != 2)
        columns = rows = strchr(cores, ',') && !strstr(cores, "..") ? 1 : 2; // one core, or a range
    while (row < COUNT(programs) && (strcmp(programs[row].kernel, kernel) != 0 ||
                                     columns < programs[row].columns || rows < programs[row].rows))
        row++;
    if (row == COUNT(programs))
        return ts_refuse(error, TS_USAGE, "%.60s has no program for several cores", kernel);
    snprintf(inside, sizeof inside, "programs/%s/program.yaml", programs[row].program);
    ts_config_path(self->path, sizeof self->path, inside);
    ts_plan_settings(self->path, known, sizeof known);
    if (!add(self, "cores", cores ? cores : "1x1", error) || !add(self, "from", "dram", error) ||
        !set_all(self, kernel, known, programs[row].params, error))
        return false;
    for (size_t i = 0; i < given->param_count; i++)
        if (!set_all(self, kernel, known, given->params[i], error))
            return false;
    return true;
}

bool ts_alias_find(struct ts_alias *self, const char *kernel, const char *const *settings,
                   size_t count, struct ts_error *error)
{
    const struct ts_plan_options given = {.params = settings, .param_count = count};
    const char *place = ts_plan_setting(&given, "place");
    const bool api = ts_plan_setting(&given, "cores") || ts_plan_setting(&given, "from") ||
                     ts_plan_setting(&given, "chip") || (place && strcmp(place, "sharded") != 0);
    self->count = 0;
    if ((api ? find_api : find_llk)(self, kernel, &given, error))
        return true;
    ts_alias_free(self);
    return false;
}
