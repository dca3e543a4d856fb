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
    "current one without any), opens their pages, compares two, and starts runs. Its address, with "
    "a "
    "token that no other page knows, is printed; Ctrl-C ends it and the runs that it started.\v"
    "Results of runs that the page starts go to FOLDER/ui-N of the first folder. Exit codes: 0, 3 "
    "if a "
    "folder or the port cannot be used, 5 if tensim was built without libwebsockets.";

static const struct argp_option options[] = {
    {"port", 'P', "N", 0, "listen on this port of 127.0.0.1 (any that is free)", 0},
    {0},
};

enum { FOLDERS = 16 };

struct arguments {
    char *folders[FOLDERS];
    unsigned count;
    const char *port;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end;
    switch (key) {
    case 'P':
        if (strtoul(arg, &end, 10) > 65535 || *end || end == arg)
            argp_error(state, "%s: a port is a number up to 65535", arg);
        self->port = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (self->count == FOLDERS)
            argp_error(state, "at most %d folders", FOLDERS);
        self->folders[self->count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ts_cmd_ui(int argc, char **argv);
int ts_cmd_ui(int argc, char **argv)
{
    struct arguments self = {.port = "0"};
    const struct argp argp = {options, parse, "[FOLDER...]", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    if (self.count == 0)
        self.folders[self.count++] = ".";
    char server[PATH_MAX], tensim[PATH_MAX],
        *words[FOLDERS + 4] = {server, tensim, (char *)self.port};
    ssize_t length = readlink("/proc/self/exe", tensim, sizeof tensim - 1);
    tensim[length > 0 ? length : 0] = '\0';
    if (!ts_beside("tensim-ui", server))
        return ts_complain(TS_NOT_IMPLEMENTED,
                           "tensim ui: this tensim was built without it: install "
                           "libwebsockets-dev (config/install-packages --ui) and "
                           "build again");
    memcpy(words + 3, self.folders, self.count * sizeof *words);
    execv(server, words);
    return ts_complain(TS_SETUP, "%s: %s", server, strerror(errno));
}
