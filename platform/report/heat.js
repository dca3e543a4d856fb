// A map of the chip: one cell for every place, coloured by a figure, at a time, that the reader
// chooses.

// {columns, names: [of every cell], sheets: [{name, unit, high, frames: [[values], ...]}],
// times: [labels], numbers, note}; a value of null: there is nothing of this kind. The first frame
// is the whole run; the slider goes through the others. numbers: cells show theirs.
components.heat = section => {
    const {names, sheets, times} = section;
    const sheet = make("select", {"aria-label": "figure"},
        ...sheets.map(s => make("option", {}, s.name)));
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
            cell.style.setProperty("--share", `${Math.round(100 * share)}%`);
            if (section.numbers)
                cell.lastChild.textContent = values[i] === null ? "\u2013" : figure(values[i]);
            cell.title = `${names[i]}: ` +
                (values[i] === null ? "nothing of this kind" : text(values[i]));
            cell.className = values[i] === null ? "unused" : share > .55 ? "full" : "";
        });
    };
    sheet.addEventListener("change", show);
    time.addEventListener("input", show);
    show();
    const controls = make("div", {class: "controls"}, sheet, times.length > 1 ? time : null, scale);
    return make("div", {}, controls, map, make("p", {class: "note"}, when));
};
