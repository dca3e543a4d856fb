// Routes, translation, atomics, registers, counters and refusals of the NoC.
#include "noc/atomics.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

// --- routes ---

// Walks all branches of a packet; counts arrivals per position.
static void walk(const struct ts_noc_shape *shape, const struct ts_noc_packet *packet,
                 struct ts_noc_xy here, uint32_t hops, uint8_t arrivals[12][17], uint32_t *longest)
{
    ck_assert_uint_le(hops, 60);
    uint32_t outputs = ts_noc_route(shape, here, packet);
    if (outputs >> TS_NOC_LOCAL & 1) {
        arrivals[here.y][here.x]++;
        *longest = hops > *longest ? hops : *longest;
    }
    if (outputs >> TS_NOC_X & 1)
        walk(shape, packet, at((here.x + 1u) % shape->width, here.y), hops + 1, arrivals, longest);
    if (outputs >> TS_NOC_Y & 1)
        walk(shape, packet, at(here.x, (here.y + 1u) % shape->height), hops + 1, arrivals, longest);
}

START_TEST(test_unicast)
{
    for (int x_first = 0; x_first < 2; x_first++) {
        struct ts_noc_shape shape = {17, 12, x_first};
        for (unsigned from = 0; from < 204; from++)
            for (unsigned to = 0; to < 204; to++) {
                uint8_t arrivals[12][17] = {0};
                uint32_t longest = 0;
                struct ts_noc_packet packet = {.from = at(from % 17, from / 17),
                                               .to = at(to % 17, to / 17)};
                walk(&shape, &packet, packet.from, 0, arrivals, &longest);
                ck_assert_uint_eq(arrivals[packet.to.y][packet.to.x], 1);
                ck_assert_uint_eq(longest, (to % 17 + 17 - from % 17) % 17 +
                                               (to / 17 + 12 - from / 17) % 12);
            }
    }
    // NoC 0 goes along x first, NoC 1 along y.
    struct ts_noc_packet packet = {.from = at(1, 1), .to = at(2, 2)};
    ck_assert_uint_eq(ts_noc_route(&(struct ts_noc_shape){17, 12, true}, at(1, 1), &packet),
                      1u << TS_NOC_X);
    ck_assert_uint_eq(ts_noc_route(&(struct ts_noc_shape){17, 12, false}, at(1, 1), &packet),
                      1u << TS_NOC_Y);
}
END_TEST

START_TEST(test_broadcast)
{
    uint32_t random = 1;
    struct ts_noc_shape shape = {17, 12, true};
    for (int i = 0; i < 4000; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t r = random >> 4;
        struct ts_noc_packet packet = {.broadcast = true,
                                       .from = at(r % 17, r / 17 % 12),
                                       .start = at(r / 204 % 17, r / 3468 % 12),
                                       .y_major = random >> 31,
                                       .source_too = random >> 30 & 1};
        random = random * 1664525 + 1013904223;
        packet.to = at((random >> 8) % 17, (random >> 16) % 12);
        uint8_t arrivals[12][17] = {0};
        uint32_t longest = 0;
        walk(&shape, &packet, packet.from, 0, arrivals, &longest);
        // Lines leave the trunk one after the other, none of them behind its end.
        struct ts_noc_legs legs = ts_noc_legs(&shape, &packet);
        ck_assert_uint_ge(legs.trunk + legs.line, longest);
        uint32_t lines = 0;
        for (unsigned y = 0; y < 12; y++)
            for (unsigned x = 0; x < 17; x++) {
                uint32_t hops, before;
                ck_assert_uint_eq(arrivals[y][x], ts_noc_covers(&shape, at(x, y), &packet));
                if (legs.lines == 0 || !ts_noc_line_at(&shape, at(x, y), &packet, &hops, &before))
                    continue;
                ck_assert_uint_le(hops, legs.trunk);
                ck_assert_uint_lt(before, legs.lines);
                lines++;
            }
        ck_assert_uint_eq(lines, legs.lines);
    }
}
END_TEST

