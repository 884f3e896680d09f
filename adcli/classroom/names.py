"""Names of files for students, whatever the students are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
_LONGEST = 60


def safe_names(students: Iterable[str]) -> dict[str, str]:
    """A name for each student that is a plain file name everywhere and no other student's, however case is treated.

    A name that is plain is kept; others get a part of their digest.
    """
    plain = {student: _UNSAFE.sub("_", student).strip(".")[:_LONGEST] for student in students}
    often = Counter(name.casefold() for name in plain.values())
    return {
        student: name
        if name and name == student and often[name.casefold()] == 1 and not _RESERVED.match(name)
        else f"{name or 'student'}-{_digest(student)}"
        for student, name in plain.items()
    }


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
