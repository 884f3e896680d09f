"""Rewriting of a formula so that it keeps its digits, tried at a point where it has lost them. Keys are (output, "")
for values and (output, input) for slopes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice

from ...errors import AdcliError, Source
from ...grammar_files import grammar_path
from ...graph.copies import copy_formula, copy_program
from ...graph.graph import Graph
from ...graph.order import Unique, arrange, meaning_key
from ...graph.tape import adjoints, evaluate, faults, linearize
from ...language.program import read_program
from ...notation.formula import TEXT, Leaf, render
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from ...typings import TYPE_CHECKING
from ..digit_loss_screen import Key
from ..faults import Evaluation
from ..trace_model import TRUSTED
from .true_numbers import right_digits

if TYPE_CHECKING:
    from mpmath import mpf

_LARGEST = 120  # slots of a graph that is rewritten
_ROUNDS = 4  # rewritings one after another
_MOST = 400  # candidates that are tried in a round
_LONGEST = 60  # operations and numbers of a formula in a note
_GAIN = 2  # digits that a rewriting has to gain


class _Rewriting(NamedTuple):
    """A pair of graphs of one output, whose inputs are letters that represent any formula: `lost` loses digits, `kept`
    is equal and keeps them.
    """

    lost: Graph
    kept: Graph


class _Candidate(NamedTuple):
    """A graph, and the number of right digits of each of its numbers, by key."""

    graph: Graph
    right: Mapping[Key, int]

    def rank(self, keys: Sequence[Key]) -> tuple[int, int, int]:
        """Return a sort key by which better candidates are larger.

        It is (how many of `keys` have ten right digits, the sum of their right digits up to ten each, minus the slots).
        """
        enough = sum(min(self.right[key], TRUSTED) for key in keys)
        return sum(self.right[key] >= TRUSTED for key in keys), enough, -len(self.graph)


def best_rewriting(
    evaluation: Evaluation, at: Mapping[str, float], keys: Sequence[Key], true: Mapping[Key, mpf]
) -> tuple[str, dict[Key, int]] | None:
    """Return (text of a formula with more right digits, {key: right digits} of the `keys` that gain two or more).

    At most four rewritings are made one after another, each the best one, until all of `keys` have ten right digits.
    The text is written out in the inputs; digits are at most 17. `evaluation` has the formula, `at` is its point,
    `true` has the true numbers of all keys that must not get worse. None if no key gains two digits, for more than 120
    slots, and for several outputs.
    """
    graph = evaluation.graph
    if len(graph) > _LARGEST or len(graph.outputs) > 1:
        return None
    best = first = _Candidate(graph, _count_right_digits(graph, at, true))
    seen: set[object] = set()
    for _ in range(_ROUNDS):
        start, best = best, _best_rewriting(best, at, true, keys, seen)
        if best is start or all(best.right[key] >= TRUSTED for key in keys):
            break
    gained = {key: best.right[key] for key in keys if best.right[key] >= first.right[key] + _GAIN}
    return (_text(best.graph), gained) if gained else None


def _best_rewriting(
    start: _Candidate, at: Mapping[str, float], true: Mapping[Key, mpf], keys: Sequence[Key], seen: set[object]
) -> _Candidate:
    """Return the best graph that one rewriting makes of `start`, with its right digits; `start` if none is better.

    Better is (`rank`): more of `keys` with ten right digits, then more right digits of them, up to ten each, then fewer
    slots; of equal ones the first. A rewriting is not taken if a key of `true` (the true numbers by key) has fewer
    right digits than before, down from ten at most. Only the first 401 candidates count, including those that are
    skipped: graphs in `seen` (tried before), and formulas that have more than 60 operations and leaves when they are
    written out. `seen` is extended by the others.
    """
    best = start
    for graph in islice(_all_rewritings(start.graph), _MOST + 1):
        key = meaning_key(graph)
        if key in seen or _length(graph) > _LONGEST:
            continue
        seen.add(key)
        right = _count_right_digits(graph, at, true)
        if any(right[key] < min(start.right[key], TRUSTED) for key in true):
            continue
        best = max(best, _Candidate(graph, right), key=lambda candidate: candidate.rank(keys))
    return best


def _count_right_digits(graph: Graph, at: Mapping[str, float], true: Mapping[Key, mpf]) -> dict[Key, int]:
    """Return how many digits of the doubles of a graph with one output are right, for each key of `true`.

    They are 0 to 17, relative to the true number (`right_digits`): 0 for nan and infinity. All are -1 if an operation
    overflows or has no value. `at` is the point by input name.
    """
    point = {slot: float(at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, FLOAT, point)
    if any(True for _ in faults(graph, values, FLOAT)):
        return dict.fromkeys(true, -1)
    ((name, slot),) = graph.outputs
    bars = adjoints(graph, linearize(graph, FLOAT, values), {slot: 1.0})
    doubles: dict[Key, float] = {(name, ""): values[slot]}
    doubles |= {(name, wrt): bars[s] for s, wrt in graph.inputs.items()}
    return {key: right_digits(float(doubles[key]), x) for key, x in true.items()}


def _length(graph: Graph) -> int:
    """Return how many operations and leaves the formula of the output has when it is written out."""
    sizes: list[int] = []
    for parents in graph.parents:
        sizes.append(1 + sum(sizes[p] for p in parents))
    return sizes[graph.outputs[0][1]]


def _text(graph: Graph) -> str:
    leaves = {slot: Leaf(name) for slot, name in graph.inputs.items()}
    return render(graph, graph.outputs[0][1], TEXT, leaves.get)


# --- matching ---------------------------------------------------------------------------------------------------------


def rewritings() -> list[tuple[str, str]]:
    """Return the rewritings of grammar/rewritings.txt in its order: the formula that loses digits, and the better one.

    A line is `lost = kept`, split at the first " = "; lines that start with # are skipped, others are not empty.
    """
    with open(grammar_path("rewritings.txt"), encoding="utf-8") as stream:
        sides = [line.partition(" = ") for line in stream if not line.startswith("#")]
    return [(lost.strip(), kept.strip()) for lost, _, kept in sides]


@lru_cache(maxsize=1)
def _read_rewritings() -> tuple[_Rewriting, ...]:
    """Return the rewritings in the order of the file, as pairs of graphs.

    A difference a - b is followed by a second pair: b - a, with the negated formula.
    """
    rules = []
    for lost, kept in rewritings():
        rules.append(_Rewriting(_parse_side(lost), _parse_side(kept)))
        top = rules[-1].lost.outputs[0][1]
        if rules[-1].lost.row(top).signs == (1, -1):  # a difference, with the other sign
            reversed_difference = _parse_side(lost)
            reversed_difference.parents[top] = reversed_difference.parents[top][::-1]
            rules.append(_Rewriting(reversed_difference, _parse_side(f"-({kept})")))
    return tuple(rules)


def _parse_side(text: str) -> Graph:
    return read_program(Source(text), _LETTERS).graph


_LETTERS = frozenset("abc")


def _all_rewritings(graph: Graph) -> Iterator[Graph]:
    """Yield every graph that one rewriting of one slot makes, rule by rule, then by slot.

    Equal graphs may occur several times. A graph that cannot be arranged is left out. `graph` is not changed.
    """
    same = Unique(graph, partial(_number, graph)).first
    for rule in _read_rewritings():
        top = rule.lost.outputs[0][1]
        for slot in [slot for slot, row in enumerate(graph.rows) if row is rule.lost.rows[top]]:
            for letters in _match_pattern(rule.lost, top, graph, slot, same, {}):
                new = _replace_slot(graph, slot, rule.kept, letters)
                if new is not None:
                    yield new


def _number(graph: Graph, slot: int) -> float | None:
    """Return the number of a constant slot as a double; None for any other slot."""
    constant = graph.constants.get(slot)
    return None if constant is None else constant.read(FLOAT)


def _match_pattern(
    pattern: Graph, place: int, graph: Graph, slot: int, same: Sequence[int], letters: dict[str, int]
) -> Iterator[dict[str, int]]:
    """Yield {letter: slot} for each match of the pattern below `place` with the formula of `slot`.

    A letter matches every slot; where the letter occurs again, only an equal slot (`same` has the first equal one of
    each). Numbers match equal literals (no computed constants), operations the same row with as many arguments.
    Arguments of commutative operations are tried in both orders, so a match can come twice. `letters` are bound
    already, and part of each result; they are not changed.
    """
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
    parents, parts = graph.parents[slot], pattern.parents[place]
    if len(parents) != len(parts):
        return
    for order in (parents, parents[::-1]) if row.commutes else (parents,):
        matches = [letters]
        for part, parent in zip(parts, order, strict=True):
            matches = [more for some in matches for more in _match_pattern(pattern, part, graph, parent, same, some)]
        yield from matches


def _replace_slot(graph: Graph, slot: int, kept: Graph, letters: Mapping[str, int]) -> Graph | None:
    """Return a new graph with the formula `kept` instead of `slot`, in all rows that use this slot.

    `letters` are the slots for the inputs of `kept`. The new graph is arranged: all inputs first, then literals, then
    operations, without those that are no longer needed. None if it cannot be arranged (AdcliError).
    """
    result = kept.outputs[0][1]

    def formula_instead(new: Graph, place: Sequence[int], s: int) -> int | None:
        if s != slot:
            return None
        leaves = {leaf: place[letters[letter]] for leaf, letter in kept.inputs.items()}
        return copy_formula(new, kept, result, leaves)[result]

    new, _ = copy_program(graph, formula_instead)
    try:
        return arrange(new, "call", extra=graph.inputs.values())
    except AdcliError:
        return None
