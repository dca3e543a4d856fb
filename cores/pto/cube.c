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

// of: what the elements are; sum: what is added, without signs for integers, which wrap.
#define MATMUL(name, of, sum, load)                                                               \
    static void name(const struct ts_slab *to, const struct ts_slab *left,                        \
                     const struct ts_slab *right, of *l, of *r)                                   \
    {                                                                                             \
        uint32_t m = to->rows, n = to->cols, k = left->cols;                                      \
        for (uint32_t i = 0; i < m; i++)                                                          \
            load(l + (size_t)i * k, left, i, 0, k);                                               \
        for (uint32_t i = 0; i < k; i++)                                                          \
            load(r + (size_t)i * n, right, i, 0, n);                                              \
        for (uint32_t i = 0; i < m; i++) {                                                        \
            sum *restrict acc = (sum *)(void *)(to->data + (size_t)i * to->stride * sizeof(sum)); \
            for (uint32_t j = 0; j < k; j++) {                                                    \
                sum factor = (sum)l[(size_t)i * k + j];                                           \
                const of *restrict row = r + (size_t)j * n;                                       \
                for (uint32_t c = 0; c < n; c++)                                                  \
                    acc[c] += factor * (sum)row[c];                                               \
            }                                                                                     \
        }                                                                                         \
    }
MATMUL(matmul_floats, float, float, ts_slab_load_floats)
MATMUL(matmul_ints, int32_t, uint32_t, ts_slab_load_ints)

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
