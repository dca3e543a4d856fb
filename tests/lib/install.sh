#!/bin/sh
# Installs into a prefix, compiles the examples outside of the tree with pkg-config, and runs them, the installed
# program and its manual from there. Usage: install.sh CMAKE BUILD_DIR SOURCE_DIR CC FLAGS
set -eu
cmake=$1 build=$2 source=$3 cc=$4 flags=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$cmake" --install "$build" --prefix "$dir/first" >"$dir/log"
mv "$dir/first" "$dir/prefix" # a prefix may be moved
prefix=$dir/prefix
lib=$(dirname "$(find "$prefix" -name libtensim.so)")
unset TENSIM_CONFIG_PATH || true
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"

fail() {
    echo "$*"
    exit 1
}

# Only tensim_* is visible, in both forms.
for form in "-D $lib/libtensim.so" "-g $lib/libtensim.a"; do
    other=$(nm --defined-only $form | awk 'NF == 3 && $3 !~ /^tensim_/ { print $3 }')
    # A sanitizer adds names of its own.
    [ -z "$other" ] || [ -n "$flags" ] || fail "$form: other names are visible: $other"
    nm --defined-only $form | grep -q ' tensim_run$' || fail "$form: no tensim_run"
done

# An instance has all its state in itself: no variable of the library can be written, but the one that
# remembers which vector code the processor has (units/matrix/dispatch.c).
if [ -z "$flags" ]; then
    state=$(objdump -t "$lib/libtensim.a" | awk '/ O \.(data|bss|tdata|tbss)[ \t]/ { print $NF }' | grep -vx lanes_in_use) || true
    [ -z "$state" ] || fail "variables of the library: $state"
fi

mkdir "$dir/work"
cd "$dir/work"
cp "$source"/tests/examples/*.c .
for example in run_elf matmul hang; do
    $cc -std=c11 -Wall -Wextra -Wpedantic -Werror $flags $example.c -o $example $(pkg-config --cflags --libs tensim)
done
$cc -std=c11 $flags matmul.c -o static_matmul "$lib/libtensim.a" $(pkg-config --cflags tensim) \
    $(pkg-config --static --libs tensim | sed 's/-ltensim//') -rdynamic
./matmul >matmul.txt || fail "matmul: code $?"
grep -q 'cycles, .* TFLOP/s, bound by .*, rel_l2 ' matmul.txt || fail "matmul says: $(cat matmul.txt)"
./static_matmul | cmp - matmul.txt || fail "the archive gives other results than the shared library"
./hang >hang.txt || fail "hang: code $?"
grep -q 'brisc polls L1 word 0x100' hang.txt || fail "hang says: $(cat hang.txt)"
if command -v riscv64-unknown-elf-gcc >/dev/null; then
    echo '.globl _start; _start: li a0, 42; sw a0, 0x200(zero); fence; ebreak' | tr ';' '\n' >program.S
    riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -nostdlib -Wl,-Ttext=0 -Wl,--build-id=none program.S -o program.elf
    ./run_elf program.elf 0x200 >run.txt || fail "run_elf: code $?"
    grep -q '^0x200 = 0x2a after' run.txt || fail "run_elf says: $(cat run.txt)"
fi

# The Python module of the prefix finds its library and its program.
if [ -z "$flags" ] && command -v python3 >/dev/null; then
    PYTHONPATH=$prefix/lib/python3/dist-packages python3 -B -c 'import tensim
assert tensim.library.PATH.startswith("'"$prefix"'"), tensim.library.PATH
assert tensim.library.program() == "'"$prefix"'/bin/tensim"
assert tensim.matmul(m=32, n=32, k=32).cycles > 0 and "gemv" in tensim.programs()' || fail "the Python module"
fi

# The installed program, its manual and its completion.
"$prefix/bin/tensim" matmul --m 32 --n 32 --k 32 -q || fail "the installed program: code $?"
"$prefix/bin/tensim" noc --help >/dev/null
for command in $("$prefix/bin/tensim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    page=$prefix/share/man/man1/tensim-$command.1
    grep -q '^.SH OPTIONS' "$page" || fail "$page: no options"
    grep -q "^    $command) options=.*--help" "$prefix/share/bash-completion/completions/tensim" ||
        "$prefix/bin/tensim" config --complete "$command" -- | grep -q '^--' ||
        fail "$command: no completion"
done
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww "$prefix"/share/man/man1/*.1 >/dev/null 2>groff.txt
    [ ! -s groff.txt ] || fail "manual: $(head -3 groff.txt)"
fi
# The card for the vendor's host software: ten names, its descriptor next to it, its configuration from this prefix.
card=$("$prefix/bin/tensim" --ttsim)
[ "$card" = "$(realpath "$lib/tensim/ttsim/libttsim.so")" ] || fail "--ttsim says $card"
[ -s "$(dirname "$card")/soc_descriptor.yaml" ] || fail "no soc_descriptor.yaml next to $card"
names=$(nm -D --defined-only "$card" | awk 'NF == 3 && $3 ~ /^libttsim_/' | wc -l)
[ "$names" = 10 ] || fail "$card: $names names"
if [ -z "$flags" ]; then
    other=$(nm -D --defined-only "$card" | awk 'NF == 3 && $3 !~ /^libttsim_/ { print $3 }')
    [ -z "$other" ] || fail "$card: other names are visible: $other"
    printf '%s\n' '#include <dlfcn.h>' 'int main(int n, char **a) { void *l = dlopen(a[n - 1], RTLD_NOW);' \
        ' void (*f[2])(void) = {0}; if (!l) return 9; *(void **)f = dlsym(l, "libttsim_init");' \
        ' *(void **)(f + 1) = dlsym(l, "libttsim_exit"); f[0](); f[1](); return dlclose(l); }' >card.c
    $cc card.c -o card
    ./card "$card" || fail "a card of the prefix: code $?"
fi
echo "installed, compiled and run"
