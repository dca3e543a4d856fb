// Truth table: scalar code and waits of a core.
//
//   largest   BRISC looks for the largest of 1024 to 4096 BF16 values in tiles, and where it is
//   counters  BRISC reads its counters of cycles and instructions twice, with nothing in between
//   others    T1 runs a few instructions in a loop, and waits for the units
//
// Source: tests/compute/sfpu of blackhole-py, retirebench of mesham/tt-sim, microbench_math_backend.py with the helpers of its time
// (ttk/tensix.py), written again from their text.
#include "platform/study/silicon/forms.h"
#include "platform/study/silicon/stage.h"

#include <math.h>
#include <stdio.h>

enum { S0 = 8, S1, A2 = 12, A3, A4, A5, A6, A7, S8 = 24, T3 = 28, T4 };
enum what { LARGEST, COUNTERS, NOTHING, SYNC, PREPARE };

struct row {
    struct ts_silicon_row base;
    enum what what;
    unsigned count; // values, or rounds
};

// ---- BRISC: the largest value

enum { BEST = 10, BEST_AT, AT, INDEX, KEY, RAW, WITHIN, LINE, COLUMN, SCRATCH, PLACE };
#define VALUES 0x37000u
#define RESULT 0x45000u

// The address of value AT: tiles of four faces.
static void address(struct ts_rvasm *k)
{
    i(k, TS_RV_ANDI, WITHIN, AT, 1023);
    r(k, TS_RV_SUB, PLACE, AT, WITHIN);
    i(k, TS_RV_SRLI, LINE, WITHIN, 5);
    i(k, TS_RV_ANDI, COLUMN, WITHIN, 31);
    i(k, TS_RV_SRLI, SCRATCH, LINE, 4);
    i(k, TS_RV_SLLI, SCRATCH, SCRATCH, 9);
    r(k, TS_RV_ADD, PLACE, PLACE, SCRATCH);
    i(k, TS_RV_SRLI, SCRATCH, COLUMN, 4);
    i(k, TS_RV_SLLI, SCRATCH, SCRATCH, 8);
    r(k, TS_RV_ADD, PLACE, PLACE, SCRATCH);
    i(k, TS_RV_ANDI, SCRATCH, LINE, 15);
    i(k, TS_RV_SLLI, SCRATCH, SCRATCH, 4);
    r(k, TS_RV_ADD, PLACE, PLACE, SCRATCH);
    i(k, TS_RV_ANDI, SCRATCH, COLUMN, 15);
    r(k, TS_RV_ADD, PLACE, PLACE, SCRATCH);
    i(k, TS_RV_SLLI, PLACE, PLACE, 1);
    ts_rvasm_li(k, SCRATCH, VALUES);
    r(k, TS_RV_ADD, PLACE, PLACE, SCRATCH);
}

static void largest(struct ts_rvasm *k, unsigned count)
{
    stage_start(k);
    ts_rvasm_li(k, BEST, 0);
    ts_rvasm_li(k, BEST_AT, 0x7fffffff);
    ts_rvasm_li(k, AT, 0);
    ts_rvasm_li(k, T4, VALUES);
    uint32_t loop = ts_rvasm_here(k);
    address(k);
    i(k, TS_RV_LHU, RAW, PLACE, 0);
    i(k, TS_RV_SRLI, T3, RAW, 15);
    unsigned positive = stage_forward(k);
    i(k, TS_RV_XORI, KEY, RAW, -1);
    i(k, TS_RV_SLLI, KEY, KEY, 16);
    i(k, TS_RV_SRLI, KEY, KEY, 16);
    unsigned keyed = stage_forward(k);
    stage_land(k, positive, TS_RV_BEQ, T3, 0);
    ts_rvasm_li(k, T3, 0x8000);
    r(k, TS_RV_XOR, KEY, RAW, T3);
    stage_land(k, keyed, TS_RV_JAL, 0, 0);
    i(k, TS_RV_ADDI, INDEX, AT, 0);
    unsigned larger = stage_forward(k), less = stage_forward(k), later = stage_forward(k);
    stage_land(k, larger, TS_RV_BLTU, BEST, KEY);
    i(k, TS_RV_ADDI, BEST, KEY, 0);
    i(k, TS_RV_ADDI, BEST_AT, INDEX, 0);
    stage_land(k, less, TS_RV_BNE, BEST, KEY);
    stage_land(k, later, TS_RV_BGEU, INDEX, BEST_AT);
    i(k, TS_RV_ADDI, AT, AT, 1);
    ts_rvasm_li(k, T3, count);
    ts_rvasm_back(k, TS_RV_BLTU, AT, T3, loop);
    ts_rvasm_li(k, STAGE_T, RESULT);
    store(k, BEST, STAGE_T, 0);
    ts_rvasm_li(k, STAGE_T, RESULT + 4);
    store(k, BEST_AT, STAGE_T, 0);
    r(k, TS_RV_FENCE, 0, 0, 0);
    stage_stop(k);
    stage_end(k);
}

