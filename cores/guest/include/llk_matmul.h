// Matrix products of 32x32 tiles: the streams of the unpack and the math thread.
//
// in0 goes to SrcB, in1 to SrcA: MVMUL computes D[8,16] += B[8,16] * A[16,16]. A sub-block of rt x
// ct output tiles keeps one operand while the other one walks: with ct >= rt the in0 tile stays and
// ct in1 tiles pass. The order of addresses of the 16 MVMULs of a product, the throttle patterns
// and who clears what follow the vendor's library (tt-llk llk_math_matmul.h); ADDR_MODs are
// named after what they do.
#pragma once
#include "ckernel_template.h"

#ifdef TRISC_UNPACK
#include "cunpack_common.h"
#endif
#ifndef TS_MATH_INIT // how math_init is compiled
#define TS_MATH_INIT inline
#endif
#ifdef TRISC_MATH
#include "cmath_common.h"
#endif
#ifndef TS_AFTER_PRODUCT // what follows a product (metal/internal/remedies.h)
#define TS_AFTER_PRODUCT()
#endif

namespace ckernel::matmuls {

inline bool reuse_in0(uint32_t ct, uint32_t rt)
{
    return ct >= rt;
}

#ifdef TRISC_UNPACK

// One tile of the walking operand and the step of its address, once for each configuration context.
inline void unpack_init(uint32_t tile_bytes_a, uint32_t tile_bytes_b, uint32_t ct, uint32_t rt,
                        uint32_t kt)
{
    using namespace unpacker;
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    TTI_SETADCXX(p_setadc::UNP_A, 1023, 0);
    TTI_SETADCXX(p_setadc::UNP_B, 1023, 0);
    set_gpr(p_gpr_unpack::TILE_SIZE_A, tile_bytes_a / 16);
    set_gpr(p_gpr_unpack::TMP_LO, tile_bytes_b / 16 * kt);
    if (reuse_in0(ct, rt)) {
        TTI_REPLAY(0, 12, 0, 1);
        TS_INLINE(TS_UNPACR(SrcA, 0, 1));
        TTI_RDCFG(p_gpr_unpack::TMP0, THCON_SEC0_REG3_Base_address_ADDR32);
        TTI_ADDDMAREG(0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP0, p_gpr_unpack::TILE_SIZE_A);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
        TTI_WRCFG(p_gpr_unpack::TMP0, 0, THCON_SEC0_REG3_Base_address_ADDR32);
        TTI_NOP; // WRCFG takes two cycles
        TS_INLINE(TS_UNPACR(SrcA, 0, 1));
        TTI_RDCFG(p_gpr_unpack::TMP0, THCON_SEC0_REG3_Base_cntx1_address_ADDR32);
        TTI_ADDDMAREG(0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP0, p_gpr_unpack::TILE_SIZE_A);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
        TTI_WRCFG(p_gpr_unpack::TMP0, 0, THCON_SEC0_REG3_Base_cntx1_address_ADDR32);
        TTI_NOP;
    } else {
        TTI_REPLAY(0, 12, 0, 1);
        TS_INLINE(TS_UNPACR(SrcB, 0, 1));
        TTI_RDCFG(p_gpr_unpack::TMP0, THCON_SEC1_REG3_Base_address_ADDR32);
        TTI_ADDDMAREG(0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP_LO);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
        TTI_WRCFG(p_gpr_unpack::TMP0, 0, THCON_SEC1_REG3_Base_address_ADDR32);
        TTI_NOP;
        TS_INLINE(TS_UNPACR(SrcB, 0, 1));
        TTI_RDCFG(p_gpr_unpack::TMP0, THCON_SEC1_REG3_Base_cntx1_address_ADDR32);
        TTI_ADDDMAREG(0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP0, p_gpr_unpack::TMP_LO);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
        TTI_WRCFG(p_gpr_unpack::TMP0, 0, THCON_SEC1_REG3_Base_cntx1_address_ADDR32);
        TTI_NOP;
    }
    ckernel_unpack_template(lltt::replay_insn(0, 6), lltt::replay_insn(6, 6)).program();
}

// The operand that stays and those that walk past it, in one configuration context.
template <uint32_t Kept, unsigned Context>
TS_INLINE_ALWAYS void unpack_row_in(uint32_t address_a, uint32_t address_b, uint32_t walk)
{
    volatile uint32_t *cfg = ts_cfg();
    cfg[THCON_SEC0_REG3_Base_address_ADDR32 + Context] = address_a;
    cfg[THCON_SEC1_REG3_Base_address_ADDR32 + Context] = address_b;
    semaphore_post(semaphore::UNPACK_SYNC);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
    TS_INLINE(TS_UNPACR(Kept, 0, 1));
    ckernel_unpack_template::run(walk, Context ? 0xffff : 0);
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_SYNC));
    unpacker::unp_cfg_context = Context ^ 1;
    if (Context)
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0000);
    else
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0101);
}
template <uint32_t Kept>
TS_INLINE_ALWAYS void unpack_row(uint32_t address_a, uint32_t address_b, uint32_t walk)
{
    unpacker::wait_for_next_context();
    if (unpacker::unp_cfg_context == 0)
        unpack_row_in<Kept, 0>(address_a, address_b, walk);
    else
        unpack_row_in<Kept, 1>(address_a, address_b, walk);
}

