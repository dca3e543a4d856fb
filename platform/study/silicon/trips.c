// Truth table: requests issued by a modelled core, one by one or in a row.
//
//   top:  wait for NOC_CMD_CTRL = 0; write the registers; start; [poll the counter; fence]; loop
//
// The loop is that of the reports' assembler: the base of the registers is loaded once a request,
// every register is written every time (8 for a write, 10 for a read, 11 for an increment), 18 to
// 24 instructions in all. Both loops of a report, blocking and not, are here.
#include "cores/riscv/assemble.h"
#include "platform/chip/chip.h"
#include "platform/study/silicon/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum trip_op { TRIP_READ, TRIP_WRITE, TRIP_INCREMENT };
enum trip_figure {
    TRIP_EACH,  // cycles per iteration, with the wait for its answer
    TRIP_ISSUE, // cycles per iteration, without
    TRIP_TAIL,  // cycles from the last issue to the last answer
    TRIP_ONCE,  // cycles of one request, from the clock before it to the clock after its answer
    TRIP_SEEN,  // cycles until the target has the last increment
};

struct trip_row {
    struct ts_silicon_row row;
    uint8_t noc, op, figure;
    struct ts_noc_xy to;
    uint32_t length;
};

enum {
    ZERO,
    T0 = 5,
    T1 = 6,
    S0 = 8,
    S6 = 9,
    A0 = 10,
    A1 = 11,
    TARG = 16,
    TARG_HI,
    RET,
    RET_HI,
    LEN
};
#define CLOCK      0xffb121f0u
#define STAMPS     0x8000u
#define ITERATIONS 64

// --- the program ---

static unsigned initiator(enum trip_op op)
{
    static const unsigned of[] = {1, 0, 3};
    return of[op];
}

static void put(struct ts_rvasm *p, enum trip_op op, unsigned reg, unsigned word)
{
    int32_t base = initiator(op) % 2 ? -0x800 : 0;
    ts_rvasm(p, TS_RV_SW, 0, A1, reg, base + 4 * (int32_t)word);
}

static void put_value(struct ts_rvasm *p, enum trip_op op, uint32_t value, unsigned word)
{
    ts_rvasm_li(p, T1, value);
    put(p, op, T1, word);
}

// Waits for the initiator, writes its registers, starts it.
static void request(struct ts_rvasm *p, const struct trip_row *row)
{
    enum trip_op op = row->op;
    uint32_t base = 0xffb20000u + 0x10000u * row->noc + TS_NOC_BUF_STRIDE * initiator(op);
    uint32_t ctrl = TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT;
    bool odd = initiator(op) % 2;
    ts_rvasm(p, TS_RV_LUI, A1, 0, 0, (int32_t)((base + 0x800) & ~0xfffu));
    uint32_t wait = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A1, 0, (odd ? -0x800 : 0) + 4 * TS_NOC_CMD_CTRL);
    ts_rvasm_back(p, TS_RV_BNE, T1, ZERO, wait);
    put_value(p, op,
              ctrl | (op == TRIP_READ    ? 0
                      : op == TRIP_WRITE ? TS_NOC_WRITE
                                         : TS_NOC_ATOMIC),
              TS_NOC_CTRL);
    put(p, op, RET, TS_NOC_RET_LO);
    put(p, op, ZERO, TS_NOC_RET_MID);
    put(p, op, RET_HI, TS_NOC_RET_HI);
    put(p, op, TARG, TS_NOC_TARG_LO);
    if (op != TRIP_WRITE) { // whose data is here: written once
        put(p, op, ZERO, TS_NOC_TARG_MID);
        put(p, op, TARG_HI, TS_NOC_TARG_HI);
    }
    if (op == TRIP_INCREMENT)
        put_value(p, op, 1u << 12 | 31u << 2, TS_NOC_AT_LEN_BE);
    else
        put(p, op, LEN, TS_NOC_AT_LEN_BE);
    put(p, op, ZERO, TS_NOC_AT_LEN_BE_1);
    if (op == TRIP_INCREMENT)
        put_value(p, op, 1, TS_NOC_AT_DATA);
    put_value(p, op, 1, TS_NOC_CMD_CTRL);
}

