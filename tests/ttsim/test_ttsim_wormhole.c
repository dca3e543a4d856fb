// libttsim.so as a card of Wormhole, as `tensim --ttsim n150` has it: identity, windows, ARC, cores, what is refused.
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <sys/wait.h>
#include <unistd.h>

#define ARC_CSM (BAR0 + 0x1fe80000)
#define ARC_APB (BAR0 + 0x1ff00000)

static struct card card;

static unsigned char memory[1 << 16];

static void host_rd(uint64_t address, void *bytes, uint32_t length)
{
    memcpy(bytes, memory + address % sizeof memory, length);
}

static void host_wr(uint64_t address, const void *bytes, uint32_t length)
{
    memcpy(memory + address % sizeof memory, bytes, length);
}

static void start(void)
{
    char path[1200];
    snprintf(path, sizeof path, "%.*s/n150/libttsim.so",
             (int)(strrchr(TENSIM_TTSIM, '/') - TENSIM_TTSIM), TENSIM_TTSIM);
    card_open_at(&card, path);
    card.callbacks(host_rd, host_wr);
    card.init();
}

static void finish(void)
{
    card.exit();
    ck_assert_int_eq(dlclose(card.library), 0);
}

// The registers of a window of 2^shift bytes, and where it lies.
static const struct {
    uint32_t shift, index;
    uint64_t at;
} windows[] = {
    {20, 3, 0x300000}, {21, 157, 0x9e00000}, {24, 166, 0xb000000}, {24, 185, 0x1e000000}};
#define SIZES (sizeof windows / sizeof *windows)

static uint64_t window(size_t i, uint64_t address, uint64_t places)
{
    const uint32_t shift = windows[i].shift;
    const uint64_t word = address >> shift | places << (36 - shift);
    card.wr(BAR0 + WINDOW_WORDS + 8 * windows[i].index, &word, 8);
    return BAR0 + windows[i].at + (address & ((1ull << shift) - 1));
}

static uint64_t at(uint32_t x, uint32_t y, uint64_t address)
{
    return window(2, address, x | y << 6);
}

static uint32_t word_at(uint64_t address)
{
    uint32_t word;
    card.rd(address, &word, 4);
    return word;
}

static void put(uint32_t x, uint32_t y, uint64_t address, uint32_t word)
{
    card_word(&card, at(x, y, address), word);
}

static uint32_t get(uint32_t x, uint32_t y, uint64_t address)
{
    return word_at(at(x, y, address));
}

START_TEST(has_a_configuration_space)
{
    static const struct {
        uint32_t offset, word, size;
    } rows[] = {{0x00, 0x401e1e52, 0x401e1e52}, {0x08, 0x12000001, 0x12000001},
                {0x10, 0x00000004, 0xe0000004}, {0x18, 0x20000004, 0xfff00004},
                {0x20, 0x00000004, 0xfe000004}, {0x24, 8, 0xffffffff}};
    start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_uint_eq(card.config_rd(0, rows[i].offset), rows[i].word);
        card.config_wr(0, rows[i].offset, 0xffffffff); // how large is it?
        ck_assert_uint_eq(card.config_rd(0, rows[i].offset), rows[i].size);
        card.config_wr(0, rows[i].offset, rows[i].word);
    }
    ck_assert_uint_eq(card.config_rd(1 << 3, 0), 0xffffffff);
    finish();
}
END_TEST

// Translated and raw names of the same tile; two ports of a DRAM tile, memory of an Ethernet tile, the ARC.
START_TEST(windows_reach_tiles_and_dram)
{
    static const struct {
        uint32_t x, y, other_x, other_y;
        uint64_t address;
    } places[] = {{18, 18, 1, 1, 0x1000},    {25, 27, 9, 11, 0x16dff0},
                  {0, 0, 0, 11, 0x7fffff00}, {5, 2, 5, 10, 0x40000000},
                  {18, 16, 1, 0, 0x3fff0},   {16, 26, 0, 10, 0x810070000},
                  {18, 18, 1, 1, 0xffb12228}};
    start();
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t k = 0; k < SIZES; k++) {
            card_word(&card, window(k, places[i].address, places[i].x | places[i].y << 6),
                      0x1000 * i + (uint32_t)k);
            ck_assert_uint_eq(get(places[i].other_x, places[i].other_y, places[i].address),
                              0x1000 * i + (uint32_t)k);
        }
    }
    ck_assert_uint_eq(get(19, 18, SOFT_RESET), HELD);
    ck_assert_uint_eq(get(1, 0, SOFT_RESET), BRISC);
    ck_assert_uint_eq(get(1, 0, 0x1104), 3); // no cable
    // BAR4 shows the last two windows of 16 MiB.
    put(4, 4, 0x2000, 0x600d);
    const uint64_t there = window(3, 0x2000, 4 | 4 << 6);
    ck_assert_uint_eq(word_at(there - BAR0 - 0x1e000000 + BAR4), 0x600d);
    finish();
}
END_TEST

