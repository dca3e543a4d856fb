// Mutations of bytes, numbers, words and lines; pieces of other seeds.
#include "tests/parse/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return below ? (*random * UINT64_C(0x2545f4914f6cdd1d) >> 11) % below : 0;
}

struct input {
    char *at;
    size_t length;
};

// Puts `count` bytes in place of `gone` bytes.
static void replace(struct input *self, size_t place, size_t gone, const char *bytes, size_t count)
{
    char copy[4096];
    count = count < sizeof copy ? count : sizeof copy;
    if (place > self->length)
        place = self->length;
    if (gone > self->length - place)
        gone = self->length - place;
    if (self->length - gone + count > PARSE_LARGEST)
        return;
    memcpy(copy, bytes, count); // it may be a part of the input
    memmove(self->at + place + count, self->at + place + gone, self->length - place - gone);
    memcpy(self->at + place, copy, count);
    self->length += count - gone;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// A word at or behind a random place; *length 0: there is none.
static size_t find_word(const char *at, size_t size, uint64_t *random, size_t *length)
{
    size_t place = draw(random, size + 1), end;
    while (place < size && !is_word(at[place]))
        place++;
    for (end = place; end < size && is_word(at[end]); end++)
        ;
    *length = end - place;
    return place;
}

static size_t find_line(const struct input *self, uint64_t *random, size_t *length)
{
    size_t place = draw(random, self->length + 1), end;
    while (place > 0 && self->at[place - 1] != '\n')
        place--;
    for (end = place; end < self->length && self->at[end] != '\n'; end++)
        ;
    *length = end - place + (end < self->length);
    return place;
}

static const char *const pieces[] = {"0",
                                     "-1",
                                     "1",
                                     "2147483648",
                                     "4294967295",
                                     "4294967296",
                                     "9223372036854775807",
                                     "18446744073709551616",
                                     "1e309",
                                     "nan",
                                     "0x",
                                     "1_000",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     ":",
                                     ": ",
                                     "- ",
                                     ",",
                                     "\n",
                                     "\"",
                                     "'",
                                     "&a ",
                                     "*a",
                                     "<<: ",
                                     "!!binary",
                                     "|\n",
                                     "?",
                                     "(",
                                     ")",
                                     "..",
                                     "/",
                                     "%n%s",
                                     "#",
                                     "\t",
                                     "\xff",
                                     "\xc3\xa9",
                                     "true",
                                     "null",
                                     "@",
                                     "99999999999999999999999999999999"};

static void change_bytes(struct input *self, uint64_t *random)
{
    static const uint64_t values[] = {0,
                                      1,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      UINT64_C(0x7fffffffffffffff),
                                      UINT64_C(0xffffffffffffffff)};
    const size_t width = (size_t)1 << draw(random, 4);
    uint64_t value = values[draw(random, sizeof values / sizeof *values)];
    if (self->length < width)
        return;
    size_t place = draw(random, self->length - width + 1);
    if (draw(random, 2))
        place -= place % width;
    if (draw(random, 3) == 0)
        value = draw(random, UINT64_MAX);
    memcpy(self->at + place, &value, width);
}

static void mutate(struct input *self, const struct parse_seeds *seeds, uint64_t *random)
{
    const unsigned which = (unsigned)draw(random, seeds->count);
    const char *other = seeds->text[which];
    const size_t size = seeds->length[which], place = draw(random, self->length + 1);
    size_t from, count, gone;
    switch (draw(random, 12)) {
    case 0:
        if (self->length)
            self->at[draw(random, self->length)] ^= (char)(1 << draw(random, 8));
        break;
    case 1:
        change_bytes(self, random);
        break;
    case 2: { // a piece
        const char *piece = pieces[draw(random, sizeof pieces / sizeof *pieces)];
        replace(self, place, draw(random, 3), piece, strlen(piece));
        break;
    }
    case 3: { // in place of a word
        const char *piece = pieces[draw(random, sizeof pieces / sizeof *pieces)];
        from = find_word(self->at, self->length, random, &gone);
        replace(self, from, gone, piece, strlen(piece));
        break;
    }
    case 4:
    case 5: // a word of a seed in place of another
        from = find_word(other, size, random, &count);
        const size_t to = find_word(self->at, self->length, random, &gone);
        replace(self, to, gone, other + from, count);
        break;
    case 6: // without a part
        replace(self, place, draw(random, draw(random, 2) ? 8 : self->length / 4 + 1), "", 0);
        break;
    case 7: // a part twice
        count = draw(random, draw(random, 2) ? 16 : 512);
        count = count < self->length - place ? count : self->length - place;
        replace(self, draw(random, self->length + 1), 0, self->at + place, count);
        break;
    case 8: // a line twice, or gone
        from = find_line(self, random, &count);
        replace(self, from, draw(random, 2) ? count : 0, self->at + from,
                draw(random, 2) ? count : 0);
        break;
    case 9: // a line elsewhere, or deeper
        from = find_line(self, random, &count);
        if (draw(random, 2))
            replace(self, from, 0, "        ", 1 + draw(random, 8));
        else
            replace(self, find_line(self, random, &gone), 0, self->at + from, count);
        break;
    case 10: // a part of a seed
        from = draw(random, size + 1);
        count = draw(random, size - from < 512 ? size - from + 1 : 512);
        replace(self, place, draw(random, 2) ? count : 0, other + from, count);
        break;
    default: // cut off
        if (draw(random, 4) == 0)
            self->length = place;
        break;
    }
}

size_t parse_mutate(const struct parse_seeds *seeds, uint64_t *random, char *to)
{
    const unsigned which = (unsigned)draw(random, seeds->count);
    struct input input = {to, seeds->length[which]};
    memcpy(to, seeds->text[which], input.length);
    for (uint64_t i = 1 + draw(random, draw(random, 4) ? 4 : 16); i > 0; i--)
        mutate(&input, seeds, random);
    to[input.length] = '\0';
    return input.length;
}
