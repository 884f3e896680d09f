"""The paper's Node, its two sweeps and its wrapping functions.

These are the lesson: short, in the paper's words, and right where its listings are not (one node as both parents, a
second sweep, several outputs, graphs deeper than the interpreter's stack).  The engine is in `tape`.

Most nodes are never looked at.  Until somebody asks one for a list (`parent_nodes`, `child_nodes`, `grad_wrt_parents`),
its parents and partials are kept as they were recorded, one or two of them without a list or tuple, and with them its
family: the nodes that edges connect, in one list.  Then the lists of the whole family are written out, and from there
on they are what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Final, cast

from ..errors import ArityProblem, Span
from ..numbers.doubles import FLOAT, RAISING
from ..overriding import override
from ..table.primitive import ROWS, Primitive, spellings
from .graph import CONSTANT, INPUT, Graph, row_named
from .order import postorder
from .overloading import Operator, Overloaded
from .rules import Partials, partials, partials_at, value, value_at

if TYPE_CHECKING:
    from typing import TypeAlias

    Slopes: TypeAlias = Sequence[float | None]
    # The nodes that edges connect, parents before children; none yet for a node of its own.  No longer kept, and empty,
    # once the lists are written out.
    Family: TypeAlias = "list[Node] | tuple[()] | None"

_new: Final = object.__new__
_WRITTEN: Final = ()
_FEW: Final = 2
_FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)


class Lean(Overloaded):
    """What is kept of a node: its operator, parents and partials as recorded, or the lists written out of them.

    A node of one or two parents by which derivatives are asked has these and its partials apart, as long as there are
    no lists; any other has no first parent, but sequences.  Numbers among the arguments are kept apart, with their
    positions.
    """

    __slots__ = (
        "_children", "_family", "_first", "_left", "_name", "_numbers", "_operator", "_parents", "_right", "_second",
        "_slopes", "_span",
    )  # fmt: skip
    _children: list[Node]  # there as soon as the lists are
    _family: Family
    _first: Node | None
    _left: float
    _name: str  # there where it has one
    _numbers: Sequence[tuple[int, float]]  # there as soon as there are any
    _operator: str
    _parents: Sequence[Node]  # there without a first parent
    _right: float  # there with a second parent
    _second: Node | None  # there with a first parent
    _slopes: Slopes  # as the parents
    _span: Span | None  # there where it is known


def _function(row: Primitive) -> Callable[..., Node]:
    """The function that a row is, of Nodes and numbers; what is rare it leaves to `_otherwise`."""
    found = partials(row)
    if found is None or row.truth or row.route is not None:
        return lambda *arguments: _otherwise(row, arguments)
    return _of_one(row, found) if len(found.each) == 1 else _of_two(row, found)


def _of_one(row: Primitive, found: Partials) -> Callable[..., Node]:
    name, function, (rule,) = row.name, value(row, RAISING), found.each
    domain = [check.holds for check in row.domain if not check.told]  # of which nan does not tell by itself
    slope: Callable[..., float] | None = getattr(RAISING, found.of_argument) if found.of_argument else None

    def one(*arguments: Node | float) -> Node:
        if len(arguments) == 1:
            x = arguments[0]
            if type(x) is Node and x._family is not _WRITTEN:
                a = x.value
                try:
                    if type(a) is not float:
                        a = float(a)
                    for holds in domain:
                        if not holds(FLOAT, a):
                            return _otherwise(row, arguments)
                    z: float = function(a)  # type: ignore[assignment]  # a double
                    if z == z:
                        node: Node = _new(Node)
                        node.value = z
                        node.partial_derivative = 0.0
                        node._operator = name
                        node._first = x
                        node._second = None
                        node._left = slope(a) if slope else rule(RAISING, z, a)
                        node._family = family = x._family or _united(arguments)  # type: ignore[arg-type]  # a Node
                        family.append(node)
                        return node
                except _FAULTS:
                    pass
        return _otherwise(row, arguments)

    return one


def _of_two(row: Primitive, found: Partials) -> Callable[..., Node]:
    name, function, (first, last) = row.name, value(row, RAISING), found.each
    domain = [check.holds for check in row.domain]

    def two(*arguments: Node | float) -> Node:
        if len(arguments) == 2:
            x, y = arguments
            nodes: list[Node] = [a for a in arguments if type(a) is Node]
            if type(x) in _PLAIN and type(y) in _PLAIN and not any(node._family is _WRITTEN for node in nodes):
                try:
                    a, b = float(getattr(x, "value", x)), float(getattr(y, "value", y))
                    if all(holds(FLOAT, a, b) for holds in domain):
                        z: float = function(a, b)  # type: ignore[assignment]  # a double
                        if len(nodes) == 2:
                            return _recorded(name, z, nodes, (first(RAISING, z, a, b), last(RAISING, z, a, b)))
                        if nodes:
                            left = nodes[0] is x
                            slope: float = (first if left else last)(RAISING, z, a, b)
                            return _recorded(name, z, nodes, (slope,), ((1, b) if left else (0, a),))
                except _FAULTS:
                    pass
        return _otherwise(row, arguments)

    return two


def _operators(name: str) -> tuple[Operator, Operator]:
    """The operator of two operands that a row is, and its reflection."""
    row = ROWS[name]
    general = _function(row)

    def operator(self: Node, other: object) -> object:
        return general(self, other) if type(other) in _PLAIN else self.operate(row, (self, other))

    def reflected(self: Node, other: object) -> object:
        return general(other, self) if type(other) in _PLAIN else self.operate(row, (other, self))

    found = partials(row)
    if found is None or row.domain or not (found.always or found.crossed):
        return operator, reflected
    # Sums, differences and products have no more to them than this.
    function, crossed = cast("Callable[[float, float], float]", value(row, RAISING)), found.crossed
    left, right = map(float, found.always or (0, 0))

    def quick(self: Node, other: object) -> object:
        if type(self) is Node is type(other):
            a, b = self.value, other.value
            if type(a) is float is type(b):
                family = self._family
                if not family or family is not other._family:
                    written = family is _WRITTEN or other._family is _WRITTEN
                    family = _WRITTEN if written else _united((self, other))
                if family:
                    node: Node = _new(Node)
                    node.value = function(a, b)
                    node.partial_derivative = 0.0
                    node._operator = name
                    node._first = self
                    node._second = other
                    if crossed:
                        node._left = b
                        node._right = a
                    else:
                        node._left = left
                        node._right = right
                    node._family = family
                    family.append(node)
                    return node
        elif type(other) is float and type(self) is Node and self._family is not _WRITTEN:
            a = self.value
            if type(a) is float:
                return _recorded(name, function(a, other), (self,), (other if crossed else left,), ((1, other),))
        return operator(self, other)

    def quick_reflected(self: Node, other: object) -> object:
        if type(other) is float and type(self) is Node and self._family is not _WRITTEN:
            b = self.value
            if type(b) is float:
                return _recorded(name, function(other, b), (self,), (other if crossed else right,), ((0, other),))
        return reflected(self, other)

    return quick, quick_reflected


class Node(Lean):
    """One operation of the graph, with the paper's six members, a name and the place where it was written.

    Nodes are told apart by what they are, not by their numbers: `==` asks whether two are the same node.

    Source: Fang et al., "A Step-by-step Introduction to the Implementation of Automatic Differentiation", section 3.2.
    """

    __slots__ = ("partial_derivative", "value")

    def __init__(
        self,
        value: float,
        parent_nodes: Sequence[Node] = (),
        operator: str = INPUT,
        grad_wrt_parents: Slopes = (),
        name: str = "",
        span: Span | None = None,
    ) -> None:
        self.value = value
        self.partial_derivative: float = 0.0
        if name:
            self.name = name
        if span:
            self.span = span
        self._operator = operator
        self._first = self._family = None
        self._parents, self._slopes = parent_nodes, grad_wrt_parents
        if parent_nodes or grad_wrt_parents or operator != INPUT:
            _write(self)

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("sub")
    __mul__, __rmul__ = _operators("mul")
    __truediv__, __rtruediv__ = _operators("div")
    __pow__, __rpow__ = _operators("pow")
    __neg__ = _function(ROWS["neg"])

    @property
    def name(self) -> str:
        """What it is called; "" for none."""
        return getattr(self, "_name", "")

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def span(self) -> Span | None:
        """Where it was written, where that is known."""
        return getattr(self, "_span", None)

    @span.setter
    def span(self, span: Span | None) -> None:
        self._span = span

    @property
    def operator(self) -> str:
        """The function of the table whose result this is, `input` or `constant`."""
        return self._operator

    @operator.setter
    def operator(self, operator: str) -> None:
        _written(self)._operator = operator

    @property
    def parent_nodes(self) -> list[Node]:
        """The nodes of the arguments, by position."""
        return _written(self)._parents  # type: ignore[return-value]  # a list by now

    @parent_nodes.setter
    def parent_nodes(self, nodes: list[Node]) -> None:
        _written(self)._parents = nodes

    @property
    def child_nodes(self) -> list[Node]:
        """The nodes that this one is an argument of, once for each edge."""
        return _written(self)._children

    @child_nodes.setter
    def child_nodes(self, nodes: list[Node]) -> None:
        _written(self)._children = nodes

    @property
    def grad_wrt_parents(self) -> list[float | None]:
        """The partial by each argument; None for a number, by which nobody asks."""
        return _written(self)._slopes  # type: ignore[return-value]

    @grad_wrt_parents.setter
    def grad_wrt_parents(self, slopes: list[float | None]) -> None:
        _written(self)._slopes = slopes

    @override
    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        """A new Node for a function of the table, as its wrapping function gives it."""
        if not all(isinstance(a, (Node, int, float)) for a in arguments):
            return NotImplemented
        return _operation(row, arguments)  # type: ignore[arg-type]  # as has been seen

    def backward(self) -> None:
        """Afterwards `partial_derivative` of every node is the derivative of this one with respect to it."""
        reverse(self)

    @override
    def __getstate__(self) -> object:
        return object.__getstate__(_written(self))

    @override
    def __repr__(self) -> str:
        label = f"{self.name}: " if self.name else ""
        return f"<Node {label}{self.operator} value={self.value!r} partial_derivative={self.partial_derivative!r}>"


_PLAIN: Final = frozenset({Node, float, int})


def _method(row: Primitive) -> Operator:
    return lambda self, *others: self.operate(row, (self, *others))


# A function of the table is a method too, which is how NumPy asks the elements of an array of objects.  Were they found
# as they are asked for, by `__getattr__`, every member of every node would take Python twice as long to find.
for _name in spellings():
    if not hasattr(Node, _name):
        setattr(Node, _name, _method(row_named(_name)))


# --- what is kept, and what is written out of it ---------------------------------------------------------------------


def _recorded(
    operator: str, value: float, parents: Sequence[Node], slopes: Slopes, numbers: Sequence[tuple[int, float]] = ()
) -> Node:
    """A new node, of the family of its parents, which becomes one; its lists are written out if those of one are."""
    node: Node = _new(Node)
    node.value = value
    node.partial_derivative = 0.0
    node._operator = operator
    if numbers:
        node._numbers = numbers
    family = parents[0]._family if parents else None
    if (len(parents) > 1 and family is not parents[1]._family) or len(parents) > _FEW:
        written = any(parent._family is _WRITTEN for parent in parents)
        family = _WRITTEN if written else _united(parents)
    if family is _WRITTEN:
        node._first, node._parents, node._slopes = None, parents, slopes
        _write(node)
        for parent in node._parents:
            _written(parent)._children.append(node)
        return node
    if 0 < len(parents) <= _FEW and None not in slopes:
        node._first, node._left = parents[0], slopes[0]  # type: ignore[assignment]  # no None, as has been seen
        node._second = None
        if len(parents) == _FEW:
            node._second, node._right = parents[1], slopes[1]  # type: ignore[assignment]
    else:
        node._first, node._parents, node._slopes = None, parents, slopes
    node._family = family = family or _united(parents)
    family.append(node)
    return node


def _united(nodes: Sequence[Node]) -> list[Node]:
    """The one family that those of these nodes become."""
    family: list[Node] = []
    for node in nodes:
        other = node._family
        if not other:
            node._family = family
            family.append(node)
        elif other is not family:
            family, other = (family, other) if len(other) <= len(family) else (other, family)
            family += other
            for member in other:
                member._family = family
    return family


def _written(node: Node) -> Node:
    """The node itself, now that the lists of its family are written out."""
    family = node._family
    if family is not _WRITTEN:
        for member in family or (node,):
            _write(member)
        for member in family or ():
            for parent in member._parents:
                parent._children.append(member)
    return node


def _write(node: Node) -> None:
    if node._first is None:
        parents, slopes = [*node._parents], [None if slope is None else float(slope) for slope in node._slopes]
    elif node._second is None:
        parents, slopes = [node._first], [float(node._left)]
    else:
        parents, slopes = [node._first, node._second], [float(node._left), float(node._right)]
    for position, number in getattr(node, "_numbers", ()):
        parents.insert(position, Node(float(number), operator=CONSTANT))
        slopes.insert(position, None)
    node._parents, node._slopes, node._numbers = parents, slopes, ()
    node._first = node._second = None
    node._children = []
    node._family = _WRITTEN


# --- orders and sweeps -----------------------------------------------------------------------------------------------


def topological_order_forward(root_node: Node) -> list[Node]:
    """The nodes that depend on `root_node`, every node before its children (paper, listing 2)."""
    return postorder(root_node, lambda node: node.child_nodes)[::-1]


def topological_order_reverse(root_node: Node) -> list[Node]:
    """The nodes that `root_node` depends on, every node before its parents (paper, listing 5)."""
    return postorder(root_node, lambda node: node.parent_nodes)[::-1]


def forward(root_node: Node) -> None:
    """Afterwards `partial_derivative` of every node is its derivative by `root_node` (paper, listing 4).

    Every node means every node that edges connect with this one; a Node knows of no other.
    """
    untouched = _clear(root_node)
    root_node.partial_derivative = 1.0
    for node in root_node._family or topological_order_forward(root_node)[1:]:
        first, slope = node._first, None
        if first is not None:
            second = node._second
            reached = first.partial_derivative is not untouched
            if reached or (second is not None and second.partial_derivative is not untouched):
                slope = 0.0
            if slope is not None:
                slope += node._left * first.partial_derivative
                if second is not None:
                    slope += node._right * second.partial_derivative
                node.partial_derivative = slope
            continue
        for parent in node._parents:
            if parent.partial_derivative is not untouched:
                slope = 0.0
        if slope is not None:
            for parent, gradient in zip(node._parents, node._slopes):  # noqa: B905 - as long, which `_clear` has seen
                if gradient is not None:
                    slope += gradient * parent.partial_derivative
            node.partial_derivative = slope


def reverse(root_node: Node) -> None:
    """Afterwards `partial_derivative` of every node is the derivative of `root_node` with respect to it.

    Each node hands its adjoint to its parents by position, so that `x - x` has two different edges (paper, section 5.2,
    whose listing pulls from the children and finds the first edge twice).
    """
    untouched = _clear(root_node)
    root_node.partial_derivative = 1.0
    for node in reversed(_above(root_node, untouched)):
        adjoint, first = node.partial_derivative, node._first
        if first is not None:
            first.partial_derivative += adjoint * node._left
            second = node._second
            if second is not None:
                second.partial_derivative += adjoint * node._right
        else:
            for parent, gradient in zip(node._parents, node._slopes):  # noqa: B905 - as above
                if gradient is not None:
                    parent.partial_derivative += adjoint * gradient


def _above(root_node: Node, untouched: float) -> list[Node]:
    """The list of the search over parents (listing 5), as `postorder` has it: what is visited is touched, and has 0."""
    order: list[Node] = []
    path: list[Node] = []
    listed: dict[Node, Iterator[Node]] = {}  # how far the search has come in nodes with sequences of parents
    node = root_node
    while True:
        parent = node._first
        if parent is None:
            for parent in listed.setdefault(node, iter(node._parents)) if node._parents else ():
                if parent.partial_derivative is untouched:
                    break
            else:
                parent = None
        elif parent.partial_derivative is not untouched:
            parent = node._second
            if parent is not None and parent.partial_derivative is not untouched:
                parent = None
        if parent is not None:
            parent.partial_derivative = 0.0
            path.append(node)
            node = parent
        else:
            order.append(node)
            if not path:
                return order
            node = path.pop()


def _clear(root_node: Node) -> float:
    """Every node connected to this one starts from zero, so that a sweep never sees an earlier one.

    This zero is an object of its own, by which a sweep tells whom it has not come to.
    """
    untouched = float("0")
    family = root_node._family
    if family is None:
        family = [root_node]
    for node in family:
        node.partial_derivative = untouched
    if family:
        return untouched
    root_node.partial_derivative = untouched
    waiting = [root_node]
    while waiting:
        node = waiting.pop()
        if len(node.parent_nodes) != len(node._slopes):
            raise ValueError(f"{node!r} has {len(node._parents)} parents and {len(node._slopes)} partials")
        for other in (*node._parents, *node._children):
            if other.partial_derivative is not untouched:
                other.partial_derivative = untouched
                waiting.append(other)
    return untouched


# --- functions of the table ------------------------------------------------------------------------------------------


def wrapping(row: Primitive) -> Callable[..., Node]:
    """The paper's wrapping function for a row of the table: computes the value and records the operation."""
    wrapper = _function(row)
    wrapper.__name__ = wrapper.__qualname__ = row.name
    wrapper.__module__ = __name__.partition(".")[0]  # where it is found by this name, which is how it travels
    wrapper.__doc__ = f"A new Node for {row.summary or row.name}."
    return wrapper


