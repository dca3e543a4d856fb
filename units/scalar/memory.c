// units/scalar/memory.c: see memory.h.
#include "units/scalar/memory.h"

// ---- occupancy and requests

void ts_scalar_occupy(struct ts_scalar_unit *self, unsigned thread, ts_cycle until)
{
    self->done = until;
    self->tensix->closed[thread] = (struct ts_closed){until, TS_STALL_THREAD_SCALAR,
                                                      &self->unit.component.object};
    ts_cycle *busy = &self->unit.busy_until[thread];
    if (until > *busy)
        *busy = until;
}

// The thread's requests are outstanding before this cycle.
static void outstanding(struct ts_scalar_unit *self, unsigned thread, ts_cycle until)
{
    ts_cycle *busy = &self->unit.busy_until[thread];
    if (until > *busy)
        *busy = until;
}

static bool in_l1(const struct ts_scalar_unit *self, uint32_t addr, unsigned bytes)
{
    return addr < self->tensix->l1_bytes && self->tensix->l1_bytes - addr >= bytes;
}

// When a request sent now is complete: after `cycles`, or later if the tile's L1 takes longer.
static ts_cycle served(const struct ts_scalar_unit *self, uint32_t addr, unsigned bytes, bool write,
                       ts_cycle now, unsigned cycles)
{
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    ts_cycle at = now + cycles;
    if (hooks->l1_request) {
        ts_cycle slot = hooks->l1_request(hooks->tile, addr, bytes, write, now);
        if (slot > at)
            at = slot;
    }
    return at;
}

static struct ts_scalar_request *request(struct ts_scalar_unit *self, struct ts_word in,
                                         uint32_t addr, ts_cycle due)
{
    struct ts_scalar_request *r = &self->request[self->requests++];
    *r = (struct ts_scalar_request){.due = due, .op = in.op, .thread = in.thread, .addr = addr};
    outstanding(self, in.thread, due);
    ts_wake(&self->unit.component, due);
    return r;
}

static bool occupy_for_request(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    unsigned cycles = self->tensix->timing.scalar_memory;
    ts_scalar_occupy(self, in.thread, now + cycles);
    ts_unit_worked(&self->unit, now, cycles);
    return true;
}

// ---- addresses

// By size code. Measured on a card (metalium-rs step101); the reference refuses both instructions.
static const uint8_t load_bytes[4] = {16, 4, 2, 1}, store_bytes[4] = {16, 2, 4, 1};

// A 16-bit offset in half a GPR, and its increment afterwards.
static uint32_t take_offset(uint32_t *gpr, unsigned half, unsigned increment)
{
    static const uint8_t step[4] = {0, 2, 4, 16};
    unsigned shift = (half & 1) * 16;
    uint32_t offset = gpr[half >> 1] >> shift & 0xffff;
    uint32_t next = (offset + step[increment]) & 0xffff;
    gpr[half >> 1] = (gpr[half >> 1] & ~(0xffffu << shift)) | next << shift;
    return offset;
}

// ---- loads and stores

static bool store_l1(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STOREIND a = ts_decode_STOREIND(in.word);
    uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    unsigned size = a.size_sel << 1 | a.reg_size_sel;
    unsigned bytes = store_bytes[size];
    uint32_t base = gpr[a.addr_reg_index] * 16;
    unsigned data = size ? a.data_reg_index : a.data_reg_index & 0x3c;
    uint32_t addr = base + take_offset(gpr, a.offset_index, a.auto_inc_spec);
    addr &= ~(bytes - 1);
    if (!in_l1(self, addr, bytes))
        return ts_unit_breach(&self->unit, in, now, "address outside L1");
    ts_cycle due = served(self, addr, bytes, true, now, self->tensix->timing.scalar_store_arrival);
    struct ts_scalar_request *r = request(self, in, addr, due);
    r->bytes = (uint8_t)bytes;
    memcpy(r->value, &gpr[data], bytes < 4 ? 4 : bytes);
    return occupy_for_request(self, in, now);
}

