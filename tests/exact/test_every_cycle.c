// An access at every cycle around the words that it concerns: registers of a MOP expander while its words wait in the stages,
// the configuration around words that read and write it, a soft reset in the middle of stalls, the status of the front ends.
// By a component before the tile's own (as a core) and by one behind them: the same bytes fast and step by step, two cycles
// later and at the end.
#include "platform/base/hash.h"
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/hooks.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define OP(name) ((uint32_t)TS_OP_##name << 24)
#define WORDS    40
#define END      400 // cycles of a run
#define CYCLES   70  // the access comes at each of the first cycles
#define SAMPLE   24  // cycles of a row, without tests/run --all
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
enum { ON_SCALAR = 1, ON_MATRIX = 16, ON_CFG = 1 << 12, PLAIN = 180, BASE = 76, DST_BASE = 6 };

struct world {
    struct actor {
        struct ts_component component;
        struct world *world;
    } first, last; // in the order of a cycle
    struct ts_tile *tile;
    const struct row *row;
    unsigned thread, way, pushed;
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

static bool look(struct world *self, ts_cycle now)
{
    struct ts_rv_reply reply = {0};
    const unsigned core = TS_RV_TRISC0 + self->thread;
    const uint32_t seen = self->way < 2 ? ts_tile_status(self->tile, core, self->way, now, now)
                                        : ts_tile_load(self->tile, core,
                                                       self->way == 2 ? 0xffe80004u : 0xffe80008u,
                                                       4, now, &reply);
    self->seen = ts_hash_word(self->seen, seen);
    return true;
}

static const struct row {
    const char *name;
    bool (*act)(struct world *self, ts_cycle now); // false: again in the next cycle
    unsigned thread;
    uint32_t mop[TS_MOP_CFG_WORDS]; // registers of the MOP expander; words below
    uint32_t words[WORDS];
} rows[] = {
    // SCALAR closes the gate: FIFOs fill up to the MOP expander.
    {"MOP registers, back-pressure",
     rewrite_mop,
     1,
     {2, 5, OP(NOP), SETRWC, OP(NOP), ADD(8u), OP(NOP), ADD(10u), ADD(12u)},
     {MOP, ADD(14u), MOP, OP(NOP), MOP, SETRWC, MOP, ADD(9u), MOP, OP(NOP), MOP, MOP}},
    {"MOP registers, REPLAYs",
     rewrite_mop,
     1,
     {3, 2, OP(NOP), ADD(8u), OP(NOP), REPLAY(0u, 4u, 0u), OP(NOP), REPLAY(1u, 3u, 0u),
      REPLAY(2u, 2u, 0u)},
     {REPLAY(0u, 4u, 1u), SETRWC, ADD(9u), OP(NOP), WRCFG(9u, PLAIN), MOP, OP(NOP), MOP, MOP,
      OP(MOP_CFG) | 3, MOP, SETRWC}},
    {"configuration",
     configure,
     0,
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
      OP(NOP)}},
    {"soft reset",
     reset,
     1,
     {1, 4, OP(NOP), SETRWC, OP(NOP), OP(ZEROACC) | 2u << 19, OP(NOP), OP(ZEROACC) | 2u << 19,
      OP(NOP)},
     {ADD(8u), STALLWAIT(0x1ffu, ON_SCALAR), ADD(9u), MOP, STALLWAIT(0x40u, ON_MATRIX), SETRWC,
      WRCFG(9u, PLAIN), MOP, ADD(10u), STALLWAIT(0x80u, ON_SCALAR | ON_CFG), WRCFG(10u, BASE),
      OP(SFPLOAD) | 1u << 20, OP(SFPMAD), OP(SFPSTORE) | 1u << 20, ADD(11u), MOP, OP(NOP)}},
    {"status",
     look,
     1,
     {2, 3, OP(NOP), SETRWC, OP(NOP), OP(ZEROACC) | 2u << 19, OP(NOP), ADD(8u), OP(NOP)},
     {MOP, STALLWAIT(0x1ffu, ON_MATRIX | ON_SCALAR), ADD(8u), WRCFG(8u, PLAIN), MOP, SETC16(5u, 3),
      RDCFG(9u, PLAIN), OP(SFPLOAD) | 1u << 20, OP(SFPMAD), MOP, ADD(9u), OP(NOP)}},
};
#define ROWS (int)(sizeof rows / sizeof *rows)

static ts_step actor_step(struct ts_component *component, ts_cycle now)
{
    struct actor *self = (struct actor *)component;
    struct world *world = self->world;
    struct ts_hold hold;
    if (now >= world->at && !world->done && world->behind == (self == &world->last))
        world->done = world->row->act(world, now);
    while (self == &world->first && world->pushed < WORDS && world->row->words[world->pushed] &&
           ts_frontend_push(&world->tile->front[world->thread], &world->row->words[world->pushed],
                            1, now, &hold))
        world->pushed++;
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

static struct outcome run(const struct row *row, ts_cycle at, bool behind, unsigned way, bool fast)
{
    struct ts_error error = {0};
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_domain *domain = ts_domain_new(kernel, "tile");
    struct ts_tile_config config = ts_tile_config_default();
    struct world world = {
        .row = row, .thread = row->thread, .way = way, .at = at, .behind = behind};
    config.run_ahead = config.park = fast;
    world.first.world = world.last.world = &world;
    ts_component_init(&world.first.component, &actor_ops, domain, "first");
    world.tile = ts_tile_new(domain, &config, &error);
    ck_assert_ptr_nonnull(world.tile);
    ts_component_init(&world.last.component, &actor_ops, domain, "last");
    ck_assert_msg(ts_kernel_elaborate(kernel, &error) == TS_OK, "%s", error.text);
    struct ts_frontend *front = &world.tile->front[row->thread];
    for (unsigned i = 0; i < TS_MOP_CFG_WORDS; i++)
        ts_mop_configure(&front->mop, i, row->mop[i]);
    struct outcome outcome;
    struct ts_run end = ts_kernel_run(kernel, at + 2);
    ck_assert_msg(end.stop != TS_STOP_FAULT, "%s", end.error.text);
    outcome.soon = hash_of(&world, kernel, end.cycle);
    end = ts_kernel_run(kernel, END);
    ck_assert_msg(end.stop != TS_STOP_FAULT, "%s", end.error.text);
    outcome.end = hash_of(&world, kernel, end.cycle);
    outcome.passed = front->dispatched;
    ts_tile_free(world.tile);
    ts_kernel_free(kernel);
    return outcome;
}

START_TEST(fast_and_step_by_step)
{
    const struct row *row = &rows[_i];
    const unsigned step = suite_every_case() ? 1 : CYCLES / SAMPLE + 1;
    uint64_t passed = 0, ends = 0, before = 0;
    for (ts_cycle at = 1 + (ts_cycle)_i % step; at < CYCLES; at += step)
        for (unsigned kind = 0; kind < 2 * WAYS; kind++) {
            const unsigned way = kind / 2;
            struct outcome fast = run(row, at, kind & 1, way, true),
                           slow = run(row, at, kind & 1, way, false);
            ck_assert_msg(fast.soon == slow.soon && fast.end == slow.end,
                          "%s: cycle %u, way %u%s: differs %s", row->name, (unsigned)at, way,
                          kind & 1 ? ", behind the tile" : "",
                          fast.soon == slow.soon ? "at the end" : "at once");
            passed += fast.passed;
            ends += fast.end != before;
            before = fast.end;
        }
    // The words pass, and the cycle of the access matters.
    ck_assert_uint_gt(passed, 8 * CYCLES / step * 2 * WAYS);
    ck_assert_uint_gt(ends, CYCLES / step);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, fast_and_step_by_step, 0, ROWS);
}

SUITE("every_cycle", add_tests)
