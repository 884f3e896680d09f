"""Requested derivatives: those that a problem without a point asks for, with their names, formulas and weights. A
quantity is (output, names of inputs).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from ...answers.answer_model import Task
from ...graph.graph import Graph
from ...graph.order import arrange
from ...notation.statements import Statements
from ...symbolic.higher_orders import derivative_formula
from ...trace.derivative_formulas import expand_requests
from ..judging.quantities import resolve_weights
from ..model import Rules
from .claims import Claim

Target = tuple[str, tuple[str, ...]]  # an output, and by which inputs it is differentiated, in the order of their names
_NOTHING = Fraction(0)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST = 300  # characters of a formula that is shown
_SYMBOL, _WORD = 24, 4  # letters of a symbol that feedback repeats, and of a word


def differentiations(task: Task) -> list[tuple[str, ...]]:
    """Return the inputs of each derivative that a task asks for; (x, x) means twice with respect to x.

    The first that applies:
    - `task.wrt` is empty: all partial derivatives of `task.order`, each combination of inputs once;
    - the order is above 1 and there are several inputs in `wrt`: one mixed derivative with respect to all of these;
    - else one derivative for each input in `wrt`, by this input as often as the order.

    Raises RequestError for an input that is unknown, for a mixed derivative whose inputs are not `task.order` in
    number, and for more than 1,000 derivatives with an empty `wrt`.
    """
    names = list(task.program.graph.inputs.values())
    if task.order > 1 and len(task.wrt) > 1:
        return expand_requests(names, [task.wrt], task.order)
    return expand_requests(names, [(name,) for name in task.wrt], task.order)


def quantities(task: Task) -> list[Target]:
    """Return the derivatives that a task asks for, as pairs (output, inputs to differentiate by, sorted by name).

    Each output in turn, in the order of the problem, comes with all of `differentiations(task)`. Raises RequestError as
    `differentiations` does.
    """
    wrt_lists = differentiations(task)
    return [(output, tuple(sorted(wrt))) for output, _ in task.program.graph.outputs for wrt in wrt_lists]


def quantity_name(task: Task, quantity: Target) -> str:
    """Return the name of a requested derivative in marks: `dy/dx`, `∂²y/∂x∂y`."""
    return derivative_name(quantity[0], quantity[1], len(task.program.graph.inputs))


def weights(task: Task, rules: Rules) -> list[Fraction]:
    """Return the points of each derivative of `quantities(task)`, in that order.

    A derivative has its points in `task.weights` (by name in marks), or else `rules.results`. If `task.points` is set,
    the points are scaled to that sum; if all are 0 they stay 0.
    """
    points = [task.weights.get(quantity_name(task, quantity), rules.results) for quantity in quantities(task)]
    whole = sum(points, _NOTHING)
    return points if task.points is None or not whole else [weight * task.points / whole for weight in points]


def named_weights(task: Task, set_weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return `set_weights`, the weights of single derivatives, with its names replaced by the names in marks
    (`∂²f/∂x∂y`).

    A name in `set_weights` is the name in marks, or the same typed with d and digits: `df/dx`, `d2f/dxdy`, `d2f/dx2`
    (orders up to 3; inputs in the order of the name in marks). If two names mean the same derivative, the last one
    counts. Raises RequestError if a name is not a derivative that the task asks for.
    """
    names = [quantity_name(task, quantity) for quantity in quantities(task)]
    typed = {name.replace("∂", "d").replace("²", "2").replace("³", "3"): name for name in names}
    return resolve_weights(set_weights, typed | {name: name for name in names})


def derivative_name(name: str, wrt: Sequence[str], inputs: int) -> str:
    """Return the name of a derivative: `dy/dx`, `∂y/∂x1`, `∂²y/∂x∂y`, `d²y/dx²`.

    `name` is the output, `wrt` the inputs one after another (repeated for higher orders, and then counted together
    wherever they are; at least one), `inputs` how many inputs the problem has: d if it is 1, else ∂.
    """
    d = "d" if inputs == 1 else "∂"
    order = str(len(wrt)).translate(_RAISED) if len(wrt) > 1 else ""
    powers = {by: list(wrt).count(by) for by in wrt}
    below = "".join(f"{d}{by}{str(power).translate(_RAISED) if power > 1 else ''}" for by, power in powers.items())
    return f"{d}{order}{name}/{below}"


def expected_formula(graph: Graph, output: str, wrt: Sequence[str]) -> str:
    """Return the derivative of an output with respect to `wrt`, one input after another, as a formula of the language.

    The text may have statements before the formula, `a = …; formula`, for long parts that occur more than once. Return
    "" if it has more than 300 characters. A name in `wrt` that is not an input gives 0; an empty `wrt` gives the output
    itself. Raises ValueError if `output` is not an output of `graph`, RequestError as `derivative_formula` does.
    """
    whole = arrange(graph)
    names = list(whole.inputs.values())
    derived = derivative_formula(whole, wrt)
    place = [name for name, _ in graph.outputs].index(output)
    text = Statements(derived, [(None, derived.outputs[place][1])], names).text()
    return text if len(text) <= _LONGEST else ""


def written_name(claim: Claim, inputs: Collection[str]) -> str:
    """Return the derivative on the left side of a claim as the student wrote it, such as `f'(x)` or `d^2y/dx^2`.

    Blanks are reduced to single ones, colons and commas around it and words before a colon are removed. In these cases
    it is written anew with the name that the student gives the function, or else that of the output, or (…), in a
    problem with these `inputs`:
    - the claim has no left side;
    - the left side has neither `'` nor `_`, is not `fx` for f and x, and is not a quotient that begins with d or ∂ (a
      gradient, for example);
    - it has a backslash (LaTeX), more than 24 characters, or four or more letters in a row (also `dxdy`).
    """
    text = " ".join(claim.span.text.split()).strip(" :,").rpartition(": ")[2]
    words = "".join(letter if letter.isalpha() else " " for letter in text).split()
    is_quotient = text.startswith(("d", "∂")) and "/" in text
    is_derivative = is_quotient or "'" in text or "_" in text or text == "".join((claim.name, *claim.wrt))
    is_short = len(text) <= _SYMBOL and all(len(word) < _WORD for word in words)
    anew = derivative_name(claim.name or claim.output or "(…)", claim.wrt, len(inputs))
    return text if is_derivative and is_short and not claim.bare and "\\" not in text else anew
