"""What people read of the daily beside its board: where they stand, rankings, the morning after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from games.game import Lines, Text, text
from tgbot.done import Key, Row, key
from tgbot.hall.daily.attempts import NONE, Attempt, Place
from tgbot.hall.daily.days import Day, daily_game, later
from tgbot.words import When, isolated

SCOPE = "daily"
SQUARES = "⬜🟨🟩🟦"
"""How well a turn went, from a box crossed out to much more than usual."""
BY_TOTAL, BY_LOSS = "points", "choices"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an attempt puts somebody: in the world, in some of their groups, by their choices."""

    mine: Attempt
    world: Place
    groups: tuple[tuple[str, Place], ...]
    by_loss: Place | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of a ranking: its place, whose name, how many points or thousandths lost."""

    place: int
    name: str
    value: int


def title(day: Day) -> Text:
    """`📅 Daily · 1 Dec 2026`."""
    return text("daily.title", icon=daily_game().icon, day=day.date)


def today(
    day: Day, tomorrow: Day | None, it: Standing, zone: tzinfo
) -> tuple[Text, tuple[Row, ...]]:
    """A day that is not over: totals only, and no word of its dice."""
    lines = [title(day), *_mine(it), *_places(it), text("daily.totals_only"), _sealed(day, zone)]
    if tomorrow:
        lines.append(text("daily.tomorrow", seal=tomorrow.seal))
    bell = text("daily.bell_off" if it.mine.bell else "daily.bell_on")
    rows: tuple[Row, ...] = (
        (_key("daily.share", f"share {day.day}"), key(bell, SCOPE, f"bell {day.day}")),
        (_key("daily.ranking", f"{BY_TOTAL} {day.day}"), _key("daily.refresh", f"day {day.day}")),
    )
    return text("just", it=Lines(tuple(lines))), _counted(it, rows)


def over(day: Day, it: Standing, zone: tzinfo) -> tuple[Text, tuple[Row, ...]]:
    """A day that is over: both rankings, what James made of it, secret and analysis."""
    lines = [title(day), *_mine(it), *_places(it), *_james(day, it)]
    lines += [_sealed(day, zone), text("daily.secret", secret=day.secret.hex())]
    game_id = it.mine.game_id
    rows: tuple[Row, ...] = (
        (
            key(text("analysis.button"), game_id, "analysis"),
            _key("daily.share", f"share {day.day}"),
        ),
        (
            _key("daily.ranking", f"{BY_TOTAL} {day.day}"),
            key(text("result.verify"), game_id, "verify"),
        ),
        (_key("daily.today", "open"),),
    )
    return text("just", it=Lines(tuple(lines))), _counted(it, rows)


def card(day: Day, it: Standing) -> Text:
    """What is said beside the picture that people pass on: nothing of the dice."""
    place = text("daily.world", place=it.world.place, of=it.world.of)
    lines = (title(day), *_mine(it), place, text("daily.join_in"))
    return text("just", it=Lines(lines))


def ranking(
    day: Day, lines: Sequence[Ranked], by: str, *, group: str = "", here: bool = False
) -> tuple[Text, tuple[Row, ...]]:
    """The best of a day by `by`; in a `group` only those of its people."""
    key_ = "daily.rank_total" if by == BY_TOTAL else "daily.rank_loss"
    shown = [_ranked(line, by) for line in lines] or [text("daily.nobody")]
    where = text("just", it=group) if group else text("top.everywhere")
    about = [text("daily.about")] if here and not day.over else []
    body = text("just", it=Lines((title(day), text(key_, where=where), *shown, *about)))
    others: list[Key] = []
    if day.over:
        other = BY_LOSS if by == BY_TOTAL else BY_TOTAL
        others.append(_key(f"daily.by_{other}", f"{other} {day.day}"))
    before = _key("daily.day_before", f"{by} {later(day.day, -1)}")
    mine = () if here else (_key("daily.mine", f"day {day.day}"),)
    return body, ((before, *others), (*mine, _key("daily.play", "open")))


def morning(day: Day, it: Standing) -> Text:
    """What somebody who asked for it is told the morning after, as a notice keeps it."""
    said = text(
        "daily.morning",
        day=When(day.date),
        total=it.mine.total,
        place=it.world.place,
        of=it.world.of,
    )
    if day.best < 0 or it.by_loss is None:
        return text("daily.morning_more", it=said)
    with_james = text(
        "daily.morning_james",
        it=said,
        best=day.best,
        points=_points(it.mine.loss),
        place=it.by_loss.place,
    )
    return text("daily.morning_more", it=with_james)


def morning_keys(day: Day) -> tuple[Row, ...]:
    """What leads on from there: one's own result with the analysis, and both rankings."""
    rankings = (
        _key(f"daily.by_{BY_TOTAL}", f"{BY_TOTAL} {day.day}"),
        _key(f"daily.by_{BY_LOSS}", f"{BY_LOSS} {day.day}"),
    )
    return rankings, (_key("daily.mine", f"day {day.day}"), _key("daily.play", "open"))


# -- inside -----------------------------------------------------------------------------------


def squares(levels: str) -> str:
    """`🟦🟩🟩🟨⬜`."""
    return "".join(SQUARES[int(level)] for level in levels)


def _mine(it: Standing) -> list[Text]:
    mine = it.mine
    if not mine.levels:
        return [text("daily.none")]
    turns = len(mine.levels)
    lines = [text("daily.total", total=mine.total), text("just", it=squares(mine.levels))]
    if mine.loss == NONE:
        lines.append(text("daily.unfinished", n=turns))
    return [*lines, text("daily.streak", n=mine.streak)] if mine.streak > 1 else lines


def _places(it: Standing) -> list[Text]:
    if not it.mine.levels:
        return []
    world = text("daily.world", place=it.world.place, of=it.world.of)
    groups = [
        text("daily.group", group=isolated(name), place=at.place, of=at.of)
        for name, at in it.groups
    ]
    return [world, *groups]


def _james(day: Day, it: Standing) -> list[Text]:
    lines = [text("daily.james", best=day.best)] if day.best >= 0 else [text("daily.james_later")]
    if it.by_loss:
        place = {"place": it.by_loss.place, "of": it.by_loss.of}
        lines.append(text("daily.by_loss", points=_points(it.mine.loss), **place))
    return lines


def _ranked(line: Ranked, by: str) -> Text:
    lost = text("daily.loss", points=_points(line.value))
    value = text("daily.points", n=line.value) if by == BY_TOTAL else lost
    return text("top.line", place=line.place, name=isolated(line.name), value=value)


def _points(thousandths: int) -> float:
    return round(thousandths / 1000, 1)


def _sealed(day: Day, zone: tzinfo) -> Text:
    since = datetime.fromtimestamp(day.sealed_at, zone)
    return text("daily.sealed", seal=day.seal, since=since)


def _key(label: str, code: str) -> Key:
    return key(text(label), SCOPE, code)


def _counted(it: Standing, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The keys; of an attempt in which nothing was scored only those that lead on."""
    return rows if it.mine.levels else rows[-1:]
