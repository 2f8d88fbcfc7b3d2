"""The command line: documents, help, what is typed wrong, and what is set wrong.

Most commands run in this process, with what they say captured; a few run as people start them.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

import icepool
import pytest
from typer.main import get_command

from economy.ledger import Ledger, escrow, mint, wallet
from tests.process.mortal import mortal
from tests.process.typed import ANNA, BEN, CEM, GIFT, NO_AMOUNTS, NOW, TOKEN, Run, Said
from tgbot import __version__
from tgbot.cli import main as cli
from tgbot.config import Settings
from tgbot.database import open_database


def commands(of: Any, *words: str) -> Iterator[str]:
    """Every command under a command, as it is typed: `robin-hood plan`."""
    inside = getattr(of, "commands", {})
    for name, command in inside.items():
        yield from commands(command, *words, name)
    if words and not inside:
        yield " ".join(words)


COMMANDS = sorted(commands(get_command(cli.app)))


# -- odds -------------------------------------------------------------------------------------


def test_odds_is_one_document_of_exact_chances_in_lowest_terms(dicehall: Run) -> None:
    said = dicehall("odds", "4+4+12", "--limit", "17", "--json")

    odds = said.document
    assert said.err == ""
    assert list(odds) == ["pool", "limit", "mean", "variance", "pmf", "exact", "over"]
    assert (odds["pool"], odds["limit"]) == ("4+4+12", 17)
    assert odds["pmf"][0] == {"sum": 3, "p": "1/192", "float": 1 / 192}
    chances = [odds["exact"], odds["over"], *odds["pmf"]]
    for chance in chances:
        numerator, denominator = map(int, chance["p"].split("/"))
        assert gcd(numerator, denominator) == 1
        assert chance["float"] == pytest.approx(numerator / denominator, rel=1e-15)
    below = sum(Fraction(chance["p"]) for chance in odds["pmf"])
    assert below + Fraction(odds["over"]["p"]) == 1
    assert odds["pmf"][-1] == {"sum": 17, **odds["exact"]}


def test_odds_are_those_of_dice_that_explode_without_end(dicehall: Run) -> None:
    odds = dicehall("odds", "2w4+w12", "--limit", "20", "--json").document

    # Deep enough that what is cut off cannot reach a sum of 20.
    dice = [icepool.d(sides).explode(depth=12) for sides in (4, 4, 12)]
    oracle = dice[0] + dice[1] + dice[2]
    assert {row["sum"]: Fraction(row["p"]) for row in odds["pmf"]} == {
        total: Fraction(oracle.quantity(total), oracle.denominator())
        for total in range(3, 21)
        if oracle.quantity(total)
    }
    # A die of s faces has a mean of s(s+1)/2(s-1).
    assert odds["mean"] == pytest.approx(10 / 3 * 2 + 78 / 11)


@pytest.mark.parametrize(
    ("typed", "pool"),
    [("12+4+4", "4+4+12"), ("2w4+W12", "4+4+12"), ("d20", "20"), ("50w2", "+".join(["2"] * 50))],
)
def test_odds_read_every_notation(dicehall: Run, typed: str, pool: str) -> None:
    assert dicehall("odds", typed, "--json").document["pool"] == pool


def test_odds_without_a_limit_go_up_to_60(dicehall: Run) -> None:
    odds = dicehall("odds", "4+12", "--json").document

    assert [odds["limit"], odds["exact"], odds["over"]] == [None, None, None]
    assert [odds["pmf"][0]["sum"], odds["pmf"][-1]["sum"]] == [2, 60]
    assert all(row["sum"] not in (0, 1) for row in odds["pmf"])


def test_odds_with_a_limit_go_up_to_it(dicehall: Run) -> None:
    assert dicehall("odds", "20", "--limit", "5", "--json").document["pmf"][-1]["sum"] == 5
    assert dicehall("odds", "6", "--limit", "100", "--json").document["pmf"][-1]["sum"] == 100
    assert dicehall("odds", "20", "--limit", "0", "--json").document["pmf"] == []


def test_the_largest_odds_that_can_be_asked_for_are_answered(dicehall: Run) -> None:
    odds = dicehall("odds", "50w20", "--limit", "1000", "--json").document

    assert len(odds["pmf"]) == 1000 - 50 + 1
    assert sum(Fraction(row["p"]) for row in odds["pmf"]) + Fraction(odds["over"]["p"]) == 1


def test_odds_without_json_are_a_table(dicehall: Run) -> None:
    said = dicehall("odds", "6", "--limit", "4")

    assert said.status == 0
    assert "exactly 4: 16.6667%" in said.out
    assert "over 4: 33.3333%" in said.out


# -- simulate ---------------------------------------------------------------------------------

SIMULATE = ("simulate", "fifty", "--players", "3", "--games", "8", "--stake", "5", "--json")


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if k not in ("seconds", "games_per_s")}


def test_simulate_says_the_same_for_the_same_seed_and_other_things_for_another(
    dicehall: Run,
) -> None:
    seven, again, eight = (
        timeless(dicehall(*SIMULATE, "--seed", seed).document) for seed in ("7", "7", "8")
    )

    assert seven == again
    assert seven | {"seed": 8} != eight


@pytest.mark.parametrize("policy", ["random", "cautious"])
@pytest.mark.parametrize("stake", [0, 5])
@pytest.mark.parametrize("players", [2, 4])
def test_simulate_accounts_for_every_coin_and_point(
    dicehall: Run, players: int, stake: int, policy: str
) -> None:
    games = 6
    said = dicehall(
        "simulate", "fifty", "--players", str(players), "--games", str(games),
        "--stake", str(stake), "--policy", policy, "--json",
    )  # fmt: skip

    sim = said.document
    assert said.err == ""
    asked = ("game", "players", "games", "stake", "policy", "problems")
    assert [sim[name] for name in asked] == ["fifty", players, games, stake, policy, []]
    assert sim["ledger_sum"] == {"coins": 0, "fifty": 0}
    assert sim["paid"]["coins"] + sim["jackpot"]["coins"] == players * games * stake
    points = (2 if stake else 1) * players * games
    assert sim["paid"]["points"] + sim["jackpot"]["points"] == points
    assert games <= sim["rounds"] <= 3 * games
    assert 0 <= sim["busts"] <= players * games
    assert sim["bullseyes"] >= 3 * sim["jackpots_won"]
    assert sim["games_per_s"] > 0


def test_cautious_players_bust_less_than_random_ones(dicehall: Run) -> None:
    random, cautious = (
        dicehall("simulate", "fifty", "--games", "20", "--policy", policy, "--json").document
        for policy in ("random", "cautious")
    )

    assert cautious["busts"] < random["busts"]


def test_simulate_lets_james_play_against_others_and_tells_what_each_won(dicehall: Run) -> None:
    told = dicehall(
        "simulate", "zilch", "--players", "2", "--games", "4", "--policy", "james,greedy",
        "--losses", "--json",
    ).document  # fmt: skip

    james, greedy = told["by_policy"]["james"], told["by_policy"]["greedy"]
    assert told["policy"] == "james,greedy"
    assert james["share"] + greedy["share"] == pytest.approx(1)
    assert james["fair_shares"] == pytest.approx(2 * james["share"], abs=1e-3)
    assert abs(james["loss"]) <= 1e-3
    assert greedy["loss"] > 0


def test_simulate_with_more_policies_than_players_is_refused(dicehall: Run) -> None:
    words = ("simulate", "zilch", "--players", "2", "--policy", "greedy,random,james")

    dicehall(*words).refused("--policy", "3 for 2")


def test_simulate_leaves_nothing_behind(dicehall: Run, tmp_path: Path) -> None:
    assert dicehall(*SIMULATE, DATABASE=f"sqlite:///{tmp_path}/mine.db").status == 0
    assert list(tmp_path.iterdir()) == []


# -- audit ------------------------------------------------------------------------------------


def test_audit_of_clean_books_is_ok(dicehall: Run, played: str) -> None:
    said = dicehall("audit", "--json")

    audit = said.document
    assert said.err == ""
    assert audit["ok"] is True
    assert audit["problems"] == []
    assert audit["sums"] == {"coins": 0, "fifty": 0}
    # Three gifts, three stakes, one settlement.
    assert audit["bookings"] == 7
    coins = audit["held"]["coins"]
    assert coins["mint"] == -3 * GIFT
    assert coins["escrow"] == 0
    assert coins["wallet"] + coins.get("jackpot", 0) == 3 * GIFT


def test_audit_of_a_new_database_is_ok(dicehall: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    dicehall("migrate", DATABASE=url)
    audit = dicehall("audit", "--json", DATABASE=url).document
    assert (audit["ok"], audit["bookings"]) == (True, 0)


def test_a_running_game_may_hold_its_stakes(dicehall: Run, books: sqlite3.Connection) -> None:
    books.execute("UPDATE games SET status = 'running'")
    move_to_escrow(books)
    assert dicehall("audit", "--json").document["ok"] is True


def move_to_escrow(books: sqlite3.Connection) -> None:
    """Three of Anna's coins go into the escrow of the game, by the book."""
    [(game_id,)] = books.execute("SELECT id FROM games")
    settings = Settings(_env_file=None)
    db = open_database(settings)
    with db.atomic():
        ledger = Ledger(db)
        ledger.transfer("more", "grant", mint(), wallet(ANNA), 3, at=NOW)
        ledger.transfer("late", "stake", wallet(ANNA), escrow(game_id), 3, at=NOW)
    db.close()


