"""Cases that are one test are all tried, and each that fails is named."""

from __future__ import annotations

import pytest
from together import MANY, together


def test_all_that_fail_are_named_and_what_is_skipped_stops_nobody() -> None:
    @together("k", range(MANY + 1))
    def of_all(k: int, seen: list[object]) -> None:
        seen.append(k)
        if k == 1:
            pytest.skip("not here")
        assert k in (0, 2, 4)

    (mark,) = of_all.pytestmark
    first, second = mark.args[1]
    assert (MANY, 1) == (len(first), len(second))
    seen: list[int] = []
    with pytest.raises(AssertionError, match=rf"{MANY - 4} of {MANY} cases\n3 \(3\): AssertionError.*\n5 \(5\): "):
        of_all(group=first, seen=seen)
    assert list(range(MANY)) == seen
    with pytest.raises(pytest.skip.Exception):
        of_all(group=first[1:2], seen=seen)
    of_all(group=first[:3], seen=seen)
