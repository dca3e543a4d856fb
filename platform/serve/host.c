#include "platform/serve/host.h"

#include "platform/base/descriptors.h"

#include <signal.h>
#include <uv.h>

struct ts_host {
    struct ts_kernel *kernel;
    uv_loop_t loop;
    uv_thread_t thread;
    uv_async_t quit;
    uv_signal_t signals[2];
    int caught;
};

static void on_signal(uv_signal_t *handle, int signal_number)
{
    struct ts_host *self = handle->data;
    if (self->caught++) {
        // The second time the user means it.
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    ts_kernel_stop(self->kernel, signal_number);
}

static void on_quit(uv_async_t *handle)
{
    struct ts_host *self = handle->data;
    uv_close((uv_handle_t *)&self->quit, NULL);
    uv_close((uv_handle_t *)&self->signals[0], NULL);
    uv_close((uv_handle_t *)&self->signals[1], NULL);
}

static void serve(void *argument)
{
    struct ts_host *self = argument;
    uv_run(&self->loop, UV_RUN_DEFAULT);
}

struct ts_host *ts_host_start(struct ts_kernel *kernel, struct ts_error *error)
{
    static const int caught[2] = {SIGINT, SIGTERM};
    if (!ts_descriptors_free(TS_LOOP_DESCRIPTORS, error))
        return NULL;
    struct ts_host *self = calloc(1, sizeof *self);
    if (self == NULL || uv_loop_init(&self->loop) != 0) {
        ts_fail(error, TS_SETUP, "cannot make the host loop");
        free(self);
        return NULL;
    }
    self->kernel = kernel;
    uv_async_init(&self->loop, &self->quit, on_quit);
    self->quit.data = self;
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&self->loop, &self->signals[i]);
        self->signals[i].data = self;
        uv_signal_start(&self->signals[i], on_signal, caught[i]);
    }
    if (uv_thread_create(&self->thread, serve, self) != 0) {
        ts_fail(error, TS_SETUP, "cannot start the host thread");
        on_quit(&self->quit);
        uv_run(&self->loop, UV_RUN_DEFAULT);
        uv_loop_close(&self->loop);
        free(self);
        return NULL;
    }
    return self;
}

void ts_host_stop(struct ts_host *self)
{
    if (self == NULL)
        return;
    uv_async_send(&self->quit);
    uv_thread_join(&self->thread);
    uv_loop_close(&self->loop);
    free(self);
}
