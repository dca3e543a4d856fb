#include "platform/trace/coder.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW (sizeof((struct ts_coder *)0)->window - TS_PHRASE_UNIT)

// Room for `most` bytes behind the text. What may be repeated moves to the start of the window.
static char *room(struct ts_coder *self, size_t most)
{
    if (most > WINDOW - self->used) {
        size_t kept = self->used < TS_GZIP_WINDOW ? self->used : TS_GZIP_WINDOW;
        memmove(self->window, self->window + self->used - kept, kept);
        self->used = kept;
    }
    return self->window + self->used;
}

static void add_text(struct ts_coder *self, const struct ts_coder_block *block,
                     const struct ts_piece *piece)
{
    char *to = room(self, piece->length);
    memcpy(to, block->text + piece->few, piece->length);
    ts_gzip_add(&self->gzip, to, piece->length);
    if (piece->head)
        ts_gzip_learn(&self->gzip, piece->head);
    self->used += piece->length;
}

static void add_phrase(struct ts_coder *self, struct ts_phrase *phrase)
{
    ts_gzip_add_phrase(&self->gzip, self->window + self->used, phrase);
    self->used += phrase->length;
}

static void add(struct ts_coder *self, const struct ts_coder_block *block,
                const struct ts_piece *piece)
{
    if (piece->text) {
        add_text(self, block, piece);
        return;
    }
    char *to = room(self, 2 * TS_PHRASE_MOST + 8);
    if (piece->head && piece->tail) {
        ts_gzip_add_line(&self->gzip, to, piece->head, piece->few, piece->length, piece->tail);
        self->used += piece->head->length + piece->length + piece->tail->length;
        return;
    }
    if (piece->head)
        add_phrase(self, piece->head);
    if (piece->length) {
        uint64_t word = ts_gzip_order(piece->few);
        memcpy(self->window + self->used, &word, sizeof word);
        ts_gzip_add_few(&self->gzip, self->window + self->used, piece->few, piece->length);
        self->used += piece->length;
    }
    if (piece->tail)
        add_phrase(self, piece->tail);
}

static void *work(void *argument)
{
    struct ts_coder *self = argument;
    pthread_mutex_lock(&self->lock);
    for (;;) {
        while (self->filled == NULL && !self->quit)
            pthread_cond_wait(&self->changed, &self->lock);
        struct ts_coder_block *block = self->filled;
        if (block == NULL)
            break;
        pthread_mutex_unlock(&self->lock);
        for (unsigned i = 0; i < block->count; i++)
            add(self, block, &block->pieces[i]);
        block->count = 0;
        pthread_mutex_lock(&self->lock);
        self->filled = NULL;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static void free_all(struct ts_coder *self)
{
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->changed);
    free(self);
}

struct ts_coder *ts_coder_new(int file)
{
    struct ts_coder *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    ts_gzip_begin(&self->gzip, file);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    if (pthread_create(&self->thread, NULL, work, self) == 0)
        return self;
    free_all(self);
    return NULL;
}

void ts_coder_wait(struct ts_coder *self)
{
    pthread_mutex_lock(&self->lock);
    while (self->filled)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

struct ts_coder_block *ts_coder_pass(struct ts_coder *self, struct ts_coder_block *block)
{
    pthread_mutex_lock(&self->lock);
    while (self->filled)
        pthread_cond_wait(&self->changed, &self->lock);
    self->filled = block;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return block == &self->blocks[0] ? &self->blocks[1] : &self->blocks[0];
}

int ts_coder_free(struct ts_coder *self)
{
    ts_coder_wait(self);
    pthread_mutex_lock(&self->lock);
    self->quit = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    int error = ts_gzip_end(&self->gzip);
    free_all(self);
    return error;
}
