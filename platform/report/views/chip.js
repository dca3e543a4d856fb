// The chip of a run over many tiles or of a NoC workload: a map with a figure of every place, over
// the run or in a part of it, and figures of the whole chip over time. Made of drawing.chip
// (drawing_chip.c): {bin, span, window, rows: {path: [cycles, ...]}}.

// What the map shows, by the last part of a path.
const chipSheets = {
    matrix: "matrix unit busy", vector: "vector unit busy",
    t1: "math thread stalls", t0: "unpack thread stalls", t2: "pack thread stalls",
    unpack0: "unpacker 0 busy", pack: "packer busy",
    link_x0: "NoC 0: links to the right", link_y0: "NoC 0: links down",
    link_x1: "NoC 1: links to the left", link_y1: "NoC 1: links up",
    link_up0: "NoC 0: tile sends", link_down0: "NoC 0: tile receives",
    link_up1: "NoC 1: tile sends", link_down1: "NoC 1: tile receives",
    channel: "DRAM channels busy",
};

// Lines over time: the mean, or the most, of all places of some sheets.
const chipLines = [
    {name: "matrix units, mean of the tiles", parts: ["matrix"]},
    {name: "math threads stall, mean", parts: ["t1"]},
    {name: "the busiest link of NoC 0", parts: ["link_x0", "link_y0"], most: true},
    {name: "the busiest link of NoC 1", parts: ["link_x1", "link_y1"], most: true},
    {name: "DRAM channels, mean", parts: ["channel"]},
];

// "tile[1-2].link_x0", "dram[3].link_x0[0-5]", "dram[3].channel": tile or channel, part, place.
const chipPath = /\[(?:(\d+-\d+)|(\d+))\]\.(\w+)(?:\[(.*)\])?/;

const highest = values => values.reduce((a, b) => Math.max(a, b), 0);
const total = values => values.reduce((a, b) => a + b, 0);

class Chip {
    constructor({bin, span, window, rows}) {
        Object.assign(this, {bin, span, window: window || span, channels: new Map(), sheets: {}});
        const places = [], channels = {};
        this.first = Infinity; // period in which something happens: not boot
        for (const [path, cycles] of Object.entries(rows)) {
            const [, tile, channel, part, at] = path.match(chipPath);
            const place = tile ?? at, begin = cycles.findIndex(cycle => cycle > 0);
            if (begin >= 0)
                this.first = Math.min(this.first, begin);
            if (place === undefined) { // a channel has three places: those of its links
                channels[channel] = cycles;
                continue;
            }
            (this.sheets[part] ??= new Map()).set(place, cycles);
            if (channel !== undefined)
                this.channels.set(place, channel);
            if (begin >= 0)
                places.push(place.split("-").map(Number));
        }
        this.sheets.channel = new Map([...this.channels].filter(([, channel]) => channels[channel])
            .map(([place, channel]) => [place, channels[channel]]));
        this.edges(places);
        this.frames = [];
        for (let frame = this.first; frame * bin < span; frame++)
            this.frames.push(frame);
    }

    // Around all that did something.
    edges(places) {
        const [xs, ys] = [0, 1].map(axis => places.map(place => place[axis]));
        this.columns = places.length ? Math.max(...xs) - Math.min(...xs) + 1 : 0;
        this.places = [];
        for (let y = Math.min(...ys); y <= Math.max(...ys); y++)
            for (let x = Math.min(...xs); x <= Math.max(...xs); x++)
                this.places.push(`${x}-${y}`);
    }

    // Cycles of a frame: the last one ends with the run.
    length(frame) {
        return Math.min(this.span - frame * this.bin, this.bin);
    }

    // Percent of a frame. A DRAM channel's work can be booked beyond the end.
    share(cycles, frame) {
        return Math.min(100, 100 * (cycles[frame] ?? 0) / this.length(frame));
    }

    // Percent of the kernel's cycles.
    mean(cycles) {
        const sum = total(cycles.map((_, frame) => this.share(cycles, frame) * this.length(frame)));
        return Math.min(100, sum / this.window);
    }

    // A figure of every place; null where there is nothing of this kind.
    values(sheet, figureOf) {
        return this.places.map(place => sheet.has(place) ? figureOf(sheet.get(place)) : null);
    }

    sheet(part, name) {
        const sheet = this.sheets[part] ?? new Map();
        const all = [this.values(sheet, cycles => this.mean(cycles)),
            ...this.frames.map(frame => this.values(sheet, cycles => this.share(cycles, frame)))];
        const high = Math.max(...all.map(highest)); // below 1 percent: set-up
        // Tenths of a percent are enough for the kernel, percents for a frame.
        const rounded = (value, parts) => value === null ? null : Math.round(value * parts) / parts;
        const frames = all.map((values, i) => values.map(value => rounded(value, i ? 1 : 10)));
        return high < 1 ? [] : [{name, unit: "%", high, frames}];
    }

    // tiles: names of those that a cell may choose.
    map(tiles, name = "The chip") {
        const times = this.frames.map(frame =>
            `cycles ${frame * this.bin} to ${frame * this.bin + this.length(frame)}`);
        const {channels} = this;
        const nameOf = place => channels.has(place) ? `DRAM${channels.get(place)}` : place;
        return {component: "heat", title: `${name}: share of the time, by place`,
            columns: this.columns, names: this.places.map(nameOf),
            tiles: tiles && this.places.map(place =>
                tiles.includes(place) ? tiles.indexOf(place) : null),
            sheets: Object.entries(chipSheets).flatMap(([part, name]) => this.sheet(part, name)),
            times: [this.window < this.span ? "the kernel" : "the whole run", ...times],
            note: "Positions are those of NoC 0. The slider goes through the run, without boot." +
                (tiles ? " Click a tile: what follows is about it." : "")};
    }

    line({name, parts, most}) {
        const rows = parts.flatMap(part => [...this.sheets[part]?.values() ?? []]);
        const points = this.frames.map(frame => {
            const shares = rows.map(cycles => this.share(cycles, frame));
            return [frame * this.bin + Math.floor(this.length(frame) / 2),
                most ? highest(shares) : total(shares) / Math.max(shares.length, 1)];
        });
        return points.some(([, value]) => value > 0) ? [{name, line: true, points}] : [];
    }

    lines(name) {
        return {component: "plot", title: `${name} over time`, height: 300, x: {name: "cycle"},
            y: {name: "% of the time", zero: true},
            series: chipLines.flatMap(line => this.line(line))};
    }
}

// system: there are other chips, of which less is known.
function chipSections(drawing, tiles, system) {
    const chip = drawing && new Chip(drawing), name = system ? "Chip 0" : "The chip";
    return chip?.places.length && chip.frames.length ? [chip.map(tiles, name), chip.lines(name)]
        : [];
}
