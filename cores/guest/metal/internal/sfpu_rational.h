// Functions of one vector as quotients of two polynomials: erf, erfc, digamma. Registers as in sfpu_math.h.
//
// Source: what tt-metal's functions of these names do (hw/ckernels/blackhole/metal/llk_api/llk_sfpu, August 2026): ranges, degrees and
// coefficients. Numerator and denominator are computed in turn, so that neither waits for its own product; one
// reciprocal ends them.
#pragma once
#include "internal/sfpu_math.h"

#if defined(TRISC_MATH) || defined(TRISC_PACK)

namespace ckernel::vec {

// n and d by Horner's rule, in turn; coefficients in pairs, the highest first. Uses t, u.
ALWI void horner(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t) {}
template <typename... C>
ALWI void horner(uint32_t n, uint32_t d, uint32_t x, uint32_t t, uint32_t u, float of_n, float of_d,
                 C... rest)
{
    number(t, of_n);
    number(u, of_d);
    mad(n, n, x, t);
    mad(d, d, x, u);
    horner(n, d, x, t, u, rest...);
}

// Odd over even, so that it is right to all bits near zero. Uses 1 to 6, keeps 7.
ALWI void error_function()
{
    number(1, 10.0f);
    minimum(0, 1);
    number(1, -10.0f);
    maximum(0, 1);
    mul(6, 0, 0);
    if constexpr (wide) {
        number(4, -2.8632063387e-10f);
        number(5, -6.7350725691e-12f);
        number(2, -3.5153888689e-09f);
        mad(5, 5, 6, 2);
        horner(4, 5, 6, 1, 2, 2.7384647439e-08f, 1.3156344494e-06f, 1.7678321456e-05f,
               1.3179056987e-04f, 6.1307044234e-04f, 1.9545555115e-03f, 5.6230435148e-03f,
               1.9642570987e-02f, 6.2133435160e-02f, 1.2961706519e-01f, 2.1477432549e-01f,
               5.2367275953e-01f, 1.1283791065e+00f, 1.0f);
    } else {
        number(4, 7.4481184425e-04f);
        number(5, 2.4813862145e-05f);
        number(2, 8.2844606784e-03f);
        mad(5, 5, 6, 2);
        horner(4, 5, 6, 1, 2, 4.5400281738e-02f, 1.3675764810e-01f, 2.7609212279e-01f,
               5.7439188334e-01f, 1.1280932447e+00f, 1.0f);
    }
    mul(4, 4, 0);
    reciprocal(5, 1, 2);
    mul(0, 4, 5);
    number(1, -1.0f); // SFPSWAP does not wait for a product
    minimum(0, ONE);
    maximum(0, 1);
}

// Numerator and denominator for x = 2.5 to 5, in register 6; to 4 and 5.
ALWI void far_complement()
{
    number(4, -4.7387182178e-08f);
    number(5, -2.1375391632e-02f);
    number(2, 1.2677097321e-01f);
    mad(5, 5, 6, 2);
    horner(4, 5, 6, 1, 2, 9.1439767402e-07f, -1.3888636231e-01f, -6.6162156145e-06f,
           -2.0572184026e-01f, 2.1275576728e-05f, -1.6457208991e-01f, -2.5655237550e-05f, 1.0f);
}
// For |x| at most 5, in two parts; erfc(-x) = 2 - erfc(x). With a 16-bit Dst the hardware's 1 / x is not refined, and from 5 on it stays at 1.5e-12. With
// 32 bits it is 0 there, and the first part is 1 - erf x: the vendor's is right to 2e-5 only. Uses all.
ALWI void complementary_error_function()
{
    mov(7, 0);
    if constexpr (wide) {
        error_function();
        sub(3, ONE, 0);
    }
    abs(6, 7);
    number(1, 5.0f);
    minimum(6, 1);
    if constexpr (wide) {
        far_complement();
        reciprocal(5, 1, 2);
    } else {
        number(4, 1.3746744953e-02f);
        number(5, 2.8375532478e-02f);
        number(2, 2.5104774162e-02f);
        mad(5, 5, 6, 2);
        horner(4, 5, 6, 1, 2, -1.5691982210e-01f, -3.4568668343e-03f, 6.8185544014e-01f,
               4.3667086959e-01f, -1.3375675678e+00f, -2.0801517367e-01f, 1.0000233650e+00f, 1.0f);
        push();
        number(1, -2.5f);
        add(1, 6, 1);
        when_not_negative(1);
        far_complement();
        pop();
#ifdef TT_OP_SFPARECIP
        TT_SFPARECIP(0, 5, 5, 0);
#else
        reciprocal(5, 1, 2);
#endif
    }
    mul(0, 4, 5);
    if constexpr (wide) {
        number(1, 2.5f);
        when_not_greater(7, 1, 2);
        mov(0, 3);
        end();
        number(1, 5.0f);
        when_greater(7, 1, 2);
        mov(0, ZERO);
        end();
    } else {
        push();
        when_negative(7);
        number(1, 2.0f);
        sub(0, 1, 0);
        pop();
    }
}

// 1 - (a1 t + ... + a5 t^5) e^(-x^2), t = 1 / (1 + p |x|) (Abramowitz and Stegun, 7.1.26): as many cycles as the vendor's GELU for a 16-bit Dst
// takes. Keeps 7.
ALWI void error_function_short()
{
    mov(6, 0);
    abs(5, 0);
    number(1, 0.3275911f);
    mad(5, 5, 1, ONE);
    reciprocal(5, 2, 3);
    mul(0, 0, 0);
    neg(0, 0);
    number(1, -87.0f);
    clamp_below(0, 1);
    exponential(0);
    polynomial(3, 5, 4, 1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f);
    mul(3, 3, 5);
    nmad(0, 3, 0, ONE);
    with_sign(6, 0);
    mov(0, 6);
}
ALWI void gelu() // x (1 + erf(x / sqrt 2)) / 2
{
    mov(7, 0);
    times(0, 0.70710678f, 1);
    if constexpr (wide)
        error_function();
    else
        error_function_short();
    add(0, 0, ONE);
    mul(0, 0, 7);
    times(0, 0.5f, 1);
}

// From 0.01 to 102; above, log x - 1 / 2x - 1 / 12x^2 + 1 / 120x^4.
ALWI void digamma_function()
{
    mov(7, 0);
    if constexpr (wide) {
        number(4, 3.3629592167e-12f);
        number(1, 2.3348954770e-08f);
        mad(4, 4, 7, 1);
        number(5, 3.3732798776e-09f);
        horner(4, 5, 7, 1, 2, 6.4513715188e-06f, 1.2610012732e-06f, 4.5299832709e-04f,
               1.1463041301e-04f, 1.1159370653e-02f, 3.7117889151e-03f, 1.0760356486e-01f,
               4.9985647202e-02f, 3.9686101675e-01f, 3.0081826448e-01f, 3.5418295860e-01f,
               8.2736301422e-01f, -7.0374596119e-01f, 1.0f, -1.2459139824e+00f, 4.2596703768e-01f,
               -4.2596286535e-01f, -6.3762914866e-08f);
        number(1, 51.005f);
        when_greater(7, 1, 2);
        number(4, 3.8530168912e-14f);
        number(1, 2.2963254970e-09f);
        mad(4, 4, 7, 1);
        number(5, 2.5925175628e-10f);
        horner(4, 5, 7, 1, 2, 4.9248967852e-06f, 6.9240316615e-07f, 2.8495312547e-03f,
               4.7490052009e-04f, 6.1410588531e-01f, 1.2061770104e-01f, 5.4774037756e+01f,
               1.2890647910e+01f, 2.0102400217e+03f, 5.9383811201e+02f, 2.6230285816e+04f,
               1.1013851737e+04f, 5.5189096727e+04f, 6.3677231206e+04f, -2.7915017828e+05f, 1.0f,
               1.3856337913e+05f, -1.6724299601e+05f);
        end();
    } else {
        number(4, 8.7151519954e-02f);
        number(1, 2.4847094727e+02f);
        mad(4, 4, 7, 1);
        number(5, 4.1351390839e+01f);
        horner(4, 5, 7, 1, 2, 1.9496867188e+04f, 5.1246479492e+03f, 2.1398454688e+05f,
               9.9775718750e+04f, 2.1532992188e+05f, 4.0892268750e+05f, -6.0287050000e+05f,
               3.3760150000e+05f, -3.3767190625e+05f, 1.0f);
    }
    reciprocal<true>(5, 1, 2);
    mul(6, 4, 5);
    push();
    number(1, 102.0f);
    when_greater(7, 1, 2);
    mov(5, 7);
    reciprocal<true>(5, 1, 2);
    mul(4, 5, 5);
    logarithm_parts(0, 7, 2, 1);
    number(2, 0.692871f);
    mad(0, 1, 2, 0);
    number(1, -1.0f / 120);
    number(2, 1.0f / 12);
    mad(1, 4, 1, 2);
    number(2, 0.5f);
    nmad(0, 5, 2, 0);
    nmad(6, 4, 1, 0);
    number(1, INFINITE);
    bit_xor(1, 7);
    when_zero(1);
    mov(6, 7);
    pop();
    mov(0, 6);
}

} // namespace ckernel::vec

#endif
