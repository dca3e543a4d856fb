// Wormhole's networks: registers where its map has them, names of tiles, packets, DRAM tiles of two channels.
#include "tests/chip/rig.h"
#include "tests/suite.h"

static struct rig rig;

static struct ts_noc_niu *niu_of(unsigned x, unsigned y)
{
    return &ts_noc_torus_site(&rig.chip.torus, x, y)->niu[0];
}

static void begin(void)
{
    rig_init(&rig, "n150", 1, NULL);
    rig.elaborated = true;
    ck_assert_msg(ts_kernel_elaborate(rig.kernel, &rig.error) == TS_OK, "%s", rig.error.text);
}

static uint32_t load(struct ts_noc_niu *niu, uint32_t offset)
{
    uint32_t value = 0;
    ck_assert_msg(ts_noc_niu_load(niu, offset, 0, &value, &rig.error) == TS_OK, "+0x%x: %s", offset,
                  rig.error.text);
    return value;
}

static void store(struct ts_noc_niu *niu, uint32_t offset, uint32_t value)
{
    ck_assert_msg(ts_noc_niu_store(niu, offset, value, 0, 0, &rig.error) == TS_OK, "+0x%x: %s",
                  offset, rig.error.text);
}

// --- registers: offset, what is stored, what is read; the unit's word and its value ---

static const struct {
    uint32_t offset, value, initiator;
    enum ts_noc_register word;
    uint32_t inside;
} registers[] = {
    {0x000, 0x12345678, 0, TS_NOC_TARG_LO, 0x12345678},
    {0x004, 3 << 4 | 5 << 10 | 9, 0, TS_NOC_TARG_MID, 9},
    {0x004, 3 << 4 | 5 << 10 | 9, 0, TS_NOC_TARG_HI, 3 | 5 << 6},
    {0x00c, 0x4000, 0, TS_NOC_RET_LO, 0x4000},
    {0x410, 1 << 4 | 2 << 10 | 3 << 16 | 4 << 22, 1, TS_NOC_RET_HI, 1 | 2 << 6 | 3 << 12 | 4 << 18},
    {0x818, 0x2400, 2, TS_NOC_TAG, 0x2400},
    {0xc1c, 0x2010, 3, TS_NOC_CTRL, 0x2010},
    {0x020, 8192, 0, TS_NOC_AT_LEN_BE, 8192},
    {0x424, 77, 1, TS_NOC_AT_DATA, 77},
};

START_TEST(initiators)
{
    begin();
    struct ts_noc_niu *niu = niu_of(1, 1);
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        store(niu, registers[i].offset, registers[i].value);
        ck_assert_uint_eq(load(niu, registers[i].offset), registers[i].value);
        ck_assert_uint_eq(niu->initiators[registers[i].initiator].word[registers[i].word],
                          registers[i].inside);
    }
    ck_assert_uint_eq(load(niu, 0x2c), niu->node_id);
    ck_assert_uint_eq(load(niu, 0x42c), niu->node_id);
    ck_assert_uint_eq(load(niu, 0x30), 0x010000);
    ck_assert_uint_eq(load(niu, 0x138), 18 | 18 << 6); // NOC_ID_LOGICAL
    ck_assert_uint_eq(load(niu_of(5, 10), 0x30), 0x080000 | 3 << 8 | 2);
    rig_free(&rig);
}
END_TEST

static const uint32_t absent[] = {0x008, 0x014, 0x034, 0x054, 0x13c, 0x300, 0x440, 0x450, 0x1000};

START_TEST(registers_that_are_not_there)
{
    begin();
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        char offset[16];
        uint32_t value;
        enum ts_code code = ts_noc_niu_load(niu_of(1, 1), absent[i], 0, &value, &rig.error);
        snprintf(offset, sizeof offset, "+0x%x", absent[i]);
        ck_assert_msg(code == TS_CONTRACT || code == TS_NOT_IMPLEMENTED, "%s", offset);
        ck_assert_ptr_nonnull(strstr(rig.error.text, offset));
        rig.error.code = TS_OK;
    }
    rig_free(&rig);
}
END_TEST

