"""Notes on kinks: sentences on outputs at a point where a kink is reached, and corrected second derivatives. A decision
has the outcome of each output there, as exact numbers prove it: smooth, kink, jump, edge of the domain or undecided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from ..graph.graph import Graph
from ..graph.order import ancestors
from ..kinks.decision import Decision, Entries
from ..kinks.one_sided import OutputDecision
from ..typings import TYPE_CHECKING
from .analysis_results import Second
from .faults import Corner, Evaluation, first_few, number_in_sentence
from .labels import shown_name
from .trace_model import Note

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating

_MOST_NAMES = 4


def corner_without_slope(decision: Decision | None, graph: Graph, corners: Sequence[Corner]) -> Corner | None:
    """Return the first of `corners` on which an output depends that is not smooth by `decision`.

    None if there is no such output, or none of `corners` below it. An output without an outcome counts as not smooth.
    Without a `decision` it is the first of all corners, None if there are no corners.
    """
    needed = {name: ancestors(graph, [slot]) for name, slot in graph.outputs}
    rough = [needed[name] for name in needed if decision is None or not decision.is_smooth(name)]
    return next((corner for corner in corners if decision is None or any(marks[corner.slot] for marks in rough)), None)


# --- sentences -------------------------------------------------------------------------------------------------------


def outcome_notes(decision: Decision, evaluation: Evaluation, corners: Sequence[Corner]) -> list[Note]:
    """Return a note of kind "kink" on each output with an outcome (also a smooth one), in the order of outputs.

    An output is left out if the note on its row says the same (`_row_says_it`): its row is the only one in `corners`,
    its arguments are different inputs or literals, and it jumps, has an edge, or has a kink along its inputs. A note
    has the name of the output's row. `decision` and `evaluation` are those of one graph, `corners` are its rows at
    kinks.
    """
    graph = evaluation.graph
    inputs = {name: slot for slot, name in graph.inputs.items()}
    notes = []
    for name, slot in graph.outputs:
        if name in decision.outcomes and not _row_says_it(graph, slot, decision.outcomes[name], corners):
            text = outcome_sentence(decision, name, shown_name(name, inputs))
            notes.append(Note(evaluation.names[slot] or None, "kink", text))
    return notes


def _row_says_it(graph: Graph, output: int, outcome: OutputDecision, corners: Sequence[Corner]) -> bool:
    """Return whether the note on the row of an output says all about the output.

    That is so if the output's row is the only one in `corners`, its arguments are inputs and literals, all different,
    and its outcome is a jump, an edge, or a kink that shows along its inputs (the outcome has no `reason`).
    """
    if {corner.slot for corner in corners} != {output} or outcome.kind in ("smooth", "undecided") or outcome.reason:
        return False
    parents = graph.parents[output]
    return all(p in graph.inputs or graph.literal[p] for p in parents) and len(set(parents)) == len(parents)


def outcome_sentence(decision: Decision, output: str, shown: str) -> str:
    """Return the sentence on one output at the point, without a full stop, by the kind of its outcome.

    `output` is the key in `decision.outcomes` (KeyError if it has none), `shown` the name in the sentence. At most four
    inputs are named.

    - "smooth": the slope in each input, and whether the partials are those of one smooth piece
    - "jump": the value, and the limits along the inputs
    - "undecided": the reason, and the one-sided slopes that are known
    - "edge": the one-sided slopes that are known
    - a kink: the one-sided slopes, the direction that shows the kink if no input does, and a remark if the partials are
      those of one smooth piece
    """
    outcome = decision.outcomes[output]
    names = decision.graph.inputs
    if outcome.kind == "smooth":
        slopes = [f"{number_in_sentence(float(c))} in {names[slot]}" for slot, c in outcome.gradient.items()]
        text = f"{shown} is nevertheless smooth here: slope {first_few(slopes)}"
        whole = decision.is_pieced_whole(output)
        return text + ("; the partials are those of one smooth piece" if whole else "; its series on both sides agree")
    if outcome.kind == "jump":
        jumps = f"{shown} jumps here: {_jump_words(outcome, names)}"
        return f"{jumps}; it has no slope, and the slopes shown are set by convention"
    sides = _side_words(outcome, names)
    if outcome.kind == "undecided":
        known = f"; along the inputs: {sides}" if sides else ""
        return f"it is not proven that {shown} is smooth here ({outcome.reason}); slopes are set by convention{known}"
    known = f": {sides}" if sides else ""
    if outcome.kind == "edge":
        return f"{shown} is not defined on both sides of this point{known}"
    text = f"{shown} is not smooth here{known}"
    if outcome.reason:
        text += f"; its slope along {outcome.reason} does not agree with these"
    if output in decision.on_piece:
        text += "; its partials are those of one smooth piece, because another result needs them"
    return text


def _jump_words(outcome: OutputDecision, names: Mapping[int, str]) -> str:
    """Return `it is 1, along x it tends to 0 to the left and 1 to the right`, for the inputs along which `outcome`
    jumps.

    `names` are those of the inputs by slot. An input counts if one of its limits is unknown or differs from the value,
    or if the value is unknown. Equal limits are both written, unknown ones are not. Value and inputs are joined by
    commas, at most four inputs, without "…". What is unknown (the value, or both limits of an input) is left out.
    """
    texts = []
    for slot, pair in outcome.sides.items():
        ways = zip(pair, ("left", "right"), strict=True)
        known = [(float(side.limit), where) for side, where in ways if side.limit is not None]
        limits = [f"{number_in_sentence(limit)} to the {where}" for limit, where in known]
        if limits and any(
            side.limit is None or outcome.value is None or (side.limit - outcome.value).terms for side in pair
        ):
            texts.append(f"along {names[slot]} it tends to {' and '.join(limits)}")
    value = "" if outcome.value is None else f"it is {number_in_sentence(float(outcome.value))}"
    return ", ".join(filter(None, [value, *texts[:_MOST_NAMES]]))


def _side_words(outcome: OutputDecision, names: Mapping[int, str]) -> str:
    """Return `slope −1 from the left and 1 from the right in x`, for the inputs with a known slope in `outcome`.

    Slopes that read the same on both sides are written once; an unknown side is left out. At most four inputs, then
    "…". Empty if no slope is known. `names` are those of the inputs by slot.
    """
    texts = []
    for slot, (left, right) in outcome.sides.items():
        sides = [(left.derivative(-1), "left"), (right.derivative(1), "right")]
        known = [(number_in_sentence(float(x)), where) for x, where in sides if x is not None]
        slopes = " and ".join(f"{x} from the {where}" for x, where in known)
        if len(known) == 2 and known[0][0] == known[1][0]:
            slopes = known[0][0]
        if known:
            texts.append(f"slope {slopes} in {names[slot]}")
    return first_few(texts)


# --- second derivatives -----------------------------------------------------------------------------------------------


def correct_second(
    decision: Decision,
    graph: Graph,
    entries: Sequence[Second[float]],
    shown: Mapping[str, str],
    names: Sequence[str],
    m: Evaluating[float],
) -> tuple[list[Second[float]], list[Note]]:
    """Return (the second derivatives `entries`, corrected at kinks; notes on them).

    `decision` is about the kinks of `graph` that are reached. Entries are in the order of the outputs. An output
    without a kink keeps its entry. An output that is not smooth, or undecided, keeps its entry and gets a note that it
    follows from conventions. An output that is smooth at its kinks gets the entries that `decision` proves, as Hessian
    or product as before, without sweeps; unknown numbers are `m.undefined`, and notes say which entries do not exist or
    are not known (`_second_texts`). All notes have the kind "kink". `shown` has the outputs' names in sentences,
    `names` those of the rows by slot, which the notes have.
    """
    inputs = {name: slot for slot, name in graph.inputs.items()}
    corrected, notes = [], []
    for entry, (output, slot) in zip(entries, graph.outputs, strict=True):
        texts: list[str] = []
        if decision.is_smooth(output):
            known = decision.second_derivatives(output, list(inputs.values()))
            texts = _second_texts(decision, output, shown[output], known)
            numbers = {pair: decision.reals.read(x, m) for pair, x in known.items()}
            hessian = {a: {b: numbers.get((s, t), m.undefined) for b, t in inputs.items()} for a, s in inputs.items()}
            entry = Second(output, entry.hessian and hessian, _hessian_product(entry, hessian, inputs), {})
        elif output in decision.outcomes:
            problem = "is not proven to be smooth here" if decision.is_undecided(output) else "is not smooth here"
            texts = [f"{shown[output]} {problem}: the second derivatives shown follow from conventions"]
        corrected.append(entry)
        notes += [Note(names[slot] or None, "kink", text) for text in texts]
    return corrected, notes


def _hessian_product(
    entry: Second[float], hessian: Mapping[str, Mapping[str, float]], inputs: Mapping[str, int]
) -> dict[str, float] | None:
    """Return `hessian` times the direction of the entry, by input name; None if the entry has no product.

    The direction is that of the first sweep of the entry; 0 without sweeps. Entries that meet a 0 of the direction are
    skipped, so their nan does not count. `inputs` has the slots by name.
    """
    if entry.product is None:
        return None
    along = next(iter(entry.sweeps.values()), None)
    step = {a: 0.0 if along is None else along.dots[place] for a, place in inputs.items()}
    return {a: sum((row[b] * step[b] for b in inputs if step[b]), start=0.0) for a, row in hessian.items()}


def _second_texts(decision: Decision, output: str, shown: str, known: Entries) -> list[str]:
    """Return sentences on the second derivatives of an output that is smooth at its kinks.

    `known` has the proven entries by pairs of input slots (the smaller position first), `shown` is the output's name. A
    diagonal entry that is missing is mentioned if both one-sided numbers are known. A mixed entry that is missing is
    mentioned if both diagonal ones are proven. If the output depends on several inputs, a last sentence always names
    the inputs along which the entries were determined.
    """
    names = decision.graph.inputs
    texts: list[str] = []
    active = [slot for slot in names if slot in decision.outcomes[output].sides]
    for a, b in combinations_with_replacement(active, 2):
        sides = [decision.side(output, {a: sign}).second_derivative() for sign in (-1, 1)] if a == b else []
        numbers = [number_in_sentence(float(x)) for x in sides if x is not None]
        if (a, b) not in known and len(numbers) == 2:
            both = f"{numbers[0]} from the left and {numbers[1]} from the right"
            texts.append(f"{shown} has no second derivative with respect to {names[a]} here: {both}")
        elif (a, b) not in known and (a, a) in known and (b, b) in known:
            pair = f"{names[a]} and {names[b]}"
            texts.append(f"no mixed second derivative of {shown} with respect to {pair} is known here")
    if len(active) > 1:
        text = f"the second derivatives of {shown} were determined along {first_few([names[slot] for slot in active])}"
        texts.append(f"{text} and their diagonals; it is not proven that {shown} is twice differentiable here")
    return texts
