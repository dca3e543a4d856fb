// The keyed checksum of checkpoints: SipHash-2-4, its published values, in one piece and in parts.
#include "platform/save/seal.h"
#include "tests/suite.h"

#include <string.h>

// Key 00 01 .. 0f, message 00 01 .. of this length.
static const struct {
    unsigned length;
    uint64_t value;
} published[] = {{0, UINT64_C(0x726fdb47dd0e0e31)},
                 {1, UINT64_C(0x74f839c593dc67fd)},
                 {8, UINT64_C(0x93f5f5799a932462)},
                 {15, UINT64_C(0xa129ca6149be45e5)}};

START_TEST(as_published)
{
    unsigned char key[16], message[64];
    for (unsigned i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)i;
    for (unsigned i = 0; i < 16; i++)
        key[i] = (unsigned char)i;
    for (unsigned part = 1; part < 16; part++) {
        struct ts_seal seal;
        ts_seal_begin(&seal, key);
        for (unsigned at = 0; at < published[_i].length; at += part)
            ts_seal_add(&seal, message + at,
                        published[_i].length - at < part ? published[_i].length - at : part);
        ck_assert_uint_eq(ts_seal_end(&seal), published[_i].value);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, as_published, 0, (int)(sizeof published / sizeof *published));
}

SUITE("seal", add_tests)