// --- packets of 8 KiB, words of 32 bytes, through the registers as a core has them ---

static const struct {
    uint32_t bytes, packets, words;
} reads[] = {{32, 1, 1}, {33, 1, 2}, {8192, 1, 256}, {8224, 2, 257}, {20000, 3, 625}};

START_TEST(packets)
{
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        begin();
        struct ts_noc_niu *niu = niu_of(1, 1);
        rig_fill(&rig, at(3, 9), 0x10000, reads[i].bytes, 5);
        store(niu, 0x400, 0x10000);
        store(niu, 0x404, 20 << 4 | 25 << 10); // 3-9
        store(niu, 0x40c, 0x20000);
        store(niu, 0x410, 18 << 4 | 18 << 10);
        store(niu, 0x41c, TS_NOC_READ);
        store(niu, 0x420, reads[i].bytes);
        store(niu, 0x428, 1);
        rig_run(&rig, 100000);
        rig_expect(&rig, at(1, 1), 0x20000, reads[i].bytes, 5);
        ck_assert_uint_eq(load(niu, 0x200 + 4 * TS_NOC_MST_RD_RESP_RECEIVED), reads[i].packets);
        ck_assert_uint_eq(load(niu, 0x200 + 4 * TS_NOC_MST_RD_DATA_WORD_RECEIVED), reads[i].words);
        rig_free(&rig);
    }
}
END_TEST

// An inline write to L1: of 16 bytes those whose bit is in either half of the mask.
START_TEST(inline_to_l1)
{
    begin();
    struct ts_noc_niu *niu = niu_of(1, 1);
    const unsigned char expected[16] = {0, 0, 0, 0, 0x44, 0x33, 0, 0, 0, 0, 0, 0, 0, 0x33, 0x22, 0};
    unsigned char got[16];
    store(niu, 0x000, 0x30004);
    store(niu, 0x004, 19 << 4 | 18 << 10); // 2-1
    store(niu, 0x01c, TS_NOC_WRITE | TS_NOC_CTRL_WR_INLINE | TS_NOC_CTRL_RESP_MARKED);
    store(niu, 0x020, 0x0030 | 0x60000000);
    store(niu, 0x024, 0x11223344);
    store(niu, 0x028, 1);
    rig_run(&rig, 100000);
    ck_assert_int_eq(ts_chip_read(&rig.chip, at(2, 1), 0x30000, got, 16, &rig.error), TS_OK);
    ck_assert_mem_eq(got, expected, 16);
    rig_free(&rig);
}
END_TEST

// --- names ---

START_TEST(names)
{
    struct ts_error error = {TS_OK, ""};
    static const char *const chips[] = {"n150", "n300", "galaxy-wh"};
    static const uint8_t last[] = {26, 25, 27};
    for (int chip = 0; chip < 3; chip++) {
        struct ts_soc soc;
        ck_assert_msg(ts_soc_find(&soc, chips[chip], &error) == TS_OK, "%s", error.text);
        for (unsigned i = 0; i < 2u * soc.width * soc.height; i++) {
            const uint8_t noc = i & 1, x = (uint8_t)(i / 2 % soc.width),
                          y = (uint8_t)(i / 2 / soc.width);
            uint32_t config[TS_NOC_CFG_WORDS] = {0};
            ts_soc_translate(&soc, noc, at(x, y), config);
            struct ts_noc_xy name = ts_soc_logical(&soc, at(x, y)), raw,
                             to = ts_noc_translate(config, 4, name.x, name.y),
                             same = ts_noc_translate(config, 4, x, y);
            if (soc.node[y][x] == TS_NOC_NODE_EMPTY)
                continue; // it has no other name
            ck_assert_uint_eq(noc ? 9u - to.x : to.x, x);
            ck_assert_uint_eq(noc ? 11u - to.y : to.y, y);
            ck_assert(same.x == x && same.y == y);
            ck_assert(ts_soc_raw(&soc, name.x, name.y, &raw) && raw.x == x && raw.y == y);
            if (soc.node[y][x] == TS_NOC_NODE_TENSIX)
                ck_assert(name.x >= 18 && name.x <= 25 && name.y >= 18 && name.y <= last[chip]);
        }
    }
}
END_TEST

