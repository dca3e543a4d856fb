// libttsim.so, driven as the vendor's host software drives it: only its ten functions. One process, as a host has it.
#include "tests/folder.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <sys/wait.h>
#include <unistd.h>

static struct card card;

static void start(void)
{
    unsetenv("TENSIM_OPTIONS");
    card_open(&card);
    card.init();
}

static void start_with(const char *options)
{
    setenv("TENSIM_OPTIONS", options, 1);
    card_open(&card);
    card.init();
}

static void finish(void)
{
    card.exit();
    ck_assert_int_eq(dlclose(card.library), 0);
}

// --- the host's memory ---

static unsigned char memory[1 << 16];
static uint64_t touched; // the last address

static void host_rd(uint64_t address, void *bytes, uint32_t length)
{
    touched = address;
    memcpy(bytes, memory + address % sizeof memory, length);
}

static void host_wr(uint64_t address, const void *bytes, uint32_t length)
{
    touched = address;
    memcpy(memory + address % sizeof memory, bytes, length);
}

static void start_with_memory(const char *options)
{
    setenv("TENSIM_OPTIONS", options, 1);
    card_open(&card);
    card.callbacks(host_rd, host_wr);
    card.init();
}

// --- start and end ---

START_TEST(opens_again_and_again)
{
    unsetenv("TENSIM_OPTIONS");
    for (int i = 0; i < 2; i++) { // UMD looks first, and opens it again
        card_open(&card);
        dlclose(card.library);
    }
    card_open(&card);
    for (uint32_t i = 0; i < 3; i++) {
        card.init();
        ck_assert_uint_eq(card_read32(&card, 1, 2, 0x100), 0); // nothing is left of the last card
        card_write32(&card, 1, 2, 0x100, i + 1);
        ck_assert_uint_eq(card_read32(&card, 1, 2, 0x100), i + 1);
        card.exit();
    }
    dlclose(card.library);
    start();
    finish();
}
END_TEST

START_TEST(has_a_configuration_space)
{
    static const struct {
        uint32_t offset, word;
    } rows[] = {{0x00, 0xb1401e52}, {0x08, 0x12000000}, {0x10, 0x00000004}, {0x14, 1},
                {0x18, 0x20000004}, {0x1c, 1},          {0x20, 0x00000004}, {0x24, 8},
                {0x2c, 0},          {0x3c, 0xff}};
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(card.config_rd(0, rows[i].offset), rows[i].word);
    ck_assert_uint_eq(card.config_rd(1 << 3, 0), 0xffffffff); // no second device
    card.config_wr(0, 0x10, 0xffffffff);                      // how large is BAR0?
    ck_assert_uint_eq(card.config_rd(0, 0x10), 0xe0000004);
    card.config_wr(0, 0x10, 0x40000000); // and it moves
    card.config_wr(0, 0x14, 2);
    card_word(&card, 0x240000000ull + WINDOW_WORDS, 7);
    uint32_t word;
    card.rd(0x240000000ull + WINDOW_WORDS, &word, 4);
    ck_assert_uint_eq(word, 7);
    finish();
}
END_TEST

// --- windows ---

START_TEST(windows_reach_tiles_and_dram)
{
    static const struct {
        uint32_t x, y;
        uint64_t address;
    } places[] = {
        {1, 2, 0x1000},       {16, 11, 0x17fff0}, {18, 12, 0},       {17, 12, 0xfffffff0},
        {18, 15, 0x12345670}, {20, 25, 0x70000},  {31, 25, 0x10000}, {8, 0, 0x10040000},
    };
    uint32_t wrote[4], got[4];
    start();
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (uint32_t k = 0; k < 4; k++)
            wrote[k] = i * 0x01010101 + k;
        card_write(&card, places[i].x, places[i].y, places[i].address, wrote, sizeof wrote);
    }
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        card_read(&card, places[i].x, places[i].y, places[i].address, got, sizeof got);
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_uint_eq(got[k], i * 0x01010101 + k);
    }
    // The three ports of a channel show one memory; a byte at an odd address.
    ck_assert_uint_eq(card_read32(&card, 18, 13, 0), 2 * 0x01010101);
    unsigned char byte = 0x5a;
    card_write(&card, 1, 2, 0x1001, &byte, 1);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x1000), 0x00005a00);
    // Windows are apart.
    card_window(&card, 5, 0, 2 << 11 | 2 << 17, 0);
    card_word(&card, BAR0 + 5 * WINDOW + 0x1000, 77);
    ck_assert_uint_eq(card_read32(&card, 2, 2, 0x1000), 77);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x1000), 0x00005a00);
    // Registers, several words at once.
    card_read(&card, 1, 2, 0xffb12228, got, 12);
    ck_assert_uint_eq(card_read32(&card, 1, 2, SOFT_RESET), HELD);
    finish();
}
END_TEST

