"""Rules that hold for the whole source: who makes a scope, and that nothing is searched without one."""

from __future__ import annotations

import ast
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

import retrieval.ports
from permissions.model import AccessScope

ROOT = Path(__file__).parents[3]
PACKAGES = ("bot", "handlers", "ingest", "retrieval", "permissions")
MAKERS = {Path("permissions/scopes.py")}
SEARCH_PORTS = ("VectorSearch", "FullTextSearch", "Passages")


def makes_a_scope(source: str) -> bool:
    """Whether the source calls AccessScope, replaces fields of a scope, or takes the key that lets it be made."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom | ast.Import) and any(name.name == "_ISSUED_HERE" for name in node.names):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "_ISSUED_HERE":
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name == "AccessScope" or (name == "replace" and "scope" in ast.unparse(node.args[:1])):
                return True
    return False


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def methods_without_scope(port: type) -> list[str]:
    """Names of methods of a port whose first argument is not an AccessScope."""
    found = []
    for name, method in inspect.getmembers(port, inspect.isfunction):
        if name.startswith("_"):
            continue
        parameters = list(inspect.signature(method).parameters)[1:]
        hints = typing.get_type_hints(method)
        if not parameters or hints.get(parameters[0]) is not AccessScope:
            found.append(name)
    return found


def test_only_permissions_makes_scopes() -> None:
    makers = {path.relative_to(ROOT) for path in sources() if makes_a_scope(path.read_text(encoding="utf-8"))}
    assert makers - {Path("permissions/model.py")} == MAKERS


@pytest.mark.parametrize("port", SEARCH_PORTS)
def test_every_search_takes_a_scope_first(port: str) -> None:
    assert methods_without_scope(getattr(retrieval.ports, port)) == []


@pytest.mark.parametrize(
    "source",
    [
        "AccessScope(team='T')",
        "model.AccessScope(team='T')",
        "from permissions.model import _ISSUED_HERE",
        "key = permissions.model._ISSUED_HERE",
        "replace(scope, principals=more)",
        "dataclasses.replace(self.scope, principals=more)",
    ],
)
def test_the_rule_sees_a_scope_being_made(source: str) -> None:
    assert makes_a_scope(source)


@pytest.mark.parametrize("source", ["def f(scope: AccessScope) -> None: ...", "text.replace(a, b)"])
def test_the_rule_leaves_the_rest_alone(source: str) -> None:
    assert not makes_a_scope(source)


def test_the_rule_sees_a_search_without_scope() -> None:
    class Careless:
        async def nearest(self, query: str, scope: AccessScope) -> None: ...

        async def load(self, scope: AccessScope) -> None: ...

    assert methods_without_scope(Careless) == ["nearest"]
