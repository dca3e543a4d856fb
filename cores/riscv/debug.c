// The debug interface of a core (debug.h).
#include "cores/riscv/record.h"

// Bits of DR(1).
enum {
    HALT = 1 << 0,
    STEP = 1 << 1,
    RESUME = 1 << 2,
    READ_GPR = 1 << 3,
    WRITE_GPR = 1 << 4,
    READ_MEMORY = 1 << 5,
    WRITE_MEMORY = 1 << 6,
    CLEAR_GPRS = 1 << 7,
    WRITE_PC = 1 << 8,
    RESERVED = 0x7ffffe00,
};
#define SLOW_MODE (1u << 31)
// Modes of a watchpoint.
enum { ON_PC = 8, ON_READ = 9, ON_WRITE = 10, ON_ACCESS = 11 };

#define PC_INDEX   32 // in DR(2), after the GPRs
#define TRISC2_SEE 4  // TRISC2's local RAM: offsets in 16 bytes up to this can be reached

static enum ts_rv_answer refuse(struct ts_rv_core *core, struct ts_rv_reply *reply,
                                enum ts_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = snprintf(reply->text, sizeof reply->text,
                          "debug interface of %s: ", ts_rv_core_names[core->id]);
    vsnprintf(reply->text + length, sizeof reply->text - (size_t)length, format, args);
    va_end(args);
    reply->code = code;
    return TS_RV_REFUSE;
}

void ts_rv_debug_attach(struct ts_rv_core *core, ts_cycle now)
{
    if (core->debugged)
        return;
    core->debugged = core->odd = true;
    core->debug.done = core->instret;
    core->debug.at = core->pc;
    if (core->held)
        return;
    ts_rv_unpark(core, now + 1);
    if (core->run_ahead)
        ts_rv_leash(core);
    ts_wake(&core->component, now + 1);
}

void ts_rv_debug_reset(struct ts_rv_core *core)
{
    struct ts_rv_debug *self = &core->debug;
    self->slow = self->half = self->stepping = self->passing = false;
    self->hit = self->hits = 0;
    self->done = core->instret;
}

// --- pauses ---

void ts_rv_debug_halt(struct ts_rv_core *core, uint32_t hit)
{
    core->halted = true;
    core->halting = false;
    core->debug.hit = hit;
    core->debug.half = core->debug.stepping = false;
    core->resume = TS_NEVER;
}

// Is a debugger free to look at it?
static bool stands(const struct ts_rv_core *core)
{
    return core->stopped && !core->pending && !core->held;
}

// The watchpoints with these modes that an access of `size` bytes hits.
static uint32_t watched(const struct ts_rv_debug *self, uint32_t address, uint32_t size,
                        uint32_t mode)
{
    uint32_t hits = 0;
    for (unsigned i = 0; i < TS_RV_WATCHPOINTS; i++) {
        uint32_t is = self->modes >> 4 * i & 15;
        if ((is == mode || (is == ON_ACCESS && mode != ON_PC)) &&
            self->watchpoint[i] - address < size)
            hits |= 1u << (TS_RV_HIT_FIRST + i);
    }
    return hits;
}

// The instruction before has been executed: why the core halts after it.
static uint32_t ended(struct ts_rv_debug *self)
{
    uint32_t hit = self->hits, breaks = watched(self, self->at, 1, ON_PC);
    self->hits = 0;
    self->passing = false;
    return hit | (breaks ? breaks | TS_RV_HIT_PC : 0);
}

// A jump to itself is not executed again and again: it is looked at once.
static bool stays(struct ts_rv_core *core, const struct ts_rv_insn *insn)
{
    uint32_t breaks = watched(&core->debug, insn->pc, 1, ON_PC);
    if (!breaks && !core->debug.stepping)
        return false;
    core->instret++;
    ts_rv_debug_halt(core, breaks ? breaks | TS_RV_HIT_PC : 0);
    return true;
}

