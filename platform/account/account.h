// The account of a run: what its cores are, where its cycles went, what bounds it.
//
//   components --episodes, accounts--> window (lines.h) --> chains of waits (loss.h), stages, roofs, rank, waits, lines (lines.h)
//                                                     --> the bound and the figures of the verdict
//
// The runtimes (platform/run) fill the structs: cores, window, ends of kernels. Everything here reads them.
#pragma once

#include "cores/guest/include/launch.h"
#include "platform/account/lines.h"
#include "platform/account/tensor.h"
#include "platform/chip/chip.h"

// --- one core ---

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
    ts_cycle ended;  // of a program, after the run: the end of its last kernel; 0: it has none
    uint32_t events; // of its timed thread that were read
    uint64_t pages;  // that were seen to come and go in a ring, and the counter at that time
    uint16_t counter;
};

// --- FLOP, and figures in the units that fit a kernel (measure.c) ---

// Figures in the units that fit a kernel: elements a cycle for kernels that work tile by tile,
// operations and FLOP/s of the vector unit for functions, the chip's sum for a grid of tiles.
//
// The vector unit has 32 lanes and executes an instruction a cycle: 64 FLOP with SFPMAD, which is its
// roof. An MVMUL is 8 x 16 x 16 products and sums, 64 times as much.
#define TS_VECTOR_LANES 32
#define TS_VECTOR_FLOPS (2 * TS_VECTOR_LANES) // of an SFPMAD

// FLOP of words that passed a tile's math gate, by opcode (config/flops.def), and the cycles that the unit takes for them
// at least: flops / cycles is its peak for them, a cycle.
struct ts_flops {
    double flops, cycles;
};
// The matrix unit's: `phases` of math fidelity are words of the same FLOP. `only`: an opcode, or 0 for all.
struct ts_flops ts_flops_matrix(const struct ts_tile *tile, uint32_t phases, unsigned only);

struct ts_measures {
    double elements;   // of the result a cycle; 0: not a kernel that works tile by tile
    double operations; // lanes of the vector unit that worked, a cycle; 0: none did
    uint64_t flops;    // of the vector unit, all lanes
};

void ts_measures_make(struct ts_measures *self, const struct ts_job *job,
                      const struct ts_job_result *result);

// --- roofs (roofs.c) ---

// The roofs over a run: every resource that bounds it, how much of it was used in the kernel's window, the nearest first.
//
//   unit at this fidelity, vector unit, unpackers, packer, L1, the busiest link of each NoC, DRAM
//
// share: of the window in which the resource works, of a unit at a fidelity the utilisation. With that resource alone the run would
// take `share` of its time, so its roof is at rate / share. Rates of units, unpackers, packer and L1 are of all cores of a
// program, of one tile of a kernel; those of networks are of the chip.
#define TS_ROOFS 8
#define TS_NEAR  0.60 // a roof that is nearer is the limit

struct ts_job_verdict;
struct ts_work;

struct ts_roof {
    char name[32]; // "DRAM", "NoC 0"
    enum ts_resource of;
    double share;      // of it that is used
    double rate, peak; // what passes it and what can; 0: not known
    const char *unit;  // of both: "TFLOP/s", "GB/s"
    char detail[128];
};

// After ts_marks_close and the figures of the verdict. Returns how many.
unsigned ts_roofs_make(struct ts_roof *to, const struct ts_job_verdict *verdict,
                       const struct ts_work *work);
// [{name, share, rate, peak, unit, detail}, ...]
json_t *ts_roofs_json(const struct ts_roof *roofs, unsigned count);

// --- the verdict: how fast, how much of the peak, what bounds it and why ---

struct ts_job_verdict {
    ts_cycle cycles; // of the loop
    ts_cycle first,
        window;             // the kernel's window (lines.h): its begin, its cycles
    ts_cycle span;          // of the complete run, boot included
    uint32_t clock_mhz;     // chip.clock_mhz
    double seconds;         // at that clock
    double cycles_per_unit; // product or tile
    struct ts_measures measures;
    char scope[24];         // of what cycles, FLOP, words and the roofs of units are: "all 4 tiles"
    uint64_t mvmuls, nops;  // that the math threads executed in the complete run
    double tflops;          // useful: of the products that were asked for
    double padding;         // of all products that were executed, the share that was not asked for
    double device;          // utilisation while the math kernels run; 0: not known
    ts_cycle device_cycles; // which is so long on average
    double peak_tflops;     // of this fidelity
    double utilisation;     // ideal / cycles
    double intensity;       // MVMUL / (MVMUL + NOP), as the vendor defines throttling
    double math_busy;       // of the unit that computes, share of the loop
    const char *bound_by;   // its kind
    char bound_object[32];  // its name: "matrix", "trisc0", "DRAM"
    char evidence[420];
    struct ts_roof roofs[TS_ROOFS]; // the nearest first
    unsigned roof_count;
};

// --- all cores ---

