#include "platform/gdb/state.h"

#include "platform/base/private.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define STRANGERS 8 // who have not said anything yet

static bool listen_tcp(struct ts_gdb_door *self, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int yes = 1;
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(self->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (self->listener < 0 || bind(self->listener, (struct sockaddr *)&address, length) != 0 ||
        getsockname(self->listener, (struct sockaddr *)&address, &length) != 0)
        return false;
    snprintf(self->place, sizeof self->place, "127.0.0.1:%u", ntohs(address.sin_port));
    return true;
}

// For this user alone: no moment at which another one could connect.
static bool listen_file(struct ts_gdb_door *self, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (path[0] == '\0') {
        snprintf(self->place, sizeof self->place, "%.60s/tensim-gdb-XXXXXX",
                 runtime && runtime[0] == '/' && strlen(runtime) < 60 ? runtime : ts_temporary(59));
        if (mkdtemp(self->place) == NULL)
            return false;
        self->made = true;
        ts_append(self->place, sizeof self->place, "/gdb");
    } else {
        snprintf(self->place, sizeof self->place, "%s", path);
    }
    if (strlen(path) >= sizeof address.sun_path || strlen(self->place) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address.sun_path, self->place, strlen(self->place) + 1);
    self->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const mode_t mask = umask(0177);
    const bool good = self->listener >= 0 &&
                      bind(self->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    self->file = good;
    return good;
}

bool ts_gdb_door_open(struct ts_gdb_door *self, const char *where, struct ts_error *error)
{
    *self = (struct ts_gdb_door){.listener = -1};
    const bool tcp = where[0] && strchr(where, '/') == NULL;
    const bool good = tcp ? listen_tcp(self, (uint16_t)atoi(where)) : listen_file(self, where);
    if (good && listen(self->listener, SOMAXCONN) == 0)
        return true;
    ts_fail(error, TS_SETUP, "--gdb: %s: %s", where[0] ? where : self->place, strerror(errno));
    ts_gdb_door_close(self);
    return false;
}

void ts_gdb_door_close(struct ts_gdb_door *self)
{
    char *slash = strrchr(self->place, '/');
    if (self->listener >= 0)
        close(self->listener);
    self->listener = -1;
    if (self->file)
        unlink(self->place);
    if (self->made && slash) {
        *slash = '\0';
        rmdir(self->place);
    }
    self->file = self->made = false;
}

// Root may, too: it can do everything anyway.
static bool is_user(int socket)
{
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
           peer.uid == geteuid() || peer.uid == 0;
}

// The first byte of a connection, which stays to be read; -1: it has gone.
static int first_byte(int socket)
{
    unsigned char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1 ? byte : -1;
}

int ts_gdb_door_wait(struct ts_gdb_door *self)
{
    struct pollfd ends[STRANGERS + 1] = {{self->listener, POLLIN, 0}};
    unsigned count = 1;
    int gdb = -1, yes = 1;
    const bool file = self->file;
    while (gdb < 0) {
        if (poll(ends, count, -1) < 0 && errno != EINTR)
            break;
        for (unsigned i = count; i-- > 1 && gdb < 0;) {
            if (ends[i].revents == 0)
                continue;
            const int byte = first_byte(ends[i].fd);
            if (byte == '+' || byte == '$')
                gdb = ends[i].fd;
            else
                close(ends[i].fd);
            memmove(ends + i, ends + i + 1, (--count - i) * sizeof *ends);
        }
        if (gdb >= 0 || !(ends[0].revents & POLLIN))
            continue;
        if (count > STRANGERS) { // the oldest has been silent for longest
            close(ends[1].fd);
            memmove(ends + 1, ends + 2, (--count - 1) * sizeof *ends);
        }
        const int next = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
        if (next >= 0 && (!file || is_user(next)))
            ends[count++] = (struct pollfd){next, POLLIN, 0};
        else if (next >= 0)
            close(next);
    }
    while (count-- > 1)
        close(ends[count].fd);
    ts_gdb_door_close(self);
    if (!file)
        setsockopt(gdb, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return gdb;
}
