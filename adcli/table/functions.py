"""The table of functions: every function and operator that adcli knows, one row each.

To add one, add a row. A rule takes the arithmetic `m`, the result `z` (partials only) and the arguments, and uses `+ -
* /` and `m.name(...)`, nothing else: `arithmetic` lists the functions of `m`, and a type checker checks every rule
against it. A limit has its number of operands next to its name, `Limit[Operand]`; a rule for any number of arguments is
a `def`, since lambdas with `*xs` go unchecked. Formulas after the Digital Library of Mathematical Functions (DLMF)
chapter 4 (elementary), 5 (gamma) and 7 (error function).
"""

from __future__ import annotations

import math

from ..typings import TYPE_CHECKING
from . import degrees, gamma_rows, learning, operators, special_functions, trigonometry
from .primitive import (
    ATOM,
    OR,
    POSITIVE,
    ROWS,
    Bounds,
    Call,
    Check,
    Kink,
    Limit,
    Monotone,
    Slip,
    Template,
    declare,
    infinite,
    lookup,
    spellings,
)  # fmt: skip

if TYPE_CHECKING:
    from .arithmetic import Arithmetic, Comparison, Operand, T

# Who looks up a function here has all rows: these and those of the other files.
__all__ = [
    "EVERYDAY", "ROWS", "declare", "degrees", "gamma_rows", "learning", "lookup", "operators", "special_functions",
    "spellings", "trigonometry",
]  # fmt: skip

inf = math.inf

# --- powers, exponentials, logarithms ---------------------------------------------------------------------------------

declare(
    "sqrt",
    composed=lambda m, x: m.pow(x, m.div(1, 2)),
    partials=(lambda m, z, x: 1 / (2 * z),),
    domain=Check(lambda m, x: x >= 0, "sqrt needs an argument that is not negative", "{0} >= 0", gives_nan=True),
    smooth=infinite(lambda m, x: x != 0, "sqrt is vertical at 0"),
    sample=(0.1, 9.0),
    notation=Call(root="2"),
    slips=(
        Slip("factor_forgotten", partials=(lambda m, z, x: 1 / z,)),
        Slip("power_off_by_one", partials=(lambda m, z, x: z / 2,)),
    ),
    monotone=Monotone(Bounds(0, inf), Bounds(0, inf)),
    exact=((0, 0), (1, 1), (4, 2)),
    libm="sqrt",
    numpy="sqrt",
    sympy="sqrt",
    summary="square root",
)
declare(
    "cbrt",
    composed=lambda m, x: m.pow(x, m.div(1, 3)),
    partials=(lambda m, z, x: 1 / (3 * m.pow(z, 2)),),
    smooth=infinite(lambda m, x: x != 0, "cbrt is vertical at 0", left=inf),
    sample=(0.1, 9.0),
    notation=Call(root="3"),
    slips=(Slip("factor_forgotten", partials=(lambda m, z, x: 1 / m.pow(z, 2),)),),
    monotone=Monotone(),
    exact=((-1, -1), (0, 0), (1, 1)),
    libm="cbrt",
    numpy="cbrt",
    summary="cube root, of negative numbers too",
)
_power_at_zero: Limit[Operand, Operand] = Limit(  # a root of degree 1 or less is a power, with a slope at 0
    lambda m, x, n: m.both(m.eq(x, 0), m.le(n, 1)), lambda m, x, n: m.div(m.pow(x, m.div(1, n) - 1), n)
)
_root_of_zero: Limit[Operand, Operand] = Limit(  # as for a power
    lambda m, x, n: m.eq(x, 0),
    lambda m, x, n: m.div(m.pow(x, m.div(2 * m.ceil(m.div(1, n)) - 1, 2)) * m.exp(-m.div(1, n)), n * n),
    shown=lambda m, k, x, n: m.both(m.eq(x, 0), m.lt(k * n, 1)),
)
_NO_SLOPE = "a root of a negative number has no derivative with respect to its degree"
declare(
    "root",
    value=lambda m, x, n: m.sign(x) * m.pow(m.abs(x), m.div(1, n)),
    partials=(
        lambda m, z, x, n: m.guard(_power_at_zero, m.div(m.div(z, n), x), x, n),
        lambda m, z, x, n: m.guard(_root_of_zero, -z * m.log(x) / n / n, x, n),
    ),
    domain=(
        Check(lambda m, x, n: n != 0, "there is no root of degree 0", "{1} != 0", blame=1),
        Check(lambda m, x, n: (x != 0) | (n > 0), "division by zero", "{0} != 0"),
        Check(
            lambda m, x, n: (x >= 0) | (n - 2 * m.floor(n / 2) == 1),
            "a negative number has no real even root",
            "{0} >= 0",
        ),
    ),
    smooth=(
        Kink(
            lambda m, x, n: (x != 0) | (n <= 1),
            "the graph of a root is vertical at 0",
            sides=lambda m, x, n: (inf if n - 2 * m.floor(n / 2) == 1 else None, inf),
            slope=lambda m, *_: inf,
        ),
        Kink(lambda m, x, n: (x >= 0) | (n != m.floor(n)), _NO_SLOPE),
    ),
    sample=((0.2, 9.0), (1.5, 5.0)),
    notation=Call(root="{1}"),
    arguments=("x", "n"),
    aliases=("nthroot", "surd"),
    continued=lambda m, x, n: m.pow(x, m.div(1, n)),
    where="x > 0, or n odd; n > 0 where x = 0",
    summary="n-th root; odd roots of negative numbers are real",
)
declare(
    "exp",
    partials=(lambda m, z, x: z,),
    sample=(-3.0, 3.0),
    slips=(Slip("power_rule_for_exponential", partials=(lambda m, z, x: x * m.exp(x - 1),)),),
    monotone=Monotone(image=POSITIVE),
    exact=((0, 1),),
    libm="exp",
    numpy="exp",
    summary="exponential function",
)
declare(
    "expm1",
    composed=lambda m, x: m.exp(x) - 1,
    partials=(lambda m, z, x: m.exp(x),),
    monotone=Monotone(image=Bounds(-1, inf, open_low=True)),
    exact=((0, 0),),
    libm="expm1",
    numpy="expm1",
    summary="exp(x) - 1 without cancellation",
)
declare(
    "log",
    partials=(lambda m, z, x: 1 / x,),
    domain=Check(lambda m, x: x > 0, "log needs a positive argument", "{0} > 0"),
    sample=(0.05, 20.0),
    aliases=("ln",),
    inverse="exp",
    forms={2: "logb"},
    slips=(
        Slip("log10_for_log", value=lambda m, x: m.log10(x), partials=(lambda m, z, x: 1 / (x * m.log(m.number(10))),)),
    ),
    reading="log is read as the natural logarithm; for other bases write log10(x) or log(x, b)",
    clear_beside=("e", "exp", "expm1", "log10", "log2", "log1p", "logb"),
    monotone=Monotone(POSITIVE),
    exact=((1, 0),),
    libm="log",
    numpy="log",
    summary="natural logarithm; log(x, b) takes the base b",
)


