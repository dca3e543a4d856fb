// No dead parameter: changing any of them changes the result of some run. A parameter without a row
// here fails the test, and so does one whose run does not change.
#include "noc/dram.h"
#include "tests/study/silicon/rows.h"
#include "tests/suite.h"
#include "tests/tile/probe.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OP(op)                 ((uint32_t)(op) << 24)
#define SETDMAREG(half, value) (OP(TS_OP_SETDMAREG) | (uint32_t)(value) << 8 | (half))
#define WRCFG(gpr, reg)        (OP(TS_OP_WRCFG) | (uint32_t)(gpr) << 16 | (reg))
#define WAIT(condition)        (OP(TS_OP_STALLWAIT) | 0x1ffu << 15 | (condition))
#define WAIT_SCALAR            WAIT(1)
#define WAIT_MATRIX            WAIT(1 << 4)
#define WAIT_MOVER             WAIT(1 << 9)

// ---- runs: words of the coprocessor on T1, from the first word until they have drained

static const uint32_t LOAD[] = {SETDMAREG(0, 0x3000), SETDMAREG(2, 0),
                                OP(TS_OP_LOADIND) | 1u << 22 | 2u << 14 | 12 << 6, WAIT_SCALAR};
static const uint32_t STORE[] = {SETDMAREG(0, 0x3000), SETDMAREG(2, 0),
                                 OP(TS_OP_STOREIND) | 1u << 23 | 1u << 21 | 2u << 14 | 12 << 6,
                                 WAIT_SCALAR};
static const uint32_t COUNT_UP[] = {SETDMAREG(0, 0x3000), OP(TS_OP_ATINCGET) | 31u << 14 | 3 << 6,
                                    OP(TS_OP_ATINCGET) | 31u << 14 | 3 << 6, WAIT_SCALAR};
static const uint32_t SWAP[] = {SETDMAREG(0, 0x3000), OP(TS_OP_ATSWAP) | 0xffu << 14 | 8 << 6,
                                WAIT_SCALAR};
static const uint32_t CAS[] = {SETDMAREG(0, 0x3000), OP(TS_OP_ATCAS) | 2u << 18, WAIT_SCALAR};
static const uint32_t FLOP[] = {OP(TS_OP_REG2FLOP) | 1u << 22 | 12u << 6,
                                OP(TS_OP_REG2FLOP) | 1u << 22 | 12u << 6, WAIT_SCALAR};
static const uint32_t FLUSH[] = {OP(TS_OP_FLUSHDMA) | 1, OP(TS_OP_FLUSHDMA) | 1, WAIT_SCALAR};
#define MOVE(mode)                                                                            \
    SETDMAREG(0, 0x3000), SETDMAREG(2, 0x3400), SETDMAREG(4, 20), SETDMAREG(5, (mode) << 14), \
        WAIT_SCALAR, WRCFG(0, 88), WRCFG(1, 89), WRCFG(2, 90), OP(TS_OP_NOP), OP(TS_OP_NOP),  \
        OP(TS_OP_XMOV), WAIT_MOVER, SETDMAREG(0, 1)
static const uint32_t COPY[] = {MOVE(3)};
static const uint32_t FILL[] = {MOVE(0)};
static const uint32_t UNPACK_NOP[] = {OP(TS_OP_UNPACR_NOP) | 2, OP(TS_OP_UNPACR_NOP) | 2,
                                      WAIT(1 << 1)};
static const uint32_t SHORT[] = {OP(TS_OP_SETRWC), WAIT_MATRIX};
static const uint32_t BACK[] = {OP(TS_OP_SETDVALID) | 3, OP(TS_OP_MOVD2A), WAIT_MATRIX};
static const uint32_t SHIFT[] = {OP(TS_OP_SETDVALID) | 3, OP(TS_OP_SHIFTXB), OP(TS_OP_SHIFTXB),
                                 WAIT_MATRIX};

static double words(struct probe *probe, const uint32_t *list, size_t count)
{
    struct ts_rvasm *p = &probe->p[1];
    begin(p);
    lw(p, A2, S0, 0x1f0);
    for (size_t i = 0; i < count; i++)
        inline_word(p, list[i]);
    wait_for_drain(p);
    finish(p, 1);
    return probe_run(probe, 1, 1);
}

// ---- runs: instructions of the cores

