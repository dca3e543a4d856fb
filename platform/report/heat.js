// A map of the chip: one cell for every place, coloured by a figure, at a time, that the reader
// chooses.

// Colours a place by a share, and its text so that it can be read: in the dark the colour is light.
function shade(node, share) {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    node.style.setProperty("--share", `${Math.round(100 * share)}%`);
    node.classList.toggle("full", share > (dark ? .62 : .84));
}

// Cells choose their tile: by a click, or by Enter and Space on the one that arrows lead to.
function choosable(map, cells, {tiles, columns}) {
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns};
    const able = i => i >= 0 && i < cells.length && tiles[i] !== null;
    const reach = (i, focus) => {
        cells.forEach((cell, k) => able(k) && cell.setAttribute("tabindex", k === i ? 0 : -1));
        if (focus)
            cells[i].focus();
    };
    const next = (i, step) => {
        const row = Math.floor(i / columns);
        do
            i += step;
        while (i >= 0 && i < cells.length && !able(i));
        return able(i) && (Math.abs(step) > 1 || Math.floor(i / columns) === row) ? i : -1;
    };
    const follow = () => cells.forEach((cell, i) => {
        if (able(i))
            cell.setAttribute("aria-pressed", tiles[i] === choice.tile);
    });
    map.setAttribute("role", "group");
    map.setAttribute("aria-label", "tiles of the chip; arrows move, Enter chooses");
    cells.forEach((cell, i) => able(i) && cell.setAttribute("role", "button"));
    map.addEventListener("click", event => {
        const i = cells.indexOf(event.target.closest(".map > div"));
        if (able(i)) {
            reach(i);
            choose({tile: tiles[i]});
        }
    });
    map.addEventListener("keydown", event => {
        const i = cells.indexOf(document.activeElement);
        if (i >= 0 && steps[event.key]) {
            const to = next(i, steps[event.key]);
            if (to >= 0)
                reach(to, true);
        } else if (i >= 0 && (event.key === "Enter" || event.key === " ")) {
            choose({tile: tiles[i]});
        } else {
            return;
        }
        event.preventDefault();
    });
    onChoice(follow);
    follow();
    reach(Math.max(tiles.indexOf(choice.tile), 0));
}

// {columns, names: [of every cell], sheets: [{name, unit, high, frames: [[values], ...]}],
// times: [labels], numbers, tiles, note}; a value of null: there is nothing of this kind. The first
// frame is the whole run; the slider goes through the others. numbers: cells show theirs. tiles: of
// every cell the tile that a click chooses, or null; arrows go from cell to cell.
// The node's renew(section) shows other figures of the same cells.
components.heat = section => {
    const {names} = section;
    let {sheets, times} = section;
    const sheet = make("select", {"aria-label": "figure"});
    const offer = () => {
        const before = sheet.value;
        sheet.replaceChildren(...sheets.map(s => make("option", {}, s.name)));
        if (sheets.some(s => s.name === before))
            sheet.value = before;
    };
    offer();
    const time = make("input", {type: "range", min: 0, max: times.length - 1, value: 0,
        "aria-label": "time"});
    const when = make("span", {class: "when"}), scale = make("span", {class: "scale"});
    const map = make("div", {class: section.numbers ? "map numbers" : "map",
        style: `--columns:${section.columns}`});
    const cells = names.map(name => map.appendChild(make("div", {}, make("span", {}, name),
        section.numbers ? make("b") : null)));
    const show = () => {
        const chosen = sheets[sheet.selectedIndex], values = chosen.frames[time.value];
        const text = value => `${figure(value)} ${chosen.unit}`;
        const known = values.filter(value => value !== null);
        const most = Math.max(...known);
        const where = most > 0 ? ` at ${names[values.indexOf(most)]}` : "";
        const sum = known.reduce((a, b) => a + b, 0);
        const high = +time.value ? chosen.high : most; // all parts of the run have one scale
        when.textContent = `${times[time.value]}: mean ${text(sum / known.length)}, most ` +
            `${text(most)}${where}`;
        scale.replaceChildren("0", make("i"), text(Math.round(high)));
        cells.forEach((cell, i) => {
            const share = values[i] === null ? 0 : Math.min(1, values[i] / (high || 1));
            shade(cell, share);
            if (section.numbers)
                cell.lastChild.textContent = values[i] === null ? "\u2013" : figure(values[i]);
            cell.title = `${names[i]}: ` +
                (values[i] === null ? "nothing of this kind" : text(values[i]));
            cell.classList.toggle("unused", values[i] === null);
            cell.setAttribute("aria-label", cell.title);
        });
    };
    if (section.tiles)
        choosable(map, cells, section);
    let timer; // while it plays
    const play = make("button", {type: "button"}, "play");
    const stop = () => {
        clearInterval(timer);
        timer = undefined;
        play.textContent = "play";
    };
    play.addEventListener("click", () => {
        if (timer)
            return stop();
        if (+time.value === times.length - 1)
            time.value = 0;
        play.textContent = "stop";
        timer = setInterval(() => {
            time.value = +time.value + 1;
            show();
            if (+time.value >= times.length - 1)
                stop();
        }, 150);
    });
    sheet.addEventListener("change", show);
    time.addEventListener("input", () => {
        stop();
        show();
    });
    show();
    const controls = make("div", {class: "controls"}, sheet,
        ...(times.length > 1 ? [time, play] : []), scale);
    const box = make("div", {}, controls, map, make("p", {class: "note"}, when));
    box.renew = next => {
        const same = next.sheets.length === sheets.length &&
            next.sheets.every((s, i) => s.name === sheets[i].name);
        ({sheets, times} = next);
        if (!same)
            offer();
        show();
    };
    return box;
};
