// What every page has, those of reports and that of `tensim ui': elements, figures as people read
// them, the tables of components and views.
const components = {}, views = {};

// An element with attributes, then children: elements or text.
function make(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
        if (value !== undefined && value !== null && value !== false)
            node.setAttribute(key, value === true ? "" : value);
    node.append(...children.filter(child => child !== undefined && child !== null));
    return node;
}

// A figure as people read it: 12 345, 0.0123, 1.2e-9.
const thousands = new Intl.NumberFormat("en");
function figure(value) {
    if (typeof value !== "number")
        return value ?? "";
    if (Number.isInteger(value))
        return thousands.format(value).replace(/,/g, "\u202f");
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential(2)
        : String(+value.toPrecision(4));
}

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
