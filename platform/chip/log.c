// The trace of NoC requests in tt-npe's form: a flat array, by tile, then by processor and time.
//
// Source: tt-npe's trace format as its readers take it: proc, noc, vc, sx, sy,
// dx, dy or mcast_*, num_bytes, type (READ, WRITE_, SEMAPHORE_INC, ...), timestamp.
#include "platform/chip/chip.h"

static const char *const procs[] = {"BRISC", "TRISC_0", "TRISC_1", "TRISC_2", "NCRISC", "HOST"};

struct row {
    const struct ts_noc_event *event;
    struct ts_noc_xy tile;
    unsigned noc;
    size_t order;
};

void ts_chip_log(struct ts_chip *self)
{
    for (uint32_t i = 0; i < (uint32_t)self->soc.width * self->soc.height; i++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            if (self->torus.sites[i].niu[noc].log == NULL)
                self->torus.sites[i].niu[noc].log = calloc(1, sizeof(struct ts_noc_log));
}

static int compare(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    return TS_COMPARE(a->tile.x, b->tile.x) ?: TS_COMPARE(a->tile.y, b->tile.y)
                                              ?: TS_COMPARE(a->event->proc, b->event->proc)
                                              ?: TS_COMPARE(a->event->cycle, b->event->cycle)
                                              ?: TS_COMPARE(a->noc, b->noc)
                                              ?: TS_COMPARE(a->order, b->order);
}

static const char *type_of(const struct ts_noc_event *event)
{
    bool broadcast = event->ctrl & TS_NOC_CTRL_BRCST;
    switch (event->ctrl & TS_NOC_CTRL_TYPE) {
    case TS_NOC_READ:
        return "READ";
    case TS_NOC_ATOMIC:
        return "SEMAPHORE_INC";
    default:
        if (event->ctrl & TS_NOC_CTRL_WR_INLINE)
            return "WRITE_INLINE";
        return broadcast ? "WRITE_MULTICAST" : "WRITE_";
    }
}

static json_t *event_json(const struct row *row)
{
    const struct ts_noc_event *event = row->event;
    unsigned proc = event->proc < sizeof procs / sizeof *procs ? event->proc : 5;
    json_t *json = json_pack("{s:s, s:s, s:i, s:i, s:i, s:I, s:s, s:I}", "proc", procs[proc], "noc",
                             row->noc ? "NOC_1" : "NOC_0", "vc", event->vc, "sx", row->tile.x, "sy",
                             row->tile.y, "num_bytes", (json_int_t)event->length, "type",
                             type_of(event), "timestamp", (json_int_t)event->cycle);
    if (event->ctrl & TS_NOC_CTRL_BRCST) {
        json_object_set_new(json, "mcast_start_x", json_integer(event->start.x));
        json_object_set_new(json, "mcast_start_y", json_integer(event->start.y));
        json_object_set_new(json, "mcast_end_x", json_integer(event->to.x));
        json_object_set_new(json, "mcast_end_y", json_integer(event->to.y));
    } else {
        json_object_set_new(json, "dx", json_integer(event->to.x));
        json_object_set_new(json, "dy", json_integer(event->to.y));
    }
    return json;
}

json_t *ts_chip_log_json(const struct ts_chip *self)
{
    size_t count = 0, next = 0;
    uint32_t sites = (uint32_t)self->soc.width * self->soc.height;
    for (uint32_t i = 0; i < sites; i++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            if (self->torus.sites[i].niu[noc].log)
                count += self->torus.sites[i].niu[noc].log->count;
    json_t *events = json_array();
    struct row *rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        return events;
    for (uint32_t i = 0; i < sites; i++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
            const struct ts_noc_log *log = self->torus.sites[i].niu[noc].log;
            struct ts_noc_xy tile = {(uint8_t)(i % self->soc.width),
                                     (uint8_t)(i / self->soc.width)};
            for (size_t j = 0; log && j < log->count; j++, next++)
                rows[next] = (struct row){&log->events[j], tile, noc, next};
        }
    qsort(rows, count, sizeof *rows, compare);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(events, event_json(&rows[i]));
    free(rows);
    return events;
}
