// Moves and the vector set: what they do to data.
//
// Source: PTO ISA pages of the operations.
// Inaccuracies: tiles are row after row unless declared nz or dn; the layouts of L0A and L0B (zZ, nZ)
// change addresses inside a tile only and are not modelled. Row sums add from left to right, in fp32.
#include "cores/pto/tile.h"

enum { CHUNK = 256 };

// --- rows ---

// Runs of elements that lie next to each other.
static uint32_t run_of(const struct ts_slab *slab, uint32_t col, uint32_t left)
{
    uint32_t run = slab->width ? slab->width - col % slab->width : left;
    return run < left ? run : left;
}

#define EACH_RUN(slab, row, col, count, done, run) \
    for (uint32_t done = 0, run = 0;               \
         done < (count) && (run = run_of(slab, (col) + done, (count)-done)) > 0; done += run)

void ts_slab_load_floats(float *to, const struct ts_slab *from, uint32_t row, uint32_t col,
                         uint32_t count)
{
    EACH_RUN(from, row, col, count, done, run)
    ts_load_floats(to + done, ts_slab_at(from, row, col + done), from->type, run);
}

static void store_floats(const struct ts_slab *to, uint32_t row, uint32_t col, const float *from,
                         uint32_t count)
{
    EACH_RUN(to, row, col, count, done, run)
    ts_store_floats(ts_slab_at(to, row, col + done), to->type, from + done, run);
}

void ts_slab_load_ints(int32_t *to, const struct ts_slab *from, uint32_t row, uint32_t col,
                       uint32_t count)
{
    EACH_RUN(from, row, col, count, done, run)
    ts_load_ints(to + done, ts_slab_at(from, row, col + done), from->type, run);
}

static void store_ints(const struct ts_slab *to, uint32_t row, uint32_t col, const int32_t *from,
                       uint32_t count, bool saturate)
{
    EACH_RUN(to, row, col, count, done, run)
    ts_store_ints(ts_slab_at(to, row, col + done), to->type, from + done, run, saturate);
}

// --- moves ---

static void move_row(const struct ts_slab *to, const struct ts_slab *from,
                     const struct ts_move *how, uint32_t row)
{
    for (uint32_t col = 0; col < to->cols; col += CHUNK) {
        uint32_t count = to->cols - col < CHUNK ? to->cols - col : CHUNK;
        float values[CHUNK];
        ts_slab_load_floats(values, from, row, col, count);
        for (uint32_t i = 0; i < count && how->has_scale; i++)
            values[i] *= how->scale;
        for (uint32_t i = 0; i < count && how->scales; i++) {
            float factor;
            memcpy(&factor, how->scales + (size_t)(col + i) * sizeof factor, sizeof factor);
            values[i] *= factor;
        }
        for (uint32_t i = 0; i < count && how->relu; i++)
            values[i] = values[i] > 0 ? values[i] : 0;
        store_floats(to, row, col, values, count);
    }
}

static void move_transposed(const struct ts_slab *to, const struct ts_slab *from)
{
    size_t size = ts_dtype_bytes(to->type);
    for (uint32_t row = 0; row < to->rows; row++)
        for (uint32_t col = 0; col < to->cols; col++)
            memcpy(ts_slab_at(to, row, col), ts_slab_at(from, col, row), size);
}

void ts_tile_move(const struct ts_slab *to, const struct ts_slab *from, const struct ts_move *how)
{
    if (how->transpose) {
        move_transposed(to, from);
        return;
    }
    bool plain = to->type == from->type && !how->relu && !how->has_scale && how->scales == NULL;
    bool ints = ts_dtype_is_int(to->type) && ts_dtype_is_int(from->type);
    for (uint32_t row = 0; row < to->rows; row++) {
        if (plain && to->width == 0 && from->width == 0) {
            memmove(ts_slab_at(to, row, 0), ts_slab_at(from, row, 0),
                    (size_t)to->cols * ts_dtype_bytes(to->type));
        } else if (plain) {
            for (uint32_t col = 0; col < to->cols; col++)
                memcpy(ts_slab_at(to, row, col), ts_slab_at(from, row, col),
                       ts_dtype_bytes(to->type));
        } else if (ints && !how->relu && !how->has_scale && how->scales == NULL) {
            for (uint32_t col = 0; col < to->cols; col++) {
                int32_t value;
                ts_slab_load_ints(&value, from, row, col, 1);
                store_ints(to, row, col, &value, 1, true);
            }
        } else {
            move_row(to, from, how, row);
        }
    }
}

// --- vector operations ---

enum arithmetic {
#define TS_PIPE_ARITHMETIC(id, real, whole) id,
#include "config/tpipe.def"
};

// A loop for each operation, so that it can be vectorised.
static void float_row(enum arithmetic what, float *to, const float *with, uint32_t count)
{
    switch (what) {
#define TS_PIPE_ARITHMETIC(id, real, whole)     \
    case id:                                    \
        for (uint32_t i = 0; i < count; i++) {  \
            const float a = to[i], b = with[i]; \
            (void)b;                            \
            to[i] = real;                       \
        }                                       \
        return;
#include "config/tpipe.def"
    }
}

