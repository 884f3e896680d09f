"""The JSON Schema of a document that a command writes; without a name the list of them.

\b
Examples:
  adcli schema
  adcli schema trace/1
  adcli schema check -o check.json
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from ...documents import Content, Schema
from ...errors import RequestError
from ...render.document_parts import Table
from ...render.formats import DOCUMENTS, TEXT
from ...table.suggest import did_you_mean
from ...typings import Final
from ..arguments import choose_format
from ..options import Command, argument, choice
from ..pages import Pages, write_json
from ..shared_options import STANDALONE, OutputOptions
from ..stream import Stream

FORMATS = (*TEXT, *DOCUMENTS, "json")


class SchemaRequest(OutputOptions):
    """Options of `adcli schema`."""

    name = argument()
    format_name = choice("--format", choices=FORMATS, help="Format of the list (default: table); schemas are JSON.")
    standalone = STANDALONE


_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


# what each document is and which commands write it, the module that describes it, and its name there
_DESCRIPTIONS: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType({
    "trace/1": ("an evaluation trace: eval, trace", "...trace.trace_document", "TRACE"),
    "error/1": ("an error, instead of a result", "...documents", "ERROR"),
    "diff/1": ("derivatives as formulas: diff", "...render.derivative_report", "DIFF"),
    "taylor/1": ("a Taylor series: taylor", "...render.series_report", "TAYLOR"),
    "explain/1": ("the sweeps in sentences: explain", "...render.explanation", "EXPLAIN"),
    "expand/1": ("differentials, expanded level by level: expand", "...render.expansion", "EXPAND"),
    "propagate/1": ("uncertainties of the outputs: propagate", "...render.propagation_report", "PROPAGATE"),
    "check/1": ("a marked answer, or how it is read: check", "...render.answers.marks_report", "CHECK"),
    "sheet/1": ("a sheet of exercises: new", "...render.exercise_sheets", "SHEET"),
    "functions/1": ("the functions of the language: functions", "...trace.written_rules", "FUNCTIONS"),
    "shard/1": ("the origin of one part of a result: map", "..shards", "SHARD"),
    "parts/1": ("where the parts of a result begin: map", "..shards", "PARTS"),
    "doctor/1": ("what is installed: doctor", ".doctor", "DOCTOR"),
})  # fmt: skip


def documents() -> dict[str, str]:
    """Return what every document is, by its name such as trace/1."""
    return {name: meaning for name, (meaning, _, _) in _DESCRIPTIONS.items()}


def schema(name: str) -> Schema:
    """Return the JSON Schema of a document, with the keys $schema, $id, title and description first.

    The version may be left out of `name`: "trace" is "trace/1". Raises RequestError for an unknown name, with a guess
    or all names.
    """
    full = next((known for known in _DESCRIPTIONS if name in (known, known.partition("/")[0])), None)
    if full is None:
        advice = did_you_mean(name, _DESCRIPTIONS, f"the documents are {', '.join(_DESCRIPTIONS)}")
        raise RequestError(f"there is no document called {name}", help=advice)
    meaning, module, attribute = _DESCRIPTIONS[full]
    content: Content = getattr(import_module(module, __package__), attribute)
    return {"$schema": _DIALECT, "$id": f"adcli:{full}", "title": full, "description": meaning, **content.schema}


def run(stream: Stream, options: SchemaRequest) -> None:
    """Print the schema that is named, else the list of documents as a table.

    In JSON the list is an object with all schemas by name. Raises RequestError for an unknown name, a schema in another
    format, a suffix of the output that does not fit, and --standalone for a list as plain text or Markdown.
    """
    named = options.name is not None
    possible = ("json",) if named else FORMATS
    form = choose_format(options.format_name, options.path, possible, "json" if named else "table")
    if named and form != "json":
        raise RequestError("a schema is always a JSON document", help="leave --format out")
    if options.name is not None:
        write_json(stream, schema(options.name))
        return
    pages = Pages(stream, form, "Documents", options.standalone)
    table = Table(list(documents().items()), ("document", "what it is"))
    pages.write_one(lambda: {name: schema(name) for name in documents()}, lambda: [table])


COMMAND = Command(__doc__, SchemaRequest, run)
