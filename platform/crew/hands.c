// Worker processes: started, fed, read, replaced (ranks.h).
#include "platform/crew/ranks.h"

#include "platform/base/clock.h"
#include "platform/base/json.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

// While runs take less than SHORT_S, a process has more of them at hand, and we look only now and then
// what has come, after LULL runs or so: to wake up for each result would cost as much as the run.
#define DEPTH    32
#define SHORT_S  0.02
#define LULL     5
#define LULL_MIN 0.01
#define LULL_MAX 0.05
#define SHARE_S  0.2 // between two shares of one run
#define WEIGHT   0.1 // of the last run in the mean
#define READ     65536u

struct hand {
    struct ts_hands *of;
    pid_t pid; // 0: none
    int fd;
    uv_poll_t *poll;         // of fd; freed when the loop has closed it
    uv_timer_t limit;        // of the run that runs
    uint64_t pending[DEPTH]; // the first one runs
    unsigned count, sent;    // of them; it knows of
    bool late;               // it was killed for the time limit
    char *text;
    size_t length, room;
};

struct ts_hands {
    const struct ts_crew *crew;
    const struct ts_crew_list *list;
    uv_loop_t *loop;
    uv_timer_t tick; // ends a wait
    ts_frame_taker *take;
    void *context; // of the taker
    struct hand *hands;
    unsigned count;
    size_t *queue; // given, not yet with a process
    size_t head, queued, room;
    double mean;
};

// --- in the worker

struct ts_crew_seat {
    int fd;
    size_t index;
    double said; // when it last said a share
};

// The parent closes its end when it wants us gone; it may be gone itself.
static void say(int fd, enum ts_frame_type type, size_t index, double number, int64_t code,
                const char *text)
{
    size_t length = sizeof(struct ts_frame) + strlen(text), done = 0;
    struct ts_frame *frame = malloc(length + 1);
    if (frame == NULL)
        _exit(TS_BUG);
    *frame = (struct ts_frame){type, (uint32_t)strlen(text), index, number, code};
    memcpy(frame->text, text, strlen(text));
    while (done < length) {
        ssize_t n = send(fd, (char *)frame + done, length - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            _exit(TS_BUG);
        done += n > 0 ? (size_t)n : 0;
    }
    free(frame);
}

void ts_crew_share(struct ts_crew_seat *seat, double share)
{
    double now = ts_seconds();
    if (seat == NULL || now - seat->said < SHARE_S)
        return;
    seat->said = now;
    say(seat->fd, TS_FRAME_SHARE, seat->index, share, 0, "");
}

static void serve(int fd, const struct ts_crew_list *list)
{
    uint64_t index;
    for (;;) {
        ssize_t n = recv(fd, &index, sizeof index, MSG_WAITALL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != sizeof index)
            _exit(TS_OK);
        char key[TS_CREW_KEY];
        ts_crew_key(list, index, key);
        json_t *row = json_pack("{s:s}", "key", key);
        struct ts_crew_seat seat = {.fd = fd, .index = index, .said = ts_seconds()};
        double begun = seat.said;
        list->run(list->context, index, &seat, row);
        char *text = json_dumps(row, JSON_COMPACT);
        if (text == NULL)
            _exit(TS_BUG);
        say(fd, TS_FRAME_RESULT, index, ts_seconds() - begun, ts_json_integer(row, "code"), text);
        free(text);
        json_decref(row);
    }
}

// --- the processes

static void on_readable(uv_poll_t *poll, int status, int events);

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static bool start(struct ts_hands *self, struct hand *hand)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (pid == 0) {
        // It does not outlive us; Ctrl-C is for us alone, so that no run ends as if it had failed.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(TS_BUG);
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        ts_rundir_forked(self->crew->out);
        close(ends[0]);
        serve(ends[1], self->list);
    }
    setpgid(pid, pid); // parent and child both do it: one of them is first
    close(ends[1]);
    hand->pid = pid;
    hand->fd = ends[0];
    hand->poll = malloc(sizeof *hand->poll);
    if (hand->poll == NULL || uv_poll_init(self->loop, hand->poll, hand->fd) != 0)
        ts_out_of_memory("the list of runs");
    hand->poll->data = hand;
    uv_poll_start(hand->poll, UV_READABLE | UV_DISCONNECT, on_readable);
    return true;
}

static void stop(struct hand *hand, int *status)
{
    uv_timer_stop(&hand->limit);
    uv_close((uv_handle_t *)hand->poll, free_handle);
    kill(-hand->pid, SIGKILL); // with what it may have started
    kill(hand->pid, SIGKILL);
    while (waitpid(hand->pid, status, 0) < 0 && errno == EINTR)
        ;
    close(hand->fd);
    hand->pid = 0;
    hand->length = 0;
}

