"""Opens the hall over a database: the use cases, put together from their parts."""

from __future__ import annotations

from peewee import Database

from economy.best_lists import TopLists
from economy.ledger import Ledger
from economy.robin_hood import RobinHood
from tgbot.config import Settings
from tgbot.hall.cache import Tables
from tgbot.hall.play import Hall
from tgbot.hall.robin_hood import Robin
from tgbot.hall.rows import Store
from tgbot.hall.sealing import Sealing
from tgbot.hall.settle import Settling
from tgbot.people.people import People


def open_hall(db: Database, settings: Settings) -> tuple[Hall, People]:
    """The use cases over an open database."""
    store, ledger = Store(db, settings.language), Ledger(db)
    tables = Tables(store, ledger)
    wait_s = settings.robin_wait_hours * 3600
    rounds = RobinHood(db, ledger, wait_s=wait_s, redraws=settings.robin_redraws)
    robin = Robin(store, rounds, settings)
    sealing = Sealing(settings.dice_key)
    settling = Settling(store, ledger, store.chats, tables, TopLists(db), robin, sealing, settings)
    hall = Hall(store, ledger, store.chats, tables, settling, sealing, settings)
    return hall, People(db, ledger, settings)
