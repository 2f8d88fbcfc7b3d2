"""A chat's desk: what it is still to be shown, and what comes next. It makes no calls."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from games.game import HOUSE
from tgbot.done import Say
from tgbot.hall.table import HIDDEN_S, Showing, Table
from tgbot.outbound.budget import Budget, Urgency
from tgbot.outbound.latest import Latest

REFUSED_S = 20.0
"""How long what Telegram refused is left alone."""
TIDY_BY_S = 20.0
"""How long an old board's keyboard gives way to newer boards."""

BoardKey = tuple[str, int]
"""A board: the id of its game, and the seat it belongs to (`games.game.HOUSE`: everybody's)."""
Picture = tuple[Table, Showing]
"""A board as it stands: its game, and which of the game's boards."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a chat is shown next: how urgent it is, from when on, and of which board.

    `at` is a time of the event loop's clock; 0: at once.
    """

    urgency: Urgency
    at: float = 0.0
    board: Picture | None = None
    pin: tuple[int, bool] | None = None
    """A message to pin, or to unpin."""


@dataclass(slots=True)
class Desk:
    """The queue of one chat, and what is known of its boards that no row says.

    `seen` are the committed pictures of all games, `latest` what is known of all chats' messages.
    Times are of the event loop's clock, in seconds.
    """

    chat_id: int
    budget: Budget
    seen: dict[str, Table]
    latest: Latest
    boards: dict[BoardKey, float] = field(default_factory=dict)
    """Boards that are out of date, and from when on they may follow."""
    notes: list[Say] = field(default_factory=list)
    """Answers and other messages that show no game."""
    tidy: dict[int, str] = field(default_factory=dict)
    """Old boards that lose their keyboard, and what they are left to say (empty: as it is)."""
    untidied: dict[int, float] = field(default_factory=dict)
    """Old boards whose keyboard Telegram did not take away, and since when."""
    tidy_by: float = 0.0
    """From when on the next old board goes before edits; 0: not yet known."""
    tidies_from: float = 0.0
    """Until when old boards are left alone, since one was refused."""
    pins: dict[int, bool] = field(default_factory=dict)
    """Messages to pin, or to unpin."""
    doubtful: dict[BoardKey, int] = field(default_factory=dict)
    """Boards with a send that may have arrived unseen, and the last message id known before it."""
    unnoted: dict[BoardKey, tuple[Showing, dict[int, str]]] = field(default_factory=dict)
    """Boards as they hang here, with what they left to tidy, until the database knows of it."""
    lost: set[BoardKey] = field(default_factory=set)
    """Boards whose message cannot be edited any more: the next call sends them anew."""
    refused: dict[BoardKey, float] = field(default_factory=dict)
    """Boards that Telegram does not take here, and since when."""
    resting: dict[BoardKey, float] = field(default_factory=dict)
    """Boards that were refused a moment ago, and until when they are left alone."""
    newest: int = 0
    """The last message sent here, as far as this desk knows: a later one may be a board unseen."""
    failures: int = 0
    """How many calls in a row have failed without an answer of Telegram's."""
    admitted: bool = False
    """Whether one of the sends that all chats share is kept for it."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when something is ordered, which may be more urgent than what is waited for."""
    task: asyncio.Task[None] | None = None
    """Who serves this chat, while there is anything to do."""

    def order_board(self, key: BoardKey, at: float) -> None:
        """A board is out of date, and may follow from `at` on, or when it was ordered before."""
        self.boards[key] = min(at, self.boards.get(key, at))

    def order_tidying(self, message_id: int, body: str = "") -> None:
        """An old board loses its keyboard and is left saying `body`.

        Without one it says what it says, or what it was ordered to say before.
        """
        self.tidy[message_id] = body or self.tidy.get(message_id, "")

    def take_tidying(self) -> tuple[int, str]:
        """The first old board in line and what it is left to say; the next one may wait anew."""
        message_id = next(iter(self.tidy))
        self.tidy_by = 0.0
        return message_id, self.tidy.pop(message_id)

    def tidies_later(self, message_id: int, body: str) -> bool:
        """Has an old board wait that Telegram would not have tidied; False once it waited long."""
        now = asyncio.get_running_loop().time()
        if now - self.untidied.setdefault(message_id, now) >= HIDDEN_S:
            return False
        self.tidy.setdefault(message_id, body)
        self.tidies_from = now + REFUSED_S
        return True

    def clear(self) -> list[Say]:
        """Nothing is to be shown here any more; answers the notes that were."""
        left = [*self.notes]
        self.notes.clear()
        self.boards.clear()
        self.tidy.clear()
        self.untidied.clear()
        self.pins.clear()
        return left

    def next_step(self, now: float) -> Step | None:
        """The most urgent thing this chat is to be shown; boards up to date are crossed out."""
        edit: Picture | None = None
        at = 0.0
        for key, since in list(self.boards.items()):
            picture = self._behind(key)
            if picture is None:
                del self.boards[key]
                continue
            from_when = max(since, self.resting.get(key, 0.0))
            if from_when <= now and (key in self.lost or is_fresh(*picture)):
                return Step(Urgency.SCENE, board=picture)
            if edit is None or from_when < at:
                edit, at = picture, from_when
        if self.pins:
            return Step(Urgency.SCENE, pin=next(iter(self.pins.items())))
        due = edit is not None and at <= now
        if self.notes and not (due and self.budget.talked_out(now)):
            return Step(Urgency.NOTE)
        if self._tidy_is_overdue(now):
            return Step(Urgency.EDIT, self.tidies_from)
        if edit and (due or not self.tidy):
            return Step(Urgency.EDIT, at, edit)
        return Step(Urgency.TIDY, self.tidies_from) if self.tidy else None

    def _tidy_is_overdue(self, now: float) -> bool:
        """Whether an old board has given way long enough: who plays fast leaves it no pause."""
        if not self.tidy or self.tidies_from > now:
            return False
        self.tidy_by = self.tidy_by or now + TIDY_BY_S
        return self.tidy_by <= now

    def looks_again_at(self, now: float) -> float:
        """When the next step may be another one though nothing new is ordered."""
        times = (*self.boards.values(), *self.resting.values(), self.tidy_by)
        return min((at for at in times if at > now), default=math.inf)

    async def wait_for_news(self, most_s: float) -> None:
        """Waits until something is ordered, but no longer than so many seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.news.wait(), most_s)

    def ends_a_scene(self) -> bool:
        """Whether a group's board still shows a scene that is over, and the next one is to come."""
        return any(
            table.state is not None and is_fresh(table, showing) and showing.scene > 0
            for table, showing in self._pictures()
            if showing.seat == HOUSE and showing.message_id
        )

    def _pictures(self) -> Iterator[Picture]:
        return filter(None, map(self._behind, self.boards))

    def _behind(self, key: BoardKey) -> Picture | None:
        """A board of this chat whose message does not show its newest revision; one that lies
        below much talk is to come in a new one."""
        game_id, seat = key
        table = self.seen.get(game_id)
        showing = table.showing(seat) if table else None
        if not table or not showing or not showing.behind or showing.chat_id != self.chat_id:
            return None
        if self.latest.buries(table, showing):
            showing = replace(showing, scene=-1)
            table = table.with_showing(showing)
        return table, showing


def is_fresh(table: Table, showing: Showing) -> bool:
    """Whether a board becomes a new message: its first one, or that of another scene."""
    return not showing.message_id or table.phase(showing.seat).scene != showing.scene
