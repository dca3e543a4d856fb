// Boot firmware of BRISC: sets up the coprocessor, starts the other four, runs its own kernel, waits
// for them.
#include "start.h"

#include "boot.h"

namespace firmware { // a kernel's own names must not meet these

// Starts the processors that have a kernel.
static void release(uint32_t enables)
{
    start_at(TS_PROGRAM_TRISC0, TS_PROGRAM_TRISC1, TS_PROGRAM_TRISC2, TS_PROGRAM_NCRISC);
    uint32_t held = 0;
    for (unsigned i = 0; i < 3; i++)
        held |= (~enables >> (TS_ON_TRISC0 + i) & 1) << (12 + i);
    held |= (~enables >> TS_ON_NCRISC & 1) << 18;
    TS_REG(RISCV_SOFT_RESET) = held;
}

// Waits until all processors with a kernel have left a value in their words.
static void wait_for(uint32_t enables, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        if (enables >> (TS_ON_NCRISC + i) & 1)
            while (firmware::block()->sync[i] != value)
                ts_invalidate();
}

} // namespace firmware

extern "C" int main()
{
    volatile ts_program *block = firmware::block();
    const uint32_t enables = block->enables;
    set_up_coprocessor();
    ts_api_boot();
    firmware::release(enables);
    const bool own = enables >> TS_ON_BRISC & 1;
    if (own)
        ts_api_begin();
    // All kernels start together, however long each processor and each tile takes to get ready.
    firmware::wait_for(enables, TS_PROGRAM_READY);
#if defined TS_REMEDIES || defined TS_SEQUENCE // some tiles start later
    const uint32_t start = TS_PROGRAM_START + block->start_after;
#else
    const uint32_t start = TS_PROGRAM_START;
#endif
    while (TS_REG(RISCV_WALL_CLOCK) < start)
        ;
    for (unsigned i = 0; i < 4; i++)
        if (enables >> (TS_ON_NCRISC + i) & 1)
            block->sync[i] = TS_PROGRAM_GO;
    if (own)
        firmware::run();
    firmware::wait_for(enables, 0);
    block->done = TS_PROGRAM_DONE;
    return 0;
}
