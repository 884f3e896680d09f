"""Shared options: those that several commands have, and the request classes of groups of commands."""

from __future__ import annotations

from ..render.formats import DATA, DOCUMENTS, TEXT
from ..trace.request_choices import MODES, NUMBERINGS
from ..typings import TYPE_CHECKING, override
from .arguments import choose_format
from .inputs import MOST, Inputs, read_size, with_points
from .note_kinds import hidden_notes
from .options import CommandRequest, Option, argument, choice, flag, left_out, text, texts, whole
from .stream import Stream

if TYPE_CHECKING:
    from .pages import Pages

FORMATS = (*TEXT, *DOCUMENTS, *DATA)


def point(metavar: str) -> Option[tuple[str, ...]]:
    """Return the option `--at`, with this example of a point in its help."""
    return texts("--at", metavar=metavar, help="Point: a value for each input; values may be expressions (x=pi/2).")


AT = point("x1=2,x2=5")
MODE = Option(("--mode",), "both", "Value only, tangents (forward), adjoints (reverse), or both.", choices=MODES)
WRT = texts("--wrt", metavar="x1", help="Forward mode with respect to these inputs only.")
SEED = texts("--seed", metavar="x1=1,x2=0.5", help="Direction of inputs (forward) or weights of outputs (reverse).")
_ORDERS = "Number rows by height above the inputs, or in the order of calls."
NUMBERING = Option(("--numbering",), "level", _ORDERS, choices=NUMBERINGS)
CSE = flag("--cse", help="Combine identical subexpressions into one row.")
PLACES = Option(("--places",), 3, "Show numbers with this many decimal places.", between=(0, 17))
DECIMAL = Option(("--decimal",), "point", "Decimal separator of numbers (x=2,5; y=3).", choices=("point", "comma"))
DIGITS = whole("--digits", between=(1, 17), help="Show numbers with this many significant digits, instead of --places.")
_CORNERS = "Where there is no derivative: use a convention and print a note, or report an error."
KINKS = Option(("--kinks",), "note", _CORNERS, choices=("note", "error"))
FUNCTIONS = texts("--functions", metavar="FILE.py", help="Run this file first: it adds functions with adcli.declare.")
INTERACTIVE = flag("--interactive", help="Write one HTML page to step through: graph, table, sentences.")
SHAPE = texts("--shape", metavar="A=3x2,x=2", help="Shapes of arrays without values; other names are numbers.")
_LAYOUTS = "Print the gradient of an array in its own shape, or transposed."
LAYOUT = Option(("--layout",), "denominator", _LAYOUTS, choices=("denominator", "numerator"))
FAIL_FAST = flag("--fail-fast", help="Stop at the first problem that fails.")
DETAIL = choice(
    "--detail",
    choices=("short", "full"),
    help="Steps only, or also the reason for the order of rows and the search for the tape "
    "(default: short; full when stepping).",
)


def table_format(formats: tuple[str, ...]) -> Option[str | None]:
    """Return the option `--format` of a command that prints a table if it is left out."""
    return choice("--format", choices=formats, help="Output format (default: table on a terminal, plain otherwise).")


def drawing_format(formats: tuple[str, ...]) -> Option[str | None]:
    """Return the option `--format` of a command that prints a drawing if it is left out."""
    return choice("--format", choices=formats, help="Output format (default: plain, a drawing in characters).")


KEY = text("--key", metavar="FILE", help="Homework key: its problems and how they are marked.")
STUDENT = text("--student", metavar="ID", help="Student ID: use this student's problems from the key.")
MATH = Option(("--math",), "text", "Formulas in Markdown: as text or in dollar signs.", choices=("text", "dollars"))
STANDALONE = flag("--standalone", help="Write a complete LaTeX document that compiles on its own.")


# Fields of requests whose texts are points or lists of numbers.
_WITH_NUMBERS = (
    "at", "seed", "hvp", "along", "over", "tangent", "fixed", "sigma", "correlation", "distribution", "sample",
)  # fmt: skip

# An answer's rows take a hundredth of 4MB; more would be pictures, which slow down the marking of a class.
OF_ANSWERS = "Largest input that is read into memory (default: 64MB, for an answer 4MB)."


