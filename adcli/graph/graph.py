"""The graph of operations in columns.

Columns take less memory and time than one object for each operation, so the language builds a `Graph`, and the paper's
Nodes (`node`) are made only to be shown or taught with.  Slot i is one input, constant or operation.

A graph is pickled as plain data, with functions of the table by name, since rules are Python functions.  Unpickling
checks the data, so that a damaged or forged state raises an error instead of making an impossible graph.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import isfinite

from ..errors import RequestError, pickle_error
from ..patterns import pattern
from ..table.functions import lookup
from ..table.primitive import Check, Primitive
from ..typings import TYPE_CHECKING, Any, Final, cast, override

if TYPE_CHECKING:
    from ..numbers.ranges import Range
    from ..table.arithmetic import Arithmetic, Operand, T

_STEP = 2.0**-10  # of an order
INPUT = "input"
CONSTANT = "constant"


class Constant:
    """A constant of a graph.

    text   a decimal as written, or the name of an entry of CONSTANTS
    named  whether it is such a name
    """

    __slots__ = ("named", "text")

    def __init__(self, text: str, named: bool = False) -> None:
        self.text = text
        self.named = named

    def read(self, m: Arithmetic[T]) -> T:
        """Return the constant as a number of the arithmetic `m`."""
        return CONSTANTS[self.text](m) if self.named else m.number(self.text)


# Named numbers; a name that the user assigns takes precedence over these.
CONSTANTS = {"pi": lambda m: m.pi, "e": lambda m: m.e, "tau": lambda m: 2 * m.pi}


class Graph:
    """Operations in columns, parents always before children.

    rows       the function applied in each slot, a row of the table; None for inputs and constants
    parents    for each slot the slots of its arguments, by position: `x*x` has the same slot twice
    spans      for each slot (start, end) in the program's text, end excluded; (0, 0) if unknown
    literal    1 for each constant, and for arithmetic on constants alone (`1/2`, `2*pi`); else 0
    constants  {slot: Constant}
    inputs     {slot: name}, in the order of the inputs
    outputs    (name, slot) of each result, in order
    aliases    {slot: name that the user assigned}
    assumed    {name of an input: its range}, if that is declared; it is not pickled
    """

    __slots__ = ("aliases", "assumed", "constants", "inputs", "literal", "outputs", "parents", "rows", "spans")

    def __init__(self) -> None:
        """Begin an empty graph, without slots.

        `rows`, `parents`, `spans` and `literal` get one entry for each slot; `constants`, `inputs` and `aliases` are by
        slot, and `outputs` are (name, slot).
        """
        self.rows: list[Primitive | None] = []
        self.parents: list[tuple[int, ...]] = []
        self.spans: list[tuple[int, int]] = []
        self.literal = bytearray()
        self.constants: dict[int, Constant] = {}
        self.inputs: dict[int, str] = {}
        self.outputs: list[tuple[str, int]] = []
        self.aliases: dict[int, str] = {}
        self.assumed: dict[str, Range] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def _append(self, row: Primitive | None, parents: tuple[int, ...], span: tuple[int, int], literal: int) -> int:
        """Append one entry to each column and return the new slot."""
        self.rows.append(row)
        self.parents.append(parents)
        self.spans.append(span)
        self.literal.append(literal)
        return len(self.rows) - 1

    def input(self, name: str, span: tuple[int, int] = (0, 0)) -> int:
        """Append an input and return its slot."""
        slot = self._append(None, (), span, 0)
        self.inputs[slot] = name
        return slot

    def constant(self, constant: Constant, span: tuple[int, int] = (0, 0)) -> int:
        """Append a constant, which is a literal, and return its slot."""
        slot = self._append(None, (), span, 1)
        self.constants[slot] = constant
        return slot

    def apply(self, row: Primitive, parents: tuple[int, ...], span: tuple[int, int] = (0, 0)) -> int:
        """Append the operation `row` on the slots `parents` and return its slot; `span` is (start, end) in the text.

        It is a literal if all parents are literals and the row folds (arithmetic such as + or /). For a row with
        `has_order`, such as a Bessel function, the first parent becomes a literal if it depends on no input; if it
        does, a variant without any value is stored. Nothing is checked, and equal operations are not merged.
        """
        rows, literal = self.rows, self.literal
        rows.append(_requiring_constant(row) if row.has_order and not self._make_literal(parents[0]) else row)
        self.parents.append(parents)
        self.spans.append(span)
        literal.append(row.folds and literal[parents[0]] and all(map(literal.__getitem__, parents)))
        return len(rows) - 1

    def _make_literal(self, slot: int) -> bool:
        """Mark `slot`, and all that it is computed from, as literals; return whether that could be done.

        Nothing is marked and the result is False if it depends on an input, or on a condition or choice.
        """
        needed, stack = set[int](), [slot]
        while stack:
            slot = stack.pop()
            row = self.rows[slot]
            if slot in self.inputs or (row is not None and (row.truth or row.route is not None)):
                return False
            if slot not in needed and not self.literal[slot]:
                needed.add(slot)
                stack += self.parents[slot]
        for slot in needed:
            self.literal[slot] = 1
        return True

    def row(self, slot: int) -> Primitive:
        """Return the function that is applied in a slot, which must not be an input or a constant."""
        return cast("Primitive", self.rows[slot])

    def operator(self, slot: int) -> str:
        """Return the name of the function applied in a slot; INPUT for inputs, CONSTANT for literals (also `1/2`)."""
        row = self.rows[slot]
        if row is None or self.literal[slot]:
            return INPUT if slot in self.inputs else CONSTANT
        return row.name

    def is_condition(self, slot: int) -> bool:
        """Return whether the operation in a slot has a truth value; False for inputs and constants."""
        row = self.rows[slot]
        return row is not None and row.truth

    def has_choices(self) -> bool:
        """Return whether a row takes one of several branches."""
        return any(row is not None and row.route is not None for row in self.rows)

    def operations(self) -> Iterable[int]:
        """Return an iterator over the slots of operations, in order; inputs and literals are left out."""
        rows, literal = self.rows, self.literal
        return (slot for slot in range(len(rows)) if rows[slot] is not None and not literal[slot])

    def children(self) -> list[list[int]]:
        """Return for each slot the list of slots that use it, ascending; a slot that uses it twice is listed twice."""
        below: list[list[int]] = [[] for _ in self.rows]
        for slot, parents in enumerate(self.parents):
            for parent in parents:
                below[parent].append(slot)
        return below

    @override
    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[object, ...]]:
        return unpack, self.pack()

    def pack(self) -> tuple[object, ...]:
        """Return the columns as nested tuples and bytes, hashable: the arguments of `unpack`.

        They are eight, in this order: names of the functions (None for leaves), parents, spans, literal marks (bytes),
        constants as (slot, text, named), inputs as (slot, name), outputs as (name, slot), and aliases as (slot, name).
        """
        rows = tuple([row and row.name for row in self.rows])
        constants = tuple([(slot, constant.text, constant.named) for slot, constant in self.constants.items()])
        columns = rows, tuple(self.parents), tuple(self.spans), bytes(self.literal), constants
        return *columns, tuple(self.inputs.items()), tuple(self.outputs), tuple(self.aliases.items())

    def copy(self) -> Graph:
        """Return a graph with copies of the columns, whose elements are the same."""
        new = Graph()
        for column in self.__slots__:
            setattr(new, column, getattr(self, column).copy())
        return new

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Graph:
        return self.copy()  # the elements of the columns are immutable


# --- pickling ---


NUMBER: Final = pattern(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)


def find_row(name: object) -> Primitive:
    """Return the row of the table called `name`, or with this alias.

    Raises RequestError if `name` is not a text, or if this process has no such function.
    """
    row = lookup(name) if isinstance(name, str) else None
    if row is None:
        shown = name[:40] if isinstance(name, str) else type(name).__name__
        advice = "call adcli.declare in a module that the process that writes and the one that reads both import"
        raise RequestError(f"there is no function called {shown} in this process", help=advice)
    return row


copyreg.pickle(Primitive, lambda row: (find_row, (row.name,)))


def unpack(*state: object) -> Graph:
    """Build the graph whose `pack()` is `state`.

    Raises RequestError if the state is damaged, or names a function that is not declared in this process.
    """
    try:
        graph = _build_columns(state)
        _check_columns(graph)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise pickle_error("a graph", str(error)) from None
    return graph


def _build_columns(state: Any) -> Graph:
    """Build a Graph from the fields of `pack()`, without checking that they fit together.

    Rows get their variants for whole orders as in `apply`, if their first parent is not marked as a literal. Raises
    RequestError for an unknown function, TypeError, ValueError or IndexError for fields of a wrong number, type or
    shape.
    """
    rows, parents, spans, literal, constants, inputs, outputs, aliases = state
    graph = Graph()
    graph.rows = [None if name is None else find_row(name) for name in rows]
    graph.parents = [tuple(above) for above in parents]
    graph.spans = [(start, end) for start, end in spans]
    graph.literal = bytearray(bytes(memoryview(literal)))
    for slot, row in enumerate(graph.rows):
        if row is not None and row.has_order and not graph.literal[graph.parents[slot][0]]:
            graph.rows[slot] = _requiring_constant(row)
    graph.constants = {slot: _constant(text, named) for slot, text, named in constants}
    graph.inputs, graph.aliases = dict(inputs), dict(aliases)
    graph.outputs = [(name, slot) for name, slot in outputs]
    return graph


@lru_cache(maxsize=64)
def _requiring_constant(row: Primitive) -> Primitive:
    """Return the function `row` with a condition in its domain that no argument meets: its first argument must be a
    constant, because the partial with respect to it has no formula. Nothing continues the variant to complex numbers.
    Cached.
    """
    title = f"the first argument of {row.name} must be a constant: no derivative with respect to it is known"
    advice = f"write a constant, as in {row.name}(2, …), or compute the value alone (--mode value)"
    never: Check[Operand, Operand] = Check(lambda *_: False, title, advice=advice)
    return row.with_cells(domain=(never, *row.domain), continued=False)


def with_variable_orders(graph: Graph, *, estimated: bool = False) -> Graph:
    """Return the graph for values alone, whose orders (`Primitive.has_order`) may depend on inputs; itself if it has
    none.

    With `estimated` it is for rounding errors: in doubles the partials with respect to orders are estimates of about
    three digits; without it they are 0.
    """
    slots = [slot for slot, row in enumerate(graph.rows) if row is not None and row.has_order]
    new = graph.copy() if slots else graph
    for slot in slots:
        row = find_row(graph.row(slot).name)
        new.rows[slot] = _with_variable_order(row) if estimated else row
    return new


@lru_cache(maxsize=64)
def _with_variable_order(row: Primitive) -> Primitive:
    """Return the function `row` with a difference quotient as partial with respect to its order, the first argument.

    The quotient is 0 if the function has no value at an order one step greater, as where it must be a whole number.
    Partials that are not a tuple of functions stay as they are. Cached.
    """

    def slope(m: Arithmetic[T], z: T, order: T, *others: T) -> T | float:
        there = (order + _STEP, *others)
        return 0 if row.find_violation(m, there) else (row.value(m, *there) - z) / _STEP

    return row.with_cells(partials=(slope, *row.partials[1:]) if isinstance(row.partials, tuple) else row.partials)


def _constant(text: str, named: bool) -> Constant:
    """Return the Constant; raise ValueError if it is neither a known name nor a finite decimal."""
    if text not in CONSTANTS if named else not (NUMBER.fullmatch(text) and isfinite(float(text))):
        raise ValueError(f"{text[:40]!r} is not a constant")
    return Constant(text, bool(named))


def _check_columns(graph: Graph) -> None:
    """Raise ValueError if the columns contradict each other.

    Columns must be of one length, parents before their slot, leaves either inputs or constants, and literals marked
    correctly. Names must be texts and on existing slots, names of inputs distinct, and spans 0 ≤ start ≤ end.
    """
    inputs, count = graph.inputs, len(graph)
    if not count == len(graph.parents) == len(graph.spans) == len(graph.literal):
        raise ValueError("its columns differ in length")
    for slot in range(count):
        _check_slot(graph, slot)
    names = [*inputs.values(), *graph.aliases.values(), *(name for name, _ in graph.outputs)]
    named_slots = [*inputs, *graph.constants, *graph.aliases, *(slot for _, slot in graph.outputs)]
    if not all(type(slot) is int and 0 <= slot < count for slot in named_slots):
        raise ValueError("a name belongs to a slot that does not exist")
    if not all(isinstance(name, str) for name in names) or len(set(inputs.values())) < len(inputs):
        raise ValueError("its names are not text, or two inputs share one")
    if not all(type(start) is int and type(end) is int and 0 <= start <= end for start, end in graph.spans):
        raise ValueError("its places in the text are not valid")


def _check_slot(graph: Graph, slot: int) -> None:
    """Raise ValueError if the row, the parents and the literal mark of `slot` do not fit together.

    Parents are earlier slots. A leaf is in exactly one of inputs and constants and has no parents. An operation is in
    neither and has a number of parents that its row accepts. A constant must be a literal; an operation may be one if
    all its parents are literals; an input may not be one.
    """
    row, parents, literal = graph.rows[slot], graph.parents[slot], graph.literal[slot]
    leaf_columns = (slot in graph.inputs) + (slot in graph.constants)
    is_constant = slot in graph.constants
    if not all(type(parent) is int and 0 <= parent < slot for parent in parents):
        raise ValueError(f"the arguments in slot {slot} are not before it")
    if row is None and (parents or leaf_columns != 1):
        raise ValueError(f"slot {slot} is neither an input nor a constant")
    if row is not None and (leaf_columns or not row.accepts(len(parents))):
        raise ValueError(f"slot {slot} does not fit {row.name}")
    folds = is_constant if row is None else all(graph.literal[parent] for parent in parents)
    if not is_constant <= literal <= folds:
        raise ValueError(f"slot {slot} is wrongly marked as a literal, or not as one")
