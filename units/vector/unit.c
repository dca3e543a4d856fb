// units/vector/unit.c: see unit.h.
#include "units/vector/unit.h"

#include "units/lint.h"

// The place of a word in the table of decoded words. If another word has this place, the word may be in the next one.
static unsigned place_of(uint32_t word)
{
    return word * 0x9E3779B1u >> 24;
}
_Static_assert(TS_VECTOR_WORDS == 1 << (32 - 24), "place_of gives a place for every word");

// Can the word be promised? It has no effect beyond lanes and Dst, and is neither reported nor refused.
static bool is_plain(const struct ts_vector_insn *insn)
{
    static const uint16_t load_modes = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 10;
    return insn->op != TS_OP_SFPLOADMACRO && insn->op != TS_OP_SFPCONFIG && insn->vd < 12 &&
           !(insn->op == TS_OP_SFPLOADI && !(load_modes >> insn->mod & 1)) &&
           !(insn->op == TS_OP_SFPSHFT2 && insn->mod > 6) &&
           !(insn->word & ts_op_hot[insn->op].reserved);
}

// Where the word is decoded, if it is.
static inline unsigned find(const struct ts_vector_unit *self, uint32_t word)
{
    const unsigned place = place_of(word);
    return __builtin_expect(self->decoded[place].insn.word == word, 1) ? place : place ^ 1;
}

// The word, decoded; NULL: no vector instruction.
static const struct ts_vector_decoded *decode(struct ts_vector_unit *self, uint32_t word)
{
    struct ts_vector_decoded *decoded = &self->decoded[find(self, word)];
    if (__builtin_expect(decoded->insn.word != word, 0)) {
        struct ts_vector_decoded *first = &self->decoded[place_of(word)];
        decoded = first->insn.word == 0 ? first : decoded;
        if (!ts_vector_decode(word, &decoded->insn))
            return NULL;
        self->decodes++;
        decoded->use = ts_vector_use(NULL, &decoded->insn);
        decoded->plain = is_plain(&decoded->insn);
        decoded->touches_dst = ts_vector_touches_dst(decoded->insn.op);
    }
    return decoded;
}

// What the instruction uses: nothing, if all it does is to write a template.
static struct ts_vector_use use_of(const struct ts_vector_unit *self,
                                   const struct ts_vector_decoded *decoded)
{
    return decoded->insn.vd < 12 ? decoded->use : ts_vector_use(&self->state, &decoded->insn);
}

// Reports what one clock did. False: the run stops.
static inline bool report(struct ts_vector_unit *self, const struct ts_vector_done *done,
                          struct ts_word in, ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    self->executed += done->executed;
    if (__builtin_expect(done->macro_store, 0))
        self->stored[now % TS_VECTOR_STORES] = (struct ts_vector_stored){now, done->macro_store};
    if (__builtin_expect(done->fault != TS_VECTOR_OK, 0)) {
        const char *text = ts_vector_fault_text(done->fault);
        return ts_vector_fault_is_contract(done->fault)
                   ? ts_unit_breach(&self->unit, in, now, text)
                   : ts_unit_refuse(&self->unit, in, now, text);
    }
    for (unsigned mask = done->hazards; mask; mask &= mask - 1) {
        self->hazards++;
        unsigned bit = (unsigned)__builtin_ctz(mask);
        unsigned by = in.op == TS_OP_SFPNOP ? TS_BY_NOBODY : in.thread;
        if (!ts_tensix_report(tensix, &self->unit.component, by, now, TS_REPORT_VECTOR_HAZARD,
                              "%s: %s", ts_insn_text(in).text, ts_vector_hazard_text(bit)))
            return false;
    }
    return true;
}

// Reports a load of what a store of SFPLOADMACRO has written just before. False: the run stops.
static bool check_load(const struct ts_vector_unit *self, const struct ts_vector_insn *insn,
                       struct ts_word in, ts_cycle now)
{
    if (in.op != TS_OP_SFPLOAD && in.op != TS_OP_SFPLOADMACRO)
        return true;
    for (unsigned i = 0; i < TS_VECTOR_STORES; i++) {
        const struct ts_vector_stored *stored = &self->stored[i];
        if (stored->place == ts_vector_place(insn) && now < stored->at + TS_VECTOR_STORES)
            return ts_tensix_report(self->files->tensix,
                                    (struct ts_component *)&self->unit.component, in.thread, now,
                                    TS_REPORT_MACRO_STORE_LOAD, "%s; stored at cycle %llu",
                                    ts_insn_text(in).text, (unsigned long long)stored->at);
    }
    return true;
}

