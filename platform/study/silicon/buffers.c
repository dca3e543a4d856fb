// Truth table: circular buffers and semaphores of a data-movement core, a thousand times each.
//
// BRISC runs the helper in a loop; where it waits, NCRISC answers a request in L1 after 64 rounds of
// a delay. Credits are counters of the overlay; the rest of a buffer's state is in local memory.
// Source: microbench_sem_cb.py and the helpers of its time in blackhole-py (ttk/cb.py, ttk/noc.py), written
// again from their text. Its assembler keeps constants in registers and adds small differences.
#include "platform/study/silicon/forms.h"
#include "platform/study/silicon/stage.h"

#include <stdio.h>

#define ROUNDS   1000
#define DELAY    64
#define REQUEST  0x134000u // sequence, kind, delay, done
#define WORD     0x134100u // the semaphore
#define BUFFER   0xffb00020u
#define ACKED    0xffb48020u
#define RECEIVED 0xffb48028u
#define NIU      0xffb20000u
#define STOP     0xffffffffu // kind of the last request

enum {
    T0 = 5,
    T1,
    T2,
    S0 = 8,
    S1,
    A5 = 15,
    S2 = 18,
    S4 = 20,
    S5,
    S7 = 23,
    S8,
    T3 = 28,
    T4,
    T5,
    T6
};
enum what {
    EMPTY,
    SIGNAL,
    FRONT,
    FRONT_BLOCKED,
    BACK,
    PUSH,
    PUSH_BOTH,
    SET,
    WAIT,
    WAIT_BLOCKED,
    INCREMENT,
};
enum { FOR_CREDIT = 1, FOR_WORD = 3 }; // kinds of requests

struct row {
    struct ts_silicon_row base;
    enum what what;
};

static void fence(struct ts_rvasm *k)
{
    r(k, TS_RV_FENCE, 0, 0, 0);
}

static void jump_back(struct ts_rvasm *k, uint32_t to)
{
    ts_rvasm_back(k, TS_RV_JAL, 0, 0, to);
}

// ---- the core that is timed

// Base: a register that holds an address near the request's, `near` bytes above it; 0: T0 is to be loaded.
static void request(struct ts_rvasm *k, int32_t kind, int32_t near)
{
    i(k, TS_RV_ADDI, S8, S8, 1);
    if (near == 0) {
        ts_rvasm_li(k, T0, REQUEST + 8);
        near = 8;
    }
    ts_rvasm_li(k, T1, DELAY);
    store(k, T1, T0, 8 - near);
    i(k, TS_RV_ADDI, T1, T1, kind - DELAY);
    store(k, T1, T0, 4 - near);
    store(k, S8, T0, -near);
    fence(k);
}

static void answered(struct ts_rvasm *k)
{
    uint32_t again = ts_rvasm_here(k);
    ts_rvasm_li(k, T1, REQUEST + 12);
    i(k, TS_RV_LW, T0, T1, 0);
    unsigned done = stage_forward(k);
    fence(k);
    jump_back(k, again);
    stage_land(k, done, TS_RV_BEQ, T0, S8);
    fence(k);
}

static void front(struct ts_rvasm *k)
{
    ts_rvasm_li(k, T6, BUFFER);
    i(k, TS_RV_LW, T5, T6, 24);
    i(k, TS_RV_SLLI, T4, T5, 16);
    i(k, TS_RV_SRLI, T4, T4, 16);
    ts_rvasm_li(k, T1, 1);
    uint32_t again = ts_rvasm_here(k);
    ts_rvasm_li(k, T3, RECEIVED);
    i(k, TS_RV_LHU, T3, T3, 0);
    r(k, TS_RV_SUB, T2, T3, T4);
    ts_rvasm_li(k, T1, 1);
    unsigned done = stage_forward(k);
    fence(k);
    jump_back(k, again);
    stage_land(k, done, TS_RV_BGEU, T2, T1);
    fence(k);
}

static void back(struct ts_rvasm *k)
{
    ts_rvasm_li(k, T6, BUFFER);
    i(k, TS_RV_LW, T5, T6, 24);
    i(k, TS_RV_SRLI, T5, T5, 16);
    uint32_t again = ts_rvasm_here(k);
    ts_rvasm_li(k, T4, ACKED);
    i(k, TS_RV_LHU, T4, T4, 0);
    r(k, TS_RV_SUB, T3, T5, T4);
    i(k, TS_RV_LW, T2, T6, 12);
    r(k, TS_RV_SUB, T3, T2, T3);
    ts_rvasm_li(k, T1, 1);
    unsigned done = stage_forward(k);
    fence(k);
    jump_back(k, again);
    stage_land(k, done, TS_RV_BGE, T3, T1);
    fence(k);
}

