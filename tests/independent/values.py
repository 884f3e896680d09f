"""What every function is, as a value alone, at the digits that mpmath is set to; no rule of differentiation is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpmath import mp, mpf

LARGEST = mpf(10) ** 7  # of exponents and arguments: beyond it nothing is said


class NoValue(ArithmeticError):
    """The function is not defined there."""


class Unknown(ArithmeticError):
    """Nothing is said: out of what is computed here."""


def _need(condition: Any) -> None:
    if not condition:
        raise NoValue


def _exp(x: Any) -> Any:
    if abs(x) > LARGEST:
        raise Unknown
    return mp.exp(x)


def _bounded(f: Callable[[Any], Any], most: Any = LARGEST) -> Callable[[Any], Any]:
    def inside(x: Any) -> Any:
        if abs(x) > most:
            raise Unknown
        return f(x)

    return inside


def _whole(x: Any) -> bool:
    return bool(mp.isint(x))


def _pow(a: Any, b: Any) -> Any:
    if a == 0:
        _need(b >= 0)
        return mpf(1) if b == 0 else mpf(0)
    _need(a > 0 or _whole(b))
    if abs(b) > mpf(10) ** 18 or (a != 1 and abs(b * mp.log(abs(a))) > LARGEST):
        raise Unknown
    if _whole(b):
        return mp.power(a, int(b))
    return mp.exp(b * mp.log(a))


def _root(x: Any, n: Any) -> Any:
    if x == 0:
        _need(n > 0)
        return mpf(0)
    _need(n != 0)
    if x < 0:
        _need(_whole(n) and int(n) % 2 == 1)
        return -_pow(-x, 1 / n)
    return _pow(x, 1 / n)


def _domain(inside: Callable[[Any], Any], f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        _need(inside(x))
        return f(x)

    return value


def _no_pole(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        _need(not (x <= 0 and _whole(x)))
        if abs(x) > 10**5:
            raise Unknown
        return f(x)

    return value


def _digamma_of_order(n: Any, x: Any) -> Any:
    _need(_whole(n) and n >= 0)
    if n > 60:
        raise Unknown
    return _no_pole(lambda t: mp.polygamma(int(n), t))(x)


def _atan2(y: Any, x: Any) -> Any:
    _need(y != 0 or x != 0)
    return mp.atan2(y, x)


def _told_apart(a: Any, b: Any) -> None:
    """Two numbers that these digits hardly tell apart may be equal: 27 and (1/3)^-3."""
    if a != b and abs(a - b) < mpf(10) ** (10 - mp.dps) * abs(b):
        raise Unknown


def _step(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        _told_apart(2 * x, mp.nint(2 * x))
        return f(x)

    return value


def _compared(f: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def value(a: Any, b: Any) -> bool:
        _told_apart(a, b)
        return f(a, b)

    return value


def _mod(a: Any, b: Any) -> Any:
    _need(b != 0)
    return a - b * _step(mp.floor)(a / b)


def _div(a: Any, b: Any) -> Any:
    _need(b != 0)
    return a / b


def _logb(x: Any, b: Any) -> Any:
    _need(x > 0 and b > 0 and b != 1)
    return mp.log(x) / mp.log(b)


def _round(x: Any) -> Any:
    return mp.floor(x + mpf(1) / 2) if x >= 0 else -mp.floor(mpf(1) / 2 - x)


def _log_gamma(x: Any) -> Any:
    return mp.loggamma(x) if x > 0 else mp.log(abs(mp.gamma(x)))


def _softplus(x: Any) -> Any:
    return x + mp.log1p(_exp(-x)) if x > 0 else mp.log1p(_exp(x))


def _never_zero(x: Any) -> bool:
    return bool(x != 0)


def _half_turns(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of an angle in degrees, by that of pi times a number, which is exact at whole numbers and halves."""

    def value(x: Any) -> Any:
        if abs(x) > mpf(10) ** 15:
            raise Unknown
        return f((x - 360 * mp.nint(x / 360)) / 180)

    return value


def _tand(x: Any) -> Any:
    sine, cosine = _half_turns(mp.sinpi)(x), _half_turns(mp.cospi)(x)
    _need(cosine != 0)
    return sine / cosine


def _xlogx(x: Any) -> Any:
    return x * mp.log(x) if x else mpf(0)


def _xlogy(a: Any, b: Any) -> Any:
    _need(b > 0 or a == b == 0)
    return a * mp.log(b) if b else mpf(0)


def _logaddexp(a: Any, b: Any) -> Any:
    return max(a, b) + mp.log1p(_exp(-abs(a - b)))


def _normal(x: Any) -> Any:
    if x < -4000:
        raise Unknown
    return mp.erfc(-x / mp.sqrt(2)) / 2 if x < 4000 else mpf(1)


