"""Formulas of arrays as sums of products of matrix factors: the algebra in which adjoints are added and multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import prod

from ..graph.graph import CONSTANTS
from ..typings import Final
from . import matrix_products as sums
from .array_blocks import ArrayBlock, value_tree
from .array_rows import FUNCTIONS, OPERANDS, ROWS
from .formula_trees import FormulaTree, substitute, tree_of
from .lowering import RowCall
from .matrix_products import ONE, FactorProduct, chain_tree
from .shapes import Shape

# Rows whose factors take part in the products around them.
_EXPANDED = ("times", "over", "neg", "power", "matmul", "outer", "diag", "inv")
_MOST_FACTORS = 12
# Quotients with a shorter name: (function above, divisor, name of both); `f` is the factor above, `a` its argument.
_QUOTIENTS: Final = [
    (tree_of(above).operation, tree_of(divisor), tree_of(name))
    for above, divisor, name in (
        ("adj(a)", "det(a)", "inv(a)"), ("sign(a)", "abs(a)", "1/a"), ("exp(a)", "1 + f", "sigmoid(a)"),
        ("exp(a)", "f + 1", "sigmoid(a)"), ("exp(a)", "sum(f)", "softmax(a)"), ("sinh(a)", "cosh(a)", "tanh(a)"),
    )
]  # fmt: skip


class FormulaAlgebra:
    """Formulas of a program: sums of products, with the factors of short unnamed blocks multiplied out.

    Leaves of formulas are `#3` for the value of block 3, and any other name in `shapes`.
    """

    def __init__(self, blocks: Sequence[ArrayBlock]) -> None:
        """Prepare the algebra of the formulas of these blocks."""
        self.blocks = blocks
        self.shapes: dict[str, Shape] = {f"#{k}": block.shape for k, block in enumerate(blocks)}
        self._expansions: dict[str, FactorProduct | None] = {}
        self._symmetric: dict[FormulaTree, bool] = {}

    def operands(self, block: ArrayBlock) -> dict[str, FormulaTree]:
        """Return the leaves of the operands of a block by letter."""
        return {letter: self.leaf(operand.block) for letter, operand in zip(OPERANDS, block.operands, strict=False)}

    def definition(self, tree: FormulaTree) -> FormulaTree:
        """Return the formula of a block, in leaves, if `tree` is the leaf of one that has operands; else `tree`."""
        if tree.operation != "name" or not tree.leaf.startswith("#"):
            return tree
        block = self.blocks[int(tree.leaf[1:])]
        return tree if block.row is None else substitute(value_tree(self.blocks, block), self.operands(block))

    def leaf(self, number: int) -> FormulaTree:
        block = self.blocks[number]
        if block.literal is not None:
            return FormulaTree("name" if block.literal in CONSTANTS else "number", (), block.literal)
        return FormulaTree("name", (), f"#{number}")

    # --- products ---

    def shape(self, tree: FormulaTree) -> Shape:
        """Return the shape of the formula `tree`; () for a number, an index and a constant.

        Names are looked up in `shapes` (KeyError if missing), operations in the table of array rows. A blank between
        two arrays is a matrix product. Functions that are not rows are applied entry by entry. Raises Misfit if the
        shapes of the operands do not fit.
        """
        operation = tree.operation
        if operation in ("number", "index") or tree.leaf in CONSTANTS:
            return ()
        if operation == "name":
            return self.shapes[tree.leaf]
        row = FUNCTIONS.get(operation)
        if row is not None and row.arity == 0:
            return row.result(RowCall((), tuple([int(each.leaf) for each in tree.operands])))
        shapes = tuple([self.shape(each) for each in tree.operands])
        if operation in ("", "@"):
            row = ROWS["matmul" if all(shapes) else "times"]
        elif row is None or len(shapes) != row.arity:
            row = ROWS[{"+": "add", "-": "add", "list": "list"}.get(operation, "map")]
        return row.result(RowCall(shapes, tuple([int(length) for length in tree.leaf.split(",") if length])))

    def products(self, tree: FormulaTree) -> list[FactorProduct]:
        """Return the formula `tree` as a sum of products: the terms of + and − at its root, also nested, with their
        signs.

        Like terms are added and vanishing ones left out, so a sum that cancels is []. The diagonal of a matrix may be
        several products, too. Every other formula is one product, even with coefficient 0.
        """
        if tree.operation in ("+", "-", "neg"):
            parts = list(map(self.products, tree.operands))
            if tree.operation != "+":
                parts[-1] = sums.negate_products(parts[-1])
            return sums.combine_products([product for part in parts for product in part])
        return self._sum_of_diagonal(tree) if self._is_diagonal(tree) else [self._product(tree)]

    def _product(self, tree: FormulaTree) -> FactorProduct:
        """Return the formula `tree` as one product: a coefficient, powers of numbers, and a chain of matrix factors.

        Blocks that are not named by the user are expanded if they are short (`_expand_block`). Split into factors are:
        negations, transposes, products, quotients by a number, `.*` and `./`, diag, outer, inv, adj and sum(…) of an
        array. Every other formula (a + b too), and a quotient whose divisor has the coefficient 0, is one factor.
        """
        operation, operands = tree.operation, tree.operands
        expansion = self._expand_block(tree.leaf) if operation == "name" else None
        if expansion is not None:
            return expansion
        if operation in ("neg", "transpose"):
            inside = self._product(operands[0])
            if operation == "neg":
                return inside._replace(coefficient=-inside.coefficient)
            return self.transpose_product(inside)
        if operation in ("", "@"):
            return self.multiply(*map(self._product, operands))
        if operation == "/" and not self.shape(operands[1]):
            below = self._product(operands[1])
            if not below.coefficient:
                return FactorProduct(ONE, (), (tree,))
            return self.multiply(self._product(operands[0]), sums.invert_product(below._replace(chain=())))
        if operation in ("inv", "adj"):
            return self._product_of_inverse(tree)
        if operation in (".*", "./"):
            return self._entrywise_product(tree)
        if operation in ("diag", "outer"):
            return self._of_factors(tree)
        if operation == "sum" and self.shape(operands[0]):
            return self._sum_of_product(operands[0])
        return self._as_one_factor(tree)

    def without_solve(self, products: Sequence[FactorProduct]) -> list[FactorProduct]:
        """Return a sum of products with all factors solve(A, b) written as A⁻¹ b, if it has fewer terms then.

        Blocks defined as solve(…), also named ones, and transposes of them are among these factors. Terms are counted
        after common factors are taken out (`_collect_factors`). If there are not fewer, `products` are returned.
        """
        solved = []
        for product in products:
            whole = product._replace(chain=())
            for factor in product.chain:
                is_transposed = factor.operation == "transpose"
                inside = self.definition(factor.operands[0] if is_transposed else factor)
                part = sums.product_of(factor)
                if inside.operation == "solve":
                    matrix, right = inside.operands
                    part = self.multiply(self._product(FormulaTree("inv", (matrix,))), self._product(right))
                    part = self.transpose_product(part) if is_transposed else part
                whole = self.multiply(whole, part)
            solved.append(whole)
        solved = sums.combine_products(solved)
        return solved if len(self._collect_factors(solved)) < len(self._collect_factors(products)) else list(products)

    def transpose_product(self, product: FactorProduct) -> FactorProduct:
        """Return the transpose of a product: its factors transposed, in reverse order."""
        return product._replace(chain=tuple([self._transpose(each) for each in reversed(product.chain)]))

    def _product_of_inverse(self, tree: FormulaTree) -> FactorProduct:
        """Return `tree`, inv(…) or adj(…), as a product, in most cases of this one factor. The first that applies:

        - inv(Xᵀ) and adj(Xᵀ): the transpose of the product for X
        - adj(inv(X)): det(inv(X)) X, also if inv(X) is a block with a name
        - inv, but not adj, of a product of matrices of one shape: the product of their inverses in reverse order
        - one factor
        """
        (inside,) = tree.operands
        if inside.operation == "transpose":
            return self.transpose_product(self._product_of_inverse(tree._replace(operands=inside.operands)))
        whole = self.definition(inside)
        if tree.operation == "adj" and whole.operation == "inv":
            return FactorProduct(ONE, ((FormulaTree("det", (inside,)), 1),), whole.operands)
        product = self._product(inside)
        if tree.operation == "adj" or len(product.chain) < 2 or len({*map(self.shape, product.chain)}) > 1:
            return self._as_one_factor(tree)
        inverses = [self._product_of_inverse(tree._replace(operands=(each,))) for each in reversed(product.chain)]
        return reduce(self.multiply, inverses, sums.invert_product(product._replace(chain=())))

    def _is_diagonal(self, tree: FormulaTree) -> bool:
        """Return whether `tree` is diag(…) of a matrix, which is a vector."""
        return tree.operation == "diag" and len(self.shape(tree)) == 1

    def _sum_of_diagonal(self, tree: FormulaTree) -> list[FactorProduct]:
        """Return `tree`, the diagonal diag(…) of a matrix, as a sum of products.

        The diagonal of a sum of several terms is split only if each term can be written without the diagonal of a
        matrix; if not, it is one factor.
        """
        terms = list(map(self._diagonal_of_product, self.products(tree.operands[0])))
        is_simple = all(term.chain and term.chain[-1].operation != "diag" for term in terms)
        return terms if is_simple or len(terms) == 1 else [self._as_one_factor(tree)]

    def _diagonal_of_product(self, term: FactorProduct) -> FactorProduct:
        """Return the diagonal of a product of matrices as a product.

        diag(u vᵀ) is diag(v) u, or diag(u) v if u has fewer factors than v. diag(diag(u) M) and diag(M diag(u)) are
        diag(u) diag(M). diag(AᵀBᵀ) is diag(B A). Every other product is one factor diag(…). Coefficient and numbers
        stay before it.
        """
        chain, factors = list(term.chain), []
        for end in (0, -1):
            while len(chain) > 1 and chain[end].operation == "diag":
                factors.append(chain.pop(end))
        if all(each.operation == "transpose" for each in chain):
            chain = [each.operands[0] for each in reversed(chain)]
        end = next((k for k in range(1, len(chain)) if len(self.shape(chain_tree(chain[:k]))) == 1), 0)
        if end:  # u vᵀ
            row = [self._transpose(each) for each in reversed(chain[end:])]
            short, long = sorted((row, chain[:end]), key=len)
            chain = [FormulaTree("diag", (chain_tree(short),)), *long]
        elif chain:
            chain = [FormulaTree("diag", (chain_tree(chain),))]
        return reduce(self.multiply, map(sums.product_of, (*factors, *chain)), term._replace(chain=()))

    def _as_one_factor(self, tree: FormulaTree) -> FactorProduct:
        """Return the formula `tree` as a product of one factor, without looking inside.

        A literal is the coefficient; an array is the chain; a power of a number with a whole exponent is one of the
        powers; every other number is a power 1.
        """
        operation, operands = tree.operation, tree.operands
        if operation == "number":
            return FactorProduct(Fraction(tree.leaf), (), ())
        if self.shape(tree):
            return FactorProduct(ONE, (), (tree,))
        exponent = sums.whole_number(operands[1]) if operation == "^" else None
        if exponent is not None:
            return FactorProduct(ONE, ((operands[0], exponent),), ())
        return FactorProduct(ONE, ((tree, 1),), ())

    def _expand_block(self, leaf: str) -> FactorProduct | None:
        """Return the value of a block as a product, to be multiplied out; `leaf` is `#3` for block 3. Cached.

        None in these cases:

        - any other leaf, an input, or a block that the user has named
        - a row that is not in `_EXPANDED` (products, also of matrices and outer, quotients, negations, powers, diag,
          inverses)
        - the inverse of a single factor
        - the product is 0, or has more than 12 factors, numbers included
        """
        if not leaf.startswith("#"):
            return None
        if leaf not in self._expansions:
            block = self.blocks[int(leaf[1:])]
            self._expansions[leaf] = None
            if block.row is not None and block.row.name in _EXPANDED and not block.user_named:
                product = self._product(self.definition(FormulaTree("name", (), leaf)))
                short = len(product.numbers) + len(product.chain) <= _MOST_FACTORS
                short = short and (block.row.name != "inv" or len(product.chain) > 1)
                self._expansions[leaf] = product if short and product.coefficient else None
        return self._expansions[leaf]

    def _sum_of_product(self, tree: FormulaTree) -> FactorProduct:
        """Return sum(tree) as a product, with coefficient and numbers taken out of the sum. The first that applies:

        - several terms that cancel, as in sum(x - mean(x)): 0
        - ones(…) or eye(n): a number
        - an entrywise product of two vectors, or two matrices of one row, of one shape: a row times a column
        - sum(…) of the array, or of the whole `tree` if it has several terms
        """
        products, terms = self.products(tree), self.products(self.definition(tree))
        if len(terms) > 1 and not sums.combine_products([self._sum_of_term(term, self.shape(tree)) for term in terms]):
            return FactorProduct(Fraction(0), (), ())
        inside = products[0] if len(products) == 1 else FactorProduct(ONE, (), (tree,))
        part = chain_tree(inside.chain)
        if part.operation in ("ones", "eye"):  # eye(n) has n ones
            count = prod(self.shape(part)[: 1 if part.operation == "eye" else 2])
            return inside._replace(coefficient=inside.coefficient * count, chain=())
        if part.operation == ".*":
            left, right = part.operands
            shape = self.shape(left)
            if shape == self.shape(right) and (len(shape) == 1 or shape[:1] == (1,)):
                row, column = (self._transpose(left), right) if len(shape) == 1 else (left, self._transpose(right))
                return self.multiply(inside._replace(chain=(row,)), FactorProduct(ONE, (), (column,)))
        return inside._replace(chain=(), numbers=(*inside.numbers, (FormulaTree("sum", (part,)), 1)))

    def _sum_of_term(self, term: FactorProduct, shape: Shape) -> FactorProduct:
        """Return the sum of the entries of a term of an array of this `shape` as a product.

        Without arrays it is the term times the number of entries. A factor mean(x) of power 1, also of a named block,
        is written as sum(x) divided by the number of entries of x.
        """
        result = FactorProduct(term.coefficient * prod(shape), (), ())
        if term.chain:
            result = self._sum_of_product(chain_tree(term.chain))
            copies = Fraction(prod(shape), prod(self.shape(chain_tree(term.chain))))  # of a vector in each row
            result = result._replace(coefficient=result.coefficient * term.coefficient * copies)
        for number, power in term.numbers:
            whole = self.definition(number)
            part = FactorProduct(ONE, ((number, power),), ())
            if whole.operation == "mean" and power == 1:
                part = self._sum_of_product(whole.operands[0])
                part = part._replace(coefficient=part.coefficient / prod(self.shape(whole.operands[0])))
            result = self.multiply(result, part)
        return result

    def _of_factors(self, tree: FormulaTree) -> FactorProduct:
        """Return `tree`, diag(…) or outer(…), as a product, with coefficients and numbers of its operands taken out.

        A diagonal of a matrix may be several products (`_sum_of_diagonal`); then it is one factor.
        With a number as operand it is one factor as it is; outer(x, y) of vectors is x yᵀ. If all operands are ones(…),
        the factor is eye(n) for diag and ones(m, n) for outer, provided the result is a matrix.
        """
        if self._is_diagonal(tree):
            terms = self._sum_of_diagonal(tree)
            return terms[0] if len(terms) == 1 else self._as_one_factor(tree)
        parts = [self._product(each) for each in tree.operands]
        if not all(part.chain for part in parts):
            return self._as_one_factor(tree)
        before = reduce(self.multiply, [part._replace(chain=()) for part in parts])
        chains = [chain_tree(part.chain) for part in parts]
        sizes = tuple(map(sums.number_leaf, self.shape(tree)))
        if all(chain.operation == "ones" for chain in chains) and len(sizes) == 2:
            inside = FormulaTree("eye", sizes[:1]) if tree.operation == "diag" else FormulaTree("ones", sizes)
        elif tree.operation == "outer" and all(len(self.shape(each)) == 1 for each in chains):
            return self.multiply(parts[0], self.transpose_product(parts[1]))
        else:
            inside = FormulaTree(tree.operation, tuple(chains))
        return before._replace(chain=(inside,))

    def _transpose(self, tree: FormulaTree) -> FormulaTree:
        """Return the transpose of `tree`, a matrix or vector factor of a chain. The first that applies:

        - a transpose: its operand; a symmetric matrix: itself
        - `ones`: its two sizes exchanged
        - entrywise operations, sums, negations, and products and quotients with a number: each array transposed,
          numbers stay
        - `transpose` around it; a product is not reversed
        """
        if tree.operation == "transpose":
            return tree.operands[0]
        if self._is_symmetric(tree):
            return tree
        if tree.operation == "ones" and len(tree.operands) == 2:
            return tree._replace(operands=tree.operands[::-1])
        has_number = tree.operation in ("", "/") and not all(map(self.shape, tree.operands))
        if has_number or tree.operation in (".*", "./", "+", "-", "neg"):
            operands = [self._transpose(each) if self.shape(each) else each for each in tree.operands]
            return FormulaTree(tree.operation, tuple(operands))
        return FormulaTree("transpose", (tree,))

    def _is_symmetric(self, tree: FormulaTree) -> bool:
        """Return whether the formula `tree` is proven to equal its transpose for all values; cached.

        False for all that is not a square matrix. True for eye and diag, for inverses, adjugates and powers of
        symmetric matrices, and for sums of products that stay the same if all products are reversed, such as XᵀX +
        eye(2).
        """
        shape = self.shape(tree)
        if len(shape) < 2 or shape[0] != shape[1]:
            return False
        if tree not in self._symmetric:
            self._symmetric[tree] = False  # for a formula that has itself as only factor
            whole = self.definition(tree)
            if whole.operation in ("inv", "adj", "^"):
                self._symmetric[tree] = self._is_symmetric(whole.operands[0])
            elif whole.operation in ("eye", "diag"):
                self._symmetric[tree] = True
            else:
                terms = self.products(whole)
                self._symmetric[tree] = not sums.combine_products(
                    [*terms, *sums.negate_products(map(self.transpose_product, terms))]
                )
        return self._symmetric[tree]

    def _entrywise_product(self, tree: FormulaTree) -> FactorProduct:
        """Return `tree`, a product `.*` or quotient `./` entry by entry, as one product, with coefficients and numbers
        taken out.

        A factor that is only a number becomes a factor of the product. Of `.*` an array of ones in the shape of the
        result is left out, as is one of two equal identities; with one identity it is diag(diag(X)). A number, or an
        array of ones in the shape of the divisor, that is divided entry by entry is the numerator 1 in the chain.
        A second operand with coefficient 0 leaves `tree` one factor.
        """
        left, right = map(self._product, tree.operands)
        if not right.coefficient:
            return self._as_one_factor(tree)
        right = sums.invert_product(right) if tree.operation == "./" else right
        if not right.chain or (not left.chain and tree.operation == ".*"):
            return self.multiply(left, right)
        shape = self.shape(tree)
        is_one = [each.operation for each in left.chain] == ["ones"] and self.shape(chain_tree(right.chain)) == shape
        if not left.chain or (tree.operation == "./" and is_one):
            left = left._replace(chain=(sums.number_leaf("1"),))
        for part, other in ((left, right), (right, left)) if tree.operation == ".*" else ():
            if self._is_neutral(part.chain, other.chain, shape):
                return self.multiply(part._replace(chain=()), other)
            if [each.operation for each in part.chain] == ["eye"]:
                inside = FormulaTree("diag", (FormulaTree("diag", (chain_tree(other.chain),)),))
                return reduce(self.multiply, [part._replace(chain=()), other._replace(chain=()), self._product(inside)])
        inside = FormulaTree(tree.operation, (chain_tree(left.chain), chain_tree(right.chain)))
        both = self.multiply(left._replace(chain=()), right._replace(chain=()))
        return both._replace(chain=(inside,))

    def _is_neutral(self, factors: Sequence[FormulaTree], others: Sequence[FormulaTree], shape: Shape) -> bool:
        """Return whether a product of `factors` and `others` entry by entry is `others` alone; `shape` is that of the
        product.

        That is so if `factors` is one factor of this shape: ones, or an identity if `others` is the same.
        """
        operation = factors[0].operation if len(factors) == 1 and self.shape(factors[0]) == shape else ""
        return operation == "ones" or (operation == "eye" and factors == others)

    def multiply(self, left: FactorProduct, right: FactorProduct) -> FactorProduct:
        """Return the product of the products `left` and `right`.

        Coefficients are multiplied, powers of equal numbers added (0 is dropped), chains appended, `left` first. Powers
        of one matrix next to each other are joined; identities are left out of longer chains; a factor over a divisor
        gets its shorter name (`quotient`), as adj(X)/det(X) is inv(X). A chain that is a number (a row times a column)
        becomes a number of power 1.
        """
        powers = sums.added_powers(left, right)
        coefficient = left.coefficient * right.coefficient
        name = self.named_quotient(powers)
        if name is not None:
            whole = FactorProduct(coefficient, tuple(powers.items()), (*left.chain, *right.chain))
            return self.multiply(whole, self._product(name))
        chain: list[FormulaTree] = []
        for factor in (*left.chain, *right.chain):
            if chain and chain[-1].operation == "eye":
                chain.pop()
            factor = self.quotient(factor, powers) or factor
            chain[-1:] = self._join_neighbours(chain[-1], factor) if chain else [factor]
        if len(chain) > 1:
            chain = [each for each in chain if each.operation != "eye"] or chain[:1]
        if chain and not self.shape(chain_tree(chain)):
            powers[chain_tree(chain)] = powers.get(chain_tree(chain), 0) + 1
            chain = []
        numbers = tuple([(number, power) for number, power in powers.items() if power])
        return FactorProduct(coefficient, numbers, tuple(chain))

    def quotient(self, factor: FormulaTree, powers: dict[FormulaTree, int]) -> FormulaTree | None:
        """Return the shorter name of `factor` over one of the divisors in `powers`, as adj(X)/det(X) is inv(X); None
        without one.

        `powers` are factors with their powers; the power of the divisor, which is negative, is raised by 1 in place (a
        power that becomes 0 stays in `powers`). For a transpose it is the transpose of the name of its operand; softmax
        is a name only for a vector. The first entry of the table of names that fits counts.
        """
        if factor.operation == "transpose":
            inside = self.quotient(factor.operands[0], powers)
            return inside and self._transpose(inside)
        whole = self.definition(factor)
        for function, below, name in _QUOTIENTS if whole.operands else ():
            if name.operation == "softmax" and len(self.shape(factor)) != 1:  # of a matrix it is row by row
                continue
            letters = {"f": factor, "a": whole.operands[0]}
            divisor = substitute(below, letters)
            for other, power in powers.items():
                if whole.operation == function and power < 0 and divisor in (other, self.definition(other)):
                    powers[other] += 1
                    return substitute(name, letters)
        return None

    def named_quotient(self, powers: dict[FormulaTree, int]) -> FormulaTree | None:
        """Return the shorter name of a factor of `powers` over a divisor in it, as inv(X) for adj(X)/det(X); None
        without one.

        The first factor with a shorter name counts. `powers` changes in place: the power of the factor is lowered by 1
        and that of the divisor raised by 1, perhaps to 0.
        """
        for factor in [factor for factor, power in powers.items() if power > 0]:
            name = self.quotient(factor, powers)
            if name is not None:
                powers[factor] -= 1
                return name
        return None

    def _join_neighbours(self, left: FormulaTree, right: FormulaTree) -> list[FormulaTree]:
        """Return [the product of two neighbours in a chain] if it is one factor, and [left, right] if it is not.

        - diag(x) y is x .* y, and diag(x) diag(y) is diag(x .* y)
        - two powers of the same square matrix, both transposed or neither: exponents are added, if the sum is not
          negative (A A^-1 is `eye`)
        """
        (base, power, is_transposed), (other, more, also) = map(self._split_power, (left, right))
        shape = self.shape(base)
        if base.operation == "diag" and len(shape) == 2 and len(self.shape(right)) == 1:
            return [sums.multiply_entries(base.operands[0], right)]
        if base.operation == other.operation == "diag" and shape == self.shape(other):
            return [FormulaTree("diag", (sums.multiply_entries(base.operands[0], other.operands[0]),))]
        if base != other or is_transposed != also or power + more < 0 or len(shape) < 2 or shape[0] != shape[1]:
            return [left, right]
        whole = base if power + more == 1 else FormulaTree("^", (base, sums.number_leaf(power + more)))
        if power + more == 0:
            whole = FormulaTree("eye", (sums.number_leaf(shape[0]),))
        return [self._transpose(whole) if is_transposed else whole]

    def _split_power(self, factor: FormulaTree) -> tuple[FormulaTree, int, bool]:
        """Return a factor of a chain as (matrix, its power, whether it is transposed).

        inv(A) is A with the power -1 and A^n with n, also if a block that is named in the formula is defined so; any
        other factor, without its transpose, has the power 1. Only an outermost transpose and one inv or power are taken
        off: inv(A)' is (A, -1, True), inv(A') is (A', -1, False).
        """
        is_transposed = factor.operation == "transpose"
        inside = factor.operands[0] if is_transposed else factor
        whole = self.definition(inside)
        if whole.operation in ("inv", "^"):
            return whole.operands[0], -1 if whole.operation == "inv" else int(whole.operands[1].leaf), is_transposed
        return inside, 1, is_transposed

    def _collect_factors(self, products: Sequence[FactorProduct]) -> list[FactorProduct]:
        """Return a sum of products with the matrix factors that two terms begin or end with taken out.

        W v + Wᵀ v is (W + Wᵀ) v. The terms must have the same numbers, and coefficients that differ at most in sign,
        unless a common factor is itself a sum. Repeated until no two terms can be joined.
        """
        result: list[FactorProduct] = []
        for product in products:
            for place, other in enumerate(result):
                whole = self._combine_common(other, product)
                if whole is not None:
                    result[place] = whole
                    break
            else:
                result.append(product)
        return result if len(result) == len(products) else self._collect_factors(result)

    def _combine_common(self, left: FactorProduct, right: FactorProduct) -> FactorProduct | None:
        """Return the sum of the products `left` and `right` as one product with their common first or last matrix
        factors.

        Last factors are tried first. None if there are none, or if one chain is only the beginning (or end) of the
        other. Factors that are not sums are taken out only if the numbers are the same and the coefficients differ at
        most in sign.
        """
        alike = set(left.numbers) == set(right.numbers) and abs(left.coefficient) == abs(right.coefficient)
        for step in (-1, 1):
            chains = left.chain[::step], right.chain[::step]
            count = next((k for k, pair in enumerate(zip(*chains, strict=False)) if pair[0] != pair[1]), 0)
            if count and (alike or any(map(self._is_sum, chains[0][:count]))):
                rests = [
                    each._replace(chain=chain[count:][::step])
                    for each, chain in zip((left, right), chains, strict=True)
                ]
                bracket = self._bracket_sum(rests, alike)
                return bracket._replace(chain=(*chains[0][:count], *bracket.chain)[::step])
        return None

    def _bracket_sum(self, parts: list[FactorProduct], alike: bool) -> FactorProduct:
        """Return the sum of the two products in `parts` as a product with one factor: the sum in brackets.

        Before the bracket come the number factors that both parts have, and the absolute value of the coefficients if
        it is equal. `alike` says that the parts differ only in signs and arrays: then a part that begins with a
        transpose comes last, and the minus sign of the part that is then first is put before the bracket. Without
        `alike` a minus sign is put before the bracket only if both parts are negative.
        """
        left, right = parts
        scale = abs(left.coefficient) if abs(left.coefficient) == abs(right.coefficient) else ONE
        common = FactorProduct(scale, tuple([each for each in left.numbers if each in right.numbers]), ())
        parts = [self.multiply(each, sums.invert_product(common)) for each in parts]
        if alike:
            parts.sort(key=lambda part: part.chain[0].operation == "transpose")
        if all(part.coefficient < 0 for part in parts[: 1 if alike else 2]):
            common, parts = common._replace(coefficient=-scale), sums.negate_products(parts)
        return common._replace(chain=(self.sum(parts),))

    def _is_sum(self, factor: FormulaTree) -> bool:
        """Return whether a factor is printed as a sum in brackets."""
        inside = factor.operands[0] if factor.operation == "transpose" else factor
        if inside.operation == "name" and inside.leaf.startswith("#") and self.blocks[int(inside.leaf[1:])].user_named:
            return False
        return self.definition(inside).operation in ("+", "-")

    def sum(self, products: Sequence[FactorProduct]) -> FormulaTree:
        """Return a sum of products as one formula, positive terms first, else in the given order; `0` for an empty sum.

        Matrix factors that two terms begin or end with are taken out first: W v + Wᵀ v is (W + Wᵀ) v. If all terms are
        negative, the first is a negation. If there are two terms or more, at least one with an array, and all have the
        same |coefficient| and the same numbers, not just 1, these are put before the sum: `2 (A - B)`; nothing is taken
        out of `2 A + 4 B`.
        """
        products = sorted(self._collect_factors(products), key=lambda product: product.coefficient < 0)
        alike = {(abs(product.coefficient), frozenset(product.numbers)) for product in products}
        has_arrays = any(product.chain for product in products)
        if len(products) > 1 and len(alike) == 1 and alike != {(ONE, frozenset())} and has_arrays:
            size = abs(products[0].coefficient)
            inside = self.sum([each._replace(coefficient=each.coefficient / size, numbers=()) for each in products])
            products = [products[0]._replace(coefficient=size, chain=(inside,))]
        result: FormulaTree | None = None
        for product in products:
            negative = product.coefficient < 0
            term = sums.product_tree(product._replace(coefficient=abs(product.coefficient)))
            if result is not None:
                result = FormulaTree("-" if negative else "+", (result, term))
            else:
                result = FormulaTree("neg", (term,)) if negative else term
        return result or sums.number_leaf("0")
