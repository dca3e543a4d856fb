// A program on all its cores: on the tiles of a chip, or tiles alone, each with operands of its own.
//
//   plan --> ts_work_new_program (tiles in a kernel) --> elaborate --> ts_work_start --> run, with
//   ts_work_break after every break --> ts_work_finish --> result, verdict
#pragma once

#include "platform/account/account.h"

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
// Adds the verdict and the figures of every tile to a document.
void ts_work_json(const struct ts_work *self, json_t *document);
// Its figures, after the run, when the window is closed (verdict.c).
void ts_verdict_make(struct ts_job_verdict *self, const struct ts_work *work,
                     const struct ts_run *run);
// Adds the figures of config/figures.def.
void ts_verdict_json(const struct ts_work *work, json_t *document);
// {families: [{name, title, rows, median, p90}, ...], not_vendor: [words]}; errors in percent (trust.c).
json_t *ts_trust_json(const struct ts_job_verdict *verdict, const struct ts_work *work);
#define TS_RESULT_VERSION 3 // of the document
// BRISC and the others have written the words by which they start and end (NCRISC, TRISC0..2). Between the words that
// start the kernels and the beginning of the first one, and from the end of its own kernel on, a core stays in its
// cycle: the run stops then to begin its accounts, or to end.
// `sync`, `done`: where in L1 those words are. The done word `word` ends the run of the tile.
void ts_job_written(struct ts_job *job, size_t sync, size_t done, uint32_t word, ts_cycle at);
void ts_job_free(struct ts_job *job);
// chips.c. After the run of a program on several chips: adds what each chip and each link did, what bounds all of it, and who waited for
// whom to a document: `system`, `chips`, `links`, `system_bound`, `collective`, `waits` and `link_waits`. False: no memory.
bool ts_chips_json(struct ts_work *const *works, uint32_t count, json_t *document);

// toggles.c: of MVMULs' operands on all tiles of a run (units/matrix/toggles.h).
// Before the run of an elaborated kernel: each tile counts from now on. False: out of memory.
bool ts_toggles_begin(const struct ts_work *work, struct ts_kernel *kernel);
// After it: {mvmuls, srca, srcb, dst: bits; of a MVMUL; tiles: [{tile, mvmuls, srca, srcb, dst}]}.
json_t *ts_toggles_json(const struct ts_work *work, ts_cycle now);

// window.c: the timed part of a low-level kernel: which zone of which thread, and what begins and ends with it.
// By run type. The usual figure: the math thread's kernel from start to end, or the loop of the
// isolated thread. node: the unit whose cycles are accounted for (enum ts_loss_node).
extern const struct ts_job_timed {
    uint8_t thread, zone, node;
} ts_job_timed[TS_RUN_TYPES];
// Before the run: follows the threads' events.
void ts_job_window_watch(struct ts_job *job);

// firmware.c: the ARC firmware as a matmul sees it: a word in L1 that asks for the highest throttle level.
// Adds the component that changes the word at the cycles of the job's flips, counted from `start`; TS_NEVER: from the start of
// the kernel on the math thread. Before elaboration.
bool ts_firmware_add(struct ts_job *job, ts_cycle start, struct ts_error *error);
