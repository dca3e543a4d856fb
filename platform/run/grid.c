// Where the matrices of a matmul over a grid are stored (grid.h).
#include "platform/run/grid.h"

#include "platform/run/formats.h"
#include "platform/run/spec.h"

#include <string.h>

// --- planning ---

// Partial sums that have a buffer of their own, not the result's place.
static uint32_t partial_bytes(const struct ts_job_spec *s, uint32_t tiles)
{
    unsigned format;
    return ts_job_partials(s, &format) && format != s->out_format
               ? tiles * ts_datum_tile_bytes(format)
               : 0;
}

// Bytes of L1 that a tile needs for its operands and its result.
static uint32_t bytes_of(const struct ts_job_spec *s)
{
    uint32_t mt = s->m / TS_TILE, nt = s->n / TS_TILE, kt = s->k / TS_TILE;
    uint32_t width = kt / s->blocks, rings = s->blocks > 1 ? 2 : 1;
    uint32_t in = ts_datum_tile_bytes(s->format);
    uint32_t bytes = rings * width * (mt + nt) * in;
    if (!s->in0_dram)
        bytes += mt * (kt / s->grid_columns) * in;
    return bytes + mt * nt * ts_datum_tile_bytes(s->out_format) + partial_bytes(s, mt * nt);
}

static bool fits(const struct ts_job_spec *s)
{
    return bytes_of(s) <= TS_L1_EVENTS - TS_L1_DATA;
}

// A block is a tile's share of in0, or an even part of it: the first that fits.
static bool choose_blocks(struct ts_job_spec *s)
{
    uint32_t kt = s->k / TS_TILE;
    if (s->blocks != 0)
        return fits(s) && (s->in0_dram || kt / s->grid_columns % (kt / s->blocks) == 0);
    bool even = kt % s->grid_columns == 0;
    uint32_t share = even ? kt / s->grid_columns : kt;
    for (uint32_t part = 1; part <= share; part++) {
        s->blocks = kt / share * part;
        if (share % part == 0 && fits(s) && (even || share / part <= 8))
            return true;
    }
    s->blocks = 0;
    return false;
}

// The benchmark's rule: one row of tiles where the result stays in L1, otherwise the first choice
// that fits.
static void choose_sub_block(struct ts_job_spec *s)
{
    static const uint8_t choices[][2] = {{4, 2}, {2, 4}, {8, 1}, {1, 8}, {7, 1}, {1, 7}, {3, 2},
                                         {2, 3}, {6, 1}, {1, 6}, {5, 1}, {1, 5}, {2, 2}, {4, 1},
                                         {1, 4}, {3, 1}, {1, 3}, {2, 1}, {1, 2}, {1, 1}};
    uint32_t room = s->dst32 ? 4 : 8;
    for (size_t i = 0; s->sub_w == 0 && i < sizeof choices / sizeof *choices; i++) {
        uint32_t h = choices[i][0], w = choices[i][1];
        if (h * w > room || (!s->out_dram && h > 1))
            continue;
        if (s->m / TS_TILE % h == 0 && s->n / TS_TILE % w == 0)
            s->sub_h = h, s->sub_w = w;
    }
}

