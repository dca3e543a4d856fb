// A map of the chip: one cell for every tile, coloured by a figure, at a time, that the reader chooses.

// {columns, names: [x-y of every cell], sheets: [{name, unit, high, frames: [[values], ...]}], times: [labels]}; a value of null:
// no tile ran there.
components.heat = section => {
    const sheet = make("select", {"aria-label": "figure"}, ...section.sheets.map(s => make("option", {}, s.name)));
    const time = make("input", {type: "range", min: 0, max: section.times.length - 1, value: 0, "aria-label": "time"});
    const when = make("span"), map = make("div", {class: "map", style: `--columns:${section.columns}`});
    const cells = section.names.map(name => map.appendChild(make("div", {}, make("span", {}, name))));
    const show = () => {
        const chosen = section.sheets[sheet.selectedIndex], values = chosen.frames[time.value];
        const known = values.filter(value => value !== null);
        when.textContent = `${section.times[time.value]}: ${figure(Math.min(...known))} to ${figure(Math.max(...known))} ${chosen.unit}`;
        cells.forEach((cell, i) => {
            const share = values[i] === null ? 0 : Math.min(1, values[i] / (chosen.high || 1));
            cell.style.setProperty("--share", `${Math.round(100 * share)}%`);
            cell.title = `${section.names[i]}: ${values[i] === null ? "not used" : `${figure(values[i])} ${chosen.unit}`}`;
            cell.className = values[i] === null ? "unused" : share > .55 ? "full" : "";
        });
    };
    sheet.addEventListener("change", show);
    time.addEventListener("input", show);
    show();
    return make("div", {}, make("div", {class: "controls"}, sheet, section.times.length > 1 ? time : null, when), map);
};
