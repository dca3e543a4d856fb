// The plots of a page, by Chart.js: points and lines, stacked bars, columns, lanes and levels over
// time. All of them zoom: drag over a part, double click for all. A click on a name of the legend
// hides it.

const dark = matchMedia("(prefers-color-scheme: dark)");
function ink() {
    Chart.defaults.color = css("--ink");
    Chart.defaults.borderColor = css("--grid");
}
Chart.defaults.font.family = "system-ui, -apple-system, 'Segoe UI', sans-serif";
Chart.defaults.font.size = 12;
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.plugins.legend.position = "bottom";
Chart.defaults.plugins.legend.labels.boxWidth = 12;
// A name that is wider than the chart is cut: its box stays where it can be clicked.
const wholeNames = Chart.defaults.plugins.legend.labels.generateLabels;
Chart.defaults.plugins.legend.labels.generateLabels = chart => wholeNames(chart).map(item => {
    const most = Math.max(Math.floor(chart.width / 7) - 6, 12);
    return item.text.length > most
        ? {...item, text: `${item.text.slice(0, most - 1)}\u2026`} : item;
});
ink();
dark.addEventListener("change", () => {
    ink();
    Object.values(Chart.instances).forEach(chart => chart.update());
});

// ---- ticks

// A multiple of 1, 2 or 5 of a power of ten that is at least this.
function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(times => times * power).find(step => step >= least * .999999);
}
const binaryStep = least => 2 ** Math.ceil(Math.log2(Math.max(least, 1)));

// Multiples of a step from low to high.
const multiples = (step, low, high) => Array.from(
    {length: Math.max(0, Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1)},
    (_, i) => +((Math.ceil(low / step - 1e-9) + i) * step).toPrecision(12));

// With as many digits as tell neighbours `step` apart: 1.25k, 12 M, 3e-5; addresses in KiB.
function tickText(value, step, largest, bytes) {
    if (value === 0)
        return "0";
    if (bytes)
        return value % (1 << 20) === 0 ? `${value / (1 << 20)} MiB`
            : step >= 1024 ? `${value / 1024} KiB` : `0x${value.toString(16)}`;
    const unit = [1e9, 1e6, 1e3].find(size => largest >= size) ?? 1;
    if (largest < 1e-3)
        return value.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(value)) + 1e-9) -
            Math.floor(Math.log10(step) + 1e-9)));
    const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)));
    return (value / unit).toFixed(digits) + ({1e3: "k", 1e6: "M", 1e9: "G"}[unit] ?? "");
}

const shortPower = value => value >= 1e-3 && value < 1e7
    ? tickText(value, value, value) : value.toExponential(0).replace("+", "");

// [[value, text], ...] that have room: `room` gives the pixels that a text needs, of `pixels`.
function ticksOf({min, max}, pixels, room, {log, bytes, whole}) {
    if (!(max > min))
        return [[min, tickText(min, Math.abs(min) || 1, Math.abs(min), bytes)]];
    const fits = ticks => ticks.every(([, text]) => room(text) * ticks.length <= pixels);
    if (log && min > 0) {
        const powers = multiples(1, Math.log10(min), Math.log10(max));
        const named = values => values.map(value => +value.toPrecision(3))
            .filter(value => value >= min && value <= max).map(value => [value, shortPower(value)]);
        const fine = named([Math.floor(Math.log10(min)), ...powers].flatMap(
            power => [1, 2, 5].map(times => times * 10 ** power)));
        const coarse = Array.from({length: powers.length || 1}, (_, i) => named(powers.filter(
            power => power % (i + 1) === 0).map(power => 10 ** power)));
        const found = [fine, ...coarse].find(ticks => ticks.length > 1 && fits(ticks));
        if (found)
            return found;
    }
    const step = bytes ? binaryStep : niceStep, largest = Math.max(Math.abs(min), Math.abs(max));
    let least = (max - min) / Math.max(2, Math.floor(pixels / room("")));
    for (;;) {
        const by = Math.max(step(least), whole && max - min >= 1 ? 1 : 0);
        const ticks = multiples(by, min, max).map(value =>
            [value, tickText(value, by, largest, bytes)]);
        if (ticks.length <= 2 || fits(ticks))
            return ticks;
        least = by * 1.01;
    }
}

// ---- zoom

