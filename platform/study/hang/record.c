// From a run to a program of `tensim explore`; see record.h.
#include "platform/study/hang/record.h"

#include "cores/riscv/isa.h"
#include "platform/tile/lints.h"
#include "platform/tile/watchdog.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Threads of a recording: the cores, then the Tensix threads.
#define LANES (TS_RV_CORES + TS_THREADS)

static const char *const lane_names[LANES] = {"B.risc",  "T0.risc",   "T1.risc",   "T2.risc",
                                              "NC.risc", "T0.tensix", "T1.tensix", "T2.tensix"};
static const char *const core_names[TS_RV_CORES] = {"B", "T0", "T1", "T2", "NC"};
static const char *const semaphore_names[TS_SEMAPHORES] = {
    "fpu_sfpu",  "math_pack",   "unpack_to_dest",   "unpack_operand_sync",
    "pack_done", "unpack_sync", "unpack_math_done", "math_done"};

struct lane {
    char op[TS_RECORD_OPS][72];
    unsigned count, left_out;
};

struct ts_recorder {
    struct ts_tile *tile;
    struct ts_follow follow;
    struct lane lane[LANES];
    unsigned semaphores, mutexes; // that were used
    uint8_t max[TS_SEMAPHORES];   // the largest maximum of a SEMINIT
};

__attribute__((format(printf, 3, 4))) static void add(struct ts_recorder *self, unsigned lane,
                                                      const char *format, ...)
{
    struct lane *to = &self->lane[lane];
    char text[72];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    // A unit's instructions in a row are one, and so are looks of a poll.
    bool again = to->count && strcmp(to->op[to->count - 1], text) == 0 &&
                 (strncmp(text, "WORK", 4) == 0 || strncmp(text, "POLL", 4) == 0);
    if (again)
        return;
    if (to->count == TS_RECORD_OPS) {
        to->left_out++;
        return;
    }
    memcpy(to->op[to->count++], text, sizeof text);
}

// --- Tensix threads

// "a,b" of the bits that have a name.
static const char *names(unsigned bits, const char *const *of, unsigned count, char *text,
                         size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        if (bits >> i & 1 && used < size) {
            int n = snprintf(text + used, size - used, "%s%s", used ? "," : "", of[i]);
            used += n > 0 ? (size_t)n : 0;
        }
    return text;
}

static const char *const blocks[] = {"tdma",   "sync", "pack", "unpack", "mover",
                                     "scalar", "math", "cfg",  "sfpu"};
static const char *const conditions[] = {"thcon",     "unpack0",  "unpack1",  "pack",     "math",
                                         "srca_clr",  "srcb_clr", "srca_vld", "srcb_vld", "mover",
                                         "trisc_cfg", "sfpu",     "cfg"};

static const char *block_text(unsigned block, char *text, size_t size)
{
    char list[64];
    if (block == 0)
        block = 1u << 6;
    snprintf(text, size, block == 0x1ff ? "" : " block=%s",
             names(block, blocks, 9, list, sizeof list));
    return text;
}

static void semaphores(struct ts_recorder *self, unsigned lane, const char *op, unsigned select,
                       const char *rest)
{
    char list[72] = "";
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (select >> i & 1) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, " %s", semaphore_names[i]);
        }
    self->semaphores |= select & 0xff;
    if (select & 0xff)
        add(self, lane, "%s%.50s%s", op, list, rest);
}

static const char *banks(unsigned which)
{
    static const char *const text[] = {"", "srca", "srcb", "srca srcb"};
    return text[which & 3];
}

static void sync_word(struct ts_recorder *self, unsigned lane, uint32_t word)
{
    char rest[72], block[64];
    switch (TS_OP_OF(word)) {
    case TS_OP_SEMINIT: {
        struct ts_args_SEMINIT a = ts_decode_SEMINIT(word);
        for (unsigned i = 0; i < TS_SEMAPHORES; i++)
            if (a.sem_sel >> i & 1 && a.max_value > self->max[i])
                self->max[i] = (uint8_t)a.max_value;
        snprintf(rest, sizeof rest, " max=%u value=%u", a.max_value, a.init_value);
        semaphores(self, lane, "SEMINIT", a.sem_sel, rest);
        break;
    }
    case TS_OP_SEMPOST:
        semaphores(self, lane, "SEMPOST", ts_decode_SEMPOST(word).sem_sel, "");
        break;
    case TS_OP_SEMGET:
        semaphores(self, lane, "SEMGET", ts_decode_SEMGET(word).sem_sel, "");
        break;
    case TS_OP_SEMWAIT: {
        static const char *const on[] = {"", "zero", "max", "zero,max"};
        struct ts_args_SEMWAIT a = ts_decode_SEMWAIT(word);
        snprintf(rest, sizeof rest, " on=%s%s", on[a.wait_sem_cond & 3],
                 block_text(a.stall_res, block, sizeof block));
        if (a.wait_sem_cond & 3)
            semaphores(self, lane, "SEMWAIT", a.sem_sel, rest);
        break;
    }
    case TS_OP_STALLWAIT: {
        struct ts_args_STALLWAIT a = ts_decode_STALLWAIT(word);
        add(self, lane, "STALLWAIT on=%s%s",
            names(a.wait_res ? a.wait_res : 0xf, conditions, 13, rest, sizeof rest),
            block_text(a.stall_res, block, sizeof block));
        break;
    }
    case TS_OP_ATGETM:
    case TS_OP_ATRELM:
        self->mutexes |= 1u << (word & 7);
        add(self, lane, "%s mutex_%u", TS_OP_OF(word) == TS_OP_ATGETM ? "ATGETM" : "ATRELM",
            word & 7);
        break;
    default:
        break;
    }
}