static bool store_register(struct ts_scalar_unit *self, struct ts_word in, uint32_t addr,
                           uint32_t value, ts_cycle now)
{
    if (addr < 0xffb11000)
        return ts_unit_breach(&self->unit, in, now, "address outside the registers");
    if (!self->tensix->hooks.mmio_write)
        return ts_unit_refuse(&self->unit, in, now, "not implemented: register access");
    struct ts_scalar_request *r = request(self, in, addr,
                                          now + self->tensix->timing.scalar_store_arrival);
    r->op = TS_OP_STOREREG;
    r->value[0] = value;
    return occupy_for_request(self, in, now);
}

// ---- atomics

// Instructions that stay in the unit and retry: the unit and the thread wait without a known end.
static bool try_until_done(struct ts_scalar_unit *self, struct ts_word in, unsigned cycles,
                           ts_cycle now)
{
    ts_scalar_occupy(self, in.thread, TS_NEVER);
    self->current = in;
    self->attempt = now + cycles - 1; // done at the end of this cycle if it succeeds
    ts_wake(&self->unit.component, self->attempt);
    return true;
}

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
static void store32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

// A check hears of the access.
static void observe(const struct ts_tensix *tensix, unsigned thread, enum ts_check_how how,
                    uint32_t address, uint32_t bytes)
{
    ts_tensix_access(tensix, thread, TS_UNIT_SCALAR, TS_OBJECT_L1, how, address, bytes);
}

static bool attempt_cas(struct ts_scalar_unit *self, ts_cycle now)
{
    struct ts_args_ATCAS a = ts_decode_ATCAS(self->current.word);
    uint32_t addr = ts_tensix_gprs(self->tensix, self->current.thread, now)[a.addr_reg_index] * 16 +
                    a.sel32b * 4;
    if (!in_l1(self, addr, 4))
        return !ts_unit_breach(&self->unit, self->current, now, "address outside L1");
    uint8_t *at = self->tensix->l1 + addr;
    if (load32(at) != a.cmp_val)
        return false;
    store32(at, a.swap_val);
    self->tensix->writer = self->current.thread;
    ts_tensix_l1_written(self->tensix, addr, 4, now);
    observe(self->tensix, self->current.thread, TS_HOW_ATOMIC, addr, 4);
    return true;
}

static bool attempt_pointer(struct ts_scalar_unit *self, ts_cycle now)
{
    struct ts_args_ATINCGETPTR a = ts_decode_ATINCGETPTR(self->current.word);
    uint32_t *gpr = ts_tensix_gprs(self->tensix, self->current.thread, now);
    uint32_t addr = gpr[a.addr_reg_index] * 16; // read again: a load may have changed it meanwhile
    if (!in_l1(self, addr, 16))
        return !ts_unit_breach(&self->unit, self->current, now, "address outside L1");
    uint8_t *at = self->tensix->l1 + addr;
    uint32_t size = load32(at + 4) - load32(at); // write pointer minus read pointer
    uint32_t capacity = a.wrap_val ? 1u << (a.wrap_val - 1) : 0x8000;
    bool refused = a.sel32b & 1 ? size % capacity == 0 && size != 0 : size == 0;
    if (refused)
        return false;
    uint32_t mask = (1u << a.wrap_val) - 1;
    uint32_t old = load32(at + a.sel32b * 4);
    uint32_t next = old + (a.no_incr ? 0 : 1u << a.incr_val);
    store32(at + a.sel32b * 4, (next & mask) | (old & ~mask));
    self->tensix->writer = self->current.thread;
    ts_tensix_l1_written(self->tensix, addr, 16, now);
    observe(self->tensix, self->current.thread, TS_HOW_ATOMIC, addr, 16);
    gpr[a.data_reg_index] = old;
    return true;
}

// ---- what comes due

