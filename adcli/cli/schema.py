"""`adcli schema`: the JSON Schemas of the documents that commands write."""

from __future__ import annotations

from ..errors import RequestError
from ..render.formats import DOCUMENTS, TEXT
from .arguments import chosen_format
from .options import STANDALONE, Command, OutputOptions, argument, choice
from .pages import Pages
from .stream import Stream

FORMATS = (*TEXT, *DOCUMENTS, "json")

_HELP = """The JSON Schema of a document that a command writes; without a name the list of them.

\b
Examples:
  adcli schema
  adcli schema trace/1
  adcli schema check -o check.json
"""


class SchemaRequest(OutputOptions):
    """What `adcli schema` is asked."""

    name = argument()
    wanted = choice("--format", choices=FORMATS, help="Default: table for the list; a schema is JSON.")
    standalone = STANDALONE


def run(stream: Stream, asked: SchemaRequest) -> int | None:
    """Prints a schema, or the list."""
    from ..render.data import json_text
    from ..render.schemas import documents, schema

    asked.dress(stream)
    named = asked.name is not None
    form = chosen_format(asked.wanted, asked.path, ("json",) if named else FORMATS, "json" if named else "table")
    if named and form != "json":
        raise RequestError("a schema is a JSON document", help="leave --format out")
    if asked.name is not None:
        stream.write(json_text(schema(asked.name), ascii_only=stream.ascii) + "\n")
    elif form == "json":
        stream.write(json_text({name: schema(name) for name in documents()}, ascii_only=stream.ascii) + "\n")
    else:
        from ..render.cells import Table

        pages = Pages(stream, form, "Documents", asked.standalone)
        pages.add([Table(list(documents().items()), ("document", "what it is"))])
        pages.finish()
    stream.close()
    return stream.code


COMMAND = Command(_HELP, SchemaRequest, run)
