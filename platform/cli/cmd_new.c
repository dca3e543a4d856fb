// tensim new: a commented program file with its kernels, to start from.
#include "platform/cli/common.h"
#include "platform/load/loader.h"
#include "platform/out/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FALLBACK "eltwise"

static const char doc[] =
    "Write a program to start from: NAME/program.yaml with its kernels. `tensim run "
    "NAME/program.yaml' compiles, runs and checks it.\v"
    "eltwise: y = relu(a * b + c). matmul: c = a @ b, each core with its rows. reader-writer: a "
    "copy through L1. multicast: one core sends to others, with semaphores. all-gather: parts go "
    "round a ring. gemv: weights from DRAM, as in decoding. flash-attention: keys and values from "
    "DRAM, over many cores. `tensim run gemv' and the like run them as they are.";

static const struct argp_option options[] = {
    {"like", 'l', "PROGRAM", 0,
     "eltwise (the default), matmul, reader-writer, multicast, all-gather, gemv or flash-attention",
     0},
    {0},
};

struct arguments {
    const char *name, *like;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case 'l':
        self->like = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (self->name)
            argp_error(state, "one NAME at a time");
        self->name = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->name == NULL)
            argp_error(state, "how is the program to be called?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static bool copy_file(const char *from, const char *to, struct ts_error *error)
{
    size_t length;
    void *bytes = ts_read_file(from, &length, error);
    bool good = bytes && ts_file_bytes(to, bytes, length, error);
    free(bytes);
    return good;
}

static int copy_folder(const char *from, const char *to)
{
    struct ts_error error = {0};
    struct dirent **entries = NULL;
    int count = scandir(from, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char source[PATH_MAX], target[PATH_MAX];
        snprintf(source, sizeof source, "%.3800s/%s", from, entries[i]->d_name);
        snprintf(target, sizeof target, "%.3800s/%s", to, entries[i]->d_name);
        if (error.code == TS_OK && copy_file(source, target, &error))
            printf("%s\n", target);
        free(entries[i]);
    }
    free(entries);
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}

int ts_cmd_new(int argc, char **argv);
int ts_cmd_new(int argc, char **argv)
{
    struct arguments self = {.like = FALLBACK};
    const struct argp argp = {options, parse, "NAME", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    char folder[PATH_MAX], from[PATH_MAX], names[400];
    struct stat there;
    ts_config_path(folder, sizeof folder, "programs");
    snprintf(from, sizeof from, "%.3800s/%.200s", folder, self.like);
    if (strchr(self.like, '/') || stat(from, &there) != 0 || !S_ISDIR(there.st_mode)) {
        ts_program_names(names, sizeof names);
        return ts_complain(TS_USAGE, "--like %.100s: there are %s", self.like, names);
    }
    if (mkdir(self.name, 0777) != 0)
        return ts_complain(TS_SETUP, "%.300s: %s", self.name,
                           errno == EEXIST ? "is there already; choose another name"
                                           : strerror(errno));
    int code = copy_folder(from, self.name);
    if (code == TS_OK)
        printf("run it: tensim run %s/program.yaml\n", self.name);
    return code;
}
