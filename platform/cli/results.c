#include "platform/cli/results.h"

#include "platform/cluster/cluster.h"
#include "platform/report/page.h"
#include "platform/save/region.h"

static void write_params(const void *params, FILE *file)
{
    ts_params_write(params, file);
}

int ts_results_begin(struct ts_results *self, const struct ts_options *options,
                     const struct ts_params *params, int argc, char **argv)
{
    struct ts_error error = {0};
    *self = (struct ts_results){.argc = argc, .argv = argv};
    if (options->out == NULL)
        return TS_OK;
    bool inside = ts_region_inside(false); // a checkpoint goes on in the directory of its process
    self->directory = ts_rundir_open(ts_cluster_first() ? options->out : NULL, argc, argv, &error);
    ts_region_inside(inside);
    if (self->directory == NULL)
        return ts_complain_error(&error);
    if (params)
        ts_results_write(self, "config.yaml", write_params, params);
    return self->failed ? ts_results_end(self, TS_SETUP) : TS_OK;
}

static void finish(struct ts_results *self, bool good, const struct ts_error *error)
{
    if (!good) {
        ts_complain_error(error);
        self->failed = true;
    }
}

void ts_results_write(struct ts_results *self, const char *name, ts_results_writer *write,
                      const void *what)
{
    struct ts_error error = {0};
    if (self->directory == NULL || self->failed)
        return;
    struct ts_file *file = ts_rundir_file(self->directory, name, &error);
    if (file)
        write(what, ts_file_stream(file));
    finish(self, file && ts_file_close(file, &error), &error);
}

static void write_json(const void *document, FILE *file)
{
    json_dumpf(document, file, JSON_INDENT(1));
    fputc('\n', file);
}

void ts_results_json(struct ts_results *self, const char *name, const json_t *document)
{
    ts_results_write(self, name, write_json, document);
}

struct shown {
    const json_t *document, *drawing;
    const char *command;
};

static void write_page(const void *what, FILE *file)
{
    const struct shown *self = what;
    ts_page_write(self->document, self->drawing, self->command, file);
}

static void write_compact(const void *document, FILE *file)
{
    json_dumpf(document, file, JSON_COMPACT | JSON_REAL_PRECISION(8));
    fputc('\n', file);
}

void ts_results_page(struct ts_results *self, const json_t *document, const json_t *drawing)
{
    const struct ts_page_file *row = ts_page_file(document);
    char *command = ts_page_command(self->argc, self->argv);
    ts_results_json(self, row->document, document);
    if (drawing)
        ts_results_write(self, "drawing.json", write_compact, drawing);
    ts_results_write(self, row->page, write_page, &(struct shown){document, drawing, command});
    free(command);
}

void ts_results_hang(struct ts_results *self, json_t *hang)
{
    json_object_set_new(hang, "schema", json_string("tensim.hang"));
    ts_results_page(self, hang, NULL);
}

int ts_output_page(const char *path, const json_t *document, const json_t *drawing,
                   const char *command)
{
    return ts_output(path, write_page, &(struct shown){document, drawing, command});
}

int ts_results_end(struct ts_results *self, int code)
{
    struct ts_error error = {0};
    if (self->directory && !self->failed)
        finish(self, ts_rundir_commit(self->directory, &error), &error);
    ts_rundir_free(self->directory);
    self->directory = NULL;
    return self->failed ? TS_SETUP : code;
}

int ts_results_drop(struct ts_results *self, int code)
{
    ts_rundir_free(self->directory);
    self->directory = NULL;
    return code;
}

int ts_output(const char *path, ts_results_writer *write, const void *what)
{
    struct ts_error error = {0};
    if (path == NULL || !ts_cluster_first())
        return TS_OK;
    struct ts_file *file = ts_file_open(path, &error);
    if (file)
        write(what, ts_file_stream(file));
    return file && ts_file_close(file, &error) ? TS_OK : ts_complain_error(&error);
}

int ts_output_json(const char *path, const json_t *document)
{
    return ts_output(path, write_json, document);
}
