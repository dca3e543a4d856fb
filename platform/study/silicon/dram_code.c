// Emits the programs of the reports on DRAM (dram_code.h).
#include "platform/study/silicon/dram_code.h"

#include "noc/niu.h"
#include "platform/study/silicon/listing.h"

#define NIU      0xffb20000u
#define CONFIG   0x100u
#define COUNTERS 0x200
#define LOCAL    0xffb00000u // the core's own memory: the coordinates of the channels
#define PAGES    64u         // in L1, of the first report
#define BATCH    32u         // pages of the second
#define TAG      1u          // of its requests

// --- one channel ---

static void bench_loop(struct ts_rvasm *p, const struct dram_stream *self,
                       const struct sender *sender)
{
    uint32_t top = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, L_S8, L_S7);
    ts_rvasm(p, TS_RV_ADD, L_A1, L_S10, L_S8, 0);
    ts_rvasm(p, TS_RV_MUL, L_T0, L_A1, L_S4, 0);
    listing_addi(p, L_A0, L_S0, 0);
    ts_rvasm(p, TS_RV_ADD, L_A0, L_A0, L_T0, 0);
    listing_addi(p, L_S9, L_S11, 0);
    ts_rvasm(p, TS_RV_ANDI, L_T5, L_S8, 0, PAGES - 1);
    ts_rvasm(p, TS_RV_MUL, L_T5, L_T5, L_S4, 0);
    ts_rvasm_li(p, L_T6, SENDER_DATA);
    ts_rvasm(p, TS_RV_ADD, L_T5, L_T5, L_T6, 0);
    if (self->read)
        sender_read(p, sender, L_A0, L_S9, L_T5, 0);
    else
        sender_write(p, sender, L_T5, L_A0, L_ZERO, true);
    listing_addi(p, L_S6, L_S6, 1);
    listing_addi(p, L_S8, L_S8, 1);
    listing_jump(p, top);
    listing_here(p, done);
}

void dram_bench_code(struct ts_rvasm *p, const struct dram_stream *self)
{
    const struct sender sender = {.noc = self->noc, .vc = 1, .op = SEND_WRITE};
    unsigned counter = self->read ? TS_NOC_MST_RD_RESP_RECEIVED : TS_NOC_MST_WR_ACK_RECEIVED;
    listing_begin(p);
    ts_rvasm_li(p, L_S0, self->base);
    ts_rvasm_li(p, L_S4, self->bytes);
    ts_rvasm_li(p, L_S5, self->own);
    ts_rvasm_li(p, L_S7, self->count);
    listing_word(p, self->noc, 0, (struct listing_word){TS_NOC_TARG_HI, L_S5, 0});
    listing_counter(p, self->noc, counter, L_S6);
    if (self->gated)
        sender_gate(p);
    ts_rvasm_li(p, L_S10, 0); // first page
    ts_rvasm_li(p, L_S11, self->to[0]);
    listing_clock(p, L_A2, L_A3);
    ts_rvasm_li(p, L_S1, sender_results(self->core));
    listing_store(p, L_A2, L_S1, 4 * SENDER_STARTED);
    listing_store(p, L_A3, L_S1, 4 * SENDER_SEEN); // the high word
    listing_addi(p, L_S8, L_ZERO, 0);
    bench_loop(p, self, &sender);
    listing_wait(p, self->noc, counter, L_S6);
    listing_fence(p);
    listing_clock(p, L_A4, L_A5);
    sender_result(p, self->core, L_A4, SENDER_ENDED);
    listing_end(p);
}

// --- channels in turn ---

// Registers of the second report's program.
enum {
    DRAM = L_S0,
    REMAINING = L_S1,
    L1 = L_S2,
    BANK = L_S3,
    PAGE = L_S4,
    BANKS = L_S5,
    INTERFACE = L_S6,
    COMMAND = L_S7,
    TABLE = L_S8,
    OWN = L_S9,
    DONE = L_S10, // pages
    BATCH_BYTES = L_S11,
    LEFT = L_A0, // bytes of the batch
    SLOTS = L_A1,
    L1_END = L_A2,
};

static void wait_zero(struct ts_rvasm *p, int32_t offset)
{
    uint32_t again = ts_rvasm_here(p);
    listing_load(p, L_T0, INTERFACE, offset);
    ts_rvasm_back(p, TS_RV_BNE, L_T0, L_ZERO, again);
    listing_fence(p);
}

