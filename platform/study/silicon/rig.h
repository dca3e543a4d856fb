// What probes on a chip share: networks and DRAM without tiles, scripted traffic, conservation
// checked after every run.
#ifndef TENSIM_STUDY_SILICON_RIG_H
#define TENSIM_STUDY_SILICON_RIG_H

#include "platform/chip/traffic.h"
#include "platform/study/silicon/silicon.h"

struct rig {
    struct ts_error *error; // the row's
    struct ts_kernel *kernel;
    struct ts_chip chip;
    struct ts_traffic drivers[256];
    size_t driver_count;
    struct ts_run run;
};

// A chip of the SoC file `name`. Never NULL; what fails is in the error, and then the calls below
// do nothing.
struct rig *rig_new(const char *name, const struct ts_silicon_context *context,
                    struct ts_error *error);
void rig_drive(struct rig *self, struct ts_noc_xy tile, struct ts_traffic_op *ops, size_t count);
// False: the run failed.
bool rig_run(struct rig *self, ts_cycle limit);
void rig_free(struct rig *self);

static inline struct ts_noc_xy at(unsigned x, unsigned y)
{
    return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
}

static inline struct ts_traffic_op rig_barrier(void)
{
    return (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
}

#endif
