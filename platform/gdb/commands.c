// Packets of gdb and their answers.
#include "platform/gdb/commands.h"

#include <unistd.h>

#define MOST   2048u // bytes of memory in a packet
#define LISTED 400u  // threads in a packet

const char *ts_gdb_stop(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch,
                        char *text, size_t size)
{
    static const char *const names[] = {
        [TS_GDB_WRITE] = "watch", [TS_GDB_READ] = "rwatch", [TS_GDB_ACCESS] = "awatch"};
    struct ts_gdb_shared *shared = self->shared;
    static struct ts_gdb_answer answer;
    answer.length = 0;
    if (!self->alone.on)
        shared->general = shared->control = thread;
    ts_gdb_say(&answer, "T05");
    if (watch)
        ts_gdb_say(&answer, "%s:%x;", names[watch->kind], watch->address);
    if (shared->begin)
        ts_gdb_say(&answer, "replaylog:begin;");
    shared->begin = false;
    ts_gdb_say(&answer, "thread:");
    ts_gdb_say_thread(self, &answer, thread);
    ts_gdb_say(&answer, ";");
    snprintf(text, size, "%.250s", answer.text);
    return text;
}

// --- questions ---

static void list_threads(struct ts_gdb *self, struct ts_gdb_answer *answer)
{
    const uint32_t threads = ts_gdb_threads(&self->machine);
    if (self->listed == threads)
        ts_gdb_say(answer, "l");
    for (uint32_t i = 0; i < LISTED && self->listed < threads; i++, self->listed++) {
        ts_gdb_say(answer, i ? "," : "m");
        ts_gdb_say_thread(self, answer, self->listed);
    }
}

static void query(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet)
{
    struct ts_gdb_shared *shared = self->shared;
    char name[64];
    uint32_t thread;
    if (strncmp(packet, "qSupported", 10) == 0) {
        ts_gdb_say(answer,
                   "PacketSize=%x;QStartNoAckMode+;QNonStop+;multiprocess+;vContSupported+;"
                   "qXfer:features:read+;qXfer:memory-map:read+;qXfer:osdata:read+;ReverseStep+;"
                   "ReverseContinue+",
                   TS_GDB_PACKET / 2);
    } else if (strncmp(packet, "qXfer:", 6) == 0) {
        if (strstr(packet, ":read:"))
            ts_gdb_say_document(self, answer, packet + 6, strrchr(packet, ':') + 1);
    } else if (strcmp(packet, "qC") == 0) {
        ts_gdb_say(answer, "QC");
        ts_gdb_say_thread(self, answer, shared->general);
    } else if (strncmp(packet, "qAttached", 9) == 0) {
        ts_gdb_say(answer, "1");
    } else if (strcmp(packet, "qfThreadInfo") == 0) {
        self->listed = 0;
        list_threads(self, answer);
    } else if (strcmp(packet, "qsThreadInfo") == 0) {
        list_threads(self, answer);
    } else if (strncmp(packet, "qThreadExtraInfo,", 17) == 0 &&
               ts_gdb_parse_thread(self, packet + 17, 0, &thread)) {
        ts_gdb_thread_name(&self->machine, thread, name, sizeof name);
        ts_gdb_say_bytes(answer, name, strlen(name));
    } else if (strcmp(packet, "QStartNoAckMode") == 0) {
        ts_gdb_say(answer, "OK");
    } else if (strncmp(packet, "QNonStop:", 9) == 0) {
        // Only at the beginning: what stands still later does so in the middle of a cycle.
        const bool wanted = packet[9] == '1', first = self->machine.inside_thread == UINT32_MAX;
        const bool good = wanted == self->alone.on || (wanted && first && ts_gdb_alone_begin(self));
        ts_gdb_say(answer, good ? "OK" : "E01");
    }
}

// --- memory, points ---

static void read_memory(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet)
{
    unsigned address, length;
    uint8_t bytes[MOST];
    if (sscanf(packet, "m%x,%x", &address, &length) != 2)
        return;
    length = length < MOST ? length : MOST;
    if (ts_gdb_read(&self->machine, self->shared->general, address, bytes, length))
        ts_gdb_say_bytes(answer, bytes, length);
    else
        ts_gdb_say(answer, "E14");
}

