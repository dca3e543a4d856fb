// The ELF files of captured kernels: names for the runs of the file (capture.h).
#include "platform/load/loader.h"
#include "platform/ttsim/capture_parts.h"

#include <stdlib.h>
#include <string.h>

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
    char full[PATH_MAX];
    size_t length;
    ts_elf_cache_path(self->elf_cache, path, full);
    uint8_t *bytes = ts_read_file(full, &length, error);
    piece->length = (uint32_t)length;
    bool good = bytes && ts_pieces_add(&self->elf, self->folder, piece, bytes, error);
    free(bytes);
    return good;
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
