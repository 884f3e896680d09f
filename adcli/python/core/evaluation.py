"""Evaluation of functions at numbers, arrays and traced values in any mixture: those of adcli's table of functions (one
row each, with its rules), and those with rules of their own.

In an operation the value of the innermost trace is unwrapped, and the operation is done again on the value inside,
which may belong to a trace further out: so each trace records exactly the operations that depend on it, and derivatives
of derivatives need no rules of their own.

Functions of complex numbers that are not holomorphic have their rules here.  Adjoints of complex values are ∂f/∂x −
i·∂f/∂y, so that those of holomorphic functions are multiplied by the derivative; for a function with real values the
same number gives the tangent, as the real part of its product with the direction.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable

from ...errors import DomainProblem
from ...graph.overloading import Overloaded, TracingProblem, plain
from ...graph.rules import value_at
from ...numbers.complexes import COMPLEXES, ByRealPart
from ...numbers.doubles import FLOAT, Ordered
from ...numbers.doubles import apply as value_of
from ...numbers.numpy_arrays import ARRAYS, COMPLEX_ARRAYS, np
from ...table.primitive import ROWS, Primitive
from ...typings import TYPE_CHECKING, Any, TypeVar, cast, overload, override
from .contexts import collects_arrays, record_kink
from .traced import DOUBLES, Function, Traced, Values, innermost_trace, is_complex, number, shape, unwrap_arguments

if TYPE_CHECKING:
    from ...table.arithmetic import Evaluating, LimitRule
    from .traced import Differentiation, Keywords, Kind, Linear, LinearRule, RowsRule, Ruled, Sources, Value

V = TypeVar("V", bound="Value")


def apply(row: Primitive, arguments: tuple[Value, ...], total: bool = False) -> Value:
    """Return the value of `row`, a function of the table, at numbers, arrays and traced values, in any mixture.

    NumPy numbers become numbers of Python first, arrays of objects one array; then `_apply` computes and records. It is
    recorded if an argument is traced; comparisons return plain truth values. Returns NotImplemented for an argument
    that is not a number. Raises DomainProblem for a number outside its domain, unless `total` is true, as inside of
    rules; arrays have nan there, as NumPy's own functions do. Raises TracingProblem for complex numbers in a real
    function.
    """
    return _apply(row, tuple([a if type(a) is float or isinstance(a, Traced) else number(a) for a in arguments]), total)


def _apply(row: Primitive, arguments: tuple[Value, ...], total: bool) -> Value:
    """Return the value of `row`, a function of the table, at `arguments`, recorded by the innermost trace among them.

    The cases, in this order:

    - No argument is traced: the value is only computed (`_evaluate`).
    - The value is NotImplemented (an argument is not a number) or a truth value: nothing is recorded.
    - An argument is complex and the function is not holomorphic: the function's own rule is applied (`_unholomorphic`).
    - Otherwise the operation is recorded for those traced arguments that have a rule in the table (without one the
      partial is 0, as of floor); if none has, not at all. A kink that real numbers reach exactly in a traced argument
      is noted first (`record_kink`), that of an array only for kinks="error".

    Raises DomainProblem for a number outside the domain unless `total` is true, TracingProblem for complex numbers in a
    function of real numbers.
    """
    trace = innermost_trace(arguments)
    if trace is None:
        return _evaluate(row, arguments, arithmetic(arguments), total)
    inside = unwrap_arguments(trace, arguments)
    m = arithmetic(inside)
    z = _apply(row, inside, total) if m is MIXED else _evaluate(row, inside, m, total)
    if z is NotImplemented or row.truth:
        return z
    if row.continued is False and any(map(is_complex, inside)):
        return _unholomorphic(row)(*arguments)
    rules = row.partials
    sources = _find_sources(trace, arguments)
    if row.smooth is not None and (m is FLOAT or (m is ARRAYS and collects_arrays())):
        record_kink(row, m, inside, [k for k, _ in sources])
    if isinstance(rules, tuple) and None in rules:
        sources = [source for source in sources if rules[source[0]] is not None]
    return trace.elementwise(row, m or FLOAT, z, inside, sources) if sources else z


def _find_sources(trace: Differentiation, arguments: Values) -> Sources:
    """Return (position, mark) of the arguments that belong to this trace."""
    return [(k, a.mark) for k, a in enumerate(arguments) if isinstance(a, Traced) and a.tracer is trace]


def _evaluate(row: Primitive, arguments: tuple[Value, ...], m: Kind | None, total: bool) -> Value:
    """Return the value of `row`, a function of the table, at arguments of which none is traced, in the arithmetic `m`.

    With `m` None, the first argument of a class with operations of its own (Overloaded, such as Node) computes the
    value; NotImplemented if no argument has such a class. Conditions (`row.truth`) of doubles give a bool. With
    `total`, doubles and complex numbers outside the domain give nan or infinity instead of a DomainProblem. Raises
    TracingProblem for complex numbers in a function of real numbers. NumPy's TypeError is passed on if no argument is
    complex.
    """
    if m is None:
        other = next((a for a in arguments if isinstance(a, Overloaded)), None)
        return NotImplemented if other is None else other.operate(row, arguments)
    if m is FLOAT:
        if row.truth:
            return bool(row.value(DOUBLES, *arguments))
        return value_of(row, DOUBLES, arguments) if total else value_at(row, cast("tuple[float, ...]", arguments))
    if row.continued is False and any(map(is_complex, arguments)):
        return _unholomorphic(row)(*arguments)
    try:
        if m is COMPLEXES:
            return _apply_to_complex(row, arguments, total)
        rule = row.continued if m is COMPLEX_ARRAYS and callable(row.continued) else row.value
        return number(cast("Function", rule)(m, *arguments))
    except TypeError:
        if not any(map(is_complex, arguments)):
            raise
        raise _real_only_error(row) from None


def _apply_to_complex(row: Primitive, arguments: tuple[Value, ...], total: bool) -> Value:
    """Return the value of `row`, a function of the table, at plain complex numbers (mixed with real ones).

    Raises TracingProblem if the function is real only. Raises DomainProblem if the result is nan, unless `total` is
    true or an argument is nan.
    """
    if row.own is not None:
        raise _real_only_error(row)
    complexes = cast("Evaluating[Any]", COMPLEXES)  # complex numbers have no order, and these rules use none
    z = row.continued(complexes, *arguments) if callable(row.continued) else value_of(row, complexes, arguments)
    if not total and z != z and all(a == a for a in arguments):
        raise DomainProblem(f"the function {row.name} has no value here", label=f"the argument is {arguments[0]!r}")
    return z


def _unholomorphic(row: Primitive) -> Differentiable:
    """Return the function with a rule of its own that replaces `row`, which has no holomorphic continuation.

    Only `abs` has one. Raises TracingProblem for every other row: it takes real numbers only.
    """
    if row.name != "abs":
        raise _real_only_error(row)
    return _SIZE


def _real_only_error(row: Primitive) -> TracingProblem:
    """Return the error for complex arguments of a function that takes real numbers only."""
    return TracingProblem(f"the function {row.name} takes only real numbers", help="use z.real, z.imag or abs(z)")


def arithmetic(arguments: Values) -> Kind | None:
    """Return the arithmetic in which a rule is evaluated at these `arguments`.

    They are looked at in order: the first traced argument decides for MIXED, the first of an unknown kind for None (a
    single list or tuple is of an unknown kind, too). Otherwise the result is ARRAYS if one is an array, a NumPy number,
    or (with several arguments) a list or tuple, and COMPLEX_ARRAYS if one of the arguments is also complex (lists are
    not looked into). Without arrays it is COMPLEXES if an argument is complex, else FLOAT, also for no arguments.
    """
    m: Kind = FLOAT
    for a in arguments:
        if type(a) is float or type(a) is int:
            continue
        if isinstance(a, Traced):
            return MIXED
        if hasattr(a, "dtype"):
            m = ARRAYS
        elif isinstance(a, complex):
            m = COMPLEXES if m is FLOAT else m
        elif isinstance(a, (list, tuple)) and len(arguments) > 1:
            m = ARRAYS
        elif not isinstance(a, (float, int)):
            return None
    return COMPLEX_ARRAYS if m is ARRAYS and any(map(is_complex, arguments)) else m


class Mixed(ByRealPart):
    """The arithmetic of traced values: every operation of a rule is recorded by the traces further out.

    Conditions are plain truth values, which are not recorded; complex numbers are compared by their real parts.
    """

    zero, one, undefined, infinity = FLOAT.zero, FLOAT.one, FLOAT.undefined, FLOAT.infinity
    pi, e = FLOAT.pi, FLOAT.e

    @override
    def __getattr__(self, name: str) -> Function:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        return lambda *arguments: apply(row, arguments, True)

    def number(self, x: Value) -> Value:
        return x

    @override
    def _truth(self, condition: Value) -> Value:
        return condition

    @override
    def real(self, x: Value) -> Value:
        return plain(x).real

    max, min = Ordered.max, Ordered.min

    @override
    def eq(self, a: Value, b: Value) -> Value:
        return plain(a) == plain(b)

    @override
    def both(self, a: Value, b: Value) -> Value:
        return plain(a) & plain(b)

    @override
    def either(self, a: Value, b: Value) -> Value:
        return plain(a) | plain(b)

    @override
    def choose(self, condition: Value, a: Value, b: Value) -> Value:
        return ARRAYS.choose(plain(condition), a, b)

    @override
    def guard(self, limit: LimitRule, rule: Value, *arguments: Value) -> Value:
        """Return `rule`, with the value of `limit` where its condition is true."""
        condition = plain(limit.where(self, *arguments))
        is_limit_reached = condition.any() if hasattr(condition, "any") else condition
        return self.choose(condition, limit.value(self, *arguments), rule) if is_limit_reached else rule

    @override
    def abs(self, x: Value) -> Value:
        return self.choose(plain(x).real < 0, -x, x) if is_complex(x) else apply(ROWS["abs"], (x,), True)

    @override
    def sign(self, x: Value) -> Value:
        return apply(ROWS["sign"], (plain(x).real if is_complex(x) else x,), True)

    @override
    def _extreme(self, xs: Values, pick: Function) -> Value:
        return apply(ROWS[pick.__name__], tuple(xs), True)


MIXED = Mixed()


# --- functions with rules of their own --------------------------------------------------------------------------------


class Differentiable:
    """A function `value(*arguments, **keywords)` with its own rules for adjoints or tangents.

    `pull(k, g, z, *arguments, **keywords)` is the contribution to argument k of the adjoint g of the result z; `push(k,
    dot, z, *arguments, **keywords)` the contribution of the tangent `dot` of argument k to that of the result.  One of
    them is enough: it is linear, and the other one is its transpose.  `rows` is like `pull` for many adjoints along a
    first axis, of doubles that are not traced; None if the rule takes one adjoint at a time.
    """

    def __init__(
        self, name: str, value: Function, *,
        pull: LinearRule | None = None, push: LinearRule | None = None, rows: RowsRule | None = None,
    ) -> None:  # fmt: skip
        """Keep the rules of the class; `value` computes the result from plain arguments, `name` is used in messages."""
        self.name = name
        self.plain = value
        self.rows = rows
        self._pull = pull
        self._push = push

    def __call__(self, *arguments: Value, **keywords: object) -> Value:
        return call(self, arguments, keywords)

    def pull(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None:
        """Return the map from an adjoint of the result to the contribution to argument k; None without a rule."""
        rule = self._pull
        return None if rule is None else lambda g: rule(k, g, z, *arguments, **keywords)

    def push(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None:
        """Return the map from a tangent of argument k to its contribution to the result; None without a rule."""
        rule = self._push
        return None if rule is None else lambda dot: rule(k, dot, z, *arguments, **keywords)


def call(function: Ruled, arguments: Values, keywords: Keywords) -> Value:
    """Return the value of a function with a rule of its own at numbers, arrays and traced values."""
    return _call(function, [a if isinstance(a, Traced) else number(a) for a in arguments], keywords)


def _call(function: Ruled, arguments: Values, keywords: Keywords) -> Value:
    """Return the value of `function`, which has its own rules, at `arguments`, recorded by the innermost trace in them.

    If no argument is traced, the plain function is called, and a NumPy number becomes one of Python; otherwise every
    result is recorded. The value at the arguments without the innermost trace is computed by the same function, so that
    outer traces record it first. `keywords` are passed on; traced values in them are not looked for.
    """
    trace = innermost_trace(arguments)
    if trace is None:
        return number(function.plain(*arguments, **keywords))
    inside = unwrap_arguments(trace, arguments)
    z = _call(function, inside, keywords)
    sources = _find_sources(trace, arguments)
    return trace.general(function, z, inside, keywords, sources)


def multilinear(name: str, value: Function, pull: LinearRule, rows: RowsRule | None = None) -> Differentiable:
    """Return the differentiable function with the value `value`, which is linear in each of its arguments.

    The contribution of the tangent of argument k is the function itself, with this tangent instead of the argument.
    `pull(k, g, z, *arguments)` must return what the adjoint `g` of the result `z` contributes to the adjoint of
    argument k, in the shape of this argument; keyword arguments of a call are passed on to it. `rows` does the same for
    many adjoints along a first axis (None: they are propagated one at a time). `name` is for messages.
    """

    def push(k: int, dot: Value, z: Value, *arguments: Value, **keywords: object) -> Value:
        return multilinear_function(*arguments[:k], dot, *arguments[k + 1 :], **keywords)

    multilinear_function = Differentiable(name, value, pull=pull, push=push, rows=rows)
    return multilinear_function


def linear(name: str, value: Function, back: Function, rows: RowsRule | None = None) -> Differentiable:
    """Return the linear function `value` of one array with its rules, whose tangent rule is the function itself.

    `back(g, x, **keywords)` is the transpose, which returns the adjoint of x; `rows` is its form for many adjoints at
    once (None: they are taken one by one); `name` is for messages.
    """
    return multilinear(name, value, lambda k, g, z, x, **keywords: back(g, x, **keywords), rows)


# --- complex numbers --------------------------------------------------------------------------------------------------


def _real_valued(name: str, value: Callable[[Value], Value], weight: Callable[[Value, Value], Value]) -> Differentiable:
    """Return the differentiable function `value` from real or complex numbers x to real ones, with both rules.

    With z = `value(x)`, the adjoint of x is the adjoint of z times `weight(z, x)`. The tangent of z is the real part of
    (tangent of x times `weight(z, x)`). `name` is for messages.
    """

    def push(k: int, dot: Value, z: Value, x: Value) -> Value:
        product = dot * weight(z, x)
        return product.real

    return Differentiable(name, value, pull=lambda k, g, z, x: g * weight(z, x), push=push)


def _abs_weight(z: Value, x: Value) -> Value:
    """Return the weight of z = |x| for `_real_valued`: conj(x)/|x|, and 0 where z = 0."""
    is_zero = plain(z) == 0
    return np.conj(x) / (z + is_zero) if shape(x) else 0.0 if is_zero else conj(x) / z


def _phase(x: Value) -> Value:
    return np.angle(x) if shape(x) else cmath.phase(plain(x))


_REAL = _real_valued("real", lambda x: x.real, lambda z, x: 1)
_IMAG = _real_valued("imag", lambda x: x.imag, lambda z, x: -1j)
_CONJ = Differentiable(
    "conj", lambda x: x.conjugate(), pull=lambda k, g, z, x: conj(g), push=lambda k, dot, z, x: conj(dot)
)
_SIZE = _real_valued("abs", lambda x: np.abs(x) if shape(x) else abs(x), _abs_weight)
_ANGLE = _real_valued("angle", _phase, lambda z, x: -1j * conj(x) / (x.real * x.real + x.imag * x.imag))


@overload
def real(x: complex) -> float: ...
@overload
def real(x: V) -> V: ...
def real(x: Value) -> Value:
    """Return the real part of a number or of each number of an array, in its shape; a real number unchanged."""
    return _REAL(x) if is_complex(x) else x


@overload
def imag(x: complex) -> float: ...
@overload
def imag(x: V) -> V: ...
def imag(x: Value) -> Value:
    """Return the imaginary part of a number or of each number of an array, in its shape; 0 for a real number."""
    return _IMAG(x) if is_complex(x) else 0 * plain(x)


def conj(x: V) -> V:
    """Return the conjugate of a number or of each number of an array, in its shape; a real number unchanged."""
    return cast("V", _CONJ(x)) if is_complex(x) else x


@overload
def angle(x: complex) -> float: ...
@overload
def angle(x: V) -> V: ...
def angle(x: Value) -> Value:
    """Return the angle of a complex number, or of each of an array, in its shape; 0 or π for a real one (slope 0)."""
    return _ANGLE(x) if is_complex(x) else _phase(plain(x))
