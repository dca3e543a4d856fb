// Firmware of NCRISC and of the TRISCs: BRISC has set the go word before it released this core; it
// runs its kernel and clears the word.
#include "start.h"

extern "C" int main()
{
    volatile uint32_t *sync = &firmware::block()->sync[PROCESSOR_INDEX - TS_ON_NCRISC];
    while (*sync != TS_PROGRAM_GO)
        ts_invalidate();
    firmware::run();
    *sync = 0;
    return 0;
}
