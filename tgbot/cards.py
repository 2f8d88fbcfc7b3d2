"""Cards: pictures that people pass on. Drawn as charts are (see `charts.py`), in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from games.game import text
from tgbot.charts import COIN, DPI, GRID, GROUND, INK, LEFT, LINES, RIGHT, SOFT, WIDTH_IN, png
from tgbot.words import Words, number

HEIGHT_IN = 2.7
FILLS = (None, COIN, LINES[1], LINES[0])
"""The colours of a square, by how well the turn went; none for one that brought nothing."""
ACROSS = 15
"""Squares in a row."""


def daily(
    words: Words,
    language: str,
    *,
    day: date,
    total: int,
    place: int,
    of: int,
    levels: Sequence[int],
    streak: int,
) -> bytes:
    """What somebody reached in a daily: total, place, a square a turn, days in a row; no dice.

    A square is filled the higher the better the turn went: colour is not all that tells.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), dpi=DPI, facecolor=GROUND)

    def write(x: float, y: float, said: str, size: int, color: str, align: str = "left") -> None:
        figure.text(x, y, said, fontsize=size, color=color, ha=align, va="center", weight="bold")

    def say(key: str, **args: object) -> str:
        return words.plain(text(key, **args), language)

    write(LEFT, 0.88, say("card.daily", day=day), 15, SOFT)
    write(LEFT, 0.66, number(total, language), 38, INK)
    write(LEFT, 0.45, say("card.points", n=total), 14, INK)
    write(RIGHT, 0.68, say("card.place", place=place, of=of), 17, COIN, "right")
    if streak > 1:
        write(RIGHT, 0.45, say("card.streak", n=streak), 14, INK, "right")
    step = (RIGHT - LEFT) / ACROSS
    side, aspect = step * 0.84, WIDTH_IN / HEIGHT_IN
    for n in range(ACROSS):
        level = levels[n] if n < len(levels) else 0
        at = (LEFT + n * step, 0.14)
        figure.patches.append(
            Rectangle(at, side, side * aspect, transform=figure.transFigure, facecolor=GRID)
        )
        if color := FILLS[level]:
            high = side * aspect * level / (len(FILLS) - 1)
            filled = Rectangle(at, side, high, transform=figure.transFigure, facecolor=color)
            figure.patches.append(filled)
    return png(figure)
