// Conformance vectors that need cores, front ends and control units only.
#include "platform/tile/coprocessor.h"
#include "platform/tile/vector.h"

#include <check.h>
#include <stdlib.h>

// sem_riscv is not here: two cores share data in L1 through the non-coherent L0 caches, which the
// vector runner has to turn off.
static const struct {
    const char *name;
    int cases;
} families[] = {
    {"brisc_push", 3}, {"cfg_wr_rmw", 6}, {"mop_template0", 6}, {"mop_template1", 6},
    {"mutex", 3},      {"replay", 6},     {"sem_3thread", 6},   {"thcon_gpr", 6},
};

START_TEST(vectors_pass)
{
    const char *family = families[_i].name;
    for (int i = 0; i < families[_i].cases; i++) {
        char path[300];
        snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/tests/vectors/%s_%d.ttv", family, i);
        struct ts_vector_file vector;
        struct ts_error error = {0};
        ck_assert_msg(ts_vector_read(&vector, path, &error), "%s", error.text);
        struct ts_vector_options options = {.tile = ts_tile_config_default(),
                                            .furnish = ts_coprocessor_furnish};
        struct ts_vector_result result;
        ts_vector_run(&vector, &options, &result);
        ck_assert_msg(result.pass, "%s_%d: %s", family, i, result.text);
        ts_vector_free(&vector);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("control vectors");
    TCase *tc = tcase_create("vectors");
    tcase_add_loop_test(tc, vectors_pass, 0, sizeof families / sizeof *families);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
