"""What people see of Fifty! (BOARDS.md) and how their presses become throws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from games import dice
from games.fifty import crowd, feats, rules
from games.fifty.rules import State, Thrown
from games.game import (
    HOUSE,
    Action,
    Answer,
    Board,
    Button,
    Move,
    Name,
    Percent,
    Refusal,
    Select,
    Sides,
    Text,
    Until,
    text,
)

_DICE = frozenset(f"+{sides}" for sides in rules.DICE)
KEYS_IN_A_ROW = 3


def board(state: State, selection: str = "") -> Board:
    """What the round before brought, and the round or Stechen that is being thrown."""
    return Board((*_story(state), _head(state), *_lines(state)), _keys(state))


def past(state: State, scene: int) -> tuple[Text, ...]:
    """A round or Stechen as it was thrown."""
    if scene <= rules.ROUNDS:
        limit = state.limits[scene - 1]
        thrown = {
            seat: player.throws[scene - 1]
            for seat, player in enumerate(state.players)
            if len(player.throws) >= scene
        }
        return (text("fifty.past.round", round=scene, limit=limit), *_past_lines(thrown))
    stechen = (*state.tiebreaks, *([state.stechen] if state.stechen else []))
    for it in reversed(stechen):
        if it.first <= scene:
            throws = {seat: it.throws[seat] for seat in it.order if seat in it.throws}
            return (text("fifty.past.stechen", limit=it.limit), *_past_lines(throws))
    return ()


def reveal(state: State, scene: int) -> tuple[tuple[Text, ...], ...]:
    """The throw that ended a scene, step by step: announced, then as far as its last die.

    Only the last throw of round three and those of a Stechen are worth the wait (BOARDS); what
    came of them is said by `past`.
    """
    found = _deciding(state, scene)
    if found is None:
        return ()
    seat, thrown = found
    named = text("fifty.throws", name=Name(seat), dice=_named(thrown.sides), limit=thrown.limit)
    values = [value for chain in thrown.dice for value in chain]
    if len(values) < 2:
        return ((named,),)
    so_far = thrown.dice[:-1] + ((thrown.dice[-1][:-1],) if len(thrown.dice[-1]) > 1 else ())
    return (named,), (named, text("fifty.throws.so_far", throw=dice.show(so_far)))


def _deciding(state: State, scene: int) -> tuple[int, Thrown] | None:
    """Who threw last in round three, or threw in a scene of a Stechen, and what."""
    if scene == rules.ROUNDS and state.round > rules.ROUNDS and state.thrower != HOUSE:
        return state.thrower, state.players[state.thrower].throws[-1]
    for it in (*state.tiebreaks, *([state.stechen] if state.stechen else [])):
        thrown = [*it.throws.items()]
        if it.first <= scene < it.first + len(thrown):
            return thrown[scene - it.first]
    return None


def press(state: State, seat: int, selection: str, code: str) -> Action:
    """`+N` adds a die to one's selection, `mine` tells it again, `clear` empties it, `throw` throws
    it."""
    if code == "clear":
        return Select("", text("fifty.cleared", left=dice.notation(state.dice(seat))))
    if code == "throw":
        return Move(dice.notation(rules.throw(state, seat, selection).sides))
    if code == "mine":
        return Answer(_mine(state, seat, selection))
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
    if words in ("leave", "late"):  # moves, but not of dice
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


def reached(state: State, seat: int) -> int:
    """The sum of the throws of `seat`."""
    return state.players[seat].total


def how(state: State, seat: int) -> Text:
    """Somebody's throws, and those of a Stechen; for who is out, the throw that was too much."""
    player = state.players[seat]
    throws = " + ".join(str(thrown.sum) if thrown.dice else "–" for thrown in player.throws)
    if player.gone:
        return text("fifty.how.gone")
    if not player.playing:
        last = player.throws[-1]
        return text("fifty.how.over", throw=_throw(last), over=last.over, limit=last.limit)
    breaks = [it.throws[seat] for it in state.tiebreaks if seat in it.throws]
    key = "fifty.how.stechen" if breaks else "fifty.how"
    tie = " · ".join(str(thrown.sum) for thrown in breaks)
    return text(key, throws=throws, stechen=tie)


def named(state: State, seat: int, move: str) -> Text:
    """A throw as people call it: its dice; of one alone the name, as it would read as a sum."""
    pool = dice.parse(move)
    return text("just", it=move) if len(pool) > 1 else text("fifty.die", sides=pool[0])


