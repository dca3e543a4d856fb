// The public tests of pto-isa, re-created: shapes, types, pipes; data checked
// against an independent evaluation in double.
#include "platform/study/pipe/run.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC "tests/study/pipe/public/"
#define A5     "profile=a5 "
// The split of "cv": the tile of a Vector core and its place.
#define ROWS "params.SPLIT=1 params.VR=8 params.VC=32 params.RO=8 params.CO=0 "
#define COLS "params.SPLIT=2 params.VR=16 params.VC=16 params.RO=0 params.CO=16 "
#define WHOLE \
    "params.SPLIT=0 params.VR=16 params.VC=32 params.RO=0 params.CO=0 pipes.c2v.no_split=true "
#define F32                                                                          \
    "tensors.a.type=fp32 tensors.b.type=fp32 tiles.a1.type=fp32 tiles.b1.type=fp32 " \
    "tiles.a0.type=fp32 tiles.b0.type=fp32 "
#define BF16                                                                         \
    "tensors.a.type=bf16 tensors.b.type=bf16 tiles.a1.type=bf16 tiles.b1.type=bf16 " \
    "tiles.a0.type=bf16 tiles.b0.type=bf16 "
#define HALF "pipes.c2v.slot_size=16*N*2 pipes.c2v.slots=2 "
// The split of "vc": int8 or int16, rows, columns or nothing.
#define VROWS "params.SPLIT=1 params.VR=32 params.VC=N params.RO=32 params.CO=0 "
#define VCOLS "params.SPLIT=2 params.VR=64 params.VC=N/2 params.RO=0 params.CO=N/2 "
#define VWHOLE \
    "params.SPLIT=0 params.VR=64 params.VC=N params.RO=0 params.CO=0 pipes.weights.no_split=true "
#define INT16 "tensors.bq.type=int16 tiles.q.type=int16 "
#define BCOLS                                                                           \
    "params.SPLIT=2 params.AR=128 params.AC=32 params.OR=128 params.OC=64 params.RO=0 " \
    "params.CA=32 params.CO=64 "

