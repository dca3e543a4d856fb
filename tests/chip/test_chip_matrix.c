// The determinism matrix: 20 different chip programs, each on 1, 2, 3 and 8 threads, with the trace
// on and off. All observable results of a run (cycles, steps, counters, memories, the times of
// every script, instructions of every core) must be the same eight times. One file: the programs
// are one table, and everything else here runs it.
#include "platform/trace/events.h"
#include "tests/chip/complete.h"
#include "tests/chip/programs.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>
#include <unistd.h>

#define OPS 24

static struct rig rig;
static struct ts_traffic_op ops[140][OPS];
static size_t used[140];

// --- scripts, a line each ---

static uint32_t tiles(void)
{
    return rig.chip.soc.tiles;
}

static struct ts_noc_xy tile(uint32_t i)
{
    return rig.chip.tiles[i % tiles()];
}

static struct ts_noc_xy bank(uint32_t i)
{
    return rig.chip.soc.dram[i % rig.chip.soc.channels][i / 8 % 3];
}

static struct ts_traffic_op *add(uint32_t i, struct ts_traffic_op op, uint32_t gap, uint32_t count)
{
    op.gap = gap;
    op.count = count;
    ck_assert_uint_lt(used[i], OPS);
    ops[i][used[i]] = op;
    return &ops[i][used[i]++];
}

static void add_word(uint32_t i, uint32_t address, uint32_t value)
{
    add(i, (struct ts_traffic_op){.kind = TS_TRAFFIC_WORD, .address = address, .value = value}, 8,
        0);
}

static void end_all(enum ts_traffic_kind kind)
{
    for (uint32_t i = 0; i < tiles(); i++)
        if (used[i]) {
            add(i, (struct ts_traffic_op){.kind = kind}, 1, 0);
            rig_drive(&rig, tile(i), ops[i], used[i]);
        }
}

static void put_word(struct ts_noc_xy where, uint32_t address, uint32_t value)
{
    ck_assert_int_eq(ts_chip_write(&rig.chip, where, address, &value, 4, &rig.error), TS_OK);
}

static void all_to_all(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        rig_fill(&rig, tile(i), 0x1000, 2048, i);
        for (uint32_t r = 0; r < 4; r++) {
            struct ts_noc_xy to = tile(i + 1 + r * 37), from = tile(i * 7 + r * 11 + 3);
            add(i,
                ts_traffic_write(&rig.chip, r & 1, tile(i), to, 0x1000, 0x40000 + i * 0x800,
                                 16 * (1 + (i + r) % 100), r % 3 ? 1 : -1, r == 2),
                20 + i % 13, 1);
            add(i,
                ts_traffic_read(&rig.chip, r & 1, tile(i), from, 0x1000, 0x8000 + r * 0x800, 1024),
                25, 1);
            add(i,
                ts_traffic_increment(&rig.chip, r & 1, tile(i), from, 0x100, 0x200, r + 1, r & 1),
                30, 1);
        }
    }
    end_all(TS_TRAFFIC_BARRIER);
}

// Each waits for its predecessor's flag, then writes a block and the flag to its successor.
static void ring(unsigned noc)
{
    put_word(tile(0), 0x100, 77);
    rig_fill(&rig, tile(0), 0x1000, 1024, 5);
    for (uint32_t i = 0; i < tiles(); i++) {
        struct ts_noc_xy next = tile(i + 1);
        add_word(i, 0x100, 77);
        add(i, ts_traffic_write(&rig.chip, noc, tile(i), next, 0x1000, 0x1000, 1024, 1, true), 10,
            1);
        add(i, ts_traffic_write(&rig.chip, noc, tile(i), next, 0x100, 0x100, 4, 1, true), 10, 1);
    }
    end_all(TS_TRAFFIC_SENT);
}

static void ring0(void)
{
    ring(0);
}

static void ring1(void)
{
    ring(1);
}

