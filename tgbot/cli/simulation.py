"""Thousands of whole games through the real rules, the real hall and the real ledger.

Everything is drawn from the seed, so the same seed gives the same games to the last coin.
"""

from __future__ import annotations

import hashlib
import statistics
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from economy.audit import prove
from economy.ledger import COINS, Ledger, mint, wallet
from economy.pots import payout
from games import registry
from games.analysis import analyse
from games.fairness import CHARMS, Stream
from games.mind import policies
from games.proof import write
from tgbot.cli.common import temporary
from tgbot.hall.hall import Hall, open_hall
from tgbot.hall.table import Table, first_state, values
from tgbot.hall.verify import proof_of
from tgbot.people.people import People, Person, Who

CHAT = -1
START = 1_750_000_000
SCORES = ("total", "world")
"""The records that hold what a player reached in a game."""
GAP_S = 600
"""Seconds of the simulated clock between two games."""
WHOLE = 8 * 10**9
"""A pot so large that rounding its shares changes nothing."""


@dataclass(frozen=True)
class Plan:
    """What to play: `games` games of `kind` with `players` each.

    Of several `policies` each has a seat but the last, which has all that are left; from game to
    game they move on by a seat. With `losses` also what their choices cost. The proof file of every
    game goes into the folder `proofs`, if there is one.
    """

    kind: str
    players: int
    games: int
    seed: int
    stake: int
    policies: tuple[str, ...]
    losses: bool = False
    proofs: Path | None = None

    def policy(self, game: int, seat: int) -> str:
        """How a seat plays in the game of a number."""
        place = (seat + game) % self.players
        return self.policies[min(place, len(self.policies) - 1)]


def simulate(plan: Plan) -> dict[str, Any]:
    """Plays the plan in a temporary database; answers the document of `dicehall simulate`."""
    token = {"bot_token": "10000:simulated-dice", "bot_token_file": None, "dice_key_file": None}
    with temporary(**token, welcome_gift=0) as (settings, db):
        hall, people = open_hall(db, settings)
        return _Simulation(plan, hall, people).run()


