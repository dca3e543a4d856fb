// Traffic over a complete chip with checked data, the same for any number of threads: all to all,
// ring, multicast tree, barrier.
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>

// Everything that can be seen of a run: cycles, NIU counters, memory.
static uint64_t hash_of(struct rig *rig)
{
    uint64_t hash = ts_hash_word(rig->run.cycle, rig->run.activations);
    static unsigned char bytes[TS_L1_SIZE];
    for (uint32_t i = 0; i < rig->chip.soc.tiles; i++) {
        const struct ts_noc_site *site = ts_chip_site(&rig->chip, rig->chip.tiles[i]);
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            for (unsigned c = 0; c < TS_NOC_COUNTERS; c++)
                hash = ts_hash_word(hash, site->niu[noc].counters[c]);
        ck_assert_int_eq(
            ts_chip_read(&rig->chip, rig->chip.tiles[i], 0, bytes, 0x20000, &rig->error), TS_OK);
        for (uint32_t j = 0; j < 0x20000; j += 8) {
            uint64_t word;
            memcpy(&word, bytes + j, 8);
            hash = word ? ts_hash_word(hash, word + j) : hash;
        }
    }
    for (size_t i = 0; i < rig->driver_count; i++)
        for (size_t j = 0; j < rig->drivers[i].count; j++)
            hash = ts_hash_word(hash,
                                rig->drivers[i].ops[j].started * 31 + rig->drivers[i].ops[j].ended);
    return hash;
}

#define ROUNDS 12
static struct ts_traffic_op ops[140][3 * ROUNDS + 2];

// Every tile writes to, reads from and increments random others, on both NoCs; slots are by sender,
// so data is known.
// `mean`: the cycle in which a tile has all its answers, on average.
static uint64_t all_to_all(uint32_t threads, const char *const *sets, bool print, ts_cycle *mean)
{
    static struct rig rig;
    rig_init(&rig, "p150", threads, sets);
    uint32_t random = 12345, increments[140] = {0}, count = rig.chip.soc.tiles;
    static uint32_t to[140][ROUNDS], from[140][ROUNDS], length[140][ROUNDS];
    for (uint32_t i = 0; i < count; i++) {
        struct ts_noc_xy me = rig.chip.tiles[i];
        size_t n = 0;
        rig_fill(&rig, me, 0x1000, 0x4000, i); // what others get from here
        for (uint32_t r = 0; r < ROUNDS; r++) {
            to[i][r] = (i + 1 + (i + 1) * r * 7) % count;
            from[i][r] = random32(&random) % count;
            length[i][r] = 16 * (1 + random32(&random) % (r % 3 == 0 ? 512 : 16));
            // A writer's slot at the receiver: by round; a receiver does not know its writers, so
            // the slots are ordered by sender.
            ops[i][n++] = ts_traffic_write(&rig.chip, r & 1, me, rig.chip.tiles[to[i][r]], 0x1000,
                                           0x40000 + i * 0x2000, length[i][r], r % 4 ? 1 : -1,
                                           r % 5 == 0);
            ops[i][n++] = ts_traffic_read(&rig.chip, r & 1, me, rig.chip.tiles[from[i][r]], 0x1000,
                                          0x8000 + r * 0x2000, length[i][r]);
            increments[from[i][r]]++;
            ops[i][n++] = ts_traffic_increment(&rig.chip, r & 1, me, rig.chip.tiles[from[i][r]],
                                               0x100, 0x200, 1, r & 1);
            for (size_t j = n - 3; j < n; j++)
                ops[i][j].gap = 20 + random32(&random) % 40;
        }
        ops[i][n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_SENT};
        ops[i][n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, me, ops[i], n);
    }
    rig_run(&rig, 10000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sum;
        ck_assert_int_eq(ts_chip_read(&rig.chip, rig.chip.tiles[i], 0x100, &sum, 4, &rig.error),
                         TS_OK);
        ck_assert_uint_eq(sum, increments[i]);
        for (uint32_t r = 0; r < ROUNDS; r++)
            rig_expect(&rig, rig.chip.tiles[i], 0x8000 + r * 0x2000, length[i][r], from[i][r]);
        uint32_t last = ROUNDS - 1;
        rig_expect(&rig, rig.chip.tiles[to[i][last]], 0x40000 + i * 0x2000, length[i][last], i);
    }
    uint64_t hash = hash_of(&rig);
    *mean = 0;
    for (uint32_t i = 0; i < count; i++)
        *mean += ops[i][3 * ROUNDS + 1].ended;
    *mean /= count;
    if (print)
        printf("  all to all: %llu cycles, %llu a tile, %llu steps\n",
               (unsigned long long)rig.run.cycle, (unsigned long long)*mean,
               (unsigned long long)rig.run.activations);
    rig_free(&rig);
    return hash;
}

START_TEST(test_all_to_all)
{
    ts_cycle mean;
    uint64_t hash = all_to_all(1, NULL, true, &mean);
    ck_assert_uint_eq(hash, all_to_all(2, NULL, false, &mean));
    ck_assert_uint_eq(hash, all_to_all(3, NULL, false, &mean));
    ck_assert_uint_eq(hash, all_to_all(8, NULL, false, &mean));
}
END_TEST