struct ts_hands *ts_hands_new(const struct ts_crew *crew, const struct ts_crew_list *list,
                              struct uv_loop_s *loop)
{
    struct ts_hands *self = ts_need(calloc(1, sizeof *self), "the list of runs");
    *self = (struct ts_hands){
        .crew = crew,
        .list = list,
        .loop = loop,
        .count = crew->workers ? crew->workers : 1,
        .room = 64,
    };
    self->hands = calloc(self->count, sizeof *self->hands);
    self->queue = calloc(self->room, sizeof *self->queue);
    if (self->hands == NULL || self->queue == NULL)
        ts_out_of_memory("the list of runs");
    uv_timer_init(loop, &self->tick);
    for (unsigned i = 0; i < self->count; i++) {
        self->hands[i].of = self;
        uv_timer_init(loop, &self->hands[i].limit);
    }
    return self;
}

bool ts_hands_start(struct ts_hands *self)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->hands[i].pid == 0 && !start(self, &self->hands[i]))
            return false;
    return true;
}

void ts_hands_free(struct ts_hands *self)
{
    if (self == NULL)
        return;
    for (unsigned i = 0; i < self->count; i++) {
        if (self->hands[i].pid)
            stop(&self->hands[i], NULL);
        free(self->hands[i].text);
        uv_close((uv_handle_t *)&self->hands[i].limit, NULL);
    }
    uv_close((uv_handle_t *)&self->tick, NULL);
    uv_run(self->loop, UV_RUN_NOWAIT); // closes them
    free(self->hands);
    free(self->queue);
    free(self);
}

// --- giving

void ts_hands_give(struct ts_hands *self, size_t index)
{
    if (self->head + self->queued == self->room) {
        memmove(self->queue, self->queue + self->head, self->queued * sizeof *self->queue);
        self->head = 0;
        if (self->queued > self->room / 2) {
            self->room *= 2;
            self->queue = ts_need(realloc(self->queue, self->room * sizeof *self->queue),
                                  "the list of runs");
        }
    }
    self->queue[self->head + self->queued++] = index;
}

size_t ts_hands_busy(const struct ts_hands *self)
{
    size_t busy = self->queued;
    for (unsigned i = 0; i < self->count; i++)
        busy += self->hands[i].count;
    return busy;
}

double ts_hands_mean(const struct ts_hands *self)
{
    return self->mean;
}

// Its end is seen like any other.
static void on_late(uv_timer_t *timer)
{
    struct hand *hand = timer->data;
    hand->late = true;
    kill(-hand->pid, SIGKILL);
}

// A run begins, or there is none.
static void set_limit(const struct ts_hands *self, struct hand *hand)
{
    hand->limit.data = hand;
    if (hand->count && self->crew->timeout > 0)
        uv_timer_start(&hand->limit, on_late, (uint64_t)(1e3 * self->crew->timeout), 0);
    else
        uv_timer_stop(&hand->limit);
}

static void feed_one(struct ts_hands *self, struct hand *hand)
{
    hand->pending[hand->count++] = self->queue[self->head++];
    self->queued--;
    if (hand->count == 1)
        set_limit(self, hand);
}

// A process that is just dying keeps its runs pending, and its end is seen when it is read.
static void send_fed(struct hand *hand)
{
    if (hand->sent < hand->count)
        send(hand->fd, hand->pending + hand->sent,
             (hand->count - hand->sent) * sizeof *hand->pending, MSG_NOSIGNAL);
    hand->sent = hand->count;
}

// Seconds between two looks; 0: runs are long, and we look when something has come.
static double lull_of(const struct ts_hands *self)
{
    double lull = LULL * self->mean;
    if (self->mean <= 0 || self->mean >= SHORT_S)
        return 0;
    return lull < LULL_MIN ? LULL_MIN : lull > LULL_MAX ? LULL_MAX : lull;
}

static bool feed(struct ts_hands *self)
{
    double lull = lull_of(self), more = lull > 0 ? 2 * lull / self->mean : 0;
    unsigned depth = 1 + (more < DEPTH - 1 ? (unsigned)more : DEPTH - 1);
    bool any = false;
    int reason = 0;
    for (unsigned level = 1; level <= depth; level++)
        for (unsigned i = 0; i < self->count && self->queued; i++) {
            struct hand *hand = &self->hands[i];
            if (hand->pid == 0 && !start(self, hand))
                reason = errno;
            else if (hand->count < level)
                feed_one(self, hand);
        }
    for (unsigned i = 0; i < self->count; i++) {
        any |= self->hands[i].pid != 0;
        send_fed(&self->hands[i]);
    }
    errno = reason;
    return any || reason == 0;
}

