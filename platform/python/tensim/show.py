"""Results as tables and as HTML for notebooks."""
from html import escape

CARD = '<div style="display:inline-block;vertical-align:top;margin:0 .8em .8em 0;padding:.5em .9em;border:1px solid #8886;border-radius:6px">' \
       '<div style="font-size:1.4em;font-weight:600">%s</div><div style="opacity:.75">%s</div></div>'


def number(value):
    """As the report writes figures."""
    if not isinstance(value, float):
        return "%d" % value if isinstance(value, int) else str(value)
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e6):
        return "%.2e" % value
    return "%.*f" % (0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 3, value)


def figures(result):
    """(figure, what it is): the report's cards."""
    rows = [(result.get("cycles"), "cycles")]
    if "seconds" in result:
        rows.append((1e6 * result["seconds"], "\u00b5s at %s MHz" % result.get("clock_mhz", "?")))
    for unit in ("product", "tile"):
        rows.append((result.get("cycles_per_" + unit), "cycles a " + unit))
    if result.get("utilisation"):
        rows += [(result.get("tflops"), "TFLOP/s"), (100 * result["utilisation"], "% of the peak at this fidelity")]
    rows += [(result.get("pcc"), "PCC"), (result.get("rel_l2"), "rel_l2"), (result.get("end_to_end_rel_l2"), "rel_l2 end to end")]
    return [(value, text) for value, text in rows if value is not None]


def line(result):
    bound = result.get("bound_object") or result.get("bound_by")
    return ", ".join("%s %s" % (number(value), text) for value, text in figures(result)[:2]) + ("; bound by %s" % bound if bound else "")


def cards(result):
    bound = result.get("bound_object") or result.get("bound_by")
    text = "".join(CARD % (escape(number(value)), escape(name)) for value, name in figures(result))
    if bound:
        text += "<p>Bound by <b>%s</b>: %s.</p>" % (escape(bound), escape(result.get("evidence", "")))
    if result.lints:
        text += "<p>%d lints: %s</p>" % (len(result.lints), escape(", ".join(sorted({row["name"] for row in result.lints}))))
    return '<div class="tensim">%s</div>' % text


def hang(error):
    return '<div class="tensim"><b>Hang</b><pre>%s</pre></div>' % escape(error.explanation or error.text)


def table(rows):
    """Rows of a table; columns that no row has are left out."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join("<th>%s</th>" % escape(name) for name in names)
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % escape(number(row[name]) if name in row else "") for name in names) for row in rows)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def units(stats):
    """A row for each component."""
    return [{"unit": unit["name"], "kind": unit["kind"], "busy": unit["busy"], "idle": unit["idle"],
             **{"stall." + name: cycles for name, cycles in unit["stall"].items()}, **unit["counters"]} for unit in stats["units"]]


def stalls(stats):
    """A row for each component and reason."""
    return [{"unit": unit["name"], "kind": unit["kind"], "reason": name, "cycles": cycles}
            for unit in stats["units"] for name, cycles in unit["stall"].items()]
