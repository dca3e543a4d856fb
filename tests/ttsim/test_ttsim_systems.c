// Several cards in one libttsim.so: device numbers, BARs, identities, and data that crosses their links.
#include "tests/folder.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct card card;

// The library in the folder of a system.
static const char *library_of(const char *system)
{
    static char path[1200];
    snprintf(path, sizeof path, "%.*s/%s/libttsim.so",
             (int)(strrchr(TENSIM_TTSIM, '/') - TENSIM_TTSIM), TENSIM_TTSIM, system);
    return path;
}

static void start(const char *system, const char *options)
{
    setenv("TENSIM_OPTIONS", options, 1);
    card_open_at(&card, library_of(system));
    card.init();
}

static uint32_t devices(void)
{
    uint32_t count = 0;
    while (count < 32 && card.config_rd(count << 3, 0) == 0xb1401e52)
        count++;
    return count;
}

static uint32_t telemetry(uint32_t tag)
{
    uint32_t table = card_read32(&card, 8, 0, 0x80030400 + 4 * 13),
             values = card_read32(&card, 8, 0, 0x80030400 + 4 * 12);
    for (uint32_t i = 0; i < card_read32(&card, 8, 0, table + 4); i++) {
        uint32_t row = card_read32(&card, 8, 0, table + 8 + 4 * i);
        if ((row & 0xffff) == tag)
            return card_read32(&card, 8, 0, values + 4 * (row >> 16));
    }
    return UINT32_MAX;
}

static const struct {
    const char *name;
    uint32_t chips, board, boards_apart, last_place;
    unsigned tall; // memory in MiB that suffices to open it
} systems[] = {
    {"p300", 2, 0x440, 0, 1, 1000},        {"p150x2", 2, 0x400, 1, 0, 1000},
    {"p150x4-ring", 4, 0x400, 3, 0, 2000}, {"p150x8", 8, 0x400, 7, 0, 3000},
    {"galaxy", 32, 0x470, 3, 8, 4096},
};
#define SYSTEMS ((int)(sizeof systems / sizeof *systems))

