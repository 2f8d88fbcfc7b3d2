"""Boards: a picture of a game becomes the text and keyboard of its message (BOARDS.md)."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass, replace

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from economy.ledger import COINS
from economy.pots import points_in_pot, split
from games.fairness import CHARMS
from games.game import HOUSE, Board, Lines, Name, Text, Until, text
from tgbot import press
from tgbot.done import Key, Row, key
from tgbot.hall.best_lists import standing_line
from tgbot.hall.table import EMPTY, Sitting, Table
from tgbot.people.amounts import amount
from tgbot.words import Cast, Words

LONGEST = 4096
LONGEST_CAPTION = 1024
MEDALS = "🥇🥈🥉"
SHOWN = ("running", "over")
"""Games whose throws are shown to the end."""

_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class BoardMessage:
    """A message as it is to be: which board and scene of which phase, and when its time ends."""

    html: str
    keyboard: InlineKeyboardMarkup | None
    revision: int
    scene: int
    rev: int
    ends: int


def message(table: Table, seat: int, words: Words, now: float) -> BoardMessage:
    """The newest board of a seat, or everybody's (`games.game.HOUSE`).

    The phase's time counts from `now` (unix seconds) if it was not shown yet.
    """
    phase, showing = table.phase(seat), table.showing(seat)
    ends = showing.due_at if showing.shown else math.ceil(now) + phase.time_s
    cast = Cast(
        names=table.names + [name for _, name in table.invited],
        users=[s.user_id for s in table.sittings] + [user for user, _ in table.invited],
        mention=_mentioned(table) if seat == HOUSE else frozenset(),
        ends=ends,
        now=math.ceil(now),
    )
    lines, rows = _LAYOUT[table.status](table) if seat == HOUSE else _own(table, seat)
    rows = tuple(tuple(_linked(k, words) for k in row) for row in rows)
    language = table.spoken(seat)
    return BoardMessage(
        fitting([words.html(line, language, cast) for line in lines]),
        keyboard(rows, words, language),
        showing.revision,
        phase.scene,
        phase.rev,
        ends,
    )


def past(table: Table, seat: int, words: Words) -> str | None:
    """What the message of the scene before this one is left to say; None: as it is."""
    scene = table.showing(seat).scene
    lines: list[Text] = []
    if seat == HOUSE and scene == 0:
        # What was called off is told once, by the board that comes.
        lines = _lobby_lines(table)[:1] if table.status == "off" else _lobby_lines(table)
    elif seat == HOUSE and table.state is not None and scene > 0:
        lines = list(table.game.view.past(table.state, scene))
    if seat == HOUSE and (title := _ENDED.get(table.status)):
        lines.append(text(title, icon=table.game.icon, game=table.game.title()))
    cast = Cast(table.names, [s.user_id for s in table.sittings])
    return fitting([words.html(line, table.language, cast) for line in lines]) or None


def ending(table: Table, seat: int, words: Words) -> tuple[str, ...]:
    """What a group's board says, one after the other, before the board of the next scene comes.

    The steps of a throw worth the wait, and what it brought; only the latter where the game is over
    with it; else nothing, and the next scene begins at once.
    """
    showing = table.showing(seat)
    if seat != HOUSE or table.state is None or showing.scene < 1 or table.status not in SHOWN:
        return ()
    steps = table.game.view.reveal(table.state, showing.scene)
    if not steps and table.status != "over":
        return ()
    cast = Cast([s.name for s in table.sittings], [s.user_id for s in table.sittings])
    shown = [fitting([words.html(line, table.language, cast) for line in step]) for step in steps]
    return (*shown, *filter(None, [past(table, seat, words)]))


def keyboard(rows: tuple[Row, ...], words: Words, language: str) -> InlineKeyboardMarkup | None:
    """Rows of keys as Telegram wants them; None without any."""
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [
            [
                InlineKeyboardButton(
                    words.plain(k.label, language),
                    callback_data=k.data or None,
                    url=k.url or None,
                    style=k.style,
                )
                for k in row
            ]
            for row in rows
        ]
    )


def fitting(lines: list[str], longest: int = LONGEST) -> str:
    """The lines in one message; where they are too many, the middle ones are left out.

    A line that is too long by itself is cut and loses its tags.
    """
    kept = list(lines)
    while len(kept) > 1 and visible_length("\n".join(kept)) > longest - 2:
        kept.pop(len(kept) // 2)
    if len(kept) < len(lines):
        kept.insert(len(kept) // 2 + 1, "…")
    body = "\n".join(kept)
    if visible_length(body) <= longest:
        return body
    units = _visible(body).encode("utf-16-le")[: 2 * (longest - 1)]
    return html.escape(units.decode("utf-16-le", "ignore"), quote=False) + "…"


def visible_length(markup: str) -> int:
    """How long Telegram finds a text: in UTF-16 units, without tags."""
    return len(_visible(markup).encode("utf-16-le")) // 2


def _visible(markup: str) -> str:
    return html.unescape(_TAG.sub("", markup))


# -- layouts ----------------------------------------------------------------------------------

Layout = tuple[list[Text], tuple[Row, ...]]


def _lobby_lines(table: Table) -> list[Text]:
    """Title, jackpot, players, pot and seal: what a lobby's board keeps saying afterwards."""
    fewest, most = table.game.seats
    seats = text("lobby.seats", fewest=fewest, most=most)
    stake = text("lobby.stake", stake=table.stake) if table.stake else text("lobby.free")
    title = {"icon": table.game.icon, "game": table.game.title(), "stake": stake}
    lines = [text("lobby.title", **title, seats=seats)]
    if table.status == "lobby" and table.winnable:
        lines.append(_winnable(table))
    if table.sittings:
        players = tuple(_player(table, seat) for seat in range(len(table.sittings)))
        lines.append(text("lobby.players", names=players))
        lines.append(_pot(table))
    else:
        lines.append(text("lobby.empty"))
    lines.append(text("lobby.sealed", seal=table.sealed))
    return lines


