#include "platform/trace/gzip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LEAST = 4, MOST = 258 }; // bytes of a repetition
enum { MOST_BITS = 56 };
#define BLOCK_ENDS 256u // a symbol; those of lengths come after it

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

#define AT_ONCE 64u // bytes of out that are free between two calls

static __attribute__((noinline, cold)) void write_out(struct ts_gzip *self)
{
    int error = self->error ? 0 : ts_write_all(self->file, self->out, self->end.used);
    self->error = self->error ? self->error : error;
    self->end.used = 0;
}

// Makes sure of the next AT_ONCE bytes.
static inline void make_room(struct ts_gzip *self)
{
    if (__builtin_expect(self->end.used > sizeof self->out - AT_ONCE, 0))
        write_out(self);
}

// At most MOST_BITS at once. Whole bytes leave.
static inline void put_bits(struct ts_gzip *self, struct ts_gzip_end *end, uint64_t bits,
                            unsigned count)
{
    unsigned all = end->bit_count + count;
    bits = end->bits | bits << end->bit_count;
    uint64_t word = ts_gzip_order(bits);
    memcpy(self->out + end->used, &word, sizeof word);
    end->bits = bits >> (all & ~7u);
    end->bit_count = all & 7;
    end->used += all / 8;
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

static inline void put_repetition(struct ts_gzip *self, struct ts_gzip_end *end)
{
    unsigned extra, symbol = symbol_of(end->distance - 1, 1, &extra);
    uint32_t length = self->length_of[end->same];
    uint64_t bits = self->distance_of[symbol] | ((end->distance - 1) & ((1u << extra) - 1)) << 5;
    put_bits(self, end, (length & ((1u << COUNT) - 1)) | bits << (length >> COUNT),
             (length >> COUNT) + 5 + extra);
    end->same = 0;
}

// --- checksums: a phrase's is known, and that of the text before it moves on as over bytes of 0 ---

static void make_bytewise(struct ts_gzip *self)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t sum = byte;
        for (unsigned bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        self->bytewise[byte] = sum;
    }
}

static inline uint32_t sum_bytes(const struct ts_gzip *self, uint32_t sum, const char *text,
                                 size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = self->bytewise[(sum ^ (unsigned char)text[i]) & 255] ^ sum >> 8;
    return sum;
}

static void make_after(struct ts_gzip *self, uint32_t length)
{
    for (unsigned byte = 0; byte < 4; byte++)
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t sum = 0;
            for (unsigned bit = 0; bit < 8; bit++) // of one bit: by steps, of several: their sum
                if (value >> bit & 1)
                    sum ^= self->after[length][byte][1u << bit];
            if ((value & (value - 1)) == 0 && value) {
                sum = value << 8 * byte;
                for (uint32_t i = 0; i < length; i++)
                    sum = self->bytewise[sum & 255] ^ sum >> 8;
            }
            self->after[length][byte][value] = sum;
        }
}

static inline uint32_t sum_after(const uint32_t after[4][256], uint32_t sum)
{
    return after[0][sum & 255] ^ after[1][sum >> 8 & 255] ^ after[2][sum >> 16 & 255] ^
           after[3][sum >> 24];
}

// Up to eight bytes, the first one lowest.
static inline uint32_t sum_few(const struct ts_gzip *self, uint32_t sum, uint64_t bytes,
                               unsigned length)
{
    if (length > 4) {
        sum = sum_after(self->after[4], sum ^ (uint32_t)bytes);
        bytes >>= 32;
        length -= 4;
    }
    return sum_after(self->after[length], sum ^ (uint32_t)bytes);
}

// --- repetitions ---

static inline uint32_t load32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t *latest_of(struct ts_gzip *self, uint32_t word)
{
    return &self->latest[word * 2654435761u >> 18];
}

