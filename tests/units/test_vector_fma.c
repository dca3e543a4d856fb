// The multiply-add: golden cases of the vendor's model, and the 32-lane forms against the one-lane
// form on random data of every kind.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/vector/body.h"

// x, y, z, x * y + z. Data from tenstorrent/ttsim's model of the Blackhole multiply-add.
static const uint32_t golden[][4] = {
    {0x3F800000u, 0x3F800000u, 0x3F800000u, 0x40000000u},
    {0x3F800001u, 0x3F800001u, 0x00000000u, 0x3F800002u},
    {0x3F800001u, 0x3F800001u, 0x80000000u, 0x3F800002u},
    {0x3F800001u, 0x3F800001u, 0xBF800002u, 0x32800000u},
    {0x3F800001u, 0x3F800001u, 0xBF800001u, 0x34100000u},
    {0x3FFFFFFFu, 0x3FFFFFFFu, 0xC07FFFFFu, 0xB4600000u},
    {0x3FFFFFFFu, 0x3FFFFFFFu, 0x33000000u, 0x407FFFFEu},
    {0x3FFFFFFFu, 0x3FFFFFFFu, 0x32800000u, 0x407FFFFEu},
    {0x3FFFFFFFu, 0x3F800001u, 0x35000001u, 0x40000002u},
    {0x3F8FFFFFu, 0x3F9FFFFFu, 0x37654321u, 0x3FB40070u},
    {0x3F8FFFFFu, 0x3F9FFFFFu, 0xB7654321u, 0x3FB3FF8Bu},
    {0x00000001u, 0x3F800000u, 0x00000001u, 0x00000000u},
    {0x80000001u, 0x3F800000u, 0x80000000u, 0x80000000u},
    {0x00800000u, 0x3F000000u, 0x00000000u, 0x00000000u},
    {0x80800000u, 0x3F000000u, 0x00000000u, 0x80000000u},
    {0x80800000u, 0x3F000000u, 0x80000000u, 0x80000000u},
    {0x80800000u, 0x3E800000u, 0x00000000u, 0x00000000u},
    {0x80800000u, 0x3E800000u, 0x80000000u, 0x80000000u},
    {0x00FFFFFFu, 0x3F000000u, 0x00000000u, 0x00800000u},
    {0x80FFFFFFu, 0x3F000001u, 0x00000000u, 0x80800000u},
    {0x00FFFFFEu, 0x3F000000u, 0x00000000u, 0x00000000u},
    {0x1FFFFFFFu, 0x1FFFFFFFu, 0x00000000u, 0x00000000u},
    {0x20000000u, 0x1F800000u, 0x80000000u, 0x00000000u},
    {0x20000000u, 0x20000000u, 0x00000000u, 0x00800000u},
    {0x7F000000u, 0x40000000u, 0x00000000u, 0x7F800000u},
    {0x7F7FFFFFu, 0x3F800001u, 0x00000000u, 0x7F800000u},
    {0x7F7FFFFFu, 0x3F800000u, 0x73000000u, 0x7F800000u},
    {0x7F7FFFFFu, 0x3F800000u, 0x72FFFFFFu, 0x7F7FFFFFu},
    {0x7F7FFFFFu, 0x40000000u, 0xFF7FFFFFu, 0x7F800000u},
    {0x7F7FFFFFu, 0x40000000u, 0xFF800000u, 0xFF800000u},
    {0x7F800000u, 0x3F800000u, 0xFF800000u, 0x7FC00000u},
    {0x7F800000u, 0x00000000u, 0x00000000u, 0x7FC00000u},
    {0x7F800000u, 0x00000001u, 0x00000000u, 0x7FC00000u},
    {0x7F800000u, 0x80000000u, 0x3F800000u, 0x7FC00000u},
    {0x7F800000u, 0xBF800000u, 0x3F800000u, 0xFF800000u},
    {0x7FC00001u, 0x3F800000u, 0x00000000u, 0x7FC00000u},
    {0x3F800000u, 0x3F800000u, 0xFFC12345u, 0x7FC00000u},
    {0x3F800000u, 0x3F800000u, 0xFF800000u, 0xFF800000u},
    {0x3F800000u, 0x00000000u, 0x80000000u, 0x00000000u},
    {0xBF800000u, 0x00000000u, 0x80000000u, 0x80000000u},
    {0xBF800000u, 0x00000000u, 0x00000000u, 0x00000000u},
    {0x3F800000u, 0xBF800000u, 0x3F800000u, 0x00000000u},
    {0x4B800000u, 0x3F800000u, 0x3F000000u, 0x4B800000u},
    {0x4B800000u, 0x3F800000u, 0x3F000001u, 0x4B800000u},
    {0x4B800001u, 0x3F800000u, 0x3F800000u, 0x4B800002u},
    {0x4B800000u, 0x3F800000u, 0xBF000000u, 0x4B800000u},
    {0x4B800000u, 0x3F800000u, 0xBE800000u, 0x4B800000u},
    {0x4B800000u, 0x3F800000u, 0xBE800001u, 0x4B800000u},
    {0x00800000u, 0x3F800000u, 0x80800001u, 0x80000000u},
    {0x00800001u, 0x3F800000u, 0x80800000u, 0x00000000u},
    {0x01000000u, 0x3F800000u, 0x80FFFFFFu, 0x00000000u},
    {0x00C00001u, 0x3F7FFFFFu, 0x80800000u, 0x00000000u},
    {0x00A00001u, 0x3F7FFFFDu, 0x81000000u, 0x80000000u},
    {0x20000000u, 0x1F7FFFFFu, 0x01000000u, 0x01000000u},
    {0x9FFFFFFFu, 0x1FFFFFFFu, 0x01000000u, 0x01000000u},
    {0x3EAAAAABu, 0x40400000u, 0xBF800000u, 0x33000000u},
    {0x3DCCCCCDu, 0x41200000u, 0xBF800000u, 0x32800000u},
    {0x40490FDBu, 0x3EA2F983u, 0xBF800000u, 0xB2800000u},
    {0xC2F6E979u, 0x3A83126Fu, 0x3DFCAC08u, 0xB8A9E380u},
};

