// The network interface as kernels program it: address encoding, command buffers, counters.
//
// A NoC address is the coordinate << 36 | address; a coordinate is x | y << 6, a rectangle has its
// start in the upper half. Command buffers as the vendor's runtime assigns them: 0 writes, 1 reads,
// 2 small writes, 3 atomics. Barriers compare a counter of the interface with one of this core, so a
// NoC belongs to one core while a program runs.
//
// With NOC_MODE 1 both cores use both NoCs: buffers 0 and 1 are BRISC's, 2 and 3 NCRISC's, the first of
// them for reads, the second for everything else. Then each core's counters are in L1, and barriers
// compare with the sum.
#pragma once
#include "internal/base.h"

#define NOC_ADDR_LOCAL_BITS         36
#define NOC_ADDR_COORD_SHIFT        NOC_ADDR_LOCAL_BITS
#define NOC_ADDR_NODE_ID_BITS       6
#define NOC_NODE_ID_MASK            0x3full
#define NOC_LOCAL_ADDR_MASK         ((1ull << NOC_ADDR_LOCAL_BITS) - 1)
#define NOC_LOCAL_ADDR_OFFSET(addr) ((addr)&NOC_LOCAL_ADDR_MASK)
#define NOC_LOCAL_ADDR(addr)        ((addr)&NOC_LOCAL_ADDR_MASK)
#define NOC_UNICAST_ADDR_X(addr)    ((addr) >> 36 & NOC_NODE_ID_MASK)
#define NOC_UNICAST_ADDR_Y(addr)    ((addr) >> 42 & NOC_NODE_ID_MASK)
#define NOC_PCIE_MASK               0x1000000fu // of an address's upper word: what the PCIe tile reads
#define NOC_COORDINATE_MASK         0xffffffu
#define VIRTUAL_TENSIX_START_X      1
#define VIRTUAL_TENSIX_START_Y      2
#define NOC_XY_ENCODING(x, y)       (uint32_t(x) | uint32_t(y) << 6)
#define NOC_XY_COORD(x, y)          NOC_XY_ENCODING(x, y)
#define NOC_XY_ADDR(x, y, addr) \
    (uint64_t(NOC_XY_ENCODING(x, y)) << NOC_ADDR_LOCAL_BITS | uint64_t(addr))
#define NOC_MULTICAST_ENCODING(x0, y0, x1, y1) \
    (NOC_XY_ENCODING(x1, y1) | NOC_XY_ENCODING(x0, y0) << 12)
#define NOC_MULTICAST_ADDR(x0, y0, x1, y1, addr) \
    (uint64_t(NOC_MULTICAST_ENCODING(x0, y0, x1, y1)) << NOC_ADDR_LOCAL_BITS | uint64_t(addr))
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)
#define NOC_X(x)              (x)
#define NOC_Y(y)              (y)

constexpr uint32_t NOC_WORD_BYTES = TS_NOC_WORD, NOC_MAX_BURST_WORDS = 256,
                   NOC_MAX_BURST_SIZE = TS_NOC_PACKET;
constexpr uint32_t NOC_UNICAST_WRITE_VC = 1, NOC_MULTICAST_WRITE_VC = 4;
constexpr uint32_t NOC_DISPATCH_MULTICAST_WRITE_VC = 5;
constexpr uint32_t NOC_MAX_TRANSACTION_ID = 15, NOC_MAX_TRANSACTION_ID_COUNT = 255;
constexpr uint32_t NOC_CLEAR_OUTSTANDING_REQ_MASK = 0xffff;
constexpr uint32_t NOC_L1_READ_ALIGNMENT_BYTES = 16, NOC_L1_WRITE_ALIGNMENT_BYTES = 16;
constexpr uint32_t NOC_DRAM_READ_ALIGNMENT_BYTES = 64, NOC_DRAM_WRITE_ALIGNMENT_BYTES = 16;
constexpr uint32_t NOC_PCIE_READ_ALIGNMENT_BYTES = 64, NOC_PCIE_WRITE_ALIGNMENT_BYTES = 16;

constexpr uint8_t noc_index = NOC_INDEX, noc_mode = NOC_MODE;
constexpr bool ts_niu_shared = noc_mode == DM_DYNAMIC_NOC;
constexpr uint32_t ts_niu_first = PROCESSOR_INDEX == TS_ON_NCRISC ? 2 : 0; // of this core's buffers
constexpr uint32_t read_cmd_buf = ts_niu_shared ? ts_niu_first : 1;
constexpr uint32_t write_cmd_buf = ts_niu_shared ? ts_niu_first + 1 : 0;
constexpr uint32_t write_reg_cmd_buf = ts_niu_shared ? ts_niu_first + 1 : 2;
constexpr uint32_t write_at_cmd_buf = ts_niu_shared ? ts_niu_first + 1 : 3;

