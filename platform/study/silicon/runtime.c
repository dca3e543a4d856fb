// Truth table: the primitives a runtime is made of, each between two markers on one core.
//
//   CREDIT     circular-buffer credits in the overlay's counters: reserve, publish, wait, release,
//              16 calls in a row
//   SEMAPHORE  post, get, wait and a sync, 7 calls; or one wait for a peer that counts to 1024
//   SOURCE     hand a bank of SrcA or SrcB on: 8 rounds, each interval marked on its own
//   TRANSFER   blocks of 128 elements to or from DRAM, all of the command's set-up included
// Sources: operation tests of blackhole-py, runtime. BRISC and NCRISC issue, TRISC0 and 1 sync.
#include "platform/study/silicon/stage.h"

#include <math.h>
#include <stdio.h>

#define OP(name)        ((uint32_t)TS_OP_##name << 24)
#define ACKED(slot)     (0xffb48020u + 0x1000u * (slot))
#define RECEIVED(slot)  (0xffb48028u + 0x1000u * (slot))
#define START           0x40000u // a flag in L1 that wakes the peer
#define SEMAPHORE_MASK  (1u << 2)
#define EMPTY_POST      OP(SEMPOST) // of no semaphore: waits at the gate, does nothing
#define BLOCK_SYNC      (1u << 1 << 15)
#define SEMINIT(m, v)   (OP(SEMINIT) | (m) << 20 | (v) << 16 | SEMAPHORE_MASK << 2)
#define SEMWAIT(cond)   (OP(SEMWAIT) | BLOCK_SYNC | SEMAPHORE_MASK << 2 | (cond))
#define STALLWAIT(cond) (OP(STALLWAIT) | BLOCK_SYNC | (cond))
enum { ON_ZERO = 1, ON_MAX = 2 };

enum kind { CREDIT, SEMAPHORE, PEER, SOURCE, TRANSFER };
enum action { RESERVE, PUBLISH, WAIT, RELEASE, POST, GET, READY, SPACE, FREE, VALID };

struct row {
    struct ts_silicon_row base;
    enum kind kind;
    enum action action;
    unsigned which; // slot, bank, or NoC
    bool write, serial;
    uint32_t elements, bytes;
};

// ---- credits

enum { COUNTER = 10, AMOUNT, POINTER, OTHER, DIFFERENCE, DEPTH, AVAILABLE, ADDRESS };

static void credit(struct ts_rvasm *p, enum action action, unsigned slot)
{
    bool producer = action == RESERVE || action == PUBLISH;
    ts_rvasm_li(p, POINTER, producer ? RECEIVED(slot) : ACKED(slot));
    ts_rvasm(p, TS_RV_LHU, COUNTER, POINTER, 0, 0);
    ts_rvasm_li(p, AMOUNT, 1);
    if (action == PUBLISH || action == RELEASE) {
        ts_rvasm(p, TS_RV_ADD, COUNTER, COUNTER, AMOUNT, 0);
        ts_rvasm(p, TS_RV_SLLI, COUNTER, COUNTER, 0, 16);
        ts_rvasm(p, TS_RV_SRLI, COUNTER, COUNTER, 0, 16);
        ts_rvasm_li(p, ADDRESS, producer ? RECEIVED(slot) : ACKED(slot));
        ts_rvasm(p, TS_RV_SW, 0, ADDRESS, COUNTER, 0);
        ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
        return;
    }
    ts_rvasm_li(p, ADDRESS, producer ? ACKED(slot) : RECEIVED(slot));
    uint32_t again = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LHU, OTHER, ADDRESS, 0, 0);
    ts_rvasm(p, TS_RV_SUB, DIFFERENCE, producer ? COUNTER : OTHER, producer ? OTHER : COUNTER, 0);
    ts_rvasm(p, TS_RV_SLLI, DIFFERENCE, DIFFERENCE, 0, 16);
    ts_rvasm(p, TS_RV_SRLI, DIFFERENCE, DIFFERENCE, 0, 16);
    if (producer) {
        ts_rvasm_li(p, DEPTH, 32);
        ts_rvasm(p, TS_RV_SUB, AVAILABLE, DEPTH, DIFFERENCE, 0);
    }
    ts_rvasm(p, TS_RV_BGEU, 0, producer ? AVAILABLE : DIFFERENCE, AMOUNT, 12);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, ((int32_t)again - (int32_t)p->count) * 4);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
}

