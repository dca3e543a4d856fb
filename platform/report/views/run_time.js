// The first tile of a run over time: who works when, zones, semaphores, the longest waits
// (drawing_time.c).

// ---- who works when

// How much of a bin: 0 nothing, 1 a little, then in tenths.
const shadeOf = (cycles, bin) => cycles === 0 ? 0 : 1 + Math.floor(10 * cycles / bin);

// Neighbours alike are one part; where it did nothing there is none.
function workParts(cycles, {from, bin}, begin, what, word) {
    const parts = [];
    for (let b = 0; b < cycles.length;) {
        const shade = shadeOf(cycles[b], bin), first = b;
        let sum = 0;
        while (b < cycles.length && shadeOf(cycles[b], bin) === shade)
            sum += cycles[b++];
        const share = 100 * sum / ((b - first) * bin);
        if (shade > 0)
            parts.push([Math.max(from + first * bin, begin), from + b * bin, what,
                shade > 10 ? 1 : .1 * (shade - 1), `${word} for ${share.toFixed(0)} %`]);
    }
    return parts;
}

// A bin shows work or polls: what there is more of.
function workLane({name, busy, polls}, time, begin) {
    const bins = Array.from({length: Math.max(busy.length, polls.length)},
        (_, b) => ({work: busy[b] ?? 0, polled: polls[b] ?? 0}));
    const polling = bins.map(({work, polled}) => polled > work ? polled : 0);
    const working = bins.map(({work, polled}) => work >= polled ? work : 0);
    return {name, parts: [...workParts(polling, time, begin, "rv_poll", "polls"),
        ...workParts(working, time, begin, "busy", "busy")]};
}

const workLanes = ({time, begin}) => time ? [{component: "lanes", from: begin, to: time.end,
    title: "Who works when, without boot (full colour: all the time)",
    rows: time.lanes.map(lane => workLane(lane, time, begin))
        .filter(row => row.parts.length)}] : [];

// ---- zones

// The zones of the three threads of a kernel, or of the first core of a program.
function zoneLanes({program, zones, zones_left_out: left, begin, end}) {
    const shown = total(zones.map(row => row.parts.length));
    const title = program === undefined ? "Zones of the three threads, without boot"
        : !left ? "Zones of the first core, without boot"
        : `The first ${shown} zones of the first core, without boot; ${left} more are not shown`;
    const lane = ({name, parts}) => ({name,
        parts: parts.map(([from, to, zone, depth]) => [from, to, zone, depth === 0 ? .2 : 1])});
    return {component: "lanes", title, from: begin, to: end, rows: zones.map(lane)};
}

// Of a program: in the order of its processors.
const zoneTable = (run, {program, zones}) => program === undefined ? [] : [{component: "table",
    title: "Zones of all cores, in cycles", text: [0, 1],
    heads: ["zone", "on", "times", "mean", "least", "most"],
    rows: zones.flatMap(({name}) => run.zones.filter(zone => zone.on === name))
        .map(zone => [zone.name, zone.on, zone.times, zone.mean, zone.least, zone.most])}];

// ---- semaphores

// As the guest's kernels use them.
const semaphoreUses = {1: " MATH_PACK", 2: " UNPACK_TO_DEST", 5: " UNPACK_SYNC", 7: " MATH_DONE"};

const semaphoreLevels = ({time}) => time?.semaphores.length ? [{component: "levels",
    title: "Semaphores: lowest and highest value", from: time.from, to: time.end, bin: time.bin,
    rows: time.semaphores.map(({number, changes, low, high}) =>
        ({name: `${number}${semaphoreUses[number] ?? ""}, ${changes} changes`, low, high}))}] : [];

// ---- waits

function waitsTable({where_cycles: window}, {time}) {
    if (!time)
        return [];
    const {waits, waits_left_out: left} = time;
    const share = cycles => Math.min(100, 100 * cycles / (window || 1));
    return [{component: "table", text: [0, 1, 2], swatch: 1,
        title: "Who waits, why, and on what, in the kernel" +
            (left ? ` (the longest; ${left} shorter ones are left out)` : ""),
        heads: ["who", "why", "on what", "cycles", "% of the kernel", "times", "mean"],
        rows: waits.map(({who, why, on, cycles, times}) =>
            [who, why, on, cycles, share(cycles), times, cycles / times])}];
}
