// Commands of Ethernet queues: what they access at both ends of a link, and what they bring; see check.h.
//
// Packets of a queue arrive in order: who knows that a packet has landed knows that the packets before it have landed, and that their
// sources have been read. Nothing at the sender's end says so: a packet that is not acknowledged is read again.
//
// Source: BlackholeA0/EthernetTile/EthernetTxRx.md.
// Inaccuracies: a load of a counter of an RX queue brings all that has come, whatever its value is compared with. What a
// transfer of at most 16 bytes writes counts as a flag or counter once a core has loaded it twice (check.h).
#include "platform/check/accesses.h"

#include "platform/kernel/cluster.h"

#define FLAG_BYTES 16u // the last ones of a transfer may be its flag

struct ts_check_trip *ts_check_command(struct ts_check *self, unsigned core, uint32_t pc,
                                       unsigned queue, uint32_t length, ts_cycle now)
{
    struct ts_check_trip *trip = core < TS_ACTOR_CORES ? calloc(1, sizeof *trip) : NULL;
    if (trip == NULL)
        return NULL;
    atomic_init(&trip->holders, 1);
    trip->known = ts_check_known_core(self, core, TS_REGION_ETH, now);
    trip->known.self[2] = TS_ACTOR_ETH(queue, TS_ETH_PHASE_ISSUE);
    trip->known.lane = TS_LANE_ETH(core, queue);
    ts_vclock_hold(trip->known.clock);
    const struct ts_check_site site = {.pc = pc,
                                       .actor = TS_ACTOR_ETH(queue, TS_ETH_PHASE_SENT),
                                       .core = (uint8_t)core,
                                       .how = TS_HOW_WRITE,
                                       .detail = length <= FLAG_BYTES};
    trip->at = (uint32_t)now;
    trip->home = self->home;
    trip->site = ts_check_site_of(&self->sites, &site);
    trip->noc = (uint8_t)queue;
    trip->detail = TS_TOUCH_REQUEST(8, core);
    return trip;
}

void ts_check_eth(struct ts_check *self, const struct ts_check_trip *trip, enum ts_actor_eth phase,
                  uint64_t address, uint32_t length, bool last)
{
    if (trip == NULL)
        return;
    const bool lands = phase == TS_ETH_PHASE_LANDED;
    if (lands)
        ts_vclock_release(&self->arrived[trip->noc], self->home, &trip->known, true);
    if (address + length > self->shadow[TS_OBJECT_L1].bytes) { // a register
        ts_check_overlay_store(self, address, &trip->known);
        return;
    }
    ts_check_access(self,
                    &(struct ts_check_access){.known = &trip->known,
                                              .mark = {.at = trip->at,
                                                       .home = trip->home,
                                                       .site = trip->site,
                                                       .actor = TS_ACTOR_ETH(trip->noc, phase),
                                                       .detail = trip->detail},
                                              .object = TS_OBJECT_L1,
                                              .how = lands ? TS_HOW_WRITE : TS_HOW_READ,
                                              .address = address,
                                              .length = length});
    if (!lands)
        return;
    // The last bytes of a transfer come last: they may say that the others are there, if not strict.
    const bool flag = length <= FLAG_BYTES;
    if (!flag && (!last || self->options.strict))
        return;
    const uint64_t from = flag ? address : address + length - FLAG_BYTES;
    ts_check_leave(self, TS_OBJECT_L1, from, (uint32_t)(address + length - from), &trip->known,
                   false);
    for (uint64_t at = from; flag && at < address + length; at += 4) {
        struct ts_check_word *word = ts_check_word_find(&self->words, (uint32_t)at);
        if (word)
            word->flag = true;
    }
}

void ts_check_eth_seen(struct ts_check *self, unsigned core, unsigned queue, ts_cycle now)
{
    ts_check_acquire_core(self, core, self->arrived[queue], now);
}

void ts_check_eth_through(struct ts_check *self, unsigned core, unsigned queue,
                          enum ts_actor_eth phase, ts_cycle now)
{
    for (unsigned i = 0; i <= (unsigned)phase; i++)
        ts_check_learn(self, core, TS_ACTOR_ETH(queue, i), (uint32_t)now, now);
}

// --- from process to process ---

void ts_check_trip_pack(const struct ts_check_trip *self, struct ts_bytes *to)
{
    memcpy(ts_bytes_more(to, sizeof *self), self, sizeof *self);
    ts_vclock_pack(self->known.clock, to);
}

struct ts_check_trip *ts_check_trip_unpack(const void *bytes, uint32_t length)
{
    struct ts_check_trip *self = length > sizeof *self ? malloc(sizeof *self) : NULL;
    if (self == NULL)
        return NULL;
    memcpy(self, bytes, sizeof *self);
    atomic_init(&self->holders, 1);
    self->news = NULL;
    self->known.clock = ts_vclock_unpack((const unsigned char *)bytes + sizeof *self,
                                         length - (uint32_t)sizeof *self);
    if (self->known.clock)
        return self;
    free(self);
    return NULL;
}
