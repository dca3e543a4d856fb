// Data movement as functions: reads, writes, multicasts, barriers, semaphores.
//
// Transfers longer than NOC_MAX_BURST_SIZE go in pieces. `noc` is the kernel's own NoC unless the
// caller says otherwise. Template parameters that only serve tracing have no effect.
#pragma once
#include "internal/accessor.h"

enum class InlineWriteDst { DEFAULT, L1, REG };

// --- barriers ---

FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index)
{
    while (!ts_niu_answered(noc, TS_NIU_READS))
        ;
    invalidate_l1_cache();
}
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index)
{
    while (!ts_niu_answered(noc, TS_NIU_ACKS))
        ;
    invalidate_l1_cache();
}
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index)
{
    while (!ts_niu_answered(noc, TS_NIU_WRITES))
        ;
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index)
{
    while (!ts_niu_answered(noc, TS_NIU_POSTED))
        ;
}
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index)
{
    while (!ts_niu_answered(noc, TS_NIU_ATOMICS))
        ;
    invalidate_l1_cache();
}
// The counts of requests as the NIUs have them, for kernels that left some out.
FORCE_INLINE void ncrisc_noc_counters_init()
{
    for (uint32_t noc = 0; noc < NUM_NOCS; noc++)
        ts_niu_counters(noc);
}
FORCE_INLINE void dynamic_noc_local_state_init()
{
    ncrisc_noc_counters_init();
}
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index)
{
    noc_async_read_barrier(noc);
    noc_async_writes_flushed(noc);
    noc_async_write_barrier(noc);
    noc_async_posted_writes_flushed(noc);
    noc_async_atomic_barrier(noc);
}

// --- reads ---

FORCE_INLINE void ts_read_vc(uint32_t vc, uint8_t noc)
{
    if (vc != NOC_UNICAST_WRITE_VC)
        ts_niu_ready(noc, read_cmd_buf)[TS_NIU_CTRL] = ts_niu_read_control(vc);
}
template <bool tracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t bytes,
                                            uint8_t noc = noc_index,
                                            uint32_t vc = NOC_UNICAST_WRITE_VC)
{
    ts_read_vc(vc, noc);
    ts_niu_read(noc, from, to, bytes);
    ts_read_vc(vc ^ NOC_UNICAST_WRITE_VC ? NOC_UNICAST_WRITE_VC : vc, noc);
}
template <uint32_t most = NOC_MAX_BURST_SIZE + 1, bool tracing = true>
inline void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index,
                           uint32_t vc = NOC_UNICAST_WRITE_VC)
{
    if constexpr (most > NOC_MAX_BURST_SIZE) {
        to = ts_piece(to);
        for (; unlikely(bytes > NOC_MAX_BURST_SIZE); bytes -= NOC_MAX_BURST_SIZE) {
            noc_async_read_one_packet(from, to, NOC_MAX_BURST_SIZE, noc, vc);
            from += NOC_MAX_BURST_SIZE;
            to += NOC_MAX_BURST_SIZE;
        }
    }
    noc_async_read_one_packet(from, to, bytes, noc, vc);
}

