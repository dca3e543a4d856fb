// A matmul's threads around one or two by two tiles of BF16, HiFi2: T0 unpacks, T1 multiplies by a
// MOP of two REPLAYs of 16 MVMUL a tile, T2 takes what is ready. As published with its cycle counts
// (tenstorrent-docs, microbenching), written again from its description, its notes to L1 included.
#ifndef TENSIM_STUDY_SILICON_TRIANGLE_H
#define TENSIM_STUDY_SILICON_TRIANGLE_H

#include "platform/study/silicon/silicon.h"

// Until T1 has pushed its words; until they are done and T2 is notified; two rounds of that.
enum triangle_part { TRIANGLE_NONE, TRIANGLE_ISSUE, TRIANGLE_LATENCY, TRIANGLE_ROUNDS };

// Cycles a round, less those of an empty one. `side`: 1 or 2 tiles.
double triangle_run(unsigned side, enum triangle_part part,
                    const struct ts_silicon_context *context, struct ts_error *error);

#endif
