# Headers of tt-metal's two include trees (up to v0.66, and since) by the paths that kernels name. Each one forwards to the
# header of ours that has its content. They are written to the generated include folder, last in a kernel's search path.
# The first do not have the vector unit's functions; neither do they in the vendor's tree.
set(TS_TILE_HEADERS
    bcast blank cb_api common common_globals compute_kernel_hw_startup eltwise_binary matmul pack pack_untilize
    reconfig_data_format reg_api src_order tile_move_copy tilize tilize_untilize transpose transpose_dest transpose_wh
    transpose_wh_dest untilize sentinel/compute_kernel_sentinel experimental/fast_untilize)
set(TS_COMPUTE_HEADERS
    add_int_sfpu atan2 binary_bitwise_sfpu binary_comp binary_fmod binary_max_min binary_remainder binary_shift
    compute_kernel_api copy_dest_values cumsum div_int32_floor div_int32_sfpu eltwise_binary_sfpu ema gcd isclose lcm
    logsigmoid mask mul_int32_sfpu mul_int_sfpu quantization reshuffle sfpu_binary_bcast situ_glu sub_int_sfpu welford xlogy)
set(TS_UNARY_HEADERS
    activations addcdiv addcmul binop_with_scalar bitwise bitwise_and bitwise_not bitwise_or bitwise_xor cbrt clamp comp digamma
    dropout eltwise_unary elu erf_erfc erfinv exp fill fmod gelu hardmish hardtanh i0 i1 identity isinf_isnan left_shift lerp
    lgamma log1p logical_not logical_not_noti mac mish negative polygamma prelu rand rdiv recip relu remainder reverseops
    right_shift rounding rpow rsqrt rsub selu sfpu_int_sum sfpu_split_includes shift snake_beta softcap softplus sqrt
    tanh_derivative tanhshrink threshold trigonometry typecast where xielu)
list(TRANSFORM TS_UNARY_HEADERS PREPEND eltwise_unary/)
set(TS_REDUCE_HEADERS reduce)
set(TS_NORM_HEADERS layernorm softmax)
set(TS_SDPA_HEADERS reduce_custom experimental/matmul_custom experimental/sdpa_sub_custom)
# One path for each row of what data movement kernels and all kernels include.
set(TS_OBJECT_PATHS
    api/core_local_mem.h api/dataflow/circular_buffer.h api/dataflow/dataflow_buffer.h api/dataflow/endpoints.h api/dataflow/noc.h
    api/dataflow/noc_semaphore.h api/kernel_thread_globals.h api/lock.h api/scratchpad.h api/tensor/local_tensor_accessor.h
    api/tensor/noc_traits.h api/tensor/tensor_accessor.h accessor/tensor_accessor.h accessor/tensor_accessor_args.h
    circular_buffer.h circular_buffer_init.h dataflow_api.h dataflow_api_addrgen.h experimental/circular_buffer.h
    experimental/core_local_mem.h experimental/endpoints.h experimental/noc.h experimental/noc_semaphore.h
    experimental/tensor.h hw/inc/api/dataflow/dataflow_api.h hw/inc/dataflow_api.h internal/circular_buffer_init.h
    internal/dataflow/dataflow_api_addrgen.h
    internal/circular_buffer_interface.h tt_metal/hw/inc/dataflow_api.h)
set(TS_BASE_PATHS
    api/alignment.h api/compile_time_args.h api/debug/assert.h api/debug/device_print.h api/debug/dprint.h
    api/debug/dprint_pages.h api/debug/dprint_tensix.h api/debug/dprint_tensix_pack.h api/debug/dprint_tensix_unpack.h
    api/debug/dprint_tile.h api/debug/dump.h api/debug/pause.h api/debug/ring_buffer.h api/debug/waypoint.h
    api/numeric/bfloat16.h api/numeric/float32.h api/numeric/int32.h compile_time_args.h core_config.h debug/assert.h
    debug/debug.h debug/dprint.h debug/dprint_pages.h debug/dprint_tensix.h debug/dprint_tile.h debug/pause.h
    debug/ring_buffer.h debug/waypoint.h defines_generated.h dev_mem_map.h dprint.h hostdev/dev_msgs.h
    hostdevcommon/common_values.hpp hostdevcommon/kernel_structs.h hw/inc/api/compile_time_args.h hw/inc/compile_time_args.h
    hw/inc/internal/tt-1xx/risc_common.h hw/inc/risc_attribs.h hw/inc/tt-1xx/risc_common.h internal/firmware_common.h
    internal/hw_thread.h internal/mod_div_lib.h internal/risc_attribs.h mod_div_lib.h risc_attribs.h risc_common.h
    tools/profiler/kernel_profiler.hpp tt_metal/tools/profiler/kernel_profiler.hpp tt-metalium/constants.hpp tt_metal/hw/inc/debug/dprint_pages.h utils/bfloat16.h
    utils/float32.h utils/int32.h utils/utils.h internal/tt-1xx/risc_common.h tensix_types.h
    tt-metalium/buffer_types.hpp api/tt-metalium/constants.hpp)