bool ts_grid_plan(struct ts_job_spec *s, struct ts_error *error)
{
    uint32_t kt = s->k / TS_TILE;
    if (s->grid_rows > TS_GRID_ROWS || s->grid_columns > TS_GRID_COLUMNS) {
        ts_fail(error, TS_USAGE, "a grid of %ux%u: a p150 has %u columns and %u rows of tiles",
                s->grid_columns, s->grid_rows, TS_GRID_COLUMNS, TS_GRID_ROWS);
        return false;
    }
    if (s->m % TS_TILE || s->n % TS_TILE || s->k % TS_TILE || kt == 0 ||
        s->m / TS_TILE % s->grid_rows || s->n / TS_TILE % s->grid_columns) {
        ts_fail(error, TS_USAGE, "a grid of %ux%u tiles does not divide %ux%u elements in tiles",
                s->grid_columns, s->grid_rows, s->m, s->n);
        return false;
    }
    if (s->blocks != 0 && kt % s->blocks != 0) {
        ts_fail(error, TS_USAGE, "%u blocks do not divide the inner dimension of %u tiles",
                s->blocks, kt);
        return false;
    }
    s->m /= s->grid_rows;
    s->n /= s->grid_columns;
    if (!ts_spec_given(s, TS_OPTION_OUT_FORMAT))
        s->out_format = s->format;
    bool open = !ts_spec_given(s, TS_OPTION_STORAGE), found = false;
    if (open || !s->in0_dram) {
        s->in0_dram = false;
        found = kt % s->grid_columns == 0 && choose_blocks(s);
    }
    if (!found && (open || s->in0_dram)) {
        s->in0_dram = true;
        s->out_dram = open || s->out_dram;
        found = choose_blocks(s);
    }
    if (!found) {
        ts_fail(error, TS_USAGE,
                "%ux%ux%u on a grid of %ux%u: no blocks of the inner dimension that fit in L1%s",
                s->m * s->grid_rows, s->k, s->n * s->grid_columns, s->grid_columns, s->grid_rows,
                s->in0_dram ? "" : " and in the tiles' shares of in0 (--storage dram/dram/dram)");
        return false;
    }
    choose_sub_block(s);
    return true;
}

// --- the chip ---

static bool dram_access(struct ts_job *job, bool write, uint32_t tile, uint32_t base, void *bytes,
                        uint32_t size, struct ts_error *error)
{
    struct ts_chip *chip = job->spec.chip;
    struct ts_noc_xy at = chip->soc.dram[tile % TS_DRAM_CHANNELS][0];
    uint64_t address = base + (uint64_t)(tile / TS_DRAM_CHANNELS) * size;
    return (write ? ts_chip_write(chip, at, address, bytes, size, error)
                  : ts_chip_read(chip, at, address, bytes, size, error)) == TS_OK;
}

bool ts_grid_connect(struct ts_job *jobs, uint32_t count, const struct ts_params *params,
                     struct ts_chip *chip, struct ts_error *error)
{
    struct ts_soc soc;
    struct ts_tile *tiles[TS_GRID_COLUMNS * TS_GRID_ROWS];
    for (uint32_t i = 0; i < count; i++) {
        tiles[i] = jobs[i].tile;
        jobs[i].spec.chip = chip;
    }
    return ts_soc_find(&soc, "p150", error) == TS_OK &&
           ts_chip_init(chip, jobs[0].kernel, &soc, params, tiles, count, error) == TS_OK;
}

// --- one tile's part ---

// Where a matrix starts in every channel: in1, in0, result, one after the other.
static void dram_bases(const struct ts_job_spec *s, uint32_t base[3])
{
    uint64_t kt = s->k / TS_TILE, in = ts_datum_tile_bytes(s->format);
    uint64_t tiles1 = kt * (s->n / TS_TILE) * s->grid_columns;
    uint64_t tiles0 = kt * (s->m / TS_TILE) * s->grid_rows;
    base[1] = 0;
    base[0] = (uint32_t)((tiles1 / TS_DRAM_CHANNELS + 1) * in);
    base[2] = base[0] + (uint32_t)((tiles0 / TS_DRAM_CHANNELS + 1) * in);
}

// Stores tile (row, column) of an operand, if this tile of the grid has it.
static bool put(struct ts_job *job, unsigned operand, uint32_t row, uint32_t column, uint32_t shard,
                uint32_t base, struct ts_error *error)
{
    const struct ts_job_spec *s = &job->spec;
    uint32_t bytes = ts_datum_tile_bytes(s->format), kt = s->k / TS_TILE, nt = s->n / TS_TILE;
    uint8_t buffer[4096];
    ts_tile_encode(&job->in[operand], row, column, s->format, buffer);
    if (operand == 0 && !s->in0_dram) {
        uint32_t share = kt / s->grid_columns;
        if (column / share == s->grid_column)
            ts_l1_write(&job->tile->l1, shard + (row * share + column % share) * bytes, buffer,
                        bytes, 0);
        return true;
    }
    if ((operand == 0 ? s->grid_column : s->grid_row) != 0)
        return true;
    uint32_t tile = operand == 0 ? (s->grid_row * (s->m / TS_TILE) + row) * kt + column
                                 : row * nt * s->grid_columns + s->grid_column * nt + column;
    return dram_access(job, true, tile, base, buffer, bytes, error);
}

