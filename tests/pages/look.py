#!/usr/bin/python3
"""Looks at HTML pages in a headless Chromium as a reader would: at 1280 and 390 pixels, light and dark, with a mouse.

Usage: look.py [--shots DIR] [+]PAGE:CHARTS:TABLES[:TEXT] ...   (at least that many charts and tables, with all folds open, and this text; + not in a sample)
Checks: nothing on the console; nothing wider than the window; no text below 9 pixels or on other text; tables that do not fit say so; every
chart has something in it, shows a figure under the mouse, zooms by dragging and comes back, hides a series; the map of a chip has at least
eight times, and its cells change with them and with the figure that is chosen; the map of a system has all chips, apart, readable on their
colour, an arrow for each direction of a link that says how busy it is, and changes with the time, too; a hang names its cause and at least one that waits, on
what; a tile that is chosen on the map, and a part of the time, change what is shown of the tile, by mouse and by keys alone; a source line
opens by a key; ticks of axes are round, differ and have room, in a small part of a chart too; every figure says in words what it shows and becomes
an SVG file, by its button too; a page has less than 3 MB.
A sample (not TENSIM_TEST_ALL) has the pages in turn wide and light, and narrow and dark, uses one chart of each, moves its maps in
larger steps, and has tiles, keys and files on pages with a map of tiles alone.
Exit code 77: no Chromium or no Selenium."""
import os
import sys
import time

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("no Selenium (python3-selenium): skipped")
    sys.exit(77)

EVERY_CASE = bool(os.environ.get("TENSIM_TEST_ALL"))
PATIENCE = 120  # seconds for a browser on a busy machine

# What a script in the page can tell: sizes, overlaps, hints, blank charts.
SEEN = """
const boxes = [];
let least = 1e9;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
    const text = walk.currentNode, at = text.parentElement;
    if (!text.textContent.trim() || at.closest("script, style, option") || at.closest("[hidden]"))
        continue;
    least = Math.min(least, parseFloat(getComputedStyle(at).fontSize));
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
        // What a scrolling part hides is not seen; a sticky cell lies over others on purpose.
        const part = at.closest(".scroll, pre")?.getBoundingClientRect(), cell = at.closest("th, td");
        if (cell && (cell.tagName === "TH" || getComputedStyle(cell).position === "sticky"))
            continue;
        const b = {left: box.left, right: box.right, top: box.top, bottom: box.bottom, text: text.textContent.trim()};
        if (part) {
            b.left = Math.max(b.left, part.left); b.right = Math.min(b.right, part.right);
            b.top = Math.max(b.top, part.top); b.bottom = Math.min(b.bottom, part.bottom);
        }
        if (b.right - b.left > 2 && b.bottom - b.top > 2)
            boxes.push(b);
    }
}
boxes.sort((a, b) => a.top - b.top);
const overlaps = [];
for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom - 4; k++) {
        const a = boxes[i], b = boxes[k];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2)
            overlaps.push(a.text.slice(0, 40) + " | " + b.text.slice(0, 40));
    }
const hidden = [...document.querySelectorAll(".scroll")].filter(
    s => s.scrollWidth > s.clientWidth + 1 && getComputedStyle(s).backgroundImage === "none").length;
const blank = [...document.querySelectorAll("canvas")].filter(c => {
    const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    return !data.some((v, i) => i % 4 === 3 && v > 0);
}).length;
return {scroll: document.documentElement.scrollWidth, width: innerWidth, overlaps: overlaps.slice(0, 5),
    hidden, blank, least, charts: document.querySelectorAll("canvas").length, tables: document.querySelectorAll("table").length,
    answer: document.querySelector(".answer")?.textContent || "", command: document.querySelector(".command")?.textContent || ""};
"""

