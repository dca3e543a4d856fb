// A program on several chips: their map over time, the system over time, chips and links as tables.
// run.system, run.chips, run.links, run.system_bound, run.collective: as result.json has them.
// drawing.system (drawing_system.c): cycles of links and chips in each period.

// What a chip's box shows, next to its links.
const systemRows = {
    matrix: "Matrix units, mean of those that work",
    noc: "The busiest link of the NoCs",
    dram: "DRAM channels, mean",
};

class System {
    constructor(run, {bin, span, links, chips}) {
        Object.assign(this, {run, bin, span, links, chips, frames: []});
        const rows = [links, ...chips].flatMap(Object.values);
        const first = rows.map(row => row.findIndex(cycles => cycles > 0)).filter(at => at >= 0);
        for (let frame = Math.min(...first); frame * bin < span; frame++)
            this.frames.push(frame);
        this.times = ["the whole run", ...this.frames.map(frame =>
            `cycles ${frame * bin} to ${frame * bin + this.length(frame)}`)];
    }

    // Cycles of a frame: the last one ends with the run.
    length(frame) {
        return Math.min(this.span - frame * this.bin, this.bin);
    }
    // Percents: of the kernel, then of each frame.
    shares(row, whole) {
        return [100 * whole, ...this.frames.map(frame =>
            Math.min(100, 100 * (row?.[frame] ?? 0) / this.length(frame)))];
    }
    // Of every time a list: of lists over time.
    static turned(rows, times) {
        return times.map((_, i) => rows.map(row => row[i]));
    }

    linkShares() {
        return this.run.links.map(link => this.shares(this.links[link.from], link.busy));
    }
    // Only of the whole run.
    routerShares() {
        return this.run.links.map(link => this.times.map(() => 100 * link.router_busy));
    }
    // Of each chip the most of what its links have.
    leaving(shares) {
        return this.run.chips.map(({chip}) => this.times.map((_, i) => highest(this.run.links
            .flatMap(({from}, l) => from.startsWith(`${chip}/`) ? [shares[l][i]] : []))));
    }
    chipShares(part) {
        return this.run.chips.map(({chip, cycles}) => {
            const row = this.chips[chip]?.[part] ?? [];
            return this.shares(row, Math.min(1, total(row) / Math.max(cycles, 1)));
        });
    }
    // Names and shares of each chip over time; below 1 percent: set-up.
    kinds() {
        return [
            ["Links, the busiest that leaves a chip", this.leaving(this.linkShares())],
            ["Routers, the busiest of a chip (whole run only)",
                this.leaving(this.routerShares())],
            ...Object.entries(systemRows).map(([part, name]) => [name, this.chipShares(part)])
                .filter(([, rows]) => highest(rows.flat()) >= 1),
        ];
    }

    map() {
        const {run, times} = this, lanes = {};
        const lane = pair => lanes[pair] = (lanes[pair] ?? -1) + 1;
        // Arrows of two chips in the order of their channels.
        const order = [...run.links.keys()].sort((a, b) =>
            run.links[a].from.localeCompare(run.links[b].from, "en", {numeric: true}));
        const links = order.map(i => {
            const {from, to, down} = run.links[i], ends = [from, to].map(end => parseInt(end, 10));
            return {from: ends[0], to: ends[1], name: `${from} to ${to}`, down: down > 0,
                lane: lane([...ends].sort((a, b) => a - b).join())};
        });
        const shares = this.linkShares();
        return {component: "network", title: "The chips and their links: share of the time",
            columns: run.system_columns, names: run.chips.map(row => `chip ${row.chip}`), links,
            times, busy: System.turned(order.map(i => shares[i]), times),
            sheets: this.kinds().map(([name, rows]) =>
                ({name, chips: System.turned(rows, times)})),
            note: "Arrows: how busy each direction of a link is. Boxes: the figure that is " +
                "chosen. The slider goes through the run. Links of which no Ethernet tile has a " +
                "kernel are left out."};
    }

    lines() {
        const points = values => this.frames.map((frame, i) =>
            [frame * this.bin + Math.floor(this.length(frame) / 2), values[i + 1]]);
        const most = rows => this.times.map((_, i) => highest(rows.map(row => row[i])));
        const mean = rows => this.times.map((_, i) =>
            total(rows.map(row => row[i])) / Math.max(rows.length, 1));
        const line = (name, values) => highest(values.slice(1)) >= 1 // below: set-up
            ? [{name, line: true, points: points(values)}] : [];
        return {component: "plot", title: "The system over time", height: 300, x: {name: "cycle"},
            y: {name: "% of the time", zero: true}, series: [
                ...line("the busiest link", most(this.linkShares())),
                ...line("links, mean", mean(this.linkShares())),
                ...line("matrix units, mean of the chips", mean(this.chipShares("matrix"))),
                ...line("DRAM channels, mean of the chips", mean(this.chipShares("dram"))),
            ]};
    }
}

const systemAnswer = ({system: {name, cycles, result}, chips, clock_mhz, system_bound: {text}}) =>
    `On the ${chips.length} chips of ${name}: ${result}. ${cycles} cycles, ` +
    `${(cycles / clock_mhz).toFixed(2)} \u00b5s at ${clock_mhz} MHz, ${text}.`;

function systemCards(run) {
    const {collective, links = [], system: {cycles}} = run;
    const cards = [[cycles, "cycles"], [cycles / run.clock_mhz, `\u00b5s at ${run.clock_mhz} MHz`]];
    if (collective)
        cards.push([collective.bus_gb_per_s, "GB/s of bus bandwidth"],
            [collective.algorithm_gb_per_s,
                `GB/s of the collective: ${collective.bytes} bytes on each chip`]);
    if (links.length)
        cards.push([100 * highest(links.map(({busy}) => busy)), "% busy: the busiest link"],
            [100 * highest(links.map(link => link.router_busy)), "% busy: the busiest router"]);
    return {component: "cards", cards};
}

function systemSections(run, drawing) {
    if (!run.links || !drawing)
        return [systemCards(run)];
    const percents = value => (100 * value).toFixed(1), system = new System(run, drawing);
    return [
        systemCards(run),
        ...system.frames.length ? [system.map(), system.lines()] : [],
        {component: "table", title: "Chips", text: [2, 3],
            heads: ["chip", "cycles", "bound by", "result"],
            rows: run.chips.map(row => [row.chip, row.cycles, row.bound_object,
                {true: "right", false: "wrong"}[row.right] ?? "not checked"])},
        {component: "table", title: "Links, the busiest first", text: [0, 1, 7],
            heads: ["from", "to", "bytes", "frames", "% busy", "% nothing to send", "% down",
                "router", "% it works"],
            rows: run.links.map(link => [link.from, link.to, link.bytes, link.frames,
                percents(link.busy), percents(link.idle), percents(link.down), link.router,
                percents(link.router_busy)])},
    ];
}
