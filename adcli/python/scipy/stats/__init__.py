"""The names of `scipy.stats`, for traced values too: distributions by `distributions` and `multivariate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import MappingProxyType, ModuleType

from ....typings import cast
from ...core.containers import Tree
from ..stand_ins import stand_in
from .distributions import DISTRIBUTIONS, Distribution
from .multivariate import JOINT

# So `import adcli.python.scipy.stats.norm` and `from adcli.python.scipy.stats import norm` give the same object.
sys.modules.update({f"{__name__}.{name}": cast("ModuleType", each) for name, each in (DISTRIBUTIONS | JOINT).items()})


def __getattr__(name: str) -> Distribution | Callable[..., Tree]:
    """Return the distribution of this name, else a stand-in for SciPy's attribute (AttributeError if none)."""
    distribution = DISTRIBUTIONS.get(name) or JOINT.get(name)
    return stand_in("stats", name, MappingProxyType({})) if distribution is None else distribution
