// The MOP expander's two templates.
#pragma once
#include "ckernel.h"

namespace ckernel {

// Template 1: outer x (start, inner x (op0, op1), end0, end1), with the last op of the inner loop
// replaceable.
class ckernel_template {
    uint32_t words[9];

  public:
    ckernel_template(uint32_t outer, uint32_t inner, uint32_t op0, uint32_t op1 = TT_OP_NOP)
        : words{outer,
                inner,
                TT_OP_NOP,
                TT_OP_NOP,
                TT_OP_NOP,
                op0,
                op1,
                op1 == TT_OP_NOP ? op0 : op1,
                op1 == TT_OP_NOP ? op0 : op1}
    {
    }
    void set_start_op(uint32_t op) { words[2] = op; }
    void set_end_op(uint32_t op) { words[3] = op; }
    void set_end_ops(uint32_t op0, uint32_t op1) { words[3] = op0, words[4] = op1; }
    void set_last_outer_loop_instr(uint32_t op) { words[7] = op; }
    void set_last_inner_loop_instr(uint32_t op) { words[8] = op; }
    void program() const
    {
        volatile uint32_t *mop = (volatile uint32_t *)TENSIX_MOP_CFG_BASE;
        mop_sync();
#pragma GCC unroll 9
        for (unsigned i = 0; i < 9; i++)
            mop[i] = words[i];
    }
    static void run()
    {
        TTI_MOP(1, 0, 0);
    }
};

// Template 0: a mask says for each of up to 32 iterations whether the A or the skip instruction
// goes out.
class ckernel_unpack_template {
    uint32_t words[8];

  public:
    ckernel_unpack_template(uint32_t a, uint32_t skip) : words{0, 0, a, 0, 0, 0, skip, 0} {}
    ckernel_unpack_template(uint32_t a, uint32_t b, uint32_t skip_a, uint32_t skip_b)
        : words{1, b, a, 0, 0, 0, skip_a, skip_b}
    {
    }
    void program() const
    {
        volatile uint32_t *mop = (volatile uint32_t *)TENSIX_MOP_CFG_BASE;
        mop_sync();
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            mop[i + 1] = words[i];
    }
    static void run(uint32_t count, uint32_t skip_mask)
    {
        TT_MOP(0, count - 1, skip_mask);
    }
};

} // namespace ckernel
