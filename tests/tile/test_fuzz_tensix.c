// Random Tensix words through the front ends and every unit of a complete coprocessor, on three
// threads at once, with random configuration, counters and register files: no crash, no endless
// loop of the simulator, and every refusal names its instruction.
//
//   test_fuzz_tensix [--words N] [--seed S] [--round R]     (default: 200,000 words)
//
// One file, because words, configuration and rounds draw from one sequence: a seed names all three.
// Only effective with asan or ubsan. N counts words that passed a wait gate. A run is a series of
// rounds, each with its own seed, made of S and its number: a crash names the round (`--round R`
// begins there). A round ends with a fault, with a deadlock that bank and semaphore changes do not
// resolve, or after 20,000 cycles; then the coprocessor's initial state is copied back: struct
// states are plain.
#include "platform/base/hash.h"
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/suite.h"
#include "tests/tile/words.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND_CYCLES 20000
#define KINDS        4096

struct pusher {
    struct ts_component component;
    struct fuzz *fuzz;
    struct ts_frontend *front;
    bool brisc;
};

struct medic {
    struct ts_component component;
    struct fuzz *fuzz;
    uint64_t before; // words passed when it last looked
    unsigned stuck;
};

// Everything a round changes, except L1 and the kernel's own clock.
struct state {
    struct pusher pusher[TS_THREADS + 1]; // the last one: BRISC
    struct medic medic;
};

struct fuzz {
    struct state now, first;
    struct ts_tile *tile, *tile_first;
    struct ts_domain domain_first;
    struct ts_kernel *kernel;
    struct ts_domain *domain;
    uint64_t random;
    unsigned wild; // one word in this many is arbitrary
    unsigned rounds;
    uint64_t words, pushed, refused, stops[TS_STOP_SIGNAL + 1], opcode[256];
    // refusals by text
    uint32_t kinds;
    struct {
        uint64_t hash, count;
        char text[120];
    } kind[KINDS];
};

static struct fuzz *current; // for the watchdog's last words

static uint32_t draw(struct fuzz *fuzz)
{
    return words_draw(&fuzz->random);
}

static ts_step push(struct ts_component *component, ts_cycle now)
{
    struct pusher *self = (struct pusher *)component;
    struct fuzz *fuzz = self->fuzz;
    uint32_t word = words_random(&fuzz->random, fuzz->wild);
    struct ts_hold hold;
    if (!(self->brisc ? ts_frontend_push_brisc(self->front, word, now, &hold)
                      : ts_frontend_push(self->front, &word, 1, now, &hold)))
        return ts_block(component, now, hold.reason, hold.object);
    fuzz->pushed++;
    return self->brisc ? 1 + draw(fuzz) % 200 : 1 + (draw(fuzz) % 8 == 0);
}

static const struct ts_component_ops pusher_ops = {.kind = "pusher", .step = push};

// ---- configuration and state

// Mostly inside a row, now and then in a tile, rarely anywhere: long transfers take long.
static uint32_t position(struct fuzz *f, unsigned channel)
{
    uint32_t kind = draw(f) % 128;
    return kind == 0 ? draw(f) : kind < 4 ? draw(f) % 1024 : draw(f) % 8 + 8 * channel;
}

