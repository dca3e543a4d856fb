// See coprocessor.h: the windows between the cores and the coprocessor, and its hooks into the
// tile.
#include "platform/tile/coprocessor.h"

#include "platform/tile/follow.h"

#include "platform/kernel/domain.h"

#include "platform/kernel/kernel.h"

#include "units/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- answers

// Turns a hold into the bus's answer: a wait for an object, or cycles lost where their number is
// known.
static enum ts_rv_answer answer(struct ts_hold hold, ts_cycle now, struct ts_rv_reply *reply)
{
    if (ts_hold_go(hold))
        return TS_RV_DONE;
    if (hold.until != TS_NEVER) {
        reply->delay += (uint32_t)(hold.until - now);
        return TS_RV_DONE;
    }
    reply->reason = hold.reason;
    reply->object = hold.object;
    return TS_RV_WAIT;
}

static bool is_trisc(unsigned core)
{
    return core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
}

// Auto TTSync holds a TRISC's access while words on their way use the same registers.
static bool tracked(struct ts_coprocessor *self, unsigned core, unsigned resources, bool store,
                    ts_cycle now, struct ts_rv_reply *reply)
{
    if (!is_trisc(core))
        return false;
    struct ts_hold hold = ts_frontend_track(&self->front[core - TS_RV_TRISC0], resources, store,
                                            now);
    return answer(hold, now, reply) == TS_RV_WAIT;
}

// Part of a word, for loads of less than four bytes.
static void narrow(struct ts_rv_reply *reply, uint32_t address)
{
    reply->value >>= address % 4 * 8;
}

// The pc of the store that a core sends now.
static uint32_t store_pc(const struct ts_coprocessor *self, unsigned core)
{
    const struct ts_rv_core *c = &self->tile->cores[core];
    return c->stores[c->store_head].pc[0];
}

// ---- pushes

static enum ts_rv_answer push_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    unsigned window = (address - TS_RV_PUSH_BASE) >> 16;
    if (is_trisc(core) && window == 0) {
        struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
        front->push_pc = store_pc(self, core);
        enum ts_rv_answer taken = answer(ts_frontend_push(front, words, count, now), now, reply);
        if (taken == TS_RV_DONE && ts_frontend_full(front)) {
            reply->settled = true;
            reply->reason = TS_STALL_FIFO_FULL;
            reply->object = &front->fifo_room;
        }
        return taken;
    }
    if (core != TS_RV_BRISC)
        return ts_tile_refuse(reply, TS_CONTRACT, "push to 0x%08x hangs this core", address);
    return answer(ts_frontend_push_brisc(&self->front[window], words[0], now), now, reply);
}

static enum ts_rv_answer push_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    (void)context, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "load from the instruction FIFO at 0x%08x", address);
}

// ---- MOP configuration

static enum ts_rv_answer mop_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    unsigned index = (address & 0xfff) / 4;
    if (!is_trisc(core) || index >= TS_MOP_CFG_WORDS)
        return ts_tile_refuse(reply, TS_CONTRACT, "no MOP configuration register at 0x%08x",
                              address);
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    if ((front->mop.active || front->mops) && front->mop.cfg[index] != words[0] &&
        !ts_coprocessor_lint(self->tile, TS_REPORT_MOP_REWRITTEN, TS_BY_CORE + core,
                             store_pc(self, core), now, "register %u of T%u: 0x%x -> 0x%x", index,
                             core - TS_RV_TRISC0, front->mop.cfg[index], words[0]))
        return TS_RV_DONE;
    ts_frontend_mop_config(front, index, words[0]);
    return TS_RV_DONE;
}

static enum ts_rv_answer mop_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    (void)context, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "MOP configuration at 0x%08x is write-only", address);
}

// ---- GPRs: a TRISC sees its own 64, BRISC all 192

static uint32_t *gpr_of(struct ts_coprocessor *self, unsigned core, uint32_t address)
{
    unsigned index = (address & 0xfff) / 4;
    if (is_trisc(core))
        return index < TS_GPRS ? &self->tensix.gpr[core - TS_RV_TRISC0][index] : NULL;
    return index < TS_THREADS * TS_GPRS ? &self->tensix.gpr[0][0] + index : NULL;
}

static enum ts_rv_answer gpr_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    const uint32_t *gpr = gpr_of(self, core, address);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (tracked(self, core, TS_TRACK_GPR, false, now, reply))
        return TS_RV_WAIT;
    ts_config_settle(&self->config, now);
    reply->value = *gpr;
    narrow(reply, address);
    return TS_RV_DONE;
}

