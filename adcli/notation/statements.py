"""Statements: a derived graph as a program in which long parts that are used more than once get names. A step is a part
with a name, a result an output; an alias is the name that the user gave a slot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from math import inf

from ..graph.copies import copy_formula
from ..graph.graph import CONSTANTS, Constant, Graph
from ..graph.order import ancestors, count_uses, share_subexpressions
from ..table.primitive import ROWS, Primitive, lookup
from .display_formula import Formula
from .formula import TEXT, leaves_with_names, render
from .formula_pieces import Piece
from .latex_printer import LATEX, latex_name
from .mathematics import pieces

_LETTERS = "abcdghkmnpqrsuvwz"
_LONG = 5  # operations of a part that is named if it is used twice
_SHORT = 3  # the same of a part that has a name in the program; one less if it is used three times
_SAVED = 8  # repeated operations that a name saves, for which shorter parts are named too
_SAVED_ON_A_PAGE = 30  # the same for parts that are repeated by several formulas only


class Statements:
    """A program of named steps followed by results.

    `results` are (name or None, slot) pairs, None for a result without a name; `taken` are names that no step may have.
    `names` maps the slots of the steps to their names; those that are not given are chosen.
    """

    def __init__(
        self,
        graph: Graph,
        results: Sequence[tuple[str | None, int]],
        taken: Collection[str] = (),
        names: Mapping[int, str] | None = None,
    ) -> None:
        """Set the `graph`, the (name or None, slot) of each of the `results`, and the names of the steps.

        `names` maps slots to the names of steps; None: they are chosen for long parts that are used more than once, and
        neither names in `taken` nor those of results are used for new ones.
        """
        self.graph = graph
        self.results = results
        slots, taken = [slot for _, slot in results], {*taken, *(name for name, _ in results if name)}
        self.names = _choose_names(graph, slots, taken) if names is None else names

    def text(self) -> str:
        """Return the program in the language: `a = x + 1; a^2`."""
        return "; ".join(f"{name} = {text}" if name else text for name, text in self.parts())

    def latex(self) -> str:
        """Return the program in LaTeX, statements separated by `;`."""
        shown = [(name, LATEX.printed(piece)) for name, piece in self.pieces]
        return " ;\\; ".join(f"{latex_name(name)} = {text}" if name else text for name, text in shown)

    def parts(self) -> list[tuple[str | None, str]]:
        """Return (name or None, text in the language) for each statement in order; the results come last."""
        leaves = leaves_with_names(self.graph, self.names)
        named = [(name, render(self.graph, slot, TEXT, leaves)) for slot, name in sorted(self.names.items())]
        return [*named, *((name, render(self.graph, slot, TEXT, leaves, first=False)) for name, slot in self.results)]

    def formulas(self) -> list[tuple[str | None, Formula]]:
        """Return (name, Formula) for each step by slot, then (name or None, Formula) for each result."""
        return [(name, Formula(text, self._piece, place)) for place, (name, text) in enumerate(self.parts())]

    def groups(self) -> list[tuple[list[tuple[str, Formula]], Formula]]:
        """Return (steps, result) for each result, in their order: the steps that only it needs, and its Formula.

        A step is (name, Formula); steps are in the order of slots. Steps that several results need, or none, are all in
        the first pair, whether or not the first result needs them. Raises IndexError if there are steps but no results.
        """
        statements, steps = self.formulas(), sorted(self.names.items())
        needed = [0] * len(self.graph)  # one bit for each result
        for place, (_, slot) in enumerate(self.results):
            needed[slot] |= 1 << place
        for slot in range(len(needed) - 1, -1, -1):
            for parent in self.graph.parents[slot]:
                needed[parent] |= needed[slot]
        groups: list[tuple[list[tuple[str, Formula]], Formula]]
        groups = [([], result) for _, result in statements[len(steps) :]]
        for (slot, name), (_, formula) in zip(steps, statements, strict=False):
            alone = needed[slot].bit_count() == 1
            groups[needed[slot].bit_length() - 1 if alone else 0][0].append((name, formula))
        return groups

    def _piece(self, place: int) -> Piece:
        return self.pieces[place][1]

    @cached_property
    def pieces(self) -> list[tuple[str | None, Piece]]:
        """Return (name, piece) for each step by slot, then (name or None, piece) for each result; minus signs are in
        front of products and quotients.

        In products of two, a first factor that is the literal 1 is dropped. Slots in the pieces' origins are those of
        the graph with moved signs, not of `graph`.
        """
        graph, places = _signs_in_front(self.graph)
        names = {places[slot]: name for slot, name in self.names.items()}
        leaves = leaves_with_names(graph, names)
        steps = sorted(names.items())
        statements: list[tuple[str | None, Piece]] = [(name, pieces(graph, slot, leaves)) for slot, name in steps]
        return statements + [(name, pieces(graph, places[slot], leaves, first=False)) for name, slot in self.results]


def together(parts: Sequence[Statements], program: Graph) -> Statements:
    """Return one program of the results of all `parts`, in which each step is named once.

    Steps are chosen anew (`_choose_names`) among what is used more than once: former steps of the parts if they are
    still long enough, values that `program` names, and what saves at least `_SAVED_ON_A_PAGE` (30) operations. Values
    keep their names in `program`; other steps get new names, and results have none. A single part without steps is
    returned itself, with the names of its results, if `program` has no names (aliases). Without parts there are no
    results.
    """
    if len(parts) < 2 and not program.aliases and not any(part.names for part in parts):
        return parts[0] if parts else Statements(program, [])
    joint, results, steps = _join_graphs(parts, program)
    names = _choose_names(joint, results, joint.inputs.values(), set(steps))
    return Statements(joint, [(None, slot) for slot in results], names=names)


def _join_graphs(parts: Sequence[Statements], program: Graph) -> tuple[Graph, list[int], list[int]]:
    """Return (graph without repeated operations, slots of the results of all `parts`, slots of their steps).

    Inputs of equal names are one. The outputs of the graph are the results, then the steps of each result: a step of
    two results twice, an unused one not at all. If `program` has names, the formulas of its outputs are in the graph,
    too, with these names as aliases, except a name that two slots have, or that is an input.
    """
    joint = Graph()
    graphs = [program, *[part.graph for part in parts]]
    inputs = {name: joint.input(name) for name in dict.fromkeys(chain(*[graph.inputs.values() for graph in graphs]))}
    results, steps = [], []
    for part in parts:
        for _, slot in part.results:
            place = copy_formula(joint, part.graph, slot, {}, inputs.__getitem__)
            results.append(place[slot])
            steps += [place[step] for step in part.names if step in place]
    place = {}
    for _, slot in program.outputs if program.aliases else ():
        place = copy_formula(joint, program, slot, place, inputs.__getitem__)
    once = Counter([*program.aliases.values(), *inputs])
    joint.aliases = {place[slot]: name for slot, name in program.aliases.items() if slot in place and once[name] == 1}
    joint.outputs = [("", slot) for slot in [*results, *steps]]
    joint = share_subexpressions(joint)
    slots = [slot for _, slot in joint.outputs]
    return joint, slots[: len(results)], slots[len(results) :]


def _choose_names(
    graph: Graph, slots: Sequence[int], taken: Collection[str], steps: Collection[int] | None = None
) -> dict[int, str]:
    """Return {slot: name} for the operations that `slots` need, that are used more than once and that are long enough.

    A slot with an alias is used as often as it occurs in the formulas when these are written without names; another
    slot as often as it is an argument, and, if there are several `slots`, a result. Long enough are `_LONG` (5)
    operations, `_SHORT` (3) if the slot has an alias (2 if it is then used three times or more), and parts that save
    `_SAVED` (8) operations when named, that is (uses − 1)·(operations − 1). A slot that is neither in `steps` (None:
    all are) nor has an alias must save `_SAVED_ON_A_PAGE` (30). Operations inside a named part are not counted again.
    Literals and conditions get no name. A name is the alias of the slot, or a new one that is neither in `taken` nor an
    input or alias.
    """
    needed = ancestors(graph, slots)
    uses = count_uses(graph, needed) + Counter(slots if len(slots) > 1 else ())  # several results are uses
    written = _count_written(graph, slots) if graph.aliases else []
    fresh = fresh_names({*graph.inputs.values(), *graph.aliases.values(), *taken})
    names: dict[int, str] = {}
    sizes: list[int] = []
    for s, row in enumerate(graph.rows):
        size = 0 if row is None else 1 + sum(sizes[parent] for parent in graph.parents[s])
        least, saved = (_LONG, _SAVED) if steps is None or s in steps else (inf, _SAVED_ON_A_PAGE)
        repeated = written[s] if s in graph.aliases else uses[s]
        least = _SHORT - (repeated > 2) if s in graph.aliases else least
        long = size >= least or (repeated - 1) * (size - 1) >= saved
        nameable = row is not None and not row.truth and not graph.literal[s]  # a condition has no name in the language
        if needed[s] and repeated > 1 and long and nameable:
            names[s] = graph.aliases.get(s) or next(fresh)
            size = 0
        sizes.append(size)
    return names


def _count_written(graph: Graph, slots: Sequence[int]) -> list[int]:
    """Return for each slot how often it occurs in the formulas of `slots` when these are written out without names.

    Counts beyond 9 are given as 9.
    """
    written = [0] * len(graph)
    for slot in slots:
        written[slot] += 1
    for slot in range(len(graph) - 1, -1, -1):
        for parent in graph.parents[slot]:
            written[parent] = min(9, written[parent] + written[slot])
    return written


def fresh_names(taken: Collection[str]) -> Iterator[str]:
    """Yield names in turn (a, b, …, a1, b1, …) that are neither in `taken` nor a constant or a function; without
    end."""
    candidates = (f"{letter}{number or ''}" for number in count() for letter in _LETTERS)
    for name in candidates:
        if name not in taken and name not in CONSTANTS and lookup(name) is None:
            yield name


def _signs_in_front(graph: Graph) -> tuple[Graph, list[int]]:
    """Return (graph, places): the operations of a graph with minus signs in front of products and quotients; `places`
    has each old slot's new one.

    The new graph has inputs, but no outputs and aliases. The sign of a first factor or numerator, also of a negative
    literal, moves to the front, where two cancel; in other operations and functions, and at later factors and
    denominators, signs stay at their operand. A first factor 1 of two is dropped.
    """
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
    """Add the operation `row` on the slots `parents` to the graph and return its slot; `negative` says which parents to
    negate.

    Of a product or quotient the sign of the first parent is left out; the caller puts it in front. If the first of two
    factors is 1, nothing is added, and the slot of the other one (negated if necessary) is returned.
    """
    front = row.name in ("mul", "div")
    pairs = enumerate(zip(parents, negative, strict=True))
    signed = [graph.apply(ROWS["neg"], (p,)) if minus and not (front and k == 0) else p for k, (p, minus) in pairs]
    first = graph.constants.get(signed[0])
    is_unit = row.name == "mul" and len(signed) == 2 and first is not None and first.text == "1"
    return signed[1] if is_unit else graph.apply(row, tuple(signed))
