"""Charts as PNGs for phones: large type, few words, on a ground of their own (dark or light apps).

Balances are steps, since nothing lies between two bookings, and every value axis begins at 0.
Matplotlib is imported on use only; whoever draws does so off the event loop (see `gallery.py`).
"""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from babel.numbers import format_compact_decimal

from economy.ledger import COINS
from economy.tracks import Places, Track
from games import registry
from games.game import Grid, Text, text
from tgbot.words import Cast, Words, formatted, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI, WIDTH_IN, PLOT_IN, FOOT_IN = 200, 5.4, 1.95, 0.55
HEAD_IN, ENTRY_IN = 0.72, 0.3
"""What lies above a plot, and a row of its legend besides."""
LEFT, RIGHT = 0.045, 0.955
LABELS = 0.34
"""Where the values of a table begin, its labels lying left of it."""
MOST_MARKED = 3
"""Choices of a game that get a mark: those that cost most."""
MOST_NAMES = 32
"""Characters of all names at the head of a table together."""
GROUND, INK, SOFT, GRID = "#1c2430", "#f4f6fa", "#b4bfce", "#3a465a"
COIN = "#f5b942"
LINES = ("#6cc5f2", "#a5d86e", "#f28cb1", "#c2a8ff", "#f2955c", "#62d9c0")
SUPPLY = {"wallet": COIN, "jackpot": "#6cc5f2", "fund": "#a5d86e", "escrow": "#f28cb1"}
SMALL, LARGE = 12, 15
DAY_S = 24 * 3600
FEWEST_S = 3600
"""A chart shows at least this much time."""
MOST_TICKS, EDGE = {"Hm": 4, "MMMd": 4, "yMMM": 3}, 0.05
_STEPS = (
    *(("Hm", n, 60) for n in (15, 30, 60, 180, 360, 720)),
    *(("MMMd", n, DAY_S) for n in (1, 2, 3, 5, 7, 10, 14, 21, 28)),
    *(("yMMM", n, 30 * DAY_S) for n in (1, 2, 3, 6, 12, 24, 60, 120, 240)),
)
"""What may lie between two labels of the time axis: so many minutes, days or months."""

_alone = threading.Lock()


class _Line(NamedTuple):
    """A line of a chart, or an entry of its legend, and what it stands at now."""

    label: str
    color: str
    held: int
    track: Track | None = None


def balances(
    words: Words, language: str, *, tracks: Mapping[str, Track], zone: tzinfo, now: int
) -> bytes:
    """What a person held over time, as a PNG: the coins, and below them the points of each game."""
    start = min([*(track.times[0] for track in tracks.values()), now - FEWEST_S])
    lines = [_line(words.plain(text("chart.coins"), language), COIN, tracks.get(COINS), start)]
    points = [
        _line(words.plain(game.title(), language), LINES[n % len(LINES)], tracks[kind], start)
        for n, (kind, game) in enumerate(registry().items())
        if kind in tracks
    ]
    with _alone:
        figure, panels = _panels(0, len(points)) if points else _panels(0)
        _head(panels[0], lines[0].label, lines[0]._replace(label=""), [], language)
        _steps(panels[0], lines, now, language)
        if points:
            _head(panels[1], words.plain(text("chart.points"), language), None, points, language)
            _steps(panels[1], points, now, language)
        for panel in panels:
            _time(panel, start, now, zone, language)
        return png(figure)


def supply(words: Words, language: str, *, places: Places, zone: tzinfo) -> bytes:
    """Where all coins were day by day, as a PNG: wallets, jackpots, fund and escrows, stacked."""
    bands = [places.held[kind] for kind in SUPPLY]
    days = [end / DAY_S for end in places.ends]
    total = [sum(day) for day in zip(*bands, strict=True)]
    legend = [
        _Line(words.plain(text(f"chart.{kind}"), language), color, held[-1])
        for (kind, color), held in zip(SUPPLY.items(), bands, strict=True)
    ]
    with _alone:
        figure, (panel,) = _panels(len(legend))
        title = words.plain(text("chart.supply"), language)
        _head(panel, title, _Line("", INK, total[-1]), legend, language)
        panel.stackplot(days, *bands, colors=[*SUPPLY.values()], linewidth=0, zorder=2)
        _values(panel, max(total), language)
        start, end = places.ends[0], places.ends[-1]
        _time(panel, min(start, end - FEWEST_S), end, zone, language)
        return png(figure)


