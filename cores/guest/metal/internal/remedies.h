// Counter-measures that a run asks for (config/remedies.def), in the kernel API: nothing without them.
#pragma once

#ifdef TS_REMEDIES
// A string outside of memory: tensim finds it in the image of a kernel that can follow the counter-measure.
#define TS_REMEDY_MARK(name)                                          \
    __asm__ volatile(".pushsection .tensim.remedies,\"\",@progbits\n" \
                     ".string \"tensim remedy " name "\"\n"           \
                     ".popsection")
#else
#define TS_REMEDY_MARK(name)
#endif

#if defined(TRISC_MATH) && (defined(TS_NOPS_AFTER) || defined(TS_NOPS_BEFORE))
namespace ts_remedy {
// No-operations on the math thread, 32 at a time.
template <uint32_t Count> inline void nops()
{
    for (uint32_t i = 0; i < Count / 32; i++) {
#pragma GCC unroll 32
        for (uint32_t k = 0; k < 32; k++)
            TTI_NOP;
    }
#pragma GCC unroll 32
    for (uint32_t k = 0; k < Count % 32; k++)
        TTI_NOP;
}
} // namespace ts_remedy
#endif

// After a product: 16 MVMULs for each phase.
#if defined(TS_NOPS_AFTER) && defined(TRISC_MATH)
namespace ts_remedy {
inline uint32_t mvmuls;
inline void after_product()
{
    TS_REMEDY_MARK("nops_after");
    mvmuls += 16 * (TS_MATH_FIDELITY ? TS_MATH_FIDELITY : 1);
    if (mvmuls >= TS_NOPS_EACH) {
        mvmuls -= TS_NOPS_EACH;
        nops<TS_NOPS_AFTER>();
    }
}
} // namespace ts_remedy
#define TS_AFTER_PRODUCT() ts_remedy::after_product()
#endif

#if defined(TS_NOPS_BEFORE) && defined(TRISC_MATH)
#define TS_BEFORE_BLOCK()                  \
    do {                                   \
        TS_REMEDY_MARK("nops_before");     \
        ts_remedy::nops<TS_NOPS_BEFORE>(); \
    } while (0)
#else
#define TS_BEFORE_BLOCK() (void)0
#endif
