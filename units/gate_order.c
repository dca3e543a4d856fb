// What words do to the order of accesses, for checks (platform/check).
//
// A unit's words are in order, two units have none: the gate only says when a word starts. STALLWAIT and SEMWAIT put
// what they wait for before the words that they block. SEMPOST, SEMGET, SEMINIT and ATRELM give away what their thread
// knows at its gate: work that has ended, not work that was started.
//
// Source: tt-isa-documentation WaitGate.md, STALLWAIT.md, SEMPOST.md, SEMWAIT.md, ATGETM.md.
#include "units/lint.h"
#include "units/matrix/unit.h"
#include "units/tensix.h"

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
                                .semaphores = (uint8_t)a.sem_sel});
}

static void gives(struct ts_tensix *self, unsigned thread, unsigned semaphores, bool keeps,
                  ts_cycle now)
{
    const struct ts_known known = ts_check_known_thread(self->check, thread, 0, now);
    for (; semaphores; semaphores &= semaphores - 1)
        ts_vclock_release(&self->check->semaphores[__builtin_ctz(semaphores) & 7],
                          self->check->home, &known, keeps);
}

// ---- registers

// SCALAR writes a GPR: its result.
static void sets(struct ts_tensix *self, unsigned thread, unsigned unit, unsigned gpr)
{
    ts_check_unit(self->check, thread, unit, TS_OBJECT_GPR, TS_HOW_WRITE,
                  (thread * TS_GPRS + gpr) * 16, 4);
}

// A GPR as another unit than SCALAR takes it.
static void takes(struct ts_tensix *self, unsigned thread, unsigned unit, unsigned gpr)
{
    ts_check_unit(self->check, thread, unit, TS_OBJECT_GPR, TS_HOW_TAKE,
                  (thread * TS_GPRS + gpr) * 16, 4);
}

static void configures(struct ts_tensix *self, struct ts_word in, unsigned word, unsigned bytes,
                       bool masked)
{
    const unsigned state = word >= TS_CFG_GLOBAL_BASE ? 0 : ts_cfg_state(&self->cfg, in.thread);
    ts_registers_set(self->check, in.thread, state * 1024 + word, bytes, masked,
                     ts_lint_latched(word) ? TS_UNIT_NONE : ts_lint_user(word));
}

// RMWCIB that leaves its bits as they are does not disturb the unit of another thread: threads set fields of one byte that they
// share. Their own unit is another matter: the next time the bits may differ.
static bool disturbs(const struct ts_tensix *self, struct ts_word in)
{
    const struct ts_args_RMWCIB0 a = ts_decode_RMWCIB0(in.word);
    const unsigned shift = 8 * (unsigned)(in.op - TS_OP_RMWCIB0);
    const unsigned thread = ts_lint_user(a.cfg_reg_addr) == TS_UNIT_PACK ? 2 : 0;
    return a.cfg_reg_addr >= TS_CFG_WORDS || in.thread == thread ||
           ((ts_cfg_of(&self->cfg, in.thread)[a.cfg_reg_addr] >> shift ^ a.data) & a.mask) != 0;
}

// Address counters that a word of MISC moves: of its own thread, or of one that it names.
static void counts(struct ts_tensix *self, struct ts_word in, unsigned unit)
{
    const struct ts_args_SETADCXY a = ts_decode_SETADCXY(in.word);
    const unsigned named = in.op == TS_OP_SETADC     ? ts_decode_SETADC(in.word).value >> 16
                           : in.op == TS_OP_SETADCXX ? 0
                                                     : a.thread_override;
    if (named <= TS_ACTOR_THREADS)
        ts_registers_adc(self->check, in.thread, unit, named ? named - 1 : in.thread,
                         a.cnt_set_mask);
}

// MATRIX takes banks of Src (a bit for each file) for which it has waited: their unpackers have read what is in them.
static void takes_banks(struct ts_tensix *self, struct ts_word in, unsigned files)
{
    const struct ts_matrix_unit *unit = (const struct ts_matrix_unit *)self->unit[TS_UNIT_MATRIX];
    ts_registers_wait(self->check, files);
    for (unsigned file = 0; unit && file < 2; file++)
        if (files >> file & 1)
            ts_registers_take(self->check, in.thread, file,
                              ts_files_src(unit->files, file)->matrix);
}

