// Replays the conformance vectors given on the command line, for x86.sh: a program without any of
// the libraries, so that it can be built for another machine. Prints name, pass, cycles.
#include "platform/load/conform.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    unsigned passed = 0;
    for (int i = 1; i < argc; i++) {
        struct ts_vector_file vector;
        struct ts_error error = {0};
        struct ts_vector_result result;
        if (!ts_vector_read(&vector, argv[i], &error)) {
            printf("%s\n", error.text);
            continue;
        }
        struct ts_vector_options options = {.tile = ts_tile_config_default()};
        ts_vector_run(&vector, &options, &result);
        printf("%s %d %llu\n", vector.name, result.pass, (unsigned long long)result.cycles);
        passed += result.pass;
        ts_vector_free(&vector);
    }
    printf("%u passed, %u failed\n", passed, (unsigned)(argc - 1) - passed);
    return passed != (unsigned)(argc - 1);
}
