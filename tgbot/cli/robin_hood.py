"""Robin Hood's schedule from the command line; the running bot follows it at once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import typer

from economy.best_lists import bounds
from economy.robin_hood import Round, WrongPlan
from tgbot.cli.common import (
    AMOUNTS,
    Json,
    Wrong,
    app,
    number,
    opened,
    tell,
    tell_rows,
    whole,
)
from tgbot.config import Settings
from tgbot.hall.robin_hood import Robin, moment
from tgbot.people.names import shown_name

MOST_SHOWN = 1000

Coins = Annotated[int, typer.Argument(parser=whole, metavar="COINS", help="Coins the round gives.")]
Number = Annotated[
    int, typer.Argument(parser=whole, metavar="ROUND", help="Its number, as `status` tells it.")
]
Chat = Annotated[
    int,
    typer.Argument(
        parser=whole, metavar="CHAT", help="The id of the chat; behind -- one that begins with -."
    ),
]

robin_hood = typer.Typer(help="Robin Hood's rounds for free games.", no_args_is_help=True)
app.add_typer(robin_hood, name="robin-hood")


@contextmanager
def _robin(*, read_only: bool = False) -> Iterator[tuple[Robin, Settings, int]]:
    """Robin Hood in one transaction, the settings, and what time it is."""
    try:
        with opened(read_only=read_only) as (hall, _):
            yield hall.settling.robin, hall.settings, int(time.time())
    except WrongPlan as error:
        raise Wrong(str(error)) from None


@robin_hood.command(epilog="Example: dicehall robin-hood status")
def status(as_json: Json = False) -> None:
    """The fund, the plan, today's rounds and who got them."""
    with _robin(read_only=True) as (robin, settings, now):
        plan = robin.robin_hood.plan()
        since = bounds("day", now, settings.zone)[0]
        document: dict[str, Any] = {
            "fund": robin.robin_hood.held(),
            "rounds_a_day": plan.rounds,
            "coins": plan.coins,
            "hours": [plan.first_hour, plan.last_hour],
            "paused": plan.paused,
            "eligible": robin.eligible(now),
            "rounds": [_told(robin, it, settings) for it in robin.robin_hood.rounds(since)],
        }
    rounds = _rows(document["rounds"]) or "–"
    shown = document | {"hours": f"{plan.first_hour}-{plan.last_hour}", "rounds": rounds}
    tell(document, as_json, lambda console: tell_rows(console, "Robin Hood", shown))


@robin_hood.command(epilog="Example: dicehall robin-hood plan --rounds 3 --coins 25 --hours 10-22")
def plan(
    rounds: Annotated[int, number("Rounds a day; 0 ends them.")],
    coins: Annotated[int, number("Coins each round gives.")] = 25,
    hours: Annotated[str, typer.Option(help="From which hour to which, such as 10-22.")] = "10-22",
    as_json: Json = False,
) -> None:
    """Change the schedule; what is left of today is drawn anew."""
    match = re.fullmatch(r"([0-9]{1,2})-([0-9]{1,2})", hours, re.ASCII)
    if not match:
        raise Wrong("--hours: two full hours such as 10-22")
    with _robin() as (robin, _, now):
        old = robin.robin_hood.plan()
        new = replace(
            old,
            rounds=rounds,
            coins=coins,
            first_hour=int(match[1]),
            last_hour=int(match[2]),
        )
        warning = robin.schedule(new, now)
        document = {"rounds_a_day": rounds, "coins": coins, "hours": hours, "warning": warning}
    tell(document, as_json, lambda console: tell_rows(console, "Plan", document))


@robin_hood.command(epilog="Example: dicehall robin-hood now 25", context_settings=AMOUNTS)
def now(coins: Coins, as_json: Json = False) -> None:
    """Run one round now: it goes to the next free game of a drawn chat."""
    with _robin() as (robin, settings, at):
        document = _told(robin, robin.order(at, coins), settings)
    tell(document, as_json, lambda console: tell_rows(console, "Round", document))


