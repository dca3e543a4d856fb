// One core of a run: its tile, what its math kernel computes with, its account of cycles, its results.
//
//   plan (plan/plan.h) --> ts_work_new_program (tiles in a kernel) --> elaborate --> ts_work_start --> run -->
//   ts_work_finish --> results
//
// The caller owns the event kernel, so that the command line can trace it and a sweep need not.
#ifndef TENSIM_RUN_JOB_H
#define TENSIM_RUN_JOB_H

#include "cores/guest/include/launch.h"
#include "platform/kernel/kernel.h"
#include "platform/run/tensor.h"
#include "platform/tile/tile.h"

struct ts_chip;
struct ts_flip;
struct ts_loss;
struct ts_program_run;

// What the accounts ask about the math kernel of a core.
struct ts_numbers {
    unsigned format, out_format; // enum ts_guest_format
    uint32_t phases;             // of math fidelity: 1 LoFi, 2, 3, 4
    uint32_t throttle;           // 0 to 5
    bool flips;                  // the firmware changes it
    bool dst32;
    enum ts_run_type run_type;
    uint32_t repeat;
    const char *unit; // of work: "product", "tile"
    uint64_t units;   // of one pass
    uint64_t mvmuls;  // of one unit; 0: not known
    uint64_t flops;   // of one pass, by its definition; 0: count what the matrix unit executes
    uint32_t tile;    // elements of a tile of the result
    // What its error is made of (expected.h): products, terms of sums, copies, more.
    double products, terms, copies, more;
    uint32_t rows, inner; // of the result; columns of it times the inner dimension of a product
};

// A zone of one thread, from its event buffer.
struct ts_job_zone {
    ts_cycle start, end;
};
enum { TS_JOB_KERNEL, TS_JOB_INIT, TS_JOB_LOOP, TS_JOB_ZONES };

struct ts_job_result {
    enum ts_code code; // TS_OK, or why there is no result
    char text[512];
    ts_cycle cycles; // of the complete run, BRISC's start to the done word
    struct ts_job_zone zones[TS_THREADS][TS_JOB_ZONES];
    uint64_t work; // tile products, or tiles, of all passes
    uint64_t flops;
    ts_cycle loop; // cycles as usually quoted: the math thread's kernel, or the isolated thread's
                   // loop
    double cycles_per_unit;
    struct ts_agreement agreement;  // with exact arithmetic on the operands as they are stored
    struct ts_agreement end_to_end; // with float64 on the values before they were rounded
    bool checked;
    uint64_t mvmuls, nops; // executed by the math thread in the complete run
};

struct ts_job {
    struct ts_numbers numbers;
    struct ts_chip *chip; // that it is a core of; NULL: a tile alone
    struct ts_kernel *kernel;
    struct ts_domain *domain;
    struct ts_tile *tile;
    const struct ts_program_run
        *program;                // on our or the vendor's runtime; NULL: a low-level kernel
    const struct ts_flip *flips; // of the firmware's word, the last one at cycle 0
    ts_cycle done;
    struct ts_loss *loss;   // where its cycles go; NULL: not accounted for
    struct ts_marks *marks; // of the work whose window begins and ends with this job; NULL: none
    bool kernels[5];        // of a program: it has one on BRISC, NCRISC, TRISC0, 1, 2
    ts_cycle ended;         // of a program, after the run: the end of its last kernel; 0: it has none
    uint32_t events;        // of its timed thread that were read
    uint64_t pages;         // that were seen to come and go in a ring, and the counter at that time
    uint16_t counter;
};

// BRISC and the others have written the words by which they start and end (NCRISC, TRISC0..2). Between the words that
// start the kernels and the beginning of the first one, and from the end of its own kernel on, a core stays in its
// cycle: the run stops then to begin its accounts, or to end.
void ts_job_keep(struct ts_job *job, const uint32_t sync[4]);
void ts_job_free(struct ts_job *job);

#endif
