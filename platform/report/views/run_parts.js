// The parts of a run's first tile: busy and waiting, roofline, stall matrix, instructions, bit
// rules.

const partsOf = ({busy, stalls = {}}) => [["busy", 100 * busy], ...Object.entries(stalls)
    .filter(([reason]) => reason !== "idle").map(([reason, share]) => [reason, 100 * share])];

const busyBars = ({where}) => ({component: "bars", unit: "% of the kernel's cycles", high: 100,
    title: "Busy, and waiting by reason (the rest is idle)",
    rows: where.map(share => ({name: share.name, parts: partsOf(share)}))});

// How much of every resource that bounds the run was used.
function roofBars({roofs = []}) {
    const word = ({name, rate, peak, unit}) =>
        peak ? `${name}: ${figure(rate)} of ${figure(peak)} ${unit}` : name;
    return roofs.length ? [{component: "bars", unit: "% of it is used in the kernel's cycles",
        high: 100, title: "Roofs, the nearest first",
        rows: roofs.map(roof => ({name: word(roof), parts: [["busy", 100 * roof.share]]}))}] : [];
}

// Throughput against work per byte: each resource has its roof, and the run its point there.
function roofline({roofs = [], tflops}) {
    const unit = roofs.find(roof => roof.unit === "TFLOP/s");
    const moved = roofs.filter(roof => roof.unit === "GB/s" && roof.rate > 0);
    if (!unit || !(tflops > 0) || !moved.length)
        return [];
    const at = ({rate}) => 1e3 * tflops / rate, knee = ({peak}) => 1e3 * unit.peak / peak;
    const xs = moved.flatMap(roof => [at(roof), knee(roof)]);
    const low = Math.min(...xs) / 4, high = Math.max(...xs) * 4;
    const line = (name, points) => ({name, line: true, bare: true, points});
    return [{component: "plot", title: "Roofline",
        x: {name: "FLOP per byte that passes the resource", log: true},
        y: {name: "TFLOP/s", log: true},
        series: [line(unit.name, [[low, unit.peak], [high, unit.peak]]),
            ...moved.map(roof => line(roof.name,
                [[low, low * roof.peak / 1e3], [knee(roof), unit.peak]])),
            {name: "this run", points: moved.map(roof => [at(roof), tflops,
                `${roof.name}: ${percent(roof.share)} of its roof`])}]}];
}

// Waits by part (rows) and reason (columns), in cycles of the kernel.
function stallMatrix({where_cycles: window}, {parts}) {
    const reasons = Object.keys(page.reasons).filter(
        reason => parts.some(part => part.stalls[reason]));
    return {component: "table", title: `Stall matrix (of the kernel's ${window} cycles)`,
        class: "stalls", text: [0], upright: 3, heads: ["who", "busy", "idle", ...reasons],
        hints: [null, "cycles of work", "cycles without anything to do",
            ...reasons.map(reason => page.reasons[reason])],
        rows: parts.map(({name, busy, idle, stalls}) =>
            [name, busy, idle, ...reasons.map(reason => stalls[reason] ?? null)])};
}

const instructionsTable = ({instructions}) => ({component: "table", rows: instructions, text: [0],
    title: "Instructions that passed the gates", heads: ["instruction", "T0", "T1", "T2"]});

// The rules by which silicon and the reference simulator differ, where the run met a difference.
const rulesTable = ({bit_rules: rules = []}) => tableIfAny({component: "table",
    title: "Bit rules that mattered", heads: ["rule", "bits as", "times", "what the unit does"],
    text: [0, 1, 3], rows: rules.map(row => [row.rule, row.bits, row.count, row.text])});

// How far to trust the cycles: errors against cards, and what was not the vendor's code.
function trustTable({trust}) {
    if (!trust)
        return [];
    const own = trust.not_vendor.join(", ");
    return [{component: "table", title: "How far to trust it: errors against cards", text: [0],
        heads: ["measurements like parts of this run", "rows", "median %", "90 % within %"],
        rows: trust.families.map(({title, rows, median, p90}) => [title, rows, median, p90])},
    ...own ? [{component: "text", class: "note", text: `Not the vendor's code: ${own}.`}] : []];
}
