"""Fifty! (RULES 1): three limits that add up to fifty, ten dice, and the nerve to stop in time."""

from games.best_list import BestList
from games.fifty import feats, rules, view
from games.fifty.policy import cautious, greedy
from games.fifty.rules import State
from games.game import Game
from games.policy import random_move

GAME: Game[State] = Game(
    kind="fifty",
    icon="🎲",
    seats=(2, 20),
    rules=rules,
    view=view,
    policies={"random": random_move(rules), "cautious": cautious, "greedy": greedy},
    commands=frozenset({"d"}),
    throws=frozenset({"d"}),
    phrases=("james fifty",),
    jackpot=True,
    lists=(
        BestList(
            "over",
            ("day", "month", "year"),
            staked=True,
            fewest=3,
            a_day=20,
            command="d",
            bonus=True,
        ),
    ),
    mind="games.fifty.mind",
    named=view.named,
    situation=view.situation,
    facing=view.facing,
    meant=view.meant,
    feats=feats.feats,
    so_far=rules.records,
    chase=feats.chase,
)
