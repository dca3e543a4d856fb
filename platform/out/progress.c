#include "platform/out/progress.h"

#include "platform/base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TERMINAL_S 0.25
#define LOG_S      10.0
#define SOME       0.002 // of the work

struct ts_progress {
    char unit[24];
    double total, start, last; // start, last: seconds
    double period;
    bool terminal;
    _Atomic double before, done;
    atomic_ullong cycle;
    bool shown; // a line is on the terminal
    pthread_mutex_t drawing;
    // The thread.
    void (*look)(struct ts_progress *, void *);
    void *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t quit;
    bool watched, ends;
};

struct ts_progress *ts_progress_new(const char *unit, double total, bool quiet)
{
    struct ts_progress *self = quiet ? NULL : calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    pthread_condattr_t clock;
    snprintf(self->unit, sizeof self->unit, "%s", unit);
    self->total = total;
    self->terminal = isatty(STDERR_FILENO);
    self->period = self->terminal ? TERMINAL_S : LOG_S;
    self->start = self->last = ts_seconds();
    pthread_mutex_init(&self->drawing, NULL);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&self->quit, &clock);
    pthread_condattr_destroy(&clock);
    return self;
}

// --- the line ---

// 12345678 as "12.3 M", 12 as "12", 1.24 as "1.2".
static const char *scaled(char *text, size_t size, double value)
{
    static const char units[] = " kMGT";
    int unit = 0;
    for (; value >= 1000 && units[unit + 1]; unit++)
        value /= 1000;
    bool whole = unit == 0 && (value >= 10 || value == (double)(int)value);
    snprintf(text, size, whole ? "%.0f" : "%.1f", value);
    if (unit)
        snprintf(text + strlen(text), size - strlen(text), " %c", units[unit]);
    return text;
}

static const char *duration(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
    return text;
}

static void describe(struct ts_progress *self, char *line, size_t size, double spent)
{
    double done = atomic_load(&self->done), before = atomic_load(&self->before);
    double rate = spent > 0 ? (done - before) / spent : 0;
    unsigned long long cycle = atomic_load(&self->cycle);
    char a[24], b[24];
    size_t used = 0;
    bool known = self->total > 0 && (done > 0 || cycle == 0);
    if (known) {
        // The model decides when it has ended: 100 % is for work that is done.
        double ended = floor(done), share = ended < self->total ? ended / self->total : 1;
        used += (size_t)snprintf(line, size, "%.0f of %.0f %s, %.0f %%", ended, self->total,
                                 self->unit, floor(100 * share));
    } else if (done > 0) {
        used += (size_t)snprintf(line, size, "%s %s", scaled(a, sizeof a, done), self->unit);
    }
    if (done > before && used < size)
        used += (size_t)snprintf(line + used, size - used, ", %s %s/s", scaled(a, sizeof a, rate),
                                 self->unit);
    if (cycle && used < size)
        used += (size_t)snprintf(line + used, size - used, "%scycle %s, %s cycles/s",
                                 used ? ", " : "", scaled(a, sizeof a, (double)cycle),
                                 scaled(b, sizeof b, (double)cycle / spent));
    // The first fraction does not predict the rest.
    if (known && done - before > SOME * self->total && done < self->total && used < size)
        snprintf(line + used, size - used, ", %s left",
                 duration(b, sizeof b, (self->total - done) / rate));
}

// Cut to the width: a line that wraps cannot be rewritten.
static void cut(char *line)
{
    struct winsize window = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
        strlen(line) >= window.ws_col)
        line[window.ws_col - 1] = '\0';
}

static void draw(struct ts_progress *self)
{
    double now = ts_seconds();
    char line[200] = "";
    pthread_mutex_lock(&self->drawing);
    self->last = now;
    if (self->look)
        self->look(self, self->context);
    describe(self, line, sizeof line, now - self->start);
    if (self->terminal)
        cut(line);
    if (line[0]) {
        fprintf(stderr, self->terminal ? "\r\033[K%s" : "%s\n", line);
        fflush(stderr);
        self->shown = self->terminal;
    }
    pthread_mutex_unlock(&self->drawing);
}

void ts_progress_tick(struct ts_progress *self)
{
    if (self != NULL && ts_seconds() - self->last >= self->period)
        draw(self);
}

// --- the thread ---

static void *watch(void *argument)
{
    struct ts_progress *self = argument;
    pthread_mutex_lock(&self->mutex);
    while (!self->ends) {
        double until = ts_seconds() + self->period;
        struct timespec when = {.tv_sec = (time_t)until};
        when.tv_nsec = (long)(1e9 * (until - (double)when.tv_sec));
        if (pthread_cond_timedwait(&self->quit, &self->mutex, &when) != 0 && !self->ends)
            draw(self);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

void ts_progress_watch(struct ts_progress *self, void (*look)(struct ts_progress *, void *),
                       void *context)
{
    if (self == NULL)
        return;
    self->look = look;
    self->context = context;
    sigset_t all, before; // signals are for others
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    self->watched = pthread_create(&self->thread, NULL, watch, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// --- what is done ---

void ts_progress_before(struct ts_progress *self, double done)
{
    if (self == NULL)
        return;
    atomic_store(&self->before, done);
    atomic_store(&self->done, done);
}

void ts_progress_add(struct ts_progress *self, double more)
{
    if (self == NULL)
        return;
    double was = atomic_load(&self->done);
    while (!atomic_compare_exchange_weak(&self->done, &was, was + more))
        ;
}

void ts_progress_set(struct ts_progress *self, double done)
{
    if (self != NULL)
        atomic_store(&self->done, done);
}

void ts_progress_cycle(struct ts_progress *self, uint64_t cycle)
{
    if (self != NULL)
        atomic_store(&self->cycle, cycle);
}

// --- other output ---

void ts_progress_hide(struct ts_progress *self)
{
    if (self == NULL)
        return;
    pthread_mutex_lock(&self->drawing);
    if (self->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    self->shown = false;
}

void ts_progress_show(struct ts_progress *self)
{
    if (self != NULL)
        pthread_mutex_unlock(&self->drawing);
}

void ts_progress_free(struct ts_progress *self)
{
    if (self == NULL)
        return;
    if (self->watched) {
        pthread_mutex_lock(&self->mutex);
        self->ends = true;
        pthread_cond_signal(&self->quit);
        pthread_mutex_unlock(&self->mutex);
        pthread_join(self->thread, NULL);
    }
    ts_progress_hide(self);
    ts_progress_show(self);
    pthread_cond_destroy(&self->quit);
    pthread_mutex_destroy(&self->mutex);
    pthread_mutex_destroy(&self->drawing);
    free(self);
}
