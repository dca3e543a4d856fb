// units/files/rwc.h: the row counters (RWC) of a thread, and how an ADDR_MOD moves them.
//
// MATRIX and VECTOR instructions read the counters to form rows of SrcA, SrcB and Dst, then apply
// the ADDR_MOD section they name. Each thread has its own counters and sections.
//
// Source: tt-isa-documentation WormholeB0/RWCs.md, SETRWC.md, INCRWC.md; Blackhole names its eight
// sections directly with 3 bits (ttsim tensix_isa.json, tt-llk).
// Inaccuracies: ADDR_MOD_AB2 and, on Blackhole, ADDR_MOD_BIAS have no specification: the configuration unit refuses to set
// them to anything but 0 (machine rule bias_bit).
#pragma once

#include "units/isa/cfgregs.h"
#include "units/isa/opcodes.h"

#define TS_RWC_SRC_MASK 0x3f
#define TS_RWC_DST_MASK 0x3ff

struct ts_rwc {
    uint16_t dst, dst_cr;  // 10 bits: rows of Dst16b
    uint8_t srca, srca_cr; // 6 bits
    uint8_t srcb, srcb_cr; // 6 bits
    uint8_t fidelity;      // 2 bits: phase
    uint8_t upper;         // 4: the next section is one of the upper four (machine rule bias_bit)
};

// Applies section `index` (0..7) of the thread's ADDR_MODs. `thd` is its ThreadConfig bank.
// SFPLOAD, SFPSTORE and SFPLOADMACRO do not change the fidelity phase.
static inline void ts_rwc_apply(struct ts_rwc *rwc, const uint16_t *thd, unsigned index,
                                bool fidelity)
{
    // Of Wormhole, whose words have two bits.
    index += 4u * thd[TS_THD_ADDR_ADDR_MOD_SET_Base] | rwc->upper;
    uint32_t ab = thd[TS_THD_ADDR_ADDR_MOD_AB_SEC0_SrcAIncr + index];
    uint32_t dst = thd[TS_THD_ADDR_ADDR_MOD_DST_SEC0_DestIncr + index];

    if (ab & 1u << 7)
        rwc->srca = rwc->srca_cr = 0;
    else if (ab & 1u << 6)
        rwc->srca = rwc->srca_cr = (rwc->srca_cr + ab) & TS_RWC_SRC_MASK;
    else
        rwc->srca = (rwc->srca + ab) & TS_RWC_SRC_MASK;

    uint32_t incr = ab >> 8;
    if (ab & 1u << 15)
        rwc->srcb = rwc->srcb_cr = 0;
    else if (ab & 1u << 14)
        rwc->srcb = rwc->srcb_cr = (rwc->srcb_cr + incr) & TS_RWC_SRC_MASK;
    else
        rwc->srcb = (rwc->srcb + incr) & TS_RWC_SRC_MASK;

    if (dst & 1u << 11)
        rwc->dst = rwc->dst_cr = 0;
    else if (dst & 1u << 12)
        rwc->dst = rwc->dst_cr = (rwc->dst + dst) & TS_RWC_DST_MASK;
    else if (dst & 1u << 10)
        rwc->dst = rwc->dst_cr = (rwc->dst_cr + dst) & TS_RWC_DST_MASK;
    else
        rwc->dst = (rwc->dst + dst) & TS_RWC_DST_MASK;

    if (fidelity)
        rwc->fidelity = dst & 1u << 15 ? 0 : (rwc->fidelity + (dst >> 13)) & 3;

    const uint32_t bias = thd[TS_THD_ADDR_ADDR_MOD_BIAS_SEC0_BiasIncr + index];
    if (__builtin_expect(bias, 0))
        rwc->upper = bias & 1u << 4 ? 0 : bias & 3 ? rwc->upper ^ 4 : rwc->upper;
}

// SETRWC without its bank flips, which are the matrix unit's.
void ts_rwc_set(struct ts_rwc *rwc, struct ts_args_SETRWC a);
void ts_rwc_increment(struct ts_rwc *rwc, struct ts_args_INCRWC a);