START_TEST(multicast_reaches_a_rectangle)
{
    start();
    card_word(&card, window(1, 0x3000, 22 | 20 << 6 | 19 << 12 | 19 << 18 | 1 << 25), 0xc0ffee);
    for (uint32_t y = 18; y < 28; y++)
        for (uint32_t x = 18; x < 26; x++)
            ck_assert_uint_eq(get(x, y, 0x3000),
                              x >= 19 && x <= 22 && y >= 19 && y <= 20 ? 0xc0ffee : 0);
    finish();
}
END_TEST

static uint32_t message(uint32_t code)
{
    card_word(&card, ARC_APB + 0x3006c, 0xffffffff);
    card_word(&card, ARC_APB + 0x30074, 0xaa00 | code);
    card_word(&card, ARC_APB + 0x30100, 1 << 16);
    ck_assert_uint_eq(word_at(ARC_APB + 0x30100), 0);
    ck_assert_uint_eq(word_at(ARC_APB + 0x30074), code);
    return word_at(ARC_APB + 0x3006c);
}

static uint32_t telemetry(uint32_t tag)
{
    const uint64_t csm = 0x800000000;
    const uint32_t table = get(0, 10, csm + 0x800301d0), values = get(0, 10, csm + 0x800301d4);
    for (uint32_t i = 0; i < get(0, 10, csm + table + 4); i++)
        if ((get(0, 10, csm + table + 8 + 4 * i) & 0xffff) == tag)
            return get(0, 10, csm + values + 4 * (get(0, 10, csm + table + 8 + 4 * i) >> 16));
    return UINT32_MAX;
}

START_TEST(the_arc_answers)
{
    static const uint32_t answers[][2] = {{0x34, 1000}, {0x57, 0}, {0x58, 1}, {0x2c, 0}},
                          values[][2] = {{1, 0x180}, {14, 1000}, {21, 0xffff}, {28, 0x12040000}};
    start();
    ck_assert_uint_eq(word_at(ARC_APB + 0x30060), 0xc0de0001); // it has started
    ck_assert_uint_eq(word_at(ARC_APB + 0x50100), 1 << 14);    // translation is on
    ck_assert_uint_eq(word_at(ARC_CSM + 49 * 4), 0x12040000);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        ck_assert_uint_eq(message(answers[i][0]), answers[i][1]);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ck_assert_uint_eq(telemetry(values[i][0]), values[i][1]);
    finish();
}
END_TEST

START_TEST(rows_that_are_off_are_told)
{
    setenv("TENSIM_OPTIONS", "--chip=n150", 1);
    start();
    ck_assert_uint_eq(message(0x57), 1 << 0); // row 11
    finish();
    unsetenv("TENSIM_OPTIONS");
}
END_TEST

static void load(uint32_t address, const struct program *program)
{
    card.wr(at(18, 18, address), program->word, 4 * program->count);
}

