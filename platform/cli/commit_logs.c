#include "platform/cli/commit_logs.h"

#include "platform/cli/common.h"
#include "platform/out/file.h"
#include "platform/tile/names.h"

struct ts_commit_log {
    struct ts_file *file;
    struct ts_rv_log log;
};

bool ts_commit_logs_open(struct ts_commit_logs *self, const char *directory,
                         struct ts_scenario *scenario, struct ts_error *error)
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
            struct ts_commit_log *log = &self->files[TS_RV_CORES * i + core];
            *log = (struct ts_commit_log){file, {ts_rv_log_print, ts_file_stream(file)}};
            scenario->tiles[i].tile->cores[core].log = &log->log;
        }
    return error->code == TS_OK;
}

int ts_commit_logs_close(struct ts_commit_logs *self, struct ts_scenario *scenario, int code)
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