START_TEST(golden_cases)
{
    for (unsigned n = 0; n < sizeof golden / sizeof golden[0]; n++) {
        const uint32_t *g = golden[n];
        TS_LANE_ARRAY(x);
        TS_LANE_ARRAY(y);
        TS_LANE_ARRAY(z);
        TS_LANE_ARRAY(d);
        for (TS_EACH_LANE) {
            x[l] = g[0];
            y[l] = g[1];
            z[l] = g[2];
        }
        ts_vector_fma_lanes(x, y, z, d);
        ck_assert_uint_eq(ts_vector_fma(g[0], g[1], g[2]), g[3]);
        ck_assert_uint_eq(d[7], g[3]);
    }
}
END_TEST

enum { KINDS = 8 };

// Bit patterns, ordinary numbers, edges, tiny and huge ones.
static uint32_t number(uint64_t *seed, unsigned kind)
{
    uint32_t r = rig_random(seed), sign = r & TS_SIGN, man = rig_random(seed) & 0x7FFFFFu;
    uint32_t pick = rig_random(seed);
    switch (kind) {
    case 0:
        return r;
    case 1:
        return sign | (121 + pick % 13) << 23 | man;
    case 2: {
        static const uint32_t edges[] = {0,           1,           0x007FFFFFu, 0x00800000u,
                                         0x00800001u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u,
                                         0x7F7FFFFFu, 0x7F800000u, 0x7F800001u, 0x7FC00000u};
        return sign | edges[pick % 12];
    }
    case 3:
        return sign | (1 + pick % 20) << 23 | man;
    case 4:
        return sign | (240 + pick % 15) << 23 | man;
    case 5:
        return sign | (60 + pick % 8) << 23 | (man | 0x7FFF00u);
    case 6:
        return sign | (110 + pick % 30) << 23 | (1u << pick % 23);
    default:
        return sign | (63 + pick % 3) << 23 | man;
    }
}

START_TEST(lanes_agree)
{
    uint64_t seed = 88172645463325252u;
    for (unsigned n = 0; n < 60000; n++) {
        TS_LANE_ARRAY(x);
        TS_LANE_ARRAY(y);
        TS_LANE_ARRAY(z);
        TS_LANE_ARRAY(d);
        TS_LANE_ARRAY(sum);
        TS_LANE_ARRAY(product);
        // Lanes of one kind, or the special ones would send all to the one-lane form.
        unsigned kx = n % KINDS, ky = n / KINDS % KINDS, kz = n / KINDS / KINDS % KINDS;
        uint32_t zero = n & 1 ? TS_SIGN : 0;
        for (TS_EACH_LANE) {
            x[l] = number(&seed, kx);
            y[l] = number(&seed, ky);
            z[l] = number(&seed, kz);
            if (n % 5 == 0) // cancellation
                z[l] = (ts_vector_fma(x[l], y[l], 0) ^ TS_SIGN) + l % 3 - 1;
        }
        ts_vector_fma_lanes(x, y, z, d);
        ts_vector_add_lanes(x, z, sum);
        ts_vector_mul_lanes(x, y, zero, product);
        for (TS_EACH_LANE) {
            bool right = d[l] == ts_vector_fma(x[l], y[l], z[l]) &&
                         sum[l] == ts_vector_fma(x[l], TS_FP32_ONE, z[l]) &&
                         product[l] == ts_vector_fma(x[l], y[l], zero);
            if (!right)
                ck_abort_msg("x %08x y %08x z %08x: mad %08x add %08x mul %08x", x[l], y[l], z[l],
                             d[l], sum[l], product[l]);
        }
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, golden_cases);
    tcase_add_test(tcase, lanes_agree);
}

SUITE("vector_fma", add_tests)