bool ts_rv_debug_stops(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint64_t done,
                       bool known)
{
    struct ts_rv_debug *self = &core->debug;
    if (!core->debugged)
        return false;
    const bool amo = insn->cls == TS_RV_CLASS_AMO;
    const uint32_t address = core->r[insn->rs1] + (amo ? 0 : (uint32_t)insn->imm);
    const struct ts_rv_following at = {insn->pc,
                                       done,
                                       known && (insn->cls == TS_RV_CLASS_LOAD || amo),
                                       known && (insn->cls == TS_RV_CLASS_STORE || amo),
                                       address,
                                       insn->size};
    if (core->follow && core->follow(core->follower, core, &at)) {
        ts_rv_debug_halt(core, 0);
        return true;
    }
    if (done != self->done) {
        uint32_t hit = ended(self);
        const bool stops = hit != 0 || self->stepping;
        self->done = done;
        self->at = insn->pc;
        if (stops) {
            ts_rv_debug_halt(core, hit);
            return true;
        }
    }
    self->at = insn->pc;
    if (insn->op == TS_RV_STAY)
        return stays(core, insn);
    if (!known || self->passing)
        return false;
    uint32_t hits = 0;
    if (at.loads)
        hits = watched(self, address, insn->size, ON_READ);
    if (hits != 0) {
        self->passing = true;
        ts_rv_debug_halt(core, hits | TS_RV_HIT_MEMORY);
        return true;
    }
    if (at.stores)
        hits = watched(self, address, insn->size, ON_WRITE);
    self->hits = hits ? hits | TS_RV_HIT_MEMORY : 0;
    return false;
}

// --- commands ---

static void resume(struct ts_rv_core *core, ts_cycle now)
{
    ts_rv_leave(core);
    if (core->paused) { // an ebreak does nothing else
        core->pc += 4;
        core->instret++;
    }
    core->paused = core->halted = core->spinning = false;
    core->debug.done = core->instret;
    core->debug.at = core->pc;
    core->debug.hit = core->debug.hits = 0;
    core->t = core->resume = later(core->t, now + 1);
    ts_wake(&core->component, now + 1);
}

void ts_rv_debug_release(struct ts_rv_core *core, ts_cycle now)
{
    if (core->halted)
        resume(core, now);
}

static void set_slow(struct ts_rv_core *core, bool slow, ts_cycle now)
{
    if (core->debug.slow == slow)
        return;
    core->debug.slow = slow;
    if (core->store_count != 0)
        ts_rv_store_close(ts_rv_last_store(core), now + 1);
    ts_rv_csr_apply(core);
}

// Continues, or executes one instruction.
static enum ts_rv_answer go(struct ts_rv_core *core, uint32_t command, ts_cycle now,
                            struct ts_rv_reply *reply)
{
    struct ts_rv_debug *self = &core->debug;
    if (!(command & SLOW_MODE))
        return refuse(core, reply, TS_NOT_IMPLEMENTED,
                      "resumption outside slow execution mode (bit 31 of DR(1)), in which the core "
                      "may lock up");
    if (command & RESUME) {
        if (core->paused)
            return refuse(core, reply, TS_NOT_IMPLEMENTED,
                          "resumption at an ebreak, where Blackhole pauses again: write the pc "
                          "(bit 8 of DR(1)) or step first");
        set_slow(core, true, now);
        resume(core, now);
        return TS_RV_DONE;
    }
    self->half = !self->half;
    if (!self->half) {
        self->stepping = true;
        set_slow(core, true, now);
        resume(core, now);
    }
    return TS_RV_DONE;
}

static enum ts_rv_answer write_pc(struct ts_rv_core *core, uint32_t command,
                                  struct ts_rv_reply *reply)
{
    if (!(command & SLOW_MODE))
        return refuse(core, reply, TS_NOT_IMPLEMENTED, "pc write outside slow execution mode");
    ts_rv_leave(core);
    core->paused = core->spinning = false;
    core->draining = core->behind = core->store_full = false;
    core->lsu_from = 0;
    core->pc = core->debug.data;
    core->debug.passing = false;
    ts_rv_debug_halt(core, 0);
    ts_rv_predictor_clear(&core->predictor);
    return TS_RV_DONE;
}

