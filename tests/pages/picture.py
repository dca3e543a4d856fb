#!/usr/bin/python3
"""The picture of the first README: the top of a report in a headless Chromium.

Usage: picture.py REPORT.html PICTURE.png
Exit code 1: the page has no answer, no key figures, or fewer charts than a report of a kernel has; 77: no Chromium or no Selenium."""
import os
import sys

try:
    from selenium import webdriver
except ImportError:
    print("no Selenium (python3-selenium): skipped")
    sys.exit(77)

WIDTH, HEIGHT = 1100, 1500
PARTS = {"title": "h1", "answer": ".answer", "charts": "canvas", "table": "table"}
LEAST = {"charts": 4}


def main():
    page, picture = sys.argv[1:]
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    try:
        driver = webdriver.Chrome(options=options)
    except Exception as error:  # no browser, or none that starts
        print(f"no Chromium: skipped ({str(error).splitlines()[0]})")
        return 77
    try:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
        driver.get("file://" + os.path.abspath(page))
        driver.execute_async_script("const done = arguments[0]; setTimeout(done, 1500);")
        wrong = [f"{page}: {name}: {found} of at least {LEAST.get(name, 1)}" for name, part in PARTS.items()
                 if (found := driver.execute_script("return document.querySelectorAll(arguments[0]).length", part))
                 < LEAST.get(name, 1)]
        driver.save_screenshot(picture)
    finally:
        driver.quit()
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