// Does the instruction need or give back banks of Src? Only by its opcode and fields.
static bool matrix_word(struct ts_recorder *self, unsigned lane, uint32_t word)
{
    static const uint8_t needs[256] = {
        [TS_OP_MVMUL] = 3,  [TS_OP_DOTPV] = 3,  [TS_OP_ELWADD] = 3, [TS_OP_ELWSUB] = 3,
        [TS_OP_ELWMUL] = 3, [TS_OP_GMPOOL] = 3, [TS_OP_GAPOOL] = 3, [TS_OP_MOVA2D] = 1,
        [TS_OP_MOVB2D] = 2, [TS_OP_MOVB2A] = 2};
    uint8_t op = TS_OP_OF(word);
    unsigned clears = op == TS_OP_SETRWC                    ? word >> 22 & 3
                      : op == TS_OP_CLEARDVALID             ? word >> 22 & 3
                      : needs[op] == 3 && op != TS_OP_DOTPV ? word >> 22 & 3
                                                            : 0;
    char text[72];
    if (needs[op]) {
        snprintf(text, sizeof text, "MATRIX %s", banks(needs[op]));
        struct lane *to = &self->lane[lane];
        if (!to->count || strcmp(to->op[to->count - 1], text) != 0)
            add(self, lane, "%s", text);
    }
    if (clears)
        add(self, lane, "CLEAR %s", banks(clears));
    return needs[op] || clears;
}

static void on_word(void *context, unsigned thread, uint32_t word)
{
    struct ts_recorder *self = context;
    unsigned lane = TS_RV_CORES + thread;
    uint8_t op = TS_OP_OF(word);
    const struct ts_op_hot *hot = &ts_op_hot[op];
    switch (hot->unit) {
    case TS_UNIT_SYNC:
        sync_word(self, lane, word);
        break;
    case TS_UNIT_UNPACK: {
        bool valid = op == TS_OP_UNPACR ? ts_decode_UNPACR(word).set_dat_valid
                                        : ts_decode_UNPACR_NOP(word).set_dvalid & 1;
        if (valid)
            add(self, lane, "UNPACK %s", banks(1 + (word >> 23 & 1)));
        else
            add(self, lane, "WORK unpack");
        break;
    }
    case TS_UNIT_MISC:
        if (op == TS_OP_SETDVALID && ts_decode_SETDVALID(word).setvalid & 3)
            add(self, lane, "GIVE %s", banks(ts_decode_SETDVALID(word).setvalid));
        break;
    case TS_UNIT_MATRIX:
        if (!matrix_word(self, lane, word))
            add(self, lane, "WORK math");
        break;
    case TS_UNIT_VECTOR:
        add(self, lane, "WORK sfpu");
        break;
    case TS_UNIT_PACK:
        add(self, lane, "WORK pack");
        break;
    default:
        break; // configuration, counters: nobody waits for them here
    }
}

// --- cores

static void on_semaphore(void *context, unsigned core, unsigned index, bool get)
{
    struct ts_recorder *self = context;
    self->semaphores |= 1u << index;
    add(self, core, "%s %s", get ? "GET" : "POST", semaphore_names[index]);
}

// The condition that ends the loop a load is in: the branch back behind it.
static bool poll_condition(const struct ts_rv_core *core, uint32_t pc, const char **compare,
                           uint32_t *value)
{
    uint32_t word;
    memcpy(&word, core->l1->bytes + pc, 4);
    unsigned loaded = ts_rv_decode(word).rd;
    for (unsigned i = 1; i <= 4 && ts_l1_contains(pc + 4 * i, 4); i++) {
        memcpy(&word, core->l1->bytes + pc + 4 * i, 4);
        struct ts_rv_insn in = ts_rv_decode(word);
        if (in.cls != TS_RV_CLASS_BRANCH)
            continue;
        if (in.imm >= 0 || in.rs1 >= 32 || in.rs2 >= 32)
            return false;
        bool first = in.rs1 == loaded; // else the operands are the other way round
        if (!first && in.rs2 != loaded)
            return false;
        *value = core->r[first ? in.rs2 : in.rs1];
        switch (in.op) { // goes on while the branch is taken
        case TS_RV_BEQ:
            *compare = "!=";
            return true;
        case TS_RV_BNE:
            *compare = "==";
            return true;
        case TS_RV_BLT:
        case TS_RV_BLTU:
            *compare = first ? ">=" : "<=";
            return true;
        case TS_RV_BGE:
        case TS_RV_BGEU:
            *compare = first ? "<" : ">";
            return true;
        default:
            return false;
        }
    }
    return false;
}

