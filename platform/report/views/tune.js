// Variants of a TPUSH/TPOP program (pipe tune, pipe --sweep): cycles against memory with the front,
// one plot for each key that was varied, and the front as a table.

const dots = (title, name, points, lineName, line) => ({component: "plot", title,
    x: {name}, y: {name: "cycles", zero: true}, series: [{name: "variants that pass", points},
        {name: lineName, line: true, color: "--stuck", points: line}]});

const variantLabel = row => Object.entries(row.set).map(pair => pair.join("=")).join(" ");
const byCycles = (a, b) => a.cycles - b.cycles;

function memoryPlot(passing, front) {
    const dot = row => [row.memory / 1024, row.cycles, variantLabel(row)];
    return passing.length ? [dots("Cycles against memory", "KiB of ring slots, tiles and buffers",
        passing.map(dot), "front: no other has fewer cycles and no more memory",
        front.map(dot).sort((a, b) => a[0] - b[0]))] : [];
}

// Values on the x axis: as they are if all are numbers, else by their place in the list.
function keyPlot(key, rows, passing) {
    const values = [...new Set(rows.map(row => row.set[key]))];
    if (!passing.length || values.length < 2)
        return [];
    const numbers = values.every(value => value !== "" && isFinite(value));
    const list = values.map((value, i) => `${i}: ${value}`).join(", ");
    const dot = row => [numbers ? +row.set[key] : values.indexOf(row.set[key]), row.cycles,
        variantLabel(row)];
    const groups = values.map(value => passing.filter(row => row.set[key] === value));
    const best = groups.flatMap(group => [...group].sort(byCycles).slice(0, 1));
    return [dots(`Cycles by ${key}`, numbers ? key : `${key} (${list})`,
        groups.flat().map(dot), "best", best.map(dot))];
}

const frontTable = (rows, keys) => ({component: "table", title: "Front of cycles against memory",
    heads: ["memory", "on chip", "cycles", "safe", ...keys],
    text: [3, ...keys.map((_, i) => 4 + i)],
    rows: rows.filter(row => row.front).map(row => [row.memory, row.chip, row.cycles,
        row.proved ? "in every interleaving" : "not proved",
        ...Object.values(row.set)])});

// A sweep of a TPUSH/TPOP program (table.json).
function variants({rows: all, axes, front: best, command}) {
    const keys = axes.map(axis => axis.name).filter(name => name !== "program");
    const kept = new Set(best.map(({key}) => key));
    const rows = all.filter(row => row.code === 0).map(row => ({...row, chip: row.on_chip,
        set: Object.fromEntries(keys.map(key => [key, String(row[key.replaceAll("-", "_")])])),
        front: kept.has(row.key), proved: row.safe === "proved"}));
    const passing = rows.filter(row => row.verdict === "pass");
    const front = passing.filter(row => row.front);
    return {
        title: `TPUSH/TPOP program: ${all[0]?.program}, ${rows.length} variants`, command,
        answer: `${passing.length} of ${rows.length} variants pass; ${front.length} of them are ` +
            "on the front of cycles against memory.",
        sections: [{component: "plots", sections: [...memoryPlot(passing, front),
            ...keys.flatMap(key => keyPlot(key, rows, passing))]}, frontTable(rows, keys)],
    };
}
