// Which words end with "not implemented" (5) and which with a breach of the contract (4), and
// messages that name every operand.
#include "noc/atomics.h"
#include "noc/refusal.h"
#include "tests/suite.h"
#include "units/files/format.h"
#include "units/tensix.h"
#include "units/unpack/unpack.h"

#include <check.h>
#include <stdlib.h>

START_TEST(codes)
{
    uint32_t words[4] = {0}, result;
    // An unknown opcode, and the sum of floats; then a form that the documents exclude.
    ck_assert_int_eq(ts_noc_code(ts_noc_atomic(0xf000, 0, 0, words, &result)), TS_NOT_IMPLEMENTED);
    ck_assert_int_eq(ts_noc_code(ts_noc_atomic(0x6000, 0, 0, words, &result)), TS_CONTRACT);
    ck_assert_int_eq(ts_noc_code("nothing is mapped at that address"), TS_CONTRACT);
}
END_TEST

START_TEST(format_pairs)
{
    // The vendor's kernels unpack BFP4 and BFP2 as BFP8.
    struct ts_unpack_plan plan = {.in_format = TS_FMT_BFP4, .out_format = TS_FMT_BFP8};
    ck_assert_ptr_null(ts_unpack_check(&plan).what);
    plan = (struct ts_unpack_plan){.in_format = TS_FMT_BFP2A, .out_format = TS_FMT_BFP8A};
    ck_assert_ptr_null(ts_unpack_check(&plan).what);
    plan = (struct ts_unpack_plan){.in_format = TS_FMT_BFP4, .out_format = TS_FMT_BFP8A};
    ck_assert_uint_eq(ts_unpack_check(&plan).kind, TS_NOT_IMPLEMENTED);
    plan.zero = true;
    ck_assert_ptr_null(ts_unpack_check(&plan).what);
    plan = (struct ts_unpack_plan){.in_format = TS_FMT_RES12, .out_format = TS_FMT_RES12};
    ck_assert_uint_eq(ts_unpack_check(&plan).kind, TS_CONTRACT);
}
END_TEST

// Every opcode with every bit set fits, up to its last operand.
START_TEST(texts)
{
    for (unsigned op = 0; op < 256; op++) {
        char text[1000];
        struct ts_word in = {.word = op << 24 | 0xffffff, .op = (uint8_t)op, .thread = 2};
        int length = ts_disasm_fields(in.word, text, sizeof text);
        ck_assert_msg((size_t)length + 3 < sizeof ts_insn_text(in).text, "%s", text);
        ck_assert_str_eq(ts_insn_text(in).text + 3, text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, codes);
    tcase_add_test(tests, format_pairs);
    tcase_add_test(tests, texts);
}

SUITE("refusals", add_tests)
