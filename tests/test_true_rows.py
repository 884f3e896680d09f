"""An answer that holds only true rows is not headed wrong, and everything that is said of it agrees."""

from __future__ import annotations

from itertools import islice

import pytest
from true_rows import marked, true_rows

from adcli.render.marks import summary


@pytest.mark.parametrize("seed", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 14))])
def test_verdict_headline_marks_and_rows_agree(seed: int) -> None:
    crossed = 0
    for case in islice(true_rows(seed), 60):
        marking = marked(case)
        whole = marking.earned == marking.possible
        assert marking.earned == sum(each.earned for each in marking.quantities), case
        assert (marking.verdict == "right") <= whole, case
        assert (marking.verdict == "wrong") == any(mark.verdict in ("error", "formula") for mark in marking.marks), case
        assert summary(marking).startswith("Correct: ") == (marking.verdict == "right"), case
        assert ("error" in summary(marking)) <= (marking.verdict == "wrong"), case
        crossed += marking.verdict == "wrong"
    assert crossed <= 3  # rows of numbers alone whose names tell nothing once others are left out
