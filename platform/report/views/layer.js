// A sequence of programs: what takes the time, operation by operation, and the layer over time.

const layerBytes = ({inputs, outputs}) => [...inputs, ...outputs].reduce((sum, {bytes}) =>
    sum + bytes, 0);
const layerTensor = ({name, rows, columns, format, memory}) =>
    `${name} ${rows}x${columns} ${format} ${memory.replaceAll("_", " ")}`;
const layerShape = ({inputs, outputs}) => [...inputs.map(layerTensor),
    ...outputs.map(tensor => `to ${layerTensor(tensor)}`)].join("; ");
const layerError = row => row.checked === undefined ? ""
    : `${row.right ? "" : "WRONG "}${row.rel_l2 === null ? "NaN" : row.rel_l2.toExponential(1)}`;

// Cycles of the sequence: operations above, gaps between them.
const layerLanes = ({operations, layer_cycles}) => ({component: "lanes",
    title: "The layer over time", from: 0, to: layer_cycles,
    note: "Operations are pale and full in turn, only so that neighbours can be told apart.",
    rows: [
        {name: "operations", parts: operations.map(({name, begin, cycles, bound}, i) =>
            [begin, begin + cycles, "kernel", i % 2, `${name}: ${cycles} cycles, ${bound}`])},
        {name: "gaps", parts: operations.filter(({gap}) => gap > 0).map(({name, begin, gap}) =>
            [begin - gap, begin, "dispatch", 0, `before ${name}: ${gap} cycles`])}]});

views.layer = document => {
    const {operations, layer_cycles, operation_cycles, gap_cycles, clock_mhz} = document;
    const us = cycles => (cycles / clock_mhz).toFixed(2);
    const part = cycles => (100 * cycles / Math.max(1, layer_cycles)).toFixed(1);
    const longest = [...operations].sort((a, b) => b.cycles - a.cycles);
    const bar = ({name, cycles, gap}) => ({name, parts: [["operation", cycles / clock_mhz],
        ["gap before it", gap / clock_mhz]]});
    const line = row => [row.name, +part(row.cycles), +us(row.cycles), +us(row.gap), row.cores,
        ...[row.dram_percent, row.noc_percent, row.flops_percent].map(share => +share.toFixed(1)),
        row.bound,
        row.causes.map(({percent, text}) => `${percent.toFixed(0)} % ${text}`).join("; "),
        row.measured ? `${row.measured.us} (${row.measured.percent.toFixed(1)} %)` : "",
        layerError(row), `${layerShape(row)} (${layerBytes(row)} bytes)`];
    const answer = () => `${us(layer_cycles)} us; ${longest[0].name} takes `
        + `${part(longest[0].cycles)} % of it, bound by ${longest[0].bound}`;
    const card = document.measured;
    const chips = document.system ? ` (${document.system}: ${document.chips} chips)` : "";
    return {title: `${document.name} on a ${document.chip}${chips}`,
        answer: document.wrong || (longest.length ? answer() : "no operation ran"),
        sections: [
            {component: "cards", cards: [
                [us(layer_cycles), "us", `${layer_cycles} cycles at ${clock_mhz} MHz`],
                [operations.length, "operations", `${operation_cycles} cycles`],
                [us(gap_cycles), "us of gaps", `dispatch: ${document.dispatch}`],
                ...card ? [[`${card.median_percent.toFixed(1)} %`, "median error against a card",
                    `${card.operations} operations, their sum ${card.percent.toFixed(1)} %`]]
                    : []]},
            layerLanes(document),
            {component: "bars", title: "Time by operation", unit: "us",
                rows: longest.slice(0, 24).map(bar)},
            {component: "table", title: "Operations", text: [0, 8, 9, 10, 11, 12],
                heads: ["operation", "time %", "us", "gap us", "cores", "DRAM %", "NoC %", "FLOP %",
                    "bound", "first causes", "on a card, us", "rel_l2", "tensors"],
                rows: operations.map(line)}]};
};
