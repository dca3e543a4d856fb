// Vocabulary of compute kernels: what the vendor's low-level kernels call these things, written
// anew and small.
#pragma once
#include "cfg_defines.h"
#include "ckernel_instr_params.h"
#include "words.h"

// Which of the three threads this compilation is for decides what is left of a kernel.
#ifdef TRISC_UNPACK
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif
#ifdef TRISC_MATH
#define MATH(x) x
#else
#define MATH(x)
#endif
#ifdef TRISC_PACK
#define PACK(x) x
#else
#define PACK(x)
#endif

namespace ckernel {

struct p_stall {
    // what to wait for
    static constexpr uint32_t NONE = 0, THCON = TS_WAIT_0, UNPACK0 = TS_WAIT_1, UNPACK1 = TS_WAIT_2,
                              UNPACK = UNPACK0 | UNPACK1, PACK = TS_WAIT_3, MATH = TS_WAIT_4,
                              SRCA_CLR = TS_WAIT_5, SRCB_CLR = TS_WAIT_6, SRCA_VLD = TS_WAIT_7,
                              SRCB_VLD = TS_WAIT_8, XMOV = TS_WAIT_9, TRISC_CFG = TS_WAIT_10,
                              SFPU1 = TS_WAIT_11, WAIT_SFPU = SFPU1, CFGEXU = TS_WAIT_12;
    // what to hold
    static constexpr uint32_t STALL_TDMA = 0x1, STALL_SYNC = 0x2, STALL_PACK = 0x4,
                              STALL_UNPACK = 0x8, STALL_XMOV = 0x10, STALL_THCON = 0x20,
                              STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_SFPU = 0x100,
                              STALL_THREAD = 0x1ff;
    static constexpr uint32_t STALL_ON_ZERO = 0x1, STALL_ON_MAX = 0x2;
};

struct p_setrwc {
    static constexpr uint32_t CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3;
    static constexpr uint32_t SET_A = 1, SET_B = 2, SET_AB = 3, SET_D = 4, SET_ABD = 7, SET_F = 8,
                              SET_ABD_F = 15;
    static constexpr uint32_t CR_A = 1, CR_B = 2, CR_D = 4, C_TO_CR_MODE = 8;
};

struct p_setadc {
    static constexpr uint32_t UNP0 = 1, UNP1 = 2, UNP_A = 1, UNP_B = 2, UNP_AB = 3, PAC = 4;
    static constexpr uint32_t CH_0 = 0, CH_1 = 1, SET_X = 0, SET_Y = 1, SET_Z = 2, SET_W = 3;
};

struct p_zeroacc {
    static constexpr uint32_t CLR_SPECIFIC = 0, CLR_16 = 1, CLR_HALF = 2, CLR_ALL = 3,
                              CLR_HALF_32B = 6, CLR_ALL_32B = 7;
};

enum Srcs : uint32_t { SrcA = 0, SrcB = 1 };

constexpr uint32_t ADDR_MOD_0 = 0, ADDR_MOD_1 = 1, ADDR_MOD_2 = 2, ADDR_MOD_3 = 3, ADDR_MOD_4 = 4,
                   ADDR_MOD_5 = 5, ADDR_MOD_6 = 6, ADDR_MOD_7 = 7;

// Words may name only the first four modes; those of a thread that has set ADDR_MOD_SET_Base, or a mode's bias before them,
// the others.
#ifdef ADDR_MOD_SET_Base_ADDR32
constexpr bool four_modes = true;
#else
constexpr bool four_modes = false;
#endif
constexpr uint32_t BIAS_ON = 1, BIAS_OFF = 16;
inline void upper_modes([[maybe_unused]] bool on)
{
#ifdef ADDR_MOD_SET_Base_ADDR32
    TT_SETC16(ADDR_MOD_SET_Base_ADDR32, on);
#endif
}
// A mode of such words: 4 to 7 as 0 to 3.
constexpr uint32_t mode_word(uint32_t mode)
{
    return four_modes ? mode & 3 : mode;
}

// Rows of Dst that one half has; a tile is 64.
constexpr uint32_t DEST_REGISTER_HALF_SIZE = 512;

namespace semaphore {
constexpr uint32_t FPU_SFPU = 0, MATH_PACK = 1, UNPACK_TO_DEST = 2, UNPACK_OPERAND_SYNC = 3,
                   PACK_DONE = 4, UNPACK_SYNC = 5, UNPACK_MATH_DONE = 6, MATH_DONE = 7;
constexpr uint32_t t6_sem(uint32_t index)
{
    return 1u << index;
}
} // namespace semaphore

namespace mutex {
constexpr uint32_t REG_RMW = 0;
} // namespace mutex

// GPRs of each thread: fixed places, so that a reader of a trace knows them.
struct p_gpr {
    static constexpr uint32_t ZERO = 0;
    static constexpr uint32_t CB_ADDRESS = 4, CB_OFFSET = 5,
                              CB_COUNT = 6; // posts to circular buffers
};
struct p_gpr_unpack {
    static constexpr uint32_t TMP0 = 12, TILE_SIZE_A = 36, TILE_SIZE_B = 37, KT_DIM = 38,
                              TMP_LO = 39;
};
struct p_gpr_pack {
    static constexpr uint32_t DEST_OFFSET_LO = 16, DEST_OFFSET_HI = 20, OUTPUT_ADDR = 24, TMP0 = 28;
};

// The format a Src register gets: FP32 becomes TF32, or BF16 where Dst is 16 bits wide.
constexpr uint32_t register_format(uint32_t format, bool dst32)
{
    if (format != TS_DF_FP32)
        return format;
    return dst32 ? TS_DF_TF32 : TS_DF_BF16;
}

// A whole 32-bit GPR from a value only known at run time.
inline void set_gpr(uint32_t gpr, uint32_t value)
{
    TT_SETDMAREG(0, value & 0xffff, 0, 2 * gpr);
    TT_SETDMAREG(0, value >> 16, 0, 2 * gpr + 1);
}

// Read-modify-write of bytes of a configuration word, by the configuration unit: no other thread
// can come between.
inline void cfg_rmw(uint32_t address, uint32_t mask, uint32_t value)
{
    if (mask & 0xff)
        TT_RMWCIB0(mask & 0xff, value & 0xff, address);
    if (mask >> 8 & 0xff)
        TT_RMWCIB1(mask >> 8 & 0xff, value >> 8 & 0xff, address);
    if (mask >> 16 & 0xff)
        TT_RMWCIB2(mask >> 16 & 0xff, value >> 16 & 0xff, address);
    if (mask >> 24)
        TT_RMWCIB3(mask >> 24, value >> 24, address);
}

// How the FPU's counters move after an instruction.
struct addr_mod_t {
    struct source {
        uint32_t incr = 0, clr = 0, cr = 0;
        constexpr uint32_t value() const { return (incr & 0x3f) | cr << 6 | clr << 7; }
    };
    struct destination {
        int32_t incr = 0;
        uint32_t clr = 0, cr = 0, c_to_cr = 0;
        constexpr uint32_t value() const
        {
            return (uint32_t(incr) & 0x3ff) | cr << 10 | clr << 11 | c_to_cr << 12;
        }
    };
    struct phase {
        uint32_t incr = 0, clr = 0;
        constexpr uint32_t value() const { return (incr & 3) | clr << 2; }
    };
    source srca = {}, srcb = {};
    destination dest = {};
    phase fidelity = {};
    uint32_t bias =
        0; // 1: the next words take their modes from the upper four, 16: from the lower four again

