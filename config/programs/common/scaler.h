// A tile for reduce_tile: `value` (the bits of an FP32 number) in the first row of each face, else zeros. BF16.
#pragma once
#include "dataflow_api.h"

inline void make_scaler(uint32_t cb, uint32_t value)
{
    cb_reserve_back(cb, 1);
    const uint32_t at = get_write_ptr(cb), pair = (value >> 16) | (value & 0xffff0000);
    const uint64_t zeros = get_noc_addr(MEM_ZEROS_BASE);
    for (uint32_t face = 0; face < 4; face++)
        noc_async_read(zeros, at + face * MEM_ZEROS_SIZE, MEM_ZEROS_SIZE);
    noc_async_read_barrier();
    for (uint32_t face = 0; face < 4; face++)
        for (uint32_t i = 0; i < 8; i++)
            ((volatile tt_l1_ptr uint32_t *)at)[face * 128 + i] = pair;
    cb_push_back(cb, 1);
}
