// A program on several chips: their map over time, chips and links as tables.
// run.chips, run.links, run.system_bound: as result.json has them. drawing.chip.links: busy cycles
// of every link in each period.

// The share of a period in which the busiest link that leaves a chip works.
function chipFrames(run, {bin, links}) {
    const length = Math.max(0, ...Object.values(links).map(row => row.length));
    const most = (chip, of) => highest(run.links.filter(({from}) => from.startsWith(`${chip}/`))
        .map(of));
    return Array.from({length}, (_, i) => run.chips.map(({chip}) =>
        100 * most(chip, ({from}) => (links[from]?.[i] ?? 0) / bin)));
}

function systemMap(run, chip) {
    const whole = of => run.chips.map(row => 100 * highest(run.links
        .filter(({from}) => from.startsWith(`${row.chip}/`)).map(of)));
    const frames = chip?.links ? chipFrames(run, chip) : [];
    return {component: "heat", numbers: true, title: "The chips: the busiest link that leaves each",
        columns: run.system_columns, names: run.chips.map(row => `chip ${row.chip}`),
        sheets: [{name: "Links", unit: "% busy", high: 100,
            frames: [whole(({busy}) => busy), ...frames]},
        {name: "Routers", unit: "% at work", high: 100,
            frames: [whole(link => link.router_busy), ...frames.map(() =>
                whole(link => link.router_busy))]}],
        times: ["the whole run", ...frames.map((_, i) => `from cycle ${i * chip.bin}`)],
        note: "In the order of the system's grid. The slider goes through the run. Of routers " +
            "(cores of Ethernet tiles) only the whole run is known."};
}

function systemSections(run, chip) {
    if (!run.links)
        return [];
    const percents = value => (100 * value).toFixed(1);
    return [
        {component: "text", title: `${run.chips.length} chips`, text: `${run.system_bound.text}.`},
        systemMap(run, chip),
        {component: "table", title: "Chips", text: [2, 3],
            heads: ["chip", "cycles", "bound by", "result"],
            rows: run.chips.map(row => [row.chip, row.cycles, row.bound_object,
                row.right ? "right" : "wrong"])},
        {component: "table", title: "Links, the busiest first", text: [0, 1, 7],
            heads: ["from", "to", "bytes", "frames", "% busy", "% nothing to send", "% down",
                "router", "% it works"],
            rows: run.links.map(link => [link.from, link.to, link.bytes, link.frames,
                percents(link.busy), percents(link.idle), percents(link.down), link.router,
                percents(link.router_busy)])},
    ];
}
