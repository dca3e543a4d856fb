// Promises (units/isa/promise.h) are exact: the same cycles, the same account of every component, the
// same reports and the same bytes whether front ends run ahead and promise words, or take one step
// a cycle. For kernels, and for three threads and two extra components (meddlers) that disturb each
// other's streams in every way.
#include "platform/base/hash.h"
#include "platform/kernel/domain.h"
#include "platform/tile/hooks.h"
#include "tests/job/kernel.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT UINT64_C(10000000)
#define SEEDS 300u

struct outcome {
    ts_cycle cycles; // of the kernel, if it was let run to its end
    uint64_t hash;   // of accounts and counters at the last cycle
    uint8_t *l1;
};

// Everything that the stats would say of the components.
static uint64_t accounts(const struct ts_kernel *kernel, ts_cycle span)
{
    uint64_t hash = 0;
    for (struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        if (c == NULL)
            continue;
        struct ts_account account = ts_component_account(c, span);
        hash = ts_hash_word(hash, account.busy);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            hash = ts_hash_word(hash, account.lost[i]);
        for (const struct ts_counter *n = c->ops->counters; n && n->name; n++)
            hash = ts_hash_word(hash, *(const uint64_t *)((const char *)c + n->offset));
    }
    return hash;
}

static struct outcome run(const struct ts_tile_config *config, const char *text, bool run_ahead,
                          ts_cycle limit)
{
    struct kernel_run self;
    ck_assert_msg(kernel_build(&self, config, text), "%s", self.error.text);
    for (unsigned t = 0; t < TS_THREADS; t++)
        self.job->tile->front[t].run_ahead = run_ahead;
    ck_assert_msg(kernel_start(&self), "%s", self.error.text);
    struct ts_run end = ts_work_run(self.work, limit);
    struct outcome outcome = {0, accounts(self.kernel, end.cycle), malloc(TS_L1_SIZE)};
    memcpy(outcome.l1, self.job->tile->l1.bytes, TS_L1_SIZE);
    if (limit == LIMIT) {
        ck_assert(ts_work_finish(self.work, &end, &self.error));
        ck_assert_msg(self.work->result.code == TS_OK, "%s", self.work->result.text);
        outcome.cycles = self.work->result.cycles;
    }
    kernel_free(&self);
    return outcome;
}

// To the end (the two may stop in different cycles then), and in full to a cycle in the middle.
static void compare(const struct ts_tile_config *config, const char *text, ts_cycle limit,
                    bool whole, ts_cycle *cycles)
{
    struct outcome ahead = run(config, text, true, limit), step = run(config, text, false, limit);
    ck_assert_uint_eq(ahead.cycles, step.cycles);
    if (!whole)
        ck_assert_uint_eq(ahead.hash, step.hash);
    ck_assert_int_eq(memcmp(ahead.l1, step.l1, TS_L1_SIZE), 0);
    free(ahead.l1);
    free(step.l1);
    *cycles = ahead.cycles;
}

static const struct {
    const char *kernel;
    uint32_t phases, throttle, perturb;
    uint64_t seed;
} rows[] = {
    {"matmul", 1, 0, 0, 0},  {"matmul", 2, 0, 0, 0},    {"matmul", 3, 0, 0, 0},
    {"matmul", 4, 0, 0, 0},  {"matmul", 2, 1, 0, 0},    {"matmul", 1, 3, 0, 0},
    {"matmul", 4, 5, 0, 0},  {"matmul", 1, 0, 16, 1},   {"matmul", 4, 0, 40, 2},
    {"matmul", 2, 2, 3, 3},  {"matmul", 4, 0, 2, 4},    {"eltwise", 4, 0, 0, 0},
    {"eltwise", 4, 0, 9, 5}, {"sfpu", 4, 0, 0, 0},      {"sfpu", 4, 0, 9, 6},
    {"reduce", 4, 0, 0, 0},  {"transpose", 4, 0, 0, 0}, {"gelu", 4, 0, 0, 0},
    {"gelu", 4, 0, 3, 7},
};

