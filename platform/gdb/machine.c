#include "platform/gdb/machine.h"

#include "platform/tile/watchdog.h"

#define LOCAL_BYTES 8192u

bool ts_gdb_machine_init(struct ts_gdb_machine *self, const struct ts_kernel *kernel)
{
    *self = (struct ts_gdb_machine){0};
    self->tiles = calloc(ts_kernel_domain_count(kernel), sizeof *self->tiles);
    for (struct ts_object *object = ts_kernel_objects(kernel); self->tiles && object;
         object = object->next) {
        const struct ts_component *component = ts_object_component(object);
        const struct ts_rv_core *core = component ? ts_core_of(component) : NULL;
        if (core && core->id == TS_RV_BRISC)
            self->tiles[self->tile_count++] = core->bus->context;
    }
    self->inside_thread = UINT32_MAX;
    return self->tile_count != 0;
}

void ts_gdb_machine_in_time(const struct ts_gdb_machine *self, ts_cycle now)
{
    for (uint32_t i = 0; i < self->tile_count; i++) {
        for (unsigned c = 0; c < TS_RV_CORES; c++) {
            struct ts_rv_core *core = &self->tiles[i]->cores[c];
            ts_rv_debug_attach(core, now);
            core->run_ahead = core->leashed = core->park = false;
        }
        for (unsigned t = 0; t < TS_THREADS; t++)
            self->tiles[i]->front[t].run_ahead = false;
    }
}

uint32_t ts_gdb_threads(const struct ts_gdb_machine *self)
{
    return self->tile_count * TS_RV_CORES;
}

struct ts_rv_core *ts_gdb_core(const struct ts_gdb_machine *self, uint32_t thread)
{
    return &self->tiles[thread / TS_RV_CORES]->cores[thread % TS_RV_CORES];
}

const char *ts_gdb_thread_name(const struct ts_gdb_machine *self, uint32_t thread, char *text,
                               size_t size)
{
    static const char *const names[TS_RV_CORES] = {[TS_RV_BRISC] = "brisc",
                                                   [TS_RV_TRISC0] = "trisc0",
                                                   [TS_RV_TRISC0 + 1] = "trisc1",
                                                   [TS_RV_TRISC2] = "trisc2",
                                                   [TS_RV_NCRISC] = "ncrisc"};
    const struct ts_tile *tile = self->tiles[thread / TS_RV_CORES];
    snprintf(text, size, "%s %u-%u", names[thread % TS_RV_CORES], tile->x, tile->y);
    return text;
}

bool ts_gdb_read(const struct ts_gdb_machine *self, uint32_t thread, uint32_t address,
                 uint8_t *bytes, uint32_t length)
{
    struct ts_tile *tile = self->tiles[thread / TS_RV_CORES];
    const unsigned core = thread % TS_RV_CORES;
    const uint32_t local = address - TS_RV_LOCAL_BASE;
    if (ts_l1_contains(address, length)) {
        memcpy(bytes, tile->l1.bytes + address, length);
        return true;
    }
    if (local < LOCAL_BYTES && length <= LOCAL_BYTES - local) {
        memcpy(bytes, tile->local[core] + local, length);
        return true;
    }
    for (uint32_t at = 0; at < length; at++) {
        uint32_t value;
        if (!ts_tile_look(tile, core, (address + at) & ~3u, 4, &value))
            return false;
        bytes[at] = (uint8_t)(value >> (address + at) % 4 * 8);
    }
    return true;
}

bool ts_gdb_write(const struct ts_gdb_machine *self, uint32_t thread, uint32_t address,
                  const uint8_t *bytes, uint32_t length, ts_cycle now)
{
    struct ts_tile *tile = self->tiles[thread / TS_RV_CORES];
    const uint32_t local = address - TS_RV_LOCAL_BASE;
    if (ts_l1_contains(address, length)) {
        ts_l1_write(&tile->l1, address, bytes, length, now);
        return true;
    }
    if (local >= LOCAL_BYTES || length > LOCAL_BYTES - local)
        return false;
    memcpy(tile->local[thread % TS_RV_CORES] + local, bytes, length);
    return true;
}

bool ts_gdb_breaks(const struct ts_gdb_points *points, uint32_t thread, uint32_t pc)
{
    for (uint32_t i = 0; i < points->count; i++)
        if (points->point[i].kind == TS_GDB_BREAK && points->point[i].address == pc &&
            points->point[i].thread / TS_RV_CORES == thread / TS_RV_CORES)
            return true;
    return false;
}

const struct ts_gdb_point *ts_gdb_meets(const struct ts_gdb_points *points, uint32_t thread,
                                        const struct ts_rv_following *at)
{
    for (uint32_t i = 0; i < points->count; i++) {
        const struct ts_gdb_point *point = &points->point[i];
        const bool does = (point->kind == TS_GDB_READ && at->loads) ||
                          (point->kind == TS_GDB_ACCESS && (at->loads || at->stores));
        // In L1 any core of the tile; elsewhere each core has its own.
        const bool sees = ts_l1_contains(point->address, 1)
                              ? point->thread / TS_RV_CORES == thread / TS_RV_CORES
                              : point->thread == thread;
        if (does && sees && at->address < point->address + point->length &&
            point->address < at->address + at->size)
            return point;
    }
    return NULL;
}

bool ts_gdb_thread_steps(const struct ts_gdb_machine *self, const struct ts_gdb_points *points,
                         uint32_t thread)
{
    const uint32_t pc = ts_gdb_place(self, thread).pc;
    for (uint32_t i = 0; i < points->count; i++) {
        const struct ts_gdb_point *point = &points->point[i];
        if (point->kind == TS_GDB_BREAK && point->address % 4 == 2 && pc == point->address - 2 &&
            point->thread / TS_RV_CORES == thread / TS_RV_CORES)
            return true;
    }
    return false;
}

bool ts_gdb_steps(const struct ts_gdb_machine *self, const struct ts_gdb_points *points,
                  uint32_t *thread)
{
    for (*thread = 0; *thread < ts_gdb_threads(self); ++*thread)
        if (ts_gdb_thread_steps(self, points, *thread))
            return true;
    return false;
}

struct ts_gdb_place ts_gdb_place(const struct ts_gdb_machine *self, uint32_t thread)
{
    const struct ts_rv_view view = ts_rv_core_view(ts_gdb_core(self, thread));
    return thread == self->inside_thread ? self->inside
                                         : (struct ts_gdb_place){view.instructions, view.pc};
}

const struct ts_gdb_point *ts_gdb_watch(struct ts_gdb_machine *self,
                                        const struct ts_gdb_points *points)
{
    const struct ts_gdb_point *hit = NULL;
    for (uint32_t i = 0; i < points->count; i++) {
        const struct ts_gdb_point *point = &points->point[i];
        uint8_t bytes[TS_GDB_WATCH];
        if (point->kind != TS_GDB_WRITE ||
            !ts_gdb_read(self, point->thread, point->address, bytes, point->length))
            continue;
        if (self->changes == points->changes && hit == NULL &&
            memcmp(bytes, self->bytes[i], point->length) != 0)
            hit = point;
        memcpy(self->bytes[i], bytes, point->length);
    }
    self->changes = points->changes;
    return hit;
}
