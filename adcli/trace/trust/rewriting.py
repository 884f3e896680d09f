"""The same formula written so that it keeps its digits, tried at the point where it has lost them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import AdcliError, Source
from ...graph.graph import Graph
from ...graph.order import arranged
from ...graph.rules import partials as rules_of
from ...graph.tape import adjoints, evaluate, linearize
from ...language.program import read_program
from ...notation.formula import TEXT, Leaf, render
from ...numbers.algebra import FLOAT
from ...table.primitive import Primitive
from ..faults import Evaluation, faults
from .conditioning import TRUSTED, joined
from .rewritings import REWRITINGS
from .truth import Key, right_digits

if TYPE_CHECKING:
    from .conditioning import Loss

_LARGEST = 120  # slots of a graph that is rewritten
_ROUNDS = 4  # rewritings one after another
_MOST = 400  # candidates that are tried in a round
_LONGEST = 60  # operations and numbers of a formula in a note
_GAIN = 2  # digits that a rewriting has to bring


class _Rule(NamedTuple):
    """A formula and what to write for it: two graphs, with a slot in each, whose inputs are the letters."""

    lost: Graph
    kept: Graph


class Rewritten(NamedTuple):
    """A graph with its outputs' right digits, by number."""

    graph: Graph
    right: Mapping[Key, int]

    def better(self, keys: Sequence[Key]) -> tuple[int, int, int]:
        """What is wished for first: numbers with ten digits, then digits, then short formulas."""
        enough = sum(min(self.right[key], TRUSTED) for key in keys)
        return sum(self.right[key] >= TRUSTED for key in keys), enough, -len(self.graph)


def advice(evaluation: Evaluation, at: Mapping[str, Any], losses: Sequence[Loss], true: Mapping[Key, Any]) -> str:
    """`; 2*sin(x/2)^2/x^2 has 16 digits of y right`, or nothing where no rewriting helps.

    `true` are the true numbers of all that must not get worse.
    """
    graph = evaluation.graph
    if len(graph) > _LARGEST or len(graph.outputs) > 1:
        return ""
    losses = [loss for loss in losses if loss.checked]  # of the others nobody knows which digits would be right
    keys = [loss.key for loss in losses]
    first = Rewritten(graph, _right(graph, at, true))
    best = first
    rules = _rules()
    seen: set[object] = set()
    for _ in range(_ROUNDS):
        found = _best(best, rules, at, true, keys, seen)
        if found is None:
            break
        best = found
        if all(best.right[key] >= TRUSTED for key in keys):
            break
    gained = [loss for loss in losses if best.right[loss.key] >= first.right[loss.key] + _GAIN]
    if not gained:
        return ""
    return f"; {_text(best.graph)} has {joined([f'{best.right[loss.key]} of {loss.name}' for loss in gained[:3]])}"


def _best(
    start: Rewritten,
    rules: Sequence[_Rule],
    at: Mapping[str, Any],
    true: Mapping[Key, Any],
    keys: Sequence[Key],
    seen: set[object],
) -> Rewritten | None:
    """The best graph that one rewriting makes of another; None where none is better."""
    best = start
    for count, graph in enumerate(_rewritten(start.graph, rules)):
        if count > _MOST:
            break
        key = _written_out(graph)
        if key in seen or _length(graph) > _LONGEST:
            continue
        seen.add(key)
        right = _right(graph, at, true)
        if any(right[key] < min(start.right[key], TRUSTED) for key in true):
            continue
        found = Rewritten(graph, right)
        if found.better(keys) > best.better(keys):
            best = found
    return None if best is start else best


