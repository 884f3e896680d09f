"""Every function and operator: its rule, its domain, its other names.

\b
Examples:
  adcli functions
  adcli functions sin atan2 max
  adcli functions --format markdown
  adcli functions --format json
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import NameProblem, RequestError
from ...render.formats import DOCUMENTS, TEXT
from ..arguments import choose_format, run_function_files
from ..options import Command, arguments
from ..pages import Pages
from ..shared_options import FUNCTIONS, OutputOptions, PageOptions, table_format
from ..stream import Stream

FORMATS = (*TEXT, *DOCUMENTS, "csv", "json")


class FunctionsRequest(PageOptions, OutputOptions):
    """Options of `adcli functions`."""

    names = arguments()
    format_name = table_format(FORMATS)
    functions = FUNCTIONS


def run(stream: Stream, options: FunctionsRequest) -> None:
    """Print the functions that are named, in this order, or all, everyday ones first: table, document, CSV or JSON.

    A name may be an alias. The files of --functions are run first, and their functions are among them. Raises an
    AdcliError for a file that fails. If any name is not a function of numbers, nothing is written: raises RequestError
    for the first one that is a function of arrays (`_of_arrays`), also if another unknown name is before it, else
    NameProblem for the first unknown one.
    """
    from ...render.data import sheet
    from ...render.function_list import lines, table
    from ...trace.written_rules import FUNCTIONS as DESCRIPTION
    from ...trace.written_rules import function_records

    run_function_files(options.functions, stream.inputs)
    form = choose_format(options.format_name, options.path, FORMATS, "table")
    pages = Pages(stream, form, "Functions", options.standalone, math=options.math)
    try:
        records = function_records(options.names)
    except NameProblem as error:
        raise _of_arrays(options.names) or error from None
    if form == "csv":
        stream.write(sheet(lines(records)))
    else:
        pages.write_one(lambda: DESCRIPTION.data(records), lambda: [table(records)])


def _of_arrays(names: Sequence[str]) -> RequestError | None:
    """Return the error for the first of `names` that is only a function of vectors and matrices, with what it is.

    A name that is also a function of numbers is passed over. None if there is no such name.
    """
    from ...arrays.array_rows import FUNCTIONS as ROWS
    from ...table.primitive import lookup

    name = next((name for name in names if name in ROWS and lookup(name) is None), None)
    if name is None:
        return None
    title, label = (
        f"adcli functions lists only functions of numbers, not {name}",
        f"{name} is for arrays: {ROWS[name].summary}",
    )
    return RequestError(title, label=label, help="functions of vectors and matrices: adcli help arrays")


COMMAND = Command(__doc__, FunctionsRequest, run)
