// Source lines with their cycles as text, as `perf annotate' has them (lines.h).
#include "platform/account/lines.h"
#include "platform/base/json.h"
#include "platform/out/text.h"

#define HOTTEST 12 // lines of the first table
#define AROUND  2  // lines without cycles before and after one that has some

static double share(const json_t *lines, json_int_t cycles)
{
    double all = (double)ts_json_integer(lines, "cycles") * (double)ts_json_integer(lines, "tiles");
    return all > 0 ? 100.0 * (double)cycles / all : 0;
}

// --- sources ---

struct source {
    char *text;
    char **line; // [1] is the first
    int count;
};

static struct source read_source(const char *path)
{
    struct source self = {0};
    FILE *file = path[0] ? fopen(path, "r") : NULL;
    size_t room = 0;
    if (file == NULL || getdelim(&self.text, &room, '\0', file) < 0) {
        free(self.text);
        self.text = NULL;
    }
    if (file)
        fclose(file);
    for (const char *c = self.text; c && *c; c++)
        self.count += *c == '\n';
    self.line = calloc((size_t)self.count + 3, sizeof *self.line);
    int number = 0;
    for (char *next = self.text; self.line && next && *next && number <= self.count;) {
        self.line[++number] = next;
        next = strchr(next, '\n');
        if (next)
            *next++ = '\0';
    }
    self.count = number;
    return self;
}

static void free_source(struct source *self)
{
    free(self->text);
    free(self->line);
}

static const char *text_of(const struct source *self, json_int_t number)
{
    const char *text = self->line && number > 0 && number <= self->count ? self->line[number] : "";
    return text + strspn(text, " \t");
}

void ts_lines_texts(json_t *lines)
{
    struct source source = {0};
    const char *path = NULL;
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(lines, "lines"), i, line)
    {
        const char *file = ts_json_text(line, "file");
        if (path == NULL || strcmp(path, file) != 0) {
            free_source(&source);
            source = read_source(file);
            path = file;
        }
        json_object_set_new(line, "text",
                            json_string(text_of(&source, ts_json_integer(line, "line"))));
    }
    free_source(&source);
}

static bool has_source(const json_t *line)
{
    return ts_json_text(line, "file")[0] && !json_is_true(json_object_get(line, "library"));
}

// A view of the document: lines, with what their shares are of.
static void print_view(const json_t *lines, const char *view, json_t *some, size_t more, FILE *file)
{
    json_t *document = json_pack("{s:O, s:O, s:I, s:o, s:I}", "cycles",
                                 json_object_get(lines, "cycles"), "tiles",
                                 json_object_get(lines, "tiles"), "all",
                                 ts_json_integer(lines, "cycles") * ts_json_integer(lines, "tiles"),
                                 "lines", some, "more", (json_int_t)more);
    ts_text_print(view, document, true, file);
    json_decref(document);
}

static void print_hottest(const json_t *lines, FILE *file)
{
    size_t i, more = 0;
    json_t *line, *some = json_array();
    json_array_foreach(json_object_get(lines, "lines"), i, line)
    {
        if (has_source(line) && json_array_size(some) < HOTTEST)
            json_array_append(some, line);
        else
            more += has_source(line);
    }
    print_view(lines, "lines_hottest", some, more, file);
}

// --- sources of a page ---

#define WHOLE 600       // lines of a source that is shown completely
#define NEAR  6         // lines before and after one with cycles, in a longer source
#define MOST  (1 << 18) // bytes of all sources

// Has this line, or one near it, cycles?
static bool is_near(const json_t *lines, const char *path, int number)
{
    size_t i;
    const json_t *line;
    json_array_foreach(json_object_get(lines, "lines"), i, line)
    {
        const json_int_t at = ts_json_integer(line, "line");
        if (at >= number - NEAR && at <= number + NEAR &&
            strcmp(ts_json_text(line, "file"), path) == 0)
            return true;
    }
    return false;
}

