// A map of a system: a box for every chip, an arrow for every direction of a link, coloured by how
// busy they are, at a time that the reader chooses.

const svgSpace = "http://www.w3.org/2000/svg";
function draws(name, attributes, ...children) {
    const node = document.createElementNS(svgSpace, name);
    for (const [key, value] of Object.entries(attributes))
        node.setAttribute(key, value);
    node.append(...children);
    return node;
}

// Where boxes and arrows are at a width: chips in a grid, arrows between neighbours straight, those
// around them as arcs, below a row or right of a column.
class NetworkPlan {
    constructor({columns, names, links}, width) {
        Object.assign(this, {columns, links, lanes: this.count(links)});
        const arcs = links.map(link => this.shape(link)), room = 26;
        const right = arcs.includes("column") ? room : 0;
        this.cell = Math.min((width - right) / columns, 210);
        this.wide = this.cell >= 140;
        this.box = this.wide ? Math.min(this.cell - 68, 120)
            : Math.max(this.cell * .62, this.cell - 34);
        this.high = this.wide ? 54 : 36;
        const depths = links.map((link, i) => arcs[i] === "row" ? this.depth(link) : 0);
        this.gap = Math.max(this.wide ? 56 : 26, .75 * highest(depths) + (this.wide ? 14 : 8));
        this.rows = Math.ceil(names.length / columns);
        this.width = this.cell * (columns - 1) + this.box + right + 4;
        this.height = this.rows * this.high + (this.rows - 1) * this.gap + 4 +
            (highest(depths) ? this.gap : 0);
    }

    // Arrows of each two chips: they lie next to each other.
    count(links) {
        const lanes = new Map();
        for (const {from, to} of links) {
            const pair = `${Math.min(from, to)} ${Math.max(from, to)}`;
            lanes.set(pair, (lanes.get(pair) ?? 0) + 1);
        }
        return lanes;
    }
    at(chip) {
        const column = chip % this.columns, row = Math.floor(chip / this.columns);
        return {column, row, x: column * this.cell + 2, y: row * (this.high + this.gap) + 2};
    }
    shape({from, to}) {
        const [a, b] = [from, to].map(chip =>
            [chip % this.columns, Math.floor(chip / this.columns)]);
        const [across, down] = [Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])];
        return across + down === 1 ? down ? "down" : "across"
            : down === 0 ? "row" : across === 0 ? "column" : "slope";
    }
    lanesOf({from, to}) {
        return this.lanes.get(`${Math.min(from, to)} ${Math.max(from, to)}`);
    }
    // Of an arc: the farther its ends, the deeper.
    depth(link) {
        const span = Math.abs(link.from - link.to);
        return Math.min(26 + 8 * (span - 1), 90) + (this.wide ? 24 : 10) * link.lane;
    }
    // From the middle of a side; the label stands across the arrow.
    shift(link, side, most) {
        const lanes = this.lanesOf(link);
        return (link.lane - (lanes - 1) / 2) * Math.min(most, side / (lanes + .5));
    }

    // {path, head: [x, y, angle], label: [x, y], fits}
    arrow(link) {
        const [a, b] = [this.at(link.from), this.at(link.to)], {box, high} = this;
        const shape = this.shape(link), tip = 7;
        const straight = (x0, y0, x1, y1) => {
            const angle = Math.atan2(y1 - y0, x1 - x0), [c, s] = [Math.cos(angle), Math.sin(angle)];
            return {path: `M${x0} ${y0}L${x1 - tip * c} ${y1 - tip * s}`, head: [x1, y1, angle],
                label: [(x0 + x1) / 2, (y0 + y1) / 2]};
        };
        if (shape === "across") {
            const y = a.y + high / 2 + this.shift(link, high, 20), back = a.x > b.x;
            return {...straight(back ? a.x : a.x + box, y, back ? b.x + box : b.x, y),
                fits: this.wide && this.lanesOf(link) <= 4};
        }
        if (shape === "down") {
            const x = a.x + box / 2 + this.shift(link, box, 44), back = a.y > b.y;
            return {...straight(x, back ? a.y : a.y + high, x, back ? b.y + high : b.y),
                fits: this.wide && this.lanesOf(link) <= 2};
        }
        if (shape === "slope")
            return straight(a.x + box / 2, a.y + high / 2, b.x + box / 2, b.y + high / 2);
        const off = this.shift(link, shape === "row" ? box : high, 12);
        if (shape === "row") {
            const d = this.depth(link), y = a.y + high, out = a.x < b.x ? -off : off;
            const [x0, x1] = [a.x + box / 2 + out, b.x + box / 2 - out];
            return {path: `M${x0} ${y}C${x0} ${y + d} ${x1} ${y + d} ${x1} ${y + tip}`,
                head: [x1, y, -Math.PI / 2], label: [(x0 + x1) / 2, y + .75 * d],
                fits: this.wide};
        }
        const d = 14 + 8 * link.lane, x = a.x + box, out = a.y < b.y ? -off : off;
        const [y0, y1] = [a.y + high / 2 + out, b.y + high / 2 - out];
        return {path: `M${x} ${y0}C${x + d} ${y0} ${x + d} ${y1} ${x + tip} ${y1}`,
            head: [x, y1, Math.PI], label: [x + .75 * d, (y0 + y1) / 2]};
    }
}