void ts_grid_values(struct ts_job *job, unsigned operand)
{
    const struct ts_job_spec *s = &job->spec;
    struct ts_matrix *matrix = &job->in[operand];
    // All tiles of a row multiply the same rows of in0, all of a column the same columns of in1.
    ts_matrix_random(matrix,
                     s->seed * 1000003 + (operand == 0 ? s->grid_row : 1000 + s->grid_column));
    if (operand == 0)
        for (size_t p = 0; p < (size_t)matrix->rows * matrix->columns; p++)
            matrix->at[p] = matrix->at[p] * s->spread + s->mean;
}

static bool fill(struct ts_job *job, unsigned operand, uint32_t shard, uint32_t base,
                 struct ts_error *error)
{
    const struct ts_matrix *matrix = &job->in[operand];
    ts_grid_values(job, operand);
    for (uint32_t row = 0; row < matrix->rows / TS_TILE; row++)
        for (uint32_t column = 0; column < matrix->columns / TS_TILE; column++)
            if (!put(job, operand, row, column, shard, base, error))
                return false;
    return true;
}

bool ts_grid_place(struct ts_job *job, struct ts_launch *launch, uint32_t *at,
                   struct ts_error *error)
{
    const struct ts_job_spec *s = &job->spec;
    uint32_t rings = s->blocks > 1 ? 2 : 1, base[3];
    dram_bases(s, base);
    struct ts_cb_config shard = {0};
    for (unsigned i = 0; i < 2; i++)
        if (!ts_job_ring(&launch->cb[i], at, ts_tile_count(&job->in[i]) / s->blocks * rings,
                         TS_TILE * TS_TILE, s->format, error))
            return false;
    if (!s->in0_dram && !ts_job_ring(&shard, at, ts_tile_count(&job->in[0]) / s->grid_columns,
                                     TS_TILE * TS_TILE, s->format, error))
        return false;
    launch->args[TS_ARG_GRID_COLUMNS] = s->grid_columns;
    launch->args[TS_ARG_GRID_ROWS] = s->grid_rows;
    launch->args[TS_ARG_GRID_COLUMN] = s->grid_column;
    launch->args[TS_ARG_GRID_ROW] = s->grid_row;
    launch->args[TS_ARG_GRID_SHARD] = shard.address;
    launch->args[TS_ARG_GRID_DRAM0] = base[0];
    launch->args[TS_ARG_GRID_DRAM1] = base[1];
    launch->args[TS_ARG_GRID_DRAM_OUT] = s->out_dram ? base[2] : 0;
    const struct ts_soc *soc = &s->chip->soc;
    uint32_t where[TS_NOC_COUNT][TS_DRAM_CHANNELS];
    for (uint32_t channel = 0; channel < TS_DRAM_CHANNELS; channel++)
        for (uint32_t noc = 0; noc < TS_NOC_COUNT; noc++) {
            struct ts_noc_xy xy = ts_soc_logical(soc, ts_soc_worker_endpoint(soc, channel, noc));
            where[noc][channel] = xy.x | (uint32_t)xy.y << 6;
        }
    ts_l1_write(&job->tile->l1, TS_L1_DRAM, where, sizeof where, 0);
    if (s->timing_only)
        return true;
    return fill(job, 0, shard.address, base[0], error) && fill(job, 1, 0, base[1], error);
}

bool ts_grid_result(struct ts_job *job, uint32_t i, void *bytes, struct ts_error *error)
{
    const struct ts_job_spec *s = &job->spec;
    uint32_t row, column, base[3], nt = s->n / TS_TILE;
    dram_bases(s, base);
    job->kind->result_tile(job, i, &row, &column);
    uint32_t tile = (s->grid_row * (s->m / TS_TILE) + row) * nt * s->grid_columns +
                    s->grid_column * nt + column;
    return dram_access(job, false, tile, base[2], bytes, ts_datum_tile_bytes(s->out_format), error);
}

ts_cycle ts_grid_mean(const struct ts_job_result *results, uint32_t count)
{
    ts_cycle sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += results[i].loop;
    return (sum + count / 2) / count;
}
