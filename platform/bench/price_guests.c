// The guests of `tensim-bench prices': a loop on one core or two, in one tile without arithmetic, on a chip of 140 tiles, or
// in a card of libttsim.so.
#include "platform/bench/prices.h"

#include "platform/bench/guest.h"
#include "platform/bench/matmul.h"
#include "platform/chip/chip.h"
#include "platform/kernel/kernel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS     16 // of a REPLAY
#define CYCLES    200000
#define CYCLES_TO (UINT64_C(1) << 40)
enum { T2 = 7, S1 = 9, FLAG = 0x30000, FLAG_BACK = 0x30100 };

struct guest {
    const char *name;
    // Writes the cores' programs.
    void (*write)(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word);
    uint32_t word; // of Tensix
    double things; // a round
};

// --- Tensix words ---

// The word 0 stands for the 16 MVMULs of a product.
static void replay(struct ts_rvasm *p, unsigned thread, uint32_t rounds, uint32_t word)
{
    uint32_t top;
    if (word == 0)
        ts_bench_record_mvmuls(p);
    else
        push(p, REPLAY(WORDS, 1));
    for (unsigned i = 0; i < WORDS && word != 0; i++)
        push(p, word);
    begin_loop(p, rounds, &top);
    push(p, REPLAY(WORDS, 0));
    end_loop(p, top, thread);
}

static void write_replay(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    replay(&code[TS_RV_TRISC1], 1, rounds, word);
}

static void write_unpack(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    ts_bench_unpack_set_up(&code[TS_RV_TRISC0]);
    replay(&code[TS_RV_TRISC0], 0, rounds, word);
}

// The banks stay valid: no MVMUL gives them back.
static void write_math(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    uint32_t top;
    ts_bench_unpack_set_up(&code[TS_RV_TRISC0]);
    begin_loop(&code[TS_RV_TRISC0], 1, &top);
    push(&code[TS_RV_TRISC0], UNPACR(0));
    push(&code[TS_RV_TRISC0], UNPACR(1));
    end_loop(&code[TS_RV_TRISC0], top, 0);
    ts_bench_math_set_up(&code[TS_RV_TRISC1]);
    replay(&code[TS_RV_TRISC1], 1, rounds, word);
}

static void write_pack(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    ts_bench_math_set_up(&code[TS_RV_TRISC2]); // the format of Dst
    ts_bench_pack_set_up(&code[TS_RV_TRISC2]);
    replay(&code[TS_RV_TRISC2], 2, rounds, word);
}

static void write_pushes(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    struct ts_rvasm *p = &code[TS_RV_TRISC1];
    uint32_t top;
    begin_loop(p, rounds, &top);
    for (unsigned i = 0; i < WORDS; i++)
        push(p, word);
    end_loop(p, top, 1);
}

// --- cores ---

