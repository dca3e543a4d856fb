// libttsim.so: the C interface by which the vendor's host software drives a simulator, over libtensim.
//
//   set_pci_dma_mem_callbacks -> init -> config and memory accesses, clock ... -> exit -> init ...
//
// One system of cards in a process, calls one at a time: that is the interface's contract, and why this file has a variable. A call
// that breaks the contract, a fault of the model and a hang print what happened, write all reports and end the process
// with tensim's exit codes. A call while another runs writes none: the model is in the middle of a cycle.
//
// A forked process has a copy of the card. Its threads start again, and it takes a run directory of its own, at its first call;
// one that never calls leaves no trace. The threads rest while the process is copied.
// Source: docs of ttsim 1.10.0 (libttsim_api), tt-umd device/simulation.
#include "platform/ttsim/clock.h"
#include "platform/ttsim/options.h"

#include "platform/cli/session.h"
#include "platform/kernel/between.h"
#include "platform/lib/inside.h"
#include "platform/mem/fresh.h"

#include <pthread.h>
#include <sched.h>

// A function of the library: what a host calls.
#define CALL(type, name, ...)                                                 \
    __attribute__((visibility("default"))) type libttsim_##name(__VA_ARGS__); \
    type libttsim_##name(__VA_ARGS__)

static struct {
    bool running;
    unsigned runs;                // in this process
    _Atomic(const char *) inside; // the call that runs; NULL: none
    // Copies of the process.
    unsigned forks;     // of this process
    bool forked;        // it is one, and has not called yet
    const char *broken; // the call that ran when it was made; NULL: none
    char parents[64];   // of its run directory's name: ".fork2" of the second copy
    const char *base;   // the run directory as the options name it
    ts_host_read *read;
    ts_host_write *write;
    struct ts_ttsim_options options;
    char out[4096]; // the run directory of this run
    struct ts_session session;
    struct ts_card *cards;
    uint32_t count; // of them
    struct ts_capture *capture;
    struct ts_elf_cache *elf;
    struct ts_clock clock;
} state;

// --- the end ---

// Writes every report; returns the exit code.
static int report(void)
{
    struct ts_session *session = &state.session;
    ts_lib_extend(session->sim);
    session->run = session->sim->run;
    int code = ts_session_end(session);
    return ts_session_write(session, code);
}

// The card is gone before its launches are asked for: they need its memory.
static void release(void)
{
    ts_capture_free(state.capture);
    ts_session_free(&state.session);
    ts_elf_cache_free(state.elf);
    for (uint32_t i = 0; i < state.count; i++)
        ts_card_free(&state.cards[i]);
    free(state.cards);
    state.cards = NULL;
    state.count = 0;
    state.capture = NULL;
    state.elf = NULL;
    state.session = (struct ts_session){0};
    state.running = false;
    ts_ask_end(&state.options, true);
    ts_ttsim_options_free(&state.options);
}

// Ends the process: the reports first.
static _Noreturn void give_up(const struct tensim_error *error)
{
    int code = (int)error->code;
    bool explained = false; // by the run's own report
    if (state.running) {
        state.running = false; // whatever happens now, it ends here
        report();
        const struct ts_run *run = &state.session.run;
        explained = run->stop == TS_STOP_FAULT ||
                    (run->stop == TS_STOP_LIMIT && run->cycle == state.clock.limit);
        ts_capture_free(state.capture);
        ts_ask_end(&state.options, false);
        if (state.options.common.out)
            fprintf(stderr, "tensim: reports are in %s\n", state.out);
    }
    if (!explained)
        ts_complain((enum ts_code)code, "libttsim: %s", error->text);
    fflush(stderr);
    _Exit(code == TENSIM_NO_MEMORY ? TENSIM_SETUP : code);
}

static void check(enum tensim_code code, const struct tensim_error *error)
{
    if (code != TENSIM_OK)
        give_up(error);
}

// A process that ends or unloads the library without libttsim_exit keeps its reports.
__attribute__((destructor)) static void leave(void)
{
    if (!state.running || state.forked)
        return;
    const char *inside = atomic_load(&state.inside);
    if (inside) {
        ts_complain(TS_USAGE, "libttsim: the process ends while libttsim_%s runs: no reports",
                    inside);
        return;
    }
    report();
    release();
}

// DIR of the first run, then DIR.2 and so on; of a forked process DIR.fork1, DIR.fork1.2 ...
static void name_directory(void)
{
    struct ts_options *options = &state.options.common;
    if (state.base == NULL)
        return;
    int used = snprintf(state.out, sizeof state.out, "%s%s", state.base, state.parents);
    if (state.runs > 1 && used < (int)sizeof state.out)
        snprintf(state.out + used, sizeof state.out - (size_t)used, ".%u", state.runs);
    options->out = state.out;
}

// --- copies of the process ---

static const char forking[] = "fork";

