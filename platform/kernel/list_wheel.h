// The wheel of a domain with more than 63 components: two levels of intrusive lists.
//
// Level 0 has a list for each cycle of the current block of 64 cycles, level 1 one for each of the
// next 64 blocks. All later cycles share one list with a lower bound. The components of a cycle go
// into a bitmap before they step, so they step in the order of their index, as in the mask wheel.
#ifndef TENSIM_KERNEL_LIST_WHEEL_H
#define TENSIM_KERNEL_LIST_WHEEL_H

#include "platform/kernel/domain.h"

struct ts_list_wheel;

struct ts_list_wheel *ts_list_wheel_new(struct ts_kernel *kernel, uint32_t components);
void ts_list_wheel_insert(struct ts_domain *domain, struct ts_component *component, ts_cycle at);
bool ts_list_wheel_remove(struct ts_domain *domain, struct ts_component *component);
void ts_list_wheel_run(struct ts_domain *domain);
ts_cycle ts_list_wheel_next(const struct ts_domain *domain);
// Skips an empty stretch: nothing is due before `to`.
void ts_list_wheel_skip(struct ts_domain *domain, ts_cycle to);

#endif
