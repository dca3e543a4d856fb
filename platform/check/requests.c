// Requests of the NoC: what they access, and what their packets bring; see check.h.
#include "platform/check/accesses.h"

struct ts_check_trip *ts_check_issue(struct ts_check *self, unsigned core, uint32_t pc,
                                     unsigned noc, enum ts_actor_phase phase, bool posted,
                                     unsigned id, unsigned channel, uint32_t answers,
                                     uint32_t packets, ts_cycle now)
{
    struct ts_check_trip *trip = core < TS_ACTOR_CORES ? calloc(1, sizeof *trip) : NULL;
    if (phase == TS_PHASE_SENT) {
        self->due[noc][posted ? TS_PHASES : TS_PHASE_SENT] += packets;
        self->due[noc][TS_PHASE_ACKED] += answers;
    } else {
        self->due[noc][phase] += answers;
    }
    if (trip == NULL)
        return NULL;
    atomic_init(&trip->holders, 1);
    trip->known = ts_check_known_core(self, core, TS_REGION_NOC0 + noc, now);
    trip->known.self[2] = TS_ACTOR_ISSUE(noc);
    trip->known.lane = TS_LANE(core, noc);
    ts_vclock_hold(trip->known.clock);
    const struct ts_check_site site = {
        .pc = pc,
        .actor = TS_ACTOR_NOC(noc, phase, 0),
        .core = (uint8_t)core,
        .how = phase == TS_PHASE_READ     ? TS_HOW_READ
               : phase == TS_PHASE_ATOMIC ? TS_HOW_ATOMIC
                                          : TS_HOW_WRITE,
        .detail = posted,
    };
    trip->at = (uint32_t)now;
    trip->home = self->home;
    trip->site = ts_check_site_of(&self->sites, &site);
    trip->noc = (uint8_t)noc;
    trip->id = (uint8_t)id;
    trip->posted = posted;
    trip->detail = TS_TOUCH_REQUEST(channel, core);
    ts_pairs_issued(self, trip, phase);
    return trip;
}

struct ts_check_trip *ts_check_trip_hold(struct ts_check_trip *self)
{
    if (self)
        atomic_fetch_add_explicit(&self->holders, 1, memory_order_relaxed);
    return self;
}

void ts_check_trip_drop(struct ts_check_trip *self)
{
    if (self == NULL || atomic_fetch_sub_explicit(&self->holders, 1, memory_order_acq_rel) != 1)
        return;
    ts_vclock_drop(self->known.clock);
    ts_vclock_drop(self->news);
    free(self);
}

void ts_check_asks(struct ts_check *self, struct ts_check_trip *trip, bool reads, uint64_t address,
                   uint32_t target, bool loop)
{
    if (trip == NULL)
        return;
    const unsigned core = trip->detail >> 4;
    trip->polls = loop ||
                  (reads && self->asked[core].read && self->asked[core].address == address &&
                   self->asked[core].target == target);
    // Writes to one tile over two static channels.
    if (self->sites.list[trip->site].how == TS_HOW_WRITE && (trip->detail & 15) < 8) {
        const unsigned channel = trip->detail & 15, noc = trip->noc;
        if (self->asked[core].sent[noc].target == target + 1 &&
            self->asked[core].sent[noc].channel != channel) {
            trip->known.lane |= TS_LANE_CROSSED;
            trip->known.self[2] = TS_ACTOR_NOBODY;
        }
        self->asked[core].sent[noc].target = target + 1;
        self->asked[core].sent[noc].channel = (uint8_t)channel;
    }
    self->asked[core].read = reads;
    self->asked[core].address = address;
    self->asked[core].target = target;
}

// Somebody polls a word over the NoC. False: it has nothing to tell.
static bool shows(struct ts_check *self, uint32_t address)
{
    struct ts_check_word *word = self->shadow[TS_OBJECT_L1].pages
                                     ? ts_check_polled(self, address)
                                     : ts_check_word_make(&self->words, address);
    if (word == NULL)
        return false;
    word->sync = true;
    for (unsigned i = 0; i < word->releases.count; i++)
        ts_vclock_release(
            &self->shown, self->home,
            &(struct ts_known){.clock = word->releases.list[i].clock, .self = {TS_ACTOR_NOBODY}},
            true);
    return word->releases.count;
}

