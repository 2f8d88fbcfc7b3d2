"""RULES 7: the page that checks proofs, from disk and served, with right files and forged ones."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from games import registry
from games.fairness import CHARMS
from games.proof import write
from tests.browser.conftest import Play
from tests.games.proofs import SIZES, document, proof_of
from tests.games.test_proof import FORGED, RUBBISH
from tests.games.yahtzee.test_9_daily import attempt, hasty, stubborn
from tgbot.http.verify_page import FILE

SOURCE = FILE.read_text("utf-8")
KINDS = sorted(SIZES)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """The page opened from disk, which may ask nobody for anything."""
    context = browser.new_context(locale="en-US")
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.on("console", lambda said: said.type == "error" and asked.append(said.text))
    page.goto(FILE.as_uri())
    yield page
    context.close()
    assert [it for it in asked if not it.startswith(("data:", FILE.as_uri()))] == []


def verdict(page: Page, raw: str) -> str:
    """What the page says of what is pasted."""
    page.evaluate("document.querySelector('#result').replaceChildren()")
    page.locator("#pasted").fill(raw)
    page.locator("#check").click()
    expect(page.locator("#verdict")).to_be_visible()
    return page.locator("#verdict").inner_text()


def test_7_the_page_is_one_file_whose_policy_lets_nothing_else_in(
    request: pytest.FixtureRequest,
) -> None:
    """The hashes are those of its only style and script; `--update` writes them down."""
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', SOURCE)
    hashed = SOURCE
    for tag in ("style", "script"):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", SOURCE, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        hashed = re.sub(rf"{tag}-src '[^']*'", f"{tag}-src 'sha256-{digest}'", hashed)
    if request.config.getoption("--update"):
        FILE.write_text(hashed, "utf-8")
    assert hashed == FILE.read_text("utf-8")
    assert policy.startswith("default-src 'none'; ")
    assert not re.findall(r"(?:src|href)=\"(?!data:)", SOURCE)
    assert "http" not in SOURCE.replace("http-equiv", "")


def test_7_the_page_knows_the_games_their_rules_and_the_charms() -> None:
    (versions,) = re.findall(r"const VERSIONS = \{(.*?)\}", SOURCE)

    known = {kind: int(n) for kind, n in re.findall(r"(\w+): (\d+)", versions)}
    assert known == {kind: game.rules.VERSION for kind, game in registry().items()}
    assert f"const CHARMS = {json.dumps(CHARMS, ensure_ascii=False)};" in SOURCE


@pytest.mark.parametrize("own", [False, True], ids=["browser's crypto", "own crypto"])
def test_7_right_proofs_of_all_games_turn_green(page: Page, own: bool) -> None:
    if own:  # a page that is not secure has no crypto of the browser's
        page.goto(f"{FILE.as_uri()}#own")
        page.reload()
    for kind in KINDS:
        for seed in (0, 1):
            assert verdict(page, write(proof_of(kind, seed))) == "✓ All is right"
            assert page.locator("#seal .yes, #part .yes, #throws .yes").count() == 3
            assert page.locator(".moves .no").count() == 0


def test_9_a_daily_turns_green_and_one_with_other_throws_red(page: Page) -> None:
    for choose in (hasty, stubborn):
        assert verdict(page, write(attempt(choose))) == "✓ All is right"
    it = json.loads(write(attempt(hasty)))
    it["moves"][2]["n"] += 1  # the dice that a second throw would have brought

    said = verdict(page, json.dumps(it))

    assert said.startswith("✗ Something is wrong\n")
    assert "Move 4 is missing: move 5 stands in its place." in said
    charmed = verdict(page, write(attempt(hasty, charm=3)))
    assert "players isn’t what belongs there" in charmed


@pytest.mark.parametrize("kind", KINDS)
def test_7_forged_proofs_turn_red_with_a_sentence(page: Page, kind: str) -> None:
    for name, (forge, _) in FORGED.items():
        it = document(kind)
        forge(it)
        said = verdict(page, json.dumps(it))
        assert said.startswith(("✗ Something is wrong\n", "✗ No dice proof\n")), name
        assert said.count("\n") >= 1, name


def test_7_the_die_that_was_changed_is_the_one_that_turns_red(page: Page) -> None:
    it = document("yahtzee")
    move = next(move for move in it["moves"] if move["n"] > 4 and move["dice"])
    right = " ".join(map(str, move["dice"]))
    move["dice"][0] = move["dice"][0] % 6 + 1

    verdict(page, json.dumps(it))

    red = page.locator(".moves li.wrong")
    assert red.count() == 1
    assert f"Secret and charms give {right}." in red.inner_text()
    assert page.locator("#seal .yes").count() == 1
    assert page.locator("#throws .no").count() == 1


def test_7_rubbish_gets_a_sentence(page: Page) -> None:
    sentences = {
        "proof.cut": "cut off", "proof.no_json": "isn’t JSON", "proof.deep": "too deeply",
        "proof.number": "can’t stand", "proof.twice": "twice", "proof.format": "begins with",
        "proof.kind": "don’t know", "proof.missing": "is missing", "proof.wrong": "belongs there",
    }  # fmt: skip
    for name, (raw, key) in RUBBISH.items():
        if key in sentences and raw:
            said = raw if isinstance(raw, str) else raw.decode()
            assert sentences[key] in verdict(page, said), name


def test_7_files_are_chosen_and_dropped_too(page: Page, tmp_path: Path) -> None:
    right, rubbish = tmp_path / "right.json", tmp_path / "rubbish.json"
    right.write_text(write(proof_of("zilch")), "utf-8")
    rubbish.write_bytes(bytes(range(256)) * 2**11)

    page.locator("#file").set_input_files(right)
    expect(page.locator("#verdict")).to_contain_text("All is right")
    page.locator("#file").set_input_files(rubbish)
    expect(page.locator("#verdict")).to_contain_text("isn’t UTF-8 text")
    page.evaluate(
        """s => { const data = new DataTransfer(); data.items.add(new File([s], "proof.json"));
        dispatchEvent(new DragEvent("drop", { dataTransfer: data })); }""",
        right.read_text("utf-8"),
    )
    expect(page.locator("#verdict")).to_contain_text("All is right")


def test_7_players_recognise_their_game_in_their_language(page: Page) -> None:
    it = document("fifty")
    it["players"][0]["name"] = "Anna <b>& Co</b>"

    verdict(page, json.dumps(it))
    english = page.locator("#moves").inner_text()
    page.locator("#language").click()
    expect(page.locator("#verdict")).to_contain_text("Alles stimmt")
    german = page.locator("#moves").inner_text()

    assert "The limits are drawn" in english
    assert "Anna <b>& Co</b> throws" in english
    assert "Round 1 of 3 · limit" in english
    assert "Die Grenzen werden gezogen" in german
    assert "Anna <b>& Co</b> wirft" in german
    page.locator("#compare").fill(it["seal"].upper())
    expect(page.locator("#compared")).to_contain_text("dasselbe")
    page.locator("#compare").fill("0" * 64)
    expect(page.locator("#compared")).to_contain_text("ein anderes")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_7_the_page_fits_phone_and_desktop(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for kind in KINDS:
        verdict(page, write(proof_of(kind, 1)))
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_7_the_playground_serves_and_links_it(browser: Browser, play: Play) -> None:
    page = browser.new_page()
    page.goto(play.address)
    with page.expect_popup() as opened:
        page.locator('.honest a[href^="/verify"]').click()
    expect(opened.value.locator("h1")).to_have_text(re.compile("Check the dice|Würfel prüfen"))
