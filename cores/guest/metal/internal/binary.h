// Element-wise sums, differences and products: of two tiles, with a broadcast, with Dst as one operand.
#pragma once
#include "internal/compute.h"

namespace ckernel {

namespace metal {

constexpr uint32_t operation(EltwiseBinaryType type)
{
    return type == ELWADD ? 0u : type == ELWSUB ? 1u : 2u; // tiles::ELTWISE_ADD, _SUB, _MUL
}
template <EltwiseBinaryType type, BroadcastType broadcast = BroadcastType::NONE>
ALWI void eltwise_init([[maybe_unused]] bool add = false)
{
    static_assert(type == ELWADD || type == ELWSUB || type == ELWMUL,
                  "the matrix unit adds, subtracts and multiplies");
    UNPACK(faces::unpack_ab_init(uint32_t(broadcast)));
    MATH((faces::eltwise_init<operation(type), uint32_t(broadcast), phases>(add)));
}
template <EltwiseBinaryType type, BroadcastType broadcast = BroadcastType::NONE>
ALWI void eltwise([[maybe_unused]] uint32_t a, [[maybe_unused]] uint32_t b,
                  [[maybe_unused]] uint32_t tile_a, [[maybe_unused]] uint32_t tile_b,
                  [[maybe_unused]] uint32_t dst)
{
    UNPACK(faces::unpack(a, b, tile_a, tile_b));
    MATH((faces::eltwise<operation(type), uint32_t(broadcast), phases>(dst)));
}

// MOVD2A and MOVD2B take the upper half of a 32-bit element of Dst, whose exponent has 8 bits; as FP16, with 5
// bits, it is another number.
constexpr bool lost_from_dst(uint32_t cb)
{
    const uint8_t format = unpack_src_format[cb];
    return DST_ACCUM_MODE &&
           (format == 1 || format == 2 || format == 3 || format == 10 || format == 11);
}
[[gnu::error("an operand from a 32-bit Dst cannot be FP16 (or FP8, BFP8a): use BF16 buffers, or a "
             "16-bit Dst")]] void
refuse_narrow();
template <EltwiseBinaryReuseDestType reuse> constexpr uint32_t source_from_dst()
{
    return reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA ? SrcA : SrcB;
}

#ifdef TRISC_UNPACK
// A bank of zeros, as soon as one is free.
template <uint32_t source> ALWI void hand_over_zeros()
{
    TS_INLINE(TS_OP_ZEROS(source, 1));
    TS_GIVE(source);
}
#endif

} // namespace metal

ALWI void binary_op_init_common(uint32_t in0, uint32_t in1, uint32_t out)
{
    metal::startup(in0, in1, out);
    UNPACK(faces::unpack_ab_init());
}

// clang-format off
#define TS_BINARY(name, type) \
    ALWI void name##_tiles_init(uint32_t, uint32_t, bool add = false) { metal::eltwise_init<type>(add); } \
    ALWI void name##_init(uint32_t, uint32_t, bool add = false, uint32_t = 0) { metal::eltwise_init<type>(add); } \
    ALWI void name##_tiles_init_nof() { metal::eltwise_init<type>(); } \
    ALWI void name##_tiles_init_f() { metal::eltwise_init<type>(); } \
    ALWI void name##_tiles(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) \
    { metal::eltwise<type>(a, b, tile_a, tile_b, dst); } \
    template <EltwiseBinaryReuseDestType reuse> ALWI void name##_reuse_dest_init(uint32_t cb) \
    { binary_dest_reuse_tiles_init<type, reuse>(cb); } \
    template <EltwiseBinaryReuseDestType reuse> ALWI void name##_reuse_dest_tiles(uint32_t cb, uint32_t tile, uint32_t dst) \
    { binary_dest_reuse_tiles<type, reuse>(cb, tile, dst); }
// clang-format on

template <EltwiseBinaryType type = ELWADD,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t cb)
{
    if (__builtin_constant_p(cb) && metal::lost_from_dst(cb))
        metal::refuse_narrow();
    UNPACK(faces::unpack_dst_operand_init(metal::source_from_dst<reuse>()));
    MATH((faces::dst_operand_init<metal::operation(type), metal::phases>()));
}
template <EltwiseBinaryType type = ELWADD,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t tile,
                                  [[maybe_unused]] uint32_t dst)
{
    UNPACK(faces::unpack(cb, tile, metal::source_from_dst<reuse>() == SrcA ? SrcB : SrcA));
    MATH(faces::dst_operand<metal::source_from_dst<reuse>()>(dst, DST_ACCUM_MODE));
}

