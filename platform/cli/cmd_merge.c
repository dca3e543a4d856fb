// tensim merge: the shards of a sweep, silicon, anchors or hang --search become one result.
//
// The command of the shards runs again with their results and without a run of its own, so its
// tables, pages, text and exit code are those of a command that was never divided.
#include "platform/cli/crew_options.h"
#include "platform/crew/store.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Join the results of all shards of a command (--shard I/N) to its tables, page and text, as if "
    "it had run in one piece.\v"
    "The shards must be of the same command, configuration and build of tensim, and complete: "
    "otherwise the directory that is wrong is named and nothing is written.\n"
    "Example: tensim merge out/part*  -o out/sweep";

enum { OPTION_JSON = 256 };

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "directory of the results (default: out/merged)", 0},
    {"json", OPTION_JSON, "FILE", 0, "write the result as one JSON document; - is stdout", 0},
    {"quiet", 'q', NULL, 0, "no text", 0},
    {0},
};

struct arguments {
    const char *out, *json;
    bool quiet;
    char *shards[TS_MERGE_MAX];
    size_t count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case 'o':
        self->out = arg;
        return 0;
    case OPTION_JSON:
        self->json = arg;
        return 0;
    case 'q':
        self->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->count == TS_MERGE_MAX)
            argp_error(state, "more than %d shards", TS_MERGE_MAX);
        self->shards[self->count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name the directories of all shards");
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->json);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct ts_command *find(const char *name)
{
    const struct ts_command *command = ts_commands;
    while (command->name && (name == NULL || strcmp(command->name, name) != 0))
        command++;
    return command->name ? command : NULL;
}

// The words of the shards' command behind our own options, which say where the rows come from.
static int run_again(const struct arguments *self, const struct ts_command *command,
                     const json_t *words)
{
    size_t given = json_array_size(words), count = 0;
    char name[64];
    const char **argv = calloc(given + 2 * self->count + 8, sizeof *argv);
    if (argv == NULL)
        return ts_complain(TS_SETUP, "out of memory");
    snprintf(name, sizeof name, "tensim %s", command->name);
    argv[count++] = name;
    for (size_t i = 0; i < self->count; i++) {
        argv[count++] = "--merge";
        argv[count++] = self->shards[i];
    }
    argv[count++] = "--merge-into";
    argv[count++] = self->out;
    if (self->quiet)
        argv[count++] = "-q";
    if (self->json) {
        argv[count++] = "--json";
        argv[count++] = self->json;
    }
    for (size_t i = 1; i < given; i++)
        argv[count++] = json_string_value(json_array_get(words, i));
    int code = command->run((int)count, (char **)(uintptr_t)argv);
    free(argv);
    return code;
}

int ts_cmd_merge(int argc, char **argv);
int ts_cmd_merge(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "DIR...", doc, NULL, NULL, NULL};
    struct arguments *self = calloc(1, sizeof *self);
    if (self == NULL)
        return ts_complain(TS_SETUP, "out of memory");
    self->out = "out/merged";
    argp_parse(&argp, argc, argv, 0, NULL, self);
    struct ts_error error = {0};
    json_t *about = ts_store_about(self->shards[0], &error);
    const json_t *words = json_object_get(about, "arguments");
    const struct ts_command *command = find(json_string_value(json_array_get(words, 0)));
    int code;
    if (about == NULL)
        code = ts_complain_error(&error);
    else if (command == NULL)
        code = ts_complain(TS_SETUP, "%s: does not name a command", self->shards[0]);
    else
        code = run_again(self, command, words);
    json_decref(about);
    free(self);
    return code;
}
