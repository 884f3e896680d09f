"""Greek letters for the inputs of a problem, such as α in an answer to a problem with a."""

from __future__ import annotations

from ...answers.answer_model import VALUE, Answer, Task
from ...notation.typeset_names import GREEK, greek_name
from ..programs.resolving import mentions


def with_latin_inputs(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with the inputs of the problem instead of Greek letters; None if it has none of these.

    A Greek letter that is not a name of the problem, and has no row with a formula, is the only one of the inputs that
    no formula of the answer uses that begins with the same Latin letter; if none of these begins so, the only one of
    them. The letter stays if there are several.
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
    return answer.with_names(latin) if latin else None


def _greek_letters(answer: Answer, task: Task) -> list[str]:
    """Return the Greek letters in an answer that are names neither of the problem nor of a row with a formula."""
    graph, entries = task.program.graph, answer.entries
    known = {*graph.inputs.values(), *dict(graph.outputs), *graph.aliases.values()}
    computed = {e.quantity.name for e in entries if e.quantity.kind == VALUE and any(p.graph for p in e.pieces)}
    return [name for name in dict.fromkeys(mentions(entries, known | computed)) if _word(name) in GREEK]


def _word(name: str) -> str:
    """Return the name of a Greek letter, "alpha" for α, "phi" for varphi; other names are returned as they are."""
    return greek_name(name).removeprefix("var")
