"""What people call the boxes, in English and in German."""

from __future__ import annotations

import unicodedata

from games.yahtzee.boxes import BOXES

_CALLED = {
    "ones": "1, ones, aces, Einser, Einsen",
    "twos": "2, twos, Zweier, Zweien",
    "threes": "3, threes, Dreier, Dreien",
    "fours": "4, fours, Vierer, Vieren",
    "fives": "5, fives, Fünfer, Fünfen",
    "sixes": "6, sixes, Sechser, Sechsen",
    "one_pair": "1 pair, one pair, pair, 1 Paar, ein Paar, Paar",
    "two_pairs": "2 pairs, two pairs, 2 Paare, zwei Paare",
    "three_of_a_kind": "3 of a kind, three of a kind, Dreierpasch, 3er-Pasch",
    "four_of_a_kind": "4 of a kind, four of a kind, Viererpasch, 4er-Pasch",
    "full_house": "full house",
    "short_straight": "short straight, small straight, kleine Straße, kl. Straße",
    "long_straight": "long straight, large straight, große Straße, gr. Straße",
    "yahtzee": "yahtzee, Kniffel",
    "chance": "chance",
}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def find(words: str) -> tuple[str, ...]:
    """The boxes `words` can mean: the one of exactly that name, else all whose name begins so."""
    wanted = _plain(words)
    if not wanted:
        return ()
    if wanted in _BOXES:
        return (_BOXES[wanted],)
    begun = {box for name, box in _BOXES.items() if name.startswith(wanted)}
    return tuple(box for box in BOXES if box in begun)


def _plain(words: str) -> str:
    folded = unicodedata.normalize("NFC", words).casefold().translate(_UMLAUTS)
    return "".join(filter(str.isalnum, folded))


_BOXES = {_plain(name): box for box, called in _CALLED.items() for name in called.split(",")}
