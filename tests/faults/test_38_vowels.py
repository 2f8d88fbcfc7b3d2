"""Names in scripts with vowel marks stand as they are written; mischief is cut (SURVIVE 38)."""

from __future__ import annotations

import unicodedata

import pytest

from tests.tgbot.house import House
from tgbot.people.names import LONGEST_NAME, MOST_MARKS, clean_name

SPELLED = ("ที่รัก", "หมู่บ้าน", "हिंदी", "क्\u200dष", "ਪੰਜਾਬੀ", "தமிழ்", "မြန်မာ", "Nguyễn Thị",
           "می\u200cخواهم", "שָׁלוֹם", "👩\u200d🚀 Zoë")  # fmt: skip


@pytest.mark.parametrize("name", SPELLED)
def test_38_a_name_that_is_only_spelled_stays_as_it_is(name: str) -> None:
    assert clean_name(name, 1) == unicodedata.normalize("NFC", name)


def test_38_a_pile_of_marks_is_cut_and_nothing_invisible_stays_alone() -> None:
    assert clean_name("Z" + "\u0335\u0321\u034f" * 20, 1) == "Z\u0335\u0321\u034f"
    assert len(clean_name("e" + "\u0323" * 40, 1)) == 1 + MOST_MARKS or MOST_MARKS
    assert clean_name("\u200dAnna\u200d \u200c", 1) == "Anna"


def test_38_a_long_name_is_not_cut_between_a_letter_and_its_marks() -> None:
    cut = clean_name("ที่" * 20, 1)

    assert len(cut) <= LONGEST_NAME
    assert cut.removesuffix("…") == "ที่" * (len(cut) // 3)


async def test_38_such_a_name_stands_on_the_board(house: House) -> None:
    person = house.telegram.person("ที่รัก", language_code="en")
    house.telegram.join(house.group, person)

    await house.open(house.anna, person, start=False)
    await house.breathe(3)

    assert "Anna, ที่รัก" in house.board().text
