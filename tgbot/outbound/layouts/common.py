"""What several boards show: players, charms, amounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from economy.ledger import COINS
from games.fairness import CHARMS
from games.game import Name, Sides, Text, text
from tgbot.done import Key, Row, key
from tgbot.hall.table import Table
from tgbot.people.amounts import amount

Layout = tuple[list[Text], tuple[Row, ...]]
"""The lines of a board and its rows of keys."""
MEDALS = "🥇🥈🥉"
FEW_BADGES = 3
"""As many people who earned badges have a line each."""


def player(table: Table, seat: int) -> Text:
    """A player with their charm, if they chose one: `Anna 🍀`."""
    charm = CHARMS[table.sittings[seat].charm]
    if not charm:
        return text("name", name=Name(seat))
    return text("lobby.player_charm", name=Name(seat), charm=charm)


def charms(table: Table) -> Row:
    """The row of charms: pressed after joining, in a free game also instead of it (RULES 7)."""
    numbered = enumerate(CHARMS[1:], 1)
    return tuple(key(text("just", it=charm), table.id, f"charm{n}") for n, charm in numbered)


def money(table: Table, held: Mapping[str, int]) -> Text:
    """Points of this game and coins, as far as any of either are `held`; something must be."""
    amounts = [
        text("points", n=held[currency])
        if currency == table.kind
        else amount(held[currency], COINS)
        for currency in (table.kind, COINS)
        if held.get(currency)
    ]
    return text("and", first=amounts[0], second=amounts[1]) if len(amounts) > 1 else amounts[0]


def hints_had(table: Table) -> list[Text]:
    """Who had how many hints (RULES 8); nothing before anybody had one."""
    had = tuple(
        text("hint.had", name=Name(seat), n=sitting.hints)
        for seat, sitting in enumerate(table.sittings)
        if sitting.hints
    )
    return [text("hint.counted", had=had)] if had else []


def feats(table: Table) -> list[Text]:
    """What was a record of the day, and which badges were earned: a line for each person.

    Where many earned some, it is a line for each badge.
    """
    records = table.result.get("records", ())
    badges = table.result.get("badges", ())
    told: dict[int, list[Text]] = {}
    for seat, board, value in records:
        told.setdefault(seat, []).append(text(f"{table.kind}.record.{board}", n=value))
    if len({seat for seat, _ in badges}) > FEW_BADGES:
        return [*_of_each(told), *_badges(table, badges)]
    for seat, badge in badges:
        said = text("result.badge", badge=text(f"{table.kind}.badge.{badge}"))
        told.setdefault(seat, []).append(said)
    return _of_each(told)


def _of_each(told: Mapping[int, list[Text]]) -> list[Text]:
    return [
        text("result.feats", name=Name(seat), feats=Sides(tuple(feats)))
        for seat, feats in told.items()
    ]


def _badges(table: Table, badges: Sequence[tuple[int, str]]) -> list[Text]:
    """`🏅 first bullseye: Anna, Ben`."""
    earned: dict[str, list[Text]] = {}
    for seat, badge in badges:
        earned.setdefault(badge, []).append(text("name", name=Name(seat)))
    return [
        text("result.badges", badge=text(f"{table.kind}.badge.{badge}"), names=tuple(names))
        for badge, names in earned.items()
    ]


def analysis_row(table: Table) -> Row:
    """The button of the analysis, where there is a mind to make one."""
    return (key(text("analysis.button"), table.id, "analysis"),) if table.game.mind else ()


def seal(table: Table) -> list[Text]:
    """The seal of a game that had no lobby to show it."""
    key_ = "lobby.sealed" if table.open else "result.sealed"
    return [text(key_, seal=table.sealed)] if table.alone else []


def bell(table: Table) -> Key:
    """The key by which somebody is told when a game opens here."""
    return key(text("bell.key"), "bell", f"here {table.id}")
