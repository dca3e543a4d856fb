// Commands of gdb and their answers.
#include "platform/gdb/state.h"

#include "cores/riscv/view.h"
#include "platform/kernel/component.h"
#include "platform/kernel/stall.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REGISTERS 33
#define MOST      2048u // bytes of memory in a packet

struct answer {
    char text[TS_GDB_PACKET];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct answer *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(self->text + self->length, sizeof self->text - self->length, format, args);
    va_end(args);
    self->length += more > 0 ? (size_t)more : 0;
    if (self->length >= sizeof self->text)
        self->length = sizeof self->text - 1;
}

static void say_bytes(struct answer *self, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        say(self, "%02x", bytes[i]);
}

static void say_word(struct answer *self, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    say_bytes(self, bytes, 4);
}

// Bytes in hexadecimal; returns how many.
static size_t hex(const char *text, uint8_t *bytes, size_t room)
{
    size_t count = 0;
    unsigned value;
    while (count < room && sscanf(text + 2 * count, "%2x", &value) == 1 && text[2 * count] &&
           text[2 * count + 1])
        bytes[count++] = (uint8_t)value;
    return count;
}

// --- threads: pPROCESS.THREAD, both from 1 on ---

static void say_thread(struct answer *self, uint32_t thread)
{
    say(self, "p%x.%x", thread / TS_RV_CORES + 1, thread + 1);
}

// A thread, or the first one of a process; `otherwise` where any is meant. False: there is none.
static bool parse_thread(const struct ts_gdb *self, const char *text, uint32_t otherwise,
                         uint32_t *thread)
{
    long process = 0, number = 0;
    if (*text == 'p') {
        char *end;
        process = strtol(text + 1, &end, 16);
        number = *end == '.' ? strtol(end + 1, NULL, 16) : -1;
    } else {
        number = strtol(text, NULL, 16);
    }
    if (number > 0)
        *thread = (uint32_t)number - 1;
    else if (process > 0)
        *thread = otherwise / TS_RV_CORES == (uint32_t)process - 1
                      ? otherwise
                      : ((uint32_t)process - 1) * TS_RV_CORES;
    else
        *thread = otherwise;
    return *thread < ts_gdb_threads(&self->machine);
}

const char *ts_gdb_stop(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch,
                        char *text, size_t size)
{
    struct ts_gdb_shared *shared = self->shared;
    struct answer answer = {.length = 0};
    shared->general = shared->control = thread;
    say(&answer, "T05");
    if (watch)
        say(&answer, "watch:%x;", watch->address);
    if (shared->begin)
        say(&answer, "replaylog:begin;");
    shared->begin = false;
    say(&answer, "thread:");
    say_thread(&answer, thread);
    say(&answer, ";");
    snprintf(text, size, "%s", answer.text);
    return text;
}

// --- documents ---

