#include "platform/trace/history.h"

#include "platform/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 6 // of the cycles of a bin

// Two bins become one.
static void halve(struct ts_history *self)
{
    for (size_t i = 0; i < self->level_count; i++) {
        struct ts_history_level *l = &self->levels[i];
        for (uint32_t b = 0; b < TS_HISTORY_BINS / 2; b++) {
            l->low[b] = l->low[2 * b] < l->low[2 * b + 1] ? l->low[2 * b] : l->low[2 * b + 1];
            l->high[b] = l->high[2 * b] > l->high[2 * b + 1] ? l->high[2 * b] : l->high[2 * b + 1];
        }
    }
    for (size_t i = 0; i < self->lane_count; i++) {
        struct ts_history_lane *lane = &self->lanes[i];
        uint64_t *const sums[] = {lane->busy, lane->polls, lane->busy_polls};
        for (int k = 0; k < 3; k++) {
            for (uint32_t b = 0; b < TS_HISTORY_BINS / 2; b++)
                sums[k][b] = sums[k][2 * b] + sums[k][2 * b + 1];
            memset(sums[k] + TS_HISTORY_BINS / 2, 0, TS_HISTORY_BINS / 2 * sizeof **sums);
        }
    }
    self->shift++;
}

static void reach(struct ts_history *self, ts_cycle cycle)
{
    while (cycle >> self->shift >= TS_HISTORY_BINS)
        halve(self);
    if (cycle > self->end)
        self->end = cycle;
}

// The level that held from its last change up to `to`.
static void hold(const struct ts_history *self, struct ts_history_level *l, ts_cycle to)
{
    uint8_t level = (uint8_t)(l->level > 255 ? 255 : l->level);
    for (ts_cycle b = l->since >> self->shift; b <= to >> self->shift && b < TS_HISTORY_BINS; b++) {
        bool fresh = b << self->shift >= l->since; // nothing was kept of it yet
        if (fresh || level < l->low[b])
            l->low[b] = level;
        if (fresh || level > l->high[b])
            l->high[b] = level;
    }
}

// Adds `sum` to the bins of the cycles from `from` on, spread evenly.
static void spread(const struct ts_history *self, uint64_t *bins, ts_cycle from, ts_cycle cycles,
                   uint64_t sum)
{
    while (cycles > 0) {
        ts_cycle b = from >> self->shift, rest = ((b + 1) << self->shift) - from;
        ts_cycle part = rest < cycles ? rest : cycles;
        uint64_t share = sum * part / cycles;
        bins[b] += share;
        sum -= share;
        from += part;
        cycles -= part;
    }
}

static void work(struct ts_history *self, struct ts_history_lane *lane, ts_cycle from,
                 ts_cycle cycles)
{
    reach(self, from + cycles);
    spread(self, lane->busy, from, cycles, cycles);
}

static bool wait_grow(struct ts_history *self)
{
    size_t room = self->wait_room ? 2 * self->wait_room : 256;
    struct ts_history_wait *waits = calloc(room, sizeof *waits);
    if (!waits)
        return false;
    for (size_t i = 0; i < self->wait_room; i++) {
        const struct ts_history_wait *w = &self->waits[i];
        if (!w->who)
            continue;
        size_t at = (w->who->id * 31u + (w->on ? w->on->id : 0) * 7u + w->reason) & (room - 1);
        while (waits[at].who)
            at = (at + 1) & (room - 1);
        waits[at] = *w;
    }
    free(self->waits);
    self->waits = waits;
    self->wait_room = room;
    return true;
}

static void add_wait(struct ts_history *self, const struct ts_object *who,
                     const struct ts_object *on, enum ts_stall reason, uint64_t cycles)
{
    if (2 * self->wait_count >= self->wait_room && !wait_grow(self))
        return;
    size_t mask = self->wait_room - 1;
    size_t at = (who->id * 31u + (on ? on->id : 0) * 7u + reason) & mask;
    while (self->waits[at].who && (self->waits[at].who != who || self->waits[at].on != on ||
                                   self->waits[at].reason != reason))
        at = (at + 1) & mask;
    if (!self->waits[at].who) {
        self->waits[at] = (struct ts_history_wait){.who = who, .on = on, .reason = reason};
        self->wait_count++;
    }
    self->waits[at].cycles += cycles;
    self->waits[at].times++;
}

static void take_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct ts_history *self = (struct ts_history *)base;
    const struct ts_object *object = self->objects[record->emitter];
    uint32_t index = self->index[record->emitter];
    if (object->domain != self->domain || index == 0)
        return;
    if (record->kind == TS_RECORD_COUNT && record->label == NULL) {
        struct ts_history_level *level = &self->levels[index - 1];
        reach(self, record->cycle);
        hold(self, level, record->cycle);
        level->level = (uint32_t)record->value;
        level->since = record->cycle;
        level->changes++;
        hold(self, level, record->cycle);
    } else if (record->kind == TS_RECORD_STALL) {
        ts_cycle to = record->cycle + record->value,
                 from = record->cycle > self->begin ? record->cycle : self->begin;
        if (to > from)
            add_wait(self, object, record->other ? self->objects[record->other - 1] : NULL,
                     (enum ts_stall)record->reason, to - from);
    } else if (record->kind == TS_RECORD_BUSY) {
        work(self, &self->lanes[index - 1], record->cycle, record->value);
    }
}