START_TEST(test_dateline)
{
    struct ts_noc_shape shape = {17, 12, true};
    // Set where a ring closes, kept in the ring, cleared by a turn.
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(3, 3), TS_NOC_X, 1, TS_NOC_X), 1);
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(16, 3), TS_NOC_X, 1, TS_NOC_X), 9);
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(0, 3), TS_NOC_X, 9, TS_NOC_X), 9);
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(2, 3), TS_NOC_X, 9, TS_NOC_Y), 1);
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(2, 11), TS_NOC_LOCAL, 6, TS_NOC_Y), 14);
    ck_assert_uint_eq(ts_noc_route_vc(&shape, at(2, 5), TS_NOC_Y, 14, TS_NOC_LOCAL), 6);
}
END_TEST

START_TEST(test_exclude)
{
    struct ts_noc_shape shape = {17, 12, true};
    struct ts_noc_packet packet = {
        .broadcast = true, .from = at(1, 2), .start = at(2, 2), .to = at(7, 9)};
    packet.exclude = 1u << 22 | 1u << 21 | 0u << 20 | 5u << 14 | 4u << 8; // x <= 4 and y >= 5
    ck_assert(ts_noc_covers(&shape, at(4, 4), &packet));
    ck_assert(!ts_noc_covers(&shape, at(4, 5), &packet));
    ck_assert(ts_noc_covers(&shape, at(5, 5), &packet));
    ck_assert(!ts_noc_covers(&shape, at(2, 9), &packet));
}
END_TEST

// --- room on a link ---

// The sender's side of a link whose receiver never gives room back.
static struct ts_noc_link blocked_link(void)
{
    return (struct ts_noc_link){.latency = 9, .credit = 7, .depth = 16, .ahead = 5, .pool = 48};
}

static void leave(struct ts_noc_link *link, uint32_t vc, uint32_t flits, ts_cycle now)
{
    ts_noc_link_use(link, vc, (int32_t)flits);
    link->vc[vc].past = now + flits;
    link->vc[vc].went = ~0ull >> (64 - flits);
}

START_TEST(test_room)
{
    // Trains leave unasked until their room is due back; then the buffer's 16 flits and 5 ahead are
    // what counts, for packets of one flit the 16 alone.
    struct ts_noc_link link = blocked_link();
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 16, true, 100), 16);
    leave(&link, 1, 16, 100);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 16, true, 115), 16);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 16, true, 116), 5);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 1, false, 116), 0);
    ts_noc_link_use(&link, 1, -1);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 1, false, 132), 1);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 1, 16, true, 132), 6);
    // All channels together have the pool, and each 1 + 5 flits of its own.
    link = blocked_link();
    for (uint32_t vc = 0; vc < 4; vc++)
        leave(&link, vc, 18, 100);
    ck_assert_int_eq(link.pool, 0);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 3, 3, true, 200), 0);
    ck_assert_uint_eq(ts_noc_link_allows(&link, 4, 16, true, 200), 6);
}
END_TEST

// --- translation ---