def _right(graph: Graph, at: Mapping[str, Any], true: Mapping[Key, Any]) -> dict[Key, int]:
    """How many digits of the doubles of a graph are right; none of one that has no value there."""
    point = {slot: float(at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, FLOAT, point)
    nothing = dict.fromkeys(true, -1)
    for _ in faults(Evaluation(graph, values, (), (), None)):  # type: ignore[arg-type]
        return nothing
    gradients = linearize(graph, FLOAT, values)
    found: dict[Key, int] = {}
    inputs = {name: slot for slot, name in graph.inputs.items()}
    for name, slot in graph.outputs:
        bars = adjoints(graph, gradients, {slot: 1.0})
        for key in true:
            if key[0] == name:
                double = values[slot] if not key[1] else bars[inputs[key[1]]]
                found[key] = right_digits(float(double), true[key])
    return found


def _written_out(graph: Graph) -> object:
    """What tells an arranged graph from another one."""
    leaves = [graph.inputs.get(slot) or _number(graph, slot) for slot in range(len(graph))]
    return tuple(graph.rows), tuple(graph.parents), tuple(leaves), graph.outputs[0][1]


def _length(graph: Graph) -> int:
    """How many slots the formula of the output has when it is written out."""
    sizes: list[int] = []
    for parents in graph.parents:
        sizes.append(1 + sum(sizes[p] for p in parents))
    return sizes[graph.outputs[0][1]]


def _text(graph: Graph) -> str:
    def leaves(slot: int) -> Leaf | None:
        return Leaf(graph.inputs[slot]) if slot in graph.inputs else None

    return render(graph, graph.outputs[0][1], TEXT, leaves)


# --- matching ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    found = []
    for line in REWRITINGS.strip().replace("=\n", "= ").splitlines():
        lost, kept = (part.strip() for part in line.split(" = "))
        rule = _Rule(_read(lost), _read(kept))
        found.append(rule)
        top = rule.lost.outputs[0][1]
        row = rule.lost.rows[top]
        partials = None if row is None else rules_of(row, FLOAT)
        if partials is not None and partials.always == (1, -1):  # a difference, with the other sign
            turned = _read(lost)
            turned.parents[top] = turned.parents[top][::-1]
            found.append(_Rule(turned, _read(f"-({kept})")))
    return tuple(found)


def _read(text: str) -> Graph:
    return read_program(Source(text), _LETTERS).graph


_LETTERS = frozenset("abc")


def _rewritten(graph: Graph, rules: Sequence[_Rule]) -> Iterator[Graph]:
    """Every graph that one rewriting of one slot makes."""
    same = _classes(graph)
    for rule in rules:
        top = rule.lost.outputs[0][1]
        row = rule.lost.rows[top]
        for slot in range(len(graph)):
            if graph.rows[slot] is row:
                for letters in _matched(rule.lost, top, graph, slot, same, {}):
                    new = _replaced(graph, slot, rule.kept, letters)
                    if new is not None:
                        yield new


def _classes(graph: Graph) -> list[int]:
    """A number for each slot; the same one where the formulas are the same."""
    numbers: dict[object, int] = {}
    found: list[int] = []
    for slot, row in enumerate(graph.rows):
        if row is not None:
            key: object = (row.name, *(found[p] for p in graph.parents[slot]))
        else:
            key = graph.inputs.get(slot) or ("number", _number(graph, slot))
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _number(graph: Graph, slot: int) -> Any:
    constant = graph.constants.get(slot)
    return None if constant is None else constant.read(FLOAT)


def _matched(
    pattern: Graph, place: int, graph: Graph, slot: int, same: Sequence[int], letters: dict[str, int]
) -> Iterator[dict[str, int]]:
    """What the letters stand for if the formula at `place` of a pattern is the one of a slot; patterns are small."""
    letter = pattern.inputs.get(place)
    if letter is not None:
        if letter not in letters:
            yield {**letters, letter: slot}
        elif same[letters[letter]] == same[slot]:
            yield letters
        return
    row = pattern.rows[place]
    if row is None:
        if graph.rows[slot] is None and _number(graph, slot) == _number(pattern, place):
            yield letters
        return
    if graph.rows[slot] is not row:
        return
    parents, mine = graph.parents[slot], pattern.parents[place]
    if len(parents) != len(mine):
        return
    for order in (parents, parents[::-1]) if _commutes(row) else (parents,):
        found = [letters]
        for part, parent in zip(mine, order, strict=True):
            found = [more for some in found for more in _matched(pattern, part, graph, parent, same, some)]
        yield from found


@lru_cache(maxsize=256)
def _commutes(row: Primitive) -> bool:
    """Whether the order of two arguments seems not to matter; what is made of that is checked at the point."""
    return row.arity == 2 and bool(row.value(FLOAT, 2.0, 3.5) == row.value(FLOAT, 3.5, 2.0))


def _replaced(graph: Graph, slot: int, kept: Graph, letters: Mapping[str, int]) -> Graph | None:
    """The graph with another formula in the place of a slot."""
    new = Graph()
    place: list[int] = []
    for s, row in enumerate(graph.rows):
        if s == slot:
            place.append(_written(new, kept, {letter: place[k] for letter, k in letters.items()}))
        elif row is not None:
            place.append(new.apply(row, tuple(place[p] for p in graph.parents[s])))
        elif s in graph.inputs:
            place.append(new.input(graph.inputs[s]))
        else:
            place.append(new.constant(graph.constants[s]))
    new.outputs = [(name, place[s]) for name, s in graph.outputs]
    try:
        return arranged(new, "call", extra=graph.inputs.values())
    except AdcliError:
        return None


def _written(new: Graph, kept: Graph, letters: Mapping[str, int]) -> int:
    place: list[int] = []
    for slot, row in enumerate(kept.rows):
        if slot in kept.inputs:
            place.append(letters[kept.inputs[slot]])
        elif row is None:
            place.append(new.constant(kept.constants[slot]))
        else:
            place.append(new.apply(row, tuple(place[p] for p in kept.parents[slot])))
    return place[kept.outputs[0][1]]
