// tensim-bench: how fast tensim is. Results on stdout; --json FILE or --json - for machines.
#include "platform/bench/bench.h"
#include "platform/mem/fresh.h"
#include "platform/out/text.h"
#include "platform/study/silicon/silicon.h"

#include <argp.h>
#include <unistd.h>

static const struct ts_bench *const benches[] = {&ts_bench_matmul, &ts_bench_chip, &ts_bench_real,
                                                 &ts_bench_prices, NULL};

const char *argp_program_version = "tensim-bench " TENSIM_VERSION;

static const char doc[] =
    "Measures how fast tensim is.\v"
    "Benchmarks:\n"
    "  matmul   one tile that unpacks, multiplies and packs: tiles per second with\n"
    "           bits and cycles, and cycles per second without the bits\n"
    "  chip     140 tiles that multiply at once, on one thread and on two\n"
    "  real     kernels, a matmul over a grid, data movement on 140 tiles and a trace,\n"
    "           as the commands run them\n"
    "  prices   host instructions of single words, loads, polls, packets, and of whole\n"
    "           runs a product or tile, counted under valgrind, with bars; --only bars:\n"
    "           rows that have one\n"
    "\nRun it on a quiet machine: the ratios are of one run, but cores must be free.";

struct arguments {
    const struct ts_bench *bench;
    const char *json;
    struct ts_bench_options options;
};

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "write the result as one JSON document to FILE (- is stdout)", 0},
    {"only", 'o', "NAME", 0, "only the rows of this name", 0},
    {"quick", 'q', NULL, 0, "a tenth of the work: for a look, not for a figure", 0},
    {"rounds", 'r', "N", OPTION_HIDDEN, "prices: run a guest, count nothing", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = arg;
        return 0;
    case 'o':
        arguments->options.only = arg;
        return 0;
    case 'q':
        arguments->options.quick = true;
        return 0;
    case 'r':
        arguments->options.rounds = (uint32_t)strtoul(arg, NULL, 10);
        return 0;
    case ARGP_KEY_ARG:
        for (int i = 0; benches[i]; i++)
            if (strcmp(benches[i]->name, arg) == 0)
                arguments->bench = benches[i];
        if (arguments->bench == NULL || state->arg_num > 0)
            argp_error(state, "no benchmark '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (arguments->bench == NULL)
            argp_error(state, "name a benchmark");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool ts_bench_wanted(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

double ts_bench_cpu_seconds(void)
{
    return 1e-9 * (double)ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

double ts_bench_resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*s %ld", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

double ts_bench_median(double *values, size_t count)
{
    double median, p90;
    ts_silicon_order(values, count, &median, &p90);
    return median;
}

int main(int argc, char **argv)
{
    ts_large_blocks_fresh();
    struct arguments arguments = {0};
    const struct argp argp = {options, parse, "BENCHMARK", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    json_t *document = arguments.bench->run(&arguments.options);
    if (document == NULL)
        return 70;
    int status = 0;
    if (arguments.json == NULL) {
        char view[40];
        snprintf(view, sizeof view, "bench_%s", arguments.bench->name);
        ts_text_print(view, document, true, stdout);
    } else if (strcmp(arguments.json, "-") == 0) {
        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
    } else if (json_dump_file(document, arguments.json, JSON_INDENT(2)) != 0) {
        fprintf(stderr, "tensim-bench: cannot write %s\n", arguments.json);
        status = 3;
    }
    json_decref(document);
    return status;
}
