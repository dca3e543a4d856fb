#!/usr/bin/env python3
"""The functional model of document 001, section 6, as it stands there, against tensim step: random descriptors, SETRWC and
INCRWC. What differs is checked too: SET_F alone writes Dst's counter in the document, and does not in the ISA.
Usage: model.py TENSIM"""
import json
import random
import subprocess
import sys


# --- from the document
class RWCState:
    def __init__(self):
        self.srca = self.srca_cr = 0
        self.srcb = self.srcb_cr = 0
        self.dst  = self.dst_cr  = 0
        self.fidelity = 0
        self.extra_addr_mod_bit = 0
    SRCA_MASK = 0x3F
    SRCB_MASK = 0x3F
    DST_MASK  = 0x3FF
    FIDELITY_MASK = 0x3

def apply_addr_mod(rwc: RWCState, ab, dst_d, bias, update_fidelity=True):
    """Apply one AddrMod descriptor entry to RWC state."""
    # SrcA
    if ab['srca_clr']:
        rwc.srca = rwc.srca_cr = 0
    elif ab['srca_cr']:
        rwc.srca_cr = (rwc.srca_cr + ab['srca_incr']) & rwc.SRCA_MASK
        rwc.srca = rwc.srca_cr
    else:
        rwc.srca = (rwc.srca + ab['srca_incr']) & rwc.SRCA_MASK

    # SrcB
    if ab['srcb_clr']:
        rwc.srcb = rwc.srcb_cr = 0
    elif ab['srcb_cr']:
        rwc.srcb_cr = (rwc.srcb_cr + ab['srcb_incr']) & rwc.SRCB_MASK
        rwc.srcb = rwc.srcb_cr
    else:
        rwc.srcb = (rwc.srcb + ab['srcb_incr']) & rwc.SRCB_MASK

    # Dst
    if dst_d['dest_clr']:
        rwc.dst = rwc.dst_cr = 0
    elif dst_d['dest_c2cr']:     # CtoCR: add to C, checkpoint
        rwc.dst = (rwc.dst + dst_d['dest_incr']) & rwc.DST_MASK
        rwc.dst_cr = rwc.dst
    elif dst_d['dest_cr']:        # CR: add to checkpoint, assign
        rwc.dst_cr = (rwc.dst_cr + dst_d['dest_incr']) & rwc.DST_MASK
        rwc.dst = rwc.dst_cr
    else:
        rwc.dst = (rwc.dst + dst_d['dest_incr']) & rwc.DST_MASK

    # Fidelity
    if update_fidelity:
        if dst_d['fidelity_clr']:
            rwc.fidelity = 0
        else:
            rwc.fidelity = (rwc.fidelity + dst_d['fidelity_incr']) & rwc.FIDELITY_MASK

    # ExtraAddrModBit
    if bias['bias_clr']:
        rwc.extra_addr_mod_bit = 0
    elif bias['bias_incr'] & 3:
        rwc.extra_addr_mod_bit = min(1, rwc.extra_addr_mod_bit + 1)


def setrwc(rwc: RWCState, rwc_a=0, rwc_b=0, rwc_d=0, rwc_cr=0, bitmask=0,
           clear_srca_bank=False, clear_srcb_bank=False):
    """Execute SETRWC instruction."""
    SET_A, SET_B, SET_D, SET_F = 1, 2, 4, 8
    CR_A, CR_B, CR_D, C_TO_CR = 1, 2, 4, 8
    if bitmask & SET_A:
        base = rwc.srca_cr if (rwc_cr & CR_A) else 0
        rwc.srca = rwc.srca_cr = (base + rwc_a) & RWCState.SRCA_MASK
    if bitmask & SET_B:
        base = rwc.srcb_cr if (rwc_cr & CR_B) else 0
        rwc.srcb = rwc.srcb_cr = (base + rwc_b) & RWCState.SRCB_MASK
    if bitmask & (SET_D | C_TO_CR):
        if rwc_cr & C_TO_CR:   base = rwc.dst
        elif rwc_cr & CR_D:    base = rwc.dst_cr
        else:                  base = 0
        rwc.dst = rwc.dst_cr = (base + rwc_d) & RWCState.DST_MASK
    if bitmask & SET_F:
        rwc.fidelity = 0
    # Bank flip (clear_dvalid) handled separately by hardware


def incrwc(rwc: RWCState, rwc_a=0, rwc_b=0, rwc_d=0, rwc_cr=0):
    """Execute INCRWC instruction."""
    CR_A, CR_B, CR_D = 1, 2, 4
    if rwc_cr & CR_A:
        rwc.srca_cr = (rwc.srca_cr + rwc_a) & RWCState.SRCA_MASK
        rwc.srca = rwc.srca_cr
    else:
        rwc.srca = (rwc.srca + rwc_a) & RWCState.SRCA_MASK
    if rwc_cr & CR_B:
        rwc.srcb_cr = (rwc.srcb_cr + rwc_b) & RWCState.SRCB_MASK
        rwc.srcb = rwc.srcb_cr
    else:
        rwc.srcb = (rwc.srcb + rwc_b) & RWCState.SRCB_MASK
    if rwc_cr & CR_D:
        rwc.dst_cr = (rwc.dst_cr + rwc_d) & RWCState.DST_MASK
        rwc.dst = rwc.dst_cr
    else:
        rwc.dst = (rwc.dst + rwc_d) & RWCState.DST_MASK


