// The program of the chosen core: its source line, the instructions around its pc, registers, memory.

const registerNames = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
    "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"];
const wide = value => value === null ? "--------" : value.toString(16).padStart(8, "0");

function sourceLines(source) {
    const lines = source.text.map((text, i) => make("div", {class: source.from + i === source.line ? "here" : undefined},
        make("s", {}, String(source.from + i)), text || " "));
    return make("pre", {class: "source"}, ...lines);
}

const listingLines = ({listing, pc}) => make("pre", {class: "source"}, ...listing.map(([at, word, text]) =>
    make("div", {class: at === pc ? "here" : undefined}, make("s", {}, at.toString(16)), `${wide(word)}  ${text}`)));

// A button per register: back to its last change. What changed since the state before is marked.
function registerTable(registers, before, ask) {
    return make("div", {class: "registers"}, ...registers.slice(1).map((value, i) => {
        const button = make("button", {type: "button", title: `x${i + 1}: back to its last change`,
            class: before && before[i + 1] !== value ? "moved" : undefined},
            make("b", {}, registerNames[i + 1]), make("code", {}, wide(value)));
        button.addEventListener("click", () => ask(i + 1));
        return button;
    }));
}

function memoryTable({address, words}, before, ask) {
    const rows = [];
    for (let i = 0; i < words.length; i += 4)
        rows.push(make("div", {}, make("s", {}, (address + 4 * i).toString(16).padStart(6, "0")),
            ...words.slice(i, i + 4).map((word, k) => {
                const button = make("button", {type: "button", title: `${hex(address + 4 * (i + k))}: back to its last write`,
                    class: before?.address === address && before.words[i + k] !== word ? "moved" : undefined}, wide(word));
                button.addEventListener("click", () => ask(address + 4 * (i + k)));
                return button;
            })));
    return make("div", {class: "memory"}, ...rows);
}
