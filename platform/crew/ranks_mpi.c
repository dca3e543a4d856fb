// Ranks over MPI: the module that ranks.h describes. All calls come from one thread, and none waits: MPI libraries spin while
// they wait, and the cores are for the runs. Frames of a few milliseconds go in one message.
#include "platform/base/clock.h"
#include "platform/crew/ranks.h"

#include <mpi.h>
#include <unistd.h>

enum { TAG_RUNS = 1, TAG_FRAMES, TAG_END, TAG_BYE };

#define BYE_S  10.0 // for the last words of all ranks
#define NAP_US 1000

struct rank {
    bool lost, ended; // it may come back; it cannot
    double heard;     // when it said something
};

// A message on its way to us.
struct mail {
    struct mail *next;
    MPI_Request request;
    int from, length;
    _Alignas(max_align_t) char text[];
};

struct buffer {
    char *text;
    size_t length, room;
};

struct ts_ranks {
    int rank, count;
    double silence;
    struct rank *others;
    bool whole;
    struct mail *mails, **last; // in the order they began
    struct buffer out, sending; // frames for rank 0: collected, and on their way
    MPI_Request request;        // of `sending`
};

static struct ts_ranks *join(const struct ts_crew_place *place, double silence,
                             struct ts_error *error)
{
    struct ts_ranks *self = ts_need(calloc(1, sizeof *self), "the list of runs");
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &self->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self->count);
    if (self->rank != (int)place->rank || self->count != (int)place->ranks) {
        ts_fail(error, TS_SETUP,
                "the launcher says rank %u of %u, MPI says %d of %d: start tensim with the "
                "launcher of the MPI that it was built with (with srun: --mpi=pmix)",
                place->rank, place->ranks, self->rank, self->count);
        MPI_Finalize();
        free(self);
        return NULL;
    }
    self->silence = silence;
    self->others = ts_need(calloc((size_t)self->count, sizeof *self->others), "the list of runs");
    for (int i = 0; i < self->count; i++)
        self->others[i].heard = ts_seconds();
    self->last = &self->mails;
    self->request = MPI_REQUEST_NULL;
    return self;
}

// --- messages

