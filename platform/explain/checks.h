// The findings of a run's checks (platform/check), as text and as JSON.
#pragma once

#include "platform/kernel/kernel.h"

#include <jansson.h>

// How findings are shown.
struct ts_checks_how {
    const char *suppress; // a file of suppressions; NULL: none
    bool strict;          // weak races count
    bool ended;           // the program has, at this cycle: nothing may be unfinished
    ts_cycle at;
};

struct ts_checks_result {
    json_t *list;        // of findings, weak ones too
    unsigned count;      // that stand
    unsigned weak;       // races that no document excludes; not counted unless strict
    unsigned suppressed; // by the file
    bool strict;
};

// All findings, in an order that does not depend on threads. NULL list: error (the file of suppressions).
struct ts_checks_result ts_checks(const struct ts_kernel *kernel, const struct ts_checks_how *how,
                                  struct ts_error *error);
// Who wrote last to `length` bytes of DRAM or L1: "last written by ...". `check`: of that memory, or NULL.
struct ts_check;
void ts_checks_writer(const struct ts_kernel *kernel, const struct ts_check *check, bool dram,
                      uint64_t address, uint32_t length, char *text, size_t size);
// Each as a warning for editors ("file:line: warning: ..."), with its two accesses and the remedy; then a line for all.
void ts_checks_print(const struct ts_checks_result *self, FILE *file);
void ts_checks_free(struct ts_checks_result *self);
