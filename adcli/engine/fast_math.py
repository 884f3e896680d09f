"""Fast math (`fast`): rewrite a program so that products are added with one rounding (fma) and integer powers are
products of smaller powers; only last digits may change.

Arguments of conditions, domains and divisors are computed as before, unless ranges prove that the outcome is the same.
Two programs then differ in which results are nan or infinite only if something exceeds the range of doubles; such
points are flagged as UNUSUAL, with all at which an input or an unbounded result is beyond `_FAR`: below it no overflow
follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from ..graph.copies import copy_program
from ..graph.graph import Constant, Graph
from ..graph.order import ancestors
from ..numbers.conditions import Undecided, truth
from ..numbers.double_intervals import SPREAD, Spread
from ..numbers.doubles import FLOAT
from ..numbers.range_arithmetic import RANGES
from ..numbers.ranges import Range
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, Final, cast
from .joint_program import UNUSUAL, spread_of

if TYPE_CHECKING:
    from ..table.arithmetic import PartialRule, ValueRule

_FAR: Final = 2.0**120  # up to which inputs and unbounded results are usual
_FARTHEST: Final = 2.0**900  # intermediate results up to which need no test
_SQUARE: Final = 2  # as an exponent
_POWERS: Final = range(6, 65)  # exponents; as calls these powers cost twice the operations
_TEST_COST: Final = 2  # operations of the test for a usual point, besides one for each slot that may be far out


def _make_fused_row(name: str, rule: Callable[..., object], product: int = 1, addend: int = 1) -> Primitive:
    """Return a row for a fused operation on three numbers, `product`*a*b + `addend`*c with the factors 1 or -1.

    It is not in the table, so that no text can call it.
    """
    partials = cast(
        "tuple[PartialRule, ...]", (lambda *x: product * x[3], lambda *x: product * x[2], lambda *_: addend)
    )
    return Primitive(name, value=cast("ValueRule", rule), partials=partials)


def _product_and(m: Any, a: Any, b: Any, c: Any) -> object:
    """Return `a*b + c`, with one rounding if the arithmetic has `fma`."""
    return m.fma(a, b, c) if hasattr(m, "fma") else a * b + c


PRODUCT_AND: Final = _make_fused_row("a*b + c", _product_and)
PRODUCT_LESS: Final = _make_fused_row("a*b - c", lambda m, a, b, c: _product_and(m, a, b, -c), addend=-1)
LESS_PRODUCT: Final = _make_fused_row("c - a*b", lambda m, a, b, c: _product_and(m, -a, b, c), product=-1)

# By the operation and the position of the product in it.
_TOGETHER: Final = {
    ("add", 0): PRODUCT_AND, ("add", 1): PRODUCT_AND, ("sub", 0): PRODUCT_LESS, ("sub", 1): LESS_PRODUCT,
}  # fmt: skip


def fuse_operations(program: Graph) -> Graph:
    """Return a program with fused products and sums and with powers as products; `program` itself if that saves too
    little.

    `program` is one made by `joint_graph` with `usual`. The last output of a new program is the condition UNUSUAL,
    joined by "or" with that of `program` if it has one. Where it is false, results of both programs are nan or infinite
    alike, and differ by rounding only. Products are fused if a power was rewritten, or if more operations are saved
    than the flag costs.
    """
    unpowered = _without_powers(program)
    return _fuse_products(unpowered, _TEST_COST if unpowered is program else 0)


def _without_powers(program: Graph) -> Graph:
    """Return the program with powers by constant whole numbers of 6…64 or -6…-64 as squares and products.

    `program` itself if there are none. Powers whose last digits decide a condition, domain or kink stay. A power of
    which only the sign matters (a divisor, a comparison with 0) is rewritten, unless its base decides something, and
    the flag UNUSUAL (the last output; a present one is joined by "or") is set where |power| < 2^-900. Squares and other
    small powers serve as factors of large ones.
    """
    near: list[int] = []
    fixed = _find_fixed_slots(program, _find_intervals(program)[0], near)
    powers = {slot: n for slot in range(len(program)) if not fixed[slot] and (n := _exponent(program, slot))}
    if not any(abs(n) in _POWERS for n in powers.values()):
        return program
    known: dict[tuple[int, int], int] = {}

    def rewrite_power(new: Graph, place: Sequence[int], slot: int) -> int | None:
        """Return the slot in `new` of the power in `slot` of the program: as a product, or its reciprocal for a
        negative exponent; None for a slot that is not a power to rewrite.

        Exponents 2…5 are copied as powers and added to `known`, for use in larger ones. `place` has the new slots of
        the slots before.
        """
        n = powers.get(slot, 0)
        if not n:
            return None
        parents = tuple([place[parent] for parent in program.parents[slot]])
        if abs(n) not in _POWERS:
            result = new.apply(ROWS["pow"], parents)
            known.setdefault((parents[0], n), result)
            return result
        result = _append_power(new, parents[0], abs(n), known)
        return result if n > 0 else new.apply(ROWS["div"], (new.constant(Constant("1")), result))

    new, place = copy_program(program, rewrite_power)
    for slot in dict.fromkeys(near):
        if not fixed[slot]:
            size = new.apply(ROWS["abs"], (place[slot],))
            _join_flag(new, new.apply(ROWS["lt"], (size, new.constant(Constant(repr(1 / _FARTHEST))))))
    return new


def _exponent(program: Graph, slot: int) -> int:
    """Return the exponent of the power in `slot` of `program` if it is a constant whole number in 2…64 or -64…-6.

    0 for every other exponent, for a slot whose row is not `pow`, and for a power of numbers in the user's text
    (`literal`).
    """
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or row.name != "pow" or program.literal[slot] or parents[1] not in program.constants:
        return 0
    exponent = program.constants[parents[1]].read(FLOAT)
    return int(exponent) if exponent in _POWERS or -exponent in _POWERS or exponent in range(2, 6) else 0


def _append_power(graph: Graph, base: int, n: int, known: dict[tuple[int, int], int]) -> int:
    """Return the slot of base^n for n ≥ 1 (`base` is a slot), and append the squares and products that it needs.

    `known` maps (slot of the base, exponent) to a slot; powers in it are reused, and new ones are added. An exponent
    that is odd, or one above a power in `known`, is the power below times the base; every other even one is the square
    of its half.
    """
    exponents = [n]
    while exponents[-1] > 1 and (base, exponents[-1]) not in known:
        last = exponents[-1]
        exponents.append(last - 1 if last % 2 or (base, last - 1) in known else last // 2)
    power = known.get((base, exponents[-1]), base)
    for before, exponent in zip(exponents[::-1], exponents[-2::-1], strict=False):
        if exponent == 2 * before:
            power = graph.apply(ROWS["pow"], (power, graph.constant(Constant("2"))))
        else:
            power = graph.apply(ROWS["mul"], (power, base))
        known[base, exponent] = power
    return power


def _fuse_products(program: Graph, least: int) -> Graph:
    """Return the program with products fused into the sums or differences that alone use them, and a flag UNUSUAL.

    The flag (the last output, joined by "or" with a present one) marks points at which a slot that must be checked is
    beyond ±2^120: an input, or a result that no interval limits to ±2^900 (`_find_intervals`). Sums on whose last
    digits a condition, domain, jump or corner depends are not fused. With `least` 0 the program is always a new one.
    `program` itself if `least` is not 0 and the number of fused operations is at most `least` plus the number of slots
    to be checked.
    """
    spreads, far = _find_intervals(program)
    fixed = _find_fixed_slots(program, spreads)
    uses = Counter([*chain(*program.parents), *[slot for _, slot in program.outputs]])
    together = {
        slot: fused for slot in range(len(program)) if not fixed[slot] and (fused := _find_fusible(program, slot, uses))
    }
    if least and len(together) <= len(far) + least:
        return program

    def fuse(new: Graph, place: Sequence[int], slot: int) -> int | None:
        """Return the new slot of a sum in `together` as a fused operation; None for other slots, which are copied."""
        if slot not in together:
            return None
        kind, factors, rest = together[slot]
        return new.apply(kind, tuple([place[operand] for operand in (*factors, rest)]))

    new, place = copy_program(program, fuse)
    _join_flag(new, _append_far_condition(new, [place[slot] for slot in far]))
    return new


def _find_fusible(program: Graph, slot: int, uses: Mapping[int, int]) -> tuple[Primitive, tuple[int, int], int] | None:
    """Return (row of the fused operation, slots of the two factors, slot of the other operand) for the sum in `slot`.

    `slot` may also be a difference: PRODUCT_LESS is a·b - c, LESS_PRODUCT c - a·b. `uses` has the number of uses of
    each slot. None if it is neither, or if no operand is a product or square that is used once. If both operands are,
    the first one is fused.
    """
    row, parents = program.rows[slot], program.parents[slot]
    for position, parent in enumerate(parents):
        kind = _TOGETHER.get((row.name, position)) if row is not None else None
        factors = _factors_of_product(program, parent) if uses[parent] == 1 else None
        if kind is not None and factors is not None:
            return kind, factors, parents[1 - position]
    return None


def _factors_of_product(program: Graph, slot: int) -> tuple[int, int] | None:
    """Return the slots of the two factors of the product in `slot` of `program`; of a square (`pow` with the constant
    2) the base twice.

    None for other slots, and for a product or square of constants in the user's text (`literal`), which is a number.
    """
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or program.literal[slot]:
        return None
    if row.name == "mul":
        return parents[0], parents[1]
    return (parents[0], parents[0]) if _exponent(program, slot) == _SQUARE else None


def _find_intervals(program: Graph) -> tuple[list[Spread], list[int]]:
    """Return (an interval for every slot at a usual point, the slots that must be checked for that).

    At a usual point no checked slot is beyond ±2^120. Inputs must be checked, and slots that are not constants and
    whose interval is unknown or exceeds ±2^900; their ends are limited to ±2^120. The list has, in order, only those
    that another slot uses or that are an output, unless this output is a choice.
    """
    spreads: list[Spread] = []
    far: list[int] = []
    for slot, row in enumerate(program.rows):
        if slot in program.constants:
            interval = SPREAD.number(float(program.constants[slot].read(FLOAT)))
        elif row is None:
            interval = SPREAD.undefined
        else:
            interval = spread_of(row, [spreads[parent] for parent in program.parents[slot]])
        if slot not in program.constants and not max(-interval.low, interval.high) <= _FARTHEST:  # nan is not
            far.append(slot)
            low, high = interval.low, interval.high
            interval = Spread(low if abs(low) <= _FAR else -_FAR, high if abs(high) <= _FAR else _FAR)
        spreads.append(interval)
    outputs = [slot for _, slot in program.outputs if (row := program.rows[slot]) is None or row.route is None]
    used = {*chain(*program.parents), *outputs}
    return spreads, [slot for slot in far if slot in used]


def _find_fixed_slots(program: Graph, spreads: Sequence[Spread], near: list[int] | None = None) -> bytearray:
    """Return a byte for each slot of `program`: 1 if it must be computed as written, because its last digits may
    decide.

    They may decide a condition, domain, jump or corner, directly or through other slots. `spreads` are the intervals of
    the slots. Arguments that are truth values do not count; their arguments do. With `near` (not None) a power with an
    exponent of 6…64 in size of which only the sign matters (a divisor, a comparison with 0) is appended to it, perhaps
    repeatedly, and its base is marked instead of the power.
    """
    decisive: list[int] = []
    for slot, row in enumerate(program.rows):
        parents = program.parents[slot]
        for k, parent in enumerate(parents if row is not None else ()):
            above = program.rows[parent]
            if above is not None and above.truth:
                continue  # its own arguments are examined at its slot
            if _last_digit_decides(cast("Primitive", row), k, [spreads[p] for p in parents]):
                if near is not None and abs(_exponent(program, parent)) in _POWERS and _sign_suffices(program, slot, k):
                    near.append(parent)
                    decisive.append(program.parents[parent][0])
                else:
                    decisive.append(parent)
    return ancestors(program, decisive)


def _sign_suffices(program: Graph, slot: int, position: int) -> bool:
    """Return whether only the sign of the argument at `position` matters for the operation in `slot` of `program`.

    True for both arguments of a division, and for the argument of a comparison with the constant 0; False for all
    others.
    """
    row, parents = program.rows[slot], program.parents[slot]
    if row is None or not row.truth or len(parents) != 2:
        return row is ROWS["div"]
    other = program.constants.get(parents[1 - position])
    return other is not None and other.read(FLOAT) == 0


def _last_digit_decides(row: Primitive, position: int, spreads: Sequence[Spread]) -> bool:
    """Return whether the last digit of the argument at `position` may decide something in an operation `row`.

    The first that applies:

    - a row with a truth value: True
    - a choice: True for the first argument, False for the others
    - an argument without a partial: True
    - whether a condition of the domain or of a kink depends on this argument, and is not certain over the intervals
      `spreads` of all arguments
    """
    if row.truth:
        return True
    if row.route is not None:
        return position == 0
    if isinstance(row.partials, tuple) and row.partials[position] is None:
        return True
    conditions = [check.holds for check in row.domain]
    conditions += [kink.holds for kink in (row.kink(k) for k in range(len(spreads))) if kink is not None]
    return any(not _is_certain(holds, spreads) and _depends_on(holds, position, len(spreads)) for holds in conditions)


def _is_certain(holds: Callable[..., Any], spreads: Sequence[Spread]) -> bool:
    """Return whether a condition holds for all arguments in these intervals; False if that is undecided or fails."""
    try:
        return truth(holds(RANGES, *[Range(spread.low, spread.high) for spread in spreads])).always
    except (ArithmeticError, ValueError, TypeError, Undecided):
        return False


class _Unseen:
    """A dummy argument: any use of it raises TypeError."""


def _depends_on(holds: Callable[..., Any], position: int, count: int) -> bool:
    """Return whether the condition `holds` of `count` arguments depends on the one at `position`.

    It is called once with a dummy there, whose use raises TypeError, and with 1.0 for the others. An argument that is
    used only at other values of these is missed.
    """
    try:
        holds(FLOAT, *[_Unseen() if k == position else 1.0 for k in range(count)])
    except TypeError:
        return True
    return False


def _append_far_condition(program: Graph, far: Sequence[int]) -> int:
    """Append a condition to `program` and return its slot: true if the sum of the squares of the slots `far` is not at
    most 2^240 (so also if it is nan).

    Without slots the sum is 0, and the condition is false.
    """
    total = program.apply(ROWS["mul"], (far[0], far[0])) if far else program.constant(Constant("0"))
    for slot in far[1:]:
        total = program.apply(PRODUCT_AND, (slot, slot, total))
    limit = program.constant(Constant(repr(_FAR * _FAR)))
    return program.apply(ROWS["not"], (program.apply(ROWS["le"], (total, limit)),))


def _join_flag(program: Graph, flag: int) -> None:
    """Add the condition `flag` (a slot) to the last output, UNUSUAL, by `or`; append that output if the program has
    none.
    """
    if program.outputs and program.outputs[-1][0] == UNUSUAL:
        flag = program.apply(ROWS["or"], (program.outputs.pop()[1], flag))
    program.outputs.append((UNUSUAL, flag))
