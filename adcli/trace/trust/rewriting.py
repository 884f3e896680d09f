"""Rewriting of a formula so that it keeps its digits, tried at a point where it has lost them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from ...errors import AdcliError, Source
from ...graph.copies import copy_formula, copy_program
from ...graph.graph import Graph
from ...graph.order import Unique, arrange
from ...graph.tape import adjoints, evaluate, linearize
from ...language.program import read_program
from ...notation.formula import TEXT, Leaf, render
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from ...table.primitive import Primitive
from ..digit_loss_screen import Key
from ..faults import Evaluation, faults
from ..model import TRUSTED
from .true_numbers import right_digits

if TYPE_CHECKING:
    from mpmath import mpf

_LARGEST = 120  # slots of a graph that is rewritten
_ROUNDS = 4  # rewritings one after another
_MOST = 400  # candidates that are tried in a round
_LONGEST = 60  # operations and numbers of a formula in a note
_GAIN = 2  # digits that a rewriting has to gain


class _Rewriting(NamedTuple):
    """A formula that loses digits and one that keeps them: two graphs of one output, whose inputs are the letters."""

    lost: Graph
    kept: Graph


class _Candidate(NamedTuple):
    """A graph with its outputs' right digits, by number."""

    graph: Graph
    right: Mapping[Key, int]

    def better(self, keys: Sequence[Key]) -> tuple[int, int, int]:
        """Return a sort key, larger is better: count of numbers with ten right digits, right digits, short formulas."""
        enough = sum(min(self.right[key], TRUSTED) for key in keys)
        return sum(self.right[key] >= TRUSTED for key in keys), enough, -len(self.graph)


def best_rewriting(
    evaluation: Evaluation, at: Mapping[str, float], keys: Sequence[Key], true: Mapping[Key, mpf]
) -> tuple[str, dict[Key, int]] | None:
    """Return (the text of a formula with more right digits of some of `keys`, the right digits of those that gain).

    Up to four rewritings one after another, each the best one. `at` is the point; `true` has the true numbers of all
    keys that must not get worse. None if no rewriting gains two digits of a key, for more than 120 slots, and for
    several outputs.
    """
    graph = evaluation.graph
    if len(graph) > _LARGEST or len(graph.outputs) > 1:
        return None
    best = first = _Candidate(graph, _right(graph, at, true))
    seen: set[object] = set()
    for _ in range(_ROUNDS):
        start, best = best, _best(best, at, true, keys, seen)
        if best is start or all(best.right[key] >= TRUSTED for key in keys):
            break
    gained = {key: best.right[key] for key in keys if best.right[key] >= first.right[key] + _GAIN}
    return (_text(best.graph), gained) if gained else None


def _best(
    start: _Candidate, at: Mapping[str, float], true: Mapping[Key, mpf], keys: Sequence[Key], seen: set[object]
) -> _Candidate:
    """Return the best graph that one rewriting makes of `start`; `start` itself if none is better.

    `true` has the true numbers by (output, input or ""); a rewriting that loses digits of one of them below ten is not
    taken. `keys` are those whose digits count. Only the first 401 candidates are looked at, and only formulas of at
    most 60 operations and leaves. `seen` has the graphs that were tried before; they are skipped, and it is extended.
    """
    best = start
    for graph in islice(_all_rewritings(start.graph), _MOST + 1):
        key = _graph_key(graph)
        if key in seen or _length(graph) > _LONGEST:
            continue
        seen.add(key)
        right = _right(graph, at, true)
        if any(right[key] < min(start.right[key], TRUSTED) for key in true):
            continue
        best = max(best, _Candidate(graph, right), key=lambda candidate: candidate.better(keys))
    return best