static void on_look(void *context, unsigned core, unsigned index, uint32_t pc)
{
    struct ts_recorder *self = context;
    const char *compare;
    uint32_t value;
    if (!ts_l1_contains(pc, 4) || !poll_condition(&self->tile->cores[core], pc, &compare, &value))
        return;
    self->semaphores |= 1u << index;
    add(self, core, "POLL %s %s %u", semaphore_names[index], compare, value);
}

static void on_mail(void *context, unsigned core, unsigned other, bool send)
{
    add(context, core, "%s %s", send ? "SEND" : "RECEIVE", core_names[other]);
}

static void on_pages(void *context, unsigned core, unsigned buffer, bool push, uint32_t pages)
{
    struct ts_recorder *self = context;
    const char *name = self->tile->buffers[buffer].name;
    add(self, core, "%s %s %u", push ? "RESERVE" : "WAIT", name, pages);
    add(self, core, "%s %s %u", push ? "PUSH" : "POP", name, pages);
}

struct ts_recorder *ts_recorder_new(struct ts_tile *tile)
{
    struct ts_recorder *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->tile = tile;
    self->follow = (struct ts_follow){self, on_word, on_semaphore, on_look, on_mail, on_pages};
    ts_follow_start(tile, &self->follow);
    return self;
}

void ts_recorder_free(struct ts_recorder *self)
{
    if (self)
        ts_follow_start(self->tile, NULL);
    free(self);
}

// --- writing

// What was on its way when the run ended.
static void rest_of(struct ts_recorder *self, unsigned thread)
{
    const struct ts_frontend *front = &self->tile->front[thread];
    for (unsigned i = 0; i < front->gate_count; i++)
        on_word(self, thread, front->gate[i].word);
    for (unsigned i = 0; i < front->replay_count; i++)
        on_word(self, thread,
                front->before_replay[(front->replay_first + i) % TS_FRONT_REPLAY].word);
    for (unsigned i = 0; i < front->fifo_count; i++)
        on_word(self, thread, front->fifo[(front->fifo_first + i) % TS_FRONT_FIFO].word);
}

// A core that waits for pages or room when the run ended.
static void last_poll(struct ts_recorder *self, unsigned core)
{
    const struct ts_rv_core *c = &self->tile->cores[core];
    struct ts_rv_spin spin;
    const uint32_t mail = 0xffec0000u, end = 0xffec4000u;
    if (!c->held && c->pending && c->pending_address >= mail && c->pending_address < end)
        add(self, core, "RECEIVE %s", core_names[c->pending_address >> 12 & 3]);
    if (!c->held && c->store_blocked && c->stores[c->store_head].address >= mail &&
        c->stores[c->store_head].address < end)
        add(self, core, "SEND %s", core_names[c->stores[c->store_head].address >> 12 & 3]);
    if (c->held || c->paused || c->spinning || !ts_core_spins(c, &spin) || !spin.polls ||
        spin.branch.pc == 0)
        return;
    for (unsigned i = 0; i < self->tile->buffer_count; i++) {
        const struct ts_buffer *buffer = &self->tile->buffers[i];
        if (spin.poll[0].address == buffer->received || spin.poll[0].address == buffer->acked)
            add(self, core, "%s %s %u",
                spin.poll[0].address == buffer->received ? "WAIT" : "RESERVE", buffer->name,
                spin.branch.b);
    }
}

void ts_recorder_write(struct ts_recorder *self, const char *name, unsigned ops, FILE *file)
{
    for (unsigned t = 0; t < TS_THREADS; t++)
        rest_of(self, t);
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        last_poll(self, core);
    fprintf(file, "# Recorded from a run by tensim.\nname: %s\n", name);
    if (self->semaphores)
        fputs("semaphores:\n", file);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (self->semaphores >> i & 1)
            fprintf(file, "  %s: {value: 0, max: %u}\n", semaphore_names[i],
                    self->max[i] ? self->max[i] : 15);
    if (self->mutexes)
        fputs("mutexes:\n", file);
    for (unsigned i = 0; i < 8; i++)
        if (self->mutexes >> i & 1)
            fprintf(file, "  mutex_%u: %u\n", i, i);
    if (self->tile->buffer_count)
        fputs("cbs:\n", file);
    for (unsigned i = 0; i < self->tile->buffer_count; i++)
        fprintf(file, "  %s: {pages: %u}\n", self->tile->buffers[i].name,
                self->tile->buffers[i].pages);
    fputs("threads:\n", file);
    for (unsigned l = 0; l < LANES; l++) {
        const struct lane *lane = &self->lane[l];
        unsigned count = ops && ops < lane->count ? ops : lane->count;
        if (count == 0)
            continue;
        fprintf(file, "  %s:\n", lane_names[l]);
        for (unsigned i = 0; i < count; i++)
            fprintf(file, "    - %s\n", lane->op[i]);
        if (count < lane->count || lane->left_out)
            fprintf(file, "    # and %u more\n", lane->count - count + lane->left_out);
    }
}