// Dragging over a chart shows that part of it; `axes` zoom. A double click shows all again.
function zoomable(chart, axes) {
    const canvas = chart.canvas, options = chart.config.options;
    const whole = Object.fromEntries(axes.map(
        axis => [axis, {min: options.scales[axis].min, max: options.scales[axis].max}]));
    const spot = event => {
        const box = canvas.getBoundingClientRect(), area = chart.chartArea;
        return {x: Math.min(Math.max(event.clientX - box.left, area.left), area.right),
            y: Math.min(Math.max(event.clientY - box.top, area.top), area.bottom)};
    };
    const show = parts => {
        for (const axis of axes)
            Object.assign(options.scales[axis], parts[axis]); // an update makes new scales
        chart.update();
    };
    canvas.addEventListener("pointerdown", event => {
        const at = spot(event), box = canvas.getBoundingClientRect();
        const inside = at.x === event.clientX - box.left && at.y === event.clientY - box.top;
        if (event.button === 0 && inside)
            chart.drag = {from: at, to: at, tall: axes.includes("y")};
    });
    canvas.addEventListener("pointermove", event => {
        if (chart.drag) {
            chart.drag.to = spot(event);
            chart.draw();
        }
    });
    canvas.addEventListener("pointerleave", () => {
        chart.drag = null;
        chart.draw();
    });
    canvas.addEventListener("pointerup", event => {
        const from = chart.drag?.from, to = spot(event);
        chart.drag = null;
        if (!from || Math.abs(to.x - from.x) < 8)
            return;
        const parts = {};
        for (const axis of axes)
            if (axis === "x" || Math.abs(to.y - from.y) >= 8) {
                const ends = [from, to].map(at => chart.scales[axis].getValueForPixel(at[axis]));
                parts[axis] = {min: Math.min(...ends), max: Math.max(...ends)};
            }
        show(parts);
    });
    canvas.addEventListener("dblclick", () => show(whole));
}
Chart.register({id: "zoom", afterDraw({drag, ctx, chartArea}) {
    if (!drag)
        return;
    const {from, to, tall} = drag;
    ctx.fillStyle = "#0072b233";
    ctx.fillRect(from.x, tall ? from.y : chartArea.top, to.x - from.x,
        tall ? to.y - from.y : chartArea.bottom - chartArea.top);
}});

// A legend of many rows makes the chart taller: it never takes room from the plot.
const legendRow = 22, legendRows = 2; // pixels of one; so many are in a chart's height
const roomy = {id: "roomy", afterUpdate(chart) {
    const box = chart.canvas.parentNode, rows = 1 + Math.max(...chart.legend.legendHitBoxes
        .map(({row}) => row ?? 0), 0);
    const height = `${+box.dataset.height + legendRow * Math.max(rows - legendRows, 0)}px`;
    if (chart.options.plugins.legend.display && box.style.height !== height)
        requestAnimationFrame(() => box.style.height = height);
}};

// A chart in a box of a height; `axes` zoom.
function chart(height, axes, config) {
    const canvas = make("canvas", {role: "img"});
    const box = make("div", {class: "chart", style: `height:${height}px`, "data-height": height},
        canvas);
    // A canvas has no size before it is in the page.
    requestAnimationFrame(() => zoomable(new Chart(canvas, {...config,
        plugins: [...config.plugins ?? [], roomy]}), axes));
    return box;
}

// {name, log, zero, low, high, whole: no fractions, bytes: addresses}. Ticks stand at 1, 2 and 5,
// in the part that is shown.
function axis({name, log, zero, low, high, whole, bytes}) {
    const afterBuildTicks = scale => {
        const across = scale.isHorizontal(), pixels = across ? scale.maxWidth : scale.maxHeight;
        const room = text => across ? 7 * text.length + 22 : 26;
        scale.texts = new Map(ticksOf(scale, pixels, room, {log, bytes, whole}));
        scale.ticks = [...scale.texts.keys()].map(value => ({value}));
    };
    return {type: log ? "logarithmic" : "linear", title: {display: !!name, text: name},
        beginAtZero: !!zero, min: low, max: high, afterBuildTicks,
        ticks: {callback(value) { return this.texts?.get(value) ?? ""; }, autoSkip: false,
            maxRotation: 0, precision: whole ? 0 : undefined}};
}

// Rows of bars, one below the other: each has its name.
const namedRows = (more, ticks) =>
    ({...more, ticks: {autoSkip: false, ...ticks}, grid: {display: false}});

