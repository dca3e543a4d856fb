// What words do to the order of accesses, for checks (platform/check).
//
// A unit's words are in order, two units have none: the gate only says when a word starts. STALLWAIT and SEMWAIT put
// what they wait for before the words that they block. SEMPOST, SEMGET, SEMINIT and ATRELM give away what their thread
// knows at its gate: work that has ended, not work that was started.
//
// Source: tt-isa-documentation WaitGate.md, STALLWAIT.md, SEMPOST.md, SEMWAIT.md, ATGETM.md.
#include "units/lint.h"
#include "units/matrix/unit.h"
#include "units/sync.h"

_Static_assert(TS_ACTOR_MATRIX == TS_UNIT_MATRIX && TS_ACTOR_VECTOR == TS_UNIT_VECTOR &&
                   TS_ACTOR_UNITS == TS_UNIT_COUNT,
               "actors are numbered as units are");
_Static_assert(TS_ACTOR_CFG == TS_UNIT_CFG && TS_ACTOR_UNPACK0 == TS_UNIT_UNPACK0 &&
                   TS_ACTOR_UNPACK1 == TS_UNIT_UNPACK1,
               "actors are numbered as units are");

// Units behind STALLWAIT's conditions C0 to C12; of all threads if `others`.
static const struct {
    uint16_t units, others;
} conditions[16] = {
    [0] = {1u << TS_UNIT_SCALAR, 0},  [1] = {1u << TS_UNIT_UNPACK0, 0},
    [2] = {1u << TS_UNIT_UNPACK1, 0}, [3] = {1u << TS_UNIT_PACK, 0},
    [4] = {1u << TS_UNIT_MATRIX, 0},  [9] = {0, 1u << TS_UNIT_MOVER},
    [11] = {1u << TS_UNIT_VECTOR, 0}, [12] = {0, 1u << TS_UNIT_CFG},
};
#define SRC_VALID 7 // C7, C8: banks are with math
#define TRISC_CFG (1u << 10)
#define ALL_UNITS 0xfu                                   // of a STALLWAIT that names none
enum { ADC_UNPACK0 = 1, ADC_UNPACK1 = 2, ADC_PACK = 4 }; // sets of address counters
// SEMWAIT's conditions.
#define STALL_ON_ZERO 1u
#define STALL_ON_MAX  2u

static void stalls(struct ts_tensix *self, unsigned thread, unsigned block, unsigned named)
{
    struct ts_check_wait wait = {.block = (uint16_t)(block ? block : TS_B_MATRIX),
                                 .banks = (uint8_t)(named >> SRC_VALID & 3),
                                 .core = named & TRISC_CFG};
    for (unsigned i = 0; i < 16; i++)
        if (named >> i & 1) {
            wait.units |= conditions[i].units;
            wait.others |= conditions[i].others;
        }
    ts_check_waits(self->check, thread, &wait);
}

static void waits(struct ts_tensix *self, struct ts_word in)
{
    const struct ts_args_SEMWAIT a = ts_decode_SEMWAIT(in.word);
    if (a.wait_sem_cond == 0) {
        stalls(self, in.thread, a.stall_res, ALL_UNITS);
        return;
    }
    ts_pairs_waits(self->check, in.thread, a.sem_sel, a.wait_sem_cond & STALL_ON_MAX,
                   a.wait_sem_cond & STALL_ON_ZERO);
    ts_check_waits(
        self->check, in.thread,
        &(struct ts_check_wait){.block = (uint16_t)(a.stall_res ? a.stall_res : TS_B_MATRIX),
                                .full = a.wait_sem_cond & STALL_ON_ZERO ? (uint8_t)a.sem_sel : 0,
                                .room = a.wait_sem_cond & STALL_ON_MAX ? (uint8_t)a.sem_sel : 0});
}

// SEMPOST, SEMGET, SEMINIT.
static void gives(struct ts_tensix *self, struct ts_word in, unsigned semaphores, ts_cycle now)
{
    const struct ts_known known = ts_check_known_thread(self->check, in.thread, 0, now);
    for (; semaphores; semaphores &= semaphores - 1) {
        const unsigned number = (unsigned)__builtin_ctz(semaphores) & 7;
        if (in.op == TS_OP_SEMINIT)
            ts_check_seminit(self->check, number, ts_decode_SEMINIT(in.word).max_value, &known);
        else
            ts_check_semaphore(self->check, number, in.op == TS_OP_SEMGET, &known);
    }
}

