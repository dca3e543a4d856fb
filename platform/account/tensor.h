// Tensors on the host: matrices of doubles, and their 32x32 tiles in the formats of L1.
//
// A tile is four 16x16 faces in the order (0,0) (0,1) (1,0) (1,1), each row by row; tiles of 16x32,
// 32x16 and 16x16 have fewer. Block floats have one exponent per 16 datums of a row, all of them (64)
// first, then the mantissas. Rounding is
// to nearest even; a block's mantissa saturates instead of bumping the exponent (tt-metal
// data_formats.md).
#pragma once

#include "platform/base/std.h"

#define TS_TILE 32

struct ts_matrix {
    uint32_t rows, columns;           // multiples of a tile's
    double *at;                       // row by row; NULL: a shape without values
    uint32_t tile_rows, tile_columns; // 16 or 32; 0: 32
};

// Name on the command line to format code (enum ts_guest_format); -1 if it is none.
int ts_datum_by_name(const char *name);
const char *ts_datum_name(unsigned format);
bool ts_datum_integer(unsigned format);
// Can the host write and read tiles of it?
bool ts_datum_usable(unsigned format);
uint32_t ts_datum_tile_bytes(unsigned format);
// The same for a tile of any number of elements.
uint32_t ts_datum_bytes(unsigned format, uint32_t elements);

// Normally distributed, mean 0 and deviation 1, the same for every machine.
void ts_matrix_random(struct ts_matrix *self, uint64_t seed);

// Tile (row, column) to and from L1 bytes. Writing rounds the matrix's values to the format.
void ts_tile_encode(struct ts_matrix *self, uint32_t row, uint32_t column, unsigned format,
                    uint8_t *bytes);
void ts_tile_decode(struct ts_matrix *self, uint32_t row, uint32_t column, unsigned format,
                    const uint8_t *bytes);
// The complete matrix row by row, for formats without blocks.
void ts_rows_encode(struct ts_matrix *self, unsigned format, uint8_t *bytes);
void ts_rows_decode(struct ts_matrix *self, unsigned format, const uint8_t *bytes);
// Root mean square of the rounding error of the format for values of N(0, 1).
double ts_datum_rounding(unsigned format);
// One value rounded to the format (block floats: alone in its block).
double ts_datum_round(unsigned format, double value);

// The error of a result.
struct ts_agreement {
    double rel_l2;   // |got - want| / |want|
    double pcc;      // Pearson correlation
    double max_ulp;  // largest difference in units of the format's last place at the wanted value,
                     // or at 1/256 of the root mean square if that is more
    uint64_t differ; // values that are not the wanted one rounded to the format
    uint64_t count;
    uint64_t hash; // of the result's values: the same on every host
    uint64_t odd,
        odd_wanted; // values of the result, and of what is wanted, that are NaN or infinite
};
struct ts_agreement ts_matrix_compare(const struct ts_matrix *got, const struct ts_matrix *want,
                                      unsigned format);
