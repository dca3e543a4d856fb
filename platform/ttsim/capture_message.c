// What a launch message names: the parts of a configuration (capture.h).
#include "platform/tile/names.h"
#include "platform/ttsim/capture_parts.h"

#define MOST_CUTS (2 + 4 * TS_ON)

// Parts of a configuration, in the order in which tt-metal lays them out.
enum part { END, SEMAPHORES, ARGUMENTS, COMMON, BUFFERS, KERNEL };

static const char *const part_names[] = {"",
                                         "semaphores",
                                         "arguments of ",
                                         "common arguments of ",
                                         "circular buffers: address, bytes, pages, page",
                                         "kernel of "};

struct cut {
    uint32_t at;
    enum part part;
    char is[64];
};

static int by_address(const void *a, const void *b)
{
    const struct cut *left = a, *right = b;
    return TS_COMPARE(left->at, right->at);
}

// Of parts at one address all but the last have no bytes. The threads of a compute kernel share their arguments.
static void cut_at(struct cut *cuts, size_t *count, uint32_t at, enum part part, const char *of)
{
    size_t i = 0;
    while (i < *count && cuts[i].at != at)
        i++;
    size_t used = strlen(cuts[i].is);
    if (i < *count && cuts[i].part > part)
        return;
    if (i < *count && cuts[i].part == part)
        snprintf(cuts[i].is + used, sizeof cuts[i].is - used, ", %s", of);
    else
        snprintf(cuts[i].is, sizeof cuts[i].is, "%s%s", part_names[part], of);
    cuts[i].at = at;
    cuts[i].part = part;
    *count += i == *count;
}

// Where the parts of a configuration begin, in order; the last one is its end.
static size_t cut(const struct ts_capture *self, const struct ts_capture_tile *tile,
                  struct cut *cuts)
{
    struct ts_metal_message message;
    size_t count = 0;
    memset(cuts, 0, (MOST_CUTS + 1) * sizeof *cuts);
    memcpy(&message, tile->tile->l1.bytes + self->layout->launch, sizeof message);
    const uint32_t base = message.config[0];
    if (base < self->layout->config || base >= TS_PROGRAM_FREE)
        return 0;
    cut_at(cuts, &count, base + message.semaphores[0], SEMAPHORES, "");
    cut_at(cuts, &count, base + message.buffers, BUFFERS, "");
    for (unsigned p = 0; p < TS_ON; p++) {
        const uint32_t own = message.arguments[p].own, common = message.arguments[p].common,
                       text = message.text[p];
        if (!(message.enables >> p & 1) || text >= TS_PROGRAM_FREE - base)
            continue;
        cut_at(cuts, &count, base + own, ARGUMENTS, ts_processor_name[p]);
        if (common)
            cut_at(cuts, &count, base + common, COMMON, ts_processor_name[p]);
        cut_at(cuts, &count, base + text, KERNEL, ts_processor_name[p]);
        if (message.text_bytes[p] && message.text_bytes[p] < TS_PROGRAM_FREE - base - text)
            cut_at(cuts, &count, base + text + message.text_bytes[p], END, "");
    }
    qsort(cuts, count, sizeof *cuts, by_address);
    while (count > 0 && cuts[count - 1].at >= TS_PROGRAM_FREE)
        count--;
    cuts[count] = (struct cut){.at = TS_PROGRAM_FREE};
    return count;
}

// The configuration in its parts: short ones with their zeros, so that all words can be seen and changed.
static bool add_config(struct ts_capture *self, struct ts_capture_tile *tile,
                       struct ts_error *error)
{
    const uint8_t *l1 = tile->tile->l1.bytes;
    const uint32_t order = ts_capture_order(self, tile);
    struct cut cuts[MOST_CUTS + 1];
    const size_t count = tile->launched ? cut(self, tile, cuts) : 0;
    const uint32_t first = count ? cuts[0].at : TS_PROGRAM_FREE;
    bool good = ts_pieces_nonzero(&tile->memory, self->folder, order, l1 + self->layout->config,
                                  self->layout->config, first, "", error);
    for (size_t i = 0; i < count && good; i++) {
        struct ts_piece piece = {
            .order = order, .at = cuts[i].at, .length = cuts[i + 1].at - cuts[i].at};
        snprintf(piece.is, sizeof piece.is, "%s", cuts[i].is);
        if (cuts[i].part != KERNEL && piece.length <= TS_PIECE_SHORT)
            good = ts_pieces_add(&tile->memory, self->folder, &piece, l1 + piece.at, error);
        else
            good = ts_pieces_nonzero(&tile->memory, self->folder, order, l1 + piece.at, piece.at,
                                     piece.at + piece.length, piece.is, error);
    }
    return good;
}

// What the host has written below the configuration since the release.
static bool add_low(struct ts_capture *self, struct ts_capture_tile *tile, struct ts_error *error)
{
    const struct ts_metal_layout *layout = self->layout;
    const uint32_t message = layout->launch + (uint32_t)sizeof(struct ts_metal_message);
    for (uint32_t at = 0, next; at < layout->config; at = next) {
        for (next = at; next < layout->config && tile->low[next] == tile->low[at]; next++)
            if (next > at && (next == layout->launch || next == message))
                break;
        struct ts_piece piece = {
            .order = ts_capture_order(self, tile), .at = at, .length = next - at};
        snprintf(piece.is, sizeof piece.is, "%s",
                 at == layout->launch                    ? "launch message"
                 : at <= layout->go && layout->go < next ? "go message"
                                                         : "");
        if (tile->low[at] &&
            !ts_pieces_add(&tile->memory, self->folder, &piece, tile->tile->l1.bytes + at, error))
            return false;
    }
    return true;
}

bool ts_capture_message(struct ts_capture *self, struct ts_capture_tile *tile,
                        struct ts_error *error)
{
    return add_low(self, tile, error) && add_config(self, tile, error);
}
