"""The grammar file, and parse tables made from it by Lark (the only importer of lark).

A wheel ships the tables as a generated module, so that a plain run imports neither Lark nor the grammar.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lark.parsers.lalr_analysis import IntParseTable

Raw = tuple[str, str, list[str], list[dict[str, int]], list[tuple[str, int, str]], int, int]


def grammar_path(name: str = "expression.lark") -> str:
    """Where the grammar of this name is: inside an installed package, beside the package in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for folder in (package, os.path.dirname(package)):
        path = os.path.join(folder, "grammar", name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the grammar {name} is missing from this installation")


def grammar_file(name: str = "expression.lark") -> Path:
    """The grammar of this name."""
    from pathlib import Path  # dear, and only for those who build tables

    return Path(grammar_path(name))


def build() -> Raw:
    """The tables of `expression.lark` as plain data, in the order of the fields of `tables.Tables`."""
    import lark

    text = grammar_file().read_text(encoding="utf-8")
    parser = lark.Lark(text, parser="lalr", lexer="basic", start="program")
    table: IntParseTable = parser.parser.parser._parse_table
    number = {rule: k for k, rule in enumerate(parser.rules)}
    place = _numbered(table, table.start_states["program"])
    states: list[dict[str, int]] = [{} for _ in place]
    for state, actions in table.states.items():
        for symbol, (action, argument) in sorted(actions.items()):
            states[place[state]][str(symbol)] = place[argument] if action.name == "Shift" else -1 - number[argument]
    terminals = sorted(parser.terminals, key=lambda t: (-t.priority, -t.pattern.max_width, t.name))
    return (
        "|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in terminals),
        "|".join(t.pattern.to_regexp() for t in terminals),
        sorted(str(name) for name in parser.ignore_tokens),
        states,
        [(str(rule.origin.name), len(rule.expansion), str(rule.alias or "")) for rule in parser.rules],
        place[table.start_states["program"]],
        place[table.end_states["program"]],
    )


def _numbered(table: IntParseTable, start: int) -> dict[int, int]:
    """New numbers for the states, in the order of a search from the start: every build gives the same tables."""
    place = {start: 0}
    for state in (queue := [start]):
        for _, (action, argument) in sorted(table.states[state].items()):
            if action.name == "Shift" and argument not in place:
                place[argument] = len(place)
                queue.append(argument)
    return place


def module_text() -> str:
    """The generated module."""
    head = '"""Parse tables generated from grammar/expression.lark; not to be edited."""'
    return f"{head}\n\nTABLES = {build()!r}\n"
