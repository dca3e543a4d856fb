#include "platform/chip/workload.h"

#include "platform/base/input.h"
#include "platform/base/json.h"
#include "platform/chip/npe.h"

#define SOURCE_ADDRESS 0x00010000u
#define TARGET_ADDRESS 0x00090000u
#define PACKET_MOST    0x00080000u
#define PACKETS_MOST   1000000
#define CYCLES_MOST    1000000000 // of a workload
#define STAMP_MOST     ((int64_t)1 << 62)

static struct ts_transfer *add(struct ts_workload *self)
{
    if (!TS_GROW(self->transfers, self->count, self->room))
        return NULL;
    struct ts_transfer *transfer = &self->transfers[self->count];
    *transfer = (struct ts_transfer){.packets = 1, .vc = -1, .order = self->count};
    self->count++;
    return transfer;
}

// --- reading: the first error stays and ends it ---

struct reader {
    const char *path;
    const struct ts_soc *soc;
    struct ts_error *error;
    size_t index; // of the transfer or event
};

// What a number may be; coordinates and all that is not here: 0 to 255.
static const struct bounds {
    const char *key;
    int64_t low, high;
} bounds[] = {
    {"packet_size", 1, PACKET_MOST},
    {"num_packets", 1, PACKETS_MOST},
    {"num_bytes", 0, PACKET_MOST},
    {"phase_cycle_offset", 0, CYCLES_MOST},
    {"timestamp", 0, STAMP_MOST},
    {"vc", -1, 15},
    {NULL, 0, 255},
};

static int64_t whole(const json_t *number)
{
    return json_is_integer(number) ? json_integer_value(number) : (int64_t)json_real_value(number);
}

// The state of a trace of events so far.
struct trace {
    int64_t start;    // the first time stamp
    int64_t device;   // whose events are run; -1: the trace does not name devices
    json_t *core;     // the last event
    json_t *state[2]; // the events that set where reads and writes go; NULL: none
};

static int64_t integer(struct reader *self, json_t *object, const char *key, int64_t otherwise,
                       bool required)
{
    json_t *value = json_object_get(object, key);
    if (value == NULL && !required)
        return otherwise;
    if (!json_is_number(value)) {
        ts_fail(self->error, TS_SETUP, "%s: transfer %zu: '%s' is %s", self->path, self->index, key,
                value ? "not a number" : "missing");
        return otherwise;
    }
    const struct bounds *row = bounds;
    while (row->key && strcmp(row->key, key) != 0)
        row++;
    double number = json_number_value(value);
    if (!(number >= (double)row->low && number <= (double)row->high)) {
        ts_fail(self->error, TS_SETUP, "%s: transfer %zu: '%s' is %g: %lld to %lld is allowed",
                self->path, self->index, key, number, (long long)row->low, (long long)row->high);
        return otherwise;
    }
    return whole(value);
}

static struct ts_noc_xy place(struct reader *self, json_t *object, const char *x_key,
                              const char *y_key)
{
    int64_t x = integer(self, object, x_key, 0, true), y = integer(self, object, y_key, 0, true);
    struct ts_noc_xy tile = {(uint8_t)x, (uint8_t)y};
    bool raw = x >= 0 && y >= 0 && x < self->soc->width && y < self->soc->height;
    if (!raw && (x < 0 || y < 0 || x > 31 || y > 31 ||
                 !ts_soc_raw(self->soc, (uint32_t)x, (uint32_t)y, &tile))) {
        ts_fail(self->error, TS_SETUP, "%s: transfer %zu: %s, %s: %lld-%lld lies outside the grid",
                self->path, self->index, x_key, y_key, (long long)x, (long long)y);
        tile = (struct ts_noc_xy){0}; // what follows looks at the grid
    }
    return tile;
}

static enum ts_noc_node node_at(const struct reader *self, struct ts_noc_xy tile)
{
    return self->soc->node[tile.y][tile.x];
}

