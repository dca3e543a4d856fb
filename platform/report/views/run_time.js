// A tile of a run over time: who works when, zones, semaphores, the longest waits
// (drawing_time.c). window: [from, to) in cycles, without boot.

// Two digits for each bin: its share in 4095ths.
const shareDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const binShares = (text = "") => Array.from({length: text.length / 2}, (_, b) =>
    (64 * shareDigits.indexOf(text[2 * b]) + shareDigits.indexOf(text[2 * b + 1])) / 4095);

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
    const [works, waits] = [busy, polls].map(text =>
        binShares(text).map(share => Math.round(share * time.bin)));
    const bins = Array.from({length: Math.max(works.length, waits.length)},
        (_, b) => ({work: works[b] ?? 0, polled: waits[b] ?? 0}));
    const polling = bins.map(({work, polled}) => polled > work ? polled : 0);
    const working = bins.map(({work, polled}) => work >= polled ? work : 0);
    return {name, parts: [...workParts(polling, time, begin, "rv_poll", "polls"),
        ...workParts(working, time, begin, "busy", "busy")]};
}

const workLanes = ({lanes}, {time, begin}, [from, to]) => time ? [{component: "lanes", from, to,
    title: "Who works when, without boot (full colour: all the time)",
    rows: lanes.map(lane => workLane(lane, time, begin))
        .filter(row => row.parts.length)}] : [];

// ---- zones

// The zones of the three threads of a kernel, or of a core of a program.
function zoneLanes({zones, zones_left_out: left}, {program}, [from, to]) {
    const shown = total(zones.map(row => row.parts.length));
    const title = program === undefined ? "Zones of the three threads, without boot"
        : !left ? "Zones of the core, without boot"
        : `The first ${shown} zones of the core, without boot; ${left} more are not shown`;
    const lane = ({name, parts}) => ({name,
        parts: parts.map(([from, to, zone, depth]) => [from, to, zone, depth === 0 ? .2 : 1])});
    return {component: "lanes", title, from, to, rows: zones.map(lane)};
}

// Of a program: in the order of its processors.
const zoneTable = (run, {program, each: [{zones}]}) => program === undefined ? [] : [{
    component: "table", title: "Zones of all cores, in cycles", text: [0, 1],
    heads: ["zone", "on", "times", "mean", "least", "most"],
    rows: zones.flatMap(({name}) => run.zones.filter(zone => zone.on === name))
        .map(zone => [zone.name, zone.on, zone.times, zone.mean, zone.least, zone.most])}];

// ---- semaphores

// As the guest's kernels use them.
const semaphoreUses = {1: " MATH_PACK", 2: " UNPACK_TO_DEST", 5: " UNPACK_SYNC", 7: " MATH_DONE"};

const semaphoreLevels = ({semaphores = []}, {time}, [low, high]) => semaphores.length ? [{
    component: "levels", title: "Semaphores: lowest and highest value", from: time.from,
    bin: time.bin, low, high, rows: semaphores.map(row => ({low: row.low, high: row.high,
        name: `${row.number}${semaphoreUses[row.number] ?? ""}, ${row.changes} changes`}))}] : [];

// ---- waits

function waitsTable({where_cycles: window}, {waits, waits_left_out: left}) {
    if (!waits)
        return [];
    const share = cycles => Math.min(100, 100 * cycles / (window || 1));
    return [{component: "table", text: [0, 1, 2], swatch: 1,
        title: "Who waits, why, and on what, in the kernel" +
            (left ? ` (the longest; ${left} shorter ones are left out)` : ""),
        heads: ["who", "why", "on what", "cycles", "% of the kernel", "times", "mean"],
        rows: waits.map(([who, why, on, cycles, times]) =>
            [who, why, on, cycles, share(cycles), times, cycles / times])}];
}

// The same in a part of the time; how often is known of the kernel only.
const waitsIn = ({waits = []}, inWindow, cycles) => tableIfAny({component: "table",
    text: [0, 1, 2], swatch: 1, title: "Who waits, why, and on what, in the chosen cycles",
    heads: ["who", "why", "on what", "cycles", "% of them"],
    rows: waits.map(([who, why, on, , , series]) => [who, why, on, inWindow(series ?? "")])
        .filter(row => row[3] > 0).sort((a, b) => b[3] - a[3])
        .map(row => [...row, Math.min(100, 100 * row[3] / cycles)])});
