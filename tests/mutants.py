"""Mutants: small changes to a room of the program, each of which some test of that room must notice.

    python -m tests.mutants --room marking --sample 100 --seed 1

The checkout is copied to a temporary folder, changed there in one place at a time, and the tests that run through this
place are run, the quickest first.  Which tests do is found out once and kept in the temporary folder.  The same seed
gives the same mutants.  What lives on is either not tested, or means the same as before: `mutants.txt` lists such
mutants, each with its reason.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import compileall
import hashlib
import importlib
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PARTS = ("adcli", "grammar", "samples", "tests", ".ci", "README.md", "pyproject.toml")
SAME = Path(__file__).with_suffix(".txt")
# The tests of rooms.
_TESTS = {
    "table": (
        "table_of_functions", "one_row", "arithmetics", "spread", "domain_cases", "special_points", "slips",
        "kinks", "enclosures", "ranges", "second_derivatives", "taylor", "hessians", "certify",
        "functions_command", "verify", "python_arrays", "python_tracing",
    ),
    "numbers": (
        "arithmetics", "ends_of_the_range", "ranges", "enclosures", "spread", "taylor", "budget", "proven_digits",
        "nodes", "special_points", "written_numbers", "verify", "certify", "gamma_family", "soundness",
        "compile", "hessians", "messages", "points_kernel", "complex_rows", "fast_kernels", "points_native",
        "python_arrays",
    ),
    "kinks": ("kinks", "local_series", "pieces", "points_kernel", "certify", "second_derivatives"),
    "graph symbolic": (
        "nodes", "written_numbers", "ranges", "paper_tables", "derivative_graphs", "diff_command",
        "expand", "hessians", "taylor", "second_derivatives", "kinks", "pieces", "verify", "step_command",
        "python_tracing", "engine", "laws", "orders", "same_functions", "ends_of_the_range", "graph_pictures", "shape",
        "messages", "travel", "fast_kernels", "python_command", "explain_command",
    ),
    "trace": (
        "conditioning", "verify", "certify", "notes", "advice", "telling", "kinks", "outputs", "complex_rows", "orders",
        "exercises", "engine", "taylor", "expand", "python_command", "jax_functions",
        "messages", "cost", "plot", "diff_command", "step_command", "graph_pictures", "travel", "schemas",
        "explain_command", "propagate", "proven_digits", "hessians", "functions_command", "python_tracing",
        "calls", "domain_cases",
    ),
    "marking answers classroom": (
        "slips", "marking", "marked_answers", "keys", "prediction", "reading_rows", "reading_forms", "reading_hostile",
        "templates", "grading", "check_command", "submissions", "gradebooks", "exercises", "homework_sample",
        "explain_command", "stepper_page", "messages", "array_marking", "derivations", "constant_parts", "hand_marked",
        "matching", "mending", "nothing_for_nothing", "numbers_alone", "reading_choices", "reading_corrections",
        "reading_once", "slip_plants", "students_notations", "words_of_marks", "written_notations", "wrong_rules",
        "marked_hessians", "several_files", "bare_numbers", "answers_of_others",
    ),
    "engine": (
        "points_kernel", "fast_kernels", "points_native", "points_program", "points_map", "compile",
        "columns_of_engines", "propagate", "engine", "messages", "calls", "travel",
    ),
    "files": (
        "points_files", "points_made", "points_map", "points_program", "shards", "propagate", "columns_of_engines",
        "plot", "several_files", "messages",
    ),
}  # fmt: skip
ROOMS = {room: tests for rooms, tests in _TESTS.items() for room in rooms.split()}
PRELOADED = ("hypothesis", "numpy", "lark", "click", "rich.console", "mpmath", "flint", "openpyxl", "_pytest.pytester")
FIRST = 6.0  # seconds of tests that are tried before all the others
FILES = 2  # from which these are: to read all takes longer than most tests
SLACK = 20  # seconds of processor time that loading takes, and tests on a slower day
MEMORY = 6 << 30  # bytes that a mutant may fill
CALLS = 50  # of a function in one test are looked at line by line
_LATER = count(10)  # seconds after the program that mutants are of, each another


# --- mutants ----------------------------------------------------------------------------------------------------------


class Mutant(NamedTuple):
    """One change to one file: what stands in place of the bytes from start to end, and where this can be seen."""

    file: str  # below adcli/
    line: int
    kind: str
    start: int
    end: int
    text: str
    lines: tuple[int, int]  # of the code that is other than before
    around: tuple[int, int] | None  # the lines of the function that it is in; None for what runs at import

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> str:
        """The file and the line that the change makes: what a mutant is known by as the file grows."""
        changed = self.apply(source)
        start = changed.rfind(b"\n", 0, self.start) + 1
        end = changed.find(b"\n", self.start + len(self.text.encode()))
        dropped = f"{source[self.start : self.end].decode()} -> " if self.text in ("pass", "return None") else ""
        return f"{self.file}: {' '.join((dropped + changed[start : end if end >= 0 else None].decode()).split())}"


_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_OTHER = {"min": "max", "max": "min", "any": "all", "all": "any"}
_EITHER_WAY = (
    "min",
    "max",
    "gcd",
    "isclose",
    "fma",
    "whole",
    "both",
    "either",
    "eq",
    "bitwise_xor",
    "hypot",
    "maximum",
    "minimum",
)
_SILENT = (None, "strict", "maxsize")  # which only say what is so, or how much is kept
_TYPING = ("TypeVar", "cast", "NamedTuple", "NewType", "Protocol")


class _Finder(ast.NodeVisitor):
    """All mutants of a file, in order."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source, self.found = file, source, list[Mutant]()
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines: tuple[int, int] = (1, 1)
        self.around: tuple[int, int] | None = None
        self.visit(ast.parse(source))

    def add(self, kind: str, node: ast.stmt | ast.expr | ast.keyword, changed: ast.AST | str) -> None:
        """Keeps the mutant in which `changed` stands in place of the node."""
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        text = changed if isinstance(changed, str) else ast.unparse(changed)
        if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Call | ast.Name):
            text = f"({text})"
        mutant = Mutant(self.file, node.lineno, kind, start, end, text, self.lines, self.around)
        with suppress(SyntaxError):
            builtins.compile(mutant.apply(self.source), self.file, "exec")
            self.found.append(mutant)

    def visit(self, node: ast.AST) -> None:
        before = self.lines, self.around
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body and not isinstance(node, ast.ClassDef) else node.end_lineno
            self.lines = (node.lineno, max(node.lineno, last or 0))
        elif isinstance(node, ast.Lambda):
            self.lines = (node.lineno, node.end_lineno or node.lineno)
            self.around = self.around or self.lines
        getattr(self, f"visit_{type(node).__name__}", self.generic_visit)(node)
        self.lines, self.around = before

    # What no test can see, or what has no place of its own.

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:  # (places inside are wrong before Python 3.12)
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.around = self.around or (node.body[0].lineno, node.end_lineno or node.lineno)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    # What is changed.

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self.add("condition", node.test, ast.UnaryOp(ast.Not(), node.test))
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self.add("condition", node.test, ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.add("condition", test, ast.UnaryOp(ast.Not(), test))
            self.add("condition", test, ast.Constant(True))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.add("branch", node, node.body)
        self.add("branch", node, node.orelse)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, op in enumerate(node.ops):
            for other in _COMPARED[type(op)]:
                ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                self.add("comparison", node, ast.Compare(node.left, ops, node.comparators))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.add("and/or", node, ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self.add("sign", node, node.operand)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        types = isinstance(node.op, ast.BitOr) and not self.around
        words = any(isinstance(side, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple) and not _is_number(side)
                    for side in (node.left, node.right))  # fmt: skip
        if type(node.op) in _COMPUTED and not types and not words:
            self.add("arithmetic", node, ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add("statement", node, "pass")
        if type(node.op) in _COMPUTED:
            self.add("arithmetic", node, ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value))
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("constant", node, repr(not node.value))
        elif isinstance(node.value, int):
            self.add("constant", node, f"({node.value + 1})")
            self.add("constant", node, f"({node.value - 1})")
        elif isinstance(node.value, float):
            self.add("constant", node, f"({node.value!r} + 1)")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in _TYPING:
            return
        if name in _OTHER and isinstance(node.func, ast.Name):
            self.add("call", node.func, _OTHER[name])
        starred = any(isinstance(arg, ast.Starred) for arg in node.args[:2])
        if len(node.args) > 1 and name not in _EITHER_WAY and not starred:
            first, second, *rest = node.args
            if ast.dump(first) != ast.dump(second):
                self.add("arguments", node, ast.Call(node.func, [second, first, *rest], node.keywords))
        for keyword in node.keywords:
            kept = [other for other in node.keywords if other is not keyword]
            if keyword.arg not in _SILENT:
                self.add("keyword", node, ast.Call(node.func, node.args, kept))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in _SILENT or node.arg is None:
            self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.add("return", node, "return None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.add("statement", node, "pass")
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self.add("statement", node, "pass")
        self.generic_visit(node)

    def _dropped(self, node: ast.stmt) -> None:
        self.add("statement", node, "pass")
        self.generic_visit(node)

    visit_Raise = visit_Continue = visit_Break = visit_Delete = _dropped  # noqa: N815


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def mutants(room: str) -> list[Mutant]:
    """All mutants of a room, in order."""
    house = CHECKOUT / "adcli"
    files = {file.relative_to(house).as_posix(): file.read_bytes() for file in sorted((house / room).rglob("*.py"))}
    return [mutant for file, source in files.items() for mutant in _Finder(file, source).found]


def the_same() -> dict[str, str]:
    """The mutants that mean the same as the program, with their reasons."""
    lines = SAME.read_text("utf-8").splitlines() if SAME.exists() else []
    return {line: reason.strip() for line, reason in pairwise(lines) if reason.startswith("    ")}


# --- in a process of its own ------------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """A test: how long it takes, and the lines that it runs through by file below adcli/."""

    seconds: float
    lines: dict[str, list[int]]


class Reach:
    """A plugin that notes which lines of a room each test runs through."""

    def __init__(self, copy: Path, room: str) -> None:
        self.prefix, self.base = str(copy / "adcli" / room) + os.sep, str(copy / "adcli") + os.sep
        self.tests: dict[str, Timed] = {}
        self.seen: dict[CodeType, set[int]] = {}
        self.calls: dict[CodeType, int] = {}
        self.started = 0.0

    def trace(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        count = self.calls.get(code)
        if count is None:
            count = 0 if code.co_filename.startswith(self.prefix) else CALLS
            if not count:
                self.seen[code] = set()
        self.calls[code] = count + 1
        if count >= CALLS:
            return None
        add = self.seen[code].add

        def local(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
            add(frame.f_lineno)
            return local

        return local

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.seen, self.calls, self.started = {}, {}, time.process_time()
        sys.settrace(self.trace)
        yield
        sys.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            lines = defaultdict(set)
            for code, seen in self.seen.items():
                lines[code.co_filename.removeprefix(self.base)] |= seen
            found = {file: sorted(seen) for file, seen in lines.items() if seen}
            self.tests[report.nodeid] = Timed(time.process_time() - self.started, found)


class Chosen:
    """A plugin that runs chosen tests only, in the order given, and remembers which one fails."""

    def __init__(self, names: list[str]) -> None:
        self.order, self.failed = {name: place for place, name in enumerate(names)}, ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or f"{report.nodeid} cannot be read"


class Outcome(NamedTuple):
    """What came of a run in a process of its own: what it handed back, or None where it came to no end."""

    found: Any
    ended: bool


def apart(copy: Path, seconds: float, work: Callable[[], Any]) -> Outcome:
    """Work done in a child that sees the copy in place of the checkout, within some seconds of processor time."""
    back = copy / "answer.json"
    back.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            said = os.open(copy / "said.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            for stream in (0, 1, 2):
                os.dup2(said, stream)
            os.chdir(copy)
            os.environ["PYTHONPATH"] = str(copy)
            sys.path[:] = [str(copy), *(place for place in sys.path if place not in ("", str(CHECKOUT)))]
            back.write_text(json.dumps(work()))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    latest = time.monotonic() + 60 + 8 * seconds  # others may be at work on the machine
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > latest:
            os.killpg(child, 9)
            os.waitpid(child, 0)
            break
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, 9)  # what it has started
    return Outcome(json.loads(back.read_text()), True) if back.exists() else Outcome(None, False)


def tested(files: list[str], plugin: object) -> int:
    """The exit code of a run of pytest."""
    usual = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0", "--no-header"]
    loaded = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # before the fork
    return int(pytest.main([*(usual if isinstance(plugin, Chosen) else usual[1:]), *loaded, *files], plugins=[plugin]))


# --- runs -------------------------------------------------------------------------------------------------------------


def copied(folder: Path) -> Path:
    """A copy of the checkout, compiled."""
    copy = folder / "checkout"
    copy.mkdir()
    for part in PARTS:
        source = CHECKOUT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        else:
            shutil.copy2(source, copy / part)
    compileall.compile_dir(copy, quiet=2)
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return copy


def reach(copy: Path, room: str, files: Sequence[str]) -> dict[str, Timed]:
    """What each test of these files runs through, found out anew where the test or the room has changed."""
    kept = Path(tempfile.gettempdir()) / f"adcli-mutants-{os.getuid()}"
    kept.mkdir(mode=0o700, exist_ok=True)
    sources = b"".join(file.read_bytes() for file in sorted((CHECKOUT / "adcli" / room).rglob("*.py")))
    tests: dict[str, Timed] = {}
    for name in files:
        file = f"tests/test_{name}.py"
        if not (CHECKOUT / file).exists():
            continue
        digest = hashlib.sha256(sources + (CHECKOUT / file).read_bytes()).hexdigest()[:16]
        place = kept / f"{room}-{name}-{digest}.json"
        if not place.exists():
            plugin, started = Reach(copy, room), time.monotonic()
            found = apart(copy, 1200, lambda f=file, p=plugin: (tested([f], p), p.tests)[1]).found or {}
            say(f"{file}: {len(found)} tests, {time.monotonic() - started:.0f} s")
            place.write_text(json.dumps(found))
        tests |= {name: Timed(*timed) for name, timed in json.loads(place.read_text()).items()}
    return tests


def reaching(mutant: Mutant, tests: Mapping[str, Timed]) -> list[str]:
    """The tests that run through a mutant, the quickest first, then those that run through its function, or, if none
    does, through its file."""

    def through(lines: tuple[int, int] | None) -> list[str]:
        found = [
            name
            for name, timed in tests.items()
            if any(lines is None or lines[0] <= line <= lines[1] for line in timed.lines.get(mutant.file, ()))
        ]
        return sorted(found, key=lambda name: tests[name].seconds)

    exactly = through(mutant.lines) if mutant.around else []
    return list(dict.fromkeys([*exactly, *through(mutant.around)])) or through(None)


def _batch(names: Sequence[str], tests: Mapping[str, Timed], seconds: float, files: int) -> list[str]:
    """The first of these tests, as many as take so long, of the few files that the quickest of them are from."""
    chosen: list[str] = []
    allowed: set[str] = set()
    for name in names:
        file = name.split("::")[0]
        if seconds > 0 and (file in allowed or len(allowed) < files):
            allowed.add(file)
            chosen.append(name)
            seconds -= tests[name].seconds
    return chosen


def tried(copy: Path, mutant: Mutant, tests: dict[str, Timed], budget: float) -> tuple[str, str]:
    """What came of a mutant: killed, timeout, survived or unreached, and by what."""
    names = reaching(mutant, tests)
    if not names:
        return "unreached", ""
    place = copy / "adcli" / mutant.file
    before, times = place.read_bytes(), place.stat()
    place.write_bytes(mutant.apply(before))
    # A process of a test may compile it, and that is not to be taken for the next mutant of the same length.
    os.utime(place, (times.st_atime, times.st_mtime + next(_LATER)))
    left, spent, first = names, 0.0, True
    try:
        while left and spent < budget:
            batch = _batch(left, tests, FIRST if first else budget, FILES if first else len(tests))
            seconds = sum(tests[name].seconds for name in batch)
            left, spent, first = [name for name in left if name not in set(batch)], spent + seconds, False
            chosen = Chosen(batch)
            files = list(dict.fromkeys(name.split("::")[0] for name in batch))
            outcome = apart(copy, SLACK + 3 * seconds, lambda f=files, c=chosen: (tested(f, c), c.failed))
            if not outcome.ended:
                return "timeout", f"of {len(batch)} tests"
            code, failed = outcome.found
            if code:
                return "killed", failed
    finally:
        place.write_bytes(before)
        os.utime(place, (times.st_atime, times.st_mtime))
    return "survived", f"{len(names) - len(left)} of {len(names)} tests that reach it"


def say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    read = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    read.add_argument("--room", choices=sorted(ROOMS), required=True)
    read.add_argument("--sample", type=int, default=50, help="how many mutants (default 50)")
    read.add_argument("--seed", type=int, default=1)
    read.add_argument("--file", default="", help="mutants of files with this in their name only")
    read.add_argument("--tests", default="", help="the files of tests, as in nodes,expand (default: those of the room)")
    read.add_argument("--budget", type=float, default=90.0, help="seconds of tests for one mutant (default 90)")
    read.add_argument("--list", action="store_true", help="show the mutants, and run nothing")
    read.add_argument("--to", type=Path, help="a file for what came of each")
    read.add_argument("--again", type=Path, help="such a file: only what lived on there is tried")
    asked = read.parse_args()
    every = [mutant for mutant in mutants(asked.room) if asked.file in mutant.file]
    sample = sorted(random.Random(asked.seed).sample(every, min(asked.sample, len(every))))  # noqa: S311
    sources = {mutant.file: (CHECKOUT / "adcli" / mutant.file).read_bytes() for mutant in every}
    if asked.again:
        lived = {line[10:] for line in asked.again.read_text("utf-8").splitlines() if line[:1] in "su"}
        sample = [mutant for mutant in every if mutant.shown(sources[mutant.file]) in lived]
    same = the_same()
    counts: dict[str, int] = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder).resolve())
        for module in PRELOADED:
            with suppress(ImportError):
                importlib.import_module(module)
        names = asked.tests.split(",") if asked.tests else ROOMS[asked.room]
        tests = {} if asked.list else reach(copy, asked.room, names)
        for mutant in sample:
            shown = mutant.shown(sources[mutant.file])
            if shown in same:
                verdict, by = "same", same[shown]
            else:
                verdict, by = ("listed", "") if asked.list else tried(copy, mutant, tests, asked.budget)
            counts[verdict] += 1
            say(f"{verdict:9} {shown}\n          line {mutant.line}, {mutant.kind}; {by}")
            if asked.to:
                with asked.to.open("a", encoding="utf-8") as out:
                    out.write(f"{verdict:9} {shown}\n")
    say(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) + f" of {len(every)} mutants")
    return 1 if counts["survived"] or counts["unreached"] else 0


if __name__ == "__main__":
    sys.exit(main())