START_TEST(test_stream)
{
    const bool gelu = strcmp(rows[_i].kernel, "gelu") == 0; // its words wait for each other
    const bool product = strcmp(rows[_i].kernel, "matmul") == 0;
    struct ts_tile_config config = ts_tile_config_default();
    char text[160];
    size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                   gelu      ? "sfpu op=gelu"
                                   : product ? "matmul m=64 n=64 k=64"
                                   : strcmp(rows[_i].kernel, "eltwise") == 0 ? "eltwise op=mul"
                                                                             : rows[_i].kernel);
    if (rows[_i].phases > 1 && ts_word_index("matmul eltwise reduce", rows[_i].kernel) >= 0)
        used += (size_t)snprintf(text + used, sizeof text - used, " fidelity=%s",
                                 kernel_fidelities[rows[_i].phases]);
    if (rows[_i].throttle)
        snprintf(text + used, sizeof text - used, " throttle=%u", rows[_i].throttle);
    config.perturb_max = rows[_i].perturb;
    config.perturb_seed = rows[_i].seed;
    for (unsigned dry = 0; dry < 2; dry++) {
        ts_cycle cycles, none;
        config.timing_only = dry;
        compare(&config, text, LIMIT, true, &cycles);
        for (unsigned part = 3; part < 8; part++)
            compare(&config, text, cycles * part / 8 + part, false, &none);
    }
}
END_TEST

// ---- interference

#define OP(name) ((uint32_t)TS_OP_##name << 24)
#define WORDS    400

struct meddler {
    struct ts_component component;
    struct world *world;
    uint64_t random;
    bool calm; // pushes only
};

struct world {
    struct ts_tile *tile;
    struct meddler first, last; // in the order of a cycle
    uint32_t words[TS_THREADS][WORDS];
    unsigned pushed[TS_THREADS];
    uint64_t seen; // what the meddlers read
};

static uint32_t draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

// What a core or the NoC can do to a stream, or see of it.
static void meddle(struct meddler *self, ts_cycle now)
{
    struct world *world = self->world;
    struct ts_tile *tile = world->tile;
    uint32_t r = draw(&self->random), word = r >> 8;
    struct ts_rv_reply reply = {0};
    struct ts_hold hold;
    switch (r % 48) {
    case 0: // Dst through the window
        ts_tile_load(tile, TS_RV_TRISC1, 0xffbd8000u + (word & 0x3ffe), 2, now, &reply);
        world->seen = ts_hash_word(world->seen, reply.value);
        break;
    case 1:
        ts_tile_store(tile, TS_RV_TRISC1, 0xffbd8000u + (word & 0x3ffc), 4, &word, 1, now, &reply);
        break;
    case 2:
        world->seen = ts_hash_word(world->seen,
                                   ts_tile_status(tile, TS_RV_TRISC1, word & 1, now, now));
        break;
    case 3: // formats and bases; what has nothing to do with the matrix unit
        ts_cfg_unit_external_write(&tile->cfg, TS_BY_NOC, word % 8, word & 0x700, now);
        break;
    case 4:
        ts_cfg_unit_external_write(&tile->cfg, TS_BY_NOC, 90 + word % 8, word, now);
        break;
    case 5: // semaphore 1 counts for the lints
        ts_sync_riscv_write(&tile->sync, 1, word & 1, now);
        break;
    case 6:
        ts_tile_features(tile, (word & 1) << 11, now);
        break;
    case 7:
        tile->tensix.hooks.src_hand_over(tile->tensix.hooks.tile, 0, 3, now);
        break;
    case 8: // registers of a MOP expander
        ts_tile_store(tile, TS_RV_TRISC0 + word % 3, 0xffb80000u, 4, &(uint32_t){1 + word / 4 % 2},
                      1, now, &reply);
        break;
    case 9: // is the MOP expander done?
        world->seen = ts_hash_word(
            world->seen, ts_tile_load(tile, TS_RV_TRISC0 + word % 3, 0xffe80008u, 4, now, &reply));
        break;
    case 10: // a word of BRISC, if the MOP expander has none in that cycle
        ts_frontend_catch_up(&tile->front[1], now);
        if (!tile->front[1].mop.active && !tile->front[1].fifo_count)
            ts_frontend_push_brisc(&tile->front[1], OP(NOP), now, &hold);
        break;
    case 11: // the NoC takes banks of L1, now or soon
    case 12:
        world->seen = ts_hash_word(
            world->seen, ts_tile_memory.begin(tile, word & 1, word & 2, word & 0x3fff0,
                                              64 + (word >> 4 & 0x1fff), now + (word >> 18) % 3));
        break;
    default:
        break;
    }
}

static ts_step meddler_step(struct ts_component *component, ts_cycle now)
{
    struct meddler *self = (struct meddler *)component;
    struct world *world = self->world;
    struct ts_hold hold;
    for (unsigned t = 0; self == &world->first && t < TS_THREADS; t++) {
        unsigned count = 1 + draw(&self->random) % 4;
        if (world->pushed[t] + count <= WORDS &&
            ts_frontend_push(&world->tile->front[t], &world->words[t][world->pushed[t]], count, now,
                             &hold))
            world->pushed[t] += count;
    }
    if (!self->calm)
        meddle(self, now);
    return 1 + draw(&self->random) % 24;
}

static const struct ts_component_ops meddler_ops = {.kind = "meddler", .step = meddler_step};

