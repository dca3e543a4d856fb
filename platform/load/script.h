// Small programs: a few words and waits on cores and threads, the state that they begin with, and what
// the host does. One language for small programs of `tensim run`, its --explore and --show, and scenarios.
//
//   YAML --> ts_script_read --> tiles, each with lists of steps --> hang: guest code   (study/hang)
//                                                                   explore: operations (study/explore)
//                                                                   step: words         (study/step)
//                                                                   run: what the host does (scenario.h)
//
//   about: Lost SEMGET
//   cores:
//     trisc0:
//       - mail: {to: trisc1, value: 7}   # write to a mailbox
//       - post: 3                        # a semaphore, by number or name
//       - until: {semaphore: 3, is: 0}   # poll
//     trisc1:
//       - read: trisc0
//       - SEMWAIT sem_sel=math_pack wait_sem_cond=zero stall_res=sync   # a Tensix word
//       - repeat: {times: 3, do: [{tt: SEMGET sem_sel=math_pack}]}
//
// config/steps.def is the table of all steps; platform/load/README.md describes the other keys. A file
// that is only a list is the program of trisc1. What a command cannot do with a step it refuses, with
// the step's file, line and column (ts_script_refuse).
#pragma once

#include "platform/base/yaml.h"
#include "platform/tile/tile.h"

enum {
    TS_SCRIPT_NAME = 32,
    TS_SCRIPT_BUFFERS = 32,
    TS_SCRIPT_RINGS = 16,
    TS_SCRIPT_TILES = 256,
    TS_SCRIPT_DEPTH = 6,  // of repeat
    TS_SCRIPT_LISTS = 12, // of a tile: the cores, their Tensix threads, cores of other machines
    TS_SCRIPT_T0 = TS_RV_CORES,
    TS_SCRIPT_CUBE = TS_RV_CORES + TS_THREADS,
};
extern const char *const ts_script_lists[];      // their names; ends with NULL
extern const char *const ts_script_semaphores[]; // the LLKs' names; a declared one takes its place

enum ts_script_where {
    TS_STEP_CORE = 1,
    TS_STEP_THREAD = 2,
    TS_STEP_BOTH = 3,
    TS_STEP_SETUP = 4,
    TS_STEP_HOST = 8,
};

enum ts_script_do {
#define TS_STEP(where, name, ...) TS_DO_##where##_##name,
#include "config/steps.def"
    TS_DO_COUNT
};

struct ts_script_key {
    const char *name;
    enum {
        TS_KEY_NUMBER,
        TS_KEY_FLAG,
        TS_KEY_CHOICE,    // the number of one of `words`
        TS_KEY_SEMAPHORE, // 0 to 7
        TS_KEY_BUFFER,    // its number
        TS_KEY_RING,
        TS_KEY_CORE,  // as TS_RV_BRISC...
        TS_KEY_XY,    // x | y << 8
        TS_KEY_WORD,  // a Tensix word
        TS_KEY_RANGE, // 0-63 or 5: first | last << 16
        TS_KEY_TEXT,
        TS_KEY_NODE,
        TS_KEY_STEPS,
    } kind;
    int64_t low, high, otherwise;
    bool needed;
    const char *words;
};

struct ts_script_verb {
    enum ts_script_where where;
    const char *name, *text;
    const struct ts_script_key *keys;
    unsigned key_count;
};
extern const struct ts_script_verb ts_script_verbs[TS_DO_COUNT];

struct ts_script_list {
    struct ts_yaml_node node; // nothing: there is no such list
    struct ts_script_step *steps;
    size_t count;
};

struct ts_script_step {
    enum ts_script_do verb;
    unsigned number;          // of all steps
    struct ts_yaml_node node; // where it stands
    struct ts_script_arg {
        struct ts_yaml_node node; // nothing: not given
        int64_t value;
    } * args;
    struct ts_script_list body; // of repeat
};

struct ts_script_object {
    char name[TS_SCRIPT_NAME];
    bool declared;
    uint32_t value, max;                  // semaphore
    uint32_t index;                       // mutex
    uint32_t pages, filled, start, slots; // buffer; ring
    uint32_t at, page;                    // buffer: where in L1, bytes of a page; 0: not given
    bool tfree;                           // ring: TPOP holds the slot until TFREE
};

