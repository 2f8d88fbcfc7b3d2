"""The boards of games that have ended: results, and what was called off or stopped."""

from __future__ import annotations

from economy.ledger import COINS
from games.game import Name, Sides, Text, text
from tgbot.done import key
from tgbot.hall.table import EMPTY, Sitting, Table
from tgbot.outbound.layouts.common import MEDALS, Layout, analysis_row, bell, hints_had, money
from tgbot.people.amounts import amount

WITHOUT_RESULT = ("stopped", "void")
"""Games that were ended before anybody had won."""


def over(table: Table) -> Layout:
    """The result in one list: place, name, total, how it came about, what was won."""
    lines = [_title(table), _reason(table)]
    placed = sorted((s for s in table.sittings if s.place), key=lambda s: (s.place, s.seat))
    lines += [_place_line(table, sitting) for sitting in placed]
    out = [sitting for sitting in table.sittings if not sitting.place]
    view = table.game.view
    lines += [text("result.out", name=Name(s.seat), how=view.how(table.state, s.seat)) for s in out]
    if table.robin:
        lines.append(text("robin.was_here", robin=amount(table.robin, COINS)))
    lines += _feats(table)
    lines += _jackpot_lines(table)
    lines += hints_had(table)
    lines.append(text("result.game", game=table.id))
    sheets = [key(text("result.sheets"), table.id, "sheets")] if table.game.sheets else []
    return lines, (
        (
            key(text("result.again"), table.id, "again", style="success"),
            *sheets,
            *analysis_row(table),
            key(text("result.verify"), table.id, "verify"),
        ),
    )


def _title(table: Table) -> Text:
    game = table.game
    if table.stake:
        stake = amount(table.stake, COINS)
        return text("result.title_stake", icon=game.icon, game=game.title(), stake=stake)
    return text("result.title_free", icon=game.icon, game=game.title())


def _reason(table: Table) -> Text:
    """Who won and why, and by how much where nobody is level."""
    placed = sorted((s for s in table.sittings if s.place), key=lambda s: (s.place, s.seat))
    name = Name(placed[0].seat) if placed else ""
    line = text(f"{table.kind}.reason.{table.result['reason']}", name=name)
    if len(placed) < 2 or placed[0].place == placed[1].place:
        return line
    first, second = (table.game.view.reached(table.state, s.seat) for s in placed[:2])
    return text("result.by", line=line, n=first - second) if first > second else line


def _place_line(table: Table, sitting: Sitting) -> Text:
    """`🥇 Anna 134 (…) · +40`: a player who has a place, and what they won."""
    view, won = table.game.view, {table.kind: sitting.points, COINS: sitting.coins}
    medal = MEDALS[sitting.place - 1] if sitting.place <= len(MEDALS) else f"{sitting.place}."
    said = {
        "medal": medal,
        "name": Name(sitting.seat),
        "total": view.reached(table.state, sitting.seat),
        "how": view.how(table.state, sitting.seat),
    }
    if not any(won.values()):
        return text("result.place_only", **said)
    return text("result.place", **said, won=money(table, won))


def _feats(table: Table) -> list[Text]:
    """What was a record of the day, and which badges were earned: a line for each person."""
    told: dict[int, list[Text]] = {}
    for seat, board, value in table.result.get("records", ()):
        told.setdefault(seat, []).append(text(f"{table.kind}.record.{board}", n=value))
    for seat, badge in table.result.get("badges", ()):
        said = text("result.badge", badge=text(f"{table.kind}.badge.{badge}"))
        told.setdefault(seat, []).append(said)
    return [
        text("result.feats", name=Name(seat), feats=Sides(tuple(feats)))
        for seat, feats in told.items()
    ]


def _jackpot_lines(table: Table) -> list[Text]:
    """What the jackpot paid, and what it was fed."""
    lines = []
    won, fed = table.result["from"], table.result["to"]
    if won[COINS] or won["points"]:
        pool = {table.kind: won["points"], COINS: won[COINS]}
        lines.append(text("result.jackpot_won", pool=money(table, pool)))
    if table.robin and fed[COINS]:
        lines.append(text("robin.back", robin=amount(fed[COINS], COINS)))
        fed = {**fed, COINS: 0}
    if fed[COINS] or fed["points"]:
        pool = {table.kind: fed["points"], COINS: fed[COINS]}
        now = money(table, table.jackpot)
        lines.append(text("result.jackpot_fed", pool=money(table, pool), jackpot=now))
    return lines


def off(table: Table) -> Layout:
    """A lobby that was called off: nobody came, or too few."""
    again = key(text("result.again"), table.id, "again", style="success")
    title = {"icon": table.game.icon, "game": table.game.title()}
    if table.result.get("why") == EMPTY:
        return [text("off.empty", **title)], ((again, bell(table)),)
    key_ = "off.stake" if table.stake else "off.free"
    return [text("off.title", **title), text(key_)], ((again, bell(table)),)


def stopped(table: Table) -> Layout:
    """A game that was stopped or void: why, and that every stake is back."""
    title = table.game.title()
    returned = text("stop.stakes") if table.stake else text("stop.free")
    why = table.result.get("why")
    lines = [text("stop.title", icon=table.game.icon, game=title)]
    if why:
        lines.append(text(f"stop.why_{why}"))
    lines.append(returned)
    if table.solo:
        lines.append(text("lobby.sealed", seal=table.sealed))
    lines.append(text("result.game", game=table.id))
    return lines, ((key(text("result.verify"), table.id, "verify"),),)
