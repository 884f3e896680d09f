"""Patterns that are compiled when they are first needed: what they leave out, no match could have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import pytest
from running import PACKAGE

from adcli.answers import formulas, row_grammar, symbols
from adcli.answers.line_rewriting import _plain, notations, rewritings
from adcli.patterns import _RarePattern, compile_without_possessives, pattern

Item = tuple[Any, Any]
_MANY = 400  # beginnings that are followed
_parser, _constants = re._parser, re._constants  # type: ignore[attr-defined]


def inside(value: object) -> Iterator[_RarePattern]:
    """The patterns in a constant, be it a table of them."""
    if isinstance(value, _RarePattern):
        yield value
    elif isinstance(value, (tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from inside(each)


def rare() -> dict[str, _RarePattern]:
    """All patterns of the package that are left alone where a text has no sign of theirs."""
    found: dict[str, _RarePattern] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if "signs=" in file.read_text(encoding="utf-8") and file.name != "patterns.py":
            name = file.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".")
            for key, value in vars(import_module(name)).items():
                found |= {f"{name}.{key} {number}": each for number, each in enumerate(inside(value))}
    return found


def left(states: set[str], items: Iterable[Item], signs: Sequence[str]) -> set[str]:
    """The ends of all texts that the items match without one of the signs, after texts that end so."""
    for op, what in items:
        if not states or len(states) > _MANY:
            return states
        name = str(op)
        if name == "LITERAL":
            states = {state + chr(what) for state in states}
        elif name == "IN" and all(str(kind) == "LITERAL" for kind, _ in what):
            states = {state + chr(sign) for state in states for _, sign in what}
        elif name == "BRANCH":
            states = set().union(*(left(states, branch, signs) for branch in what[1]))
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            states = left(states, what[-1] if name == "SUBPATTERN" else what, signs)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, repeated = what
            for _ in range(min(least, 4)):
                states = left(states, repeated, signs)
            states |= {""} if most > least and left({""}, repeated, signs) and states else set()
        elif name == "GROUPREF_EXISTS":
            states = left(states, what[1], signs) | left(states, what[2] or (), signs)
        elif name == "ASSERT":
            states = states if left(states if what[0] > 0 else {""}, what[1], signs) else set()
        elif name not in ("ASSERT_NOT", "AT"):  # some character
            states = {""}
        states = {state for state in states if not any(sign in state for sign in signs)}
    return states


@pytest.mark.parametrize("name", rare())
def test_every_match_of_a_rare_pattern_has_one_of_its_signs(name: str) -> None:
    found = rare()[name]
    assert set() == left({""}, _parser.parse(found._text, found._flags), found.signs)


def test_a_sign_that_a_match_can_lack_would_be_found() -> None:
    for text, sign in (
        (r"a?b", "a"),
        (r"(?:a|b)c", "a"),
        (r"[ab]", "a"),
        (r"a*+", "a"),
        (r"\w", "a"),
        (r"-{2}", "---"),
    ):
        assert left({""}, _parser.parse(text), [sign])


def test_a_rare_pattern_answers_as_the_compiled_one_does() -> None:
    compiled = re.compile(r"(-)\s*>")
    for text in ("a -> b - >", "a = b", "- no", ""):
        lazy = pattern(r"(-)\s*>", signs=">")
        assert str(compiled.search(text)) == str(lazy.search(text)) == str(lazy.search(text))
        for method in ("match", "fullmatch", "findall", "split"):
            expected, found = (str(getattr(each, method)(text)) for each in (compiled, pattern(r"(-)\s*>", signs=">")))
            assert expected == found
        assert compiled.sub("→", text) == pattern(r"(-)\s*>", signs=">").sub("→", text)
        spans = [match.span() for match in compiled.finditer(text)]
        assert spans == [match.span() for match in pattern(r"(-)\s*>", signs=">").finditer(text)]


def test_a_pattern_without_signs_has_what_the_compiled_one_has() -> None:
    lazy = pattern(r"(?P<word>\w+)", re.ASCII)
    assert (r"(?P<word>\w+)", re.ASCII) == (lazy.pattern, lazy.flags & re.ASCII)
    assert "ab" == pattern(r"(?P<word>\w+)").match("ab c")["word"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        lazy.groups  # noqa: B018


PLAIN_TEXTS = (
    "v1", "v_{1}", "x'_1", "y''", "dv3/dx1", "v3bar", "2 - cos(5)", "x1 x x2", "np.log(x)", "D_1 f(2, 3)", "adj(v3)",
    "(0.693, 0.5)", "Dual(4, 1)", "v-1", "3 . 5", "f^{(2)}", "2*x <= 5; [a]", "df / dx (1) = 2e-3",
)  # fmt: skip


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_what_is_compiled_for_plain_texts_finds_there_what_the_whole_pattern_finds(text: str) -> None:
    for place in range(len(text)):
        for whole, short in (
            (symbols._PLAIN, symbols._PLAIN_ASCII),
            (formulas._NEXT, formulas._NEXT_OF_FORMULA),
            (row_grammar._token(True, False), row_grammar._token(False, True)),
        ):
            expected, match = whole.match(text, place), short.match(text, place)
            assert (expected and (expected.span(), expected.lastgroup)) == (match and (match.span(), match.lastgroup))


TABLES = {table: entries for table, entries in notations().items() if table not in ("parts", "phrases")}


@pytest.mark.parametrize("table", TABLES)
def test_every_notation_applies_to_its_example(table: str) -> None:
    functions = {entry["by"]: lambda _: "" for entry in TABLES[table] if "by" in entry}
    for entry, rule in zip(TABLES[table], rewritings(table, **functions), strict=True):
        example = _plain(entry["example"])
        assert any(sign in example.lower() for sign in rule.signs)
        assert rule.shape.search(example)


def test_every_part_of_a_pattern_is_used() -> None:
    parts = {name for table in ("parts", "phrases") for entry in notations()[table] for name in entry}
    texts = [value for entries in notations().values() for entry in entries for value in entry.values()]
    texts += [file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py")]
    used = {name for text in texts for name in re.findall(r"[{\"']([A-Z_]+)[}\"']", text)}
    assert set() == parts - used


def test_possessive_repeats_of_groups_can_be_compiled_as_atomic_groups() -> None:
    """As Python before 3.11.5 needs it; the expected matches are those of later versions."""
    text = r"[a-z](?:_\{\w++\}|_(?=\{)|(?:(?!_\{)\w)++)?+(?:'++|\^(\w)++)*+"
    found = compile_without_possessives(text, 0)
    assert text == found.pattern
    for example, length in [("log x1", 3), ("v_{1}' + 2", 6), ("g x", 1), ("v1^2'", 5), ("v_1''", 5)]:
        match = found.match(example)
        assert match is not None
        assert example[:length] == match.group()
        assert compile_without_possessives(r"(?:a|ab)++c", 0).match("abc") is None
