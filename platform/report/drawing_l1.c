// What lies where in L1, for a run's page (drawing.h): code and data of the cores from their ELF files, what the program file
// places, words of the launch. Stacks are not in L1: each core has a RAM of its own, which is listed, too.
#include "platform/report/drawing.h"

#include "platform/base/json.h"
#include "platform/run/plan/launch.h"

#include <elf.h>

#define LOCAL_RAM 0xffb00000u

// [address, bytes, kind, name]
static void add(json_t *areas, uint64_t address, uint64_t bytes, const char *kind, json_t *name)
{
    if (bytes && address + bytes <= TS_L1_SIZE)
        ts_json_add(areas, "[I, I, s, o]", (json_int_t)address, (json_int_t)bytes, kind, name);
    else
        json_decref(name);
}

// ---- what the cores load

// local: [core, bytes of data, bytes for the stack]
static void add_program(const struct ts_tile *tile, unsigned core, json_t *areas, json_t *local)
{
    const struct ts_tile_program *program = &tile->programs[core];
    const char *name = ts_rv_core_names[core];
    const Elf32_Ehdr *elf = program->bytes;
    json_int_t data = 0;
    if (elf == NULL || program->length < sizeof *elf ||
        elf->e_phoff + (uint64_t)elf->e_phnum * sizeof(Elf32_Phdr) > program->length)
        return;
    for (unsigned i = 0; i < elf->e_phnum; i++) {
        Elf32_Phdr part;
        memcpy(&part, (const char *)program->bytes + elf->e_phoff + i * sizeof part, sizeof part);
        if (part.p_type != PT_LOAD)
            continue;
        const bool own = part.p_vaddr >= LOCAL_RAM;
        data += own ? part.p_memsz : 0;
        if (own)
            add(areas, part.p_paddr + program->moved, part.p_filesz, "code",
                json_sprintf("data of %s, until it is copied to its RAM", name));
        else
            add(areas, part.p_vaddr + program->moved, part.p_memsz, "code",
                json_sprintf("code of %s", name));
    }
    const json_int_t size = tile->cores[core].local_size;
    ts_json_add(local, "[s, I, I]", name, data, size > data ? size - data : 0);
}

// ---- what the program file places

static bool is_at(const struct ts_plan_cores *cores, struct ts_plan_xy at)
{
    for (uint32_t i = 0; i < cores->count; i++)
        if (cores->at[i].x == at.x && cores->at[i].y == at.y)
            return true;
    return false;
}

static bool has(const struct ts_plan_core *core, const struct ts_plan_cb *cb)
{
    return core == NULL || (core->block.cb_mask[cb->id / 32] >> cb->id % 32 & 1);
}

// A buffer that lies on a tensor stands for both.
static void add_placed(const struct ts_plan *plan, const struct ts_plan_core *core, json_t *areas)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ts_plan_tensor *t = &plan->tensors[i];
        bool there = !t->host && !t->dram &&
                     (!core || !t->sharded || is_at(&t->shard_cores, core->at));
        for (uint32_t k = 0; k < plan->cb_count; k++)
            there &= plan->cbs[k].on != (int)i || !has(core, &plan->cbs[k]);
        if (there)
            add(areas, t->address, t->bank_bytes ? t->bank_bytes : (uint64_t)t->pages * t->page,
                "tensor", json_sprintf("tensor %s", t->name));
    }
    for (uint32_t i = 0; i < plan->cb_count; i++) {
        const struct ts_plan_cb *cb = &plan->cbs[i];
        if (!has(core, cb))
            continue;
        add(areas, cb->address, (uint64_t)cb->pages * cb->page, "buffer",
            json_sprintf("circular buffer %u: %u pages of %u bytes%s%s", cb->id, cb->pages,
                         cb->page, cb->on >= 0 ? ", on tensor " : "",
                         cb->on >= 0 ? plan->tensors[cb->on].name : ""));
    }
}

static void add_launch(const struct ts_plan *plan, const struct ts_plan_core *core, json_t *areas)
{
    if (core == NULL) { // low-level kernels
        static const char *const threads[] = {"unpack", "math", "pack"};
        add(areas, TS_L1_LAUNCH, sizeof(struct ts_launch), "launch",
            json_string("mailboxes: sync words, arguments, counters of buffers"));
        for (unsigned t = 0; t < TS_THREADS; t++)
            add(areas, TS_L1_EVENTS + 4096 * t, 4096, "launch",
                json_sprintf("event buffer of %s", threads[t]));
        return;
    }
    for (uint32_t i = 0; i < plan->semaphore_count; i++)
        add(areas, core->block.semaphores + TS_SEMAPHORE_STEP * i, TS_SEMAPHORE_STEP, "semaphore",
            json_sprintf("semaphore %s", plan->semaphores[i].name));
    const uint32_t words = plan->config + TS_SEMAPHORE_STEP * plan->semaphore_count;
    const uint32_t end = plan->config + 4 * core->word_count;
    add(areas, words, end > words ? end - words : 0, "launch",
        json_string("arguments of kernels, configuration of buffers"));
    if (plan->metal == NULL)
        add(areas, TS_PROGRAM, sizeof(struct ts_program), "launch",
            json_string("mailboxes: sync words, counters of buffers, text, zones"));
}

// ---- tiles

static json_t *map_of(const struct ts_work *work, uint32_t i)
{
    const struct ts_plan *plan = work->plan;
    const struct ts_plan_core *core = work->program ? work->program->cores[i].core : NULL;
    json_t *areas = json_array(), *local = json_array();
    for (unsigned c = 0; c < TS_RV_CORES; c++)
        add_program(work->jobs[i].tile, c, areas, local);
    if (!plan->captured) {
        add_launch(plan, core, areas);
        add_placed(plan, core, areas);
    }
    return json_pack("{s:o, s:o}", "areas", areas, "local", local);
}

json_t *ts_drawing_l1(const struct ts_work *work)
{
    json_t *groups = json_array(), *group;
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        const struct ts_tile *tile = work->jobs[i].tile;
        json_t *map = map_of(work, i), *same = NULL;
        size_t g;
        json_array_foreach(groups, g, group)
        {
            if (json_equal(json_object_get(group, "map"), map))
                same = group;
        }
        if (same)
            json_decref(map);
        else
            json_array_append_new(groups, same = json_pack("{s:o, s:[]}", "map", map, "tiles"));
        json_array_append_new(json_object_get(same, "tiles"),
                              json_sprintf("%u-%u", tile->x, tile->y));
    }
    return json_pack("{s:I, s:o}", "bytes", (json_int_t)TS_L1_SIZE, "groups", groups);
}
