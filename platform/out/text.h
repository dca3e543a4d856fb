// Documents as text, by the templates of config/text.def.
//
//   {path}            a value: a text, a number; {path|5.1f} as printf has it, {path|.1%} as percent of 1, {path|.2f*1e6} times
//                     a factor, {path|.1/other} as percent of another value; {path|z} and percents
//                     are 0 without the value. Without the value the line, or the group around it, is left out
//   [text]            a group; [?condition text] only if the condition holds, [!condition text] only if not
//   <path;between;text>  for every element; <path:3;...> the first three
//   \x                the character itself
//
// A path: names between slashes, numbers in arrays. ^ begins at the document; . is the element itself, @ its key. A
// condition: a path that is there and is neither false, 0 nor empty; or path=text, path>number, path<number; several with | between
// them: one of them holds.
#pragma once

#include "platform/base/std.h"

#include <jansson.h>

// The lines of a view, in their order; those for people in a hurry, or all of them.
void ts_text_print(const char *view, const json_t *document, bool all, FILE *file);