// [[number of the first line, its text, text of the next ...], ...]
static json_t *pieces_of(const json_t *lines, const char *path, size_t *bytes)
{
    struct source source = read_source(path);
    json_t *pieces = json_array(), *piece = NULL;
    for (int number = 1; source.line && number <= source.count && *bytes < MOST; number++) {
        const bool shown = source.count <= WHOLE || is_near(lines, path, number);
        json_t *text = shown ? json_string(source.line[number]) : NULL;
        if (shown && piece == NULL)
            json_array_append_new(pieces, piece = json_pack("[i]", number));
        if (shown) // of bytes that are no text nothing is shown
            json_array_append_new(piece, text ? text : json_string("?"));
        else
            piece = NULL;
        *bytes += shown ? strlen(source.line[number]) + 3 : 0;
    }
    free_source(&source);
    return pieces;
}

json_t *ts_lines_sources(const json_t *lines)
{
    json_t *sources = lines ? json_object() : NULL;
    size_t i, bytes = 0;
    const json_t *line;
    json_array_foreach(json_object_get(lines, "lines"), i, line)
    {
        const char *path = ts_json_text(line, "file");
        if (has_source(line) && json_object_get(sources, path) == NULL)
            json_object_set_new(sources, path, pieces_of(lines, path, &bytes));
    }
    return sources;
}

// --- a source ---

static const json_t *find(const json_t *lines, const char *path, int number)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(lines, "lines"), i, line)
    {
        if (ts_json_integer(line, "line") == number &&
            strcmp(ts_json_text(line, "file"), path) == 0)
            return line;
    }
    return NULL;
}

// The thread that has most of a line's own cycles.
static const char *main_thread(const json_t *line)
{
    const char *name, *most = "";
    json_int_t cycles = -1;
    json_t *row;
    json_object_foreach(json_object_get(line, "threads"), name, row)
    {
        if (ts_json_integer(row, "own") > cycles) {
            cycles = ts_json_integer(row, "own");
            most = name;
        }
    }
    return most;
}

static void print_source(const json_t *lines, const char *path, FILE *file)
{
    struct source source = read_source(path);
    int last = 0;
    fprintf(file, "\n%s\n   own   waits thread  line\n", path);
    for (int number = 1; number <= source.count; number++) {
        const json_t *line = find(lines, path, number);
        bool near = line != NULL;
        for (int k = number - AROUND; k <= number + AROUND && !near; k++)
            near = find(lines, path, k) != NULL;
        if (!near)
            continue;
        if (last && number > last + 1)
            fputs("                    ...\n", file);
        last = number;
        if (line)
            fprintf(file, "%6.2f %7.2f %-6s", share(lines, ts_json_integer(line, "own")),
                    share(lines, ts_json_integer(line, "waits_for_others")), main_thread(line));
        else
            fprintf(file, "%21s", "");
        fprintf(file, " %5d  %s\n", number, source.line[number]);
    }
    if (source.count == 0)
        fputs("                    the source is not there\n", file);
    free_source(&source);
}

// "reader.cpp", "kernels/reader.cpp": the end of a path.
static bool ends_with(const char *path, const char *name, size_t length)
{
    size_t whole = strlen(path);
    return whole >= length && strncmp(path + whole - length, name, length) == 0 &&
           (whole == length || path[whole - length - 1] == '/' || name[0] == '/');
}

bool ts_lines_print(const json_t *lines, const char *only, FILE *file)
{
    const char *colon = only ? strrchr(only, ':') : NULL;
    int number = colon ? atoi(colon + 1) : 0;
    size_t length = only ? (number ? (size_t)(colon - only) : strlen(only)) : 0, i, k;
    const json_t *all = json_object_get(lines, "lines");
    json_t *line;
    bool found = false;
    if (only == NULL && file)
        print_hottest(lines, file);
    json_array_foreach(all, i, line)
    {
        const char *path = ts_json_text(line, "file");
        bool again = false; // a source that was shown
        if (only ? !ends_with(path, only, length) : !has_source(line))
            continue;
        if (number) {
            if (ts_json_integer(line, "line") != number)
                continue;
            if (file)
                print_view(lines, "lines_one", json_pack("[O]", line), 0, file);
        } else if (file) {
            for (k = 0; k < i && !again; k++)
                again = strcmp(ts_json_text(json_array_get(all, k), "file"), path) == 0 &&
                        (only || has_source(json_array_get(all, k)));
            if (!again)
                print_source(lines, path, file);
        }
        found = true;
    }
    return found || only == NULL;
}
