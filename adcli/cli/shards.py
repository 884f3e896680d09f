"""Shards: parts of a map that are computed separately, their files, their sources, and which of them are done.

A part has the same bytes whenever it is made, on any machine with the same engine, versions and kind of processor. Its
result appears complete or not at all, and then a manifest next to it, which says what it was made from; if both exist
and agree, nothing is left to do.  What needs a look at all points (where parts begin and what columns hold) is written
by the first part for all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress

from .. import __version__
from ..documents import STRING, WHOLE, Content, Record, const, record
from ..errors import RequestError
from ..extras import Needs
from ..files.kinds import Kind
from ..files.points import RowRange
from ..records import NamedTuple
from ..typings import Final
from ..writing import write_file
from .options import CommandRequest, Option
from .shared_options import AppearanceOptions
from .stream import Stream

MOST_SHARDS = 99_999
DEFAULT_PARTS = 64  # on a cluster, without --shards
_CODES = {0: 0, 2: 2, 3: 3}  # exit codes of parts that are complete
_LONGEST = 1_000_000  # bytes of a manifest
_LONGEST_LAYOUT = 1 << 24  # bytes of a layout

# Options that change no byte of a result.
_BESIDES = {
    *AppearanceOptions.fields(), "output", "workers", "shard", "shards", "resume", "dask", "file", "expr_points",
}  # fmt: skip


class Shard(NamedTuple):
    """Part `number` (from 1) of `parts` parts of a map."""

    number: int
    parts: int

    @property
    def text(self) -> str:
        return f"{self.number}/{self.parts}"

    def path(self, whole: str) -> str:
        """Return the file of this part if all parts together would go to `whole`: out-00003-of-00016.csv."""
        root, suffix = os.path.splitext(whole)
        return f"{root}-{self.number:05}-of-{self.parts:05}{suffix}"


def layout_path(whole: str, parts: int) -> str:
    """Return the file of the layout of these parts of `whole`: out-of-00016.csv.json."""
    root, suffix = os.path.splitext(whole)
    return manifest_path(f"{root}-of-{parts:05}{suffix}")


def manifest_path(result: str) -> str:
    """Return the manifest of a file of results."""
    return f"{result}.json"


def read_shard(text: str) -> Shard:
    """Return the part of a text such as `3/16`: number, slash, number of parts.

    Blanks are ignored at the ends, not next to the slash. Raises RequestError unless both have at most five digits and
    1 <= number <= parts.
    """
    number, _, parts = text.strip().partition("/")
    is_pair = all(digits.isascii() and digits.isdecimal() and len(digits) <= 5 for digits in (number, parts))
    if not is_pair or not 1 <= int(number) <= int(parts):
        title = f"there is no part {number} of {parts}" if is_pair else f"--shard cannot be {text[:40]}"
        raise RequestError(title, help=f"--shard 3/16 is the third of 16 parts; at most {MOST_SHARDS:,} are allowed")
    return Shard(int(number), int(parts))


class Sources(NamedTuple):
    """The sources of a part: the options that decide about bytes, and the file of points (None if they are
    generated)."""

    shard: Shard
    request: Mapping[str, object]
    points: Mapping[str, object] | None


_EXPRESSION: Final = {"properties": {"expression": STRING.schema}, "required": ["expression"]}
_REQUEST: Final = Content({"type": "object", **_EXPRESSION}, dict)
_POINTS: Final = Content(record(file=STRING, bytes=WHOLE, modified=WHOLE).schema, dict)
_SOURCES: Final = record(
    schema=const("shard/1"),
    adcli=STRING.of(lambda _: __version__),
    shard=WHOLE.array_of(2).of("shard"),
    request=_REQUEST,
    points=_POINTS.or_null,
)


def sources_of(shard: Shard, options: CommandRequest, expression: str, points: str | None) -> Sources:
    """Return the current sources of the part `shard`: its options and its file of points.

    The parts of the result are `shard`; one dict of "expression" and the options (also None and False), sorted by name,
    with lists instead of tuples; and name, size and time of change of the file `points` (None: generated points). Files
    of --functions are given by path and SHA-256. Options that change no byte of the result (appearance, output,
    workers, parts) are left out. Raises RequestError if a file cannot be read.
    """
    values = {name: value for name, value in vars(options).items() if name not in _BESIDES}
    request: dict[str, object] = {"expression": expression}
    for name in sorted(values):
        request[name] = list(values[name]) if isinstance(values[name], tuple) else values[name]
    if "functions" in values:
        request["functions"] = {path: digest(path) for path in values["functions"]}
    return Sources(shard, request, None if points is None else _identify_file(points))


def _identify_file(points: str) -> dict[str, object]:
    """Return what identifies a file of points: {"file": name without folder, "bytes": size, "modified": nanoseconds}.

    Raises RequestError if it does not exist or cannot be reached.
    """
    try:
        state = os.stat(points)
    except OSError as error:
        raise RequestError(f"cannot read {points}", label=error.strerror or "") from None
    return {"file": os.path.basename(points), "bytes": state.st_size, "modified": state.st_mtime_ns}


def check_unchanged(sources: Sources, points: str | None) -> None:
    """Raise RequestError if the file `points` has changed since `sources` were made, or is gone.

    Name, size and time of change are compared; nothing happens if `points` is None.
    """
    if points is not None and sources.points != _identify_file(points):
        title = f"{points} was changed while part {sources.shard.text} was made from it"
        raise RequestError(title, help="make the parts again; --resume keeps those made from the file as it is now")


def digest(path: str) -> str:
    """Return the SHA-256 of the file at `path` in hex. Raises RequestError if it cannot be read."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RequestError(f"cannot read {path}", label=error.strerror or "") from None


