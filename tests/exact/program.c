// Random programs: see fuzz.h. A program is a sequence of events. An event adds steps to one core, or to
// several that wait for each other; what they wait for comes in the same event, so most programs end.
#include "tests/exact/maker.h"
#include "units/isa/cfgregs.h"
#include "units/isa/dispatch.h"
#include "units/isa/opcodes.h"

#include <stdarg.h>

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

static bool other_machine(const struct maker *self)
{
    return self->machine != ts_machines;
}

// What another machine does not have is a NOP, and so is SETC16, whose registers lie elsewhere.
static void text_of(const struct maker *self, uint32_t word, char *text, size_t size)
{
    uint32_t again;
    char why[160];
    ts_disasm_fields(word, text, size);
    if (other_machine(self)) {
        if (TS_OP_OF(word) == TS_OP_SETC16 ||
            strlen(text) + 20 > sizeof((struct fuzz_line *)0)->text ||
            !ts_machine_assemble(self->machine, text, &again, why, sizeof why) ||
            TS_OP_OF(ts_machine_word(self->machine, again)) == TS_OP_NO_WORD)
            snprintf(text, size, "NOP");
        return;
    }
    if (strlen(text) + 20 > sizeof((struct fuzz_line *)0)->text ||
        !ts_assemble(text, &again, why, sizeof why) || again != word)
        snprintf(text, size, "0x%08x", word);
}

static void tt(struct maker *self, unsigned tile, unsigned thread, unsigned depth, uint32_t word)
{
    char text[160];
    text_of(self, word, text, sizeof text);
    add(self, tile, TS_RV_TRISC0 + thread, depth, "tt: %s", text);
}

static void burst(struct maker *self, unsigned tile, unsigned thread, unsigned depth)
{
    for (unsigned n = 1 + draw(self, 8); n; n--)
        tt(self, tile, thread, depth, maker_word(self, thread));
}

static void code(struct maker *self, unsigned tile, unsigned core, unsigned depth, unsigned most)
{
    for (unsigned n = 1 + draw(self, most); n; n--)
        add(self, tile, core, depth, "code: 0x%08x", maker_code(self));
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
        add(self, tile, core, depth,
            other_machine(self) ? "write: {l1: 0x%x, value: %u}" : "add: {l1: 0x%x, value: %u}",
            0x30000 + 4 * draw(self, 16), draw(self, 9));
        return;
    case 6:
        add(self, tile, core, depth, "copy: {from: 0x%x, to: 0x%x}", 0x30000 + 4 * draw(self, 64),
            0x30000 + 4 * draw(self, 64));
        return;
    case 7:
        if (core == TS_RV_BRISC && one_in(self, 3)) {
            char text[160];
            text_of(self, one_in(self, 3) ? OP(SEMPOST) | 0x40 << 2 : OP(NOP), text, sizeof text);
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
        if (one_in(self, 2) || other_machine(self))
            add(self, tile, core, depth, "cfg: {word: %u, value: %u}",
                TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll, 1 + draw(self, 31));
        else
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
                                                   : maker_word(self, thread);
    const bool replays = TS_OP_OF(body) == TS_OP_REPLAY;
    if (replays) { // what it plays
        tt(self, tile, thread, 0, OP(REPLAY) | 16u << 4 | (one_in(self, 2) ? 2u : 0) | 1);
        for (unsigned i = 0; i < 16; i++)
            tt(self, tile, thread, 0, OP(MVMUL) | draw(self, 8) << 14 | 8 * (i % 8));
    }
    for (unsigned i = 0; i < 9; i++) {
        uint32_t value = i == 0            ? 1 + draw(self, 3)
                         : i == 1          ? draw(self, one_in(self, 3) ? 30 : 5)
                         : i == 5          ? body
                         : one_in(self, 3) ? body
                         : one_in(self, 4) ? maker_word(self, thread)
                                           : quick[draw(self, 4)];
        char text[160];
        text_of(self, value, text, sizeof text);
        if (i < 2)
            add(self, tile, core, 0, "mop: {register: %u, value: %u}", i, value);
        else
            add(self, tile, core, 0, "mop: {register: %u, tt: \"%s\"}", i, text);
    }
    if (one_in(self, 2))
        tt(self, tile, thread, 0, maker_stallwait(self));
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
    tt(self, tile, thread, 0,
       OP(REPLAY) | from << 14 | length << 4 | (one_in(self, 2) ? 2u : 0) | 1);
    for (unsigned i = 0; i < length; i++)
        tt(self, tile, thread, 0,
           thread == 1 && !one_in(self, 4) ? OP(MVMUL) | draw(self, 8) << 14 | 8 * (i % 8)
                                           : maker_word(self, thread));
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
            maker_sites[to].x, maker_sites[to].y, length, noc);
        self->acks[from][noc]++;
        if (one_in(self, 2))
            add(self, from, TS_RV_BRISC, 0, "noc_wait: {noc: %u, acks: %u}", noc,
                self->acks[from][noc]);
        return;
    }
    case 2:
        add(self, from, TS_RV_BRISC, 0, "noc_increment: {to: %u-%u, at: 0x%x, noc: %u}",
            maker_sites[to].x, maker_sites[to].y, flag, noc);
        add(self, to, reader, 0, "until: {l1: 0x%x, is: 1}", flag);
        return;
    default:
        if (tiles != 2 && tiles != 3 && tiles != 6)
            return;
        add(self, from, TS_RV_BRISC, 0, "write: {l1: 0x2ff00, value: 1}");
        add(self, from, TS_RV_BRISC, 0,
            "noc_multicast: {first: 1-2, last: %u-%u, from: 0x2ff00, at: 0x%x, length: 4%s}",
            maker_sites[tiles - 1].x, maker_sites[tiles - 1].y, flag,
            one_in(self, 2) ? ", reserve: true, self: true" : ", self: true");
        self->acks[from][0] += tiles;
        add(self, to, reader, 0, "until: {l1: 0x%x, is: 1}", flag);
    }
}

// ---- programs

// Formats, and pointers. Another machine has other words of Config: there they are set before the first cycle.
static void set_up(struct maker *self, unsigned tile)
{
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        add_base(self, tile, core, 31, 0x38000 + (one_in(self, 3) ? 0 : core << 12));
        add_base(self, tile, core, 4, TS_RV_LOCAL_BASE);
        if (one_in(self, 3) && !other_machine(self))
            add(self, tile, core, 0, "l0: on");
    }
    if (one_in(self, 4))
        return;
    self->to->configured = other_machine(self);
    for (unsigned i = 0; i < MAKER_FORMATS && !other_machine(self); i++)
        add(self, tile, TS_RV_TRISC0, 0, "cfg: {word: %u, value: 0x%x}", maker_formats[i].word,
            maker_formats[i].value);
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

void maker_program(struct maker *self)
{
    struct fuzz_case *to = self->to;
    to->tiles = 1;
    if (!other_machine(self) && wanted(self->choice, "chip") &&
        (one_in(self, 8) || !wanted(self->choice, "program")))
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
