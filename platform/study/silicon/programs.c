// Truth table: complete kernels that move data between DRAM and several tiles.
//
//   GATHER   BRISC reads rows of 4 KiB by index out of DRAM, pages of 2 KiB over eight banks
//   REMOTE   BRISC sends pages of its circular buffer to the same buffer of other tiles, then the
//            new count; NCRISC there waits for the count and pops the pages one by one
//   TRAFFIC  117 tiles read over one NoC and write over the other, 16 KiB at a time, four requests
//            before each wait; every tile uses one of the three ports of each bank
// Source: boopdotpng/blackhole-py, tests/movement (README.md, indexed.py, remote_cb.py, noc.py): the instructions of
// GATHER and REMOTE are those of its emitters. Its streams of 2 MiB a tile are cut short.
//
// Inaccuracies: the count of REMOTE goes from L1 to L1; on the card it is an inline write to a register of
// the overlay, which is not modelled. The tiles of TRAFFIC are scripts with the pace of the kernel's loop.
#include "noc/niu.h"
#include "platform/study/silicon/listing.h"
#include "platform/study/silicon/rig.h"
#include "platform/study/silicon/squad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GB         1.35 // GB/s of a byte a cycle
#define LIMIT      20000000u
#define NIU(n)     (0xffb20000u + 0x10000u * (n))
#define STAMPS     0x8000u // L1: clock before, clock after
#define PARAMS     0x8100u
#define TABLE      0xffb00400u // coordinates of the banks, in the core's own RAM
#define STATUS     0x200
#define CTRL_WRITE 2u

enum kind { GATHER, REMOTE, TRAFFIC };

// Some of eight banks in turn.
struct stream {
    uint8_t requests, banks, first, step;
    uint8_t noc;
};

struct row {
    struct ts_silicon_row base;
    enum kind kind;
    unsigned count;     // rows of GATHER, pages of REMOTE
    unsigned receivers; // of REMOTE
    unsigned noc;
    struct stream read, write; // of TRAFFIC; no requests: none
};

// Tiles of the card, column by column (harvested columns left out).
static struct ts_noc_xy worker(unsigned i)
{
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};
    return (struct ts_noc_xy){columns[i / 10], (uint8_t)(2 + i % 10)};
}

// --- pieces of code

static void stamp(struct ts_rvasm *p, uint32_t at)
{
    listing_clock(p, L_T0, L_T1);
    ts_rvasm_li(p, L_T2, at);
    listing_store(p, L_T0, L_T2, 0);
    listing_store(p, L_T1, L_T2, 4);
    listing_fence(p);
}

static void parameter(struct ts_rvasm *p, unsigned rd, unsigned slot)
{
    ts_rvasm_li(p, L_T0, PARAMS + 4 * slot);
    listing_load(p, rd, L_T0, 0);
}

// Until a word of the interface is 0.
static void wait_zero(struct ts_rvasm *p, unsigned base, int32_t offset, bool fence)
{
    uint32_t again = ts_rvasm_here(p);
    listing_load(p, L_T0, base, offset);
    ts_rvasm_back(p, TS_RV_BNE, L_T0, L_ZERO, again);
    if (fence)
        listing_fence(p);
}

static void store_number(struct ts_rvasm *p, unsigned base, unsigned word, uint32_t value)
{
    if (value)
        ts_rvasm_li(p, L_T1, value);
    listing_store(p, value ? L_T1 : L_ZERO, base, 4 * (int32_t)word);
}

static void own_coordinate(struct ts_rvasm *p, unsigned rd, unsigned noc)
{
    ts_rvasm_li(p, L_T0, NIU(noc) + 0x148);
    listing_load(p, rd, L_T0, 0);
    ts_rvasm(p, TS_RV_SLLI, rd, rd, 0, 20);
    ts_rvasm(p, TS_RV_SRLI, rd, rd, 0, 20);
}

