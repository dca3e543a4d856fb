// tensim explore: semantics, the examples, reduction against exhaustive search, schedules, errors.
// One file: its tables and its oracle judge programs through the same few helpers.
#include "tests/study/explore/programs.h"
#include "tests/suite.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- random programs ---

// An operation on few objects, so that threads meet.
static void random_op(struct random *r, unsigned thread, unsigned family, FILE *out)
{
    static const char *const sems[] = {"a", "b"}, *const on[] = {"zero", "max"};
    static const char *const blocks[] = {"", " block=math", " block=sync", " block=sync,unpack"};
    static const char *const compare[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const conditions[] = {
        "unpack0",           "unpack", "srca_vld",        "srca_clr",
        "srca_vld,srcb_vld", "math",   "unpack1,srca_clr"};
    const char *s = sems[draw(r, 2)];
    unsigned what = draw(r, 8);
    unsigned other = (thread + 1 + draw(r, 2)) % 3;
    switch (family == 5 ? draw(r, 5) : family) {
    case 0: // semaphores
        if (what < 2)
            fprintf(out, "SEMPOST %s", what ? s : "a b");
        else if (what < 4)
            fprintf(out, "SEMGET %s", s);
        else if (what < 6)
            fprintf(out, "SEMWAIT %s on=%s%s", s, on[draw(r, 2)], blocks[draw(r, 4)]);
        else if (what < 7)
            fprintf(out, "SEMWAIT a b on=%s%s", on[draw(r, 2)], blocks[draw(r, 4)]);
        else
            fprintf(out, "SEMINIT %s max=%u value=%u", s, draw(r, 3), draw(r, 3));
        return;
    case 1: // cores
        if (what < 2)
            fprintf(out, "%s %s", what ? "POST" : "GET", s);
        else if (what < 4)
            fprintf(out, "POLL %s %s %u", s, compare[draw(r, 6)], draw(r, 3));
        else
            fprintf(out, "%s T%u", what < 6 ? "SEND" : "RECEIVE", other);
        return;
    case 2: // circular buffers and rings
        if (what < 4)
            fprintf(out, "%s c %u", (const char *[]){"RESERVE", "PUSH", "WAIT", "POP"}[what],
                    1 + draw(r, 2));
        else if (what < 6)
            fprintf(out, "%s r", what == 4 ? "TPUSH" : "TPOP");
        else
            fprintf(out, "%s f", (const char *[]){"TPUSH", "TPOP", "TFREE"}[draw(r, 3)]);
        return;
    case 3: // mutexes
        fprintf(out, "%s %s", what < 5 ? "ATGETM" : "ATRELM", draw(r, 2) ? "m" : "n");
        return;
    default: // banks
        if (what < 3)
            fprintf(out, "UNPACK %s", what ? "srca" : "srcb");
        else if (what < 5)
            fprintf(out, "%s %s", what < 4 ? "MATRIX" : "CLEAR", draw(r, 2) ? "srca" : "srca srcb");
        else if (what < 7)
            fprintf(out, "STALLWAIT on=%s%s", conditions[draw(r, 7)], blocks[draw(r, 4)]);
        else
            fprintf(out, "SEMPOST %s", s);
        return;
    }
}

static char *random_program(uint64_t seed)
{
    struct random r = {seed * 0x9e3779b97f4a7c15u + 1};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < 4; i++)
        draw(&r, 2);
    fprintf(out, "semaphores: {a: {value: %u, max: %u}, b: {value: %u, max: %u}}\n", draw(&r, 2),
            1 + draw(&r, 2), draw(&r, 2), 1 + draw(&r, 2));
    fprintf(out, "mutexes: {m: 0, n: 2}\ncbs: {c: {pages: 2, filled: %u}}\n", draw(&r, 2));
    fprintf(out, "rings: {r: {slots: %u}, f: {slots: 2, free: tfree}}\nthreads:\n",
            1 + draw(&r, 2));
    unsigned family = draw(&r, 6);
    for (unsigned t = 0; t < 3; t++) {
        fprintf(out, "  T%u:\n", t);
        for (unsigned i = 0, count = 1 + draw(&r, 6); i < count; i++) {
            fputs("    - ", out);
            random_op(&r, t, family, out);
            fputc('\n', out);
        }
    }
    fclose(out);
    return text;
}

