// Units of measure: TFLOP/s at any clock, the vector unit's own roof, the chip's figures of a grid,
// DRAM in bytes a second.
#include "platform/chip/chip.h"
#include "platform/run/work.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static char output[1 << 14];

static void run(const char *arguments)
{
    char command[512];
    snprintf(command, sizeof command, "{ %s %s; } 2>&1 </dev/null", TENSIM_BINARY, arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    ck_assert_msg(pclose(pipe) == 0, "tensim %s: %s", arguments, output);
}

static const struct {
    const char *arguments, *text;
} rows[] = {
    // The peaks of the four fidelities at 1 GHz, and at the chip's own clock.
    {"matmul -F lofi -D chip.clock_mhz=1000", "% of 4.096 at this fidelity"},
    {"matmul -F hifi2 -D chip.clock_mhz=1000", "% of 2.048 at this fidelity"},
    {"matmul -F hifi3 -D chip.clock_mhz=1000", "% of 1.365 at this fidelity"},
    {"matmul -F hifi4 -D chip.clock_mhz=1000", "% of 1.024 at this fidelity"},
    {"matmul", "us at 1350 MHz"},
    {"matmul", "% of 5.530 at this fidelity"},
    {"run --load trisc0=$(dirname " TENSIM_BINARY
     ")/guest/matmul.unpack.elf -D chip.clock_mhz=1000 || true",
     "at 1 GHz)"},
    // The vector unit: 0.064 TFLOP/s at 1 GHz, a 64th of MVMUL.
    {"sfpu -O exp -D chip.clock_mhz=1000", "% of the vector unit's 0.0640 (an SFPMAD in every "
                                           "cycle, 1/64 of MVMUL)"},
    {"sfpu -O gelu", "vector unit: "},
    {"sfpu -O gelu -v", "%  vector unit\n"},
    {"sfpu -O copy", " elements a cycle\n"}, // no operation
    {"norm", "% of the vector unit's 0.0864"},
    {"transpose", " elements a cycle\n"},
    // A grid: the complete matrix, the chip's figures, then those of a tile.
    {"matmul --grid 2x2 -M 64 -N 64 -K 64",
     "matmul 64x64x64 bf16 lofi dst16 sub-block 1x1 over 2x2 "
     "tiles (32x32x64 each, l1/dram/l1, "},
    {"matmul --grid 2x2 -M 64 -N 64 -K 64", " TFLOP/s of 4 tiles, "},
    // An error that is no number is null: the tile's row is there.
    {"sfpu -O reciprocal --mean 0 --spread 0 -M 32 -N 32 -q --json - | tr -d '\\n'",
     "\"rel_l2\": null,   \"pcc\": 0.0,   \"end_to_end_rel_l2\": null,   \"result_hash\": "},
    // FLOP by opcode: ELWADD has no phases of fidelity, ELWMUL has.
    {"eltwise", "% of 0.173 at this fidelity"},
    {"eltwise -O mul -F hifi4", "% of 0.043 at this fidelity"},
    {"run binary -p op=add", "  0.00623 TFLOP/s, 3.6 % of 0.173 at this fidelity"},
    {"run eltwise", "  0.00398 TFLOP/s, 5.8 % of 0.069 at this fidelity"},
};

START_TEST(figures)
{
    run(rows[_i].arguments);
    ck_assert_msg(strstr(output, rows[_i].text) != NULL, "tensim %s: %s", rows[_i].arguments,
                  output);
}
END_TEST

START_TEST(the_chip_comes_first)
{
    run("matmul --grid 2x2 -M 64 -N 64 -K 64");
    const char *chip = strstr(output, "of 4 tiles"), *tile = strstr(output, "of a tile");
    ck_assert(chip != NULL && tile != NULL && chip < tile);
}
END_TEST

// An exponential is 10 FLOP an element: a product, three sums, three SFPMADs.
START_TEST(operations_are_counted)
{
    run("sfpu -O exp -M 32 -N 32 -q --json -");
    json_t *result = json_loads(output, 0, NULL);
    ck_assert_ptr_nonnull(result);
    const json_t *vector = json_object_get(result, "vector");
    ck_assert_int_eq(json_integer_value(json_object_get(vector, "flops")), 10 * 1024);
    ck_assert_int_eq(json_integer_value(json_object_get(vector, "lanes")), 32);
    ck_assert_int_eq(json_integer_value(json_object_get(result, "clock_mhz")), 1350);
    json_decref(result);
}
END_TEST

// 63.99 GB/s are 47.4 bytes a cycle at 1350 MHz, 63.99 at 1000.
START_TEST(dram_keeps_its_seconds)
{
    struct ts_dram dram = {0};
    struct ts_dram_params params = {.bandwidth = 63990, .size = 1};
    ck_assert(ts_dram_init(&dram, &params, 1, 1350));
    ck_assert_uint_eq(dram.rate, 47400);
    ts_dram_free(&dram);
    ck_assert(ts_dram_init(&dram, &params, 1, 1000));
    ck_assert_uint_eq(dram.rate, 63990);
    ts_dram_free(&dram);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, figures, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(tests, the_chip_comes_first);
    tcase_add_test(tests, operations_are_counted);
    tcase_add_test(tests, dram_keeps_its_seconds);
}
SUITE("measure", add_tests)
