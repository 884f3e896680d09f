"""The commands of LaTeX and their meaning in the language, from `grammar/latex.txt`."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar_files import read_tables

_TABLES: Mapping[str, list[dict[str, str]]] = read_tables("latex.txt", dict)
_LISTS = {name: commands.split() for name, commands in _TABLES["lists"][0].items()}
BLANKS, SIZES, WORDS, PASSED, ENVIRONMENTS, LETTERS = (
    frozenset(_LISTS[name]) for name in ("blanks", "sizes", "words", "passed", "environments", "letters")
)
_SPELT = _TABLES["signs"][0].items()
SIGNS: Mapping[str, str] = {name: f" {sign} " if sign[0].isalpha() else sign for name, sign in _SPELT}
ACCENTS: Mapping[str, str] = _TABLES["accents"][0]
# Commands that say nothing of the value, with the number of their arguments.
DROPPED: Mapping[str, int] = dict.fromkeys(_LISTS["dropped"], 1) | dict.fromkeys(_LISTS["dropped without argument"], 0)
# How many arguments a command takes that may be an argument itself.
TAKES: Mapping[str, int] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "binom"), 2), **dict.fromkeys((*ACCENTS, *WORDS, "sqrt"), 1)
}  # fmt: skip
_FRACTION = ("a fraction has two parts in braces", "the second one is missing", "write \\frac{a}{b}")
_ROOT = ("a root has its argument in braces", "the argument is missing", "write \\sqrt{x} or \\sqrt[n]{x}")
MISSING: Mapping[str, tuple[str, str, str]] = {
    **dict.fromkeys(("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"), _FRACTION), "\\sqrt": _ROOT
}  # fmt: skip
CASE_WORDS = "if|for|when|where|otherwise|else|elsewhere|falls|sonst|si|sinon|and|in other cases"