static void credits(struct stage *stage, const struct row *row)
{
    struct ts_rvasm *p = stage_core(stage, TS_RV_BRISC);
    uint32_t first = row->which ? 65535 : 0;
    bool consumer = row->action == WAIT || row->action == RELEASE;
    stage_store(p, RECEIVED(row->which), (first + (consumer ? 16 : 0)) & 0xffff);
    stage_store(p, ACKED(row->which), first);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
    stage_start(p);
    for (unsigned i = 0; i < 16; i++)
        credit(p, row->action, row->which);
    stage_stop(p);
    stage_end(p);
}

// ---- semaphores

static void semaphore(struct ts_rvasm *p, enum action action)
{
    if (action == POST || action == GET) {
        stage_tensix(p, (action == POST ? OP(SEMPOST) : OP(SEMGET)) | SEMAPHORE_MASK << 2);
    } else {
        stage_tensix(p, SEMWAIT(action == READY ? ON_ZERO : ON_MAX));
        stage_tensix(p, EMPTY_POST);
    }
    stage_sync(p);
}

static void semaphores(struct stage *stage, const struct row *row)
{
    struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC1);
    stage_tensix(p, SEMINIT(15u, row->action == POST ? 0u : 7u));
    stage_sync(p);
    stage_start(p);
    for (unsigned i = 0; i < 7; i++)
        semaphore(p, row->action);
    stage_stop(p);
    stage_end(p);
}

static void peer(struct stage *stage, const struct row *row)
{
    struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC1), *q = stage_core(stage, TS_RV_TRISC0);
    stage_tensix(p, SEMINIT(1u, row->action == READY ? 0u : 1u));
    stage_sync(p);
    stage_start(p);
    stage_store(p, START, 1);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
    semaphore(p, row->action);
    stage_stop(p);
    stage_end(p);
    ts_rvasm_li(q, POINTER, START);
    ts_rvasm_li(q, AMOUNT, 1);
    uint32_t again = ts_rvasm_here(q);
    ts_rvasm(q, TS_RV_LW, COUNTER, POINTER, 0, 0);
    ts_rvasm(q, TS_RV_FENCE, 0, 0, 0, 0); // the flag may lie in the core's own cache
    ts_rvasm_back(q, TS_RV_BNE, COUNTER, AMOUNT, again);
    ts_rvasm_li(q, COUNTER, 1024);
    again = ts_rvasm_here(q);
    ts_rvasm(q, TS_RV_ADDI, COUNTER, COUNTER, 0, -1);
    ts_rvasm_back(q, TS_RV_BNE, COUNTER, STAGE_ZERO, again);
    stage_store(q, START + 4, 0x76543210);
    ts_rvasm(q, TS_RV_FENCE, 0, 0, 0, 0);
    semaphore(q, row->action == READY ? POST : GET);
    stage_end(q);
}

// ---- banks of SrcA and SrcB

static void source_step(struct ts_rvasm *p, enum action action, unsigned bank)
{
    switch (action) {
    case PUBLISH:
        stage_tensix(p, OP(UNPACR_NOP) | bank << 23 | 1u << 8 | 1);
        stage_tensix(p, STALLWAIT(bank ? 1u << 2 : 1u << 1));
        break;
    case RELEASE:
        stage_tensix(p, OP(CLEARDVALID) | 1u << bank << 22);
        stage_tensix(p, STALLWAIT(1u << 4));
        break;
    case VALID:
        stage_tensix(p, STALLWAIT(bank ? 1u << 8 : 1u << 7));
        break;
    default:
        stage_tensix(p, STALLWAIT(bank ? 1u << 6 : 1u << 5));
        break;
    }
    stage_tensix(p, EMPTY_POST);
    stage_sync(p);
}

static void sources(struct stage *stage, const struct row *row)
{
    static const enum action steps[] = {FREE, PUBLISH, VALID, RELEASE};
    struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC0);
    for (unsigned round = 0; round < 8; round++)
        for (unsigned i = 0; i < 4; i++) {
            stage_store(p, START, round * 4 + i);
            if (steps[i] == row->action)
                stage_add_start(p);
            source_step(p, steps[i], row->which);
            if (steps[i] == row->action)
                stage_add_stop(p);
        }
    stage_end(p);
}

// ---- transfers

enum { NIU = 10, COMMAND, REMOTE, LOCAL, LENGTH, FAR, NEAR, BUSY, SCRATCH, EXTERNAL, SEND };
#define TRANSACTION 3u
#define L1_AT       0x50040u

static void poll_zero(struct ts_rvasm *p, unsigned base, int32_t offset, bool fence)
{
    uint32_t again = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, BUSY, base, 0, offset);
    ts_rvasm_back(p, TS_RV_BNE, BUSY, STAGE_ZERO, again);
    if (fence)
        ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
}

