"""Descriptions of JSON documents: one description gives both the data that is written and the JSON Schema.

A description is a `Record`: its keys in the order of the document, each with its content and the place where its value
is read. A key that a description does not list is never in a document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter

from .typings import Final, SupportsFloat, TypeAlias

Schema: TypeAlias = Mapping[str, object]
Read: TypeAlias = Callable[..., object]
More: TypeAlias = Callable[..., dict[str, object]]

ABSENT: Final = object()  # what a reader returns for a key that is not in this document
_NEVER: Final = object()  # what no reader returns: the key is in every document


def plain_number(x: float | None) -> object:
    """Return the number `x` as JSON can hold it; None stays None.

    NaN and infinities become "NaN", "Infinity" and "-Infinity", a complex number of mpmath becomes `{"re": …, "im":
    …}`. Numbers of other arithmetics become the nearest doubles, -0 then as 0; floats and integers are returned as they
    are.
    """
    if x is None:
        return None
    if not isinstance(x, (float, int)):
        return {"re": _double(x.real), "im": _double(x.imag)} if hasattr(x, "_mpc_") else _double(x)
    if math.isfinite(x):
        return x
    return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def _double(x: SupportsFloat) -> object:
    return plain_number(float(x) + 0.0)


# --- what is under a key ----------------------------------------------------------------------------------------------


class Content:
    """The content under a key of a document: its JSON Schema, and `write`, which converts a value to plain data (None:
    it is plain data).
    """

    def __init__(self, schema: Schema, write: Read | None = None) -> None:
        self.schema, self.write = schema, write

    @property
    def or_null(self) -> Content:
        """Return the same content, or null for None."""
        write = self.write
        schema = {"anyOf": [self.schema, {"type": "null"}]}
        return Content(schema, write if write is None else lambda x: None if x is None else write(x))

    @property
    def array(self) -> Content:
        """Return the description of a list of such contents."""
        write = self.write
        schema = {"type": "array", "items": self.schema}
        return Content(schema, list if write is None else lambda xs: [write(x) for x in xs])

    def array_of(self, count: int) -> Content:
        """Return a list of `count` of these."""
        return Content({**self.array.schema, "minItems": count, "maxItems": count}, self.array.write)

    @property
    def stream(self) -> Content:
        """Return a list of this content that is written as an iterator: it may have more items than memory
        should hold.
        """
        write = self.write
        return Content(self.array.schema, iter if write is None else lambda xs: map(write, xs))

    @property
    def by_name(self) -> Content:
        """Return an object that has this content for each of some names."""
        write = self.write
        schema = {"type": "object", "additionalProperties": self.schema}
        return Content(schema, dict if write is None else lambda xs: {name: write(x) for name, x in xs.items()})

    def of(self, read: str | int | Read) -> Field:
        """Return a key that is in every document.

        `read` is a path of attributes, the place in a tuple, or a function of the source.
        """
        return Field(self, read, _NEVER)

    def here(self) -> Field:
        """Return a key that groups values of the source itself."""
        return Field(self, lambda source: source, _NEVER)

    def known(self, read: str | Read = "") -> Field:
        """Return a key that is absent if its value is None; `read` is a path of attributes, a function of the source,
        or empty for the attribute with the key's name.
        """
        return Field(self, read, None)

    def present(self, read: str | Read) -> Field:
        """Return a key that is absent if its value is ABSENT; `read` is a path of attributes or a function of the
        source.
        """
        return Field(self, read, ABSENT)

    def added(self, *, always: bool = False) -> Field:
        """Return a key that is not written here: another writer adds it, `always` or only sometimes."""
        return Field(self, None, _NEVER if always else ABSENT)


class Field:
    """A key of a record: its content, where its value is read from, and the value that means that the key is absent.

    `read` is an attribute path, an index or a function; empty for the attribute that has the key's own name, and None
    for a key that another writer adds.
    """

    def __init__(self, content: Content, read: str | int | Read | None, absent: object) -> None:
        self.content, self.read, self.absent = content, read, absent


def const(word: str) -> Field:
    """Return a key with the same word in every document."""
    return Field(Content({"const": word}), lambda _: word, _NEVER)


def one(*words: str) -> Content:
    """Return the kind of one of these words."""
    return Content({"enum": list(words)})


def either(*kinds: Content, write: Read | None = None) -> Content:
    """Return what is of one of these kinds; `write` makes plain data of any of them."""
    return Content({"anyOf": [kind.schema for kind in kinds]}, write)


class Record(Content):
    """An object whose keys are described, in the order in which documents have them.

    Keys of `first` come before the others in documents.  `more` returns further keys of a source, which the schema
    knows by their pattern: numbers that a double cannot hold, under `exact`, `decimal_gradient` and their like.
    """

    def __init__(
        self, fields: Mapping[str, Content | Field], first: Sequence[str] = (), more: More | None = None
    ) -> None:
        """Build the JSON Schema of the object from `fields`, {key: Content or Field}, and the plan by which `data`
        writes it.

        A Content is read from the attribute with the key's name. Keys that may be absent are not required; keys that
        `fields` lacks are forbidden. `first` has the keys that come first in documents; `more` (None: none) returns
        further keys of a source, which the schema allows by their pattern.
        """
        self.fields = {key: x if isinstance(x, Field) else x.of("") for key, x in fields.items()}
        needed = [key for key, field in self.fields.items() if field.absent is _NEVER]
        schema: dict[str, object] = {
            "type": "object",
            "properties": {key: self.fields[key].content.schema for key in dict.fromkeys((*needed, *self.fields))},
            "required": needed,
            "additionalProperties": False,
        }
        if more is not None:
            schema["patternProperties"] = {"^(exact|decimal)(_[a-z_]+)?$": _LONG_NUMBERS.schema}
        super().__init__(schema, self.data)
        self._more = more
        order = [(key, self.fields[key]) for key in dict.fromkeys((*first, *self.fields))]
        read = [(key, x, key if x.read == "" else x.read) for key, x in order if x.read is not None]
        self._plan = [(key, _reader(place), x.content.write, x.absent) for key, x, place in read]

    def data(self, source: object) -> dict[str, object]:
        """Return the plain data of `source`, with its keys in the order of documents.

        Keys from the function `more(source)`, if the record has one, come last. A key is left out if the value read is
        the very object that its Field calls absent (None, or the mark ABSENT). Raises AttributeError, KeyError or
        IndexError if a required value is missing.
        """
        result: dict[str, object] = {}
        for key, read, write, absent in self._plan:
            value = read(source)
            if value is not absent:
                result[key] = value if write is None else write(value)
        return result if self._more is None else result | self._more(source)


def _reader(read: str | int | Read) -> Read:
    """Return a function of the source for a path of attributes, a place in a tuple or a function."""
    if isinstance(read, str):
        return attrgetter(read)
    return itemgetter(read) if isinstance(read, int) else read


def record(**fields: Content | Field) -> Record:
    """Return the description of an object by its keys, in the order of documents."""
    return Record(fields)


# --- what many documents have -----------------------------------------------------------------------------------------

STRING: Final = Content({"type": "string"})
WHOLE: Final = Content({"type": "integer"})
TRUTH: Final = Content({"type": "boolean"})
FRACTION: Final = Content({"type": "string", "pattern": r"^-?\d+(/\d+)?$"}, str)
_REALS: Final = ({"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]})
REAL: Final = Content({"anyOf": [*_REALS]}, plain_number)
NUMBER: Final = Content({"anyOf": [*_REALS, record(re=REAL, im=REAL).schema]}, plain_number)
NUMBERS: Final = NUMBER.by_name
# A number, or an array as nested lists of plain numbers.
ENTRIES: Final = either(
    NUMBER, NUMBER.array, NUMBER.array.array, write=lambda x: x if isinstance(x, list) else plain_number(x)
)
LABEL: Final = STRING.or_null
NOTES: Final = record(node=STRING.or_null, kind=STRING, text=STRING).array
_LONG_NUMBERS: Final = either(STRING, STRING.by_name, STRING.or_null.array)

ERROR: Final = record(
    schema=const("error/1"),
    kind=one("syntax", "name", "arity", "domain", "request"),
    title=STRING,
    label=STRING,
    notes=STRING.array,
    help=STRING,
    line=WHOLE.or_null.of(lambda error: error.place[0]),
    column=WHOLE.or_null.of(lambda error: error.place[1]),
    end_column=WHOLE.or_null.of(lambda error: error.place[2]),
)