// Branches around a loop that only a wrong argument reaches.
static void refuse(struct ts_rvasm *p, enum ts_rv_op op, unsigned a, unsigned b)
{
    uint32_t wrong = listing_forward(p, op, a, b);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 8);
    listing_here(p, wrong);
    listing_end(p);
}

// --- rows by index

enum { BASE = L_S0, OWN, BANKS = L_S2, NIU_0, COMMAND, INDICES, ROW, ROWS, PAGE, COUNT, LENGTH };
enum { BATCH = L_S11, INDEX = L_A0, OFFSET, LEFT, TO, PAGE_NUMBER, INSIDE, BANK = L_T3, BANK_ROW };
enum { REMOTE_AT = L_T5, CHUNK = L_T6 };
#define INDICES_AT 0x20000u
#define ROWS_AT    (INDICES_AT + 4096)
#define DRAM_AT    0x1000000u
#define TAG        2u

static void gather_page(struct ts_rvasm *p)
{
    ts_rvasm(p, TS_RV_DIVU, PAGE_NUMBER, OFFSET, PAGE, 0);
    ts_rvasm(p, TS_RV_REMU, INSIDE, OFFSET, PAGE, 0);
    ts_rvasm(p, TS_RV_REMU, BANK, PAGE_NUMBER, COUNT, 0);
    ts_rvasm(p, TS_RV_DIVU, BANK_ROW, PAGE_NUMBER, COUNT, 0);
    ts_rvasm(p, TS_RV_MUL, L_T0, BANK_ROW, PAGE, 0);
    ts_rvasm(p, TS_RV_ADD, REMOTE_AT, BASE, L_T0, 0);
    ts_rvasm(p, TS_RV_ADD, REMOTE_AT, REMOTE_AT, INSIDE, 0);
    ts_rvasm(p, TS_RV_SLLI, L_T0, BANK, 0, 2);
    ts_rvasm(p, TS_RV_ADD, L_T0, L_T0, BANKS, 0);
    listing_load(p, L_T1, L_T0, 0);
    ts_rvasm(p, TS_RV_SUB, CHUNK, PAGE, INSIDE, 0);
    uint32_t have = listing_forward(p, TS_RV_BLTU, CHUNK, LEFT);
    listing_addi(p, CHUNK, LEFT, 0);
    listing_here(p, have);
    wait_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
    listing_store(p, REMOTE_AT, COMMAND, 4 * TS_NOC_TARG_LO);
    listing_store(p, L_T1, COMMAND, 4 * TS_NOC_TARG_HI);
    listing_store(p, TO, COMMAND, 4 * TS_NOC_RET_LO);
    listing_store(p, OWN, COMMAND, 4 * TS_NOC_RET_HI);
    listing_store(p, CHUNK, COMMAND, 4 * TS_NOC_AT_LEN_BE);
    ts_rvasm_li(p, L_T2, 1);
    listing_store(p, L_T2, COMMAND, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm(p, TS_RV_ADD, OFFSET, OFFSET, CHUNK, 0);
    ts_rvasm(p, TS_RV_ADD, TO, TO, CHUNK, 0);
    ts_rvasm(p, TS_RV_SUB, LEFT, LEFT, CHUNK, 0);
}

static void gather_begin(struct ts_rvasm *p, unsigned rows)
{
    static const uint8_t zeros[] = {TS_NOC_TARG_MID, TS_NOC_RET_MID};
    const int32_t pending = STATUS + 4 * (int32_t)(TS_NOC_MST_REQS_OUTSTANDING_ID + TAG);
    parameter(p, BASE, 0);
    ts_rvasm(p, TS_RV_ANDI, L_T0, BASE, 0, 15);
    refuse(p, TS_RV_BNE, L_T0, L_ZERO);
    own_coordinate(p, OWN, 0);
    ts_rvasm_li(p, BANKS, TABLE);
    ts_rvasm_li(p, NIU_0, NIU(0));
    ts_rvasm_li(p, COMMAND, NIU(0));
    wait_zero(p, NIU_0, pending, true);
    for (unsigned i = 0; i < sizeof zeros; i++)
        store_number(p, COMMAND, zeros[i], 0);
    store_number(p, COMMAND, TS_NOC_TAG, TAG << 10);
    store_number(p, COMMAND, TS_NOC_CTRL,
                 TS_NOC_CTRL_RESP_MARKED | TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT);
    for (unsigned word = TS_NOC_AT_LEN_BE_1; word < TS_NOC_AT_LEN_BE_1 + 3; word++)
        store_number(p, COMMAND, word, 0);
    ts_rvasm_li(p, INDICES, INDICES_AT);
    ts_rvasm_li(p, ROW, ROWS_AT);
    ts_rvasm_li(p, ROWS, rows);
    ts_rvasm_li(p, PAGE, 2048);
    ts_rvasm_li(p, COUNT, 8);
    ts_rvasm_li(p, LENGTH, 4096);
    ts_rvasm_li(p, BATCH, 42); // rows before a wait
}

static void gather_code(struct ts_rvasm *p, unsigned rows)
{
    const int32_t pending = STATUS + 4 * (int32_t)(TS_NOC_MST_REQS_OUTSTANDING_ID + TAG);
    gather_begin(p, rows);
    uint32_t row = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, ROWS, L_ZERO);
    listing_load(p, INDEX, INDICES, 0);
    ts_rvasm(p, TS_RV_MUL, OFFSET, INDEX, LENGTH, 0);
    listing_addi(p, LEFT, LENGTH, 0);
    listing_addi(p, TO, ROW, 0);
    uint32_t chunk = ts_rvasm_here(p);
    uint32_t row_done = listing_forward(p, TS_RV_BEQ, LEFT, L_ZERO);
    gather_page(p);
    listing_jump(p, chunk);
    listing_here(p, row_done);
    listing_addi(p, BATCH, BATCH, -1);
    uint32_t next = listing_forward(p, TS_RV_BNE, BATCH, L_ZERO);
    wait_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
    wait_zero(p, NIU_0, pending, true);
    ts_rvasm_li(p, BATCH, 42);
    listing_here(p, next);
    listing_addi(p, INDICES, INDICES, 4);
    ts_rvasm(p, TS_RV_ADD, ROW, ROW, LENGTH, 0);
    listing_addi(p, ROWS, ROWS, -1);
    listing_jump(p, row);
    listing_here(p, done);
    wait_zero(p, COMMAND, 4 * TS_NOC_CMD_CTRL, false);
    wait_zero(p, NIU_0, pending, true);
}

