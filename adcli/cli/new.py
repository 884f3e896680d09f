"""`adcli new`: its help and its options; the work is loaded when it is to be done."""

from __future__ import annotations

from typing import Any

from ..trace.model import MODES
from .options import APPEARANCE, Command, Option
from .stream import Stream

_HELP = """Exercises with sheets, blank forms and the key.

\b
Examples:
  adcli new --level 2
  adcli new --seed 7 --level 2 --level 4 --count 2 -o homework3
  adcli new --seed 7 --students class.csv --secret secret.txt -o homework4

Levels: 1 products and sums of two inputs, 2 a node that is used twice, 3 a chain of three functions, 4 division and
powers, 5 two outputs. In every exercise the numbers print well, and every known slip gives a number of its own.

-o FOLDER writes sheet.md, sheet.tex, sheet.html, form.txt, form.md and key.toml; with --students everybody gets
exercises of their own in students/, and the key has them all. Without it the sheet is printed.

The same seed gives the same exercises. With --students they follow from a secret, which students must not know:
--secret FILE, or the environment variable ADCLI_SECRET.
"""

FORMATS = ("markdown", "latex", "html", "json")

OPTIONS = (
    Option(("--seed",), "seed", "Another seed, other exercises.", between=(0, 2**31), default=1),
    Option(("--level",), "level", "1 (default) to 5; several levels one after the other.", between=(1, 5), many=True),
    Option(("--count",), "count", "Exercises of each level.", between=(1, 50), default=1),
    Option(("--mode",), "mode", "What is to be worked out.", choices=MODES, default="reverse"),
    Option(("--title",), "title", "The title of the sheet.", "TEXT", default="Exercises"),
    Option(("--students",), "students", "A class list (CSV): exercises of their own for all.", "FILE"),
    Option(("--secret",), "secret", "A file with the secret of the course.", "FILE"),
    Option(("--format",), "wanted", "What is printed.", choices=FORMATS, default="markdown"),
    Option(("-o", "--output"), "output", "Write sheets, forms and the key into FOLDER.", "FOLDER"),
    *APPEARANCE[1:],
)


def run(stream: Stream, flags: dict[str, Any]) -> int:
    """Makes the exercises of a command line."""
    from .exercises import make

    return make(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "text", 1, run)
