#include "platform/trace/gzip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LEAST = 4, MOST = 258 }; // bytes of a repetition
enum { MOST_BITS = 56 };
#define BLOCK_ENDS 256u   // a symbol; those of lengths come after it
#define WINDOW     32768u // as far as the format looks back
#define NOWHERE    (UINT64_MAX / 2)

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

#define AT_ONCE 64u // bytes of out that make_room makes sure of

static void write_out(struct ts_gzip *self)
{
    int error = self->error ? 0 : ts_write_all(self->file, self->out, self->end.used);
    self->error = self->error ? self->error : error;
    self->end.used = 0;
}

static inline void make_room(struct ts_gzip *self)
{
    if (__builtin_expect(self->end.used > sizeof self->out - AT_ONCE, 0))
        write_out(self);
}

static inline uint64_t little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap64(word);
#endif
}

// At most MOST_BITS at once. Whole bytes leave.
static inline void put_bits(struct ts_gzip *self, struct ts_gzip_end *end, uint64_t bits,
                            unsigned count)
{
    unsigned all = end->bit_count + count;
    bits = end->bits | bits << end->bit_count;
    uint64_t word = little_endian(bits);
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

// A length or distance as a code: bits, and above them how many there are.
static inline uint64_t bits_of(uint32_t code)
{
    return code & ((1u << COUNT) - 1);
}

static inline uint32_t code_of_distance(const struct ts_gzip *self, uint32_t distance)
{
    unsigned extra, symbol = symbol_of(distance - 1, 1, &extra);
    return self->distance_of[symbol] | ((distance - 1) & ((1u << extra) - 1)) << 5 |
           (5 + extra) << COUNT;
}

static void put_reference(struct ts_gzip *self, uint32_t same, uint32_t distance)
{
    uint32_t length = self->length_of[same], back = code_of_distance(self, distance);
    make_room(self);
    put_bits(self, &self->end, bits_of(length) | bits_of(back) << (length >> COUNT),
             (length >> COUNT) + (back >> COUNT));
}

static void put_literals(struct ts_gzip *self, const char *text, size_t length)
{
    for (const char *last = text + length; text < last;) {
        uint64_t bits = 0;
        unsigned count = 0;
        while (text < last && count <= MOST_BITS - 9) {
            uint32_t code = self->literal[(unsigned char)*text++];
            bits |= bits_of(code) << count;
            count += code >> COUNT;
        }
        make_room(self);
        put_bits(self, &self->end, bits, count);
    }
}

// --- checksums: a phrase's is known, and that of the text before it moves on as over bytes of 0 ---

static uint32_t sum_text(uint32_t sum, const char *text, size_t length)
{
    return ~(uint32_t)crc32_z(~sum & UINT32_MAX, (const unsigned char *)text, length);
}

// One bit on: the lowest bit of a checksum is its highest power.
static inline uint32_t next_power(uint32_t sum)
{
    return sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
}

static const uint32_t (*after_of(struct ts_gzip *self, uint32_t length))[256]
{
    uint32_t(*after)[256] = self->after[length], sum = 1u << 31;
    if (after[0][1])
        return after;
    for (uint32_t i = 0; i < 8 * length; i++)
        sum = next_power(sum);
    for (unsigned bit = 32; bit-- > 0; sum = next_power(sum))
        after[bit / 8][1u << bit % 8] = sum;
    for (unsigned byte = 0; byte < 4; byte++)
        for (uint32_t value = 3; value < 256;
             value++) // of several bits: without the lowest, and it
            after[byte][value] = after[byte][value & (value - 1)] ^ after[byte][value & -value];
    return after;
}

static inline uint32_t sum_after(const uint32_t (*after)[256], uint32_t sum)
{
    return after[0][sum & 255] ^ after[1][sum >> 8 & 255] ^ after[2][sum >> 16 & 255] ^
           after[3][sum >> 24];
}

// --- spelled text ---

static inline uint32_t load32(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// The first byte in memory that is not 0.
static inline unsigned differs(uint64_t word)
{
    return (unsigned)__builtin_ctzll(little_endian(word)) / 8;
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

static void spell(struct ts_gzip *self, const char *text, size_t length)
{
    if (length > TS_GZIP_HISTORY - self->spelled) {
        memset(self->latest, 0, sizeof self->latest);
        self->spelled = 0;
    }
    const char *first = self->history + self->spelled, *at = first, *last = first + length;
    const char *literals = at;
    memcpy(self->history + self->spelled, text, length);
    self->spelled += length;
    while (last - at >= LEAST) {
        uint32_t word = load32(at);
        struct ts_gzip_place *latest = &self->latest[word * 2654435761u >> 19], was = *latest;
        uint64_t position = self->end.length + (uint64_t)(at - first),
                 distance = position - was.position;
        *latest = (struct ts_gzip_place){(uint32_t)(at - self->history), (uint32_t)self->spelled,
                                         position};
        if (was.end == 0 || distance > WINDOW || load32(self->history + was.at) != word) {
            at++;
            continue;
        }
        size_t most = (size_t)(last - at);
        most = most < was.end - was.at ? most : was.end - was.at;
        unsigned same = same_bytes(at, self->history + was.at, most < MOST ? (unsigned)most : MOST);
        put_literals(self, literals, (size_t)(at - literals));
        put_reference(self, same, (uint32_t)distance);
        literals = at += same;
    }
    put_literals(self, literals, (size_t)(last - literals));
}

void ts_gzip_text(struct ts_gzip *self, const char *text, size_t length)
{
    struct ts_gzip_end *end = &self->end;
    end->checksum = sum_text(end->checksum, text, length);
    for (size_t part; length > 0; text += part, length -= part) {
        part = length < TS_GZIP_HISTORY / 4 ? length : TS_GZIP_HISTORY / 4;
        spell(self, text, part);
        end->length += part;
    }
}

// --- lines ---

unsigned ts_digits_of(uint64_t value, char *to)
{
    char digits[20];
    unsigned next = sizeof digits;
    do
        digits[--next] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(to, digits + next, sizeof digits - next);
    return (unsigned)sizeof digits - next;
}

static void make_low(struct ts_gzip *self)
{
    for (uint32_t i = 0; i < 1000; i++) {
        char text[3] = {(char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10)};
        for (unsigned k = 0; k < 3; k++)
            self->low[i] |= (self->literal[(unsigned char)text[k]] & 255) << 8 * k;
        self->low_checksum[i] = sum_text(0, text, sizeof text);
    }
}

static void set_whole(struct ts_gzip *self, struct ts_digits *digits, uint64_t whole)
{
    digits->whole = whole;
    digits->length = ts_digits_of(whole, digits->text);
    if (digits->point)
        digits->text[digits->length++] = '.';
    digits->checksum = sum_after(after_of(self, 3), sum_text(0, digits->text, digits->length));
}

struct ts_phrase ts_gzip_learn(const char *text, size_t length)
{
    return (struct ts_phrase){.text = text,
                              .length = (uint32_t)length,
                              .checksum = sum_text(0, text, length),
                              .end = NOWHERE,
                              .whole = UINT64_MAX};
}

// The phrase alone.
static void put_phrase(struct ts_gzip *self, const struct ts_phrase *phrase)
{
    uint64_t distance = self->end.length + phrase->length - phrase->end;
    uint32_t left = phrase->length;
    if (distance > WINDOW || left < LEAST) {
        spell(self, phrase->text, left);
        return;
    }
    for (uint32_t part; left > 0; left -= part) { // none below LEAST
        part = left <= MOST ? left : left < MOST + LEAST ? MOST - LEAST : MOST;
        put_reference(self, part, (uint32_t)distance);
    }
}

// A number below 1000 has less than three digits before which something could stand.
static void add_small(struct ts_gzip *self, struct ts_phrase *phrase, uint64_t value)
{
    struct ts_gzip_end *end = &self->end;
    char text[TS_DIGITS_MOST];
    unsigned length = ts_digits_of(value, text);
    put_phrase(self, phrase);
    put_literals(self, text, length);
    end->checksum = sum_text(
        sum_after(after_of(self, phrase->length), end->checksum) ^ phrase->checksum, text, length);
    phrase->end = end->length + phrase->length;
    phrase->whole = UINT64_MAX;
    end->length = phrase->end + length;
}

static void prepare(struct ts_gzip *self, struct ts_phrase *phrase, uint32_t digits)
{
    phrase->digits = digits;
    phrase->moved = sum_after(after_of(self, digits), phrase->checksum);
    phrase->after = after_of(self, phrase->length + digits);
}

// A phrase and a number, whatever was before.
static void put_all(struct ts_gzip *self, const struct ts_phrase *phrase,
                    const struct ts_digits *digits, uint32_t low)
{
    put_phrase(self, phrase);
    put_literals(self, digits->text, digits->length);
    make_room(self);
    put_bits(self, &self->end, low, 24);
}

// `end` is a copy of the stream's, which the compiler may keep in registers.
static inline void add(struct ts_gzip *self, struct ts_gzip_end *end, struct ts_phrase *phrase,
                       struct ts_digits *digits, uint64_t value)
{
    uint64_t whole = value / 1000;
    uint32_t last = (uint32_t)(value - 1000 * whole), low = self->low[last];
    if (__builtin_expect(whole != digits->whole, 0))
        set_whole(self, digits, whole);
    if (__builtin_expect(phrase->digits != digits->length + 3, 0))
        prepare(self, phrase, digits->length + 3);
    uint32_t same = phrase->length + digits->length;
    uint64_t behind = end->length + phrase->length, distance = behind - phrase->end;
    if (__builtin_expect(phrase->whole == whole && distance <= WINDOW && same + 3 <= MOST, 1)) {
        if (distance != phrase->distance) {
            phrase->distance = (uint32_t)distance;
            phrase->back = code_of_distance(self, (uint32_t)distance);
        }
        // The digits that are the same belong to the reference.
        unsigned known = (unsigned)__builtin_ctz((low ^ phrase->low) | 1u << 24) & ~7u;
        uint32_t length = self->length_of[same + known / 8];
        unsigned count = (length >> COUNT) + (phrase->back >> COUNT);
        uint64_t bits = bits_of(length) | bits_of(phrase->back) << (length >> COUNT);
        put_bits(self, end, bits | (uint64_t)(low >> known) << count, count + 24 - known);
    } else {
        self->end = *end;
        put_all(self, phrase, digits, low);
        *end = self->end;
    }
    end->checksum = sum_after(phrase->after, end->checksum) ^ phrase->moved ^ digits->checksum ^
                    self->low_checksum[last];
    end->length = behind + digits->length + 3;
    phrase->end = behind;
    phrase->whole = whole;
    phrase->low = low;
}

void ts_gzip_lines(struct ts_gzip *self, struct ts_phrase phrases[2], const uint64_t *numbers,
                   unsigned lines)
{
    bool two = phrases[0].length > 0;
    struct ts_gzip_end end = self->end;
    for (; lines > 0; lines--) {
        if (__builtin_expect(end.used > sizeof self->out - AT_ONCE, 0)) {
            self->end = end;
            write_out(self);
            end = self->end;
        }
        if (two && *numbers < 1000) {
            self->end = end;
            add_small(self, &phrases[0], *numbers++);
            end = self->end;
        } else if (two) {
            add(self, &end, &phrases[0], &self->number, *numbers++);
        }
        add(self, &end, &phrases[1], &self->time, *numbers++);
    }
    self->end = end;
}

// --- the file ---

void ts_gzip_begin(struct ts_gzip *self, int file)
{
    // No name, no time: the same bytes whenever and wherever it is written.
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    self->file = file;
    self->end.checksum = UINT32_MAX;
    self->time.point = true;
    self->time.whole = self->number.whole = UINT64_MAX;
    make_codes(self);
    make_low(self);
    memcpy(self->out, head, sizeof head);
    self->end.used = sizeof head;
    put_bits(self, &self->end, 1 | 1 << 1, 3); // the last block, with fixed codes
}

int ts_gzip_end(struct ts_gzip *self)
{
    struct ts_gzip_end *end = &self->end;
    uint32_t code = code_of(BLOCK_ENDS);
    make_room(self);
    put_bits(self, end, bits_of(code), code >> COUNT);
    put_bits(self, end, 0, (8 - end->bit_count) % 8);
    put_bits(self, end, ~end->checksum & UINT32_MAX, 32);
    put_bits(self, end, end->length & UINT32_MAX, 32); // modulo 2^32
    write_out(self);
    return self->error;
}
