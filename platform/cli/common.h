// What all commands share: the table of commands, the common options, messages.
#pragma once

#include "platform/base/params.h"
#include "platform/check/findings.h"
#include "platform/kernel/kernel.h"
#include "platform/live/live.h"
#include "platform/tensim.h"

#include <argp.h>

// The options of a command, by name: each stands once in options.def, with its letter, argument and help. A command says where a value
// goes; what has more to it than that is a function.
//
//   static const struct ts_take takes[] = {TS_FLAG("svg", struct arguments, svg), TS_CALL("elf", parse_elf), {0}};
//   static error_t parse(...) { switch (key) { case ARGP_KEY_ARG: ...; default: return ts_take(takes, key, arg, state); } }
//   const struct argp argp = {ts_take_rows(takes, NULL), parse, "FILE", doc};

struct ts_take {
    const char *name;
    enum {
        TS_TAKE_CALL,
        TS_TAKE_FLAG,
        TS_TAKE_TEXT,
        TS_TAKE_FILE, // it must be writable
        TS_TAKE_MANY,
        TS_TAKE_WHOLE
    } kind;
    size_t at; // in the input of the parser
    void (*call)(void *input, char *arg, struct argp_state *state);
    size_t size; // of a whole number, 4 or 8
    int64_t low, high;
    const char *form; // of --write
};
// clang-format off
#define TS_CALL(option, function) {.name = (option), .kind = TS_TAKE_CALL, .call = (function)}
#define TS_FLAG(option, type, field) {.name = (option), .kind = TS_TAKE_FLAG, .at = offsetof(type, field)}
#define TS_TEXT(option, type, field) {.name = (option), .kind = TS_TAKE_TEXT, .at = offsetof(type, field)}
#define TS_FILE(option, type, field) {.name = (option), .kind = TS_TAKE_FILE, .at = offsetof(type, field)}
#define TS_MANY(option, type, field) {.name = (option), .kind = TS_TAKE_MANY, .at = offsetof(type, field)}
#define TS_WHOLE(option, type, field, least, most) \
    {.name = (option), .kind = TS_TAKE_WHOLE, .at = offsetof(type, field), .size = sizeof(((type *)0)->field), .low = (least), .high = (most)}
// --write FORM:FILE: the FILE of a form, "-" without one (FILE), as it is (TEXT), or whether the form is asked for (FLAG).
#define TS_FORM(word, what, type, to) {.name = "write", .kind = TS_TAKE_##what, .at = offsetof(type, to), .form = (word)}
// clang-format on

// Values of an option that may be given more than once.
struct ts_texts {
    const char *text[256];
    size_t count;
};

// NAME(): a child parser of `takes`.
#define TS_TAKE_ARGP(name)                                             \
    static error_t parse(int key, char *arg, struct argp_state *state) \
    {                                                                  \
        return ts_take(takes, key, arg, state);                        \
    }                                                                  \
    const struct argp *name(void)                                      \
    {                                                                  \
        static struct argp argp = {.parser = parse};                   \
        argp.options = ts_take_rows(takes, NULL);                      \
        return &argp;                                                  \
    }

// Takes an option of the command line, or demands its files when all is read. ARGP_ERR_UNKNOWN: it is none of these.
error_t ts_take(const struct ts_take *takes, int key, char *arg, struct argp_state *state);
// The rows of argp's table, which stay for ever; `names`: those in the help, separated by blanks; NULL: all.
const struct argp_option *ts_take_rows(const struct ts_take *takes, const char *names);
// What argp calls a parser with.
int ts_option_key(const char *name);
// Does the value of an option follow this word of a command line: --json, -o?
bool ts_option_follows(const char *word);
// "--NAME: 'TEXT' is not a number from LOW to HIGH" ends the program.
int64_t ts_take_number(struct argp_state *state, const char *name, const char *text, int64_t low,
                       int64_t high);

// What the ranks that a launcher (mpirun, srun) has started do in a command.
enum ts_command_ranks {
    TS_RANKS_ONE,  // it is one process: several are refused
    TS_RANKS_RUNS, // divide its runs (platform/crew), where it has many
    TS_RANKS_CHIPS // divide the chips of a system (platform/cluster)
};

// A subcommand. argv[0] is "tensim NAME"; the result is the exit code.
struct ts_command {
    const char *name;
    const char *text;
    int (*run)(int argc, char **argv);
    enum ts_command_ranks ranks;
};

#define TS_COMMAND(name, ranks, text) int ts_cmd_##name(int argc, char **argv);
#include "platform/cli/commands.def"

// A command is over: its output is complete, gdb and live clients know the code. Returns the exit code.
int ts_command_end(int code);

// All of them, from commands.def; ends with a row without name.
extern const struct ts_command ts_commands[];

#define TS_SETS_MAX 64

