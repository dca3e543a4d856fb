#include "platform/cluster/peers.h"

#include "platform/crew/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool runs(int end)
{
    return poll(&(struct pollfd){.fd = end, .events = POLLIN}, 1, 0) == 0;
}

static size_t board_size(const struct ts_peers *self)
{
    return sizeof *self->board + self->count * sizeof *self->board->ended;
}

static void introduce(const struct ts_peers *self, struct ts_peer *peer)
{
    *peer = (struct ts_peer){.pid = getpid(), .board = memfd_create("tensim-ranks", MFD_CLOEXEC)};
    if (gethostname(peer->host, sizeof peer->host - 1) != 0)
        peer->host[0] = '\0';
    if (peer->board >= 0 && ftruncate((int)peer->board, (off_t)board_size(self)) != 0)
        peer->board = -1;
    ts_watch_host(peer->place, sizeof peer->place);
}

// The board of a process; NULL: it cannot be had.
static struct ts_board *board_of(const struct ts_peers *self, const struct ts_peer *peer)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)peer->pid, (long long)peer->board);
    int file = peer->board >= 0 ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return NULL;
    void *at = mmap(NULL, board_size(self), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return at == MAP_FAILED ? NULL : at;
}

struct ts_peers *ts_peers_new(unsigned own, unsigned count,
                              void (*tell)(unsigned rank, void *bytes, size_t length))
{
    struct ts_peers *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    *self = (struct ts_peers){own, count, calloc(count, sizeof *self->peers),
                              calloc(count, sizeof *self->ends), NULL};
    if (self->peers == NULL || self->ends == NULL)
        return NULL;
    introduce(self, &self->peers[own]);
    for (unsigned i = 0; i < count; i++)
        tell(i, &self->peers[i], sizeof *self->peers);
    for (unsigned i = 0; i < count; i++) {
        const struct ts_peer *peer = &self->peers[i];
        bool here = strcmp(peer->place, self->peers[own].place) == 0;
        self->ends[i] = here ? (int)syscall(SYS_pidfd_open, (pid_t)peer->pid, 0) : -1;
        if (self->ends[i] >= 0 && self->board == NULL)
            self->board = board_of(self, peer);
    }
    if (self->board == NULL)
        self->board = calloc(1, board_size(self));
    return self->board ? self : NULL;
}

unsigned ts_peers_lost(const struct ts_peers *self)
{
    unsigned rank = 0;
    while (rank < self->count && (self->ends[rank] < 0 || atomic_load(&self->board->ended[rank]) ||
                                  runs(self->ends[rank])))
        rank++;
    return rank;
}

bool ts_peers_say(struct ts_peers *self)
{
    atomic_store(&self->board->ended[self->own], true);
    return !atomic_exchange(&self->board->said, true);
}