def _mish(x: Any) -> Any:
    return x * mp.tanh(_softplus(x)) if abs(x) < LARGEST or x < 0 else x


def _sinc(x: Any) -> Any:
    return mp.sin(x) / x if x else mpf(1)


def _of_order(f: Callable[[int, Any], Any], least: int, positive: bool = False) -> Callable[[Any, Any], Any]:
    def value(n: Any, x: Any) -> Any:
        _need(_whole(n) and n >= least and (x > 0 or not positive))
        if abs(n) > 60 or abs(x) > 2000:
            raise Unknown
        return mp.re(f(int(n), x))

    return value


def _spherical(n: int, x: Any) -> Any:
    if x == 0:
        return mpf(n == 0)
    return mp.sign(x) ** n * mp.sqrt(mp.pi / (2 * abs(x))) * mp.besselj(n + mpf(1) / 2, abs(x))


def _erfinv(x: Any) -> Any:
    _need(-1 < x < 1)
    if 1 - abs(x) < mpf(10) ** -30:
        raise Unknown
    z = mp.sqrt(-mp.log((1 - x) * (1 + x)))
    return mp.findroot(lambda t: mp.erf(t) - x, mp.sign(x) * z * mpf("0.9")) if x else mpf(0)


def _erfcinv(x: Any) -> Any:
    _need(0 < x < 2)
    if not mpf(10) ** -30 < x < 2 - mpf(10) ** -30:
        raise Unknown
    return _erfinv(1 - x)


def _lambertw(x: Any) -> Any:
    _need(x * mp.e >= -1)
    return mp.re(mp.lambertw(x))


def _elu(x: Any) -> Any:
    return x if x > 0 else mp.expm1(x) if x > -LARGEST else mpf(-1)


def _clamp(x: Any, low: Any, high: Any) -> Any:
    _told_apart(low, high)
    _need(low <= high)
    return min(max(x, low), high)


