"""Vector forms of mathematical functions: addresses of the C library's functions of doubles and of those in libmvec
(glibc).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import lru_cache

# The letter of a vector form of this number of doubles, by the ABI of vector functions on x86-64: SSE, AVX2, AVX-512.
_LETTERS = {2: "b", 4: "d", 8: "e"}
# Where the C library's mathematics may lie; None is what Python itself has loaded.
_SCALAR = (None, "libm.so.6", "ucrtbase")
_VECTOR = ("libmvec.so.1",)


def scalar(name: str) -> int | None:
    """Return the address of a C function of doubles; None if the C library lacks it."""
    return _address(_SCALAR, name)


def vector(name: str, arity: int, lanes: int) -> int | None:
    """Return the address of the vector form of a C function with `arity` arguments of `lanes` doubles each; None if
    there is none.
    """
    letter = _LETTERS.get(lanes)
    return None if letter is None else _address(_VECTOR, f"_ZGV{letter}N{lanes}{'v' * arity}_{name}")


def _address(libraries: Iterable[str | None], symbol: str) -> int | None:
    """Return the address of a function in the first of the libraries that has it; None if none of them has it."""
    for library in libraries:
        loaded = _load(library)
        if loaded is not None and hasattr(loaded, symbol):
            return ctypes.cast(getattr(loaded, symbol), ctypes.c_void_p).value
    return None


@lru_cache(maxsize=8)
def _load(library: str | None) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(library)
    except (OSError, TypeError):  # Windows has no library without a name
        return None
