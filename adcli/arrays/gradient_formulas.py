"""Gradients as formulas: a reverse sweep over blocks in which adjoints are sums of products, `2 Aᵀ (A x − b)`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from ..errors import RequestError
from ..graph.graph import CONSTANTS
from ..notation.display_formula import Formula
from ..records import NamedTuple
from ..trace.labels import shown_name
from .blocks import ArrayBlock
from .formula_trees import ArrayName, FormulaTree, substituted
from .formulas import written
from .lowering import RowCall
from .program import ArrayProgram
from .rows import FUNCTIONS, OPERANDS, ROWS
from .shapes import Shape, add_shapes, multiply_shapes, together, transpose_shape
from .sweeps import adjoint_tree, value_tree

_LARGE = 60  # nodes of a formula from which on a part gets a name
_MOST_BLOCKS = 400
_EXPANDED = ("times", "over", "neg", "power", "matmul")  # rows whose factors take part in the products around them
_MOST_FACTORS = 12
_ONE = Fraction(1)


class ArrayGradient(NamedTuple):
    """The gradient of an output with respect to one input: named steps and the result, as formulas, and all of it as a
    program in the language of arrays.  `shown` is what people call the output if an input has its name."""

    output: str
    shown: str
    wrt: str
    steps: list[tuple[Formula, Formula]]
    result: Formula
    text: str


class FactorProduct(NamedTuple):
    """A product: a coefficient, numbers with whole exponents by their text, and arrays in the order of a matrix
    product."""

    coefficient: Fraction
    numbers: tuple[tuple[FormulaTree, int], ...]
    chain: tuple[FormulaTree, ...]


def gradients(program: ArrayProgram, wrt: Sequence[str], numerator: bool = False) -> list[ArrayGradient]:
    """Return the gradient of each output with respect to each input in `wrt` (empty: all), by output, then by input.

    With `numerator` they are transposed: that of a column is a row.

    Raises RequestError if an output is an array, for an unknown input, for a program of more than 400 array operations,
    or if a derivative is not a formula of arrays.
    """
    known = program.inputs
    for name in wrt:
        if name not in known:
            raise RequestError(f"there is no input called {name}", help=f"the inputs are {', '.join(known) or 'none'}")
    if len(program.blocks) > _MOST_BLOCKS:
        raise RequestError(
            f"the program has more than {_MOST_BLOCKS} operations on arrays", help="evaluate it: adcli eval"
        )
    result = []
    for name, operand in program.outputs:
        if program.blocks[operand.block].shape:
            raise RequestError(
                f"{name} is an array, but only a number has a gradient", help=f"make it a number, such as sum({name})"
            )
        sweep = GradientSweep(program, operand.block)
        result += [sweep.gradient(name, input_name, numerator) for input_name in wrt or known]
    return result


class GradientSweep:
    """The reverse sweep of one output over the blocks of a program.

    Leaves of formulas are `#3` for the value of block 3 and `d3` for its adjoint where that got a name.
    """

    def __init__(self, program: ArrayProgram, output: int) -> None:
        """Run the reverse sweep from the block number `output`, whose adjoint is 1.

        `bars` then has, by block number, the adjoints as sums of products, also those of all inputs that the output
        depends on; `adjoints` the named long ones. Raises RequestError if a derivative is not a formula of arrays.
        """
        self.blocks = program.blocks
        self.inputs = dict.fromkeys(program.inputs, 0)
        self.shapes: dict[str, Shape] = {f"#{k}": block.shape for k, block in enumerate(self.blocks)}
        self.bars: dict[int, list[FactorProduct]] = {output: [FactorProduct(_ONE, (), ())]}
        self._expansions: dict[str, FactorProduct | None] = {}
        self.adjoints: dict[str, FormulaTree] = {}  # named adjoints in the order of the sweep
        for number in range(output, -1, -1):
            if self.bars.get(number) and self.blocks[number].row is not None:
                self._hand_over(number)

    def _hand_over(self, number: int) -> None:
        """Add the contributions of block `number` to the adjoints of its operands in `bars`; constant operands are
        skipped.

        An adjoint of more than 60 nodes is first stored in `adjoints` under the name `d` + number, and used by that
        name. Raises RequestError if a contribution has no formula.
        """
        block = self.blocks[number]
        bar = self._sum(self.bars[number])
        if _size(bar) > _LARGE:
            name = f"d{number}"
            self.adjoints[name], self.shapes[name] = bar, block.shape
            bar = FormulaTree("name", (), name)
        letters = {"g": bar, "z": self._value_leaf(number)}
        for position, operand in enumerate(block.operands):
            if self.blocks[operand.block].is_constant:
                continue
            tree = adjoint_tree(self.blocks, number, position)
            if tree is None:
                function = block.call.function or "one entry"
                raise RequestError(
                    f"the derivative of {function} is not a formula of arrays",
                    help="evaluate it: adcli eval",
                )
            tree = substituted(tree, letters | self._operands(block))
            products = self.bars.setdefault(operand.block, [])
            self.bars[operand.block] = _combine_products([*products, *self._products(tree)])

    def _operands(self, block: ArrayBlock) -> dict[str, FormulaTree]:
        return {
            letter: self._value_leaf(operand.block) for letter, operand in zip(OPERANDS, block.operands, strict=False)
        }

    def _value_leaf(self, number: int) -> FormulaTree:
        block = self.blocks[number]
        if block.literal is not None:
            return FormulaTree("name" if block.literal in CONSTANTS else "number", (), block.literal)
        return FormulaTree("name", (), f"#{number}")

    # --- products ---

    def _shape(self, tree: FormulaTree) -> Shape:
        """Return the shape of a formula; () for a number, an index and a constant.

        Names are looked up in `shapes` (KeyError if missing). Raises Misfit if the shapes of the operands do not fit.
        """
        operation = tree.operation
        if operation in ("number", "index") or tree.leaf in CONSTANTS:
            return ()
        if operation == "name":
            return self.shapes[tree.leaf]
        row = FUNCTIONS.get(operation)
        if row is not None and row.arity == 0:
            return row.result(RowCall((), tuple([int(each.leaf) for each in tree.operands])))
        shapes = tuple([self._shape(each) for each in tree.operands])
        if operation == "list":
            return ROWS["list"].result(RowCall(shapes, tuple(map(int, tree.leaf.split(",")))))
        if operation in ("", "@") and all(shapes):
            return multiply_shapes(*shapes)
        if operation in ("+", "-"):
            return add_shapes(*shapes)
        if row is not None and len(shapes) == row.arity:
            return row.result(RowCall(shapes))
        return reduce(together, shapes)  # operators and functions of numbers, entry by entry

    def _products(self, tree: FormulaTree) -> list[FactorProduct]:
        """Return a formula as a sum of products: the terms of + and − at its root, nested ones too, signs in the
        coefficients.

        Like terms are added and vanishing ones left out, so a sum that cancels is []. Any other formula is one product,
        even with coefficient 0.
        """
        if tree.operation in ("+", "-"):
            left, right = map(self._products, tree.operands)
            if tree.operation == "-":
                right = [product._replace(coefficient=-product.coefficient) for product in right]
            return _combine_products([*left, *right])
        return [self._product(tree)]

    def _product(self, tree: FormulaTree) -> FactorProduct:
        """Return a formula as one product: a coefficient, powers of numbers, and a chain of matrix factors.

        Short unnamed blocks are expanded (`_expanded`); negations, transposes, products, quotients, entrywise
        operations, diag, outer and sums of arrays are split into factors; a quotient by a literal 0, and anything else
        (a sum too), is kept as a single factor.
        """
        operation, operands = tree.operation, tree.operands
        expansion = self._expanded(tree.leaf) if operation == "name" else None
        if expansion is not None:
            return expansion
        if operation in ("neg", "transpose"):
            inside = self._product(operands[0])
            if operation == "neg":
                return inside._replace(coefficient=-inside.coefficient)
            return self._reversed(inside)
        if operation in ("", "@"):
            return self._multiply(*map(self._product, operands))
        if operation == "/" and not self._shape(operands[1]):
            below = self._product(operands[1])
            if not below.coefficient:
                return FactorProduct(_ONE, (), (tree,))
            return self._multiply(self._product(operands[0]), _inverse(below._replace(chain=())))
        if operation in (".*", "./"):
            return self._entrywise(tree)
        if operation in ("diag", "outer"):
            return self._of_factors(tree)
        if operation == "sum" and self._shape(operands[0]):
            return self._sum_of_product(operands[0])
        return self._factor(tree)

    def _reversed(self, product: FactorProduct) -> FactorProduct:
        """Return the transpose of a product."""
        return product._replace(chain=tuple([self._transpose(each) for each in reversed(product.chain)]))

    def _factor(self, tree: FormulaTree) -> FactorProduct:
        """Return a formula as a product of one factor.

        A literal is the coefficient, an array the chain; a power of a number with a whole exponent goes to the powers,
        as does any other number with power 1.
        """
        operation, operands = tree.operation, tree.operands
        if operation == "number":
            return FactorProduct(Fraction(tree.leaf), (), ())
        if self._shape(tree):
            return FactorProduct(_ONE, (), (tree,))
        if operation == "^" and operands[1].operation == "number" and operands[1].leaf.isdigit():
            return FactorProduct(_ONE, ((operands[0], int(operands[1].leaf)),), ())
        return FactorProduct(_ONE, ((tree, 1),), ())

    def _expanded(self, leaf: str) -> FactorProduct | None:
        """Return the value of a block as a product, to be multiplied out; `leaf` is `#3` for block 3.

        None for any other leaf, and for a block that is an input, that the user has named, or whose row is not in
        `_EXPANDED` (product, quotient, negation, power); also if its product has more than `_MOST_FACTORS` (12)
        factors, numbers included, or is 0. Results are cached in `_expansions`.
        """
        if not leaf.startswith("#"):
            return None
        if leaf not in self._expansions:
            block = self.blocks[int(leaf[1:])]
            self._expansions[leaf] = None
            if block.row is not None and block.row.name in _EXPANDED and not block.user_named:
                product = self._product(substituted(value_tree(self.blocks, block), self._operands(block)))
                short = len(product.numbers) + len(product.chain) <= _MOST_FACTORS
                self._expansions[leaf] = product if short and product.coefficient else None
        return self._expansions[leaf]

    def _sum_of_product(self, tree: FormulaTree) -> FactorProduct:
        """Return sum(tree) as a product, with coefficient and numbers taken out of the sum.

        The sum of an entrywise product of two vectors (or two matrices of one row) of the same shape becomes a row
        times a column. A `tree` with several terms, or none, is kept whole in sum(…).
        """
        products = self._products(tree)
        inside = products[0] if len(products) == 1 else FactorProduct(_ONE, (), (tree,))
        part = _chain(inside.chain)
        if part.operation == ".*":
            left, right = part.operands
            shape = self._shape(left)
            if shape == self._shape(right) and (len(shape) == 1 or shape[:1] == (1,)):
                row, column = (self._transpose(left), right) if len(shape) == 1 else (left, self._transpose(right))
                return self._multiply(inside._replace(chain=(row,)), FactorProduct(_ONE, (), (column,)))
        return inside._replace(chain=(), numbers=(*inside.numbers, (FormulaTree("sum", (part,)), 1)))

    def _of_factors(self, tree: FormulaTree) -> FactorProduct:
        """Return diag(…) or outer(…) as a product, with coefficients and numbers of its operands taken out.

        With a number as operand it is one factor as it is. If all operands are ones(…), the factor is eye(n) for diag
        and ones(m, n) for outer, provided the result is a matrix.
        """
        parts = [self._product(each) for each in tree.operands]
        if not all(part.chain for part in parts):
            return self._factor(tree)
        before = reduce(self._multiply, [part._replace(chain=()) for part in parts])
        chains = [_chain(part.chain) for part in parts]
        sizes = tuple(map(_number, self._shape(tree)))
        if all(chain.operation == "ones" for chain in chains) and len(sizes) == 2:
            inside = FormulaTree("eye", sizes[:1]) if tree.operation == "diag" else FormulaTree("ones", sizes)
        else:
            inside = FormulaTree(tree.operation, tuple(chains))
        return before._replace(chain=(inside,))

    def _transpose(self, tree: FormulaTree) -> FormulaTree:
        """Return the transpose of `tree`, a matrix or vector factor of a chain.

        Double transposes cancel, `eye` stays, the two sizes of `ones` swap; of entrywise operations, sums and negations
        each array is transposed, numbers stay. Anything else gets `transpose` around it; a product is not turned round.
        """
        if tree.operation == "transpose":
            return tree.operands[0]
        if tree.operation == "eye":
            return tree
        if tree.operation == "ones" and len(tree.operands) == 2:
            return tree._replace(operands=tree.operands[::-1])
        if tree.operation in (".*", "./", "+", "-", "neg"):
            operands = [self._transpose(each) if self._shape(each) else each for each in tree.operands]
            return FormulaTree(tree.operation, tuple(operands))
        return FormulaTree("transpose", (tree,))

    def _entrywise(self, tree: FormulaTree) -> FactorProduct:
        """Return a product `.*` or quotient `./` entry by entry as one product, with coefficients and numbers taken
        out.

        A factor that is only a number becomes a factor of the product; an array of ones in the shape of the result is
        left out of `.*`. A number divided entry by entry keeps 1 as numerator in the chain.
        """
        left, right = map(self._product, tree.operands)
        if tree.operation == "./":
            right = _inverse(right)
        if not right.chain or (not left.chain and tree.operation == ".*"):
            return self._multiply(left, right)
        if not left.chain:
            left = left._replace(chain=(_number("1"),))
        for part, other in ((left, right), (right, left)) if tree.operation == ".*" else ():
            only = part.chain[0]
            if len(part.chain) == 1 and only.operation == "ones" and self._shape(only) == self._shape(tree):
                return self._multiply(part._replace(chain=()), other)
        inside = FormulaTree(tree.operation, (_chain(left.chain), _chain(right.chain)))
        both = self._multiply(left._replace(chain=()), right._replace(chain=()))
        return both._replace(chain=(inside,))

    def _multiply(self, left: FactorProduct, right: FactorProduct) -> FactorProduct:
        """Return the product of two products: coefficients multiplied, powers of equal numbers added, chains appended.

        A chain that is a number (a row times a column) becomes a number of power 1; identities are left out of longer
        chains; powers 0 are dropped. The order of the chain is kept, `left` first.
        """
        powers: dict[FormulaTree, int] = {}
        for number, power in (*left.numbers, *right.numbers):
            powers[number] = powers.get(number, 0) + power
        chain = [*left.chain, *right.chain]
        if len(chain) > 1:
            chain = [each for each in chain if each.operation != "eye"] or chain[:1]
        if chain and not self._shape(_chain(chain)):
            powers[_chain(chain)] = powers.get(_chain(chain), 0) + 1
            chain = []
        numbers = tuple([(number, power) for number, power in powers.items() if power])
        return FactorProduct(left.coefficient * right.coefficient, numbers, tuple(chain))

    # --- formulas ---

    def _sum(self, products: Sequence[FactorProduct]) -> FormulaTree:
        """Return a sum of products as one formula, positive terms first, else in the given order; `0` for no products.

        If all are negative, the first is a negation.
        """
        result: FormulaTree | None = None
        for product in sorted(products, key=lambda product: product.coefficient < 0):
            negative = product.coefficient < 0
            term = _product_tree(product._replace(coefficient=abs(product.coefficient)))
            if result is not None:
                result = FormulaTree("-" if negative else "+", (result, term))
            else:
                result = FormulaTree("neg", (term,)) if negative else term
        return result or _number("0")

    def gradient(self, output: str, name: str, numerator: bool) -> ArrayGradient:
        """Return the gradient with respect to the input `name`, with the named steps that it uses, and as one typed
        line; with `numerator` transposed.

        `output` is the name of the output of this sweep. The gradient is 0, or zeros(…) in the shape of the input, if
        the output does not depend on the input or all terms cancel. `name` must be an input (else StopIteration).
        """
        number, block = next((k, block) for k, block in enumerate(self.blocks) if block.name == name and block.is_input)
        products = [product for product in self.bars.get(number, []) if product.coefficient]
        shape = block.shape
        if numerator:
            products, shape = list(map(self._reversed, products)), transpose_shape(shape)
        tree = self._sum(products)
        if not products and shape:
            tree = FormulaTree("zeros", tuple(map(_number, shape)))
        steps: dict[str, FormulaTree] = {}
        result = self._inline_blocks(tree, steps)
        names = {other.name: ArrayName(other.name, is_array=bool(other.shape)) for other in self.blocks if other.name}
        names |= {key: ArrayName(key, is_array=bool(self.shapes[key])) for key in self.adjoints}
        formulas = [(written(FormulaTree("name", (), key), names), written(step, names)) for key, step in steps.items()]
        shown = written(result, names)
        parts = [f"{left} = {right}" for left, right in formulas] + [str(shown)]
        return ArrayGradient(output, shown_name(output, self.inputs), name, formulas, shown, _typed("; ".join(parts)))

    def _inline_blocks(self, tree: FormulaTree, steps: dict[str, FormulaTree]) -> FormulaTree:
        """Return a formula in the names of inputs and steps, with other blocks replaced by their formulas.

        A block that the user has named, or whose formula has more than 60 nodes, and an adjoint with a name, become
        steps: they are added to `steps` (in place) after those that they use, and the formula has their names. Double
        transposes cancel.
        """
        if tree.operation != "name":
            operands = tuple([self._inline_blocks(each, steps) for each in tree.operands])
            if tree.operation == "transpose" and operands[0].operation == "transpose":
                return operands[0].operands[0]
            return FormulaTree(tree.operation, operands, tree.leaf)
        leaf = tree.leaf
        if leaf in self.adjoints:
            if leaf not in steps:
                steps[leaf] = self._inline_blocks(self.adjoints[leaf], steps)
            return tree
        if not leaf.startswith("#"):
            return tree
        block = self.blocks[int(leaf[1:])]
        own = FormulaTree("name", (), block.name)
        if block.row is None or block.name in steps:
            return own
        value = self._inline_blocks(substituted(value_tree(self.blocks, block), self._operands(block)), steps)
        if not block.user_named and _size(value) <= _LARGE:
            return value
        steps[block.name] = value
        return own


def _size(tree: FormulaTree) -> int:
    return 1 + sum(map(_size, tree.operands))


def _chain(factors: Sequence[FormulaTree]) -> FormulaTree:
    """Return the matrix product of one or more factors."""
    return reduce(lambda left, right: FormulaTree("", (left, right)), factors)


def _combine_products(products: Sequence[FactorProduct]) -> list[FactorProduct]:
    """Return the products with those that differ only in their coefficients added, at the place of the first one.

    The order of the numbers does not matter, that of the chain does; products with coefficient 0 are left out.
    """
    combined: dict[object, FactorProduct] = {}
    for product in products:
        key = frozenset(product.numbers), product.chain
        if key in combined:
            product = product._replace(coefficient=product.coefficient + combined[key].coefficient)
        combined[key] = product
    return [product for product in combined.values() if product.coefficient]


def _inverse(product: FactorProduct) -> FactorProduct:
    """Return the product with the reciprocals of its coefficient and numbers; its arrays are left as they are."""
    return FactorProduct(1 / product.coefficient, tuple([(x, -power) for x, power in product.numbers]), product.chain)


def _number(text: object) -> FormulaTree:
    return FormulaTree("number", (), str(text))


def _number_tree(number: Fraction) -> FormulaTree:
    """Return a positive fraction as a formula: a whole number, a decimal if it is exactly one, else a quotient `2/3`.

    A decimal that would need an exponent is a quotient too.
    """
    decimal = repr(float(number))
    if number.denominator == 1:
        return _number(number.numerator)
    if Fraction(decimal) == number and "e" not in decimal:
        return _number(decimal)
    return FormulaTree("/", (_number(number.numerator), _number(number.denominator)))


def _product_tree(product: FactorProduct) -> FormulaTree:
    """Return a product, whose coefficient must be positive, as a formula.

    Order: coefficient (left out if 1), numbers with positive powers, matrix factors; all over the product of the
    numbers with negative powers. A coefficient 1/n that is not an exact decimal puts n first into the denominator. `1`
    for no factors.
    """
    above: list[FormulaTree] = []
    below: list[FormulaTree] = []
    coefficient = product.coefficient
    if coefficient.numerator == 1 and Fraction(repr(float(coefficient))) != coefficient:
        below.append(_number_tree(1 / coefficient))
        coefficient = _ONE
    for number, power in product.numbers:
        size = abs(power)
        raised = number if size == 1 else FormulaTree("^", (number, _number(size)))
        (above if power > 0 else below).append(raised)
    factors = [*above, *product.chain]
    if coefficient != 1 or not factors:
        factors.insert(0, _number_tree(coefficient))
    tree = _chain(factors)
    return FormulaTree("/", (tree, _chain(below))) if below else tree


_TYPED = str.maketrans({"ᵀ": "^T", "⊙": ".*", "⊘": "./", "−": "-", "×": "*", "π": "pi", "τ": "tau"})


def _typed(text: str) -> str:
    """Return a formula as it is typed in ASCII."""
    return text.replace("⁻¹", "^-1").translate(_TYPED)
