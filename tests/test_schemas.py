"""The JSON Schemas of documents: printed, strict, and what every command writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from held import held
from running import PACKAGE, PAPER, run

from adcli.cli.commands.schema import documents, schema

AT = ("--at", "x1=2,x2=5")
MADE = {
    "trace/1": ("eval", PAPER, *AT),
    "error/1": ("eval", "log("),
    "diff/1": ("diff", PAPER, "--trace", *AT),
    "taylor/1": ("taylor", "exp(x)", "--at", "x=0", "--exact"),
    "explain/1": ("explain", PAPER, *AT, "--detail", "full"),
    "expand/1": ("expand", PAPER, *AT),
    "propagate/1": ("propagate", "x1*x2", "--at", "x1=2±0.1,x2=5±0.2", "--monte-carlo", "1000", "--seed", "1"),
    "check/1": ("check", "-", "--problem", f"{PAPER} @ x1=2, x2=5"),
    "sheet/1": ("new", "--count", "2", "--seed", "1"),
    "functions/1": ("functions",),
    "doctor/1": ("doctor",),
}
BESIDE = {"shard/1", "parts/1"}  # files beside results, held in test_shards
FLAGS = ("--exact", "--precision 30", "--hessian", "--hvp x1=1,x2=0", "--certify", "--verify", "--conditioning",
         "--seed x1=1,x2=2 --mode forward", "--mode reverse", "--no-trace", "--complex", "--mode value")  # fmt: skip


def test_every_document_in_the_source_has_a_schema_and_no_schema_is_of_none() -> None:
    written = {name for file in PACKAGE.rglob("*.py") for name in re.findall(r'"([a-z]+/\d)"', file.read_text("utf-8"))}
    assert set(documents()) == written
    assert set(documents()) == set(MADE) | BESIDE


@pytest.mark.parametrize("name", MADE)
def test_a_schema_is_printed_is_one_and_holds_what_its_command_writes(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    printed = json.loads(run("schema", name).out)
    assert printed == json.loads(run("schema", name.partition("/")[0]).out) == schema(name)
    jsonschema.Draft202012Validator.check_schema(printed)
    made = run(*MADE[name], "--format", "json", stdin="v1 = 1\ny = 2\n")
    found = json.loads(made.out)
    found = found[0] if isinstance(found, list) else found
    assert name == found["schema"]
    jsonschema.validate(found, printed)


@pytest.mark.parametrize("flags", FLAGS)
def test_a_trace_keeps_its_schema_with_all_that_can_be_asked_of_it(flags: str) -> None:
    for text in (PAPER, "abs(x1) + max(x1, x2 - 3); 2*x2; x1 / 0.3 + 1e200*x1*1e200"):
        assert run("eval", text, *AT, "--format", "json", *flags.split()).out


@pytest.mark.parametrize("name", sorted(set(MADE) - {"doctor/1"}))
def test_a_key_that_nobody_has_said_or_that_is_missing_is_found(name: str) -> None:
    pytest.importorskip("jsonschema")
    whole = run(*MADE[name], "--format", "json", stdin="v1 = 1\ny = 2\n").out
    data = json.loads(whole)
    first = data[0] if isinstance(data, list) else data
    first["nobody has said this"] = 1
    with pytest.raises(AssertionError):
        held(json.dumps(data))
    del first["nobody has said this"]
    for key in [key for key in first if key in schema(name).get("required", ())]:  # type: ignore[operator]
        if key != "schema":
            kept = first.pop(key)
            with pytest.raises(AssertionError):
                held(json.dumps(data))
            first[key] = kept
    held(json.dumps(data))


def test_the_list_of_documents_comes_in_every_format(tmp_path: Path) -> None:
    assert all(name in run("schema").out for name in documents())
    assert set(json.loads(run("schema", "--format", "json").out)) == set(documents())
    assert "trace/1" in run("schema", "--format", "markdown").out
    assert run("schema", "check", "-o", str(tmp_path / "check.json")).code == 0
    assert schema("check/1") == json.loads((tmp_path / "check.json").read_text("utf-8"))