// By how much the condition is met of semaphores for which the thread waits.
static void met(struct ts_tensix *self, unsigned thread, ts_cycle now)
{
    const struct ts_check_wait *wait = &self->check->threads[thread].wait;
    const struct ts_sync_unit *sync = (const struct ts_sync_unit *)self->unit[TS_UNIT_SYNC];
    for (unsigned i = 0; i < TS_SEMAPHORES && (wait->full | wait->room) >> i; i++) {
        const struct ts_sync_semaphore *it = &sync->semaphore[i];
        const unsigned value = ts_sync_value(it, now);
        self->check->more[i] = (uint8_t)(value ? value - 1 : 0);
        self->check->less[i] = (uint8_t)(it->max > value + 1 ? it->max - 1 - value : 0);
    }
}

// ---- registers

// A GPR as an operand. SCALAR takes what it reads when it starts, and so do others.
static void uses_gpr(struct ts_tensix *self, struct ts_word in, unsigned unit, bool writes,
                     unsigned gpr)
{
    ts_check_unit(self->check, in.thread, unit, TS_OBJECT_GPR, writes ? TS_HOW_WRITE : TS_HOW_TAKE,
                  (in.thread * TS_GPRS + gpr % TS_GPRS) * 16, 4);
}

// The bits of its byte that RMWCIB changes; 0: none, or it is another word.
static uint8_t changes(const struct ts_tensix *self, struct ts_word in, unsigned word,
                       unsigned bytes)
{
    const struct ts_args_RMWCIB0 a = ts_decode_RMWCIB0(in.word);
    const uint32_t is = ts_cfg_register(&self->cfg, ts_cfg_state(&self->cfg, in.thread), word);
    if (bytes == 15)
        return 0;
    return (uint8_t)((is >> 8 * __builtin_ctz(bytes) ^ a.data) & a.mask);
}

// RMWCIB that leaves its bits as they are does not disturb the unit of another thread: threads set fields of one byte that they
// share. Their own unit is another matter: the next time the bits may differ.
static bool disturbs(const struct ts_tensix *self, struct ts_word in, unsigned word, unsigned bytes)
{
    const unsigned home = ts_machine_home(self->cfg.machine, word),
                   thread = ts_lint_user(home) == TS_UNIT_PACK ? 2 : 0;
    return bytes == 15 || in.thread == thread || changes(self, in, word, bytes);
}

// A word of the program's configuration, by the CFG unit or by SCALAR.
static void configures(struct ts_tensix *self, struct ts_word in, unsigned unit, unsigned word,
                       const struct ts_op_effects *effects)
{
    const struct ts_machine *machine = self->cfg.machine;
    const unsigned state = word >= machine->cfg_global ? 0 : ts_cfg_state(&self->cfg, in.thread),
                   home = ts_machine_home(machine, word),
                   bytes = effects->bytes ? effects->bytes : 15;
    if (word >= machine->cfg_words ||
        (effects->writes & TS_STATE_CFG && !disturbs(self, in, word, bytes)))
        return;
    if (effects->writes & TS_STATE_CFG)
        ts_registers_set(self->check, in.thread, unit, state * 1024 + word, bytes,
                         effects->reads & TS_STATE_CFG, changes(self, in, word, bytes),
                         ts_lint_latched(home) ? TS_UNIT_NONE : ts_lint_user(home));
    else
        ts_check_unit(self->check, in.thread, unit, TS_OBJECT_CONFIG, TS_HOW_TAKE,
                      (state * 1024 + word) * 16, 4);
}