def change_a_balance(books: sqlite3.Connection) -> None:
    books.execute("UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'")


def lose_a_posting(books: sqlite3.Connection) -> None:
    [(trigger,)] = books.execute("SELECT sql FROM sqlite_master WHERE name = 'postings_no_delete'")
    books.execute("DROP TRIGGER postings_no_delete")
    books.execute("DELETE FROM postings WHERE id = 1")
    books.execute(trigger)


def overdraw(books: sqlite3.Connection) -> None:
    books.execute("PRAGMA ignore_check_constraints = 1")
    books.execute("UPDATE accounts SET balance = -4 WHERE kind = 'wallet' AND ref = '11'")


def book_nothing(books: sqlite3.Connection) -> None:
    books.execute("INSERT INTO bookings (key, reason, at, memo) VALUES ('void', 'grant', 1, '')")


def drop_a_trigger(books: sqlite3.Connection) -> None:
    books.execute("DROP TRIGGER bookings_no_update")


def loosen_a_table(books: sqlite3.Connection) -> None:
    books.execute("CREATE TABLE loose (amount INTEGER)")


DAMAGE = {
    "wallet 11 coins holds": change_a_balance,
    "coins add up to": change_a_balance,
    "is off by": lose_a_posting,
    "is below zero: -4": overdraw,
    "of a finished game still holds 3": move_to_escrow,
    "booking void has no postings": book_nothing,
    "trigger bookings_no_update is missing": drop_a_trigger,
    "table loose is not STRICT": loosen_a_table,
}


