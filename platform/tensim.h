// libtensim: a model of Tenstorrent's Blackhole Tensix tile and chip, as a library.
//
//   tensim_new            tiles of your own: load ELFs and bytes, start cores
//   tensim_new_scenario   what a scenario file describes            --> run --> look --> tensim_free
//   tensim_new_kernel     a low-level kernel: "matmul", "eltwise", ...
//   tensim_new_program    kernels of your own: what a program file describes
//
// Rules of all functions:
// - Failures are values. A function that can fail returns an enum tensim_code, or NULL, and fills
//   the caller's struct tensim_error. `error` may be NULL. The library never exits, aborts, prints
//   or installs a signal handler.
// - An instance has all its state in itself. Instances may run in several threads at once; one
//   instance is used by one thread at a time, except where a function says "from any thread".
// - Results are the same bytes for every number of threads, with the trace on or off.
// - Strings and structs that a function hands back are the caller's and have a function that frees
//   them. Strings inside of structs live as long as the struct and the instance.
// - A cycle is a clock cycle of the tile, counted from 0. Coordinates are those of NoC 0.
#ifndef TENSIM_H
#define TENSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TENSIM_API __attribute__((visibility("default")))
#else
#define TENSIM_API
#endif

// The version of the library, "0.1.0".
TENSIM_API const char *tensim_version(void);
// Where a file or folder of the configuration lies, "chips/p150.yaml". Returns the length of the path.
TENSIM_API size_t tensim_path(const char *file, char *path, size_t room);

// --- errors ---

// The same numbers as the exit codes of the tensim program.
enum tensim_code {
    TENSIM_OK = 0,
    TENSIM_DIFFERS = 1,         // the workload failed, or its result differs
    TENSIM_HANG = 2,            // nothing can happen any more, and something waits
    TENSIM_SETUP = 3,           // a file, the configuration, the wiring
    TENSIM_CONTRACT = 4,        // the program broke the hardware's contract
    TENSIM_NOT_IMPLEMENTED = 5, // not in the model; the text names it
    TENSIM_LIMIT = 6,           // the cycle limit was reached first
    TENSIM_FINDINGS = 7,        // only the program: a check has found something
    TENSIM_NO_MEMORY = 12,      // the host is out of memory; the program exits with 3
    TENSIM_USAGE = 64,          // a wrong argument, or a call at the wrong time
    TENSIM_BUG = 70,            // a bug in tensim
    TENSIM_INTERRUPTED = 128,   // tensim_interrupt; the program adds the signal number
};

struct tensim_error {
    enum tensim_code code;
    char text[500]; // one sentence: file and line, or tile, core, cycle and pc, and what to do
};

// "hang", "not implemented", ...
TENSIM_API const char *tensim_code_name(enum tensim_code code);

// --- building ---

struct tensim; // one simulated machine

struct tensim_xy {
    uint32_t x, y;
};

struct tensim_config {
    // The chip around the tiles: "p150", "p100", or the path of a SoC file. NULL: no chip, so no
    // networks and no DRAM. Not for scenarios and kernels, which name theirs.
    const char *chip;
    // Instead of a chip, with `complete`: a system, "p300", or the path of its file or cluster descriptor.
    const char *system;
    // The tiles that are built, NoC 0 coordinates. NULL: one at 1-2, or with `complete` all that the
    // chip has, Ethernet tiles, too. All other tiles of a chip are memory without cores. Not for scenarios and kernels.
    const struct tensim_xy *tiles;
    size_t tile_count;
    bool complete;
    // Parameters: a YAML file, NULL for the one that comes with the library; then settings
    // "group.key=value", as -D of the tensim program.
    const char *params;
    const char *const *settings;
    size_t setting_count;
    uint32_t threads;  // that simulate, 1 to 256
    bool timing_only;  // cycles without arithmetic: no numeric results
    bool strict;       // lints that mean a wrong result or a hang end the run as a fault
    const char *lints; // the reported ones, as --lint; NULL: the default
    bool step_by_step; // no simulator shortcuts: slower, same results
    bool
        lines; // kernels and program files: the result has cycles by source line; runs step by step
    bool no_hang_check;    // no lints, no search for hangs of polling cores
    const char *check;     // what to check, as --check: "race"; NULL: nothing
    uint64_t perturb_seed; // holds accesses at random for up to perturb_max cycles
    uint32_t perturb_max;  // 0: off
    const char
        *perturb_holds; // "T0@17+300,...": holds exactly these (perturb_max 1); NULL: at random
    bool print; // kernels of a program file may print (DPRINT); otherwise that costs nothing
    const char *sources; // folder of a program file's kernels; NULL: as the file says
    FILE *output;        // where a scenario's script prints, and the compiler; NULL: nowhere
    bool no_expect;      // what a program file expects is not worked out: cycles alone are wanted
    const char *allow;   // what a program file may do, as --allow: "compiler,save"; NULL: neither
    const struct ts_hosting *hosting; // of tensim's own programs; NULL in yours
};

