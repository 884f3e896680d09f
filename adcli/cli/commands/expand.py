"""The differential of an expression, expanded level by level down to the inputs.

\b
Examples:
  adcli expand "a*x^2+(b*x+c)"
  adcli expand "a*x^2+(b*x+c)" --at a=1,b=2,c=3,x=4
  adcli expand "log(x1)+x1*x2-sin(x2)" --format latex

t_mj is value j of level m, the height above the inputs; the factor before dt_mj is its adjoint.
"""

from __future__ import annotations

from functools import partial

from ...notation.number_text import Digits
from ...typings import TYPE_CHECKING
from ..options import Command, texts
from ..shared_options import DIGITS, KINKS, PLACES, DocumentOptions
from ..stream import Stream

if TYPE_CHECKING:
    from ..problem_loop import PreparedProblem


class ExpandRequest(DocumentOptions):
    """Options of `adcli expand`."""

    at = texts("--at", metavar="x1=2,x2=5", help="Point at which the expansion is also shown in numbers.")
    places = PLACES
    digits = DIGITS
    kinks = KINKS


def run(stream: Stream, options: ExpandRequest) -> None:
    """Write the expansion of every problem, in symbols and, at a point, in numbers.

    Its notes go to standard error, and to JSON too. Vectors and matrices are expanded number by number. Raises
    NothingToRead if there is nothing to read; errors of single problems, such as one of more than 300 operations, are
    printed.
    """
    from ...render import expansion as render
    from ...trace.levels import levels
    from ..problem_loop import ProblemResult, Results

    pages = options.pages(stream, "Expansions")
    digits = Digits(options.places, options.digits)

    def expand(prepared: PreparedProblem) -> ProblemResult:
        """Return how to write the expansion of one problem as data, parts or lines, with its notes."""
        expansion = levels(prepared.program, prepared.at or None, options.kinks, prepared.problem.label)
        parts = partial(render.parts, expansion, digits, pages.format.displays)
        data, lines = partial(render.EXPAND.data, expansion), partial(render.lines, expansion)
        return ProblemResult(data, parts, lines, expansion.notes)

    Results(pages).write_all(options, expand)


COMMAND = Command(__doc__, ExpandRequest, run)
