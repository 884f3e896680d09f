"""Gradescope's export of its submissions: `submission_metadata.yml`, a small part of YAML read line by line.

submission_123:            or 123.pdf, the name of a folder or a file next to it
  :submitters:
  - :name: Jane Doe
    :sid: '100'
    :email: jane@uni.edu
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import AdcliError
from ..records import NamedTuple

METADATA = "submission_metadata.yml"
_MOST = 200_000  # lines that are read
_ENTRY = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#:'"-][^#:]*)):\s*\Z""")
_FIELD = re.compile(r"\s*(-\s+)?:?(name|sid|email|submitters|lateness|late):(?:\s+(.*))?\Z", re.IGNORECASE)
_BLOCK = re.compile(r"\s{1,2}:?(\w+):")
_ESCAPED = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")


class Submitter(NamedTuple):
    """One of the students who handed something in together."""

    name: str = ""
    sid: str = ""
    email: str = ""
    late: bool = False

    @property
    def id(self) -> str:
        return self.email or self.sid or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Return all names of the student, the most reliable first."""
        return tuple(dict.fromkeys(filter(None, (self.email, self.sid, self.name))))


def read_metadata(load: Callable[[], bytes]) -> dict[str, list[Submitter]]:
    """Return the submitters of each folder or file, by its name; lines that cannot be read, those beyond 200,000, and
    entries without any submitter are left out.

    All submitters of an entry are late if its lateness has a digit other than 0, or late is true or yes. Empty if the
    file cannot be loaded.
    """
    try:
        text = load().decode("utf-8", "replace").removeprefix("\ufeff")
    except AdcliError:
        return {}
    entries: dict[str, _MetadataEntry] = {}
    entry: _MetadataEntry | None = None
    for line in text.splitlines()[:_MOST]:
        if line[:1] not in ("", " ", "-", "#", "\t") and _ENTRY.match(line):
            entry = entries.setdefault(_scalar(line.rstrip().removesuffix(":")), _MetadataEntry())
            entry.is_inside = False
        elif entry is not None:
            entry.take(line)
    return {
        name: [Submitter(**fields, late=entry.late) for fields in entry.people]
        for name, entry in entries.items()
        if name and any(any(fields.values()) for fields in entry.people)
    }


class _MetadataEntry:
    """What is known of a folder or file: the fields of its submitters, and whether it is late.

    `is_inside` tells that the next lines are about submitters.
    """

    def __init__(self) -> None:
        self.people: list[dict[str, str]] = []
        self.late = self.is_inside = False

    def take(self, line: str) -> None:
        """Take the field in a line of the entry into `people` or `late`; other lines are ignored.

        Lines indented by at most two blanks begin blocks; name, sid and email count only in the block of submitters,
        where a dash begins another one. Lateness counts only in a line indented by at most two.
        """
        is_outer = len(line) - len(line.lstrip()) <= 2
        block, field = _BLOCK.match(line), _FIELD.match(line)
        if block is not None and is_outer:
            self.is_inside = block[1] == "submitters"
        if field is None:
            return
        name, value = field[2].casefold(), _scalar(field[3] or "")
        if name.startswith("late"):
            is_positive = len(value.split()) == 1 and any(digit in value for digit in "123456789")
            self.late = self.late or (is_outer and (is_positive or value.casefold() in ("true", "yes")))
        elif self.is_inside and name != "submitters":
            if field[1] or not self.people:
                self.people.append({})
            self.people[-1][name] = value


def _scalar(text: str) -> str:
    """Return the value of the YAML scalar `text`: without blanks at its ends, quotation marks and escapes.

    A doubled `'` within single quotation marks is one. Empty for `~`, `null` and nothing; anything else is returned as
    it is.
    """
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPED.sub(_character, text[1:-1])
    return "" if text in ("", "~", "null", "''") else text


def _character(match: re.Match[str]) -> str:
    """Return the character of an escape in a YAML string (a callback of re.sub); U+FFFD for a code that is not a
    character.
    """
    two, four, eight, other = match.groups()
    if other is not None:
        return {"n": "\n", "t": "\t", "0": "\0"}.get(other, other)
    number = int(two or four or eight, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
