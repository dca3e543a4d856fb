// The built-in kernels: shapes, arguments, order of tiles in L1, host references.
//
// References are computed in double precision from the operands as rounded to their format, so they
// show the error of the kernel alone.
#include "platform/run/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool matrices(struct ts_job *job, const uint32_t (*sizes)[2], unsigned operands,
                     uint32_t rows, uint32_t columns, char *text, size_t size)
{
    // Without arithmetic there are shapes, but no values.
    bool (*init)(struct ts_matrix *, uint32_t, uint32_t) = job->spec.timing_only ? ts_matrix_shape
                                                                                 : ts_matrix_init;
    bool good = init(&job->out, rows, columns) && init(&job->want, rows, columns);
    for (unsigned i = 0; i < operands; i++)
        good = good && init(&job->in[i], sizes[i][0], sizes[i][1]);
    if (!good && size)
        *text = '\0'; // no memory
    return good;
}

static void row_major(const struct ts_matrix *matrix, uint32_t i, uint32_t *row, uint32_t *column)
{
    *row = i / (matrix->columns / ts_tile_columns(matrix));
    *column = i % (matrix->columns / ts_tile_columns(matrix));
}

static void operand_in_order(const struct ts_job *job, unsigned operand, uint32_t i, uint32_t *row,
                             uint32_t *column)
{
    row_major(&job->in[operand], i, row, column);
}

static void result_in_order(const struct ts_job *job, uint32_t i, uint32_t *row, uint32_t *column)
{
    row_major(&job->out, i, row, column);
}

// --- matmul
// -------------------------------------------------------------------------------------------------------

// Largest sub-block that half of Dst holds: one row of tiles, as wide as divides the output.
static void choose_sub_block(struct ts_job_spec *spec)
{
    uint32_t room = spec->dst32 ? 4 : 8, nt = spec->n / spec->tile_w, mt = spec->m / spec->tile_h;
    if (spec->sub_w == 0)
        for (spec->sub_w = nt < room ? nt : room; nt % spec->sub_w != 0;)
            spec->sub_w--;
    if (spec->sub_h == 0) {
        spec->sub_h = 1;
        // A narrow output gets a taller sub-block.
        while (spec->sub_w < 3 && spec->sub_w * spec->sub_h * 2 <= room &&
               mt % (spec->sub_h * 2) == 0)
            spec->sub_h *= 2;
    }
}

static bool matmul_shape(struct ts_job *job, char *text, size_t size)
{
    struct ts_job_spec *s = &job->spec;
    choose_sub_block(s);
    uint32_t mt = s->m / s->tile_h, nt = s->n / s->tile_w, kt = s->k / TS_TILE;
    if (s->sub_h == 0 || mt % s->sub_h != 0 || s->sub_w == 0 || nt % s->sub_w != 0 ||
        s->sub_h * s->sub_w > (s->dst32 ? 4u : 8u)) {
        snprintf(
            text, size,
            "sub-block %ux%u: must divide the output (%ux%u tiles) and fit half of Dst (%u tiles)",
            s->sub_h, s->sub_w, mt, nt, s->dst32 ? 4 : 8);
        return false;
    }
    if (s->blocks == 0 || kt % s->blocks != 0) {
        snprintf(text, size, "%u blocks do not divide the inner dimension of %u tiles", s->blocks,
                 kt);
        return false;
    }
    uint32_t rows = s->transposed ? s->n : s->k, columns = s->transposed ? s->k : s->n;
    return ts_blocks_fit(s, text, size) &&
           matrices(job, (const uint32_t[][2]){{s->m, s->k}, {rows, columns}}, 2, s->m, s->n, text,
                    size);
}

static void matmul_arguments(const struct ts_job *job, uint32_t *args)
{
    const struct ts_job_spec *s = &job->spec;
    args[TS_ARG_MT] = s->m / s->tile_h;
    args[TS_ARG_NT] = s->n / s->tile_w;
    args[TS_ARG_KT] = s->k / TS_TILE;
    args[TS_ARG_SUB_H] = s->sub_h;
    args[TS_ARG_SUB_W] = s->sub_w;
    args[TS_ARG_BLOCKS] = s->blocks;
}