// The root multicasts along its row, every tile of the row down its column.
static void tree(void)
{
    put_word(tile(0), 0x1000 + 4092, 99);
    for (uint32_t i = 0; i < tiles(); i++) {
        struct ts_noc_xy me = tile(i);
        if (me.y != 2)
            continue;
        if (i == 0)
            add(i,
                ts_traffic_multicast(&rig.chip, 0, me, at(2, 2), at(16, 2), 0x1000, 0x1000, 4096,
                                     TS_NOC_CTRL_PATH_RESERVE),
                40, 1);
        else
            add_word(i, 0x1000 + 4092, 99);
        add(i,
            ts_traffic_multicast(&rig.chip, 1, me, at(me.x, 3), at(me.x, 11), 0x1000, 0x3000, 4096,
                                 TS_NOC_CTRL_BRCST_Y),
            40, 1);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void rivals(void)
{
    for (uint32_t i = 0; i < tiles(); i += 11) {
        rig_fill(&rig, tile(i), 0x1000, 512, i);
        add(i,
            ts_traffic_multicast(&rig.chip, i / 11 & 1, tile(i), at(1, 2), at(16, 11), 0x1000,
                                 0x4000 + i * 0x200, 512,
                                 TS_NOC_CTRL_PATH_RESERVE | TS_NOC_CTRL_SRC_INCLUDE),
            30, 2);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void linked(void)
{
    for (uint32_t i = 0; i < tiles(); i += 35)
        for (uint32_t r = 0; r < 4; r++)
            add(i,
                ts_traffic_multicast(&rig.chip, 0, tile(i), at(3, 4), at(12, 9), 0x1000,
                                     0x4000 + i * 0x1000 + r * 0x400, 1024,
                                     r < 3 ? TS_NOC_CTRL_LINKED : 0),
                25, 1);
    end_all(TS_TRAFFIC_BARRIER);
}

static void barrier(void)
{
    for (uint32_t r = 1; r <= 4; r++) {
        put_word(tile(0), 0x400 + r * 16, 1000 + r);
        for (uint32_t i = 0; i < tiles(); i++) {
            if (i == 0) {
                add_word(i, 0x100, r * (tiles() - 1));
                add(i,
                    ts_traffic_multicast(&rig.chip, 1, tile(0), at(1, 2), at(16, 11),
                                         0x400 + r * 16, 0x200, 4, TS_NOC_CTRL_PATH_RESERVE),
                    20, 1);
            } else {
                add(i, ts_traffic_increment(&rig.chip, 0, tile(i), tile(0), 0x100, 0x300, 1, true),
                    20, 1);
                add_word(i, 0x200, 1000 + r);
            }
        }
    }
    end_all(TS_TRAFFIC_SENT);
}

static void dram_read(void)
{
    for (uint32_t c = 0; c < 8; c++)
        rig_fill(&rig, bank(c), 0x10000, 65536, c);
    for (uint32_t i = 0; i < tiles(); i++)
        add(i, ts_traffic_read(&rig.chip, i & 1, tile(i), bank(i), 0x10000 + i * 64, 0x4000, 2048),
            40, 4);
    end_all(TS_TRAFFIC_BARRIER);
}

static void dram_write(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        rig_fill(&rig, tile(i), 0x1000, 4096, i);
        add(i,
            ts_traffic_write(&rig.chip, i & 1, tile(i), bank(i), 0x1000, 0x100000 + i * 0x4000,
                             4096, 1, false),
            40, 3);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void dram_copy(void)
{
    for (uint32_t c = 0; c < 8; c++)
        rig_fill(&rig, bank(c), 0x10000, 8192, c);
    for (uint32_t i = 0; i < tiles(); i += 3) {
        add(i, ts_traffic_read(&rig.chip, 0, tile(i), bank(i), 0x10000, 0x4000, 8192), 40, 1);
        add(i, (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER}, 1, 0);
        add(i,
            ts_traffic_write(&rig.chip, 1, tile(i), bank(i + 4), 0x4000, 0x200000 + i * 0x2000,
                             8192, 1, false),
            40, 1);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

// One word, and a word of everybody's own neighbour.
static void atomics(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        add(i, ts_traffic_increment(&rig.chip, 0, tile(i), tile(70), 0x104, 0x200, 1, false), 32,
            6);
        add(i, ts_traffic_increment(&rig.chip, 1, tile(i), tile(i + 1), 0x10c, 0x210, i, true), 32,
            6);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void transpose(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        rig_fill(&rig, tile(i), 0x1000, 3072, i);
        uint32_t row = i / 14, column = i % 14, to = column % 10 * 14 + row;
        add(i,
            ts_traffic_write(&rig.chip, i & 1, tile(i), tile(to), 0x1000, 0x4000, 3072, 1, false),
            27, 2);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void hotspot(void)
{
    for (uint32_t i = 0; i < tiles(); i += 2)
        add(i,
            ts_traffic_write(&rig.chip, 0, tile(i), tile(77), 0x1000, 0x4000 + i * 0x100, 4096, -1,
                             false),
            27, 2);
    end_all(TS_TRAFFIC_BARRIER);
}

static void priorities(void)
{
    for (uint32_t i = 0; i < tiles(); i += 2) {
        struct ts_noc_xy me = tile(i);
        struct ts_traffic_op op = ts_traffic_write(&rig.chip, 0, me, at(16, me.y), 0x1000,
                                                   0x4000 + i * 0x400, 1024, (int)(i / 2 % 4),
                                                   false);
        op.word[TS_NOC_CTRL] |= i % 16 << TS_NOC_CTRL_PRIO_SHIFT;
        if (me.x != 16)
            add(i, op, 27, 4);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void gather(void)
{
    for (uint32_t i = 0; i < tiles(); i++)
        rig_fill(&rig, tile(i), 0x1000, 256, i);
    for (uint32_t r = 0; r < 20; r++)
        add(0,
            ts_traffic_read(&rig.chip, r & 1, tile(0), tile(r * 7 + 1), 0x1000, 0x4000 + r * 256,
                            256),
            29, 3);
    end_all(TS_TRAFFIC_BARRIER);
}

static void mixed(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        if (i % 3 == 0)
            add(i, ts_traffic_read(&rig.chip, 0, tile(i), bank(i), 0x10000, 0x4000, 4096), 40, 2);
        if (i % 3 == 1)
            add(i,
                ts_traffic_write(&rig.chip, 1, tile(i), tile(i + 50), 0x1000, 0x8000, 2048, 1,
                                 true),
                30, 3);
        if (i % 20 == 2)
            add(i,
                ts_traffic_multicast(&rig.chip, 0, tile(i), at(1, 5), at(16, 7), 0x1000,
                                     0x4000 + i * 0x400, 640, TS_NOC_CTRL_PATH_RESERVE),
                50, 1);
        add(i, ts_traffic_increment(&rig.chip, i & 1, tile(i), tile(i * 3), 0x100, 0x200, 1, false),
            30, 2);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

static void inline_writes(void)
{
    for (uint32_t i = 0; i < tiles(); i++) {
        rig_fill(&rig, tile(i), 0x1000, 64, i);
        struct ts_traffic_op op = ts_traffic_write(&rig.chip, i & 1, tile(i), tile(i + 9), 0x1000,
                                                   0x4000, 64, -1, false);
        op.word[TS_NOC_CTRL] |= TS_NOC_CTRL_WR_BE; // a mask of bytes
        op.word[TS_NOC_AT_LEN_BE] = 0x00ff00ffu << i % 8;
        op.word[TS_NOC_AT_LEN_BE_1] = 0x0f0f0f0fu;
        add(i, op, 27, 3);
    }
    end_all(TS_TRAFFIC_BARRIER);
}

// --- one run ---

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = word ? ts_hash_word(hash, word + i) : hash;
    }
    return hash;
}

static uint64_t steps, cycles; // of the last run: not part of its hash

static uint64_t hash_chip(const struct ts_chip *chip, const struct ts_run *run, uint64_t hash)
{
    hash = ts_hash_word(hash, run->cycle);
    steps = run->activations;
    cycles = run->cycle;
    for (uint32_t y = 0; y < chip->soc.height; y++)
        for (uint32_t x = 0; x < chip->soc.width; x++)
            for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
                const struct ts_noc_site *site = ts_noc_torus_site(&chip->torus, x, y);
                for (unsigned c = 0; c < TS_NOC_COUNTERS; c++)
                    hash = ts_hash_word(hash, site->niu[noc].counters[c]);
                hash = ts_hash_word(hash,
                                    site->router[noc].moved + (site->router[noc].waited << 20));
            }
    for (uint32_t c = 0; c < chip->soc.channels; c++)
        for (uint64_t p = 0; p < 64; p++)
            if (chip->dram[c].pages[p])
                hash = hash_bytes(ts_hash_word(hash, p), chip->dram[c].pages[p],
                                  1u << TS_DRAM_PAGE_SHIFT);
    return hash;
}

static struct ts_trace *trace_on(struct ts_kernel *kernel, const char *path)
{
    struct ts_error error = {TS_OK, ""};
    struct ts_trace_options options = {.path = {path}, .clock_mhz = 1350, .to = TS_NEVER};
    struct ts_trace_writer *writer = ts_trace_open(kernel, &options, &error);
    ck_assert_msg(writer != NULL, "%s", error.text);
    size_t records = ts_kernel_trace_records(kernel);
    struct ts_trace *trace = ts_trace_new(ts_kernel_domain_count(kernel),
                                          records > 4096 ? records : 4096);
    ck_assert(ts_trace_add_writer(trace, writer));
    ts_kernel_trace(kernel, trace);
    return trace;
}

static void trace_off(struct ts_kernel *kernel, struct ts_trace *trace)
{
    ts_kernel_trace_end(kernel);
    ck_assert_int_eq(ts_trace_free(trace), 0);
}

static uint64_t run_script(void (*script)(void), const char *chip, uint32_t threads,
                           const char *trace_path)
{
    memset(used, 0, sizeof used);
    rig_init(&rig, chip, threads, NULL);
    script();
    ck_assert_msg(ts_kernel_elaborate(rig.kernel, &rig.error) == TS_OK, "%s", rig.error.text);
    struct ts_trace *trace = trace_path ? trace_on(rig.kernel, trace_path) : NULL;
    rig.run = ts_kernel_run(rig.kernel, 10000000);
    ck_assert_msg(rig.run.stop == TS_STOP_DONE, "%s %s", ts_stop_name(rig.run.stop),
                  rig.run.error.text);
    uint64_t hash = hash_chip(&rig.chip, &rig.run, 1);
    for (uint32_t i = 0; i < tiles(); i++) {
        const unsigned char *l1 = ts_chip_site(&rig.chip, tile(i))->context;
        hash = hash_bytes(hash, l1, 0x20000);
        for (size_t j = 0; j < used[i]; j++)
            hash = ts_hash_word(hash, ops[i][j].started * 31 + ops[i][j].ended);
    }
    if (trace)
        trace_off(rig.kernel, trace);
    rig_free(&rig);
    return hash;
}

// Cores of all 140 tiles send blocks and meet at barriers.
static uint64_t run_cores(uint32_t threads, const char *trace_path)
{
    static struct complete_rig all;
    struct ts_error error = {TS_OK, ""};
    complete_rig_init(&all, threads);
    static struct ts_rvasm code;
    for (uint32_t i = 0; i < all.soc.tiles; i++) {
        code.count = 0;
        program(&code, &all.chip, i);
        ts_l1_write(&all.chip.tile[i]->l1, 0, code.words, code.count * 4, 0);
        ck_assert_msg(ts_tile_start(all.chip.tile[i], TS_RV_BRISC, 0, 0, &error), "%s", error.text);
    }
    struct ts_trace *trace = trace_path ? trace_on(all.kernel, trace_path) : NULL;
    struct ts_run run = ts_kernel_run(all.kernel, 1000000);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
    uint64_t hash = hash_chip(&all.chip, &run, 2);
    for (uint32_t i = 0; i < all.soc.tiles; i++) {
        hash = hash_bytes(hash, all.chip.tile[i]->l1.bytes, 0x38000);
        hash = ts_hash_word(hash, all.chip.tile[i]->cores[0].instret);
    }
    if (trace)
        trace_off(all.kernel, trace);
    complete_rig_free(&all);
    return hash;
}

// A built-in kernel: its hash over all stats and outputs.
static uint64_t run_kernel(const char *arguments, uint32_t threads, const char *trace_path)
{
    char command[512], line[128] = "";
    char folder[128];
    snprintf(folder, sizeof folder, "%s.d", trace_path ? trace_path : "none");
    snprintf(command, sizeof command, "%s %s -q -j %u --stats-hash %s%s 2>/dev/null", TENSIM_BINARY,
             arguments, threads, trace_path ? "-t -o " : "", trace_path ? folder : "");
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, pipe));
    ck_assert_int_eq(pclose(pipe), 0);
    if (trace_path) {
        snprintf(command, sizeof command, "rm -r %s", folder);
        ck_assert_int_eq(system(command), 0);
    }
    uint64_t hash = 3;
    for (const char *c = line; *c; c++)
        hash = ts_hash_word(hash, (unsigned char)*c);
    return hash;
}

// --- the matrix ---

static const struct {
    const char *name;
    void (*script)(void);
    const char *chip;   // of a script
    const char *kernel; // or a command line; neither: programs on cores
} programs[] = {
    {"all to all", all_to_all, "p150", NULL},
    {"ring on NoC 0", ring0, "p100", NULL},
    {"ring on NoC 1", ring1, "p100", NULL},
    {"multicast tree", tree, "p150", NULL},
    {"rival multicasts", rivals, "p150", NULL},
    {"linked multicasts", linked, "p150", NULL},
    {"semaphore barrier", barrier, "p150", NULL},
    {"DRAM readers", dram_read, "p150", NULL},
    {"DRAM writers", dram_write, "p150", NULL},
    {"DRAM copies", dram_copy, "p150", NULL},
    {"storm of atomics", atomics, "p150", NULL},
    {"transpose", transpose, "p150", NULL},
    {"hot spot", hotspot, "p150", NULL},
    {"priorities", priorities, "p150", NULL},
    {"gather", gather, "p100", NULL},
    {"mixed", mixed, "p150", NULL},
    {"masked writes", inline_writes, "p100", NULL},
    {"blocks and barriers by cores", NULL, NULL, NULL},
    {"matmul on a grid", NULL, NULL,
     "matmul --m 64 --n 64 --k 128 --format bf16 --fidelity lofi --grid 2x2"},
    {"matmul on a tile", NULL, NULL, "matmul --m 64 --n 64 --k 64 --format bfp8 --fidelity hifi2"},
};

static uint64_t run_program(int i, uint32_t threads, const char *trace)
{
    steps = 0;
    return programs[i].script   ? run_script(programs[i].script, programs[i].chip, threads, trace)
           : programs[i].kernel ? run_kernel(programs[i].kernel, threads, trace)
                                : run_cores(threads, trace);
}

// Rows for tests/golden/cycles: name, cycles, hash. The commands are rows of their own there.
START_TEST(golden)
{
    if (programs[_i].kernel)
        return;
    uint64_t hash = run_program(_i, 2, NULL);
    printf("%s,%llu,%016llx\n", programs[_i].name, (unsigned long long)cycles,
           (unsigned long long)hash);
}
END_TEST

START_TEST(one_hash)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    char path[64];
    snprintf(path, sizeof path, "/tmp/tensim-matrix-%d.json.gz", (int)getpid());
    uint64_t want = 0, want_steps = 0;
    // A sample: 1 and 3 threads without a trace, 2 and 8 with one.
    for (unsigned run = 0; run < 8; run++) {
        if (!suite_every_case() && (run & 1) != (run / 2 & 1))
            continue;
        const char *trace = run & 1 ? path : NULL;
        uint32_t n = threads[run / 2];
        uint64_t hash = run_program(_i, n, trace);
        want = run == 0 ? hash : want;
        want_steps = run == 0 ? steps : want_steps;
        ck_assert_msg(hash == want && steps == want_steps, "%s: %u threads, trace %s: another hash",
                      programs[_i].name, n, trace ? "on" : "off");
    }
    unlink(path);
    // Shorter windows: more of them, and nothing else. (Cores run ahead within a window: other
    // steps.)
    for (rig_window = 1; rig_window < 8 && programs[_i].kernel == NULL; rig_window += 6)
        ck_assert_msg(run_program(_i, 2, NULL) == want, "%s: windows of %llu: another hash",
                      programs[_i].name, (unsigned long long)rig_window);
    rig_window = 0;
    printf("  %-30s %016llx\n", programs[_i].name, (unsigned long long)want);
    fflush(stdout);
}
END_TEST

static bool rows; // asked for by --golden

static int begin(int argc, char **argv)
{
    rows = argc == 2 && strcmp(argv[1], "--golden") == 0;
    if (rows)
        setenv("CK_VERBOSITY", "silent", 1);
    return rows || argc == 1 ? 0 : 64;
}

static void add_tests(TCase *tests)
{
    if (!rows)
        suite_sample(4, 8, "pairs of threads and trace for each program");
    tcase_add_loop_test(tests, rows ? golden : one_hash, 0, sizeof programs / sizeof *programs);
}

// A fork would copy every page of a chip.
SUITE("chip_matrix", add_tests, .one_process = true, .begin = begin)
