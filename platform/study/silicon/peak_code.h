// Code with labels, for programs of some thousand words, and what the programs of a large matmul
// share (peak.h): registers, stores to addresses, circular buffers.
//
// Branches are written as the assembler of blackhole-py does: where a target is too far away, the
// inverted branch over a jump.
#ifndef TENSIM_STUDY_SILICON_PEAK_CODE_H
#define TENSIM_STUDY_SILICON_PEAK_CODE_H

#include "cores/riscv/assemble.h"

// Registers of RISC-V.
enum {
    ZERO,
    RA,
    SP,
    GP,
    TP,
    T0,
    T1,
    T2,
    S0,
    S1,
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    S2,
    S3,
    S4,
    S5,
    S6,
    S7,
    S8,
    S9,
    S10,
    S11,
    T3,
    T4,
    T5,
    T6
};

struct peak_code {
    struct peak_item *items;
    unsigned count, room;
    int32_t *labels; // the item a label stands before; -1: not yet
    unsigned label_count;
};

void peak_free(struct peak_code *k);
// Into words; false: a label is missing.
bool peak_assemble(const struct peak_code *k, struct ts_rvasm *out);

unsigned peak_label(struct peak_code *k);
void peak_here(struct peak_code *k, unsigned label);
unsigned peak_mark(struct peak_code *k); // a label, here
void peak_branch(struct peak_code *k, enum ts_rv_op op, unsigned a, unsigned b, unsigned label);
void peak_call(struct peak_code *k, unsigned link, unsigned label);
static inline void peak_jump(struct peak_code *k, unsigned label)
{
    peak_call(k, ZERO, label);
}

void peak_word(struct peak_code *k, uint32_t word);
void peak_tensix(struct peak_code *k, uint32_t word); // a word of the coprocessor in the text
static inline void peak_do(struct peak_code *k, enum ts_rv_op op, unsigned rd, unsigned a,
                           unsigned b, int32_t number)
{
    peak_word(k, ts_rv_encode(op, rd, a, b, number));
}
static inline void peak_addi(struct peak_code *k, unsigned rd, unsigned rs, int32_t number)
{
    peak_do(k, TS_RV_ADDI, rd, rs, 0, number);
}
static inline void peak_move(struct peak_code *k, unsigned rd, unsigned rs)
{
    peak_addi(k, rd, rs, 0);
}
static inline void peak_load(struct peak_code *k, unsigned rd, unsigned rs, int32_t offset)
{
    peak_do(k, TS_RV_LW, rd, rs, 0, offset);
}
static inline void peak_store(struct peak_code *k, unsigned value, unsigned rs, int32_t offset)
{
    peak_do(k, TS_RV_SW, 0, rs, value, offset);
}
static inline void peak_fence(struct peak_code *k)
{
    peak_do(k, TS_RV_FENCE, 0, 0, 0, 0);
}
void peak_li(struct peak_code *k, unsigned rd, uint32_t value);
void peak_add_number(struct peak_code *k, unsigned rd, unsigned rs, int32_t number); // by way of T4

// A word from an address (by way of T0), a register to one (T0), and a number (T0, T1).
void peak_get(struct peak_code *k, unsigned rd, uint32_t address);
void peak_put(struct peak_code *k, uint32_t address, unsigned value);
void peak_set(struct peak_code *k, uint32_t address, uint32_t number);
// A word of the coprocessor by a store; waits for the thread's words; settings of the MOP.
void peak_push(struct peak_code *k, uint32_t word);
void peak_sync(struct peak_code *k, unsigned reg);
void peak_mop(struct peak_code *k, const uint32_t words[9]);
// Polls a semaphore of the PC buffer until its low byte is 0.
void peak_idle(struct peak_code *k, uint32_t address);
// A wait for a word in L1 to have the value of a register.
void peak_await(struct peak_code *k, uint32_t address, unsigned value, unsigned reg);
// Both halves of the clock to L1.
void peak_stamp(struct peak_code *k, uint32_t address);

// ---- circular buffers: 8 words of the core's own memory each, counts in the overlay

struct peak_buffer {
    unsigned index;
    uint32_t address, page, pages;
};

#define PEAK_ACKED(i)   (0xffb48020u + 0x1000u * (i)) // counts of pages
#define PEAK_ARRIVED(i) (PEAK_ACKED(i) + 8)

// Where a core has the words of its buffers.
uint32_t peak_interface(unsigned core);
void peak_buffer(struct peak_code *k, unsigned core, const struct peak_buffer *buffer);
// A count is a number, or a register if `reg` is not ZERO.
struct peak_count {
    unsigned reg, number;
};
void peak_reserve(struct peak_code *k, unsigned core, unsigned index, struct peak_count count);
void peak_push_back(struct peak_code *k, unsigned core, unsigned index, struct peak_count count,
                    bool by_tensix);
void peak_wait_front(struct peak_code *k, unsigned core, unsigned index, struct peak_count count);
void peak_pop_front(struct peak_code *k, unsigned core, unsigned index, struct peak_count count,
                    bool by_tensix);
// Its place to write or read; by way of T6, which then has the buffer's words.
void peak_write_at(struct peak_code *k, unsigned core, unsigned index, unsigned rd);
void peak_read_at(struct peak_code *k, unsigned core, unsigned index, unsigned rd);

#define PEAK_COUNT(n) ((struct peak_count){.number = (n)})
#define PEAK_IN(r)    ((struct peak_count){.reg = (r)})

#endif
