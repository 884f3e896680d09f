"""What things are called in a trace: v1, v2, …, the user's own names, dots and bars."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from ..graph.node import Graph

_LETTERS = "vwutsrqpnmzkh"


def intermediate_letter(taken: Iterable[str]) -> str:
    """The letter of the intermediates: v, or another where the user has names such as v1."""
    used = {match.group(1) for name in taken if (match := re.match(r"([A-Za-z])\d+\Z", name))}
    return next((letter for letter in _LETTERS if letter not in used), "node")


def node_names(graph: Graph) -> list[str]:
    """The name of every slot: inputs keep theirs, operations are numbered in the order of the slots."""
    letter = intermediate_letter(
        [*graph.inputs.values(), *graph.aliases.values(), *(name for name, _ in graph.outputs)]
    )
    names = [graph.inputs.get(slot, "") for slot in range(len(graph))]
    for number, slot in enumerate(graph.operations(), 1):
        names[slot] = f"{letter}{number}"
    return names


def node_labels(graph: Graph, names: Sequence[str]) -> list[str]:
    """What people call each slot: the user's own name first; nothing for a literal."""
    return [graph.aliases.get(slot, name) if name else "" for slot, name in enumerate(names)]


def dotted(name: str) -> str:
    """The tangent of a name: ẋ1."""
    return unicodedata.normalize("NFC", name[:1] + "\u0307" + name[1:])


def barred(name: str) -> str:
    """The adjoint of a name: x̄1."""
    return unicodedata.normalize("NFC", name[:1] + "\u0304" + name[1:])


def partial(above: str, below: str) -> str:
    """A partial derivative: ∂v1/∂x1."""
    return f"∂{above}/∂{below}"
