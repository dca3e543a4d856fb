// Random synchronisation programs that are correct for every timing: none of them is a hang.
//
// A program is made of pairs and groups of operations in one order: a mail and its read, additions
// and the wait for their sum, pages, posts, requests to the other tile. In this order every operation
// finds what it needs from those before it, and no later one takes it away: so the first operation
// that is not done can always go on, whatever the timing.
//
//   test_random_sync [COUNT [FIRST]]     10,000 programs take a few minutes
#include "platform/study/hang/program.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT   4000000
#define TILES   2
#define ACTORS  (TILES * TS_RV_CORES)
#define BUFFERS 3

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static unsigned count = 20, first = 1;
#else
static unsigned count = 300, first = 1;
#endif

struct program {
    uint32_t random;
    unsigned tiles;
    char *steps[ACTORS];
    size_t sizes[ACTORS];
    FILE *files[ACTORS];
    uint32_t word; // the next one of L1 that nobody uses yet
    unsigned producer[TILES][BUFFERS], consumer[TILES][BUFFERS];
    unsigned posts[TILES][TS_SEMAPHORES];
};

static unsigned pick(struct program *self, unsigned below)
{
    return random32(&self->random) % below;
}

__attribute__((format(printf, 3, 4))) static void step(struct program *self, unsigned actor,
                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (pick(self, 4) == 0)
        fprintf(self->files[actor], "      - delay: %u\n", 1 + pick(self, 1u << pick(self, 9)));
    fputs("      - ", self->files[actor]);
    vfprintf(self->files[actor], format, args);
    fputc('\n', self->files[actor]);
    va_end(args);
}

static unsigned actor_of(unsigned tile, unsigned core)
{
    return tile * TS_RV_CORES + core;
}

static uint32_t new_word(struct program *self)
{
    self->word += 16;
    return self->word;
}

static const char *at(unsigned tile)
{
    return tile ? "4-3" : "1-2";
}

// --- the primitives

static void mail(struct program *self)
{
    unsigned tile = pick(self, self->tiles), from = pick(self, 4),
             to = (from + 1 + pick(self, 3)) % 4;
    step(self, actor_of(tile, from), "mail: {to: %s, value: 3}", ts_rv_core_names[to]);
    step(self, actor_of(tile, to), "read: %s", ts_rv_core_names[from]);
}

static void barrier(struct program *self)
{
    unsigned tile = pick(self, self->tiles), mask = 1 + pick(self, 31), members = 0;
    uint32_t word = new_word(self);
    for (unsigned c = 0; c < TS_RV_CORES; c++)
        if (mask >> c & 1) {
            members++;
            step(self, actor_of(tile, c), "add: {l1: 0x%x, value: 1}", word);
        }
    for (unsigned c = 0; c < TS_RV_CORES; c++)
        if (mask >> c & 1)
            step(self, actor_of(tile, c), "until: {l1: 0x%x, is: %u}", word, members);
}

static void flag(struct program *self)
{
    unsigned tile = pick(self, self->tiles), from = pick(self, TS_RV_CORES);
    uint32_t word = new_word(self), value = 1 + pick(self, 1000);
    step(self, actor_of(tile, from), "write: {l1: 0x%x, value: %u}", word, value);
    for (unsigned c = 0; c < TS_RV_CORES; c++)
        if (c != from && pick(self, 2))
            step(self, actor_of(tile, c), "until: {l1: 0x%x, is: %u}", word, value);
}

static void pages(struct program *self)
{
    unsigned tile = pick(self, self->tiles), b = pick(self, BUFFERS), n = 1 + pick(self, b + 1);
    unsigned from = actor_of(tile, self->producer[tile][b]),
             to = actor_of(tile, self->consumer[tile][b]);
    step(self, from, "cb_reserve_back: {buffer: b%u, pages: %u}", b, n);
    step(self, from, "cb_push_back: {buffer: b%u, pages: %u}", b, n);
    step(self, to, "cb_wait_front: {buffer: b%u, pages: %u}", b, n);
    step(self, to, "cb_pop_front: {buffer: b%u, pages: %u}", b, n);
}

// Semaphore s is posted by thread s % 3 and taken by the next one.
static void posts(struct program *self)
{
    unsigned tile = pick(self, self->tiles), s = pick(self, TS_SEMAPHORES), n = 1 + pick(self, 3);
    unsigned from = actor_of(tile, TS_RV_TRISC0 + s % 3),
             to = actor_of(tile, TS_RV_TRISC0 + (s + 1) % 3);
    if (self->posts[tile][s] + n > 12)
        return;
    self->posts[tile][s] += n;
    for (unsigned i = 0; i < n; i++)
        step(self, from, "tt: SEMPOST sem_sel=%u", 1u << s);
    for (unsigned i = 0; i < n; i++) {
        step(self, to, "tt: SEMWAIT stall_res=0x2 sem_sel=%u wait_sem_cond=1", 1u << s);
        step(self, to, "tt: SEMGET sem_sel=%u", 1u << s);
    }
}

