"""Runs pytest again and again without importing everybody else's packages again: what is ours is read anew each time.

Reads requests from stdin, one JSON object a line (``root``, ``killers``, ``log``), and answers each with the exit code.
Started in a copy of the tree, as ``python -m tests.mutations.host``.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

PACKAGES = ("bot", "handlers", "ingest", "permissions", "retrieval", "tests")
OPTIONS = ("-x", "-q", "--tb=line", "-p", "no:cacheprovider", "--timeout=120", "-W")
ELSEWHERE = 71

WARNINGS = "ignore::pytest.PytestAssertRewriteWarning"
"""Plugins are imported before pytest could rewrite them, which concerns their own assertions alone."""


def warm_up() -> None:
    """Import what the tests need, and forget our own part of it."""
    __import__("bot.service")
    __import__("tests.conftest")
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES and name != __name__]:
        del sys.modules[name]


def run(request: dict[str, Any]) -> int:
    """pytest in a tree of its own, in a process of its own; its exit code."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 70
    try:
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(request["root"])
        sys.path.insert(0, request["root"])
        code = _checked(request["root"], __import__("pytest").main([*OPTIONS, WARNINGS, *request["killers"]]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))


def _checked(root: str, code: int) -> int:
    """The code, unless what was tested is not what stands in ``root``."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in PACKAGES and name != __name__]
    strange = [
        path for path in (getattr(module, "__file__", None) for module in ours) if path and not path.startswith(root)
    ]
    if strange:
        print(f"tested from elsewhere: {strange[:3]}")
    return ELSEWHERE if strange else code


def main() -> None:
    sys.dont_write_bytecode = True
    warm_up()
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path.cwd()]
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
