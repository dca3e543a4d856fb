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
// Source: tt-isa-documentation PACR.md, Packers/*.md; tenstorrent/ttsim 1.10.0 for Blackhole's
// differences.
// Inaccuracies: data reach L1 at once instead of in 16-byte units when a buffer fills. The random
//   bits of stochastic rounding are not public: tensim uses its own generator, with the documented
//   bias. Which zeros compression removes is not specified: all that the format allows. INT_DESCALE
//   by Z takes the Z counter of the input. The exponent histogram and its maximum are only kept
//   while ENABLE_ACC_STATS is set. Refused: fields without public specification (ctxt_ctrl,
//   cfg_context, row_pad_zero, pack_start_intf_pos, Auto_set_last_pacr_intf_sel,
//   Dis_shared_exp_assembler), rows of more than 16 data.
#pragma once

#include "units/files/adc.h"
#include "units/files/dst.h"
#include "units/isa/bits.h"
#include "units/refusal.h"

#define TS_PACK_FIFO      4 // tiles; the size is not public
#define TS_PACK_NO_EXTENT UINT64_MAX

// The packer's state between instructions.
struct ts_packer {
    bool open;          // addresses are set: the next PACR appends
    uint32_t data_byte; // next byte of the data stream
    uint32_t exp_byte;  // next byte of the exponent stream
    uint32_t x, y, z;   // position in the tile, for edge masks
    uint8_t pending;    // data of an unfinished group of 16, for block formats
    uint16_t group[16]; // values of these data, BF16 or exponent 5 | mantissa 7
    uint16_t l1_offset; // set by TDMA-RISC, added when Add_l1_dest_addr_offset
    uint8_t histogram[32];
    uint8_t max_exponent;
    // compression
    bool in_row;      // the compression row goes on (Concat)
    bool keeps, tail; // `kept` is not in the streams yet; the datum before this was a counted zero
    bool row_zero;    // only zeros in this row so far
    uint8_t zeros;    // zeros that follow `kept`
    uint32_t kept;    //
    uint32_t augmented; // data in the streams
    uint32_t row;       // rows ended
    uint32_t row_byte;  // next row start
    // sideband
    uint32_t first_byte;             // of the tile
    uint32_t zero_flags;             // AllZeroFlags: bit per compression row
    uint16_t last_size, acc_size[3]; // tiles in units of 16 bytes
    uint8_t last_thread;
    uint8_t fifo_first, fifo_count;
    struct {
        uint16_t size;
        uint32_t zero_flags;
    } fifo[TS_PACK_FIFO]; // MetadataFIFO
    uint32_t random;      // of stochastic rounding
};

// The intermediate value between the early and the late conversion.
enum ts_pack_kind {
    TS_PACK_F32,  // sign | exponent 8 | mantissa 23 (FP32, TF32)
    TS_PACK_BF16, // the upper half of it (BF16, E8M6)
    TS_PACK_FP16, // sign | exponent 5 | mantissa 10 (FP16, E5M7, E5M6, FP8)
    TS_PACK_INT,  // INT32, INT16, INT8: bits
};

// Pairs of formats in Dst and L1 that convert a complete row at once.
enum ts_pack_pair {
    TS_PACK_NO_PAIR,
    TS_PACK_BF16_BF16,
    TS_PACK_FP16_FP16,
    TS_PACK_32_32, // FP32, INT32
    TS_PACK_32_BF16,
};

