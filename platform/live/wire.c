#include "platform/live/inside.h"

#include "platform/base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define NAME     ".tensim-live"
#define PATIENCE 10000000000u // ns until a client that does not read is dropped

static void drop(struct ts_live_client *client)
{
    if (client->socket >= 0) {
        shutdown(client->socket, SHUT_RDWR); // snapshots have it, too
        close(client->socket);
    }
    client->socket = -1;
}

bool ts_live_wire_open(struct ts_live_wire *self, const char *directory, struct ts_error *error)
{
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        self->clients[i].socket = -1;
    const int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    // Paths of sockets are short, those of folders are not.
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" NAME, folder);
    if (folder >= 0)
        unlinkat(folder, NAME, 0);
    mode_t before = umask(0177);
    bool good = folder >= 0 && self->listener >= 0 &&
                bind(self->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(self->listener, TS_LIVE_CLIENTS) == 0;
    int reason = errno;
    umask(before);
    if (folder >= 0)
        close(folder);
    if (!good)
        ts_fail(error, TS_SETUP, "--live: %s/" NAME ": %s", directory, strerror(reason));
    return good;
}

void ts_live_wire_close(struct ts_live_wire *self, const char *directory)
{
    const int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        drop(&self->clients[i]);
    close(self->listener);
    if (folder >= 0) {
        unlinkat(folder, NAME, 0);
        close(folder);
    }
}

static void put(struct ts_live_client *client)
{
    while (client->socket >= 0 && client->sent < client->length) {
        ssize_t done = send(client->socket, client->out + client->sent,
                            client->length - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done > 0) {
            client->sent += (size_t)done;
            client->slow = 0;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            const uint64_t now = ts_nanoseconds();
            client->slow = client->slow ? client->slow : now;
            if (now - client->slow > PATIENCE)
                drop(client);
            return;
        } else if (errno != EINTR) {
            drop(client);
            return;
        }
    }
    client->sent = client->length = 0;
    client->slow = 0;
}

bool ts_live_waits_for(const struct ts_live_client *client)
{
    return client->socket < 0 || client->length > client->sent;
}

void ts_live_send(struct ts_live_client *client, const char *text, bool state)
{
    const size_t length = strlen(text);
    put(client);
    client->owed = state && ts_live_waits_for(client);
    if (client->socket < 0 || client->owed)
        return;
    if (length + 1 > TS_LIVE_OUT - client->length) {
        drop(client);
        return;
    }
    memcpy(client->out + client->length, text, length);
    client->out[client->length + length] = '\n';
    client->length += length + 1;
    put(client);
}

// False: the client is gone.
static bool get(struct ts_live_client *client)
{
    ssize_t got = recv(client->socket, client->in + client->used, TS_LIVE_LINE - client->used,
                       MSG_DONTWAIT);
    if (got > 0)
        client->used += (size_t)got;
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
        (client->used == TS_LIVE_LINE && memchr(client->in, '\n', TS_LIVE_LINE) == NULL))
        drop(client);
    return client->socket >= 0;
}

static void take_in(struct ts_live_wire *self,
                    void (*taken)(void *context, struct ts_live_client *client), void *context)
{
    for (int socket; (socket = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        unsigned i = 0;
        while (i < TS_LIVE_CLIENTS && self->clients[i].socket >= 0)
            i++;
        if (i == TS_LIVE_CLIENTS) {
            close(socket);
            continue;
        }
        struct ts_live_client *client = &self->clients[i];
        client->socket = socket;
        client->view = (struct ts_live_view){0};
        client->used = client->length = client->sent = 0;
        client->slow = client->heard = 0;
        client->owed = false;
        taken(context, client);
    }
}

bool ts_live_wire_look(struct ts_live_wire *self, int wait_ms,
                       void (*taken)(void *context, struct ts_live_client *client),
                       bool (*line)(void *context, struct ts_live_client *client, const char *text,
                                    size_t length),
                       void *context)
{
    struct pollfd ready[TS_LIVE_CLIENTS + 1] = {{self->listener, POLLIN, 0}};
    bool left = false; // lines that came before
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++) {
        const struct ts_live_client *client = &self->clients[i];
        const bool more = client->length > client->sent;
        ready[i + 1] = (struct pollfd){client->socket, (short)(POLLIN | (more ? POLLOUT : 0)), 0};
        left |= client->socket >= 0 && memchr(client->in, '\n', client->used) != NULL;
    }
    if (poll(ready, TS_LIVE_CLIENTS + 1, left ? 0 : wait_ms) < 0 && !left)
        return false;
    bool done = false;
    for (unsigned i = 0; i < TS_LIVE_CLIENTS && !done; i++) {
        struct ts_live_client *client = &self->clients[i];
        if (client->socket < 0)
            continue;
        put(client);
        if (client->socket >= 0 && ready[i + 1].revents & (POLLIN | POLLHUP | POLLERR) &&
            !get(client))
            continue;
        for (char *end; client->socket >= 0 && !done &&
                        (end = memchr(client->in, '\n', client->used)) != NULL;) {
            const size_t length = (size_t)(end - client->in);
            char text[TS_LIVE_LINE];
            memcpy(text, client->in, length);
            client->used -= length + 1;
            memmove(client->in, end + 1, client->used);
            client->heard++;
            done = line(context, client, text, length);
        }
    }
    if (ready[0].revents & POLLIN)
        take_in(self, taken, context);
    return done;
}

unsigned ts_live_wire_count(const struct ts_live_wire *self)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        count += self->clients[i].socket >= 0;
    return count;
}

// --- from process to process ---

union room {
    char bytes[CMSG_SPACE(TS_LIVE_CLIENTS * sizeof(int))];
    struct cmsghdr align;
};

// One message: who is there, with the descriptors.
void ts_live_wire_hand_over(struct ts_live_wire *self, int to)
{
    char there[TS_LIVE_CLIENTS];
    int sockets[TS_LIVE_CLIENTS];
    unsigned count = 0;
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++) {
        there[i] = self->clients[i].socket >= 0;
        if (there[i])
            sockets[count++] = self->clients[i].socket;
    }
    union room room = {{0}};
    struct iovec part = {there, sizeof there};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        message.msg_control = room.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(head), sockets, count * sizeof(int));
    }
    while (sendmsg(to, &message, 0) < 0 && errno == EINTR)
        ;
    for (unsigned i = 0; i < count; i++)
        close(sockets[i]);
}

void ts_live_wire_take_over(struct ts_live_wire *self, int from)
{
    char there[TS_LIVE_CLIENTS] = {0};
    int sockets[TS_LIVE_CLIENTS];
    unsigned count = 0, next = 0;
    union room room = {{0}};
    struct iovec part = {there, sizeof there};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    while (recvmsg(from, &message, MSG_CMSG_CLOEXEC) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        count = (unsigned)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(sockets, CMSG_DATA(head), count * sizeof(int));
    }
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        self->clients[i].socket = there[i] && next < count ? sockets[next++] : -1;
}
