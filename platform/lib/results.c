// The results of a run: documents, their values by path, and texts.
#include "platform/account/stats.h"
#include "platform/base/json.h"
#include "platform/explain/hang.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/launch.h"

// --- documents ---

static json_t *result_of(struct tensim *sim, struct tensim_error *error)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    if (work == NULL || work->results == NULL || work->result.code != TS_OK) {
        ts_lib_fail(error, TS_USAGE, "%s",
                    work ? "the kernel has no result" : "only a kernel or a program has a result");
        return NULL;
    }
    json_t *document = json_object();
    ts_work_json(work, document);
    return document;
}

static json_t *stats_of(struct tensim *sim, struct tensim_error *error)
{
    (void)error;
    ts_lib_extend(sim);
    return ts_stats_json(sim->kernel, &sim->run);
}

static json_t *hang_of(struct tensim *sim, struct tensim_error *error)
{
    struct ts_hang hang = ts_hang_new(sim->kernel, sim->run.cycle);
    json_t *document = hang.tiles ? ts_hang_json(&hang, sim->kernel) : NULL;
    (void)error;
    ts_hang_free(&hang);
    return document;
}

static json_t *lints_of(struct tensim *sim, struct tensim_error *error)
{
    (void)error;
    return ts_lints(sim->kernel, NULL);
}

static json_t *document_of(struct tensim *sim, const char *name, struct tensim_error *error)
{
    static const struct {
        const char *name;
        json_t *(*make)(struct tensim *sim, struct tensim_error *error);
    } rows[] = {{"result", result_of}, {"stats", stats_of}, {"hang", hang_of}, {"lints", lints_of}};
    struct tensim_error own = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) {
            json_t *document = rows[i].make(sim, &own);
            if (document == NULL && own.code == TENSIM_OK)
                ts_lib_no_memory(&own);
            if (document == NULL && error)
                *error = own;
            return document;
        }
    ts_lib_fail(error, TS_USAGE, "no document '%.60s': result, stats, hang, lints", name);
    return NULL;
}

struct tensim_document *tensim_document(struct tensim *sim, const char *name,
                                        struct tensim_error *error)
{
    return (struct tensim_document *)document_of(sim, name, error);
}

void tensim_document_free(struct tensim_document *document)
{
    json_decref((json_t *)document);
}

static const json_t *value_of(const struct tensim_document *document, const char *path)
{
    return ts_json_at((const json_t *)document, path, strlen(path));
}

double tensim_number(const struct tensim_document *document, const char *path)
{
    const json_t *value = value_of(document, path);
    return json_is_true(value) ? 1 : json_number_value(value);
}

const char *tensim_text(const struct tensim_document *document, const char *path)
{
    const char *text = json_string_value(value_of(document, path));
    return text ? text : "";
}

size_t tensim_length(const struct tensim_document *document, const char *path)
{
    const json_t *value = value_of(document, path);
    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

// --- text ---

char *tensim_json(struct tensim *sim, const char *name, struct tensim_error *error)
{
    json_t *document = document_of(sim, name, error);
    char *text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
    if (document && text == NULL)
        ts_lib_no_memory(error);
    json_decref(document);
    return text;
}

static bool print_hang(struct tensim *sim, FILE *file)
{
    struct ts_hang hang = ts_hang_new(sim->kernel, sim->run.cycle);
    bool good = hang.tiles != NULL;
    if (good)
        ts_hang_print(&hang, file);
    ts_hang_free(&hang);
    return good;
}

// What a function prints, as text.
static char *text_of(struct tensim *sim, bool (*print)(struct tensim *sim, FILE *file),
                     struct tensim_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    bool good = file && print(sim, file);
    if (file && fclose(file) != 0)
        good = false;
    if (good && text) // fclose succeeds without memory for the text, too
        return text;
    free(text);
    ts_lib_no_memory(error);
    return NULL;
}

char *tensim_hang_text(struct tensim *sim, struct tensim_error *error)
{
    return text_of(sim, print_hang, error);
}

static bool print_prints(struct tensim *sim, FILE *file)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    if (work && work->program)
        ts_program_print_texts(work->program, file);
    return true;
}

char *tensim_prints_text(struct tensim *sim, struct tensim_error *error)
{
    return text_of(sim, print_prints, error);
}

void tensim_text_free(char *text)
{
    free(text);
}
