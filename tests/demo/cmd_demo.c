// tensim-demo: the program with one command, which runs a demonstration model and says where its
// cycles went.
#include "platform/base/yaml.h"
#include "platform/cli/session.h"
#include "tests/demo/demo.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_CYCLES 1000000

static const char doc[] =
    "Run a demonstration model of the event kernel for a number of cycles, or until it is done.\v"
    "Models:\n"
    "  tile    5 cores, 3 front ends and 9 back ends a tile: the benchmark's workload; never ends\n"
    "  ring    stations in a ring, a domain each: FIFOs that cross, back-pressure\n"
    "  torus   routers in a one-way torus, a domain each: arbitration, congestion\n"
    "  crowd   as many components as a domain holds, one contended semaphore\n"
    "  table   guests at a round table; with --set demo.polite=0 a deadlock (exit code 2)";

struct arguments {
    struct ts_options options;
    const struct ts_demo_model *model;
    ts_cycle cycles;
};

static const struct argp_option options[] = {
    {"cycles", 'C', "N", 0, "run this long (default 1000000)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case 'C': {
        int64_t cycles;
        if (!ts_parse_int(arg, &cycles) || cycles < 1)
            argp_error(state, "--cycles: '%s' is not a number of cycles", arg);
        self->cycles = (ts_cycle)cycles;
        return 0;
    }
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one model at a time");
        self->model = ts_demo_find(arg);
        if (self->model == NULL) {
            char names[200] = "";
            for (size_t i = 0; ts_demo_models[i]; i++)
                snprintf(names + strlen(names), sizeof names - strlen(names), " %s",
                         ts_demo_models[i]->name);
            argp_error(state, "no model '%s'; choose from%s", arg, names);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Cycles of all components of one kind.
struct kind_sum {
    const char *kind;
    uint64_t components;
    struct ts_account account;
};

static size_t sum_kinds(const struct ts_kernel *kernel, ts_cycle span, struct kind_sum *sums,
                        size_t room)
{
    size_t count = 0;
    for (struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next) {
        struct ts_component *c = ts_object_component(object);
        if (c == NULL)
            continue;
        size_t i = 0;
        while (i < count && strcmp(sums[i].kind, c->ops->kind) != 0)
            i++;
        if (i == room)
            continue;
        if (i == count)
            sums[count++] = (struct kind_sum){.kind = c->ops->kind};
        struct ts_account account = ts_component_account(c, span);
        sums[i].components++;
        sums[i].account.busy += account.busy;
        for (int reason = 0; reason < TS_STALL_COUNT; reason++)
            sums[i].account.lost[reason] += account.lost[reason];
    }
    return count;
}

static void print_verdict(const struct ts_session *session, const struct ts_demo_model *model,
                          const char *checksum)
{
    const struct ts_run *run = &session->run;
    printf("%s: %s at cycle %llu, %llu steps in %.2f s (%.1f ns a step, %.2f M cycles/s), checksum "
           "%s\n",
           model->name, ts_stop_name(run->stop), (unsigned long long)run->cycle,
           (unsigned long long)run->activations, session->seconds,
           run->activations ? 1e9 * session->seconds / (double)run->activations : 0,
           session->seconds > 0 ? 1e-6 * (double)run->cycle / session->seconds : 0, checksum);
    struct kind_sum sums[16];
    size_t count = sum_kinds(session->kernel, run->cycle, sums, 16);
    printf("  %-12s %6s %8s %8s   %s\n", "where", "count", "busy", "idle", "stalls");
    for (size_t i = 0; i < count; i++) {
        double span = (double)run->cycle * (double)sums[i].components / 100;
        printf("  %-12s %6llu %6.1f %% %6.1f %%  ", sums[i].kind,
               (unsigned long long)sums[i].components, (double)sums[i].account.busy / span,
               (double)sums[i].account.lost[TS_STALL_IDLE] / span);
        for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
            if (sums[i].account.lost[reason])
                printf(" %s %.1f %%", ts_stall_name((enum ts_stall)reason),
                       (double)sums[i].account.lost[reason] / span);
        putchar('\n');
    }
    if (session->options->out)
        printf("  written to %s\n", session->options->out);
}

static int run(int argc, char **argv)
{
    struct arguments arguments = {.cycles = DEFAULT_CYCLES, .model = &ts_demo_tile};
    ts_options_init(&arguments.options);
    const struct argp_child children[] = {{ts_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "[MODEL]", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.options.config == NULL)
        arguments.options.config = TENSIM_SOURCE_DIR "/tests/demo/demo.yaml";
    struct ts_params params = {0};
    ts_demo_params_add(&params);
    int code = (int)ts_options_params(&arguments.options, &params, "demo.yaml");
    if (code != TS_OK) {
        ts_params_free(&params);
        return code;
    }
    struct ts_demo_params values;
    TS_PARAMS_FILL(&params, "demo", &values);
    struct ts_session session = {
        .options = &arguments.options,
        .params = &params,
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = arguments.options.threads,
                                                           .hosting = ts_hosting()}),
        .clock_mhz = 1000,
        .argc = argc,
        .argv = argv,
        .work = (double)arguments.cycles,
    };
    struct ts_demo *demo = arguments.model->build(session.kernel, &values);
    code = ts_session_begin(&session);
    if (code == TS_OK) {
        ts_session_run(&session, arguments.cycles);
        code = ts_session_end(&session);
        char checksum[20];
        snprintf(checksum, sizeof checksum, "%016llx",
                 (unsigned long long)arguments.model->checksum(demo));
        json_object_set_new(session.document, "model", json_string(arguments.model->name));
        json_object_set_new(session.document, "checksum", json_string(checksum));
        if (ts_options_talk(&arguments.options))
            print_verdict(&session, arguments.model, checksum);
        code = ts_session_write(&session, code);
    }
    ts_session_free(&session);
    ts_params_free(&params);
    return code;
}

const struct ts_command ts_commands[] = {
    {"demo", "run a demonstration model of the event kernel", run, TS_RANKS_ONE},
    {0},
};
