// The lints of a run, and the bit rules that mattered in it; see hang.h.
#include "noc/dram.h"
#include "platform/base/json.h"
#include "platform/explain/chip.h"
#include "platform/out/text.h"

// Do other tiles report the same from the same instruction? How many after domain i; *first: none before.
static unsigned others(const struct ts_kernel *kernel, size_t i, const struct ts_said *said,
                       bool *first)
{
    unsigned count = 0;
    *first = true;
    for (size_t d = 0; said->pc != TS_NO_PC && d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_tile *tile = ts_hang_tile_of(ts_kernel_domain(kernel, d));
        for (unsigned k = 0; tile && d != i && k < tile->said_count; k++) {
            const struct ts_said *other = &tile->said[k];
            if (other->report != said->report || other->by != said->by || other->pc != said->pc)
                continue;
            *first &= d > i;
            count++;
            break;
        }
    }
    return count;
}

void ts_lint_print(json_t *lint, unsigned more, FILE *file)
{
    json_object_set_new(lint, "more", json_integer(more));
    ts_text_print("lint", lint, true, file);
    json_object_del(lint, "more");
}

// One lint of a tile, as text and as JSON; `more` tiles report it too.
static void tell(const struct ts_tile *tile, const struct ts_said *said, unsigned more, FILE *file,
                 json_t *list)
{
    char at[16], place[220] = "", source[TS_SOURCE] = "";
    const char *pusher = NULL;
    ts_tile_place_name(tile, at, sizeof at);
    int core = said->by < TS_THREADS ? TS_RV_TRISC0 + said->by : said->by - TS_BY_CORE;
    if (said->pc != TS_NO_PC && core >= 0 && core < TS_RV_CORES) {
        struct ts_frames found = ts_symbols_find(tile, (unsigned)core, said->pc);
        ts_frames_text(&found, place, sizeof place);
        ts_frames_source(&found, source, sizeof source);
        pusher = ts_rv_core_names[core];
    }
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:s}", "tile", at, "name",
                            ts_report_id(said->report), "harm", ts_report_harm(said->report),
                            "lint", ts_report_name(said->report), "cycle", (json_int_t)said->cycle,
                            "by", ts_by_name(said->by), "first", said->text, "count",
                            (json_int_t)said->count, "remedy", ts_lint_info[said->report].cure);
    if (pusher) {
        json_object_set_new(row, "core", json_string(pusher));
        json_object_set_new(row, "pc", json_integer(said->pc));
    }
    if (place[0])
        json_object_set_new(row, "place", json_string(place + 1));
    if (source[0])
        json_object_set_new(row, "source", json_string(source));
    if (file)
        ts_lint_print(row, more, file);
    json_array_append_new(list, row);
}

// Requests of both NoCs at one endpoint of DRAM.
static void tell_dram(const struct ts_domain *domain, FILE *file, json_t *list)
{
    const struct ts_lint_info *info = &ts_lint_info[TS_REPORT_DRAM_BOTH_NOCS];
    for (uint32_t i = 0; i < domain->count; i++) {
        const struct ts_noc_niu *niu = ts_noc_niu_of(domain->components[i]);
        const struct ts_dram *dram = niu && niu->noc == 0 ? ts_dram_of(niu) : NULL;
        unsigned endpoint = dram ? niu->port / TS_NOC_COUNT : 0;
        if (dram == NULL || dram->clash[endpoint].count == 0)
            continue;
        char at[16];
        snprintf(at, sizeof at, "%u-%u", niu->here.x, niu->here.y);
        json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:s}", "tile", at, "name",
                                info->id, "harm", ts_lint_harm_name(info->harm), "lint", info->text,
                                "cycle", (json_int_t)dram->clash[endpoint].first, "by",
                                ts_by_name(TS_BY_NOC), "first", "a DRAM endpoint", "count",
                                (json_int_t)dram->clash[endpoint].count, "remedy", info->cure);
        if (file)
            ts_lint_print(row, 0, file);
        json_array_append_new(list, row);
    }
}

// The lints of one harm, of all tiles.
static void tell_all(const struct ts_kernel *kernel, enum ts_lint_harm harm, FILE *file,
                     json_t *list)
{
    for (size_t i = 0; i < ts_kernel_domain_count(kernel); i++) {
        const struct ts_tile *tile = ts_hang_tile_of(ts_kernel_domain(kernel, i));
        if (tile == NULL && harm == ts_lint_info[TS_REPORT_DRAM_BOTH_NOCS].harm)
            tell_dram(ts_kernel_domain(kernel, i), file, list);
        for (unsigned k = 0; tile && k < tile->said_count; k++) {
            bool first;
            if (ts_lint_info[tile->said[k].report].harm != harm)
                continue;
            unsigned more = others(kernel, i, &tile->said[k], &first);
            tell(tile, &tile->said[k], more, first ? file : NULL, list);
        }
    }
}

json_t *ts_lints(const struct ts_kernel *kernel, FILE *file)
{
    json_t *list = json_array();
    for (unsigned harm = 0; harm < TS_LINT_HARMS; harm++)
        tell_all(kernel, (enum ts_lint_harm)harm, file, list);
    return list;
}

json_t *ts_rules_used(const struct ts_kernel *kernel)
{
    json_t *list = json_array();
    for (unsigned rule = 0; rule < TS_BIT_RULES; rule++) {
        uint64_t count = 0;
        bool silicon = false;
        for (size_t i = 0; i < ts_kernel_domain_count(kernel); i++) {
            const struct ts_tile *tile = ts_hang_tile_of(ts_kernel_domain(kernel, i));
            count += tile ? tile->tensix.bits.asked[rule] : 0;
            silicon |= tile && tile->tensix.bits.silicon[rule];
        }
        const struct ts_bit_rule_info *info = &ts_bit_rule_info[rule];
        if (count)
            ts_json_add(list, "{s:s, s:s, s:I, s:s}", "rule", info->name, "bits",
                        ts_bits_names[silicon], "count", (json_int_t)count, "text",
                        silicon ? info->silicon : info->reference);
    }
    return list;
}