// The elements of a map: of every chip and link those that change with the time.
function networkParts(section, width) {
    const plan = new NetworkPlan(section, width), {box, high} = plan;
    const svg = draws("svg", {width: plan.width, height: plan.height, role: "img",
        viewBox: `0 0 ${plan.width} ${plan.height}`});
    const links = section.links.map(link => {
        const {path, head: [x, y, angle], label, fits} = plan.arrow(link);
        const title = draws("title", {}), text = draws("text", {x: label[0], y: label[1] + 3.5});
        const node = draws("g", {class: link.down ? "link down" : "link"}, title,
            draws("path", {d: path, class: "line"}),
            draws("path", {d: "M0 0L-9 -4.5L-9 4.5Z", class: "tip",
                transform: `translate(${x} ${y}) rotate(${180 / Math.PI * angle})`}),
            ...fits ? [text] : []);
        svg.append(node);
        return {node, title, text};
    });
    const chips = section.names.map((name, i) => {
        const {x, y} = plan.at(i), middle = x + box / 2;
        const title = draws("title", {}), text = draws("text", {x: middle, y: y + high - 9,
            class: "value"});
        const node = draws("g", {class: "chip"}, title,
            draws("rect", {x, y, width: box, height: high, rx: 4}),
            draws("text", {x: middle, y: y + (plan.wide ? 20 : 14)}, plan.wide ? name : String(i)),
            text);
        svg.append(node);
        return {node, title, text};
    });
    return {svg, links, chips, unit: box < 40 ? "" : " %"}; // a small box has no room for it
}

// {columns, names: [of the chips], links: [{from, to, lane, name, down}], sheets: [{name,
// chips: [[values] of a time]}], busy: [[of the links] of a time], times: [labels]}; in percent.
// The first time is the whole run.
components.network = section => {
    const {names, sheets, busy, times} = section;
    const sheet = make("select", {"aria-label": "figure"},
        ...sheets.map(({name}) => make("option", {}, name)));
    const time = make("input", {type: "range", min: 0, max: times.length - 1, value: 0,
        "aria-label": "time"});
    const scale = make("span", {class: "scale"}), when = make("span", {class: "when"});
    const place = make("div", {class: "place"});
    const text = value => `${figure(+value.toFixed(1))} %`;
    let parts;
    const show = () => {
        const {chips: frames, name} = sheets[sheet.selectedIndex];
        const values = frames[time.value], flows = busy[time.value];
        const most = all => all.indexOf(highest(all));
        const high = Math.min(100, Math.max(1, highest([...time.value === "0"
            ? [...values, ...flows] : [...frames.flat(), ...busy.flat()]])));
        const paint = ({node, title, text: words}, value, what) => {
            shade(node, Math.min(1, value / high));
            title.textContent = `${what}: ${text(value)}`;
            words.textContent = figure(+value.toFixed(value < 9.95)) + parts.unit;
        };
        parts.chips.forEach((part, i) => paint(part, values[i], names[i]));
        parts.links.forEach((part, i) => paint(part, flows[i], section.links[i].name));
        scale.replaceChildren("0", make("i"), text(high));
        const words = [`${times[time.value]}: ${name.toLowerCase()}: most ` +
            `${text(highest(values))} (${names[most(values)]})`];
        if (flows.length)
            words.push(`the busiest link ${text(highest(flows))} ` +
                `(${section.links[most(flows)].name})`);
        when.textContent = words.join("; ");
    };
    const lay = width => {
        parts = networkParts(section, width);
        parts.svg.setAttribute("aria-label", figureWords(section));
        place.replaceChildren(parts.svg);
        show();
    };
    let before = 0;
    new ResizeObserver(([{contentRect: {width}}]) => {
        if (width > 0 && width !== before)
            lay(before = width);
    }).observe(place);
    lay(340);
    sheet.addEventListener("change", show);
    time.addEventListener("input", show);
    return make("div", {},
        make("div", {class: "controls"}, sheet, times.length > 1 ? time : null, scale), place,
        make("p", {class: "note"}, when));
};
