// Operations that come in pairs; see check.h.
#include "platform/check/check.h"

static void found(struct ts_check *self, enum ts_finding_kind kind, enum ts_check_object object,
                  uint64_t address, uint64_t length, uint64_t number, struct ts_check_place place)
{
    if (ts_checks_for(self, TS_CHECK_SYNC))
        ts_memory_found(self, kind, object, address, length, number, place, false);
}

// ---- requests and barriers

void ts_pairs_issued(struct ts_check *self, const struct ts_check_trip *trip,
                     enum ts_actor_phase phase)
{
    unsigned kind = trip->posted ? TS_PHASES : phase == TS_PHASE_SENT ? TS_PHASE_ACKED : phase;
    struct ts_check_open *open = &self->pairs.open[trip->noc][kind];
    if (trip->posted && phase != TS_PHASE_SENT) // an atomic without an answer
        return;
    open->place = (struct ts_check_place){trip->home, trip->site, trip->at};
    open->id = trip->id;
    open->count++;
}

void ts_pairs_counted(struct ts_check *self, unsigned noc, unsigned phases, unsigned id)
{
    for (unsigned kind = 0; kind <= TS_PHASES; kind++) {
        struct ts_check_open *open = &self->pairs.open[noc][kind];
        if (phases >> kind & 1 && (id == TS_ACTOR_IDS || id == open->id))
            open->count = 0;
    }
}

// ---- Dst between math and pack

void ts_pairs_waits(struct ts_check *self, unsigned thread, unsigned semaphores, bool room,
                    bool full)
{
    if (room)
        self->pairs.room[thread] |= (uint8_t)semaphores;
    if (full)
        self->pairs.full[thread] |= (uint8_t)semaphores;
}

void ts_pairs_posts(struct ts_check *self, unsigned thread, unsigned unit, unsigned semaphores,
                    bool takes)
{
    uint8_t *waited = takes ? &self->pairs.full[thread] : &self->pairs.room[thread];
    const struct ts_check_thread *by = &self->threads[thread];
    const struct ts_check_site site = {.pc = by->word[unit].pc,
                                       .actor = TS_ACTOR_UNIT(thread, unit),
                                       .core = (uint8_t)(1 + thread),
                                       .detail = by->word[unit].op};
    if (semaphores >> TS_PAIRS_MATH_PACK & 1 && !(*waited >> TS_PAIRS_MATH_PACK & 1) &&
        self->memory.whole)
        found(self, takes ? TS_FINDING_REGS_WAIT : TS_FINDING_REGS_ACQUIRE, TS_OBJECT_DST, 0, 0, 0,
              (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site),
                                      by->word[unit].at});
    *waited &= (uint8_t)~semaphores;
}

// ---- the end

static void end_of_ring(struct ts_check *self, const struct ts_check_area *area)
{
    const struct ts_check_ring *ring = &self->memory.rings[area->ring];
    uint32_t waited = 0, reserved = 0,
             seen = ring->taken; // seen: pages in all that somebody waited for
    for (unsigned i = 0; i < TS_ACTOR_CORES; i++) {
        // Who only pops looks at both counters, and reserves nothing; nor does who only pushes wait.
        const bool pops = ring->pops >> i & 1, pushes = ring->pushes >> i & 1;
        int32_t more = pushes && !pops ? 0 : (int32_t)(ring->waited[i] - ring->taken),
                room = pops && !pushes ? 0 : (int32_t)(ring->reserved[i] - ring->put);
        waited = more > (int32_t)waited ? (uint32_t)more : waited;
        reserved = room > (int32_t)reserved ? (uint32_t)room : reserved;
        seen = (int32_t)(ring->waited[i] - seen) > 0 ? ring->waited[i] : seen;
    }
    if (reserved && ring->put)
        found(self, TS_FINDING_CB_NO_PUSH, TS_OBJECT_L1, area->address, area->length, reserved,
              ring->reserve);
    if (waited && ring->taken)
        found(self, TS_FINDING_CB_NO_POP, TS_OBJECT_L1, area->address, area->length, waited,
              ring->wait);
    if (seen && (int32_t)(ring->put - seen) > 0)
        found(self, TS_FINDING_CB_LEFT, TS_OBJECT_L1, area->address, area->length, ring->put - seen,
              ring->push);
}

static void end_of_requests(struct ts_check *self)
{
    static const uint8_t kinds[TS_PHASES + 1] = {
        [TS_PHASE_READ] = TS_FINDING_READ_OPEN,   [TS_PHASE_SENT] = TS_FINDING_KINDS,
        [TS_PHASE_ACKED] = TS_FINDING_WRITE_OPEN, [TS_PHASE_ATOMIC] = TS_FINDING_ATOMIC_OPEN,
        [TS_PHASES] = TS_FINDING_POSTED_OPEN,
    };
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned kind = 0; kind <= TS_PHASES; kind++) {
            const struct ts_check_open *open = &self->pairs.open[noc][kind];
            if (open->count && kinds[kind] < TS_FINDING_KINDS)
                found(self, (enum ts_finding_kind)kinds[kind], TS_OBJECT_L1, 0, 0, open->count,
                      open->place);
        }
}

void ts_pairs_end(struct ts_check *self, const struct ts_pairs_end *end)
{
    const struct ts_check_place nobody = {self->home, TS_NO_SITE, end->at};
    if (self->memory.areas == NULL || !ts_checks_for(self, TS_CHECK_SYNC))
        return;
    for (unsigned i = 0; i < self->memory.area_count; i++) {
        const struct ts_check_area *area = &self->memory.areas[i];
        if (area->kind == TS_AREA_BUFFER && !self->memory.rings[area->ring].shared)
            end_of_ring(self, area);
        // The last credit of each sender comes when nobody needs one any more.
        if (area->kind == TS_AREA_SEMAPHORE && area->unseen > (area->looked ? area->senders : 0u))
            found(self, TS_FINDING_UNSEEN, TS_OBJECT_L1, area->address, 4, area->unseen,
                  area->last);
    }
    end_of_requests(self);
    if (end->semaphores[TS_PAIRS_MATH_PACK])
        found(self, TS_FINDING_REGS_LEFT, TS_OBJECT_DST, 0, 0, end->semaphores[TS_PAIRS_MATH_PACK],
              nobody);
    for (unsigned i = 0; i < 16; i++)
        if (self->mailboxes[i].count)
            found(self, TS_FINDING_MAIL_LEFT, TS_OBJECT_DST, i, 0, self->mailboxes[i].count,
                  self->mailboxes[i].last);
    for (unsigned i = 0; i < 8; i++)
        if (end->mutexes[i] >= 0)
            found(self, TS_FINDING_MUTEX_HELD, TS_OBJECT_DST, i, 0, i, nobody);
}
