// NoC-only workloads in tt-npe's two forms: `phases` of `transfers`, or a trace of events.
//
// Simplified: {"golden_result": {"cycles": N}, "phases": [{"transfers": [{"packet_size",
// "num_packets", "src_x", "src_y", "dst_x", "dst_y" or "mcast_start_x" ..., "noc_type": "NOC_0",
// "phase_cycle_offset", "noc_event_type"}]}]}. Data flows from src to dst; phases all start at
// cycle 0, as in tt-npe. What a Tensix tile sends is a write; what comes from elsewhere, or says
// READ, is a read by the tile that gets it. Trace: [{"proc", "noc", "vc", "sx", "sy", "dx", "dy" or
// "mcast_*", "num_bytes", "type", "timestamp"}]; s issues; npe.h has the types. Coordinates are raw
// NoC 0's; those beyond the grid are translated ones. A rectangle of NoC 1 starts at its lower
// right corner.
#pragma once

#include "platform/chip/traffic.h"

// Cycles of software per request, unless said otherwise: tt-metal's write loop (mesham/tt-sim docs/plans/cost-model.md).
#define TS_WORKLOAD_GAP 23

struct ts_transfer {
    ts_cycle at;
    struct ts_noc_xy by, peer;   // who issues it; the other end
    struct ts_noc_xy start, end; // of a multicast
    unsigned noc;
    enum ts_noc_kind kind;
    bool multicast;
    uint32_t packet, packets;
    int vc;
    size_t order; // in the file
};

// Events of a trace that were not run, by type.
struct ts_left_out {
    char name[64];
    size_t count;
};

struct ts_workload {
    struct ts_transfer *transfers;
    size_t count, room;
    double golden; // cycles; 0: not given
    struct ts_left_out left_out[16];
    size_t left_out_count;
    // Made by ts_workload_drive.
    struct ts_traffic *drivers;
    struct ts_traffic_op *ops;
    size_t driver_count;
};

enum ts_code ts_workload_load(struct ts_workload *self, const char *path, const struct ts_soc *soc,
                              struct ts_error *error);
// Puts drivers into the chip: one for each tile and NoC, in the order of time. `gap`: cycles of
// software per request.
enum ts_code ts_workload_drive(struct ts_workload *self, struct ts_chip *chip, uint32_t gap,
                               struct ts_error *error);
void ts_workload_free(struct ts_workload *self);
// Payload that the workload moves, counted once for each receiver of a multicast.
uint64_t ts_workload_bytes(const struct ts_workload *self, const struct ts_chip *chip);
