// Two cores read a word of the other tile until it is set, each before it sets its own.
#include "case.h"

void kernel_main()
{
    CASE
    const uint32_t copy = get_write_ptr(0);
    WORD(copy)[0] = 0;
    if (repaired) {
        WORK
        SET(ready, 1);
    }
    uint32_t tries = 0;
    do {
        noc_async_read(AT(1 - core, ready), copy, 16);
        noc_async_read_barrier();
        tries++;
    } while (WORD(copy)[0] == 0);
    WORK
    SET(ready, tries);
}