set(TS_NOC_PATHS blackhole/noc/noc_parameters.h noc_addr_utils.h noc_nonblocking_api.h noc_parameters.h
    noc/noc_parameters.h noc_overlay_parameters.h)
set(TS_CKERNEL_PATHS ckernel_defs.h ckernel_include.h llk_defs.h llk_math_binary_api.h llk_math_common.h
    llk_math_common_api.h llk_math_eltwise_binary.h llk_math_matmul_api.h llk_math_unary_datacopy_api.h llk_pack.h
    llk_pack_api.h llk_pack_common.h llk_unpack_AB_api.h llk_unpack_AB_matmul_api.h llk_unpack_A_api.h
    llk_unpack_common_api.h llk_unpack_tilize_api.h llk_unpack_untilize_api.h)
set(TS_ETHERNET_PATHS ethernet/dataflow_api.h ethernet/tunneling.h internal/ethernet/dataflow_api.h
    internal/ethernet/tunneling.h ethernet/erisc.h ethernet/tt_eth_api.h ethernet/tt_eth_ss_regs.h internal/ethernet/erisc.h
    internal/ethernet/tt_eth_api.h internal/ethernet/tt_eth_ss_regs.h tt_eth_api.h tt_eth_ss_regs.h tt_metal/fabric/hw/inc/edm_fabric/fabric_stream_regs.hpp)
# What only the vendor's compiler understands.
set(TS_SFPI_PATHS sfpi.h ckernel_sfpu.h llk_math_eltwise_unary_sfpu_macros.h sfpi_fp16.h)

function(ts_forward folder to)
    foreach(path ${ARGN})
        file(CONFIGURE OUTPUT ${folder}/${path} CONTENT "// Forwards; see forward.cmake.\n#include \"${to}\"\n" @ONLY)
    endforeach()
endfunction()

# Both spellings of a compute header.
function(ts_forward_compute folder to)
    foreach(name ${ARGN})
        ts_forward(${folder} ${to} api/compute/${name}.h compute_kernel_api/${name}.h
            tt_metal/include/compute_kernel_api/${name}.h)
    endforeach()
endfunction()

function(ts_forward_all folder)
    ts_forward_compute(${folder} internal/compute_tiles.h ${TS_TILE_HEADERS})
    ts_forward_compute(${folder} internal/compute_all.h ${TS_COMPUTE_HEADERS} ${TS_UNARY_HEADERS})
    ts_forward_compute(${folder} internal/reduce.h ${TS_REDUCE_HEADERS})
    ts_forward_compute(${folder} internal/compute_reduce.h ${TS_NORM_HEADERS})
    ts_forward_compute(${folder} internal/sdpa.h ${TS_SDPA_HEADERS})
    ts_forward(${folder} internal/sdpa.h experimental/llk_sfpu/ckernel_sfpu_sdpa.h)
    ts_forward(${folder} internal/compute_all.h compute_kernel_api.h tt_metal/include/compute_kernel_api.h ${TS_CKERNEL_PATHS})
    ts_forward(${folder} internal/objects.h ${TS_OBJECT_PATHS})
    ts_forward(${folder} internal/base.h ${TS_BASE_PATHS})
    ts_forward(${folder} internal/noc_registers.h ${TS_NOC_PATHS})
    ts_forward(${folder} internal/ethernet.h ${TS_ETHERNET_PATHS})
    ts_forward(${folder} internal/remote_cb.h api/remote_circular_buffer.h remote_circular_buffer_api.h)
    ts_forward(${folder} internal/refuse_sfpi.h ${TS_SFPI_PATHS})
endfunction()
