"""What a person can ask and set for themselves: points, history, profile, language, privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from economy.ledger import COINS, Entry, Ledger, mint, wallet
from games import registry
from games.game import Lines, Text, text
from tgbot.config import Settings
from tgbot.show import Done, Key, Row, Say, key
from tgbot.store import Store
from tgbot.words import LANGUAGES, clean_name

WEEK_S = 7 * 24 * 3600
SHOWN_FROM_POINTS = 100
"""A profile shows Fifty! points only from here on (RULES 1.8)."""
PAGE = 10


@dataclass(frozen=True, slots=True)
class Who:
    """Whoever an update comes from, as Telegram names them; `code` is their app's language."""

    user_id: int
    name: str
    username: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the bot has met, and the language they read; `barred` says why they may not play."""

    user_id: int
    name: str
    language: str
    username: str = ""
    barred: str = ""


class People:
    """The people table and what can be asked about a person."""

    def __init__(self, store: Store, ledger: Ledger, settings: Settings) -> None:
        self.store = store
        self.ledger = ledger
        self.settings = settings

    def meet(self, who: Who, now: int, *, private: bool = False) -> Person:
        """Knows the person from now on; a newcomer gets the welcome gift (RULES 5).

        Somebody who was erased stays without a name.
        """
        row = self.store.sql(
            "SELECT name, username, language, reachable, barred, erased_at FROM people "
            "WHERE user_id = ?",
            (who.user_id,),
        ).fetchone()
        if row and row[5]:
            who = replace(who, name="", username="")
        name = clean_name(who.name, who.user_id)
        if row is None:
            self._welcome(who, name, now, private=private)
        elif row[:2] != (name, who.username) or (private and not row[3]):
            self.store.sql(
                "UPDATE people SET name = ?, username = ?, reachable = ? WHERE user_id = ?",
                (name, who.username, int(private or row[3]), who.user_id),
            )
        language = (row[2] if row else "") or spoken(who.code)
        return Person(who.user_id, name, language, who.username, row[4] if row else "")

    def _welcome(self, who: Who, name: str, now: int, *, private: bool) -> None:
        self.store.sql(
            "INSERT INTO people (user_id, name, username, language, reachable, listed, since) "
            "VALUES (?, ?, ?, '', ?, 1, ?)",
            (who.user_id, name, who.username, int(private), now),
        )
        if gift := self.settings.welcome_gift:
            postings = {mint(): -gift, wallet(who.user_id): gift}
            self.ledger.book(f"gift:{who.user_id}", "gift", postings, at=now)

    # -- points -------------------------------------------------------------------------------

    def points(self, person: Person, now: int) -> Done:
        """Everything a person owns, for their private chat (RULES 1.8)."""
        keys = ((key(text("history.button"), "history", "0"),),)
        say = Say(person.user_id, self._points(person, now), person.language, keys)
        return Done(say=(say,))

    def glance(self, person: Person, now: int) -> Done:
        """The same, as an alert only the asker sees."""
        return Done(toast=self._owned(person, now), alert=True)

    def _points(self, person: Person, now: int) -> Text:
        return text("points.title", name=person.name, owned=self._owned(person, now))

    def _owned(self, person: Person, now: int) -> Text:
        held = self.ledger.balances("wallet", str(person.user_id))
        week = self.ledger.change_since("wallet", str(person.user_id), now - WEEK_S)
        currencies = [COINS, *registry()]
        lines = [
            text(
                "points.line",
                amount=amount(held.get(currency, 0), currency),
                change=_signed(week.get(currency, 0)),
            )
            for currency in currencies
            if currency == COINS or held.get(currency) or week.get(currency)
        ]
        return _lines(lines)

    def history(self, person: Person, page: int, edit: int = 0) -> Done:
        """A page of the person's bookings, newest first."""
        entries, count = self.ledger.history(
            "wallet", str(person.user_id), limit=PAGE, offset=page * PAGE
        )
        pages = max(1, -(-count // PAGE))
        lines = _lines([self._entry(entry) for entry in entries] or [text("history.none")])
        title = text("history.title", page=page + 1, pages=pages, lines=lines)
        keys: list[Key] = []
        if page > 0:
            keys.append(key(text("history.newer"), "history", str(page - 1)))
        if page + 1 < pages:
            keys.append(key(text("history.older"), "history", str(page + 1)))
        rows: tuple[Row, ...] = (tuple(keys),) if keys else ()
        return Done(say=(Say(person.user_id, title, person.language, rows, edit=edit),))

    def _entry(self, entry: Entry) -> Text:
        at = datetime.fromtimestamp(entry.at, self.settings.zone)
        return text(
            "history.line",
            day=f"{at:%d.%m. %H:%M}",
            amount=_signed(entry.amount),
            unit=_unit(entry.currency),
            why=text(f"reason.{entry.reason}"),
        )

    # -- profile ------------------------------------------------------------------------------

    def find(self, name: str) -> Person | None:
        """The person with that @username, or the only one with that name."""
        wanted = name.strip().removeprefix("@")
        if not wanted:
            return None  # most people have no username
        rows = self.store.sql(
            "SELECT user_id, name, language, username FROM people "
            "WHERE lower(username) = lower(?) OR name = ? LIMIT 2",
            (wanted, wanted),
        ).fetchall()
        return Person(*rows[0]) if len(rows) == 1 else None

    def known(self, user_id: int) -> Person | None:
        """The person with that Telegram id, if the bot has met them."""
        row = self.store.sql(
            "SELECT user_id, name, language, username FROM people WHERE user_id = ?", (user_id,)
        ).fetchone()
        return Person(*row) if row else None

    def profile(self, target: Person, bests: list[Text]) -> Text:
        """What everybody may know of a person: games, wins, many points, best results."""
        games, wins = self.store.sql(
            "SELECT count(*), count(*) FILTER (WHERE s.place = 1) FROM seats s "
            "JOIN games g ON g.id = s.game_id "
            "WHERE s.user_id = ? AND s.seat >= 0 AND s.left_at = 0 AND g.status = 'over'",
            (target.user_id,),
        ).fetchone()
        lines = [text("whois.games", n=games), text("whois.wins", n=wins)]
        for kind in registry():
            held = self.ledger.balance(wallet(target.user_id, kind))
            if held >= SHOWN_FROM_POINTS:
                lines.append(amount(held, kind))
        lines += bests
        return text("whois.title", name=target.name, lines=_lines(lines))

    # -- settings -----------------------------------------------------------------------------

    def language(self, person: Person, edit: int = 0) -> Done:
        """The choice of languages."""
        choices = tuple(
            key(
                text(f"language.{code}"),
                "language",
                code,
                style="primary" if code == person.language else None,
            )
            for code in LANGUAGES
        )
        say = Say(person.user_id, text("language.title"), person.language, (choices,), edit=edit)
        return Done(say=(say,))

    def choose_language(self, person: Person, code: str, edit: int) -> Done:
        """Speaks `code` with the person from now on."""
        if code not in LANGUAGES:
            return Done(toast=text("refused.stale"))
        self.store.sql("UPDATE people SET language = ? WHERE user_id = ?", (code, person.user_id))
        chosen = Person(person.user_id, person.name, code)
        panel = self.language(chosen, edit)
        return Done(toast=text("language.chosen"), say=panel.say, language=code)

    def privacy(self, person: Person, edit: int = 0) -> Done:
        """What is kept, and the switch for lists outside one's own chats."""
        row = self.store.sql(
            "SELECT listed FROM people WHERE user_id = ?", (person.user_id,)
        ).fetchone()
        listed = bool(row and row[0])
        state = text("privacy.listed" if listed else "privacy.unlisted")
        switch = text("privacy.hide" if listed else "privacy.show")
        keys = ((key(switch, "privacy", "0" if listed else "1"),),)
        body = text("privacy.title", state=state)
        return Done(say=(Say(person.user_id, body, person.language, keys, edit=edit),))

    def list_me(self, person: Person, listed: bool, edit: int) -> Done:
        """Shows or hides the person's name in lists outside their chats."""
        self.store.sql(
            "UPDATE people SET listed = ? WHERE user_id = ?", (int(listed), person.user_id)
        )
        return self.privacy(person, edit)


def spoken(code: str) -> str:
    """The language for somebody whose app speaks `code`."""
    return "de" if code.lower().startswith("de") else "en"


def amount(n: int, currency: str) -> Text:
    """So many coins or points of a game."""
    if currency == COINS:
        return text("coins", n=n)
    return text("game_points", n=n, game=registry()[currency].title())


def _unit(currency: str) -> Text:
    if currency == COINS:
        return text("unit.coins")
    return text("unit.points", game=registry()[currency].title())


def _signed(n: int) -> str:
    return f"+{n}" if n > 0 else f"−{-n}" if n < 0 else "±0"


def _lines(texts: list[Text]) -> Text:
    return text("just", it=Lines(tuple(texts)))
