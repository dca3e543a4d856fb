// A consumer waits for a buffer that the program does not have.
#include "case.h"

void kernel_main()
{
    CASE
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}
