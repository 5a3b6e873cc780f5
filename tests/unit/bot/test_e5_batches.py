"""How texts are put into batches for the encoder."""

from hypothesis import given
from hypothesis import strategies as st

from bot.models.e5 import _batches
from bot.models.e5_model import Tokens

lengths = st.lists(st.integers(2, 512), max_size=40)


@given(lengths)
def test_each_text_is_in_one_batch(sizes):
    batches = list(_batches([Tokens(tuple(range(size))) for size in sizes]))
    assert sorted(index for batch in batches for index in batch) == list(range(len(sizes)))


@given(lengths)
def test_a_batch_with_its_padding_has_at_most_512_tokens(sizes):
    for batch in _batches([Tokens(tuple(range(size))) for size in sizes]):
        assert len(batch) * max(sizes[index] for index in batch) <= 512
