// A sequence of programs: what takes the time, operation by operation, and the layer over time.

const layerBytes = ({tensors}) => tensors.reduce((sum, {bytes}) => sum + bytes, 0);
const layerShape = ({tensors}) => tensors.map(({name, rows, columns, format, memory, output}) =>
    `${output ? "to " : ""}${name} ${rows}x${columns} ${format} ${memory.replace("_", " ")}`)
    .join("; ");
const layerError = row => row.checked === undefined ? ""
    : `${row.right ? "" : "WRONG "}${row.rel_l2 === null ? "NaN" : row.rel_l2.toExponential(1)}`;

// Cycles of the sequence: operations above, gaps between them.
const layerLanes = ({operations, layer_cycles}) => ({component: "lanes",
    title: "The layer over time", from: 0, to: layer_cycles,
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
        layerError(row), `${layerShape(row)} (${layerBytes(row)} bytes)`];
    const answer = () => `${us(layer_cycles)} us; ${longest[0].name} takes `
        + `${part(longest[0].cycles)} % of it, bound by ${longest[0].bound}`;
    return {title: `${document.name} on a ${document.chip}`,
        answer: document.wrong || (longest.length ? answer() : "no operation ran"),
        sections: [
            {component: "cards", cards: [
                [us(layer_cycles), "us", `${layer_cycles} cycles at ${clock_mhz} MHz`],
                [operations.length, "operations", `${operation_cycles} cycles`],
                [us(gap_cycles), "us of gaps", `dispatch: ${document.dispatch}`]]},
            layerLanes(document),
            {component: "bars", title: "Time by operation", unit: "us",
                rows: longest.slice(0, 24).map(bar)},
            {component: "table", title: "Operations", text: [0, 8, 9, 10, 11],
                heads: ["operation", "time %", "us", "gap us", "cores", "DRAM %", "NoC %", "FLOP %",
                    "bound", "first causes", "rel_l2", "tensors"],
                rows: operations.map(line)}]};
};
