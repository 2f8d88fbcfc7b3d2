"""What was measured: tables to read, one JSON object, and the table of the README."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

from tests.bench.boards import Painted
from tests.bench.bookings import CALLERS, Pace, Round
from tests.bench.opponents import (
    BARE,
    CALM,
    CALM_A_SECOND,
    LATENCIES_MS,
    POLLING,
    POSTGRES,
    SEATS,
    TABLES,
    WEBHOOK,
    WORKERS,
    Opponent,
    Run,
    Setting,
)
from tests.bench.start import Start
from tests.bench.years import Years

MACHINES, CORES = 4, 2
"""Machines with a worker each, which is busy with one core, and the cores of the database's."""
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
"""Between them the README has what was measured."""
HEAD = (
    "| bot | presses/s | at 50 ms latency | CPU µs a press | at human pace | p50, p99 in ms |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
)
FOUR = "four machines with a worker each and a database of two cores, by processor time"


@dataclass
class Report:
    """Everything that was measured."""

    opponents: list[Opponent]
    bookings: list[Round]
    boards: list[Painted]
    years: Years
    start: Start
    took_s: float = 0.0

    def __post_init__(self) -> None:
        self._by_name = {each.name: each for each in self.opponents}

    def run(self, name: str, setting: Setting = 0) -> Run:
        """What a bot did in a setting."""
        return self._by_name[name].runs[setting]

    def document(self) -> dict[str, float]:
        """The figures by name.

        Ratios are how many times better dicehall is than the bare bot as it comes, of the ledger
        how many times as fast as plain sqlite3 with a commit each, of PostgreSQL how many times
        what SQLite costs.
        """
        ours, bare, webhook = self.run(POLLING), self.run(BARE), self.run(WEBHOOK)
        house = self._by_name[POLLING]
        paces = [round_.ledger for round_ in self.bookings]
        return {
            **{
                f"presses_ratio_{ms}ms": round(
                    self.run(POLLING, ms).full.a_second / self.run(BARE, ms).full.a_second, 2
                )
                for ms in LATENCIES_MS
            },
            **{
                f"ledger_ratio_{n}": round(
                    median(each.ledger[n].a_second / each.plain.a_second for each in self.bookings),
                    2,
                )
                for n in CALLERS
            },
            "p99_ms_50ms": round(self.run(POLLING, 50).paced.percentile_ms(99), 1),
            "peak_mb": round(max(self._by_name[name].peak_mb for name in (POLLING, WEBHOOK)), 1),
            "commits_per_press": round(
                house.bots[0].commits / sum(run.presses for run in house.runs.values()), 4
            ),
            "cpu_us_press": round(ours.cpu_us),
            "cpu_us_calm": round(self.run(POLLING, CALM).cpu_us),
            "cpu_ratio_0ms": round(bare.cpu_us / ours.cpu_us, 2),
            "cpu_ratio_webhook": round(bare.cpu_us / webhook.cpu_us, 2),
            **self._postgres(),
            "board_us": round(self.boards[0].us),
            "booking_us_1": round(median(pace[CALLERS[0]].cpu_us for pace in paces), 1),
            "booking_us_256": round(median(pace[CALLERS[-1]].cpu_us for pace in paces), 1),
            "booking_us_raw": round(median(each.together.cpu_us for each in self.bookings), 1),
            f"booking_us_raw_{CALLERS[-1]}": round(
                median(each.grouped.cpu_us for each in self.bookings), 1
            ),
            "longest_stall_ms": round(self.years.longest_stall_ms, 1),
            "start_s_10k": round(self.start.polls_s, 2),
            "peak_mb_10k": round(self.start.peak_mb, 1),
            "took_s": round(self.took_s),
        }

    def _postgres(self) -> dict[str, float]:
        if POSTGRES not in self._by_name:
            return {}
        one, two = self.run(POSTGRES), self.run(WORKERS)
        return {
            "cpu_ratio_postgres": round(one.cpu_us / self.run(WEBHOOK).cpu_us, 2),
            "presses_postgres_1": round(one.full.a_second),
            "presses_postgres_2": round(two.full.a_second),
            "presses_postgres_4": round(four_machines(two)),
        }

    def show(self) -> None:
        """Prints the tables."""
        console = Console(width=120, highlight=False)
        self._show_presses(console)
        self._show_boards(console)
        self._show_bookings(console)
        self._show_rest(console)

    def _show_presses(self, console: Console) -> None:
        titles = (
            "bot", "latency", "presses/s", "CPU µs", "database µs", "p50 ms", "p99 ms", "boards/s",
            "playground µs", "MB",
        )  # fmt: skip
        grid = Table(*titles, title="Presses", title_justify="left")
        for setting in (*LATENCIES_MS, CALM):
            for each in self.opponents:
                if setting in each.runs:
                    grid.add_row(*_row(each, setting))
        console.print(grid)
        console.print(
            f"Presses a second: {TABLES * SEATS} people press again as soon as they are answered; "
            "p50 and p99: half as many come in turn, answered or not. "
            f"{CALM.capitalize()}: {CALM_A_SECOND:.0f} a second in {TABLES} groups, at human pace. "
            "CPU is a press's share of processor time, boards and children included: at full speed "
            "Telegram's 28 boards a second keep most of them back, calmly none."
        )
        for each in self.opponents:
            runs = each.runs.values()
            if lost := sum(run.full.lost + run.paced.lost for run in runs):
                console.print(f"{each.name}: {lost} presses were never answered.")
            if each.played:
                console.print(f"{each.name}: {each.played}.")
        if WORKERS in self._by_name:
            console.print(arithmetic(self.run(WORKERS)))

    def _show_boards(self, console: Console) -> None:
        grid = Table("board", "players", "made µs", "sent µs", title="Boards", title_justify="left")
        for board in self.boards:
            us = f"{board.made_us:.0f}", f"{board.sent_us:.0f}"
            grid.add_row(board.name, str(board.players), *us)
        console.print(grid)
        console.print("Processor time; sent without the network.")

    def _show_bookings(self, console: Console) -> None:
        title = f"Bookings (medians of {len(self.bookings)} rounds)"
        grid = Table("ledger", "bookings/s", "CPU µs", title=title, title_justify="left")
        for name, measured in _ledgers(self.bookings).items():
            a_second = median(each.a_second for each in measured)
            grid.add_row(name, f"{a_second:.0f}", f"{median(p.cpu_us for p in measured):.1f}")
        console.print(grid)

    def _show_rest(self, console: Console) -> None:
        years, start = self.years, self.start
        console.print(
            f"With {years.postings:,} postings and {start.games:,} running games: nobody waits "
            f"longer for another use case than {years.longest_stall_ms:.1f} ms "
            f"({years.slowest}); a bot polls {start.polls_s:.2f} s after its process began, has "
            f"taken up every game after {start.open_s:.1f} s, and then holds "
            f"{start.peak_mb:.0f} MB."
        )
        console.print(f"All of it took {self.took_s // 60:.0f} min {self.took_s % 60:.0f} s.")

    # -- the README ---------------------------------------------------------------------------

    def written(self, readme: str) -> str:
        """The README with these figures in it. Raises ValueError where it has no place for them."""
        before, begin, rest = readme.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not (begin and end):
            raise ValueError(f"there is no place between {BEGIN} and {END}")
        return f"{before}{begin}\n{self.markdown()}{end}{after}"

    def markdown(self) -> str:
        """The README's tables: presses by bot, and everything else."""
        lines = [*HEAD, *(_line(each) for each in self.opponents), "", "| | |", "| --- | ---: |"]
        lines += [f"| {what} | {figure} |" for what, figure in self._rest().items()]
        return "\n".join(lines) + "\n"

    def _rest(self) -> dict[str, str]:
        it, start, board = self.document(), self.start, self.boards[0]
        four = it.get("presses_postgres_4")
        return {
            f"a board of {board.players} players, made and sent": f"{board.us:.0f} µs",
            f"a durable booking, {CALLERS[-1]} callers": f"{it['booking_us_256']:.0f} µs",
            "the rows of a booking in five plain statements of sqlite3, without a commit": (
                f"{it['booking_us_raw']:.0f} µs"
            ),
            f"the same with a commit for {CALLERS[-1]} at a time": (
                f"{it[f'booking_us_raw_{CALLERS[-1]}']:.0f} µs"
            ),
            "the longest that one use case keeps the others waiting": (
                f"{it['longest_stall_ms']:.1f} ms"
            ),
            f"from the process's start to its first poll, {start.games:,} games running": (
                f"{start.polls_s:.1f} s"
            ),
            "memory while it was pressed": f"{it['peak_mb']:.0f} MB",
            f"memory with {start.games:,} games running": f"{start.peak_mb:.0f} MB",
            **({FOUR: f"{four:.0f} presses/s"} if four else {}),
        }


