// Chooses the vector code of the matrix unit on x86-64: see dispatch.h.
#include "units/matrix/mul.h"

#ifdef __x86_64__

#define CHOOSE(result, name, parameters, arguments)                          \
    result name##_base parameters;                                           \
    result name##_avx2 parameters;                                           \
    result name parameters                                                   \
    {                                                                        \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            return name##_avx2 arguments;                                    \
        return name##_base arguments;                                        \
    }

CHOOSE(void, ts_mul_near16,
       (const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows),
       (dst, op, rows))
CHOOSE(void, ts_mul_near32,
       (const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows),
       (dst, op, rows))
CHOOSE(void, ts_mul_fp16,
       (const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows),
       (dst, op, rows))
CHOOSE(void, ts_mul_pair,
       (struct ts_src_pair * pair, const struct ts_src_bank *a, const struct ts_src_bank *b,
        unsigned a0, unsigned b0),
       (pair, a, b, a0, b0))
CHOOSE(void, ts_mul_fast,
       (const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
        const struct ts_matrix_mode *mode, unsigned rows),
       (dst, op, mode, rows))
CHOOSE(void, ts_split_block,
       (struct ts_src_bank * bank, bool is_a, unsigned block, unsigned slice, enum ts_style style),
       (bank, is_a, block, slice, style))
CHOOSE(void, ts_split_exponents, (struct ts_src_bank * bank, unsigned block), (bank, block))
CHOOSE(struct ts_refusal, ts_elementwise,
       (struct ts_dst * dst, struct ts_srcs *srcs, const struct ts_matrix_mode *mode,
        const struct ts_elw *elw, unsigned row_a, unsigned row_b, unsigned row_d),
       (dst, srcs, mode, elw, row_a, row_b, row_d))

#else
typedef int not_x86; // a source file is not empty
#endif
