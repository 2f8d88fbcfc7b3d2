"""What people see of Fifty! (BOARDS.md) and how their presses become throws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from games import dice
from games.fifty import rules
from games.fifty.rules import Player, State, Thrown
from games.game import (
    Action,
    Answer,
    Board,
    Button,
    Move,
    Name,
    Percent,
    Refusal,
    Select,
    Text,
    Until,
    text,
)

_DICE = frozenset(f"+{sides}" for sides in rules.DICE)
KEYS_IN_A_ROW = 3


def board(state: State, selection: str = "") -> Board:
    """The round or Stechen that is being thrown; once it is over, the table of all throws."""
    lines = [_head(state)] if not rules.outcome(state) else []
    if state.stechen:
        lines += [_stechen_line(state, seat) for seat in state.stechen.order]
    else:
        lines += [_player_line(state, seat) for seat in range(len(state.players))]
    return Board(tuple(lines), _keys(state))


def past(state: State, scene: int) -> tuple[Text, ...]:
    """A round or Stechen as it was thrown."""
    if scene <= rules.ROUNDS:
        limit = state.limits[scene - 1]
        thrown = [
            _past_line(Name(seat), player.throws[scene - 1])
            for seat, player in enumerate(state.players)
            if len(player.throws) >= scene
        ]
        return (text("fifty.past.round", round=scene, limit=limit), *thrown)
    stechen = (*state.tiebreaks, *([state.stechen] if state.stechen else []))
    for it in reversed(stechen):
        if it.first <= scene:
            throws = [_past_line(Name(s), it.throws[s]) for s in it.order if s in it.throws]
            return (text("fifty.past.stechen", limit=it.limit), *throws)
    return ()


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`+N` adds a die to one's selection, `clear` empties it, `throw` throws it."""
    if code == "clear":
        return Select("", text("fifty.cleared", left=dice.notation(state.dice(seat))))
    if code == "throw":
        return Move(dice.notation(rules.throw(state, seat, selection).sides))
    if code not in _DICE:
        raise Refusal("refused.stale")
    added = f"{selection}{code}" if selection else code[1:]
    if selection:
        _require_unpicked(state.dice(seat), dice.parse(selection), int(code[1:]))
    pool = rules.throw(state, seat, added).sides
    return Select(dice.notation(pool), _odds(pool, state.limit))


def command(
    state: State, seat: int, selection: str, name: str, words: str, names: Sequence[str] = ()
) -> Action:
    """`/d 4+4+12` throws, `/d ?` tells one's own position, `/d` alone what is selected."""
    if words == "?":
        return Answer(_position(state, seat))
    if words == "leave":  # a move, but not one of dice
        raise Refusal("fifty.refused.unreadable", left=dice.notation(state.dice(seat)))
    return Move(dice.notation(rules.throw(state, seat, words or selection).sides))


def thrown(before: State, after: State, seat: int) -> Text:
    """What the throw brought: its chain and how it lies to the limit."""
    mine = _last_throw(after, seat) if after != before else None
    if mine is None:
        return text("fifty.left")
    shown = _throw(mine)
    if mine.over > 0:
        return text("fifty.threw.over", throw=shown, limit=mine.limit, over=mine.over)
    if mine.over == 0:
        return text("fifty.threw.bullseye", throw=shown, limit=mine.limit)
    return text("fifty.threw.below", throw=shown, limit=mine.limit, below=-mine.over)


# -- inside -----------------------------------------------------------------------------------


def _head(state: State) -> Text:
    if state.stechen:
        turn = Name(state.stechen.turn)
        return text("fifty.head.stechen", limit=state.limit, name=turn, ends=Until())
    return text("fifty.head.round", round=state.round, limit=state.limit, ends=Until())


