"""Answers with one slip in the spellings of students.

`python tests/spelled_slips.py N` counts what is said of N of them.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import normalize

from planting import marked
from slip_plants import Case, cases

from adcli.marking.model import Mark

# By the kind of a derivative its symbols: with {} for the row, y for the result, x for the input that moves.
SPELLINGS = {
    "dot": ("d{}", "{}'", "{}dot", "d{}/dx", "∂{}/∂x"),
    "bar": ("{}bar", "dy/d{}", "{}.grad", "∂y/∂{}", "adj {}"),
    "value": ("{}",),
}
_WRITTEN = {"dot": re.compile(r"^d(\w)(?= =)", re.MULTILINE), "bar": re.compile(r"^(\w)bar(?= =)", re.MULTILINE)}
_MARKS = ("adjoint", "tangent", "\u0304", "\u0307")
_MARKED = ("bar", "dot", "adj")
_GENERIC = "does not show", "not the result of one common slip"


class Told(NamedTuple):
    """An answer with a slip, the symbol of its wrong row as written, and the mark of its first error."""

    case: Case
    symbol: str
    text: str
    mark: Mark | None

    @property
    def says(self) -> str:
        """What is wrong with the sentence: it names the row otherwise, is generic, or has another idea; else fine."""
        if self.mark is None or normalize("NFD", self.mark.row.partition("[")[0])[0] != self.case.row:
            return "another row"
        said = self.mark.feedback
        if not said.startswith((f"{self.symbol}:", f"{self.symbol} ")) or (
            not any(mark in self.symbol for mark in _MARKED) and any(mark in said for mark in _MARKS)
        ):
            return "named otherwise"
        if any(words in said for words in _GENERIC):
            return "generic"
        return "fine" if self.case.names & set(self.mark.slips) else "another idea"


def told(count: int, seed: int = 1) -> Iterator[Told]:
    """As many single slips, each in one of the spellings."""
    chance = random.Random(seed)  # noqa: S311 - chance that repeats itself
    for case in cases(count, seed):
        if case.what != "single":
            continue
        sweep = "dot" if _WRITTEN["dot"].search(case.text) else "bar"
        spelling = chance.choice(SPELLINGS[sweep])
        result = case.task.program.source.text.split("; ")[-1].partition(" =")[0]
        shape = spelling.replace("y", result)
        text = _WRITTEN[sweep].sub(lambda match, shape=shape: shape.format(match[1]), case.text)  # type: ignore[misc]
        symbol = case.row if case.kind == "value" else shape.format(case.row)
        marking = marked(case.task, text)
        yield Told(case, symbol, text, None if marking.first is None else marking.marks[marking.first])


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tally: Counter[str] = Counter()
    for each in told(count, seed):
        tally[each.says] += 1
        if each.says != "fine" and "-v" in sys.argv:
            task = each.case.task
            print(each.says, each.symbol, sorted(each.case.names), task.program.source.text, dict(task.at))
            print("    ", each.mark and (each.mark.row, each.mark.slips, each.mark.feedback))
            print("    ", each.text.replace("\n", "; "))
    print(dict(tally))


if __name__ == "__main__":
    main()
