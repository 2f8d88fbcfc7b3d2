"""The parts of `make bench` work; none of them is held to a time."""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

import pytest
from pydantic import SecretStr

from economy.database import shut
from tests.bench import boards, bookings, opponents, players, presses, start, years
from tests.bench.opponents import (
    BARE,
    CALM,
    CONCURRENT,
    POLLING,
    POSTGRES,
    WEBHOOK,
    WORKERS,
    Opponent,
    Run,
    Used,
)
from tests.bench.players import Players
from tests.bench.presses import Load, Presses
from tests.bench.process import Bot
from tests.bench.report import BEGIN, END, Report
from tests.bench.start import Start
from tests.bench.years import Years
from tgbot.config import Settings
from tgbot.database import open_database
from tgbot.hall.hall import open_hall
from tgbot.playground import Limits, Telegram

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
KEYS = {
    "presses_ratio_0ms",
    "presses_ratio_50ms",
    "ledger_ratio_1",
    "ledger_ratio_256",
    "p99_ms_50ms",
    "peak_mb",
    "commits_per_press",
    "cpu_us_press",
    "cpu_ratio_0ms",
    "cpu_ratio_webhook",
    "cpu_ratio_postgres",
    "board_us",
    "booking_us_256",
    "booking_us_raw",
    "booking_us_raw_256",
    "longest_stall_ms",
    "start_s_10k",
}
SECONDS = 0.2


async def test_bots_are_pressed_in_turn_and_the_books_are_right(tmp_path: Path) -> None:
    those = (
        opponents.bare(CONCURRENT, "concurrent"),
        opponents.dicehall(POLLING, f"sqlite:///{tmp_path}/hall.db", groups=2),
    )

    pressed = await opponents.contest(those, SECONDS, rounds=1)

    assert [each.name for each in pressed] == [CONCURRENT, POLLING]
    for each in pressed:
        assert [*each.runs] == [0, 50, CALM]
        assert all(run.paced.latencies for run in each.runs.values())
        assert all(run.full.latencies for setting, run in each.runs.items() if setting != CALM)
        assert each.peak_mb > 1
    assert pressed[1].bots[0].commits
    assert "bookings that add up" in pressed[1].played


async def test_a_group_whose_lobby_has_closed_opens_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    telegram, presses_ = silent(monkeypatch)
    database = f"sqlite:///{tmp_path}/hall.db"
    (group,) = players.open_lobbies(telegram, settings(telegram, database), 1)
    db = open_database(settings(telegram, database))
    hall, _ = open_hall(db, settings(telegram, database))
    hall.moves.settling.call_off(hall.tables.get(group.game_id), 0, why="empty")
    shut(db)

    presses_.begin(Players(presses_, database).play(deque([group])))
    with pytest.raises(RuntimeError, match="no press was answered"):
        await presses_.spell(Load(), SECONDS)
    await presses_.end()

    pressed = [update["callback_query"]["data"] for update in telegram.queue.pending]
    assert {*pressed} == {f"{group.game_id}:0:again"}


async def test_a_game_that_nobody_can_go_on_with_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    telegram, presses_ = silent(monkeypatch)
    database = f"sqlite:///{tmp_path}/hall.db"
    (group,) = players.open_lobbies(telegram, settings(telegram, database), 1)
    crowd = Players(presses_, database)

    with pytest.raises(RuntimeError, match=f"nobody can go on with the game {group.game_id}"):
        await crowd._phase(group, crowd.store.read(group.game_id))


def silent(monkeypatch: pytest.MonkeyPatch) -> tuple[Telegram, Presses]:
    """A Telegram whose bot never answers, and people who wait for that no longer than a moment."""
    monkeypatch.setattr(presses, "LOST_AFTER_S", 0.1)
    telegram = Telegram(limits=Limits(off=True))
    return telegram, Presses(telegram)


def settings(telegram: Telegram, database: str) -> Settings:
    return Settings(_env_file=None, bot_token=SecretStr(telegram.token), database=database)


def test_boards_are_made_and_sent() -> None:
    assert all(board.made_us > 0 and board.sent_us > 0 for board in boards.measure())


def test_bookings_are_compared_and_add_up(tmp_path: Path) -> None:
    (measured,) = bookings.measure(tmp_path / "ledger.db", rounds=1)

    assert {*measured.ledger} == {*bookings.CALLERS}


def test_a_database_of_years_serves_every_use_case_and_a_start(tmp_path: Path) -> None:
    database = tmp_path / "years.db"

    measured = years.measure(database, 1000, running=3)
    started = asyncio.run(start.measure(database, 3))

    assert {"press", "/points, beside", "nightly", "resuming some games"} <= {*measured.took}
    assert measured.slowest in measured.took
    assert 0 < started.polls_s <= started.open_s


def test_the_last_line_has_every_figure() -> None:
    assert {*report().document()} >= KEYS


def test_a_machine_without_postgresql_leaves_its_figures_out() -> None:
    without = report(BARE, CONCURRENT, POLLING, WEBHOOK)

    assert KEYS - {*without.document()} == {"cpu_ratio_postgres"}
    assert "PostgreSQL" not in without.markdown()


def test_the_readme_shows_its_table() -> None:
    """With the figures of another run: all else of it is what would be written now."""

    def words(text: str) -> list[str]:
        table = text.partition(BEGIN)[2].partition(END)[0]
        return [line.split(" | ")[0] for line in table.splitlines()]

    it = report()

    assert words(README) == words(it.written(README))
    with pytest.raises(ValueError, match="there is no place"):
        it.written("")


def report(*names: str) -> Report:
    """As if all those bots had been measured."""
    load = Load([0.001] * 10, 1.0)
    run = Run(load, load, Used(1.0, 1.0, 1))
    pace = bookings.Pace(1.0, 1.0)
    return Report(
        [
            Opponent(
                name,
                Telegram(),
                Presses(Telegram()),
                [Bot(1)],
                runs={0: run} if "PostgreSQL" in name else {0: run, 50: run, CALM: run},
            )
            for name in names or (BARE, CONCURRENT, POLLING, WEBHOOK, POSTGRES, WORKERS)
        ],
        [bookings.Round(pace, pace, pace, dict.fromkeys(bookings.CALLERS, pace))],
        [boards.Painted("fifty", 10, 1.0, 1.0)],
        Years(years.SIZES[0], worst={"press": 1.0}),
        Start(years.RUNNING, 1.0, 1.0, 1.0),
    )