// What must not depend on the reduction: the verdict, the number of deadlocks and of ends, the
// length of the shortest way, and where operations are lost.
START_TEST(reduction)
{
    uint64_t states[2] = {0, 0}, deadlocks = 0, lost = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        char *text = random_program(seed);
        parse(text);
        struct ts_explore_result full = search(true, true), less = search(false, true),
                                 first = search(false, false);
        ck_assert_msg(full.code == less.code && full.code == first.code, "seed %d:\n%s", (int)seed,
                      text);
        ck_assert_msg(full.deadlocks == less.deadlocks && full.ends == less.ends,
                      "seed %d: deadlocks %d %d, ends %d %d\n%s", (int)seed, (int)full.deadlocks,
                      (int)less.deadlocks, (int)full.ends, (int)less.ends, text);
        ck_assert_msg(full.steps == less.steps && full.steps == first.steps, "seed %d:\n%s",
                      (int)seed, text);
        for (unsigned t = 0; t < program.threads; t++)
            for (unsigned i = 0; i < program.thread[t].count; i++)
                for (unsigned k = 0; k < TS_LOST_KINDS; k++) {
                    ck_assert_msg(!full.lost[t][i][k] == !less.lost[t][i][k], "seed %d:\n%s",
                                  (int)seed, text);
                    lost += full.lost[t][i][k] != 0;
                }
        ck_assert(less.states <= full.states);
        states[0] += full.states;
        states[1] += less.states;
        deadlocks += full.code == TS_HANG;
        ts_explore_result_free(&full);
        ts_explore_result_free(&less);
        ts_explore_result_free(&first);
        free(text);
    }
    // The programs are worth it: both verdicts, losses, and a reduction that reduces.
    ck_assert_uint_gt(deadlocks, 300);
    ck_assert_uint_lt(deadlocks, 2900);
    ck_assert_uint_gt(lost, 500);
    ck_assert_msg(states[1] * 10 < states[0] * 9, "%d of %d states", (int)states[1],
                  (int)states[0]);
}
END_TEST

// --- an oracle of its own: semaphores, a plain walk over all orders, no hashing ---

struct walk {
    unsigned deadlocks;
    size_t shortest;
};

static void walk_on(struct walk *self, const struct ts_explore_state *state, size_t steps)
{
    struct ts_explore_wait why;
    bool moved = false, left = false;
    for (unsigned i = 0; i < ts_explore_processes(&program); i++) {
        left |= !ts_explore_ended(&program, state, i);
        if (!ts_explore_enabled(&program, state, i, &why))
            continue;
        struct ts_explore_state next = *state;
        ts_explore_step(&program, &next, i);
        moved = true;
        walk_on(self, &next, steps + 1);
    }
    if (!moved && left) {
        if (self->deadlocks++ == 0 || steps < self->shortest)
            self->shortest = steps;
    }
}

START_TEST(plain_walk)
{
    for (uint64_t seed = 5000; seed < 5300; seed++) {
        char *text = random_program(seed);
        parse(text);
        free(text);
        unsigned total = 0;
        for (unsigned t = 0; t < program.threads; t++)
            total += program.thread[t].count;
        if (total > 10)
            continue;
        struct walk walk = {0, 0};
        struct ts_explore_state begin;
        ts_explore_begin(&program, &begin);
        walk_on(&walk, &begin, 0);
        struct ts_explore_result result = search(false, false);
        ck_assert_int_eq(walk.deadlocks > 0, result.code == TS_HANG);
        ck_assert_uint_eq(walk.shortest, result.steps);
        ts_explore_result_free(&result);
    }
}
END_TEST

