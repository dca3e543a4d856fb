"""A page of `tensim ui` in a headless Chromium, for the tests that look at it: waits, widths and colours, pictures, what is wrong."""
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../pages"))
from look import browser  # noqa: E402

PATIENCE = 300  # seconds, on a busy machine


class View:
    def __init__(self, server, name, shots=None):
        self.server, self.name, self.shots = server, name, shots
        self.wrong = []
        self.driver = browser()
        if shots:
            os.makedirs(shots, exist_ok=True)
        self.dress(1280, "light")
        self.driver.get(server.address)

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def texts(self, chosen):
        """At once: the page may draw anew at any time."""
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", chosen)

    def until(self, what, text):
        end = time.time() + PATIENCE
        while time.time() < end:
            if found := what():
                return found
            time.sleep(0.05)
        print(self.js("return document.body.innerText"))
        raise SystemExit(f"{text}: not within {PATIENCE} s")

    def expect(self, good, text):
        if not good:
            self.wrong.append(text)

    def dress(self, width, scheme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 1100, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def look(self, what):
        """No scrollbar across, and a picture for those who want to see it."""
        wide = self.js("return document.documentElement.scrollWidth - innerWidth")
        self.expect(wide <= 0, f"{what}: {wide} pixels too wide")
        if self.shots:
            self.driver.save_screenshot(os.path.join(self.shots, f"{self.name}-{what}.png"))

    def all_dresses(self, what):
        for width in (390, 1280):
            for scheme in ("dark", "light"):
                self.dress(width, scheme)
                time.sleep(0.2)
                self.look(f"{what}-{width}-{scheme}")

    def end(self, quiet=lambda message: False):
        """The exit code of the test; the console has no error but those that are `quiet`."""
        for entry in self.driver.get_log("browser"):
            self.expect(entry["level"] != "SEVERE" or quiet(entry["message"]), f"console: {entry['message']}")
        self.driver.quit()
        code = self.server.end()
        self.expect(code == 0, f"the server ends with {code}")
        for text in self.wrong:
            print(text)
        return 1 if self.wrong else 0
