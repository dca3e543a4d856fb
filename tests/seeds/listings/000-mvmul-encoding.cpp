// Document 000, "TTI_MVMUL encoding", and TT_OP of document 002, "Instruction Encoding": the words are ours.
#include "compute_kernel_api/matmul.h"

constexpr uint32_t ours = TT_OP_MVMUL(1, 0, 5, 8);
#undef TT_OP_MVMUL

#define TT_OP(opcode, params) ((opcode << 24) + params)

#define TT_OP_MVMUL(clear_dvalid, instr_mod19, addr_mode, dst) \
    TT_OP(0x26, (((clear_dvalid) << 22) + ((instr_mod19) << 19) + ((addr_mode) << 14) + ((dst) << 0)))

static_assert(TT_OP_MVMUL(1, 0, 5, 8) == ours);
void kernel_main() {}