def _declare_logarithm(base: int, alias: str, exact: tuple[tuple[float, float], ...]) -> None:
    """Add the row `log<base>`, also called `alias`: log(x)/log(base), for x > 0, with the inverse `exp<base>`.

    `exact` has pairs (argument, value) where the value is known exactly.
    """
    name = f"log{base}"
    declare(
        name,
        composed=lambda m, x: m.log(x) / m.log(base),
        partials=(lambda m, z, x: 1 / m.log(base) / x,),
        domain=Check(lambda m, x: x > 0, f"{name} needs a positive argument", "{0} > 0"),
        sample=(0.05, 20.0),
        notation=Call("log", index=str(base)),
        slips=(Slip("factor_forgotten", partials=(lambda m, z, x: 1 / x,)),),
        aliases=(alias,),
        inverse=f"exp{base}",
        monotone=Monotone(POSITIVE),
        exact=exact,
        libm=name,
        numpy=name,
        summary=f"logarithm to base {base}",
    )


_declare_logarithm(10, "lg", ((1, 0), (10, 1)))
_declare_logarithm(2, "lb", ((0.5, -1), (1, 0), (2, 1)))
declare(
    "logb",
    value=lambda m, x, b: m.div(m.log2(x), m.log2(b)),
    partials=(lambda m, z, x, b: 1 / m.log(b) / x, lambda m, z, x, b: -z / m.log(b) / b),
    domain=(
        Check(lambda m, x, b: x > 0, "log needs a positive argument", "{0} > 0"),
        Check(
            lambda m, x, b: (b > 0) & (b != 1),
            "the base of a logarithm must be positive and not 1",
            "{1} > 0 and {1} != 1",
            blame=1,
        ),
    ),
    arguments=("x", "b"),
    sample=((0.05, 20.0), (1.5, 9.0)),
    notation=Call("log", index="{1}", text="log"),
    slips=(Slip("factor_forgotten", partials=(lambda m, z, x, b: 1 / x, None)),),
    summary="logarithm of x to base b",
)
declare(
    "log1p",
    composed=lambda m, x: m.log(1 + x),
    partials=(lambda m, z, x: 1 / (1 + x),),
    domain=Check(lambda m, x: x > -1, "log1p needs an argument above -1", "{0} > -1"),
    sample=(-0.9, 9.0),
    monotone=Monotone(Bounds(-1, inf, open_low=True)),
    exact=((0, 0),),
    libm="log1p",
    numpy="log1p",
    summary="log(1 + x) without cancellation",
)

