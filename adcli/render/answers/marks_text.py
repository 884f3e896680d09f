"""Text of marks: the student's lines with signs in the margin and reasons below, for terminals and as plain text. A
mark is the verdict on one row of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import View, visible, width
from ...marking.model import Marking, total
from ...typings import TYPE_CHECKING
from .. import marks as answer_marks

if TYPE_CHECKING:
    from ..terminal import Piece

_COLORS = {"good": "green", "fair": "yellow", "bad": "red", "": "dim"}  # by tone


def document(markings: Sequence[Marking], ascii_only: bool = False, columns: int | None = None) -> list[list[Piece]]:
    """Return all markings as lines of (text, style) pieces, with a blank line between them, and a total if there are
    several.

    Reasons are wrapped and lines of the answer cut to `columns`, unless that is None; with `ascii_only` all characters
    are ASCII. Several problems without labels are numbered.
    """
    out: list[list[Piece]] = []
    several = len(markings) > 1
    for place, marking in enumerate(markings, 1):
        if out:
            out.append([])
        out += _Paper(marking, ascii_only, columns).lines(answer_marks.heading(marking, place if several else None))
    if several:
        out += [[], [(f"Total: {answer_marks.score(*total(markings)[::2])} marks", "bold")]]
    return out


def plain(pieces: Sequence[Sequence[Piece]]) -> str:
    """Return lines of (text, style) pieces as text without styles and without blanks at the ends of lines."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in pieces)


