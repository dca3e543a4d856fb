// The parts of a run's first tile: busy and waiting, roofline, stall matrix, instructions, bit
// rules.

const partsOf = ({busy, stalls = {}}) => [["busy", 100 * busy], ...Object.entries(stalls)
    .filter(([reason]) => reason !== "idle").map(([reason, share]) => [reason, 100 * share])];

const busyBars = ({where}) => ({component: "bars", unit: "% of the kernel's cycles", high: 100,
    title: "Busy, and waiting by reason (the rest is idle)",
    rows: where.map(share => ({name: share.name, parts: partsOf(share)}))});

// Throughput against work per byte, below the roofs of the unit and of the unpackers.
function roofline({roofline: roofs, tflops}, {program}) {
    if (!(roofs?.unit_tflops > 0 && roofs.unpack_tflops > 0))
        return [];
    const {flops_per_byte: here, unit_tflops: peak} = roofs, perByte = roofs.unpack_tflops / here;
    const knee = peak / perByte, low = Math.min(knee, here) / 4, high = Math.max(knee, here) * 4;
    const roof = (name, ...points) => ({name, line: true, bare: true, points});
    return [{component: "plot", title: program === undefined ? "Roofline of one tile" : "Roofline",
        x: {name: "FLOP per byte unpacked from L1", log: true}, y: {name: "TFLOP/s", log: true},
        series: [
            roof("roof of the unpackers", [low, low * perByte], [knee, peak]),
            roof("roof of the unit", [knee, peak], [high, peak]),
            {name: "this run", points: [[here, tflops, "this run"]]}]}];
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
