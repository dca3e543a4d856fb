// A kernel of config/systems/fabric that loses one credit: its KERNEL, whose credit number LOST goes nowhere. A sender's are
// those for the receiver at the other end (LOSES_UPDATE), a worker's those for its router.
#include "internal/ethernet/dataflow_api.h"

static FORCE_INLINE bool lost()
{
    static uint32_t left = LOST;
    return --left == 0;
}

#ifdef LOSES_UPDATE
template <uint32_t stream, uint32_t queue> FORCE_INLINE void lossy(int32_t credits)
{
    if (!lost())
        remote_update_ptr_val<stream, queue>(credits);
}
#define remote_update_ptr_val lossy
#else
template <InlineWriteDst to> FORCE_INLINE void lossy(uint64_t address, uint32_t word)
{
    if (!lost())
        noc_inline_dw_write<to>(address, word);
}
#define noc_inline_dw_write lossy
#endif
#include KERNEL