// ---- points and lines

// Lines that lie on each other would hide all but one: they are one, with all their names.
function together(series) {
    const same = new Map();
    for (const s of series) {
        const where = JSON.stringify(s.points.map(p => p.slice(0, 2)));
        const other = s.points.length > 1 && same.get(where);
        if (other)
            other.names.push(s.name);
        else
            same.set(where, {...s, names: [s.name]});
    }
    return [...same.values()].map(s => ({...s, name: s.names.join(" = ")}));
}

// {x, y: {name, log, zero}, series: [{name, line, color, points: [[x, y, label], ...]}]}. On a
// logarithmic axis a value of 0 stands at its foot, as a triangle.
components.plot = section => {
    const series = together(section.series), {log} = section.y;
    const whole = series.every(s => s.points.every(p => Number.isInteger(p[0])));
    const above = series.flatMap(s => s.points.map(p => p[1])).filter(v => v > 0);
    const foot = log && above.length ? Math.min(...above) / 10 : 0;
    const datasets = series.map((s, index) => {
        const own = s.color ? css(s.color) || s.color : color(s.name, index);
        return {
            label: s.name, showLine: !!s.line, borderColor: own, backgroundColor: own,
            borderWidth: 2, borderDash: s.dashed ? [6, 4] : undefined, pointHitRadius: 8,
            pointRadius: s.bare ? 0 : s.points.length > 24 ? 2 : 4,
            pointStyle: s.points.map(p => log && p[1] === 0 ? "triangle" : "circle"),
            data: s.points.map(([x, y, label]) =>
                ({x, y: log && y === 0 ? foot : y, real: y, label})),
        };
    });
    const label = ({raw, dataset}) =>
        `${raw.label || dataset.label}: ${figure(raw.x)}, ${figure(raw.real)}`;
    return chart(section.height || 340, ["x", "y"], {type: "scatter", data: {datasets}, options: {
        scales: {x: axis({...section.x, whole}), y: axis(section.y)},
        interaction: {mode: "nearest", intersect: true},
        plugins: {legend: {display: datasets.length > 1}, tooltip: {callbacks: {label}}},
    }});
};

// ---- bars and columns

// {rows: [{name, parts: [[name, share], ...]}], unit}: parts of a row stand one after the other,
// negative ones to the left of zero.
components.bars = ({rows, unit = "", high}) => {
    const names = [...new Set(rows.flatMap(row => row.parts.map(p => p[0])))];
    const datasets = names.map((name, index) => ({
        label: name, backgroundColor: color(name, index), barPercentage: .9,
        categoryPercentage: .95,
        data: rows.map(row => row.parts.find(p => p[0] === name)?.[1] ?? 0),
    }));
    const label = ({raw, dataset}) => `${dataset.label}: ${figure(raw)} ${unit}`;
    const below = rows.some(row => row.parts.some(p => p[1] < 0)); // zero is inside
    return chart(rows.length * 24 + 90, ["x"], {type: "bar",
        data: {labels: rows.map(row => row.name), datasets},
        options: {indexAxis: "y", plugins: {tooltip: {callbacks: {label}}}, scales: {
            x: {...axis({low: below ? undefined : 0, high, name: unit}), stacked: true},
            y: namedRows({stacked: true})}}});
};

// {steps: [[name, percent, color, text], ...], reached, peak}: from what is called peak, 100 %,
// down to what was reached.
components.waterfall = section => {
    let at = 100;
    const steps = [[section.peak || "every cycle", [0, 100], "#7f7f7f",
        "the unit works in every cycle"]];
    for (const [name, share, own, text] of section.steps) {
        steps.push([name, [at - share, at], own, text, share]);
        at -= share;
    }
    steps.push(["reached", [0, section.reached], "#2ca25f", "useful work", section.reached]);
    const most = innerWidth < 600 ? 24 : 34; // characters that have room beside the bars
    const labels = steps.map(([name]) =>
        name.length > most ? `${name.slice(0, most - 1)}\u2026` : name);
    const callbacks = {
        title: ([item]) => steps[item.dataIndex][0],
        label: ({dataIndex}) => [`${figure(steps[dataIndex][4] ?? 100)} %`, steps[dataIndex][3]],
    };
    return chart(steps.length * 26 + 60, ["x"], {type: "bar",
        data: {labels, datasets: [{label: "", barPercentage: .85, categoryPercentage: .95,
            minBarLength: 2, backgroundColor: steps.map(s => s[2]), data: steps.map(s => s[1])}]},
        options: {indexAxis: "y", plugins: {legend: {display: false}, tooltip: {callbacks}},
            scales: {x: axis({low: 0, high: 100, name: "% of the cycles"}),
                y: namedRows({}, {font: {size: 11}})}}});
};

