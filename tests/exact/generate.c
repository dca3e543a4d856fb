// Random cases: see fuzz.h. A program is a sequence of events. An event adds steps to one core, or to
// several that wait for each other; what they wait for comes in the same event, so most programs end.
#include "cores/riscv/core.h"
#include "platform/base/hash.h"
#include "platform/base/random.h"
#include "platform/chip/chip.h"
#include "tests/exact/fuzz.h"
#include "tests/tile/words.h"
#include "units/isa/opcodes.h"

#include <stdarg.h>
#include <string.h>

struct maker {
    struct fuzz_case *to;
    uint64_t random;
    const struct fuzz_choice *choice;
    uint32_t flags;                               // words of L1 that were used to meet
    uint32_t acks[FUZZ_TILES][2], at[FUZZ_TILES]; // NoC writes so far; bytes sent
    uint8_t ends[2][2];                           // cores of the circular buffers
};

static uint32_t draw(struct maker *self, uint32_t below)
{
    return (uint32_t)(ts_random(&self->random) >> 32) % below;
}
static bool one_in(struct maker *self, uint32_t n)
{
    return draw(self, n) == 0;
}

// Is a name in a list that is separated by commas?
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}
static bool wanted(const struct fuzz_choice *choice, const char *name)
{
    return (choice->only == NULL || listed(choice->only, name)) &&
           !(choice->without && listed(choice->without, name));
}

// ---- steps

__attribute__((format(printf, 5, 6))) static void add(struct maker *self, unsigned tile,
                                                      unsigned core, unsigned depth,
                                                      const char *format, ...)
{
    struct fuzz_case *to = self->to;
    if (to->line_count == FUZZ_LINES)
        return;
    struct fuzz_line *line = &to->lines[to->line_count++];
    *line = (struct fuzz_line){
        .tile = (uint8_t)tile, .core = (uint8_t)core, .depth = (uint8_t)depth};
    va_list args;
    va_start(args, format);
    vsnprintf(line->text, sizeof line->text, format, args);
    va_end(args);
}

static void add_base(struct maker *self, unsigned tile, unsigned core, unsigned rd, uint32_t value)
{
    unsigned count = self->to->line_count;
    add(self, tile, core, 0, "code: 0x%08x", ts_rv_encode(TS_RV_LUI, rd, 0, 0, (int32_t)value));
    if (count < self->to->line_count)
        self->to->lines[count].base = true;
}

static void add_loop(struct maker *self, unsigned tile, unsigned core, unsigned depth,
                     unsigned times)
{
    unsigned count = self->to->line_count;
    add(self, tile, core, depth, "%u", times);
    if (count < self->to->line_count)
        self->to->lines[count].loop = true;
}

static void text_of(uint32_t word, char *text, size_t size)
{
    uint32_t again;
    char why[160];
    ts_disasm_fields(word, text, size);
    if (strlen(text) + 20 > sizeof((struct fuzz_line *)0)->text ||
        !ts_assemble(text, &again, why, sizeof why) || again != word)
        snprintf(text, size, "0x%08x", word);
}

static void tt(struct maker *self, unsigned tile, unsigned thread, unsigned depth, uint32_t word)
{
    char text[160];
    text_of(word, text, sizeof text);
    add(self, tile, TS_RV_TRISC0 + thread, depth, "tt: %s", text);
}

// ---- Tensix words

#define OP(name) ((uint32_t)TS_OP_##name << 24)

// Waits for units; rarely for banks, which may never come.
static uint32_t stallwait(struct maker *self)
{
    static const uint16_t units[] = {1, 2, 4, 8, 0x200, 0x400, 0x800, 0x1000, 0xf};
    uint32_t wait = one_in(self, 24) ? 1u << draw(self, 13) : units[draw(self, 9)];
    return OP(STALLWAIT) | (one_in(self, 4) ? 0x1ff : 1u << draw(self, 9)) << 15 | wait;
}

