// An access at every cycle around words that it may concern: each kind of access (registers of a MOP expander, configuration,
// GPRs, a semaphore, soft reset, a word of BRISC, status and TTSync) meets each scene of words (MOPs whose words wait in the
// stages, words that read and write configuration, stalls, MVMULs, vector words). By a component before the tile's own, as a
// core is, and by one behind them: the same bytes fast and step by step, two cycles later and at the end.
#include "platform/base/hash.h"
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/hooks.h"
#include "platform/tile/nodes.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define OP(name) ((uint32_t)TS_OP_##name << 24)
#define WORDS    40
#define END      400 // cycles of a run
#define CYCLES   70  // the access comes at each of the first cycles
#define SAMPLE   11  // without tests/run --all, one cycle of so many
#define WAYS     4   // what is stored

#define REPLAY(first, count, load) (OP(REPLAY) | (first) << 14 | (count) << 4 | (load))
#define MOP                        (OP(MOP) | 1u << 23)
#define STALLWAIT(block, on)       (OP(STALLWAIT) | (block) << 15 | (on))
#define ADD(gpr)                   (OP(ADDDMAREG) | 1u << 23 | (gpr) << 12 | 3u << 6 | (gpr))
#define WRCFG(gpr, word)           (OP(WRCFG) | (gpr) << 16 | (word))
#define RDCFG(gpr, word)           (OP(RDCFG) | (gpr) << 16 | (word))
#define RMWCIB(word, data)         (OP(RMWCIB0) | 0xffu << 16 | (data) << 8 | (word))
#define SETC16(word, data)         (OP(SETC16) | (word) << 16 | (data))
#define SETRWC                     (OP(SETRWC) | 0xf)
#define UNPACR(which)              (OP(UNPACR) | (which) << 23 | 1 << 7 | 1 << 6 | 1)
#define PACR(last)                 (OP(PACR) | (last))
#define RETURN                     (OP(CLEARDVALID) | 3u << 22) // the banks of Src
#define MVMUL(row)                 (OP(MVMUL) | (row))
#define SEMPOST(number)            (OP(SEMPOST) | 4u << (number))
#define SEMGET(number)             (OP(SEMGET) | 4u << (number))
#define SEMWAIT(block, number, on) (OP(SEMWAIT) | (block) << 15 | 4u << (number) | (on))
enum { ON_SCALAR = 1, ON_MATRIX = 16, ON_CFG = 1 << 12, PLAIN = 180, BASE = 76, DST_BASE = 6 };

struct world;

// Accesses. False: again in the next cycle.
struct act {
    const char *name;
    bool (*act)(struct world *self, ts_cycle now);
};

// What the thread's core pushes, and T2's, which wants some of the same units.
struct scene {
    const char *name;
    unsigned thread;
    bool dry;                       // without data
    uint32_t mop[TS_MOP_CFG_WORDS]; // registers of the MOP expander
    uint32_t words[WORDS], others[WORDS];
};

struct world {
    struct actor {
        struct ts_component component;
        struct world *world;
    } first, last; // in the order of a cycle
    struct ts_tile *tile;
    const struct scene *scene;
    const struct act *act;
    unsigned thread, way, pushed[2];
    ts_cycle at;
    bool behind, done; // the last one acts; it has acted
    uint64_t seen;
};

// An access of the thread's core. False: it must wait.
static bool stores(struct world *self, uint32_t address, uint32_t value, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    return ts_tile_store(self->tile, TS_RV_TRISC0 + self->thread, address, 4, &value, 1, now,
                         &reply) != TS_RV_WAIT;
}

static bool rewrite_mop(struct world *self, ts_cycle now)
{
    static const struct {
        uint32_t index, value;
    } stored[WAYS] = {{1, 1}, {5, SETRWC}, {3, OP(NOP)}, {0, 3}};
    return stores(self, 0xffb80000u + 4 * stored[self->way].index, stored[self->way].value, now);
}