// The defaults: one tile alone, the library's parameters, one thread. Call it first.
TENSIM_API void tensim_config_init(struct tensim_config *config);

// Empty tiles, all cores held. `config` NULL: the defaults. Returns NULL: `error` says why.
TENSIM_API struct tensim *tensim_new(const struct tensim_config *config,
                                     struct tensim_error *error);
// Builds what a scenario file describes and loads every file it names. tensim_run runs its script.
TENSIM_API struct tensim *tensim_new_scenario(const char *path, const struct tensim_config *config,
                                              struct tensim_error *error);
// A low-level kernel with operands in place: "matmul", "eltwise", "sfpu", "reduce", "transpose",
// "norm", "tilize", "untilize". Settings are its options, "m=64", "format=bf16", flags by name
// alone; `tensim KERNEL --help` lists them: it is short for tensim_new_program("llk/KERNEL"). With
// "cores=8x4", "place=dram" or "chip=p100" it is the kernel-API program of its operation. tensim_run
// runs it to its result.
TENSIM_API struct tensim *tensim_new_kernel(const char *name, const char *const *settings,
                                            size_t setting_count,
                                            const struct tensim_config *config,
                                            struct tensim_error *error);
// What a program file describes (platform/run/plan/README.md): compiles its kernels, places tensors
// and arguments. `path` may also be a name that `tensim run' knows, "gemv". Settings replace its
// parameters, "tiles=128", its cores and chip, "chip=p100", and contents of tensors, "a=FILE.npy".
// Messages of the compiler go to config->output. tensim_run runs it to its result.
TENSIM_API struct tensim *tensim_new_program(const char *path, const char *const *settings,
                                             size_t setting_count,
                                             const struct tensim_config *config,
                                             struct tensim_error *error);
// Does this file describe a program, not a scenario?
TENSIM_API bool tensim_is_program(const char *path);
// Frees the instance, and ends its trace. NULL is allowed.
TENSIM_API void tensim_free(struct tensim *sim);

// Chips of the system that the caller, a scenario or a program names; 1 of all others.
TENSIM_API uint32_t tensim_chips(const struct tensim *sim);
// From now on all functions that take a tile, a site, a channel of DRAM or a tensor, and those that give tiles, prints or a
// verdict, are about this chip; at first about chip 0. Statistics, lints and hangs are always of all chips.
TENSIM_API enum tensim_code tensim_choose_chip(struct tensim *sim, uint32_t chip,
                                               struct tensim_error *error);
// Where the Ethernet tile of a channel is; its cores are TENSIM_BRISC (erisc0) and TENSIM_NCRISC (erisc1).
TENSIM_API enum tensim_code tensim_eth(const struct tensim *sim, uint32_t channel,
                                       struct tensim_xy *tile, struct tensim_error *error);

// The tiles that were built, in order. Returns their number; fills up to `room` of `tiles`.
TENSIM_API size_t tensim_tiles(const struct tensim *sim, struct tensim_xy *tiles, size_t room);

// --- programs ---

enum tensim_core {
    TENSIM_BRISC,
    TENSIM_TRISC0,
    TENSIM_TRISC1,
    TENSIM_TRISC2,
    TENSIM_NCRISC,
    TENSIM_CORES
};

// Loads an ELF (32-bit RISC-V) for a core of a tile, from a file or from memory. Bytes must not
// overlap what was loaded before. The core stays held; tensim_start starts it at the ELF's entry.
// `name` is for messages. `bytes` must live as long as the instance: hang reports read its symbols.
TENSIM_API enum tensim_code tensim_load_elf(struct tensim *sim, struct tensim_xy tile,
                                            enum tensim_core core, const char *path,
                                            struct tensim_error *error);
TENSIM_API enum tensim_code tensim_load_elf_bytes(struct tensim *sim, struct tensim_xy tile,
                                                  enum tensim_core core, const void *bytes,
                                                  size_t length, const char *name,
                                                  struct tensim_error *error);
// Loads a file as it is to an address of L1. It must not overlap what was loaded before.
TENSIM_API enum tensim_code tensim_load_file(struct tensim *sim, struct tensim_xy tile,
                                             uint32_t address, const char *path,
                                             struct tensim_error *error);
