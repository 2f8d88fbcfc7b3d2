"""Farkle 20 Limited (RULES 4): twenty turns each, alone or as a race, for the highest total."""

from games.best_list import BestList
from games.farkle20 import rules, view
from games.farkle20.feats import feats
from games.farkle20.policy import greedy
from games.farkle20.rules import State
from games.game import Game
from games.policy import random_move

GAME: Game[State] = Game(
    kind="farkle20",
    icon="🔥",
    seats=(2, 20),
    rules=rules,
    view=view,
    policies={"random": random_move(rules), "greedy": greedy},
    commands=frozenset({"d", "dice", "roll", "bank"}),
    lists=(BestList("world", ("all", "day", "week"), utc=True, signed=True, keeps=1000),),
    solo=True,
    own=view.own,
    score=rules.score,
    mind="games.farkle20.mind",
    named=view.named,
    situation=view.situation,
    facing=view.facing,
    meant=view.meant,
    feats=feats,
)
