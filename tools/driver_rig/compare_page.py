"""Writes the comparisons of compare.py as a self-contained HTML page: no scripts, no external resources, all text
escaped, light and dark mode.

The page first shows all comparisons with the first file side by side, and then each file against its predecessor.
"""
import html
import os
import urllib.parse

import compare_text
import plots

MOST_SHADERS = 25  # in a table; the JSON document contains all shaders
MOST_MISSING = 50

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Driver rig: %s</title>
<style>
:root{color-scheme:light dark;--page:#fff;--text:#1c1c1c;--muted:#646464;--line:#e2e2e2;--strong:#9a9a9a;--panel:#f7f7f8;
--good:#17653a;--bad:#a01818;--note:#fff4d6;--s0:#2563ae;--s1:#b4560b;--s2:#7a3fa0;--s3:#0f766e;--link:#1d4f91}
@media(prefers-color-scheme:dark){:root{--page:#161616;--text:#dedede;--muted:#a0a0a0;--line:#333;--strong:#6b6b6b;
--panel:#1f1f20;--good:#7fd8a4;--bad:#ff8f8f;--note:#40361a;--s0:#6ea8ee;--s1:#f0a35e;--s2:#c99be6;--s3:#5cc9bd;--link:#8ab8f2}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:92rem;padding:0 1rem;color:var(--text);
background:var(--page)}
h1{font-size:1.5rem;margin:0 0 .5rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;border-bottom:2px solid var(--strong)}
h3{font-size:1.05rem;margin:2rem 0 .3rem}a{color:var(--link)}.muted{color:var(--muted)}p{margin:.3rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0 1rem;font-size:.9rem}
th,td{padding:.15rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td summary{white-space:nowrap}tr.driver td{border-top:1px solid var(--strong);background:var(--panel)}
th{border-bottom:1px solid var(--strong);font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.edge{border-left:1px solid var(--line)}
.good{color:var(--good)}.bad{color:var(--bad)}code{font:.85rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
td code{display:inline-block;min-width:14rem}.note{background:var(--note);padding:.4rem .8rem;margin:.5rem 0}
summary{cursor:pointer;margin:.3rem 0}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(19rem,1fr));gap:1rem}
figure{margin:0;background:var(--panel);padding:.6rem;border-radius:.4rem}figcaption{font-size:.85rem;font-weight:600}
svg{width:100%%;max-width:34rem;height:auto;display:block;margin-top:.3rem}svg text{fill:var(--text)}
svg .tick{font-size:10px;fill:var(--muted);font-variant-numeric:tabular-nums}svg .name{font-size:11px}
.grid{stroke:var(--line)}.axis{stroke:var(--strong)}.curve{fill:none;stroke-width:1.8}
.dots{fill:none;stroke-width:2.6;stroke-linecap:round;stroke-opacity:.55}
.s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}
.s0.bar{fill:var(--s0)}.s1.bar{fill:var(--s1)}.s2.bar{fill:var(--s2)}.s3.bar{fill:var(--s3)}.bar{stroke:none}
.key{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin-right:.3rem}
.k0{background:var(--s0)}.k1{background:var(--s1)}.k2{background:var(--s2)}.k3{background:var(--s3)}
.all span{white-space:nowrap;margin-right:.8rem}
</style></head><body>
"""


def escape(name):
    return html.escape(compare_text.clean(name))


def label(name):
    """Returns the escaped name of a number."""
    return html.escape(compare_text.shown(name))


def show(value):
    """Formats a number with thin spaces between groups of thousands."""
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace(",", "&#8239;") if value % 1 else \
        f"{value:,.0f}".replace(",", "&#8239;")


def share(value, better="low", sign=None):
    """Formats a percentage with a CSS class for better or worse. For a change from 0, value is None and sign is the
    sign of the change."""
    if value is None:
        return '<span class="%s">from 0</span>' % ("good" if (sign > 0) == (better == "high") else "bad") if sign else "–"
    text = f"{value:+.2f}" if abs(value) >= 0.005 or not value else "+<.01" if value > 0 else "-<.01"
    name = "" if not value else "good" if (value > 0) == (better == "high") else "bad"
    return f'<span class="{name}">{html.escape(text)}%</span>' if value else "0%"


def cell(content, name="n"):
    return f'<td class="{name}">{content}</td>'


def count(value, name):
    return f'<span class="{name}">{show(value)}</span>' if value else "0"


class Links:
    """Finds the files of shaders, for links in the page at path. folders: the arguments of --shaders."""

    def __init__(self, path, folders):
        self.start = os.path.dirname(os.path.abspath(path))
        self.roots = [os.path.dirname(os.path.abspath(folder)) for folder in folders] + [self.start]

    def to(self, file):
        """Returns the file's name, as a link if the file exists."""
        name = f"<code>{escape(file)}</code>"
        for root in self.roots:
            path = os.path.join(root, file)
            if os.path.isfile(path):
                return f'<a href="{html.escape(urllib.parse.quote(os.fsencode(os.path.relpath(path, self.start))))}">{name}</a>'
        return name


class Group:
    """The comparisons that share a first file; the page shows them side by side."""

    def __init__(self, document, comparisons, links):
        self.links = links
        self.comparisons = comparisons
        self.files = [escape(file["file"]) for file in document["files"]]
        self.colours = [(comparison["after"] - 1) % 4 for comparison in comparisons]
        self.first = self.files[comparisons[0]["before"]]
        self.labels = [self.files[comparison["after"]] for comparison in comparisons]
        self.name = "-".join(str(comparison["after"]) for comparison in comparisons)
        self.drivers = {}  # (driver, mode) -> the document's entry, or None, for each comparison
        for index, comparison in enumerate(comparisons):
            for driver in comparison["drivers"]:
                entries = self.drivers.setdefault((driver["driver"], driver["mode"]), [None] * len(comparisons))
                entries[index] = driver
        self.drivers = dict(sorted(self.drivers.items()))

    def key(self, index):
        return f'<span class="key k{self.colours[index]}"></span>{self.labels[index]}'

    def anchor(self, driver):
        return html.escape(urllib.parse.quote(compare_text.clean(f"{self.name}-{driver[0]}-{driver[1]}")))

    def heads(self):
        """Returns two header rows: the files, and the columns of each file."""
        names = ("after", "change", "helped", "HURT", "95% interval of mean change")
        text = '<thead><tr><th colspan="2"></th>'
        text += "".join(f'<th class="edge" colspan="{len(names)}">{self.key(at)}</th>' for at in range(len(self.labels)))
        text += '</tr><tr><th>number</th><th class="n">before</th>'
        for _ in self.labels:
            text += "".join(f'<th class="n{" edge" if name == "after" else ""}">{name}</th>' for name in names)
        return text + "</tr></thead>\n"

    def figures(self, entries, name):
        """Returns the cells of one number: before, and five cells for each comparison."""
        found = [next((one for one in entry["numbers"] if one["name"] == name), None) if entry else None for entry in entries]
        shown = next(one for one in found if one)
        cells = [cell(show(shown["total"][0]))]
        for one in found:
            if one is None:
                cells.append(cell("not compared", "n edge") + cell("") * 4)
                continue
            before, after, percent = one["total"]
            # The comparisons start from different totals if the files have different shaders in common.
            start = f' <span class="muted">from {show(before)}</span>' if before != shown["total"][0] else ""
            cells.append(cell(show(after) + start, "n edge") + cell(share(percent, one["better"], after - before)) +
                         cell(count(one["helped"]["count"], "good")) + cell(count(one["hurt"]["count"], "bad")) +
                         cell(self.interval(one)))
        return f"<td>{label(name)}</td>" + "".join(cells)

    @staticmethod
    def interval(one):
        if one["confidence"] is None:
            return '<span class="muted">–</span>'
        low, high = one["confidence"]["percent"]
        name, word = {"helped": ("good", "helped"), "hurt": ("bad", "HURT"), "inconclusive": ("muted", "inconclusive")}[
            one["verdict"]]
        why = f' title="{html.escape(one["why"])}"' if one["why"] else ""
        return f'{low:+.2f} to {high:+.2f}% <span class="{name}"{why}>{word}</span>'

    def names(self, entries, wanted):
        return list(dict.fromkeys(one["name"] for entry in entries if entry for one in entry["numbers"] if wanted(one)))

    def summary(self):
        """Returns the table of main numbers: each driver's first number, and the numbers that changed."""
        text = '<div class="wide"><table>' + self.heads()
        for driver, entries in self.drivers.items():
            text += f'<tr class="driver"><td colspan="2"><a href="#{self.anchor(driver)}">{escape(driver[0])}</a> ' \
                f"{escape(driver[1])}</td>"
            for entry in entries:
                text += '<td class="edge muted" colspan="5">' + (
                    f"{show(entry['shared'])} shared, LOST {count(len(entry['lost']), 'bad')}, "
                    f"GAINED {len(entry['gained'])}" if entry else "not compared") + "</td>"
            main = self.names(entries, lambda one: one["main"]) or self.names(entries, lambda one: True)[:1]
            moved = self.names(entries, changed)
            for name in [name for name in main if name == main[0] or name in moved]:
                text += f"</tr>\n<tr>{self.figures(entries, name)}"
            text += "</tr>\n"
        return text + "</table></div>\n"

    def plots(self, entries, name):
        """Returns the three plots of one number."""
        ranked, pairs, sources, zeros, better = [], [], {}, 0, "low"
        for index, entry in enumerate(entries):
            both = [shader["numbers"][name] for shader in comparable(entry, name)]
            both = [pair for pair in both if pair[0] != pair[1]]
            ranked.append(sorted(100 * (after - before) / before for before, after in both if before))
            pairs.append([pair for pair in both if all(pair)])
            zeros += sum(not all(pair) for pair in both)
            for number in entry["numbers"] if entry else ():
                if number["name"] == name:
                    better = number["better"]
                    for of in number["sources"]:
                        sources.setdefault(of["source"], [None] * len(entries))[index] = of["total"][2]
        if not any(ranked) and not any(pairs):
            return ""
        rows = sorted(sources.items(), key=lambda row: (min([one for one in row[1] if one is not None] or [0]), row[0]))
        if better == "high":
            rows.reverse()
        shown, high = label(name), better == "high"
        cut = f" (the {plots.MOST_SOURCES} best and worst of {len(rows)})" if len(rows) > plots.MOST_SOURCES else ""
        aside = f" ({zeros} from or to 0 omitted)" if zeros else ""
        drawn = ((f"{shown}: change by rank{aside}", plots.by_rank("change by rank", ranked, high)),
                 (f"{shown}: change of the total per source{cut}", plots.per_source("change per source", rows)),
                 (f"{shown}: before and after{aside}", plots.before_after("before and after", pairs)))
        key = " ".join(self.key(index) for index in range(len(entries))) if len(entries) > 1 else ""
        text = (f"<p>{key}</p>" if key else "") + '<div class="plots">'
        for caption, drawing in drawn:
            for index, colour in reversed(list(enumerate(self.colours))):
                drawing = drawing.replace(f'class="s{index} ', f'class="s{colour} ')
            text += f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>"
        return text + "</div>\n"

    def shaders(self, entry, name, which):
        """Returns a table of the shaders that improved most, or got worse most, with all their numbers."""
        number = next(one for one in entry["numbers"] if one["name"] == name)
        better = {one["name"]: one["better"] for one in entry["numbers"]}
        main = [one["name"] for one in entry["numbers"] if one["main"]] or [name]
        up = (which == "helped") == (number["better"] == "high")
        rows = [shader for shader in comparable(entry, name) if (shader["numbers"][name][1] > shader["numbers"][name][0]) == up
                and shader["numbers"][name][0] != shader["numbers"][name][1]]
        rows.sort(key=lambda shader: (-size(shader["numbers"][name]), -abs(shader["numbers"][name][1] -
                                                                         shader["numbers"][name][0]), shader["program"]))
        if not rows:
            return f"<p>No shader {'has better' if which == 'helped' else 'has worse'} {label(name)}.</p>\n"
        word = '<b class="good">helped</b>' if which == "helped" else '<b class="bad">HURT</b>'
        said = f"{show(len(rows))} {word}, by {label(name)}"
        if len(rows) > MOST_SHADERS:
            said += f': <span class="muted">the {MOST_SHADERS} most; --json has all</span>'
        text = f'<details><summary>{said}</summary>'
        text += '<div class="wide"><table><thead><tr><th>shader</th>'
        text += "".join(f'<th class="n">{label(one)}</th>' for one in main) + "<th>all other numbers</th></tr></thead>\n"
        for shader in rows[:MOST_SHADERS]:
            stage = " ".join(filter(None, (shader["stage"], shader["variant"])))
            text += f'<tr><td>{self.links.to(shader["file"])}<br><span class="muted">{escape(stage)}</span></td>'
            text += "".join(cell(self.pair(shader["numbers"].get(one), better.get(one))) for one in main)
            text += f"<td>{self.others(shader['numbers'], main, better)}</td></tr>\n"
        return text + "</table></div></details>\n"

    @staticmethod
    def pair(pair, better):
        if pair is None:
            return "–"
        before, after = pair
        if before == after:
            return show(before)
        percent = 100 * (after - before) / before if before else None
        return f"{show(before)} → {show(after)}<br>{share(percent, better or 'low', after - before)}"

    @staticmethod
    def others(numbers, main, better):
        rest = {name: pair for name, pair in numbers.items() if name not in main}
        changed = [f"<span>{label(name)} {show(pair[0])} → {show(pair[1])}</span>" for name, pair in rest.items()
                   if pair[0] != pair[1]]
        same = [f"<span>{label(name)} {show(pair[0])}</span>" for name, pair in rest.items() if pair[0] == pair[1]]
        return (f'<details class="all"><summary>{len(changed)} changed, {len(same)} did not</summary>'
                f"{' '.join(changed)}<br><span class=\"muted\">unchanged:</span> {' '.join(same)}</details>") if rest else ""

    def missing(self, entry):
        text = ""
        for label, key in (("LOST", "lost"), ("GAINED", "gained"), ("Changed text, not compared", "other_text")):
            shaders = entry[key]
            if shaders:
                cut = f", the first {MOST_MISSING}" if len(shaders) > MOST_MISSING else ""
                rows = "".join(f"<li>{self.links.to(one['file'])} {escape(one['stage'])} {escape(one['variant'])} "
                               f"<b>{escape(one.get('reason', ''))}</b></li>" for one in shaders[:MOST_MISSING])
                text += (f'<details{" open" if key == "lost" else ""}><summary>{label}: {len(shaders)}{cut}</summary>'
                         f"<ul>{rows}</ul></details>\n")
        return text

    def kept(self, entry):
        """Returns a table for B and C that shows whether they help and hurt the same shaders."""
        rows = "".join(
            f"<tr><td>{label(one['name'])}</td>" + "".join(cell(value) for which in ("helped", "hurt")
                                                            for value in one["kept"][which]) + "</tr>"
            for one in entry["numbers"] if one["kept"] and any(map(sum, one["kept"].values())))
        if not rows:
            return ""
        heads = "".join(f'<th class="n">{label} {word}</th>' for label in ("helped", "HURT")
                        for word in ("by both", "new", "no longer"))
        return (f'<p>Against {self.files[0]}, which shaders both files help and hurt, which are new with {self.labels[0]}, '
                f'and which are no longer:</p><div class="wide"><table><thead><tr><th>number</th>{heads}</tr></thead>'
                f"{rows}</table></div>\n")

    def section(self, driver, entries):
        text = f'<h3 id="{self.anchor(driver)}">{escape(driver[0])} {escape(driver[1])}</h3>\n'
        names = self.names(entries, lambda one: one["main"]) or self.names(entries, lambda one: True)[:1]
        moved = self.names(entries, changed)
        for formula in dict.fromkeys(entry["time"] for entry in entries if entry and entry["time"]):
            text += f'<p class="muted">time = {escape(formula)}</p>\n'
        if not moved:
            text += "<p>No changes.</p>\n"
        # Plot the first main number that changed, usually the estimate of time.
        for name in [name for name in names if name in moved][:1] or moved[:1]:
            text += self.plots(entries, name)
            for index, entry in enumerate(entries):
                if entry and any(one["name"] == name for one in entry["numbers"]):
                    if len(entries) > 1:
                        text += f"<p>{self.key(index)}</p>"
                    text += self.shaders(entry, name, "hurt") + self.shaders(entry, name, "helped")
        if moved:
            text += (f'<details><summary>All numbers that changed: {len(moved)}</summary><div class="wide"><table>'
                     + self.heads() + "".join(f"<tr>{self.figures(entries, name)}</tr>\n" for name in moved)
                     + "</table></div></details>\n")
        for index, entry in enumerate(entries):
            if entry:
                missing = self.missing(entry)
                if entry["loops_changed"]:
                    missing += (f"<p>{entry['loops_changed']} shaders have a different number of loops; their other "
                                "numbers are not compared.</p>")
                text += (f"<p>{self.key(index)}</p>" if missing and len(entries) > 1 else "") + missing + self.kept(entry)
        return text

    def page(self):
        text = f"<h2>{self.first} → {', '.join(self.labels)}</h2>\n"
        for comparison in self.comparisons:
            text += "".join(f'<p class="note">{escape(note)}</p>\n' for note in comparison["notes"])
        if not self.drivers:
            return text + "<p>The files have no driver in common.</p>\n"
        return text + self.summary() + "".join(self.section(*row) for row in self.drivers.items())


def changed(number):
    return number["helped"]["count"] + number["hurt"]["count"] > 0


def comparable(entry, name):
    """Returns the changed shaders in which this number is compared."""
    return [shader for shader in (entry["changed"] if entry else ()) if name in shader["numbers"] and
            (name == "loops" or not shader["loops_changed"])]


def size(pair):
    """Returns the relative size of a shader's change; a change from 0 is infinite."""
    before, after = pair
    return abs(after - before) / before if before else float("inf")


def page(document, path, folders=()):
    """Returns the HTML text. path: the page's future location; folders: folders of the shaders, for links."""
    links = Links(path, folders)
    files = document["files"]
    against_first = [one for one in document["comparisons"] if one["before"] == 0]
    groups = [against_first] + [[one] for one in document["comparisons"] if one["before"]]
    text = HEAD % escape(" → ".join(os.path.basename(file["file"]) for file in files))
    text += "<h1>Driver rig: shaders before and after</h1>\n<table><thead><tr><th>file</th><th>build</th></tr></thead>"
    text += "".join(f"<tr><td>{escape(file['file'])}</td><td><code>{escape(file['build'])}</code></td></tr>" for file in files)
    text += "</table>\n" + "".join(f'<p class="note">{escape(note)}</p>\n' for note in document["notes"])
    text += ('<p class="muted">The numbers that Mesa\'s drivers report for each shader that compiles with both files. '
             "The interval is the confidence interval of the mean change of the changed shaders, by Student's t. A "
             "result is inconclusive unless the change and its share both exclude 0; a change from 0 counts as 0%. "
             "LOST shaders compiled before, but not after.</p>\n")
    return text + "".join(Group(document, group, links).page() for group in groups) + "</body></html>\n"
