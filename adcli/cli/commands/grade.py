"""Marks the answers of a class: a report for each student, a gradebook, and a summary.

\b
Examples:
  adcli grade submissions/ --key hw.toml -o grades/
  adcli grade submissions.zip --key hw.toml -o grades/ --for canvas --roster gradebook.csv
  adcli grade submissions/ --key hw.toml -o grades/ --disclose 2 --workers 4

SUBMISSIONS is one answer (alice.txt), or a folder or a zip archive with alice.txt, alice/answer.md, alice.zip, or
what Canvas, Moodle, Gradescope and Blackboard export; folders inside folders are searched too. Students who are not
in the class list are reported. The key sets what an error costs, how many decimals are required and what students see
([marking] method, min_places, disclose): adcli help keys.

grades/ gets reports/ (Markdown and HTML for each student), grades.csv, review.csv (answers to look at), summary.md and
summary.html. After an interruption the same command continues; an answer that changed is marked again.

Your corrections count: grades/overrides.csv with the columns student, problem, quantity, mark, comment sets marks and
comments in all files, in this run and in later ones. Marks and comments that you change in grades.csv are added to it.
Any other file that you changed is kept, and the new version is written next to it: summary.new.md.

Exit code 0: all right, 1: some answer is wrong, 4: something could not be graded.
"""

from __future__ import annotations

from ..options import Command, Option, argument, flag, text, whole
from ..shared_options import KEY, OF_ANSWERS, AppearanceOptions
from ..stream import Stream

SYSTEMS = ("canvas", "moodle", "gradescope", "prairielearn")

_LEVELS = "Feedback level for students: 0 score, 1 right or wrong, 2 first error, 3 hints, 4 formulas, 5 the key."

_IMPORTED = "Also write the file that this system imports."

_COLUMN = "Assignment in Canvas: name or id (default: title of the key)."


class GradeRequest(AppearanceOptions):
    """Options of `adcli grade`."""

    submissions = argument()
    key = KEY
    output = Option(("-o", "--output"), "grades", "Folder for the results.", metavar="FOLDER")
    roster = text("--roster", metavar="FILE", help="Class list: an export from Canvas or Moodle, or any CSV file.")
    systems: Option[tuple[str, ...]] = Option(("--for",), (), _IMPORTED, choices=SYSTEMS, many=True)
    assignment = text("--assignment", metavar="NAME", help=_COLUMN)
    disclose = whole("--disclose", between=(0, 5), help=_LEVELS)
    workers = whole("--workers", between=(1, 256), help="Number of parallel processes (default: number of cores).")
    timeout = Option(("--timeout",), 10, "Time limit for one file, in seconds.", between=(1, 3600))
    max_size = text("--max-size", metavar="64MB", help=OF_ANSWERS)
    restart = flag("--restart", help="Mark all answers again.")


def run(stream: Stream, options: GradeRequest) -> None:
    """Grade the answers of a class, as `grade_class` does, with its errors."""
    from ..class_grading import grade_class

    grade_class(stream, options)


COMMAND = Command(__doc__, GradeRequest, run)