struct ts_pack_plan {
    struct ts_bits *bits; // NULL: silicon
    // input
    uint16_t row[4];       // Dst rows, one per read interface used
    uint8_t rows, per_row; // how many, and data of each
    uint8_t first_col;
    bool zero; // ZeroWrite: data are zero, Dst is not read
    // how counters become rows
    struct {
        uint32_t base, stride[TS_ADC_DIMS]; // in units of a datum's bytes, 1 << shift
    } input;
    uint8_t input_shift, input_mask;
    bool adjacent;        // the rows are next to each other
    uint16_t row_step[4]; // from the first one
    uint64_t extent;      // columns that the rest was derived for; TS_PACK_NO_EXTENT: none
    // how counters step, by address modifier
    ts_adc_yz steps[4][2]; // each channel's
    uint16_t mods[4];      // as configured
    uint8_t returns;       // bit for each: a counter is cleared or uses its carriage return
    bool shift_by_z;       // INT_DESCALE has a value for each Z
    // input from L1 instead
    bool from_l1;
    uint8_t source_bytes; // of a datum there
    int8_t source_shift;  // integers: to the left
    uint32_t source;      // first byte
    uint32_t count;       // data
    // conversion
    uint8_t middle;  // intermediate format, enum ts_format
    uint8_t in, out; // LateFromFormat, LateToFormat
    uint8_t kind;    // enum ts_pack_kind of the intermediate value
    bool read32, raw, is_unsigned, round10;
    uint8_t shift;                  // INT_DESCALE
    bool random_early, random_late; // stochastic rounding of the conversions
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
    uint16_t downsample; // 0: all
    bool accumulate;     // L1 += datum
    bool compress;
    uint32_t data_addr, exp_addr, row_addr; // bytes, used when the packer is not open
    bool flush, last, concat;
    bool add_header, out_fifo; // sideband
    bool bfp;                  // a block format
    uint8_t pair;              // enum ts_pack_pair; none if there is more to do than convert
    bool plain;                // such a pair, and complete rows
    // bookkeeping
    uint8_t adc, thread;
    // for the clock
    uint32_t bytes;     // written to the data stream
    uint32_t row_bytes; // of the widest row
};

struct ts_pack_view {
    const uint32_t *cfg; // the thread's Config bank
    const uint16_t *thd; // the thread's ThreadConfig
    unsigned thread;
    bool stats;           // ENABLE_ACC_STATS of any thread
    struct ts_bits *bits; // NULL: silicon
};

struct ts_refusal ts_pack_plan(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                               struct ts_adcs *adcs, const struct ts_packer *packer,
                               struct ts_args_PACR args);
// The two halves of ts_pack_plan: what follows from configuration, thread and the word but for its
// address modifier and `last`, and can be kept while they stay; and where this PACR reads and
// writes.
struct ts_refusal ts_pack_settings(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                   struct ts_args_PACR args);
struct ts_refusal ts_pack_place(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                                const struct ts_adc *adc, const struct ts_packer *packer,
                                bool last);
struct ts_refusal ts_pack_run(const struct ts_pack_plan *plan, struct ts_packer *packer,
                              const struct ts_dst *dst, uint8_t *l1, uint32_t l1_size);
void ts_pack_return(struct ts_adc *adc, uint32_t mod);
static inline void ts_pack_finish(const struct ts_pack_plan *plan, struct ts_adc *adc,
                                  unsigned addr_mode)
{
    if (__builtin_expect(plan->returns >> addr_mode & 1, 0)) {
        ts_pack_return(adc, plan->mods[addr_mode]);
        return;
    }
    ts_adc_add_yz(&adc->channel[0], plan->steps[addr_mode][0]);
    ts_adc_add_yz(&adc->channel[1], plan->steps[addr_mode][1]);
}

// The counters that the plan uses.
static inline struct ts_adc *ts_pack_adc(const struct ts_pack_plan *plan, struct ts_adcs *adcs)
{
    return &adcs->set[plan->adc][TS_ADC_PACK];
}

// ts_pack_place for a PACR of the same settings that reads the same columns as the one before it;
// the start of a stream is not checked. False: the columns differ, nothing has changed.
bool ts_pack_goes_on(struct ts_pack_plan *plan, const struct ts_pack_view *view,
                     const struct ts_adc *adc, bool last);

// PACR_SETREG: the register write it performs once earlier data have passed the late conversion.
// Bases and scalers are TDMA-RISC state. False: the address is outside the window and nothing is
// written.
struct ts_pack_setreg {
    uint32_t raw;       // as SetPackRegAddr wrote them
    uint32_t base[2];   // SetRegBase
    uint32_t scaler[4]; // SetRegHiScaler, by Out_data_format & 3
};
struct ts_refusal ts_pack_setreg(const struct ts_pack_view *view, const struct ts_pack_setreg *regs,
                                 struct ts_args_PACR_SETREG args, uint32_t *addr, uint32_t *value,
                                 bool *some);

