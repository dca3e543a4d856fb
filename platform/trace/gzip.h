// Compresses a trace to gzip (RFC 1951, 1952) as fast as a simulation writes it, with the same bytes on
// every host and with every version of zlib.
//
// A trace repeats its lines but for a few digits. So a line is a phrase, text that is made and read only once, and
// a number: if the phrase stands in the last 32 KiB, it is written as one reference, which goes on as far as the
// digits are the same. Its checksum is known. Other text, and a phrase that stood further back, is spelled: parts
// of it that were spelled before become references. Codes are the fixed ones of the RFC.
#ifndef TENSIM_TRACE_GZIP_H
#define TENSIM_TRACE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_GZIP_HASHES  8192u
#define TS_GZIP_HISTORY 65536u // bytes of spelled text
#define TS_PHRASE_MOST  1000u  // bytes of a phrase
#define TS_DIGITS_MOST  24u    // of a number

// Made by ts_gzip_learn.
struct ts_phrase {
    const char *text;
    uint32_t length;
    uint32_t checksum; // of the text alone
    uint64_t end;      // of the text, where it stood last
    // The number behind it there: all but the last three digits, and the codes of these.
    uint64_t whole;
    uint32_t low;
    uint32_t distance, back; // of the last reference to it, and the code of that
    // With a number of so many digits: what both make of a checksum, and what the phrase adds.
    uint32_t digits, moved;
    const uint32_t (*after)[256];
};

// What stands before the last three digits of a number; kept, because it seldom changes.
struct ts_digits {
    uint64_t whole;
    bool point; // between them
    uint32_t length;
    uint32_t checksum; // with three bytes of 0 behind it
    char text[TS_DIGITS_MOST];
};

// What changes with every line.
struct ts_gzip_end {
    uint64_t length; // of the text
    uint64_t bits;   // that wait for a full byte
    unsigned bit_count;
    uint32_t checksum; // of the text, without the inversion at its end
    size_t used;       // bytes in out
};

struct ts_gzip {
    int file;  // a descriptor
    int error; // the first errno
    struct ts_gzip_end end;
    struct ts_digits time, number;
    // Codes of bytes, lengths and distances: the bits, and above them how many there are.
    uint32_t literal[256], length_of[259], distance_of[30];
    uint32_t low[1000], low_checksum[1000]; // of three digits: their codes, their checksum
    // What so many bytes of 0 make of each byte of a checksum. Made when it is needed.
    uint32_t after[TS_PHRASE_MOST + TS_DIGITS_MOST + 1][4][256];
    // Text that was spelled, and where four bytes with a hash began last in it and in the stream.
    size_t spelled;
    struct ts_gzip_place {
        uint32_t at, end; // of that piece of text; 0: none
        uint64_t position;
    } latest[TS_GZIP_HASHES];
    char history[TS_GZIP_HISTORY];
    unsigned char out[1u << 16];
};

// All of the bytes. Returns 0, or an errno.
int ts_write_all(int file, const void *bytes, size_t length);

// `self` is all zeros.
void ts_gzip_begin(struct ts_gzip *self, int file);
void ts_gzip_text(struct ts_gzip *self, const char *text, size_t length);
// A phrase with this text, at most TS_PHRASE_MOST bytes, which stay where they are.
struct ts_phrase ts_gzip_learn(const char *text, size_t length);
// Lines, each of them a time in thousandths behind the second phrase. If the first one is not empty, it is
// before that, with a number of its own behind it: then there are two numbers a line.
void ts_gzip_lines(struct ts_gzip *self, struct ts_phrase phrases[2], const uint64_t *numbers,
                   unsigned lines);
// Ends the stream; does not close the file. Returns 0, or an errno.
int ts_gzip_end(struct ts_gzip *self);

// Writes the digits of a number, at most 20. Returns how many.
unsigned ts_digits_of(uint64_t value, char *to);

#endif