static void features(struct answer *self)
{
    say(self, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
              "<architecture>riscv:rv32</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">");
    for (unsigned i = 0; i < REGISTERS - 1; i++)
        say(self, "<reg name=\"x%u\" bitsize=\"32\" type=\"int\" regnum=\"%u\"/>", i, i);
    say(self,
        "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/></feature></target>");
}

static void memory_map(struct answer *self)
{
    say(self,
        "<?xml version=\"1.0\"?><memory-map>"
        "<memory type=\"ram\" start=\"0x0\" length=\"0x%x\"/>"
        "<memory type=\"ram\" start=\"0x%x\" length=\"0x%x\"/></memory-map>",
        TS_L1_SIZE, TS_RV_LOCAL_BASE, 0u - TS_RV_LOCAL_BASE);
}

// OFFSET,LENGTH of a document.
static void say_part(struct answer *self, const char *document, const char *range)
{
    unsigned long offset = 0, length = 0;
    sscanf(range, "%lx,%lx", &offset, &length);
    size_t all = strlen(document);
    offset = offset < all ? offset : all;
    length = length < TS_GDB_PACKET - 2 ? length : TS_GDB_PACKET - 2;
    size_t part = all - offset < length ? all - offset : length;
    say(self, "%c%.*s", offset + part < all ? 'm' : 'l', (int)part, document + offset);
}

static void say_document(struct ts_gdb *self, struct answer *answer, const char *name,
                         const char *range)
{
    static struct answer document;
    document.length = 0;
    document.text[0] = '\0';
    if (strncmp(name, "features:", 9) == 0)
        features(&document);
    else if (strncmp(name, "memory-map:", 11) == 0)
        memory_map(&document);
    else
        return;
    (void)self;
    say_part(answer, document.text, range);
}

static void query(struct ts_gdb *self, struct answer *answer, const char *packet)
{
    struct ts_gdb_shared *shared = self->shared;
    char name[64];
    uint32_t thread;
    if (strncmp(packet, "qSupported", 10) == 0) {
        say(answer,
            "PacketSize=%x;QStartNoAckMode+;multiprocess+;vContSupported+;qXfer:features:read+;"
            "qXfer:memory-map:read+;ReverseStep+;ReverseContinue+",
            TS_GDB_PACKET / 2);
    } else if (strncmp(packet, "qXfer:", 6) == 0) {
        const char *range = strrchr(packet, ':');
        if (strstr(packet, ":read:"))
            say_document(self, answer, packet + 6, range + 1);
    } else if (strcmp(packet, "qC") == 0) {
        say(answer, "QC");
        say_thread(answer, shared->general);
    } else if (strncmp(packet, "qAttached", 9) == 0) {
        say(answer, "1");
    } else if (strcmp(packet, "qfThreadInfo") == 0) {
        for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++) {
            say(answer, i ? "," : "m");
            say_thread(answer, i);
        }
    } else if (strcmp(packet, "qsThreadInfo") == 0) {
        say(answer, "l");
    } else if (strncmp(packet, "qThreadExtraInfo,", 17) == 0 &&
               parse_thread(self, packet + 17, 0, &thread)) {
        ts_gdb_thread_name(&self->machine, thread, name, sizeof name);
        say_bytes(answer, (const uint8_t *)name, strlen(name));
    } else if (strcmp(packet, "QStartNoAckMode") == 0) {
        say(answer, "OK");
    }
}

// --- monitor ---

static void why(const struct ts_gdb *self, struct answer *text)
{
    const uint32_t first = self->shared->general / TS_RV_CORES * TS_RV_CORES;
    for (uint32_t i = first; i < first + TS_RV_CORES; i++) {
        char name[64];
        const struct ts_rv_core *core = ts_gdb_core(&self->machine, i);
        const struct ts_rv_view view = ts_rv_core_view(core);
        say(text, "%-14s pc 0x%x, %" PRIu64 " instructions, %s",
            ts_gdb_thread_name(&self->machine, i, name, sizeof name),
            ts_gdb_place(&self->machine, i).pc, ts_gdb_place(&self->machine, i).done,
            view.held       ? "in reset"
            : view.paused   ? "at an ebreak"
            : view.spinning ? "has ended"
            : view.waits    ? "waits for a load"
            : view.blocked  ? "a store of it waits"
                            : "runs");
        if (view.waits)
            say(text, " of 0x%x", view.address);
        say(text, "\n");
    }
}

// True: the machine goes on.
static bool monitor(struct ts_gdb *self, struct answer *answer, const char *packet)
{
    struct ts_gdb_shared *shared = self->shared;
    uint8_t command[256] = "";
    struct answer text = {.length = 0};
    unsigned long long cycle;
    command[hex(packet, command, sizeof command - 1)] = '\0';
    const char *words = (const char *)command;
    if (strcmp(words, "cycle") == 0) {
        say(&text, "%llu\n", (unsigned long long)self->now);
    } else if (strcmp(words, "why") == 0) {
        why(self, &text);
    } else if (sscanf(words, "goto %llu", &cycle) == 1) {
        shared->quiet = true;
        shared->watch = NULL;
        shared->goal = (struct ts_gdb_moment){cycle, UINT32_MAX, 0};
        if (cycle <= self->now)
            ts_gdb_go(self, shared->goal);
        shared->task = TS_GDB_TO;
        return true;
    } else {
        say(&text,
            "cycle: the cycle; why: what the cores of this tile do; goto CYCLE: there, back or "
            "forth (then `maint flush register-cache')\n");
    }
    say_bytes(answer, (const uint8_t *)text.text, text.length);
    return false;
}

// --- registers, memory, points ---

