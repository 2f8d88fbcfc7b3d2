"""The operator's panel: for operators, in private, each deed asked about once and booked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from economy import tracks
from economy.database import is_sqlite, shut
from economy.ledger import Ledger, fund, mint, wallet
from economy.transactions import beside
from tests.postgres import empty, postgres
from tests.tgbot.house import House
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.hall.robin_hood import moment
from tgbot.operator import panel as panels
from tgbot.operator.errands import KEPT_S, LONGEST_REASON
from tgbot.operator.pages import Pages
from tgbot.playground import Message, Person
from tgbot.soak.virtual import now
from tgbot.words import LANGUAGES, all_words

__all__ = ["postgres"]

HOUR_S = 3600
DAY_S = 24 * HOUR_S
PAGES = ("home", "supply", "robin", "plan", "rounds", "past", "chats")


@pytest.fixture
async def panel(house: House) -> House:
    """Anna is the operator and has opened the panel; Ben and Cem have been met."""
    appoint(house, house.anna)
    for person in (house.ben, house.cem):
        house.telegram.people[person.id].username = person.first_name.lower()
        await house.ask(person, "/points", house.private(person))
    await house.ask(house.anna, "/operator", house.private(house.anna))
    return house


def appoint(house: House, *people: Person) -> None:
    house.settings.operators = tuple(person.id for person in people)


def board(house: House) -> Message:
    """The newest message of the panel."""
    return house.telegram.last(house.private(house.anna), buttons=True)


async def press(house: House, *labels: str) -> str:
    """Presses one button of the panel after another; answers what it says then."""
    for label in labels:
        await house.press(house.anna, label, board(house))
        await house.breathe(2)
    return str(board(house).text)


async def tell(house: House, *answers: str) -> str:
    """Writes one answer after another; what the bot says to the last."""
    for words in answers:
        said = await house.ask(house.anna, words, house.private(house.anna))
    return said


def booked(house: House) -> list[tuple[Any, ...]]:
    """Reason and memo of all that operators moved."""
    return house.sql(
        "SELECT reason, memo FROM bookings WHERE reason IN ('grant', 'correct', 'fund') ORDER BY id"
    )


# -- who may ----------------------------------------------------------------------------------


async def test_for_others_there_is_no_panel(panel: House) -> None:
    chat = panel.private(panel.ben)
    panel.say(panel.ben, "/operator", chat)
    panel.say(panel.anna, "/operator")
    await panel.breathe(2)
    unknown = panel.telegram.last(chat).text
    in_group = panel.telegram.last(panel.group).text
    assert unknown == await panel.ask(panel.ben, "/nothing_of_that_name", chat)
    assert in_group == await panel.ask(panel.anna, "/nothing_of_that_name")

    for code in ("home", "supply", "ask.fund.1000", "do.1", "step.more.rounds", "audit", "no.home"):
        forged = panel.telegram.press_data(panel.ben, chat, 1, f"op:0:{code}")
        await panel.breathe(2)
        toast = panel.telegram.toast(forged)
        assert toast
        assert toast.text == panel.says("refused.stale")
    assert panel.telegram.last(chat).text == unknown
    assert panel.sql("SELECT * FROM wishes") == panel.sql("SELECT * FROM robin_plan") == []


async def test_in_a_group_the_panels_buttons_do_nothing(panel: House) -> None:
    await panel.open(panel.ben, start=False)

    assert await panel.forge(panel.anna, "op:0:supply") == panel.says("refused.stale")


async def test_an_old_panel_of_a_former_operator_does_nothing(panel: House) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben", "50", "won the raffle")
    asked = board(panel)
    appoint(panel, panel.cem)

    refused = panel.says("refused.stale")
    assert await panel.press(panel.anna, "Yes", asked) == refused
    assert await panel.press(panel.anna, "No", asked) == refused

    assert booked(panel) == []
    assert panel.coins(panel.ben) == 10


async def test_words_of_a_former_operator_are_no_answer(panel: House) -> None:
    await press(panel, "💾", "No", "🎁")
    appoint(panel, panel.cem)

    assert await tell(panel, "@ben") == panel.says("help.hint")


# -- grants and corrections -------------------------------------------------------------------


async def test_a_grant_asks_whom_how_much_and_why_and_is_booked_with_all_of_it(
    panel: House,
) -> None:
    assert "To whom?" in await press(panel, "🎁")
    assert "Ben (@ben) has 10 Knuddels" in await tell(panel, "@ben")
    assert "Why?" in await tell(panel, "50")
    asked = await tell(panel, "won  the raffle")
    assert "Grant Ben (@ben) +50 Knuddels?\n10 Knuddels → 60 Knuddels" in asked
    assert "Reason: won the raffle" in asked
    assert booked(panel) == []

    said = await press(panel, "Yes")

    assert "Now: 60 Knuddels" in said
    assert panel.coins(panel.ben) == 60
    assert booked(panel) == [("grant", f"won the raffle (by {panel.anna.id})")]
    assert "Open games" in await press(panel, "◀️")


async def test_a_grant_is_booked_once_however_often_yes_is_pressed_or_delivered(
    panel: House,
) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben", "50", "won the raffle")
    chat, asked = panel.private(panel.anna), board(panel)

    queries = [panel.telegram.press(panel.anna, chat, asked.id, "Yes") for _ in range(3)]
    await panel.breathe(2)
    await panel.redeliver(*panel.received[-3:])

    toasts = [panel.telegram.toast(query) for query in queries]
    assert [toast.text if toast else None for toast in toasts[1:]] == [
        panel.says("refused.stale")
    ] * 2
    assert panel.coins(panel.ben) == 60
    assert len(booked(panel)) == 1


@pytest.mark.parametrize(
    "typed", ["0", "-5", "1e9", "١٢", "1_000", "１００", "9" * 30, "1,000", "a"]
)
async def test_an_amount_that_is_none_is_refused_and_nothing_is_lost(
    panel: House, typed: str
) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben")

    assert await tell(panel, typed) == panel.says("panel.amount")

    assert "Why?" in await tell(panel, "50")
    await tell(panel, "x")
    await press(panel, "Yes")
    assert panel.coins(panel.ben) == 60


async def test_somebody_who_is_nobody_is_refused_and_nothing_is_lost(panel: House) -> None:
    await press(panel, "🎁")

    assert "I haven’t met @dora" in await tell(panel, "@dora")
    assert "I haven’t met 12345" in await tell(panel, "12345")
    assert await tell(panel, "@dicehall_bot") == panel.says("give.bot")

    assert "Ben (@ben) has" in await tell(panel, str(panel.ben.id))


async def test_of_two_with_one_name_the_right_one_is_asked_for(panel: House) -> None:
    doras = [panel.telegram.person("Dora") for _ in range(2)]
    for dora in doras:
        await panel.ask(dora, "/points", panel.private(dora))
    await press(panel, "🎁")

    told = await tell(panel, "Dora")
    assert f"Dora ({doras[0].id}), Dora ({doras[1].id})" in told
    assert f"Dora ({doras[1].id}) has" in await tell(panel, str(doras[1].id))


@pytest.mark.parametrize("words", ["hello", "/fifty", "/points@dicehall_bot", "!roll 1"])
async def test_a_message_that_is_forwarded_names_who_wrote_it(panel: House, words: str) -> None:
    await press(panel, "🎁")

    panel.say(panel.anna, words, panel.private(panel.anna), forwarded=panel.ben)
    await panel.breathe()

    assert "Ben (@ben) has 10 Knuddels" in str(board(panel).text)


async def test_whoever_hides_behind_a_forwarded_message_is_asked_for_otherwise(
    panel: House,
) -> None:
    await press(panel, "🎁")
    chat = panel.private(panel.anna)

    for writer in (True, panel.telegram.bot):
        panel.say(panel.anna, "hello", chat, forwarded=writer)
        await panel.breathe()
        assert panel.telegram.last(chat).text == panel.says("panel.nobody")
    assert "Username or id, please: Ben (@ben)" in await tell(panel, "Ben")


async def test_what_is_forwarded_for_no_errand_does_nothing(panel: House) -> None:
    chat = panel.private(panel.anna)
    async with panel.nothing_written():
        panel.say(panel.anna, "/farkle20", chat, forwarded=panel.ben)
        await panel.breathe()
        assert panel.telegram.last(chat).text == panel.says("help.hint")


async def test_a_reason_has_a_length(panel: House) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben", "5")

    refused = panel.says("panel.reason", most=LONGEST_REASON)
    assert await tell(panel, "x" * (LONGEST_REASON + 1)) == refused
    assert "Reason: <b>&" in await tell(panel, "<b>&")


async def test_a_correction_takes_back_and_gives_by_a_new_booking(panel: House) -> None:
    await press(panel, "✏️")
    asked = await tell(panel, "@ben", "-4", "granted twice")
    assert "−4 Knuddels, by a new booking?\n10 Knuddels → 6 Knuddels" in asked
    await press(panel, "Yes", "◀️", "✏️")
    await tell(panel, "@ben", "+1", "one too many")
    await press(panel, "Yes")

    assert panel.coins(panel.ben) == 7
    by = f"(by {panel.anna.id})"
    assert booked(panel) == [
        ("correct", f"granted twice {by}"),
        ("correct", f"one too many {by}"),
    ]


async def test_a_correction_leaves_nobody_below_zero(panel: House) -> None:
    await press(panel, "✏️")

    assert "only has 10 Knuddels; 11 Knuddels is too much" in await tell(panel, "@ben", "-11")
    assert await tell(panel, "--5") == panel.says("panel.amount")

    await tell(panel, "−10", "all of it")
    await panel.stake(5)
    await panel.open(panel.ben, start=False)  # his stake is in the pot now
    toast = await panel.press(panel.anna, "Yes", board(panel))
    assert "only has 5 Knuddels; 10 Knuddels is too much" in toast
    assert panel.coins(panel.ben) == 5
    await panel.breathe(95)  # the lobby is called off
    await press(panel, "Yes")  # which is still possible, and goes now
    assert panel.coins(panel.ben) == 0


async def test_more_than_there_can_be_is_refused(panel: House) -> None:
    db = open_database(panel.settings)
    with db.atomic():
        most = 10**15 - 10  # Ben has his welcome gift
        Ledger(db).book("most", "grant", {mint(): -most, wallet(panel.ben.id): most}, at=0)
    db.close()
    await press(panel, "🎁")
    await tell(panel, "@ben", "1", "one more")

    toast = await panel.press(panel.anna, "Yes", board(panel))

    assert toast == panel.says("panel.too_much")
    assert panel.coins(panel.ben) == 10**15


# -- errands ----------------------------------------------------------------------------------


async def test_a_deed_is_asked_about_once_and_booked_with_the_operators_id(panel: House) -> None:
    asked = await press(panel, "🏹", "💰 +100")
    assert "+100 Knuddels into the fund?\n0 Knuddels → 100 Knuddels" in asked
    assert booked(panel) == []

    after = await press(panel, "Yes")

    assert "Fund: 100 Knuddels" in after
    assert booked(panel) == [("fund", f"panel (by {panel.anna.id})")]


async def test_a_yes_is_good_for_its_own_question_only(panel: House) -> None:
    await press(panel, "🏹", "💰 +100")
    old = board(panel)
    panel.say(panel.anna, "/operator", panel.private(panel.anna))
    await panel.breathe()
    await press(panel, "🏹", "💰 +1,000")

    assert await panel.press(panel.anna, "Yes", old) == panel.says("refused.stale")

    assert panel.held("fund") == 0
    assert "Fund: 1,000 Knuddels" in await press(panel, "Yes")


async def test_a_no_ends_it(panel: House) -> None:
    await press(panel, "🏹", "💰 +100")
    asked = board(panel)
    assert "Fund: 0 Knuddels" in await press(panel, "No")

    refused = panel.says("refused.stale")
    panel.telegram.press_data(panel.anna, asked.chat, asked.id, "op:0:do.1")
    assert await panel.forge(panel.anna, "op:0:do.1", asked) == refused
    await press(panel, "💰 Other", "✖️")
    assert await tell(panel, "50") == panel.says("help.hint")
    assert booked(panel) == []


async def test_an_errand_survives_a_restart(panel: House) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben", "50")
    await panel.away(60)
    asked = await tell(panel, "won the raffle")
    assert "→ 60 Knuddels" in asked
    await panel.away(60)

    await press(panel, "Yes")

    assert panel.coins(panel.ben) == 60


async def test_an_errand_does_not_wait_for_ever(panel: House) -> None:
    await press(panel, "🎁")
    await panel.breathe(KEPT_S + 60)

    assert await tell(panel, "@ben") == panel.says("help.hint")


async def test_the_fund_takes_any_amount(panel: House) -> None:
    await press(panel, "🏹", "💰 Other")
    assert await tell(panel, "1e3") == panel.says("panel.amount")
    assert "0 Knuddels → 77 Knuddels" in await tell(panel, "77")

    assert "Fund: 77 Knuddels" in await press(panel, "Yes")


# -- Robin Hood -------------------------------------------------------------------------------


async def test_robin_hoods_reins(panel: House) -> None:
    await press(panel, "🏹", "🗓")
    assert "1 round a day" in await press(panel, "op:0:step.more.rounds")
    assert "won’t last a day" in await press(panel, "op:0:step.more.coins")
    assert "from 11 to 22" in await press(panel, "op:0:step.more.first")
    values = [[key["text"] for key in row] for row in board(panel).buttons]
    assert values[:4] == [
        ["−", "1 a day", "+"],
        ["−", "30 Knuddels", "+"],
        ["−", "from 11:00", "+"],
        ["−", "to 22:00", "+"],
    ]
    await press(panel, "◀️", "▶️")
    toast = await panel.press(panel.anna, "Yes", board(panel))
    lacks = panel.says("panel.lacks", chat="Round", n=0, of=5)
    assert toast in {panel.says("panel.nobody_eligible", chats=why)
                     for why in (lacks, panel.says("panel.no_free_chat"))}  # fmt: skip
    await panel.breathe(2)
    assert "planned" in board(panel).text
    assert "paused" in await press(panel, "⏸", "Yes")
    assert "under way" in await press(panel, "⏯", "Yes")


async def test_a_plan_that_cannot_be_is_refused(panel: House) -> None:
    await press(panel, "🏹", "🗓")
    for _ in range(11):
        await press(panel, "op:0:step.less.last")

    assert await panel.press(panel.anna, "op:0:step.less.last", board(panel)) == panel.says(
        "panel.cannot"
    )
    assert panel.sql("SELECT first_hour, last_hour FROM robin_plan") == [(10, 11)]


async def test_a_chat_is_told_what_it_lacks_for_robin_hood(panel: House) -> None:
    for change, comes in (
        ("stake = 5", "panel.robin_staked"),
        ("stake = 0, free_since = 0", "panel.robin_people"),
        (f"free_since = {int(now()) - 2 * DAY_S}", "panel.robin_free_for"),
        ("barred = 1", "panel.robin_barred"),
    ):
        panel.sql(f"UPDATE chats SET {change}")
        said = await press(panel, "op:0:chats")
        await press(panel, "◀️")
        numbers = {"panel.robin_people": (0, 5), "panel.robin_free_for": (2, 7)}.get(comes, (0, 0))
        assert panel.says(comes, n=numbers[0], of=numbers[1]) in said


async def test_one_round_at_a_time_the_operator_names(panel: House) -> None:
    await press(panel, "🏹", "🕰")
    for bad in ("soon", "25:00", "2026-12-24 20:00", "２０:00", "2029-01-01 20:00"):
        assert await tell(panel, bad) == panel.says("panel.moment")
    assert "25 Knuddels on 15 Jan 2027, 18:30" in await tell(panel, "18:30")

    assert "15 Jan, 18:30 · 25 · planned" in await press(panel, "Yes")

    await panel.breathe(9 * HOUR_S)  # it is nine in the morning
    assert panel.sql("SELECT status FROM robin_rounds") == [("planned",)]
    await panel.breathe(HOUR_S)
    assert panel.sql("SELECT status FROM robin_rounds") == [("waiting",)]


async def test_rounds_to_come_have_pages_and_can_be_called_off(panel: House) -> None:
    db = open_database(panel.settings)
    robin = open_hall(db, panel.settings)[0].settling.robin
    with db.atomic():
        for n in range(8):
            robin.order(int(now()) + (n + 1) * DAY_S, 5)
    db.close()

    assert "#6" in await press(panel, "🏹", "📅")
    last = await press(panel, "More ▶️")
    assert "#7" in last
    assert "#6" not in last
    asked = await press(panel, "✖️ #8")
    assert "#8" in asked
    assert "#1 ·" in await press(panel, "Yes")

    assert "#8" not in await press(panel, "More ▶️")
    assert "#8 · 23 Jan, 09:00 · 5 · cancelled" in await press(panel, "◀️ Back", "📜")
    assert panel.sql("SELECT status FROM robin_rounds WHERE id = 8") == [("cancelled",)]
    assert panel.sql("SELECT 1 FROM due WHERE kind = 'robin' AND ref = '8'") == []


async def test_a_round_that_is_over_cannot_be_called_off(panel: House) -> None:
    await press(panel, "🏹", "▶️", "Yes", "📅", "✖️ #1")
    damage(panel, "UPDATE robin_rounds SET status = 'given'")

    assert await panel.press(panel.anna, "Yes", board(panel)) == panel.says("panel.cannot")


async def test_chats_have_pages_and_robin_hood_can_be_kept_out(panel: House) -> None:
    for n in range(6):
        panel.telegram.group(f"Round {n}", panel.ben)
    await panel.stake(5)
    await panel.breathe(5)

    first = await press(panel, "👥")
    other = await press(panel, "More ▶️")
    assert "stake 5 Knuddels · anyone opens · anywhere" in first + other
    assert len({line for line in (first + other).split("\n") if "Round" in line}) == 7

    await press(panel, "◀️ Before")
    chat = next(b["text"] for row in board(panel).buttons for b in row if "🚫" in b["text"])
    assert chat.removeprefix("🚫 ") in await press(panel, chat)
    assert "🚫 kept out" in await press(panel, "Yes")
    assert panel.sql("SELECT count(*) FROM chats WHERE barred = 1") == [(1,)]
    await press(panel, "🏹", "Yes")
    assert panel.sql("SELECT count(*) FROM chats WHERE barred = 1") == [(0,)]


# -- pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["📊", "👥", "🧾"])
async def test_every_page_opens_and_leads_back(panel: House, view: str) -> None:
    assert await press(panel, view)
    assert "Open games" in await press(panel, "◀️")


async def test_the_supply_in_numbers(panel: House) -> None:
    await press(panel, "🎁")
    await tell(panel, "@ben", "70", "x")
    await press(panel, "Yes", "◀️")

    said = await press(panel, "📊")

    assert "In circulation: 100 Knuddels" in said
    assert "1. Ben: 80 · 80%" in said
    lines = [line.split() for line in said.split("\n")]
    assert ["Wallets", "100"] in lines
    assert ["15", "Jan", "100", "0", "0"] in lines
    assert ["14", "Jan", "0", "0", "0"] in lines


async def test_the_supply_as_a_picture(panel: House) -> None:
    await press(panel, "📊", "📈")

    chat = panel.private(panel.anna)
    assert any(message.photo for message in panel.telegram.messages(chat))


async def test_no_new_games_while_drained(panel: House) -> None:
    await press(panel, "🚱", "Yes")

    await panel.ask(panel.ben, "/fifty")
    assert panel.sql("SELECT * FROM games") == []


async def test_an_audit_is_noted_as_that_of_the_night_is(panel: House) -> None:
    assert "been checked yet" in str(board(panel).text)

    assert "The books are right" in await press(panel, "🧾")

    assert panel.sql("SELECT value FROM facts WHERE name = 'audit'")[0][0].startswith("0 ")
    assert "The books were right on 15 Jan" in await press(panel, "◀️")


async def test_an_audit_says_what_is_wrong(panel: House) -> None:
    damage(panel, "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")

    assert f"wallet {panel.ben.id} coins holds" in await press(panel, "🧾")

    damage(panel, "UPDATE accounts SET balance = balance - 1 WHERE kind = 'wallet'")


NAMES = ("<b>Bo</b> & <Co>", "\u202eeve", "שלום", "{name}")


@pytest.mark.parametrize("name", NAMES)
async def test_names_of_people_and_chats_are_only_names(panel: House, name: str) -> None:
    panel.telegram.people[panel.ben.id].first_name = name
    panel.telegram.people[panel.ben.id].username = None
    panel.telegram.group(name, panel.ben)
    await panel.ask(panel.ben, "/points", panel.private(panel.ben))
    shown = panel.sql("SELECT name FROM people WHERE user_id = ?", panel.ben.id)[0][0]
    await press(panel, "🎁")

    assert shown in await tell(panel, str(panel.ben.id))
    assert shown in await tell(panel, "5")
    assert name.strip("\u202e") in await tell(panel, name)
    assert shown in await press(panel, "Yes")
    assert shown in await press(panel, "◀️", "📊")
    assert name.strip("\u202e") in await press(panel, "◀️", "👥")


async def test_a_page_that_cannot_be_made_says_so(panel: House) -> None:
    damage(panel, "ALTER TABLE robin_plan RENAME TO elsewhere")
    panel.excused.add("errors")

    assert await press(panel, "🏹") == panel.says("refused.broken")

    damage(panel, "ALTER TABLE elsewhere RENAME TO robin_plan")


SLOW: dict[str, tuple[str, Any, str]] = {
    "page": ("📊", Pages, "page"),
    "audit": ("🧾", panels, "prove_in_slices"),
    "chart": ("📈", tracks, "places"),
    "backup": ("Yes", sqlite3, "connect"),
}


@pytest.mark.parametrize("what", SLOW)
async def test_what_takes_its_time_holds_up_neither_the_clerk_nor_the_loop(
    panel: House, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    label, owner, name = SLOW[what]
    panel.settings.backup_folder = tmp_path / "copies"
    await press(panel, *{"chart": ["📊"], "backup": ["💾"]}.get(what, []))
    found: list[str] = []
    real: Callable[..., Any] = getattr(owner, name)

    def watched(*args: Any, **more: Any) -> Any:
        if what != "backup" or str(args[0]).endswith(".part"):
            found.append(threading.current_thread().name)
        return real(*args, **more)

    monkeypatch.setattr(owner, name, watched)
    await press(panel, label)

    assert found
    assert not {"clerk", "MainThread"} & set(found)


# -- backup -----------------------------------------------------------------------------------


async def test_a_backup_says_where_it_is_and_how_large(panel: House, tmp_path: Path) -> None:
    panel.settings.backup_folder = tmp_path / "copies"
    assert "Back up" in await press(panel, "💾")
    assert not (tmp_path / "copies").exists()

    said = await press(panel, "Yes")

    (copy,) = (tmp_path / "copies").iterdir()
    assert copy.name in said
    assert str(tmp_path / "copies") in said
    assert f"{round(copy.stat().st_size / 1e6, 1)} MB" in said
    with sqlite3.connect(copy) as db:
        bookings = db.execute("SELECT count(*) FROM bookings").fetchone()[0]
    assert f"{bookings} bookings" in said


async def test_a_full_disk_is_told_kindly(
    panel: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.settings.backup_folder = tmp_path / "copies"
    connect = sqlite3.connect

    def small(name: Any, *args: Any, **more: Any) -> sqlite3.Connection:
        db = connect(name, *args, **more)
        if str(name).endswith(".part"):
            db.execute("PRAGMA max_page_count = 9")
        return db

    monkeypatch.setattr("tgbot.operator.backup.sqlite3.connect", small)

    said = await press(panel, "💾", "Yes")

    assert said == panel.says("panel.no_room", folder=str(tmp_path / "copies"))
    assert list((tmp_path / "copies").iterdir()) == []
    assert "Open games" in await press(panel, "◀️")


async def test_a_folder_that_is_none_is_told_kindly(panel: House, tmp_path: Path) -> None:
    (tmp_path / "copies").write_text("no folder")
    panel.settings.backup_folder = tmp_path / "copies"

    said = await press(panel, "💾", "Yes")

    assert said == panel.says("panel.no_backup", folder=str(tmp_path / "copies"))


# -- without a bot ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_pages_read_either_database_in_both_languages(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path}/hall.db"
    if kind == "postgres":
        url = request.getfixturevalue("postgres")
    settings = Settings(_env_file=None, database=url)
    db = open_database(settings)
    if not is_sqlite(db):
        empty(db)
    hall, _ = open_hall(db, settings)
    with db.atomic():
        hall.ledger.book("k", "fund", {mint(): -50, fund(): 50}, at=1_800_000_000)
        hall.chats.meet(-1001, "Round")
        for n in range(8):
            hall.settling.robin.order(1_800_000_000 + n, 5)
        hall.settling.robin.cancel(1)
    db.close()
    words = all_words(settings)

    for page in (*PAGES, "rounds.1", "past.0", "chats.99999", "none", "rounds.x", "rounds.٣"):
        with beside(db):
            body, rows = Pages(hall, settings).page(page, 1_800_000_000)
        said = {language: words.html(body, language) for language in LANGUAGES}
        labels = [words.plain(key.label, "de") for row in rows for key in row]
        assert said["de"] != said["en"]
        assert all(len(row) <= 4 for row in rows)
        assert ("💾 Sichern" in labels) == (page in ("home", "none") and kind == "sqlite")
    shut(db)


BERLIN = Settings(_env_file=None).zone


@pytest.mark.parametrize(
    ("typed", "at"),
    [
        ("18:30", "2027-03-27 18:30"),
        (" 8:05 ", "2027-03-28 08:05"),
        ("12:00", "2027-03-28 12:00"),
        ("2027-12-24  20:00", "2027-12-24 20:00"),
        ("24.12.2027 20:00", "2027-12-24 20:00"),
        ("2028-03-27 12:00", "2028-03-27 12:00"),
        ("2:30", None),  # the clock leaves that hour out tomorrow
        ("2027-03-28 02:30", None),
        ("2027-10-31 02:30", "2027-10-31 02:30"),
        ("2027-03-27 11:59", None),
        ("2028-03-29 12:00", None),
        ("9999-12-31 23:59", None),
        ("0001-01-01 00:00", None),
        ("2027-02-29 12:00", None),
        ("24:00", None),
        ("١٨:٣٠", None),
        ("1٨:3٠", None),
        ("noon", None),
        ("", None),
    ],
)
def test_a_time_is_read_by_the_operators_clock(typed: str, at: str | None) -> None:
    def seconds(wall: str) -> int:
        return int(datetime.fromisoformat(wall).replace(tzinfo=BERLIN).timestamp())

    noon = seconds("2027-03-27 12:00")

    assert moment(typed, noon, BERLIN) == (seconds(at) if at else None)


def damage(house: House, change: str) -> None:
    db = sqlite3.connect(house.settings.database.removeprefix("sqlite:///"), isolation_level=None)
    db.execute(change)
    db.close()
