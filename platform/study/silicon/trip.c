// One tile on a chip, whose BRISC issues blocking requests (trip.h).
#include "platform/study/silicon/trip.h"

#include "platform/chip/attach.h"
#include "platform/study/rvasm.h"

#include <math.h>
#include <stdlib.h>

enum { ZERO, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10 };
#define ITERATIONS 64

static void program(struct ts_rvasm *p, const struct ts_traffic_op *op, unsigned noc, bool read)
{
    ts_rvasm_li(p, A0, 0xffb20000u + 0x10000u * noc);
    ts_rvasm_li(p, S0, ITERATIONS);
    ts_rvasm_li(p, S1, 0);
    for (unsigned i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        ts_rvasm_li(p, 16 + i, op->word[i]);
    ts_rvasm_li(p, T2, 1);
    uint32_t top = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A0, 0, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm_back(p, TS_RV_BNE, T1, ZERO, top);
    for (unsigned i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        ts_rvasm(p, TS_RV_SW, 0, A0, 16 + i, 4 * (int32_t)i);
    ts_rvasm(p, TS_RV_SW, 0, A0, T2, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm(p, TS_RV_ADDI, S1, S1, 0, 1);
    uint32_t poll = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A0, 0,
             0x200 + 4 * (read ? TS_NOC_MST_RD_RESP_RECEIVED : TS_NOC_MST_WR_ACK_RECEIVED));
    ts_rvasm_back(p, TS_RV_BNE, T1, S1, poll);
    ts_rvasm(p, TS_RV_ADDI, S0, S0, 0, -1);
    ts_rvasm_back(p, TS_RV_BNE, S0, ZERO, top);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

static bool build(struct ts_kernel *kernel, struct ts_tile *tile, struct ts_chip *chip,
                  const struct ts_silicon_context *context, struct ts_noc_xy from,
                  struct ts_error *error)
{
    struct ts_soc soc;
    if (ts_soc_find(&soc, "p150", error) != TS_OK)
        return false;
    struct ts_domain *domain = ts_domain_new(kernel, "tile[1-2]");
    struct ts_chip_domain given = {from, domain};
    if (!ts_tile_init(tile, domain, &context->tile) ||
        ts_chip_init(chip, kernel, &soc, context->params, &given, 1, error) != TS_OK)
        return false;
    ts_chip_attach(chip, tile, from);
    return ts_chip_build(chip, error) == TS_OK && ts_kernel_elaborate(kernel, error) == TS_OK;
}

double trip_cycles(const struct ts_silicon_context *context, unsigned noc, struct ts_noc_xy to,
                   bool read, uint32_t length, struct ts_error *error)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = calloc(1, sizeof *tile);
    struct ts_chip *chip = calloc(1, sizeof *chip);
    struct ts_rvasm *code = calloc(1, sizeof *code);
    struct ts_noc_xy from = at(1, 2);
    double cycles = NAN;
    if (tile == NULL || chip == NULL || code == NULL)
        abort();
    if (build(kernel, tile, chip, context, from, error)) {
        struct ts_traffic_op op = read ? ts_traffic_read(chip, noc, from, to, 0x20000, 0x30000,
                                                         length)
                                       : ts_traffic_write(chip, noc, from, to, 0x30000, 0x20000,
                                                          length, 1, false);
        program(code, &op, noc, read);
        ts_l1_write(&tile->l1, 0, code->words, code->count * 4, 0);
        if (ts_tile_start(tile, TS_RV_BRISC, 0, 0, error)) {
            struct ts_run run = ts_kernel_run(kernel, 1000000);
            const uint32_t *counters = ts_chip_site(chip, from)->niu[noc].counters;
            if (run.stop == TS_STOP_FAULT)
                ts_fail(error, TS_BUG, "%s", run.error.text);
            else if (counters[TS_NOC_MST_CMD_ACCEPTED] != ITERATIONS)
                ts_fail(error, TS_BUG, "%u requests, not %u", counters[TS_NOC_MST_CMD_ACCEPTED],
                        ITERATIONS);
            else
                cycles = (double)run.cycle / ITERATIONS;
        }
    }
    ts_chip_free(chip);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    free(code);
    free(chip);
    free(tile);
    return cycles;
}
