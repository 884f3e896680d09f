"""Answers that hold only true rows: parts of an honest answer in other orders, with repeats.

`python tests/true_rows.py N` counts their verdicts.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from one_wrong_row import Case, honest

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

MODES = ("value", "both", None)
SEED = re.compile(r"(?:d|bar\(|adj )?x\d(?:'|dot|bar|\))? = [01][.0]*")


def true_rows(seed: int) -> Iterator[Case]:
    """Problems with answers all of whose rows are true: some rows of a full answer, shuffled, some written twice.

    Seeds are kept, since they tell which input moves.  Asked for in the mode of the full answer, for values, for both
    sweeps, or in no mode.
    """
    chance = random.Random(f"true rows {seed}")  # noqa: S311 - chance that repeats itself
    for case in honest(seed):
        lines = case.answer.splitlines()
        if chance.random() < 0.7:
            lines = [line for line in lines if chance.random() < 0.8 or SEED.fullmatch(line)] or lines
        if chance.random() < 0.3:
            chance.shuffle(lines)
        if chance.random() < 0.3:
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
        mode = chance.choice((case.mode, *MODES))
        yield case._replace(answer="\n".join(lines), mode=mode, wrt=case.wrt if mode in ("forward", None) else None)


def marked(case: Case) -> Marking:
    task = task_of(case.problem, mode=case.mode, wrt=(case.wrt,) if case.wrt else ())
    return assess(case.answer.encode(), "a.txt", [task], Rules())[0]


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    tally: Counter[str] = Counter()
    for case in islice(true_rows(seed), count):
        marking = marked(case)
        tally[marking.verdict] += 1
        if marking.verdict in ("wrong", "not_gradable") and "-v" in sys.argv:
            print(case.mode, case.wrt, case.problem)
            for mark in marking.marks:
                print(
                    "    ",
                    mark.line,
                    mark.span and mark.span.source.shown.split("\n")[(mark.line or 1) - mark.span.source.first_line],
                    mark.row,
                    mark.verdict,
                    mark.feedback,
                )
    print(dict(tally))


if __name__ == "__main__":
    main()
