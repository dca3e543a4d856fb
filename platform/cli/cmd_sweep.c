// tensim sweep: one kernel over every combination of parameters, on all host cores.
#include "platform/cli/results.h"
#include "platform/study/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char doc[] =
    "Run a kernel for every combination of parameter values, in parallel, and write tables and a "
    "page with plots.\v"
    "Parameters are those of the kernel's command: m n k format out-format fidelity throttle dst "
    "sub-block blocks op "
    "broadcast run-type repeat seed mean spread. Without any: throttle 0 to 5 by four fidelities "
    "by bf16, bfp8 "
    "and bfp4, "
    "matmul 128x256x256.\n"
    "A sweep that was stopped or killed goes on where it was when the same command is given "
    "again.\n"
    "Example: tensim sweep matmul format=bf16,bfp8 fidelity=lofi,hifi4 throttle=0,5 -o out/sweep";

struct arguments {
    struct ts_sweep sweep;
    struct ts_error error;
    const char *json;
    bool own_axes, strict;
};

enum { OPTION_JSON = 256, OPTION_STRICT };

static const struct argp_option options[] = {
    {"out", 'o', "DIR", 0, "directory of results (default: out/sweep)", 0},
    {"jobs", 'j', "N", 0, "runs at the same time (default: host cores)", 0},
    {"json", OPTION_JSON, "FILE", 0, "write the table as one JSON document; - is stdout", 0},
    {"quiet", 'q', NULL, 0, "no progress", 0},
    {"strict", OPTION_STRICT, NULL, 0, "lints (lost posts and gets, races) are faults", 0},
    {0},
};

static void default_axes(struct arguments *self)
{
    static const char *const axes[] = {"format=bf16,bfp8,bfp4", "fidelity=lofi,hifi2,hifi3,hifi4",
                                       "throttle=0,1,2,3,4,5"};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        ts_sweep_axis_add(&self->sweep, axes[i], &self->error);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case 'o':
        self->sweep.directory = arg;
        return 0;
    case 'j':
        self->sweep.workers = (unsigned)strtoul(arg, NULL, 10);
        if (self->sweep.workers < 1 || self->sweep.workers > 256)
            argp_error(state, "--jobs: '%s' is not a number from 1 to 256", arg);
        return 0;
    case 'q':
        self->sweep.quiet = true;
        return 0;
    case OPTION_JSON:
        self->json = arg;
        return 0;
    case OPTION_STRICT:
        self->strict = true;
        return 0;
    case ARGP_KEY_ARG:
        if (strchr(arg, '=') == NULL) {
            if (state->arg_num != 0)
                argp_error(state, "'%s' is not PARAMETER=VALUE,VALUE...", arg);
            if (ts_job_kind_find(arg) == NULL)
                argp_error(state, "no kernel '%s'", arg);
            ts_job_spec_default(&self->sweep.base, arg);
        } else {
            self->own_axes = true;
            if (!ts_sweep_axis_add(&self->sweep, arg, &self->error))
                argp_error(state, "%s", self->error.text);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int write_json(const struct arguments *self)
{
    char path[512];
    snprintf(path, sizeof path, "%s/table.json", self->sweep.directory);
    json_t *document = json_load_file(path, 0, NULL);
    if (document == NULL)
        return ts_complain(TS_SETUP, "%s: cannot be read", path);
    int code = ts_output_json(self->json, document);
    json_decref(document);
    return code;
}

int ts_cmd_sweep(int argc, char **argv);
int ts_cmd_sweep(int argc, char **argv)
{
    struct arguments *self = calloc(1, sizeof *self);
    if (self == NULL)
        return ts_complain(TS_SETUP, "out of memory");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ts_job_spec_default(&self->sweep.base, "matmul");
    self->sweep.base.m = 128;
    self->sweep.base.n = 256;
    self->sweep.base.k = 256;
    self->sweep.directory = "out/sweep";
    self->sweep.workers = cores > 0 ? (unsigned)cores : 1;
    const struct argp argp = {options, parse, "[KERNEL] [PARAMETER=VALUE,VALUE...]...", doc, NULL,
                              NULL,    NULL};
    argp_parse(&argp, argc, argv, 0, NULL, self);
    self->sweep.base.strict = self->strict;
    self->sweep.argc = argc;
    self->sweep.argv = argv;
    if (!self->own_axes)
        default_axes(self);
    int code = ts_sweep_run(&self->sweep, &self->error);
    if (self->error.code == TS_OK && !ts_sweep_write(&self->sweep, &self->error))
        code = TS_SETUP;
    if (self->error.code != TS_OK) {
        code = ts_complain_error(&self->error);
    } else {
        size_t failed = 0, done = 0;
        for (size_t i = 0; i < self->sweep.points; i++) {
            done += self->sweep.results[i] != NULL;
            failed += self->sweep.results[i] != NULL &&
                      json_integer_value(json_object_get(self->sweep.results[i], "code")) != 0;
        }
        if (self->json)
            code = write_json(self) != TS_OK ? TS_SETUP : code;
        else
            printf("%zu of %zu runs, %zu taken over, %zu failed; %s/sweep.html\n", done,
                   self->sweep.points, self->sweep.resumed, failed, self->sweep.directory);
        if (code == TS_OK && failed)
            code = TS_DIFFERS;
    }
    ts_sweep_free(&self->sweep);
    free(self);
    return code;
}
