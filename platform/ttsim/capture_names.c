// The ELF files of kernels: names for reports of the card, and for runs of a captured file (capture.h).
#include "platform/tile/names.h"
#include "platform/ttsim/capture_parts.h"

// The end of a path, as text of YAML in quotes.
static void describe(struct ts_piece *self, const char *path)
{
    const size_t length = strlen(path), most = sizeof self->is - 1;
    snprintf(self->is, sizeof self->is, "%s", path + (length > most ? length - most : 0));
    for (char *at = self->is; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            *at = '_';
}

// Tiles that have the same kernel at the same address share its piece.
static bool add_file(struct ts_capture *self, struct ts_piece *piece, const char *path,
                     struct ts_error *error)
{
    for (size_t i = 0; i < self->elf.count; i++) {
        struct ts_piece like = self->elf.piece[i];
        if (like.at != piece->at || strcmp(like.is, piece->is) != 0)
            continue;
        like.order = piece->order;
        ts_pieces_copy(&self->elf, &(struct ts_pieces){.piece = &like, .count = 1});
        return true;
    }
    struct ts_tile_program program;
    if (!ts_elf_cache_program(self->elf_cache, path, (uint32_t)piece->at, &program))
        return ts_refuse(error, TS_SETUP, "%.400s: cannot be read any more", path);
    piece->length = (uint32_t)program.length;
    return ts_pieces_add(&self->elf, self->folder, piece, program.bytes, error);
}

bool ts_capture_names(struct ts_capture *self, const struct ts_capture_tile *tile,
                      struct ts_error *error)
{
    const uint8_t *l1 = tile->tile->l1.bytes;
    struct ts_metal_message message;
    bool good = true;
    memcpy(&message, l1 + self->layout->launch, sizeof message);
    for (unsigned p = 0; self->elf_cache && tile->launched && p < TS_ON && good; p++) {
        struct ts_piece piece = {.order = ts_capture_order(self, tile),
                                 .at = (uint64_t)message.config[0] + message.text[p]};
        const bool runs = message.enables >> p & 1 && piece.at < TS_L1_SIZE;
        const char *path = runs ? ts_elf_cache_find(self->elf_cache, p, l1, (uint32_t)piece.at)
                                : NULL;
        self->unnamed += runs && path == NULL;
        if (path == NULL)
            continue;
        describe(&piece, path);
        good = add_file(self, &piece, path, error);
    }
    return good;
}

// --- the card ---

static const struct ts_metal_layout *layout_of(const uint8_t *l1)
{
    const struct ts_metal_layout *at;
    uint32_t jump;
    memcpy(&jump, l1, 4);
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL; i++)
        if (ts_metal_jump(at->firmware[TS_ON_BRISC]) == jump)
            return at;
    return NULL;
}

// Kernels without a file have no names, also if the tile had others before.
void ts_capture_name_kernels(struct ts_elf_cache *cache, struct ts_tile *tile, uint64_t address,
                             uint32_t length)
{
    const uint8_t *l1 = tile->l1.bytes;
    const struct ts_metal_layout *layout = layout_of(l1);
    const uint64_t signal = layout ? layout->go + TS_METAL_SIGNAL : TS_L1_SIZE;
    struct ts_metal_message message;
    if (layout == NULL || address > signal || address + length <= signal ||
        l1[signal] != TS_METAL_GO)
        return;
    memcpy(&message, l1 + layout->launch, sizeof message);
    for (unsigned p = 0; p < TS_ON; p++) {
        struct ts_tile_program *program = &tile->programs[ts_processor_core[p]];
        const uint64_t at = (uint64_t)message.config[0] + message.text[p];
        const char *path = message.enables >> p & 1 && at < TS_L1_SIZE
                               ? ts_elf_cache_find(cache, p, l1, (uint32_t)at)
                               : NULL;
        if (path == NULL || !ts_elf_cache_program(cache, path, (uint32_t)at, program))
            *program = (struct ts_tile_program){0};
    }
}
