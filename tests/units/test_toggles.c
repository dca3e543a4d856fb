// Toggles of MVMULs' operands, by hand: words that are known, so bits that are known.
#include "tests/suite.h"
#include "units/matrix/mul.h"
#include "units/matrix/toggles.h"

#include <string.h>

static struct ts_src_bank a, b;
static uint16_t hi[8][16], lo[8][16];

static void fill(struct ts_src_bank *bank, unsigned block, uint32_t word)
{
    for (unsigned row = 8 * block; row < 8 * block + 8; row++)
        for (unsigned col = 0; col < 16; col++)
            bank->w[row][col] = word;
}

// One MVMUL after the other: blocks of SrcA and SrcB, the words of Dst, and the bits that toggle.
static const struct step {
    unsigned a0, b0;
    uint16_t hi, lo;
    bool dst32;
    uint64_t a, b, dst;
} steps[] = {
    // blocks 0 and 1 of SrcA have 1 and 2 bits, block 0 of SrcB 3: from zero
    {0, 0, 0, 0, true, 128 * (1 + 2), 128 * 3, 0},
    // the same operands: nothing toggles
    {0, 0, 0, 0, true, 0, 0, 0},
    // Dst has 4 + 8 bits; the low half does not count with 16 bits
    {0, 0, 0x0F00, 0x00FF, true, 0, 0, 128 * (4 + 8)},
    {0, 0, 0x0001, 0xFFFF, false, 0, 0, 128 * 5},
    // blocks 1 and 2: block 2 is zero. SrcB's block 7 has its 19 bits set
    {1, 7, 0x0001, 0xFFFF, false, 128 * (3 + 2), 128 * 16, 0},
    // blocks 7 and 0: SrcA wraps; block 7 has the bits of block 0
    {7, 7, 0x0001, 0xFFFF, false, 128 * (3 + 1), 0, 0},
};

START_TEST(test_by_hand)
{
    struct ts_toggles toggles = {0};
    fill(&a, 0, 1u << 13);
    fill(&a, 1, 3u << 22);
    fill(&a, 7, 1u << 13);
    fill(&b, 0, 7u << 29);
    fill(&b, 7, UINT32_MAX << 13);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct step *step = &steps[i];
        const struct ts_mul_rows rows = {.hi = {hi[0], hi[4]}, .lo = {lo[0], lo[4]}};
        const struct ts_toggles before = toggles;
        for (unsigned n = 0; n < 128; n++)
            hi[n / 16][n % 16] = step->hi, lo[n / 16][n % 16] = step->lo;
        ts_toggles_count(&toggles, &a, &b, step->a0, step->b0, &rows, step->dst32);
        ck_assert_msg(toggles.a - before.a == step->a && toggles.b - before.b == step->b &&
                          toggles.dst - before.dst == step->dst,
                      "step %u: %u, %u and %u bits", i, (unsigned)(toggles.a - before.a),
                      (unsigned)(toggles.b - before.b), (unsigned)(toggles.dst - before.dst));
    }
    ck_assert_uint_eq(toggles.mvmuls, sizeof steps / sizeof *steps);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_by_hand);
}

SUITE("toggles", add_tests)
