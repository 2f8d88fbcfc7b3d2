"""The boards of games that have ended: results, and what was called off or stopped."""

from __future__ import annotations

from economy.ledger import COINS
from games.game import Lines, Name, Sides, Text, text
from tgbot.done import Key, key
from tgbot.hall.table import EMPTY, Sitting, Table
from tgbot.outbound.layouts.common import (
    MEDALS,
    Layout,
    analysis_row,
    bell,
    feats,
    hints_had,
    money,
    seal,
)
from tgbot.people.amounts import amount

WITHOUT_RESULT = ("stopped", "void")
"""Games that were ended before anybody had won."""
MOST_IN_FULL = 6
"""Of more players only those on the medal places have a line each."""


def over(table: Table) -> Layout:
    """The result in one list: place, name, total, how it came about, what was won."""
    lines = [_title(table), reason(table)]
    lines += _everybody(table)
    if table.robin:
        lines.append(text("robin.was_here", robin=amount(table.robin, COINS)))
    lines += feats(table)
    lines += _jackpot_lines(table)
    lines += [*hints_had(table), *seal(table), text("result.game", game=table.id)]
    sheets = [key(text("result.sheets"), table.id, "sheets")] if table.game.sheets else []
    again = (_again(table), *sheets)
    more = (*analysis_row(table), key(text("result.verify"), table.id, "verify"))
    # A label that names the stake needs room.
    return lines, ((again, more) if sheets or table.stake else ((*again, *more),))


def _again(table: Table) -> Key:
    """The key that asks everybody to another one, and what that costs who presses."""
    label = text("result.again_stake", n=table.stake) if table.stake else text("result.again")
    return key(label, table.id, "again", style="success")


def _title(table: Table) -> Text:
    game = table.game
    if table.stake:
        stake = amount(table.stake, COINS)
        return text("result.title_stake", icon=game.icon, game=game.title(), stake=stake)
    return text("result.title_free", icon=game.icon, game=game.title())


def reason(table: Table) -> Text:
    """Who won and why, and by how much where nobody is level."""
    if table.practice:
        return _against_james(table)
    placed = [sitting for sitting in _ranked(table) if sitting.place]
    name = Name(placed[0].seat) if placed else ""
    line = text(f"{table.kind}.reason.{table.result['reason']}", name=name)
    if len(placed) < 2 or placed[0].place == placed[1].place:
        return line
    first, second = (table.game.view.reached(table.state, s.seat) for s in placed[:2])
    return text("result.by", line=line, n=first - second) if first > second else line


def _against_james(table: Table) -> Text:
    """How the one person did against James."""
    (james,), (person,) = table.guests, table.people
    name, view = Name(person.seat), table.game.view
    stays = james in table.game.rules.seated(table.state)
    if not person.place:
        return text("james.stays" if stays else "james.both", name=name)
    if not stays:
        return text("james.out", name=name)
    ahead = view.reached(table.state, person.seat) - view.reached(table.state, james)
    verdict = "james.beaten" if ahead > 0 else "james.ahead" if ahead < 0 else "james.level"
    return text(verdict, name=name, n=abs(ahead))


def _ranked(table: Table) -> list[Sitting]:
    """Those with a place from the first one down, then James, who has none, then who is out."""
    seated = table.game.rules.seated(table.state)

    def rank(sitting: Sitting) -> tuple[int, int, int]:
        plays_on = sitting.seat in table.guests and sitting.seat in seated
        return 0 if sitting.place else 1 if plays_on else 2, sitting.place, sitting.seat

    return sorted(table.sittings, key=rank)


def _everybody(table: Table) -> list[Text]:
    """The list from the first place down; of many those behind the medals in a quote that folds."""
    ranked = _ranked(table)
    if len(ranked) <= MOST_IN_FULL:
        return [_result_line(table, sitting) for sitting in ranked]
    full = [s for s in ranked if s.seat in table.guests or 0 < s.place <= len(MEDALS)]
    placed = tuple(_in_short(table, s) for s in ranked if s.place and s not in full)
    out = tuple(text("name", name=Name(s.seat)) for s in ranked if not s.place and s not in full)
    rest = [text("just", it=Sides(placed))] if placed else []
    rest += [text("result.out_short", names=out)] if out else []
    return [
        *(_result_line(table, sitting) for sitting in full),
        *([text("result.rest", rest=Lines(tuple(rest)))] if rest else []),
    ]


def _in_short(table: Table, sitting: Sitting) -> Text:
    """`4. Ida 36`."""
    total = table.game.view.reached(table.state, sitting.seat)
    return text("result.in_short", place=sitting.place, name=Name(sitting.seat), total=total)


def _result_line(table: Table, sitting: Sitting) -> Text:
    """What somebody reached; of who is out, why."""
    if sitting.place:
        return _place_line(table, sitting)
    said = {"name": Name(sitting.seat), "how": table.game.view.how(table.state, sitting.seat)}
    if sitting.seat not in table.guests or sitting.seat not in table.game.rules.seated(table.state):
        return text("result.out", **said)
    total = table.game.view.reached(table.state, sitting.seat)
    return text("result.james", **said, total=total)


def _place_line(table: Table, sitting: Sitting) -> Text:
    """`🥇 Anna 134 (…) +40`: a player who has a place, and what they won."""
    view = table.game.view
    medal = MEDALS[sitting.place - 1] if sitting.place <= len(MEDALS) else f"{sitting.place}."
    if table.practice:
        medal = "🎲"
    said = {
        "medal": medal,
        "name": Name(sitting.seat),
        "total": view.reached(table.state, sitting.seat),
        "how": view.how(table.state, sitting.seat),
    }
    if sitting.points and sitting.coins:
        won = text("result.won_both", coins=sitting.coins, points=sitting.points)
    elif sitting.points or sitting.coins:
        won = money(table, {table.kind: sitting.points, COINS: sitting.coins})
    else:
        return text("result.place_only", **said)
    return text("result.place", **said, won=won)


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
    again = _again(table)
    title = {"icon": table.game.icon, "game": table.game.title()}
    if table.result.get("why") == EMPTY:
        return [text("off.empty", **title)], ((again, bell(table)),)
    key_ = "off.stake" if table.stake else "off.free"
    with_him = key(text("james.instead"), table.id, "practise")
    rows = ((again, bell(table)), *(((with_him,),) if table.game.mind else ()))
    return [text("off.title", **title), text(key_)], rows


def stopped(table: Table) -> Layout:
    """A game that was stopped or void: why, and that every stake is back."""
    title = table.game.title()
    returned = text("stop.stakes") if table.stake else text("stop.free")
    why = table.result.get("why")
    lines = [text("stop.title", icon=table.game.icon, game=title)]
    if why:
        lines.append(text(f"stop.why_{why}"))
    lines += [returned, *seal(table)]
    lines.append(text("result.game", game=table.id))
    return lines, ((key(text("result.verify"), table.id, "verify"),),)