static void scramble(struct fuzz *f)
{
    struct ts_tile *c = f->tile;
    struct ts_cfg *cfg = &c->tensix.cfg;
    for (unsigned bank = 0; bank < 2; bank++) {
        uint32_t *w = cfg->bank[bank];
        // Few bits set: more words get past the first refusal.
        for (unsigned i = 0; i < TS_CFG_WORDS; i++)
            if (draw(f) % 4 == 0)
                w[i] = draw(f) & draw(f) & (f->wild & 1 ? draw(f) : UINT32_MAX) & cfg->mask[i];
        if (draw(f) % 8 == 0)
            continue;
        // Formats, addresses and sizes that go together.
        static const uint8_t good[] = {5, 1, 6, 7, 2, 3, 15, 11, 10, 9, 14, 5, 1, 5};
        uint32_t a = good[draw(f) % sizeof good], b = good[draw(f) % sizeof good];
        if (draw(f) % 4) // the same class of exponents in SrcA and SrcB
            b = a;
        if (draw(f) % 16 == 0)
            a = draw(f) & 15;
        w[64] = a | 1u << 4 | (16 * (1 + draw(f) % 64)) << 16;
        w[72] = (w[72] & ~15u) | (a ? a : b & 5);
        w[112] = b | 1u << 4 | (16 * (1 + draw(f) % 64)) << 16;
        w[120] = (w[120] & ~15u) | (b ? b : a & 5);
        w[76] = w[124] = draw(f) % 0x4000;
        w[69] = draw(f) % 0x4000;
        static const uint8_t into[][4] = {{5, 5, 6, 7}, {1, 1, 2, 10}, {0, 0, 4, 5},
                                          {8, 8, 8, 8}, {9, 9, 9, 9},  {14, 14, 14, 14},
                                          {4, 0, 4, 5}};
        const uint8_t *pack = into[draw(f) % 7];
        uint32_t middle = draw(f) % 16 ? pack[0] : draw(f) & 15;
        w[70] = (draw(f) % 16 != 0) | (uint32_t)pack[draw(f) & 3] << 4 | middle << 8;
        w[71] &= draw(f) & draw(f);
        w[18] = (w[18] & ~1u) | (pack[0] == 0 || pack[0] == 8 || pack[0] == 14);
        w[1] = (w[1] & ~(15u << 25)) | middle << 25;
        w[12] &= 0xff;
    }
    for (unsigned i = TS_CFG_GLOBAL_BASE; i < TS_CFG_WORDS; i++)
        cfg->bank[1][i] = cfg->bank[0][i];
    for (unsigned t = 0; t < TS_THREADS; t++) {
        for (unsigned i = 0; i < 44; i++)
            cfg->thd[t][i] = (uint16_t)(draw(f) % 3 ? 0 : draw(f));
        for (unsigned g = 0; g < TS_ADC_GROUPS; g++)
            for (unsigned ch = 0; ch < 2; ch++)
                for (unsigned d = 0; d < TS_ADC_DIMS; d++)
                    ts_adc_put(&c->tensix.adcs.set[t][g].channel[ch], d, position(f, ch));
        for (unsigned i = 48; i < TS_GPRS; i++) // addresses of L1, and offsets
            c->tensix.deferred.gpr[t][i] = i >= 56 ? draw(f) % 0x8000 : draw(f) & 0x0fff0fff;
        for (unsigned i = 0; i < TS_MOP_CFG_WORDS; i++)
            ts_mop_configure(&c->front[t].mop, i,
                             i < 2 ? draw(f) % 8 : words_random(&f->random, f->wild));
    }
    c->files.streamed.dst.remap_addrs = draw(f) & 1;
    c->files.streamed.dst.swizzle_32b = draw(f) & 1;
    c->files.streamed.dst.hi16 = draw(f) % 8 == 0;
    ts_cfg_changed(cfg);
}

// Random bits where only the data path's own results would be otherwise.
static void fill(struct fuzz *f)
{
    struct ts_tile *c = f->tile;
    uint16_t *cells = &c->files.streamed.dst.bits[0][0];
    unsigned from = draw(f) % (TS_DST_ROWS * TS_DST_COLS - 2048);
    for (unsigned i = from; i < from + 2048; i++)
        cells[i] = (uint16_t)draw(f);
    uint8_t *l1 = f->tile->l1.bytes + draw(f) % (TS_L1_SIZE / 4096) * 4096;
    for (unsigned i = 0; i < 4096; i += 4) {
        uint32_t w = draw(f);
        memcpy(l1 + i, &w, 4);
    }
}

