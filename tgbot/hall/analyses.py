"""Analyses of finished games as people read them (RULES 8).

What they say is worked out in a thread, one game at a time, and kept for those who ask after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Any

from games.analysis import Decision, Sheet, analyse, decision_at, net_luck
from games.game import Game, Lines, Name, Text, text
from games.mind import NotReady, Unit
from tgbot import charts
from tgbot.done import Done, Drawing, Key, Row, Say, key
from tgbot.hall import worths
from tgbot.hall.retries import Retry
from tgbot.hall.table import Recorded, Table, first_state, values
from tgbot.words import Words

MOST_KEPT = 100
"""Games whose analysis is kept."""
MOST_AT_ONCE = 3
"""Who asks while so many others wait for theirs is asked to come back."""
SCALES: dict[Unit, int] = {"points": 1, "share": 1000}
"""What a sum is rounded to: points, and tenths of a percent."""


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say about the player in a seat, without whose it is: the sum, and lines.

    `again` are the numbers of the moves that cost them most, where there was another one to make.
    """

    seat: int
    sum: Text
    lines: tuple[Text, ...]
    sheet: Sheet
    again: tuple[int, ...] = ()


@dataclass
class Analyses:
    """The analyses of one process. Threads share it."""

    _kept: dict[str, tuple[Page, ...]] = field(default_factory=dict)
    _reckoning: Lock = field(default_factory=Lock)
    _places: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MOST_AT_ONCE))

    def tell(
        self,
        table: Table,
        moves: Sequence[Recorded],
        user_id: int,
        language: str,
        *,
        seat: int | None = None,
        edit: int = 0,
        chart: bool = False,
    ) -> Done:
        """A private message about `seat` of a finished game, else about the reader themselves.

        It takes up to some seconds. `edit` is the message it is put into; a `chart` is a new one.
        """
        found = self._found(table, moves)
        names = tuple(table.names)
        if isinstance(found, Text):
            return Done(say=(Say(user_id, found, language, edit=edit),))
        own = _seat(table, user_id)
        # Everybody sees their own first.
        turned = sorted(found, key=lambda page: (page.seat != own, page.seat))
        at = next((n for n, page in enumerate(turned) if page.seat == seat), 0)
        page = turned[at]
        head = "analysis.own" if page.seat == own else "analysis.other"
        it = {"icon": table.game.icon, "name": Name(page.seat), "sum": page.sum}
        if chart:
            picture = Drawing(("analysis", table.id, page.seat), partial(_chart, page, table.game))
            said = Say(user_id, text(head, **it), language, names=names, picture=picture)
        else:
            body = text("just", it=Lines((text(head, **it), *page.lines)))
            rows = _keys(table, turned, at, own)
            said = Say(user_id, body, language, rows, edit=edit, names=names)
        return Done(say=(said,))

    def retry(
        self,
        table: Table,
        moves: Sequence[Recorded],
        user_id: int,
        language: str,
        *,
        nth: int,
        chosen: int | None,
        edit: int,
    ) -> Done:
        """Asks somebody one of their own worst decisions, or answers what they would do now."""
        own = _seat(table, user_id)
        if own is None:  # a forged press, which is not worth seconds of work
            return Done(toast=text("refused.stale"))
        found = self._found(table, moves)
        if isinstance(found, Text):
            return Done(toast=found)
        again = next((page.again for page in found if page.seat == own), ())
        if nth >= len(again):
            return Done(toast=text("refused.stale"))
        played = [(seat, move, values(dice)) for seat, move, dice in moves]
        first = first_state(table, moves)
        retry = Retry(table, own, decision_at(table.game, first, played, again[nth]), nth)
        if chosen is None:
            body, rows = retry.question()
        else:
            body, rows = retry.answer(chosen, more=nth + 1 < len(again))
        names = tuple(table.names)
        return Done(say=(Say(user_id, body, language, rows, edit=edit, names=names),))

    def _found(self, table: Table, moves: Sequence[Recorded]) -> tuple[Page, ...] | Text:
        """The pages of a game, or why there are none."""
        if not self._places.acquire(blocking=False):
            return text("analysis.busy")
        try:
            with self._reckoning:
                return self._pages(table, moves) or text("analysis.none")
        except NotReady:
            return text("analysis.not_ready", game=table.game.title())
        finally:
            self._places.release()

    def _pages(self, table: Table, moves: Sequence[Recorded]) -> tuple[Page, ...]:
        found = self._kept.pop(table.id, None)
        if found is None:
            found = pages(table, moves)
        self._kept[table.id] = found
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return found


def _seat(table: Table, user_id: int) -> int | None:
    """Where somebody sat."""
    sitting = table.sitting(user_id)
    return sitting.seat if sitting else None


