// A program on several chips: what each chip and each link did, what bounds all of it, and who waited for whom.
#pragma once

#include "platform/run/work.h"

// After the run: adds `system`, `chips`, `links`, `system_bound`, `collective`, `waits` and `link_waits` to a document. False: no
// memory.
bool ts_chips_json(struct ts_work *const *works, uint32_t count, json_t *document);
