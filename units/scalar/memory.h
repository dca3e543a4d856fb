// units/scalar/memory.h: the memory half of the Scalar Unit (see scalar.h).
#pragma once

#include "units/scalar/scalar.h"

// The unit, and its thread's gate, are taken before this cycle.
void ts_scalar_occupy(struct ts_scalar_unit *self, unsigned thread, ts_cycle until);

// Requests that come due, and attempts that are repeated.
ts_step ts_scalar_step(struct ts_component *component, ts_cycle now);

// The bodies: arithmetic and moves in scalar.c, memory and atomics in memory.c.
typedef bool ts_scalar_body(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now);
#define TS_OP_SCALAR(...) TS_DECLARE(scalar, __VA_ARGS__)
#include "units/isa/bodies.h"

// Arithmetic reads its operands and writes its result.
void ts_scalar_compute(struct ts_scalar_unit *self);