// Sums of products that the host's registers hold: a few rows of some pairs of columns. A sum is
// made in the order of the inner dimension.
typedef double pair __attribute__((vector_size(16)));
enum { SUM_ROWS = 4, SUM_PAIRS = 4 };

static void sum_products(const double *a, uint32_t k, const double *b, uint32_t n, double *to)
{
    pair sums[SUM_ROWS][SUM_PAIRS] = {{{0}}};
    for (uint32_t p = 0; p < k; p++) {
        pair columns[SUM_PAIRS];
        memcpy(columns, b + (size_t)p * n, sizeof columns);
        for (uint32_t y = 0; y < SUM_ROWS; y++)
            for (uint32_t x = 0; x < SUM_PAIRS; x++)
                sums[y][x] += a[(size_t)y * k + p] * columns[x];
    }
    for (uint32_t y = 0; y < SUM_ROWS; y++)
        memcpy(to + (size_t)y * n, sums[y], sizeof sums[y]);
}

static void transpose(const struct ts_matrix *from, double *to)
{
    for (uint32_t y = 0; y < from->rows; y++)
        for (uint32_t x = 0; x < from->columns; x++)
            to[(size_t)x * from->rows + y] = from->at[(size_t)y * from->columns + x];
}

static void matmul_reference(struct ts_job *job)
{
    uint32_t n = job->spec.n, k = job->spec.k;
    if (job->spec.transposed) { // as the products want it
        struct ts_matrix straight;
        if (!ts_matrix_init(&straight, k, n))
            return;
        transpose(&job->in[1], straight.at);
        ts_matrix_free(&job->in[1]);
        job->in[1] = straight;
    }
    for (uint32_t i = 0; i < job->spec.m; i += SUM_ROWS)
        for (uint32_t j = 0; j < n; j += 2 * SUM_PAIRS)
            sum_products(&job->in[0].at[(size_t)i * k], k, &job->in[1].at[j], n,
                         &job->want.at[(size_t)i * n + j]);
}

// One block of the inner dimension after the other.
static void matmul_operand(const struct ts_job *job, unsigned operand, uint32_t i, uint32_t *row,
                           uint32_t *column)
{
    uint32_t kt = job->spec.k / TS_TILE / job->spec.blocks, mt = job->spec.m / job->spec.tile_h;
    if (operand == 1) {
        uint32_t nt = job->spec.n / job->spec.tile_w;
        *row = job->spec.transposed ? i % nt : i / nt;
        *column = job->spec.transposed ? i / nt : i % nt;
        return;
    }
    uint32_t block = i / (mt * kt), rest = i % (mt * kt);
    *row = rest / kt;
    *column = block * kt + rest % kt;
}

static void matmul_result(const struct ts_job *job, uint32_t i, uint32_t *row, uint32_t *column)
{
    const struct ts_job_spec *s = &job->spec;
    uint32_t each = s->sub_h * s->sub_w, across = s->n / s->tile_w / s->sub_w;
    uint32_t block = i / each, rest = i % each;
    *row = block / across * s->sub_h + rest / s->sub_w;
    *column = block % across * s->sub_w + rest % s->sub_w;
}

static uint64_t matmul_work(const struct ts_job *job)
{
    const struct ts_job_spec *s = &job->spec;
    return (uint64_t)(s->m / s->tile_h) * (s->n / s->tile_w) * (s->k / TS_TILE);
}

static uint64_t matmul_flops(const struct ts_job *job)
{
    return 2 * (uint64_t)job->spec.m * job->spec.n * job->spec.k;
}

// The kernel of the user's document: one output tile at a time, operands in the order of use.
static bool tiles_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    return matrices(job, (const uint32_t[][2]){{s->m, s->k}, {s->k, s->n}}, 2, s->m, s->n, text,
                    size);
}

static void tiles_arguments(const struct ts_job *job, uint32_t *args)
{
    // This kernel has no passes: it makes as many tiles as all passes together.
    args[TS_ARG_TILES] = job->spec.m / TS_TILE * (job->spec.n / TS_TILE) * job->spec.repeat;
    args[TS_ARG_OP] = job->spec.k / TS_TILE;
}

static void tiles_operand(const struct ts_job *job, unsigned operand, uint32_t i, uint32_t *row,
                          uint32_t *column)
{
    uint32_t kt = job->spec.k / TS_TILE, nt = job->spec.n / TS_TILE, to = i / kt, k = i % kt;
    *row = operand == 0 ? to / nt : k;
    *column = operand == 0 ? k : to % nt;
}

