// Pieces of memory in files and in YAML (capture.h).
#include "platform/base/hash.h"
#include "platform/out/file.h"
#include "platform/ttsim/capture.h"

#include <inttypes.h>
#include <unistd.h>

#define GRANULE 16u
#define GAP     256u // zeros that do not part two pieces
#define LONGEST (4u << 20)

// --- making ---

static uint64_t hash_of(const uint8_t *bytes, uint32_t length)
{
    uint64_t hash = ts_hash_word(TS_HASH_START, length), word;
    uint32_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&word, bytes + i, 8);
        hash = ts_hash_word(hash, word);
    }
    return ts_hash_bytes(hash, bytes + i, length - i);
}

bool ts_pieces_add(struct ts_pieces *self, const char *folder, const struct ts_piece *piece,
                   const uint8_t *bytes, struct ts_error *error)
{
    char path[PATH_MAX];
    if (!TS_GROW(self->piece, self->count, self->room))
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    struct ts_piece *to = &self->piece[self->count];
    *to = *piece;
    to->hash = hash_of(bytes, piece->length);
    to->bytes = NULL;
    if (piece->length <= TS_PIECE_SHORT) {
        to->bytes = malloc(piece->length);
        if (to->bytes == NULL)
            return ts_refuse(error, TS_NO_MEMORY, "out of memory");
        memcpy(to->bytes, bytes, piece->length);
    } else {
        snprintf(path, sizeof path, "%.4000s/bytes/%016" PRIx64 ".bin", folder, to->hash);
        if (access(path, F_OK) != 0 && !ts_file_bytes(path, bytes, piece->length, error))
            return false;
    }
    self->count++;
    return true;
}

bool ts_pieces_store(const char *folder, const uint8_t *bytes, uint32_t length, FILE *file,
                     struct ts_error *error)
{
    char path[PATH_MAX];
    const uint64_t hash = hash_of(bytes, length);
    snprintf(path, sizeof path, "%.4000s/bytes/%016" PRIx64 ".bin", folder, hash);
    fprintf(file, ", file: bytes/%016" PRIx64 ".bin", hash);
    return access(path, F_OK) == 0 || ts_file_bytes(path, bytes, length, error);
}

static bool is_zero(const uint8_t *bytes, uint64_t length)
{
    return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

bool ts_pieces_nonzero(struct ts_pieces *self, const char *folder, uint32_t order,
                       const uint8_t *of, uint64_t first, uint64_t end, const char *is,
                       struct ts_error *error)
{
    const uint8_t *bytes = of - first; // by address
    uint64_t at = first;
    while (at < end) {
        uint64_t step = end - at < 4096 ? end - at : 4096;
        if (is_zero(bytes + at, step)) {
            at += step;
            continue;
        }
        while (is_zero(bytes + at, end - at < GRANULE ? end - at : GRANULE))
            at += GRANULE;
        uint64_t last = at; // behind the last granule that is not 0
        for (uint64_t next = at; next < end && next - last < GAP && next - at < LONGEST;
             next += GRANULE) {
            uint64_t size = end - next < GRANULE ? end - next : GRANULE;
            if (!is_zero(bytes + next, size))
                last = next + size;
        }
        struct ts_piece piece = {.order = order, .at = at, .length = (uint32_t)(last - at)};
        snprintf(piece.is, sizeof piece.is, "%s", is);
        if (!ts_pieces_add(self, folder, &piece, bytes + at, error))
            return false;
        at = last;
    }
    return true;
}

void ts_pieces_clear(struct ts_pieces *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->piece[i].bytes);
    free(self->piece);
    *self = (struct ts_pieces){0};
}

void ts_pieces_copy(struct ts_pieces *self, const struct ts_pieces *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct ts_piece copy = from->piece[i];
        if (copy.bytes) {
            copy.bytes = malloc(copy.length);
            if (copy.bytes)
                memcpy(copy.bytes, from->piece[i].bytes, copy.length);
        }
        if ((from->piece[i].bytes && copy.bytes == NULL) ||
            !TS_GROW(self->piece, self->count, self->room)) {
            free(copy.bytes);
            return;
        }
        self->piece[self->count++] = copy;
    }
}

// --- writing ---

// Equal ones side by side: DRAM by channel, then tiles by address.
static int compare(const struct ts_piece *a, const struct ts_piece *b)
{
    uint32_t left = a->order < TS_PIECE_TILE ? a->order : TS_PIECE_TILE,
             right = b->order < TS_PIECE_TILE ? b->order : TS_PIECE_TILE;
    return TS_COMPARE(left, right) ?: TS_COMPARE(a->at, b->at)
                                     ?: TS_COMPARE(a->length, b->length)
                                     ?: TS_COMPARE(a->hash, b->hash)
                                     ?: strcmp(a->is, b->is);
}

static int by_place(const void *a, const void *b)
{
    const struct ts_piece *left = a, *right = b;
    return compare(left, right) ?: TS_COMPARE(left->order, right->order);
}

static void print_numbers(const struct ts_piece *self, FILE *file)
{
    const bool words = self->at % 4 == 0 && self->length % 4 == 0;
    const uint32_t size = words ? 4 : 1;
    fprintf(file, ", %s: [", words ? "words" : "bytes");
    for (uint32_t i = 0; i < self->length; i += size) {
        uint32_t value = 0;
        memcpy(&value, self->bytes + i, size);
        fprintf(file, "%s0x%x", i ? ", " : "", value);
    }
    fputc(']', file);
}

void ts_pieces_print(struct ts_pieces *self, const char *key, FILE *file,
                     void (*name)(const void *context, uint32_t order, FILE *file),
                     const void *context)
{
    if (self->count)
        qsort(self->piece, self->count, sizeof *self->piece, by_place);
    fprintf(file, "    %s:%s\n", key, self->count ? "" : " []");
    for (size_t i = 0, next; i < self->count; i = next) {
        const struct ts_piece *piece = &self->piece[i];
        fputs(piece->order < TS_PIECE_TILE ? "        - {" : "        - {tiles: [", file);
        for (next = i; next < self->count && compare(piece, &self->piece[next]) == 0; next++) {
            if (piece->order < TS_PIECE_TILE) {
                fprintf(file, "dram: %u", piece->order);
                continue;
            }
            fputs(next > i ? ", " : "", file);
            name(context, self->piece[next].order - TS_PIECE_TILE, file);
        }
        fprintf(file, "%s, at: 0x%" PRIx64, piece->order < TS_PIECE_TILE ? "" : "]", piece->at);
        if (piece->is[0])
            fprintf(file, ", is: \"%s\"", piece->is);
        if (piece->bytes)
            print_numbers(piece, file);
        else
            fprintf(file, ", file: bytes/%016" PRIx64 ".bin", piece->hash);
        fputs("}\n", file);
    }
}