// Polls the counter of answers, then a fence.
static void barrier(struct ts_rvasm *p, const struct trip_row *row)
{
    static const unsigned counters[] = {TS_NOC_MST_RD_RESP_RECEIVED, TS_NOC_MST_WR_ACK_RECEIVED,
                                        TS_NOC_MST_ATOMIC_RESP_RECEIVED};
    ts_rvasm_li(p, A1, 0xffb20200u + 0x10000u * row->noc + 4 * counters[row->op]);
    uint32_t poll = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A1, 0, 0);
    ts_rvasm_back(p, TS_RV_BLTU, T1, S6, poll);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
}

static void stamp(struct ts_rvasm *p, unsigned index)
{
    ts_rvasm_li(p, T0, CLOCK);
    ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0);
    ts_rvasm_li(p, A0, STAMPS);
    ts_rvasm(p, TS_RV_SW, 0, A0, T1, 4 * (int32_t)index);
}

static unsigned iterations(const struct trip_row *row)
{
    return row->figure == TRIP_ONCE ? 1 : ITERATIONS;
}

static void program(struct ts_rvasm *p, const struct trip_row *row, const struct ts_traffic_op *op)
{
    bool blocking = row->figure != TRIP_ISSUE && row->figure != TRIP_TAIL;
    ts_rvasm_li(p, S0, iterations(row));
    ts_rvasm_li(p, S6, 0);
    ts_rvasm_li(p, TARG, op->word[TS_NOC_TARG_LO]);
    ts_rvasm_li(p, TARG_HI, op->word[TS_NOC_TARG_HI]);
    ts_rvasm_li(p, RET, op->word[TS_NOC_RET_LO]);
    ts_rvasm_li(p, RET_HI, op->word[TS_NOC_RET_HI]);
    ts_rvasm_li(p, LEN, row->length);
    if (row->op == TRIP_WRITE) {
        ts_rvasm_li(p, A1, 0xffb20000u + 0x10000u * row->noc);
        put(p, TRIP_WRITE, TARG_HI, TS_NOC_TARG_HI);
    }
    stamp(p, 0);
    uint32_t top = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_BEQ, 0, S0, ZERO, 0); // to the end; patched below
    request(p, row);
    ts_rvasm(p, TS_RV_ADDI, S6, S6, 0, 1);
    if (blocking)
        barrier(p, row);
    ts_rvasm(p, TS_RV_ADDI, S0, S0, 0, -1);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, ((int32_t)top - (int32_t)p->count) * 4);
    p->words[top] = ts_rv_encode(TS_RV_BEQ, 0, S0, ZERO, ((int32_t)p->count - (int32_t)top) * 4);
    stamp(p, 1);
    barrier(p, row);
    stamp(p, 2);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

// --- the run ---

struct stage {
    struct ts_kernel *kernel;
    struct ts_tile *tile;
    struct ts_chip chip;
    struct ts_rvasm code;
    struct ts_traffic watcher;
    struct ts_traffic_op watch;
};

static bool build(struct stage *self, const struct ts_silicon_context *context,
                  struct ts_noc_xy from, struct ts_error *error)
{
    struct ts_soc soc;
    self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    if (ts_soc_find(&soc, "p150", error) != TS_OK)
        return false;
    self->tile = ts_tile_new_at(self->kernel, from.x, from.y, &context->tile, error);
    return self->tile != NULL && ts_chip_init(&self->chip, self->kernel, &soc, context->params,
                                              &self->tile, 1, error) == TS_OK;
}