static const struct {
    const char *name, *file, *sets;
} rows[] = {
    {"cv 1", PUBLIC "cv.yaml", ROWS "params.M=16"},
    {"cv 2", PUBLIC "cv.yaml", ROWS "params.M=32"},
    {"cv 3", PUBLIC "cv.yaml", ROWS F32 "params.M=16"},
    {"cv 4", PUBLIC "cv.yaml", ROWS "params.M=64"},
    {"cv 5", PUBLIC "cv.yaml", COLS "params.M=16"},
    {"cv 6", PUBLIC "cv.yaml", COLS "params.M=32"},
    {"cv 7", PUBLIC "cv.yaml", COLS F32 "params.M=16"},
    {"cv 8", PUBLIC "cv.yaml", COLS "params.M=64"},
    {"cv bf16", PUBLIC "cv.yaml", ROWS BF16 "params.M=64"},
    {"cv 13", PUBLIC "cv-odd.yaml", "params.VALID_N=128 params.SPLIT=3"},
    {"cv 14", PUBLIC "cv-odd.yaml", "params.VALID_N=127 params.SPLIT=4"},
    {"cv 1 a5", PUBLIC "cv.yaml", A5 ROWS HALF "params.M=16"},
    {"cv 2 a5", PUBLIC "cv.yaml", A5 ROWS HALF "params.M=32"},
    {"cv 3 a5", PUBLIC "cv.yaml", A5 ROWS HALF F32 "params.M=16"},
    {"cv 4 a5", PUBLIC "cv.yaml", A5 ROWS HALF "params.M=64"},
    {"cv 5 a5", PUBLIC "cv.yaml", A5 COLS HALF "params.M=16"},
    {"cv 6 a5", PUBLIC "cv.yaml", A5 COLS HALF "params.M=32"},
    {"cv 7 a5", PUBLIC "cv.yaml", A5 COLS HALF F32 "params.M=16"},
    {"cv 8 a5", PUBLIC "cv.yaml", A5 COLS HALF "params.M=64"},
    {"cv 4 a5 gm", PUBLIC "cv.yaml",
     A5 ROWS "params.M=64 pipes.c2v.dir=c2v_gm pipes.c2v.slots=2 params.FREE=0"},
    {"cv_nosplit 1", PUBLIC "cv.yaml", WHOLE "params.M=16 pipes.c2v.slots=2"},
    {"cv_nosplit 2", PUBLIC "cv.yaml", WHOLE "params.M=32 pipes.c2v.slots=2"},
    {"cv_nosplit 3", PUBLIC "cv.yaml", WHOLE F32 "params.M=16 pipes.c2v.slots=2"},
    {"cv_nosplit 4", PUBLIC "cv.yaml",
     WHOLE "params.M=640 params.N=64 params.VC=64 pipes.c2v.slots=8 pipes.c2v.local_slots=8 "
           "dispatches=80"},
    {"cv_nosplit 1 a5", PUBLIC "cv.yaml",
     A5 WHOLE "params.NOSPLIT=1 params.M=16 pipes.c2v.slots=2"},
    {"cv_nosplit 2 a5", PUBLIC "cv.yaml",
     A5 WHOLE "params.NOSPLIT=1 params.M=32 pipes.c2v.slots=2"},
    {"cv_nosplit 4 a5", PUBLIC "cv-strips.yaml", ""},
    {"vc 1", "config/pipes/dequant-gemm.yaml", VROWS "params.K=64"},
    {"vc 2", "config/pipes/dequant-gemm.yaml", VROWS "params.K=128"},
    {"vc 3", "config/pipes/dequant-gemm.yaml", VROWS "params.K=256"},
    {"vc 4", "config/pipes/dequant-gemm.yaml", VROWS INT16 "params.K=64"},
    {"vc 5", "config/pipes/dequant-gemm.yaml", VROWS INT16 "params.K=128"},
    {"vc 6", "config/pipes/dequant-gemm.yaml", VROWS INT16 "params.K=256"},
    {"vc 7", "config/pipes/dequant-gemm.yaml", "params.N=64 " VCOLS "params.K=64"},
    {"vc 8", "config/pipes/dequant-gemm.yaml", "params.N=64 " VCOLS "params.K=128"},
    {"vc 9", "config/pipes/dequant-gemm.yaml", "params.N=64 " VCOLS "params.K=256"},
    {"vc 10", "config/pipes/dequant-gemm.yaml", VCOLS INT16 "params.K=64"},
    {"vc 11", "config/pipes/dequant-gemm.yaml", VCOLS INT16 "params.K=128"},
    {"vc 12", "config/pipes/dequant-gemm.yaml", VCOLS INT16 "params.K=256"},
    {"vc 2 a5", "config/pipes/dequant-gemm.yaml", A5 VROWS "params.K=128"},
    {"vc 3 a5", "config/pipes/dequant-gemm.yaml", A5 VROWS "params.K=256"},
    {"vc 6 a5", "config/pipes/dequant-gemm.yaml", A5 VROWS INT16 "params.K=256"},
    {"vc 9 a5", "config/pipes/dequant-gemm.yaml", A5 "params.N=64 " VCOLS "params.K=256"},
    {"vc 12 a5", "config/pipes/dequant-gemm.yaml", A5 VCOLS INT16 "params.K=256"},
    {"vc 13", PUBLIC "vc13.yaml", "params.M=64"},
    {"vc 13 a5", PUBLIC "vc13.yaml", A5 "params.M=128"},
    {"vc_nosplit 1", "config/pipes/dequant-gemm.yaml", VWHOLE "params.K=64"},
    {"vc_nosplit 2", "config/pipes/dequant-gemm.yaml", VWHOLE "params.K=128"},
    {"vc_nosplit 3", "config/pipes/dequant-gemm.yaml", VWHOLE "params.K=256"},
    {"vc_nosplit 4", "config/pipes/dequant-gemm.yaml", VWHOLE INT16 "params.K=64"},
    {"vc_nosplit 5", "config/pipes/dequant-gemm.yaml", VWHOLE INT16 "params.K=128"},
    {"vc_nosplit 6", "config/pipes/dequant-gemm.yaml", VWHOLE INT16 "params.K=256"},
    {"dir_both 1", "config/pipes/bidirectional.yaml", ""},
    {"dir_both 2", "config/pipes/bidirectional.yaml", BCOLS},
    {"dir_both 1 a5", "config/pipes/bidirectional.yaml", A5 "pipes.both.slot_size=32768"},
    {"dir_both 2 a5", "config/pipes/bidirectional.yaml", A5 BCOLS "pipes.both.slot_size=32768"},
    {"dir_both_concurrent 1", PUBLIC "both-concurrent.yaml", ""},
    {"dir_both_concurrent 2", PUBLIC "both-concurrent.yaml", BCOLS},
    {"mixed 1", PUBLIC "mixed.yaml", "params.M=64 params.K=64 params.N=32 params.SLOT=16384"},
    {"mixed 2", PUBLIC "mixed.yaml", "params.M=64 params.K=64 params.N=64 params.SLOT=16384"},
    {"mixed 3", PUBLIC "mixed.yaml", "params.M=32 params.K=32 params.N=16 params.SLOT=4096"},
    {"mixed 4", PUBLIC "mixed.yaml",
     "params.M=64 params.K=64 params.N=32 params.SLOT=16384 pipes.p.dir=both pipes.p.ub=0 "
     "unsafe=true"},
    {"mixed 6", PUBLIC "mixed.yaml",
     "params.M=32 params.K=32 params.N=16 params.SLOT=4096 pipes.p.dir=both"},
    {"fixpipe 1", PUBLIC "fixpipe-float.yaml", ""},
    {"fixpipe 2", PUBLIC "fixpipe-bf16.yaml", ""},
    {"fixpipe 3", PUBLIC "fixpipe-int8.yaml", ""},
    {"fixpipe 4", PUBLIC "fixpipe-int8.yaml", "params.COLUMNS=1 tensors.out.expect=(a@b)*s+1"},
    {"fixpipe 1 a5", PUBLIC "fixpipe-float.yaml", A5 "params.A5=1"},
    {"fixpipe 2 a5", PUBLIC "fixpipe-bf16.yaml", A5 "params.A5=1"},
    {"fixpipe 3 a5", PUBLIC "fixpipe-int8.yaml", A5 "params.A5=1"},
    {"fixpipe 4 a5", PUBLIC "fixpipe-int8.yaml",
     A5 "params.A5=1 params.COLUMNS=1 tensors.out.expect=(a@b)*s+1"},
    {"subtile", PUBLIC "subtile.yaml", ""},
    {"subtile a5", PUBLIC "subtile.yaml", A5 "pipes.p.dir=c2v_gm"},
    {"cpu 64x128 depth 1", PUBLIC "copy.yaml", "params.DEPTH=1"},
    {"cpu 64x128 depth 2", PUBLIC "copy.yaml", "params.DEPTH=2"},
    {"cpu 128x128 depth 4", PUBLIC "copy.yaml", "params.R=128 params.TILES=9"},
    {"cpu 16x16 depth 8", PUBLIC "copy.yaml",
     "params.R=16 params.C=16 params.TILES=20 params.DEPTH=8"},
    {"cpu 16x32 int32", PUBLIC "copy.yaml",
     "params.R=16 params.C=32 params.DEPTH=2 tensors.in.type=int32 tensors.out.type=int32 "
     "tiles.x.type=int32 "
     "tiles.m.type=int32 tensors.in.init=ints tensors.in.low=-100000000 tensors.in.high=100000000"},
    {"cpu variant G", PUBLIC "copy.yaml", "params.DEPTH=2 variant=G"},
    {"cpu variant E", PUBLIC "copy.yaml", "params.DEPTH=4 variant=E"},
    {"cpu int8 a5", PUBLIC "copy.yaml",
     A5 "params.R=32 params.DEPTH=2 tensors.in.type=int8 tensors.out.type=int8 tiles.x.type=int8 "
        "tiles.m.type=int8 "
        "tensors.in.init=ints tensors.in.low=-128 tensors.in.high=127"},
    {"cpu fp16 a5", PUBLIC "copy.yaml",
     A5 "params.R=32 params.DEPTH=8 params.TILES=30 tensors.in.type=fp16 tensors.out.type=fp16 "
        "tiles.x.type=fp16 "
        "tiles.m.type=fp16"},
};

