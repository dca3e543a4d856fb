// Where a run's cycles went, from the peak down to what was reached, and what would make it faster.

// Bars of the waterfall; smaller losses are one bar, and rows of the table.
const lossesShown = 10;

// What a reader calls the limiting unit.
const lossUnits = {matrix: "the cycles of the matrix unit", vector: "the cycles of the vector unit",
    unpack0: "the cycles of unpacker 0", pack: "the cycles of the packer",
    noc_ports: "the cycles of the NoC ports"};

function lossWaterfall({loss, reached, loss_unit: unit}) {
    // Repeated products: not the peak at the run's fidelity.
    const peak = loss.some(row => row.cause === "fidelity") ? "the LoFi peak" : "every cycle";
    const shown = loss.slice(0, loss.length > lossesShown + 1 ? lossesShown : loss.length);
    const steps = shown.map(({cause, object, percent: share, color: own, text}) =>
        [`${cause}: ${object}`, share, own, text]);
    const rest = 100 - reached - total(shown.map(row => row.percent));
    if (shown.length < loss.length)
        steps.push(["all others", rest, "#bfbfbf", "smaller losses: see the table"]);
    return {component: "waterfall", steps, reached, peak,
        title: `From ${peak} to ${reached.toFixed(1)} %: where ${lossUnits[unit] ?? unit} went`};
}

const lossTable = ({loss}) => ({component: "fold", title: "Every loss", sections: [
    {component: "table", heads: ["cause", "object", "%", "cycles", "what happens"], text: [0, 1, 4],
        rows: loss.map(row => [row.cause, row.object, row.percent, row.cycles, row.text])}]});

// What --why found.
const whySections = ({why, advice = []}) => [
    {component: "table", title: "What if a resource were free", text: [0, 3, 4],
        heads: ["resource", "gain, %", "cycles", "repeat with", "the largest loss then"],
        rows: why.map(row => [row.text, row.gain_percent, row.cycles, row.option, row.next])},
    ...tableIfAny({component: "table", title: "Advice, each with the gain that a run shows",
        heads: ["what", "gain, %", "", "cycles", "option"], text: [0, 2, 4],
        rows: advice.map(({text, gain_percent: gain, at_most: most, cycles, option}) =>
            [text, gain, most ? "at most" : "", cycles, option])}),
];

const lossSections = run =>
    run.loss ? [lossWaterfall(run), lossTable(run), ...run.why ? whySections(run) : []] : [];