// Control, coordinate and size once; then two registers a read.
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t from, uint32_t bytes,
                                                      uint32_t vc = 0, uint8_t noc = noc_index)
{
    volatile uint32_t *c = ts_niu_ready(noc, read_cmd_buf);
    if constexpr (use_vc)
        c[TS_NIU_CTRL] = ts_niu_read_control(vc);
    ts_niu_far(c, TS_NIU_TARG_MID, from);
    c[TS_NIU_LENGTH] = bytes;
}
template <bool count = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to, uint32_t vc = 0,
                                                       uint8_t noc = noc_index)
{
    (void)vc;
    volatile uint32_t *c = ts_niu_ready(noc, read_cmd_buf);
    c[TS_NIU_RET_LO] = to;
    c[TS_NIU_TARG_LO] = from;
    c[TS_NIU_GO] = 1;
    if constexpr (count)
        ts_niu_count(noc, TS_NIU_READS, 1);
}
FORCE_INLINE void noc_async_read_set_state(uint64_t from, uint8_t noc = noc_index)
{
    volatile uint32_t *c = ts_niu_ready(noc, read_cmd_buf);
    ts_niu_far(c, TS_NIU_TARG_MID, from);
}
template <bool count = true>
FORCE_INLINE void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t bytes,
                                            uint8_t noc = noc_index)
{
    if (unlikely(bytes > NOC_MAX_BURST_SIZE)) {
        ts_niu_buffer(noc, read_cmd_buf)[TS_NIU_LENGTH] = NOC_MAX_BURST_SIZE;
        for (; bytes > NOC_MAX_BURST_SIZE; bytes -= NOC_MAX_BURST_SIZE) {
            noc_async_read_one_packet_with_state<count>(from, to, 0, noc);
            from += NOC_MAX_BURST_SIZE;
            to += NOC_MAX_BURST_SIZE;
        }
    }
    volatile uint32_t *c = ts_niu_ready(noc, read_cmd_buf);
    c[TS_NIU_RET_LO] = to;
    c[TS_NIU_TARG_LO] = from;
    c[TS_NIU_LENGTH] = bytes;
    c[TS_NIU_GO] = 1;
    if constexpr (count)
        ts_niu_count(noc, TS_NIU_READS, 1);
}
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t count, uint8_t noc = noc_index)
{
    ts_niu_count(noc, TS_NIU_READS, count);
}

// --- writes ---

template <bool tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t bytes,
                                             uint8_t noc = noc_index,
                                             uint32_t vc = NOC_UNICAST_WRITE_VC)
{
    ts_niu_write(noc, write_cmd_buf, from, to, bytes, ts_niu_write_control(vc, posted));
}
template <uint32_t most = NOC_MAX_BURST_SIZE + 1, bool tracing = true, bool posted = false>
inline void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index,
                            uint32_t vc = NOC_UNICAST_WRITE_VC)
{
    if constexpr (most <= NOC_MAX_BURST_SIZE)
        ts_niu_write(noc, write_cmd_buf, from, to, bytes, ts_niu_write_control(vc, posted));
    else
        ts_niu_write_any(noc, write_cmd_buf, from, to, bytes, ts_niu_write_control(vc, posted));
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t to, uint32_t bytes,
                                                       uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC)
{
    volatile uint32_t *c = ts_niu_ready(noc, write_cmd_buf);
    c[TS_NIU_CTRL] = ts_niu_write_control(vc, posted);
    ts_niu_far(c, TS_NIU_RET_MID, to);
    c[TS_NIU_LENGTH] = bytes;
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to,
                                                        uint8_t noc = noc_index)
{
    volatile uint32_t *c = ts_niu_ready(noc, write_cmd_buf);
    c[TS_NIU_TARG_LO] = from;
    c[TS_NIU_RET_LO] = to;
    c[TS_NIU_GO] = 1;
    ts_niu_sent(noc, posted, 1);
}

// --- multicasts: to a rectangle, without this core unless "loopback" ---

template <bool tracing = true>
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t bytes,
                                                       uint32_t receivers, bool linked = false,
                                                       uint8_t noc = noc_index)
{
    ts_niu_write(noc, write_cmd_buf, from, to, bytes,
                 ts_niu_multicast_control(NOC_MULTICAST_WRITE_VC, linked, false), receivers);
}
template <uint32_t most = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes,
                                      uint32_t receivers, bool linked = false,
                                      uint8_t noc = noc_index, uint8_t vc = NOC_MULTICAST_WRITE_VC)
{
    ts_niu_write_any(noc, write_cmd_buf, from, to, bytes,
                     ts_niu_multicast_control(vc, linked, false), receivers);
}
inline void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t bytes,
                                                   uint32_t receivers, bool linked = false,
                                                   uint8_t noc = noc_index)
{
    ts_niu_write_any(noc, write_cmd_buf, from, to, bytes,
                     ts_niu_multicast_control(NOC_MULTICAST_WRITE_VC, linked, true), receivers);
}

// --- pages ---

