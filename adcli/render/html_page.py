"""HTML page: escaping, and the frame of a self-contained page for light, dark and print."""

from __future__ import annotations

import html
import re

from ..errors import visible

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d0d7de; --soft: #f4f6f8; --blue: #0b57d0;
  --red: #b3261e; --green: #146c2e; --amber: #8a5a00; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14171c; --line: #3a414b;
  --soft: #1e232a; --blue: #8ab4f8; --red: #f2a09a; --green: #86d39b; --amber: #e8c06a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h1:has(math) { font-weight: normal; }
h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .25rem .75rem; text-align: left; vertical-align: baseline; }
thead th { border-bottom: 2px solid var(--line); white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.rule > * { border-top: 1px solid var(--line); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; } code { overflow-wrap: anywhere; }
.wide { display: inline-block; max-width: 100%; overflow: auto hidden; padding: .2em 0; vertical-align: middle; }
.good { color: var(--green); } .fair { color: var(--amber); } .bad { color: var(--red); }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
h1, h2, h3 { overflow-wrap: anywhere; } td code { white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: none; color: inherit; text-decoration: underline wavy var(--red); text-underline-offset: .25em; }
mark.fair { text-decoration-color: var(--amber); }
tr.lit > * { background: var(--soft); }
main > p > strong:only-child:is(.good, .fair, .bad) { font-size: 1.2rem; }
body:has(table.answer) { max-width: 52rem; } .answer { width: 100%; }
.answer :is(th, td) { border-bottom: 1px solid var(--line); }
.answer th:first-child { white-space: nowrap; text-align: left; }
.answer td > code + math { margin-left: 1rem; }
.sign { display: inline-block; min-width: 1.3em; text-align: center; font-weight: 600; }
.answer :is(th, td):last-child { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.answer :is(th, td):is(:first-child, :last-child) { width: 1%; font-weight: normal; }
.remark { margin: .15rem 0; padding-left: .6rem; border-left: 3px solid var(--line); font-size: .95rem; }
.trace { min-width: 14rem; } .trace:has(th:nth-child(5)) { min-width: 100%; } .trace thead math { font-size: 1.1rem; }
:is(h1, h2, h3, li, main > p) > math, .equation math, table:not(.answer) math { math-style: normal; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
svg.bar { height: .8rem; width: 12rem; vertical-align: middle; } svg.bar rect { fill: var(--blue); }
@media (max-width: 40rem) { .scroll > table { width: max-content; } th, td { max-width: 16rem; }
  :is(h1, h2) { font-size: 1rem; } .scroll > table.answer { width: 100%; table-layout: fixed; }
  .answer :is(th, td) { max-width: none; } .answer td math { font-size: .85em; margin-left: 0 !important; }
  .answer :is(th, td):first-child { width: 3.2rem !important; }
  .answer :is(th, td):last-child { width: 5.2rem !important; white-space: normal; }
  :is(.answer, .trace) :is(th, td) { padding: .25rem .3rem; }
  .trace :is(th, td):first-child { position: sticky; left: 0; background: var(--paper); } }
@media print { body { max-width: none; padding: 0; } .scroll, .wide { overflow: visible; }
  .wide > math { font-size: var(--size, 1em); } tr { break-inside: avoid; }
  table { font-size: .8rem; } th, td { padding: .15rem .4rem; } }
"""


def dark_rules(rules: str) -> str:
    """Return the CSS `rules`, which must end in a line break, so that they apply only on screens that prefer dark
    colours.
    """
    return f"@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n"


def escaped(text: str) -> str:
    """Return the text escaped for HTML, in elements and quoted attributes; characters that are not printable are made
    visible.
    """
    return html.escape(visible(text))


_REGION = re.compile(r'role="region" aria-label="([^"]*)"')


def page(title: str, body: str, *, style: str = "", script: str = "", way: str = "") -> str:
    """Return a complete HTML document without external files, in which only inline style and script may run.

    `way` is the navigation before the content `body`; `style` is added to the common style; `script` is put at the end.
    Of several regions with one label the second gets ` 2`, and so on. `title` may be any text and is escaped. `body`,
    `style`, `script` and `way` must be HTML, CSS or JavaScript of this program, and are inserted unchanged.
    """
    scripted = f"<script>\n{script}</script>\n" if script else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{way}<main>\n"
        f"{_number_regions(body)}</main>\n{scripted}</body>\n</html>\n"
    )


def _number_regions(body: str) -> str:
    """Return the HTML `body` with a unique label for every region: the second one with a label gets ` 2`."""
    seen: dict[str, int] = {}

    def named(match: re.Match[str]) -> str:
        count = seen[match[1]] = seen.get(match[1], 0) + 1
        return match[0] if count == 1 else f'role="region" aria-label="{match[1]} {count}"'

    return _REGION.sub(named, body)