START_TEST(large_windows_reach_dram)
{
    uint32_t word;
    start();
    card_window(&card, 203, 0, 17 | 12 << 6, 0);
    card_word(&card, BAR4 + (1ull << 32) + 0xabcdef00, 0x1234);
    card.rd(BAR4 + (1ull << 32) + 0xabcdef00, &word, 4);
    ck_assert_uint_eq(word, 0x1234);
    ck_assert_uint_eq(card_read32(&card, 17, 13, 0xabcdef00), 0x1234);
    finish();
}
END_TEST

START_TEST(multicast_reaches_a_rectangle)
{
    start();
    for (uint32_t noc = 0; noc < 2; noc++) { // on NoC 1 the corners change places
        uint32_t x0 = noc ? 12 : 6, y0 = noc ? 4 : 3, x1 = noc ? 6 : 12, y1 = noc ? 3 : 4;
        card_window(&card, 1, 0, x1 << 11 | y1 << 17 | x0 << 23 | y0 << 29,
                    y0 >> 3 | noc << 3 | 1 << 5);
        card_word(&card, BAR0 + WINDOW + 0x2000, 0xc0ffee + noc);
        for (uint32_t y = 2; y < 12; y++)
            for (uint32_t x = 1; x < 17; x++) {
                if (x == 8 || x == 9)
                    continue;
                bool inside = y >= 3 && y <= 4 && x >= 6 && x <= 12;
                ck_assert_uint_eq(card_read32(&card, x, y, 0x2000), inside ? 0xc0ffee + noc : 0);
            }
    }
    finish();
}
END_TEST

// --- BAR2 ---

START_TEST(dma_copies_from_the_host)
{
    uint32_t word;
    start_with_memory("");
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(i * 7);
    card_window(&card, 3, 0, 4 << 11 | 5 << 17, 0);
    const uint32_t registers[][2] = {
        {0x100, 1}, {0x11c, 0x3000}, {0x120, 0x1000}, {0x124, 9}, {0x128, 3 * WINDOW + 0x4000},
        {0x12c, 0}, {0x104, 1}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        card_word(&card, BAR2 + registers[i][0], registers[i][1]);
    card.rd(BAR2 + 0x11c, &word, 4);
    ck_assert_uint_eq(word, 0);
    ck_assert_uint_eq(touched >> 32, 9);
    unsigned char got[0x3000];
    card_read(&card, 4, 5, 0x4000, got, sizeof got);
    ck_assert_mem_eq(got, memory + 0x1000, sizeof got);
    finish();
}
END_TEST

#define PCIE_XY (19u | 24u << 6)
#define OWN_XY  (1u | 2u << 6)

// A kernel writes 64 bytes to the host and reads 64 others, straight and through the iATU; with one thread and two.
START_TEST(kernels_reach_the_host)
{
    const uint32_t region[] = {0, 0, 0x00100000, 0, 0x001fffff, 0x00008000, 0x3, 0, 0};
    start_with_memory(_i ? "-j 2" : "");
    for (uint32_t i = 0; i < sizeof region / sizeof *region; i++)
        card_word(&card, BAR2 + 0x1000 + 2 * 0x200 + 4 * i, region[i]);
    card_word(&card, BAR2 + 0x1000 + 2 * 0x200 + 4, 0x80000000);
    memset(memory, 0, sizeof memory);
    for (uint32_t i = 0; i < 64; i++)
        memory[0x8400 + i] = (unsigned char)(i + 1);
    struct program program = {.count = 0};
    emit_copy(&program, 0x8000, 0xffb121f0);
    emit_noc(&program, 0x9000, OWN_XY, 0x200, PCIE_XY, 64, 2);                 // window 0
    emit_wait(&program, 0xffb20204, 1);                                        // acknowledged
    emit_noc(&program, 4ull << 58 | 0x100400, PCIE_XY, 0xa000, OWN_XY, 64, 0); // window 4
    emit_wait(&program, 0xffb20208, 1);                                        // read
    emit_store(&program, 0x8010, 0x600d);
    emit_end(&program);
    for (uint32_t i = 0; i < 16; i++)
        card_write32(&card, 1, 2, 0x9000 + 4 * i, 0x40302010 + i);
    card_run(&card, 1, 2, &program);
    ck_assert(card_wait(&card, 1, 2, 0x8010, 0x600d, 100));
    ck_assert_uint_eq(touched, 0x300008400ull);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t word;
        memcpy(&word, memory + 0x200 + 4 * i, 4);
        ck_assert_uint_eq(word, 0x40302010 + i);
    }
    unsigned char got[64];
    card_read(&card, 1, 2, 0xa000, got, sizeof got);
    ck_assert_mem_eq(got, memory + 0x8400, sizeof got);
    finish();
}
END_TEST

