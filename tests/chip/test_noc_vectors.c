// The NoC conformance vectors: real programs on two or three tiles of a whole chip.
#include "platform/chip/attach.h"
#include "platform/tile/vector.h"
#include "tests/chip/rig.h"

#include <stdio.h>

struct setting {
    struct ts_params params;
    struct ts_chip chip;
};

static bool connect(struct ts_tile *tiles, uint32_t count, void *context, struct ts_error *error)
{
    struct setting *self = context;
    struct ts_soc soc;
    struct ts_chip_domain given[TS_VECTOR_TILES];
    if (ts_soc_find(&soc, "p150", error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        given[i] = (struct ts_chip_domain){at(tiles[i].x, tiles[i].y), tiles[i].domain};
    struct ts_kernel *kernel = ts_domain_kernel(tiles[0].domain);
    if (ts_chip_init(&self->chip, kernel, &soc, &self->params, given, count, error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        ts_chip_attach(&self->chip, &tiles[i], at(tiles[i].x, tiles[i].y));
    return ts_chip_build(&self->chip, error) == TS_OK;
}

static void disconnect(void *context)
{
    struct setting *self = context;
    ts_chip_free(&self->chip);
    memset(&self->chip, 0, sizeof self->chip);
}

static const char *const names[] = {
    "atomic_brisc_0", "atomic_ncrisc_0", "mcast_brisc_0", "mcast_ncrisc_0",
    "read_brisc_0",   "read_ncrisc_0",   "write_brisc_0", "write_ncrisc_0",
};

START_TEST(test_vectors)
{
    static struct setting setting;
    static struct ts_vector vector;
    struct ts_error error = {TS_OK, ""};
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&setting.params);
    ck_assert_msg(ts_params_load(&setting.params, path, &error) == TS_OK, "%s", error.text);
    struct ts_vector_options options = {.tile = ts_tile_config_default(),
                                        .connect = connect,
                                        .disconnect = disconnect,
                                        .context = &setting};
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/tests/vectors/noc%u_%s.ttv", TENSIM_SOURCE_DIR, noc,
                     names[i]);
            struct ts_vector_result result;
            ck_assert_msg(ts_vector_read(&vector, path, &error), "%s", error.text);
            ts_vector_run(&vector, &options, &result);
            printf("  %s: %s, %llu cycles %s\n", vector.name, result.pass ? "pass" : "FAILED",
                   (unsigned long long)result.cycles, result.text);
            ck_assert_msg(result.pass, "%s: %s", vector.name, result.text);
            ts_vector_free(&vector);
        }
    ts_params_free(&setting.params);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("noc_vectors");
    TCase *tcase = tcase_create("vectors");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_vectors);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
