"""Nodes, the lesson: a Node for each operation, wrapping functions that build them, two orders and two sweeps.

Source: Fang et al., "A Step-by-step Introduction to the Implementation of Automatic Differentiation".  Differences:
edges are identified by position (`x - x`), sweeps start from zero, nothing recurses, numbers have no partials (None).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import RequestError, Span
from ..table.operator_methods import with_operators
from ..table.primitive import ROWS, Primitive
from ..typings import override
from .graph import CONSTANT, INPUT
from .order import postorder
from .overloading import Method, Overloaded, methods_of_the_table
from .rules import check_count, linearization


def wrapping(row: Primitive) -> Callable[..., Node]:
    """Return the wrapping function of `row`, a function of the table: from Nodes and numbers to a new Node, as `mul` in
    listing 3. The new Node is added to the children of its parents, once for each use.

    Numbers become constant Nodes, for which no partials are computed. If an argument is a value of another tracer, the
    first such one gets the call instead. The function raises ArityProblem for a wrong number of arguments,
    DomainProblem outside the domain, and TypeError or ValueError for an argument that float() refuses.
    """
    linearize = linearization(row)

    def function(*arguments: object) -> Node:
        """Return the Node of this operation; raise ArityProblem, DomainProblem, or TypeError for a non-number."""
        if len(arguments) != row.arity:
            check_count(row, len(arguments))  # raises, unless the row takes any number of arguments
        for argument in arguments:
            if isinstance(argument, Overloaded) and not isinstance(argument, Node):
                return argument.operate(row, arguments)  # type: ignore[return-value]  # it is of that tracer's type
        parent_nodes = [
            x if isinstance(x, Node) else Node(float(x), operator=CONSTANT)  # type: ignore[arg-type]  # or TypeError
            for x in arguments
        ]
        needed = [parent.operator != CONSTANT for parent in parent_nodes]
        value, grad_wrt_parents = linearize([float(parent.value) for parent in parent_nodes], needed)
        node = Node(value, parent_nodes, row.name, grad_wrt_parents)
        for parent in parent_nodes:
            parent.child_nodes.append(node)
        return node

    return function


def operators(name: str) -> tuple[Method, Method]:
    """Return the methods for an operator (`x * 2`) and its reflection (`2 * x`), by the name of its row ("mul")."""
    function = wrapping(ROWS[name])
    return (
        lambda self, other: function(self, other) if isinstance(other, (Node, float, int)) else NotImplemented,
        lambda self, other: function(other, self) if isinstance(other, (Node, float, int)) else NotImplemented,
    )


@methods_of_the_table
@with_operators(operators)
class Node(Overloaded):
    """An input, a number or an operation: the six members of the paper (section 4.2), a name, and a place in a text."""

    __slots__ = (
        "child_nodes", "grad_wrt_parents", "name", "operator", "parent_nodes", "partial_derivative", "span", "value",
    )  # fmt: skip

    def __init__(
        self, value: float, parent_nodes: Iterable[Node] = (), operator: str = INPUT,
        grad_wrt_parents: Iterable[float | None] = (), name: str = "", span: Span | None = None,
    ) -> None:  # fmt: skip
        """Make a node with this value; it is not added to the children of its `parent_nodes`.

        `operator` is the name of a row of the table, INPUT or CONSTANT; `grad_wrt_parents` has ∂value/∂parent for each
        parent, None with respect to a number; `name` is empty and `span` None if it has none. Raises RequestError if
        the value of an input is not a number; nothing else is checked.
        """
        if operator == INPUT and not hasattr(value, "__float__"):
            label = f"this is of type {type(value).__name__}"
            raise RequestError("the value of a Node must be a number", label=label, help="write Node(2.0)")
        self.value = value
        self.parent_nodes = list(parent_nodes)  # its arguments
        self.child_nodes: list[Node] = []  # the operations on it, once for each use
        self.operator = operator  # the name of a row of the table, INPUT or CONSTANT
        self.grad_wrt_parents = list(grad_wrt_parents)  # ∂value/∂parent for each parent; None for numbers
        self.partial_derivative = 0.0  # the result of the latest sweep
        self.name = name  # empty if it has none
        self.span = span  # its place in a text, if it is from one

    @override
    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        """Return the Node of `row` on these arguments; NotImplemented if one is neither a Node nor a number."""
        is_numeric = all(isinstance(argument, (Node, float, int)) for argument in arguments)
        return wrapping(row)(*arguments) if is_numeric else NotImplemented

    def backward(self) -> None:
        """Set `partial_derivative` of every connected node to the derivative of this one with respect to it."""
        reverse(self)

    @override
    def __repr__(self) -> str:
        label = f"{self.name}: " if self.name else ""
        return f"<Node {label}{self.operator} value={self.value!r} partial_derivative={self.partial_derivative!r}>"


def topological_order_forward(root_node: Node) -> list[Node]:
    """Return `root_node` and all nodes that depend on it, each before its children (listing 2)."""
    return postorder(root_node, lambda node: node.child_nodes)[::-1]


def topological_order_reverse(root_node: Node) -> list[Node]:
    """Return `root_node` and all nodes that it depends on, each before its parents (listing 5)."""
    return postorder(root_node, lambda node: node.parent_nodes)[::-1]


def forward(root_node: Node) -> None:
    """Set `partial_derivative` of every connected node to its derivative with respect to `root_node` (listing 4).

    It is 0 for nodes that do not depend on the root, or only by partials of None. Raises ValueError if a connected node
    has another number of partials than of parents.
    """
    _start_from_zero(root_node)
    root_node.partial_derivative = 1.0
    reached = {root_node}  # others may have partials that are infinite or nan
    for node in topological_order_forward(root_node)[1:]:
        for parent, partial in zip(node.parent_nodes, node.grad_wrt_parents):  # noqa: B905 - of equal length
            if partial is not None and parent in reached:
                node.partial_derivative += partial * parent.partial_derivative
                reached.add(node)


def reverse(root_node: Node) -> None:
    """Set `partial_derivative` of every connected node to the derivative of `root_node` with respect to it (listing 6).

    It is 0 for nodes on which the root does not depend, or only by partials of None. Raises ValueError if a connected
    node has another number of partials than of parents.
    """
    _start_from_zero(root_node)
    root_node.partial_derivative = 1.0
    reached = {root_node}
    for node in filter(reached.__contains__, topological_order_reverse(root_node)):  # parents are reached before
        for parent, partial in zip(node.parent_nodes, node.grad_wrt_parents):  # noqa: B905 - of equal length
            if partial is not None:
                parent.partial_derivative += node.partial_derivative * partial
                reached.add(parent)


def _start_from_zero(root_node: Node) -> None:
    """Set `partial_derivative` to 0 for all nodes that are connected with `root_node`, directly or through other nodes.

    Raises ValueError if a node has another number of partials than of parents; this node and those visited before are 0
    then.
    """
    for node in postorder(root_node, lambda node: node.parent_nodes + node.child_nodes):
        node.partial_derivative = 0.0
        if len(node.parent_nodes) != len(node.grad_wrt_parents):
            raise ValueError(f"{node!r} has {len(node.parent_nodes)} parents and {len(node.grad_wrt_parents)} partials")
