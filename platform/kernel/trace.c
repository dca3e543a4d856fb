#include "platform/kernel/trace.h"

#include <pthread.h>

#define AHEAD \
    8 // records that the writer fetches from the other thread's cache before it needs them

struct ts_trace {
    struct ts_trace_ring *rings;
    size_t domains;
    struct ts_trace_writer **writers;
    size_t writer_count;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool pending; // the spare buffers hold records to be written
    bool quit;
};

bool ts_trace_grow(struct ts_trace_ring *ring)
{
    if (ring->shut)
        return false;
    size_t capacity = 2 * ring->capacity;
    struct ts_record *records = realloc(ring->records, capacity * sizeof *records);
    if (records == NULL) {
        ring->lost++;
        return false;
    }
    ring->records = records;
    ring->capacity = capacity;
    ring->grown++;
    return true;
}

static void write_spares(struct ts_trace *self)
{
    for (size_t domain = 0; domain < self->domains; domain++) {
        struct ts_trace_ring *ring = &self->rings[domain];
        const struct ts_record *record = ring->spare, *end = record + ring->spare_count;
        for (; record < end; record++) {
            __builtin_prefetch(record + AHEAD);
            for (size_t w = 0; w < self->writer_count; w++)
                self->writers[w]->record(self->writers[w], record);
        }
        ring->spare_count = 0;
    }
}

static void *drain(void *argument)
{
    struct ts_trace *self = argument;
    pthread_mutex_lock(&self->lock);
    for (;;) {
        while (!self->pending && !self->quit)
            pthread_cond_wait(&self->changed, &self->lock);
        if (!self->pending)
            break;
        pthread_mutex_unlock(&self->lock);
        write_spares(self);
        pthread_mutex_lock(&self->lock);
        self->pending = false;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void free_rings(struct ts_trace *self)
{
    for (size_t i = 0; self->rings && i < self->domains; i++) {
        free(self->rings[i].records);
        free(self->rings[i].spare);
    }
    free(self->rings);
    free(self);
}

struct ts_trace *ts_trace_new(size_t domains, size_t capacity)
{
    struct ts_trace *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->domains = domains;
    self->rings = aligned_alloc(_Alignof(struct ts_trace_ring), domains * sizeof *self->rings);
    bool whole = self->rings != NULL;
    if (whole)
        memset(self->rings, 0, domains * sizeof *self->rings);
    for (size_t i = 0; self->rings && i < domains; i++) {
        self->rings[i].capacity = self->rings[i].spare_capacity = capacity;
        self->rings[i].records = malloc(capacity * sizeof *self->rings[i].records);
        self->rings[i].spare = malloc(capacity * sizeof *self->rings[i].spare);
        whole = whole && self->rings[i].records && self->rings[i].spare;
    }
    if (!whole || !ts_trace_return(self)) {
        free_rings(self);
        return NULL;
    }
    return self;
}

bool ts_trace_return(struct ts_trace *self)
{
    self->quit = false;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    if (pthread_create(&self->thread, NULL, drain, self) == 0)
        return true;
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->changed);
    return false;
}

void ts_trace_leave(struct ts_trace *self)
{
    pthread_mutex_lock(&self->lock);
    self->quit = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    // Whether it waited at the time is not left in the model.
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->changed);
    memset(&self->lock, 0, sizeof self->lock);
    memset(&self->changed, 0, sizeof self->changed);
    memset(&self->thread, 0, sizeof self->thread);
}

bool ts_trace_add_writer(struct ts_trace *self, struct ts_trace_writer *writer)
{
    struct ts_trace_writer **writers = realloc(self->writers,
                                               (self->writer_count + 1) * sizeof *writers);
    if (writers == NULL)
        return false;
    self->writers = writers;
    self->writers[self->writer_count++] = writer;
    for (size_t i = 0; i < self->domains; i++) {
        self->rings[i].detail |= writer->detail;
        self->rings[i].busy = self->writer_count == 1 ? writer->busy : NULL;
    }
    return true;
}

struct ts_trace_ring *ts_trace_ring(struct ts_trace *self, size_t domain)
{
    return &self->rings[domain];
}

static void swap_buffers(struct ts_trace_ring *ring)
{
    struct ts_record *records = ring->records;
    size_t capacity = ring->capacity;
    ring->records = ring->spare;
    ring->capacity = ring->spare_capacity;
    ring->spare = records;
    ring->spare_capacity = capacity;
    ring->spare_count = ring->count;
    ring->count = 0;
}

void ts_trace_sync(struct ts_trace *self, bool flush)
{
    bool full = flush;
    for (size_t i = 0; i < self->domains && !full; i++)
        full = self->rings[i].count >= self->rings[i].capacity / 2;
    if (!full)
        return;
    pthread_mutex_lock(&self->lock);
    while (self->pending)
        pthread_cond_wait(&self->changed, &self->lock);
    for (size_t i = 0; i < self->domains; i++)
        swap_buffers(&self->rings[i]);
    self->pending = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

void ts_trace_drain(struct ts_trace *self)
{
    ts_trace_sync(self, true);
    ts_trace_wait(self);
}

void ts_trace_wait(struct ts_trace *self)
{
    pthread_mutex_lock(&self->lock);
    while (self->pending)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

int ts_trace_free(struct ts_trace *self)
{
    if (self == NULL)
        return 0;
    ts_trace_sync(self, true);
    ts_trace_leave(self);
    int error = 0;
    for (size_t w = 0; w < self->writer_count; w++) {
        int result = self->writers[w]->close(self->writers[w]);
        error = error ? error : result;
    }
    for (size_t i = 0; i < self->domains; i++)
        if (self->rings[i].lost)
            error = error ? error : ENOMEM;
    free(self->writers);
    free_rings(self);
    return error;
}
