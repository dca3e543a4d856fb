// What bounds each launch of a host (--why in TENSIM_OPTIONS): when the host ends, its launches run again from their program
// files, each in a process of its own, with the questions of `tensim run --why`. With -o DIR a launch has DIR.launch-N and its page, and DIR/report.html
// shows them all.
#include "platform/ttsim/options.h"

#include "platform/base/json.h"
#include "platform/base/private.h"
#include "platform/cli/results.h"
#include "platform/report/page.h"

#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

#define MISSING 1000 // numbers without a file: the end

int ts_cmd_run(int argc, char **argv);

static void ask(const char *file, const char *out)
{
    const char *const words[] = {"tensim run", file, "--why", out ? "-o" : NULL, out, NULL};
    char *argv[6];
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    argv[argc] = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("TENSIM_OPTIONS");
        dup2(STDERR_FILENO, STDOUT_FILENO); // stdout is the host's
        int code = ts_cmd_run(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        ts_complain(TS_SETUP, "--why: %s: no process for it", file);
}

// --- the page of the host's run: what there is to know of each launch

static uint64_t number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

// The head of a launch's program file has its tiles, its go and its cycles; the result of its run the rest.
static json_t *row_of(const char *file, const char *out, unsigned n, uint64_t *end)
{
    char head[4096] = "", path[PATH_MAX];
    FILE *from = fopen(file, "re");
    if (from) {
        head[fread(head, 1, sizeof head - 1, from)] = '\0';
        fclose(from);
    }
    const uint64_t go = number_of(head, "\n    go: "), cycles = number_of(head, "\n    cycles: ");
    snprintf(path, sizeof path, "%.4000s/result.json", out);
    json_t *result = json_load_file(path, 0, NULL);
    const char *slash = strrchr(out, '/');
    snprintf(path, sizeof path, "../%.4000s/report.html", slash ? slash + 1 : out);
    json_t *row = json_pack(
        "{s:i, s:I, s:I, s:I, s:I, s:s, s:s, s:s}", "launch", (int)n, "tiles",
        (json_int_t)number_of(head, " of a host, on "), "go", (json_int_t)go, "gap",
        (json_int_t)(go > *end ? go - *end : 0), "cycles", (json_int_t)cycles, "bound",
        ts_json_text(result, "bound_object"), "cause",
        ts_json_text(json_array_get(json_object_get(result, "loss"), 0), "text"), "page", path);
    *end = go + cycles;
    json_decref(result);
    return row;
}

static void draw(const void *document, FILE *file)
{
    ts_page_write(document, NULL, NULL, file);
}

static void write_page(const char *out, json_t *rows, uint64_t end)
{
    char path[PATH_MAX];
    json_t *document = json_pack("{s:s, s:I, s:O}", "schema", "tensim.host", "cycles",
                                 (json_int_t)end, "launches", rows);
    snprintf(path, sizeof path, "%.4000s/host.json", out);
    ts_output_json(path, document);
    snprintf(path, sizeof path, "%.4000s/report.html", out);
    if (ts_output(path, draw, document) == TS_OK)
        fprintf(stderr, "  all launches: %s\n", path);
    json_decref(document);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

bool ts_ask_begin(struct ts_ttsim_options *self)
{
    if (!self->why || self->capture)
        return true;
    self->capture = ts_temporary_new(self->own, sizeof self->own, "why", true) ? self->own : NULL;
    return self->capture != NULL;
}

void ts_ask_end(struct ts_ttsim_options *self, bool good)
{
    char path[PATH_MAX], out[PATH_MAX];
    unsigned asked = 0;
    uint64_t end = 0;
    json_t *rows = json_array();
    for (unsigned n = 1, missing = 0; self->why && good && missing < MISSING; n++) {
        snprintf(path, sizeof path, "%.4000s/launch-%u.yaml", self->capture, n);
        missing = access(path, R_OK) == 0 ? 0 : missing + 1;
        if (missing)
            continue;
        if (self->common.out)
            snprintf(out, sizeof out, "%.4000s.launch-%u", self->common.out, n);
        ask(path, self->common.out ? out : NULL);
        asked++;
        if (self->common.out)
            json_array_append_new(rows, row_of(path, out, n, &end));
    }
    if (json_array_size(rows))
        write_page(self->common.out, rows, end);
    json_decref(rows);
    if (self->why && good && asked == 0)
        fputs("tensim: --why: no launch by firmware of tt-metal that could be asked\n", stderr);
    if (self->own[0])
        nftw(self->own, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    self->own[0] = '\0';
}
