#include "cores/pto/ring.h"

#include "platform/kernel/domain.h"

const char *const ts_direction_names[] = {
#define TS_PIPE_DIRECTION(id, name, ...) name,
#include "config/tpipe.def"
    NULL};

const char *const ts_split_names[] = {"no_split",    "up_down",        "left_right",
                                      "up_down_odd", "left_right_odd", NULL};
const char *const ts_fifo_names[] = {"gm", "vec", "mat", "ctrl", NULL};

const char *const ts_variant_names[] = {
#define TS_PIPE_VARIANT(id, name, ...) name,
#include "config/tpipe.def"
    NULL};

const char *const ts_layout_names[] = {
#define TS_PIPE_LAYOUT(id, name, text) name,
#include "config/tpipe.def"
    NULL};

const char *const ts_published_names[] = {
#define TS_PIPE_PUBLISHED(id, name, text) name,
#include "config/tpipe.def"
    NULL};

const char *ts_published_text(enum ts_published what)
{
    static const char *const texts[] = {
#define TS_PIPE_PUBLISHED(id, name, text) text,
#include "config/tpipe.def"
    };
    return texts[what];
}

// --- rules ---

uint32_t ts_ring_period(const struct ts_ring_config *config)
{
    return config->slots <= 2 ? config->slots : config->slots / 2;
}

static bool is_sparse(const struct ts_ring_config *config)
{
    static const bool sparse[] = {
#define TS_PIPE_VARIANT(id, name, sparse, ...) sparse,
#include "config/tpipe.def"
    };
    return sparse[config->variant];
}

bool ts_ring_waits(const struct ts_ring_config *config, uint32_t index)
{
    if (is_sparse(config))
        return index >= config->slots && index % ts_ring_period(config) == 0;
    return true;
}

bool ts_ring_notifies(const struct ts_ring_config *config, uint32_t index)
{
    if (is_sparse(config))
        return (index + 1) % ts_ring_period(config) == 0;
    return config->variant != TS_VARIANT_G;
}

// Variant H: the first tiles wait for no credit, so a local ring without split needs none.
static bool keeps_window(const struct ts_ring_config *config)
{
    return config->no_split && config->direction < TS_DIR_C2V_GM;
}

uint32_t ts_ring_initial(const struct ts_ring_config *config)
{
    switch (config->variant) {
#define TS_PIPE_VARIANT(id, name, sparse, switches, initial, drain) \
    case TS_VARIANT_##id:                                           \
        return initial;
#include "config/tpipe.def"
    }
    return 0;
}

// Credits the consumer gives for `pushes` tiles, less the waits the pushes made.
static uint32_t pending(const struct ts_ring_config *config, uint32_t pushes)
{
    uint32_t period = ts_ring_period(config), waits = 0, credits = pushes / period;
    if (pushes > config->slots) // multiples of P in [S, pushes - 1]
        waits = (pushes - 1) / period - (config->slots + period - 1) / period + 1;
    return credits > waits ? credits - waits : 0;
}

uint32_t ts_ring_drain(const struct ts_ring_config *config, uint32_t pushes)
{
    switch (config->variant) {
#define TS_PIPE_VARIANT(id, name, sparse, switches, initial, drain) \
    case TS_VARIANT_##id:                                           \
        return drain;
#include "config/tpipe.def"
    }
    return 0;
}

bool ts_ring_switch_default(const struct ts_ring_config *config)
{
    static const bool on[] = {
#define TS_PIPE_VARIANT(id, name, sparse, switches, ...) switches,
#include "config/tpipe.def"
    };
    return on[config->variant];
}

// Bit 0: from Cube to Vector, bit 1: from Vector to Cube.
static const uint8_t rings[] = {
#define TS_PIPE_DIRECTION(id, name, c2v, v2c) (c2v) | (v2c) << 1,
#include "config/tpipe.def"
};

bool ts_direction_has(enum ts_direction_type direction, bool c2v)
{
    return rings[direction] >> !c2v & 1;
}

bool ts_direction_both(enum ts_direction_type direction)
{
    return rings[direction] == 3;
}

bool ts_ring_both_gm_published(const struct ts_ring_config *config)
{
    return config->direction == TS_DIR_BOTH_GM &&
           ts_ring_as_published(config, TS_PUBLISHED_BOTH_GM);
}

uint64_t ts_ring_gm_bytes(const struct ts_ring_config *config)
{
    bool two = ts_direction_both(config->direction) && !ts_ring_both_gm_published(config);
    return (uint64_t)config->slots * config->slot_size * (two ? 2 : 1);
}