class _Paper:
    """A layout of one marking as lines of (text, style) pieces; `columns` is the width of the terminal, None for no
    limit.
    """

    def __init__(self, marking: Marking, ascii_only: bool, columns: int | None) -> None:
        """Measure the lines of a marked answer: the widths of signs, line numbers and scores make the margin.

        `columns` is the width of the terminal (None: nothing is wrapped or cut); text has at least 20 columns. With
        `ascii_only` signs and texts are spelled in ASCII. Sets `shown` (the lines to show), `comments` (by the index of
        a mark), `margin` (blanks as wide as sign, number and score), `room` (columns for a remark; None: no limit) and
        `spell`, which every text goes through.
        """
        self.marking = marking
        self.spell: Callable[[str], str] = str
        if ascii_only:
            from ..document_parts import ascii_text

            self.spell = ascii_text
        self.signs = {verdict: self.spell(look.sign) for verdict, look in answer_marks.LOOKS.items()}
        self.shown = answer_marks.lines(marking)
        self.comments = answer_marks.comments_by_line(marking, self.shown)
        self.sign_width = 2 if ascii_only else 1
        self.number_width = max((len(str(line.number)) for line in self.shown), default=1)
        scores = [self.score(marks) for marks in (*(line.marks for line in self.shown), answer_marks.missing(marking))]
        self.scores_width = max(map(len, scores), default=0)
        self.margin = " " * (self.sign_width + 1 + self.number_width + self.scores_width)
        self.room = max(columns - width(self.margin) - 3, 20) if columns is not None else None

    def lines(self, title: str) -> list[list[Piece]]:
        """Return the title, assumptions, marked lines, missing rows, explanations, and the headline, as lines of (text,
        style) pieces.

        A blank line is [], one after the title, and one before the explanations and headline if anything is between the
        title and them. The help of a problem that stopped marking is not included.
        """
        marking = self.marking
        out: list[list[Piece]] = [[(self.spell(title), "bold")], []]
        for note in answer_marks.assumptions(marking):
            out += self.wrapped_remark(note)
        for line in self.shown:
            out += self.line(line)
        for index in answer_marks.missing(marking):
            out += self.missing_row(index)
        if len(out) > 2:
            out.append([])
        for text in answer_marks.explanations(marking):
            out += [[(piece, "")] for piece in self.wrap_text(text, len(self.margin) + 3)]
        color = _COLORS[answer_marks.HEADLINE_TONES[marking.verdict]]
        out += [[(piece, f"bold {color}")] for piece in self.wrap_text(answer_marks.summary(marking), 0)]
        return out

    def line(self, line: answer_marks.MarkedLine) -> list[list[Piece]]:
        """Return the lines of pieces for `line`, a line of the answer, with its marks and remarks below.

        The first has sign, number, score and text. Then follow, for each mark, the underlined place (only if it is not
        correct and its feedback is shown) and its comments, and last the remarks on parts that are not counted. The
        sign is that of the worst mark. A gap (number 0) is one line without number. A line without marks has no sign
        and no score, but such remarks. A text that is too long is cut around its leftmost underlined place, or at its
        end if there is none.
        """
        if not line.number:
            return [[(self.margin, ""), (self.spell(f" {line.text}"), "dim")]]
        number = str(line.number).rjust(self.number_width)
        margin: list[Piece] = [(f"{' ' * self.sign_width} {number}{' ' * self.scores_width} | ", "dim")]
        if line.marks:
            worst = answer_marks.worst_mark([self.marking.marks[index] for index in line.marks])
            margin = [*self.format_margin(line.marks, worst.verdict, number), (" | ", "dim")]
        pointed = [index for index in line.marks if answer_marks.is_underlined(self.marking, index)]
        places = {index: self.place(index) for index in pointed}
        view = self.view(line.text, min((column for column, _ in places.values()), default=1))
        out: list[list[Piece]] = [[*margin, (view.text, "")]]
        for index in line.marks:
            if index in places:
                style = _COLORS[answer_marks.LOOKS[self.marking.marks[index].verdict].tone]
                out.append([(f"{self.margin} | ", "dim"), (view.underline(*places[index]), style)])
            for sentence in self.comments[index]:
                out += self.wrapped_remark(sentence)
        for remark in line.uncounted:
            out += self.wrapped_remark(remark)
        return out

    def view(self, text: str, column: int) -> View:
        """Return the part of a line of the answer that is shown, around `column` (from 1), as a View: the whole line,
        or, if that is wider than the terminal has room for, a cut one.
        """
        return View(text, column, self.spell) if self.room is None else View(text, column, self.spell, self.room - 2)

    def place(self, index: int) -> tuple[int, int]:
        """Return (column, length) of the text of the mark at `index`, with columns from 1, both counted in characters;
        (1, 1) if it has no place in the answer.
        """
        span = self.marking.marks[index].span
        if span is None:
            return 1, 1
        return span.source.position(span.start)[1], span.end - span.start

    def missing_row(self, index: int) -> list[list[Piece]]:
        """Return the lines about the row at `index` of the marks, which the answer lacks.

        They are its remarks, each wrapped on lines of its own; the first line has its sign and score in the margin
        instead of a line of the answer.
        """
        verdict = self.marking.marks[index].verdict
        sentences = answer_marks.comments(self.marking, index)
        first, *rest = [line for sentence in sentences for line in self.wrapped_remark(sentence)]
        return [[*self.format_margin([index], verdict, " " * self.number_width), *first[1:]], *rest]

    def format_margin(self, marks: Sequence[int], verdict: str, number: str) -> list[Piece]:
        """Return the pieces of a line's margin: the sign of its `verdict`, its `number` (a text of full width), and the
        score of its `marks` (indices), in the widths of the whole report.
        """
        sign, style = self.signs[verdict].ljust(self.sign_width), _COLORS[answer_marks.LOOKS[verdict].tone]
        return [(sign, style), (f" {number}", "dim"), (self.score(marks).rjust(self.scores_width), style)]

    def score(self, marks: Sequence[int]) -> str:
        """Return the score of a line, `1½ of 2`, with two blanks before it; empty if no quantity is counted on the
        line. `marks` are the indices of its marks.
        """
        text = answer_marks.line_score(self.marking, marks)
        return f"  {self.spell(text)}" if text else ""

    def wrapped_remark(self, text: str) -> list[list[Piece]]:
        """Return the lines of a remark below a line of the answer: an empty margin, ` = ` in the first line (blanks in
        the others), and the text.
        """
        return [
            [(self.margin, ""), (" = " if k == 0 else "   ", "dim"), (piece, "")]
            for k, piece in enumerate(self.wrap_text(text))
        ]

    def wrap_text(self, text: str, more: int = 0) -> list[str]:
        """Return `text` in lines of at most `room` + `more` columns; as a single line if `room` is None (no limit).

        With a limit, an empty text has no lines. Words are broken only if they are longer than a line, and not at
        hyphens. Characters that are not printable are made visible first, and all become ASCII if that was requested.
        """
        text = self.spell(visible(text))
        if self.room is None:
            return [text]
        from textwrap import wrap  # slow to import, and only for terminals

        return wrap(text, self.room + more, break_on_hyphens=False)