// What the host and the kernel's loader leave: parameters, the banks' coordinates.
static void set_word(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, L_T0, address);
    ts_rvasm_li(p, L_T1, value);
    listing_store(p, L_T1, L_T0, 0);
}

static double gather(const struct row *row, const struct ts_silicon_context *context,
                     struct ts_error *error)
{
    struct squad *squad = squad_new("p150", context, error);
    const struct ts_noc_xy at = worker(0);
    struct ts_rvasm *p = squad_code(squad, at, TS_RV_BRISC);
    double cycles = 0;
    if (error->code == TS_OK) {
        listing_begin(p);
        for (unsigned bank = 0; bank < 8; bank++)
            set_word(p, TABLE + 4 * bank,
                     squad_name(squad, ts_soc_worker_endpoint(&squad->soc, bank, 0)));
        for (unsigned i = 0; i < row->count; i++)
            set_word(p, INDICES_AT + 4 * i, (17 + i * 7919) % 128256);
        set_word(p, PARAMS, DRAM_AT);
        listing_fence(p);
        stamp(p, STAMPS);
        gather_code(p, row->count);
        stamp(p, STAMPS + 8);
        listing_end(p);
        if (squad_run(squad, LIMIT))
            cycles = squad_word(squad, at, STAMPS + 8) - squad_word(squad, at, STAMPS);
    }
    squad_free(squad);
    return cycles;
}

// --- pages to other tiles

#define BUFFER   0x20000u
#define RECEIVED 0x1f000u // the count of pages, on every tile
#define ACKED    0x1f010u
#define COUNTED  0x1f020u // what is sent as the count
#define TILE     2048u
#define DEPTH    8u
#define SEND_TAG 1u

