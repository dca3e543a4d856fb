// Emits the programs of the reports on streams (senders.h).
#include "platform/study/silicon/senders.h"

#include "noc/niu.h"
#include "platform/study/silicon/listing.h"

#define DATA   SENDER_DATA
#define PACKET 16384u
#define STRIDE 0x8000u         // between the slots of senders that share a target
#define SINK   (DATA + PACKET) // where a report's reads go
#define FAR    0x140000u       // where another's go
#define MARKER (DATA + PACKET) // four bytes after the last packet
#define GATE   3000u           // cycle at which gated programs start: all are waiting by then
#define NIU    0xffb20000u

enum { WRITES, READS, UNUSED, ATOMICS }; // initiators

uint32_t sender_mark_from(const struct sender *self)
{
    bool one = self->kind == SENDER_ARBITRATE; // packet, again and again
    return DATA + self->bytes * (one ? 1 : self->count) - 4;
}

uint32_t sender_mark_at(const struct sender *self)
{
    return sender_mark_from(self) + self->slot * STRIDE;
}

// --- requests ---

static uint32_t write_control(const struct sender *self)
{
    return TS_NOC_WRITE | TS_NOC_CTRL_VC_STATIC | (uint32_t)self->vc << TS_NOC_CTRL_VC_SHIFT |
           (uint32_t)self->priority << TS_NOC_CTRL_PRIO_SHIFT |
           (self->op == SEND_POSTED ? 0 : TS_NOC_CTRL_RESP_MARKED);
}

