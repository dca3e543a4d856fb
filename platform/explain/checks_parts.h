// Parts of findings' texts (checks.c): who accesses, where in the program, what.
#pragma once

#include "platform/base/json.h"
#include "platform/tile/tile.h"

// Places in programs, looked up once each: many tiles run the same program.
struct ts_checks_places {
    const struct ts_kernel *kernel;
    struct ts_checks_named *list;
    size_t count, room;
};
void ts_checks_places_free(struct ts_checks_places *self);

// One access: by, does, tile, cycle; instruction, pc, place, line, column, source if they are known.
json_t *ts_checks_place(struct ts_checks_places *self, const struct ts_check_place *place,
                        bool writes);
// What was accessed: "L1 0x20000..0x207ff (circular buffer c_0, page 1)", "Config[0] word 12". `tile`: whose it is; NULL: of
// DRAM `channel`.
void ts_checks_object(const struct ts_checks_places *self, const struct ts_tile *tile,
                      const char *channel, const struct ts_check_finding *finding, char *text,
                      size_t size);
// ", in tensor y": what has the last bytes, as many as the finding's number says; "": nobody.
void ts_checks_behind(const struct ts_checks_places *self, const struct ts_tile *tile,
                      const struct ts_check_finding *finding, char *text, size_t size);
// A sentence of config/checks.def with its {...} filled in.
void ts_checks_fill(char *text, size_t size, const char *sentence, const char *object,
                    const char *behind, const json_t *access, uint64_t number);
// How the two accesses of a race can go wrong.
void ts_checks_harm(char *text, size_t size, const json_t *access, const json_t *other);
