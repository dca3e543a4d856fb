// tensim merge: the shards of a sweep, silicon or run --search become one result.
//
// The command of the shards runs again with their results and without a run of its own, so its
// tables, pages, text and exit code are those of a command that was never divided.
#include "platform/cli/crew_options.h"
#include "platform/crew/store.h"

struct arguments {
    struct ts_options options;
    char *shards[TS_MERGE_MAX];
    size_t count;
};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (self->count == TS_MERGE_MAX)
        argp_error(state, "more than %d shards", TS_MERGE_MAX);
    self->shards[self->count++] = arg;
}

// A command of many runs: no other has shards.
static const struct ts_command *find(const char *name)
{
    const struct ts_command *command = ts_commands;
    while (command->name && (name == NULL || strcmp(command->name, name) != 0))
        command++;
    return command->name && command->ranks != TS_RANKS_ONE ? command : NULL;
}

// Words of a shard's command that say what ours says: a shard has none of them, so somebody else has written them. Options
// may be cut short (--js).
static bool is_foreign(const char *word)
{
    static const char *const ours[] = {"--merge-into", "--json", "--write",      "--record",
                                       "--trace",      "--live", "--checkpoint", "--gdb"};
    if (word == NULL || strncmp(word, "-t", 2) == 0 || strstr(word, "near:"))
        return true;
    const size_t length = strcspn(word, "=");
    if (length == 7 && strncmp(word, "--check", 7) == 0)
        return false; // no short form of --checkpoint
    for (size_t i = 0; i < sizeof ours / sizeof *ours && length > 2; i++)
        if (strncmp(word, ours[i], length) == 0)
            return true;
    return false;
}

// The words of the shards' command behind our own options, which say where the rows come from.
static int run_again(const struct arguments *self, const struct ts_command *command,
                     const json_t *words)
{
    size_t given = json_array_size(words), count = 0;
    char name[64];
    for (size_t i = 1; i < given; i++)
        if (is_foreign(json_string_value(json_array_get(words, i))))
            return ts_complain(TS_SETUP, "%s: its command has an option that no shard has",
                               self->shards[0]);
    const char **argv = ts_need(calloc(given + 2 * self->count + 8, sizeof *argv), "the command");
    snprintf(name, sizeof name, "tensim %s", command->name);
    argv[count++] = name;
    for (size_t i = 0; i < self->count; i++) {
        argv[count++] = "--merge";
        argv[count++] = self->shards[i];
    }
    argv[count++] = "--merge-into";
    argv[count++] = self->options.out ? self->options.out : "out/merged";
    if (self->options.quiet)
        argv[count++] = "-q";
    if (self->options.json) {
        argv[count++] = "--json";
        argv[count++] = self->options.json;
    }
    for (size_t i = 1; i < given; i++)
        argv[count++] = json_string_value(json_array_get(words, i));
    int code = command->run((int)count, (char **)(uintptr_t)argv);
    free(argv);
    return code;
}

int ts_cmd_merge(int argc, char **argv)
{
    struct arguments *self = ts_need(calloc(1, sizeof *self), "the command");
    ts_parse(&(struct ts_parser){.help = "merge", .common = "out json quiet", .word = take_word},
             argc, argv, self);
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
