"""RULES 8: what the dice and their choices did to people, told in private after a game."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from games import registry
from games.yahtzee.boxes import BOXES
from tests.minds import unready
from tests.tgbot.house import House
from tests.tgbot.playing import codes, do, labels
from tgbot.hall import analyses


async def finished(house: House) -> None:
    """A game of Fifty! of Anna, Ben and Cem, who can all be written to but Ben."""
    for person in (house.anna, house.cem):
        house.say(person, "/start", house.private(person))
    await house.breathe()
    people = (house.anna, house.ben, house.cem)
    await house.game({person: (12 - n, 11 - n, 10 - n) for n, person in enumerate(people)})


async def yahtzee(house: House) -> None:
    """A game of Yahtzee in which Anna crosses out Yahtzee with five ones before her."""
    house.say(house.anna, "/start", house.private(house.anna))
    await house.breathe()
    await house.open(house.anna, house.ben, kind="yahtzee")
    assert house.bot
    hall, game_id = house.bot.hall, house.table().id
    for box in BOXES:
        for seat in (0, 1):
            for move in ("roll", f"score {box}"):
                await do(house, lambda seat=seat, move=move: hall.play.move(game_id, seat, move, 0))
    await house.breathe(5)
    assert house.table().status == "over"


async def test_8_the_analysis_arrives_in_private_and_leads_to_the_others(house: House) -> None:
    await finished(house)

    toast = await house.press(house.anna, "🎩")
    await house.breathe(3)

    private = house.private(house.anna)
    first = house.telegram.last(private)
    assert toast == house.says("analysis.begun")
    assert "Your game: " in first.text
    assert "Like James in " in first.text
    assert "round 1, limit 15, 0 so far: " in first.text
    assert labels(first) == ["◀", "1/3", "▶", "🧩 Try again", "📈 Chart"]

    for button, name in (("▶", "Ben"), ("▶", "Cem"), ("▶", "Your game"), ("◀", "Cem")):
        await house.press(house.anna, button, house.telegram.last(private))
        await house.breathe(3)
        assert f"🎲 {name}: " in house.telegram.last(private).text
    second = house.telegram.last(private)
    assert second.id == first.id
    # only one's own decisions are asked again
    assert labels(second) == ["◀", "3/3", "▶", "📈 Chart"]


async def test_8_everybody_sees_their_own_first(house: House) -> None:
    await finished(house)

    await house.press(house.cem, "🎩")
    await house.breathe(3)
    told = house.telegram.last(house.private(house.cem))

    assert "1/3" in labels(told)
    assert "Dein Spiel: " in told.text

    await house.press(house.cem, "▶", told)
    await house.breathe(3)

    assert "2/3" in labels(told)
    assert "Anna: " in told.text


async def test_8_the_chart_is_a_picture_of_its_own(house: House) -> None:
    await finished(house)
    await house.press(house.cem, "🎩")
    await house.breathe(3)
    told = house.telegram.last(house.private(house.cem))

    await house.press(house.cem, "📈", told)
    await house.breathe(5)

    chart = house.telegram.last(house.private(house.cem))
    assert chart.id > told.id
    assert chart.photo
    assert chart.photo.width == 1080
    assert chart.text == told.text.splitlines()[0]


async def test_8_who_cannot_be_written_to_is_led_to_their_own_chat(house: House) -> None:
    await finished(house)
    game_id = house.table().id

    await house.press(house.ben, "🎩")

    link = f"https://t.me/dicehall_bot?start=analysis_{game_id}"
    assert house.telegram.toasts(house.ben)[-1].url == link

    house.say(house.ben, f"/start analysis_{game_id}", house.private(house.ben))
    await house.breathe(3)
    assert "Your game: " in house.telegram.last(house.private(house.ben)).text


@pytest.mark.usefixtures("tables")
async def test_8_choices_are_named_in_the_readers_language(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def watched(*args: object) -> tuple[analyses.Page, ...]:
        threads.append(threading.current_thread().name)
        return pages(*args)

    pages = analyses.pages
    monkeypatch.setattr(analyses, "pages", watched)
    house.anna.language_code = "de"
    await yahtzee(house)

    for _ in range(2):
        await house.press(house.anna, "🎩")
        await house.breathe(3)

    body = house.telegram.last(house.private(house.anna)).text
    assert "Dein Spiel: " in body
    assert "Zug 4, 1 1 1 1 1: Vierer streichen; besser: Yahtzee" in body
    assert "Glück gegenüber Ben: " in body
    # worked out once, where nobody waits for it
    assert len(threads) == 1
    assert threads[0] not in ("MainThread", "clerk")


@pytest.mark.usefixtures("tables")
async def test_8_one_of_ones_worst_decisions_is_asked_again_and_what_was_best_told(
    house: House,
) -> None:
    await yahtzee(house)
    await house.press(house.anna, "🎩")
    await house.breathe(3)
    private = house.private(house.anna)
    told = house.telegram.last(private)
    await house.stop()
    await house.start()  # nothing is noted of it: a question outlives the process that asked
    await house.breathe(3)

    # Who did not play it is asked nothing, and nothing is worked out for them.
    house.say(house.cem, "/start", house.private(house.cem))
    await house.breathe()
    forged = f"retry:0:{house.table().id} 0"
    await house.forge(house.cem, forged, house.telegram.last(house.private(house.cem)))
    await house.breathe()
    assert house.telegram.toasts(house.cem)[-1].text == house.says("refused.stale", "de")
    assert house.bot
    assert house.bot.front.analyses._kept == {}

    await house.press(house.anna, "🧩", told)
    await house.breathe(3)
    asked = house.telegram.last(private)

    assert asked.id > told.id
    assert "turn 3, 1 1 1 1 1" in asked.text
    assert "1: 5  2: 0  3: ·" in asked.text
    assert {"cross out Threes", "Yahtzee"} < {*labels(asked)}
    assert len(asked.buttons) == 5

    await house.press(house.anna, "cross out Threes", asked)
    await house.breathe(3)

    assert "❌ cross out Threes: −" in asked.text
    assert "🎩 Better: Yahtzee – " in asked.text
    assert labels(asked) == ["🧩 Next question"]

    await house.press(house.anna, "🧩", asked)
    await house.breathe(3)
    assert "turn 2, 1 1 1 1 1" in asked.text
    await house.press(house.anna, "Yahtzee", asked)
    await house.breathe(3)

    assert "✅ Yahtzee: James can’t do better – " in asked.text
    assert "In the game you chose: cross out Twos, −" in asked.text
    assert house.telegram.last(private) is asked


async def test_8_a_mind_that_is_not_ready_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    unready(monkeypatch)
    await yahtzee(house)

    await house.press(house.anna, "🎩")
    await house.breathe(3)

    title = registry()["yahtzee"].title()
    said = house.says("analysis.not_ready", game=title)
    assert house.telegram.last(house.private(house.anna)).text == said


async def test_8_a_game_without_a_mind_has_no_analysis(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry(), "fifty", replace(registry()["fifty"], mind=""))
    await finished(house)
    board = house.board()

    toast = await house.forge(house.anna, f"{house.table().id}:0:analysis")

    assert "analysis" not in codes(board)
    assert toast == house.says("analysis.no_game")