static unsigned read_noc(struct reader *self, json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    if (name && (strcmp(name, "NOC_0") == 0 || strcmp(name, "NOC0") == 0))
        return 0;
    if (name && (strcmp(name, "NOC_1") == 0 || strcmp(name, "NOC1") == 0))
        return 1;
    ts_fail(self->error, TS_SETUP, "%s: transfer %zu: '%s' is '%s', not NOC_0 or NOC_1", self->path,
            self->index, key, name ? name : "missing");
    return 0;
}

static void check(struct reader *self, const struct ts_transfer *transfer)
{
    if (transfer->at > CYCLES_MOST)
        ts_fail(self->error, TS_SETUP,
                "%s: transfer %zu: starts %llu cycles after the first; at most %d", self->path,
                self->index, (unsigned long long)transfer->at, CYCLES_MOST);
    if (transfer->packet < 1 || transfer->packet > PACKET_MOST)
        ts_fail(self->error, TS_SETUP, "%s: transfer %zu: packets of %u bytes; 1 to %u", self->path,
                self->index, transfer->packet, PACKET_MOST);
    if (node_at(self, transfer->by) != TS_NOC_NODE_TENSIX)
        ts_fail(self->error, TS_SETUP, "%s: transfer %zu: %u-%u (%s) cannot issue requests",
                self->path, self->index, transfer->by.x, transfer->by.y,
                ts_noc_node_name(node_at(self, transfer->by)));
    enum ts_noc_node peer = node_at(self, transfer->peer);
    if (transfer->multicast || peer == TS_NOC_NODE_TENSIX || peer == TS_NOC_NODE_DRAM)
        return;
    bool nothing = peer == TS_NOC_NODE_HARVESTED || peer == TS_NOC_NODE_EMPTY;
    ts_fail(self->error, nothing ? TS_SETUP : TS_NOT_IMPLEMENTED, "%s: transfer %zu: %u-%u is %s%s",
            self->path, self->index, transfer->peer.x, transfer->peer.y, ts_noc_node_name(peer),
            nothing ? "" : ": not implemented");
}

// The corners, upper left and lower right. On NoC 1 the start is the lower right one.
static void read_rectangle(struct reader *self, json_t *object, struct ts_transfer *transfer)
{
    struct ts_noc_xy start = place(self, object, "mcast_start_x", "mcast_start_y"),
                     end = place(self, object, "mcast_end_x", "mcast_end_y");
    bool swapped = transfer->noc == 1 && (start.x > end.x || start.y > end.y);
    transfer->start = swapped ? end : start;
    transfer->end = swapped ? start : end;
    if (transfer->start.x > transfer->end.x || transfer->start.y > transfer->end.y)
        ts_fail(self->error, TS_SETUP,
                "%s: transfer %zu: the rectangle from %u-%u to %u-%u is inverted; NoC %u counts "
                "from the %s corner",
                self->path, self->index, start.x, start.y, end.x, end.y, transfer->noc,
                transfer->noc ? "lower right" : "upper left");
}

static void read_transfer(struct ts_workload *work, struct reader *self, json_t *object)
{
    struct ts_transfer *transfer = add(work);
    if (transfer == NULL) {
        ts_fail(self->error, TS_SETUP, "%s: no memory for its transfers", self->path);
        return;
    }
    const char *type = json_string_value(json_object_get(object, "noc_event_type"));
    struct ts_noc_xy from = place(self, object, "src_x", "src_y");
    transfer->packet = (uint32_t)integer(self, object, "packet_size", 0, true);
    transfer->packets = (uint32_t)integer(self, object, "num_packets", 1, true);
    transfer->at = (ts_cycle)integer(self, object, "phase_cycle_offset", 0, false);
    transfer->noc = read_noc(self, object, "noc_type");
    transfer->multicast = json_object_get(object, "dst_x") == NULL;
    transfer->kind = TS_NOC_WRITE;
    transfer->by = from;
    if (transfer->multicast) {
        read_rectangle(self, object, transfer);
    } else {
        struct ts_noc_xy to = place(self, object, "dst_x", "dst_y");
        bool read = (type && strncmp(type, "READ", 4) == 0) ||
                    node_at(self, from) != TS_NOC_NODE_TENSIX;
        transfer->kind = read ? TS_NOC_READ : TS_NOC_WRITE;
        transfer->by = read ? to : from;
        transfer->peer = read ? from : to;
    }
    check(self, transfer);
}

