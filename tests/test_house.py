"""The plan of the house: which room may use which, what is loaded when, and what no room may do."""

from __future__ import annotations

import ast
import json
import logging
import re
import subprocess
import sys
import tomllib
import typing
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from functools import cache, wraps
from pathlib import Path

import lark
import pytest
from running import CHECKOUT, PACKAGE, PAPER, UTF8, environment, process, run
from sources import parsed

from adcli.grammar_files import grammar_path
from adcli.language.grammar import STARTS
from adcli.records import NamedTuple

# An expression in Python is a front end as the command line is: it shows itself in notebooks, by way of render.
FLOORS = {
    "typings": 0, "documents": 1, "grammar_files": 1, "patterns": 1, "records": 1, "errors": 2, "extras": 3,
    "processes": 3, "writing": 3, "table": 3, "numbers": 4, "graph": 5,
    "symbolic": 6, "kinks": 6, "engine": 7, "language": 7, "notation": 8, "adapters": 8, "trace": 9, "files": 9,
    "python": 9, "arrays": 10, "answers": 11, "marking": 12, "classroom": 13, "render": 14,
    "expression": 15, "points": 15, "cli": 15,
}  # fmt: skip
# Rooms that may not use every floor below theirs.
ALLOWED = {"files": {0, 1, 2, 3, 7}, "python": {0, 1, 2, 3, 4, 5, 6}}
# What comes from outside: who may import it, and whether only inside functions.
OUTSIDE = {"lark": "language/grammar.py", "rich": "render/terminal.py", "click": "cli/"}
LAZY = {
    "lark",
    "rich",
    "mpmath",
    "numpy",
    "polars",
    "scipy",
    "pyarrow",
    "llvmlite",
    "flint",
    "openpyxl",
    "matplotlib",
    "resvg_py",
}
BROUGHT = {"markdown_it"}  # by rich, whose pages are made with it
FRONT_DOORS = {"__init__.py", "__main__.py"}
LONGEST = 600

FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def nodes(file: str) -> tuple[ast.AST, ...]:
    """All nodes of a file of the package."""
    return parsed()[PACKAGE / file].nodes


@cache
def imports(file: str) -> tuple[tuple[ast.Import | ast.ImportFrom, str], ...]:
    """Every import statement of a file with the full name of the module that it imports."""
    return tuple(_imports(file))


