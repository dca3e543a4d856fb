// The producer fills buffer 0, the consumer waits for buffer 1.
#include "case.h"

void kernel_main()
{
    CASE
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}