// What the word does to configuration, GPRs, address counters and banks of Src.
static void uses(struct ts_tensix *self, struct ts_word in, unsigned unit)
{
    struct ts_check *check = self->check;
    switch (in.op) {
    case TS_OP_PACR: {
        const struct ts_args_PACR a = ts_decode_PACR(in.word);
        ts_registers_used(check, in.thread, unit);
        ts_registers_adc(check, in.thread, unit,
                         a.ovrd_thread_id ? a.addr_cnt_context % TS_ACTOR_THREADS : in.thread,
                         ADC_PACK);
        break;
    }
    case TS_OP_UNPACR: {
        const struct ts_args_UNPACR a = ts_decode_UNPACR(in.word);
        const bool other = a.ovrd_thread_id && a.addr_cnt_context_id;
        ts_registers_used(check, in.thread, unit);
        ts_registers_fill(check, in.thread, unit, unit == TS_UNIT_UNPACK1);
        ts_registers_adc(check, in.thread, unit,
                         other ? a.addr_cnt_context_id % TS_ACTOR_THREADS : in.thread,
                         unit == TS_UNIT_UNPACK1 ? ADC_UNPACK1 : ADC_UNPACK0);
        break;
    }
    case TS_OP_SETADC:
    case TS_OP_SETADCXX:
    case TS_OP_SETADCXY:
    case TS_OP_INCADCXY:
    case TS_OP_ADDRCRXY:
    case TS_OP_SETADCZW:
    case TS_OP_INCADCZW:
    case TS_OP_ADDRCRZW:
        counts(self, in, unit);
        break;
    case TS_OP_UNPACR_NOP:
        ts_registers_fill(check, in.thread, unit, unit == TS_UNIT_UNPACK1);
        break;
    case TS_OP_SETDMAREG:
        sets(self, in.thread, unit, ts_decode_SETDMAREG(in.word).reg_index_16b / 2);
        break;
    case TS_OP_ADDDMAREG:
    case TS_OP_SUBDMAREG:
    case TS_OP_MULDMAREG:
    case TS_OP_BITWOPDMAREG:
    case TS_OP_SHIFTDMAREG:
    case TS_OP_CMPDMAREG:
        sets(self, in.thread, unit, ts_decode_BITWOPDMAREG(in.word).result_reg_index);
        break;
    case TS_OP_LOADIND:
    case TS_OP_ATINCGET:
    case TS_OP_ATINCGETPTR:
        sets(self, in.thread, unit, ts_decode_LOADIND(in.word).data_reg_index);
        break;
    case TS_OP_LOADREG:
        sets(self, in.thread, unit, ts_decode_LOADREG(in.word).tdma_data_reg_index);
        break;
    case TS_OP_WRCFG: {
        const struct ts_args_WRCFG a = ts_decode_WRCFG(in.word);
        const unsigned count = a.wr128b ? 4 : 1;
        for (unsigned i = 0; i < count; i++) {
            takes(self, in.thread, unit, (a.gpr_address & ~(count - 1)) + i);
            configures(self, in, (a.cfg_reg & ~(count - 1)) + i, 15, false);
        }
        break;
    }
    case TS_OP_RMWCIB0:
    case TS_OP_RMWCIB1:
    case TS_OP_RMWCIB2:
    case TS_OP_RMWCIB3:
        if (disturbs(self, in))
            configures(self, in, ts_decode_RMWCIB0(in.word).cfg_reg_addr,
                       1u << (in.op - TS_OP_RMWCIB0), true);
        break;
    case TS_OP_MOVD2A:
    case TS_OP_MOVD2B:
        ts_registers_move(check, in.thread, unit, in.op == TS_OP_MOVD2B);
        break;
    case TS_OP_SETRWC:
    case TS_OP_CLEARDVALID:
        ts_registers_give(check, in.word >> 22 & 3);
        break;
    case TS_OP_MVMUL:
    case TS_OP_ELWADD:
    case TS_OP_ELWSUB:
    case TS_OP_ELWMUL:
    case TS_OP_GAPOOL:
    case TS_OP_GMPOOL:
    case TS_OP_DOTPV: // wait for both by themselves
        takes_banks(self, in, 3);
        ts_registers_give(check, in.word >> 22 & 3);
        break;
    case TS_OP_MOVA2D:
        takes_banks(self, in, 1);
        break;
    case TS_OP_MOVB2D:
        takes_banks(self, in, 2);
        break;
    default:
        break;
    }
}

void ts_tensix_pass(struct ts_tensix *self, struct ts_word in, unsigned unit, ts_cycle now)
{
    struct ts_check *check = self->check;
    ts_cycle pushed = now;
    uint32_t pc = self->hooks.origin ? self->hooks.origin(self->hooks.tile, in.thread, &pushed)
                                     : TS_SITE_NO_PC;
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
    case TS_OP_SEMPOST:
        gives(self, in.thread, ts_decode_SEMPOST(in.word).sem_sel, true, now);
        ts_pairs_posts(check, in.thread, unit, ts_decode_SEMPOST(in.word).sem_sel, false);
        break;
    case TS_OP_SEMGET:
        gives(self, in.thread, ts_decode_SEMGET(in.word).sem_sel, true, now);
        ts_pairs_posts(check, in.thread, unit, ts_decode_SEMGET(in.word).sem_sel, true);
        break;
    case TS_OP_SEMINIT:
        gives(self, in.thread, ts_decode_SEMINIT(in.word).sem_sel, false, now);
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
    default:
        break;
    }
}
