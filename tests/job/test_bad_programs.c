// Program files with one mistake each: the message names the place and what is wrong.
#include "platform/run/plan/plan.h"
#include "tests/folder.h"
#include "tests/suite.h"

#define CAPTURED                                                                           \
    "captured:\n  metal: e4f9f0b (August 2026)\n  launched: [1-2]\n  go: 9\n  cycles: 1\n" \
    "  release: [{tiles: [1-2], cycle: 0, word: 0}]\n"
#define GOOD "kernels: [{source: k.cpp, on: brisc}]\n"
#define LLK  "name: x\nruntime: llk\nchip: none\ncores: {count: 1}\nunit: {tile: 1}\n"
#define SFPU                                                                                     \
    "buffers: [{id: 0, on: t}]\nkernels: [{image: sfpu, on: compute, args: {phases: 1, repeat: " \
    "1}}, "                                                                                      \
    "{image: reader_l1, on: ncrisc}, {image: writer_l1, on: brisc}]\n"

static const struct {
    const char *text, *place, *message;
} rows[] = {
    {"", "1:1", "empty"},
    {"name: x\nruntime: own\n" GOOD, "2:10", "runtime is llk, or is left out"},
    {LLK "params: {a: b, b: a}\ntensors: {t: {shape: [32, 32]}}\n" SFPU, "6:13",
     "a is made from itself"},
    {LLK "params: {a: {value: 1, colour: 2}}\ntensors: {t: {shape: [32, 32]}}\n" SFPU, "6:24",
     "colour"},
    {LLK "params: {a: {type: word, text: x}}\ntensors: {t: {shape: [32, 32]}}\n" SFPU, "6:20",
     "type is one of"},
    {LLK "tensors: {t: {shape: [32, 40]}}\n" SFPU, "6:14", "tiles have 16 or 32 rows and columns"},
    {LLK "tensors: {t: {shape: [64, 64], order: [2, 3]}}\n" SFPU, "6:39",
     "do not divide 2x2 tiles"},
    {LLK "tensors: {t: {shape: [64, 64], tile: [64, 64]}}\n" SFPU, "6:14", "tiles have 16 or 32"},
    {LLK "buffers: [{id: 0, format: bf16, tiles: 1}]\nkernels: []\n", "6:11", "a file has tensors"},
    {LLK "tensors: {t: {shape: [32, 32]}}\nbuffers: []\nkernels: [{image: nothing, on: compute, "
         "args: {phases: 1, repeat: 1}}]\n",
     "1:1", "no such image"},
    {LLK "tensors: {t: {shape: [32, 32]}}\nbuffers: []\nkernels: [{image: sfpu, on: compute, args: "
         "{colour: 1}}]\n",
     "8:45", "low-level kernels have no argument 'colour'"},
    {LLK "tensors: {t: {shape: [32, 32]}}\nbuffers: []\nkernels: [{image: sfpu, on: compute, args: "
         "{run_type: 7}}]\n",
     "8:44", "run_type is 0 to 4"},
    {"kernels: [\n", "2:1", "did not find expected node content"},
    {"- 1\n", "1:1", "a mapping is expected here"},
    {"tensors: {}\n", "1:1", "kernels"},
    {"kernels: [{source: k.cpp, on: brisc}]\nbogus: 1\n", "2:1", "bogus"},
    {"kernels: [{source: k.cpp, on: brisc}]\ntensor: {}\n", "2:1", "tensors"},
    {"kernels: [{source: k.cpp, on: brisc}]\n" GOOD, "2:1", "twice"},
    {"kernels: {}\n", "1:10", "a list"},
    {"kernels: []\n", "1:10", "at least one"},
    {"kernels: 3\n", "1:10", "list"},
    {"chip: p999\n" GOOD, "1:7", "no chip"},
    {"chip: nothere.yaml\n" GOOD, "1:7", "nothere.yaml: No such file or directory"},
    {"kernels: [{source: k.cpp, on: brisc, compiler: nothere-g++}]\n", "1:48",
     "would execute 'nothere-g++': if you trust it, give --allow=compiler"},
    {"kernels: [{source: k.cpp, on: brisc, compiler: ./nothere/g++}]\n", "1:48", "would execute"},
    {"firmware: nothere\n" GOOD, "1:11", "nothere/brisc/brisc.elf: cannot be opened"},
    {"grid: 99x99\n" GOOD, "1:7", "grid"},
    {"grid: 0x3\n" GOOD, "1:7", "grid"},
    {"grid: big\n" GOOD, "1:7", "grid"},
    {"grid: 15x10\n" GOOD, "1:7", "14x10"},
    {"params: {1a: 3}\n" GOOD, "1:10", "not a name"},
    {"params: {core: 3}\n" GOOD, "1:10", "core"},
    {"params: {a: b}\n" GOOD, "1:13", "nothing is called b"},
    {"params: {a: 7, b: a / 2 * 2}\n" GOOD, "1:19", "7 / 2 leaves a remainder: floor(a / b)"},
    {"params: {a: 7, b: \"a > 8 ? 1 : a / 2\"}\n" GOOD, "1:19", "7 / 2 leaves a remainder"},
    {"params: {a: 3.0 / 2}\n" GOOD, "1:13", "1.5 is not a whole number"},
    {"params: {a: 3 / 2}\n" GOOD, "1:13", "3 / 2 leaves a remainder: floor(a / b) rounds down"},
    {"params: {a: 1.5}\nkernels: [{source: k.cpp, on: brisc, args: [a]}]\n", "2:45",
     "1.5 is not a whole number"},
    {"params: {a: 1.5}\ntensors: {t: {shape: [33 * a, 32]}}\n" GOOD, "2:23", "whole number"},
    {"params: {a: 1.5}\nsizes: {a: 32}\n" GOOD, "1:13", "a=1.5"},
    {"include: kernels\n" GOOD, "1:10", "a list of folders"},
    {"kernels: [{source: k.cpp, on: brisc, varargs: {a: 1}}]\n", "1:47", "a list of expressions"},
    {"kernels: [{source: k.cpp, on: brisc, varargs: [x]}]\n", "1:48", "nothing is called x"},
    {"kernels: [{source: k.cpp, on: brisc, common_varargs: [core_z]}]\n", "1:55",
     "nothing is called core_z"},
    {"kernels: [{source: k.cpp, on: brisc, defines: {A: {value: 1}}}]\n", "1:51", "when"},
    {"kernels: [{source: k.cpp, on: brisc, defines: {A: {when: z}}}]\n", "1:58",
     "nothing is called z"},
    {"kernels: [{source: k.cpp, on: brisc, defines: {A: {when: 1, is: 2}}}]\n", "1:61", "is"},
    {"kernels: [{source: k.cpp, on: brisc, defines: {A: [1]}}]\n", "1:51", "a single value"},
    {"params: {a: 1 +}\n" GOOD, "1:13", "expected an expression"},
    {"params: {a: 1 / 0}\n" GOOD, "1:13", "division by zero"},
    {"params: {a: (1}\n" GOOD, "1:13", "missing )"},
    {"params: {a: [1]}\n" GOOD, "1:14", "a choice is a word"},
    {"params: {a: f(1)}\n" GOOD, "1:13", "no function f of 1 argument"},
    {"params: {f: bf16, g: f + 1}\n" GOOD, "1:22", "nothing is called f"},
    {"cores: 99,0\n" GOOD, "1:8", "outside"},
    {"cores: 3,3..1,1\n" GOOD, "1:8", "before the first"},
    {"cores: 0x0\n" GOOD, "1:8", "names no cores"},
    {"cores: nowhere\n" GOOD, "1:8", "names no cores"},
    {"cores: 2x2 by rows\n" GOOD, "1:8", "by columns"},
    {"cores: [1x1, 1x1]\n" GOOD, "1:14", "twice"},
    {"cores: {9: 1x1}\n" GOOD, "1:9", "not a name"},
    {"cores: {a: 1x1, b: c}\n" GOOD, "1:20", "names no cores"},
    {"cores: 0,0..13,0\n" GOOD, "1:8", "outside"},
    {"cores: {}\nkernels: [{source: k.cpp, on: brisc, cores: []}]\n", "2:45", "no cores"},
    {"cores: {size: [0, 0]}\n" GOOD, "2:10", "ranges of cores are all empty"},
    {"cores: {a: 1x1, b: {size: [0, 1]}}\nkernels: [{source: k.cpp, on: brisc, cores: b}]\n",
     "2:10", "ranges of cores are all empty"},
    {"kernels: [{source: k.cpp, on: brisc, when: 0}]\n", "1:10", "leaves all of them out"},
    {"cores: {a: 1x1, b: {size: [0, 1]}}\ntensors: {x: {shape: [64, 64], in: l1, shard: {shape: "
     "[32, 64], cores: b}}}\n" GOOD,
     "2:72", "this range has none"},
    {"tensors: {a: {shape: [64, 64], in: l1, shard: {shape: [32, 32], cores: 2x2}}}\nbuffers: "
     "[{id: 0, on: a, page: 4096}]\n" GOOD,
     "2:11", "larger than a shard"},
    {"tensors: 3\n" GOOD, "1:10", "names"},
    {"tensors: {a: 3}\n" GOOD, "1:14", "a tensor is"},
    {"tensors: {a: {}}\n" GOOD, "1:14", "shape"},
    {"params: {n: 1, f: {bf16: n > 1, fp16: n > 2}}\n" GOOD, "1:19", "there are none"},
    {"params: {f: {bf16: x}}\n" GOOD, "1:20", "nothing is called x"},
    {"tensors: {a: {shape: 64}}\n" GOOD, "1:22", "list of"},
    {"tensors: {a: {shape: []}}\n" GOOD, "1:22", "1 to 8"},
    {"tensors: {a: {shape: [64, 60]}}\n" GOOD, "1:22", "multiples of 32"},
    {"tensors: {a: {shape: [64, -1]}}\n" GOOD, "1:27", "whole number"},
    {"tensors: {a: {shape: [64, x]}}\n" GOOD, "1:27", "nothing is called x"},
    {"tensors: {a: {shape: [100000, 100000]}}\n" GOOD, "1:22", "at most"},
    {"tensors: {a: {shape: [64, 64], format: bf17}}\n" GOOD, "1:40", "no format"},
    {"tensors: {a: {shape: [64, 64], layout: diagonal}}\n" GOOD, "1:40", "tile or rows"},
    {"tensors: {a: {shape: [64, 64], in: sram}}\n" GOOD, "1:36", "dram or l1"},
    {"tensors: {a: {shape: [64, 64], format: bfp8, layout: rows}}\n" GOOD, "1:54", "tiles only"},
    {"tensors: {a: {shape: [64, 64], page: 64}}\n" GOOD, "1:38", "is a tile"},
    {"tensors: {a: {shape: [3, 5], layout: rows, page: 7}}\n" GOOD, "1:50", "do not divide"},
    {"tensors: {a: {shape: [64, 64], shard: {}}}\n" GOOD, "1:39", "shape"},
    {"tensors: {a: {shape: [64, 64], in: l1, shard: {shape: [64]}}}\n" GOOD, "1:55",
     "[rows, columns]"},
    {"tensors: {a: {shape: [64, 64], in: l1, shard: {shape: [33, 32]}}}\n" GOOD, "1:55",
     "do not divide"},
    {"tensors: {a: {shape: [64, 64], shard: {shape: [32, 32], cores: 1x1}}}\n" GOOD, "1:64",
     "banks"},
    {"tensors: {a: {shape: [64, 64], shard: {shape: [96, 32]}}}\n" GOOD, "1:48", "whole number"},
    {"tensors: {a: {shape: [64, 64], fil: 1}}\n" GOOD, "1:32", "fill"},
    {"tensors: {a: {shape: [64, 64], fill: nothing}}\n" GOOD, "1:38", "nothing is called"},
    {"tensors: {a: {shape: [64, 64], fill: \"normal(0)\"}}\n" GOOD, "1:38", "normal"},
    {"tensors: {a: {shape: [64, 64], fill: \"1 / (row * 64 + column - 70)\"}}\n" GOOD, "1:38",
     "0 of the 4096 values are NaN, 1 infinite, the first in row 1, column 6"},
    {"tensors: {a: {shape: [64, 64], fill: \"sqrt(row - 3)\"}}\n" GOOD, "1:38",
     "192 of the 4096 values are NaN, 0 infinite, the first in row 0, column 0"},
    {"tensors: {a: {shape: [64, 64], file: missing.npy}}\n" GOOD, "1:38", "missing.npy"},
    {"tensors: {a: {shape: [64, 64], file: k.npy}}\n" GOOD, "1:38", "not an .npy"},
    {"tensors: {a: {shape: [64, 64], fill: 1, file: k.npy}}\n" GOOD, "1:47", "fill or a file"},
    {"tensors: {a: {shape: [64, 64], pcc: 0.9}}\n" GOOD, "1:37", "nothing is expected"},
    {"tensors: {a: {shape: [64, 64], expect: 0, pcc: 2}}\n" GOOD, "1:48", "correlation"},
    {"tensors: {a: {shape: [64, 64], expect: 0, tolerance: -1}}\n" GOOD, "1:54", "tolerance"},
    {"tensors: {a: {shape: [64, 64], expect: a @ b}}\n" GOOD, "1:40", "nothing is called b"},
    {"tensors: {a: {shape: [64, 32]}, b: {shape: [64, 64], expect: a @ a}}\n" GOOD, "1:62", "@"},
    {"tensors: {a: {shape: [64, 32]}, b: {shape: [64, 64], expect: t(a)}}\n" GOOD, "1:62",
     "elements"},
    {"tensors: {a: {shape: [64, 64], expect: relu(a}}\n" GOOD, "1:40", "missing )"},
    {"params: {a: 1}\ntensors: {a: {shape: [64, 64]}}\n" GOOD, "2:11", "already"},
    {"tensors: {core: {shape: [64, 64]}}\n" GOOD, "1:11", "core"},
    {"tensors: {a: {shape: [1024, 65536], in: l1, shard: {shape: [1024, 65536]}}}\n" GOOD, "1:14",
     "too many"},
    {"tensors: {a: {shape: [16384, 16384], format: fp32, shard: {shape: [16384, 16384]}}, b: "
     "{shape: [16384, 16384], format: fp32, shard: {shape: [16384, 16384]}}, c: {shape: [16384, "
     "16384], format: fp32, shard: {shape: [16384, 16384]}}, d: {shape: [16384, 16384], format: "
     "fp32, shard: {shape: [16384, 16384]}}}\n" GOOD,
     "1:236", "too many"},
    {"tensors: {a: {shape: [64, 64], seed: -1}}\n" GOOD, "1:38",
     "-1 is not a whole number from 0 to 9007199254740992"},
    {"semaphores: [1]\n" GOOD, "1:13", "initial values"},
    {"semaphores: {s: -1}\n" GOOD, "1:17", "whole number"},
    {"semaphores: {s: {cores: 1x1}}\n" GOOD, "1:17", "value"},
    {"semaphores: {s0: 0, s1: 0, s2: 0, s3: 0, s4: 0, s5: 0, s6: 0, s7: 0, s8: 0, s9: 0, s10: 0, "
     "s11: 0, s12: 0, s13: 0, s14: 0, s15: 0, s16: 0}\n" GOOD,
     "1:137", "at most 16"},
    {"buffers: 1\n" GOOD, "1:10", "list"},
    {"buffers: [1]\n" GOOD, "1:11", "a buffer is"},
    {"buffers: [{pages: 1}]\n" GOOD, "1:11", "id"},
    {"buffers: [{id: 0}]\n" GOOD, "1:11", "pages"},
    {"buffers: [{id: 64, pages: 1}]\n" GOOD, "1:16", "63"},
    {"buffers: [{id: 0, pages: 0}]\n" GOOD, "1:26", "whole number"},
    {"buffers: [{id: 0, pages: 1, format: x}]\n" GOOD, "1:37", "no format"},
    {"buffers: [{id: 0, pages: 1}, {id: 0, pages: 1}]\n" GOOD, "1:30", "already"},
    {"buffers: [{id: 0, pages: 1, with: 3}]\n" GOOD, "1:35", "no buffer"},
    {"buffers: [{id: 0, pages: 1, on: z}]\n" GOOD, "1:33", "no tensor"},
    {"tensors: {a: {shape: [64, 64]}}\nbuffers: [{id: 0, pages: 1, on: a}]\n" GOOD, "2:33",
     "shards"},
    {"buffers: [{id: 0, pages: 1000}]\n" GOOD, "1:11", "too many"},
    {"buffers: [{id: 0, pages: 713}, {id: 1, pages: 3}]\n" GOOD, "1:32", "too many"},
    {"tensors: {a: {shape: [64, 64], in: l1, shard: {shape: [32, 64], cores: 2x1}}}\nbuffers: "
     "[{id: 0, on: a, pages: 9}]\n" GOOD,
     "2:11", "a shard of a"},
    {"buffers: [{id: 0, pages: 1, cores: 99x1}]\n" GOOD, "1:36", "outside"},
    {"kernels: [3]\n", "1:11", "a kernel is"},
    {"kernels: [{on: brisc}]\n", "1:11", "source or an elf"},
    {"kernels: [{source: k.cpp}]\n", "1:11", "on"},
    {"kernels: [{source: k.cpp, on: arc}]\n", "1:31", "brisc"},
    {"kernels: [{source: missing.cpp, on: brisc}]\n", "1:20", "cannot be read"},
    {"kernels: [{source: k.cpp, elf: k.elf, on: brisc}]\n", "1:11", "source or an elf"},
    {"kernels: [{elf: missing.elf, on: brisc}]\n", "1:17", "cannot be read"},
    {"kernels: [{elf: {math: k.cpp}, on: compute}]\n", "1:17", "unpack"},
    {"kernels: [{source: k.cpp, on: brisc, noc: 2}]\n", "1:43", "2 is out of range: 0 to 1"},
    {"kernels: [{source: k.cpp, on: compute, noc: 0}]\n", "1:45", "no NoC"},
    {"kernels: [{source: k.cpp, on: brisc, fidelity: lofi}]\n", "1:48", "compute"},
    {"kernels: [{source: k.cpp, on: compute, fidelity: hifi5}]\n", "1:50", "lofi"},
    {"kernels: [{source: k.cpp, on: compute, fp32: 3}]\n", "1:46",
     "3 is not a whole number from 0 to 1"},
    {"kernels: [{source: k.cpp, on: compute, throttle: 6}]\n", "1:50",
     "6 is not a whole number from 0 to 5"},
    {"kernels: [{source: k.cpp, on: brisc, optimise: O9}]\n", "1:48", "O0"},
    {"kernels: [{source: k.cpp, on: brisc, args: 3}]\n", "1:44", "a list"},
    {"kernels: [{source: k.cpp, on: brisc, args: [x]}]\n", "1:45", "nothing is called x"},
    {"kernels: [{source: k.cpp, on: brisc, args: [1, 2, 0x1ffffffff]}]\n", "1:51", "whole number"},
    {"kernels: [{source: k.cpp, on: brisc, args: [noc_x(20)]}]\n", "1:45", "the grid has"},
    {"kernels: [{source: k.cpp, on: brisc, args: [1.5]}]\n", "1:45", "whole number"},
    {"kernels: [{source: k.cpp, on: brisc, compile: [tensor: z]}]\n", "1:56", "no tensor"},
    {"kernels: [{source: k.cpp, on: brisc, compile: [tensr: z]}]\n", "1:48", "tensor"},
    {"kernels: [{source: k.cpp, on: brisc, compile: [core]}]\n", "1:48", "nothing is called core"},
    {"kernels: [{source: k.cpp, on: brisc, named: [1]}]\n", "1:45", "names"},
    {"kernels: [{source: k.cpp, on: brisc, defines: 1}]\n", "1:47", "names"},
    {"kernels: [{source: k.cpp, on: brisc, include: x}]\n", "1:47", "folders"},
    {"kernels: [{source: k.cpp, on: brisc, cores: 5,5..4,4}]\n", "1:47",
     "no key '5..4' is known here"},
    {"kernels:\n  - {source: k.cpp, on: brisc}\n  - {source: k.cpp, on: brisc}\n", "3:5",
     "already (line 2)"},
    {"kernels:\n  - {source: k.cpp, on: brisc}\n  - {source: k.cpp, on: reader}\n", "3:5", "NoC 0"},
    {"kernels: [{source: k.cpp, on: compute, unpack_to_dst: [64]}]\n", "1:56", "63"},
    {"cores: {size: [1]}\n" GOOD, "1:15", "two numbers"},
    {"cores: {a: 1x1, b: {size: [30, 1]}}\n" GOOD, "1:20", "outside the grid"},
    {"params: {a: [x, y]}\ntensors: {t: {shape: [32, 32], in: a}}\n" GOOD, "2:36", "dram or l1"},
    {"params: {a: []}\n" GOOD, "1:13", "there are"},
    {"kernels: [{source: k.cpp, on: brisc, args: [{times: 2}]}]\n", "1:45", "of"},
    {"kernels: [{source: k.cpp, on: brisc, args: [{times: -1, of: i}]}]\n", "1:53", "whole number"},
    {"kernels: [{source: k.cpp, on: brisc, args: [i]}]\n", "1:45", "nothing is called i"},
    {"kernels: [{source: k.cpp, on: brisc, when: z}]\n", "1:44", "nothing is called z"},
    {"zones: 3\n" GOOD, "1:8", "a mapping or a list is expected here"},
    {"kernels: [{source: k.cpp, on: brisc, argz: []}]\n", "1:38", "args"},
    {"captured: 3\n", "1:11", "mapping"},
    {"captured: {}\n", "1:11", "metal"},
    {"captured: {}\n" GOOD, "2:1", "kernels"},
    {"captured: {metal: old}\n", "1:19", "does not know (known: e4f9f0b"},
    {CAPTURED "  boot: []\n", "2:3", "memory"},
    {CAPTURED "  boot: [{tiles: [0-0], at: 0, words: [1]}]\n  memory: []\n", "7:19",
     "'0-0' is not"},
    {CAPTURED "  boot: [{tiles: [1-2], at: 0x17fffe, words: [1]}]\n  memory: []\n", "7:29",
     "neither in L1 nor a register"},
    {CAPTURED "  boot: [{tiles: [1-2], at: 0x1ffb121b0, words: [1]}]\n  memory: []\n", "7:29",
     "neither in L1"},
    {CAPTURED "  boot: [{tiles: [1-2], at: 0, file: no.bin}]\n  memory: []\n", "7:38", "no.bin"},
    {CAPTURED "  boot: []\n  memory: [{dram: 8, at: 0, words: [1]}]\n", "8:19", "0 to 7"},
    {"captured:\n  metal: e4f9f0b (August 2026)\n  launched: [2-2]\n  go: 9\n  cycles: 1\n"
     "  release: [{tiles: [1-2], cycle: 0, word: 0}]\n  boot: []\n  memory: []\n",
     "2:3", "not among those of `release'"},
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

static void write_file(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(is_refused)
{
    struct ts_error error = {0};
    char path[100], place[160];
    folder_make();
    write_file("k.cpp", "void kernel_main() {}\n");
    write_file("k.npy", "nothing\n");
    write_file("p.yaml", rows[_i].text);
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    snprintf(place, sizeof place, "%s:%s: ", path, rows[_i].place);
    struct ts_plan *plan = ts_plan_read(path, &(struct ts_plan_options){0}, &error);
    ck_assert_ptr_null(plan);
    ck_assert_int_eq(error.code, TS_SETUP);
    ck_assert_msg(strncmp(error.text, place, strlen(place)) == 0, "%s: expected at %s: %s",
                  rows[_i].text, rows[_i].place, error.text);
    ck_assert_msg(strstr(error.text, rows[_i].message) != NULL, "%s: expected '%s': %s",
                  rows[_i].text, rows[_i].message, error.text);
    folder_remove();
}
END_TEST

// What the table must not refuse for another reason.
START_TEST(is_good)
{
    struct ts_error error = {0};
    char path[100];
    folder_make();
    write_file("k.cpp", "void kernel_main() {}\n");
    write_file("p.yaml", GOOD);
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    struct ts_plan *plan = ts_plan_read(path, &(struct ts_plan_options){0}, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    ck_assert(ts_plan_is(path));
    ts_plan_free(plan);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, is_good);
    tcase_add_loop_test(tests, is_refused, 0, ROWS);
}
SUITE("bad_programs", add_tests)
