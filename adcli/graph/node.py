"""The paper's Node, its two sweeps and its wrapping functions.

These are the lesson: short, in the paper's words, and right where its listings are not (one node as both parents, a
second sweep, several outputs, graphs deeper than the interpreter's stack).  The engine is in `tape`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import ArityProblem, Span
from ..numbers.doubles import FLOAT
from ..table.primitive import Primitive
from .graph import CONSTANT, INPUT, Graph
from .order import postorder
from .overloading import Overloaded
from .rules import partials_at, value_at


class Node(Overloaded):
    """One operation of the graph, with the paper's six members, a name and the place where it was written.

    Nodes are told apart by what they are, not by their numbers: `==` asks whether two are the same node.

    Source: Fang et al., "A Step-by-step Introduction to the Implementation of Automatic Differentiation", section 3.2.
    """

    __slots__ = (
        "child_nodes", "grad_wrt_parents", "name", "operator", "parent_nodes", "partial_derivative", "span", "value",
    )  # fmt: skip

    def __init__(
        self,
        value: float,
        parent_nodes: Sequence[Node] = (),
        operator: str = INPUT,
        grad_wrt_parents: Sequence[float | None] = (),
        name: str = "",
        span: Span | None = None,
    ) -> None:
        self.value = value
        self.parent_nodes: list[Node] = list(parent_nodes)
        self.child_nodes: list[Node] = []
        self.operator = operator
        self.grad_wrt_parents: list[float | None] = list(grad_wrt_parents)
        self.partial_derivative: float = 0.0
        self.name = name
        self.span = span

    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        """A new Node for a function of the table, as its wrapping function gives it."""
        if not all(isinstance(a, (Node, int, float)) for a in arguments):
            return NotImplemented
        return wrapping(row)(*arguments)

    def backward(self) -> None:
        """Afterwards `partial_derivative` of every node is the derivative of this one with respect to it."""
        reverse(self)

    def __repr__(self) -> str:
        label = f"{self.name}: " if self.name else ""
        return f"<Node {label}{self.operator} value={self.value!r} partial_derivative={self.partial_derivative!r}>"


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
    _clear(root_node)
    root_node.partial_derivative = 1.0
    for node in topological_order_forward(root_node)[1:]:
        for parent, gradient in zip(node.parent_nodes, node.grad_wrt_parents, strict=True):
            if gradient is not None:
                node.partial_derivative += gradient * parent.partial_derivative


def reverse(root_node: Node) -> None:
    """Afterwards `partial_derivative` of every node is the derivative of `root_node` with respect to it.

    Each node hands its adjoint to its parents by position, so that `x - x` has two different edges (paper, section 5.2,
    whose listing pulls from the children and finds the first edge twice).
    """
    _clear(root_node)
    root_node.partial_derivative = 1.0
    for node in topological_order_reverse(root_node):
        for parent, gradient in zip(node.parent_nodes, node.grad_wrt_parents, strict=True):
            if gradient is not None:
                parent.partial_derivative += node.partial_derivative * gradient


def _clear(root_node: Node) -> None:
    """Every node connected to this one starts from zero, so that a sweep never sees an earlier one."""
    for node in postorder(root_node, lambda node: [*node.parent_nodes, *node.child_nodes]):
        node.partial_derivative = 0.0


def wrapping(row: Primitive) -> Callable[..., Node]:
    """The paper's wrapping function for a row of the table: computes the value and records the operation."""

    def wrapper(*arguments: Node | float) -> Node:
        for a in arguments:
            if isinstance(a, Overloaded) and not isinstance(a, Node):
                return a.operate(row, arguments)
        if not row.accepts(len(arguments)):
            raise ArityProblem(
                f"{row.name} takes {row.arity or f'{row.least} or more'} arguments, got {len(arguments)}"
            )
        parents = [a if isinstance(a, Node) else Node(float(a), operator=CONSTANT) for a in arguments]
        numbers = tuple(float(parent.value) for parent in parents)
        value = value_at(row, numbers)
        wanted = tuple(parent.operator != CONSTANT for parent in parents)
        gradients = partials_at(row, FLOAT, value, numbers, wanted)
        node = Node(value, parents, row.name, [None if g is None else float(g) for g in gradients])
        for parent in parents:
            parent.child_nodes.append(node)
        return node

    wrapper.__name__ = wrapper.__qualname__ = row.name
    wrapper.__module__ = __name__.partition(".")[0]  # where it is found by this name, which is how it travels
    wrapper.__doc__ = f"A new Node for {row.summary or row.name}."
    return wrapper


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
