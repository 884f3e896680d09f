"""What results and inputs are called."""

from __future__ import annotations

from collections.abc import Collection


def named(results: list[tuple[str, int]], assigned: Collection[str]) -> list[tuple[str, int]]:
    """Outputs as assigned, else y, or y1, y2, … by position; no name twice, and none that means something else."""
    if len(results) == 1 and not results[0][0] and "y" not in assigned:
        return [("y", results[0][1])]
    named: list[tuple[str, int]] = []
    taken = {*assigned, *(name for name, _ in results if name)}
    seen: set[str] = set()
    single = sum(1 for name, _ in results if not name) == 1
    for position, (name, slot) in enumerate(results, 1):
        chosen = name if name and name not in seen else ""
        if not chosen:
            chosen = "y" if single and "y" not in taken else f"y{position}"
            while chosen in taken or chosen in seen:
                chosen += "'"
        seen.add(chosen)
        named.append((chosen, slot))
    return named


def without_underscore(name: str) -> str:
    """`x_2` and `x2` are one name where only one of them is known."""
    stem, underscore, digits = name.rpartition("_")
    return stem + digits if underscore and digits.isdigit() else name
