"""A trace in sentences: what is told is what was computed, every rule once, and grammar for every row of the table."""

from __future__ import annotations

import math
import re
from functools import cache

import pytest
from drawn import examples
from expressions import Case, case_of, programs
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER

import adcli
from adcli.errors import RequestError
from adcli.graph.rules import partials_at
from adcli.notation.number_text import Digits, with_and
from adcli.numbers.doubles import FLOAT
from adcli.render.step_sentences import Account, accounts
from adcli.table.primitive import ROWS, Primitive
from adcli.trace.explained_sweeps import FORWARD, REVERSE, VALUE, ExplainedSweep, check_step_count, explain_steps
from adcli.trace.trace_model import Request, Trace
from adcli.trace.written_rules import rule_of

EXAMPLE = adcli.parse(PAPER).trace({"x1": 2, "x2": 5})
every_row = pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))


def told(text: str, at: dict[str, float], detail: str = "full") -> list[Account]:
    return accounts(adcli.parse(text).trace(at), Digits(), detail)


@cache
def told_of(row: Primitive) -> list[Account]:
    """What is told of a row, by every test that looks at it."""
    case = case_of(row)
    return told(case.text, case.at)


def passage(trace: Trace, sweep: str, key: str) -> ExplainedSweep:
    (found,) = [p for p in explain_steps(trace, Digits()) if (p.sweep, p.key) == (sweep, key)]
    return found


def sentences(found: list[Account]) -> list[str]:
    return [
        text
        for account in found
        for text in (
            *account.opening, *account.search, *account.results,
            *(sentence for line in account.lines for sentence in (*line.before, *line.after)),
        )
    ]  # fmt: skip


# --- the running example ---------------------------------------------------------------------------------------------


def test_sweeps_come_in_the_order_in_which_they_are_computed() -> None:
    expected = [(VALUE, ""), (FORWARD, "x1"), (FORWARD, "x2"), (REVERSE, "y")]
    assert expected == [(p.sweep, p.key) for p in explain_steps(EXAMPLE, Digits())]


def test_the_search_makes_the_tapes_of_the_paper() -> None:
    forward, reverse = passage(EXAMPLE, FORWARD, "x1").search, passage(EXAMPLE, REVERSE, "y").search
    assert forward is not None
    assert reverse is not None
    assert ("x1", "v2", "v1", "v4", "v5") == forward.tape
    assert ("x2", "v3") == forward.unreached
    assert ("v5", "v3", "v4", "v2", "x2", "v1", "x1") == reverse.tape
    assert () == reverse.unreached
    assert [("x1", "v1", "v4", "v5"), ("x1", "v1", "v4"), ("x1", "v1"), ("x1", "v2"), ("x1",)] == [
        place.path for place in forward.places
    ]


def test_contributions_to_one_adjoint_are_announced_and_then_meet() -> None:
    account = accounts(EXAMPLE, Digits(), "short")[-1]
    said = [" ".join((*line.before, *line.after)) for line in account.lines if line.symbol == "x̄2"]
    assert said[0].endswith("This is the first contribution to x̄2; more will come from v2.")
    assert "Contributions add up: −0.284 from v3 and 2 from v2; x̄2 is complete." == said[1]


def test_a_step_is_written_as_on_a_board() -> None:
    equations = {line.equation for account in accounts(EXAMPLE, Digits()) for line in account.lines}
    assert equations >= {
        "x1 = 2", "v5 = v4 − v3 = 10.693 + 0.959 = 11.652", "v̇1 = ẋ1/x1 = 1/2 = 0.5",
        "v̇2 = ẋ1 × x2 + ẋ2 × x1 = 1 × 5 + 0 × 2 = 5", "v̄5 = ȳ = 1",
        "x̄2 = x̄2 + v̄2 ∂v2/∂x2 = x̄2 + v̄2 × x1 = −0.284 + 1 × 2 = 1.716",
    }  # fmt: skip


def test_a_sweep_ends_with_what_it_was_made_for() -> None:
    expected = [("y = v5 = 11.652.",), ("∂y/∂x1 = v̇5 = 5.5.",), ("∂y/∂x2 = v̇5 = 1.716.",),
                ("∂y/∂x1 = x̄1 = 5.5.", "∂y/∂x2 = x̄2 = 1.716.")]  # fmt: skip
    assert expected == [account.results for account in accounts(EXAMPLE, Digits())]


def test_the_reason_for_the_order_is_that_an_adjoint_is_complete() -> None:
    reverse = accounts(EXAMPLE, Digits(), "full")[-1]
    turns = [line.before[0] for line in reverse.lines if line.explained.opens]
    assert "v̄5 is known from the start; v5 = v4 − v3 contributes to v4 and v3." == turns[0]
    assert "v̄4 is complete, since v5 has contributed; v4 = v1 + v2 contributes to v1 and v2." == turns[1]
    assert 5 == len(turns)