def _player(table: Table, seat: int) -> Text:
    """`Anna 🍀`."""
    charm = CHARMS[table.sittings[seat].charm]
    if not charm:
        return text("name", name=Name(seat))
    return text("lobby.player_charm", name=Name(seat), charm=charm)


def _charms(table: Table) -> Row:
    """The row of charms: pressed after joining, or instead of it (RULES 7)."""
    numbered = enumerate(CHARMS[1:], 1)
    return tuple(key(text("just", it=charm), table.id, f"charm{n}") for n, charm in numbered)


def _winnable(table: Table) -> Text:
    """What of the jackpot this game could win (RULES 1.6)."""
    fewest = int(table.options.get("jackpot_players", 0))
    key_ = "lobby.jackpot_from" if len(table.sittings) < fewest else "lobby.jackpot"
    return text(key_, jackpot=_money(table, table.winnable), fewest=fewest)


def _pot(table: Table) -> Text:
    """The pot of those who sit there and what each place would get: Knuddels, else points."""
    n = len(table.sittings)
    pot = table.pot or points_in_pot(n, table.stake)
    shares = zip(MEDALS, split(pot, n), strict=False)
    paid = " ".join(f"{medal} {units}" for medal, units in shares if units)
    currency = COINS if table.pot else table.kind
    return text("lobby.pot", pot=_money(table, {currency: pot}), shares=paid)


def _lobby(table: Table) -> Layout:
    lines = _lobby_lines(table)
    waiting = range(len(table.sittings), len(_everybody(table)))
    if missing := [seat for seat in waiting if not _has_joined(table, seat)]:
        names = tuple(text("name", name=Name(seat)) for seat in missing)
        lines.insert(1, text("lobby.again", names=names))
    missing_n = table.game.seats[0] - len(table.sittings)
    when = text("lobby.starts", ends=Until())
    if not table.enough:
        when = text("lobby.needs", n=missing_n, ends=Until())
    lines.insert(-1, when)
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
        _charms(table),
        (
            key(text("rules.button"), table.id, "rules"),
            key(text("lobby.leave"), table.id, "leave"),
        ),
    )


def _running(table: Table) -> Layout:
    board = _view(table)
    rows = _game_keys(table, board, table.phase().rev)
    late: list[Text] = []
    if table.game.rules.admits(table.state):
        join = text("lobby.late_stake", n=table.stake) if table.stake else text("lobby.late")
        rows = (*rows, (key(join, table.id, "join"),), _charms(table))
        came = tuple(_player(table, s.seat) for s in table.sittings if s.late and not s.left_at)
        late = [text("lobby.came_later", names=came)] if came else []
    if table.game.own:
        rows = (*rows, (Key(text("own.play"), url=f"play_{table.id}"),))
    robin = [text("robin.here", robin=amount(table.robin, COINS))] if table.robin else []
    pot = [text("board.pot", pot=amount(table.pot, COINS))] if table.stake else []
    return [*board.lines, *pot, *late, *robin], rows


def _own(table: Table, seat: int) -> Layout:
    """The board of one seat in its private chat; once all is over, with what to do next."""
    own = table.game.own
    assert own
    if table.state is None or not (table.open or table.status == "over"):
        return _stopped(table)
    board = own(table.state, seat, table.selections.get(seat, ""))
    seal = [text("lobby.sealed", seal=table.sealed)] if table.solo else []
    if table.open:
        keys = _game_keys(table, board, table.phase(seat).rev)
        first = table.solo and not table.n
        mine = [_charm(table, seat)] if table.solo and table.sittings[seat].charm else []
        return [*board.lines, *mine, *seal], ((_charms(table), *keys) if first else keys)
    rows: list[Row] = []
    if str(seat) in table.result.get("signable", {}):
        rows.append((key(text("sign.button"), table.id, "sign", style="success"),))
    again = (key(text("result.again"), table.id, "again", style="primary"),) if table.solo else ()
    rows.append((*again, *_analysis(table), key(text("result.verify"), table.id, "verify")))
    compared = table.result.get("compared", {}).get(str(seat), ())
    lists = [text("sign.lists", lists=Lines(tuple(map(standing_line, compared))))]
    lines = [*board.lines, *(lists if compared else []), *seal]
    return [*lines, text("result.game", game=table.id)], tuple(rows)


