#!/usr/bin/python3
"""The live view of `tensim ui` in a headless Chromium: a hang is watched again and its cycle is drawn, the timeline is dragged back,
steps go forth and back, a grid is paused while it runs; at 390 and 1280 pixels, light and dark, without an error on the console and
without a scrollbar across.

Usage: live_page.py TENSIM [DIR]; screenshots are left in DIR. Exit code 77: no Chromium, no Selenium or no ui."""
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from server import need_ui, Server  # noqa: E402
from view import View  # noqa: E402

tensim = os.path.abspath(sys.argv[1])
need_ui(tensim)


def mode():
    return js("return document.getElementById('live').dataset.mode")


def cycle():
    return int("".join(filter(str.isdigit, js("return document.getElementById('cycle').textContent"))) or -1)


def click(name):
    off = js("const b = document.getElementById(arguments[0]); if (b.disabled) return true; b.click();", name)
    view.expect(not off, f"{name}: the button is off")


def drag(to):
    js("const t = document.getElementById('time'); t.value = arguments[0]; t.dispatchEvent(new Event('input'));", to)
    until(lambda: cycle() == to and mode() != "runs", f"cycle {to} after a drag")


def arrows():
    return js("return document.querySelectorAll('svg.waits path.cycle').length")


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
    subprocess.run([tensim, "run", os.path.join(here, "../../config/gallery/mutex-cycle.yaml"), "-q", "-o", os.path.join(folder, "stuck")],
                   stderr=subprocess.DEVNULL, check=False)
    subprocess.run([tensim, "run", os.path.join(here, "../../config/gallery/tiles/both-wait-first.yaml"), "-q", "-o", os.path.join(folder, "chip")],
                   stderr=subprocess.DEVNULL, check=False)
    view = View(Server(tensim, "--allow=programs", folder, os.path.join(here, "../../config/gallery")), "live", sys.argv[2] if len(sys.argv) > 2 else None)
    js, until, look = view.js, view.until, view.look
    # A hang, watched again: it stops there, and the cycle is drawn: two threads, two mutexes, four arrows with their tips.
    watch_again("mutex-cycle")
    until(lambda: js("return document.querySelectorAll('#code .here').length"), "the chosen core's line")
    view.expect(arrows() == 8, f"{arrows()} pieces of arrows, not 8")
    stuck = js("return [...document.querySelectorAll('.part.stuck, .part.wanted')].map(p => p.dataset.part).sort()")
    view.expect(stuck == ["T0", "T1", "mutex[2]", "mutex[3]"], f"marked: {stuck}")
    view.expect("mutex[3] (mutex_held) from T1" in js("return document.getElementById('answer').textContent"), "the answer of the hang is not there")
    view.all_dresses("hang")
    # Back to how it came about: before the first mutex was taken, and step by step into it.
    drag(5)
    view.expect(not arrows(), "a cycle of waits in cycle 5")
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
    view.expect(tiles == ["1-2", "2-2"], f"tiles of the cause: {tiles}")
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
    view.expect(js("return document.querySelectorAll('#chip .map > div').length") >= 100, "no map of the chip")
    js("document.querySelectorAll('#chip .map > div[role=button]')[9].click()")
    until(lambda: js("return document.getElementById('tile').selectedIndex") == 9, "another tile of the map")
    view.all_dresses("grid")
    js("document.getElementById('chip').scrollIntoView()")
    look("map")
    sys.exit(view.end())
