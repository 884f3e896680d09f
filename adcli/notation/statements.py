"""Statements: a derived graph as a program in which long parts that are used more than once get names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from ..graph.graph import CONSTANTS, Constant, Graph
from ..graph.order import ancestors
from ..table.primitive import ROWS, Primitive, lookup
from .display_formula import Formula
from .formula import TEXT, named_leaves, render
from .formula_pieces import Piece
from .latex_printer import LATEX, latex_name
from .mathematics import pieces

_LETTERS = "abcdghkmnpqrsuvwz"
_LONG = 5  # operations of a part that is named if it is used twice
_SAVED = 8  # repeated operations that a name saves, for which shorter parts are named too


class Statements:
    """A program of named steps followed by results.

    `results` are (name or None, slot) pairs, None for a result without a name; `taken` are names that no step may have.
    `names` maps the slots of the steps to their new names.
    """

    def __init__(self, graph: Graph, results: Sequence[tuple[str | None, int]], taken: Collection[str] = ()) -> None:
        self.graph = graph
        self.results = results
        self.names = _choose_names(
            graph, [slot for _, slot in results], {*taken, *(name for name, _ in results if name)}
        )

    def text(self) -> str:
        """Return the program in the language: `a = x + 1; a^2`."""
        return "; ".join(f"{name} = {text}" if name else text for name, text in self.parts())

    def latex(self) -> str:
        """Return the program in LaTeX, statements separated by `;`."""
        shown = [(name, LATEX.printed(piece)) for name, piece in self.pieces()]
        return " ;\\; ".join(f"{latex_name(name)} = {text}" if name else text for name, text in shown)

    def parts(self) -> list[tuple[str | None, str]]:
        """Return (name or None, text in the language) for each statement in order; the results come last."""
        leaves = named_leaves(self.graph, self.names)
        statements: list[tuple[str | None, str]] = [
            (name, render(self.graph, slot, TEXT, leaves)) for slot, name in sorted(self.names.items())
        ]
        return statements + [(name, render(self.graph, slot, TEXT, leaves, first=False)) for name, slot in self.results]

    def formulas(self) -> list[tuple[str | None, Formula]]:
        """Return (name or None, Formula) for each statement, as in `parts`."""
        return [(name, Formula(text, self._piece, place)) for place, (name, text) in enumerate(self.parts())]

    def _piece(self, place: int) -> Piece:
        return self.pieces()[place][1]

    def pieces(self) -> list[tuple[str | None, Piece]]:
        """Return (name or None, piece) for each statement, as in `parts`; minus signs are in front of products and
        quotients.

        Factors of 1 that this leaves in front are dropped.
        """
        graph, places = _signs_in_front(self.graph)
        names = {places[slot]: name for slot, name in self.names.items()}
        leaves = named_leaves(graph, names)
        statements: list[tuple[str | None, Piece]] = [
            (name, pieces(graph, slot, leaves)) for slot, name in sorted(names.items())
        ]
        return statements + [(name, pieces(graph, places[slot], leaves, first=False)) for name, slot in self.results]


def _choose_names(graph: Graph, slots: Sequence[int], taken: Collection[str]) -> dict[int, str]:
    """Return slot → new name for the operations that `slots` need, that are used more than once and that are long:
    at least `_LONG` operations, or at least `_SAVED` operations saved by the name.  Operations inside a named part
    are not counted again.  Literals and conditions get no name."""
    needed = ancestors(graph, slots)
    uses = _count_uses(graph, slots, needed)
    fresh = fresh_names({*graph.inputs.values(), *taken})
    names: dict[int, str] = {}
    sizes: list[int] = []
    for s, row in enumerate(graph.rows):
        size = 0 if row is None else 1 + sum(sizes[parent] for parent in graph.parents[s])
        long = size >= _LONG or (uses[s] - 1) * (size - 1) >= _SAVED
        nameable = row is not None and not row.truth and not graph.literal[s]  # a condition has no name in the language
        if needed[s] and uses[s] > 1 and long and nameable:
            names[s] = next(fresh)
            size = 0
        sizes.append(size)
    return names


def _count_uses(graph: Graph, slots: Sequence[int], needed: Sequence[int]) -> list[int]:
    """Return, by slot, the number of its uses as an argument of operations in `needed` (1 for each such slot).

    If there are several `slots`, each of them counts as one more use.
    """
    uses = [slots.count(slot) for slot in range(len(graph))] if len(slots) > 1 else [0] * len(graph)
    for s, parents in enumerate(graph.parents):
        if needed[s]:
            for parent in parents:
                uses[parent] += 1
    return uses


def fresh_names(taken: Collection[str]) -> Iterator[str]:
    """Yield names in turn (a, b, …, a1, b1, …) that are neither in `taken` nor a constant or a function; without
    end."""
    candidates = (f"{letter}{number or ''}" for number in count() for letter in _LETTERS)
    for name in candidates:
        if name not in taken and name not in CONSTANTS and lookup(name) is None:
            yield name


def _signs_in_front(graph: Graph) -> tuple[Graph, list[int]]:
    """Return (graph, places): the same graph with the minus sign of a product or quotient in front of it, and for
    each old slot its new one.  Factors of 1 in front are dropped."""
    new = Graph()
    places: list[int] = []
    negative = bytearray(len(graph))
    for slot, row in enumerate(graph.rows):
        parents = graph.parents[slot]
        if slot in graph.inputs:
            places.append(new.input(graph.inputs[slot]))
        elif row is None:
            constant = graph.constants[slot]
            negative[slot] = constant.text.startswith("-")
            places.append(new.constant(Constant(constant.text.removeprefix("-"), constant.named)))
        elif row.name == "neg":
            negative[slot] = not negative[parents[0]]
            places.append(places[parents[0]])
        else:
            front = row.name in ("mul", "div")
            negative[slot] = front and negative[parents[0]]
            places.append(_with_signs(new, row, [places[p] for p in parents], [negative[p] for p in parents]))
    return new, [new.apply(ROWS["neg"], (place,)) if negative[s] else place for s, place in enumerate(places)]


def _with_signs(graph: Graph, row: Primitive, parents: Sequence[int], negative: Sequence[int]) -> int:
    """Add an operation to the graph whose `negative` parents are negated, and return its slot.

    Of a product or quotient the sign of the first parent is left out, and a first factor of 1 is dropped.
    """
    front = row.name in ("mul", "div")
    signed = [
        graph.apply(ROWS["neg"], (parent,)) if minus and not (front and position == 0) else parent
        for position, (parent, minus) in enumerate(zip(parents, negative, strict=True))
    ]
    is_unit = row.name == "mul" and len(signed) == 2 and _is_one(graph, signed[0])
    return signed[1] if is_unit else graph.apply(row, tuple(signed))


def _is_one(graph: Graph, slot: int) -> bool:
    return slot in graph.constants and graph.constants[slot].text == "1"