START_TEST(test_translation)
{
    struct ts_error error = {TS_OK, ""};
    static const char *const chips[] = {"p150", "p100", "p150-120"};
    for (int chip = 0; chip < 3; chip++) {
        struct ts_soc soc;
        ck_assert_msg(ts_soc_find(&soc, chips[chip], &error) == TS_OK, "%s", error.text);
        ck_assert_uint_eq(soc.tiles, chip ? 120 : 140);
        ck_assert_uint_eq(soc.channels, chip == 1 ? 7 : 8);
        for (unsigned noc = 0; noc < 2; noc++) {
            uint32_t config[TS_NOC_CFG_WORDS] = {0};
            ts_soc_translate(&soc, noc, at(1, 2), config);
            for (uint8_t y = 0; y < soc.height; y++)
                for (uint8_t x = 0; x < soc.width; x++) {
                    enum ts_noc_node node = soc.node[y][x];
                    if (node != TS_NOC_NODE_TENSIX && node != TS_NOC_NODE_DRAM)
                        continue;
                    // The name of a tile leads to the tile, on both NoCs.
                    struct ts_noc_xy name = ts_soc_logical(&soc, at(x, y)), raw;
                    struct ts_noc_xy to = ts_noc_translate(config, 5, name.x, name.y);
                    ck_assert_uint_eq(noc ? 16u - to.x : to.x, x);
                    ck_assert_uint_eq(noc ? 11u - to.y : to.y, y);
                    ck_assert(ts_soc_raw(&soc, name.x, name.y, &raw));
                    ck_assert(raw.x == x && raw.y == y);
                    if (node == TS_NOC_NODE_TENSIX)
                        ck_assert(name.y == y && name.x <= (chip ? 14 : 16));
                    else
                        ck_assert(name.x >= 17 && name.x <= 18 && name.y >= 12 && name.y <= 23);
                }
        }
        // Without translation coordinates are raw.
        uint32_t off[TS_NOC_CFG_WORDS] = {0};
        ck_assert_uint_eq(ts_noc_translate(off, 5, 17, 12).x, 17);
    }
    struct ts_soc soc;
    ck_assert_int_eq(ts_soc_find(&soc, "p100", &error), TS_OK);
    ck_assert_uint_eq(ts_soc_logical(&soc, at(16, 2)).x, 14); // columns 6 and 15 are harvested
    ck_assert_uint_eq(ts_soc_logical(&soc, at(6, 2)).x, 15);
    ck_assert_uint_eq(ts_soc_logical(&soc, at(0, 11)).y, 14);
}
END_TEST

// --- atomics: operation, data, address & 12, words before, words after, result ---

static const struct {
    uint32_t operation, data, address, before[4], after[4], result;
} atomics[] = {
    {0x1000 | 31 << 2 | 1, 5, 4, {1, 2, 3, 4}, {1, 7, 3, 4}, 2},
    {0x1000 | 3 << 2 | 0, 1, 0, {0xff, 0, 0, 0}, {0xf0, 0, 0, 0}, 0xff},    // wraps in four bits
    {0x1000 | 31 << 2 | 2, 1, 0, {9, 0, 0xffffffff, 0}, {9, 0, 0, 0}, 9},   // another word's value
    {0x4000 | 3 << 2 | 12 << 6 | 3, 0, 12, {0, 0, 0, 3}, {0, 0, 0, 12}, 3}, // equal: swaps
    {0x4000 | 3 << 2 | 12 << 6 | 3, 0, 12, {0, 0, 0, 4}, {0, 0, 0, 4}, 4},  // not equal
    {0x3000 | 0x81 << 2, 0xaaaabbbb, 0, {1, 1, 1, 1}, {0xbbbb, 1, 1, 0xaaaa0001}, 1},
    {0x6000 | 4 | 2, 77, 8, {0, 0, 1, 0}, {0, 0, 77, 0}, 1},
    {0x7000 | 3 << 2, 78, 12, {0, 0, 0, 2}, {0, 0, 0, 78}, 2},
    {0xa000 | 3 << 8 | 1, 79, 4, {0, 6, 0, 0}, {0, 79, 0, 0}, 6},
    {0xa000 | 8 << 8, 5, 0, {3, 0, 0, 0}, {8, 0, 0, 0}, 3},                             // amoadd
    {0xa000 | 12 << 8, 5, 0, {0xfffffff0, 0, 0, 0}, {0xfffffff0, 0, 0, 0}, 0xfffffff0}, // amomin
    {0xa000 | 14 << 8, 5, 0, {0xfffffff0, 0, 0, 0}, {5, 0, 0, 0}, 0xfffffff0},          // amominu
    {0x9000 | 4, 2, 0, {1, 2, 3, 0xffffffff}, {3, 4, 5, 1}, 1},
    {0x9000 | 7,
     0x01020304,
     0,
     {0xff00ff00, 0, 0, 0},
     {0xff02ff04, 0x01020304, 0x01020304, 0x01020304},
     0xff00ff00},
};

