// Findings: what is wrong with a program of the TPUSH/TPOP machine, before, during or after its
// run.
//
// A list with a fixed number of places; what does not fit is counted. The first finding of each
// code is always kept, so a flood of one kind cannot hide another.
#pragma once

#include "platform/base/cycle.h"

enum ts_finding_id {
#define TS_PIPE_FINDING(id, kind, code, text) TS_FINDING_##id,
#include "config/tpipe.def"
    TS_FINDING_COUNT
};

#define TS_FINDING_ROOM 64

// Where something is wrong: when (run time; else 0), the line of the declaration or instruction
// (0: none), and the pipe, tile, tensor or flag it is about.
struct ts_spot {
    ts_cycle cycle;
    uint32_t line;
    const char *object;
};

// What is wrong in one place. The same code at the same line about the same object is one finding,
// however often it happens.
struct ts_finding {
    enum ts_finding_id id;
    ts_cycle cycle; // the first time
    uint32_t line;
    uint64_t times;
    char object[40];
    char text[240]; // who, what, the parameter and its legal range
};

struct ts_findings {
    uint32_t count; // kept
    uint64_t seen[TS_FINDING_COUNT];
    struct ts_finding item[TS_FINDING_ROOM];
};

extern const struct ts_finding_row {
    const char *code, *text;
    char kind; // C, K, R or W
} ts_finding_rows[];

void ts_finding_add(struct ts_findings *self, enum ts_finding_id id, struct ts_spot spot,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
// Any finding of this kind ('C', 'K', 'R', 'W')?
bool ts_findings_any(const struct ts_findings *self, char kind);
void ts_findings_merge(struct ts_findings *self, const struct ts_findings *other);
