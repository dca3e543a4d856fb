// The truth table: measured against simulated, what the figures prove, then each family, folded:
// errors and rows.

const ran = row => row.simulated !== null;
const signed = text => `${text}`.startsWith("-") ? text : `+${text}`;

// ---- plots

function cloud({families, rows}) {
    const shown = rows.filter(row => row.simulated > 0);
    const ends = shown.flatMap(row => [row.measured, row.simulated]);
    const low = Math.min(...ends), high = Math.max(...ends);
    const dot = ({measured, simulated, error, id, workload, metric}) => [measured, simulated,
        `${signed(percent(error))}, ${id}: ${workload}, ${metric}`];
    const series = families.map(({name}) =>
        ({name, points: shown.filter(row => row.family === name).map(dot)}));
    // A correct model has every dot on this line.
    const equal = {name: "equal", line: true, bare: true, color: "--dim",
        points: [[low, low], [high, high]]};
    return {component: "plot", title: "Simulated against measured", height: 460,
        x: {name: "measured on a card", log: true}, y: {name: "simulated", log: true},
        series: [...series.filter(({points}) => points.length), equal]};
}

// Percent.
const errorEdges = [-25, -15, -10, -5, -3, -1, 1, 3, 5, 10, 15, 25];

function errorColumns(title, rows) {
    const errors = rows.filter(ran).map(row => 100 * row.error), last = errorEdges.at(-1);
    const bins = [-Infinity, ...errorEdges].map((low, i) => [low, errorEdges[i] ?? Infinity]);
    return {component: "columns", title: `${title}: ${count(errors.length, "figure")} by error`,
        x: "simulated against measured, %", y: "figures",
        names: bins.map(([low, high]) => low === -Infinity ? `< ${high}`
            : low === last ? `> +${low}` : `${signed(low)}..${signed(high)}`),
        values: bins.map(([low, high]) =>
            errors.filter(error => error > low && error <= high).length)};
}

// ---- tables

const familyRow = ({title, rows, bias, twins, without_twins: alone, ...errors}) =>
    [title, rows, 100 * errors.median_abs_error, 100 * errors.p90_abs_error,
        100 * errors.worst_abs_error, 100 * bias, twins, alone.figures,
        100 * alone.median_abs_error, 100 * alone.p90_abs_error];

const familiesTable = ({families, summary}) => ({component: "table", text: [0],
    heads: ["family", "rows", "median %", "p90 %", "worst %", "bias %", "twins",
        "figures without twins", "median % without", "p90 % without"],
    rows: [...families, {...summary, title: "all"}].map(familyRow)});

const wordsTable = (heads, text, rows, more) =>
    ({component: "table", heads, text, rows, class: "words", ...more});

// ---- what the figures prove

// How many are independent of each other, and of the parameters.
function proofText({summary: {without_twins: alone}, independent, limits}) {
    const within = `within ${percent(limits.twin, 0)}`;
    const median = part => percent(part.median_abs_error, 2);
    const p90 = part => percent(part.p90_abs_error);
    return "Many rows repeat each other: the same program with another repeat count, position or " +
        "core. A figure is a twin if rows before it in the table predict it: rows of the same " +
        `program, one with the same measured value ${within}, or two whose straight line it lies ` +
        `on ${within}. The ${alone.figures} figures without a twin have a median error of ` +
        `${median(alone)}, 90 % of them are within ${p90(alone)}. Of these, ` +
        `${independent.figures} were not used to set any parameter: median ` +
        `${median(independent)}, 90 % within ${p90(independent)}.`;
}

const parametersFold = parameters => ({component: "fold",
    title: `Parameters that were set on rows: ${parameters.length}`, sections: [
        {component: "text", text: "Nobody published these numbers; they follow from the rows " +
            "named here. Agreement on those rows proves nothing. On all others the parameter is " +
            "put to the test. `tensim config` has the full source of every number."},
        wordsTable(["parameter", "value", "unit", "kind", "set on rows", "what it is"],
            [0, 2, 3, 4, 5],
            parameters.map(p => [p.key, p.value, p.unit, p.kind, p.rows, p.text]))]});

const harnessFold = harness => ({component: "fold",
    title: `Constants of the measurements' own programs: ${harness.length}`, sections: [
        {component: "text", text: "A measurement includes the loop, the poll and the clock reads " +
            "of the program that made it. Most probes run as programs on modelled cores, so that " +
            "these cycles come out of the model. Where a script stands in for a program, they " +
            "are constants:"},
        wordsTable(["family", "constant", "value", "unit", "why it is one"], [0, 1, 3, 4],
            harness.map(h => [h.family, h.name, h.value, h.unit, h.reason]))]});

// ---- rows

// What a row proves: "twin of S0002", "sets noc.atomic", or nothing to say.
const proofOf = ({sets, twin_of: twin}) =>
    [sets && `sets ${sets}`, twin && `twin of ${twin}`].filter(Boolean).join(", ");

// One family, folded: a table of a thousand rows is 55,000 pixels tall.
function familyFold({name, title, ...family}, all, limit) {
    const rows = all.filter(row => row.family === name);
    const off = row => !ran(row) || Math.abs(row.error) > limit;
    const words = row => `${row.workload}, ${row.metric}` +
        (off(row) ? `. Off: ${row.reason ?? "no cause known"}` : "");
    const table = wordsTable(
        ["row", "measured", "simulated", "error %", "twin, sets", "workload, metric, cause"],
        [0, 4, 5], rows.map(row => [row.id, row.measured, row.simulated,
            ran(row) ? 100 * row.error : null, proofOf(row), words(row)]),
        {marked: rows.flatMap((row, i) => off(row) ? [i] : [])});
    const median = percent(family.median_abs_error, 2), worst = percent(family.worst_abs_error);
    return {component: "fold", sections: [errorColumns(title, rows), table],
        title: `${title}: ${count(family.rows, "row")}, median ${median}, worst ${worst}`};
}

const leftFold = (left, published) => ({component: "fold",
    title: `Not re-created: ${left.length} of ${published}`, sections: [wordsTable(
        ["row", "described", "why not", "source"], true,
        left.map(row => [row.id, row.described, row.reason, row.source]))]});

function siliconAnswer({summary, whole, measurements}) {
    const {rows, median_abs_error: median, p90_abs_error: p90, worst_abs_error: worst} = summary;
    return `${rows} published measurements of real Blackhole cards, re-created with one set of ` +
        `parameters: median error ${percent(median, 2)}, 90 % of them within ` +
        `${percent(p90)}, the worst ${percent(worst)} off.` +
        (whole ? "" : ` This is a part: ${rows} of the ${measurements.recreated} rows; bars are ` +
            "judged only over all of them.");
}

views.silicon = silicon => {
    const {families, rows, left, limits, measurements, parameters, harness} = silicon;
    return {title: "tensim against silicon", answer: siliconAnswer(silicon), sections: [
        familiesTable(silicon),
        {component: "plots", sections: [cloud(silicon), errorColumns("All families", rows)]},
        {component: "text", text: "Error is simulated against measured; a row of several figures " +
            "counts by the one farthest off."},
        {component: "text", title: "What the figures prove", text: proofText(silicon)},
        parametersFold(parameters),
        harnessFold(harness),
        {component: "search", title: "Every row, by family", label: "show rows with",
            hint: "S0220, MVMUL, noc ...",
            only: `only those off by more than ${percent(limits.off, 0)}`},
        ...families.map(family => familyFold(family, rows, limits.off)),
        ...left.length ? [leftFold(left, measurements.published)] : [],
    ]};
};
