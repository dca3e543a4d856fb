// units/files/rwc.c: SETRWC and INCRWC.
#include "units/files/rwc.h"

// Bits of SETRWC's and INCRWC's rwc_cr, and of SETRWC's bit_mask.
enum { CR_A = 1, CR_B = 2, CR_D = 4, C_TO_CR = 8 };
enum { SET_A = 1, SET_B = 2, SET_D = 4, SET_F = 8 };

void ts_rwc_set(struct ts_rwc *rwc, struct ts_args_SETRWC a)
{
    if (a.bit_mask & SET_A) {
        uint32_t base = a.rwc_cr & CR_A ? rwc->srca_cr : 0;
        rwc->srca = rwc->srca_cr = (uint8_t)((base + a.rwc_a) & TS_RWC_SRC_MASK);
    }
    if (a.bit_mask & SET_B) {
        uint32_t base = a.rwc_cr & CR_B ? rwc->srcb_cr : 0;
        rwc->srcb = rwc->srcb_cr = (uint8_t)((base + a.rwc_b) & TS_RWC_SRC_MASK);
    }
    if (a.bit_mask & SET_D || a.rwc_cr & C_TO_CR) {
        uint32_t base = a.rwc_cr & C_TO_CR ? rwc->dst : a.rwc_cr & CR_D ? rwc->dst_cr : 0;
        rwc->dst = rwc->dst_cr = (uint16_t)((base + a.rwc_d) & TS_RWC_DST_MASK);
    }
    if (a.bit_mask & SET_F)
        rwc->fidelity = 0;
}

void ts_rwc_increment(struct ts_rwc *rwc, struct ts_args_INCRWC a)
{
    if (a.rwc_cr & CR_A)
        rwc->srca = rwc->srca_cr = (uint8_t)((rwc->srca_cr + a.rwc_a) & TS_RWC_SRC_MASK);
    else
        rwc->srca = (uint8_t)((rwc->srca + a.rwc_a) & TS_RWC_SRC_MASK);
    if (a.rwc_cr & CR_B)
        rwc->srcb = rwc->srcb_cr = (uint8_t)((rwc->srcb_cr + a.rwc_b) & TS_RWC_SRC_MASK);
    else
        rwc->srcb = (uint8_t)((rwc->srcb + a.rwc_b) & TS_RWC_SRC_MASK);
    if (a.rwc_cr & CR_D)
        rwc->dst = rwc->dst_cr = (uint16_t)((rwc->dst_cr + a.rwc_d) & TS_RWC_DST_MASK);
    else
        rwc->dst = (uint16_t)((rwc->dst + a.rwc_d) & TS_RWC_DST_MASK);
}
