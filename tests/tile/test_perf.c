// Performance counters: the same counts as the stats, over conformance vectors; and in the middle of a run, with and
// without running ahead.
#include "platform/load/conform.h"
#include "tests/suite.h"
#include "tests/tile/one_tile.h"

#include <dirent.h>
#include <stdlib.h>

#define BASE 0xffb12000u

// Where a bank's registers are.
static const struct {
    uint32_t first, out;
} banks[TS_PERF_BANKS] = {
    [TS_PERF_INSTRN] = {0x000, 0x100}, [TS_PERF_UNPACK] = {0x00c, 0x108},
    [TS_PERF_FPU] = {0x018, 0x120},    [TS_PERF_L1] = {0x030, 0x118},
    [TS_PERF_PACK] = {0x0f0, 0x110},
};

static void put(struct ts_tile *at, uint32_t offset, uint32_t value, ts_cycle now)
{
    ck_assert_msg(ts_tile_write(at, BASE + offset, &value, 4, now, &error), "%s", error.text);
}

static uint32_t get(struct ts_tile *at, uint32_t offset, ts_cycle now)
{
    uint32_t value;
    ck_assert_msg(ts_tile_read(at, BASE + offset, &value, 4, now, &error), "%s", error.text);
    return value;
}

static uint32_t counter(struct ts_tile *at, unsigned bank, uint32_t select, ts_cycle now)
{
    put(at, banks[bank].first + 4, select << 8, now);
    return get(at, banks[bank].out + 4, now);
}

// --- against the stats ---

struct seen {
    ts_cycle cycle;
    uint64_t busy, stalls, words; // of all vectors: none of it is always zero
};

static void begin(struct ts_tile *at, void *context)
{
    (void)context;
    for (unsigned i = 0; i < TS_PERF_BANKS; i++)
        if (i != TS_PERF_L1)
            put(at, banks[i].first + 8, 1, 0);
}

static void stopped(const struct ts_kernel *ran, const struct ts_run *run, void *context)
{
    struct seen *seen = context;
    (void)ran;
    seen->cycle = run->cycle;
}

static void compare(struct ts_tile *at, void *context)
{
    struct seen *seen = context;
    const ts_cycle now = seen->cycle;
    const struct {
        unsigned bank;
        uint32_t select;
        const struct ts_component *unit;
    } busy[] = {
        {TS_PERF_FPU, 0, &at->matrix.unit.component},
        {TS_PERF_FPU, 1, &at->vector.unit.component},
        {TS_PERF_PACK, 18, &at->pack.unit.component},
    };
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        uint64_t stats = ts_component_account(busy[i].unit, now).busy;
        ck_assert_uint_eq(counter(at, busy[i].bank, busy[i].select, now), stats);
        seen->busy += stats;
    }
    for (unsigned i = 0; i < 2; i++)
        if (at->unpack[i].unit.busy_until[1] == 0 && at->unpack[i].unit.busy_until[2] == 0)
            ck_assert_uint_eq(counter(at, TS_PERF_UNPACK, 7 + i, now),
                              ts_component_account(&at->unpack[i].unit.component, now).busy);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        struct ts_account stats = ts_component_account(&at->front[t].component, now);
        uint64_t stalls = now - stats.busy - stats.lost[TS_STALL_IDLE];
        ck_assert_uint_eq(counter(at, TS_PERF_INSTRN, 24 + t, now), stalls);
        ck_assert_uint_eq(counter(at, TS_PERF_INSTRN, 35 + 9 * t, now),
                          stats.lost[TS_STALL_SEMAPHORE_ZERO]);
        ck_assert_uint_eq(counter(at, TS_PERF_INSTRN, 36 + 9 * t, now),
                          stats.lost[TS_STALL_SEMAPHORE_MAX]);
        ck_assert_uint_eq(counter(at, TS_PERF_INSTRN, 256 + 8 * t, now), at->front[t].dispatched);
        seen->stalls += stalls;
        seen->words += at->front[t].dispatched;
    }
    ck_assert_uint_eq(get(at, banks[TS_PERF_FPU].out, now), now);
}

