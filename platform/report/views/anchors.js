// Published matmuls over a grid: device utilisation of cards against the model's.

const anchorName = ({mkn, format, fidelity, storage}) =>
    `${mkn} ${format} ${fidelity}, ${storage}`;

const anchorPlot = rows => ({component: "plot", title: "The model against cards",
    x: {name: "device utilisation of a card, %", zero: true},
    y: {name: "of the model, %", zero: true},
    series: [{name: "equal", line: true, bare: true, dashed: true, color: "--dim",
        points: [[0, 0], [100, 100]]},
    ...[...new Set(rows.map(row => row.format))].map(format => ({name: format,
        points: rows.filter(row => row.format === format)
            .map(row => [row.silicon, row.simulated, anchorName(row)])}))]});

const anchorBars = rows => ({component: "bars",
    title: "Points of utilisation above (or below) the card",
    unit: "points", rows: [...rows].sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
        .slice(0, 30).map(row => ({name: anchorName(row), parts: [["points", row.points]]}))});

views.anchors = ({chip, rows, summary}) => ({
    title: `tensim silicon gemm: ${count(rows.length, "matmul")} on a ${chip}`,
    answer: `The largest difference in device utilisation is ${summary.worst_points.toFixed(1)} ` +
        `points; ${summary.above_8} of ${count(rows.length, "row")} are more than 8 points off, ` +
        `${count(summary.disorder, "pair")} of formats come in another order.`,
    sections: [
        {component: "cards", cards: [[summary.worst_points, "points: the largest difference"],
            [summary.above_8, "rows more than 8 points off"],
            [summary.disorder, "pairs of formats in another order"]]},
        {component: "plots", sections: [anchorPlot(rows), anchorBars(rows)]},
        {component: "table", title: "Rows", text: [1, 2, 3, 4],
            heads: ["shape", "MxKxN", "format", "fidelity", "storage", "card, %", "model, %",
                "points", "cycles"],
            rows: rows.map(row => [row.shape, row.mkn, row.format, row.fidelity, row.storage,
                row.silicon, row.simulated, row.points, row.cycles]),
            marked: rows.flatMap((row, i) => Math.abs(row.points) > 8 ? [i] : [])},
    ],
});
