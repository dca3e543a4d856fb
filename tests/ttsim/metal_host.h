// A host that starts firmware and launches kernels on a rectangle of tiles through libttsim.so's ten functions, as tt-metal
// does it: code and tables through windows, multicast, reset registers, launch messages, go messages, polls. Firmware and
// kernels are those of tests/load/metal_elf, made in the current folder.
#ifndef TENSIM_TESTS_METAL_HOST_H
#define TENSIM_TESTS_METAL_HOST_H

#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"
#include "tests/folder.h"
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

static const char *const names[5] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
static const uint32_t local_data[5] = {0xa000, 0xc000, 0xe000, 0xf000, 0x10000};

static struct card card;
static uint32_t columns = 4, rows = 3; // of tiles, from 1-2 on
static uint32_t enables = 0x1d;        // all processors but NCRISC

// To all tiles at once.
static inline void multicast(uint32_t address, const void *bytes, uint32_t length)
{
    card_window(&card, 1, address >> 21,
                (1 + columns - 1) << 11 | (2 + rows - 1) << 17 | 1u << 23 | 2u << 29, 1u << 5);
    card.wr(BAR0 + WINDOW + address % WINDOW, bytes, length);
}

static inline void *elf_of(const char *kind, unsigned p, struct ts_metal_elf *elf)
{
    struct ts_error error = {0};
    char path[200];
    size_t length;
    snprintf(path, sizeof path, "%s/%s/%s.elf", kind, names[p], names[p]);
    void *bytes = ts_read_file(path, &length, &error);
    card_must(bytes && ts_metal_elf_open(elf, bytes, length, path, &error), error.text);
    return bytes;
}

// BRISC starts at `start`.
static inline void load_firmware(uint32_t start)
{
    // Bank 0 of DRAM on both NoCs; the kernels use no other.
    const uint16_t banks[2][8] = {{18 | 12 << 6}, {18 | 12 << 6}};
    const uint8_t signal = 0x40;
    const uint32_t jump = (start & 0x7fe) << 20 | (start >> 11 & 1) << 20 | (start & 0xff000) |
                          0x6f;
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

static inline void wait_for_all(unsigned steps)
{
    for (uint32_t y = 2; y < 2 + rows; y++)
        for (uint32_t x = 1; x < 1 + columns; x++)
            card_must(card_wait(&card, x, y, GO, 0, steps), "a tile does not answer");
}

// Semaphores at 0, arguments at 0x20, the buffer's words at 0x40, kernels from 0x80 on.
static inline void launch(uint32_t function, uint32_t number)
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
        card_must(ts_metal_elf_bytes(&elf) <= sizeof image, "the kernel is too long");
        card_must(ts_metal_elf_move(&elf, next, image, &error), error.text);
        multicast(next, image, ts_metal_elf_bytes(&elf));
        message[7 + p] = p == 0 ? 0x20 : 0x30 | 0x34 << 16;
        message[13 + p] = next - CONFIG;
        next += (ts_metal_elf_bytes(&elf) + 15) / 16 * 16;
        ts_metal_elf_close(&elf);
        free(bytes);
    }
    message[12] = 1 | 0xff << 16; // started by a host
    message[26] = 1;              // buffer 0
    message[30] = enables;
    multicast(LAUNCH, message, sizeof message);
    const uint32_t go = 0x80u << 24;
    multicast(GO, &go, 4);
}

static inline void set_up(void)
{
    char text[1200];
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    snprintf(text, sizeof text, MAKE " %s", folder);
    ck_assert_int_eq(system(text), 0);
}

static inline void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}

#endif
