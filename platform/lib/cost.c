// The store of costs and its queries (cost.h).
#include "platform/base/hash.h"
#include "platform/base/private.h"
#include "platform/lib/cost_inside.h"
#include "platform/load/kind.h"
#include "platform/run/plan/plan.h"

#include <glob.h>

#define PATIENCE_MS 60000 // for another process that writes

// --- the store ---

static bool refuse(struct ts_costs *self, const char *what, struct ts_error *error)
{
    return ts_refuse(error, TS_SETUP, "%s: the store of costs cannot be %s: %s", self->file, what,
                     sqlite3_errmsg(self->db));
}

static bool open_store(struct ts_costs *self, const char *path, struct ts_error *error)
{
    char folder[PATH_MAX];
    if (path == NULL) {
        if (!ts_private_folder("XDG_CACHE_HOME", ".cache", folder, sizeof folder, error))
            return false;
        snprintf(self->file, sizeof self->file, "%.4000s/costs.sqlite", folder);
    } else
        snprintf(self->file, sizeof self->file, "%s", path);
    if (sqlite3_open(self->file, &self->db) != SQLITE_OK)
        return refuse(self, "opened", error);
    sqlite3_busy_timeout(self->db, PATIENCE_MS);
    const bool good = sqlite3_exec(self->db,
                                   "create table if not exists costs (of text, query text, answer "
                                   "text, primary key (of, query)) without rowid",
                                   NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_prepare_v2(self->db,
                                         "select answer from costs where of = ? and query = ?", -1,
                                         &self->find, NULL) == SQLITE_OK &&
                      sqlite3_prepare_v2(self->db, "insert or ignore into costs values (?, ?, ?)",
                                         -1, &self->insert, NULL) == SQLITE_OK;
    return good || refuse(self, "used", error);
}

// A program may use any chip or system of the folder without naming its file: all of them count.
static uint64_t hash_folder(uint64_t hash, const char *files)
{
    char path[PATH_MAX];
    glob_t found;
    ts_config_path(path, sizeof path, files);
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            hash = ts_hash_file(hash, found.gl_pathv[i]);
    globfree(&found);
    return hash;
}

static uint64_t hash_params(uint64_t hash, const struct ts_params *params)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        ts_params_write(params, file);
        fclose(file);
        hash = ts_hash_bytes(hash, text, size);
    }
    free(text);
    return hash;
}

struct ts_costs *ts_costs_open(const char *path, const struct tensim_config *config, bool closed,
                               struct ts_error *error)
{
    struct ts_costs *self = calloc(1, sizeof *self);
    struct tensim_config none;
    tensim_config_init(&none);
    if (self == NULL || (self->files = json_object()) == NULL) {
        free(self);
        return ts_nothing(error, TS_NO_MEMORY, "out of memory");
    }
    self->config = config ? *config : none;
    self->hash = ts_hash_bytes(TS_HASH_START, TENSIM_VERSION, sizeof TENSIM_VERSION);
    self->hash = ts_hash_bytes(self->hash, ts_hash_sources, strlen(ts_hash_sources));
    self->hash = hash_folder(hash_folder(self->hash, "chips/*.yaml"), "systems/*.yaml");
    if (ts_lib_params(&self->params, NULL, NULL, &self->config, error)) {
        self->hash = hash_params(self->hash, &self->params);
        if (closed || open_store(self, path, error))
            return self;
    }
    ts_costs_close(self);
    return NULL;
}

void ts_costs_close(struct ts_costs *self)
{
    if (self == NULL)
        return;
    sqlite3_finalize(self->find);
    sqlite3_finalize(self->insert);
    sqlite3_close(self->db);
    ts_params_free(&self->params);
    json_decref(self->files);
    free(self);
}