struct ts_work {
    struct ts_plan *plan; // what runs
    struct ts_job *jobs;  // one for each tile
    uint32_t made;        // jobs that were built
    bool shares;          // the tiles share the work over the networks of `chip`
    const struct ts_params *params;
    struct ts_chip chip;
    struct ts_tile **
        machine; // tiles that outlive the program (run/plan/build.c); NULL: the jobs have their own
    ts_cycle at; // the cycle in which the cores are started: 0 on a machine of its own
    double each; // units of work of a tile
    struct ts_program_run *
        program; // on our or the vendor's runtime (plan/launch.h); NULL: low-level kernels (plan/llk.h)
    struct ts_tile *const *eth;      // of a program, by channel; NULL: none
    struct ts_loss *const *eth_loss; // their polls are known
    ts_cycle first, last;            // of a program, after the run: of all kernels
    double computes;                 // how much of this time the math kernels run
    struct ts_marks marks;           // the kernel's window in all accounts
    // Called between runs when the window begins; NULL: nobody asks.
    void (*began)(void *context, ts_cycle now);
    void *began_context;
    bool by_line;           // asked for: cycles by source line; the tiles must run step by step
    struct ts_lines *lines; // then; NULL: none
    // After ts_work_finish.
    struct ts_job_result *results;
    struct ts_job_result result; // of the first tile, the first that failed, or the grid's mean
    struct ts_job_verdict verdict;
    struct ts_loss_account *loss; // NULL: none
    bool traced;                  // the zones are in the trace
};

// Tiles that work together, or the first of tiles with operands of their own: those that figures are about.
static inline uint32_t ts_work_tiles(const struct ts_work *self)
{
    return self->shares ? self->made : 1;
}

// What bounds the run, by its loss account (bound.c).
void ts_verdict_bound(struct ts_job_verdict *self, const struct ts_work *work);
// What passes DRAM and the NoCs in the kernel's window.
struct ts_network_use {
    double dram, link, eth;      // shares of the window in which the busiest channel and links work
    double dram_rate, dram_peak; // GB/s, of all channels
    uint32_t channel;            // the busiest
    const char *path;            // of the busiest link
    double eth_rate, eth_peak;   // GB/s that leave by the busiest Ethernet link
    uint32_t eth_channel;        // it
};
struct ts_network_use ts_network_use_of(const struct ts_work *work);
// Adds the bytes that a chip has moved since it was built.
struct ts_moved {
    uint64_t dram_read, dram_written, noc;
};
void ts_moved_add(struct ts_moved *self, const struct ts_chip *chip);
// {slowest, median, fastest: {tile, cycles, behind_percent}, cause, work}; NULL: there is nothing to rank (ranking.c).
json_t *ts_ranking_json(const struct ts_work *work);
// Cycles of a tile up to the end of its last kernel.
ts_cycle ts_ranking_cycles(const struct ts_work *work, uint32_t tile);
const char *ts_fidelity_name(uint32_t phases);
// Who waited for whom in a system (waits.c): adds `waits`: [{tile, core, cycles, works, waits: [{for, link, cycles}, ...]}, ...], where works
// and the waits' cycles add up to `cycles`; and `link_waits`, the longest over links: [{share, text, router}, ...].
void ts_waits_json(struct ts_work *const *works, uint32_t count, json_t *document);

// --- stages (stages.c) ---

// The stages of a kernel's pipeline, and which of them is the slowest.
//
//   ncrisc --> unpack (TRISC0, T0, unpackers) --> math (TRISC1, T1, matrix, vector) --> pack (TRISC2, T2, packer) --> brisc
//
// A stage that waits for another one (a circular buffer, a semaphore, a bank of SrcA) would not be faster if its own work took
// less. The stage that waits least for others sets the pace: its own time is the run's. What this time consists of is
// the bound: its unit, its code, its transfers. From the accounts of all tiles in the kernel's window (lines.h).
//
// Inaccuracies: a core that runs ahead of its thread may wait while the thread still works; both count. Own times are means
// of the tiles.
enum ts_stage_id {
    TS_STAGE_BRISC,
    TS_STAGE_NCRISC,
    TS_STAGE_UNPACK,
    TS_STAGE_MATH,
    TS_STAGE_PACK,
    TS_STAGES
};

// What a stage does with its own time, as shares of the window.
enum ts_stage_part {
    TS_PART_DRAM,   // transfers from or to DRAM under way
    TS_PART_NOC,    // other transfers
    TS_PART_CODE,   // instructions of its core
    TS_PART_UNIT,   // the unpackers, the matrix unit, the packer
    TS_PART_SECOND, // the vector unit
    TS_PART_ISSUE,  // all else: instructions of its thread, waits within the stage
    TS_PARTS
};

struct ts_stage {
    bool used;
    double own;
    double part[TS_PARTS];
};

// Of a work whose window is closed.
void ts_stages_make(struct ts_stage stages[TS_STAGES], const struct ts_work *work);

// What cores that move data do with their own time: those that other tiles wait for, weighted by how long they do. As
// shares of all of it; CODE is of BRISC, SECOND of NCRISC.
void ts_stages_movers(double part[TS_PARTS], const struct ts_work *work);

// --- expected errors (expected.c) ---

// An upper estimate of rel_l2 against double arithmetic on the same operands. It adds the losses of
// the format's and the fidelity's products, of sums in Dst, of the function and of the result's
// format.
double ts_expected_error(const struct ts_numbers *numbers);
// "expected for HiFi4 with 16-bit Dst", "larger than expected for ...: at most ...", or "exact".
void ts_expected_text(const struct ts_numbers *numbers, double rel_l2, char *text, size_t size);
// How many rows of the result are compared end to end: all, or as many of a large product as do not
// make the run much longer.
uint32_t ts_end_to_end_rows(const struct ts_numbers *numbers);
// Why more fidelity may not give less error here, as a sentence; NULL: it gives less.
const char *ts_expected_note(const struct ts_numbers *numbers);
// Of a run with MVMULs: fidelity_rel_l2, what the fidelity takes from products of N(0,1) (config/fidelity_error.def), and
// fidelity_note, if fewer phases would take no more.
void ts_fidelity_json(const struct ts_numbers *numbers, json_t *document);