def test_sweeps_apart_have_their_own_numbers_and_rules() -> None:
    for account in accounts(EXAMPLE, Digits(), "full", restart_numbers=True):
        numbers = [line.number for line in account.lines]
        assert list(range(1, len(numbers) + 1)) == numbers
        mentioned = [int(n) for text in sentences([account]) for n in re.findall(r"as in step (\d+)", text)]
        assert all(n in numbers for n in mentioned)


# --- edges -----------------------------------------------------------------------------------------------------------


def test_one_row_as_both_arguments_contributes_twice() -> None:
    lines = told("x/x", {"x": 4})[-1].lines
    assert "This is the first contribution to x̄; more will come from v1." in lines[1].before
    assert "Contributions add up: 0.25 from v1 and −0.25 from v1; x̄ is complete." in lines[2].after
    forward = told("x/x", {"x": 4})[1].lines[-1]
    assert "Two terms add up: 0.25 through x as argument 1 and −0.25 through x as argument 2." in forward.after


def test_a_branch_not_taken_is_told_and_takes_no_part() -> None:
    values, *_, reverse = told("if(x > 0, x^2, log(y))", {"x": 3, "y": 2})
    assert ["It is not computed: a condition has chosen the other branch."] == [
        text for line in values.lines if line.symbol == "v3" for text in line.before
    ]
    assert "It needs v1 and v2, which are known." in values.lines[-1].before
    assert not [line for line in reverse.lines if line.explained.step.target == "y"]
    assert "∂f/∂y = ȳ = 0." in reverse.results
    assert any("contributes to v2." in text for text in sentences([reverse]))


def test_a_condition_is_true_or_false() -> None:
    values, *_ = told("if(x > 0, x, 1)", {"x": 3})
    assert "v1 = (x > 0) = (3 > 0) = true" == values.lines[1].equation
    assert values.lines[1].truth is None


def test_a_convention_at_a_kink_is_told_where_it_is_used() -> None:
    note = "v1 = |x|: abs has a corner at 0 (slope -1 from the left and 1 from the right); the slope used here is 0."
    values, forward, reverse = told("abs(x)", {"x": 0})
    assert note not in sentences([values])
    assert [note] == [text for text in sentences([forward]) if text == note]
    assert [note] == [text for text in sentences([reverse]) if text == note]


def test_a_seed_is_called_a_seed() -> None:
    trace = adcli.parse("p=x*y; q=x+y; p; q").trace({"x": 2, "y": 3}, "both", seed={"x": 1.0, "p": 2.0})
    _, forward, reverse = accounts(trace, Digits(), "full")
    assert "Forward sweep along the seed" == forward.title
    assert "The seed does not change y." in sentences([forward])
    assert "The seed gives p its weight." in sentences([reverse])
    assert ("x̄ = 6.", "ȳ = 4.") == reverse.results


def test_a_weight_counts_among_the_contributions() -> None:
    trace = adcli.parse("p=x*x; q=p*x; p; q").trace({"x": 2}, "reverse", seed={"p": 3.0, "q": 1.0})
    said = sentences(accounts(trace, Digits(), "full"))
    assert "The seed gives p its weight; more will come from q." in said
    assert "Contributions add up: 3 from the seed and 2 from q; p̄ is complete." in said


def test_a_number_alone_has_no_sweep_but_its_value() -> None:
    (values,) = told("3", {})
    assert ("y = 3.",) == values.results


@pytest.mark.slow
def test_more_steps_than_anyone_reads_are_refused() -> None:
    trace = adcli.parse("sum(i,1,900,sin(i*x))").trace({"x": 1})
    with pytest.raises(RequestError, match="steps are too many to explain"):
        explain_steps(trace, Digits())


def test_more_steps_than_anyone_reads_are_refused_before_they_are_computed() -> None:
    e = adcli.parse("log(x) + sum(i,1,900,sin(i*x))")
    with pytest.raises(RequestError, match=r"^[0-9]+ steps are too many to explain"):
        e.explain(x=-1.0)  # where there is no value
    with pytest.raises(RequestError, match="a picture of 2702 nodes is too large to read"):
        e.graph(x=-1.0)


@given(programs(depth=2), st.sampled_from(["value", "forward", "reverse", "both"]))
@examples(15)
def test_steps_are_counted_as_many_as_there_will_be(case: Case, mode: str) -> None:
    text, at = case
    try:
        trace = adcli.parse(text, list(at)).trace(at, mode)
    except adcli.AdcliError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adcli.trace.explained_sweeps.MOST", -1)
        with pytest.raises(RequestError, match="too many to explain") as caught:
            check_step_count(trace.graph, Request(mode))
    counted = len(trace.rows) + len(trace.steps)
    if not caught.value.title.startswith("at least"):
        assert f"{counted} steps are too many to explain" == caught.value.title
    else:
        assert int(caught.value.title.split()[2]) <= counted