// both: the coprocessor writes the count, too, when its packer is done.
static void push(struct ts_rvasm *k, bool both)
{
    ts_rvasm_li(k, T6, BUFFER);
    i(k, TS_RV_LW, T5, T6, 20);
    i(k, TS_RV_LW, T4, T6, 8);
    r(k, TS_RV_ADD, T5, T5, T4);
    i(k, TS_RV_LW, T4, T6, 4);
    unsigned inside = stage_forward(k);
    i(k, TS_RV_LW, T4, T6, 0);
    r(k, TS_RV_SUB, T5, T5, T4);
    stage_land(k, inside, TS_RV_BLTU, T5, T4);
    store(k, T5, T6, 20);
    i(k, TS_RV_LW, T3, T6, 24);
    i(k, TS_RV_SLLI, T2, T3, 16);
    i(k, TS_RV_SRLI, T2, T2, 16);
    i(k, TS_RV_SRLI, T1, T3, 16);
    i(k, TS_RV_ADDI, T1, T1, 1);
    i(k, TS_RV_SLLI, T1, T1, 16);
    r(k, TS_RV_OR, T3, T1, T2);
    store(k, T3, T6, 24);
    i(k, TS_RV_SRLI, T1, T1, 16);
    ts_rvasm_li(k, T4, RECEIVED);
    store(k, T1, T4, 0);
    if (both) {
        i(k, TS_RV_SLLI, T4, T1, 8);
        ts_rvasm_li(k, T5, (uint32_t)TS_OP_SETDMAREG << 24 | 48);
        r(k, TS_RV_ADD, T4, T4, T5);
        ts_rvasm_li(k, T5, 0xffe40000);
        store(k, T4, T5, 0);
        stage_tensix(k, (uint32_t)TS_OP_STALLWAIT << 24 | 32u << 15 | 8);
        ts_rvasm_li(k, T1, (uint32_t)TS_OP_STOREREG << 24 | 24u << 18 | (RECEIVED >> 2 & 0x3ffff));
        store(k, T1, T5, 0);
    }
    fence(k);
}

// Until the word at S4 is T1.
static void wait_for_word(struct ts_rvasm *k)
{
    uint32_t again = ts_rvasm_here(k);
    fence(k);
    i(k, TS_RV_LW, T0, S4, 0);
    unsigned done = stage_forward(k);
    jump_back(k, again);
    stage_land(k, done, TS_RV_BEQ, T0, T1);
    fence(k);
}

// An increment of the tile's own word, and its answer.
static void increment(struct ts_rvasm *k)
{
    enum {
        CONTROL = 0x2091,
        WRAP = 0x107c
    }; // marked answer, static channel 1; increment by 32 bits
    ts_rvasm_li(k, S4, WORD);
    ts_rvasm_li(k, T2, BUFFER + 0x100);
    i(k, TS_RV_LBU, T0, T2, 0);
    i(k, TS_RV_LBU, T1, T2, 2);
    i(k, TS_RV_SLLI, T1, T1, 6);
    r(k, TS_RV_OR, A5, T0, T1);
    ts_rvasm_li(k, T0, NIU + 0x200);
    i(k, TS_RV_LW, S5, T0, 0);
    i(k, TS_RV_ADDI, S5, S5, 1);
    ts_rvasm_li(k, T0, NIU + 0x1840);
    uint32_t again = ts_rvasm_here(k);
    i(k, TS_RV_LW, T1, T0, 0);
    ts_rvasm_back(k, TS_RV_BNE, T1, 0, again);
    ts_rvasm_li(k, T0, NIU + 0x180c);
    ts_rvasm_li(k, T1, 4);
    store(k, T1, T0, 0);
    store(k, 0, T0, 0x04);
    store(k, A5, T0, 0x08);
    store(k, S4, T0, -0x0c);
    store(k, 0, T0, -0x08);
    store(k, A5, T0, -0x04);
    ts_rvasm_li(k, T1, CONTROL);
    store(k, T1, T0, 0x10);
    ts_rvasm_li(k, T1, WRAP);
    store(k, T1, T0, 0x14);
    store(k, 0, T0, 0x18);
    ts_rvasm_li(k, T1, 1);
    store(k, T1, T0, 0x1c);
    store(k, T1, T0, 0x34);
    ts_rvasm_li(k, T0, NIU + 0x200);
    again = ts_rvasm_here(k);
    i(k, TS_RV_LW, T1, T0, 0);
    ts_rvasm_back(k, TS_RV_BLTU, T1, S5, again);
}