// {names, values, x}: one column for each name.
components.columns = section => chart(section.height || 220, ["x"], {type: "bar",
    data: {labels: section.names, datasets: [{label: section.y || "", data: section.values,
        backgroundColor: color(section.name, 0), categoryPercentage: 1, barPercentage: .92}]},
    options: {interaction: {mode: "index", intersect: false},
        scales: {x: {title: {display: !!section.x, text: section.x}, ticks: {maxRotation: 0}},
            y: axis({name: section.y, zero: true, whole: true})},
        plugins: {legend: {display: false}}}});

// ---- time

const cyclesAxis = (low, high) => ({...axis({name: "cycle", low, high}), position: "bottom"});

// A colour, 0 to 1 of it.
const shaded = (own, share) => own + Math.round(55 + 200 * share).toString(16).padStart(2, "0");

// {from, to, rows: [{name, parts: [[from, to, what, shade, label], ...]}]}: what happened when, a
// lane for each row. A part has the colour of what it is; shade, 0 to 1, says how much of it.
// bytes: the axis has addresses instead.
components.lanes = ({from: first, to: last, rows, bytes, legend: named = true}) => {
    const names = [...new Set(rows.flatMap(row => row.parts.map(p => p[2])))];
    const datasets = names.map((name, index) => {
        const parts = rows.flatMap(row => row.parts.filter(p => p[2] === name)
            .map(p => [row.name, p]));
        const own = color(name, index);
        return {label: name, order: -index, grouped: false, barPercentage: .9,
            categoryPercentage: .95, minBarLength: bytes ? 3 : 1,
            backgroundColor: parts.map(([, p]) => shaded(own, p[3] ?? 1)),
            data: parts.map(([row, [from, to, , , label]]) => ({y: row, x: [from, to], label}))};
    });
    const legend = {display: named && names.length > 1,
        labels: {sort: (a, b) => a.datasetIndex - b.datasetIndex}};
    const callbacks = {
        title: ([item]) => item.raw.y,
        label: ({raw: {label, x: [from, to]}, dataset}) =>
            bytes ? label : `${label || dataset.label}: cycles ${figure(from)} to ${figure(to)}`,
    };
    const across = bytes ? axis({name: "address", low: first, high: last, bytes})
        : cyclesAxis(first, last);
    return chart(rows.length * 24 + 90, ["x"], {type: "bar",
        data: {labels: rows.map(row => row.name), datasets},
        options: {indexAxis: "y", plugins: {legend, tooltip: {callbacks}},
            scales: {x: across, y: namedRows()}}});
};

// {from, low, high, bin, rows: [{name, low: [...], high: [...]}, or {name, points: [[cycle, value],
// ...]}, ...]}: things that go up and down, as the lowest and highest value of each bin, or every
// change. from: of the first bin; the axis goes from low to high.
components.levels = ({from, low, high, bin, rows}) => {
    const box = make("div");
    const steps = values => values.map((y, i) => ({x: from + i * bin, y}));
    const callbacks = {
        title: ([item]) => `cycle ${figure(item.raw.x)}`,
        label: ({raw, dataset}) => `${dataset.label}: ${raw.y}`,
    };
    for (const row of rows) {
        const own = color(row.name, 0);
        const line = (label, data, alpha) => ({label, data, backgroundColor: own + alpha,
            fill: "origin", stepped: true, showLine: true, pointRadius: 0, borderWidth: 1,
            borderColor: own});
        const datasets = row.points
            ? [line("value", row.points.map(([x, y]) => ({x, y})), "aa")]
            : [line("highest", steps(row.high), "55"), line("lowest", steps(row.low), "cc")];
        box.append(make("div", {class: "level"}, row.name), chart(96, ["x"], {type: "scatter",
            data: {datasets}, options: {interaction: {mode: "index", intersect: false, axis: "x"},
                plugins: {legend: {display: false}, tooltip: {callbacks}}, scales: {
                    x: cyclesAxis(low, high), y: axis({zero: true, whole: true})}}}));
    }
    return box;
};
