// The unpackers' work: from an UNPACR and the configuration to addresses, and from L1 to SrcA, SrcB
// or Dst.
//
//   L1 --> [ address | convert | decompress, upsample ] --> SrcA or Dst (unpacker 0), SrcB
//   (unpacker 1)
//
// Three steps, so that a timed component can put time between them:
//   ts_unpack_plan    reads configuration and counters, changes nothing; the plan says how many
//   bytes of L1 it
//                     takes and at what speed
//   ts_unpack_run     moves the data; needs the bank
//   ts_unpack_count, ts_unpack_hand_over  step the counters and hand the bank over
//
// Source: tt-isa-documentation UNPACR_Regular.md, Unpackers/README.md, UNPACR_NOP_*.md, ADCs.md;
//   tenstorrent/ttsim 1.10.0 for Blackhole's differences.
// Inaccuracies: UNPACR's srcb_bcast and metadata contexts have no public specification and are
//   refused. UNPACR_NOP that clears to UNP_NOP_REG_CLR_VAL takes the register's upper 19 bits for
//   the Src word (assumed: only its name is public).
#pragma once

#include "units/files/adc.h"
#include "units/files/dst.h"
#include "units/files/src.h"
#include "units/isa/bits.h"
#include "units/refusal.h"

// An unpacker's state between instructions.
struct ts_unpacker {
    uint8_t src_row[TS_THREADS]; // first row, when the output address does not give all of it
    uint8_t context[TS_THREADS]; // context counter
    uint8_t last_format;         // output format of the last UNPACR
    bool any_format;             // there was one
};

enum ts_unpack_target { TS_UNPACK_SRCA, TS_UNPACK_SRCB, TS_UNPACK_DST };

struct ts_unpack_plan {
    struct ts_args_UNPACR args; // of its word
    // input
    uint8_t in_format, out_format; // enum ts_format
    bool uncompressed;
    bool bfp;        // a block format
    bool forced_exp; // the exponent of all data is `exponent`
    uint8_t exponent;
    bool int8_unsigned, fp8_e4m3;
    bool fp8_plain;       // the machine's rule of that name
    bool zero;            // ZeroWrite: all data are zero
    uint32_t count;       // data to read; UINT32_MAX when `out_count` ends a decompression
    uint32_t out_count;   // data to write
    uint32_t drop;        // decompressed data to drop first
    uint64_t data_bit;    // position of the first datum, in bits from L1's start
    uint64_t exp_16th;    // position of its exponent, in sixteenths of a byte
    uint64_t delta_bit;   // position of its zero count (compressed data)
    uint32_t row_data;    // contiguous data
    uint32_t row_stride;  // bytes from one such row to the next
    uint32_t limit, wrap; // an address above `limit` bytes loses `wrap` bytes
    // output
    uint8_t target; // enum ts_unpack_target
    uint8_t which;  // unpacker
    bool transpose;
    bool row_from_address; // SRCA_SET_SetOvrdWithAddr
    bool dst32;
    uint8_t upsample; // zeros after each datum
    bool interleave;  // skip positions instead of writing zeros
    uint8_t col_shift;
    uint8_t src_row;
    uint32_t out; // position in data, 16 a row; SrcA and Dst are 64 above their first
    // the tile, and how counters become positions in it and in the output
    struct {
        uint32_t x, y, z, blobs; // as described
        uint32_t starts;         // of blobs, four bits each
        uint16_t base;           // register that holds its address
        uint32_t head;           // 16-byte units from there to the first section
        uint32_t rows, exps;     // bytes of row starts and of exponents
    } tile;
    bool row_search, tileize;
    struct {
        uint32_t base, stride[TS_ADC_DIMS]; // bytes
        uint32_t offset;                    // data, of the context
        uint8_t shift;                      // bytes of a datum, 1 << shift
        bool absolute;                      // only the offset counts
    } output;
    // bookkeeping
    uint8_t adc, context;
    // for the clock
    uint8_t burst;       // rows of Src that are written at once, a power of two
    uint32_t bytes;      // data bytes fetched from L1, exponents not counted
    uint8_t bytes_shift; // 16 << this: bytes per cycle that the configuration selects (0 to 3)
};

