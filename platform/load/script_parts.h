// What the files of the reader of small programs share (script.h).
#pragma once

#include "platform/load/script.h"

// A list of steps of one kind; nothing if there is no node.
void ts_script_read_list(struct ts_script *self, struct ts_yaml_node node,
                         enum ts_script_where where, unsigned depth, struct ts_script_list *list);
void ts_script_free_list(struct ts_script_list *list);
// "2-3"; false: an error.
bool ts_script_coordinates(struct ts_yaml_node node, struct ts_noc_xy *at);
// The same of a system: 1/1-2, 1/eth4. False: an error.
bool ts_script_place(struct ts_yaml_node node, struct ts_script_place *place);
// The number of a word in a list that is separated by blanks; -1 and an error: it is none.
int64_t ts_script_choice(struct ts_yaml_node node, const char *words);
