"""What a newcomer does first: three people on one page play a whole staked game."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as Late

from tests.browser.conftest import Play
from tgbot.playground.world import FIRST_PERSON_ID

PEOPLE = ("Anna", "Ben", "Cem")
FITS = """() => {
  const tabs = document.querySelector('[data-name=Anna] .tabs');
  const names = [...tabs.querySelectorAll('bdi')].map((name) => name.getBoundingClientRect());
  const badges = [...tabs.querySelectorAll('.badge')].map((badge) => badge.getBoundingClientRect());
  const free = names.every(({ left, width }, at) => width > 40 && badges[at].right < left + 8);
  return [tabs.scrollWidth <= tabs.clientWidth, free];
}"""
"""Whether the tabs of somebody fit without scrolling, and names are free of badges."""
BROKEN = """() => [...document.querySelectorAll('.key .label')]
  .filter((label) => label.offsetHeight > 1.5 * parseFloat(getComputedStyle(label).lineHeight))
  .map((label) => label.textContent)"""
"""The labels of buttons that take more than one line."""
UNCOVERED = """() => [...document.querySelectorAll('[data-name=Anna] .key')].every((key) => {
  const { left, top, width, height } = key.getBoundingClientRect();
  const scroller = key.closest('.scroller').getBoundingClientRect();
  if (top + height > scroller.bottom || top < scroller.top) return true;
  return document.elementFromPoint(left + width - 2, top + height / 2).closest('.key') === key;
})"""
"""Whether every button that is in sight can be pressed, to its edge."""
KEEP_TOASTS = """() => {
  window.toasts = [];
  new MutationObserver(() => document.querySelectorAll('.toast').forEach((toast) => {
    if (!window.toasts.includes(toast.textContent)) window.toasts.push(toast.textContent);
  })).observe(document.querySelector('.panes'), { subtree: true, childList: true });
}"""
LONG_TURN_MS = 90_000
GAME_S = 240
"""Longer than any game: three rounds and a few Stechen in which nobody throws."""


def pane(page: Page, name: str) -> Locator:
    return page.locator(f'[data-name="{name}"]')


def say(page: Page, name: str, text: str) -> None:
    field = pane(page, name).locator(".composer textarea")
    field.fill(text)
    field.press("Enter")


def key(page: Page, name: str, label: str) -> Locator:
    return pane(page, name).locator("button.key", has_text=label).last


def audit(play: Play) -> dict[str, Any]:
    environment = {**os.environ, "DATABASE": play.database}
    command = [sys.executable, "-m", "tgbot", "audit", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def coins(page: Page, name: str) -> int:
    """What /points says in somebody's private chat."""
    pane(page, name).locator(".tab").nth(1).click()
    say(page, name, "/points")
    answer = pane(page, name).locator(".body", has_text="👛").last
    expect(answer).to_contain_text("Knuddel")
    found = re.search(r"(\d+) Knuddel", answer.inner_text())
    assert found
    return int(found[1])


def throw_low(page: Page, name: str) -> None:
    """Picks the lowest die the newest board offers and throws it; a refusal is only a toast."""
    keys = pane(page, name).locator("[data-message]").last.locator("button.key")
    with contextlib.suppress(Late):  # the board was replaced meanwhile
        keys.filter(has_text=re.compile(r"^W")).first.click(timeout=1500)
        expect(pane(page, name).locator("button.key[aria-busy=true]")).to_have_count(0)
        keys.filter(has_text="🎲").click(timeout=1500)