// --- time ---

START_TEST(time_passes_in_steps)
{
    struct program program = {.count = 0};
    start_with("--quantum=5000");
    emit_copy(&program, 0x8000, 0xffb121f0); // the wall clock
    emit_store(&program, 0x8004, 1);
    emit_wait(&program, 0x8008, 5);
    emit_copy(&program, 0x800c, 0xffb121f0);
    emit_store(&program, 0x8004, 2);
    emit_end(&program);
    uint32_t before = card_read32(&card, 1, 2, 0xffb121f0);
    card.clock(1);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0xffb121f0), before + 5000);
    card_run(&card, 1, 2, &program);
    // A host that reads only once: the read takes longer than what the write began.
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8004), 1);
    card_write32(&card, 1, 2, 0x8008, 5);
    card.clock(1);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8004), 2);
    uint32_t first = card_read32(&card, 1, 2, 0x8000), second = card_read32(&card, 1, 2, 0x800c);
    ck_assert_uint_gt(second, first);
    ck_assert_uint_lt(second - first, 6000);
    finish();
}
END_TEST

START_TEST(a_step_ends_when_a_polled_word_changes)
{
    struct program program = {.count = 0};
    start_with("--quantum=100000");
    emit_wait(&program, 0x8008, 5);
    emit_store(&program, 0x8004, 2);
    emit_copy(&program, 0x800c, 0xffb121f0);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8004), 0);
    card_write32(&card, 1, 2, 0x8008, 5);
    card.clock(1);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8004), 2);
    uint32_t now = card_read32(&card, 1, 2, 0xffb121f0);
    ck_assert_uint_lt(now, 101000);
    finish();
}
END_TEST

// Counters of the NoC overlay, from the host and from a core.
START_TEST(overlay_registers_count)
{
    struct program program = {.count = 0};
    start();
    emit_wait(&program, 0xffb414a4, 7);
    emit_store(&program, 0xffb42020, 0x12345);
    emit_store(&program, 0x8004, 2);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card_write32(&card, 1, 2, 0xffb41028, 3);
    card.clock(2);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0x8004), 0);
    card_write32(&card, 1, 2, 0xffb41438, 4 << 6);
    ck_assert(card_wait(&card, 1, 2, 0x8004, 2, 10));
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0xffb41028), 3);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0xffb414a4), 7);
    ck_assert_uint_eq(card_read32(&card, 1, 2, 0xffb42020), 0x12345);
    finish();
}
END_TEST

// --- ARC and Ethernet ---

#define ARC 8, 0

static uint32_t telemetry(uint32_t tag)
{
    uint32_t table = card_read32(&card, ARC, 0x80030400 + 4 * 13),
             values = card_read32(&card, ARC, 0x80030400 + 4 * 12);
    for (uint32_t i = 0; i < card_read32(&card, ARC, table + 4); i++) {
        uint32_t row = card_read32(&card, ARC, table + 8 + 4 * i);
        if ((row & 0xffff) == tag)
            return card_read32(&card, ARC, values + 4 * (row >> 16));
    }
    return UINT32_MAX;
}

