"""The house rules that a reader relies on: imports point one way, modules stay small, start-up stays light.

Checked on the syntax tree, so nothing is imported and nothing can be hidden inside a function.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "analyzer"
FILES = sorted(PACKAGE.rglob("*.py"))
MODULE_LINES = 400
FUNCTION_LINES = 60

MAY_IMPORT: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "model": set(),
    "detectors": set(),
    "bundle": {"errors"},
    "rulebook": {"errors", "model"},
    "parsers": {"errors", "model", "rulebook"},
    "ingest": {"errors", "model", "bundle", "rulebook", "parsers"},
    "timeline": {"errors", "model", "parsers", "detectors", "ingest"},
    "reasoning": {"errors", "model", "rulebook", "detectors", "timeline", "version"},
    "report": {"model"},
    "pipeline": {"errors", "model", "bundle", "rulebook", "ingest", "timeline", "reasoning"},
    "explain": {"errors", "parsers", "rulebook"},
    "cli_support": {"errors", "model", "parsers", "ingest", "timeline", "pipeline", "report"},
    "cli": {"errors", "model", "version", "rulebook", "pipeline", "report", "explain", "cli_support"},
    "__init__": {"model", "pipeline", "version"},
    "__main__": {"cli"},
}
"""Who may know whom. Data flows discover -> parse -> timeline -> reason -> report; no arrow points back."""

OFFLINE = {"subprocess", "socket", "urllib", "http", "requests", "ftplib", "smtplib", "asyncio"}
UNREPEATABLE = {"random", "secrets", "uuid"}
EXECUTING = {"pickle", "marshal", "shelve", "importlib"}
HEAVY = {"pandas", "scipy", "rich", "jinja2"}
"""0.2 to 1 s each to import: inside functions only."""
CLOCK_READS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today"), ("time", "time")}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(nodes: Iterator[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            module = node.module or ""
            yield module, node.lineno
            if module in ("analyzer", "scipy"):
                yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def at_import(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The statements that run when the module is imported: no function bodies, nothing for the type checker only."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for inner in (node, *getattr(node, "handlers", [])):
            for part in ("body", "orelse", "finalbody"):
                yield from at_import(getattr(inner, part, []))


def test_every_package_has_its_place() -> None:
    assert {package_of(path) for path in FILES} == set(MAY_IMPORT)


def test_imports_point_one_way() -> None:
    wrong = []
    for path in FILES:
        own = package_of(path)
        for module, line in imported(ast.walk(tree(path))):
            parts = module.split(".")
            if parts[0] == "analyzer" and len(parts) > 1 and parts[1] not in MAY_IMPORT[own] | {own}:
                wrong.append(f"{name_of(path)}:{line}: {own} must not import {module}")
    assert not wrong, "\n".join(wrong)


def test_the_import_table_has_no_circle() -> None:
    done: set[str] = set()
    left = dict(MAY_IMPORT)
    while left:
        free = [name for name, needs in left.items() if needs <= done]
        assert free, f"these import each other: {sorted(left)}"
        done.update(free)
        for name in free:
            del left[name]


def test_modules_stay_small() -> None:
    sizes = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in FILES}
    long = {name: size for name, size in sizes.items() if size > MODULE_LINES}
    assert not long, f"over {MODULE_LINES} lines, does each still hold one thing? {long}"


def test_functions_stay_small() -> None:
    long = []
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > FUNCTION_LINES:
                    long.append(f"{name_of(path)}:{node.lineno} {node.name}: {size} lines")
    assert not long, "\n".join(long)


def test_nothing_reaches_out_or_runs_code() -> None:
    banned = OFFLINE | UNREPEATABLE | EXECUTING
    found = []
    for path in FILES:
        for module, line in imported(ast.walk(tree(path))):
            if module.split(".")[0] in banned:
                found.append(f"{name_of(path)}:{line} imports {module}")
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if (called := node.func.id) in ("print", "eval", "exec", "__import__"):
                found.append(f"{name_of(path)}:{node.lineno} calls {called}()")
    assert not found, "\n".join(found)


def test_no_wall_clock_is_read() -> None:
    found = []
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                spelled = (getattr(owner, "id", getattr(owner, "attr", "")), node.func.attr)
                if spelled in CLOCK_READS:
                    found.append(f"{name_of(path)}:{node.lineno} calls {'.'.join(spelled)}()")
    assert not found, "the same bundle must give the same report:\n" + "\n".join(found)


def test_start_up_stays_light() -> None:
    found = []
    for path in FILES:
        slow = [module for module, _ in imported(at_import(tree(path).body)) if module.split(".")[0] in HEAVY]
        found += [f"{name_of(path)} imports {module} at module level" for module in slow]
    assert not found, "import these inside the function that needs them:\n" + "\n".join(found)


def test_the_heavy_parts_of_scipy_are_not_used() -> None:
    for path in FILES:
        used = {".".join(module.split(".")[:2]) for module, _ in imported(ast.walk(tree(path)))}
        assert not used & {"scipy.stats", "scipy.signal"}, f"{name_of(path)}: scipy.special loads ten times faster"


def test_the_model_is_plain_python() -> None:
    for path in (path for path in FILES if package_of(path) == "model"):
        needs = {module.split(".")[0] for module, _ in imported(at_import(tree(path).body))}
        assert needs - {"analyzer"} <= set(sys.stdlib_module_names), name_of(path)


def test_only_the_command_line_writes_files() -> None:
    writers = set()
    for path in FILES:
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            modes = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if called in ("write_text", "write_bytes", "mkdir", "unlink", "rename", "extractall", "rmtree") or (
                called == "open" and any(mode[:1] in "wax" and len(mode) <= 3 for mode in modes)
            ):
                writers.add(name_of(path))
    assert writers == {"analyzer/cli_support.py"}


def test_the_walk_over_import_time_statements_sees_what_it_should() -> None:
    body = ast.parse(
        "if TYPE_CHECKING:\n import pandas\n"
        "try:\n import rich\nexcept ImportError:\n import jinja2\n"
        "def f():\n import scipy\n"
        "class C:\n import numpy\n"
    ).body
    found = {module for module, _ in imported(at_import(body))}
    assert {"rich", "jinja2", "numpy"} <= found
    assert not found & {"pandas", "scipy"}