// Runs the cycles before `now` in which nothing was issued.
static bool catch_up(struct ts_vector_unit *self, struct ts_dst *dst, ts_cycle now)
{
    struct ts_vector *v = &self->state;
    struct ts_word none = ts_word((uint32_t)TS_OP_SFPNOP << 24, 0);
    if (self->clocked + 1 < now && ts_vector_settle(v)) {
        self->clocked = now;
        return true;
    }
    while (self->clocked + 1 < now && !ts_vector_idle(v)) {
        struct ts_vector_done done;
        self->clocked++;
        ts_vector_cycle(v, dst, NULL, &done);
        if (!report(self, &done, none, self->clocked))
            return false;
        // Entries that wait for an issued instruction now wait indefinitely.
        if (!v->settling && !v->config_lag && !v->swap_resting && !ts_vector_runs(v))
            break;
    }
    self->clocked = now;
    return true;
}

static void bind(struct ts_vector_unit *self, struct ts_vector_insn *insn, unsigned thread,
                 ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    const uint32_t *cfg = ts_cfg_of(&tensix->cfg, thread);
    const uint16_t *thd = tensix->cfg.thd[thread];
    struct ts_rwc *rwc = ts_tensix_rwc(tensix, thread, now);
    struct ts_vector_view view = {
        .math_offset = (uint16_t)TS_THD(thd, DEST_TARGET_REG_CFG_MATH_Offset),
        .dst_rwc = rwc->dst,
        .regw_base = (uint16_t)TS_CFG(cfg, DEST_REGW_BASE_Base),
        .sp = self->sp[thread],
        .sp_base = (uint16_t)TS_CFG(cfg, DEST_SP_BASE_Base),
        .stack_incr = (uint16_t)TS_THD(thd, SFPU_STACK_Incr),
        .srcb_format = (uint8_t)(TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcB_override)
                                     ? TS_CFG(cfg, ALU_FORMAT_SPEC_REG_SrcB_val)
                                     : TS_CFG(cfg, ALU_FORMAT_SPEC_REG1_SrcB)),
        .fp32 = TS_CFG(cfg, ALU_ACC_CTRL_SFPU_Fp32_enabled),
        .bits = &tensix->bits,
    };
    ts_vector_bind(insn, &view);
    self->sp[thread] = view.sp;
    ts_rwc_apply(rwc, thd, insn->addr_mod, false);
}

// Does the instruction of the cycle before stall this one?
static bool stalls(const struct ts_vector_unit *self, const struct ts_vector_use *use,
                   struct ts_word in)
{
    return ts_vector_order(&self->before, use, in.op) == TS_ORDER_STALL;
}

// The same for a word that was not decoded before. It is not kept: only start may.
static TS_SLOW_PATH bool stalls_new(const struct ts_vector_unit *self, struct ts_word in)
{
    struct ts_vector_insn insn;
    if (!ts_vector_decode(in.word, &insn))
        return false; // start refuses it
    struct ts_vector_use use = ts_vector_use(&self->state, &insn);
    return stalls(self, &use, in);
}

// A unit for free does not wait for itself: its clock does, so that results are those of the run that waits.
static TS_SLOW_PATH bool wait_at_once(struct ts_vector_unit *self, struct ts_dst *dst,
                                      struct ts_word in, ts_cycle now)
{
    struct ts_vector_done done;
    if (self->before.latency < 2 || self->issued + 1 < now || !stalls_new(self, in))
        return true;
    ts_vector_cycle(&self->state, dst, NULL, &done);
    return report(self, &done, in, now);
}

// ---- the unit

static bool vector_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                          struct ts_hold *hold)
{
    const struct ts_vector_unit *self = (const struct ts_vector_unit *)unit;
    struct ts_files *files = self->files;
    // Only the instruction of the cycle before can stall this one.
    if (self->before.latency > 1 && self->issued + 1 == now && !unit->at_once) {
        const struct ts_vector_decoded *decoded = &self->decoded[find(self, in.word)];
        bool known = decoded->insn.word == in.word && decoded->insn.vd < 12;
        if (__builtin_expect(known, 1) ? stalls(self, &decoded->use, in) : stalls_new(self, in))
            return ts_held_port(hold, TS_STALL_UNIT_BUSY, &unit->component.object, now + 1);
    }
    if (ts_vector_touches_dst(in.op)) {
        ts_cycle from = ts_files_dst_from(files, in.thread, TS_DST_VECTOR, now);
        if (from > now) {
            // The next move of the other thread sees that this thread keeps its place.
            return ts_files_dst_moves(files, in.thread, now)
                       ? ts_held_port(hold, TS_STALL_DST_HAZARD, &files->dst_object, from)
                       : ts_held(hold, TS_STALL_DST_HAZARD, &files->dst_object, from);
        }
    }
    return true;
}

