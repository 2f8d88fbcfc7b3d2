"""Numbers that need no database: odds, what throws are worth, simulations."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from games import dice, registry
from games.mind import policies
from tgbot import log
from tgbot.cli.common import Json, Wrong, app, number, tell, tell_rows
from tgbot.cli.minds import ready

MOST_LIMIT = 1000
MOST_DAYS = 3660
LEAST_SHOWN = 5e-7
"""What is less likely would be told as 0.0000%."""


@app.command(epilog="Example: dicehall odds 4+4+12 --limit 17")
def odds(
    pool: Annotated[str, typer.Argument(help="Dice such as 4+4+12 or 2w6+w20.")],
    limit: Annotated[int | None, number("The limit to compare with.")] = None,
    as_json: Json = False,
) -> None:
    """The exact distribution of an open throw."""
    if limit is not None and not 0 <= limit <= MOST_LIMIT:
        raise Wrong(f"--limit: a whole number from 0 to {MOST_LIMIT}")
    sides = dice.parse(pool)
    top = dice.HIGHEST_SUM if limit is None else limit
    document: dict[str, Any] = {
        "pool": dice.notation(sides),
        "limit": limit,
        "mean": float(dice.mean(sides)),
        "variance": float(dice.variance(sides)),
        "pmf": [
            {"sum": total, **_probability(p)}
            for total, p in enumerate(dice.chances(sides, top))
            if p
        ],
        "exact": None if limit is None else _probability(dice.chance(sides, limit)),
        "over": None if limit is None else _probability(dice.chance_over(sides, limit)),
    }

    def show(console: Console) -> None:
        likely = (row for row in document["pmf"] if row["float"] >= LEAST_SHOWN)
        rows = {str(row["sum"]): f"{row['float']:.4%}" for row in likely}
        tell_rows(console, f"{document['pool']} · mean {document['mean']:.2f}", rows)
        if limit is not None:
            console.print(f"exactly {limit}: {document['exact']['float']:.4%}")
            console.print(f"over {limit}: {document['over']['float']:.4%}")

    tell(document, as_json, show)


def _probability(p: Fraction) -> dict[str, Any]:
    return {"p": str(p), "float": float(p)}


@app.command(epilog="Example: dicehall score zilch 113355 222444 --json")
def score(
    game: Annotated[str, typer.Argument(help="A game that scores throws, such as yahtzee.")],
    throws: Annotated[list[str], typer.Argument(help="Throws such as 33366; - reads them.")],
    as_json: Json = False,
) -> None:
    """What throws are worth; with - one a line from standard input."""
    known = registry().get(game)
    if known is None or known.score is None:
        scoring = ", ".join(kind for kind, other in registry().items() if other.score)
        raise Wrong(f"{game!r} scores no throws; these do: {scoring}")
    given = [line.strip() for line in sys.stdin if line.strip()] if throws == ["-"] else throws
    document = {"throws": [known.score(throw) for throw in given]}

    def show(console: Console) -> None:
        for scored in document["throws"]:
            rows = {name: value for name, value in scored.items() if name != "throw"}
            rows |= rows.pop("boxes", {})
            rows |= {it["dice"]: it["points"] for it in rows.pop("set_asides", ())}
            tell_rows(console, scored["throw"], rows)

    tell(document, as_json, show)


@app.command(epilog="Example: dicehall simulate fifty --players 4 --games 1000 --seed 7 --stake 5")
def simulate(
    game: Annotated[str, typer.Argument(help="The kind of game, such as fifty.")],
    players: Annotated[int, number("Players in each game.")] = 3,
    games: Annotated[int, number("How many games.")] = 100,
    seed: Annotated[int, number("The same seed plays the same games.")] = 1,
    stake: Annotated[int, number("Coins each player puts in.")] = 0,
    policy: Annotated[
        str, typer.Option(help="How they play: random, greedy, james …; or james,greedy: one each.")
    ] = "random",
    losses: Annotated[
        bool, typer.Option("--losses", help="Also what their choices cost, by James's reckoning.")
    ] = False,
    days: Annotated[int, number("Days of robin-hood.")] = 365,
    proofs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the proof file of every game there."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play whole games through the real rules and the real ledger, in a temporary database.

    With robin-hood as the game: his rounds, on a virtual clock.
    """
    from tgbot.cli.robin_hood_year import robin_year
    from tgbot.cli.simulation import Plan
    from tgbot.cli.simulation import simulate as run_simulation

    log.setup("warning")
    if game == "robin-hood":
        if policy != "random" or losses or proofs:
            raise Wrong("robin-hood takes no --policy, --losses or --proofs")
        if not 1 <= days <= MOST_DAYS:
            raise Wrong(f"--days: 1 to {MOST_DAYS}")
        year = robin_year(days, seed)
        tell(year, as_json, lambda console: tell_rows(console, "Robin Hood", year))
        raise typer.Exit(1 if year["problems"] else 0)
    known = registry().get(game)
    if known is None:
        raise Wrong(f"there is no game {game!r}; there is {', '.join(registry())}")
    fewest, most = known.seats
    if not fewest <= players <= most:
        raise Wrong(f"--players: {fewest} to {most} play {game}")
    if not 1 <= games <= 10**6:
        raise Wrong("--games: 1 to 1000000")
    if not 0 <= stake <= 101:
        raise Wrong("--stake: 0 to 101")
    names = tuple(policy.split(","))
    if {*names} - {*known.policies} and (unknown := {*names} - {*policies(known)}):
        raise Wrong(f"--policy: {', '.join(policies(known))}; not {min(unknown)!r}")
    if len(names) > players:
        raise Wrong(f"--policy: {len(names)} for {players} players")
    if losses and not known.mind:
        raise Wrong(f"--losses: {game} has no mind")
    if losses or "james" in names:
        ready(known)
    plan = Plan(game, players, games, seed, stake, names, losses, proofs)
    try:
        if proofs:
            proofs.mkdir(parents=True, exist_ok=True)
        document = run_simulation(plan)
    except OSError as error:
        raise Wrong(f"--proofs: {proofs} cannot be written ({error.strerror})") from None
    tell(document, as_json, lambda console: tell_rows(console, "Simulation", document))
    raise typer.Exit(1 if document["problems"] else 0)