// --- semantics, one table ---

static const struct {
    const char *text;
    enum ts_code code;
    int lost; // a kind that must be possible, -1: none at all
} semantics[] = {
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMGET s]}", TS_OK, TS_LOST_GET_DROPPED},
    {"semaphores: {s: {value: 15, max: 15}}\nthreads: {A: [SEMPOST s]}", TS_OK,
     TS_LOST_POST_SATURATED},
    {"semaphores: {s: {value: 1, max: 1}}\nthreads: {A: [SEMPOST s]}", TS_OK,
     TS_LOST_POST_ABOVE_MAX},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMPOST s, SEMGET s]}", TS_OK, -1},
    // A wait with nothing behind it is still a wait; one that is met is not.
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMWAIT s on=zero]}", TS_HANG, -1},
    {"semaphores: {s: {value: 1, max: 2}}\nthreads: {A: [\"SEMWAIT s on=zero,max\"]}", TS_OK, -1},
    {"semaphores: {s: {value: 1, max: 1}}\nthreads: {A: [\"SEMWAIT s on=zero,max\"]}", TS_HANG, -1},
    // The block mask decides what a latched wait holds: SEMPOST passes and ends the thread's own
    // wait.
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMWAIT s on=zero block=math, SEMPOST s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMWAIT s on=zero block=sync, SEMPOST s]}",
     TS_HANG, -1},
    // A gate sees every value; a poll may miss one.
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [SEMWAIT s on=zero], B: [SEMPOST s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}, t: {value: 0, max: 1}}\nthreads:\n"
     "  A: [SEMWAIT s on=zero, WORK math]\n  B: [SEMPOST s, SEMWAIT t on=zero]\n"
     "  C: [POLL s == 1, SEMPOST t]",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {A: [POLL s == 1], B: [POST s, GET s]}",
     TS_HANG, -1},
    {"mutexes: {m: 0}\nthreads: {A: [ATGETM m, ATGETM m, ATRELM m]}", TS_OK, -1},
    {"mutexes: {m: 0}\nthreads: {A: [ATGETM m], B: [ATGETM m]}", TS_HANG, -1},
    {"mutexes: {m: 0}\nthreads: {A: [ATRELM m]}", TS_OK, TS_LOST_NOT_HELD},
    // Mailboxes: 4 words for all mailboxes of a writer.
    {"threads: {A: [SEND B, SEND B, SEND C, SEND C], B: [], C: []}", TS_OK, -1},
    {"threads: {A: [SEND B, SEND B, SEND C, SEND C, SEND B], B: [], C: []}", TS_HANG, -1},
    {"threads: {A.x: [SEND B, SEND B], A.y: [SEND B, SEND B, SEND B], B: []}", TS_HANG, -1},
    {"cbs: {c: {pages: 2}}\nthreads: {A: [PUSH c 3]}", TS_OK, TS_LOST_PUSH_OVERRUN},
    {"cbs: {c: {pages: 2}}\nthreads: {A: [POP c 1]}", TS_OK, TS_LOST_POP_UNDERRUN},
    {"cbs: {c: {pages: 2}}\nthreads: {A: [RESERVE c 3]}", TS_HANG, -1},
    {"rings: {r: {slots: 1}}\nthreads: {A: [TPUSH r, TPUSH r], B: [TPOP r]}", TS_OK, -1},
    {"rings: {r: {slots: 1, free: tfree}}\nthreads: {A: [TPUSH r, TPUSH r], B: [TPOP r]}", TS_HANG,
     -1},
    {"rings: {r: {slots: 1, free: tfree}}\nthreads: {A: [TFREE r]}", TS_OK, TS_LOST_FREE_UNDERRUN},
    // An UNPACR waits inside its unit: the thread goes on, a STALLWAIT sees it.
    {"threads: {A: [UNPACK srca, UNPACK srca, UNPACK srca]}", TS_HANG, -1},
    {"threads: {A: [UNPACK srca, UNPACK srca], B: [MATRIX srca]}", TS_OK, -1},
    {"threads: {A: [CLEAR srca]}", TS_OK, TS_LOST_CLEAR_INVALID},
    {"threads: {A: [STALLWAIT on=srca_clr, UNPACK srca, STALLWAIT on=srca_vld, CLEAR srca]}", TS_OK,
     -1},
    // What a core has not pushed does not happen; tensix_sync waits for the unpackers too.
    {"threads: {T0.risc: [], T0.tensix: [UNPACK srca]}", TS_OK, -1},
    {"threads: {T0.risc: [ISSUE 1], T0.tensix: [WORK math, WORK math]}", TS_HANG, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {T0.risc: [POST s, ISSUE 1], "
     "T0.tensix: [SEMGET s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {T0.risc: [ISSUE 1, POST s], "
     "T0.tensix: [SEMGET s]}",
     TS_OK, TS_LOST_GET_DROPPED},
    {"threads: {T0.risc: [ISSUE 3, DRAIN], T0.tensix: [UNPACK srca, UNPACK srca, UNPACK srca]}",
     TS_HANG, -1},
    {"threads: {T0.risc: [ISSUE 3, DRAIN, ISSUE 1], T0.tensix: [UNPACK srca, UNPACK srca, "
     "UNPACK srca, WORK math], T1: [MATRIX srca, CLEAR srca]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {T0.risc: [ISSUE 2, DRAIN 1, POST s], "
     "T0.tensix: [SEMWAIT s on=zero, WORK math]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\nthreads: {T0.risc: [ISSUE 2, DRAIN, POST s], "
     "T0.tensix: [SEMWAIT s on=zero, WORK math]}",
     TS_HANG, -1},
    // A core counts its own pages; its thread tells the others.
    {"cbs: {c: {pages: 1}}\nthreads: {T2.risc: [RESERVE c 1, CLAIM c 1, ISSUE 1, RESERVE c 1], "
     "T2.tensix: [PUBLISH c 1], N: [WAIT c 1, POP c 1]}",
     TS_OK, -1},
    {"cbs: {c: {pages: 1, filled: 1}}\nthreads: {T0.risc: [WAIT c 1, TAKE c 1, WAIT c 1], "
     "T0.tensix: [RETURN c 1], N: [RESERVE c 1, PUSH c 1]}",
     TS_OK, -1},
    {"cbs: {c: {pages: 1, filled: 1}}\nthreads: {T0.risc: [WAIT c 1, TAKE c 1, WAIT c 1, ISSUE "
     "1], T0.tensix: [RETURN c 1], N: [RESERVE c 1, PUSH c 1]}",
     TS_HANG, -1},
};

