"""Expected derivatives: their names and formulas, as they are shown to users."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.graph import Graph
from ...graph.order import arranged
from ...notation.statements import Statements
from ...symbolic.higher_orders import formula

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST = 300  # characters of a formula that is shown


def derivative_name(name: str, wrt: Sequence[str], inputs: int) -> str:
    """Return the name of a derivative: `dy/dx`, `∂y/∂x1`, `∂²y/∂x∂y`.

    `name` is the output, `wrt` the inputs one after another (repeated for higher orders), `inputs` how many inputs the
    problem has: d if it is 1, else ∂.
    """
    d = "d" if inputs == 1 else "∂"
    order = str(len(wrt)).translate(_RAISED) if len(wrt) > 1 else ""
    below = "".join(
        f"{d}{by}" + (str(count).translate(_RAISED) if count > 1 else "")
        for by, count in {by: list(wrt).count(by) for by in wrt}.items()
    )
    return f"{d}{order}{name}/{below}"


def expected_formula(graph: Graph, output: str, wrt: Sequence[str]) -> str:
    """Return the derivative of an output with respect to `wrt`, one input after another, as a formula of the language.

    Empty if it has more than 300 characters.
    """
    whole = arranged(graph)
    names = list(whole.inputs.values())
    derived = formula(whole, wrt)
    place = [name for name, _ in graph.outputs].index(output)
    text = Statements(derived, [(None, derived.outputs[place][1])], names).text()
    return text if len(text) <= _LONGEST else ""