static void serve(struct ts_scalar_unit *self, struct ts_scalar_request *r, ts_cycle now)
{
    struct ts_tensix *tensix = self->tensix;
    uint8_t *l1 = tensix->l1 + r->addr;
    uint8_t *gpr = (uint8_t *)&ts_tensix_gprs(tensix, r->thread, now)[r->gpr];
    const struct ts_tensix_hooks *hooks = &tensix->hooks;
    struct ts_word in = {(uint32_t)r->op << 24, r->op, r->thread};
    tensix->writer = r->thread;
    switch (r->op) {
    case TS_OP_LOADIND:
        memcpy(gpr, l1, r->bytes);
        observe(tensix, r->thread, TS_HOW_READ, r->addr, r->bytes);
        break;
    case TS_OP_STOREIND:
        memcpy(l1, r->value, r->bytes);
        ts_tensix_l1_written(tensix, r->addr, r->bytes, now);
        observe(tensix, r->thread, TS_HOW_WRITE, r->addr, r->bytes);
        break;
    case TS_OP_STOREREG:
        if (!hooks->mmio_write(hooks->tile, r->addr, r->value[0], now))
            ts_unit_refuse(&self->unit, in, now, "not implemented: this register");
        observe(tensix, r->thread, TS_HOW_WRITE, r->addr, 4);
        break;
    case TS_OP_LOADREG:
        if (!hooks->mmio_read(hooks->tile, r->addr, (uint32_t *)(void *)gpr, now))
            ts_unit_refuse(&self->unit, in, now, "not implemented: this register");
        break;
    case TS_OP_ATINCGET:
        if (!r->answered) {
            uint32_t old = load32(l1);
            store32(l1, ((old + r->value[0]) & r->width_mask) | (old & ~r->width_mask));
            r->value[0] = old;
            ts_tensix_l1_written(tensix, r->addr, 4, now);
            observe(tensix, r->thread, TS_HOW_ATOMIC, r->addr, 4);
        } else {
            memcpy(gpr, r->value, 4);
        }
        break;
    default: // ATSWAP
        for (unsigned i = 0; i < 8; i++)
            if (r->mask & 1u << i)
                memcpy(l1 + 2 * i, (const uint8_t *)r->value + 2 * i, 2);
        ts_tensix_l1_written(tensix, r->addr, 16, now);
        observe(tensix, r->thread, TS_HOW_ATOMIC, r->addr, 16);
    }
}

// Runs the instruction that retries. Returns when to retry, TS_NEVER when done.
static ts_cycle retry(struct ts_scalar_unit *self, ts_cycle now)
{
    const struct ts_tensix_timing *t = &self->tensix->timing;
    unsigned thread = self->current.thread;
    bool done;
    ts_cycle again = now + t->scalar_atomic_retry;
    if (self->current.op == TS_OP_FLUSHDMA) {
        // The thread's own instruction must not be seen as the memory request it waits for.
        uint32_t mask = ts_decode_FLUSHDMA(self->current.word).flush_spec;
        ts_cycle met, memory = 0;
        for (unsigned i = 0; i < self->requests; i++)
            if (self->request[i].thread == thread && self->request[i].due > memory)
                memory = self->request[i].due;
        mask = mask ? mask : 0xf;
        struct ts_hold hold;
        done = ts_tensix_conditions(self->tensix, thread, mask & ~1u, now, &met, &hold) &&
               (!(mask & 1) || memory <= now);
        again = now + 1;
    } else if (self->current.op == TS_OP_ATCAS) {
        done = attempt_cas(self, now);
    } else {
        done = attempt_pointer(self, now);
    }
    if (!done) {
        self->retries++;
        return again;
    }
    self->done = now + 1;
    self->tensix->closed[thread].until = now + 1;
    self->unit.busy_until[thread] = now + 1;
    for (unsigned i = 0; i < self->requests; i++)
        if (self->request[i].thread == thread)
            outstanding(self, thread, self->request[i].due);
    ts_unit_changed(&self->unit, now);
    return TS_NEVER;
}

