// Runs a large matmul on one tile or on all (peak.h).
#include "platform/study/silicon/peak.h"

#include "platform/study/silicon/squad.h"

#include <string.h>

#define LIMIT 100000000u

void peak_buffers(const struct peak *peak, struct peak_buffer buffers[4])
{
    const unsigned block = 2 * PEAK_SIDE * peak->block, all = PEAK_SIDE * PEAK_SIDE;
    const uint32_t in = peak_page(peak, true), out = peak_page(peak, false);
    const uint32_t c = PEAK_BUFFERS + 2 * block * in; // the sums are in the same place
    buffers[0] = (struct peak_buffer){PEAK_A, PEAK_BUFFERS, in, block};
    buffers[1] = (struct peak_buffer){PEAK_B, PEAK_BUFFERS + block * in, in, block};
    buffers[2] = (struct peak_buffer){PEAK_C, c, out, all};
    buffers[3] = (struct peak_buffer){PEAK_SUMS, c, out, all};
}

void peak_threads(struct peak_code *k, unsigned thread)
{
    peak_set(k, PEAK_STARTED + 4 * thread, 1);
    peak_fence(k);
    peak_li(k, T1, 1);
    for (unsigned i = 0; i < 3; i++)
        peak_await(k, PEAK_STARTED + 4 * i, T1, T2);
}

// A counter and the time it started at.
#define COUNTER(i) (PEAK_STAMPS + 0x120u + 4 * (i))
#define BEGAN(i)   (PEAK_STAMPS + 0x160u + 4 * (i))
#define CLOCK      0xffb121f0u

void peak_count_start(struct peak_code *k, const struct peak *peak, unsigned counter)
{
    if (!peak->counters)
        return;
    peak_get(k, T1, CLOCK);
    peak_put(k, BEGAN(counter), T1);
}

void peak_count_end(struct peak_code *k, const struct peak *peak, unsigned counter)
{
    if (!peak->counters)
        return;
    peak_get(k, T1, CLOCK);
    peak_get(k, T2, BEGAN(counter));
    peak_do(k, TS_RV_SUB, T1, T1, T2, 0);
    peak_get(k, T2, COUNTER(counter));
    peak_do(k, TS_RV_ADD, T1, T1, T2, 0);
    peak_put(k, COUNTER(counter), T1);
}

// The program of a core: its buffers, a body, and an end.
static void program(struct squad *squad, struct ts_noc_xy at, unsigned core,
                    const struct peak *peak, void body(struct peak_code *, const struct peak *))
{
    struct peak_code k = {0};
    struct peak_buffer buffers[4];
    peak_buffers(peak, buffers);
    peak_li(&k, T0, TS_RV_CFG0_DIS_LOW_CASH); // as the firmware of blackhole-py leaves its cores
    peak_do(&k, TS_RV_CSRRS, 0, T0, 0, 0x7c0);
    for (unsigned i = 0; core != TS_RV_TRISC1 && i < 4; i++)
        peak_buffer(&k, core, &buffers[i]);
    body(&k, peak);
    if (core != TS_RV_BRISC && core != TS_RV_NCRISC)
        peak_sync(&k, T0);
    peak_do(&k, TS_RV_JAL, 0, 0, 0, 0);
    if (!peak_assemble(&k, squad_code(squad, at, core)))
        ts_fail(squad->error, TS_BUG, "a program of a large matmul does not fit");
    peak_free(&k);
}

static void threads(struct squad *squad, struct ts_noc_xy at, const struct peak *peak)
{
    program(squad, at, TS_RV_TRISC0, peak, peak_unpack);
    program(squad, at, TS_RV_TRISC1, peak, peak_math);
    program(squad, at, TS_RV_TRISC2, peak, peak_pack);
}

static void read_and_send(struct peak_code *k, const struct peak *peak)
{
    peak_reader(k, peak, true);
}

static void read_from_other(struct peak_code *k, const struct peak *peak)
{
    peak_reader(k, peak, false);
}

static void write_and_send(struct peak_code *k, const struct peak *peak)
{
    peak_writer(k, peak, true);
}

static void write_from_other(struct peak_code *k, const struct peak *peak)
{
    peak_writer(k, peak, false);
}

static double stamp(struct squad *squad, struct ts_noc_xy at, uint32_t address)
{
    return squad_word(squad, at, address);
}

