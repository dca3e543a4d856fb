// A worker that sends every packet back (ask.cpp; the same arguments). Leaves at 0x18200: the cycles of all its sends.
#include "fabric.h"
#include "worker.h"

void kernel_main()
{
    worker self(5);
    volatile uint32_t *theirs = self.last(RECEIVE);
    uint32_t total = 0;
    for (uint32_t i = 1; i <= self.times; i++) {
        self.connection.wait_for_slot();
        noc_semaphore_wait(theirs, i);
        const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
        self.send(RECEIVE);
        total += TS_REG(RISCV_WALL_CLOCK) - begin;
    }
    TS_REG(RESULT) = total;
}
