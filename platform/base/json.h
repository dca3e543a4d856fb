// Members of a JSON object ("" or 0 if there is no such member, or if it is of another type), and numbers.
#pragma once

#include "platform/base/std.h"

#include <jansson.h>

static inline const char *ts_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static inline json_int_t ts_json_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static inline double ts_json_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// JSON has no NaN and no infinity: null. jansson's json_real and json_pack("f") make nothing of them, and the row or
// the element would be missing.
static inline json_t *ts_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// What json_pack makes of the format: into an array, as a member of an object, its members into an object.
void ts_json_add(json_t *array, const char *format, ...);
void ts_json_put(json_t *object, const char *key, const char *format, ...);
void ts_json_more(json_t *object, const char *format, ...);

// The objects of an array, sorted by members: "-own file line" is the largest `own` first, then by file and line; ~ goes by
// magnitude, a+b by a sum. Takes the array.
json_t *ts_json_sorted(json_t *list, const char *keys);

// A value by its path: names between slashes; an element of an array by its number, or by its "name". NULL: there is none.
const json_t *ts_json_at(const json_t *value, const char *path, size_t length);

static inline json_t *ts_json_hash(uint64_t hash)
{
    return json_sprintf("%016llx", (unsigned long long)hash);
}
