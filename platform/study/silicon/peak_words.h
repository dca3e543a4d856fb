// Words of the coprocessor that the programs of a large matmul use (peak.h).
#ifndef TENSIM_STUDY_SILICON_PEAK_WORDS_H
#define TENSIM_STUDY_SILICON_PEAK_WORDS_H

#include "platform/tile/tile.h"

#define OP(name)           ((uint32_t)TS_OP_##name << 24)
#define SETC16(r, v)       (OP(SETC16) | (uint32_t)(r) << 16 | (uint32_t)(v))
#define STALL(block, cond) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (uint32_t)(cond))
#define SEM(name, n)       (OP(name) | 4u << (n))
#define SEMWAIT(block, n)  (OP(SEMWAIT) | (uint32_t)(block) << 15 | 4u << (n) | 1)
#define SEMSPACE(block, n) (OP(SEMWAIT) | (uint32_t)(block) << 15 | 4u << (n) | 2)
#define SEMINIT(n)         (OP(SEMINIT) | 1u << 20 | 4u << (n))
#define RMW(byte, m, v, i) (OP(RMWCIB##byte) | (uint32_t)(m) << 16 | (uint32_t)(v) << 8 | (i))
#define SETRWC(release, m) (OP(SETRWC) | (uint32_t)(release) << 22 | (m))
#define SFP4(name, a, b, c, d, mod) \
    (OP(name) | (uint32_t)(a) << 16 | (uint32_t)(b) << 12 | (uint32_t)(c) << 8 | (d) << 4 | (mod))
#define SFP2(name, imm, c, d, mod) \
    (OP(name) | (uint32_t)(imm) << 12 | (uint32_t)(c) << 8 | (uint32_t)(d) << 4 | (mod))
#define SFPLOADI(d, mod, v)  (OP(SFPLOADI) | (uint32_t)(d) << 20 | (uint32_t)(mod) << 16 | (v))
#define SFPCONFIG(v, d, mod) (OP(SFPCONFIG) | (uint32_t)(v) << 8 | (uint32_t)(d) << 4 | (mod))
#define DST(name, reg, mode, row) \
    (OP(name) | (uint32_t)(reg) << 20 | 3u << 16 | (uint32_t)(mode) << 13 | (uint32_t)(row))
#define NOP            OP(NOP)
#define SFPNOP         OP(SFPNOP)
#define RUN_MOP        (OP(MOP) | 1u << 23)
#define REPLAY(n, rec) (OP(REPLAY) | (uint32_t)(n) << 4 | (rec))

enum { B_TDMA = 1, B_SYNC = 2, B_UNPACK = 8, B_MATH = 64, B_CFG = 128, B_VECTOR = 256 };
enum { C_SCALAR = 1, C_UNPACK = 2 | 4, C_PACK = 8, C_MATRIX = 16, C_CLEAR = 32 | 64 };
enum { C_VALID = 128 | 256, C_VECTOR = 1 << 11, C_MATH = C_MATRIX | C_VECTOR };
enum { MATH_PACK = 1, UNPACKED = 2, CONFIGURED = 5, MATH_DONE = 7 };
enum { INPUT = 0x37000, GAMMA = INPUT + 8192, OUTPUT = GAMMA + 8192 };
enum { SCALE = OUTPUT + 8192 + 64, FLAGS = SCALE + 512, SPARE = 0x160fe8 };
enum { A = 10, B, C, D }; // RISC-V registers
#define CONFIG_SYNC 0xffe80034u
#define EPSILON     1e-5f

#endif