// Words that belong together, by thread: 1 multiplies, 0 hands banks over, 2 packs; occasionally
// each of them does something wrong.
static void write_script(struct world *world, uint64_t *random)
{
    static const uint32_t common[] = {
        OP(NOP),
        OP(SEMPOST) | 2 << 2,
        OP(SEMGET) | 2 << 2,
        OP(ZEROACC) | 2u << 19,
        OP(SETRWC) | 0xf,
        OP(SFPLOAD) | 1u << 20,
        OP(SFPSTORE) | 1u << 20,
        OP(SFPMAD),
        OP(MOVD2A),
        OP(ELWADD),
        OP(RMWCIB0) | 1u << 16 | 0xff << 8 | 6, // DEST_REGW_BASE
        OP(WRCFG) | 4u << 16 | 180,
        OP(UNPACR_NOP) | 1,
        OP(INCRWC) | 8u << 14,
        OP(MVMUL) | 1u << 14,
    };
    for (unsigned t = 0; t < TS_THREADS; t++) {
        unsigned n = 0;
        if (t == 1) {
            for (unsigned i = 0; i < 8; i++) {
                world->words[t][n++] = OP(SETC16) | (12 + i) << 16 | (draw(random) & 0x3838);
                world->words[t][n++] = OP(SETC16) | (28 + i) << 16 | (draw(random) & 0x2438);
            }
            world->words[t][n++] = OP(REPLAY) | 24u << 4 | 1;
            for (unsigned i = 0; i < 24; i++)
                world->words[t][n++] = OP(MVMUL) | (draw(random) % 8) << 14 |
                                       (draw(random) % 8 ? 8 * i : 0);
        }
        // Some of them by MOPs: a loop of REPLAYs or PACRs, and what is behind it.
        const uint32_t loop = t == 1 ? OP(REPLAY) | 16u << 4 : OP(PACR);
        const uint32_t cfg[9] = {1 + draw(random) % 3,
                                 2 + draw(random) % 20,
                                 OP(NOP),
                                 draw(random) % 2 ? OP(NOP) : OP(SETRWC) | 0xf,
                                 OP(NOP),
                                 loop,
                                 OP(NOP),
                                 draw(random) % 2 ? loop : loop | 1u << 15,
                                 draw(random) % 2 ? loop : loop | 1u << 15};
        for (unsigned i = 0; t && i < 9; i++)
            ts_mop_configure(&world->tile->front[t].mop, i, cfg[i]);
        while (n < WORDS) {
            uint32_t r = draw(random);
            if (t && r % 16 == 9) {
                world->words[t][n++] = r >> 8 & 3 ? OP(MOP) | 1u << 23 : OP(MOP_CFG) | (r & 0xff);
                continue;
            }
            if (t == 1 && r % 16 == 11 && n + 1 < WORDS) { // one more word is recorded
                world->words[t][n++] = OP(REPLAY) | 30u << 14 | 1u << 4 | 1;
                world->words[t][n++] = OP(NOP);
                continue;
            }
            world->words[t][n++] = r % 8 == 0 ? common[r / 8 % (sizeof common / sizeof *common)]
                                   : t == 0   ? OP(SETDVALID) | 3
                                   : t == 2   ? OP(PACR) | (r >> 8 & 1) << 15 | (r >> 9 & 7) / 7
                                              : OP(REPLAY) | (4 + (r >> 8) % 20) << 4;
        }
    }
}

// The packer's work in its ledger. What a stream has promised and was cut before it was due is not in it.
static uint64_t hash_work(uint64_t hash, const struct ts_ledger *ledger)
{
    for (unsigned i = 0; i < TS_LEDGER; i++)
        hash = ts_hash_word(ts_hash_word(hash, ledger->ring[i].from), ledger->ring[i].to);
    return ts_hash_word(hash, ledger->count);
}

