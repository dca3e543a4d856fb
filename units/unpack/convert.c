// Format conversion in the unpackers: L1 to Src words and Dst cells. See unpack.h.

#include "units/files/format.h"
#include "units/lanes.h"
#include "units/unpack/unpack.h"

struct ts_refusal ts_unpack_check(const struct ts_unpack_plan *plan)
{
    unsigned in = plan->in_format, out = plan->out_format;
    bool dst = plan->target == TS_UNPACK_DST;
    if (in == TS_FMT_RES12 || in == TS_FMT_RES13)
        return ts_contract("UNPACR: input format", in);
    if (plan->zero)
        return ts_fine(); // nothing is converted
    if (in == TS_FMT_FP32) {
        if (out != TS_FMT_FP32 && out != TS_FMT_TF32 && out != TS_FMT_BF16 && out != TS_FMT_FP16)
            return ts_not_implemented("UNPACR: FP32 to output format", out);
        if (out == TS_FMT_FP32 && !dst)
            return ts_contract("UNPACR: FP32 does not fit into Src", out);
    } else if (ts_format_is_bfp(in) &&
               out == (ts_format_is_fp16_class(in) ? TS_FMT_BFP8A : TS_FMT_BFP8)) {
        return ts_fine(); // the vendor's format inference asks for it; Src has no narrower form
    } else if (in != out) {
        return ts_not_implemented("UNPACR: output format differs from input format", in << 4 | out);
    } else if ((in == TS_FMT_TF32 || in == TS_FMT_INT32) && !dst) {
        return ts_contract("UNPACR: a 32-bit format does not fit into Src", in);
    }
    return ts_fine();
}

static inline uint16_t fp16_from_fp8(const struct ts_unpack_plan *plan, uint8_t bits)
{
    if (plan->fp8_plain)
        return (uint16_t)(bits << 8);
    return ts_fp16_from_fp8(bits, plan->fp8_e4m3);
}

// BF16 or FP16 of a datum that is at most 16 bits wide.
static uint16_t narrow(const struct ts_unpack_plan *plan, uint32_t bits, uint8_t exponent)
{
    switch (plan->in_format) {
    case TS_FMT_BFP8:
        return ts_bf16_from_bfp8((uint8_t)bits, exponent);
    case TS_FMT_BFP4:
        return ts_bf16_from_bfp8((uint8_t)(bits << 4), exponent);
    case TS_FMT_BFP2:
        return ts_bf16_from_bfp8((uint8_t)(bits << 6), exponent);
    case TS_FMT_BFP8A:
        return ts_fp16_from_bfp8a((uint8_t)bits, exponent);
    case TS_FMT_BFP4A:
        return ts_fp16_from_bfp8a((uint8_t)(bits << 4), exponent);
    case TS_FMT_BFP2A:
        return ts_fp16_from_bfp8a((uint8_t)(bits << 6), exponent);
    case TS_FMT_FP8:
        return fp16_from_fp8(plan, (uint8_t)bits);
    case TS_FMT_INT8:
        return ts_fp16_from_int8((uint8_t)bits, plan->int8_unsigned);
    case TS_FMT_FP32: // FP32 to BF16 flushes denormals, keeping the sign; to FP16 it saturates
        if (plan->out_format == TS_FMT_FP16)
            return ts_fp16_from_fp32(bits);
        return (uint16_t)((bits & 0x7F800000u ? bits : bits & 0x80000000u) >> 16);
    default: // FP16, BF16
        return (uint16_t)bits;
    }
}

uint32_t ts_unpack_datum(const struct ts_unpack_plan *plan, uint32_t bits, uint8_t exponent)
{
    if (plan->zero)
        return 0;
    bool dst = plan->target == TS_UNPACK_DST;
    if (plan->in_format ==
        TS_FMT_INT16) // opaque: kept as it is in Dst, in Src placed like a BF16 cell
        return dst ? bits : ts_src_from_bf16(ts_bf16_from_cell((uint16_t)bits));
    if (plan->dst32) // FP32, TF32, INT32
        return dst ? ts_fp32_to_cell(bits) : ts_src_from_fp32(bits);
    uint16_t half = narrow(plan, bits, exponent);
    if (ts_format_is_fp16_class(plan->out_format))
        return dst ? ts_fp16_to_cell(half) : ts_src_from_fp16(half);
    return dst ? ts_bf16_to_cell(half) : ts_src_from_bf16(half);
}

// Signs and magnitudes of 16 block-format data, as sign 7 | magnitude 6:0.
static void spread(uint8_t out[16], const uint8_t *in, unsigned bits)
{
    if (bits == 8)
        memcpy(out, in, 16);
    else if (bits == 4)
        for (unsigned i = 0; i < 8; i++) {
            out[2 * i] = (uint8_t)(in[i] << 4);
            out[2 * i + 1] = in[i] & 0xF0;
        }
    else
        for (unsigned i = 0; i < 4; i++) {
            out[4 * i] = (uint8_t)(in[i] << 6);
            out[4 * i + 1] = (uint8_t)(in[i] << 4 & 0xC0);
            out[4 * i + 2] = (uint8_t)(in[i] << 2 & 0xC0);
            out[4 * i + 3] = in[i] & 0xC0;
        }
}

#if TS_LANES_NEON

