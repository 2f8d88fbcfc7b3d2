"""The board of a lobby, and what it keeps saying afterwards."""

from __future__ import annotations

from economy.ledger import COINS
from economy.pots import points_in_pot, split
from games.game import Name, Text, Until, text
from tgbot.done import Row, key
from tgbot.hall.table import Table
from tgbot.outbound.layouts.common import MEDALS, Layout, bell, charms, money, player


def lobby(table: Table) -> Layout:
    """Who sits there, when it starts, and the keys to join, start, wait and leave."""
    lines = kept_lines(table)
    waiting = range(len(table.sittings), len(everybody(table)))
    if missing := [seat for seat in waiting if not _has_joined(table, seat)]:
        names = tuple(text("name", name=Name(seat)) for seat in missing)
        lines.insert(1, text("lobby.again", names=names))
    missing_n = table.game.seats[0] - len(table.sittings)
    when = text("lobby.starts", ends=Until())
    if not table.enough:
        james = table.james and table.may_practise
        when = text("lobby.needs", n=missing_n, ends=Until())
        when = text("james.or_practice", ends=Until()) if james else when
    lines.insert(-1, when)
    if table.may_practise and not table.james:
        lines.insert(-1, text("james.offer"))
    if typed := min(table.game.commands, key=lambda name: (len(name), name), default=""):
        lines.append(text("lobby.hint", command=typed))
    join = text("lobby.join_stake", n=table.stake) if table.stake else text("lobby.join")
    ready = sum(sitting.ready for sitting in table.sittings)
    start = text("lobby.start")
    if ready:
        start = text("lobby.start_ready", n=ready, of=len(table.sittings))
    return lines, (
        (
            key(join, table.id, "join", style="success"),
            key(start, table.id, "start", style="primary"),
            key(text("lobby.wait"), table.id, "wait"),
        ),
        charms(table),
        *_more(table),
    )


def _more(table: Table) -> tuple[Row, ...]:
    """The keys that are pressed less: in one row, or where that would be long in two."""
    pin = [key(text("pin.key"), "pin", table.id)] if table.options.get("pins") else []
    beside = (*_james(table), bell(table), *pin)
    always = (
        key(text("rules.button"), table.id, "rules"),
        key(text("lobby.leave"), table.id, "leave"),
    )
    return (beside, always) if len(beside) > 2 else ((*beside, *always),)


def _james(table: Table) -> Row:
    """The button that has him sit down or get up, where he plays the game (RULES 8)."""
    label = text("james.remove" if table.james else "james.add")
    return (key(label, table.id, "james"),) if table.game.mind else ()


def kept_lines(table: Table) -> list[Text]:
    """Title, jackpot, players, pot and seal: what a lobby's board keeps saying afterwards."""
    fewest, most = table.game.seats
    seats = text("lobby.seats", fewest=fewest, most=most)
    stake = text("lobby.stake", stake=table.stake) if table.stake else text("lobby.free")
    title = {"icon": table.game.icon, "game": table.game.title(), "stake": stake}
    lines = [text("lobby.title", **title, seats=seats)]
    if table.status == "lobby" and table.winnable:
        lines.append(_winnable(table))
    if table.sittings:
        players = tuple(player(table, seat) for seat in range(len(table.sittings)))
        if table.status == "lobby" and table.james:
            players = (*players, text("james.name"))
        lines.append(text("lobby.players", names=players))
        lines += [_pot(table)] if table.enough else []
    else:
        lines.append(text("lobby.empty"))
    lines.append(text("lobby.sealed", seal=table.sealed))
    return lines


def _winnable(table: Table) -> Text:
    """What of the jackpot this game could win (RULES 1.6)."""
    fewest = int(table.options.get("jackpot_players", 0))
    key_ = "lobby.jackpot" if table.for_jackpot else "lobby.jackpot_from"
    return text(key_, jackpot=money(table, table.winnable), fewest=fewest)


def _pot(table: Table) -> Text:
    """The pot of those who sit there and what each place would get: Knuddels, else points."""
    n = len(table.people)
    pot = table.pot or points_in_pot(n, table.stake)
    paid = text("just", it="→")
    for medal, units in zip(MEDALS, split(pot, n), strict=False):
        if units:
            paid = text("lobby.share", paid=paid, medal=medal, units=units)
    currency = COINS if table.pot else table.kind
    return text("lobby.pot", pot=money(table, {currency: pot}), shares=paid)


def everybody(table: Table) -> list[int]:
    """The user ids of those who sit there, then of those invited to another game."""
    return [s.user_id for s in table.sittings] + [user for user, _ in table.invited]


def _has_joined(table: Table, seat: int) -> bool:
    return everybody(table)[seat] in {s.user_id for s in table.sittings}