START_TEST(test_atomics)
{
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        uint32_t words[4], result;
        memcpy(words, atomics[i].before, sizeof words);
        ck_assert_ptr_null(ts_noc_atomic(atomics[i].operation, atomics[i].data, atomics[i].address,
                                         words, &result));
        ck_assert_msg(memcmp(words, atomics[i].after, sizeof words) == 0, "row %zu", i);
        ck_assert_msg(result == atomics[i].result, "row %zu", i);
    }
    uint32_t words[4] = {0}, result;
    ck_assert_ptr_nonnull(ts_noc_atomic(0x2000, 0, 0, words, &result));
}
END_TEST

// --- counters and transaction ids ---

// What an NIU counts and writes does not depend on its links.
static const char *const widths[] = {NULL, "noc.link_width=1", "noc.link_width=3",
                                     "noc.link_width=8"};

START_TEST(test_counters)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, (const char *const[]){widths[_i], NULL});
    struct ts_traffic_op ops[] = {
        ts_traffic_write(&rig.chip, 0, at(1, 2), at(3, 4), 0x1000, 0x2000, 40000 / 64 * 64, -1,
                         false),
        ts_traffic_write(&rig.chip, 0, at(1, 2), at(3, 4), 0x1000, 0x20000, 100, 1, true),
        ts_traffic_read(&rig.chip, 0, at(1, 2), at(3, 4), 0x1000, 0x40000, 130),
        ts_traffic_increment(&rig.chip, 0, at(1, 2), at(3, 4), 0x104, 0x200, 3, false),
        {.kind = TS_TRAFFIC_SENT},
        {.kind = TS_TRAFFIC_BARRIER},
    };
    for (int i = 0; i < 4; i++)
        ops[i].word[TS_NOC_TAG] = 5u << 10;
    rig_drive(&rig, at(1, 2), ops, 6);
    rig_fill(&rig, at(1, 2), 0x1000, 40000, 3);
    rig_run(&rig, 100000);
    rig_expect(&rig, at(3, 4), 0x2000, 40000 / 64 * 64, 3); // split in three by hardware
    const uint32_t *m = ts_chip_site(&rig.chip, at(1, 2))->niu[0].counters;
    const uint32_t *s = ts_chip_site(&rig.chip, at(3, 4))->niu[0].counters;
    ck_assert_uint_eq(m[TS_NOC_MST_CMD_ACCEPTED], 6);
    ck_assert_uint_eq(m[TS_NOC_MST_WR_ACK_RECEIVED], 3);
    ck_assert_uint_eq(m[TS_NOC_MST_NONPOSTED_WR_REQ_SENT], 3);
    ck_assert_uint_eq(m[TS_NOC_MST_NONPOSTED_WR_DATA_WORD_SENT], 625);
    ck_assert_uint_eq(m[TS_NOC_MST_POSTED_WR_REQ_SENT], 1);
    ck_assert_uint_eq(m[TS_NOC_MST_POSTED_WR_DATA_WORD_SENT], 2);
    ck_assert_uint_eq(m[TS_NOC_MST_RD_RESP_RECEIVED], 1);
    ck_assert_uint_eq(m[TS_NOC_MST_RD_DATA_WORD_RECEIVED], 3);
    ck_assert_uint_eq(m[TS_NOC_MST_ATOMIC_RESP_RECEIVED], 1);
    ck_assert_uint_eq(m[TS_NOC_MST_REQS_OUTSTANDING_ID + 5], 0);
    ck_assert_uint_eq(m[TS_NOC_MST_WRITE_REQS_OUTGOING_ID + 5], 0);
    ck_assert_uint_eq(ts_chip_site(&rig.chip, at(1, 2))->niu[0].rtz_source, 1u << 5);
    ck_assert_uint_eq(s[TS_NOC_SLV_WR_ACK_SENT], 3);
    ck_assert_uint_eq(s[TS_NOC_SLV_NONPOSTED_WR_REQ_RECEIVED], 3);
    ck_assert_uint_eq(s[TS_NOC_SLV_POSTED_WR_REQ_RECEIVED], 1);
    ck_assert_uint_eq(s[TS_NOC_SLV_RD_RESP_SENT], 1);
    ck_assert_uint_eq(s[TS_NOC_SLV_RD_DATA_WORD_SENT], 3);
    ck_assert_uint_eq(s[TS_NOC_SLV_ATOMIC_RESP_SENT], 1);
    rig_free(&rig);
}
END_TEST

