// The run of a host as a whole (libttsim.so with --why and -o): which launch has the time, what
// bounds it, what lies between.

const launchRow = ({launch, tiles, go, gap, cycles, bound, cause}) => [`launch ${launch}`, tiles,
    go, gap, cycles, bound, cause];

views.host = ({cycles, launches}) => {
    const inside = total(launches.map(launch => launch.cycles));
    const gaps = total(launches.map(launch => launch.gap));
    const most = launches.reduce((a, b) => b.cycles > a.cycles ? b : a);
    return {
        title: "tensim: the run of a host",
        answer: `${launches.length} launch${launches.length > 1 ? "es" : ""} in ` +
            `${figure(cycles)} cycles: ${percent(inside / cycles)} in launches, the rest while ` +
            "the host writes, reads and polls. " +
            `Launch ${most.launch} has the most, ${figure(most.cycles)} cycles` +
            `${most.bound ? `, bound by ${most.bound}` : ""}.`,
        sections: [
            {component: "cards", cards: [[cycles, "cycles of the card"], [inside, "in launches"],
                [gaps, "between launches"]]},
            {component: "table", title: "Launches", text: [0, 5, 6],
                heads: ["launch", "tiles", "begins", "host before it", "cycles", "bound by",
                    "largest loss"],
                hints: [, , "the cycle of its go message", "cycles from the end of the launch " +
                    "before it: what the host writes, reads and waits for", "from go to the end"],
                links: launches.map(({page}) => page),
                rows: launches.map(launchRow)},
            {component: "bars", title: "Launches and the host between them", unit: "cycles",
                rows: launches.map(({launch, gap, cycles: own}) => ({name: `launch ${launch}`,
                    parts: [["host before it", gap], ["launch", own]]}))},
        ]};
};
