#include "platform/cli/checkpoint.h"

#include "platform/base/yaml.h"
#include "platform/kernel/between.h"
#include "platform/save/image.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_MOST 64 // cycles on a command line

// In the region: a resumed process goes on with it.
struct state {
    struct ts_image image;
    struct ts_kernel *kernel; // the first that runs; NULL: none yet
    ts_cycle at[AT_MOST], every;
    unsigned count;
    bool hang;
    const char *directory;
    struct ts_image_head head; // of all files
};

static struct state *state;
// Of this process.
static const struct ts_command *command;
static const char *resumed; // the file; NULL: none
static bool trusted;        // --trust

static bool is_option(const char *arg, const char *name)
{
    size_t length = strlen(name);
    return strncmp(arg, name, length) == 0 && (arg[length] == '=' || arg[length] == '\0');
}

static const char *const names[] = {"--checkpoint", "--resume"};

bool ts_checkpoint_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (unsigned k = 0; k < 2; k++)
            if (is_option(argv[i], names[k]))
                return true;
    return false;
}

// --- writing ---

static ts_cycle next_cycle(const struct state *self, ts_cycle now)
{
    ts_cycle next = self->every ? now - now % self->every + self->every : TS_NEVER;
    for (unsigned i = 0; i < self->count; i++)
        if (self->at[i] > now && self->at[i] < next)
            next = self->at[i];
    return next;
}

static void bring_back(struct ts_kernel *kernel)
{
    if (!ts_kernel_threads_return(kernel))
        exit(ts_complain(TS_SETUP, "cannot start the threads"));
}

static void write_file(struct ts_kernel *kernel, const char *name, ts_cycle cycle)
{
    struct ts_error error = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ckpt", state->directory, name);
    state->head.cycle = cycle;
    ts_kernel_trace_wait(kernel);
    switch (ts_image_write(&state->image, path, &state->head, &error)) {
    case TS_IMAGE_WRITTEN:
        break;
    case TS_IMAGE_FAILED:
        exit(ts_complain_error(&error));
    case TS_IMAGE_RESUMED:
        bring_back(kernel);
        break;
    }
}

// Before the first window, and then whenever a cycle is reached.
static ts_cycle look(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct state *self = context;
    struct ts_error error = {0};
    if (self->kernel == NULL) {
        self->kernel = kernel;
        ts_kernel_threads_leave(kernel);
        if (ts_image_start(&error) && resumed)
            ts_image_read(&self->image, resumed, trusted, &error); // and does not come back
        if (error.code != TS_OK)
            exit(ts_complain_error(&error));
        bring_back(kernel);
        return now ? next_cycle(self, now - 1) : next_cycle(self, 0);
    }
    if (kernel != self->kernel)
        return TS_NEVER;
    // Nothing happens between the last of these cycles and now.
    ts_cycle last = self->every ? now - now % self->every : 0;
    for (unsigned i = 0; i < self->count; i++)
        if (self->at[i] <= now && self->at[i] > last)
            last = self->at[i];
    char name[32];
    snprintf(name, sizeof name, "%llu", (unsigned long long)last);
    write_file(kernel, name, last);
    return next_cycle(self, now);
}

static void look_at_hang(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    const struct state *self = context;
    if (self->hang && kernel == self->kernel)
        write_file(kernel, "hang", now);
}

// --- options ---

void ts_checkpoint_option(const char *arg, struct argp_state *parser)
{
    char text[2048], *rest = text, *part;
    if (state == NULL || strlen(arg) >= sizeof text)
        argp_error(parser, "--checkpoint: this program has none");
    snprintf(text, sizeof text, "%s", arg);
    while ((part = strsep(&rest, ",")) != NULL) {
        int64_t value = 0;
        const char *colon = strchr(part, ':');
        bool number = colon && ts_parse_int(colon + 1, &value) && value > 0;
        if (strcmp(part, "hang") == 0)
            state->hang = true;
        else if (number && strncmp(part, "every:", 6) == 0)
            state->every = (ts_cycle)value;
        else if (number && strncmp(part, "at:", 3) == 0 && state->count < AT_MOST)
            state->at[state->count++] = (ts_cycle)value;
        else
            argp_error(parser,
                       "--checkpoint: '%s' is not at:CYCLE (at most %d), every:CYCLES nor hang",
                       part, AT_MOST);
    }
}

void ts_checkpoint_into(const char *directory)
{
    state->directory = directory;
}

// --- a command that can be written ---

static int run(int argc, char **argv)
{
    state = calloc(1, sizeof *state);
    if (state == NULL)
        return ts_complain(TS_NO_MEMORY, "out of memory");
    state->head.argc = argc;
    state->head.argv = argv;
    ts_kernel_between(&(struct ts_bystander){.call = look, .hung = look_at_hang, .context = state});
    return command->run(argc, argv);
}

// The command of a checkpoint.
static int resume(const struct ts_command *commands, int *argc, char ***argv,
                  struct ts_image_head *head)
{
    struct ts_error error = {0};
    for (int i = 1; i < *argc; i++)
        if (strcmp((*argv)[i], "--trust") == 0) {
            trusted = true;
            memmove(*argv + i, *argv + i + 1, (size_t)(*argc - i) * sizeof **argv);
            --*argc;
        }
    char *arg = *argc > 1 ? (*argv)[1] : "";
    bool joined = strncmp(arg, "--resume=", 9) == 0;
    if (strcmp(command->name, "run") != 0 || !is_option(arg, "--resume") ||
        *argc != (joined ? 2 : 3))
        return ts_complain(TS_USAGE,
                           "--resume goes alone, or with --trust: tensim run --resume FILE; the "
                           "checkpoint has the command and its options");
    resumed = joined ? arg + 9 : (*argv)[2];
    if (!ts_image_check(resumed, trusted, head, &error))
        return ts_complain_error(&error);
    for (command = commands; command->name; command++)
        if (strcmp(command->name, head->argv[0] + strcspn(head->argv[0], " ") + 1) == 0)
            break;
    if (command->name == NULL)
        return ts_complain(TS_SETUP, "%s: has no command of tensim", resumed);
    *argc = head->argc;
    *argv = head->argv;
    return TS_OK;
}

int ts_checkpoint_main(const struct ts_command *commands, const struct ts_command *asked, int argc,
                       char **argv)
{
    static char buffer[BUFSIZ];
    bool again = false;
    command = asked;
    for (int i = 1; i < argc; i++)
        again |= is_option(argv[i], "--resume");
    // Descriptors, buffers and hashes must be the same in every process.
    close_range(3, ~0u, 0);
    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    json_object_seed(1);
    ts_region_open(1);
    const char *reason = ts_image_refused();
    if (reason)
        return ts_complain(TS_SETUP, "no checkpoints: %s", reason);
    struct ts_image_head head = {0};
    int code = again ? resume(commands, &argc, &argv, &head) : TS_OK;
    if (code == TS_OK)
        code = ts_region_call(run, argc, argv);
    ts_image_head_free(&head);
    return code;
}