// Looks every 64 cycles. Where nothing moves, it does what another program could: hands banks over
// and back, posts and gets semaphores.
static ts_step look(struct ts_component *component, ts_cycle now)
{
    struct medic *self = (struct medic *)component;
    struct fuzz *f = self->fuzz;
    struct ts_tile *c = f->tile;
    uint64_t passed = 0;
    for (unsigned t = 0; t < TS_THREADS; t++)
        passed += c->front[t].dispatched;
    if (passed - self->before < 8) {
        unsigned owners = ts_files_owners(&c->files);
        for (unsigned i = 0; i < 4; i++)
            if (draw(f) % 2)
                (i & 2 ? &c->files.streamed.srcs.b : &c->files.streamed.srcs.a)
                    ->bank[i & 1]
                    .owner ^= 1;
        ts_files_changed(&c->files, owners, now);
        for (unsigned i = 0; i < TS_SEMAPHORES; i++)
            ts_sync_riscv_write(&c->sync, i, c->sync.semaphore[i].value ? draw(f) & 1 : 0, now);
        if (passed == self->before && ++self->stuck == 60) {
            ts_break(component, now);
            return ts_idle(component, now);
        }
    }
    if (passed != self->before)
        self->stuck = 0;
    self->before = passed;
    if (draw(f) % 8 == 0)
        scramble(f);
    return 64;
}

static const struct ts_component_ops medic_ops = {.kind = "medic", .step = look};

// ---- rounds

static void last_words(int number)
{
    (void)number;
    static const char text[] = "test_fuzz_tensix: a round does not end\n";
    if (write(2, text, sizeof text - 1) < 0)
        _exit(70);
    abort();
}

static struct fuzz *build(void)
{
    struct fuzz *f = aligned_alloc(_Alignof(struct fuzz), sizeof *f);
    memset(f, 0, sizeof *f);
    struct ts_kernel_config config = {.threads = 1};
    struct ts_error error = {0};
    f->kernel = ts_kernel_new(&config);
    f->domain = ts_domain_new(f->kernel, "tile");
    struct state *s = &f->now;
    for (unsigned i = 0; i <= TS_THREADS; i++) {
        struct pusher *p = &s->pusher[i];
        ts_component_init(&p->component, &pusher_ops, f->domain, "pusher[%u]", i);
        p->fuzz = f;
        p->brisc = i == TS_THREADS;
    }
    ts_component_init(&s->medic.component, &medic_ops, f->domain, "medic");
    s->medic.fuzz = f;
    f->tile = ts_tile_new(f->domain, NULL, &error);
    f->tile_first = malloc(sizeof *f->tile);
    ck_assert(f->tile != NULL && f->tile_first != NULL);
    for (unsigned i = 0; i <= TS_THREADS; i++)
        s->pusher[i].front = &f->tile->front[i % TS_THREADS];
    ck_assert_msg(ts_kernel_elaborate(f->kernel, &error) == TS_OK, "%s", error.text);
    f->first = *s;
    memcpy(f->tile_first, f->tile, sizeof *f->tile);
    f->domain_first = *f->domain;
    return f;
}

// A refusal by its opcode and reason, without cycle, thread, fields and numbers.
static void count_kind(struct fuzz *f, const char *text)
{
    char key[120];
    unsigned n = 0;
    bool digits = false;
    const char *at = strstr(text, ": T"), *lost = strstr(text, "a word of the TRISC is lost");
    at = at ? at + 5 : text;
    if (lost) // strict: followed by the word
        text = at = "a word of the TRISC is lost";
    for (; *at && *at != ' ' && *at != ':' && n < 40; at++)
        key[n++] = *at;
    const char *reason = strchr(at, ':');
    for (at = reason ? reason : at; *at && n + 1 < sizeof key; at++) {
        bool digit = *at >= '0' && *at <= '9';
        if (!digit || !digits)
            key[n++] = digit ? '#' : *at;
        digits = digit;
    }
    key[n] = 0;
    uint64_t hash = ts_hash_bytes(TS_HASH_START, key, n);
    for (uint32_t i = 0; i < KINDS; i++) {
        uint32_t slot = (uint32_t)((hash + i) % KINDS);
        if (f->kind[slot].hash == 0) {
            f->kind[slot].hash = hash;
            snprintf(f->kind[slot].text, sizeof f->kind[slot].text, "%s", key);
            f->kinds++;
        }
        if (f->kind[slot].hash == hash) {
            f->kind[slot].count++;
            return;
        }
    }
}

