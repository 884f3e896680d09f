"""Format of a document: the base class of the formats, which write texts, formulas, tables, headings, lists and
documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from ..errors import visible
from ..notation.display_formula import Formula
from ..typings import TYPE_CHECKING, ClassVar
from . import document_parts as dp

if TYPE_CHECKING:
    from ..notation.formula_pieces import Printer

Document = Sequence[dp.Part]

_METHODS: Mapping[type, str] = MappingProxyType(
    {
        dp.Bar: "bar", dp.Runs: "runs", dp.Judgement: "verdict", dp.Marked: "marked", dp.Code: "code",
        dp.Strong: "strong", Formula: "formula",
    }
)  # fmt: skip


def escapes(signs: str) -> dict[int, str]:
    """Return a table for `str.translate` that puts a backslash before each of these signs."""
    return str.maketrans({sign: f"\\{sign}" for sign in signs})


class Format:
    """A format of documents; each file in `formats` registers an instance of a subclass.

    suffixes   those of its files, the usual one first
    whole      whether all problems of a run make one document; else each is written as soon as it is done
    complete   whether its output can be a file on its own, or becomes one by `document`
    displays   whether a derivation is shown as formulas, not as a table of formulas
    pages      whether of `Suited` it writes the parts for documents, not those for terminals
    around_…   the texts before and after a part of that kind
    printer    the printer of mathematics; None if the format has none, and writes formulas as texts
    has_signs  whether a verdict shows its sign, or its words alone
    special    the table for `str.translate` of signs that the format would interpret in a text
    bar_form   the text of a bar, with `%` for its length in em; "" if it is drawn with characters
    hashes     the sign that is before a heading, as often as its level
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    whole: ClassVar[bool] = False
    complete: ClassVar[bool] = True
    displays: ClassVar[bool] = False
    pages: ClassVar[bool] = True  # which of the parts of `Suited` it writes
    between: ClassVar[str] = "\n"  # the text between two parts
    between_items: ClassVar[str] = ""
    line_break: ClassVar[str] = "\n"  # between the lines of one item of a list
    # What stands before and behind a text that stands out, one as it was typed, the part that a remark is about, and
    # a formula.
    around_strong: ClassVar[tuple[str, str]] = ("", "")
    around_code: ClassVar[tuple[str, str]] = ("", "")
    around_marked: ClassVar[tuple[str, str]] = ("", "")
    around_formula: ClassVar[tuple[str, str]] = ("", "")
    around_paragraph: ClassVar[tuple[str, str]] = ("", "\n")
    printer: ClassVar[Printer | None] = None  # of mathematics, if the format has it
    has_signs: ClassVar[bool] = True  # whether a verdict shows its sign, or its words alone
    special: ClassVar[Mapping[int, str]] = MappingProxyType({})
    bar_form: ClassVar[str] = ""
    hashes: ClassVar[str] = ""

    # --- texts

    def escaped(self, text: str) -> str:
        """Return `text`, plain and of any content, in this format, with nothing in it that the format would interpret;
        here characters that cannot be displayed are replaced, and then those in the table `special`.
        """
        return visible(text).translate(self.special)

    def formula(self, formula: Formula) -> str:
        """Return a formula inside a text: as mathematics between the two texts of `around_formula`, such as "$" and "$"
        (empty if the printer prints only blanks), or as an escaped text if the format has no printer.
        """
        if self.printer is None:
            return self.escaped(formula)
        body = self.printer.printed(formula.piece).strip()
        return body.join(self.around_formula) if body else ""

    def strong(self, text: dp.Strong) -> str:
        """Return a text in bold or another emphasis, with `around_strong` around it."""
        return self.escaped(text).join(self.around_strong)

    def code(self, text: str) -> str:
        """Return a text as the user typed it, with `around_code` around it."""
        return self.escaped(text).join(self.around_code)

    def marked(self, text: dp.Marked) -> str:
        """Return a part of a typed text that a remark is about, with `around_marked` around it."""
        return self.code(text).join(self.around_marked)

    def verdict(self, text: dp.Judgement) -> str:
        """Return a verdict as its sign and its score (or its words, if it has no score); in a format without signs as
        its words, then `, score` if it has one.
        """
        words = f"{text.words}, {text.score}" if text.score else text.words
        return self.escaped(text if self.has_signs else words)

    def bar(self, text: dp.Bar) -> str:
        """Return a bar of a chart, of 8 em if it is full, by `bar_form`; drawn with characters if that is empty."""
        return self.bar_form % float(8 * text.fraction) if self.bar_form else self.escaped(text)

    def runs(self, text: dp.Runs) -> str:
        """Return the texts of several kinds on one line."""
        return "".join(map(self.run, text.runs))

    def inline(self, text: str) -> str:
        """Return a text or formula (see `run`) that is not one of the texts of Runs."""
        return self.run(text)

    def run(self, text: str) -> str:
        """Return a text (str, or Runs of texts) or formula, written by the method for its class (`_METHODS`); a plain
        str is escaped, an empty text stays empty (but a bar of length 0 is written).
        """
        if not text and not isinstance(text, dp.Bar):
            return ""
        write: Callable[[str], str] = getattr(self, _METHODS.get(type(text), "escaped"))
        return write(text)

    def line(self, text: str) -> str:
        """Return a text or formula that begins a line; formats override it if the start of a line could be taken for
        markup.
        """
        return self.inline(text)

    def cells(self, row: Sequence[str], columns: int) -> list[str]:
        """Return the cells of a row in this format, with empty cells at the end up to `columns`."""
        return [*map(self.inline, row), *[""] * (columns - len(row))]

    # --- parts

    def heading(self, text: str, level: int) -> str:
        """Return a heading of level 1, 2 or 3, with `hashes` before it; `text` is already in this format."""
        return f"{self.hashes * level} {text}\n"

    def paragraph(self, text: str) -> str:
        """Return a paragraph, with `around_paragraph` around it; `text` is already in this format."""
        return text.join(self.around_paragraph)

    def formulas(self, lines: Sequence[Formula]) -> str:
        """Return the formulas, each as a paragraph, with `between` between two of them."""
        return self.between.join(self.paragraph(self.formula(line)) for line in lines)

    def items(self, items: dp.Items) -> str:
        """Return a list, each item with `- ` before it, or with numbers from `items.first` on if that is not None.

        Further lines of an item are indented below its first one, empty lines are left out. Every item ends with a line
        break; `line_break` and `between_items` are the texts between lines and items.
        """
        out = []
        for number, lines in enumerate(items.items, items.first or 0):
            head = "- " if items.first is None else f"{number}. "
            out.append(head + f"{self.line_break}{' ' * len(head)}".join(self.line(text) for text in lines if text))
        return self.between_items.join(f"{item}\n" for item in out)

    def table(self, table: dp.Table) -> str:
        """Return a table; every format overrides this or `table_pieces`."""
        return "".join(self.table_pieces(table))

    def latex(self, text: str) -> str:
        """Return formulas that are already LaTeX. Raises NotImplementedError unless the format can hold LaTeX."""
        raise NotImplementedError

    def part(self, part: dp.PlainPart) -> str:
        """Return a part of a document as text, written by the method for its kind.

        The kinds are Table, Heading and Paragraph (both with their inline text formatted), Formulas, Items and
        LatexLines. Raises NotImplementedError for LatexLines in a format that does not hold LaTeX.
        """
        match part:
            case dp.Table():
                return self.table(part)
            case dp.Heading():
                return self.heading(self.inline(part.text), part.level)
            case dp.Paragraph():
                return self.paragraph(self.inline(part.text))
            case dp.Formulas():
                return self.formulas(part.lines)
            case dp.Items():
                return self.items(part)
            case dp.LatexLines():
                return self.latex(part.text)

    # --- documents

    def are_separated(self, before: dp.Part, part: dp.Part) -> bool:
        """Return whether the text `between` is put between the parts `before` and `part`, which follow each other; here
        always.
        """
        return True

    def body(self, parts: Document) -> str:
        """Return the parts one below the other, without the surroundings of a document; "" without parts."""
        return "".join(self.pieces(parts))

    def pieces(self, parts: Document) -> Iterator[str]:
        """Yield the text of `body` in pieces, so that a large table is not in memory as one text.

        A Suited is replaced by its parts for pages (if `pages`) or for text. The text `between` is yielded between two
        parts that `are_separated` says are separate.
        """
        suited = ((p.page if self.pages else p.text) if isinstance(p, dp.Suited) else (p,) for p in parts)
        written = [*chain.from_iterable(suited)]
        for place, part in enumerate(written):
            if place and self.are_separated(written[place - 1], part):
                yield self.between
            yield from self.table_pieces(part) if isinstance(part, dp.Table) else (self.part(part),)

    def table_pieces(self, table: dp.Table) -> Iterator[str]:
        """Yield the text of `table` in pieces, here a single one."""
        yield self.part(table)

    def opening(self, parts: Document) -> str:
        """Return the text to write once before the first problem, whose parts are `parts`, if problems are written one
        by one; here empty.
        """
        return ""

    def document(self, problems: Sequence[Document], title: str) -> str:
        """Return a complete document of one or several problems; here the bodies with `between` between them, without
        `title`.
        """
        return self.between.join(self.body(parts) for parts in problems)

    def in_ascii(self, text: str) -> str:
        """Return text that this format has written in ASCII, here as `ascii_text` does: other characters are spelled,
        or become question marks.
        """
        return dp.ascii_text(text)