START_TEST(meaning)
{
    parse(semantics[_i].text);
    struct ts_explore_result result = search(false, true);
    ck_assert_msg(result.code == semantics[_i].code, "%s", semantics[_i].text);
    for (unsigned t = 0; t < program.threads; t++)
        for (unsigned i = 0; i < program.thread[t].count; i++)
            for (int k = 0; k < TS_LOST_KINDS; k++)
                ck_assert_msg(!result.lost[t][i][k] || k == semantics[_i].lost, "%s",
                              semantics[_i].text);
    bool found = semantics[_i].lost < 0;
    for (unsigned t = 0; t < program.threads && !found; t++)
        for (unsigned i = 0; i < program.thread[t].count; i++)
            found |= result.lost[t][i][semantics[_i].lost] != 0;
    ck_assert_msg(found, "%s", semantics[_i].text);
    ts_explore_result_free(&result);
}
END_TEST

// --- errors ---

static const struct {
    const char *text, *error;
} errors[] = {
    {"threads:\n  A:\n    - SEMPOTS s\n", "test:3:7: no operation 'SEMPOTS'; 'SEMPOST' is near"},
    {"threads:\n  A:\n    - SEMPOST s\n", "test:3:15: no semaphore 's'"},
    {"semaphores: {abc: {}}\nthreads:\n  A:\n    - \"SEMPOST  abd\"\n",
     "test:4:17: no semaphore 'abd'; 'abc' is near"},
    {"semaphores: {s: {}}\nthreads:\n  A:\n    - SEMWAIT s on=full\n",
     "test:4:20: 'full' is neither zero nor max"},
    {"semaphores: {s: {}}\nthreads:\n  A:\n    - SEMWAIT s on=max block=math,fpu\n",
     "test:4:35: 'fpu' is no class: tdma sync pack unpack mover scalar math cfg sfpu"},
    {"semaphores: {s: {}}\nthreads:\n  A:\n    - SEMWAIT s\n", "test:4:7: SEMWAIT needs on="},
    {"semaphores: {s: {}}\nthreads:\n  A:\n    - SEMINIT s max=16 value=0\n",
     "test:4:21: '16' is not a number from 0 to 15"},
    {"semaphores: {s: {value: 16}}\nthreads: {}\n", "test:1:25: "},
    {"mutexes: {m: 1}\nthreads: {}\n",
     "test:1:14: mutex 1 does not exist: ATGETM of it waits for ever"},
    {"threads:\n  A:\n    - SEND B\n", "test:3:12: no thread is of core 'B'"},
    {"cbs: {c: {pages: 2}}\nthreads:\n  A:\n    - PUSH c 2 3\n", "test:4:16: '3' is too much"},
    {"cbs: {c: {pages: 2}}\nthreads:\n  A:\n    - PUSH c\n", "test:4:7: PUSH needs 2 operands"},
    {"cbs: {c: {page: 2}}\nthreads: {}\n", "test:1:11: "},
    {"semaphores: {s: {}}\nthreads:\n  A:\n    - SEMPOST s max=2\n",
     "test:4:17: SEMPOST knows no 'max=2'"},
    {"threads:\n  A:\n    - repeat: 300000\n      do: [WORK math]\n", "test:3:15: "},
    {"threads:\n  A:\n    - {repeat: 100000, do: [WORK math, WORK math]}\n",
     "test:3:7: more than 150000 operations in A"},
    {"threads:\n  A.risc: [ISSUE 1]\n",
     "test:2:12: ISSUE needs one other thread of core 'A', its Tensix thread"},
    {"threads:\n  A.risc: [ISSUE]\n  A.tensix: []\n", "test:2:12: ISSUE has one number"},
    {"threads:\n  A.risc: [DRAIN 1 2]\n  A.tensix: []\n",
     "test:2:20: DRAIN has at most one number"},
    {"threads:\n  A: 3\n", "test:2:6: a list of operations is expected here"},
    {"thread: {}\n", "test:1:1: "},
    {"expect: maybe\nthreads: {}\n", "test:1:9: expect is proved or deadlock"},
};

