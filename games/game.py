"""The contract every game fulfils.

A game is data and functions. Its state is frozen and is the fold of its moves; a move is one short
text; the dice a move takes are asked for as a `Throw` and enter `play` as recorded values. Nothing
here or in a game reads a clock, draws a number, knows a chat or moves a coin.

Start with `Rules` (what must hold) and `View` (what people see), then `games/fifty`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from games.best_list import BestList
from games.feats import Feats

if TYPE_CHECKING:
    from games.daily import Daily

S = TypeVar("S")
V = TypeVar("V", contravariant=True)

HOUSE = -1
"""The seat of the house: it deals limits, orders and whatever else nobody chooses."""


# -- words ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """The player in a seat; becomes a name (a mention where they must act) when shown."""

    seat: int


@dataclass(frozen=True, slots=True)
class Until:
    """The end of the running phase; becomes a live countdown when shown."""


@dataclass(frozen=True, slots=True)
class Percent:
    """A probability from 0 to 1; becomes `5 %` in the reader's language."""

    value: float


@dataclass(frozen=True, slots=True)
class Lines:
    """Texts to be shown one a line."""

    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """Texts to be shown side by side; a reader's line breaks between them."""

    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of plain cells (numbers, strings, texts, names); becomes columns of equal width.

    The first column is set left, the others right.
    """

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Text:
    """A sentence to be made later: a key of the locale files and its arguments.

    Arguments are numbers, plain strings (escaped when shown), names, other texts, tuples of texts
    (joined by a comma), or one of `Lines`, `Sides`, `Grid`, `Until` and `Percent`.
    """

    key: str
    args: Mapping[str, Any] = field(default_factory=dict)


def text(key: str, /, **args: Any) -> Text:
    """A `Text` of `key` with keyword arguments."""
    return Text(key, args)


class Refusal(Exception):
    """What somebody asked for is not possible; nothing has changed.

    `text` says why and what would work. `alert` marks refusals that cost money or need reading.
    """

    def __init__(self, key: str, /, *, alert: bool = False, **args: Any) -> None:
        super().__init__(key, args)
        self.text = Text(key, args)
        self.alert = alert


# -- rules ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice a move takes: the number of faces of each, and whether they are thrown openly."""

    sides: tuple[int, ...] = ()
    open: bool = False


NO_DICE = Throw()


@dataclass(frozen=True, slots=True)
class Setup:
    """What a game starts from: how many seats, and options written when the lobby opened.

    `guests` are seats that belong to nobody: James (RULES 8). They play like all others, but hold
    no place, keep no game going and are ranked with nobody.
    """

    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    guests: tuple[int, ...] = ()


def deserted(seated: Iterable[int], seats: int, guests: Collection[int]) -> bool:
    """Whether too few people are left of a game of so many seats: one of several, or nobody."""
    left = sum(seat not in guests for seat in seated)
    return left <= (seats - len(guests) > 1)


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time in which a set of people may act.

    `rev` grows by at least one with every phase; a press made for another `rev` is stale. `scene`
    grows when people must notice: its board is a new message. `time_s` is how long it lasts, in
    seconds, from the moment its board is seen. `actors` are the seats that still have to act.
    """

    rev: int
    scene: int
    time_s: int
    actors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A result worth remembering: `value` in the best list `board`, made from seat `seat`."""

    board: str
    seat: int
    value: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended and why; guests have no part in it.

    `places` are the seats from the first place down; seats in one group share their places. `out`
    are the seats without a rank. `sweep`: the first takes the whole pot and the jackpot.
    """

    reason: str
    places: tuple[tuple[int, ...], ...]
    out: tuple[int, ...] = ()
    sweep: bool = False
    records: tuple[Record, ...] = ()


class Rules(Protocol[S]):
    """The rules of one game, as a module of functions over its state `S`.

    `throw` and `play` raise `Refusal` for a move that is not legal, and `play` a ValueError for
    values that are no record of its throw, without a trace.
    """

    VERSION: int
    """Grows when the same moves and dice would no longer lead to the same state."""

    def start(self, setup: Setup) -> S:
        """The state before the first move."""

    def house(self, state: S) -> str | None:
        """The move the house has to make now, or None."""

    def admits(self, state: S) -> bool:
        """Whether somebody may still join, by the move `join` of the next free seat."""

    def throw(self, state: S, seat: int, move: str) -> Throw:
        """The dice `move` of `seat` takes."""

    def play(self, state: S, seat: int, move: str, dice: tuple[int, ...]) -> S:
        """The state after `move` of `seat` with the recorded values `dice`."""

    def phase(self, state: S, seat: int = HOUSE) -> Phase:
        """The running phase; of a `seat` that plays in private, its own."""

    def expire(self, state: S, seat: int = HOUSE, *, seen: bool = True) -> tuple[int, str] | None:
        """The next move made because the phase's time passed (of `seat`: its own), or None.

        A phase that nobody was shown, not `seen`, counts among nobody's late turns (RULES 0).
        """

    def seated(self, state: S) -> tuple[int, ...]:
        """The seats still in the game."""

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended; None while it runs."""

    def legal(self, state: S, seat: int) -> tuple[str, ...]:
        """Every move `seat` could make now, leaving excepted."""

    def tally(self, state: S) -> dict[str, int]:
        """What happened in a finished game, counted, for whoever plays thousands."""


