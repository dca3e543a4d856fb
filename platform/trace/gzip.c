#include "platform/trace/gzip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LEAST = 4, MOST = 258 }; // bytes of a repetition
#define BLOCK_ENDS 256u         // a symbol; those of lengths come after it

// --- bits ---

int ts_write_all(int file, const void *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t done = write(file, (const char *)bytes + at, length - at);
        if (done < 0 && errno != EINTR)
            return errno;
        at += done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static void write_out(struct ts_gzip *self)
{
    int error = self->error ? 0 : ts_write_all(self->file, self->out, self->used);
    self->error = self->error ? self->error : error;
    self->used = 0;
}

static inline void put_bits(struct ts_gzip *self, uint64_t bits, unsigned count)
{
    self->bits |= bits << self->bit_count;
    self->bit_count += count;
    if (self->bit_count < 32)
        return;
    for (unsigned i = 0; i < 4; i++)
        self->out[self->used++] = (unsigned char)(self->bits >> 8 * i);
    self->bits >>= 32;
    self->bit_count -= 32;
    if (self->used > sizeof self->out - 8)
        write_out(self);
}

static inline unsigned reversed(unsigned code, unsigned bits)
{
    unsigned result = 0;
    for (unsigned i = 0; i < bits; i++)
        result |= (code >> i & 1) << (bits - 1 - i);
    return result;
}

// --- symbols ---

#define COUNT 24 // where a code has the number of its bits

static inline void put_code(struct ts_gzip *self, uint32_t code)
{
    put_bits(self, code & ((1u << COUNT) - 1), code >> COUNT);
}

// The fixed codes: RFC 1951, 3.2.6.
static uint32_t code_of(unsigned symbol)
{
    unsigned bits = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    unsigned code = symbol < 144   ? 0x30 + symbol
                    : symbol < 256 ? 0x190 + symbol - 144
                    : symbol < 280 ? symbol - 256
                                   : 0xc0 + symbol - 280;
    return reversed(code, bits) | bits << COUNT;
}

// A length or a distance, counted from 0, as symbol and extra bits: 2^steps symbols have as many of
// them.
static inline unsigned symbol_of(unsigned value, unsigned steps, unsigned *extra)
{
    unsigned high = 31 - (unsigned)__builtin_clz(value | 1);
    *extra = high > steps ? high - steps : 0;
    return (value >> *extra) + (*extra << steps);
}

static void make_codes(struct ts_gzip *self)
{
    for (unsigned i = 0; i < 256; i++)
        self->literal[i] = code_of(i);
    for (unsigned i = 3; i < MOST; i++) {
        unsigned extra, symbol = symbol_of(i - 3, 2, &extra);
        uint32_t code = code_of(BLOCK_ENDS + 1 + symbol), bits = code >> COUNT;
        self->length_of[i] = ((code | ((i - 3) & ((1u << extra) - 1)) << bits) &
                              ((1u << COUNT) - 1)) |
                             (bits + extra) << COUNT;
    }
    self->length_of[MOST] = code_of(285); // has a symbol of its own
    for (unsigned i = 0; i < 30; i++)
        self->distance_of[i] = reversed(i, 5);
}

static inline void put_repetition(struct ts_gzip *self, unsigned length, unsigned distance)
{
    unsigned extra, symbol = symbol_of(distance - 1, 1, &extra);
    put_code(self, self->length_of[length]);
    put_bits(self,
             self->distance_of[symbol] | (uint64_t)((distance - 1) & ((1u << extra) - 1)) << 5,
             5 + extra);
}

// --- repetitions ---

static inline uint32_t load32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// The first byte in memory that is not 0.
static inline unsigned differs(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (unsigned)__builtin_ctzll(word) / 8;
#else
    return (unsigned)__builtin_clzll(word) / 8;
#endif
}

static inline unsigned same_bytes(const char *a, const char *b, unsigned most)
{
    unsigned length = 0;
    while (length + 8 <= most) {
        uint64_t x, y;
        memcpy(&x, a + length, 8);
        memcpy(&y, b + length, 8);
        if (x != y)
            return length + differs(x ^ y);
        length += 8;
    }
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

void ts_gzip_add(struct ts_gzip *self, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    uint32_t first = (uint32_t)self->length;
    self->checksum = (uint32_t)crc32_z(self->checksum, (const unsigned char *)text, length);
    self->length += length;
    while (end - at >= LEAST) {
        uint32_t word = load32(at), here = first + (uint32_t)(at - text);
        uint32_t *latest = &self->latest[word * 2654435761u >> 18];
        uint32_t distance = here + 1 - *latest;
        bool known = *latest != 0 && distance <= TS_GZIP_WINDOW && distance > 0;
        *latest = here + 1;
        if (!known || load32(at - distance) != word) {
            put_code(self, self->literal[(unsigned char)*at++]);
            continue;
        }
        size_t left = (size_t)(end - at);
        unsigned same = same_bytes(at, at - distance, left < MOST ? (unsigned)left : MOST);
        put_repetition(self, same, distance);
        at += same;
    }
    while (at < end)
        put_code(self, self->literal[(unsigned char)*at++]);
}

// --- the file ---

void ts_gzip_begin(struct ts_gzip *self, int file)
{
    // No name, no time: the same bytes whenever and wherever it is written.
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    memset(self, 0, sizeof *self);
    self->file = file;
    make_codes(self);
    memcpy(self->out, head, sizeof head);
    self->used = sizeof head;
    put_bits(self, 1 | 1 << 1, 3); // the last block, with fixed codes
}

int ts_gzip_end(struct ts_gzip *self)
{
    put_code(self, code_of(BLOCK_ENDS));
    put_bits(self, 0, (8 - self->bit_count % 8) % 8);
    put_bits(self, self->checksum & 0xffff, 16);
    put_bits(self, self->checksum >> 16, 16);
    put_bits(self, self->length & 0xffff, 16); // modulo 2^32
    put_bits(self, self->length >> 16 & 0xffff, 16);
    while (self->bit_count > 0) {
        self->out[self->used++] = (unsigned char)self->bits;
        self->bits >>= 8;
        self->bit_count -= self->bit_count < 8 ? self->bit_count : 8;
    }
    write_out(self);
    return self->error;
}
