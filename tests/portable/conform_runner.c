// Replays the conformance vectors given on the command line, for x86.sh: a program without any of
// the libraries, so that it can be built for another machine. Prints name, pass, cycles.
#include "platform/load/conform.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    unsigned passed = 0;
    for (int i = 1; i < argc; i++) {
        struct ts_conform_file conform;
        struct ts_error error = {0};
        struct ts_conform_result result;
        if (!ts_conform_read(&conform, argv[i], &error)) {
            printf("%s\n", error.text);
            continue;
        }
        struct ts_conform_options options = {.tile = ts_tile_config_default()};
        ts_conform_run(&conform, &options, &result);
        printf("%s %d %llu\n", conform.name, result.pass, (unsigned long long)result.cycles);
        passed += result.pass;
        ts_conform_free(&conform);
    }
    printf("%u passed, %u failed\n", passed, (unsigned)(argc - 1) - passed);
    return passed != (unsigned)(argc - 1);
}
