// The parts of a tile: busy and waiting, stall matrix, instructions; roofs and bit rules of a run.

const partsOf = ({busy, stalls = {}}) => [["busy", 100 * busy], ...Object.entries(stalls)
    .filter(([reason]) => reason !== "idle").map(([reason, share]) => [reason, 100 * share])];

// Cycles of each part of a tile in a window of its bins, by what the history kept; in the complete
// kernel by its accounts. A share of a bin is exact to a 4095th.
function partsIn({parts, lanes}, {time}, {from, to}) {
    if (!time || (from === 0 && to === time.count))
        return parts;
    const cycles = text => Math.round(time.bin * total(binShares(text).slice(from, to)));
    const known = ([, value]) => value > 0;
    return lanes.map(({name, busy, polls, stalls}) => {
        const waits = Object.fromEntries([...Object.entries(stalls), ["rv_poll", polls]]
            .map(([reason, text]) => [reason, cycles(text)]).filter(known));
        const work = cycles(busy), all = (to - from) * time.bin;
        const idle = Math.max(all - work - total(Object.values(waits)), 0);
        return {name, busy: work, idle, stalls: waits};
    });
}

const busyBars = (parts, cycles) => ({component: "bars", unit: "% of the cycles", high: 100,
    title: "Busy, and waiting by reason (the rest is idle; parts that do nothing are left out)",
    rows: parts.filter(({busy, stalls}) => busy + total(Object.values(stalls)) > 0)
        .map(({name, busy, stalls}) => ({name, parts: [["busy", 100 * busy / cycles],
        ...Object.entries(stalls).map(([reason, value]) => [reason, 100 * value / cycles])]}))});

// How much of every resource that bounds the run was used.
function roofBars({roofs = []}) {
    const word = ({name, rate, peak, unit}) =>
        peak ? `${name}: ${figure(rate)} of ${figure(peak)} ${unit}` : name;
    return roofs.length ? [{component: "bars", unit: "% of it is used in the kernel's cycles",
        high: 100, title: "Roofs, the nearest first",
        rows: roofs.map(roof => ({name: word(roof), parts: [["busy", 100 * roof.share]]}))}] : [];
}

// Throughput against work per byte: each resource has its roof, and every run its points there, one
// below each roof that it uses. Of runs with other roofs (another chip, more cores) the highest one
// is drawn; another fidelity has a line of its own.
function roofline(runs) {
    const known = runs.map(({name, roofs = [], tflops}) => ({name, tflops,
        unit: roofs.find(roof => roof.unit === "TFLOP/s"),
        moved: roofs.filter(roof => roof.unit === "GB/s" && roof.rate > 0)}))
        .filter(({unit, moved, tflops}) => unit && tflops > 0 && moved.length);
    if (!known.length)
        return [];
    const at = (run, {rate}) => 1e3 * run.tflops / rate;
    const knee = (run, {peak}) => 1e3 * run.unit.peak / peak;
    const xs = known.flatMap(run => run.moved.flatMap(roof => [at(run, roof), knee(run, roof)]));
    const low = Math.min(...xs) / 4, high = Math.max(...xs) * 4, lines = new Map();
    const line = ({name, peak, unit}, points) => {
        const other = lines.get(name), differs = other && Math.abs(other.peak / peak - 1) > .01;
        const label = differs || other?.differs ? `${name}, up to ` +
            `${figure(Math.max(peak, other.peak))} ${unit}` : name;
        lines.set(name, {...(other?.peak > peak ? other : {line: true, bare: true, points, peak}),
            name: label, differs: differs || other?.differs});
    };
    const top = Math.max(...known.map(({unit}) => unit.peak)); // where lines end
    for (const run of known) {
        line(run.unit, [[low, run.unit.peak], [high, run.unit.peak]]);
        run.moved.forEach(roof => line(roof,
            [[low, low * roof.peak / 1e3], [1e3 * top / roof.peak, top]]));
    }
    return [{component: "plot", title: runs.length > 1 ? "Roofline of all runs" : "Roofline",
        x: {name: "FLOP per byte that passes the resource", log: true},
        y: {name: "TFLOP/s", log: true},
        series: [...lines.values(), ...known.map(run => ({name: run.name,
            points: run.moved.map(roof => [at(run, roof), run.tflops,
                `${run.name}, ${roof.name}: ${percent(roof.share)} of its roof`])}))]}];
}

// Waits by part (rows) and reason (columns), in cycles.
function stallMatrix(parts, cycles, part) {
    const reasons = Object.keys(page.reasons).filter(
        reason => parts.some(part => part.stalls[reason]));
    return {component: "table", title: `Stall matrix (of ${cycles} cycles${part})`,
        class: "stalls", text: [0], upright: 3, heads: ["who", "busy", "idle", ...reasons],
        hints: [null, "cycles of work", "cycles without anything to do",
            ...reasons.map(reason => page.reasons[reason])],
        rows: parts.map(({name, busy, idle, stalls}) =>
            [name, busy, idle, ...reasons.map(reason => stalls[reason] ?? null)])};
}

const instructionsTable = ({instructions}) => ({component: "table", rows: instructions, text: [0],
    title: "Instructions that passed the gates", heads: ["instruction", "T0", "T1", "T2"]});

// The same in a part of the time.
const instructionsIn = ({instructions, instructions_time: time}, inWindow) => !time
    ? instructionsTable({instructions}) : {component: "table", text: [0],
        title: "Instructions that passed the gates in the chosen cycles",
        heads: ["instruction", "T0", "T1", "T2"],
        rows: instructions.map(([name], i) => [name, ...time[i].map(inWindow)])
            .filter(([, ...words]) => total(words) > 0)};

// The rules by which silicon and the reference simulator differ, where the run met a difference.
const rulesTable = ({bit_rules: rules = []}) => tableIfAny({component: "table",
    title: "Bit rules that mattered", heads: ["rule", "bits as", "times", "what the unit does"],
    text: [0, 1, 3], rows: rules.map(row => [row.rule, row.bits, row.count, row.text])});

// How far to trust the cycles: errors against cards, and what was not the vendor's code.
function trustTable({trust}) {
    if (!trust)
        return [];
    const own = trust.not_vendor.join(", ");
    return [...tableIfAny({component: "table", text: [0],
        title: "How far to trust it: errors against cards",
        heads: ["measurements like parts of this run", "rows", "median %", "90 % within %"],
        rows: trust.families.map(({title, rows, median, p90}) => [title, rows, median, p90])}),
    ...own ? [{component: "text", class: "note", text: `Not the vendor's code: ${own}.`}] : []];
}
