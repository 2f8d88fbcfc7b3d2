"""The hall: all use cases of games over one database, put together from their parts."""

from __future__ import annotations

from peewee import Database

from economy.best_lists import TopLists
from economy.ledger import Ledger
from economy.robin_hood import RobinHood
from tgbot.config import Settings
from tgbot.hall.chance import Chance
from tgbot.hall.daily.dailies import Dailies
from tgbot.hall.expiry import Expiry
from tgbot.hall.hints import Hints
from tgbot.hall.james import James
from tgbot.hall.leaving import Leaving
from tgbot.hall.lobby import Lobby
from tgbot.hall.moves import Moves
from tgbot.hall.own_boards import OwnBoards
from tgbot.hall.play import Play
from tgbot.hall.robin_hood import Robin
from tgbot.hall.sealing import Sealing
from tgbot.hall.settle import Settling
from tgbot.hall.store import Store
from tgbot.hall.tables import Tables
from tgbot.people.people import People


class Hall:
    """All games of one database: what can be done with them, and what that rests on."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self.settings = settings
        self.ledger = Ledger(db)
        self.store = Store(db, settings.language)
        self.chats = self.store.chats
        self.tables = Tables(self.store, self.ledger)
        self.sealing = Sealing(settings.dice_key)
        self.chance = Chance()
        wait_s = settings.robin_wait_hours * 3600
        rounds = RobinHood(db, self.ledger, wait_s=wait_s, redraws=settings.robin_redraws)
        robin = Robin(self.store, rounds, settings)
        self.settling = Settling(self.tables, TopLists(db), robin, self.sealing, settings)
        self.moves = Moves(self.tables, self.settling, self.sealing, self.chance)
        self.own_boards = OwnBoards(self.tables)
        self.lobby = Lobby(self.tables, self.moves, self.own_boards, settings)
        self.leaving = Leaving(self.tables, self.lobby, self.moves, settings)
        self.play = Play(self.tables, self.moves)
        self.hints = Hints(self.tables)
        self.james = James(self.tables, self.moves, self.lobby, self.own_boards)
        self.expiry = Expiry(self.tables, self.moves)
        self.dailies = Dailies(self.tables, self.lobby, self.own_boards, self.moves, settings)


def open_hall(db: Database, settings: Settings) -> tuple[Hall, People]:
    """The games and the people of an open database."""
    hall = Hall(db, settings)
    return hall, People(db, hall.ledger, settings)
