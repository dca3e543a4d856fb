// A worker that sends packets to a worker of another chip as fast as its router takes them. Arguments as of ask.cpp. Leaves
// at 0x18200: the cycles of all.
#include "fabric.h"
#include "worker.h"

void kernel_main()
{
    worker self(5);
    const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
    for (uint32_t i = 0; i < self.times; i++) {
        self.connection.wait_for_slot();
        self.send(SEND);
    }
    noc_async_write_barrier();
    TS_REG(RESULT) = TS_REG(RISCV_WALL_CLOCK) - begin;
}
