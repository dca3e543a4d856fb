// L1 (l1.h): allocation and the slow side of following writes.
#include "platform/mem/l1.h"

bool ts_l1_init(struct ts_l1 *self, uint32_t bank_bits)
{
    memset(self, 0, sizeof *self);
    self->bank_mask = (1u << bank_bits) - 1;
    self->actor = UINT32_MAX;
    self->bytes = calloc(1, TS_L1_BYTES);
    self->last = calloc(TS_L1_LAST, sizeof *self->last);
    return self->bytes != NULL && self->last != NULL;
}

void ts_l1_free(struct ts_l1 *self)
{
    free(self->bytes);
    free(self->last);
    self->bytes = NULL;
    self->last = NULL;
}

void ts_l1_note(struct ts_l1 *self, uint32_t address, uint32_t length, unsigned by, uint32_t pc,
                ts_cycle at)
{
    if (self->last == NULL || length == 0)
        return;
    if (length > TS_L1_LAST_BYTES) {
        struct ts_l1_range *range = &self->range[self->ranges++ % TS_L1_RANGES];
        range->length = length;
        range->last = (struct ts_l1_last){.word = address / 4 + 1,
                                          .pc = pc,
                                          .at = at & ((UINT64_C(1) << 56) - 1),
                                          .by = by & 0xff};
        return;
    }
    for (uint32_t word = address & ~3u; word < address + length; word += 4)
        ts_l1_note_word(self, word, by, pc, at);
}

struct ts_l1_writer ts_l1_writer(const struct ts_l1 *self, uint32_t address)
{
    struct ts_l1_writer writer = {0};
    const struct ts_l1_last *last = self->last ? &self->last[address / 4 % TS_L1_LAST] : NULL;
    if (last && last->word != 0)
        writer.state = last->word == address / 4 + 1 ? TS_L1_KNOWN : TS_L1_FORGOTTEN;
    if (writer.state == TS_L1_KNOWN)
        writer.last = *last;
    uint32_t first = self->ranges > TS_L1_RANGES ? self->ranges - TS_L1_RANGES : 0;
    for (uint32_t i = first; i != self->ranges; i++) {
        const struct ts_l1_range *range = &self->range[i % TS_L1_RANGES];
        uint32_t from = (range->last.word - 1) * 4;
        if ((address & ~3u) < from || (address & ~3u) >= from + range->length ||
            (writer.state == TS_L1_KNOWN && writer.last.at > range->last.at))
            continue;
        writer.state = TS_L1_KNOWN;
        writer.last = range->last;
    }
    return writer;
}

void ts_l1_notify_slow(struct ts_l1 *self, uint32_t address, uint32_t length, ts_cycle at)
{
    if (length == 0)
        return;
    uint32_t last = address + length - 1;
    if (self->code_written != NULL)
        for (uint32_t page = address >> TS_L1_CODE_SHIFT; page <= last >> TS_L1_CODE_SHIFT; page++)
            if (self->code_pages[page / 64] >> page % 64 & 1) {
                self->code_written(self->cores, address, length, at);
                break;
            }
    // A watcher may remove itself when it is called: go backwards.
    for (uint32_t i = self->watch_count; i-- > 0;) {
        const struct ts_l1_watch watch = self->watches[i];
        if (watch.granule + watch.more >= address / TS_L1_GRANULE &&
            watch.granule <= last / TS_L1_GRANULE)
            watch.written(watch.context, address, length, at);
    }
    if (self->hit)
        self->hit_written(self->cores, address, length, at);
}

void ts_l1_write(struct ts_l1 *self, uint32_t address, const void *bytes, uint32_t length,
                 ts_cycle at)
{
    memcpy(self->bytes + address, bytes, length);
    if (length != 0)
        ts_l1_notify(self, address, length, at);
}

// May a poll of a parked core that comes by `now` stop a transfer, or come before one from `from` on?
static bool polls_matter(const struct ts_l1 *self, ts_cycle now, ts_cycle from)
{
    if (self->polls_from > now || self->polls_from < self->flows_until)
        return self->polls_from <= now;
    // It starts later if its port is taken, or another poll is before it.
    ts_cycle start = now;
    for (unsigned port = TS_L1_PORT_B_T0_NC; port <= TS_L1_PORT_T1_T2; port++)
        start = self->port_free[port] > start ? self->port_free[port] : start;
    return from < start + TS_L1_WATCHES;
}

void ts_l1_disturb(struct ts_l1 *self, uint32_t port, uint32_t address, ts_cycle now)
{
    for (uint32_t i = self->watch_count; i-- > 0;) {
        const struct ts_l1_watch watch = self->watches[i];
        if (watch.disturbed != NULL &&
            (watch.port == port ||
             ((watch.granule ^ address / TS_L1_GRANULE) & self->bank_mask) == 0))
            watch.disturbed(watch.context, now);
        else if (watch.flowing != NULL && polls_matter(self, now, TS_NEVER))
            watch.flowing(watch.context, now);
    }
}

