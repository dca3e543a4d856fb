// Emits what blackhole-py's assembler emits (listing.h).
#include "platform/study/silicon/listing.h"

#include "noc/niu.h"

#define NIU      0xffb20000u
#define COUNTERS 0x200u
#define CLOCK_H  0xffb121f8u
#define CLOCK_L  (-8)
#define CFG0     0x7c0u

void listing_addi(struct ts_rvasm *p, unsigned rd, unsigned rs, int32_t number)
{
    ts_rvasm(p, TS_RV_ADDI, rd, rs, 0, number);
}

void listing_load(struct ts_rvasm *p, unsigned rd, unsigned rs, int32_t offset)
{
    ts_rvasm(p, TS_RV_LW, rd, rs, 0, offset);
}

void listing_store(struct ts_rvasm *p, unsigned value, unsigned rs, int32_t offset)
{
    ts_rvasm(p, TS_RV_SW, 0, rs, value, offset);
}

void listing_fence(struct ts_rvasm *p)
{
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
}

void listing_jump(struct ts_rvasm *p, uint32_t to)
{
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, ((int32_t)to - (int32_t)p->count) * 4);
}

void listing_begin(struct ts_rvasm *p)
{
    p->count = 0;
    p->overflow = false;
    ts_rvasm_li(p, L_T0, 1u << 18 | 1u << 3);
    ts_rvasm(p, TS_RV_CSRRS, 0, L_T0, 0, CFG0);
}

void listing_end(struct ts_rvasm *p)
{
    listing_jump(p, p->count);
}

// The branch is kept without its distance until listing_here.
uint32_t listing_forward(struct ts_rvasm *p, enum ts_rv_op op, unsigned rs1, unsigned rs2)
{
    uint32_t at = p->count;
    ts_rvasm(p, op, 0, rs1, rs2, 0);
    return at;
}

void listing_here(struct ts_rvasm *p, uint32_t forward)
{
    uint32_t branch = p->words[forward];
    int32_t distance = ((int32_t)p->count - (int32_t)forward) * 4;
    p->words[forward] = branch | ts_rv_encode(TS_RV_BEQ, 0, 0, 0, distance);
}

// --- requests ---

static uint32_t address_of(unsigned noc, unsigned initiator, unsigned word)
{
    return NIU + 0x10000u * noc + TS_NOC_BUF_STRIDE * initiator + 4 * word;
}

// A number into the scratch register, from what it holds if that is near.
static void number(struct ts_rvasm *p, uint32_t value, uint32_t *held)
{
    int32_t near = (int32_t)(value - *held);
    if (*held && near >= -2048 && near <= 2047)
        listing_addi(p, L_T4, L_T4, near);
    else
        ts_rvasm_li(p, L_T4, value);
    *held = value;
}

static void put(struct ts_rvasm *p, const struct listing_word *word, uint32_t first, uint32_t at,
                uint32_t *held)
{
    unsigned reg = word->reg;
    if (reg == L_ZERO && word->number != 0) {
        if (*held != word->number)
            number(p, word->number, held);
        reg = L_T4;
    }
    listing_store(p, reg, L_T3, (int32_t)(at - first));
}

void listing_request(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                     const struct listing_word *words, unsigned count)
{
    listing_free(p, noc, initiator);
    listing_issue(p, noc, initiator, words, count);
}

void listing_free(struct ts_rvasm *p, unsigned noc, unsigned initiator)
{
    ts_rvasm_li(p, L_T3, address_of(noc, initiator, TS_NOC_CMD_CTRL));
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T4, L_T3, 0);
    ts_rvasm_back(p, TS_RV_BNE, L_T4, L_ZERO, poll);
}

void listing_issue(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                   const struct listing_word *words, unsigned count)
{
    static const struct listing_word go = {TS_NOC_CMD_CTRL, L_ZERO, 1};
    uint32_t held = listing_words(p, noc, initiator, words, count);
    put(p, &go, address_of(noc, initiator, words[0].word), address_of(noc, initiator, go.word),
        &held);
}

uint32_t listing_words(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                       const struct listing_word *words, unsigned count)
{
    uint32_t held = 0, first = address_of(noc, initiator, words[0].word);
    ts_rvasm_li(p, L_T3, first);
    for (unsigned i = 0; i < count; i++)
        put(p, &words[i], first, address_of(noc, initiator, words[i].word), &held);
    return held;
}

void listing_word(struct ts_rvasm *p, unsigned noc, unsigned initiator, struct listing_word word)
{
    uint32_t held = 0, at = address_of(noc, initiator, word.word);
    ts_rvasm_li(p, L_T3, at);
    put(p, &word, at, at, &held);
}

// --- counters, clock ---

void listing_counter(struct ts_rvasm *p, unsigned noc, unsigned counter, unsigned rd)
{
    ts_rvasm_li(p, L_T3, NIU + 0x10000u * noc + COUNTERS + 4 * counter);
    listing_load(p, rd, L_T3, 0);
}

void listing_wait(struct ts_rvasm *p, unsigned noc, unsigned counter, unsigned target)
{
    ts_rvasm_li(p, L_T3, NIU + 0x10000u * noc + COUNTERS + 4 * counter);
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T4, L_T3, 0);
    ts_rvasm_back(p, TS_RV_BLTU, L_T4, target, poll);
}

void listing_clock(struct ts_rvasm *p, unsigned low, unsigned high)
{
    ts_rvasm_li(p, L_A7, CLOCK_H);
    uint32_t again = ts_rvasm_here(p);
    listing_load(p, high, L_A7, 0);
    listing_load(p, low, L_A7, CLOCK_L);
    listing_load(p, L_A6, L_A7, 0);
    ts_rvasm_back(p, TS_RV_BNE, high, L_A6, again);
}

void listing_delay(struct ts_rvasm *p, unsigned rounds)
{
    listing_addi(p, L_T0, rounds, 0);
    uint32_t top = ts_rvasm_here(p);
    uint32_t end = listing_forward(p, TS_RV_BEQ, L_T0, L_ZERO);
    listing_addi(p, L_T0, L_T0, -1);
    listing_jump(p, top);
    listing_here(p, end);
}
