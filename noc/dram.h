// A DRAM channel: 4 GiB behind three tiles, each with two NIUs. On Wormhole two channels of 1 GiB share the tiles: the first
// gigabyte of addresses is one's, with a pipe of its own, the second the other's.
//
//   endpoint 0: NIU 0, NIU 1 --+
//   endpoint 1: NIU 0, NIU 1 --+--> one pipe, `rate` bytes/cycle, in turn --> bytes
//   endpoint 2: NIU 0, NIU 1 --+
//
// A turn is a complete request. An NIU asks for the turn of a read when the one before has the pipe,
// and for that of a write when its header arrives. Writes wait in the channel, up to write_room of them: they enter
// it at the rate of the pipe, whatever reads do. A read passes before writes that wait if they are less than `group`,
// else behind the group that is next. A change between reads and writes takes `turnaround`, but not for a request
// that goes on in the open row of its direction. Each NIU starts a read at most every request_gap and the time of
// its bytes at request_rate; a read's first byte comes
// read_latency after its turn on the pipe. A write is acknowledged as soon as at
// most write_queue bytes wait for the pipe. Memory is allocated at the first write; unwritten memory reads as zero.
//
// Source: BlackholeA0/README.md, NoC/README.md; rates and latencies of config/dram.def.
// It is busy while bytes pass the pipe. If a run stops early, the gaps in what is
// booked ahead count as busy.
//
// Requests of both NoCs that are pending at one endpoint at the same time are noted (lints.def,
// dram-both-nocs): silicon's arbiter can drop one.
//
// Refresh: a channel has 16 banks in two halves of 16 bits (JESD250). Each half of a bank is refreshed once in
// refresh_interval, at any time: when nobody needs it for so long, or at the end. A row has 4 KiB in each half, that of 16 Gb
// devices (4 GiB on 32 bits). Requests that stay in one row pay for it (S0964 to S1001 read and write one address again and
// again). On Wormhole all banks are refreshed together, at fixed times (refresh_all): its streams reach 93 % of the pins'
// rate. Blackhole's do not pay: a stream of the DRAM tile's own DMA runs at 99.96 % of the pins' rate
// (boopdotpng/tenstorrent-docs, drisc-gddr-dma).
//
// Inaccuracies: the map of addresses is not published; consecutive rows are taken to be in consecutive banks. Rows cost nothing
// but for refresh and changes. The pipe serves turns in order: one that waits for a bank keeps those behind it waiting. When a
// write will pass, which its acknowledgement follows, is estimated when it comes: later reads move it.
#pragma once

#include "noc/niu.h"

#define TS_DRAM_ENDPOINTS  3
#define TS_DRAM_PORTS      (TS_DRAM_ENDPOINTS * TS_NOC_COUNT)
#define TS_DRAM_PAGE_SHIFT 16
#define TS_DRAM_PARTS      2 // at most
#define TS_DRAM_HALVES     2 // of 16 bits, which work as one
#define TS_DRAM_BANKS      16
#define TS_DRAM_ROW        8192u // of a bank, 4 KiB in each channel (16 Gb devices)

struct ts_dram_bank {
    uint64_t used;     // until then
    uint64_t deadline; // of the next refresh
};

struct ts_dram {
    struct ts_object object; // for its account
    struct ts_dram_params params;
    uint64_t rate;                      // bytes in 1000 cycles of the chip
    uint64_t group;                     // of writes, in thousandths of a cycle
    uint64_t refresh_interval, refresh; // of half a bank, in thousandths of a cycle
    uint64_t refresh_all, all_interval; // of all banks
    unsigned char **pages;
    uint64_t page_count, page_end; // behind the last one that was written
    uint32_t parts;      // channels behind the endpoints, one after the other in its addresses
    uint64_t part_bytes; // of each
    // Pipeline state, in thousandths of a cycle.
    struct ts_dram_pipe {
        uint64_t free;
        struct ts_dram_bank banks[TS_DRAM_BANKS];
        bool writing; // writes are booked last, from `tail` on
        uint64_t tail;
        uint64_t back;              // the change to them, before `tail`
        uint64_t between;           // the last read took with its changes
        uint64_t entry, entry_free; // the last write enters the channel, and the next one can
        uint64_t row[2];            // of the last read and write, from 1
        uint64_t refresh;           // of all banks: when the next one begins
    } pipes[TS_DRAM_PARTS];
    uint64_t port_free[TS_DRAM_PORTS];
    uint64_t served[TS_DRAM_PORTS]; // the last request of the port has passed the pipe
    // Requests that met one of the other NoC, by endpoint, for the lint; its first cycle.
    bool lints, strict;
    struct ts_check *check; // NULL: none
    struct {
        uint64_t count;
        ts_cycle first;
    } clash[TS_DRAM_ENDPOINTS];
    // Counters.
    uint64_t reads, writes, bytes_read, bytes_written, busy, allocated;
};

// False: out of memory.
bool ts_dram_init(struct ts_dram *self, const struct ts_dram_params *params, uint32_t parts,
                  uint32_t clock_mhz);
// Names the channel in the stats of the kernel that its domain belongs to.
void ts_dram_register(struct ts_dram *self, struct ts_domain *domain);
void ts_dram_free(struct ts_dram *self);
// Cycles of the first `span` in which the pipe moved bytes.
uint64_t ts_dram_busy(const struct ts_dram *self, ts_cycle span);

// Conservation: no more bytes than the bandwidth allows in `span` cycles, or until the last request
// that was admitted has passed.
enum ts_code ts_dram_audit(const struct ts_dram *self, unsigned channel, ts_cycle span,
                           struct ts_error *error);

// The memory of the NIUs of its tiles; the context is the channel, the port is endpoint * 2 + NoC.
extern const struct ts_noc_memory ts_dram_memory;

// The channel behind an NIU; NULL: another memory.
static inline const struct ts_dram *ts_dram_of(const struct ts_noc_niu *niu)
{
    return niu->memory == &ts_dram_memory ? niu->context : NULL;
}

// Without timing: for the host. NULL, or why not.
const char *ts_dram_check(const struct ts_dram *self, uint64_t address, uint64_t length);
const char *ts_dram_read(struct ts_dram *self, uint64_t address, void *bytes, uint64_t length);
const char *ts_dram_write(struct ts_dram *self, uint64_t address, const void *bytes,
                          uint64_t length);
