// Toggles of the operands of MVMULs, see toggles.h.
#include "units/matrix/toggles.h"

#include "units/matrix/mul.h"

// How many bits of `now` differ from `last`, which becomes `now`. Bytes are a multiple of 8.
static uint64_t differ(void *last, const void *now, size_t bytes)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t x, y;
        memcpy(&x, (const char *)last + i, 8);
        memcpy(&y, (const char *)now + i, 8);
        bits += (uint64_t)__builtin_popcountll(x ^ y);
    }
    memcpy(last, now, bytes);
    return bits;
}

void ts_toggles_count(struct ts_toggles *self, const struct ts_src_bank *a,
                      const struct ts_src_bank *b, unsigned a0, unsigned b0,
                      const struct ts_mul_rows *rows, bool dst32)
{
    const size_t half = sizeof self->last_a / 2, four = sizeof self->last_hi / 2;
    self->mvmuls++;
    self->a += differ(self->last_a, a->w[8 * a0], half);
    self->a += differ(self->last_a[8], a->w[8 * ((a0 + 1) & 7)], half);
    self->b += differ(self->last_b, b->w[8 * b0], sizeof self->last_b);
    for (unsigned g = 0; g < 2; g++) {
        self->dst += differ(self->last_hi[4 * g], rows->hi[g], four);
        if (dst32)
            self->dst += differ(self->last_lo[4 * g], rows->lo[g], four);
    }
}