def _line(each: Opponent) -> str:
    runs = each.runs
    half = runs[0].paced
    cells = (
        f"{runs[0].full.a_second:.0f}",
        f"{runs[50].full.a_second:.0f}" if 50 in runs else "",
        f"{runs[0].cpu_us:.0f}",
        f"{runs[CALM].cpu_us:.0f}" if CALM in runs else "",
        f"{half.percentile_ms(50):.0f}, {half.percentile_ms(99):.0f}",
    )
    return f"| {each.name} | {' | '.join(cells)} |"


def _row(each: Opponent, setting: Setting) -> tuple[str, ...]:
    run = each.runs[setting]
    return (
        each.name,
        CALM if setting == CALM else f"{setting} ms",
        f"{run.full.a_second:.1f}" if run.full.latencies else f"({CALM_A_SECOND:.0f})",
        f"{run.cpu_us:.0f}",
        f"{run.database_us:.0f}" if each.database else "",
        f"{run.paced.percentile_ms(50):.0f}",
        f"{run.paced.percentile_ms(99):.0f}",
        f"{run.boards_a_second:.1f}",
        f"{run.our_us:.0f}",
        f"{each.peak_mb:.0f}",
    )


def _ledgers(rounds: list[Round]) -> Mapping[str, list[Pace]]:
    return {
        "plain sqlite3, one commit each": [each.plain for each in rounds],
        f"plain sqlite3, {CALLERS[-1]} a commit": [each.grouped for each in rounds],
        "plain sqlite3, one transaction": [each.together for each in rounds],
        **{
            f"dicehall, {'1 caller' if n == 1 else f'{n} callers'}": [r.ledger[n] for r in rounds]
            for n in CALLERS
        },
    }


def four_machines(run: Run) -> float:
    """Presses a second of `MACHINES` workers and a database, from processor times alone."""
    return min(MACHINES * 1e6 / run.cpu_us, CORES * 1e6 / run.database_us)


def arithmetic(run: Run) -> str:
    """What `MACHINES` machines would do, and by what reckoning."""
    workers, database = MACHINES * 1e6 / run.cpu_us, CORES * 1e6 / run.database_us
    return (
        f"{MACHINES} machines with a worker each beside a database machine of {CORES} cores: "
        f"{MACHINES} × 10⁶ / {run.cpu_us:.0f} µs = {workers:.0f} and "
        f"{CORES} × 10⁶ / {run.database_us:.0f} µs = {database:.0f}, so "
        f"{four_machines(run):.0f} presses a second by processor time alone."
    )