static enum ts_rv_answer gpr_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t *gpr = gpr_of(self, core, address);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (tracked(self, core, TS_TRACK_GPR, true, now, reply))
        return TS_RV_WAIT;
    ts_config_settle(&self->config, now);
    *gpr = words[0];
    return TS_RV_DONE;
}

// ---- backend configuration

static unsigned cfg_resources(uint32_t word)
{
    unsigned both = TS_TRACK_CFG0 | TS_TRACK_CFG1;
    if (word >= 2 * TS_CFG_WORDS || word % TS_CFG_WORDS >= TS_CFG_GLOBAL_BASE)
        return both;
    return word < TS_CFG_WORDS ? TS_TRACK_CFG0 : TS_TRACK_CFG1;
}

static enum ts_rv_answer cfg_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    uint32_t word = (address & 0xffff) / 4;
    if (tracked(self, core, cfg_resources(word), false, now, reply))
        return TS_RV_WAIT;
    struct ts_hold hold = ts_config_external_accept(&self->config, now);
    if (!ts_config_external_read(&self->config, word, &reply->value, now))
        return ts_tile_refuse(reply, TS_CONTRACT, "no configuration register at 0x%08x", address);
    if (is_trisc(core)) // its stores have been performed
        self->tensix.lint.dirty[core - TS_RV_TRISC0] = 0;
    narrow(reply, address);
    return answer(hold, now, reply);
}

static enum ts_rv_answer cfg_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t word = (address & 0xffff) / 4;
    if (tracked(self, core, cfg_resources(word), true, now, reply))
        return TS_RV_WAIT;
    struct ts_hold hold = ts_config_external_accept(&self->config, now);
    if (is_trisc(core) && word < 3 * TS_CFG_WORDS)
        ts_lint_config_stored(&self->tensix, core - TS_RV_TRISC0, word % TS_CFG_WORDS, now);
    if (!ts_config_external_write(&self->config, core < TS_RV_CORES ? TS_BY_CORE + core : TS_BY_NOC,
                                  word, words[0], now))
        return ts_tile_refuse(reply, TS_CONTRACT, "configuration at 0x%08x cannot be written",
                              address);
    return answer(hold, now, reply);
}

// ---- semaphores and Manual TTSync

enum { DRAINED = 0x4, MOP_DRAINED = 0x8, SEMAPHORES = 0x20 };

static enum ts_rv_answer sync_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    uint32_t offset = address & 0xffff;
    if (!is_trisc(core))
        return ts_tile_refuse(reply, TS_CONTRACT, "load from 0x%08x by a core that is no TRISC",
                              address);
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    if (offset >= SEMAPHORES && offset < SEMAPHORES + 4 * TS_SEMAPHORES) {
        struct ts_sync_semaphore *s = &self->sync.semaphore[(offset - SEMAPHORES) / 4];
        reply->value = ts_sync_value(s, now);
        // Every change wakes the waiters: a core that polls may sleep.
        reply->settled = s->changed != now;
        reply->object = &s->object;
        if (__builtin_expect(self->tile->follow != NULL, 0))
            self->tile->follow->look(self->tile->follow->context, core, (offset - SEMAPHORES) / 4,
                                     self->tile->cores[core].bus_pc);
        return TS_RV_DONE;
    }
    if (offset == DRAINED || offset == MOP_DRAINED) {
        struct ts_hold hold = offset == DRAINED ? ts_frontend_drained(front, now)
                                                : ts_frontend_mop_drained(front, now);
        const struct ts_rv_core *from = &self->tile->cores[core];
        if (__builtin_expect(from->passes_push, 0) && ts_hold_go(hold))
            ts_coprocessor_lint(self->tile, TS_REPORT_SYNC_PASSES_PUSH, TS_BY_CORE + core,
                                from->bus_pc, now, "%s, load from 0x%08x", ts_rv_core_names[core],
                                address);
        return answer(hold, now, reply);
    }
    return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
}

static enum ts_rv_answer sync_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t offset = address & 0xffff;
    if (!is_trisc(core) || offset < SEMAPHORES || offset >= SEMAPHORES + 4 * TS_SEMAPHORES)
        return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
    struct ts_hold hold = ts_sync_riscv_accept(&self->sync, now);
    self->sync.caller = (uint8_t)core;
    if (__builtin_expect(self->tile->follow != NULL, 0))
        self->tile->follow->semaphore(self->tile->follow->context, core, (offset - SEMAPHORES) / 4,
                                      words[0] & 1);
    ts_sync_riscv_write(&self->sync, (offset - SEMAPHORES) / 4, words[0], now);
    return answer(hold, now, reply);
}