enum { SETS = 32 };

// Loads a program with the words of a text as settings, each of which it must have.
static void load(struct ts_pipe_program *program, const char *name, const char *file,
                 const char *sets)
{
    struct ts_error error = {0};
    char path[300], text[1000];
    const char *set[SETS];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", TENSIM_SOURCE_DIR, file);
    snprintf(text, sizeof text, "%s", sets);
    for (char *word = strtok(text, " "); word && count < SETS; word = strtok(NULL, " "))
        set[count++] = word;
    ck_assert_msg(ts_pipe_load_set(program, path, set, count, &error) == TS_OK, "%s: %s", name,
                  error.text);
}

START_TEST(test_row)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    load(&program, rows[_i].name, rows[_i].file, rows[_i].sets);
    ts_pipe_run_alone(&run, &program, 1, &error);
    ck_assert_msg(error.code == TS_OK && run.verdict == TS_PIPE_PASS, "%s: %s %s", rows[_i].name,
                  ts_pipe_verdict_names[run.verdict], error.code ? error.text : run.why);
    ck_assert_msg(run.output_count > 0 && run.outputs[0].compared, "%s: nothing was compared",
                  rows[_i].name);
    // Every counter is 0 after each dispatch (variant E leaves its initial credits, as the note has
    // no destructor).
    ck_assert_msg(run.findings.seen[TS_FINDING_RESIDUAL] == 0 || strstr(rows[_i].name, "variant E"),
                  "%s: leftovers", rows[_i].name);
    ck_assert_msg(run.findings.seen[TS_FINDING_UNREAD] == 0, "%s: unread tiles", rows[_i].name);
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}
END_TEST

