#include "platform/trace/history.h"

// Two bins of all levels become one.
static void halve(struct ts_history *self)
{
    for (size_t i = 0; i < self->level_count; i++) {
        struct ts_history_level *l = &self->levels[i];
        for (uint32_t b = 0; b < self->bins / 2; b++) {
            l->low[b] = l->low[2 * b] < l->low[2 * b + 1] ? l->low[2 * b] : l->low[2 * b + 1];
            l->high[b] = l->high[2 * b] > l->high[2 * b + 1] ? l->high[2 * b] : l->high[2 * b + 1];
        }
    }
    self->shift++;
}

static void reach(struct ts_history *self, ts_cycle cycle)
{
    while (cycle >> self->shift >= self->bins)
        halve(self);
    if (cycle > self->end)
        self->end = cycle;
}

// The level that held from its last change up to `to`.
static void hold(const struct ts_history *self, struct ts_history_level *l, ts_cycle to)
{
    uint8_t level = (uint8_t)(l->level > 255 ? 255 : l->level);
    for (ts_cycle b = l->since >> self->shift; b <= to >> self->shift && b < self->bins; b++) {
        bool fresh = b << self->shift >= l->since; // nothing was kept of it yet
        if (fresh || level < l->low[b])
            l->low[b] = level;
        if (fresh || level > l->high[b])
            l->high[b] = level;
    }
}

static void add(struct ts_history *self, struct ts_series *series, ts_cycle from, ts_cycle cycles)
{
    if (from + cycles > self->end)
        self->end = from + cycles;
    if (cycles > 0 && !ts_series_add(series, self->bins, from, cycles, cycles))
        self->short_of_memory = true;
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
                     const struct ts_object *on, enum ts_stall reason, ts_cycle from,
                     uint64_t cycles)
{
    if (2 * self->wait_count >= self->wait_room && !wait_grow(self))
        return;
    size_t mask = self->wait_room - 1;
    size_t at = (who->id * 31u + (on ? on->id : 0) * 7u + reason) & mask;
    while (self->waits[at].who && (self->waits[at].who != who || self->waits[at].on != on ||
                                   self->waits[at].reason != reason))
        at = (at + 1) & mask;
    if (!self->waits[at].who) {
        self->waits[at] = (struct ts_history_wait){
            .who = who, .on = on, .reason = reason, .part = 1};
        self->wait_count++;
    }
    self->waits[at].cycles += cycles;
    self->waits[at].times++;
    add(self, &self->waits[at].when, from, cycles);
}

static void take_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct ts_history *self = (struct ts_history *)base;
    const struct ts_object *object = self->objects[record->emitter];
    uint32_t index = self->index[record->emitter];
    if (index == 0)
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
        if (record->reason != TS_STALL_IDLE)
            add(self, &self->lanes[index - 1].stalls[record->reason], record->cycle, record->value);
        if (to > from)
            add_wait(self, object, record->other ? self->objects[record->other - 1] : NULL,
                     (enum ts_stall)record->reason, from, to - from);
    } else if (record->kind == TS_RECORD_BUSY) {
        add(self, &self->lanes[index - 1].busy, record->cycle, record->value);
    }
}

void ts_history_begin(struct ts_history *self, ts_cycle now)
{
    self->begin = now;
    self->wait_count = 0;
    for (size_t i = 0; i < self->wait_room; i++)
        ts_series_free(&self->waits[i].when);
    memset(self->waits, 0, self->wait_room * sizeof *self->waits);
    for (size_t i = 0; i < self->lane_count; i++) {
        struct ts_history_polls *polls = &self->lanes[i].polls;
        for (unsigned k = 0; k < TS_HISTORY_POLLED; k++)
            ts_series_free(&polls->on[k].when);
        polls->on_count = 0;
        memset(polls->in_stalls, 0, sizeof polls->in_stalls);
    }
}

// What was polled, a row of it; the last row is of all that have none.
static unsigned row_of(struct ts_history_polls *polls, uint32_t address)
{
    uint32_t i = 0;
    while (i < polls->on_count && polls->on[i].address != address)
        i++;
    if (i == TS_HISTORY_POLLED)
        return TS_HISTORY_POLLED - 1;
    if (i == polls->on_count) {
        polls->on[i].address = i == TS_HISTORY_POLLED - 1 ? UINT32_MAX : address;
        polls->on[i].cycles = polls->on[i].times = 0;
        polls->on_count++;
    }
    return i;
}

void ts_history_poll(struct ts_history *self, const struct ts_object *core, uint32_t address,
                     ts_cycle from, ts_cycle to, const struct ts_account *account)
{
    uint32_t index = self->index[core->id];
    if (index == 0 || to <= from)
        return;
    struct ts_history_polls *polls = &self->lanes[index - 1].polls;
    if (!ts_series_add(&polls->all, self->bins, from, to - from, to - from))
        polls->short_of_memory = true;
    if (from < self->begin)
        return;
    const unsigned row = row_of(polls, address);
    polls->on[row].cycles += to - from;
    polls->on[row].times++;
    polls->short_of_memory |= !ts_series_add(&polls->on[row].when, self->bins, from, to - from,
                                             to - from);
    for (unsigned r = 0; r < TS_STALL_COUNT; r++)
        polls->in_stalls[r] += account->lost[r];
}

// Calls `act` for every series of a lane.
static void each_series(struct ts_history *self, struct ts_history_lane *lane,
                        void (*act)(struct ts_history *, struct ts_series *))
{
    act(self, &lane->busy);
    act(self, &lane->polls.all);
    for (unsigned r = 0; r < TS_STALL_COUNT; r++)
        act(self, &lane->stalls[r]);
    for (unsigned k = 0; k < TS_HISTORY_POLLED; k++)
        act(self, &lane->polls.on[k].when);
}

