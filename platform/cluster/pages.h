// The memory of a place, in pages: those that have changed go to the other processes.
#pragma once

#include "platform/kernel/cluster.h"

struct ts_pages;

struct ts_pages *ts_pages_new(uint32_t place);
// Of all pages as they are now, which is what the others have, too.
uint64_t ts_pages_hash(struct ts_pages *self);
// The pages that are not as they were at the last time.
void ts_pages_pack(struct ts_pages *self, struct ts_bytes *to);
// Puts them where they belong.
void ts_pages_unpack(const unsigned char *bytes, size_t length);
