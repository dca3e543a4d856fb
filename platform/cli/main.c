// tensim: one program, a subcommand for each job. This file only finds the subcommand.
#include "platform/base/descriptors.h"
#include "platform/cli/alias.h"
#include "platform/cli/run.h"
#include "platform/cluster/cluster.h"
#include "platform/mem/fresh.h"
#include "platform/run/plan/alias.h"

#include <signal.h>
#include <unistd.h>

const char *argp_program_version = "tensim " TENSIM_VERSION;

static void usage(FILE *file)
{
    fputs(ts_help("tensim")->text, file);
    for (const struct ts_command *command = ts_commands; command->name; command++)
        fprintf(file, "  %-10s %s\n", command->name, command->text);
    fprintf(file, "\nPrograms by name: %s\n%s", ts_alias_names(true), ts_help("tensim_more")->text);
}

static int unknown(const char *name)
{
    const char *names[64] = {0};
    char kernels[300], *rest = kernels;
    size_t count = 0;
    for (; ts_commands[count].name && count < 40; count++)
        names[count] = ts_commands[count].name;
    snprintf(kernels, sizeof kernels, "%s", ts_alias_names(true));
    while (count < 63 && (names[count] = strsep(&rest, " ")) != NULL)
        count++;
    const char *near = ts_nearest(name, names);
    if (near)
        return ts_complain(TS_USAGE, "no command '%s'; did you mean '%s'?", name, near);
    return ts_complain(TS_USAGE, "no command '%s'; `tensim --help' lists them", name);
}

// For TT_METAL_SIMULATOR.
static int print_ttsim(const char *system)
{
    char path[PATH_MAX];
    int code = ts_ttsim_path(system, path);
    if (code == TS_OK)
        puts(path);
    return code;
}

// A command, or the short name of a program (config/aliases.def); NULL: none.
static const struct ts_command *find(const char *name)
{
    static char own[40];
    static const struct ts_command kernel = {own, "a short name", ts_kernel_command, TS_RANKS_ONE};
    for (const struct ts_command *command = ts_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    snprintf(own, sizeof own, "%.39s", name);
    return ts_word_index(ts_alias_names(true), name) >= 0 ? &kernel : NULL;
}

// What ranks do in a command: `run --search` divides its runs, other ways of `run` that are no programs and no scenarios are one
// process.
static enum ts_command_ranks ranks_of(const struct ts_command *command, int argc, char **argv)
{
    enum ts_command_ranks ranks = command->ranks;
    for (int i = 1; command->ranks == TS_RANKS_CHIPS && i < argc; i++) {
        const bool value = argv[i][0] == '-' || (i > 1 && ts_option_follows(argv[i - 1]));
        const enum ts_kind kind = value ? TS_KIND_PROGRAM : ts_kind_of(argv[i]);
        if (strncmp(argv[i], "--search", 8) == 0 && strstr(argv[i], "near:") == NULL)
            return TS_RANKS_RUNS;
        if (strncmp(argv[i], "--explore", 9) == 0 || strncmp(argv[i], "--show", 6) == 0 ||
            (kind != TS_KIND_PROGRAM && kind != TS_KIND_SCENARIO))
            ranks = TS_RANKS_ONE;
    }
    return ranks;
}

// The ranks of a launcher, if it has started several: what they do in this command.
static int call(const struct ts_command *command, int argc, char **argv)
{
    struct ts_crew_place place;
    struct ts_error ignored = {0}; // a command that needs MPI reports the error
    bool asked = ts_checkpoint_asked(argc, argv);
    int code = TS_OK;
    ts_crew_place(&place, &ignored);
    const enum ts_command_ranks ranks = place.ranks > 1 ? ranks_of(command, argc, argv)
                                                        : command->ranks;
    if (asked)
        code = ts_crew_refuse_ranks("a checkpoint (--checkpoint, --resume)");
    else if (ranks == TS_RANKS_ONE)
        code = ts_crew_refuse_ranks(command->ranks == ranks ? command->name
                                                            : "run of one tile or file");
    if (code != TS_OK)
        return code;
    if (asked)
        return ts_checkpoint_main(find, command, argc, argv);
    if (ranks == TS_RANKS_CHIPS && place.ranks > 1)
        return ts_cluster_main(command->run, argc, argv);
    return command->run(argc, argv);
}

// For documents: what jansson has no memory for would be missing in them, silently.
static void *memory_or_end(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        _exit(ts_complain(TS_NO_MEMORY, "out of memory for the results"));
    return memory;
}

int main(int argc, char **argv)
{
    static char line[4096]; // a line of stderr is one write: lines of several ranks do not mix
    ts_descriptors_standard();
    setvbuf(stderr, line, _IOLBF, sizeof line);
    json_set_alloc_funcs(memory_or_end, free);
    ts_large_blocks_fresh();
    signal(SIGXFSZ, SIG_IGN); // a file size limit is an error of the write, with its file
    if (argc < 2) {
        usage(stderr);
        return TS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 ||
        strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return TS_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts(argp_program_version);
        return TS_OK;
    }
    if (strcmp(argv[1], "--ttsim") == 0)
        return ts_command_end(print_ttsim(argv[2]));
    argv = ts_alias_expand(&argc, argv);
    const struct ts_command *command = find(argv[1]);
    char name[64];
    if (command == NULL && !ts_plan_known_name(argv[1]))
        return unknown(argv[1]);
    const int first = command != NULL; // else a program by its name
    command = command ? command : find("run");
    snprintf(name, sizeof name, "tensim %s", command->name);
    argv[first] = name;
    return ts_command_end(call(command, argc - first, argv + first));
}