def _line(label: str, color: str, track: Track | None, start: int) -> _Line:
    track = track or Track((start,), (0,))
    return _Line(label, color, track.held[-1], track)


def faces(words: Words, language: str, *, dice: Sequence[tuple[int, Sequence[int]]]) -> bytes:
    """How often each face of each die fell, as a PNG: `(sides, counts)` a panel, and its mean."""
    with _alone:
        figure, panels = _panels(*([0] * len(dice)))
        for panel, (sides, counts) in zip(panels, dice, strict=True):
            thrown = sum(counts)
            title = words.plain(text("chart.die", sides=sides), language)
            _head(panel, title, _Line("", COIN, thrown), [], language)
            panel.bar(range(1, sides + 1), counts, color=LINES[0], width=0.7, zorder=2)
            panel.axhline(thrown / sides, color=COIN, linewidth=1.6, zorder=3)
            _values(panel, max(counts), language)
            ticks = range(1, sides + 1, 1 if sides <= 12 else 3)
            panel.set_xticks([*ticks], [str(tick) for tick in ticks])
        return png(figure)


def decisions(
    words: Words, language: str, *, title: Text, path: Sequence[tuple[float, float]], result: float
) -> bytes:
    """What a game was worth before and after each move of a player, and at its end, as a PNG.

    What choices cost falls straight down to a mark of its own; lines are what the dice brought.
    """
    befores = [before for before, _ in path] + [result]
    afters = [after for _, after in path]
    cost = round(sum(before - after for before, after in path))
    brought = round(result) - round(befores[0]) + cost
    dice, choices = LINES[0], LINES[2]
    legend = [
        _Line(words.plain(text("chart.dice"), language), dice, brought),
        _Line(words.plain(text("chart.choices"), language), choices, -cost),
    ]
    with _alone:
        figure, (panel,) = _panels(len(legend))
        _head(panel, words.plain(title, language), _Line("", INK, round(result)), legend, language)
        for n, after in enumerate(afters):
            panel.plot((n, n + 1), (after, befores[n + 1]), color=dice, linewidth=2.2, zorder=3)
        costly = [n for n, (before, after) in enumerate(path) if before > after]
        panel.vlines(
            costly,
            [afters[n] for n in costly],
            [befores[n] for n in costly],
            color=choices,
            linewidth=3,
            zorder=4,
        )
        worst = sorted(costly, key=lambda n: afters[n] - befores[n])[:MOST_MARKED]
        panel.plot(worst, [afters[n] for n in worst], "v", color=choices, markersize=7, zorder=5)
        panel.plot([len(path)], [result], "o", color=INK, markersize=6, clip_on=False, zorder=5)
        _values(panel, round(max(befores)), language)
        panel.set_xticks([])
        return png(figure)


def sheets(words: Words, language: str, *, grid: Grid, title: Text, names: Sequence[str]) -> bytes:
    """A table of a finished game: its first row are the heads, its first column the labels."""
    cast = Cast([_drawable(name) for name in names])
    rows = [[words.cell(cell, language, cast) for cell in row] for row in grid.rows]
    columns = len(rows[0]) - 1
    height = HEAD_IN + ENTRY_IN * len(rows) + 0.2
    figure = _sheet(words.plain(title, language), height)
    for line, row in enumerate(rows):
        y = 1 - (HEAD_IN + ENTRY_IN * (line + 0.5)) / height
        last = line == len(rows) - 1
        bold = "bold" if line == 0 or last else "normal"
        ink = COIN if last else INK
        style: dict[str, Any] = {"fontsize": SMALL, "fontweight": bold, "va": "center"}
        figure.text(LEFT, y, row[0], color=ink if last else SOFT, **style)
        for column, cell in enumerate(row[1:], 1):
            x = LABELS + (RIGHT - LABELS) * column / columns
            shown = _short_name(cell, columns) if line == 0 else cell
            figure.text(x, y, shown, color=ink, ha="right", **style)
    return png(figure)


