// One flow of nocbench: waits for the other masters, then issues its requests, and waits for the last answer.
//
// Source: mesham/tt-sim, perfbench/nocbench. The same calls in the same order, with the direction decided in the
// loop; the stamps are our own layout.
//
// Results: the clock before and after.
#include "probe.h"

void kernel_main()
{
    const uint32_t late = get_arg_val<uint32_t>(NOCBENCH_LATE);
    const uint32_t results = get_arg_val<uint32_t>(NOCBENCH_RESULTS);
    const uint32_t data = get_arg_val<uint32_t>(NOCBENCH_DATA);
    const uint32_t semaphore = get_semaphore(0);
    const uint32_t flow = get_arg_val<uint32_t>(NOCBENCH_FLOW);
    const uint32_t peers = get_arg_val<uint32_t>(NOCBENCH_PEERS);
    const uint32_t x = get_arg_val<uint32_t>(NOCBENCH_TO_X),
                   y = get_arg_val<uint32_t>(NOCBENCH_TO_Y);
    const uint32_t requests = get_arg_val<uint32_t>(NOCBENCH_REQUESTS);
    const uint32_t bytes = get_arg_val<uint32_t>(NOCBENCH_BYTES);
    const uint32_t direction = get_arg_val<uint32_t>(NOCBENCH_DIRECTION);
    const uint32_t vc = get_arg_val<uint32_t>(NOCBENCH_CHANNEL);

    // Written from the first half of the data, read into the second.
    const uint32_t source = data, sink = data + bytes;
    const uint64_t write_to = get_noc_addr(x, y, data);
    const uint64_t read_from = get_noc_addr(x, y, data + bytes);

    riscv_wait(late); // the host launches the cores one after the other
    for (uint32_t i = 0; i < peers; i++) {
        const uint32_t peer_x = get_arg_val<uint32_t>(NOCBENCH_PEER_XY + 2 * i);
        const uint32_t peer_y = get_arg_val<uint32_t>(NOCBENCH_PEER_XY + 2 * i + 1);
        noc_semaphore_inc(get_noc_addr(peer_x, peer_y, semaphore), 1);
    }
    const uint32_t met = probe_clock();
    if (peers > 0)
        noc_semaphore_wait_min((volatile uint32_t *)semaphore, peers);
    const uint32_t all_met = probe_clock();

    const uint32_t before = probe_clock();
    for (uint32_t i = 0; i < requests; i++) {
        if (direction != NOCBENCH_READS)
            noc_async_write(source, write_to, bytes, noc_index, vc);
        if (direction != NOCBENCH_WRITES)
            noc_async_read(read_from, sink, bytes);
    }
    if (direction != NOCBENCH_READS)
        noc_async_write_barrier();
    if (direction != NOCBENCH_WRITES)
        noc_async_read_barrier();
    const uint32_t after = probe_clock();
    volatile uint32_t *out = (volatile uint32_t *)results;
    out[NOCBENCH_OUT_FLOW] = flow;
    out[NOCBENCH_OUT_BEFORE] = before;
    out[NOCBENCH_OUT_AFTER] = after;
    out[NOCBENCH_OUT_CYCLES] = after - before;
    out[NOCBENCH_OUT_X] = my_x[noc_index];
    out[NOCBENCH_OUT_Y] = my_y[noc_index];
    out[NOCBENCH_OUT_REQUESTS] = requests;
    out[NOCBENCH_OUT_BYTES] = bytes;
    out[NOCBENCH_OUT_DIRECTION] = direction;
    out[NOCBENCH_OUT_CHANNEL] = vc;
    out[NOCBENCH_OUT_MEETING] = all_met - met;
    out[NOCBENCH_OUT_DONE] = PROBE_DONE;
}
