// libttsim.so as a host uses it: loaded at run time, its ten functions, windows to tiles; and programs for BRISC that store
// words.
#ifndef TENSIM_TESTS_CARD_H
#define TENSIM_TESTS_CARD_H

#include <check.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct card {
    void *library;
    uint64_t chip; // whose windows are used
    void (*init)(void);
    void (*exit)(void);
    void (*callbacks)(void (*rd)(uint64_t, void *, uint32_t),
                      void (*wr)(uint64_t, const void *, uint32_t));
    uint32_t (*config_rd)(uint32_t, uint32_t);
    void (*config_wr)(uint32_t, uint32_t, uint32_t);
    void (*rd)(uint64_t, void *, uint32_t);
    void (*wr)(uint64_t, const void *, uint32_t);
    void (*clock)(uint32_t);
    void (*tile_rd)(uint32_t, uint32_t, uint64_t, void *, uint32_t);
    void (*tile_wr)(uint32_t, uint32_t, uint64_t, const void *, uint32_t);
};

#define APART        0x1000000000ull // BARs of the next chip
#define BAR0         0x100000000ull
#define BAR2         0x120000000ull
#define BAR4         0x800000000ull
#define WINDOW       0x200000ull
#define WINDOW_WORDS 0x1fc00000ull

// Hosts run inside tests, and by themselves (test_capture.c).
static inline void card_must(bool holds, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "host: %s\n", text ? text : "failed");
    abort();
}

static inline void card_open_at(struct card *self, const char *path)
{
    self->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    card_must(self->library != NULL, dlerror());
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"libttsim_init", &self->init},
        {"libttsim_exit", &self->exit},
        {"libttsim_set_pci_dma_mem_callbacks", &self->callbacks},
        {"libttsim_pci_config_rd32", &self->config_rd},
        {"libttsim_pci_config_wr32", &self->config_wr},
        {"libttsim_pci_mem_rd_bytes", &self->rd},
        {"libttsim_pci_mem_wr_bytes", &self->wr},
        {"libttsim_clock", &self->clock},
        {"libttsim_tile_rd_bytes", &self->tile_rd},
        {"libttsim_tile_wr_bytes", &self->tile_wr},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(self->library, symbols[i].name);
        card_must(found != NULL, symbols[i].name);
        memcpy(symbols[i].to, &found, sizeof found);
    }
}

static inline void card_open(struct card *self)
{
    card_open_at(self, TENSIM_TTSIM);
}

static inline void card_word(const struct card *self, uint64_t address, uint32_t word)
{
    self->wr(address, &word, 4);
}

// --- windows; coordinates are translated ---

static inline void card_window(const struct card *self, unsigned index, uint32_t w0, uint32_t w1,
                               uint32_t w2)
{
    card_word(self, BAR0 + self->chip * APART + WINDOW_WORDS + 12 * index, w0);
    card_word(self, BAR0 + self->chip * APART + WINDOW_WORDS + 12 * index + 4, w1);
    card_word(self, BAR0 + self->chip * APART + WINDOW_WORDS + 12 * index + 8, w2);
}

// Where window 0 shows an address of a tile.
static inline uint64_t card_at(const struct card *self, uint32_t x, uint32_t y, uint64_t address)
{
    card_window(self, 0, (uint32_t)(address >> 21), (uint32_t)(address >> 53) | x << 11 | y << 17,
                0);
    return BAR0 + self->chip * APART + address % WINDOW;
}

static inline void card_write(const struct card *self, uint32_t x, uint32_t y, uint64_t address,
                              const void *bytes, uint32_t length)
{
    self->wr(card_at(self, x, y, address), bytes, length);
}

static inline void card_read(const struct card *self, uint32_t x, uint32_t y, uint64_t address,
                             void *bytes, uint32_t length)
{
    self->rd(card_at(self, x, y, address), bytes, length);
}

static inline void card_write32(const struct card *self, uint32_t x, uint32_t y, uint64_t address,
                                uint32_t word)
{
    card_write(self, x, y, address, &word, 4);
}

static inline uint32_t card_read32(const struct card *self, uint32_t x, uint32_t y,
                                   uint64_t address)
{
    uint32_t word;
    card_read(self, x, y, address, &word, 4);
    return word;
}

#define SOFT_RESET 0xffb121b0u
#define HELD       0x47800u
#define BRISC      0x00800u

// --- programs ---

struct program {
    uint32_t word[256];
    uint32_t count;
};

static inline void emit(struct program *self, uint32_t word)
{
    self->word[self->count++] = word;
}

// lui, addi
static inline void emit_li(struct program *self, uint32_t reg, uint32_t value)
{
    emit(self, ((value + 0x800) & 0xfffff000) | reg << 7 | 0x37);
    emit(self, value << 20 | reg << 15 | reg << 7 | 0x13);
}

// *address = value
static inline void emit_store(struct program *self, uint32_t address, uint32_t value)
{
    emit_li(self, 5, address);
    emit_li(self, 6, value);
    emit(self, 6u << 20 | 5u << 15 | 2u << 12 | 0x23);
}

// *to = *from
static inline void emit_copy(struct program *self, uint32_t to, uint32_t from)
{
    emit_li(self, 5, from);
    emit(self, 5u << 15 | 2u << 12 | 6u << 7 | 0x03);
    emit_li(self, 5, to);
    emit(self, 6u << 20 | 5u << 15 | 2u << 12 | 0x23);
}

// Waits until *address is value.
static inline void emit_wait(struct program *self, uint32_t address, uint32_t value)
{
    emit_li(self, 5, address);
    emit_li(self, 7, value);
    emit(self, 0x0ff0000f);                           // fence
    emit(self, 5u << 15 | 2u << 12 | 6u << 7 | 0x03); // lw t1, 0(t0)
    emit(self, 0xfe731ce3);                           // bne t1, t2, -8
}

// fence; a jump to itself
static inline void emit_end(struct program *self)
{
    emit(self, 0x0ff0000f);
    emit(self, 0x0000006f);
}

// A NoC 0 request of `length` bytes; all addresses have 64 bits.
static inline void emit_noc(struct program *self, uint64_t from, uint32_t from_xy, uint64_t to,
                            uint32_t to_xy, uint32_t length, uint32_t control)
{
    const uint32_t niu = 0xffb20000;
    emit_store(self, niu + 0x00, (uint32_t)from);
    emit_store(self, niu + 0x04, (uint32_t)(from >> 32));
    emit_store(self, niu + 0x08, from_xy);
    emit_store(self, niu + 0x0c, (uint32_t)to);
    emit_store(self, niu + 0x10, (uint32_t)(to >> 32));
    emit_store(self, niu + 0x14, to_xy);
    emit_store(self, niu + 0x1c, control | 1u << 4); // with an answer
    emit_store(self, niu + 0x20, length);
    emit_store(self, niu + 0x40, 1);
}

static inline void card_run(const struct card *self, uint32_t x, uint32_t y,
                            const struct program *program)
{
    card_write(self, x, y, 0, program->word, 4 * program->count);
    card_write32(self, x, y, SOFT_RESET, HELD & ~BRISC);
}

// Polls a word of L1 as hosts do; false: it never had the value.
static inline bool card_wait(const struct card *self, uint32_t x, uint32_t y, uint32_t address,
                             uint32_t value, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        if (card_read32(self, x, y, address) == value)
            return true;
        self->clock(1);
    }
    return false;
}

#endif