static void measure(struct stage *self, const struct trip_row *row, struct ts_noc_xy from,
                    double *simulated, struct ts_error *error)
{
    struct ts_chip *chip = &self->chip;
    struct ts_traffic_op op = row->op == TRIP_READ ? ts_traffic_read(chip, row->noc, from, row->to,
                                                                     0x20000, 0x30000, row->length)
                              : row->op == TRIP_WRITE
                                  ? ts_traffic_write(chip, row->noc, from, row->to, 0x30000,
                                                     0x20000, row->length, 1, false)
                                  : ts_traffic_increment(chip, row->noc, from, row->to, 0x20000, 4,
                                                         1, false);
    if (row->figure == TRIP_SEEN) {
        self->watch = (struct ts_traffic_op){
            .kind = TS_TRAFFIC_WORD, .address = 0x20000, .value = ITERATIONS, .gap = 1};
        ts_traffic_init(&self->watcher, chip, row->to, &self->watch, 1);
    }
    if (ts_kernel_elaborate(self->kernel, error) != TS_OK)
        return;
    program(&self->code, row, &op);
    ts_l1_write(&self->tile->l1, 0, self->code.words, self->code.count * 4, 0);
    if (!ts_tile_start(self->tile, TS_RV_BRISC, 0, 0, error))
        return;
    struct ts_run run = ts_kernel_run(self->kernel, 1000000);
    uint32_t stamps[3];
    memcpy(stamps, self->tile->l1.bytes + STAMPS, sizeof stamps);
    double n = iterations(row);
    if (run.stop == TS_STOP_FAULT)
        ts_fail(error, TS_BUG, "%s", run.error.text);
    else if (ts_chip_site(chip, from)->niu[row->noc].counters[TS_NOC_MST_CMD_ACCEPTED] != n)
        ts_fail(error, TS_BUG, "not every request was accepted");
    else if (row->figure == TRIP_TAIL)
        *simulated = stamps[2] - stamps[1];
    else if (row->figure == TRIP_SEEN)
        *simulated = (double)self->watch.ended - stamps[0];
    else
        *simulated = (stamps[1] - stamps[0]) / n;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    struct ts_noc_xy from = at(1, 2);
    struct stage *self = calloc(1, sizeof *self);
    if (self == NULL)
        abort();
    if (build(self, context, from, error))
        measure(self, (const struct trip_row *)base, from, simulated, error);
    ts_chip_free(&self->chip);
    ts_tile_free(self->tile);
    ts_kernel_free(self->kernel);
    free(self);
}

// --- rows ---

#define TRIP(name, value, n, kind, x, y, bytes)                            \
    {                                                                      \
        {.id = name, .measured = value}, n, kind, TRIP_EACH, {x, y}, bytes \
    }
#define OTHER(name, value, n, kind, how, x, y, bytes)                \
    {                                                                \
        {.id = name, .measured = value}, n, kind, how, {x, y}, bytes \
    }
// The measured loops take three cycles more than ours, B0808's too.
#define LOOP(name, value, n, kind, how, x, y, bytes)                                           \
    {                                                                                          \
        {.id = name,                                                                           \
         .measured = value,                                                                    \
         .cause = "the measured loop is not published; B0805, B0806 and B0808 are all three "  \
                  "cycles longer than ours, as if it had three instructions more (inferred)"}, \
            n, kind, how, {x, y}, bytes                                                        \
    }

