// Checkpoints of a command, and going on from one (common.h).
#include "platform/base/yaml.h"
#include "platform/cli/session.h"
#include "platform/gdb/gdb.h"
#include "platform/kernel/between.h"
#include "platform/save/image.h"

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
static pid_t process;
static bool trusted; // --allow=checkpoint
static struct ts_options
    added; // to the options of the checkpoint: who looks at the rest of the run

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
        if (ts_options_exact(&added))
            ts_kernel_one_thread(kernel);
        bring_back(kernel);
        break;
    }
}

// In a resumed process with --gdb or --live: gdb or the live page takes the place of the checkpoints. False: neither is asked for.
static bool look_on(struct ts_kernel *kernel, ts_cycle now, ts_cycle *next)
{
    struct ts_error error = {0};
    if (!added.gdb && !added.live.on)
        return false;
    if (ts_options_exact(&added))
        ts_session_leave_host(); // copies of the process have no other threads
    added.live.directory = state->directory;
    added.live.threads = ts_options_exact(&added) ? 1 : added.threads;
    if (added.gdb ? !ts_gdb_start(added.gdb_where, added.gdb_one, &error)
                  : !ts_live_start(&added.live, &error))
        exit(ts_complain_error(&error));
    *next = ts_kernel_join(kernel, now);
    return true;
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
    ts_cycle next;
    return look_on(kernel, now, &next) ? next : next_cycle(self, now);
}

static void look_at_hang(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    const struct state *self = context;
    ts_cycle next;
    if (!self->hang || kernel != self->kernel)
        return;
    write_file(kernel, "hang", now);
    if (look_on(kernel, now, &next))
        ts_kernel_hung(kernel, now);
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
    state = ts_need(calloc(1, sizeof *state), "the command");
    state->head.argc = argc;
    state->head.argv = argv;
    ts_kernel_between(&(struct ts_bystander){.call = look, .hung = look_at_hang, .context = state});
    process = getpid();
    const int code = command->run(argc, argv);
    if (getpid() != process) // a copy, for going back in time: nobody waits for this thread
        exit(ts_command_end(code));
    return code;
}

static void take_resume(void *input, char *arg, struct argp_state *parser)
{
    (void)input;
    (void)parser;
    resumed = arg;
}

static void take_allow(void *input, char *arg, struct argp_state *parser)
{
    (void)input;
    trusted = strcmp(arg, "checkpoint") == 0;
    if (!trusted)
        argp_error(parser, "--allow: '%s' is not checkpoint", arg);
}

static const struct ts_take takes[] = {
    TS_CALL("resume", take_resume), TS_CALL("allow", take_allow), {0}};

static error_t parse_resume(int key, char *arg, struct argp_state *parser)
{
    switch (key) {
    case ARGP_KEY_INIT:
        parser->child_inputs[0] = &added;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(parser,
                   "--resume goes with --allow=checkpoint, --gdb, --live or --check alone: the "
                   "checkpoint has the command and its options");
        return 0;
    case ARGP_KEY_END:
        if (added.check && (added.gdb || added.live.on))
            argp_error(parser, "--resume with --check repeats the run from its beginning: no "
                               "--gdb, no --live");
        return 0;
    default:
        return ts_take(takes, key, arg, parser);
    }
}

// Who wrote what before the checkpoint is not in it, and a finding needs it: the command from its beginning, under --check.
static int check_again(const struct ts_image_head *head)
{
    char option[2][300],
        **words = ts_need(calloc((size_t)head->argc + 3, sizeof *words), "the command");
    int count = 0;
    for (int i = 0; i < head->argc; i++) {
        if (!is_option(head->argv[i], "--checkpoint"))
            words[count++] = head->argv[i];
        else if (head->argv[i][strlen("--checkpoint")] == '\0')
            i++; // its value
    }
    snprintf(option[0], sizeof option[0], "--check=%s", added.check);
    snprintf(option[1], sizeof option[1], "--suppress=%s", added.suppress ? added.suppress : "");
    words[count++] = option[0];
    if (added.suppress)
        words[count++] = option[1];
    fprintf(stderr, "tensim: --check repeats the run from cycle 0: the checkpoint does not say who "
                    "wrote what before it\n");
    const int code = command->run(count, words);
    free(words);
    return code;
}

// The command of a checkpoint.
static int resume(ts_command_finder *find, int argc, char **argv, struct ts_image_head *head)
{
    struct ts_error error = {0};
    ts_options_init(&added);
    added.later = true;
    const struct argp_child children[] = {
        {ts_options_only(&added, "gdb live check suppress"), 0, NULL, 0}, {0}};
    const struct argp argp = {
        ts_take_rows(takes, NULL), parse_resume, NULL, NULL, children, NULL, NULL};
    if (strcmp(command->name, "run") != 0)
        return ts_complain(TS_USAGE, "--resume is of tensim run: the checkpoint has the command");
    argp_parse(&argp, argc, argv, 0, NULL, &added);
    if (!ts_image_check(resumed, trusted, head, &error))
        return ts_complain_error(&error);
    command = find(head->argv[0] + strcspn(head->argv[0], " ") + 1);
    if (command == NULL)
        return ts_complain(TS_SETUP, "%s: has no command of tensim", resumed);
    for (int i = 1; i < head->argc && ts_options_exact(&added); i++)
        if (strncmp(head->argv[i], "-t", 2) == 0 || is_option(head->argv[i], "--trace"))
            return ts_complain(TS_USAGE,
                               "%s: its run writes a trace, which cannot go back in time "
                               "with --gdb and --live=back",
                               resumed);
    return TS_OK;
}

int ts_checkpoint_main(ts_command_finder *find, const struct ts_command *asked, int argc,
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
    int code = again ? resume(find, argc, argv, &head) : TS_OK;
    if (code == TS_OK && added.check)
        code = check_again(&head);
    else if (code == TS_OK)
        code = again ? ts_region_call(run, head.argc, head.argv) : ts_region_call(run, argc, argv);
    ts_image_head_free(&head);
    return code;
}
