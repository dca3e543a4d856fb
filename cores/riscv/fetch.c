// A core's front end: decoded lines and the instruction cache.
//
// Blackhole's cache is 4 KiB, two ways, least recently used, 16-byte lines: with that, loops of 4.5 to 8
// KiB miss 3 x (lines above 4 KiB) times, as measured on silicon. A run of misses costs icache_miss
// once and then ten lines in icache_stream cycles, because the prefetcher continues. A line that it does not expect comes
// behind the one it fetches (inferred: a chain of jumps over 6 to 8 KiB, 10.6 cycles each). A jump to another line ends its
// work: the line that it has brought is lost, and the next one is a miss again (inferred: B0744, B0747, B0753, chosen among
// variants by B0382 to B0388 and the rows of `transport'; held back: B0708 to B0712 agree, B0656 does not). Only the last jump is remembered.
// Wormhole's caches are smaller (struct ts_machine); the number of ways is assumed to be the same. There the prefetcher of T1 is slower
// than those of T0 and T2 (icache_stream_t1); those of BRISC and NCRISC are taken to be like T0's.
// NCRISC has an instruction RAM there: every instruction comes in its cycle. Polls there are executed, never parked.
#include "cores/riscv/record.h"
#include "platform/base/hash.h"
#include "platform/kernel/kernel.h"

static void unready(struct ts_rv_core *core, uint32_t set)
{
    core->ready[set] = NULL;
    core->unready = true;
    core->guard = 0;
}

// Cycles to the prefetcher's next line.
static ts_cycle stream(struct ts_rv_core *core)
{
    core->stream_part += core->params.icache_stream;
    if (core->id == TS_RV_TRISC1)
        core->stream_part += core->params.icache_stream_t1;
    const ts_cycle gap = core->stream_part / 10;
    core->stream_part %= 10;
    return gap;
}

ts_cycle ts_rv_fetch(struct ts_rv_core *core, uint32_t line, ts_cycle at)
{
    if (line >= TS_RV_IRAM / 16)
        return 0; // a cycle, and no room in the cache
    uint32_t *tag = core->line_tag[line % core->sets];
    core->ready[line % TS_RV_SETS] = NULL;
    if (tag[1] == line + 1) {
        tag[1] = tag[0];
        tag[0] = line + 1;
        return 0;
    }
    core->fetch_misses++;
    tag[1] = tag[0];
    tag[0] = line + 1;
    const ts_cycle gap = stream(core);
    ts_cycle come;
    if (core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_IC_PREFETCH)
        come = at + core->params.icache_unfetched;
    else if (line == core->prefetch_line && core->hop < 16)
        come = core->prefetch_at;
    else // the line that is on its way comes first
        come = later(at + core->params.icache_miss, core->prefetch_at + gap);
    core->hop = 0;
    core->prefetch_line = line + 1;
    core->prefetch_at = come + gap;
    if (come <= at)
        return 0;
    ts_cycle horizon = ts_horizon(&core->component);
    if (come > horizon)
        ts_rv_part(core, at, horizon);
    core->ahead.lost[TS_STALL_RV_FETCH] += come - at;
    core->ahead.any |= UINT64_C(1) << TS_STALL_RV_FETCH;
    if (core->noting)
        ts_rv_note(core, TS_STALL_RV_FETCH, come, come - at, false);
    return come - at;
}

// ---- decoded lines

static void *new_code(void)
{
    struct ts_rv_code *code = calloc(1, sizeof *code);
    if (code != NULL)
        pthread_mutex_init(&code->lock, NULL);
    return code;
}

static void free_code(void *shared)
{
    struct ts_rv_code *code = shared;
    ts_rv_code_free(code);
    pthread_mutex_destroy(&code->lock);
    free(code);
}

struct ts_rv_code *ts_rv_code_of(struct ts_kernel *kernel)
{
    return ts_kernel_share(kernel, new_code, free_code);
}

