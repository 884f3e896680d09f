"""Labels of rows in a trace: v1, v2, …, and the user's own names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..graph.graph import Graph

_LETTERS = "vwutsrqpnmzkh"


def intermediate_letter(taken: Iterable[str]) -> str:
    """Return the letter of the intermediates: the first of v, w, u, t, s, … with which no name in `taken` is confused.

    A name is confused if it is the letter followed by digits alone, such as v1. "node" if none of the 13 letters is
    free.
    """
    used = {name[0] for name in taken if name[1:].isdecimal()}
    return next((letter for letter in _LETTERS if letter not in used), "node")


def node_names(graph: Graph) -> list[str]:
    """Return the name of every slot: an input's own, v1, v2, … for operations in slot order, "" for literals.

    The letter is v, or the first of w, u, t, s, … if an input, output or alias has a name such as v1.
    """
    outputs = [name for name, _ in graph.outputs]
    letter = intermediate_letter([*graph.inputs.values(), *graph.aliases.values(), *outputs])
    names = [""] * len(graph)
    for slot, name in graph.inputs.items():
        names[slot] = name
    for number, slot in enumerate(graph.operations(), 1):
        names[slot] = f"{letter}{number}"
    return names


def node_labels(graph: Graph, names: Sequence[str]) -> list[str]:
    """Return the label of each slot: the name that the user gave it, or else its name in `names` ("" for a literal)."""
    labels = list(names)
    for slot, alias in graph.aliases.items():
        if names[slot]:
            labels[slot] = alias
    return labels


def shown_name(name: str, inputs: Mapping[str, int]) -> str:
    """Return the name of an output for people: `name`, with another first letter if an input has this name.

    The letter is the first of f, g, h, F, G and H for which no input has the new name: y1 with inputs y1 and f1 is g1.
    If all six are used, `name` is returned.
    """
    if name not in inputs:
        return name
    candidates = (letter + name[1:] for letter in "fghFGH")
    return next((candidate for candidate in candidates if candidate not in inputs), name)