# --- against tensim
def step(tensim, words, setup=()):
    """The instructions of a program, as tensim run --show reports them."""
    text = json.dumps({'setup': list(setup), 'cores': {'trisc1': words}})  # JSON is YAML
    done = subprocess.run([tensim, 'run', '--show', '-', '-q', '--json', '-'], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{text}\n{done.stderr}')
    return json.loads(done.stdout)['instructions']


def state(rwc):
    return {'srca': rwc.srca, 'srca_cr': rwc.srca_cr, 'srcb': rwc.srcb, 'srcb_cr': rwc.srcb_cr, 'dst': rwc.dst,
            'dst_cr': rwc.dst_cr, 'phase': rwc.fidelity}


def descriptor(rng):
    """A descriptor in the document's form, and as steps of a set-up."""
    ab = {'srca_incr': rng.randrange(64), 'srca_cr': rng.randrange(2), 'srca_clr': rng.random() < 0.2,
          'srcb_incr': rng.randrange(64), 'srcb_cr': rng.randrange(2), 'srcb_clr': rng.random() < 0.2}
    dst = {'dest_incr': rng.randrange(1024), 'dest_cr': rng.randrange(2), 'dest_clr': rng.random() < 0.2,
           'dest_c2cr': rng.randrange(2), 'fidelity_incr': rng.randrange(4), 'fidelity_clr': rng.random() < 0.2}
    names = {'srca_incr': 'AB_SEC%d_SrcAIncr', 'srca_cr': 'AB_SEC%d_SrcACR', 'srca_clr': 'AB_SEC%d_SrcAClear',
             'srcb_incr': 'AB_SEC%d_SrcBIncr', 'srcb_cr': 'AB_SEC%d_SrcBCR', 'srcb_clr': 'AB_SEC%d_SrcBClear',
             'dest_incr': 'DST_SEC%d_DestIncr', 'dest_cr': 'DST_SEC%d_DestCR', 'dest_clr': 'DST_SEC%d_DestClear',
             'dest_c2cr': 'DST_SEC%d_DestCToCR', 'fidelity_incr': 'DST_SEC%d_FidelityIncr',
             'fidelity_clr': 'DST_SEC%d_FidelityClear'}
    return ab, dst, lambda n: [{'cfg': {'field': f'ADDR_MOD_{names[k] % n}', 'value': int(v)}} for k, v in {**ab, **dst}.items()]


def random_program(tensim, seed):
    """Descriptors, SETRWC and INCRWC at random: all counters agree after every instruction, wraps included."""
    rng, rwc, setup, lines, wanted = random.Random(seed), RWCState(), [], [], []
    mods = [descriptor(rng) for _ in range(8)]
    for n, mod in enumerate(mods):
        setup += mod[2](n)
    for _ in range(60):
        a, b, d, which = rng.randrange(16), rng.randrange(16), rng.randrange(16), rng.random()
        if which < 0.25:
            cr, mask = rng.randrange(16), rng.choice([1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15])
            if not mask & 4:
                cr &= 7  # bit 3 alone also writes Dst in the ISA
            lines.append(f'SETRWC rwc_cr={cr} rwc_d={d} rwc_b={b} rwc_a={a} bit_mask={mask}')
            setrwc(rwc, a, b, d, cr, mask)
        elif which < 0.5:
            cr = rng.randrange(8)
            lines.append(f'INCRWC rwc_cr={cr} rwc_d={d} rwc_b={b} rwc_a={a}')
            incrwc(rwc, a, b, d, cr)
        else:
            n = rng.randrange(8)
            lines.append(f'ZEROACC clear_mode=0 addr_mode={n}')  # any row will do
            apply_addr_mod(rwc, mods[n][0], mods[n][1], {'bias_clr': 0, 'bias_incr': 0})
        wanted.append(state(rwc))
    for number, (row, want) in enumerate(zip(step(tensim, lines, setup), wanted)):
        if row['rwc'] != want:
            sys.exit(f'seed {seed}, {row["instruction"]} ({number}): tensim {row["rwc"]}, the document {want}')
    return len(wanted)


def set_f(tensim):
    """SET_F alone: the document's model writes Dst's counter, tensim and the ISA do not."""
    rwc = RWCState()
    setrwc(rwc, rwc_d=5, bitmask=4)
    setrwc(rwc, bitmask=8)
    rows = step(tensim, ['SETRWC rwc_d=5 bit_mask=4', 'SETRWC bit_mask=8'])
    if rwc.dst != 0 or rows[1]['rwc']['dst'] != 5:
        sys.exit(f'SET_F alone: the document {rwc.dst}, tensim {rows[1]["rwc"]["dst"]}')


if __name__ == '__main__':
    count = sum(random_program(sys.argv[1], seed) for seed in range(30))
    set_f(sys.argv[1])
    print(f'{count} instructions with the counters of the document')