static double divide(struct probe *probe)
{
    struct ts_rvasm *p = &probe->p[1];
    begin(p);
    li(p, A4, 0xfffff); // 20 bits
    li(p, A5, 3);
    lw(p, A2, S0, 0x1f0);
    ts_rvasm(p, TS_RV_DIVU, A4, A4, A5, 0);
    addi(p, A4, A4, 0);
    finish(p, 1);
    return probe_run(probe, 1, 1);
}

static double read_gpr(struct probe *probe)
{
    struct ts_rvasm *p = &probe->p[1];
    begin(p);
    li(p, A4, 0xffe00000);
    lw(p, A2, S0, 0x1f0);
    lw(p, A5, A4, 0);
    addi(p, A5, A5, 0);
    finish(p, 1);
    return probe_run(probe, 1, 1);
}

// Atomics of all three TRISCs on one word.
static double atomics(struct probe *probe)
{
    for (unsigned t = 0; t < 3; t++) {
        struct ts_rvasm *p = &probe->p[t];
        begin(p);
        li(p, A4, 0x30000);
        lw(p, A2, S0, 0x1f0);
        for (unsigned i = 0; i < 4; i++)
            ts_rvasm(p, TS_RV_AMOADD, A5, A4, ZERO, 0);
        addi(p, A5, A5, 0);
        finish(p, t);
    }
    return probe_run(probe, 0, 3);
}

// Straight code with the prefetcher off.
static double unfetched(struct probe *probe)
{
    struct ts_rvasm *p = &probe->p[1];
    begin(p);
    addi(p, T0, ZERO, 1 << 2);
    ts_rvasm(p, TS_RV_CSRRS, 0, T0, 0, CSR_CFG0);
    lw(p, A2, S0, 0x1f0);
    for (unsigned i = 0; i < 64; i++)
        addi(p, ZERO, ZERO, 0);
    finish(p, 1);
    return probe_run(probe, 1, 1);
}

// From the first instructions until local RAM answers.
static double local_ram(struct probe *probe)
{
    struct ts_rvasm *p = &probe->p[1];
    begin(p);
    li(p, A4, 0xffb00000);
    lw(p, A2, S0, 0x1f0);
    lw(p, A5, A4, 0);
    addi(p, A5, A5, 0);
    finish(p, 1);
    return probe_run(probe, 1, 1);
}

// T1 sends a word late; T2 waits for it.
static double mailbox(struct probe *probe)
{
    struct ts_rvasm *p = &probe->p[1], *q = &probe->p[2];
    begin(p);
    li(p, A4, 0xffec3000);
    lw(p, A2, S0, 0x1f0);
    for (unsigned i = 0; i < 64; i++)
        addi(p, ZERO, ZERO, 0);
    sw(p, A4, A4, 0);
    finish(p, 1);
    begin(q);
    li(q, A4, 0xffec2000);
    lw(q, A2, S0, 0x1f0);
    lw(q, A5, A4, 0);
    addi(q, A5, A5, 0);
    finish(q, 2);
    double cycles[3];
    probe_run_each(probe, 1, 2, cycles);
    return cycles[2];
}

// ---- runs: networks and DRAM

static double last_page(struct probe *probe)
{
    struct ts_dram dram = {0};
    struct ts_dram_params params;
    TS_PARAMS_FILL(probe->context->params, "dram", &params);
    ck_assert(ts_dram_init(&dram, &params, 1, 1350));
    double outside = ts_dram_check(&dram, UINT64_C(0xfffff000), 4096) != NULL;
    ts_dram_free(&dram);
    return outside;
}

// ---- which run shows which parameter

static const struct shown {
    const char *key;
    int64_t value; // tried instead
    // A row of the truth table, a program, words, or a command of the CLI.
    const char *row;
    double (*program)(struct probe *probe);
    const uint32_t *words;
    size_t count;
    const char *command;
    const char *host; // or a test whose host program tries it
} table[] = {
#define BY_ROW(key, value, id)         {key, value, id, NULL, NULL, 0, NULL, NULL},
#define BY_PROGRAM(key, value, name)   {key, value, NULL, name, NULL, 0, NULL, NULL},
#define BY_WORDS(key, value, list)     {key, value, NULL, NULL, list, sizeof list / 4, NULL, NULL},
#define BY_COMMAND(key, value, string) {key, value, NULL, NULL, NULL, 0, string, NULL},
#define BY_HOST(key, path)             {key, 0, NULL, NULL, NULL, 0, NULL, TENSIM_SOURCE_DIR path},
#include "tests/study/silicon/parameters.def"
};
enum { SHOWN = sizeof table / sizeof *table };