START_TEST(positions)
{
    struct ts_error error = {0};
    ts_explore_free(&program);
    ck_assert(!ts_explore_parse(&program, "test", errors[_i].text, &error));
    ck_assert_int_eq(error.code, TS_SETUP);
    ck_assert_msg(strncmp(error.text, errors[_i].error, strlen(errors[_i].error)) == 0,
                  "'%s' instead of '%s'", error.text, errors[_i].error);
}
END_TEST

// --- the examples, their schedules, JSON ---

static void check_schedule(const struct ts_explore_result *result)
{
    char path[] = "/tmp/test_explore_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w"), *nowhere = fopen("/dev/null", "w");
    ts_explore_write_schedule(&program, "a \"path\"", result, file);
    fclose(file);
    struct ts_explore_state last;
    struct ts_error error = {0};
    ck_assert_msg(ts_explore_replay(&program, path, nowhere, &last, &error) == TS_HANG, "%s",
                  error.text);
    ck_assert_mem_eq(&last, &result->last, sizeof last);
    fclose(nowhere);
    remove(path);
}

START_TEST(examples)
{
    glob_t found;
    ck_assert_int_eq(glob(TENSIM_SOURCE_DIR "/config/explore/*.yaml", 0, NULL, &found), 0);
    ck_assert_uint_gt(found.gl_pathc, 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ts_error error = {0};
        ts_explore_free(&program);
        ck_assert_msg(ts_explore_load(&program, found.gl_pathv[i], &error), "%s", error.text);
        struct ts_explore_result result = search(false, false), full = search(true, false);
        const char *verdict = result.code == TS_OK ? "proved" : "deadlock";
        ck_assert_msg(strcmp(program.expect, verdict) == 0, "%s: %s", found.gl_pathv[i], verdict);
        ck_assert_int_eq(full.code, result.code);
        ck_assert_uint_eq(full.steps, result.steps);
        json_t *document = ts_explore_json(&program, &result);
        ck_assert_str_eq(json_string_value(json_object_get(document, "verdict")), verdict);
        const json_t *hang = json_object_get(document, "hang");
        ck_assert_int_eq(hang != NULL, result.code == TS_HANG);
        if (hang) {
            check_schedule(&result);
            ck_assert(json_is_integer(json_object_get(hang, "cycle")));
            ck_assert(json_is_string(json_object_get(hang, "kind")));
            ck_assert_uint_gt(json_array_size(json_object_get(hang, "nodes")), 0);
            ck_assert_uint_gt(json_array_size(json_object_get(hang, "edges")), 0);
        }
        json_decref(document);
        ts_explore_result_free(&result);
        ts_explore_result_free(&full);
    }
    globfree(&found);
}
END_TEST

