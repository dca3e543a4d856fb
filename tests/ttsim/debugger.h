// A debugger on the host, as tt-exalens is one: through the ten functions of libttsim.so it halts cores of a tile, reads and
// writes their registers and memory, sets watchpoints and continues them.
#ifndef TENSIM_TESTS_DEBUGGER_H
#define TENSIM_TESTS_DEBUGGER_H

#include "tests/ttsim/card.h"

#define DEBUG_CNTL_0   0xffb12080u
#define DEBUG_CNTL_1   0xffb12084u
#define DEBUG_STATUS_0 0xffb12088u
#define DEBUG_STATUS_1 0xffb1208cu

// Debug registers, bits of the status, commands, modes of a watchpoint.
enum { DR_STATUS, DR_COMMAND, DR_INDEX, DR_DATA, DR_RESULT, DR_MODES, DR_WATCHPOINT = 10 };
enum { IS_HALTED = 1, HIT_PC = 2, HIT_MEMORY = 4, HIT_EBREAK = 8, HIT_FIRST = 0x100 };
enum { ON_PC = 8, ON_READ = 9, ON_WRITE = 10, ON_ACCESS = 11 };
#define SLOW_MODE    0x80000000u
#define HALT         0x001u
#define STEP         0x002u
#define RESUME       0x004u
#define READ_GPR     0x008u
#define WRITE_GPR    0x010u
#define READ_MEMORY  0x020u
#define WRITE_MEMORY 0x040u
#define CLEAR_GPRS   0x080u
#define WRITE_PC     0x100u

// A core of a tile: 0 is BRISC, 1 to 3 are TRISC0 to TRISC2.
struct debugger {
    const struct card *card;
    uint32_t x, y, core;
};

static inline void dr_write(const struct debugger *self, uint32_t index, uint32_t value)
{
    card_write32(self->card, self->x, self->y, DEBUG_CNTL_1, value);
    card_write32(self->card, self->x, self->y, DEBUG_CNTL_0,
                 0x80010000u | self->core << 17 | index);
    card_write32(self->card, self->x, self->y, DEBUG_CNTL_0, 0);
}

static inline uint32_t dr_read(const struct debugger *self, uint32_t index)
{
    card_write32(self->card, self->x, self->y, DEBUG_CNTL_0,
                 0x80000000u | self->core << 17 | index);
    card_write32(self->card, self->x, self->y, DEBUG_CNTL_0, 0);
    uint32_t status = card_read32(self->card, self->x, self->y, DEBUG_STATUS_0);
    card_must(status >> 30 & 1, "the value of a debug register is not valid");
    return card_read32(self->card, self->x, self->y, DEBUG_STATUS_1);
}

static inline void debug_command(const struct debugger *self, uint32_t command)
{
    dr_write(self, DR_COMMAND, SLOW_MODE | command);
}

static inline uint32_t debug_status(const struct debugger *self)
{
    return dr_read(self, DR_STATUS);
}

static inline void debug_halt(const struct debugger *self)
{
    debug_command(self, HALT);
    card_must(debug_status(self) & IS_HALTED, "the core is not halted");
}

// Blackhole takes two commands for a step.
static inline void debug_step(const struct debugger *self)
{
    debug_command(self, STEP);
    debug_command(self, STEP);
}

static inline uint32_t debug_gpr(const struct debugger *self, uint32_t index)
{
    dr_write(self, DR_INDEX, index);
    debug_command(self, READ_GPR);
    return dr_read(self, DR_RESULT);
}

static inline uint32_t debug_pc(const struct debugger *self)
{
    return debug_gpr(self, 32);
}

static inline void debug_set_gpr(const struct debugger *self, uint32_t index, uint32_t value)
{
    dr_write(self, DR_DATA, value);
    dr_write(self, DR_INDEX, index);
    debug_command(self, WRITE_GPR);
}

static inline uint32_t debug_load(const struct debugger *self, uint32_t address)
{
    dr_write(self, DR_INDEX, address);
    debug_command(self, READ_MEMORY);
    return dr_read(self, DR_RESULT);
}

static inline void debug_store(const struct debugger *self, uint32_t address, uint32_t value)
{
    dr_write(self, DR_DATA, value);
    dr_write(self, DR_INDEX, address);
    debug_command(self, WRITE_MEMORY);
}

static inline void debug_set_pc(const struct debugger *self, uint32_t pc)
{
    dr_write(self, DR_DATA, pc);
    debug_command(self, WRITE_PC);
}

// Continues; from an ebreak only after a pc write.
static inline void debug_resume(const struct debugger *self)
{
    if (debug_status(self) & HIT_EBREAK)
        debug_set_pc(self, debug_pc(self));
    debug_command(self, RESUME);
}

static inline void debug_watch(const struct debugger *self, uint32_t number, uint32_t mode,
                               uint32_t address)
{
    uint32_t modes = dr_read(self, DR_MODES) & ~(15u << 4 * number);
    dr_write(self, DR_WATCHPOINT + number, address);
    dr_write(self, DR_MODES, modes | mode << 4 * number);
}

// --- without stopping anything ---

// A word of a signal of the debug bus.
static inline uint32_t debug_signal(const struct debugger *self, uint32_t daisy, uint32_t signal,
                                    uint32_t word)
{
    card_write32(self->card, self->x, self->y, 0xffb12054,
                 1u << 29 | word << 25 | daisy << 16 | signal);
    return card_read32(self->card, self->x, self->y, 0xffb1205c);
}

static inline uint32_t debug_config(const struct debugger *self, uint32_t index)
{
    card_write32(self->card, self->x, self->y, 0xffb12058, index);
    return card_read32(self->card, self->x, self->y, 0xffb12078);
}

// Two cells of a row of an array; 2 is Dst.
static inline uint32_t debug_array(const struct debugger *self, uint32_t array, uint32_t row,
                                   uint32_t part)
{
    card_write32(self->card, self->x, self->y, 0xffb12060, 1);
    card_write32(self->card, self->x, self->y, 0xffb12064, array << 16 | part << 12 | row);
    uint32_t word = card_read32(self->card, self->x, self->y, 0xffb1206c);
    card_write32(self->card, self->x, self->y, 0xffb12060, 0);
    return word;
}

// --- instructions of the coprocessor ---

#define PUSH_CONTROL 0xffb120a0u
#define PUSH_WORD    0xffb120a4u
#define PUSH_STATUS  0xffb120a8u

static inline void debug_await(const struct debugger *self, uint32_t bit)
{
    uint32_t tries = 1000;
    while (!(card_read32(self->card, self->x, self->y, PUSH_STATUS) & bit))
        card_must(--tries > 0, "a thread does not take what a debugger pushes");
}

// Pushes an instruction into a thread and waits until it has left the FIFO.
static inline void debug_push(const struct debugger *self, uint32_t thread, uint32_t word)
{
    debug_await(self, 1u << thread);
    card_write32(self->card, self->x, self->y, PUSH_CONTROL, 1u << thread);
    debug_await(self, 1u << thread);
    card_write32(self->card, self->x, self->y, PUSH_WORD, word);
    card_write32(self->card, self->x, self->y, PUSH_CONTROL, 0x11u << thread);
    debug_await(self, 0x10u << thread);
    card_write32(self->card, self->x, self->y, PUSH_CONTROL, 0);
}

#endif
