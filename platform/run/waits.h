// Who waited for whom in a system: every cycle of a core that runs a kernel is its work, or belongs to what its poll waited for.
//
// A poll belongs to who ended it: the link that brought the word, the tile of the chip that wrote it, the core's own queue or
// requests. If an Ethernet tile of the chip wrote it, the link behind
// that tile has it.
#ifndef TENSIM_RUN_WAITS_H
#define TENSIM_RUN_WAITS_H

#include "platform/run/work.h"

// The longest waits over links, `most` lines, workers before routers.
void ts_waits_print(struct ts_work *const *works, uint32_t count, unsigned most, FILE *file);
// [{tile, core, cycles, works, waits: [{for, link, cycles}, ...]}, ...]: works and the waits' cycles add up to `cycles`.
json_t *ts_waits_json(struct ts_work *const *works, uint32_t count);

#endif