def _player_line(state: State, seat: int) -> Text:
    player = state.players[seat]
    name = Name(seat)
    if player.gone:
        return text("fifty.line.gone", name=name)
    if not player.playing:
        burst = player.throws[-1]
        return text("fifty.line.over", name=name, throw=_throw(burst), limit=burst.limit)
    if rules.outcome(state):
        return text("fifty.line.final", name=name, throws=_sums(player))
    left = dice.notation(player.dice).replace("+", " ") or "–"
    if len(player.throws) < state.round:
        so_far = f" · Σ {player.total}" if player.throws else ""
        return text("fifty.line.waiting", name=name, so_far=so_far, left=left)
    last = player.throws[-1]
    shown = f"{_throw(last)} · Σ {player.total}" if len(player.throws) > 1 else _throw(last)
    key = "fifty.line.bullseye" if last.over == 0 else "fifty.line.thrown"
    return text(key, name=name, throws=shown, left=left)


def _sums(player: Player) -> str:
    """The sums of the throws so far, added up: `14 + 15 = 29`."""
    sums = " + ".join(str(thrown.sum) for thrown in player.throws)
    return f"{sums} = {player.total}" if len(player.throws) > 1 else sums


def _stechen_line(state: State, seat: int) -> Text:
    assert state.stechen
    name = Name(seat)
    mine = state.stechen.throws.get(seat)
    if mine is None:
        key = "fifty.line.turn" if seat == state.stechen.turn else "fifty.line.next"
        return text(key, name=name)
    return _past_line(name, mine)


def _past_line(name: Name, thrown: Thrown) -> Text:
    if thrown.over > 0:
        return text("fifty.line.over", name=name, throw=_throw(thrown), limit=thrown.limit)
    key = "fifty.line.bullseye" if thrown.over == 0 else "fifty.line.thrown"
    return text(f"{key}_once", name=name, throws=_throw(thrown))


def _keys(state: State) -> tuple[tuple[Button, ...], ...]:
    """One key per kind of die that somebody still to throw has (RULES 1.2)."""
    if not state.waiting:
        return ()
    kinds = sorted({sides for seat in state.waiting for sides in state.dice(seat)})
    keys = [Button(text("fifty.die", sides=sides), f"+{sides}") for sides in kinds]
    rows = [tuple(keys[i : i + KEYS_IN_A_ROW]) for i in range(0, len(keys), KEYS_IN_A_ROW)]
    throw = Button(text("fifty.throw"), "throw", "success")
    clear = Button(text("fifty.clear"), "clear")
    return (*rows, (throw, clear))


def _require_unpicked(held: dice.Pool, picked: dice.Pool, sides: int) -> None:
    """Raises `Refusal` for a die all of whose kind are in the selection."""
    left = Counter(held) - Counter(picked)
    if sides in picked and not left[sides]:
        to_pick = dice.notation(tuple(left.elements())) or "–"
        raise Refusal("fifty.refused.picked", n=held.count(sides), die=sides, left=to_pick)


def _odds(pool: dice.Pool, limit: int) -> Text:
    return text(
        "fifty.odds",
        pool=dice.notation(pool),
        mean=float(dice.mean(pool)),
        limit=limit,
        over=Percent(float(dice.chance_over(pool, limit))),
        exact=Percent(float(dice.chance(pool, limit))),
    )


def _position(state: State, seat: int) -> Text:
    player = state.players[seat]
    place = rules.standing(state, seat)
    throws = " + ".join(str(t.sum) for t in player.throws) or "–"
    return text(
        "fifty.position" if place else "fifty.position_out",
        throws=throws,
        total=player.total,
        place=place,
        left=dice.notation(state.dice(seat)) or "–",
    )


def _throw(thrown: Thrown) -> str:
    """The chains and their sum, `6>6>3 = 15`; a single number where there is nothing to add."""
    if not thrown.dice:
        return "–"
    single = len(thrown.dice) == 1 and len(thrown.dice[0]) == 1
    return str(thrown.sum) if single else f"{dice.show(thrown.dice)} = {thrown.sum}"


def _last_throw(state: State, seat: int) -> Thrown | None:
    player: Player = state.players[seat]
    if player.gone:
        return None
    for stechen in (state.stechen, *reversed(state.tiebreaks)):
        if stechen and seat in stechen.throws:
            return stechen.throws[seat]
    return player.throws[-1] if player.throws else None