// ---- instructions

bool ts_scalar_FLUSHDMA(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    return try_until_done(self, in, self->tensix->timing.scalar_flush, now);
}

bool ts_scalar_LOADIND(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_LOADIND a = ts_decode_LOADIND(in.word);
    uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    uint32_t base = gpr[a.addr_reg_index] * 16;
    uint32_t addr = base + take_offset(gpr, a.offset_index, a.auto_inc_spec);
    unsigned bytes = load_bytes[a.size_sel];
    addr &= ~(bytes - 1);
    if (!in_l1(self, addr, bytes))
        return ts_unit_breach(&self->unit, in, now, "address outside L1");
    const struct ts_tensix_timing *t = &self->tensix->timing;
    ts_cycle due = served(self, addr, bytes, false, now, t->scalar_memory + t->scalar_load_result);
    struct ts_scalar_request *r = request(self, in, addr, due);
    r->bytes = (uint8_t)bytes;
    r->gpr = (uint8_t)(a.size_sel ? a.data_reg_index : a.data_reg_index & 0x3c);
    return occupy_for_request(self, in, now);
}

bool ts_scalar_ATINCGET(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_ATINCGET a = ts_decode_ATINCGET(in.word);
    const uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    uint32_t addr = gpr[a.addr_reg_index] * 16 + a.sel32b * 4;
    if (!in_l1(self, addr, 4))
        return ts_unit_breach(&self->unit, in, now, "address outside L1");
    const struct ts_tensix_timing *t = &self->tensix->timing;
    ts_cycle due = served(self, addr, 4, true, now, t->scalar_atomic_arrival);
    struct ts_scalar_request *r = request(self, in, addr, due);
    r->gpr = (uint8_t)a.data_reg_index;
    r->value[0] = gpr[a.data_reg_index];
    r->width_mask = (2u << a.wrap_val) - 1;
    ts_cycle result = now + t->scalar_atomic_result;
    outstanding(self, in.thread, result > due ? result : due + 1);
    self->next_atomic = now + t->scalar_atomic_gap;
    return occupy_for_request(self, in, now);
}

// An atomic that is tried until it succeeds.
static bool attempt(struct ts_scalar_unit *self, struct ts_word in, unsigned address, ts_cycle now)
{
    if (!in_l1(self, ts_tensix_gprs(self->tensix, in.thread, now)[address] * 16, 16))
        return ts_unit_breach(&self->unit, in, now, "address outside L1");
    return try_until_done(self, in, self->tensix->timing.scalar_atomic_retry, now);
}

bool ts_scalar_ATINCGETPTR(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    return attempt(self, in, ts_decode_ATINCGETPTR(in.word).addr_reg_index, now);
}

bool ts_scalar_ATSWAP(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_ATSWAP a = ts_decode_ATSWAP(in.word);
    const uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    uint32_t addr = gpr[a.addr_reg_index] * 16;
    if (!in_l1(self, addr, 16))
        return ts_unit_breach(&self->unit, in, now, "address outside L1");
    if (a.swap_mask & 0x100 && ts_bits_ask(&self->tensix->bits, TS_BITS_atswap_single))
        return ts_unit_refuse(&self->unit, in, now,
                              "not implemented: a single data register (rule atswap_single)");
    const struct ts_tensix_timing *t = &self->tensix->timing;
    ts_cycle due = served(self, addr, 16, true, now, t->scalar_atomic_arrival);
    struct ts_scalar_request *r = request(self, in, addr, due);
    r->mask = (uint8_t)a.swap_mask;
    if (a.swap_mask & 0x100) // SingleDataReg
        r->value[a.data_reg_index & 3] = gpr[a.data_reg_index];
    else
        memcpy(r->value, &gpr[a.data_reg_index & 0x3c], sizeof r->value);
    self->next_atomic = now + t->scalar_atomic_gap;
    return occupy_for_request(self, in, now);
}