// --- tile by tile
// -------------------------------------------------------------------------------------------------

static uint64_t tile_work(const struct ts_job *job)
{
    return (uint64_t)(job->spec.m / job->spec.tile_h) * (job->spec.n / job->spec.tile_w);
}

static void tile_arguments(const struct ts_job *job, uint32_t *args)
{
    static const char *const broadcasts[] = {"none", "col", "row", "scalar"};
    args[TS_ARG_TILES] = (uint32_t)tile_work(job);
    int op = job->kind->ops ? ts_job_op_index(job->kind, job->spec.op) : 0;
    args[TS_ARG_OP] = op < 0 ? 0 : (uint32_t)op;
    for (uint32_t i = 0; i < 4; i++)
        if (job->spec.broadcast && strcmp(job->spec.broadcast, broadcasts[i]) == 0)
            args[TS_ARG_BROADCAST] = i;
}

static const char *const eltwise_ops[] = {"add", "sub", "mul", NULL};

// A second operand that is broadcast is one row of tiles, one column of them, or a single tile.
static bool eltwise_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    const char *broadcast = s->broadcast ? s->broadcast : "none";
    bool row = strcmp(broadcast, "row") == 0, column = strcmp(broadcast, "col") == 0;
    bool scalar = strcmp(broadcast, "scalar") == 0;
    if (!row && !column && !scalar && strcmp(broadcast, "none") != 0) {
        snprintf(text, size, "--broadcast: '%s' is not none, row, col or scalar", broadcast);
        return false;
    }
    return matrices(
        job,
        (const uint32_t[][2]){
            {s->m, s->n}, {row || scalar ? s->tile_h : s->m, column || scalar ? s->tile_w : s->n}},
        2, s->m, s->n, text, size);
}

static void eltwise_arguments(const struct ts_job *job, uint32_t *args)
{
    tile_arguments(job, args);
    args[TS_ARG_ACROSS] = job->spec.n / job->spec.tile_w;
}

static void eltwise_reference(struct ts_job *job)
{
    const struct ts_matrix *second = &job->in[1];
    const char *broadcast = job->spec.broadcast ? job->spec.broadcast : "none";
    bool row = strcmp(broadcast, "row") == 0, column = strcmp(broadcast, "col") == 0;
    bool scalar = strcmp(broadcast, "scalar") == 0;
    uint32_t n = job->spec.n;
    for (uint32_t y = 0; y < job->spec.m; y++)
        for (uint32_t x = 0; x < n; x++) {
            // The first row of a row of tiles, the first column of a column of them.
            uint32_t by = row || scalar ? 0 : y, bx = column || scalar ? 0 : x;
            double a = job->in[0].at[(size_t)y * n + x];
            double b = second->at[(size_t)by * second->columns + bx];
            job->want.at[(size_t)y * n + x] = job->spec.op[0] == 'a'   ? a + b
                                              : job->spec.op[0] == 's' ? a - b
                                                                       : a * b;
        }
}

static const char *const sfpu_ops[] = {"copy",    "relu", "exp", "reciprocal",
                                       "sigmoid", "gelu", NULL};

static bool unary_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    if (!ts_copy_fits(s, text, size))
        return false;
    return matrices(job, (const uint32_t[][2]){{s->m, s->n}}, 1, s->m, s->n, text, size);
}

static double activation(const char *op, double x)
{
    if (strcmp(op, "relu") == 0)
        return x > 0 ? x : 0;
    if (strcmp(op, "exp") == 0)
        return exp(x);
    if (strcmp(op, "reciprocal") == 0)
        return 1 / x;
    if (strcmp(op, "sigmoid") == 0)
        return 1 / (1 + exp(-x));
    if (strcmp(op, "gelu") == 0)
        return 0.5 * x * (1 + erf(x * 0.70710678118654752));
    return x;
}

static void sfpu_reference(struct ts_job *job)
{
    for (size_t i = 0; i < (size_t)job->spec.m * job->spec.n; i++)
        job->want.at[i] = activation(job->spec.op, job->in[0].at[i]);
}

static const char *const reduce_ops[] = {"sum", "max", NULL};

