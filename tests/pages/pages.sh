#!/bin/bash
# Opens every HTML page in a headless Chromium, 1280 and 390 pixels wide: no script error, plots with something in them,
# nothing wider than the window, text that can be read.
# Usage: pages.sh TENSIM [DIR]; with DIR screenshots are left there. Exit code 77: there is no Chromium.
set -eu
tensim=$1
here=$(dirname "$(readlink -f "$0")")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { echo "no Chromium: skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
shots=${2:-}
browse() {
    timeout 200 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage --hide-scrollbars \
        --allow-file-access-from-files --user-data-dir="$dir/profile" --enable-logging=stderr --v=0 "$@"
}

# The pages: a run's report (with arithmetic, over a grid, of a program file), a sweep's, a hang's, the one of the silicon table.
"$tensim" matmul -M 64 -N 128 -K 128 -F hifi2 -q -o "$dir/run"
"$tensim" matmul -M 64 -N 128 -K 128 --grid 2x2 --timing-only -q -o "$dir/grid"
"$tensim" run "$here/../../config/programs/matmul/program.yaml" -p m=64 -p n=64 -q -o "$dir/program"
"$tensim" sweep matmul m=64 n=64 k=64 fidelity=lofi,hifi4 format=bf16,bfp8 throttle=0,3,5 -q -o "$dir/sweep" > /dev/null
"$tensim" run --trisc0 "$(dirname "$tensim")/guest/matmul.unpack.elf" -q -o "$dir/hang" 2> /dev/null || true
"$tensim" silicon --every 20 --summary --html "$dir/silicon.html" > /dev/null
pages="run/report.html:5:2 grid/report.html:5:2 program/report.html:5:3 sweep/sweep.html:4:1 hang/hang.html:1:1 silicon.html:17:2"
[ -z "${PAGES_EXTRA:-}" ] || pages="$pages $PAGES_EXTRA"

cp "$here/probe.js" "$dir"
failed=0
for entry in $pages; do
    IFS=: read -r page plots tables <<< "$entry"
    [ -f "$dir/$page" ] || { echo "$page: not written"; failed=1; continue; }
    # A copy with the probe in front of everything else, inside frames of both widths.
    name=$(echo "$page" | tr / -)
    sed 's|<head>|<head><script src="probe.js"></script>|' "$dir/$page" > "$dir/copy-$name"
    cat > "$dir/frame-$name" << HTML
<!DOCTYPE html><html><head><title>frames</title></head><body><div id="seen"></div><script>
window.addEventListener("message", function (event) {
    var row = document.createElement("p");
    row.textContent = "SEEN " + JSON.stringify(event.data);
    document.getElementById("seen").appendChild(row);
});
</script><iframe src="copy-$name" style="width:1280px;height:900px;border:0"></iframe>
<iframe src="copy-$name" style="width:390px;height:844px;border:0"></iframe></body></html>
HTML
    browse --virtual-time-budget=20000 --dump-dom "file://$dir/frame-$name" > "$dir/dom" 2> "$dir/log" || true
    grep -o 'SEEN {[^<]*' "$dir/dom" | sed 's/&quot;/"/g' > "$dir/seen" || true
    if grep -q -i -E 'CONSOLE.*(error|refused)|Uncaught' "$dir/log"; then
        echo "$page: the console says"; grep -i -E 'CONSOLE' "$dir/log"; failed=1
    fi
    [ "$(wc -l < "$dir/seen")" -eq 2 ] || { echo "$page: it was not seen at both widths"; cat "$dir/log" | tail -5; failed=1; continue; }
    while read -r line; do
        echo "$page: $line"
        number() { echo "$line" | sed -n "s/.*\"$1\":\\([0-9.]*\\).*/\\1/p"; }
        [ "$(number scroll)" -le "$(number width)" ] || { echo "  wider than the window"; failed=1; }
        [ "$(number plots)" -ge "$plots" ] || { echo "  less than $plots plots"; failed=1; }
        [ "$(number empty)" -eq 0 ] || { echo "  plots without anything in them"; failed=1; }
        [ "$(number small)" -eq 0 ] || { echo "  text below 9 pixels"; failed=1; }
        [ "$(number outside)" -eq 0 ] || { echo "  text that leaves its plot"; failed=1; }
        [ "$(number tables)" -ge "$tables" ] || { echo "  less than $tables tables"; failed=1; }
        echo "$line" | grep -q '"errors":\[\]' || { echo "  script errors"; failed=1; }
    done < "$dir/seen"
    if [ -n "$shots" ]; then
        mkdir -p "$shots"
        browse --window-size=1280,2400 --screenshot="$shots/${name%.html}-1280.png" "file://$dir/$page" > /dev/null 2>&1 || true
        echo "<!DOCTYPE html><body style='margin:0'><iframe src='$page' style='width:390px;height:3000px;border:0'></iframe>" > "$dir/narrow.html"
        browse --window-size=500,3000 --screenshot="$shots/${name%.html}-390.png" "file://$dir/narrow.html" > /dev/null 2>&1 || true
    fi
done
exit $failed
