// Messages of a cluster over MPI (wire.h). Nothing waits inside of MPI: requests are tested, at first without a pause, because
// windows are short, then with the core given to others.
#include "platform/base/clock.h"
#include "platform/cluster/wire.h"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#define TAG        7
#define SPINS      2000  // tests before others get the core
#define YIELDS     20000 // and before this process sleeps between them
#define NAP_US     200
#define ASK_S      0.02       // between two questions to the owner
#define MOST_BYTES (1u << 30) // of a message

static const struct ts_wire_owner *owner;

struct waiting {
    unsigned tests;
    double since, asked;
};

// After a test that has found nothing.
static void rest(struct waiting *waiting, int result)
{
    if (result != MPI_SUCCESS)
        owner->fails();
    if (waiting->tests++ < SPINS)
        return;
    // On a busy host every yield takes milliseconds.
    double now = ts_seconds();
    if (waiting->since == 0)
        waiting->since = waiting->asked = now;
    if (now - waiting->asked > ASK_S) {
        waiting->asked = now;
        owner->waits(now - waiting->since);
    }
    if (waiting->tests < YIELDS)
        sched_yield();
    else
        usleep(NAP_US);
}

static void finish(MPI_Request *request)
{
    struct waiting waiting = {0};
    for (int done = 0;;) {
        int result = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done && result == MPI_SUCCESS)
            return;
        rest(&waiting, result);
    }
}

static bool join(unsigned rank, unsigned ranks, const struct ts_wire_owner *asked,
                 struct ts_error *error)
{
    int given = 0, at = 0, count = 0;
    owner = asked;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &at);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (at == (int)rank && count == (int)ranks)
        return true;
    ts_fail(
        error, TS_SETUP,
        "the launcher says rank %u of %u, MPI says %d of %d: start tensim with the launcher of the "
        "MPI that it was built with (with srun: --mpi=pmix)",
        rank, ranks, at, count);
    MPI_Finalize();
    return false;
}

// Begins to receive a message from a rank, if one is there.
static bool begin(unsigned rank, struct ts_wire_mail *mail, MPI_Request *request, int *result)
{
    int there = 0, length = 0;
    MPI_Message message;
    MPI_Status status;
    *result = MPI_Improbe((int)rank, TAG, MPI_COMM_WORLD, &there, &message, &status);
    if (*result != MPI_SUCCESS || !there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    mail->in_length = (size_t)length;
    mail->in = ts_need(malloc((size_t)length + 1), "the cluster of ranks");
    MPI_Imrecv(mail->in, length, MPI_BYTE, &message, request);
    return true;
}

static void swap(const unsigned *ranks, size_t count, struct ts_wire_mail *mails)
{
    MPI_Request *requests = malloc(2 * count * sizeof *requests);
    bool *begun = calloc(count, sizeof *begun);
    size_t missing = count;
    if (requests == NULL || begun == NULL)
        ts_out_of_memory("the cluster of ranks");
    for (size_t i = 0; i < count; i++)
        MPI_Isend(mails[i].out, (int)mails[i].out_length, MPI_BYTE, (int)ranks[i], TAG,
                  MPI_COMM_WORLD, &requests[i]);
    for (struct waiting waiting = {0}; missing;) {
        int result = MPI_SUCCESS;
        size_t before = missing;
        for (size_t i = 0; i < count; i++)
            if (!begun[i] && begin(ranks[i], &mails[i], &requests[count + i], &result)) {
                begun[i] = true;
                missing--;
            }
        if (before == missing)
            rest(&waiting, result);
    }
    for (size_t i = 0; i < 2 * count; i++)
        finish(&requests[i]);
    free(requests);
    free(begun);
}

static void reduce(uint64_t *values, size_t count, enum ts_wire_what what)
{
    const MPI_Op ops[] = {
        [TS_WIRE_LEAST] = MPI_MIN, [TS_WIRE_MOST] = MPI_MAX, [TS_WIRE_SUM] = MPI_SUM};
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, ops[what], MPI_COMM_WORLD,
                   &request);
    finish(&request);
}

static void spread(unsigned rank, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        size_t part = length - done < MOST_BYTES ? length - done : MOST_BYTES;
        MPI_Request request;
        MPI_Ibcast((char *)bytes + done, (int)part, MPI_BYTE, (int)rank, MPI_COMM_WORLD, &request);
        finish(&request);
        done += part;
    }
}

static void leave(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    finish(&request);
    MPI_Finalize();
}

__attribute__((visibility("default"))) extern const struct ts_wire tensim_wire;
const struct ts_wire tensim_wire = {join, swap, reduce, spread, leave};