static void leave_out(struct ts_workload *work, const char *what, const char *why)
{
    char name[sizeof work->left_out[0].name];
    snprintf(name, sizeof name, "%s%s", what, why);
    size_t i = 0;
    while (i < work->left_out_count && strcmp(work->left_out[i].name, name) != 0)
        i++;
    if (i == sizeof work->left_out / sizeof *work->left_out)
        snprintf(work->left_out[--i].name, sizeof name, "others");
    else if (i == work->left_out_count)
        memcpy(work->left_out[work->left_out_count++].name, name, sizeof name);
    work->left_out[i].count++;
}

// A trace of several devices: the one that comes first is run.
static bool of_other_device(struct trace *self, json_t *object)
{
    json_t *from = json_object_get(object, "src_device_id"),
           *to = json_object_get(object, "dst_device_id");
    if (json_is_integer(from) && self->device == -1)
        self->device = json_integer_value(from);
    return (json_is_integer(from) && json_integer_value(from) != self->device) ||
           (json_is_integer(from) && json_is_integer(to) &&
            json_integer_value(to) != json_integer_value(from));
}

// The events of a core are consecutive: a new core has no state yet.
static void follow_core(struct trace *self, json_t *object)
{
    static const char *const keys[] = {"sx", "sy", "proc"};
    bool same = self->core != NULL;
    for (int i = 0; i < 3 && same; i++)
        same = json_equal(json_object_get(self->core, keys[i]), json_object_get(object, keys[i]));
    if (!same)
        self->state[0] = self->state[1] = NULL;
    self->core = object;
}

static bool has_place(json_t *object, const char *x_key)
{
    json_t *x = json_object_get(object, x_key);
    return x && !(json_is_integer(x) && json_integer_value(x) == -1);
}

// Adds the request of an event. Where it goes, and how long it is, is in `where`: the event
// itself, or the one that set the state.
static void add_event(struct ts_workload *work, struct reader *self, json_t *object, json_t *where,
                      const struct ts_npe_type *type, int64_t start)
{
    bool multicast = has_place(where, "mcast_start_x");
    if (!multicast && !has_place(where, "dx")) {
        leave_out(work, type->name, " without destination");
        return;
    }
    int64_t bytes = 4;
    if (type->kind != TS_NOC_ATOMIC) {
        bytes = integer(self, where, "num_bytes", 0, false);
        bytes = bytes ? bytes : integer(self, object, "num_bytes", 0, false);
    }
    if (bytes == 0) {
        leave_out(work, type->name, " without num_bytes");
        return;
    }
    struct ts_transfer *transfer = add(work);
    if (transfer == NULL) {
        ts_fail(self->error, TS_SETUP, "%s: no memory for its events", self->path);
        return;
    }
    transfer->kind = type->kind;
    transfer->by = place(self, object, "sx", "sy");
    transfer->noc = read_noc(self, object, "noc");
    transfer->packet = (uint32_t)bytes;
    transfer->at = (ts_cycle)(integer(self, object, "timestamp", 0, true) - start);
    transfer->vc = (int)integer(self, object, "vc", -1, false);
    transfer->multicast = multicast;
    if (multicast)
        read_rectangle(self, where, transfer);
    else
        transfer->peer = place(self, where, "dx", "dy");
    check(self, transfer);
}

