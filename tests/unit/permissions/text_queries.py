"""Finds the queries that can return text of documents, and says which of them are not bound to an AccessScope.

A query is any string of the source that reads as SQL, however it is put together: literals, f-strings, concatenation,
``str.join`` and ``str.format``, over names of the module and imported ones. What can't be read counts as the worst. A
query is bound when the function that names it takes an AccessScope (or asks a builder for one) and the statement
filters by the ``principals``. Stored fields of the full-text index are reached by ``searcher.doc`` alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

TEXT_COLUMNS: Mapping[str, frozenset[str]] = {
    "chunks": frozenset({"text", "context"}),
    "units": frozenset({"text", "blocks"}),
    "evidence": frozenset({"excerpt", "title"}),
    "runs": frozenset({"answer"}),
    "documents": frozenset({"title"}),
    "posts": frozenset({"content"}),
}
"""What holds text of documents, by table."""

UNKNOWN = "\ufffd"
"""Stands for a part of a statement that the source alone does not tell."""

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_ARGUMENT = re.compile(r"%\(\w+\)[sbt]")
_FILLED = re.compile(r"\{[^{}]*\}")
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_CAST = re.compile(r"::\s*\w+|\bAS\s+text\b", re.IGNORECASE)
_TABLE = re.compile(rf"\b(?:from|join|update|into|using|only|table|copy)\s+\"?(\w+|{UNKNOWN})", re.IGNORECASE)
_STATEMENT = re.compile(r"\b(?:select\b.*\bfrom|returning|copy|table)\b", re.IGNORECASE | re.DOTALL)
_OUTPUT = re.compile(r"\b(?:select|returning|copy|table)\b", re.IGNORECASE)
_ALIAS = re.compile(r"\b(?:from|join|update|into)\s+(\w+)(?:\s+as)?(?:\s+(?!where|on|using|set)(\w+))?", re.IGNORECASE)
_INNER = re.compile(r"\(\s*(?:select|with)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bcount\s*\(\s*\*\s*\)", re.IGNORECASE)
_NAMED = re.compile(r"\bAS\s+\w+", re.IGNORECASE)
# The last part of a name: `chunk` of `chunk.text` is no row.
_NAME = re.compile(r"\w+\b(?!\s*[.(])")
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


def returns_text(statement: str) -> bool:
    """Whether the SQL can return, or copy, a column that holds text of documents."""
    plain = _ARGUMENT.sub("?", _QUOTED.sub("''", _COMMENT.sub(" ", statement)))
    plain = _FILLED.sub(UNKNOWN, _CAST.sub(" ", plain))
    # What a statement begins with decides what it does.
    is_unknown = plain.lstrip().startswith(UNKNOWN)
    if not is_unknown and not _STATEMENT.search(plain):
        return False
    tables = {name.lower() for name in _TABLE.findall(plain)}
    if UNKNOWN in tables:
        tables |= TEXT_COLUMNS.keys()
    columns = {column for table in tables for column in TEXT_COLUMNS.get(table, ())}
    named = _ALIAS.findall(plain)
    rows = {name.lower() for table, alias in named if table.lower() in TEXT_COLUMNS for name in (table, alias)}
    return bool(columns) and (is_unknown or any(_names(output, columns, rows) for output in _outputs(plain)))


def _outputs(plain: str) -> Iterator[str]:
    """What each SELECT and RETURNING gives: up to its own FROM, those of queries inside it left alone."""
    for start in _OUTPUT.finditer(plain):
        depth, end = 0, len(plain)
        for position in range(start.end(), len(plain)):
            depth += {"(": 1, ")": -1}.get(plain[position], 0)
            if depth < 0 or (depth == 0 and _FROM.match(plain, position)):
                end = position
                break
        yield plain[start.end() : end]


def _names(output: str, columns: set[str], rows: set[str]) -> bool:
    """Whether a list of outputs names one of the columns, or gives a row whole: by a star, or by its table's name."""
    own = _NAMED.sub(" ", _COUNT.sub(" ", _without_queries(output)))
    names = {name.lower() for name in _NAME.findall(own)}
    return UNKNOWN in own or "*" in own or bool(names & (columns | rows))


def _without_queries(output: str) -> str:
    """The queries inside are looked at by themselves."""
    while inner := _INNER.search(output):
        depth, end = 1, inner.end()
        while depth and end < len(output):
            depth += {"(": 1, ")": -1}.get(output[end], 0)
            end += 1
        output = output[: inner.start()] + output[end:]
    return output


@dataclass(frozen=True, slots=True)
class Violation:
    """A query in ``function`` (``package.module:Class.function``); ``name`` is the constant, or ``a literal``."""

    function: str
    name: str
    why: str


@dataclass(slots=True)
class Module:
    """One file: its strings by their names, and where names of other files come from."""

    name: str
    tree: ast.Module
    strings: dict[str, ast.expr] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module or "", alias.name)
            elif isinstance(node, ast.Import):
                self.modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        for statement in self.tree.body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self.strings[name] = value


