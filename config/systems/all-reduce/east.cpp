// Ring all-reduce, the tile towards the next chip: sends its vector on, adds what the others' vectors bring, and hands
// them on in turn. Arguments: bytes of a vector, chips. The vector lies at the beginning of free L1, the sum behind it.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), chips = get_arg_val<uint32_t>(1),
                   words = bytes / 4;
    volatile uint32_t *own = (volatile uint32_t *)TS_ETH_FREE, *sum = own + words;
    volatile uint32_t *came = (volatile uint32_t *)0x18300;
    init_ptr_val<CREDITS>(1); // the next chip has room for one vector
    for (uint32_t i = 0; i < words; i++)
        sum[i] = own[i];
    uint32_t from = TS_ETH_FREE;
    for (uint32_t k = 0; k + 1 < chips; k++) {
        while (get_ptr_val<CREDITS>() < 1)
            ;
        increment_local_update_ptr_val<CREDITS>(-1);
        eth_send_bytes_over_channel(from, TS_ETH_FREE, bytes, 1, bytes, bytes >> 4);
        eth_noc_semaphore_wait_min(came, k + 1);
        from = TS_ETH_FREE + 0x10000 + k * bytes;
        const volatile uint32_t *vector = (const volatile uint32_t *)(uintptr_t)from;
        for (uint32_t i = 0; i < words; i++)
            sum[i] = sum[i] + vector[i];
    }
}
