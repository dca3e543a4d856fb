// Chooses the vector code of the matrix unit: see dispatch.h.
#define TENSIM_PORTABLE_LANES // the names as callers have them
#include "units/matrix/dispatch.h"
#include "units/matrix/mul.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

bool ts_lanes_has(enum ts_lanes form)
{
    switch (form) {
#ifdef __x86_64__
    case TS_LANES_OF_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case TS_LANES_OF_AVX512:
        return ts_lanes_has(TS_LANES_OF_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    case TS_LANES_OF_SVE:
#ifdef __linux__
        return getauxval(AT_HWCAP) & HWCAP_SVE && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) >= 32;
#else
        return false;
#endif
#endif
    default:
        return form == TS_LANES_BASE;
    }
}

// The one variable of the library: what the processor has, found at the first call. It is no state of an
// instance: every form gives the same bits, and every thread finds the same.
static int lanes_in_use = -1;

void ts_lanes_use(enum ts_lanes form)
{
    __atomic_store_n(&lanes_in_use, (int)form, __ATOMIC_RELAXED);
}

static enum ts_lanes form(void)
{
    int form = __atomic_load_n(&lanes_in_use, __ATOMIC_RELAXED);
    if (__builtin_expect(form >= 0, 1))
        return (enum ts_lanes)form;
    for (form = TS_LANES_FORMS - 1; !ts_lanes_has((enum ts_lanes)form);)
        form--;
    ts_lanes_use((enum ts_lanes)form);
    return (enum ts_lanes)form;
}

// Functions of near.c have all forms; those of the others AVX2 at best.
#if defined(__x86_64__)
#define FORMS_NEAR(name) name##_base, name##_avx2, name##_avx512
#define FORMS_FAR(name)  name##_base, name##_avx2, name##_avx2
#elif defined(__aarch64__)
#define FORMS_NEAR(name) name##_base, name##_sve
#define FORMS_FAR(name)  name##_base, name##_base
#else
#define FORMS_NEAR(name) name##_base
#define FORMS_FAR(name)  name##_base
#endif
#define CHOOSE(where, result, name, parameters, arguments)       \
    typedef result name##_fn parameters;                         \
    name##_fn FORMS_##where(name);                               \
    result name parameters                                       \
    {                                                            \
        static name##_fn *const forms[] = {FORMS_##where(name)}; \
        return forms[form()] arguments;                          \
    }

#define NEAR_PARAMETERS \
    (const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows)
CHOOSE(NEAR, void, ts_mul_near16, NEAR_PARAMETERS, (dst, op, rows))
CHOOSE(NEAR, void, ts_mul_near32, NEAR_PARAMETERS, (dst, op, rows))
CHOOSE(NEAR, void, ts_mul_fp16, NEAR_PARAMETERS, (dst, op, rows))
CHOOSE(NEAR, void, ts_mul_pair,
       (struct ts_src_pair * pair, const struct ts_src_bank *a, const struct ts_src_bank *b,
        unsigned a0, unsigned b0),
       (pair, a, b, a0, b0))
CHOOSE(FAR, void, ts_split_block,
       (struct ts_src_bank * bank, bool is_a, unsigned block, unsigned slice, enum ts_style style),
       (bank, is_a, block, slice, style))
CHOOSE(FAR, void, ts_split_exponents, (struct ts_src_bank * bank, unsigned block), (bank, block))
CHOOSE(FAR, void, ts_mul_fast,
       (const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
        const struct ts_matrix_mode *mode, unsigned rows),
       (dst, op, mode, rows))
CHOOSE(FAR, struct ts_refusal, ts_elementwise,
       (struct ts_dst * dst, struct ts_srcs *srcs, const struct ts_matrix_mode *mode,
        const struct ts_elw *elw, unsigned row_a, unsigned row_b, unsigned row_d),
       (dst, srcs, mode, elw, row_a, row_b, row_d))