static void bind(sqlite3_stmt *to, const struct ts_cost_query *query, char of[20])
{
    snprintf(of, 20, "%016llx", (unsigned long long)query->of);
    sqlite3_reset(to);
    sqlite3_bind_text(to, 1, of, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(to, 2, query->text, -1, SQLITE_TRANSIENT);
}

json_t *ts_costs_find(struct ts_costs *self, const struct ts_cost_query *query)
{
    char of[20];
    bind(self->find, query, of);
    json_t *answer = sqlite3_step(self->find) == SQLITE_ROW
                         ? json_loads((const char *)sqlite3_column_text(self->find, 0), 0, NULL)
                         : NULL; // what cannot be read is asked for again
    sqlite3_reset(self->find);
    return answer;
}

bool ts_costs_keep(struct ts_costs *self, const struct ts_cost_query *query, const json_t *answer,
                   struct ts_error *error)
{
    char of[20], *text = json_dumps(answer, JSON_COMPACT);
    bind(self->insert, query, of);
    sqlite3_bind_text(self->insert, 3, text, -1, SQLITE_TRANSIENT);
    const bool good = text && sqlite3_step(self->insert) == SQLITE_DONE;
    if (!good)
        refuse(self, "written", error);
    sqlite3_reset(self->insert);
    free(text);
    return good;
}

// --- queries ---

// The programs that a sequence runs, wherever they stand in it.
static uint64_t hash_steps(uint64_t hash, const char *folder, struct ts_yaml_node node)
{
    char path[PATH_MAX], found[PATH_MAX];
    for (size_t i = 0; i < ts_yaml_count(node); i++) {
        const bool map = ts_yaml_is_map(node);
        const struct ts_yaml_node value = map ? ts_yaml_value(node, i) : ts_yaml_at(node, i);
        if (map && ts_yaml_is_scalar(value) &&
            strcmp(ts_yaml_text(ts_yaml_key(node, i), ""), "run") == 0) {
            struct ts_error ignored = {0};
            const char *name = ts_yaml_text(value, ""), *file;
            snprintf(path, sizeof path, "%s%.2000s", folder, name);
            file = ts_plan_find(name, found, sizeof found, &ignored);
            hash = ts_hash_program(hash, path);
            hash = file ? ts_hash_program(hash, file) : hash;
        } else if (ts_yaml_is_map(value) || ts_yaml_is_list(value))
            hash = hash_steps(hash, folder, value);
    }
    return hash;
}

// Of a program file and what it names; each is read once.
static uint64_t hash_files(struct ts_costs *self, const char *path)
{
    const json_t *known = json_object_get(self->files, path);
    if (known)
        return (uint64_t)json_integer_value(known);
    uint64_t hash = ts_hash_program(self->hash, path);
    if (ts_kind_of(path) == TS_KIND_SEQUENCE) {
        struct ts_yaml yaml;
        struct ts_error ignored = {0};
        const char *slash = strrchr(path, '/');
        char folder[2000];
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
        if (ts_yaml_load(&yaml, path, &ignored))
            hash = hash_steps(hash, folder, ts_yaml_root(&yaml));
        ts_yaml_free(&yaml);
    }
    json_object_set_new(self->files, path, json_integer((json_int_t)hash));
    return hash;
}

// "128x256" or "128x256x64" as settings of the parameters that a program has for it.
static bool shape_of(const char *word, const char *names, char settings[3][80], size_t *count)
{
    static const char *const shapes[][3] = {
        {"m", "n", "k"}, {"rows", "columns"}, {"m", "n"}, {"k", "n"}};
    char rest = '\0';
    unsigned long size[3];
    const int found = sscanf(word, "%lux%lux%lu%c", &size[0], &size[1], &size[2], &rest);
    for (size_t i = 0; (found == 2 || found == 3) && i < sizeof shapes / sizeof *shapes; i++) {
        int has = 0;
        while (has < found && shapes[i][has] && ts_word_index(names, shapes[i][has]) >= 0)
            has++;
        if (has < found || (found == 2 && shapes[i][2]))
            continue;
        for (*count = 0; *count < (size_t)found; (*count)++)
            snprintf(settings[*count], sizeof settings[0], "%s=%lu", shapes[i][*count],
                     size[*count]);
        return true;
    }
    return false;
}

// A value without a name: of the first parameter that takes it.
static bool value_of(const char *path, const char *word, const char *names, char setting[80])
{
    char copy[2000], *rest = copy;
    snprintf(copy, sizeof copy, "%s", names);
    for (const char *name; (name = strsep(&rest, " ")) != NULL;) {
        const char *params[] = {setting};
        snprintf(setting, 80, "%.30s=%.40s", name, word);
        if (*name &&
            ts_plan_accepts(path, &(struct ts_plan_options){.params = params, .param_count = 1}))
            return true;
    }
    return false;
}

static bool add(struct ts_cost_query *query, const char *setting)
{
    query->settings[query->count] = strdup(setting);
    return query->settings[query->count] != NULL && ++query->count;
}

static int in_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_word(struct ts_cost_query *query, const char *word, struct ts_error *error)
{
    char names[2000], settings[3][80];
    size_t count = 1;
    ts_plan_settings(query->path, names, sizeof names);
    if (!shape_of(word, names, settings, &count) &&
        !value_of(query->path, word, names, settings[0]))
        return ts_refuse(
            error, TS_SETUP,
            "%s: '%.60s' is neither NAME=VALUE nor a shape or value of a parameter; it "
            "has %.300s",
            query->operation, word, names);
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = good && add(query, settings[i]);
    return good || ts_refuse(error, TS_NO_MEMORY, "out of memory");
}

// The text, and a hash of everything else.
static bool finish(struct ts_costs *self, struct ts_cost_query *query)
{
    size_t size = 0;
    FILE *file = open_memstream(&query->text, &size);
    if (file == NULL)
        return false;
    qsort(query->settings, query->count, sizeof *query->settings, in_order);
    fputs(query->operation, file);
    query->of = hash_files(self, query->path);
    for (size_t i = 0; i < query->count; i++) {
        const char *value = strchr(query->settings[i], '=');
        fprintf(file, " %s", query->settings[i]);
        if (value && strchr(value, '.')) // a tensor's or a chip's file
            query->of = ts_hash_file(query->of, value + 1);
    }
    return fclose(file) == 0;
}

bool ts_cost_ask(struct ts_costs *self, const char *operation, const char *const *settings,
                 size_t count, struct ts_cost_query *query, struct ts_error *error)
{
    char found[PATH_MAX];
    const char *path = ts_plan_find(operation, found, sizeof found, error);
    *query = (struct ts_cost_query){.operation = strdup(operation),
                                    .settings = calloc(3 * count + 1, sizeof *query->settings)};
    if (path == NULL)
        return false;
    if (query->operation == NULL || query->settings == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    snprintf(query->path, sizeof query->path, "%s", path);
    const enum ts_kind kind = ts_kind_of(path);
    if (kind != TS_KIND_PROGRAM && kind != TS_KIND_SEQUENCE)
        return ts_refuse(error, TS_SETUP, "%s is a %s: an operation is a program or a sequence",
                         operation, ts_kind_names[kind]);
    for (size_t i = 0; i < count; i++)
        if (strchr(settings[i], '=') == NULL) {
            if (!add_word(query, settings[i], error))
                return false;
        } else if (!add(query, settings[i]))
            return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    return finish(self, query) || ts_refuse(error, TS_NO_MEMORY, "out of memory");
}

void ts_cost_query_free(struct ts_cost_query *query)
{
    for (size_t i = 0; i < query->count; i++)
        free(query->settings[i]);
    free(query->settings);
    free(query->operation);
    free(query->text);
    *query = (struct ts_cost_query){0};
}
