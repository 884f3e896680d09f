"""Outcome files of a run, which a person may have edited since: an edited file is kept, and the new text goes next
to it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256

from ..writing import write_file

# In the folder of remembered work: what was written last, by path; students' work there ends in .json.
_LEDGER = "written"

_MOST = 100  # files next to one that people may have changed, too


class OutcomeFiles:
    """The files of a run in a folder, written at its end: unchanged ones are replaced, edited ones are kept.

    `memory` is the folder of the ledger of what was written, and of a copy of the files whose edits count.
    """

    def __init__(self, folder: str, memory: str) -> None:
        self.folder, self.memory, self.ledger = folder, memory, os.path.join(memory, _LEDGER)
        self.planned: dict[str, bytes] = {}
        self.copied: set[str] = set()
        self.accepted: set[str] = set()  # digests of files whose edits have been taken over

    def put(self, path: str, text: str) -> None:
        """Plan a file with this text; the path is relative to the folder, with slashes."""
        self.planned[path] = text.encode("utf-8", "surrogateescape")

    def edits(self, path: str) -> tuple[bytes, bytes] | None:
        """Return (a file as it was written, the file as it is now) if a person has changed it since.

        None if the file is unchanged, or if the file or its copy is missing. `path` is relative to the folder. The
        edits then count as taken over: `finalize` replaces the file. After each call `finalize` also keeps a copy of
        the file for the next run.
        """
        self.copied.add(path)
        there, copy = self._content(path), self._content(os.path.join(os.path.abspath(self.memory), path))
        if there is None or copy is None or _digest(there) in self._read_ledger().get(path, ()):
            return None
        self.accepted.add(_digest(there))
        return copy, there

    def finalize(self) -> dict[str, str]:
        """Write all planned files whose content differs, and return those that a person has changed, as
        {path: path of the file next to it}.

        Files that a person has changed stay as they are, and their new text goes to the file next to them; but a file
        whose changes `edits` has returned is replaced. Copies of files for which `edits` was called and the ledger are
        written to `memory`; files next to others that are not needed any more are removed unless they were edited.
        Raises OutputProblem if a file cannot be written. The order is: the ledger with old and new digests (only if a
        file changes), copies, files, removals, the final ledger (only if it differs).
        """
        before = self._read_ledger()
        kept, gone, texts = self._plan_files(before)
        new = {path: [_digest(text)] for path, text in texts.items()}
        changed = {path: text for path, text in texts.items() if self._content(path) != text}
        if changed:  # an interrupted run has written some of them: what was and what will be are both this program's
            self._remember({path: [*before.get(path, []), *new.get(path, [])] for path in {**before, **new}})
        for path in sorted(self.copied & texts.keys()):
            if self._content(os.path.join(os.path.abspath(self.memory), path)) != texts[path]:
                write_file(os.path.join(self.memory, path), texts[path])
        for path, text in changed.items():
            write_file(os.path.join(self.folder, path), text)
        for path in gone:
            os.remove(os.path.join(self.folder, path))
        after = {path: digests for path, digests in {**before, **new}.items() if path not in gone}
        if changed or after != before:
            self._remember(after)
        return kept

    def _plan_files(self, before: Mapping[str, list[str]]) -> tuple[dict[str, str], list[str], dict[str, bytes]]:
        """Return ({path of a file that is kept: path of the file next to it}, paths of files next to others to remove,
        {path: text}).

        `before` has the digests of what earlier runs wrote. A file is kept if a person has changed it since, unless
        `edits` has taken its changes over (`_is_edited`). The texts are those of all planned files, also of unchanged
        ones; the text of a kept file goes to the file next to it. A file next to one that is not kept is removed if it
        is as an earlier run wrote it.
        """
        kept = {path: self._new_path(path, before) for path in self.planned if self._is_edited(path, before)}
        texts = {kept.get(path, path): text for path, text in self.planned.items()}
        new_paths = [self._new_path(path, before) for path in self.planned if path not in kept]
        gone = [new_path for new_path in new_paths if new_path in before and self._is_written(new_path, before)]
        return kept, gone, texts

    def _new_path(self, path: str, before: Mapping[str, list[str]]) -> str:
        """Return `grades.new.csv` for `grades.csv`: the first of .new, .new2, … .new99 that is not planned and is free
        or as an earlier run wrote it, else .new100.
        """
        stem, suffix = os.path.splitext(path)
        names = (f"{stem}.new{number}{suffix}" for number in ("", *range(2, _MOST)))
        return next((name for name in names if self._is_free(name, before)), f"{stem}.new{_MOST}{suffix}")

    def _is_free(self, path: str, before: Mapping[str, list[str]]) -> bool:
        """Return whether a file may be written at `path`: none is planned there, and there is none, or only one that an
        earlier run wrote.
        """
        return path not in self.planned and (self._content(path) is None or self._is_written(path, before))

    def _is_written(self, path: str, before: Mapping[str, list[str]]) -> bool:
        """Return whether a file is there as an earlier run has written it."""
        there = self._content(path)
        return there is not None and _digest(there) in before.get(path, ())

    def _is_edited(self, path: str, before: Mapping[str, list[str]]) -> bool:
        """Return whether a person has changed a planned file: it exists, differs from the planned text and from what
        earlier runs wrote, and its edits have not been taken over.
        """
        there = self._content(path)
        known = there is None or there == self.planned[path] or _digest(there) in self.accepted
        return not known and not self._is_written(path, before)

    def _content(self, path: str) -> bytes | None:
        """Return the content of the file at `path` in the folder; None if it cannot be read."""
        try:
            with open(os.path.join(self.folder, path), "rb") as stream:
                return stream.read()
        except OSError:
            return None

    def _read_ledger(self) -> dict[str, list[str]]:
        """Return the digests of all texts that earlier runs may have written to each file, by path.

        {} if the ledger is missing, cannot be read, or is damaged. A file with several digests is from a run that was
        interrupted. The ledger is read anew at each call.
        """
        try:
            with open(self.ledger, encoding="utf-8") as stream:
                data = json.load(stream)
            return {str(path): [str(digest) for digest in digests] for path, digests in data.items()}
        except (OSError, ValueError, AttributeError, TypeError, RecursionError):
            return {}  # nothing was written yet, or it is not known what

    def _remember(self, digests: Mapping[str, list[str]]) -> None:
        """Write the ledger: the digests of each path, each once, as JSON sorted by path."""
        text = json.dumps({path: list(dict.fromkeys(digests[path])) for path in sorted(digests)}, indent=0)
        write_file(self.ledger, text + "\n")


def _digest(text: bytes) -> str:
    return sha256(text).hexdigest()
