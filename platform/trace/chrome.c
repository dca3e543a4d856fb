#include "platform/trace/chrome.h"

#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BUFFER (64u * 1024)
#define LEVEL  3 // of compression: the writer thread must keep up with the simulation

struct chrome {
    struct ts_trace_writer base;
    gzFile file;
    const struct ts_object **objects; // by id
    struct ts_chrome_options options;
    int error;
    size_t used;
    bool first;
    char buffer[BUFFER];
};

static void flush(struct chrome *self)
{
    if (self->used && gzwrite(self->file, self->buffer, (unsigned)self->used) == 0 &&
        self->error == 0)
        self->error = errno ? errno : EIO;
    self->used = 0;
}

static void put_bytes(struct chrome *self, const char *text, size_t length)
{
    if (self->used + length > BUFFER)
        flush(self);
    memcpy(self->buffer + self->used, text, length);
    self->used += length;
}

static void put(struct chrome *self, const char *text)
{
    put_bytes(self, text, strlen(text));
}

static void put_number(struct chrome *self, uint64_t value)
{
    char digits[20];
    size_t next = sizeof digits;
    do
        digits[--next] = (char)('0' + value % 10);
    while (value /= 10);
    put_bytes(self, digits + next, sizeof digits - next);
}

static void put_escaped(struct chrome *self, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put_bytes(self, "\\", 1);
        put_bytes(self, (unsigned char)*text < ' ' ? " " : text, 1);
    }
}

static void put_string(struct chrome *self, const char *text, const char *suffix)
{
    put(self, "\"");
    put_escaped(self, text);
    put_escaped(self, suffix);
    put(self, "\"");
}

// Microseconds with six decimals, in integers: the same bytes on every host.
static void put_time(struct chrome *self, ts_cycle cycles)
{
    uint64_t mhz = self->options.clock_mhz;
    uint64_t fraction = cycles % mhz * 1000000 / mhz;
    put_number(self, cycles / mhz);
    char digits[] = ".000000";
    for (int i = 6; i >= 1; i--, fraction /= 10)
        digits[i] = (char)('0' + fraction % 10);
    put_bytes(self, digits, 7);
}

// Lanes: a component works on an odd number and stalls on the even one after it.
static uint32_t lane(const struct ts_object *object, bool stall)
{
    const struct ts_component *c = ts_object_component(object);
    return c ? 2 * c->index + 1 + stall : 0;
}

static void begin(struct chrome *self, const char *phase, const struct ts_object *object,
                  uint32_t tid)
{
    put(self, self->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    self->first = false;
    put(self, phase);
    put(self, "\",\"pid\":");
    put_number(self, object->domain->index + 1);
    put(self, ",\"tid\":");
    put_number(self, tid);
}

static void put_span(struct chrome *self, const struct ts_record *record)
{
    put(self, ",\"ts\":");
    put_time(self, record->cycle);
    put(self, ",\"dur\":");
    put_time(self, record->value);
}

static const char *short_name(const struct ts_object *object)
{
    size_t length = strlen(object->domain->object.path);
    return object == &object->domain->object ? object->path : object->path + length + 1;
}

static void write_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct chrome *self = (struct chrome *)base;
    const struct ts_object *emitter = self->objects[record->emitter];
    bool lasts = record->kind != TS_RECORD_COUNT && record->kind != TS_RECORD_MARK;
    ts_cycle end = lasts ? record->cycle + record->value : record->cycle + 1;
    if (end <= self->options.from || record->cycle >= self->options.to)
        return;
    switch ((enum ts_record_kind)record->kind) {
    case TS_RECORD_BUSY:
    case TS_RECORD_SLICE:
        begin(self, "X", emitter, lane(emitter, false));
        put_span(self, record);
        put(self, ",\"name\":");
        put_string(self, record->label ? record->label : "busy", "");
        break;
    case TS_RECORD_STALL:
        begin(self, "X", emitter, lane(emitter, true));
        put_span(self, record);
        put(self, ",\"name\":");
        put_string(self, ts_stall_name((enum ts_stall)record->reason), "");
        break;
    case TS_RECORD_COUNT:
        begin(self, "C", emitter, 0);
        put(self, ",\"ts\":");
        put_time(self, record->cycle);
        put(self, ",\"name\":");
        put_string(self, short_name(emitter), "");
        put(self, ",\"args\":{\"level\":");
        put_number(self, record->value);
        put(self, "}}");
        return;
    case TS_RECORD_MARK:
        begin(self, "i", emitter, lane(emitter, false));
        put(self, ",\"s\":\"t\",\"ts\":");
        put_time(self, record->cycle);
        put(self, ",\"name\":");
        put_string(self, record->label ? record->label : "mark", "");
        break;
    }
    put(self, ",\"args\":{\"cycle\":");
    put_number(self, record->cycle);
    if (record->kind == TS_RECORD_MARK) {
        put(self, ",\"value\":");
        put_number(self, record->value);
    }
    if (record->other) {
        put(self, ",\"object\":");
        put_string(self, self->objects[record->other - 1]->path, "");
    }
    put(self, "}}");
}

static void put_name(struct chrome *self, const struct ts_object *object, const char *what,
                     uint32_t tid, const char *name, const char *suffix)
{
    begin(self, "M", object, tid);
    put(self, ",\"name\":\"");
    put(self, what);
    put(self, "\",\"args\":{\"name\":");
    put_string(self, name, suffix);
    put(self, "}}");
    begin(self, "M", object, tid);
    put(self, ",\"name\":\"");
    put(self, strcmp(what, "process_name") == 0 ? "process_sort_index" : "thread_sort_index");
    put(self, "\",\"args\":{\"sort_index\":");
    put_number(self, tid ? tid : object->domain->index);
    put(self, "}}");
}

static int close_file(struct ts_trace_writer *base)
{
    struct chrome *self = (struct chrome *)base;
    put(self, "\n]}\n");
    flush(self);
    int result = gzclose(self->file);
    if (self->error == 0 && result != Z_OK)
        self->error = result == Z_ERRNO ? errno : EIO;
    int error = self->error;
    free(self->objects);
    free(self);
    return error;
}

struct ts_trace_writer *ts_chrome_open(const struct ts_kernel *kernel,
                                       const struct ts_chrome_options *options,
                                       struct ts_error *error)
{
    struct chrome *self = calloc(1, sizeof *self);
    size_t count = 0;
    for (const struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next)
        count++;
    const struct ts_object **objects = calloc(count + 1, sizeof *objects);
    char mode[4] = {'w', 'b', '0' + LEVEL, 0};
    gzFile file = self && objects ? gzopen(options->path, mode) : NULL;
    if (file == NULL) {
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", options->path, strerror(errno));
        free(objects);
        free(self);
        return NULL;
    }
    gzbuffer(file, BUFFER);
    self->base.record = write_record;
    self->base.close = close_file;
    self->file = file;
    self->objects = objects;
    self->options = *options;
    self->first = true;
    put(self,
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"schema\":\"tensim.trace\",\"version\":1,"
        "\"clock_mhz\":");
    put_number(self, options->clock_mhz);
    put(self, "},\"traceEvents\":[");
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        objects[object->id] = object;
        const struct ts_component *c = ts_object_component(object);
        if (c) {
            put_name(self, object, "thread_name", lane(object, false), short_name(object), "");
            put_name(self, object, "thread_name", lane(object, true), short_name(object), " stall");
        } else if (object == &object->domain->object) {
            put_name(self, object, "process_name", 0, object->path, "");
        }
    }
    flush(self); // the first write allocates: not while the model runs
    return &self->base;
}