// BRISC says where TRISC1 starts, lets it go, and reads a word of the host's memory, through the outbound iATU.
START_TEST(cores_run)
{
    static const uint32_t region[][2] = {{0x04, 0}, {0x00, 0},          {0x08, 0x40000000},
                                         {0x0c, 0}, {0x10, 0x7fffffff}, {0x14, 0x1000},
                                         {0x18, 0}, {0x04, 1u << 31}};
    struct program brisc = {0}, trisc = {0};
    start();
    for (size_t i = 0; i < sizeof region / sizeof *region; i++)
        card_word(&card, BAR2 + 0x1200 + 0x200 + region[i][0], region[i][1]);
    memory[0x1100] = 0x5a;
    emit_store(&trisc, 0x4000, 0x7415c);
    emit_end(&trisc);
    emit_store(&brisc, 0xffef0000 + 4 * 159, 0x8000); // TRISC_RESET_PC_SEC1_PC
    emit_store(&brisc, 0xffef0000 + 4 * 161, 7);      // TRISC_RESET_PC_OVERRIDE
    emit_store(&brisc, 0xffb121b0, HELD & ~(BRISC | 1u << 13));
    emit_wait(&brisc, 0x4000, 0x7415c);
    emit_store(&brisc, 0xffb20000, 0x40000100); // NOC_TARG_ADDR: the PCIe tile
    emit_store(&brisc, 0xffb20004, 8 | 0 << 4 | 3 << 10);
    emit_store(&brisc, 0xffb2000c, 0x4100);
    emit_store(&brisc, 0xffb20010, 1 << 4 | 1 << 10);
    emit_store(&brisc, 0xffb2001c, 1u << 4);
    emit_store(&brisc, 0xffb20020, 32);
    emit_store(&brisc, 0xffb20028, 1);
    emit_wait(&brisc, 0x4100, 0x5a);
    emit_store(&brisc, 0x4004, 0x600d);
    emit_end(&brisc);
    load(0x8000, &trisc);
    load(0, &brisc);
    put(18, 18, SOFT_RESET, HELD & ~BRISC);
    for (int i = 0; i < 100 && get(18, 18, 0x4004) != 0x600d; i++)
        card.clock(1);
    ck_assert_uint_eq(get(18, 18, 0x4004), 0x600d);
    finish();
}
END_TEST

// The core of an Ethernet tile starts where its register says; at 0 it belongs to the card's firmware until a host has put a program there.
START_TEST(ethernet_core_runs)
{
    static const uint32_t words[] = {0x000202b7, 0x12300313, 0x0062a023, 0x0000006f};
    start();
    put(1, 0, SOFT_RESET, 0);
    card.clock(100);
    put(1, 0, SOFT_RESET, BRISC);
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        put(1, 0, 0x100 + 4 * i, words[i]);
    put(1, 0, 0xffb9409c, 0x100);
    ck_assert_uint_eq(get(1, 0, 0xffb9409c), 0x100);
    put(1, 0, SOFT_RESET, 0);
    card.clock(100);
    ck_assert_uint_eq(get(1, 0, 0x20000), 0x123);
    finish();
}
END_TEST

// --- what is refused ---

static void reads_dma(void)
{
    word_at(BAR2 + 0x308);
}

static void asks_noc_1(void)
{
    word_at(window(2, 0, 1 | 1 << 6 | 1 << 24));
}

static void asks_ethernet(void)
{
    put(1, 0, 0xffbb0000, 0);
}

static void sends_unknown_message(void)
{
    message(0x97);
}

static void sets_inbound_region(void)
{
    card_word(&card, BAR2 + 0x1200 + 0x304, 0);
}

static const struct {
    void (*act)(void);
    const char *options, *text;
} refusals[] = {
    {reads_dma, "", "BAR2+0x308: nothing is modelled there"},
    {asks_noc_1, "", "ask for NoC 1"},
    {asks_ethernet, "", "this register of the Ethernet tile is not modelled"},
    {sends_unknown_message, "", "message 0x97 to the ARC"},
    {sets_inbound_region, "", "iATU region 1, +0x104"},
    {NULL, "--why", "one card of Blackhole"},
};

START_TEST(is_refused_by_name)
{
    int out[2], status;
    char text[4096];
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        setenv("TENSIM_OPTIONS", refusals[_i].options, 1);
        start();
        if (refusals[_i].act)
            refusals[_i].act();
        _exit(99);
    }
    close(out[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(out[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    ck_assert_msg(WEXITSTATUS(status) == 5 && strstr(text, refusals[_i].text), "code %d: %s",
                  WEXITSTATUS(status), text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, ethernet_core_runs);
    tcase_add_loop_test(tests, is_refused_by_name, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tests, has_a_configuration_space);
    tcase_add_test(tests, windows_reach_tiles_and_dram);
    tcase_add_test(tests, multicast_reaches_a_rectangle);
    tcase_add_test(tests, the_arc_answers);
    tcase_add_test(tests, rows_that_are_off_are_told);
    tcase_add_test(tests, cores_run);
}

SUITE("ttsim_wormhole", add_tests, .one_process = true)