// Byte enables: only the bytes that are named are written.
START_TEST(test_byte_enable)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, (const char *const[]){widths[_i], NULL});
    struct ts_traffic_op ops[] = {
        ts_traffic_write(&rig.chip, 1, at(1, 2), at(2, 2), 0x1000, 0x2000, 64, -1, false),
        {.kind = TS_TRAFFIC_BARRIER},
    };
    ops[0].word[TS_NOC_CTRL] |= TS_NOC_CTRL_WR_BE;
    ops[0].word[TS_NOC_AT_LEN_BE] = 0x0000ff01;
    ops[0].word[TS_NOC_AT_LEN_BE_1] = 0x80000000;
    rig_drive(&rig, at(1, 2), ops, 2);
    unsigned char bytes[64], got[64];
    memset(bytes, 0xaa, sizeof bytes);
    ck_assert_int_eq(ts_chip_write(&rig.chip, at(1, 2), 0x1000, bytes, 64, &rig.error), TS_OK);
    rig_run(&rig, 100000);
    ck_assert_int_eq(ts_chip_read(&rig.chip, at(2, 2), 0x2000, got, 64, &rig.error), TS_OK);
    for (int i = 0; i < 64; i++)
        ck_assert_uint_eq(got[i], i == 0 || (i >= 8 && i < 16) || i == 63 ? 0xaa : 0);
    rig_free(&rig);
}
END_TEST

// --- refusals: register, value, code, a word of the text ---

static const struct {
    enum ts_noc_register word;
    uint32_t value;
    enum ts_code code;
    const char *text;
} refusals[] = {
    {TS_NOC_RET_HI, 30 | 3 << 6, TS_CONTRACT, "outside the grid"},
    {TS_NOC_RET_HI, 15 | 3 << 6, TS_CONTRACT, "harvested"},
    {TS_NOC_RET_HI, 8 | 0 << 6, TS_NOT_IMPLEMENTED, "arc"},
    {TS_NOC_RET_LO, 0x180000 - 16, TS_CONTRACT, "past the end of L1"},
    {TS_NOC_RET_LO, 0x200000, TS_CONTRACT, "nothing is mapped"},
    {TS_NOC_RET_LO, 0xffb12000, TS_CONTRACT, "4 aligned bytes"},
    {TS_NOC_TARG_LO, 0x17ffff, TS_CONTRACT, "from 1-2:0x17ffff"},
    {TS_NOC_CTRL, 3, TS_CONTRACT, "reserved"},
    {TS_NOC_CTRL, TS_NOC_WRITE | TS_NOC_CTRL_L1_ACC, TS_NOT_IMPLEMENTED, "L1_ACC"},
    {TS_NOC_CTRL, TS_NOC_READ | TS_NOC_CTRL_BRCST, TS_CONTRACT, "broadcast"},
    {TS_NOC_CTRL, TS_NOC_WRITE | TS_NOC_CTRL_VC_STATIC | 6 << 13, TS_CONTRACT, "class bits"},
    {TS_NOC_CTRL, TS_NOC_WRITE | TS_NOC_CTRL_WR_INLINE, TS_CONTRACT, "inline"},
    {TS_NOC_TAG, 1 << 6, TS_NOT_IMPLEMENTED, "overlay"},
    {TS_NOC_TAG, 1 << 9, TS_NOT_IMPLEMENTED, "HEADER_STORE"},
    {TS_NOC_AT_LEN_BE, 0, TS_CONTRACT, "zero"},
};