# --- special functions ------------------------------------------------------------------------------------------------


def _without_poles(name: str) -> Check[Operand]:
    """Return the domain of the function called `name`, all numbers but 0, -1, -2, …"""
    title = f"{name} has poles at 0 and at the negative integers"
    return Check(lambda m, x: (x > 0) | (x != m.floor(x)), title, "{0} > 0, or {0} is not a whole number")


declare(
    "erf",
    partials=(lambda m, z, x: 2 / m.sqrt(m.pi) * m.exp(-x * x),),
    monotone=Monotone(image=Bounds(-1, 1, True, True)),
    inverse="erfinv",
    exact=((0, 0),),
    libm="erf",
    summary="error function",
)
declare(
    "erfc",
    partials=(lambda m, z, x: -(2 / m.sqrt(m.pi) * m.exp(-x * x)),),
    monotone=Monotone(image=Bounds(0, 2, True, True), rising=False),
    inverse="erfcinv",
    exact=((0, 1),),
    libm="erfc",
    summary="1 - erf(x) without cancellation",
)
declare(
    "gamma",
    partials=(lambda m, z, x: z * m.polygamma(0, x),),
    domain=_without_poles("gamma"),
    sample=(0.2, 5.0),
    notation=Call("Gamma"),
    where="not 0, -1, -2, …",
    aliases=("Γ",),
    libm="tgamma",
    summary="gamma function",
)
declare(
    "lgamma",
    partials=(lambda m, z, x: m.polygamma(0, x),),
    domain=_without_poles("lgamma"),
    sample=(0.2, 9.0),
    aliases=("loggamma", "gammaln"),
    where="not 0, -1, -2, …",
    exact=((1, 0), (2, 0)),
    libm="lgamma",
    coarse=1.0,
    sympy="loggamma",
    summary="logarithm of the size of gamma(x)",
)
declare(
    "digamma",
    value=lambda m, x: m.polygamma(0, x),
    partials=(lambda m, z, x: m.polygamma(1, x),),
    domain=_without_poles("digamma"),
    sample=(0.2, 9.0),
    notation=Call("psi"),
    aliases=("psi", "psi0"),
    where="not 0, -1, -2, …",
    summary="derivative of lgamma(x)",
)
declare(
    "polygamma",
    partials=(None, lambda m, z, n, x: m.polygamma(n + 1, x)),
    domain=(
        Check(
            lambda m, n, x: (n >= 0) & (n == m.floor(n)),
            "the order of polygamma must be a whole number",
            "{0} = 0, 1, 2, …",
        ),
        Check(
            lambda m, n, x: (x > 0) | (x != m.floor(x)),
            "polygamma has poles at 0 and at the negative integers",
            "{1} > 0, or {1} is not a whole number",
            blame=1,
        ),
    ),
    arguments=("n", "x"),
    has_order=True,
    sample=((1.0, 1.0), (0.5, 9.0)),
    where="n = 0, 1, 2, …; x not 0, -1, -2, …",
    coarse=1.0,
    summary="n-th derivative of digamma, polygamma(n, x)",
)

# --- machine learning -------------------------------------------------------------------------------------------------

declare(
    "sigmoid",
    value=lambda m, x: m.choose(m.ge(x, 0), 1, m.exp(-m.abs(x))) / (1 + m.exp(-m.abs(x))),
    partials=(lambda m, z, x: z * m.sigmoid(-x),),
    notation=Call("sigma"),
    informal=r"[σ𝜎]|\\sigma(?![a-zA-Z])|sigma",
    slips=(
        Slip("sign", partials=(lambda m, z, x: z * (1 + z),)),
        Slip("factor_forgotten", partials=(lambda m, z, x: 1 - z,)),
    ),
    aliases=("logistic", "expit"),
    inverse="logit",
    summary="1/(1 + exp(-x)), safe for large x",
)
declare(
    "softplus",
    value=lambda m, x: m.max(x, 0) + m.log1p(m.exp(-m.abs(x))),
    continued=lambda m, x: m.log1p(m.exp(x)),
    partials=(lambda m, z, x: m.sigmoid(x),),
    summary="log(1 + exp(x)), safe for large x",
)
declare(
    "relu",
    value=lambda m, x: m.max(x, m.number(0)),
    partials=(lambda m, z, x: m.choose(m.gt(x, 0), 1, 0),),
    smooth=Kink(lambda m, x: x != 0, "relu has a corner at 0", sides=(0, 1)),
    sample=(0.2, 3.0),
    continued=False,
    summary="max(x, 0), slope 0 at 0",
)

# --- corners and steps ------------------------------------------------------------------------------------------------