def _charm(table: Table, seat: int) -> Text:
    return text("lobby.my_charm", charm=CHARMS[table.sittings[seat].charm])


def _game_keys(table: Table, board: Board, rev: int) -> tuple[Row, ...]:
    return tuple(
        tuple(Key(b.label, press.encode(table.id, b.code, rev), b.style) for b in row)
        for row in board.buttons
    )


def _linked(k: Key, words: Words) -> Key:
    """A key whose address is a deep link's word leads into the bot's private chat."""
    if not k.url or "://" in k.url:
        return k
    return replace(k, url=f"https://t.me/{words.names['bot']}?start={k.url}")


def _over(table: Table) -> Layout:
    """One list: place, name, total, how it came about, what was won."""
    lines = [_title(table, "result.title_free", "result.title_stake"), _reason(table)]
    placed = sorted((s for s in table.sittings if s.place), key=lambda s: (s.place, s.seat))
    lines += [_place_line(table, sitting) for sitting in placed]
    out = [sitting for sitting in table.sittings if not sitting.place]
    view = table.game.view
    lines += [text("result.out", name=Name(s.seat), how=view.how(table.state, s.seat)) for s in out]
    if table.robin:
        lines.append(text("robin.was_here", robin=amount(table.robin, COINS)))
    lines += _jackpot_lines(table)
    lines.append(text("result.game", game=table.id))
    sheets = [key(text("result.sheets"), table.id, "sheets")] if table.game.sheets else []
    return lines, (
        (
            key(text("result.again"), table.id, "again", style="success"),
            *sheets,
            *_analysis(table),
            key(text("result.verify"), table.id, "verify"),
        ),
    )


def _analysis(table: Table) -> Row:
    """The button of the analysis, where there is a mind to make one."""
    return (key(text("analysis.button"), table.id, "analysis"),) if table.game.mind else ()


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
    return text("result.place", **said, won=_money(table, won))


def _jackpot_lines(table: Table) -> list[Text]:
    lines = []
    won, fed = table.result["from"], table.result["to"]
    if won[COINS] or won["points"]:
        pool = {table.kind: won["points"], COINS: won[COINS]}
        lines.append(text("result.jackpot_won", pool=_money(table, pool)))
    if table.robin and fed[COINS]:
        lines.append(text("robin.back", robin=amount(fed[COINS], COINS)))
        fed = {**fed, COINS: 0}
    if fed[COINS] or fed["points"]:
        pool = {table.kind: fed["points"], COINS: fed[COINS]}
        now = _money(table, table.jackpot)
        lines.append(text("result.jackpot_fed", pool=_money(table, pool), jackpot=now))
    return lines


def _off(table: Table) -> Layout:
    again = key(text("result.again"), table.id, "again", style="success")
    title = {"icon": table.game.icon, "game": table.game.title()}
    if table.result.get("why") == EMPTY:
        return [text("off.empty", **title)], ((again,),)
    key_ = "off.stake" if table.stake else "off.free"
    return [text("off.title", **title), text(key_)], ((again,),)


def _stopped(table: Table) -> Layout:
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


_LAYOUT = {
    "lobby": _lobby,
    "running": _running,
    "over": _over,
    "off": _off,
    "stopped": _stopped,
    "void": _stopped,
}

_ENDED = {"stopped": "stop.title", "void": "stop.title"}
"""What a board that was left without a result says at its end."""


# -- inside -----------------------------------------------------------------------------------


def _view(table: Table) -> Board:
    actors = table.phase().actors
    selection = table.selections.get(actors[0], "") if len(actors) == 1 else ""
    board: Board = table.game.view.board(table.state, selection)
    return board


def _title(table: Table, free: str, staked: str) -> Text:
    game = table.game
    if table.stake:
        stake = amount(table.stake, COINS)
        return text(staked, icon=game.icon, game=game.title(), stake=stake)
    return text(free, icon=game.icon, game=game.title())


def _money(table: Table, held: dict[str, int] | object) -> Text:
    assert isinstance(held, dict)
    parts = [
        text("points", n=held[currency])
        if currency == table.kind
        else amount(held[currency], COINS)
        for currency in (table.kind, COINS)
        if held.get(currency)
    ]
    return text("and", first=parts[0], second=parts[1]) if len(parts) > 1 else parts[0]


def _mentioned(table: Table) -> frozenset[int]:
    if table.status == "running":
        return frozenset(table.phase().actors)
    if table.status == "lobby":
        return frozenset(range(len(table.sittings), len(_everybody(table))))
    return frozenset()


def _everybody(table: Table) -> list[int]:
    return [s.user_id for s in table.sittings] + [user for user, _ in table.invited]


def _has_joined(table: Table, seat: int) -> bool:
    return _everybody(table)[seat] in {s.user_id for s in table.sittings}
