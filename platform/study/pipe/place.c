// Gives an address to every tile, tensor and ring that the program does not place itself.
//
// A tile that is only ever bound by TPOP needs none. The others follow each other, after
// everything that has an address, so a program that gives no addresses has no overlaps.
#include "platform/study/pipe/program.h"

enum { ALIGN = 512, UNPLACED = UINT32_MAX };

static uint64_t align(uint64_t address)
{
    return (address + ALIGN - 1) / ALIGN * ALIGN;
}

// Tiles that a TPOP binds. A TMPipe leaves the place to the program if the tile has an address.
static void find_bound(struct ts_machine *machine)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < machine->code[side].count; i++) {
            const struct ts_insn *insn = &machine->code[side].insn[i];
            if (insn->op != TS_OP_TPOP || insn->ref[0].tensor || !insn->ref[0].used)
                continue;
            struct ts_ring_config *pipe = &machine->pipes[insn->pipe];
            struct ts_tile_decl *tile = &machine->tiles[insn->ref[0].id];
            bool local = ts_ring_path(pipe, machine->profile) != TS_PATH_GM;
            pipe->places_tile = pipe->tmpipe && local && tile->addr == UNPLACED;
            if (!pipe->tmpipe || (local ? pipe->places_tile : pipe->local_slots > 0))
                tile->bound = true;
        }
}

// A TMPipe on A5 counts its tiles unless the program does it with SETTILE.
static void find_counts(struct ts_machine *machine)
{
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        machine->pipes[i].counts = true;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < machine->code[side].count; i++)
            if (machine->code[side].insn[i].op == TS_OP_SETTILE)
                machine->pipes[machine->code[side].insn[i].pipe].counts = false;
}

void ts_pipe_place(struct ts_pipe_program *self)
{
    struct ts_machine *machine = &self->machine;
    uint64_t next[TS_MEM_COUNT] = {0};
    find_bound(machine);
    find_counts(machine);
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        uint64_t end = tile->addr + ts_tile_bytes(tile) * tile->count;
        if (tile->addr != UNPLACED && end > next[tile->mem])
            next[tile->mem] = end;
    }
    for (int placed = 1; placed >= 0; placed--) // first those with an address
        for (uint32_t i = 0; i < machine->pipe_count; i++) {
            struct ts_ring_config *pipe = &machine->pipes[i];
            uint64_t bytes = ts_ring_local_bytes(pipe, machine->profile);
            for (int half = 0; half < 2; half++) {
                enum ts_mem mem = half ? TS_MEM_L1 : TS_MEM_UB;
                bool has = half ? pipe->has_l1 : pipe->has_ub;
                uint32_t *address = half ? &pipe->l1 : &pipe->ub;
                if (!ts_direction_has(pipe->direction, half == 0) || has != placed)
                    continue;
                if (!has)
                    *address = (uint32_t)align(next[mem]);
                if (*address + bytes > next[mem])
                    next[mem] = *address + bytes;
            }
        }
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        struct ts_tile_decl *tile = &machine->tiles[i];
        if (tile->addr != UNPLACED)
            continue;
        if (tile->bound) {
            tile->addr = 0;
            continue;
        }
        uint64_t address = align(next[tile->mem]);
        tile->addr = (uint32_t)(address < UNPLACED ? address : UNPLACED - 1);
        next[tile->mem] = address + ts_tile_bytes(tile) * tile->count;
    }
    uint64_t gm = 0;
    for (uint32_t i = 0; i < machine->tensor_count; i++) {
        struct ts_tensor_decl *tensor = &machine->tensors[i];
        if (tensor->window)
            continue;
        tensor->gm = gm;
        gm = align(gm + ts_tensor_bytes(tensor));
    }
    for (uint32_t i = 0; i < machine->pipe_count; i++) {
        struct ts_ring_config *pipe = &machine->pipes[i];
        uint64_t bytes = ts_ring_gm_bytes(pipe);
        bool used = ts_ring_path(pipe, machine->profile) == TS_PATH_GM && bytes < UINT32_MAX;
        if (pipe->has_gm)
            continue;
        pipe->gm = gm;
        if (used)
            gm = align(gm + bytes);
    }
    for (uint32_t i = 0; i < machine->pipe_count; i++) { // those with an address of their own
        const struct ts_ring_config *pipe = &machine->pipes[i];
        uint64_t end = align(pipe->gm + ts_ring_gm_bytes(pipe));
        bool used = ts_ring_path(pipe, machine->profile) == TS_PATH_GM;
        if (pipe->has_gm && used && end < UINT32_MAX && end > gm)
            gm = end;
    }
    machine->gm_bytes = gm;
}
