// A worker that sends a packet to a worker of another chip and waits for its answer, many times (answer.cpp). Arguments:
// NoC x and y of its router, chips to go, NoC x and y of the other worker, bytes, times. Leaves at 0x18200: the cycles of
// all, from the end of each send to its answer.
#include "fabric.h"
#include "worker.h"

void kernel_main()
{
    worker self(5);
    volatile uint32_t *mine = self.last(SEND), *theirs = self.last(RECEIVE);
    uint32_t total = 0;
    for (uint32_t i = 1; i <= self.times; i++) {
        *theirs = 0;
        *mine = i;
        ts_arrived(*mine);
        self.connection.wait_for_slot();
        self.send(SEND);
        const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
        noc_async_writes_flushed();
        noc_semaphore_wait(theirs, i);
        total += TS_REG(RISCV_WALL_CLOCK) - begin;
    }
    TS_REG(RESULT) = total;
}
