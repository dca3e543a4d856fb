// Arguments by name, in programs that name them: get_arg(args::name), whatever kind it is.
#pragma once
#include "internal/base.h"

#ifndef TT_KERNEL // of a kernel that has a function with parameters, the prelude defines it
#define TT_KERNEL static FORCE_INLINE
#endif

namespace experimental {
template <typename T> struct RtaArg {
    uint32_t byte_offset;
};
template <typename T> struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T> struct CtaVal {
    T value;
};
template <typename T> FORCE_INLINE T get_arg(RtaArg<T> arg)
{
    return get_arg_val<T>(int(arg.byte_offset / 4));
}
template <typename T> FORCE_INLINE T get_arg(CrtaArg<T> arg)
{
    return get_common_arg_val<T>(int(arg.byte_offset / 4));
}
template <typename T> FORCE_INLINE constexpr T get_arg(CtaVal<T> arg)
{
    return arg.value;
}
} // namespace experimental
