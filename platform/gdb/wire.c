#include "platform/gdb/state.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERRUPT 3
#define CONSOLE   1000 // characters in a packet

static void drop(struct ts_gdb_wire *self)
{
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
}

// The next byte; -1: the connection is closed.
static int next_byte(struct ts_gdb_wire *self)
{
    while (self->taken == self->used) {
        if (self->socket < 0)
            return -1;
        ssize_t got = recv(self->socket, self->in, sizeof self->in, 0);
        if (got < 0 && errno == EINTR)
            continue;
        self->taken = 0;
        self->used = got > 0 ? (size_t)got : 0;
        if (got <= 0)
            drop(self);
    }
    return (unsigned char)self->in[self->taken++];
}

static void put(struct ts_gdb_wire *self, const char *bytes, size_t length)
{
    while (length > 0 && self->socket >= 0) {
        ssize_t done = send(self->socket, bytes, length, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            drop(self);
            return;
        }
        bytes += done;
        length -= (size_t)done;
    }
}

static int nibble(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int ts_gdb_receive(struct ts_gdb_wire *self, char *packet)
{
    for (;;) {
        int c;
        while ((c = next_byte(self)) != '$') {
            if (c < 0)
                return -1;
            if (c == INTERRUPT)
                return 0;
        }
        size_t length = 0;
        unsigned sum = 0;
        bool large = false;
        while ((c = next_byte(self)) != '#' && c >= 0) {
            sum += (unsigned)c;
            if (c == '}' && (c = next_byte(self)) >= 0) {
                sum += (unsigned)c;
                c ^= 0x20;
            }
            large |= length + 1 >= TS_GDB_PACKET;
            if (!large)
                packet[length++] = (char)c;
        }
        int high = next_byte(self), low = next_byte(self);
        if (low < 0)
            return -1;
        bool good = nibble(high) * 16 + nibble(low) == (int)(sum & 0xff) && !large;
        if (!self->no_ack)
            put(self, good ? "+" : "-", 1);
        if (!good)
            continue;
        packet[length] = '\0';
        return (int)length + 1;
    }
}

bool ts_gdb_ready(struct ts_gdb_wire *self)
{
    if (self->taken < self->used || self->socket < 0)
        return true;
    struct pollfd ready = {self->socket, POLLIN, 0};
    return poll(&ready, 1, 0) > 0;
}

bool ts_gdb_interrupted(struct ts_gdb_wire *self)
{
    if (self->socket >= 0 && !ts_gdb_ready(self))
        return false;
    int c = next_byte(self);
    if (c < 0 || c == INTERRUPT)
        return true;
    self->taken--;
    return false;
}

static void put_packet(struct ts_gdb_wire *self, char first, const char *text, size_t length)
{
    char out[2 * TS_GDB_PACKET + 8], end[4];
    size_t used = 0;
    unsigned sum = 0;
    out[used++] = first;
    for (size_t i = 0; i < length && used + 6 < sizeof out; i++) {
        char c = text[i];
        if (c == '$' || c == '#' || c == '}' || c == '*') {
            out[used++] = '}';
            sum += '}';
            c ^= 0x20;
        }
        out[used++] = c;
        sum += (unsigned char)c;
    }
    snprintf(end, sizeof end, "#%02x", sum & 0xff);
    memcpy(out + used, end, 3);
    put(self, out, used + 3);
}

void ts_gdb_send(struct ts_gdb_wire *self, const char *text, size_t length)
{
    put_packet(self, '$', text, length);
}

void ts_gdb_notify(struct ts_gdb_wire *self, const char *text)
{
    put_packet(self, '%', text, strlen(text));
}

void ts_gdb_console(struct ts_gdb_wire *self, const char *text)
{
    char packet[2 * CONSOLE + 2] = "O";
    while (*text) {
        size_t part = 0;
        for (; part < CONSOLE && text[part]; part++)
            snprintf(packet + 1 + 2 * part, 3, "%02x", (unsigned char)text[part]);
        ts_gdb_send(self, packet, 1 + 2 * part);
        text += part;
    }
}
