// From the options of a command to the parameters of a program file (job_front.h).
#include "platform/run/job_front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *kernel;
    unsigned columns, rows;
    const char *program, *params;
} fronts[] = {
#define TS_FRONT(...) {__VA_ARGS__},
#define TS_FRONT_WORD(...)
#include "config/job_front.def"
#undef TS_FRONT
#undef TS_FRONT_WORD
};

static const struct {
    const char *kernel, *option, *word, *other;
} words[] = {
#define TS_FRONT(...)
#define TS_FRONT_WORD(...) {__VA_ARGS__},
#include "config/job_front.def"
#undef TS_FRONT
#undef TS_FRONT_WORD
};

// Sets a parameter, which the file has. The last setting counts.
static bool set(struct ts_front *self, const char *name, const char *value)
{
    return self->param_count < TS_FRONT_PARAMS &&
           asprintf(&self->params[self->param_count++], "%s=%s", name, value) >= 0;
}

// The first of these names that the file has, as a parameter; cores and chip are there always.
static bool find(const struct ts_front *self, const char *names, char *name, size_t size)
{
    struct ts_yaml_node params = ts_yaml_find(ts_yaml_root((struct ts_yaml *)&self->yaml),
                                              "params");
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(name, size, "%.*s", (int)length, at);
        if (strcmp(name, "cores") == 0 || strcmp(name, "chip") == 0 ||
            (params.node && ts_yaml_find(params, name).node))
            return true;
        at += length;
    }
    return false;
}

// "op=add m=128": options with the values that the command has without them.
static bool defaults(struct ts_front *self, const char *params, char *text, size_t size)
{
    for (const char *at = params; *at; at += strspn(at, " ")) {
        char setting[64];
        size_t length = strcspn(at, " ");
        snprintf(setting, sizeof setting, "%.*s", (int)length, at);
        char *value = strchr(setting, '=');
        *value++ = '\0';
        if (!ts_front_option(self, (enum ts_job_option_id)ts_option_find(setting), value, text,
                             size))
            return false;
        at += length;
    }
    return true;
}

bool ts_front_asks(enum ts_job_option_id id)
{
    return id == TS_OPTION_CORES || id == TS_OPTION_FROM || id == TS_OPTION_CHIP;
}

bool ts_front_begin(struct ts_front *self, const char *kernel, const char *cores, char *text,
                    size_t size)
{
    unsigned columns = 1, rows = 1;
    char file[100];
    memset(self, 0, sizeof *self);
    self->kernel = kernel;
    if (cores && sscanf(cores, "%ux%u", &columns, &rows) != 2)
        columns = rows = strchr(cores, ',') && !strstr(cores, "..") ? 1 : 2; // one core, or a range
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        if (strcmp(fronts[i].kernel, kernel) != 0 || columns < fronts[i].columns ||
            rows < fronts[i].rows)
            continue;
        snprintf(file, sizeof file, "programs/%s/program.yaml", fronts[i].program);
        ts_config_path(self->path, sizeof self->path, file);
        if (ts_yaml_load(&self->yaml, self->path, &self->error))
            return set(self, "cores", cores ? cores : "1x1") && set(self, "from", "dram") &&
                   defaults(self, fronts[i].params, text, size);
        snprintf(text, size, "%.400s", self->error.text);
        return false;
    }
    snprintf(text, size, "%s has no program file", kernel);
    return false;
}

bool ts_front_option(struct ts_front *self, enum ts_job_option_id id, const char *value, char *text,
                     size_t size)
{
    const struct ts_job_option *option = &ts_job_options[id];
    char name[32];
    if (option->front[0] == '!') {
        snprintf(text, size, "--%s does not go with --cores, --from or --chip: %s", option->name,
                 option->front + 1);
        return false;
    }
    if (!find(self, option->front, name, sizeof name)) {
        snprintf(text, size,
                 "--%s does not go with --cores, --from or --chip: %.300s has no parameter %s",
                 option->name, self->path, option->front);
        return false;
    }
    if (id == TS_OPTION_SUB_BLOCK) {
        char rows[16], columns[16];
        if (sscanf(value, "%15[0-9]x%15[0-9]", rows, columns) == 2)
            return set(self, "sub_rows", rows) && set(self, "sub_columns", columns);
        snprintf(text, size, "--sub-block %.40s: not HxW", value);
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].kernel, self->kernel) == 0 && strcmp(words[i].word, value) == 0 &&
            strcmp(words[i].option, option->name) == 0)
            value = words[i].other;
    snprintf(text, size, "more than %d options", TS_FRONT_PARAMS);
    return set(self, name, value);
}

void ts_front_end(struct ts_front *self)
{
    for (size_t i = 0; i < self->param_count; i++)
        free(self->params[i]);
    ts_yaml_free(&self->yaml);
}
