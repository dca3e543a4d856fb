#include "platform/cli/crew_options.h"

#include "platform/base/hash.h"

#include <unistd.h>

static void parse_shard(void *input, char *arg, struct argp_state *state)
{
    struct ts_crew_options *self = input;
    int end = 0;
    if (sscanf(arg, "%u/%u%n", &self->shard, &self->shards, &end) != 2 || arg[end] ||
        strchr(arg, '-') || self->shard < 1 || self->shard > self->shards ||
        self->shards > TS_MERGE_MAX)
        argp_error(state, "--shard: '%s' is not I/N with I from 1 to N, N up to %d", arg,
                   TS_MERGE_MAX);
}

static void parse_timeout(void *input, char *arg, struct argp_state *state)
{
    struct ts_crew_options *self = input;
    char *rest;
    self->timeout = strtod(arg, &rest);
    if (rest == arg || *rest || !(self->timeout >= 0.001 && self->timeout <= 1e9))
        argp_error(state, "--timeout: '%s' is not a number of seconds", arg);
}

static void parse_merge(void *input, char *arg, struct argp_state *state)
{
    struct ts_crew_options *self = input;
    (void)state;
    self->merge = ts_need(realloc(self->merge, (self->merges + 1) * sizeof *self->merge),
                          "the command");
    self->merge[self->merges++] = arg;
}

static const struct ts_take takes[] = {TS_CALL("shard", parse_shard),
                                       TS_CALL("timeout", parse_timeout),
                                       TS_CALL("merge", parse_merge),
                                       TS_TEXT("merge-into", struct ts_crew_options, into),
                                       {0}};

TS_TAKE_ARGP(ts_crew_argp)

int ts_crew_options_ready(struct ts_crew_options *self, const char **out, const char **json,
                          bool others)
{
    struct ts_crew_place place;
    struct ts_error error = {0};
    if (!ts_crew_place(&place, &error))
        return place.rank ? TS_SETUP : ts_complain_error(&error); // one of them says it
    if (self->merges) {
        *out = self->into;
        self->shards = 0;
    } else if (self->shards && (*json || others)) {
        return ts_complain(TS_USAGE, "a shard has no table: give --json and the like to `tensim "
                                     "merge', or name none");
    } else if (self->shards && *out == NULL) {
        return ts_complain(TS_USAGE, "--shard needs a directory for its results: -o DIR");
    }
    self->serves = place.rank > 0;
    if (self->serves)
        *out = *json = NULL;
    return TS_OK;
}

int ts_crew_refuse_ranks(const char *what)
{
    struct ts_crew_place place;
    struct ts_error ignored = {0};
    ts_crew_place(&place, &ignored);
    if (place.ranks <= 1)
        return TS_OK;
    if (place.rank > 0)
        _exit(TS_OK); // the first one says it, with the exit code of the job
    return ts_complain(TS_USAGE,
                       "%s runs in one process, not in %u ranks: start it without mpirun (ranks "
                       "divide the runs of sweep, silicon and run --search, and the chips of a "
                       "system in `tensim run')",
                       what, place.ranks);
}

struct ts_crew ts_crew_from(const struct ts_crew_options *self, unsigned workers, bool quiet,
                            int argc, char **argv)
{
    return (struct ts_crew){.workers = workers,
                            .shard = self->shard,
                            .shards = self->shards,
                            .timeout = self->timeout,
                            .merge = self->merge,
                            .merges = self->merges,
                            .quiet = quiet,
                            .argc = argc,
                            .argv = argv};
}

void ts_crew_keep(struct ts_crew *crew, const struct ts_results *results, const char *directory)
{
    crew->out = results->directory;
    crew->directory = results->directory ? directory : NULL;
}

unsigned ts_crew_cores(unsigned asked)
{
    struct ts_crew_place place;
    struct ts_error error = {0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ts_crew_place(&place, &error);
    if (asked || place.ranks > 1)
        return asked ? asked : 1;
    return cores > TS_CREW_WORKERS ? TS_CREW_WORKERS : cores > 0 ? (unsigned)cores : 1;
}

uint64_t ts_crew_configuration(const struct ts_params *params)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = ts_need(open_memstream(&text, &size), "the command");
    ts_params_write(params, file);
    fclose(file);
    uint64_t hash = ts_hash_bytes(TS_HASH_START, text, size);
    free(text);
    return hash;
}

static void say_command(const struct ts_crew *crew)
{
    if (crew->ranks > 1)
        fprintf(stderr, "mpirun -n %u ", crew->ranks);
    for (int i = 0; i < crew->argc; i++) {
        bool plain = strpbrk(crew->argv[i], " \t\n'\"\\$*?;&|<>(){}[]`!#~") == NULL || i == 0;
        fprintf(stderr, plain ? "%s%s" : "%s'%s'", i ? " " : "", crew->argv[i]);
    }
    fputc('\n', stderr);
}

bool ts_crew_whole(const struct ts_crew *crew, const char *unit, int *code,
                   const struct ts_error *error)
{
    if (error->code != TS_OK) {
        *code = ts_complain_error(error);
        return false;
    }
    if (*code > TS_SIGNAL) {
        ts_complain(TS_OK, "stopped by signal %d after %zu of %zu %s; %s", *code - TS_SIGNAL,
                    crew->done, crew->count, unit,
                    crew->directory ? "continue with:" : "nothing is kept without -o DIR");
        if (crew->directory)
            say_command(crew);
        return false;
    }
    if (crew->shards == 0)
        return true;
    if (!crew->quiet)
        printf("shard %u/%u: %zu %s, %zu resumed, %zu failed; %s/results.jsonl\n", crew->shard,
               crew->shards, crew->done, unit, crew->resumed, crew->failed, crew->directory);
    *code = TS_OK;
    return false;
}