// ---- sideband (sideband.c)

// After the PACR that ends a tile: sizes, and the metadata FIFO.
void ts_pack_account(const struct ts_pack_plan *plan, struct ts_packer *packer);
// SETDMAREG from the packer, input sources 0 to 9; source 8 clears what `packers` names.
void ts_pack_state(const struct ts_pack_view *view, struct ts_packer *packer, unsigned source,
                   unsigned packers, uint32_t value[4]);
// The packer's registers of TDMA-RISC, at 0xFFB11000 + offset. False: none of them. Reading the
// size of a tile from an empty FIFO waits: *wait.
bool ts_pack_tdma_write(struct ts_packer *packer, struct ts_pack_setreg *regs, uint32_t offset,
                        uint32_t value);
bool ts_pack_tdma_read(struct ts_packer *packer, const struct ts_pack_setreg *regs, bool busy,
                       uint32_t offset, uint32_t *value, bool *wait);
// Soft reset of the packer, and of its connection to Dst.
void ts_pack_reset(struct ts_packer *packer);

// CLREXPHIST.
void ts_pack_clear_histogram(struct ts_packer *packer);

// ---- conversion, shared by units/pack ----------------------------------------------------------

// Whether the conversions exist; sets plan->kind.
struct ts_refusal ts_pack_check(struct ts_pack_plan *plan);

// Sixteen cells of Dst (lo only with read32) to intermediate values.
void ts_pack_early(const struct ts_pack_plan *plan, uint32_t v[16], const uint16_t *hi,
                   const uint16_t *lo, uint32_t *random);
void ts_pack_relu(const struct ts_pack_plan *plan, uint32_t v[16]);
void ts_pack_threshold(const struct ts_pack_plan *plan, uint32_t v[16]);
// Intermediate values to L1's layout; block formats come out as sign | exponent | mantissa 7 for
// ts_pack_group.
void ts_pack_late(const struct ts_pack_plan *plan, uint32_t v[16]);
// Rounds FP32 bits to drop `low` of them, adding half or, for stochastic rounding, random bits; the
// value stays in place.
static inline uint32_t ts_pack_round(uint32_t v, unsigned low, uint32_t add)
{
    v = (v & 0x7FFFFFFFu) > 0x7F800000u ? (v & 0x80000000u) | 0x7F800000u : v;
    v = (v + add) & ~((1u << low) - 1);
    return v & 0x7F800000u ? v : 0;
}
// Minus infinity in the intermediate format.
uint32_t ts_pack_neginf(const struct ts_pack_plan *plan);

// Sixteen data (sign 15 | exponent 14:7 | mantissa 6:0) to one shared exponent and `bits` bits
// each, in order in out.
uint8_t ts_pack_group(uint8_t out[16], const uint16_t in[16], unsigned bits);
uint8_t ts_pack_group_random(uint8_t out[16], const uint16_t in[16], unsigned bits,
                             uint32_t *random);

// ---- both conversions at once (direct.c)

enum ts_pack_pair ts_pack_pair_of(const struct ts_pack_plan *plan);
// The rows of a plain plan.
void ts_pack_direct(const struct ts_pack_plan *plan, uint8_t *l1, const struct ts_dst *dst);

// ---- output streams (stream.c)

void ts_pack_open(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1);
void ts_pack_emit(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1,
                  const uint32_t *v, unsigned n);
void ts_pack_end_row(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1);
void ts_pack_close(const struct ts_pack_plan *plan, struct ts_packer *packer, uint8_t *l1);

// L1 accumulation.
uint16_t ts_pack_add_bf16(uint16_t l1, uint16_t datum);
uint16_t ts_pack_add_fp16(uint16_t l1, uint16_t datum);
// The same for up to sixteen data: l1 += data.
void ts_pack_add_row_fp32(uint32_t *l1, const uint32_t *data, unsigned n);
void ts_pack_add_row_bf16(uint16_t *l1, const uint16_t *data, unsigned n);
