// Tiles against each other: the slowest, the median and the fastest, why, and who has more work; what is polled by the names of
// the program file.
#include "platform/base/json.h"
#include "platform/lib/inside.h"
#include "tests/suite.h"

#include <string.h>

static struct tensim *run(const char *const *settings, size_t count, const char *program)
{
    char path[400];
    struct tensim_error error = {0};
    snprintf(path, sizeof path, "%s/config/programs/%s/program.yaml", TENSIM_SOURCE_DIR, program);
    struct tensim *sim = tensim_new_program(path, settings, count, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, 10000000, &error) == TENSIM_OK, "%s", error.text);
    return sim;
}

// 15 tiles over 8 cores.
START_TEST(work_that_differs_is_named)
{
    static const char *const settings[] = {"rows=160", "columns=96", "cores=4x2"};
    struct tensim *sim = run(settings, 3, "eltwise");
    json_t *row = ts_ranking_json(sim->work);
    const json_t *slowest = json_object_get(row, "slowest"),
                 *median = json_object_get(row, "median"),
                 *fastest = json_object_get(row, "fastest");
    ck_assert_uint_eq(sim->work->made, 8);
    ck_assert_str_eq(ts_json_text(row, "work"), "7 of 8 cores have 2 blocks of work, the others 1");
    ck_assert(ts_json_integer(slowest, "cycles") > ts_json_integer(median, "cycles"));
    ck_assert(ts_json_integer(median, "cycles") > ts_json_integer(fastest, "cycles"));
    ck_assert_msg(strstr(ts_json_text(row, "cause"), "cycles more than the median"), "%s",
                  ts_json_text(row, "cause"));
    ck_assert(strchr(ts_json_text(slowest, "tile"), '-') != NULL);
    ck_assert(ts_json_number(slowest, "behind_percent") > 0.5);
    json_decref(row);
    tensim_free(sim);
}
END_TEST

START_TEST(the_same_work_is_not_named)
{
    static const char *const settings[] = {"rows=128", "columns=64", "cores=4x2"};
    struct tensim *sim = run(settings, 3, "eltwise");
    json_t *row = ts_ranking_json(sim->work);
    ck_assert_ptr_null(json_object_get(row, "work"));
    json_decref(row);
    tensim_free(sim);
}
END_TEST

START_TEST(one_tile_has_no_rank)
{
    struct tensim *sim = run(NULL, 0, "transpose");
    ck_assert_ptr_null(ts_ranking_json(sim->work));
    tensim_free(sim);
}
END_TEST

// The accounts of the tiles add up to that of the run.
START_TEST(tiles_have_accounts_of_their_own)
{
    static const char *const settings[] = {"rows=160", "columns=96", "cores=4x2"};
    struct tensim *sim = run(settings, 3, "eltwise");
    int64_t reached = 0;
    for (uint32_t i = 0; i < 8; i++) {
        struct ts_loss_account *account = ts_loss_account_tile(sim->work, i);
        int64_t sum = account->reached;
        for (uint32_t k = 0; k < account->count; k++)
            sum += account->lines[k].cycles;
        ck_assert_int_eq(sum, account->all);
        reached += account->reached;
        ts_loss_account_free(account);
    }
    ck_assert_int_eq(reached, sim->work->loss->reached);
    tensim_free(sim);
}
END_TEST

START_TEST(semaphores_have_the_names_of_the_file)
{
    static const char *const settings[] = {"cores=2x2", "m=128", "n=128", "k=128"};
    struct tensim *sim = run(settings, 4, "matmul-2d");
    const struct ts_loss_account *loss = sim->work->loss;
    bool named = false;
    for (uint32_t i = 0; i < loss->count; i++) {
        named |= strncmp(loss->lines[i].object, "semaphore a_sent, polled by", 27) == 0;
        ck_assert_msg(strstr(loss->lines[i].object, "L1 word") == NULL, "%s",
                      loss->lines[i].object);
    }
    ck_assert(named);
    tensim_free(sim);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, work_that_differs_is_named);
    tcase_add_test(tests, the_same_work_is_not_named);
    tcase_add_test(tests, one_tile_has_no_rank);
    tcase_add_test(tests, tiles_have_accounts_of_their_own);
    tcase_add_test(tests, semaphores_have_the_names_of_the_file);
}
SUITE("ranking", add_tests)
