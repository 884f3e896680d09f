"""HTML: pages that need nothing else, in light, dark and print, with formulas in MathML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import pairwise

from ...errors import sentence
from ...notation.mathml_printer import MATHML
from ...typings import override
from .. import document_parts as dp
from ..document_format import Document, Format
from ..html_page import escaped, page

_WIDEST, _BETWEEN = 130, 3  # characters on a line of a printed page, and between two columns
_NARROWEST = 40  # least width of a long formula in a table that is split
_LONG = 33  # characters of a formula that fit on the screen of a phone
_PRINTED = 70  # characters of a formula that fit on paper; a longer one is printed in smaller letters
_MATH = re.compile(r"<math>(.*?)</math>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))  # characters without width


class Html(Format):
    """Pages of HTML; `shift` is subtracted from the levels of headings."""

    name = "html"
    suffixes = (".html", ".htm")
    whole = True
    between = ""
    around_code = ("<code>", "</code>")
    around_formula = ("<math>", "</math>")
    around_paragraph = ("<p>", "</p>\n")
    printer = MATHML

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift

    @override
    def escaped(self, text: str) -> str:
        return escaped(text)

    @override
    def strong(self, text: dp.Strong) -> str:
        tone = f' class="{text.tone}"' if text.tone else ""
        return f"<strong{tone}>{escaped(text)}</strong>"

    @override
    def marked(self, text: dp.Marked) -> str:
        return f'<mark class="{text.tone}">{self.code(text)}</mark>'

    @override
    def verdict(self, text: dp.Judgement) -> str:
        return f'<span aria-hidden="true">{escaped(text.sign)}</span><span class="unseen">{escaped(text.words)} </span>'

    @override
    def bar(self, text: dp.Bar) -> str:
        opening = '<svg class="bar" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none">'
        return f'{opening}<rect width="{int(100 * text.fraction)}" height="8"/></svg>'

    @override
    def heading(self, text: str, level: int) -> str:
        tag = f"h{level - self.shift}"
        return f"<{tag}>{text}</{tag}>\n"

    @override
    def part(self, part: dp.PlainPart) -> str:
        if isinstance(part, dp.Table):
            return self.table(part)
        if isinstance(part, dp.Heading):
            return self.heading(add_title(part.text, break_formulas(self.inline(part.text))), part.level)
        return break_formulas(super().part(part))

    @override
    def items(self, items: dp.Items) -> str:
        """Return a list ul, or an ol that starts at `items.first` if that is not None; the lines of an item are
        separated by `<br>`.
        """
        tag, start = ("ul", "") if items.first is None else ("ol", f' start="{items.first}"')
        lines = ("<br>".join(self.inline(line) for line in item) for item in items.items)
        return f"<{tag}{start}>\n{''.join(f'<li>{line}</li>{chr(10)}' for line in lines)}</{tag}>\n"

    @override
    def table(self, table: dp.Table) -> str:
        """Return the table, or several with fewer columns if it would be too wide for a printed page.

        A page holds 130 characters; columns that are not right-aligned count as at most 40, and each column as 3 more.
        Only tables without remarks that have right-aligned columns, or repeat more than one column (`stub`), are split.
        """
        wide = dp.column_widths(table)
        least = [(x if k in table.right else min(x, _NARROWEST)) + _BETWEEN for k, x in enumerate(wide)]
        splits = (table.right or table.stub > 1) and not table.remarks
        return "".join(map(self._draw_table, dp.split_columns(table, least, _WIDEST) if splits else [table]))

    def _draw_table(self, table: dp.Table) -> str:
        """Return the table in a region that the keyboard can scroll; the first cell of each row is its header.

        The class of the table is `answer` with remarks, `trace` with rules and right-aligned columns, otherwise none.
        Remarks, the last column, are put below the text of the second cell of their row (`_row`); their header is left
        out. The title is the caption. The label of the region is the title; without one, the capitalized class, or
        Table.
        """
        title = f"<caption>{self.inline(table.title)}</caption>\n" if table.title else ""
        head = ""
        if table.header:
            names = enumerate(table.header[:-1] if table.remarks else table.header)
            cells = "".join(self._head(k, name, table) for k, name in names)
            head = f"<thead>\n<tr>{cells}</tr>\n</thead>\n"
        columns = table.columns
        rows = "".join(self._row(place, row, columns, table) for place, row in enumerate(table.rows))
        kind = "answer" if table.remarks else "trace" if table.rules and table.right else ""
        label = escaped(str(table.title)) or (kind.capitalize() or "Table")
        scrolled = f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        opening = f'<table class="{kind}">' if kind else "<table>"
        return f"{scrolled}\n{opening}\n{title}{head}<tbody>\n{rows}</tbody>\n</table>\n</div>\n"

    def _row(self, place: int, row: Sequence[str], columns: int, table: dp.Table) -> str:
        """Return the row at `place` as HTML, filled with empty cells up to `columns`; with remarks it has three cells.

        Its class is `rule` if a rule is above it, and `lit` if it is the highlighted row. In a table with remarks,
        which has four columns, the third cell is a verdict (a Judgement; else it is left blank): its sign is put before
        the number of the line, and the cell shows its score, or its words if it has no score. The fourth cell, if not
        empty, is put below the text of the second.
        """
        cells = [self._cell(k, text, table) for k, text in enumerate([*row, *[""] * (columns - len(row))])]
        if table.remarks:
            below = f'<div class="remark">{self.inline(row[3])}</div>' if row[3] else ""
            verdict, marks = row[2], "<td></td>"
            head = self.inline(row[0])
            if isinstance(verdict, dp.Judgement):
                head = f'<span class="sign {verdict.tone}">{self.verdict(verdict)}</span> {head}'
                marks = f'<td class="{verdict.tone}">{escaped(verdict.score or verdict.words)}</td>'
            elif head:
                head = f'<span class="sign"></span> {head}'
            first = f'<th scope="row">{head}</th>' if head else "<td></td>"
            cells = [first, f"<td>{break_formulas(self.inline(row[1]))}{below}</td>", marks]
        kinds = " ".join(["rule"] * (place in table.rules) + ["lit"] * (place == table.lit))
        opening = f'<tr class="{kinds}">' if kinds else "<tr>"
        return f"{opening}{''.join(cells)}</tr>\n"

    def _head(self, k: int, name: str, table: dp.Table) -> str:
        """Return the header cell (`th`) of column `k` with the text or formula `name`; an ordinary empty cell if that
        is empty.
        """
        shown = self.inline(name)
        if not shown:
            return "<td></td>"
        return f'<th scope="col"{_class_attribute(k, table)}>{add_title(name, shown)}</th>'

    def _cell(self, k: int, text: str, table: dp.Table) -> str:
        """Return the cell in column `k` of a row of `table` as HTML: `th` in the first column, else `td`.

        An empty cell of the first column is `td` too. A formula alone in the first column gets its text as a title. The
        class is the tone of a Judgement, otherwise `number` in columns aligned right. Lines may break inside formulas
        if no column is aligned right, but not in the first column.
        """
        shown = self.inline(text)
        shown = shown if k == 0 or table.right else break_formulas(shown)
        if k == 0 and shown:
            return f'<th scope="row"{_class_attribute(k, table)}>{add_title(text, shown)}</th>'
        tone = f' class="{text.tone}"' if isinstance(text, dp.Judgement) and text.tone else _class_attribute(k, table)
        return f"<td{tone}>{shown}</td>"

    @override
    def document(self, problems: Sequence[Document], title: str) -> str:
        """Return a page of one or several problems.

        A page of one problem has its first heading as title; if it has no heading, `title` is the title and h1. A page
        of several problems has `title` as title and h1. Levels of headings are shifted so that the highest is h1 for
        one problem, and h2 for several.
        """
        headings = [part for parts in problems for part in parts if isinstance(part, dp.Heading)]
        top = min((heading.level for heading in headings), default=1)
        if len(problems) == 1:
            first = next((heading.text for heading in headings), title)
            above = "" if headings else f"<h1>{escaped(title)}</h1>\n"
            return page(sentence(first), above + Html(top - 1).body(problems[0]))
        bodies = "".join(Html(top - 2).body(parts) for parts in problems)
        return page(title, f"<h1>{escaped(title)}</h1>\n{bodies}")

    @override
    def in_ascii(self, text: str) -> str:
        """Return the page with character references for all characters beyond ASCII, so that nothing is lost."""
        return text.encode("ascii", "xmlcharrefreplace").decode()


def break_formulas(shown: str) -> str:
    """Return the HTML `shown` with every element `math` replaced by pieces, between which a line may break (`<wbr>`); a
    short formula is one piece, and a piece that is still long can be scrolled.
    """
    return _MATH.sub(lambda match: "<wbr>".join(map(_wrap_piece, _pieces(match[1]))), shown)


def _pieces(inside: str) -> list[str]:
    """Return a formula's MathML (`inside`) in pieces between which a line may break; one piece if it is short.

    More than 33 visible characters are cut after commas and semicolons; pieces that are still too long also before `+`,
    `−` and `=`. A later piece that begins with such a sign marks it as infix.
    """
    pieces = [inside]
    for signs in (";,", "+−="):
        parts = [_cut(piece, signs) if _visible_length(piece) > _LONG else [piece] for piece in pieces]
        pieces = [piece for part in parts for piece in part]
    # a sign at the beginning would else be taken for that of a number
    first, *others = pieces
    infix = ("<mo>+", "<mo>−", "<mo>=")
    return [first, *(p.replace("<mo>", '<mo form="infix">', 1) if p.startswith(infix) else p for p in others)]


def _cut(inside: str, signs: str) -> list[str]:
    """Return the MathML `inside` in pieces: cut after each of `signs` that is a comma or semicolon, and before each
    other one.

    With the signs `+−=`, `<mi>a</mi><mo>+</mo><mi>b</mi>` gives `<mi>a</mi>` and `<mo>+</mo><mi>b</mi>`. Only signs in
    an element `<mo>` at the top level count. Empty pieces are left out.
    """
    cuts, depth = [0], 0
    for tag in _TAG.finditer(inside):
        start, end = tag.start(), tag.start() + len("<mo>;</mo>")
        sign = inside[start:end].removeprefix("<mo>").removesuffix("</mo>")
        if depth == 0 and len(sign) == 1 and sign in signs:
            cuts.append(end if sign in ";," else start)
        depth += -1 if tag[0].startswith("</") else 0 if tag[0].endswith("/>") else 1
    return [inside[start:end] for start, end in pairwise([*cuts, len(inside)]) if start < end]


def _visible_length(inside: str) -> int:
    """Return the number of visible characters of a formula's MathML `inside`, without tags and invisible operators."""
    return len(html.unescape(_TAG.sub("", inside)).translate(_UNSEEN))


def _wrap_piece(piece: str) -> str:
    """Return a piece of a formula as an element `math`; one of more than _LONG (33) characters in a span that scrolls.

    A piece of more than _PRINTED (70) characters gets smaller letters for print, in proportion, of at least 0.4 em. For
    this second limit, the length of cases and matrices is halved.
    """
    length = _visible_length(piece)
    if length <= _LONG:
        return f"<math>{piece}</math>"
    length //= 1 + ("<mtable" in piece)  # a choice of cases has two rows at least
    size = f' style="--size: {max(_PRINTED / length, 0.4):.2f}em"' if length > _PRINTED else ""
    return f'<span class="wide" tabindex="0" role="group" aria-label="Formula"{size}><math>{piece}</math></span>'


def add_title(text: str, shown: str) -> str:
    """Return the HTML `shown` unchanged unless it consists of formulas alone; then its first `math` gets `text` as its
    title, since not every screen reader reads MathML.
    """
    alone = shown.startswith("<math>") and not _TAG.sub("", _MATH.sub("", shown))
    return shown.replace("<math>", f'<math title="{escaped(str(text))}">', 1) if alone else shown


def _class_attribute(k: int, table: dp.Table) -> str:
    return ' class="number"' if k in table.right else ""


FORMAT = Html()
