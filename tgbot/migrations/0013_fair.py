"""Running counts of faces and of how games ended, begun with the games there were."""

import json
import re
from collections import Counter

from peewee import BigIntegerField, CompositeKey, Model, SqliteDatabase, TextField

SIX_SIDED = ("yahtzee", "zilch", "farkle20")
DEAL, STECHEN = 666, 36
AT_ONCE = 500


def up(migrator, db):
    class Base(Model):
        class Meta:
            database = db
            legacy_table_names = False
            strict_tables = isinstance(db, SqliteDatabase)

    class Face(Base):
        sides = BigIntegerField()
        face = BigIntegerField()
        n = BigIntegerField()

        class Meta:
            table_name = "faces"
            primary_key = CompositeKey("sides", "face")

    class End(Base):
        kind = TextField()
        ended = TextField()
        why = TextField(default="")
        n = BigIntegerField()

        class Meta:
            table_name = "ends"
            primary_key = CompositeKey("kind", "ended", "why")

    mark = "?" if isinstance(db, SqliteDatabase) else "%s"
    db.create_tables([Face, End])
    ends, faces = Counter(), Counter()
    games = db.execute_sql(
        "SELECT kind, status, result FROM games WHERE status NOT IN ('lobby', 'running')"
    ).fetchall()
    for kind, status, result in games:
        why = json.loads(result or "{}").get("why", "") if status in ("off", "void") else ""
        ends[kind, status, why] += 1
    # What a move asked for was not written down before; it follows from its words and its dice.
    old = db.execute_sql(
        "SELECT m.game_id, m.n, m.move, m.dice, g.kind FROM moves m "
        "JOIN games g ON g.id = m.game_id WHERE m.dice <> '' AND m.asked = ''"
    ).fetchall()
    for game_id, n, move, dice, kind in old:
        asked = _asked(kind, move, [int(value) for value in dice.split(",")])
        db.execute_sql(
            f"UPDATE moves SET asked = {mark} WHERE game_id = {mark} AND n = {mark}",
            (asked, game_id, n),
        )
    thrown = db.execute_sql(
        "SELECT m.asked, m.dice FROM moves m JOIN games g ON g.id = m.game_id "
        "WHERE g.status = 'over' AND m.asked <> ''"
    ).fetchall()
    for asked, dice in thrown:
        faces.update(_faces(asked, [int(value) for value in dice.split(",")]))
    rows = [{"sides": sides, "face": face, "n": n} for (sides, face), n in sorted(faces.items())]
    for at in range(0, len(rows), AT_ONCE):
        Face.insert_many(rows[at : at + AT_ONCE]).execute()
    for (kind, ended, why), n in sorted(ends.items()):
        End.insert(kind=kind, ended=ended, why=why, n=n).execute()


def _asked(kind, move, values):
    if kind in SIX_SIDED:
        return ",".join("6" * len(values))
    if kind != "fifty":
        return ""
    if move == "deal":
        return str(DEAL)
    if move == "stechen":
        return ",".join(map(str, (STECHEN, *range(len(values), 1, -1))))
    pool = []
    for term in move.split("+"):
        match = re.fullmatch(r"\s*(?:(\d+)?\s*[wd]\s*)?(\d+)\s*", term, re.IGNORECASE)
        if match is None:
            return ""
        pool += [int(match[2])] * int(match[1] or 1)
    return ",".join(map(str, sorted(pool))) + "!"


def _faces(asked, values):
    fallen, openly = iter(values), asked.endswith("!")
    for sides in map(int, asked.removesuffix("!").split(",")):
        for face in fallen:
            yield sides, face
            if not openly or face < sides:
                break
