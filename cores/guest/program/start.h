// What the firmware of all five processors shares: the launch block, the entry of the kernel, the
// zone of the complete kernel.
#pragma once
#include "internal/setup.h"
#include "program.h"
#include "tensix.h"

// A kernel has one of these; the second is what `namespace NAMESPACE { void MAIN { ... } }` means.
[[gnu::weak]] void kernel_main();
namespace ts_old_kernel {
[[gnu::weak]] void kernel_main();
}

namespace firmware {

inline volatile ts_program *block()
{
    return (volatile ts_program *)TS_PROGRAM;
}

inline void stamp([[maybe_unused]] uint32_t type)
{
#ifdef PROFILE_KERNEL
    volatile uint32_t *to = block()->zone[PROCESSOR_INDEX];
    uint32_t low = TS_REG(RISCV_WALL_CLOCK), high = TS_REG(RISCV_WALL_CLOCK + 8);
    to[0] = low;
    to[1] = type << 28 | TS_ZONE_WHOLE << 12 | (high & 0xfff);
#endif
}

// Runs the kernel of this processor, if it has one.
inline void run()
{
    if (!(block()->enables >> PROCESSOR_INDEX & 1))
        return;
    ts_api_begin();
    stamp(TS_ZONE_BEGIN);
    if (&kernel_main)
        kernel_main();
    else
        ts_old_kernel::kernel_main();
    ts_api_end();
    stamp(TS_ZONE_FINISH);
}

} // namespace firmware
