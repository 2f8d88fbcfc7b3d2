"""Facts about the whole bot that every process must see at once; each is a row."""

from __future__ import annotations

from peewee import Database

from economy.statements import Query, statement
from tgbot import __version__
from tgbot.models import FactRow

AUDIT = "audit"
DRAINING = "draining"
VERSION = "version"


def fact(db: Database, name: str) -> str:
    """What is noted under a name; empty where nothing is."""
    return _fact.one(db, name=name) or ""


def note(db: Database, name: str, value: str) -> None:
    """Notes a fact; an empty value forgets it."""
    if not value:
        FactRow.delete().where(FactRow.name == name).execute(db)
        return
    new = FactRow.insert(name=name, value=value)
    new.on_conflict(conflict_target=[FactRow.name], preserve=[FactRow.value]).execute(db)


def draining(db: Database) -> bool:
    """Whether no new games may begin (`dicehall drain`)."""
    return bool(fact(db, DRAINING))


def note_audit(db: Database, problems: int, at: int) -> None:
    """Notes how many problems an audit found."""
    note(db, AUDIT, f"{problems} {at}")


def last_audit(db: Database) -> tuple[bool, int] | None:
    """Whether the last audit found the books right, and when it was; None before the first."""
    problems, _, at = fact(db, AUDIT).partition(" ")
    return (problems == "0", int(at)) if at else None


def version() -> str:
    """The version of this dicehall, such as 0.2.0."""
    return __version__


@statement(row=str)
def _fact(*, name: str) -> Query:
    return FactRow.select(FactRow.value).where(FactRow.name == name)