// Every tile is reduced separately, down its columns: the result is in its first row, the rest is
// zero.
static bool reduce_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    // GMPOOL writes the exponents as they are, with the bias of 5 bits (tt-isa-documentation, GMPOOL).
    if (s->dst32 && strcmp(s->op, "max") == 0 && ts_job_partial_format(s) == TS_DF_FP16) {
        snprintf(text, size,
                 "the maximum of %s in a 32-bit Dst comes out with wrong exponents on this "
                 "hardware: --dst 16, which loses nothing",
                 ts_datum_name(s->format));
        return false;
    }
    return matrices(job, (const uint32_t[][2]){{s->m, s->n}, {s->tile_h, s->tile_w}}, 2, s->m, s->n,
                    text, size);
}

static void reduce_reference(struct ts_job *job)
{
    uint32_t n = job->spec.n;
    bool max = strcmp(job->spec.op, "max") == 0;
    for (uint32_t y = 0; y < job->spec.m; y += job->spec.tile_h)
        for (uint32_t x = 0; x < n; x++) {
            double result = job->in[0].at[(size_t)y * n + x];
            for (uint32_t i = 1; i < job->spec.tile_h; i++) {
                double value = job->in[0].at[(size_t)(y + i) * n + x];
                result = !max ? result + value : value > result ? value : result;
            }
            job->want.at[(size_t)y * n + x] = result;
        }
}

static bool transpose_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    if (!ts_copy_fits(s, text, size))
        return false;
    return matrices(job, (const uint32_t[][2]){{s->m, s->n}}, 1, s->n, s->m, text, size);
}

static void transpose_reference(struct ts_job *job)
{
    transpose(&job->in[0], job->want.at);
}

static void transpose_result(const struct ts_job *job, uint32_t i, uint32_t *row, uint32_t *column)
{
    row_major(&job->in[0], i, column, row);
}

// Tilize and untilize: the same values in a different order.
static bool order_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    bool to_tiles = job->kind->rows_in;
    unsigned rows_format = to_tiles ? s->format : s->out_format;
    if (s->dst32 ||
        (rows_format != TS_DF_BF16 && rows_format != TS_DF_FP16 && rows_format != TS_DF_INT16)) {
        snprintf(text, size, "rows are bf16, fp16 or int16, and Dst is 16 bits wide");
        return false;
    }
    if (!to_tiles && s->n / TS_TILE > 8) {
        snprintf(text, size, "untilize takes up to 256 columns: half of Dst");
        return false;
    }
    return unary_shape(job, text, size);
}

static void order_arguments(const struct ts_job *job, uint32_t *args)
{
    tile_arguments(job, args);
    args[TS_ARG_ACROSS] = job->spec.n / TS_TILE;
}

static void order_reference(struct ts_job *job)
{
    memcpy(job->want.at, job->in[0].at, (size_t)job->spec.m * job->spec.n * sizeof(double));
}

static const char *const norm_ops[] = {"softmax", "rmsnorm", NULL};

static bool norm_shape(struct ts_job *job, char *text, size_t size)
{
    const struct ts_job_spec *s = &job->spec;
    if (s->dst32 || s->format != TS_DF_BF16 || s->out_format != TS_DF_BF16) {
        snprintf(text, size, "this kernel takes and gives bf16, with a 16-bit Dst");
        return false;
    }
    return matrices(job, (const uint32_t[][2]){{s->m, s->n}, {TS_TILE, TS_TILE}}, 2, s->m, s->n,
                    text, size);
}

static void norm_arguments(const struct ts_job *job, uint32_t *args)
{
    float scale = 1.0f / (float)job->spec.n;
    order_arguments(job, args);
    memcpy(&args[TS_ARG_SCALE], &scale, sizeof scale);
}

static void norm_reference(struct ts_job *job)
{
    uint32_t n = job->spec.n;
    bool softmax = strcmp(job->spec.op, "softmax") == 0;
    for (uint32_t y = 0; y < job->spec.m; y++) {
        const double *x = &job->in[0].at[(size_t)y * n];
        double sum = 0, largest = x[0];
        for (uint32_t i = 1; i < n; i++)
            largest = x[i] > largest ? x[i] : largest;
        for (uint32_t i = 0; i < n; i++)
            sum += softmax ? exp(x[i] - largest) : x[i] * x[i];
        for (uint32_t i = 0; i < n; i++)
            job->want.at[(size_t)y * n + i] = softmax ? exp(x[i] - largest) / sum
                                                      : x[i] / sqrt(sum / n + 1e-5);
    }
}

