// A program of the build: writes the values of a YAML file as C initialisers, so that the library
// has them without a file and the numbers stand in one place.
//
//   gen-defaults config/blackhole.yaml    #define TS_RISCV_DEFAULTS .mispredict = 4, ...
//
// A number that is missing or out of range fails the build, with file and line.
#include "platform/base/params.h"

#include <ctype.h>

#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
static const struct ts_param chip_rows[] = {
#include "config/chip.def"
};
static const struct ts_param riscv_rows[] = {
#include "config/riscv_timing.def"
};
static const struct ts_param tensix_rows[] = {
#include "config/tensix_timing.def"
};
static const struct ts_param noc_rows[] = {
#include "config/noc.def"
};
static const struct ts_param dram_rows[] = {
#include "config/dram.def"
};
static const struct ts_param free_rows[] = {
#include "config/free.def"
};
#undef TS_PARAM

static void write_group(const struct ts_param_group *group)
{
    printf("#define TS_");
    for (const char *c = group->name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf("_DEFAULTS");
    for (size_t i = 0; i < group->count; i++)
        printf(" \\\n    .%s = %lld,", group->rows[i].key, (long long)group->values[i].value);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: gen-defaults FILE\n", stderr);
        return TS_USAGE;
    }
    struct ts_params params = {0};
    struct ts_error error = {0};
#define ADD(group) \
    ts_params_add(&params, #group, group##_rows, sizeof group##_rows / sizeof *group##_rows)
    ADD(chip);
    ADD(riscv);
    ADD(tensix);
    ADD(noc);
    ADD(dram);
    ADD(free);
    if (ts_params_load(&params, argv[1], &error) == TS_OK)
        for (size_t i = 0; i < params.count; i++)
            write_group(&params.groups[i]);
    else
        fprintf(stderr, "gen-defaults: %s\n", error.text);
    ts_params_free(&params);
    return (int)error.code;
}
