"""`adcli grade`: its help and its options; the work is loaded when it is to be done."""

from __future__ import annotations

from typing import Any

from .options import APPEARANCE, Command, Option
from .stream import Stream

_HELP = """Marks the answers of a class: a report for each student, a gradebook, and a summary.

\b
Examples:
  adcli grade submissions/ --key hw.toml -o grades/
  adcli grade submissions.zip --key hw.toml -o grades/ --for canvas --roster gradebook.csv
  adcli grade submissions/ --key hw.toml -o grades/ --disclose 2 --workers 4

SUBMISSIONS is a folder or a zip archive with alice.txt, alice/answer.md, or what Canvas and Moodle hand out.

grades/ gets reports/ (Markdown and HTML for each student), grades.csv, summary.md and summary.html. A run that was
interrupted goes on where it stopped; an answer that changed is marked again.

Exit code 0: all right, 1: some answer is wrong, 4: something could not be graded.
"""

SYSTEMS = ("canvas", "moodle", "gradescope", "prairielearn")

OPTIONS = (
    Option(("--key",), "key", "The homework: its problems and how they are marked.", "FILE"),
    Option(("-o", "--output"), "output", "The folder for what is written.", "FOLDER", default="grades"),
    Option(("--roster",), "roster", "The class list: what Canvas or Moodle exports, or any CSV.", "FILE"),
    Option(("--for",), "system", "Write what this system takes, too.", choices=SYSTEMS, many=True),
    Option(
        ("--disclose",),
        "disclose",
        "What students see: 0 score, 1 right or wrong, 2 first error, 3 hints, 4 formulas, 5 the key.",
        between=(0, 5),
    ),
    Option(("--workers",), "workers", "Processes at a time; as many as there are cores by default.", between=(1, 256)),
    Option(("--timeout",), "timeout", "Seconds that one file may take.", between=(1, 3600), default=10),
    Option(("--restart",), "restart", "Mark everything again."),
    *APPEARANCE[1:],
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Grades the submissions of a command line; None when neither these nor a key are named."""
    if flags["submissions"] is None and flags["key"] is None:
        return None
    from .grading import grade

    return grade(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "submissions", 1, run)
