"""Ufuncs of SciPy (its elementwise special functions): their slopes.

SciPy's own function computes the value, and a slope is a formula of grammar/special_slopes.txt in SciPy's and NumPy's
functions of traced values, so that derivatives of any order follow.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from functools import partial as bound
from types import MappingProxyType

from ...grammar_files import read_sections
from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...table.primitive import ROWS
from ...typings import Any, Final, TypeAlias, TypeVar
from .array_parts import fit
from .evaluation import MIXED, Differentiable
from .traced import Function, Value, Values, finite, is_complex
from .unsupported import Unsupported, unsupported
from .written_formulas import WrittenFormulas, s, split_signature

T = TypeVar("T")

# The slope with respect to one argument, from (result, *arguments); a number if it is constant, None if not known.
Slope: TypeAlias = "Function | int | None"
Slopes: TypeAlias = tuple[Slope, ...]

_ROOT_PI = math.sqrt(math.pi)
_FAR = 50.0  # from here on five terms of an asymptotic series err by 3e-15, and a difference by 5e-13
CONSTANTS: Final = MappingProxyType({
    "pi": math.pi, "root_pi": _ROOT_PI, "root_tau": math.sqrt(2 * math.pi), "root_2": math.sqrt(2),
    "degree": math.pi / 180,
})  # fmt: skip


# --- slopes that are more than a formula ------------------------------------------------------------------------------


def _quotient(x: Value, y: Value) -> Value:
    """Return x/y element by element, and 0 where both are 0 (by their plain values); x or y may be traced."""
    both = (plain(x) == 0) & (plain(y) == 0)
    return x / np.where(both, 1.0, y) if np.any(both) else x / y


def _slope_far_out(x: Value, far: Value, near: Callable[[Value], Value], series: Sequence[float]) -> Value:
    """Return the slopes `near(x)`, replaced where `far` is true by the asymptotic series Σ cₙ/x²ⁿ⁺².

    `series` has the coefficients cₙ from n = 0 on. If x is complex, or `far` is true nowhere, nothing is replaced.
    `near` is evaluated at all x in each case.
    """
    if is_complex(x) or not np.any(far):
        return near(x)
    square = 1 / np.where(far, x, 1.0) ** 2
    tail = 0.0
    for c in reversed(series):
        tail = (tail + c) * square
    return np.where(far, tail, near(x))


_DAWSON: Final = (-1 / 2, -3 / 4, -15 / 8, -105 / 16, -945 / 32)
_SCALED: Final = tuple(c / _ROOT_PI for c in (-1.0, 3 / 2, -15 / 4, 105 / 8, -945 / 16))


def _ellipkm1_slope(p: Value) -> Value:
    """Return the derivative of ellipkm1 with respect to p, in a form without cancellation below ½."""
    small = np.where(plain(p) < 0.5, p, 0.5)
    near = (s.ellipe(1 - small) - small * s.ellipkm1(small)) / (2 * small * (1 - small))
    far = _FORMULAS.functions["ellipk_slope"](1 - np.where(plain(p) < 0.5, 0.5, p))
    return -np.where(plain(p) < 0.5, near, far)


def _half_turns(phi: Value) -> Value:
    """Return the number of half turns of an angle, a plain whole number."""
    return np.round(plain(phi) / math.pi)


def _expn_slope(n: Value, x: Value) -> Value:
    """Return the derivative of the exponential integral Eₙ(x) with respect to x."""
    first = plain(n) == 0
    if not np.any(first):
        return -s.expn(n - 1, x)
    return np.where(first, -np.exp(-x) * (1 + 1 / x) / x, -s.expn(np.where(first, 1, n) - 1, x))


def _of_degree(rule: Function) -> Function:
    """Return the slope function (z, n, *arguments) of a polynomial of degree n.

    The slope is `rule(z, n, *arguments)`, and 0 where n is 0; `rule` gets 1 there instead of 0. n may be an array. A
    traced n is used by its value, without derivative.
    """

    def slope(z: Value, n: Value, *arguments: Value) -> Value:
        n = plain(n)
        is_constant = n == 0
        slopes = rule(z, np.where(is_constant, 1, n) if np.any(is_constant) else n, *arguments)
        return np.where(is_constant, 0.0, slopes) if np.any(is_constant) else slopes

    return slope


# Functions of formulas that NumPy and SciPy do not have in this form; some use the plain value of an argument.
HELPERS: Final[Mapping[str, Function]] = MappingProxyType({
    # sinh(x)/x, for real x in a form that is 1 at 0
    "sinh_quotient": lambda x: np.sinh(x) / x if is_complex(x) else (s.exprel(x) + s.exprel(-x)) / 2,
    "erfcx_slope": lambda x: _slope_far_out(x, plain(x) > _FAR, lambda x: 2 * x * s.erfcx(x) - 2 / _ROOT_PI, _SCALED),
    "dawson_slope": lambda x: _slope_far_out(x, np.abs(plain(x)) > _FAR, lambda x: 1 - 2 * x * s.dawsn(x), _DAWSON),
    "quotient": _quotient, "ellipkm1_slope": _ellipkm1_slope, "half_turns": _half_turns, "expn_slope": _expn_slope,
    "polygamma": lambda n, x: polygamma(n, x), "scipy_log1p": lambda x: s.log1p(x), "sinc": lambda x: np.sinc(x),
    "real": lambda x: np.real(x), "sign": lambda x: np.sign(plain(x)), "whole": lambda k: np.floor(plain(k)),
    "order_below": lambda n: np.abs(plain(n) - 1),
    "within": lambda r, d, inside, outside: np.where(np.abs(plain(r)) <= plain(d), inside, outside),
})  # fmt: skip
_FORMULAS: Final = WrittenFormulas(HELPERS, CONSTANTS)


# --- by name, the slope with respect to each argument, where the table has no such function -------------------------


def _read_slopes(line: str, wrap: Callable[[Function], Function] | None = None) -> Slopes:
    """Return the slopes of the formulas in a line such as `a(x, y): x*z; ?`, each with the result z as first argument.

    A function is changed by `wrap` (None: not); `?` gives None, a whole number itself.
    """
    signature, formulas = line.split(": ")
    arguments = ("z", *split_signature(signature)[1])
    slopes: list[Slope] = []
    for formula in formulas.split("; "):
        function = _FORMULAS.function(formula, arguments)
        known = function if wrap is None else wrap(function)
        slopes.append(None if formula == "?" else int(formula) if formula.isdecimal() else known)
    return tuple(slopes)


def _read_several(line: str) -> tuple[Slopes, ...]:
    """Return the slopes of a function with several results, one row for each result, from a line of its file."""
    signature, formulas = line.split(": ")
    return tuple([_read_slopes(f"{signature}: {row}") for row in formulas.split(" | ")])


def _by_name(lines: Sequence[str], read: Callable[[str], T]) -> dict[str, T]:
    return {split_signature(line.partition(": ")[0])[0]: read(line) for line in lines if line}


_SECTIONS = read_sections("special_slopes.txt")
for _line in filter(None, _SECTIONS["definitions"]):
    _FORMULAS.define(_line)
SLOPES: Final[Mapping[str, Slopes]] = MappingProxyType({
    **_by_name(_SECTIONS["slopes"], _read_slopes),
    **_by_name(_SECTIONS["polynomials"], lambda line: _read_slopes(line, _of_degree)),
})  # fmt: skip
# The slopes of functions with several results, one row for each result.
SEVERAL: Final[Mapping[str, tuple[Slopes, ...]]] = MappingProxyType(_by_name(_SECTIONS["several"], _read_several))

# Functions that are scaled with the absolute value of a part of the argument: they are not holomorphic.
_REAL_ALONE: Final = frozenset(("jve", "yve", "ive", "i0e", "i1e"))


# --- calls ------------------------------------------------------------------------------------------------------------


def sloped(name: str, value: Function, slopes: Slopes) -> Differentiable:
    """Return the rule of the elementwise function `value`, which messages call `name`.

    `slopes` has for each argument a function `(z, *arguments)` of the result and the arguments, a whole number if the
    slope is constant, or None if it is not known. The rule raises Unsupported if it is not known, or, for functions
    that SciPy's formula covers for real numbers only, if that argument is complex. Where an adjoint or a tangent is 0,
    its product with a slope is 0 too, even if the slope is not finite.
    """

    def times_slope(k: int, g: Value, z: Value, *arguments: Value, **_: object) -> Value:
        """Return `g`, an adjoint, many of them along a first axis, or a tangent, times the slope for argument k.

        Raises Unsupported if the slope is not known, or only for real numbers and argument k is complex.
        """
        slope = slopes[k]
        if slope is None:
            raise no_special_rule(name, f"with respect to argument {k} (counted from 0)")
        if isinstance(slope, int):
            return g * float(slope)
        if name in _REAL_ALONE and is_complex(arguments[k]):
            raise no_special_rule(name, "for complex numbers")
        with np.errstate(all="ignore"):
            product = g * slope(z, *arguments)
        return product if finite(product) else np.where(plain(g) == 0, 0.0, product)

    def pull(k: int, g: Value, z: Value, *arguments: Value, **_: object) -> Value:
        return fit(times_slope(k, g, z, *arguments), arguments[k])

    return Differentiable(name, value, pull=pull, push=times_slope, rows=times_slope)


def polygamma(n: Value, x: Value) -> Value:
    """Return the n-th derivative of digamma, for n that is not traced.  Raises Unsupported for complex numbers."""
    if is_complex(x):
        raise no_special_rule("psi", "for complex numbers")
    return _POLYGAMMA(n, x)


_POLYGAMMA: Final = sloped(
    "polygamma", lambda n, x: s.polygamma(n, x), (None, lambda z, n, x: polygamma(np.add(plain(n), 1), x))
)


def no_special_rule(name: str, why: str = "") -> Unsupported:
    """Return the error for a function of scipy.special without a rule, or without one in this case.

    `why` ends the message, e.g. "for complex numbers".
    """
    return unsupported(f"scipy.special.{name}", why)


def known_slopes(name: str) -> Slopes | None:
    """Return the slopes, by argument, of the function called `name`, which has one result.

    They are those of `SLOPES`, else those of the row of this name (not of an alias) in adcli's table of functions. A
    slope is None if it is not known. None instead of a tuple for a name without either, or for a function whose number
    of arguments is not fixed.
    """
    row = ROWS.get(name)
    if name in SLOPES or row is None or not isinstance(row.partials, tuple):
        return SLOPES.get(name)
    return tuple([None if partial is None else bound(partial, MIXED) for partial in row.partials])


@cache
def rule(called: Function) -> Callable[..., Value | tuple[Value, ...]] | None:
    """Return the differentiable function for `called`, a ufunc of SciPy; the result is cached.

    None if `called` is not the object of its name in `scipy.special`, or if none of its slopes is known (one of several
    may be missing). For a ufunc with several results, the function returns a tuple.
    """
    name = called.__name__
    if not is_scipys(called):
        return None
    slopes = known_slopes(name)
    if slopes is not None:
        return sloped(name, called, slopes)
    if name in SEVERAL:
        parts = [sloped(name, _pick_result(called, k), slopes) for k, slopes in enumerate(SEVERAL[name])]
        return lambda *arguments: tuple([part(*arguments) for part in parts])
    return None


def _pick_result(called: Callable[..., Any], k: int) -> Function:
    return lambda *arguments: called(*arguments)[k]


def elementwise(called: Function, arguments: Values) -> Value | tuple[Value, ...]:
    """Return the result of a ufunc at traced values, recorded; a tuple for one with several results.

    Raises Unsupported if `called` has no rule: a ufunc of SciPy without known slopes, or one that is neither NumPy's
    nor SciPy's.
    """
    function = rule(called)
    if function is not None:
        return function(*arguments)
    if is_scipys(called):
        raise no_special_rule(called.__name__)
    title = f"adcli cannot differentiate {called.__name__}, which is not a function of NumPy or SciPy"
    raise Unsupported(title, help="add a rule with primitive and defvjp of adcli.python")


def is_scipys(called: Function) -> bool:
    """Return whether the function is the one of that name in `scipy.special`."""
    homes = (sys.modules.get("scipy.special"), sys.modules.get("scipy.special._ufuncs"))
    return any(home is not None and getattr(home, called.__name__, None) is called for home in homes)
