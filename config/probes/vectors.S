// A face, or a tile of two, of functions of the vector unit in the kernel API.
#include "api.inc"

#define SYMBOLS(S)

.macro face image, set, function
api_zone api_vectors_\image\().unpack, api_vectors\set\()_\image\().math, api_vectors_\image\().pack, MATH, TILES, \function
.endm

#include FAMILY_TABLE
