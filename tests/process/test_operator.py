"""What an operator does to money and people from the command line (RULES 5)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from economy.ledger import escrow, mint, wallet
from games.game import Refusal
from tests.process.typed import ANNA, BEN, CEM, GIFT, GROUP, NO_AMOUNTS, NOW, Run
from tgbot import config
from tgbot.database import open_database
from tgbot.hall.hall import Hall, open_hall
from tgbot.people.people import People, Person, Who

DAY_S = 24 * 3600
FUND = ("fund", "")
NAMES = {ANNA: "Ann", BEN: "Ben", CEM: "Cem"}


def held(books: sqlite3.Connection, kind: str, ref: object, currency: str = "coins") -> int:
    row = books.execute(
        "SELECT coalesce(sum(p.amount), 0) FROM postings p JOIN accounts a ON a.id = p.account_id "
        "WHERE a.kind = ? AND a.ref = ? AND a.currency = ?",
        (kind, str(ref), currency),
    ).fetchone()
    return int(row[0])


def coins(books: sqlite3.Connection, user: int) -> int:
    return held(books, "wallet", user)


def last_booking(books: sqlite3.Connection) -> tuple[str, str]:
    return books.execute("SELECT reason, memo FROM bookings ORDER BY id DESC LIMIT 1").fetchone()


def sound(dicehall: Run) -> bool:
    return bool(dicehall("audit", "--json").document["ok"])


class Inside:
    """The use cases over the database of the settings."""

    hall: Hall
    people: People

    def __enter__(self) -> Inside:
        settings = config.load()
        self.db = open_database(settings)
        self.hall, self.people = open_hall(self.db, settings)
        self._transaction = self.db.atomic()
        self._transaction.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._transaction.__exit__(*error)
        self.db.close()

    def meets(self, user: int, name: str) -> Person:
        """Somebody writes to the bot."""
        return self.people.meet(Who(user, name, name.lower(), "en"), NOW, private=True)


# -- corrections ------------------------------------------------------------------------------


def test_a_correction_is_a_new_booking_that_keeps_the_reason(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    before = coins(books, ANNA)

    up = dicehall("correct", "@Ann", "7", "--reason", " lost  in a crash ", "--json").document
    down = dicehall("correct", str(ANNA), "3", "--minus", "--reason", "too much", "--json").document

    assert (up["user"], up["name"]) == (ANNA, "Anna")
    assert [up["corrected"], down["corrected"]] == [7, -3]
    assert [up["balance"], down["balance"]] == [before + 7, before + 4]
    assert coins(books, ANNA) == before + 4
    assert last_booking(books) == ("correct", "too much")
    assert sound(dicehall)


def test_nobody_is_corrected_below_zero(dicehall: Run, books: sqlite3.Connection) -> None:
    owned = coins(books, ANNA)
    before = list(books.iterdump())

    said = dicehall("correct", "@Ann", str(owned + 1), "--minus", "--reason", "x")

    said.refused("Anna only has", f"{owned} Knuddels", f"{owned + 1} Knuddels")
    assert list(books.iterdump()) == before
    assert dicehall("correct", "@Ann", str(owned), "--minus", "--reason", "x").status == 0
    assert coins(books, ANNA) == 0
    assert sound(dicehall)


def test_the_same_key_corrects_once(dicehall: Run, books: sqlite3.Connection) -> None:
    owned = coins(books, ANNA)
    words = ("correct", "@Ann", str(owned), "--minus", "--reason", "x", "--key", "all", "--json")

    first, second = dicehall(*words).document, dicehall(*words).document

    assert [first["corrected"], second["corrected"]] == [-owned, 0]
    assert coins(books, ANNA) == 0
    plus = [word for word in words if word != "--minus"]
    dicehall(*plus).refused("--key", "all")


@pytest.mark.parametrize("amount", NO_AMOUNTS)
@pytest.mark.parametrize(
    "command", [["correct", "--reason", "x", "--", "@Ann"], ["fund", "--reason", "x", "--"]]
)
def test_amounts_are_plain_digits(
    dicehall: Run, books: sqlite3.Connection, command: list[str], amount: str
) -> None:
    before = list(books.iterdump())
    dicehall(*command, amount).refused("AMOUNT", "from 1 to 1000000000000", "plain digits")
    assert list(books.iterdump()) == before


def test_an_amount_ends_at_a_million_million(dicehall: Run, books: sqlite3.Connection) -> None:
    dicehall("fund", str(10**12 + 1), "--reason", "x").refused("AMOUNT")
    assert dicehall("fund", str(10**12), "--reason", "x", "--json").document["fund"] == 10**12
    books.execute("UPDATE accounts SET balance = 999999999999999 WHERE ref = '11'")
    dicehall("correct", "@Ann", "5", "--reason", "x").refused("AMOUNT", "nobody can own")
    books.execute("UPDATE accounts SET balance = 999999999999999 WHERE kind = 'fund'")
    dicehall("fund", "5", "--reason", "x").refused("AMOUNT", "fund")


REASONED = [["correct", "@Ann", "5"], ["fund", "5"], ["bar", "@Ann"]]


@pytest.mark.parametrize("words", REASONED, ids=" ".join)
def test_a_reason_is_asked_for(dicehall: Run, played: str, words: list[str]) -> None:
    dicehall(*words).refused("--reason")
    for reason in ("", "  ", "\n"):
        dicehall(*words, "--reason", reason).refused("--reason")


NAMING = ["correct {} 5 --reason x", "bar {} --reason x", "unbar {}", "erase {}"]


@pytest.mark.parametrize("person", ["@nobody", "99", "1" * 30, "١١", "", "@", "' OR 1=1"])
@pytest.mark.parametrize("command", NAMING)
def test_whom_the_bot_never_met_is_refused(
    dicehall: Run, books: sqlite3.Connection, command: str, person: str
) -> None:
    before = list(books.iterdump())
    words = [person if word == "{}" else word for word in command.split()]
    dicehall(*words).refused("PERSON", "Telegram user id or @username")
    assert list(books.iterdump()) == before


# -- fund -------------------------------------------------------------------------------------


def test_the_fund_is_filled_from_the_mint(dicehall: Run, books: sqlite3.Connection) -> None:
    minted = held(books, "mint", "")

    first = dicehall("fund", "100", "--reason", "for May", "--key", "may", "--json").document
    again = dicehall("fund", "100", "--reason", "for May", "--key", "may", "--json").document
    dicehall("fund", "50", "--reason", "more", "--key", "may").refused("--key", "may")

    assert first == {"added": 100, "fund": 100, "key": "may"}
    assert again == {"added": 0, "fund": 100, "key": "may"}
    assert held(books, *FUND) == 100
    assert held(books, "mint", "") == minted - 100
    assert last_booking(books) == ("fund", "for May")
    assert sound(dicehall)


# -- barring ----------------------------------------------------------------------------------


def refused(inside: Inside, person: Person, *ways: str) -> set[str]:
    """How the hall answers a person who opens, joins, starts or plays."""
    hall = inside.hall
    boards = hall.lobby.open(Person(CEM, "Cem", "en"), GROUP, 0, "zilch", NOW).games
    do = {
        "open": lambda: hall.lobby.open(person, GROUP - 1, 0, "fifty", NOW),
        "solo": lambda: hall.lobby.open_solo(person, "farkle20", NOW),
        "join": lambda: hall.lobby.join(person, boards[0], NOW),
        "start": lambda: hall.lobby.start(person, boards[0], NOW, admin=True),
        "press": lambda: hall.play.press(person, hall.tables.get(boards[0]), 1, "throw", NOW),
        "command": lambda: hall.play.command(person, boards[0], "d", "4", NOW, NOW),
    }
    told = set()
    for way in ways or do:
        with pytest.raises(Refusal) as refusal:
            do[way]()
        told.add(refusal.value.text.key)
    inside.db.rollback()
    inside.db.begin()
    return told


def test_a_barred_person_opens_joins_and_plays_nothing_until_let_in_again(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    barred = dicehall("bar", "@Ann", "--reason", "two accounts", "--json").document

    assert barred == {"user": ANNA, "name": "Anna", "barred": "two accounts"}
    with Inside() as inside:
        assert refused(inside, inside.meets(ANNA, "Anna")) == {"refused.barred"}
        # Nobody else is.
        assert inside.meets(BEN, "Ben").barred == ""

    free = dicehall("unbar", "@Ann", "--json").document
    assert free == {"user": ANNA, "name": "Anna", "barred": ""}
    with Inside() as inside:
        anna = inside.meets(ANNA, "Anna")
        assert inside.hall.lobby.open(anna, GROUP - 1, 0, "fifty", NOW).games
    dicehall("unbar", str(ANNA)).refused("Anna isn’t barred")


def test_barring_twice_keeps_the_later_reason(dicehall: Run, books: sqlite3.Connection) -> None:
    for reason in ("first", "second"):
        dicehall("bar", "@Ann", "--reason", reason)
    assert books.execute("SELECT barred FROM people WHERE user_id = 11").fetchone() == ("second",)


# -- erasing ----------------------------------------------------------------------------------


def test_5_erasing_sends_everything_to_the_mint_and_the_books_stay(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    owned = dict(
        books.execute(
            "SELECT currency, balance FROM accounts WHERE kind = 'wallet' AND ref = '11' "
            "AND balance > 0"
        ).fetchall()
    )
    minted = {currency: held(books, "mint", "", currency) for currency in owned}
    [(bookings,)] = books.execute("SELECT count(*) FROM bookings")

    erased = dicehall("erase", "@Ann", "--json").document

    assert erased == {"user": ANNA, "returned": owned}
    for currency, units in owned.items():
        assert held(books, "wallet", ANNA, currency) == 0
        assert held(books, "mint", "", currency) == minted[currency] + units
    [(more,)] = books.execute("SELECT count(*) FROM bookings")
    assert more == bookings + 1
    assert last_booking(books)[0] == "erase"
    assert sound(dicehall)
    # Somebody who has nothing can be erased too.
    assert dicehall("erase", str(ANNA), "--json").document["returned"] == {}


def test_5_erasing_leaves_no_name_in_the_file(
    dicehall: Run, books: sqlite3.Connection, tmp_path: Path
) -> None:
    books.execute(
        "UPDATE people SET name = 'Rumpel', username = 'stiltskin', language = 'de' "
        "WHERE user_id = 11"
    )
    books.execute(
        "INSERT INTO bests (board, ref, place, source, value, note, at, counted) "
        "VALUES ('farkle20.world', '11', '11', 'x', 9000, 'Rumpel', 1, 1)"
    )
    books.execute("INSERT INTO wishes (user_id, kind, ref, at) VALUES (11, 'sign', 'x', 1)")
    before = books.execute("SELECT seat, place FROM seats WHERE user_id = 11").fetchall()

    dicehall("erase", "@stiltskin")

    assert books.execute(
        "SELECT name, username, language, reachable, listed, barred FROM people WHERE user_id = 11"
    ).fetchall() == [("#0011", "", "", 0, 0, "")]
    assert books.execute("SELECT note FROM bests WHERE source = 'x'").fetchall() == [("#0011",)]
    assert books.execute("SELECT count(*) FROM wishes").fetchone() == (0,)
    # Games and their results stay, under the number.
    assert books.execute("SELECT seat, place FROM seats WHERE user_id = 11").fetchall() == before
    books.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in (b"Rumpel", b"stiltskin"):
        assert name not in (tmp_path / "books.db").read_bytes()


def test_5_whoever_comes_back_has_no_name_and_no_second_gift(
    dicehall: Run, books: sqlite3.Connection, played: str
) -> None:
    dicehall("erase", "@Ann")

    with Inside() as inside:
        for gift in (GIFT, 5 * GIFT):  # also where the gift was changed meanwhile
            inside.people.settings = config.load(welcome_gift=gift)
            back = inside.meets(ANNA, "Rumpel")
            assert (back.user_id, back.name, back.username) == (ANNA, "#0011", "")
        assert inside.hall.lobby.open(back, GROUP, 0, "fifty", NOW).games

    assert coins(books, ANNA) == 0
    assert books.execute(
        "SELECT name, username, reachable FROM people WHERE user_id = 11"
    ).fetchall() == [("#0011", "", 1)]
    assert dicehall("verify", played, "--json").document["ok"] is True
    # What they win from then on can be erased too.
    dicehall("grant", str(ANNA), "5", "--reason", "x")
    assert dicehall("erase", str(ANNA), "--json").document["returned"] == {"coins": 5}
    assert sound(dicehall)


def test_erasing_lifts_no_bar(dicehall: Run, played: str) -> None:
    dicehall("bar", "@Ann", "--reason", "x")
    dicehall("erase", "@Ann")
    with Inside() as inside:
        assert inside.meets(ANNA, "Anna").barred == "x"
    assert dicehall("unbar", str(ANNA)).status == 0


@pytest.mark.parametrize(
    "status", ["UPDATE games SET status = 'running'", "UPDATE games SET status = 'lobby'"]
)
def test_nobody_is_erased_out_of_a_game(
    dicehall: Run, books: sqlite3.Connection, played: str, status: str
) -> None:
    books.execute(status)
    books.execute("UPDATE seats SET ended_at = 0")
    before = list(books.iterdump())

    dicehall("erase", "@Ann").refused("Anna", "still sits", played)

    assert list(books.iterdump()) == before
    books.execute("UPDATE seats SET left_at = 5")
    # Who left a running game still gets the stake back if it is stopped.
    assert (dicehall("erase", "@Ann").status == 0) == ("lobby" in status)


# -- cancelling a game ------------------------------------------------------------------------


def opened(*, start: bool, stake: int = 5) -> str:
    """The id of a game that Anna, Ben and Cem have joined."""
    with Inside() as inside:
        inside.hall.chats.meet(GROUP, "Round")
        inside.hall.chats.set(GROUP, "stake", str(stake), 0, 0)
        party = [inside.meets(user, name) for user, name in NAMES.items()]
        [game] = inside.hall.lobby.open(party[0], GROUP, 0, "fifty", NOW).games
        for person in party if stake else party[1:]:  # opening a free game is joining it
            inside.hall.lobby.join(person, game, NOW)
        if start:
            inside.hall.lobby.start(party[0], game, NOW)
    return game


@pytest.mark.parametrize("start", [True, False])
def test_5_the_operator_cancels_a_game_and_every_stake_returns(
    dicehall: Run, books: sqlite3.Connection, start: bool
) -> None:
    for user in NAMES:
        dicehall("grant", str(user), "10", "--reason", "x")
    before = [coins(books, user) for user in NAMES]
    game = opened(start=start)
    assert held(books, "escrow", game) == 15

    done = dicehall("cancel", game.upper(), "--reason", "it  hangs", "--json").document

    assert done == {"game": game, "returned": {str(user): 5 for user in NAMES}, "fund": 0}
    assert [coins(books, user) for user in NAMES] == before
    assert last_booking(books) == ("refund", "it hangs")
    [row] = books.execute("SELECT status, result FROM games WHERE id = ?", (game,))
    assert row == ("void", '{"why": "operator", "memo": "it hangs"}')
    dicehall("cancel", game, "--reason", "again").refused(game, "holds nothing")
    assert sound(dicehall)


def test_5_a_free_game_can_be_cancelled_too(dicehall: Run, books: sqlite3.Connection) -> None:
    game = opened(start=True, stake=0)
    assert dicehall("cancel", game, "--reason", "x", "--json").document["returned"] == {}
    assert books.execute("SELECT count(*) FROM games WHERE status = 'running'").fetchone() == (0,)


def test_what_a_finished_game_still_holds_goes_to_who_sat_in_it_once(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    for user in NAMES:
        dicehall("grant", str(user), "10", "--reason", "x")
    game = opened(start=True)
    before = [coins(books, user) for user in NAMES]
    with Inside() as inside:  # 17: five each, and two more
        postings = {wallet(ANNA): -2, escrow(game): 2}
        inside.hall.ledger.book("odd", "correct", postings, at=NOW)
    books.execute("UPDATE games SET status = 'over' WHERE id = ?", (game,))
    assert not json.loads(dicehall("audit", "--json").out)["ok"]

    done = dicehall("cancel", game, "--reason", "ended by hand", "--json").document

    assert done == {"game": game, "returned": {str(user): 5 for user in NAMES}, "fund": 2}
    assert [coins(books, user) for user in NAMES] == [before[0] + 3, before[1] + 5, before[2] + 5]
    assert held(books, *FUND) == 2
    assert last_booking(books) == ("refund", "ended by hand")
    dicehall("cancel", game, "--reason", "again").refused(game, "holds nothing")
    assert sound(dicehall)


@pytest.mark.parametrize(
    ("status", "returned", "fund"),
    [("off", {"22": 1, "33": 1}, 0), ("over", {}, 2)],
    ids=["a lobby called off", "nobody ever sat there"],
)
def test_who_left_a_lobby_gets_nothing_of_it(
    dicehall: Run, books: sqlite3.Connection, status: str, returned: dict[str, int], fund: int
) -> None:
    game = opened(start=False, stake=0)
    with Inside() as inside:
        postings = {mint(): -2, escrow(game): 2}
        inside.hall.ledger.book("odd", "correct", postings, at=NOW)
    books.execute("UPDATE seats SET left_at = 1 WHERE user_id = ?", (ANNA,))
    books.execute("UPDATE games SET status = ? WHERE id = ?", (status, game))
    if not returned:
        books.execute("DELETE FROM seats WHERE game_id = ?", (game,))

    done = dicehall("cancel", game, "--reason", "x", "--json").document

    assert done == {"game": game, "returned": returned, "fund": fund}
    assert sound(dicehall)


def test_a_pot_that_is_short_cancels_nothing(dicehall: Run, books: sqlite3.Connection) -> None:
    for user in NAMES:
        dicehall("grant", str(user), "10", "--reason", "x")
    game = opened(start=True)
    books.execute("UPDATE accounts SET balance = 1 WHERE kind = 'escrow' AND ref = ?", (game,))
    before = list(books.iterdump())

    dicehall("cancel", game, "--reason", "x").refused("GAME", "dicehall repair")

    assert list(books.iterdump()) == before
    assert dicehall("repair").status == 0
    assert dicehall("cancel", game, "--reason", "x").status == 0


def test_cancel_alone_lists_the_open_games(dicehall: Run, played: str) -> None:
    assert dicehall("cancel", "--json").document == {"open": []}
    game = opened(start=True)

    [told] = dicehall("cancel", "--json").document["open"]

    assert (told["game"], told["kind"], told["status"]) == (game, "fifty", "running")
    assert (told["chat"], told["title"], told["pot"]) == (GROUP, "Round", 15)
    assert game in dicehall("cancel").out


def test_a_game_that_never_was_is_not_cancelled(dicehall: Run, played: str) -> None:
    dicehall("cancel", "nosuch", "--reason", "x").refused("GAME", "nosuch")
    dicehall("cancel", played, "--reason", " ").refused("--reason")


# -- supply -----------------------------------------------------------------------------------


def test_supply_tells_what_is_where(dicehall: Run, books: sqlite3.Connection) -> None:
    dicehall("fund", "100", "--reason", "x")

    told = dicehall("supply", "--json").document

    assert told["circulation"]["coins"] == 3 * GIFT + 100 == -held(books, "mint", "")
    places = told["held"]["coins"]
    assert list(places) == ["wallet", "escrow", "jackpot", "fund"]
    assert places["fund"] == 100
    assert sum(places.values()) == told["circulation"]["coins"]
    assert told["circulation"]["fifty"] == -held(books, "mint", "", "fifty") > 0


def test_supply_names_the_richest_and_their_share(dicehall: Run, books: sqlite3.Connection) -> None:
    dicehall("grant", "@Cem", "500", "--reason", "x")
    total = dicehall("supply", "--json").document["circulation"]["coins"]

    told = dicehall("supply", "--json").document

    richest = told["richest"]
    assert richest[0]["name"] == "Cem"
    assert richest[0]["ref"] == str(CEM)
    assert richest[0]["coins"] == coins(books, CEM)
    assert richest[0]["share"] == pytest.approx(coins(books, CEM) / total)
    assert [row["coins"] for row in richest] == sorted(
        (row["coins"] for row in richest), reverse=True
    )
    assert told["richest_share"] == pytest.approx(sum(row["share"] for row in richest))
    only = dicehall("supply", "--json", RICHEST="1").document["richest"]
    assert only == richest[:1]


def test_supply_by_day_follows_the_operators_calendar(
    dicehall: Run, books: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    # NOW is 15 January 2027, 09:00 in Berlin.
    monkeypatch.setattr("tgbot.cli.books.time.time", lambda: NOW + 2 * DAY_S)
    for hours, granted in ((-10, 1000), (-8, 200), (40, 30)):
        with Inside() as inside:
            from tgbot.operator.actions import correct, grant

            grant(inside.people, "11", granted, "x", now=NOW + hours * 3600)
            correct(inside.people, "11", -1, "x", now=NOW + hours * 3600)

    told = dicehall("supply", "--days", "4", "--json").document["days"]["coins"]

    days = {day["date"]: (day["new"], day["gone"]) for day in told}
    assert days == {
        "2027-01-14": (1000, 1),
        "2027-01-15": (3 * GIFT + 200, 1),
        "2027-01-16": (0, 0),
        "2027-01-17": (30, 1),
    }
    [won] = books.execute(
        "SELECT sum(p.amount) FROM postings p JOIN bookings b ON b.id = p.booking_id "
        "JOIN accounts a ON a.id = p.account_id "
        "WHERE b.reason = 'game' AND a.kind = 'wallet' AND a.currency = 'coins'"
    )
    assert [day["paid"] for day in told] == [0, won[0] or 0, 0, 0]
    # Elsewhere the first grant was still of the 14th, and the second one too.
    west = dicehall("supply", "--days", "4", "--json", TIMEZONE="America/New_York").document
    assert west["days"]["coins"][0]["new"] == 1200


def test_supply_reads_well(dicehall: Run, played: str) -> None:
    said = dicehall("supply", "--days", "366")
    assert said.status == 0
    assert "Ben [/b]" in said.out
    assert "in circulation" in said.out


@pytest.mark.parametrize("days", ["0", "-1", "3661", "x", "1_0", "١"])
def test_supply_takes_a_number_of_days(dicehall: Run, played: str, days: str) -> None:
    dicehall("supply", f"--days={days}").refused("--days")


# -- Robin Hood -------------------------------------------------------------------------------


def test_a_round_at_a_time_is_planned_by_the_operators_clock(dicehall: Run) -> None:
    dicehall("migrate")
    made = dicehall("robin-hood", "at", "20:15", "25", "--json").document

    assert (made["status"], made["coins"]) == ("planned", 25)
    assert made["due"].endswith(" 20:15")
    assert dicehall("robin-hood", "status", "--json").document["rounds"] == [made]


@pytest.mark.parametrize("when", ["", "soon", "2020-01-01 20:15", "2999-01-01 20:15", "２０:15"])
def test_a_time_that_is_none_to_come_is_refused(dicehall: Run, when: str) -> None:
    dicehall("migrate")
    dicehall("robin-hood", "at", when, "25").refused("WHEN", "18:30")

    assert dicehall("robin-hood", "status", "--json").document["rounds"] == []


def test_the_history_says_who_got_what(dicehall: Run) -> None:
    with Inside() as inside:
        inside.meets(4711, "Zoe")
        robin = inside.hall.settling.robin
        rounds = [robin.order(NOW + n, 30) for n in range(3)]
        robin.cancel(rounds[0].id)
        inside.hall.store.seats.add("game4711", 4711, NOW)
        inside.hall.store.db.execute_sql(
            "UPDATE seats SET coins = 20, place = 1 WHERE game_id = 'game4711'"
        )
        inside.hall.store.db.execute_sql(
            "UPDATE robin_rounds SET status = 'given', given = 20, game = 'game4711', place = ? "
            "WHERE id = ?",
            (str(GROUP), rounds[1].id),
        )

    given, cancelled = dicehall("robin-hood", "history", "--json").document["rounds"]

    assert (given["status"], given["given"], given["chat"]) == ("given", 20, str(GROUP))
    assert given["shares"] == [{"user": 4711, "name": "Zoe", "coins": 20}]
    assert (cancelled["status"], cancelled["shares"]) == ("cancelled", [])
    assert len(dicehall("robin-hood", "history", "--limit", "1", "--json").document["rounds"]) == 1
    assert "20 of 30 · Zoe 20" in dicehall("robin-hood", "history").out
    dicehall("robin-hood", "history", "--limit", "0").refused("--limit")


# -- whom -------------------------------------------------------------------------------------


def test_a_display_name_never_passes_for_a_username(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    books.execute("UPDATE people SET name = 'realbob', username = '' WHERE user_id = ?", (BEN,))

    dicehall("grant", "@realbob", "5", "--reason", "x").refused("PERSON", "not met @realbob")
    asked = dicehall("grant", "realbob", "5", "--reason", "x")

    asked.refused("Anybody can be called", str(BEN))
    assert last_booking(books)[0] != "grant"