// The first byte in memory that is not 0.
static inline unsigned differs(uint64_t word)
{
    return (unsigned)__builtin_ctzll(ts_gzip_order(word)) / 8;
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

static inline void begin(struct ts_gzip *self, struct ts_gzip_end *end, unsigned length,
                         uint32_t distance)
{
    if (end->same)
        put_repetition(self, end);
    end->same = length;
    end->distance = distance;
}

// The codes of eight bytes that are all below 144: each is the byte plus 0x30, its highest bit first.
static inline uint64_t codes_of(uint64_t bytes)
{
    const uint64_t nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f), pairs = UINT64_C(0x3333333333333333),
                   bits = UINT64_C(0x5555555555555555);
    uint64_t codes = bytes + UINT64_C(0x3030303030303030);
    codes = (codes >> 4 & nibbles) | (codes & nibbles) << 4;
    codes = (codes >> 2 & pairs) | (codes & pairs) << 2;
    return (codes >> 1 & bits) | (codes & bits) << 1;
}

static void put_literals(struct ts_gzip *self, const char *text, size_t length)
{
    struct ts_gzip_end *end = &self->end;
    if (length && end->same)
        put_repetition(self, end);
    while (length > 0) {
        unsigned part = length < 7 ? (unsigned)length : 7;
        uint64_t bytes = 0;
        memcpy(&bytes, text, part);
        make_room(self);
        if (bytes & UINT64_C(0x8080808080808080))
            for (unsigned i = 0; i < part; i++) {
                uint32_t code = self->literal[(unsigned char)text[i]];
                put_bits(self, end, code & ((1u << COUNT) - 1), code >> COUNT);
            }
        else
            put_bits(self, end, codes_of(ts_gzip_order(bytes)) & ((UINT64_C(1) << 8 * part) - 1),
                     8 * part);
        text += part;
        length -= part;
    }
}

// Looks for repetitions in text that is not part of the length yet.
static void search(struct ts_gzip *self, const char *text, size_t length)
{
    struct ts_gzip_end *end = &self->end;
    const char *at = text, *last = text + length;
    if (end->same) {
        unsigned most = MOST - end->same;
        unsigned more = same_bytes(at, at - end->distance, length < most ? (unsigned)length : most);
        end->same += more;
        at += more;
    }
    const char *literals = at;
    uint32_t first = (uint32_t)end->length;
    while (last - at >= LEAST) {
        uint32_t word = load32(at), here = first + (uint32_t)(at - text);
        uint32_t *latest = latest_of(self, word), distance = here + 1 - *latest;
        bool known = *latest != 0 && distance <= TS_GZIP_WINDOW && distance > 0;
        *latest = here + 1;
        if (!known || load32(at - distance) != word) {
            at++;
            continue;
        }
        size_t left = (size_t)(last - at);
        put_literals(self, literals, (size_t)(at - literals));
        make_room(self);
        begin(self, end, same_bytes(at, at - distance, left < MOST ? (unsigned)left : MOST),
              distance);
        at += end->same;
        literals = at;
    }
    put_literals(self, literals, (size_t)(last - literals));
}

void ts_gzip_add(struct ts_gzip *self, const char *text, size_t length)
{
    self->end.checksum = ~(uint32_t)crc32_z(~self->end.checksum, (const unsigned char *)text,
                                            length);
    search(self, text, length);
    self->end.length += length;
}

// Up to eight characters, also as a number.
static inline void add_few(struct ts_gzip *self, struct ts_gzip_end *end, const char *text,
                           uint64_t bytes, unsigned length)
{
    end->checksum = sum_few(self, end->checksum, bytes, length);
    end->length += length;
    if (end->same && end->same + length <= MOST) {
        uint64_t before, limit = length < 8 ? UINT64_C(1) << 8 * length : 0;
        memcpy(&before, text - end->distance, sizeof before);
        uint64_t differ = (bytes ^ ts_gzip_order(before)) | limit;
        unsigned more = differ ? (unsigned)__builtin_ctzll(differ) / 8 : 8;
        end->same += more;
        length -= more;
        if (length == 0)
            return;
        bytes >>= 8 * more;
    }
    if (end->same)
        put_repetition(self, end);
    uint64_t codes = codes_of(bytes);
    if (length > 4) {
        put_bits(self, end, codes & UINT32_MAX, 32);
        codes >>= 32;
        length -= 4;
    }
    put_bits(self, end, codes & ((UINT64_C(1) << 8 * length) - 1), 8 * length);
}

