"""The words of Zilch (RULES 3), anywhere in a sentence: `nice, one five roll`.

`one` and `five` set a single die aside, `ones` to `sixes` three equal ones, each further `es` one
more, `free` all six of a straight, three pairs or a throw in which nothing scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from games.game import Refusal
from games.zilch.rules import BLANKS, STRAIGHT, THREE_PAIRS

SINGLES = {"one": "1", "five": "5"}
THREES = {"ones": "1", "twos": "2", "threes": "3", "fours": "4", "fives": "5", "sixes": "6"}
ACTIONS = ("roll", "bank")

_WORD = re.compile(r"[\w'’-]+")
_AROUND = "'’-_"
_THREES = re.compile(rf"({'|'.join(THREES)})((?:es)*)")


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: dice to set aside (sorted), and what to do, each empty if unsaid."""

    dice: str = ""
    action: str = ""


def understood(sentence: str, lying: str) -> Said | None:
    """What the sentence says to somebody before whom the dice `lying` lie; None if nothing.

    Raises `Refusal` for `roll` with `bank`, and for `free` where no such six dice lie.
    """
    said = [word.strip(_AROUND) for word in _WORD.findall(sentence.lower())]
    free = said.count("free")
    dice = "".join(sorted("".join(map(_dice, said))))
    actions = {*said} & {*ACTIONS}
    if not (free or dice or actions):
        return None
    if len(actions) > 1:
        raise Refusal("zilch.refused.both")
    if free and lying not in (STRAIGHT, *THREE_PAIRS, *BLANKS):
        raise Refusal("zilch.refused.free")
    return Said(dice + lying * free, next(iter(actions), ""))


def _dice(word: str) -> str:
    """The dice a word sets aside; none for a word that is none of the game's."""
    found = _THREES.fullmatch(word)
    return THREES[found[1]] * (3 + len(found[2]) // 2) if found else SINGLES.get(word, "")
