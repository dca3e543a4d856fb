// Random programs against an independent replay of the credit rules.
//
// The replay below is independent of the machine: three lists of pushes and pops, counters with
// broadcast and pairwise reduce, the sparse rules written out again. Without aliasing every counter
// has one waiter, so whether a program ends does not depend on time, and both must agree. Depths 1,
// 2, 3 and even never overrun; 5 and 7 do.
#include "platform/study/pipe/run.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PROGRAMS = 400 };
#else
enum { PROGRAMS = 10000 };
#endif
enum { CHUNKS = 20, MAX_OPS = 64, MAX_PIPES = 3 };

static unsigned below(uint64_t *state, unsigned limit)
{
    return (unsigned)(random64(state) >> 20) % limit;
}

// --- a program: what each side does, in order ---

struct pipe {
    int slots, flag;
    bool c2v, v2c;
};

struct op {
    int pipe;
    bool push;
};

struct program {
    struct pipe pipe[MAX_PIPES];
    int pipes;
    struct op op[2][MAX_OPS]; // Cube, Vector
    int ops[2];
};

static void put(struct program *self, int side, int pipe, bool push)
{
    if (self->ops[side] < MAX_OPS)
        self->op[side][self->ops[side]++] = (struct op){pipe, push};
}

static void shuffle(struct program *self, int side, uint64_t *state, unsigned swaps)
{
    for (unsigned i = 0; i < swaps && self->ops[side] > 1; i++) {
        unsigned a = below(state, (unsigned)self->ops[side] - 1);
        struct op op = self->op[side][a];
        self->op[side][a] = self->op[side][a + 1];
        self->op[side][a + 1] = op;
    }
}

static void make(struct program *self, uint64_t *state)
{
    static const int safe[] = {1, 2, 3, 4, 6, 8, 10, 12, 14};
    memset(self, 0, sizeof *self);
    self->pipes = 1 + (int)below(state, MAX_PIPES);
    int flag = 0;
    int left[MAX_PIPES][2];
    for (int p = 0; p < self->pipes; p++) {
        struct pipe *pipe = &self->pipe[p];
        unsigned kind = below(state, 3);
        pipe->slots = safe[below(state, 3) ? below(state, 5) : below(state, 9)];
        pipe->flag = flag;
        pipe->c2v = kind != 1;
        pipe->v2c = kind != 0;
        flag += kind == 2 ? 4 : 2;
        left[p][0] = pipe->c2v ? (int)below(state, 11) : 0;
        left[p][1] = pipe->v2c ? (int)below(state, 11) : 0;
    }
    // An order in which everything works: each push followed by its pop; then neighbours change
    // places.
    for (int rounds = 0; rounds < 200; rounds++) {
        int p = (int)below(state, (unsigned)self->pipes), half = (int)below(state, 2);
        if (left[p][half] == 0 || self->ops[0] >= MAX_OPS || self->ops[1] >= MAX_OPS)
            continue;
        left[p][half]--;
        put(self, half, p, true);
        put(self, 1 - half, p, false);
    }
    unsigned swaps = below(state, 4) * below(state, 60);
    shuffle(self, 0, state, swaps);
    shuffle(self, 1, state, swaps);
}

// --- the replay ---

struct replay {
    int counter[3][16]; // by receiver and flag
    int half[2][16];    // Cube's counters: sets of each AIV that wait for the other's
    int pushed[3][MAX_PIPES], popped[3][MAX_PIPES];
    int at[3];
    int drained[3];
};

static int period(int slots)
{
    return slots < 3 ? slots : slots / 2;
}

static void set(struct replay *self, int core, int flag)
{
    if (core == 0) {
        self->counter[1][flag]++;
        self->counter[2][flag]++;
    } else {
        self->half[core - 1][flag]++;
        if (self->half[0][flag] && self->half[1][flag]) {
            self->half[0][flag]--;
            self->half[1][flag]--;
            self->counter[0][flag]++;
        }
    }
}

static bool wait(struct replay *self, int core, int flag)
{
    if (self->counter[core][flag] == 0)
        return false;
    self->counter[core][flag]--;
    return true;
}