// Operands in GPRs and configuration. Some words have four of each.
static void uses_operands(struct ts_tensix *self, struct ts_word in, unsigned unit,
                          const struct ts_op_effects *effects)
{
    const struct ts_args_REG2FLOP flop = ts_decode_REG2FLOP(in.word);
    const bool is_flop = effects->adc == TS_ADC_FLOP,
               four = is_flop ? flop.target_sel == 0 && flop.size_sel == 0
                              : in.op == TS_OP_WRCFG && ts_decode_WRCFG(in.word).wr128b;
    const unsigned count = four ? 4 : 1;
    for (unsigned i = 0; i < TS_OPERANDS && effects->gpr[i].width; i++)
        for (unsigned k = 0; k < count; k++)
            if (!(effects->gpr[i].constant && in.word >> 23 & 1))
                uses_gpr(self, in, unit, effects->gpr[i].writes,
                         (ts_operand_of(effects->gpr[i], in.word) & ~(count - 1)) + k);
    if (!effects->word.width || (is_flop && flop.target_sel))
        return;
    const unsigned first = ts_operand_of(effects->word, in.word) +
                           (is_flop ? self->cfg.machine->cfg_thcon : 0);
    for (unsigned k = 0; k < count; k++)
        configures(self, in, unit, (first & ~(count - 1)) + k, effects);
}

// Address counters that a word moves: of its own thread, or of one that it names.
static void counts(struct ts_tensix *self, struct ts_word in, unsigned unit, unsigned how)
{
    const struct ts_args_SETADCXY a = ts_decode_SETADCXY(in.word);
    const struct ts_args_UNPACR u = ts_decode_UNPACR(in.word);
    const struct ts_args_PACR p = ts_decode_PACR(in.word);
    const struct ts_args_REG2FLOP flop = ts_decode_REG2FLOP(in.word);
    unsigned of = in.thread, sets = 0;
    switch (how) {
    case TS_ADC_SETS: {
        const unsigned named = in.op == TS_OP_SETADC     ? ts_decode_SETADC(in.word).value >> 16
                               : in.op == TS_OP_SETADCXX ? 0
                                                         : a.thread_override;
        of = named ? named - 1 : of;
        sets = a.cnt_set_mask;
        break;
    }
    case TS_ADC_UNPACKER:
        if (u.ovrd_thread_id && u.addr_cnt_context_id)
            of = u.addr_cnt_context_id % TS_ACTOR_THREADS;
        sets = unit == TS_UNIT_UNPACK1 ? ADC_UNPACK1 : ADC_UNPACK0;
        break;
    case TS_ADC_PACKER:
        if (p.ovrd_thread_id)
            of = p.addr_cnt_context % TS_ACTOR_THREADS;
        sets = ADC_PACK;
        break;
    default:
        if (flop.target_sel < 2)
            return;
        of = flop.target_sel & 1 ? flop.context_id_2 : of;
        sets = 1u << (flop.flop_index >> 3 & 3) & 7;
    }
    if (of < TS_ACTOR_THREADS)
        ts_registers_adc(self->check, in.thread, unit, of, sets);
}

// Banks of Src (a bit for each file) that the word takes, fills, writes without a wait, and gives back. Who takes a bank has
// waited for it: its unpacker has read what is in it.
static void uses_banks(struct ts_tensix *self, struct ts_word in, unsigned unit,
                       const struct ts_op_effects *effects)
{
    struct ts_check *check = self->check;
    const struct ts_matrix_unit *matrix = (const struct ts_matrix_unit *)self->unit[TS_UNIT_MATRIX];
    if (unit == TS_UNIT_UNPACK0 || unit == TS_UNIT_UNPACK1) {
        ts_registers_fill(check, in.thread, unit, unit == TS_UNIT_UNPACK1);
        return;
    }
    if (unit != TS_UNIT_MATRIX)
        return;
    ts_registers_wait(check, effects->waits);
    for (unsigned file = 0; matrix && file < 2; file++)
        if (effects->waits >> file & 1)
            ts_registers_take(check, in.thread, file, ts_files_src(matrix->files, file)->matrix);
    const unsigned moves = effects->kind & TS_MATRIX_CLEARS ? 0 : ts_op_unwaited(in.op);
    if (moves)
        ts_registers_move(check, in.thread, unit, moves >> 1);
    if (effects->kind & (TS_MATRIX_GIVES | TS_MATRIX_LONG))
        ts_registers_give(check, in.thread, unit, ts_matrix_returns(in.word));
}

