"""Entrywise sums: products and quotients of arrays entry by entry as polynomials, in which factors cancel. A polynomial
is a list of terms, each a coefficient times whole powers of factors; a factor is a formula.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import product

from . import matrix_products as sums
from .factor_products import FormulaAlgebra
from .formula_trees import FormulaTree
from .matrix_products import ONE, FactorProduct
from .shapes import places

Terms = list[FactorProduct]  # sums of products whose factors, arrays too, are all in `numbers`, because they commute
_MOST_TERMS = 16
_EXPANDED = ("times", "over", "neg", "add", "sub", "entry")  # rows of blocks that are multiplied out


class TooManyTerms(Exception):
    """Raised if a polynomial is too long to be simpler than the formula."""


class EntrywiseSums:
    """Formulas of one program as polynomials, entry by entry.

    All factors of a term are numbers or arrays of one shape, so that they commute. A sum in a denominator is one
    factor, which cancels where the same sum is multiplied later.
    """

    def __init__(self, algebra: FormulaAlgebra) -> None:
        """Prepare the rules by operation; `algebra` has the blocks and the shapes of the formulas of the program.

        Rules in `_operations` get the polynomials of the operands, those in `_leaves` the tree itself.
        """
        self.algebra = algebra
        self._below: dict[object, FormulaTree] = {}  # denominators that are sums
        self._leaves: dict[str, Callable[[FormulaTree], Terms]] = {
            "number": lambda tree: [FactorProduct(Fraction(tree.leaf), (), ())],
            "ones": lambda _: [FactorProduct(ONE, (), ())],
            "list": self._list, ".^": self._power, "^": self._power, "./": self._quotient, "/": self._quotient,
        }  # fmt: skip
        self._operations: dict[str, Callable[..., Terms]] = {
            "neg": sums.negate_products,
            "+": lambda left, right: sums.combine_products([*left, *right]),
            "-": lambda left, right: sums.combine_products([*left, *sums.negate_products(right)]),
            ".*": self._product, "": self._product, "sum": self._sum_entries,
            "dot": lambda left, right: self._sum_entries(self._product(left, right)),
        }  # fmt: skip

    def simplified(self, tree: FormulaTree) -> list[FactorProduct] | None:
        """Return the array `tree` as a sum of products, multiplied out entry by entry.

        None if that has too many terms; [] if they cancel. Each product has its arrays as one factor; a sum of numbers
        alone where an array is expected is multiplied by ones(…).
        """
        try:
            products = list(map(self._join_arrays, self.polynomial(tree)))
        except TooManyTerms:
            return None
        shape = self.algebra.shape(tree)
        if shape and products and not any(product.chain for product in products):
            ones = FormulaTree("ones", tuple(map(sums.number_leaf, shape)))
            return [product._replace(chain=(ones,)) for product in products]
        return products

    def polynomial(self, tree: FormulaTree) -> Terms:
        """Return the formula `tree` as a polynomial: its terms; [] for 0.

        A block that `_unnamed_formula` opens (a product, quotient, sum … without a name) is first replaced by its
        formula. Then the first that applies:

        - a product of two arrays by matrix rules, `^` of an array, or an entrywise operation on arrays of two shapes:
          one factor
        - sums, differences, negations and products entry by entry, sum(…) and dot(…): expanded term by term
        - quotients, powers and lists: `_quotient`, `_power`, `_list`
        - a number: a coefficient; ones(…): 1
        - each other formula: one factor

        Raises TooManyTerms if a product or sum cannot be expanded in a few terms (`_product`, `_sum_entries`).
        """
        tree = self._unnamed_formula(tree)
        shapes = [self.algebra.shape(each) for each in tree.operands]
        is_matrix_product = tree.operation in ("", "^") and all(shapes[:1]) and (tree.operation == "^" or all(shapes))
        spread = len(shapes) == 2 and tree.operation != "" and all(shapes) and shapes[0] != shapes[1]
        if is_matrix_product or spread:
            return [_factor(tree)]
        if tree.operation in self._operations:
            return self._operations[tree.operation](*map(self.polynomial, tree.operands))
        return self._leaves[tree.operation](tree) if tree.operation in self._leaves else [_factor(tree)]

    def _unnamed_formula(self, tree: FormulaTree) -> FormulaTree:
        """Return the formula of a block that the user has not named and that is a product (entry by entry or with
        a number), quotient, negation, sum, difference or single entry (`_EXPANDED`); `tree` for all else.

        It is opened once: blocks in the formula stay.
        """
        if tree.operation == "name" and tree.leaf.startswith("#"):
            block = self.algebra.blocks[int(tree.leaf[1:])]
            if block.row is not None and block.row.name in _EXPANDED and not block.user_named:
                return self.algebra.definition(tree)
        return tree

    def _power(self, tree: FormulaTree) -> Terms:
        """Return the power `tree` of one term with a whole exponent as this term with its coefficient raised and
        all its exponents multiplied.

        Every other exponent, or a base of several terms, gives the whole power as one factor; a base without terms (0)
        gives no terms. Raises TooManyTerms.
        """
        terms, times = self.polynomial(tree.operands[0]), sums.whole_number(tree.operands[1])
        if len(terms) > 1 or times is None:
            return [_factor(tree)]
        return [
            FactorProduct(each.coefficient**times, tuple([(x, power * times) for x, power in each.numbers]), ())
            for each in terms
        ]

    def _list(self, tree: FormulaTree) -> Terms:
        """Return the list `tree` with one entry that is not 0 as this entry times the list with 1 in its place.

        Every other list is one factor.
        """
        others = [place for place, cell in enumerate(tree.operands) if cell != sums.number_leaf("0")]
        if len(others) != 1:
            return [_factor(tree)]
        cells = [sums.number_leaf(int(place == others[0])) for place in range(len(tree.operands))]
        return self._product(self.polynomial(tree.operands[others[0]]), [_factor(tree._replace(operands=tuple(cells)))])

    def _product(self, left: Terms, right: Terms) -> Terms:
        """Return the product of the sums `left` and `right`, with equal products combined.

        Terms of one sum that are divided by the other sum as a whole lose that divisor and are not multiplied. Raises
        TooManyTerms if more than _MOST_TERMS (16) products would have to be formed.
        """
        for factor, others in ((left, right), (right, left)):
            below = (self._below.get(_key(factor)), -1)
            divided = [each for each in others if below in each.numbers]
            if divided:
                rest = [[pair for pair in each.numbers if pair != below] for each in divided]
                cancelled = [each._replace(numbers=tuple(x)) for each, x in zip(divided, rest, strict=True)]
                kept = [each for each in others if each not in divided]
                return sums.combine_products([*self._product(kept, factor), *cancelled])
        if len(left) * len(right) > _MOST_TERMS:
            raise TooManyTerms
        return sums.combine_products([self._multiply_terms(some, more) for some, more in product(left, right)])

    def _multiply_terms(self, left: FactorProduct, right: FactorProduct) -> FactorProduct:
        """Return the product of the terms `left` and `right`.

        Coefficients are multiplied, powers of equal factors added, those with exponent 0 dropped. A factor over a
        divisor that has a name as a function (`named_quotient`) is replaced by the term of that function. If one factor
        is a list with a single 1, arrays are replaced by their entry at the place of the 1.
        """
        coefficient = left.coefficient * right.coefficient
        powers = sums.added_powers(left, right)
        name = self.algebra.named_quotient(powers)
        if name is not None:
            (named,) = self.polynomial(name)
            return self._multiply_terms(FactorProduct(coefficient, tuple(powers.items()), ()), named)
        unit = next(filter(self._is_unit, powers), None)
        if unit is not None:
            self._pick_entries(unit, powers)
        return FactorProduct(coefficient, tuple([pair for pair in powers.items() if pair[1]]), ())

    def _pick_entries(self, unit: FormulaTree, powers: dict[FormulaTree, int]) -> None:
        """Replace the arrays in `powers`, in place, by their entries at the place of the 1 in the list `unit`, which
        stays with power 1."""
        index = places(self.algebra.shape(unit))[[cell.leaf for cell in unit.operands].index("1")]
        indices = tuple(map(sums.number_leaf, index[1:-1].split(",")))
        for factor in [factor for factor in powers if factor != unit and self.algebra.shape(factor)]:
            entry = FormulaTree("index", (factor, *indices))
            powers[entry] = powers.get(entry, 0) + powers.pop(factor)
        powers[unit] = 1

    def _is_unit(self, factor: FormulaTree) -> bool:
        """Return whether a factor is a list of zeros and a single 1."""
        return factor.operation == "list" and sorted(cell.leaf for cell in factor.operands)[-2:] in (["0", "1"], ["1"])

    def _quotient(self, tree: FormulaTree) -> Terms:
        """Return the quotient `tree` entry by entry as terms: the numerator's, divided by each factor of the
        denominator.

        A factor of one term is inverted (TooManyTerms for a literal 0). A factor of several terms, or of none (a
        sum that cancels), is one divisor, and is stored in `_below` by its terms, so that equal sums are the same
        divisor.
        """
        terms, factors = self.polynomial(tree.operands[0]), [tree.operands[1]]
        while factors:
            below = self._unnamed_formula(factors.pop())
            right = self.polynomial(below)
            if len(right) == 1 and not right[0].coefficient:
                raise TooManyTerms  # 1/0 is no number
            if len(right) == 1:
                terms = self._product(terms, [sums.invert_product(right[0])])
            elif below.operation == ".*":
                factors += below.operands
            else:
                terms = self._product(terms, [sums.invert_product(_factor(self._below.setdefault(_key(right), below)))])
        return terms

    def _sum_entries(self, terms: Terms) -> Terms:
        """Return the sum over all entries of each of `terms`, with like terms combined.

        The numbers of a term are taken out, its arrays become one factor sum(…). A term whose only array is a unit
        vector, one 1 and zeros else, as in `[0, 1, 0]`, keeps just its numbers, because the sum is 1. Raises
        TooManyTerms for a term without an array, whose number of entries is unknown.
        """
        result = []
        for term in terms:
            numbers = [pair for pair in term.numbers if not self.algebra.shape(pair[0])]
            arrays = [pair for pair in term.numbers if pair not in numbers]
            if not arrays:
                raise TooManyTerms  # the number of entries is not in the polynomial
            if len(arrays) > 1 or not self._is_unit(arrays[0][0]):
                inside = self._join_arrays(FactorProduct(ONE, tuple(arrays), ())).chain
                numbers.append((FormulaTree("sum", inside), 1))
            result.append(term._replace(numbers=tuple(numbers)))
        return sums.combine_products(result)

    def _join_arrays(self, term: FactorProduct) -> FactorProduct:
        """Return a term with its arrays as one factor in the chain, their product divided by each divisor, entry by
        entry.

        Factors are sorted by their text; numbers stay powers in `numbers`. Without arrays the chain is empty, with
        divisors only it begins with 1.
        """
        above: list[FormulaTree] = []
        below: list[FormulaTree] = []
        factors = sorted(term.numbers, key=str)
        numbers = [pair for pair in factors if not self.algebra.shape(pair[0])]
        for factor, power in factors:
            if (factor, power) not in numbers:
                raised = factor if abs(power) == 1 else FormulaTree(".^", (factor, sums.number_leaf(abs(power))))
                (above if power > 0 else below).append(raised)
        if below and not above:
            above = [sums.number_leaf(1)]
        tree = [reduce(lambda x, y: FormulaTree(".*", (x, y)), above)] if above else []
        chain = [reduce(lambda x, y: FormulaTree("./", (x, y)), [*tree, *below])] if tree else []
        return FactorProduct(term.coefficient, tuple(numbers), tuple(chain))


def _factor(tree: FormulaTree) -> FactorProduct:
    return FactorProduct(ONE, ((tree, 1),), ())


def _key(terms: Terms) -> object:
    """Return a key that is equal for equal sums."""
    return frozenset((frozenset(each.numbers), each.coefficient) for each in terms)
