#!/usr/bin/python3
"""The live view of `tensim ui` in a headless Chromium: a hang is watched again and its cycle is drawn, the timeline is dragged back,
steps go forth and back, a grid is paused while it runs; at 390 and 1280 pixels, light and dark, without an error on the console and
without a scrollbar across.

Usage: live_page.py TENSIM [DIR]; screenshots are left in DIR. Exit code 77: no Chromium, no Selenium or no ui."""
import os
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "../pages")]
tensim = os.path.abspath(sys.argv[1])
if not os.path.exists(os.path.join(os.path.dirname(tensim), "tensim-ui")):
    print("this tensim was built without libwebsockets: skipped")
    sys.exit(77)
from look import browser  # noqa: E402
from server import Server  # noqa: E402

PATIENCE = 300  # seconds, on a busy machine
wrong = []


def js(text, *arguments):
    return driver.execute_script(text, *arguments)


def until(what, text):
    end = time.time() + PATIENCE
    while time.time() < end:
        if found := what():
            return found
        time.sleep(0.05)
    print(js("return document.body.innerText"))
    raise SystemExit(f"{text}: not within {PATIENCE} s")


def mode():
    return js("return document.getElementById('live').dataset.mode")


def cycle():
    return int("".join(filter(str.isdigit, js("return document.getElementById('cycle').textContent"))) or -1)


def click(name):
    if js("const b = document.getElementById(arguments[0]); if (b.disabled) return true; b.click();", name):
        wrong.append(f"{name}: the button is off")


def drag(to):
    js("const t = document.getElementById('time'); t.value = arguments[0]; t.dispatchEvent(new Event('input'));", to)
    until(lambda: cycle() == to and mode() != "runs", f"cycle {to} after a drag")


def arrows():
    return js("return document.querySelectorAll('svg.waits path.cycle').length")


def look(name):
    """No scrollbar across, and a picture for those who want to see it."""
    wide = js("return document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        wrong.append(f"{name}: {wide} pixels too wide")
    if len(sys.argv) > 2:
        os.makedirs(sys.argv[2], exist_ok=True)
        driver.save_screenshot(os.path.join(sys.argv[2], f"live-{name}.png"))


def dress(width, scheme):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 1100, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def watch_again(name):
    until(lambda: js("""const row = [...document.querySelectorAll('#runs tr')].find(row => row.innerText.includes(arguments[0]));
        const b = [...row?.querySelectorAll('button') ?? []].find(b => b.textContent === 'watch it happen');
        b?.click(); return b;""", name), f"the offer to watch {name}")
    until(lambda: mode() == "hang", f"the hang of {name}")


def start(line, how):
    js("""document.getElementById('leave').click(); document.getElementById('line').value = arguments[0];
        document.getElementById('how').value = arguments[1]; document.querySelector('#start button').click();""", line, how)
    until(lambda: mode() == "paused", f"{line}, before its first cycle")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([tensim, "hang", os.path.join(here, "../gallery/mutex-cycle.yaml"), "-q", "-o", os.path.join(folder, "stuck")],
                   stderr=subprocess.DEVNULL, check=False)
    subprocess.run([tensim, "run", os.path.join(here, "../gallery/tiles/both-wait-first.yaml"), "-q", "-o", os.path.join(folder, "chip")],
                   stderr=subprocess.DEVNULL, check=False)
    server = Server(tensim, folder)
    driver = browser()
    dress(1280, "light")
    driver.get(server.address)
    # A hang, watched again: it stops there, and the cycle is drawn: two threads, two mutexes, four arrows with their tips.
    watch_again("mutex-cycle")
    until(lambda: js("return document.querySelectorAll('#code .here').length"), "the chosen core's line")
    if arrows() != 8:
        wrong.append(f"{arrows()} pieces of arrows, not 8")
    stuck = js("return [...document.querySelectorAll('.part.stuck, .part.wanted')].map(p => p.dataset.part).sort()")
    if stuck != ["T0", "T1", "mutex[2]", "mutex[3]"]:
        wrong.append(f"marked: {stuck}")
    if "mutex[3] (mutex_held) from T1" not in js("return document.getElementById('answer').textContent"):
        wrong.append("the answer of the hang is not there")
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            dress(width, scheme)
            time.sleep(0.2)
            look(f"hang-{width}-{scheme}")
    # Back to how it came about: before the first mutex was taken, and step by step into it.
    dress(1280, "light")
    drag(5)
    if arrows():
        wrong.append("a cycle of waits in cycle 5")
    look("dragged")
    for button, means in (("cycle-step", lambda before: cycle() == before + 1), ("instruction", lambda before: cycle() > before),
                          ("unit", lambda before: cycle() > before), ("back-unit", lambda before: cycle() < before),
                          ("back-cycle", lambda before: cycle() == before - 1), ("back-instruction", lambda before: cycle() < before)):
        before = cycle()
        click(button)
        until(lambda: means(before), f"{button} from cycle {before}")
    drag(20)
    click("run")
    until(lambda: mode() == "hang" and arrows() == 8, "the hang once more")
    click("run")
    until(lambda: "exit code 2" in js("return document.getElementById('said').textContent"), "the end of the run")
    # Two tiles that wait for each other: both in the map; the other one is a click away.
    js("document.getElementById('leave').click()")
    watch_again("both-wait-first")
    tiles = js("return [...document.querySelectorAll('.map div.stuck')].map(cell => cell.innerText)")
    if tiles != ["1-2", "2-2"]:
        wrong.append(f"tiles of the cause: {tiles}")
    js("document.querySelector('.part.other').click()")
    until(lambda: js("return document.getElementById('tile').value") == "2-2" and
          js("return document.querySelector('.part.other')?.innerText") == "brisc of 1-2", "the other tile")
    look("chip-hang")
    # A grid at full speed: paused while it runs; its map shows where the work is.
    start("run matmul-2d -p m=1024 -p n=1024 -p k=4096 --timing-only -j 2", "watch")
    click("run")
    until(lambda: mode() == "runs" and cycle() > 12000, "the grid")
    click("run")
    until(lambda: mode() == "paused", "the grid paused")
    if js("return document.querySelectorAll('#chip .map > div').length") < 100:
        wrong.append("no map of the chip")
    js("document.querySelectorAll('#chip .map > div[role=button]')[9].click()")
    until(lambda: js("return document.getElementById('tile').selectedIndex") == 9, "another tile of the map")
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            dress(width, scheme)
            time.sleep(0.2)
            look(f"grid-{width}-{scheme}")
    js("document.getElementById('chip').scrollIntoView()")
    look("map")
    for entry in driver.get_log("browser"):
        if entry["level"] == "SEVERE":
            wrong.append(f"console: {entry['message']}")
    driver.quit()
    if (code := server.end()) != 0:
        wrong.append(f"the server ends with {code}")
for text in wrong:
    print(text)
sys.exit(1 if wrong else 0)