// Sets where a core starts, for a core without an ELF. BRISC always starts at 0.
TENSIM_API enum tensim_code tensim_set_start(struct tensim *sim, struct tensim_xy tile,
                                             enum tensim_core core, uint32_t pc,
                                             struct tensim_error *error);
// Takes a core out of soft reset, or puts it back.
TENSIM_API enum tensim_code tensim_start(struct tensim *sim, struct tensim_xy tile,
                                         enum tensim_core core, struct tensim_error *error);
TENSIM_API enum tensim_code tensim_hold(struct tensim *sim, struct tensim_xy tile,
                                        enum tensim_core core, struct tensim_error *error);

// --- memory and registers, without timing, between runs ---

// L1 at 0 to 0x17ffff, any length; above it the registers of the tile's address space, one aligned
// word per call.
TENSIM_API enum tensim_code tensim_read(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                                        void *bytes, size_t length, struct tensim_error *error);
TENSIM_API enum tensim_code tensim_write(struct tensim *sim, struct tensim_xy tile,
                                         uint32_t address, const void *bytes, size_t length,
                                         struct tensim_error *error);
// The same for one word.
TENSIM_API enum tensim_code tensim_read_word(struct tensim *sim, struct tensim_xy tile,
                                             uint32_t address, uint32_t *word,
                                             struct tensim_error *error);
// DRAM of the chip, by channel. Unwritten memory reads as zero.
TENSIM_API enum tensim_code tensim_dram_read(struct tensim *sim, uint32_t channel, uint64_t address,
                                             void *bytes, size_t length,
                                             struct tensim_error *error);
TENSIM_API enum tensim_code tensim_dram_write(struct tensim *sim, uint32_t channel,
                                              uint64_t address, const void *bytes, size_t length,
                                              struct tensim_error *error);

// --- the chip as its host sees it, without timing, between runs; NoC 0 coordinates ---

enum tensim_site_kind {
    TENSIM_SITE_EMPTY, // a router only
    TENSIM_SITE_TENSIX,
    TENSIM_SITE_HARVESTED, // a Tensix tile that is fused off
    TENSIM_SITE_DRAM,
    TENSIM_SITE_ETHERNET,
    TENSIM_SITE_PCIE,
    TENSIM_SITE_ARC,
    TENSIM_SITE_L2CPU,
    TENSIM_SITE_SECURITY,
};
struct tensim_site {
    enum tensim_site_kind kind;
    const char *name; // of the kind
    uint32_t index;   // among those of its kind; of DRAM the channel
};
// What stands at a place of the grid.
TENSIM_API enum tensim_code tensim_site(const struct tensim *sim, struct tensim_xy at,
                                        struct tensim_site *site, struct tensim_error *error);
// The place that translated coordinates name, as the card's firmware sets up the tables.
TENSIM_API enum tensim_code tensim_translate(const struct tensim *sim, struct tensim_xy from,
                                             struct tensim_xy *to, struct tensim_error *error);
// Memory of any site: a tile (as tensim_read), DRAM, or a device of tensim_attach.
TENSIM_API enum tensim_code tensim_site_read(struct tensim *sim, struct tensim_xy at,
                                             uint64_t address, void *bytes, uint32_t length,
                                             struct tensim_error *error);
TENSIM_API enum tensim_code tensim_site_write(struct tensim *sim, struct tensim_xy at,
                                              uint64_t address, const void *bytes, uint32_t length,
                                              struct tensim_error *error);
// A register of a site's network interface; `offset` from its base.
TENSIM_API enum tensim_code tensim_niu_read(struct tensim *sim, struct tensim_xy at, uint32_t noc,
                                            uint32_t offset, uint32_t *word,
                                            struct tensim_error *error);

// Memory that the caller puts behind a site without tile and DRAM. Both functions return NULL, or
// why not; a text that begins with "not implemented: " makes a fault TENSIM_NOT_IMPLEMENTED. Requests of
// the networks call them during a run, on a thread of the run, one at a time.
struct tensim_turn {
    uint64_t turn;  // cycle of its turn, from which on the device may be asked for the next one
    uint64_t start; // cycle of the first byte
    uint32_t rate;  // bytes in 1000 cycles from then on
    uint32_t after; // of a write: cycles from the last byte to the acknowledgement
};
struct tensim_device {
    const char *(*read)(void *context, uint64_t address, void *bytes, uint32_t length,
                        uint64_t cycle);
    const char *(*write)(void *context, uint64_t address, const void *bytes, uint32_t length,
                         uint64_t cycle);
    // When it takes or delivers the bytes of a request that comes at `cycle`; NULL: at once.
    struct tensim_turn (*turn)(void *context, bool write, uint64_t address, uint32_t length,
                               uint64_t cycle);
    void *context;
    bool ends; // a write over the network ends the current tensim_run_for
};
TENSIM_API enum tensim_code tensim_attach(struct tensim *sim, struct tensim_xy at,
                                          const struct tensim_device *device,
                                          struct tensim_error *error);
