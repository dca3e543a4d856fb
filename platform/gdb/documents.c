// Documents that gdb reads (qXfer).
#include "platform/gdb/commands.h"

static void memory_map(FILE *file)
{
    fprintf(file,
            "<?xml version=\"1.0\"?><memory-map>"
            "<memory type=\"ram\" start=\"0x0\" length=\"0x%x\"/>"
            "<memory type=\"ram\" start=\"0x%x\" length=\"0x%x\"/></memory-map>",
            TS_L1_SIZE, TS_RV_LOCAL_BASE, 0u - TS_RV_LOCAL_BASE);
}

// `info os processes`: every tile, or all of them as one.
static void processes(const struct ts_gdb *self, FILE *file)
{
    const uint32_t tiles = self->machine.tile_count, each = self->shared->one ? tiles : 1;
    fputs("<?xml version=\"1.0\"?><osdata type=\"processes\">", file);
    for (uint32_t i = 0; i < tiles; i += each) {
        const struct ts_tile *tile = self->machine.tiles[i];
        fprintf(file,
                "<item><column name=\"pid\">%u</column><column name=\"user\">tensim</column>"
                "<column name=\"command\">",
                i + 1);
        if (self->shared->one)
            fprintf(file, "%u tiles", tiles);
        else
            fprintf(file, "tile %u-%u of chip %u", tile->x, tile->y, tile->chip);
        fprintf(file, "</column><column name=\"cores\">%u</column></item>", each * TS_RV_CORES);
    }
    fputs("</osdata>", file);
}

// `info os`: what there is.
static void tables(FILE *file)
{
    fputs("<?xml version=\"1.0\"?><osdata type=\"types\"><item>"
          "<column name=\"Type\">processes</column>"
          "<column name=\"Description\">tiles</column>"
          "<column name=\"Title\">Processes</column></item></osdata>",
          file);
}

void ts_gdb_say_document(const struct ts_gdb *self, struct ts_gdb_answer *answer, const char *name,
                         const char *range)
{
    char *text = NULL;
    size_t all = 0;
    unsigned long offset = 0, length = 0;
    FILE *file = open_memstream(&text, &all);
    if (file == NULL)
        return;
    if (strncmp(name, "features:", 9) == 0)
        ts_gdb_features(file);
    else if (strncmp(name, "memory-map:", 11) == 0)
        memory_map(file);
    else if (strncmp(name, "osdata:read:processes:", 22) == 0)
        processes(self, file);
    else if (strncmp(name, "osdata:read::", 13) == 0)
        tables(file);
    fclose(file);
    if (all && sscanf(range, "%lx,%lx", &offset, &length) == 2) {
        offset = offset < all ? offset : all;
        length = length < TS_GDB_PACKET / 2 ? length : TS_GDB_PACKET / 2;
        const size_t part = all - offset < length ? all - offset : length;
        ts_gdb_say(answer, "%c%.*s", offset + part < all ? 'm' : 'l', (int)part, text + offset);
    }
    free(text);
}
