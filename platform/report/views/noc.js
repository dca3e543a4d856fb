// A NoC workload: its figures, the chip over time, networks and DRAM channels as tables.

// The row with the largest value of a key; undefined: none is above 0.
const largest = (rows, key) =>
    rows.reduce((best, row) => row[key] > (best?.[key] ?? 0) ? row : best, undefined);

// A table with the keys of its rows as heads.
function rowsTable(title, rows) {
    const [first = {}] = rows;
    return {component: "table", title, rows: rows.map(Object.values),
        heads: Object.keys(first).map(key => key.replaceAll("_", " ")),
        text: Object.values(first).flatMap((value, i) => typeof value === "string" ? [i] : [])};
}

function nocAnswer({cycles, bytes, transfers, nocs, dram}, rate) {
    const link = largest(nocs, "busiest_utilisation"), channel = largest(dram, "utilisation");
    return `${transfers} transfers, ${bytes} bytes in ${cycles} cycles: ${rate} bytes a cycle.` +
        (link ? ` The busiest link, ${link.busiest_link} of NoC ${link.noc}, is busy in ` +
            `${percent(link.busiest_utilisation)} of them${channel ? "," : "."}` : "") +
        (channel ? ` the busiest DRAM channel, ${channel.channel}, in ` +
            `${percent(channel.utilisation)}.` : "");
}

views.noc = (noc, drawing) => {
    const {cycles, bytes, nocs, dram} = noc, rate = value => value / Math.max(cycles, 1);
    const moved = total(dram.map(row => row.bytes_read + row.bytes_written));
    const cards = [[cycles, "cycles"], [rate(bytes), "bytes a cycle"]];
    if (noc.golden_cycles !== undefined)
        cards.push([100 * noc.error, `% off the golden ${noc.golden_cycles} cycles`]);
    nocs.forEach((row, i) => row.packets_sent > 0 && cards.push([100 * row.link_utilisation,
        `% of the time: mean of the links of NoC ${i} (most: ` +
        `${(100 * row.busiest_utilisation).toFixed(1)})`]));
    if (moved > 0)
        cards.push([rate(moved), "bytes a cycle of DRAM"]);
    return {
        title: `NoC workload ${drawing.workload.split("/").at(-1)} on ${drawing.device}`,
        answer: nocAnswer(noc, rate(bytes).toFixed(1)),
        sections: [{component: "cards", cards}, ...chipSections(drawing.chip),
            rowsTable("Networks", nocs), rowsTable("DRAM channels", dram)],
    };
};