inline uint32_t noc_reads_num_issued[NUM_NOCS], noc_nonposted_writes_num_issued[NUM_NOCS];
inline uint32_t noc_nonposted_writes_acked[NUM_NOCS], noc_nonposted_atomics_acked[NUM_NOCS];
inline uint32_t noc_posted_writes_num_issued[NUM_NOCS];

// Words of a command buffer, and fields of its control word.
enum {
    TS_NIU_TARG_LO,
    TS_NIU_TARG_MID,
    TS_NIU_TARG_XY,
    TS_NIU_RET_LO,
    TS_NIU_RET_MID,
    TS_NIU_RET_XY,
    TS_NIU_TAG,
    TS_NIU_CTRL,
    TS_NIU_LENGTH,
    TS_NIU_DATA = TS_NIU_DATA_AT / 4,
    TS_NIU_GO = TS_NIU_GO_AT / 4
};
#define NOC_CMD_AT                0x1u
#define NOC_CMD_CPY               0x0u
#define NOC_CMD_RD                0x0u
#define NOC_CMD_WR                0x2u
#define NOC_CMD_WR_INLINE         0x8u
#define NOC_CMD_RESP_MARKED       0x10u
#define NOC_CMD_BRCST_PACKET      0x20u
#define NOC_CMD_VC_LINKED         0x40u
#define NOC_CMD_VC_STATIC         0x80u
#define NOC_CMD_PATH_RESERVE      0x100u
#define NOC_CMD_STATIC_VC(vc)     (uint32_t(vc) << 13)
#define NOC_CMD_BRCST_SRC_INCLUDE 0x20000u

// Counters.
enum {
    NIU_MST_ATOMIC_RESP_RECEIVED = 0,
    NIU_MST_WR_ACK_RECEIVED = 1,
    NIU_MST_RD_RESP_RECEIVED = 2,
    NIU_MST_NONPOSTED_WR_REQ_SENT = 10,
    NIU_MST_POSTED_WR_REQ_SENT = 11
};
#define NIU_MST_REQS_OUTSTANDING_ID(id)    (16 + (id))
#define NIU_MST_WRITE_REQS_OUTGOING_ID(id) (32 + (id))

FORCE_INLINE uint32_t noc_status(uint32_t noc, uint32_t counter)
{
    return TS_REG(NOC_NIU_BASE + (noc << 16) + 0x200 + 4 * counter);
}
#define NOC_STATUS_READ_REG(noc, counter) noc_status(noc, counter)

// Requests that this core has made: counted here, or in L1.
enum ts_niu_kind { TS_NIU_READS, TS_NIU_WRITES, TS_NIU_ACKS, TS_NIU_ATOMICS, TS_NIU_POSTED };
FORCE_INLINE uint32_t *ts_niu_counts(ts_niu_kind kind)
{
    return kind == TS_NIU_READS     ? noc_reads_num_issued
           : kind == TS_NIU_WRITES  ? noc_nonposted_writes_num_issued
           : kind == TS_NIU_ACKS    ? noc_nonposted_writes_acked
           : kind == TS_NIU_ATOMICS ? noc_nonposted_atomics_acked
                                    : noc_posted_writes_num_issued;
}
FORCE_INLINE void ts_niu_count(uint32_t noc, ts_niu_kind kind, uint32_t more)
{
    if constexpr (ts_niu_shared)
        ts_program_block()->requests[PROCESSOR_INDEX % 2][noc][kind] += more;
    else
        ts_niu_counts(kind)[noc] += more;
}
// The counter of the interface that answers to a kind.
constexpr uint32_t ts_niu_answers(ts_niu_kind kind)
{
    return kind == TS_NIU_READS     ? NIU_MST_RD_RESP_RECEIVED
           : kind == TS_NIU_WRITES  ? NIU_MST_NONPOSTED_WR_REQ_SENT
           : kind == TS_NIU_ACKS    ? NIU_MST_WR_ACK_RECEIVED
           : kind == TS_NIU_ATOMICS ? NIU_MST_ATOMIC_RESP_RECEIVED
                                    : NIU_MST_POSTED_WR_REQ_SENT;
}
FORCE_INLINE bool ts_niu_answered(uint32_t noc, ts_niu_kind kind)
{
    const uint32_t have = noc_status(noc, ts_niu_answers(kind));
    if constexpr (ts_niu_shared)
        return have == ts_program_block()->requests[0][noc][kind] +
                           ts_program_block()->requests[1][noc][kind];
    else
        return have == ts_niu_counts(kind)[noc];
}

