// A scenario, or ELF files on one tile (tiles_run.h).
#include "platform/cli/run.h"

#include "platform/base/json.h"
#include "platform/base/number.h"
#include "platform/cli/recording.h"
#include "platform/cluster/cluster.h"
#include "platform/lib/inside.h"
#include "platform/tile/names.h"

// --- --trace=commits:DIR: one commit log for each core of a scenario, in Spike's format. They go to the cores directly: the
// library has no such thing.

struct commit_log {
    struct ts_file *file;
    struct ts_rv_log log;
};

struct commit_logs {
    struct commit_log *files; // of the cores of each tile in turn; NULL: none
};

// Opens DIR/X-Y.CORE.log for all cores. False: error; still to be closed.
static bool open_logs(struct commit_logs *self, const char *directory, struct ts_scenario *scenario,
                      struct ts_error *error)
{
    self->files = calloc(scenario->tile_count, TS_RV_CORES * sizeof *self->files);
    if (self->files == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; self->files && i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            char path[512], place[32];
            const struct ts_tile *tile = scenario->tiles[i].tile;
            if (!ts_control_reset_bit(tile, core))
                continue; // the tile has no such core
            ts_tile_place_name(tile, place, sizeof place);
            for (char *c = place; *c; c++)
                *c = *c == '/' ? '.' : *c; // "1.eth0"
            snprintf(path, sizeof path, "%.400s/%s.%s.log", directory, place,
                     ts_tile_core_name(tile, core));
            struct ts_file *file = ts_file_open(path, error);
            if (file == NULL)
                return false;
            struct commit_log *log = &self->files[TS_RV_CORES * i + core];
            *log = (struct commit_log){file, {ts_rv_log_print, ts_file_stream(file)}};
            scenario->tiles[i].tile->cores[core].log = &log->log;
        }
    return error->code == TS_OK;
}

// Completes the files. Returns `code`, or TS_SETUP with a message if one could not be written.
static int close_logs(struct commit_logs *self, struct ts_scenario *scenario, int code)
{
    struct ts_error error = {0};
    for (uint32_t i = 0; self->files && i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            struct ts_rv_core *c = &scenario->tiles[i].tile->cores[core];
            if (c->log != NULL) {
                ts_rv_core_log_end(c);
                ts_file_close(self->files[TS_RV_CORES * i + core].file, &error);
                c->log = NULL;
            }
        }
    free(self->files);
    return error.code == TS_OK ? code : ts_complain_error(&error);
}

// --- ELF files on one tile ---

// "ADDRESS=REST": where REST starts; NULL: not of that form.
static const char *split(const char *text, uint32_t *address)
{
    char *end;
    unsigned long value = strtoul(text, &end, ts_number_base(text));
    if (end == text || *end != '=' || value > UINT32_MAX)
        return NULL;
    *address = (uint32_t)value;
    return end + 1;
}

static const struct tensim_xy only = {1, 2}; // the tile of a run without scenario

// Loads and starts the programs of the cores.
static enum tensim_code load(const struct ts_ask *self, struct tensim *sim,
                             struct tensim_error *error)
{
    enum tensim_code code = TENSIM_OK;
    for (unsigned core = 0; core < TS_RV_CORES && code == TENSIM_OK; core++)
        if (self->elf[core] != NULL)
            code = tensim_load_elf(sim, only, (enum tensim_core)core, self->elf[core], error);
    for (unsigned i = 0; i < self->loads.count && code == TENSIM_OK; i++) {
        uint32_t address;
        const char *file = split(self->loads.text[i], &address);
        if (file == NULL) {
            snprintf(error->text, sizeof error->text, "--load %s: not ADDRESS=FILE",
                     self->loads.text[i]);
            return error->code = TENSIM_USAGE;
        }
        code = tensim_load_file(sim, only, address, file, error);
    }
    return code;
}

static enum tensim_code start(const struct ts_ask *self, struct tensim *sim,
                              struct tensim_error *error)
{
    enum tensim_code code = TENSIM_OK;
    for (unsigned core = 0; core < TS_RV_CORES && code == TENSIM_OK; core++)
        if (self->elf[core] != NULL)
            code = tensim_start(sim, only, (enum tensim_core)core, error);
    return code;
}