enum { PAGES = L_S0, TAIL, CAPACITY, PAGE_SIZE, BYTES, WHOLE, NIU_N = L_S6, COMMAND_N };
enum { SOURCE = L_S8, TARGET, OWN_N, BYTES_LEFT = L_A0, BURST, PART };

static void submit(struct ts_rvasm *p, const struct listing_word *words, unsigned count)
{
    wait_zero(p, COMMAND_N, 4 * TS_NOC_CMD_CTRL, false);
    for (unsigned i = 0; i < count; i++)
        if (words[i].reg)
            listing_store(p, words[i].reg, COMMAND_N, 4 * words[i].word);
        else
            store_number(p, COMMAND_N, words[i].word, words[i].number);
    store_number(p, COMMAND_N, TS_NOC_CMD_CTRL, 1);
}

static void send_check(struct ts_rvasm *p)
{
    parameter(p, PAGES, 0);
    parameter(p, TAIL, 1);
    uint32_t some = listing_forward(p, TS_RV_BNE, PAGES, L_ZERO);
    listing_end(p); // no pages: not here
    listing_here(p, some);
    ts_rvasm_li(p, CAPACITY, DEPTH);
    uint32_t wrong[3] = {listing_forward(p, TS_RV_BLTU, CAPACITY, PAGES),
                         listing_forward(p, TS_RV_BEQ, TAIL, L_ZERO), 0};
    ts_rvasm_li(p, PAGE_SIZE, TILE);
    wrong[2] = listing_forward(p, TS_RV_BLTU, PAGE_SIZE, TAIL);
    listing_addi(p, WHOLE, PAGES, -1);
    ts_rvasm(p, TS_RV_MUL, BYTES, WHOLE, PAGE_SIZE, 0);
    ts_rvasm(p, TS_RV_ADD, BYTES, BYTES, TAIL, 0);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 8);
    for (unsigned i = 0; i < 3; i++)
        listing_here(p, wrong[i]);
    listing_end(p);
}

static void send(struct ts_rvasm *p, unsigned noc, uint32_t coordinate, bool multicast)
{
    const int32_t outgoing = STATUS + 4 * (int32_t)(TS_NOC_MST_WRITE_REQS_OUTGOING_ID + SEND_TAG);
    const uint32_t control = CTRL_WRITE | TS_NOC_CTRL_VC_STATIC |
                             (multicast ? TS_NOC_CTRL_BRCST : 0) |
                             (multicast ? 4u : 1u) << TS_NOC_CTRL_VC_SHIFT;
    const struct listing_word payload[] = {
        {TS_NOC_TARG_LO, SOURCE, 0},     {TS_NOC_TARG_MID, 0, 0},   {TS_NOC_TARG_HI, OWN_N, 0},
        {TS_NOC_RET_LO, TARGET, 0},      {TS_NOC_RET_MID, 0, 0},    {TS_NOC_RET_HI, 0, coordinate},
        {TS_NOC_TAG, 0, SEND_TAG << 10}, {TS_NOC_CTRL, 0, control}, {TS_NOC_AT_LEN_BE, PART, 0},
        {TS_NOC_AT_LEN_BE_1, 0, 0},      {TS_NOC_AT_DATA, 0, 0},    {TS_NOC_BRCST_EXCLUDE, 0, 0}};
    const struct listing_word notice[] = {
        {TS_NOC_TARG_LO, 0, COUNTED},    {TS_NOC_TARG_MID, 0, 0},    {TS_NOC_TARG_HI, OWN_N, 0},
        {TS_NOC_RET_LO, 0, RECEIVED},    {TS_NOC_RET_MID, 0, 0},     {TS_NOC_RET_HI, 0, coordinate},
        {TS_NOC_TAG, 0, SEND_TAG << 10}, {TS_NOC_CTRL, 0, control},  {TS_NOC_AT_LEN_BE, 0, 4},
        {TS_NOC_AT_LEN_BE_1, 0, 0},      {TS_NOC_AT_DATA, PAGES, 0}, {TS_NOC_BRCST_EXCLUDE, 0, 0}};
    send_check(p);
    ts_rvasm_li(p, NIU_N, NIU(noc));
    ts_rvasm_li(p, COMMAND_N, NIU(noc));
    ts_rvasm_li(p, SOURCE, BUFFER);
    ts_rvasm_li(p, TARGET, BUFFER);
    own_coordinate(p, OWN_N, noc);
    wait_zero(p, NIU_N, outgoing, true);
    listing_addi(p, BYTES_LEFT, BYTES, 0);
    ts_rvasm_li(p, BURST, 16384);
    uint32_t loop = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, BYTES_LEFT, L_ZERO);
    listing_addi(p, PART, BYTES_LEFT, 0);
    uint32_t have = listing_forward(p, TS_RV_BLTU, BYTES_LEFT, BURST);
    listing_addi(p, PART, BURST, 0);
    listing_here(p, have);
    submit(p, payload, 12);
    ts_rvasm(p, TS_RV_ADD, SOURCE, SOURCE, PART, 0);
    ts_rvasm(p, TS_RV_ADD, TARGET, TARGET, PART, 0);
    ts_rvasm(p, TS_RV_SUB, BYTES_LEFT, BYTES_LEFT, PART, 0);
    listing_jump(p, loop);
    listing_here(p, done);
    wait_zero(p, COMMAND_N, 4 * TS_NOC_CMD_CTRL, false);
    wait_zero(p, NIU_N, outgoing, true);
    submit(p, notice, 12);
    wait_zero(p, COMMAND_N, 4 * TS_NOC_CMD_CTRL, false);
}