// One operation of a core; false if it must wait.
static bool advance(const struct program *program, struct replay *self, int core)
{
    int side = core > 0;
    if (self->at[core] < program->ops[side]) {
        const struct op *op = &program->op[side][self->at[core]];
        const struct pipe *pipe = &program->pipe[op->pipe];
        bool c2v = op->push == (core == 0);
        int base = pipe->flag + (!c2v && pipe->c2v && pipe->v2c ? 2 : 0), p = period(pipe->slots);
        if (op->push) {
            int i = self->pushed[core][op->pipe];
            if (i >= pipe->slots && i % p == 0 && !wait(self, core, base + 1))
                return false;
            self->pushed[core][op->pipe]++;
            set(self, core, base);
        } else {
            if (!wait(self, core, base))
                return false;
            int j = self->popped[core][op->pipe]++;
            if ((j + 1) % p == 0)
                set(self, core, base + 1);
        }
        self->at[core]++;
        return true;
    }
    // Destructors: the last pipe first, one credit at a time.
    int skip = self->drained[core];
    for (int q = program->pipes - 1; q >= 0; q--) {
        const struct pipe *pipe = &program->pipe[q];
        int n = self->pushed[core][q], p = period(pipe->slots), pending = n / p;
        for (int i = pipe->slots; i < n; i++)
            pending -= i % p == 0;
        if (skip >= pending) {
            skip -= pending;
            continue;
        }
        bool second = core > 0 && pipe->c2v && pipe->v2c;
        if (!wait(self, core, pipe->flag + (second ? 3 : 1)))
            return false;
        self->drained[core]++;
        return true;
    }
    return false;
}

static bool ends(const struct program *program)
{
    struct replay replay = {0};
    for (bool moved = true; moved;) {
        moved = false;
        for (int core = 0; core < 3; core++)
            while (advance(program, &replay, core))
                moved = true;
    }
    for (int core = 0; core < 3; core++) {
        int pending = 0;
        for (int q = 0; q < program->pipes; q++) {
            int n = replay.pushed[core][q], p = period(program->pipe[q].slots);
            pending += n / p;
            for (int i = program->pipe[q].slots; i < n; i++)
                pending -= i % p == 0;
        }
        if (replay.at[core] < program->ops[core > 0] || replay.drained[core] < pending)
            return false;
    }
    return true;
}

// --- the replay of A5: pushes and pops of a core go on apart, one counter for each pair of cores
// ---

enum { LANES = 6 }; // Cube pushes, Cube pops, AIV0 pushes, AIV0 pops, AIV1 pushes, AIV1 pops

struct replay5 {
    int counter[LANES][2][16]; // by waiting lane, AIV and flag
    int done[LANES][MAX_PIPES];
    int at[LANES];
    int drained[LANES];
};

static int *counter5(struct replay5 *self, int core, bool pushes, int aiv, int flag)
{
    return &self->counter[2 * core + !pushes][aiv][flag];
}

// The Cube waits for both AIVs, an AIV for the Cube; what is taken is taken one by one.
static bool wait5(struct replay5 *self, int core, bool pushes, int flag)
{
    int first = core == 0 ? 0 : core - 1, last = core == 0 ? 1 : core - 1;
    for (int aiv = first; aiv <= last; aiv++)
        if (*counter5(self, core, pushes, aiv, flag) == 0)
            return false;
    for (int aiv = first; aiv <= last; aiv++)
        --*counter5(self, core, pushes, aiv, flag);
    return true;
}

static void set5(struct replay5 *self, int core, bool to_pops, int flag)
{
    if (core == 0) {
        ++*counter5(self, 1, !to_pops, 0, flag);
        ++*counter5(self, 2, !to_pops, 1, flag);
    } else {
        ++*counter5(self, 0, !to_pops, core - 1, flag);
    }
}

static int pending5(const struct program *program, const struct replay5 *self, int lane)
{
    int pending = 0;
    for (int q = 0; q < program->pipes && lane % 2 == 0; q++) {
        int n = self->done[lane][q], p = period(program->pipe[q].slots);
        pending += n / p;
        for (int i = program->pipe[q].slots; i < n; i++)
            pending -= i % p == 0;
    }
    return pending;
}