START_TEST(the_arc_answers)
{
    start();
    ck_assert_uint_eq(card_read32(&card, ARC, 0x80030400 + 4 * 2) & 5, 5);
    ck_assert_uint_eq(telemetry(14), 1350);
    ck_assert_uint_eq(telemetry(1), 0x400);
    ck_assert_uint_eq(telemetry(22), 0x5555);
    ck_assert_uint_eq(telemetry(99), UINT32_MAX);
    uint32_t block = card_read32(&card, ARC, 0x80030400 + 4 * 11),
             queue = card_read32(&card, ARC, block), shape = card_read32(&card, ARC, block + 4);
    ck_assert_uint_eq(shape, 8 | 4 << 8);
    static const uint32_t messages[][2] = {{0x11, 0}, {0x58, 1}, {0x57, 0}, {0x90, 0}};
    for (uint32_t i = 0; i < 20; i++) { // the pointers wrap
        uint32_t written = card_read32(&card, ARC, queue);
        const uint32_t *message = messages[i % 4];
        card_write32(&card, ARC, queue + 32 + written % 8 * 32, message[0]);
        card_write32(&card, ARC, queue, (written + 1) % 16);
        card_write32(&card, ARC, i % 2 ? 0x80030100 : 0x800b0000, 1u << 16);
        ck_assert_uint_eq(card_read32(&card, ARC, queue + 0x10), (written + 1) % 16);
        ck_assert_uint_eq(card_read32(&card, ARC, queue + 0x14), (written + 1) % 16);
        ck_assert_uint_eq(card_read32(&card, ARC, queue + 32 + (8 + written % 8) * 32), message[1]);
    }
    // Node ids and translation, of ARC and PCIe tiles.
    uint32_t word;
    ck_assert_uint_eq(card_read32(&card, ARC, 0x80050044) & 0xfff, 8);
    ck_assert_uint_eq(card_read32(&card, ARC, 0x80050100) >> 14 & 1, 1);
    card.rd(BAR0 + 0x1fd04044, &word, 4);
    ck_assert_uint_eq(word & 0xfff, 2);
    card.rd(BAR0 + 0x1fd14100, &word, 4);
    ck_assert_uint_eq(word >> 14 & 1, 1);
    finish();
}
END_TEST

START_TEST(ethernet_tiles_have_links_that_are_down)
{
    start();
    for (uint32_t x = 20; x < 32; x++) {
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x7cc00), 0xc0dea000);
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x7cc04), 2);
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x7cfbc), 0x00010600);
        uint32_t beat = card_read32(&card, x, 25, 0x7cc70);
        ck_assert_uint_eq(beat >> 16, 0xabcd);
        ck_assert_uint_ne(card_read32(&card, x, 25, 0x7cc70), beat);
        card_write32(&card, x, 25, 0x7d010, 0xca110002);
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x7d010), 0xd0e50002);
        ck_assert_uint_eq(card_read32(&card, x, 25, 0xffb9800c), 0); // PCS: down
        card_write32(&card, x, 25, 0xffb98150, 0);
        card_write32(&card, x, 25, 0xffb98154, 0);
    }
    finish();
}
END_TEST

// What tt-metal does with every idle Ethernet tile when it opens a device (facts: its risc_firmware_initializer.cpp): both cores
// held, mailboxes cleared, firmware and its start address, interrupts off, a go message, cores released, polls.
static void open_ethernet(uint32_t x)
{
    static const uint32_t zeros[64];
    enum { FIRMWARE = 0x3330, GO = 0x590, LAUNCH = 0x110 };
    struct program program = {.count = 0};
    emit_store(&program, 0x8000, 0x600d + x);
    emit_store(&program, GO, 0x00123456); // the firmware is ready
    emit_wait(&program, GO, 0x80123456);  // and launches what the host sends
    emit_copy(&program, 0x8004, LAUNCH);
    emit_store(&program, GO, 0x00123456);
    emit_end(&program);
    card_write32(&card, x, 25, SOFT_RESET, 0x1800);
    ck_assert_uint_eq(card_read32(&card, x, 25, SOFT_RESET), 0x1800);
    card_write(&card, x, 25, LAUNCH, zeros, sizeof zeros);
    card_write32(&card, x, 25, FIRMWARE - 0x330, 0);
    card_write(&card, x, 25, FIRMWARE, program.word, 4 * program.count);
    for (uint32_t r = 0xffb14020; r <= 0xffb14030; r += 4) {
        card_write32(&card, x, 25, r, 0);
        ck_assert_uint_eq(card_read32(&card, x, 25, r), 0);
    }
    card_write32(&card, x, 25, 0xffb14000, FIRMWARE);
    ck_assert_uint_eq(card_read32(&card, x, 25, 0xffb14000), FIRMWARE);
    card_write32(&card, x, 25, 0xffb14008, 0);
    card_write32(&card, x, 25, GO, 0x40123456);
    card_write32(&card, x, 25, SOFT_RESET, 0); // core 1 has no program: it stays the firmware's
}

