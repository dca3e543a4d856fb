// Cores of a chip, or of a tile alone, that run programs: how a row runs.
//
//   squad_new -> squad_guest, squad_text ... -> squad_build -> [squad_write] -> squad_run -> squad_word
//   ... -> squad_free
//
// A guest is a program that the build compiles and embeds (config/probes/probes.cmake: NAME.CORE),
// with the firmware and the launch block of program files; it reads its arguments with get_arg_val,
// has 16 semaphores that are 0, and leaves its figures at PROBE_RESULTS (cores/guest/include/probe.h).
// Text is the assembler of a probe (launch.h); it ends in a jump to itself. All programs of a squad start
// together: guests at cycle TS_PROGRAM_START, text at 0.
//
// Only tiles with a program get cores; all others are bare L1. Coordinates are raw ones of NoC 0.
// What fails is in the error, and then the calls do nothing.
#pragma once

#include "cores/guest/include/probe.h"
#include "platform/chip/traffic.h"
#include "platform/study/silicon/silicon.h"

#define SQUAD_ARGUMENTS 256 // words of a guest

// Code and where it goes.
struct squad_text {
    const unsigned char *bytes;
    uint32_t length, address;
};

// How cores start; and, where a program is launched twice, what the branch predictors know then.
struct squad_setting {
    uint32_t cfg0;                              // set in addition to what it is after reset
    bool pushed;                                // firmware has pushed words before
    bool open;                                  // the run may end at its limit
    bool warm;                                  // the second launch
    struct ts_rv_predictor learnt[TS_RV_CORES]; // of the only tile
};

struct squad {
    struct ts_error *error; // the row's
    const struct ts_silicon_context *context;
    struct ts_kernel *kernel;
    struct ts_soc soc;
    struct ts_chip chip; // from squad_build on
    struct squad_member *members;
    unsigned count;
    bool built, lone;
    struct squad_setting *setting; // NULL: as after reset
    struct squad_script *scripts;  // of traffic
    unsigned script_count;
    struct ts_traffic watcher; // of a word
    struct ts_traffic_op watch;
    struct ts_noc_xy watched;
    struct ts_run run;
};

// A chip of the SoC file `name'; empty: only tiles. Never NULL.
struct squad *squad_new(const char *name, const struct ts_silicon_context *context,
                        struct ts_error *error);
void squad_free(struct squad *self);

void squad_guest(struct squad *self, struct ts_noc_xy tile, const char *image,
                 const uint32_t *arguments, unsigned count);
void squad_text(struct squad *self, struct ts_noc_xy tile, unsigned core, struct squad_text text);

// Traffic of a tile without cores to or from DRAM: a batch of requests of 16 KiB with the pace of a core's loop, then a wait for
// their answers, or until they have left. It takes so many banks in turn, from `first' on in steps, and one port of each.
struct squad_traffic {
    uint32_t noc, write, requests, banks, first, step;
    uint32_t index; // of the tile
    uint32_t batch;
    uint32_t bytes;   // of a request
    int32_t vc;       // of requests; below 0: dynamic
    int32_t endpoint; // of a bank; below 0: the one for workers
};
void squad_traffic(struct squad *self, struct ts_noc_xy tile, struct squad_traffic traffic);
double squad_traffic_started(const struct squad *self, unsigned traffic);
double squad_traffic_ended(const struct squad *self, unsigned traffic);

// A word of a tile without cores is watched: watch.ended is the cycle at which it has the value.
void squad_watch(struct squad *self, struct ts_noc_xy tile, uint32_t address, uint32_t value);

// The chip with the programs in it: after this the host may write memory (ts_chip_write).
bool squad_build(struct squad *self);
// Until all programs have ended. False: the run failed.
bool squad_run(struct squad *self, ts_cycle limit);

// Before the run.
void squad_write(struct squad *self, struct ts_noc_xy tile, uint32_t address, const void *bytes,
                 uint32_t length);
// After it: a core's clock, a word of a tile's L1.
ts_cycle squad_time(struct squad *self, struct ts_noc_xy tile, unsigned core);
uint32_t squad_word(struct squad *self, struct ts_noc_xy tile, uint32_t address);
