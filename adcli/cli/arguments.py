"""What the commands share: expressions as arguments, where problems come from, points."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from ..errors import AdcliError, RequestError, Source
from ..language.problems import Problem, read_point, read_problems

_LONG_OPTION = re.compile(r"--[a-zA-Z][a-zA-Z-]+(?:=|\Z)")


class ExpressionCommand(click.Command):
    """A command whose argument may start with a minus sign: `adcli eval "-x^2"` is an expression, not an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._sorted_out(ctx, args))

    def _sorted_out(self, ctx: click.Context, args: list[str]) -> list[str]:
        takes_value: dict[str, bool] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option):
                for name in (*parameter.opts, *parameter.secondary_opts):
                    takes_value[name] = not parameter.is_flag
        options: list[str] = []
        texts: list[str] = []
        waiting = iter(args)
        for arg in waiting:
            name = arg.partition("=")[0] if arg.startswith("--") else arg
            if arg == "--":
                texts += waiting
            elif name in takes_value:
                options.append(arg)
                if takes_value[name] and name == arg:
                    options += [value for value in [next(waiting, None)] if value is not None]
            elif _LONG_OPTION.match(arg):
                options.append(arg)  # mistyped: click says so
            else:
                texts.append(arg)
        return [*options, "--", *texts]


def problems(expression: str | None, file: str | None) -> tuple[Iterator[Problem | AdcliError], bool] | None:
    """The problems of a command line, and whether there can be only one; None when there is nothing to read.

    They come from the argument, from a file, or from standard input (`-`, or when it is no terminal).
    """
    if expression is not None and expression != "-":
        if file is not None:
            raise RequestError("an expression and a file are given", help="leave one of them out")
        lines = expression.split("\n")
        return read_problems(lines), sum(1 for line in lines if line.strip()) <= 1
    if file is not None and file != "-":
        return read_problems(_file_lines(file), file), False
    if expression is None and file is None and sys.stdin.isatty():
        return None
    return read_problems(_decoded(sys.stdin.buffer), None), False


def _file_lines(path: str) -> Iterator[str]:
    try:
        with open(path, "rb") as stream:
            yield from _decoded(stream)
    except IsADirectoryError:
        raise RequestError(f"{path} is a folder", help="name a file of problems") from None
    except OSError as error:
        raise RequestError(f"cannot read {path}", label=error.strerror or "") from None


def _decoded(stream: Iterable[bytes]) -> Iterator[str]:
    """Lines as text; what is no UTF-8 becomes a character that no expression has, so that the place is told."""
    for number, line in enumerate(stream):
        text = line.decode("utf-8", "replace")
        yield text.removeprefix("\ufeff") if number == 0 else text


def given_point(texts: Iterable[str], flag: str) -> dict[str, float]:
    """The values of a repeated flag, merged; later ones win."""
    point: dict[str, float] = {}
    for text in texts:
        point |= read_point(Source(text, flag))
    return point


def split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names from a repeated flag that also takes commas."""
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def point_of(problem: Problem, given: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """All values that a problem may use, and those of its own point; its own win."""
    own = read_point(problem.point) if problem.point is not None else {}
    return {**given, **own}, own


def appearance(command: Any) -> Any:
    """The options on how output looks, which every command has."""
    options = [
        click.option("-o", "--output", metavar="FILE", help="Write to FILE; its suffix picks the format."),
        click.option("--ascii", "ascii_only", is_flag=True, help="ASCII only: dv1 for v̇1, v1bar for v̄1."),
        click.option(
            "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colour."
        ),
        click.option("--width", type=click.IntRange(20, 1000), help="Columns of a terminal table."),
        click.option("-q", "--quiet", is_flag=True, help="No notes."),
        click.option("--debug", is_flag=True, help="Show a traceback when adcli itself fails."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


SUFFIXES = {
    ".txt": "plain", ".csv": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".md": "markdown",
    ".markdown": "markdown",
}  # fmt: skip


def chosen_format(wanted: str | None, output: str | None, formats: tuple[str, ...], default: str) -> str:
    """The format asked for, or the one that a file's suffix stands for."""
    if wanted is not None or output is None:
        return wanted or default
    dot = output.rfind(".")
    suffix = output[dot:].lower() if dot >= 0 else ""
    found = SUFFIXES.get(suffix)
    if found not in formats:
        known = ", ".join(ending for ending, name in SUFFIXES.items() if name in formats)
        raise RequestError(
            f"the suffix of {output} stands for no format here", help=f"use one of {known}, or give --format"
        )
    return found
