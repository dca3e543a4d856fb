// A program file on a chip: tiles, images, launch, zones and prints, results.
//
// It is a struct ts_work like that of a low-level kernel: one job for each core, and the verdict,
// report and statistics of the first one that computes.
#pragma once

#include "platform/run/plan/plan.h"
#include "platform/run/work.h"

// What a processor recorded: a zone's begin or end.
struct ts_launch_event {
    ts_cycle cycle;
    uint32_t type, id; // TS_ZONE_*
    uint8_t processor;
};

struct ts_launch_text {
    ts_cycle cycle;
    char *text;
    uint8_t processor;
};

struct ts_print_form {
    char base; // x, o, or 0: decimal
    bool fixed;
    uint8_t width, digits; // digits: 0: usual, else one more than the precision
};

// A zone of a core, for the report.
struct ts_launch_span {
    ts_cycle start, end;
    uint32_t zone;  // index of ts_program_run's zones
    uint32_t depth; // zones around it
};

// One core while it runs. Its callbacks run on the thread of its tile.
struct ts_launch_core {
    struct ts_program_run *run;
    struct ts_job *job;
    const struct ts_plan_core *core;
    struct ts_launch_event *events;
    size_t event_count, event_room;
    uint32_t taken[TS_ON]; // from the ring
    struct ts_launch_text *texts;
    size_t text_count, text_room;
    // Printed so far, and how numbers are printed until the end of the line.
    char line[TS_ON][512];
    struct ts_print_form form[TS_ON];
    struct ts_tile_name *names; // of the core's L1, for explanations
    // After the run.
    struct ts_launch_span *spans;
    uint32_t span_count;
    uint64_t spans_left_out; // on the page and in traces
};

// A zone over all cores that have it.
struct ts_launch_zone {
    char name[80];
    uint8_t processor;
    uint64_t count;
    ts_cycle sum, least, most;
};

struct ts_image {
    char path[PATH_MAX];
    void *bytes;
    size_t length;
};

struct ts_program_run {
    struct ts_plan *plan;
    ts_cycle at; // the cycle in which its cores are started
    struct ts_launch_core *cores;
    uint32_t count;
    struct ts_image *images;
    uint32_t image_count;
    struct ts_tile *eth[TS_CHIP_ETH];      // by channel; NULL: none
    struct ts_loss *eth_loss[TS_CHIP_ETH]; // their polls are known
    // After the run.
    ts_cycle first, last; // of all kernels
    uint64_t flops;       // of all cores: as the file says, or as their instructions do
    double padded; // the same with all products that the matrix units execute; 0: no difference
    uint32_t computing; // cores with a compute kernel
    double ideal;       // cycles that these FLOP need at least, on average
    struct ts_launch_zone *zones;
    uint32_t zone_count;
};

// Builds the tiles and the chip. The plan becomes the work's. NULL: error, and the plan is freed.
struct ts_work *ts_work_new_program(struct ts_plan *plan, const struct ts_params *params,
                                    const struct ts_tile_config *config, struct ts_kernel *kernel,
                                    struct ts_error *error);

// --- for sequences of programs (platform/run/layer): a machine that keeps its state between them ---
// Tiles and chip, before elaboration.
struct ts_work *ts_machine_new(const struct ts_soc *soc, const struct ts_tile_site *sites,
                               uint32_t count, const struct ts_params *params,
                               const struct ts_tile_config *config, struct ts_kernel *kernel,
                               struct ts_error *error);
// After it: the next program, whose cores ts_work_start starts in cycle `at`. The plan becomes the work's.
bool ts_machine_put(struct ts_work *work, struct ts_plan *plan, ts_cycle at,
                    struct ts_kernel *kernel, struct ts_error *error);
// Have the kernels of its Ethernet tiles ended, too?
bool ts_machine_ended(const struct ts_work *work);
// Takes it off again: the cores are held, memory, caches, DRAM pages and networks stay as they are.
void ts_machine_take(struct ts_work *work, ts_cycle now);

// --- for checks (areas.c) ---
// What lies where in L1 of a core, and in DRAM.
void ts_launch_areas(struct ts_launch_core *self);
void ts_launch_dram_areas(const struct ts_plan *plan, struct ts_chip *chip);

// --- for metal.c ---
const struct ts_image *ts_launch_image(struct ts_program_run *self, const char *path,
                                       struct ts_error *error);
void ts_launch_record(struct ts_launch_core *self, const struct ts_launch_event *event,
                      ts_cycle now);

// --- called by work.c and verdict.c ---
bool ts_program_start(struct ts_work *work, struct ts_error *error);
// Of the job: its core's zones. Of the program: results, and result->code if they are wrong.
void ts_program_finish(struct ts_work *work, const struct ts_run *run);
void ts_program_free(struct ts_program_run *self);
const char *ts_program_runtime(const struct ts_program_run *self);
// `what` of the document.
json_t *ts_program_what(const struct ts_work *work);
// The first wrong element of each tensor that is wrong, and who wrote its page last, if checks know.
void ts_program_differs(const struct ts_work *work, FILE *file);
// Is a tensor not what the file expects?
bool ts_program_wrong(const struct ts_program_run *self);
// The first that is not, with its error and what was asked for.
void ts_program_wrong_text(const struct ts_program_run *self, char *text, size_t size);
// How much of the program's time the compute kernels run.
double ts_program_computes(const struct ts_job *job);
void ts_program_json(const struct ts_program_run *self, json_t *document);
// What the kernels printed, in the order of cycles.
void ts_program_print_texts(const struct ts_program_run *self, FILE *file);

// print.c: what kernels print (DPRINT): messages of a launch block as lines of text. A message is a list of items: a letter, then
// its bytes. The guest side is in cores/guest/metal.
// The message of `length` bytes that a processor has just written.
void ts_print_message(struct ts_launch_core *self, uint8_t processor, uint32_t length, ts_cycle at);
// What was printed without an end of line.
void ts_print_flush(struct ts_launch_core *self, ts_cycle at);