START_TEST(test_refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        static struct rig rig;
        rig_init(&rig, "p100", 1, NULL);
        struct ts_traffic_op op = ts_traffic_write(&rig.chip, 0, at(1, 2), at(2, 2), 0x1000, 0x2000,
                                                   64, -1, false);
        op.word[refusals[i].word] = refusals[i].value;
        rig_drive(&rig, at(1, 2), &op, 1);
        ck_assert_int_eq(ts_kernel_elaborate(rig.kernel, &rig.error), TS_OK);
        rig.run = ts_kernel_run(rig.kernel, 100000);
        ck_assert_msg(rig.run.stop == TS_STOP_FAULT && rig.run.error.code == refusals[i].code &&
                          strstr(rig.run.error.text, refusals[i].text),
                      "row %zu: %s", i, rig.run.error.text);
        ck_assert_ptr_nonnull(strstr(rig.run.error.text, "tile[1-2].traffic0: cycle 0: "));
        rig_free(&rig);
    }
}
END_TEST

// The branch of a multicast that goes on behind its last receiver, into the columns that have no
// Tensix tile, and slowly: the packet stays what it is until that branch ends.
START_TEST(test_dead_end)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    struct ts_traffic_op sends[] = {
        ts_traffic_multicast(&rig.chip, 0, at(10, 4), at(1, 4), at(16, 4), 0x1000, 0x2000, 64, 0),
        ts_traffic_increment(&rig.chip, 0, at(10, 4), at(11, 4), 0x104, 0x200, 1, true),
    };
    struct ts_traffic_op ops[400], flood[2];
    for (int i = 0; i < 400; i++) {
        ops[i] = sends[i % 2];
        ops[i].count = 1;
    }
    rig_drive(&rig, at(10, 4), ops, 400);
    for (unsigned i = 0; i < 2; i++) {
        flood[i] = ts_traffic_write(&rig.chip, 0, at(6 + i, 4), at(10 + i, 5), 0x1000, 0x8000,
                                    16384, (int)i, true);
        flood[i].count = 40;
        rig_drive(&rig, at(6 + i, 4), &flood[i], 1);
    }
    rig_run(&rig, 1000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    uint32_t sum;
    ck_assert_int_eq(ts_chip_read(&rig.chip, at(11, 4), 0x104, &sum, 4, &rig.error), TS_OK);
    ck_assert_uint_eq(sum, 200);
    rig_free(&rig);
}
END_TEST

// A complete chip with nothing to do costs nothing.
START_TEST(test_idle)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    rig_run(&rig, 1000000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    ck_assert_uint_le(rig.run.activations, 204 * 4 + 2); // every component looks once
    ck_assert_uint_eq(rig.run.cycle, 1);
    rig_free(&rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_unicast);
    tcase_add_test(tests, test_broadcast);
    tcase_add_test(tests, test_dateline);
    tcase_add_test(tests, test_exclude);
    tcase_add_test(tests, test_room);
    tcase_add_test(tests, test_translation);
    tcase_add_test(tests, test_atomics);
    tcase_add_loop_test(tests, test_counters, 0, 4);
    tcase_add_loop_test(tests, test_byte_enable, 0, 4);
    tcase_add_test(tests, test_refusals);
    tcase_add_test(tests, test_dead_end);
    tcase_add_test(tests, test_idle);
}

SUITE("noc_units", add_tests)
