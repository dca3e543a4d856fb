#include "platform/ttsim/clock.h"

#include "cores/riscv/walk.h"
#include "platform/lib/inside.h"
#include "platform/tile/watchdog.h"

#define SEARCH 0x14000u // cycles in which a hang is looked for, also a loop with a delay

void ts_clock_init(struct ts_clock *self, struct tensim *sim, uint64_t quantum, uint64_t patience,
                   uint64_t limit)
{
    *self = (struct ts_clock){
        .sim = sim, .quantum = quantum, .patience = patience, .limit = limit, .power = 1};
}

// --- what the host waits for ---

static bool same(const struct ts_polled *a, const struct ts_polled *b)
{
    return a->chip == b->chip && a->at.x == b->at.x && a->at.y == b->at.y &&
           a->address == b->address;
}

static void forget_polls(struct ts_clock *self)
{
    self->since = self->polls = 0;
    self->power = 1;
    self->cyclic = false;
}

// A read belongs to a round of polls if it comes back to the anchor before it moves on.
static void count_read(struct ts_clock *self, const struct ts_polled *place)
{
    self->polls += self->cyclic;
    if (self->power > 1 && same(place, &self->anchor)) {
        self->cyclic = true;
        self->since = 0;
    } else if (++self->since >= self->power) {
        self->anchor = *place;
        self->power *= 2;
        self->since = self->polls = 0;
        self->cyclic = false;
    }
}

void ts_clock_saw(struct ts_clock *self, const struct ts_access *access)
{
    if (access->read == NULL) {
        self->written = true;
        forget_polls(self);
        return;
    }
    self->looked = self->has_last = true;
    self->last = (struct ts_polled){access->chip, access->at, access->target & ~3ull};
    count_read(self, &self->last);
}

// --- steps ---

static void follow_polled(struct ts_clock *self)
{
    const struct ts_tile *tile = NULL;
    if (self->has_last && tensim_choose_chip(self->sim, self->last.chip, NULL) == TENSIM_OK)
        tile = ts_lib_tile(self->sim, self->last.at, NULL);
    if (tile && self->last.address < tile->l1_size)
        tensim_follow(self->sim, self->last.at, (uint32_t)self->last.address, NULL);
    else
        tensim_unfollow(self->sim);
}

static enum tensim_code step(struct ts_clock *self, struct tensim_error *error)
{
    uint64_t now = tensim_cycle(self->sim), left = self->limit - now;
    bool last = left <= self->quantum;
    follow_polled(self);
    enum tensim_code code = ts_capture_before(self->capture, error);
    if (code == TENSIM_OK)
        code = tensim_run_for(self->sim, last ? left : self->quantum, error);
    if (code == TENSIM_OK)
        code = ts_capture_after(self->capture, error);
    self->written = false;
    if (code == TENSIM_OK && tensim_cycle(self->sim) >= self->limit)
        return ts_card_fail(error, TENSIM_LIMIT, "cycle limit %llu reached",
                            (unsigned long long)self->limit);
    if (tensim_stopped(self->sim) == TENSIM_STOP_CONDITION)
        forget_polls(self);
    return code;
}

// Every core has ended: how. The first one at an ebreak is named.
static void put_ends(const struct tensim *sim, char *text, size_t size)
{
    snprintf(text, size, ": every core has ended, loops alone or is held in reset");
    for (const struct ts_object *o = ts_kernel_objects(sim->kernel); o; o = o->next) {
        const struct ts_component *component = ts_object_component(o);
        const struct ts_rv_core *core = component ? ts_core_of(component) : NULL;
        const struct ts_tile *tile = core ? core->bus->context : NULL;
        if (core && ts_rv_core_view(core).paused) {
            snprintf(text, size,
                     ": %s of %u-%u is at an ebreak, pc 0x%x (a failed ASSERT, or a "
                     "null pointer), and every other core has ended, too",
                     ts_rv_core_names[core->id], tile->x, tile->y, ts_rv_core_view(core).at);
            return;
        }
    }
}

// The host only polls: can anything on the card still change? If it can, the next search comes
// after twice as many polls.
static enum tensim_code search(struct ts_clock *self, struct tensim_error *error)
{
    struct tensim_error why = {0};
    uint64_t to = tensim_cycle(self->sim) + SEARCH;
    enum tensim_code code = tensim_run(self->sim, to < self->limit ? to : self->limit, &why);
    self->patience *= 2;
    if (code == TENSIM_LIMIT ||
        (self->has_last && !self->at_home && (self->last.address & ~15ull) == TS_RV_WALL_CLOCK))
        return TENSIM_OK;
    if (code != TENSIM_HANG && code != TENSIM_OK) {
        *error = why;
        return code;
    }
    char ended[200] = "";
    if (code == TENSIM_OK)
        put_ends(self->sim, ended, sizeof ended);
    if (!self->has_last || self->at_home)
        return ts_card_fail(error, TENSIM_HANG,
                            "the host waits, and nothing on the card can change%s", ended);
    char chip[24] = "";
    if (tensim_chips(self->sim) > 1)
        snprintf(chip, sizeof chip, "chip %u ", self->last.chip);
    return ts_card_fail(error, TENSIM_HANG,
                        "the host polls 0x%llx of %s%u-%u, and nothing on the card can change it%s "
                        "(--hang=0 in TENSIM_OPTIONS: wait for ever)",
                        (unsigned long long)self->last.address, chip, self->last.at.x,
                        self->last.at.y, ended);
}

enum tensim_code ts_clock_run(struct ts_clock *self, uint32_t steps, struct tensim_error *error)
{
    enum tensim_code code = TENSIM_OK;
    self->at_home = !self->looked; // the host looks at its own memory
    self->polls += self->at_home;
    self->looked = false;
    for (uint32_t i = 0; i < steps && code == TENSIM_OK; i++) {
        code = step(self, error);
        if (tensim_stopped(self->sim) == TENSIM_STOP_CONDITION)
            break;
    }
    if (code == TENSIM_OK && self->patience && self->polls >= self->patience)
        code = search(self, error);
    return code;
}

enum tensim_code ts_clock_let_act(struct ts_clock *self, struct tensim_error *error)
{
    if (!self->written)
        return TENSIM_OK;
    return step(self, error);
}