static void body(struct ts_rvasm *k, enum what what)
{
    switch (what) {
    case EMPTY:
        i(k, TS_RV_ADDI, S1, S1, 1);
        break;
    case SIGNAL:
        request(k, FOR_CREDIT, 0);
        answered(k);
        break;
    case FRONT:
        front(k);
        break;
    case FRONT_BLOCKED: // the buffer is emptied first
        ts_rvasm_li(k, T6, BUFFER);
        i(k, TS_RV_LW, T0, T6, 0);
        store(k, T0, T6, 16);
        store(k, T0, T6, 20);
        ts_rvasm_li(k, T0, 0);
        store(k, T0, T6, 24);
        ts_rvasm_li(k, T0, RECEIVED);
        store(k, 0, T0, 0);
        store(k, 0, T0, -8);
        fence(k);
        request(k, FOR_CREDIT, 0);
        front(k);
        answered(k);
        break;
    case BACK:
        back(k);
        break;
    case PUSH:
        push(k, false);
        break;
    case PUSH_BOTH:
        push(k, true);
        break;
    case SET:
        ts_rvasm_li(k, S4, WORD);
        ts_rvasm_li(k, T0, 1);
        store(k, T0, S4, 0);
        fence(k);
        break;
    case WAIT:
        ts_rvasm_li(k, S4, WORD);
        ts_rvasm_li(k, T1, 1);
        wait_for_word(k);
        break;
    case WAIT_BLOCKED:
        ts_rvasm_li(k, T0, WORD);
        store(k, 0, T0, 0);
        request(k, FOR_WORD, WORD - REQUEST);
        i(k, TS_RV_ADDI, S4, T0, 0);
        i(k, TS_RV_ADDI, T1, T1, 1 - FOR_WORD);
        wait_for_word(k);
        answered(k);
        break;
    case INCREMENT:
        increment(k);
        break;
    }
}

static void program(struct ts_rvasm *k, enum what what)
{
    // A buffer of 32768 pages with a page in it, the tile's coordinates, a word that is 1.
    const uint32_t words[] = {0x4000000, 0x10000000, 2048, 32768, 0, 0, 1u << 16};
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        stage_store(k, BUFFER + 4 * w, words[w]);
    stage_store(k, BUFFER + 0x100, 1 | 4u << 16);
    stage_store(k, RECEIVED, 1);
    stage_store(k, ACKED, 0);
    stage_store(k, WORD, 1);
    ts_rvasm_li(k, S8, 0);
    fence(k);
    stage_start(k);
    ts_rvasm_li(k, S0, ROUNDS);
    uint32_t loop = ts_rvasm_here(k);
    unsigned done = stage_forward(k);
    body(k, what);
    i(k, TS_RV_ADDI, S0, S0, -1);
    jump_back(k, loop);
    stage_land(k, done, TS_RV_BEQ, S0, 0);
    stage_stop(k);
    stage_store(k, REQUEST + 4, STOP);
    stage_store(k, REQUEST, STOP);
    stage_end(k);
}

// ---- NCRISC