void ts_history_begin(struct ts_history *self, ts_cycle now)
{
    self->begin = now;
    self->wait_count = 0;
    memset(self->waits, 0, self->wait_room * sizeof *self->waits);
    for (size_t i = 0; i < self->lane_count; i++)
        memset(self->lanes[i].in_polls, 0, sizeof self->lanes[i].in_polls);
}

void ts_history_poll(struct ts_history *self, const struct ts_object *core,
                     const struct ts_object *on, ts_cycle from, ts_cycle to,
                     const struct ts_account *account)
{
    uint32_t index = self->index[core->id];
    if (core->domain != self->domain || index == 0 || to <= from)
        return;
    struct ts_history_lane *lane = &self->lanes[index - 1];
    reach(self, to);
    spread(self, lane->polls, from, to - from, to - from);
    spread(self, lane->busy_polls, from, to - from, account->busy);
    if (from < self->begin)
        return;
    add_wait(self, core, on, TS_STALL_RV_POLL, to - from);
    for (unsigned r = 0; r < TS_STALL_COUNT; r++)
        lane->in_polls[r] += account->lost[r];
}

static int done(struct ts_trace_writer *base)
{
    struct ts_history *self = (struct ts_history *)base;
    for (size_t i = 0; i < self->level_count; i++)
        hold(self, &self->levels[i], self->end);
    return 0;
}

static bool is_level(const struct ts_object *object)
{
    return strstr(object->path, ".semaphore[") != NULL;
}

struct ts_history *ts_history_new(const struct ts_kernel *kernel, const struct ts_domain *domain)
{
    struct ts_history *self = calloc(1, sizeof *self);
    size_t objects = 0, levels = 0, lanes = 0;
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        objects++;
        levels += o->domain == domain && is_level(o);
        lanes += o->domain == domain && ts_object_component(o) != NULL;
    }
    if (!self)
        return NULL;
    self->base = (struct ts_trace_writer){.record = take_record, .close = done};
    self->domain = domain;
    self->shift = FIRST_SHIFT;
    self->objects = calloc(objects + 1, sizeof *self->objects);
    self->index = calloc(objects + 1, sizeof *self->index);
    self->levels = calloc(levels + 1, sizeof *self->levels);
    self->lanes = calloc(lanes + 1, sizeof *self->lanes);
    if (!self->objects || !self->index || !self->levels || !self->lanes || !wait_grow(self)) {
        ts_history_free(self);
        return NULL;
    }
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        self->objects[o->id] = o;
        if (o->domain != domain)
            continue;
        if (is_level(o)) {
            self->levels[self->level_count++].object = o;
            self->index[o->id] = (uint32_t)self->level_count;
        } else if (ts_object_component(o)) {
            self->lanes[self->lane_count++].object = o;
            self->index[o->id] = (uint32_t)self->lane_count;
        }
    }
    return self;
}

void ts_history_free(struct ts_history *self)
{
    if (!self)
        return;
    free(self->objects);
    free(self->index);
    free(self->levels);
    free(self->lanes);
    free(self->waits);
    free(self);
}

static int longer(const void *left, const void *right)
{
    const struct ts_history_wait *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->who->id != b->who->id ? (a->who->id < b->who->id ? -1 : 1)
                                    : (a->reason > b->reason) - (a->reason < b->reason);
}

// A core's stalls outside its polls.
static struct ts_history_wait without_polls(const struct ts_history *self,
                                            struct ts_history_wait wait)
{
    uint64_t polls = self->lanes[self->index[wait.who->id] - 1].in_polls[wait.reason];
    wait.cycles -= polls < wait.cycles ? polls : wait.cycles;
    return wait;
}

size_t ts_history_waits(const struct ts_history *self, struct ts_history_wait *to, size_t count)
{
    struct ts_history_wait *all = calloc(self->wait_count + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; all && i < self->wait_room; i++)
        if (self->waits[i].who)
            all[n++] = without_polls(self, self->waits[i]);
    if (all)
        qsort(all, n, sizeof *all, longer);
    if (n && count)
        memcpy(to, all, (n < count ? n : count) * sizeof *to);
    free(all);
    return n;
}

uint32_t ts_history_bins(const struct ts_history *self)
{
    ts_cycle bins = (self->end >> self->shift) + 1;
    return bins > TS_HISTORY_BINS ? TS_HISTORY_BINS : (uint32_t)bins;
}
