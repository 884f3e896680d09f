"""The JSON Schemas of all documents: what keys each has, which may be absent, and what stands under them.

A key that a schema does not list is never there.  Every JSON document that a test makes is held against these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ..errors import RequestError
from ..table.suggest import similar

Schema: TypeAlias = Mapping[str, object]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

# --- what stands under keys -------------------------------------------------------------------------------------------

TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
TRUTH: Final[Schema] = {"type": "boolean"}
# JSON has no NaN and no infinities, and no complex numbers: names and pairs of parts stand for them.
REAL: Final[Schema] = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
PARTS: Final[Schema] = {
    "type": "object", "properties": {"re": REAL, "im": REAL}, "required": ["re", "im"], "additionalProperties": False,
}  # fmt: skip
NUMBER: Final[Schema] = {"anyOf": [*REAL["anyOf"], PARTS]}  # type: ignore[misc]  # it is a list, above
FRACTION: Final[Schema] = {"type": "string", "pattern": r"^-?\d+(/\d+)?$"}


def keys(needed: Mapping[str, Schema], absent: Mapping[str, Schema] | None = None) -> Schema:
    """An object of these keys; those of `absent` may be."""
    return {
        "type": "object",
        "properties": {**needed, **(absent or {})},
        "required": list(needed),
        "additionalProperties": False,
    }


def names(of: Schema) -> Schema:
    """An object with one entry for each of some names."""
    return {"type": "object", "additionalProperties": of}


def some(of: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": of}


def pair(of: Schema) -> Schema:
    """A list of two."""
    return {"type": "array", "items": of, "minItems": 2, "maxItems": 2}


def maybe(of: Schema) -> Schema:
    """This, or null where there is none."""
    return {"anyOf": [of, {"type": "null"}]}


def one(*words: str) -> Schema:
    """One of these words."""
    return {"enum": list(words)}


def _several(words: Schema) -> Schema:
    """Names of numbers that a double cannot hold, under keys that say what they are: `exact`, `decimal_gradient`."""
    return {"patternProperties": {"^(exact|decimal)(_[a-z_]+)?$": words}}


def _extended(found: Schema) -> Schema:
    """An object that has texts of exact or long numbers beside its own."""
    return {**found, **_several({"anyOf": [TEXT, names(TEXT), some(maybe(TEXT))]})}


_NOTES: Final = some(keys({"node": maybe(TEXT), "kind": TEXT, "text": TEXT}))
_LABEL: Final = maybe(TEXT)
_POINT: Final = names(NUMBER)

# --- documents --------------------------------------------------------------------------------------------------------


def _cost() -> Schema:
    """What a gradient costs, in operations."""
    return keys(
        {
            "value": names(WHOLE),
            "forward": names(WHOLE),
            "reverse": names(WHOLE),
            "ratio": keys({"forward": maybe(REAL), "reverse": maybe(REAL)}),
            "adjoints": keys({"passed_on": WHOLE, "accumulated": WHOLE}),
            "one_by_one": {"anyOf": [REAL, TEXT]},
        }
    )


def _trace() -> Schema:
    bounds = maybe(pair(TEXT))
    certified = keys(
        {"value": bounds},
        {
            "gradient": names(bounds),
            "one_sided": names(pair(bounds)),
            "hessian": names(names(bounds)),
        },
    )
    output = keys(
        {"name": TEXT, "node": TEXT, "value": NUMBER},
        {
            "gradient": names(NUMBER),
            "certified": certified,
            "verified": keys({"largest_ulps": REAL, "routes": some(TEXT)}),
            "rounding": keys({"value": REAL, "gradient": names(REAL)}),
            "jvp": NUMBER,
            "hessian": names(names(NUMBER)),
            "hvp": names(NUMBER),
        },
    )
    node = keys(
        {
            "name": TEXT,
            "level": WHOLE,
            "operator": TEXT,
            "parents": some({"anyOf": [TEXT, NUMBER]}),
            "formula": TEXT,
            "substituted": TEXT,
            "value": maybe(NUMBER),
        },
        {
            "alias": TEXT,
            "line": WHOLE,
            "source": TEXT,
            "grad_wrt_parents": some(maybe(NUMBER)),
            "condition": REAL,
            "ulps": names(REAL),
            "dot": names(NUMBER),
            "bar": names(NUMBER),
            "bar_dot": names(names(NUMBER)),
        },
    )
    shared: dict[str, Schema] = {
        "target": TEXT, "source": maybe(TEXT), "symbolic": TEXT, "substituted": TEXT, "value": NUMBER,
    }  # fmt: skip
    steps = [
        keys({"pass": {"const": "forward"}, "wrt": TEXT, **shared}),
        keys({"pass": {"const": "reverse"}, "output": TEXT, "chain": TEXT, **shared}),
    ]
    return _extended(
        keys(
            {
                "schema": {"const": "trace/1"},
                "label": _LABEL,
                "expression": TEXT,
                "mode": one("value", "forward", "reverse", "both"),
                "numbering": one("level", "call"),
                "at": _POINT,
                "outputs": some(_extended(output)),
                "notes": _NOTES,
            },
            {"cost": _cost(), "vjp": names(NUMBER), "nodes": some(_extended(node)), "steps": some({"anyOf": steps})},
        )
    )


def _error() -> Schema:
    return keys(
        {
            "schema": {"const": "error/1"},
            "kind": one("syntax", "name", "arity", "domain", "request"),
            "title": TEXT,
            "label": TEXT,
            "notes": some(TEXT),
            "help": TEXT,
            "line": maybe(WHOLE),
            "column": maybe(WHOLE),
            "end_column": maybe(WHOLE),
        }
    )


def _diff() -> Schema:
    derivative = keys({"output": TEXT, "wrt": some(TEXT), "expression": TEXT, "latex": TEXT}, {"value": maybe(NUMBER)})
    step = keys({"target": TEXT, "source": maybe(TEXT), "chain": TEXT, "symbolic": TEXT})
    sweep = keys(
        {
            "output": TEXT,
            "wrt": some(TEXT),
            "nodes": some(keys({"name": TEXT, "formula": TEXT})),
            "steps": some(step),
        }
    )
    return keys(
        {"schema": {"const": "diff/1"}, "expression": TEXT, "derivatives": some(derivative)},
        {"label": TEXT, "at": _POINT, "sweeps": some(sweep)},
    )


def _check() -> Schema:
    row = keys(
        {
            "line": maybe(WHOLE),
            "row": TEXT,
            "kind": TEXT,
            "verdict": TEXT,
            "slip": maybe(TEXT),
            "formula": maybe(one("right", "wrong", "absent")),
            "number": maybe(one("right", "wrong", "absent")),
            "feedback": maybe(TEXT),
        },
        {"expected": TEXT, "key": TEXT},
    )
    quantity = keys({"quantity": TEXT, "rows": some(WHOLE), "verdict": TEXT, "earned": FRACTION, "possible": FRACTION})
    marked = keys(
        {
            "schema": {"const": "check/1"},
            "verdict": maybe(one("right", "wrong", "not_gradable")),
            "first_error": maybe(keys({"line": maybe(WHOLE), "row": TEXT})),
            "score": keys({"earned": FRACTION, "possible": FRACTION, "earned_without_carry": FRACTION}),
            "quantities": maybe(some(quantity)),
            "rows": maybe(some(row)),
        },
        {"notes": some(TEXT)},
    )
    read = keys(
        {
            "line": WHOLE,
            "text": TEXT,
            "quantity": TEXT,
            "kind": TEXT,
            "formula": maybe(TEXT),
            "number": maybe(TEXT),
            "not_read": some(TEXT),
        }
    )
    as_read = keys(
        {
            "schema": {"const": "check/1"},
            "problem": TEXT,
            "read_as": some(read),
            "left_out": some(keys({"line": WHOLE, "text": TEXT, "why": TEXT})),
            "notes": some(TEXT),
            "error": maybe(TEXT),
        }
    )
    return {"anyOf": [marked, as_read]}


def _explain() -> Schema:
    edge = keys({"parent": TEXT, "child": TEXT, "argument": WHOLE, "partial": maybe(NUMBER), "amount": maybe(NUMBER)})
    rule = keys({"name": TEXT, "call": TEXT, "derivatives": some(TEXT), "step": maybe(WHOLE)})
    step = keys(
        {
            "number": WHOLE,
            "target": TEXT,
            "source": maybe(TEXT),
            "symbol": TEXT,
            "symbolic": TEXT,
            "substituted": TEXT,
            "value": maybe(NUMBER),
            "rule": maybe(rule),
            "needs": some(TEXT),
            "edges": some(edge),
            "waiting": some(TEXT),
            "sentences": some(TEXT),
        }
    )
    sweep = keys(
        {
            "pass": TEXT,
            "title": TEXT,
            "opening": some(TEXT),
            "steps": some(step),
            "results": some(keys({"name": TEXT, "symbol": TEXT, "value": NUMBER})),
        },
        {
            "wrt": TEXT,
            "output": TEXT,
            "search": keys({"postorder": some(TEXT), "tape": some(TEXT), "unreached": some(TEXT)}),
        },
    )
    return keys(
        {
            "schema": {"const": "explain/1"},
            "label": _LABEL,
            "expression": TEXT,
            "mode": TEXT,
            "numbering": TEXT,
            "at": _POINT,
            "sweeps": some(sweep),
            "notes": _NOTES,
        }
    )


def _expand() -> Schema:
    value = {"value": maybe(NUMBER)}
    piece = keys({"of": TEXT, "coefficient": TEXT}, value)
    expansion = keys(
        {
            "name": TEXT,
            "node": TEXT,
            "steps": some(keys({"level": WHOLE, "terms": some(piece)})),
            "adjoints": names(TEXT),
            "gradient": some(keys({"wrt": TEXT, "coefficient": TEXT, "expression": maybe(TEXT)}, value)),
        }
    )
    return keys(
        {
            "schema": {"const": "expand/1"},
            "label": _LABEL,
            "expression": TEXT,
            "at": maybe(_POINT),
            "levels": some(
                keys({"name": TEXT, "level": WHOLE, "formula": TEXT}, {**value, "differential": some(piece)})
            ),
            "outputs": some(expansion),
            "notes": _NOTES,
        }
    )


def _taylor() -> Schema:
    coefficient: Schema = {"anyOf": [REAL, TEXT]}  # one of many digits is a text
    output = keys(
        {
            "name": TEXT,
            "coefficients": some(coefficient),
            "derivatives": some(coefficient),
            "polynomial": TEXT,
            "latex": TEXT,
        },
        {"exact": some(maybe(FRACTION))},
    )
    return keys(
        {
            "schema": {"const": "taylor/1"},
            "label": _LABEL,
            "expression": TEXT,
            "at": _POINT,
            "along": _POINT,
            "order": WHOLE,
            "variable": TEXT,
            "centre": maybe(NUMBER),
            "outputs": some(output),
            "notes": _NOTES,
        }
    )


def _propagate() -> Schema:
    spread = {"mean": REAL, "sigma": REAL}
    drawn = keys(
        {**spread, "interval": pair(REAL), "first_order_will_do": maybe(TRUTH), "draws": WHOLE, "without_value": WHOLE}
    )
    part = keys({"slope": REAL, "sigma": REAL, "contribution": REAL, "share": maybe(REAL)})
    output = keys(
        {
            "name": TEXT,
            "value": REAL,
            "sigma": maybe(REAL),
            "second_order": maybe(keys({name: maybe(REAL) for name in spread})),
            "budget": names(part),
            "monte_carlo": maybe(drawn),
        }
    )
    return keys(
        {
            "schema": {"const": "propagate/1"},
            "label": _LABEL,
            "expression": TEXT,
            "at": _POINT,
            "sigmas": names(REAL),
            "correlations": some(keys({"inputs": pair(TEXT), "correlation": REAL})),
            "outputs": some(output),
            "notes": _NOTES,
        }
    )


def _functions() -> Schema:
    function = keys(
        {
            "name": TEXT,
            "aliases": some(TEXT),
            "arity": maybe(WHOLE),
            "call": TEXT,
            "derivatives": some(TEXT),
            "domain": TEXT,
            "operator": TRUTH,
            "summary": TEXT,
        }
    )
    return keys({"schema": {"const": "functions/1"}, "functions": some(function)})


def _doctor() -> Schema:
    extra = keys({"extra": TEXT, "brings": TEXT, "packages": names(maybe(TEXT)), "missing": TRUTH})
    return keys({"schema": {"const": "doctor/1"}, "program": names(TEXT), "extras": some(extra)})


def _sheet() -> Schema:
    problem = keys({"label": _LABEL, "text": TEXT, "mode": maybe(TEXT), "wrt": some(TEXT)})
    return keys({"schema": {"const": "sheet/1"}, "title": TEXT, "problems": some(problem)})


def _shard() -> Schema:
    points = keys({"file": TEXT, "bytes": WHOLE, "modified": WHOLE})
    return keys(
        {
            "schema": {"const": "shard/1"},
            "adcli": TEXT,
            "shard": pair(WHOLE),
            "request": {"type": "object", "properties": {"expression": TEXT}, "required": ["expression"]},
            "points": maybe(points),
            "engine": TEXT,
            "range": keys({"start": WHOLE, "stop": WHOLE, "first": WHOLE}),
            "rows": WHOLE,
            "code": WHOLE,
            "result": keys({"file": TEXT, "bytes": WHOLE, "sha256": TEXT}),
        }
    )


def _parts() -> Schema:
    points = keys({"file": TEXT, "bytes": WHOLE, "modified": WHOLE})
    return keys(
        {
            "schema": {"const": "parts/1"},
            "adcli": TEXT,
            "request": {"type": "object", "properties": {"expression": TEXT}, "required": ["expression"]},
            "points": points,
            "kinds": {"type": "object", "additionalProperties": TEXT},
            "ranges": some({"type": "array", "items": WHOLE, "minItems": 3, "maxItems": 3}),
            "sha256": TEXT,
        }
    )


_DOCUMENTS: Final[Mapping[str, tuple[str, Callable[[], Schema]]]] = {
    "trace/1": ("an evaluation trace: eval, trace", _trace),
    "error/1": ("an error, in the place of what was asked for", _error),
    "diff/1": ("derivatives as formulas: diff", _diff),
    "taylor/1": ("a Taylor series: taylor", _taylor),
    "explain/1": ("the sweeps in sentences: explain", _explain),
    "expand/1": ("differentials pushed down level by level: expand", _expand),
    "propagate/1": ("uncertainties carried to the outputs: propagate", _propagate),
    "check/1": ("a marked answer, or how it is read: check", _check),
    "sheet/1": ("a sheet of exercises: new", _sheet),
    "functions/1": ("the functions of the language: functions", _functions),
    "shard/1": ("what a part of a map was made of, beside it: map", _shard),
    "parts/1": ("where all parts of a map begin, beside them: map", _parts),
    "doctor/1": ("what is installed: doctor", _doctor),
}


def documents() -> dict[str, str]:
    """The name of every document, and what it is."""
    return {name: said for name, (said, _) in _DOCUMENTS.items()}


def schema(name: str) -> Schema:
    """The JSON Schema of a document, by its name with or without the version.  Raises RequestError for others."""
    found = next((known for known in _DOCUMENTS if name in (known, known.partition("/")[0])), None)
    if found is None:
        guess = similar(name, list(_DOCUMENTS))
        advice = f"did you mean {guess}?" if guess else f"there are {', '.join(_DOCUMENTS)}"
        raise RequestError(f"there is no document called {name}", help=advice)
    said, made = _DOCUMENTS[found]
    return {"$schema": _DIALECT, "$id": f"adcli:{found}", "title": found, "description": said, **made()}
