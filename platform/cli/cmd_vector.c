// tensim vector: replays conformance vectors and compares what they leave in L1.
#include "platform/cli/common.h"
#include "platform/tile/coprocessor.h"
#include "platform/tile/vector.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Replay conformance vectors: print those that fail and the number of passes and failures.\v"
    "The format is described in tests/vectors/README.md. With --timing-only no data are computed: "
    "a vector passes when its done words are written.";

struct request {
    const char *json;
    bool timing_only, verbose;
    char **files;
    size_t count;
};

static const struct argp_option rows[] = {
    {"json", 'J', "FILE", 0, "write JSON to FILE; - is stdout", 0},
    {"timing-only", 'T', NULL, 0, "the same cycles without arithmetic", 0},
    {"verbose", 'v', NULL, 0, "print every vector and its cycles", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'J':
        request->json = arg;
        return 0;
    case 'T':
        request->timing_only = true;
        return 0;
    case 'v':
        request->verbose = true;
        return 0;
    case ARGP_KEY_ARGS:
        request->files = state->argv + state->next;
        request->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool run(const char *path, const struct request *request, struct ts_vector_result *result)
{
    struct ts_vector_file vector;
    struct ts_error error = {0};
    memset(result, 0, sizeof *result);
    if (!ts_vector_read(&vector, path, &error)) {
        result->code = error.code;
        snprintf(result->text, sizeof result->text, "%s", error.text);
        return false;
    }
    struct ts_vector_options options = {.tile = ts_tile_config_default(),
                                        .furnish = ts_coprocessor_furnish};
    options.tile.timing_only = request->timing_only;
    ts_vector_run(&vector, &options, result);
    if (request->timing_only && result->code == TS_DIFFERS)
        result->pass = true;
    ts_vector_free(&vector);
    return true;
}

int ts_cmd_vector(int argc, char **argv);
int ts_cmd_vector(int argc, char **argv)
{
    struct request request = {0};
    const struct argp argp = {rows, parse, "FILE...", doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &request);
    bool talk = !request.json || strcmp(request.json, "-") != 0;
    json_t *cases = json_array();
    size_t passed = 0;
    enum ts_code worst = TS_OK;
    for (size_t i = 0; i < request.count; i++) {
        struct ts_vector_result result;
        const char *path = request.files[i], *slash = strrchr(path, '/');
        run(path, &request, &result);
        passed += result.pass;
        if (!result.pass && worst == TS_OK)
            worst = result.code == TS_SETUP ? TS_SETUP : TS_DIFFERS;
        if (talk && !result.pass)
            printf("%s: FAIL: %s\n", path, result.text);
        else if (talk && request.verbose)
            printf("%s: pass, %llu cycles\n", path, (unsigned long long)result.cycles);
        json_array_append_new(cases,
                              json_pack("{s:s, s:b, s:I, s:s}", "name", slash ? slash + 1 : path,
                                        "pass", result.pass, "cycles", (json_int_t)result.cycles,
                                        "text", result.text));
    }
    size_t failed = request.count - passed;
    if (talk)
        printf("%zu passed, %zu failed\n", passed, failed);
    if (request.json) {
        json_t *document = json_pack("{s:o, s:I, s:I}", "cases", cases, "passed",
                                     (json_int_t)passed, "failed", (json_int_t)failed);
        if (talk ? json_dump_file(document, request.json, JSON_INDENT(1))
                 : json_dumpf(document, stdout, JSON_INDENT(1)))
            worst = (enum ts_code)ts_complain(TS_SETUP, "%s: cannot be written", request.json);
        else if (!talk)
            putchar('\n');
        json_decref(document);
    } else {
        json_decref(cases);
    }
    return worst;
}
