"""A local Telegram to play with: strict, in memory, with faults at the flick of a switch.

It refuses what Telegram refuses, in Telegram's words: a bot that works here works there. People
are added and act by method calls (`core.Telegram`) or on a page in the browser (`server`); the
bot reaches it in the same process (`inprocess.InProcessRequest`) or over HTTP (`server`), by long
polling or webhook. `faults.Faults` makes it slow, forgetful and full of repeats.

It never talks to the real Telegram, never leaves this machine, never keeps anything on disk, and
draws nothing at random: the same acts give the same ids and the same answers.

Where to begin: `core.Telegram` is the whole surface; `model` the words it uses; `api` and
`sending` the Bot API methods; `speech` and `membership` what people do; `updates` how the bot
gets to know; `server` the HTTP side; `start.furnish` the world that `dicehall play` begins with.
"""

from tgbot.playground.core import Telegram
from tgbot.playground.faults import Faults
from tgbot.playground.limits import Limits
from tgbot.playground.model import Call, Chat, Message, Person, Toast

__all__ = ["Call", "Chat", "Faults", "Limits", "Message", "Person", "Telegram", "Toast"]
