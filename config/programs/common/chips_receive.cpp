// Takes what comes from the chip before: adds it to this chip's tensor, or puts it there.
#include "chips.h"

#ifndef VALUE
#define VALUE uint32_t
#endif

static void add(uint32_t to, uint32_t from)
{
    auto *a = (volatile tt_l1_ptr VALUE *)to;
    auto *b = (volatile tt_l1_ptr VALUE *)from;
    for (uint32_t i = 0; i < bytes / 4; i += 4) { // loads first: their latencies overlap
        VALUE a0 = a[i], b0 = b[i], a1 = a[i + 1], b1 = b[i + 1];
        VALUE a2 = a[i + 2], b2 = b[i + 2], a3 = a[i + 3], b3 = b[i + 3];
        a[i] = a0 + b0;
        a[i + 1] = a1 + b1;
        a[i + 2] = a2 + b2;
        a[i + 3] = a3 + b3;
    }
}

void kernel_main()
{
    const uint32_t came = get_arg_val<uint32_t>(1), done = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3), y = get_arg_val<uint32_t>(4);
    const uint32_t slot = get_write_ptr(25), own = get_write_ptr(26);
    constexpr auto args = TensorAccessorArgs<7>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    wait_for_tensor();
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t page = page_received(i);
        uint32_t from = slot + i % slots * bytes;
        const bool adds = i < adding * segment;
        if (adds)
            noc_async_read_page(page, tensor, own);
        wait_until(came, i + 1);
        if (adds) {
            noc_async_read_barrier();
            add(own, from);
            from = own;
        }
        noc_async_write_page(page, tensor, from);
        noc_async_write_barrier();
        noc_semaphore_set((volatile tt_l1_ptr uint32_t *)get_semaphore(done), i + 1);
        noc_semaphore_inc(get_noc_addr(x, y, 0x18310), 1); // the slot is free
    }
    noc_async_atomic_barrier();
}