static void load_example(const char *name)
{
    char path[256];
    struct ts_error error = {0};
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/explore/%s.yaml", name);
    ts_explore_free(&program);
    ck_assert_msg(ts_explore_load(&program, path, &error), "%s", error.text);
}

// The explanation of some hangs: kind, and each edge of it.
static const struct {
    const char *name;
    bool is_cycle;
    const char *edges; // from>to:object
} explanations[] = {
    {"mutex-order", true, "T0>T1:dst T1>T0:reg_rmw "},
    {"g01-lost-semget", false, "T0>-:unpack_operand_sync "},
    {"g13-unpack-sync-wedged", false,
     "T0.risc>T0.tensix:unpack_sync T0.tensix>UNPACK0:UNPACK0 "
     "UNPACK0>-:srca "},
    {"g16-never-drained", false, "reader>-:mask "},
    {"tpush-both-store-and-forward", true, "cube>vector:c2v vector>cube:v2c "},
    {"mailbox-cross", true, "T0>T1:T0->T1 T1>T0:T1->T0 "},
};

START_TEST(explanation)
{
    load_example(explanations[_i].name);
    struct ts_explore_result result = search(false, false);
    struct ts_explore_hang hang;
    ts_explore_hang(&program, &result.last, &hang);
    char text[400] = "";
    for (size_t i = 0; i < hang.explanation; i++) {
        const struct ts_explore_edge *e = &hang.edge[i];
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s>%s:%s ",
                 ts_explore_process_name(&program, e->from),
                 e->to < 0 ? "-" : ts_explore_process_name(&program, (unsigned)e->to),
                 program.object[e->wait.object].name);
    }
    ck_assert_int_eq(hang.is_cycle, explanations[_i].is_cycle);
    ck_assert_str_eq(text, explanations[_i].edges);
    ts_explore_result_free(&result);
}
END_TEST

START_TEST(limit)
{
    load_example("unpack-math-pack");
    struct ts_explore_result result = ts_explore_search(
        &program, &(struct ts_explore_options){.max_states = 20});
    ck_assert_int_eq(result.code, TS_LIMIT);
    ck_assert_uint_gt(result.depth, 5);
    ts_explore_result_free(&result);
}
END_TEST

