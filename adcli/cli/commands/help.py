"""Shows a page of the manual, or searches it for words; without TOPIC the list of all pages.

\b
Examples:
  adcli help
  adcli help first-steps
  adcli help points
  adcli help eval
  adcli help "chain rule"
  adcli help --format html -o manual/
  adcli help --format man -o man/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...errors import RequestError
from ..options import COMMANDS, Command, arguments, choice, text
from ..shared_options import AppearanceOptions
from ..stream import Stream

_ABOUT_ITSELF = ("index", "inside", "walkthrough", "speed", "correctness")  # pages that a search leaves out
_PAGES, _LINES, _WIDE = 6, 3, 110  # pages, lines of each, and columns that a search shows

_FORMATS = "Output format; html and man write a folder with all pages."


class HelpRequest(AppearanceOptions):
    """Options of `adcli help`."""

    topic = arguments()
    format_name = choice("--format", choices=("text", "markdown", "html", "man"), help=_FORMATS)
    folder = text("-o", "--output", metavar="FOLDER", help="Folder for the pages.")


def run(stream: Stream, options: HelpRequest) -> None:
    """Print a page of the manual or the help of a command, or write all pages into a folder.

    All pages are written for --format html or man, or if there is a folder (`_write_all_pages`). Without a topic the
    index of the manual is printed. The words of a topic are joined; it is a page of exactly this name, else a command
    or a search (`_answer_topic`). On a terminal a page goes through a pager, unless --format is markdown; else it is
    Markdown. Raises RequestError for a topic of which the manual has nothing, and if all pages are requested without a
    folder, in another format, or with a topic.
    """
    from ...render import manual

    if options.format_name in ("html", "man") or options.folder is not None:
        _write_all_pages(stream, options)
        return
    topic, known = " ".join(options.topic) or manual.INDEX, manual.topics()
    if topic not in known:
        _answer_topic(stream, topic, known)
        return
    if options.format_name == "markdown" or not stream.is_terminal:
        stream.write(manual.markdown(topic))
        return
    import click

    click.echo_via_pager(manual.for_terminal(topic, stream.width(), stream.wants_color()))


def _answer_topic(stream: Stream, topic: str, pages: list[str]) -> None:
    """Print the help of the command called `topic`, or the results of a search of the manual's `pages` for `topic`.

    The results are the commands and functions that the words name, then pages. If there are none for all words
    together, those for each single word are printed, one after the other. Raises RequestError if there is no result at
    all, with the most similar page, command or synonym as help.
    """

    if topic in COMMANDS:
        from ..click_adapter import help_text

        stream.write(help_text(topic) + "\n")
        return
    text = _search_manual(topic, pages) or "".join(_search_manual(word, pages) for word in topic.split())
    if text:
        stream.write(text)
        return
    from ...language.advice import synonyms
    from ...table.suggest import did_you_mean

    known = [*pages, *COMMANDS, *synonyms("commands"), *synonyms("subjects")]
    advice = did_you_mean(topic.casefold(), known, "adcli help lists all pages", "adcli help {}")
    raise RequestError(f"nothing in the manual is about {topic}", help=advice)


def _search_manual(words: str, pages: Iterable[str]) -> str:
    """Return what the manual has on words, in any order; empty if there is nothing.

    These are the command that they are another name of, functions, and up to three lines of each of six pages, those
    with most of them first.
    """
    return "".join(f"{line}\n" for line in (*_describe_names(words), *_search_pages(words, pages))).lstrip("\n")


def _describe_names(words: str) -> list[str]:
    """Return lines such as "adcli functions sin …" for the commands and functions named by `words`.

    Named is by `words` as a whole (first), then by each word in order; of one name the command comes before the
    function. A command has a line, once, only if it is named by a synonym (`differentiate` for diff), not by its own
    name. A function has a line, with its main name, once, and only if it has a summary.
    """
    from ...table.functions import lookup
    from ..synonyms import meaning_in

    lines: list[str] = []
    for word in dict.fromkeys([words, *words.split()]):
        command, row = meaning_in("commands", word), lookup(word)
        if command and not any(line.startswith(f"adcli {command} ") for line in lines):
            lines.append(f"adcli {command}   {COMMANDS.get(command.partition(' ')[0], '')}".rstrip())
        if row is not None and row.summary:
            lines.append(f"adcli functions {row.name}   {row.summary}")
    return list(dict.fromkeys(lines))


def _search_pages(words: str, pages: Iterable[str]) -> Iterator[str]:
    """Yield the results of a search of the manual: for each page that has all of `words`, its title and some lines.

    A page gives an empty line with `adcli help PAGE TITLE`, then at most three lines (perhaps none) that have all
    words, indented and cut to 110 characters. Words are found inside other words, too; case does not count, an s at the
    end of five or more characters is ignored, and words may be replaced by the manual's own (synonyms). At most six
    pages are shown, those with the first word in the title first, then those with most lines, of equals in the order of
    `pages` (names). The index and pages about the program itself (inside, walkthrough, speed, correctness) are not
    searched.
    """
    from ...language.advice import synonyms
    from ...render import manual

    subjects = synonyms("subjects")
    parts = [subjects.get(word, [word])[0] for word in words.casefold().split()]
    parts = [part.removesuffix("s") if len(part) > 4 else part for part in parts]
    hits: dict[str, list[str]] = {}
    for page in pages:
        text = manual.markdown(page)
        if page not in _ABOUT_ITSELF and all(part in text.casefold() for part in parts):
            lines = [line.strip() for line in text.split("\n")]
            hits[page] = [line for line in lines if all(part in line.casefold() for part in parts)]
    best = sorted(hits, key=lambda page: (parts[0] not in manual.title(page).casefold(), -len(hits[page])))
    for page in best[:_PAGES]:
        yield f"\nadcli help {page}   {manual.title(page)}"
        yield from (f"  {line if len(line) <= _WIDE else line[: _WIDE - 1] + '…'}" for line in hits[page][:_LINES])


def _write_all_pages(stream: Stream, options: HelpRequest) -> None:
    """Write all pages of the manual to the folder of -o, which is made if it is missing; a note counts them.

    Existing files of the same names are replaced. Raises RequestError unless there are a folder and --format html or
    man, and no topic; OutputProblem if a page cannot be written.
    """

    import os

    from ...render import manual
    from ...writing import write_file

    if options.folder is None or options.format_name not in ("html", "man") or options.topic:
        title = "all pages of the manual go to a folder"
        raise RequestError(title, help="adcli help --format html -o FOLDER, or --format man")
    pages = list(manual.site() if options.format_name == "html" else _make_man_pages())
    for name, page in pages:
        write_file(os.path.join(options.folder, name), page)
    stream.note(f"{len(pages)} pages are in {options.folder}")


def _make_man_pages() -> Iterator[tuple[str, str]]:
    """Yield pairs (file name, text) of man pages: first the commands in section 1 (`adcli-eval.1`).

    Pages of the manual in section 7 follow (`adcli-PAGE.7`, `adcli-manual.7` for the index). The program itself has no
    page.
    """
    from ...render.manual import man_page, man_pages
    from ..click_adapter import help_text

    for name, about in COMMANDS.items():
        yield f"adcli-{name}.1", man_page(f"adcli-{name}", about, f"```\n{help_text(name)}\n```\n", section=1)
    yield from man_pages()


COMMAND = Command(__doc__, HelpRequest, run)
