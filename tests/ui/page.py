#!/usr/bin/python3
"""The page of `tensim ui` in a headless Chromium: what comes with tensim writes and starts lines, runs are listed, a run is started and its report opened, two are compared, a
mistake is told; at 390 and 1280 pixels, light and dark, without an error on the console and without a scrollbar across.

Usage: page.py TENSIM [DIR]; with DIR screenshots are left there. Exit code 77: no Chromium, no Selenium or no ui."""
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

with tempfile.TemporaryDirectory() as folder:
    run = [tensim, "eltwise", "-M", "32", "-q"]
    subprocess.run(run + ["-N", "32", "-o", os.path.join(folder, "small")], check=True)
    subprocess.run([tensim, "run", os.path.join(here, "../../config/gallery/mutex-cycle.yaml"), "-q", "-o", os.path.join(folder, "stuck")],
                   stderr=subprocess.DEVNULL, check=False)
    view = View(Server(tensim, folder), "ui", sys.argv[2] if len(sys.argv) > 2 else None)
    js, texts, until = view.js, view.texts, view.until
    until(lambda: len(texts("#runs tr")) >= 2, "the runs of the folder")
    view.all_dresses("runs")
    rows = texts("#runs tr")
    view.expect(any("hangs" in row and "stuck" in row for row in rows), f"the hang is not among {rows}")
    # Doors: each shows what it has; a program's fields, a hang and a seed write the line.
    press = """[...document.querySelectorAll(arguments[0])].find(node => node.innerText.split("\\n")[0] === arguments[1]).click()"""
    for door, rows, choice, line in (("Programs", 30, "llk/matmul", "run llk/matmul k=64 --timing-only"), ("Hangs", 100, "gallery/mutex-cycle", "run gallery/mutex-cycle"),
                                     ("Step by step", 20, "step/mvmul", "run --show=values step/mvmul"), ("TPUSH/TPOP", 5, "pipes/flash-attention", "run pipes/flash-attention")):
        js(press, "#doors button", door)
        view.expect(len(texts("#door .list button")) >= rows, f"{door}: {len(texts('#door .list button'))} rows")
        js(press, "#door .list button", choice)
        if door == "Programs":
            view.expect("lofi" in js("return document.getElementById('params').innerText"), "no fidelity to choose")
            js("""const [k] = [...document.querySelectorAll("#params label")].filter(label => label.firstChild.data === "k");
                k.querySelector("input").value = 64; k.querySelector("input").oninput(); [...document.querySelectorAll("#params input")].at(-1).click();""")
            view.all_dresses("programs")
        view.expect(js("return document.getElementById('line').value") == line, f"{door}: {js('return document.getElementById(`line`).value')}")
    js("document.getElementById('how').value = ''")
    js(press, "#doors button", "Seeds")
    view.all_dresses("seeds")
    js("document.querySelector('.seeds button').click()")
    until(lambda: "done" in texts("#jobs")[0], "a seed that is started")
    # A mistake is told, a run runs, its report opens; a report may not talk to the server.
    for text, seen in (("matmul -o x", lambda: "-o" in texts("#wrong")[0]),
                       ("eltwise -M 32 -N 64", lambda: "eltwise -M 32 -N 64" in texts("#jobs .job")[0] and "done" in texts("#jobs .job")[0])):
        line = view.driver.find_element("id", "line")
        line.clear()
        line.send_keys(text + "\n")
        until(seen, f"what the page says of {text}")
    until(lambda: len(texts("#runs tr")) >= 4, "the new run in the list")
    js("""for (const row of document.querySelectorAll("#runs tr"))
        if (row.innerText.includes("eltwise")) row.querySelector("input").click();
        document.getElementById("compare").click();""")
    until(lambda: any("compare" in row and "report" in row for row in texts("#runs tr")), "the comparison in the list")
    view.look("compared")
    until(lambda: texts("#jobs a"), "a link to the report")
    view.driver.get(js("return [...document.querySelectorAll('#jobs a')].at(-1).href"))
    until(lambda: texts("canvas"), "the report's charts")
    tried = view.driver.execute_async_script("""const done = arguments[1], socket = new WebSocket(arguments[0], "tensim");
        socket.onopen = () => done("open"); socket.onerror = () => done("refused");""",
                                             view.server.address.replace("http", "ws") + "live")
    view.expect(tried == "refused", "a report may open the websocket")
    sys.exit(view.end(quiet=lambda message: "live" in message))
