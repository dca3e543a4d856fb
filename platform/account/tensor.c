// Formats, tiles and comparison (tensor.h).
#include "platform/account/tensor.h"

#include "cores/guest/include/launch.h"
#include "platform/base/floats.h"
#include "platform/base/hash.h"
#include "platform/base/random.h"

struct format {
    const char *name;
    uint8_t code;
    uint8_t bits;     // of a datum in L1
    uint8_t mantissa; // explicit bits; block floats: bits of magnitude
    uint8_t block;    // shared exponents
    int16_t bias;     // of the exponent
    uint8_t max_exponent;
};

static const struct format formats[] = {
#define TS_FORMAT(code, name, vendor, bits, mantissa, block, bias, most, integer, wide) \
    {name, code, bits, mantissa, block, bias, most},
#include "config/formats.def"
};
#define FORMATS (sizeof formats / sizeof *formats)

static const struct format *find(unsigned code)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].code == code && formats[i].mantissa)
            return &formats[i];
    return NULL;
}

int ts_datum_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0 && formats[i].mantissa)
            return formats[i].code;
    return -1;
}

const char *ts_datum_name(unsigned code)
{
    const struct format *f = find(code);
    return f ? f->name : "?";
}

bool ts_datum_integer(unsigned code)
{
    const struct format *f = find(code);
    return f && f->bias == 0;
}

bool ts_datum_usable(unsigned code)
{
    return find(code) != NULL;
}

uint32_t ts_datum_bytes(unsigned code, uint32_t elements)
{
    const struct format *f = find(code);
    return elements * f->bits / 8 + (f->block ? elements / 16 : 0);
}

uint32_t ts_datum_tile_bytes(unsigned code)
{
    return ts_datum_bytes(code, TS_TILE * TS_TILE);
}

// The size of its tiles.
static uint32_t tile_rows(const struct ts_matrix *self)
{
    return self->tile_rows ? self->tile_rows : TS_TILE;
}

static uint32_t tile_columns(const struct ts_matrix *self)
{
    return self->tile_columns ? self->tile_columns : TS_TILE;
}

// --- values
// -------------------------------------------------------------------------------------------------------

// Powers of two, exponents and whole numbers are bits of a double: operands are made and compared
// value by value, and libm's calls were 40 % of a short run. Outside of the normal range libm knows
// the rules.

// value * 2^exponent, rounded once, as ldexp.
static double scale(double value, int exponent)
{
    if (exponent < -1022 || exponent > 1023)
        return ldexp(value, exponent);
    return value * ts_bits_double((uint64_t)(exponent + 1023) << 52);
}

// To the nearest whole number, ties to even: a double from 2^52 on has no fraction.
static double whole(double value)
{
    double magnitude = fabs(value);
    return magnitude < 0x1p52 ? copysign(magnitude + 0x1p52 - 0x1p52, value) : value;
}

static bool is_normal(double value)
{
    uint64_t e = ts_double_bits(value) >> 52 & 0x7ff;
    return e != 0 && e != 0x7ff;
}

// Exponent e with 2^e <= |value| < 2^(e+1).
static int exponent_of(double value)
{
    int e;
    if (is_normal(value))
        return (int)(ts_double_bits(value) >> 52 & 0x7ff) - 1023;
    frexp(value, &e);
    return e - 1;
}

// To a mantissa of so many bits, ties to even; as bits, where a carry goes into the exponent, as it should.
static inline double round_float(const struct format *f, double value)
{
    if (value == 0 || isnan(value))
        return value == 0 ? 0 : value;
    if (f->bias == 0) { // an integer: sign and magnitude
        double rounded = whole(value), most = scale(1, f->mantissa) - 1;
        return fabs(rounded) > most ? copysign(most, value) : rounded;
    }
    const unsigned drop = 52 - f->mantissa;
    const uint64_t bits = ts_double_bits(value), sign = bits >> 63 << 63, odd = bits >> drop & 1,
                   most = ((UINT64_C(1) << f->mantissa) - 1) << drop |
                          (uint64_t)(f->max_exponent - f->bias + 1023) << 52;
    uint64_t magnitude = bits ^ sign;
    if (magnitude < (uint64_t)(1 - f->bias + 1023) << 52)
        return 0; // the coprocessor has no denormals
    magnitude = (magnitude + (UINT64_C(1) << (drop - 1)) - 1 + odd) >> drop << drop;
    return ts_bits_double(sign | (magnitude > most ? most : magnitude));
}

