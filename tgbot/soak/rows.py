"""What the rows of the database must say whenever something was committed."""

from __future__ import annotations

from collections.abc import Iterator

from economy.audit import prove
from tgbot.hall.hints import MOST as MOST_HINTS
from tgbot.soak.world import World


def broken(world: World) -> Iterator[str]:
    """The promises that the rows as they are committed break."""
    sql, db = world.sql, world.life.clerk.db
    open_games = sql(
        "SELECT g.id, g.stake * count(s.id) + g.robin FROM games g "
        "LEFT JOIN seats s ON s.game_id = g.id AND "
        "(g.status = 'running' AND s.seat >= 0 OR g.status = 'lobby' AND s.left_at = 0) "
        "WHERE g.status IN ('lobby', 'running') GROUP BY g.id"
    )
    audit = prove(db, (game for game, _ in open_games))
    yield from audit.problems
    yield from (f"{currency} add up to {n}" for currency, n in audit.sums.items() if n)
    held = dict(sql("SELECT ref, balance FROM accounts WHERE kind = 'escrow'"))
    for game, stakes in open_games:
        if held.get(game, 0) != stakes:
            yield f"the escrow of {game} holds {held.get(game, 0)}, its stakes are {stakes}"
    yield from _once(world)
    yield from _returned(world)
    yield from _members(world)
    yield from _james(world)


def _once(world: World) -> Iterator[str]:
    twice = world.sql(
        "SELECT substr(key, instr(key, ':') + 1) AS game, count(*) FROM bookings "
        "WHERE key LIKE 'settle:%' OR key LIKE 'refund:%' GROUP BY game HAVING count(*) > 1"
    )
    yield from (f"game {game} was settled {n} times" for game, n in twice)
    gifts = world.sql(
        "SELECT a.ref, count(*) FROM bookings b JOIN postings p ON p.booking_id = b.id "
        "JOIN accounts a ON a.id = p.account_id WHERE b.reason = 'gift' AND a.kind = 'wallet' "
        "GROUP BY a.ref HAVING count(*) > 1"
    )
    yield from (f"{user} got {n} welcome gifts" for user, n in gifts)
    rounds = world.sql(
        "SELECT id, given FROM robin_rounds r WHERE status = 'given' AND given <> "
        "(SELECT coalesce(sum(-p.amount), 0) FROM postings p "
        "JOIN bookings b ON b.id = p.booking_id JOIN accounts a ON a.id = p.account_id "
        "WHERE b.key = 'robin:' || r.id || ':' || r.game AND a.kind = 'fund')"
    )
    yield from (f"round {n} gave {given}, the fund says otherwise" for n, given in rounds)
    chats = world.sql(
        "SELECT chat_id, topic, count(*) FROM games WHERE status IN ('lobby', 'running') "
        "GROUP BY chat_id, topic HAVING count(*) > 1"
    )
    yield from (f"chat {chat} topic {topic} has {n} games" for chat, topic, n in chats)
    seats = world.sql(
        "SELECT s.game_id, s.user_id, count(*) FROM seats s JOIN games g ON g.id = s.game_id "
        "WHERE s.seat >= 0 OR (g.status = 'lobby' AND s.left_at = 0) "
        "GROUP BY s.game_id, s.user_id HAVING count(*) > 1"
    )
    yield from (f"{user} sits {n} times in {game}" for game, user, n in seats)


def _members(world: World) -> Iterator[str]:
    """Nobody sits in a group's game who was never there (SURVIVE 37)."""
    telegram = world.telegram
    for game, chat_id, user in world.sql(
        "SELECT g.id, g.chat_id, s.user_id FROM seats s JOIN games g ON g.id = s.game_id"
    ):
        chat = telegram.chats[chat_id]
        if chat.is_group and user in telegram.people and (
            (chat.title, user) not in world.been
        ):  # fmt: skip
            yield f"{user} sits in {game} of {chat.title!r}, and was never there"
        if (game, user) in world.outside:
            yield f"{user} sits in {game} of {chat.title!r}, and asked from outside"
    for (user,) in world.sql("SELECT user_id FROM people"):
        if user not in telegram.people:
            yield f"{user} is known as a person, and is none"
    for (chat_id,) in world.sql("SELECT chat_id FROM chats"):
        if chat_id not in telegram.chats:
            yield f"{chat_id} is known as a chat, and nobody plays there"


def _james(world: World) -> Iterator[str]:
    """Practice wins nothing, and hints decide no coins (RULES 8)."""
    for game, what in world.sql(
        "SELECT g.id, b.reason FROM games g JOIN bookings b ON b.memo = g.id "
        "WHERE g.james = 2 AND b.reason = 'game' UNION ALL "
        "SELECT g.id, l.board FROM games g JOIN bests l ON l.source = g.id WHERE g.james = 2"
    ):
        yield f"the practice {game} has brought something: {what}"
    for game, user, n, stake in world.sql(
        "SELECT s.game_id, s.user_id, s.hints, g.stake FROM seats s "
        "JOIN games g ON g.id = s.game_id WHERE s.hints > 0"
    ):
        if n > MOST_HINTS or stake:
            yield f"{user} had {n} hints in {game}, where the stake is {stake}"


def _returned(world: World) -> Iterator[str]:
    """Stakes come back whole, and no jackpot lies for ever."""
    refunds = world.sql(
        "SELECT g.id, w.ref, p.amount, g.stake FROM bookings b "
        "JOIN postings p ON p.booking_id = b.id JOIN accounts w ON w.id = p.account_id "
        "JOIN postings q ON q.booking_id = b.id JOIN accounts e ON e.id = q.account_id "
        "JOIN games g ON g.id = e.ref WHERE b.reason = 'refund' AND w.kind = 'wallet' "
        "AND e.kind = 'escrow' AND p.amount <> g.stake AND g.james < 2"
    )
    for game, user, back, stake in refunds:
        yield f"of a stake of {stake} in {game} {user} got {back} back"
    undated = world.sql(
        "SELECT ref FROM accounts WHERE kind = 'jackpot' AND balance <> 0 "
        "AND ref NOT IN (SELECT ref FROM due WHERE kind = 'jackpot')"
    )
    yield from (f"the jackpot of {chat} has no due row" for (chat,) in undated)
