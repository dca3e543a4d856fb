#include "noc/fabric.h"

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
