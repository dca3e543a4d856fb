// Pipes of a program's file: TPipe and TMPipe declarations.
#include "platform/study/pipe/loader.h"

enum { GM_MOST = 1 << 28 }; // a program's own addresses: every cluster has as much memory

// A TMPipe's tile given by its shape: {loc, type, rows, cols}.
static void inline_end(struct ts_loader *self, struct ts_yaml_node node, struct ts_tile_decl *tile)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_END
#include "config/pipe_keys.def"
        NULL};
    struct ts_load_place place = {.loader = self, .map = node};
    ts_yaml_only(node, "", keys);
#define KEYS_END
#include "config/pipe_keys.def"
}

// A TMPipe's direction follows from its type and the places of its tiles.
static void load_tmpipe(struct ts_loader *self, const struct ts_load_place place,
                        struct ts_ring_config *pipe)
{
    // The document calls one Vector core V2C2_VECS, the headers V1C1_VEC0.
    static const char *const ratios[] = {"v1c1_vec0", "v1c1_vec1", "v2c1_vecs", "v2c2_vecs", NULL};
    struct ts_machine *machine = &self->program->machine;
#define KEYS_TMPIPE
#include "config/pipe_keys.def"
    pipe->ratio %= 3;
    const struct ts_tile_decl *end[2] = {0};
    struct ts_tile_decl shape[2] = {0};
    static const char *const keys[] = {"prod", "cons"};
    for (int i = 0; i < 2; i++) {
        struct ts_yaml_node node = ts_yaml_find(place.map, keys[i]);
        bool map = node.node && ts_yaml_is_map(node);
        const char *tile = map ? "" : ts_load_text(&place, keys[i], "");
        if (i == 1 && pipe->fifo == TS_CTRL_FIFO) {
            if (end[0]->mem == TS_MEM_UB)
                pipe->direction = TS_DIR_V2C_CTRL;
            pipe->slot_size = pipe->element = TS_CTRL_BYTES;
            pipe->tile_type = end[0]->type;
            pipe->prod_rows = end[0]->rows;
            pipe->prod_cols = end[0]->cols;
            return; // the consumer is a variable
        }
        int id = ts_pipe_find_tile(machine, tile);
        if (map) {
            inline_end(self, node, &shape[i]);
            end[i] = &shape[i];
            continue;
        }
        if (id < 0) {
            ts_yaml_error(ts_load_where(&place, keys[i]), "%s: no tile is called '%s'", keys[i],
                          tile);
            return;
        }
        end[i] = &machine->tiles[id];
    }
    pipe->prod_rows = end[0]->rows;
    pipe->prod_cols = end[0]->cols;
    pipe->cons_rows = end[1]->rows;
    pipe->cons_cols = end[1]->cols;
    pipe->element = ts_dtype_bytes(end[0]->type);
    pipe->tile_type = end[0]->type;
    bool a5 = machine->profile == TS_PROFILE_A5;
    bool c2v = end[0]->mem == TS_MEM_L0C && end[1]->mem == TS_MEM_UB;
    bool v2c = end[0]->mem == TS_MEM_UB && end[1]->mem == TS_MEM_L1;
    if (pipe->fifo == TS_GM_FIFO && c2v)
        pipe->direction = a5 ? TS_DIR_C2V_GM : TS_DIR_C2V;
    else if (pipe->fifo == TS_GM_FIFO && v2c)
        pipe->direction = a5 ? TS_DIR_V2C_GM : TS_DIR_V2C;
    else if (pipe->fifo == TS_VEC_FIFO && c2v && a5)
        pipe->direction = TS_DIR_C2V;
    else if (pipe->fifo == TS_MAT_FIFO && v2c && a5)
        pipe->direction = TS_DIR_V2C;
    // Slot sizes follow from the shapes (3.7).
    uint32_t prod = pipe->prod_rows * pipe->prod_cols * pipe->element,
             cons = pipe->cons_rows * pipe->cons_cols * pipe->element;
    if (pipe->fifo == TS_GM_FIFO)
        pipe->slot_size =
            c2v ? (pipe->cons_cols > pipe->prod_cols ? pipe->cons_cols / pipe->prod_cols : 1) * prod
                : (pipe->prod_cols > pipe->cons_cols ? pipe->prod_cols / pipe->cons_cols : 1) *
                      cons;
    else
        pipe->slot_size = cons;
}

void ts_load_pipe(struct ts_loader *self, struct ts_yaml_node node)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_PIPE
#define KEYS_TPIPE
#define KEYS_TMPIPE
#include "config/pipe_keys.def"
        NULL};
    static const char *const kinds[] = {"tpipe", "tmpipe", NULL};
    static const char *const strides[] = {"slot", "tile", NULL};
    struct ts_machine *machine = &self->program->machine;
    struct ts_load_place place = ts_load_element(self, "pipes", node, keys);
    struct ts_load_place top = {.loader = self, .map = ts_yaml_root(&self->yaml)};
    struct ts_ring_config *pipe = &machine->pipes[machine->pipe_count++];
    ts_load_name(&place, pipe->name, sizeof pipe->name);
    pipe->line = (uint32_t)ts_yaml_line(node);
    pipe->published = self->published;
    pipe->tmpipe = ts_load_choice(&place, "kind", kinds, 0);
    // The profile's headers of today: A on A2/A3, B on A5, but A is what works there too; TMPipe is
    // always D.
    int variant = ts_load_choice(&top, "variant", ts_variant_names, TS_VARIANT_A);
    if (pipe->tmpipe && variant != TS_VARIANT_F)
        variant = TS_VARIANT_D;
#define KEYS_PIPE
#include "config/pipe_keys.def"
    if (pipe->tmpipe) {
        load_tmpipe(self, place, pipe);
        return;
    }
#define KEYS_TPIPE
#include "config/pipe_keys.def"
}