// From s2 to s3 of tile s9, s4 bytes; the control word in a register or not.
void sender_write(struct ts_rvasm *p, const struct sender *self, unsigned from, unsigned to,
                  unsigned control, bool poll)
{
    const struct listing_word words[] = {
        {TS_NOC_CTRL, (uint8_t)control, write_control(self)},
        {TS_NOC_TARG_LO, (uint8_t)from, 0},
        {TS_NOC_RET_LO, (uint8_t)to, 0},
        {TS_NOC_RET_MID, L_ZERO, 0},
        {TS_NOC_RET_HI, L_S9, 0},
        {TS_NOC_AT_LEN_BE, L_S4, 0},
        {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
    };
    if (poll)
        listing_request(p, self->noc, WRITES, words, sizeof words / sizeof *words);
    else
        listing_issue(p, self->noc, WRITES, words, sizeof words / sizeof *words);
}

// From s3 of a tile to a place here: a register, or a number.
void sender_read(struct ts_rvasm *p, const struct sender *self, unsigned from, unsigned tile,
                 unsigned to, uint32_t place)
{
    const struct listing_word words[] = {
        {TS_NOC_CTRL, L_ZERO,
         TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT},
        {TS_NOC_RET_LO, (uint8_t)to, place},
        {TS_NOC_RET_MID, L_ZERO, 0},
        {TS_NOC_RET_HI, L_S5, 0},
        {TS_NOC_TARG_LO, (uint8_t)from, 0},
        {TS_NOC_TARG_MID, L_ZERO, 0},
        {TS_NOC_TARG_HI, (uint8_t)tile, 0},
        {TS_NOC_AT_LEN_BE, L_S4, 0},
        {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
    };
    listing_request(p, self->noc, READS, words, sizeof words / sizeof *words);
}

static void increment_words(struct ts_rvasm *p, const struct sender *self)
{
    const struct listing_word words[] = {
        {TS_NOC_RET_LO, L_ZERO, 4},
        {TS_NOC_RET_MID, L_ZERO, 0},
        {TS_NOC_RET_HI, L_S5, 0},
        {TS_NOC_TARG_LO, L_S3, 0},
        {TS_NOC_TARG_MID, L_ZERO, 0},
        {TS_NOC_TARG_HI, L_S9, 0},
        {TS_NOC_CTRL, L_ZERO,
         TS_NOC_ATOMIC | TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC |
             1u << TS_NOC_CTRL_VC_SHIFT},
        {TS_NOC_AT_LEN_BE, L_ZERO, 1u << 12 | 31u << 2},
        {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
        {TS_NOC_AT_DATA, L_ZERO, 1},
    };
    listing_request(p, self->noc, ATOMICS, words, sizeof words / sizeof *words);
}

// --- parts ---

void sender_result(struct ts_rvasm *p, unsigned core, unsigned reg, unsigned index)
{
    ts_rvasm_li(p, L_S2, sender_results(core));
    listing_store(p, reg, L_S2, 4 * (int32_t)index);
}

// Waits for the cycle at which all programs start.
void sender_gate(struct ts_rvasm *p)
{
    ts_rvasm_li(p, L_S10, GATE);
    ts_rvasm_li(p, L_S11, 0);
    uint32_t wait = ts_rvasm_here(p);
    listing_clock(p, L_A2, L_A3);
    ts_rvasm_back(p, TS_RV_BLTU, L_A3, L_S11, wait);
    uint32_t done = listing_forward(p, TS_RV_BNE, L_A3, L_S11);
    ts_rvasm_back(p, TS_RV_BLTU, L_A2, L_S10, wait);
    listing_here(p, done);
}

// Nothing of transaction 0 is under way.
static void wait_none(struct ts_rvasm *p, unsigned noc)
{
    ts_rvasm_li(p, L_T3, NIU + 0x10000u * noc + 0x200 + 4 * TS_NOC_MST_REQS_OUTSTANDING_ID);
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T4, L_T3, 0);
    ts_rvasm_back(p, TS_RV_BNE, L_T4, L_ZERO, poll);
    listing_fence(p);
}

static void barrier(struct ts_rvasm *p, const struct sender *self)
{
    if (self->op == SEND_POSTED) {
        listing_free(p, self->noc, WRITES);
        listing_fence(p);
        return;
    }
    listing_wait(p, self->noc,
                 self->op == SEND_READ ? TS_NOC_MST_RD_RESP_RECEIVED : TS_NOC_MST_WR_ACK_RECEIVED,
                 L_S6);
    listing_fence(p);
}

// --- loops ---

static void observe(struct ts_rvasm *p, const struct sender *self)
{
    ts_rvasm_li(p, L_S0, self->count);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    sender_write(p, self, L_S2, L_S3, L_ZERO, true);
    listing_addi(p, L_S6, L_S6, 1);
    if (self->kind == SENDER_OBSERVE) {
        ts_rvasm(p, TS_RV_ADD, L_S2, L_S2, L_S8, 0);
        ts_rvasm(p, TS_RV_ADD, L_S3, L_S3, L_S8, 0);
    }
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
}

static void empty(struct ts_rvasm *p, const struct sender *self)
{
    listing_clock(p, L_A2, L_A3);
    ts_rvasm_li(p, L_S0, self->repeats * self->count);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    listing_addi(p, L_S1, L_S1, 1);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    listing_clock(p, L_A4, L_A5);
    ts_rvasm(p, TS_RV_SUB, L_A4, L_A4, L_A2, 0);
    sender_result(p, self->core, L_A4, SENDER_EMPTY);
}

// Of the stream sweep and of the contention probe.
static void nested(struct ts_rvasm *p, const struct sender *self)
{
    bool sweep = self->kind == SENDER_SWEEP, read = self->op == SEND_READ;
    if (!sweep)
        ts_rvasm_li(p, L_S4, self->bytes);
    ts_rvasm_li(p, L_S0, self->repeats);
    ts_rvasm_li(p, L_S8, self->bytes);
    uint32_t outer = ts_rvasm_here(p), outer_done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    if (!sweep) {
        ts_rvasm_li(p, L_S1, self->count);
        ts_rvasm_li(p, L_S2, read ? FAR : DATA);
    }
    ts_rvasm_li(p, L_S3, DATA);
    if (sweep)
        ts_rvasm_li(p, L_S1, self->count);
    uint32_t inner = ts_rvasm_here(p), inner_done = listing_forward(p, TS_RV_BEQ, L_S1, L_ZERO);
    if (read)
        sender_read(p, self, L_S3, L_S9, sweep ? L_ZERO : L_S2, SINK);
    else
        sender_write(p, self, L_S2, L_S3, L_ZERO, true);
    if (!sweep && !read)
        ts_rvasm(p, TS_RV_ADD, L_S2, L_S2, L_S8, 0);
    listing_addi(p, L_S6, L_S6, 1);
    ts_rvasm(p, TS_RV_ADD, L_S3, L_S3, L_S8, 0);
    listing_addi(p, L_S1, L_S1, -1);
    listing_jump(p, inner);
    listing_here(p, inner_done);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, outer);
    listing_here(p, outer_done);
}

static void same(struct ts_rvasm *p, const struct sender *self)
{
    bool before = self->op == SEND_WRITE || self->op == SEND_WRITE_READ;
    bool reads = self->op != SEND_WRITE, after = self->op == SEND_READ_WRITE;
    ts_rvasm_li(p, L_S0, self->count);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    if (before) {
        sender_write(p, self, L_S2, L_S2, L_ZERO, true);
        listing_addi(p, L_S10, L_S10, 1);
    }
    if (reads) {
        sender_read(p, self, L_S2, L_S8, L_S3, 0);
        listing_addi(p, L_S11, L_S11, 1);
    }
    if (after) {
        sender_write(p, self, L_S2, L_S2, L_ZERO, true);
        listing_addi(p, L_S10, L_S10, 1);
    }
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    if (before || after) {
        listing_wait(p, self->noc, TS_NOC_MST_WR_ACK_RECEIVED, L_S10);
        listing_fence(p);
    }
    if (reads) {
        listing_wait(p, self->noc, TS_NOC_MST_RD_RESP_RECEIVED, L_S11);
        listing_fence(p);
    }
}

// The clock before and after the poll, and the longest of these times.
static void timed_write(struct ts_rvasm *p, const struct sender *self)
{
    listing_clock(p, L_A4, L_A5);
    listing_free(p, self->noc, WRITES);
    listing_clock(p, L_T5, L_T6);
    ts_rvasm(p, TS_RV_SUB, L_S11, L_T5, L_A4, 0);
    ts_rvasm(p, TS_RV_ADD, L_S8, L_S8, L_S11, 0);
    uint32_t skip = listing_forward(p, TS_RV_BLTU, L_S11, L_S10);
    listing_addi(p, L_S10, L_S11, 0);
    listing_here(p, skip);
    sender_write(p, self, L_S2, L_S3, L_S1, false);
}

// Four counters after each packet; those that the model lacks are another one here.
static void counted_write(struct ts_rvasm *p, const struct sender *self)
{
    const struct listing_word words[] = {
        {TS_NOC_CTRL, L_S1, 0},      {TS_NOC_TARG_LO, L_S2, 0},       {TS_NOC_TARG_MID, L_ZERO, 0},
        {TS_NOC_RET_LO, L_S3, 0},    {TS_NOC_RET_MID, L_ZERO, 0},     {TS_NOC_RET_HI, L_S9, 0},
        {TS_NOC_AT_LEN_BE, L_S4, 0}, {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
    };
    listing_request(p, self->noc, WRITES, words, sizeof words / sizeof *words);
}

static void sample(struct ts_rvasm *p, const struct sender *self)
{
    listing_counter(p, self->noc, TS_NOC_MST_CMD_ACCEPTED, L_T0);
    uint32_t least = listing_forward(p, TS_RV_BGEU, L_T0, L_S10);
    listing_addi(p, L_S10, L_T0, 0);
    listing_here(p, least);
    listing_counter(p, self->noc, TS_NOC_MST_REQS_OUTSTANDING_ID, L_T0);
    uint32_t most = listing_forward(p, TS_RV_BLTU, L_T0, L_S11);
    listing_addi(p, L_S11, L_T0, 0);
    listing_here(p, most);
    listing_counter(p, self->noc, TS_NOC_MST_CMD_ACCEPTED, L_T0);
    listing_counter(p, self->noc, TS_NOC_MST_CMD_ACCEPTED, L_T0);
}

// Packets, then four bytes.
static void marked(struct ts_rvasm *p, const struct sender *self)
{
    bool counts = self->kind == SENDER_COUNTER;
    ts_rvasm_li(p, L_S0, self->count);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    if (counts) {
        counted_write(p, self);
        sample(p, self);
    } else {
        timed_write(p, self);
    }
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    ts_rvasm_li(p, L_S2, MARKER);
    ts_rvasm_li(p, L_S3, MARKER);
    ts_rvasm_li(p, L_S4, 4);
    if (counts)
        counted_write(p, self);
    else
        timed_write(p, self);
    if (self->op == SEND_POSTED) {
        listing_free(p, self->noc, WRITES);
        listing_fence(p);
    } else {
        wait_none(p, self->noc);
    }
}

static void atomic(struct ts_rvasm *p, const struct sender *self)
{
    ts_rvasm_li(p, L_S0, self->count);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    ts_rvasm_li(p, L_S3, SENDER_SUM);
    ts_rvasm_li(p, L_S9, self->to);
    increment_words(p, self);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    listing_clock(p, L_S0, L_S1);
    listing_wait(p, self->noc, TS_NOC_MST_ATOMIC_RESP_RECEIVED, L_S6);
}

// A word of the parameters, whose place is a number.
static void parameter(struct ts_rvasm *p, unsigned reg, uint32_t value)
{
    ts_rvasm_li(p, L_T0, PROBE_RESULTS - 0x100);
    listing_load(p, L_T0, L_T0, 0);
    ts_rvasm_li(p, reg, value); // which the host would have put there
}

// The registers once, then only the start; what is returned (SEND_READ) is waited for.
static void signal(struct ts_rvasm *p, const struct sender *self)
{
    parameter(p, L_S9, self->to);
    parameter(p, L_S3, SENDER_SUM);
    parameter(p, L_S4, 1);
    parameter(p, L_S0, self->count);
    if (self->op == SEND_READ)
        wait_none(p, self->noc);
    const struct listing_word words[] = {
        {TS_NOC_TARG_LO, L_S3, 0},
        {TS_NOC_TARG_MID, L_ZERO, 0},
        {TS_NOC_TARG_HI, L_S9, 0},
        {TS_NOC_RET_LO, L_ZERO, DATA},
        {TS_NOC_RET_MID, L_ZERO, 0},
        {TS_NOC_RET_HI, L_S5, 0},
        {TS_NOC_TAG, L_ZERO, 0},
        {TS_NOC_CTRL, L_ZERO,
         TS_NOC_ATOMIC | TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC |
             1u << TS_NOC_CTRL_VC_SHIFT},
        {TS_NOC_AT_LEN_BE, L_ZERO, 1u << 12 | 31u << 2},
        {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
        {TS_NOC_AT_DATA, L_S4, 0},
    };
    listing_words(p, self->noc, ATOMICS, words, sizeof words / sizeof *words);
    ts_rvasm_li(p, L_T3, NIU + 0x10000u * self->noc + TS_NOC_BUF_STRIDE * ATOMICS);
    ts_rvasm_li(p, L_T5, 1);
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T4, L_T3, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm_back(p, TS_RV_BNE, L_T4, L_ZERO, poll);
    listing_store(p, L_T5, L_T3, 4 * TS_NOC_CMD_CTRL);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    listing_free(p, self->noc, ATOMICS);
    if (self->op == SEND_READ)
        wait_none(p, self->noc);
}

// --- programs ---

static bool is_gated(const struct sender *self)
{
    return self->kind == SENDER_GATED || self->kind == SENDER_ARBITRATE ||
           self->kind == SENDER_ATOMIC || self->kind == SENDER_SIGNAL;
}

static void set_up(struct ts_rvasm *p, const struct sender *self)
{
    bool same_kind = self->kind == SENDER_SAME;
    ts_rvasm_li(p, L_S5, self->own);
    listing_word(p, self->noc, WRITES, (struct listing_word){TS_NOC_TARG_HI, L_S5, 0});
    ts_rvasm_li(p, L_S9, self->to);
    ts_rvasm_li(p, L_S1, write_control(self));
    ts_rvasm_li(p, L_S4, self->bytes);
    ts_rvasm_li(p, L_S8,
                same_kind                      ? self->read_at
                : self->kind == SENDER_OBSERVE ? self->bytes
                                               : 0);
    ts_rvasm_li(p, L_S10, 0);
    ts_rvasm_li(p, L_S11, 0);
    if (self->kind == SENDER_SWEEP)
        empty(p, self);
    if (is_gated(self))
        sender_gate(p);
    ts_rvasm_li(p, L_S3, same_kind ? SINK : DATA + self->slot * STRIDE);
    ts_rvasm_li(p, L_S2, DATA);
    ts_rvasm_li(p, L_S6, self->kind == SENDER_ATOMIC ? self->count : 0);
}

void sender_code(struct ts_rvasm *p, const struct sender *self)
{
    listing_begin(p);
    set_up(p, self);
    listing_clock(p, L_A2, L_A3);
    switch ((enum sender_kind)self->kind) {
    case SENDER_OBSERVE:
    case SENDER_ARBITRATE:
        observe(p, self);
        barrier(p, self);
        break;
    case SENDER_SWEEP:
    case SENDER_GATED:
        nested(p, self);
        barrier(p, self);
        break;
    case SENDER_SAME:
        same(p, self);
        break;
    case SENDER_TIMED:
    case SENDER_COUNTER:
        marked(p, self);
        break;
    case SENDER_ATOMIC:
        atomic(p, self);
        break;
    case SENDER_SIGNAL:
        signal(p, self);
        break;
    }
    listing_clock(p, L_A4, L_A5);
    sender_result(p, self->core, L_A2, SENDER_STARTED);
    sender_result(p, self->core, L_A4, SENDER_ENDED);
    sender_result(p, self->core, L_S0, SENDER_ISSUED);
    listing_end(p);
}
