// What bounds each launch of a host (--why in TENSIM_OPTIONS): when the host ends, its launches run again from their program
// files, each in a process of its own, with the questions of `tensim run --why`. With -o DIR a launch has DIR.launch-N and its page.
#include "platform/ttsim/options.h"

#include "platform/base/private.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MISSING 1000 // numbers without a file: the end

int ts_cmd_run(int argc, char **argv);

static void ask(const char *file, const char *out)
{
    const char *const words[] = {"tensim run", file, "--why", out ? "-o" : NULL, out, NULL};
    char *argv[6];
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    argv[argc] = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("TENSIM_OPTIONS");
        dup2(STDERR_FILENO, STDOUT_FILENO); // stdout is the host's
        int code = ts_cmd_run(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        ts_complain(TS_SETUP, "--why: %s: no process for it", file);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

bool ts_ask_begin(struct ts_ttsim_options *self)
{
    if (!self->why || self->capture)
        return true;
    snprintf(self->own, sizeof self->own, "%.4000s/tensim-why-XXXXXX", ts_temporary(4000));
    self->capture = mkdtemp(self->own);
    return self->capture != NULL;
}

void ts_ask_end(struct ts_ttsim_options *self, bool good)
{
    char path[PATH_MAX], out[PATH_MAX];
    unsigned asked = 0;
    for (unsigned n = 1, missing = 0; self->why && good && missing < MISSING; n++) {
        snprintf(path, sizeof path, "%.4000s/launch-%u.yaml", self->capture, n);
        missing = access(path, R_OK) == 0 ? 0 : missing + 1;
        if (missing)
            continue;
        if (self->common.out)
            snprintf(out, sizeof out, "%.4000s.launch-%u", self->common.out, n);
        ask(path, self->common.out ? out : NULL);
        asked++;
    }
    if (self->why && good && asked == 0)
        fputs("tensim: --why: no launch by firmware of tt-metal that could be asked\n", stderr);
    if (self->own[0])
        nftw(self->own, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    self->own[0] = '\0';
}