// Words that the units take as the tile is set up below, by thread: unpack, math, pack.
static uint32_t word_for(struct maker *self, unsigned thread)
{
    static const uint32_t common[] = {
        OP(NOP),
        OP(NOP),
        OP(DMANOP),
        OP(DMANOP),
        OP(SEMPOST) | 0x40 << 2,
        OP(SEMGET) | 0x40 << 2,
        OP(SETDMAREG) | 0x1234u << 8 | 20,
        OP(SETDMAREG) | 0x0021u << 8 | 41,
        OP(ADDDMAREG) | 1u << 23 | 12u << 12 | 3u << 6 | 12,
        OP(ADDDMAREG) | 12u << 12 | 17u << 6 | 13,
        OP(MULDMAREG) | 1u << 23 | 14u << 12 | 5u << 6 | 12,
        OP(WRCFG) | 12u << 16 | 180,
        OP(RDCFG) | 13u << 16 | 1,
        OP(FLUSHDMA) | 3,
        OP(RMWCIB0) | 1u << 16 | 0x55 << 8 | 181,
        OP(SETADCXY),
        OP(SETADCZW),
        OP(INCADCXY) | 1u << 21 | 1u << 6,
    };
    static const uint32_t math[] = {
        OP(MVMUL) | 1u << 14,
        OP(MVMUL) | 8,
        OP(MVMUL) | 16,
        OP(ELWADD),
        OP(ELWMUL) | 8,
        OP(ZEROACC) | 2u << 19,
        OP(ZEROSRC) | 3,
        OP(SETRWC) | 0xf,
        OP(INCRWC) | 8u << 14,
        OP(MOVD2A),
        OP(MOVD2B),
        OP(MOVA2D) | 2u << 12,
        OP(SFPLOAD) | 1u << 20,
        OP(SFPSTORE) | 1u << 20,
        OP(SFPMAD) | 1u << 12 | 2u << 8 | 3u << 4,
        OP(SFPADD) | 10u << 16 | 2u << 12 | 3u << 8 | 3u << 4,
        OP(SFPNOP),
        OP(SFPLOADI) | 2u << 20 | 0x3f80,
        OP(GMPOOL) | 1u << 14,
        OP(SHIFTXB) | 1,
    };
    uint32_t kind = draw(self, 16);
    if (kind == 0 && one_in(self, 12)) // anything that the tables know
        return words_random(&self->random, 1000);
    if (kind < 6)
        return common[draw(self, sizeof common / sizeof *common)];
    if (kind == 6)
        return stallwait(self);
    if (kind == 7)
        return OP(SETC16) | (12 + draw(self, 8)) << 16 | (draw(self, 0x10000) & 0x3838);
    switch (thread) {
    case 0:
        return kind < 13   ? OP(UNPACR_NOP) | draw(self, 2) << 23 | 2
               : kind < 15 ? OP(UNPACR) | draw(self, 2) << 23
                           : common[draw(self, sizeof common / sizeof *common)];
    case 1:
        return math[draw(self, sizeof math / sizeof *math)];
    default:
        return kind < 14 ? OP(PACR) | draw(self, 2) << 15 | one_in(self, 4)
                         : OP(SETADCXX) | 15u << 10;
    }
}

static void burst(struct maker *self, unsigned tile, unsigned thread, unsigned depth)
{
    for (unsigned n = 1 + draw(self, 8); n; n--)
        tt(self, tile, thread, depth, word_for(self, thread));
}

// ---- RISC-V code: registers x8, x9, x16 to x27; x31 points to L1, x4 to local RAM