// Waits for the next request, counts down, answers.
static void ncrisc(struct ts_rvasm *k)
{
    ts_rvasm_li(k, S7, 0);
    uint32_t poll = ts_rvasm_here(k);
    ts_rvasm_li(k, T0, REQUEST);
    i(k, TS_RV_LW, S0, T0, 0);
    ts_rvasm_back(k, TS_RV_BEQ, S0, S7, poll);
    i(k, TS_RV_ADDI, S7, S0, 0);
    i(k, TS_RV_LW, S1, T0, 4);
    i(k, TS_RV_LUI, T1, 0, 0);
    i(k, TS_RV_ADDI, T1, T1, -1);
    unsigned stop = stage_forward(k);
    i(k, TS_RV_LW, S2, T0, 8);
    uint32_t count = ts_rvasm_here(k);
    unsigned counted = stage_forward(k);
    i(k, TS_RV_ADDI, S2, S2, -1);
    jump_back(k, count);
    stage_land(k, counted, TS_RV_BEQ, S2, 0);
    ts_rvasm_li(k, T1, FOR_CREDIT);
    unsigned credit = stage_forward(k);
    i(k, TS_RV_ADDI, T1, T1, 1);
    unsigned freed = stage_forward(k);
    i(k, TS_RV_ADDI, T1, T1, 1);
    unsigned word = stage_forward(k);
    unsigned none = stage_forward(k);
    stage_land(k, credit, TS_RV_BEQ, S1, T1);
    ts_rvasm_li(k, T0, RECEIVED);
    ts_rvasm_li(k, T1, 1);
    store(k, T1, T0, 0);
    unsigned after = stage_forward(k);
    stage_land(k, word, TS_RV_BEQ, S1, T1);
    stage_land(k, freed, TS_RV_BEQ, S1, T1);
    ts_rvasm_li(k, T0, WORD);
    ts_rvasm_li(k, T1, 1);
    store(k, T1, T0, 0);
    stage_land(k, after, TS_RV_JAL, 0, 0);
    stage_land(k, none, TS_RV_JAL, 0, 0);
    ts_rvasm_li(k, T0, REQUEST + 12);
    store(k, S7, T0, 0);
    jump_back(k, poll);
    stage_land(k, stop, TS_RV_BEQ, S1, T1);
    stage_end(k);
}

// ---- rows

#define FENCE "a fence behind a store takes 4 cycles more on the card"

static const struct row rows[] = {
    {{.id = "B0332", .measured = 4.026}, EMPTY},
    {{.id = "B0333", .measured = 291.051}, SIGNAL},
    {{.id = "B0334", .measured = 26.028}, FRONT},
    {{.id = "B0335", .measured = 324.029}, FRONT_BLOCKED},
    {{.id = "B0336", .measured = 27.028}, BACK},
    {{.id = "B0338", .measured = 35.041, .cause = FENCE}, PUSH},
    {{.id = "B0340", .measured = 16.023, .cause = FENCE}, SET},
    {{.id = "B0341", .measured = 23.107}, WAIT},
    {{.id = "B0342", .measured = 312.044}, WAIT_BLOCKED},
    {{.id = "B0343", .measured = 103.022}, INCREMENT},
    {{.id = "B0345", .measured = 45.046}, PUSH_BOTH},
};

static void run(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *self = (const struct row *)row;
    bool waits = self->what == SIGNAL || self->what == FRONT_BLOCKED || self->what == WAIT_BLOCKED;
    struct stage *stage = stage_new(context, self->what == INCREMENT, error);
    program(stage_core(stage, self->what == PUSH_BOTH ? TS_RV_TRISC2 : TS_RV_BRISC), self->what);
    if (waits)
        ncrisc(stage_core(stage, TS_RV_NCRISC));
    simulated[0] = stage_run(stage) / ROUNDS;
    stage_free(stage);
}

static void describe(const struct ts_silicon_row *row, struct ts_silicon_text *text)
{
    static const char *const names[] = {
        [EMPTY] = "an empty loop",
        [SIGNAL] = "a request that another core answers",
        [FRONT] = "cb_wait_front, a page is there",
        [FRONT_BLOCKED] = "cb_wait_front, another core brings the page",
        [BACK] = "cb_reserve_back, there is room",
        [PUSH] = "cb_push_back",
        [PUSH_BOTH] = "cb_push_back, and by the coprocessor",
        [SET] = "a semaphore is set",
        [WAIT] = "a semaphore is waited for, it is set",
        [WAIT_BLOCKED] = "a semaphore is waited for, another core sets it",
        [INCREMENT] = "a semaphore of its own tile is incremented over the NoC",
    };
    enum what what = ((const struct row *)row)->what;
    snprintf(text->workload, sizeof text->workload, "%s: %s",
             what == PUSH_BOTH ? "TRISC2" : "BRISC", names[what]);
    text->metric = "cycles per round";
}

const struct ts_silicon_family ts_silicon_buffers = {
    .name = "buffers",
    .title = "circular buffers and semaphores of a core",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.30,
    .groups = "riscv tensix noc",
};