ONE: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: -x,
    "factorial": lambda x: _no_pole(mp.gamma)(x + 1),
    "not": lambda x: not x,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "cot": _domain(_never_zero, mp.cot),
    "sec": mp.sec,
    "csc": _domain(_never_zero, mp.csc),
    "asin": _domain(lambda x: abs(x) <= 1, mp.asin),
    "acos": _domain(lambda x: abs(x) <= 1, mp.acos),
    "atan": mp.atan,
    "acot": lambda x: mp.pi / 2 if x == 0 else mp.atan(1 / x),
    "asec": _domain(lambda x: abs(x) >= 1, lambda x: mp.acos(1 / x)),
    "acsc": _domain(lambda x: abs(x) >= 1, lambda x: mp.asin(1 / x)),
    "sinh": _bounded(mp.sinh),
    "cosh": _bounded(mp.cosh),
    "tanh": lambda x: mp.tanh(x) if abs(x) < LARGEST else mp.sign(x),
    "coth": _domain(_never_zero, lambda x: 1 / mp.tanh(x) if abs(x) < LARGEST else mp.sign(x)),
    "sech": _bounded(lambda x: 1 / mp.cosh(x)),
    "csch": _domain(_never_zero, _bounded(lambda x: 1 / mp.sinh(x))),
    "asinh": lambda x: mp.asinh(x) if x >= 0 else -mp.asinh(-x),
    "acosh": _domain(lambda x: x >= 1, mp.acosh),
    "atanh": _domain(lambda x: abs(x) < 1, mp.atanh),
    "acoth": _domain(lambda x: abs(x) > 1, lambda x: mp.atanh(1 / x)),
    "asech": _domain(lambda x: 0 < x <= 1, lambda x: mp.acosh(1 / x)),
    "acsch": _domain(_never_zero, lambda x: mp.asinh(1 / x) if x > 0 else -mp.asinh(-1 / x)),
    "sqrt": _domain(lambda x: x >= 0, mp.sqrt),
    "cbrt": lambda x: mp.cbrt(x) if x >= 0 else -mp.cbrt(-x),
    "exp": _exp,
    "expm1": _bounded(mp.expm1),
    "log": _domain(lambda x: x > 0, mp.log),
    "log10": _domain(lambda x: x > 0, mp.log10),
    "log2": _domain(lambda x: x > 0, lambda x: mp.log(x) / mp.log(2)),
    "log1p": _domain(lambda x: x > -1, mp.log1p),
    "erf": lambda x: mp.erf(x) if abs(x) < 3000 else mp.sign(x),
    "erfc": _bounded(mp.erfc, mpf(3000)),
    "gamma": _no_pole(mp.gamma),
    "lgamma": _no_pole(_log_gamma),
    "digamma": _no_pole(mp.digamma),
    "sigmoid": lambda x: 1 / (1 + _exp(-x)),
    "softplus": _softplus,
    "relu": lambda x: x if x > 0 else mpf(0),
    "abs": abs,
    "sign": mp.sign,
    "floor": _step(mp.floor),
    "ceil": _step(mp.ceil),
    "round": _step(_round),
    "degrees": lambda x: x * 180 / mp.pi,
    "radians": lambda x: x * mp.pi / 180,
    "sind": _half_turns(mp.sinpi),
    "cosd": _half_turns(mp.cospi),
    "tand": _tand,
    "asind": _domain(lambda x: abs(x) <= 1, lambda x: mp.asin(x) * 180 / mp.pi),
    "acosd": _domain(lambda x: abs(x) <= 1, lambda x: mp.acos(x) * 180 / mp.pi),
    "atand": lambda x: mp.atan(x) * 180 / mp.pi,
    "exp2": lambda x: _pow(mpf(2), x),
    "exp10": lambda x: _pow(mpf(10), x),
    "versin": lambda x: 2 * mp.sin(x / 2) ** 2,
    "haversin": lambda x: mp.sin(x / 2) ** 2,
    "logit": _domain(lambda x: 0 < x < 1, lambda x: mp.log(x) - mp.log1p(-x)),
    "xlogx": _domain(lambda x: x >= 0, _xlogx),
    "normcdf": _normal,
    "normpdf": lambda x: _exp(-x * x / 2) / mp.sqrt(2 * mp.pi),
    "silu": lambda x: x / (1 + _exp(-x)),
    "gelu": lambda x: x * _normal(x),
    "mish": _mish,
    "elu": _elu,
    "softsign": lambda x: x / (1 + abs(x)),
    "trunc": _step(lambda x: mp.sign(x) * mp.floor(abs(x))),
    "fract": _step(lambda x: x - mp.floor(x)),
    "sinc": _sinc,
    "airyai": _bounded(mp.airyai, mpf(1000)),
    "airybi": _bounded(mp.airybi, mpf(1000)),
    "airyaiprime": _bounded(lambda x: mp.airyai(x, derivative=1), mpf(1000)),
    "airybiprime": _bounded(lambda x: mp.airybi(x, derivative=1), mpf(1000)),
    "Ei": _domain(_never_zero, _bounded(mp.ei, mpf(2000))),
    "Si": _bounded(mp.si, mpf(10) ** 5),
    "Ci": _domain(lambda x: x > 0, _bounded(mp.ci, mpf(10) ** 5)),
    "erfinv": _erfinv,
    "erfcinv": _erfcinv,
    "probit": lambda x: -mp.sqrt(2) * _erfcinv(2 * x),
    "lambertw": _lambertw,
    "lambertwm1": _domain(lambda x: -mp.exp(-1) <= x < 0, lambda x: mp.re(mp.lambertw(x, -1))),
    "erfcx": _bounded(lambda x: mp.exp(x * x) * mp.erfc(x), mpf(200)),
    "E1": _domain(lambda x: x > 0, _bounded(mp.e1, mpf(2000))),
    "Zeta": _domain(lambda s: s != 1, _bounded(mp.zeta, mpf(90))),
    "heaviside": lambda x: (1 + mp.sign(x)) / 2,
}

TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _div,
    "pow": _pow,
    "mod": _mod,
    "atan2": _atan2,
    "hypot": lambda a, b: mp.sqrt(a * a + b * b),
    "root": _root,
    "logb": _logb,
    "polygamma": _digamma_of_order,
    "besselj": _of_order(mp.besselj, -100),
    "bessely": _of_order(mp.bessely, -100, positive=True),
    "besseli": _of_order(mp.besseli, -100),
    "besselk": _of_order(mp.besselk, -100, positive=True),
    "sphericalj": _of_order(_spherical, 0),
    "expint": _of_order(mp.expint, -100, positive=True),
    "logaddexp": _logaddexp,
    "xlogy": _xlogy,
    "leakyrelu": lambda x, a: x if x > 0 else a * x,
    "lt": _compared(lambda a, b: a < b),
    "le": _compared(lambda a, b: a <= b),
    "gt": _compared(lambda a, b: a > b),
    "ge": _compared(lambda a, b: a >= b),
    "eq": _compared(lambda a, b: a == b),
    "ne": _compared(lambda a, b: a != b),
}

THREE: dict[str, Callable[[Any, Any, Any], Any]] = {"clamp": _clamp}

MANY: dict[str, Callable[..., Any]] = {"max": max, "min": min}


def apply(name: str, arguments: list[Any]) -> Any:
    """The value of one operation at the digits in force."""
    if name in ONE and len(arguments) == 1:
        return ONE[name](arguments[0])
    if name in TWO and len(arguments) == 2:
        return TWO[name](*arguments)
    if name in THREE and len(arguments) == 3:
        return THREE[name](*arguments)
    if name in MANY and arguments:
        return MANY[name](*arguments)
    raise Unknown(name)
