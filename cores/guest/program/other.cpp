// Firmware of NCRISC and of the TRISCs: gets ready, says so, runs its kernel when BRISC tells it to, and
// clears its word.
#include "start.h"

extern "C" int main()
{
    volatile uint32_t *sync = &firmware::block()->sync[PROCESSOR_INDEX - TS_ON_NCRISC];
    ts_api_begin();
    *sync = TS_PROGRAM_READY;
    while (*sync != TS_PROGRAM_GO)
        ts_invalidate();
    firmware::run();
    *sync = 0;
    return 0;
}
