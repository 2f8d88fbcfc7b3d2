"""Yahtzee (RULES 2): fifteen boxes, five dice, three throws a turn."""

from games.best_list import BestList
from games.game import Game
from games.policy import random_move
from games.yahtzee import asked, boxes, rules, sheets, view
from games.yahtzee.commands import COMMANDS, looked_at
from games.yahtzee.daily import DAILY
from games.yahtzee.feats import feats
from games.yahtzee.policy import greedy
from games.yahtzee.rules import State

GAME: Game[State] = Game(
    kind="yahtzee",
    icon="🖐️",
    seats=(2, rules.MOST_SEATS),
    rules=rules,
    view=view,
    policies={"random": random_move(rules), "greedy": greedy},
    commands=COMMANDS,
    lists=(BestList("total", ("all", "month", "day")),),
    ask=looked_at,
    score=boxes.score,
    sheets=sheets.every,
    mind="games.yahtzee.mind",
    mind_table=f"yahtzee-{rules.VERSION}",
    named=asked.named,
    situation=asked.situation,
    facing=asked.facing,
    meant=asked.meant,
    daily=DAILY,
    feats=feats,
)
