// The packer's work: from a PACR and the configuration to addresses, and from Dst to L1.
//
//   Dst --4 read interfaces--> [ early conversion | edge mask | ReLU | threshold |
//                                late conversion ] --> L1 (+=)
//
// Blackhole has one packer that reads up to four rows of Dst at once. Steps, so that a timed
// component can put time between them:
//   ts_pack_plan    reads configuration and counters, changes nothing; says which rows, how many
//                   bytes
//   ts_pack_run     moves the data and advances the output streams
//   ts_pack_finish  steps the counters
//
// Source: tt-isa-documentation PACR.md, Packers/*.md; facts/behaviour.md for what Blackhole does
// differently.
// Inaccuracies: data reach L1 at once instead of in 16-byte units when a buffer fills. Stochastic
// rounding (Packer_srnd_en) rounds to nearest: its random bits are not public. Refused:
// compression, packing from L1 and fields without public specification (ctxt_ctrl, cfg_context,
// row_pad_zero). The exponent histogram and its maximum are only kept while ENABLE_ACC_STATS is
// set.
#ifndef TENSIM_UNITS_PACK_H
#define TENSIM_UNITS_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "config/tensix.h"
#include "units/adc.h"
#include "units/dst.h"
#include "units/refusal.h"

// What the packer remembers between instructions.
struct ts_packer {
    bool open;          // addresses are set: the next PACR appends
    uint32_t data_byte; // next byte of the data stream
    uint32_t exp_byte;  // next byte of the exponent stream
    uint32_t x, y, z;   // position in the tile, for edge masks
    uint8_t pending;    // data of an unfinished group of 16, for block formats
    uint16_t group[16]; // their values, BF16 or exponent 5 | mantissa 7
    uint16_t l1_offset; // set by TDMA-RISC, added when Add_l1_dest_addr_offset
    uint8_t histogram[32];
    uint8_t max_exponent;
};

// What lies between the early and the late conversion.
enum ts_pack_kind {
    TS_PACK_F32,  // sign | exponent 8 | mantissa 23 (FP32, TF32)
    TS_PACK_BF16, // the upper half of it (BF16, E8M6)
    TS_PACK_FP16, // sign | exponent 5 | mantissa 10 (FP16, E5M7, E5M6, FP8)
    TS_PACK_INT,  // INT32, INT16, INT8: bits
};

struct ts_pack_plan {
    // input
    uint16_t row[4];       // Dst rows, one per read interface used
    uint8_t rows, per_row; // how many, and data of each
    uint8_t first_col;
    bool zero; // ZeroWrite: data are zero, Dst is not read
    // conversion
    uint8_t middle;  // intermediate format, enum ts_format
    uint8_t in, out; // LateFromFormat, LateToFormat
    uint8_t kind;    // enum ts_pack_kind of the intermediate value
    bool read32, raw, is_unsigned, round10;
    uint8_t shift; // INT_DESCALE
    bool fp8_e4m3;
    uint8_t relu; // 0 to 3
    uint16_t threshold;
    bool exp_threshold_en;
    uint8_t exp_threshold;
    bool stats;
    // edge mask
    bool masked; // some mask is not all ones
    bool mask_neginf;
    bool yz_transposed;
    uint8_t reads_per_plane;
    uint16_t mask[4];    // PCK_EDGE_OFFSET_SEC
    uint32_t row_set[4]; // TILE_ROW_SET_MAPPING
    uint32_t face_set;   // TILE_FACE_SET_MAPPING chosen
    bool face_enable;
    uint8_t row_set_select, z_offset;
    // output
    uint16_t downsample;          // 0: all
    bool accumulate;              // L1 += datum
    uint32_t data_addr, exp_addr; // bytes, used when the packer is not open
    bool flush, last;
    bool plain; // whole rows, nothing but the conversions
    // bookkeeping
    uint8_t adc;
    // for the clock
    uint32_t bytes; // written to the data stream
};

