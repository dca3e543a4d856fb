// Reports of suspicious operations, each kept once per call site (lints.h).
#include "platform/tile/lints.h"

#include "platform/tile/names.h"
#include "platform/tile/windows.h"

void ts_tile_report(void *tile, enum ts_report which, unsigned by, ts_cycle now, const char *text)
{
    struct ts_tile *self = tile;
    bool late = by & TS_BY_LATE; // the thread is past it by now
    uint32_t pc = self->said_pc;
    by &= ~(unsigned)TS_BY_LATE;
    if (pc == TS_NO_PC && !late && by < TS_THREADS)
        pc = ts_frontend_pc(&self->front[by]);
    else if (pc == TS_NO_PC && !late && by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES)
        pc = ts_store_pc(self, by - TS_BY_CORE);
    for (unsigned i = 0; i < self->said_count; i++) {
        struct ts_said *said = &self->said[i];
        if (said->report == which && said->by == by && said->pc == pc) {
            said->count++;
            return;
        }
    }
    if (self->said_count == TS_TILE_SAYS)
        return;
    struct ts_said *said = &self->said[self->said_count++];
    *said = (struct ts_said){
        .report = which, .by = (uint8_t)by, .pc = pc, .cycle = now, .count = 1};
    snprintf(said->text, sizeof said->text, "%s", text);
}

bool ts_tile_lint(struct ts_tile *self, enum ts_report which, unsigned by, uint32_t pc,
                  ts_cycle now, const char *format, ...)
{
    char text[320];
    TS_VSNPRINTF(text, sizeof text, format);
    bool core = by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES;
    struct ts_component *component = core ? &self->cores[by - TS_BY_CORE].component
                                          : &self->front[by < TS_THREADS ? by : 0].component;
    self->said_pc = pc;
    bool good = ts_tensix_report(&self->tensix, component, pc == TS_NO_PC ? by | TS_BY_LATE : by,
                                 now, which, "%s", text);
    self->said_pc = TS_NO_PC;
    return good;
}

const char *ts_by_name(unsigned by)
{
    static const char *const names[] = {"T0",      "T1",       "T2",      "the coprocessor",
                                        "the NoC", "the host", "Ethernet"};
    if (by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES)
        return ts_rv_core_names[by - TS_BY_CORE];
    return by < sizeof names / sizeof *names ? names[by] : "?";
}

void ts_tile_stale(void *tile, unsigned core, uint32_t pc, uint32_t address, ts_cycle now)
{
    struct ts_tile *self = tile;
    uint32_t word;
    char name[80];
    memcpy(&word, self->l1.bytes + (address & ~3u), sizeof word);
    ts_tile_lint(self, TS_REPORT_L0_STALE, TS_BY_CORE + core, pc, now, "%s, %s is 0x%x",
                 ts_rv_core_names[core], ts_tile_word_name(self, address & ~3u, name, sizeof name),
                 word);
}

void ts_tile_guarded(void *tile, unsigned core, uint32_t pc, uint32_t address, ts_cycle now)
{
    struct ts_tile *self = tile;
    const struct ts_tile_args *args = &self->args[core];
    if (now < args->since || address - args->address[1] < 4 * args->count[1])
        return;
    unsigned common = args->count[1] > 0 && address >= args->address[1];
    uint32_t given = args->count[common];
    if (ts_checks_for(self->check, TS_CHECK_MEMORY))
        ts_memory_argument(self->check, core, pc, address, given, (uint32_t)now);
    ts_tile_lint(self, TS_REPORT_ARG_BEYOND, TS_BY_CORE + core, pc, now,
                 "%s on %s reads %sargument %u, and %u %s given", args->kernel,
                 ts_rv_core_names[core], common ? "common " : "",
                 (address - args->address[common]) / 4, given, given == 1 ? "is" : "are");
}

// Does a word write configuration for others than the unpackers' next instruction?
static bool configures(uint32_t word)
{
    unsigned addr;
    switch (TS_OP_OF(word)) {
    case TS_OP_WRCFG:
        addr = ts_decode_WRCFG(word).cfg_reg;
        break;
    case TS_OP_RMWCIB0:
    case TS_OP_RMWCIB1:
    case TS_OP_RMWCIB2:
    case TS_OP_RMWCIB3:
        addr = ts_decode_RMWCIB0(word).cfg_reg_addr;
        break;
    case TS_OP_STREAMWRCFG:
    case TS_OP_CFGSHIFTMASK:
        return true;
    default:
        return false;
    }
    return ts_cfg_base_context(0, addr) < 0 && ts_cfg_base_context(1, addr) < 0;
}

void ts_tile_mailed(struct ts_tile *self, unsigned core, unsigned to, ts_cycle now)
{
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    uint32_t words[TS_FRONT_WORDS];
    ts_frontend_catch_up(front, now);
    for (unsigned n = ts_frontend_words(front, words); n-- > 0;)
        if (configures(words[n])) {
            ts_tile_lint(self, TS_REPORT_MAIL_CONFIG, TS_BY_CORE + core, ts_store_pc(self, core),
                         now, "%s to %s before %s", ts_rv_core_names[core], ts_rv_core_names[to],
                         ts_insn_text(ts_word(words[n], front->thread)).text);
            return;
        }
}
