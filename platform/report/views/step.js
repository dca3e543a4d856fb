// A run of tensim run --show: the table of instructions, and the rows that changed.

const counter = (rwc, name) => rwc ? `${rwc[name]} (${rwc[`${name}_cr`]})` : "";

const stepRow = ({rwc, changes = [], ...i}) => [
    i.number, `T${i.thread}`, i.cycle, i.waited ? `${i.waited} ${i.reason}` : "",
    i.instruction, i.rows, counter(rwc, "srca"), counter(rwc, "srcb"), counter(rwc, "dst"),
    rwc ? `${rwc.phase}` : "", changes.filter(change => !change.startsWith("RWC ")).join(", "),
];

const valueRows = ({number, values = []}) => values.map(v => [number, v.what, v.row, ...v.values]);

// The walk of the counters: which rows each instruction uses; those of Dst by fidelity phase.
function walk(instructions) {
    const series = new Map();
    let phase = 0; // rwc has the counters after the instruction
    const add = (name, point) => series.set(name, [...series.get(name) ?? [], point]);
    for (const {cycle, instruction, rows = "", rwc} of instructions) {
        for (const [, name, from] of rows.matchAll(/(SrcA|SrcB|Dst)\[(\d+)/g))
            add(name === "Dst" ? `Dst, phase ${phase}` : name,
                [cycle, +from, `${instruction}: ${rows}`]);
        phase = rwc?.phase ?? phase;
    }
    const plot = (title, y, of, note) => {
        const lines = [...series].filter(([name]) => of(name));
        return lines.some(([, points]) => points.length > 1) ? [{component: "plot", title, note,
            x: {name: "cycle"}, y: {name: y},
            series: lines.map(([name, points]) => ({name, line: true, points}))}] : [];
    };
    const dst = name => name.startsWith("Dst");
    const plots = [...plot("The walk of the counters (RWC): Dst", "first row of Dst", dst,
        "A line for each fidelity phase. Where their times overlap, the loop of phases is inside " +
        "a face. Gaps in time are waits, of rows that were written just before, for example."),
    ...plot("The walk of the counters (RWC): SrcA, SrcB", "first row of Src", name => !dst(name))];
    return plots.length ? [{component: "plots", sections: plots}] : [];
}

views.step = ({program, code, text, cycles, instructions}) => ({
    title: `tensim run --show: ${program}`,
    answer: code === 0 ? `${instructions.length} instructions in ${cycles} cycles.`
        : `${instructions.length} instructions passed, then: ${text}`,
    sections: [
        ...walk(instructions),
        {component: "table", title: "What each instruction does", text: [1, 3, 4, 5, 10],
            heads: ["#", "thread", "cycle", "waited", "instruction", "rows", "SrcA (Cr)",
                "SrcB (Cr)", "Dst (Cr)", "phase", "changes"],
            rows: instructions.map(stepRow)},
        ...tableIfAny({component: "table", title: "Values of the rows that changed", text: [1],
            heads: ["instruction", "register", "row", ...Array(16).keys()].map(String),
            rows: instructions.flatMap(valueRows)}),
    ],
});