// Everything that can be seen of a run of the world to `limit`.
static uint64_t run_world(uint64_t seed, bool run_ahead, bool dry, ts_cycle limit, uint64_t *matrix)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct world *world = aligned_alloc(128, (sizeof *world + 127) / 128 * 128);
    memset(world, 0, sizeof *world);
    struct ts_domain *domain = ts_domain_new(kernel, "tile");
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_error error = {0};
    struct ts_ledger packed = {0};
    uint64_t random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    config.timing_only = dry;
    config.run_ahead = run_ahead;
    struct meddler *meddlers[] = {&world->first, &world->last};
    ts_component_init(&world->first.component, &meddler_ops, domain, "first");
    struct ts_tile *c = world->tile = ts_tile_new(domain, &config, &error);
    ck_assert_ptr_nonnull(c);
    c->noc_flit = 64; // as on a chip
    if (seed / 4 % 2) // with one, a stream follows other work
        c->pack.unit.component.ledger = &packed;
    ts_component_init(&world->last.component, &meddler_ops, domain, "last");
    for (unsigned i = 0; i < 2; i++) {
        meddlers[i]->world = world;
        meddlers[i]->random = random + i;
        meddlers[i]->calm = seed % 3 == 0;
    }
    ck_assert_msg(ts_kernel_elaborate(kernel, &error) == TS_OK, "%s", error.text);
    static const struct {
        uint8_t index;
        uint32_t value;
    } cfg[] = {{12, 2 | 32u << 16},           {24, 0xffff},
               {28, 16u << 8 | 1u << 16 | 1}, {69, 0x2200},
               {70, 1 | 5 << 4 | 5 << 8},     {1, 5u << 17 | 5u << 21 | 5u << 25}};
    for (unsigned i = 0; i < sizeof cfg / sizeof *cfg; i++)
        ts_cfg_write(&c->tensix.cfg, 0, cfg[i].index, cfg[i].value, false);
    if (seed % 4 == 1) // a 32-bit Dst, that the packer reads as 16-bit rows
        ts_cfg_write(&c->tensix.cfg, 0, 1, c->tensix.cfg.bank[0][1] | 1u << 29, false);
    c->tensix.cfg.thd[2][37] = 4;
    for (unsigned b = 0; b < 2; b++)
        for (unsigned i = 0; i < TS_SRC_ROWS * TS_SRC_COLS; i++) {
            c->files.streamed.srcs.a.bank[b].w[i / 16][i % 16] = (120 + draw(&random) % 16) << 23 |
                                                                 0x120000;
            c->files.streamed.srcs.b.bank[b].w[i / 16][i % 16] = (120 + draw(&random) % 16) << 23 |
                                                                 0x4a0000;
        }
    write_script(world, &random);
    struct ts_run run = ts_kernel_run(kernel, limit);
    uint64_t hash = accounts(kernel, run.cycle) ^ run.stop ^ run.cycle;
    hash = ts_hash_bytes(hash, run.error.text, strlen(run.error.text));
    hash = ts_hash_bytes(hash, c->files.streamed.dst.bits, sizeof c->files.streamed.dst.bits);
    hash = ts_hash_bytes(hash, c->files.streamed.dst.valid, sizeof c->files.streamed.dst.valid);
    hash = ts_hash_bytes(hash, c->files.streamed.block_ready, sizeof c->files.streamed.block_ready);
    hash = ts_hash_bytes(hash, c->files.streamed.block_section,
                         sizeof c->files.streamed.block_section);
    hash = ts_hash_bytes(hash, c->tensix.streamed.rwc, sizeof c->tensix.streamed.rwc);
    hash = ts_hash_bytes(hash, &c->tensix.adcs, sizeof c->tensix.adcs);
    hash = ts_hash_bytes(hash, c->tensix.reports, sizeof c->tensix.reports);
    hash = ts_hash_bytes(hash, c->tensix.cfg.bank, sizeof c->tensix.cfg.bank);
    hash = ts_hash_bytes(hash, c->l1.bytes + 0x20000, 0x4000);
    hash = ts_hash_word(hash_work(hash, &packed), c->l1.conflicts);
    for (unsigned i = 0; i < c->said_count; i++) {
        hash = ts_hash_word(ts_hash_word(ts_hash_word(hash, c->said[i].report), c->said[i].cycle),
                            c->said[i].count);
        hash = ts_hash_bytes(hash, c->said[i].text, strlen(c->said[i].text));
    }
    hash = ts_hash_word(ts_hash_word(hash, world->seen), ts_files_owners(&c->files));
    for (unsigned t = 0; t < TS_THREADS; t++)
        hash = ts_hash_word(ts_hash_word(hash, world->pushed[t]),
                            ts_frontend_status(&c->front[t], true, run.cycle));
    *matrix += c->matrix.unit.instructions;
    ts_tile_free(c);
    free(world);
    ts_kernel_free(kernel);
    return hash;
}

START_TEST(test_interference)
{
    uint64_t matrix = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (unsigned part = 0; part < 4; part++) {
            ts_cycle limit = 40 + seed * 7 % 90 + part * part * 130;
            uint64_t ahead = run_world(seed, true, seed & 1, limit, &matrix);
            uint64_t step = run_world(seed, false, seed & 1, limit, &matrix);
            ck_assert_msg(ahead == step, "seed %u to cycle %u", (unsigned)seed, (unsigned)limit);
        }
    ck_assert_msg(matrix > 60 * SEEDS, "only %u words of the matrix unit", (unsigned)matrix);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_stream, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, test_interference);
}

SUITE("stream", add_tests)