// ---- TDMA-RISC

static enum ts_rv_answer tdma_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    if (tracked(self, core, TS_TRACK_TDMA, false, now, reply))
        return TS_RV_WAIT;
    bool empty = false, busy = ts_unit_busy(&self->pack.unit, 2, now);
    if (!ts_mover_read(&self->mover, core, address & 0xffc, &reply->value, now) &&
        !ts_pack_tdma_read(&self->pack.state, &self->pack.setreg, busy, address & 0xffc,
                           &reply->value, &empty))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "load from 0x%08x: TDMA-RISC register",
                              address);
    if (empty)
        return answer((struct ts_hold){TS_STALL_FIFO_EMPTY, &self->pack.unit.component.object,
                                       TS_NEVER, false},
                      now, reply);
    narrow(reply, address);
    return TS_RV_DONE;
}

static enum ts_rv_answer tdma_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    if (tracked(self, core, TS_TRACK_TDMA, true, now, reply))
        return TS_RV_WAIT;
    if (answer(ts_mover_write_hold(&self->mover, address & 0xfff, now), now, reply) == TS_RV_WAIT)
        return TS_RV_WAIT;
    bool mine = ts_mover_write(&self->mover, core, address & 0xfff, words[0], now);
    if (!(ts_pack_tdma_write(&self->pack.state, &self->pack.setreg, address & 0xfff, words[0]) |
          mine))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "store to 0x%08x: TDMA-RISC register",
                              address);
    return TS_RV_DONE;
}

// ---- hooks of the units into the tile

static ts_cycle l1_request(void *context, uint32_t addr, unsigned bytes, bool write, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    // A narrow write keeps its bank: five cycles (L1-009).
    uint32_t busy = write && bytes < TS_L1_GRANULE ? 5 : 1;
    return ts_l1_reserve(&self->tile->l1, TS_L1_PORT_B_T0_NC, addr, now, busy) + busy;
}

static void l1_written(void *context, uint32_t addr, unsigned bytes, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    ts_l1_notify(&self->tile->l1, addr, bytes, now);
    ts_l1_note(&self->tile->l1, addr, bytes, self->tensix.writer, TS_NO_PC, now);
}

static bool mmio_read(void *context, uint32_t addr, uint32_t *value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    struct ts_rv_reply reply = {0};
    if (ts_tile_load(self->tile, TS_OUTSIDE, addr, 4, now, &reply) != TS_RV_DONE)
        return false;
    *value = reply.value;
    return true;
}

static bool mmio_write(void *context, uint32_t addr, uint32_t value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    struct ts_rv_reply reply = {0};
    return ts_tile_store(self->tile, TS_OUTSIDE, addr, 4, &value, 1, now, &reply) == TS_RV_DONE;
}

static void report(void *context, enum ts_report which, unsigned by, ts_cycle now, const char *text)
{
    struct ts_coprocessor *self = context;
    bool late = by & TS_BY_LATE; // the thread is somewhere else by now
    uint32_t pc = self->said_pc;
    by &= ~(unsigned)TS_BY_LATE;
    if (pc == TS_NO_PC && !late && by < TS_THREADS)
        pc = ts_frontend_pc(&self->front[by]);
    else if (pc == TS_NO_PC && !late && by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES)
        pc = store_pc(self, by - TS_BY_CORE);
    for (unsigned i = 0; i < self->said_count; i++) {
        struct ts_said *said = &self->said[i];
        if (said->report == which && said->by == by && said->pc == pc) {
            said->count++;
            return;
        }
    }
    if (self->said_count == TS_COPROCESSOR_SAYS)
        return;
    struct ts_said *said = &self->said[self->said_count++];
    *said = (struct ts_said){
        .report = which, .by = (uint8_t)by, .pc = pc, .cycle = now, .count = 1};
    snprintf(said->text, sizeof said->text, "%s", text);
}

bool ts_coprocessor_lint(struct ts_tile *tile, enum ts_report which, unsigned by, uint32_t pc,
                         ts_cycle now, const char *format, ...)
{
    struct ts_coprocessor *self = tile->tensix;
    if (self == NULL)
        return true;
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool core = by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES;
    struct ts_component *component = core ? &tile->cores[by - TS_BY_CORE].component
                                          : &self->front[by < TS_THREADS ? by : 0].component;
    self->said_pc = pc;
    bool good = ts_tensix_report(&self->tensix, component, pc == TS_NO_PC ? by | TS_BY_LATE : by,
                                 now, which, "%s", text);
    self->said_pc = TS_NO_PC;
    return good;
}

