#!/usr/bin/python3
"""The page of `tensim ui` in a headless Chromium: runs are listed, a run is started and its report opened, two are compared, a
mistake is told; at 390 and 1280 pixels, light and dark, without an error on the console and without a scrollbar across.

Usage: page.py TENSIM [DIR]; with DIR screenshots are left there. Exit code 77: no Chromium, no Selenium or no ui."""
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
from look import browser, By  # noqa: E402
from server import Server  # noqa: E402

PATIENCE = 300  # seconds, on a busy machine


def until(what, text):
    end = time.time() + PATIENCE
    while time.time() < end:
        if found := what():
            return found
        time.sleep(0.1)
    print(driver.find_element(By.TAG_NAME, "body").text)
    raise SystemExit(f"{text}: not within {PATIENCE} s")


def texts(chosen):
    """At once: the page may draw anew at any time."""
    return driver.execute_script("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", chosen)


with tempfile.TemporaryDirectory() as folder:
    run = [tensim, "eltwise", "-M", "32", "-q"]
    subprocess.run(run + ["-N", "32", "-o", os.path.join(folder, "small")], check=True)
    subprocess.run([tensim, "hang", os.path.join(here, "../gallery/mutex-cycle.yaml"), "-q", "-o", os.path.join(folder, "stuck")],
                   stderr=subprocess.DEVNULL, check=False)
    server = Server(tensim, folder)
    driver = browser()
    wrong = []
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            driver.get(server.address)
            until(lambda: len(texts("#runs tr")) >= 2, "the runs of the folder")
            wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            if wide > 0:
                wrong.append(f"{wide} pixels too wide at {width}, {scheme}")
            if len(sys.argv) > 2:
                driver.save_screenshot(os.path.join(sys.argv[2], f"ui-{width}-{scheme}.png"))
    rows = texts("#runs tr")
    if not any("hangs" in row and "stuck" in row for row in rows):
        wrong.append(f"the hang is not among {rows}")
    # A mistake is told, a run runs, its report opens; a report may not talk to the server.
    line = driver.find_element(By.ID, "line")
    for text, seen in (("matmul -o x", lambda: "-o" in texts("#wrong")[0]),
                       ("eltwise -M 32 -N 64", lambda: "done" in texts("#jobs")[0])):
        line.clear()
        line.send_keys(text + "\n")
        until(seen, f"what the page says of {text}")
    until(lambda: len(texts("#runs tr")) >= 3, "the new run in the list")
    driver.execute_script("""for (const row of document.querySelectorAll("#runs tr"))
        if (!row.innerText.includes("stuck")) row.querySelector("input").click();""")
    driver.find_element(By.ID, "compare").click()
    until(lambda: any("compare" in row and "report" in row for row in texts("#runs tr")),
          "the comparison in the list")
    if len(sys.argv) > 2:
        driver.save_screenshot(os.path.join(sys.argv[2], "ui-compared.png"))
    until(lambda: texts("#jobs a"), "a link to the report")
    driver.get(driver.execute_script("return [...document.querySelectorAll('#jobs a')].at(-1).href"))
    until(lambda: texts("canvas"), "the report's charts")
    tried = driver.execute_async_script("""const done = arguments[1], socket = new WebSocket(arguments[0], "tensim");
        socket.onopen = () => done("open"); socket.onerror = () => done("refused");""",
                                        server.address.replace("http", "ws") + "live")
    if tried != "refused":
        wrong.append("a report may open the websocket")
    for entry in driver.get_log("browser"):
        if entry["level"] == "SEVERE" and "live" not in entry["message"]:
            wrong.append(f"console: {entry['message']}")
    driver.quit()
    if (code := server.end()) != 0:
        wrong.append(f"the server ends with {code}")
for text in wrong:
    print(text)
sys.exit(1 if wrong else 0)