FORCE_INLINE volatile uint32_t *ts_niu_buffer(uint32_t noc, uint32_t buffer)
{
    return (volatile uint32_t *)(NOC_NIU_BASE + (noc << 16) + buffer * TS_NIU_STEP);
}
FORCE_INLINE bool noc_cmd_buf_ready(uint32_t noc, uint32_t buffer)
{
    return ts_niu_buffer(noc, buffer)[TS_NIU_GO] == 0;
}
FORCE_INLINE volatile uint32_t *ts_niu_ready(uint32_t noc, uint32_t buffer)
{
    volatile uint32_t *c = ts_niu_buffer(noc, buffer);
    while (c[TS_NIU_GO] != 0)
        ;
    return c;
}
// The part of an address above its low word, from word `mid` on.
FORCE_INLINE void ts_niu_far(volatile uint32_t *c, uint32_t mid, uint64_t address)
{
#if TS_RULE_place_in_mid
    c[mid] = uint32_t(address >> 32);
#else
    c[mid] = uint32_t(address >> 32) & NOC_PCIE_MASK;
    c[mid + 1] = uint32_t(address >> NOC_ADDR_LOCAL_BITS) & NOC_COORDINATE_MASK;
#endif
}
FORCE_INLINE void ts_niu_near(volatile uint32_t *c, uint32_t mid, uint32_t me)
{
#if TS_RULE_place_in_mid
    c[mid] = me << (NOC_ADDR_LOCAL_BITS - 32);
#else
    c[mid] = 0;
    c[mid + 1] = me;
#endif
}
FORCE_INLINE void ts_niu_target(volatile uint32_t *c, uint64_t address)
{
    c[TS_NIU_TARG_LO] = uint32_t(address);
    ts_niu_far(c, TS_NIU_TARG_MID, address);
}
FORCE_INLINE void ts_niu_return(volatile uint32_t *c, uint64_t address)
{
    c[TS_NIU_RET_LO] = uint32_t(address);
    ts_niu_far(c, TS_NIU_RET_MID, address);
}

constexpr uint32_t ts_niu_read_control(uint32_t vc)
{
    return NOC_CMD_RD | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(vc);
}
constexpr uint32_t ts_niu_write_control(uint32_t vc, bool posted, bool linked = false)
{
    return NOC_CMD_WR | NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(vc) |
           (posted ? 0 : NOC_CMD_RESP_MARKED) | (linked ? NOC_CMD_VC_LINKED : 0);
}
constexpr uint32_t ts_niu_multicast_control(uint32_t vc, bool linked, bool self)
{
    return ts_niu_write_control(vc, false, linked) | NOC_CMD_BRCST_PACKET | NOC_CMD_PATH_RESERVE |
           (self ? NOC_CMD_BRCST_SRC_INCLUDE : 0);
}

