"""Distributions of one number: for each a law, written with functions of traced values, so that all derivatives follow.

A law describes the distribution at location 0 and scale 1.  Without traced arguments SciPy's own methods are called.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ....grammar_files import read_tables
from ....graph.overloading import TracingProblem, plain
from ....numbers.numpy_arrays import np
from ....typings import Final, TypeAlias, override
from ...core.containers import Tree
from ...core.scipy_ufuncs import CONSTANTS
from ...core.traced import Function, Mask, Traced, Value, as_array, shape
from ...core.written_formulas import WrittenFormulas, s
from ..stand_ins import StandIn, has_traced, library

Cell: TypeAlias = "Function"
inf, nan = math.inf, math.nan


@dataclass(frozen=True)
class Law:
    """A distribution at location 0 and scale 1; an entry that is None is computed from the others, or is Unsupported.

    shapes                   the names of its parameters
    support                  its two ends, functions of the parameters
    valid                    a function of the parameters that returns where they are allowed
    middle                   a number inside of all supports
    discrete                 whether it is a distribution of whole numbers
    log_density, cdf, sf, …  functions of the number (`ppf`, `isf`: of the probability) and the parameters
    entropy, mean, var       functions of the parameters
    """

    shapes: tuple[str, ...]
    support: tuple[Cell, ...]
    valid: Callable[..., Mask]
    middle: float
    discrete: bool
    log_density: Cell
    cdf: Cell
    sf: Cell
    log_cdf: Cell | None = None
    log_sf: Cell | None = None
    density: Cell | None = None
    ppf: Cell | None = None
    isf: Cell | None = None
    entropy: Cell | None = None
    mean: Cell | None = None
    var: Cell | None = None


_FORMULAS: Final = WrittenFormulas(
    {
        "positive": lambda a: a > 0, "not_negative": lambda a: a >= 0, "whole": lambda a: np.round(a) == a,
        "probability": lambda p: (p >= 0) & (p <= 1),
        "if_positive": lambda y, value, otherwise: np.where(plain(y) > 0, value, otherwise),
    },
    {
        **CONSTANTS, "log_root_tau": math.log(2 * math.pi) / 2, "euler": 0.57721566490153286, "inf": inf,
        "least": 5e-324,  # the lower end of a support whose formulas have no value at 0
    },
)  # fmt: skip


def _read_law(
    shapes: str = "", support: str = "-inf inf", valid: str = "", middle: str = "0.5", discrete: str = "",
    **formulas: str,
) -> Law:  # fmt: skip
    """Return the law of an entry of grammar/distributions.txt, with the texts of its lines by their fields.

    `shapes` has the names of the parameters, separated by ", "; `support` two formulas, separated by a blank. Without
    `valid` all parameters must be positive. Formulas of moments, ends and `valid` are functions of the parameters in
    the order of `shapes`, all others of a number before these.
    """
    names = tuple(shapes.split(", ")) if shapes else ()
    numbers = {**dict.fromkeys(("entropy", "mean", "var"), ()), "ppf": ("q",), "isf": ("q",)}
    number = ("k",) if discrete else ("y",)
    return Law(
        names, tuple([_FORMULAS.function(end, names) for end in support.split()]),
        _FORMULAS.function(valid or " & ".join(f"positive({name})" for name in names) or "True", names),
        float(middle), bool(discrete),
        **{field: _FORMULAS.function(text, numbers.get(field, number) + names) for field, text in formulas.items()},
    )  # fmt: skip


LAWS: Final = MappingProxyType({
    name: law for name, (law,) in read_tables("distributions.txt", _read_law).items()
})  # fmt: skip


def _exp(law: Law, *arguments: Value) -> Value:
    """Return the density as the exponential of its logarithm."""
    return np.exp(law.log_density(*arguments))


def _logarithm(probability: Cell, complement: Cell, *arguments: Value) -> Value:
    """Return the logarithm of `probability(*arguments)`.

    Where the probability is above ½, it is log1p of minus `complement(*arguments)`. `complement` is 1 minus the
    probability, computed without cancellation. −∞ at probability 0.
    """
    z = probability(*arguments)
    is_large = plain(z) > 0.5
    if not np.any(is_large):
        return s.xlogy(1.0, z)
    return np.where(
        is_large, np.log1p(-np.where(is_large, complement(*arguments), 0.5)), s.xlogy(1.0, np.where(is_large, 1.0, z))
    )


# The methods of a number: the field of the law, the function if that is None, the values below and above the support.
_OF_NUMBERS: Final[Mapping[str, tuple[str, Cell, float, float]]] = MappingProxyType({
    "pdf": ("density", _exp, 0.0, 0.0), "logpdf": ("log_density", _exp, -inf, -inf),
    "pmf": ("density", _exp, 0.0, 0.0), "logpmf": ("log_density", _exp, -inf, -inf),
    "cdf": ("cdf", _exp, 0.0, 1.0), "logcdf": ("log_cdf", lambda law, *a: _logarithm(law.cdf, law.sf, *a), -inf, 0.0),
    "sf": ("sf", _exp, 1.0, 0.0), "logsf": ("log_sf", lambda law, *a: _logarithm(law.sf, law.cdf, *a), 0.0, -inf),
})  # fmt: skip
_DENSITIES: Final = ("pdf", "logpdf")
_MASSES: Final = ("pmf", "logpmf")
_OF_PROBABILITIES: Final = ("ppf", "isf")


OF_PARAMETERS: Final = ("entropy", "mean", "var", "std")


class Distribution:
    """A distribution of `scipy.stats` whose methods take traced values, too; calling it fixes its parameters.

    `rules` has the rules for traced arguments by the name of the method.
    """

    def __init__(self, name: str, rules: Mapping[str, Callable[..., Tree] | None]) -> None:
        self._name, self._rules = name, rules

    @override
    def __repr__(self) -> str:
        return f"<scipy.stats.{self._name} for traced values>"

    def __call__(self, *parameters: Tree, **named: Tree) -> Frozen:
        return Frozen(self, parameters, named)

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        """Return the method of this name, with SciPy's signature; AttributeError if SciPy has none.

        It uses SciPy for plain arguments and the rule for traced ones; it raises Unsupported for these without a rule.
        """
        if method.startswith("_"):
            raise AttributeError(method)
        original: Callable[..., Tree] = getattr(getattr(library("stats"), self._name), method)
        both = StandIn(f"stats.{self._name}.{method}", original, self._rules.get(method))
        self.__dict__[method] = both
        return both


class Frozen:
    """A distribution with fixed parameters: `parameters` by position, `named` by keyword."""

    def __init__(self, of: Distribution, parameters: tuple[Tree, ...], named: Mapping[str, Tree]) -> None:
        self._of, self._parameters, self._named = of, parameters, named

    def __getattr__(self, method: str) -> Callable[..., Tree]:
        """Return the method of the distribution with the fixed parameters filled in.

        `entropy`, `mean`, `var` and `std` then take no arguments; other methods take their points, before the
        parameters, and keywords, which override `named`.  Raises AttributeError for a name that begins with an
        underscore.
        """
        if method.startswith("_"):
            raise AttributeError(method)
        unfrozen = getattr(self._of, method)
        if method in OF_PARAMETERS:
            return lambda: unfrozen(*self._parameters, **self._named)
        return lambda *x, **keywords: unfrozen(*x, *self._parameters, **{**self._named, **keywords})


def _make_rule(name: str, law: Law, method: str) -> Callable[..., Tree] | None:
    """Return the rule for a method of the distribution called `name`, with SciPy's signature; None if it has none.

    The arguments of the rule are the number or probability (none for moments), the parameters, loc (default: 0), and
    for continuous laws scale (default: 1). Its result is nan for invalid parameters; it raises TypeError for missing
    arguments, TracingProblem for a traced number of a discrete law.
    """
    location_names = ("loc",) if law.discrete else ("loc", "scale")
    variable = _variable(law, method)
    if variable is None:
        return None
    signature = _signature((*variable, *law.shapes), location_names)

    def call(*arguments: Tree, **keywords: Tree) -> Tree:
        """Return the result of the rule; nan for invalid parameters."""
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        values = [x if isinstance(x, (float, int, Traced)) else as_array(x) for x in bound.arguments.values()]
        loc, scale = values[len(variable) + len(law.shapes) :] if len(location_names) == 2 else (values[-1], 1.0)
        shapes = values[len(variable) : len(variable) + len(law.shapes)]
        if method in _OF_NUMBERS:
            return _of_number(law, method, f"scipy.stats.{name}.{method}", values[0], shapes, loc, scale)
        good = _is_valid(law, shapes, scale)
        if method in _OF_PROBABILITIES:
            return where(good, loc + scale * _quantile(law, method, values[0], shapes), nan)
        moment = _moment(law, method)
        return where(
            good, nan if moment is None else _at_location_and_scale(method, moment(*shapes), law, loc, scale), nan
        )

    return call


def _variable(law: Law, method: str) -> tuple[str, ...] | None:
    """Return the names of the arguments that `method` has before the parameters; None if there is no rule for it.

    ("k",) or ("x",) for densities, masses and distribution functions of a discrete or continuous law, ("q",) for
    quantiles, () for moments. Masses are only for discrete laws, densities only for continuous ones.
    """
    if method in _OF_NUMBERS and method not in (_DENSITIES if law.discrete else _MASSES):
        return ("k",) if law.discrete else ("x",)
    if method in _OF_PROBABILITIES and getattr(law, method) is not None:
        return ("q",)
    return () if method in OF_PARAMETERS and _moment(law, method) is not None else None


def _moment(law: Law, method: str) -> Cell | None:
    """Return the function for a moment or the entropy; the variance for "std"; None if there is none."""
    moment: Cell | None = getattr(law, "var" if method == "std" else method)
    return moment


@cache
def _signature(names: tuple[str, ...], optional: tuple[str, ...]) -> inspect.Signature:
    """Return the signature with the required `names` and the optional "loc" (0) and "scale" (1)."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    required = [inspect.Parameter(name, kind) for name in names]
    defaults = {"loc": 0.0, "scale": 1.0}
    return inspect.Signature(required + [inspect.Parameter(name, kind, default=defaults[name]) for name in optional])