@pytest.mark.parametrize("found", DAMAGE)
def test_audit_finds_every_kind_of_damage_and_exits_1(
    dicehall: Run, books: sqlite3.Connection, found: str
) -> None:
    DAMAGE[found](books)

    said = dicehall("audit", "--json")

    assert said.status == 1
    assert said.err == ""
    audit = json.loads(said.out)
    assert audit["ok"] is False
    assert any(found in problem for problem in audit["problems"]), audit["problems"]
    # People read the same.
    told = dicehall("audit")
    assert told.status == 1
    assert found in " ".join(told.out.split())


def test_an_audit_that_fails_is_noted_for_the_alert_until_one_is_right_again(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    def noted() -> list[str]:
        facts = books.execute("SELECT value FROM facts WHERE name = 'audit'")
        return [value.split()[0] for (value,) in facts]

    dicehall("audit")
    assert noted() == []

    books.execute("UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet' AND ref = '11'")
    dicehall("audit")
    assert noted() != ["0"] != []
    dicehall("repair")
    assert noted() == ["0"]


# -- verify -----------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [str, str.upper])
def test_verify_recomputes_every_throw_of_a_game(
    dicehall: Run, books: sqlite3.Connection, played: str, write: Callable[[str], str]
) -> None:
    said = dicehall("verify", write(played), "--json")

    verified = said.document
    assert said.err == ""
    [(throws,)] = books.execute("SELECT count(*) FROM moves WHERE dice <> ''")
    assert verified["throws"] == throws > 3
    assert (verified["game"], verified["kind"]) == (played, "fifty")
    assert (verified["ok"], verified["wrong"]) == (True, [])
    assert len(verified["secret"]) == len(verified["seal"]) == 64


def test_verify_finds_a_die_that_was_not_thrown_so(
    dicehall: Run, books: sqlite3.Connection, played: str
) -> None:
    [(n, dice)] = books.execute("SELECT n, dice FROM moves WHERE seat >= 0 ORDER BY n LIMIT 1")
    first, *rest = dice.split(",")
    other = "2" if first == "1" else "1"
    books.execute("UPDATE moves SET dice = ? WHERE n = ?", (",".join([other, *rest]), n))

    said = dicehall("verify", played, "--json")

    assert said.status == 1
    verified = json.loads(said.out)
    assert verified["ok"] is False
    assert n in verified["wrong"]


@pytest.mark.parametrize(
    "damage", ["UPDATE games SET secret = zeroblob(32)", "DELETE FROM seats WHERE id = 2"]
)
def test_verify_finds_another_secret_and_a_seat_that_is_gone(
    damage: str, dicehall: Run, books: sqlite3.Connection, played: str
) -> None:
    books.execute(damage)
    said = dicehall("verify", played, "--json")

    assert (said.status, said.err) == (1, "")
    assert json.loads(said.out)["ok"] is False


def test_verify_keeps_the_secret_of_a_running_game(
    dicehall: Run, books: sqlite3.Connection, played: str
) -> None:
    books.execute("UPDATE games SET status = 'running'")
    dicehall("verify", played).refused(played, "still running")


@pytest.mark.parametrize("game", ["nosuch", "", "12345678", "x' OR '1'='1", "ａｂ", "a\nb"])
def test_verify_knows_no_other_game(dicehall: Run, played: str, game: str) -> None:
    dicehall("verify", game).refused("there is no game")


# -- migrate ----------------------------------------------------------------------------------


def test_migrate_makes_a_database_once(dicehall: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"

    first = dicehall("migrate", "--json", DATABASE=url).document
    second = dicehall("migrate", "--json", DATABASE=url).document

    assert first["database"] == second["database"] == url
    assert {"0001_ledger", "0001_hall"} <= {*first["applied"]}
    assert second["applied"] == []
    assert "nothing to do" in dicehall("migrate", DATABASE=url).out


def test_migrate_changes_nothing_of_a_database_that_is_up_to_date(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    before = list(books.iterdump())
    assert dicehall("migrate", "--json").document["applied"] == []
    assert list(books.iterdump()) == before


# -- grant ------------------------------------------------------------------------------------


def test_grant_gives_new_coins_and_keeps_the_reason(
    dicehall: Run, books: sqlite3.Connection
) -> None:
    before = coins(books, CEM)

    granted = dicehall("grant", str(CEM), "50", "--reason", " won it ", "--json").document

    assert granted["user"] == CEM
    assert granted["name"] == "Cem"
    assert granted["granted"] == 50
    assert granted["balance"] == coins(books, CEM) == before + 50
    memo = books.execute("SELECT reason, memo FROM bookings WHERE key LIKE 'grant:%'").fetchall()
    assert memo == [("grant", "won it")]
    assert dicehall("audit", "--json").document["ok"] is True


def coins(books: sqlite3.Connection, user: int) -> int:
    [(balance,)] = books.execute(
        "SELECT balance FROM accounts WHERE kind = 'wallet' AND ref = ? AND currency = 'coins'",
        (str(user),),
    )
    return int(balance)


def test_the_same_key_grants_once(dicehall: Run, books: sqlite3.Connection) -> None:
    before = coins(books, ANNA)
    words = ("grant", "@Ann", "7", "--reason", "raffle", "--key", "raffle 3", "--json")

    first, second = dicehall(*words).document, dicehall(*words).document

    assert [first["granted"], second["granted"]] == [7, 0]
    assert first["key"] == second["key"] == "raffle 3"
    assert first["balance"] == second["balance"] == coins(books, ANNA) == before + 7


def test_two_grants_without_a_key_are_two(dicehall: Run, books: sqlite3.Connection) -> None:
    before = coins(books, ANNA)
    keys = {
        dicehall("grant", "@Ann", "7", "--reason", "x", "--json").document["key"] for _ in range(2)
    }
    assert len(keys) == 2
    assert coins(books, ANNA) == before + 14


@pytest.mark.parametrize("changed", [("@Ann", "8"), ("@Cem", "7")])
def test_a_key_that_was_used_for_another_grant_is_refused(
    dicehall: Run, books: sqlite3.Connection, changed: tuple[str, str]
) -> None:
    dicehall("grant", "@Ann", "7", "--reason", "x", "--key", "once")
    before = list(books.iterdump())

    dicehall("grant", *changed, "--reason", "x", "--key", "once").refused("--key", "once")

    assert list(books.iterdump()) == before


@pytest.mark.parametrize("amount", NO_AMOUNTS)
def test_grant_takes_amounts_in_plain_digits_only(
    dicehall: Run, books: sqlite3.Connection, amount: str
) -> None:
    before = list(books.iterdump())

    # What begins with a dash would be an option; after -- it is an amount.
    dicehall("grant", "--reason", "x", "--", "@Ann", amount).refused("AMOUNT", "plain digits")

    assert list(books.iterdump()) == before


def test_an_amount_with_a_dash_is_refused_in_one_line_too(dicehall: Run, played: str) -> None:
    dicehall("grant", "@Ann", "-5", "--reason", "x").refused("AMOUNT", "from 1")


@pytest.mark.parametrize(
    "person", ["@nobody", "nobody", "99", "-11", "1" * 30, "١١", "", "@", "Ann\nBen", "' OR 1=1"]
)
def test_grant_refuses_whom_the_bot_never_met(
    dicehall: Run, books: sqlite3.Connection, person: str
) -> None:
    before = list(books.iterdump())

    said = dicehall("grant", "--reason", "x", "--", person, "5")

    said.refused("PERSON", "Telegram user id or @username")
    assert list(books.iterdump()) == before


@pytest.mark.parametrize("reason", ["", "  ", "\n"])
def test_grant_wants_a_reason(dicehall: Run, played: str, reason: str) -> None:
    dicehall("grant", "@Ann", "5", "--reason", reason).refused("--reason")


def test_nobody_can_be_granted_more_than_the_cap(dicehall: Run, books: sqlite3.Connection) -> None:
    books.execute("UPDATE accounts SET balance = 999999999999999 WHERE ref = '11'")
    dicehall("grant", "@Ann", "5", "--reason", "x").refused("AMOUNT")


def test_names_are_shown_as_they_are(dicehall: Run, played: str) -> None:
    said = dicehall("grant", str(BEN), "5", "--reason", "x")
    assert said.status == 0
    assert "Ben [/b]" in said.out


# -- help, and what is typed wrong --------------------------------------------------------------


def test_help_lists_every_command(dicehall: Run) -> None:
    said = dicehall("--help")

    assert said.status == 0
    assert said.err == ""
    assert {"audit", "grant", "migrate", "odds", "play", "run", "simulate", "verify"} <= {*COMMANDS}
    assert all(f" {command.split()[0]} " in said.out for command in COMMANDS)


def test_nothing_typed_is_help(dicehall: Run) -> None:
    assert dicehall() == dicehall("--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example_of_it(dicehall: Run, command: str) -> None:
    said = dicehall(*command.split(), "--help")

    assert said.status == 0
    assert said.err == ""
    assert f"Usage: dicehall {command}" in said.out
    [example] = [line for line in said.out.splitlines() if "Example: " in line]
    assert f"dicehall {command}" in example


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_says_what_each_word_is(command: str) -> None:
    found: Any = get_command(cli.app)
    for name in command.split():
        found = found.commands[name]

    assert [word.name for word in found.params if not word.help] == []


TABLES = [
    ["score", "farkle20", "112224"],
    ["score", "yahtzee", "33366"],
    ["robin-hood", "status"],
    ["robin-hood", "now", "25"],
    ["simulate", "zilch", "--games", "1"],
    ["copy-to", "sqlite:///copy.db"],
]


@pytest.mark.parametrize("words", TABLES, ids=" ".join)
def test_tables_are_for_people(dicehall: Run, played: str, words: list[str]) -> None:
    said = dicehall(*words)

    assert said.status == 0
    assert not re.search(r"[\[\]{}_']|True|False|None", said.out), said.out


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("run", "play")])
def test_every_command_that_tells_something_takes_json(dicehall: Run, command: str) -> None:
    assert "--json" in dicehall(*command.split(), "--help").out


EXAMPLES = [
    ["odds", "4+4+12", "--limit", "17"],
    ["simulate", "fifty", "--players", "4", "--games", "10", "--seed", "7", "--stake", "5"],
    ["migrate"],
    ["audit", "--json"],
    ["grant", "@Ann", "50", "--reason", "won the raffle"],
]


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_what_the_examples_say_works(dicehall: Run, played: str, words: list[str]) -> None:
    said = dicehall(*words)
    assert said.status == 0
    assert said.out
    assert said.err == ""


WRONG = [
    (["rnu"], "No such command", "rnu"),
    (["--nonsense"], "--nonsense"),
    (["odds"], "pool"),
    (["odds", "4+4", "4"], "unexpected"),
    (["odds", "4+4", "--nonsense"], "--nonsense"),
    (["odds", "4+x"], "x", "4+4+12"),
    (["odds", ""], "dice", "2d6+d20"),
    (["odds", "w1"], "d1", "at least two sides"),
    (["odds", "1001"], "1,001", "1,000 at most"),
    (["odds", "51w6"], "50"),
    (["odds", "٤+٤"], "4+4+12"),
    (["odds", "4+4\n+x"], "4+4+12"),
    (["odds", "4", "--limit"], "--limit"),
    *((["odds", "4", f"--limit={limit}"], "--limit") for limit in
      ("-1", "1001", "x", "", "1e2", "5.0", "1_0", "١٢", "１２", "9" * 30)),
    (["simulate"], "game"),
    (["simulate", "chess"], "chess", "fifty"),
    *((["simulate", "fifty", f"--players={n}"], "--players") for n in ("1", "21", "x", "1_0")),
    *((["simulate", "fifty", f"--games={n}"], "--games") for n in ("0", "-1", "1000001", "٣")),
    *((["simulate", "fifty", f"--stake={n}"], "--stake") for n in ("-1", "102", "1e1", "1_0")),
    *((["simulate", "fifty", f"--seed={n}"], "--seed") for n in ("x", "0x1", "９", "9" * 30)),
    (["simulate", "fifty", "--policy", "wild"], "--policy", "random, cautious", "james", "wild"),
    (["verify"], "FILE"),
    (["grant"], "person"),
    (["grant", "@Ann"], "amount"),
    (["grant", "@Ann", "5"], "--reason"),
    *((["play", f"--port={port}"], "--port") for port in ("-1", "65536", "x", "80_81")),
    (["play", "--keep", "/no/such/folder/play.db"], "--keep", "/no/such/folder"),
    (["migrate", "now"], "unexpected", "now"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: " ".join(wrong[0])[:40])
def test_what_is_typed_wrong_gets_one_line_and_exit_status_2(
    dicehall: Run, wrong: tuple[list[str], str]
) -> None:
    words, *told = wrong
    dicehall(*words).refused(*told)


# -- wrong settings ---------------------------------------------------------------------------

WRONG_SETTINGS = [
    ({"BOT_TOKEN": "secret-but-no-token"}, "BOT_TOKEN", "@BotFather"),
    ({"BOT_TOKEN": "123:short"}, "BOT_TOKEN", "@BotFather"),
    ({"BOT_TOKEN": f"{TOKEN} {TOKEN}"}, "BOT_TOKEN", "@BotFather"),
    ({"BOT_TOKEN": ""}, "BOT_TOKEN", "empty", "@BotFather"),
    ({"BOT_TOKEN_FILE": "no/such/file"}, "BOT_TOKEN_FILE", "no/such/file"),
    ({"BOT_TOKEN_FILE": "/"}, "BOT_TOKEN_FILE", "cannot be read"),
    ({"BOT_TOKEN_FILE": "binary"}, "BOT_TOKEN_FILE", "cannot be read"),
    ({"BOT_TOKEN_FILE": "empty"}, "BOT_TOKEN_FILE", "empty", "@BotFather"),
    ({"BOT_TOKEN_FILE": "novel"}, "BOT_TOKEN_FILE", "@BotFather"),
    ({"DATABASE": "sqlite:////"}, "DATABASE", "sqlite:///"),
    ({"DATABASE": "sqlite:///folder"}, "DATABASE", "sqlite:///"),
    ({"DATABASE": "sqlite:///novel"}, "DATABASE", "not a database", "sqlite:///"),
    ({"DATABASE": "sqlite:////no/such/folder/x.db"}, "DATABASE", "/no/such/folder"),
    ({"DATABASE": "sqlite:///:memory:"}, "DATABASE", "memory"),
    ({"DATABASE": "sqlite:///"}, "DATABASE", "memory"),
    ({"DATABASE": "sqlite://x.db"}, "DATABASE", "sqlite:///"),
    ({"DATABASE": "mysql://root@localhost/x"}, "DATABASE", "mysql", "sqlite:///"),
    ({"DATABASE": "dicehall.db"}, "DATABASE", "dicehall.db", "sqlite:///"),
    ({"DATABASE_FILE": "no/such/file"}, "DATABASE_FILE", "no/such/file"),
    ({"DATABASE_FILE": "novel"}, "DATABASE_FILE", "holds no URL", "postgresql://"),
    ({"TIMEZONE": "Mars/Olympus"}, "TIMEZONE", "Europe/Berlin"),
    ({"TIMEZONE": "Europe"}, "TIMEZONE", "Europe/Berlin"),
    ({"TIMEZONE": "/etc/passwd"}, "TIMEZONE", "Europe/Berlin"),
    ({"TIMEZONE": "CET+1\nX"}, "TIMEZONE", "Europe/Berlin"),
    ({"BOT_API": "nonsense"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "ftp://127.0.0.1"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "http://"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "http://127.0.0.1:99999"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "http://127.0.0.1:port"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "http://[::1"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"BOT_API": "http://a b/"}, "BOT_API", "http://127.0.0.1:8081"),
    ({"OPERATORS": "anna"}, "OPERATORS", "12345,67890"),
    ({"OPERATORS": "1;2"}, "OPERATORS", "12345,67890"),
    ({"OPERATORS": "١٢"}, "OPERATORS", "12345,67890"),
    ({"OPERATORS": "-5"}, "OPERATORS", "12345,67890"),
    ({"LANGUAGE": "fr"}, "LANGUAGE", "de, en"),
    ({"LOG_LEVEL": "loud"}, "LOG_LEVEL", "debug"),
    ({"LOG_JSON": "maybe"}, "LOG_JSON", "boolean"),
    ({"WELCOME_GIFT": "-5"}, "WELCOME_GIFT", "0"),
    ({"WELCOME_GIFT": "lots"}, "WELCOME_GIFT", "integer"),
    ({"LOBBY_S": "1"}, "LOBBY_S", "5"),
]


@pytest.mark.parametrize("wrong", WRONG_SETTINGS, ids=lambda w: "=".join(*w[0].items())[:40])
def test_what_is_set_wrong_is_named_with_what_would_be_right(
    dicehall: Run, tmp_path: Path, wrong: tuple[dict[str, str], str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "novel").write_text("It was a dark and stormy night. " * 40)
    settings, *told = wrong

    said = dicehall("run", **{"BOT_TOKEN": TOKEN, "BOT_API": "http://127.0.0.1:9", **settings})

    said.refused(*told)
    assert TOKEN not in said.err
    assert "secret" not in said.err
    assert "night" not in said.err


@pytest.mark.parametrize("command", ["audit", "migrate", "verify x", "grant @Ann 5 --reason x"])
def test_every_command_of_the_database_checks_its_settings(dicehall: Run, command: str) -> None:
    words = command.split()
    dicehall(*words, DATABASE="nowhere").refused("DATABASE", "sqlite:///")
    dicehall(*words, TIMEZONE="Mars").refused("TIMEZONE")


def test_simulate_checks_the_settings_it_plays_by(dicehall: Run) -> None:
    dicehall("simulate", "fifty", JACKPOT_STAKES="0").refused("JACKPOT_STAKES")


def test_a_wrong_setting_does_not_hide_what_was_typed_wrong(dicehall: Run) -> None:
    dicehall("odds", "4+x", LANGUAGE="fr").refused("x", "4+4+12")


def test_a_settings_file_that_is_no_text_is_named(dicehall: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"TIMEZONE=\xff\xfe")
    dicehall("audit").refused(".env")


def test_settings_may_stand_in_a_file(dicehall: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"DATABASE=sqlite:///{tmp_path}/here.db\nTIMEZONE=UTC\n")
    assert dicehall("migrate", "--json").document["database"].endswith("/here.db")
    (tmp_path / ".env").write_text("TIMEZONE=Mars\n")
    dicehall("migrate").refused("TIMEZONE")


def test_a_crash_is_told_without_the_token(dicehall: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError(f"cannot reach https://api.telegram.org/bot{TOKEN}/getMe")

    monkeypatch.setattr("tgbot.app.open_database", broken)
    said = dicehall("run", BOT_TOKEN=TOKEN)

    assert said.status == 1
    assert "cannot reach https://api.telegram.org/bot[token]/getMe" in said.err
    assert TOKEN not in said.err
    assert said.out == ""


# -- as people start it -----------------------------------------------------------------------


async def test_a_real_process_keeps_documents_and_complaints_apart(tmp_path: Path) -> None:
    async with mortal(tmp_path, LOG_LEVEL="debug") as process:
        (status, out, err), (wrong, nothing, line), (failed, empty, told) = await asyncio.gather(
            process.command("odds", "4+4", "--json"),
            process.command("odds", "4+x"),
            process.command("run", "--nonsense"),
        )
        assert (status, err) == (0, "")
        assert json.loads(out)["pool"] == "4+4"
        Said(wrong, nothing, line).refused("4+4+12")
        Said(failed, empty, told).refused("--nonsense")

        status, out, err = await process.command("migrate", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["applied"]


async def test_a_token_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("1000001:PLAYGROUND\n")
    async with mortal(tmp_path, BOT_TOKEN="", BOT_TOKEN_FILE="token") as process:
        await process.start()
        await process.serving()
        assert process.telegram.token not in process.log.read_text()


def test_it_tells_its_version(dicehall: Run) -> None:
    said = dicehall("--version")

    assert (said.status, said.out) == (0, f"dicehall {__version__}\n")


def test_an_amount_below_zero_is_no_option(dicehall: Run, books: sqlite3.Connection) -> None:
    dicehall("grant", "@Ann", "-5", "--reason", "x").refused("AMOUNT", "plain digits")
    dicehall("fund", "-5", "--reason", "x").refused("AMOUNT", "plain digits")


def test_robin_hood_alone_tells_what_there_is(dicehall: Run) -> None:
    said = dicehall("robin-hood")
    assert (said.status, said.err) == (0, "")
    assert "history" in said.out


def test_postgresql_that_does_not_answer_is_told_to_be_no_file(dicehall: Run) -> None:
    said = dicehall("audit", DATABASE="postgresql://127.0.0.1:9/x")
    said.refused("DATABASE", "is PostgreSQL up")
    assert "sqlite" not in said.err
