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

#define BANK \
    "UNPACR_NOP unpacker_select=%u set_dvalid=1 stall_clr_cntrl=1 unpack_pop=1" // hands one over

// A step on few objects, so that threads meet. Of a core (families 1 and 2) or of its Tensix thread.
static void random_op(struct random *r, unsigned thread, unsigned family, FILE *out)
{
    static const char *const sems[] = {"a", "b"}, *const on[] = {"zero", "max"};
    static const char *const blocks[] = {"all", "math", "sync", "sync+unpack"};
    static const char *const compare[] = {"is", "is_not", "below", "at_most", "above", "at_least"};
    static const char *const conditions[] = {"unpack0",         "unpack0+unpack1",   "srca_vld",
                                             "srca_clr",        "srca_vld+srcb_vld", "math",
                                             "unpack1+srca_clr"};
    const char *s = sems[draw(r, 2)];
    unsigned what = draw(r, 8);
    unsigned other = (thread + 1 + draw(r, 2)) % 3;
    switch (family) {
    case 0: // semaphores
        if (what < 2)
            fprintf(out, "SEMPOST sem_sel=%s", what ? s : "a+b");
        else if (what < 4)
            fprintf(out, "SEMGET sem_sel=%s", s);
        else if (what < 7)
            fprintf(out, "SEMWAIT sem_sel=%s wait_sem_cond=%s stall_res=%s", what < 6 ? s : "a+b",
                    on[draw(r, 2)], blocks[draw(r, 4)]);
        else
            fprintf(out, "SEMINIT sem_sel=%s max_value=%u init_value=%u", s, draw(r, 3),
                    draw(r, 3));
        return;
    case 1: // cores
        if (what < 2)
            fprintf(out, "%s: %s", what ? "post" : "get", s);
        else if (what < 4)
            fprintf(out, "until: {semaphore: %s, %s: %u}", s, compare[draw(r, 6)], draw(r, 3));
        else
            fprintf(out, "%s: trisc%u", what < 6 ? "mail" : "read", other);
        return;
    case 2: // circular buffers and rings
        if (what < 4)
            fprintf(out, "cb_%s: {buffer: c, pages: %u}",
                    (const char *[]){"reserve_back", "push_back", "wait_front", "pop_front"}[what],
                    1 + draw(r, 2));
        else if (what < 6)
            fprintf(out, "%s: r", what == 4 ? "tpush" : "tpop");
        else
            fprintf(out, "%s: f", (const char *[]){"tpush", "tpop", "tfree"}[draw(r, 3)]);
        return;
    case 3: // mutexes
        fprintf(out, "%s mutex_index=%s", what < 5 ? "ATGETM" : "ATRELM", draw(r, 2) ? "m" : "n");
        return;
    default: // banks
        if (what < 3)
            fprintf(out, BANK, what ? 0u : 1u);
        else if (what < 4)
            fputs(draw(r, 2) ? "MOVA2D" : "ELWADD clear_dvalid=0", out);
        else if (what < 5)
            fprintf(out, draw(r, 2) ? "SETRWC clear_ab_vld=%d" : "MVMUL clear_dvalid=%d",
                    draw(r, 2) ? 1 : 3);
        else if (what < 7)
            fprintf(out, "STALLWAIT wait_res=%s stall_res=%s", conditions[draw(r, 7)],
                    blocks[draw(r, 4)]);
        else
            fprintf(out, "SEMPOST sem_sel=%s", s);
        return;
    }
}

