// The families of the truth table, from config/silicon: each once, then their order in reports.
#include "platform/study/silicon/figures.h"
#include "platform/study/silicon/silicon.h"

#define MACHINE "blackhole"
#define FAMILY  riscv
#include "platform/study/silicon/family.h"
#define FAMILY frontend
#include "platform/study/silicon/family.h"
#define FAMILY control
#include "platform/study/silicon/family.h"
#define FAMILY datapath
#include "platform/study/silicon/family.h"
#define FAMILY dst
#include "platform/study/silicon/family.h"
#define FAMILY movement
#include "platform/study/silicon/family.h"
#define FAMILY transport
#include "platform/study/silicon/family.h"
#define FAMILY trips
#include "platform/study/silicon/family.h"
#define FAMILY nocbench
#include "platform/study/silicon/family.h"
#define FAMILY nocread
#include "platform/study/silicon/family.h"
#define FAMILY streams
#include "platform/study/silicon/family.h"
#define FAMILY multicast
#include "platform/study/silicon/family.h"
#define FAMILY zones
#include "platform/study/silicon/family.h"
#define FAMILY dram
#include "platform/study/silicon/family.h"
#define FAMILY runtime
#include "platform/study/silicon/family.h"
#define FAMILY buffers
#include "platform/study/silicon/family.h"
#define FAMILY scalar
#include "platform/study/silicon/family.h"
#define FAMILY functions
#include "platform/study/silicon/family.h"
#define FAMILY api
#include "platform/study/silicon/family.h"
#define FAMILY setups
#include "platform/study/silicon/family.h"
#define FAMILY vectors
#include "platform/study/silicon/family.h"
#define FAMILY kernels
#include "platform/study/silicon/family.h"
#define FAMILY programs
#include "platform/study/silicon/family.h"
#define FAMILY matmuls
#include "platform/study/silicon/family.h"
#undef MACHINE
#define MACHINE "wormhole"
#define FAMILY  wormhole_riscv
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_frontend
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_datapath
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_dram
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_zones
#include "platform/study/silicon/family.h"
#define FILES
#define SOURCES "tt_npe/workload/noc_trace_json"
#define FAMILY  wormhole_npe
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_gemm
#include "platform/study/silicon/family.h"
#define FAMILY wormhole_fabric
#include "platform/study/silicon/family.h"
#undef MACHINE
#define MACHINE "blackhole"
#define FAMILY  gemm
#include "platform/study/silicon/family.h"
#define FAMILY fabric
#include "platform/study/silicon/family.h"
#define SOURCES "ttnn/cpp"
#define FAMILY  ops
#include "platform/study/silicon/family.h"
#undef MACHINE
#define MACHINE TS_SILICON_A5
#define FAMILY  a5
#include "platform/study/silicon/family.h"

const struct ts_silicon_family *const ts_silicon_families[] = {
    // clang-format off
    &riscv, &frontend, &control, &datapath, &dst, &movement, &transport, &trips, &nocbench,
    &nocread, &streams, &multicast, &zones, &dram, &runtime, &buffers, &scalar, &functions,
    &api, &setups, &vectors, &kernels, &programs, &matmuls, &gemm, &fabric, &ops,
    &wormhole_riscv, &wormhole_frontend, &wormhole_datapath, &wormhole_zones, &wormhole_dram, &wormhole_npe,
    &wormhole_gemm, &wormhole_fabric, &a5,
    NULL,
    // clang-format on
};

const struct ts_silicon_family *ts_silicon_family(const char *name)
{
    for (size_t i = 0; ts_silicon_families[i]; i++)
        if (strcmp(ts_silicon_families[i]->name, name) == 0)
            return ts_silicon_families[i];
    return NULL;
}
