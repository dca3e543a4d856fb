// tensim ui: a local page of run directories, from which runs are started. The server is a program of its
// own (platform/ui), since it needs libraries that runs do not.
#include "platform/cli/common.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char doc[] =
    "Serve a page, on this host alone, that lists the run directories in the given folders (the "
    "current one without any), opens their pages, compares two, starts runs, and watches those "
    "that "
    "run with --live: steps, time that runs backwards, who waits for whom. Its address, with a "
    "token that no other page knows, is printed; Ctrl-C ends it and the runs that it started.\v"
    "Results of runs that the page starts go to FOLDER/ui-N of the first folder. Exit codes: 0, 3 "
    "if a "
    "folder or the port cannot be used, 5 if tensim was built without libwebsockets.";

enum { OPTION_ALLOW = 256 };

static const struct argp_option options[] = {
    {"port", 'P', "N", 0, "listen on this port of 127.0.0.1 (any that is free)", 0},
    {"allow", OPTION_ALLOW, "programs", 0,
     "let the page start files of the folders (programs, scenarios, hangs that are watched again), "
     "which you trust; without it, only kernels and programs that come with tensim",
     0},
    {0},
};

struct arguments {
    char **words; // of the server: itself, tensim, port, what is allowed, folders
    int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end;
    switch (key) {
    case 'P':
        if (strtoul(arg, &end, 10) > 65535 || *end || end == arg)
            argp_error(state, "%s: a port is a number up to 65535", arg);
        self->words[2] = arg;
        return 0;
    case OPTION_ALLOW:
        if (strcmp(arg, "programs") != 0)
            argp_error(state, "--allow: '%s' is not programs", arg);
        self->words[3] = arg;
        return 0;
    case ARGP_KEY_ARG:
        self->words[self->count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ts_cmd_ui(int argc, char **argv);
int ts_cmd_ui(int argc, char **argv)
{
    char server[PATH_MAX], tensim[PATH_MAX];
    struct arguments self = {.words = calloc((size_t)argc + 5, sizeof *self.words), .count = 4};
    const struct argp argp = {options, parse, "[FOLDER...]", doc, NULL, NULL, NULL};
    if (self.words == NULL)
        return ts_complain(TS_NO_MEMORY, "out of memory");
    self.words[0] = server;
    self.words[1] = tensim;
    self.words[2] = "0";
    self.words[3] = "";
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    if (self.count == 4)
        self.words[self.count++] = ".";
    ssize_t length = readlink("/proc/self/exe", tensim, sizeof tensim - 1);
    tensim[length > 0 ? length : 0] = '\0';
    int code = ts_part_path("tensim-ui", server)
                   ? TS_OK
                   : ts_complain(
                         TS_NOT_IMPLEMENTED,
                         "tensim ui: this tensim was built without it: install "
                         "libwebsockets-dev (config/install-packages --ui) and build again");
    if (code == TS_OK) {
        execv(server, self.words);
        code = ts_complain(TS_SETUP, "%s: %s", server, strerror(errno));
    }
    free(self.words);
    return code;
}