static void pop(struct ts_rvasm *p)
{
    parameter(p, PAGES, 0);
    ts_rvasm_li(p, L_S5, ACKED);
    ts_rvasm(p, TS_RV_LHU, L_S6, L_S5, 0, 0);
    uint32_t consume = ts_rvasm_here(p);
    uint32_t done = listing_forward(p, TS_RV_BEQ, PAGES, L_ZERO);
    uint32_t wait = ts_rvasm_here(p);
    ts_rvasm_li(p, L_S5, RECEIVED);
    ts_rvasm(p, TS_RV_LHU, L_S7, L_S5, 0, 0);
    ts_rvasm(p, TS_RV_SUB, L_T0, L_S7, L_S6, 0);
    ts_rvasm(p, TS_RV_SLLI, L_T0, L_T0, 0, 16);
    ts_rvasm(p, TS_RV_SRLI, L_T0, L_T0, 0, 16);
    ts_rvasm_li(p, L_T1, 1);
    uint32_t ready = listing_forward(p, TS_RV_BGEU, L_T0, L_T1);
    listing_fence(p);
    listing_jump(p, wait);
    listing_here(p, ready);
    listing_fence(p);
    listing_addi(p, L_S6, L_S6, 1);
    ts_rvasm(p, TS_RV_SLLI, L_S6, L_S6, 0, 16);
    ts_rvasm(p, TS_RV_SRLI, L_S6, L_S6, 0, 16);
    ts_rvasm_li(p, L_S5, ACKED);
    listing_store(p, L_S6, L_S5, 0);
    listing_addi(p, PAGES, PAGES, -1);
    listing_fence(p);
    listing_jump(p, consume);
    listing_here(p, done);
    listing_fence(p);
    // The last word that came, for the host.
    ts_rvasm_li(p, L_S5, BUFFER);
    listing_load(p, L_T0, L_S5, 0);
    ts_rvasm_li(p, L_S5, STAMPS + 32);
    listing_store(p, L_T0, L_S5, 0);
    listing_fence(p);
}

