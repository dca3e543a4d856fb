// Boot firmware of BRISC: sets up the coprocessor, starts the other four, runs its own kernel (the
// writer), waits.
#include "boot.h"
#include "cb.h"

void kernel_main();

namespace {

void release()
{
    start_at(TS_L1_TRISC0, TS_L1_TRISC1, TS_L1_TRISC2, TS_L1_NCRISC);
    TS_REG(RISCV_SOFT_RESET) = 0; // nobody is held
}

} // namespace

extern "C" int main()
{
    volatile struct ts_launch *launch = ts_launch_block();
    set_up_coprocessor();
    for (unsigned i = 0; i < 4; i++)
        launch->sync[i] = TS_SYNC_GO;
    release();
    // A token in each thread's PC buffer: the kernel to run (there is one).
    for (unsigned thread = 0; thread < 3; thread++)
        TS_REG(PC_BUF_BASE + 0x10000 * thread) = 1;
    cb_setup();
    kernel_main();
    for (unsigned i = 0; i < 4; i++)
        while (launch->sync[i] != TS_SYNC_DONE)
            ts_invalidate();
    launch->done = TS_DONE_WORD;
    return 0;
}
