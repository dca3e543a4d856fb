// Compresses a stream of text to gzip (RFC 1951, 1952) as fast as a simulation writes its trace, with the
// same bytes on every host and with every version of zlib.
//
// A trace repeats its lines: the nearest text with the same four bytes is nearly always long. So one
// look into a table finds it, and codes are the fixed ones of the RFC. zlib's fastest level takes
// four times the instructions, for a file that is a sixth shorter.
#ifndef TENSIM_TRACE_GZIP_H
#define TENSIM_TRACE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_GZIP_WINDOW 32768u // as far as the format looks back
#define TS_GZIP_HASHES 16384u

struct ts_gzip {
    int file;          // a descriptor
    int error;         // the first errno
    uint32_t checksum; // of the text
    uint64_t length;   // of the text
    uint64_t bits;     // that wait for a full word
    unsigned bit_count;
    // Codes of bytes, lengths and distances: the bits, and above them how many there are.
    uint32_t literal[256], length_of[259], distance_of[30];
    uint32_t latest[TS_GZIP_HASHES]; // where four bytes with this hash began last, plus 1
    size_t used;
    unsigned char out[1u << 16];
};

// All of the bytes. Returns 0, or an errno.
int ts_write_all(int file, const void *bytes, size_t length);

void ts_gzip_begin(struct ts_gzip *self, int file);
// Adds `length` bytes; the TS_GZIP_WINDOW bytes before `text`, or all that were added, still stand
// there.
void ts_gzip_add(struct ts_gzip *self, const char *text, size_t length);
// Ends the stream; does not close the file. Returns 0, or an errno.
int ts_gzip_end(struct ts_gzip *self);

#endif