// Exponentials or squares of a row of tiles, and the rows' factors; softmax: the rows' maxima, in
// two forms.
static uint32_t norm_middle(const struct ts_job *job, unsigned i)
{
    bool softmax = strcmp(job->spec.op, "softmax") == 0;
    return i == 0 ? job->spec.n / TS_TILE : i < (softmax ? 4 : 2) ? 1 : 0;
}

#define FLOATS "fp32 tf32 fp16 bf16 fp8 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a"
#define NARROW "fp32 fp16 bf16 fp8 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a" // that a 16-bit Dst takes
#define ROWS   "bf16 fp16 int16"

const struct ts_job_kind ts_job_kinds[] = {
    {"matmul", "blocked matrix multiplication", "product", NULL, "reader_l1", "writer_l1",
     matmul_shape, matmul_arguments, matmul_reference, matmul_operand, matmul_result, matmul_work,
     matmul_flops, NULL, false, false, FLOATS " int8", FLOATS " int32 int8"},
    {"matmul_seed", "matrix multiplication tile by tile, each step spelt out", "product", NULL,
     "reader_l1", "writer_l1", tiles_shape, tiles_arguments, matmul_reference, tiles_operand,
     result_in_order, matmul_work, matmul_flops, NULL, false, false, FLOATS, FLOATS},
    {"matmul_tiles", "matrix multiplication tile by tile", "product", NULL, "reader_l1",
     "writer_l1", tiles_shape, tiles_arguments, matmul_reference, tiles_operand, result_in_order,
     matmul_work, matmul_flops, NULL, false, false, FLOATS, FLOATS},
    {"eltwise", "element-wise sum, difference or product, with broadcasts", "tile", eltwise_ops,
     "reader_l1", "writer_l1", eltwise_shape, eltwise_arguments, eltwise_reference,
     operand_in_order, result_in_order, tile_work, NULL, NULL, false, false, FLOATS " int8",
     FLOATS " int32 int8"},
    {"sfpu", "a function of every element, by the vector unit", "tile", sfpu_ops, "reader_l1",
     "writer_l1", unary_shape, tile_arguments, sfpu_reference, operand_in_order, result_in_order,
     tile_work, NULL, NULL, false, false, FLOATS " int16 int32", FLOATS " int16 int32"},
    {"reduce", "sum or maximum of the columns of every tile", "tile", reduce_ops, "reader_l1",
     "writer_l1", reduce_shape, tile_arguments, reduce_reference, operand_in_order, result_in_order,
     tile_work, NULL, NULL, false, false, FLOATS " int8", FLOATS " int32 int8"},
    {"transpose", "transpose every tile, and their order", "tile", NULL, "reader_l1", "writer_l1",
     transpose_shape, tile_arguments, transpose_reference, operand_in_order, transpose_result,
     tile_work, NULL, NULL, false, false, FLOATS " int8 int16", FLOATS " int32 int8 int16"},
    {"tilize", "rows of a matrix to tiles", "tile", NULL, "reader_l1", "writer_l1", order_shape,
     order_arguments, order_reference, operand_in_order, result_in_order, tile_work, NULL, NULL,
     true, false, ROWS, FLOATS " int16"},
    {"untilize", "tiles to rows of a matrix", "tile", NULL, "reader_l1", "writer_l1", order_shape,
     order_arguments, order_reference, operand_in_order, result_in_order, tile_work, NULL, NULL,
     false, true, NARROW " int16", ROWS},
    {"norm", "softmax or RMSNorm of every row", "tile", norm_ops, "reader_l1", "writer_l1",
     norm_shape, norm_arguments, norm_reference, operand_in_order, result_in_order, tile_work, NULL,
     norm_middle, false, false, "bf16", "bf16"},
    {0},
};

const struct ts_job_kind *ts_job_kind_find(const char *name)
{
    for (const struct ts_job_kind *kind = ts_job_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

int ts_job_op_index(const struct ts_job_kind *kind, const char *op)
{
    for (int i = 0; kind->ops && op && kind->ops[i]; i++)
        if (strcmp(kind->ops[i], op) == 0)
            return i;
    return -1;
}
