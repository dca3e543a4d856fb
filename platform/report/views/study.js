// A sweep with --activity: what counter-measures against steps of current cost and what they buy.
// Part of the page of a sweep.

const stepNames = [["step_ns1", "1 ns"], ["step_ns10", "10 ns"], ["step_ns100", "100 ns"],
    ["step_us1", "1 \u00b5s"]];

class Study {
    constructor(sweep, document) {
        this.sweep = sweep;
        this.rows = sweep.worked.filter(row => row.activity?.tiles_used);
        this.fronts = Object.fromEntries(["step_ns10", "step_ns100"].map(name => [name,
            (document[`front_${name}`] ?? []).map(
                ({key}) => this.rows.find(row => row.key === key)).filter(Boolean)]));
        this.front = this.fronts.step_ns10;
        this.fastest = this.rows.reduce((a, b) => a && a.cycles <= b.cycles ? a : b, undefined);
    }

    time(row) {
        return row.seconds ?? row.cycles;
    }

    slowdown(row) {
        return this.time(row) / this.time(this.fastest);
    }

    // What the fidelity takes from products, or the error of the result if the run computed one.
    error(row) {
        return row.end_to_end_rel_l2 ?? row.fidelity_rel_l2 ?? 0;
    }

    // Of some runs: the fastest, the one that most lowers the rise within 10 ns for at most a tenth
    // more time, and the lowest.
    sentence(rows) {
        const least = (list, of) => list.reduce((a, b) => a && of(a) <= of(b) ? a : b, undefined);
        const from = least(rows, row => this.time(row)), rise = row => row.step_ns10;
        const to = least(rows.filter(row => this.time(row) <= 1.1 * this.time(from)), rise);
        const lowest = least(rows, rise);
        const word = row => `${this.sweep.label(row)}: ${row.step_ns10.toFixed(1)} tiles`;
        const more = row => `${(100 * (this.time(row) / this.time(from) - 1)).toFixed(1)} % more ` +
            "time";
        const ratio = row => (row.step_ns10 / from.step_ns10).toFixed(2);
        return `fastest ${word(from)} of ${from.activity.tiles_used}. ` + (to !== from
            ? `For at most 10 % more time, ${word(to)} (${ratio(to)} of it, ${more(to)}).`
            : "No run lowers it for 10 % more time.") + (lowest !== to && lowest !== from
            ? ` The lowest is ${word(lowest)} (${ratio(lowest)} of it, ${more(lowest)}).` : "");
    }

    advice() {
        const exact = Math.min(...this.rows.map(row => this.error(row)));
        const best = this.rows.filter(row => this.error(row) === exact);
        return "Rise of MVMULs within 10 ns, in counts without calibration. Of all runs: " +
            this.sentence(this.rows) + (best.length < this.rows.length
            ? ` Of the ${best.length} most exact runs: ${this.sentence(best)}` : "");
    }

    // Errors against slow-down, by format.
    errors() {
        const all = [...new Set(this.rows.map(row => row.format))];
        return {component: "plot", title: "Error against slow-down",
            x: {name: "time / time of the fastest run"}, y: {name: "rel_l2", zero: true},
            series: all.map(format => ({name: format, line: false, points: this.rows
                .filter(row => row.format === format).map(row => [this.slowdown(row),
                    this.error(row), this.sweep.label(row)])})),
            note: "Of runs that compute, the error end to end; with --timing-only what the " +
                "fidelity takes from products of N(0, 1)."};
    }

    // Which waits released the tiles of the fastest run together.
    released() {
        const rows = this.fastest.activity.released ?? [];
        return rows.length ? [{component: "text", text: "Waits that ended before the largest " +
            `rise of the fastest run (within ${rows[0].ns} ns): ` +
            `${rows.map(({text}) => text).join(". ")}.`}] : [];
    }

