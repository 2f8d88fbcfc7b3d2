"""What several boards show: players, charms, titles, pots."""

from __future__ import annotations

from economy.ledger import COINS
from games.fairness import CHARMS
from games.game import Name, Text, text
from tgbot.done import Row, key
from tgbot.hall.table import Table
from tgbot.people.amounts import amount

Layout = tuple[list[Text], tuple[Row, ...]]


MEDALS = "🥇🥈🥉"


def player(table: Table, seat: int) -> Text:
    """`Anna 🍀`."""
    charm = CHARMS[table.sittings[seat].charm]
    if not charm:
        return text("name", name=Name(seat))
    return text("lobby.player_charm", name=Name(seat), charm=charm)


def charms(table: Table) -> Row:
    """The row of charms: pressed after joining, or instead of it (RULES 7)."""
    numbered = enumerate(CHARMS[1:], 1)
    return tuple(key(text("just", it=charm), table.id, f"charm{n}") for n, charm in numbered)


def title_line(table: Table, free: str, staked: str) -> Text:
    game = table.game
    if table.stake:
        stake = amount(table.stake, COINS)
        return text(staked, icon=game.icon, game=game.title(), stake=stake)
    return text(free, icon=game.icon, game=game.title())


def money(table: Table, held: dict[str, int] | object) -> Text:
    assert isinstance(held, dict)
    parts = [
        text("points", n=held[currency])
        if currency == table.kind
        else amount(held[currency], COINS)
        for currency in (table.kind, COINS)
        if held.get(currency)
    ]
    return text("and", first=parts[0], second=parts[1]) if len(parts) > 1 else parts[0]


def analysis_row(table: Table) -> Row:
    """The button of the analysis, where there is a mind to make one."""
    return (key(text("analysis.button"), table.id, "analysis"),) if table.game.mind else ()
