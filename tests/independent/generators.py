"""Programs and points by chance: the same generator state gives the same text."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import NamedTuple

from .values import MANY, ONE, THREE, TWO

FUNCTIONS = [
    *(name for name in ONE if name not in ("neg", "not", "factorial")), "atan2", "hypot", "root", "polygamma", "log_b",
    "besselj", "bessely", "besseli", "besselk", "sphericalj", "logaddexp", "xlogy", "leakyrelu", "clamp",
]  # fmt: skip
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^", "mod": "%"}
STEEP = ("gamma", "factorial", "digamma", "polygamma", "lgamma", "exp", "sinh", "cosh", "expm1", "pow")
# Compared with 50 digits at points of their own in `test_gamma_family`; no program that is made by chance has them.
NOT_DRAWN = (
    "Beta", "betaln", "binomial", "gammainc", "gammaincc", "gammaincprime", "hermite", "polygammadiff",
    "zetaderivative",
)  # fmt: skip
KNOWN = {*ONE, *TWO, *THREE, *MANY, *NOT_DRAWN, "if", "and", "or"}
SPECIAL = (
    "0", "1", "-1", "2", "-2", "0.5", "-0.5", "3", "1.5", "-1.5", "2.5", "10", "100", "1e-3", "1e-8", "-1e-8", "1e-16",
    "1e16", "-1e16", "1e-150", "1e150", "1e-300", "1e300", "-1e300", "1e-310", "5e-324", "1e308", "-1e308", "0.1",
    "1.4616321449683623", "0.9999999999999999", "1.0000000000000002", "1.00001", "-0.99999", "355", "700", "-700",
    "750", "36", "20", "-20", "3.141592653589793", "1.5707963267948966", "50.25", "170.5", "-170.5", "1e5",
    "4503599627370497.5",
)  # fmt: skip
EXPONENTS = (-323, -310, -308, -300, -200, -160, -154, -100, 100, 154, 155, 200, 300, 307)


class Problem(NamedTuple):
    """A program and a point, as texts."""

    text: str
    at: dict[str, str]

    @property
    def line(self) -> str:
        """As one line of a file of problems."""
        return f"{self.text} @ {self.point}" if self.at else self.text

    @property
    def point(self) -> str:
        return ", ".join(f"{name}={x}" for name, x in self.at.items())

    @property
    def fractions(self) -> dict[str, Fraction]:
        return {name: Fraction(x) for name, x in self.at.items()}


def dyadic(rng: Random, most: int = 8) -> str:
    """A number that every arithmetic has exactly."""
    return f"{rng.randint(-8 * most, 8 * most) / 8:g}"


def ordinary(rng: Random) -> str:
    """A number as people write it."""
    kind = rng.randrange(6)
    if kind < 3:
        return dyadic(rng)
    if kind == 3:
        return f"{rng.uniform(-5, 5):.3f}"
    if kind == 4:
        return str(rng.randint(-9, 12))
    return f"{rng.uniform(-3, 3):.15g}"


def extreme(rng: Random) -> str:
    """A number at an end of the range, a whole one, or one beside a special one."""
    kind = rng.randrange(5)
    sign = rng.choice(("", "-"))
    if kind == 0:
        return rng.choice(SPECIAL)
    if kind == 1:
        return f"{sign}{rng.randint(1, 9)}e{rng.choice(EXPONENTS)}"
    if kind == 2:
        return f"{sign}{rng.randint(1, 999) / 100:g}e{rng.randint(-20, 20)}"
    if kind == 3:
        return f"{rng.choice((-1, 0, 1, 2, 3, 10, -2, -3)) + rng.choice((-1, 1)) * 2.0 ** -rng.randint(10, 50)!r}"
    return f"{sign}{rng.randint(1, 200)}"


def _atom(rng: Random, names: tuple[str, ...]) -> str:
    if rng.random() < 0.7:
        return rng.choice(names)
    literal = ("2", "3", "0.5", "1.25", "10", "1", "0.1", "7", "0", "1e-3", "100", "4", "pi", "e")
    return rng.choice(literal)


def wrapped(text: str) -> str:
    """The text as an operand."""
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"


def expression(rng: Random, names: tuple[str, ...], depth: int) -> str:
    """An expression over all rows; it may have no value anywhere."""
    if depth <= 0 or rng.random() < 0.12:
        return _atom(rng, names)
    kind = rng.random()

    def inner(less: int = 1) -> str:
        return expression(rng, names, depth - less)

    if kind < 0.36:
        return f"{wrapped(inner())}{rng.choice(('+', '-', '*', '*', '/', '+'))}{wrapped(inner())}"
    if kind < 0.42:
        return f"{wrapped(inner())}^{rng.choice(('2', '3', '-1', '0.5', '4', wrapped(_atom(rng, names))))}"
    if kind < 0.45:
        return f"{wrapped(inner())}%{wrapped(inner(2))}"
    if kind < 0.48:
        return f"-{wrapped(inner())}"
    if kind < 0.55:
        relation = rng.choice(("<", "<=", ">", ">="))
        return f"if({inner(2)} {relation} {inner(2)}, {inner()}, {inner()})"
    if kind < 0.61:
        return f"{rng.choice(('max', 'min'))}({', '.join(inner() for _ in range(rng.choice((2, 2, 3))))})"
    return applied(rng, rng.choice(FUNCTIONS), inner)


def applied(rng: Random, name: str, inner) -> str:  # type: ignore[no-untyped-def]
    """A function of the list with its arguments."""
    if name == "log_b":
        return f"log({inner()}, {rng.choice(('2', '3', '10', inner(2)))})"
    if name == "root":
        return f"root({inner()}, {rng.choice(('2', '3', '5', '4'))})"
    if name == "polygamma":
        return f"polygamma({rng.randint(0, 4)}, {inner()})"
    if name.startswith("bessel") or name == "sphericalj":
        return f"{name}({rng.choice((0, 0, 1, 1, 2, 3, 8))}, {inner()})"
    if name == "clamp":
        return f"clamp({inner()}, {rng.choice(('-1', '0', inner(2)))}, {rng.choice(('1', '2.5', inner(2)))})"
    if name in TWO:
        return f"{name}({inner()}, {inner()})"
    return f"{name}({inner()})"


def names(rng: Random, most: int = 3) -> tuple[str, ...]:
    return ("x", "y", "z")[: rng.choice((1, 1, 1, 2, 2, 3)[: 2 * most])]


def smooth_inner(rng: Random, name: str = "x") -> tuple[str, float, float]:
    """A smooth function that takes large and small values, and where it is increasing."""
    return rng.choice(
        (
            (f"exp({name})", -12, 12), (f"{name}^2+1", 0, 400), (f"{name}^3", -50, 50), (f"2^{name}", -15, 18),
            (f"sinh({name})", -12, 12), (f"gamma(2^{name})", 1, 3), (f"log({name})", 1e-5, 1e5), (f"{name}", -1e5, 1e5),
            (f"{name}*exp({name})", -0.9, 10), (f"expm1({name})", -5, 12), (f"sqrt({name})", 0.001, 1e9),
            (f"{name}!", 1, 8), (f"cosh({name})", 0, 12), (f"{name}/(1+abs({name}))", -30, 30), (f"10^{name}", -5, 5),
            (f"tan({name})", -1.5, 1.5), (f"atanh({name})", -0.99, 0.99), (f"1/{name}", 0.0001, 1e4),
            (f"acosh({name})", 1.01, 1e4), (f"cbrt({name})", -1e6, 1e6), (f"asinh({name})", -1e4, 1e4),
            (f"lgamma({name})", 2.5, 1e3), (f"erf({name})", -2, 2), (f"sin({name})", -9, 9), (f"cos({name})", -9, 9),
            (f"sin(sqrt({name}))", 0.01, 900), (f"digamma({name})", 0.1, 60), (f"softplus({name})", -9, 30),
            (f"sigmoid({name})", -9, 9), (f"{name}^4-{name}^2", -12, 12), (f"exp(-{name}^2)", -3, 3),
            (f"{name}^{name}", 0.5, 6),
            (f"atan({name})", -50, 50), (f"tanh({name})", -3, 3), (f"exp(sin({name}))", -9, 9),
            (f"log({name}^2+1)", -99, 99),
            (f"{name}*sin({name})", -60, 60), (f"acot({name})", 0.1, 50), (f"hypot({name}, 3)", -90, 90),
            (f"log1p({name})", -0.9, 1e4),
            (f"csch({name})", 0.01, 9), (f"coth({name})", 0.05, 5), (f"polygamma(1, {name})", 0.05, 50),
            (f"erfc({name})", -2, 5),
        )
    )  # fmt: skip
