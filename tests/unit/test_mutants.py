"""A mutant whose place has moved fails loudly; that each is killed is what ``python -m tests.mutations`` shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutations.model import Misplaced, Mutant
from tests.mutations.mutants import ALL

ROOT = Path(__file__).parents[2]
SOURCE = """LIMIT = 1


class A:
    def f(self):
        if x:
            return 1
        if x:
            return 2
"""


def mutant(where: str, old: str, new: str = "") -> Mutant:
    return Mutant("a check", "a.py", where, old, new, ("t",))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.check)
def test_every_check_is_where_its_mutant_looks_for_it(one: Mutant) -> None:
    source = (ROOT / one.file).read_text(encoding="utf-8")
    assert one.applied(source) != source
    assert all((ROOT / killer.partition("::")[0]).is_file() for killer in one.killers)


def test_each_check_is_taken_away_once() -> None:
    assert len({(one.file, one.where, one.old, one.new) for one in ALL}) == len(ALL) == len({one.check for one in ALL})


def test_a_mutant_changes_what_it_names_alone() -> None:
    assert mutant("A.f", "return 1", "return 3").applied(SOURCE) == SOURCE.replace("return 1", "return 3")
    assert mutant("LIMIT", "1", "2").applied(SOURCE) == SOURCE.replace("LIMIT = 1", "LIMIT = 2")


@pytest.mark.parametrize(
    ("where", "old", "new"),
    [
        ("A.f", "if x:", "if y:"),  # twice
        ("A.f", "return 9", ""),
        ("LIMIT", "return 1", ""),  # elsewhere
        ("A.g", "return 1", ""),
        ("B", "return 1", ""),
        ("A.f", "return 1", "return ("),
    ],
)
def test_a_check_that_is_not_there_once_is_an_error(where: str, old: str, new: str) -> None:
    with pytest.raises(Misplaced):
        mutant(where, old, new).applied(SOURCE)
