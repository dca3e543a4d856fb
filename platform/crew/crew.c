// The crew's loop: gives runs to hands and ranks, takes their frames, keeps the rows (crew.h).
#include "platform/base/clock.h"
#include "platform/base/descriptors.h"
#include "platform/crew/dealer.h"
#include "platform/crew/ranks.h"
#include "platform/crew/store.h"
#include "platform/crew/watch.h"
#include "platform/out/progress.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

// Another rank has runs for AHEAD_S at hand, so that it does not wait for a message after each; as
// long as all have enough to do.
#define AHEAD_S   0.2
#define AHEAD_MAX 64
#define SILENCE_S 30.0 // of a rank that is lost
#define ALIVE_S   1.0
#define SYNC_S    1.0 // between two syncs of the journal
#define WAIT_MS   200
// With ranks we look for messages that often: a share of a run's time, within limits.
#define LOOK     20
#define LOOK_MIN 1
#define LOOK_MAX 20

// One of the other ranks.
struct mate {
    unsigned processes; // 0: it has not said hello
    size_t given;
    bool gone, ended;       // it may come back; it cannot
    struct ts_watch *watch; // NULL: it is on another host
};

struct team {
    uv_loop_t loop;
    uv_signal_t signals[2];
    int stop; // by this signal; 0: none
    struct ts_crew *crew;
    const struct ts_crew_list *list;
    struct ts_identity identity;
    struct ts_dealer dealer;
    struct ts_hands *hands;
    struct ts_ranks *ranks; // NULL: this is the only one
    const struct ts_ranks_ops *mpi;
    struct ts_store *store; // NULL: nothing is kept
    struct ts_progress *progress;
    struct ts_error *error;
    struct mate *mates;
    uint16_t *holder; // by run: the rank that has it, + 1
    char **texts;     // by run: rows that are not read yet
    float *shares;    // by run
    double shared;    // sum of them
    double mean;      // seconds of a run
    double synced;
    unsigned processes; // of all ranks
};

bool ts_crew_mine(const struct ts_crew *self, size_t index)
{
    return self->shards == 0 || index % self->shards == self->shard - 1;
}

// --- frames

static void set_share(struct team *self, size_t index, double share)
{
    self->shared += share - (double)self->shares[index];
    self->shares[index] = (float)share;
    ts_progress_set(self->progress, (double)self->crew->done + self->shared);
}

static json_t *parse(struct team *self, const char *text)
{
    json_t *row = json_loads(text, 0, NULL);
    if (row == NULL)
        ts_fail(self->error, TS_BUG, "a run's result is not JSON: '%.80s'", text);
    return row ? row : json_null();
}

// The journal gets the text as it came. A row that nobody looks at before the end is read then.
static void keep(struct team *self, const struct ts_frame *frame)
{
    size_t index = frame->index;
    bool looked_at = self->list->show || self->list->stops || self->list->done;
    // What the list shows goes to the same terminal.
    struct ts_progress *line = self->list->show ? self->progress : NULL;
    ts_progress_hide(line);
    bool fresh = ts_dealer_done(&self->dealer, index,
                                looked_at ? parse(self, frame->text) : json_null(), frame->code);
    ts_progress_show(line);
    if (fresh && self->list->done)
        self->list->done(self->list->context, index, self->crew->rows[index]);
    if (fresh && self->store)
        ts_store_add(self->store, frame->text);
    if (fresh && !looked_at && (self->texts[index] = strdup(frame->text)) == NULL)
        ts_out_of_memory("the list of runs");
    set_share(self, index, 0);
}

static void read_texts(struct team *self)
{
    for (size_t i = 0; i < self->crew->count; i++)
        if (self->texts[i]) {
            self->crew->rows[i] = parse(self, self->texts[i]);
            free(self->texts[i]);
        }
}

static void release(struct team *self, unsigned from, size_t index)
{
    self->holder[index] = 0;
    if (from)
        self->mates[from].given -= self->mates[from].given > 0;
}

static void on_end_of_rank(void *context)
{
    struct mate *mate = context;
    mate->ended = true;
}

// What this rank runs; its length. Behind it stands the host.
static size_t introduce(const struct team *self, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s %s ", self->identity.of, self->identity.list);
    ts_watch_host(text + length, size - length);
    return length;
}