const char *ts_by_name(unsigned by)
{
    static const char *const names[] = {"T0", "T1", "T2", "the coprocessor", "the NoC", "the host"};
    if (by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES)
        return ts_rv_core_names[by - TS_BY_CORE];
    return by < sizeof names / sizeof *names ? names[by] : "?";
}

static void stale(void *context, unsigned core, uint32_t pc, uint32_t address, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    uint32_t word;
    memcpy(&word, self->tile->l1.bytes + (address & ~3u), sizeof word);
    ts_coprocessor_lint(self->tile, TS_REPORT_L0_STALE, TS_BY_CORE + core, pc, now,
                        "%s, L1 word 0x%x is 0x%x", ts_rv_core_names[core], address & ~3u, word);
}

// Follows the words of a front end in order, with the context that each finds.
struct follow {
    unsigned unpacker, context; // what is looked for
    unsigned now[2];            // context of each unpacker
    bool found;
};

static void follow(struct follow *self, uint32_t word)
{
    uint8_t op = TS_OP_OF(word);
    if (op == TS_OP_SETC16 &&
        (word >> 16 & 0xff) == TS_THD_ADDR_UNPACK_MISC_CFG_CfgContextOffset_0) {
        self->now[0] = word & 15;
        self->now[1] = word >> 8 & 15;
    }
    bool uses = op == TS_OP_MOP || op == TS_OP_REPLAY ||
                (op == TS_OP_UNPACR && (word >> 23 & 1) == self->unpacker);
    self->found |= uses && (self->now[self->unpacker] & 7) == self->context;
}

static bool awaits(void *context, unsigned thread, unsigned unpacker, unsigned which, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    struct ts_frontend *front = &self->front[thread];
    ts_frontend_catch_up(front, now);
    const uint16_t *thd = self->tensix.cfg.thd[thread];
    struct follow f = {.unpacker = unpacker,
                       .context = which,
                       .now = {TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_0),
                               TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_1)}};
    // What is at the gate with its thread held by an UNPACR has been taken.
    for (unsigned i = 0; i < front->gate_count; i++)
        follow(&f, front->gate[i].word);
    if (front->replay.replaying)
        follow(&f, (uint32_t)TS_OP_REPLAY << 24);
    for (unsigned i = 0; i < front->replay_count; i++)
        follow(&f, front->before_replay[(front->replay_first + i) % TS_FRONT_REPLAY].word);
    if (front->mop.active)
        follow(&f, (uint32_t)TS_OP_MOP << 24);
    for (unsigned i = 0; i < front->fifo_count; i++)
        follow(&f, front->fifo[(front->fifo_first + i) % TS_FRONT_FIFO].word);
    return f.found;
}

static uint32_t pushed(void *context, unsigned thread, bool gate)
{
    const struct ts_coprocessor *self = context;
    return ts_frontend_push_number(&self->front[thread], gate);
}

