"""Fills a fresh workspace with the sample company: people and channels at once, files as people upload them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from bot.sandbox.context import Context
from bot.sandbox.samples import Samples

CHUNK = 2**16


def furnish(context: Context, samples: Samples) -> bool:
    """People and channels, the bot in every channel. Nobody is told: they were there before the app came.

    Returns False, and does nothing, in a workspace that has people already.
    """
    workspace = context.workspace
    if len(workspace.people) > 1:
        return False
    ids = {
        one.name: workspace.add_person(
            one.name, real_name=one.real_name, is_guest=one.is_guest, is_admin=one.is_admin, locale=one.locale
        ).id
        for one in samples.people
    }
    for channel in samples.channels:
        members = (*(ids[name] for name in channel.members), workspace.app.user)
        made = workspace.add_conversation(channel.kind, name=channel.name, members=members)
        workspace.save_conversation(replace(made, topic=channel.topic))
    return True


async def upload(context: Context, samples: Samples) -> None:
    """The sample files, one after another, each by its person into its channel: the bot hears of them by events.

    Those that were there once are left alone, so that an interrupted start is taken up again.
    """
    there = {file.name for file in context.workspace.files.values() if file.shares or file.deleted}
    for sample in samples.files:
        if sample.name in there:
            continue
        person = context.workspace.find_person(sample.by)
        channel = context.workspace.find_channel(sample.channel)
        if person is None or channel is None:
            raise LookupError(f"{sample.name}: no {sample.by} or no channel {sample.channel} in the workspace")
        file = context.uploads.announce(person, name=sample.name)
        file = await context.uploads.receive(file, _chunks(sample.path))
        context.uploads.share(file, person, channel, text=sample.comment)


async def seed(context: Context, samples: Samples) -> bool:
    """Both of the above, in a fresh workspace or one that was seeded before. Returns whether it was fresh."""
    fresh = furnish(context, samples)
    if all(context.workspace.find_person(one.name) for one in samples.people):
        await upload(context, samples)
    return fresh


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    source = await asyncio.to_thread(path.open, "rb")
    try:
        while chunk := await asyncio.to_thread(source.read, CHUNK):
            yield chunk
    finally:
        await asyncio.to_thread(source.close)
