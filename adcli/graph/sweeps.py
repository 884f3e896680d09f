"""The paper's two sweeps over Nodes, and its wrapping functions.

These are the lesson: short, in the paper's words, and right where its listings are not (one node as both parents, a
second sweep, several outputs, graphs deeper than the interpreter's stack).  The engine is in `tape`.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ArityProblem
from ..numbers.algebra import FLOAT
from ..table.primitive import Primitive
from .graph import CONSTANT, Node
from .order import postorder, topological_order_forward, topological_order_reverse
from .overloading import Overloaded
from .tape import partials_at, value_at


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
    wrapper.__doc__ = f"A new Node for {row.summary or row.name}."
    return wrapper