    exchange(name, text) {
        const points = rows => rows.map(row => [this.slowdown(row), row[name],
            this.sweep.label(row)]);
        const axis = this.sweep.varied.find(({name: axis}) => axis === "throttle") ??
            this.sweep.varied[0];
        const groups = (axis?.values ?? [undefined]).map(value => ({line: false,
            name: axis ? `${axis.name}=${value}` : "runs", points: points(this.rows.filter(
                row => !axis || this.sweep.value(row, axis) === value))}));
        return {component: "plot", title: `Rise within ${text} against slow-down`,
            x: {name: "time / time of the fastest run"}, y: {name: "tiles", zero: true},
            series: [...groups.filter(group => group.points.length),
                ...(this.fronts[name].length > 1 ? [{name: "front", line: true, dashed: true,
                    color: "--dim", points: points(this.fronts[name])}] : [])],
            note: "The largest difference of the mean number of matrix units that execute MVMULs " +
                `between ${text} and the ${text} before. On the dashed line are the runs that no ` +
                "other beats in both."};
    }

    // At most so many of the runs that no other beats, the fastest first.
    shown(most) {
        const rows = this.front.length ? this.front : this.rows;
        const step = Math.max(1, Math.ceil(rows.length / most));
        return rows.filter((_, i) => i % step === 0);
    }

    curve() {
        return {component: "plot", title: "Rise against the length of time",
            x: {name: "ns", log: true},
            y: {name: "tiles", zero: true}, series: this.shown(6).map(row => ({line: true,
                name: this.sweep.label(row),
                points: row.activity.steps.map(({ns, rise}) => [ns, rise.tiles])})),
            note: "Which length matters to a card is not published."};
    }

    chip() {
        return {component: "plot", title: "Matrix units at work over time", x: {name: "\u00b5s"},
            y: {name: "tiles", zero: true}, series: this.shown(4).map(row => {
                const {clock_mhz: clock, from, to, series} = row.activity;
                const length = i => Math.min(series.bin, to - series.from - i * series.bin);
                return {name: this.sweep.label(row), line: true, bare: true,
                    points: series.sums.matrix.map((sum, i) => [
                        (series.from + i * series.bin - from) / clock, sum / length(i)])};
            }), note: "Means over bins; the steps are of single cycles."};
    }

    // Tiles over time: a sheet for each run; the slider is the share of its time.
    map() {
        const rows = this.shown(4).filter(row => row.activity.map);
        const places = rows.flatMap(row => row.activity.map.names.map(name => name.split("-")));
        const sorted = i => [...new Set(places.map(place => +place[i]))].sort((a, b) => a - b);
        const xs = sorted(0), names = sorted(1).flatMap(y => xs.map(x => `${x}-${y}`));
        const count = Math.min(...rows.map(row => row.activity.map.frames.length));
        const sheets = rows.map(row => {
            const {names: tiles, frames} = row.activity.map;
            const place = names.map(name => tiles.indexOf(name));
            const share = (frame, k) => k < 0 ? null : parseInt(frame[k], 36) * 100 / 35;
            const mean = k => k < 0 ? null
                : frames.reduce((sum, frame) => sum + share(frame, k), 0) / frames.length;
            return {name: this.sweep.label(row), unit: "%", high: 100, frames: [place.map(mean),
                ...Array.from({length: count}, (_, i) => place.map(k =>
                    share(frames[Math.floor(i * frames.length / count)], k)))]};
        });
        return rows.length ? [{component: "heat", title: "MVMULs of each tile over time",
            columns: xs.length, names, sheets,
            times: ["complete run", ...Array.from({length: count},
                (_, i) => `${Math.round(100 * i / count)} % of the run`)],
            note: "Share of the cycles in which a tile executes an MVMUL."}] : [];
    }

    table() {
        return {component: "table", title: "Steps of the runs that no other beats", text: [0],
            heads: ["run", "time / fastest", ...stepNames.map(([, text]) => `tiles in ${text}`),
                "of the chip in 10 ns, %", "transitions in 10 ns", "common idle, cycles",
                "start spread, cycles", "mean of MVMULs, tiles", "rel_l2"],
            rows: this.front.map(row => [this.sweep.label(row), this.slowdown(row),
                ...stepNames.map(([name]) => row[name]),
                100 * row.step_ns10 / row.activity.tiles_chip,
                row.activity.steps[1].transitions, row.idle_common, row.start_spread,
                row.activity.mean, this.error(row)])};
    }

    sections() {
        return this.rows.length === 0 ? [] : [
            {component: "text", text: this.advice()}, ...this.released(),
            {component: "plots", sections: [this.exchange("step_ns10", "10 ns"),
                this.exchange("step_ns100", "100 ns"), this.errors(), this.curve(),
                this.chip()]},
            ...this.map(), this.table()];
    }
}