def _imports(file: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    package = ["adcli", *file.split("/")[:-1]]
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            if node.module is None or base == "adcli":
                yield from ((node, f"{base}.{alias.name}") for alias in node.names)
            else:
                yield node, base


@cache
def at_import(file: str) -> list[tuple[int, str]]:
    """Line and module of every import that runs when the file is imported; what only type checkers see does not."""
    later = {
        line
        for node in nodes(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [(node.lineno, module) for node, module in imports(file) if node.lineno not in later]


def room(name: str) -> str:
    """The room of a module of ours: `adcli.graph.order` is in graph."""
    return name.split(".")[1] if "." in name else ""


def of_every_file(rule: Callable[[str], None]) -> Callable[[], None]:
    """A rule for a file is asked of all files in one test, which names each that breaks it."""

    @wraps(rule, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def test() -> None:
        broken = {}
        for file in FILES:
            try:
                rule(file)
            except AssertionError as found:
                broken[file] = str(found)
        assert {} == broken

    del test.__wrapped__  # type: ignore[attr-defined] # pytest would ask it for a file
    return test


def test_a_file_that_breaks_a_rule_is_named() -> None:
    @of_every_file
    def holds(file: str) -> None:
        assert file not in FILES[2:4]

    with pytest.raises(AssertionError, match=f"{FILES[2]}.*{FILES[3]}"):
        holds()


def test_every_file_is_in_a_room_of_the_plan() -> None:
    rooms = {file.split("/")[0].removesuffix(".py") for file in FILES if file not in FRONT_DOORS}
    assert rooms == set(FLOORS)


def test_the_plan_stands_in_the_manual_once() -> None:
    rooms = {file.split("/")[0].removesuffix(".py") for file in FILES if file not in FRONT_DOORS}
    text = (CHECKOUT / "adcli" / "manual" / "inside.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d+) \| `adcli/(\w+)(?:/|\.py)` \|", text, re.MULTILINE)
    assert sorted((str(FLOORS[room]), room) for room in rooms) == sorted(told)


@of_every_file
def test_imports_go_downwards_only(file: str) -> None:
    if file in FRONT_DOORS:
        return
    mine = file.split("/")[0].removesuffix(".py")
    below = ALLOWED.get(mine, set(range(FLOORS[mine])))
    upwards = [
        f"{file}:{node.lineno} imports {module}"
        for node, module in imports(file)
        if module.split(".")[0] == "adcli"
        and room(module) not in (mine, "__version__")
        and (room(module) not in FLOORS or FLOORS[room(module)] not in below)
    ]
    assert [] == upwards


def modules() -> dict[str, str]:
    """The full name of every module with its file."""
    return {f"adcli.{file.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}": file for file in FILES}


def uses() -> dict[str, set[str]]:
    """What every module imports of ours, inside functions and for type checkers too."""
    known = modules()
    found: dict[str, set[str]] = {}
    for name, file in known.items():
        named = {module for _, module in imports(file)}
        named |= {f"{module}.{alias.name}" for node, module in imports(file) for alias in node.names}
        found[name] = named & known.keys() - {name}
    return found


def circles(uses: dict[str, set[str]]) -> list[list[str]]:
    """The modules that import themselves by way of others, those of one circle together."""
    below: dict[str, set[str]] = {}
    for module in uses:
        waiting, below[module] = [module], set()
        while waiting:
            fresh = uses[waiting.pop()] - below[module]
            below[module] |= fresh
            waiting += fresh
    together = {tuple(sorted(m for m in below[module] if module in below[m])) for module in below}
    return [list(circle) for circle in sorted(together) if circle]


def test_no_files_import_one_another_in_a_circle() -> None:
    assert [] == circles(uses())


def test_a_circle_would_be_found() -> None:
    assert [["a", "b", "c"], ["e"]] == circles({"a": {"b", "d"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": {"e"}})


def test_a_class_name_means_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for file in FILES:
        for node in nodes(file):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.lstrip("_"), []).append(file)
    assert {} == {name: files for name, files in homes.items() if len(files) > 1}


# The folders inside adcli/python from the lowest to the highest: a folder uses those before it.
_FOLDERS = {"core": set(), "numpy": {"core"}, "scipy": {"core", "numpy"}}


def test_rules_for_numpy_know_nothing_of_scipy_and_values_nothing_of_either() -> None:
    used = {name: set() for name in _FOLDERS}
    for file in FILES:
        folder = file.split("/")[1] if file.startswith("python/") else ""
        if folder in used:
            parts = [module.split(".") for _, module in imports(file) if module.startswith("adcli.python.")]
            used[folder] |= ({part[2] for part in parts} & set(_FOLDERS)) - {folder}
    assert used == _FOLDERS


def test_the_front_door_loads_no_room() -> None:
    assert [] == [module for _, module in at_import("__init__.py") if module.split(".")[0] == "adcli"]


@of_every_file
def test_what_comes_from_outside_has_one_importer(file: str) -> None:
    for node, module in imports(file):
        owner = OUTSIDE.get(module.split(".")[0])
        assert owner is None or file.startswith(owner), f"{file}:{node.lineno} imports {module}"


@of_every_file
def test_what_is_dear_is_imported_only_inside_functions(file: str) -> None:
    assert [] == [(line, module) for line, module in at_import(file) if module.split(".")[0] in LAZY]


def declared() -> set[str]:
    """The modules of the packages that the project declares, optional ones among them."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[^\w-]", text)[0] for group in groups for text in group}
    return {{"python-flint": "flint"}.get(name, name.replace("-", "_")) for name in names} | BROUGHT


@of_every_file
def test_nothing_is_imported_that_the_project_does_not_declare(file: str) -> None:
    known = {"adcli", "__future__", *sys.stdlib_module_names, *declared()}
    assert set() == {module.split(".")[0] for _, module in imports(file)} - known


@of_every_file
def test_tuples_with_names_cost_little_where_they_can(file: str) -> None:
    named = [
        node
        for node, module in imports(file)
        if module == "typing" and "NamedTuple" in {alias.name for alias in node.names}
    ]
    assert [] == named or file == "records.py"


def test_a_tuple_with_names_is_that_of_typing() -> None:
    made = {}
    for base in (typing.NamedTuple, NamedTuple):

        class Place(base):  # type: ignore[misc, valid-type]
            """A place."""

            x: int
            y: int = 2
            z: int = 3

            @property
            def size(self) -> int:
                return self.x + self.y

        place = Place(1)
        assert (1, 2, 3) == place == Place(1, 2) == Place(1, z=3) == Place(z=3, x=1) == Place._make([1, 2, 3])
        assert 3 == place.size and (5, 2, 3) == place._replace(x=5) and (1, 2, 3) == copy(place) == deepcopy(place)
        for wrong in (lambda: Place(), lambda: Place(1, 2, 3, 4), lambda: Place(1, x=1), lambda: Place(1, w=1)):
            with pytest.raises(TypeError):
                wrong()
        with pytest.raises(ValueError):
            place._replace(w=1)
        with pytest.raises(AttributeError):
            place.x = 2
        match place:
            case Place(x, y, z=3):
                assert (1, 2) == (x, y)
            case _:
                raise AssertionError
        made[base] = (
            repr(place), Place.__name__, Place.__module__, Place.__doc__, list(Place.__annotations__), hash(place),
            Place._fields, Place._field_defaults, Place.__match_args__, Place.__mro__[-2:],
        )  # fmt: skip
    assert made[typing.NamedTuple] == made[NamedTuple]


@of_every_file
def test_nobody_prints_but_the_rooms_that_write(file: str) -> None:
    if not file.startswith(("cli/", "render/")):
        said = {"print", "input"} & {name for _, name in calls(file)}
        touched = [
            node.lineno
            for node in nodes(file)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in {("sys", "stdout"), ("sys", "stderr"), ("sys", "stdin")}
        ]
        assert (set(), []) == (said, touched)


def calls(file: str) -> Iterator[tuple[int, str]]:
    """Line and name of every call of a plain name."""
    for node in nodes(file):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, node.func.id


@of_every_file
def test_no_text_is_run_as_code(file: str) -> None:
    assert [] == [(line, name) for line, name in calls(file) if name in {"eval", "exec", "compile", "__import__"}]
    dangerous = {"pickle", "marshal", "shelve", "dill", "code", "codeop"}
    assert set() == dangerous & {module.split(".")[0] for _, module in imports(file)}
    shell = {("os", "system"), ("os", "popen")}
    assert [] == [
        node.lineno
        for node in nodes(file)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in shell
    ]


MUTABLE = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


@of_every_file
def test_no_class_holds_mutable_state(file: str) -> None:
    held = [
        statement.lineno
        for node in nodes(file)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and (
            isinstance(statement.value, MUTABLE)
            or (
                isinstance(statement.value, ast.Call)
                and isinstance(statement.value.func, ast.Name)
                and statement.value.func.id in {"list", "dict", "set", "bytearray", "defaultdict", "Counter", "count"}
            )
        )
    ]
    assert [] == held


@of_every_file
def test_no_function_changes_a_global_or_has_a_mutable_default(file: str) -> None:
    found = []
    for node in nodes(file):
        if isinstance(node, ast.Global):
            found.append(node.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
            found += [default.lineno for default in defaults if isinstance(default, MUTABLE)]
    assert [] == found


@of_every_file
def test_a_file_is_no_longer_than_a_room_can_be(file: str) -> None:
    # The table of functions is data: a row for each function.
    lines = len((PACKAGE / file).read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST or file == "table/functions.py"


@of_every_file
def test_every_file_says_what_it_is_for(file: str) -> None:
    assert ast.get_docstring(parsed()[PACKAGE / file].tree)


# --- what is loaded when ----------------------------------------------------------------------------------------------


_TELL = "import sys, json; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})), file=sys.stderr)"


def loaded(program: str, **changes: str) -> set[str]:
    """The packages that a program has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{_TELL}"],
        capture_output=True, text=True, check=True, env=environment(**UTF8, **changes), stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return set(json.loads(done.stderr.splitlines()[-1]))


HEAVY = LAZY | {"click", "typing"}


def test_importing_adcli_loads_nothing_from_outside() -> None:
    assert set() == HEAVY & loaded("import adcli")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["eval", PAPER, "--at", "x1=2,x2=5"], set()),
        (["eval", PAPER, "--at", "x1=2,x2=5", "--format", "json"], set()),
        (["eval", PAPER, "--at", "x1=2,x2=5", "--format", "csv"], set()),
        (["eval", "x +* 2"], set()),
        (["functions"], set()),
        (["--version"], {"click", "typing"}),
        (["eval", "--help"], {"click", "typing"}),
        (["map", "--help"], {"click", "typing"}),
        (["eval", "x", "--mdoe", "value"], set()),
    ],
)
def test_off_a_terminal_a_command_loads_only_what_it_uses(command: list[str], needed: set[str], tmp_path: Path) -> None:
    program = f"from adcli.cli.main import main; main({command!r})"
    loaded(program, XDG_CACHE_HOME=str(tmp_path))  # the first run in a checkout builds the tables
    assert needed == HEAVY & loaded(program, XDG_CACHE_HOME=str(tmp_path))


@pytest.mark.parametrize("command", [["--version"], ["--help"], ["eval", "--help"]])
def test_where_nothing_is_computed_the_table_of_functions_is_not_loaded(command: list[str]) -> None:
    program = f"import sys; from adcli.cli.main import main; main({command!r}); print('adcli.table' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment(**UTF8))
    assert "False" == done.stdout.decode().splitlines()[-1]


def test_an_expression_in_python_loads_no_command_line(tmp_path: Path) -> None:
    program = f"import adcli; adcli.parse({PAPER!r}).gradient({{'x1': 2, 'x2': 5}})"
    loaded(program, XDG_CACHE_HOME=str(tmp_path))
    assert set() == HEAVY & loaded(program, XDG_CACHE_HOME=str(tmp_path))


@pytest.mark.parametrize("entry", ["adcli.cli.main:main", "adcli.__main__:run"])
def test_only_a_process_of_its_own_changes_how_garbage_is_collected(entry: str) -> None:
    module, _, function = entry.partition(":")
    program = "import gc, sys; before = gc.get_threshold(), gc.get_freeze_count(); sys.argv[1:] = ['eval', '1 + 1']\n"
    program += f"from {module} import {function}; {function}()\n"
    program += "print(before == (gc.get_threshold(), gc.get_freeze_count()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment(**UTF8))
    assert str(function == "main") == done.stdout.decode().splitlines()[-1]


@pytest.mark.slow
def test_tables_that_cannot_be_kept_or_read_are_built_again(tmp_path: Path) -> None:
    argv = ("eval", PAPER, "--at", "x1=2,x2=5", "--no-trace")
    expected = run(*argv)
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder", encoding="utf-8")
    assert expected == process(*argv, **UTF8, XDG_CACHE_HOME=str(nowhere))
    assert expected == process(*argv, **UTF8, XDG_CACHE_HOME=str(tmp_path))
    for kept in (tmp_path / "adcli").glob("*.txt"):
        kept.write_text(kept.read_text(encoding="utf-8")[:9999], encoding="utf-8")
    assert expected == process(*argv, **UTF8, XDG_CACHE_HOME=str(tmp_path))


# --- the grammar ------------------------------------------------------------------------------------------------------


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture, **flags: str) -> list[str]:
    """What Lark says about conflicts while it builds the tables of a grammar."""
    before = lark.logger.level
    lark.logger.setLevel(logging.DEBUG)
    lark.logger.addHandler(caplog.handler)
    try:
        lark.Lark(grammar, parser="lalr", debug=True, **flags)
    finally:
        lark.logger.removeHandler(caplog.handler)
        lark.logger.setLevel(before)
    return [record.getMessage() for record in caplog.records if "onflict" in record.getMessage()]


@pytest.mark.parametrize(("name", "starts"), STARTS.items())
def test_the_grammars_have_no_conflicts(name: str, starts: tuple[str, ...], caplog: pytest.LogCaptureFixture) -> None:
    text = Path(grammar_path(name)).read_text(encoding="utf-8")
    assert [] == conflicts(text, caplog, lexer="basic", start=list(starts))


def test_a_conflict_would_be_told(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts('start: "if" start ["else" start] | "x"', caplog)


def test_every_action_of_the_grammar_is_known_and_used() -> None:
    from adcli.language.parser import Recorder
    from adcli.language.tables import tables

    actions = {action for _, _, action in tables().rules if action}
    assert set() == {action for action in actions if not callable(getattr(Recorder, action, None))}


def test_the_grammar_lies_where_an_installation_or_a_checkout_has_it() -> None:
    folder = Path(grammar_path("expression.lark")).parent
    assert folder in (PACKAGE / "grammar", PACKAGE.parent / "grammar")
    with pytest.raises(FileNotFoundError):
        grammar_path("missing.lark")


def test_the_package_is_typed() -> None:
    assert (Path(PACKAGE) / "py.typed").is_file()
