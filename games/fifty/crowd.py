"""Many players on one board (BOARDS): who is still to throw by name, the others counted.

What one has left stands on no board then; it is the answer to one's own press.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from games.fifty.rules import State, Stechen, Thrown, seated
from games.game import Name, Sides, Text, text

FEW = 5
"""As many players have a line each; more are told together."""
LEADERS = 3


def story(loud: dict[int, Thrown], event: Callable[[int, Thrown], Text]) -> list[Text]:
    """What was loud in the round before: several of a kind together, one with its dice.

    `event` tells of one throw.
    """
    kinds: dict[str, list[int]] = {"bullseyes": [], "over": [], "late": [], "below": []}
    for seat, thrown in loud.items():
        kinds["late" if thrown.late else _kind(thrown)].append(seat)
    told = []
    for kind, seats in kinds.items():
        if len(seats) > 1:
            limit = loud[seats[0]].limit
            told.append(text(f"fifty.crowd.told.{kind}", names=_names(seats), limit=limit))
        else:
            told += [event(seat, loud[seat]) for seat in seats]
    return told


def lines(state: State) -> list[Text]:
    """The running round: who is to throw, what was thrown in it, who leads."""
    still = [seat for seat in seated(state) if _has_thrown(state, seat)]
    over = [seat for seat in range(len(state.players)) if _over_now(state, seat)]
    told = _told({seat: state.players[seat].throws[-1] for seat in (*still, *over)})
    totals = {seat: state.players[seat].total for seat in seated(state)}
    out = len(state.players) - len(totals) - len(over)
    parts = [*_leaders(totals), *([text("fifty.crowd.out", n=out)] if out else [])]
    return [*_waiting(state.waiting), *told, *([_side_by_side(parts)] if parts else [])]


def stechen_lines(stechen: Stechen) -> list[Text]:
    """The running Stechen: what was thrown in it, the best so far, and who is to come."""
    within = {seat: thrown.sum for seat, thrown in stechen.throws.items() if thrown.over <= 0}
    leaders = _leaders(within)
    return [
        *_told(stechen.throws),
        *([_side_by_side(leaders)] if leaders else []),
        *then(stechen),
    ]


def then(stechen: Stechen) -> list[Text]:
    """Who comes after the one whose turn it is, in this order."""
    after = _names([seat for seat in stechen.order if seat not in stechen.throws][1:])
    return [text("fifty.then", names=after)] if after else []


def past(throws: dict[int, Thrown]) -> list[Text]:
    """What everybody threw, by how it lay to the limit, the highest first."""
    ranked = sorted(throws.items(), key=lambda thrown: -thrown[1].sum)
    kinds: dict[str, list[Text]] = {"bullseyes": [], "below": [], "over": []}
    for seat, thrown in ranked:
        kinds[_kind(thrown)].append(_sum(seat, thrown.sum))
    return [
        text(f"fifty.crowd.past.{kind}", throws=Sides(tuple(sums)))
        for kind, sums in kinds.items()
        if sums
    ]


# -- inside -----------------------------------------------------------------------------------


def _kind(thrown: Thrown) -> str:
    return "over" if thrown.over > 0 else "below" if thrown.over else "bullseyes"


def _has_thrown(state: State, seat: int) -> bool:
    """Whether somebody threw dice in this round; who has none left does not."""
    throws = state.players[seat].throws
    return len(throws) == state.round and bool(throws[-1].dice)


def _over_now(state: State, seat: int) -> bool:
    """Whether somebody went out in this round by what they threw."""
    player = state.players[seat]
    return not player.gone and not player.playing and _has_thrown(state, seat)


def _waiting(seats: Iterable[int]) -> list[Text]:
    names = _names(seats)
    return [text("fifty.crowd.waiting", names=names)] if names else []


def _told(throws: dict[int, Thrown]) -> list[Text]:
    """How many have thrown, and by name who hit the limit or went over it; in one line."""
    hit = _names(seat for seat, thrown in throws.items() if thrown.over == 0)
    over = _names(seat for seat, thrown in throws.items() if thrown.over > 0)
    parts = [
        *([text("fifty.crowd.thrown", n=len(throws))] if throws else []),
        *([text("fifty.crowd.bullseyes", names=hit)] if hit else []),
        *([text("fifty.crowd.over", names=over)] if over else []),
    ]
    return [_side_by_side(parts)] if parts else []


def _leaders(totals: dict[int, int]) -> list[Text]:
    """The highest totals, once there are any."""
    ranked = sorted(totals, key=lambda seat: -totals[seat])[:LEADERS]
    leaders = tuple(_sum(seat, totals[seat]) for seat in ranked if totals[seat])
    return [text("fifty.crowd.leaders", leaders=Sides(leaders))] if leaders else []


def _sum(seat: int, total: int) -> Text:
    return text("fifty.crowd.sum", name=Name(seat), total=total)


def _names(seats: Iterable[int]) -> tuple[Text, ...]:
    return tuple(text("name", name=Name(seat)) for seat in seats)


def _side_by_side(parts: list[Text]) -> Text:
    return text("just", it=Sides(tuple(parts)))
