"""What happens every night: the books are proved, and what nobody needs any more is forgotten.

Then what came since the last night gets a digest, which the next audits compare (see `digest`). The
audit has a connection and a thread of its own, so nobody waits for it. Its due row moves to the
next night only when it is through; one that was cut off is done again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import TypeVar

import structlog
from peewee import PeeweeException

from economy.audit import prove_in_slices
from games.game import Lines, Text, text
from tgbot.config import Settings
from tgbot.done import Done, Say
from tgbot.facts import draining, note_audit
from tgbot.hall.clerk import Clerk
from tgbot.hall.store import Store
from tgbot.models import PersonRow
from tgbot.operator.digest import Night, finish, keep, newly_finished, tonight
from tgbot.operator.digest import problems as changed
from tgbot.outbound.painter import Painter
from tgbot.people.awaited import Awaited
from tgbot.people.names import language_read

T = TypeVar("T")

KIND = "audit"
AGAIN_S = 3600
"""An audit that was cut off is done again after so long."""
KEEP_AWAITED_S = 24 * 3600
MOST_SHOWN = 10
"""Problems told to an operator; the log has them all."""

log = structlog.get_logger(__name__)


class Nightly:
    """The nightly audit; `problems` are what the last one found, at `audited_at` (0: never)."""

    def __init__(
        self,
        store: Store,
        clerk: Clerk,
        painter: Painter,
        settings: Settings,
        now: Callable[[], float],
    ) -> None:
        self.store = store
        self.clerk = clerk
        self.painter = painter
        self.settings = settings
        self.now = now
        self.audited_at = 0
        self.problems: tuple[str, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._auditing = False

    async def arm(self) -> None:
        """Sets the due row of the next audit, unless there is one that is early enough."""
        self._loop = asyncio.get_running_loop()
        await self.clerk.run(partial(self._arm, int(self.now())))

    def _arm(self, now: int) -> None:
        if draining(self.store.db):
            log.warning("draining: no new games until dicehall drain --off")
        night = next_night(now, self.settings.audit_hour, self.settings.zone)
        due = self.store.due.when(KIND, "")
        if due is None or due > night:
            self.store.due.set(KIND, "", night)

    def fire(self, ref: str, now: int) -> Done:
        """Begins the audit once this transaction has committed; until it is through it is due again
        every `AGAIN_S`. Forgets answers that nobody gave, and whatever else is over."""
        self.store.due.set(KIND, "", now + AGAIN_S)
        Awaited(self.store.db).expire(now - KEEP_AWAITED_S)
        self.store.selections.forget_what_is_over()
        return Done(later=self._begin)

    def _begin(self) -> Done:
        if self._loop and not self._auditing:
            self._auditing = True
            self._loop.call_soon_threadsafe(self.painter.spawn, self._audit())
        return Done()

    async def _audit(self) -> None:
        try:
            self.problems = await asyncio.to_thread(self._problems)
            self.audited_at = int(self.now())
            if self.problems:
                log.error("the nightly audit failed", problems=list(self.problems))
                lines = Lines(tuple(text("just", it=it) for it in self.problems[:MOST_SHOWN]))
                await self._tell(text("nightly.failed", n=len(self.problems), lines=lines))
            elif night := await self._night():
                log.info("the books are in order", digest=night.shown)
                await self._tell(text("nightly.digest", digest=night.shown))
            await self.clerk.run(partial(self._through, int(self.now())))
        finally:
            self._auditing = False

    async def _night(self) -> Night | None:
        """Keeps a digest of what came since the last night; none where nothing did, or not now."""
        db = self.store.db
        try:
            for games in await asyncio.to_thread(self._beside, lambda: [*newly_finished(db)]):
                await self.clerk.run(partial(finish, db, games))
            night = await asyncio.to_thread(self._beside, partial(tonight, db, int(self.now())))
            if night:
                await self.clerk.run(partial(keep, db, night))
        except PeeweeException as error:  # the next night sees what this one could not
            log.warning("the night has no digest", error=str(error))
            return None
        return night

    def _beside(self, read: Callable[[], T]) -> T:
        """Reads with a connection of its own, in as many moments as it takes."""
        with self.store.db.connection_context():
            return read()

    def _problems(self) -> tuple[str, ...]:
        db = self.store.db
        try:
            with db.connection_context():
                found = prove_in_slices(db, self.store.open_games).problems
                return (*found, *changed(db))
        except Exception as error:  # a database that cannot even be read is the worst finding
            log.exception("the audit could not be made")
            return (f"{type(error).__name__}: {error}",)

    def _languages(self) -> dict[int, str]:
        """The operators and the language each reads."""
        languages = dict.fromkeys(self.settings.operators, self.settings.language)
        for operator in languages:
            chosen = PersonRow.select(language_read()).where(PersonRow.user_id == operator)
            languages[operator] = chosen.scalar(self.store.db) or languages[operator]
        return languages

    async def _tell(self, said: Text) -> None:
        """Tells every operator in private."""
        languages = await self.clerk.run(self._languages)
        for operator, language in languages.items():
            self.painter.say(Say(operator, said, language))

    def _through(self, now: int) -> None:
        note_audit(self.store.db, len(self.problems), now)
        night = next_night(now, self.settings.audit_hour, self.settings.zone)
        self.store.due.set(KIND, "", night)


def next_night(now: float, hour: int, zone: tzinfo) -> int:
    """When the clock on the wall in `zone` next says `hour`, in unix seconds."""
    day = datetime.fromtimestamp(now, zone).replace(tzinfo=None)
    at = day.replace(hour=hour, minute=0, second=0, microsecond=0)
    while (moment := int(at.replace(tzinfo=zone).timestamp())) <= now:
        at += timedelta(days=1)
    return moment