START_TEST(device_numbers_are_chips)
{
    const uint32_t chips = systems[_i].chips;
    if (chips > 4 && getenv("TENSIM_TEST_ALL") == NULL)
        return;
    start(systems[_i].name, "");
    ck_assert_uint_eq(devices(), chips);
    for (uint32_t i = 0; i < chips; i++) {
        card.chip = i;
        ck_assert_uint_eq(card.config_rd(i << 3, 0x14), 1 + (i << 4)); // 64 GiB apart
        ck_assert_uint_eq(card.config_rd(i << 3, 0x1c), 1 + (i << 4));
        ck_assert_uint_eq(card.config_rd(i << 3, 0x24), 8 + (i << 4));
        ck_assert_uint_eq(telemetry(1), systems[_i].board);
        ck_assert_uint_eq(telemetry(62), 1 + i);
        card_write32(&card, 1, 2, 0x1000, 100 + i);
        card_write32(&card, 18, 12, 0x2000, 200 + i);
    }
    ck_assert_uint_eq(telemetry(2), 1 + systems[_i].boards_apart);
    ck_assert_uint_eq(telemetry(52), systems[_i].last_place);
    for (uint32_t i = 0; i < chips; i++) {
        card.chip = i;
        ck_assert_uint_eq(card_read32(&card, 1, 2, 0x1000), 100 + i);
        ck_assert_uint_eq(card_read32(&card, 18, 12, 0x2000), 200 + i);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    ck_assert_msg(used.ru_maxrss / 1024 < systems[_i].tall, "%s takes %ld MiB", systems[_i].name,
                  used.ru_maxrss / 1024);
    card.exit();
}
END_TEST

// --- links ---

// 64 bytes from 0x9000 to 0xa000 of the other end, by core 1.
static void send(uint32_t chip, uint32_t channel)
{
    struct program program = {.count = 0};
    uint32_t words[16];
    for (uint32_t i = 0; i < 16; i++)
        words[i] = 1000 * chip + i + 1;
    emit_store(&program, 0xffb90014, 0x9000);
    emit_store(&program, 0xffb90018, 64);
    emit_store(&program, 0xffb9001c, 0xa000);
    emit_store(&program, 0xffb90004, 2);
    emit_end(&program);
    card.chip = chip;
    card_write(&card, 20 + channel, 25, 0x9000, words, sizeof words);
    card_write(&card, 20 + channel, 25, 0x4000, program.word, 4 * program.count);
    card_write32(&card, 20 + channel, 25, 0xffb14008, 0x4000);
    card_write32(&card, 20 + channel, 25, SOFT_RESET,
                 card_read32(&card, 20 + channel, 25, SOFT_RESET) & ~0x1000u);
}

// The cycle at which the bytes have arrived.
static uint32_t cross(const char *options)
{
    start("p300", options);
    for (uint32_t chip = 0; chip < 2; chip++) {
        card.chip = chip;
        ck_assert_uint_eq(card_read32(&card, 20, 25, 0x7cc04), 1);           // port up
        ck_assert_uint_eq(card_read32(&card, 20, 25, 0x7cc08), 2);           // trained
        ck_assert_uint_eq(card_read32(&card, 20, 25, 0xffb9800c), 1);        // PCS
        ck_assert_uint_eq(card_read32(&card, 20, 25, SOFT_RESET), 0x1000);   // core 0: firmware
        ck_assert_uint_eq(card_read32(&card, 21, 25, 0x7cfe0) >> 16, 0x101); // other end: channel 1
        ck_assert_uint_eq(card_read32(&card, 21, 25, 0x7cff8), 2 - chip);    // its ASIC
        ck_assert_uint_eq(card_read32(&card, 22, 25, 0x7cc04), 2);           // no cable
    }
    send(0, 0);
    send(1, 1);
    for (uint32_t chip = 0; chip < 2; chip++) {
        card.chip = chip;
        ck_assert(card_wait(&card, chip ? 20 : 21, 25, 0xa03c, 1000 * !chip + 16, 50));
        ck_assert_uint_eq(card_read32(&card, chip ? 20 : 21, 25, 0xa000), 1000 * !chip + 1);
    }
    uint32_t cycle = card_read32(&card, 1, 2, 0xffb121f0);
    card.exit();
    return cycle;
}

static int exit_of(const char *path, const char *options, void (*act)(void), char *text,
                   size_t size)
{
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDERR_FILENO);
        setenv("TENSIM_OPTIONS", options, 1);
        card_open_at(&card, path);
        card.init();
        if (act)
            act();
        _exit(99);
    }
    close(out[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(out[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

START_TEST(data_crosses_links)
{
    uint32_t one = cross("");
    ck_assert_uint_eq(cross("-j 2"), one);
    ck_assert_uint_eq(cross("--step-by-step"), one);
}
END_TEST

// --- what does not fit ---

static void wait_for_a_packet(void)
{
    send(0, 0);
    card.chip = 1;
    ck_assert_uint_eq(card_read32(&card, 20, 25, 0x7cc04), 2);
    ck_assert_uint_eq(card_read32(&card, 20, 25, 0xffb9800c), 0);
    card_wait(&card, 20, 25, 0xa03c, 16, 5000);
}

START_TEST(a_link_that_is_down_is_a_hang)
{
    char text[8192], path[128], options[200];
    snprintf(path, sizeof path, "%s/down.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs("chips: [p300, p300]\nlinks: [[0/eth0, 1/eth0, down]]\n", file);
    fclose(file);
    snprintf(options, sizeof options, "--hang=200 --system %s", path);
    ck_assert_int_eq(exit_of(TENSIM_TTSIM, options, wait_for_a_packet, text, sizeof text), 2);
    ck_assert_msg(strstr(text, "the host polls 0xa03c of chip 1 1-1, and nothing on the card"),
                  "%s", text);
}
END_TEST

static void third_device(void)
{
    card.config_wr(2 << 3, 4, 0);
}

static void beyond(void)
{
    card_word(&card, BAR0 + 2 * APART, 0);
}

// Core 1 of an Ethernet tile starts where nothing was loaded.
static void no_program(void)
{
    card_write32(&card, 1, 2, SOFT_RESET, HELD & ~BRISC);
    card.clock(10);
}

static void no_firmware(void)
{
    card_write32(&card, 20, 25, 0xffb14008, 0x4000);
    card_write32(&card, 20, 25, SOFT_RESET, card_read32(&card, 20, 25, SOFT_RESET) & ~0x1000u);
    card.clock(1);
}

static const struct {
    const char *options;
    void (*act)(void);
    int code;
    const char *text;
} wrong[] = {
    {"--system nosuch", NULL, 3, "no system 'nosuch'; there are "},
    {"--system p300 --chip p150", NULL, 64, "--chip or --system"},
    {"--system p300 --capture .", NULL, 5, "launches of several cards are not captured"},
    {"--system p300", third_device, 64, "there is no PCI device 2"},
    {"--system p300", beyond, 64, "no BAR is there"},
    {"--system p300", no_firmware, 4, "chip0/eth[1-1].erisc1: cycle 1008: pc 0x00004000"},
    {"--system p300", no_firmware, 4, "no program is here, only zeros"},
    {"--system p300", no_program, 4, "a core without a program executes such words"},
};

START_TEST(wrong_systems_end_the_process)
{
    char text[4096];
    int code = exit_of(TENSIM_TTSIM, wrong[_i].options, wrong[_i].act, text, sizeof text);
    ck_assert_msg(code == wrong[_i].code && strstr(text, wrong[_i].text), "%s: %d: %s",
                  wrong[_i].options, code, text);
}
END_TEST

START_TEST(the_descriptor_next_to_the_library_counts)
{
    char path[200], link[200], text[4096];
    snprintf(path, sizeof path, "%s/cluster_descriptor.yaml", folder);
    snprintf(link, sizeof link, "%s/libttsim.so", folder);
    ck_assert_int_eq(symlink(TENSIM_TTSIM, link), 0);
    FILE *file = fopen(path, "w");
    fputs("arch: {0: blackhole, 1: blackhole}\nethernet_connections:\n"
          "  - [{chip: 0, chan: 2}, {chip: 1, chan: 12}]\n",
          file);
    fclose(file);
    ck_assert_int_eq(exit_of(link, "", NULL, text, sizeof text), 3);
    ck_assert_msg(
        strstr(text, "cluster_descriptor.yaml:3:5: chip 1 (p150) has no Ethernet tile 12"), "%s",
        text);
    ck_assert_int_eq(exit_of(link, "--chip p150", NULL, text, sizeof text), 99);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, wrong_systems_end_the_process, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tests, the_descriptor_next_to_the_library_counts);
    tcase_add_test(tests, a_link_that_is_down_is_a_hang);
    tcase_add_test(tests, data_crosses_links);
    tcase_add_loop_test(tests, device_numbers_are_chips, 0, SYSTEMS);
}

SUITE("ttsim_systems", add_tests)
