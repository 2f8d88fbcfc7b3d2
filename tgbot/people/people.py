"""What a person can ask and set for themselves: points, history, language, privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from peewee import Database, Expression, fn

from economy import tracks
from economy.ledger import COINS, Entry, Ledger, mint, wallet
from economy.statements import Query, statement
from economy.transactions import beside
from games import registry
from games.game import Lines, Text, text
from tgbot import charts
from tgbot.config import Settings
from tgbot.done import Done, Drawing, Key, Row, Say, key
from tgbot.models import PersonRow
from tgbot.people.amounts import amount
from tgbot.people.awaited import Awaited
from tgbot.people.bells import Bells
from tgbot.people.names import clean_name, is_listed, known_in, language_read, shown_name
from tgbot.people.notices import Notices
from tgbot.people.tallies import Tallies
from tgbot.words import LANGUAGES, native_name, spoken

WEEK_S = 7 * 24 * 3600
PAGE = 10
MOST_CHOICES = 5
"""So many of one name are named; there may be any number."""
GIVEN = "give"
"""The reason of a booking from one wallet to another; its memo is `giver>taker`."""
CHART_S = 3600
"""How soon a chart is drawn anew though nothing was booked: its time goes on."""


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

    def __init__(self, db: Database, ledger: Ledger, settings: Settings) -> None:
        self.db = db
        self.ledger = ledger
        self.settings = settings
        self.notices = Notices(db)

    def meet(self, who: Who, now: int, *, private: bool = False) -> Person:
        """Knows the person from now on; a newcomer gets the welcome gift (RULES 5).

        Somebody who was erased stays without a name.
        """
        row = _met.one(self.db, user_id=who.user_id)
        if row and row[6]:
            who = replace(who, name="", username="")
        name, language = clean_name(who.name, who.user_id), spoken(who.code)
        if who.username and (row is None or row[1] != who.username):
            self._leave_username(who)
        if row is None:
            self._welcome(who, name, now, private=private)
        elif row[:3] != (name, who.username, language) or (private and not row[3]):
            reachable = int(private or row[3])
            self._update(
                who.user_id,
                name=name,
                username=who.username,
                spoken=language,
                reachable=reachable,
            )
        language = (row[4] if row else "") or language
        return Person(who.user_id, name, language, who.username, row[5] if row else "")

    def _leave_username(self, who: Who) -> None:
        """Telegram lets one person have a username at a time: whoever had it has none now."""
        same = (fn.LOWER(PersonRow.username) == fn.LOWER(who.username),)
        others = PersonRow.update(username="").where(*same, PersonRow.user_id != who.user_id)
        others.execute(self.db)

    def _welcome(self, who: Who, name: str, now: int, *, private: bool) -> None:
        _welcome.run(
            self.db,
            user_id=who.user_id,
            name=name,
            username=who.username,
            spoken=spoken(who.code),
            reachable=int(private),
            since=now,
        )
        if gift := self.settings.welcome_gift:
            postings = {mint(): -gift, wallet(who.user_id): gift}
            self.ledger.book(f"gift:{who.user_id}", "gift", postings, at=now)

    def bar(self, user_id: int, why: str) -> None:
        """Keeps somebody from playing and says why; an empty reason lets them play again."""
        self._update(user_id, barred=why)

    def barred(self) -> list[Person]:
        """Everybody who is barred, with the reason."""
        return self._people(PersonRow.barred != "", None)

    def forget(self, user_id: int, now: int) -> None:
        """Erases somebody's name and settings; their id stays, so that bookings keep adding up."""
        erased = dict.fromkeys(("username", "language", "spoken"), "")
        self._update(
            user_id,
            **erased,
            name=clean_name("", user_id),
            reachable=0,
            listed=0,
            erased_at=now,
        )
        Awaited(self.db).forget(user_id)
        self.notices.forget(user_id)
        Bells(self.db).take_off(user_id)
        Tallies(self.db).forget(user_id)

    # -- points -------------------------------------------------------------------------------

    def points(self, person: Person, now: int) -> Done:
        """Everything a person owns, for their private chat (RULES 1.8).

        Ranks count everybody's wallets, so they are read beside.
        """
        return Done(later=partial(self._points, person, now))

    def _points(self, person: Person, now: int) -> Done:
        keys = (
            (
                key(text("chart.button"), "chart", "show"),
                key(text("history.button"), "history", "0"),
            ),
            (key(text("top.button"), "top", "first"),),
        )
        with beside(self.db):
            lines = self._owned(person, now, ranked=True)
            news, receipt = self.notices.waiting(person.user_id)
        body = text("points.title", name=person.name, owned=_lines(lines))
        if news:
            body = text("points.news", news=Lines(news), points=body)
        return Done(say=(Say(person.user_id, body, person.language, keys, receipt=receipt),))

    def glance(self, person: Person, now: int) -> Done:
        """The same in short, as an alert only the asker sees; it has room for one piece of news."""
        news, receipt = self.notices.waiting(person.user_id, 1)
        self.notices.told(person.user_id, receipt)
        lines = [*news, *self._owned(person, now, ranked=False)]
        return Done(toast=_lines(lines), alert=True)

    def chart(self, person: Person, now: int) -> Done:
        """A picture of what a person held over time, for their private chat."""
        ref, zone = str(person.user_id), self.settings.zone
        held = tracks.tracks(self.db, "wallet", ref)
        draw = partial(charts.balances, tracks=held, zone=zone, now=now)
        newest = tracks.newest(self.db, "wallet", ref)
        looks = ("balances", ref, newest, now // CHART_S, self.settings.coins)
        since = min((track.times[0] for track in held.values()), default=now)
        day = datetime.fromtimestamp(since, zone).date()
        caption = text("chart.caption", day=day)
        picture = Drawing(looks, draw)
        return Done(say=(Say(person.user_id, caption, person.language, picture=picture),))

    def _owned(self, person: Person, now: int, *, ranked: bool) -> list[Text]:
        held = self.ledger.balances("wallet", str(person.user_id))
        week = self.ledger.change_since("wallet", str(person.user_id), now - WEEK_S)
        lines = []
        for currency in (COINS, *registry()):
            units, change = held.get(currency, 0), _signed(week.get(currency, 0))
            if ranked and units:
                place, of = tracks.rank(self.db, currency, units)
                line = text("points.ranked", amount=amount(units, currency), change=change,
                            rank=place, of=of)  # fmt: skip
                lines.append(line)
            elif units or week.get(currency) or currency == COINS:
                lines.append(text("points.line", amount=amount(units, currency), change=change))
        return lines

    def history(self, person: Person, page: int, edit: int = 0) -> Done:
        """A page of the person's bookings, newest first; they are counted, so beside."""
        return Done(later=partial(self._history, person, page, edit))

    def _history(self, person: Person, page: int, edit: int) -> Done:
        with beside(self.db):
            entries, count = self.ledger.history(
                "wallet", str(person.user_id), limit=PAGE, offset=page * PAGE
            )
            lines = _lines([self._entry(entry) for entry in entries] or [text("history.none")])
        pages = max(1, -(-count // PAGE))
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
            day=at,
            amount=_signed(entry.amount),
            unit=_unit(entry.currency),
            why=self._why(entry),
        )

    def _why(self, entry: Entry) -> Text:
        if entry.reason != GIVEN:
            return text(f"reason.{entry.reason}")
        giver, _, taker = entry.memo.partition(">")
        if entry.amount < 0:
            return text("reason.gave", name=shown_name(self.db, int(taker)))
        return text("reason.got", name=shown_name(self.db, int(giver)))

    # -- finding ------------------------------------------------------------------------------

    def find(self, name: str) -> Person | None:
        """The person with that @username, or the only one with that username or name."""
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def seen_from(self, asker: Person, chat_id: int, name: str) -> list[Person]:
        """As `named`, for somebody who asks in a chat: who is hidden is unknown outside theirs."""
        return self.named(name, known_in(chat_id) | (PersonRow.user_id == asker.user_id))

    def named(self, name: str, only: Expression | bool = True) -> list[Person]:
        """Who has that @username; without the @, who has that username or name, some of them.

        `only` narrows it. A name is anybody's who takes it: before something is done to somebody
        they are to be chosen by what is theirs alone.
        """
        wanted = name.strip().removeprefix("@")
        if not wanted:
            return []  # most people have no username
        which = fn.LOWER(PersonRow.username) == fn.LOWER(wanted)
        if not name.strip().startswith("@"):
            which |= PersonRow.name == wanted
        return self._people(which & only, MOST_CHOICES)

    def shown_in(self, asker: Person, chat_id: int, user_id: int) -> Person | None:
        """Somebody by their id, for who asks in a chat; as `seen_from`."""
        seen = known_in(chat_id) | (PersonRow.user_id == asker.user_id)
        found = self._people((PersonRow.user_id == user_id) & seen)
        return found[0] if found else None

    def known(self, user_id: int) -> Person | None:
        """The person with that Telegram id, if the bot has met them."""
        found = self._people(PersonRow.user_id == user_id)
        return found[0] if found else None

    def _people(self, where: Expression, most: int | None = 2) -> list[Person]:
        columns = (
            PersonRow.user_id,
            PersonRow.name,
            language_read(),
            PersonRow.username,
            PersonRow.barred,
        )
        query = PersonRow.select(*columns).where(where).order_by(PersonRow.user_id).limit(most)
        return [Person(*row) for row in query.tuples().execute(self.db)]

    def _update(self, user_id: int, **columns: object) -> None:
        PersonRow.update(columns).where(PersonRow.user_id == user_id).execute(self.db)

    # -- settings -----------------------------------------------------------------------------

    def language(self, person: Person, edit: int = 0) -> Done:
        """The choice of languages."""
        choices = tuple(
            key(
                text("just", it=native_name(code)),
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
        self._update(person.user_id, language=code)
        chosen = Person(person.user_id, person.name, code)
        panel = self.language(chosen, edit)
        return Done(toast=text("language.chosen"), say=panel.say, language=code)

    def privacy(self, person: Person, edit: int = 0) -> Done:
        """What is kept, and the switch for lists outside one's own chats."""
        listed = is_listed(self.db, person.user_id)
        state = text("privacy.listed" if listed else "privacy.unlisted")
        switch = text("privacy.hide" if listed else "privacy.show")
        keys: list[Row] = [(key(switch, "privacy", "0" if listed else "1"),)]
        hung = Bells(self.db).of(person.user_id)
        if hung:
            state = text("privacy.bells", state=state, n=len(hung))
        for bell in hung[:MOST_CHOICES]:
            off = text("privacy.bell_off", chat=bell.title)
            keys.append((key(off, "bell", f"drop {bell.chat_id}"),))
        body = text("privacy.title", id=str(person.user_id), state=state)
        return Done(say=(Say(person.user_id, body, person.language, tuple(keys), edit=edit),))

    def list_me(self, person: Person, listed: bool, edit: int) -> Done:
        """Shows or hides the person's name in lists outside their chats."""
        self._update(person.user_id, listed=int(listed))
        return self.privacy(person, edit)


def can_be_written_to(db: Database, user_id: int) -> bool:
    """Whether somebody has spoken to the bot in private, and not blocked it since."""
    row = PersonRow.select().where(PersonRow.user_id == user_id, PersonRow.reachable == 1)
    return bool(row.exists(db))


def unreachable(db: Database, user_id: int) -> None:
    """Somebody blocked the bot: there is no writing to them until they come back."""
    PersonRow.update(reachable=0).where(PersonRow.user_id == user_id).execute(db)


def _unit(currency: str) -> Text:
    if currency == COINS:
        return text("unit.coins")
    return text("unit.points", game=registry()[currency].title())


def _signed(n: int) -> str:
    return f"+{n}" if n > 0 else f"−{-n}" if n < 0 else "±0"


def _lines(texts: list[Text]) -> Text:
    return text("just", it=Lines(tuple(texts)))


@statement
def _met(*, user_id: int) -> Query:
    return PersonRow.select(
        PersonRow.name,
        PersonRow.username,
        PersonRow.spoken,
        PersonRow.reachable,
        PersonRow.language,
        PersonRow.barred,
        PersonRow.erased_at,
    ).where(PersonRow.user_id == user_id)


@statement(slots=("user_id", "name", "username", "spoken", "reachable", "since"))
def _welcome(**columns: Any) -> Query:
    return PersonRow.insert(**columns)