// Tiles of one step of the inner dimension of an rt x ct sub-block; kt tiles lie between rows of
// in0. A block's tiles lie one after the other: rings hold whole blocks.
TS_INLINE_ALWAYS void unpack_block(cb_id in0, cb_id in1, uint32_t tile0, uint32_t tile1,
                                   uint32_t ct, uint32_t rt, uint32_t kt)
{
    const cb_interface &a = cb_get(in0), &b = cb_get(in1);
    uint32_t address0 = a.front + tile0 * a.units, address1 = b.front + tile1 * b.units;
    if (reuse_in0(ct, rt))
        for (uint32_t t = 0; t < rt; t++, address0 += kt * a.units)
            unpack_row<SrcB>(address1, address0, ct);
    else
        for (uint32_t t = 0; t < ct; t++, address1 += b.units)
            unpack_row<SrcA>(address1, address0, rt);
}
#endif

#ifdef TRISC_MATH

inline uint32_t mop_runs; // of the MOP for one product
// Two flags in one half word: math_init clears the second one with the store that it needs for the
// first, so that a run without throttle takes the same instructions as ever.
extern "C" bool end_by_riscv;         // the MOP does not clear the walking operand itself
extern "C" bool throttled_mop_status; // level 5, because the ARC firmware asked for it
__asm__(".pushsection .bss.mop_flags,\"aw\",@nobits\n"
        ".balign 2\n"
        ".weak end_by_riscv, throttled_mop_status\n"
        "end_by_riscv: .zero 1\n"
        "throttled_mop_status: .zero 1\n"
        ".popsection");

// The level that the ARC firmware asks for.
constexpr uint32_t MM_THROTTLE_MAX = 5;

#define TS_MV(clear, mod) TT_OP_MVMUL(clear, 0, mod, 0)

// Where words have four modes, mode 3 is 0 and makes the next word's mode one of the upper four, which are named 0 to 3 then.
constexpr uint32_t BEFORE_UPPER = four_modes ? ADDR_MOD_3 : ADDR_MOD_0,
                   UPPER = four_modes ? BIAS_OFF : 0;

// What the counters do: 0 next 8 rows, 1 next face of in1, 2 next face row of in0, 4 second half of
// the inner dimension, 5 next phase, 6 all to zero. `quarters`: where words have four modes, 6 is 2 as an upper mode.
inline void addr_mods(uint32_t phases, [[maybe_unused]] bool quarters)
{
    if (four_modes)
        addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}, .bias = BIAS_ON}.set(ADDR_MOD_3);
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.incr = 16}, .srcb = {.cr = 1}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    addr_mod_t{.srca = {.cr = 1}, .srcb = {.incr = 32, .cr = 1}, .dest = {.incr = 8}}.set(
        ADDR_MOD_2);
    addr_mod_t{.srca = {.incr = 32, .cr = 1},
               .srcb = {.incr = 48, .cr = 1},
               .dest = {.cr = 1},
               .bias = UPPER}
        .set(ADDR_MOD_4);
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = phases > 1},
               .bias = UPPER}
        .set(ADDR_MOD_5);
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.clr = 1},
               .bias = UPPER}
        .set(ADDR_MOD_6);
    if (four_modes && quarters)
        addr_mod_t{
            .srca = {.cr = 1}, .srcb = {.incr = 32, .cr = 1}, .dest = {.incr = 8}, .bias = UPPER}
            .set(ADDR_MOD_6);
}