def situation(state: State, seat: int) -> Text:
    """The round and its limit, and what they have."""
    so_far = {"limit": state.limit, "total": state.players[seat].total}
    if state.stechen:
        return text("fifty.situation_stechen", **so_far)
    return text("fifty.situation", round=state.round, **so_far)


def facing(state: State, seat: int) -> tuple[Text, ...]:
    """What the board tells of everybody, and the dice one has left."""
    left = text("fifty.left_over", left=_spaced(state.dice(seat)))
    return (*_lines(state), left)


def meant(state: State, seat: int, selection: str) -> tuple[str, ...]:
    """The throw of a selection."""
    return (selection,) if selection else ()


# -- inside -----------------------------------------------------------------------------------


MOST_TOLD = 3
"""How many of a round's events are told, the loudest first."""


def _story(state: State) -> list[Text]:
    """How the round or throw before this one ended, with its dice, the loudest first."""
    if state.stechen and state.stechen.throws:
        seat, thrown = [*state.stechen.throws.items()][-1]
        return [_event(seat, thrown, "_stechen")]
    number = len(state.limits) if state.round > rules.ROUNDS else state.round - 1
    if not number or (state.stechen and state.tiebreaks):
        return []
    throws = {
        seat: player.throws[number - 1]
        for seat, player in enumerate(state.players)
        if len(player.throws) >= number and player.throws[number - 1].dice and not player.gone
    }
    loud = {seat: thrown for seat, thrown in throws.items() if thrown.over >= 0 or thrown.late}
    if not loud and throws:
        closest = max(throws, key=lambda seat: throws[seat].over)
        loud = {closest: throws[closest]}
    leader = feats.new_leader(state)
    leads = [] if leader is None else [text("fifty.told.leads", name=Name(leader))]
    if len(state.players) > crowd.FEW:
        return [*crowd.story(loud, _event), *leads]
    loudest = sorted(loud, key=lambda seat: (loud[seat].over != 0, -loud[seat].over))[:MOST_TOLD]
    told = {seat: _event(seat, loud[seat]) for seat in loudest}
    if leader in told:  # beside their own
        return [*{**told, leader: text("just", it=Sides((told[leader], *leads)))}.values()]
    return [*told.values(), *leads]


def _event(seat: int, thrown: Thrown, where: str = "") -> Text:
    """One throw as it is told afterwards; what fell for who was late is told as that.

    Who is over the limit of a Stechen is not out: `where` says so.
    """
    key = f"over{where}" if thrown.over > 0 else "below" if thrown.over else "bullseye"
    args = {"name": Name(seat), "throw": _throw(thrown), "limit": thrown.limit}
    if thrown.late:
        key = f"late_over{where}" if thrown.over > 0 else "late"
        args["die"] = _named(thrown.sides)
    return text(f"fifty.told.{key}", over=abs(thrown.over), **args)


def _named(sides: dice.Pool) -> tuple[Text, ...]:
    return tuple(text("fifty.die", sides=each) for each in sides)


def _head(state: State) -> Text:
    if state.stechen:
        turn = Name(state.stechen.turn)
        return text("fifty.head.stechen", limit=state.limit, name=turn, ends=Until())
    return text("fifty.head.round", round=state.round, limit=state.limit, ends=Until())


def _lines(state: State) -> list[Text]:
    """Everybody in the running round or Stechen; many are told together."""
    if state.stechen:
        if len(state.stechen.order) > crowd.FEW:
            return crowd.stechen_lines(state.stechen)
        thrown = state.stechen.throws
        lines = [_throw_line(Name(seat), thrown[seat]) for seat in thrown]
        return [*lines, *crowd.then(state.stechen)]
    all_dice = [text("fifty.all_dice", left=_spaced(rules.DICE))] if state.round == 1 else []
    if len(state.players) > crowd.FEW:
        return [*crowd.lines(state), *all_dice]
    everybody = range(len(state.players))
    out = tuple(text("name", name=Name(seat)) for seat in everybody if _was_out(state, seat))
    lines = [_player_line(state, seat) for seat in everybody if not _was_out(state, seat)]
    return [*lines, *all_dice, *([text("fifty.out", names=out)] if out else [])]


def _was_out(state: State, seat: int) -> bool:
    """Whether somebody went out in a round before this one."""
    player = state.players[seat]
    return not player.gone and not player.playing and len(player.throws) < state.round


