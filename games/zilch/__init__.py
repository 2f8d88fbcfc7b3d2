"""Zilch (RULES 3): set scoring dice aside, and bank them before a throw brings nothing."""

from games.game import Game
from games.policy import random_move
from games.zilch import rules, view
from games.zilch.feats import feats
from games.zilch.policy import greedy
from games.zilch.rules import State

GAME: Game[State] = Game(
    kind="zilch",
    icon="🏦",
    seats=(2, 4),
    rules=rules,
    view=view,
    policies={"random": random_move(rules), "greedy": greedy},
    commands=frozenset({"d", "dice", "roll", "bank"}),
    hear=view.hear,
    score=rules.score,
    mind="games.zilch.mind",
    named=view.named,
    situation=view.situation,
    facing=view.facing,
    meant=view.meant,
    feats=feats,
)
