// Runs that the page starts: tensim as a process of its own, with a run directory in the first folder.
#include "platform/ui/ui.h"

#include "platform/base/error.h"

#include <signal.h>
#include <sys/stat.h>

enum { MOST_JOBS = 32, MOST_AT_ONCE = 4, MOST_WORDS = 64, TAIL = 8192 };

// What a line may begin with: `run', and the names of low-level kernels.
static const char *const commands[] = {
    "run",
#define TS_ALIAS(kernel, setting, value, program) kernel,
#include "config/aliases.def"
};

// Options that a line may have. Where results go is not the page's to say, so nothing that writes a file
// is among them; a name must be whole, since `--ou' would be `--out', too.
static const char *const long_options[] = {
    "timing-only", "why",      "trace",   "check",      "step-by-step", "perturb", "lines", "lint",
    "repeat",      "cores",    "threads", "max-cycles", "set",          "param",   "show",  "chip",
    "throttle",    "run-type", "live",    "grid",       "tiles",        "place",   "kernel"};
static const char short_options[] = "pDMNKfFtnjTdrsO"; // alone or with their value: -p m=1, -M256

struct job {
    struct ts_ui_jobs *jobs;
    json_int_t number;
    uv_process_t process;
    uv_pipe_t output;
    bool runs;
    int open_handles;
    int64_t exit_code;
    int signal_number;
    char *line, *place;
    char tail[TAIL];
    size_t length;
};

struct ts_ui_jobs {
    struct ts_ui *ui;
    struct job *list[MOST_JOBS]; // the oldest first
    unsigned count;
    json_int_t next;
};

static void changed(const struct ts_ui_jobs *self)
{
    if (self->ui->server)
        ts_ui_server_changed(self->ui->server, false, true);
}

static unsigned running(const struct ts_ui_jobs *self)
{
    unsigned count = 0;
    for (unsigned i = 0; i < self->count; i++)
        count += self->list[i]->runs;
    return count;
}

// --- what a line says ---

static bool is_among(const char *word, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0)
            return true;
    return false;
}

// Does the word, or the value of an option, name a file that is not below the first folder? Links count: a person has allowed the
// folder.
static bool is_outside(const char *word)
{
    const char *value = strchr(word, '=');
    return word[0] == '/' || strstr(word, "..") || (value && value[1] == '/') ||
           (word[0] == '-' && word[1] != '-' && word[1] && word[2] == '/');
}

// A name that comes with tensim: llk/matmul, gallery/mutex-cycle.
static bool is_ours(const struct ts_ui *ui, const char *word)
{
    static const char *const kinds[] = {"programs", "gallery", "steps", "pipes"};
    size_t i;
    const json_t *row;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        json_array_foreach(json_object_get(json_object_get(ui->catalogue, "catalogue"), kinds[k]),
                           i, row)
        {
            const char *name = json_string_value(json_object_get(row, "name"));
            if (name && strcmp(name, word) == 0)
                return true;
        }
    return false;
}

static const char *why_not(const struct ts_ui *ui, const char *word)
{
    static char text[256];
    const bool plain = word[0] != '-' && strchr(word, '=') == NULL;
    if (is_ours(ui, word))
        return NULL;
    if (!ui->programs && (strchr(word, '/') || (plain && strchr(word, '.')))) {
        snprintf(
            text, sizeof text,
            "%.60s: a file: this page starts what comes with tensim; if you trust the files of "
            "its folders, start it with `tensim ui --allow=programs'",
            word);
        return text;
    }
    if (is_outside(word)) {
        snprintf(text, sizeof text, "%.100s: files are named from the first folder, without ..",
                 word);
        return text;
    }
    if (word[0] == '-' && word[1] == '-') {
        if (is_among(word + 2, strcspn(word + 2, "="), long_options,
                     sizeof long_options / sizeof *long_options) &&
            !strstr(word, "commits:"))
            return NULL;
    } else if (word[0] == '-') {
        if (word[1] && strchr(short_options, word[1]) && !strstr(word, "commits:"))
            return NULL;
    } else {
        return NULL;
    }
    snprintf(
        text, sizeof text,
        "%.100s: not an option that this page gives to a run (it says itself where results go)",
        word);
    return text;
}