// Level 0: all 16 MVMULs of a phase from the replay buffer, the phases as the MOP's inner loop.
inline void program_full(uint32_t phases, uint32_t clear)
{
    constexpr uint32_t NONE = p_setrwc::CLR_NONE;
    TTI_REPLAY(math::replay_buf_offset, 16, 0, 1);
    TS_INLINE(TS_MV(NONE, 0)); // B0 A0
    TS_INLINE(TS_MV(NONE, 1));
    TS_INLINE(TS_MV(NONE, 0)); // B0 A1
    TS_INLINE(TS_MV(NONE, 2));
    TS_INLINE(TS_MV(NONE, 0)); // B2 A0
    TS_INLINE(TS_MV(NONE, 1));
    TS_INLINE(TS_MV(NONE, BEFORE_UPPER)); // B2 A1
    TS_INLINE(TS_MV(NONE, mode_word(4)));
    TS_INLINE(TS_MV(NONE, 0)); // B1 A2
    TS_INLINE(TS_MV(NONE, 1));
    TS_INLINE(TS_MV(NONE, 0)); // B1 A3
    TS_INLINE(TS_MV(NONE, 2));
    TS_INLINE(TS_MV(NONE, 0)); // B3 A2
    TS_INLINE(TS_MV(NONE, 1));
    TS_INLINE(TS_MV(NONE, BEFORE_UPPER)); // B3 A3
    ts_push(TS_MV(phases > 1 ? NONE : clear, mode_word(5)));
    ckernel_template mop(1, phases, lltt::replay_insn(math::replay_buf_offset, 16));
    if (phases > 1)
        mop.set_end_op(TT_OP_SETRWC(clear, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
}

// Levels 1 to 5: a NOP wherever the pattern has a dot; digits are ADDR_MODs. Half a phase (levels 1
// to 3) or a quarter of one (4, 5); the MVMUL that follows each comes from the MOP itself.
inline const char *throttle_pattern(uint32_t level)
{
    static const char *const patterns[] = {
        "", ".010.201.0", ".01.02.01.0", ".0.1.0.2.0.1.0.", ".0..1.0..", "..0..1..0.."};
    static const char *const before_upper[] = {
        "", ".010.201.3", ".01.02.01.3", ".0.1.0.2.0.1.3.", ".0..1.3..", "..0..1..3.."};
    return (four_modes ? before_upper : patterns)[level];
}

inline void program_throttled(uint32_t phases, uint32_t level, uint32_t clear)
{
    const char *pattern = throttle_pattern(level);
    uint32_t length = 0;
    while (pattern[length])
        length++;
    TT_REPLAY(math::replay_buf_offset, length, 0, 1);
    for (uint32_t i = 0; i < length; i++)
        ts_push(pattern[i] == '.' ? TT_OP_NOP : TS_MV(0, uint32_t(pattern[i] - '0')));
    bool quarters = level > 3, high = phases > 1;
    ckernel_template mop(quarters ? 2 : phases, 2,
                         lltt::replay_insn(math::replay_buf_offset, length),
                         TS_MV(0, quarters ? (four_modes ? mode_word(ADDR_MOD_6) : ADDR_MOD_2)
                                           : mode_word(ADDR_MOD_4)));
    if (quarters)
        mop.set_last_inner_loop_instr(TS_MV(0, mode_word(ADDR_MOD_4)));
    else if (high)
        mop.set_last_inner_loop_instr(TS_MV(0, mode_word(ADDR_MOD_5)));
    if (high)
        mop.set_last_outer_loop_instr(quarters ? TS_MV(0, mode_word(ADDR_MOD_5))
                                               : TS_MV(clear, mode_word(ADDR_MOD_6)));
    else
        mop.set_last_outer_loop_instr(TS_MV(clear, mode_word(ADDR_MOD_5)));
    mop.program();
}

// Programs counters and MOP. With Forget (the start of a matmul) the throttle that the firmware asked
// for is cleared, and the next block reads it again. Both flags are in one store: no extra instruction.
template <bool Forget>
TS_INLINE_ALWAYS void math_program(uint32_t phases, uint32_t throttle, uint32_t ct, uint32_t rt)
{
    uint32_t clear = reuse_in0(ct, rt) ? p_setrwc::CLR_A : p_setrwc::CLR_B;
    addr_mods(phases, throttle > 3);
    if (throttle == 0)
        program_full(phases, clear);
    else
        program_throttled(phases, throttle, clear);
    const bool riscv = throttle > 3 && phases > 1;
    if (Forget)
        __asm__("sh %1, %0" : "=m"(end_by_riscv) : "r"(riscv) : "memory");
    else
        end_by_riscv = riscv;
    mop_runs = riscv ? phases : 1;
    math::reset_counters(p_setrwc::SET_ABD_F);
}

TS_MATH_INIT void math_init(uint32_t phases, uint32_t throttle, uint32_t ct, uint32_t rt)
{
    math_program<true>(phases, throttle, ct, rt);
}

// Level 0 for tiles of the result with one or two faces, after math_init: in0 has `down` rows of two
// faces, in1 two rows of `across`. Mode 2 has moved SrcB's start by two faces before mode 4 adds to it.
inline void program_small(uint32_t phases, uint32_t down, uint32_t across, uint32_t ct, uint32_t rt)
{
    static const char *const walks[] = {"0405", "01040105", "02040205"};
    const char *walk = walks[down == 2 ? 2 : across == 2 ? 1 : 0];
    const uint32_t clear = reuse_in0(ct, rt) ? p_setrwc::CLR_A : p_setrwc::CLR_B;
    const uint32_t length = 4 * down * across;
    addr_mod_t{.srca = {.incr = 16 * across, .cr = 1},
               .srcb = {.incr = down == 2 ? 48u : 16u, .cr = 1},
               .dest = {.cr = 1},
               .bias = UPPER}
        .set(ADDR_MOD_4);
    TT_REPLAY(math::replay_buf_offset, length, 0, 1);
    for (uint32_t i = 0; i < length; i++)
        ts_push(TS_MV(i == length - 1 && phases == 1 ? clear : p_setrwc::CLR_NONE,
                      four_modes && i + 1 < length && walk[i + 1] > '3'
                          ? BEFORE_UPPER
                          : mode_word(uint32_t(walk[i] - '0'))));
    ckernel_template mop(1, phases, lltt::replay_insn(math::replay_buf_offset, length));
    if (phases > 1)
        mop.set_end_op(TT_OP_SETRWC(clear, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
}

// For a transposed in1, whose faces the unpacker transposes: faces 1 and 2 change places.
inline void walk_transposed()
{
    addr_mod_t{.srca = {.incr = 32}, .srcb = {.cr = 1}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    addr_mod_t{.srca = {.incr = 16, .cr = 1},
               .srcb = {.incr = 48, .cr = 1},
               .dest = {.cr = 1},
               .bias = UPPER}
        .set(ADDR_MOD_4);
}

// The products of one kept operand: where each goes in Dst, then the MOP.
TS_INLINE_ALWAYS void math_row(uint32_t first, uint32_t step, uint32_t count, bool keep0)
{
    uint32_t word = TT_OP_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32,
                                 (first << 6) + math::get_dest_buffer_base());
    if (__builtin_expect(end_by_riscv, 0)) {
        for (uint32_t i = 0; i < count; i++, word += step << 6) {
            ts_push(word);
            for (uint32_t phase = 0; phase < mop_runs; phase++)
                ckernel_template::run();
            if (keep0)
                TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
            else
                TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
            TS_AFTER_PRODUCT();
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++, word += step << 6) {
        ts_push(word);
        ckernel_template::run();
        TS_AFTER_PRODUCT();
    }
}

// One step of the inner dimension of a sub-block.
inline void math_block(uint32_t dst, uint32_t ct, uint32_t rt)
{
    if (reuse_in0(ct, rt))
        for (uint32_t t = 0; t < rt; t++) {
            math_row(dst + ct * t, 1, ct, true);
            TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0,
                       p_setrwc::SET_ABD_F); // the operand that stayed is free
        }
    else
        for (uint32_t t = 0; t < ct; t++) {
            math_row(dst + t, ct, rt, false);
            TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
        }
}
#endif

} // namespace ckernel::matmuls
