// Runs a guest kernel on one tile: operands, launch, results, figures.
//
//   spec --> ts_job_build (tile in a kernel) --> elaborate --> ts_job_start --> run -->
//   ts_job_finish --> result
//
// The caller owns the event kernel, so that the command line can trace it and a sweep need not.
#ifndef TENSIM_RUN_JOB_H
#define TENSIM_RUN_JOB_H

#include "cores/guest/include/launch.h"
#include "platform/kernel/kernel.h"
#include "platform/run/tensor.h"
#include "platform/tile/tile.h"

#define TS_JOB_OPERANDS 3

struct ts_chip;
struct ts_loss;
struct ts_program_run;

// The ARC firmware's throttle word changes (firmware.c).
#define TS_FLIPS        31
#define TS_THROTTLE_MAX 5 // the level that it asks for
struct ts_flip {
    ts_cycle at; // from the start of the kernel
    int level;   // from now on: TS_THROTTLE_MAX or that of the spec; -1: the other one
};

struct ts_job_spec {
    const char *program;         // "matmul": row of the table of built-in programs
    const char *op;              // "add", "exp", ...: the kernel's choice; NULL where it has none
    const char *broadcast;       // "none", "row", "col", "scalar"; element-wise
    uint32_t m, n, k;            // in elements; multiples of a tile's
    uint32_t tile_h, tile_w;     // of a tile of the result: 16 or 32; a matmul's inner ones are 32
    unsigned format, out_format; // enum ts_guest_format
    uint32_t phases;             // of math fidelity: 1 LoFi, 2, 3, 4
    uint32_t throttle;           // 0 to 5
    bool dst32;
    bool to_dst;           // tiles are unpacked straight to Dst, without Src
    uint32_t sub_h, sub_w; // matmul sub-block in tiles; 0: largest that fits
    uint32_t blocks;       // of the inner dimension; 0: one, or the best for the grid
    bool transposed;       // matmul: in1 is stored as n x k
    enum ts_run_type run_type;
    uint32_t repeat;
    uint64_t perturb_seed;
    uint32_t perturb_max; // 0: off
    const char *perturb_holds;
    bool strict;       // harmful lints are faults
    uint64_t lints;    // those that are shown; 0: the default
    bool unchecked;    // no lints, no record of writers
    bool timing_only;  // cycles without arithmetic: no numeric check
    bool step_by_step; // nobody runs ahead, no poll is parked: slower, same results
    uint64_t seed;
    double mean, spread; // of the first operand's values: average and standard deviation; 0 and 1
    uint32_t tiles;      // that run at once, each with operands of its own
    uint32_t tile;       // number of the tile, for its coordinates
    // A grid of tiles that share the work over the NoC; m and n are this tile's part. 0: one tile
    // alone.
    uint32_t grid_rows, grid_columns, grid_row, grid_column;
    bool in0_dram, out_dram;                  // in1 is always in DRAM
    uint64_t given;                           // options that were given, by number (spec.h)
    struct ts_chip *chip;                     // once it is there
    const struct ts_tile_config *tile_config; // NULL: the default
    struct ts_flip flips[TS_FLIPS + 1];       // ends with cycle 0
};

// MVMULs of a tile product, in each phase of fidelity.
#define TS_MVMULS(spec) ((spec)->tile_h / 8 * ((spec)->tile_w / 16) * (TS_TILE / 16))

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
    struct ts_job_spec spec;
    const struct ts_job_kind *kind;
    struct ts_kernel *kernel;
    struct ts_domain *domain;
    struct ts_tile *tile;
    const struct ts_program_run *program; // that it is a core of; NULL: a built-in kernel
    struct ts_matrix in[TS_JOB_OPERANDS], out, want;
    uint32_t address[TS_JOB_OPERANDS], out_address;
    ts_cycle done;
    struct ts_loss *loss;   // where its cycles go; NULL: not accounted for
    struct ts_marks *marks; // of the work whose window begins and ends with this job; NULL: none
    bool quoted;            // what its cores do in the kernel is shown
    uint32_t events;        // of its timed thread that were read
    uint64_t
        pages; // that ts_job_share has seen come and go in a ring, and the counter at that time
    uint16_t counter;
};

// A kind of kernel: its computation and the layout of its arguments (workload.c).
struct ts_job_kind {
    const char *name;
    const char *text;
    const char *unit; // unit of work for cycle counts: "product", "tile"
    const char *const
        *ops; // names of its operations, in the order the guest numbers them; NULL: none
    const char *reader, *writer;
    // Shapes of operands and result; false: text says what is wrong with the spec; without text there is no memory.
    bool (*shape)(struct ts_job *job, char *text, size_t size);
    void (*arguments)(const struct ts_job *job, uint32_t *args);
    void (*reference)(struct ts_job *job);
    // Tile i of an operand or of the result, in the order in which the rings hold them.
    void (*operand_tile)(const struct ts_job *job, unsigned operand, uint32_t i, uint32_t *row,
                         uint32_t *column);
    void (*result_tile)(const struct ts_job *job, uint32_t i, uint32_t *row, uint32_t *column);
    uint64_t (*work)(const struct ts_job *job);
    uint64_t (*flops)(
        const struct ts_job *job); // that are asked for; NULL: those that the matrix unit executes
    // Tiles of an intermediate buffer from number 24 on; 0: there is none. May be NULL.
    uint32_t (*middle)(const struct ts_job *job, unsigned i);
    bool rows_in, rows_out;            // operand or result is stored row by row, not in tiles
    const char *formats, *out_formats; // of operands and result, separated by blanks
};
extern const struct ts_job_kind ts_job_kinds[];
const struct ts_job_kind *ts_job_kind_find(const char *name);
// Number of an operation's name; -1: none.
int ts_job_op_index(const struct ts_job_kind *kind, const char *op);

// Elements of a tile of the matrix.
uint32_t ts_job_elements(const struct ts_matrix *matrix);
// Makes the values of an operand as a user has them, before the format of the operands rounds them.
void ts_job_values(struct ts_job *job, unsigned operand);
// BRISC and the others have written the words by which they start and end (NCRISC, TRISC0..2). Between the words that
// start the kernels and the beginning of the first one, and from the end of its own kernel on, a core stays in its
// cycle: the run stops then to begin its accounts, or to end.
void ts_job_keep(struct ts_job *job, const uint32_t sync[4]);
// Allocates a ring at the next free address of L1, of tiles with so many elements.
bool ts_job_ring(struct ts_cb_config *cb, uint32_t *at, uint32_t tiles, uint32_t elements,
                 unsigned format, struct ts_error *error);
void ts_job_spec_default(struct ts_job_spec *spec, const char *program);

// Checks the spec and builds the tile in the kernel, which must not be elaborated. False: error
// says why.
bool ts_job_build(struct ts_job *job, const struct ts_job_spec *spec, struct ts_kernel *kernel,
                  struct ts_error *error);
// After elaboration: loads programs and operands and starts BRISC.
bool ts_job_start(struct ts_job *job, struct ts_error *error);
// Between runs of the kernel: the completed share of the work, 0 to 1, for a progress line; 0 where
// it is not known.
double ts_job_share(struct ts_job *job);
// After the run: reads zones and results, compares them.
void ts_job_finish(struct ts_job *job, const struct ts_run *run, struct ts_job_result *result);
void ts_job_free(struct ts_job *job);

// All steps, without trace or session. False only if nothing could run; result->code has the
// outcome.
bool ts_job_run(const struct ts_job_spec *spec, ts_cycle limit, struct ts_job_result *result);

#endif
