"""Downloads of two systems, Blackboard and Gradescope: the owner of each file, by its name and by lists next to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ..errors import AdcliError
from ..records import NamedTuple
from .archives import File
from .naming import Owned, Submission

_NAME = re.compile(r"(.+)_attempt_(\d{4}(?:-\d{2}){5})(?:_(.+)|\.txt)", re.ASCII | re.DOTALL)
_WHO = re.compile(r"Name: *([^\n]{1,200}?) *\(([^()\n]{1,100})\) *(?:\r?\n|\Z)")
_WRITTEN_TEXT = re.compile(r"\nSubmission Field:[^\S\n]*\r?\n(.*?)\r?\n\s*\nComments:[^\S\n]*\r?\n", re.DOTALL)
_NONE = "There is no student submission text data"
_LONGEST = 1_000_000  # bytes of a report that are looked at


class _AttemptReport(NamedTuple):
    """The content of a report: the student's name, the user name, the text of the submission."""

    name: str
    user: str
    text: str


class _Attempt(NamedTuple):
    """A file of an attempt: the assignment and the student as one text, the digits of the time, and the student's own
    file name, or the report (None for another file)."""

    head: str
    stamp: int
    student_file: str
    report: _AttemptReport | None


def attempts(files: Sequence[File]) -> tuple[dict[str, Owned], list[File]]:
    """Return (the owners of the files that Blackboard named, by file name, all files in order).

    Left out are reports without text if the same attempt has other files; the other reports keep their file name, but
    hold only their text, and have the student's own name submission.html (if the text contains `</`) or submission.txt.
    A student is called by the user name in a report, else by the last part of the name before `_attempt_`, or more of
    it if several have the same; the aliases are this name and, if there is a report, the name in it. Without any such
    file name all files are returned unchanged, with no owners.
    """
    attempts_by_name: dict[str, _Attempt] = {}
    for file in files:
        match = _NAME.fullmatch(file.name.rpartition("/")[2])
        if match is not None:
            report = None if match[3] else _read_report(file)
            stamp = int(match[2].replace("-", ""))
            attempts_by_name[file.name] = _Attempt(match[1], stamp, match[3] or "", report)
    if not attempts_by_name:
        return {}, list(files)
    every = attempts_by_name.values()
    reports = {attempt.head: attempt.report for attempt in every if attempt.report and attempt.report.user}
    users = _user_names({attempt.head for attempt in every}, reports)
    answered = {attempt.head for attempt in every if attempt.student_file}
    owners: dict[str, Owned] = {}
    kept: list[File] = []
    for file in files:
        attempt = attempts_by_name.get(file.name)
        if attempt is not None:
            student_file, report = attempt.student_file, attempt.report
            if report is not None:
                if not report.text and attempt.head in answered:
                    continue
                student_file = "submission.html" if "</" in report.text else "submission.txt"
                file = file._replace(load=report.text.encode)
            names = (users[attempt.head], *(reports[head].name for head in (attempt.head,) if head in reports))
            owners[file.name] = Owned(Submission(names[0], names, "", ()), student_file, attempt.stamp, by_system=True)
        kept.append(file)
    return owners, kept


def _read_report(file: File) -> _AttemptReport:
    """Return (name, user name, text) of a report, the text file that Blackboard adds to an attempt.

    The first 1,000,000 bytes are read. Each part is "" if it is not there, all three if the file cannot be loaded; the
    text is "" as well if the report says that there is none.
    """
    try:
        text = file.load()[:_LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    except AdcliError:
        return _AttemptReport("", "", "")
    who, field = _WHO.match(text), _WRITTEN_TEXT.search(text)
    text_written = field[1].strip() if field else ""
    name, user = (who[1], who[2]) if who else ("", "")
    return _AttemptReport(name, user, "" if text_written.startswith(_NONE) else text_written)


def _user_names(heads: set[str], reports: dict[str, _AttemptReport]) -> dict[str, str]:
    """Return {head: user name}; a head, one of `heads`, is the beginning of a student's file names, such as "hw1_jdoe".

    The first that applies: the user name of the report in `reports`; the last word of the head, "jdoe", if no other
    head without a report has the same; all words after those that all heads share.
    """
    often = Counter(head.rpartition("_")[2] for head in heads - reports.keys())
    first, last = min(heads), max(heads)  # a beginning of both is one of all
    shared = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    shared = first.rfind("_", 0, shared) + 1
    user_names = {head: report.user for head, report in reports.items()}
    for head in heads - reports.keys():
        last_word = head.rpartition("_")[2]
        user_names[head] = last_word if often[last_word] == 1 else head[shared:]
    return user_names


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
    """Return the submitters of each folder or file, by its name, from Gradescope's metadata file that `load` returns.

    Left out are lines that cannot be read, those beyond 200,000, people without name, sid and email, and entries
    without any submitter. Equal names are one entry. All submitters of an entry are late if its lateness is one word
    with a digit other than 0, or true or yes. Empty if the file cannot be loaded.
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
    known = {name: (entry.late, [x for x in entry.people if any(x.values())]) for name, entry in entries.items()}
    return {name: [Submitter(**x, late=late) for x in who] for name, (late, who) in known.items() if name and who}


class _MetadataEntry:
    """The known facts about a folder or file: the fields of its submitters, and whether it is late.

    `is_inside` tells that the next lines are about submitters.
    """

    def __init__(self) -> None:
        self.people: list[dict[str, str]] = []
        self.late = self.is_inside = False

    def take(self, line: str) -> None:
        """Take the field in a line of the entry into `people` or `late`; other lines are ignored.

        Lines indented by at most two blanks begin blocks; name, sid and email count only in the block of submitters,
        where a dash begins another person, as does the first field. A name that begins with `late` counts only in a
        line indented by at most two blanks: `late` becomes True for one word with a digit from 1 to 9, true or yes, and
        stays so.
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
    r"""Return the character of an escape in a YAML string (a callback of re.sub).

    Escapes are `\n`, `\t`, `\0` and codes of two, four or eight hex digits; any other escaped character represents
    itself. U+FFFD for a code that is not a character.
    """
    two, four, eight, other = match.groups()
    if other is not None:
        return {"n": "\n", "t": "\t", "0": "\0"}.get(other, other)
    number = int(two or four or eight, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
