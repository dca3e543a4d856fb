// A core's front end: decoded lines and the instruction cache.
//
// The cache is 4 KiB, two ways, least recently used, 16-byte lines: with that, loops of 4.5 to 8
// KiB miss 3 x (lines above 4 KiB) times, as measured on silicon. A run of misses costs icache_miss
// once and then one line every icache_stream cycles, because the prefetcher continues.
#include "cores/riscv/internal.h"

#include <string.h>

ts_cycle ts_rv_fetch(struct ts_rv_core *core, uint32_t line, ts_cycle at)
{
    uint32_t *tag = core->line_tag[line % TS_RV_SETS];
    if (tag[1] == line + 1) {
        tag[1] = tag[0];
        tag[0] = line + 1;
        return 0;
    }
    core->fetch_misses++;
    tag[1] = tag[0];
    tag[0] = line + 1;
    ts_cycle come;
    if (core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_IC_PREFETCH)
        come = at + core->params.icache_unfetched;
    else if (line == core->stream_line)
        come = core->stream_at;
    else
        come = at + core->params.icache_miss;
    core->stream_line = line + 1;
    core->stream_at = come + core->params.icache_stream;
    if (come <= at)
        return 0;
    ts_cycle horizon = ts_horizon(&core->component);
    if (come > horizon)
        ts_rv_part(core, at, horizon);
    core->ahead.lost[TS_STALL_RV_FETCH] += come - at;
    core->ahead.any |= UINT64_C(1) << TS_STALL_RV_FETCH;
    return come - at;
}

void ts_rv_line_fill(struct ts_rv_core *core, uint32_t line)
{
    struct ts_rv_line *to = &core->lines[line];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t pc = line * 16 + i * 4, word;
        memcpy(&word, core->l1->bytes + pc, sizeof word);
        struct ts_rv_insn insn = ts_rv_decode(word);
        if (insn.cls == TS_RV_CLASS_BRANCH || insn.op == TS_RV_JAL || insn.op == TS_RV_AUIPC)
            insn.imm = (int32_t)(pc + (uint32_t)insn.imm);
        if (insn.op == TS_RV_JAL && (uint32_t)insn.imm == pc)
            insn.op = TS_RV_STAY;
        insn.pc = pc;
        to->insn[i] = insn;
    }
    to->insn[4] = (struct ts_rv_insn){.op = TS_RV_LINE_END, .pc = line * 16 + 16};
    uint32_t page = line * 16 >> TS_L1_CODE_SHIFT;
    core->l1->code_pages[page / 64] |= UINT64_C(1) << page % 64;
}

void ts_rv_lines_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)at;
    struct ts_rv_line *lines = context;
    for (uint32_t line = address / 16; line <= (address + length - 1) / 16; line++)
        for (uint32_t i = 0; i < 4; i++)
            lines[line].insn[i].op = TS_RV_UNDECODED;
}

void ts_rv_core_icache_clear(struct ts_rv_core *core)
{
    memset(core->line_tag, 0, sizeof core->line_tag);
    core->stream_line = 0;
}