// A change of this word of L1 ends the next tensim_run_for calls early. One word at a time.
TENSIM_API enum tensim_code tensim_follow(struct tensim *sim, struct tensim_xy tile,
                                          uint32_t address, struct tensim_error *error);
TENSIM_API void tensim_unfollow(struct tensim *sim);

struct tensim_core_state {
    uint32_t pc;
    uint32_t x[32];        // integer registers
    uint64_t instructions; // executed so far
    uint64_t cycle;        // that the core has reached
    bool held;             // in soft reset
    bool paused;           // at an ebreak
    bool ended;            // in a jump to itself
    bool halted;           // by a debugger
};
TENSIM_API enum tensim_code tensim_core_read(struct tensim *sim, struct tensim_xy tile,
                                             enum tensim_core core, struct tensim_core_state *state,
                                             struct tensim_error *error);

struct tensim_semaphore {
    uint32_t value, max;
    uint64_t posts, gets; // so far
};
// A semaphore of the tile's coprocessor, 0 to 7.
TENSIM_API enum tensim_code tensim_semaphore_read(struct tensim *sim, struct tensim_xy tile,
                                                  uint32_t index,
                                                  struct tensim_semaphore *semaphore,
                                                  struct tensim_error *error);
// A register of the coprocessor's configuration: bank 0 or 1.
TENSIM_API enum tensim_code tensim_config_read(struct tensim *sim, struct tensim_xy tile,
                                               uint32_t bank, uint32_t index, uint32_t *value,
                                               struct tensim_error *error);
// A register of a thread's own configuration: thread 0 to 2.
TENSIM_API enum tensim_code tensim_thread_config_read(struct tensim *sim, struct tensim_xy tile,
                                                      uint32_t thread, uint32_t index,
                                                      uint32_t *value, struct tensim_error *error);

// --- running ---

#define TENSIM_FOREVER UINT64_MAX

// How the last run stopped.
enum tensim_stop {
    TENSIM_STOP_NOT_RUN,
    TENSIM_STOP_DONE,        // nothing is left to do
    TENSIM_STOP_LIMIT,       // the cycles have passed
    TENSIM_STOP_HANG,        // nothing can happen any more, and something waits
    TENSIM_STOP_FAULT,       // the error says what
    TENSIM_STOP_CONDITION,   // the word has its value; the kernel has its result
    TENSIM_STOP_INTERRUPTED, // tensim_interrupt
};
TENSIM_API enum tensim_stop tensim_stopped(const struct tensim *sim);
TENSIM_API const char *tensim_stop_name(enum tensim_stop stop);

// Runs to the end, or to the cycle `limit`: a scenario's script (once), a kernel to its result,
// otherwise until nothing can happen any more. TENSIM_OK; TENSIM_LIMIT; TENSIM_HANG; TENSIM_DIFFERS
// of a script, or a program whose result is not what its file expects (it has a verdict); or what faulted. After TENSIM_LIMIT it may be called again, not for a scenario.
TENSIM_API enum tensim_code tensim_run(struct tensim *sim, uint64_t limit,
                                       struct tensim_error *error);
// Runs for `cycles`. Cores that only poll meanwhile are not a hang: the caller may write what they
// wait for. It ends early when the word of tensim_follow changes or a device asks for it.
TENSIM_API enum tensim_code tensim_run_for(struct tensim *sim, uint64_t cycles,
                                           struct tensim_error *error);
// Runs until a word of L1 has a value.
struct tensim_until {
    struct tensim_xy tile;
    uint32_t address;     // of an aligned word of L1
    uint32_t value, mask; // (word & mask) == value; mask 0: all bits
    uint64_t cycles;      // at most; 0: no limit
    bool written;         // it must be written: an old value that matches does not count
};
// TENSIM_OK: it has the value, *at (unless `at` is NULL) is the cycle of the write. TENSIM_LIMIT,
// TENSIM_HANG or a fault: it does not. If everything ended before, TENSIM_DIFFERS.
TENSIM_API enum tensim_code tensim_run_until(struct tensim *sim, const struct tensim_until *until,
                                             uint64_t *at, struct tensim_error *error);
