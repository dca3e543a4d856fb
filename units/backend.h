// units/backend.h: the dispatcher: wait gate and arbitration in front of the units.
//
//   front ends T0 T1 T2 --offer--> closed? latched wait? whose turn? --accept, start--> unit
//
// Source: tt-isa-documentation WormholeB0/WaitGate.md; round robin between threads is inferred
// (tensixbench of mesham/tt-sim: equal shares on VECTOR, SCALAR, CFG and MATRIX).
#pragma once

#include "units/sync.h"

// The backend of a coprocessor, as front ends see it. `sync` holds the latched waits.
// `has_promises`: front ends may ask for them (isa/promise.h).
void ts_backend_init(struct ts_backend *self, struct ts_tensix *tensix, struct ts_sync_unit *sync,
                     bool has_promises);
