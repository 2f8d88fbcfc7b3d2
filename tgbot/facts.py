"""Facts about the whole bot that every process must see at once; each is a row."""

from __future__ import annotations

from importlib import metadata

from peewee import Database

from economy.database import sql

AUDIT = "audit"
DRAINING = "draining"
VERSION = "version"


def fact(db: Database, name: str) -> str:
    """What is noted under a name; empty where nothing is."""
    row = sql(db, "SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return row[0] if row else ""


def note(db: Database, name: str, value: str) -> None:
    """Notes a fact; an empty value forgets it."""
    if not value:
        sql(db, "DELETE FROM facts WHERE name = ?", (name,))
        return
    sql(
        db,
        "INSERT INTO facts (name, value) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


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
    """The version of this dicehall, such as 0.1.0."""
    try:
        return metadata.version("dicehall")
    except metadata.PackageNotFoundError:
        return "0"
