"""What people did before it was counted: games, wins, who came in ahead of whom, and what moves and
best lists still tell of results, bullseyes, chains and Yahtzees."""

from collections import Counter, defaultdict
from itertools import groupby, product

from peewee import BigIntegerField, CompositeKey, Model, SqliteDatabase, TextField

LIMITS = [it for it in product(range(5, 41), repeat=3) if sum(it) == 50]
AT_ONCE = 500


def up(migrator, db):
    class Tally(Model):
        user_id = BigIntegerField()
        kind = TextField()
        name = TextField()
        value = BigIntegerField(default=0)

        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)
            table_name = "tallies"
            primary_key = CompositeKey("user_id", "kind", "name")

    sums, bests, badges = Counter(), {}, {}

    def best(user, kind, name, value):
        bests[user, kind, name] = max(value, bests.get((user, kind, name), value))

    def result(user, kind, value):
        sums[user, kind, "results"] += 1
        sums[user, kind, "total"] += value
        best(user, kind, "best", value)

    seats = db.execute_sql(
        "SELECT s.game_id, g.kind, s.user_id, s.seat, s.place, s.left_at, g.over_at FROM seats s "
        "JOIN games g ON g.id = s.game_id WHERE g.status = 'over' AND s.seat >= 0 "
        "ORDER BY s.game_id, s.seat"
    )
    sitting = {}
    for game_id, rows in groupby(seats, key=lambda row: row[0]):
        players = [row[1:] for row in rows]
        for kind, user, seat, place, left_at, over_at in players:
            sitting[game_id, seat] = (user, place, over_at)
            if not left_at:
                sums[user, kind, "games"] += 1
                sums[user, kind, "won"] += place == 1 and len(players) > 1
            for _, other, _, theirs, _, _ in players:
                if place and (not theirs or place < theirs):
                    sums[user, "", f"ahead {other}"] += 1
    # Only totals of games played to their end are in these lists, but not all of the second.
    for board, ref, value in db.execute_sql(
        "SELECT board, ref, value FROM bests WHERE board IN ('yahtzee.total', 'farkle20.world')"
    ).fetchall():
        result(int(ref), board.partition(".")[0], value)
    for game_id, kind, moves in _played(db):
        found = _fifty(moves) if kind == "fifty" else _yahtzee(moves)
        for seat, done in found.items():
            user, place, over_at = sitting.get((game_id, seat), (0, 0, 0))
            if not user:
                continue
            sums[user, kind, "feat bullseyes"] += done["bullseyes"]
            sums[user, kind, "feat yahtzees"] += done["yahtzees"]
            if done["chain"]:
                best(user, kind, "feat chain", done["chain"])
            if kind == "fifty" and place:
                result(user, kind, done["total"])
            for badge, earned in (
                ("bullseye", done["bullseyes"]),
                ("bullseyes", done["bullseyes"] == 3),
                ("chain", done["chain"] >= 4),
                ("yahtzee", done["yahtzees"]),
            ):
                if earned:
                    badges[user, kind, f"badge {badge}"] = over_at
    rows = [
        {"user_id": user, "kind": kind, "name": name, "value": value}
        for (user, kind, name), value in sorted({**sums, **bests, **badges}.items())
        if value
    ]
    for at in range(0, len(rows), AT_ONCE):
        Tally.insert_many(rows[at : at + AT_ONCE]).execute()


def _played(db):
    moves = db.execute_sql(
        "SELECT m.game_id, g.kind, m.seat, m.move, m.dice, m.asked FROM moves m "
        "JOIN games g ON g.id = m.game_id "
        "WHERE g.status = 'over' AND g.kind IN ('fifty', 'yahtzee') ORDER BY m.game_id, m.n"
    )
    for (game_id, kind), rows in groupby(moves, key=lambda row: row[:2]):
        yield game_id, kind, [(*row[2:4], _numbers(row[4]), row[5]) for row in rows]


def _numbers(dice):
    return [int(value) for value in dice.split(",")] if dice else []


def _fifty(moves):
    """By seat: bullseyes, longest chain, and the total of three rounds. A throw of somebody's is in
    the round of its number, since whoever has no dice left throws no more."""
    found, limits, thrown = defaultdict(Counter), (), Counter()
    for seat, move, dice, asked in moves:
        if move == "deal":
            limits = LIMITS[dice[0] - 1]
        if move == "stechen":
            break
        if seat < 0 or not dice:
            continue
        limit = limits[thrown[seat]]
        thrown[seat] += 1
        found[seat]["total"] += sum(dice)
        if move != "late" and asked:
            found[seat]["bullseyes"] += sum(dice) == limit
            found[seat]["chain"] = max(found[seat]["chain"], *_chains(dice, asked))
    return found


def _chains(dice, asked):
    fallen = iter(dice)
    for sides in map(int, asked.removesuffix("!").split(",")):
        length = 0
        for face in fallen:
            length += 1
            if face < sides:
                break
        yield length


def _yahtzee(moves):
    """By seat: how often five equal dice were scored by a choice of theirs."""
    found, lie = defaultdict(Counter), {}
    for seat, move, dice, _ in moves:
        said, _, which = move.partition(" ")
        if said == "roll":
            lying = lie.setdefault(seat, [0] * 5)
            places = map(int, which) if which else range(1, 6)
            for place, face in zip(places, dice, strict=False):
                lying[place - 1] = face
        else:
            lying = lie.pop(seat, [])
            found[seat]["yahtzees"] += said == "score" and len({*lying}) == 1
    return found