def pages(table: Table, moves: Sequence[Recorded]) -> tuple[Page, ...]:
    """A page for everybody who decided something and stayed. Raises `NotReady`."""
    played = [(seat, move, values(dice)) for seat, move, dice in moves]
    sheets = analyse(table.game, first_state(table, moves), played)
    people = {sitting.seat for sitting in table.people}
    return tuple(page_of(table.game, sheets, sheet) for sheet in sheets if sheet.seat in people)


def page_of(game: Game[Any], sheets: Sequence[Sheet], sheet: Sheet) -> Page:
    """What a sheet of a game says."""
    lines = [text("analysis.like", like=sheet.like_james, n=len(sheet.decisions))]
    worst = [it for it in sheet.worst if worths.told(it.loss, sheet.unit)]
    lines += [_bad(game, sheet, place, decision) for place, decision in enumerate(worst, 1)]
    if not worst:
        lines.append(text("analysis.perfect"))
    if len(sheets) > 1:
        luck = round(net_luck(sheets, sheet.seat) * SCALES[sheet.unit])
        against = [other.seat for other in sheets if other.seat != sheet.seat]
        if len(against) == 1:
            name = Name(against[0])
            lines.append(text("analysis.luck_against", name=name, it=_signed(luck, sheet.unit)))
        else:
            lines.append(text("analysis.luck", it=_signed(luck, sheet.unit)))
    kept = replace(sheet, decisions=())
    again = tuple(it.n for it in worst if len(it.values) > 1)
    return Page(sheet.seat, _sum(sheet), tuple(lines), kept, again)


def _sum(sheet: Sheet) -> Text:
    """`247 = 316 start − 45 dice − 24 choices`; rounded so that it still adds up."""
    scale = SCALES[sheet.unit]
    result, start, choices = (
        round(worth * scale) for worth in (sheet.result, sheet.start, sheet.choices)
    )
    dice = result - start + choices
    return text(
        "analysis.sum",
        result=_shown(result, sheet.unit),
        start=_shown(start, sheet.unit),
        dice=_spaced(dice, sheet.unit),
        choices=_spaced(-choices, sheet.unit, zero="−"),
    )


def _bad(game: Game[Any], sheet: Sheet, place: int, decision: Decision) -> Text:
    """`1. turn 12, 6 6 6 6 6: Threes, better Yahtzee −19.4 ??`."""
    assert game.named
    assert game.situation
    state, seat = decision.state, sheet.seat
    chosen = text("analysis.late")
    if decision.move in game.rules.legal(state, seat):
        chosen = game.named(state, seat, decision.move)
    return text(
        "analysis.bad",
        place=place,
        where=game.situation(state, seat),
        move=chosen,
        better=game.named(state, seat, decision.better),
        cost=worths.cost(decision.loss, sheet.unit),
    )


def _keys(table: Table, found: Sequence[Page], at: int, own: int | None) -> tuple[Row, ...]:
    """What leads round to the players before and after and back to the first, to a question about
    one's own decisions, and to the chart."""

    def shows(label: Text, page: Page, more: str = "") -> Key:
        return key(label, "analysis", f"{table.id} {page.seat}{more}")

    page = found[at]
    row = [shows(text("analysis.chart"), page, " chart")]
    if page.seat == own and page.again:
        row.insert(0, key(text("retry.button"), "retry", f"{table.id} 0"))
    if len(found) == 1:
        return (tuple(row),)
    turns = (
        shows(text("analysis.before"), found[at - 1]),
        shows(text("analysis.page", n=at + 1, of=len(found)), found[0]),
        shows(text("analysis.after"), found[(at + 1) % len(found)]),
    )
    return turns, tuple(row)


def _chart(page: Page, game: Game[Any], words: Words, language: str) -> bytes:
    """What the game was worth to them move by move; shares of the pot in percent."""
    factor = 1 if page.sheet.unit == "points" else 100
    path = [(factor * before, factor * after) for before, after in page.sheet.path]
    result = factor * page.sheet.result
    title = text(f"chart.worth_{page.sheet.unit}", game=game.title())
    return charts.decisions(words, language, title=title, path=path, result=result)


def _shown(steps: int, unit: Unit) -> Text:
    """So many points, or tenths of a percent."""
    return text("just", it=steps) if unit == "points" else text("percent", it=steps / 10)


def _spaced(steps: int, unit: Unit, *, zero: str = "+") -> Text:
    """As a part of a sum, `− 45`."""
    sign = "−" if steps < 0 else "+" if steps else zero
    return text("analysis.part", sign=sign, it=_shown(abs(steps), unit))


def _signed(steps: int, unit: Unit) -> Text:
    """By itself, `−12`."""
    sign = "−" if steps < 0 else "+" if steps else "±"
    return text("analysis.signed", sign=sign, it=_shown(abs(steps), unit))
