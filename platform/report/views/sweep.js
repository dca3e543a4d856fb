// A sweep: what varies against throughput, accuracy against throughput, where the cycles went,
// every run (table.json).

// Figures of a kernel's runs that people compare; programs have their own.
const sweepFigures = ["cycles", "cycles_per_product", "cycles_per_tile", "tflops", "utilisation",
    "intensity", "bound_object", "loss_cause", "loss_object", "loss_percent", "end_to_end_rel_l2",
    "end_to_end_pcc", "rel_l2", "pcc"];

const mostRuns = 8; // lines or runs on one chart: colours do not repeat

// How fast a run is: TFLOP/s, or what stands for it.
const speedOf = row => row.tflops > 0 ? row.tflops
    : row.elements_per_cycle > 0 ? row.elements_per_cycle : 1e6 / row.cycles;

class Sweep {
    constructor({of, axes, rows, front}) {
        Object.assign(this, {of, rows, varied: axes.filter(axis => axis.values.length > 1)});
        for (const axis of this.varied)
            axis.numeric = axis.values.every(value => value !== "" && isFinite(value));
        this.worked = rows.filter(row => row.code === 0);
        this.unit = of === "programs" ? "TFLOP/s" : "TFLOP/s of one tile";
        this.front = front.map(({key, shape}) => ({shape, row: rows.find(row => row.key === key)}));
        // The numeric axis with most values gives the longest lines.
        const numeric = this.varied.filter(axis => axis.numeric);
        this.x = numeric.sort((a, b) => b.values.length - a.values.length)[0];
    }

    // The value of an axis, from a run's key: "matmul m=64 fidelity=lofi".
    value(row, {name}) {
        return row.key.split(" ").find(word => word.startsWith(`${name}=`))?.slice(name.length + 1);
    }

    // What differs between runs, without the axis `but`: "hifi4 m=64". Values alone where they are
    // words.
    label(row, ...but) {
        const axes = this.varied.filter(axis =>
            !but.includes(axis) && this.value(row, axis) !== undefined);
        const word = axis => (axis.values.some(value => value !== "" && isFinite(value))
            ? `${axis.name}=` : "") + this.value(row, axis);
        return axes.map(word).join(" ") || this.of;
    }

    // Runs that share everything but the x axis are a line.
    series(line, point, rows, facet) {
        const groups = new Map();
        rows.forEach(row => {
            const [x, y] = point(row), name = this.label(row, this.x, facet);
            if (Number.isFinite(x) && Number.isFinite(y))
                groups.set(name, [...groups.get(name) ?? [], [x, y, this.label(row)]]);
        });
        return [...groups].map(([name, points]) => ({name, line, points}));
    }

    // Plots of build(rows, facet): one, or one for each value of an axis if it has too many lines.
    faceted(build) {
        const plot = build(this.worked), lines = together(plot.series).length;
        if (lines <= mostRuns)
            return lines ? [plot] : [];
        const axes = this.varied.filter(axis => axis !== this.x)
            .sort((a, b) => a.values.length - b.values.length);
        const axis = axes.find(({values}) => lines / values.length <= mostRuns) ?? axes.at(-1);
        return axis ? axis.values.map(value => {
            const rows = this.worked.filter(row => this.value(row, axis) === value);
            const part = build(rows, axis);
            return {...part, title: `${part.title}, ${axis.name} ${value}`};
        }).filter(part => part.series.length) : [plot];
    }

    along(title, unit, figureOf) {
        const name = this.x?.name ?? "run";
        const x = row => this.x ? +this.value(row, this.x) : this.rows.indexOf(row) + 1;
        return this.faceted((rows, facet) => ({component: "plot",
            title: `${title} against ${name}`, x: {name}, y: {name: unit, zero: true},
            series: this.series(!!this.x, row => [x(row), figureOf(row)], rows, facet)}));
    }