static void counters(struct ts_rvasm *k)
{
    enum { CYCLES = 0xb00, INSTRUCTIONS = 0xb02 };
    ts_rvasm(k, TS_RV_CSRRS, A2, 0, 0, CYCLES);
    ts_rvasm(k, TS_RV_CSRRS, A3, 0, 0, INSTRUCTIONS);
    ts_rvasm(k, TS_RV_CSRRS, A4, 0, 0, INSTRUCTIONS);
    ts_rvasm(k, TS_RV_CSRRS, A5, 0, 0, CYCLES);
    stage_keep(k, A2, A5);
    stage_end(k);
}

// Values of both signs, in no order.
static void fill(struct stage *stage, unsigned count)
{
    uint32_t state = 63;
    for (unsigned n = 0; n < count && stage->tile; n++) {
        state = state * 1664525u + 1013904223u;
        uint16_t value = (uint16_t)((state >> 31) << 15 | (0x3e00 + (state >> 16 & 0x1ff)));
        ts_l1_write(&stage->tile->l1, VALUES + 2 * n, &value, sizeof value, 0);
    }
}

// ---- T1

// The clock in two halves, read until they belong together.
static void read_clock(struct ts_rvasm *k, unsigned low, unsigned high)
{
    ts_rvasm_li(k, A7, 0xffb121f8);
    uint32_t again = ts_rvasm_here(k);
    i(k, TS_RV_LW, high, A7, 0);
    i(k, TS_RV_LW, low, A7, -8);
    i(k, TS_RV_LW, A6, A7, 0);
    ts_rvasm_back(k, TS_RV_BNE, high, A6, again);
}

#define OP(name) ((uint32_t)TS_OP_##name << 24)

static void body(struct ts_rvasm *k, const struct row *row)
{
    switch (row->what) {
    case PREPARE: // both sources, all banks; Dst; counters; and the wait
        stage_tensix(k, OP(ZEROSRC) | 1u << 2 | 3);
        stage_tensix(k, OP(ZEROACC) | 3u << 19 | 1u << 14);
        stage_tensix(k, OP(SETRWC) | 15);
        // fall through
    case SYNC:
        stage_tensix(k, OP(STALLWAIT) | 2u << 15 | 0x810);
        stage_sync(k);
        break;
    default: // a sum, or a constant of one instruction
        i(k, TS_RV_ADDI, S1, S1, 1);
        break;
    }
}

static void trisc(struct ts_rvasm *k, const struct row *row)
{
    read_clock(k, A2, A3);
    ts_rvasm_li(k, S8, row->count);
    uint32_t loop = ts_rvasm_here(k);
    unsigned done = stage_forward(k);
    body(k, row);
    i(k, TS_RV_ADDI, S8, S8, -1);
    ts_rvasm_back(k, TS_RV_JAL, 0, 0, loop);
    stage_land(k, done, TS_RV_BEQ, S8, 0);
    read_clock(k, A4, A5);
    stage_keep(k, A2, A4);
    stage_end(k);
}

// ---- rows

static const struct row rows[] = {
    {{.id = "S0405", .measured = 12}, COUNTERS, 1},
    {{.id = "B0531", .measured = 44148}, LARGEST, 1024},
    {{.id = "B0535", .measured = 135537.5}, LARGEST, 3072},
    {{.id = "B0537", .measured = 176632}, LARGEST, 4096},
    {{.id = "B0692", .measured = 5.3}, NOTHING, 20},
    {{.id = "B0693", .measured = 13.25}, SYNC, 20},
    {{.id = "B0694", .measured = 21.7}, PREPARE, 20},
};

static void run(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *self = (const struct row *)row;
    struct stage *stage = stage_new(context, false, error);
    double rounds = 1;
    if (self->what == LARGEST) {
        fill(stage, self->count);
        largest(stage_core(stage, TS_RV_BRISC), self->count);
    } else if (self->what == COUNTERS) {
        counters(stage_core(stage, TS_RV_BRISC));
    } else {
        trisc(stage_core(stage, TS_RV_TRISC1), self);
        rounds = self->count;
    }
    simulated[0] = stage_run(stage) / rounds;
    stage_free(stage);
}

static void describe(const struct ts_silicon_row *row, struct ts_silicon_text *text)
{
    static const char *const names[] = {
        [LARGEST] = "values in tiles: the largest one and its place",
        [COUNTERS] = "pair of reads of the counters, nothing in between",
        [NOTHING] = "rounds of an empty loop",
        [SYNC] = "waits for the units and for the thread's queue",
        [PREPARE] = "times sources, Dst and counters cleared, and that wait",
    };
    const struct row *self = (const struct row *)row;
    snprintf(text->workload, sizeof text->workload, "%s: %u %s",
             self->what < NOTHING ? "BRISC" : "TRISC1", self->count, names[self->what]);
    text->metric = self->what < NOTHING ? "cycles" : "cycles per round";
}

const struct ts_silicon_family ts_silicon_scalar = {
    .name = "scalar",
    .title = "scalar code and waits of a core",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.10,
    .p90 = 0.15,
    .groups = "riscv tensix",
};