def _is_valid(law: Law, shapes: list[Value], scale: Value) -> Mask:
    """Return whether the parameters are valid and the scale is positive, as a plain truth value or mask."""
    return law.valid(*map(plain, shapes)) & (plain(scale) > 0)


def where(condition: Mask, value: Value, otherwise: Value) -> Value:
    """Return `numpy.where(condition, value, otherwise)`; `value` unchanged if the condition is true everywhere."""
    return value if np.all(condition) else np.where(condition, value, otherwise)


def _of_number(law: Law, method: str, full_name: str, x: Value, shapes: list[Value], loc: Value, scale: Value) -> Value:
    """Return the density, mass or probability at x, or its logarithm, for a `method` of the distribution `law`.

    `shapes` are its parameters; the law is moved by `loc` and, if it is not discrete, stretched by `scale`. Outside the
    support (for cdf and sf also at its upper end) the result is the constant for that side. A mass is 0 at a number
    that is not whole; other functions of discrete laws round x − loc down. Invalid parameters give nan. Raises
    TracingProblem, with `full_name` for the distribution and method, if x or loc of a discrete distribution is traced.
    """
    if law.discrete and (has_traced(x) or has_traced(loc)):
        title = f"{full_name} is discrete: it has no derivative with respect to the number"
        raise TracingProblem(title, help="choose another argument with argnum")
    field, default, below, above = _OF_NUMBERS[method]
    y = (x - loc) / scale if not law.discrete else np.subtract(x, loc, dtype=float)
    bare = np.asarray(plain(y))
    low, high = [plain(end(*shapes)) for end in law.support]
    is_valid = _is_valid(law, shapes, scale)
    is_fraction = (np.floor(bare) != bare) if method in _MASSES else np.zeros(np.shape(bare), bool)
    is_below, is_above = bare < low, bare > high if method in (*_DENSITIES, *_MASSES) else bare >= high
    is_inside = ~(is_below | is_above | is_fraction)
    y = np.floor(y) if law.discrete else y
    y = where(is_inside & is_valid, y, law.middle)
    shapes = [where(is_valid, a, 1.0) for a in shapes]
    rule: Cell | None = getattr(law, field)
    z = default(law, y, *shapes) if rule is None else rule(y, *shapes)
    if method in _DENSITIES:
        z = z / scale if method == "pdf" else z - np.log(where(is_valid, scale, 1.0))
    z = where(is_inside, z, np.where(is_above, above, below))
    common_shape = np.broadcast_shapes(np.shape(bare), shape(scale), *map(shape, shapes))  # rules may not use them all
    return where(is_valid, z if shape(z) == common_shape else np.broadcast_to(z, common_shape), nan)


