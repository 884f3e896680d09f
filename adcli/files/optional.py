"""Optional libraries: NumPy, which all points need, and Arrow for its own files and the quick way through CSV."""

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


def numpy() -> Any:
    """The module numpy.  Raises RequestError where it is not installed."""
    try:
        import numpy
    except ImportError:
        raise RequestError(
            "files of points need NumPy, which is not installed", help="pip install 'adcli[numpy]'"
        ) from None
    return numpy
