// RMSNorm of one to four tiles of 1024 BF16 values by one tile's three TRISCs, as published with
// its cycle counts (blackhole-py, tests/compute/fpu), written again from its description: x and
// gamma from L1, y = x * gamma / sqrt(mean(x * x) + 1e-5) to L1, FP32 in between.
//
//   T0 unpackers --SrcA, SrcB--> T1 matrix and vector unit --Dst--> T2 packer
//
// A run computes on real values; an output that is off fails its row.
#ifndef TENSIM_STUDY_SILICON_RMSNORM_H
#define TENSIM_STUDY_SILICON_RMSNORM_H

#include "platform/study/silicon/silicon.h"

// Multiplies: the vector unit by REPLAYs in a MOP (with a macro) or in a straight line; or the
// matrix unit x * gamma and the vector unit the rest.
enum rmsnorm_math { RMSNORM_PORT, RMSNORM_VECTOR, RMSNORM_HYBRID };
// How the hybrid sums squares: pairs of load and multiply-add after the products, after a wait for
// them, between them, from another thread; or load macros.
enum rmsnorm_squares {
    RMSNORM_PAIRS,
    RMSNORM_SERIAL,
    RMSNORM_BETWEEN,
    RMSNORM_BY_T0,
    RMSNORM_BY_T2,
    RMSNORM_MACROS
};
// How T0 continues with the next tile: with all of its configuration; with the addresses only and a
// wait that the next wait replaces; with a wait that holds; or ahead, into the other bank.
enum rmsnorm_feed { RMSNORM_FRESH, RMSNORM_LOOSE, RMSNORM_STRICT, RMSNORM_AHEAD };
enum rmsnorm_part { RMSNORM_TOTAL, RMSNORM_COMPUTE, RMSNORM_PACK };

struct rmsnorm {
    unsigned tiles;
    enum rmsnorm_math math;
    enum rmsnorm_squares squares;
    enum rmsnorm_feed feed;
    enum rmsnorm_part part; // what is timed
    unsigned phases;        // of ELWMUL
    bool mop;               // products by one MOP a tile
    bool exported;          // the scale is packed, too, as FP32
    bool plain;             // no macro for the output either; starts with the set-up
    bool setup;             // the total starts with the set-up of T1
};

double rmsnorm_run(const struct rmsnorm *norm, const struct ts_silicon_context *context,
                   struct ts_error *error);

#endif