static bool configure(struct world *self, ts_cycle now)
{
    static const uint32_t stored[WAYS] = {PLAIN, BASE, DST_BASE, 1};
    struct ts_rv_reply reply = {0};
    if (!stores(self, 0xffef0000u + 4 * stored[self->way], (uint32_t)self->at << 8, now))
        return false;
    ts_tile_load(self->tile, TS_RV_TRISC0, 0xffe00000u + 4 * 9, 4, now, &reply); // a GPR
    self->seen = ts_hash_word(self->seen, reply.value);
    return true;
}

// Of the thread's core, SCALAR, MATRIX and VECTOR, or all of them, for three cycles.
static bool reset(struct world *self, ts_cycle now)
{
    static const uint32_t held[WAYS] = {1 << 13, 1 << 9, 1 << 10, 1 << 13 | 1 << 9 | 1 << 10};
    if (now < self->at + 3) {
        if (now == self->at)
            ts_tile_soft_reset(self->tile, 0, held[self->way], now);
        return false;
    }
    ts_tile_soft_reset(self->tile, held[self->way], 0, now);
    return true;
}

static bool post(struct world *self, ts_cycle now)
{
    return stores(self, TS_AT_SEMAPHORES + 4 * (self->way & 2), self->way & 1, now);
}

static bool write_gpr(struct world *self, ts_cycle now)
{
    return stores(self, 0xffe00000u + 4 * (8 + self->way), (uint32_t)self->at << 4, now);
}

// Words of the MOP expander may be lost.
static bool push_brisc(struct world *self, ts_cycle now)
{
    static const uint32_t words[WAYS] = {OP(NOP), ADD(9u), REPLAY(0u, 8u, 0u), SETRWC};
    struct ts_hold hold;
    return ts_frontend_push_brisc(&self->tile->front[self->thread], words[self->way], now, &hold);
}

static bool look(struct world *self, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    const unsigned core = TS_RV_TRISC0 + self->thread;
    const uint32_t seen = self->way < 2
                              ? ts_tile_status(self->tile, core, self->way, now, now)
                              : ts_tile_load(self->tile, core,
                                             self->way == 2 ? TS_AT_TTSYNC : TS_AT_TTSYNC_MOP, 4,
                                             now, &reply);
    self->seen = ts_hash_word(self->seen, seen);
    return true;
}

// Somebody takes banks of L1, or a core looks at Dst.
static bool disturb(struct world *self, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    if (self->way < 2)
        reply.value = (uint32_t)(ts_tile_memory.begin(self->tile, 0, self->way, 0x20000, 256, now) -
                                 now);
    else if (self->way == 2)
        ts_tile_load(self->tile, TS_RV_TRISC1, 0xffbd8000u, 2, now, &reply);
    else
        stores(self, 0xffbd8000u, 0x12345678, now);
    self->seen = ts_hash_word(self->seen, reply.value);
    return true;
}

static const struct act acts[] = {
    {"MOP registers", rewrite_mop},
    {"configuration", configure},
    {"soft reset", reset},
    {"semaphore", post},
    {"GPR", write_gpr},
    {"a word of BRISC", push_brisc},
    {"status", look},
    {"L1 and Dst", disturb},
};
#define ACTS (int)(sizeof acts / sizeof *acts)

