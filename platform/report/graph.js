// Who waits for whom: the chain of a hang from top to bottom, back to its start if it is a cycle;
// others that wait next to it.

// {nodes: [{name, state, object, reason, to, text, place}], path: [names], kind}
components.graph = section => {
    const node = Object.fromEntries(section.nodes.map(n => [n.name, n]));
    const waits = n => n.state === "waits" || n.state === "polls";
    const box = n => make("div", {class: waits(n) ? "node waits" : "node", title: n.text},
        make("b", {}, n.name), make("span", {}, waits(n) ? n.object : n.state),
        n.place && make("small", {}, n.place));
    const arrow = (n, to, back) => make("div", {class: back ? "arrow back" : "arrow"},
        `${back ? "\u21ba" : "\u2193"} ${n.reason || "waits"}, for ${to}`);
    const chain = make("div", {class: "chain"}), others = make("div", {class: "chain"});
    const most = 12, length = section.path.length; // of a long chain its two ends
    section.path.forEach((name, i) => {
        if (length > most && i === most / 2)
            chain.append(make("div", {class: "arrow"}, `... ${length - most} more ...`));
        if (length > most && i >= most / 2 && i < length - most / 2)
            return;
        const next = section.path[i + 1];
        chain.append(box(node[name]));
        if (next)
            chain.append(arrow(node[name], next, false));
        else if (section.kind === "cycle")
            chain.append(arrow(node[name], section.path[0], true));
    });
    for (const n of section.nodes)
        if (waits(n) && !section.path.includes(n.name) && others.children.length < 2 * most)
            others.append(box(n), make("div", {class: "arrow"},
                `\u2192 ${n.reason || "waits"}${n.to ? `, for ${n.to}` : ""}`));
    return make("div", {class: "waitfor"}, chain, others.children.length ? others : null);
};