static void set_register(struct ts_gdb *self, struct answer *answer, uint32_t number,
                         const char *value)
{
    uint8_t bytes[4];
    struct ts_rv_core *core = ts_gdb_core(&self->machine, self->shared->general);
    if (number >= REGISTERS - 1 || hex(value, bytes, 4) != 4) {
        say(answer, "E01"); // the pc: the pipeline has begun with it
        return;
    }
    uint32_t word;
    memcpy(&word, bytes, 4);
    if (number)
        core->r[number] = word;
    ts_travel_forget(self->travel, self->now);
    say(answer, "OK");
}

static void read_memory(struct ts_gdb *self, struct answer *answer, const char *packet)
{
    unsigned address, length;
    uint8_t bytes[MOST];
    if (sscanf(packet, "m%x,%x", &address, &length) != 2)
        return;
    length = length < MOST ? length : MOST;
    if (ts_gdb_read(&self->machine, self->shared->general, address, bytes, length))
        say_bytes(answer, bytes, length);
    else
        say(answer, "E14");
}

static void write_memory(struct ts_gdb *self, struct answer *answer, const char *packet,
                         const char *end)
{
    unsigned address, length;
    int at = 0;
    uint8_t bytes[TS_GDB_PACKET];
    if (sscanf(packet + 1, "%x,%x:%n", &address, &length, &at) != 2 || at == 0)
        return;
    const char *data = packet + 1 + at;
    size_t count = *packet == 'M' ? hex(data, bytes, sizeof bytes) : (size_t)(end - data);
    if (*packet == 'X')
        memcpy(bytes, data, count);
    bool good = count == length &&
                (count == 0 || ts_gdb_write(&self->machine, self->shared->general, address, bytes,
                                            length, self->now));
    if (good && count)
        ts_travel_forget(self->travel, self->now);
    say(answer, good ? "OK" : "E14");
}

static void set_point(struct ts_gdb *self, struct answer *answer, const char *packet)
{
    struct ts_gdb_points *points = &self->shared->points;
    unsigned kind, address, length;
    if (sscanf(packet + 1, "%u,%x,%x", &kind, &address, &length) != 3 || kind > 2)
        return; // loads are not watched
    struct ts_gdb_point point = {self->shared->general, address, length, kind == 2};
    uint32_t i = 0;
    while (i < points->count &&
           !(points->point[i].watch == point.watch && points->point[i].address == address &&
             points->point[i].thread / TS_RV_CORES == point.thread / TS_RV_CORES))
        i++;
    if (*packet == 'Z' && i == points->count) {
        if (i == TS_GDB_POINTS || (point.watch && (length == 0 || length > TS_GDB_WATCH))) {
            say(answer, "E0e");
            return;
        }
        points->point[points->count++] = point;
        points->changes++;
    } else if (*packet == 'z' && i < points->count) {
        points->point[i] = points->point[--points->count];
        points->changes++;
    }
    ts_gdb_watch(&self->machine, points); // what they hold now
    say(answer, "OK");
}

// --- going on ---

static bool go_on(struct ts_gdb *self, char how, uint32_t thread)
{
    struct ts_gdb_shared *shared = self->shared;
    uint32_t stepping;
    shared->task = how == 's' || how == 'S' ? TS_GDB_STEP : TS_GDB_RUN;
    if (shared->task == TS_GDB_RUN && ts_gdb_steps(&self->machine, &shared->points, &stepping)) {
        shared->task = TS_GDB_STEP;
        thread = stepping;
    }
    shared->goal = (struct ts_gdb_moment){TS_NEVER, thread,
                                          ts_gdb_place(&self->machine, thread).done};
    return true;
}

static bool go_on_packet(struct ts_gdb *self, const char *packet)
{
    // vCont;ACTION[:THREAD];...: a step of the first one that steps, else all go on.
    uint32_t thread = self->shared->control;
    for (const char *part = strchr(packet, ';'); part; part = strchr(part + 1, ';')) {
        const char *colon = strchr(part, ':');
        if (part[1] != 's' && part[1] != 'S')
            continue;
        if (colon)
            parse_thread(self, colon + 1, thread, &thread);
        return go_on(self, 's', thread);
    }
    return go_on(self, 'c', thread);
}

