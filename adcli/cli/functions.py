"""`adcli functions`."""

from __future__ import annotations

from typing import Any

from ..trace.written_rules import as_dicts
from .arguments import chosen_format, declared
from .options import APPEARANCE, FUNCTIONS, STANDALONE, Command, Option
from .pages import Pages
from .stream import Stream

FORMATS = ("table", "plain", "markdown", "latex", "html", "csv", "json")

_HELP = """Every function and operator: its rule, its domain, its other names.

\b
Examples:
  adcli functions
  adcli functions sin atan2 max
  adcli functions --format markdown
  adcli functions --format json
"""


OPTIONS = (
    Option(("--format",), "wanted", "Default: table (plain off a terminal).", choices=FORMATS),
    FUNCTIONS,
    STANDALONE,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int:
    """Prints the rows asked for, or all."""
    stream.dress(flags)
    declared(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    pages = Pages(stream, form, "Functions", flags["standalone"])
    found = as_dicts(flags["names"])
    if form == "json":
        from ..render.data import json_text

        stream.write(json_text({"schema": "functions/1", "functions": found}, ascii_only=stream.ascii) + "\n")
    elif form == "csv":
        from ..render.data import sheet
        from ..render.functions import lines

        stream.write(sheet(lines(found)))
    else:
        from ..render.functions import table

        pages.add([table(found)])
    pages.finish()
    stream.close()
    return stream.code


COMMAND = Command(_HELP, OPTIONS, "names", None, run)