# Of every chart, complete and in a thousandth of it: ticks that lie on each other, say the same, or stand at odd values.
TICKS = """
const wrong = [];
for (const canvas of document.querySelectorAll("canvas")) {
    const chart = Chart.getChart(canvas), title = canvas.closest("figure")?.querySelector("figcaption span").textContent;
    const look = which => {
        for (const scale of Object.values(chart.scales).filter(({type}) => type !== "category")) {
            const at = scale.ticks.map(tick => scale.getPixelForValue(tick.value)), across = scale.isHorizontal();
            const texts = scale.ticks.map(tick => tick.label), sizes = texts.map(text => across ? chart.ctx.measureText(text).width : 12);
            chart.ctx.font = "12px system-ui";
            const gap = at.slice(1).map((p, i) => Math.abs(p - at[i]) - (sizes[i] + sizes[i + 1]) / 2);
            const step = scale.ticks.length > 1 ? scale.ticks[1].value - scale.ticks[0].value : 1;
            const first = +Math.abs(step).toPrecision(6) / 10 ** Math.floor(Math.log10(Math.abs(+step.toPrecision(6))));
            const nice = scale.type === "logarithmic" || Number.isInteger(Math.log2(step)) || [1, 2, 5].some(n => Math.abs(n - first) < 1e-6);
            if (!texts.length || new Set(texts).size < texts.length || texts.includes("") || Math.min(...gap, 9) < 2 || !nice)
                wrong.push(`${title}, ${which}, ${scale.id}: ${texts.join(" | ")}`);
        }
    };
    look("complete");
    const x = chart.scales.x, {min, max} = chart.config.options.scales.x;
    const show = part => {
        Object.assign(chart.config.options.scales.x, part); // an update makes new scales
        chart.update("none");
    };
    if (x.type !== "linear")
        continue;
    show({min: x.min + .4137 * (x.max - x.min), max: x.min + .4147 * (x.max - x.min)});
    look("a part");
    show({min, max});
}
return wrong.slice(0, 4).join("; ");
"""

# A point of the first chart that has one in sight, as an offset from its canvas' middle.
POINT = """
const chart = Chart.getChart(arguments[0]), area = chart.chartArea;
for (const meta of chart.getSortedVisibleDatasetMetas())
    for (const element of meta.data) {
        const p = element.getCenterPoint();
        if (p.x > area.left + 1 && p.x < area.right - 1 && p.y > area.top + 1 && p.y < area.bottom - 1)
            return [p.x - chart.width / 2, p.y - chart.height / 2];
    }
return null;
"""
RANGE = "const x = Chart.getChart(arguments[0]).scales.x; return [x.min, x.max];"
DRAG = """
const chart = Chart.getChart(arguments[0]), a = chart.chartArea;
return [a.left + (a.right - a.left) * .25 - chart.width / 2, a.left + (a.right - a.left) * .75 - chart.width / 2,
    (a.top + a.bottom) / 2 - chart.height / 2 - Math.min(20, (a.bottom - a.top) / 4)];
"""


# What is wrong with the map of a system: boxes that overlap or leave the figure, text that leaves its box or is hard to read on it.
NETWORK = """
const wrong = [], pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const known = {}, light = paint => known[paint] ??= lightness(paint), lightness = paint => {
    pen.fillStyle = paint;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(v => v / 255)
        .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
};
const contrast = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const frame = arguments[0].getBoundingClientRect(), boxes = [];
const paper = getComputedStyle(document.body).backgroundColor;
for (const chip of arguments[0].querySelectorAll(".chip")) {
    const rect = chip.querySelector("rect"), box = rect.getBoundingClientRect();
    const name = chip.querySelector("title").textContent;
    if (!inside(box, frame) || boxes.some(b => b.left < box.right && box.left < b.right && b.top < box.bottom && box.top < b.bottom))
        wrong.push(`${name}: its box overlaps another or leaves the figure`);
    boxes.push(box);
    for (const text of chip.querySelectorAll("text")) {
        if (!text.textContent || !inside(text.getBoundingClientRect(), box))
            wrong.push(`${name}: '${text.textContent}' is not in its box`);
        const of = contrast(getComputedStyle(text).fill, getComputedStyle(rect).fill);
        if (of < 3.5)
            wrong.push(`${name}: contrast of the text is ${of.toFixed(1)}`);
    }
}
for (const link of arguments[0].querySelectorAll(".link")) {
    const line = link.querySelector(".line"), name = link.querySelector("title").textContent;
    if (line.getTotalLength() < 4 || !inside(line.getBoundingClientRect(), frame))
        wrong.push(`${name}: no arrow in the figure`);
    const of = contrast(getComputedStyle(line).stroke, paper);
    if (of < 1.5)
        wrong.push(`${name}: contrast of the arrow is ${of.toFixed(1)}`);
}
return wrong.slice(0, 5);
"""


def browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        return webdriver.Chrome(options=options)
    except Exception as error:  # noqa: BLE001: whatever is missing, the reason is in the text
        print("no Chromium with its driver (chromium-driver): skipped:", str(error).splitlines()[0])
        sys.exit(77)


class Page:
    """One page at one width and colour; `wrong` collects what a reader would complain about."""

    def __init__(self, driver, path, width, scheme):
        self.driver, self.path, self.wrong = driver, path, []
        self.name = f"{path} at {width}, {scheme}"
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        driver.get("file://" + os.path.abspath(path))
        driver.execute_script("document.querySelectorAll('details').forEach(part => part.open = true);")
        driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));")

    def expect(self, good, text):
        if not good:
            self.wrong.append(f"{self.name}: {text}")

    def soon(self, good, text):
        """A browser draws when it has time."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if good():
                return
            time.sleep(0.02)
        self.expect(False, text)

    def look(self, charts, tables):
        seen = {}
        self.soon(lambda: seen.update(self.driver.execute_script(SEEN)) or seen["blank"] == 0,
                  "charts without anything in them")
        self.expect(seen["scroll"] <= seen["width"], f"wider than the window: {seen['scroll']} of {seen['width']}")
        self.expect(not seen["overlaps"], f"text on text: {seen['overlaps']}")
        self.expect(seen["least"] >= 9, f"text of {seen['least']} pixels")
        self.expect(seen["hidden"] == 0, "a table that does not fit and does not say so")
        self.expect(seen["charts"] >= charts, f"{seen['charts']} charts instead of {charts}")
        self.expect(seen["tables"] >= tables, f"{seen['tables']} tables instead of {tables}")
        self.expect(len(seen["answer"]) > 20, "no answer at the top")
        self.expect(seen["command"].startswith("tensim "), "no command at the top")

    def says(self, texts):
        all_text = self.driver.execute_script("return document.body.textContent")
        for text in texts:
            self.expect(text in all_text, f"does not say '{text}'")

    def use(self, chart):
        """Hover, zoom and back, on one chart."""
        run = self.driver.execute_script
        run("arguments[0].scrollIntoView({block: 'center'})", chart)
        point = run(POINT, chart)
        if point:
            ActionChains(self.driver, duration=20).move_to_element_with_offset(chart, *map(int, point)).perform()
            self.soon(lambda: run("return Chart.getChart(arguments[0]).tooltip.opacity > 0", chart), "no figure under the mouse")
        before, (left, right, y) = run(RANGE, chart), run(DRAG, chart)
        ActionChains(self.driver, duration=20).move_to_element_with_offset(chart, int(left), int(y)).click_and_hold() \
            .move_to_element_with_offset(chart, int(right), int(y)).release().perform()
        self.soon(lambda: run(RANGE, chart) != before, f"dragging does not zoom: {before}")
        ActionChains(self.driver, duration=20).move_to_element_with_offset(chart, int(left), int(y)).double_click().perform()
        self.soon(lambda: run(RANGE, chart) == before, "a double click does not show all again")

    def hide(self, chart):
        run = self.driver.execute_script
        at = run("""const c = Chart.getChart(arguments[0]), b = c.legend?.legendHitBoxes?.[0];
            return b && c.legend.options.display ? [b.left + 5 - c.width / 2, b.top + 5 - c.height / 2] : null;""", chart)
        if at:
            ActionChains(self.driver, duration=20).move_to_element_with_offset(chart, *map(int, at)).click().perform()
            self.soon(lambda: not run("return Chart.getChart(arguments[0]).isDatasetVisible(0)", chart),
                      "the legend hides nothing")

    def slide(self, heat):
        """The map of the chip: through the run, and through the figures. That of a sweep may have two parameters only."""
        run, state = self.driver.execute_script, "return [...arguments[0].querySelectorAll('.map div')].map(c => c.title).join()"
        times = run("return +arguments[0].querySelector('input[type=range]')?.max || 0", heat)
        chip = run("return !arguments[0].querySelector('.numbers')", heat)
        self.expect(times >= 8 or not chip, f"the map has {times} times")
        seen = set()
        for at in range(0, times + 1, 1 if EVERY_CASE else max(1, times // 8)):
            run("""const time = arguments[0].querySelector('input[type=range]');
                time.value = arguments[1]; time.dispatchEvent(new Event('input'));""", heat, at)
            seen.add(run(state, heat))
        self.expect(len(seen) > (4 if EVERY_CASE else 2) or not chip, f"{times} times look like {len(seen)}")
        figures = run("return arguments[0].querySelector('select').options.length", heat)
        self.expect(figures >= (4 if chip else 2), f"the map has {figures} figures")
        seen = set()
        run("""const time = arguments[0].querySelector('input[type=range]');
            time.value = 0; time.dispatchEvent(new Event('input'));""", heat)
        for at in range(figures):
            run("""const sheet = arguments[0].querySelector('select');
                sheet.selectedIndex = arguments[1]; sheet.dispatchEvent(new Event('change'));""", heat, at)
            seen.add(run(state, heat))
        self.expect(len(seen) > figures / 2, f"{figures} figures look like {len(seen)}")

    def network(self, figure):
        """The map of a system: what is on it, whether it can be read, whether it changes with the time and the figure."""
        run = self.driver.execute_script
        run("arguments[0].scrollIntoView({block: 'center'})", figure)
        chips, links = run("return [page.document.chips.length, page.document.links.length]")
        state = "return [...arguments[0].querySelectorAll('svg title')].map(t => t.textContent)"
        times = run("return +arguments[0].querySelector('input[type=range]').max", figure)
        self.expect(times >= 8, f"the map of the system has {times} times")
        for kind, at in (("input[type=range]", range(0, times + 1, 1 if EVERY_CASE else max(1, times // 8))),
                         ("select", range(run("return arguments[0].querySelector('select').length", figure)))):
            seen = set()
            for i in at:
                run("""const input = arguments[0].querySelector(arguments[1]);
                    if (input.tagName === "SELECT") input.selectedIndex = arguments[2]; else input.value = arguments[2];
                    input.dispatchEvent(new Event("input")); input.dispatchEvent(new Event("change"));""", figure, kind, i)
                titles = run(state, figure)
                self.expect(len(titles) == chips + links and all("%" in title for title in titles),
                            f"{chips} chips and {links} directions of links have {len(titles)} figures: {titles}")
                wrong = run(NETWORK, figure)
                self.expect(not wrong, f"the map of the system: {wrong}")
                seen.add("".join(titles))
            self.expect(len(seen) > 1, f"the map of the system does not change with its {kind}")

    def press(self, node, *keys):
        self.driver.execute_script("arguments[0].focus()", node)
        ActionChains(self.driver, duration=20).send_keys(*keys).perform()

    def choose(self):
        """Any tile, any time: by mouse, by keys."""
        run = self.driver.execute_script
        if not self.driver.find_elements(By.CSS_SELECTOR, ".chooser"):
            return
        title = lambda: run("return document.querySelector('.chosen h2').textContent")  # noqa: E731
        note = lambda: run("return document.querySelector('.chosen .note').textContent")  # noqa: E731
        before = note()
        for slider in self.driver.find_elements(By.CSS_SELECTOR, ".chooser input[type=range]"):
            self.press(slider, *[Keys.ARROW_RIGHT if "from" in slider.get_attribute("aria-label") else Keys.ARROW_LEFT] * 3)
        self.expect(note() != before and " to " in note(), f"the window does not change what is shown: {note()}")
        words = run("return document.querySelector('.chosen').textContent")
        for part in ("Instructions that passed the gates in the chosen cycles", "on what, in the chosen cycles", ", in the chosen cycles"):
            self.expect(part in words, f"the window does not change \"{part}\"")
        bars = "return [...document.querySelectorAll('.chosen canvas')].map(c => Chart.getChart(c)?.scales.x.max).join()"
        self.soon(lambda: "NaN" not in run(bars) and ",," not in run(bars), "charts of the window are not drawn")
        self.press(self.driver.find_element(By.CSS_SELECTOR, ".chooser > button:last-of-type"), Keys.ENTER)
        self.expect(note() == before, "the button does not show the whole run again")
        cells = self.driver.find_elements(By.CSS_SELECTOR, ".map [role=button]")
        if len(cells) < 2:
            return
        seen = {title()}
        run("arguments[0].scrollIntoView({block: 'center'})", cells[-1])
        cells[-1].click()
        seen.add(title())
        self.expect(cells[-1].get_attribute("aria-pressed") == "true", "the chosen tile is not marked")
        self.press(self.driver.find_element(By.CSS_SELECTOR, ".map [tabindex='0']"), Keys.ARROW_LEFT, Keys.ENTER)
        seen.add(title())
        self.expect(len(seen) == 3, f"a click and a key show {seen}")
        self.press(self.driver.find_element(By.CSS_SELECTOR, ".chooser select"), Keys.HOME)
        self.expect(title() in seen, "the list does not choose a tile")

    def small(self, path):
        self.expect(os.path.getsize(path) < 3e6, f"{os.path.getsize(path)} bytes: a page has less than 3 MB")

    def line(self):
        """A source line opens by a key. (Before all folds are open.)"""
        rows = self.driver.find_elements(By.CSS_SELECTOR, ".source tr[aria-expanded]")
        if rows:
            self.press(rows[0], Keys.ENTER)
            self.expect(rows[0].get_attribute("aria-expanded") == "true" and self.driver.find_elements(By.CSS_SELECTOR, ".source .detail table"),
                        "a line does not open by a key")

    def ticks(self):
        """Ticks of axes stand at 1, 2 or 5 (addresses: at powers of two), differ and have room, also in a small part of a chart."""
        self.expect(not (wrong := self.driver.execute_script(TICKS)), f"axes: {wrong}")

    def files(self):
        """Every figure has words and becomes a file, when all charts are drawn."""
        self.soon(lambda: self.driver.execute_script(
            "return [...document.querySelectorAll('canvas')].every(canvas => Chart.getChart(canvas))"), "charts are not drawn")
        wrong = self.driver.execute_script("""
            const wrong = [];
            for (const figure of document.querySelectorAll("figure")) {
                const title = figure.querySelector("figcaption > span").textContent, text = figureSvg(figure);
                const svg = new DOMParser().parseFromString(text, "image/svg+xml");
                if (svg.querySelector("parsererror") || svg.querySelectorAll("path, text").length < 3 || /NaN|undefined/.test(text))
                    wrong.push(`${title}: no SVG: ${text.slice(0, 300)}`);
                for (const canvas of figure.querySelectorAll("canvas"))
                    if ((canvas.getAttribute("aria-label") || "").length < title.length + 8)
                        wrong.push(`${title}: no words: ${canvas.getAttribute("aria-label")}`);
            }
            return wrong;""")
        self.expect(not wrong, f"figures: {wrong}")
        buttons = self.driver.find_elements(By.CSS_SELECTOR, ".keep button")[:2]
        self.driver.execute_script("window.kept = []; keepFile = (name, address) => kept.push(name + ' ' + address.slice(0, 14))")
        for button in buttons:
            self.press(button, Keys.ENTER)
        self.soon(lambda: len(self.driver.execute_script("return kept")) == len(buttons), "the buttons keep no file")

    def hang(self):
        """The page of a hang says who waits, for whom, and why."""
        run = self.driver.execute_script
        waits = run("return [...document.querySelectorAll('.node.waits')].filter(n => n.querySelector('b').textContent && "
                    "n.offsetHeight > 20).length")
        self.expect(waits >= 1, "nobody waits")
        rows = run("return document.querySelectorAll('tbody tr').length")
        self.expect(rows >= 1, "no table of waits")
        answer = run("return document.querySelector('.answer').textContent")
        self.expect("wait" in answer or "blocks" in answer, f"no cause in the answer: {answer}")

    def console(self):
        for line in self.driver.get_log("browser"):
            if "willReadFrequently" in line["message"]:  # we looked twice
                continue
            self.expect(False, f"console: {line['message']}")


# Width, colours, how many charts are used with the mouse. A sample has one of its views for each page, in turn.
VIEWS = ((1280, "light", 8), (1280, "dark", 0), (390, "light", 2), (390, "dark", 0))
SAMPLE = ((1280, "light", 1), (390, "dark", 1))


def main():
    words, shots = sys.argv[1:], None
    if words and words[0] == "--shots":
        shots, words = words[1], words[2:]
        os.makedirs(shots, exist_ok=True)
    every_view = EVERY_CASE or shots is not None
    driver, wrong = browser(), []
    driver.set_script_timeout(PATIENCE)
    if not every_view:
        print("sample of 1 of 4 views and 1 of 8 charts a page, pages whose kind is there twice left out; all: tests/run --all")
        words = [word for word in words if not word.startswith("+")]
    try:
        for number, word in enumerate(words):
            path, charts, tables, *text = word.removeprefix("+").split(":", 3)
            for width, scheme, use in VIEWS if every_view else (SAMPLE[number % 2],):
                page = Page(driver, path, width, scheme)
                page.look(int(charts), int(tables))
                page.says(text)
                page.ticks()
                page.small(path)
                for chart in driver.find_elements(By.TAG_NAME, "canvas")[:use]:
                    page.use(chart)
                    page.hide(chart)
                for heat in driver.find_elements(By.CSS_SELECTOR, "figure.heat"):
                    page.slide(heat)
                for network in driver.find_elements(By.CSS_SELECTOR, "figure.network"):
                    page.network(network)
                if EVERY_CASE or driver.find_elements(By.CSS_SELECTOR, ".map [role=button]"):
                    page.choose()
                    page.line()
                    page.files()
                if os.path.basename(path) == "hang.html":
                    page.hang()
                page.console()
                wrong += page.wrong
                if shots:
                    name = path.strip("/").replace("/", "-").removesuffix(".html")
                    driver.get("file://" + os.path.abspath(path))
                    tall = driver.execute_script("return document.documentElement.scrollHeight")
                    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                        "width": width, "height": min(tall, 6000), "deviceScaleFactor": 1, "mobile": False})
                    driver.execute_async_script("const done = arguments[0]; setTimeout(done, 300);")
                    driver.save_screenshot(f"{shots}/{name}-{width}-{scheme}.png")
            print(f"{path}: {'looked at' if not wrong else 'wrong'}", flush=True)
    finally:
        driver.quit()
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
