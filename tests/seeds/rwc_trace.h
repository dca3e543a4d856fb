// The table of document 001, section 4.2: for each MVMUL of a tile its ADDR_MOD, the first rows that are read and written,
// and the counters and carriage returns after it.
#ifndef TENSIM_TESTS_RWC_TRACE_H
#define TENSIM_TESTS_RWC_TRACE_H

static const struct {
    unsigned addr_mod, srcb, srca, dst; // the first rows
    unsigned a, a_cr, b, b_cr, d, d_cr, phase;
} rwc_trace[16] = {
    {0, 0, 0, 0, 0, 0, 8, 0, 8, 0, 0},         {1, 8, 0, 8, 16, 0, 0, 0, 16, 0, 0},
    {0, 0, 16, 16, 16, 0, 8, 0, 24, 0, 0},     {2, 8, 16, 24, 0, 0, 32, 32, 32, 0, 0},
    {0, 32, 0, 32, 0, 0, 40, 32, 40, 0, 0},    {1, 40, 0, 40, 16, 0, 32, 32, 48, 0, 0},
    {0, 32, 16, 48, 16, 0, 40, 32, 56, 0, 0},  {4, 40, 16, 56, 32, 32, 16, 16, 0, 0, 0},
    {0, 16, 32, 0, 32, 32, 24, 16, 8, 0, 0},   {1, 24, 32, 8, 48, 32, 16, 16, 16, 0, 0},
    {0, 16, 48, 16, 48, 32, 24, 16, 24, 0, 0}, {2, 24, 48, 24, 32, 32, 48, 48, 32, 0, 0},
    {0, 48, 32, 32, 32, 32, 56, 48, 40, 0, 0}, {1, 56, 32, 40, 48, 32, 48, 48, 48, 0, 0},
    {0, 48, 48, 48, 48, 32, 56, 48, 56, 0, 0}, {5, 56, 48, 56, 0, 0, 0, 0, 0, 0, 1},
};

#endif
