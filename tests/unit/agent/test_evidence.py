"""Freezing of evidence."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from bot.answers.evidence import Chosen, freeze
from retrieval.model import Passage
from tests.unit.agent.toys import passage

PASSAGES = [passage(f"Sentence {n}. More of {n}.", chunk=f"c{n}", title=f"t{n}") for n in range(4)]


@given(st.lists(st.sampled_from(PASSAGES), max_size=12))
def test_one_number_for_each_passage_in_the_order_of_first_use(used: list[Passage]) -> None:
    evidence = freeze([Chosen(item, 0, 5) for item in used], run_id="r").evidence
    assert [item.chunk_id for item in evidence] == list(dict.fromkeys(item.chunk_id for item in used))
    assert [item.number for item in evidence] == list(range(1, len(evidence) + 1))


def test_the_excerpt_reaches_from_the_first_chosen_character_to_the_last() -> None:
    item = passage("One. Two. Three. Four.")
    [evidence] = freeze([Chosen(item, 10, 16), Chosen(item, 5, 9)], run_id="r").evidence
    assert evidence.excerpt == "Two. Three."
    assert evidence.sha256 == hashlib.sha256(b"Two. Three.").hexdigest()


def test_ids_differ_from_run_to_run() -> None:
    one, other = (freeze([Chosen(PASSAGES[0], 0, 5)], run_id="r") for _ in range(2))
    assert one.evidence[0].evidence_id != other.evidence[0].evidence_id


def test_a_number_is_looked_up_in_the_set_alone() -> None:
    frozen = freeze([Chosen(PASSAGES[0], 0, 5)], run_id="r")
    assert frozen.by_number(1) == frozen.evidence[0]
    assert frozen.by_number(2) is None