// Input that is always there.
static void feed(struct peak_code *k, const struct peak *peak)
{
    const struct peak_count tiles = PEAK_COUNT(PEAK_SIDE * peak->block);
    peak_stamp(k, PEAK_START(PEAK_AT_BRISC));
    peak_li(k, S0, peak_blocks(peak));
    unsigned again = peak_mark(k);
    for (unsigned i = PEAK_A; i <= PEAK_B; i++) {
        peak_reserve(k, TS_RV_BRISC, i, tiles);
        peak_push_back(k, TS_RV_BRISC, i, tiles, false);
    }
    peak_addi(k, S0, S0, -1);
    peak_branch(k, TS_RV_BNE, S0, ZERO, again);
}

struct peak_times peak_tile(const struct peak *peak, const struct ts_silicon_context *context,
                            struct ts_error *error)
{
    struct ts_silicon_context quick = *context;
    quick.tile.timing_only = true;
    struct peak_times times = {0};
    const struct ts_noc_xy at = {1, 2};
    struct squad *squad = squad_new("p150-120", &quick, error);
    squad->overlay = true;
    program(squad, at, TS_RV_BRISC, peak, feed);
    threads(squad, at, peak);
    if (squad_run(squad, LIMIT)) {
        const double start = stamp(squad, at, PEAK_START(PEAK_AT_BRISC));
        times.ready = stamp(squad, at, PEAK_START(PEAK_AT_TRISC1)) - start;
        times.math = stamp(squad, at, PEAK_END(PEAK_AT_TRISC1)) - start;
        times.pack = stamp(squad, at, PEAK_END(PEAK_AT_TRISC2)) - start;
        times.unpacking = stamp(squad, at, COUNTER(PEAK_UNPACKING));
        const double last = stamp(squad, at, PEAK_START(PEAK_AT_LAST));
        times.last = times.pack + start - last;
        times.block = (last - stamp(squad, at, PEAK_START(PEAK_AT_FIRST))) /
                      (peak_blocks(peak) > 2 ? peak_blocks(peak) - 2 : 1);
    }
    squad_free(squad);
    return times;
}

// ---- all tiles

// Columns and rows as programs name them. Of twelve columns the last one has the launcher's tiles.
static const uint8_t columns[PEAK_COLUMNS] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13};
#define ROW(i) (2 + (i))
enum { AT_A = 0x1000000, AT_B = 0x4000000, AT_C = 0x8000000 }; // of each bank

static struct ts_noc_xy tile_named(const struct ts_soc *soc, unsigned x, unsigned y)
{
    struct ts_noc_xy at = {0, 0};
    ts_soc_raw(soc, x, y, &at);
    return at;
}

// The arguments of BRISC (32 words), of NCRISC, and the ports of the banks.
static void arguments(struct squad *squad, const struct peak *peak, unsigned row, unsigned column)
{
    const uint32_t kt = (157 + peak->block - 1) / peak->block * peak->block;
    const uint32_t nt = PEAK_SIDE * PEAK_COLUMNS, tiles = PEAK_SIDE * peak->block;
    const uint32_t blocks = peak_blocks(peak), x = columns[column], y = ROW(row);
    const uint32_t down = PEAK_ROWS - 1, own = x | y << 6;
    const uint32_t sub_rows = PEAK_SIDE / peak->height, sub_columns = PEAK_SIDE / peak->width;
    uint32_t words[80] = {AT_A,
                          row * PEAK_SIDE * kt,
                          1,
                          kt,
                          peak->block,
                          peak->block,
                          PEAK_SIDE,
                          tiles,
                          blocks,
                          columns[1],
                          y,
                          columns[6],
                          y,
                          6,
                          columns[7],
                          y,
                          columns[10],
                          y,
                          4,
                          columns[0],
                          y,
                          0,
                          1,
                          8,
                          [30] = own,
                          [32] = AT_B,
                          column * PEAK_SIDE,
                          1,
                          nt,
                          peak->block * nt,
                          PEAK_SIDE,
                          peak->block,
                          tiles,
                          blocks,
                          x,
                          ROW(down),
                          x,
                          ROW(1),
                          down,
                          x,
                          ROW(0),
                          2,
                          3,
                          AT_C,
                          row * PEAK_SIDE * nt + column * PEAK_SIDE,
                          1,
                          nt,
                          peak->width,
                          peak->height * nt,
                          peak->width,
                          peak->height,
                          peak->height * peak->width,
                          sub_columns,
                          sub_rows,
                          8,
                          own,
                          !(column & 1)};
    uint16_t names[16];
    for (unsigned bank = 0; bank < 8; bank++) {
        for (unsigned noc = 0; noc < 2; noc++)
            names[8 * noc + bank] = (uint16_t)squad_name(
                squad, ts_soc_worker_endpoint(&squad->soc, bank, noc));
    }
    memcpy(words + 64, names, sizeof names);
    ts_chip_write(&squad->chip, tile_named(&squad->soc, x, y), PEAK_ARGUMENTS, words, sizeof words,
                  squad->error);
}

