// What holds for a program in every order that any timing could give.
//
// A program of the TPUSH/TPOP machine has no choice in it: each counter has one core that waits for
// it, so whether it ends does not depend on time. What does depend on time is whether a slot is still
// unread when it is written, or a tile there when it is read. One run gives the order that the
// machine enforces (pipes in order, issue, set before wait); two accesses that it leaves unordered
// can happen either way.
//
// Source: happens-before by vector clocks (Lamport 1978; Mattern 1989).
// Inaccuracies: queues are taken as endless, which allows more orders, never fewer. Uses of a
// zero-copy slot by other pipes than the one that frees it are not checked.
#pragma once

#include "platform/study/pipe/run.h"

struct ts_pipe_proof {
    enum ts_code code; // TS_OK proved; TS_HANG deadlocks; TS_CONTRACT a hazard is possible;
                       // TS_SETUP refused; TS_LIMIT not decided
    uint32_t events;
    uint64_t pairs;              // of accesses whose order was looked at
    struct ts_findings findings; // what may happen
    char text[500];              // one sentence
};

// Runs the program once, on one cluster, and looks at the order of its events.
enum ts_code ts_pipe_prove(struct ts_pipe_program *program, struct ts_pipe_proof *proof,
                           struct ts_error *error);
json_t *ts_pipe_proof_json(const struct ts_pipe_program *program,
                           const struct ts_pipe_proof *proof);
// The document as text.
void ts_pipe_proof_print(const struct ts_pipe_program *program, const json_t *proof, FILE *file);
