// A run of a kernel or a program file: the figures, then where the cycles went, the chip, the first tile over time, its
// parts, and the set-up. drawing: what drawing.c wrote. Other files of this folder have the sections (run_*.js, chip.js).

// As requested: of a grid, the complete matrix.
function runTitle(run, {program, tiles}) {
    if (program !== undefined)
        return `tensim ${program} on ${count(tiles, "core")}`;
    const inner = run.kernel.startsWith("matmul") ? `x${run.k}` : "";
    return `tensim ${run.kernel}${run.op ? ` ${run.op}` : ""} ${run.m}x${run.n}${inner} ${run.format} ${run.fidelity}` +
        (run.grid ? ` over ${run.grid} tiles, ${run.tile_m}x${run.tile_n}${inner} each` : "");
}

// What utilisation is a share of.
const runPeak = run => run.vector?.flops ? "of an SFPMAD in every cycle" : "of the peak at this fidelity";

const runAnswer = (run, {tiles}) =>
    (run.grid && run.utilisation > 0 ? `${run.grid_tflops.toFixed(2)} TFLOP/s of ${tiles} tiles, ` : "") +
    `${run.cycles} cycles, ${(1e6 * run.seconds).toFixed(2)} \u00b5s at ${run.clock_mhz} MHz` +
    (run.utilisation > 0 ? `, ${(100 * run.utilisation).toFixed(1)} % ${runPeak(run)}` : "") +
    `. Bound by ${run.bound_object}: ${run.evidence}.`;

// ---- the figures at the top

// The matrix units of all tiles, DRAM, the busiest links.
function totalCards({matrix, dram, links = []}) {
    const cards = [], busy = matrix.map(share => 100 * share), [least, most] = [Math.min(...busy), Math.max(...busy)];
    if (most > 0)
        cards.push([total(busy) / busy.length,
            `% busy: matrix units of ${busy.length} tiles (${least.toFixed(1)} to ${most.toFixed(1)})`]);
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
        return [[error.rel_l2, `rel_l2${tiles}, ${error.judged}`],
            [error.end_to_end_rel_l2, `rel_l2 end to end${tiles}: data before it was ${run.format}`]];
    if (program === undefined || run.pcc === undefined)
        return [];
    const wrong = Object.values(run.tensors).some(tensor => !tensor.right);
    return [[run.pcc, `PCC: ${wrong ? "not " : ""}as expected`],
        [run.end_to_end_rel_l2, "rel_l2 end to end, with the original data"]];
}

function runCards(run, drawing) {
    const {tiles, program, totals} = drawing, grid = run.grid, share = [100 * run.utilisation, `% ${runPeak(run)}`];
    const unit = run.cycles_per_product === undefined ? "tile" : "product", cards = [];
    if (grid && run.utilisation > 0) // the chip's figures come first
        cards.push([run.grid_tflops, `TFLOP/s of ${tiles} tiles`], [share[0], "% of the peak at this fidelity"]);
    cards.push([run.cycles, grid ? "cycles, mean of the tiles" : "cycles"],
        [1e6 * run.seconds, `\u00b5s at ${run.clock_mhz} MHz`],
        [run.boot_cycles, "cycles of boot and launch before, in no other figure"]);
    if (!grid)
        cards.push([run[`cycles_per_${unit}`], `cycles a ${unit}`]);
    if (run.elements_per_cycle > 0)
        cards.push([run.elements_per_cycle, "elements a cycle"]);
    if (run.vector)
        cards.push([run.vector.operations_per_cycle, `operations a cycle, of the vector unit's ${run.vector.lanes}`]);
    if (run.utilisation > 0 && !grid) { // else FLOPs are meaningless: moves
        cards.push([run.tflops, program === undefined ? "TFLOP/s of a tile" : "TFLOP/s"], share);
        if (run.padding > 0)
            cards.push([100 * run.padding, "% of the products are padding"]);
        if (run.device_utilisation > 0)
            cards.push([100 * run.device_utilisation, "% of the peak at this fidelity while the math kernels run"]);
    }
    return {component: "cards", cards: [...cards, ...totals ? totalCards(totals) : [], ...errorCards(run, drawing)]};
}

// ---- the rest

// From here on the page is about one tile of many.
const firstTile = ({tiles, tile}) => tiles > 1 ? [{component: "text", class: "note",
    title: `Tile ${tile}, the first of ${tiles}`, text: "All that follows is of this tile."}] : [];

const folded = (title, text) => ({component: "fold", title, sections: [{component: "text", text, pre: true}]});

const setUp = (run, {version, tiles, parameters, text}) => [
    folded("The verdict as text", text),
    {component: "text", title: "Set-up", text: `tensim ${version}, clock ${run.clock_mhz} MHz, ${count(tiles, "tile")}`},
    ...parameters ? [folded("Every parameter: value, unit, kind, source", parameters)] : [],
    folded("The result as JSON", JSON.stringify(run, null, 1)),
];

views.run = (run, drawing) => ({
    title: runTitle(run, drawing),
    answer: runAnswer(run, drawing),
    sections: [
        runCards(run, drawing), ...run.hang ? hangSections(run.hang) : [], ...lossSections(run), ...lintsTable(run),
        ...chipSections(drawing.chip), ...firstTile(drawing),
        {component: "plots", sections: [...workLanes(drawing), zoneLanes(drawing), busyBars(run), ...roofline(run, drawing),
            ...semaphoreLevels(drawing)]},
        ...zoneTable(run, drawing), ...waitsTable(run, drawing), stallMatrix(run, drawing), instructionsTable(drawing),
        ...rulesTable(run), ...setUp(run, drawing),
    ],
});
