// Variants of a TPUSH/TPOP program (pipe tune, pipe --sweep): cycles against memory with the front, one plot for each key
// that was varied, and the front as a table.

const dots = (title, name, points, lineName, line) => ({component: "plot", title, x: {name}, y: {name: "cycles", zero: true}, series: [
    {name: "variants that pass", points}, {name: lineName, line: true, color: "--stuck", points: line}]});

function variants({program, profile, preset, rows}) {
    const passing = rows.filter(row => row.verdict === "pass"), front = passing.filter(row => row.front);
    const label = row => Object.entries(row.set).map(pair => pair.join("=")).join(" ");
    const keys = Object.keys(rows[0]?.set ?? {});
    const plots = [];
    if (passing.length) {
        const dot = row => [row.memory / 1024, row.cycles, label(row)];
        plots.push(dots("Cycles against memory", "KiB of ring slots, tiles and buffers", passing.map(dot),
            "front: no other has fewer cycles and no more memory", front.map(dot).sort((a, b) => a[0] - b[0])));
    }
    for (const key of keys) {
        const values = [...new Set(rows.map(row => row.set[key]))], numbers = values.every(value => value !== "" && isFinite(value));
        // Values on the x axis: as they are if all are numbers, else by their place in the list.
        const dot = row => [numbers ? +row.set[key] : values.indexOf(row.set[key]), row.cycles, label(row)];
        const best = values.map(value => passing.filter(row => row.set[key] === value).sort((a, b) => a.cycles - b.cycles)[0]);
        if (passing.length && values.length > 1)
            plots.push(dots(`Cycles by ${key}`, numbers ? key : `${key} (${values.map((v, i) => `${i}: ${v}`).join(", ")})`,
                values.flatMap(value => passing.filter(row => row.set[key] === value)).map(dot), "best", best.filter(Boolean).map(dot)));
    }
    return {
        title: `tensim pipe: ${program}, ${rows.length} variants`,
        answer: `${passing.length} of ${rows.length} variants pass; ${front.length} of them are on the front of cycles against memory. ` +
            `Profile ${profile}, preset ${preset}.`,
        sections: [{component: "plots", sections: plots}, {component: "table", title: "Front of cycles against memory",
            heads: ["variant", "memory", "on chip", "cycles", "safe", ...keys], text: [0, 4, ...keys.map((_, i) => 5 + i)],
            rows: rows.filter(row => row.front || row.own).map(row => [row.own ? "as it is" : "", row.memory, row.chip, row.cycles,
                row.proved ? "in every interleaving" : "not proved", ...Object.values(row.set)])}],
    };
}

views["pipe.tune"] = variants;

// Rows of a sweep are whole results; the front follows from them.
views["pipe.sweep"] = ({rows}) => {
    const passing = rows.filter(row => row.verdict === "pass");
    passing.forEach((row, i) => row.front = !passing.some((other, k) => other.cycles <= row.cycles && other.memory <= row.memory &&
        (other.cycles < row.cycles || other.memory < row.memory || k < i)));
    return variants({...rows[0], rows});
};