static void say_hello(struct team *self, unsigned from, const struct ts_frame *frame)
{
    char own[240];
    size_t length = introduce(self, own, sizeof own);
    struct mate *mate = &self->mates[from];
    if (frame->length < length || memcmp(own, frame->text, length) != 0)
        ts_fail(self->error, TS_SETUP,
                "rank %u has another program, configuration or list of runs than rank 0: the same "
                "tensim and the same files must be on all nodes",
                from);
    else if (strcmp(own + length, frame->text + length) == 0) {
        mate->watch = ts_watch_new(&self->loop, (pid_t)frame->code, on_end_of_rank, mate);
        mate->ended = mate->watch == NULL && errno == ESRCH;
    }
    mate->processes = (unsigned)frame->index;
    self->processes += (unsigned)frame->index;
}

static void take_frame(void *context, unsigned from, const struct ts_frame *frame)
{
    struct team *self = context;
    size_t index = frame->index;
    if (frame->type == TS_FRAME_HELLO) {
        say_hello(self, from, frame);
    } else if (frame->type == TS_FRAME_ALIVE || index >= self->crew->count) {
        return;
    } else if (frame->type == TS_FRAME_SHARE) {
        set_share(self, index, frame->number);
    } else if (frame->type == TS_FRAME_RESULT) {
        self->mean += (self->mean > 0 ? 0.1 : 1) * (frame->number - self->mean);
        release(self, from, index);
        keep(self, frame);
    } else if (frame->type == TS_FRAME_LOST) {
        release(self, from, index);
        set_share(self, index, 0);
        if (!ts_dealer_again(&self->dealer, index))
            keep(self, frame);
    }
}

// --- giving

// Short runs: more than one for each process, unless others would then have nothing.
static size_t wanted(const struct team *self, unsigned processes)
{
    double ahead = self->mean > 0 ? AHEAD_S / self->mean : 0;
    double fair = (double)ts_dealer_waiting(&self->dealer) / (2.0 * (double)self->processes);
    ahead = ahead > AHEAD_MAX ? AHEAD_MAX : ahead;
    ahead = ahead > fair ? fair : ahead;
    return processes + (size_t)(ahead * processes);
}

static void give_rank(struct team *self, unsigned rank)
{
    struct mate *mate = &self->mates[rank];
    uint64_t indices[TS_CREW_WORKERS];
    size_t count = 0, index, want = mate->processes ? wanted(self, mate->processes) : 0;
    while (mate->given + count < want && count < TS_CREW_WORKERS &&
           ts_dealer_next(&self->dealer, &index)) {
        self->holder[index] = (uint16_t)(rank + 1);
        indices[count++] = index;
    }
    mate->given += count;
    if (count)
        self->mpi->give(self->ranks, rank, indices, count);
}

// All processes get a run before one gets its second.
static void give(struct team *self)
{
    unsigned own = self->crew->workers;
    size_t index;
    while (ts_hands_busy(self->hands) < own && ts_dealer_next(&self->dealer, &index))
        ts_hands_give(self->hands, index);
    for (unsigned i = 1; i < self->crew->ranks; i++)
        if (!self->mates[i].gone)
            give_rank(self, i);
    while (ts_hands_busy(self->hands) < wanted(self, own) && ts_dealer_next(&self->dealer, &index))
        ts_hands_give(self->hands, index);
}

static void say(struct team *self, unsigned rank, const char *what)
{
    ts_progress_hide(self->progress);
    fprintf(stderr, "tensim: rank %u is %s\n", rank, what);
    ts_progress_show(self->progress);
}

// What it had is to be done again, by anyone.
static void lose(struct team *self, unsigned rank)
{
    for (size_t i = 0; i < self->crew->count; i++)
        if (self->holder[i] == rank + 1) {
            self->holder[i] = 0;
            ts_dealer_back(&self->dealer, i);
        }
    self->mates[rank].given = 0;
    self->processes -= self->mates[rank].processes;
    say(self, rank, "lost; other ranks get its runs");
}