static void round_of(struct fuzz *f, uint64_t seed, uint64_t number)
{
    static const unsigned wildness[] = {1000, 4001, 4000, 8001};
    f->now = f->first;
    memcpy(f->tile, f->tile_first, sizeof *f->tile);
    *f->domain = f->domain_first;
    f->random = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) ^
                (number + 1) * UINT64_C(0xD1342543DE82EF95);
    for (unsigned i = 0; i < 8; i++)
        draw(f);
    f->wild = draw(f) % 16 == 0 ? 5 : wildness[draw(f) % 4];
    f->tile->tensix.strict = draw(f) % 128 == 0;
    f->tile->files.timing_only = draw(f) % 32 == 0;
    scramble(f);
    if (number % 4 == 0)
        fill(f);
    struct ts_run run = ts_kernel_run(f->kernel, ROUND_CYCLES);
    f->stops[run.stop]++;
    if (run.stop == TS_STOP_FAULT) {
        f->refused++;
        ck_assert_msg(run.error.code == TS_CONTRACT || run.error.code == TS_NOT_IMPLEMENTED,
                      "round %llu: %s", (unsigned long long)number, run.error.text);
        ck_assert_uint_gt(strlen(run.error.text), 20);
        count_kind(f, run.error.text);
    }
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_frontend *front = &f->tile->front[t];
        struct ts_wait wait = ts_waiting(&front->component);
        ck_assert(wait.reason == TS_STALL_IDLE || wait.object != NULL);
        f->words += front->dispatched;
        for (unsigned i = 0; i < 256; i++)
            f->opcode[i] += front->passed[i];
    }
}

static void run_words(uint64_t words, uint64_t seed, uint64_t number, bool chat)
{
    struct fuzz *f = current = build();
    signal(SIGALRM, last_words);
    for (uint64_t told = 0; f->words < words; number++) {
        if (number % 64 == 0)
            alarm(900);
        if (chat)
            f->rounds = (unsigned)number;
        round_of(f, seed, number);
        if (chat && f->words - told >= 1000000) {
            told = f->words;
            fprintf(stderr, "round %llu: %llu words\n", (unsigned long long)number,
                    (unsigned long long)f->words);
        }
    }
    alarm(0);
    unsigned seen = 0;
    for (unsigned i = 0; i < 256; i++)
        seen += f->opcode[i] != 0;
    printf("%llu words of %u opcodes passed a gate (%llu pushed), %llu rounds: %llu refusals of %u "
           "kinds, %llu wedged, %llu at the limit\n",
           (unsigned long long)f->words, seen, (unsigned long long)f->pushed,
           (unsigned long long)number, (unsigned long long)f->refused, f->kinds,
           (unsigned long long)(f->stops[TS_STOP_BREAK] + f->stops[TS_STOP_DEADLOCK]),
           (unsigned long long)f->stops[TS_STOP_LIMIT]);
    for (uint32_t i = 0; chat && i < KINDS; i++)
        if (f->kind[i].count)
            printf("%10llu  %s\n", (unsigned long long)f->kind[i].count, f->kind[i].text);
    if (words >= 100000)
        for (unsigned op = 0; op < 256; op++)
            ck_assert_msg(ts_op_info[op].status != TS_STATUS_DONE ||
                              ts_op_hot[op].unit == TS_UNIT_FRONT || f->opcode[op],
                          "%s never passed a gate", ts_op_info[op].name);
    ts_tile_free(f->tile);
    free(f->tile_first);
    ts_kernel_free(f->kernel);
    free(f);
}

static uint64_t wanted_words = 200000, wanted_seed = 1, wanted_round;
static bool wanted_chat;

START_TEST(random_words)
{
    run_words(wanted_words, wanted_seed, wanted_round, wanted_chat);
}
END_TEST

static int begin(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return 64;
        uint64_t value = strtoull(argv[i + 1], NULL, 0);
        wanted_chat = true;
        if (strcmp(argv[i], "--words") == 0)
            wanted_words = value;
        else if (strcmp(argv[i], "--seed") == 0)
            wanted_seed = value;
        else if (strcmp(argv[i], "--round") == 0)
            wanted_round = value;
        else
            return 64;
    }
    return 0;
}

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, random_words);
}

SUITE("fuzz", add_tests, .one_process = true, .begin = begin)