class Sources:
    """The whole source. ``violations()`` are the queries for text that no scope binds."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        """``sources``: text by module name."""
        self._modules = {name: Module(name, ast.parse(text)) for name, text in sources.items()}

    def violations(self) -> list[Violation]:
        return [found for module in self._modules.values() for found in _Visitor(self, module).run()]

    def named(self, module: Module, node: ast.expr) -> tuple[Module, ast.expr] | None:
        """What a name of a module's top level stands for, wherever it was written."""
        if isinstance(node, ast.Name):
            if node.id in module.strings:
                return module, module.strings[node.id]
            origin, name = module.imported.get(node.id, ("", ""))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            package, leaf = module.imported.get(node.value.id, ("", ""))
            origin = module.modules.get(node.value.id) or (f"{package}.{leaf}" if package else "")
            name = node.attr
        else:
            return None
        home = self._modules.get(origin)
        return (home, home.strings[name]) if home is not None and name in home.strings else None

    def text(  # noqa: PLR0911 - one for each way of writing a string
        self, module: Module, node: ast.expr, local: Mapping[str, ast.expr], depth: int = 0
    ) -> str:
        """The string that an expression makes, UNKNOWN where the source does not tell."""
        if depth > 20:
            return UNKNOWN
        match node:
            case ast.Constant(value=str() as value):
                return value
            case ast.JoinedStr(values=parts):
                return "".join(self.text(module, part, local, depth + 1) for part in parts)
            case ast.FormattedValue(value=value) | ast.Await(value=value):
                return self.text(module, value, local, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.text(module, left, local, depth + 1) + self.text(module, right, local, depth + 1)
            case ast.BinOp(left=left, op=ast.Mod()):
                return re.sub(r"%[sd]", UNKNOWN, self.text(module, left, local, depth + 1))
            case ast.Call(func=ast.Attribute(value=value, attr="format")):
                return self.text(module, value, local, depth + 1)
            case ast.Call(func=ast.Attribute(attr="SQL") | ast.Name(id="SQL"), args=[value]):
                return self.text(module, value, local, depth + 1)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
                return " ; ".join(self.text(module, part, local, depth + 1) for part in parts)
            case ast.Call(func=ast.Attribute(value=value, attr="join"), args=[ast.List() | ast.Tuple() as parts]):
                between = self.text(module, value, local, depth + 1)
                return between.join(self.text(module, part, local, depth + 1) for part in parts.elts)
            case ast.Name(id=name) if name in local:
                return self.text(module, local[name], {}, depth + 1)
        found = self.named(module, node)
        return self.text(*found, {}, depth + 1) if found is not None else UNKNOWN


class _Visitor(ast.NodeVisitor):
    """Walks one module and looks at each string where it is used."""

    def __init__(self, sources: Sources, module: Module) -> None:
        self._sources = sources
        self._module = module
        self._path: list[str] = []
        self._functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._local: dict[str, ast.expr] = {}
        self._found: list[Violation] = []

    def run(self) -> list[Violation]:
        self.visit(self._module.tree)
        return list(dict.fromkeys(self._found))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._path.append("lambda")
        self.generic_visit(node)
        self._path.pop()

    def _inside(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._path.append(node.name)
        if isinstance(node, ast.ClassDef):
            self.generic_visit(node)
        else:
            before, self._local = self._local, self._local | _assigned(node)
            self._functions.append(node)
            self.generic_visit(node)
            self._functions.pop()
            self._local = before
        self._path.pop()

    def visit(self, node: ast.AST) -> None:
        is_stored_read = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "doc"
        if is_stored_read and not self._has_scope():
            self._report("searcher.doc", "reads stored fields of the index without a scope")
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call | ast.Name | ast.Attribute):
            self._look(node)
            if isinstance(node, ast.JoinedStr | ast.BinOp):
                return
        super().visit(node)

    def _look(self, node: ast.expr) -> None:
        is_name = isinstance(node, ast.Name | ast.Attribute)
        if is_name and (not isinstance(node.ctx, ast.Load) or self._sources.named(self._module, node) is None):  # type: ignore[attr-defined]
            return
        # A constant is judged where it is used; those that are made of it are constants of their own.
        if not self._functions and not self._path:
            return
        text = self._sources.text(self._module, node, self._local)
        if returns_text(text):
            self._judge(text, ast.unparse(node) if is_name else "a literal")

    def _judge(self, text: str, name: str) -> None:
        if not self._has_scope():
            self._report(name, "returns text of documents without a scope")
        elif "%(principals)s" not in text:
            self._report(name, "returns text of documents and does not filter by the scope's principals")

    def _report(self, name: str, why: str) -> None:
        self._found.append(Violation(f"{self._module.name}:{'.'.join(self._path)}", name, why))

    def _has_scope(self) -> bool:
        return any(_takes_scope(function) or _builds_scope(function) for function in self._functions)


def _assigned(function: ast.AST) -> dict[str, ast.expr]:
    """Local names that stand for one expression."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    return found


def _takes_scope(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return any(one.annotation is not None and "AccessScope" in ast.unparse(one.annotation) for one in arguments)


def _builds_scope(function: ast.AST) -> bool:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr == "scope" for call in calls)