static unsigned reg(struct maker *self)
{
    static const uint8_t regs[] = {8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
    return regs[draw(self, one_in(self, 2) ? 4 : sizeof regs)];
}

static uint32_t rv_word(struct maker *self)
{
    static const uint8_t loads[] = {TS_RV_LB, TS_RV_LBU, TS_RV_LH, TS_RV_LHU, TS_RV_LW, TS_RV_LW};
    static const uint8_t stores[] = {TS_RV_SB, TS_RV_SH, TS_RV_SW, TS_RV_SW};
    static const uint8_t amos[] = {TS_RV_AMOADD, TS_RV_AMOSWAP, TS_RV_AMOOR, TS_RV_AMOMAX};
    static const uint8_t alus[] = {TS_RV_ADD,  TS_RV_SUB,  TS_RV_XOR,  TS_RV_SLL,    TS_RV_SLTU,
                                   TS_RV_ADDI, TS_RV_XORI, TS_RV_SRAI, TS_RV_SH1ADD, TS_RV_CPOP};
    static const uint8_t branches[] = {TS_RV_BEQ, TS_RV_BNE, TS_RV_BLT, TS_RV_BGEU};
    static const uint8_t divs[] = {TS_RV_DIV, TS_RV_DIVU, TS_RV_REM, TS_RV_REMU};
    static const uint8_t floats[] = {TS_RV_FADD_S, TS_RV_FMUL_S, TS_RV_FSGNJ_S, TS_RV_FMIN_S};
    unsigned base = one_in(self, 3) ? 4 : 31;
    int32_t offset = (int32_t)draw(self, one_in(self, 2) ? 8 : 64) * 4;
    switch (draw(self, 16)) {
    case 0:
    case 1:
    case 2:
        return ts_rv_encode(loads[draw(self, 6)], reg(self), base, 0, offset);
    case 3:
    case 4:
    case 5:
        return ts_rv_encode(stores[draw(self, 4)], 0, base, reg(self), offset);
    case 6:
        return ts_rv_encode(TS_RV_MUL + draw(self, 4), reg(self), reg(self), reg(self), 0);
    case 7:
        return one_in(self, 2)
                   ? ts_rv_encode(divs[draw(self, 4)], reg(self), reg(self), reg(self), 0)
                   : ts_rv_encode(amos[draw(self, 4)], reg(self), 31, reg(self), 0);
    case 8: // over the next word
        return ts_rv_encode(branches[draw(self, 4)], 0, reg(self), reg(self), 8);
    case 9:
        return one_in(self, 3)   ? ts_rv_encode(TS_RV_JAL, 0, 0, 0, 8)
               : one_in(self, 4) ? ts_rv_encode(TS_RV_FENCE, 0, 0, 0, 0)
               : one_in(self, 4)
                   ? 0xbc0022f3u + (draw(self, 2) << 20) // csrr t0, qstatus or bstatus
               : one_in(self, 4) ? 0xb0002473u           // csrr s0, mcycle
                                 : ts_rv_encode(floats[draw(self, 4)], draw(self, 4), draw(self, 4),
                                                draw(self, 4), 0);
    default:
        return ts_rv_encode(alus[draw(self, sizeof alus)], reg(self), reg(self), reg(self),
                            (int32_t)draw(self, 31) + 1);
    }
}

static void code(struct maker *self, unsigned tile, unsigned core, unsigned depth, unsigned most)
{
    for (unsigned n = 1 + draw(self, most); n; n--)
        add(self, tile, core, depth, "code: 0x%08x", rv_word(self));
}

// ---- events of one core

static void event_core(struct maker *self, unsigned tile, unsigned core, unsigned depth)
{
    const bool trisc = core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
    const unsigned thread = core - TS_RV_TRISC0;
    switch (draw(self, 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
        code(self, tile, core, depth, 16);
        return;
    case 4:
        add(self, tile, core, depth, "delay: %u", draw(self, one_in(self, 4) ? 400 : 24));
        return;
    case 5:
        add(self, tile, core, depth, "add: {l1: 0x%x, value: %u}", 0x30000 + 4 * draw(self, 16),
            draw(self, 9));
        return;
    case 6:
        add(self, tile, core, depth, "copy: {from: 0x%x, to: 0x%x}", 0x30000 + 4 * draw(self, 64),
            0x30000 + 4 * draw(self, 64));
        return;
    case 7:
        if (core == TS_RV_BRISC && one_in(self, 3)) {
            char text[160];
            text_of(one_in(self, 3) ? OP(SEMPOST) | 0x40 << 2 : OP(NOP), text, sizeof text);
            add(self, tile, core, depth, "push: {thread: %u, tt: \"%s\"}", draw(self, 3), text);
        } else
            add(self, tile, core, depth, "fence: 1");
        return;
    case 8:
        if (depth < 3) {
            add_loop(self, tile, core, depth, 1 + draw(self, 12));
            for (unsigned n = 1 + draw(self, 2); n; n--)
                event_core(self, tile, core, depth + 1);
        }
        return;
    case 9:
        add(self, tile, core, depth, one_in(self, 2) ? "l0: on" : "cfg: {word: 182, value: %u}",
            draw(self, 100));
        return;
    case 10:
        if (trisc)
            add(self, tile, core, depth, one_in(self, 2) ? "sync: tensix" : "sync: mop");
        else
            add(self, tile, core, depth, "cfg_wait: 1");
        return;
    default:
        if (trisc)
            burst(self, tile, thread, depth);
        else
            code(self, tile, core, depth, 8);
    }
}

// A MOP: its registers, and one or more of it.
static void event_mop(struct maker *self, unsigned tile)
{
    static const uint32_t quick[] = {OP(NOP), OP(DMANOP), OP(INCRWC) | 8u << 14, OP(SETRWC) | 0xf};
    const unsigned thread = draw(self, 3), core = TS_RV_TRISC0 + thread;
    uint32_t body = thread == 1 && one_in(self, 2) ? OP(REPLAY) | (2 + draw(self, 14)) << 4
                                                   : word_for(self, thread);
    const bool replays = TS_OP_OF(body) == TS_OP_REPLAY;
    if (replays) { // what it plays
        tt(self, tile, thread, 0, OP(REPLAY) | 16u << 4 | one_in(self, 2) << 1 | 1);
        for (unsigned i = 0; i < 16; i++)
            tt(self, tile, thread, 0, OP(MVMUL) | draw(self, 8) << 14 | 8 * (i % 8));
    }
    for (unsigned i = 0; i < 9; i++) {
        uint32_t value = i == 0            ? 1 + draw(self, 3)
                         : i == 1          ? draw(self, one_in(self, 3) ? 30 : 5)
                         : i == 5          ? body
                         : one_in(self, 3) ? body
                         : one_in(self, 4) ? word_for(self, thread)
                                           : quick[draw(self, 4)];
        char text[160];
        text_of(value, text, sizeof text);
        if (i < 2)
            add(self, tile, core, 0, "mop: {register: %u, value: %u}", i, value);
        else
            add(self, tile, core, 0, "mop: {register: %u, tt: \"%s\"}", i, text);
    }
    if (one_in(self, 2))
        tt(self, tile, thread, 0, stallwait(self));
    for (unsigned n = 1 + draw(self, 3); n; n--) {
        tt(self, tile, thread, 0,
           one_in(self, 4)   ? OP(MOP) | draw(self, 6) << 16 | draw(self, 16)
           : one_in(self, 8) ? OP(MOP_CFG) | draw(self, 16)
                             : OP(MOP) | 1u << 23);
        if (one_in(self, 2))
            code(self, tile, core, 0, 6);
        if (one_in(self, 2))
            burst(self, tile, thread, 0);
    }
    if (!one_in(self, 3))
        add(self, tile, core, 0, one_in(self, 3) ? "sync: tensix" : "sync: mop");
}

static void event_replay(struct maker *self, unsigned tile)
{
    const unsigned thread = draw(self, 3), length = 1 + draw(self, 12), from = draw(self, 16);
    tt(self, tile, thread, 0, OP(REPLAY) | from << 14 | length << 4 | one_in(self, 2) << 1 | 1);
    for (unsigned i = 0; i < length; i++)
        tt(self, tile, thread, 0,
           thread == 1 && !one_in(self, 4) ? OP(MVMUL) | draw(self, 8) << 14 | 8 * (i % 8)
                                           : word_for(self, thread));
    for (unsigned n = 1 + draw(self, 5); n; n--)
        tt(self, tile, thread, 0, OP(REPLAY) | from << 14 | length << 4);
}

// ---- events of several cores

static unsigned other_than(struct maker *self, unsigned one, unsigned count)
{
    return (one + 1 + draw(self, count - 1)) % count;
}

// Two cores meet: by a word of L1, a mailbox, or a semaphore.
static void event_meet(struct maker *self, unsigned tile)
{
    unsigned a = draw(self, TS_RV_CORES), b = other_than(self, a, TS_RV_CORES);
    switch (draw(self, 4)) {
    case 0: {
        const unsigned from = a & 3, to = b & 3; // NCRISC has no mailbox
        if (from == to || a == TS_RV_NCRISC || b == TS_RV_NCRISC)
            return;
        add(self, tile, a, 0, "mail: {to: %s, value: %u}", ts_rv_core_names[b], draw(self, 99));
        add(self, tile, b, 0, "read: %s", ts_rv_core_names[a]);
        return;
    }
    case 1: { // by the coprocessor's semaphores
        const unsigned s = 2 + draw(self, 3), n = 1 + draw(self, 3);
        a = draw(self, 3);
        b = other_than(self, a, 3);
        for (unsigned i = 0; i < n; i++) {
            if (one_in(self, 2))
                burst(self, tile, a, 0);
            tt(self, tile, a, 0, OP(SEMPOST) | (1u << s) << 2);
        }
        for (unsigned i = 0; i < n; i++) {
            tt(self, tile, b, 0, OP(SEMWAIT) | (1u << draw(self, 9)) << 15 | (1u << s) << 2 | 1);
            tt(self, tile, b, 0, OP(SEMGET) | (1u << s) << 2);
            if (one_in(self, 2))
                burst(self, tile, b, 0);
        }
        return;
    }
    case 2: {
        const unsigned s = 5;
        add(self, tile, TS_RV_TRISC0, 0, "post: %u", s);
        add(self, tile, TS_RV_TRISC0 + 1 + draw(self, 2), 0, "until: {semaphore: %u, is: 1}", s);
        add(self, tile, TS_RV_TRISC0, 0, "delay: 200");
        add(self, tile, TS_RV_TRISC0, 0, "get: %u", s);
        return;
    }
    default: {
        const uint32_t flag = 0x31000 + 4 * self->flags++;
        if (one_in(self, 2))
            add(self, tile, a, 0, "delay: %u", draw(self, 300));
        add(self, tile, a, 0, "write: {l1: 0x%x, value: 1}", flag);
        add(self, tile, b, 0, "until: {l1: 0x%x, is: 1}", flag);
    }
    }
}

// Unpacked, or only handed over; multiplied; given back; packed.
static void event_banks(struct maker *self, unsigned tile)
{
    const bool loads = one_in(self, 2), waits = one_in(self, 2);
    for (unsigned n = 1 + draw(self, 3); n; n--) {
        if (loads) {
            tt(self, tile, 0, 0, OP(UNPACR) | 1u << 7);
            tt(self, tile, 0, 0, OP(UNPACR) | 1u << 23 | 1u << 7);
        } else
            tt(self, tile, 0, 0, OP(SETDVALID) | 3);
        if (waits) // for both banks
            tt(self, tile, 1, 0, OP(STALLWAIT) | 0x40u << 15 | 0x180);
        for (unsigned i = draw(self, 12); i; i--)
            tt(self, tile, 1, 0, OP(MVMUL) | draw(self, 8) << 14 | 8 * draw(self, 8));
        if (one_in(self, 2))
            burst(self, tile, 1, 0);
        tt(self, tile, 1, 0, OP(SETRWC) | 3u << 22 | 0xf);
        if (one_in(self, 2))
            for (unsigned i = draw(self, 12); i; i--)
                tt(self, tile, 2, 0, OP(PACR) | (i == 1));
    }
}

static void event_mutex(struct maker *self, unsigned tile)
{
    const unsigned thread = draw(self, 3);
    tt(self, tile, thread, 0, OP(ATGETM) | 2);
    burst(self, tile, thread, 0);
    tt(self, tile, thread, 0, OP(ATRELM) | 2);
}

static void event_buffer(struct maker *self, unsigned tile)
{
    const unsigned n = 1 + draw(self, 6), buffer = draw(self, 2); // each has its two cores
    const unsigned a = self->ends[buffer][0], b = self->ends[buffer][1];
    for (unsigned i = 0; i < n; i++) {
        add(self, tile, a, 0, "cb_reserve_back: {buffer: c%u}", buffer);
        if (one_in(self, 2))
            code(self, tile, a, 0, 6);
        add(self, tile, a, 0, "cb_push_back: {buffer: c%u}", buffer);
        add(self, tile, b, 0, "cb_wait_front: {buffer: c%u}", buffer);
        if (one_in(self, 2))
            add(self, tile, b, 0, "delay: %u", draw(self, 60));
        add(self, tile, b, 0, "cb_pop_front: {buffer: c%u}", buffer);
    }
}

static const struct {
    uint8_t x, y;
} sites[FUZZ_TILES] = {{1, 2}, {2, 2}, {3, 2}, {1, 3}, {2, 3}, {3, 3}};

// Over the network: a write and its acknowledgement, an increment that another tile waits for, a
// multicast to all.
static void event_noc(struct maker *self)
{
    const unsigned tiles = self->to->tiles, from = draw(self, tiles);
    const unsigned to = other_than(self, from, tiles), noc = draw(self, 2);
    const unsigned reader = draw(self, TS_RV_CORES);
    const uint32_t flag = 0x31000 + 4 * self->flags++;
    switch (draw(self, 4)) {
    case 0:
    case 1: {
        const uint32_t length = 16u << draw(self, one_in(self, 4) ? 10 : 6);
        add(self, from, TS_RV_BRISC, 0,
            "noc_write: {to: %u-%u, from: 0x40000, at: 0x48000, length: %u, noc: %u, posted: "
            "false}",
            sites[to].x, sites[to].y, length, noc);
        self->acks[from][noc]++;
        if (one_in(self, 2))
            add(self, from, TS_RV_BRISC, 0, "noc_wait: {noc: %u, acks: %u}", noc,
                self->acks[from][noc]);
        return;
    }
    case 2:
        add(self, from, TS_RV_BRISC, 0, "noc_increment: {to: %u-%u, at: 0x%x, noc: %u}",
            sites[to].x, sites[to].y, flag, noc);
        add(self, to, reader, 0, "until: {l1: 0x%x, is: 1}", flag);
        return;
    default:
        if (tiles != 2 && tiles != 3 && tiles != 6)
            return;
        add(self, from, TS_RV_BRISC, 0, "write: {l1: 0x2ff00, value: 1}");
        add(self, from, TS_RV_BRISC, 0,
            "noc_multicast: {first: 1-2, last: %u-%u, from: 0x2ff00, at: 0x%x, length: 4%s}",
            sites[tiles - 1].x, sites[tiles - 1].y, flag,
            one_in(self, 2) ? ", reserve: true, self: true" : ", self: true");
        self->acks[from][0] += tiles;
        add(self, to, reader, 0, "until: {l1: 0x%x, is: 1}", flag);
    }
}

// ---- programs

// Formats, strides and addresses with which unpackers, matrix unit and packer work, and pointers.
static void set_up(struct maker *self, unsigned tile)
{
    static const struct {
        uint8_t word;
        uint32_t value;
    } cfg[] = {{12, 2 | 32u << 16},
               {24, 0xffff},
               {28, 16u << 8 | 1u << 16 | 1},
               {69, 0x4200},
               {70, 1 | 5 << 4 | 5 << 8},
               {1, 5u << 17 | 5u << 21 | 5u << 25},
               {64, 5 | 1u << 4 | 16u << 16},
               {72, 5},
               {112, 5 | 1u << 4 | 16u << 16},
               {120, 5},
               {76, 0x3000},
               {124, 0x3200}};
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        add_base(self, tile, core, 31, 0x38000 + (one_in(self, 3) ? 0 : core << 12));
        add_base(self, tile, core, 4, TS_RV_LOCAL_BASE);
        if (one_in(self, 3))
            add(self, tile, core, 0, "l0: on");
    }
    if (one_in(self, 4))
        return;
    for (unsigned i = 0; i < sizeof cfg / sizeof *cfg; i++)
        add(self, tile, TS_RV_TRISC0, 0, "cfg: {word: %u, value: 0x%x}", cfg[i].word, cfg[i].value);
    add(self, tile, TS_RV_TRISC0, 0, "cfg_wait: 1");
    for (unsigned t = 1; t < 3; t++) {
        const uint32_t flag = 0x31000 + 4 * self->flags++;
        add(self, tile, TS_RV_TRISC0, 0, "write: {l1: 0x%x, value: 1}", flag);
        add(self, tile, TS_RV_TRISC0 + t, 0, "until: {l1: 0x%x, is: 1}", flag);
    }
    if (one_in(self, 2))
        tt(self, tile, 0, 0, OP(SEMINIT) | 3u << 20 | 0xdf << 2);
    if (!one_in(self, 4)) // there is always a bank to multiply with
        tt(self, tile, 0, 0, OP(SETDVALID) | 3);
}

static void make_program(struct maker *self)
{
    struct fuzz_case *to = self->to;
    to->tiles = 1;
    if (wanted(self->choice, "chip") && (one_in(self, 8) || !wanted(self->choice, "program")))
        to->tiles = 2 + draw(self, FUZZ_TILES - 1);
    for (unsigned i = 0; i < 2; i++) {
        self->ends[i][0] = (uint8_t)draw(self, TS_RV_CORES);
        self->ends[i][1] = (uint8_t)other_than(self, self->ends[i][0], TS_RV_CORES);
    }
    for (unsigned tile = 0; tile < to->tiles; tile++)
        set_up(self, tile);
    const unsigned few = one_in(self, 3), events = (few ? 1 : 6) + draw(self, few ? 3 : 30);
    unsigned used = one_in(self, 2) ? 31 : draw(self, 32); // cores that act alone
    for (unsigned n = events; n; n--) {
        const unsigned tile = draw(self, to->tiles), core = draw(self, TS_RV_CORES);
        switch (draw(self, 12)) {
        case 0:
        case 1:
            event_mop(self, tile);
            break;
        case 2:
            if (one_in(self, 5))
                event_mutex(self, tile);
            else
                event_replay(self, tile);
            break;
        case 9:
            event_banks(self, tile);
            break;
        case 3:
        case 4:
            event_meet(self, tile);
            break;
        case 5:
            event_buffer(self, tile);
            break;
        case 6:
        case 7:
            if (to->tiles > 1) {
                event_noc(self);
                break;
            }
            // fall through
        default:
            if (used >> core & 1)
                event_core(self, tile, core, 0);
        }
    }
    to->timing_only = one_in(self, 4);
}

// ---- kernels

static void set(struct maker *self, const char *key, const char *const *values, unsigned count)
{
    struct fuzz_case *to = self->to;
    if (to->setting_count < FUZZ_SETTINGS)
        snprintf(to->settings[to->setting_count++], sizeof to->settings[0], "%s=%s", key,
                 values[draw(self, count)]);
}
#define SET(key, ...)                                              \
    do {                                                           \
        static const char *const values_[] = {__VA_ARGS__};        \
        set(self, key, values_, sizeof values_ / sizeof *values_); \
    } while (0)

static void make_kernel(struct maker *self)
{
    static const char *const names[] = {"matmul",   "matmul",       "eltwise",    "sfpu",
                                        "reduce",   "norm",         "transpose",  "tilize",
                                        "untilize", "matmul_tiles", "matmul_seed"};
    struct fuzz_case *to = self->to;
    snprintf(to->kernel, sizeof to->kernel, "%s", names[draw(self, sizeof names / sizeof *names)]);
    const bool multiplies = strncmp(to->kernel, "matmul", 6) == 0;
    const bool grid = strcmp(to->kernel, "matmul") == 0 && one_in(self, 8) &&
                      wanted(self->choice, "chip");
    if (grid) {
        SET("grid", "2x1", "1x2", "2x2", "3x2");
        SET("m", "192");
        SET("n", "192");
    } else {
        SET("m", "32", "64");
        SET("n", "32", "64", "96");
    }
    if (multiplies)
        SET("k", "32", "64", "128");
    if (one_in(self, 3))
        SET("format", "bf16", "fp16", "bfp8", "fp32", "tf32");
    if (multiplies && one_in(self, 2))
        SET("fidelity", "lofi", "hifi2", "hifi3", "hifi4");
    if (one_in(self, 4) && (multiplies || strcmp(to->kernel, "eltwise") == 0))
        SET("dst", "16", "32");
    if (strcmp(to->kernel, "eltwise") == 0 && one_in(self, 2))
        SET("op", "add", "sub", "mul");
    if (multiplies && one_in(self, 4))
        SET("throttle", "1", "3", "5");
    if (!grid && one_in(self, 6))
        SET("run-type", "unpack_isolate", "math_isolate", "pack_isolate", "l1_congestion");
    if (!grid && one_in(self, 8))
        SET("tiles", "2", "3");
    to->timing_only = !one_in(self, 3);
}

// ---- parameters

// A value of a range: the corners, near the default, small, powers of 2, anything.
static int64_t value_of(struct maker *self, const struct ts_param *row, int64_t now)
{
    const int64_t span = row->high - row->low;
    int64_t value;
    switch (draw(self, 8)) {
    case 0:
        return row->low;
    case 1:
        return row->low + (span > 0);
    case 2:
        return one_in(self, 4) ? row->high : row->low + span % 1000;
    case 3:
        value = now + (int64_t)draw(self, 5) - 2;
        break;
    case 4:
    case 5:
        value = row->low + draw(self, 40);
        break;
    case 6:
        value = (INT64_C(1) << draw(self, 17)) + (int64_t)draw(self, 3) - 1;
        break;
    default:
        value = row->low + draw(self, 400);
    }
    return value < row->low ? row->low : value > row->high ? row->high : value;
}

static void make_params(struct maker *self)
{
    static const struct {
        const char *name;
        unsigned weight;
    } groups[] = {{"riscv", 4}, {"tensix", 4}, {"noc", 2}, {"dram", 1}, {"free", 1}};
    struct fuzz_case *to = self->to;
    struct ts_params params = {0};
    char path[512];
    struct ts_error error = {0};
    const bool chip = to->tiles > 1 || to->kernel[0];
    unsigned count = one_in(self, 4) ? 0 : 1 + draw(self, one_in(self, 3) ? 5 : 2);
    ts_chip_params_add(&params);
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_params_load(&params, path, &error);
    for (unsigned tries = 0; to->param_count < count && tries < 20; tries++) {
        unsigned at = draw(self, 12), g = 0;
        while (at >= groups[g].weight)
            at -= groups[g++].weight;
        if (!wanted(self->choice, groups[g].name) || (!chip && g >= 2 && g < 4))
            continue;
        for (size_t i = 0; i < params.count; i++) {
            const struct ts_param_group *group = &params.groups[i];
            if (strcmp(group->name, groups[g].name) != 0)
                continue;
            size_t k = draw(self, (uint32_t)group->count);
            snprintf(to->params[to->param_count++], sizeof to->params[0], "%s.%s=%lld", group->name,
                     group->rows[k].key,
                     (long long)value_of(self, &group->rows[k], group->values[k].value));
        }
    }
    ts_params_free(&params);
}

void fuzz_generate(struct fuzz_case *self, uint64_t seed, uint64_t number,
                   const struct fuzz_choice *choice)
{
    struct maker maker = {.to = self,
                          .random = ts_hash_word(ts_hash_word(TS_HASH_START, seed), number),
                          .choice = choice};
    memset(self, 0, sizeof *self);
    self->threads = 1;
    const bool kernels = wanted(choice, "kernel"),
               programs = wanted(choice, "program") || wanted(choice, "chip");
    if (kernels && (!programs || one_in(&maker, 12)))
        make_kernel(&maker);
    else
        make_program(&maker);
    make_params(&maker);
    if (one_in(&maker, 4) && wanted(choice, "perturb")) {
        self->perturb_seed = draw(&maker, 1000);
        self->perturb_max = 1u << draw(&maker, 7);
    }
    if (one_in(&maker, 6))
        self->trace = true;
    if (self->tiles > 1 && one_in(&maker, 2))
        self->threads = 2;
}

// ---- as text

static bool write_core(const struct fuzz_case *self, unsigned tile, unsigned core, unsigned indent,
                       FILE *file)
{
    bool any = false, coded = false;
    unsigned depth = 0;
    for (unsigned i = 0; i < self->line_count; i++) {
        const struct fuzz_line *line = &self->lines[i];
        coded |= line->tile == tile && line->core == core && !line->base &&
                 strncmp(line->text, "code", 4) == 0;
    }
    for (unsigned i = 0; i < self->line_count; i++) {
        const struct fuzz_line *line = &self->lines[i];
        if (line->tile != tile || line->core != core || (line->base && !coded))
            continue;
        if (!any)
            fprintf(file, "%*s%s:\n", (int)indent, "", ts_rv_core_names[core]);
        any = true;
        unsigned at = line->depth < depth ? line->depth : depth;
        int column = (int)(indent + 2 + 4 * at);
        if (!line->loop) {
            fprintf(file, "%*s- %s\n", column, "", line->text);
            depth = at;
            continue;
        }
        unsigned next = i + 1; // a loop around nothing is nothing
        while (next < self->line_count &&
               (self->lines[next].tile != tile || self->lines[next].core != core))
            next++;
        if (next == self->line_count || self->lines[next].depth <= line->depth) {
            fprintf(file, "%*s- delay: 0\n", column, "");
            depth = at;
            continue;
        }
        fprintf(file, "%*s- repeat:\n%*stimes: %s\n%*sdo:\n", column, "", column + 4, "",
                line->text, column + 4, "");
        depth = at + 1;
    }
    return any;
}

void fuzz_write(const struct fuzz_case *self, FILE *file)
{
    bool tiles = self->tiles > 1, buffers = false;
    for (unsigned i = 0; i < self->line_count; i++)
        buffers |= strncmp(self->lines[i].text, "cb_", 3) == 0;
    if (buffers)
        fprintf(file, "buffers: {c0: {pages: 4}, c1: {pages: 2}}\n");
    fprintf(file, tiles ? "tiles:\n" : "cores:\n");
    for (unsigned tile = 0; tile < self->tiles; tile++) {
        bool any = false;
        if (tiles)
            fprintf(file, "  %u-%u:\n", sites[tile].x, sites[tile].y);
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            any |= write_core(self, tile, core, tiles ? 4 : 2, file);
        if (!any)
            fprintf(file, "%*sbrisc: [{delay: 0}]\n", tiles ? 4 : 2, "");
    }
}