// A word that the machine does not have stays what it is, but faults.
static void decode(struct ts_rv_line *to)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t pc = to->number * 16 + i * 4;
        struct ts_rv_insn insn = ts_rv_decode(to->words[i]);
        if (to->extensions != UINT32_MAX &&
            !(to->extensions & ts_rv_extension((enum ts_rv_op)insn.op))) {
            insn.op = TS_RV_ABSENT_OP;
            insn.cls = TS_RV_CLASS_NONE;
        }
        if (insn.cls == TS_RV_CLASS_BRANCH || insn.op == TS_RV_JAL || insn.op == TS_RV_AUIPC)
            insn.imm = (int32_t)(pc + (uint32_t)insn.imm);
        if (insn.op == TS_RV_JAL && (uint32_t)insn.imm == pc)
            insn.op = TS_RV_STAY;
        insn.pc = pc;
        to->insn[i] = insn;
    }
    to->insn[4] = (struct ts_rv_insn){.op = TS_RV_LINE_END, .pc = to->number * 16 + 16};
}

// The line with these words at this address, of such a machine; NULL: no memory.
static const struct ts_rv_line *known_line(struct ts_rv_code *code, uint32_t number,
                                           const uint32_t words[4], uint32_t extensions)
{
    uint64_t hash = number;
    for (uint32_t i = 0; i < 4; i++)
        hash = ts_hash_word(hash, words[i]);
    struct ts_rv_line **bucket = &code->line[hash >> 32 & (TS_RV_LINE_BUCKETS - 1)], *line;
    pthread_mutex_lock(&code->lock);
    for (line = *bucket; line != NULL; line = line->next)
        if (line->number == number && line->extensions == extensions &&
            memcmp(line->words, words, sizeof line->words) == 0)
            break;
    if (line == NULL && (line = ts_rv_code_alloc(code, sizeof *line)) != NULL) {
        line->number = number;
        line->extensions = extensions;
        memcpy(line->words, words, sizeof line->words);
        decode(line);
        line->next = *bucket;
        *bucket = line;
    }
    pthread_mutex_unlock(&code->lock);
    return line;
}

// Where there is no memory for a line: the core stays there, and the run ends with the fault.
static const struct ts_rv_line starved = {
    .insn = {{.op = TS_RV_STAY}, {.op = TS_RV_STAY}, {.op = TS_RV_STAY}, {.op = TS_RV_STAY}}};

const struct ts_rv_line *ts_rv_line_fill(struct ts_rv_core *core, uint32_t line)
{
    const struct ts_rv_line **at = ts_rv_line_at(core, line);
    const uint32_t place = line * 16 & TS_RV_PLACE, page = place >> TS_L1_CODE_SHIFT;
    uint32_t words[4];
    memcpy(words, core->l1->bytes + place, sizeof words);
    core->l1->code_pages[page / 64] |= UINT64_C(1) << page % 64;
    *at = known_line(core->code, line, words, core->extensions);
    if (*at == NULL) {
        ts_fault(&core->component, core->t, TS_NO_MEMORY, "no memory for decoded code");
        return &starved;
    }
    return *at;
}

void ts_rv_lines_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)at;
    struct ts_rv_core *cores = context;
    for (uint32_t line = address / 16; line <= (address + length - 1) / 16; line++) {
        if (cores->lines[line] == NULL)
            continue;
        cores->lines[line] = NULL;
        for (unsigned i = 0; i < TS_RV_CORES; i++)
            unready(&cores[i], line % TS_RV_SETS);
    }
}

void ts_rv_icache_clear(struct ts_rv_core *core)
{
    memset(core->line_tag, 0, sizeof core->line_tag);
    for (uint32_t set = 0; set < TS_RV_SETS; set++)
        unready(core, set);
    core->prefetch_line = 0;
}

void ts_rv_icache_invalidated(struct ts_rv_core *core, uint32_t pc, ts_cycle entered)
{
    const uint32_t line = pc / 16;
    if (entered < core->clear_first)
        return;
    ts_rv_icache_clear(core);
    core->line_tag[line % core->sets][0] = line + 1; // it is executed: it is in the front end
    core->clear_first = core->clear_last;
    core->watch.clears = core->clear_last > entered;
}
