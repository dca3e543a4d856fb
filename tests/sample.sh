# Long tests run a sample of their cases, and all of them with tests/run --all. To be sourced.
# every_case: are all wanted?
every_case() { [ -n "${TENSIM_TEST_ALL:-}" ]; }
# sample TEXT: says what is run instead of all.
sample() { every_case || echo "sample of $1; all: tests/run --all"; }
# one_in N: true for all cases, or for the first of each N.
turn=0
one_in()
{
    turn=$((turn + 1))
    every_case || [ $((turn % $1)) = 1 ]
}