// --until ADDRESS=VALUE
static enum tensim_code read_until(const struct ts_ask *self, struct tensim_until *until,
                                   struct tensim_error *error)
{
    ts_cycle most = self->options.max_cycles;
    *until = (struct tensim_until){
        .tile = only, .written = true, .cycles = most == TS_NEVER ? 0 : most};
    const char *text = split(self->until, &until->address);
    int64_t value = 0;
    bool good = text != NULL && ts_parse_int(text, &value) && value >= INT32_MIN &&
                value <= UINT32_MAX;
    until->value = (uint32_t)value;
    if (good && ts_l1_contains(until->address, 4) && until->address % 4 == 0)
        return TENSIM_OK;
    snprintf(error->text, sizeof error->text, "--until %s: not ADDRESS=VALUE of a word of L1",
             self->until);
    return error->code = TENSIM_USAGE;
}

// --- results ---

static void verdict(const struct ts_session *session)
{
    const struct ts_scenario *scenario = &session->sim->scenario;
    double ghz = session->sim->tile_config.clock_mhz / 1e3;
    printf("%s at cycle %llu (%.3f ms at %g GHz), %.2f s\n",
           session->content ? "script passed" : ts_stop_name(session->run.stop),
           (unsigned long long)session->run.cycle, (double)session->run.cycle / (1e6 * ghz), ghz,
           session->seconds);
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            const struct ts_tile *tile = scenario->tiles[i].tile;
            const struct ts_rv_view c = ts_rv_core_view(&tile->cores[core]);
            char place[32];
            if (c.instructions == 0)
                continue;
            const char *state = c.held       ? "held"
                                : c.paused   ? "paused at ebreak"
                                : c.halted   ? "halted by a debugger"
                                : c.spinning ? "at its end"
                                             : "running";
            printf("  tile %s %-7s %12llu instructions, %.3f a cycle, pc 0x%x, %s\n",
                   ts_tile_place_name(tile, place, sizeof place), ts_tile_core_name(tile, core),
                   (unsigned long long)c.instructions,
                   (double)c.instructions / (double)(c.time ? c.time : 1), c.pc, state);
        }
}

// The chip; of a system all of them, with their links.
static void chip_document(struct ts_session *session)
{
    const struct tensim *sim = session->sim;
    json_t *chips = json_array();
    for (uint32_t i = 0; sim->system && i < sim->system->chips; i++)
        json_array_append_new(chips, ts_chip_json(sim->chips[i], session->run.cycle));
    if (sim->system)
        json_object_set(session->document, "chips", chips);
    else if (sim->chip)
        json_object_set_new(session->document, "chip", ts_chip_json(sim->chip, session->run.cycle));
    json_decref(chips);
}

static void document(struct ts_session *session)
{
    const struct ts_scenario *scenario = &session->sim->scenario;
    json_t *cores = json_array();
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            const struct ts_tile *tile = scenario->tiles[i].tile;
            const struct ts_rv_view c = ts_rv_core_view(&tile->cores[core]);
            char place[32];
            if (!ts_control_reset_bit(tile, core))
                continue;
            ts_json_add(cores, "{s:s, s:s, s:I, s:I, s:b, s:b}", "tile",
                        ts_tile_place_name(tile, place, sizeof place), "core",
                        ts_tile_core_name(tile, core), "instructions", (json_int_t)c.instructions,
                        "pc", (json_int_t)c.pc, "held", (int)c.held, "paused", (int)c.paused);
        }
    json_object_set_new(session->document, "cores", cores);
    if (scenario->step_count > 0)
        json_object_set_new(session->document, "script",
                            json_string(session->content ? "passed" : "failed"));
    chip_document(session);
}