def test_three_people_play_a_whole_staked_game_in_the_browser(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(play.address)

    say(page, "Anna", "/settings@dicehall_bot stake 5")
    expect(pane(page, "Ben").locator(".body", has_text="⚙️")).to_be_visible()
    say(page, "Anna", "/fifty@dicehall_bot")
    for name in PEOPLE:
        key(page, name, "✅").click()
        expect(pane(page, name).locator(".toast")).to_contain_text("5 Knuddels")
    expect(pane(page, "Ben").locator(".body").last).to_contain_text("15 Knuddels")
    key(page, "Anna", "▶️").click()
    expect(pane(page, "Cem").locator(".body", has_text=re.compile("1 von 3"))).to_be_visible()

    result = pane(page, "Anna").locator(".body", has_text="🏁")
    until = time.monotonic() + GAME_S
    while not result.is_visible():
        assert time.monotonic() < until, pane(page, "Anna").inner_text()
        for name in PEOPLE:
            throw_low(page, name)

    held = {name: coins(page, name) for name in PEOPLE}
    books = audit(play)["held"]["coins"]
    assert sum(held.values()) == books["wallet"]
    assert books["wallet"] + books.get("jackpot", 0) == 30
    assert books["escrow"] == 0
    assert audit(play)["sums"] == {"coins": 0, "fifty": 0}
    assert errors == []


def suggested(page: Page, name: str) -> str:
    """What is offered to somebody who types a slash."""
    pane(page, name).locator(".composer textarea").fill("/")
    offered = pane(page, name).locator(".suggest")
    expect(offered).to_be_visible()
    return offered.inner_text()


def test_a_pane_speaks_the_language_of_who_sits_there(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(play.address)
    service = ".service-text"

    expect(pane(page, "Anna").locator(service).first).to_have_text("Anna hat Dicehall hinzugefügt")
    expect(pane(page, "Ben").locator(service).first).to_have_text("Anna added Dicehall")
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()  # the bot has come up
    assert "alle Befehle" in suggested(page, "Cem")
    assert "all commands" in suggested(page, "Ben")
    assert "(Admins)" in suggested(page, "Anna")
    assert "/settings" not in suggested(page, "Ben")  # who is no admin
    pane(page, "Ben").locator(".tab").nth(1).click()
    assert "/privacy" in suggested(page, "Ben")


def test_an_invitation_is_typed_chosen_and_opens_its_game(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(play.address)
    expect(pane(page, "Ben").locator(".body").first).to_be_visible()

    pane(page, "Ben").locator(".composer textarea").fill("@dicehall_bot zil")
    offer = pane(page, "Ben").locator(".suggest li")
    expect(offer).to_have_count(1)
    offer.click()

    expect(pane(page, "Cem").locator(".forwarded", has_text="über @dicehall_bot")).to_be_visible()
    expect(pane(page, "Cem").locator(".body", has_text="🔒").last).to_contain_text("Ben")


def test_a_countdown_in_a_quote_runs(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(play.address)
    for text in ("/yahtzee@dicehall_bot", "/join@dicehall_bot"):
        say(page, "Anna", text)
    say(page, "Ben", "/join@dicehall_bot")
    key(page, "Anna", "▶️").click()
    expect(pane(page, "Anna").locator(".body", has_text="von 15")).to_be_visible()
    say(page, "Anna", "/zilch@dicehall_bot")

    quotes = {name: pane(page, name).locator(".quote", has_text="Yahtzee") for name in PEOPLE}
    expect(quotes["Anna"].locator("time").last).to_have_text(re.compile(r"^in \d+ Sekunden$"))
    expect(quotes["Ben"].locator("time").last).to_have_text(re.compile(r"^in \d+ seconds$"))


def test_others_play_by_themselves_and_only_when_it_is_their_turn(
    browser: Browser, play: Play
) -> None:
    page = browser.new_page()
    page.goto(play.address)
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()
    page.evaluate(KEEP_TOASTS)

    page.locator(".hint button").first.click()
    expect(page.locator(".hint")).to_be_hidden()
    say(page, "Anna", "/zilch@dicehall_bot")
    expect(pane(page, "Anna").locator(".body", has_text="Ben").last).to_contain_text("Cem")
    page.locator("[data-drawer=people]").click()
    page.locator(".members li").first.locator("[aria-pressed]").click()
    page.locator("[data-drawer=people]").click()
    key(page, "Anna", "▶️").click()
    for name in PEOPLE:
        turn = pane(page, "Anna").locator(".body", has_text=f"{name} ist dran")
        expect(turn.last).to_be_visible(timeout=LONG_TURN_MS)

    toasts = page.evaluate("window.toasts")
    assert toasts
    assert not [toast for toast in toasts if re.search("not your turn|nicht dran", toast)]


def test_who_plays_by_themselves_comes_not_in_front_of_who_sits_there(
    browser: Browser, play: Play
) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto(play.address)
    expect(pane(phone, "Anna").locator(".body").first).to_be_visible()
    phone.locator("[data-hands]").click()
    say(phone, "Anna", "/farkle20@dicehall_bot")

    for name in ("Ben", "Cem"):  # joining leads into the private chats
        expect(pane(phone, name).locator(".tab").nth(1)).to_have_attribute("aria-selected", "true")
    expect(phone.locator(".person-button[aria-current]")).to_have_text(re.compile("^AAnna"))
    assert phone.evaluate("location.hash").startswith(f"#{FIRST_PERSON_ID}/-")


def test_where_there_is_no_game_who_plays_by_themselves_opens_one(
    browser: Browser, play: Play
) -> None:
    page = browser.new_page()
    page.goto(play.address)
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()
    page.locator("[data-hands]").click()

    lobby = pane(page, "Anna").locator(".body", has_text="🔒")
    for name in ("Ben", "Cem"):
        expect(lobby).to_contain_text(name)


def test_the_address_says_who_sits_where(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(play.address)
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()

    own = {name: pane(page, name).locator(".tab").nth(1) for name in ("Anna", "Ben")}
    for tab in own.values():
        tab.click()
    address = page.evaluate("location.hash")
    page.reload()
    for tab in own.values():
        expect(tab).to_have_attribute("aria-selected", "true")
    assert page.evaluate("location.hash") == address
    page.go_back()
    expect(own["Ben"]).to_have_attribute("aria-selected", "false")
    expect(own["Anna"]).to_have_attribute("aria-selected", "true")


def test_no_label_breaks_and_nothing_lies_on_the_buttons_of_a_board(
    browser: Browser, play: Play
) -> None:
    sizes = ((390, 844), (780, 900), (1040, 900))
    pages = [browser.new_page(viewport={"width": w, "height": h}) for w, h in sizes]
    for page in pages:
        page.goto(play.address)
    last = pages[-1]
    for kind in ("yahtzee", "zilch"):
        say(last, "Anna", f"/{kind}@dicehall_bot")
        key(last, "Ben", "✅").click()
        broken = [page.evaluate(BROKEN) for page in pages]
        key(last, "Anna", "▶️").click()
        key(last, "Anna", "🎲").click()
        for page in pages:
            board = pane(page, "Anna").locator("[data-message]").last
            expect(board.locator(".row").nth(2)).to_be_visible()
        assert broken + [page.evaluate(BROKEN) for page in pages] == [[]] * 2 * len(pages)
        say(last, "Anna", "/stop@dicehall_bot")
        expect(pane(last, "Anna").locator(".body", has_text="🛑").last).to_be_visible()

    pane(pages[0], "Anna").locator(".scroller").evaluate("node => node.scrollTo(0, 0)")
    expect(pane(pages[0], "Anna").locator(".board-key")).to_be_visible()
    assert pages[0].evaluate(UNCOVERED)


def test_a_crowd_leaves_the_top_of_the_page_as_it_is(browser: Browser, play: Play) -> None:
    page = browser.new_page(viewport={"width": 1040, "height": 900})
    page.goto(play.address)
    top = page.locator(".top")
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()
    height = top.evaluate("node => node.offsetHeight")

    page.locator("[data-drawer=people]").click()
    form = page.locator("form", has=page.locator("input[name=name]"))
    for name in ("Dora", "Emil", "Friederike", "Gustav", "Heike"):
        form.locator("input").fill(name)
        form.locator("button").click()
        expect(page.locator(".drawer-note")).to_contain_text(name)

    expect(page.locator("[data-hands] .tool-text")).to_have_text("Let Ben and 6 others play")
    assert top.evaluate("node => node.offsetHeight") == height


def test_on_a_phone_the_page_speaks_like_the_person_in_front(browser: Browser, play: Play) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto(play.address)
    expect(phone.locator(".hint")).to_contain_text("sitzen in einer Gruppe")

    phone.locator(".person-button", has_text="Ben").click()
    expect(phone.locator(".hint")).to_contain_text("share a group")


def test_the_bot_can_be_run_with_slow_clocks_and_an_operator(browser: Browser, play: Play) -> None:
    page = browser.new_page()
    page.goto(play.address)
    expect(pane(page, "Anna").locator(".body").first).to_be_visible()

    page.locator('[data-drawer="people"]').click()
    for option, said in ((1, "Anna"), (0, "Langsame|Slow")):
        page.locator(".option input").nth(option).check()
        expect(page.locator(".drawer-note")).to_have_text(re.compile(said))
    page.locator('[data-drawer="people"]').click()
    pane(page, "Anna").locator(".tab").nth(1).click()
    say(page, "Anna", "/start")
    say(page, "Anna", "/operator")

    expect(pane(page, "Anna").locator("button.key", has_text="Robin Hood").last).to_be_visible()
    pane(page, "Anna").locator(".tab").nth(0).click()
    say(page, "Anna", "/yahtzee@dicehall_bot")
    key(page, "Ben", "✅").click()
    key(page, "Anna", "▶️").click()
    board = pane(page, "Anna").locator(".body", has_text="Anna ist dran")
    expect(board).to_have_text(re.compile("in [34] Minuten"))


def test_three_chats_fit_a_phone_and_a_link_is_followed_where_it_was_pressed(
    browser: Browser, play: Play
) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    wide = browser.new_page(viewport={"width": 1440, "height": 900})
    for page in (phone, wide):
        page.goto(play.address)
    wide.locator("[data-drawer=people]").click()
    form = wide.locator("form", has=wide.locator("input[name=title]"))
    form.locator("input").fill("A group with a name too long for any phone")
    form.locator("button").click()
    tabs = pane(phone, "Anna").locator(".tab")
    expect(tabs).to_have_count(3)
    tabs.nth(0).click()
    say(wide, "Ben", "/farkle20@dicehall_bot")
    for _ in range(2):
        say(wide, "Anna", "/start")

    key(phone, "Anna", "✅").click()
    expect(tabs.nth(2)).to_have_attribute("aria-selected", "true")

    expect(pane(wide, "Anna").locator(".tab").nth(0)).to_have_attribute("aria-selected", "true")
    expect(pane(wide, "Anna").locator(".tab").nth(2).locator(".badge")).not_to_be_empty()
    assert phone.evaluate(FITS) == [True, True]