@robin_hood.command(
    epilog="Example: dicehall robin-hood at '2027-01-31 20:15' 25", context_settings=AMOUNTS
)
def at(
    when: Annotated[
        str,
        typer.Argument(
            metavar="WHEN", help="A time, or date and time, on the operator's wall clock."
        ),
    ],
    coins: Coins,
    as_json: Json = False,
) -> None:
    """Run one round at a given time."""
    with _robin() as (robin, settings, present):
        due = moment(when, present, settings.zone)
        if due is None:
            raise Wrong("WHEN: a time to come within a year, such as 18:30 or '2027-01-31 20:15'")
        document = _told(robin, robin.order(due, coins), settings)
    tell(document, as_json, lambda console: tell_rows(console, "Round", document))


@robin_hood.command(epilog="Example: dicehall robin-hood history --limit 100")
def history(
    limit: Annotated[int, number("Rounds to show, newest first.")] = 20, as_json: Json = False
) -> None:
    """Past rounds: when, where, how many coins, and who got them."""
    if not 1 <= limit <= MOST_SHOWN:
        raise Wrong(f"--limit: 1 to {MOST_SHOWN}")
    with _robin(read_only=True) as (robin, settings, _):
        past = [_told(robin, it, settings) for it in robin.robin_hood.past(limit)]
    document = {"rounds": past}
    tell(document, as_json, lambda console: tell_rows(console, "Past rounds", _rows(past)))


def _rows(rounds: list[dict[str, Any]]) -> dict[str, str]:
    """`#7 2026-12-01 20:15`: how it went, what was given, and who got it."""
    return {
        f"#{it['round']} {it['due']}": f"{it['status']} · {it['given']} of {it['coins']} · "
        + (", ".join(f"{share['name']} {share['coins']}" for share in it["shares"]) or "–")
        for it in rounds
    }


@robin_hood.command(epilog="Example: dicehall robin-hood pause")
def pause(as_json: Json = False) -> None:
    """No rounds until resumed; those due meanwhile are skipped."""
    _pause(True, as_json)


@robin_hood.command(epilog="Example: dicehall robin-hood resume")
def resume(as_json: Json = False) -> None:
    """Rounds again, as planned."""
    _pause(False, as_json)


def _pause(paused: bool, as_json: bool) -> None:
    with _robin() as (robin, _, present):
        warning = robin.schedule(replace(robin.robin_hood.plan(), paused=paused), present)
        document = {"paused": paused, "warning": warning}
    tell(document, as_json, lambda console: tell_rows(console, "Robin Hood", document))


@robin_hood.command(epilog="Example: dicehall robin-hood cancel 17")
def cancel(number: Number, as_json: Json = False) -> None:
    """Cancel a round that no game has yet."""
    with _robin() as (robin, settings, _):
        document = _told(robin, robin.cancel(number), settings)
    tell(document, as_json, lambda console: tell_rows(console, "Round", document))


@robin_hood.command(epilog="Example: dicehall robin-hood bar -- -1001234567890")
def bar(chat: Chat, as_json: Json = False) -> None:
    """Keep Robin Hood out of a chat."""
    _bar(chat, True, as_json)


@robin_hood.command(epilog="Example: dicehall robin-hood unbar -- -1001234567890")
def unbar(chat: Chat, as_json: Json = False) -> None:
    """Let Robin Hood into a chat again."""
    _bar(chat, False, as_json)


def _bar(chat: int, barred: bool, as_json: bool) -> None:
    with _robin() as (robin, _, _present):
        if not robin.bar(chat, barred):
            raise Wrong(f"the bot has never been in chat {chat}")
    document = {"chat": chat, "barred": barred}
    tell(document, as_json, lambda console: tell_rows(console, "Robin Hood", document))


def _told(robin: Robin, it: Round, settings: Settings) -> dict[str, Any]:
    due = datetime.fromtimestamp(it.due_at, settings.zone)
    return {
        "round": it.id,
        "status": it.status,
        "coins": it.coins,
        "given": it.given,
        "due": f"{due:%Y-%m-%d %H:%M}",
        "chat": it.place,
        "game": it.game,
        "shares": [
            {"user": user_id, "name": shown_name(robin.store.db, user_id), "coins": coins}
            for user_id, coins in robin.shares(it)
        ],
    }
