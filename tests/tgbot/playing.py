"""How the tests of the four games press, type and read; see `conftest.House` for all else."""

from __future__ import annotations

from tests.tgbot.conftest import House
from tgbot.playground import Chat, Message, Person

PATIENCE_S = 70
"""How long a person waits for a button: a board is edited when its chat has room."""


def codes(message: Message) -> list[str]:
    """What the buttons of a board say, without game and phase."""
    return [data.split(":", 2)[2] for data in map(_data, _buttons(message)) if data]


def labels(message: Message) -> list[str]:
    """The words on a message's buttons."""
    return [button["text"] for button in _buttons(message)]


def data(message: Message, code: str) -> str:
    """The callback data of the button that says `code`. Raises LookupError with those there are."""
    for found in map(_data, _buttons(message)):
        if found.split(":", 2)[2:] == [code]:
            return found
    raise LookupError(f"No button says {code!r}. There are: {', '.join(codes(message))}.")


async def tap(house: House, person: Person, *said: str, chat: Chat | None = None) -> str:
    """Presses the buttons that say so on the newest board, once they are there; the last toast."""
    toast = ""
    for code in said:
        board = await waited(house, code, chat)
        toast = await house.press(person, data(board, code), board)
    return toast


async def painted(house: House) -> None:
    """Waits until every board is up to date."""
    assert house.bot
    for _ in range(PATIENCE_S):
        if not house.bot.painter.backlog():
            return
        await house.breathe(1)
    raise TimeoutError("a board is not painted")


async def waited(house: House, code: str, chat: Chat | None = None) -> Message:
    """The newest board once it is up to date and has that button."""
    for _ in range(PATIENCE_S):
        await painted(house)
        board = house.telegram.last(chat or house.group, buttons=True)
        if code in codes(board):
            return board
        await house.breathe(1)
    raise LookupError(f"No button says {code!r}. There are: {', '.join(codes(board))}.")


async def typed(
    house: House, person: Person, *lines: str, dice: str = "", chat: Chat | None = None
) -> None:
    """Types commands, the first of which throws `dice`."""
    house.rolls += map(int, dice)
    for line in lines:
        house.say(person, line, chat)
        await house.breathe(0.1)


def moves(house: House) -> list[tuple[int, str]]:
    """The recorded moves of the newest game: seat and move."""
    return house.sql(
        "SELECT seat, move FROM moves WHERE game_id = "
        "(SELECT id FROM games ORDER BY rowid DESC LIMIT 1) ORDER BY n"
    )


def mentioned(message: Message) -> set[int]:
    """Whom a message notifies."""
    return {e["user"]["id"] for e in message.entities if e["type"] == "text_mention"}


def sent(house: House, chat: Chat | None = None) -> int:
    """How many messages the bot has sent to a chat."""
    return len(house.calls("sendMessage", chat=chat))


def _buttons(message: Message) -> list[dict[str, str]]:
    return [button for row in message.buttons for button in row]


def _data(button: dict[str, str]) -> str:
    return button.get("callback_data", "")