static int32_t int_op(enum arithmetic what, int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (what) {
#define TS_PIPE_ARITHMETIC(id, real, whole) \
    case id:                                \
        return whole;
#include "config/tpipe.def"
    }
    return a;
}

// How the second operand lies: a full tile, one value, a column or a row that is repeated.
enum spread { FULL, SCALAR, COLUMN, ROW };

static void elementwise(enum arithmetic what, enum spread spread, const struct ts_slab *to,
                        const struct ts_slab *a, const struct ts_slab *b, float scalar)
{
    bool ints = ts_dtype_is_int(to->type);
    for (uint32_t row = 0; row < to->rows; row++) {
        float one = scalar;
        int32_t one_int = (int32_t)scalar;
        if (spread == COLUMN) {
            ts_slab_load_floats(&one, b, row, 0, 1);
            one_int = (int32_t)one;
        }
        for (uint32_t col = 0; col < to->cols; col += CHUNK) {
            uint32_t count = to->cols - col < CHUNK ? to->cols - col : CHUNK;
            bool second = spread == FULL || spread == ROW;
            uint32_t from = spread == FULL ? row : 0;
            if (ints) {
                int32_t x[CHUNK], y[CHUNK];
                ts_slab_load_ints(x, a, row, col, count);
                if (second)
                    ts_slab_load_ints(y, b, from, col, count);
                for (uint32_t i = 0; i < count; i++)
                    x[i] = int_op(what, x[i], second ? y[i] : one_int);
                store_ints(to, row, col, x, count, false);
            } else {
                float x[CHUNK], y[CHUNK];
                ts_slab_load_floats(x, a, row, col, count);
                if (second)
                    ts_slab_load_floats(y, b, from, col, count);
                for (uint32_t i = 0; i < count && !second; i++)
                    y[i] = one;
                float_row(what, x, y, count);
                store_floats(to, row, col, x, count);
            }
        }
    }
}

static void reduce_rows(bool sum, const struct ts_slab *to, const struct ts_slab *a)
{
    for (uint32_t row = 0; row < a->rows; row++) {
        float result = 0;
        for (uint32_t col = 0; col < a->cols; col += CHUNK) {
            uint32_t count = a->cols - col < CHUNK ? a->cols - col : CHUNK;
            float x[CHUNK];
            ts_slab_load_floats(x, a, row, col, count);
            for (uint32_t i = 0; i < count; i++)
                result = col + i == 0 ? x[i] : sum ? result + x[i] : result > x[i] ? result : x[i];
        }
        store_floats(to, row, 0, &result, 1);
    }
}

static void sum_columns(const struct ts_slab *to, const struct ts_slab *a)
{
    for (uint32_t col = 0; col < a->cols; col++) {
        float result = 0, value;
        for (uint32_t row = 0; row < a->rows; row++) {
            ts_slab_load_floats(&value, a, row, col, 1);
            result += value;
        }
        store_floats(to, 0, col, &result, 1);
    }
}

static void choose(const struct ts_slab *to, const struct ts_slab *mask, const struct ts_slab *a,
                   const struct ts_slab *b)
{
    const size_t size = ts_dtype_bytes(to->type);
    for (uint32_t row = 0; row < to->rows; row++)
        for (uint32_t col = 0; col < to->cols; col++) {
            const bool set = *ts_slab_at(mask, row, col / 8) >> col % 8 & 1;
            memcpy(ts_slab_at(to, row, col), ts_slab_at(set ? a : b, row, col), size);
        }
}

static void fill(const struct ts_slab *to, const struct ts_slab *column, float scalar)
{
    for (uint32_t row = 0; row < to->rows; row++) {
        float value = scalar;
        if (column)
            ts_slab_load_floats(&value, column, row, 0, 1);
        for (uint32_t col = 0; col < to->cols; col++)
            store_floats(to, row, col, &value, 1);
    }
}

void ts_tile_vector(enum ts_op op, const struct ts_slab *to, const struct ts_slab *a,
                    const struct ts_slab *b, const struct ts_slab *c, float scalar)
{
    static const struct ts_move plain = {0};
    switch (op) {
#define TS_PIPE_VECTOR(id, arithmetic, spread, timing)     \
    case TS_OP_##id:                                       \
        elementwise(arithmetic, spread, to, a, b, scalar); \
        return;
#include "config/tpipe.def"
    case TS_OP_TCVT:
    case TS_OP_TMOV:
    case TS_OP_TEXTRACT:
    case TS_OP_TINSERT:
        ts_tile_move(to, a, &plain);
        return;
    case TS_OP_TSEL:
        choose(to, a, b, c);
        return;
    case TS_OP_TFILL:
        fill(to, NULL, scalar);
        return;
    case TS_OP_TROWMAX:
        reduce_rows(false, to, a);
        return;
    case TS_OP_TROWSUM:
        reduce_rows(true, to, a);
        return;
    case TS_OP_TCOLSUM:
        sum_columns(to, a);
        return;
    case TS_OP_TROWEXPAND:
        fill(to, a, 0);
        return;
    default:
        return;
    }
}