static enum ts_pipe_verdict verdict_of(const char *file, const char *sets_text, ts_cycle *cycles)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    load(&program, file, file, sets_text);
    ts_pipe_run_alone(&run, &program, 1, &error);
    enum ts_pipe_verdict verdict = run.verdict;
    *cycles = run.run.cycle;
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
    return verdict;
}

// mixed_tile_size: with the local stride of before 2026-08-13 tiles of unequal size overlap, equal
// ones do not.
START_TEST(test_old_local_stride)
{
    ts_cycle cycles;
    const char *old = "pipes.p.local_stride=tile params.M=64 params.K=64 ";
    char text[200];
    snprintf(text, sizeof text, "%s%s", old, "params.N=32");
    ck_assert_int_ne(verdict_of(PUBLIC "mixed.yaml", text, &cycles), TS_PIPE_PASS);
    snprintf(text, sizeof text, "%s%s", old, "params.N=64");
    ck_assert_int_eq(verdict_of(PUBLIC "mixed.yaml", text, &cycles), TS_PIPE_PASS);
}
END_TEST

// 64 x 64 x 512 attention: the published cost model takes 12438 cycles. It does not overlap the
// pipes of a core (its events are keyed by destination and id), so the program without overlap is
// the close one.
START_TEST(test_attention_time)
{
    ts_cycle cycles;
    const char *file = "config/pipes/flash-attention.yaml";
    ck_assert_int_eq(verdict_of(file, "preset=flat", &cycles), TS_PIPE_PASS);
    ck_assert_msg(cycles > 12438 * 75 / 100 && cycles < 12438 * 125 / 100, "%llu",
                  (unsigned long long)cycles);
    ck_assert_int_eq(verdict_of(file, "preset=flat params.SERIAL=1", &cycles), TS_PIPE_PASS);
    ck_assert_msg(cycles > 12438 * 95 / 100 && cycles < 12438 * 105 / 100, "%llu",
                  (unsigned long long)cycles);
    ck_assert_int_eq(verdict_of(file, "preset=fitted", &cycles), TS_PIPE_PASS);
    ck_assert_int_eq(verdict_of(file, "preset=doc params.S1=2048 params.PRE=2", &cycles),
                     TS_PIPE_PASS);
    ck_assert_int_eq(verdict_of(file, "params.S1=4096 params.DEPTH=2 params.PRE=1", &cycles),
                     TS_PIPE_PASS);
    // A ring as deep as the run-ahead of QK or not at all: with 2 slots and 4 tiles ahead the Cube
    // waits forever.
    ck_assert_int_eq(verdict_of(file, "params.S1=4096 params.DEPTH=2 params.PRE=4", &cycles),
                     TS_PIPE_DEADLOCK);
}
END_TEST

// cv_nosplit 4: 8 slots, 40 tiles: the destructor takes exactly 2 credits; and the closed form
// against a count.
START_TEST(test_pending_credits)
{
    struct ts_ring_config pipe = {.slots = 8, .variant = TS_VARIANT_A};
    ck_assert_uint_eq(ts_ring_drain(&pipe, 40), 2);
    for (uint32_t slots = 1; slots <= 16; slots++)
        for (uint32_t pushes = 0; pushes < 200; pushes++) {
            pipe.slots = slots;
            int64_t credits = 0;
            for (uint32_t i = 0; i < pushes; i++)
                credits += ts_ring_notifies(&pipe, i) - ts_ring_waits(&pipe, i);
            ck_assert_int_eq((int64_t)ts_ring_drain(&pipe, pushes), credits > 0 ? credits : 0);
        }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_row, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, test_pending_credits);
    tcase_add_test(tests, test_old_local_stride);
    tcase_add_test(tests, test_attention_time);
}

SUITE("pipe public tests", add_tests, .one_process = true)
