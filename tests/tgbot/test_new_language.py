"""A new language is a `.po` file per folder; what it lacks is said in English."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from games.game import Text
from tgbot.words import LOCALES, Words

ROOT = Path(__file__).parents[2]
IGNORED = shutil.ignore_patterns("__pycache__")

HALF = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

msgid "points.button"
msgstr "💰 Mes points"

msgid "coins"
msgid_plural "coins"
msgstr[0] "{n} jeton"
msgstr[1] "{n} jetons"

msgid "help.hint"
msgstr ""

#, fuzzy
msgid "rules.button"
msgstr "Règlement"
"""


def test_a_half_filled_french_falls_back_to_english_and_never_fails(tmp_path: Path) -> None:
    (tmp_path / "fr.po").write_text(HALF, "utf-8")
    (tmp_path / "en.po").write_text((LOCALES / "en.po").read_text("utf-8"), "utf-8")
    words = Words([tmp_path], languages=("en", "fr"), coin="Knuddel", coin_plural="Knuddels")

    assert words.plain(Text("points.button"), "fr") == "💰 Mes points"
    # No, an empty and an uncertain translation are none; 0 is singular in French only.
    for key in ("start.add", "help.hint", "rules.button"):
        assert words.plain(Text(key), "fr") == words.plain(Text(key), "en")
    assert words.plain(Text("coins", {"n": 0}), "fr") == "0 jeton"
    for key in words.keys("en"):
        assert words.template(key, "fr")


def test_a_language_is_there_once_its_file_is(tmp_path: Path) -> None:
    for package in ("games", "economy", "tgbot"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=IGNORED)
    (tmp_path / "tgbot" / "locales" / "fr.po").write_text(HALF, "utf-8")
    script = """
from games.game import Text
from tgbot.config import Settings
from tgbot.words import LANGUAGES, all_words, native_name, spoken
settings = Settings(_env_file=None, language="fr")
print(LANGUAGES, native_name("fr"), spoken("fr-CA"), spoken("pt-BR"), spoken(""))
print(all_words(settings).plain(Text("fifty.title"), settings.language))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )

    told = done.stdout.splitlines()
    assert told == ["('de', 'en', 'fr') Français fr en en", "Fifty!"], done.stderr