struct ts_pack_view {
    const uint32_t *cfg; // the thread's Config bank
    const uint16_t *thd; // its ThreadConfig
    unsigned thread;
    bool stats; // ENABLE_ACC_STATS of any thread
};

struct ts_refusal ts_pack_plan(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                               const struct ts_adcs *adcs, const struct ts_packer *packer,
                               struct ts_args_PACR args);
// Its two halves: what follows from configuration and thread alone, and can be kept while neither
// changes; and where this PACR reads and writes.
struct ts_refusal ts_pack_settings(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                   struct ts_args_PACR args);
struct ts_refusal ts_pack_place(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                const struct ts_adcs *adcs, const struct ts_packer *packer,
                                struct ts_args_PACR args);
struct ts_refusal ts_pack_run(const struct ts_pack_plan *plan, struct ts_packer *packer,
                              const struct ts_dst *dst, uint8_t *l1, uint32_t l1_size);
void ts_pack_finish(const struct ts_pack_plan *plan, const struct ts_pack_view *view,
                    struct ts_adcs *adcs, struct ts_args_PACR args);

// PACR_SETREG: the register write it makes once earlier data are past the late conversion. Bases
// and scalers are TDMA-RISC state. False: the address is outside the window and nothing is written.
struct ts_pack_setreg {
    uint32_t base[2];   // SetRegBase
    uint32_t scaler[4]; // SetRegHiScaler, by Out_data_format & 3
};
struct ts_refusal ts_pack_setreg(const struct ts_pack_view *view, const struct ts_pack_setreg *regs,
                                 struct ts_args_PACR_SETREG args, uint32_t *addr, uint32_t *value,
                                 bool *some);

// SETDMAREG from the packer: input sources 6, 7 (halves of the histogram) and 9 (largest exponent).
// The others need tile sizes and zero flags, which only compression makes use of.
struct ts_refusal ts_pack_state(const struct ts_packer *packer, unsigned source, uint32_t value[4]);

// CLREXPHIST.
void ts_pack_clear_histogram(struct ts_packer *packer);

// ---- conversion, shared by pack_*.c ------------------------------------------------------------

// Whether the conversions exist; sets plan->kind.
struct ts_refusal ts_pack_check(struct ts_pack_plan *plan);

// Sixteen cells of Dst (lo only with read32) to intermediate values.
void ts_pack_early(const struct ts_pack_plan *plan, uint32_t v[16], const uint16_t *hi,
                   const uint16_t *lo);
void ts_pack_relu(const struct ts_pack_plan *plan, uint32_t v[16]);
void ts_pack_threshold(const struct ts_pack_plan *plan, uint32_t v[16]);
// Intermediate values to L1's layout; block formats come out as sign | exponent | mantissa 7 for
// ts_pack_group.
void ts_pack_late(const struct ts_pack_plan *plan, uint32_t v[16]);
// Both conversions at once for the commonest pairs, straight into L1: BF16 and FP16 unchanged, FP32
// to FP32 and to BF16. False: not such a pair.
bool ts_pack_direct(const struct ts_pack_plan *plan, uint8_t *l1, const uint16_t *hi,
                    const uint16_t *lo);
// Minus infinity in the intermediate format.
uint32_t ts_pack_neginf(const struct ts_pack_plan *plan);

// Sixteen data (sign 15 | exponent 14:7 | mantissa 6:0) to one shared exponent and `bits` bits
// each, in order in out.
uint8_t ts_pack_group(uint8_t out[16], const uint16_t in[16], unsigned bits);

// L1 accumulation.
uint32_t ts_pack_add_fp32(uint32_t l1, uint32_t datum);
uint16_t ts_pack_add_bf16(uint16_t l1, uint16_t datum);
uint16_t ts_pack_add_fp16(uint16_t l1, uint16_t datum);
// The same for up to sixteen data: l1 += data.
void ts_pack_add_row_fp32(uint32_t *l1, const uint32_t *data, unsigned n);
void ts_pack_add_row_bf16(uint16_t *l1, const uint16_t *data, unsigned n);

#endif
