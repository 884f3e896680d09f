"""Advice on odd input: the tables of `grammar/advice.txt`, of which one loop takes the first entry that applies to a
place: an error, or a note on how the place is read.

One more kind of odd input is one more entry there; the file says what its lines mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from ..errors import AdcliError, Span, SyntaxProblem
from ..grammar_files import read_sections, read_tables
from ..patterns import IDENTIFIER
from ..records import NamedTuple
from ..typings import Protocol, TypeVar
from .spelling import Reading

P = TypeVar("P")  # a place


class AdvicePlace(Protocol):
    """A place of a text; its other members are the facts that entries use and messages quote, `span` among them."""

    def has_word(self, word: str) -> bool:
        """Return whether the place has the word: an operator or a name there, or the kind of a request."""


class Advice(NamedTuple):
    """One entry of a table: examples, conditions and templates of the message, each as the file has it."""

    examples: str = ""
    words: str = ""
    when: str = ""
    title: str = ""
    label: str = ""
    help: str = ""
    note: str = ""
    reading: str = ""
    topic: str = "names"
    place: str = "span"

    def applies(self, it: AdvicePlace) -> bool:
        """Return whether the place has one of the `words` (if the entry has any), and all facts of `when` hold."""
        if self.words and not any(map(it.has_word, self.words.split())):
            return False
        return holds(self.when, it)

    def error(self, it: AdvicePlace, kind: type[AdcliError] = SyntaxProblem, notes: tuple[str, ...] = ()) -> AdcliError:
        """Return (do not raise) the error of class `kind` for the place `it`.

        Title, label, help and note are those of the entry, filled with attributes of `it`; an empty note is left out,
        and the other `notes` follow. The span is the attribute of `it` that `place` names.
        """
        title, label, advice, note = (text.format(it=it) for text in (self.title, self.label, self.help, self.note))
        return kind(title, getattr(it, self.place), label, ((note,) if note else ()) + notes, advice)


def holds(when: str, it: object) -> bool:
    """Return whether the facts in a list such as "function, not unknown" hold; True for an empty list.

    A fact is an attribute of `it` that must be true, with "not" one that must be false.
    """
    return all(bool(getattr(it, fact)) == expected for fact, expected in _read_conditions(when))


def look_up_fact(it: P, name: str, facts: Mapping[str, Callable[[P], object]]) -> object:
    """Return the fact called `name` in the table `facts`, about the place `it`; raise AttributeError for others."""
    if name not in facts:
        raise AttributeError(name)
    return facts[name](it)


@lru_cache(maxsize=256)
def _read_conditions(when: str) -> list[tuple[str, bool]]:
    """Return [("function", True), ("unknown", False)] for "function, not unknown"; [] for "". Cached."""
    facts = when.split(", ") if when else []
    return [(fact.removeprefix("not "), not fact.startswith("not ")) for fact in facts]


_synonym_lines = lru_cache(maxsize=1)(lambda: read_sections("synonyms.txt"))
# The tables of grammar/advice.txt by name, each with its entries in the order in which they are tried.
tables = lru_cache(maxsize=1)(lambda: read_tables("advice.txt", Advice))


@lru_cache(maxsize=64)
def synonyms(table: str) -> dict[str, list[str]]:
    """Return {word: its meanings} of a table of grammar/synonyms.txt (cached); meanings are in the order of the file.

    Each line of a table is `meaning: word word …`; a word in several lines has several meanings. Raises KeyError for an
    unknown table.
    """
    words: dict[str, list[str]] = {}
    for meaning, _, same in [line.rpartition(": ") for line in _synonym_lines()[table]]:
        for word in same.split():
            words.setdefault(word, []).append(meaning)
    return words


def entry_for(table: str, it: AdvicePlace) -> Advice:
    """Return the first entry that applies to the place; an empty one if none does."""
    return next((entry for entry in tables()[table] if entry.applies(it)), Advice())


def advise(table: str, it: AdvicePlace, kind: type[AdcliError] = SyntaxProblem) -> Reading | None:
    """Return the note of the first entry of `table` that applies to the place `it`; None if it has no note or none
    applies.

    `table` is the name of a table in grammar/advice.txt. An entry applies if `it` has one of its `words` (if there are
    any), and the attributes of `it` named in its `when` are true (after "not": false). Its texts are filled with
    attributes of `it`. If the entry has a title, it is an error of class `kind`, which is raised instead. The span of
    the note is the attribute of `it` that the entry names in `place`.
    """
    entry = entry_for(table, it)
    if entry.title:
        raise entry.error(it, kind)
    if not entry.reading:
        return None
    span: Span = getattr(it, entry.place)
    return Reading(entry.reading.format(it=it), (span.start, span.end), topic=entry.topic)


def advise_on_arrays(text: str) -> str:
    """Return the help that shows how to give the arrays in `text` values or shapes, all of two rows and columns.

    `dot(A,x)` gives `give values: --at "A=[1,2;3,4], x=[1,2]"; for check, diff, graph and compile shapes are enough:
    --shape "A=2x2, x=2"`. A capital is a matrix, another letter a vector; T and e are left out. In a name of two signs,
    the first a capital, each letter is an array (`Ax` is A and x, `AB` A and B); other names of several letters are
    left out. Each array is given once. Without arrays the lists are empty.
    """
    names = (name for name in IDENTIFIER.findall(text) if len(name) == 1 or (len(name) == 2 and name[0].isupper()))
    letters = [letter for letter in dict.fromkeys("".join(names)) if letter.isalpha() and letter not in "Te"]
    values = ", ".join(f"{letter}={'[1,2;3,4]' if letter.isupper() else '[1,2]'}" for letter in letters)
    shapes = ", ".join(f"{letter}={'2x2' if letter.isupper() else '2'}" for letter in letters)
    return f'give values: --at "{values}"; for check, diff, graph and compile shapes are enough: --shape "{shapes}"'
