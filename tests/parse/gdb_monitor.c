// The server's monitor commands, as they are (gdb_commands.c).
#include "platform/gdb/state.h"
#include "tests/parse/parse.h"

#include <unistd.h>

#define ts_gdb_search(self, until) parse_leave()
#define ts_gdb_go(self, goal)      parse_leave()
#include "platform/gdb/monitor.c"
