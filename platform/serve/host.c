#include "platform/serve/host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#define TERMINAL_MS 250
#define LOG_MS      60000

struct ts_host {
    struct ts_kernel *kernel;
    uv_loop_t loop;
    uv_thread_t thread;
    uv_async_t quit;
    uv_signal_t signals[2];
    uv_timer_t timer;
    bool terminal;
    bool shown;       // a progress line stands on the terminal
    uint64_t started; // ms
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

// 12345678 as "12.3 M".
static const char *scaled(char *text, size_t size, double value)
{
    static const char units[] = " kMGT";
    int unit = 0;
    for (; value >= 1000 && units[unit + 1]; unit++)
        value /= 1000;
    snprintf(text, size, unit ? "%.1f %c" : "%.0f%c", value, unit ? units[unit] : ' ');
    return text;
}

static void on_timer(uv_timer_t *handle)
{
    struct ts_host *self = handle->data;
    double seconds = (double)(uv_now(&self->loop) - self->started) / 1000;
    double reached = (double)ts_kernel_reached(self->kernel);
    double limit = (double)ts_kernel_limit(self->kernel);
    double rate = seconds > 0 ? reached / seconds : 0;
    char cycle[32], speed[32], left[48] = "";
    if (ts_kernel_limit(self->kernel) != TS_NEVER && limit > 0 && rate > 0)
        snprintf(left, sizeof left, "  %.0f %%  %.0f s left", 100 * reached / limit,
                 (limit - reached) / rate);
    fprintf(stderr, "%scycle %s  %scycles/s%s%s", self->terminal ? "\r\033[K" : "",
            scaled(cycle, sizeof cycle, reached), scaled(speed, sizeof speed, rate), left,
            self->terminal ? "" : "\n");
    self->shown = self->terminal;
}

static void on_quit(uv_async_t *handle)
{
    struct ts_host *self = handle->data;
    uv_close((uv_handle_t *)&self->quit, NULL);
    uv_close((uv_handle_t *)&self->signals[0], NULL);
    uv_close((uv_handle_t *)&self->signals[1], NULL);
    uv_close((uv_handle_t *)&self->timer, NULL);
}

static void serve(void *argument)
{
    struct ts_host *self = argument;
    uv_run(&self->loop, UV_RUN_DEFAULT);
}

struct ts_host *ts_host_start(struct ts_kernel *kernel, bool progress, struct ts_error *error)
{
    static const int caught[2] = {SIGINT, SIGTERM};
    struct ts_host *self = calloc(1, sizeof *self);
    if (self == NULL || uv_loop_init(&self->loop) != 0) {
        ts_fail(error, TS_SETUP, "cannot make the host loop");
        free(self);
        return NULL;
    }
    self->kernel = kernel;
    self->terminal = isatty(STDERR_FILENO);
    uv_async_init(&self->loop, &self->quit, on_quit);
    self->quit.data = self;
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&self->loop, &self->signals[i]);
        self->signals[i].data = self;
        uv_signal_start(&self->signals[i], on_signal, caught[i]);
    }
    uv_timer_init(&self->loop, &self->timer);
    self->timer.data = self;
    uv_update_time(&self->loop);
    self->started = uv_now(&self->loop);
    uint64_t period = self->terminal ? TERMINAL_MS : LOG_MS;
    if (progress)
        uv_timer_start(&self->timer, on_timer, period, period);
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
    if (self->shown)
        fputs("\r\033[K", stderr);
    free(self);
}
