#include "noc/fabric.h"

#define L1_SIZE   0x180000u
#define MMIO_BASE 0xffb00000u

static const char *const names[TS_NOC_NODE_COUNT] = {
    [TS_NOC_NODE_EMPTY] = "empty",
    [TS_NOC_NODE_TENSIX] = "tensix",
    [TS_NOC_NODE_HARVESTED] = "harvested",
    [TS_NOC_NODE_DRAM] = "dram",
    [TS_NOC_NODE_ETHERNET] = "eth",
    [TS_NOC_NODE_PCIE] = "pcie",
    [TS_NOC_NODE_ARC] = "arc",
    [TS_NOC_NODE_L2CPU] = "l2cpu",
    [TS_NOC_NODE_SECURITY] = "security",
};

const char *ts_noc_node_name(enum ts_noc_node node)
{
    return names[node];
}

static const char *check_tensix(enum ts_noc_kind kind, uint64_t address, uint32_t length)
{
    if (address < L1_SIZE)
        return length <= L1_SIZE - address ? NULL : "it runs past the end of L1";
    if (address < MMIO_BASE || address > UINT32_MAX)
        return "nothing is mapped at that address";
    if (kind == TS_NOC_ATOMIC)
        return "atomics work on L1 only";
    return length == 4 && address % 4 == 0 ? NULL : "registers take 4 aligned bytes at a time";
}

const char *ts_noc_fabric_check(const struct ts_noc_fabric *self, enum ts_noc_node node,
                                enum ts_noc_kind kind, uint64_t address, uint32_t length,
                                enum ts_code *code)
{
    *code = TS_CONTRACT;
    switch (node) {
    case TS_NOC_NODE_TENSIX:
        return check_tensix(kind, address, length);
    case TS_NOC_NODE_DRAM: {
        uint64_t size = (uint64_t)self->dram.size << 20;
        if (kind == TS_NOC_ATOMIC)
            return "atomics do not work on DRAM";
        return address < size && length <= size - address ? NULL
                                                          : "it lies outside the channel's DRAM";
    }
    case TS_NOC_NODE_HARVESTED:
        return "that tile is harvested";
    default:
        *code = TS_NOT_IMPLEMENTED;
        return "tiles of that kind are not implemented";
    }
}
