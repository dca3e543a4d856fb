// Words that order accesses; see check.h.
#include "platform/check/check.h"

#define PROBES 8u

bool ts_check_words_init(struct ts_check_words *self)
{
    self->table = calloc(TS_CHECK_WORDS, sizeof *self->table);
    return self->table != NULL;
}

void ts_check_words_free(struct ts_check_words *self)
{
    for (unsigned i = 0; self->table && i < TS_CHECK_WORDS; i++)
        ts_releases_free(&self->table[i].releases);
    free(self->table);
    self->table = NULL;
}

static struct ts_check_word *place(const struct ts_check_words *self, uint32_t address,
                                   unsigned probe)
{
    uint32_t hash = (address / 4) * 0x9e3779b1u >> 20;
    return &self->table[(hash + probe) % TS_CHECK_WORDS];
}

struct ts_check_word *ts_check_word_find(const struct ts_check_words *self, uint32_t address)
{
    for (unsigned i = 0; i < PROBES; i++) {
        struct ts_check_word *word = place(self, address, i);
        if (word->word == address / 4 + 1)
            return word;
    }
    return NULL;
}

struct ts_check_word *ts_check_word_make(struct ts_check_words *self, uint32_t address)
{
    struct ts_check_word *word = ts_check_word_find(self, address), *other = NULL;
    for (unsigned i = 0; i < PROBES && word == NULL; i++) {
        struct ts_check_word *one = place(self, address, i);
        if (one->word == 0)
            word = one;
        else if (!one->sync && other == NULL)
            other = one;
    }
    if (word == NULL)
        word = other;
    if (word && word->word != address / 4 + 1) {
        ts_releases_free(&word->releases);
        *word = (struct ts_check_word){.word = address / 4 + 1};
    }
    return word;
}

void ts_check_words_host(struct ts_check_words *self, uint64_t address, uint64_t length)
{
    for (unsigned i = 0; i < TS_CHECK_WORDS; i++) {
        struct ts_check_word *word = &self->table[i];
        const uint64_t at = UINT64_C(4) * (word->word - 1);
        if (word->word && at + 4 > address && at < address + length)
            ts_releases_free(&word->releases);
    }
}