static void read_event(struct ts_workload *work, struct reader *self, struct trace *trace,
                       json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "type"));
    if (name == NULL)
        return; // a zone
    const struct ts_npe_type *type = ts_npe_type_find(name);
    follow_core(trace, object);
    json_t **state = &trace->state[type->kind == TS_NOC_WRITE];
    if (type->role == TS_NPE_NOTHING)
        return;
    if (type->role == TS_NPE_LEFT_OUT)
        leave_out(work, name, "");
    else if (of_other_device(trace, object))
        leave_out(work, name, " of another device");
    else if (type->role == TS_NPE_SET_STATE)
        *state = object;
    else if (type->role == TS_NPE_WITH_STATE && *state)
        add_event(work, self, object, *state, type, trace->start);
    else
        add_event(work, self, object, object, type, trace->start);
}

static void read_trace(struct ts_workload *work, struct reader *self, json_t *root)
{
    struct trace trace = {.start = INT64_MAX, .device = -1};
    size_t index;
    json_t *event;
    json_array_foreach(root, index, event)
    {
        json_t *stamp = json_object_get(event, "timestamp");
        double number = json_number_value(stamp);
        if (json_is_number(stamp) && number >= 0 && number <= (double)STAMP_MOST &&
            whole(stamp) < trace.start)
            trace.start = whole(stamp);
    }
    json_array_foreach(root, index, event)
    {
        self->index = index;
        if (self->error->code == TS_OK)
            read_event(work, self, &trace, event);
    }
}

static void read_phases(struct ts_workload *work, struct reader *self, json_t *root)
{
    json_t *phases = json_object_get(root, "phases"), *phase, *transfer;
    if (!json_is_array(phases)) {
        ts_fail(self->error, TS_SETUP, "%s: neither a list of events nor an object with 'phases'",
                self->path);
        return;
    }
    work->golden = ts_json_number(json_object_get(root, "golden_result"), "cycles");
    size_t i, j;
    json_array_foreach(phases, i, phase)
    {
        json_array_foreach(json_object_get(phase, "transfers"), j, transfer)
        {
            if (self->error->code == TS_OK)
                read_transfer(work, self, transfer);
            self->index++;
        }
    }
}

static int by_issuer(const void *left, const void *right)
{
    const struct ts_transfer *a = left, *b = right;
    uint32_t ka = (uint32_t)a->by.y << 16 | (uint32_t)a->by.x << 8 | a->noc;
    uint32_t kb = (uint32_t)b->by.y << 16 | (uint32_t)b->by.x << 8 | b->noc;
    return TS_COMPARE(ka, kb) ?: TS_COMPARE(a->at, b->at) ?: TS_COMPARE(a->order, b->order);
}

enum ts_code ts_workload_load(struct ts_workload *self, const char *path, const struct ts_soc *soc,
                              struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    json_error_t where;
    errno = 0;
    where.line = 0;
    FILE *file = ts_open_input(path, error);
    json_t *root = file ? json_loadf(file, 0, &where) : NULL;
    if (file)
        fclose(file);
    if (root == NULL)
        return where.line > 0 ? ts_fail(error, TS_SETUP, "%s:%d:%d: %s", path, where.line,
                                        where.column, where.text)
                              : ts_fail(error, TS_SETUP, "%s: %s", path, strerror(errno));
    struct reader reader = {path, soc, error, 0};
    char text[128];
    if (ts_npe_is_wormhole(root, soc, text, sizeof text))
        ts_fail(error, TS_SETUP, "%s: a Wormhole workload (%s): --chip galaxy-wh, n150 or n300",
                path, text);
    else if (json_is_array(root))
        read_trace(self, &reader, root);
    else
        read_phases(self, &reader, root);
    json_decref(root);
    if (error->code == TS_OK && self->count == 0)
        ts_fail(error, TS_SETUP, "%s: it has no transfer that one chip can run", path);
    if (error->code == TS_OK)
        qsort(self->transfers, self->count, sizeof *self->transfers, by_issuer);
    return error->code;
}

// --- driving ---

// Where a tile's DRAM begins, for workers: at the bank whose endpoint it is.
static uint64_t dram_base(const struct ts_chip *chip, unsigned noc, struct ts_noc_xy tile)
{
    for (uint32_t bank = 0; bank < chip->soc.banks; bank++) {
        const struct ts_noc_xy at = ts_soc_worker_endpoint(&chip->soc, bank, noc);
        if (at.x == tile.x && at.y == tile.y)
            return bank % chip->soc.parts * chip->dram[0].part_bytes;
    }
    return 0;
}