struct ts_check_trip *ts_check_answer(struct ts_check *self, struct ts_check_trip *trip,
                                      uint64_t address, uint32_t length, ts_cycle now)
{
    const enum ts_check_object object = ts_check_requested(self);
    if (trip == NULL || !trip->polls || length > ts_check_flag_bytes(object) ||
        address + length > self->shadow[object].bytes)
        return trip;
    bool any = false;
    for (uint64_t at = address & ~UINT64_C(3); at < address + length; at += 4)
        any |= shows(self, (uint32_t)at);
    struct ts_check_trip *to = any ? malloc(sizeof *to) : NULL;
    if (to == NULL)
        return trip;
    memcpy(to, trip, sizeof *to);
    atomic_init(&to->holders, 1);
    ts_vclock_hold(to->known.clock);
    to->news = ts_vclock_hold(self->shown);
    to->news_at = (uint32_t)now;
    ts_check_trip_drop(trip);
    return to;
}

void ts_check_noc(struct ts_check *self, const struct ts_check_trip *trip,
                  enum ts_actor_phase phase, enum ts_check_how how, uint64_t address,
                  uint32_t length)
{
    const enum ts_check_object object = ts_check_requested(self);
    if (trip == NULL)
        return;
    if (object == TS_OBJECT_L1 && how != TS_HOW_READ)
        ts_check_overlay_store(self, address, &trip->known);
    uint8_t actor = trip->posted && phase == TS_PHASE_SENT ? TS_ACTOR_POSTED_SENT(trip->noc)
                    : trip->posted && phase == TS_PHASE_ACKED
                        ? TS_ACTOR_POSTED_LANDED(trip->noc)
                        : TS_ACTOR_NOC(trip->noc, phase, trip->id);
    struct ts_check_access access = {.known = &trip->known,
                                     .mark = {.at = trip->at,
                                              .home = trip->home,
                                              .site = trip->site,
                                              .actor = actor,
                                              .detail = trip->detail},
                                     .object = object,
                                     .how = how,
                                     .address = address,
                                     .length = length,
                                     .polls = trip->polls};
    const bool slow = object == TS_OBJECT_L1 && ts_check_slow_request(self, &access);
    if (slow || address + length <= self->shadow[object].bytes)
        ts_check_access(self, &access);
    if (address + length > self->shadow[object].bytes)
        return;
    if (trip->news && how == TS_HOW_WRITE)
        ts_vclock_release(&self->answers, self->home,
                          &(struct ts_known){.clock = trip->news,
                                             .at = trip->news_at,
                                             .lane = TS_LANE_SHOWN,
                                             .self = {TS_ACTOR_NOBODY}},
                          true);
    if (how == TS_HOW_READ || phase == TS_PHASE_READ)
        return;
    // Payload, then flag, over one static channel: the flag says that the payload is there, if not strict.
    struct ts_known known = trip->known;
    if (phase == TS_PHASE_ACKED)
        known.lane |= trip->posted ? TS_LANE_SENT_POSTED : TS_LANE_SENT(trip->id);
    if (phase == TS_PHASE_ACKED && (trip->detail & 15) < 8 && !self->options.strict &&
        !(known.lane & TS_LANE_CROSSED)) {
        known.self[1] = actor;
        known.lane |= trip->posted ? TS_LANE_BEHIND_POSTED : TS_LANE_BEHIND(trip->id);
    }
    ts_check_leave(self, object, address, length, &known, how == TS_HOW_ATOMIC);
    struct ts_check_word *word = how == TS_HOW_ATOMIC
                                     ? ts_check_word_find(&self->words, (uint32_t)address & ~3u)
                                     : NULL;
    if (word)
        word->atomic = (struct ts_check_place){trip->home, trip->site, trip->at};
}
