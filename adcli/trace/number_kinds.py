"""Kinds of numbers other than doubles in a trace: exact fractions, many digits, complex numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction

from ..errors import DomainProblem, RequestError, Span
from ..graph.graph import Constant, Graph
from ..graph.order import dependents
from ..language.problems import in_arithmetic
from ..language.program import Program
from ..notation.number_text import MINUS, Digits
from ..numbers.exact import Exact, Number
from ..typings import TYPE_CHECKING, override
from .trace_model import Note, Numbers

if TYPE_CHECKING:
    from mpmath import MPContext, mpc, mpf

    from ..numbers.complexes import Complex

_LONGEST = 60  # characters of a fraction that a table shows; a longer one is shown in decimals
_GUARD = 10  # digits that are computed beyond those that are shown
_COMPLEX_DIGITS = 20  # enough for both parts of a complex result to be right as doubles
_LARGEST = 1e308  # number for which a complex one gets more digits
_ELLIPSIS = "…"


# --- integers and fractions ------------------------------------------------------------------------------------------


class _ExactDigits(Digits):
    """Digits of exact numbers: fractions as they are, other numbers cut off, with an ellipsis at the end."""

    @override
    def show(self, x: float | Number) -> str:
        """Return a number as text; exact numbers that are cut off end in "…". The first that applies:

        - a plain number (not a Number): rounded as a double
        - a fraction whose text has up to 60 characters: this text
        - a fraction too large or too small for a double: scientific and cut off, `1.234e400…`, with `significant`
          digits or `places` + 1
        - infinity or nan: `inf`, `NaN`
        - each other number, also a long fraction: cut off, then always "…"; with exactly `places` decimals if no
          significant digits are set and it has no exponent
        """
        if not isinstance(x, Number):
            return super().show(x)
        double = float(x)
        if x.fraction is not None and len(str(x)) <= _LONGEST:
            return str(x)
        if x.fraction is not None and not 1e-300 < abs(double) < math.inf:
            return _scientific(x.fraction, self.significant or self.places + 1)
        if not math.isfinite(double):
            return super().show(double)
        text = super().show(self._cut_off(double))
        if self.significant is None and "e" not in text:
            whole, _, decimals = text.partition(".")
            text = f"{whole}.{decimals.ljust(self.places, '0')}" if self.places else whole
        return text + _ELLIPSIS

    def _cut_off(self, x: float) -> float:
        """Return `x` without the digits that are not shown, cut off towards zero instead of rounded.

        Shown are `significant` digits if set. If not, `places` decimal places; numbers from 1e6 on and below 10^-places
        have places + 1 digits in exponent form. `x` is returned if all its digits are shown.
        """
        if x == 0:
            return x
        power = math.floor(math.log10(abs(x)))
        count = self.significant or (self.places + 1 if power >= 6 or power < -self.places else power + self.places + 1)
        mantissa, _, rest = f"{abs(x):.16e}".partition("e")
        if repr(abs(x)) == f"{abs(x):.{count - 1}g}":
            return x
        return math.copysign(float(f"{mantissa[: count + 1]}e{rest}"), x)


def _scientific(fraction: Fraction, count: int) -> str:
    """Return a fraction beyond the range of doubles as `1.234e400…`, with `count` significant digits, cut off."""
    from decimal import ROUND_DOWN, Context, Decimal

    context = Context(prec=count, rounding=ROUND_DOWN)
    quotient = context.divide(Decimal(fraction.numerator), Decimal(fraction.denominator))
    mantissa, _, power = f"{quotient:e}".partition("e")
    return f"{mantissa}e{int(power)}{_ELLIPSIS}"


class _ExactNumbers(Numbers):
    """Exact fractions as the numbers of a trace, and doubles from the first operation on that has no exact value."""

    key = "exact"

    @override
    def text(self, x: float | Number) -> str | None:
        """Return the fraction as a text; None if the number is not known exactly."""
        number = Exact().number(x)
        return None if number.fraction is None else str(number)

    @override
    def notes(self, graph: Graph, values: Sequence[float | Number | None], names: Sequence[str]) -> list[Note]:
        """Return a note of kind "inexact" on each row from which on numbers are doubles.

        That is an input whose value is not exact, or an operation whose value is not, although its arguments are exact
        or literals. `values` and `names` are by slot of `graph`; a float or None in `values` counts as exact. Literals
        and rows without a name get no note.
        """

        known = [not isinstance(x, Number) or x.fraction is not None for x in values]
        notes = []
        for slot, parents in enumerate(graph.parents):
            is_literal = graph.literal[slot] and graph.rows[slot] is None
            first = not known[slot] and all(known[p] or graph.literal[p] for p in parents)
            if names[slot] and first and not is_literal:
                why = "cannot be written as a fraction" if parents else "is not given as a fraction"
                text = f"{names[slot]} {why}; from here on numbers are doubles, marked with …"
                notes.append(Note(names[slot], "inexact", text))
        return notes


# --- many digits -----------------------------------------------------------------------------------------------------


class _PreciseDigits(Digits):
    """Digits of numbers of many digits: a fixed number of significant ones, without trailing zeros after the point."""

    def __init__(self, context: MPContext, significant: int) -> None:
        super().__init__(significant=significant)
        self.context = context

    @override
    def show(self, x: float | mpf) -> str:
        """Return a number rounded to the requested significant digits, without `.0` at the end of a whole number.

        The notation is fixed from 1e-5 to below 10^digits (at least 1e6), and `1.5e40` outside. Infinity is `inf` or
        `-inf`, nan `NaN`.
        """
        number = self.context.mpf(x)
        if not self.context.isfinite(number):
            return super().show(float(number))
        count = self.significant or 1
        text = str(self.context.nstr(number, count, min_fixed=-6, max_fixed=max(count, 6)))
        mantissa, mark, exponent = text.partition("e")
        return mantissa.removesuffix(".0") + mark + exponent.removeprefix("+")


class PreciseNumbers(Numbers):
    """Decimal numbers of which `requested` digits have to be right, computed with `computed` digits.

    `shown` significant digits are shown (None: `requested`).
    """

    key = "decimal"
    proves = True

    def __init__(self, digits: int, computed: int, shown: int | None = None) -> None:
        """Set up numbers with `digits` requested digits, which have to be right, computed with `computed` digits.

        `shown` is the number of significant digits to show; None: the requested ones.
        """
        from ..numbers.precise import Precise

        m = Precise(computed)
        super().__init__(m, _PreciseDigits(m.context, shown or digits))
        self.context, self.requested, self.computed = m.context, digits, computed

    @override
    def text(self, x: float | mpf) -> str | None:
        return self.digits.show(x)


# --- complex numbers -------------------------------------------------------------------------------------------------


class _ComplexDigits(Digits):
    """Real and imaginary part, each shown by `inside`; a part that is only rounding error is 0."""

    def __init__(self, context: MPContext, inside: Digits) -> None:
        super().__init__(inside.places, inside.significant)
        self.context = context
        self.inside = inside

    @override
    def show(self, x: float | mpc) -> str:
        """Return a complex number as `2`, `-i`, `2i` or `1−2i`; `0` if both parts are 0.

        A part is left out if it is 0 or only rounding error compared with the other part. A single part has a hyphen as
        minus sign; between two parts the sign is MINUS or +.
        """
        number = self.context.mpc(x)
        real, imaginary = _split_complex(self.context, number)
        if not imaginary:
            return self._part(real)
        text = self._part(abs(imaginary))
        imaginary_text = "i" if text == "1" else f"{text}i"
        if not real:
            return f"-{imaginary_text}" if imaginary < 0 else imaginary_text
        return f"{self._part(real)}{MINUS if imaginary < 0 else '+'}{imaginary_text}"

    def _part(self, x: mpf) -> str:
        return self.inside.show(x if isinstance(self.inside, _PreciseDigits) else float(x))


def _split_complex(context: MPContext, x: mpc) -> tuple[mpf, mpf]:
    """Return (real part, imaginary part), with 0 for a part that is only rounding error.

    That is a part below 10^(6 − digits of the context) times the other part.
    """
    real, imaginary = context.re(x), context.im(x)
    least = context.mpf(10) ** (6 - context.dps)
    if abs(real) < least * abs(imaginary):
        real = context.mpf(0)
    if abs(imaginary) < least * abs(real):
        imaginary = context.mpf(0)
    return real, imaginary


def _count_whole_digits(m: Complex, numbers: Sequence[float]) -> int:
    """Return how many digits the largest of `numbers` has before the point; numbers from 1e308 on do not count."""
    sizes = [abs(in_arithmetic(m, x)) for x in [1, *numbers]]
    return math.ceil(math.log10(max(x for x in sizes if x < _LARGEST)))


class _ComplexNumbers(Numbers):
    """Complex numbers of `count` digits, and of as many more as the largest number of a problem has before the point:
    periodic functions need these."""

    def __init__(self, m: Complex, digits: _ComplexDigits, count: int) -> None:
        super().__init__(m, digits)
        self.shows_doubles = not isinstance(digits.inside, _PreciseDigits)
        self.complex, self.count = m, count

    @override
    def prepare_program(self, program: Program, at: Mapping[str, float]) -> Program:
        """Return the program with complex functions in its rows, and with `i` as the imaginary unit.

        `program` is not changed. The arithmetic gets as many digits more as the largest number of `at` and of the
        program has before the point. `i` stays an input if the point `at` gives it a value. Raises DomainProblem if an
        operation that depends on an input has no holomorphic continuation; other such operations are applied to real
        parts.
        """
        from ..numbers.complexes import IMAGINARY, extend_to_complex, of_real_parts

        graph = copy(program.graph)
        literals = [float(x.text) for x in graph.constants.values() if not x.named]
        self.complex.set_digits(self.count + _count_whole_digits(self.complex, [*at.values(), *literals]))
        for slot in [s for s, name in graph.inputs.items() if name in {IMAGINARY}.difference(at)]:
            del graph.inputs[slot]
            graph.constants[slot] = Constant(IMAGINARY)
            graph.literal[slot] = 1
        active = dependents(graph)
        for slot, row in enumerate(graph.rows):
            if row is None:
                continue
            graph.literal[slot] |= row.folds and all(graph.literal[p] for p in graph.parents[slot])
            new = extend_to_complex(row)
            if new is None and active[slot]:
                span = Span(*graph.spans[slot], program.source)
                title = f"{row.name} has no complex derivative"
                label = "not holomorphic, or not known for complex numbers"
                advice = "leave out --complex, or use holomorphic functions instead"
                raise DomainProblem(title, span, label, help=advice)
            graph.rows[slot] = new or of_real_parts(row)
        return program._replace(graph=graph)

    @override
    def notes(self, graph: Graph, values: Sequence[float | Number | None], names: Sequence[str]) -> list[Note]:
        text = "complex numbers: principal branches, with arguments greater than -π and at most π"
        notes = [Note(None, "branch", text)]
        for name, x in zip(names, values, strict=True):
            number = self.complex.number(x or 0)
            is_large = self.complex.finite(number) and max(abs(number.real), abs(number.imag)) > sys.float_info.max
            if is_large and name and self.shows_doubles:
                text = f"{name} is too large for a double and is shown as infinite; --precision 20 shows it"
                notes.append(Note(name, "overflow", text))
        return notes


# --- choosing --------------------------------------------------------------------------------------------------------


def numbers_for(exact: bool, precision: int | None, is_complex: bool, digits: Digits) -> Numbers | None:
    """Return the numbers for the options --exact, --precision and --complex; None for doubles.

    `precision` is the number of digits (None: not requested; with `is_complex` 20 are used), of which 10 more are
    computed; `digits` is how numbers are shown. Raises RequestError if `exact` is combined with one of the others.
    """
    if exact and (is_complex or precision is not None):
        title = "--exact cannot be combined with --precision or --complex"
        raise RequestError(title, help="choose one of --exact, --precision and --complex")
    if exact:
        return _ExactNumbers(Exact(), _ExactDigits(digits.places, digits.significant))
    if is_complex:
        from ..numbers.complexes import Complex

        count = (precision or _COMPLEX_DIGITS) + _GUARD
        m = Complex(count)
        inside = digits if precision is None else _PreciseDigits(m.context, digits.significant or precision)
        return _ComplexNumbers(m, _ComplexDigits(m.context, inside), count)
    return PreciseNumbers(precision, precision + _GUARD, digits.significant) if precision is not None else None


def write_for_sentence(x: Number | mpf | mpc) -> str:
    """Return a number for a sentence, with six digits.

    A fraction whose text has up to 60 characters is written in full; other exact numbers are cut off and end in "…". A
    complex number is written as `1−2i`, without a part that is 0. Other numbers are rounded as doubles.
    """
    digits = Digits(significant=6)
    if isinstance(x, Number):
        return _ExactDigits(significant=6).show(x)
    return _ComplexDigits(x.context, digits).show(x) if hasattr(x, "_mpc_") else digits.show(float(x))
