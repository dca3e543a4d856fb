// Old names of commands and options (aliases.def), which work as they did.
#pragma once

// Replaces old names in a command line, argv[1] being the command, and says so on stderr. The result, to be freed with its
// words that are new (the process ends with it, so nobody does), is argv itself if there are none.
char **ts_alias_expand(int *argc, char **argv);