class MadePart(NamedTuple):
    """A part that was made: the engine, the exit code, the number of rows, the rows' range (`within`), and name, length
    and SHA-256 of its file.

    What belongs to the file is known only to the manifest, which is written when it is complete.
    """

    engine: str
    code: int
    rows: int
    within: RowRange
    file: str = ""
    length: int = 0
    sha256: str = ""


_MADE: Final = record(
    engine=STRING,
    range=record(start=WHOLE, stop=WHOLE, first=WHOLE).of("within"),
    rows=WHOLE,
    code=WHOLE,
    result=record(file=STRING, bytes=WHOLE.of("length"), sha256=STRING).here(),
)
SHARD: Final = Record({**_SOURCES.fields, **_MADE.fields})


def keep_manifest(sources: Sources, part: MadePart, result: str) -> None:
    """Write the manifest of a part next to its complete file `result`.

    Raises OutputProblem if that fails, RequestError if the file cannot be read.
    """
    part = part._replace(file=os.path.basename(result), length=os.path.getsize(result), sha256=digest(result))
    data = _SOURCES.data(sources) | _MADE.data(part)
    write_file(manifest_path(result), json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def code_of_part(sources: Sources, result: str) -> int | None:
    """Return the exit code (0, 2 or 3) of the part in the file `result` if the part need not be made again.

    This needs a manifest that was made by this version of adcli and agrees with `sources`, and with the length and
    SHA-256 of the file. None if the part has to be made: a file is missing, `sources` or the content differ, or the
    manifest is damaged or has another exit code.
    """
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        with open(manifest_path(result), "rb") as file:
            manifest = json.loads(file.read(_LONGEST))
        same = all(manifest[name] == value for name, value in _read_back_as_json(sources).items())
        file_facts = manifest["result"]
        if same and os.path.getsize(result) == file_facts["bytes"] and digest(result) == file_facts["sha256"]:
            return _CODES[manifest["code"]]
    return None


# --- the common layout of all parts -----------------------------------------------------------------------------------


class PartsLayout(NamedTuple):
    """The rows of each part, and the kinds of carried columns that the points do not declare."""

    ranges: Sequence[RowRange]
    kinds: Mapping[str, Kind]


def layout_of(stream: Stream, sources: Sources, whole: str, compute: Callable[[], PartsLayout]) -> PartsLayout:
    """Return the layout of the parts, from the file next to `whole` or from `compute()`.

    The file is used if it is intact and was made by this version of adcli for the request and points in `sources`, of
    any part. A computed layout is written there. If the points have changed since, a note says so. Without a file of
    points the layout is computed each time and not written. Raises OutputProblem if the file cannot be written, and the
    errors of `compute`.
    """
    if sources.points is None:
        return compute()
    shared = {name: value for name, value in _read_back_as_json(sources).items() if name not in ("schema", "shard")}
    path = layout_path(whole, sources.shard.parts)
    before = _read_layout(path)
    if before is not None and before.shared == shared:
        return before.layout
    if before is not None and before.shared["points"] != shared["points"]:
        stream.note(f"the points have changed since parts of {whole} were made from them", topic="cells")
    layout = compute()
    data = PARTS.data(KeptLayout(shared, layout))
    write_file(path, json.dumps(data | {"sha256": _compute_digest(data)}, ensure_ascii=False) + "\n")
    return layout


class KeptLayout(NamedTuple):
    """A layout that was written to a file, and the request and points (`shared`) that it is for."""

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


def _read_layout(path: str) -> KeptLayout | None:
    """Return the layout in the file at `path`, with the request and points for which it was made.

    None if the file cannot be read, its checksum is wrong, or its content is not a layout with points. At most 16 MiB
    are read, so a larger file counts as damaged.
    """
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with open(path, "rb") as file:
            content = json.loads(file.read(_LONGEST_LAYOUT))
        checksum = content.pop("sha256")
        if checksum == _compute_digest(content) and content.pop("schema") == "parts/1":
            layout = PartsLayout([RowRange(*ends) for ends in content.pop("ranges")], content.pop("kinds"))
            return KeptLayout(content, layout) if "points" in content else None
    return None


def _compute_digest(data: Mapping[str, object]) -> str:
    """Return the SHA-256 of plain data, by which damage is detected."""
    from hashlib import sha256

    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _read_back_as_json(sources: Sources) -> dict[str, object]:
    """Return the sources as they are after they were written as JSON and read again."""
    data: dict[str, object] = json.loads(json.dumps(_SOURCES.data(sources)))
    return data


# --- all parts --------------------------------------------------------------------------------------------------------


def command_line(options: CommandRequest, known_options: Mapping[str, Option[object]], shard: Shard) -> list[str]:
    """Return the options of the command line that makes one part, such as ["--format=csv", "--fast", "--shard=3/16"].

    They are in the order of `known_options`, with their longest names, once for each value of a tuple; `--shard` is the
    last. Left out are --shards, --dask and --shard of `options`, options that are None or False (not other defaults),
    and the arguments of the command.
    """
    words: list[str] = []
    for name, option in known_options.items():
        value = vars(options).get(name)
        if name in ("shards", "dask", "shard") or value is None or value is False:
            continue
        spelled = max(option.names, key=len)
        values: Sequence[object] = value if isinstance(value, tuple) else (value,)
        words += [spelled] if option.is_flag else [f"{spelled}={x}" for x in values]
    return [*words, f"--shard={shard.text}"]


def every_part(
    stream: Stream, options: CommandRequest, known_options: Mapping[str, Option[object]], parts: int, whole: str,
    arguments: Sequence[str], cluster: str | None,
) -> int:  # fmt: skip
    """Make all parts, here or on a Dask cluster, and return their highest exit code (0 if there are no parts).

    Here (`cluster` is None), parts are made one after the other. A part is a command line with the used `options`,
    spelled as in `known_options` (by field), `--shard` and the `arguments`; all parts together would go to the file
    `whole`. It prints its own errors. After a part that has no manifest then (it failed), no further part is made.
    Raises RequestError if no cluster answers or it loses a part.
    """
    from .main import main

    shards = [Shard(number, parts) for number in range(1, parts + 1)]
    lines = [["map", *command_line(options, known_options, shard), "--", *arguments] for shard in shards]
    here = ((number, main(line)) for number, line in enumerate(lines, 1))
    code = 0
    with closing(here if cluster is None else _run_on_cluster(stream, lines, cluster)) as results:
        for number, part_code in results:
            code = max(code, part_code)
            if not os.path.exists(manifest_path(Shard(number, parts).path(whole))):
                break
    return code


def _run_on_cluster(stream: Stream, lines: Sequence[list[str]], address: str) -> Generator[tuple[int, int], None, None]:
    """Yield pairs (number of the part from 1, exit code) as the Dask cluster at `address` finishes the parts.

    Each part, one of the command `lines`, is a process on a worker with the same Python and folder. A part whose worker
    is lost is tried up to three times more. Standard error of a part is printed here, its standard output is dropped.
    Raises RequestError if Dask is not installed, no cluster answers within 20 seconds, or the cluster does not make a
    part.
    """
    with Needs("clusters of Dask need dask and distributed", "dask"):
        from distributed import Client, as_completed
    try:
        client = Client(address, timeout=20)
    except (OSError, ValueError, TimeoutError) as error:
        advice = "give the address of the scheduler of the cluster, such as tcp://127.0.0.1:8786"
        raise RequestError(f"no Dask cluster answers at {address[:200]}", label=str(error)[:200], help=advice) from None
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
                process = future.result()
            except Exception as error:  # a cluster can fail in any way
                number = futures[future]
                raise RequestError(f"the cluster did not compute part {number}", label=str(error)[:200]) from None
            if process.stderr:
                stream.message(process.stderr.decode("utf-8", "replace"))
            stream.progress(f"{done} of {len(lines)} parts", elsewhere=True)
            yield futures[future], process.returncode
