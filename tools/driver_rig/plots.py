"""Draws plots as inline SVG without scripts: change by rank, change per source, and before against after.

A series is a file that is compared with the first file. The class s0, s1, ... of the page's style sets its color.
"""
import html
import math

WIDTH, HEIGHT = 400, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 10, 34  # margins for axes and labels
LINEAR = 1.0  # %: the scale is linear below this change and logarithmic above it
CHANGE_TICKS = sorted(sign * size for size in (1, 3, 10, 30, 100, 300, 1000, 10000) for sign in (-1, 1)) + [0]
MOST_SOURCES = 16


def text(x, y, words, anchor="middle", name="tick"):
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def line(x1, y1, x2, y2, name):
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def svg(title, parts, height=HEIGHT):
    return (f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(title)}">'
            f"<title>{html.escape(title)}</title>{''.join(parts)}</svg>")


def bent(share):
    """Maps a percentage to a scale on which both 0.1 and 100 are visible."""
    return math.asinh(share / LINEAR)


def by_rank(title, series, better_high):
    """Plots series: for each file, the sorted changes in % of the shaders that changed."""
    values = [value for changes in series for value in changes] or [0]
    low, high = bent(min(-1.0, min(values))), bent(max(1.0, max(values)))
    most = max(1, max(map(len, series)))
    place = lambda rank: LEFT + (WIDTH - LEFT - RIGHT) * rank / most  # noqa: E731
    level = lambda share: TOP + (HEIGHT - TOP - BOTTOM) * (high - bent(share)) / (high - low)  # noqa: E731
    parts, last = [], math.inf
    for tick in sorted(CHANGE_TICKS):
        if low <= bent(tick) <= high and (tick == 0 or abs(level(tick) - level(0)) > 11) and last - level(tick) > 11:
            last = level(tick)
            parts += [line(LEFT, last, WIDTH - RIGHT, last, "axis" if tick == 0 else "grid"),
                      text(LEFT - 5, last + 3.5, f"{tick:+d}%" if tick else "0", "end")]
    for index, changes in enumerate(series):
        path, column = [], None
        for rank, share in enumerate(changes):
            if round(place(rank)) != column or rank == len(changes) - 1:  # one point per pixel
                column = round(place(rank))
                path.append(f"{place(rank):.1f} {level(share):.1f}")
        if path:
            path.append(f"{place(len(changes)):.1f} {level(changes[-1]):.1f}")
            parts.append(f'<path class="s{index} curve" d="M{"L".join(path)}"/>')
    below, above = ("HURT", "helped") if better_high else ("helped", "HURT")
    parts += [text(WIDTH - RIGHT - 4, HEIGHT - BOTTOM - 6, below, "end", "name"), text(LEFT + 6, TOP + 10, above, "start", "name"),
              text(LEFT, HEIGHT - BOTTOM + 14, "0", "start"), text(WIDTH - RIGHT, HEIGHT - BOTTOM + 14, str(most), "end"),
              text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "shaders that changed, in order of their change", name="name")]
    return svg(title, parts)


def per_source(title, rows):
    """Plots rows (name, [change in % or None for each file]), best first. If there are more than MOST_SOURCES rows,
    draws only the first and the last ones."""
    if len(rows) > MOST_SOURCES:
        rows = rows[:MOST_SOURCES // 2] + rows[-MOST_SOURCES // 2:]
    count = max((len(shares) for _, shares in rows), default=1)
    bar = min(14, max(5, 22 / count))
    step = bar * count + 6
    reach = max([abs(share) for _, shares in rows for share in shares if share is not None] + [0.01])
    worst = max([0] + [share for _, shares in rows for share in shares if share is not None])
    best = min([0] + [share for _, shares in rows for share in shares if share is not None])
    left, right = 130 + (44 if best < 0 else 0), WIDTH - (50 if worst > 0 else 12)
    zero = left + (right - left) * (-best / (worst - best) if worst > best else 0.5)
    scale = (right - left) / (worst - best) if worst > best else (right - left) / (2 * reach)
    parts, y = [], 6.0
    for name, shares in rows:
        short = name if len(name) <= 18 else name[:17] + "…"
        parts.append(f"<g><title>{html.escape(name)}</title>{text(124, y + step / 2, short, 'end', 'name')}</g>")
        for index, share in enumerate(shares):
            if share is not None:
                end = zero + share * scale
                parts.append(f'<rect class="s{index} bar" x="{min(zero, end):.1f}" y="{y:.1f}" '
                             f'width="{max(abs(end - zero), 0.6):.1f}" height="{bar - 1:.1f}"/>')
                words = "0" if share == 0 else f"{share:+.2f}%"
                parts.append(text(end + (4 if share > 0 else -4), y + bar / 2 + 3, words, "start" if share > 0 else "end"))
            y += bar
        y += 6
    parts.append(line(zero, 0, zero, y, "axis"))
    return svg(title, parts, round(max(y, 40)))


def before_after(title, series):
    """Plots series: for each file, a list of pairs (before, after), both greater than 0."""
    values = [value for pairs in series for pair in pairs for value in pair] or [1, 10]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    place = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / (high - low)  # noqa: E731
    level = lambda value: TOP + (HEIGHT - TOP - BOTTOM) * (high - math.log10(value)) / (high - low)  # noqa: E731
    parts = []
    for power in range(low, high + 1):
        value = 10.0**power
        parts += [line(place(value), TOP, place(value), HEIGHT - BOTTOM, "grid"),
                  line(LEFT, level(value), WIDTH - RIGHT, level(value), "grid"),
                  text(place(value), HEIGHT - BOTTOM + 14, f"{value:g}", "end" if power == high else "middle"),
                  text(LEFT - 5, level(value) + 3.5, f"{value:g}", "end")]
    parts.append(line(place(10.0**low), level(10.0**low), place(10.0**high), level(10.0**high), "axis"))
    for index, pairs in enumerate(series):
        dots = dict.fromkeys(f"M{place(before):.0f} {level(after) * 2:.0f}" for before, after in pairs)
        path = "h0".join(f"{dot.split(' ')[0]} {int(dot.split(' ')[1]) / 2:g}" for dot in dots)
        if path:
            parts.append(f'<path class="s{index} dots" d="{path}h0"/>')
    parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "before", name="name"),
              f'<text class="name" transform="translate(11 {HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle">after</text>']
    return svg(title, parts)
