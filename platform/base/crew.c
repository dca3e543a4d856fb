// A crew of threads; see crew.h.
#include "platform/base/crew.h"

#include <pthread.h>
#include <stdatomic.h>

struct crew {
    ts_crew_work *work;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool enough;
};

static void *serve(void *argument)
{
    struct crew *self = argument;
    while (!atomic_load(&self->enough)) {
        size_t index = atomic_fetch_add(&self->next, 1);
        if (index >= self->count)
            break;
        if (!self->work(self->context, index))
            atomic_store(&self->enough, true);
    }
    return NULL;
}

void ts_crew_run(size_t count, unsigned threads, ts_crew_work *work, void *context)
{
    struct crew self = {.work = work, .context = context, .count = count};
    pthread_t others[TS_CREW_THREADS];
    size_t started = 0;
    // With fewer threads than asked for it takes longer, nothing else.
    while (started + 1 < threads && started + 1 < count && started < TS_CREW_THREADS &&
           pthread_create(&others[started], NULL, serve, &self) == 0)
        started++;
    serve(&self);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
