// tensim run of a sequence of programs: the operation table (platform/run/layer).
#include "platform/cli/run.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/run/layer/layer.h"

static struct ts_run go_on(void *context, ts_cycle limit)
{
    struct ts_session *session = context;
    ts_session_run(session, limit);
    return session->run;
}

static void write_csv(const void *document, FILE *file)
{
    ts_text_print("ops_csv", document, false, file);
}

// --- --check, --why and --lines: each operation alone, as a program file with the settings of its step ---

#define WORDS 512

static bool is_of_sequence(const char *word)
{
    static const char *const names[] = {"-p",     "--param", "-o", "--out",
                                        "--json", "--trace", "-t", "--stats-hash"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) == 0 &&
            (names[i][1] != '-' || !word[length] || word[length] == '='))
            return true;
    }
    return false;
}

// `tensim run PROGRAM` with the options of this command that are not of the sequence itself.
static int run_alone(const struct ts_ask *self, const json_t *row, const char *chip)
{
    char settings[WORDS / 4][128], *words[WORDS] = {"tensim run"};
    const char *name;
    json_t *value;
    int count = 1;
    size_t set = 0;
    for (int i = 1; i < self->argc && count < WORDS / 2; i++) {
        const bool follows = ts_option_follows(self->argv[i]) && i + 1 < self->argc;
        if (self->argv[i][0] == '-' && !is_of_sequence(self->argv[i])) {
            words[count++] = self->argv[i];
            if (follows)
                words[count++] = self->argv[i + 1];
        }
        i += follows;
    }
    words[count++] = (char *)json_string_value(json_object_get(row, "run"));
    if (json_boolean_value(json_object_get(row, "chip"))) // low-level kernels have it in their file
        snprintf(settings[set++], sizeof *settings, "chip=%s", chip);
    json_object_foreach(json_object_get(row, "set"), name, value) if (set < WORDS / 4)
        snprintf(settings[set++], sizeof *settings, "%.40s=%.80s", name, json_string_value(value));
    for (size_t i = 0; i < set; i++) {
        words[count++] = (char *)"-p";
        words[count++] = settings[i];
    }
    printf("\noperation %s, alone:\n", ts_json_text(row, "name"));
    fflush(stdout);
    return ts_run_command(count, words, count, words);
}

static int run_each(const struct ts_ask *self, const json_t *document)
{
    const json_t *rows = json_object_get(document, "operations");
    int code = TS_OK;
    size_t i, k;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        bool again = false;
        for (k = 0; k < i && !again; k++)
            again = json_equal(json_object_get(json_array_get(rows, k), "run"),
                               json_object_get(row, "run")) &&
                    json_equal(json_object_get(json_array_get(rows, k), "set"),
                               json_object_get(row, "set"));
        const int own = again ? TS_OK : run_alone(self, row, ts_json_text(document, "chip"));
        code = code == TS_OK ? own : code;
    }
    return code;
}

static int run(const struct ts_ask *self, struct ts_session *session, struct ts_layer *layer,
               bool alone)
{
    struct ts_error error = {0};
    int code = ts_session_begin(session);
    if (code != TS_OK)
        return code;
    const bool done = ts_layer_run(layer, go_on, session, &error);
    code = ts_session_end(session);
    json_t *document = ts_layer_json(layer);
    json_object_update(session->document, document);
    json_decref(document);
    if (!done)
        code = ts_complain_error(&error);
    if (ts_options_talk(&self->options))
        ts_text_print("layer", session->document, self->options.verbose, stdout);
    if (code == TS_OK && layer->wrong[0])
        code = ts_complain(TS_DIFFERS, "%s", layer->wrong);
    session->schema = "tensim.layer";
    ts_results_write(&session->results, "ops_perf_results.csv", write_csv, session->document);
    if (code == TS_OK && alone)
        code = run_each(self, session->document);
    return ts_session_write(session, code);
}

int ts_run_sequence(struct ts_ask *self)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    int code = ts_ask_params(self, &params);
    if (code != TS_OK) {
        ts_params_free(&params);
        return code;
    }
    struct ts_dram_params channel;
    TS_PARAMS_FILL(&params, "dram", &channel);
    const struct ts_plan_options options = {.params = self->params,
                                            .param_count = self->param_count,
                                            .dram_bytes = (uint64_t)channel.size << 20,
                                            .unchecked = self->timing_only,
                                            .no_floats = self->timing_only,
                                            .sources = self->sources,
                                            .allow = self->allowed,
                                            .notes = stderr,
                                            .sequence = true};
    const bool checked = self->options.check,
               alone = checked || self->why.asked || self->why.remedies || self->why.by_line;
    self->options.check = NULL; // of each operation alone
    const struct ts_tile_config config = ts_ask_tile(self, &params);
    struct ts_session session = {
        .options = &self->options,
        .params = &params,
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self->options.threads}),
        .clock_mhz = ts_clock_mhz(&params),
        .argc = self->argc,
        .argv = self->argv,
    };
    struct ts_layer *layer = ts_layer_new(self->file, &options, &params, &config, session.kernel,
                                          &error);
    if (layer && alone && layer->options.system)
        code = ts_complain(TS_USAGE, "--check, --why and --lines of a sequence run its operations "
                                     "alone on one chip: not on a system of chips");
    else
        code = layer ? run(self, &session, layer, alone) : ts_complain_error(&error);
    ts_layer_free(layer);
    ts_session_free(&session);
    ts_params_free(&params);
    return code;
}
