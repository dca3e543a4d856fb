// Changes the throttle word at the cycles that --flip gives (work.h).
//
//   start of the kernels --> word in L1 of each tile, read once a block
//
// Cycles count from the common start of the kernels; without one (runtime: llk), from the start of the kernel on the math thread,
// which it notes in its event buffer itself. The word counts up: even is free, odd asks for level 5.
// Inaccuracies: each tile has the word in the same cycle, as a write from outside; the real firmware broadcasts it over NoC 0.
// When it would do so is the subject of platform/firmware.

#include "platform/run/plan/plan.h"
#include "platform/run/work.h"

// The math thread's first event: the start of its kernel.
#define FIRST_EVENT (TS_L1_EVENTS + 0x1000u)

struct firmware {
    struct ts_component component;
    struct ts_job *job;
    ts_cycle start; // of the kernel; TS_NEVER: not yet
    unsigned next;
    uint32_t word;
};

static ts_step firmware_step(struct ts_component *component, ts_cycle now)
{
    struct firmware *self = (struct firmware *)component;
    const struct ts_flip *flips = self->job->flips;
    if (self->start == TS_NEVER)
        return ts_idle(component, now);
    for (; flips[self->next].at != 0; self->next++) {
        const struct ts_flip *flip = &flips[self->next];
        if (self->start + flip->at > now)
            return self->start + flip->at - now;
        const bool odd = self->word & 1, asks = flip->level == TS_THROTTLE_MAX;
        if (flip->level >= 0 && odd == asks)
            continue;
        self->word++;
        ts_l1_write(&self->job->tile->l1, TS_L1_THROTTLE, &self->word, 4, now);
    }
    return ts_finish(component, now);
}

static const struct ts_component_ops firmware_ops = {.kind = "arc", .step = firmware_step};

// The second word of an event is its time.
static void event_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct firmware *self = context;
    uint32_t event[2];
    if (self->start != TS_NEVER || address > FIRST_EVENT + 4 || address + length <= FIRST_EVENT + 4)
        return;
    memcpy(event, self->job->tile->l1.bytes + FIRST_EVENT, sizeof event);
    if (event[0] >> 28 != TS_EVENT_START)
        return;
    self->start = (ts_cycle)(event[0] & 0xfff) << 32 | event[1];
    ts_wake(&self->component, at + 1);
}

bool ts_firmware_add(struct ts_job *job, ts_cycle start, struct ts_error *error)
{
    if (job->flips == NULL || job->flips[0].at == 0)
        return true;
    struct firmware *self = ts_kernel_alloc(job->kernel, sizeof *self);
    if (!self)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    memset(self, 0, sizeof *self);
    self->job = job;
    self->start = start;
    ts_component_init(&self->component, &firmware_ops, job->domain, "arc");
    if (start != TS_NEVER)
        return true;
    return ts_l1_watch_add(&job->tile->l1,
                           &(struct ts_l1_watch){.granule = FIRST_EVENT / TS_L1_GRANULE,
                                                 .port = UINT32_MAX,
                                                 .written = event_written,
                                                 .context = self});
}
