// Small programs as guest code: making it and running it (program.h).
#include "platform/study/hang/program.h"

#include "platform/account/stats.h"
#include "platform/kernel/between.h"
#include "platform/study/hang/record.h"
#include "platform/tile/buffers.h"
#include "platform/tile/watchdog.h"
#include "platform/tile/windows.h"

#define CHIP "p150"

// Where each core's code lies.
static const uint32_t places[TS_RV_CORES] = {0, 0x8000, 0x10000, 0x18000, 0x20000};

// --- reading

static void expectations(struct ts_hang_program *self, struct ts_yaml_node node)
{
    if (node.node == NULL)
        return;
    ts_yaml_only(node, "verdict object path says lint cause explore", NULL);
    const struct {
        const char *key;
        char *to;
        size_t size;
    } rows[] = {{"verdict", self->verdict, sizeof self->verdict},
                {"object", self->object, sizeof self->object},
                {"path", self->path, sizeof self->path},
                {"says", self->says, sizeof self->says},
                {"lint", self->lint, sizeof self->lint},
                {"cause", self->cause, sizeof self->cause}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        snprintf(rows[i].to, rows[i].size, "%s", ts_yaml_text(ts_yaml_find(node, rows[i].key), ""));
}

static void place_lines(struct ts_tile_lines *self, const char *file, uint32_t place,
                        uint32_t words)
{
    self->file = file;
    self->end = place + 4 * words;
    for (uint32_t i = 0; i < self->count; i++)
        self->line[i].pc += place;
}

static void make_core(struct ts_hang_program *self, const struct ts_script *script,
                      const struct ts_script_tile *from, unsigned core, const struct ts_chip *chip)
{
    struct ts_hang_program_tile *tile = &self->tiles[self->tile_count - 1];
    const struct ts_script_list *list = &from->lists[core], none = {0}, *thread = &none;
    if (ts_is_trisc(core))
        thread = &from->lists[TS_SCRIPT_T0 + core - TS_RV_TRISC0];
    if (list->node.node == NULL && thread->node.node == NULL)
        return;
    struct ts_hang_steps *steps = ts_need(calloc(1, sizeof *steps), "the small program");
    *steps = (struct ts_hang_steps){.code = &tile->code[core],
                                    .here = from->at,
                                    .chip = chip,
                                    .script = script,
                                    .lines = &tile->lines[core]};
    tile->has[core] = true;
    ts_hang_steps(steps, list, thread);
    self->noc |= steps->noc;
    free(steps);
    ts_rvasm(&tile->code[core], TS_RV_JAL, 0, 0, 0, 0); // the end
    place_lines(&tile->lines[core], self->file, places[core], tile->code[core].count);
    if (tile->code[core].overflow)
        ts_yaml_error(list->node.node ? list->node : thread->node, "more than %d instructions",
                      TS_RVASM_WORDS);
}

static void make_tiles(struct ts_hang_program *self, const struct ts_script *script,
                       struct ts_error *error)
{
    struct ts_chip *chip = calloc(1, sizeof *chip); // only its SoC is used
    if (chip == NULL || ts_soc_find(&chip->soc, self->chip, error) != TS_OK) {
        free(chip);
        return;
    }
    for (unsigned i = 0; i < script->tile_count && error->code == TS_OK; i++) {
        const struct ts_script_tile *tile = &script->tiles[i];
        if (self->tile_count == TS_HANG_TILES) {
            ts_yaml_error(tile->node, "more than %d tiles", TS_HANG_TILES);
            break;
        }
        self->tiles[self->tile_count++].at = tile->at;
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            make_core(self, script, tile, core, chip);
        for (unsigned other = TS_SCRIPT_CUBE; other < TS_SCRIPT_LISTS; other++)
            if (tile->lists[other].node.node)
                ts_script_refuse(tile->lists[other].node, "a small program",
                                 "runs Tensix tiles: they have no such core");
    }
    self->noc |= self->tile_count > 1;
    free(chip);
}

static bool make(struct ts_hang_program *self, struct ts_script *script, bool read,
                 struct ts_error *error)
{
    if (read) {
        ts_script_without(script, "a small program", "chip dram script elf");
        snprintf(self->about, sizeof self->about, "%s", script->about);
        ts_setups_read(&self->setups, script);
        memcpy(self->buffers, script->buffers, sizeof self->buffers);
        self->buffer_count = script->buffer_count;
        make_tiles(self, script, error);
        expectations(self, script->expect);
    }
    ts_script_free(script);
    return error->code == TS_OK;
}

bool ts_hang_program_read(struct ts_hang_program *self, const char *path, const char *text,
                          const char *chip, struct ts_error *error)
{
    struct ts_script script;
    memset(self, 0, sizeof *self);
    self->chip = chip ? chip : CHIP;
    snprintf(self->file, sizeof self->file, "%s", path);
    return make(self, &script, ts_script_read(&script, path, text, ts_soc_machine(chip), error),
                error);
}

// --- running

// The memory of a buffer, for checks; it is named as the buffer is.
static void know_memory(struct ts_tile_name *names, const struct ts_script_object *buffer,
                        unsigned index, struct ts_tile *tile)
{
    if (buffer->page == 0)
        return;
    struct ts_tile_name *name = &names[tile->name_count++];
    *name = (struct ts_tile_name){
        .address = buffer->at, .length = buffer->pages * buffer->page, .page = buffer->page};
    snprintf(name->text, sizeof name->text, "circular buffer %s", buffer->name);
    tile->names = names;
    if (tile->check)
        ts_memory_add(tile->check,
                      &(struct ts_check_area){.address = name->address,
                                              .length = name->length,
                                              .page = name->page,
                                              .stride = name->page,
                                              .kind = TS_AREA_BUFFER},
                      &(struct ts_check_ring){.received = ts_hang_received(index),
                                              .acked = ts_hang_acked(index),
                                              .pages = buffer->pages,
                                              .put = buffer->filled});
}

static bool load(const struct ts_hang_program *self, const struct ts_hang_program_tile *from,
                 struct ts_tile_name *names, struct ts_tile *tile, struct ts_error *error)
{
    for (unsigned i = 0; i < self->buffer_count; i++) {
        const struct ts_script_object *buffer = &self->buffers[i];
        uint32_t received = (buffer->start + buffer->filled) & 0xffff;
        ts_l1_write(&tile->l1, ts_hang_received(i), &received, 4, 0);
        ts_l1_write(&tile->l1, ts_hang_acked(i), &buffer->start, 4, 0);
        ts_buffers_add(tile, buffer->name, ts_hang_received(i), ts_hang_acked(i), buffer->pages);
        know_memory(names, buffer, i, tile);
    }
    if (!ts_setups_apply(&self->setups, tile, error))
        return false;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        if (!from->has[core])
            continue;
        ts_l1_write(&tile->l1, places[core], from->code[core].words, from->code[core].count * 4, 0);
        tile->programs[core].lines = &from->lines[core];
        if (!ts_tile_start(tile, core, places[core], 0, error))
            return false;
        ts_rv_core_configure(&tile->cores[core], TS_RV_CFG0_DIS_LOW_CASH);
    }
    return true;
}