// Flit by flit, and in trains: the data is the same, the time nearly. The time of a tile, not of the
// last one: flit by flit, too, one request that comes a cycle later moves the end by up to 12 %.
START_TEST(test_trains)
{
    static const char *const sets[][2] = {{"noc.train=1"}, {"noc.train=8"}, {"noc.train=16"}};
    ts_cycle exact = 0, mean;
    for (int i = 0; i < 3; i++) {
        all_to_all(1, sets[i], true, &mean);
        exact = i == 0 ? mean : exact;
        ck_assert_uint_lt(mean > exact ? mean - exact : exact - mean, exact / 20);
    }
}
END_TEST

// Each tile waits for its left neighbour's flag, then writes a block and the flag to the right one.
START_TEST(test_ring)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        static struct rig rig;
        rig_init(&rig, "p100", 1, NULL);
        uint32_t count = rig.chip.soc.tiles;
        rig_fill(&rig, rig.chip.tiles[0], 0x1000, 4096, 5);
        uint32_t flag = 77;
        ck_assert_int_eq(ts_chip_write(&rig.chip, rig.chip.tiles[0], 0x100, &flag, 4, &rig.error),
                         TS_OK);
        for (uint32_t i = 0; i < count; i++) {
            struct ts_noc_xy me = rig.chip.tiles[i], right = rig.chip.tiles[(i + 1) % count];
            size_t n = 0;
            ops[i][n++] = (struct ts_traffic_op){
                .kind = TS_TRAFFIC_WORD, .address = 0x100, .value = 77, .gap = 8};
            // The block and its flag on one static channel: they stay in order.
            ops[i][n++] = ts_traffic_write(&rig.chip, noc, me, right, 0x1000, 0x1000, 4096, 1,
                                           true);
            ops[i][n++] = ts_traffic_write(&rig.chip, noc, me, right, 0x100, 0x100, 4, 1, true);
            ops[i][n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_SENT};
            rig_drive(&rig, me, ops[i], n);
        }
        rig_run(&rig, 1000000);
        ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
        for (uint32_t i = 0; i < count; i++)
            rig_expect(&rig, rig.chip.tiles[i], 0x1000, 4096, 5);
        rig_free(&rig);
    }
}
END_TEST

// Multicasts over the complete grid, both NoCs, both major axes, with and without the source,
// reserved and not.
START_TEST(test_multicast)
{
    static const uint32_t flags[] = {0, TS_NOC_CTRL_BRCST_Y, TS_NOC_CTRL_SRC_INCLUDE,
                                     TS_NOC_CTRL_PATH_RESERVE};
    static const struct ts_noc_xy sources[] = {{1, 2}, {7, 6}, {16, 11}, {10, 3}};
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned f = 0; f < 4; f++)
            for (unsigned s = 0; s < 4; s++) {
                static struct rig rig;
                rig_init(&rig, s == 3 ? "p100" : "p150", 1, NULL);
                struct ts_noc_xy from = sources[s], first = {3, 4}, last = {14, 9};
                struct ts_traffic_op op[] = {
                    ts_traffic_multicast(&rig.chip, noc, from, first, last, 0x1000, 0x8000,
                                         8192 + 64, flags[f]),
                    {.kind = TS_TRAFFIC_BARRIER},
                };
                rig_fill(&rig, from, 0x1000, 8192 + 64, 9);
                rig_drive(&rig, from, op, 2);
                rig_run(&rig, 100000);
                ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
                for (uint32_t i = 0; i < rig.chip.soc.tiles; i++) {
                    struct ts_noc_xy tile = rig.chip.tiles[i];
                    bool in = tile.x >= first.x && tile.x <= last.x && tile.y >= first.y &&
                              tile.y <= last.y;
                    if (tile.x == from.x && tile.y == from.y)
                        in = in && flags[f] == TS_NOC_CTRL_SRC_INCLUDE;
                    uint32_t word = 0;
                    if (in) {
                        rig_expect(&rig, tile, 0x8000, 8192 + 64, 9);
                    } else {
                        ts_chip_read(&rig.chip, tile, 0x8000, &word, 4, &rig.error);
                        ck_assert_uint_eq(word, 0);
                    }
                }
                rig_free(&rig);
            }
}
END_TEST

