#!/bin/sh
# What a program file means: defines, kernels without cores, arguments that are not given, fractions.
# Usage: program_rules.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

cat > k.cpp << 'END'
#include "dataflow_api.h"
void kernel_main()
{
    DPRINT << "mode " << MODE << " text " << TEXT << ENDL();
    if (get_arg_val<uint32_t>(READ) == 12345)
        DPRINT << "never" << ENDL();
}
END
cat > program.yaml << 'END'
params: {mode: 7, read: 1}
cores: {left: "0,0", right: "1,1"}
kernels:
    - {source: k.cpp, on: brisc, args: [1, 2], defines: {MODE: mode, READ: read, TEXT: '"mode"'}}
END
expect 0 "$tensim" run program.yaml -p mode=9
cat out err > all
[ "$(grep -c 'mode 9 text mode' all)" = 2 ] || fail "defines, or not on both ranges: $(cat all)"
if grep -q arg-beyond all; then fail "a lint for an argument that was given"; fi
expect 0 "$tensim" run program.yaml -p read=2
cat out err > all
grep -q 'arg-beyond.*k.cpp on brisc reads argument 2, and 2 are given' all || fail "no lint: $(cat all)"

sed -i 's/read: 1/read: 7 \/ 2/' program.yaml
expect 3 "$tensim" run program.yaml
cat out err | grep -q '7 / 2 is 3.5, not a whole number: / does not round' || fail "a fraction is taken"
