"""Gradients as formulas: a reverse sweep over blocks in which adjoints are sums of products, `2 Aᵀ (A x − b)`."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RequestError
from ..notation.display_formula import Formula
from ..records import NamedTuple
from ..trace.labels import shown_name
from .array_blocks import adjoint_tree
from .array_formulas import write_formula
from .array_program import ArrayProgram, check_input_names
from .entrywise_sums import EntrywiseSums
from .factor_products import FormulaAlgebra
from .formula_trees import ArrayName, FormulaTree, substitute
from .matrix_products import ONE, FactorProduct, combine_products, number_leaf, tree_size
from .shapes import Shape, transpose_shape

_LARGE = 60  # nodes of a formula from which on a part gets a name
_MOST_BLOCKS = 400


class ArrayGradient(NamedTuple):
    """The gradient of an output with respect to one input, as formulas.

    output  the output's name
    shown   the output's name for people, another one if an input has it
    wrt     the input
    steps   (name, formula) of each named step, in order
    result  the gradient, which may contain these names
    text    all of it as a program in the language of arrays
    """

    output: str
    shown: str
    wrt: str
    steps: list[tuple[Formula, Formula]]
    result: Formula
    text: str


def gradients(program: ArrayProgram, wrt: Sequence[str], numerator: bool = False) -> list[ArrayGradient]:
    """Return the gradient of each output with respect to each input in `wrt` (empty: all), by output, then by input.

    With `numerator` they are transposed: that of a column is a row.

    Raises RequestError if an output is an array, for an unknown input, for a program of more than 400 blocks (inputs
    and constants too), or if a derivative is not a formula of arrays.
    """
    known = program.inputs
    check_input_names(wrt, known)
    if len(program.blocks) > _MOST_BLOCKS:
        title = f"the formula takes more than {_MOST_BLOCKS} operations on arrays"
        raise RequestError(title, help="for numbers at a point: adcli eval")
    result = []
    for name, operand in program.outputs:
        if program.blocks[operand.block].shape:
            title = f"the output {name} is an array, but only a number has a gradient"
            raise RequestError(title, help=f"compute a number from it, such as sum({name})")
        sweep = GradientSweep(program, operand.block)
        result += [sweep.gradient(name, input_name, numerator) for input_name in wrt or known]
    return result


class GradientSweep(FormulaAlgebra):
    """The reverse sweep of one output over the blocks of a program.

    Leaves of formulas are `#3` for the value of block 3 and `d3` for its adjoint where that got a name.
    """

    def __init__(self, program: ArrayProgram, output: int) -> None:
        """Run the reverse sweep from the block number `output`, whose adjoint is 1.

        `bars` then has, by block number, the adjoints as sums of products, also those of all inputs that the output
        depends on; `adjoints` the named long ones. Raises RequestError if a derivative is not a formula of arrays.
        """
        super().__init__(program.blocks)
        self.inputs = dict.fromkeys(program.inputs, 0)
        self.bars: dict[int, list[FactorProduct]] = {output: [FactorProduct(ONE, (), ())]}
        self._polynomials = EntrywiseSums(self)
        self.adjoints: dict[str, FormulaTree] = {}  # named adjoints in the order of the sweep
        for number in range(output, -1, -1):
            if self.bars.get(number) and self.blocks[number].row is not None:
                self._propagate(number)

    def _propagate(self, number: int) -> None:
        """Add the contributions of block `number` to the adjoints of its operands in `bars`, {block: sum of products}.

        Constant operands are skipped. If the adjoint of the block has more than 60 nodes, it is first stored in
        `adjoints` under the name `d` + number, and used by this name. Raises RequestError if a contribution has no
        formula.
        """
        block = self.blocks[number]
        bar = self.sum(self.bars[number])
        if tree_size(bar) > _LARGE:
            name = f"d{number}"
            self.adjoints[name], self.shapes[name] = bar, block.shape
            bar = FormulaTree("name", (), name)
        letters = {"g": bar, "z": self.leaf(number)}
        for position, operand in enumerate(block.operands):
            if self.blocks[operand.block].is_constant:
                continue
            tree = adjoint_tree(self.blocks, number, position)
            if tree is None:
                function = block.call.function or "one entry"
                title = f"the derivative of the function {function} has no formula in vectors and matrices"
                raise RequestError(title, help="for numbers at a point: adcli eval")
            tree = substitute(tree, letters | self.operands(block))
            so_far = self.bars.setdefault(operand.block, [])
            self.bars[operand.block] = combine_products([*so_far, *self._expand_contribution(tree)])

    def _expand_contribution(self, tree: FormulaTree) -> list[FactorProduct]:
        """Return `tree`, a contribution to an adjoint, as a sum of products, multiplied out entry by entry if that is
        shorter.

        Shorter means fewer nodes with all unnamed blocks inlined: (y ⊘ p) ⊙ p is y. It is tried only for a formula that
        contains a division or `dot` and is not divided by a number as a whole, and dropped if it has too many terms.
        """
        products = self.products(tree)
        if tree.operation == "/" or not _has_division(tree):
            return products
        simplified = self._polynomials.simplified(tree)
        if simplified is None or self._weight(self.sum(simplified)) >= self._weight(self.sum(products)):
            return products
        return combine_products([each for product in simplified for each in self.products(self.sum([product]))])

    def _weight(self, tree: FormulaTree) -> int:
        """Return the number of nodes of a formula with all blocks without a name inlined."""
        return tree_size(self._inline_blocks(tree, {}))

    # --- formulas ---

    def gradient(self, output: str, name: str, numerator: bool) -> ArrayGradient:
        """Return the gradient of the output called `output` with respect to the input `name`, transposed with
        `numerator`.

        The ArrayGradient has the formula, the named steps that it uses, and both as one typed line. The gradient is 0,
        or zeros(…) in the shape of the input, if the output does not depend on the input or all terms cancel. Raises
        StopIteration if `name` is not an input.
        """
        number, block = next((k, block) for k, block in enumerate(self.blocks) if block.name == name and block.is_input)
        products = self.without_solve([product for product in self.bars.get(number, []) if product.coefficient])
        shape = block.shape
        if numerator:
            products, shape = list(map(self.transpose_product, products)), transpose_shape(shape)
        steps: dict[str, FormulaTree] = {}
        result = self._inline_blocks(self._write_sum(products, shape), steps)
        names = {other.name: ArrayName(other.name, is_array=bool(other.shape)) for other in self.blocks if other.name}
        names |= {key: ArrayName(key, is_array=bool(self.shapes[key])) for key in self.adjoints}
        formulas = [
            (write_formula(FormulaTree("name", (), key), names), write_formula(step, names))
            for key, step in steps.items()
        ]
        shown = write_formula(result, names)
        parts = [f"{left} = {right}" for left, right in formulas] + [str(shown)]
        typed = "; ".join(parts).replace("⁻¹", "^-1").translate(_TYPED)
        return ArrayGradient(output, shown_name(output, self.inputs), name, formulas, shown, typed)

    def _write_sum(self, products: list[FactorProduct], shape: Shape) -> FormulaTree:
        """Return a sum of products of this `shape` as a formula; `zeros(…)`, or 0 for a number, without products.

        If there are at least two products, each of at least two arrays, and all arrays are transposes, it is one
        transpose of the sum of the reversed products.
        """
        if not products and shape:
            return FormulaTree("zeros", tuple(map(number_leaf, shape)))
        are_transposes = [each.operation == "transpose" for product in products for each in product.chain]
        if len(products) > 1 and all(are_transposes) and all(len(product.chain) > 1 for product in products):
            return FormulaTree("transpose", (self.sum(list(map(self.transpose_product, products))),))
        return self.sum(products)

    def _inline_blocks(self, tree: FormulaTree, steps: dict[str, FormulaTree]) -> FormulaTree:
        """Return the formula `tree` in the names of inputs and steps, with all other blocks replaced by their formulas.

        Steps are blocks that the user has named or whose formula has more than 60 nodes, and adjoints with a name. They
        are added to `steps`, in place, after those that they use. Double transposes cancel, and outer(x, y) is x yᵀ.
        """
        if tree.operation != "name":
            operands = tuple([self._inline_blocks(each, steps) for each in tree.operands])
            if tree.operation == "transpose" and operands[0].operation == "transpose":
                return operands[0].operands[0]
            if tree.operation == "outer" and all(len(self.shape(each)) == 1 for each in tree.operands):
                return FormulaTree("", (operands[0], FormulaTree("transpose", operands[1:])))
            return FormulaTree(tree.operation, operands, tree.leaf)
        leaf = tree.leaf
        if leaf in self.adjoints:
            if leaf not in steps:
                steps[leaf] = self._inline_blocks(self.adjoints[leaf], steps)
            return tree
        if not leaf.startswith("#"):
            return tree
        block = self.blocks[int(leaf[1:])]
        name_leaf = FormulaTree("name", (), block.name)
        if block.row is None or block.name in steps:
            return name_leaf
        value = self._inline_blocks(self.definition(tree), steps)
        if not block.user_named and tree_size(value) <= _LARGE:
            return value
        steps[block.name] = value
        return name_leaf


def _has_division(tree: FormulaTree) -> bool:
    return tree.operation in ("/", "./", "dot") or any(map(_has_division, tree.operands))


_TYPED = str.maketrans({"ᵀ": "^T", "⊙": ".*", "⊘": "./", "−": "-", "×": "*"})
