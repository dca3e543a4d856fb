// What stands before a probe's text: what the vendor's build defines for a data movement kernel of a p150 or an n150, without
// circular buffers. PROCESSOR_INDEX and NOC_INDEX come from the command line (probes.cmake).
#pragma once
#include <stdint.h>

#ifdef ARCH_WORMHOLE
#define NUM_DRAM_BANKS             12
#define IS_NOT_POW2_NUM_DRAM_BANKS 1
#define NUM_L1_BANKS               64
#define LOG_BASE_2_OF_NUM_L1_BANKS 6
#define PCIE_NOC_X                 0
#define PCIE_NOC_Y                 3
#else
#define ARCH_BLACKHOLE               1
#define NUM_DRAM_BANKS               8
#define LOG_BASE_2_OF_NUM_DRAM_BANKS 3
#define NUM_L1_BANKS                 140
#define IS_NOT_POW2_NUM_L1_BANKS     1
#define PCIE_NOC_X                   19
#define PCIE_NOC_Y                   24
#endif
#define KERNEL_BUILD     1
#define NOC_MODE         0
#define MM_THROTTLE      0
#define PROFILE_KERNEL   1
#define TS_DST_SYNC_FULL 0

#ifdef COMPILE_FOR_TRISC
#if COMPILE_FOR_TRISC == 0
#define TRISC_UNPACK 1
#elif COMPILE_FOR_TRISC == 1
#define TRISC_MATH 1
#else
#define TRISC_PACK 1
#endif
#endif

// Of a compute kernel (api.cpp): all buffers have one format. In a source register FP32 is TF32.
#ifdef PROBE_FORMAT
#ifndef TRISC_UNPACK
#include "split.h"
#endif
#define PROBE_SIDE 32
#else
#define PROBE_FORMAT     0
#define PROBE_DST32      false
#define PROBE_SIDE       0
#define TS_MATH_FIDELITY 0
#endif
#define PROBE_8(value) value, value, value, value, value, value, value, value
#define PROBE_ALL(value)                                                                \
    {                                                                                   \
        PROBE_8(value), PROBE_8(value), PROBE_8(value), PROBE_8(value), PROBE_8(value), \
            PROBE_8(value), PROBE_8(value), PROBE_8(value)                              \
    }
#define PROBE_DESCRIBES(side)                                                 \
    constexpr uint8_t side##_tile_r_dim[64] = PROBE_ALL(PROBE_SIDE);          \
    constexpr uint8_t side##_tile_c_dim[64] = PROBE_ALL(PROBE_SIDE);          \
    constexpr uint8_t side##_tile_num_faces[64] = PROBE_ALL(PROBE_SIDE / 8);  \
    constexpr uint8_t side##_tile_face_r_dim[64] = PROBE_ALL(PROBE_SIDE / 2); \
    constexpr uint8_t side##_src_format[64] = PROBE_ALL(PROBE_FORMAT);        \
    constexpr uint8_t side##_dst_format[64] = PROBE_ALL(PROBE_##side##_DST);  \
    constexpr uint16_t side##_tile_size[64] = {};
#define PROBE_unpack_DST (PROBE_FORMAT == 0 && PROBE_SIDE != 0 ? 4 : PROBE_FORMAT)
#define PROBE_pack_DST   PROBE_FORMAT

constexpr bool DST_ACCUM_MODE = PROBE_DST32, APPROX = false;
PROBE_DESCRIBES(unpack)
PROBE_DESCRIBES(pack)

#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/dataflow_api.h"
#endif
