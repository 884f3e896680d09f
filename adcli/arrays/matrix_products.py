"""Matrix products and sums of them: a product is a coefficient, whole powers of numbers, and a chain of matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

from ..records import NamedTuple
from .formula_trees import FormulaTree

ONE = Fraction(1)

_LARGE = 10**300  # a double still holds it


class FactorProduct(NamedTuple):
    """A product in an array formula.

    coefficient  a fraction
    numbers      pairs (formula of a number, whole exponent), in the order in which they are written
    chain        the arrays, in the order of the matrix product
    """

    coefficient: Fraction
    numbers: tuple[tuple[FormulaTree, int], ...]
    chain: tuple[FormulaTree, ...]


def tree_size(tree: FormulaTree) -> int:
    return 1 + sum(map(tree_size, tree.operands))


def chain_tree(factors: Sequence[FormulaTree]) -> FormulaTree:
    """Return the matrix product of one or more factors."""
    return reduce(lambda left, right: FormulaTree("", (left, right)), factors)


def combine_products(products: Sequence[FactorProduct]) -> list[FactorProduct]:
    """Return the products, with those that differ only in their coefficients added at the place of the first one.

    The order of the numbers, and of factors entry by entry, does not matter; the order of the chain does. Products with
    coefficient 0 are left out.
    """
    combined: dict[object, FactorProduct] = {}
    for product in products:
        key = (
            frozenset(product.numbers),
            tuple([frozenset(Counter(entries_of(each)).items()) for each in product.chain]),
        )
        first = combined.setdefault(key, product._replace(coefficient=Fraction(0)))
        combined[key] = first._replace(coefficient=first.coefficient + product.coefficient)
    return [product for product in combined.values() if product.coefficient]


def entries_of(tree: FormulaTree) -> list[FormulaTree]:
    """Return the factors of a product entry by entry; another formula is its only factor."""
    return [factor for each in tree.operands for factor in entries_of(each)] if tree.operation == ".*" else [tree]


def multiply_entries(left: FormulaTree, right: FormulaTree) -> FormulaTree:
    """Return the product of two arrays entry by entry, with equal factors as powers."""
    factors = Counter([*entries_of(left), *entries_of(right)])
    powers = [x if k == 1 else FormulaTree(".^", (x, number_leaf(k))) for x, k in factors.items()]
    return reduce(lambda x, y: FormulaTree(".*", (x, y)), powers)


def product_of(factor: FormulaTree) -> FactorProduct:
    """Return an array as a product of one factor."""
    return FactorProduct(ONE, (), (factor,))


def added_powers(left: FactorProduct, right: FactorProduct) -> dict[FormulaTree, int]:
    """Return the powers of the numbers of both products together, 0 too."""
    powers = dict(left.numbers)
    for number, power in right.numbers:
        powers[number] = powers.get(number, 0) + power
    return powers


def negate_products(products: Iterable[FactorProduct]) -> list[FactorProduct]:
    return [product._replace(coefficient=-product.coefficient) for product in products]


def invert_product(product: FactorProduct) -> FactorProduct:
    """Return the product with the reciprocals of its coefficient and numbers; its arrays are left as they are."""
    return FactorProduct(1 / product.coefficient, tuple([(x, -power) for x, power in product.numbers]), product.chain)


def whole_number(tree: FormulaTree) -> int | None:
    """Return the whole number that a formula is, such as 3 or −2; None for anything else."""
    if tree.operation == "neg":
        inside = whole_number(tree.operands[0])
        return None if inside is None else -inside
    return int(tree.leaf) if tree.operation == "number" and tree.leaf.lstrip("-").isdecimal() else None


def number_leaf(text: object) -> FormulaTree:
    return FormulaTree("number", (), str(text))


def _number_tree(number: Fraction) -> FormulaTree:
    """Return a positive fraction as a formula: a whole number, an exact decimal without exponent, or a quotient
    `2/3`.
    """
    decimal = repr(float(number)) if number < _LARGE else "e"
    if number.denominator == 1:
        return number_leaf(number.numerator)
    if "e" not in decimal and Fraction(decimal) == number:
        return number_leaf(decimal)
    return FormulaTree("/", (number_leaf(number.numerator), number_leaf(number.denominator)))


def product_tree(product: FactorProduct) -> FormulaTree:
    """Return a product, whose coefficient must be positive, as a formula; `1` without factors.

    Its order: the coefficient (left out if 1), numbers with positive powers, matrix factors; all over the product of
    the numbers with negative powers. A coefficient 1/n that is not an exact decimal puts n first into the denominator.
    More than three matrix factors that are all transposed become one transpose of their product in reverse order.
    """
    above: list[FormulaTree] = []
    below: list[FormulaTree] = []
    coefficient = product.coefficient
    if coefficient.numerator == 1 and Fraction(repr(float(coefficient))) != coefficient:
        below.append(_number_tree(1 / coefficient))
        coefficient = ONE
    for number, power in product.numbers:
        size = abs(power)
        raised = number if size == 1 else FormulaTree("^", (number, number_leaf(size)))
        (above if power > 0 else below).append(raised)
    chain = product.chain
    if len(chain) > 3 and all(each.operation == "transpose" for each in chain):
        chain = (FormulaTree("transpose", (chain_tree([each.operands[0] for each in reversed(chain)]),)),)
    factors = [*above, *chain]
    if coefficient != 1 or not factors:
        factors.insert(0, _number_tree(coefficient))
    tree = chain_tree(factors)
    return FormulaTree("/", (tree, chain_tree(below))) if below else tree