static enum ts_rv_answer gprs(struct ts_rv_core *core, uint32_t command, struct ts_rv_reply *reply)
{
    struct ts_rv_debug *self = &core->debug;
    const uint32_t index = self->index;
    if (command & (READ_GPR | WRITE_GPR) && index > (command & WRITE_GPR ? 31 : PC_INDEX))
        return refuse(core, reply, TS_CONTRACT, "there is no register %u", index);
    if (command & READ_GPR)
        self->result = index == PC_INDEX ? ts_rv_debug_pc(core) : core->r[index];
    if (command & WRITE_GPR && index != 0)
        core->r[index] = self->data;
    if (command & CLEAR_GPRS)
        memset(core->r, 0, 32 * sizeof core->r[0]);
    return TS_RV_DONE;
}

// What stores in the queue make of a word of L1, the oldest first; `written`: they get that instead.
static void pass_queue(struct ts_rv_core *core, uint32_t address, uint32_t *word,
                       const uint32_t *written)
{
    for (uint32_t i = 0; i < core->store_count; i++) {
        struct ts_rv_store *store = &core->stores[(core->store_head + i) % TS_RV_STORES];
        if (store->region != TS_RV_REGION_L1 || store->address != (address & ~15u))
            continue;
        for (unsigned k = 0; k < 4; k++) {
            uint8_t *byte = (uint8_t *)store->data.word + address % 16 + k;
            if (!(store->mask >> (address % 16 + k) & 1))
                continue;
            if (written)
                memcpy(byte, (const uint8_t *)written + k, 1);
            else
                memcpy((uint8_t *)word + k, byte, 1);
        }
    }
}

static enum ts_rv_answer memory(struct ts_rv_core *core, bool write, ts_cycle now,
                                struct ts_rv_reply *reply)
{
    struct ts_rv_debug *self = &core->debug;
    const uint32_t address = self->index, page = (address - TS_RV_MMIO_BASE) >> 12;
    const char *verb = write ? "store to" : "load from";
    if (address % 4 != 0)
        return refuse(core, reply, TS_CONTRACT, "misaligned %s 0x%08x", verb, address);
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        if (core->id == TS_RV_TRISC2 && address % 16 > TRISC2_SEE)
            return refuse(
                core, reply, TS_NOT_IMPLEMENTED,
                "%s 0x%08x: TRISC2 gives a debugger offsets 0 and 4 of each 16 bytes only", verb,
                address);
        uint8_t *at = core->local + (address - TS_RV_LOCAL_BASE);
        memcpy(write ? (void *)at : &self->result, write ? (void *)&self->data : at, 4);
        return TS_RV_DONE;
    }
    if (ts_l1_contains(address, 4)) {
        if (write) {
            pass_queue(core, address, NULL, &self->data);
            ts_l1_write(core->l1, address, &self->data, 4, now);
        } else {
            memcpy(&self->result, core->l1->bytes + address, 4);
            pass_queue(core, address, &self->result, NULL);
        }
        return TS_RV_DONE;
    }
    if (address < TS_RV_MMIO_BASE || page >= TS_RV_MMIO_PAGES ||
        core->bus->region[core->id][page] == TS_RV_REGION_NONE)
        return refuse(core, reply, TS_CONTRACT, "%s unmapped address 0x%08x", verb, address);
    const struct ts_rv_bus_ops *ops = core->bus->ops;
    enum ts_rv_answer answer = write ? ops->store(core->bus->context, core->id, address, 4,
                                                  &self->data, 1, now, reply)
                                     : ops->load(core->bus->context, core->id, address, 4, now,
                                                 reply);
    if (answer == TS_RV_WAIT)
        return refuse(core, reply, TS_NOT_IMPLEMENTED, "%s 0x%08x, which waits", verb, address);
    if (answer == TS_RV_DONE && !write)
        self->result = reply->value;
    return answer;
}

