// units/scalar/memory.h: the half of the Scalar Unit that talks to memory (scalar.h says what it
// is).
#ifndef TENSIM_UNITS_SCALAR_MEMORY_H
#define TENSIM_UNITS_SCALAR_MEMORY_H

#include "units/scalar/scalar.h"

// The unit, and its thread's gate, are taken before this cycle.
void ts_scalar_occupy(struct ts_scalar *self, unsigned thread, ts_cycle until);

// Requests that come due, and attempts that are repeated.
ts_step ts_scalar_step(struct ts_component *component, ts_cycle now);

// Bodies that live in scalar_memory.c.
bool ts_scalar_FLUSHDMA(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_LOADIND(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_STOREIND(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_LOADREG(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_STOREREG(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_ATINCGET(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_ATINCGETPTR(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_ATSWAP(struct ts_scalar *self, struct ts_word in, ts_cycle now);
bool ts_scalar_ATCAS(struct ts_scalar *self, struct ts_word in, ts_cycle now);

// Arithmetic reads its operands and writes its result.
void ts_scalar_compute(struct ts_scalar *self);

#endif