// From any thread: the cycle that has been reached.
TENSIM_API uint64_t tensim_cycle(const struct tensim *sim);
// From any thread or a signal handler: makes the run stop soon, with TENSIM_INTERRUPTED + signal.
TENSIM_API void tensim_interrupt(struct tensim *sim, int signal);
// Calls `look` from time to time during a run, on the thread that runs, while nothing moves. NULL:
// never.
TENSIM_API void tensim_on_progress(struct tensim *sim, void (*look)(void *context), void *context);
// Completed share of a kernel's work, 0 to 1. For `look`, and between runs.
TENSIM_API double tensim_progress(struct tensim *sim);

// --- tensors of a program file ---

struct tensim_tensor {
    const char *name;
    const char *format;            // "bf16"
    uint32_t shape[8], dimensions; // as the file says
    bool integers;                 // values are whole numbers
    bool filled;                   // it has contents before the run; otherwise it begins with 0
    bool checked, right;           // after the run: the file expects something, and it is that
};
// The tensors, in the file's order. Returns their number; fills up to `room` of `tensors`.
TENSIM_API size_t tensim_tensors(const struct tensim *sim, struct tensim_tensor *tensors,
                                 size_t room);
// What a tensor holds now, `count` elements in row-major order. Before the run its contents, rounded
// to its format.
TENSIM_API enum tensim_code tensim_tensor_read(struct tensim *sim, const char *name, double *values,
                                               size_t count, struct tensim_error *error);

// --- results ---

// A document of a run, with all its figures by their paths (platform/out/README.md lists them):
//   "result"  after tensim_run of a kernel has returned TENSIM_OK, or TENSIM_DIFFERS of a program: as --json writes it
//   "stats"   cycles and counters of every component: stats.json
//   "hang"    the wait-for graph, after TENSIM_HANG, or at any time between runs: hang.json
//   "lints"   suspicious operations, once per call site
struct tensim_document;
TENSIM_API struct tensim_document *tensim_document(struct tensim *sim, const char *name,
                                                   struct tensim_error *error);
TENSIM_API void tensim_document_free(struct tensim_document *document);
// Values by path: names between slashes; an element of a list by its number, or by its name: "cycles", "roofs/0/share",
// "units/tile[1-2].matrix/busy". What is not there is 0, "", of length 0. Texts live as long as the document.
TENSIM_API double tensim_number(const struct tensim_document *document, const char *path);
TENSIM_API const char *tensim_text(const struct tensim_document *document, const char *path);
TENSIM_API size_t tensim_length(const struct tensim_document *document, const char *path);

// --- what an operation costs ---

// The cost of a program with its settings, as tensim_new_program takes them: {operation, settings, cycles, us, clock_mhz, chip, cores, bound,
// evidence, bytes: {dram_read, dram_written, noc}, margin: {family, median, p90}, flops, utilisation}. `margin`: how far cards and model
// differ in measurements like this one, in percent. A sequence of programs is an operation, too. `store`: a file (SQLite) of answers,
// which is made, and may be used by several processes at once; NULL: the one that `tensim cost' uses. What the store does not
// have runs once, without arithmetic. Of `config` parameters, settings and allow count. Free the document with tensim_document_free.
TENSIM_API struct tensim_document *tensim_cost(const char *operation, const char *const *settings,
                                               size_t setting_count,
                                               const struct tensim_config *config,
                                               const char *store, struct tensim_error *error);

// --- results as text; free each with tensim_text_free; NULL: error ---

// A document as JSON.
TENSIM_API char *tensim_json(struct tensim *sim, const char *name, struct tensim_error *error);
// The explanation of a hang, one screen.
TENSIM_API char *tensim_hang_text(struct tensim *sim, struct tensim_error *error);
// What the kernels of a program printed (DPRINT), in the order of cycles: a line "core processor cycle: text".
TENSIM_API char *tensim_prints_text(struct tensim *sim, struct tensim_error *error);
TENSIM_API void tensim_text_free(char *text);

// --- trace ---

// Writes a trace (Chrome, Perfetto; gzip) of the cycles `from` to `to`. Before the first run.
TENSIM_API enum tensim_code tensim_trace(struct tensim *sim, const char *path, uint64_t from,
                                         uint64_t to, struct tensim_error *error);
// Ends the trace and its file, between runs. tensim_free does it too, without the error.
TENSIM_API enum tensim_code tensim_trace_end(struct tensim *sim, struct tensim_error *error);

#ifdef __cplusplus
}
#endif

#endif
