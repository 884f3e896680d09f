"""Value and gradient as source code in another language.

\b
Examples:
  adcli compile "log(x1)+x1*x2-sin(x2)" --to c -o gradient.c
  adcli compile "x^2*exp(-x*y)" --to numpy
  adcli compile "log(x1)+x1*x2-sin(x2)" --to sql
  adcli compile "sqrt(x^2+y^2)" --to excel

The code has one line for each step, with the names of the trace. It is a function value_and_gradient of the inputs
in their order; in SQL a query over a table (--table, --carry), for Excel two rows of cells to paste. At points
without a value the results are nan, NULL or an error in the cell.
"""

from __future__ import annotations

from ...errors import RequestError
from ...render.targets import TARGETS, find_language
from ...typings import TYPE_CHECKING
from ..arguments import split_columns
from ..options import Command, choice, text, texts
from ..shared_options import SHAPE, ProblemOptions
from ..stream import Stream

if TYPE_CHECKING:
    from ..problem_loop import PreparedProblem


class CompileRequest(ProblemOptions):
    """Options of `adcli compile`."""

    has_open_inputs = True
    listed_first: tuple[str, ...] = ("to", "table", "carry", "file", "functions", "at", "letters")

    shape = SHAPE
    at = texts("--at", metavar="A=[1,2;3,4]", help="Point: it gives arrays their shapes; all inputs stay inputs.")
    to = choice("--to", choices=TARGETS, help="Target language.")
    table = text("--table", metavar="NAME", help="Table that the SQL query reads (default: points).")
    carry = texts("--carry", metavar="id,name", help="Columns of the table to copy to the result of the SQL query.")


def run(stream: Stream, options: CompileRequest) -> None:
    """Write the source of the one problem of a command line; nothing if the problem fails, whose error is printed.

    Raises NothingToRead if there is nothing to read, OutputProblem for a second problem; nothing is written then.
    Raises RequestError if --to is missing (the suffix of the output does not count), and for --table or --carry with a
    language that reads no table.
    """
    from ...render.source_code import source_code
    from ..problem_loop import ProblemLoop, second_problem

    if options.to is None:
        raise RequestError("the target language is missing", help=f"add --to {' | '.join(TARGETS)}")
    language = find_language(options.to).reading_table(options.table, split_columns(options.carry))
    sources: list[str] = []

    def work(prepared: PreparedProblem) -> None:
        if sources:
            raise second_problem("adcli compile takes one problem", prepared, "compile the problems one by one")
        sources.append(source_code(prepared.program.graph, language, " ".join(prepared.program.source.text.split())))

    ProblemLoop(stream, options, work).run()
    stream.write("".join(sources))


COMMAND = Command(__doc__, CompileRequest, run)
