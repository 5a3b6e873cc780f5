"""A mutant: one check of permissions taken away, and the tests that must notice."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path


class Misplaced(Exception):
    """What a mutant changes is not there exactly once: the code has moved, and the mutant must follow it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """``old`` stands exactly once within ``where`` of ``file``: the name of a constant, a function, or Class.method.

    ``killers`` are pytest's names of tests, the narrowest that fail when ``new`` takes the place of ``old``.
    """

    check: str
    file: str
    where: str
    old: str
    new: str
    killers: tuple[str, ...]

    def applied(self, source: str) -> str:
        """The source with the check taken away. Raises Misplaced."""
        start, end = _span(source, self.where)
        part = source[start:end]
        if part.count(self.old) != 1:
            raise Misplaced(f"{self.file}, {self.where}: {part.count(self.old)} times {self.old!r}")
        changed = source[:start] + part.replace(self.old, self.new) + source[end:]
        try:
            ast.parse(changed)
        except SyntaxError as error:
            raise Misplaced(f"{self.file}, {self.where}: {self.new!r} does not fit there: {error.msg}") from error
        return changed

    def apply(self, root: Path) -> str:
        """Change the file under ``root``; returns what it was. Raises Misplaced."""
        path = root / self.file
        if not path.is_file():
            raise Misplaced(f"{self.file} is not there")
        source = path.read_text(encoding="utf-8")
        path.write_text(self.applied(source), encoding="utf-8")
        return source


def _span(source: str, where: str) -> tuple[int, int]:
    """From where to where the named thing stands in the source."""
    body: list[ast.stmt] = ast.parse(source).body
    node: ast.stmt | None = None
    for name in where.split("."):
        node = next((one for one in body if _name(one) == name), None)
        if node is None:
            raise Misplaced(f"there is no {where}")
        body = getattr(node, "body", [])
    assert node is not None
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts[node.lineno - 1], starts[node.end_lineno or node.lineno]


def _name(node: ast.stmt) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None
