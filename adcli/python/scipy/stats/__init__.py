"""The names of `scipy.stats`, for traced values too: distributions by `distributions` and `multivariate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, cast

from ..stand_ins import stand_in
from .distributions import DISTRIBUTIONS
from .multivariate import JOINT

if TYPE_CHECKING:
    from ...core.containers import Tree
    from .distributions import Distribution
    from .multivariate import VectorDistribution


def itself(module: str) -> None:
    """Replace the module `module`, e.g. `….stats.norm`, by the distribution of that name in `sys.modules`.

    So `import adcli.python.scipy.stats.norm` and `from adcli.python.scipy.stats import norm` give the same object.
    """
    sys.modules[module] = cast("ModuleType", __getattr__(module.rpartition(".")[2]))


def __getattr__(name: str) -> Distribution | VectorDistribution | Callable[..., Tree]:
    """Return the distribution of this name, else a stand-in for SciPy's attribute (AttributeError if none)."""
    distribution = DISTRIBUTIONS.get(name) or JOINT.get(name)
    return stand_in("stats", name, MappingProxyType({})) if distribution is None else distribution