// The same for all waits.
static void each_wait(struct ts_history *self, void (*act)(struct ts_history *, struct ts_series *))
{
    for (size_t i = 0; i < self->wait_room; i++)
        act(self, &self->waits[i].when);
}

static void follow(struct ts_history *self, struct ts_series *series)
{
    while (series->sums && self->shift < series->shift)
        halve(self);
}

static void widen(struct ts_history *self, struct ts_series *series)
{
    ts_series_widen(series, self->bins, self->shift);
}

static void drop(struct ts_history *self, struct ts_series *series)
{
    (void)self;
    ts_series_free(series);
}

// Polls are a wait of their own: what a core does in them awake is no work, and asleep it is in them.
static void tell_polls(struct ts_history *self, struct ts_history_lane *lane)
{
    const struct ts_history_polls *polls = &lane->polls;
    struct ts_series *asleep = &lane->stalls[TS_STALL_RV_POLL];
    for (uint32_t b = 0; lane->busy.sums && polls->all.sums && b < self->bins; b++) {
        uint64_t sleeps = asleep->sums ? asleep->sums[b] : 0, *busy = &lane->busy.sums[b],
                 awake = polls->all.sums[b] > sleeps ? polls->all.sums[b] - sleeps : 0;
        *busy -= awake < *busy ? awake : *busy;
    }
    if (polls->all.sums)
        ts_series_free(asleep);
    self->short_of_memory |= polls->short_of_memory;
}

// All bins become as long as the longest.
static int done(struct ts_trace_writer *base)
{
    struct ts_history *self = (struct ts_history *)base;
    reach(self, self->end);
    for (size_t i = 0; i < self->level_count; i++)
        hold(self, &self->levels[i], self->end);
    for (size_t i = 0; i < self->lane_count; i++)
        each_series(self, &self->lanes[i], follow);
    each_wait(self, follow);
    each_wait(self, widen);
    for (size_t i = 0; i < self->lane_count; i++) {
        each_series(self, &self->lanes[i], widen);
        tell_polls(self, &self->lanes[i]);
    }
    return self->short_of_memory ? ENOMEM : 0;
}

static bool is_level(const struct ts_object *object)
{
    return strstr(object->path, ".semaphore[") != NULL;
}

static bool is_kept(const struct ts_object *object, const struct ts_domain *const *domains,
                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (object->domain == domains[i])
            return true;
    return false;
}

struct ts_history *ts_history_new(const struct ts_kernel *kernel,
                                  const struct ts_domain *const *domains, size_t count)
{
    struct ts_history *self = calloc(1, sizeof *self);
    size_t objects = 0, levels = 0, lanes = 0;
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        objects++;
        bool kept = is_kept(o, domains, count);
        levels += kept && is_level(o);
        lanes += kept && ts_object_component(o) != NULL;
    }
    if (!self)
        return NULL;
    self->base = (struct ts_trace_writer){.record = take_record, .close = done};
    // Many tiles have few bins each: the page of 140 stays below 3 MB.
    self->bins = count <= 4    ? TS_HISTORY_BINS
                 : count <= 32 ? TS_HISTORY_BINS / 2
                 : count <= 96 ? 48
                               : 32;
    self->shift = TS_SERIES_SHIFT;
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
        if (!is_kept(o, domains, count))
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
    for (size_t i = 0; self->lanes && i < self->lane_count; i++)
        each_series(self, &self->lanes[i], drop);
    each_wait(self, drop);
    free(self->levels);
    free(self->lanes);
    free(self->waits);
    free(self);
}

static int longer(const void *left, const void *right)
{
    const struct ts_history_wait *a = left, *b = right;
    return TS_COMPARE(b->cycles, a->cycles)
               ?: TS_COMPARE(a->who->id, b->who->id)
               ?: TS_COMPARE(a->reason, b->reason);
}

// A sleep in a poll that the poll itself counts.
static bool is_counted(const struct ts_history *self, const struct ts_history_wait *wait)
{
    return wait->reason == TS_STALL_RV_POLL &&
           self->lanes[self->index[wait->who->id] - 1].polls.on_count > 0;
}

// A core's stalls outside its polls.
static struct ts_history_wait without_polls(const struct ts_history *self,
                                            struct ts_history_wait wait)
{
    uint64_t polls = self->lanes[self->index[wait.who->id] - 1].polls.in_stalls[wait.reason];
    polls = polls < wait.cycles ? polls : wait.cycles;
    wait.part = wait.cycles ? (double)(wait.cycles - polls) / (double)wait.cycles : 1;
    wait.cycles -= polls;
    return wait;
}

size_t ts_history_waits(const struct ts_history *self, const struct ts_domain *domain,
                        struct ts_history_wait *to, size_t count)
{
    struct ts_history_wait *all = calloc(
        self->wait_count + self->lane_count * TS_HISTORY_POLLED + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; all && i < self->lane_count; i++) {
        const struct ts_history_lane *lane = &self->lanes[i];
        for (uint32_t k = 0; lane->object->domain == domain && k < lane->polls.on_count; k++)
            all[n++] = (struct ts_history_wait){.who = lane->object,
                                                .reason = TS_STALL_RV_POLL,
                                                .polled = lane->polls.on[k].address,
                                                .cycles = lane->polls.on[k].cycles,
                                                .times = lane->polls.on[k].times,
                                                .when = lane->polls.on[k].when,
                                                .part = 1};
    }
    for (size_t i = 0; all && i < self->wait_room; i++)
        if (self->waits[i].who && self->waits[i].who->domain == domain &&
            !is_counted(self, &self->waits[i]))
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
    return bins > self->bins ? self->bins : (uint32_t)bins;
}