static const struct scene scenes[] = {
    // SCALAR closes the gate: FIFOs fill up to the MOP expander.
    {"MOPs, back-pressure",
     1,
     false,
     {2, 5, OP(NOP), SETRWC, OP(NOP), ADD(8u), OP(NOP), ADD(10u), ADD(12u)},
     {MOP, ADD(14u), MOP, OP(NOP), MOP, SETRWC, MOP, ADD(9u), MOP, OP(NOP), MOP, MOP},
     {0}},
    {"MOPs of REPLAYs",
     1,
     false,
     {3, 2, OP(NOP), ADD(8u), OP(NOP), REPLAY(0u, 4u, 0u), OP(NOP), REPLAY(1u, 3u, 0u),
      REPLAY(2u, 2u, 0u)},
     {REPLAY(0u, 4u, 1u), SETRWC, ADD(9u), OP(NOP), WRCFG(9u, PLAIN), MOP, OP(NOP), MOP, MOP,
      OP(MOP_CFG) | 3, MOP, SETRWC},
     {WRCFG(8u, PLAIN), ADD(9u), RDCFG(8u, BASE), WRCFG(9u, BASE)}},
    {"configuration",
     0,
     false,
     {0},
     {ADD(8u),
      WRCFG(8u, PLAIN),
      RDCFG(9u, PLAIN),
      RDCFG(10u, BASE),
      WRCFG(9u, BASE),
      SETC16(5u, 7),
      RMWCIB(PLAIN, 5u),
      RDCFG(11u, PLAIN),
      ADD(11u),
      WRCFG(11u, DST_BASE),
      RDCFG(12u, DST_BASE),
      STALLWAIT(0x80u, ON_CFG),
      WRCFG(12u, 1),
      RDCFG(13u, 1),
      RMWCIB(DST_BASE, 9u),
      RDCFG(14u, DST_BASE),
      ADD(14u),
      ADD(13u),
      RDCFG(15u, PLAIN),
      OP(NOP)},
     {RDCFG(8u, PLAIN), WRCFG(8u, BASE), RMWCIB(PLAIN, 3u), ADD(8u)}},
    {"stalls",
     1,
     false,
     {1, 4, OP(NOP), SETRWC, OP(NOP), OP(ZEROACC) | 2u << 19, OP(NOP), OP(ZEROACC) | 2u << 19,
      OP(NOP)},
     {ADD(8u),
      STALLWAIT(0x1ffu, ON_SCALAR),
      ADD(9u),
      MOP,
      STALLWAIT(0x40u, ON_MATRIX),
      SETRWC,
      WRCFG(9u, PLAIN),
      MOP,
      ADD(10u),
      STALLWAIT(0x80u, ON_SCALAR | ON_CFG),
      WRCFG(10u, BASE),
      SEMPOST(0u),
      SEMWAIT(0x40u, 0u, 1u),
      SETRWC,
      SEMGET(0u),
      OP(SFPLOAD) | 1u << 20,
      OP(SFPMAD),
      OP(SFPSTORE) | 1u << 20,
      ADD(11u),
      MOP,
      SEMWAIT(0x1ffu, 0u, 1u),
      OP(NOP),
      SETRWC},
     {ADD(8u), STALLWAIT(0x20u, ON_CFG), ADD(9u), SEMPOST(2u), SEMWAIT(0x20u, 2u, 1u), ADD(10u)}},
    {"MVMULs",
     1,
     true,
     {3, 2, OP(NOP), SETRWC, OP(NOP), REPLAY(0u, 8u, 0u), OP(NOP), REPLAY(0u, 8u, 0u),
      REPLAY(0u, 6u, 0u)},
     {OP(SETDVALID) | 3, REPLAY(0u, 8u, 1u), MVMUL(0u), MVMUL(8u), MVMUL(16u), MVMUL(24u),
      MVMUL(32u), MVMUL(40u), MVMUL(48u), MVMUL(56u), MOP, STALLWAIT(0x40u, ON_MATRIX),
      REPLAY(0u, 8u, 0u), SETRWC, MOP, OP(NOP), MOP},
     {ADD(8u), WRCFG(8u, DST_BASE), RDCFG(9u, DST_BASE), OP(ZEROACC) | 2u << 19}},
    {"vector words",
     1,
     true,
     {2, 2, OP(NOP), SETRWC, OP(NOP), REPLAY(0u, 6u, 0u), OP(NOP), REPLAY(0u, 6u, 0u),
      REPLAY(1u, 4u, 0u)},
     {REPLAY(0u, 6u, 1u), OP(SFPLOAD) | 1u << 20, OP(SFPMAD) | 1u << 4, OP(SFPMAD) | 2u << 4,
      OP(SFPNOP), OP(SFPMAD) | 3u << 4, OP(SFPSTORE) | 1u << 20, MOP, SETRWC, REPLAY(0u, 6u, 0u),
      MOP, STALLWAIT(0x100u, ON_SCALAR), REPLAY(2u, 3u, 0u), MOP, OP(NOP)},
     {ADD(8u), WRCFG(8u, PLAIN), OP(ZEROACC) | 2u << 19, ADD(9u)}},
    {"UNPACRs and PACRs",
     0,
     false,
     {2, 2, OP(NOP), RETURN, OP(NOP), UNPACR(0u), OP(NOP), UNPACR(1u), UNPACR(1u)},
     {SETC16(5u, 4), UNPACR(0u), UNPACR(1u), WRCFG(8u, BASE), RETURN, UNPACR(0u), UNPACR(1u),
      RETURN, MOP, STALLWAIT(8u, 2 | 4), UNPACR(1u), UNPACR(0u), WRCFG(9u, PLAIN), RETURN, OP(NOP)},
     {PACR(0u), PACR(0u), PACR(1u), STALLWAIT(4u, 8), PACR(0u), PACR(1u), ADD(8u), PACR(1u)}},
};
#define SCENES (int)(sizeof scenes / sizeof *scenes)