// Begins to receive all that has been sent to us with this tag.
static void begin_mails(struct ts_ranks *self, int from, int tag)
{
    for (;;) {
        int there = 0, length = 0;
        MPI_Message message;
        MPI_Status status;
        if (MPI_Improbe(from, tag, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS ||
            !there)
            return;
        MPI_Get_count(&status, MPI_BYTE, &length);
        struct mail *mail = ts_need(malloc(sizeof *mail + (size_t)length + 1), "the list of runs");
        *mail = (struct mail){.from = status.MPI_SOURCE, .length = length};
        mail->text[length] = '\0';
        MPI_Imrecv(mail->text, length, MPI_BYTE, &message, &mail->request);
        *self->last = mail;
        self->last = &mail->next;
    }
}

// The first mail that is complete; to be freed. NULL: none is.
static struct mail *next_mail(struct ts_ranks *self)
{
    for (struct mail **at = &self->mails; *at; at = &(*at)->next) {
        struct mail *mail = *at;
        int done = 0;
        if (MPI_Test(&mail->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            self->others[mail->from].lost = true;
            mail->length = 0;
            done = 1;
        }
        if (!done)
            continue;
        *at = mail->next;
        if (mail->next == NULL)
            self->last = at;
        return mail;
    }
    return NULL;
}

// A short message: MPI copies it, and the call returns.
static bool post(int to, int tag, const void *bytes, size_t length)
{
    return MPI_Send(bytes, (int)length, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int is_there(int from, int tag)
{
    int there = 0;
    return MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there;
}

// --- rank 0

static void give(struct ts_ranks *self, unsigned rank, const uint64_t *indices, size_t count)
{
    if (!post((int)rank, TAG_RUNS, indices, count * sizeof *indices))
        self->others[rank].lost = true;
}

// Frames stand behind each other, each at a multiple of its alignment.
static size_t size_of(const struct ts_frame *frame)
{
    size_t size = sizeof *frame + frame->length + 1;
    return (size + _Alignof(struct ts_frame) - 1) & ~(_Alignof(struct ts_frame) - 1);
}

static void poll(struct ts_ranks *self, ts_frame_taker *take, void *context)
{
    begin_mails(self, MPI_ANY_SOURCE, TAG_FRAMES);
    for (struct mail *mail; (mail = next_mail(self)) != NULL; free(mail)) {
        if (mail->length > 0)
            self->others[mail->from] = (struct rank){.heard = ts_seconds(),
                                                     .lost = self->others[mail->from].ended,
                                                     .ended = self->others[mail->from].ended};
        for (size_t at = 0; at < (size_t)mail->length;) {
            const struct ts_frame *frame = (const struct ts_frame *)(const void *)(mail->text + at);
            take(context, (unsigned)mail->from, frame);
            at += size_of(frame);
        }
    }
    for (int i = 1; i < self->count; i++)
        if (ts_seconds() - self->others[i].heard > self->silence)
            self->others[i].lost = true;
}

static void bury(struct ts_ranks *self, unsigned rank)
{
    self->others[rank].lost = self->others[rank].ended = true;
}

static bool lost(const struct ts_ranks *self, unsigned rank)
{
    return self->others[rank].lost;
}

static void ignore(void *context, unsigned from, const struct ts_frame *frame)
{
    (void)context, (void)from, (void)frame;
}

// Receives what is on its way, until all have said that nothing more comes.
static void wait_for_byes(struct ts_ranks *self)
{
    double until = ts_seconds() + BYE_S;
    for (int missing = self->count - 1; missing && ts_seconds() < until; usleep(NAP_US)) {
        poll(self, ignore, NULL);
        for (; missing && is_there(MPI_ANY_SOURCE, TAG_BYE); missing--)
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_BYE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    while (self->mails && ts_seconds() < until)
        poll(self, ignore, NULL);
}

// Everything is written and closed by now: not before, because a launcher ends the job when a rank
// ends without MPI_Finalize.
static void at_exit(int status, void *context)
{
    struct ts_ranks *self = context;
    fflush(NULL);
    for (int i = 1; self->rank == 0 && i < self->count; i++)
        if (!self->others[i].lost)
            post(i, TAG_END, &self->whole, sizeof self->whole);
    if (!self->whole)
        _exit(status);
    if (self->rank == 0)
        wait_for_byes(self);
    MPI_Finalize();
    free(self->others);
    free(self->out.text);
    free(self->sending.text);
    free(self);
}

static void end(struct ts_ranks *self, bool whole)
{
    self->whole = whole;
    on_exit(at_exit, self);
}

// --- the others

static void say(struct ts_ranks *self, const struct ts_frame *frame)
{
    struct buffer *out = &self->out;
    size_t size = size_of(frame);
    if (out->room - out->length < size) {
        out->room = 2 * (out->room + size);
        out->text = ts_need(realloc(out->text, out->room), "the list of runs");
    }
    memset(out->text + out->length, 0, size);
    memcpy(out->text + out->length, frame, sizeof *frame + frame->length);
    out->length += size;
}

// Sends what has been collected, if the message before it is gone.
static void flush(struct ts_ranks *self)
{
    int done = 0;
    if (MPI_Test(&self->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        self->others[0].lost = true;
    if (!done || self->out.length == 0)
        return;
    struct buffer empty = self->sending;
    self->sending = self->out;
    self->out = (struct buffer){empty.text, 0, empty.room};
    if (MPI_Isend(self->sending.text, (int)self->sending.length, MPI_BYTE, 0, TAG_FRAMES,
                  MPI_COMM_WORLD, &self->request) != MPI_SUCCESS)
        self->others[0].lost = true;
}

static bool hear(struct ts_ranks *self, void (*give_run)(struct ts_hands *hands, size_t index),
                 struct ts_hands *hands)
{
    flush(self);
    begin_mails(self, 0, TAG_RUNS);
    for (struct mail *mail; (mail = next_mail(self)) != NULL; free(mail))
        for (size_t at = 0; at + sizeof(uint64_t) <= (size_t)mail->length; at += sizeof(uint64_t)) {
            uint64_t index;
            memcpy(&index, mail->text + at, sizeof index);
            give_run(hands, index);
        }
    if (is_there(0, TAG_END)) {
        MPI_Recv(&self->whole, sizeof self->whole, MPI_BYTE, 0, TAG_END, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return false;
    }
    return !self->others[0].lost;
}

static void leave(struct ts_ranks *self)
{
    if (self->whole) {
        MPI_Wait(&self->request, MPI_STATUS_IGNORE);
        post(0, TAG_BYE, NULL, 0);
    }
    on_exit(at_exit, self);
    exit(TS_OK);
}

// --- the module

__attribute__((visibility("default"))) extern const struct ts_ranks_ops tensim_mpi;
const struct ts_ranks_ops tensim_mpi = {
    .join = join,
    .give = give,
    .poll = poll,
    .bury = bury,
    .lost = lost,
    .end = end,
    .say = say,
    .hear = hear,
    .leave = leave,
};
