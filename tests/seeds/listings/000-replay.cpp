// Document 000, "Replay buffer": record, program, run.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
// Record 16 instructions starting at slot 0
load_replay_buf(0, 16, [&]{
  TTI_MVMUL(CLR_NONE, 0, ADDR_MOD_0, 0);  // these get captured
  TTI_MVMUL(CLR_NONE, 0, ADDR_MOD_1, 0);  // into the replay buffer
  // ... 14 more ...
});

// Create a MOP loop that replays those 16 instructions
ckernel_template tmp(1, 1, lltt::replay_insn(0, 16));
tmp.program();  // writes to MOP config registers

// Execute the MOP
ckernel_template::run();  // emits TTI_MOP(1, 0, 0)
#endif
}
