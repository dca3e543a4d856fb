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

    // The run that most lowers the rise within 10 ns for at most a tenth more time.
    advised() {
        return this.rows.filter(row => this.slowdown(row) <= 1.1)
            .reduce((a, b) => a && a.step_ns10 <= b.step_ns10 ? a : b, undefined);
    }

    advice() {
        const from = this.fastest, to = this.advised(), lowest = this.front.at(-1);
        const word = row => `${this.sweep.label(row)}: ${row.step_ns10.toFixed(1)} tiles`;
        const more = row => `${(100 * (this.slowdown(row) - 1)).toFixed(1)} % more time`;
        const ratio = row => (row.step_ns10 / from.step_ns10).toFixed(2);
        return "Rise of MVMULs within 10 ns, in counts without calibration: fastest run " +
            `${word(from)} of ${from.activity.tiles_used}. ` + (to && to !== from
            ? `For at most 10 % more time, ${word(to)} (${ratio(to)} of it, ${more(to)}).`
            : "No run lowers it for 10 % more time.") + (lowest && lowest !== to && lowest !== from
            ? ` The lowest is ${word(lowest)} (${ratio(lowest)} of it, ${more(lowest)}).` : "");
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
            return {name: this.sweep.label(row), unit: "%", high: 100,
                frames: Array.from({length: count}, (_, i) => {
                    const frame = frames[Math.floor(i * frames.length / count)];
                    return place.map(k => k < 0 ? null
                        : Math.round(parseInt(frame[k], 36) * 100 / 35));
                })};
        });
        return rows.length ? [{component: "heat", title: "MVMULs of each tile over time",
            columns: xs.length, names, sheets,
            times: Array.from({length: count},
                (_, i) => `${Math.round(100 * i / count)} % of the run`),
            note: "Share of the cycles in which a tile executes an MVMUL."}] : [];
    }

    table() {
        return {component: "table", title: "Steps of the runs that no other beats", text: [0],
            heads: ["run", "time / fastest", ...stepNames.map(([, text]) => `tiles in ${text}`),
                "of the chip in 10 ns, %", "transitions in 10 ns", "common idle, cycles",
                "start spread, cycles", "mean of MVMULs, tiles", "rel_l2 end to end"],
            rows: this.front.map(row => [this.sweep.label(row), this.slowdown(row),
                ...stepNames.map(([name]) => row[name]),
                100 * row.step_ns10 / row.activity.tiles_chip,
                row.activity.steps[1].transitions, row.idle_common, row.start_spread,
                row.activity.mean, row.end_to_end_rel_l2 ?? null])};
    }

    sections() {
        return this.rows.length === 0 ? [] : [
            {component: "text", text: this.advice()}, ...this.released(),
            {component: "plots", sections: [this.exchange("step_ns10", "10 ns"),
                this.exchange("step_ns100", "100 ns"), this.curve(), this.chip()]},
            ...this.map(), this.table()];
    }
}
