"""Fast math (`fast`): rewrite a program so that products are added with one rounding (fma) and integer powers are
products of smaller powers; only last digits may change.

Arguments of conditions, domains and divisors are computed as before, unless ranges prove that the outcome is the same.
Two programs then differ in which results are nan or infinite only if something exceeds the range of doubles; such
points are flagged as UNUSUAL, with all at which an input or an unbounded result is beyond `_FAR`: below it no overflow
follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ..graph.graph import Constant, Graph
from ..graph.order import ancestors
from ..numbers.conditions import Undecided, truth
from ..numbers.double_intervals import SPREAD, Spread
from ..numbers.doubles import FLOAT
from ..numbers.range_arithmetic import RANGES
from ..numbers.ranges import Range
from ..table.primitive import ROWS, Primitive
from .joint_program import UNUSUAL, spread_of

if TYPE_CHECKING:
    from ..table.arithmetic import PartialRule, ValueRule

_FAR: Final = 2.0**120  # up to which inputs and unbounded results are usual
_FARTHEST: Final = 2.0**900  # which nothing that is made of them exceeds
_SQUARE: Final = 2  # as an exponent
_POWERS: Final = range(6, 65)  # exponents of powers whose digits are otherwise kept by twice the operations
_ASKED: Final = 2  # operations that ask for a usual point, beside one for each number that may be far out


def _fused(name: str, rule: Callable[..., object]) -> Primitive:
    """An operation of machine code on three numbers, which no text can call."""
    partials = cast("tuple[PartialRule, ...]", (lambda *x: x[3], lambda *x: x[2], lambda *_: 1))
    return Primitive(name, value=cast("ValueRule", rule), partials=partials)


def _product_and(m: Any, a: Any, b: Any, c: Any) -> object:
    """Rounded once where an arithmetic can; among numbers that are known before it does not matter."""
    return m.fma(a, b, c) if hasattr(m, "fma") else a * b + c


PRODUCT_AND: Final = _fused("a*b + c", _product_and)
PRODUCT_LESS: Final = _fused("a*b - c", lambda m, a, b, c: _product_and(m, a, b, -c))
LESS_PRODUCT: Final = _fused("c - a*b", lambda m, a, b, c: _product_and(m, -a, b, c))

# By the operation and the position of the product in it.
_TOGETHER: Final = {
    ("add", 0): PRODUCT_AND, ("add", 1): PRODUCT_AND, ("sub", 0): PRODUCT_LESS, ("sub", 1): LESS_PRODUCT,
}  # fmt: skip


def freed(program: Graph) -> Graph:
    """A usual program with its sums, products and powers taken together, or itself where that would not be shorter.

    Its last output is UNUSUAL.  Where that does not hold, what is nan or infinite in one program is so in the other,
    and all else differs by rounding.
    """
    unpowered = _without_powers(program)
    return _together(unpowered, _ASKED if unpowered is program else 0)


def _without_powers(program: Graph) -> Graph:
    """The program with its free powers of many factors as products, or itself where it has none."""
    near: list[int] = []
    fixed = _fixed(program, _spreads(program)[0], near)
    powers = {slot: n for slot in range(len(program)) if not fixed[slot] and (n := _exponent(program, slot))}
    if not any(abs(n) in _POWERS for n in powers.values()):
        return program
    known: dict[tuple[int, int], int] = {}

    def powered(new: Graph, place: Sequence[int], slot: int) -> int | None:
        n = powers.get(slot, 0)
        if not n:
            return None
        parents = tuple([place[parent] for parent in program.parents[slot]])
        if abs(n) not in _POWERS:
            found = new.apply(ROWS["pow"], parents)
            known.setdefault((parents[0], n), found)
            return found
        found = _power(new, parents[0], abs(n), known)
        return found if n > 0 else new.apply(ROWS["div"], (new.constant(Constant("1")), found))

    new, place = _rewritten(program, powered)
    for slot in dict.fromkeys(near):
        if not fixed[slot]:
            size = new.apply(ROWS["abs"], (place[slot],))
            _flag(new, new.apply(ROWS["lt"], (size, new.constant(Constant(repr(1 / _FARTHEST))))))
    return new


def _rewritten(program: Graph, instead: Callable[[Graph, Sequence[int], int], int | None]) -> tuple[Graph, list[int]]:
    """A copy of the program, and the new slots; `instead` makes some of them, given the copy and these so far."""
    new = Graph()
    place: list[int] = []
    for slot, row in enumerate(program.rows):
        made = instead(new, place, slot)
        if made is not None:
            place.append(made)
        elif row is not None:
            place.append(new.apply(row, tuple([place[parent] for parent in program.parents[slot]])))
        elif slot in program.inputs:
            place.append(new.input(program.inputs[slot]))
        else:
            place.append(new.constant(program.constants[slot]))
    new.outputs = [(name, place[slot]) for name, slot in program.outputs]
    return new, place


def _exponent(program: Graph, slot: int) -> int:
    """The exponent of a power of something that is not a number, if it is a whole number; else 0."""
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or row.name != "pow" or program.literal[slot] or parents[1] not in program.constants:
        return 0
    exponent = program.constants[parents[1]].read(FLOAT)
    return int(exponent) if exponent in _POWERS or -exponent in _POWERS or exponent in range(2, 6) else 0


def _power(graph: Graph, base: int, n: int, known: dict[tuple[int, int], int]) -> int:
    """The slot of a power, written as a square or as a product with a power that is there."""
    wanted = [n]
    while wanted[-1] > 1 and (base, wanted[-1]) not in known:
        last = wanted[-1]
        wanted.append(last - 1 if last % 2 or (base, last - 1) in known else last // 2)
    found = known.get((base, wanted[-1]), base)
    for before, exponent in zip(wanted[::-1], wanted[-2::-1], strict=False):
        if exponent == 2 * before:
            found = graph.apply(ROWS["pow"], (found, graph.constant(Constant("2"))))
        else:
            found = graph.apply(ROWS["mul"], (found, base))
        known[base, exponent] = found
    return found


def _together(program: Graph, least: int) -> Graph:
    """The program with products added in one rounding, and with a flag; itself where that is not worth `least`."""
    spreads, far = _spreads(program)
    fixed = _fixed(program, spreads)
    uses = [0] * len(program)
    for slot in [parent for parents in program.parents for parent in parents] + [slot for _, slot in program.outputs]:
        uses[slot] += 1
    together = {
        slot: found for slot in range(len(program)) if not fixed[slot] and (found := _product(program, slot, uses))
    }
    if least and len(together) <= len(far) + least:
        return program

    def joined(new: Graph, place: Sequence[int], slot: int) -> int | None:
        if slot not in together:
            return None
        kind, factors, rest = together[slot]
        return new.apply(kind, tuple([place[operand] for operand in (*factors, rest)]))

    new, place = _rewritten(program, joined)
    _flag(new, _beyond(new, [place[slot] for slot in far]))
    return new


def _product(program: Graph, slot: int, uses: Sequence[int]) -> tuple[Primitive, tuple[int, int], int] | None:
    """What a sum or difference is of an operand that is a product for it alone: the kind, the factors, the rest."""
    row, parents = program.rows[slot], program.parents[slot]
    for position, parent in enumerate(parents):
        kind = _TOGETHER.get((row.name, position)) if row is not None else None
        factors = _factors(program, parent) if uses[parent] == 1 else None
        if kind is not None and factors is not None:
            return kind, factors, parents[1 - position]
    return None


def _factors(program: Graph, slot: int) -> tuple[int, int] | None:
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or program.literal[slot]:
        return None
    if row.name == "mul":
        return parents[0], parents[1]
    return (parents[0], parents[0]) if _exponent(program, slot) == _SQUARE else None


def _spreads(program: Graph) -> tuple[list[Spread], list[int]]:
    """What every slot may come to at a usual point, and the slots of which it is to be asked whether a point is one."""
    spreads: list[Spread] = []
    far: list[int] = []
    for slot, row in enumerate(program.rows):
        if slot in program.constants:
            found = SPREAD.number(float(program.constants[slot].read(FLOAT)))
        elif row is None:
            found = SPREAD.undefined
        else:
            found = spread_of(row, [spreads[parent] for parent in program.parents[slot]])
        if slot not in program.constants and not max(-found.low, found.high) <= _FARTHEST:  # nan is not
            far.append(slot)
            found = Spread(
                *[end if abs(end) <= _FAR else far_out for end, far_out in ((found.low, -_FAR), (found.high, _FAR))]
            )
        spreads.append(found)
    used = bytearray(len(program))
    for parents in program.parents:
        for parent in parents:
            used[parent] = 1
    for _, slot in program.outputs:
        row = program.rows[slot]
        used[slot] |= row is None or row.route is None
    return spreads, [slot for slot in far if used[slot]]


def _fixed(program: Graph, spreads: Sequence[Spread], near: list[int] | None = None) -> bytearray:
    """1 for each slot on which hangs what a condition or a function with a domain, a jump or a corner is given.

    Powers of which only the sign decides are taken into the list `near`, if there is one, and not counted.
    """
    decisive: list[int] = []
    for slot, row in enumerate(program.rows):
        parents = program.parents[slot]
        for k, parent in enumerate(parents if row is not None else ()):
            above = program.rows[parent]
            if above is not None and above.truth:
                continue  # what it hangs on is looked at in its place
            if _decides(cast("Primitive", row), k, [spreads[p] for p in parents]):
                if near is not None and abs(_exponent(program, parent)) in _POWERS and _by_sign(program, slot, k):
                    near.append(parent)
                    decisive.append(program.parents[parent][0])
                else:
                    decisive.append(parent)
    return ancestors(program, decisive)


def _by_sign(program: Graph, slot: int, position: int) -> bool:
    """Whether only the sign of an argument decides: of a divisor, and of what is compared with 0."""
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or not row.truth or len(parents) != 2:
        return row is ROWS["div"]
    other = program.constants.get(parents[1 - position])
    return other is not None and other.read(FLOAT) == 0


def _decides(row: Primitive, position: int, spreads: Sequence[Spread]) -> bool:
    """Whether the last digit of an argument may decide something."""
    if row.truth:
        return True
    if row.route is not None:
        return position == 0
    if isinstance(row.partials, tuple) and row.partials[position] is None:
        return True
    conditions = [check.holds for check in row.domain]
    conditions += [kink.holds for kink in (row.kink(k) for k in range(len(spreads))) if kink is not None]
    return any(not _certain(holds, spreads) and _looks_at(holds, position, len(spreads)) for holds in conditions)


def _certain(holds: Callable[..., Any], spreads: Sequence[Spread]) -> bool:
    """Whether a condition holds whatever the arguments are."""
    try:
        return truth(holds(RANGES, *[Range(spread.low, spread.high) for spread in spreads])).always
    except (ArithmeticError, ValueError, TypeError, Undecided):
        return False


class _Unseen:
    """An argument that nobody may look at."""


def _looks_at(holds: Callable[..., Any], position: int, count: int) -> bool:
    """Whether a condition hangs on the argument at this position."""
    try:
        holds(FLOAT, *[_Unseen() if k == position else 1.0 for k in range(count)])
    except TypeError:
        return True
    return False


def _beyond(program: Graph, far: Sequence[int]) -> int:
    """Where one of these slots is far out or nan."""
    total = program.apply(ROWS["mul"], (far[0], far[0])) if far else program.constant(Constant("0"))
    for slot in far[1:]:
        total = program.apply(PRODUCT_AND, (slot, slot, total))
    limit = program.constant(Constant(repr(_FAR * _FAR)))
    return program.apply(ROWS["not"], (program.apply(ROWS["le"], (total, limit)),))


def _flag(program: Graph, flag: int) -> None:
    """Lets the last output be UNUSUAL, and hold where this condition does too."""
    if program.outputs and program.outputs[-1][0] == UNUSUAL:
        flag = program.apply(ROWS["or"], (program.outputs.pop()[1], flag))
    program.outputs.append((UNUSUAL, flag))