// A rank that was only silent comes back.
static void look_for_lost(struct team *self)
{
    for (unsigned rank = 1; rank < self->crew->ranks; rank++) {
        struct mate *mate = &self->mates[rank];
        bool gone = mate->ended || self->mpi->lost(self->ranks, rank);
        if (gone == mate->gone)
            continue;
        mate->gone = gone;
        if (gone) {
            if (mate->ended)
                self->mpi->bury(self->ranks, rank);
            lose(self, rank);
        } else {
            self->processes += mate->processes;
            say(self, rank, "back");
        }
    }
}

// --- the loop

// What is in the journal survives our end.
static void write_journal(struct team *self, bool sync_now)
{
    double now = ts_seconds();
    if (self->store == NULL)
        return;
    ts_store_write(self->store, self->error);
    if (sync_now || now - self->synced > SYNC_S) {
        self->synced = now;
        ts_store_sync(self->store, self->error);
    }
}

static int look_ms(double mean)
{
    double ms = 1e3 * mean / LOOK;
    return ms < LOOK_MIN ? LOOK_MIN : ms > LOOK_MAX ? LOOK_MAX : (int)ms;
}

static void work(struct team *self)
{
    while (self->dealer.left && !self->stop && self->error->code == TS_OK) {
        give(self);
        if (!ts_hands_wait(self->hands, self->ranks ? look_ms(self->mean) : WAIT_MS, take_frame,
                           self))
            ts_fail(self->error, TS_SETUP, "cannot start a process: %s", strerror(errno));
        if (self->ranks) {
            self->mpi->poll(self->ranks, take_frame, self);
            look_for_lost(self);
        }
        write_journal(self, false);
        ts_progress_tick(self->progress);
    }
    write_journal(self, true);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct team *self = handle->data;
    self->stop = number;
}

static void watch_signals(struct team *self)
{
    static const int numbers[2] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&self->loop, &self->signals[i]);
        self->signals[i].data = self;
        uv_signal_start(&self->signals[i], on_signal, numbers[i]);
    }
}

// Every handle of the loop ends here.
static void close_loop(struct team *self)
{
    for (unsigned i = 0; self->mates && i < self->crew->ranks; i++)
        ts_watch_free(self->mates[i].watch);
    uv_run(&self->loop, UV_RUN_DEFAULT);
    uv_loop_close(&self->loop);
}

static void work_off(struct team *self)
{
    struct ts_crew *crew = self->crew;
    double total = 0;
    for (size_t i = 0; i < crew->count; i++)
        total += ts_crew_mine(crew, i);
    self->progress = ts_progress_new(self->list->unit, total, crew->quiet);
    ts_dealer_begin(&self->dealer, crew, self->list, self->processes == 1 && crew->ranks == 1);
    ts_progress_before(self->progress, (double)crew->done);
    watch_signals(self);
    work(self);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&self->signals[i], NULL);
    if (self->dealer.left == 0)
        self->stop = 0; // it came when all was done
    ts_hands_free(self->hands);
    self->hands = NULL;
    read_texts(self);
    ts_progress_free(self->progress);
    ts_dealer_free(&self->dealer);
}

// --- another rank than 0

static void forward(void *context, unsigned from, const struct ts_frame *frame)
{
    (void)from;
    struct team *self = context;
    self->mpi->say(self->ranks, frame);
}

// Rank 0 decides when a signal ends the work: it has to write what is done.
static _Noreturn void serve(struct team *self)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    char own[240];
    introduce(self, own, sizeof own);
    struct ts_frame *hello = ts_need(malloc(sizeof *hello + sizeof own), "the list of runs");
    *hello = (struct ts_frame){TS_FRAME_HELLO, (uint32_t)strlen(own), self->crew->workers, 0,
                               getpid()};
    memcpy(hello->text, own, strlen(own));
    self->mpi->say(self->ranks, hello);
    free(hello);
    double said = ts_seconds();
    while (self->mpi->hear(self->ranks, ts_hands_give, self->hands)) {
        int ms = ts_hands_busy(self->hands) ? look_ms(ts_hands_mean(self->hands)) : LOOK_MAX;
        if (!ts_hands_wait(self->hands, ms, forward, self))
            break; // no process can be started: rank 0 misses us
        if (ts_seconds() - said > ALIVE_S) {
            said = ts_seconds();
            self->mpi->say(self->ranks, &(struct ts_frame){.type = TS_FRAME_ALIVE});
        }
    }
    ts_hands_free(self->hands);
    self->mpi->leave(self->ranks);
    abort();
}