static void wait_outstanding(struct ts_rvasm *p)
{
    wait_zero(p, COUNTERS + 4 * (int32_t)(TS_NOC_MST_REQS_OUTSTANDING_ID + TAG));
}

static void wait_outgoing(struct ts_rvasm *p)
{
    wait_zero(p, COUNTERS + 4 * (int32_t)(TS_NOC_MST_WRITE_REQS_OUTGOING_ID + TAG));
}

static void wait_ready(struct ts_rvasm *p)
{
    uint32_t ready = ts_rvasm_here(p);
    listing_load(p, L_T0, COMMAND, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm_back(p, TS_RV_BNE, L_T0, L_ZERO, ready);
}

// The five words that differ between requests.
static void submit(struct ts_rvasm *p, bool read)
{
    unsigned from = read ? DRAM : L1, from_tile = read ? L_T2 : OWN;
    unsigned to = read ? L1 : DRAM, to_tile = read ? OWN : L_T2;
    wait_ready(p);
    listing_store(p, from, COMMAND, 4 * TS_NOC_TARG_LO);
    listing_store(p, from_tile, COMMAND, 4 * TS_NOC_TARG_HI);
    listing_store(p, to, COMMAND, 4 * TS_NOC_RET_LO);
    listing_store(p, to_tile, COMMAND, 4 * TS_NOC_RET_HI);
    listing_store(p, L_T1, COMMAND, 4 * TS_NOC_AT_LEN_BE);
    ts_rvasm_li(p, L_T3, 1);
    listing_store(p, L_T3, COMMAND, 4 * TS_NOC_CMD_CTRL);
}

// A write's requests stay below half of what a counter of eight bits counts.
static void wait_capacity(struct ts_rvasm *p)
{
    uint32_t again = ts_rvasm_here(p);
    listing_load(p, L_T0, INTERFACE,
                 COUNTERS + 4 * (int32_t)(TS_NOC_MST_REQS_OUTSTANDING_ID + TAG));
    ts_rvasm_li(p, L_T1, 129);
    ts_rvasm(p, TS_RV_SUB, L_T1, L_T1, SLOTS, 0);
    uint32_t ready = listing_forward(p, TS_RV_BLTU, L_T0, L_T1);
    listing_fence(p);
    listing_jump(p, again);
    listing_here(p, ready);
}

static void open_batch(struct ts_rvasm *p, const struct dram_stream *self, uint32_t place)
{
    listing_addi(p, BATCH_BYTES, REMAINING, 0);
    ts_rvasm_li(p, L_T0, BATCH * self->bytes);
    uint32_t shorter = listing_forward(p, TS_RV_BLTU, REMAINING, L_T0);
    listing_addi(p, BATCH_BYTES, L_T0, 0);
    uint32_t jump = listing_forward(p, TS_RV_BEQ, L_ZERO, L_ZERO);
    listing_here(p, shorter);
    listing_here(p, jump);
    listing_addi(p, L_T0, PAGE, -1);
    ts_rvasm(p, TS_RV_ADD, SLOTS, BATCH_BYTES, L_T0, 0);
    ts_rvasm(p, TS_RV_DIVU, SLOTS, SLOTS, PAGE, 0);
    if (!self->read)
        wait_capacity(p);
    ts_rvasm_li(p, L_T0, BATCH);
    ts_rvasm(p, TS_RV_REMU, L_T1, DONE, L_T0, 0);
    ts_rvasm(p, TS_RV_MUL, L_T1, L_T1, PAGE, 0);
    ts_rvasm_li(p, L1, place);
    ts_rvasm(p, TS_RV_ADD, L1, L1, L_T1, 0);
    ts_rvasm_li(p, L1_END, place + BATCH * self->bytes);
    listing_addi(p, LEFT, BATCH_BYTES, 0);
}

static void issue_batch(struct ts_rvasm *p, const struct dram_stream *self, uint32_t place)
{
    uint32_t issue = ts_rvasm_here(p), issued = listing_forward(p, TS_RV_BEQ, LEFT, L_ZERO);
    listing_addi(p, L_T1, LEFT, 0);
    uint32_t chunk = listing_forward(p, TS_RV_BLTU, LEFT, PAGE);
    listing_addi(p, L_T1, PAGE, 0);
    listing_here(p, chunk);
    ts_rvasm(p, TS_RV_SLLI, L_T3, BANK, 0, 2);
    ts_rvasm(p, TS_RV_ADD, L_T3, L_T3, TABLE, 0);
    listing_load(p, L_T2, L_T3, 0);
    submit(p, self->read);
    ts_rvasm(p, TS_RV_SUB, LEFT, LEFT, L_T1, 0);
    ts_rvasm(p, TS_RV_ADD, L1, L1, L_T1, 0);
    uint32_t within = listing_forward(p, TS_RV_BNE, L1, L1_END);
    ts_rvasm_li(p, L1, place);
    listing_here(p, within);
    listing_addi(p, BANK, BANK, 1);
    uint32_t next = listing_forward(p, TS_RV_BLTU, BANK, BANKS);
    ts_rvasm_li(p, BANK, 0);
    ts_rvasm(p, TS_RV_ADD, DRAM, DRAM, PAGE, 0);
    listing_here(p, next);
    listing_jump(p, issue);
    listing_here(p, issued);
}

// What the transfer does before its first request.
static void prepare(struct ts_rvasm *p, const struct dram_stream *self)
{
    const uint32_t control = TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC |
                             1u << TS_NOC_CTRL_VC_SHIFT | (self->read ? 0 : TS_NOC_WRITE);
    ts_rvasm_li(p, L_T0, NIU + 0x10000u * self->noc + CONFIG + 4 * TS_NOC_CFG_LOGICAL);
    listing_load(p, OWN, L_T0, 0);
    ts_rvasm(p, TS_RV_SLLI, OWN, OWN, 0, 20);
    ts_rvasm(p, TS_RV_SRLI, OWN, OWN, 0, 20);
    ts_rvasm_li(p, BANK, 0);
    ts_rvasm_li(p, PAGE, self->bytes);
    ts_rvasm_li(p, BANKS, DRAM_BANKS);
    ts_rvasm_li(p, INTERFACE, NIU + 0x10000u * self->noc);
    ts_rvasm_li(p, COMMAND,
                NIU + 0x10000u * self->noc + TS_NOC_BUF_STRIDE * (self->read ? 1u : 2u));
    ts_rvasm_li(p, TABLE, LOCAL);
    ts_rvasm_li(p, DONE, 0);
    wait_outstanding(p);
    if (!self->read)
        wait_outgoing(p);
    for (int32_t word = TS_NOC_TARG_LO; word <= TS_NOC_BRCST_EXCLUDE; word++) {
        uint32_t value = word == TS_NOC_TAG ? TAG << 10 : word == TS_NOC_CTRL ? control : 0;
        if (value)
            ts_rvasm_li(p, L_T0, value);
        listing_store(p, value ? L_T0 : L_ZERO, COMMAND, 4 * word);
    }
}

void dram_striped_code(struct ts_rvasm *p, const struct dram_stream *self)
{
    uint32_t place = SENDER_DATA + self->slot * BATCH * self->bytes;
    listing_begin(p);
    ts_rvasm_li(p, TABLE, LOCAL);
    for (unsigned i = 0; i < DRAM_BANKS; i++) {
        ts_rvasm_li(p, L_T0, self->to[i]);
        listing_store(p, L_T0, TABLE, 4 * (int32_t)i);
    }
    ts_rvasm_li(p, DRAM, self->base);
    ts_rvasm_li(p, REMAINING, self->bytes * self->count);
    listing_clock(p, L_A4, L_A5);
    sender_result(p, self->core, L_A4, SENDER_STARTED);
    sender_result(p, self->core, L_A5, SENDER_SEEN); // the high word
    listing_fence(p);
    prepare(p, self);
    uint32_t batch = ts_rvasm_here(p), done = listing_forward(p, TS_RV_BEQ, REMAINING, L_ZERO);
    open_batch(p, self, place);
    issue_batch(p, self, place);
    wait_ready(p);
    if (self->read)
        wait_outstanding(p);
    else
        wait_outgoing(p);
    ts_rvasm(p, TS_RV_ADD, DONE, DONE, SLOTS, 0);
    ts_rvasm(p, TS_RV_SUB, REMAINING, REMAINING, BATCH_BYTES, 0);
    listing_jump(p, batch);
    listing_here(p, done);
    if (!self->read)
        wait_outstanding(p);
    listing_clock(p, L_A4, L_A5);
    sender_result(p, self->core, L_A4, SENDER_ENDED);
    listing_end(p);
}
