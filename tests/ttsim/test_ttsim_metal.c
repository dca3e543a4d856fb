// The host of metal_host.h: firmware boots on many cores, kernels run, one program after the other.
#include "tests/suite.h"
#include "tests/ttsim/metal_host.h"

START_TEST(boots_and_launches)
{
    uint32_t words[BYTES / 4];
    unsetenv("TENSIM_OPTIONS");
    card_open(&card);
    card.init();
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = i;
    card_write(&card, 18, 12, X, words, sizeof words);
    load_firmware(0x3ae0);
    wait_for_all(100);
    // One program after the other, the same firmware: all tiles write the same page.
    for (uint32_t turn = 0; turn < 2; turn++) {
        launch(turn, 1000);
        wait_for_all(1000);
        card_read(&card, 18, 12, Y, words, sizeof words);
        for (uint32_t i = 0; i < BYTES / 4; i++)
            ck_assert_uint_eq(words[i], turn ? 3 * i : i + 1000);
    }
    card.exit();
    dlclose(card.library);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, boots_and_launches);
}

SUITE("ttsim_metal", add_tests)
