// tensim capture: runs a host program of the vendor's software on libttsim.so, which writes what it launches as program
// files (platform/ttsim/capture.h); runs these files and compares.
#include "platform/cli/common.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/launch.h"

#include <dirent.h>
#include <inttypes.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct arguments {
    const char *out;
    char **command;
    bool unchecked;
};

static const struct ts_take takes[] = {
    TS_TEXT("out", struct arguments, out), TS_FLAG("no-run", struct arguments, unchecked), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    (void)arg; // all that follows is the command's
    self->command = state->argv + state->next - 1;
    state->next = state->argc;
}

// --- the host program ---

// TENSIM_OPTIONS of the user and --capture 'FOLDER', as a shell would read it.
static void set_options(const char *folder)
{
    const char *own = getenv("TENSIM_OPTIONS");
    char text[3 * PATH_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, "%.4000s --capture '", own ? own : "");
    for (const char *at = folder; *at && used + 8 < sizeof text; at++)
        used += (size_t)snprintf(text + used, sizeof text - used, *at == '\'' ? "'\\''" : "%c",
                                 *at);
    snprintf(text + used, sizeof text - used, "'");
    setenv("TENSIM_OPTIONS", text, 1);
}

static int run_host(const struct arguments *self, const char *folder)
{
    char library[PATH_MAX];
    pid_t child;
    int status, code = ts_ttsim_path(NULL, library);
    if (code != TS_OK)
        return code;
    setenv("TT_METAL_SIMULATOR", library, 1);
    setenv("TT_UMD_SIMULATOR", library, 1);
    setenv("TT_METAL_SLOW_DISPATCH_MODE", "1", 0);
    set_options(folder);
    code = posix_spawnp(&child, self->command[0], NULL, NULL, self->command, environ);
    if (code != 0)
        return ts_complain(TS_SETUP, "%s: %s", self->command[0], strerror(code));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        return ts_complain((enum ts_code)(TS_SIGNAL + WTERMSIG(status)), "%s: ended by signal %d",
                           self->command[0], WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return ts_complain((enum ts_code)WEXITSTATUS(status), "%s: ended with exit code %d",
                           self->command[0], WEXITSTATUS(status));
    return TS_OK;
}

// --- its launches ---

// Runs a file; 1: it gives other cycles or bytes.
static int run_again(const char *path, bool unchecked)
{
    struct tensim_config config;
    struct tensim_error error;
    tensim_config_init(&config);
    struct tensim *sim = tensim_new_program(path, NULL, 0, &config, &error);
    if (sim == NULL)
        return ts_complain_tensim(&error);
    const struct ts_captured *captured = sim->work->program->plan->captured;
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < sim->work->made; i++)
        tiles += ts_captured_launches(captured, sim->work->jobs[i].tile);
    printf("%s: %u tile%s, %" PRIu64 " cycles", path, tiles, tiles == 1 ? "" : "s",
           captured->cycles);
    int code = unchecked ? TS_OK : (int)tensim_run(sim, TENSIM_FOREVER, &error);
    if (!unchecked && (code == TS_OK || code == TS_DIFFERS)) {
        code = ts_captured_wrong(captured) ? TS_DIFFERS : TS_OK;
        if (code == TS_OK)
            printf("; run again: the same cycles and bytes");
        else
            printf("; run again: %" PRIu64 " cycles, %" PRIu64 " bytes differ", captured->took,
                   captured->differ);
    }
    putchar('\n');
    fflush(stdout);
    if (code != TS_OK && code != TS_DIFFERS)
        ts_complain_tensim(&error);
    tensim_free(sim);
    return code;
}

int ts_cmd_run(int argc, char **argv);

// A host without tt-metal's firmware: a scenario.
static int run_host_again(const char *folder, bool unchecked, unsigned *launches)
{
    char path[PATH_MAX], *argv[] = {"tensim run", path, "-q", NULL};
    snprintf(path, sizeof path, "%.4000s/host.yaml", folder);
    if (access(path, R_OK) != 0)
        return TS_OK;
    ++*launches;
    printf("%s: what the host did", path);
    fflush(stdout);
    int code = unchecked ? TS_OK : ts_cmd_run(3, argv);
    puts(unchecked       ? ""
         : code == TS_OK ? "; run again: it reads the same in the same cycles"
                         : "; run again: it reads other bytes");
    return code;
}

static int run_all(const char *folder, bool unchecked, unsigned *launches)
{
    int code = run_host_again(folder, unchecked, launches);
    // A launch that was left out has a number, too: one gap of any length is no end.
    for (unsigned n = 1, missing = 0; missing < 1000; n++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%.4000s/launch-%u.yaml", folder, n);
        if (access(path, R_OK) != 0) {
            missing++;
            continue;
        }
        missing = 0;
        ++*launches;
        int one = run_again(path, unchecked);
        code = code == TS_OK ? one : code;
    }
    return code;
}

// Without a launch nobody needs the pieces. The folder is this command's own; what else is in it stays.
static void remove_pieces(const char *folder)
{
    char bytes[PATH_MAX], path[PATH_MAX];
    struct dirent **entries = NULL;
    snprintf(bytes, sizeof bytes, "%.3800s/bytes", folder);
    int count = scandir(bytes, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.3800s/%.255s", bytes, entries[i]->d_name);
        if (strstr(path, ".bin"))
            unlink(path);
        free(entries[i]);
    }
    free(entries);
    rmdir(bytes);
    rmdir(folder);
}

int ts_cmd_capture(int argc, char **argv)
{
    struct arguments self = {.out = "capture"};
    ts_parse(
        &(struct ts_parser){.help = "capture", .takes = takes, .word = take_word, .in_order = true},
        argc, argv, &self);
    char folder[PATH_MAX];
    if (mkdir(self.out, 0777) != 0 &&
        (errno != EEXIST || rmdir(self.out) != 0 || mkdir(self.out, 0777) != 0))
        return ts_complain(TS_SETUP, "%.300s: %s", self.out,
                           errno == ENOTEMPTY || errno == EEXIST
                               ? "is there already; choose another folder with -o"
                               : strerror(errno));
    if (realpath(self.out, folder) == NULL)
        return ts_complain(TS_SETUP, "%.300s: %s", self.out, strerror(errno));
    int host = run_host(&self, folder);
    unsigned launches = 0;
    int code = run_all(self.out, self.unchecked, &launches);
    if (launches == 0)
        remove_pieces(folder);
    if (launches == 0 && host == TS_OK)
        return ts_complain(TS_SETUP,
                           "%s launched nothing that could be captured; does it load the library "
                           "that TT_METAL_SIMULATOR names?",
                           self.command[0]);
    return host != TS_OK ? host : code;
}
