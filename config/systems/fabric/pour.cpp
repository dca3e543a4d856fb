// A worker that sends packets to a worker of another chip as fast as its router takes them. Arguments as of ask.cpp, and 1 for
// headers only, one for each slot, and from then on credits only: slots go as they are. Leaves at 0x18200: the cycles of all.
#include "fabric.h"
#include "worker.h"

void kernel_main()
{
    worker self(5);
    const bool routers_only = get_arg_val<uint32_t>(7);
    const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
    for (uint32_t i = 0; i < self.times; i++) {
        self.connection.wait_for_slot();
        if (!routers_only)
            self.send(SEND);
        else if (i < SLOTS)
            self.connection.send_header(HEADER);
        else
            self.connection.send_credit();
    }
    noc_async_write_barrier();
    TS_REG(RESULT) = TS_REG(RISCV_WALL_CLOCK) - begin;
}