// A word's access to Dst, which gets its address. False: the run stops.
static bool touch_dst(struct ts_vector_unit *self, struct ts_vector_insn *insn, struct ts_word in,
                      ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_component *component = &self->unit.component;
    bind(self, insn, in.thread, now);
    if (!self->unit.at_once)
        ts_files_dst_access(files, in.thread, TS_DST_VECTOR, now, 0);
    unsigned block = ts_vector_row(insn, ts_files_dst(files, now)) / 8 % TS_DST_BLOCKS;
    ts_tensix_block(tensix, in.thread, TS_UNIT_VECTOR, in.op == TS_OP_SFPSTORE, block);
    if (in.op == TS_OP_SFPSTORE)
        return ts_lint_dst_write(tensix, component, in, ts_files_block_section(files, block, now),
                                 block, now);
    if (__builtin_expect(tensix->check != NULL, 0)) {
        const bool wide = TS_CFG(ts_cfg_of(&tensix->cfg, in.thread),
                                 ALU_ACC_CTRL_SFPU_Fp32_enabled);
        ts_check_dst_loaded(tensix->check, in.thread, block);
        if (!files->timing_only && ts_checks_for(tensix->check, TS_CHECK_MEMORY) &&
            !ts_dst_tile_written(ts_files_dst(files, now), wide, 8 * block))
            ts_memory_dst(tensix->check, in.thread, TS_UNIT_VECTOR, 8 * block);
    }
    return ts_lint_dst_read(tensix, component, in, block, now) &&
           ts_lint_dst_look(tensix, component, in, ts_files_block_written(files, block), block,
                            now);
}

// The lanes of a word. False: the run stops.
static bool execute(struct ts_vector_unit *self, struct ts_dst *dst,
                    const struct ts_vector_insn *insn, struct ts_word in, ts_cycle now)
{
    struct ts_vector_done done;
    if (!catch_up(self, dst, now))
        return false;
    ts_vector_cycle(&self->state, dst, insn, &done);
    return report(self, &done, in, now) && check_load(self, insn, in, now);
}

static bool vector_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_vector_unit *self = (struct ts_vector_unit *)unit;
    struct ts_files *files = self->files;
    struct ts_dst *dst = ts_files_dst(files, now);
    const struct ts_vector_decoded *decoded = decode(self, in.word);
    if (!decoded)
        return ts_unit_refuse(unit, in, now, "not implemented");
    const struct ts_vector_insn *insn = &decoded->insn;
    struct ts_vector_insn bound;
    if (ts_vector_touches_dst(in.op)) {
        bound = *insn;
        insn = &bound;
        if (!touch_dst(self, &bound, in, now))
            return false;
    }
    if (__builtin_expect(unit->at_once, 0) && !files->timing_only &&
        !wait_at_once(self, dst, in, now))
        return false;
    self->before = use_of(self, decoded);
    self->issued = now;
    ts_cycle until = now + files->tensix->timing.vector_idle;
    if (until > unit->busy_until[in.thread])
        unit->busy_until[in.thread] = until;
    ts_unit_worked(unit, now, 1);
    if (files->timing_only && in.op != TS_OP_SFPCONFIG && in.op != TS_OP_SFPLOADI) {
        self->executed++;
        return true;
    }
    bool good = execute(self, dst, insn, in, now);
    if (in.op == TS_OP_SFPCONFIG)
        files->block_cols = ts_vector_blocked_columns(&self->state);
    if (__builtin_expect(ts_vector_runs(&self->state), 0))
        ts_wake(&unit->component, now + 1);
    return good;
}

// ---- promises

static bool vector_promises(struct ts_unit *unit, struct ts_word first, ts_cycle now)
{
    const struct ts_vector_unit *self = (const struct ts_vector_unit *)unit;
    const struct ts_tensix *tensix = self->files->tensix;
    const struct ts_component *front = tensix->front[first.thread];
    return unit->entered != now && unit->worked <= now && !tensix->check && !front->object.trace &&
           !unit->component.object.trace && !front->watcher &&
           (self->files->timing_only || ts_vector_calm(&self->state));
}