class AppearanceOptions(CommandRequest):
    """Options of every command: how its output looks."""

    ascii_only = flag("--ascii", help="Write ASCII only: dv1 for v̇1, v1bar for v̄1.")
    color = Option(("--color",), "auto", "When to use colour.", choices=("auto", "always", "never"))
    width = whole("--width", between=(20, 1000), help="Columns of terminal tables (default: those of the terminal).")
    quiet = flag("-q", "--quiet", help="Hide notes, except those about derivatives that are set by convention.")
    no_note = texts("--no-note", metavar="KIND", help="Hide notes of this kind, for example log,order.")
    max_size = text("--max-size", metavar="64MB", help="Largest input that is read into memory (default: 64MB).")
    debug = flag("--debug", help="Show a traceback if adcli itself fails.")

    reads_settings = True

    @property
    def path(self) -> str | None:
        """Return the file that the document goes to; None for standard output."""
        return None

    @override
    def configure(self, stream: Stream) -> None:
        """Configure the stream: output file, appearance, input limit (default 64 MB) and hidden notes.

        With --decimal comma, decimal commas in this request become decimal points, in place, and problems are read with
        decimal commas. The kinds of notes of the user's settings are hidden, too, if the command `reads_settings`.
        Raises RequestError for a bad size, kind of note or settings file.
        """
        has_commas = getattr(self, "decimal", None) == "comma"
        if has_commas:
            self._rewrite_decimal_commas()
        inputs = Inputs(MOST if self.max_size is None else read_size(self.max_size), self.path, has_commas)
        hidden = hidden_notes(self.no_note, self.reads_settings)
        stream.configure(self.path, self.ascii_only, self.color, self.width, self.quiet, inputs, hidden)

    def _rewrite_decimal_commas(self) -> None:
        """Replace decimal commas by points in --problem and in the options with numbers, in place.

        These are --at, --seed, --hvp, --along, --over, --tangent, --fixed, --sigma, --correlation, --distribution and
        --sample. In them semicolons become commas, in --problem they stay.
        """
        fields = vars(self)
        for name in ("problem", *_WITH_NUMBERS):
            value = fields.get(name)
            separator = ";" if name == "problem" else ","
            if isinstance(value, str):
                fields[name] = with_points(value).replace(";", separator)
            elif isinstance(value, tuple):
                fields[name] = tuple(with_points(text).replace(";", separator) for text in value)


class OutputOptions(AppearanceOptions):
    """Options of commands that write a file."""

    output = text("-o", "--output", metavar="FILE", help="Write to FILE; its suffix selects the format.")

    @property
    @override
    def path(self) -> str | None:
        """Return the file that the document goes to; None for standard output, which - means too."""
        return None if self.output == "-" else self.output


class ProblemOptions(OutputOptions):
    """Options of commands that work on problems, one after the other."""

    listed_first: tuple[str, ...] = ("file",)
    has_open_inputs = False  # whether inputs without a value are numbers

    expr = argument()
    file = text("-f", "--file", metavar="FILE", help="Read problems from FILE, one per line.")
    at = AT
    wrt: Option[tuple[str, ...]] = left_out(())
    shape: Option[tuple[str, ...]] = left_out(())
    cse: Option[bool] = left_out(False)
    complex: Option[bool] = left_out(False)
    functions = FUNCTIONS
    fail_fast = FAIL_FAST
    decimal = DECIMAL
    letters = flag("--letters", help="Read letters next to each other as products: xy is x*y.")


class PageOptions(CommandRequest):
    """Options of commands that write documents."""

    math = MATH
    standalone = STANDALONE


class DocumentOptions(PageOptions, ProblemOptions):
    """Options of commands that write each problem as tables or data."""

    format_name = table_format(FORMATS)

    def pages(self, stream: Stream, title: str) -> Pages:
        """Return the pages of the document under this title.

        Their format is that of --format, of the suffix of the file, or else "table". Raises RequestError for a suffix
        without a format, for --math dollars unless the format is Markdown, and for --standalone with a format that does
        not support it.
        """
        from .pages import Pages

        form = choose_format(self.format_name, self.path, FORMATS, "table")
        return Pages(stream, form, title, self.standalone, math=self.math)


class SweepOptions(ProblemOptions):
    """Options of commands that show the sweeps."""

    listed_first: tuple[str, ...] = (
        "file", "at", "mode", "wrt", "seed", "numbering", "cse", "places", "digits", "kinks",
    )  # fmt: skip

    mode = MODE
    wrt = WRT
    seed = SEED
    numbering = NUMBERING
    cse = CSE
    places = PLACES
    digits = DIGITS
    kinks = KINKS
