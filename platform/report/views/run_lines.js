// The sources of a run with their cycles (--lines): every source with the cycles, the share and the
// first cause of each line. A line unfolds to its threads, to what was inlined into it, and to its
// instructions.

const SOURCE_QUIET = 6; // so many lines without cycles stay between lines that have some

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

// ---- a line

// What the line waits for longest, in any thread; work, if that takes longer.
function firstCause(line, percent) {
    const rows = Object.values(line.threads);
    const waits = rows.flatMap(({waits = [], held = []}) => [...waits, ...held]);
    const wait = waits.reduce((a, b) => b.cycles > (a?.cycles ?? 0) ? b : a, undefined);
    const busy = Math.max(...rows.map(row => row.busy ?? 0), ...rows.map(row => row.issued ?? 0));
    const most = Math.max(wait?.cycles ?? 0, busy);
    return percent(most) < 0.05 ? "" : wait?.cycles === most ? waitText(wait, percent)
        : `work ${percent(busy).toFixed(1)} %`;
}

const lineSections = (line, percent) => [
    {component: "text", class: "note",
        text: `${line.file}:${line.line}, in ${line.function || "?"}`},
    ...sourceTable("", "thread", Object.entries(line.threads).map(([name, row]) =>
        sourceRow(name, row, percent))),
    ...sourceTable("Inlined into it, or called by it", "thread: function, place",
        line.inside.map(row => sourceRow(
            `${row.thread}: ${row.function}, ${sourcePlace(row)}`, row, percent))),
    sourceCode(line.code),
];

// ---- a source

const sourceHeads = [["own %", "work, and waits for what the line itself asked for"],
    ["cycles", "own cycles, of the thread that has most"],
    ["others %", "waits for other threads"], ["first cause", "what takes longest"], ["line", ""],
    ["source", ""]];

// {pieces: [[number, text, ...], ...], lines: with cycles, percent}
components.source = ({pieces, lines, percent}) => {
    const body = make("tbody"), most = Math.max(...lines.map(line => line.own), 1);
    const hot = new Map(lines.map(line => [line.line, line]));
    const cells = (line, number, text) => [
        make("td", {class: "heat", style: line &&
            `--share:${(100 * line.own / most).toFixed(1)}%`},
        line ? percent(line.own).toFixed(2) : ""),
        make("td", {}, line ? figure(line.own) : ""),
        make("td", {}, line?.waits_for_others ? percent(line.waits_for_others).toFixed(1) : ""),
        make("td", {class: "text"}, line ? firstCause(line, percent) : ""),
        make("td", {}, number), make("td", {class: "code"}, text)];
    const row = (number, text) => {
        const line = hot.get(number);
        const node = make("tr", {tabindex: line && 0, "aria-expanded": line && "false"},
            ...cells(line, number, text));
        const toggle = () => {
            const open = node.getAttribute("aria-expanded") === "true";
            node.setAttribute("aria-expanded", String(!open));
            if (open)
                node.nextSibling.remove();
            else
                node.after(make("tr", {class: "detail"},
                    draw(lineSections(line, percent), make("td", {colspan: 6}))));
        };
        if (line) {
            node.addEventListener("click", toggle);
            node.addEventListener("keydown",
                event => event.key === "Enter" && event.target === node && toggle());
        }
        return node;
    };
    // Lines far from any with cycles are folded; those that the page does not have are only named.
    const quiet = (from, to, rows) => {
        const text = `lines ${from} to ${to}: no cycles`;
        const node = make("tr", {class: "quiet"}, make("td", {colspan: 6}, rows
            ? make("button", {type: "button"}, `\u22ef ${text}`) : `\u22ef ${text}`));
        node.querySelector("button")?.addEventListener("click", () => node.replaceWith(...rows()));
        return node;
    };
    let last = 0;
    for (const [first, ...texts] of pieces) {
        if (first > last + 1)
            body.append(quiet(last + 1, first - 1));
        const numbers = texts.map((_, i) => first + i);
        const rowsOf = some => some.map(number => row(number, texts[number - first]));
        for (let i = 0; i < numbers.length;) {
            let end = i;
            while (end < numbers.length && !hot.has(numbers[end]))
                end++;
            const some = numbers.slice(i, Math.max(end, i + 1));
            body.append(...some.length > SOURCE_QUIET && !hot.has(some[0])
                ? [quiet(some[0], some.at(-1), () => rowsOf(some))] : rowsOf(some));
            i += some.length;
        }
        last = first + texts.length - 1;
    }
    return make("div", {class: "scroll"}, make("table", {class: "source"}, make("thead", {},
        make("tr", {}, ...sourceHeads.map(([name, title], i) => make("th", {title,
            class: i === 3 || i === 5 ? "text" : undefined}, name)))), body));
};

const sourceSections = ({lines}, {sources = {}}) => {
    if (!lines)
        return [];
    const percent = cycles => 100 * cycles / (lines.cycles * lines.tiles);
    const known = lines.lines.filter(line => line.file && !line.library);
    const files = [...new Set(known.map(line => line.file))].map(file => {
        const own = known.filter(line => line.file === file);
        const alone = own.map(({line, text}) => [line, text]).sort((a, b) => a[0] - b[0]);
        return {file, own, cycles: total(own.map(line => line.own)),
            pieces: sources[file]?.length ? sources[file] : alone};
    }).sort((a, b) => b.cycles - a.cycles);
    const hottest = known.slice(0, 3).map(line => `${sourcePlace(line)} ` +
        `(own ${percent(line.own).toFixed(1)} %: ${firstCause(line, percent)})`);
    return [{component: "text", title: "Source",
        text: `Hottest: ${hottest.join(", ")}. Choose a line to see its threads and ` +
            "instructions. A line's own cycles are work, and waits for what the line itself " +
            "asked for; waits for other threads stand apart."},
    ...files.map(({file, own, cycles, pieces}, i) => ({component: "fold", open: i < 3,
        title: `${file.split("/").pop()}: ${percent(cycles).toFixed(1)} % of the cycles`,
        sections: [{component: "source", pieces, lines: own, percent}]}))];
};