    // All formats on one chart: a colour for each (or for each word of the first axis of words), a
    // line through the runs of a shape that no other beats.
    accuracy(note) {
        const words = this.varied.filter(axis => !axis.numeric);
        const by = words.find(({name}) => name.includes("format")) ?? words[0] ?? this.x;
        const point = row => [speedOf(row), row.end_to_end_rel_l2, this.label(row)];
        const known = this.worked.filter(row => point(row).slice(0, 2).every(Number.isFinite));
        const series = (by?.values ?? [""]).map(value => ({
            name: by ? `${by.name} ${value}` : this.of,
            points: known.filter(row => !by || this.value(row, by) === value).map(point)}))
            .filter(({points}) => points.length);
        const shapes = [...new Set(this.front.map(run => run.shape))].map(wanted => ({
            name: `front of ${wanted}`, line: true, dashed: true, color: "--dim",
            points: this.front.filter(({shape}) => shape === wanted).map(({row}) => point(row))}))
            .filter(({points}) => points.length > 1);
        return series.length ? [{component: "plot", title: "Accuracy against speed", height: 420,
            series: [...series, ...shapes.slice(0, mostRuns)],
            x: {name: this.unit}, y: {name: "rel_l2 end to end", log: true},
            note: "The error is that of the result against float64 on the data before it was " +
                "rounded to its format. On a dashed line are the runs, of all formats, that no " +
                "other of the same shape beats in both. A triangle at the foot stands for an " +
                "error of 0." + (note ? ` Note: ${note}.` : "")}] : [];
    }

    frontTable() {
        return tableIfAny({component: "table", text: [0, 1],
            title: "Runs that no other of their shape beats in speed and accuracy",
            heads: ["shape", "run", "TFLOP/s", "rel_l2 end to end", "rel_l2 of the units"],
            rows: this.front.map(({shape, row}) =>
                [shape, this.label(row), speedOf(row), row.end_to_end_rel_l2, row.rel_l2])});
    }

    failed() {
        return tableIfAny({component: "table", title: "Runs that failed", text: [0, 2],
            heads: ["run", "exit code", "why"], class: "words",
            rows: this.rows.filter(row => row.code !== 0)
                .map(row => [row.key, row.code, row.error])});
    }

    runs(columns) {
        const shown = columns.filter(name => name !== "key" && name !== "error" &&
            this.worked.some(row => row[name] !== undefined));
        const words = name => typeof this.worked[0]?.[name] === "string";
        return {component: "table", title: "Runs", heads: ["run", ...shown],
            text: [0, ...shown.flatMap((name, i) => words(name) ? [i + 1] : [])],
            rows: this.worked.map(row => [row.key, ...shown.map(name => row[name] ?? null)])};
    }

    // The math thread's gate in every run.
    gates() {
        const rows = this.worked.flatMap(row =>
            (row.where ?? []).filter(share => share.name === "t1")
                .map(share => ({name: this.label(row), parts: partsOf(share)})));
        return rows.length ? [{component: "fold",
            title: `Where the cycles of ${rows.length} runs went`, sections: [{component: "bars",
                title: "The math thread's gate: busy when it passes a word (the rest is idle)",
                rows, unit: "% of the run", high: 100}]}] : [];
    }

    // The runs on one chart; of many the fastest and others over the range.
    roofs() {
        const runs = [...this.worked].sort((a, b) => (b.tflops ?? 0) - (a.tflops ?? 0));
        const step = Math.max(1, Math.ceil(runs.length / mostRuns));
        return roofline(runs.filter((_, i) => i % step === 0)
            .map(row => ({...row, name: this.label(row)})));
    }