static void write_memory(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet,
                         const char *end)
{
    unsigned address, length;
    int at = 0;
    uint8_t bytes[TS_GDB_PACKET];
    if (sscanf(packet + 1, "%x,%x:%n", &address, &length, &at) != 2 || at == 0)
        return;
    const char *data = packet + 1 + at;
    size_t count = *packet == 'M' ? ts_gdb_hex(data, bytes, sizeof bytes) : (size_t)(end - data);
    if (*packet == 'X')
        memcpy(bytes, data, count);
    bool good = count == length &&
                (count == 0 || ts_gdb_write(&self->machine, self->shared->general, address, bytes,
                                            length, self->now));
    if (good && count)
        ts_travel_forget(self->travel, self->now);
    ts_gdb_say(answer, good ? "OK" : "E14");
}

static void set_point(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet)
{
    static const enum ts_gdb_point_kind kinds[] = {TS_GDB_BREAK, TS_GDB_BREAK, TS_GDB_WRITE,
                                                   TS_GDB_READ, TS_GDB_ACCESS};
    struct ts_gdb_points *points = &self->shared->points;
    unsigned kind, address, length;
    if (sscanf(packet + 1, "%u,%x,%x", &kind, &address, &length) != 3 ||
        kind >= sizeof kinds / sizeof *kinds)
        return;
    struct ts_gdb_point point = {self->shared->general, address, length, kinds[kind]};
    uint32_t i = 0;
    while (i < points->count &&
           !(points->point[i].kind == point.kind && points->point[i].address == address &&
             points->point[i].thread / TS_RV_CORES == point.thread / TS_RV_CORES))
        i++;
    if (*packet == 'Z' && i == points->count) {
        if (i == TS_GDB_POINTS ||
            (point.kind != TS_GDB_BREAK && (length == 0 || length > TS_GDB_WATCH))) {
            ts_gdb_say(answer, "E0e");
            return;
        }
        points->point[points->count++] = point;
        points->changes++;
    } else if (*packet == 'z' && i < points->count) {
        points->point[i] = points->point[--points->count];
        points->changes++;
    }
    ts_gdb_watch(&self->machine, points); // what they hold now
    ts_gdb_say(answer, "OK");
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

// vCont;ACTION[:THREAD];... in non-stop: the first action that names a thread is for it.
static bool go_on_alone(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet)
{
    const uint32_t threads = ts_gdb_threads(&self->machine);
    bool on = false;
    for (uint32_t i = 0; i < threads; i++)
        for (const char *part = strchr(packet, ';'); part; part = strchr(part + 1, ';')) {
            const char *colon = strchr(part, ':'), *next = strchr(part + 1, ';');
            uint32_t from = 0, to = threads;
            if (colon && (next == NULL || colon < next) &&
                !ts_gdb_parse_threads(self, colon + 1, &from, &to))
                continue;
            if (i < from || i >= to)
                continue;
            const char how = part[1] | 32;
            if (how == 't') {
                ts_gdb_stop_alone(self, i, NULL);
            } else {
                on |= self->alone.stopped[i];
                ts_gdb_continue_alone(
                    self, i,
                    how == 's' || ts_gdb_thread_steps(&self->machine, &self->shared->points, i));
            }
            break;
        }
    self->shared->task = TS_GDB_RUN;
    ts_gdb_say(answer, "OK");
    return on;
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
            ts_gdb_parse_thread(self, colon + 1, thread, &thread);
        return thread < ts_gdb_threads(&self->machine) && go_on(self, 's', thread);
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

// Which threads stand: in non-stop all of them, one after the other.
static void say_stop(struct ts_gdb *self, struct ts_gdb_answer *answer)
{
    char text[256];
    uint32_t thread = self->shared->general;
    if (self->alone.on) {
        memcpy(self->alone.waits, self->alone.stopped, ts_gdb_threads(&self->machine));
        if (!ts_gdb_next_stop(self, text, sizeof text))
            snprintf(text, sizeof text, "OK");
        ts_gdb_say(answer, "%s", text);
        return;
    }
    ts_gdb_say(answer, "%s", ts_gdb_stop(self, thread, NULL, text, sizeof text));
}

// True: the machine goes on.
static bool handle_v(struct ts_gdb *self, const char *packet, struct ts_gdb_answer *answer)
{
    char text[256];
    uint32_t thread;
    if (strcmp(packet, "vCont?") == 0) {
        ts_gdb_say(answer, "vCont;c;C;s;S;t");
    } else if (strncmp(packet, "vCont;", 6) == 0) {
        return self->alone.on ? go_on_alone(self, answer, packet) : go_on_packet(self, packet);
    } else if (strncmp(packet, "vKill;", 6) == 0) {
        end_run(self);
    } else if (strncmp(packet, "vAttach;", 8) == 0) { // they are all attached
        snprintf(text, sizeof text, "p%.8s.0", packet + 8);
        if (!ts_gdb_parse_thread(self, text, 0, &thread))
            ts_gdb_say(answer, "E01");
        else if (self->alone.on)
            ts_gdb_say(answer, "OK");
        else
            ts_gdb_say(answer, "%s", ts_gdb_stop(self, thread, NULL, text, sizeof text));
    } else if (strcmp(packet, "vStopped") == 0 && self->alone.on) {
        if (!ts_gdb_next_stop(self, text, sizeof text)) {
            self->alone.told = false;
            snprintf(text, sizeof text, "OK");
        }
        ts_gdb_say(answer, "%s", text);
    } else if (strcmp(packet, "vCtrlC") == 0 && self->alone.on) {
        ts_gdb_stop_alone(self, self->shared->general, NULL);
        ts_gdb_say(answer, "OK");
    }
    return false;
}

// True: the machine goes on.
static bool handle(struct ts_gdb *self, const char *packet, const char *end,
                   struct ts_gdb_answer *answer)
{
    struct ts_gdb_shared *shared = self->shared;
    const char *equal;
    uint32_t thread, *chosen;
    switch (*packet) {
    case '!':
        ts_gdb_say(answer, "OK");
        return false;
    case '?':
        say_stop(self, answer);
        return false;
    case 'q':
        if (strncmp(packet, "qRcmd,", 6) == 0)
            return ts_gdb_monitor(self, answer, packet + 6);
        query(self, answer, packet);
        return false;
    case 'Q':
        query(self, answer, packet);
        return false;
    case 'H':
        chosen = packet[1] == 'g' ? &shared->general : &shared->control;
        // Any: the one that the user has chosen. A step backwards names none.
        if (ts_gdb_parse_thread(self, packet + 2, shared->general, &thread))
            *chosen = thread;
        ts_gdb_say(answer, thread == *chosen ? "OK" : "E01");
        return false;
    case 'T':
        ts_gdb_say(answer, ts_gdb_parse_thread(self, packet + 1, 0, &thread) ? "OK" : "E01");
        return false;
    case 'g':
        ts_gdb_say_registers(self, answer);
        return false;
    case 'p':
        ts_gdb_say_register(self, answer, strtoul(packet + 1, NULL, 16));
        return false;
    case 'P':
        equal = strchr(packet, '=');
        if (equal)
            ts_gdb_say(answer, ts_gdb_set_register(self, strtoul(packet + 1, NULL, 16), equal + 1)
                                   ? "OK"
                                   : "E01");
        return false;
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
        return handle_v(self, packet, answer);
    case 'c':
    case 's':
        return !self->alone.on && go_on(self, *packet, shared->control);
    case 'b':
        if (!self->alone.on)
            go_back(self, packet[1]);
        ts_gdb_say(answer, "E01");
        return false;
    case 'D':
        ts_gdb_say(answer, "OK");
        shared->task = TS_GDB_FREE;
        return true;
    case 'k':
        end_run(self);
    default:
        return false;
    }
}

void ts_gdb_serve(struct ts_gdb *self, const char *reply, bool wait)
{
    struct ts_gdb_shared *shared = self->shared;
    static char packet[TS_GDB_PACKET];
    static struct ts_gdb_answer answer;
    if (reply[0])
        ts_gdb_send(&shared->wire, reply, strlen(reply));
    while (!self->alone.on || wait || !ts_gdb_anybody_runs(self) || ts_gdb_ready(&shared->wire)) {
        int length = ts_gdb_receive(&shared->wire, packet);
        if (length < 0) { // gdb has gone: the run goes on without it
            shared->task = TS_GDB_FREE;
            break;
        }
        if (length == 0) // it has stopped already
            continue;
        answer.length = 0;
        answer.text[0] = '\0';
        const bool on = handle(self, packet, packet + length - 1, &answer);
        if (!on || shared->task == TS_GDB_FREE || self->alone.on)
            ts_gdb_send(&shared->wire, answer.text, answer.length);
        if (strcmp(packet, "QStartNoAckMode") == 0)
            shared->wire.no_ack = true;
        if (on && (!self->alone.on || wait))
            break;
        if (shared->task == TS_GDB_FREE)
            break;
    }
    if (shared->task == TS_GDB_FREE && self->alone.on)
        ts_gdb_alone_end(self);
}