static void drained(struct ts_rvasm *p, bool write)
{
    const int32_t by_id = 0x200 + 4 * (int32_t)TRANSACTION;
    poll_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
    if (write)
        poll_zero(p, NIU, by_id + 4 * TS_NOC_MST_WRITE_REQS_OUTGOING_ID, true);
    poll_zero(p, NIU, by_id + 4 * TS_NOC_MST_REQS_OUTSTANDING_ID, true);
}

static void transfer(struct stage *stage, const struct row *row)
{
    // Bank 0 for the first placement, the last bank for the others.
    bool first = row->elements == 128 && row->bytes == 2;
    struct ts_noc_xy by = at(1, 4), bank = first ? at(0, 11) : at(9, 11);
    uint32_t block = 128 * row->bytes, niu = 0xffb20000u + 0x10000u * row->which;
    if (stage->error->code != TS_OK)
        return;
    struct ts_traffic_op op = row->write ? ts_traffic_write(stage->net, row->which, by, bank, L1_AT,
                                                            0x100000, block, 1, false)
                                         : ts_traffic_read(stage->net, row->which, by, bank,
                                                           0x100000, L1_AT, block);
    struct ts_rvasm *p = stage_core(stage, row->write ? TS_RV_NCRISC : TS_RV_BRISC);
    ts_rvasm_li(p, EXTERNAL, 0x100000);
    stage_start(p);
    ts_rvasm_li(p, NIU, niu);
    ts_rvasm_li(p, COMMAND, niu + TS_NOC_BUF_STRIDE);
    poll_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
    poll_zero(p, NIU, 0x200 + 4 * (TS_NOC_MST_REQS_OUTSTANDING_ID + (int32_t)TRANSACTION), true);
    if (row->write)
        poll_zero(p, NIU, 0x200 + 4 * (TS_NOC_MST_WRITE_REQS_OUTGOING_ID + (int32_t)TRANSACTION),
                  true);
    // Twelve words, of which tag and control are not zero.
    for (unsigned i = 0; i < 12; i++) {
        uint32_t word = i == 6 ? TRANSACTION << 10 : i == 7 ? op.word[7] : 0;
        if (word)
            ts_rvasm_li(p, SCRATCH, word);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, word ? SCRATCH : STAGE_ZERO, 4 * (int32_t)i);
    }
    ts_rvasm_li(p, SCRATCH, niu + 0x148);
    ts_rvasm(p, TS_RV_LW, NEAR, SCRATCH, 0, 0);
    ts_rvasm(p, TS_RV_SLLI, NEAR, NEAR, 0, 20);
    ts_rvasm(p, TS_RV_SRLI, NEAR, NEAR, 0, 20);
    ts_rvasm_li(p, FAR, op.word[row->write ? 5 : 2]);
    ts_rvasm_li(p, LENGTH, block);
    for (uint32_t i = 0; i < row->elements / 128; i++) {
        ts_rvasm_li(p, REMOTE, 64 + i * block * (row->elements > 128 ? 2 : 1));
        ts_rvasm(p, TS_RV_ADD, REMOTE, EXTERNAL, REMOTE, 0);
        ts_rvasm_li(p, LOCAL, L1_AT + i * block);
        poll_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, row->write ? LOCAL : REMOTE, 0);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, row->write ? NEAR : FAR, 8);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, row->write ? REMOTE : LOCAL, 12);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, row->write ? FAR : NEAR, 20);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, LENGTH, 32);
        ts_rvasm_li(p, SEND, 1);
        ts_rvasm(p, TS_RV_SW, 0, COMMAND, SEND, 4 * TS_NOC_CMD_CTRL);
        if (row->serial)
            drained(p, row->write);
    }
    drained(p, row->write);
    stage_stop(p);
    stage_end(p);
}

// ---- the rows

// The predictor knows these branches from the launch before; what is left of their cost on the card, two to four cycles a call,
// is not known: the fetch of text that runs once a launch.
#define TAKEN "a taken branch in text that runs once a launch takes 2 to 4 cycles more on the card"
#define C(name, what, slot, value)                                             \
    {                                                                          \
        .base = {.id = name,                                                   \
                 .measured = value,                                            \
                 .cause = (what) == RESERVE || (what) == WAIT ? TAKEN : NULL}, \
        .kind = CREDIT, .action = what, .which = slot                          \
    }
#define S(name, how, what, value)                                            \
    {                                                                        \
        .base = {.id = name, .measured = value}, .kind = how, .action = what \
    }
#define B(name, what, bank, value)                                                             \
    {                                                                                          \
        .base = {.id = name, .measured = value}, .kind = SOURCE, .action = what, .which = bank \
    }
