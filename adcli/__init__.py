"""Automatic differentiation step by step: expressions, traces, and the paper's own interface.

    import adcli
    e = adcli.parse("log(x1)+x1*x2-sin(x2)")
    e.value_and_gradient({"x1": 2, "x2": 5})

    from adcli import Node, add, log, mul, reverse, sin, sub
    x1, x2 = Node(2), Node(5)
    y = sub(add(log(x1), mul(x1, x2)), sin(x2))
    reverse(y)
    x1.partial_derivative          # 5.5

Every function of the table (`adcli functions`) can be imported by its name and takes Nodes or numbers.  Functions of
Python are differentiated by `adcli.python`, and shown as tables by `adcli.trace(f, {"x": 2.0})`.
"""

from __future__ import annotations

__version__ = "0.1.0"
TYPE_CHECKING = False  # the one of `typing` would cost time

if TYPE_CHECKING:
    from typing import Any

    from .errors import AdcliError
    from .expression import Expression, from_sympy, parse
    from .graph.graph import Graph
    from .graph.node import Node, forward, reverse, topological_order_forward, topological_order_reverse
    from .table.user_rows import declare

# Where the names of the interface are; `%load_ext adcli` calls the one of `cli.magic`.
_FILES = {
    "errors": ("AdcliError",), "table.user_rows": ("declare",), "expression": ("Expression", "from_sympy", "parse"),
    "graph.graph": ("Graph",), "cli.magic": ("load_ipython_extension",),
    "graph.node": ("Node", "forward", "reverse", "topological_order_forward", "topological_order_reverse"),
}  # fmt: skip
_HOMES = {name: file for file, names in _FILES.items() for name in names}

__all__ = [
    "AdcliError", "Expression", "Graph", "Node", "declare", "forward", "from_sympy", "parse", "reverse",
    "topological_order_forward", "topological_order_reverse",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return the object of the public interface called `name`, or the function of the table that makes a Node.

    The object is kept as an attribute of the module; all names of one function give the same object. `trace` is the
    package, which can be called. Raises AttributeError for an unknown name, also for each other one that begins with _.
    """
    from importlib import import_module

    if name == "trace":  # a room that can be called
        return import_module(".trace", __name__)
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        if name.startswith("_"):
            raise AttributeError(name)
        from .graph.node import wrapping
        from .table.functions import lookup

        row = lookup(name)
        if row is None:
            raise AttributeError(f"module 'adcli' has no attribute {name!r}")
        if row.name == name:
            value = wrapping(row)
            value.__name__ = value.__qualname__ = name
            value.__module__ = __name__  # pickle finds it here by its name
            value.__doc__ = f"A new Node for {row.summary or name}."
        else:  # one function for all its names
            value = globals().get(row.name) or __getattr__(row.name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names of the interface, sorted: those above, `trace`, and the functions of the table."""
    from keyword import iskeyword

    from .table.functions import spellings

    return sorted({*__all__, "__version__", "trace", *(name for name in spellings() if not iskeyword(name))})
