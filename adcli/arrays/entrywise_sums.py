"""Entrywise sums: products and quotients of arrays entry by entry as polynomials, in which factors cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import product

from .factor_products import ONE, FactorProduct, FormulaAlgebra, number_leaf
from .formula_trees import FormulaTree
from .shapes import places

Powers = frozenset[tuple[FormulaTree, int]]  # of one term: factors with their powers
Polynomial = Mapping[Powers, Fraction]  # terms with their coefficients
_MOST_TERMS = 16
_EXPANDED = ("times", "over", "neg", "add", "sub", "entry")  # rows of blocks that are multiplied out


class TooManyTerms(Exception):
    """A polynomial that is too long to be simpler than the formula."""


class EntrywiseSums:
    """Formulas of one program as polynomials, entry by entry.

    All factors of a term are numbers or arrays of one shape, so that they commute. A sum in a denominator is one
    factor, which cancels where the same sum is multiplied later.
    """

    def __init__(self, algebra: FormulaAlgebra) -> None:
        self.algebra = algebra
        self._below: dict[frozenset[tuple[Powers, Fraction]], FormulaTree] = {}  # denominators that are sums
        self._leaves: dict[str, Callable[[FormulaTree], Polynomial]] = {
            "number": lambda tree: {frozenset(): Fraction(tree.leaf)}, "ones": lambda _: {frozenset(): ONE},
            "list": self._list, ".^": self._power, "^": self._power, "./": self._over,
            "/": self._over,
        }  # fmt: skip
        self._operations: dict[str, Callable[..., Polynomial]] = {
            "neg": lambda terms: _added({}, terms, -ONE),
            "+": lambda left, right: _added(left, right, ONE),
            "-": lambda left, right: _added(left, right, -ONE),
            ".*": self._times, "": self._times, "sum": self._summed,
            "dot": lambda left, right: self._summed(self._times(left, right)),
        }  # fmt: skip

    def simplified(self, tree: FormulaTree) -> list[FactorProduct] | None:
        """Return an array as a sum of products, multiplied out entry by entry; None if that has too many terms."""
        try:
            terms = self.polynomial(tree)
        except TooManyTerms:
            return None
        shape = self.algebra.shape(tree)
        products = [self._product(powers, coefficient) for powers, coefficient in terms.items()]
        if shape and products and not any(product.chain for product in products):
            ones = FormulaTree("ones", tuple(map(number_leaf, shape)))
            return [product._replace(chain=(ones,)) for product in products]
        return products

    def polynomial(self, tree: FormulaTree) -> Polynomial:
        """Return the terms of a formula; anything but sums, products and quotients entry by entry is one factor.

        Raises TooManyTerms.
        """
        tree = self._inside(tree)
        shapes = [self.algebra.shape(each) for each in tree.operands]
        is_matrix_product = tree.operation in ("", "^") and all(shapes[:1]) and (tree.operation == "^" or all(shapes))
        spread = len(shapes) == 2 and tree.operation != "" and all(shapes) and shapes[0] != shapes[1]
        if is_matrix_product or spread:
            return {frozenset({(tree, 1)}): ONE}
        if tree.operation in self._operations:
            return self._operations[tree.operation](*map(self.polynomial, tree.operands))
        return self._leaves[tree.operation](tree) if tree.operation in self._leaves else {frozenset({(tree, 1)}): ONE}

    def _inside(self, tree: FormulaTree) -> FormulaTree:
        """Return the formula of a block if it is a short one without a name; else `tree`."""
        if tree.operation == "name" and tree.leaf.startswith("#"):
            block = self.algebra.blocks[int(tree.leaf[1:])]
            if block.row is not None and block.row.name in _EXPANDED and not block.user_named:
                return self.algebra.definition(tree)
        return tree

    def _power(self, tree: FormulaTree) -> Polynomial:
        """Return a power with a whole exponent, of a sum as one factor."""
        terms, exponent = self.polynomial(tree.operands[0]), tree.operands[1]
        if len(terms) > 1 or exponent.operation != "number" or not exponent.leaf.isdigit():
            return {frozenset({(tree, 1)}): ONE}
        times = int(exponent.leaf)
        return {frozenset((each, k * times) for each, k in powers): x**times for powers, x in terms.items()}

    def _list(self, tree: FormulaTree) -> Polynomial:
        """Return a list with one entry that is not 0 as this entry times the list with 1 in its place."""
        others = [place for place, cell in enumerate(tree.operands) if cell != number_leaf("0")]
        if len(others) != 1:
            return {frozenset({(tree, 1)}): ONE}
        cells = [number_leaf(int(place == others[0])) for place in range(len(tree.operands))]
        unit = {frozenset({(tree._replace(operands=tuple(cells)), 1)}): ONE}
        return self._times(self.polynomial(tree.operands[others[0]]), unit)

    def _times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """Return the product of two polynomials; a sum cancels where the other one is divided by it."""
        for sums, others in ((left, right), (right, left)):
            key = self._below.get(frozenset(sums.items()))
            if key is not None and any((key, -1) in powers for powers in others):
                kept = {powers: x for powers, x in others.items() if (key, -1) not in powers}
                cancelled = {powers - {(key, -1)}: x for powers, x in others.items() if (key, -1) in powers}
                return _added(self._times(kept, sums), cancelled, ONE)
        if len(left) * len(right) > _MOST_TERMS:
            raise TooManyTerms
        result: dict[Powers, Fraction] = {}
        for (some, x), (more, y) in product(left.items(), right.items()):
            result = _added(result, {self._united(some, more): x * y}, ONE)
        return result

    def _united(self, left: Powers, right: Powers) -> Powers:
        """Return the factors of two terms together; arrays next to a list with a single 1 become their entries."""
        powers: dict[FormulaTree, int] = {}
        for factor, power in (*left, *right):
            powers[factor] = powers.get(factor, 0) + power
        for factor in [factor for factor, power in powers.items() if power > 0]:
            name = self.algebra.quotient(factor, powers)
            if name is not None:
                powers[factor] -= 1
                return self._united(frozenset(powers.items()), next(iter(self.polynomial(name))))
        unit = next((factor for factor in powers if self._is_unit(factor)), None)
        for factor in list(powers) if unit is not None else ():
            if unit is not None and factor != unit and self.algebra.shape(factor):
                index = places(self.algebra.shape(unit))[[cell.leaf for cell in unit.operands].index("1")]
                entry = FormulaTree("index", (factor, *map(number_leaf, index[1:-1].split(","))))
                powers[entry] = powers.get(entry, 0) + powers.pop(factor)
        if unit is not None:
            powers[unit] = 1
        return frozenset((factor, power) for factor, power in powers.items() if power)

    def _is_unit(self, factor: FormulaTree) -> bool:
        """Return whether a factor is a list of zeros and a single 1."""
        return factor.operation == "list" and sorted(cell.leaf for cell in factor.operands)[-2:] in (["0", "1"], ["1"])

    def _over(self, tree: FormulaTree) -> Polynomial:
        """Return a quotient, in which each factor of the denominator that is a sum is one factor of the result."""
        terms, factors = self.polynomial(tree.operands[0]), [tree.operands[1]]
        while factors:
            below = self._inside(factors.pop())
            right = self.polynomial(below)
            if len(right) == 1:
                ((powers, x),) = right.items()
                terms = self._times(terms, {frozenset((factor, -power) for factor, power in powers): 1 / x})
            elif below.operation == ".*":
                factors += below.operands
            else:
                key = self._below.setdefault(frozenset(right.items()), below)
                terms = self._times(terms, {frozenset({(key, -1)}): ONE})
        return terms

    def _summed(self, terms: Polynomial) -> Polynomial:
        """Return the sum over all entries: numbers are taken out, the sum of a list with a single 1 is 1."""
        result: dict[Powers, Fraction] = {}
        for powers, x in terms.items():
            numbers = {(factor, power) for factor, power in powers if not self.algebra.shape(factor)}
            arrays = powers - numbers
            if not arrays:
                raise TooManyTerms  # the number of entries is not in the polynomial
            if len(arrays) > 1 or not self._is_unit(next(iter(arrays))[0]):
                numbers = {*numbers, (FormulaTree("sum", self._product(arrays, ONE).chain), 1)}
            result = _added(result, {frozenset(numbers): x}, ONE)
        return result

    def _product(self, powers: Powers, coefficient: Fraction) -> FactorProduct:
        """Return a term as a product: numbers with their powers, and a product of arrays entry by entry."""
        numbers: list[tuple[FormulaTree, int]] = []
        above: list[FormulaTree] = []
        below: list[FormulaTree] = []
        for factor, power in sorted(powers, key=str):
            if not self.algebra.shape(factor):
                numbers.append((factor, power))
            elif power:
                raised = factor if abs(power) == 1 else FormulaTree(".^", (factor, number_leaf(abs(power))))
                (above if power > 0 else below).append(raised)
        if below and not above:
            above = [number_leaf(1)]
        tree = [reduce(lambda x, y: FormulaTree(".*", (x, y)), above)] if above else []
        chain = [reduce(lambda x, y: FormulaTree("./", (x, y)), [*tree, *below])] if tree else []
        return FactorProduct(coefficient, tuple(numbers), tuple(chain))


def _added(left: Polynomial, right: Polynomial, factor: Fraction) -> dict[Powers, Fraction]:
    """Return left + factor * right, without terms that vanish."""
    result = dict(left)
    for powers, x in right.items():
        result[powers] = result.get(powers, Fraction(0)) + factor * x
    return {powers: x for powers, x in result.items() if x}
