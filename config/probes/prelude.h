// What stands before a probe's text: what the vendor's build defines for a data movement kernel of a p150, without
// circular buffers. PROCESSOR_INDEX and NOC_INDEX come from the command line (probes.cmake).
#pragma once
#include <stdint.h>

#define ARCH_BLACKHOLE               1
#define KERNEL_BUILD                 1
#define NOC_MODE                     0
#define NUM_DRAM_BANKS               8
#define LOG_BASE_2_OF_NUM_DRAM_BANKS 3
#define NUM_L1_BANKS                 140
#define IS_NOT_POW2_NUM_L1_BANKS     1
#define PCIE_NOC_X                   19
#define PCIE_NOC_Y                   24
#define MM_THROTTLE                  0
#define PROFILE_KERNEL               1
#define TS_DST_SYNC_FULL             0
#define TS_MATH_FIDELITY             0

constexpr bool DST_ACCUM_MODE = false, APPROX = false;
constexpr uint8_t unpack_src_format[64] = {}, unpack_dst_format[64] = {};
constexpr uint8_t pack_src_format[64] = {}, pack_dst_format[64] = {};
constexpr uint16_t unpack_tile_size[64] = {}, pack_tile_size[64] = {};
constexpr uint8_t unpack_tile_r_dim[64] = {}, unpack_tile_c_dim[64] = {};
constexpr uint8_t pack_tile_r_dim[64] = {}, pack_tile_c_dim[64] = {};
constexpr uint8_t unpack_tile_num_faces[64] = {}, unpack_tile_face_r_dim[64] = {};
constexpr uint8_t pack_tile_num_faces[64] = {}, pack_tile_face_r_dim[64] = {};

#include "api/dataflow/dataflow_api.h"