// An UNPACR takes the base address of its context when it starts.
static void takes_base(struct ts_tensix *self, struct ts_word in, unsigned unit)
{
    const struct ts_args_UNPACR a = ts_decode_UNPACR(in.word);
    const uint16_t *thd = self->cfg.thd[in.thread];
    const unsigned offset = unit == TS_UNIT_UNPACK1
                                ? TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_1)
                                : TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_0);
    if (!a.auto_inc_context_id) // else the unit counts them
        ts_registers_base_taken(self->check, in.thread, unit, ts_cfg_state(&self->cfg, in.thread),
                                a.ovrd_thread_id ? (a.cfg_context_id + offset) & 7 : 0);
}

// What the word does to configuration, GPRs, address counters and banks of Src.
static void uses(struct ts_tensix *self, struct ts_word in, unsigned unit)
{
    const struct ts_op_effects *effects = &ts_op_effects[in.op];
    const unsigned all = effects->reads | effects->writes;
    if (effects->reads & TS_STATE_LOOKS)
        ts_registers_used(self->check, in.thread, unit);
    if (in.op == TS_OP_UNPACR)
        takes_base(self, in, unit);
    if (all & (TS_STATE_SRCA | TS_STATE_SRCB | TS_STATE_BANKS))
        uses_banks(self, in, unit, effects);
    if (effects->adc)
        counts(self, in, unit, effects->adc);
    if (all & (TS_STATE_GPR | TS_STATE_CFG))
        uses_operands(self, in, unit, effects);
}

void ts_tensix_pass(struct ts_tensix *self, struct ts_word in, unsigned unit, ts_cycle now)
{
    struct ts_check *check = self->check;
    ts_cycle pushed = now;
    uint32_t pc = self->hooks.origin ? self->hooks.origin(self->hooks.tile, in.thread, &pushed)
                                     : TS_SITE_NO_PC;
    met(self, in.thread, now);
    ts_check_pass(check, in.thread, unit, in.op, ts_op_hot[in.op].block, pc, pushed, now);
    uses(self, in, unit);
    switch (in.op) {
    case TS_OP_STALLWAIT: {
        const struct ts_args_STALLWAIT a = ts_decode_STALLWAIT(in.word);
        stalls(self, in.thread, a.stall_res, a.wait_res ? a.wait_res : ALL_UNITS);
        break;
    }
    case TS_OP_SEMWAIT:
        waits(self, in);
        break;
    case TS_OP_SETC16: {
        const struct ts_args_SETC16 a = ts_decode_SETC16(in.word);
        if (a.setc16_reg == TS_THD_ADDR_DEST_TARGET_REG_CFG_MATH_Offset)
            ts_memory_dst_over(check, in.thread, unit, a.setc16_value, true);
        break;
    }
    case TS_OP_SETADC: { // the packer's counter W goes from tile to tile
        const struct ts_args_SETADC a = ts_decode_SETADC(in.word);
        if (a.cnt_set_mask & ADC_PACK && !a.channel_index && a.dimension_index == TS_ADC_W)
            ts_memory_dst_over(check, in.thread, unit, (a.value & 0xffff) * 64, false);
        break;
    }
    case TS_OP_SEMPOST:
        gives(self, in, ts_decode_SEMPOST(in.word).sem_sel, now);
        ts_pairs_posts(check, in.thread, unit, ts_decode_SEMPOST(in.word).sem_sel, false);
        break;
    case TS_OP_SEMGET:
        gives(self, in, ts_decode_SEMGET(in.word).sem_sel, now);
        ts_pairs_posts(check, in.thread, unit, ts_decode_SEMGET(in.word).sem_sel, true);
        break;
    case TS_OP_SEMINIT:
        gives(self, in, ts_decode_SEMINIT(in.word).sem_sel, now);
        break;
    case TS_OP_ATGETM:
        ts_check_acquire_thread(check, in.thread,
                                check->mutexes[ts_decode_ATGETM(in.word).mutex_index & 7]);
        break;
    case TS_OP_ATRELM: {
        const struct ts_known known = ts_check_known_thread(check, in.thread, 0, now);
        ts_vclock_release(&check->mutexes[ts_decode_ATRELM(in.word).mutex_index & 7], check->home,
                          &known, true);
        break;
    }
    }
}
