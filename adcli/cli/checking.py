"""The work of `adcli check`: an answer read, marked and shown as far as it may be."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..classroom.key import Key
from ..errors import RequestError
from ..marking.assessing import assess
from ..marking.disclosure import disclosed
from ..marking.model import Marking
from ..marking.reading.collector import BYTES
from ..marking.task import task_of
from .arguments import chosen_format, split_names
from .check import FORMATS
from .files import file_bytes, key_of
from .pages import write_page
from .stream import Stream

_SHARE = re.compile(r"\d{1,9}(?:/0*[1-9]\d{0,8}|\.\d{1,9})?\Z", re.ASCII)


def check(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Marks an answer and writes the report; None when there is no answer to read."""
    if flags["answer"] is None and sys.stdin.isatty():
        return None
    stream.dress(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    key = _key(flags)
    rules = key.rules
    if flags["places"] is not None:
        rules = rules._replace(min_places=flags["places"])
    if flags["method"] is not None:
        rules = rules._replace(method=_share(flags["method"]))
    wrt = split_names(flags["wrt"])
    tasks = [
        task._replace(mode=flags["mode"] or task.mode, wrt=wrt or task.wrt)
        for task in key.tasks_for(flags["student"])
    ]  # fmt: skip
    data, name = _answer(flags["answer"])
    level = key.disclose if flags["disclose"] is None else flags["disclose"]
    found = assess(data, name, tasks, rules, flags["decimal"] or key.decimal)
    markings = [disclosed(marking, level) for marking in found]
    text = _document(stream, form, markings, name)
    if form == "html":
        write_page(stream, text)
    else:
        stream.write(text)
    stream.close()
    for problem in dict.fromkeys(marking.problem for marking in markings if marking.problem is not None):
        stream.error(problem)
    return max(stream.code, *(marking.verdict == "wrong" for marking in markings))


def _key(flags: dict[str, Any]) -> Key:
    if (flags["problem"] is None) == (flags["key"] is None):
        raise RequestError(
            "an answer is marked by a problem or a key", help='give --problem "x^2 @ x=3" or --key hw.toml, not both'
        )
    if flags["problem"] is None:
        return key_of(flags["key"])[0]
    task = task_of(flags["problem"], name="--problem", mode=flags["mode"], wrt=split_names(flags["wrt"]))
    return Key("", (task,))


def _answer(path: str | None) -> tuple[bytes, str]:
    """The bytes of the answer, one more than are allowed at most, and its name."""
    if path is None or path == "-":
        return sys.stdin.buffer.read(BYTES + 1), "-"
    return file_bytes(path, BYTES + 1), path


def _share(text: str) -> Fraction:
    if not _SHARE.match(text) or Fraction(text) > 1:
        raise RequestError(f"--method {text} is no share from 0 to 1", help="write --method 1/2")
    return Fraction(text)


def _document(stream: Stream, form: str, markings: Sequence[Marking], name: str) -> str:
    if form == "json":
        from ..render.data import json_text
        from ..render.marks_data import as_dict

        found = [as_dict(marking) for marking in markings]
        return json_text(found[0] if len(found) == 1 else found, ascii_only=stream.ascii) + "\n"
    if form == "markdown":
        from ..render.marks_markdown import document as markdown

        return markdown(markings)
    if form == "html":
        from ..render.marks_html import document as html

        return html(markings, os.path.basename(name))
    from ..render.marks_text import document, plain

    drawn = form == "table" and stream.is_terminal
    pieces = document(markings, stream.ascii, stream.width() if drawn else None)
    if not drawn:
        return plain(pieces)
    from ..render.terminal import styled

    return styled(pieces, stream.width(), stream.wants_color())
