#include "platform/ttsim/options.h"

#include "platform/base/yaml.h"

#include <stdlib.h>

// A step is about the time of a read over PCIe, 0.7 us: hosts advance one step for each read.
#define QUANTUM  1000
#define PATIENCE 20000

enum {
    OPTION_CHIP = 512,
    OPTION_QUANTUM,
    OPTION_HANG,
    OPTION_STRICT,
    OPTION_LINT,
    OPTION_EXACT,
    OPTION_CAPTURE,
    OPTION_ELF,
    OPTION_WHY
};

static const char doc[] = "Options of libttsim.so, in the environment variable TENSIM_OPTIONS.\v"
                          "Reports go to stderr and to the run directory, when the host calls "
                          "libttsim_exit, at a fault or at a hang. "
                          "A process that starts the card again writes DIR.2, DIR.3 and so on.";

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Card", 1},
    {"chip", OPTION_CHIP, "CARD", 0, "p150 (default), or another of `tensim run --help'", 1},
    {NULL, 0, NULL, 0, "Time", 2},
    {"quantum", OPTION_QUANTUM, "CYCLES", 0,
     "cycles of a step of libttsim_clock (1000); a step ends early when a word that the host polls "
     "changes",
     2},
    {"hang", OPTION_HANG, "STEPS", 0,
     "look for a hang when the host has only polled for STEPS steps (20000); 0: never", 2},
    {NULL, 0, NULL, 0, "Checks", 3},
    {"strict", OPTION_STRICT, NULL, 0,
     "stop at the first shown lint that means a wrong result or a hang", 3},
    {"lint", OPTION_LINT, "CHOICE", 0, "lints to show, as --lint of tensim run", 3},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "do not run ahead, do not park polls: slower, same results", 3},
    {NULL, 0, NULL, 0, "Program files", 4},
    {"capture", OPTION_CAPTURE, "DIR", 0,
     "write each launch as a program file; `tensim capture' sets this", 4},
    {"why", OPTION_WHY, NULL, 0,
     "when the host ends, run each launch again and tell what bounds it, as `tensim run --why' "
     "does; "
     "with -o its page is DIR.launch-N/report.html",
     4},
    {NULL, 0, NULL, 0, "Names", 5},
    {"elf", OPTION_ELF, "DIR", 0,
     "name kernels by the ELF files with the same code in DIR, which is tt-metal's build cache", 5},
    {0},
};

static uint64_t number(struct argp_state *state, const char *name, const char *text, int64_t low)
{
    int64_t value;
    if (!ts_parse_int(text, &value) || value < low || value > 1000000000)
        argp_error(state, "--%s: '%s' is not a number from %lld to 1000000000", name, text,
                   (long long)low);
    return (uint64_t)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_ttsim_options *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->common;
        return 0;
    case OPTION_CHIP:
        self->chip = arg;
        return 0;
    case OPTION_QUANTUM:
        self->quantum = number(state, "quantum", arg, 1);
        return 0;
    case OPTION_HANG:
        self->patience = number(state, "hang", arg, 0);
        return 0;
    case OPTION_STRICT:
        self->strict = true;
        return 0;
    case OPTION_LINT:
        ts_lint_option(arg, state);
        self->lints = arg;
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case OPTION_CAPTURE:
        self->capture = arg;
        return 0;
    case OPTION_ELF:
        self->elf = arg;
        return 0;
    case OPTION_WHY:
        self->why = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char name[] = "TENSIM_OPTIONS";

// The words of the variable, as the shell would split them, after a name for messages.
static void split(struct ts_ttsim_options *self)
{
    const char *text = getenv(name);
    self->words.we_offs = 1;
    int wrong = wordexp(text ? text : "", &self->words, WRDE_DOOFFS | WRDE_NOCMD | WRDE_UNDEF);
    if (wrong)
        _Exit(ts_complain(TS_USAGE, "%s: '%s' cannot be split into words", name, text));
    self->words.we_wordv[0] = (char *)name;
}

void ts_ttsim_options_init(struct ts_ttsim_options *self)
{
    *self = (struct ts_ttsim_options){.chip = "p150", .quantum = QUANTUM, .patience = PATIENCE};
    ts_options_init(&self->common);
    split(self);
    const struct argp_child children[] = {
        {ts_options_only(
             &self->common,
             "config set threads max-cycles no-hang-check check suppress out trace quiet"),
         0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, (int)self->words.we_wordc + 1, self->words.we_wordv, 0, NULL, self);
}

void ts_ttsim_options_free(struct ts_ttsim_options *self)
{
    wordfree(&self->words);
}
