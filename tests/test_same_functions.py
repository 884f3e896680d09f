"""Functions are found among others without comparing all of them, and what is found is the same."""

from __future__ import annotations

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from adcli.marking.programs.worksheet import FunctionIndex, Print, same
from adcli.numbers.double_intervals import SPREAD, Spread

VALUES = st.sampled_from([
    SPREAD.number(0.0), SPREAD.number(1.0), SPREAD.number(1.0 + 1e-9), Spread(1.0, 1.0 + 1e-9),
    SPREAD.number(1.0 + 1e-5), Spread(0.5, 1.5), SPREAD.number(1e9), Spread(1e9, 1e9 + 100),
    SPREAD.number(-1e9), SPREAD.number(float("nan")),
])  # fmt: skip
PRINTS = st.tuples(VALUES, VALUES, VALUES)


@examples(300)
@given(st.lists(PRINTS, max_size=8), PRINTS)
def test_the_functions_found_are_those_that_a_comparison_with_each_finds(known: list[Print], function: Print) -> None:
    prints = dict(enumerate(known, 5))
    assert [slot for slot, other in prints.items() if same(function, other)] == FunctionIndex(prints).like(function)
