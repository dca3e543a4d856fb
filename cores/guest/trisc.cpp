// Firmware of the TRISCs: waits for the go word and the launch token, runs the kernel, drains the
// coprocessor.
#include "compute_kernel_api/common.h"

extern "C" int main()
{
#if defined(TRISC_UNPACK)
    constexpr unsigned thread = 0;
#elif defined(TRISC_MATH)
    constexpr unsigned thread = 1;
#else
    constexpr unsigned thread = 2;
#endif
    volatile uint32_t *sync = &ts_launch_block()->sync[1 + thread];
    while (*sync != TS_SYNC_GO)
        ts_invalidate();
    ts_arrived(TS_REG(PC_BUF_BASE)); // blocks until BRISC has sent the token
    cb_setup();
    {
        profile::zone whole(TS_ZONE_KERNEL);
        kernel::kernel_main();
        tensix_sync();
    }
    *sync = TS_SYNC_DONE;
    return 0;
}
