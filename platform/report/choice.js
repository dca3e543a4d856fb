// What the reader chose: a tile, and a part of the time. Everything of a tile is drawn again when
// the choice changes.

const choice = {tile: 0, from: 0, to: 0}; // from, to: bins; a page that has them sets them

function choose(change) {
    Object.assign(choice, change);
    document.dispatchEvent(new Event("choice"));
}
const onChoice = act => document.addEventListener("choice", act);

// {sections: choice => [sections]}: drawn again for every choice.
components.chosen = section => {
    const box = make("div", {class: "chosen"});
    const show = () => {
        box.style.minHeight = `${box.offsetHeight}px`; // the page does not jump
        box.querySelectorAll("canvas").forEach(canvas => Chart.getChart(canvas)?.destroy());
        box.replaceChildren();
        draw(section.sections(choice), box);
        requestAnimationFrame(() => requestAnimationFrame(() => box.style.minHeight = ""));
    };
    onChoice(show);
    draw(section.sections(choice), box);
    return box;
};

// {tiles: [{name, text}], marked: [[label, index], ...], from, bin, count, end}: which tile, which
// part of the time.
components.chooser = section => {
    const {tiles, marked, from, bin, count: bins, end} = section;
    const tile = make("select", {"aria-label": "tile"},
        ...tiles.map(({name, text}) => make("option", {value: name}, text)));
    const range = (name, value) => make("input", {type: "range", min: 0, max: bins, value,
        "aria-label": name});
    const [first, last] = [range("window: from", 0), range("window: to", bins)];
    const cycle = at => Math.min(from + at * bin, end);
    const when = make("output", {class: "when"});
    const all = make("button", {type: "button"}, "the whole run");
    const follow = () => {
        tile.selectedIndex = choice.tile;
        [first.value, last.value] = [choice.from, choice.to];
        when.textContent = `cycles ${figure(cycle(choice.from))} to ${figure(cycle(choice.to))}`;
        [first, last].forEach(input => input.setAttribute("aria-valuetext",
            `cycle ${cycle(+input.value)}`));
    };
    tile.addEventListener("change", () => choose({tile: tile.selectedIndex}));
    first.addEventListener("input", () => choose(
        {from: Math.min(+first.value, bins - 1), to: Math.max(choice.to, +first.value + 1)}));
    last.addEventListener("input", () => choose(
        {to: Math.max(+last.value, 1), from: Math.min(choice.from, +last.value - 1)}));
    all.addEventListener("click", () => choose({from: 0, to: bins}));
    onChoice(follow);
    choose({from: 0, to: bins});
    const jump = marked.map(([label, index]) => {
        const button = make("button", {type: "button"}, label);
        button.addEventListener("click", () => choose({tile: index}));
        return button;
    });
    return make("div", {class: "controls chooser"},
        tiles.length > 1 ? make("label", {}, "tile ", tile) : null, ...jump,
        bins > 1 ? make("label", {}, "from ", first) : null,
        bins > 1 ? make("label", {}, "to ", last) : null, bins > 1 ? all : null, when);
};
