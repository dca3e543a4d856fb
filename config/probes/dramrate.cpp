// One tile of dramratebench: reads from or writes to a DRAM channel, at the same time as all others.
//
// Source: mesham/tt-sim, perfbench/dramratebench (dram_reader, dram_writer). The same calls in the same order around the
// clock: a word to each of the others, the wait for theirs, and the loop. What proves on the card that the bytes are the
// right ones is left out.
//
// PROBE_READ: what it is compiled for. Results: the clock before and after.
#include "probe.h"

void kernel_main()
{
    const uint32_t arrivals = get_arg_val<uint32_t>(DRAMRATE_ARRIVALS);
    const uint32_t data = get_arg_val<uint32_t>(DRAMRATE_DATA);
    const uint32_t data_bytes = get_arg_val<uint32_t>(DRAMRATE_DATA_BYTES);
    const uint32_t index = get_arg_val<uint32_t>(DRAMRATE_INDEX);
    const uint32_t tiles = get_arg_val<uint32_t>(DRAMRATE_TILES);
    const uint32_t requests = get_arg_val<uint32_t>(DRAMRATE_REQUESTS);
    const uint32_t bytes = get_arg_val<uint32_t>(DRAMRATE_BYTES);
    const uint32_t slice_bytes = get_arg_val<uint32_t>(DRAMRATE_SLICE_BYTES);
    const uint64_t dram = get_noc_addr(get_arg_val<uint32_t>(DRAMRATE_X),
                                       get_arg_val<uint32_t>(DRAMRATE_Y),
                                       get_arg_val<uint32_t>(DRAMRATE_SLICE));

    volatile uint32_t *arrived = (volatile uint32_t *)arrivals;
    volatile uint32_t *flag = (volatile uint32_t *)(data + data_bytes);
    flag[0] = 1;
    for (uint32_t i = 0; i < tiles; i++) {
        if (i == index) {
            arrived[index * (DRAMRATE_SLOT / 4)] = 1;
            continue;
        }
        const uint32_t x = get_arg_val<uint32_t>(DRAMRATE_PEER_XY + 2 * i);
        const uint32_t y = get_arg_val<uint32_t>(DRAMRATE_PEER_XY + 2 * i + 1);
        noc_async_write((uint32_t)flag, get_noc_addr(x, y, arrivals + DRAMRATE_SLOT * index), 4);
    }
    noc_async_write_barrier();
    for (uint32_t seen = 0; seen < tiles;) {
        invalidate_l1_cache();
        seen = 0;
        for (uint32_t i = 0; i < tiles; i++)
            if (arrived[i * (DRAMRATE_SLOT / 4)] != 0)
                seen++;
    }

    // Back to the start by comparison: a remainder takes longer than all the rest.
    const uint32_t data_span = data_bytes > bytes ? data_bytes - bytes : 0;
    const uint32_t slice_span = slice_bytes > bytes ? slice_bytes - bytes : 0;
    uint32_t far = 0, near = 0;
    const uint32_t before = probe_clock();
    for (uint32_t i = 0; i < requests; i++) {
        if constexpr (PROBE_READ)
            noc_async_read(dram + far, data + near, bytes);
        else
            noc_async_write(data + near, dram + far, bytes);
        far += bytes;
        if (far > slice_span)
            far = 0;
        near += bytes;
        if (near > data_span)
            near = 0;
    }
    if constexpr (PROBE_READ)
        noc_async_read_barrier();
    else
        noc_async_write_barrier();
    const uint32_t after = probe_clock();

    volatile uint32_t *out = (volatile uint32_t *)PROBE_RESULTS;
    out[DRAMRATE_OUT_BEFORE] = before;
    out[DRAMRATE_OUT_AFTER] = after;
    out[DRAMRATE_OUT_DONE] = PROBE_DONE;
}
