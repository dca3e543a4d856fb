// A map of the chip: one cell for every place, coloured by a figure, at a time, that the reader chooses.

// {columns, names: [of every cell], sheets: [{name, unit, high, frames: [[values], ...]}], times: [labels], note}; a value of
// null: there is nothing of this kind. The first frame is the whole run; the slider goes through the others.
components.heat = section => {
    const sheet = make("select", {"aria-label": "figure"}, ...section.sheets.map(s => make("option", {}, s.name)));
    const time = make("input", {type: "range", min: 0, max: section.times.length - 1, value: 0, "aria-label": "time"});
    const when = make("span", {class: "when"}), scale = make("span", {class: "scale"});
    const map = make("div", {class: "map", style: `--columns:${section.columns}`});
    const cells = section.names.map(name => map.appendChild(make("div", {}, make("span", {}, name))));
    const show = () => {
        const chosen = section.sheets[sheet.selectedIndex], values = chosen.frames[time.value];
        const known = values.filter(value => value !== null);
        const most = Math.max(...known), where = section.names[values.indexOf(most)];
        const sum = known.reduce((a, b) => a + b, 0);
        const high = +time.value ? chosen.high : most; // all parts of the run have one scale
        when.textContent = `${section.times[time.value]}: mean ${figure(sum / known.length)} ${chosen.unit}, most ${figure(most)} ${
            chosen.unit}${most > 0 ? ` at ${where}` : ""}`;
        scale.replaceChildren("0", make("i"), `${figure(Math.round(high))} ${chosen.unit}`);
        cells.forEach((cell, i) => {
            const share = values[i] === null ? 0 : Math.min(1, values[i] / (high || 1));
            cell.style.setProperty("--share", `${Math.round(100 * share)}%`);
            cell.title = `${section.names[i]}: ${values[i] === null ? "nothing of this kind" : `${figure(values[i])} ${chosen.unit}`}`;
            cell.className = values[i] === null ? "unused" : share > .55 ? "full" : "";
        });
    };
    sheet.addEventListener("change", show);
    time.addEventListener("input", show);
    show();
    return make("div", {}, make("div", {class: "controls"}, sheet, section.times.length > 1 ? time : null, scale), map,
        make("p", {class: "note"}, when));
};