TS_BINARY(add, ELWADD)
TS_BINARY(sub, ELWSUB)
TS_BINARY(mul, ELWMUL)

template <bool full_init, EltwiseBinaryType type>
ALWI void binary_tiles_init(uint32_t, uint32_t, bool add = false)
{
    metal::eltwise_init<type>(add);
}
template <bool full_init = true> ALWI void binary_op_specific_init(uint32_t type)
{
    if (type == ELWADD)
        metal::eltwise_init<ELWADD>();
    else if (type == ELWSUB)
        metal::eltwise_init<ELWSUB>();
    else
        metal::eltwise_init<ELWMUL>();
}

// --- broadcasts of the second operand ---

template <EltwiseBinaryType type, BroadcastType broadcast>
ALWI void init_bcast(uint32_t a, uint32_t b, uint32_t out)
{
    metal::startup(a, b, out);
    metal::eltwise_init<type, broadcast>();
}
template <EltwiseBinaryType type, BroadcastType broadcast>
ALWI void bcast_init(uint32_t, uint32_t, uint32_t = 0)
{
    metal::eltwise_init<type, broadcast>();
}
template <EltwiseBinaryType type, BroadcastType broadcast>
ALWI void any_tiles_bcast(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst)
{
    metal::eltwise<type, broadcast>(a, b, tile_a, tile_b, dst);
}

// clang-format off
#define TS_BROADCAST(name, type) \
    template <BroadcastType broadcast> \
    ALWI void name##_tiles_bcast(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) \
    { metal::eltwise<type, broadcast>(a, b, tile_a, tile_b, dst); } \
    TS_BROADCAST_ONE(name, type, rows, ROW) \
    TS_BROADCAST_ONE(name, type, cols, COL) \
    TS_BROADCAST_ONE(name, type, scalar, SCALAR)
#define TS_BROADCAST_ONE(name, type, which, broadcast) \
    ALWI void name##_bcast_##which##_init_short(uint32_t = 0, uint32_t = 0) \
    { metal::eltwise_init<type, BroadcastType::broadcast>(); } \
    ALWI void name##_bcast_##which##_init(uint32_t = 0, uint32_t = 0) \
    { metal::eltwise_init<type, BroadcastType::broadcast>(); } \
    ALWI void name##_bcast_##which##_init(uint32_t, uint32_t, uint32_t) \
    { metal::eltwise_init<type, BroadcastType::broadcast>(); } \
    ALWI void name##_tiles_bcast_##which##_init_short(uint32_t = 0, uint32_t = 0) \
    { metal::eltwise_init<type, BroadcastType::broadcast>(); } \
    ALWI void name##_tiles_bcast_##which##_init(uint32_t = 0, uint32_t = 0) \
    { metal::eltwise_init<type, BroadcastType::broadcast>(); } \
    ALWI void name##_tiles_bcast_##which(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) \
    { metal::eltwise<type, BroadcastType::broadcast>(a, b, tile_a, tile_b, dst); }
// clang-format on
TS_BROADCAST(add, ELWADD)
TS_BROADCAST(sub, ELWSUB)
TS_BROADCAST(mul, ELWMUL)

ALWI void add_bcast_rows_init_short_post_matmul(uint32_t, uint32_t)
{
    metal::eltwise_init<ELWADD, BroadcastType::ROW>();
}

// A broadcast copy: zero plus the broadcast operand.
namespace metal {
template <BroadcastType broadcast> ALWI void unary_bcast_start()
{
    UNPACK(faces::unpack_ab_init(uint32_t(broadcast), faces::zeros(SrcA, true)));
    MATH((faces::eltwise_init<operation(ELWADD), uint32_t(broadcast), 1>(false)));
}
} // namespace metal
template <BroadcastType broadcast>
ALWI void unary_bcast_init([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t out)
{
    metal::startup(in, in, out);
    metal::unary_bcast_start<broadcast>();
}
template <BroadcastType broadcast> ALWI void unary_bcast_init(uint32_t)
{
    metal::unary_bcast_start<broadcast>();
}
template <BroadcastType broadcast>
ALWI void reconfigure_unary_bcast(uint32_t old_in, uint32_t in, uint32_t old_out, uint32_t out)
{
    reconfig_data_format(old_in, in, old_in, in);
    pack_reconfig_data_format(old_out, out);
    metal::unary_bcast_start<broadcast>();
}
template <BroadcastType broadcast>
ALWI void unary_bcast([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t tile,
                      [[maybe_unused]] uint32_t dst)
{
    UNPACK(faces::unpack(cb, tile, SrcB));
    MATH((faces::eltwise<metal::operation(ELWADD), uint32_t(broadcast), 1>(dst)));
}

} // namespace ckernel
