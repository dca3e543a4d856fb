// Names of modes, for all processors: data movement kernels pass them on to helpers.
#pragma once
#include "tensix.h"

#include <cstdint>

enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };

namespace tt {
enum class DstMode : uint8_t { Full = 0, Half = 1, Tile = 2, NUM_DST_MODES = 3 };
}

namespace ckernel {

using ::DstSync;
using tt::DstMode;
enum SrcOrder : uint8_t { Regular, Reverse };
enum BroadcastType : uint8_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum EltwiseBinaryType : uint8_t { ELWMUL = 0, ELWDIV = 1, ELWADD = 2, ELWSUB = 3, ELWLESS = 4 };
enum class EltwiseBinaryReuseDestType : uint8_t { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum PoolType : uint8_t { SUM, AVG, MAX, MIN };
enum ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class VectorMode : uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
enum DataCopyType : uint8_t { A2D, B2D };
enum ThreadId : uint8_t {
    BriscThreadId = 0,
    UnpackThreadId = 1,
    MathThreadId = 2,
    PackThreadId = 3
};
enum class ReluType : uint32_t {
    NO_RELU = 0,
    ZERO_RELU = 1,
    MIN_THRESHOLD_RELU = 2,
    MAX_THRESHOLD_RELU = 3
};

// Words between BRISC and the three threads; a read waits.
inline void mailbox_write(ThreadId to, uint32_t value)
{
    ::mailbox_write(uint32_t(to), value);
}
inline uint32_t mailbox_read(ThreadId from)
{
    return ::mailbox_read(uint32_t(from));
}

} // namespace ckernel

using namespace ckernel;
