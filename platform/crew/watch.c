// Watches processes through their pidfd, which is readable when they have ended (watch.h).
#include "platform/crew/watch.h"

#include "platform/base/error.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>

struct ts_watch {
    uv_poll_t poll;
    int fd;
    void (*ended)(void *context);
    void *context;
};

void ts_watch_host(char *text, size_t size)
{
    char boot[64] = "", names[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && fgets(boot, sizeof boot, file))
        boot[strcspn(boot, "\n")] = '\0';
    if (file)
        fclose(file);
    ssize_t length = readlink("/proc/self/ns/pid", names, sizeof names - 1);
    names[length < 0 ? 0 : length] = '\0';
    snprintf(text, size, "%s %s", boot, names);
}

static void on_end(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct ts_watch *self = poll->data;
    uv_poll_stop(poll);
    self->ended(self->context);
}

struct ts_watch *ts_watch_new(struct uv_loop_s *loop, pid_t pid, void (*ended)(void *context),
                              void *context)
{
    struct ts_watch *self = ts_need(calloc(1, sizeof *self), "the list of runs");
    *self = (struct ts_watch){
        .fd = (int)syscall(SYS_pidfd_open, pid, 0), .ended = ended, .context = context};
    if (self->fd < 0) {
        free(self);
        return NULL;
    }
    if (uv_poll_init(loop, &self->poll, self->fd) != 0)
        ts_out_of_memory("the list of runs");
    self->poll.data = self;
    uv_poll_start(&self->poll, UV_READABLE, on_end);
    return self;
}

static void on_close(uv_handle_t *handle)
{
    free(handle->data);
}

void ts_watch_free(struct ts_watch *self)
{
    if (self == NULL)
        return;
    uv_close((uv_handle_t *)&self->poll, on_close);
    close(self->fd);
}
