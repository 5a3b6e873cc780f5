"""What becomes of answers that were given when their sources or their readers change: decided from today's rows."""

from __future__ import annotations

import pytest
from psycopg.errors import OperationalError

from bot.answers.living import Place
from handlers.errors import Gone, NotEditable, RateLimited, Unreachable
from permissions.model import ConversationKind, Principal
from tests import rows
from tests.integration.agent.given import HERE, Given
from tests.integration.agent.world import CHANNEL

CASE = "卫生间用青桐牌柔性防水涂料。防水材料由江城建材供货。"
QUESTION = "防水材料由谁供货？"
QUOTED = "江城建材"
WORKSPACE = Principal.workspace(rows.TEAM)
OTHERS = Principal.channel(rows.TEAM, "C2")


async def text_kept(given: Given, run_id: str) -> str:
    """What the rows hold of the answer and its sources."""
    async with given.pool.connection() as connection:
        cursor = await connection.execute(
            """SELECT coalesce(answer, '') || coalesce(string_agg(excerpt || title, ''), '') || coalesce(
                          (SELECT string_agg(content::text, '') FROM posts WHERE posts.run_id = runs.run_id), '')
                 FROM runs LEFT JOIN evidence_sets USING (run_id) LEFT JOIN evidence USING (evidence_set_id)
                WHERE runs.run_id = %s GROUP BY runs.run_id""",
            (run_id,),
        )
        row = await cursor.fetchone()
    assert row is not None
    return str(row[0]).replace("{}", "")


async def has_left(given: Given, user: str, conversation: str = CHANNEL) -> None:
    async with given.pool.connection() as connection:
        await connection.execute(
            "DELETE FROM memberships WHERE user_id = %s AND conversation_id = %s", (user, conversation)
        )
    await given.living.audience_changed(rows.TEAM, [conversation])


async def has_joined(given: Given, user: str, conversation: str = CHANNEL) -> None:
    async with given.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES (%s,%s,%s,%s)",
            (rows.TEAM, conversation, user, rows.NOW),
        )
    await given.living.audience_changed(rows.TEAM, [conversation])


async def test_an_answer_that_all_may_still_read_stays(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.changed("case")
    await given.living.audience_changed(rows.TEAM, [CHANNEL])
    await given.work()
    assert await given.standing(run_id) is None
    assert QUOTED in given.shown()


async def test_a_closed_source_withdraws_the_answer_everywhere(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    assert QUOTED in given.shown()
    assert len(given.slack.shown) == 2  # the answer and its citations
    await given.close("case", OTHERS)
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert await text_kept(given, run_id) == ""
    (notice,) = given.slack.shown.values()
    assert "撤回" in notice.text
    assert "case" not in given.shown()
    assert notice.blocks[-1]["elements"][0]["value"] == run_id


async def test_what_is_kept_is_emptied_before_slack_can_be_told(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.close("case")
    await given.work(but="withdraw")
    assert await given.standing(run_id) == ("withdrawn", False)
    assert await text_kept(given, run_id) == ""


async def test_a_guest_who_joins_takes_away_what_only_full_members_may_read(given: Given) -> None:
    await given.learn("case", CASE, WORKSPACE)
    await given.learn("own", "木地板由北林建材供货。", HERE)
    lost, kept = await given.give(QUESTION), await given.give("木地板由谁供货？", ts="1.2")
    await rows.add_person(given.pool, "G1", is_guest=True)
    await has_joined(given, "G1")
    await given.work()
    assert await given.standing(lost) == ("withdrawn", True)
    assert await given.standing(kept) is None
    assert "北林建材" in given.shown()
    assert QUOTED not in given.shown()


async def test_who_left_another_channel_takes_away_what_it_covered_here(given: Given) -> None:
    await rows.add_conversation(given.pool, "C2", ["U1", "U2"])
    await given.learn("case", CASE, OTHERS)
    run_id = await given.give(QUESTION)
    assert QUOTED in given.shown()
    await has_left(given, "U2", "C2")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)


async def test_a_direct_message_keeps_what_its_person_may_read(given: Given) -> None:
    await rows.add_conversation(given.pool, "D1", ["U1"], kind=ConversationKind.DM)
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION, conversation="D1", kind=ConversationKind.DM)
    await given.living.audience_changed(rows.TEAM, [CHANNEL])
    await given.work()
    assert await given.standing(run_id) is None
    await has_left(given, "U1")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)