// clang-format off
static const struct trip_row rows[] = {
    TRIP("B0757", 235.102, 0, TRIP_READ, 2, 2, 4),
    TRIP("B0758", 227.117, 1, TRIP_READ, 2, 2, 16),
    TRIP("B0760", 235.117, 0, TRIP_READ, 2, 2, 256),
    TRIP("B0761", 243.117, 1, TRIP_READ, 2, 2, 1024),
    TRIP("B0762", 291.18, 0, TRIP_READ, 2, 2, 4096),
    TRIP("B0764", 233.133, 1, TRIP_WRITE, 2, 2, 4),
    TRIP("B0765", 225.117, 0, TRIP_WRITE, 2, 2, 16),
    TRIP("B0766", 225.117, 1, TRIP_WRITE, 2, 2, 64),
    TRIP("B0767", 225.18, 0, TRIP_WRITE, 2, 2, 256),
    TRIP("B0768", 241.121, 1, TRIP_WRITE, 2, 2, 1024),
    TRIP("B0770", 481.148, 0, TRIP_WRITE, 2, 2, 16384),
    TRIP("B0771", 187.117, 1, TRIP_READ, 1, 3, 4),
    TRIP("B0773", 187.117, 0, TRIP_READ, 1, 3, 64),
    TRIP("B0775", 203.117, 1, TRIP_READ, 1, 3, 1024),
    TRIP("B0777", 443.117, 0, TRIP_READ, 1, 3, 16384),
    TRIP("B0780", 177.117, 1, TRIP_WRITE, 1, 3, 64),
    TRIP("B0781", 185.117, 0, TRIP_WRITE, 1, 3, 256),
    TRIP("B0782", 193.117, 1, TRIP_WRITE, 1, 3, 1024),
    TRIP("B0784", 434.055, 0, TRIP_WRITE, 1, 3, 16384),
    TRIP("B0785", 339.117, 1, TRIP_READ, 2, 3, 4),
    TRIP("B0786", 339.117, 0, TRIP_READ, 2, 3, 16),
    TRIP("B0788", 339.148, 1, TRIP_READ, 2, 3, 256),
    TRIP("B0789", 355.117, 0, TRIP_READ, 2, 3, 1024),
    TRIP("B0790", 403.117, 1, TRIP_READ, 2, 3, 4096),
    TRIP("B0791", 595.215, 0, TRIP_READ, 2, 3, 16384),
    TRIP("B0793", 337.117, 1, TRIP_WRITE, 2, 3, 16),
    TRIP("B0795", 337.117, 0, TRIP_WRITE, 2, 3, 256),
    TRIP("B0797", 400.961, 1, TRIP_WRITE, 2, 3, 4096),
    TRIP("B0798", 587.836, 0, TRIP_WRITE, 2, 3, 16384),
    OTHER("B0801", 192, 0, TRIP_READ, TRIP_TAIL, 2, 2, 64),
    OTHER("B0802", 144, 0, TRIP_READ, TRIP_TAIL, 1, 3, 64),
    OTHER("B0803", 304, 0, TRIP_READ, TRIP_TAIL, 2, 3, 64),
    OTHER("B0804", 296, 0, TRIP_WRITE, TRIP_TAIL, 2, 3, 64),
    LOOP("B0805", 29.23, 0, TRIP_READ, TRIP_ISSUE, 1, 2, 4),
    LOOP("B0806", 27.24, 0, TRIP_WRITE, TRIP_ISSUE, 1, 2, 4),
    OTHER("B0808", 75.22, 0, TRIP_READ, TRIP_EACH, 1, 2, 64),
    OTHER("B0816", 248.75, 0, TRIP_WRITE, TRIP_ONCE, 2, 2, 64),
    OTHER("B0817", 248, 0, TRIP_READ, TRIP_ONCE, 2, 2, 4),
    OTHER("B0819", 250, 0, TRIP_INCREMENT, TRIP_ONCE, 2, 2, 4),
    OTHER("B0911 1 hop", 12694, 0, TRIP_INCREMENT, TRIP_SEEN, 1, 3, 4),
    OTHER("B0911 2 hops", 12710, 0, TRIP_INCREMENT, TRIP_SEEN, 1, 4, 4),
    OTHER("B0911 4 hops", 12729, 0, TRIP_INCREMENT, TRIP_SEEN, 1, 6, 4),
    OTHER("B0911 8 hops", 12764, 0, TRIP_INCREMENT, TRIP_SEEN, 1, 10, 4),
    OTHER("B0982", 232.75, 0, TRIP_INCREMENT, TRIP_EACH, 2, 2, 4),
    OTHER("B0982 column", 194.75, 0, TRIP_INCREMENT, TRIP_EACH, 1, 3, 4),
    OTHER("B0984", 476.75, 1, TRIP_WRITE, TRIP_EACH, 2, 2, 16384),
    OTHER("B0984 column", 436.75, 1, TRIP_WRITE, TRIP_EACH, 1, 3, 16384),
};
// clang-format on

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const ops[] = {"read", "write", "increment"};
    static const char *const figures[] = {
        "cycles per request, answer included", "cycles per request issued",
        "cycles, last issue to answer", "cycles of one request", "cycles to the last increment"};
    const struct trip_row *row = (const struct trip_row *)base;
    snprintf(text->workload, sizeof text->workload, "%s of %u B by a core of 1-2, at %u-%u, NoC %u",
             ops[row->op], row->length, row->to.x, row->to.y, row->noc);
    text->metric = figures[row->figure];
}

const struct ts_silicon_family ts_silicon_trips = {
    .name = "trips",
    .title = "networks: requests by a core",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.08,
    .groups = "riscv noc",
};
