// What the kernel's tests share: a component whose step is a function of the test, and a way to
// build and run small models.
#ifndef TENSIM_TESTS_KIT_H
#define TENSIM_TESTS_KIT_H

#include "platform/kernel/fifo.h"
#include "platform/kernel/kernel.h"
#include "tests/demo/semaphore.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KIT_SANITIZED 1
#else
#define KIT_SANITIZED 0
#endif
#ifdef __SANITIZE_THREAD__
#define KIT_THREAD_SANITIZED 1
#else
#define KIT_THREAD_SANITIZED 0
#endif

struct probe;
typedef ts_step (*probe_body)(struct probe *self, ts_cycle now);

struct probe {
    struct ts_component base;
    probe_body body;
    struct ts_port in, out;
    struct probe *other;
    void *context;
    uint64_t steps; // taken so far, the one that runs included
    uint64_t count;
    ts_cycle log[64]; // of the first steps
};

static inline ts_step probe_step(struct ts_component *base, ts_cycle now)
{
    struct probe *self = (struct probe *)base;
    if (self->steps < 64)
        self->log[self->steps] = now;
    self->steps++;
    return self->body(self, now);
}

static const struct ts_counter probe_counters[] = {
    {"steps", "steps", "steps taken", offsetof(struct probe, steps)},
    {"count", "things", "what the test counts", offsetof(struct probe, count)},
    {0},
};
static const struct ts_component_ops probe_ops = {
    .kind = "probe", .step = probe_step, .counters = probe_counters};

__attribute__((format(printf, 3, 4))) static inline struct probe *probe_new(
    struct ts_domain *domain, probe_body body, const char *format, ...)
{
    struct probe *self = ts_kernel_alloc(ts_domain_kernel(domain), sizeof *self);
    char name[64];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    ts_component_init(&self->base, &probe_ops, domain, "%s", name);
    self->body = body;
    return self;
}

static inline struct ts_kernel *kit_kernel(uint32_t threads, ts_cycle window)
{
    return ts_kernel_new(&(struct ts_kernel_config){.threads = threads, .window = window});
}

static inline void kit_elaborate(struct ts_kernel *kernel)
{
    struct ts_error error = {0};
    enum ts_code code = ts_kernel_elaborate(kernel, &error);
    ck_assert_msg(code == TS_OK, "%s", error.text);
}

static inline void kit_in(struct probe *self, enum ts_object_kind kind, struct ts_object *channel)
{
    ts_port_init(&self->in, &self->base, kind, TS_IN, "in");
    ts_bind(&self->in, channel);
}

static inline void kit_out(struct probe *self, enum ts_object_kind kind, struct ts_object *channel)
{
    ts_port_init(&self->out, &self->base, kind, TS_OUT, "out");
    ts_bind(&self->out, channel);
}

static inline uint32_t kit_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif

// To be returned by a step: asleep until the first word is there.
static inline ts_step ts_fifo_await_word(const struct ts_port *port, ts_cycle now)
{
    struct ts_fifo *self = port->in;
    if (self == NULL)
        return ts_fifo_refuse(port, now, "wait for a word of");
    ts_block(port->owner, now, TS_STALL_FIFO_EMPTY, &self->object);
    ts_cycle next = ts_fifo_next_word(self);
    if (next != TS_NEVER)
        ts_wake(port->owner, next > now ? next : now + 1);
    return 0;
}