static bool advance5(const struct program *program, struct replay5 *self, int lane)
{
    int core = lane / 2, side = core > 0;
    bool pushes = lane % 2 == 0;
    while (self->at[lane] < program->ops[side] && program->op[side][self->at[lane]].push != pushes)
        self->at[lane]++;
    if (self->at[lane] < program->ops[side]) {
        const struct op *op = &program->op[side][self->at[lane]];
        const struct pipe *pipe = &program->pipe[op->pipe];
        bool c2v = pushes == (core == 0);
        int base = pipe->flag + (!c2v && pipe->c2v && pipe->v2c ? 2 : 0), p = period(pipe->slots);
        int i = self->done[lane][op->pipe];
        if (pushes ? i >= pipe->slots && i % p == 0 && !wait5(self, core, true, base + 1)
                   : !wait5(self, core, false, base))
            return false;
        self->done[lane][op->pipe]++;
        if (pushes)
            set5(self, core, true, base);
        else if ((i + 1) % p == 0)
            set5(self, core, false, base + 1);
        self->at[lane]++;
        return true;
    }
    if (self->drained[lane] >= pending5(program, self, lane))
        return false;
    // Destructors, the last pipe first.
    int skip = self->drained[lane];
    for (int q = program->pipes - 1; q >= 0; q--) {
        const struct pipe *pipe = &program->pipe[q];
        int n = self->done[lane][q], p = period(pipe->slots), pending = n / p;
        for (int i = pipe->slots; i < n; i++)
            pending -= i % p == 0;
        if (skip < pending) {
            if (!wait5(self, core, true, pipe->flag + (core > 0 && pipe->c2v && pipe->v2c ? 3 : 1)))
                return false;
            self->drained[lane]++;
            return true;
        }
        skip -= pending;
    }
    return false;
}

static bool ends5(const struct program *program)
{
    struct replay5 replay = {0};
    for (bool moved = true; moved;) {
        moved = false;
        for (int lane = 0; lane < LANES; lane++)
            while (advance5(program, &replay, lane))
                moved = true;
    }
    for (int lane = 0; lane < LANES; lane++)
        if (replay.at[lane] < program->ops[lane > 1] ||
            replay.drained[lane] < pending5(program, &replay, lane))
            return false;
    return true;
}

// --- the same program for the machine ---

static void write_side(const struct program *self, int side, uint64_t *state, char *text,
                       size_t room, size_t *used)
{
    *used += (size_t)snprintf(text + *used, room - *used,
                              side ? "vector: |\n  barrier all\n" : "cube: |\n  barrier all\n");
    for (int i = 0; i < self->ops[side]; i++) {
        const struct op *op = &self->op[side][i];
        if (below(state, 4) == 0) // something slow on the pipe that loads
            *used += (size_t)snprintf(text + *used, room - *used, "  tload %s, far\n",
                                      side ? "bigv" : "bigm");
        *used += (size_t)snprintf(text + *used, room - *used, "  %s %s, p%d, up_down\n",
                                  op->push ? "tpush" : "tpop",
                                  op->push ? (side ? "x" : "acc") : (side ? "y" : "m"), op->pipe);
        if (!op->push) // A5; no operation on A2/A3
            *used += (size_t)snprintf(text + *used, room - *used, "  tfree p%d, up_down\n",
                                      op->pipe);
    }
}

static const char *write_program(const struct program *self, uint64_t *state, bool a5)
{
    static char text[16384];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "name: fuzz\nprofile: %s\npublished: [flag_range]\ndata: false\ntiming: {flag: %u, queue: "
        "512}\n"
        "tensors:\n  - {name: far, rows: 64, cols: 64}\n"
        "tiles:\n  - {name: acc, loc: acc, rows: 16, cols: 16}\n"
        "  - {name: m, loc: mat, rows: 16, cols: 16}\n"
        "  - {name: x, loc: vec, rows: 8, cols: 16}\n  - {name: y, loc: vec, rows: 8, cols: 16}\n"
        "  - {name: bigm, loc: mat, rows: 64, cols: 64}\n"
        "  - {name: bigv, loc: vec, rows: 64, cols: 64}\npipes:\n",
        a5 ? "a5" : "a2a3", 1 + below(state, 200));
    for (int p = 0; p < self->pipes; p++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  - {name: p%d, flag: %d, dir: %s, slot_size: 1024, slots: %d}\n",
                                 p, self->pipe[p].flag,
                                 self->pipe[p].c2v ? self->pipe[p].v2c ? "both" : "c2v" : "v2c",
                                 self->pipe[p].slots);
    write_side(self, 0, state, text, sizeof text, &used);
    write_side(self, 1, state, text, sizeof text, &used);
    return text;
}

