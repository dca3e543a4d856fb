// Small programs (load/script.h) turned into guest code and run on tiles: the gallery of hangs, and the
// form to reduce a hang to.
//
// `expect` is for tests: {verdict: hang, path: trisc0 T1, object: semaphore 3, says: was lost}. verdict hang, done, or
// fault; objects and nodes that the explanation must name, and its root cause, word for word; lint: what
// is reported on the way ("none" is the default: nothing is); explore: the verdict of --explore.
#pragma once

#include "cores/riscv/assemble.h"
#include "platform/chip/traffic.h"
#include "platform/crew/crew.h"
#include "platform/explain/checks.h"
#include "platform/explain/hang.h"
#include "platform/load/setup.h"
#include "platform/study/hang/near.h"

// The steps of small programs (load/script.h) as guest code.

struct ts_hang_steps {
    struct ts_rvasm *code;
    struct ts_noc_xy here;
    const struct ts_chip *chip; // for coordinates; only its SoC is there
    const struct ts_script *script;
    bool noc;                    // a step uses the network
    unsigned depth;              // of repeat
    struct ts_tile_lines *lines; // of the steps; pcs from 0
    struct ts_hang_words {       // of the core's Tensix thread, if it has a list of its own
        uint32_t word[TS_RVASM_WORDS];
        unsigned count, next;
    } words;
};

// Words of L1: counters of buffer i.
static inline uint32_t ts_hang_received(unsigned buffer)
{
    return 0x2f000u + 16 * buffer;
}
static inline uint32_t ts_hang_acked(unsigned buffer)
{
    return 0x2f200u + 16 * buffer;
}

// Makes code of the steps of a core, and of the words of its thread.
void ts_hang_steps(struct ts_hang_steps *self, const struct ts_script_list *list,
                   const struct ts_script_list *thread);

#define TS_HANG_TILES 6

struct ts_hang_program_tile {
    struct ts_noc_xy at;
    bool has[TS_RV_CORES];
    struct ts_rvasm code[TS_RV_CORES];
    struct ts_tile_lines lines[TS_RV_CORES];
};

struct ts_hang_program {
    char file[256];
    struct ts_hang_program_tile tiles[TS_HANG_TILES];
    unsigned tile_count;
    struct ts_setups setups;
    struct ts_script_object buffers[TS_SCRIPT_BUFFERS];
    unsigned buffer_count;
    bool noc;                                  // the tiles are connected
    const char *chip;                          // a card, or a SoC file
    const struct ts_params *params;            // of the network, then; NULL: the defaults
    const struct ts_hang_recording *recording; // NULL: none
    struct ts_near *near;                      // watches its tiles; NULL: none
    bool hashed;                               // the outcome has a hash of the stats
    struct ts_checks_how checks;               // how findings of checks are shown
    // What a test expects; empty: nothing.
    char about[120], verdict[16], object[40], path[120], says[120], lint[80], cause[900];
};

// Where a run is recorded for --explore: the operations of the first tile.
struct ts_hang_recording {
    FILE *file;
    const char *command; // of the run, or NULL
    unsigned ops;        // of each thread; 0: all
};

struct ts_hang_outcome {
    enum ts_code code; // TS_OK: it ended; TS_HANG; or what went wrong
    char text[500];    // of an error
    ts_cycle cycle;
    char hash[17], timing[17];      // of the stats and of their timing, if the program asks for it
    char line[256];                 // the explanation in one line
    char cause[1200];               // the root cause in one sentence
    json_t *document;               // hang.json; to be freed
    json_t *lints;                  // as ts_lints has them; to be freed
    struct ts_checks_result checks; // to be freed
    char *screen;                   // what ts_hang_print writes; to be freed
};

// `chip` is NULL for a p150, `text` for the file.
bool ts_hang_program_read(struct ts_hang_program *self, const char *path, const char *text,
                          const char *chip, struct ts_error *error);
// Its tiles, loaded and started, and what is around them.
struct ts_hang_stage {
    struct ts_kernel *kernel;
    struct ts_tile *tiles[TS_HANG_TILES];
    struct ts_chip chip;       // where the program uses the NoC
    struct ts_params defaults; // of it, where the program has no other ones
    struct ts_tile_name names[TS_HANG_TILES][TS_SCRIPT_BUFFERS];
};
bool ts_hang_stage_build(struct ts_hang_stage *self, const struct ts_hang_program *program,
                         const struct ts_tile_config *config, uint32_t threads,
                         struct ts_error *error);
// Call also after a build that failed.
void ts_hang_stage_strike(struct ts_hang_stage *self);
// Runs it, up to `limit` cycles.
void ts_hang_program_run(const struct ts_hang_program *self, const struct ts_tile_config *config,
                         ts_cycle limit, struct ts_hang_outcome *outcome);
void ts_hang_outcome_free(struct ts_hang_outcome *self);

// Searches for a perturbation that hangs (base/perturb.h). One run is watched for near misses; the
// holds they suggest are tried first, the nearest first (near.h), then random delays: seeds 1 to
// `seeds` with delays of up to 1, 2, 4 ... `most` cycles. A hold that hangs is made as short as it
// can be. True: one hangs. False: none does, the search stopped at a run that neither ends well nor
// hangs (failure), or it is not complete (code).
struct ts_hang_search {
    uint32_t seeds, most;
    bool random;            // only random delays
    const char *command;    // what is searched, and
    uint64_t configuration; // a hash of all that a run depends on: for a crew with a directory
    struct ts_crew crew;    // who searches
    // Result.
    int code; // of ts_crew_run
    struct ts_error error;
    char perturb[TS_PERTURB_TEXT]; // for --perturb
    char why[120];                 // near miss; empty: at random
    uint64_t runs;                 // up to the one that stopped the search, in order
    uint64_t shortened;            // and those that made it short
    struct ts_error failure;       // of the run that stopped the search
};
// Runs with a perturbation, in any process: TS_OK, TS_HANG, or another code and why.
typedef enum ts_code ts_hang_trial(void *context, const char *perturb, struct ts_error *error);
// Runs without and lists near misses, at most `room`; how many. All processes find the same.
typedef size_t ts_hang_look(void *context, struct ts_near_hold *list, size_t room);
bool ts_hang_search_any(ts_hang_trial *trial, ts_hang_look *look, void *context,
                        struct ts_hang_search *search);
bool ts_hang_search(const struct ts_hang_program *program, const struct ts_tile_config *config,
                    ts_cycle limit, struct ts_hang_search *search);