static enum ts_rv_answer command(struct ts_rv_core *core, uint32_t value, ts_cycle now,
                                 struct ts_rv_reply *reply)
{
    core->debug.command = value;
    if (!(value & SLOW_MODE))
        set_slow(core, false, now);
    const uint32_t actions = value & ~SLOW_MODE;
    enum ts_rv_answer answer = TS_RV_DONE;
    if (actions & RESERVED)
        return refuse(core, reply, TS_NOT_IMPLEMENTED, "command 0x%x in DR(1)", value);
    if (actions == 0)
        return TS_RV_DONE;
    if (core->held)
        return refuse(core, reply, TS_CONTRACT, "command 0x%x: the core is in soft reset", value);
    if (actions & ~(uint32_t)HALT && !stands(core))
        return refuse(core, reply, TS_CONTRACT, "command 0x%x: the core is not paused", value);
    if (actions & (READ_MEMORY | WRITE_MEMORY) &&
        (actions & (STEP | RESUME) ||
         (actions & (READ_MEMORY | WRITE_MEMORY)) == (READ_MEMORY | WRITE_MEMORY)))
        return refuse(core, reply, TS_CONTRACT, "command 0x%x: actions that exclude each other",
                      value);
    if (actions & HALT && !core->stopped) {
        core->halting = true;
        ts_rv_unpark(core, now + 1);
        ts_wake(&core->component, now + 1);
    }
    if (actions & (READ_GPR | WRITE_GPR | CLEAR_GPRS))
        answer = gprs(core, actions, reply);
    if (answer == TS_RV_DONE && actions & (READ_MEMORY | WRITE_MEMORY))
        answer = memory(core, actions & WRITE_MEMORY, now, reply);
    if (answer == TS_RV_DONE && actions & WRITE_PC)
        answer = write_pc(core, value, reply);
    // Together with a pc write, a step is no step.
    if (answer == TS_RV_DONE && actions & (actions & WRITE_PC ? RESUME : RESUME | STEP))
        answer = go(core, value, now, reply);
    return answer;
}

// --- debug registers ---

uint32_t ts_rv_debug_pc(const struct ts_rv_core *core)
{
    return core->pc + (core->paused ? 4 : 0);
}

enum ts_rv_answer ts_rv_debug_read(struct ts_rv_core *core, uint32_t index,
                                   struct ts_rv_reply *reply)
{
    const struct ts_rv_debug *self = &core->debug;
    const uint32_t plain[] = {
        [TS_RV_DR_STATUS] = stands(core)
                                ? TS_RV_HALTED | (core->paused ? TS_RV_HIT_EBREAK : self->hit)
                                : 0,
        [TS_RV_DR_COMMAND] = self->command,
        [TS_RV_DR_INDEX] = self->index,
        [TS_RV_DR_DATA] = self->data,
        [TS_RV_DR_RESULT] = self->result,
        [TS_RV_DR_MODES] = self->modes,
    };
    if (index <= TS_RV_DR_MODES)
        reply->value = plain[index];
    else if (index >= TS_RV_DR_WATCHPOINT && index < TS_RV_DR_END)
        reply->value = self->watchpoint[index - TS_RV_DR_WATCHPOINT];
    else
        return refuse(core, reply, TS_NOT_IMPLEMENTED, "there is no DR(%u)", index);
    return TS_RV_DONE;
}

enum ts_rv_answer ts_rv_debug_write(struct ts_rv_core *core, uint32_t index, uint32_t value,
                                    ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_rv_debug *self = &core->debug;
    switch (index) {
    case TS_RV_DR_STATUS:
    case TS_RV_DR_RESULT:
        return TS_RV_DONE; // discarded
    case TS_RV_DR_COMMAND:
        return command(core, value, now, reply);
    case TS_RV_DR_INDEX:
        self->index = value;
        return TS_RV_DONE;
    case TS_RV_DR_DATA:
        self->data = value;
        return TS_RV_DONE;
    case TS_RV_DR_MODES:
        self->modes = value;
        return TS_RV_DONE;
    }
    if (index < TS_RV_DR_WATCHPOINT || index >= TS_RV_DR_END)
        return refuse(core, reply, TS_NOT_IMPLEMENTED, "there is no DR(%u)", index);
    self->watchpoint[index - TS_RV_DR_WATCHPOINT] = value;
    return TS_RV_DONE;
}