// Everything between building and the exit code.
static int run(const struct ts_ask *self, struct ts_session *session,
               const struct tensim_until *until)
{
    struct tensim_error error;
    int code = ts_session_begin(session);
    if (code == TS_OK && !self->file && start(self, session->sim, &error) != TENSIM_OK)
        code = ts_complain_tensim(&error);
    if (code != TS_OK)
        return code;
    struct ts_following following = {NULL, NULL};
    session->record = self->record;
    session->near = self->near;
    for (uint32_t i = 0; i < session->sim->scenario.tile_count; i++)
        ts_following_begin(&following, session, session->sim->scenario.tiles[i].tile, i);
    uint64_t at;
    ts_session_run_sim(session, until, &at);
    code = ts_session_end(session);
    code = ts_following_end(&following, session, self->file ? self->file : "tensim run", code);
    if (session->sim->script.code != TS_OK && session->run.stop != TS_STOP_FAULT)
        code = ts_complain_error(&session->sim->script);
    if (until && code == TS_OK && at == 0) {
        uint32_t word = 0;
        tensim_read(session->sim, only, until->address, &word, sizeof word, &error);
        code = ts_complain(TS_DIFFERS,
                           "--until %s: the cores came to their end, and the word is 0x%x",
                           self->until, word);
    }
    document(session);
    if (at != 0)
        json_object_set_new(session->document, "until_cycle", json_integer((json_int_t)at));
    if (at != 0 && ts_options_talk(&self->options))
        printf("0x%x = 0x%x at cycle %llu\n", until->address, until->value, (unsigned long long)at);
    if (ts_options_talk(&self->options))
        verdict(session);
    return ts_session_write(session, code);
}

// The instance with everything loaded; NULL: error.
static struct tensim *build(const struct ts_ask *self, struct tensim_error *error)
{
    struct tensim_config config = self->config;
    config.output = ts_options_talk(&self->options) ? stdout : NULL;
    ts_following_config(&config, self->record, self->near);
    if (self->file)
        return tensim_new_scenario(self->file, &config, error);
    config.chip = self->chip;
    struct tensim *sim = tensim_new(&config, error);
    if (sim && load(self, sim, error) == TENSIM_OK)
        return sim;
    tensim_free(sim);
    return NULL;
}

bool ts_ranks_fit(const struct tensim *sim)
{
    unsigned ranks = ts_cluster_ranks();
    if (ranks > 1 && sim->system == NULL)
        ts_complain(TS_USAGE,
                    "%u ranks: they divide the chips of a system, and this is one chip: start it "
                    "without mpirun",
                    ranks);
    else if (ranks > 1 && ranks > sim->system->chips)
        ts_complain(TS_USAGE, "%u ranks: the system has %u chips", ranks, sim->system->chips);
    else
        return true;
    return false;
}

// Several ranks have a system to divide, and nothing that one process would have to see.
static int allow_ranks(const struct ts_ask *self, const struct tensim *sim)
{
    unsigned ranks = ts_cluster_ranks();
    const char *option = self->record            ? "record"
                         : self->near            ? "search=near"
                         : self->options.commits ? "trace=commits"
                         : self->options.gdb     ? "gdb"
                         : self->options.live.on ? "live"
                                                 : NULL;
    if (ranks == 1)
        return TS_OK;
    if (!ts_ranks_fit(sim))
        return TS_USAGE;
    return option ? ts_complain(TS_USAGE, "--%s: not with several ranks", option) : TS_OK;
}

int ts_run_tiles(struct ts_ask *self)
{
    struct tensim_error error;
    struct tensim_until until;
    struct ts_session session = {.options = &self->options, .argc = self->argc, .argv = self->argv};
    ts_cluster_model(true);
    session.sim = build(self, &error);
    ts_cluster_model(false);
    if (session.sim == NULL)
        return ts_complain_tensim(&error);
    int code = allow_ranks(self, session.sim);
    if (code == TS_OK && self->until && read_until(self, &until, &error) != TENSIM_OK)
        code = ts_complain_tensim(&error);
    struct ts_scenario *scenario = &session.sim->scenario;
    struct commit_logs logs = {NULL};
    struct ts_error failure = {0};
    if (code == TS_OK && self->options.commits &&
        !open_logs(&logs, self->options.commits, scenario, &failure))
        code = ts_complain_error(&failure);
    if (code == TS_OK)
        code = run(self, &session, self->until ? &until : NULL);
    code = close_logs(&logs, scenario, code);
    ts_session_free(&session);
    return code;
}