bool ts_scalar_ATCAS(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    return attempt(self, in, ts_decode_ATCAS(in.word).addr_reg_index, now);
}

bool ts_scalar_STOREIND(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STOREIND a = ts_decode_STOREIND(in.word);
    uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    if (a.mem_hier_sel)
        return store_l1(self, in, now);
    uint32_t data[2] = {gpr[a.data_reg_index], 0};
    uint32_t base = gpr[a.addr_reg_index];
    if (a.size_sel) {
        uint32_t addr = base + (take_offset(gpr, a.offset_index, a.auto_inc_spec) >> 4);
        return store_register(self, in, 0xffb00000 + (addr & 0xffffc), data[0], now);
    }
    data[0] = gpr[a.data_reg_index & 0x3c];
    data[1] = gpr[(a.data_reg_index & 0x3c) + 1];
    uint32_t addr = (base + (take_offset(gpr, a.offset_index, a.auto_inc_spec) >> 4)) & 0xfffff;
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    if (addr & 0xf0000)
        return ts_unit_breach(&self->unit, in, now, "address outside the register file");
    if (!hooks->src_store ||
        !hooks->src_store(hooks->tile, in.thread, a.reg_size_sel, addr, data, now))
        return ts_unit_refuse(&self->unit, in, now, "not implemented: STOREIND to SrcA or SrcB");
    return occupy_for_request(self, in, now);
}

bool ts_scalar_STOREREG(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STOREREG a = ts_decode_STOREREG(in.word);
    return store_register(self, in, 0xffb00000 + (a.reg_addr << 2),
                          ts_tensix_gprs(self->tensix, in.thread, now)[a.tdma_data_reg_index], now);
}

bool ts_scalar_LOADREG(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_LOADREG a = ts_decode_LOADREG(in.word);
    uint32_t addr = 0xffb00000 + (a.reg_addr << 2);
    if (addr < 0xffb11000)
        return ts_unit_breach(&self->unit, in, now, "address outside the registers");
    if (!self->tensix->hooks.mmio_read)
        return ts_unit_refuse(&self->unit, in, now, "not implemented: register access");
    const struct ts_tensix_timing *t = &self->tensix->timing;
    struct ts_scalar_request *r = request(self, in, addr,
                                          now + t->scalar_memory + t->scalar_load_result);
    r->gpr = (uint8_t)a.tdma_data_reg_index;
    return occupy_for_request(self, in, now);
}

// ---- step

ts_step ts_scalar_step(struct ts_component *component, ts_cycle now)
{
    struct ts_scalar_unit *self = (struct ts_scalar_unit *)component;
    ts_cycle next = TS_NEVER;
    unsigned kept = 0;
    bool was_full = self->requests == TS_SCALAR_REQUESTS;
    ts_tensix_late(self->tensix, now + 1);
    for (unsigned i = 0; i < self->requests; i++) {
        struct ts_scalar_request r = self->request[i];
        if (r.due <= now) {
            serve(self, &r, now);
            if (r.op != TS_OP_ATINCGET || r.answered)
                continue;
            // Memory is updated; the old value is in flight to the GPR.
            const struct ts_tensix_timing *t = &self->tensix->timing;
            uint32_t back = t->scalar_atomic_result > t->scalar_atomic_arrival
                                ? t->scalar_atomic_result - t->scalar_atomic_arrival
                                : 1;
            r.answered = true;
            r.due = now + back;
            outstanding(self, r.thread, r.due);
        }
        if (r.due < next)
            next = r.due;
        self->request[kept++] = r;
    }
    self->requests = (uint8_t)kept;
    if (was_full && kept < TS_SCALAR_REQUESTS)
        ts_unit_changed(&self->unit, now);
    if (self->attempt <= now)
        self->attempt = retry(self, now);
    if (self->attempt < next)
        next = self->attempt;
    ts_step step = ts_idle(component, now);
    if (next != TS_NEVER)
        ts_wake(component, next);
    return step;
}
