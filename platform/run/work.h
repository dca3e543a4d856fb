// A program on all its cores: on the tiles of a chip, or tiles alone, each with operands of its own.
//
//   plan --> ts_work_new_program (tiles in a kernel) --> elaborate --> ts_work_start --> run, with
//   ts_work_break after every break --> ts_work_finish --> result, verdict
#ifndef TENSIM_RUN_WORK_H
#define TENSIM_RUN_WORK_H

#include "platform/chip/chip.h"
#include "platform/run/lines.h"
#include "platform/run/loss.h"
#include "platform/run/marks.h"
#include "platform/run/verdict.h"

struct ts_plan;

struct ts_work {
    struct ts_plan *plan; // what runs
    struct ts_job *jobs;  // one for each tile
    uint32_t made;        // jobs that were built
    bool shares;          // the tiles share the work over the networks of `chip`
    const struct ts_params *params;
    struct ts_chip chip;
    double each; // units of work of a tile
    struct ts_program_run *
        program; // on our or the vendor's runtime (plan/launch.h); NULL: low-level kernels (plan/llk.h)
    struct ts_tile *const *eth;      // of a program, by channel; NULL: none
    struct ts_loss *const *eth_loss; // their polls are known
    ts_cycle first, last;            // of a program, after the run: of all kernels
    double computes;                 // how much of this time the math kernels run
    struct ts_marks marks; // the kernel's window in all accounts
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

void ts_work_free(struct ts_work *self);
// While building, once the chip is there: the account of job `i` follows its networks, which `core`
// uses.
void ts_work_join(struct ts_work *self, uint32_t i, unsigned core);

// After elaboration: loads programs and operands of all tiles and starts them.
bool ts_work_start(struct ts_work *self, struct ts_error *error);
// After a break of the run at `now`: holds the cores of the tiles that are done, so that they do not
// stop the others again. True: all are done.
bool ts_work_break(struct ts_work *self, ts_cycle now);
// Runs it up to `limit`, with a break for the window and for each tile that is done.
struct ts_run ts_work_run(struct ts_work *self, ts_cycle limit);
// Between runs: the completed share of the work, 0 to 1.
double ts_work_share(struct ts_work *self);
// After the run: the results, and the verdict if self->result.code is TS_OK. False: no memory.
bool ts_work_finish(struct ts_work *self, const struct ts_run *run, struct ts_error *error);
// Tiles that work together, or the first of tiles with operands of their own: those that figures are about.
static inline uint32_t ts_work_tiles(const struct ts_work *self)
{
    return self->shares ? self->made : 1;
}
// Adds the verdict and the figures of every tile to a document.
void ts_work_json(const struct ts_work *self, json_t *document);

#endif
