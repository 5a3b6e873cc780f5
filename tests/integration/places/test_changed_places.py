"""What happens to a conversation, or to nobody's knowledge, changes who may read the files in it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.file_sweep import FileSweep
from tests.integration.places.conftest import World, now


async def test_a_channel_that_becomes_private_closes_its_files_to_the_others(places: World) -> None:
    mei, sales = places.person("mei"), places.channel("sales")
    file, _ = await places.upload("mei", sales)
    other, _ = await places.upload("mei", sales, name="other.txt")
    await mei.act("share_file", file=other, conversation=places.channel("general"))
    assert await places.settled(file) == places.open_to("sales", everyone=True)
    await mei.act("make_private", conversation=sales)
    assert await places.settled(file) == places.open_to("sales")
    assert await places.settled(other) == places.open_to("sales", "general", everyone=True)


async def test_where_the_bot_is_no_more_its_files_are_open_no_longer(places: World) -> None:
    """slack.md, Identity and access: after it leaves, its view is stale: fail closed."""
    mei, sales, prices = places.person("mei"), places.channel("sales"), places.channel("prices")
    file, _ = await places.upload("mei", sales)
    await mei.act("share_file", file=file, conversation=prices)
    await mei.act("kick", conversation=sales, user=places.bot)
    assert await places.settled(file) == places.open_to("prices")
    await mei.act("kick", conversation=prices, user=places.bot)
    assert await places.settled(file) == set()


async def test_where_the_bot_comes_files_that_it_knows_are_open_too(places: World) -> None:
    mei, lobby = places.person("mei"), places.channel("lobby")
    file, _ = await places.upload("mei", places.channel("prices"))
    await mei.act("share_file", file=file, conversation=lobby)
    assert await places.settled(file) == places.open_to("prices")
    unknown, _ = await mei.upload(lobby, "unknown.txt", b"unknown")
    await mei.act("invite", conversation=lobby, user=places.bot)
    assert await places.settled(file) == places.open_to("prices", "lobby", everyone=True)
    assert await places.document(unknown) is None


async def test_what_no_event_told_is_found_by_the_sweep(places: World) -> None:
    mei, sales, prices = places.person("mei"), places.channel("sales"), places.channel("prices")
    file, ts = await places.upload("mei", sales)
    await mei.act("share_file", file=file, conversation=prices)
    assert await places.settled(file) == places.open_to("sales", "prices", everyone=True)
    await mei.act("faults", lose=True)
    await mei.delete(sales, ts)
    assert await places.settled(file) == places.open_to("sales", "prices", everyone=True)
    sweep = FileSweep(pool=places.bench.pool, look_again=places.uploads.places_changed, clock=now)
    assert await sweep.sweep(places.team, before=now() - timedelta(days=1)) == []
    assert await sweep.sweep(places.team, before=now()) == [file]
    assert await places.settled(file) == places.open_to("prices")


async def test_the_sweep_takes_each_file_once_after_a_start_and_then_by_its_age(places: World) -> None:
    file, _ = await places.upload("mei", places.channel("prices"))
    taken: list[str] = []
    later, pauses = now() + timedelta(minutes=1), 0

    async def look_again(*, team: str, file_id: str) -> None:
        taken.append(file_id)

    async def sleep(seconds: float) -> None:
        nonlocal later, pauses
        pauses += 1
        later += timedelta(seconds=seconds)
        if pauses == 3:
            assert taken == [file]
            later += timedelta(days=1)
        if pauses == 5:
            raise asyncio.CancelledError

    sweep = FileSweep(pool=places.bench.pool, look_again=look_again, clock=lambda: later, sleep=sleep)
    with pytest.raises(asyncio.CancelledError):
        await sweep.keep_fresh(places.team, every=timedelta(days=1))
    assert taken == [file, file]


@pytest.mark.parametrize("seed", range(2))
async def test_events_in_any_order_late_and_twice_end_where_the_file_is(places: World, seed: int) -> None:
    """slack.md, Limits: the same message can arrive up to 11 times, under different event ids."""
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    mei, workspace = places.person("mei"), places.sandbox.context.workspace
    rooms = [places.channel(name) for name in ("general", "sales", "prices")]
    for name in ("one", "two"):
        made = await mei.act("create", kind="private", name=name, members=[places.bot])
        rooms.append(made["conversation"]["id"])
    file, _ = await places.upload("mei", rooms[0])
    await mei.act("faults", hold=True)
    for _ in range(8):
        shares = workspace.files[file].shares
        if shares and chance.random() < 0.45:
            share = chance.choice(shares)
            await mei.delete(share.conversation, share.ts)
        else:
            await mei.act("share_file", file=file, conversation=chance.choice(rooms), text="look")
    places.sandbox.context.delivery.let_go(lambda held: _shuffle_and_double(held, chance))
    found = await places.settled(file)
    stands = {share.conversation for share in workspace.files[file].shares}
    is_public = any(workspace.conversations[place].kind == "public" for place in stands)
    assert found == places.open_to(*stands, everyone=is_public)


def _shuffle_and_double(held: list[dict[str, object]], chance: random.Random) -> None:
    held += chance.sample(held, len(held) // 2)
    held += [{**one, "event_id": f"Ev{number}"} for number, one in enumerate(held[:3])]
    chance.shuffle(held)


async def test_a_message_of_a_bot_is_a_place_too(places: World) -> None:
    """A file that another app shares is not learnt by that, but where it shows it it is open."""
    mei, prices = places.person("mei"), places.channel("prices")
    file, _ = await places.upload("mei", prices)
    workspace = places.sandbox.context.workspace
    helper = workspace.save_person(replace(workspace.add_person("helper", real_name="Helper"), is_bot=True))
    room = (await mei.act("create", kind="private", name="one", members=[places.bot, helper.id]))["conversation"]["id"]
    places.sandbox.context.uploads.share(workspace.files[file], helper, workspace.conversations[room])
    for name in ("two", "three"):
        made = await mei.act("create", kind="private", name=name, members=[places.bot])
        await mei.act("share_file", file=file, conversation=made["conversation"]["id"])
    assert await places.settled(file) == places.open_to("prices", "one", "two", "three")