static double remote(const struct row *row, const struct ts_silicon_context *context,
                     struct ts_error *error)
{
    struct squad *squad = squad_new("p150", context, error);
    const struct ts_noc_xy from = worker(0), first = worker(1), last = worker(row->receivers);
    double start, end = 0;
    if (error->code != TS_OK) {
        squad_free(squad);
        return 0;
    }
    struct ts_rvasm *p = squad_code(squad, from, TS_RV_BRISC);
    uint32_t to = squad_name(squad, first), rest = squad_name(squad, last);
    if (row->receivers > 1) // NoC 1 runs the other way
        to = row->noc ? to | rest << 12 : rest | to << 12;
    listing_begin(p);
    set_word(p, PARAMS, row->count);
    set_word(p, PARAMS + 4, TILE);
    set_word(p, COUNTED, row->count);
    ts_rvasm_li(p, L_S11, 200); // until the receivers wait
    listing_delay(p, L_S11);
    stamp(p, STAMPS);
    send(p, row->noc, to, row->receivers > 1);
    stamp(p, STAMPS + 8);
    listing_end(p);
    for (unsigned i = 1; i <= row->receivers; i++) {
        p = squad_code(squad, worker(i), TS_RV_NCRISC);
        listing_begin(p);
        set_word(p, PARAMS, row->count);
        stamp(p, STAMPS);
        pop(p);
        stamp(p, STAMPS + 8);
        listing_end(p);
    }
    if (squad_run(squad, LIMIT)) {
        start = squad_word(squad, from, STAMPS);
        for (unsigned i = 1; i <= row->receivers; i++) {
            double its = squad_word(squad, worker(i), STAMPS + 8) - start;
            end = its > end ? its : end;
        }
    }
    squad_free(squad);
    return end > 0 ? row->count * TILE * GB / end : 0;
}

// --- all tiles and DRAM

#define WORKERS 117
#define PACKET  16384u
#define BATCHED 4
#define PACE    34 // cycles of the issue loop

// A stream of a tile: four requests, then a wait for their answers, or until they have left.
static struct ts_traffic_op *script(const struct rig *rig, const struct stream *stream, bool write,
                                    unsigned index, size_t *count)
{
    struct ts_traffic_op *ops = calloc(stream->requests * 2u + 2, sizeof *ops), op;
    const struct ts_noc_xy by = worker(index);
    if (ops == NULL)
        abort();
    for (unsigned i = 0; i < stream->requests; i++) {
        unsigned bank = (stream->first + stream->step * (i % stream->banks)) % 8;
        struct ts_noc_xy at = rig->chip.soc.dram[bank][index % 3];
        uint64_t far = (write ? 0x40000000u : 0x10000000u) + 0x200000ull * index +
                       i / stream->banks * PACKET;
        uint32_t near = (write ? 0x80000u : 0x40000u) + i % 8 * PACKET;
        op = write ? ts_traffic_write(&rig->chip, stream->noc, by, at, near, far, PACKET, 1, false)
                   : ts_traffic_read(&rig->chip, stream->noc, by, at, far, near, PACKET);
        op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT;
        op.gap = PACE;
        ops[(*count)++] = op;
        if (i % BATCHED == BATCHED - 1)
            ops[(*count)++] = (struct ts_traffic_op){
                .kind = write ? TS_TRAFFIC_SENT : TS_TRAFFIC_BARRIER, .gap = 1};
    }
    ops[(*count)++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER, .gap = 1};
    return ops;
}

static double traffic(const struct row *row, const struct ts_silicon_context *context,
                      struct ts_error *error)
{
    const struct stream *streams[2] = {&row->read, &row->write};
    struct ts_traffic_op *ops[2 * WORKERS] = {NULL};
    size_t counts[2 * WORKERS] = {0};
    struct rig *rig = rig_new("p150", context, error);
    ts_cycle first = TS_NEVER, last = 0;
    double bytes = 0;
    for (unsigned i = 0; i < 2 * WORKERS && error->code == TS_OK; i++) {
        const struct stream *stream = streams[i % 2];
        if (stream->requests == 0)
            continue;
        ops[i] = script(rig, stream, i % 2, i / 2, &counts[i]);
        rig_drive(rig, worker(i / 2), ops[i], counts[i]);
        bytes += (double)stream->requests * PACKET;
    }
    bool good = rig_run(rig, 100000000);
    for (unsigned i = 0; i < 2 * WORKERS && good; i++)
        if (ops[i]) {
            first = ops[i][0].started < first ? ops[i][0].started : first;
            last = ops[i][counts[i] - 1].ended > last ? ops[i][counts[i] - 1].ended : last;
        }
    rig_free(rig);
    for (unsigned i = 0; i < 2 * WORKERS; i++)
        free(ops[i]);
    return good && last > first ? bytes * GB / (double)(last - first) : 0;
}

