// The opcode table: completeness, encodings and the words in the seeds' output.
#include "tests/suite.h"
#include "units/isa/cfgregs.h"
#include "units/isa/opcodes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(table_has_all_opcodes)
{
    unsigned count = 0, per_unit[TS_UNIT_COUNT] = {0};
    for (unsigned code = 0; code < 256; code++) {
        const struct ts_op_info *op = &ts_op_info[code];
        const struct ts_op_hot *hot = &ts_op_hot[code];
        ck_assert_int_eq(op->name != NULL, hot->unit != TS_UNIT_NONE);
        if (!op->name)
            continue;
        count++;
        per_unit[op->unit]++;
        ck_assert_uint_eq(op->unit, hot->unit);
        ck_assert_uint_ne(hot->block, 0);
        // Fields are inside the 24 argument bits, do not overlap, and agree with the reserved mask.
        uint32_t seen = 0;
        for (const struct ts_op_field *f = op->fields; f->name; f++) {
            ck_assert_uint_le(f->used, f->width);
            ck_assert_uint_le(f->shift + f->width, 24);
            uint32_t mask = ((1u << f->used) - 1) << f->shift;
            ck_assert_uint_eq(seen & mask, 0);
            seen |= mask;
        }
        ck_assert_uint_eq(seen, 0xffffffu & ~hot->reserved);
        ck_assert_int_eq(op->doc == TS_DOC_NONE, op->status == TS_STATUS_NONE);
    }
    ck_assert_uint_eq(count, 137);
    ck_assert_uint_eq(per_unit[TS_UNIT_SYNC], 8);
    ck_assert_uint_eq(per_unit[TS_UNIT_CFG], 9);
    ck_assert_uint_eq(per_unit[TS_UNIT_VECTOR], 42);
}
END_TEST

// Words printed in the seeds: 001 sections 4.3, 4.4 and 5.4 (inline), 003 (plain).
static const struct {
    uint32_t word;
    bool is_inline;
    const char *text;
} printed[] = {
    {0x98000000, true, "ttmvmul 0,0,0,0"},
    {0x98010000, true, "ttmvmul 0,0,1,0"},
    {0x98020000, true, "ttmvmul 0,0,2,0"},
    {0x98040000, true, "ttmvmul 0,0,4,0"},
    {0x98050000, true, "ttmvmul 0,0,5,0"},
    {0xdc00003c, true, "ttsetrwc 0,0,0,0,0,15"},
    {0x4600002d, true, "ttsetadcxy 4,0,0,0,0,11"},
    {0x5200003d, true, "ttsetadczw 4,0,0,0,0,15"},
    {0x10184000, false, "ttzeroacc 3,0,0,1,0"},
    {0x3700000f, false, "ttsetrwc 0,0,0,0,0,15"},
    {0x02000000, false, "ttnop"},
    {0xff123456, false, ".ttinsn 0xff123456"},
};

START_TEST(seed_words_disassemble)
{
    uint32_t word = printed[_i].word;
    if (printed[_i].is_inline) {
        ck_assert_uint_ne(word & 3, 3);
        word = ts_inline_to_word(word);
        ck_assert_uint_eq(ts_word_to_inline(word), printed[_i].word);
    }
    char text[128];
    int n = ts_disasm(word, text, sizeof text);
    ck_assert_str_eq(text, printed[_i].text);
    ck_assert_int_eq(n, (int)strlen(text));
    // A short buffer is truncated, never overrun, and the length is still returned.
    char few[5] = {'x', 'x', 'x', 'x', 'x'};
    ck_assert_int_eq(ts_disasm(word, few, 4), n);
    ck_assert_int_eq(few[4], 'x');
    ck_assert_int_eq(strncmp(few, text, 3), 0);
}
END_TEST

START_TEST(arguments_decode)
{
    struct ts_args_MVMUL m = ts_decode_MVMUL(0x26000000 | 2u << 22 | 1u << 19 | 5u << 14 | 0x123);
    ck_assert_uint_eq(m.clear_dvalid, 2);
    ck_assert_uint_eq(m.instr_mod19, 1);
    ck_assert_uint_eq(m.addr_mode, 5);
    ck_assert_uint_eq(m.dst, 0x123);
    // Wormhole's wider fields are reserved on Blackhole.
    ck_assert_uint_eq(ts_op_hot[TS_OP_MVMUL].reserved, 3u << 20 | 3u << 17 | 0xfu << 10);

    struct ts_args_SETADCXY a = ts_decode_SETADCXY(0x51000000 | 4u << 21 | 2u << 18 | 7u << 15 | 8);
    ck_assert_uint_eq(a.cnt_set_mask, 4);
    ck_assert_uint_eq(a.thread_override, 2);
    ck_assert_uint_eq(a.ch1_y, 7);
    ck_assert_uint_eq(a.bit_mask, 8);

    struct ts_args_STALLWAIT s = ts_decode_STALLWAIT(0xa2000000 | 0x1ffu << 15 | 0xc1f);
    ck_assert_uint_eq(s.stall_res, 0x1ff);
    ck_assert_uint_eq(s.wait_res, 0xc1f);

    char text[128];
    ts_disasm_fields(0x26000000 | 1u << 10, text, sizeof text);
    ck_assert_str_eq(text, "MVMUL reserved=0x400");
}
END_TEST

START_TEST(cfg_fields_read)
{
    uint32_t words[TS_CFG_ALL] = {0};
    words[90] = 0xc0001234;
    ck_assert_uint_eq(TS_CFG(words, THCON_SEC0_REG6_Buffer_size), 0x1234);
    ck_assert_uint_eq(TS_CFG(words, THCON_SEC0_REG6_Transfer_direction), 3);
    words[209] = 0xdeadbeef;
    ck_assert_uint_eq(TS_CFG(words, SCRATCH_SEC0_val), 0xdeadbeef);
    uint16_t thd[TS_THD_ALL] = {0};
    thd[32] = 0xbfff;
    ck_assert_uint_eq(TS_THD(thd, ADDR_MOD_DST_SEC4_DestIncr), 0x3ff);
    ck_assert_uint_eq(TS_THD(thd, ADDR_MOD_DST_SEC4_FidelityIncr), 1);
    ck_assert_uint_eq(TS_THD(thd, ADDR_MOD_DST_SEC4_FidelityClear), 1);
    ts_cfg_reg_masks(words);
    ck_assert_uint_eq(words[0], 0x7fff);
    ck_assert_uint_eq(words[209], UINT32_MAX);
    unsigned own = 0;
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        ck_assert_uint_lt(f->addr, f->thread ? TS_THD_ALL : TS_CFG_ALL);
        own += f->own;
        ck_assert_uint_le(f->shift + f->bits, f->thread ? 16 : 32);
    }
    ck_assert_uint_eq(ts_cfg_field_count - own, 820);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, table_has_all_opcodes);
    tcase_add_loop_test(tests, seed_words_disassemble, 0, sizeof printed / sizeof *printed);
    tcase_add_test(tests, arguments_decode);
    tcase_add_test(tests, cfg_fields_read);
}

SUITE("tensix ops", add_tests)
