// What BRISC does first, whatever it starts then: the coprocessor as kernels expect it.
#pragma once
#include "tensix.h"
#include "tensix_ops.h"

namespace {

// BRISC reaches every thread's FIFO behind the MOP expander.
void push(unsigned thread, uint32_t word)
{
    TS_REG(INSTRN_BUF_BASE + 0x10000 * thread) = word;
}

void set_up_coprocessor()
{
    push(0, TT_OP_ZEROACC(3, 0, 0, 0, 0));
    push(0, TT_OP_SFPENCC(3, 0, 0, 10)); // all lanes on
    push(0, TT_OP_NOP);
    // Semaphores: value 0; two buffers of Dst, two unpacker contexts, one of the others.
    push(0, TT_OP_SEMINIT(2, 0, 1 << 1));
    push(0, TT_OP_SEMINIT(2, 0, 1 << 5));
    push(0, TT_OP_SEMINIT(1, 0, 1 << 2));
    push(0, TT_OP_SEMINIT(1, 0, 1 << 7));
}

} // namespace
