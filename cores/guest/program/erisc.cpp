// Firmware of a core of an Ethernet tile: finds its arguments, runs its kernel, says that it is done.
#include "eth_launch.h"

#include "api/dataflow/dataflow_api.h"
#include "internal/ethernet.h"

void kernel_main();

extern "C" int main()
{
    volatile ts_eth_launch *launch = (volatile ts_eth_launch *)TS_ETH_LAUNCH;
    ts_runtime_args = ts_common_args = uint32_t(
        uintptr_t(&launch->core[PROCESSOR_INDEX].argument[0]));
    for (uint32_t noc = 0; noc < NUM_NOCS; noc++) {
        const uint32_t id = TS_REG(0xffb20000 + TS_NIU_NAME_AT + 0x10000 * noc); // NOC_ID_LOGICAL
        my_x[noc] = uint8_t(id & 63);
        my_y[noc] = uint8_t(id >> 6 & 63);
        ts_niu_setup(noc);
        ts_niu_counters(noc);
    }
    kernel_main();
    launch->core[PROCESSOR_INDEX].done = TS_ETH_DONE;
    return 0;
}
