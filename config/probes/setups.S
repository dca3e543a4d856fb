// Set-up functions of the kernel API.
#include "api.inc"

#define SYMBOLS(S)

.macro setup image, engine, function
api_zone \image, \engine, INIT, \function
.endm

#include FAMILY_TABLE
