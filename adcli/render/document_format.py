"""What a format of documents is: how it writes texts, formulas, tables, headings, lists, and whole documents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..notation.display_formula import Formula
from .document_parts import (
    AnyText,
    Bar,
    Code,
    Formulas,
    Heading,
    Items,
    Judgement,
    LatexLines,
    Marked,
    Paragraph,
    Part,
    Runs,
    Strong,
    Table,
    ascii_text,
)

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

Document = Sequence[Part]


class Format(ABC):
    """A format: a subclass says how it writes what documents are made of, a file in `formats` registers one of it.

    `suffixes` are those of its files, the usual one first.  With `whole` all problems of a run make one document, else
    each is written when it is done.  What a format writes is `complete` where it needs nothing around it, or can have
    it by `document`.  One that `displays` shows a derivation as formulas rather than as a table of them.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    whole: ClassVar[bool] = False
    complete: ClassVar[bool] = True
    displays: ClassVar[bool] = False
    between: ClassVar[str] = "\n"  # what stands between two parts

    # --- texts

    @abstractmethod
    def escaped(self, text: str) -> str:
        """Any text as nothing but text."""

    def mathematics(self, piece: Piece) -> str:
        """A formula as this format writes it, where it stands alone."""
        raise NotImplementedError

    def formula(self, formula: Formula) -> str:
        """A formula within a text."""
        return self.mathematics(formula.piece)

    def strong(self, text: Strong) -> str:
        """Any text that stands out."""
        return self.escaped(text)

    def code(self, text: str) -> str:
        """A text as it was typed."""
        return self.escaped(text)

    def marked(self, text: Marked) -> str:
        """What a remark is about."""
        return self.code(text)

    def verdict(self, text: Judgement) -> str:
        """A sign, and the words that say the same."""
        return self.escaped(text)

    def bar(self, text: Bar) -> str:
        """A bar of a chart."""
        return self.escaped(text)

    def runs(self, text: Runs) -> str:
        """Texts of several kinds on one line."""
        return "".join(self.inline(run) for run in text.runs)

    def inline(self, text: str) -> str:
        """A text or a formula of any kind."""
        match text:
            case Bar():
                return self.bar(text)
            case "":
                return ""
            case Runs():
                return self.runs(text)
            case Judgement():
                return self.verdict(text)
            case Marked():
                return self.marked(text)
            case Code():
                return self.code(text)
            case Strong():
                return self.strong(text)
            case AnyText():
                return self.escaped(text)
            case Formula():
                return self.formula(text)
            case _:
                return self.escaped(text)

    # --- parts

    @abstractmethod
    def heading(self, text: str, level: int) -> str:
        """A heading of level 1, 2 or 3, whose text is written already."""

    def paragraph(self, text: str) -> str:
        """A paragraph, whose text is written already."""
        return f"{text}\n"

    def formulas(self, lines: Sequence[Formula]) -> str:
        """Formulas one below the other."""
        return self.between.join(self.paragraph(self.formula(line)) for line in lines)

    @abstractmethod
    def items(self, items: Items) -> str:
        """A list."""

    @abstractmethod
    def table(self, table: Table) -> str:
        """A table."""

    def latex(self, text: str) -> str:
        """Formulas that are LaTeX already."""
        raise NotImplementedError

    def part(self, part: Part) -> str:
        """A part of a document."""
        match part:
            case Table():
                return self.table(part)
            case Heading():
                return self.heading(self.inline(part.text), part.level)
            case Paragraph():
                return self.paragraph(self.inline(part.text))
            case Formulas():
                return self.formulas(part.lines)
            case Items():
                return self.items(part)
            case LatexLines():
                return self.latex(part.text)

    # --- documents

    def apart(self, before: Part, part: Part) -> bool:
        """Whether something stands between two parts."""
        return True

    def body(self, parts: Document) -> str:
        """The parts one below the other."""
        out: list[str] = []
        for place, part in enumerate(parts):
            if place and self.apart(parts[place - 1], part):
                out.append(self.between)
            out.append(self.part(part))
        return "".join(out)

    def opening(self, parts: Document) -> str:
        """What stands before the first problem, where problems are written one by one."""
        return ""

    def document(self, problems: Sequence[Document], title: str) -> str:
        """A whole document of one problem or several; `title` is that of several."""
        return self.between.join(self.body(parts) for parts in problems)

    def in_ascii(self, text: str) -> str:
        """What was written, in ASCII."""
        return ascii_text(text)
