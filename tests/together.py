"""Many short cases of one test: a test of its own for each would take longer to be called than the case itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

MANY = 25  # cases that are one test
_PARAMETERS = type(pytest.param())


def together(arguments: str | Sequence[str], cases: Iterable[Any], names: Sequence[str] = ()) -> Any:
    """Runs a test for each case, as `pytest.mark.parametrize` does, but 25 of them are one test, which names all that
    fail.  Cases that are skipped do not keep the others from being tried.
    """
    keys = [arguments] if isinstance(arguments, str) else [*arguments]
    values = [case.values if isinstance(case, _PARAMETERS) else case for case in cases]
    known = [*zip(names, values, strict=True)] if names else [(str(k), case) for k, case in enumerate(values)]
    groups = [known[k : k + MANY] for k in range(0, len(known), MANY)]

    def decorated(test: Callable[..., None]) -> Any:
        @wraps(test)
        def of_all(group: Sequence[tuple[str, Any]], **fixtures: Any) -> None:
            failed: dict[str, tuple[Any, BaseException]] = {}
            skipped = []
            for name, case in group:
                try:
                    test(**dict(zip(keys, [case] if isinstance(arguments, str) else case, strict=True)), **fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, pytest.fail.Exception) as problem:
                    failed[name] = case, problem
            if failed:
                said = [f"{name} ({case!r:.300}): {problem!r}" for name, (case, problem) in failed.items()]
                raise AssertionError("\n".join([f"{len(failed)} of {len(group)} cases", *said])) from next(
                    iter(failed.values())
                )[1]
            if skipped and len(skipped) == len(group):
                raise skipped[0]

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in keys]
        group = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        of_all.__signature__ = signature.replace(parameters=[group, *others])  # type: ignore[attr-defined]
        told = [f"{each[0][0]} to {each[-1][0]}" if len(each) > 1 else each[0][0] for each in groups]
        return pytest.mark.parametrize("group", groups, ids=told)(of_all)

    return decorated
