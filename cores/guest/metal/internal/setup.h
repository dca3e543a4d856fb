// What the firmware does for the kernel API before and after a kernel.
//
// ts_api_boot() once on BRISC before the other processors start, ts_api_begin() and ts_api_end() on
// each processor around its kernel.
#pragma once
#ifdef COMPILE_FOR_TRISC
#include "internal/cb.h"
#else
#include "internal/dataflow.h"
#endif

inline void ts_api_place()
{
    volatile struct ts_program *block = ts_program_block();
    for (uint32_t noc = 0; noc < NUM_NOCS; noc++) {
        my_x[noc] = uint8_t(block->my_x);
        my_y[noc] = uint8_t(block->my_y);
    }
}

inline void ts_api_boot()
{
#ifdef COMPILE_FOR_BRISC
    ts_api_place();
    for (uint32_t noc = 0; noc < NUM_NOCS; noc++) {
        ts_niu_setup(noc);
        if constexpr (ts_niu_shared)
            ts_niu_counters(noc);
    }
#endif
}

inline void ts_api_begin()
{
    volatile struct ts_program *block = ts_program_block();
    ts_api_place();
    my_logical_x_ = uint8_t(block->logical_x);
    my_logical_y_ = uint8_t(block->logical_y);
    my_relative_x_ = uint8_t(block->relative_x);
    my_relative_y_ = uint8_t(block->relative_y);
    ts_runtime_args = block->rta[PROCESSOR_INDEX];
    ts_common_args = block->crta[PROCESSOR_INDEX];
    ts_cb_setup();
#ifndef COMPILE_FOR_TRISC
    ts_semaphores = block->semaphores;
    const struct ts_program *tables = (const struct ts_program *)TS_PROGRAM;
    for (uint32_t noc = 0; noc < NUM_NOCS; noc++) {
        if constexpr (!ts_niu_shared)
            ts_niu_counters(noc);
            // Four loads from L1 at a time: they overlap.
#pragma GCC unroll 4
        for (uint32_t i = 0; i < NUM_DRAM_BANKS && i < TS_PROGRAM_DRAM; i++)
            dram_bank_to_noc_xy[noc][i] = tables->dram_xy[noc][i];
        if constexpr (NUM_DRAM_BANKS > TS_PROGRAM_DRAM)
            for (uint32_t i = TS_PROGRAM_DRAM; i < NUM_DRAM_BANKS; i++)
                dram_bank_to_noc_xy[noc][i] = tables->dram_more[noc][i - TS_PROGRAM_DRAM];
#pragma GCC unroll 4
        for (uint32_t i = 0; i < NUM_L1_BANKS; i++)
            l1_bank_to_noc_xy[noc][i] = tables->l1_xy[noc][i];
    }
#endif
}

inline void ts_api_end()
{
#ifdef COMPILE_FOR_TRISC
    tensix_sync(); // the coprocessor has finished
#endif
}
