"""A chat's desk: what it is shown next. Its times are numbers here, nobody waits."""

from __future__ import annotations

import pytest

from games.game import HOUSE, text
from tgbot.done import Say
from tgbot.hall.table import Showing, Table
from tgbot.outbound.budget import Budget, Urgency
from tgbot.outbound.desk import TIDY_BY_S, Desk
from tgbot.outbound.latest import Latest

CHAT = -100
NOW = 1000.0
ANSWER = Say(CHAT, text("help.hint"), "en")


def lobby(name: str, *, message_id: int) -> Table:
    """A lobby whose board is behind: shown by that message (0: by none yet)."""
    scene = 0 if message_id else -1
    behind = Showing(HOUSE, CHAT, message_id=message_id, scene=scene, revision=2, painted=1)
    return Table(
        id=name, kind="fifty", version=2, chat_id=CHAT, topic=0, status="lobby", stake=0, robin=0,
        options={"lobby_s": 30, "wait_s": 90}, opener=1, secret=b"", nonce=b"n", seal="", part=b"",
        opened_at=0, over_at=0, stamp=1, result={}, language="en", showings=(behind,),
    )  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    """A desk with one game that is edited and one that comes in a new message."""
    games = {"old": lobby("old", message_id=5), "new": lobby("new", message_id=0)}
    return Desk(CHAT, Budget(group=True), games, Latest())


def taken(desk: Desk, now: float = NOW) -> list[str]:
    """The steps one after the other, each done as soon as it may be."""
    steps = []
    while (step := desk.next_step(now)) and step.at <= now:
        steps.append(step.urgency.name)
        match step.urgency:
            case Urgency.NOTE:
                desk.notes.pop(0)
            case Urgency.TIDY:
                desk.tidy.popitem()
            case _:
                assert step.board
                del desk.boards[step.board[0].id, HOUSE]
    return steps


def test_what_people_must_notice_comes_first_and_old_keyboards_go_last(desk: Desk) -> None:
    desk.order_tidying(1)
    desk.order_board(("old", HOUSE), NOW)
    desk.notes.append(ANSWER)
    desk.order_board(("new", HOUSE), NOW)

    assert taken(desk) == ["SCENE", "NOTE", "EDIT", "TIDY"]
    assert desk.next_step(NOW) is None


def test_an_old_keyboard_gives_way_to_edits_only_for_a_while(desk: Desk) -> None:
    desk.order_tidying(1)
    desk.order_tidying(2)

    def goes_at(now: float) -> bool:
        desk.order_board(("old", HOUSE), now)
        step = desk.next_step(now)
        assert step
        assert step.urgency is Urgency.EDIT
        return step.board is None

    waits = [goes_at(NOW), goes_at(NOW + TIDY_BY_S / 2)]
    due = desk.looks_again_at(NOW + TIDY_BY_S / 2)

    assert (waits, due) == ([False, False], NOW + TIDY_BY_S)
    assert goes_at(due)
    assert desk.take_tidying() == (1, "")
    assert not goes_at(due)
    assert goes_at(due + TIDY_BY_S)


def test_a_board_that_was_refused_rests_and_holds_up_nothing_else(desk: Desk) -> None:
    desk.resting["new", HOUSE] = NOW + 20
    desk.order_board(("new", HOUSE), NOW)
    desk.notes.append(ANSWER)
    desk.order_tidying(1)

    assert taken(desk) == ["NOTE", "TIDY"]
    assert desk.looks_again_at(NOW) == NOW + 20
    assert taken(desk, NOW + 20) == ["SCENE"]


def test_a_selection_may_wait_and_follows_with_the_next_move(desk: Desk) -> None:
    desk.order_board(("old", HOUSE), NOW + 3)
    later = desk.next_step(NOW)
    desk.order_board(("old", HOUSE), NOW + 1)

    assert later
    assert (later.urgency, later.at) == (Urgency.EDIT, NOW + 3)
    assert desk.looks_again_at(NOW) == NOW + 1
    assert taken(desk, NOW + 1) == ["EDIT"]


def test_what_is_up_to_date_or_elsewhere_is_crossed_out(desk: Desk) -> None:
    desk.order_board(("gone", HOUSE), NOW)
    desk.seen["old"] = desk.seen["old"].with_showing(Showing(HOUSE, CHAT, message_id=5, painted=1))
    desk.order_board(("old", HOUSE), NOW)

    assert desk.next_step(NOW) is None
    assert desk.boards == {}
