"""HTML: what Telegram reads, what it refuses, and what the page gets of it."""

from __future__ import annotations

import pytest

from tgbot.playground.entities import found, safe_html
from tgbot.playground.errors import Refusal
from tgbot.playground.markup import parse
from tgbot.playground.model import Person

ANNA = Person(7, "Anna")


def kinds(source: str) -> list[tuple[str, int, int]]:
    _, entities = parse(source, {7: ANNA})
    return [(each["type"], each["offset"], each["length"]) for each in entities]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("<b>x</b>", "bold"),
        ("<strong>x</strong>", "bold"),
        ("<i>x</i>", "italic"),
        ("<em>x</em>", "italic"),
        ("<u>x</u>", "underline"),
        ("<ins>x</ins>", "underline"),
        ("<s>x</s>", "strikethrough"),
        ("<strike>x</strike>", "strikethrough"),
        ("<del>x</del>", "strikethrough"),
        ("<code>x</code>", "code"),
        ("<pre>x</pre>", "pre"),
        ("<blockquote>x</blockquote>", "blockquote"),
        ("<blockquote expandable>x</blockquote>", "expandable_blockquote"),
        ("<tg-spoiler>x</tg-spoiler>", "spoiler"),
        ('<span class="tg-spoiler">x</span>', "spoiler"),
        ('<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', "custom_emoji"),
        ('<a href="https://t.me/x?a=1&amp;b=2">x</a>', "text_link"),
        ('<a href="tg://user?id=7">x</a>', "text_mention"),
        ('<tg-time unix="1800000000" format="r">soon</tg-time>', "date_time"),
        ('<tg-time unix="1800000000" format="wDT">soon</tg-time>', "date_time"),
    ],
)
def test_every_tag_of_telegram_becomes_its_entity(source: str, kind: str) -> None:
    assert [each[0] for each in kinds(source)] == [kind]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("ü<div>x</div>", 'Unsupported start tag "div" at byte offset 2'),
        ("1 < 2", 'Unsupported start tag "" at byte offset 2'),
        ("<br/>", 'Unsupported start tag "br" at byte offset 0'),
        ("Fish & Chips", 'Unescaped "&" at byte offset 5'),
        ("&nbsp;", 'Unsupported entity "&nbsp;" at byte offset 0'),
        ("&#0;", "Invalid character reference at byte offset 0"),
        ("<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ('<tg-time unix="soon">x</tg-time>', "Invalid Unix time specified at byte offset 0"),
        (
            '<tg-time unix="1" format="yy">x</tg-time>',
            "Invalid date-time format specified at byte offset 0",
        ),
        ("<tg-emoji>x</tg-emoji>", "Invalid custom emoji identifier at byte offset 0"),
    ],
)
def test_bad_html_is_refused_with_the_place(source: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse(source, {})
    assert refused.value.status == 400
    assert refused.value.description == f"Bad Request: can't parse entities: {reason}"


def test_offsets_count_utf16_units() -> None:
    assert kinds("🎲🎲 <b>😀x</b> &lt;<i>y</i>") == [("bold", 5, 3), ("italic", 10, 1)]


def test_named_and_numeric_characters_are_read() -> None:
    assert parse("&lt;&gt;&amp;&quot;&#65;&#x1F3B2;", {})[0] == '<>&"A🎲'


def test_the_outer_entity_comes_first() -> None:
    assert kinds("<b><i>x</i>y</b>") == [("bold", 0, 2), ("italic", 0, 1)]


def test_code_with_a_language_inside_pre_is_one_entity() -> None:
    _, entities = parse('<pre><code class="language-python">x</code></pre>', {})
    assert entities == [{"type": "pre", "offset": 0, "length": 1, "language": "python"}]


def test_blanks_at_the_ends_are_cut_and_direction_marks_dropped() -> None:
    text, entities = parse("\n \u202e<b>x \n</b>\n", {})
    assert (text, entities) == ("x", [{"type": "bold", "offset": 0, "length": 1}])


def test_a_mention_of_an_unknown_person_is_plain_text() -> None:
    assert kinds('<a href="tg://user?id=99">x</a>') == []


def test_commands_mentions_hashtags_and_links_are_found_where_telegram_finds_them() -> None:
    text = "🎲 /d@dicehall_bot a/b @anna #tag https://x.org/y 1/2 #1"
    kinds = [each["type"] for each in found(text, [])]
    assert kinds == ["bot_command", "mention", "hashtag", "url"]
    assert found(text, [])[0] == {"type": "bot_command", "offset": 3, "length": 15}


def test_nothing_is_found_in_code() -> None:
    text, entities = parse("<code>/d</code>", {})
    assert found(text, entities) == entities


def test_the_page_gets_escaped_html_with_nested_tags() -> None:
    text, entities = parse("<b>🎲 &lt;b&gt;<i>x</i></b> &amp; y\nz", {})
    assert safe_html(text, entities) == "<b>🎲 &lt;b&gt;<i>x</i></b> &amp; y\nz"


def test_the_page_gets_times_as_time_elements() -> None:
    text, entities = parse('<tg-time unix="12" format="r">in 5 s</tg-time>', {})
    assert safe_html(text, entities) == ('<time data-unix="12" data-format="r">in 5 s</time>')


def test_the_page_never_gets_a_script_link() -> None:
    given = [{"type": "text_link", "offset": 0, "length": 1, "url": "javascript:alert(1)"}]
    assert safe_html("x", given) == '<a class="link">x</a>'
    quoted = [given[0] | {"url": 'https://x"onclick="y'}]
    assert 'href="https://x&quot;onclick=&quot;y"' in safe_html("x", quoted)
