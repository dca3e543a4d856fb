// tensim ui: a local page of run directories, from which runs are started. The server is a program of its
// own (platform/ui), since it needs libraries that runs do not.
#include "platform/cli/common.h"

#include <unistd.h>

struct arguments {
    char **
        words; // of the server: itself, tensim, port, what is allowed, what comes with tensim, folders
    int count;
};

static void parse_port(void *input, char *arg, struct argp_state *state)
{
    ((struct arguments *)input)->words[2] = arg;
    ts_take_number(state, "port", arg, 0, 65535);
}

static void parse_allow(void *input, char *arg, struct argp_state *state)
{
    ((struct arguments *)input)->words[3] = arg;
    if (strcmp(arg, "programs") != 0)
        argp_error(state, "--allow: '%s' is not programs", arg);
}

static const struct ts_take takes[] = {
    TS_CALL("port", parse_port), TS_CALL("allow", parse_allow), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    (void)state;
    self->words[self->count++] = arg;
}

int ts_cmd_ui(int argc, char **argv)
{
    char server[PATH_MAX], tensim[PATH_MAX], catalogue[24];
    struct arguments self = {
        .words = ts_need(calloc((size_t)argc + 6, sizeof *self.words), "the command"), .count = 5};
    self.words[0] = server;
    self.words[1] = tensim;
    self.words[2] = "0";
    self.words[3] = "";
    self.words[4] = catalogue;
    ts_parse(&(struct ts_parser){.help = "ui", .takes = takes, .word = take_word}, argc, argv,
             &self);
    if (self.count == 5)
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
        snprintf(catalogue, sizeof catalogue, "%d", ts_catalogue());
        execv(server, self.words);
        code = ts_complain(TS_SETUP, "%s: %s", server, strerror(errno));
    }
    free(self.words);
    return code;
}
