// The commit log of a core, in the format of Spike's --log-commits:
//   core   0: 3 0x00000004 (0x00000013) x 5 0x00000001
//   core   0: 3 0x00000008 (0x0002a303) x 6 0x00000007 mem 0x00030000
//   core   0: 3 0x0000000c (0x0062a223) mem 0x00030004 0x00000007
// An instruction is held until the next one is reached, because its result is written by then; one
// whose load waits delays those behind it until the load is done.
#include "cores/riscv/internal.h"

#define ROOM (sizeof((struct ts_rv_core *)0)->logged / sizeof((struct ts_rv_core *)0)->logged[0])

void ts_rv_log_print(void *file, unsigned core, const struct ts_rv_commit *commit)
{
    FILE *to = file;
    fprintf(to, "core   %u: 3 0x%08x (0x%08x)", core, commit->pc, commit->word);
    if (commit->rd < TS_RV_F0)
        fprintf(to, " x%-2u 0x%08x", commit->rd, commit->value);
    else if (commit->rd < TS_RV_SINK)
        fprintf(to, " f%-2u 0x%08x", commit->rd - TS_RV_F0, commit->value);
    if (commit->kind == TS_RV_CLASS_LOAD || commit->kind == TS_RV_CLASS_AMO)
        fprintf(to, " mem 0x%08x", commit->address);
    else if (commit->kind == TS_RV_CLASS_STORE || commit->kind == TS_RV_CLASS_TTINSN)
        fprintf(to, " mem 0x%08x 0x%08x", commit->address, commit->stored);
    fputc('\n', to);
}

void ts_rv_log_hold(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                    uint32_t value)
{
    struct ts_rv_commit *commit = &core->logged[(core->log_first + core->log_count) % ROOM];
    uint32_t word;
    memcpy(&word, core->l1->bytes + (insn->pc & TS_RV_PLACE), sizeof word);
    *commit = (struct ts_rv_commit){
        .pc = insn->pc, .word = word, .address = address, .stored = value};
    commit->rd = insn->rd;
    commit->kind = insn->cls;
    // A waiting load has at most eight instructions behind it: more do not fit the core.
    if (core->pending && insn->cls == TS_RV_CLASS_LOAD && insn->pc == core->pending_pc &&
        core->log_waits)
        commit->state = TS_RV_COMMIT_WAITS;
    core->log_waits = false;
    core->log_count++;
}

void ts_rv_log_flush(struct ts_rv_core *core)
{
    for (uint32_t i = 0; i < core->log_count; i++) {
        struct ts_rv_commit *commit = &core->logged[(core->log_first + i) % ROOM];
        if (commit->state == TS_RV_COMMIT_OPEN) {
            commit->value = core->r[commit->rd];
            commit->state = TS_RV_COMMIT_READY;
        }
    }
    while (core->log_count != 0 && core->logged[core->log_first].state == TS_RV_COMMIT_READY) {
        core->log->commit(core->log->context, core->id, &core->logged[core->log_first]);
        core->log_first = (core->log_first + 1) % ROOM;
        core->log_count--;
    }
}

void ts_rv_log_resolve(struct ts_rv_core *core, uint32_t value)
{
    for (uint32_t i = 0; i < core->log_count; i++) {
        struct ts_rv_commit *commit = &core->logged[(core->log_first + i) % ROOM];
        if (commit->state == TS_RV_COMMIT_WAITS) {
            commit->value = value;
            commit->state = TS_RV_COMMIT_READY;
        }
    }
}

void ts_rv_core_log_end(struct ts_rv_core *core)
{
    if (core->log != NULL)
        ts_rv_log_flush(core);
}