static void cfg_written(void *context, unsigned addr, uint32_t value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    (void)now;
    // Bits in the order BRISC, TRISC0..2, NCRISC, which is that of the cores.
    if (addr == TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (value & 1u << core)
                ts_rv_core_icache_clear(&self->tile->cores[core]);
    if (addr == TS_CFG_ADDR_PRNG_SEED_Seed_Val)
        ts_sfpu_seed(&self->vector.state, value);
    if (addr == TS_CFG_ADDR_DEST_ACCESS_CFG_swizzle_32b) {
        self->files.dst.swizzle_32b = value & 1;
        self->files.dst.remap_addrs = value >> 1 & 1;
    }
}

// Only there when streams are perturbed.
static ts_cycle l1_stream(void *context, unsigned unit, ts_cycle from)
{
    struct ts_coprocessor *self = context;
    struct ts_perturb *perturb = &self->stream[unit == TS_UNIT_PACK ? 2 : unit == TS_UNIT_UNPACK1];
    ts_cycle begin = ts_perturb_holds(perturb, from) ? perturb->until : from;
    ts_perturb_passed(perturb);
    return begin;
}

// ---- Src and packer state for the control units

static struct ts_hold src_hold(void *context, unsigned condition, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    return ts_files_condition(&self->files, condition, now);
}

static bool src_hand_over(void *context, unsigned thread, unsigned files, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    ts_stream_cut(&self->tensix, now);
    struct ts_unpack_view view = ts_unpack_view_of(&self->files, thread);
    struct ts_unpacker states[2] = {self->unpack[0].state, self->unpack[1].state};
    unsigned owners = ts_files_owners(&self->files);
    ts_setdvalid(&view, states, &self->files.srcs, files);
    self->unpack[0].state = states[0];
    self->unpack[1].state = states[1];
    ts_files_changed(&self->files, owners, now);
    return true;
}

static bool src_store(void *context, unsigned thread, bool srcb, uint32_t addr,
                      const uint32_t *gprs, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    ts_stream_cut(&self->tensix, now);
    struct ts_unpack_view view = ts_unpack_view_of(&self->files, thread);
    struct ts_unpacker states[2] = {self->unpack[0].state, self->unpack[1].state};
    struct ts_refusal refusal = ts_src_store(&view, states, &self->files.srcs, srcb, addr, gprs);
    if (!refusal.what)
        return true;
    ts_fault(&self->front[thread].component, now, (enum ts_code)refusal.kind, "%s (%u)",
             refusal.what, refusal.value);
    return false;
}

static bool pack_state(void *context, unsigned thread, unsigned source, unsigned packers,
                       uint32_t value[4])
{
    struct ts_coprocessor *self = context;
    struct ts_pack_view view = {ts_cfg_of(&self->tensix.cfg, thread), self->tensix.cfg.thd[thread],
                                thread, false};
    ts_pack_state(&view, &self->pack.state, source, packers, value);
    return true;
}

// ---- Dst as TRISCs see it

static bool dst_access(const struct ts_coprocessor *self, unsigned core, unsigned *format,
                       bool *no_swizzle, bool *is_unsigned)
{
    if (!is_trisc(core))
        return false;
    unsigned thread = core - TS_RV_TRISC0, shift = 14 + 5 * thread;
    uint32_t word = ts_cfg_of(&self->tensix.cfg, thread)[3];
    *no_swizzle = word >> shift & 1;
    *is_unsigned = word >> (shift + 1) & 1;
    *format = word >> (shift + 2) & 7;
    return true;
}

static enum ts_rv_answer dst_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    unsigned format;
    bool no_swizzle, is_unsigned;
    ts_stream_cut(&self->tensix, now);
    if (!dst_access(self, core, &format, &no_swizzle, &is_unsigned) ||
        !ts_dst_risc_load(&self->files.dst, address - 0xffbd8000u, size, format, no_swizzle,
                          is_unsigned, &reply->value))
        return ts_tile_refuse(reply, TS_CONTRACT, "load of %u bytes of Dst at 0x%08x", size,
                              address);
    return TS_RV_DONE;
}

static enum ts_rv_answer dst_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    unsigned format;
    bool no_swizzle, is_unsigned;
    (void)count;
    ts_stream_cut(&self->tensix, now);
    if (!dst_access(self, core, &format, &no_swizzle, &is_unsigned) ||
        !ts_dst_risc_store(&self->files.dst, address - 0xffbd8000u, size, format, no_swizzle,
                           is_unsigned, words[0]))
        return ts_tile_refuse(reply, TS_CONTRACT, "store of %u bytes to Dst at 0x%08x", size,
                              address);
    return TS_RV_DONE;
}

static uint32_t status(void *context, unsigned core, unsigned which, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    uint32_t all = 0, own;
    for (unsigned t = 0; t < TS_THREADS; t++)
        ts_frontend_catch_up(&self->front[t], now);
    for (unsigned t = 0; t < TS_THREADS; t++)
        all |= ts_frontend_status(&self->front[t], which == 1, now);
    own = is_trisc(core) ? ts_frontend_status(&self->front[core - TS_RV_TRISC0], which == 1, now)
                         : all;
    return which == 1 ? own | all << 11 : own | all << 13;
}

// DBG_FEATURE_DISABLE bit 11: the 16-bit view of Dst is the high halves of the 32-bit one.
static void features(void *context, uint32_t value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    ts_stream_cut(&self->tensix, now);
    self->files.dst.hi16 = value >> 11 & 1;
}

// ---- construction

