"""The bugs that are planted: where, what instead of what, which promise it breaks, and its net."""

from __future__ import annotations

from dataclasses import dataclass

SOAK = "soak"
"""The net of seeds; any other one names files of tests."""


@dataclass(frozen=True)
class Mutant:
    """One bug: in `file`, where `old` stands once, `new` stands instead.

    `promise` is what it breaks. `net` is the soak or the files of tests that must notice. Where the
    promise is about coming to an end, a net that `hangs` has noticed as well.
    """

    name: str
    promise: str
    file: str
    old: str
    new: str
    net: str = SOAK
    hangs: bool = False

    def planted(self, source: str) -> str:
        """`source` with the bug. Raises ValueError unless there is one place for it."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.name}: {source.count(self.old)} places in {self.file}")
        return source.replace(self.old, self.new)


MUTANTS = (
    # -- games --------------------------------------------------------------------------------
    Mutant(
        "biased dice",
        "every face is as likely as any other: numbers beyond the last multiple are passed over",
        "games/fairness.py",
        "return next(number for number in self._numbers if number < bound) % sides + 1",
        "return min(next(self._numbers), bound + sides) % sides + 1",
        "tests/games/test_fairness.py",
    ),
    Mutant(
        "open die stops",
        "an open die is thrown again as long as it shows its highest face (RULES 1.2)",
        "games/dice.py",
        "while throw.open and value == sides:",
        "if throw.open and value == sides:",
    ),
    Mutant(
        "one over is in",
        "over the limit is out at once (RULES 1.3)",
        "games/fifty/rules.py",
        "all(thrown.over <= 0 for thrown in self.throws)",
        "all(thrown.over <= 1 for thrown in self.throws)",
        "tests/games/fifty",
    ),
    Mutant(
        "latest throws best",
        "for who is late the lowest die is thrown (RULES 1.3)",
        "games/fifty/rules.py",
        "return Throw(state.dice(seat)[:1], open=True)",
        "return Throw(state.dice(seat)[-1:], open=True)",
        "tests/games/fifty",
    ),
    Mutant(
        "round without end",
        "a round ends when everybody has thrown (RULES 1.3)",
        "games/fifty/rules.py",
        "state = replace(state, round=state.round + 1, rev=state.rev + 1)\n",
        "state = replace(state, rev=state.rev + 1)\n",
        "tests/games/fifty",
        hangs=True,
    ),
    Mutant(
        "joker",
        "five equal dice are no full house (RULES 2)",
        "games/yahtzee/boxes.py",
        "FULL_HOUSE * (most == [3, 2])",
        "FULL_HOUSE * (most in ([3, 2], [5]))",
        "tests/games/yahtzee",
    ),
    Mutant(
        "zilches go on counting",
        "after the 500 for three zilches in a row the count starts again (RULES 3)",
        "games/zilch/rules.py",
        "Player(player.bank - PENALTY)",
        "Player(player.bank - PENALTY, player.zilches)",
        "tests/games/zilch",
    ),
    Mutant(
        "bust keeps points",
        "a bust wipes the turn, hot dice before it included (RULES 4)",
        "games/farkle20/rules.py",
        "return _turn_over(state, seat, player, hand, 0)",
        "return _turn_over(state, seat, player, hand, hand.points * (hand.hot > 0))",
        "tests/games/farkle20",
    ),
    # -- economy ------------------------------------------------------------------------------
    Mutant(
        "balance not updated",
        "balances are what the postings add up to (ARCHITECTURE, the ledger)",
        "economy/ledger.py",
        "AccountRow.update({AccountRow.balance: AccountRow.balance + amount})",
        "AccountRow.update({AccountRow.balance: AccountRow.balance + amount % 1000})",
    ),
    Mutant(
        "key taken on trust",
        "the same key with other content is an error (ARCHITECTURE, the ledger)",
        "economy/ledger.py",
        "if why != reason or self._postings(booking) != wanted:",
        "if why != reason:",
        "tests/economy/test_ledger.py",
    ),
    Mutant(
        "unit lost in the split",
        "what rounding leaves of a pot is dealt (RULES 1.5)",
        "economy/pots.py",
        "for place in range(pot - sum(paid)):",
        "for place in range(pot - sum(paid) - 1):",
    ),
    Mutant(
        "rest from below",
        "what rounding leaves is dealt from place 1 downwards (RULES 1.5)",
        "economy/pots.py",
        "paid[place % len(paid)] += 1",
        "paid[-1 - place % len(paid)] += 1",
        "tests/economy/test_pots.py",
    ),
    Mutant(
        "a day is 24 hours",
        "days end on the wall clock, one of 23 or 25 hours among them (RULES 1.7, SURVIVE 21)",
        "economy/best_lists.py",
        "int(end.replace(tzinfo=zone).timestamp()),\n",
        "int(start.replace(tzinfo=zone).timestamp()) + (end - start).days * 86_400,\n",
        "tests/faults/test_21_clock.py",
    ),
    Mutant(
        "bonus paid again",
        "a period that had its bonus gets no other (RULES 1.7, SURVIVE 20)",
        "economy/best_lists.py",
        "if not self._paid(board, period, day):",
        "if day:",
        "tests/tgbot/test_bonuses.py",
    ),
    Mutant(
        "two rounds a day",
        "Robin Hood comes to a chat once a day at most (RULES 6)",
        "economy/robin_hood.py",
        "places = sorted(set(eligible) - had - set(it.tried))",
        "places = sorted(set(eligible) - set(it.tried))",
        "tests/economy/test_robin_hood.py",
    ),
    Mutant(
        "triggers stay dropped",
        "the append-only triggers stand again after every migration (ARCHITECTURE, the ledger)",
        "economy/database.py",
        "        if done:\n            protect(db)\n",
        '        if "0001_ledger" in done:\n            protect(db)\n',
        "tests/economy/test_ledger.py",
    ),
    Mutant(
        "overdraft",
        "no wallet, escrow, jackpot or fund falls below zero (RULES 5)",
        "economy/migrations/0001_ledger.py",
        "Check(\"kind = 'mint' OR balance >= 0\")",
        "Check(\"kind IN ('mint', 'wallet') OR balance >= 0\")",
        "tests/economy/test_ledger.py",
    ),
    # -- tgbot: money ---------------------------------------------------------------------------
    Mutant(
        "settled twice",
        "a game is settled once (ARCHITECTURE, exactly once)",
        "tgbot/hall/settle.py",
        'self.ledger.book(f"settle:{table.id}", "game", booked, at=now, memo=table.id)',
        'for key in ("settle", "again"):\n'
        '                self.ledger.book(f"{key}:{table.id}", "game", booked, at=now)',
    ),
    Mutant(
        "stake of a leaver",
        "when a game is over its escrow is empty, also of who left (RULES 0, 5)",
        "tgbot/hall/table.py",
        "return self.stake * len(self.sittings) + self.robin",
        "return self.stake * sum(not s.left_at for s in self.sittings) + self.robin",
    ),
    Mutant(
        "levy on refunds",
        "a game that cannot go on gives every stake back whole (RULES 5, 6)",
        "tgbot/hall/settle.py",
        "            back |= {escrow(table.id): -table.pot, fund(): table.robin}\n",
        "            levy = table.stake * self.settings.levy // 100\n"
        "            fee = levy * len(back)\n"
        "            back = {account: stake - levy for account, stake in back.items()}\n"
        "            back |= {escrow(table.id): -table.pot, fund(): table.robin + fee}\n",
    ),
    Mutant(
        "welcomed twice",
        "the welcome gift comes once for each person (RULES 5)",
        "tgbot/people/people.py",
        "            reachable = int(private or row[3])\n",
        "            reachable = int(private or row[3])\n"
        "            gift = {mint(): -10, wallet(who.user_id): 10}\n"
        '            self.ledger.book(f"gift:{who.user_id}:{now}", "gift", gift, at=now)\n',
    ),
    Mutant(
        "jackpot without end",
        "of the jackpot's Knuddels a game wins at most 100 times its stake (RULES 1.6)",
        "tgbot/hall/settle.py",
        "pools[COINS] = min(pools[COINS] or 0, most * table.stake)",
        "pools[COINS] = min(pools[COINS] or 0, most * most * table.stake)",
        "tests/tgbot/test_play.py",
    ),
    Mutant(
        "one bonus at a time",
        "a bonus that is late holds up no later one (RULES 1.7, SURVIVE 20)",
        "tgbot/hall/bonuses.py",
        "                winners[int(bonus.best.ref)] = None\n",
        "                winners[int(bonus.best.ref)] = None\n                break\n",
        "tests/tgbot/test_bonuses.py",
    ),
    # -- tgbot: exactly once --------------------------------------------------------------------
    Mutant(
        "known by charm",
        "a press that comes twice with other query ids is one stake (SURVIVE 1)",
        "tgbot/hall/play.py",
        "        if sitting := table.sitting(person.user_id):\n            if start:",
        "        sitting = table.sitting(person.user_id)\n"
        "        if sitting and sitting.charm:\n            if start:",
    ),
    Mutant(
        "updates not noted",
        "an update that is delivered again is applied once (SURVIVE 14)",
        "tgbot/hall/once.py",
        "        where=UpdateRow.at < lately,\n",
        "",
        "tests/faults/test_14_killed.py",
    ),
    Mutant(
        "confirmed too early",
        "the offset passes an update only after its commit (ARCHITECTURE, a press)",
        "tgbot/inbound/intake.py",
        "return min((*self._at_work, *self._again), default=self._next)",
        "return self._next",
        "tests/faults/test_19_locked.py",
    ),
    Mutant(
        "Telegram before the commit",
        "nothing in a handler waits for Telegram (ARCHITECTURE, a press)",
        "tgbot/inbound/requests.py",
        "        now = int(self.now())\n\n        def use_case()",
        "        now = int(self.now())\n"
        '        await self.bot.send_chat_action(ask.chat_id, "typing")\n\n        def use_case()',
    ),
    Mutant(
        "debit without credit",
        "what raises leaves nothing of what it wrote (SURVIVE 27)",
        "tgbot/hall/clerk.py",
        "            with undoable(self.db):\n",
        "            with contextlib.nullcontext():\n",
        "tests/faults/test_27_something_raises.py",
    ),
    Mutant(
        "refusal that writes",
        "a refused press writes no row (SURVIVE 2)",
        "tgbot/inbound/requests.py",
        "                with undoable(self.store.db):\n                    person =",
        "                if True:\n                    person =",
        "tests/faults/test_26_flood.py",
    ),
    Mutant(
        "cache before the commit",
        "pictures of games advance only after the commit (ARCHITECTURE, a press)",
        "tgbot/app.py",
        "self.clerk.on_rollback.append(self.hall.tables.rolled_back)",
        "self.clerk.on_rollback.append(self.hall.tables.committed)",
        "tests/faults/test_disk.py",
    ),
    # -- tgbot: time ----------------------------------------------------------------------------
    Mutant(
        "time-out too early",
        "a phase's time runs from the delivery of its board, in full (RULES 0)",
        "tgbot/outbound/boards.py",
        "math.ceil(now) + phase.time_s",
        "math.ceil(now) + phase.time_s - 5",
        "tests/tgbot/test_play.py tests/tgbot/test_lobby.py",
    ),
    Mutant(
        "deadline before updates",
        "updates already waiting are handled before a deadline fires (RULES 0)",
        "tgbot/hall/clock.py",
        "                await asyncio.sleep(LATE_S / 2)\n                await self.quiet()\n",
        "                await asyncio.sleep(LATE_S / 2)\n",
        "tests/faults/test_18_busy.py tests/tgbot/test_updates.py",
    ),
    Mutant(
        "no full time after a restart",
        "after downtime a running phase gets its full time again (RULES 0)",
        "tgbot/hall/upkeep.py",
        "                    table = new_phase(table, showing.seat, now)\n",
        "                    table = new_phase(table, showing.seat, showing.began_at)\n",
        "tests/tgbot/test_updates.py",
    ),
    Mutant(
        "failing row spins",
        "a due row that raises is tried again later (SURVIVE 27)",
        "tgbot/hall/clock.py",
        "later = now + RETRY_S",
        "later = now",
        "tests/faults/test_27_something_raises.py",
        hangs=True,
    ),
    Mutant(
        "due row stays behind",
        "a group that becomes a supergroup takes its due rows along (SURVIVE 8)",
        "tgbot/hall/upkeep.py",
        'self.store.due.rename("jackpot", str(old), str(new))',
        'self.store.due.rename("audit", str(old), str(new))',
        "tests/faults/test_08_becomes_a_supergroup.py",
    ),
    Mutant(
        "old press counts",
        "a press on a board of an earlier phase is refused (SURVIVE 2)",
        "tgbot/hall/play.py",
        "        if rev != table.phase(sitting.seat).rev:\n",
        "        if rev > table.phase(sitting.seat).rev:\n",
        "tests/faults/test_02_no_such_button.py",
    ),
    Mutant(
        "selection stays",
        "what somebody picked is gone with the move (RULES 1.2)",
        "tgbot/hall/play.py",
        "picked = {other: p for other, p in table.selections.items() if other != seat}",
        "picked = table.selections",
    ),
    # -- tgbot: boards --------------------------------------------------------------------------
    Mutant(
        "not repainted",
        "a start paints every board that is behind (ARCHITECTURE, exactly once)",
        "tgbot/app.py",
        "            self.painter.take_up(done.boards, leftovers)\n            self.painter.show(",
        "            self.painter.take_up((), leftovers)\n            self.painter.show(",
    ),
    Mutant(
        "not modified is an error",
        "editing to the same content is success (SURVIVE 4)",
        "tgbot/outbound/calls.py",
        'return "not modified" in str(error).lower()',
        "return False",
        "tests/faults/test_04_not_modified.py",
    ),
    Mutant(
        "one chat's 429 holds all",
        "who asks to wait in one chat holds up no other (SURVIVE 6)",
        "tgbot/outbound/painter.py",
        "            desk.budget.hold(loop.time() + wait + 0.5)\n",
        "            for other in self._desks.values():\n"
        "                other.budget.hold(loop.time() + wait + 0.5)\n",
        "tests/faults/test_06_asked_to_wait.py",
    ),
    Mutant(
        "second live board",
        "a send that timed out leaves no second board with live buttons (SURVIVE 16)",
        "tgbot/outbound/painter.py",
        "            desk.doubtful[place] = last\n            raise\n",
        "            raise\n",
    ),
    # -- tgbot: who may what, and who sees what -------------------------------------------------
    Mutant(
        "secret in the row",
        "the secret of an open game lies nowhere (RULES 7)",
        "tgbot/hall/play.py",
        '            secret=b"",\n',
        '            secret=__import__("games.fairness").fairness.secret_of(\n'
        "                self.settings.dice_key(), game_id, nonce\n            ),\n",
        "tests/faults/test_7_open_secrets.py",
    ),
    Mutant(
        "numbers in the open",
        "what somebody owns is shown to nobody else (RULES 1.8)",
        "tgbot/inbound/handlers/wallet.py",
        'ask_them = text("points.in_group")',
        "ask_them = front.people.glance(person, now).toast or text('points.in_group')",
    ),
    Mutant(
        "token in the log",
        "no log holds the bot's token (SURVIVE 25)",
        "tgbot/log.py",
        "return redact(super().format(record))",
        "return super().format(record)",
        "tests/faults/test_25_token.py",
    ),
    Mutant(
        "killed for a chart",
        "everything a person can press works under the unit's restrictions (SURVIVE 40)",
        "deploy/dicehall.service",
        "SystemCallErrorNumber=EPERM\n",
        "",
        "tests/faults/test_40_restrictions.py",
    ),
    Mutant(
        "names are markup",
        "names are escaped (SURVIVE 11)",
        "tgbot/words.py",
        'return f"<b>{html.escape(name, quote=False)}</b>"',
        'return f"<b>{name}</b>"',
    ),
    Mutant(
        "anybody's settings",
        "who is an admin is asked at every press (RULES 0, issue 5)",
        "tgbot/inbound/handlers/admin.py",
        '        _admins_only(admin)\n        name, _, value = said.code.partition("=")\n',
        '        name, _, value = said.code.partition("=")\n',
        "tests/tgbot/test_settings.py",
    ),
    Mutant(
        "anybody's panel",
        "the operator's panel does nothing for others, whatever they forge",
        "tgbot/operator/panel.py",
        "        self._operators_only(person)\n        verb,",
        "        verb,",
        "tests/tgbot/test_panel.py",
    ),
    Mutant(
        "flood admitted",
        "who floods is held (SURVIVE 26)",
        "tgbot/inbound/requests.py",
        "if again or self.limits.presses.take(who, now):",
        "if again or self.limits.presses.take(ask.update_id, now):",
        "tests/faults/test_26_flood.py",
    ),
    Mutant(
        "ids only rise",
        "after a quiet week update ids may start lower (SURVIVE 29)",
        "tgbot/inbound/intake.py",
        "self._next = updates[-1].update_id + 1 if updates else self._next",
        "self._next = max(self._next, *(n + 1 for n in came), 0)",
        "tests/faults/test_29_lower_ids.py",
        hangs=True,
    ),
    Mutant(
        "an id is for ever",
        "an update id that comes again long after is another update (SURVIVE 29)",
        "tgbot/hall/once.py",
        "lately=now - UPDATES_KEPT_S",
        "lately=now - 9 * 10**9",
        "tests/faults/test_29_lower_ids.py",
    ),
    Mutant(
        "final once signed in",
        "no answer ends the process once it has signed in (SURVIVE 30)",
        "tgbot/inbound/intake.py",
        "        except TelegramError as error:\n            await self._failed(error)\n"
        "            return None\n        except Exception:",
        "        except BadRequest:\n            raise\n        except TelegramError as error:\n"
        "            await self._failed(error)\n            return None\n        except Exception:",
        "tests/faults/test_30_looks_final.py",
    ),
    Mutant(
        "a proxy's word counts",
        "what is none of the Bot API's answers is a failure, not a refusal (SURVIVE 30)",
        "tgbot/http/client.py",
        "        whole = False\n",
        "        whole, said = status >= 400, {}\n",
        "tests/faults/test_30_looks_final.py",
    ),
    Mutant(
        "refused for ever",
        "a game that cannot be shown for ten minutes is called off (SURVIVE 31)",
        "tgbot/hall/table.py",
        "return self.hidden_at + HIDDEN_S if self.hidden_at else 0",
        "return 0",
        "tests/faults/test_31_refused_boards.py",
    ),
    Mutant(
        "edits by their words",
        "an edit refused for a reason nobody knows is sent anew (SURVIVE 31)",
        "tgbot/outbound/calls.py",
        'return "not modified" in str(error).lower()',
        'return "not found" not in str(error).lower()',
        "tests/faults/test_31_refused_boards.py",
    ),
    Mutant(
        "won unseen",
        "no game ends by time alone while it cannot be shown (SURVIVE 31)",
        "tgbot/hall/play.py",
        "if hidden and not table.open:",
        "if not hidden and not table.open:",
        "tests/faults/test_31_refused_boards.py",
    ),
    Mutant(
        "unseen is late",
        "a phase nobody was shown counts for nobody's lateness (SURVIVE 32)",
        "tgbot/hall/play.py",
        "rules.expire(table.state, seat, seen=bool(showing.shown))",
        "rules.expire(table.state, seat)",
        "tests/faults/test_32_unseen_phases.py",
    ),
    Mutant(
        "only time-outs arrive",
        "a send whose answer is lost in any way may have arrived (SURVIVE 33)",
        "tgbot/outbound/calls.py",
        "isinstance(error, NetworkError) and not isinstance(error, BadRequest | NotSent)",
        "type(error).__name__ == 'TimedOut'",
        "tests/faults/test_33_lost_answers.py",
    ),
    Mutant(
        "untold is no",
        "where Telegram does not tell who is an admin, nobody is told to be none (SURVIVE 34)",
        "tgbot/inbound/requests.py",
        "        if member is None:\n            return None\n        return member.status",
        "        if member is None:\n            return False\n        return member.status",
        "tests/faults/test_34_admins_untold.py",
    ),
    Mutant(
        "the old id's settings",
        "what was set under the new id before the news is newer (SURVIVE 34)",
        "tgbot/people/chats.py",
        "kept = {name: newer[name] for name in chosen}",
        "kept: dict[str, Any] = {}",
        "tests/faults/test_34_admins_untold.py",
    ),
    Mutant(
        "one clock for all",
        "Telegram's dates are compared with each other (SURVIVE 35)",
        "tgbot/inbound/requests.py",
        "return self.dates.here(ask.sent_at)",
        "return ask.sent_at",
        "tests/faults/test_35_clocks_differ.py",
    ),
    Mutant(
        "confirmed however long",
        "the end does not wait for a Telegram that stalls (SURVIVE 45)",
        "tgbot/inbound/intake.py",
        "async with asyncio.timeout(CONFIRM_S):",
        "async with asyncio.timeout(None):",
        "tests/faults/test_45_stalled_end.py",
    ),
    Mutant(
        "all of them wait",
        "what waits to be sent is bounded, however many ask (SURVIVE 39)",
        "tgbot/outbound/painter.py",
        "full = self._waiting >= MOST_WAITING_IN_ALL",
        "full = False",
        "tests/faults/test_39_many_chats.py",
    ),
    Mutant(
        "the journal keeps its size",
        "after a long reader the WAL shrinks again (SURVIVE 39)",
        "economy/database.py",
        '    "journal_size_limit": WAL_MOST,\n',
        "",
        "tests/faults/test_39_many_chats.py",
    ),
    Mutant(
        "any secret will do",
        "a webhook call without the secret is answered with 403 (SURVIVE 24)",
        "tgbot/inbound/webhook.py",
        "if not hmac.compare_digest(said, secret):",
        "if not hmac.compare_digest(said[:8], secret[: len(said[:8])]):",
        "tests/faults/test_24_without_the_secret.py",
    ),
    # -- versions and years -------------------------------------------------------------------
    Mutant(
        "two upgrade at once",
        "upgrades of one database happen one after the other (SURVIVE 42)",
        "economy/database.py",
        '                db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (UPGRADE_LOCK,))\n',
        "                pass\n",
        "tests/faults/test_42_versions.py",
    ),
    Mutant(
        "half an upgrade",
        "an upgrade is done as a whole or not at all (SURVIVE 42)",
        "economy/database.py",
        "        with _without_foreign_keys(db), db.atomic():\n",
        "        with _without_foreign_keys(db):\n",
        "tests/faults/test_42_versions.py",
    ),
    Mutant(
        "audit upgrades",
        "commands beside a bot change no schema (SURVIVE 42)",
        "tgbot/database.py",
        "        if missing:\n            named",
        "        if missing and not _migrate(db):\n            named",
        "tests/faults/test_42_versions.py",
    ),
    Mutant(
        "ends in 2038",
        "times have 64 bits (SURVIVE 44)",
        "tgbot/migrations/0006_times.py",
        "TYPE BIGINT",
        "TYPE INTEGER",
        "tests/faults/test_44_after_2038.py",
    ),
    Mutant(
        "a past may be changed",
        "a past that was changed consistently is told by the next audit (SURVIVE 43)",
        "tgbot/operator/digest.py",
        "        whole.update(_read(db, stream, before.games, games))\n",
        "        whole.update(bytes(32))\n",
        "tests/faults/test_43_tampered_past.py",
    ),
    Mutant(
        "a night too early",
        "no booking appears below the last one a night saw (SURVIVE 43)",
        "economy/database.py",
        "db.execute_sql(f'LOCK TABLE \"{model._meta.table_name}\" IN SHARE MODE')",
        "pass",
        "tests/faults/test_43_tampered_past.py",
    ),
    Mutant(
        "hidden people are found",
        "who hides their name is unknown outside their chats (SURVIVE 36)",
        "tgbot/people/people.py",
        "return self.named(name, known_in(chat_id) | (PersonRow.user_id == asker.user_id))",
        "return self.named(name)",
        "tests/faults/test_36_hidden_people.py",
    ),
    Mutant(
        "a link seats strangers",
        "a deep link seats only members of the group (SURVIVE 37)",
        "tgbot/inbound/handlers/guide.py",
        "            if not member:",
        "            if False and not member:",
        "tests/faults/test_37_who_and_where.py",
    ),
    Mutant(
        "vowels are cut",
        "two or three marks over a letter are spelling (SURVIVE 38)",
        "tgbot/words.py",
        "        elif marks > MOST_MARKS:",
        "        elif marks > 1:",
        "tests/faults/test_38_vowels.py",
    ),
    Mutant(
        "erased and still told",
        "after erasing no file of the bot holds the name (SURVIVE 36)",
        "tgbot/operator/deeds.py",
        "    OldBoards(db).forget(user_id, (person.name, person.username))\n",
        "",
        "tests/faults/test_36_hidden_people.py",
    ),
    Mutant(
        "erased only in the table",
        "what is erased is in no free space and no log of the file (SURVIVE 36)",
        "economy/database.py",
        '    "secure_delete": 1,',
        '    "secure_delete": 0,',
        "tests/faults/test_36_hidden_people.py",
    ),
)