static _Noreturn void go_back(struct ts_gdb *self, char how)
{
    struct ts_gdb_shared *shared = self->shared;
    shared->watch = NULL;
    shared->back = how == 's' ? shared->control : UINT32_MAX;
    if (how == 's') {
        shared->general = shared->control;
        shared->back_done = ts_gdb_place(&self->machine, shared->control).done;
    }
    ts_gdb_search(self, ts_gdb_here(self));
}

static _Noreturn void end_run(struct ts_gdb *self)
{
    ts_gdb_send(&self->shared->wire, "OK", 2);
    ts_travel_end(self->travel);
    _exit(TS_OK);
}

// True: the machine goes on.
static bool handle(struct ts_gdb *self, const char *packet, const char *end, struct answer *answer)
{
    struct ts_gdb_shared *shared = self->shared;
    char text[256];
    uint32_t thread, *chosen;
    switch (*packet) {
    case '?':
        say(answer, "%s", ts_gdb_stop(self, shared->general, NULL, text, sizeof text));
        return false;
    case 'q':
        if (strncmp(packet, "qRcmd,", 6) == 0)
            return monitor(self, answer, packet + 6);
        query(self, answer, packet);
        return false;
    case 'Q':
        query(self, answer, packet);
        return false;
    case 'H':
        chosen = packet[1] == 'g' ? &shared->general : &shared->control;
        if (parse_thread(self, packet + 2, *chosen, &thread))
            *chosen = thread;
        say(answer, thread == *chosen ? "OK" : "E01");
        return false;
    case 'T':
        say(answer, parse_thread(self, packet + 1, 0, &thread) ? "OK" : "E01");
        return false;
    case 'g': {
        const struct ts_rv_view view = ts_rv_core_view(
            ts_gdb_core(&self->machine, shared->general));
        for (unsigned i = 0; i < REGISTERS - 1; i++)
            say_word(answer, i ? view.x[i] : 0);
        say_word(answer, ts_gdb_place(&self->machine, shared->general).pc);
        return false;
    }
    case 'p': {
        const struct ts_rv_view view = ts_rv_core_view(
            ts_gdb_core(&self->machine, shared->general));
        unsigned long number = strtoul(packet + 1, NULL, 16);
        if (number == REGISTERS - 1)
            say_word(answer, ts_gdb_place(&self->machine, shared->general).pc);
        else if (number < REGISTERS)
            say_word(answer, number ? view.x[number] : 0);
        else
            say(answer, "E01");
        return false;
    }
    case 'P': {
        const char *equal = strchr(packet, '=');
        if (equal)
            set_register(self, answer, (uint32_t)strtoul(packet + 1, NULL, 16), equal + 1);
        return false;
    }
    case 'm':
        read_memory(self, answer, packet);
        return false;
    case 'M':
    case 'X':
        write_memory(self, answer, packet, end);
        return false;
    case 'Z':
    case 'z':
        set_point(self, answer, packet);
        return false;
    case 'v':
        if (strcmp(packet, "vCont?") == 0)
            say(answer, "vCont;c;C;s;S");
        if (strncmp(packet, "vKill;", 6) == 0)
            end_run(self);
        return strncmp(packet, "vCont;", 6) == 0 && go_on_packet(self, packet);
    case 'c':
    case 's':
        return go_on(self, *packet, shared->control);
    case 'b':
        go_back(self, packet[1]);
    case 'D':
        say(answer, "OK");
        shared->task = TS_GDB_FREE;
        return true;
    case 'k':
        end_run(self);
    default:
        return false;
    }
}

void ts_gdb_serve(struct ts_gdb *self, const char *reply)
{
    struct ts_gdb_shared *shared = self->shared;
    static char packet[TS_GDB_PACKET];
    static struct answer answer;
    if (reply[0])
        ts_gdb_send(&shared->wire, reply, strlen(reply));
    for (;;) {
        int length = ts_gdb_receive(&shared->wire, packet);
        if (length < 0) { // gdb has gone: the run goes on without it
            shared->task = TS_GDB_FREE;
            return;
        }
        if (length == 0) // it has stopped already
            continue;
        answer.length = 0;
        answer.text[0] = '\0';
        bool on = handle(self, packet, packet + length - 1, &answer);
        if (!on || shared->task == TS_GDB_FREE)
            ts_gdb_send(&shared->wire, answer.text, answer.length);
        if (strcmp(packet, "QStartNoAckMode") == 0)
            shared->wire.no_ack = true;
        if (on)
            return;
    }
}