// The options that every command that simulates understands.
struct ts_options {
    const char *config; // -c: parameter file instead of the default one
    const char *sets[TS_SETS_MAX];
    size_t set_count;    // -D
    uint32_t threads;    // -j
    ts_cycle max_cycles; // -n; TS_NEVER: none
    const char *out;     // -o: run directory; NULL: none
    bool trace;          // -t
    ts_cycle trace_from, trace_to;
    unsigned trace_formats; // bit per enum ts_trace_format
    bool trace_noc;         // requests, for tt-npe
    const char *commits;    // --trace=commits: directory for commit logs; NULL: none
    bool activity;          // --activity
    bool toggles;           // --activity=toggles
    const char *card;       // its CARD[:WATTS[:MICROSECONDS]]; NULL: no firmware acts
    const char *json;       // --json FILE; "-" is stdout
    bool stats_hash;
    bool problems; // --problems
    bool quiet;
    bool verbose;                // -v: everything that is known, not only the answer
    bool unchecked;              // --no-hang-check
    const char *check;           // --check; NULL: none
    bool once;                   // --check=once
    const char *suppress;        // --suppress
    bool checkpoint;             // --checkpoint
    bool gdb;                    // --gdb
    char gdb_where[108];         // platform/gdb/state.h
    bool gdb_one;                // all tiles are one process
    struct ts_live_options live; // --live
    bool later;                  // gdb and live begin at a checkpoint, not with the command
    uint32_t given;              // bit by row of the table
    const char *only;            // names of the options that the command has; NULL: all
};

void ts_options_init(struct ts_options *self);
// Takes a -D for the struct ts_options.
void ts_options_set(void *input, char *arg, struct argp_state *state);
// The long name of a given option that is not among these, separated by blanks; NULL: there is none.
const char *ts_options_other(const struct ts_options *self, const char *names);
// The row of a command in help.def.
struct ts_help {
    const char *name, *words;
    size_t least, most;
    const char *missing, *text;
};
const struct ts_help *ts_help(const char *name);
// How a command reads its words.
struct ts_parser {
    const struct ts_take *takes; // its own options; NULL: none
    const char *
        common; // the common ones, separated by blanks: the input begins with a struct ts_options; NULL: none
    size_t crew;            // where in the input a struct ts_crew_options is; 0: it has none
    const char *help, *doc; // its row of help.def; NULL: the row's text
    size_t to;              // where in the input the struct ts_texts of its words is
    void (*word)(void *input, char *arg, struct argp_state *state); // NULL: they go to `to`
    void (*end)(void *input, struct argp_state *state);             // all is read; or NULL
    bool in_order; // what follows the first word is not looked at
};
void ts_parse(const struct ts_parser *how, int argc, char **argv, void *input);

// An argp parser to be a child of a command's own; its input is a struct ts_options.
const struct argp *ts_options_argp(void);
// The same with some of the options only, by their long names, separated by blanks: the others are
// not in the help and are refused.
const struct argp *ts_options_only(struct ts_options *to, const char *names);
// --check of a command that has its own: into *to; a wrong list ends the program.
void ts_check_option(const char **to, const char *arg, struct argp_state *state);

// Loads the parameters: the default file of config/, or -c, then every --set. Reports on stderr.
enum ts_code ts_options_params(const struct ts_options *self, struct ts_params *params,
                               const char *default_file);

// What this process hands to its kernels.
const struct ts_hosting *ts_hosting(void);
// The same options for the library.
void ts_options_config(const struct ts_options *self, struct tensim_config *config);

// Nobody may run ahead: somebody steps, and goes back in time.
bool ts_options_exact(const struct ts_options *self);

// --check, which has been read before; kinds 0: none.
struct ts_check_options ts_options_check(const struct ts_options *self);

// --lint CHOICE,strict: the lints that are shown; a wrong choice ends the program. *choice, to be freed, is the CHOICE if there is one.
void ts_lint_option(const char *text, char **choice, uint64_t *shown, bool *strict,
                    const struct argp_state *state);

// "tensim: text" on stderr; returns the code.
int ts_complain(enum ts_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ts_complain_error(const struct ts_error *error);
int ts_complain_tensim(const struct tensim_error *error);
// The program file of an argument: the file itself, or one of config/programs by its folder's name.
// The result is `name` or `path`; a plain word that is neither ends the program with TS_SETUP.
const char *ts_program_path(const char *name, char *path, size_t size);
// For parsers of options: exits with TS_SETUP if a result cannot be written there. NULL and "-" can.
void ts_demand_writable(const char *path);

// --- one function each ---

// What comes with tensim, for `tensim ui': a file of memory with {"catalogue": {programs, gallery, steps, pipes, seeds}}, at its
// beginning; -1: no memory.
int ts_catalogue(void);
// Writes every figure of a page to DIRECTORY/svg/PAGE-NAME.svg and prints the paths: a browser draws them (report/svg.js), as
// the page's own buttons do, $TENSIM_BROWSER or the first of chromium, google-chrome and chrome that is there.
enum ts_code ts_figures_write(const char *directory, const char *page, struct ts_error *error);

// Where libttsim.so is: in the build folder, or installed. `path` has PATH_MAX bytes. Returns the code.
int ts_ttsim_path(const char *system, char *path);
// The path (PATH_MAX) of a part of tensim; false: this build has none.
bool ts_part_path(const char *name, char *path);

// True when text results go to stdout: --json - uses stdout alone.
bool ts_options_talk(const struct ts_options *self);

// checkpoint.c: checkpoints of a command (--checkpoint), and going on from one (tensim run --resume).
// Does a command line have --checkpoint or --resume?
bool ts_checkpoint_asked(int argc, char **argv);
// Runs a command so that checkpoints of it can be written, or the command of the checkpoint. Returns the exit code.
typedef const struct ts_command *ts_command_finder(const char *name);
int ts_checkpoint_main(ts_command_finder *find, const struct ts_command *command, int argc,
                       char **argv);
// --checkpoint; a wrong value ends the program.
void ts_checkpoint_option(const char *arg, struct argp_state *state);
// Where the files go.
void ts_checkpoint_into(const char *directory);