// `rounds` rounds of what stands between this and next_round.
static uint32_t first_round(struct ts_rvasm *p, uint32_t mine, uint32_t others, uint32_t rounds)
{
    ts_rvasm_li(p, A0, mine);
    ts_rvasm_li(p, A1, others);
    ts_rvasm_li(p, S0, rounds);
    ts_rvasm_li(p, S1, 0);
    ts_rvasm_li(p, T2, 2);
    return ts_rvasm_here(p);
}
static void next_round(struct ts_rvasm *p, uint32_t top)
{
    ts_rvasm(p, TS_RV_ADDI, S0, S0, 0, -1);
    ts_rvasm_back(p, TS_RV_BNE, S0, ZERO, top);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

static void write_loads(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    struct ts_rvasm *p = &code[TS_RV_BRISC];
    (void)word;
    uint32_t top = first_round(p, FLAG, FLAG_BACK, rounds);
    for (int32_t i = 0; i < WORDS; i++)
        ts_rvasm(p, TS_RV_LW, T1, A0, 0, 64 * i);
    next_round(p, top);
}

// A loop that shares L1 with others: it stays in its window.
static void write_stores(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    struct ts_rvasm *p = &code[TS_RV_BRISC];
    (void)word;
    uint32_t top = first_round(p, FLAG, FLAG_BACK, rounds);
    ts_rvasm(p, TS_RV_SW, 0, A0, S0, 0);
    ts_rvasm(p, TS_RV_LW, T1, A1, 0, 0);
    ts_rvasm(p, TS_RV_AND, T1, T1, T1, 0);
    next_round(p, top);
}

// Kernels empty their L0 before each look at what another core writes.
static uint32_t begin_poll(struct ts_rvasm *p)
{
    uint32_t here = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(p, TS_RV_LW, T1, A1, 0, 0);
    return here;
}

// Two cores wait for each other in turn: each round has two polls that fail until the other core stores.
static void write_polls(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    (void)word;
    for (unsigned first = 0; first < 2; first++) {
        struct ts_rvasm *p = &code[first ? TS_RV_BRISC : TS_RV_NCRISC];
        uint32_t top = first_round(p, first ? FLAG : FLAG_BACK, first ? FLAG_BACK : FLAG, rounds);
        if (first)
            ts_rvasm(p, TS_RV_SW, 0, A0, S0, 0);
        uint32_t poll = begin_poll(p);
        ts_rvasm_back(p, TS_RV_BNE, T1, S0, poll);
        if (!first)
            ts_rvasm(p, TS_RV_SW, 0, A0, S0, 0);
        next_round(p, top);
    }
}

// A buffer of two pages: one core waits for room and pushes, the other one waits for a page and pops.
static void write_buffer(struct ts_rvasm code[TS_RV_CORES], uint32_t rounds, uint32_t word)
{
    (void)word;
    for (unsigned pushes = 0; pushes < 2; pushes++) {
        struct ts_rvasm *p = &code[pushes ? TS_RV_BRISC : TS_RV_NCRISC];
        uint32_t top = first_round(p, pushes ? FLAG : FLAG_BACK, pushes ? FLAG_BACK : FLAG, rounds);
        uint32_t poll = begin_poll(p);
        if (pushes) {
            ts_rvasm(p, TS_RV_SUB, T1, S1, T1, 0);
            ts_rvasm_back(p, TS_RV_BGEU, T1, T2, poll);
        } else {
            ts_rvasm_back(p, TS_RV_BEQ, T1, S1, poll);
        }
        ts_rvasm(p, TS_RV_ADDI, S1, S1, 0, 1);
        ts_rvasm(p, TS_RV_SW, 0, A0, S1, 0);
        next_round(p, top);
    }
}

static const struct guest guests[] = {
    {"nop", write_replay, OP(NOP), WORDS},
    {"setc16", write_replay, SETC16(12, 0), WORDS},
    {"setrwc", write_replay, OP(SETRWC) | 0xf, WORDS},
    {"rdcfg", write_replay, OP(RDCFG) | 60u << 16 | 100, WORDS},
    {"adddmareg", write_replay, OP(ADDDMAREG) | 12u << 12 | 9u << 6 | 2, WORDS},
    {"stallwait", write_replay, STALLWAIT(0x80, 1), WORDS},
    {"wrcfg", write_replay, OP(WRCFG) | 4u << 16 | 100, WORDS},
    {"sfpnop", write_replay, OP(SFPNOP), WORDS},
    {"sfpmad", write_replay, OP(SFPMAD) | 1u << 16 | 2u << 12 | 3u << 8 | 4u << 4, WORDS},
    {"unpacr", write_unpack, UNPACR(0) & ~(1u << 6), WORDS},
    {"mvmul_run", write_math, 0, 1},
    {"pacr_run", write_pack, PACR(0, 0), 1},
    {"push_nop", write_pushes, OP(NOP), WORDS},
    {"load", write_loads, 0, WORDS},
    {"poll", write_polls, 0, 2},
    {"cb_page", write_buffer, 0, 1},
};

static bool start_guest(const struct guest *self, struct ts_tile *tile, uint32_t rounds)
{
    struct ts_rvasm *code = calloc(TS_RV_CORES, sizeof *code);
    struct ts_error error = {0};
    if (code == NULL)
        return false;
    self->write(code, rounds, self->word);
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        if (code[core].count > 0) {
            uint32_t pc = core == TS_RV_BRISC ? 0 : CODE(core); // BRISC has no other
            ts_l1_write(&tile->l1, pc, code[core].words, code[core].count * 4, 0);
            ts_tile_start(tile, core, pc, 0, &error);
        }
    free(code);
    if (error.code != TS_OK)
        fprintf(stderr, "tensim-bench: %s\n", error.text);
    return error.code == TS_OK;
}

// In one tile. `self` is NULL: the matmul of bench_matmul.c, with arithmetic.
static double run_tile(const struct guest *self, uint32_t rounds)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile_config config = ts_tile_config_default();
    config.timing_only = self != NULL;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    bool good = tile && ts_kernel_elaborate(kernel, &error) == TS_OK &&
                (self ? start_guest(self, tile, rounds)
                      : ts_bench_matmul_start(tile, rounds, 1, &error));
    struct ts_run run = {0};
    if (good)
        run = ts_kernel_run(kernel, CYCLES_TO);
    if (error.code == TS_OK)
        error = run.error;
    if (error.code != TS_OK)
        fprintf(stderr, "tensim-bench: %s\n", error.text);
    good = good && error.code == TS_OK;
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    return good ? rounds * (self ? self->things : 1) : 0;
}