// Which configuration an UNPACR sees.
struct ts_unpack_view {
    const uint32_t *cfg; // the thread's Config bank
    const uint16_t *thd; // the thread's ThreadConfig
    unsigned thread;
    const uint8_t *l1; // row starts of compressed data are read from here
    uint32_t l1_size;
    struct ts_bits *bits; // NULL: silicon
};

// SrcA and Dst rows start four rows up in unpacker 0's output space.
#define TS_UNPACK_BIAS 64
// The first row of Dst that a plan writes.
static inline uint32_t ts_unpack_dst_row(const struct ts_unpack_plan *plan)
{
    return plan->out < TS_UNPACK_BIAS ? 0 : (plan->out - TS_UNPACK_BIAS) / 16;
}

struct ts_refusal ts_unpack_plan(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                 const struct ts_adcs *adcs, const struct ts_unpacker *unpacker,
                                 struct ts_args_UNPACR args);
// The two halves of ts_unpack_plan: what follows from configuration, thread, word and context
// counter, and can be kept while they stay; and where this UNPACR reads and writes.
struct ts_refusal ts_unpack_settings(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                     const struct ts_unpacker *unpacker,
                                     struct ts_args_UNPACR args);
struct ts_refusal ts_unpack_place(struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                                  const struct ts_adcs *adcs, const struct ts_unpacker *unpacker);
struct ts_refusal ts_unpack_run(const struct ts_unpack_plan *plan, struct ts_srcs *srcs,
                                struct ts_dst *dst, const uint8_t *l1, uint32_t l1_size);
// The counters step in the address phase, the bank is handed over at the end of the data phase.
void ts_unpack_count(const struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                     struct ts_adcs *adcs, struct ts_unpacker *unpacker);
void ts_unpack_hand_over(const struct ts_unpack_plan *plan, const struct ts_unpack_view *view,
                         struct ts_unpacker *unpacker, struct ts_srcs *srcs);

// UNPACR's other modes. True when the word is one of them; it is then complete.
bool ts_unpack_other(const struct ts_unpack_view *view, struct ts_unpacker *unpacker,
                     struct ts_args_UNPACR args);

// UNPACR_NOP. The bank to wait for is that of ts_unpack_nop_bank; a word that writes a register
// returns the write in `write` for the caller to perform.
struct ts_unpack_nop_write {
    bool some;
    uint32_t stream, value;
};
// Bank that the unpacker must own before the word may run; -1: none.
bool ts_unpack_nop_gives(struct ts_bits *bits, struct ts_args_UNPACR_NOP args); // its bank away?
int ts_unpack_nop_bank(const struct ts_srcs *srcs, struct ts_args_UNPACR_NOP args);
struct ts_refusal ts_unpack_nop(const struct ts_unpack_view *view, struct ts_unpacker *unpacker,
                                struct ts_srcs *srcs, struct ts_args_UNPACR_NOP args,
                                struct ts_unpack_nop_write *write);

// SETDVALID: hands banks over without unpacking. which bits 0 SrcA, 1 SrcB. The recorded format is that
// of the unpacker's last UNPACR (rule setdvalid_format), or the configured one before the first.
void ts_setdvalid(const struct ts_unpack_view *view, struct ts_unpacker unpackers[2],
                  struct ts_srcs *srcs, unsigned which);

// STOREIND to a Src file: four BF16 data from two GPRs, to the unpacker's bank (which the unpacker
// must own). The low half of a GPR holds its datum in Dst's field order, the high half in the
// natural one, as in hardware.
struct ts_refusal ts_src_store(const struct ts_unpack_view *view,
                               const struct ts_unpacker unpackers[2], struct ts_srcs *srcs,
                               bool srcb, uint32_t addr, const uint32_t gprs[2]);

// ---- conversion, shared by units/unpack --------------------------------------------------------

// Converts one datum in L1's format to a Src word or, for Dst, to cells.
uint32_t ts_unpack_datum(const struct ts_unpack_plan *plan, uint32_t bits, uint8_t exponent);

// Whether the format pair exists.
struct ts_refusal ts_unpack_check(const struct ts_unpack_plan *plan);

// Converts contiguous rows of 16 data to contiguous Src words; each row has its shared exponent in
// `exponents` (NULL: the plan's for all).
void ts_unpack_rows(const struct ts_unpack_plan *plan, uint32_t *out, const uint8_t *in,
                    const uint8_t *exponents, unsigned rows);