void ts_gzip_add_few(struct ts_gzip *self, const char *text, uint64_t bytes, unsigned length)
{
    make_room(self);
    struct ts_gzip_end end = self->end;
    add_few(self, &end, text, bytes, length);
    self->end = end;
}

void ts_gzip_add_short(struct ts_gzip *self, const char *text, size_t length)
{
    while (length > 0) {
        unsigned part = length < 8 ? (unsigned)length : 8;
        uint64_t bytes = 0;
        memcpy(&bytes, text, part);
        ts_gzip_add_few(self, text, ts_gzip_order(bytes), part);
        text += part;
        length -= part;
    }
}

static inline void copy(char *text, const struct ts_phrase *phrase)
{
    const char *from = phrase->text, *end = from + phrase->length;
    for (; from < end; from += TS_PHRASE_UNIT, text += TS_PHRASE_UNIT)
        memcpy(text, from, TS_PHRASE_UNIT);
}

// A phrase that stands in its place. `end` is a copy of the stream's.
static inline void add_phrase(struct ts_gzip *self, struct ts_gzip_end *end, const char *text,
                              struct ts_phrase *phrase)
{
    uint32_t length = phrase->length;
    uint64_t distance = end->length + 1 - phrase->last;
    phrase->last = end->length + 1;
    end->checksum = sum_after(self->after[length], end->checksum) ^ phrase->checksum;
    if (end->same && end->same + length <= MOST &&
        memcmp(text, text - end->distance, length) == 0) {
        end->same += length;
    } else if (__builtin_expect(distance <= TS_GZIP_WINDOW && length <= MOST, 1)) {
        begin(self, end, length, (uint32_t)distance);
    } else {
        self->end = *end;
        make_room(self);
        search(self, text, length);
        make_room(self);
        *end = self->end;
    }
    end->length += phrase->length;
}

void ts_gzip_add_phrase(struct ts_gzip *self, char *text, struct ts_phrase *phrase)
{
    make_room(self);
    struct ts_gzip_end end = self->end;
    copy(text, phrase);
    add_phrase(self, &end, text, phrase);
    self->end = end;
}

void ts_gzip_add_line(struct ts_gzip *self, char *text, struct ts_phrase *head, uint64_t between,
                      unsigned length, struct ts_phrase *tail)
{
    make_room(self);
    struct ts_gzip_end end = self->end;
    uint64_t word = ts_gzip_order(between);
    copy(text, head);
    memcpy(text + head->length, &word, sizeof word);
    copy(text + head->length + length, tail);
    add_phrase(self, &end, text, head);
    text += head->length;
    add_few(self, &end, text, between, length);
    add_phrase(self, &end, text + length, tail);
    self->end = end;
}

void ts_gzip_learn(struct ts_gzip *self, struct ts_phrase *phrase)
{
    if (self->after[phrase->length][0][1] == 0)
        make_after(self, phrase->length);
    phrase->last = self->end.length - phrase->length + 1;
    phrase->checksum = sum_bytes(self, 0, phrase->text, phrase->length);
}

// --- the file ---

void ts_gzip_begin(struct ts_gzip *self, int file)
{
    // No name, no time: the same bytes whenever and wherever it is written.
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    self->file = file;
    self->end.checksum = UINT32_MAX;
    make_codes(self);
    make_bytewise(self);
    for (uint32_t length = 1; length <= 4; length++)
        make_after(self, length);
    memcpy(self->out, head, sizeof head);
    self->end.used = sizeof head;
    put_bits(self, &self->end, 1 | 1 << 1, 3); // the last block, with fixed codes
}

int ts_gzip_end(struct ts_gzip *self)
{
    struct ts_gzip_end *end = &self->end;
    uint32_t code = code_of(BLOCK_ENDS);
    make_room(self);
    if (end->same)
        put_repetition(self, end);
    put_bits(self, end, code & ((1u << COUNT) - 1), code >> COUNT);
    put_bits(self, end, 0, (8 - end->bit_count) % 8);
    put_bits(self, end, ~end->checksum & UINT32_MAX, 32);
    put_bits(self, end, end->length & UINT32_MAX, 32); // modulo 2^32
    write_out(self);
    return self->error;
}