static ts_step actor_step(struct ts_component *component, ts_cycle now)
{
    struct actor *self = (struct actor *)component;
    struct world *world = self->world;
    struct ts_hold hold;
    if (now >= world->at && !world->done && world->behind == (self == &world->last))
        world->done = world->act->act(world, now);
    for (unsigned i = 0; self == &world->first && i < 2; i++) {
        const uint32_t *words = i ? world->scene->others : world->scene->words;
        unsigned *pushed = &world->pushed[i];
        while (*pushed < WORDS && words[*pushed] &&
               ts_frontend_push(&world->tile->front[i ? 2 : world->thread], &words[*pushed], 1, now,
                                &hold))
            ++*pushed;
    }
    return 1;
}

static const struct ts_component_ops actor_ops = {.kind = "actor", .step = actor_step};

static uint64_t hash_of(const struct world *self, const struct ts_kernel *kernel, ts_cycle end)
{
    const struct ts_tile *tile = self->tile;
    uint64_t hash = self->seen;
    for (struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        if (c == NULL)
            continue;
        struct ts_account account = ts_component_account(c, end);
        hash = ts_hash_word(hash, account.busy);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            hash = ts_hash_word(hash, account.lost[i]);
        for (const struct ts_counter *n = c->ops->counters; n && n->name; n++)
            hash = ts_hash_word(hash, *(const uint64_t *)((const char *)c + n->offset));
    }
    hash = ts_hash_bytes(hash, tile->tensix.cfg.bank, sizeof tile->tensix.cfg.bank);
    hash = ts_hash_bytes(hash, tile->tensix.cfg.thd, sizeof tile->tensix.cfg.thd);
    hash = ts_hash_bytes(hash, tile->tensix.streamed.rwc, sizeof tile->tensix.streamed.rwc);
    hash = ts_hash_bytes(hash, tile->tensix.deferred.gpr, sizeof tile->tensix.deferred.gpr);
    hash = ts_hash_bytes(hash, tile->tensix.reports, sizeof tile->tensix.reports);
    for (unsigned t = 0; t < TS_THREADS; t++)
        hash = ts_hash_word(
            ts_hash_bytes(hash, tile->front[t].passed, sizeof tile->front[t].passed),
            ts_frontend_status(&tile->front[t], true, end));
    return hash;
}

struct outcome {
    uint64_t soon, end; // hashes
    uint64_t passed;
};

