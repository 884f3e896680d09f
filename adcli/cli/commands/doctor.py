"""Says what is installed, and what each optional extra is for.

\b
Examples:
  adcli doctor
  adcli doctor --format json
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from ...documents import STRING, TRUTH, const, record
from ...extras import Extra, install_command, installed
from ...render.document_parts import Heading, Part, Table
from ...render.formats import DOCUMENTS, TEXT
from ...typings import Final
from ..arguments import choose_format
from ..options import Command, argument
from ..pages import Pages
from ..shared_options import STANDALONE, OutputOptions, table_format
from ..stream import Stream

FORMATS = (*TEXT, *DOCUMENTS, "json")


class DoctorRequest(OutputOptions):
    """Options of `adcli doctor`."""

    reads_settings = False  # the report shows what is wrong with them
    nothing = argument()
    format_name = table_format(FORMATS)
    standalone = STANDALONE


def run(stream: Stream, options: DoctorRequest) -> None:
    """Print what is installed, as JSON or in the formats of pages (default: tables).

    Wrong settings are reported there, not raised. Raises RequestError for a suffix of the output without a format, and
    for --standalone with a format that does not support it.
    """
    form = choose_format(options.format_name, options.path, FORMATS, "table")
    versions, extras = list(_list_versions()), installed()
    pages = Pages(stream, form, "What is installed", options.standalone)
    pages.write_one(lambda: DOCTOR.data((versions, extras)), lambda: list(_make_parts(versions, extras)))


DOCTOR: Final = record(
    schema=const("doctor/1"),
    program=STRING.by_name.of(0),
    extras=record(extra=STRING, brings=STRING, packages=STRING.or_null.by_name, missing=TRUTH).array.of(1),
)


def _list_versions() -> Iterator[tuple[str, str]]:
    """Yield pairs (name, text): the versions of adcli, Python and required packages, the settings, the characters.

    The text of a package is "not found" if it is missing. Behind the version of Python is the path of its interpreter.
    The text of "settings" is the path of the file and the kinds of notes that it hides; that of "characters" is the
    encoding of standard output ("ascii" without one).
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from ... import __version__

    yield "adcli", __version__
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    for package in ("lark", "click", "rich"):
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, "not found"
    from ..note_kinds import settings_state

    yield "settings", settings_state()
    yield "characters", (sys.stdout and sys.stdout.encoding) or "ascii"  # standard output may be closed


def _make_parts(versions: Sequence[tuple[str, str]], extras: Iterable[Extra]) -> Iterator[Part]:
    """Yield the parts of the report: a table of the program (name, value), the heading "Extras", a table of the extras.

    The table of extras has the columns name, purpose, packages, and the command that installs the extra (empty if
    nothing is missing). Packages are listed with their versions, a missing one as `no NAME`; ? if the extra has no
    packages.
    """
    yield Table(versions)
    yield Heading("Extras", 2)
    rows: list[tuple[str, ...]] = []
    for extra in extras:
        state = ", ".join(f"{name} {number}" if number else f"no {name}" for name, number in extra.packages.items())
        rows.append((extra.extra, extra.brings, state or "?", install_command(extra.extra) if extra.missing else ""))
    yield Table(rows, ("extra", "what it is for", "here", "to install"))


COMMAND = Command(__doc__, DoctorRequest, run)