// Decides when the words pass, without data (`dry`) or with them. Inlined for both.
static inline __attribute__((always_inline)) void decide(struct ts_vector_plan *plan,
                                                         const struct ts_vector_unit *self,
                                                         const struct ts_promise *promise,
                                                         const bool dry)
{
    const struct ts_vector_use *before = &self->before;
    const ts_cycle from = promise->from, end = from + TS_PROMISE_MOST;
    ts_cycle now = from, issued = self->issued;
    unsigned n = 0, depth = self->state.depth;
    plan->acts = plan->passes = 0;
    plan->dst = TS_PROMISE_MOST;
    for (; n < promise->count && now < end; n++, now++) {
        const unsigned place = find(self, promise->words[n]);
        const struct ts_vector_decoded *decoded = &self->decoded[place];
        if (decoded->insn.word != promise->words[n] || !decoded->plain)
            break;
        const uint8_t op = decoded->insn.op;
        const enum ts_vector_order order = issued + 1 == now
                                               ? ts_vector_order(before, &decoded->use, op)
                                               : TS_ORDER_FREE;
        const ts_cycle at = now + (order == TS_ORDER_STALL);
        if (at >= end)
            break;
        if (decoded->touches_dst) {
            if (ts_files_dst_from(self->files, promise->thread, TS_DST_VECTOR, at) != at) {
                plan->asked = 0;
                break;
            }
            plan->dst = at - from < plan->dst ? (uint8_t)(at - from) : plan->dst;
        }
        if (!dry) {
            if (order == TS_ORDER_STALE || !ts_vector_stacks(depth, op))
                break; // reported, or could be refused
            depth += op == TS_OP_SFPPUSHC && decoded->insn.mod == 0;
            depth -= op == TS_OP_SFPPOPC && decoded->insn.mod == 0;
        } else if (decoded->touches_dst || op == TS_OP_SFPLOADI) {
            plan->acts |= UINT64_C(1) << (at - from);
        }
        plan->passes |= UINT64_C(1) << (at - from);
        plan->place[at - from] = (uint8_t)place;
        before = &decoded->use;
        issued = now = at;
    }
    plan->count = (uint8_t)n;
    plan->cycles = (uint8_t)(now - from);
    if (!dry)
        plan->acts = plan->passes;
}

// Is the plan for these words? What opens Dst for the first access opens it for all.
static bool fits(const struct ts_vector_plan *plan, const struct ts_vector_unit *self,
                 const struct ts_promise *promise, bool stalls)
{
    const ts_cycle at = promise->from + plan->dst;
    return plan->asked == promise->count && plan->decodes == self->decodes &&
           plan->stalls == stalls &&
           memcmp(plan->words, promise->words, plan->asked * sizeof *plan->words) == 0 &&
           (plan->dst == TS_PROMISE_MOST ||
            (self->files->dst_access < promise->from &&
             ts_files_dst_from(self->files, promise->thread, TS_DST_VECTOR, at) == at));
}

static bool vector_promise(struct ts_unit *unit, struct ts_promise *promise)
{
    struct ts_vector_unit *self = (struct ts_vector_unit *)unit;
    const uint32_t first = promise->words[0], last = promise->words[promise->count - 1];
    const bool dry = self->files->timing_only,
               stalls_first = self->issued + 1 == promise->from &&
                              stalls(self, &self->decoded[find(self, first)].use,
                                     ts_word(first, promise->thread));
    struct ts_vector_plan *plan =
        &self->plans[place_of(first + last * 3 + promise->count) % TS_VECTOR_PLANS];
    if (!dry || !fits(plan, self, promise, stalls_first)) {
        plan->asked = promise->count;
        plan->decodes = self->decodes;
        plan->stalls = stalls_first;
        memcpy(plan->words, promise->words, promise->count * sizeof *plan->words);
        dry ? decide(plan, self, promise, true) : decide(plan, self, promise, false);
    }
    if (plan->count < 2)
        return false;
    promise->count = plan->count;
    promise->cycles = plan->cycles;
    promise->passes = plan->passes;
    promise->blocks[0] = promise->blocks[1] = dry ? 0 : UINT64_MAX; // a packer reads data only
    self->promised = plan;
    return true;
}

// What a promised word does apart from time.
static void act(struct ts_vector_unit *self, const struct ts_vector_decoded *decoded,
                struct ts_dst *dst, unsigned thread, ts_cycle now)
{
    const struct ts_vector_insn *insn = &decoded->insn;
    const struct ts_word in = ts_word(insn->word, thread);
    struct ts_vector_insn bound;
    if (decoded->touches_dst) {
        bound = *insn;
        insn = &bound;
        touch_dst(self, &bound, in, now);
    }
    if (!self->files->timing_only || insn->op == TS_OP_SFPLOADI) {
        execute(self, dst, insn, in, now);
        self->executed--; // all are counted together
    }
}

