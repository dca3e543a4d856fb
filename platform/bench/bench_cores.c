// tensim-bench cores: how many RISC-V instructions a second, timing on.
//   alu1   one core, a loop of eight ALU instructions, addi and bne
//   mix1   one core, loads and stores on L1 and local RAM, a multiply and branches
//   alu5   five cores of one tile in the ALU loop
//   mix5   five cores of one tile in the mix: they share L1, so they run in step (no bar)
//   line1  the mix with every access in one line of L1: the load/store unit's hardest case (no bar)
#include "cores/riscv/assemble.h"
#include "platform/base/json.h"
#include "platform/bench/bench.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"

#include <stdio.h>
#include <stdlib.h>

static void alu_loop(struct ts_rvasm *code, uint32_t rounds, uint32_t data)
{
    (void)data;
    ts_rvasm_li(code, 5, 1);
    ts_rvasm_li(code, 6, 3);
    ts_rvasm_li(code, 7, 7);
    ts_rvasm_li(code, 31, rounds);
    uint32_t loop = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_ADD, 8, 5, 6, 0);
    ts_rvasm(code, TS_RV_XOR, 9, 8, 7, 0);
    ts_rvasm(code, TS_RV_SLLI, 10, 9, 0, 3);
    ts_rvasm(code, TS_RV_SUB, 11, 10, 5, 0);
    ts_rvasm(code, TS_RV_OR, 12, 11, 6, 0);
    ts_rvasm(code, TS_RV_SRLI, 13, 12, 0, 2);
    ts_rvasm(code, TS_RV_AND, 14, 13, 9, 0);
    ts_rvasm(code, TS_RV_ADD, 5, 14, 8, 0);
    ts_rvasm(code, TS_RV_ADDI, 31, 31, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 31, 0, loop);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

// What compiled code does: reads an array in L1, writes another, keeps a counter on its stack in
// local RAM.
static void mix_loop(struct ts_rvasm *code, uint32_t rounds, uint32_t data)
{
    ts_rvasm_li(code, 5, data);
    ts_rvasm_li(code, 7, 0xFFB00000);
    ts_rvasm_li(code, 6, 3);
    ts_rvasm_li(code, 31, rounds);
    uint32_t loop = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_LW, 8, 5, 0, 0);
    ts_rvasm(code, TS_RV_LW, 12, 7, 0, 16);
    ts_rvasm(code, TS_RV_MUL, 9, 8, 6, 0);
    ts_rvasm(code, TS_RV_SW, 0, 5, 9, 64);
    ts_rvasm(code, TS_RV_BEQ, 0, 12, 0, 8);
    ts_rvasm(code, TS_RV_ADDI, 11, 11, 0, 1);
    ts_rvasm(code, TS_RV_SW, 0, 7, 11, 16);
    ts_rvasm(code, TS_RV_ADDI, 6, 6, 0, 2);
    ts_rvasm(code, TS_RV_ADDI, 31, 31, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 31, 0, loop);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

// The same with every access in one line: the load/store unit's hardest case.
static void line_loop(struct ts_rvasm *code, uint32_t rounds, uint32_t data)
{
    ts_rvasm_li(code, 5, data);
    ts_rvasm_li(code, 6, 3);
    ts_rvasm_li(code, 31, rounds);
    uint32_t loop = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_LW, 8, 5, 0, 0);
    ts_rvasm(code, TS_RV_MUL, 9, 8, 6, 0);
    ts_rvasm(code, TS_RV_SW, 0, 5, 9, 4);
    ts_rvasm(code, TS_RV_LBU, 10, 5, 0, 5);
    ts_rvasm(code, TS_RV_BEQ, 0, 10, 0, 8);
    ts_rvasm(code, TS_RV_ADDI, 11, 11, 0, 1);
    ts_rvasm(code, TS_RV_SH, 0, 5, 11, 8);
    ts_rvasm(code, TS_RV_ADDI, 6, 6, 0, 2);
    ts_rvasm(code, TS_RV_ADDI, 31, 31, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 31, 0, loop);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

// Million instructions per second of CPU time: one run.
static double measure(void (*program)(struct ts_rvasm *, uint32_t, uint32_t), unsigned cores,
                      uint32_t rounds, double *per_cycle)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    struct ts_rvasm *code = calloc(1, sizeof *code);
    double mips = 0;
    if (tile && code && ts_kernel_elaborate(kernel, &error) == TS_OK) {
        for (unsigned core = 0; core < cores; core++) {
            code->count = 0;
            program(code, rounds / cores, 0x30000 + core * 0x1010);
            ts_l1_write(&tile->l1, core * 0x1000, code->words, code->count * 4, 0);
            ts_tile_start(tile, core, core * 0x1000, 0, &error);
        }
        double start = ts_bench_cpu_seconds();
        struct ts_run run = ts_kernel_run(kernel, UINT64_C(1) << 40);
        double seconds = ts_bench_cpu_seconds() - start;
        uint64_t instructions = 0;
        for (unsigned core = 0; core < cores; core++)
            instructions += ts_rv_core_view(&tile->cores[core]).instructions;
        mips = 1e-6 * (double)instructions / seconds;
        *per_cycle = (double)instructions / (double)(run.cycle ? run.cycle : 1);
    }
    ts_tile_free(tile);
    free(code);
    ts_kernel_free(kernel);
    return mips;
}

static json_t *run(const struct ts_bench_options *options)
{
    static const struct {
        const char *name;
        void (*program)(struct ts_rvasm *, uint32_t, uint32_t);
        unsigned cores;
        uint32_t rounds;
    } rows[] = {
        {"alu1", alu_loop, 1, 20000000},  {"mix1", mix_loop, 1, 4000000},
        {"alu5", alu_loop, 5, 20000000},  {"mix5", mix_loop, 5, 1000000},
        {"line1", line_loop, 1, 4000000},
    };
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!ts_bench_wanted(options->only, rows[i].name))
            continue;
        double values[5], per_cycle = 0;
        for (size_t k = 0; k < 5; k++)
            values[k] = measure(rows[i].program, rows[i].cores,
                                options->quick ? rows[i].rounds / 10 : rows[i].rounds, &per_cycle);
        ts_json_add(list, "{s:s, s:f, s:f}", "name", rows[i].name, "mips",
                    ts_bench_median(values, 5), "instructions_per_cycle", per_cycle);
    }
    return json_pack("{s:o}", "rows", list);
}

const struct ts_bench ts_bench_cores = {"cores",
                                        "instructions a second of the baby cores, timing on", run};
