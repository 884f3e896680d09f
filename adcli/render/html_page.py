"""What every HTML page of ours shares: escaping, and one self-contained page in light, dark and print."""

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
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .25rem .75rem; text-align: left; vertical-align: top; }
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
svg.bar { height: .8rem; width: 12rem; vertical-align: middle; } svg.bar rect { fill: var(--blue); }
@media (max-width: 40rem) { .scroll > table { width: max-content; } th, td { max-width: 16rem; }
  :is(h1, h2) { font-size: 1rem; } }
@media print { body { max-width: none; padding: 0; } .scroll, .wide { overflow: visible; } tr { break-inside: avoid; }
  table { font-size: .8rem; } th, td { padding: .15rem .4rem; } }
"""


def escaped(text: str) -> str:
    """The text as text in HTML, in elements and in quoted attributes."""
    return html.escape(visible(text))


_REGION = re.compile(r'role="region" aria-label="([^"]*)"')


def page(title: str, body: str, *, style: str = "", script: str = "", way: str = "") -> str:
    """A whole HTML document that needs nothing else: `way` leads to others, `body` is what it is about.

    These, `style` and `script` are ours, `title` is any text.
    """
    scripted = f"<script>\n{script}</script>\n" if script else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{way}<main>\n"
        f"{_told_apart(body)}</main>\n{scripted}</body>\n</html>\n"
    )


def _told_apart(body: str) -> str:
    """The same with a name of its own for every region: the second of a name gets a 2."""
    seen: dict[str, int] = {}

    def named(found: re.Match[str]) -> str:
        count = seen[found[1]] = seen.get(found[1], 0) + 1
        return found[0] if count == 1 else f'role="region" aria-label="{found[1]} {count}"'

    return _REGION.sub(named, body)
