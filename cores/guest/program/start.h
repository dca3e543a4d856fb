// What the firmware of all five processors shares: the launch block, the entry of the kernel, the
// zone of the complete kernel.
#pragma once
#include "internal/setup.h"
#include "program.h"
#include "zone.h"

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

// Runs the kernel of this processor.
inline void run()
{
    ts_zone_event(TS_ZONE_BEGIN, TS_ZONE_WHOLE);
    if (&kernel_main)
        kernel_main();
    else
        ts_old_kernel::kernel_main();
    ts_api_end();
    ts_zone_event(TS_ZONE_FINISH, TS_ZONE_WHOLE);
}

} // namespace firmware