# -- what people see --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a board: `code` is what `View.press` gets, `style` a Telegram button style.

    The codes join, start, wait, leave, quit, stop, again, verify, sheets, analysis, hint, rules,
    sign, name, james, practise and charm1 to charm6 are the hall's own.
    """

    label: Text
    code: str
    style: str | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """What people see: lines from the top, and rows of at most four buttons (five for dice)."""

    lines: tuple[Text, ...]
    buttons: tuple[tuple[Button, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Select:
    """A press that only changes a person's own selection; `toast` tells them what it is now.

    `shown` says that the board shows selections, as where only one person acts: it follows after a
    while, or with the next move. `at_once` is for what is worth an edit of its own, as another
    keyboard.
    """

    selection: str
    toast: Text
    shown: bool = False
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """A press or command that is a move; `selection` is emptied with it."""

    move: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A press or command that only asks something; an `alert` is for what takes time to read."""

    text: Text
    alert: bool = False


Action = Select | Move | Answer


class View(Protocol[V]):
    """What people see of one game and how their presses and commands become moves."""

    def board(self, state: V, selection: str = "") -> Board:
        """The board of a running game.

        `selection` is that of the one who acts, where only one does.
        """

    def past(self, state: V, scene: int) -> tuple[Text, ...]:
        """What is left to read on the board of an earlier scene, seen from the present state."""

    def reveal(self, state: V, scene: int) -> tuple[tuple[Text, ...], ...]:
        """How the throw that ended a scene is shown step by step, before what `past` says of it.

        Each step is what the board of that scene says for a moment; empty where nothing is worth
        the wait.
        """

    def reached(self, state: V, seat: int) -> int:
        """What `seat` of a finished game is ranked by."""

    def how(self, state: V, seat: int) -> Text:
        """How the result of `seat` came about, in few words; for who is out, why."""

    def press(self, state: V, seat: int, selection: str, code: str) -> Action:
        """What pressing the button `code` means for `seat`. Raises `Refusal`."""

    def command(
        self,
        state: V,
        seat: int,
        selection: str,
        name: str,
        words: str,
        names: Sequence[str] = (),
    ) -> Action:
        """What the typed command `/name words` means for `seat`. Raises `Refusal`.

        `names` are the players' names in seat order.
        """

    def thrown(self, before: V, after: V, seat: int) -> Text:
        """What a person is told about the move they just made."""


Draw = Callable[[int], int]
"""`draw(n)` is a whole number from 1 to n, all equally likely."""

Policy = Callable[[S, int, Draw], str]
"""A way to play: the move a seat makes in a state."""


@dataclass(frozen=True)
class Game(Generic[S]):
    """A registered game. `kind` is its folder's name and the currency of its points.

    `seats` are the smallest and largest number of players. `commands` are the typed commands it
    understands while it runs; `phrases` plain words that open it. `jackpot` says whether it feeds
    and can win one, `lists` where its records go. What only some games have is None elsewhere:

    `own(state, seat, selection)` is the board of one seat, for games that everybody plays in their
    private chat; `solo` ones can be played alone there. `hear(state, seat, selection, sentence)` is
    what a plain sentence means, None for one that means nothing. `ask(state, name, words, names)`
    answers the typed command `/name words` of an onlooker, None for one that only players may
    give; it raises `Refusal`. `score(throw)` is the document of `dicehall score`; it raises
    `Refusal`. `throws` are the commands that throw the dice named after them in the game itself.
    `mind` is the name of the module that is its mind (see `games.mind`), imported when it is first
    asked; empty for a game without one. `mind_table` is the name of the table it looks things up
    in; empty where it needs none. Where there is a mind, `named(state, seat, move)` is what people
    call a move, `situation(state, seat)` where and with which dice it is chosen, and
    `facing(state, seat)` all that one looks at while choosing; `meant(state, seat, selection)` are
    the moves that a selection could become, some of which may not be legal. `sheets(state)` is a
    table worth a picture once the game is over. `daily` is what the one game has that is played
    once a day with the same dice for everyone (RULES 9). `feats(state, seat)` is what a finished
    game is remembered for; `so_far(state)` are the records of a game that runs, `chase(state)` the
    seats that can still win the jackpot with what they have of the three it takes.
    """

    kind: str
    icon: str
    seats: tuple[int, int]
    rules: Rules[S]
    view: View[S]
    policies: Mapping[str, Policy[S]]
    commands: frozenset[str] = frozenset()
    throws: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    jackpot: bool = False
    lists: tuple[BestList, ...] = ()
    solo: bool = False
    own: Callable[[S, int, str], Board] | None = None
    hear: Callable[[S, int, str, str], Action | None] | None = None
    ask: Callable[[S, str, str, Sequence[str]], Text | None] | None = None
    score: Callable[[str], dict[str, Any]] | None = None
    sheets: Callable[[S], Grid] | None = None
    mind: str = ""
    mind_table: str = ""
    named: Callable[[S, int, str], Text] | None = None
    situation: Callable[[S, int], Text] | None = None
    facing: Callable[[S, int], tuple[Text, ...]] | None = None
    meant: Callable[[S, int, str], tuple[str, ...]] | None = None
    daily: Daily[S] | None = None
    feats: Callable[[S, int], Feats] | None = None
    so_far: Callable[[S], tuple[Record, ...]] | None = None
    chase: Callable[[S], Mapping[int, int]] | None = None

    def title(self) -> Text:
        """The game's name."""
        return Text(f"{self.kind}.title")
