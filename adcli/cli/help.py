"""`adcli help`: the pages of the manual, and all of them as a site or as man pages."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import RequestError
from .options import AppearanceOptions, Command, argument, choice, text
from .stream import Stream

_HELP = """Shows a page of the manual; without TOPIC the list of all.

\b
Examples:
  adcli help
  adcli help first-steps
  adcli help points
  adcli help eval
  adcli help --format html -o manual/
  adcli help --format man -o man/
"""


class HelpRequest(AppearanceOptions):
    """Options of `adcli help`."""

    topic = argument()
    wanted = choice(
        "--format",
        choices=("text", "markdown", "html", "man"),
        help="Output format; html and man write a folder with all pages.",
    )
    folder = text("-o", "--output", metavar="FOLDER", help="Folder for the pages.")


def run(stream: Stream, options: HelpRequest) -> int:
    """Print a page of the manual or the help of a command, or write all pages, and return the exit code. Raises
    RequestError for an unknown topic."""
    from ..render import manual

    options.configure(stream)
    if options.wanted in ("html", "man") or options.folder is not None:
        return _all_pages(stream, options)
    topic, known = options.topic or manual.INDEX, manual.topics()
    if topic not in known:
        return _command(stream, topic, known)
    if options.wanted == "markdown" or not stream.is_terminal:
        stream.write(manual.markdown(topic))
        return stream.code
    import click

    click.echo_via_pager(manual.for_terminal(topic, stream.width(), stream.wants_color()))
    return stream.code


def _command(stream: Stream, topic: str, pages: list[str]) -> int:
    """Print the help of a command and return the exit code. Raises RequestError, with a guess among pages and commands,
    if `topic` is not a command."""
    from .main import COMMANDS

    if topic in COMMANDS:
        from .click_adapter import help_text

        stream.write(help_text(topic) + "\n")
        return stream.code
    from ..table.suggest import similar

    guess = similar(topic, [*pages, *COMMANDS])
    advice = f"did you mean adcli help {guess}?" if guess else "adcli help lists all pages"
    raise RequestError(f"the manual has no page {topic}", help=advice)


def _all_pages(stream: Stream, options: HelpRequest) -> int:
    """Write all pages of the manual to the folder of -o and return the exit code; a note counts them.

    Raises RequestError unless there are a folder and --format html or man, and no topic.
    """

    import os

    from ..render import manual
    from ..writing import written

    if options.folder is None or options.wanted not in ("html", "man") or options.topic is not None:
        raise RequestError(
            "all pages of the manual go to a folder", help="adcli help --format html -o FOLDER, or --format man"
        )
    pages = list(manual.site() if options.wanted == "html" else _man_pages())
    for name, page in pages:
        written(os.path.join(options.folder, name), page)
    stream.note(f"{len(pages)} pages are in {options.folder}")
    return stream.code


def _man_pages() -> Iterator[tuple[str, str]]:
    """Yield pairs (file name, text) of man pages: the commands in section 1, the manual in section 7."""
    from ..render.manual import man_page, man_pages
    from .click_adapter import help_text
    from .main import COMMANDS

    for name, about in COMMANDS.items():
        yield f"adcli-{name}.1", man_page(f"adcli-{name}", about, f"```\n{help_text(name)}\n```\n", section=1)
    yield from man_pages()


COMMAND = Command(_HELP, HelpRequest, run)