def test_things_are_listed_as_people_list_them() -> None:
    assert ["", "a", "a and b", "a, b and c"] == [with_and("abc"[:k]) for k in range(4)]


# --- every row of the table ------------------------------------------------------------------------------------------


@every_row
def test_the_rule_as_it_is_written_is_the_partial_derivative(row: Primitive) -> None:
    rule = rule_of(row)
    if row.truth or row.arity is None:
        return
    middle = [(0.4 * low + 0.6 * high) for low, high in row.ranges()]
    exact = partials_at(row, FLOAT, row.value(FLOAT, *middle), tuple(middle), (True,) * len(middle))
    at = dict(zip(rule.arguments, middle, strict=True))
    assert row.has_order == (rule.derivatives[0] == "not known")
    for text, expected in list(zip(rule.derivatives, exact, strict=True))[row.has_order :]:
        text = text.replace("if(condition", "if(condition > 0.5")
        text = text.replace(" mod ", " % ")
        if row.has_order:  # the first argument must be a constant
            text = f"{rule.arguments[0]} = {middle[0]}; {text.replace('|n − 1|', '(n − 1)')}"
        formula = adcli.parse(text, at)
        found = formula.value({name: at[name] for name in formula.inputs})
        assert math.isclose(expected, found, rel_tol=1e-12), f"{rule.call}: {text}"


@every_row
def test_sentences_are_right_for_every_row(row: Primitive) -> None:
    found = told_of(row)
    for text in sentences(found):
        assert re.fullmatch(r"\S.*[^\s.,;:]\.", text), text
        assert not re.search(r"  | [,.;]|\bNone\b|\bnan\b|and \.|is by|\(\)", text), text
    call = rule_of(row).call
    forms = (f"Rule: the derivative of {call} ", f"∂{call}/∂", f"∂({call})/∂")
    rules = [text for text in sentences(found) if any(form in text for form in forms)]
    if row.truth:
        rules = [text for text in sentences(found) if f"Rule: {call} has no derivative" in text]
    assert 1 == len(rules)


@every_row
def test_a_rule_is_explained_once_and_then_referred_to(row: Primitive) -> None:
    found = told_of(row)
    explained = [
        (line.explained.rule.name, line.explained.explained)
        for account in found[1:]
        for line in account.lines
        if line.explained.rule is not None
    ]
    assert len({name for name, _ in explained}) == len(set(explained))
    rules = [
        re.split(" is | = ", text)[0] for text in sentences(found) if re.match(r"\w+ rule: |Rule: the deriv", text)
    ]
    assert len(set(rules)) == len(rules)


# --- every program ---------------------------------------------------------------------------------------------------


@examples(60)
@given(case=programs(depth=2))
def test_what_meets_in_a_step_adds_up_to_its_value(case: Case) -> None:
    trace = adcli.parse(case.text).trace(case.at)
    for found in explain_steps(trace, Digits()):
        for step in found.steps:
            if step.edges:
                total = math.fsum([step.weight or 0.0, *(edge.amount for edge in step.edges)])
                scale = math.fsum(abs(edge.amount) for edge in step.edges)
                assert math.isclose(step.step.value, total, rel_tol=1e-9, abs_tol=1e-12 * scale)


@examples(60)
@given(case=programs(depth=2))
def test_what_is_needed_stands_before_and_what_is_waited_for_comes(case: Case) -> None:
    trace = adcli.parse(case.text).trace(case.at)
    labels = {row.name: row.label for row in trace.rows}
    for found in explain_steps(trace, Digits()):
        if found.sweep == REVERSE:
            for place, step in enumerate(found.steps):
                later = [t for t in found.steps[place + 1 :] if t.step.target == step.step.target]
                assert {labels[t.step.source] for t in later if t.step.source} == set(step.pending)
                if step.step.source is not None:  # a row hands over nothing before its adjoint is complete
                    assert all(t.step.target != step.step.source for t in found.steps[place:])
            continue
        known: set[str] = set()
        for step in found.steps:
            assert set(step.needs) <= known
            known.add(step.row.label)


@examples(60)
@given(case=programs(depth=2))
def test_the_tape_of_the_search_holds_exactly_what_the_sweep_reaches(case: Case) -> None:
    trace = adcli.parse(case.text).trace(case.at)
    labels = [row.label for row in trace.rows]
    for found in explain_steps(trace, Digits()):
        if found.search is not None:
            assert sorted(labels) == sorted((*found.search.tape, *found.search.unreached))
            assert found.search.tape[::-1] == tuple(place.path[-1] for place in found.search.places)