// 3 threads of 12 operations in full in under 10 s, with and without reduction.
START_TEST(bar)
{
    struct random r = {7};
    for (int n = 0; n < 20; n++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        fputs(
            "semaphores: {a: {value: 1, max: 2}, b: {value: 1, max: 2}}\nmutexes: {m: 0, n: 2}\n"
            "cbs: {c: {pages: 2}}\nrings: {r: {slots: 2}, f: {slots: 2, free: tfree}}\nthreads:\n",
            out);
        for (unsigned t = 0; t < 3; t++) {
            fprintf(out, "  T%u:\n", t);
            for (unsigned i = 0; i < 12; i++) {
                fputs("    - ", out);
                random_op(&r, t, (unsigned)n % 6, out);
                fputc('\n', out);
            }
        }
        fclose(out);
        parse(text);
        free(text);
        for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
            struct ts_explore_result result = search(exhaustive, true);
            ck_assert_int_ne(result.code, TS_LIMIT);
            ts_explore_result_free(&result);
        }
    }
}
END_TEST

// --- the command ---

static int tensim(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "%s explore %s >/dev/null 2>&1", TENSIM_BINARY, arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXAMPLE TENSIM_SOURCE_DIR "/config/explore/"

START_TEST(exit_codes)
{
    char schedule[] = "/tmp/test_explore_XXXXXX", line[600];
    close(mkstemp(schedule));
    ck_assert_int_eq(tensim(EXAMPLE "g01-repaired.yaml"), TS_OK);
    ck_assert_int_eq(tensim(EXAMPLE "g01-repaired.yaml --exhaustive --all -q"), TS_OK);
    snprintf(line, sizeof line, EXAMPLE "g01-lost-semget.yaml -s %s", schedule);
    ck_assert_int_eq(tensim(line), TS_HANG);
    ck_assert_int_eq(tensim(EXAMPLE "g01-lost-semget.yaml --check"), TS_OK);
    snprintf(line, sizeof line, EXAMPLE "g01-lost-semget.yaml --replay %s", schedule);
    ck_assert_int_eq(tensim(line), TS_HANG);
    snprintf(line, sizeof line, EXAMPLE "g01-repaired.yaml --replay %s", schedule);
    ck_assert_int_eq(tensim(line), TS_SETUP); // T1 cannot receive yet
    FILE *file = fopen(schedule, "w");
    fputs("schedule: [T0, T0]\n", file);
    fclose(file);
    ck_assert_int_eq(tensim(line), TS_LIMIT);
    snprintf(line, sizeof line, "%s", schedule); // not a program
    ck_assert_int_eq(tensim(line), TS_SETUP);
    ck_assert_int_eq(tensim("/nowhere.yaml"), TS_SETUP);
    ck_assert_int_eq(tensim(EXAMPLE "unpack-math-pack.yaml --max-states 10"), TS_LIMIT);
    ck_assert_int_eq(tensim(""), TS_USAGE);
    remove(schedule);
}
END_TEST

START_TEST(json_alone)
{
    FILE *out = popen(TENSIM_BINARY " explore " EXAMPLE "mutex-order.yaml --json -", "r");
    json_error_t error;
    json_t *document = json_loadf(out, 0, &error); // exactly one document
    ck_assert_msg(document != NULL, "%s", error.text);
    ck_assert_int_eq(WEXITSTATUS(pclose(out)), TS_HANG);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(document, "hang"), "kind")),
                     "cycle");
    json_decref(document);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, reduction);
    tcase_add_test(tests, plain_walk);
    tcase_add_loop_test(tests, meaning, 0, sizeof semantics / sizeof *semantics);
    tcase_add_loop_test(tests, positions, 0, sizeof errors / sizeof *errors);
    tcase_add_test(tests, examples);
    tcase_add_loop_test(tests, explanation, 0, sizeof explanations / sizeof *explanations);
    tcase_add_test(tests, limit);
    tcase_add_test(tests, bar);
    tcase_add_test(tests, exit_codes);
    tcase_add_test(tests, json_alone);
}

SUITE("explore", add_tests)