def _player_line(state: State, seat: int) -> Text:
    """Somebody's throw of this round with their total, or what they have left for it."""
    player, name = state.players[seat], Name(seat)
    if player.gone:
        return text("fifty.line.gone", name=name)
    if len(player.throws) == state.round:
        total = f" → {player.total}" if player.playing and len(player.throws) > 1 else ""
        return _throw_line(name, player.throws[-1], total)
    if not player.throws:
        return text("fifty.line.to_throw", name=name)
    return text("fifty.line.waiting", name=name, total=player.total, left=_spaced(player.dice))


def _past_lines(throws: dict[int, Thrown]) -> list[Text]:
    if len(throws) > crowd.FEW:
        return crowd.past(throws)
    return [_throw_line(Name(seat), thrown) for seat, thrown in throws.items()]


def _throw_line(name: Name, thrown: Thrown, total: str = "") -> Text:
    """A throw with its dice, and what it adds up to with those before."""
    if thrown.over > 0:
        return text("fifty.line.over", name=name, throw=_throw(thrown), limit=thrown.limit)
    key = "late" if thrown.late else "bullseye" if thrown.over == 0 else "thrown"
    return text(f"fifty.line.{key}", name=name, throws=_throw(thrown) + total)


def _keys(state: State) -> tuple[tuple[Button, ...], ...]:
    """One key per kind of die that somebody still to throw has (RULES 1.2)."""
    if not state.waiting:
        return ()
    kinds = sorted({sides for seat in state.waiting for sides in state.dice(seat)})
    keys = [Button(text("fifty.die", sides=sides), f"+{sides}") for sides in kinds]
    rows = [tuple(keys[i : i + KEYS_IN_A_ROW]) for i in range(0, len(keys), KEYS_IN_A_ROW)]
    throw = Button(text("fifty.throw"), "throw", "success")
    mine = Button(text("fifty.mine"), "mine")
    clear = Button(text("fifty.clear"), "clear")
    return (*rows, (throw, mine, clear))


def _require_unpicked(held: dice.Pool, picked: dice.Pool, sides: int) -> None:
    """Raises `Refusal` for a die all of whose kind are in the selection."""
    if sides in picked and picked.count(sides) == held.count(sides):
        left = Counter(held) - Counter(picked)
        to_pick = dice.notation(left.elements()) or "–"
        raise Refusal("fifty.refused.picked", n=held.count(sides), die=sides, left=to_pick)


MATTERS = 0.005
"""Odds below this would be told as less than one percent: they are not told."""
LIKELY = 0.6
"""How likely it is that a throw lies within what it mostly brings."""


def _mine(state: State, seat: int, selection: str) -> Text:
    """What one has picked and what would be left; of who does not throw now, how they stand."""
    if seat not in state.waiting:
        return _position(state, seat)
    held = state.dice(seat)
    if not selection:
        return text("fifty.cleared", left=dice.notation(held))
    picked = rules.throw(state, seat, selection).sides
    left = dice.notation(tuple((Counter(held) - Counter(picked)).elements())) or "–"
    return text("fifty.picked", odds=_odds(picked, state.limit), left=left)


@lru_cache(maxsize=1024)
def _odds(pool: dice.Pool, limit: int) -> Text:
    """What a pool mostly brings, and the odds that matter; none that is nothing."""
    over, exact = float(dice.chance_over(pool, limit)), float(dice.chance(pool, limit))
    low, high = dice.mostly(pool, LIKELY)
    odds = [text("fifty.odds.mostly", low=low, high=high)]
    if over >= MATTERS:
        odds.append(text("fifty.odds.over", over=Percent(over)))
    if exact >= MATTERS:
        odds.append(text("fifty.odds.exact", exact=Percent(exact)))
    return text("fifty.odds", pool=dice.notation(pool), odds=Sides(tuple(odds)))


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


def _spaced(pool: dice.Pool) -> str:
    """Dice as `4 4 12`; a dash for none."""
    return " ".join(map(str, pool)) or "–"


def _throw(thrown: Thrown) -> str:
    """The chains and their sum, `6>6>3 = 15`; a single number where there is nothing to add."""
    if not thrown.dice:
        return "–"
    single = len(thrown.dice) == 1 and len(thrown.dice[0]) == 1
    return str(thrown.sum) if single else f"{dice.show(thrown.dice)} = {thrown.sum}"


def _last_throw(state: State, seat: int) -> Thrown | None:
    player = state.players[seat]
    if player.gone:
        return None
    for stechen in (state.stechen, *reversed(state.tiebreaks)):
        if stechen and seat in stechen.throws:
            return stechen.throws[seat]
    return player.throws[-1] if player.throws else None
