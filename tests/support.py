"""What the tests of recorded cases share: the records, and the answers of the command line as data."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from held import held
from together import together

from adcli.cli.main import main

CASES = Path(__file__).parent / "cases"
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def records(name: str) -> list[dict[str, Any]]:
    """The records of `cases/NAME.jsonl`, in order."""
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def each(found: Sequence[Mapping[str, Any]]) -> Any:
    """Runs a test for each record; where it fails, the record's id is told."""
    return together("record", found, [record["id"] for record in found])


class _Page(io.StringIO):
    """A stream that takes every character, off a terminal."""

    encoding = "utf-8"  # type: ignore[assignment]


def printed(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command line; a failure inside adcli itself fails the test."""
    out, err = _Page(), _Page()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    assert "Traceback" not in err.getvalue()
    assert "adcli has made a mistake" not in err.getvalue()
    held(out.getvalue())
    return code, out.getvalue(), err.getvalue()


class Answer(NamedTuple):
    """What came of one problem: exit code, the JSON document, standard error."""

    code: int
    data: dict[str, Any]
    err: str

    @property
    def kinds(self) -> set[str]:
        """The kinds of the notes."""
        return {note["kind"] for note in self.data["notes"]}


def point_text(at: Mapping[str, object]) -> str:
    """A point as `--at` takes it."""
    return ",".join(f"{name}={x}" for name, x in at.items())


def evaluated(text: str, at: Mapping[str, object], *flags: str) -> Answer:
    """`adcli eval TEXT --at AT --format json` with further flags."""
    point = ["--at", point_text(at)] if at else []
    code, out, err = printed("eval", "--format", "json", *point, *flags, "--", text)
    return Answer(code, json.loads(out), err)


def number(found: float | str) -> float:
    """A number of the JSON schemas, which write NaN and the infinities as strings."""
    return _NOT_FINITE[found] if isinstance(found, str) else found
