// A hang: who waits for whom in each tile, or in the whole kernel, and the facts about it
// (hang.json).

// What a member of the chain does.
const doing = ({name, text, object, to}) =>
    text ? `${name} ${text}.` : `${name} waits on ${object} for ${to}.`;

// The chain in a sentence or two: what its first member does, and how it ends.
function chainAnswer({nodes, path, kind}) {
    const named = name => doing(nodes.find(node => node.name === name));
    if (path.length === 0)
        return "Nothing can go on, and nobody is left who could change it.";
    if (path.length === 1)
        return named(path[0]);
    return `${named(path[0])} ` + (kind === "cycle"
        ? `All ${path.length} wait for each other, in a cycle.`
        : `At the end of the chain ${named(path.at(-1))}`);
}

// The kernel's graph, for models that are not tiles: the edges that explain it, in their order, are
// the chain.
function kernelGraph({kind, edges, nodes}) {
    const all = new Map();
    for (const {from, to, object, reason} of edges)
        if (!all.has(from))
            all.set(from, {name: from, state: "waits", object, reason, to, text: ""});
    for (const {name, state} of nodes)
        if (!all.has(name))
            all.set(name, {name, state, text: ""});
    return {nodes: [...all.values()], path: edges.filter(e => e.explains).map(e => e.from), kind};
}

const kernelSections = hang => [
    {component: "graph", title: "Who waits for whom", ...kernelGraph(hang)},
    {component: "table", title: "Every wait", text: true, swatch: 1,
        heads: ["who", "why", "on what", "whom it needs"],
        rows: hang.edges.map(e => [e.from, e.reason, e.object, e.to])},
];

const tileSections = ({tile, same, nodes, path, kind, facts}) => [
    {component: "graph", nodes, path, kind,
        title: `Tile ${tile}${same ? `, and alike:${same}` : ""}: who waits for whom`},
    {component: "table", heads: ["who", "what", "where", "its object"], text: true, class: "words",
        rows: nodes.map(n => [n.name, n.text, n.place, n.last])},
    ...facts?.length ? [{component: "text", text: facts.join("\n") + "\n", pre: true}] : [],
];

// The chain of the root cause, where it goes over several tiles.
function causeSections({path = [], verdict}) {
    const tile = name => name.split(" of ")[1]; // of a single tile: not named
    if (path.every(name => tile(name) === tile(path[0])))
        return [];
    const nodes = path.map((name, i) =>
        ({name, state: "waits", object: "", text: "", to: path[(i + 1) % path.length]}));
    return [{component: "graph", title: "Over the tiles: who waits for whom", nodes, path,
        kind: verdict === "cycle" ? "cycle" : "chain"}];
}

const hangSections = hang => [...causeSections(hang.cause ?? {}),
    ...hang.tiles?.length ? hang.tiles.flatMap(tileSections) : kernelSections(hang)];

views.hang = hang => ({
    title: `tensim: ${hang.kind === "livelock" ? "livelock" : "hang"} since cycle ${hang.since}`,
    answer: hang.cause?.text || chainAnswer(hang.tiles?.[0] ?? kernelGraph(hang)),
    sections: hangSections(hang),
});
