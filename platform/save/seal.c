#include "platform/save/seal.h"

static uint64_t turned(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static void mix(uint64_t v[4], unsigned rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turned(v[1], 13) ^ v[0];
        v[3] = turned(v[3], 16) ^ v[2];
        v[0] = turned(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turned(v[1], 17) ^ v[2];
        v[3] = turned(v[3], 21) ^ v[0];
        v[2] = turned(v[2], 32);
    }
}

static void take(struct ts_seal *self, uint64_t word)
{
    self->v[3] ^= word;
    mix(self->v, 2);
    self->v[0] ^= word;
}

void ts_seal_begin(struct ts_seal *self, const unsigned char key[16])
{
    uint64_t k[2];
    memcpy(k, key, sizeof k);
    *self = (struct ts_seal){
        .v = {k[0] ^ UINT64_C(0x736f6d6570736575), k[1] ^ UINT64_C(0x646f72616e646f6d),
              k[0] ^ UINT64_C(0x6c7967656e657261), k[1] ^ UINT64_C(0x7465646279746573)}};
}

void ts_seal_add(struct ts_seal *self, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    self->length += length;
    while (length > 0) {
        if (self->used == 0 && length >= 8) {
            uint64_t word;
            memcpy(&word, at, 8);
            take(self, word);
            at += 8;
            length -= 8;
            continue;
        }
        self->word |= (uint64_t)*at++ << (8 * self->used);
        length--;
        if (++self->used == 8) {
            take(self, self->word);
            self->word = 0;
            self->used = 0;
        }
    }
}

uint64_t ts_seal_end(struct ts_seal *self)
{
    take(self, self->word | self->length << 56);
    self->v[2] ^= 0xff;
    mix(self->v, 4);
    return self->v[0] ^ self->v[1] ^ self->v[2] ^ self->v[3];
}