// --- one job ---

static void on_closed(uv_handle_t *handle)
{
    struct job *job = handle->data;
    job->open_handles--;
}

static void on_exit_of(uv_process_t *process, int64_t code, int signal_number)
{
    struct job *job = process->data;
    job->runs = false;
    job->exit_code = code;
    job->signal_number = signal_number;
    uv_close((uv_handle_t *)process, on_closed);
    changed(job->jobs);
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *to)
{
    static char room[4096];
    (void)handle;
    (void)size;
    *to = uv_buf_init(room, sizeof room);
}

static void on_output(uv_stream_t *stream, ssize_t size, const uv_buf_t *from)
{
    struct job *job = stream->data;
    if (size < 0) {
        uv_close((uv_handle_t *)stream, on_closed);
        return;
    }
    size_t count = (size_t)size;
    if (job->length + count > TAIL) {
        size_t gone = job->length + count - TAIL;
        memmove(job->tail, job->tail + gone, job->length - gone);
        job->length -= gone;
    }
    memcpy(job->tail + job->length, from->base, count);
    job->length += count;
    changed(job->jobs);
}

static void free_job(struct job *job)
{
    free(job->line);
    free(job->place);
    free(job);
}

// Room for one more: the oldest that has ended goes.
static bool make_room(struct ts_ui_jobs *self)
{
    for (unsigned i = 0; self->count == MOST_JOBS && i < self->count; i++)
        if (!self->list[i]->runs && self->list[i]->open_handles == 0) {
            free_job(self->list[i]);
            self->count--;
            memmove(self->list + i, self->list + i + 1, (self->count - i) * sizeof *self->list);
        }
    return self->count < MOST_JOBS;
}

static const char *spawn(struct ts_ui_jobs *self, char **words, unsigned count, const char *line,
                         const char *live)
{
    static char text[256];
    if (running(self) >= MOST_AT_ONCE || !make_room(self))
        return "four runs at once are enough: wait, or stop one";
    struct job *job = calloc(1, sizeof *job);
    char *place = NULL, *directory = NULL;
    struct stat ignored;
    if (job == NULL)
        return "no memory";
    do { // the first name that is free
        free(place);
        free(directory);
        self->next++;
        if (asprintf(&place, "0/ui-%lld", (long long)self->next) < 0 ||
            asprintf(&directory, "%s/ui-%lld", self->ui->folders[0], (long long)self->next) < 0)
            ts_out_of_memory("the page");
    } while (stat(directory, &ignored) == 0);
    char *arguments[MOST_WORDS + 5] = {(char *)self->ui->tensim};
    memcpy(arguments + 1, words, count * sizeof *words);
    if (live)
        arguments[++count] = strcmp(live, "back") == 0 ? "--live=back,pause" : "--live=pause";
    arguments[count + 1] = "-o";
    arguments[count + 2] = directory;
    *job = (struct job){.jobs = self, .number = self->next, .line = strdup(line), .place = place};
    uv_pipe_init(&self->ui->loop, &job->output, 0);
    job->output.data = job->process.data = job;
    uv_stdio_container_t streams[3] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&job->output},
        {.flags = UV_INHERIT_FD, .data.fd = 2}};
    // Both streams of the run are one: a shell says so, the words stay words.
    char *shell[MOST_WORDS + 9] = {"sh", "-c", "exec \"$@\" 2>&1", "tensim"};
    memcpy(shell + 4, arguments, (count + 4) * sizeof *shell);
    uv_process_options_t options = {.exit_cb = on_exit_of,
                                    .file = "/bin/sh",
                                    .args = shell,
                                    // A folder there could have the name of a program of ours.
                                    .cwd = self->ui->programs ? self->ui->folders[0] : "/",
                                    .stdio = streams,
                                    .stdio_count = 3};
    int wrong = uv_spawn(&self->ui->loop, &job->process, &options);
    free(directory);
    self->list[self->count++] = job;
    job->open_handles = 2;
    if (wrong) {
        snprintf(text, sizeof text, "the run cannot be started: %s", uv_strerror(wrong));
        uv_close((uv_handle_t *)&job->process, on_closed);
        uv_close((uv_handle_t *)&job->output, on_closed);
        return text;
    }
    job->runs = true;
    uv_read_start((uv_stream_t *)&job->output, give_room, on_output);
    changed(self);
    return NULL;
}

