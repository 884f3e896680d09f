"""The manual: short pages in Markdown that ship with the program, for terminals, as a site and as man pages."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from importlib.resources import files

from ..typings import TYPE_CHECKING
from . import read_file
from .html_page import escaped, page

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

INDEX = "index"
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\n]*)\)")
# Accessibility: scrollable regions are focusable and named, header cells have a scope.
_SITE = {
    "<pre>": '<pre tabindex="0" role="group" aria-label="Example">',
    "<table>": '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>',
    "</table>": "</table></div>",
    "<th></th>": "<td></td>",
    "<th>": '<th scope="col">',
}


def topics() -> list[str]:
    """Return the names of all pages, in the order of the index, which comes first."""
    listed = [target.removesuffix(".md") for _, _, target in _LINK.findall(markdown(INDEX))]
    return [INDEX, *dict.fromkeys(listed)]


def markdown(topic: str) -> str:
    """Return the Markdown of the page `topic`, one of `topics`, without lines that begin a comment (`<!--`)."""
    text = (files("adcli") / "manual" / f"{topic}.md").read_text(encoding="utf-8")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("<!--"))


def title(topic: str) -> str:
    """Return the title of a page: its first line without `# `."""
    return markdown(topic).partition("\n")[0].removeprefix("# ")


def for_terminal(topic: str, columns: int, color: bool) -> str:
    """Return a page laid out for a terminal of `columns` columns (at most 120); links become names, pictures their
    descriptions."""
    from .terminal import draw_markdown

    text = _LINK.sub(lambda match: f"*{match[2]}*" if match[1] else f"**{match[2]}**", markdown(topic))
    return draw_markdown(text, min(columns, 120), color)


# --- a site -----------------------------------------------------------------------------------------------------------


def site() -> Iterator[tuple[str, str]]:
    """Yield (file name, HTML) for the pages of a static site, in the order of `topics`.

    A page is complete, `TOPIC.html`, with the title `adcli: …` and its style inside. `.md` in the addresses of links
    becomes `.html`, pictures are embedded as data URLs, code blocks and tables can be scrolled by the keyboard. Each
    page but the index has a link to the index before its content.
    """
    reader = _reader()
    for topic in topics():
        tokens = reader.parse(markdown(topic))
        for token in _flat(tokens):
            if token.type == "link_open":
                token.attrSet("href", str(token.attrGet("href")).replace(".md", ".html"))
            elif token.type == "image":
                token.attrSet("src", _picture(str(token.attrGet("src"))))
        body = reader.renderer.render(tokens, reader.options, {})
        for plain, replacement in _SITE.items():
            body = body.replace(plain, replacement)
        link = f'<nav aria-label="Manual"><a href="{INDEX}.html">{escaped(title(INDEX))}</a></nav>\n'
        way = "" if topic == INDEX else link
        yield f"{topic}.html", page(f"adcli: {title(topic)}", body, style="\n" + read_file("manual.css"), way=way)


def _picture(name: str) -> str:
    """Return the SVG picture called `name` in the folder of the manual as a data URL."""
    return "data:image/svg+xml;base64," + b64encode((files("adcli") / "manual" / name).read_bytes()).decode()


def _reader() -> MarkdownIt:
    """Return a parser of CommonMark with tables, without HTML."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield all tokens in order, each followed by its direct children."""
    for token in tokens:
        yield token
        yield from token.children or ()


# --- man pages --------------------------------------------------------------------------------------------------------

_MARKS = {"strong_open": r"\fB", "strong_close": r"\fR", "em_open": r"\fI", "em_close": r"\fR", "softbreak": "\n"}
_BEFORE = {"paragraph_open": ".PP\n", "list_item_open": ".IP \\(bu 2\n", "thead_open": ".PP\n"}
_BEFORE |= dict.fromkeys(("td_open", "th_open"), "\t")
_AFTER = {"paragraph_close": "\n", "tr_close": "\n.br\n", "heading_close": "\n"}


def man_pages() -> Iterator[tuple[str, str]]:
    """Yield (file name, roff text) for each page of the manual, section 7."""
    for topic in topics():
        name = "adcli-manual" if topic == INDEX else f"adcli-{topic}"
        yield f"{name}.7", man_page(name, title(topic), markdown(topic).partition("\n")[2])


def man_page(name: str, about: str, text: str, section: int = 7) -> str:
    """Return a man page called `name` from Markdown `text` without its title; `about` is the short description.

    `section` is the section of the man pages (7: miscellaneous). Headings of level 2 are sections, others subsections;
    code is indented; table rows are lines with bullets between the cells; links and pictures become their texts.
    """
    head = f'.TH {name.upper()} {section} "" adcli\n.SH NAME\n{_roff(name)} \\- {_roff(about)}\n.SH DESCRIPTION\n'
    pieces: list[str] = []
    for token in _reader().parse(text):
        if token.type == "heading_open":
            pieces.append(".SH " if token.tag == "h2" else ".SS ")
        elif token.type in ("fence", "code_block"):
            pieces.append(f".RS 4\n.nf\n{_roff(token.content)}.fi\n.RE\n")
        elif token.type == "inline":
            pieces.append(_roff_line(token.children or []))
        else:
            pieces.append(_BEFORE.get(token.type, "") + _AFTER.get(token.type, ""))
    lines = "".join(pieces).split("\n")
    joined = "\n".join(line.removeprefix("\t").replace("\t", "  \\(bu  ") for line in lines)
    return head + joined.replace(".IP \\(bu 2\n.PP\n", ".IP \\(bu 2\n")


def _roff_line(tokens: Sequence[Token]) -> str:
    """Return the tokens of a line as roff: code and bold in bold, emphasis in italics, pictures as their descriptions,
    other markup removed.
    """
    texts = []
    for token in tokens:
        if token.type == "code_inline":
            texts.append(rf"\fB{_roff(token.content)}\fR")
        elif token.type in ("text", "image"):
            texts.append(_roff(token.content))
        else:
            texts.append(_MARKS.get(token.type, ""))
    return "".join(texts)


def _roff(text: str) -> str:
    r"""Return the text with nothing that roff would interpret: backslashes and hyphens are escaped, and `\&` is put
    before a dot or apostrophe at the start of a line.
    """
    lines = text.replace("\\", r"\e").replace("-", r"\-").split("\n")
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)
