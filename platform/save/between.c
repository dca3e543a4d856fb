// Who looks at the machine between two windows: one for the process.
#include "platform/kernel/between.h"

static struct ts_bystander one;

struct ts_bystander *ts_kernel_bystander(void)
{
    return &one;
}

void ts_kernel_between(ts_between *call, ts_after_hang *hung, void *context)
{
    one.call = call;
    one.hung = hung;
    one.context = context;
}

void ts_kernel_between_each(ts_after_hang *over)
{
    one.over = over;
    one.each = true;
}
