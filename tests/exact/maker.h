// What the parts of the generator share: see fuzz.h.
#ifndef TENSIM_TESTS_EXACT_MAKER_H
#define TENSIM_TESTS_EXACT_MAKER_H

#include "cores/riscv/core.h"
#include "platform/base/random.h"
#include "tests/exact/fuzz.h"
#include "units/isa/machine.h"

#include <string.h>

struct maker {
    struct fuzz_case *to;
    uint64_t random;
    const struct fuzz_choice *choice;
    const struct ts_machine *machine;
    uint32_t flags;               // words of L1 that were used to meet
    uint32_t acks[FUZZ_TILES][2]; // NoC writes so far
    uint8_t ends[2][2];           // cores of the circular buffers
};

static inline uint32_t draw(struct maker *self, uint32_t below)
{
    return (uint32_t)(ts_random(&self->random) >> 32) % below;
}
static inline bool one_in(struct maker *self, uint32_t n)
{
    return draw(self, n) == 0;
}

// Is a name in a list that is separated by commas?
static inline bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}
static inline bool wanted(const struct fuzz_choice *choice, const char *name)
{
    return (choice->only == NULL || listed(choice->only, name)) &&
           !(choice->without && listed(choice->without, name));
}

static const struct {
    uint8_t x, y;
} maker_sites[FUZZ_TILES] = {{1, 2}, {2, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}};

// Words of Config with which unpackers, matrix unit and packer work: formats, strides, addresses.
static const struct {
    uint8_t word;
    uint32_t value;
} maker_formats[] = {{12, 2 | 32u << 16},
                     {24, 0xffff},
                     {28, 16u << 8 | 1u << 16 | 1},
                     {69, 0x4200},
                     {70, 1 | 5 << 4 | 5 << 8},
                     {1, 5u << 17 | 5u << 21 | 5u << 25},
                     {64, 5 | 1u << 4 | 16u << 16},
                     {72, 5},
                     {112, 5 | 1u << 4 | 16u << 16},
                     {120, 5},
                     {76, 0x3000},
                     {124, 0x3200}};
#define MAKER_FORMATS (sizeof maker_formats / sizeof *maker_formats)

#define OP(name) ((uint32_t)TS_OP_##name << 24)

// words.c: words that the units take, by thread, and RISC-V code.
uint32_t maker_stallwait(struct maker *self);
uint32_t maker_word(struct maker *self, unsigned thread);
uint32_t maker_code(struct maker *self);
// program.c
void maker_program(struct maker *self);

#endif
