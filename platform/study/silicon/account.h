// Every id of config/silicon_ids.def is accounted for: re-created, or left out with a reason.
#pragma once

#include "platform/study/silicon/silicon.h"

enum ts_silicon_public { TS_SILICON_YES, TS_SILICON_PARTLY, TS_SILICON_NO };

struct ts_silicon_id {
    char id[6];
    const char *source;
    enum ts_silicon_public described;       // is the public description enough?
    const struct ts_silicon_family *family; // re-created there; NULL: it is not
    const char *reason;                     // why not; NULL: nobody has said
};

struct ts_silicon_account {
    struct ts_silicon_id *ids; // by id, S before B
    size_t count;
    size_t recreated, left, open; // open: neither
    size_t described[3], recreated_of[3];
    const char *stray; // an id of a row that config/silicon_ids.def does not have; NULL: none
};

// Of the measurements of a machine's cards.
void ts_silicon_account(struct ts_silicon_account *self, const char *machine);
void ts_silicon_account_free(struct ts_silicon_account *self);
const struct ts_silicon_id *ts_silicon_find_id(const struct ts_silicon_account *self,
                                               const char *id);
const char *ts_silicon_public_name(enum ts_silicon_public described);