def _right(graph: Graph, at: Mapping[str, float], true: Mapping[Key, mpf]) -> dict[Key, int]:
    """Return how many digits of the doubles of a graph are right, for each key of `true`; all -1 if an operation is
    faulty.

    The graph has one output; `at` is the point by input name. Faulty: without a value, or an overflow.
    """
    point = {slot: float(at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, FLOAT, point)
    if any(True for _ in faults(Evaluation(graph, values, (), ()))):
        return dict.fromkeys(true, -1)
    ((name, slot),) = graph.outputs
    bars = adjoints(graph, linearize(graph, FLOAT, values), {slot: 1.0})
    doubles: dict[Key, float] = {(name, ""): values[slot]}
    doubles |= {(name, wrt): bars[s] for s, wrt in graph.inputs.items()}
    return {key: right_digits(float(doubles[key]), x) for key, x in true.items()}


def _graph_key(graph: Graph) -> object:
    """Return a hashable description that equal arranged graphs share."""
    leaves = [graph.inputs.get(slot) or _number(graph, slot) for slot in range(len(graph))]
    return tuple(graph.rows), tuple(graph.parents), tuple(leaves), graph.outputs[0][1]


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


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rewriting, ...]:
    """Return the rewritings of `REWRITINGS` in its order, as pairs of graphs, what is lost and what is kept.

    A difference a - b is followed by a second one, b - a with the negated formula.
    """
    rules = []
    for line in REWRITINGS.strip().replace("=\n", "= ").splitlines():
        lost, kept = (part.strip() for part in line.split(" = "))
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
    """Yield every graph that one rewriting of one slot makes, rule by rule, then by slot; equal ones may occur several
    times.

    A graph that cannot be arranged is left out. `graph` is not changed.
    """
    same = Unique(graph, partial(_number, graph)).first
    for rule in _rules():
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
    """Yield the slots of the letters, by letter, for each match of the pattern below `place` with the formula of
    `slot`.

    A letter matches any slot, and where it occurs again only one that is equal (`same` maps slots to the first equal
    one); numbers match equal numbers, operations the same row. `letters` are bound already and are part of each result.
    Arguments of commutative operations are tried in both orders.
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
    for order in (parents, parents[::-1]) if _commutes(row) else (parents,):
        matches = [letters]
        for part, parent in zip(parts, order, strict=True):
            matches = [more for some in matches for more in _match_pattern(pattern, part, graph, parent, same, some)]
        yield from matches


@lru_cache(maxsize=256)
def _commutes(row: Primitive) -> bool:
    """Return whether two arguments of the function seem to commute; results are checked at the point anyway."""
    return row.arity == 2 and bool(row.value(FLOAT, 2.0, 3.5) == row.value(FLOAT, 3.5, 2.0))


def _replace_slot(graph: Graph, slot: int, kept: Graph, letters: Mapping[str, int]) -> Graph | None:
    """Return a new graph with the formula `kept` instead of a slot, arranged, with all inputs; None if it cannot be
    arranged.

    `letters` are the slots for the inputs of `kept`.
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


# --- the formulas ---