ts_cycle ts_l1_start_between(const struct ts_l1 *self, const struct ts_l1_slots *other,
                             uint32_t granule, ts_cycle start, uint32_t busy)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < 2; i++) {
            ts_cycle first = other->slot[i].first, last = other->slot[i].last,
                     end = start + busy - 1;
            if (start > last || end < first)
                continue;
            // Nothing is written to a granule between the read and the write-back of another write, or nothing is done in the bank.
            bool same = self->narrow_blocks
                            ? last > first || busy > 1
                            : other->slot[i].granule == granule && busy > 1 && last > first;
            if (same || start == first || start == last || end == first || end == last) {
                start = same ? last + 1 : start + 1;
                again = true;
            }
        }
    }
    return start;
}

// A core takes a granule's bank in cycle `at`: a transfer that wants it goes on a cycle later.
static void stop_flow(struct ts_l1 *self, struct ts_l1_flow *flow, uint32_t granule, ts_cycle at)
{
    if (at < flow->from || at >= flow->until)
        return;
    uint32_t next = flow->granule + (uint32_t)(at - flow->from) * flow->width;
    if (((granule - next) & self->bank_mask) >= flow->width)
        return;
    flow->from++;
    flow->until++;
    self->conflicts++;
    if (flow->until > self->flows_until)
        self->flows_until = flow->until;
}

bool ts_l1_stop_flows(struct ts_l1 *self, uint32_t granule, ts_cycle first, ts_cycle last)
{
    for (unsigned i = 0; i < TS_L1_CLIENTS && !self->flows_pass; i++) {
        struct ts_l1_flow *flow = &self->flows[i];
        if (first >= flow->until || last < flow->from || i == TS_L1_PACK) // PACRs are booked ahead
            continue;
        stop_flow(self, flow, granule, first);
        if (last != first)
            stop_flow(self, flow, granule, last);
    }
    return true;
}

void ts_l1_poll_first(struct ts_l1 *self, ts_cycle now, ts_cycle from)
{
    for (uint32_t i = self->watch_count; i-- > 0 && polls_matter(self, now, from);) {
        const struct ts_l1_watch watch = self->watches[i];
        if (watch.flowing != NULL)
            watch.flowing(watch.context, now);
    }
}

// Do two transfers whose first banks are `apart` meet?
static inline bool meet(const struct ts_l1 *self, uint32_t apart, uint32_t width, uint32_t other)
{
    return ((apart + width - 1) & self->bank_mask) < width + other - 1;
}

ts_cycle ts_l1_flow_among(struct ts_l1 *self, enum ts_l1_client client, uint32_t address,
                          uint32_t width, uint32_t cycles, ts_cycle at)
{
    const struct ts_l1_flow *other[TS_L1_CLIENTS];
    uint32_t others = 0, granule = address / TS_L1_GRANULE;
    // A client's requests are served in order.
    ts_cycle t = self->flows[client].until > at ? self->flows[client].until : at;
    for (unsigned i = 0; i < TS_L1_CLIENTS && !self->flows_pass; i++)
        if (i != client && self->flows[i].until > t)
            other[others++] = &self->flows[i];
    uint32_t left = cycles, next = granule;
    while (left != 0 && others != 0) {
        bool wait = false;
        for (uint32_t i = 0; i < others;) {
            const struct ts_l1_flow *flow = other[i];
            uint32_t apart = next - flow->granule - (uint32_t)(t - flow->from) * flow->width;
            bool meets = meet(self, apart, width, flow->width);
            // Once it is over, or runs in step, it is out of the way for good.
            if (flow->until <= t || (!meets && flow->width == width)) {
                other[i] = other[--others];
                continue;
            }
            wait |= meets && flow->from <= t;
            i++;
        }
        t++;
        if (!wait) {
            left--;
            next += width;
        }
    }
    ts_cycle until = t + left;
    self->flows[client] = (struct ts_l1_flow){until - cycles, until, granule, width};
    if (until > self->flows_until)
        self->flows_until = until;
    self->conflicts += until - cycles - at;
    return until - cycles;
}

bool ts_l1_watch_add(struct ts_l1 *self, const struct ts_l1_watch *watch)
{
    if (self->watch_count == TS_L1_WATCHES)
        return false;
    self->watches[self->watch_count++] = *watch;
    if (watch->stops) {
        self->stop = watch->granule * TS_L1_GRANULE;
        self->stop_bytes = (watch->more + 1) * TS_L1_GRANULE;
    }
    self->polls_from = 0;
    return true;
}

void ts_l1_watch_remove(struct ts_l1 *self, const void *context)
{
    for (uint32_t i = 0; i < self->watch_count; i++)
        if (self->watches[i].context == context) {
            if (self->watches[i].stops)
                self->stop_bytes = 0;
            memmove(&self->watches[i], &self->watches[i + 1],
                    (self->watch_count - i - 1) * sizeof self->watches[0]);
            self->watch_count--;
            return;
        }
}
