"""Parts of a map that are worked on alone: where each goes, what it was made of, and whether it is there already.

A part is the same bytes however often it is made, and on any machine that has the same engine, versions and kind of
processor.  Its result appears complete or not at all, and after it a manifest beside it, which says what it was made
of; where both are there and agree, nothing is left to do.  What takes a look at all points, where parts begin and what
columns hold, the first part writes down for all of them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Final

from .. import __version__
from ..documents import STRING, WHOLE, Content, Record, const, record
from ..errors import RequestError
from ..extras import Needs
from ..files.kinds import Kind
from ..files.points import RowRange
from ..records import NamedTuple
from ..writing import written
from .options import AppearanceOptions, CommandRequest, Option
from .stream import Stream

MOST_SHARDS = 99_999
DEFAULT_PARTS = 64  # of a cluster, where nobody says how many
_CODES = {0: 0, 2: 2, 3: 3}  # with which a part is made
_LONGEST = 1_000_000  # bytes of a manifest
_LONGEST_LAYOUT = 1 << 24  # bytes of a layout

# What a request may say without a change in any byte of a result.
_BESIDES = {
    *AppearanceOptions.fields(),
    "output",
    "workers",
    "shard",
    "shards",
    "resume",
    "dask",
    "file",
    "expr_points",
}


class Shard(NamedTuple):
    """One of so many parts of a map, counted from 1."""

    number: int
    parts: int

    @property
    def text(self) -> str:
        return f"{self.number}/{self.parts}"

    def path(self, whole: str) -> str:
        """The file of this part, where all parts together would go to `whole`: out-00003-of-00016.csv."""
        root, suffix = os.path.splitext(whole)
        return f"{root}-{self.number:05}-of-{self.parts:05}{suffix}"


def layout_path(whole: str, parts: int) -> str:
    """The layout of so many parts, which together would go to `whole`: out-of-00016.csv.json."""
    root, suffix = os.path.splitext(whole)
    return manifest_path(f"{root}-of-{parts:05}{suffix}")


def manifest_path(result: str) -> str:
    """The manifest of a file of results."""
    return f"{result}.json"


def read_shard(text: str) -> Shard:
    """The part that `3/16` means.  Raises RequestError for what is none."""
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise RequestError(
            f"{text[:40]} is no part of a map",
            help=f"--shard 3/16 is the third of sixteen; there may be {MOST_SHARDS:,}",
        )
    return Shard(int(found[1]), int(found[2]))


class Sources(NamedTuple):
    """What a part is made of: the request, as far as it decides about bytes, and the file of points (None where the
    points are made up)."""

    shard: Shard
    request: Mapping[str, object]
    points: Mapping[str, object] | None


_REQUEST: Final = Content(
    {"type": "object", "properties": {"expression": STRING.schema}, "required": ["expression"]}, dict
)
_POINTS: Final = Content(record(file=STRING, bytes=WHOLE, modified=WHOLE).schema, dict)
_SOURCES: Final = record(
    schema=const("shard/1"),
    adcli=STRING.of(lambda _: __version__),
    shard=WHOLE.array_of(2).of("shard"),
    request=_REQUEST,
    points=_POINTS.or_null,
)


def sources_of(shard: Shard, options: CommandRequest, expression: str, points: str | None) -> Sources:
    """What this part of a map would be made of now.  Raises RequestError for a file that is not there."""
    given = {name: value for name, value in vars(options).items() if name not in _BESIDES}
    request: dict[str, object] = {"expression": expression}
    for name in sorted(given):
        request[name] = list(given[name]) if isinstance(given[name], tuple) else given[name]
    if "functions" in given:
        request["functions"] = {path: digest(path) for path in given["functions"]}
    return Sources(shard, request, None if points is None else _state(points))


def _state(points: str) -> dict[str, object]:
    """What a file of points is known by.  Raises RequestError for one that is not there."""
    try:
        state = os.stat(points)
    except OSError as error:
        raise RequestError(f"cannot read {points}", label=error.strerror or "") from None
    return {"file": os.path.basename(points), "bytes": state.st_size, "modified": state.st_mtime_ns}


def check_unchanged(sources: Sources, points: str | None) -> None:
    """Raises RequestError where the file of points is another than it was."""
    if points is not None and sources.points != _state(points):
        raise RequestError(
            f"{points} was changed while part {sources.shard.text} was made of it",
            help="make the parts again, with --resume those that are made of the file as it is now stay",
        )


def digest(path: str) -> str:
    """The SHA-256 of a file.  Raises RequestError where it cannot be read."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RequestError(f"cannot read {path}", label=error.strerror or "") from None