static void explain(struct ts_hang_outcome *outcome, const struct ts_kernel *kernel)
{
    struct ts_hang hang = ts_hang_new(kernel, outcome->cycle);
    ts_hang_line(&hang, outcome->line, sizeof outcome->line);
    snprintf(outcome->cause, sizeof outcome->cause, "%s", hang.cause.text);
    outcome->document = ts_hang_json(&hang, kernel);
    size_t size;
    FILE *file = open_memstream(&outcome->screen, &size);
    if (file != NULL) {
        ts_hang_print(&hang, file);
        fclose(file);
    }
    ts_hang_free(&hang);
}

static bool build_chip(struct ts_hang_stage *self, const struct ts_hang_program *program,
                       struct ts_error *error)
{
    const struct ts_params *params = program->params;
    struct ts_soc soc;
    if (params == NULL) {
        char config[512];
        ts_chip_params_add(&self->defaults);
        ts_config_path(config, sizeof config, ts_soc_machine(program->chip)->numbers);
        ts_params_load(&self->defaults, config, error);
        params = &self->defaults;
    }
    return error->code == TS_OK && ts_soc_find(&soc, program->chip, error) == TS_OK &&
           ts_chip_init(&self->chip, self->kernel, &soc, params, self->tiles, program->tile_count,
                        error) == TS_OK;
}