def _quantile(law: Law, method: str, q: Value, shapes: list[Value]) -> Value:
    """Return the quantile at q for "ppf", the upper one for "isf"; the ends at 0 and 1, nan outside of [0, 1]."""
    bare = plain(q)
    low, high = [plain(end(*shapes)) for end in law.support[:: 1 if method == "ppf" else -1]]
    quantiles = getattr(law, method)(where((bare > 0) & (bare < 1), q, 0.5), *shapes)
    ends = np.where(bare == 0, low, np.where(bare == 1, high, nan))
    return where((bare > 0) & (bare < 1), quantiles, ends)


def _at_location_and_scale(method: str, standard: Value, law: Law, loc: Value, scale: Value) -> Value:
    """Return `method` (mean, var, std or entropy) at `loc` and `scale` > 0, from its value `standard` at 0 and 1.

    For std, `standard` is the variance, not its root. The entropy of a discrete law stays as it is.
    """
    if method == "entropy":
        return standard if law.discrete else standard + np.log(scale) + 0 * loc
    if method == "mean":
        return loc + scale * standard
    variance = scale * scale * standard + 0 * loc
    return np.sqrt(variance) if method == "std" else variance


DISTRIBUTIONS: Final = MappingProxyType({
    name: Distribution(name, {
        method: _make_rule(name, law, method) for method in (*_OF_NUMBERS, *_OF_PROBABILITIES, *OF_PARAMETERS)
    }) for name, law in LAWS.items()
})  # fmt: skip
