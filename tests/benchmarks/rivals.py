"""Other programs on the same work, written here in the style of what they stand for, or imported where installed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from .work import INPUTS, Operation


class _Micrograd:
    """micrograd, method by method; only its order is found without recursion, which ends at depth 1,000."""

    __slots__ = ()
    data: float
    grad: float
    _backward: Callable[[], None]
    _prev: set[Any]
    _op: str

    def __init__(self, data: float, _children: tuple[Any, ...] = (), _op: str = "") -> None:
        self.data = data
        self.grad = 0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other: Any) -> Any:
        kind = type(self)
        other = other if isinstance(other, kind) else kind(other)
        out = kind(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Any) -> Any:
        kind = type(self)
        other = other if isinstance(other, kind) else kind(other)
        out = kind(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def sin(self) -> Any:
        out = type(self)(math.sin(self.data), (self,), "sin")

        def _backward() -> None:
            self.grad += math.cos(self.data) * out.grad

        out._backward = _backward
        return out

    def tanh(self) -> Any:
        t = math.tanh(self.data)
        out = type(self)(t, (self,), "tanh")

        def _backward() -> None:
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def backward(self) -> None:
        """Adjoints of everything below."""
        topo: list[Any] = []
        visited: set[Any] = set()
        stack: list[tuple[Any, bool]] = [(self, False)]
        while stack:
            v, complete = stack.pop()
            if complete:
                topo.append(v)
            elif v not in visited:
                visited.add(v)
                stack.append((v, True))
                stack += [(child, False) for child in v._prev]
        self.grad = 1
        for v in reversed(topo):
            v._backward()


class Value(_Micrograd):
    """micrograd's Value."""


class SlottedValue(_Micrograd):
    """The same with slots."""

    __slots__ = ("_backward", "_op", "_prev", "data", "grad")


def objects(recorded: Sequence[Operation], kind: Callable[[float], Any] = Value) -> list[float]:
    """The gradient by objects with closures."""
    values = [kind(x) for x in INPUTS]
    for name, a, b in recorded:
        values.append(_METHODS[name](values[a], values[b]))
    values[-1].backward()
    return [value.grad for value in values[: len(INPUTS)]]


def slotted(recorded: Sequence[Operation]) -> list[float]:
    """As `objects`, with slots."""
    return objects(recorded, SlottedValue)


_METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "sin": lambda a, _: a.sin(),
    "tanh": lambda a, _: a.tanh(),
}


class Node:
    """A node as the paper has it: values at once, derivatives by one forward pass for each input."""

    def __init__(self, value: float, parent_nodes: Sequence[Node] = (), gradients: Sequence[float] = ()) -> None:
        self.value = value
        self.parent_nodes = list(parent_nodes)
        self.child_nodes: list[Node] = []
        self.grad_wrt_parents = list(gradients)
        self.partial_derivative = 0.0
        for parent in self.parent_nodes:
            parent.child_nodes.append(self)


_RULES: dict[str, Callable[[Node, Node], Node]] = {
    "add": lambda a, b: Node(a.value + b.value, (a, b), (1.0, 1.0)),
    "sub": lambda a, b: Node(a.value - b.value, (a, b), (1.0, -1.0)),
    "mul": lambda a, b: Node(a.value * b.value, (a, b), (b.value, a.value)),
    "sin": lambda a, _: Node(math.sin(a.value), (a,), (math.cos(a.value),)),
    "tanh": lambda a, _: Node(math.tanh(a.value), (a,), (1 - math.tanh(a.value) ** 2,)),
}


def recursive(recorded: Sequence[Operation]) -> list[float]:
    """The gradient in the style of the paper: a recursive search for the order, then one pass for each input."""
    nodes = [Node(x) for x in INPUTS]
    for name, a, b in recorded:
        nodes.append(_RULES[name](nodes[a], nodes[b]))
    found = []
    for root in nodes[: len(INPUTS)]:
        order: list[Node] = []
        visited: set[Node] = set()

        def visit(node: Node, order: list[Node] = order, visited: set[Node] = visited) -> None:
            visited.add(node)
            for child in node.child_nodes:
                if child not in visited:
                    visit(child, order, visited)
            order.append(node)

        visit(root)
        for node in nodes:
            node.partial_derivative = 0.0
        root.partial_derivative = 1.0
        for node in order[::-1][1:]:
            node.partial_derivative = sum(
                slope * parent.partial_derivative
                for parent, slope in zip(node.parent_nodes, node.grad_wrt_parents, strict=True)
            )
        found.append(nodes[-1].partial_derivative)
    return found