// On a chip of which one tile works: visits of tiles, a window each.
static double run_idle(uint32_t rounds)
{
    struct ts_params params = {0};
    struct ts_soc soc;
    struct ts_error error = {0};
    struct ts_run run = {0};
    char path[512];
    ts_chip_params_add(&params);
    ts_config_path(path, sizeof path, "blackhole.yaml");
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    static struct ts_chip chip; // large
    if (ts_params_load(&params, path, &error) == TS_OK &&
        ts_soc_find(&soc, "p150", &error) == TS_OK) {
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.timing_only = true;
        if (ts_chip_init_complete(&chip, kernel, &soc, &params, &config, &error) == TS_OK &&
            ts_kernel_elaborate(kernel, &error) == TS_OK &&
            start_guest(&(struct guest){.write = write_stores}, chip.tile[0], rounds))
            run = ts_kernel_run(kernel, CYCLES_TO);
        ts_chip_free(&chip);
    }
    if (error.code != TS_OK)
        fprintf(stderr, "tensim-bench: %s\n", error.text);
    ts_kernel_free(kernel);
    ts_params_free(&params);
    return (double)run.windows * soc.tiles;
}

// --- libttsim.so ---

#define CARD_X 1
#define CARD_Y 2
struct card {
    void (*init)(void), (*exit)(void);
    void (*rd)(uint64_t, void *, uint32_t), (*wr)(uint64_t, const void *, uint32_t);
    void (*clock)(uint32_t);
};

// Where window 0 shows an address of the tile.
static uint64_t card_at(const struct card *self, uint32_t address)
{
    const uint32_t words[] = {address >> 21, CARD_X << 11 | CARD_Y << 17, 0};
    for (unsigned i = 0; i < 3; i++)
        self->wr(0x100000000ull + 0x1fc00000 + 4 * i, &words[i], 4);
    return 0x100000000ull + address % 0x200000;
}

static void card_write(void *to, uint32_t address, const void *bytes, uint32_t length)
{
    const struct card *self = to;
    self->wr(card_at(self, address), bytes, length);
}

// TRISCs of which the reset PC counts leave reset together, with the last one.
static void card_start(void *to, unsigned core, uint32_t pc)
{
    const uint32_t all = 7, release = 0x47800 & ~0x7000u;
    card_write(to, 0xffb12228 + 4 * (core - TS_RV_TRISC0), &pc, 4);
    card_write(to, 0xffb12234, &all, 4);
    if (core == TS_RV_TRISC2)
        card_write(to, 0xffb121b0, &release, 4);
}

static bool open_card(struct card *self, const char *directory, uint32_t quantum)
{
    char path[480], option[40];
    snprintf(path, sizeof path, "%s/ttsim/libttsim.so", directory);
    snprintf(option, sizeof option, "-q --quantum %u", quantum);
    setenv("TENSIM_OPTIONS", option, 1);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *to;
    } symbols[] = {{"libttsim_init", &self->init},
                   {"libttsim_exit", &self->exit},
                   {"libttsim_pci_mem_rd_bytes", &self->rd},
                   {"libttsim_pci_mem_wr_bytes", &self->wr},
                   {"libttsim_clock", &self->clock}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = library ? dlsym(library, symbols[i].name) : NULL;
        if (found == NULL) {
            fprintf(stderr, "tensim-bench: %s\n", dlerror());
            return false;
        }
        memcpy(symbols[i].to, &found, sizeof found);
    }
    self->init();
    return true;
}

// The matmul of bench_matmul.c: so many products in steps of 1000 cycles; or as many as fit into CYCLES cycles, in so many
// steps.
static double run_card(uint32_t rounds, bool steps, const char *directory)
{
    struct card card;
    if (!open_card(&card, directory, steps ? CYCLES / rounds : 1000))
        return 0;
    struct ts_bench_loader loader = {&card, card_write, card_start};
    bool good = ts_bench_matmul_load(&loader, steps ? CYCLES : rounds, 1);
    uint32_t done[3] = {0};
    for (uint32_t i = 0; good && i < rounds; i++) {
        card.clock(1);
        if (!steps)
            card.rd(card_at(&card, DONE), done, sizeof done);
        if (done[0] == DONE_WORD && done[1] == DONE_WORD && done[2] == DONE_WORD)
            break;
    }
    good = good && (steps || done[2] == DONE_WORD);
    if (!good)
        fprintf(stderr, "tensim-bench: libttsim: the matmul has not finished\n");
    card.exit();
    return good ? rounds : 0;
}

double ts_price_guest(const char *name, uint32_t rounds, const char *directory)
{
    for (size_t i = 0; i < sizeof guests / sizeof *guests; i++)
        if (strcmp(guests[i].name, name) == 0)
            return run_tile(&guests[i], rounds);
    if (strcmp(name, "lofi_tile") == 0)
        return run_tile(NULL, rounds);
    if (strcmp(name, "idle_tile") == 0)
        return run_idle(rounds);
    if (strcmp(name, "ttsim_tile") == 0 || strcmp(name, "ttsim_quantum") == 0)
        return run_card(rounds, strcmp(name, "ttsim_quantum") == 0, directory);
    fprintf(stderr, "tensim-bench: no guest '%s'\n", name);
    return 0;
}