START_TEST(counts_are_those_of_the_stats)
{
    DIR *folder = opendir(TENSIM_SOURCE_DIR "/tests/conform");
    ck_assert_ptr_nonnull(folder);
    unsigned count = 0;
    struct seen seen = {0};
    const unsigned every = suite_every_case() ? 1 : 16;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".ttv") == NULL || strncmp(entry->d_name, "noc", 3) == 0 ||
            count++ % every)
            continue;
        char path[512];
        static struct ts_conform_file vector;
        struct ts_conform_result result;
        snprintf(path, sizeof path, "%s/tests/conform/%s", TENSIM_SOURCE_DIR, entry->d_name);
        ck_assert_msg(ts_conform_read(&vector, path, &error), "%s", error.text);
        struct ts_conform_options options = {.tile = ts_tile_config_default(),
                                             .prepare = begin,
                                             .dismiss = compare,
                                             .ended = stopped,
                                             .context = &seen};
        ts_conform_run(&vector, &options, &result);
        ck_assert_msg(result.pass, "%s: %s", entry->d_name, result.text);
        ts_conform_free(&vector);
    }
    closedir(folder);
    ck_assert_uint_gt(seen.busy, 0);
    ck_assert_uint_gt(seen.stalls, 0);
    ck_assert_uint_gt(seen.words, 0);
}
END_TEST

// --- in the middle of a run ---

// TRISC1 pushes words in a loop: MATRIX, VECTOR, and one that waits for a semaphore that TRISC0 posts now and then.
static void words(void)
{
    static const uint32_t pushed[] = {
        0xa3u << 24 | 8u << 20 | 1u << 2, // SEMINIT 0: max 8, 0
        0x37u << 24,
        0x71u << 24,
        0x71u << 24 | 1u << 20,
        0x37u << 24,
    };
    LI(8, 0xffe40000);
    for (size_t i = 0; i < sizeof pushed / sizeof *pushed; i++)
        LI(9 + (unsigned)i, pushed[i]);
    LI(20, 0xa6u << 24 | 0x1ffu << 15 | 1u << 2 | 1); // SEMWAIT while it is 0
    LI(21, 0xa5u << 24 | 1u << 2);                    // SEMGET
    LI(30, 60);
    I(SW, 0, 8, 9, 0);
    uint32_t loop = ts_rvasm_here(&code);
    for (unsigned i = 1; i < 5; i++)
        I(SW, 0, 8, 9 + i, 0);
    I(SW, 0, 8, 20, 0);
    I(SW, 0, 8, 21, 0);
    I(ADDI, 30, 30, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 30, 0, loop);
}

// NCRISC starts and stops the counters.
static void measure(uint32_t delay)
{
    LI(8, BASE);
    LI(5, delay);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 5, 5, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 5, 0, loop);
    LI(6, 1);
    I(SW, 0, 8, 6, 0x3c); // FPU and INSTRN_THREAD
    LI(5, 7 * delay);
    loop = ts_rvasm_here(&code);
    I(ADDI, 5, 5, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 5, 0, loop);
    LI(6, 2);
    I(SW, 0, 8, 6, 0x3c);
}

#define COUNTS 7