static enum ts_ring_path path_of(const struct ts_ring_config *config, enum ts_profile profile,
                                 bool c2v)
{
    if (config->direction == TS_DIR_V2C_CTRL)
        return TS_PATH_CTRL;
    if (profile == TS_PROFILE_A2A3 || config->direction >= TS_DIR_C2V_GM)
        return TS_PATH_GM;
    return c2v ? TS_PATH_UB : TS_PATH_L1;
}

enum ts_ring_path ts_ring_path(const struct ts_ring_config *config, enum ts_profile profile)
{
    return path_of(config, profile, ts_direction_has(config->direction, true));
}

uint64_t ts_ring_local_bytes(const struct ts_ring_config *config, enum ts_profile profile)
{
    enum ts_ring_path path = ts_ring_path(config, profile);
    if (path == TS_PATH_CTRL)
        return 0;
    return (uint64_t)(path == TS_PATH_GM ? config->local_slots : config->slots) * config->slot_size;
}

// --- construction ---

// The V2C half of a bidirectional GM pipe lies after the C2V half.
static void place_halves(struct ts_ring *self)
{
    const struct ts_ring_config *config = self->config;
    bool second = ts_direction_both(config->direction) && !self->c2v && self->path == TS_PATH_GM &&
                  !ts_ring_both_gm_published(config);
    self->prod[TS_CORE_AIV0].offset = self->prod[TS_CORE_AIV1].offset =
        self->cons[TS_CORE_AIC].offset = second ? config->slots * config->slot_size : 0;
}

void ts_ring_init(struct ts_ring *self, struct ts_domain *domain,
                  const struct ts_ring_config *config, enum ts_profile profile, bool c2v,
                  struct ts_findings *findings)
{
    bool both = ts_direction_both(config->direction);
    unsigned pairs = config->variant == TS_VARIANT_E ? config->slots : 1;
    self->config = config;
    self->findings = findings;
    self->exists = true;
    self->c2v = c2v;
    self->path = path_of(config, profile, c2v);
    self->ready = (uint8_t)(config->flag + (both && !c2v ? 2 * pairs : 0));
    self->free = (uint8_t)(self->ready + pairs);
    // On A5 a pipe without split reaches AIV0 only, a TMPipe the AIVs of its ratio; on A2/A3 the
    // flags make both AIVs take part.
    bool a5 = profile == TS_PROFILE_A5;
    bool by_ratio = a5 && config->tmpipe && config->ratio < 2 &&
                    !ts_ring_as_published(config, TS_PUBLISHED_VC_RATIO);
    bool one = (a5 && config->no_split && !config->tmpipe) || by_ratio;
    self->first_aiv = by_ratio ? config->ratio : 0;
    self->writers = c2v ? 1 : one ? 1 : 2;
    self->readers = c2v ? one ? 1 : 2 : 1;
    place_halves(self);
    ts_resource_init(&self->object, domain, NULL, "ring[%s%s]", config->name,
                     both ? (c2v ? ".c2v" : ".v2c") : "");
}

// Ids wrap at 16: the free flag of FlagID 15 is id 0.
static unsigned flag_of(const struct ts_ring *self, unsigned first, uint32_t index)
{
    bool each = self->config->variant == TS_VARIANT_E;
    return (first + (each ? index % self->config->slots : 0)) % TS_FLAG_AIV1;
}

unsigned ts_ring_ready_flag(const struct ts_ring *self, uint32_t index)
{
    return flag_of(self, self->ready, index);
}

unsigned ts_ring_free_flag(const struct ts_ring *self, uint32_t index)
{
    return flag_of(self, self->free, index);
}

bool ts_ring_takes_part(const struct ts_ring *self, unsigned core)
{
    unsigned aivs = self->c2v ? self->readers : self->writers;
    if (core == TS_CORE_AIC || !self->config->tmpipe)
        return true;
    return core >= TS_CORE_AIV0 + self->first_aiv && core < TS_CORE_AIV0 + self->first_aiv + aivs;
}

// --- the slots ---

static const char *reader_name(const struct ts_ring *self, unsigned part)
{
    return ts_core_names[self->c2v ? TS_CORE_AIV0 + self->first_aiv + part : TS_CORE_AIC];
}

static struct ts_spot spot(const struct ts_ring *self, ts_cycle now)
{
    return (struct ts_spot){now, self->line, self->config->name};
}