def card(
    words: Words,
    language: str,
    *,
    name: str,
    rows: Sequence[Sequence[Text | str | float]],
    badges: Sequence[Text],
) -> bytes:
    """A profile: a row for each game with what was played, won, best and average, the row of one
    cell below it what else it remembers; then badges."""
    heads = [text(f"card.{it}") for it in ("played", "won", "best", "average")]
    said = [[words.cell(cell, language) for cell in row] for row in (("", *heads), *rows)]
    earned = [_drawable(words.plain(badge, language)) for badge in badges]
    height = HEAD_IN + ENTRY_IN * (len(said) + len(earned) + bool(earned)) + 0.2
    figure = _sheet(_drawable(name), height)
    for line, row in enumerate(said):
        y = 1 - (HEAD_IN + ENTRY_IN * (line + 0.5)) / height
        style: dict[str, Any] = {"fontsize": SMALL, "va": "center"}
        if len(row) == 1:
            figure.text(LEFT, y, row[0], color=SOFT, **style)
            continue
        figure.text(LEFT, y, row[0], color=INK, fontweight="bold", **style)
        for column, cell in enumerate(row[1:], 1):
            x = LABELS + (RIGHT - LABELS) * column / len(heads)
            figure.text(x, y, cell, color=INK if line else SOFT, ha="right", **style)
    for line, badge in enumerate(earned, len(said) + 1):
        y = 1 - (HEAD_IN + ENTRY_IN * (line + 0.3)) / height
        figure.text(LEFT, y, "★", color=COIN, fontsize=SMALL, va="center")
        figure.text(LEFT + 0.045, y, badge, color=INK, fontsize=SMALL, va="center")
    return png(figure)