START_TEST(a_host_opens_the_card)
{
    start();
    for (uint32_t x = 20; x < 32; x++)
        open_ethernet(x);
    for (uint32_t x = 20; x < 32; x++)
        ck_assert(card_wait(&card, x, 25, 0x590, 0x00123456, 50));
    for (uint32_t x = 20; x < 32; x++) { // a launch
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x8000), 0x600d + x);
        card_write32(&card, x, 25, 0x110, 7 * x);
        card_write32(&card, x, 25, 0x590, 0x80123456);
        ck_assert(card_wait(&card, x, 25, 0x590, 0x00123456, 50));
        ck_assert_uint_eq(card_read32(&card, x, 25, 0x8004), 7 * x);
        card_write32(&card, x, 25, SOFT_RESET, 0x1800);
    }
    finish();
}
END_TEST

// "Release core" of the firmware's mailbox: core 0 starts at the argument, with a stack, and may return.
START_TEST(ethernet_firmware_releases_its_core)
{
    struct program program = {.count = 0};
    emit(&program, 0xfe112e23); // sw ra, -4(sp)
    emit(&program, 0xffc12303); // lw t1, -4(sp)
    emit_li(&program, 5, 0x9000);
    emit(&program, 6u << 20 | 5u << 15 | 2u << 12 | 0x23); // *0x9000 = ra
    emit(&program, 0x00008067);                            // ret
    start();
    card_write(&card, 21, 25, 0x4000, program.word, 4 * program.count);
    card_write32(&card, 21, 25, 0x7d004, 0x4000);
    card_write32(&card, 21, 25, 0x7d000, 0xca110002);
    ck_assert_uint_eq(card_read32(&card, 21, 25, 0x7d000), 0xd0e50002);
    ck_assert(card_wait(&card, 21, 25, 0x9000, 0x7cf24, 50));
    finish();
}
END_TEST

// --- what ends the process ---

static void poll_for_ever(void)
{
    struct program program = {.count = 0};
    emit_wait(&program, 0x8008, 5);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card_wait(&card, 1, 2, 0x8010, 1, 5000);
}

static void poll_the_overlay(void)
{
    struct program program = {.count = 0};
    emit_wait(&program, 0xffb414a4, 7);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card_wait(&card, 1, 2, 0x8010, 1, 5000);
}

static void host_without_memory(void)
{
    struct program program = {.count = 0};
    emit_noc(&program, 0x9000, OWN_XY, 0x200, PCIE_XY, 64, 2);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card.clock(10);
}

static void run_past_l1(void)
{
    struct program program = {.count = 0};
    emit_store(&program, 0xffb00000 - 16, 1);
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    card.clock(10);
}

// The only core has ended, or none has started, and the host goes on polling.
static void poll_the_ended(void)
{
    struct program program = {.count = 0};
    emit_end(&program);
    card_run(&card, 1, 2, &program);
    for (unsigned i = 0; i < 2000; i++) {
        card_read32(&card, 1, 2, 0x8010);
        card.clock(1);
    }
}

// A failed assertion of the only core.
static void poll_the_broken(void)
{
    struct program program = {.count = 0};
    emit(&program, 0x00100073); // ebreak
    card_run(&card, 1, 2, &program);
    for (unsigned i = 0; i < 2000; i++) {
        card_read32(&card, 1, 2, 0x8010);
        card.clock(1);
    }
}

static void poll_in_reset(void)
{
    for (unsigned i = 0; i < 2000; i++) {
        card_read32(&card, 1, 2, 0x8010);
        card.clock(1);
    }
}

static uint32_t word;
static unsigned char large[0x200001];

static void unknown_message(void)
{
    card_write32(&card, ARC, 0x10000400 + 32, 0xee);
    card_write32(&card, ARC, 0x10000400, 1);
    card_write32(&card, ARC, 0x800b0000, 1);
}

static void multicast_read(void)
{
    card_window(&card, 1, 0, 2 << 11 | 3 << 17 | 1 << 23 | 2u << 29, 1 << 5);
    card.rd(BAR0 + WINDOW, &word, 4);
}

static void empty_rectangle(void)
{
    card_window(&card, 1, 0, 9 << 11 | 3 << 17 | 8 << 23 | 2u << 29, 1 << 5);
    card_word(&card, BAR0 + WINDOW, 4);
}