// ts_bf16_from_bfp8 for 16 data, in bytes: the magnitude's leading one is shifted out, and the shared exponent is less by its
// distance. A zero is +0 or minus infinity.
TS_INLINE void bfp_row(uint32_t *out, const uint8_t *in, uint8_t exponent)
{
    uint8x16_t x = vld1q_u8(in), size = vandq_u8(x, vdupq_n_u8(0x7F)), zeros = vclzq_u8(size);
    uint8x16_t e = vsubq_u8(vdupq_n_u8((uint8_t)(exponent + 1)), zeros);
    uint8x16_t m = vshlq_u8(size, (int8x16_t)zeros), some = vtstq_u8(size, size);
    uint8x16_t sign = vcltzq_s8((int8x16_t)x), top = vdupq_n_u8(0x80);
    // sign | exponent 7:1 over exponent 0 | mantissa
    uint8x16_t hi = vbslq_u8(some, vsriq_n_u8(x, e, 1), sign);
    uint8x16_t lo = vbslq_u8(some, vbslq_u8(top, vshlq_n_u8(e, 7), m), vandq_u8(sign, top));
    uint16x8_t h0 = (uint16x8_t)vzip1q_u8(lo, hi), h1 = (uint16x8_t)vzip2q_u8(lo, hi);
    const uint16x8_t none = vdupq_n_u16(0);
    vst1q_u32(out, (uint32x4_t)vzip1q_u16(none, h0));
    vst1q_u32(out + 4, (uint32x4_t)vzip2q_u16(none, h0));
    vst1q_u32(out + 8, (uint32x4_t)vzip1q_u16(none, h1));
    vst1q_u32(out + 12, (uint32x4_t)vzip2q_u16(none, h1));
}

#else

// ts_bf16_from_bfp8 for 16 data. Converting the magnitude to float normalises it: the float's
// exponent minus 133 is added to the shared exponent, and seven bits convert exactly.
TS_INLINE void bfp_row(uint32_t *out, const uint8_t *in, uint8_t exponent)
{
    float f[16];
    uint32_t u[16];
    for (unsigned i = 0; i < 16; i++)
        f[i] = (float)(in[i] & 0x7F);
    memcpy(u, f, sizeof u);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t sign = (uint32_t)(in[i] & 0x80) << 24;
        uint32_t e = ((u[i] >> 23) + exponent - 133) & 0xFF;
        uint32_t none = sign ? 0xFF800000u : 0;
        out[i] = in[i] & 0x7F ? sign | e << 23 | (u[i] & 0x7FFFFF) : none;
    }
}

#endif

static void convert_row(const struct ts_unpack_plan *plan, uint32_t out[16], const uint8_t *in,
                        uint8_t exponent)
{
    uint16_t h[16];
    uint32_t w[16];
    uint8_t b[16];
    switch (plan->in_format) {
    case TS_FMT_FP16:
        memcpy(h, in, sizeof h);
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_src_from_fp16(h[i]);
        return;
    case TS_FMT_INT16:
        memcpy(h, in, sizeof h);
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_src_from_bf16(ts_bf16_from_cell(h[i]));
        return;
    case TS_FMT_BFP4:
    case TS_FMT_BFP2:
        spread(b, in, ts_format_bits(plan->in_format));
        bfp_row(out, b, exponent);
        return;
    case TS_FMT_FP32:
        memcpy(w, in, sizeof w);
        if (plan->out_format == TS_FMT_TF32) {
            for (unsigned i = 0; i < 16; i++)
                out[i] = ts_src_from_fp32(w[i]);
            return;
        }
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_unpack_datum(plan, w[i], 0);
        return;
    case TS_FMT_BFP8A:
    case TS_FMT_BFP4A:
    case TS_FMT_BFP2A:
        spread(b, in, ts_format_bits(plan->in_format));
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_src_from_fp16(ts_fp16_from_bfp8a(b[i], exponent));
        return;
    case TS_FMT_INT8:
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_src_from_fp16(ts_fp16_from_int8(in[i], plan->int8_unsigned));
        return;
    default: // FP8
        for (unsigned i = 0; i < 16; i++)
            out[i] = ts_src_from_fp16(fp16_from_fp8(plan, in[i]));
        return;
    }
}

void ts_unpack_rows(const struct ts_unpack_plan *plan, uint32_t *out, const uint8_t *in,
                    const uint8_t *exponents, unsigned rows)
{
    if (plan->in_format == TS_FMT_BF16) {
        for (unsigned i = 0; i < 16 * rows; i += 8) {
            ts_v8h x = ts_ld8(in + 2 * i);
            ts_st4i(out + i, ts_zip_lo(ts_k8(0), x));
            ts_st4i(out + i + 4, ts_zip_hi(ts_k8(0), x));
        }
        return;
    }
    if (plan->in_format == TS_FMT_BFP8) {
        for (unsigned r = 0; r < rows; r++)
            bfp_row(out + 16 * r, in + 16 * r, exponents ? exponents[r] : plan->exponent);
        return;
    }
    unsigned bytes = 2 * ts_format_bits(plan->in_format);
    for (unsigned r = 0; r < rows; r++)
        convert_row(plan, out + 16 * r, in + bytes * r, exponents ? exponents[r] : plan->exponent);
}
