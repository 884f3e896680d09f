"""How fast adcli is, and its rivals on the same work in the same run: `python -m tests.benchmarks`.

Nothing here is part of the plain test run: times are measured, not asserted.
"""
