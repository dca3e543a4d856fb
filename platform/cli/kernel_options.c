// Commands that run one built-in kernel: options, session, verdict.
#include "platform/cli/kernel_options.h"

#include "config/yaml.h"
#include "platform/cli/session.h"
#include "platform/study/verdict.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_LIMIT UINT64_C(2000000000)

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Kernel", 0},
    {"m", 'M', "N", 0, "rows of the result, in elements", 0},
    {"n", 'N', "N", 0, "columns of the result", 0},
    {"k", 'K', "N", 0, "inner dimension", 0},
    {"format", 'f', "FORMAT", 0, "of the operands: fp32 tf32 fp16 bf16 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a", 0},
    {"out-format", 256 + 1, "FORMAT", 0, "of the result; default: bf16, or fp16 for formats with 5-bit exponents", 0},
    {"fidelity", 'F', "NAME", 0, "lofi hifi2 hifi3 hifi4", 0},
    {"throttle", 'T', "LEVEL", 0, "matmul throttle, 0 to 5; default: TT_MM_THROTTLE_PERF, or 0", 0},
    {"dst", 'd', "BITS", 0, "width of Dst: 16 or 32", 0},
    {"sub-block", 256 + 2, "HxW", 0, "output tiles that stay in Dst", 0},
    {"blocks", 256 + 3, "N", 0, "blocks of the inner dimension; partial sums are added in L1", 0},
    {"op", 'O', "NAME", 0, "operation of the kernel", 0},
    {"broadcast", 'b', "NAME", 0, "of the second operand's tiles: none row col scalar", 0},
    {"run-type", 256 + 4, "NAME", 0, "l1_to_l1 unpack_isolate math_isolate pack_isolate l1_congestion", 0},
    {"repeat", 'r', "N", 0, "do all the work N times", 0},
    {"seed", 's', "N", 0, "of the operands", 0},
    {"flip", 256 + 5, "CYCLE", 0, "the firmware's throttle word changes at CYCLE; up to 15 times", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_kernel_options *self = state->input;
    char text[256];
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &self->options;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "no argument expected: '%s'", arg);
    if (key == 256 + 5) {
        int64_t cycle;
        unsigned i = 0;
        while (self->spec.flips[i] != 0)
            i++;
        if (i == 15 || !ts_parse_int(arg, &cycle) || cycle < 1)
            argp_error(state, "--flip: '%s' is not a cycle, or there are too many", arg);
        self->spec.flips[i] = (ts_cycle)cycle;
        return 0;
    }
    for (const struct argp_option *option = options; option->name || option->doc; option++)
        if (option->key == key && option->name) {
            if (!ts_spec_set(&self->spec, option->name, arg, text, sizeof text))
                argp_error(state, "%s", text);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

// TT_MM_THROTTLE_PERF sets the level, as it does for the vendor's library; the option wins.
static bool environment(struct ts_job_spec *spec, char *text, size_t size)
{
    const char *level = getenv("TT_MM_THROTTLE_PERF");
    if (level == NULL || level[0] == '\0')
        return true;
    if (ts_spec_set(spec, "throttle", level, text, size))
        return true;
    snprintf(text, size, "TT_MM_THROTTLE_PERF: '%s' is not a level from 0 to 5", level);
    return false;
}

static int run(struct ts_kernel_options *self, struct ts_session *session, struct ts_job *job)
{
    struct ts_error error = {0};
    int code = ts_session_begin(session);
    if (code != TS_OK)
        return code;
    if (!ts_job_start(job, &error))
        return ts_complain_error(&error);
    ts_session_run(session, KERNEL_LIMIT);
    code = ts_session_end(session);
    struct ts_job_result result;
    struct ts_verdict verdict;
    ts_job_finish(job, &session->run, &result);
    if (result.code != TS_OK) {
        if (code == TS_OK)
            code = ts_complain(result.code, "%s", result.text);
        return ts_session_write(session, code);
    }
    ts_verdict_make(&verdict, job, &result, &session->run);
    ts_verdict_json(&verdict, job, &result, session->document);
    if (ts_options_talk(&self->options)) {
        ts_verdict_print(&verdict, job, &result, stdout);
        if (self->options.out)
            printf("  written to %s\n", self->options.out);
    }
    return ts_session_write(session, code);
}

int ts_kernel_command(const char *kernel, const char *doc, int argc, char **argv)
{
    struct ts_kernel_options self;
    memset(&self, 0, sizeof self);
    ts_options_init(&self.options);
    ts_job_spec_default(&self.spec, kernel);
    char text[256];
    if (!environment(&self.spec, text, sizeof text))
        return ts_complain(TS_USAGE, "%s", text);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    struct ts_session session = {
        .options = &self.options,
        .params = &params,
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self.options.threads}),
        .clock_mhz = TS_CLOCK_MHZ,
        .argc = argc,
        .argv = argv,
    };
    struct ts_error error = {0};
    struct ts_job *job = malloc(sizeof *job);
    int code = TS_SETUP;
    if (job && ts_job_build(job, &self.spec, session.kernel, &error))
        code = run(&self, &session, job);
    else
        code = ts_complain_error(&error);
    if (job)
        ts_job_free(job);
    free(job);
    ts_session_free(&session);
    return code;
}