def _otherwise(row: Primitive, arguments: tuple[object, ...]) -> Node:
    """What a function gives of anything: of the values of another tracer, what that one answers."""
    for a in arguments:
        if isinstance(a, Overloaded) and not isinstance(a, Node):
            return a.operate(row, arguments)  # type: ignore[return-value]  # its own kind of value
    return _operation(row, arguments)  # type: ignore[arg-type]  # nodes and numbers, or an error


def _operation(row: Primitive, arguments: Sequence[Node | float]) -> Node:
    """The node of any operation.  Raises ArityProblem and DomainProblem, and leaves no trace then."""
    if not row.accepts(len(arguments)):
        raise ArityProblem(f"{row.name} takes {row.arity or f'{row.least} or more'} arguments, got {len(arguments)}")
    numbers = tuple([float(a.value if isinstance(a, Node) else a) for a in arguments])
    wanted = tuple([isinstance(a, Node) and a._operator != CONSTANT for a in arguments])
    z = value_at(row, numbers)
    slopes = partials_at(row, FLOAT, z, numbers, wanted)
    there = [isinstance(a, Node) for a in arguments]
    parents = [a for a in arguments if isinstance(a, Node)]
    given = tuple([(k, numbers[k]) for k, found in enumerate(there) if not found])
    return _recorded(row.name, z, parents, list(compress(slopes, there)), given)


def as_nodes(
    graph: Graph, values: Sequence[float], gradients: Sequence[Sequence[float | None]], names: Sequence[str]
) -> list[Node | None]:
    """A graph as Nodes, by slot: literals are leaves, and a literal inside a literal is no Node."""
    made: list[Node | None] = []
    for slot, row in enumerate(graph.rows):
        parents: list[Node] = []
        if row is not None and not graph.literal[slot]:
            parents = [node for p in graph.parents[slot] if (node := made[p]) is not None]
        node = Node(values[slot], parents, graph.operator(slot), gradients[slot], names[slot])
        for parent in parents:
            parent.child_nodes.append(node)
        made.append(node)
    return made