static void before_fork(void)
{
    const char *none = NULL;
    state.forks++;
    if (!atomic_compare_exchange_strong(&state.inside, &none, forking)) {
        state.broken = none;
        return;
    }
    if (!state.running || state.forked)
        return;
    ts_kernel_threads_leave(state.session.kernel);
    if (state.session.trace)
        fflush(NULL); // or the copy writes it once more when it ends
}

static void after_fork(bool child)
{
    const bool rested = state.broken == NULL, threads = state.running && !state.forked && rested;
    if (child) {
        ts_append(state.parents, sizeof state.parents, ".fork%u", state.forks);
        state.forks = 0;
        state.runs = state.running;
        state.forked = true;
    } else {
        state.broken = NULL;
        if (threads && !ts_kernel_threads_return(state.session.kernel))
            _Exit(ts_complain(TS_SETUP, "libttsim: the threads do not start again after a fork"));
    }
    if (rested)
        atomic_store(&state.inside, NULL);
}

static void in_parent(void)
{
    after_fork(false);
}

static void in_child(void)
{
    after_fork(true);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

// The first call of a forked process: the card is its own from now on.
static void adopt(void)
{
    struct tensim_error error;
    struct ts_session *session = &state.session;
    state.forked = false;
    if (!state.running)
        return;
    ts_rundir_forked(session->results.directory);
    ts_results_drop(&session->results, TS_OK);
    if (session->trace) {
        state.running = false;
        check(ts_card_fail(&error, TENSIM_USAGE,
                           "a forked process cannot continue the trace (-t) of its parent"),
              &error);
    }
    if (!ts_kernel_threads_return(session->kernel))
        _Exit(ts_complain(TS_SETUP, "libttsim: the threads of a forked process do not start"));
    if (state.capture) {
        fputs("tensim capture: launches of a forked process are left out\n", stderr);
        ts_capture_forget(state.capture);
        state.capture = state.clock.capture = state.cards[0].capture = NULL;
        state.options.why = false; // the folder is the parent's
        state.options.own[0] = '\0';
    }
    name_directory();
    int code = ts_results_begin(&session->results, session->options, session->params, session->argc,
                                session->argv);
    if (code != TS_OK)
        _Exit(code);
}

// --- one call at a time ---

// A call while another one runs: nothing can be reported, the model is in the middle of a cycle.
static _Noreturn void refuse(const char *call, const char *running)
{
    if (state.broken)
        ts_complain(TS_USAGE, "libttsim_%s: this process was forked while libttsim_%s ran", call,
                    state.broken);
    else if (ts_pcie_calls_host)
        ts_complain(TS_USAGE, "libttsim_%s from inside a callback of libttsim_%s", call, running);
    else
        ts_complain(TS_USAGE,
                    "libttsim_%s while another thread is in libttsim_%s: calls come one at a time",
                    call, running);
    fflush(stderr);
    _Exit(TS_USAGE);
}

static void begin(const char *call)
{
    for (const char *running = NULL; !atomic_compare_exchange_strong(&state.inside, &running, call);
         running = NULL) {
        if (running != forking)
            refuse(call, running);
        sched_yield();
    }
    if (state.forked)
        adopt();
}

static void end(void)
{
    atomic_store(&state.inside, NULL);
}

static void begin_running(const char *call)
{
    struct tensim_error error;
    begin(call);
    if (!state.running)
        check(ts_card_fail(&error, TENSIM_USAGE, "libttsim_%s before libttsim_init", call), &error);
}

// --- start and end of a card ---

static struct tensim *build(struct tensim_error *error)
{
    struct tensim_config config;
    ts_options_config(&state.options.common, &config);
    config.system = state.options.system;
    config.chip = state.options.system ? NULL : state.options.chip;
    config.complete = true;
    config.strict = state.options.strict;
    config.lints = state.options.lints;
    config.step_by_step = state.options.exact;
    return tensim_new(&config, error);
}

static void build_cards(struct tensim *sim)
{
    struct tensim_error error = {0};
    const uint32_t count = tensim_chips(sim);
    state.cards = calloc(count, sizeof *state.cards);
    if (state.cards == NULL)
        check(ts_card_fail(&error, TENSIM_NO_MEMORY, "out of memory"), &error);
    ts_clock_init(&state.clock, sim, state.options.quantum, state.options.patience,
                  state.options.common.max_cycles);
    if (state.options.elf) {
        struct ts_error failure = {0};
        state.elf = ts_elf_cache_new(state.options.elf, &failure);
        if (state.elf == NULL)
            check(ts_card_fail(&error, (enum tensim_code)failure.code, "%s", failure.text), &error);
    }
    for (; state.count < count; state.count++) {
        struct ts_card *card = &state.cards[state.count];
        check(ts_card_init(card, sim, state.count, state.read, state.write, &error), &error);
        card->clock = &state.clock;
        card->elf = state.elf;
        if ((count > 1 || !card->kind->captures) && (state.options.capture || state.options.why))
            check(ts_card_fail(&error, TENSIM_NOT_IMPLEMENTED,
                               "launches of several cards are not captured, nor those of Wormhole: "
                               "--capture and --why go with one card of Blackhole"),
                  &error);
    }
    for (uint32_t i = 0; i < count; i++)
        ts_eth_boot(&state.cards[i], state.cards);
}

CALL(void, init, void)
{
    struct tensim_error error = {0};
    begin("init");
    if (state.running)
        check(ts_card_fail(&error, TENSIM_USAGE, "libttsim_init: the card runs already"), &error);
    state.runs++;
    ts_large_blocks_fresh(); // hosts make a card again and again: 1.4 GiB of cleared L1 each time, otherwise
    ts_ttsim_options_init(&state.options);
    state.base = state.options.common.out;
    name_directory();
    struct tensim *sim = build(&error);
    check(sim ? TENSIM_OK : error.code, &error);
    state.session = (struct ts_session){.options = &state.options.common,
                                        .sim = sim,
                                        .argc = (int)state.options.words.we_wordc + 1,
                                        .argv = state.options.words.we_wordv,
                                        .embedded = true};
    int code = ts_session_begin(&state.session);
    if (code != TS_OK)
        _Exit(code);
    build_cards(sim);
    if (!ts_ask_begin(&state.options))
        check(
            ts_card_fail(&error, TENSIM_SETUP, "--why: %s: %s", state.options.own, strerror(errno)),
            &error);
    if (state.options.capture) {
        state.capture = state.clock.capture = state.cards[0].capture = ts_capture_new(
            sim, state.options.capture, state.options.chip, state.elf, &error);
        check(state.capture ? TENSIM_OK : error.code, &error);
    }
    state.running = true;
    end();
}

CALL(void, exit, void)
{
    begin_running("exit");
    int code = report();
    release();
    if (code != TS_OK)
        _Exit(code);
    end();
}

CALL(void, set_pci_dma_mem_callbacks, ts_host_read *read, ts_host_write *write)
{
    struct tensim_error error;
    begin("set_pci_dma_mem_callbacks");
    if (state.running)
        check(ts_card_fail(&error, TENSIM_USAGE,
                           "libttsim_set_pci_dma_mem_callbacks after libttsim_init"),
              &error);
    state.read = read;
    state.write = write;
    end();
}

// --- accesses ---

CALL(uint32_t, pci_config_rd32, uint32_t bdf, uint32_t offset)
{
    struct tensim_error error;
    uint32_t word = 0;
    begin_running("pci_config_rd32");
    check(ts_config_read(state.cards, state.count, bdf, offset, &word, &error), &error);
    end();
    return word;
}

CALL(void, pci_config_wr32, uint32_t bdf, uint32_t offset, uint32_t word)
{
    struct tensim_error error;
    begin_running("pci_config_wr32");
    check(ts_config_write(state.cards, state.count, bdf, offset, word, &error), &error);
    end();
}

static void access_memory(struct ts_access *access, const char *call)
{
    struct tensim_error error;
    begin_running(call);
    if (access->length == 0)
        check(ts_card_fail(&error, TENSIM_USAGE, "libttsim_%s of 0 bytes", call), &error);
    if (access->read)
        check(ts_clock_let_act(&state.clock, &error), &error);
    check(ts_bar_access(state.cards, state.count, access, &error), &error);
    if (access->device)
        ts_clock_saw(&state.clock, access);
    end();
}

CALL(void, pci_mem_rd_bytes, uint64_t address, void *bytes, uint32_t length)
{
    access_memory(&(struct ts_access){.address = address, .length = length, .read = bytes},
                  "pci_mem_rd_bytes");
}

CALL(void, pci_mem_wr_bytes, uint64_t address, const void *bytes, uint32_t length)
{
    access_memory(&(struct ts_access){.address = address, .length = length, .write = bytes},
                  "pci_mem_wr_bytes");
}

CALL(void, clock, uint32_t steps)
{
    struct tensim_error error;
    begin_running("clock");
    check(ts_clock_run(&state.clock, steps, &error), &error);
    end();
}

// Of other chips: these are reached through their BARs.
static _Noreturn void no_tile_access(const char *call)
{
    struct tensim_error error;
    begin_running(call);
    ts_card_fail(&error, TENSIM_NOT_IMPLEMENTED,
                 "libttsim_%s: a Blackhole card is reached through its BARs", call);
    give_up(&error);
}

#define NO_TILE_CALL(name, pointer)                                                            \
    CALL(void, name, uint32_t x, uint32_t y, uint64_t address, pointer bytes, uint32_t length) \
    {                                                                                          \
        (void)x, (void)y, (void)address, (void)bytes, (void)length;                            \
        no_tile_access(#name);                                                                 \
    }
NO_TILE_CALL(tile_rd_bytes, void *)
NO_TILE_CALL(tile_wr_bytes, const void *)
