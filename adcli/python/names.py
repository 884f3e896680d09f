"""Names of NumPy's functions, by what they are for derivatives."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

# NumPy's elementwise functions that the table has under another name.
IN_THE_TABLE: Final = MappingProxyType({
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg",
    "power": "pow", "float_power": "pow", "absolute": "abs", "fabs": "abs", "remainder": "mod", "expit": "sigmoid",
})  # fmt: skip

# Questions whose answers have no derivative, and functions that are constant between jumps.
PLAIN: Final = frozenset((
    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
    "logical_not", "logical_xor", "isnan", "isinf", "isfinite", "signbit", "heaviside", "isneginf", "isposinf",
    "argmax", "argmin", "argsort", "argpartition", "nanargmax", "nanargmin", "searchsorted", "any", "all",
    "iscomplex", "iscomplexobj", "isreal", "isrealobj", "allclose", "isclose", "array_equal", "array_equiv",
    "count_nonzero", "nonzero", "flatnonzero", "argwhere", "shape", "ndim", "around", "round", "rint", "trunc", "fix",
    "floor_divide", "zeros_like", "ones_like", "empty_like", "result_type", "may_share_memory", "shares_memory",
    "digitize", "linalg.matrix_rank", "isscalar", "min_scalar_type", "can_cast", "common_type", "iterable",
    "array_repr", "array_str", "array2string",
))  # fmt: skip

# Functions that only choose, repeat and move elements: of one array, and of a sequence of arrays.
REARRANGING: Final = (
    "flip", "flipud", "fliplr", "rot90", "roll", "rollaxis", "repeat", "tile", "diag", "diagflat", "diagonal",
    "tril", "triu", "take", "take_along_axis", "delete", "split", "hsplit", "vsplit", "dsplit", "array_split",
    "resize", "copy",
)  # fmt: skip
JOINING: Final = ("vstack", "hstack", "dstack", "column_stack", "row_stack", "block")

# Methods of arrays, and of NumPy's numbers, that are functions of NumPy with the array in front.
METHODS: Final = frozenset((
    "all", "any", "argmax", "argmin", "argsort", "conj", "copy", "cumprod", "cumsum", "diagonal", "dot", "max",
    "mean", "min", "nonzero", "prod", "ravel", "repeat", "round", "searchsorted", "squeeze", "std", "sum",
    "swapaxes", "take", "var",
))  # fmt: skip