template <typename AddrGen, bool tracing = true>
FORCE_INLINE void noc_async_read_page(uint32_t id, const AddrGen &generator, uint32_t to,
                                      uint32_t offset = 0, uint8_t noc = noc_index)
{
    const uint32_t bytes = generator.get_aligned_page_size();
    noc_async_read(generator.get_noc_addr(id, offset, noc), to, bytes, noc);
}
template <typename AddrGen>
FORCE_INLINE void noc_async_read_tile(uint32_t id, const AddrGen &generator, uint32_t to,
                                      uint32_t offset = 0, uint8_t noc = noc_index)
{
    noc_async_read_page(id, generator, to, offset, noc);
}
template <typename AddrGen, bool tracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_page(uint32_t id, const AddrGen &generator, uint32_t from,
                                       uint32_t bytes = 0, uint32_t offset = 0,
                                       uint8_t noc = noc_index)
{
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        from, generator.get_noc_addr(id, offset, noc),
        bytes ? bytes : generator.get_aligned_page_size(), noc);
}
template <typename AddrGen>
FORCE_INLINE void noc_async_write_tile(uint32_t id, const AddrGen &generator, uint32_t from,
                                       uint8_t noc = noc_index)
{
    noc_async_write_page(id, generator, from, 0, 0, noc);
}
template <typename Args>
FORCE_INLINE void noc_async_read_shard(uint32_t shard, const TensorAccessor<Args> &tensor,
                                       uint32_t to, uint8_t noc = noc_index)
{
    noc_async_read(tensor.get_shard_noc_addr(shard, 0, noc), to,
                   tensor.dspec().shard_volume() * tensor.get_aligned_page_size(), noc);
}
template <typename Args, bool posted = false>
FORCE_INLINE void noc_async_write_shard(uint32_t shard, const TensorAccessor<Args> &tensor,
                                        uint32_t from, uint8_t noc = noc_index)
{
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, posted>(
        from, tensor.get_shard_noc_addr(shard, 0, noc),
        tensor.dspec().shard_volume() * tensor.get_aligned_page_size(), noc);
}

// --- semaphores ---

inline uint32_t ts_semaphores; // L1 address of number 0

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uintptr_t get_semaphore(uint32_t id)
{
    return ts_semaphores + TS_SEMAPHORE_STEP * id;
}
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
    do {
        invalidate_l1_cache();
    } while (*semaphore != value);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
    do {
        invalidate_l1_cache();
    } while (*semaphore < value);
}
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t *semaphore, uint32_t value)
{
    *semaphore = value;
}
inline void noc_semaphore_set_remote(uint32_t from, uint64_t to, uint8_t noc = noc_index)
{
    ts_niu_write(noc, write_reg_cmd_buf, from, to, 4,
                 ts_niu_write_control(NOC_UNICAST_WRITE_VC, false));
}
inline void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t receivers,
                                        bool linked = false, uint8_t noc = noc_index,
                                        uint8_t vc = NOC_MULTICAST_WRITE_VC)
{
    ts_niu_write(noc, write_reg_cmd_buf, from, to, 4, ts_niu_multicast_control(vc, linked, false),
                 receivers);
}
inline void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t receivers,
                                                     bool linked = false, uint8_t noc = noc_index)
{
    ts_niu_write(noc, write_reg_cmd_buf, from, to, 4,
                 ts_niu_multicast_control(NOC_MULTICAST_WRITE_VC, linked, true), receivers);
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t at, uint32_t amount, uint8_t noc = noc_index,
                                    uint8_t vc = NOC_UNICAST_WRITE_VC)
{
    ts_niu_increment(noc, at, amount, NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(vc));
}
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t at, uint32_t amount, uint32_t receivers,
                                              uint8_t noc = noc_index,
                                              uint8_t vc = NOC_MULTICAST_WRITE_VC)
{
    ts_niu_increment(noc, at, amount,
                     NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(vc) | NOC_CMD_BRCST_PACKET |
                         NOC_CMD_PATH_RESERVE,
                     receivers);
}

// --- a word by value: to L1 through a slot of this core, as an ordinary write of four bytes ---

