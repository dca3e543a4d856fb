#include "platform/kernel/cycle.h"
const char *ts_version(void);
const char *ts_version(void)
{
    return TENSIM_VERSION;
}
