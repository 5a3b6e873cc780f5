"""The demo workspace is whole: what it names exists, and what must stay apart does."""

from __future__ import annotations

import av
import pytest

from bot.sandbox.samples import Samples, load

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def samples() -> Samples:
    return load()


def test_every_file_is_there_and_small(samples: Samples) -> None:
    for item in (*samples.files, *samples.voices):
        assert 0 < item.path.stat().st_size < 2 * MEGABYTE, item.path


def test_everybody_named_somewhere_is_a_person(samples: Samples) -> None:
    people = {person.name for person in samples.people}
    for channel in samples.channels:
        assert set(channel.members) <= people, channel.name
    assert {voice.by for voice in samples.voices} <= people


def test_files_are_shared_by_members_of_their_channel(samples: Samples) -> None:
    members = {channel.name: channel.members for channel in samples.channels}
    for file in samples.files:
        assert file.by in members[file.channel], file.name


def test_names_are_unique(samples: Samples) -> None:
    for names in (
        [p.name for p in samples.people],
        [c.name for c in samples.channels],
        [f.name for f in samples.files],
    ):
        assert len(set(names)) == len(names)


def test_the_price_list_is_in_the_private_channel_and_no_seller_is(samples: Samples) -> None:
    prices = samples.file("price-list-2026.xlsx")
    private = next(channel for channel in samples.channels if channel.name == prices.channel)
    assert private.kind == "private"
    assert not {"chen.yu", "emma.clark"} & set(private.members)


def test_somebody_is_in_sales_and_in_the_private_channel(samples: Samples) -> None:
    """Who may see the prices there must still not be shown them in sales."""
    members = {channel.name: set(channel.members) for channel in samples.channels}
    assert members["sales"] & members["price-office"]


def test_both_languages_and_a_guest_are_there(samples: Samples) -> None:
    assert {person.locale[:2] for person in samples.people} == {"zh", "en"}
    assert [person.name for person in samples.people if person.is_guest]
    assert {voice.language for voice in samples.voices} == {"zh", "en"}


def test_an_unknown_file_is_a_key_error(samples: Samples) -> None:
    with pytest.raises(KeyError):
        samples.file("nothing.txt")


def test_the_video_is_a_minute_at_most_with_pictures_and_sound(samples: Samples) -> None:
    with av.open(str(samples.file("after-sales-training.mp4").path)) as video:
        assert video.duration is not None
        assert 30 < video.duration / av.time_base <= 60
        assert {stream.type for stream in video.streams} == {"video", "audio"}
