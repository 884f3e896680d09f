"""Programs of arrays: text and shapes to blocks (arrays of slots of the scalar graph) and a scalar program. A step is
one parsed instruction, its arguments are the indices of earlier steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import zip_longest

from ..errors import (
    NO_EXPRESSION,
    NOT_GIVEN,
    AdcliError,
    ArityProblem,
    NameProblem,
    RequestError,
    Source,
    Span,
    SyntaxProblem,
)
from ..graph.graph import CONSTANTS
from ..language.program import Program
from ..language.spelling import Reading
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from ..table.suggest import did_you_mean, product_of, similar
from ..trace.labels import intermediate_letter
from .array_blocks import ArrayBlock, ArrayOperand, BlockBuilder, EntryProgram
from .array_parser import PRODUCTS, ParsedStep, parse_arrays
from .array_rows import ENTRYWISE, FUNCTIONS, RELATIONS, ROWS, ArrayRow, is_function
from .lowering import RowCall
from .shapes import Misfit, Shape, multiply_shapes, of_columns, places, shape_in_words

_MOST_POWER = 8
_ADD = "add {}=… to the point: after @, or with --at"
_NO_FUNCTION = "; no function has this name, adcli functions lists all"  # of a name before a bracket
ENTRYWISE_NOTE = "write ⊙ (or .*) if the product is entry by entry"
_DOUBLE_TRANSPOSE = pattern(r"(?:\^T|ᵀ|')\^T")
# The rows of operators.
_OPERATIONS = {
    "neg": "neg", ".*": "times", "*": "times", "./": "over", "/": "over", ".^": "power", "⊗": "outer",
}  # fmt: skip


class ShapeProblem(AdcliError):
    """An error for arrays whose shapes do not fit."""


class ArrayProgram(NamedTuple):
    """A program of arrays.

    program  the scalar program; entries of a block are slots of its graph
    blocks   in the order of the program: operands before operations
    outputs  (name, operand) of each output
    unused   {name: shape} for names of the point that do not occur
    """

    program: Program
    blocks: list[ArrayBlock]
    outputs: list[tuple[str, ArrayOperand]]
    unused: dict[str, Shape]

    @property
    def inputs(self) -> dict[str, ArrayBlock]:
        """Return the blocks of the inputs by name, in order of first appearance."""
        return {block.name: block for block in self.blocks if block.is_input}


def check_input_names(names: Sequence[str], inputs: Collection[str], where: Span | None = None) -> None:
    """Raise RequestError, at `where`, if one of the names is not an input."""
    for name in names:
        if name not in inputs:
            title = f"there is no input called {name}"
            raise RequestError(title, where, help=f"the inputs are {', '.join(inputs) or 'none'}")


def read_arrays(
    source: Source, shapes: Mapping[str, Shape], cse: bool = False, others: bool = False, entrywise: bool = False
) -> ArrayProgram:
    """Return the program of arrays in a source; `shapes` are those of the names in its point.

    - `cse`: equal operations are one block
    - `others`: names without a shape are inputs that are numbers, except assigned names, constants, and slips
      (`_is_slip`: functions, before a bracket also misspelt; I_3; products of names)
    - `entrywise`: entry by entry are products of two columns (with a note), powers of arrays that are not square
      matrices, quotients by arrays, and `*` of arrays of one shape (of others it is a matrix product). `a .* b c` and
      `a * b c` are (a .* b) c and (a * b) c if only that fits

    Raises SyntaxProblem (also if there is no expression), NameProblem for a name without a value, ArityProblem,
    ShapeProblem, and RequestError if the program is too large.
    """
    steps, readings = parse_arrays(source, shapes)
    if not any(step.operation in ("assign", "output") for step in steps):
        end = len(source.text)
        raise SyntaxProblem(NO_EXPRESSION, Span(end, end + 1, source), "write one here, such as norm(A x)")
    if others:
        known = {*CONSTANTS, *(step.text for step in steps if step.operation == "assign")}
        numbers = [step.text for step in steps if step.operation == "name" and not _is_slip(step, source, shapes)]
        shapes = {**{name: () for name in numbers if name not in known}, **shapes}
    return ArrayReader(source, steps, shapes, readings, cse, entrywise).read()


def identity_size(name: str) -> int:
    """Return the size of the identity matrix that a name such as I_3 or I3 means; 0 for other names."""
    size = name[1:].removeprefix("_") if name[:1] == "I" else ""
    return int(size) if size.isascii() and size.isdecimal() and len(size) < 4 else 0


def _is_slip(step: ParsedStep, source: Source, shapes: Mapping[str, Shape]) -> bool:
    """Return whether the name in `step` cannot be meant as an input: a function, identity, product of names of
    `shapes`, or (before a bracket, from 3 letters on) a misspelt function of arrays."""
    if identity_size(step.text):
        return True
    is_call = len(step.text) > 2 and source.text[step.end : step.end + 1] == "("
    called = similar(step.text, FUNCTIONS) if is_call else None
    return bool(is_function(step.text) or product_of(step.text, shapes) or called)


class ArrayReader:
    """A reader that runs the steps of one program and builds its blocks."""

    def __init__(
        self, source: Source, steps: Sequence[ParsedStep], shapes: Mapping[str, Shape], readings: list[Reading],
        cse: bool, entrywise: bool = False,
    ) -> None:  # fmt: skip
        """Prepare the program of the parsed `steps`, and append its inputs in the order of their first use.

        `shapes` are those of the names of the point; names that the program does not use are not inputs. `readings` are
        notes on how the text was read, to which `read` appends. `cse` and `entrywise` are those of `read_arrays`.
        Raises NameProblem if a name has no value, SyntaxProblem if it is a function without an argument.
        """
        self.source, self.steps, self.shapes, self.entrywise = source, steps, shapes, entrywise
        self.builder = BlockBuilder(source, cse)
        self.names: dict[str, ArrayOperand] = {}
        self.values: list[ArrayOperand | None] = []
        self.consumer: dict[int, ParsedStep] = {argument: step for step in steps for argument in step.arguments}
        self.readings = readings
        self.outputs: list[tuple[str, ArrayOperand]] = []
        self.assigned: dict[str, bool] = {}  # whether the name is used
        self.constants: set[str] = set()
        self._mark_inputs()

    def read(self) -> ArrayProgram:
        """Run all steps and return the program; its outputs are the expressions, in order.

        Without an expression they are the assigned names that no later step uses. An expression that is only an
        assigned name has this name; every other one is the output `y`, or `y1`, `y2`, … if there are several or `y` is
        assigned. Other blocks are named v1, v2, …; `unused` has the shapes of names neither used nor assigned.
        Raises SyntaxProblem, NameProblem, ArityProblem or ShapeProblem for a step that cannot be run, RequestError if
        the program gets too large.
        """
        for place in range(len(self.steps)):
            self.values.append(self._run_step(place))
        if not self.outputs:
            self.outputs = [(name, self.names[name]) for name, used in self.assigned.items() if not used]
        unnamed = sum(not name for name, _ in self.outputs)
        is_plain = unnamed < 2 and "y" not in self.assigned
        free_names = iter(["y"] if is_plain else [f"y{k}" for k in range(1, unnamed + 1)])
        self.outputs = [(name or next(free_names), operand) for name, operand in self.outputs]
        self._name_blocks()
        graph = self.builder.graph
        for name, operand in self.outputs:
            shape, slots = operand.of(self.builder.blocks)
            graph.outputs += zip([name + place for place in places(shape)], slots, strict=True)
        unused = {name: shape for name, shape in self.shapes.items() if name not in self.names}
        program = EntryProgram(self.source, graph, self.readings, frozenset(self.constants), set(graph.inputs.values()))
        program.determinants = dict(self.builder.determinants())
        return ArrayProgram(program, self.builder.blocks, self.outputs, unused)

    def _mark_inputs(self) -> None:
        """Append an input for each name that is used before it is assigned, in order of appearance.

        `assigned` is empty afterwards. Constants such as pi, identities and products of inputs such as Wx are skipped.
        Raises SyntaxProblem for the name of a function, NameProblem, with a similar name as suggestion, for any other
        name without a shape.
        """
        known = {*CONSTANTS, *self.shapes}
        for step in self.steps:
            name = step.text
            if step.operation == "assign":
                known.add(name)
                self.assigned.setdefault(name, False)
            if step.operation != "name":
                continue
            if name in self.shapes and name not in self.assigned:
                self._input(step, name)
            elif name not in known and not identity_size(name) and not product_of(name, self.shapes):
                if is_function(name):
                    raise SyntaxProblem(
                        f"the function {name} has no argument", self._span(step), help=f"write {name}(…)"
                    )
                label = did_you_mean(name, [*self.shapes, *FUNCTIONS], NOT_GIVEN)
                advice = _ADD.format(name) + _NO_FUNCTION * self.source.text.startswith("(", step.end)
                raise NameProblem(f"{name} has no value", self._span(step), label, help=advice)
        self.assigned.clear()

    def _input(self, step: ParsedStep, name: str) -> ArrayOperand:
        """Return the input `name`, which is appended to the blocks at its first use, in `step`."""
        if name not in self.names:
            self.names[name] = ArrayOperand(self.builder.input(name, self.shapes[name], (step.start, step.end)))
        return self.names[name]

    def _name_blocks(self) -> None:
        """Name the blocks without a name, except constants, v1, v2, … in order, or with another letter if v1 is taken.

        Slots of blocks that the user has named get `name[i,j]` as alias in the graph, unless they are constants, inputs
        or have an alias.
        """
        blocks = self.builder.blocks
        letter = intermediate_letter([block.name for block in blocks if block.name] + list(self.shapes))
        count = 0
        for block in blocks:
            if not block.name and not block.is_constant:
                count += 1
                block.name = f"{letter}{count}"
            if block.user_named:
                for place, slot in zip(places(block.shape), block.slots, strict=True):
                    if not self.builder.graph.literal[slot] and slot not in self.builder.graph.inputs:
                        self.builder.graph.aliases.setdefault(slot, block.name + place)

    # --- steps ---

    def _run_step(self, place: int) -> ArrayOperand | None:
        """Run the step at `place` and return its value.

        None for `assign` (which binds the name) and `output` (which is appended to `outputs`), and for a matrix product
        that is computed later, with the sum whose operand it is without brackets (`_waits`). A transpose only flips a
        flag of the operand; a number is its own transpose. Raises the errors of `read_arrays`.
        """
        step = self.steps[place]
        match step.operation:
            case "number":
                return ArrayOperand(self.builder.number(step.text, (step.start, step.end)))
            case "name":
                return self._value_of_name(step)
            case "group":
                return self._argument(step.arguments[0])
            case "assign":
                self._assign(step)
                return None
            case "output":
                named = self.steps[step.arguments[0]]
                is_name = named.operation == "name" and named.text in self.assigned
                self.outputs.append((named.text if is_name else "", self._argument(step.arguments[0])))
                return None
            case "transpose":
                value = self._argument(step.arguments[0])  # a number is its own transpose
                return value._replace(is_transposed=not value.is_transposed) if self.builder.shape(value) else value
            case "" | "@" | "·":
                return None if self._waits(place) else self._product(step)
            case "+" | "-":
                return self._sum(step)
        return self._run_operation(step)

    def _value_of_name(self, step: ParsedStep) -> ArrayOperand:
        """Return the value of the name in `step`.

        The name is, in this order, an assigned name or input, a constant, an identity such as I_3, or a product of
        inputs such as Wx. An assigned name is marked as used. A product appends its missing inputs, a matrix product
        from left to right, and a note to `readings`; a constant is added to `constants`. Raises NameProblem if the
        factors do not fit.
        """
        name = step.text
        if name in self.assigned:
            self.assigned[name] = True
        if name in self.names:
            return self.names[name]
        span = (step.start, step.end)
        if name in CONSTANTS:
            self.constants.add(name)
            return ArrayOperand(self.builder.number(name, span, named=True))
        if identity_size(name):
            return self._apply(ROWS["eye"], (), step, (), (identity_size(name),))
        factors = product_of(name, self.shapes) or []
        self.readings.append(Reading(f"{name} is read as {' '.join(factors)}", span, "reading", "names"))
        operands = [self._input(step, factor) for factor in factors]
        try:
            return reduce(lambda left, right: self._multiply((left, right), step, (step, step)), operands)
        except ShapeProblem:
            label = f"shapes do not fit for the product {' '.join(factors)}"
            raise NameProblem(f"{name} has no value", Span(*span, self.source), label, help=_ADD.format(name)) from None

    def _assign(self, step: ParsedStep) -> None:
        """Bind the name of the step to the value of its argument, as not yet used.

        A later assignment replaces an earlier one. A value that is transposed gets a block of its own. The block gets
        the name, as the user's, unless it has one already or is a constant.
        """
        value = self._argument(step.arguments[0])
        block = self.builder.blocks[value.block]
        if value.is_transposed:
            call = RowCall((block.shape,))
            value = ArrayOperand(self.builder.apply(ROWS["transpose"], call, (ArrayOperand(value.block),), block.span))
            block = self.builder.blocks[value.block]
        if not block.name and not block.is_constant:
            block.name, block.user_named = step.text, True
        self.names[step.text] = value
        self.assigned[step.text] = False

    def _argument(self, place: int) -> ArrayOperand:
        """Return the value of a step; a product that waited for its sum is computed now."""
        value = self.values[place]
        if value is None:
            value = self.values[place] = self._product(self.steps[place])
        return value

    def _waits(self, place: int) -> bool:
        """Return whether the product at `place` is left for its sum: it is an operand of + or - without brackets, and
        both factors are arrays, at least one a matrix."""
        consumer = self.consumer.get(place)
        if consumer is None or consumer.operation not in ("+", "-"):
            return False
        shapes = [self.builder.shape(self._argument(each)) for each in self.steps[place].arguments]
        return all(shapes) and max(map(len, shapes)) > 1

    def _product(self, step: ParsedStep) -> ArrayOperand:
        """Return the value of the product in `step`, side by side or with @ or ·.

        An operand that was left for a sum (its value is None) is computed now. Raises ShapeProblem if the shapes do not
        fit, SyntaxProblem for an array directly before a square bracket without an index, such as x[-1] or x[k]; with a
        blank between it is a product.
        """
        left, right = step.arguments
        pair = self._argument(left), self._argument(right)
        factor = self.steps[right]
        follows = factor.start == self.steps[left].end and self.source.text[factor.start] == "["
        if follows and factor.operation == "group" and self.builder.shape(pair[0]):
            advice = "indices count from 1, as in x[2] or W[1,2]; for a product write a blank before ["
            raise SyntaxProblem("sizes and indices must be whole numbers", self._span(factor), help=advice)
        return self._multiply(pair, step, (self.steps[left], self.steps[right]))

    def _multiply(self, pair: Sequence[ArrayOperand], step: ParsedStep, typed: Sequence[ParsedStep]) -> ArrayOperand:
        """Return the product of the two values `pair` as a new block. The first that applies:

        - · of two columns of one length: the number `dot`
        - with `entrywise`, two columns of one length: entry by entry, with the note ENTRYWISE_NOTE
        - two arrays: a matrix product
        - a product with a number

        `step` gives the place in the text, `typed` are the steps of the factors, for errors. Raises ShapeProblem if the
        shapes do not fit.
        """
        shapes = [*map(self.builder.shape, pair)]
        row = ROWS["matmul" if all(shapes) else "times"]
        if shapes[0] == shapes[1] and len(shapes[0]) == 1 and (step.operation == "·" or self.entrywise):
            row = ROWS["dot" if step.operation == "·" else "times"]
            if row.name == "times":
                self.readings.append(Reading(ENTRYWISE_NOTE, (step.start, step.end), topic="broadcast"))
        return self._apply(row, pair, step, typed)

    def _sum(self, step: ParsedStep) -> ArrayOperand:
        """Return the sum or difference of two operands in `step`.

        Shapes may be equal, or one is a number, or a vector that is added to each row, which may append a note. If an
        operand is a matrix product that `_run_step` left for the sum (its value is None), both become one `affine`
        block, if the other operand, c, has its shape or is a vector for each row; the block's `extra` is (1 if c comes
        first else 0, 1 for a difference else 0). Of two such products the second is c. In all other cases (c is a
        number, too) the block is `add` or `sub`. Raises ShapeProblem if the shapes do not fit.
        """
        for first, place in enumerate(step.arguments):
            other = step.arguments[1 - first]
            if self.values[place] is None:
                addend, product = self._argument(other), self.steps[place]
                pair = tuple(map(self._argument, product.arguments))
                typed = [self.steps[k] for k in (*product.arguments, other)]
                with self._errors_at(pair, typed[:2]):
                    done = multiply_shapes(*map(self.builder.shape, pair))
                extra = self.builder.shape(addend)
                if extra == done or (extra and len(extra) < len(done) and extra[0] == done[1]):
                    self._note_rows(done, extra, typed[2], product)
                    sign = int(step.operation == "-")
                    return self._apply(ROWS["affine"], (*pair, addend), step, typed, (first, sign))
        values, typed = tuple(map(self._argument, step.arguments)), [self.steps[k] for k in step.arguments]
        result = self._apply(ROWS["add" if step.operation == "+" else "sub"], values, step, typed)
        shapes = list(map(self.builder.shape, values))
        for k in (0, 1):
            self._note_rows(shapes[1 - k], shapes[k], typed[k], typed[1 - k])
        return result

    def _note_rows(self, whole: Shape, part: Shape, typed: ParsedStep, other: ParsedStep) -> None:
        """Add a note if a vector (of the step `typed`) is added to each row of a matrix (of `other`)."""
        text = f"the vector {self._text(typed)} is added to each row of {self._text(other)}"
        reading = Reading(text, (typed.start, typed.end), "reading", "broadcast")
        if len(whole) == 2 and len(part) == 1 and reading not in self.readings:
            self.readings.append(reading)

    def _run_operation(self, step: ParsedStep) -> ArrayOperand:
        """Return the value of `step`, a list, index, comparison, operator or function, as a new block.

        A minus before a literal number gives the negative number. Without `entrywise`, `*` needs a number on one side,
        `/` a number as divisor, `^` a number or a square matrix. With it, `a .* b c` is (a .* b) c if only that fits,
        and `*` of arrays of different shapes is a matrix product. Raises ShapeProblem if the operands do not fit,
        SyntaxProblem for an index that is not a whole number, ArityProblem from functions.
        """
        operation = step.operation
        values = tuple(map(self._argument, step.arguments if operation != "index" else step.arguments[:1]))
        typed = [self.steps[k] for k in step.arguments]
        if operation == "list":
            return self._apply(ROWS["list"], values, step, typed, tuple(map(int, step.text.split(","))))
        if operation == "index":
            return self._apply(ROWS["entry"], values, step, typed, self._whole_numbers(step.arguments[1:]))
        literal = self.builder.blocks[values[0].block].literal if operation == "neg" else None
        if literal is not None and literal not in CONSTANTS:
            text = literal[1:] if literal.startswith("-") else f"-{literal}"
            return ArrayOperand(self.builder.number(text, (step.start, step.end)))
        if operation in RELATIONS:
            return self._apply(ROWS["map"], values, step, typed, function=RELATIONS[operation])
        if operation != "^" and operation not in _OPERATIONS:
            return self._function(step, values, typed)
        if operation in ("*", ".*") and self.entrywise:
            first, second, *third = self._regrouped(values, typed[1])
            if third:
                return self._multiply((self._apply(ROWS["times"], (first, second), step, typed), *third), step, typed)
            if operation == "*" and self.builder.shape(first) != self.builder.shape(second):
                return self._multiply((first, second), step, typed)
        with self._errors_at(values, typed):
            row, extra = self._power(step, values) if operation == "^" else (ROWS[_OPERATIONS[operation]], ())
            if not self.entrywise:
                _check_numbers(operation, *map(self.builder.shape, values))
        return self._apply(row, values[: row.arity], step, typed, extra)

    def _regrouped(self, values: Sequence[ArrayOperand], right: ParsedStep) -> Sequence[ArrayOperand]:
        """Return the factors a, b and c of `a .* b c` if only (a .* b) c fits, else the two operands `values`.

        `right` is the step of the second one: a product b c (side by side, @ or ·) without the shape of a, which b has.
        """
        shape, other = map(self.builder.shape, values)
        if right.operation not in PRODUCTS or shape == other or not shape or not other:
            return values
        first, second = map(self._argument, right.arguments)
        return (values[0], first, second) if self.builder.shape(first) == shape else values

    def _power(self, step: ParsedStep, values: Sequence[ArrayOperand]) -> tuple[ArrayRow, tuple[int, ...]]:
        """Return (row, `extra`) of the power in `step`; `values` are base and exponent. The first that applies:

        - two numbers; with `entrywise` an array as exponent, or a base that is not a square matrix: `power`, entry by
          entry, ()
        - the exponent -1: `inv`, ()
        - a literal exponent from 1 to 8: `matpower`, (exponent,)

        Raises Misfit for an array as exponent, a vector as base, or another exponent. Whether the matrix is square is
        checked later, by the row.
        """
        base, exponent = map(self.builder.shape, values)
        is_square = len(base) == 2 and base[0] == base[1]
        if (not base and not exponent) or (self.entrywise and (exponent or not is_square)):
            return ROWS["power"], ()
        if exponent:
            raise Misfit("the exponent {1} {s1}, but it must be a number", "for entrywise powers write {0}.^{1}", (1,))
        if len(base) == 1:
            advice = "for entrywise powers write {0}.^{1}, for the sum of squares sumsq({0})"
            raise Misfit("{0} {s0}: only a square matrix has powers", advice, (0,))
        count = self._whole_number(step.arguments[1])
        if count is None or count == 0 or not -1 <= count <= _MOST_POWER:
            title = f"the power of a matrix must be a whole number from 1 to {_MOST_POWER}, or -1 for the inverse"
            raise Misfit(title, "for entrywise powers write {0}.^{1}", (1,))
        return (ROWS["inv"], ()) if count == -1 else (ROWS["matpower"], (count,))

    def _whole_number(self, place: int) -> int | None:
        """Return the whole number that a step is, also with a minus sign or in brackets; None for anything else."""
        sign, step = 1, self.steps[place]
        while step.operation in ("neg", "group"):
            sign = -sign if step.operation == "neg" else sign
            step = self.steps[step.arguments[0]]
        return sign * int(step.text) if step.operation == "number" and step.text.lstrip("-").isdecimal() else None

    def _whole_numbers(self, arguments: Sequence[int]) -> tuple[int, ...]:
        """Return the whole numbers, from 0 to 10⁶, that the steps at `arguments` are.

        Raises SyntaxProblem at the first one that is not a literal whole number in this range.
        """
        numbers = []
        for place in arguments:
            count = self._whole_number(place)
            if count is None or count < 0 or count > 10**6:
                advice = "write the number, as in ones(3) or x[2]"
                raise SyntaxProblem(
                    "sizes and indices must be whole numbers", self._span(self.steps[place]), help=advice
                )
            numbers.append(count)
        return tuple(numbers)

    def _function(self, step: ParsedStep, values: tuple[ArrayOperand, ...], typed: list[ParsedStep]) -> ArrayOperand:
        """Return the value of a function: an array row, or a function of numbers applied entry by entry.

        `values` are its arguments, `typed` their steps. A name that is both, such as `max`, is an array row only with
        one argument. `step`, `ln`, `σ` and the like are other names of functions of numbers (`ENTRYWISE`). Functions
        without operands, such as zeros(2, 3), take one or two literal sizes of at least 1. Raises ArityProblem for a
        wrong number of arguments or sizes, SyntaxProblem for a size that is not a whole number, ShapeProblem if the
        operands do not fit.
        """
        name = step.operation
        row = FUNCTIONS.get(name)
        numeric = lookup(ENTRYWISE.get(name, name))
        if row is not None and (numeric is None or len(values) == 1):
            if row.arity == 0:
                sizes = self._whole_numbers(step.arguments)
                if not 1 <= len(sizes) <= 2 or not all(sizes):
                    title = f"{name} takes one or two sizes, at least 1"
                    raise ArityProblem(title, self._span(step), help=f"write {name}(3)")
                return self._apply(row, (), step, typed, sizes)
            needed, numeric = row.arity, None
        else:
            assert numeric is not None  # is_function has seen it  # noqa: S101
            row, needed = ROWS["map"], max(len(values) if numeric.accepts(len(values)) else numeric.arity or 1, 1)
        if needed != len(values):
            many = f"{needed} argument{'s' * (needed != 1)}, got {len(values) or 'none'}"
            advice = f"write {name}({', '.join('xyz'[:needed])})"
            raise ArityProblem(f"{name} takes {many}", self._span(step), help=advice)
        return self._apply(row, values, step, typed, function=numeric.name if numeric is not None else "")

    # --- blocks and errors ---

    def _apply(
        self, row: ArrayRow, values: Sequence[ArrayOperand], step: ParsedStep, typed: Sequence[ParsedStep],
        extra: tuple[int, ...] = (), function: str = "",
    ) -> ArrayOperand:  # fmt: skip
        """Append a block for the operation `row` on `values` (or reuse an equal one with cse) and return it as an
        operand.

        `step` gives the place in the text, `typed` are the steps of the operands, for errors. `extra` has whole numbers
        of the operation (an exponent, an index, sizes), `function` the name of the function for `map`. Raises
        ShapeProblem if the operands do not fit, RequestError if the program gets too large.
        """
        blocks = self.builder.blocks
        literals = tuple([blocks[value.block].literal for value in values])
        call = RowCall(tuple(map(self.builder.shape, values)), extra, literals, function)
        with self._errors_at(values, typed):
            return ArrayOperand(self.builder.apply(row, call, values, (step.start, step.end)))

    @contextmanager
    def _errors_at(self, values: Sequence[ArrayOperand], typed: Sequence[ParsedStep]) -> Iterator[None]:
        """Turn a Misfit within a `with` block into a ShapeProblem for these operands, whose steps are `typed`."""
        try:
            yield
        except Misfit as misfit:
            raise self._shape_error(misfit, values, typed) from None

    def _shape_error(self, misfit: Misfit, values: Sequence[ArrayOperand], typed: Sequence[ParsedStep]) -> ShapeProblem:
        """Return the error for `values` that do not fit: `misfit` with the texts and shapes of the operands filled in.

        `typed` are the steps of the operands. The error points to the first operand in `misfit.blame`; a second one
        there, if it is another step, is the related place. In the help a product gets brackets before `^T`, and double
        transposes are left out.
        """
        texts = [self._text(step) for step in typed]
        shapes = [shape_in_words(self.builder.shape(value)) for value in values]
        words = {f"s{k}": shape for k, shape in enumerate(shapes)}
        spans = [(self._span(typed[k]), shapes[k]) for k in misfit.blame if k < len(typed) and k < len(shapes)]
        advice = misfit.help
        for k, step in enumerate(typed):
            if step.operation in PRODUCTS:
                advice = advice.replace(f"{{{k}}}^T", f"({{{k}}})^T")
        advice = advice.format(*texts, **words)
        related = spans[1] if len(spans) > 1 and typed[misfit.blame[0]] is not typed[misfit.blame[1]] else None
        return ShapeProblem(
            misfit.title.format(*texts, **words), spans[0][0], misfit.label or f"this {spans[0][1]}",
            help=_DOUBLE_TRANSPOSE.sub("", advice), related=related and (related[0], f"this {related[1]}"),
        )  # fmt: skip

    def _text(self, step: ParsedStep) -> str:
        """Return the text of a step as typed, without outer brackets if it is a group, shortened to 40 characters."""
        text = " ".join(self.source.text[step.start : step.end].split())
        return text if len(text) <= 40 else f"{text[:24]} … {text[-12:]}"

    def _span(self, step: ParsedStep) -> Span:
        return Span(step.start, step.end, self.source)


def _check_numbers(operation: str, left: Shape, right: Shape = ()) -> None:
    """Raise Misfit if an operand is an array where a number is needed: `*` of two arrays, `/` by an array.

    Nothing for other values of `operation`, such as `.*`. `left` and `right` are the shapes of the operands, () for a
    number.
    """
    if operation == "*" and left and right:
        advice = "write {0} {1} or {0} @ {1} for the matrix product, {0} .* {1} entry by entry"
        if len(left) == len(right) == 1:
            advice = of_columns(left, right)
        raise Misfit("{0} * {1} has two meanings for arrays", advice)
    if operation == "/" and right:
        advice = "to divide entry by entry write {0} ./ {1}" + "; for A⁻¹ b write solve(A, b)" * (len(right) == 2)
        raise Misfit("{0} {s0} and {1} {s1}: / divides by numbers only", advice, (1, 0))


def shapes_of(point: Collection[str]) -> dict[str, Shape]:
    """Return the shape of each name in a point whose arrays are entries: `W[1,1]`, `W[1,2]`, `x`.

    Each size is the largest index in that position; a name without an index is a number.
    """
    shapes: dict[str, Shape] = {}
    for key in point:
        name, bracket, index = key.partition("[")
        sizes = map(int, index[:-1].split(",")) if bracket else ()
        shapes[name] = tuple([max(pair) for pair in zip_longest(sizes, shapes.get(name, ()), fillvalue=0)])
    return shapes
