// tensim report: writes the pages of a run directory again, from its JSON files.
#include "platform/base/private.h"
#include "platform/cli/results.h"
#include "platform/load/loader.h"
#include "platform/report/page.h"

#include <unistd.h>

struct arguments {
    struct ts_texts words;
    const char *directory;
    bool svg;
};

static const struct ts_take takes[] = {TS_FORM("svg", FLAG, struct arguments, svg), {0}};

static const char *path_of(const struct arguments *self, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.3800s/%s", self->directory, name);
    return path;
}

// A file of the directory; NULL: it is not there, or the error says what is wrong.
static json_t *load(const struct arguments *self, const char *name, struct ts_error *error)
{
    char path[PATH_MAX];
    json_error_t wrong;
    if (access(path_of(self, name, path), F_OK) != 0)
        return NULL;
    json_t *document = json_load_file(path, 0, &wrong);
    if (document == NULL)
        ts_fail(error, TS_SETUP, "%.300s:%d:%d: %s", path, wrong.line, wrong.column, wrong.text);
    return document;
}

// The command that made the directory, as its first file has it. Freed by the caller.
static char *command_of(const struct arguments *self)
{
    char path[PATH_MAX];
    struct ts_error ignored = {0};
    size_t length;
    char *text = ts_read_file(path_of(self, "command.txt", path), &length, &ignored);
    char *line = text ? strndup(text, length) : NULL;
    if (line)
        line[strcspn(line, "\n")] = '\0';
    free(text);
    return line;
}

// The page of a row, if the directory has its document. True: it is written, or would be but for the error.
static bool draw(const struct arguments *self, const struct ts_page_file *row, const char *command,
                 struct ts_error *error)
{
    char path[PATH_MAX];
    json_t *document = load(self, row->document, error), *drawing = NULL;
    bool known = document && ts_page_file(document) == row;
    if (known && row->drawn && (drawing = load(self, "drawing.json", error)) == NULL &&
        error->code == TS_OK)
        ts_fail(error, TS_SETUP, "%.300s: no drawing.json, without which %s cannot be drawn",
                self->directory, row->page);
    if (known && error->code == TS_OK) {
        bool own = json_object_get(document, "command") != NULL; // it says itself how it was made
        path_of(self, row->page, path);
        if (!ts_private_below(self->directory, path)) {
            ts_fail(error, TS_SETUP, "%.300s: leads out of the directory", path);
            json_decref(drawing);
            json_decref(document);
            return true;
        }
        error->code = (enum ts_code)ts_output_page(path, document, drawing, own ? NULL : command);
        if (error->code == TS_OK)
            printf("%s\n", path);
        if (error->code == TS_OK && self->svg)
            ts_figures_write(self->directory, row->page, error);
    }
    json_decref(drawing);
    json_decref(document);
    return known;
}

int ts_cmd_report(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(&(struct ts_parser){.help = "report",
                                 .takes = takes,
                                 .to = offsetof(struct arguments, words)},
             argc, argv, &self);
    self.directory = self.words.text[0];
    struct ts_error error = {0};
    char *command = command_of(&self), path[PATH_MAX];
    bool any = false;
    for (const struct ts_page_file *row = ts_page_files; row->schema && error.code == TS_OK; row++)
        any |= draw(&self, row, command, &error);
    if (error.code == TS_OK && !any)
        ts_fail(&error, TS_SETUP, "%.300s: %s", self.directory,
                access(self.directory, F_OK) != 0 ? strerror(errno)
                : access(path_of(&self, "report.html", path), F_OK) == 0
                    ? "an older tensim made its report.html, without the files to draw it again"
                    : "there is no result that has a page");
    free(command);
    return error.text[0] ? ts_complain_error(&error) : (int)error.code;
}
