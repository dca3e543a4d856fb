// A keyed checksum: SipHash-2-4 (Aumasson and Bernstein, 2012) over bytes that come in parts.
#pragma once

#include "platform/base/std.h"

struct ts_seal {
    uint64_t v[4], word;
    unsigned used; // bytes of `word`
    uint64_t length;
};

void ts_seal_begin(struct ts_seal *self, const unsigned char key[16]);
void ts_seal_add(struct ts_seal *self, const void *bytes, size_t length);
uint64_t ts_seal_end(struct ts_seal *self);
