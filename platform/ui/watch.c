// Pages that watch a live run: a connection to its socket for each. Lines of the run go to the page, of the page to the run; of
// states a slow page gets the latest one.
#include "platform/ui/ui.h"

#include "platform/base/error.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LARGEST_LINE = 8 << 20, MOST_WAITING = 32, LARGEST_COMMAND = 4096 };

struct ts_ui_watch {
    uv_pipe_t link;
    void (*news)(void *context);
    void *context; // NULL: the page is gone
    char *bytes;
    size_t length, room;
    char *state;                 // the latest one that the page does not have
    char *waiting[MOST_WAITING]; // other lines, the oldest first
    unsigned count;
};

static void on_closed(uv_handle_t *handle)
{
    struct ts_ui_watch *self = handle->data;
    free(self->bytes);
    free(self->state);
    for (unsigned i = 0; i < self->count; i++)
        free(self->waiting[i]);
    free(self);
}

static void keep(struct ts_ui_watch *self, char *text, bool state)
{
    if (state) {
        free(self->state);
        self->state = text;
    } else if (self->count < MOST_WAITING) {
        self->waiting[self->count++] = text;
    } else {
        free(text);
    }
}

// What is no JSON does not come from a run of ours.
static void take_line(struct ts_ui_watch *self, const char *line, size_t length)
{
    json_t *said = json_loadb(line, length, 0, NULL);
    json_t *message = said ? json_pack("{s:O}", "live", said) : NULL;
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text)
        keep(self, text, json_object_get(said, "state") != NULL);
    json_decref(message);
    json_decref(said);
}

static void end(struct ts_ui_watch *self)
{
    char *text = strdup("{\"live\":{\"gone\":true}}");
    if (text)
        keep(self, text, false);
    uv_read_stop((uv_stream_t *)&self->link);
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *to)
{
    static char room[65536];
    (void)handle;
    (void)size;
    *to = uv_buf_init(room, sizeof room);
}

static void on_bytes(uv_stream_t *stream, ssize_t size, const uv_buf_t *from)
{
    struct ts_ui_watch *self = stream->data;
    if (size < 0 || self->length + (size_t)size > LARGEST_LINE) {
        end(self);
    } else {
        if (self->length + (size_t)size > self->room) {
            self->room = 2 * (self->length + (size_t)size);
            self->bytes = ts_need(realloc(self->bytes, self->room), "the page");
        }
        memcpy(self->bytes + self->length, from->base, (size_t)size);
        self->length += (size_t)size;
        size_t first = 0;
        for (char *stop; (stop = memchr(self->bytes + first, '\n', self->length - first)) != NULL;
             first = (size_t)(stop - self->bytes) + 1)
            take_line(self, self->bytes + first, (size_t)(stop - self->bytes) - first);
        self->length -= first;
        memmove(self->bytes, self->bytes + first, self->length);
    }
    if (self->context)
        self->news(self->context);
}

struct ts_ui_watch *ts_ui_watch_new(struct ts_ui *ui, const char *place,
                                    void (*news)(void *context), void *context)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int there = ts_ui_folders_socket(ui, place);
    int link = there < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", there);
    bool good = link >= 0 && connect(link, (struct sockaddr *)&address, sizeof address) == 0;
    if (there >= 0)
        close(there);
    if (!good) {
        if (link >= 0)
            close(link);
        return NULL;
    }
    struct ts_ui_watch *self = ts_need(calloc(1, sizeof *self), "the page");
    self->news = news;
    self->context = context;
    uv_pipe_init(&ui->loop, &self->link, 0);
    self->link.data = self;
    uv_pipe_open(&self->link, link);
    uv_read_start((uv_stream_t *)&self->link, give_room, on_bytes);
    return self;
}

void ts_ui_watch_say(struct ts_ui_watch *self, const json_t *what)
{
    char line[LARGEST_COMMAND + 1];
    size_t length = json_dumpb(what, line, LARGEST_COMMAND, JSON_COMPACT);
    if (length == 0 || length > LARGEST_COMMAND - 1)
        return;
    line[length] = '\n';
    uv_buf_t part = uv_buf_init(line, (unsigned)length + 1);
    // The run reads ten times a second: who fills its buffer is no reader of the page.
    if (uv_try_write((uv_stream_t *)&self->link, &part, 1) != (int)length + 1)
        end(self);
}

char *ts_ui_watch_next(struct ts_ui_watch *self)
{
    char *text = self->state;
    if (self->count > 0) {
        text = self->waiting[0];
        self->count--;
        memmove(self->waiting, self->waiting + 1, self->count * sizeof *self->waiting);
    } else {
        self->state = NULL;
    }
    return text;
}

bool ts_ui_watch_more(const struct ts_ui_watch *self)
{
    return self->count > 0 || self->state;
}

void ts_ui_watch_free(struct ts_ui_watch *self)
{
    if (self == NULL)
        return;
    self->context = NULL;
    uv_close((uv_handle_t *)&self->link, on_closed);
}
