// units/isa/bodies.h: from an opcode to its body, made from the rows of config/tensix.def.
//
// An instruction NAME has one body, ts_<unit>_NAME. Every unit selects it in the same way, by a
// switch that is made from the unit's rows:
//
//   switch (in.op) {
//   #define TS_OP_PACK(...) TS_CASE(pack, (self, in, now), __VA_ARGS__)
//   #include "units/isa/bodies.h"
//   }
//
// A row without a body does not compile, and neither does a body without a row. A unit whose bodies
// are in several files declares them in the same way, with TS_DECLARE: there a missing body is a
// link error. Rows of status NONE have no body: the code after the switch refuses them.
//
// Define TS_OP_<UNIT> and include this file, as often as needed.
#ifndef TENSIM_UNITS_ISA_BODIES_H
#define TENSIM_UNITS_ISA_BODIES_H

#define TS_CASE(unit, args, code, name, block, sync, doc, status, ...) \
    TS_CASE_##status(unit, args, name)
#define TS_CASE_DONE(unit, args, name) \
    case TS_OP_##name:                 \
        return ts_##unit##_##name args;
#define TS_CASE_TODO(unit, args, name) TS_CASE_DONE(unit, args, name)
#define TS_CASE_NONE(unit, args, name)

#define TS_DECLARE(unit, code, name, block, sync, doc, status, ...) TS_DECLARE_##status(unit, name)
#define TS_DECLARE_DONE(unit, name)                                 ts_##unit##_body ts_##unit##_##name;
#define TS_DECLARE_TODO(unit, name)                                 TS_DECLARE_DONE(unit, name)
#define TS_DECLARE_NONE(unit, name)

#endif

#define F(...)
#define FX(...)
#define TS_OP(...)
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX
