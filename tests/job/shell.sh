# What the tests of program files share; sourced with the program in $tensim: a folder of their own, `expect' and `fail'.
. "$(dirname "$0")/../sample.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$folder/cache}" # ctest has one for all tests

fail()
{
    echo "$1"
    cat out err
    exit 1
}

# expect CODE COMMAND...: runs it with the output in out and err.
expect()
{
    code=$1
    shift
    got=0
    timeout 900 "$@" >out 2>err || got=$?
    [ "$got" = "$code" ] || fail "exit $got, expected $code: $*"
}