#define T(name, writes, one, n, size, noc, value)                                                  \
    {                                                                                              \
        .base = {.id = name, .measured = value}, .kind = TRANSFER, .write = writes, .serial = one, \
        .elements = n, .bytes = size, .which = noc                                                 \
    }

static const struct row rows[] = {
    T("B0352", true, true, 128, 2, 0, 451),
    T("B0353", true, false, 128, 2, 0, 419),
    T("B0354", false, true, 128, 2, 1, 542),
    T("B0357", true, false, 128, 2, 1, 419),
    T("B0358", false, true, 128, 4, 0, 550),
    T("B0359", false, false, 128, 4, 0, 530),
    T("B0360", true, true, 128, 4, 0, 459),
    T("B0361", true, false, 128, 4, 0, 427),
    T("B0362", false, true, 128, 4, 1, 550),
    T("B0363", false, false, 128, 4, 1, 530),
    T("B0364", true, true, 128, 4, 1, 459),
    T("B0365", true, false, 128, 4, 1, 427),
    T("B0366", false, true, 256, 2, 0, 997),
    T("B0367", false, false, 256, 2, 0, 525),
    T("B0368", true, true, 256, 2, 0, 793),
    T("B0369", true, false, 256, 2, 0, 438),
    T("B0372", true, true, 256, 2, 1, 793),
    T("B0374", false, true, 256, 4, 0, 1018),
    T("B0375", false, false, 256, 4, 0, 541),
    T("B0376", true, true, 256, 4, 0, 809),
    T("B0377", true, false, 256, 4, 0, 446),
    T("B0379", false, false, 256, 4, 1, 541),
    T("B0380", true, true, 256, 4, 1, 809),
    C("B0382", RESERVE, 0, 435),
    C("B0384", WAIT, 0, 385),
    C("B0385", RELEASE, 0, 397),
    C("B0386", RESERVE, 31, 424),
    C("B0387", PUBLISH, 31, 399),
    C("B0388", WAIT, 31, 387),
    C("B0389", RELEASE, 31, 397),
    S("B0390", SEMAPHORE, POST, 76),
    S("B0391", SEMAPHORE, GET, 76),
    S("B0392", SEMAPHORE, READY, 90),
    B("B0394", PUBLISH, 0, 162),
    B("B0395", VALID, 0, 136),
    B("B0396", RELEASE, 0, 157),
    B("B0397", FREE, 0, 136),
    B("B0398", PUBLISH, 1, 164),
    B("B0400", RELEASE, 1, 154),
    B("B0401", FREE, 1, 136),
    S("B0404", PEER, READY, 2124),
    S("B0405", PEER, SPACE, 2125),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    static void (*const program[])(struct stage * stage, const struct row *row) = {
        [CREDIT] = credits, [SEMAPHORE] = semaphores, [PEER] = peer,
        [SOURCE] = sources, [TRANSFER] = transfer,
    };
    const struct row *row = (const struct row *)base;
    struct ts_rv_predictor learnt[TS_RV_CORES];
    for (unsigned launch = 0; launch < STAGE_LAUNCHES; launch++) {
        struct stage *stage = stage_new(context, row->kind == TRANSFER, error);
        stage->learnt = learnt;
        stage->launch = launch;
        program[row->kind](stage, row);
        *simulated = stage_run(stage);
        stage_free(stage);
    }
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const actions[] = {"reserve", "publish", "wait",  "release", "post",
                                          "get",     "wait",    "space", "free",    "valid"};
    const struct row *row = (const struct row *)base;
    const char *action = actions[row->action];
    char *to = text->workload;
    size_t size = sizeof text->workload;
    text->metric = "cycles";
    switch (row->kind) {
    case CREDIT:
        snprintf(to, size, "circular buffer %u: 16 x %s", row->which, action);
        break;
    case SEMAPHORE:
        snprintf(to, size, "semaphore: 7 x %s and sync", action);
        break;
    case PEER:
        snprintf(to, size, "semaphore: %s for a peer that counts to 1024",
                 row->action == READY ? "wait" : "space");
        break;
    case SOURCE:
        snprintf(to, size, "Src%c bank: 8 x %s and sync", row->which ? 'B' : 'A', action);
        break;
    case TRANSFER:
        snprintf(to, size, "DRAM %s of %u x %u B in blocks of 128, %s, NoC %u",
                 row->write ? "write" : "read", row->elements, row->bytes,
                 row->serial ? "one by one" : "batched", row->which);
        break;
    }
}

const struct ts_silicon_family ts_silicon_runtime = {
    .name = "runtime",
    .title = "runtime primitives: credits, semaphores, banks, transfers",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.06,
    .p90 = 0.18,
};
