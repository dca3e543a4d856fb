// Exactness as a property: random cases, each run fast and step by step, and compared.
//
//   seed, number --> generate.c: a case --> compare.c: two runs --> same, or what differs
//                                               |
//                                   shrink.c: a smaller case that still differs
//
// A case is a small program (platform/load/script.h) for 1 to 6
// tiles, or a built-in kernel; with parameters from their declared ranges, a cycle at which the run
// is cut, delays (--perturb), threads and a trace.
#ifndef TENSIM_TESTS_EXACT_FUZZ_H
#define TENSIM_TESTS_EXACT_FUZZ_H

#include "platform/base/cycle.h"
#include "platform/base/params.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FUZZ_LINES    600
#define FUZZ_SETTINGS 8
#define FUZZ_TILES    6
#define FUZZ_LIMIT    20000   // cycles of a program, at most
#define FUZZ_CODE     0x28000 // bytes of L1: 32 KiB of code for each of five cores

// A step of a program. Steps behind a loop that are deeper than it are in it.
struct fuzz_line {
    uint8_t tile, core, depth;
    bool loop; // text: how often
    bool base; // sets a register that the core's other code uses: stays as long as that
    char text[92];
};

struct fuzz_case {
    const char *chip;                 // whose machine it runs on; NULL: p150
    char kernel[24];                  // empty: a program
    char settings[FUZZ_SETTINGS][32]; // of the kernel
    unsigned setting_count;
    struct fuzz_line lines[FUZZ_LINES]; // of the program
    unsigned line_count, tiles;
    bool configured;                // formats are set before the first cycle
    char params[FUZZ_SETTINGS][48]; // group.key=value
    unsigned param_count;
    uint64_t perturb_seed;
    uint32_t perturb_max;
    bool timing_only;
    // Of the fast run only; step by step has one thread and no trace.
    unsigned threads;
    bool trace;
    ts_cycle cut; // 0: to the end
};

// What cases are made of. Texts: names separated by commas; NULL: all, none.
struct fuzz_choice {
    const char *chip; // of another machine: programs of one tile, kernels on that card; NULL: p150
    const char *only,
        *without; // groups of parameters ("noc"), kinds ("kernel", "program", "chip"), "perturb"
};

// generate.c: case `number` of a seed. The same on every host.
void fuzz_generate(struct fuzz_case *self, uint64_t seed, uint64_t number,
                   const struct fuzz_choice *choice);
// The program as text that `tensim run' reads.
void fuzz_write(const struct fuzz_case *self, FILE *file);

// compare.c
enum fuzz_verdict { FUZZ_SAME, FUZZ_DIFFERS, FUZZ_REFUSED };
struct fuzz_result {
    enum fuzz_verdict verdict;
    ts_cycle cycles; // that the run took
    int code;        // its exit code
    char text[800];  // what differs, or why it was refused
};
// Runs a case both ways. A program is the case's, or a file's.
void fuzz_compare(const struct fuzz_case *self, const char *file, struct fuzz_result *result);

// shrink.c: makes a case that differs smaller, as long as it differs. Returns how many runs it took.
unsigned fuzz_shrink(struct fuzz_case *self);
// The command that compares it again, for a program in `file`; and those of tensim.
void fuzz_command(const struct fuzz_case *self, const char *file, FILE *to);

#endif
