// A run of tensim run --show: the table of instructions, and the rows that changed.

const counter = (rwc, name) => rwc ? `${rwc[name]} (${rwc[`${name}_cr`]})` : "";

const stepRow = ({rwc, changes = [], ...i}) => [
    i.number, `T${i.thread}`, i.cycle, i.waited ? `${i.waited} ${i.reason}` : "",
    i.instruction, i.rows, counter(rwc, "srca"), counter(rwc, "srcb"), counter(rwc, "dst"),
    rwc ? `${rwc.phase}` : "", changes.filter(change => !change.startsWith("RWC ")).join(", "),
];

const valueRows = ({number, values = []}) => values.map(v => [number, v.what, v.row, ...v.values]);

views.step = ({program, code, text, cycles, instructions}) => ({
    title: `tensim run --show: ${program}`,
    answer: code === 0 ? `${instructions.length} instructions in ${cycles} cycles.`
        : `${instructions.length} instructions passed, then: ${text}`,
    sections: [
        {component: "table", title: "What each instruction does", text: [1, 3, 4, 5, 10],
            heads: ["#", "thread", "cycle", "waited", "instruction", "rows", "SrcA (Cr)",
                "SrcB (Cr)", "Dst (Cr)", "phase", "changes"],
            rows: instructions.map(stepRow)},
        ...tableIfAny({component: "table", title: "Values of the rows that changed", text: [1],
            heads: ["instruction", "register", "row", ...Array(16).keys()].map(String),
            rows: instructions.flatMap(valueRows)}),
    ],
});