void ts_coprocessor_init(struct ts_coprocessor *self, struct ts_tile *tile)
{
    memset(self, 0, sizeof *self);
    self->tile = tile;
    ts_tensix_init(&self->tensix, tile->l1.bytes, TS_L1_SIZE);
    self->tensix.timing = tile->config.tensix;
    self->tensix.strict = tile->config.strict;
    if (tile->config.lints)
        self->tensix.shown = tile->config.lints;
    self->tensix.lints = !tile->config.unchecked;
    self->said_pc = TS_NO_PC;
    self->tensix.hooks = (struct ts_tensix_hooks){
        .tile = self,
        .l1_request = l1_request,
        .l1_written = l1_written,
        .mmio_read = mmio_read,
        .mmio_write = mmio_write,
        .cfg_written = cfg_written,
        .report = report,
        .pushed = pushed,
        .awaits = awaits,
        .l1_stream = tile->config.perturb_max ? l1_stream : NULL,
        .src_hold = src_hold,
        .src_hand_over = src_hand_over,
        .src_store = src_store,
        .pack_state = pack_state,
    };
    ts_backend_init(&self->backend, &self->tensix, &self->sync);
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->tensix.front[t] = &self->front[t].component;
    // Front ends first: what units change at the end of a cycle is seen in the next one.
    for (unsigned t = 0; t < TS_THREADS; t++) {
        ts_frontend_init(&self->front[t], t, &self->backend, tile->domain);
        self->front[t].run_ahead = tile->config.run_ahead;
        ts_perturb_init(&self->front[t].perturb, tile->config.perturb_max,
                        tile->config.perturb_seed, (uint64_t)tile->domain->index << 8 | (32 + t));
    }
    for (unsigned i = 0; i < 3; i++)
        ts_perturb_init(&self->stream[i], tile->config.perturb_max, tile->config.perturb_seed,
                        (uint64_t)tile->domain->index << 8 | (48 + i));
    ts_sync_init(&self->sync, &self->tensix, tile->domain);
    ts_config_init(&self->config, &self->tensix, tile->domain);
    ts_scalar_init(&self->scalar, &self->tensix, tile->domain);
    ts_misc_init(&self->misc, &self->tensix, tile->domain);
    ts_mover_init(&self->mover, &self->tensix, tile->domain);
    ts_files_init(&self->files, &self->tensix, tile->domain);
    ts_unpack_unit_init(&self->unpack[0], 0, &self->files, tile->domain);
    ts_unpack_unit_init(&self->unpack[1], 1, &self->files, tile->domain);
    ts_matrix_unit_init(&self->matrix, &self->files, &self->pack.state, tile->domain);
    ts_vector_unit_init(&self->vector, &self->files, tile->domain);
    ts_pack_unit_init(&self->pack, &self->files, tile->domain);
    self->files.timing_only = tile->config.timing_only;

    static const struct {
        enum ts_device device;
        struct ts_window window;
    } windows[] = {
        {TS_DEVICE_PUSH0, {push_load, push_store, NULL}},
        {TS_DEVICE_PUSH1, {push_load, push_store, NULL}},
        {TS_DEVICE_PUSH2, {push_load, push_store, NULL}},
        {TS_DEVICE_MOP, {mop_load, mop_store, NULL}},
        {TS_DEVICE_GPR, {gpr_load, gpr_store, NULL}},
        {TS_DEVICE_CFG, {cfg_load, cfg_store, NULL}},
        {TS_DEVICE_PCBUF0, {sync_load, sync_store, NULL}},
        {TS_DEVICE_TDMA, {tdma_load, tdma_store, NULL}},
        {TS_DEVICE_DST, {dst_load, dst_store, NULL}},
    };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct ts_window window = windows[i].window;
        window.context = self;
        ts_tile_plug(tile, windows[i].device, &window);
    }
    tile->tensix = self;
    tile->status = status;
    tile->features = features;
    tile->soft_reset = ts_coprocessor_soft_reset;
    tile->stale = stale;
}

void ts_follow_start(struct ts_tile *tile, const struct ts_follow *follow)
{
    struct ts_coprocessor *self = tile->tensix;
    tile->follow = follow;
    for (unsigned t = 0; self && t < TS_THREADS; t++) {
        self->front[t].follow = follow ? follow->word : NULL;
        self->front[t].follow_context = follow ? follow->context : NULL;
    }
}

bool ts_coprocessor_furnish(struct ts_tile *tile, void *context, struct ts_error *error)
{
    (void)context;
    struct ts_coprocessor *self = ts_kernel_alloc(ts_domain_kernel(tile->domain),
                                                  sizeof(struct ts_coprocessor));
    if (!self) {
        ts_fail(error, TS_NO_MEMORY, "out of memory");
        return false;
    }
    ts_coprocessor_init(self, tile);
    return true;
}