// --- rows

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    simulated[0] = (row->kind == GATHER   ? gather
                    : row->kind == REMOTE ? remote
                                          : traffic)(row, context, error);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct row *row = (const struct row *)base;
    text->metric = row->kind == GATHER ? "cycles" : "GB/s at 1.35 GHz";
    if (row->kind == GATHER)
        snprintf(text->workload, sizeof text->workload, "gather %u rows of 4 KiB out of DRAM",
                 row->count);
    else if (row->kind == REMOTE)
        snprintf(text->workload, sizeof text->workload,
                 "send %u pages of 2 KiB to the buffer of %u tiles, NoC %u", row->count,
                 row->receivers, row->noc);
    else
        snprintf(text->workload, sizeof text->workload,
                 "117 tiles: %u reads of %u banks, %u writes of %u, 16 KiB each",
                 row->read.requests, row->read.banks, row->write.requests, row->write.banks);
}

#define GATHERED(name, value, n)                                                      \
    {                                                                                 \
        .base = {.id = name, .measured = value}, .kind = GATHER, .count = n, .noc = 0 \
    }
#define SENT(name, value, pages, tiles, n)                                       \
    {                                                                            \
        .base = {.id = name, .measured = value}, .kind = REMOTE, .count = pages, \
        .receivers = tiles, .noc = n                                             \
    }
// Banks of the middle column first, as the card's better half of the runs.
#define SHARED(name, value, reads, read_banks, writes, write_banks)   \
    {                                                                 \
        .base = {.id = name, .measured = value}, .kind = TRAFFIC,     \
        .read = {reads, read_banks, 4, 1, 0},                         \
        .write = {writes, write_banks, (4 + (read_banks)) % 8, 1, 1}, \
    }

static const struct row rows[] = {
    SENT("B0918", 8.98, 1, 1, 0),
    SENT("B0919", 28.21, 8, 1, 0),
    SENT("B0920", 7.14, 1, 8, 0),
    SENT("B0921", 25.57, 8, 8, 0),
    SENT("B0922", 6.78, 1, 1, 1),
    SENT("B0924", 6.95, 1, 8, 1),
    SENT("B0925", 24.71, 8, 8, 1),
    SHARED("B0926", 485.3, 32, 4, 32, 4),
    SHARED("B0927", 468.7, 50, 5, 24, 3),
    SHARED("B0928", 500.9, 96, 6, 32, 2),
    SHARED("B0929", 472.8, 96, 6, 24, 2),
    SHARED("B0930", 505.0, 112, 7, 16, 1),
    GATHERED("B0931", 781, 1),
    GATHERED("B0932", 1643, 4),
    GATHERED("B0933", 5362, 16),
    {.base = {.id = "B0938", .measured = 162}, .kind = TRAFFIC, .write = {32, 8, 0, 1, 0}},
    {.base = {.id = "B0939", .measured = 481},
     .kind = TRAFFIC,
     .read = {32, 4, 4, 1, 0},
     .write = {32, 4, 0, 1, 1}},
    {.base = {.id = "B0940", .measured = 417},
     .kind = TRAFFIC,
     .read = {32, 4, 0, 2, 0},
     .write = {32, 4, 1, 2, 1}},
};

const struct ts_silicon_family ts_silicon_programs = {
    .name = "programs",
    .title = "kernels over several tiles and DRAM",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.15,
};
