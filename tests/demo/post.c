// A post office in every domain: clerks write to one postmaster's mailbox; an alarm goes off when
// it is quiet.
//
//   clerk[0-3] --mailbox--> postmaster, with an event that every letter moves
//
// The postmaster sorts a letter in 1 to 4 cycles. Each letter moves the alarm to 50 cycles from
// then; a lull lets it go off; the last letter cancels it.
#include "platform/kernel/event.h"
#include "platform/kernel/mailbox.h"
#include "tests/demo/demo.h"

enum { CLERKS = 4, QUIET = 50 };

struct clerk {
    struct ts_component base;
    struct ts_port out;
    uint32_t random;
    uint64_t to_send;
};

struct master {
    struct ts_component base;
    struct ts_port in;
    struct ts_event alarm;
    uint64_t expected, sorted, lulls, sum;
};

struct office {
    struct clerk clerk[CLERKS];
    struct master master;
    struct ts_mailbox box;
};

struct ts_demo {
    uint32_t count;
    struct office **office;
};

static ts_step clerk_step(struct ts_component *base, ts_cycle now)
{
    struct clerk *self = (struct clerk *)base;
    if (self->to_send == 0)
        return ts_finish(base, now);
    if (!ts_mailbox_send(&self->out, now, self->random))
        return ts_mailbox_await_room(&self->out, now);
    self->to_send--;
    uint32_t draw = ts_bench_random(&self->random);
    return 1 + (draw & 15) + (draw >> 8 & 63 ? 0 : 200);
}

static ts_step master_step(struct ts_component *base, ts_cycle now)
{
    struct master *self = (struct master *)base;
    struct ts_letter letter;
    if (ts_event_fired(&self->alarm, now))
        self->lulls++;
    if (!ts_mailbox_receive(&self->in, now, &letter))
        return ts_mailbox_await_letter(&self->in, now);
    self->sorted++;
    self->sum = ts_bench_mix(self->sum, letter.word + letter.sender + now);
    if (self->sorted == self->expected) {
        ts_event_cancel(&self->alarm);
        return ts_finish(base, now);
    }
    ts_event_set(&self->alarm, now, now + QUIET);
    return 1 + (letter.word >> 8 & 3);
}

static const struct ts_counter counters[] = {
    {"sorted", "letters", "letters received", offsetof(struct master, sorted)},
    {"lulls", "alarms", "times no letter came for 50 cycles", offsetof(struct master, lulls)},
    {0},
};
static const struct ts_component_ops clerk_ops = {.kind = "clerk", .step = clerk_step};
static const struct ts_component_ops master_ops = {
    .kind = "master", .step = master_step, .counters = counters};

static void build_office(struct office *self, struct ts_domain *domain,
                         const struct ts_demo_params *params, uint32_t index)
{
    ts_mailbox_init(&self->box, domain, 4, 2, "box");
    for (uint32_t i = 0; i < CLERKS; i++) {
        struct clerk *clerk = &self->clerk[i];
        ts_component_init(&clerk->base, &clerk_ops, domain, "clerk[%u]", i);
        ts_port_init(&clerk->out, &clerk->base, TS_OBJECT_MAILBOX, TS_OUT, "out");
        ts_bind(&clerk->out, &self->box.fifo.object);
        clerk->random = ((uint32_t)params->seed + index * CLERKS + i) * 2654435761u;
        clerk->to_send = (uint64_t)params->words;
    }
    ts_component_init(&self->master.base, &master_ops, domain, "postmaster");
    ts_port_init(&self->master.in, &self->master.base, TS_OBJECT_MAILBOX, TS_IN, "in");
    ts_bind(&self->master.in, &self->box.fifo.object);
    ts_event_init(&self->master.alarm, &self->master.base, "alarm");
    self->master.expected = (uint64_t)params->words * CLERKS;
}

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    self->count = (uint32_t)params->tiles;
    self->office = ts_kernel_alloc(kernel, self->count * sizeof *self->office);
    for (uint32_t i = 0; i < self->count; i++) {
        self->office[i] = ts_kernel_alloc(kernel, sizeof *self->office[i]);
        build_office(self->office[i], ts_domain_new(kernel, "office[%u]", i), params, i);
    }
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->count; i++)
        sum = ts_bench_mix(ts_bench_mix(sum, self->office[i]->master.sum),
                           self->office[i]->master.lulls);
    return sum;
}

const struct ts_demo_model ts_demo_post = {
    .name = "post",
    .text = "mailboxes with many senders, and an event that is set, moved and cancelled",
    .build = build,
    .checksum = checksum,
};
