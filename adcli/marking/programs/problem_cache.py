"""The problem cache: what is computed once for a problem and serves all its answers, since a class repeats itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from ...answers.answer_model import Task
from ...graph.graph import Graph
from ...typings import Any, TypeVar

T = TypeVar("T")

_MOST = 256  # results that are kept for one problem
_PROBLEMS = 16  # problems that are kept


class ProblemCache(dict[Hashable, Any]):
    """Results by key, of one problem; it is emptied when it is full. Results must not be changed."""

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for `key`, which `make` makes and which is kept if it is not there; if 256 results are
        there, all are dropped first.

        An exception of `make` passes, and nothing is kept.
        """
        if key not in self:
            made = make()
            if len(self) >= _MOST:
                self.clear()
            self[key] = made
        value: T = self[key]
        return value


@lru_cache(maxsize=_PROBLEMS)
def _cache(
    _graph: Graph, _at: tuple[tuple[str, float], ...], _fixed: frozenset[str], _share: float | None
) -> ProblemCache:
    return ProblemCache()


def cache_of(task: Task) -> ProblemCache:
    """Return the cache of the problem, point, fixed inputs and kink weight of a task; tasks that have these in common
    use the same one.
    """
    return _cache(task.program.graph, tuple(task.at.items()), task.fixed, task.kink_weight)


def structure(graph: Graph) -> tuple[object, ...]:
    """Return a key that is equal for graphs with the same operations, operands, constants and literal slots.

    Names of inputs, outputs and rows are not in it.
    """
    constants = [(slot, constant.text, constant.named) for slot, constant in graph.constants.items()]
    return tuple(graph.rows), tuple(graph.parents), bytes(graph.literal), tuple(constants)
