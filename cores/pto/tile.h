// What tile operations do to data. Pure: bytes in, bytes out, no time.
#pragma once

#include "cores/pto/number.h"

// An operand in host memory.
struct ts_slab {
    uint8_t *data;
    enum ts_dtype type;
    uint32_t rows, cols, stride; // stride in elements
    uint32_t width;              // elements of a row next to each other; 0: all (isa.h)
};

static inline uint8_t *ts_slab_at(const struct ts_slab *slab, uint32_t row, uint32_t col)
{
    return slab->data +
           ts_layout_offset(slab->width, slab->stride, row, col) * ts_dtype_bytes(slab->type);
}

// A part of a row, whatever the layout.
void ts_slab_load_floats(float *to, const struct ts_slab *from, uint32_t row, uint32_t col,
                         uint32_t count);
void ts_slab_load_ints(int32_t *to, const struct ts_slab *from, uint32_t row, uint32_t col,
                       uint32_t count);

// What a move may do on its way: the fixpipe's conversion, or a transposed load.
struct ts_move {
    bool transpose, relu, has_scale;
    float scale;
    const uint8_t *scales; // one factor a column, fp32; NULL: none
};

void ts_tile_move(const struct ts_slab *to, const struct ts_slab *from, const struct ts_move *how);
// to (+)= left x right (+ bias row). `scratch` holds the elements of left and right, four bytes
// each.
void ts_tile_matmul(const struct ts_slab *to, const struct ts_slab *left,
                    const struct ts_slab *right, const struct ts_slab *bias, bool accumulate,
                    uint8_t *scratch);
// The vector set, by operation; b, c and scalar where the operation has them.
void ts_tile_vector(enum ts_op op, const struct ts_slab *to, const struct ts_slab *a,
                    const struct ts_slab *b, const struct ts_slab *c, float scalar);
