// A host that starts firmware and launches kernels on many cores through libttsim.so's ten functions, as tt-metal does it: code
// and tables through windows, multicast, reset registers, launch messages, go messages, polls. Firmware and kernels are those of
// tests/load/metal_elf.
#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"
#include "tests/folder.h"
#include "tests/suite.h"
#include "tests/ttsim/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAKE TENSIM_SOURCE_DIR "/tests/load/metal_elf/make.sh"

#define LAUNCH 0x70u
#define GO     0x4f0u
#define BANKS  0x13000u
#define CONFIG 0xa000u
#define BUFFER 0x1b400u
#define X      0x100080u // in DRAM
#define Y      0x101080u
#define BYTES  4096u

#define COLUMNS 4u // of tiles, from 1-2 on
#define ROWS    3u

static const char *const names[5] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
static const uint32_t local_data[5] = {0xa000, 0xc000, 0xe000, 0xf000, 0x10000};

static struct card card;

// To all tiles at once.
static void multicast(uint32_t address, const void *bytes, uint32_t length)
{
    card_window(&card, 1, address >> 21,
                (1 + COLUMNS - 1) << 11 | (2 + ROWS - 1) << 17 | 1u << 23 | 2u << 29, 1u << 5);
    card.wr(BAR0 + WINDOW + address % WINDOW, bytes, length);
}

static void *elf_of(const char *kind, unsigned p, struct ts_metal_elf *elf)
{
    struct ts_error error = {0};
    char path[200];
    size_t length;
    snprintf(path, sizeof path, "%s/%s/%s.elf", kind, names[p], names[p]);
    void *bytes = ts_read_file(path, &length, &error);
    ck_assert_msg(bytes && ts_metal_elf_open(elf, bytes, length, path, &error), "%s", error.text);
    return bytes;
}

static void load_firmware(void)
{
    // Bank 0 of DRAM on both NoCs; the kernels use no other.
    const uint16_t banks[2][8] = {{18 | 12 << 6}, {18 | 12 << 6}};
    const uint8_t signal = 0x40;
    const uint32_t jump = 0x2e10306f; // jal zero, 0x3ae0
    for (unsigned p = 0; p < 5; p++) {
        struct ts_metal_elf elf;
        void *bytes = elf_of("firmware", p, &elf);
        multicast(elf.text, elf.text_at, elf.text_bytes);
        if (elf.image_bytes)
            multicast(local_data[p], elf.image_at, elf.image_bytes);
        ts_metal_elf_close(&elf);
        free(bytes);
    }
    multicast(BANKS, banks, sizeof banks);
    multicast(GO + 3, &signal, 1);
    multicast(0, &jump, 4);
    const uint32_t reset = HELD & ~BRISC;
    multicast(SOFT_RESET, &reset, 4);
}

static void wait_for_all(unsigned steps)
{
    for (uint32_t y = 2; y < 2 + ROWS; y++)
        for (uint32_t x = 1; x < 1 + COLUMNS; x++)
            ck_assert_msg(card_wait(&card, x, y, GO, 0, steps), "tile %u-%u", x, y);
}

// Semaphores at 0, arguments at 0x20, the buffer's words at 0x40, kernels from 0x80 on.
static void launch(uint32_t function, uint32_t number)
{
    const uint32_t config[32] = {[8] = X,       [9] = Y,      [12] = function, [13] = number,
                                 [16] = BUFFER, [17] = BYTES, [18] = 1,        [19] = BYTES};
    uint32_t message[36] = {CONFIG, 0, 0, 0, 0, 0, 0x40 | 0x80 << 16}, next = CONFIG + 0x80;
    uint8_t image[8192];
    struct ts_error error = {0};
    multicast(CONFIG, config, sizeof config);
    for (unsigned p = 0; p < 5; p++) {
        struct ts_metal_elf elf;
        void *bytes = elf_of("kernel", p, &elf);
        ck_assert(ts_metal_elf_bytes(&elf) <= sizeof image);
        ck_assert(ts_metal_elf_move(&elf, next, image, &error));
        multicast(next, image, ts_metal_elf_bytes(&elf));
        message[7 + p] = p == 0 ? 0x20 : 0x30 | 0x34 << 16;
        message[13 + p] = next - CONFIG;
        next += (ts_metal_elf_bytes(&elf) + 15) / 16 * 16;
        ts_metal_elf_close(&elf);
        free(bytes);
    }
    message[12] = 1 | 0xff << 16; // started by a host
    message[26] = 1;              // buffer 0
    message[30] = 0x1d;           // all but NCRISC
    multicast(LAUNCH, message, sizeof message);
    const uint32_t go = 0x80u << 24;
    multicast(GO, &go, 4);
}

START_TEST(boots_and_launches)
{
    uint32_t words[BYTES / 4];
    unsetenv("TENSIM_OPTIONS");
    card_open(&card);
    card.init();
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = i;
    card_write(&card, 18, 12, X, words, sizeof words);
    load_firmware();
    wait_for_all(100);
    // One program after the other, the same firmware: all tiles write the same page.
    for (uint32_t turn = 0; turn < 2; turn++) {
        launch(turn, 1000);
        wait_for_all(1000);
        card_read(&card, 18, 12, Y, words, sizeof words);
        for (uint32_t i = 0; i < BYTES / 4; i++)
            ck_assert_uint_eq(words[i], turn ? 3 * i : i + 1000);
    }
    card.exit();
    dlclose(card.library);
}
END_TEST

static void set_up(void)
{
    char text[1200];
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    snprintf(text, sizeof text, MAKE " %s", folder);
    ck_assert_int_eq(system(text), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, boots_and_launches);
}

SUITE("ttsim_metal", add_tests)