static void increments(struct program *self)
{
    unsigned tile = pick(self, 2), n = 1 + pick(self, 4), to = pick(self, TS_RV_CORES);
    uint32_t word = new_word(self);
    for (unsigned i = 0; i < n; i++)
        step(self, actor_of(tile, i % 2 ? TS_RV_NCRISC : TS_RV_BRISC),
             "noc_increment: {to: %s, at: 0x%x, noc: %u, initiator: %u}", at(1 - tile), word, i % 2,
             i % 2);
    step(self, actor_of(1 - tile, to), "until: {l1: 0x%x, is: %u}", word, n);
}

static void remote_flag(struct program *self)
{
    unsigned tile = pick(self, 2), to = pick(self, TS_RV_CORES);
    uint32_t from = new_word(self), word = new_word(self);
    step(self, actor_of(tile, TS_RV_BRISC), "write: {l1: 0x%x, value: 9}", from);
    step(self, actor_of(tile, TS_RV_BRISC),
         "noc_write: {to: %s, from: 0x%x, at: 0x%x, length: 4, initiator: 2}", at(1 - tile), from,
         word);
    step(self, actor_of(1 - tile, to), "until: {l1: 0x%x, is: 9}", word);
}

// --- one program

static void make(struct program *self, const char *path)
{
    static void (*const local[])(struct program *) = {mail, barrier, flag, pages, posts};
    static void (*const all[])(struct program *) = {mail,  barrier,    flag,        pages,
                                                    posts, increments, remote_flag, increments};
    for (unsigned a = 0; a < ACTORS; a++)
        self->files[a] = open_memstream(&self->steps[a], &self->sizes[a]);
    self->tiles = pick(self, 5) == 0 ? 2 : 1;
    self->word = 0x30000;
    for (unsigned t = 0; t < TILES; t++)
        for (unsigned b = 0; b < BUFFERS; b++) {
            self->producer[t][b] = pick(self, TS_RV_CORES);
            self->consumer[t][b] = (self->producer[t][b] + 1 + pick(self, 4)) % TS_RV_CORES;
        }
    for (unsigned i = 5 + pick(self, 40); i > 0; i--)
        if (self->tiles == 1)
            local[pick(self, 5)](self);
        else
            all[pick(self, 8)](self);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("buffers: {b0: {pages: 1}, b1: {pages: 2}, b2: {pages: 3}}\n", file);
    fputs(self->tiles == 1 ? "cores:\n" : "tiles:\n", file);
    for (unsigned a = 0; a < ACTORS; a++) {
        fclose(self->files[a]);
        if (a % TS_RV_CORES == 0 && self->tiles == 2)
            fprintf(file, "  %s:\n", at(a / TS_RV_CORES));
        if (self->sizes[a])
            fprintf(file, "    %s:\n%s", ts_rv_core_names[a % TS_RV_CORES], self->steps[a]);
        free(self->steps[a]);
    }
    fclose(file);
}

static void run_one(unsigned seed, struct ts_hang_program *program, const char *path)
{
    struct program self = {.random = seed * 2654435761u | 1};
    struct ts_error error = {0};
    struct ts_tile_config config = ts_tile_config_default();
    make(&self, path);
    ck_assert_msg(ts_hang_program_read(program, path, NULL, NULL, &error), "program %u: %s", seed,
                  error.text);
    if (seed % 4 == 0) {
        config.perturb_seed = seed;
        config.perturb_max = 1 + seed % 64;
    }
    config.run_ahead = config.park = seed % 8 != 1;
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, &config, LIMIT, &outcome);
    ck_assert_msg(outcome.code == TS_OK, "program %u (kept: %s): exit code %d %s\n%s", seed, path,
                  (int)outcome.code, outcome.text, outcome.screen ? outcome.screen : "");
    ts_hang_outcome_free(&outcome);
}

START_TEST(no_hang)
{
    char path[] = "/tmp/tensim-sync-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    ck_assert_int_ge(file, 0);
    close(file);
    struct ts_hang_program *program = malloc(sizeof *program);
    for (unsigned i = 0; i < count; i++)
        run_one(first + i, program, path);
    free(program);
    remove(path);
}
END_TEST

static int begin(int argc, char **argv)
{
    if (argc > 1)
        count = (unsigned)strtoul(argv[1], NULL, 0);
    if (argc > 2)
        first = (unsigned)strtoul(argv[2], NULL, 0);
    return 0;
}

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, no_hang);
}

SUITE("random_sync", add_tests, .begin = begin, .one_process = true)
