"""What moves are worth and cost, as people read it: points, or percent of the pot (RULES 8)."""

from __future__ import annotations

from games.analysis import mark
from games.game import Text, text
from games.mind import Unit

TENTHS: dict[Unit, int] = {"points": 10, "share": 1000}
"""What a loss is rounded to; one that comes to nothing is not told."""


def worth(value: float, unit: Unit) -> Text:
    """`241.3 points`, `35.2 % of the pot`."""
    return text(f"worth.{unit}", it=bare(value, unit))


def told(loss: float, unit: Unit) -> bool:
    """Whether a loss is large enough to be told."""
    return round(TENTHS[unit] * loss) > 0


def cost(loss: float, unit: Unit) -> Text:
    """`−19.4 ??`; of a move that is as good as the best `±0`."""
    if not told(loss, unit):
        return text("worth.free")
    sign = mark(loss, unit)
    return text("worth.cost", loss=bare(loss, unit), mark=f"\u00a0{sign}" if sign else "")


def bare(value: float, unit: Unit) -> Text:
    """`241.3`, `35.2 %`."""
    return text("just", it=float(value)) if unit == "points" else text("percent", it=100 * value)