static void run(bool ahead, uint32_t delay, uint32_t counts[COUNTS])
{
    tear_down();
    set_up_tile(ahead);
    words();
    start_at(TS_RV_TRISC1, 0x4000);
    measure(delay);
    start_at(TS_RV_NCRISC, 0x8000);
    LI(8, 0xffe80020); // semaphore 0
    LI(30, 70);
    uint32_t loop = ts_rvasm_here(&code);
    for (unsigned i = 0; i < 20; i++)
        I(ADDI, 0, 0, 0, 0);
    I(SW, 0, 8, 0, 0); // post
    I(ADDI, 30, 30, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 30, 0, loop);
    start_at(TS_RV_TRISC0, 0x2000);
    struct ts_run end = ts_kernel_run(kernel, 100000);
    ck_assert_msg(end.stop == TS_STOP_DONE, "%s: %s", ts_stop_name(end.stop), end.error.text);
    static const struct {
        uint8_t bank;
        uint16_t select;
    } rows[] = {{TS_PERF_FPU, 0},
                {TS_PERF_FPU, 1},
                {TS_PERF_INSTRN, 25},
                {TS_PERF_INSTRN, 44},
                {TS_PERF_INSTRN, 264}};
    for (unsigned i = 0; i < 5; i++)
        counts[i] = counter(tile, rows[i].bank, rows[i].select, end.cycle);
    counts[5] = get(tile, banks[TS_PERF_FPU].out, end.cycle);
    counts[6] = (uint32_t)end.cycle;
}

START_TEST(counts_the_same_step_by_step)
{
    uint32_t before = 0;
    for (uint32_t delay = 20; delay < 60; delay += 3) {
        uint32_t fast[COUNTS], slow[COUNTS];
        run(true, delay, fast);
        run(false, delay, slow);
        for (unsigned i = 0; i < COUNTS; i++)
            ck_assert_msg(fast[i] == slow[i], "delay %u, count %u: %u ahead, %u step by step",
                          delay, i, fast[i], slow[i]);
        ck_assert_uint_gt(fast[0], 0);
        ck_assert_uint_gt(fast[3], 0); // it waits for the semaphore
        ck_assert_uint_ge(fast[2], fast[3]);
        ck_assert_uint_le(fast[0] + fast[1], 2 * fast[5]);
        ck_assert_uint_gt(fast[5], before);
        before = fast[5];
    }
}
END_TEST

// --- registers ---

START_TEST(starts_and_stops)
{
    ck_assert_uint_eq(get(tile, 0x120, 50), 0); // never started
    put(tile, 0x020, 1, 100);
    ck_assert_uint_eq(get(tile, 0x120, 130), 30);
    put(tile, 0x020, 1, 140); // no edge
    ck_assert_uint_eq(get(tile, 0x120, 150), 50);
    put(tile, 0x020, 2, 160);
    ck_assert_uint_eq(get(tile, 0x120, 900), 60);
    put(tile, 0x020, 1, 1000); // again from zero
    ck_assert_uint_eq(get(tile, 0x120, 1010), 10);
    put(tile, 0x01c, 2, 1010); // without cycles
    ck_assert_uint_eq(get(tile, 0x120, 1020), 0);
    ck_assert_uint_eq(get(tile, 0x01c, 1020), 2);
    static const struct {
        bool write;
        uint32_t offset, value;
        const char *text;
    } refused[] = {
        {false, 0x124, 257u << 8, "MATH_COUNTER (select 257 of FPU)"},
        {false, 0x124, 5u << 8, "performance counter 5 of FPU"},
        {true, 0x020, 1, "mode 1"},
        {true, 0x038, 1, "performance counters of L1"},
        {false, 0x11c, 0, "performance counter 0 of L1"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uint32_t value = refused[i].value, got;
        put(tile, 0x020, 0, 1030);
        put(tile, 0x01c, refused[i].write ? 1 : value, 1030);
        bool good = refused[i].write
                        ? ts_tile_write(tile, BASE + refused[i].offset, &value, 4, 1040, &error)
                        : ts_tile_read(tile, BASE + refused[i].offset, &got, 4, 1040, &error);
        ck_assert_msg(!good && error.code == TS_NOT_IMPLEMENTED &&
                          strstr(error.text, refused[i].text),
                      "row %zu: %s", i, error.text);
        error = (struct ts_error){0};
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, starts_and_stops);
    tcase_add_test(tests, counts_are_those_of_the_stats);
    tcase_add_test(tests, counts_the_same_step_by_step);
}

SUITE("performance counters", add_tests)
