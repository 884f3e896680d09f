"""Dual numbers in answers, `f(3 + ε, 2) = (3 + ε)^2*2 = 18 + 12ε`: which input moves, and whether every link is true.

A letter is ε, alone or with an index, as ε1 and ε_x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import AdcliError
from ..graph.tape import vjp
from ..records import NamedTuple
from .collector import Cut
from .formulas import StudentFormula
from .numerals import numeral
from .shown_numbers import as_double
from .symbols import Names

EPSILONS = ("ε", "ϵ", "eps")
_SPELLED = ("\\varepsilon", "\\epsilon", "ϵ", "epsilon", "eps")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ORDERS = ("(ε²", "(ε^2", "(since ε", "(mod", "mod ε", "+ O(", "+O(", ", ε²", ", ε^2", "; ε²", "; ε^2")
_LOOSE = 0.01  # the relative difference of sides with rounded numbers


class DualValue(NamedTuple):
    """A value and its slopes by letter."""

    value: float
    slopes: dict[str, float]


def plain_epsilons(text: str) -> str:
    """Return a text with ε for every spelling of it, with plain digits behind it, and without what says that its
    square is 0."""
    for spelled in _SPELLED:
        text = text.replace(spelled, "ε")
    text = text.translate(_SUBSCRIPTS)
    return min((text.partition(order)[0] for order in _ORDERS), key=len)


def has_epsilon(text: str) -> bool:
    """Return whether a text has an ε in any spelling."""
    return any(map(text.__contains__, EPSILONS))


def dual_value(text: str, names: Names) -> DualValue | None:
    """Return the value of a formula with dual numbers at the problem's point; None if it is not a formula in numbers,
    letters and inputs with a value."""
    *before, rest = plain_epsilons(text).split("ε")
    factors = [f"{each}{'*' * each[-1:].isalpha()}ε" for each in before]  # x*ε for xε
    formula = StudentFormula("".join([*factors, rest]), names, "point")
    try:
        graph = formula.graph(len(formula.text), None, "")
    except AdcliError:
        return None
    written = {slot: formula.meaning(graph)[name].name for slot, name in graph.inputs.items()}
    letters = {slot: name for slot, name in written.items() if name.startswith("ε")}
    point = {slot: 0.0 if slot in letters else names.point.get(name) for slot, name in written.items()}
    known = {slot: float(x) for slot, x in point.items() if x is not None}
    if len(known) < len(point):
        return None
    slot = graph.outputs[0][1]
    values, bars = vjp(graph, known, {slot: 1.0})
    return DualValue(values[slot], {name: bars[place] for place, name in letters.items()})


def moving_inputs(arguments: Sequence[str], names: Names) -> dict[str, str] | None:
    """Return {letter: the input that it moves} for the arguments of a result; None if they are not at the problem's
    point, or if a letter does not move exactly one input by 1, or another one than its index means.

    {} if they are not as many as the inputs or cannot be read, or if two orders of the inputs fit (that of the problem,
    of its point, and of the alphabet), with different inputs."""
    duals = [dual for argument in arguments if (dual := dual_value(argument, names)) is not None]
    orders = {tuple(order) for order in (names.inputs, names.point, sorted(names.inputs)) if len(order) == len(duals)}
    if len(duals) < len(arguments) or not orders:
        return {}
    pairs = [[*zip(order, duals, strict=True)] for order in orders]
    readings = [_moving(each, names) for each in pairs if all(_is_near(x.value, names.point.get(y)) for y, x in each)]
    if not readings or None in readings:
        return None
    return readings[0] if readings.count(readings[0]) == len(readings) else {}


def _moving(pairs: Sequence[tuple[str, DualValue]], names: Names) -> dict[str, str] | None:
    """Return {letter: input} for pairs of inputs and arguments; None if a letter moves several inputs, not by 1, or
    another one than its index means."""
    slopes = [(letter, x, slope) for x, dual in pairs for letter, slope in dual.slopes.items() if slope]
    moved = {letter: x for letter, x, _ in slopes}
    are_right = all(slope == 1 and (input_of_letter(letter, names) or x) == x for letter, x, slope in slopes)
    return moved if are_right and len(moved) == len(slopes) else None


def input_of_letter(letter: str, names: Names) -> str | None:
    """Return the input that the index of ε means: its name, or its number from 1 among all inputs; None without one."""
    index = letter.removeprefix("ε").strip("_{} ")
    numbered = names.inputs[int(index) - 1 : int(index)] if index.isdecimal() and int(index) else ()
    return index if index in names.inputs else next(iter(numbered), None)


def _is_near(x: float, expected: float | None) -> bool:
    return expected is None or abs(x - expected) <= max(_LOOSE * abs(expected), 1e-9)


def false_links(pieces: Sequence[Cut], shown: Mapping[str, Cut], names: Names) -> dict[str, list[Cut]]:
    """Return the numbers of sides that differ from those shown, in order, by letter ("" for the value).

    `pieces` are the sides before the last, of which those with ε are looked at; `shown` has the numbers of the last one
    by letter. A side that cannot be evaluated is passed over. Sides with a decimal point may be rounded."""
    links: dict[str, list[Cut]] = {letter: [] for letter in shown}
    for piece in pieces:
        dual = dual_value(piece.text, names) if has_epsilon(piece.text) else None
        if dual is None:
            continue
        for letter, cut in shown.items():
            number = numeral(cut.text) or numeral(cut.text, "comma")
            x = dual.value if not letter else dual.slopes.get(letter, 0.0)
            loose = _LOOSE * abs(x) if "." in piece.text else 1e-9 * abs(x)
            if number is not None and abs(x - as_double(number.value)) > max(0.9 * as_double(number.unit), loose):
                links[letter].append(piece._replace(text=f"{x:.10g}"))
    return links
