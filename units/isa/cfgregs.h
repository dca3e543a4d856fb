// units/isa/cfgregs.h: names of the backend configuration fields, made from cfgregs.def.
//
//   TS_CFG(words, ALU_FORMAT_SPEC_REG0_SrcA)     a field of one Config bank (uint32_t[224])
//   TS_THD(words, CFG_STATE_ID_StateID)          a field of one ThreadConfig bank (uint16_t[68])
// Both are a load, a shift and a mask with constants.
#pragma once

#include "platform/base/std.h"

#define TS_CFG_WORDS       224 // CFG_STATE_SIZE * 4 of Blackhole
#define TS_CFG_GLOBAL_BASE 180 // from here on the two banks are one: a write goes to both
#define TS_CFG_THCON_BASE  64  // REG2FLOP counts from here
#define TS_THD_WORDS       68  // THD_STATE_SIZE of Blackhole
// And the fields that only other machines have.
#define TS_CFG_ALL 232
#define TS_THD_ALL 84

enum {
#define TS_CFG_FIELD(name, addr, shift, bits) \
    TS_CFG_ADDR_##name = addr, TS_CFG_SHIFT_##name = shift, TS_CFG_BITS_##name = bits,
#define TS_THD_FIELD(name, addr, shift, bits) \
    TS_THD_ADDR_##name = addr, TS_THD_SHIFT_##name = shift, TS_THD_BITS_##name = bits,
#include "config/cfgregs.def"
#define TS_CFG_FIELD(name, addr, shift, bits) \
    TS_CFG_ADDR_##name = addr, TS_CFG_SHIFT_##name = shift, TS_CFG_BITS_##name = bits,
#define TS_THD_FIELD(name, addr, shift, bits) \
    TS_THD_ADDR_##name = addr, TS_THD_SHIFT_##name = shift, TS_THD_BITS_##name = bits,
#include "config/wormhole/own.def"
};

#define TS_FIELD_MASK(bits) ((uint32_t)((UINT64_C(1) << (bits)) - 1))
#define TS_CFG(words, name) \
    ((words)[TS_CFG_ADDR_##name] >> TS_CFG_SHIFT_##name & TS_FIELD_MASK(TS_CFG_BITS_##name))
#define TS_THD(words, name)                                         \
    ((uint32_t)(words)[TS_THD_ADDR_##name] >> TS_THD_SHIFT_##name & \
     TS_FIELD_MASK(TS_THD_BITS_##name))

struct ts_cfg_field {
    const char *name;
    uint16_t addr;
    uint8_t shift, bits, thread; // thread: a ThreadConfig field
    uint8_t own;                 // only another machine has it
};
extern const struct ts_cfg_field ts_cfg_fields[];
extern const unsigned ts_cfg_field_count;

// Bits that exist in each register: writes to the others are lost. A register without named fields
// keeps all its bits.
void ts_cfg_reg_masks(uint32_t masks[TS_CFG_ALL]);