class _Simulation:
    def __init__(self, plan: Plan, hall: Hall, met: People) -> None:
        self.plan = plan
        self.hall = hall
        self.met = met
        self.ledger: Ledger = hall.ledger
        self.game = registry()[plan.kind]
        known = policies(self.game) if {*plan.policies} - {*self.game.policies} else {}
        self.ways = {**self.game.policies, **known}
        self.people = [Person(1000 + n, f"Player {n + 1}", "en") for n in range(plan.players)]
        self.counts: Counter[str] = Counter()
        self.scores: dict[str, list[int]] = {name: [] for name in plan.policies}
        self.shares: dict[str, list[float]] = {name: [] for name in plan.policies}
        self.losses: dict[str, list[float]] = {name: [] for name in plan.policies}
        self._drawn = 0
        hall.chance.token_bytes = self._secret

    def _secret(self, size: int) -> bytes:
        self._drawn += 1
        return hashlib.sha512(f"{self.plan.seed}:{self._drawn}".encode()).digest()[:size]

    def run(self) -> dict[str, Any]:
        began = time.perf_counter()
        with self.hall.store.db.atomic():
            self._furnish()
        for n in range(self.plan.games):
            with self.hall.store.db.atomic():
                self._play(n, START + n * GAP_S)
            self.hall.tables.committed()
        seconds = time.perf_counter() - began
        return self._document(seconds)

    def _furnish(self) -> None:
        self.hall.chats.meet(CHAT, "Simulation")
        self.hall.chats.set(CHAT, "stake", str(self.plan.stake), 0, START)
        for person in self.people:
            self.met.meet(Who(person.user_id, person.name), START)
            if coins := self.plan.stake * self.plan.games:
                self.ledger.book(
                    f"furnish:{person.user_id}",
                    "grant",
                    {mint(): -coins, wallet(person.user_id): coins},
                    at=START,
                )

    def _play(self, number: int, now: int) -> None:
        hall, plan = self.hall, self.plan
        charm = Stream(str(plan.seed).encode(), b"charms", number)
        game_id = hall.lobby.open(self.people[0], CHAT, 0, plan.kind, now).games[0]
        for person in self.people:
            chosen, table = charm(len(CHARMS)) - 1, hall.tables.get(game_id)
            if not table.sitting(person.user_id):
                hall.lobby.join(person, game_id, now, charm=chosen)
            elif chosen:
                hall.lobby.choose_charm(person, game_id, chosen, now)
        if hall.tables.get(game_id).status == "lobby":
            hall.lobby.start(self.people[0], game_id, now)
        draw = Stream(str(plan.seed).encode(), b"policy", number)
        while (table := hall.tables.get(game_id)).status == "running":
            actors = _actors(table)
            # James does not wait for the others (RULES 8).
            first = [seat for seat in actors if plan.policy(number, seat) == "james"] or actors
            seat = first[draw(len(first)) - 1]
            move = self.ways[plan.policy(number, seat)](table.state, seat, draw)
            hall.play.move(game_id, seat, move, now)
        if plan.proofs:
            file = plan.proofs / f"{plan.kind}-{number + 1:06}-{game_id}.json"
            file.write_text(write(proof_of(hall.store, table, table.secret)), "utf-8")
        self.counts.update(self.game.rules.tally(table.state))
        self._note(number, table)
        self.counts["coins"] += sum(sitting.coins for sitting in table.sittings)
        self.counts["points"] += sum(sitting.points for sitting in table.sittings)

    def _note(self, number: int, table: Table) -> None:
        """Notes what every policy made of a game."""
        outcome = self.game.rules.outcome(table.state)
        assert outcome
        enough = self.plan.players >= self.hall.settings.jackpot_players
        self.counts["jackpots_won"] += self.game.jackpot and outcome.sweep and enough
        for record in outcome.records:
            if record.board in SCORES:
                self.scores[self.plan.policy(number, record.seat)].append(record.value)
        paid = payout(
            WHOLE,
            self.plan.players,
            outcome.places,
            jackpot=0 if self.game.jackpot else None,
            sweep=outcome.sweep,
        )
        for seat in range(self.plan.players):
            share = paid.seats.get(seat, 0) / WHOLE
            self.shares[self.plan.policy(number, seat)].append(share)
        if self.plan.losses:
            moves = self.hall.store.moves.of(table.id)
            made = ((seat, move, values(dice)) for seat, move, dice in moves)
            for sheet in analyse(self.game, first_state(table, moves), made):
                self.losses[self.plan.policy(number, sheet.seat)].append(sheet.choices)

    def _by_policy(self) -> dict[str, Any]:
        """The mean share of the pot of a seat by its policy, and what its choices cost it."""
        plan, told = self.plan, {}
        for name in plan.policies:
            share = statistics.fmean(self.shares[name])
            told[name] = {"share": round(share, 5), "fair_shares": round(share * plan.players, 4)}
            if self.scores[name]:
                told[name]["score"] = round(statistics.fmean(self.scores[name]), 2)
            if self.losses[name]:
                told[name]["loss"] = round(statistics.fmean(self.losses[name]), 5)
        return told

    def _document(self, seconds: float) -> dict[str, Any]:
        plan, counts = self.plan, self.counts
        audit = prove(self.ledger.db)
        held = self.ledger.balances("jackpot", str(CHAT))
        scores = [score for name in {*plan.policies} for score in self.scores[name]]
        told = set(counts) - {"coins", "points", "jackpots_won"}
        return {
            "game": plan.kind,
            "players": plan.players,
            "games": plan.games,
            "seed": plan.seed,
            "stake": plan.stake,
            "policy": ",".join(plan.policies),
            **{name: counts[name] for name in sorted(told)},
            **({"scores": _spread(scores)} if scores else {}),
            "by_policy": self._by_policy(),
            "jackpots_won": counts["jackpots_won"],
            "paid": {"coins": counts["coins"], "points": counts["points"]},
            "jackpot": {"coins": held.get(COINS, 0), "points": held.get(plan.kind, 0)},
            "ledger_sum": {COINS: 0, plan.kind: 0, **audit.sums},
            "problems": list(audit.problems),
            "seconds": round(seconds, 3),
            "games_per_s": round(plan.games / seconds, 1),
        }


def _spread(scores: list[int]) -> dict[str, float]:
    """Mean, standard deviation, lowest and highest of the results."""
    return {
        "mean": round(statistics.fmean(scores), 2),
        "deviation": round(statistics.pstdev(scores), 2),
        "lowest": min(scores),
        "highest": max(scores),
    }


def _actors(table: Table) -> tuple[int, ...]:
    """The seats that may move, wherever they play."""
    if not table.game.own:
        return table.phase().actors
    return tuple(seat for showing in table.showings for seat in table.phase(showing.seat).actors)
