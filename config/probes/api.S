// Tiles of functions of the kernel API.
#include "api.inc"

#define SYMBOLS(S)

.macro api image, engine, function
api_zone \image, \engine, TILES, \function
.endm

#include FAMILY_TABLE