    // Two parameters as rows and columns, those with most values; the slider has the others.
    grid() {
        const axes = [...this.varied].sort((a, b) => b.values.length - a.values.length);
        const [across, down, ...rest] = axes;
        if (!down)
            return [];
        const frames = rest.reduce((all, axis) => all.flatMap(
            frame => axis.values.map(value => [...frame, [axis, value]])), [[]]);
        const cells = down.values.flatMap(y => across.values.map(x => [[across, x], [down, y]]));
        const find = wanted => this.worked.find(
            row => wanted.every(([axis, value]) => this.value(row, axis) === value));
        const sheet = ([name, unit, figureOf]) => {
            const values = frames.map(frame => cells.map(cell => {
                const value = figureOf(find([...cell, ...frame]) ?? {});
                return Number.isFinite(value) ? value : null;
            }));
            return {name, unit, high: highest(values.flat()), frames: values};
        };
        const sheets = [["Throughput", "TFLOP/s", row => row.tflops],
            ["Time", "\u00b5s", row => 1e6 * row.seconds],
            ["Cycles", "cycles", row => row.cycles],
            ["Error end to end", "rel_l2", row => row.end_to_end_rel_l2]]
            .map(sheet).filter(({high}) => high > 0);
        const word = ([{name}, value]) => `${name}=${value}`;
        return sheets.length ? [{component: "heat", numbers: true, sheets,
            title: `By ${across.name} and ${down.name}`, columns: across.values.length,
            names: cells.map(cell => cell.map(word).join(" ")),
            times: frames.map(frame => frame.map(word).join(" ") || "all runs"),
            note: "A dash: this run failed."}] : [];
    }

    // The best run of each shape, by what is asked.
    bestTable(best = {}) {
        const words = {time: "time", tflops: "TFLOP/s", error: "error end to end"};
        return tableIfAny({component: "table", title: "Best runs", text: [0, 1, 2],
            heads: ["by", "shape", "run", "cycles", "\u00b5s", "TFLOP/s", "rel_l2 end to end"],
            rows: Object.entries(best).flatMap(([by, runs]) => runs.map(({key, shape}) => {
                const row = this.rows.find(other => other.key === key);
                return [words[by], shape, this.label(row), row.cycles,
                    row.seconds === undefined ? null : 1e6 * row.seconds, row.tflops ?? null,
                    row.end_to_end_rel_l2 ?? null];
            }))});
    }

    answer() {
        const error = row => row?.end_to_end_rel_l2 ?? Infinity;
        const best = largest(this.worked, "tflops");
        const exact = this.front.reduce((a, {row}) => error(row) < error(a) ? row : a, undefined);
        return `${this.worked.length} of ${this.rows.length} runs worked.` +
            (best ? ` Fastest: ${this.label(best)}, ${best.tflops.toFixed(3)} TFLOP/s, bound by ` +
                `${best.bound_object ?? best.bound_by}.` : "") +
            (best && this.front.length > 1 ? ` Most exact of the ${this.front.length} that no ` +
                `other beats: ${this.label(exact)}, end-to-end rel_l2 ` +
                `${+exact.end_to_end_rel_l2.toPrecision(2)}.` : "");
    }
}

views.sweep = document => {
    if (document.rows.some(row => row.verdict !== undefined))
        return variants(document); // tune.js
    const sweep = new Sweep(document), {of, rows, command, note, columns} = document;
    return {title: `tensim sweep: ${of}, ${rows.length} runs`, answer: sweep.answer(), command,
        sections: [
            ...new Study(sweep, document).sections(),
            {component: "plots", sections: [
                ...sweep.along("Throughput", sweep.unit, row => row.tflops),
                ...sweep.accuracy(note),
                ...sweep.along("Utilisation", "% of the peak", row => 100 * row.utilisation),
                ...sweep.along("Cycles", "cycles", row => row.cycles),
                ...sweep.roofs()]},
            ...sweep.grid(),
            ...sweep.bestTable(document.best),
            ...sweep.frontTable(),
            ...sweep.failed(),
            sweep.runs(columns ?? sweepFigures),
            ...sweep.gates(),
        ]};
};