// --- begin and end

// Workers are forked before MPI starts: MPI does not know a fork of one of its processes.
static bool begin_ranks(struct team *self, const struct ts_crew_place *place)
{
    struct ts_crew *crew = self->crew;
    if (crew->ranks == 1)
        return true;
    if (!ts_hands_start(self->hands))
        return ts_refuse(self->error, TS_SETUP, "cannot start a process: %s", strerror(errno));
    double silence = crew->timeout > 0 ? crew->timeout + 2 * ALIVE_S : SILENCE_S;
    self->mpi = ts_ranks_load(place->ranks, self->error);
    self->ranks = self->mpi ? self->mpi->join(place, silence, self->error) : NULL;
    self->mates = ts_need(calloc(crew->ranks, sizeof *self->mates), "the list of runs");
    if (self->ranks && place->rank > 0) {
        ts_crew_speak();
        serve(self);
    }
    return self->ranks != NULL;
}

static bool begin(struct team *self, const struct ts_crew_place *place)
{
    struct ts_crew *crew = self->crew;
    if (crew->directory || crew->merges || crew->ranks > 1)
        ts_identity_make(&self->identity, self->list);
    if (crew->merges)
        return ts_store_merge(crew, self->list, &self->identity, self->error);
    self->hands = ts_hands_new(crew, self->list, &self->loop);
    self->processes = crew->workers;
    if (!begin_ranks(self, place))
        return false;
    for (size_t i = 0; self->list->known && i < crew->count; i++)
        crew->resumed += (crew->rows[i] = self->list->known(self->list->context, i)) != NULL;
    if (crew->directory)
        self->store = ts_store_open(crew, self->list, &self->identity, self->error);
    return crew->directory == NULL || self->store != NULL;
}

static bool whole(const struct team *self)
{
    for (unsigned i = 1; i < self->crew->ranks; i++)
        if (self->mates[i].gone)
            return false;
    return self->stop == 0;
}

int ts_crew_run(struct ts_crew *self, const struct ts_crew_list *list, struct ts_error *error)
{
    struct team team = {.crew = self, .list = list, .error = error, .synced = ts_seconds()};
    struct ts_crew_place place;
    if (!ts_crew_place(&place, error))
        return (int)error->code;
    if (list->count > TS_CREW_RUNS)
        return (int)ts_fail(error, TS_USAGE, "%zu %s; at most %d: vary less", list->count,
                            list->unit, TS_CREW_RUNS);
    self->workers = self->workers ? self->workers : 1;
    self->ranks = self->merges ? 1 : place.ranks;
    self->count = self->stop = list->count;
    self->done = self->resumed = self->failed = 0;
    self->rows = calloc(list->count + 1, sizeof *self->rows);
    team.holder = calloc(list->count + 1, sizeof *team.holder);
    team.shares = calloc(list->count + 1, sizeof *team.shares);
    team.texts = calloc(list->count + 1, sizeof *team.texts);
    if (self->rows == NULL || team.texts == NULL || team.holder == NULL || team.shares == NULL)
        return (int)ts_fail(error, TS_NO_MEMORY, "out of memory for %zu %s", list->count,
                            list->unit);
    if (!ts_descriptors_free(TS_LOOP_DESCRIPTORS, error))
        return (int)error->code;
    if (uv_loop_init(&team.loop) != 0)
        return (int)ts_fail(error, TS_SETUP, "cannot make an event loop: %s", strerror(errno));
    if (begin(&team, &place))
        work_off(&team);
    ts_hands_free(team.hands);
    close_loop(&team);
    ts_store_close(team.store);
    if (team.ranks)
        team.mpi->end(team.ranks, whole(&team));
    free(team.mates);
    free(team.holder);
    free(team.shares);
    free(team.texts);
    if (error->code != TS_OK)
        return (int)error->code;
    return team.stop ? TS_SIGNAL + team.stop : TS_OK;
}

void ts_crew_free(struct ts_crew *self)
{
    for (size_t i = 0; self->rows && i < self->count; i++)
        json_decref(self->rows[i]);
    free(self->rows);
    self->rows = NULL;
}