    __attribute__((always_inline)) void set(uint32_t index) const
    {
        constexpr uint32_t step = ADDR_MOD_AB_SEC1_SrcAIncr_ADDR32 -
                                  ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32;
        TT_SETC16(ADDR_MOD_AB_SEC0_SrcAIncr_ADDR32 + step * index, srca.value() | srcb.value()
                                                                                      << 8);
        TT_SETC16(ADDR_MOD_DST_SEC0_DestIncr_ADDR32 + index, dest.value() | fidelity.value() << 13);
        TT_SETC16(ADDR_MOD_BIAS_SEC0_BiasIncr_ADDR32 + index, bias);
    }
};

// How the packer's counters move.
struct addr_mod_pack_t {
    struct y {
        uint32_t incr = 0, clr = 0, cr = 0;
    };
    struct z {
        uint32_t incr = 0, clr = 0;
    };
    y y_src = {}, y_dst = {};
    z z_src = {}, z_dst = {};

    __attribute__((always_inline)) void set(uint32_t index) const
    {
        TT_SETC16(ADDR_MOD_PACK_SEC0_YsrcIncr_ADDR32 + index,
                  y_src.incr | y_src.cr << 4 | y_src.clr << 5 | y_dst.incr << 6 | y_dst.cr << 10 |
                      y_dst.clr << 11 | z_src.incr << 12 | z_src.clr << 13 | z_dst.incr << 14 |
                      z_dst.clr << 15);
    }
};

namespace lltt {
constexpr uint32_t replay_insn(uint32_t start, uint32_t length)
{
    return TT_OP_REPLAY(start, length, 0, 0);
}
} // namespace lltt

// Records what `body` pushes in the replay buffer; `execute`: and does it at once.
template <class Body>
__attribute__((always_inline)) inline void load_replay_buf(uint32_t start, uint32_t length,
                                                           bool execute, Body body)
{
    TT_REPLAY(start, length, execute, 1);
    body();
}
template <class Body>
__attribute__((always_inline)) inline void load_replay_buf(uint32_t start, uint32_t length,
                                                           Body body)
{
    load_replay_buf(start, length, false, body);
}

// The number behind an enumerator: phases of MathFidelity.
template <class Enum> constexpr uint32_t to_underlying(Enum value)
{
    return static_cast<uint32_t>(value);
}

// Where this thread's instructions are pushed.
inline volatile uint32_t *const instrn_buffer = (volatile uint32_t *)INSTRN_BUF_BASE;

} // namespace ckernel
