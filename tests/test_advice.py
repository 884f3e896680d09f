"""The tables of advice: every example of an entry gets the message of that entry, and no other."""

from __future__ import annotations

import re

import pytest
from together import together

from adcli.errors import AdcliError, Source
from adcli.language.advice import Advice, tables
from adcli.language.program import _read_text, read_program

EXAMPLES = [
    pytest.param(entry, example, id=f"{table}-{example}")
    for table, entries in tables().items()
    for entry in entries
    for example in entry.examples.split("  ")
    if example
]


def fits(template: str, text: str) -> bool:
    """Return whether a text is what a template becomes for some place."""
    return re.fullmatch(".*".join(map(re.escape, re.split(r"\{[\w.]+\}", template))), text) is not None


@together(("entry", "example"), EXAMPLES)
def test_an_example_gets_the_message_of_its_entry(entry: Advice, example: str) -> None:
    bound = ["x", "y"] if entry in tables()["syntax"] else list("mgh") if "of_values" in entry.when else []
    try:
        if entry in tables()["requests"]:
            read_program(Source(example))
        readings = _read_text(Source(example), bound, 1000).readings  # without answers to mathematical requests
    except AdcliError as error:
        assert fits(entry.title, error.title)
        assert fits(entry.label, error.label)
        assert fits(entry.help, error.help)
        assert all(fits(entry.note, note) for note in error.notes)
    else:
        assert not entry.title
        notes = [reading.text for reading in readings if reading.topic == entry.topic]
        assert bool(entry.reading) == any(fits(entry.reading, note) for note in notes), notes
        assert entry.reading or not notes


def test_every_entry_has_an_example_but_the_last_of_the_syntax_errors() -> None:
    lacking = [
        (table, k) for table, entries in tables().items() for k, entry in enumerate(entries) if not entry.examples
    ]
    assert [("syntax", len(tables()["syntax"]) - 1)] == lacking


def test_a_table_is_not_loaded_by_programs_that_need_no_advice() -> None:
    tables.cache_clear()
    read_program(Source("log(x1)*x2 + sin(x)"))
    assert 0 == tables.cache_info().currsize
