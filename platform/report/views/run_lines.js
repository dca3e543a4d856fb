// The sources of a run with their cycles (--lines): the hottest lines, each unfolds to its threads,
// to what was inlined into it, and to its instructions.

const SOURCE_LINES = 40; // of the page; JSON has all

const sourcePlace = ({file, line}) => `${file.split("/").pop()}:${line}`;

const waitText = ({reason, object, cycles}, percent) =>
    `${reason}${object ? ` on ${object}` : ""} ${percent(cycles).toFixed(1)} %`;

const waitTexts = (waits = [], percent) => waits.filter(({cycles}) => percent(cycles) >= 0.05)
    .slice(0, 4).map(wait => waitText(wait, percent)).join(", ");

const sourceRow = (name, row, percent) => [name, percent(row.own || 0).toFixed(2),
    row.cycles || 0, row.busy || 0, row.instructions || 0, waitTexts(row.waits, percent),
    row.words || 0, waitTexts(row.held, percent)];

const sourceTable = (title, first, rows) => tableIfAny({component: "table", title, rows,
    heads: [first, "own %", "cycles", "busy", "instructions", "core waits", "words",
        "words held by"], text: [0, 5, 7]});

const sourceCode = code => ({component: "fold", title: "Instructions", sections: [
    {component: "table", text: [0, 1, 2],
        heads: ["thread", "pc", "instruction", "cycles", "times", "cycles at the gate", "words"],
        rows: code.map(({thread, pc, text, cycles = 0, times = 0, gate_cycles = 0, words = 0}) =>
            [thread, pc.toString(16), text, cycles, times, gate_cycles, words])}]});

const sourceLine = (line, percent) => ({component: "fold",
    title: `${percent(line.own).toFixed(1)} % ${sourcePlace(line)} ${line.text}`,
    sections: [
        {component: "text", class: "note",
            text: `${line.file}:${line.line}, in ${line.function || "?"}`},
        ...sourceTable("", "thread", Object.entries(line.threads).map(([name, row]) =>
            sourceRow(name, row, percent))),
        ...sourceTable("Inlined into it, or called by it", "thread: function, place",
            line.inside.map(row => sourceRow(
                `${row.thread}: ${row.function}, ${sourcePlace(row)}`, row, percent))),
        sourceCode(line.code),
    ]});

const sourceSections = ({lines}) => {
    if (!lines)
        return [];
    const percent = cycles => 100 * cycles / (lines.cycles * lines.tiles);
    const known = lines.lines.filter(line => line.file && !line.library);
    return [{component: "text", title: "Source: the hottest lines",
        text: "In the order of their own cycles: work, and waits for what the line itself asked " +
            "for. Waits for other threads are not in them." +
            (known.length > SOURCE_LINES ? ` ${SOURCE_LINES} of ${known.length} lines.` : "")},
    ...known.slice(0, SOURCE_LINES).map(line => sourceLine(line, percent))];
};
