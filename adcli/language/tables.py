"""Parse tables of the grammar file, made by Lark (the only importer of lark)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple


class Tables(NamedTuple):
    """LALR(1) tables as plain data.

    `pattern` finds one token, the name of its group being the type; `skipped` are the types between tokens.
    `states[s][type]` is the next state, or `-1 - r` to reduce by `rules[r]` = (symbol, size, action).
    """

    pattern: str
    skipped: frozenset[str]
    states: list[dict[str, int]]
    rules: list[tuple[str, int, str]]
    start: int
    end: int


def grammar_file(name: str) -> Path:
    """The grammar of this name: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "grammar", package.parent / "grammar"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"the grammar {name} is missing from this installation")


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of `expression.lark`, built once a process."""
    import lark

    parser = lark.Lark(
        grammar_file("expression.lark").read_text(encoding="utf-8"), parser="lalr", lexer="basic", start="program"
    )
    backend: Any = parser.parser.parser
    table = backend._parse_table
    number = {rule: k for k, rule in enumerate(parser.rules)}
    states: list[dict[str, int]] = [{} for _ in table.states]
    for state, actions in table.states.items():
        for symbol, (action, argument) in actions.items():
            states[state][symbol] = argument if action.name == "Shift" else -1 - number[argument]
    terminals = sorted(parser.terminals, key=lambda t: (-t.priority, -t.pattern.max_width, t.name))
    return Tables(
        pattern="|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in terminals),
        skipped=frozenset(parser.ignore_tokens),
        states=states,
        rules=[(rule.origin.name, len(rule.expansion), rule.alias or "") for rule in parser.rules],
        start=table.start_states["program"],
        end=table.end_states["program"],
    )