// A tile of a system.
struct ts_script_place {
    struct ts_noc_xy at; // of a Tensix tile
    uint32_t chip;
    int channel; // of an Ethernet tile; -1: a Tensix tile
};

struct ts_script_tile {
    struct ts_noc_xy at;
    struct ts_script_place place;
    struct ts_yaml_node node, load;
    struct ts_script_list lists[TS_SCRIPT_LISTS];
    struct ts_yaml_node programs[TS_RV_CORES]; // what is no list of steps: an ELF file
};

struct ts_script {
    const struct ts_machine *machine;
    struct ts_yaml yaml;
    struct ts_yaml_node chip, system, dram, expect, command, tile, places;
    const char *about;
    struct ts_script_tile *tiles;
    unsigned tile_count;
    bool network; // the file has `tiles`
    struct ts_script_object semaphores[TS_SEMAPHORES], mutexes[TS_SEMAPHORES],
        buffers[TS_SCRIPT_BUFFERS], rings[TS_SCRIPT_RINGS];
    unsigned mutex_count, buffer_count, ring_count;
    struct ts_script_list setup, host;
    unsigned step_count; // of all lists
};

// False: an error with file, line and column. Free it in either case. The path is kept by reference.
// Words are the machine's. text: NULL: of the file; otherwise the path is for messages.
bool ts_script_read(struct ts_script *self, const char *path, const char *text,
                    const struct ts_machine *machine, struct ts_error *error);
void ts_script_free(struct ts_script *self);

// The value of a step's key, its default if it is not given.
int64_t ts_script_arg(const struct ts_script_step *step, const char *key);
bool ts_script_given(const struct ts_script_step *step, const char *key);
struct ts_yaml_node ts_script_node(const struct ts_script_step *step, const char *key);
const char *ts_script_arg_text(const struct ts_script_step *step, const char *key);
struct ts_noc_xy ts_script_arg_xy(const struct ts_script_step *step, const char *key);
struct ts_script_place ts_script_arg_place(const struct ts_script_step *step, const char *key);

// The step in one line: "until {semaphore: 3, is: 0}", "SEMGET sem_sel=2".
void ts_script_text(const struct ts_script_step *step, char *text, size_t size);
// An error: what `who` does not do. Exit code 5.
void ts_script_refuse(struct ts_yaml_node node, const char *who, const char *why);
// Refuses the parts of the file that a command has no use for: words of "chip dram setup script tiles".
void ts_script_without(const struct ts_script *self, const char *who, const char *parts);
// Prints the table of steps.
void ts_script_print_steps(FILE *file);

// --- words (script_word.c)

// A Tensix word, as ts_machine_assemble takes it; in sem_sel, mutex_index, stall_res, wait_res and wait_sem_cond names
// may stand, joined by +. False: an error at the node.
bool ts_script_assemble(const struct ts_script *self, struct ts_yaml_node node, uint32_t *word);

// What a word does to what threads share; a word that holds nobody up is WORK.
struct ts_script_effect {
    enum {
        TS_EFFECT_NONE,   // configuration, counters: nobody waits for them
        TS_EFFECT_WORK,   // always ends
        TS_EFFECT_SYNC,   // semaphores, mutexes and waits
        TS_EFFECT_UNPACK, // hands a bank to the matrix unit, when one is free
        TS_EFFECT_GIVE,   // the same, free or not
        TS_EFFECT_MATRIX, // needs banks, gives banks back
        TS_EFFECT_STORE,  // to L1
        TS_EFFECT_FRONT,  // MOP, REPLAY: stands for other words
    } kind;
    uint8_t needs, clears; // banks: 1 SrcA, 2 SrcB
    uint8_t semaphores;    // of SYNC: bit per semaphore that it sets, counts or waits for
    uint16_t held;         // STALLWAIT block bits that hold it
    uint32_t core;         // the word without what does not matter here
};
struct ts_script_effect ts_script_effect(uint32_t word);