// What a reserved path adds to a multicast from 1-2: `reserve` and `reserve_hop` along the trunk, `reserve` for each
// line that leaves it, and the wait for lines that are not reserved yet (noc/niu.h).
START_TEST(test_reserve_time)
{
    static const struct {
        unsigned noc;
        struct ts_noc_xy first, last, seen;
        ts_cycle longer;
    } cases[] = {
        {0, {2, 2}, {16, 2}, {16, 2}, 4 + 15 * 14},         // a row: 15 hops
        {1, {1, 3}, {1, 11}, {1, 3}, 4 + 11 * 14},          // a column: 11 hops
        {0, {2, 3}, {5, 6}, {5, 6}, 4 + 5 * 14 + 4 * 4},    // lines are ready when the packet comes
        {1, {2, 3}, {16, 11}, {2, 3}, 4 + 13 * 14 + 9 * 4}, // far away: so are long ones
        {0, {2, 3}, {16, 11}, {16, 11}, 4 + 10 * 14 + 9 * 4 + 31}, // near: the last line is 31 late
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ts_cycle end[2];
        for (unsigned reserve = 0; reserve < 2; reserve++) {
            static struct rig rig;
            rig_init(&rig, "p150", 1, NULL);
            uint32_t value = 7;
            ts_chip_write(&rig.chip, at(1, 2), 0x1000, &value, 4, &rig.error);
            struct ts_traffic_op send = ts_traffic_multicast(
                &rig.chip, cases[i].noc, at(1, 2), cases[i].first, cases[i].last, 0x1000, 0x8000,
                64, reserve ? TS_NOC_CTRL_PATH_RESERVE : 0);
            struct ts_traffic_op see = {
                .kind = TS_TRAFFIC_WORD, .address = 0x8000, .value = value, .gap = 1};
            rig_drive(&rig, at(1, 2), &send, 1);
            rig_drive(&rig, cases[i].seen, &see, 1);
            rig_run(&rig, 100000);
            ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
            end[reserve] = see.ended;
            rig_free(&rig);
        }
        ck_assert_uint_eq(end[1] - end[0], cases[i].longer);
    }
}
END_TEST

// Many tiles multicast over the same rectangle at once, with reserved paths: they take turns, and
// all data arrives.
START_TEST(test_reserve)
{
    for (unsigned noc = 0; noc < 2; noc++) {
        static struct rig rig;
        rig_init(&rig, "p150", 2, NULL);
        for (uint32_t i = 0; i < 20; i++) {
            struct ts_noc_xy me = rig.chip.tiles[i * 7];
            rig_fill(&rig, me, 0x1000, 1024, i);
            ops[i][0] = ts_traffic_multicast(&rig.chip, noc, me, at(1, 2), at(16, 11), 0x1000,
                                             0x10000 + i * 0x1000, 1024,
                                             TS_NOC_CTRL_PATH_RESERVE | TS_NOC_CTRL_SRC_INCLUDE |
                                                 (i & 1 ? TS_NOC_CTRL_BRCST_Y : 0));
            ops[i][0].count = 3;
            ops[i][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
            rig_drive(&rig, me, ops[i], 2);
        }
        rig_run(&rig, 1000000);
        ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
        ck_assert_uint_eq(rig.chip.torus.arbiter[noc].granted, 60);
        ck_assert_uint_gt(rig.chip.torus.arbiter[noc].refused, 10);
        for (uint32_t i = 0; i < 20; i++)
            for (uint32_t j = 0; j < rig.chip.soc.tiles; j++)
                rig_expect(&rig, rig.chip.tiles[j], 0x10000 + i * 0x1000, 1024, i);
        printf("  60 rival multicasts on NoC %u: %llu cycles\n", noc,
               (unsigned long long)rig.run.cycle);
        rig_free(&rig);
    }
}
END_TEST

// A semaphore barrier: all tiles increment a word of one tile, which then sends the release to all,
// ten times.
START_TEST(test_barrier)
{
    static struct rig rig;
    rig_init(&rig, "p150", 2, NULL);
    uint32_t count = rig.chip.soc.tiles;
    struct ts_noc_xy root = rig.chip.tiles[0];
    for (uint32_t i = 0; i < count; i++) {
        struct ts_noc_xy me = rig.chip.tiles[i];
        size_t n = 0;
        for (uint32_t r = 1; r <= 10; r++) {
            uint32_t go = 1000 + r;
            if (i == 0) {
                ck_assert_int_eq(ts_chip_write(&rig.chip, root, 0x400 + r * 16, &go, 4, &rig.error),
                                 TS_OK);
                ops[i][n++] = (struct ts_traffic_op){
                    .kind = TS_TRAFFIC_WORD, .address = 0x100, .value = r * (count - 1), .gap = 8};
                ops[i][n++] = ts_traffic_multicast(&rig.chip, 1, root, at(1, 2), at(16, 11),
                                                   0x400 + r * 16, 0x200, 4,
                                                   TS_NOC_CTRL_PATH_RESERVE);
            } else {
                ops[i][n++] = ts_traffic_increment(&rig.chip, 0, me, root, 0x100, 0x300, 1, true);
                ops[i][n++] = (struct ts_traffic_op){
                    .kind = TS_TRAFFIC_WORD, .address = 0x200, .value = go, .gap = 8};
            }
        }
        rig_drive(&rig, me, ops[i], n);
    }
    rig_run(&rig, 1000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    printf("  ten barriers of %u tiles: %llu cycles\n", count, (unsigned long long)rig.run.cycle);
    rig_free(&rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_all_to_all);
    tcase_add_test(tests, test_trains);
    tcase_add_test(tests, test_ring);
    tcase_add_test(tests, test_multicast);
    tcase_add_test(tests, test_reserve);
    tcase_add_test(tests, test_reserve_time);
    tcase_add_test(tests, test_barrier);
}

SUITE("chip_traffic", add_tests)