// --- DRAM: where two streams of reads begin, and how long they take of what one takes ---

#define GIB (UINT64_C(1) << 30)

static const struct {
    uint64_t first, second;
    double times;
} halves[] = {{0, 0x100000, 2}, {0, GIB, 1}, {GIB, GIB + 0x100000, 2}};

static double read_two(uint64_t first, uint64_t second)
{
    rig_init(&rig, "n150", 1, NULL);
    struct ts_traffic_op ops[2][2];
    const uint64_t from[] = {first, second};
    const unsigned streams = second ? 2 : 1;
    for (unsigned i = 0; i < streams; i++) {
        const struct ts_noc_xy by = at(1 + i, 5);
        rig_fill(&rig, at(0, 5 + i), from[i], 8192, i);
        ops[i][0] = ts_traffic_read(&rig.chip, i, by, at(0, 5 + i), from[i], 0x1000, 8192);
        ops[i][0].count = 32;
        ops[i][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, by, ops[i], 2);
    }
    rig_run(&rig, 1000000);
    for (unsigned i = 0; i < streams; i++)
        rig_expect(&rig, at(1 + i, 5), 0x1000, 8192, i);
    const double cycles = (double)rig.run.cycle;
    rig_free(&rig);
    return cycles;
}

START_TEST(dram_halves)
{
    const double alone = read_two(0, 0);
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        ck_assert_double_eq_tol(read_two(halves[i].first, halves[i].second) / alone,
                                halves[i].times, 0.1);
}
END_TEST

// --- what is refused: place, address, bytes, its rule ---

static const struct {
    uint32_t x, y, lo, bytes;
    const char *rule;
    enum ts_code code;
} refused[] = {
    {1, 0, 0x1000, 32, "noc-other", TS_NOT_IMPLEMENTED}, // an Ethernet tile
    {0, 3, 0x1000, 32, "noc-other", TS_NOT_IMPLEMENTED}, // PCIe
    {0, 2, 0x1000, 32, "noc-empty", TS_CONTRACT},
    {1, 11, 0x1000, 32, "noc-harvested", TS_CONTRACT},
    {2, 1, 0x16e000, 32, "noc-unmapped", TS_CONTRACT},
    {2, 1, 0x16dff0, 32, "noc-range-l1", TS_CONTRACT},
    {0, 0, 0x7ffffff0, 32, "noc-range-dram", TS_CONTRACT},
    {0, 0, 0x1010, 32, "noc-align-dram-read", TS_CONTRACT},
    {2, 1, 0x1010, 8224, "noc-split-align", TS_CONTRACT},
    {12, 1, 0x1000, 32, "noc-tile", TS_CONTRACT},
};

START_TEST(refusals)
{
    begin();
    struct ts_noc_niu *niu = niu_of(1, 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        store(niu, 0x400, refused[i].lo);
        store(niu, 0x404, refused[i].x << 4 | refused[i].y << 10);
        store(niu, 0x40c, refused[i].lo % 32 ? 0x20000 + refused[i].lo % 32 / 32 : 0x20000);
        store(niu, 0x410, 1 << 4 | 1 << 10);
        store(niu, 0x41c, TS_NOC_READ);
        store(niu, 0x420, refused[i].bytes);
        ck_assert_int_eq(ts_noc_niu_store(niu, 0x428, 1, 0, 0, &rig.error), refused[i].code);
        ck_assert_msg(strstr(rig.error.text, refused[i].rule) != NULL, "row %zu: %s", i,
                      rig.error.text);
        rig.error.code = TS_OK;
    }
    rig_free(&rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, initiators);
    tcase_add_test(tests, registers_that_are_not_there);
    tcase_add_test(tests, packets);
    tcase_add_test(tests, inline_to_l1);
    tcase_add_test(tests, names);
    tcase_add_test(tests, dram_halves);
    tcase_add_test(tests, refusals);
}

SUITE("noc_wormhole", add_tests)
