// The Cube's arithmetic: TMATMUL and its forms.
//
//   L0A (left, M x K) --+
//   L0B (right, K x N) -+--> L0C (acc, M x N)
//   bias (1 x N) -------+
//
// Source: PTO ISA TMATMUL; the accumulator is fp32 for floats and int32 for int8.
// Inaccuracies: the order of summation is not published: ascending K here, every step rounded to
// fp32. Products of fp16 and bf16 are exact in fp32; those of fp32 are rounded before they are
// added.
#include "cores/pto/tile.h"

static void matmul_floats(const struct ts_slab *to, const struct ts_slab *left,
                          const struct ts_slab *right, float *l, float *r)
{
    uint32_t m = to->rows, n = to->cols, k = left->cols;
    for (uint32_t i = 0; i < m; i++)
        ts_slab_load_floats(l + (size_t)i * k, left, i, 0, k);
    for (uint32_t i = 0; i < k; i++)
        ts_slab_load_floats(r + (size_t)i * n, right, i, 0, n);
    for (uint32_t i = 0; i < m; i++) {
        float *restrict acc = (float *)(void *)(to->data + (size_t)i * to->stride * sizeof(float));
        for (uint32_t j = 0; j < k; j++) {
            float factor = l[(size_t)i * k + j];
            const float *restrict row = r + (size_t)j * n;
            for (uint32_t c = 0; c < n; c++)
                acc[c] += factor * row[c];
        }
    }
}

static void matmul_ints(const struct ts_slab *to, const struct ts_slab *left,
                        const struct ts_slab *right, int32_t *l, int32_t *r)
{
    uint32_t m = to->rows, n = to->cols, k = left->cols;
    for (uint32_t i = 0; i < m; i++)
        ts_slab_load_ints(l + (size_t)i * k, left, i, 0, k);
    for (uint32_t i = 0; i < k; i++)
        ts_slab_load_ints(r + (size_t)i * n, right, i, 0, n);
    for (uint32_t i = 0; i < m; i++) {
        uint32_t *restrict acc = (uint32_t *)(void *)(to->data +
                                                      (size_t)i * to->stride * sizeof(int32_t));
        for (uint32_t j = 0; j < k; j++) {
            uint32_t factor = (uint32_t)l[(size_t)i * k + j];
            const int32_t *restrict row = r + (size_t)j * n;
            for (uint32_t c = 0; c < n; c++)
                acc[c] += factor * (uint32_t)row[c];
        }
    }
}

void ts_tile_matmul(const struct ts_slab *to, const struct ts_slab *left,
                    const struct ts_slab *right, const struct ts_slab *bias, bool accumulate,
                    uint8_t *scratch)
{
    for (uint32_t i = 0; i < to->rows && !accumulate; i++) {
        uint8_t *row = to->data + (size_t)i * to->stride * 4;
        if (bias == NULL)
            memset(row, 0, (size_t)to->cols * 4);
        else if (ts_dtype_is_int(to->type))
            ts_load_ints((int32_t *)(void *)row, bias->data, bias->type, to->cols);
        else
            ts_load_floats((float *)(void *)row, bias->data, bias->type, to->cols);
    }
    uint8_t *second = scratch + (size_t)to->rows * left->cols * 4;
    if (ts_dtype_is_int(to->type))
        matmul_ints(to, left, right, (int32_t *)(void *)scratch, (int32_t *)(void *)second);
    else
        matmul_floats(to, left, right, (float *)(void *)scratch, (float *)(void *)second);
}
