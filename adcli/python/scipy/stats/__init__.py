"""The names of `scipy.stats`, for traced values too: distributions by `distributions` and `multivariate`."""

from __future__ import annotations

import sys
from types import MappingProxyType, ModuleType
from typing import Any, cast

from ..stand_ins import stand_in
from .distributions import DISTRIBUTIONS
from .multivariate import JOINT


def itself(module: str) -> None:
    """Puts a distribution in the place of the module that is called as it is, so that both imports give the same."""
    sys.modules[module] = cast("ModuleType", __getattr__(module.rpartition(".")[2]))


def __getattr__(name: str) -> Any:  # whatever SciPy has under that name
    found = DISTRIBUTIONS.get(name) or JOINT.get(name)
    return stand_in("stats", name, MappingProxyType({})) if found is None else found
