// Truth table: requests issued by a core, one by one or in a row.
//
//   top:  wait for NOC_CMD_CTRL = 0; write the registers; start; [poll the counter; fence]; loop
//
// The program is that of the report (tenstorrent-docs, microbenching/noc, riscv_noc_packet_latency):
// every register is written every time, 21 to 26 instructions a round in all. Both loops, blocking
// and not, are here.
#include "platform/chip/chip.h"
#include "platform/study/silicon/listing.h"
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

#define CONTROL    (TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT)
#define STAMPS     0x8000u
#define ITERATIONS 256
#define INCREMENTS 64

// --- the program ---

// Registers: source and target of the data, length, the own coordinate, the other tile's.
enum { SOURCE = L_S2, TARGET = L_S3, LENGTH = L_S4, OWN = L_S5, OTHER = L_S9 };

static const struct {
    unsigned initiator, counter;
    unsigned count;
    struct listing_word words[10];
} requests[] = {
    [TRIP_READ] = {1,
                   TS_NOC_MST_RD_RESP_RECEIVED,
                   9,
                   {{TS_NOC_CTRL, L_ZERO, CONTROL},
                    {TS_NOC_RET_LO, TARGET, 0},
                    {TS_NOC_RET_MID, L_ZERO, 0},
                    {TS_NOC_RET_HI, OWN, 0},
                    {TS_NOC_TARG_LO, SOURCE, 0},
                    {TS_NOC_TARG_MID, L_ZERO, 0},
                    {TS_NOC_TARG_HI, OTHER, 0},
                    {TS_NOC_AT_LEN_BE, LENGTH, 0},
                    {TS_NOC_AT_LEN_BE_1, L_ZERO, 0}}},
    [TRIP_WRITE] = {0,
                    TS_NOC_MST_WR_ACK_RECEIVED,
                    7,
                    {{TS_NOC_CTRL, L_ZERO, CONTROL | TS_NOC_WRITE},
                     {TS_NOC_TARG_LO, SOURCE, 0},
                     {TS_NOC_RET_LO, TARGET, 0},
                     {TS_NOC_RET_MID, L_ZERO, 0},
                     {TS_NOC_RET_HI, OTHER, 0},
                     {TS_NOC_AT_LEN_BE, LENGTH, 0},
                     {TS_NOC_AT_LEN_BE_1, L_ZERO, 0}}},
    [TRIP_INCREMENT] = {3,
                        TS_NOC_MST_ATOMIC_RESP_RECEIVED,
                        10,
                        {{TS_NOC_RET_LO, L_ZERO, 4},
                         {TS_NOC_RET_MID, L_ZERO, 0},
                         {TS_NOC_RET_HI, OWN, 0},
                         {TS_NOC_TARG_LO, SOURCE, 0},
                         {TS_NOC_TARG_MID, L_ZERO, 0},
                         {TS_NOC_TARG_HI, OTHER, 0},
                         {TS_NOC_CTRL, L_ZERO, CONTROL | TS_NOC_ATOMIC},
                         {TS_NOC_AT_LEN_BE, L_ZERO, 1u << 12 | 31u << 2},
                         {TS_NOC_AT_LEN_BE_1, L_ZERO, 0},
                         {TS_NOC_AT_DATA, L_ZERO, 1}}},
};

static unsigned iterations(const struct trip_row *row)
{
    return row->figure == TRIP_ONCE ? 1 : row->figure == TRIP_SEEN ? INCREMENTS : ITERATIONS;
}

static void barrier(struct ts_rvasm *p, const struct trip_row *row)
{
    listing_wait(p, row->noc, requests[row->op].counter, L_S6);
    listing_fence(p);
}

static void program(struct ts_rvasm *p, const struct trip_row *row, const struct ts_traffic_op *op)
{
    bool blocking = row->figure != TRIP_ISSUE && row->figure != TRIP_TAIL;
    bool write = row->op == TRIP_WRITE;
    unsigned initiator = requests[row->op].initiator;
    listing_begin(p);
    ts_rvasm_li(p, OTHER, op->word[write ? TS_NOC_RET_HI : TS_NOC_TARG_HI]);
    ts_rvasm_li(p, OWN, op->word[write ? TS_NOC_TARG_HI : TS_NOC_RET_HI]);
    ts_rvasm_li(p, SOURCE, op->word[TS_NOC_TARG_LO]);
    ts_rvasm_li(p, TARGET, op->word[TS_NOC_RET_LO]);
    ts_rvasm_li(p, LENGTH, row->length);
    if (write)
        listing_word(p, row->noc, initiator, (struct listing_word){TS_NOC_TARG_HI, OWN, 0});
    listing_counter(p, row->noc, requests[row->op].counter, L_S7);
    listing_addi(p, L_S6, L_S7, 0);
    listing_clock(p, L_A2, L_A3);
    ts_rvasm_li(p, L_S0, iterations(row));
    uint32_t top = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    listing_request(p, row->noc, initiator, requests[row->op].words, requests[row->op].count);
    listing_addi(p, L_S6, L_S6, 1);
    if (blocking)
        barrier(p, row);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, top);
    listing_here(p, done);
    listing_clock(p, L_A4, L_A5);
    listing_counter(p, row->noc, requests[row->op].counter, L_S8);
    barrier(p, row);
    listing_clock(p, L_S10, L_S11);
    ts_rvasm_li(p, L_S2, STAMPS);
    listing_store(p, L_A2, L_S2, 0);
    listing_store(p, L_A4, L_S2, 4);
    listing_store(p, L_S10, L_S2, 8);
    listing_end(p);
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
            .kind = TS_TRAFFIC_WORD, .address = 0x20000, .value = INCREMENTS, .gap = 1};
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
    OTHER("B0805", 29.23, 0, TRIP_READ, TRIP_ISSUE, 1, 2, 4),
    OTHER("B0806", 27.24, 0, TRIP_WRITE, TRIP_ISSUE, 1, 2, 4),
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
    .median = 0.02,
    .p90 = 0.05,
    .groups = "riscv noc",
};
