"""Reassociation: the problem's sums and products combined in the order in which an answer's numbers show it. A step is
an operation of the problem, known by its slot; a part is some terms of a sum or product; an inverse term is subtracted
or divided by.

The text `y + 1 - x^2` adds y and 1 first; a student may compute 1 - x² before, or `x1*x3` before `x1*x2*x3`.
Portions are parts of these sums and products of any kind: `b*c` of `a*b*c`, `b - a` of `c - a + b`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, islice, product
from math import inf, isclose, nan, prod

from ...answers.shown_numbers import as_double
from ...graph.graph import Constant, Graph
from ...numbers.doubles import FLOAT, apply
from ...records import NamedTuple
from ...table.primitive import ROWS, Primitive
from .value_rows import ValueRow

_MOST_TERMS = 8  # of a sum or product that is reassociated
_MOST_TRIED = 80  # steps and parts that a row with a wrong number may be
_ROUNDED = 0.05  # error of a number of few digits, as a fraction of it: 4 is not 3
_KINDS = (("add", "sub", 0.0), ("mul", "div", 1.0))  # an operation, its inverse, and the number that changes nothing
_SUM, _PRODUCT = _KINDS
_MINUS = -1  # in place of the slot of a term: the factor -1 of a sign inside of a product
_INVERTING, _FACTORS_OF_SIGN = {_SUM: ("sub", "neg"), _PRODUCT: ("div",)}, {_SUM: [], _PRODUCT: [(_MINUS, False)]}


class _SumOrProduct(NamedTuple):
    """A whole sum or product: its `kind` in `_KINDS`, its `inner` slots, its `terms` as (slot, whether inverse).

    An inverse term is subtracted, or divided by.
    """

    kind: tuple[str, str, float]
    inner: list[int]
    terms: list[tuple[int, bool]]


class _Subset(NamedTuple):
    """A part of a sum or product: the `places` of its terms, and the `value` that a row for it shows.

    `is_inverted` says that the value is the negative, or the reciprocal, of the combined terms.
    """

    places: tuple[int, ...]
    value: float
    is_inverted: bool


class _WrongRow(NamedTuple):
    """A row with a wrong number, and what it is taken for: the step `slot`, or a part of the sum or product in `slot`.

    `part` is the index of that part in `_parts` when the row is combined; None for the step.
    """

    row: ValueRow
    slot: int
    part: int | None = None


def reassociate(graph: Graph, at: Mapping[str, float], rows: Sequence[ValueRow]) -> Graph | None:
    """Return a copy of a problem's graph in which sums and products are combined as the numbers of `rows` show.

    A row shows a part of a sum or product if its number is the value of that part at the point `at`, and not that of a
    whole step of the problem. Rows without a number, or with arithmetic, are ignored. Parts are combined in the order
    of the rows; steps and parts get the names of their rows as aliases.

    - Values are computed from the inputs alone, or from the rows' own rounded numbers where they show steps. The way
      that leaves fewer rows unexplained is taken, of equals the former.
    - If a row is still unexplained, the first such row (unless it is 0) is tried as each step or part with a wrong
      number (`_slips`). This is used if more rows than this one are then explained.

    None in these cases: no row shows a part; the problem has no sum or product of 2 to 8 terms; its own steps explain
    all numbers; all rows with numbers have formulas; in the result a row comes before one that it uses; or an input,
    used or not, has no value in `at`.
    """
    number_rows = [row for row in rows if row.number is not None and not row.shows_arithmetic]
    chains = {} if all(row.formulas for row in number_rows) else _chains(graph)
    if not chains or any(name not in at for name in graph.inputs.values()):
        return None
    point = {slot: float(at[name]) for slot, name in graph.inputs.items()}
    whole = _Reassociation(graph, {}, point, number_rows, ())
    if not whole.unexplained:
        return None
    steps = [whole.values[slot] for slot in _steps(graph, chains)]
    free = [row for row in number_rows if not any(_distance(row, value) <= _ROUNDED for value in steps)]
    combine = partial(_Reassociation, graph, chains, point, number_rows, free)
    tries = [combine(is_rounded=is_rounded) for is_rounded in (False, True)]
    best = min(tries, key=lambda each: len(each.unexplained))
    if best.unexplained and _number(best.unexplained[0]):  # 0 explains products, sums and 0 alike
        slips = _slips(graph, chains, best.unexplained[0])
        others = (combine(slip, is_rounded=best.is_rounded) for slip in slips)
        best = min((best, *others), key=lambda each: len(each.unexplained) + (each.slip is not None))
    return best.graph if best.has_parts and _is_in_order(best.graph, [row.name for row in rows]) else None


def _is_in_order(graph: Graph, names: Sequence[str]) -> bool:
    """Return whether no row comes before a row that it uses, directly or through slots that are not rows.

    `names` are those of rows, in the order of the answer; a row's slot is the one whose alias (`graph.aliases`) is its
    name. Names without a slot are ignored.
    """
    place = {name: k for k, name in enumerate(names)}
    latest: list[int] = []
    for slot, parents in enumerate(graph.parents):
        before = max((latest[parent] for parent in parents), default=-1)
        latest.append(place.get(graph.aliases.get(slot, ""), before))
        if latest[slot] < before:
            return False
    return True


def _chains(graph: Graph) -> dict[int, _SumOrProduct]:
    """Return {last slot: whole sum or product} for each sum and each product of 2 to 8 terms, the last one first.

    Both are made of their two operations and the sign -. Terms are in the order written, as (slot, whether it is
    subtracted or divided by); the negative of a term is an inverse term of a sum, and a factor `_MINUS` of a product.
    `inner` has the slots of the operations, the last one first. All of them but the last are used once and are neither
    named nor outputs; an operand that is used otherwise is a term, but not the 1 of 1/x in a product. Shorter and
    longer sums and products are left out, with all that is inside of them.
    """
    children = graph.children()
    taken = {slot for _, slot in graph.outputs} | graph.aliases.keys()
    chains: dict[int, _SumOrProduct] = {}
    seen: set[int] = set()
    for root in reversed(range(len(graph))):
        kind = next((kind for kind in _KINDS if graph.operator(root) in kind), None)
        if kind is None or root in seen:
            continue
        whole = _SumOrProduct(kind, [], [])
        pending = [(root, False)]
        while pending:
            slot, is_inverse = pending.pop()
            name, parents = graph.operator(slot), graph.parents[slot]
            is_part = name in kind or name == "neg"
            if slot == root or (is_part and len(children[slot]) == 1 and slot not in taken):
                whole.inner.append(slot)
                whole.terms.extend(_FACTORS_OF_SIGN[kind] if name == "neg" else ())
                flips = [is_inverse] * (len(parents) - 1) + [is_inverse != (name in _INVERTING[kind])]
                pending += reversed(list(zip(parents, flips, strict=True)))
            else:
                whole.terms.extend([(slot, is_inverse)] * (not _is_neutral(graph, slot, kind[2])))
        seen.update(whole.inner)
        if 2 <= len(whole.terms) <= _MOST_TERMS:
            chains[root] = whole
    return chains


def _is_neutral(graph: Graph, slot: int, neutral: float) -> bool:
    """Return whether a slot is the number `neutral`, as it is written in the problem."""
    return slot in graph.constants and graph.constants[slot].text == f"{neutral:g}"


def _steps(graph: Graph, chains: Mapping[int, _SumOrProduct]) -> list[int]:
    """Return the slots of operations outside of sums and products, and of whole ones."""
    inner = {slot for root, each in chains.items() for slot in each.inner if slot != root}
    return [slot for slot in graph.operations() if slot not in inner]


def _slips(graph: Graph, chains: Mapping[int, _SumOrProduct], row: ValueRow) -> Iterator[_WrongRow]:
    """Yield what a row with a wrong number may be, as _WrongRows, at most 80.

    First comes each step (`_steps`), with no part: a whole sum or product in `chains` is one, operations inside of it
    are not. Then come the parts of each of these sums and products, as indices from 0 to 2^terms - 1.
    """
    steps = (_WrongRow(row, slot) for slot in _steps(graph, chains))
    parts = (_WrongRow(row, slot, part) for slot, each in chains.items() for part in range(2 ** len(each.terms)))
    return islice(chain(steps, parts), _MOST_TRIED)


class _Reassociation:
    """A copy of a problem's graph in which sums and products are combined as the numbers of rows show.

    `graph` is the copy, `values` has the values of its slots, with numbers of rows in them. `unexplained` are the rows
    that show neither a step nor a part; `has_parts` says that some row shows a part.
    """

    def __init__(
        self, problem: Graph, chains: Mapping[int, _SumOrProduct], point: Mapping[int, float], rows: Sequence[ValueRow],
        free: Sequence[ValueRow], slip: _WrongRow | None = None, *, is_rounded: bool = False,
    ) -> None:  # fmt: skip
        """Copy `problem`, with the inputs' values `point` by slot; `chains` are its sums and products by slot.

        `rows` may show steps, and those also in `free` parts. With a `slip` its row is the step or part that the slip
        says, and later steps are computed with the row's number. If `is_rounded`, they are computed with the numbers of
        all rows. Steps and parts get the names of the rows that show them as aliases.
        """
        self.problem, self.point, self.free, self.slip, self.is_rounded = problem, point, free, slip, is_rounded
        self.unexplained = list(rows)
        self.has_parts = False
        self.graph = Graph()
        self.graph.assumed = problem.assumed
        self._place: dict[int, int] = {}
        self.values: list[float] = []
        inner = {slot for each in chains.values() for slot in each.inner}
        for slot in range(len(problem)):
            if slot in chains:
                self._combine(slot, chains[slot])
            elif slot not in inner:
                self._copy(slot)
        self.graph.outputs = [(name, self._place[slot]) for name, slot in problem.outputs]
        self.graph.aliases |= {self._place[slot]: alias for slot, alias in problem.aliases.items()}

    def _copy(self, slot: int) -> None:
        """Copy the input, constant or operation in `slot` of the problem; record its place and its value.

        Its operands must have been copied before. The span is copied too. The value of an operation is computed from
        those of its operands in the copy. Then the operation gets the name of a row (`_name_step`): that of the slip
        about it, or else that of the first unexplained row that shows its value. This row's number replaces the value,
        also for later steps, if it is the row of the slip or if `self.is_rounded`.
        """
        problem, span = self.problem, self.problem.spans[slot]
        if slot in problem.inputs:
            self._place[slot] = self.graph.input(problem.inputs[slot], span)
            self.values.append(self.point[slot])
        elif slot in problem.constants:
            self._place[slot] = self.graph.constant(problem.constants[slot], span)
            self.values.append(problem.constants[slot].read(FLOAT))
        else:
            self._place[slot] = self._apply(problem.row(slot), [self._place[p] for p in problem.parents[slot]], slot)
            self._name_step(slot)

    def _apply(self, row: Primitive, parents: Sequence[int], slot: int) -> int:
        """Append an operation with its value and the span of the problem's `slot`, and return its slot."""
        self.values.append(apply(row, FLOAT, [self.values[parent] for parent in parents]))
        return self.graph.apply(row, tuple(parents), self.problem.spans[slot])

    def _name_step(self, slot: int) -> None:
        """Give the step `slot` of the problem the name of the row that it is; nothing changes if there is no such row.

        If `slip` is about this step (it has this slot, and no `part`), it is the row of the slip, whose wrong number
        becomes the step's value. Otherwise it is the first unexplained row, with or without formulas, whose number
        shows the step's value: the difference is at most one unit of its last place and 5 % of the value (0.05 if that
        is 0). The value stays then, but becomes the row's number if `self.is_rounded`.
        """
        place, slip = self._place[slot], self.slip
        if slip is not None and (slip.slot, slip.part) == (slot, None):
            self._name(slip.row, place, _number(slip.row))
        else:
            row = next((row for row in self.unexplained if _distance(row, self.values[place]) <= _ROUNDED), None)
            if row is not None:
                self._name(row, place, self.values[place])

    def _name(self, row: ValueRow, place: int, value: float) -> None:
        """Give the slot `place` of the copy the name of `row` as an alias, and `value`; `row` is then explained.

        An alias of that slot is replaced. `row` is removed from `unexplained` (ValueError if it is not there). With
        `self.is_rounded`, a setting of the whole copy, the slot gets the row's number instead of `value`.
        """
        self.values[place] = _number(row) if self.is_rounded else value
        self.graph.aliases[place] = row.name
        self.unexplained.remove(row)

    def _combine(self, slot: int, whole: _SumOrProduct) -> None:
        """Build the sum or product in `slot` of the problem in the copy: the parts that rows show go first.

        Only unexplained rows that are in `free` can be parts, in order; one that is leaves `unexplained`. A part
        replaces its terms for the rows after it, at the place of the first of them, as an inverse term if the row shows
        the negative or reciprocal of the part. Each part, and the whole (`_name_step`), gets the name of the row that
        shows it, and the value of its terms, but the row's number if it is the row of the slip or if `is_rounded`;
        `has_parts` becomes True. If no row shows a part, the operations are copied in their own order (`_copy`, which
        names them too).
        """
        terms = [(self._place_of(leaf), is_inverse) for leaf, is_inverse in whole.terms]
        parts, count = self._parts(whole, terms), len(self.unexplained)
        for row in [row for row in self.unexplained if row in self.free]:
            if (part := self._part_of(row, slot, parts)) is not None:
                new = self._join(whole, [(terms[k][0], terms[k][1] != part.is_inverted) for k in part.places], slot)
                self._name(row, new, _number(row) if self._is_slip(row) else part.value)
                terms[part.places[0]] = new, part.is_inverted
                terms = [term for k, term in enumerate(terms) if k not in part.places[1:]]
                parts = self._parts(whole, terms)
        if len(self.unexplained) < count:
            self.has_parts = True
            self._place[slot] = self._join(whole, terms, slot)
            self._name_step(slot)
        else:
            for each in sorted(whole.inner):
                self._copy(each)

    def _place_of(self, term: int) -> int:
        """Return the slot of the copy for that of a term of the problem; for `_MINUS` a new constant -1."""
        if term != _MINUS:
            return self._place[term]
        self.values.append(-1.0)
        return self.graph.constant(Constant("-1"))

    def _is_slip(self, row: ValueRow) -> bool:
        """Return whether `row` is the row with a wrong number."""
        return self.slip is not None and self.slip.row is row

    def _part_of(self, row: ValueRow, slot: int, parts: Sequence[_Subset]) -> _Subset | None:
        """Return the part of the sum or product in `slot`, one of `parts`, that a row is; None if no part fits.

        The row with a wrong number (`slip`) is the part whose index in `parts` the slip names; None if it names a whole
        step, a part of another slot, or one out of range. Another row is the part whose value is nearest to its number,
        the first of several. The difference must be both at most 5 % of the value (at most 0.05 if the value is 0) and
        at most one unit of the number's last place. None for a row without a number.
        """
        if self.slip is not None and self._is_slip(row):
            is_here = self.slip.slot == slot and self.slip.part in range(len(parts))
            return parts[self.slip.part or 0] if is_here else None
        best = min(parts, key=lambda part: _distance(row, part.value), default=None)
        return best if best is not None and _distance(row, best.value) <= _ROUNDED else None

    def _parts(self, whole: _SumOrProduct, terms: Sequence[tuple[int, bool]]) -> list[_Subset]:
        """Return the parts of a sum or product: each choice of some of `terms`, small ones first.

        `terms` are (slot, whether it is subtracted or divided by). A part is a _Subset: the places of its terms in
        `terms`, its value, and whether that is inverted. A single term is a part only if it is inverse, with the value
        -x or 1/x. A choice of several terms gives two parts: their combination, then its negative or reciprocal
        (inverted). All terms together give one only in a sum: the negative of the whole.
        """
        combining, inverting = ROWS[whole.kind[0]], ROWS[whole.kind[1]]
        neutral = whole.kind[2]
        parts = []
        for count in range(1, len(terms) + (whole.kind is _SUM)):
            for places in combinations(range(len(terms)), count):
                value = neutral
                for term, is_inverse in map(terms.__getitem__, places):
                    value = apply(inverting if is_inverse else combining, FLOAT, (value, self.values[term]))
                if len(terms) > count > 1 or (count == 1 and terms[places[0]][1]):
                    parts.append(_Subset(places, value, False))
                if count > 1:
                    parts.append(_Subset(places, apply(inverting, FLOAT, (neutral, value)), True))
        return parts

    def _join(self, whole: _SumOrProduct, terms: Sequence[tuple[int, bool]], slot: int) -> int:
        """Append operations that combine `terms`, as (slot of the copy, whether inverse); return the last slot.

        The first term that is not inverse begins, the others follow in order. If all terms are inverse, the first one
        is negated, or divides a new constant 1. Values are appended too. A single term that is not inverse is returned
        as it is. The span is that of `slot` of the problem.
        """
        combining, inverting = ROWS[whole.kind[0]], ROWS[whole.kind[1]]
        first = next((term for term in terms if not term[1]), terms[0])
        place, is_inverse = first
        if is_inverse and whole.kind is _SUM:
            place = self._apply(ROWS["neg"], [place], slot)
        elif is_inverse:
            self.values.append(1.0)
            place = self._apply(inverting, [self.graph.constant(Constant("1")), place], slot)
        for term in terms:
            if term is not first:
                place = self._apply(inverting if term[1] else combining, [place, term[0]], slot)
        return place