bool ts_hang_stage_build(struct ts_hang_stage *self, const struct ts_hang_program *program,
                         const struct ts_tile_config *config, uint32_t threads,
                         struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    self->kernel = ts_kernel_new(
        &(struct ts_kernel_config){.threads = threads, .hosting = config->hosting});
    for (unsigned i = 0; i < program->tile_count; i++) {
        struct ts_noc_xy at = program->tiles[i].at;
        self->tiles[i] = ts_tile_new_at(self->kernel, at.x, at.y, config, error);
        if (self->tiles[i] == NULL)
            return false;
    }
    if ((program->noc && !build_chip(self, program, error)) ||
        ts_kernel_elaborate(self->kernel, error) != TS_OK)
        return false;
    for (unsigned i = 0; i < program->tile_count; i++)
        if (!load(program, &program->tiles[i], self->names[i], self->tiles[i], error))
            return false;
    return true;
}

void ts_hang_stage_strike(struct ts_hang_stage *self)
{
    for (unsigned i = 0; i < TS_HANG_TILES; i++)
        ts_tile_free(self->tiles[i]);
    ts_chip_free(&self->chip);
    ts_kernel_free(self->kernel);
    ts_params_free(&self->defaults);
}

void ts_hang_program_run(const struct ts_hang_program *self, const struct ts_tile_config *config,
                         ts_cycle limit, struct ts_hang_outcome *outcome)
{
    struct ts_error error = {0};
    struct ts_hang_stage stage;
    memset(outcome, 0, sizeof *outcome);
    struct ts_tile_config counting = *config; // the places of --perturb
    if (self->recording && counting.perturb_max == 0) {
        counting.perturb_max = 1;
        counting.perturb_holds = "";
    }
    if (ts_hang_stage_build(&stage, self, &counting, 1, &error)) {
        struct ts_recorder *recorder = self->recording ? ts_recorder_new(stage.tiles[0]) : NULL;
        for (unsigned i = 0; self->near && i < self->tile_count; i++)
            ts_near_watch(self->near, stage.tiles[i]);
        struct ts_run run = ts_watched_run(stage.kernel, limit);
        if (run.stop == TS_STOP_DEADLOCK)
            ts_kernel_hung(stage.kernel, run.cycle);
        else
            ts_kernel_over(stage.kernel, run.cycle);
        if (self->near)
            ts_near_end(self->near);
        if (recorder)
            ts_recorder_write(recorder, self->about, self->recording->command, self->recording->ops,
                              self->recording->file);
        ts_recorder_free(recorder);
        outcome->cycle = run.cycle;
        outcome->code = run.stop == TS_STOP_DEADLOCK ? TS_HANG
                        : run.stop == TS_STOP_LIMIT  ? TS_LIMIT
                        : run.stop == TS_STOP_FAULT  ? run.error.code
                                                     : TS_OK;
        if (run.stop == TS_STOP_FAULT)
            snprintf(outcome->text, sizeof outcome->text, "%.255s", run.error.text);
        if (self->hashed) {
            json_t *stats = ts_stats_json(stage.kernel, &run);
            ts_stats_timing_hash(stats, outcome->timing);
            ts_stats_hash(stats, outcome->hash);
            json_decref(stats);
        }
        if (outcome->code == TS_HANG)
            explain(outcome, stage.kernel);
        outcome->lints = ts_lints(stage.kernel, NULL);
        struct ts_checks_how how = self->checks;
        how.ended = outcome->code == TS_OK;
        how.at = run.cycle;
        outcome->checks = ts_checks(stage.kernel, &how, &error);
        if (outcome->code == TS_OK && error.code != TS_OK) {
            outcome->code = error.code;
            snprintf(outcome->text, sizeof outcome->text, "%.255s", error.text);
        }
    } else {
        outcome->code = error.code ? error.code : TS_SETUP;
        snprintf(outcome->text, sizeof outcome->text, "%.255s", error.text);
    }
    ts_hang_stage_strike(&stage);
}

void ts_hang_outcome_free(struct ts_hang_outcome *self)
{
    json_decref(self->document);
    json_decref(self->lints);
    ts_checks_free(&self->checks);
    free(self->screen);
    *self = (struct ts_hang_outcome){0};
}
