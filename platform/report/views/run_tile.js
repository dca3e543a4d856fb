// Any tile of a run, in any part of its time: the reader chooses both (choice.js).

const rankNames = ["slowest", "median", "fastest"];

// Which tiles are the slowest and the fastest, and why.
function rankingText({ranking}) {
    if (!ranking)
        return [];
    const {slowest, median, fastest, cause, work} = ranking;
    return [{component: "text", title: "The tiles against each other", text:
        `Slowest: ${slowest.tile}, ${slowest.behind_percent.toFixed(1)} % behind the median ` +
        `(${median.tile}, ${figure(median.cycles)} cycles)${cause ? `: ${cause}` : ""}. ` +
        `Fastest: ${fastest.tile}, ${Math.abs(fastest.behind_percent).toFixed(1)} % ahead.` +
        (work ? ` Imbalance: ${work}.` : "")}];
}

// Losses in a part of the time: {loss, reached} as the tile has them of its kernel.
function lossIn({loss_time: {rows, reached}}, run, inWindow, cycles) {
    const share = text => 100 * inWindow(text) / cycles;
    const said = (cause, object) => run.loss.find(row => row.cause === cause &&
        row.object === object) ?? {text: `${cause}: ${object}`, color: "#bfbfbf"};
    const loss = rows.map(([cause, object, series]) => {
        const {text, color: own} = said(cause, object);
        return [cause, object, share(series), text, own];
    }).filter(row => row[2] > .05).sort((a, b) => b[2] - a[2]);
    const left = Math.max(100 - total(loss.map(row => row[2])), 0);
    return {loss, reached: reached === undefined ? left : Math.min(share(reached), left)};
}

// The losses of the tile alone, where there are several tiles or the window is a part.
function tileLoss({loss, reached}, unit, when) {
    const steps = loss.slice(0, lossesShown).map(([cause, object, share, text, own]) =>
        [`${cause}: ${object}`, share, own, text]);
    const rest = 100 - reached - total(steps.map(step => step[1]));
    if (rest > .05)
        steps.push(["all others", rest, "#bfbfbf", "smaller losses"]);
    return [{component: "waterfall", steps, reached,
        title: `From every cycle to ${reached.toFixed(1)} %: ${lossUnits[unit] ?? unit}${when}`}];
}

// Tiles in flight: how many of unpack, math and pack work at the same time, on average.
function inFlight(parts, cycles) {
    const share = name => (parts.find(part => part.name === name)?.busy ?? 0) / cycles;
    const stages = [["unpack", Math.max(share("unpack0"), share("unpack1"))],
        ["math", Math.max(share("matrix"), share("vector"))], ["pack", share("pack")]];
    const sum = total(stages.map(([, value]) => value));
    return sum > 0 ? [{component: "text", class: "note", text: "Tiles in flight: on average " +
        `${sum.toFixed(2)} of three stages work at the same time (` +
        stages.map(([name, value]) => `${name} ${(100 * value).toFixed(1)} %`).join(", ") +
        " of the cycles); one after the other it would be 1 at most."}] : [];
}

function tileOf(run, drawing, chosen) {
    const tile = drawing.each[chosen.tile], {time, begin, end} = drawing;
    const whole = !time || (chosen.from === 0 && chosen.to === time.count);
    const at = bin => Math.min(time.from + bin * time.bin, time.end);
    const window = whole ? [begin, time?.end ?? end] : [at(chosen.from), at(chosen.to)];
    const parts = partsIn(tile, drawing, chosen);
    const cycles = whole ? run.where_cycles : (chosen.to - chosen.from) * time.bin;
    const text = drawing.each.length > 1
        ? `Tile ${tile.tile}: ${figure(tile.cycles)} cycles up to the end of its last kernel`
        : "The tile";
    const note = whole ? "All that follows is of this tile." :
        `All that follows is of this tile in the cycles ${window.join(" to ")}. Bars of cores ` +
        "count stalls of their pipeline as busy.";
    const inWindow = text => Math.round(time.bin * total(binShares(text).slice(chosen.from,
        chosen.to)));
    const losses = whole ? drawing.each.length > 1 && tile.loss && tile
        : tile.loss_time && lossIn(tile, run, inWindow, cycles);
    return [{component: "text", title: text, class: "note", text: note},
        ...inFlight(parts, cycles),
        {component: "plots", sections: [...workLanes(tile, drawing, window),
            busyBars(parts, cycles), zoneLanes(tile, drawing, window),
            ...losses ? tileLoss(losses, run.loss_unit, whole ? "" : ", in the chosen cycles") : [],
            ...semaphoreLevels(tile, drawing, window)]},
        ...whole ? waitsTable(run, tile) : waitsIn(tile, inWindow, cycles),
        stallMatrix(parts, cycles, whole ? ", the kernel's" : ", the chosen ones"),
        whole ? instructionsTable(tile) : instructionsIn(tile, inWindow)];
}

function anyTile(run, drawing) {
    const {each, time = {from: 0, bin: 1, count: 0, end: 0}} = drawing;
    const ranked = rankNames.filter(name => run.ranking?.[name])
        .map(name => [name, each.findIndex(({tile}) => tile === run.ranking[name].tile)]);
    const textOf = index => ranked.filter(([, at]) => at === index).map(([name]) => ` (${name})`);
    return [{component: "chooser", ...time, marked: ranked,
        tiles: each.map(({tile}, i) => ({name: tile, text: tile + textOf(i).join("")}))},
    {component: "chosen", sections: chosen => tileOf(run, drawing, chosen)}];
}