template <InlineWriteDst kind = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
FORCE_INLINE void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t enabled = 0xf,
                                      uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC,
                                      uint32_t slot = 0)
{
    (void)enabled;
    if (kind == InlineWriteDst::REG ||
        (kind == InlineWriteDst::DEFAULT && uint32_t(to) >= 0xff000000u)) {
        volatile uint32_t *c = ts_niu_ready(noc, write_at_cmd_buf);
        c[TS_NIU_DATA] = value;
        c[TS_NIU_CTRL] = ts_niu_write_control(vc, posted) | NOC_CMD_WR_INLINE;
        ts_niu_target(c, to);
        c[TS_NIU_LENGTH] = 4;
        c[TS_NIU_GO] = 1;
        ts_niu_sent(noc, posted, 1);
        return;
    }
    if (slot == 0)
        slot = TS_PROGRAM_INLINE + 32 * PROCESSOR_INDEX + 16 * noc;
    slot += uint32_t(to) & 0xf;
    if constexpr (flush)
        noc_async_writes_flushed(noc); // the slot is free
    TS_REG(slot) = value;
    ts_arrived(TS_REG(slot));
    ts_niu_write(noc, write_reg_cmd_buf, slot, to, 4, ts_niu_write_control(vc, posted));
}

// --- transaction tags ---

FORCE_INLINE void noc_async_read_set_trid(uint32_t tag = 0, uint8_t noc = noc_index)
{
    ts_niu_ready(noc, read_cmd_buf)[TS_NIU_TAG] = tag << 10;
}
FORCE_INLINE void noc_async_write_set_trid(uint32_t tag = 0, uint8_t noc = noc_index)
{
    ts_niu_ready(noc, write_cmd_buf)[TS_NIU_TAG] = tag << 10;
}
FORCE_INLINE bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t tag)
{
    return noc_status(noc, NIU_MST_REQS_OUTSTANDING_ID(tag)) == 0;
}
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t tag, uint8_t noc = noc_index)
{
    while (!ncrisc_noc_read_with_transaction_id_flushed(noc, tag))
        ;
    invalidate_l1_cache();
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t tag, uint8_t noc = noc_index)
{
    while (noc_status(noc, NIU_MST_REQS_OUTSTANDING_ID(tag)) != 0)
        ;
    invalidate_l1_cache();
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t tag, uint8_t noc = noc_index)
{
    while (noc_status(noc, NIU_MST_WRITE_REQS_OUTGOING_ID(tag)) != 0)
        ;
}
FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                 uint32_t noc = noc_index)
{
    TS_REG(NOC_NIU_BASE + (noc << 16) + 0x60) = mask;
}
template <bool skip_count = false, bool skip_check = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t from,
                                                                 uint32_t to, uint32_t tag = 0,
                                                                 uint8_t noc = noc_index)
{
    noc_async_read_set_trid(tag, noc);
    noc_async_read_one_packet_with_state<!skip_count>(base + from, to, 0, noc);
}
template <bool count = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t bytes,
                                                       uint32_t tag, uint8_t buffer = write_cmd_buf,
                                                       uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC)
{
    volatile uint32_t *c = ts_niu_ready(noc, buffer);
    c[TS_NIU_TAG] = tag << 10;
    ts_niu_write_by(c, noc, from, to, bytes, ts_niu_write_control(vc, posted));
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(uint64_t to,
                                                                 uint8_t buffer = write_cmd_buf,
                                                                 uint8_t noc = noc_index,
                                                                 uint8_t vc = NOC_UNICAST_WRITE_VC)
{
    volatile uint32_t *c = ts_niu_ready(noc, buffer);
    c[TS_NIU_CTRL] = ts_niu_write_control(vc, posted);
    ts_niu_far(c, TS_NIU_RET_MID, to);
}
template <bool count = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to,
                                                                  uint32_t bytes, uint32_t tag,
                                                                  uint8_t buffer = write_cmd_buf,
                                                                  uint8_t noc = noc_index)
{
    volatile uint32_t *c = ts_niu_ready(noc, buffer);
    c[TS_NIU_TAG] = tag << 10;
    c[TS_NIU_LENGTH] = bytes;
    c[TS_NIU_TARG_LO] = from;
    c[TS_NIU_RET_LO] = to;
    c[TS_NIU_GO] = 1;
    if constexpr (count)
        ts_niu_sent(noc, posted, 1);
}
