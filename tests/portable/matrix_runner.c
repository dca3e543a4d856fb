// Random MVMULs against the plain integer path, for x86.sh: a program without any of the libraries.
#include "tests/units/matrix_random.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    static struct matrix_random x;
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    for (unsigned seed = 0; seed < count; seed++)
        if (!matrix_random(&x, seed, 24, ts_mvmul)) {
            printf("seed %u: %s\n", seed, matrix_where(&x));
            return 1;
        }
    printf("%u random states of 24 MVMULs: the same bits\n", count);
    return 0;
}
