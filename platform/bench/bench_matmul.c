// tensim-bench matmul: tiles per second of one Tensix tile that multiplies, bits and cycles both.
//
// Three TRISCs in a loop, as kernels do it: TRISC0 unpacks two BF16 tiles, TRISC1 clears Dst and
// issues 16 MVMUL per fidelity phase by MOP and REPLAY, TRISC2 packs the product by a MOP of 16
// PACR. One semaphore between math and pack. That is the loop for which the vendor's functional
// simulator needs 115 us (LoFi) and 413 us (HiFi4) a tile on one core of a Neoverse V1.
#include "platform/base/floats.h"
#include "platform/base/json.h"
#include "platform/bench/bench.h"
#include "platform/bench/guest.h"
#include "platform/bench/matmul.h"
#include "platform/kernel/kernel.h"

// ---- the guest

void ts_bench_unpack_set_up(struct ts_rvasm *p)
{
    for (unsigned which = 0; which < 2; which++) {
        cfg(p, 64 + 48 * which, BF16 | 1u << 4 | 256u << 16);
        cfg(p, 65 + 48 * which, 1 | 4u << 16);
        cfg(p, 72 + 48 * which, BF16);
        cfg(p, 73 + 48 * which, 1);
        cfg(p, 76 + 48 * which, (uint32_t)((which ? IN_B : IN_A) >> 4) - 1);
    }
    cfg(p, 86, 256);
    cfg(p, 84, 64);
    push(p, SETC16(5, 4));
    push(p, SETADC(SETADCXX, 3, 1023, 0));
    push(p, SETADC(SETADCXY, 3, 0, 0xa));
    push(p, SETADC(SETADCZW, 3, 0, 0xf));
}

static void unpack_thread(struct ts_rvasm *p, uint32_t tiles)
{
    uint32_t top;
    ts_bench_unpack_set_up(p);
    begin_loop(p, tiles, &top);
    push(p, UNPACR(0));
    push(p, UNPACR(1));
    end_loop(p, top, 0);
}

void ts_bench_math_set_up(struct ts_rvasm *p)
{
    static const struct {
        uint16_t ab, dst;
    } modes[] = {
        {AB(0, 0, 0, 8, 0, 0), DST(8, 0, 0, 0)},   {AB(16, 0, 0, 0, 1, 0), DST(8, 0, 0, 0)},
        {AB(0, 1, 0, 32, 1, 0), DST(8, 0, 0, 0)},  {0, 0},
        {AB(32, 1, 0, 48, 1, 0), DST(0, 1, 0, 0)}, {AB(0, 0, 1, 0, 0, 1), DST(0, 0, 1, 1)},
    };
    cfg(p, 1, (uint32_t)BF16 << 17 | (uint32_t)BF16 << 21 | (uint32_t)BF16 << 25);
    cfg(p, 2, 0);
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        push(p, SETC16(12 + i, modes[i].ab));
        push(p, SETC16(28 + i, modes[i].dst));
    }
}