// A magnitude in units of its block's last place, as it is stored.
static double block_magnitude(const struct format *f, double units)
{
    double magnitude = whole(units), largest = scale(1, f->mantissa) - 1;
    return magnitude > largest ? largest : magnitude;
}

static double round_block(const struct format *f, double value, int exponent)
{
    int last = exponent - (f->mantissa - 1);
    double magnitude = block_magnitude(f, scale(fabs(value), -last));
    return copysign(scale(magnitude, last), magnitude == 0 ? 1 : value);
}

double ts_datum_rounding(unsigned format)
{
    const struct format *f = find(format);
    if (f == NULL || f->max_exponent == 0)
        return 0; // integers keep their value
    // A block's largest value is nearly always from 1 to 4: its last place is 2^(2 - mantissa). A
    // value alone has its last place at its own exponent: 0.43 of it on average, twice that where
    // the packer cuts instead of rounding (FP8).
    // It also cuts what BFP4 and BFP2 have less than BFP8; no value loses more than itself.
    double share = format == TS_DF_FP8 ? 0.86 : 0.43;
    double block = (f->mantissa < 7 ? 1.5 : 1) * scale(1, 2 - f->mantissa) / sqrt(12);
    return !f->block ? share * scale(1, -f->mantissa - 1) : block < 0.6 ? block : 0.6;
}

static double round_value(const struct format *f, double value)
{
    if (!f->block)
        return round_float(f, value);
    return value == 0 ? 0 : round_block(f, value, exponent_of(value));
}

double ts_datum_round(unsigned code, double value)
{
    return round_value(find(code), value);
}

static double bits_float(const struct format *f, uint32_t bits)
{
    unsigned exponent_bits = f->bias == 127 ? 8 : 5;
    uint32_t mantissa = bits & ((1u << f->mantissa) - 1);
    if (f->bias == 0)
        return bits >> f->mantissa & 1 ? -(double)mantissa : (double)mantissa;
    uint32_t e = bits >> f->mantissa & ((1u << exponent_bits) - 1);
    double sign = bits >> (exponent_bits + f->mantissa) & 1 ? -1 : 1;
    if (e == 0)
        return sign * 0.0;
    if (f->bias == 127 && e == 255)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    return sign * scale(scale(1, f->mantissa) + mantissa, (int)e - f->bias - f->mantissa);
}

// The bits of a value, which becomes what they say. NaN has the largest exponent.
static inline uint32_t float_bits(const struct format *f, double *value)
{
    const double v = round_float(f, *value);
    const uint64_t wide = ts_double_bits(v);
    const uint32_t sign = (uint32_t)(wide >> 63), exponent_bits = f->bias == 127 ? 8 : 5;
    *value = v == 0 ? 0 : v; // not -0
    if (v == 0)
        return 0;
    if (f->bias == 0)
        return sign << f->mantissa | (uint32_t)fabs(v);
    uint32_t bits = (uint32_t)((wide << 1 >> (53 - f->mantissa)) -
                               ((uint64_t)(1023 - f->bias) << f->mantissa));
    if (isnan(v))
        bits = ((2u << exponent_bits) - 1) << (f->mantissa - 1);
    bits |= sign << (exponent_bits + f->mantissa);
    if (isnan(v))
        *value = bits_float(f, bits);
    return bits;
}

// --- tiles
// --------------------------------------------------------------------------------------------------------