const char *ts_ui_jobs_start(struct ts_ui_jobs *self, const char *line, const char *live)
{
    char *copy = strdup(line), *words[MOST_WORDS], *rest;
    const char *wrong = NULL;
    unsigned count = 0;
    for (char *word = strtok_r(copy, " \t", &rest); word && wrong == NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (count == 0 && strcmp(word, "tensim") == 0)
            continue;
        for (const char *c = word; *c; c++)
            if (iscntrl((unsigned char)*c))
                wrong = "one line, without control characters";
        if (wrong == NULL && count > 0)
            wrong = why_not(self->ui, word);
        if (count == MOST_WORDS)
            wrong = "64 words at most";
        else
            words[count++] = word;
    }
    if (wrong == NULL && (count == 0 || !is_among(words[0], strlen(words[0]), commands,
                                                  sizeof commands / sizeof *commands)))
        wrong = "a line begins with run, matmul, eltwise, sfpu, reduce, transpose, norm, tilize or "
                "untilize";
    if (wrong == NULL)
        wrong = spawn(self, words, count, line, live);
    free(copy);
    return wrong;
}

// Options of a run that say where results go, or what a live one cannot have, and whether a value follows.
static const struct {
    const char *name;
    bool value;
} left_out[] = {{"-o", true},          {"--out", true},      {"--json", true},
                {"-q", false},         {"--quiet", false},   {"--stats-hash", false},
                {"--problems", false}, {"-t", false},        {"--trace", false},
                {"--live", false},     {"--taken-as", true}, {"--checkpoint", true},
                {"--record", true},    {"-j", true},         {"--threads", true}};

// Is the word such an option? *two: its value is the next word.
static bool is_left_out(const char *word, bool *two)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const char *name = left_out[i].name;
        size_t length = strlen(name);
        bool short_one = name[1] != '-', whole = strcmp(word, name) == 0;
        *two = whole && left_out[i].value;
        if (whole || (strncmp(word, name, length) == 0 && (short_one || word[length] == '=')))
            return true;
    }
    return false;
}

// A file of the command: as the first folder sees it, else as this process does.
static char *file_of(const struct ts_ui *ui, const char *word)
{
    char *below = NULL, *path = NULL;
    struct stat ignored;
    if (asprintf(&below, "%s/%s", ui->folders[0], word) < 0)
        ts_out_of_memory("the page");
    if (ui->programs && word[0] != '-' && word[0] != '/' && stat(below, &ignored) != 0)
        path = realpath(word, NULL);
    free(below);
    return path ? path : strdup(word);
}

// A file of a command that is run again: below one of the folders, once links are followed; or no file.
static bool is_allowed(const struct ts_ui *ui, const char *path)
{
    char whole[PATH_MAX], real[PATH_MAX];
    if (strchr(path, '/') == NULL || is_ours(ui, path))
        return true;
    snprintf(whole, sizeof whole, "%.2000s/%.2000s", path[0] == '/' ? "" : ui->folders[0], path);
    for (unsigned i = 0; ui->programs && i < ui->folder_count && realpath(whole, real); i++) {
        const size_t length = strlen(ui->folders[i]);
        if (strncmp(real, ui->folders[i], length) == 0 && (real[length] == '/' || length == 1))
            return true;
    }
    return false;
}

