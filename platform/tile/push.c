// Where words enter the front ends: a TRISC's instruction FIFO, BRISC's entry after the MOP
// expander, and the MOP configuration (windows.h).
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/PushTensixInstruction.md;
//   MOPExpander.md. The first word of a core takes longer: measured, why is not published. If words are slow again after
//   a long pause is not known; here they are not.
#include "platform/tile/lints.h"
#include "platform/tile/windows.h"

// ---- pushes

static enum ts_rv_answer refuse_taken(const struct ts_frontend *front, struct ts_rv_reply *reply)
{
    return ts_tile_refuse(reply, TS_CONTRACT,
                          "a push into T%u, which a debugger has taken (INSTRN_BUF_CTRL0), is lost",
                          front->thread);
}

// Words for a recording that were pushed together, and macros that no expander emits. How many words of a recording are a
// MOP's is not known here: what follows it is not looked at.
static __attribute__((noinline)) void check_words(struct ts_tile *self, unsigned core,
                                                  const uint32_t *words, unsigned count,
                                                  ts_cycle now)
{
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    for (unsigned i = 0; i < count; i++) {
        uint32_t pc = front->push_pc + 4 * i;
        if (front->to_record) {
            front->to_record = (uint8_t)(TS_OP_OF(words[i]) == TS_OP_MOP ? 0
                                                                         : front->to_record - 1);
            if (count > 1 && !front->gathered)
                ts_tile_lint(self, TS_REPORT_REPLAY_GATHERED, TS_BY_CORE + core, pc, now,
                             "word %u of %u that were pushed together", i + 1, count);
            front->gathered |= count > 1;
        } else if (ts_is_recording(words[i])) {
            front->to_record = ts_replay_length(words[i]);
            front->gathered = false;
        } else if (TS_OP_OF(words[i]) == TS_OP_SFPLOADMACRO)
            ts_tile_lint(self, TS_REPORT_MACRO_UNROLLED, TS_BY_CORE + core, pc, now, "%s",
                         ts_insn_text(ts_word(words[i], front->thread)).text);
    }
}

TS_WINDOW_STORE(ts_push_store)
{
    struct ts_tile *self = tile;
    (void)size;
    unsigned window = (address - TS_RV_PUSH_BASE) >> 16;
    struct ts_hold hold;
    if (ts_is_trisc(core) && window == 0) {
        struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
        __asm__("" : "+r"(front)); // else the compiler computes it for every field
        front->push_pc = ts_store_pc(self, core);
        bool first = front->pushes == 0;
        bool taken = ts_frontend_push(front, words, count, now, &hold);
        if (__builtin_expect(first, 0))
            reply->delay = front->backend->timing->first_push;
        if (!taken)
            return ts_window_held(&hold, now, reply);
        uint8_t op = TS_OP_OF(words[0]);
        if (__builtin_expect(count > 1 || (front->to_record | front->taken) || op == TS_OP_REPLAY ||
                                 op == TS_OP_SFPLOADMACRO,
                             0)) {
            if (front->taken)
                return refuse_taken(front, reply);
            check_words(self, core, words, count, now);
        }
        if (ts_frontend_full(front)) {
            reply->settled = true;
            reply->reason = TS_STALL_FIFO_FULL;
            reply->object = &front->fifo_room;
        }
        return TS_RV_DONE;
    }
    if (core != TS_RV_BRISC)
        return ts_tile_refuse(reply, TS_CONTRACT, "push to 0x%08x hangs this core", address);
    if (self->front[window].taken)
        return refuse_taken(&self->front[window], reply);
    return ts_frontend_push_brisc(&self->front[window], words[0], now, &hold)
               ? TS_RV_DONE
               : ts_window_held(&hold, now, reply);
}

TS_WINDOW_LOAD(ts_push_load)
{
    (void)tile, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "load from the instruction FIFO at 0x%08x", address);
}

// ---- MOP configuration

TS_WINDOW_STORE(ts_mop_store)
{
    struct ts_tile *self = tile;
    (void)size, (void)count;
    unsigned index = (address & 0xfff) / 4;
    if (!ts_is_trisc(core) || index >= TS_MOP_CFG_WORDS)
        return ts_tile_refuse(reply, TS_CONTRACT, "no MOP configuration register at 0x%08x",
                              address);
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    const uint32_t value = ts_frontend_mop_value(front, index, words[0]);
    ts_frontend_catch_up(front, now);
    if ((front->mop.active || front->mops) && front->mop.cfg[index] != value &&
        !ts_tile_lint(self, TS_REPORT_MOP_REWRITTEN, TS_BY_CORE + core, ts_store_pc(self, core),
                      now, "register %u of T%u: 0x%x -> 0x%x", index, core - TS_RV_TRISC0,
                      front->mop.cfg[index], value))
        return TS_RV_DONE;
    ts_frontend_mop_config(front, index, value, now);
    return TS_RV_DONE;
}

TS_WINDOW_LOAD(ts_mop_load)
{
    (void)tile, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "MOP configuration at 0x%08x is write-only", address);
}