static void account(struct ts_ring *self, ts_cycle now)
{
    const uint32_t filled = ts_ring_least(self->filled, self->writers),
                   closed = ts_ring_least(self->closed, self->readers),
                   occupancy = filled > closed ? filled - closed : 0;
    if (occupancy == self->occupancy)
        return;
    self->area += self->occupancy * (now - self->since);
    self->since = now;
    self->occupancy = occupancy;
    if (occupancy > self->peak)
        self->peak = occupancy;
    ts_trace_count(&self->object, now, occupancy);
}

void ts_ring_write_start(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now)
{
    uint32_t slot = index % self->config->slots;
    uint32_t old = self->started[slot][part];
    self->push_line = self->line;
    self->started[slot][part] = index + 1;
    if (old == 0 || old == index + 1) // sub-tiles of one slot share the index
        return;
    for (unsigned reader = 0; reader < self->readers; reader++)
        if (self->read[slot][reader] < old)
            ts_finding_add(self->findings, TS_FINDING_OVERWRITE, spot(self, now),
                           "pipe %s: tile %u overwrites slot %u while tile %u is unread by %s",
                           self->config->name, index, slot, old - 1, reader_name(self, reader));
}

void ts_ring_write_end(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now)
{
    uint32_t slot = index % self->config->slots;
    self->written[slot][part] = index + 1;
    if (index + 1 > self->filled[part]) {
        self->filled[part] = index + 1;
        if (part == 0)
            self->pushes++;
    }
    account(self, now);
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
}

void ts_ring_read_start(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now)
{
    uint32_t slot = index % self->config->slots;
    self->opened[slot][part] = index + 1;
    self->pop_line = self->line;
    if (index + 1 > self->popped[part]) {
        self->popped[part] = index + 1;
        if (part == 0)
            self->pops++;
    }
    for (unsigned writer = 0; writer < self->writers; writer++) {
        uint32_t have = self->written[slot][writer];
        if (have == index + 1)
            continue;
        if (have < index + 1)
            ts_finding_add(self->findings, TS_FINDING_STALE_READ, spot(self, now),
                           "pipe %s: %s reads tile %u from slot %u before it is written",
                           self->config->name, reader_name(self, part), index, slot);
        else
            ts_finding_add(self->findings, TS_FINDING_STALE_READ, spot(self, now),
                           "pipe %s: %s reads tile %u from slot %u, which holds tile %u already",
                           self->config->name, reader_name(self, part), index, slot, have - 1);
        break;
    }
}

void ts_ring_read_end(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now)
{
    uint32_t slot = index % self->config->slots;
    self->read[slot][part] = index + 1;
    if (index + 1 > self->closed[part])
        self->closed[part] = index + 1;
    account(self, now);
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
}

void ts_ring_use(struct ts_ring *self, unsigned part, uint64_t offset, ts_cycle now)
{
    uint32_t slot = (uint32_t)(offset / self->config->slot_size);
    if (slot >= self->config->slots || self->opened[slot][part] > self->read[slot][part])
        return;
    ts_finding_add(self->findings, TS_FINDING_STALE_READ, spot(self, now),
                   "pipe %s: %s uses slot %u %s", self->config->name, reader_name(self, part), slot,
                   self->opened[slot][part] ? "after it was freed"
                                            : "before a pipe has waited for its tile");
}

void ts_ring_credit(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now)
{
    if (part == 0)
        self->credits++;
    if (self->notified[part] >= index + 1)
        ts_finding_add(self->findings, TS_FINDING_DOUBLE_FREE, spot(self, now),
                       "pipe %s: %s gives a second credit for the slots up to tile %u",
                       self->config->name, reader_name(self, part), index);
    else if (self->closed[part] < index + 1)
        ts_finding_add(self->findings, TS_FINDING_PREMATURE_FREE, spot(self, now),
                       "pipe %s: %s gives the credit for tile %u, but has finished only %u tiles",
                       self->config->name, reader_name(self, part), index, self->closed[part]);
    if (index + 1 > self->notified[part])
        self->notified[part] = index + 1;
}

// --- variant G ---

bool ts_ring_has_room(const struct ts_ring *self, uint32_t index)
{
    return index < ts_ring_least(self->closed, self->readers) + self->config->slots;
}

bool ts_ring_has_tile(const struct ts_ring *self, uint32_t index)
{
    return ts_ring_least(self->filled, self->writers) >= index + 1;
}

void ts_ring_restart(struct ts_ring *self, ts_cycle now)
{
    account(self, now);
    self->area += self->occupancy * (now - self->since);
    self->since = now;
    memset(&self->prod, 0,
           offsetof(struct ts_ring, occupancy) + sizeof self->occupancy -
               offsetof(struct ts_ring, prod));
    place_halves(self);
}
