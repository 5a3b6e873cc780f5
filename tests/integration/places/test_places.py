"""slack.md, Files: who may see a file is the union of where it is shared, and follows every event about that."""

from __future__ import annotations

from dataclasses import replace

from tests.integration.places.conftest import MOST_SHARES, World


async def test_a_file_is_open_to_whoever_reads_the_places_where_it_is_shared(places: World) -> None:
    mei, prices, sales = places.person("mei"), places.channel("prices"), places.channel("sales")
    file, _ = await places.upload("mei", prices)
    assert await places.settled(file) == places.open_to("prices")
    await mei.act("share_file", file=file, conversation=sales)
    assert await places.settled(file) == places.open_to("prices", "sales", everyone=True)
    await mei.act("unshare_file", file=file, conversation=sales)
    assert await places.settled(file) == places.open_to("prices")


async def test_a_file_in_a_thread_is_open_like_one_in_the_channel(places: World) -> None:
    mei, prices = places.person("mei"), places.channel("prices")
    root = await mei.post(prices, "about the plan")
    file, _ = await mei.upload(prices, "plan.txt", b"the plan", thread_ts=root)
    await places.published(file)
    assert await places.settled(file) == places.open_to("prices")
    await mei.delete(prices, root)  # the thread stays, its first message leaves a tombstone
    await mei.post(prices, "still here", thread_ts=root)
    assert await places.settled(file) == places.open_to("prices")


async def test_a_direct_message_with_the_bot_opens_a_file_to_its_person_whoever_uploaded_it(places: World) -> None:
    mei, tom, sales = places.person("mei"), places.person("tom"), places.channel("sales")
    file, _ = await places.upload("mei", sales)
    room = await tom.open(places.bot)
    await tom.act("share_file", file=file, conversation=room)
    assert await places.settled(file) == places.open_to("sales", everyone=True, people=("tom",))
    await mei.act("unshare_file", file=file, conversation=sales)
    assert await places.settled(file) == places.open_to(people=("tom",))


async def test_a_direct_message_of_two_people_opens_nothing_and_a_group_dm_itself(places: World) -> None:
    mei, tom, gus = (places.person(name) for name in ("mei", "tom", "gus"))
    file, _ = await places.upload("mei", places.channel("prices"))
    pair = await mei.open(tom.id)
    await mei.act("share_file", file=file, conversation=pair)
    group = await mei.open(gus.id, places.bot)
    await mei.act("share_file", file=file, conversation=group)
    assert await places.settled(file) == places.open_to("prices", group)


async def test_beyond_slacks_list_a_message_that_was_seen_and_stands_counts(places: World) -> None:
    """slack.md, Files: beware `has_more_shares`."""
    mei, prices = places.person("mei"), places.channel("prices")
    file, _ = await places.upload("mei", prices)
    for name in ("one", "two", "three"):
        room = (await mei.act("create", kind="private", name=name, members=[places.bot]))["conversation"]["id"]
        await mei.act("share_file", file=file, conversation=room)
    info = await places.files.info(places.team, file)
    assert (len(info.shares), info.has_more_shares) == (MOST_SHARES, True)
    assert await places.settled(file) == places.open_to("prices", "one", "two", "three")


async def test_beyond_slacks_list_a_message_that_is_gone_does_not_count(places: World) -> None:
    mei, prices = places.person("mei"), places.channel("prices")
    file, ts = await places.upload("mei", prices)
    for name in ("one", "two", "three"):
        room = (await mei.act("create", kind="private", name=name, members=[places.bot]))["conversation"]["id"]
        await mei.act("share_file", file=file, conversation=room)
    assert await places.settled(file) == places.open_to("prices", "one", "two", "three")
    # Nobody told the bot: as if its events had been lost.
    workspace = places.sandbox.context.workspace
    known = workspace.files[file]
    workspace.save_file(replace(known, shares=tuple(share for share in known.shares if share.ts != ts)))
    workspace.drop_message(prices, ts)
    await places.uploads.places_changed(team=places.team, file_id=file)
    assert await places.settled(file) == places.open_to("one", "two", "three")


async def test_a_place_that_cannot_be_looked_at_does_not_count(places: World) -> None:
    mei, prices = places.person("mei"), places.channel("prices")
    file, _ = await places.upload("mei", prices)
    for name in ("one", "two"):
        room = (await mei.act("create", kind="private", name=name, members=[places.bot]))["conversation"]["id"]
        await mei.act("share_file", file=file, conversation=room)
    assert await places.settled(file) == places.open_to("prices", "one", "two")
    await mei.act("faults", revoke_scope="groups:history")
    await places.uploads.places_changed(team=places.team, file_id=file)
    assert await places.settled(file) == places.open_to("one", "two")


async def test_a_deleted_message_takes_its_place_along(places: World) -> None:
    mei, prices, sales = places.person("mei"), places.channel("prices"), places.channel("sales")
    file, ts = await places.upload("mei", sales)
    await mei.act("share_file", file=file, conversation=prices)
    assert await places.settled(file) == places.open_to("prices", "sales", everyone=True)
    await mei.delete(sales, ts)
    assert await places.settled(file) == places.open_to("prices")


async def test_one_of_two_messages_in_a_place_may_go(places: World) -> None:
    mei, prices = places.person("mei"), places.channel("prices")
    file, ts = await places.upload("mei", prices)
    await mei.act("share_file", file=file, conversation=prices)
    await mei.delete(prices, ts)
    assert await places.settled(file) == places.open_to("prices")


async def test_a_deleted_file_is_forgotten_with_its_places(places: World) -> None:
    file, _ = await places.upload("mei", places.channel("prices"))
    await places.person("mei").act("delete_file", file=file)
    assert await places.settled(file) is None
    assert await places.shares.of(team=places.team, file_id=file) == []


async def test_a_strangers_file_in_a_shared_channel_is_open_there(places: World) -> None:
    """slack.md, Files: Slack Connect stub `check_file_info`."""
    mei, sales = places.person("mei"), places.channel("sales")
    hired = await mei.act("person", name="ann", is_stranger=True, home_team="T0OTHER")
    await mei.act("invite", conversation=sales, user=hired["user"]["id"])
    file, _ = await places.upload("ann", sales)
    assert await places.settled(file) == places.open_to("sales", everyone=True)