static void exits_twice(void)
{
    card.exit();
    card.exit();
}

// clang-format off
static void init_twice(void) { card.init(); }
static void late_callbacks(void) { card.callbacks(host_rd, host_wr); }
static void other_bus(void) { card.config_rd(1 << 8, 0); }
static void odd_config(void) { card.config_rd(0, 2); }
static void far_config(void) { card.config_rd(0, 0x100); }
static void no_bytes(void) { card.rd(BAR0, &word, 0); }
static void nowhere(void) { card.rd(0x1000, &word, 4); }
static void past_window(void) { card_at(&card, 1, 2, 0); card.rd(BAR0, large, sizeof large); }
static void past_bar0(void) { card.rd(BAR0 + 0x19400000, &word, 4); }
static void half_register(void) { card.wr(BAR0 + WINDOW_WORDS, &word, 2); }
static void no_such_tile(void) { card_read32(&card, 40, 40, 0); }
static void empty_tile(void) { card_read32(&card, 8, 1, 0); }
static void past_l1(void) { card_read32(&card, 1, 2, 0x180000); }
static void past_eth(void) { card_read32(&card, 20, 25, 0x80000); }
static void eth_interrupt(void) { card_write32(&card, 20, 25, 0xffb14020, 1); }
static void eth_register(void) { card_write32(&card, 20, 25, 0xffb14040, 0); }
static void eth_call(void) { card_write32(&card, 20, 25, 0x7d000, 0xca110006); }
static void inbound(void) { card_word(&card, BAR2 + 0x1100, 0); }
static void stride(void) { card_word(&card, BAR0 + 0x1fc009d8, 1); }
static void tile_access(void) { card.tile_rd(1, 2, 0, &word, 4); }
static void overlay(void) { card_read32(&card, 1, 2, 0xffb40000); }
static void idle_dma(void) { card_word(&card, BAR2 + 0x104, 1); }
// clang-format on

static const struct {
    const char *name;
    void (*act)(void);
    const char *options;
    int code;
    const char *text; // in the message
} ends[] = {
    {"init twice", init_twice, "", 64, "runs already"},
    {"exit twice", exits_twice, "", 64, "libttsim_exit before libttsim_init"},
    {"callbacks after init", late_callbacks, "", 64, "after libttsim_init"},
    {"another bus", other_bus, "", 64, "bus 1"},
    {"odd configuration", odd_config, "", 64, "multiple of 4"},
    {"extended configuration", far_config, "", 5, "64 bytes"},
    {"no bytes", no_bytes, "", 64, "0 bytes"},
    {"no BAR", nowhere, "", 64, "no BAR is there"},
    {"past a window", past_window, "", 64, "past its end"},
    {"past the windows", past_bar0, "", 5, "nothing is modelled there"},
    {"half a register", half_register, "", 64, "one aligned word"},
    {"no tile", no_such_tile, "", 4, "no tile 40-40"},
    {"an empty site", empty_tile, "", 4, "no memory at this site"},
    {"past L1", past_l1, "", 4, "tensix 1-2: load from unmapped"},
    {"past an Ethernet tile", past_eth, "", 4, "0x80000 of eth 1-1"},
    {"an interrupt on Ethernet", eth_interrupt, "", 5,
     "interrupt mode 0x1 of Ethernet cores (0xffb14020)"},
    {"a register of Ethernet", eth_register, "", 5,
     "store to 0xffb14040, control of Ethernet cores"},
    {"a call to Ethernet's firmware", eth_call, "", 5, "call 0xca110006 to the firmware"},
    {"inbound iATU", inbound, "", 5, "only outbound"},
    {"strides", stride, "", 5, "strided windows"},
    {"tile access", tile_access, "", 5, "through its BARs"},
    {"DMA that is off", idle_dma, "", 4, "enable 0x0"},
    {"overlay streams", overlay, "", 5, "this register of the NoC overlay"},
    {"multicast read", multicast_read, "", 4, "multicast window is read"},
    {"empty rectangle", empty_rectangle, "", 4, "no Tensix tile"},
    {"unknown message", unknown_message, "", 5, "message 0xee"},
    {"no host memory", host_without_memory, "", 4, "libttsim_set_pci_dma_mem_callbacks"},
    {"a fault of a core", run_past_l1, "", 4, "brisc"},
    {"a hang", poll_for_ever, "--hang=200", 2, "the host polls 0x8010 of 1-2"},
    {"an ended core", poll_the_ended, "--hang=200", 2, "every core has ended, loops alone or is"},
    {"an ebreak", poll_the_broken, "--hang=200", 2, "brisc of 1-2 is at an ebreak, pc 0x"},
    {"all in reset", poll_in_reset, "--hang=200", 2, "0x8010 of 1-2, and nothing on the card"},
    {"a hang at the overlay", poll_the_overlay, "--hang=200", 2,
     "credits of stream 1 (has 0, needs 7)"},
    {"the limit", poll_for_ever, "-n 50000", 6, "cycle limit 50000"},
    {"a wrong option", NULL, "--quantum=0", 64, "--quantum: '0'"},
    {"a wrong word", NULL, "fast", 64, "'fast' is not an option"},
    {"no such chip", NULL, "--chip=p7", 3, "no chip 'p7'"},
};

