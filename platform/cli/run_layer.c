// tensim run of a sequence of programs: the operation table (platform/run/layer).
#include "platform/cli/run.h"

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

static int run(const struct ts_ask *self, struct ts_session *session, struct ts_layer *layer)
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
    code = layer ? run(self, &session, layer) : ts_complain_error(&error);
    ts_layer_free(layer);
    ts_session_free(&session);
    ts_params_free(&params);
    return code;
}
