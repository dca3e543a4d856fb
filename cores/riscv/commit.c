// The commit log of a core, in the format of Spike's --log-commits:
//   core   0: 3 0x00000004 (0x00000013) x 5 0x00000001
//   core   0: 3 0x00000008 (0x0002a303) x 6 0x00000007 mem 0x00030000
//   core   0: 3 0x0000000c (0x0062a223) mem 0x00030004 0x00000007
// An instruction is held until the next one is looked at, because its result is written by then; one whose load
// waits is held until the load is done, with a mark in the meantime.
#include "cores/riscv/internal.h"

#include <string.h>

void ts_rv_log_hold(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address, uint32_t value)
{
    uint32_t word;
    memcpy(&word, core->l1->bytes + insn->pc, sizeof word);
    core->logged.held = true;
    core->logged.pc = insn->pc;
    core->logged.word = word;
    core->logged.rd = insn->rd;
    core->logged.address = address;
    core->logged.value = value;
    core->logged.kind = insn->cls;
}

void ts_rv_log_flush(struct ts_rv_core *core)
{
    if (!core->logged.held)
        return;
    core->logged.held = false;
    FILE *to = core->log;
    fprintf(to, "core   %u: 3 0x%08x (0x%08x)", core->id, core->logged.pc, core->logged.word);
    unsigned rd = core->logged.rd;
    if (rd < TS_RV_F0)
        fprintf(to, " x%-2u 0x%08x", rd, core->r[rd]);
    else if (rd < TS_RV_SINK)
        fprintf(to, " f%-2u 0x%08x", rd - TS_RV_F0, core->r[rd]);
    switch (core->logged.kind) {
    case TS_RV_CLASS_LOAD:
    case TS_RV_CLASS_AMO:
        fprintf(to, " mem 0x%08x", core->logged.address);
        break;
    case TS_RV_CLASS_STORE:
    case TS_RV_CLASS_TTINSN:
        fprintf(to, " mem 0x%08x 0x%08x", core->logged.address, core->logged.value);
        break;
    default:
        break;
    }
    fputc('\n', to);
}
