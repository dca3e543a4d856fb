// Firmware of NCRISC: waits for the go word and runs the reader.
#include "cb.h"

void kernel_main();

extern "C" int main()
{
    volatile uint32_t *sync = &ts_launch_block()->sync[0];
    while (*sync != TS_SYNC_GO)
        ts_invalidate();
    cb_setup();
    kernel_main();
    *sync = TS_SYNC_DONE;
    return 0;
}
