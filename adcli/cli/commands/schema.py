"""The JSON Schema of a document that a command writes; without a name the list of them.

\b
Examples:
  adcli schema
  adcli schema trace/1
  adcli schema check -o check.json
"""

from __future__ import annotations

from ...documents import ERROR, Content, Schema
from ...errors import RequestError
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


def _list_descriptions() -> dict[str, tuple[str, Content]]:
    """Return {name with version, such as "trace/1": (text, description)} for every document.

    The text says what the document is and which commands write it.
    """
    from ...render.answers.marks_report import CHECK
    from ...render.derivative_report import DIFF
    from ...render.exercise_sheets import SHEET
    from ...render.expansion import EXPAND
    from ...render.explanation import EXPLAIN
    from ...render.propagation_report import PROPAGATE
    from ...render.series_report import TAYLOR
    from ...trace.trace_document import TRACE
    from ...trace.written_rules import FUNCTIONS
    from ..shards import PARTS, SHARD
    from .doctor import DOCTOR

    return {
        "trace/1": ("an evaluation trace: eval, trace", TRACE),
        "error/1": ("an error, instead of a result", ERROR),
        "diff/1": ("derivatives as formulas: diff", DIFF),
        "taylor/1": ("a Taylor series: taylor", TAYLOR),
        "explain/1": ("the sweeps in sentences: explain", EXPLAIN),
        "expand/1": ("differentials, expanded level by level: expand", EXPAND),
        "propagate/1": ("uncertainties of the outputs: propagate", PROPAGATE),
        "check/1": ("a marked answer, or how it is read: check", CHECK),
        "sheet/1": ("a sheet of exercises: new", SHEET),
        "functions/1": ("the functions of the language: functions", FUNCTIONS),
        "shard/1": ("the origin of one part of a result: map", SHARD),
        "parts/1": ("where the parts of a result begin: map", PARTS),
        "doctor/1": ("what is installed: doctor", DOCTOR),
    }


def documents() -> dict[str, str]:
    """Return what every document is, by its name such as trace/1."""
    return {name: meaning for name, (meaning, _) in _list_descriptions().items()}


def schema(name: str) -> Schema:
    """Return the JSON Schema of a document, with the keys $schema, $id, title and description first.

    The version may be left out of `name`: "trace" is "trace/1". Raises RequestError for an unknown name, with a guess
    or all names.
    """
    descriptions = _list_descriptions()
    full = next((known for known in descriptions if name in (known, known.partition("/")[0])), None)
    if full is None:
        advice = did_you_mean(name, descriptions, f"the documents are {', '.join(descriptions)}")
        raise RequestError(f"there is no document called {name}", help=advice)
    meaning, content = descriptions[full]
    return {"$schema": _DIALECT, "$id": f"adcli:{full}", "title": full, "description": meaning, **content.schema}


def run(stream: Stream, options: SchemaRequest) -> None:
    """Print the schema that is named, else the list of documents as a table.

    In JSON the list is an object with all schemas by name. Raises RequestError for an unknown name or a schema in
    another format.
    """
    named = options.name is not None
    possible = ("json",) if named else FORMATS
    form = choose_format(options.format_name, options.path, possible, "json" if named else "table")
    if named and form != "json":
        raise RequestError("a schema is a JSON document", help="leave --format out")
    if options.name is not None:
        write_json(stream, schema(options.name))
    elif form == "json":
        write_json(stream, {name: schema(name) for name in documents()})
    else:
        from ...render.document_parts import Table

        pages = Pages(stream, form, "Documents", options.standalone)
        pages.add([Table(list(documents().items()), ("document", "what it is"))])
        pages.finish()


COMMAND = Command(__doc__, SchemaRequest, run)
