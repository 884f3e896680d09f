"""Greek letters for the inputs of a problem, such as α in an answer to a problem with a."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from ...answers.answer_model import VALUE, Answer, Quantity, Task
from ...notation.typeset_names import GREEK
from ..programs.resolving import mentions


def with_latin_inputs(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with the inputs of the problem instead of Greek letters; None if it has none of these.

    A Greek letter that is no name of the problem, and has no row with a formula, is the only one of the inputs that no
    formula of the answer uses that begins with the same Latin letter; if none of these begins so, the only one of them.
    The letter stays if there are several.
    """
    letters = _greek_letters(answer, task)
    used = {each.name for entry in answer.entries for each in entry.symbols}
    unused = [name for name in task.at if name not in used]
    latin: dict[str, str] = {}
    initials = {name[0] for name in unused}
    for letter in sorted(letters, key=lambda name: _word(name)[0] not in initials):
        alike = [name for name in unused if name[0] == _word(letter)[0]] or unused
        if len(alike) == 1:
            latin[letter] = alike[0]
            unused.remove(alike[0])
    return _with_names(answer, latin) if latin else None


def _greek_letters(answer: Answer, task: Task) -> list[str]:
    """Return the Greek letters in an answer that are names neither of the problem nor of a row with a formula."""
    graph, entries = task.program.graph, answer.entries
    known = {*graph.inputs.values(), *dict(graph.outputs), *graph.aliases.values()}
    computed = {e.quantity.name for e in entries if e.quantity.kind == VALUE and any(p.graph for p in e.pieces)}
    return [name for name in dict.fromkeys(mentions(entries, known | computed)) if _word(name) in GREEK]


def _with_names(answer: Answer, names: Mapping[str, str]) -> Answer:
    """Return the answer with the names of its quantities replaced by `names`, old name to new one."""
    quantities = {each for entry in answer.entries for each in (entry.quantity, *entry.symbols)}
    renamed = {q: Quantity(q.kind, names.get(q.name, q.name), q.key and names.get(q.key, q.key)) for q in quantities}
    return answer._replace(entries=tuple(entry.renamed(renamed) for entry in answer.entries))


def _word(name: str) -> str:
    """Return the name of a Greek letter in LaTeX, "alpha" for α and "phi" for varphi; other names are returned as they
    are.
    """
    letter = unicodedata.name(name, "") if len(name) == 1 else ""
    return letter.rpartition(" ")[2].lower() if letter.startswith("GREEK SMALL") else name.removeprefix("var")