static void later(double *than, double time)
{
    *than = time > *than ? time : *than;
}

struct peak_times peak_grid(const struct peak *peak, const struct ts_silicon_context *context,
                            struct ts_error *error)
{
    struct ts_silicon_context quick = *context;
    quick.tile.timing_only = true;
    struct peak_times times = {0};
    struct squad *squad = squad_new("p150-120", &quick, error);
    squad->overlay = true;
    for (unsigned i = 0; i < PEAK_ROWS * PEAK_COLUMNS && error->code == TS_OK; i++) {
        const unsigned row = i / PEAK_COLUMNS, column = i % PEAK_COLUMNS;
        const struct ts_noc_xy at = tile_named(&squad->soc, columns[column], ROW(row));
        if (peak->part != PEAK_TAIL)
            program(squad, at, TS_RV_BRISC, peak, column ? read_from_other : read_and_send);
        program(squad, at, TS_RV_NCRISC, peak, row ? write_from_other : write_and_send);
        if (peak->part == PEAK_WHOLE)
            threads(squad, at, peak);
    }
    if (squad_build(squad))
        for (unsigned i = 0; i < PEAK_ROWS * PEAK_COLUMNS; i++)
            arguments(squad, peak, i / PEAK_COLUMNS, i % PEAK_COLUMNS);
    if (squad_run(squad, LIMIT)) {
        double start = 1e30;
        for (unsigned i = 0; i < PEAK_ROWS * PEAK_COLUMNS; i++) {
            const struct ts_noc_xy at = tile_named(&squad->soc, columns[i % PEAK_COLUMNS],
                                                   ROW(i / PEAK_COLUMNS));
            double began = stamp(squad, at, PEAK_START(PEAK_AT_NCRISC));
            start = began < start ? began : start;
            later(&times.fill, stamp(squad, at, PEAK_END(PEAK_AT_BRISC)));
            later(&times.fill, stamp(squad, at, PEAK_END(PEAK_AT_INPUT)));
            later(&times.math, stamp(squad, at, PEAK_END(PEAK_AT_TRISC1)));
            later(&times.pack, stamp(squad, at, PEAK_END(PEAK_AT_TRISC2)));
            later(&times.total, stamp(squad, at, PEAK_END(PEAK_AT_NCRISC)));
            later(&times.writer, stamp(squad, at, PEAK_END(PEAK_AT_OUTPUT)) -
                                     stamp(squad, at, PEAK_START(PEAK_AT_OUTPUT)));
        }
        times.fill -= start;
        times.math -= start;
        times.pack -= start;
        times.total -= start;
    }
    squad_free(squad);
    return times;
}

struct peak_times peak_parts(const struct peak *peak, bool written,
                             const struct ts_silicon_context *context, struct ts_error *error)
{
    struct peak first = *peak, output = *peak;
    struct peak_times times = peak_tile(peak, context, error);
    first.part = PEAK_FILL;
    first.blocks = 1;
    output.part = PEAK_TAIL;
    times.fill = peak_grid(&first, context, error).fill;
    // The threads are set up while the first blocks come.
    times.math += times.fill - times.ready;
    times.pack += times.fill - times.ready;
    if (written) {
        const double one = times.last / (PEAK_SIDE * PEAK_SIDE) * peak->height * peak->width;
        const double start = times.pack - times.last; // of the last block
        times.writer = peak_grid(&output, context, error).writer + one;
        times.total = start + times.writer;
        // A writer starts when it has the last input: that is read while the block before is used.
        times.writer += times.block - times.fill;
    }
    return times;
}
