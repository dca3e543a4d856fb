// Set-up functions of the kernel API.
#include "api.inc"

#define SYMBOLS(S)

.macro setup image, engine, function
api_zone api_\image\().unpack, api_\image\().math, api_\image\().pack, \engine, INIT, \function
.endm

.macro vector image, set, function
api_zone api_vectors_\image\().unpack, api_vectors\set\()_\image\().math, api_vectors_\image\().pack, MATH, INIT, \function
.endm

#include FAMILY_TABLE
