// Tiles of functions of the kernel API.
#include "api.inc"

#define SYMBOLS(S)

.macro api image, engine, function
api_zone api_\image\().unpack, api_\image\().math, api_\image\().pack, \engine, TILES, \function
.endm

#include FAMILY_TABLE
