// Compresses a stream of text to gzip (RFC 1951, 1952) as fast as a simulation writes its trace, with the
// same bytes on every host and with every version of zlib.
//
// A trace repeats its lines but for a few digits. The writer says so: text that it has written before
// is a phrase, which knows where it stood last and its own checksum. So a phrase becomes a reference
// without a search, its bytes are not looked at again, and a reference goes on as long as the text
// after it is the same too. Other text is searched for repetitions: one look into a table finds the
// latest place with the same four bytes. Codes are the fixed ones of the RFC.
#ifndef TENSIM_TRACE_GZIP_H
#define TENSIM_TRACE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_GZIP_WINDOW 32768u // as far as the format looks back
#define TS_GZIP_HASHES 16384u
#define TS_PHRASE_MOST 400u // bytes of a phrase
#define TS_PHRASE_UNIT 32u  // bytes that are copied at once

struct ts_phrase {
    const char *text; // in whole units
    uint64_t last;    // where it stood last, plus 1
    uint32_t length;
    uint32_t checksum; // of the text alone
};

// What changes with every piece of text.
struct ts_gzip_end {
    uint64_t length; // of the text
    uint64_t bits;   // that wait for a full byte
    unsigned bit_count;
    // The repetition at the end of the text, which may still get longer. Length 0: none.
    uint32_t same, distance;
    uint32_t checksum; // of the text, without the inversion at its end
    size_t used;       // bytes in out
};

struct ts_gzip {
    int file;  // a descriptor
    int error; // the first errno
    struct ts_gzip_end end;
    // Codes of bytes, lengths and distances: the bits, and above them how many there are.
    uint32_t literal[256], length_of[259], distance_of[30];
    uint32_t latest[TS_GZIP_HASHES]; // where four bytes with this hash began last, plus 1
    uint32_t bytewise[256];          // the checksum of a byte
    // What so many bytes of 0 make of each byte of a checksum. Made when it is needed.
    uint32_t after[TS_PHRASE_MOST + 1][4][256];
    unsigned char out[1u << 16];
};

// The bytes of a word in the order of text: the lowest first.
static inline uint64_t ts_gzip_order(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap64(word);
#endif
}

// All of the bytes. Returns 0, or an errno.
int ts_write_all(int file, const void *bytes, size_t length);

// `self` is all zeros.
void ts_gzip_begin(struct ts_gzip *self, int file);

// These add text that stands behind the text that was added before: the TS_GZIP_WINDOW bytes before
// it, or all that were added, are still there.
void ts_gzip_add(struct ts_gzip *self, const char *text, size_t length);
// Characters that do not repeat, digits for example.
void ts_gzip_add_short(struct ts_gzip *self, const char *text, size_t length);
// The same for up to eight of them, which are also given as a number with the first one lowest.
void ts_gzip_add_few(struct ts_gzip *self, const char *text, uint64_t bytes, unsigned length);
// Writes a phrase to `text`, in whole units, and adds it.
void ts_gzip_add_phrase(struct ts_gzip *self, char *text, struct ts_phrase *phrase);
// The same for a phrase, up to eight characters as above, which are written too, and another phrase.
void ts_gzip_add_line(struct ts_gzip *self, char *text, struct ts_phrase *head, uint64_t between,
                      unsigned length, struct ts_phrase *tail);
// The text of a phrase, which is set, was added last.
void ts_gzip_learn(struct ts_gzip *self, struct ts_phrase *phrase);

// Ends the stream; does not close the file. Returns 0, or an errno.
int ts_gzip_end(struct ts_gzip *self);

#endif
