// A run of a kernel or a program file: its figures, where the cycles went, the chip, any tile over
// time, its parts, the set-up. drawing: what drawing.c wrote. run_*.js and chip.js have the
// sections.

// As requested: of a grid, the complete matrix.
function runTitle(run, {program, tiles}) {
    if (run.chips)
        return `tensim ${program} on ${run.chips.length} chips (${run.chip}), ` +
            `${count(tiles, "core")} each`;
    if (program !== undefined)
        return `tensim ${program} on ${count(tiles, "core")} of a ${run.chip}`;
    const {kernel, op, m, n, format, fidelity, grid, tile_m, tile_n} = run;
    const inner = kernel.startsWith("matmul") ? `x${run.k}` : "";
    return `tensim ${kernel}${op ? ` ${op}` : ""} ${m}x${n}${inner} ${format} ${fidelity}` +
        (grid ? ` over ${grid} tiles of a ${run.chip}, ${tile_m}x${tile_n}${inner} each` : "");
}

// What utilisation is a share of.
const runPeak = run =>
    run.vector?.flops ? "of an SFPMAD in every cycle" : "of the peak at this fidelity";

function runAnswer(run, {tiles}) {
    const computes = run.utilisation > 0, time = (1e6 * run.seconds).toFixed(2);
    const chip = `${run.grid_tflops?.toFixed(2)} TFLOP/s of ${tiles} tiles, `;
    return (run.grid && computes ? chip : "") +
        `${run.cycles} cycles, ${time} \u00b5s at ${run.clock_mhz} MHz` +
        (computes ? `, ${percent(run.utilisation)} ${runPeak(run)}` : "") +
        `. Bound by ${run.bound_object}: ${run.evidence}.`;
}

// ---- the figures at the top

// The matrix units of all tiles, DRAM, the busiest links.
function totalCards({matrix, dram, links = []}) {
    const cards = [], busy = matrix.map(share => 100 * share);
    const [least, most] = [Math.min(...busy), Math.max(...busy)].map(value => value.toFixed(1));
    if (highest(busy) > 0)
        cards.push([total(busy) / busy.length,
            `% busy: matrix units of ${busy.length} tiles (${least} to ${most})`]);
    if (dram?.rate > 0)
        cards.push([dram.rate, `GB/s of DRAM, of ${dram.peak.toFixed(0)}`],
            [100 * dram.busy, `% busy: DRAM channel ${dram.channel}, the busiest`]);
    links.forEach((link, noc) => link.busy > 0 &&
        cards.push([100 * link.busy, `% busy: the busiest link of NoC ${noc} (${link.path})`]));
    return cards;
}

// The errors of the results: of a grid the largest of all tiles.
function errorCards(run, {error, program}) {
    const tiles = run.grid ? ", the worst tile" : "";
    if (error)
        return [[error.rel_l2, `rel_l2${tiles}, ${error.judged}`], [error.end_to_end_rel_l2,
            `rel_l2 end to end${tiles}: data before it was ${run.format}`]];
    if (program === undefined || run.pcc === undefined)
        return [];
    const wrong = Object.values(run.tensors).some(tensor => !tensor.right);
    return [[run.pcc, `PCC: ${wrong ? "not " : ""}as expected`],
        [run.end_to_end_rel_l2, "rel_l2 end to end, with the original data"]];
}

// Of a computation. Moves have none: FLOPs are meaningless.
function speedCards(run, {program}) {
    const cards = [[run.tflops, program === undefined ? "TFLOP/s of a tile" : "TFLOP/s"],
        [100 * run.utilisation, `% ${runPeak(run)}`]];
    if (run.padding > 0)
        cards.push([100 * run.padding, "% of the products are padding"]);
    if (run.device_utilisation > 0)
        cards.push([100 * run.device_utilisation,
            "% of the peak at this fidelity while the math kernels run"]);
    return cards;
}

function runCards(run, drawing) {
    const {tiles, totals} = drawing, {grid, vector} = run, computes = run.utilisation > 0;
    const unit = run.cycles_per_product === undefined ? "tile" : "product", cards = [];
    if (grid && computes) // the chip's figures come first
        cards.push([run.grid_tflops, `TFLOP/s of ${tiles} tiles`],
            [100 * run.utilisation, "% of the peak at this fidelity"]);
    cards.push([run.cycles, grid ? "cycles, mean of the tiles" : "cycles"],
        [1e6 * run.seconds, `\u00b5s at ${run.clock_mhz} MHz`],
        [run.boot_cycles, "cycles of boot and launch before, in no other figure"]);
    if (!grid)
        cards.push([run[`cycles_per_${unit}`], `cycles a ${unit}`]);
    if (run.elements_per_cycle > 0)
        cards.push([run.elements_per_cycle, "elements a cycle"]);
    if (vector)
        cards.push([vector.operations_per_cycle,
            `operations a cycle, of the vector unit's ${vector.lanes}`]);
    if (computes && !grid)
        cards.push(...speedCards(run, drawing));
    if (totals)
        cards.push(...totalCards(totals));
    return {component: "cards", cards: [...cards, ...errorCards(run, drawing)]};
}

// ---- the rest

const folded = (title, text) =>
    ({component: "fold", title, sections: [{component: "text", text, pre: true}]});

const setUp = (run, {version, tiles, parameters, text}) => [
    folded("The verdict as text", text),
    {component: "text", title: "Set-up",
        text: `tensim ${version}, ` +
            `${run.chip ?? "a tile alone"}, clock ${run.clock_mhz} MHz, ${count(tiles, "tile")}`},
    ...parameters ? [folded("Every parameter: value, unit, kind, source", parameters)] : [],
    folded("The result as JSON", JSON.stringify({...run, lines: undefined}, null, 1)),
];

// Of a system its chips and links come first, then one chip.
views.run = (run, drawing) => ({
    title: runTitle(run, drawing),
    answer: run.chips ? systemAnswer(run) : runAnswer(run, drawing),
    sections: [
        ...run.chips ? systemSections(run, drawing.system) : [],
        ...run.chips ? [{component: "text", title: "Chip 0", text: runAnswer(run, drawing)}] : [],
        runCards(run, drawing),
        ...run.hang ? hangSections(run.hang) : [],
        ...trustTable(run),
        ...lossSections(run),
        ...sourceSections(run, drawing),
        ...lintsTable(run),
        ...findingsTable(run),
        ...rankingText(run),
        ...chipSections(drawing.chip, drawing.each.map(({tile}) => tile), run.chips),
        {component: "plots", sections: [...roofBars(run),
            ...roofline([{...run, name: "this run"}])]},
        ...zoneTable(run, drawing),
        ...rulesTable(run),
        ...l1Sections(drawing),
        ...anyTile(run, drawing),
        ...setUp(run, drawing),
    ],
});
