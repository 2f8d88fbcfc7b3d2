"""The mint is what its postings say: its balance, one row for which everybody waited, is not kept.

For the same reason a posting on PostgreSQL asks for its account without locking it, as a foreign
key would: an account that is there stays there.
"""

from peewee import SqliteDatabase

HAS_AN_ACCOUNT = """
CREATE FUNCTION has_an_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id) THEN
        RAISE EXCEPTION 'a posting to no account' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$
"""


def up(migrator, db):
    db.execute_sql("UPDATE accounts SET balance = 0 WHERE kind = 'mint'")
    if isinstance(db, SqliteDatabase):
        return
    db.execute_sql("ALTER TABLE postings DROP CONSTRAINT postings_account_id_fkey")
    db.execute_sql(HAS_AN_ACCOUNT)
    db.execute_sql(
        "CREATE TRIGGER postings_have_an_account BEFORE INSERT ON postings "
        "FOR EACH ROW EXECUTE FUNCTION has_an_account()"
    )
