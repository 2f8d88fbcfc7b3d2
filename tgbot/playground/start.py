"""The world that `dicehall play` begins with."""

from __future__ import annotations

from tgbot.playground.core import Telegram
from tgbot.playground.model import Chat


def furnish(telegram: Telegram) -> Chat:
    """Anna (de), Ben (en) and Cem (de) in the supergroup Würfelrunde, Anna its creator."""
    anna = telegram.person("Anna", username="anna", language_code="de")
    ben = telegram.person("Ben", username="ben", language_code="en")
    cem = telegram.person("Cem", language_code="de")
    return telegram.group("Würfelrunde", anna, ben, cem)
