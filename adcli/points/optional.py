"""Arrow, an optional library: there for Parquet and Arrow files, and the quick way through CSV."""

from __future__ import annotations

from typing import Any

from ..errors import RequestError


def arrow_if_there() -> Any:
    """The module pyarrow, or None."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        return None
    return pyarrow


def arrow() -> Any:
    """The module pyarrow.  Raises RequestError where it is not installed."""
    found = arrow_if_there()
    if found is None:
        raise RequestError(
            "Parquet and Arrow files need pyarrow, which is not installed", help="pip install 'adcli[arrow]'"
        )
    return found