// The stalls before `to`, one bit a cycle: the first ends what was before.
static void book_stalls(struct ts_component *front, const struct ts_object *on, uint64_t stalls,
                        ts_cycle from, ts_cycle to)
{
    ts_cycle at[TS_PROMISE_MOST];
    unsigned count = 0;
    for (; stalls; stalls &= stalls - 1)
        at[count++] = from + (unsigned)__builtin_ctzll(stalls);
    ts_stalls_passed(front, at, count, to, TS_STALL_UNIT_BUSY, on);
}

static void vector_apply(struct ts_unit *unit, const struct ts_promise *promise, ts_cycle to)
{
    struct ts_vector_unit *self = (struct ts_vector_unit *)unit;
    struct ts_tensix *tensix = self->files->tensix;
    struct ts_component *front = tensix->front[promise->thread];
    const uint8_t me = (uint8_t)(1u << promise->thread);
    const ts_cycle from = promise->from;
    const uint64_t due = UINT64_MAX >> (64 - (to - from)), passed = promise->passes & due;
    const unsigned n = (unsigned)__builtin_popcountll(passed);
    uint64_t stalls = ~promise->passes & due;
    struct ts_dst *dst = ts_files_dst(self->files, to);
    if (stalls) { // the first ends what was before, and its account counts the words up to it
        const unsigned first = (unsigned)__builtin_ctzll(stalls);
        unit->instructions += first;
        ts_stall_passed(front, from + first, TS_STALL_UNIT_BUSY, &unit->component.object);
        unit->instructions -= first;
        stalls &= stalls - 1;
    }
    for (uint64_t acts = self->promised->acts & due; acts; acts &= acts - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(acts);
        act(self, &self->decoded[self->promised->place[i]], dst, promise->thread, from + i);
    }
    unit->instructions += n;
    if (stalls)
        book_stalls(front, &unit->component.object, stalls, from, to);
    if (n) {
        const unsigned last = 63 - (unsigned)__builtin_clzll(passed);
        self->before = self->decoded[self->promised->place[last]].use;
        self->issued = unit->entered = from + last;
        self->executed += n;
        unit->losers &= (uint8_t)~me;
        unit->keeper = 0;
        unit->component.worked += n;
        unit->worked = from + last + 1;
        const ts_cycle until = from + last + tensix->timing.vector_idle;
        if (until > unit->busy_until[promise->thread])
            unit->busy_until[promise->thread] = until;
    }
    if (!(promise->passes >> (to - from - 1) & 1)) { // the word that stalls keeps its place
        unit->keeper = me;
        unit->keeps = TS_STALL_UNIT_BUSY;
        unit->losers |= me;
    }
}

// Instructions booked by SFPLOADMACRO execute although no thread issues anything.
static ts_step vector_step(struct ts_component *component, ts_cycle now)
{
    struct ts_vector_unit *self = (struct ts_vector_unit *)component;
    struct ts_dst *dst = ts_files_dst(self->files, now);
    if (self->clocked < now && !catch_up(self, dst, now + 1))
        return 0;
    if (self->clocked > now)
        self->clocked = now;
    ts_step step = ts_idle(component, now);
    if (ts_vector_runs(&self->state))
        ts_wake(component, now + 1);
    return step;
}

static const struct ts_unit_ops vector_ops = {
    .id = TS_UNIT_VECTOR,
    .accept = vector_accept,
    .start = vector_start,
    .promises = vector_promises,
    .promise = vector_promise,
    .apply = vector_apply,
};

static const struct ts_counter counters[] = {
    TS_UNIT_COUNTER,
    {"executed", "instructions", "carried out, scheduled ones too",
     offsetof(struct ts_vector_unit, executed)},
    {"hazards", "hazards", "reported: hardware does not interlock them",
     offsetof(struct ts_vector_unit, hazards)},
    {0},
};

static const struct ts_component_ops component_ops = {
    .kind = "unit",
    .step = vector_step,
    .counters = counters,
};

void ts_vector_unit_reset(struct ts_vector_unit *self)
{
    ts_vector_reset(&self->state);
    self->state.bits = &self->files->tensix->bits;
}

void ts_vector_unit_init(struct ts_vector_unit *self, struct ts_files *files,
                         struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &vector_ops, &component_ops, files->tensix, domain, "vector");
    self->files = files;
    self->issued = TS_NEVER - 1;
    ts_vector_unit_reset(self);
}
