"""The grammar file, and parse tables made from it by Lark (the only importer of lark).

A wheel ships the tables as a generated module, so that a plain run imports neither Lark nor the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..grammar_files import grammar_path
from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from lark.parsers.lalr_analysis import IntParseTable

# The grammar files, and the symbols of each that a text may be.
STARTS = {"expression.lark": ("program",), "rows.lark": ("derivative", "ratio", "call", "pair", "dual")}


def build(name: str = "expression.lark") -> str:
    """Return the parse tables of the grammar file `name`, built by Lark, as the text that `tables.Tables` reads.

    Its lines: a pattern with one named group for each token type; the sorted types to skip; the symbols of STARTS,
    which begin in states 0, 1, …; `symbol/size/action` for each rule; then for each state its types and symbols, each
    with the next state, or -1 - r to reduce by rule r; last the number of states. Two builds give the same text. Raises
    FileNotFoundError if the file is missing, KeyError if STARTS lacks it, ImportError without Lark.
    """
    import lark

    with open(grammar_path(name), encoding="utf-8") as stream:
        text = stream.read()
    parser = lark.Lark(text, parser="lalr", lexer="basic", start=list(STARTS[name]))
    table: IntParseTable = parser.parser.parser._parse_table
    number = {rule: k for k, rule in enumerate(parser.rules)}
    place = _number_states(table, table.start_states.values())
    states = [""] * len(place)
    for state, actions in table.states.items():
        states[place[state]] = " ".join(
            f"{symbol} {place[argument] if action.name == 'Shift' else -1 - number[argument]}"
            for symbol, (action, argument) in sorted(actions.items())
        )
    terminals = sorted(parser.terminals, key=lambda t: (-t.priority, -t.pattern.max_width, t.name))
    lines = (
        "|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in terminals).replace("\n", r"\n"),
        " ".join(sorted(parser.ignore_tokens)),
        " ".join(table.start_states),
        " ".join(f"{rule.origin.name}/{len(rule.expansion)}/{rule.alias or ''}" for rule in parser.rules),
        *states,
        str(len(states)),
    )
    return "\n".join(lines)


def _number_states(table: IntParseTable, starts: Iterable[int]) -> dict[int, int]:
    """Return {state: its number} for each state that shifts reach from `starts`, in breadth-first order with symbols
    sorted, so that every build gives the same numbers.

    The states of `starts` come first, in their order.
    """
    place = {start: number for number, start in enumerate(starts)}
    for state in (queue := list(place)):
        for _, (action, argument) in sorted(table.states[state].items()):
            if action.name == "Shift" and argument not in place:
                place[argument] = len(place)
                queue.append(argument)
    return place


def module_text() -> str:
    """Return the source of the generated module, which assigns the tables, by grammar file, to TABLES."""
    head = '"""Parse tables generated from the files of grammar/; not to be edited."""'
    return f"{head}\n\nTABLES = { ({name: build(name) for name in STARTS})!r}\n"
