// The contents of an instance of the library. For the files of this folder, and for the CLI where
// it shows more of a run than tensim.h does: progress, recordings, commit logs, reports.
#pragma once

#include "platform/chip/system.h"
#include "platform/load/scenario.h"
#include "platform/run/work.h"
#include "platform/tensim.h"

#define TS_LIB_DEVICES 32

// What the host put behind a site (tensim_attach).
struct ts_lib_device {
    struct tensim_device device;
    struct ts_noc_niu *niu; // of NoC 0
};

// The word of L1 whose change ends a run of the host.
struct ts_lib_follow {
    struct ts_tile *tile; // NULL: none
    uint32_t address, value;
};

struct tensim {
    struct ts_params params;
    struct ts_tile_config tile_config;
    struct ts_kernel *kernel;
    struct ts_scenario scenario; // the tiles, what is loaded, the script
    struct ts_chip *chip;        // around them, the first one of a system; NULL: none
    struct ts_system *system;    // NULL: one chip at most
    struct ts_chip **chips;      // of the system
    uint32_t chosen;             // chip of it that functions are about
    struct ts_work *work;        // a low-level kernel and its tiles; NULL: none
    struct ts_work *
        *works;      // of a program on a system, by chip: `work` is the first; NULL: one chip
    char **settings; // of the kernel: its spec points into them
    size_t setting_count;
    bool no_hang_check;
    // The host.
    struct ts_lib_device *devices; // room for TS_LIB_DEVICES of each chip
    uint32_t device_count;
    struct ts_lib_follow follow;
    bool asleep; // nothing can happen until the host acts
    // The run.
    bool ran;
    bool passed;          // the complete script
    ts_cycle limit;       // of the current call
    _Atomic ts_cycle now; // after the last run: time passes for the host even when nothing happens
    struct ts_run run;
    struct ts_error script; // failures that the script reports
    // The trace.
    struct ts_trace *trace;
    char *trace_path;
    struct ts_trace_names *names; // of the trace
};

// --- work.c ---
typedef bool ts_lib_builder(struct tensim *sim, const char *name,
                            const struct tensim_config *config, struct ts_error *error);
ts_lib_builder ts_lib_build_kernel, ts_lib_build_program;

// --- build.c ---
// The parameters that a caller asks for; `program`: the file of a program, which may have a machine of its own, or NULL.
bool ts_lib_params(struct ts_params *to, const char *program, const char *chip,
                   const struct tensim_config *config, struct ts_error *error);
// An error of the chip or a tile: with the line of the scenario, if there is one.
void ts_lib_refuse(struct ts_scenario *scenario, struct ts_yaml_node node, const char *text,
                   struct ts_error *error);
extern const struct ts_scenario_dram ts_lib_dram; // of a chip
// Adds all Tensix and Ethernet tiles of a chip.
bool ts_lib_add_all(struct ts_scenario *scenario, uint32_t chip, const struct ts_soc *soc,
                    struct ts_error *error);

// --- system.c ---
// Reads the system and finds the tiles of a scenario, or, `complete`, takes all; before they are built. Then builds its chips
// around them.
bool ts_lib_find_system(struct tensim *sim, bool complete, struct ts_error *error);
bool ts_lib_build_system(struct tensim *sim, struct ts_error *error);
// The chips are there: links and audit.
void ts_lib_connect(struct tensim *sim);
// The works of a program: 1, or one for each chip.
uint32_t ts_lib_works(const struct tensim *sim);
struct ts_work *ts_lib_work(const struct tensim *sim, uint32_t chip);
// Of the chip that the caller has chosen; NULL: there is none.
struct ts_work *ts_lib_chosen_work(const struct tensim *sim);
struct ts_chip *ts_lib_chosen_chip(const struct tensim *sim);
void ts_lib_free_system(struct tensim *sim);

// --- tiles.c ---
struct ts_tile *ts_lib_tile(struct tensim *sim, struct tensim_xy at, struct tensim_error *error);
struct ts_scenario_tile *ts_lib_place(struct tensim *sim, struct tensim_xy at,
                                      struct tensim_error *error);

// --- run.c ---
// The host has perhaps held cores since the last run: the figures are of all cycles up to that.
void ts_lib_extend(struct tensim *sim);

// --- host.c ---
// Around a run that may end when the followed word changes.
void ts_lib_follow_begin(struct tensim *sim);
void ts_lib_follow_end(struct tensim *sim);

// --- errors ---
// Passes a failure to the caller, whose struct may be NULL. Returns the code.
enum tensim_code ts_lib_give(const struct ts_error *from, struct tensim_error *error);
enum tensim_code ts_lib_fail(struct tensim_error *error, enum ts_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum tensim_code ts_lib_no_memory(struct tensim_error *error);