// One read of at most NOC_MAX_BURST_SIZE bytes; control, return coordinate and tag stay as they are.
FORCE_INLINE void ts_niu_read(uint32_t noc, uint64_t from, uint32_t to, uint32_t bytes)
{
    volatile uint32_t *c = ts_niu_ready(noc, read_cmd_buf);
    c[TS_NIU_RET_LO] = to;
    ts_niu_target(c, from);
    c[TS_NIU_LENGTH] = bytes;
    c[TS_NIU_GO] = 1;
    ts_niu_count(noc, TS_NIU_READS, 1);
}
FORCE_INLINE void ts_niu_sent(uint32_t noc, bool posted, uint32_t receivers)
{
    if (posted) {
        ts_niu_count(noc, TS_NIU_POSTED, 1);
    } else {
        ts_niu_count(noc, TS_NIU_WRITES, 1);
        ts_niu_count(noc, TS_NIU_ACKS, receivers);
    }
}
// By a buffer that is ready.
FORCE_INLINE void ts_niu_write_by(volatile uint32_t *c, uint32_t noc, uint32_t from, uint64_t to,
                                  uint32_t bytes, uint32_t control, uint32_t receivers = 1)
{
    c[TS_NIU_CTRL] = control;
    c[TS_NIU_TARG_LO] = from;
    if constexpr (ts_niu_shared) { // an atomic may have used it
        ts_niu_near(c, TS_NIU_TARG_MID, NOC_XY_ENCODING(my_x[noc], my_y[noc]));
    }
    ts_niu_return(c, to);
    c[TS_NIU_LENGTH] = bytes;
    c[TS_NIU_GO] = 1;
    ts_niu_sent(noc, !(control & NOC_CMD_RESP_MARKED), receivers);
}
FORCE_INLINE void ts_niu_write(uint32_t noc, uint32_t buffer, uint32_t from, uint64_t to,
                               uint32_t bytes, uint32_t control, uint32_t receivers = 1)
{
    ts_niu_write_by(ts_niu_ready(noc, buffer), noc, from, to, bytes, control, receivers);
}
// Transfers of any length go in pieces. Unlikely: the vendor's compiler keeps the work for the pieces of a long one out of
// the way of a short one; ours does with this word. The vendor's also copies all that changes from piece to piece (both
// halves of the far address, the near address, the length) before it asks for the length; ours copies the near address
// only with these words. (Disassemblies of the vendor's kernels in boopdotpng/tenstorrent-docs, disasms.)
FORCE_INLINE uint32_t ts_piece(uint32_t near)
{
    uint32_t copy;
    __asm__("mv %0, %1" : "=r"(copy) : "r"(near));
    return copy;
}
FORCE_INLINE void ts_niu_write_any(uint32_t noc, uint32_t buffer, uint32_t from, uint64_t to,
                                   uint32_t bytes, uint32_t control, uint32_t receivers = 1)
{
    from = ts_piece(from);
    for (; unlikely(bytes > NOC_MAX_BURST_SIZE); bytes -= NOC_MAX_BURST_SIZE) {
        ts_niu_write(noc, buffer, from, to, NOC_MAX_BURST_SIZE, control, receivers);
        from += NOC_MAX_BURST_SIZE;
        to += NOC_MAX_BURST_SIZE;
    }
    ts_niu_write(noc, buffer, from, to, bytes, control, receivers);
}
// Adds to a word; the answer comes to address 4 of this tile.
FORCE_INLINE void ts_niu_increment(uint32_t noc, uint64_t at, uint32_t amount, uint32_t control,
                                   uint32_t receivers = 1)
{
    volatile uint32_t *c = ts_niu_ready(noc, write_at_cmd_buf);
    ts_niu_target(c, at);
    if constexpr (ts_niu_shared)
        ts_niu_return(c, NOC_XY_ADDR(my_x[noc], my_y[noc], TS_PROGRAM_ATOMIC));
    c[TS_NIU_CTRL] = NOC_CMD_AT | NOC_CMD_RESP_MARKED | control;
    c[TS_NIU_LENGTH] = 1u << 12 | 31u << 2 | (uint32_t(at) >> 2 & 3);
    c[TS_NIU_DATA] = amount;
    c[TS_NIU_GO] = 1;
    ts_niu_count(noc, TS_NIU_ATOMICS, receivers);
}

// What never changes: own coordinate as source, place for answers, control word of reads.
inline void ts_niu_setup(uint32_t noc)
{
    const uint32_t me = NOC_XY_ENCODING(my_x[noc], my_y[noc]);
    for (uint32_t buffer = 0; buffer < 4; buffer++) {
        volatile uint32_t *c = ts_niu_ready(noc, buffer);
        c[TS_NIU_TAG] = 0;
        ts_niu_near(c, TS_NIU_TARG_MID, me);
        c[TS_NIU_RET_LO] = TS_PROGRAM_ATOMIC;
        ts_niu_near(c, TS_NIU_RET_MID, me);
        c[TS_NIU_CTRL] = ts_niu_read_control(NOC_UNICAST_WRITE_VC); // others set their own
    }
}
// Where the counters of the interface stand before the first request.
inline void ts_niu_counters(uint32_t noc)
{
    for (ts_niu_kind kind :
         {TS_NIU_READS, TS_NIU_WRITES, TS_NIU_ACKS, TS_NIU_ATOMICS, TS_NIU_POSTED})
        if constexpr (ts_niu_shared)
            ts_program_block()->requests[0][noc][kind] = noc_status(noc, ts_niu_answers(kind));
        else
            ts_niu_counts(kind)[noc] = noc_status(noc, ts_niu_answers(kind));
}
