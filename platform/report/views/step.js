// A run of tensim step: the table of instructions, and the rows that changed.

const counter = (rwc, name) => rwc ? `${rwc[name]} (${rwc[`${name}_cr`]})` : "";

views.step = ({program, code, text, cycles, instructions}) => ({
    title: `tensim step: ${program}`,
    answer: code === 0 ? `${instructions.length} instructions in ${cycles} cycles.`
        : `${instructions.length} instructions passed, then: ${text}`,
    sections: [
        {component: "table", title: "What each instruction does", text: [1, 3, 4, 5, 10],
            heads: ["#", "thread", "cycle", "waited", "instruction", "rows", "SrcA (Cr)", "SrcB (Cr)", "Dst (Cr)", "phase", "changes"],
            rows: instructions.map(i => [i.number, `T${i.thread}`, i.cycle, i.waited ? `${i.waited} ${i.reason}` : "", i.instruction,
                i.rows, counter(i.rwc, "srca"), counter(i.rwc, "srcb"), counter(i.rwc, "dst"), i.rwc ? `${i.rwc.phase}` : "",
                (i.changes ?? []).filter(change => !change.startsWith("RWC ")).join(", ")])},
        ...tableIfAny({component: "table", title: "Values of the rows that changed", text: [1],
            heads: ["instruction", "register", "row", ...Array(16).keys()].map(String),
            rows: instructions.flatMap(i => (i.values ?? []).map(v => [i.number, v.what, v.row, ...v.values]))}),
    ],
});
