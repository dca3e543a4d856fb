// What lies where in L1 (drawing_l1.c): a map for tiles that are alike, a table with addresses, and
// what each core's own RAM is for.

const l1Kinds = [["code", "code"], ["launch", "mailboxes"], ["semaphore", "semaphores"],
    ["buffer", "buffers"], ["tensor", "tensors"], ["free", "free"]];
Object.assign(page.colors, {code: "#0072b2", mailboxes: "#e69f00", semaphores: "#d55e00",
    buffers: "#009e73", tensors: "#cc79a7", free: "#7f7f7f"});
const hex = address => `0x${address.toString(16).padStart(6, "0")}`;
const kib = bytes => bytes < 1024 ? `${bytes} bytes` : `${+(bytes / 1024).toFixed(1)} KiB`;

// Areas by address, and what is free between them.
function l1Areas(areas, bytes) {
    const all = [...areas].sort((a, b) => a[0] - b[0] || b[1] - a[1]), free = [];
    let end = 0;
    for (const [from, length] of [...all, [bytes, 0]]) {
        if (from > end)
            free.push([end, from - end, "free", "free"]);
        end = Math.max(end, from + length);
    }
    return [...all, ...free].sort((a, b) => a[0] - b[0]);
}

function l1Group({tiles, map}, bytes, alone) {
    const areas = l1Areas(map.areas, bytes);
    const of = kind => areas.filter(area => area[2] === kind);
    const sum = kind => total(of(kind).map(area => area[1]));
    const where = alone ? "" : tiles.length > 6
        ? `, ${tiles.length} tiles: ${tiles.slice(0, 5).join(" ")} \u2026`
        : `, tile${tiles.length > 1 ? "s" : ""} ${tiles.join(" ")}`;
    const parts = ([kind, name]) => of(kind).map(([from, length, , text]) => [from, from + length,
        name, kind === "free" ? .1 : 1,
        `${text}: ${hex(from)} to ${hex(from + length - 1)}, ${kib(length)}`]);
    const kinds = l1Kinds.filter(([kind]) => of(kind).length);
    const lanes = to => kinds.map(kind => {
        const all = parts(kind).filter(([from]) => from < to);
        return {name: `${kind[1]}: ${kib(total(all.map(([a, b]) => b - a)))}`, parts: all};
    }).filter(row => row.parts.length);
    // The largest piece that is free; what lies below is shown again, larger, if it is small.
    const largest = of("free").reduce((a, b) => b[1] > a[1] ? b : a, [bytes, 0]);
    const small = largest[0] > 0 && largest[0] < .4 * bytes;
    const drawn = {component: "lanes", bytes: true, from: 0};
    return [{...drawn, title: `L1${where}`, to: bytes, legend: small,
        rows: small ? [{name: "L1", parts: kinds.flatMap(parts)}] : lanes(bytes),
        note: `${kib(sum("free"))} of ${kib(bytes)} are free, ${kib(largest[1])} of them in one ` +
            "piece. Drag over a part to see it larger; a double click shows all."},
    ...small ? [{...drawn, title: `L1 below ${hex(largest[0])}${where}`, to: largest[0],
        legend: false, rows: lanes(largest[0])}] : [],
    {component: "fold", title: `Addresses${where}`, sections: [
        {component: "table", text: [0, 1, 4], heads: ["from", "to", "bytes", "% of L1", "what"],
            rows: areas.map(([from, length, , name]) => [hex(from), hex(from + length - 1), length,
                +(100 * length / bytes).toFixed(2), name])},
        {component: "table", title: "Each core's own RAM", text: [0],
            heads: ["core", "data, bytes", "left for the stack"], rows: map.local}]}];
}

// The first maps; of many kinds of tiles the rest is folded.
function l1Sections({l1}) {
    const groups = [...l1?.groups ?? []].sort((a, b) => b.tiles.length - a.tiles.length);
    if (!groups.length)
        return [];
    const maps = groups.map(group => l1Group(group, l1.bytes, groups.length === 1));
    const rest = maps.slice(3, 40).flat();
    return [{component: "text", title: "Memory", text: "What lies where in L1. Stacks and " +
        "variables lie in the cores' own RAM (in the table)." + (groups.length > 1
        ? ` ${groups.length} kinds of tiles differ in what they hold.` : "")},
    ...maps.slice(0, 3).flat(), ...rest.length ? [{component: "fold",
        title: `${count(Math.min(maps.length, 40) - 3, "more kind")} of tiles`,
        sections: rest}] : []];
}