def autograd_gradient(recorded: Sequence[Operation]) -> list[float]:
    """The gradient by autograd."""
    import autograd.numpy as numpy
    from autograd import grad

    functions = {**_METHODS, "sin": lambda a, _: numpy.sin(a), "tanh": lambda a, _: numpy.tanh(a)}

    def last(inputs: Any) -> Any:
        values = list(inputs)
        for name, a, b in recorded:
            values.append(functions[name](values[a], values[b]))
        return values[-1]

    return [float(slope) for slope in grad(last)(list(INPUTS))]


def jax_gradient(recorded: Sequence[Operation]) -> list[float]:
    """The gradient by jax, operation by operation: compiling pays for many points, not for one."""
    import jax

    jax.config.update("jax_enable_x64", True)
    functions = {**_METHODS, "sin": lambda a, _: jax.numpy.sin(a), "tanh": lambda a, _: jax.numpy.tanh(a)}

    def last(inputs: Any) -> Any:
        values = list(inputs)
        for name, a, b in recorded:
            values.append(functions[name](values[a], values[b]))
        return values[-1]

    return [float(slope) for slope in jax.grad(last)(list(INPUTS))]


def autograd_at(x: Sequence[float]) -> tuple[float, list[float]]:
    """Value and gradient of log(x1)+x1*x2-sin(x2) by autograd."""
    return _autograd_of_example()(list(x))  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def _autograd_of_example() -> Callable[..., Any]:
    import autograd.numpy as numpy
    from autograd import value_and_grad

    return value_and_grad(lambda x: numpy.log(x[0]) + x[0] * x[1] - numpy.sin(x[1]))  # type: ignore[no-any-return]


def torch_gradient(recorded: Sequence[Operation]) -> list[float]:
    """The gradient by torch, operation by operation."""
    import torch

    inputs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in INPUTS]
    values = list(inputs)
    for name, a, b in recorded:
        values.append(_METHODS[name](values[a], values[b]))
    values[-1].backward()
    return [0.0 if x.grad is None else float(x.grad) for x in inputs]


def sympy_problems(lines: Sequence[str]) -> list[tuple[float, list[float]]]:
    """Value and gradient of one-line problems by sympy: parsed, differentiated, made functions, called."""
    import sympy

    found = []
    for line in lines:
        written, point = line.split("@")
        at = dict(pair.strip().split("=") for pair in point.split(","))
        expression = sympy.sympify(written.replace("^", "**"))
        names = sympy.symbols(list(at))
        function = sympy.lambdify(names, [expression, *(sympy.diff(expression, name) for name in names)], "math")
        value, *slopes = function(*map(float, at.values()))
        found.append((value, slopes))
    return found


def lark_parser(parser: str = "lalr") -> Callable[[str], object]:
    """A parser by Lark whose callbacks build the same graph, for a grammar of sums, products, powers and calls."""
    import lark

    from adcli.graph.graph import Constant, Graph
    from adcli.table.primitive import ROWS

    grammar = r"""
        ?start: sum
        ?sum: product | sum "+" product -> add | sum "-" product -> sub
        ?product: signed | product "*" signed -> mul | product "/" signed -> div
        ?signed: power | "-" signed -> neg
        ?power: atom | atom "^" signed -> pow
        ?atom: NUMBER -> number | NAME "(" sum ")" -> call | NAME -> name | "(" sum ")"
        NUMBER: /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/
        NAME: /[^\W\d]\w*/
    """

    class Build(lark.Transformer[Any, Any]):
        def fresh(self) -> None:
            self.graph = Graph()
            self.inputs: dict[str, int] = {}

        def number(self, parts: list[Any]) -> int:
            return self.graph.constant(Constant(str(parts[0])))

        def name(self, parts: list[Any]) -> int:
            if parts[0] not in self.inputs:
                self.inputs[parts[0]] = self.graph.input(parts[0])
            return self.inputs[parts[0]]

        def call(self, parts: list[Any]) -> int:
            return self.graph.apply(ROWS[parts[0]], (parts[1],))

        def __getattr__(self, name: str) -> Any:
            row = ROWS.get(name)
            if row is None:
                raise AttributeError(name)
            return lambda parts: self.graph.apply(row, tuple(parts))

    build = Build()
    made = lark.Lark(grammar, parser=parser, transformer=build)

    def parse(text: str) -> object:
        build.fresh()
        made.parse(text)
        return build.graph

    return parse