def _sheet(title: str, height_in: float) -> Figure:
    """An empty figure with a title."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, height_in), dpi=DPI, facecolor=GROUND)
    head: dict[str, Any] = {"fontsize": LARGE, "fontweight": "bold", "color": INK, "va": "center"}
    figure.text(LEFT, 1 - HEAD_IN / 2 / height_in, title, **head)
    return figure


def _drawable(said: str) -> str:
    """What of a text the font can show, as it stands: no formula, no empty boxes."""
    from matplotlib.font_manager import fontManager, get_font

    font = get_font(fontManager.findfont("DejaVu Sans"))
    shown = "".join(it for it in said if it.isspace() or font.get_char_index(ord(it)))
    return " ".join(shown.split()).replace("$", r"\$")


def _short_name(name: str, columns: int) -> str:
    most = MOST_NAMES // columns
    return name if len(name) <= most else name[: max(1, most - 1)] + "…"


# -- parts of a chart -------------------------------------------------------------------------


def _panels(*entries: int) -> tuple[Figure, list[Axes]]:
    """A figure with one panel below another, each with room for so many entries of a legend."""
    from matplotlib.figure import Figure

    heads = [HEAD_IN + ENTRY_IN * _rows(count) for count in entries]
    height = top = sum(heads) + (PLOT_IN + FOOT_IN) * len(entries)
    figure = Figure(figsize=(WIDTH_IN, height), dpi=DPI, facecolor=GROUND)
    panels = []
    for head in heads:
        top -= head + PLOT_IN + FOOT_IN
        panel = figure.add_axes((0.165, (top + FOOT_IN) / height, 0.77, PLOT_IN / height))
        panel.set_facecolor(GROUND)
        panel.spines[:].set_visible(False)
        panel.tick_params(colors=SOFT, labelsize=SMALL, length=0, pad=7)
        panel.grid(axis="y", color=GRID, linewidth=1)
        panel.set_axisbelow(True)
        panels.append(panel)
    return figure, panels


def _rows(entries: int) -> int:
    return -(-entries // 2)


def _head(
    panel: Axes, title: str, total: _Line | None, legend: Sequence[_Line], language: str
) -> None:
    """Title and present value in one line, and below it the legend in two columns."""
    figure = panel.get_figure(root=True)
    assert figure
    height, top = figure.get_figheight(), panel.get_position().y1
    style: dict[str, Any] = {"fontsize": LARGE, "fontweight": "bold", "va": "center"}
    y = top + (ENTRY_IN * _rows(len(legend)) + HEAD_IN / 2) / height
    figure.text(LEFT, y, title, color=INK, **style)
    if total:
        value = number(total.held, language)
        figure.text(RIGHT, y, value, color=total.color, ha="right", **style)
    for n, entry in enumerate(legend):
        x = LEFT + (n % 2) * (RIGHT - LEFT) / 2
        y = top + (ENTRY_IN * (_rows(len(legend)) - n // 2) - 0.05) / height
        label = f"{entry.label}  {number(entry.held, language)}"
        figure.text(x, y, "■", color=entry.color, fontsize=SMALL, va="center")
        figure.text(x + 0.045, y, label, color=INK, fontsize=SMALL, va="center")


def _steps(panel: Axes, lines: Sequence[_Line], now: int, language: str) -> None:
    tracks = [(line.color, line.track) for line in lines if line.track]
    for color, track in tracks:
        times = [at / DAY_S for at in (track.times[0], *track.times, now)]
        held = [0, *track.held, track.held[-1]]
        panel.step(times, held, where="post", color=color, linewidth=2.2, zorder=3)
        panel.plot(times[-1:], held[-1:], "o", color=color, markersize=6, clip_on=False, zorder=4)
        if len(tracks) == 1:
            panel.fill_between(times, held, step="post", color=color, alpha=0.2, linewidth=0)
    _values(panel, max(max(track.held) for _, track in tracks), language)


def _values(panel: Axes, most: int, language: str) -> None:
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]).tick_values(0, max(most, 1))
    panel.set_ylim(0, max(ticks[-1], most) * 1.02)
    panel.set_yticks(ticks, [_short(int(tick), language) for tick in ticks])


def _short(value: int, language: str) -> str:
    if value < 1_000_000:
        return number(value, language)
    return str(format_compact_decimal(value, locale=language, fraction_digits=1))


def _time(panel: Axes, start: int, end: int, zone: tzinfo, language: str) -> None:
    form, ticks = _ticks(start, end, zone)
    labels = [formatted(tick, form, language) for tick in ticks]
    panel.set_xlim(start / DAY_S, end / DAY_S)
    panel.set_xticks([tick.timestamp() / DAY_S for tick in ticks], labels)


def _ticks(start: int, end: int, zone: tzinfo) -> tuple[str, list[datetime]]:
    """At most four full hours, days or months of the wall clock, and the form they are written in.

    Those too near to an end have no room for their label.
    """
    first = datetime.fromtimestamp(start + EDGE * (end - start), zone)
    last = datetime.fromtimestamp(end - EDGE * (end - start), zone)
    day = datetime(first.year, first.month, first.day, tzinfo=zone)
    for form, step, length_s in _STEPS:
        if (end - start) / length_s / step > 6:
            continue
        counted = range(0, 1440 + 8 * step, step)
        if form == "yMMM":
            months = (divmod(n, 12) for n in counted)
            wall = [day.replace(year=day.year + y, month=m + 1, day=1) for y, m in months]
        else:
            wall = [day + timedelta(seconds=length_s * n) for n in counted]
        ticks = [tick for tick in wall if first <= tick <= last]
        if len(ticks) <= MOST_TICKS[form]:
            return form, ticks
    return "yMMM", []


def png(figure: Figure) -> bytes:
    """A figure as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    file = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(file, format="png", dpi=DPI, facecolor=GROUND)
    return file.getvalue()
