"""What happens in a soak: each event is drawn by its weight and drawn on by the step's stream.

An event is a function of the world that answers what happened; one that finds nothing to do raises
LookupError or ValueError, as the playground does, and then nothing happened.
"""

from __future__ import annotations

from tgbot.soak.events import chats, machine, operator, people, telegram
from tgbot.soak.events.common import Kind
from tgbot.soak.world import World

KINDS: dict[str, Kind] = {
    "play": Kind(150, people.play),
    "open": Kind(20, people.open_game),
    "press any": Kind(40, people.press_any),
    "press twice": Kind(15, people.press_twice),
    "press stale": Kind(20, people.press_stale, "stale press"),
    "press forged": Kind(15, people.press_forged, "forged press"),
    "say": Kind(40, people.say),
    "say alone": Kind(20, people.say_alone),
    "say in a thread": Kind(8, people.say_in_thread),
    "follow": Kind(10, people.follow),
    "follow from outside": Kind(10, people.follow_from_outside, "stranger's link"),
    "invite": Kind(6, people.invite),
    "bring": Kind(4, people.bring),
    "ring": Kind(10, people.ring),
    "pin": Kind(12, people.pin),
    "daily": Kind(6, people.daily),
    "daily through": Kind(2, people.daily_through),
    "practise": Kind(5, people.practise),
    "hint": Kind(5, people.hint),
    "crowd": Kind(1, people.crowd, "crowd of strangers"),
    "masked": Kind(3, people.masked, "masked sender"),
    "edit": Kind(3, people.edit, "edited command"),
    "forward": Kind(3, people.forward, "forwarded command"),
    "flood": Kind(2, people.flood, "flood of presses"),
    "come or go": Kind(6, people.come_or_go),
    "block": Kind(6, people.block, "block"),
    "rename": Kind(4, people.rename),
    "kick": Kind(4, chats.kick_or_add, "kick"),
    "migrate": Kind(2, chats.migrate, "migration"),
    "topics": Kind(2, chats.topics, "topics"),
    "promote": Kind(2, chats.promote),
    "pin right": Kind(6, chats.pin_right, "rights changed"),
    "restrict": Kind(3, chats.restrict, "restricted member"),
    "channel": Kind(3, chats.channel, "channel"),
    "delete": Kind(6, chats.delete, "deleted board"),
    "operate": Kind(4, operator.operate),
    "command line": Kind(4, operator.command_line),
    "erase": Kind(2, operator.erase, "erasing"),
    "look": Kind(2, operator.look, "another program"),
    "flood 429": Kind(6, telegram.strike("flood")),
    "long wait": Kind(2, telegram.long_wait, "long wait"),
    "looks final": Kind(3, telegram.looks_final, "final answer"),
    "untold": Kind(2, telegram.untold, "admins untold"),
    "refuse": Kind(3, telegram.refuse, "nothing shown"),
    "lost call": Kind(6, telegram.strike("timeout_before")),
    "lost answer": Kind(8, telegram.strike("timeout_after")),
    "bad gateway": Kind(6, telegram.strike("error_5xx")),
    "broken line": Kind(4, telegram.strike("reset_after")),
    "proxy": Kind(4, telegram.strike("odd_before")),
    "proxy late": Kind(4, telegram.strike("odd_after")),
    "lower ids": Kind(2, telegram.strike("lower_ids", 1)),
    "late answer": Kind(3, telegram.strike("bad_request_answers")),
    "update twice": Kind(6, telegram.strike("duplicate_updates")),
    "press doubled": Kind(6, telegram.strike("duplicate_presses")),
    "shuffle": Kind(4, telegram.strike("shuffle", 5)),
    "slow": Kind(3, telegram.slow, "slowness"),
    "rival": Kind(2, telegram.rival, "rival poll"),
    "wait": Kind(50, machine.wait(1, 10)),
    "wait a phase": Kind(15, machine.wait(20, 90)),
    "wait for long": Kind(3, machine.wait(600, 12 * 3600)),
    "wait for days": Kind(1, machine.wait(86_400, 3 * 86_400)),
    "set clock": Kind(2, machine.set_clock, "clock set"),
    "clocks differ": Kind(2, machine.clocks_differ, "clock beside Telegram's"),
    "die at commit": Kind(8, machine.dies("commit")),
    "die at call": Kind(8, machine.dies("call")),
    "restart": Kind(3, machine.restart, "restart"),
    "stalled restart": Kind(2, machine.stalled_restart, "stall at the end"),
    "disk full": Kind(2, machine.disk_full, "full disk"),
}
"""Everything that happens, by its name in a script."""

_TOTAL = sum(kind.weight for kind in KINDS.values())


def drawn(world: World) -> str:
    """The name of the event the step's stream says comes now."""
    at = world.draw(_TOTAL)
    for name, kind in KINDS.items():
        at -= kind.weight
        if at <= 0:
            return name
    raise AssertionError("the weights add up")