static double run_row(const struct ts_silicon_context *context, const char *id)
{
    size_t count;
    double figure = NAN;
    struct ts_silicon_result *all = ts_silicon_select(NULL, false, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].row->id, id) == 0) {
            ts_silicon_run_one(&all[i], context);
            ck_assert_msg(all[i].failure.code == TS_OK, "%s: %s", id, all[i].failure.text);
            figure = 0;
            for (unsigned k = 0; k <= all[i].row->other_count; k++)
                figure += all[i].figures[k] * (1 + k);
        }
    free(all);
    ck_assert_msg(!isnan(figure), "there is no row %s", id);
    return figure;
}

// The statistics of a command as one number.
static double run_command(const char *command, const char *key, int64_t value)
{
    char line[512];
    snprintf(line, sizeof line, "%s %s -q --json - --stats-hash -D %s=%lld 2>&1", TENSIM_BINARY,
             command, key, (long long)value);
    FILE *pipe = popen(line, "r");
    ck_assert_ptr_nonnull(pipe);
    char text[1024];
    double sum = 0;
    while (fgets(text, sizeof text, pipe))
        if (strstr(text, "cycles") || strstr(text, "hash"))
            for (const char *c = text; *c; c++)
                sum = fmod(sum * 31 + *c, 1e9 + 7);
    ck_assert_msg(pclose(pipe) == 0, "%s", line);
    return sum;
}

static double run(const struct shown *shown, const struct ts_params *params, int64_t value)
{
    static struct probe probe;
    struct ts_silicon_context context = ts_silicon_context(params);
    struct ts_error error = {0};
    probe.context = &context;
    probe.error = &error;
    if (shown->row)
        return run_row(&context, shown->row);
    if (shown->command)
        return run_command(shown->command, shown->key, value);
    double figure = shown->program ? shown->program(&probe)
                                   : words(&probe, shown->words, shown->count);
    ck_assert_msg(error.code == TS_OK, "%s: %s", shown->key, error.text);
    return figure;
}

static const struct shown *find(const char *key)
{
    for (size_t i = 0; i < SHOWN; i++)
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    return NULL;
}

// Does the host program of a test run with another value of the parameter?
static bool tries(const char *path, const char *key)
{
    char line[512], option[110];
    bool found = false;
    snprintf(option, sizeof option, "-D %s=", key);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, option) != NULL;
    fclose(file);
    return found;
}

START_TEST(every_parameter_matters)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    unsigned dead = 0, found = 0;
    const unsigned step = suite_every_case() ? 1 : 3;
    for (size_t g = 0; g < params.count; g++)
        for (size_t i = 0; !params.groups[g].names && i < params.groups[g].count; i++) {
            const struct ts_param *row = &params.groups[g].rows[i];
            struct ts_param_value *value = &params.groups[g].values[i];
            char key[100];
            snprintf(key, sizeof key, "%s.%s", params.groups[g].name, row->key);
            const struct shown *shown = find(key);
            if (shown == NULL) {
                fprintf(stderr, "%s: no run shows it (tests/study/silicon/parameters.def)\n", key);
                dead++;
                continue;
            }
            found++;
            if (shown->host) {
                ck_assert_msg(tries(shown->host, key), "%s does not try %s", shown->host, key);
                continue;
            }
            ck_assert_msg(shown->value >= row->low && shown->value <= row->high, "%s", key);
            if (found % step != 0)
                continue;
            int64_t was = value->value;
            double before = run(shown, &params, was);
            value->value = shown->value;
            double after = run(shown, &params, shown->value);
            value->value = was;
            if (before == after) {
                fprintf(stderr, "%s: %lld instead of %lld changes nothing\n", key,
                        (long long)shown->value, (long long)was);
                dead++;
            }
        }
    ck_assert_uint_eq(dead, 0);
    ck_assert_uint_eq(found, SHOWN); // no row of a parameter that is gone
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, every_parameter_matters);
}

SUITE("parameters", add_tests)