static struct ts_traffic_op op_of(const struct ts_chip *chip, const struct ts_transfer *transfer)
{
    struct ts_traffic_op op;
    uint64_t peer = chip->soc.node[transfer->peer.y][transfer->peer.x] == TS_NOC_NODE_DRAM
                        ? dram_base(chip, transfer->noc, transfer->peer)
                        : TARGET_ADDRESS;
    if (transfer->multicast) {
        op = ts_traffic_multicast(chip, transfer->noc, transfer->by, transfer->start, transfer->end,
                                  SOURCE_ADDRESS, TARGET_ADDRESS, transfer->packet,
                                  TS_NOC_CTRL_PATH_RESERVE);
    } else if (transfer->kind == TS_NOC_READ) {
        op = ts_traffic_read(chip, transfer->noc, transfer->by, transfer->peer, peer,
                             TARGET_ADDRESS, transfer->packet);
    } else if (transfer->kind == TS_NOC_ATOMIC) {
        op = ts_traffic_increment(chip, transfer->noc, transfer->by, transfer->peer, 0x100, 0x200,
                                  1, false);
    } else {
        op = ts_traffic_write(chip, transfer->noc, transfer->by, transfer->peer, SOURCE_ADDRESS,
                              peer, transfer->packet,
                              transfer->vc >= 0 && transfer->vc < 4 ? transfer->vc : -1, false);
    }
    op.at = transfer->at;
    op.count = transfer->packets;
    return op;
}

enum ts_code ts_workload_drive(struct ts_workload *self, struct ts_chip *chip, uint32_t gap,
                               struct ts_error *error)
{
    size_t drivers = 0;
    for (size_t i = 0; i < self->count; i++)
        drivers += i == 0 ||
                   memcmp(&self->transfers[i].by, &self->transfers[i - 1].by,
                          sizeof self->transfers[i].by) ||
                   self->transfers[i].noc != self->transfers[i - 1].noc;
    self->drivers = calloc(drivers, sizeof *self->drivers);
    self->ops = calloc(self->count + drivers, sizeof *self->ops);
    if (self->drivers == NULL || self->ops == NULL)
        return ts_fail(error, TS_NO_MEMORY, "no memory for %zu transfers", self->count);
    struct ts_traffic_op *ops = self->ops;
    for (size_t i = 0; i < self->count;) {
        const struct ts_transfer *first = &self->transfers[i];
        size_t n = 0;
        while (i < self->count &&
               memcmp(&self->transfers[i].by, &first->by, sizeof first->by) == 0 &&
               self->transfers[i].noc == first->noc) {
            ops[n] = op_of(chip, &self->transfers[i++]);
            ops[n++].gap = gap;
        }
        ops[n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER, .noc = first->noc};
        struct ts_traffic *driver = &self->drivers[self->driver_count++];
        ts_traffic_init(driver, chip, first->by, ops, n);
        driver->proc = first->noc == 0 ? 0 : 4;
        ops += n;
    }
    return TS_OK;
}

void ts_workload_free(struct ts_workload *self)
{
    free(self->transfers);
    free(self->drivers);
    free(self->ops);
    memset(self, 0, sizeof *self);
}

uint64_t ts_workload_bytes(const struct ts_workload *self, const struct ts_chip *chip)
{
    const uint32_t most = chip->soc.machine->noc_packet;
    uint64_t bytes = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_transfer *transfer = &self->transfers[i];
        uint64_t size = (uint64_t)transfer->packet * transfer->packets;
        if (transfer->kind == TS_NOC_ATOMIC)
            continue;
        if (transfer->multicast) {
            uint32_t packets = (transfer->packet + most - 1) / most;
            size *= op_of(chip, transfer).answers / packets;
        }
        bytes += size;
    }
    return bytes;
}
