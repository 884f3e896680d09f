"""nan and infinity in Python functions: the operation that made the first is named, with its line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adcli.python import KinkWarning, exp, grad, hvp, jacobian, jvp, sqrt, vjp
from adcli.python.nan_tracing import NotFinite


def scalar(x: Any) -> Any:
    y = 800 * x
    z = exp(y)
    return z - z


def array(x: Any) -> Any:
    y = x + 1
    return np.sum(2 * np.log(y))


def steep(x: Any) -> Any:
    return np.sum(np.sqrt(x))


LINES = {function: function.__code__.co_firstlineno for function in (scalar, array, steep)}
ONES = np.ones(3)
OVER = np.array([1.0, -2.0, 3.0])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    ("use", "function", "line", "said"),
    [
        (lambda: grad(scalar)(1.0), scalar, 2, "scalar: exp of 800.0 is inf"),
        (lambda: jvp(scalar)(1.0)(1.0), scalar, 2, "scalar: exp of 800.0 is inf"),
        (lambda: vjp(scalar)(1.0)[1](1.0), scalar, 2, "scalar: exp of 800.0 is inf"),
        (lambda: grad(array)(OVER), array, 2, "array: log of -1.0 is nan at index 1"),
        (lambda: jvp(array)(OVER)(ONES), array, 2, "array: log of -1.0 is nan at index 1"),
        (lambda: jacobian(array)(OVER), array, 2, "array: log of -1.0 is nan at index 1"),
        (lambda: grad(steep)(np.array([1.0, 0.0])), steep, 1, "steep: the slope of sqrt of 0.0 is inf at index 1"),
        (lambda: hvp(array)(OVER)(ONES), array, 2, "log of -1.0 is nan at index 1"),
    ],
)
def test_the_first_that_is_not_finite_is_named_with_its_line(
    use: Callable[[], Any], function: Any, line: int, said: str
) -> None:
    with pytest.warns(NotFinite) as every:
        use()
    found = [warning for warning in every if warning.category is NotFinite]  # NumPy has warnings of its own
    message = str(found[0].message)
    assert said in message
    assert message.endswith(f", in line {LINES[function] + line} of test_python_nan_tracing.py")
    assert found[0].filename == __file__


def test_a_function_of_the_table_has_no_line_of_the_users() -> None:
    with pytest.warns(NotFinite, match=r"^exp: exp of 800.0 is inf$"):
        grad(exp)(800.0)


def test_an_infinite_slope_that_a_kink_explains_is_told_once() -> None:
    with pytest.warns(KinkWarning, match="sqrt is vertical at 0") as every:
        grad(sqrt)(0.0)
    assert 1 == len(every)


def test_nothing_is_said_of_what_was_given_and_the_function_is_called_once_where_all_is_well() -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return np.sum(x * x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [2.0, 4.0] == grad(counted)(np.array([1.0, 2.0])).tolist()
        assert np.isnan(grad(counted)(np.array([np.nan, 2.0]))[0])
    assert 2 == len(calls)


def test_a_function_that_fails_when_it_is_called_again_has_given_its_answer() -> None:
    calls = []

    def once(x: Any) -> Any:
        calls.append(x)
        if len(calls) > 1:
            raise KeyError("used up")
        return exp(x)

    assert np.inf == grad(once)(1000.0)