// Formats, an unpacker's tile and the packer's strides.
static const struct {
    uint32_t word, value;
} configuration[] = {
    {1, 5u << 17 | 5u << 21 | 5u << 25},
    {12, 2 | 32u << 16},
    {24, 0xffff},
    {28, 16u << 8 | 1u << 16 | 1},
    {64, 5 | 1u << 4 | 256u << 16},
    {65, 1 | 4u << 16},
    {69, 0x2200},
    {70, 1 | 5 << 4 | 5 << 8},
    {72, 5},
    {73, 1},
    {76, 0x1fff},
    {84, 64},
    {86, 256},
    {112, 5 | 1u << 4 | 256u << 16},
    {113, 1 | 4u << 16},
    {120, 5},
    {121, 1},
    {124, 0x2fff},
};

static uint64_t run_to(struct world *self, struct ts_kernel *kernel, ts_cycle limit)
{
    struct ts_run run = ts_kernel_run(kernel, limit);
    uint64_t hash = hash_of(self, kernel, run.cycle);
    return ts_hash_bytes(ts_hash_word(hash, run.cycle), run.error.text, strlen(run.error.text));
}

static struct outcome run(const struct world *with, bool fast)
{
    struct ts_error error = {0};
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_domain *domain = ts_domain_new(kernel, "tile");
    struct ts_tile_config config = ts_tile_config_default();
    struct world world = *with;
    config.run_ahead = config.park = fast;
    config.timing_only = with->scene->dry;
    world.first.world = world.last.world = &world;
    world.thread = with->scene->thread;
    ts_component_init(&world.first.component, &actor_ops, domain, "first");
    world.tile = ts_tile_new(domain, &config, &error);
    ck_assert_ptr_nonnull(world.tile);
    world.tile->noc_flit = 64; // as on a chip
    ts_component_init(&world.last.component, &actor_ops, domain, "last");
    ck_assert_msg(ts_kernel_elaborate(kernel, &error) == TS_OK, "%s", error.text);
    struct ts_frontend *front = &world.tile->front[world.thread];
    for (unsigned i = 0; i < TS_MOP_CFG_WORDS; i++)
        ts_mop_configure(&front->mop, i, with->scene->mop[i]);
    for (unsigned i = 0; i < sizeof configuration / sizeof *configuration; i++)
        ts_cfg_write(&world.tile->tensix.cfg, 0, configuration[i].word, configuration[i].value,
                     false);
    world.tile->tensix.cfg.thd[2][37] = 4;
    struct outcome outcome;
    outcome.soon = run_to(&world, kernel, with->at + 2);
    outcome.end = run_to(&world, kernel, END);
    outcome.passed = front->dispatched;
    ts_tile_free(world.tile);
    ts_kernel_free(kernel);
    return outcome;
}

START_TEST(fast_and_step_by_step)
{
    const unsigned step = suite_every_case() ? 1 : SAMPLE;
    struct world with = {.scene = &scenes[_i / ACTS], .act = &acts[_i % ACTS]};
    uint64_t passed = 0, runs = 0;
    for (with.at = 1 + (ts_cycle)_i % step; with.at < CYCLES; with.at += step)
        for (unsigned kind = 0; kind < 2 * WAYS; kind++, runs++) {
            with.behind = kind & 1;
            with.way = kind / 2;
            struct outcome fast = run(&with, true), slow = run(&with, false);
            ck_assert_msg(fast.soon == slow.soon && fast.end == slow.end,
                          "%s, %s: cycle %u, way %u%s: differs %s", with.scene->name,
                          with.act->name, (unsigned)with.at, with.way,
                          with.behind ? ", behind the tile" : "",
                          fast.soon == slow.soon ? "at the end" : "at once");
            passed += fast.passed;
        }
    ck_assert_uint_gt(passed, 8 * runs); // words a run
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, fast_and_step_by_step, 0, SCENES * ACTS);
}

SUITE("every_cycle", add_tests)