# Formulas that lose digits and the same ones written so that they keep them, where each is the better one.  The letters
# match any formula, in both orders of a sum or a product; a difference matches with both signs.  None of them is
# suggested unless it was checked at the point in question.  Sources: Hamming, Numerical Methods for Scientists
# and Engineers, chapter 3; Higham, Accuracy and Stability of Numerical Algorithms, chapter 1; Kahan, Branch Cuts for
# Complex Elementary Functions; Goldberg, What Every Computer Scientist Should Know.
REWRITINGS = """
    1 - cos(a)                      = 2*sin(a/2)^2
    1 + cos(a)                      = 2*cos(a/2)^2
    1 + cos(a)                      = sin(a)^2/(1 - cos(a))
    1 - sin(a)                      = cos(a)^2/(1 + sin(a))
    1 + sin(a)                      = cos(a)^2/(1 - sin(a))
    (1 - cos(a))/sin(a)             = tan(a/2)
    sin(a)/(1 + cos(a))             = tan(a/2)
    1/cos(a) - 1                    = 2*sin(a/2)^2/cos(a)
    1/cos(a) - tan(a)               = cos(a)/(1 + sin(a))
    sec(a) - tan(a)                 = cos(a)/(1 + sin(a))
    sec(a) - 1                      = 2*sin(a/2)^2/cos(a)
    cos(a)^2 - sin(a)^2             = cos(2*a)
    sin(a)^2 + cos(a)^2             = 1
    2*sin(a) - sin(2*a)             = 4*sin(a)*sin(a/2)^2
    tan(a) - sin(a)                 = 2*tan(a)*sin(a/2)^2
    sin(a) - sin(b)                 = 2*cos((a + b)/2)*sin((a - b)/2)
    cos(a) - cos(b)                 = -2*sin((a + b)/2)*sin((a - b)/2)
    tan(a) - tan(b)                 = sin(a - b)/(cos(a)*cos(b))
    sin(a + b) - sin(a)             = 2*cos(a + b/2)*sin(b/2)
    cos(a + b) - cos(a)             = -2*sin(a + b/2)*sin(b/2)
    tan(a + b) - tan(a)             = sin(b)/(cos(a + b)*cos(a))
    sin(a + b) - sin(a - b)         = 2*cos(a)*sin(b)
    cos(a + b) - 2*cos(a) + cos(a - b) = -4*cos(a)*sin(b/2)^2
    -a/tan(b) + a/sin(b)            = a*tan(b/2)
    cos(acos(a))                    = a
    sin(pi*a)                       = sin(pi*(a - round(a)))*cos(pi*round(a))
    cos(pi*a)                       = cos(pi*(a - round(a)))*cos(pi*round(a))
    cos(pi*a)                       = sin(pi*(0.5 - a))
    atan(a) - atan(b)               = atan((a - b)/(1 + a*b))
    atan(a + b) - atan(a)           = atan(b/(1 + a*(a + b)))
    asin(a) - asin(b)               = asin((a - b)*(a + b)/(a*sqrt(1 - b^2) + b*sqrt(1 - a^2)))
    acos(1 - a)                     = 2*asin(sqrt(a/2))
    asin(sqrt(a))                   = atan2(sqrt(a), sqrt(1 - a))
    acosh(1 + a)                    = 2*asinh(sqrt(a/2))
    exp(a) - 1                      = expm1(a)
    exp(a) - exp(b)                 = exp(b)*expm1(a - b)
    exp(a + b) - exp(a)             = exp(a)*expm1(b)
    exp(a + b) - exp(a - b)         = 2*exp(a)*sinh(b)
    exp(a) - exp(-a)                = 2*sinh(a)
    exp(a) - 2 + exp(-a)            = 4*sinh(a/2)^2
    exp(a) + exp(-a) - 2            = 4*sinh(a/2)^2
    exp(a)/(exp(a) - 1)             = -1/expm1(-a)
    2^a - 1                         = expm1(a*log(2))
    a^b - 1                         = expm1(b*log(a))
    a^b - 1                         = expm1(b*log1p(a - 1))
    a^c - b^c                       = b^c*expm1(c*log(a/b))
    a^c - b^c                       = b^c*expm1(c*log1p((a - b)/b))
    (1 + a)^b - 1                   = expm1(b*log1p(a))
    (1 - a)^b - 1                   = expm1(b*log1p(-a))
    (1 + a)^(-b) - 1                = expm1(-b*log1p(a))
    (1 + a)^b                       = exp(b*log1p(a))
    (1 - a)^b                       = exp(b*log1p(-a))
    cosh(a) - 1                     = 2*sinh(a/2)^2
    cosh(a) - cos(a)                = 2*sinh(a/2)^2 + 2*sin(a/2)^2
    cosh(a) - sinh(a)               = exp(-a)
    cosh(a)^2 - sinh(a)^2           = 1
    sinh(a) - sinh(b)               = 2*cosh((a + b)/2)*sinh((a - b)/2)
    cosh(a) - cosh(b)               = 2*sinh((a + b)/2)*sinh((a - b)/2)
    1 - tanh(a)                     = 2/(exp(2*a) + 1)
    1 - 1/(1 + exp(-a))             = 1/(1 + exp(a))
    1/(1 + exp(a)) - 1/2            = -tanh(a/2)/2
    exp(a)/(1 + exp(a))             = 1/(1 + exp(-a))
    exp(a)/(1 + exp(a))             = sigmoid(a)
    exp(a)/(exp(a) + exp(b)) - 1/2  = tanh((a - b)/2)/2
    log(1 + a)                      = log1p(a)
    log(1 - a)                      = log1p(-a)
    log(a)                          = log1p(a - 1)
    log(a/b)                        = log1p((a - b)/b)
    log(a) - log(b)                 = log1p((a - b)/b)
    log(a + b) - log(a)             = log1p(b/a)
    log((1 + a)/(1 - a))            = 2*atanh(a)
    log((1 - a)/(1 + a))            = -2*atanh(a)
    log(1 + a) - log(1 - a)         = 2*atanh(a)
    log(1 - exp(a))                 = log(-expm1(a))
    log(1 - exp(a))                 = log1p(-exp(a))
    log(exp(a) - 1)                 = log(expm1(a))
    log(1 + exp(a))                 = softplus(a)
    log(1 + exp(a)) - a             = log1p(exp(-a))
    log(exp(a) + exp(-a)) - a       = log1p(exp(-2*a))
    log(exp(a) + exp(b))            = max(a, b) + log1p(exp(-abs(a - b)))
    log(exp(a) + exp(b)) - a        = softplus(b - a)
    log(1/(1 + exp(-a)))            = -softplus(-a)
    log(1 - 1/(1 + exp(-a)))        = -softplus(a)
    log(cosh(a))                    = log1p(2*sinh(a/2)^2)
    log(cosh(a))                    = abs(a) + softplus(-2*abs(a)) - log(2)
    log(sinh(a))                    = a + log1p(-exp(-2*a)) - log(2)
    log(cos(a))                     = log1p(-2*sin(a/2)^2)
    log(1 - a^2)                    = log1p(-a) + log1p(a)
    log(a + sqrt(a^2 + 1))          = asinh(a)
    log(a + sqrt(a^2 - 1))          = acosh(a)
    log(a^2) - 2*log(a)             = 0
    (a + 1)*log(a + 1) - a*log(a) - 1 = a*log1p(1/a) - 1 + log(a + 1)
    1 - erf(a)                      = erfc(a)
    1 - erfc(a)                     = erf(a)
    sqrt(a) - sqrt(b)               = (a - b)/(sqrt(a) + sqrt(b))
    sqrt(a + b) - sqrt(a)           = b/(sqrt(a + b) + sqrt(a))
    sqrt(1 + a) - sqrt(1 - a)       = 2*a/(sqrt(1 + a) + sqrt(1 - a))
    sqrt(1 + a) - 1                 = a/(sqrt(1 + a) + 1)
    sqrt(1 - a) - 1                 = -a/(sqrt(1 - a) + 1)
    sqrt(a^2 + b) - a               = b/(sqrt(a^2 + b) + a)
    sqrt(a^2 - b) - a               = -b/(sqrt(a^2 - b) + a)
    sqrt(a*a + b) - a               = b/(sqrt(a*a + b) + a)
    sqrt(a) - b                     = (a - b^2)/(sqrt(a) + b)
    -a + sqrt(a^2 + b)              = b/(sqrt(a^2 + b) + a)
    -a + sqrt(a*a + b)              = b/(sqrt(a*a + b) + a)
    -a + sqrt(a^2 - b)              = -b/(sqrt(a^2 - b) + a)
    -a - sqrt(a^2 - b)              = b/(sqrt(a^2 - b) - a)
    a + sqrt(a^2 + b)               = b/(sqrt(a^2 + b) - a)
    a + sqrt(a^2 - b)               = -b/(sqrt(a^2 - b) - a)
    1/sqrt(a) - 1/sqrt(a + b)       = b/(sqrt(a)*sqrt(a + b)*(sqrt(a) + sqrt(a + b)))
    1/sqrt(1 - a) - 1               = a/(sqrt(1 - a)*(1 + sqrt(1 - a)))
    sqrt((1 + a)/(1 - a)) - 1       = 2*a/((1 - a)*(sqrt((1 + a)/(1 - a)) + 1))
    2*sqrt(a) - sqrt(a + 1) - sqrt(a - 1) =
        2/((sqrt(a + 1) + sqrt(a - 1))*(sqrt(a) + sqrt(a + 1))*(sqrt(a) + sqrt(a - 1)))
    sqrt(a*sqrt(b))                 = sqrt(a)*sqrt(sqrt(b))
    sqrt(1 - a^2)                   = sqrt((1 - a)*(1 + a))
    sqrt(a)*sqrt(a)                 = a
    sqrt((exp(2*a) - 1)/(exp(a) - 1)) = sqrt(exp(a) + 1)
    cbrt(a + b) - cbrt(a)           = b/(cbrt(a + b)^2 + cbrt(a + b)*cbrt(a) + cbrt(a)^2)
    cbrt(a) - cbrt(b)               = (a - b)/(cbrt(a)^2 + cbrt(a)*cbrt(b) + cbrt(b)^2)
    (a + b)^c - a^c                 = a^c*expm1(c*log1p(b/a))
    hypot(a, b) - a                 = b^2/(hypot(a, b) + a)
    1 - a^2                         = (1 - a)*(1 + a)
    a^2 - b^2                       = (a - b)*(a + b)
    a*a - b*b                       = (a - b)*(a + b)
    a^3 - b^3                       = (a - b)*(a^2 + a*b + b^2)
    a^4 - b^4                       = (a - b)*(a + b)*(a^2 + b^2)
    (a^2 - b^2)/(a - b)             = a + b
    (a^3 - b^3)/(a - b)             = a^2 + a*b + b^2
    (a + b)^2 - a^2                 = b*(2*a + b)
    (a + b)^3 - a^3                 = b*(3*a^2 + 3*a*b + b^2)
    (a^2 + b^2)/2 - ((a + b)/2)^2   = ((a - b)/2)^2
    a^2 - 2*a*b + b^2               = (a - b)^2
    a^2 - 2*a + 1                   = (a - 1)^2
    1 - 2*a + a^2                   = (a - 1)^2
    a^3 - 3*a^2 + 3*a - 1           = (a - 1)^3
    1 - 3*a + 3*a^2 - a^3           = (1 - a)^3
    a^4 - 4*a^3 + 6*a^2 - 4*a + 1   = (a - 1)^4
    (-b + sqrt(b^2 - 4*a*c))/(2*a)  = 2*c/(-b - sqrt(b^2 - 4*a*c))
    (-b - sqrt(b^2 - 4*a*c))/(2*a)  = 2*c/(-b + sqrt(b^2 - 4*a*c))
    2*c/(-b - sqrt(b^2 - 4*a*c))    = (-b + sqrt(b^2 - 4*a*c))/(2*a)
    (b - sqrt(b^2 - c))/a           = c/(a*(b + sqrt(b^2 - c)))
    1/a - 1/b                       = (b - a)/(a*b)
    1/(a + b) - 1/a                 = -b/(a*(a + b))
    1/(a + 1) - 2/a + 1/(a - 1)     = 2/(a*(a - 1)*(a + 1))
    a/(1 + a) - 1                   = -1/(1 + a)
    a/(a - 1) - a/(a + 1)           = 2*a/((a - 1)*(a + 1))
    a^2/(a + 1) - a                 = -a/(a + 1)
    (a + 1)/(a - 1) - 1             = 2/(a - 1)
    a/b - 1                         = (a - b)/b
    a/b - a/c                       = a*(c - b)/(b*c)
    a - a*cos(b)                    = 2*a*sin(b/2)^2
    (a + b) - a                     = b
    (a - b) + b                     = a
    (a + b) + c                     = a + (b + c)
    (a + b) - c                     = (a - c) + b
    (a - b) + c                     = (a + c) - b
    (a - b) - c                     = a - (b + c)
    a - (b - c)                     = (a - b) + c
    a + (b - c)                     = (a - c) + b
    (a + b) - (a - b)               = 2*b
    a*b - a*c                       = a*(b - c)
    a - a*b                         = a*(1 - b)
    a*(b + c) - a*b                 = a*c
    (a + b)/c - b/c                 = a/c
    (a + b)/a                       = 1 + b/a
"""