def _number(row: ValueRow) -> float:
    """Return the number of a row as a double; nan for a row without a number."""
    return nan if row.number is None else as_double(row.number.value)


def _distance(row: ValueRow, value: float) -> float:
    """Return the difference of a row's number and `value`, relative to `value`; absolute if `value` is 0.

    Infinite for a row without a number, and if the difference is more than one unit: that of the row or that of the
    last place of its number as written, whichever is larger.
    """
    away = abs(_number(row) - value)
    unit = row.unit if row.number is None else max(row.unit, as_double(row.number.unit))
    return away / (abs(value) or 1.0) if away <= unit else inf


# --- portions of sums and products ------------------------------------------------------------------------------------


_MOST_PARTS, _MOST_PORTIONS = 8, 2_000  # operands of one sum or product, and portions of a problem
_AGREE = 1e-9
# By operation: the sign of each operand in a sum, or its exponent in a product. A unary minus belongs to both.
_SIGNS = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}
_EXPONENTS = {"mul": (1, 1), "div": (1, -1), "neg": (1,)}

Numbers = list[float]  # one at each point


class Portions:
    """The portions of all sums and products of a graph, identified by their values at some points."""

    def __init__(self, graph: Graph, values: Sequence[Sequence[float]]) -> None:
        """Collect the portions of `graph`; `values` are those of all its slots, for each point (None: no value)."""
        self.graph, self.values = graph, values
        self.portions = list(self._all_portions())

    def have(self, numbers: Sequence[float]) -> bool:
        """Return whether a row with the values `numbers`, one at each point, is a portion, up to its sign.

        The sign must be the same at all points. The difference may be 1e-9 of the larger one. Points at which the row
        is 0 are not compared; so a row of zeros is a portion if the graph has portions. A nan equals nothing.
        """
        signed = ([sign * x for x in numbers] for sign in (1, -1))
        pairs = ([*zip(term, portion, strict=True)] for term, portion in product(signed, self.portions))
        return any(all(isclose(x, y, rel_tol=_AGREE) for x, y in each if x) for each in pairs)

    def _all_portions(self) -> Iterator[Numbers]:
        """Yield portions: the values, one for each point, of some of the operands of a sum or product, combined.

        Each choice of some but not all operands is tried, a single one too, small choices first, of each sum, then of
        each product. Of a product with a minus sign in it, `-k*t`, all operands without the sign are a portion too:
        k*t. Subtracted operands count negatively, divisors are divided by. Sums and products without a value, in the
        branch that is not taken, are left out. A sum that is an operand of a longer sum, or a product in a longer
        product, is not taken separately. Sums and products of more than 8 operands are left out; it stops after 2000
        portions.
        """
        count = 0
        for turns in (_SIGNS, _EXPONENTS):
            inside: set[int] = set()  # slots that are parts of a longer sum or product
            for slot in filter(self._is_known, reversed(range(len(self.graph)))):
                parts = [] if slot in inside else self._operands_of(slot, turns, inside)
                if len(parts) > _MOST_PARTS:
                    continue
                whole = prod(_power(self.values[0][part], turn) for part, turn in parts)
                most = len(parts) - (turns is _SIGNS or whole * self.values[0][slot] >= 0)
                for chosen in chain.from_iterable(combinations(parts, size + 1) for size in range(most)):
                    if turns is _SIGNS:
                        yield [sum(turn * at[part] for part, turn in chosen) for at in self.values]
                    else:
                        yield [prod(_power(at[part], turn) for part, turn in chosen) for at in self.values]
                    count += 1
                    if count >= _MOST_PORTIONS:
                        return

    def _is_known(self, slot: int) -> bool:
        return all(at[slot] is not None for at in self.values)

    def _operands_of(self, slot: int, turns: dict[str, tuple[int, ...]], inside: set[int]) -> list[tuple[int, int]]:
        """Return the operands of the sum or product that ends in `slot`, as pairs (slot, sign or exponent).

        The last operand comes first. `turns` has the sign (for sums) or exponent (for products) of each operand of an
        operator, by operator: so it says whether sums or products are followed; a sign - is among both. A slot of
        another operation is returned as the only operand. All operands of the operators that are followed, those
        returned too, are added to `inside`, in place. The search stops beyond 8 operands, and then the list is
        incomplete.
        """
        parts: list[tuple[int, int]] = []
        stack = [(slot, 1)]
        while stack and len(parts) + len(stack) <= _MOST_PARTS + 1:
            here, turn = stack.pop()
            if not (operands := turns.get(self.graph.operator(here), ())):
                parts.append((here, turn))
            inside.update(self.graph.parents[here] if operands else ())
            stack += [(p, turn * each) for p, each in zip(self.graph.parents[here], operands, strict=False)]
        return parts


def _power(x: float, exponent: int) -> float:
    """Return `x` to the power of `exponent`, 1 or -1; infinity for 1/0."""
    return x if exponent > 0 else 1 / x if x else inf