// Datum i of a tile, in L1's order. The 16 of a row of a face lie side by side.
static double *datum(const struct ts_matrix *self, uint32_t row, uint32_t column, unsigned i)
{
    uint32_t height = tile_rows(self), width = tile_columns(self), across = width / 16;
    unsigned face = i / 256, y = i / 16 % 16 + face / across * 16, x = i % 16 + face % across * 16;
    return &self->at[(size_t)(row * height + y) * self->columns + column * width + x];
}

static void put(uint8_t *bytes, unsigned i, unsigned bits, uint32_t value)
{
    if (bits == 16) {
        const uint16_t half = (uint16_t)value;
        memcpy(bytes + (size_t)2 * i, &half, 2);
        return;
    }
    if (bits == 32) {
        memcpy(bytes + (size_t)4 * i, &value, 4);
        return;
    }
    unsigned shift = i * bits % 8;
    uint8_t mask = (uint8_t)(((1u << bits) - 1) << shift);
    bytes[i * bits / 8] = (uint8_t)((bytes[i * bits / 8] & ~mask) | (value << shift & mask));
}

static uint32_t take(const uint8_t *bytes, unsigned i, unsigned bits)
{
    uint32_t value = 0;
    if (bits >= 8)
        memcpy(&value, bytes + i * bits / 8, bits / 8);
    else
        value = (uint32_t)bytes[i * bits / 8] >> (i * bits % 8) & ((1u << bits) - 1);
    return value;
}

static void encode_block(struct ts_matrix *self, uint32_t row, uint32_t column,
                         const struct format *f, unsigned block, unsigned blocks, uint8_t *bytes)
{
    double *values = datum(self, row, column, block * 16), largest = 0;
    for (unsigned i = 0; i < 16; i++) {
        double value = fabs(values[i]);
        if (value > largest) // not fmax: gcc 12 with LTO breaks on its reduction
            largest = value;
    }
    int e = largest == 0 ? -f->bias : exponent_of(largest);
    if (e < -f->bias)
        e = -f->bias;
    if (e > f->max_exponent - f->bias)
        e = f->max_exponent - f->bias;
    bytes[block] = (uint8_t)(e + f->bias);
    int last = e - (f->mantissa - 1);
    double place = scale(1, last), units = scale(1, -last);
    for (unsigned i = 0; i < 16; i++) {
        double magnitude = block_magnitude(f, fabs(values[i]) * units);
        values[i] = copysign(magnitude * place, magnitude == 0 ? 1 : values[i]);
        put(bytes + blocks, block * 16 + i, f->bits,
            (uint32_t)magnitude | (values[i] < 0 ? 1u << f->mantissa : 0));
    }
}

void ts_tile_encode(struct ts_matrix *self, uint32_t row, uint32_t column, unsigned code,
                    uint8_t *bytes)
{
    const struct format own = *find(code), *f = &own; // bytes may be anything else's
    unsigned count = tile_rows(self) * tile_columns(self);
    if (f->block) {
        for (unsigned block = 0; block < count / 16; block++)
            encode_block(self, row, column, f, block, count / 16, bytes);
        return;
    }
    double *value = NULL;
    for (unsigned i = 0; i < count; i++, value++) {
        if (i % 16 == 0)
            value = datum(self, row, column, i);
        uint32_t bits = float_bits(f, value);
        put(bytes, i, f->bits, f->code == TS_DF_TF32 ? bits << 13 : bits);
    }
}

void ts_tile_decode(struct ts_matrix *self, uint32_t row, uint32_t column, unsigned code,
                    const uint8_t *bytes)
{
    const struct format *f = find(code);
    unsigned count = tile_rows(self) * tile_columns(self);
    double *value = NULL;
    for (unsigned i = 0; i < count; i++, value++) {
        if (i % 16 == 0)
            value = datum(self, row, column, i);
        if (f->block) {
            uint32_t bits = take(bytes + count / 16, i, f->bits),
                     magnitude = bits & ((1u << f->mantissa) - 1);
            *value = scale(magnitude, bytes[i / 16] - f->bias - (f->mantissa - 1)) *
                     (bits >> f->mantissa ? -1 : 1);
        } else {
            uint32_t bits = take(bytes, i, f->bits);
            *value = bits_float(f, f->code == TS_DF_TF32 ? bits >> 13 : bits);
        }
    }
}

