# What a developer does, with `just` (any version); without it, the lines below are the commands.

python := ".venv/bin/python"

[private]
default:
    @just --list --unsorted

# A folder .venv with adcli, editable, and all that tests, lint and types need
setup:
    python3 -m venv .venv
    .venv/bin/pip install -q -e ".[dev]"

# The quick tests: the first cases of every promise
quick *arguments:
    {{python}} -m pytest -m quick -n auto {{arguments}}

# All tests
test *arguments:
    {{python}} -m pytest -n auto {{arguments}}

# Lint, format and types
check:
    .venv/bin/ruff check
    .venv/bin/ruff format --check
    .venv/bin/mypy

# The quick tests with the lowest versions of all that is needed, or with the newest (`just versions newest`)
versions which="lowest":
    python3 .ci/versions.py {{which}}

# A night's work: all generated cases, random examples by the thousand, then generated questions for an hour
night:
    ADCLI_THOROUGH=1 {{python}} -m pytest -n auto
    {{python}} -m pytest -n auto --hypothesis-profile long tests/test_laws.py tests/test_kinks.py tests/test_soundness.py
    {{python}} -m tests.independent --minutes 60

# Measurements beside other programs, as in the README (writes tests/benchmarks/results.json)
bench:
    .venv/bin/pip install -q ".[bench]"
    {{python}} -m tests.benchmarks