#define ENDS ((int)(sizeof ends / sizeof *ends))

// Runs it in a process of its own; its text.
static int ended(void (*act)(void), const char *options, char *text, size_t size)
{
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        setenv("TENSIM_OPTIONS", options, 1);
        card_open(&card);
        card.init();
        if (act)
            act();
        _exit(99);
    }
    close(out[1]);
    size_t used = 0;
    ssize_t got;
    while (used < size - 1 && (got = read(out[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

START_TEST(wrong_calls_end_the_process_with_a_reason)
{
    char text[16384];
    int code = ended(ends[_i].act, ends[_i].options, text, sizeof text);
    ck_assert_msg(code == ends[_i].code && strstr(text, ends[_i].text) != NULL,
                  "%s: code %d instead of %d, text: %s", ends[_i].name, code, ends[_i].code, text);
}
END_TEST

static bool has(const char *run, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", run, name);
    return access(path, R_OK) == 0;
}

START_TEST(reports_are_written)
{
    static const struct {
        void (*act)(void);
        const char *options, *file; // beyond those of every run
        int code;
    } rows[] = {
        {poll_for_ever, "--hang=200", "hang.html", 2},
        {run_past_l1, "-t", "trace.json.gz", 4},
        {nowhere, "", "stats.csv", 64},
    };
    char out[64], options[128], text[16384];
    folder_make();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(out, sizeof out, "%s/run%zu", folder, i);
        snprintf(options, sizeof options, "-o %s %s", out, rows[i].options);
        ck_assert_int_eq(ended(rows[i].act, options, text, sizeof text), rows[i].code);
        ck_assert_msg(has(out, "stats.json") && has(out, "result.json") &&
                          has(out, "config.yaml") && has(out, rows[i].file),
                      "%s: %s", out, text);
    }
    // A run to its end, the card's second one, and one that the process leaves.
    snprintf(options, sizeof options, "-o %s/good", folder);
    start_with(options);
    card.clock(3);
    card.exit();
    card.init();
    card.exit();
    card.init();
    dlclose(card.library);
    snprintf(out, sizeof out, "%s/good", folder);
    ck_assert(has(out, "stats.json"));
    snprintf(out, sizeof out, "%s/good.2", folder);
    ck_assert(has(out, "stats.json"));
    snprintf(out, sizeof out, "%s/good.3", folder);
    ck_assert(has(out, "stats.json"));
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    // What forks comes first, as long as this process is small.
    tcase_add_loop_test(tests, wrong_calls_end_the_process_with_a_reason, 0, ENDS);
    tcase_add_test(tests, reports_are_written);
    tcase_add_test(tests, opens_again_and_again);
    tcase_add_test(tests, has_a_configuration_space);
    tcase_add_test(tests, windows_reach_tiles_and_dram);
    tcase_add_test(tests, large_windows_reach_dram);
    tcase_add_test(tests, multicast_reaches_a_rectangle);
    tcase_add_test(tests, dma_copies_from_the_host);
    tcase_add_loop_test(tests, kernels_reach_the_host, 0, 2);
    tcase_add_test(tests, time_passes_in_steps);
    tcase_add_test(tests, a_step_ends_when_a_polled_word_changes);
    tcase_add_test(tests, overlay_registers_count);
    tcase_add_test(tests, the_arc_answers);
    tcase_add_test(tests, ethernet_tiles_have_links_that_are_down);
    tcase_add_test(tests, a_host_opens_the_card);
    tcase_add_test(tests, ethernet_firmware_releases_its_core);
}

SUITE("ttsim", add_tests, .one_process = true)