async def test_a_newer_version_marks_the_answer_and_a_rollback_takes_the_mark_away(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    before = dict(given.slack.shown)
    await rows.add_version(given.pool, "case", ["防水材料由北林建材供货。"], number=2)
    await given.changed("case")
    await given.work()
    assert await given.standing(run_id) == ("marked", True)
    assert "“case”在此之后有了新版本" in given.shown()
    assert QUOTED in given.shown()
    await rows.publish_version(given.pool, "case-v1")
    await given.changed("case")
    await given.work()
    assert given.slack.shown == before


async def test_a_new_version_of_the_same_bytes_says_nothing_else(given: Given) -> None:
    """An earlier content that is published again comes as a version of its own."""
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await rows.add_version(given.pool, "case", ["防水材料由北林建材供货。"], number=2)
    await given.changed("case")
    await given.work()
    assert await given.standing(run_id) == ("marked", True)
    await rows.add_version(given.pool, "case", [CASE], number=3)
    async with given.pool.connection() as connection:
        await connection.execute("UPDATE versions SET sha256 = 'same' WHERE number <> 2")
    await given.changed("case")
    await given.work()
    assert await given.standing(run_id) == ("stands", True)
    assert "新版本" not in given.shown()


async def test_what_is_superseded_and_then_closed_is_withdrawn(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await rows.add_version(given.pool, "case", ["防水材料由北林建材供货。"], number=2)
    await given.close("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert "新版本" not in given.shown()


async def test_a_mark_that_was_decided_before_a_withdrawal_changes_nothing_after_it(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await rows.add_version(given.pool, "case", ["防水材料由北林建材供货。"], number=2)
    (verdict,) = await given.living._verdicts(Place(rows.TEAM, CHANNEL, ""))
    await given.close("case")
    await given.work()
    await given.living._mark([verdict])
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)


async def test_a_deletion_waits_for_nobody(given: Given) -> None:
    """Nothing is known of the readers, but that does not matter."""
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    async with given.pool.connection() as connection:
        await connection.execute("UPDATE conversations SET members_confirmed_at = NULL")
    await rows.mark_deleted(given.pool, "case")
    await given.changed("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert sum(given.paused) == 0


async def test_rights_that_stay_unknown_withdraw_after_half_a_minute(given: Given) -> None:
    await given.learn("case", CASE, WORKSPACE)
    run_id = await given.give(QUESTION)
    async with given.pool.connection() as connection:
        await connection.execute("UPDATE conversations SET members_confirmed_at = NULL")
    await given.living.audience_changed(rows.TEAM, [CHANNEL])
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert sum(given.paused) == 30


async def test_rights_that_become_known_in_time_leave_the_answer_alone(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    await given.learn("case", CASE, WORKSPACE)
    run_id = await given.give(QUESTION)
    async with given.pool.connection() as connection:
        await connection.execute("UPDATE conversations SET members_confirmed_at = NULL")

    async def known_after_a_while(seconds: float) -> None:
        given.paused.append(seconds)
        if sum(given.paused) >= 3:
            async with given.pool.connection() as connection:
                await connection.execute("UPDATE conversations SET members_confirmed_at = %s", (rows.NOW,))

    monkeypatch.setattr(given.living, "_sleep", known_after_a_while)
    await given.living.audience_changed(rows.TEAM, [CHANNEL])
    await given.work()
    assert await given.standing(run_id) is None
    assert QUOTED in given.shown()


async def test_it_is_the_same_when_everything_happens_twice(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.close("case")
    done = await given.work()
    edits = len(given.slack.edits)
    for name, arguments in done:
        async with given.pool.connection() as connection, connection.transaction():
            await given.jobs.enqueue(connection, name, **arguments)
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert len(given.slack.edits) == edits
    async with given.pool.connection() as connection:
        noted = await (
            await connection.execute("SELECT run_id, details FROM audit WHERE action = 'redaction'")
        ).fetchall()
    assert noted == [(run_id, {"reason": "not_readable_by_all"})]


async def test_jobs_hold_ids_alone(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.close("case")
    done = await given.work()
    assert [arguments for _, arguments in done] == [
        {"document": "case"},
        {"team": rows.TEAM, "conversation": CHANNEL, "reader": ""},
        {"run_id": run_id},
    ]


async def test_a_message_that_somebody_deleted_is_fine(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    given.slack.shown.clear()
    await given.close("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)


async def test_slacks_wishes_are_waited_out(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    given.slack.fail("edit", RateLimited(method="chat.update", retry_after=7))
    given.slack.fail("delete", RateLimited(method="chat.delete", retry_after=7))
    await given.close("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert given.time.now >= 7


async def test_what_can_not_be_edited_is_taken_away_and_the_notice_is_posted(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    given.slack.fail("edit", NotEditable("edit_window_closed"))
    await given.close("case")
    await given.work()
    (notice,) = given.slack.shown.values()
    assert "撤回" in notice.text
    assert await given.runs.ask_again(run_id, by="U2")


async def test_where_the_bot_is_not_it_is_shown_when_it_is_back(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    given.slack.fail("edit", Gone("not_in_channel"))
    await given.close("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", False)
    await given.living.audience_changed(rows.TEAM, [CHANNEL])
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)


async def test_a_restart_goes_on_with_what_slack_does_not_show_yet(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.close("case")
    given.slack.fail("delete", Unreachable("timeout"))
    with pytest.raises(Unreachable):
        await given.work()
    assert QUOTED not in given.shown()
    given.restart()
    await given.living.show_waiting(rows.TEAM)
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert len(given.slack.shown) == 1


async def test_a_database_that_goes_leaves_nothing_half_decided(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    await given.close("case")

    async def breaks(*_: object, **__: object) -> None:
        raise OperationalError("gone")

    noted, given.living._audit = given.living._audit, type("Broken", (), {"note": breaks})()
    with pytest.raises(OperationalError):
        await given.work()
    assert await given.standing(run_id) is None
    assert QUOTED in await text_kept(given, run_id)
    given.living._audit = noted
    await given.changed("case")
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