// --- matrices
// -----------------------------------------------------------------------------------------------------

void ts_rows_encode(struct ts_matrix *self, unsigned code, uint8_t *bytes)
{
    const struct format *f = find(code);
    for (size_t i = 0; i < (size_t)self->rows * self->columns; i++) {
        uint32_t bits = float_bits(f, &self->at[i]);
        put(bytes, (unsigned)i, f->bits, f->code == TS_DF_TF32 ? bits << 13 : bits);
    }
}

void ts_rows_decode(struct ts_matrix *self, unsigned code, const uint8_t *bytes)
{
    const struct format *f = find(code);
    for (size_t i = 0; i < (size_t)self->rows * self->columns; i++) {
        uint32_t bits = take(bytes, (unsigned)i, f->bits);
        self->at[i] = bits_float(f, f->code == TS_DF_TF32 ? bits >> 13 : bits);
    }
}

void ts_matrix_random(struct ts_matrix *self, uint64_t seed)
{
    // A sum of twelve uniform numbers: normal enough, and the same bits everywhere (no libm).
    uint64_t state = seed;
    for (size_t i = 0; i < (size_t)self->rows * self->columns; i++) {
        uint64_t sum = 0;
        for (unsigned k = 0; k < 6; k++) {
            uint64_t word = ts_random(&state);
            sum += (word >> 32) + (word & UINT32_MAX);
        }
        self->at[i] = (double)sum * 0x1p-32 - 6; // exact
    }
}

struct ts_agreement ts_matrix_compare(const struct ts_matrix *got, const struct ts_matrix *want,
                                      unsigned code)
{
    const struct format *f = find(code);
    struct ts_agreement result = {
        .count = (uint64_t)want->rows * want->columns, .hash = TS_HASH_START, .pcc = 1};
    // Where sums cancel, the last place of a tiny value is meaningless: no ulp is taken below 1/256
    // of the typical one.
    double typical = 0;
    for (size_t i = 0; i < result.count; i++)
        typical += want->at[i] * want->at[i];
    typical = sqrt(typical / (double)result.count) / 256;
    double error = 0, norm = 0, sg = 0, sw = 0, sgg = 0, sww = 0, sgw = 0, n = (double)result.count;
    for (size_t i = 0; i < result.count; i++) {
        double g = got->at[i], w = want->at[i], d = g - w;
        uint64_t bits = 0; // of a NaN, whose payload is the host's
        if (!isnan(g))
            memcpy(&bits, &g, sizeof bits);
        result.hash = ts_hash_word(result.hash, isnan(g) ? ~UINT64_C(0) : bits);
        result.odd += isfinite(g) ? 0 : 1;
        result.odd_wanted += isfinite(w) ? 0 : 1;
        error += d * d, norm += w * w;
        sg += g, sw += w, sgg += g * g, sww += w * w, sgw += g * w;
        double rounded = round_value(f, w);
        if (g == rounded)
            continue;
        result.differ++;
        double place = fabs(rounded) > typical ? rounded : typical;
        int e = place == 0 ? 1 - f->bias : exponent_of(place);
        double ulp = f->bias == 0 ? 1 : scale(1, e - (f->block ? f->mantissa - 1 : f->mantissa));
        double off = fabs(g - rounded) / ulp;
        if (!(off <= result.max_ulp))
            result.max_ulp = off;
    }
    result.rel_l2 = norm > 0 ? sqrt(error / norm) : sqrt(error);
    double vg = sgg - sg * sg / n, vw = sww - sw * sw / n;
    if (vg > 0 && vw > 0)
        result.pcc = (sgw - sg * sw / n) / sqrt(vg * vw);
    else
        result.pcc = error == 0 ? 1 : 0;
    return result;
}
