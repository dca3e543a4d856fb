// Random MVMULs against the plain integer path, for x86.sh: a program without any of the libraries, and
// each form of the vector code that the processor has.
#include "tests/units/matrix_random.h"
#include "units/matrix/dispatch.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    static struct matrix_random x;
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    for (int form = 0; form < TS_LANES_FORMS; form++) {
        if (!ts_lanes_has((enum ts_lanes)form))
            continue;
        ts_lanes_use((enum ts_lanes)form);
        for (unsigned seed = 0; seed < count; seed++)
            if (!matrix_random(&x, seed, 24, ts_mvmul, ts_mvmuls)) {
                printf("form %d, seed %u: %s\n", form, seed, matrix_where(&x));
                return 1;
            }
        printf("form %d: %u random states of 24 MVMULs or runs: the same bits\n", form, count);
    }
    return 0;
}