declare(
    "abs",
    partials=(lambda m, z, x: m.sign(x),),
    smooth=Kink(lambda m, x: x != 0, "abs has a corner at 0", sides=(-1, 1)),
    sample=(0.2, 3.0),
    notation=Template("abs({0})", ATOM, (OR,), table="|{0}|", shape="fence"),
    continued=False,
    numpy="absolute",
    sympy="Abs",
    summary="absolute value, also written |x|; slope 0 at 0",
)
declare(
    "sign",
    partials=(None,),
    smooth=Kink(lambda m, x: x != 0, "sign jumps at 0"),
    sample=(0.2, 3.0),
    aliases=("sgn", "signum"),
    continued=False,
    numpy="sign",
    summary="-1, 0 or 1",
)
declare(
    "floor",
    partials=(None,),
    smooth=Kink(lambda m, x: (x - m.floor(x)) != 0, "floor jumps at whole numbers"),
    sample=(0.1, 0.9),
    notation=Call(fence="⌊⌋"),
    continued=False,
    numpy="floor",
    summary="largest whole number not above x",
)
declare(
    "ceil",
    partials=(None,),
    smooth=Kink(lambda m, x: (x - m.ceil(x)) != 0, "ceil jumps at whole numbers"),
    sample=(0.1, 0.9),
    notation=Call(fence="⌈⌉"),
    aliases=("ceiling",),
    continued=False,
    numpy="ceil",
    sympy="ceiling",
    summary="smallest whole number not below x",
)
declare(
    "round",
    partials=(None,),
    smooth=Kink(
        lambda m, x: (2 * x - m.floor(2 * x) != 0) | (x - m.floor(x) == 0), "round jumps between whole numbers"
    ),
    sample=(0.1, 0.4),
    continued=False,
    reading="round rounds halves away from zero: round(2.5) is 3",
    summary="nearest whole number, halves away from zero",
)


def _one_largest(m: Arithmetic[T], *xs: T) -> Comparison:
    """Return the condition in `m` that only one argument has the largest value; for two arguments that they differ.

    It is a truth value of `m`, perhaps one for each of many points. For a single argument it is true.
    """
    if len(xs) == 2:
        return xs[0] != xs[1]
    best = m.max(*xs)
    count = m.choose(m.lt(xs[0], best), 0, 1)
    for x in xs[1:]:
        count = count + m.choose(m.lt(x, best), 0, 1)
    return count <= 1


def _declare_extreme(name: str, size: str, better: str, sign: int) -> None:
    """Add the row of max (`sign` 1) or min (-1) to the table, for two or more arguments.

    `size` is the adjective of its summary, `better` the name of the comparison by which an argument wins ("gt", "lt").
    Ties are a kink, at which they share the slope equally; the alias is the name with "imum".
    """

    def partials(m: Arithmetic[T], z: T, *xs: T) -> list[T | float]:
        """Return the partials by position: 1 for the argument that is chosen, 0 for others.

        Of n equal arguments that are chosen each has 1/n. Two arguments are compared by `better`; if one of them is
        nan, the partials are 0 and 1. Three or more are compared with the result `z`; if none equals it (nan), the
        partials of arrays are 0, and those of plain numbers raise ZeroDivisionError. Results are numbers of the
        arithmetic `m`, of arrays entry by entry.
        """
        if len(xs) == 2:
            first, tie, half = getattr(m, better)(*xs), m.eq(*xs), m.div(m.number(1), 2)
            return [m.choose(first, 1, m.choose(tie, half, 0)), m.choose(first, 0, m.choose(tie, half, 1))]
        hits = [m.eq(x, z) for x in xs]
        count = m.choose(hits[0], 1, 0)
        for hit in hits[1:]:
            count = count + m.choose(hit, 1, 0)
        return [m.choose(hit, 1 / count, 0) for hit in hits]

    declare(
        name,
        partials=partials,
        smooth=Kink(
            lambda m, *xs: _one_largest(m, *(xs if sign > 0 else [-x for x in xs])),
            f"{name} has no derivative where its arguments are equal",
            sides=(0, 1) if sign > 0 else (1, 0),
        ),
        sample=((0.1, 1.0), (1.1, 2.0), (2.1, 3.0)),
        slopes="1 for the one that is chosen, else 0; ties share equally",
        aliases=(f"{name}imum",),
        least=2,
        commutes=True,
        continued=False,
        numpy=f"{name}imum",
        sympy=name.title(),
        summary=f"{size} argument; ties share the slope equally",
    )


_declare_extreme("max", "largest", "gt", 1)
_declare_extreme("min", "smallest", "lt", -1)

EVERYDAY = (
    "add", "sub", "mul", "div", "neg", "pow", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "abs", "max", "min", "if",
)  # fmt: skip  # lists of functions begin with these