static int deadlocks, passes;

START_TEST(test_random_programs)
{
    uint64_t state = UINT64_C(0x1234567) * (uint64_t)(_i + 1);
    for (int n = 0; n < PROGRAMS / CHUNKS; n++) {
        struct program program;
        static struct ts_pipe_program loaded;
        static struct ts_pipe_run run;
        struct ts_error error = {0};
        make(&program, &state);
        bool a5 = n % 3 == 2;
        const char *text = write_program(&program, &state, a5);
        ck_assert_msg(ts_pipe_load(&loaded, "fuzz", text, NULL, &error) == TS_OK, "%s\n%s",
                      error.text, text);
        ts_pipe_run_alone(&run, &loaded, 1, &error);
        enum ts_pipe_verdict want = (a5 ? ends5(&program) : ends(&program)) ? TS_PIPE_PASS
                                                                            : TS_PIPE_DEADLOCK;
        ck_assert_msg(run.verdict == want, "%s, the replay says %s: %s\n%s",
                      ts_pipe_verdict_names[run.verdict], ts_pipe_verdict_names[want], run.why,
                      text);
        ck_assert_msg(run.findings.seen[TS_FINDING_OVERWRITE] == 0, "overrun\n%s", text);
        ck_assert_msg(run.findings.seen[TS_FINDING_STALE_READ] == 0, "stale read\n%s", text);
        ck_assert_msg(want != TS_PIPE_PASS || run.findings.seen[TS_FINDING_RESIDUAL] == 0,
                      "leftovers\n%s", text);
        *(want == TS_PIPE_PASS ? &passes : &deadlocks) += 1;
        ts_pipe_run_free_alone(&run);
        ts_pipe_program_free(&loaded);
    }
    // Both kinds must occur, or the test proves nothing.
    ck_assert_int_gt(passes, PROGRAMS / CHUNKS / 10);
    ck_assert_int_gt(deadlocks, PROGRAMS / CHUNKS / 100);
}
END_TEST

// S from 1 to 15, a consumer that is slower than the producer: an overrun exactly where S mod P is
// not 0.
START_TEST(test_depth_rule)
{
    for (int slots = 1; slots <= 15; slots++) {
        static struct ts_pipe_program loaded;
        static struct ts_pipe_run run;
        struct ts_error error = {0};
        char text[2000];
        snprintf(text, sizeof text,
                 "name: depth\ntensors:\n  - {name: far, rows: 64, cols: 128}\n"
                 "tiles:\n  - {name: acc, loc: acc, rows: 16, cols: 16}\n  - {name: x, loc: vec, "
                 "rows: 8, cols: 16}\n"
                 "  - {name: big, loc: vec, rows: 64, cols: 128}\n"
                 "pipes:\n  - {name: a, flag: 0, dir: c2v, slot_size: 1024, slots: %d}\n"
                 "cube: |\n  for i 0 40\n    tpush acc, a\n  end\n"
                 "vector: |\n  for i 0 40\n    tload big, far\n    tpop x, a\n  end\n",
                 slots);
        ck_assert_msg(ts_pipe_load(&loaded, "depth", text, NULL, &error) == TS_OK, "%s",
                      error.text);
        ts_pipe_run_alone(&run, &loaded, 1, &error);
        bool safe = slots <= 3 || slots % 2 == 0;
        ck_assert_msg((run.findings.seen[TS_FINDING_OVERWRITE] == 0) == safe, "%d slots", slots);
        ck_assert_msg((run.findings.seen[TS_FINDING_DEPTH] == 0) == safe, "%d slots: no warning",
                      slots);
        ck_assert_int_eq(run.verdict, safe ? TS_PIPE_PASS : TS_PIPE_HAZARD);
        ts_pipe_run_free_alone(&run);
        ts_pipe_program_free(&loaded);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_random_programs, 0,
                        suite_sample(CHUNKS / 8, CHUNKS, "lots of random programs"));
    tcase_add_test(tests, test_depth_rule);
}

SUITE("pipe fuzz", add_tests, .one_process = true)