const char *ts_ui_jobs_again(struct ts_ui_jobs *self, const char *place)
{
    char *command = ts_ui_folders_command(self->ui, place), *words[MOST_WORDS], *rest;
    const char *wrong = command ? NULL : "this run is gone";
    char line[1024] = "";
    unsigned count = 0;
    bool skip = false, two = false;
    for (char *word = command ? strtok_r(command, " ", &rest) : NULL; word && wrong == NULL;
         word = strtok_r(NULL, " ", &rest)) {
        if (skip || strcmp(word, "tensim") == 0 || (count > 0 && is_left_out(word, &two))) {
            skip = !skip && two;
            two = false;
            continue;
        }
        if (count > 0 && (word[0] == '-' || !self->ui->programs))
            wrong = why_not(self->ui, word);
        if (count == MOST_WORDS)
            wrong = "64 words at most";
        else if (wrong == NULL)
            words[count++] = file_of(self->ui, word);
        if (wrong == NULL && count > 1 && word[0] != '-' && !is_allowed(self->ui, words[count - 1]))
            wrong = "this run has a file outside the folders of this page";
    }
    if (wrong == NULL && (count == 0 || !is_among(words[0], strlen(words[0]), commands,
                                                  sizeof commands / sizeof *commands)))
        wrong = "this is not a run that can be watched";
    for (unsigned i = 0; i < count && wrong == NULL; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%s", i ? " " : "", words[i]);
    }
    if (wrong == NULL)
        wrong = spawn(self, words, count, line, "back");
    for (unsigned i = 0; i < count; i++)
        free(words[i]);
    free(command);
    return wrong;
}

const char *ts_ui_jobs_compare(struct ts_ui_jobs *self, const char *first, const char *second)
{
    char *words[] = {"compare", ts_ui_folders_path(self->ui, first),
                     ts_ui_folders_path(self->ui, second)};
    char line[512];
    snprintf(line, sizeof line, "compare %.200s %.200s", first, second);
    const char *wrong = words[1] && words[2] ? spawn(self, words, 3, line, NULL)
                                             : "one of the two runs is gone";
    free(words[1]);
    free(words[2]);
    return wrong;
}

void ts_ui_jobs_stop(struct ts_ui_jobs *self, json_int_t number)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->list[i]->number == number && self->list[i]->runs)
            uv_process_kill(&self->list[i]->process, SIGTERM);
}

// Bytes that are not UTF-8, which jansson refuses, become question marks.
static json_t *text_of(const char *bytes, size_t length)
{
    json_t *text = json_stringn(bytes, length);
    if (text)
        return text;
    char plain[TAIL];
    for (size_t i = 0; i < length; i++)
        plain[i] = (unsigned char)bytes[i] < 128 ? bytes[i] : '?';
    return json_stringn(plain, length);
}

char *ts_ui_jobs_text(const struct ts_ui_jobs *self)
{
    json_t *rows = json_array();
    for (unsigned i = self->count; i-- > 0;) {
        const struct job *job = self->list[i];
        json_array_append_new(rows, json_pack("{s:I s:s s:s s:b s:I s:i s:o}", "number",
                                              job->number, "line", job->line, "place", job->place,
                                              "runs", job->runs, "exit", (json_int_t)job->exit_code,
                                              "signal", job->signal_number, "text",
                                              text_of(job->tail, job->length)));
    }
    json_t *message = json_pack("{s:o}", "jobs", rows);
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    return text;
}

struct ts_ui_jobs *ts_ui_jobs_new(struct ts_ui *ui)
{
    struct ts_ui_jobs *self = ts_need(calloc(1, sizeof *self), "the page");
    self->ui = ui;
    return self;
}

void ts_ui_jobs_free(struct ts_ui_jobs *self)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->list[i]->runs)
            uv_process_kill(&self->list[i]->process, SIGTERM);
    for (unsigned i = 0; i < self->count; i++)
        while (self->list[i]->open_handles)
            uv_run(&self->ui->loop, UV_RUN_ONCE); // pages still get the list
    for (unsigned i = 0; i < self->count; i++)
        free_job(self->list[i]);
    free(self);
}
