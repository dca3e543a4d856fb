// Who looks at the machine between two windows: one for the process.
#include "platform/kernel/between.h"

static struct ts_bystander one;

struct ts_bystander *ts_kernel_bystander(void)
{
    return &one;
}

void ts_kernel_between(ts_between *call, ts_after_hang *hung, ts_holds_back *holds, void *context)
{
    one.call = call;
    one.hung = hung;
    one.holds = holds;
    one.context = context;
}