// --- reading

static void lost(struct ts_hands *self, struct hand *hand, int status)
{
    size_t index = hand->pending[0];
    char key[TS_CREW_KEY], why[200];
    int code = WIFSIGNALED(status) ? TS_SIGNAL + WTERMSIG(status) : TS_BUG;
    if (hand->late) {
        code = TS_LIMIT;
        snprintf(why, sizeof why, "no result after %g s", self->crew->timeout);
    } else if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "the run was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(why, sizeof why, "the run ended its process with exit code %d",
                 WEXITSTATUS(status));
    }
    ts_crew_key(self->list, index, key);
    json_t *row = json_pack("{s:s, s:i, s:s}", "key", key, "code", code, "error", why);
    char *text = json_dumps(row, JSON_COMPACT);
    struct ts_frame *frame = text ? malloc(sizeof *frame + strlen(text) + 1) : NULL;
    if (frame == NULL)
        ts_out_of_memory("the list of runs");
    *frame = (struct ts_frame){TS_FRAME_LOST, (uint32_t)strlen(text), index, 0, code};
    strcpy(frame->text, text);
    self->take(self->context, 0, frame);
    free(frame);
    free(text);
    json_decref(row);
}

// Its run is lost; what waited behind it is not.
static void ended(struct ts_hands *self, struct hand *hand)
{
    int status = 0;
    unsigned count = hand->count;
    stop(hand, &status);
    hand->count = hand->sent = 0;
    for (unsigned i = 1; i < count; i++)
        ts_hands_give(self, hand->pending[i]);
    if (count)
        lost(self, hand, status);
    hand->late = false;
}

static void take_frame(struct ts_hands *self, struct hand *hand, const struct ts_frame *frame)
{
    if (frame->type == TS_FRAME_RESULT) {
        memmove(hand->pending, hand->pending + 1, sizeof hand->pending - sizeof *hand->pending);
        hand->count--;
        hand->sent--;
        set_limit(self, hand);
        self->mean += (self->mean > 0 ? WEIGHT : 1) * (frame->number - self->mean);
    }
    self->take(self->context, 0, frame);
}

// Whole frames out of what has come; the rest stays.
static void take_frames(struct ts_hands *self, struct hand *hand)
{
    size_t used = 0;
    struct ts_frame head;
    while (hand->length - used >= sizeof head) {
        memcpy(&head, hand->text + used, sizeof head);
        size_t size = sizeof head + head.length;
        if (hand->length - used < size)
            break;
        struct ts_frame *frame = ts_need(malloc(size + 1), "the list of runs");
        memcpy(frame, hand->text + used, size);
        frame->text[head.length] = '\0';
        used += size;
        take_frame(self, hand, frame);
        free(frame);
    }
    hand->length -= used;
    if (used)
        memmove(hand->text, hand->text + used, hand->length);
}

// Reads what has come. False: the process has ended, or there is nothing now.
static bool read_hand(struct ts_hands *self, struct hand *hand)
{
    if (hand->room - hand->length < READ) {
        hand->room = 2 * hand->room + READ;
        hand->text = ts_need(realloc(hand->text, hand->room), "the list of runs");
    }
    ssize_t n = recv(hand->fd, hand->text + hand->length, hand->room - hand->length, MSG_DONTWAIT);
    if (n > 0) {
        hand->length += (size_t)n;
        take_frames(self, hand);
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        ended(self, hand);
    }
    return n > 0;
}

// A process that dies before it has read all that we sent leaves an error (status) behind what it
// has said. libuv then looks no more: we read to the end.
static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct hand *hand = poll->data;
    while (read_hand(hand->of, hand) && status != 0)
        ;
    if (status != 0 && hand->pid)
        ended(hand->of, hand);
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer;
}

bool ts_hands_wait(struct ts_hands *self, int ms, ts_frame_taker *take, void *context)
{
    self->take = take;
    self->context = context;
    uv_update_time(self->loop);
    if (!feed(self))
        return false;
    if (ts_hands_busy(self) > 2 * self->count) // they have enough to do
        uv_sleep((unsigned)(1e3 * lull_of(self)));
    // It repeats: libuv runs timers that are due before it begins to wait, then without an end.
    uv_timer_start(&self->tick, on_tick, (uint64_t)ms, (uint64_t)ms);
    uv_run(self->loop, UV_RUN_ONCE);
    uv_timer_stop(&self->tick);
    return feed(self);
}
