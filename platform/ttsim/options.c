#include "platform/ttsim/options.h"

#include "platform/chip/soc.h"
#include "platform/cli/alias.h"

#include <dlfcn.h>
#include <unistd.h>

// A step is about the time of a read over PCIe, 0.7 us: hosts advance one step for each read.
#define QUANTUM  1000
#define PATIENCE 20000

static const char doc[] =
    "Options of libttsim.so, in the environment variable TENSIM_OPTIONS.\v"
    "Reports go to stderr and to the run directory, when the host calls "
    "libttsim_exit, at a fault or at a hang. With --why the launches run again when the host "
    "ends; with -o their pages are DIR.launch-N/report.html. "
    "A process that starts the card again writes DIR.2, DIR.3 and so on.";

static void parse_lint(void *input, char *arg, struct argp_state *state)
{
    struct ts_ttsim_options *self = input;
    uint64_t shown;
    ts_lint_option(arg, &self->lints, &shown, &self->strict, state);
}

static void parse_why(void *input, char *arg, struct argp_state *state)
{
    ((struct ts_ttsim_options *)input)->why = true;
    if (arg)
        argp_error(state, "--why=%s: of `tensim run' alone", arg);
}

#define A struct ts_ttsim_options
static const struct ts_take takes[] = {TS_TEXT("chip", A, chip),
                                       TS_TEXT("system", A, system),
                                       TS_WHOLE("quantum", A, quantum, 1, 1000000000),
                                       TS_WHOLE("hang", A, patience, 0, 1000000000),
                                       TS_CALL("lint", parse_lint),
                                       TS_FLAG("step-by-step", A, exact),
                                       TS_TEXT("capture", A, capture),
                                       TS_CALL("why", parse_why),
                                       TS_TEXT("elf", A, elf),
                                       {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_ttsim_options *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->common;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option", arg);
        return 0;
    default:
        return ts_take(takes, key, arg, state);
    }
}

static const char name[] = "TENSIM_OPTIONS";

// The words of the variable, as the shell would split them, after the names of program and command for messages.
static void split(struct ts_ttsim_options *self)
{
    const char *text = getenv(name);
    self->words.we_offs = 2;
    int wrong = wordexp(text ? text : "", &self->words, WRDE_DOOFFS | WRDE_NOCMD | WRDE_UNDEF);
    if (wrong)
        _Exit(ts_complain(TS_USAGE, "%s: '%s' cannot be split into words", name, text));
    self->words.we_wordv[0] = self->words.we_wordv[1] = (char *)name;
}

// A host that wants several cards has put a cluster descriptor next to the library; one that wants a card of Wormhole, the
// card's.
static void find_descriptor(struct ts_ttsim_options *self)
{
    Dl_info info;
    if (self->system || self->chip || !dladdr(name, &info) || !strchr(info.dli_fname, '/'))
        return;
    const int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    struct ts_soc soc;
    struct ts_error ignored = {TS_OK, ""};
    snprintf(self->descriptor, sizeof self->descriptor, "%.*s/cluster_descriptor.yaml", folder,
             info.dli_fname);
    if (access(self->descriptor, F_OK) == 0) {
        self->system = self->descriptor;
        return;
    }
    snprintf(self->descriptor, sizeof self->descriptor, "%.*s/soc_descriptor.yaml", folder,
             info.dli_fname);
    if (ts_soc_load(&soc, self->descriptor, &ignored) == TS_OK && soc.machine != ts_machines)
        self->chip = self->descriptor;
}

void ts_ttsim_options_init(struct ts_ttsim_options *self)
{
    *self = (struct ts_ttsim_options){.quantum = QUANTUM, .patience = PATIENCE};
    ts_options_init(&self->common);
    split(self);
    const struct argp_child children[] = {
        {ts_options_only(
             &self->common,
             "config set threads max-cycles no-hang-check check suppress out trace quiet"),
         0, NULL, 0},
        {0}};
    const struct argp argp = {ts_take_rows(takes, NULL), parse, NULL, doc, children, NULL, NULL};
    int count = (int)self->words.we_wordc + 2;
    char **words = ts_alias_expand(&count, self->words.we_wordv);
    argp_parse(&argp, count - 1, words + 1, 0, NULL, self);
    if (self->chip && self->system)
        _Exit(ts_complain(TS_USAGE, "%s: --chip or --system", name));
    find_descriptor(self);
    if (self->chip == NULL)
        self->chip = "p150";
}

void ts_ttsim_options_free(struct ts_ttsim_options *self)
{
    wordfree(&self->words);
    free(self->lints);
}
