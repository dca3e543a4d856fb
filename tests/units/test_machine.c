// Wormhole's words and registers in the form of the units (units/isa/machine.h).
#include "cores/frontend/frontend.h"
#include "tests/suite.h"
#include "units/matrix/mul.h"
#include "units/tensix.h"
#include "units/vector/use.h"

#include <check.h>
#include <string.h>

static const struct ts_machine *const wormhole = &ts_machines[1];

static const struct ts_op_field *field_of(const struct ts_op_field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

// Every bit of every field arrives in the field of the same name; a bit that means nothing stays one.
START_TEST(fields_arrive)
{
    unsigned opcodes = 0, absent = 0, other = 0;
    for (unsigned op = 0; op < 256; op++) {
        const uint32_t code = op << 24;
        const struct ts_op_field *there = ts_machine_fields(wormhole, (uint8_t)op);
        absent += ts_op_info[op].name && !there;
        if (!there) {
            if (ts_op_info[op].name)
                ck_assert_uint_eq(ts_machine_word(wormhole, code), 0xff000000u | op << 16);
            continue;
        }
        opcodes++;
        uint32_t used = 0;
        for (const struct ts_op_field *f = there; f->name; f++) {
            const struct ts_op_field *here = field_of(ts_op_info[op].fields, f->name);
            used |= ((1u << f->used) - 1) << f->shift;
            if (op == TS_OP_STALLWAIT || op == TS_OP_ZEROACC || op == TS_OP_SETC16 ||
                op == TS_OP_UNPACR_NOP || op == TS_OP_PACR_SETREG || here == NULL) {
                other++;
                continue;
            }
            for (unsigned bit = 0; bit < f->used; bit++) {
                const uint32_t word = ts_machine_word(wormhole, code | 1u << (f->shift + bit));
                const bool gone = strcmp(f->name, "instr_mod1") == 0 &&
                                  word == (0xff000001u | op << 16); // TS_MODES
                ck_assert_msg(gone || word == (code | 1u << (here->shift + bit)), "%s %s: 0x%08x",
                              ts_op_info[op].name, f->name, word);
            }
        }
        ck_assert_msg(op == TS_OP_UNPACR_NOP ||
                          (used ^ ts_machine_reserved(wormhole, (uint8_t)op)) == 0xffffff,
                      "%s", ts_op_info[op].name);
    }
    ck_assert_uint_eq(opcodes, 128);
    ck_assert_uint_eq(absent, 9);
    ck_assert_uint_eq(other, 17);
    ck_assert_uint_ne(
        ts_machine_word(wormhole, 0x26000000u | 1u << 10) & ts_op_hot[TS_OP_MVMUL].reserved, 0);
}
END_TEST

// What is more than a field that moves: Wormhole's text, and the text of the same word here; NULL: no word.
static const struct {
    const char *there, *here;
} words[] = {
    {"MVMUL clear_dvalid=1 addr_mode=3 dst=5", "MVMUL clear_dvalid=1 addr_mode=3 dst=5"},
    {"MOVB2D movb2d_instr_mod=7 dst=8", "MOVB2D movb2d_instr_mod=7 dst=8"},
    {"ZEROACC clear_mode=1 where=7", "ZEROACC clear_mode=1 where=7"},
    {"ZEROACC clear_mode=5 addr_mode=2", "ZEROACC clear_mode=1 use_32_bit_mode=1 addr_mode=2"},
    {"ZEROACC clear_mode=3", "ZEROACC clear_mode=3"},
    {"MOP mop_type=1 loop_count=3 zmask_lo16=9", "MOP mop_type=1"},
    {"MOP loop_count=3 zmask_lo16=9", "MOP loop_count=3 zmask_lo16=9"},
    {"STALLWAIT stall_res=64 wait_res=0x7f", "STALLWAIT stall_res=64 wait_res=15"},
    {"STALLWAIT wait_res=0x80", "STALLWAIT wait_res=16"},
    {"STALLWAIT wait_res=0xf00", "STALLWAIT wait_res=480"},
    {"STALLWAIT wait_res=0x1000", "STALLWAIT wait_res=512"},
    {"STALLWAIT wait_res=0x2000", "STALLWAIT wait_res=1024"},
    {"STALLWAIT wait_res=0x4000", "STALLWAIT wait_res=2048"},
    {"SETC16 setc16_reg=2 setc16_value=1", "SETC16 setc16_reg=68 setc16_value=1"},
    {"SETC16 setc16_reg=7 setc16_value=9", "SETC16 setc16_reg=12 setc16_value=9"},
    {"SETC16 setc16_reg=57", "SETC16 setc16_reg=255"},
    {"UNPACR_NOP unpacker_select=1 no_op=0", "UNPACR_NOP unpacker_select=1"},
    {"UNPACR_NOP no_op=1", "UNPACR_NOP unpack_pop=1"},
    {"UNPACR_NOP no_op=29",
     "UNPACR_NOP stall_clr_cntrl=1 bank_clr_ctrl=1 src_clr_val_ctrl=1 unpack_pop=1"},
    {"UNPACR_NOP no_op=2", "UNPACR_NOP unpack_pop=2"},
    {"UNPACR_NOP no_op=0x50013", "UNPACR_NOP stream_id=5 msg_clr_cnt=1 unpack_pop=3"},
    {"UNPACR_NOP no_op=7", "UNPACR_NOP set_dvalid=1 unpack_pop=2"},
    {"UNPACR_NOP no_op=4", NULL},
    {"UNPACR unpack_block_selection=1 set_dat_valid=1 last=1",
     "UNPACR unpack_block_selection=1 set_dat_valid=1 last=1"},
    {"UNPACR rareb_en=1", NULL},
    {"PACR addr_mode=2 read_intf_sel=15 last=1", "PACR addr_mode=2 read_intf_sel=15 last=1"},
    {"PACR_SETREG push=1", NULL},
    {"SFPSTORE lreg_ind=3 sfpu_addr_mode=3 dest_reg_addr=9",
     "SFPSTORE lreg_ind=3 sfpu_addr_mode=3 dest_reg_addr=9"},
    {"SFPMAD lreg_src_a=1 lreg_dest=2", "SFPMAD lreg_src_a=1 lreg_dest=2"},
    {"SFPMAD instr_mod1=12", "SFPMAD instr_mod1=12"},
    {"SFPMAD instr_mod1=1", NULL},
    {"SFPSHFT instr_mod1=2", NULL},
    {"SFPCAST instr_mod1=3", NULL},
};

START_TEST(words_are_rewritten)
{
    uint32_t word = 0;
    char why[160] = "", text[160];
    ck_assert_msg(ts_machine_assemble(wormhole, words[_i].there, &word, why, sizeof why), "%s",
                  why);
    const uint32_t to = ts_machine_word(wormhole, word);
    if (words[_i].here == NULL) {
        ck_assert_uint_eq(to, 0xff000001u | word >> 24 << 16);
        return;
    }
    ts_disasm_fields(to, text, sizeof text);
    ck_assert_str_eq(text, words[_i].here);
    if (strcmp(words[_i].there, words[_i].here) == 0) {
        ts_machine_disasm_fields(wormhole, word, text, sizeof text);
        ck_assert_str_eq(text, words[_i].there);
    }
}
END_TEST

START_TEST(absent_ones_have_no_text)
{
    uint32_t word;
    char why[160], text[80];
    ck_assert(!ts_machine_assemble(wormhole, "SFPARECIP", &word, why, sizeof why));
    ck_assert_str_eq(why, "Wormhole has no instruction SFPARECIP");
    ts_machine_disasm(wormhole, 0x99000000u, text, sizeof text);
    ck_assert_str_eq(text, ".ttinsn 0x99000000");
    ts_machine_disasm(wormhole, 0x26000000u | 3u << 15 | 5, text, sizeof text);
    ck_assert_str_eq(text, "ttmvmul 0,0,3,5");
}
END_TEST

// Every field of Wormhole's configuration has bits of its own, inside its words, and arrives there.
START_TEST(registers_arrive)
{
    static struct ts_cfg cfg;
    ts_cfg_init(&cfg, wormhole);
    static uint32_t taken[TS_CFG_ALL];
    for (unsigned i = 0; i < wormhole->cfg_count; i++) {
        const struct ts_machine_field *f = &wormhole->cfg[i];
        ck_assert(i == 0 || f->from >= f[-1].from);
        ck_assert_uint_lt(f->from, wormhole->cfg_words);
        ck_assert_uint_lt(f->to, TS_CFG_ALL);
        ck_assert_uint_le(f->from_shift + f->bits, 32);
        ck_assert_uint_le(f->to_shift + f->bits, 32);
        ck_assert_uint_eq(taken[f->to] & TS_FIELD_MASK(f->bits) << f->to_shift, 0);
        taken[f->to] |= TS_FIELD_MASK(f->bits) << f->to_shift;
        // Global words stay global, banked ones banked.
        const bool global = f->to >= TS_CFG_GLOBAL_BASE;
        ck_assert_msg(global == (f->from >= wormhole->cfg_global), "word %u", f->from);
        struct ts_cfg_change change[TS_CFG_CHANGES];
        const uint32_t value = TS_FIELD_MASK(f->bits) << f->from_shift;
        const unsigned count = ts_cfg_changes(&cfg, 1, f->from, value, change);
        unsigned k = 0;
        while (k < count && change[k].addr != f->to)
            k++;
        ck_assert_uint_lt(k, count);
        ck_assert_uint_eq(change[k].value >> f->to_shift & TS_FIELD_MASK(f->bits),
                          TS_FIELD_MASK(f->bits));
        ck_assert_uint_eq(ts_cfg_register(&cfg, 1, f->from), value);
        ck_assert_uint_eq(ts_cfg_register(&cfg, 0, f->from), global ? value : 0);
    }
    // What Wormhole does not have stays as it must be, also behind STATE_RESET_EN.
    ck_assert_uint_eq(TS_THD(cfg.thd[2], DISABLE_IMPLIED_SRCA_FMT_Base), 1);
    ts_cfg_write(&cfg, 1, TS_CFG_ADDR_STATE_RESET_EN, 0, true);
    ck_assert_uint_eq(TS_CFG(cfg.bank[1], THCON_SEC0_REG1_ovrd_default_throttle_mode), 1);
    ck_assert_uint_eq(ts_cfg_register(&cfg, 1, 52), 0);
    for (unsigned i = 0; i < wormhole->reset_count; i++)
        if (!wormhole->resets[i].thread)
            ck_assert_uint_eq(taken[wormhole->resets[i].addr] & 1u << wormhole->resets[i].shift, 0);
}
END_TEST

// Rules that the conformance files do not reach.
START_TEST(rules_are_asked)
{
    struct ts_frontend front = {.machine = wormhole};
    ck_assert_uint_eq(ts_frontend_mop_value(&front, 1, 0x185), 5);
    ck_assert_uint_eq(ts_frontend_mop_value(&front, 5, 0x26018000), 0x2600c000);
    front.machine = &ts_machines[0];
    ck_assert_uint_eq(ts_frontend_mop_value(&front, 1, 0x185), 0x185);

    // -2^-8 falls to the last bit of a sum near 2^15.
    const int32_t none[2] = {0, 0}, exponents[2] = {142, 0};
    struct ts_matrix_mode mode = {.dst32 = true};
    const uint32_t dst = 0x80000000u | 119u << 23;
    ck_assert_uint_eq(ts_matrix_accumulate(none, exponents, dst, &mode, NULL), dst);
    mode.minus_one = true;
    ck_assert_uint_eq(ts_matrix_accumulate(none, exponents, dst, &mode, NULL),
                      0x80000000u | 146u << 23);

    struct ts_bits bits = ts_bits_all(TS_BITS_SILICON);
    static struct ts_vector vector;
    struct ts_vector_insn insn;
    vector.bits = &bits;
    ck_assert(ts_vector_decode(0x84010200u, &insn)); // SFPMAD
    ck_assert_uint_ne(ts_vector_use(&vector, &insn).seen, 0);
    bits.machine = wormhole->rules;
    ck_assert_uint_eq(ts_vector_use(&vector, &insn).seen, 0);
    ck_assert_uint_ne(ts_vector_use(&vector, &insn).reads, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, fields_arrive);
    tcase_add_loop_test(tests, words_are_rewritten, 0, sizeof words / sizeof *words);
    tcase_add_test(tests, absent_ones_have_no_text);
    tcase_add_test(tests, registers_arrive);
    tcase_add_test(tests, rules_are_asked);
}

SUITE("machine", add_tests)