class MadePart(NamedTuple):
    """A part that was made: what computed it, exit code and rows, where they stood, its file's length, SHA-256 and
    name (known only to its manifest)."""

    engine: str
    code: int
    rows: int
    within: RowRange
    length: int
    sha256: str
    file: str = ""


_MADE: Final = record(
    engine=STRING,
    range=record(start=WHOLE, stop=WHOLE, first=WHOLE).of("within"),
    rows=WHOLE,
    code=WHOLE,
    result=record(file=STRING, bytes=WHOLE.of("length"), sha256=STRING).here(),
)
SHARD: Final = Record({**_SOURCES.fields, **_MADE.fields})


def keep_manifest(sources: Sources, made: MadePart, result: str) -> None:
    """Write the manifest of a part next to it.  Raises OutputProblem."""
    data = _SOURCES.data(sources) | _MADE.data(made._replace(file=os.path.basename(result)))
    written(manifest_path(result), json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def done_before(sources: Sources, result: str) -> int | None:
    """The exit code of a part that is there, made of the same, byte for byte as it was; None where it is not."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        with open(manifest_path(result), "rb") as file:
            told = json.loads(file.read(_LONGEST))
        same = all(told[name] == value for name, value in _plainly(sources).items())
        if same and os.path.getsize(result) == told["result"]["bytes"] and digest(result) == told["result"]["sha256"]:
            return _CODES[told["code"]]
    return None


# --- what all parts share ---------------------------------------------------------------------------------------------


class PartsLayout(NamedTuple):
    """Where all parts of some points begin and end, and what carried columns hold of which the points do not say so."""

    ranges: Sequence[RowRange]
    kinds: Mapping[str, Kind]


def layout_of(stream: Stream, sources: Sources, whole: str, found: Callable[[], PartsLayout]) -> PartsLayout:
    """The layout that stands beside the parts, where it is of the same request and points; else what is `found`, which
    then stands there.  A note says that points have changed since.  Raises OutputProblem."""
    if sources.points is None:
        return found()
    shared = {name: value for name, value in _plainly(sources).items() if name not in ("schema", "shard")}
    path = layout_path(whole, sources.shard.parts)
    before = _kept_layout(path)
    if before is not None and before.shared == shared:
        return before.layout
    if before is not None and before.shared["points"] != shared["points"]:
        stream.note(f"the points have changed since parts of {whole} were made of them", topic="cells")
    layout = found()
    data = PARTS.data(KeptLayout(shared, layout))
    written(path, json.dumps(data | {"sha256": _digest_of(data)}, ensure_ascii=False) + "\n")
    return layout


class KeptLayout(NamedTuple):
    """A layout that was written down, and what it is of."""

    shared: Mapping[str, object]
    layout: PartsLayout


PARTS: Final = record(
    schema=const("parts/1"),
    adcli=STRING.of(lambda kept: kept.shared["adcli"]),
    request=_REQUEST.of(lambda kept: kept.shared["request"]),
    points=_POINTS.of(lambda kept: kept.shared["points"]),
    kinds=STRING.by_name.of("layout.kinds"),
    ranges=WHOLE.array_of(3).array.of("layout.ranges"),
    sha256=STRING.added(always=True),
)


def _kept_layout(path: str) -> KeptLayout | None:
    """The layout in a file, as it was written; None where there is none, or it is damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with open(path, "rb") as file:
            told = json.loads(file.read(_LONGEST_LAYOUT))
        known = told.pop("sha256")
        if known == _digest_of(told) and told.pop("schema") == "parts/1":
            layout = PartsLayout([RowRange(*ends) for ends in told.pop("ranges")], told.pop("kinds"))
            return KeptLayout(told, layout) if "points" in told else None
    return None


def _digest_of(data: Mapping[str, object]) -> str:
    """By which damage is found."""
    from hashlib import sha256

    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _plainly(sources: Sources) -> dict[str, object]:
    """The sources as JSON gives them back."""
    found: dict[str, object] = json.loads(json.dumps(_SOURCES.data(sources)))
    return found


# --- all parts --------------------------------------------------------------------------------------------------------


def command_line(options: CommandRequest, known_options: Mapping[str, Option[object]], shard: Shard) -> list[str]:
    """The command line of one part of what is asked, which may be run anywhere in the same folder."""
    found: list[str] = []
    for name, option in known_options.items():
        value = vars(options).get(name)
        if name in ("shards", "dask", "shard") or value is None or value is False:
            continue
        spelled = max(option.names, key=len)
        values: Sequence[object] = value if isinstance(value, tuple) else (value,)
        found += [spelled] if option.is_flag else [f"{spelled}={x}" for x in values]
    return [*found, f"--shard={shard.text}"]


class AllParts(NamedTuple):
    """So many parts of a file of results: the arguments of the command line, and the cluster (None: here)."""

    parts: int
    path: str
    arguments: Sequence[str]
    cluster: str | None


def every_part(
    stream: Stream, options: CommandRequest, known_options: Mapping[str, Option[object]], shared: AllParts
) -> int:
    """Makes all parts, here one after the other, or on a cluster of Dask; the exit code is the highest of theirs.

    Stops where a part is not made.  Raises RequestError where there is no such cluster.
    """
    lines = [
        ["map", *command_line(options, known_options, Shard(k + 1, shared.parts)), "--", *shared.arguments]
        for k in range(shared.parts)
    ]
    made = _here(lines) if shared.cluster is None else _on_cluster(stream, lines, shared.cluster)
    code = 0
    with closing(made) as parts:
        for number, found in parts:
            code = max(code, found)
            if not os.path.exists(manifest_path(Shard(number, shared.parts).path(shared.path))):
                break
    return code


def _here(lines: Sequence[list[str]]) -> Generator[tuple[int, int], None, None]:
    from .main import main

    for number, line in enumerate(lines, 1):
        yield number, main(line)


def _on_cluster(stream: Stream, lines: Sequence[list[str]], address: str) -> Generator[tuple[int, int], None, None]:
    """The parts as futures of a cluster, as they are done; a part whose worker is lost is made by another.

    A worker starts a process for each, with the Python that runs here, in the folder that is this one.
    """
    with Needs("clusters of Dask need dask and distributed", "dask"):
        from distributed import Client, as_completed
    try:
        client = Client(address, timeout=20)
    except (OSError, ValueError, TimeoutError) as error:
        raise RequestError(f"no cluster of Dask answers at {address[:200]}", label=str(error)[:200]) from None
    with client:
        futures = {
            client.submit(
                subprocess.run, [sys.executable, "-m", "adcli", *line], cwd=os.getcwd(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, pure=False, retries=3,
            ): number
            for number, line in enumerate(lines, 1)
        }  # fmt: skip
        for done, future in enumerate(as_completed(futures), 1):
            try:
                made = future.result()
            except Exception as error:  # whatever becomes of a cluster
                number = futures[future]
                raise RequestError(f"the cluster has not made part {number}", label=str(error)[:200]) from None
            if made.stderr:
                stream.message(made.stderr.decode("utf-8", "replace"))
            stream.progress(f"{done} of {len(lines)} parts", elsewhere=True)
            yield futures[future], made.returncode
