#include "noc/route.h"

static uint32_t distance(uint32_t from, uint32_t to, uint32_t size)
{
    return to >= from ? to - from : to + size - from;
}

// One axis of a broadcast: a span that may wrap around, seen by packets that come from `source`.
struct axis {
    uint32_t size, start, end, source;
};

static bool wanted(const struct axis *axis, uint32_t at)
{
    return distance(axis->start, at, axis->size) <= distance(axis->start, axis->end, axis->size);
}

// Where packets that come along the axis enter the span.
static uint32_t entry(const struct axis *axis)
{
    return wanted(axis, axis->source) ? axis->source : axis->start;
}

// Distance of the last wanted position from `from`, which is the entry or a position before it.
static uint32_t reach(const struct axis *axis, uint32_t from)
{
    if (wanted(axis, from) && from != axis->start)
        return axis->size - 1; // all the way around to the one before it
    return distance(from, axis->end, axis->size);
}

static void axes(const struct ts_noc_shape *shape, const struct ts_noc_packet *packet,
                 struct axis *major, struct axis *minor)
{
    struct axis x = {shape->width, packet->start.x, packet->to.x, packet->from.x};
    struct axis y = {shape->height, packet->start.y, packet->to.y, packet->from.y};
    *major = packet->y_major ? y : x;
    *minor = packet->y_major ? x : y;
}

// NOC_BRCST_EXCLUDE takes a quadrant out: x in bits 8 to 13, y in 14 to 19, the directions in 20
// and 21.
static bool excluded(uint32_t exclude, struct ts_noc_xy here)
{
    if ((exclude >> 22 & 1) == 0)
        return false;
    uint32_t x = exclude >> 8 & 63, y = exclude >> 14 & 63;
    return (exclude >> 20 & 1 ? here.x >= x : here.x <= x) &&
           (exclude >> 21 & 1 ? here.y >= y : here.y <= y);
}

bool ts_noc_covers(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                   const struct ts_noc_packet *packet)
{
    struct axis major, minor;
    axes(shape, packet, &major, &minor);
    uint32_t m = packet->y_major ? here.y : here.x, n = packet->y_major ? here.x : here.y;
    if (!wanted(&major, m) || !wanted(&minor, n) || excluded(packet->exclude, here))
        return false;
    return packet->source_too || here.x != packet->from.x || here.y != packet->from.y;
}

static uint32_t route_broadcast(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                                const struct ts_noc_packet *packet)
{
    struct axis major, minor;
    axes(shape, packet, &major, &minor);
    uint32_t along = packet->y_major ? 1u << TS_NOC_Y : 1u << TS_NOC_X;
    uint32_t across = packet->y_major ? 1u << TS_NOC_X : 1u << TS_NOC_Y;
    uint32_t m = packet->y_major ? here.y : here.x, n = packet->y_major ? here.x : here.y;
    uint32_t trunk = entry(&major);
    // First along the major axis, in the source's line, until the trunk.
    uint32_t gone = distance(major.source, m, major.size);
    uint32_t to_trunk = distance(major.source, trunk, major.size);
    if (n == minor.source && gone < to_trunk)
        return along;
    uint32_t outputs = 0;
    if (m == trunk && distance(minor.source, n, minor.size) < reach(&minor, minor.source))
        outputs |= across;
    if (wanted(&minor, n) && distance(trunk, m, major.size) < reach(&major, trunk))
        outputs |= along;
    if (ts_noc_covers(shape, here, packet))
        outputs |= 1u << TS_NOC_LOCAL;
    return outputs;
}

uint32_t ts_noc_route(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                      const struct ts_noc_packet *packet)
{
    if (packet->broadcast)
        return route_broadcast(shape, here, packet);
    bool x = here.x != packet->to.x, y = here.y != packet->to.y;
    if (x && (shape->x_first || !y))
        return 1u << TS_NOC_X;
    return y ? 1u << TS_NOC_Y : 1u << TS_NOC_LOCAL;
}

uint32_t ts_noc_route_vc(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                         enum ts_noc_port in, uint32_t vc, enum ts_noc_port out)
{
    uint32_t dateline = in == out ? vc & TS_NOC_VC_DATELINE : 0;
    if ((out == TS_NOC_X && here.x == shape->width - 1) ||
        (out == TS_NOC_Y && here.y == shape->height - 1))
        dateline = TS_NOC_VC_DATELINE;
    return (vc & ~TS_NOC_VC_DATELINE) | dateline;
}

// The lines that leave the trunk up to a position of the minor axis, which is among them.
static uint32_t lines_to(const struct axis *minor, uint32_t to)
{
    uint32_t lines = 0;
    for (uint32_t at = minor->source;; at = (at + 1) % minor->size) {
        lines += wanted(minor, at);
        if (at == to)
            return lines;
    }
}

struct ts_noc_legs ts_noc_legs(const struct ts_noc_shape *shape, const struct ts_noc_packet *packet)
{
    struct axis major, minor;
    axes(shape, packet, &major, &minor);
    uint32_t trunk = entry(&major), along = distance(major.source, trunk, major.size);
    uint32_t across = reach(&minor, minor.source), line = reach(&major, trunk);
    if (across == 0)
        return (struct ts_noc_legs){.trunk = along + line};
    uint32_t last = (minor.source + across) % minor.size;
    return (struct ts_noc_legs){along + across, line ? lines_to(&minor, last) : 0, line};
}

bool ts_noc_line_at(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                    const struct ts_noc_packet *packet, uint32_t *hops, uint32_t *before)
{
    struct axis major, minor;
    axes(shape, packet, &major, &minor);
    uint32_t m = packet->y_major ? here.y : here.x, n = packet->y_major ? here.x : here.y;
    uint32_t trunk = entry(&major);
    if (m != trunk || !wanted(&minor, n))
        return false;
    *hops = distance(major.source, trunk, major.size) + distance(minor.source, n, minor.size);
    *before = lines_to(&minor, n) - 1;
    return true;
}
