// Guest programs: RISC-V images embedded in the library, by name, and loading them into a tile's
// L1.
#ifndef TENSIM_RUN_GUEST_H
#define TENSIM_RUN_GUEST_H

#include "platform/base/error.h"
#include "platform/mem/l1.h"

#include <stddef.h>

// "matmul.math": an ELF file as in <build>/guest.
struct ts_guest_program {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};
// Ends with a row without name; generated at build time.
extern const struct ts_guest_program ts_guest_programs[];

const struct ts_guest_program *ts_guest_find(const char *name);

// Copies the loadable segments of an ELF image to their load addresses in L1. False: error says
// why. `entry` may be NULL.
bool ts_guest_load(struct ts_l1 *l1, const char *name, const void *image, size_t length,
                   uint32_t *entry, struct ts_error *error);
// Where data in the core's local RAM end, of an image that can be loaded.
uint32_t ts_guest_data_end(const void *image);

#endif
