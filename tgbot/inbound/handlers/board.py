"""/board: the board of the game here, sent anew below all that was talked since."""

from __future__ import annotations

from games.game import HOUSE, Refusal
from tgbot.done import Done
from tgbot.inbound.asks import Ask
from tgbot.inbound.commands import GROUP, PRIVATE, Command
from tgbot.inbound.front import Front
from tgbot.inbound.handlers.play import game_here, required
from tgbot.people.people import Person


async def board(front: Front, ask: Ask) -> None:
    """Shows the board anew: in a group everybody's, in private one's own."""

    def act(person: Person, now: int) -> Done:
        game_id = required(front, ask, game_here(front, ask, person))
        if not front.limits.boards.take(ask.chat_id, now, ask.update_id):
            raise Refusal("board.just_now")
        if ask.private:
            return front.hall.own_boards.show(person, game_id, now, ask.topic)
        return front.upkeep.show_again(game_id, HOUSE)

    await front.do(ask, act)


COMMANDS = (Command(("board",), board, (PRIVATE, GROUP), 19, bang=True),)