void ts_bench_record_mvmuls(struct ts_rvasm *p)
{
    static const uint8_t order[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
    push(p, REPLAY(16, 1));
    for (unsigned i = 0; i < 16; i++)
        push(p, MVMUL(order[i]));
}

static void math_thread(struct ts_rvasm *p, uint32_t tiles, unsigned phases)
{
    ts_bench_math_set_up(p);
    push(p, OP(SEMINIT) | 2u << 20 | 2 << 2);
    ts_bench_record_mvmuls(p);
    const uint32_t clear = OP(SETRWC) | 3u << 22 | 0xf, body = REPLAY(16, 0);
    const uint32_t mop[9] = {1, phases, OP(NOP), clear, OP(NOP), body, OP(NOP), body, body};
    for (unsigned i = 0; i < 9; i++)
        store(p, 0xffb80000u + 4 * i, mop[i]);
    load(p, 0xffe80008u);
    uint32_t top;
    begin_loop(p, tiles / 2, &top);
    for (unsigned half = 0; half < 2; half++) { // Dst is double buffered
        push(p, SEMWAIT(0x1ff, 2, 2));
        push(p, SETC16(1, half * 512));
        push(p, OP(ZEROACC) | 2u << 19 | half);
        push(p, OP(SETRWC) | 0xf);
        push(p, OP(MOP) | 1u << 23);
        push(p, STALLWAIT(0x2, 0x10));
        push(p, OP(SEMPOST) | 2 << 2);
    }
    end_loop(p, top, 1);
}

void ts_bench_pack_set_up(struct ts_rvasm *p)
{
    static const struct {
        uint8_t index;
        uint32_t value;
    } rows[] = {
        {12, 2 | 32u << 16},
        {24, 0xffff},
        {28, 16u << 8 | 1u << 16 | 1},
        {69, (OUT >> 4) - 1},
        {70, 1 | BF16 << 4 | BF16 << 8},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        cfg(p, rows[i].index, rows[i].value);
    push(p, SETC16(37, 4));
    push(p, SETC16(38, 1 << 5));
    push(p, SETADC(SETADCXX, 4, 15, 0));
    push(p, SETADC(SETADCXY, 4, 0, 0xa));
    push(p, SETADC(SETADCZW, 4, 0, 0xf));
}

static void pack_thread(struct ts_rvasm *p, uint32_t tiles)
{
    ts_bench_pack_set_up(p);
    const uint32_t mop[9] = {1,          16,      OP(NOP),    OP(NOP),   OP(NOP),
                             PACR(0, 0), OP(NOP), PACR(1, 1), PACR(1, 1)};
    for (unsigned i = 0; i < 9; i++)
        store(p, 0xffb80000u + 4 * i, mop[i]);
    load(p, 0xffe80008u);
    push(p, OP(SETDMAREG) | 512 << 8 | 10); // GPR 5: the other half of Dst
    push(p, OP(SETDMAREG) | 11);
    push(p, OP(SETDMAREG) | 8); // GPR 4: 0
    push(p, OP(SETDMAREG) | 9);
    uint32_t top;
    begin_loop(p, tiles / 2, &top);
    for (unsigned half = 0; half < 2; half++) {
        push(p, SEMWAIT(0x1ff, 2, 1));
        push(p, OP(WRCFG) | (4u + half) << 16 | 180);
        push(p, OP(NOP));
        push(p, OP(NOP));
        push(p, OP(MOP) | 1u << 23);
        push(p, STALLWAIT(0x2 | 0x80, 0x8));
        push(p, OP(SEMGET) | 2 << 2);
    }
    end_loop(p, top, 2);
}

// ---- the measurement

static float value_of(uint16_t bf16)
{
    return ts_bits_float((uint32_t)bf16 << 16);
}

// Where a datum of a 32 x 32 tile lies: four faces of 16 x 16.
static unsigned place(unsigned row, unsigned col)
{
    return (row / 16 * 2 + col / 16) * 256 + row % 16 * 16 + col % 16;
}

// The product is what it should be, roughly: bits are the conformance vectors' business.
static bool right(const uint8_t *l1)
{
    uint16_t a[1024], b[1024], out[1024];
    memcpy(a, l1 + IN_A, sizeof a);
    memcpy(b, l1 + IN_B, sizeof b);
    memcpy(out, l1 + OUT, sizeof out);
    for (unsigned r = 0; r < 32; r += 5)
        for (unsigned c = 0; c < 32; c += 3) {
            float sum = 0, scale = 0;
            for (unsigned k = 0; k < 32; k++) {
                float product = value_of(b[place(r, k)]) * value_of(a[place(k, c)]);
                sum += product;
                scale += fabsf(product);
            }
            if (fabsf(value_of(out[place(r, c)]) - sum) > 0.05f * scale)
                return false;
        }
    return true;
}

bool ts_bench_matmul_load(const struct ts_bench_loader *loader, uint32_t products, unsigned phases)
{
    struct ts_rvasm *code = calloc(3, sizeof *code);
    if (code == NULL)
        return false;
    uint16_t data[1024];
    for (unsigned i = 0; i < 1024; i++)
        data[i] = (uint16_t)(0x3f80 + (i * 37 & 0x7f) + ((i * 11 & 1) << 15));
    loader->write(loader->to, IN_A, data, sizeof data);
    loader->write(loader->to, IN_B, data, sizeof data);
    unpack_thread(&code[0], products);
    math_thread(&code[1], products, phases);
    pack_thread(&code[2], products);
    for (unsigned t = 0; t < 3; t++) {
        loader->write(loader->to, CODE(t), code[t].words, code[t].count * 4);
        loader->start(loader->to, TS_RV_TRISC0 + t, CODE(t));
    }
    free(code);
    return true;
}

static void write_l1(void *to, uint32_t address, const void *bytes, uint32_t length)
{
    ts_l1_write(&((struct ts_tile *)to)->l1, address, bytes, length, 0);
}

static void start_core(void *to, unsigned core, uint32_t pc)
{
    struct ts_error ignored = {0}; // the benchmark finds that the core has not finished
    ts_tile_start(to, core, pc, 0, &ignored);
}

static struct ts_bench_loader loader_of(struct ts_tile *tile)
{
    return (struct ts_bench_loader){tile, write_l1, start_core};
}

bool ts_bench_matmul_start(struct ts_tile *tile, uint32_t products, unsigned phases,
                           struct ts_error *error)
{
    struct ts_bench_loader loader = loader_of(tile);
    if (!ts_bench_matmul_load(&loader, products, phases))
        ts_fail(error, TS_SETUP, "out of memory");
    return error->code == TS_OK;
}

bool ts_bench_matmul_done(const struct ts_tile *tile)
{
    for (unsigned t = 0; t < 3; t++) {
        uint32_t word;
        memcpy(&word, tile->l1.bytes + DONE + 4 * t, 4);
        if (word != DONE_WORD)
            return false;
    }
    return true;
}

static bool ts_bench_matmul_right(const struct ts_tile *tile)
{
    return right(tile->l1.bytes);
}

struct figures {
    double seconds;
    ts_cycle cycles;
};

static bool measure(uint32_t tiles, unsigned phases, bool timing_only, struct figures *figures)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile_config config = ts_tile_config_default();
    config.timing_only = timing_only;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    if (tile == NULL || ts_kernel_elaborate(kernel, &error) != TS_OK) {
        fprintf(stderr, "tensim-bench: %s\n", error.text);
        return false;
    }
    bool good = ts_bench_matmul_start(tile, tiles, phases, &error);
    double start = ts_bench_cpu_seconds();
    struct ts_run run = ts_kernel_run(kernel, (ts_cycle)tiles * 2000 + 100000);
    figures->seconds = ts_bench_cpu_seconds() - start;
    figures->cycles = run.cycle;
    good = good && ts_bench_matmul_done(tile);
    if (!good)
        fprintf(stderr, "tensim-bench: matmul stopped at cycle %llu: %s\n",
                (unsigned long long)run.cycle, run.error.text);
    else if (!timing_only && !ts_bench_matmul_right(tile)) {
        fprintf(stderr, "tensim-bench: matmul: the product is wrong\n");
        good = false;
    }
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    return good;
}

static const struct {
    const char *name;
    unsigned phases;
    bool timing_only;
    uint32_t tiles;
} rows[] = {
    {"lofi", 1, false, 20000},
    {"hifi4", 4, false, 8000},
    {"lofi_timing_only", 1, true, 100000},
    {"hifi4_timing_only", 4, true, 50000},
};

static json_t *run(const struct ts_bench_options *options)
{
    json_t *out = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ts_bench_wanted(options->only, rows[i].name))
            continue;
        double seconds[5];
        struct figures figures;
        uint32_t tiles = options->quick ? rows[i].tiles / 10 : rows[i].tiles;
        for (unsigned k = 0; k < 5; k++) {
            if (!measure(tiles, rows[i].phases, rows[i].timing_only, &figures)) {
                json_decref(out);
                return NULL;
            }
            seconds[k] = figures.seconds;
        }
        double median = ts_bench_median(seconds, 5);
        ts_json_add(out, "{s:s, s:f, s:f, s:f, s:f}", "name", rows[i].name, "tiles_per_s",
                    tiles / median, "cycles_per_s", (double)figures.cycles / median, "us_per_tile",
                    1e6 * median / tiles, "cycles_per_tile", (double)figures.cycles / tiles);
    }
    return json_pack("{s:o}", "rows", out);
}

const struct ts_bench ts_bench_matmul = {
    .name = "matmul",
    .text = "unpack, multiply and pack on one tile",
    .run = run,
};
