// The server's packets, as they are; what goes back in time or ends the process leaves the input.
#include "platform/gdb/state.h"
#include "tests/parse/parse.h"

#include <unistd.h>

#define ts_gdb_search(self, until)    parse_leave()
#define ts_gdb_go(self, goal)         parse_leave()
#define ts_travel_forget(self, after) (void)0
#define ts_travel_end(self)           (void)0
#define _exit(code)                   parse_leave()
#include "platform/gdb/commands.c"
