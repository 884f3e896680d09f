"""`adcli functions`."""

from __future__ import annotations

from typing import Any

from ..trace.table import as_dicts
from .arguments import chosen_format
from .modules import FUNCTIONS, declared
from .options import APPEARANCE, Command, Option
from .stream import Stream

FORMATS = ("table", "plain", "markdown", "json")

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
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int:
    """Prints the rows asked for, or all."""
    stream.dress(flags)
    declared(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    found = as_dicts(flags["names"])
    if form == "json":
        from ..render.data import json_text

        stream.write(json_text({"schema": "functions/1", "functions": found}, ascii_only=stream.ascii) + "\n")
    else:
        from ..render.cells import ascii_table
        from ..render.functions import markdown, table

        drawn = ascii_table(table(found)) if stream.ascii else table(found)
        if form == "markdown":
            stream.write(markdown(found))
        elif form == "table" and stream.is_terminal:
            from ..render.terminal import draw

            stream.write(draw(drawn, stream.width(), stream.wants_color(), stream.ascii))
        else:
            from ..render.plain import draw as draw_plain

            stream.write(draw_plain(drawn))
    stream.close()
    return stream.code


COMMAND = Command(_HELP, OPTIONS, "names", None, run)