// The lists of three cores, or of their Tensix threads, or some of both (family 5).
static void random_lists(struct random *r, unsigned family, unsigned most, bool all, FILE *out)
{
    for (unsigned t = 0; t < 3; t++) {
        unsigned of = family == 5 ? draw(r, 5) : family;
        fprintf(out, "  %s%u:\n", of == 1 || of == 2 ? "trisc" : "T", t);
        for (unsigned i = 0, count = all ? most : 1 + draw(r, most); i < count; i++) {
            unsigned kind = family != 5          ? of
                            : of == 1 || of == 2 ? 1 + draw(r, 2)
                                                 : (unsigned[]){0, 3, 4}[draw(r, 3)];
            fputs("    - ", out);
            random_op(r, t, kind, out);
            fputc('\n', out);
        }
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
    fprintf(out, "mutexes: {m: 0, n: 2}\nbuffers: {c: {pages: 2, filled: %u}}\n", draw(&r, 2));
    fprintf(out, "rings: {r: {slots: %u}, f: {slots: 2, free: tfree}}\ncores:\n", 1 + draw(&r, 2));
    random_lists(&r, draw(&r, 6), 6, false, out);
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

#define UNPACK_A "UNPACR_NOP unpacker_select=0 set_dvalid=1 stall_clr_cntrl=1 unpack_pop=1"

static const struct {
    const char *text;
    enum ts_code code;
    int lost; // a kind that must be possible, -1: none at all
} semantics[] = {
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMGET sem_sel=s]}", TS_OK,
     TS_LOST_GET_DROPPED},
    {"semaphores: {s: {value: 15, max: 15}}\ncores: {T0: [SEMPOST sem_sel=s]}", TS_OK,
     TS_LOST_POST_SATURATED},
    {"semaphores: {s: {value: 1, max: 1}}\ncores: {T0: [SEMPOST sem_sel=s]}", TS_OK,
     TS_LOST_POST_ABOVE_MAX},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMPOST sem_sel=s, SEMGET sem_sel=s]}",
     TS_OK, -1},
    // A wait with nothing behind it is still a wait; one that is met is not.
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=all]}",
     TS_HANG, -1},
    {"semaphores: {s: {value: 1, max: 2}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero+max "
     "stall_res=all]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 1, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero+max "
     "stall_res=all]}",
     TS_HANG, -1},
    // The block mask decides what a latched wait holds: SEMPOST passes and ends the thread's own
    // wait.
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=math, SEMPOST sem_sel=s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=sync, SEMPOST sem_sel=s]}",
     TS_HANG, -1},
    // A gate sees every value; a poll may miss one.
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=all], T1: [SEMPOST sem_sel=s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}, t: {value: 0, max: 1}}\ncores: {T0: [SEMWAIT sem_sel=s "
     "wait_sem_cond=zero stall_res=all, INCRWC], T1: [SEMPOST sem_sel=s, SEMWAIT sem_sel=t "
     "wait_sem_cond=zero stall_res=all], trisc2: [{until: {semaphore: s, is: 1}}, SEMPOST "
     "sem_sel=t]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {trisc0: [{until: {semaphore: s, is: 1}}], "
     "trisc1: [{post: s}, {get: s}]}",
     TS_HANG, -1},
    {"mutexes: {m: 0}\ncores: {T0: [ATGETM mutex_index=m, ATGETM mutex_index=m, ATRELM "
     "mutex_index=m]}",
     TS_OK, -1},
    {"mutexes: {m: 0}\ncores: {T0: [ATGETM mutex_index=m], T1: [ATGETM mutex_index=m]}", TS_HANG,
     -1},
    {"mutexes: {m: 0}\ncores: {T0: [ATRELM mutex_index=m]}", TS_OK, TS_LOST_NOT_HELD},
    // Mutexes that the chip does not have.
    {"cores: {T0: [ATGETM mutex_index=1]}", TS_HANG, -1},
    {"cores: {T0: [ATGETM mutex_index=9, ATGETM mutex_index=9]}", TS_HANG, -1},
    // Mailboxes: 4 words for all mailboxes of a writer, and for each writer.
    {"cores: {trisc0: [{mail: trisc1}, {mail: trisc1}, {mail: trisc2}, {mail: trisc2}], trisc1: "
     "[], trisc2: []}",
     TS_OK, -1},
    {"cores: {trisc0: [{mail: trisc1}, {mail: trisc1}, {mail: trisc2}, {mail: trisc2}, {mail: "
     "trisc1}], trisc1: [], trisc2: []}",
     TS_HANG, -1},
    {"cores: {trisc0: [{mail: trisc1}, {mail: trisc1}], brisc: [{mail: trisc1}, {mail: trisc1}, "
     "{mail: trisc1}], trisc1: []}",
     TS_OK, -1},
    {"buffers: {c: {pages: 2}}\ncores: {trisc0: [{cb_push_back: {buffer: c, pages: 3}}]}", TS_OK,
     TS_LOST_PUSH_OVERRUN},
    {"buffers: {c: {pages: 2}}\ncores: {trisc0: [{cb_pop_front: {buffer: c, pages: 1}}]}", TS_OK,
     TS_LOST_POP_UNDERRUN},
    {"buffers: {c: {pages: 2}}\ncores: {trisc0: [{cb_reserve_back: {buffer: c, pages: 3}}]}",
     TS_HANG, -1},
    {"rings: {r: {slots: 1}}\ncores: {trisc0: [{tpush: r}, {tpush: r}], trisc1: [{tpop: r}]}",
     TS_OK, -1},
    {"rings: {r: {slots: 1, free: tfree}}\ncores: {trisc0: [{tpush: r}, {tpush: r}], trisc1: "
     "[{tpop: r}]}",
     TS_HANG, -1},
    {"rings: {r: {slots: 1, free: tfree}}\ncores: {trisc0: [{tfree: r}]}", TS_OK,
     TS_LOST_FREE_UNDERRUN},
    // An UNPACR waits inside its unit: the thread goes on, a STALLWAIT sees it.
    {"cores: {T0: [" UNPACK_A ", " UNPACK_A ", " UNPACK_A "]}", TS_HANG, -1},
    {"cores: {T0: [" UNPACK_A ", " UNPACK_A "], T1: [MOVA2D]}", TS_OK, -1},
    {"cores: {T0: [SETRWC clear_ab_vld=1]}", TS_OK, TS_LOST_CLEAR_INVALID},
    {"cores: {T0: [STALLWAIT wait_res=srca_clr stall_res=all, " UNPACK_A
     ", STALLWAIT wait_res=srca_vld stall_res=all, SETRWC clear_ab_vld=1]}",
     TS_OK, -1},
    // What a core has not pushed does not happen; tensix_sync waits for the unpackers too.
    {"cores: {trisc0: [], T0: [" UNPACK_A "]}", TS_OK, -1},
    {"cores: {trisc0: [{issue: 1}], T0: [INCRWC, INCRWC]}", TS_HANG, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {trisc0: [{post: s}, {issue: 1}], T0: [SEMGET "
     "sem_sel=s]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {trisc0: [{issue: 1}, {post: s}], T0: [SEMGET "
     "sem_sel=s]}",
     TS_OK, TS_LOST_GET_DROPPED},
    {"cores: {trisc0: [{issue: 3}, {sync: tensix}], T0: [" UNPACK_A ", " UNPACK_A ", " UNPACK_A
     "]}",
     TS_HANG, -1},
    {"cores: {trisc0: [{issue: 3}, {sync: tensix}, {issue: 1}], T0: [" UNPACK_A ", " UNPACK_A
     ", " UNPACK_A ", INCRWC], T1: [MOVA2D, SETRWC clear_ab_vld=1]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {trisc0: [{issue: 2}, {drain: 1}, {post: s}], "
     "T0: [SEMWAIT sem_sel=s wait_sem_cond=zero stall_res=all, INCRWC]}",
     TS_OK, -1},
    {"semaphores: {s: {value: 0, max: 1}}\ncores: {trisc0: [{issue: 2}, {sync: tensix}, {post: "
     "s}], T0: [SEMWAIT sem_sel=s wait_sem_cond=zero stall_res=all, INCRWC]}",
     TS_HANG, -1},
    // A core counts its own pages; its thread tells the others.
    {"buffers: {c: {pages: 1}}\ncores: {trisc2: [{cb_reserve_back: {buffer: c, pages: 1}}, "
     "{cb_claim: {buffer: c, pages: 1}}, {issue: 1}, {cb_reserve_back: {buffer: c, pages: 1}}], "
     "T2: [{cb_publish: {buffer: c, pages: 1}}], ncrisc: [{cb_wait_front: {buffer: c, pages: 1}}, "
     "{cb_pop_front: {buffer: c, pages: 1}}]}",
     TS_OK, -1},
    {"buffers: {c: {pages: 1, filled: 1}}\ncores: {trisc0: [{cb_wait_front: {buffer: c, pages: "
     "1}}, {cb_take: {buffer: c, pages: 1}}, {cb_wait_front: {buffer: c, pages: 1}}], T0: "
     "[{cb_return: {buffer: c, pages: 1}}], ncrisc: [{cb_reserve_back: {buffer: c, pages: 1}}, "
     "{cb_push_back: {buffer: c, pages: 1}}]}",
     TS_OK, -1},
    {"buffers: {c: {pages: 1, filled: 1}}\ncores: {trisc0: [{cb_wait_front: {buffer: c, pages: "
     "1}}, {cb_take: {buffer: c, pages: 1}}, {cb_wait_front: {buffer: c, pages: 1}}, {issue: 1}], "
     "T0: [{cb_return: {buffer: c, pages: 1}}], ncrisc: [{cb_reserve_back: {buffer: c, pages: 1}}, "
     "{cb_push_back: {buffer: c, pages: 1}}]}",
     TS_HANG, -1},
    // Words in a core's list: it issues them in its order. A full FIFO holds it.
    {"semaphores: {s: {max: 1}}\ncores: {trisc0: [SEMGET sem_sel=s, {post: s}]}", TS_OK,
     TS_LOST_GET_DROPPED},
    {"semaphores: {s: {max: 1}}\ncores: {trisc0: [{post: s}, SEMGET sem_sel=s]}", TS_OK, -1},
    {"cores: {trisc0: [{repeat: {times: 3, do: [" UNPACK_A "]}}, {sync: tensix}]}", TS_HANG, -1},
    {"semaphores: {s: {max: 1}}\ncores: {trisc0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=math, {repeat: {times: 30, do: [INCRWC]}}, {post: s}]}",
     TS_HANG, -1},
    {"semaphores: {s: {max: 1}}\ncores: {trisc0: [SEMWAIT sem_sel=s wait_sem_cond=zero "
     "stall_res=math, {repeat: {times: 29, do: [INCRWC]}}, {post: s}]}",
     TS_OK, -1},
    {"semaphores: {s: {max: 1}}\ncores: {brisc: [{push: {thread: 1, tt: SEMGET sem_sel=s}}, {push: "
     "{thread: 1, tt: SEMPOST sem_sel=s}}]}",
     TS_OK, TS_LOST_GET_DROPPED},
    // A word that needs banks and gives them back.
    {"cores: {T0: [" UNPACK_A ", UNPACR_NOP unpacker_select=1 set_dvalid=1], T1: [MVMUL "
     "clear_dvalid=3]}",
     TS_OK, -1},
    // Not declared: as after reset, value and maximum 0.
    {"cores: {T1: [SEMWAIT sem_sel=math_pack wait_sem_cond=max stall_res=all]}", TS_HANG, -1},
    {"cores: {T1: [SEMPOST sem_sel=math_pack]}", TS_OK, -1},
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
    {"cores:\n  T0:\n    - SEMPOTS sem_sel=1\n", "test:3:7: no Tensix instruction 'SEMPOTS'"},
    {"cores:\n  T0:\n    - SEMPOST sem_sel=s\n", "test:3:23: no semaphore 's'"},
    {"cores:\n  trisc0:\n    - \"SEMPOST  sem_sel=s\"\n", "test:3:25: no semaphore 's'"},
    {"semaphores: {abc: {}}\ncores:\n  trisc0:\n    - post: abd\n",
     "test:4:13: no semaphore 'abd'; did you mean 'abc'?"},
    {"cores:\n  T0:\n    - SEMWAIT sem_sel=1 wait_sem_cond=full\n",
     "test:3:39: wait_sem_cond knows no 'full': zero max"},
    {"cores:\n  T0:\n    - SEMWAIT sem_sel=1 stall_res=math+fpu\n",
     "test:3:40: stall_res knows no 'fpu': tdma sync pack unpack mover scalar math cfg sfpu"},
    {"cores:\n  T0:\n    - SEMINIT sem_sel=1 max_value=16\n",
     "test:3:7: SEMINIT has no field 'max_value', or not of this value"},
    {"cores:\n  T0:\n    - ATGETM mutex_index=m\n", "test:3:26: no mutex 'm'"},
    {"semaphores: {s: {value: 16}}\ncores: {}\n", "test:1:25: "},
    {"mutexes: {m: 1}\ncores: {}\n",
     "test:1:14: mutex 1 does not exist: ATGETM of it waits for ever"},
    {"cores:\n  trisc0:\n    - mail: trisc3\n", "test:3:13: no core 'trisc3'"},
    {"cores:\n  trisc0:\n    - mail: ncrisc\n", "test:3:13: ncrisc has no mailbox"},
    {"buffers: {c: {pages: 2}}\ncores:\n  trisc0:\n    - cb_push_back: {buffer: c, page: 2}\n",
     "test:4:33: no key 'page' is known here; did you mean 'pages'?"},
    {"buffers: {c: {pages: 2}}\ncores:\n  trisc0:\n    - cb_push_back: {pages: 2}\n",
     "test:4:21: the key 'buffer' is missing"},
    {"buffers: {c: {pags: 2}}\ncores: {}\n", "test:1:15: "},
    {"cores:\n  trisc0:\n    - until: {semaphore: 1}\n",
     "test:3:7: until needs one of is, is_not, below, at_most, above, at_least"},
    {"cores:\n  trisc0:\n    - until: {is: 1}\n", "test:3:7: until needs either a semaphore or l1"},
    {"cores:\n  T0:\n    - repeat: {times: 0, do: [NOP]}\n", "test:3:23: 0 is out of range"},
    {"cores:\n  T0:\n    - repeat: {times: 100000, do: [NOP, NOP]}\n",
     "test:3:36: more than 150000 operations in T0"},
    {"cores:\n  trisc0: [{issue: 1}]\n",
     "test:2:12: issue needs a list of words of the core's thread"},
    {"cores:\n  trisc0: [{issue: }]\n  T0: []\n", "test:2:20: '' is not an integer"},
    {"cores:\n  trisc0: [{jump: 1}]\n", "test:2:13: no key 'jump' is known here"},
    {"cores:\n  trisc0: [{post: 1, get: 1}]\n", "test:2:12: one step is expected here"},
    {"cores:\n  T0: [{post: 1}]\n", "test:2:9: no key 'post' is known here"},
    {"cores:\n  T0: 3\n", "test:2:7: a list of steps is expected here"},
    {"core: {}\n", "test:1:1: no key 'core' is known here; did you mean 'cores'?"},
    {"expect: {explore: maybe}\ncores: {}\n",
     "test:1:19: expect is {explore: proved} or {explore: deadlock}"},
    // The form that these files had before.
    {"threads:\n  T0: [SEMPOST s]\n", "test:1:1: threads is now `cores: {"},
    {"name: x\ncores: {}\n", "test:1:1: name is now `about'"},
    {"cores:\n  T0:\n    - WORK math\n",
     "test:3:7: no Tensix instruction 'WORK'; it is now `a word that always ends"},
    {"cores:\n  T0:\n    - SEMWAIT s on=zero\n",
     "test:3:7: SEMWAIT has no field 's', or not of this value; on= and block= are now "
     "wait_sem_cond= or wait_res=, and stall_res="},
};

START_TEST(positions)
{
    struct ts_error error = {0};
    ts_explore_free(&program);
    ck_assert(!ts_explore_load(&program, "test", errors[_i].text, &error));
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
        ck_assert_msg(ts_explore_load(&program, found.gl_pathv[i], NULL, &error), "%s", error.text);
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
    ck_assert_msg(ts_explore_load(&program, path, NULL, &error), "%s", error.text);
}

// The explanation of some hangs: kind, and each edge of it.
static const struct {
    const char *name;
    bool is_cycle;
    const char *edges; // from>to:object
} explanations[] = {
    {"mutex-order", true, "T0>T1:dst T1>T0:reg_rmw "},
    {"g01-lost-semget", false, "trisc0>-:unpack_operand_sync "},
    {"g13-unpack-sync-wedged", false,
     "trisc0>T0:unpack_sync T0>UNPACK0:UNPACK0 "
     "UNPACK0>-:srca "},
    {"g16-never-drained", false, "brisc>-:mask "},
    {"tpush-both-store-and-forward", true, "cube>vector:c2v vector>cube:v2c "},
    {"mailbox-cross", true, "trisc0>trisc1:trisc0->trisc1 trisc1>trisc0:trisc1->trisc0 "},
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
        fputs("semaphores: {a: {value: 1, max: 2}, b: {value: 1, max: 2}}\n"
              "mutexes: {m: 0, n: 2}\nbuffers: {c: {pages: 2}}\n"
              "rings: {r: {slots: 2}, f: {slots: 2, free: tfree}}\ncores:\n",
              out);
        random_lists(&r, (unsigned)n % 6, 12, true, out);
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
    snprintf(command, sizeof command, "%s run --explore %s >/dev/null 2>&1", TENSIM_BINARY,
             arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXAMPLE TENSIM_SOURCE_DIR "/config/explore/"

START_TEST(exit_codes)
{
    char schedule[] = "/tmp/test_explore_XXXXXX", line[600];
    close(mkstemp(schedule));
    ck_assert_int_eq(tensim(EXAMPLE "g01-repaired.yaml"), TS_OK);
    ck_assert_int_eq(tensim(EXAMPLE "g01-repaired.yaml --explore=exhaustive,all -q"), TS_OK);
    snprintf(line, sizeof line, EXAMPLE "g01-lost-semget.yaml --explore=schedule:%s", schedule);
    ck_assert_int_eq(tensim(line), TS_HANG);
    ck_assert_int_eq(tensim(EXAMPLE "g01-lost-semget.yaml --explore=expect"), TS_OK);
    snprintf(line, sizeof line, EXAMPLE "g01-lost-semget.yaml --explore=replay:%s", schedule);
    ck_assert_int_eq(tensim(line), TS_HANG);
    snprintf(line, sizeof line, EXAMPLE "g01-repaired.yaml --explore=replay:%s", schedule);
    ck_assert_int_eq(tensim(line), TS_SETUP); // T1 cannot receive yet
    FILE *file = fopen(schedule, "w");
    fputs("schedule: [trisc0, trisc0]\n", file);
    fclose(file);
    ck_assert_int_eq(tensim(line), TS_LIMIT);
    snprintf(line, sizeof line, "%s", schedule); // not a program
    ck_assert_int_eq(tensim(line), TS_SETUP);
    ck_assert_int_eq(tensim("/nowhere.yaml"), TS_SETUP);
    ck_assert_int_eq(tensim(EXAMPLE "unpack-math-pack.yaml --explore=states:10"), TS_LIMIT);
    ck_assert_int_eq(tensim(""), TS_USAGE);
    remove(schedule);
}
END_TEST

START_TEST(json_alone)
{
    FILE *out = popen(TENSIM_BINARY " run --explore " EXAMPLE "mutex-order.yaml --json -", "r");
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
